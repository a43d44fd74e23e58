#!/usr/bin/env bash
# powercut.sh - power cuts at each sync of every verb that writes (unit/powercut.c), and what they found, into the ledger.
#   [POWERCUTS=40] [SEED=N] tests/campaigns/powercut.sh      how many random parts of what was not synced are tried at each moment
set -euo pipefail
cd "$(dirname "$0")/../.."
export POWERCUTS=${POWERCUTS:-40} SEED=${SEED:-$RANDOM}
began=$SECONDS code=0
said=$("${BUILD:-build}/unit/powercut" 2>&1) || code=$?
printf '%s\n' "$said"
mapfile -t verbs < <(sed -nE 's/^# ([a-z-]+): ([0-9]+) cuts, ([0-9]+) wrong, .*/\1 \2 \3/p' <<<"$said")
[ "${#verbs[@]}" -ge 8 ] || { echo "powercut.sh: fewer verbs than there are (SEED=$SEED)" >&2; exit 1; }
for line in "${verbs[@]}"; do
    read -r verb cuts wrong <<<"$line"
    tests/campaigns/ledger.sh add power-cuts "$verb" "$cuts" "$wrong" $(((SECONDS - began) / ${#verbs[@]}))
done
exit $code

#!/usr/bin/env bash
# measured.sh - measures this machine and writes what may be shipped of it into data/measured: verified, steady cells alone, with the
# whole environment, redacted. Called by `make measured`; wants a machine that does nothing else, and takes some minutes.
# BACKENDS=, PLAN=, RANKS= (0: none), FOLDER= (where to).
set -euo pipefail
build=$(cd "${1:-build}" && pwd)
abdb=$build/abdb
command -v jq >/dev/null || { echo "measured.sh needs jq (apt-get install jq)" >&2; exit 2; }
cd "$(dirname "$0")/.."
folder=${FOLDER:-data/measured} commit=()
! git rev-parse --verify -q HEAD >/dev/null 2>&1 || commit=(--commit auto)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export ABDB_DB=$work/measured.db
backends=${BACKENDS:-$(for b in vec openblas onednn blis opencl; do [ ! -x "$build/abdb-run-$b" ] || echo $b; done | paste -sd,)}

# A cell that was in doubt is measured again; what fails is no row of what is shipped.
run() { "$abdb" run "$@" --tag measured || [ $? = 5 ] || { echo "abdb run $*: not measured" >&2; return 1; }; }
run --plan "${PLAN:-measured}" --backend "$backends" "${commit[@]}"
[ "${RANKS:-2}" = 0 ] || [ ! -x "$build/abdb-run-mpi" ] || run --plan measured-ranks --ranks "${RANKS:-2}" --backend mpi "${commit[@]}"
"$abdb" export --redacted --keep tag,factor.commit -o jsonl 2>"$work/err" >"$work/all.jsonl" || { cat "$work/err" >&2; exit 1; }

# Single samples and what the redaction hid are left out: a median keeps its interval and how many samples it is of.
jq -c 'select(.record == "entry" and (.field.status // "ok") == "ok" and .field.verified == "pass")
    | select((.field.flags // "") | test("unsteady|imprecise|quick") | not)
    | .environment |= (fromjson | with_entries(select(.key | startswith("key-") | not)) | tojson)
    | .factor |= with_entries(select(.key | startswith("factor-") | not))
    | .result |= map(del(.samples)) | del(.telemetry)' "$work/all.jsonl" >"$work/kept.jsonl"
cells=$("$abdb" query "SELECT count(*) FROM v_run WHERE status = 'ok';" -o csv | tail -1)
kept=$(wc -l <"$work/kept.jsonl")
if [ "$kept" = 0 ] || [ $((2 * kept)) -lt "$cells" ]; then
    echo "measured.sh: only $kept of $cells measured cells are steady, precise and right: leave the machine alone meanwhile" >&2
    exit 1
fi
# nothing that names this host or who measured
words=("$(uname -n)")
[ "$(id -u)" = 0 ] || words+=("$(id -un)" "$HOME/")
for word in "${words[@]}"; do
    [ "$word" != localhost ] || continue
    ! grep -nF -- "$word" "$work/kept.jsonl" | cut -c1-200 >&2 || { echo "measured.sh: it names $word" >&2; exit 1; }
done
mkdir -p "$folder"
out=$folder/$(jq -rs '.[0] | .field.device + "-" + .field.date[:10]' "$work/kept.jsonl" | tr 'A-Z' 'a-z' | tr -cs 'a-z0-9' '-' | sed 's/-$//').jsonl
mv "$work/kept.jsonl" "$out"
"$abdb" import -q --db "$work/again.db" "$out"
echo "$out: $kept of $cells measured cells, $("$abdb" query --db "$work/again.db" "SELECT count(*) FROM v_result;" -o csv | tail -1) results"

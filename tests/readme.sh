#!/usr/bin/env bash
# readme.sh - runs the commands of the README, in order, as a newcomer would; in TAP.
cd "$(dirname "$0")/.." || exit 1
root=$PWD
export PATH=$root/${BUILD:-build}:$PATH ABDB_PATH=/nonexistent
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
n=0
while IFS= read -r command; do
    n=$((n + 1))
    if [[ $command == *"--backend openblas"* || $command == "abdb run --plan"* ]] && ! command -v abdb-run-openblas >/dev/null; then
        echo "ok $n - $command # SKIP built without openblas"
        continue
    fi
    if bash -c "$command" >out 2>&1 </dev/null; then echo "ok $n - $command"; else
        echo "not ok $n - $command"
        sed 's/^/#   /' out | head
        failed=1
    fi
done < <(awk '/^```console/ { on = 1; next } /^```/ { on = 0 } on && /^\$ / { print substr($0, 3) }' "$root/README.md")
[ "$n" -gt 10 ] || { echo "not ok - the README has no commands"; failed=1; }
echo "1..$n"
exit ${failed:-0}

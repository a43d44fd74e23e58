#!/usr/bin/env bash
# readme.sh - runs the commands of the tutorial and of every README, in order, as a newcomer would; in TAP. Those of the folders begin with the shipped data.
cd "$(dirname "$0")/.." || exit 1
root=$PWD
export PATH=$root/${BUILD:-build}:$PATH ABDB_PATH=/nonexistent
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
n=0
for readme in README.md TUTORIAL.md */README.md; do
    commands=$(awk '/^```console/ { on = 1; next } /^```/ { on = 0 } on && /^\$ / { print substr($0, 3) }' "$root/$readme")
    dir=$top/${readme%.md}
    mkdir -p "$dir"
    cd "$dir" || exit 1
    [[ $readme == */* ]] && abdb import -q data
    while IFS= read -r command; do
        [ -n "$command" ] || continue
        n=$((n + 1))
        if [[ $command == *"--backend openblas"* || $command == "abdb run --plan"* ]] && ! command -v abdb-run-openblas >/dev/null; then
            echo "ok $n - $readme: $command # SKIP built without openblas"
            continue
        fi
        if bash -c "$command" >out 2>&1 </dev/null; then echo "ok $n - $readme: $command"; else
            echo "not ok $n - $readme: $command"
            sed 's/^/#   /' out | head
            failed=1
        fi
    done <<<"$commands"
done
[ "$n" -gt 20 ] || { echo "not ok - the README files have no commands"; failed=1; }
echo "1..$n"
exit ${failed:-0}

#!/usr/bin/env bash
# readme.sh - runs the commands of the tutorial and of every README, in order, as a newcomer would, and compares what stands below them with what
# they print; in TAP. Those of the folders begin with the shipped data.
cd "$(dirname "$0")/../.." || exit 1
root=$PWD
export PATH=$root/${BUILD:-build}:$PATH ABDB_PATH=/nonexistent
top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
n=0
tap() { # NAME: how the last command ended; what there is to say lies in $top/out
    local status=$?
    n=$((n + 1))
    [ $status = 0 ] && { echo "ok $n - $1"; return; }
    echo "not ok $n - $1"
    awk '{ line[NR] = $0 } END { for (i = 1; i <= NR; i++) if (i <= 10 || i > NR - 5) print "#   " line[i] }' "$top/out"
    failed=1
}
# Do lines of $top/out begin as those of $top/shown, in this order? Of a line that ends in … the word before it is not compared: it may be an age.
prints() {
    awk '{ gsub(/ +/, " "); sub(/ $/, "") }
        NR == FNR { sub(/ ?[^ ]* …$/, ""); if (length) want[++wanted] = $0; next }
        wanted > found && index($0, want[found + 1]) == 1 { found++ }
        END { if (wanted > found) { print "does not print: " want[found + 1]; exit 1 } }' "$top/shown" "$top/out" >"$top/why" || { cp "$top/why" "$top/out"; false; }
}
run() { # FILE
    [ -n "$command" ] || return
    if [[ $command == *"--backend openblas"* || $command == "abdb run --plan"* ]] && ! command -v abdb-run-openblas >/dev/null; then
        echo "ok $((n += 1)) - $1: $command # SKIP built without openblas"
    else
        bash -c "$command" >"$top/out" 2>&1 </dev/null && { [ ! -s "$top/shown" ] || prints; }
        tap "$1: $command"
    fi
}
abdb import -q --db "$top/shipped.db" data
for readme in README.md TUTORIAL.md */README.md; do
    dir=$top/${readme%.md}
    mkdir -p "$dir"
    cd "$dir" || exit 1
    [[ $readme == */* ]] && cp "$top/shipped.db" abdb.db
    [ $readme != README.md ] || ln -s "$root/data" data # its reader is in the tree, the tutorial's in an empty folder
    while IFS= read -r line; do
        if [[ $line == "$ "* ]]; then
            run "$readme"
            command=${line#"$ "}
            : >"$top/shown"
        else printf '%s\n' "$line" >>"$top/shown"; fi
    done < <(awk '/^```console/ { on = 1; next } /^```/ { if (on) print "$ "; on = 0 } on' "$root/$readme")
done
[ "$n" -gt 20 ] || { echo "not ok - the README files have no commands"; failed=1; }
# the words of the tutorial beside its commands: options and views are the program's
cd "$top/TUTORIAL" || exit 1
for verb in $(abdb help | sed -n 's/^  \([a-z-]*\) .*/\1/p'); do abdb help "$verb"; done >"$top/help" 2>&1
abdb query --schema >>"$top/help"
grep -oE -- '(--[a-z-]+|\bv_[a-z_]+)' "$root/TUTORIAL.md" | sort -u | while read -r word; do
    grep -qwF -- "$word" "$top/help" || echo "TUTORIAL.md says $word, which abdb does not have"
done >"$top/out"
[ ! -s "$top/out" ]
tap "options and views of the tutorial are the program's"
echo "1..$n"
exit ${failed:-0}

#!/usr/bin/env bash
# check.sh - make check-ports: each part on its own, in turn. A part that fails does not stop the others; at the end stands a table of all
# parts. Exit 1 if one failed. check.sh [PART...]: these parts only. What a part printed is kept in $BUILD/ports/PART.log.
set -uo pipefail
cd "$(dirname "$0")/../.."
export BUILD=${BUILD:-build}
logs=$BUILD/ports
mkdir -p "$logs"
all=(build postgresql citus citus-cli spark arm64 compilers locale office hosts slurm musl without big sqlite packages)
names=("$@")
[ $# -gt 0 ] || names=("${all[@]}")
for name in "${names[@]}"; do
    [[ " ${all[*]} " == *" $name "* ]] || { echo "no part '$name': ${all[*]}" >&2; exit 2; }
done

# The part of that name, as TAP.
run_part() {
    case $1 in
    build)
        echo "1..1"
        if make -s all; then echo "ok 1 - make"; else echo "not ok 1 - make"; return 1; fi
        ;;
    citus) CITUS=1 bash tests/ports/postgresql.sh ;;
    citus-cli)
        bash tests/ports/citus_server.sh here || { echo "1..0 # SKIP Citus is not installed"; return 0; }
        CITUS=1 bats --tap tests/cli/warehouse.bats tests/cli/scale.bats
        ;;
    *) bash "tests/ports/$1.sh" ;;
    esac
}

# Reads the TAP of a part that ended with that code: "pass", "fail" or "skipped", a tab, and why. Tests that are fewer than the plan, and
# no plan at all, are failures.
judge() { # LOG CODE
    awk -v code="$2" '
        /^1\.\.0/ { whole = $0; sub(/^1\.\.0( # SKIP)? */, "", whole); skipped = 1 }
        /^1\.\.[0-9]+/ { plan = substr($1, 4) + 0; planned = 1 }
        /^ok / { count++ }
        /^not ok / { count++; if (!/# (TODO|SKIP|skip)/) { if (!failed++) first = $0; sub(/^not ok [0-9]+ (- )?/, "", first) } }
        /# (SKIP|skip) / { part = $0; sub(/^.*# (SKIP|skip) /, "", part); if (!skipped && !seen[part]++) without = without (without ? "; " : "") part }
        END {
            if (failed) print "fail\t" failed " of " (planned ? plan : count) ": " first
            else if (!planned) print "fail\tended with code " code " before its tests"
            else if (count < plan) print "fail\tended with code " code " after " count + 0 " of " plan " tests"
            else if (code != 0) print "fail\tended with code " code
            else if (skipped) print "skipped\t" whole
            else print "pass\t" count " tests" (without ? "; without: " without : "")
        }' "$1"
}

table=()
failed=0
print_table() {
    printf '\n%-12s %-8s %6s  %s\n' part result s what
    for row in "${table[@]}"; do
        IFS=$'\t' read -r name result seconds what <<<"$row"
        printf '%-12s %-8s %6s  %s\n' "$name" "$result" "$seconds" "$what"
    done
    for name in "${names[@]:${#table[@]}}"; do printf '%-12s %-8s %6s  %s\n' "$name" "not run" - "stopped before it"; done
}
# stopped by hand, the table still comes; the part at hand is among those that did not run
trap 'print_table; exit 130' INT TERM HUP
for name in "${names[@]}"; do
    echo "# $name"
    begin=$SECONDS
    run_part "$name" 2>&1 | tee "$logs/$name.log"
    code=${PIPESTATUS[0]}
    IFS=$'\t' read -r result what < <(judge "$logs/$name.log" "$code")
    [ "$result" != fail ] || failed=1
    table+=("$name"$'\t'"$result"$'\t'"$((SECONDS - begin))"$'\t'"$what")
done
print_table
exit $failed

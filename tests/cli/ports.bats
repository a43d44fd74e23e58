#!/usr/bin/env bats
# ports.bats - make check-ports: its parts do not stop one another, and its table has all of them; what a test needs is built for it.
load common

# A tree with tests/ports/check.sh and the parts as written here: NAME <<script.
tree() {
    mkdir -p tree/tests/ports
    cp "$root/tests/ports/check.sh" tree/tests/ports/
}
part() { cat >"tree/tests/ports/$1.sh"; }
# The row of a part in the table, with single blanks and without its seconds.
row() { sed '1,/^part /d' <<<"$output" | tr -s ' ' | sed -n "s/^\($1 [a-z ]*\) [0-9-][0-9]* /\1 /p"; }

@test "check.sh gives each part a row in the table, after failed and killed parts too" {
    tree
    part locale <<<'echo 1..2; echo "ok 1 - a"; echo "not ok 2 - measured times"; exit 1'
    part hosts <<<'echo "1..0 # SKIP only root makes network namespaces"'
    part slurm <<<'echo 1..7; echo "ok 1 - three nodes"; echo "Bail out!"; exit 1'
    part musl <<<'kill -9 $$'
    part without <<<'echo 1..2; echo "ok 1 - a"; echo "ok 2 - b # SKIP no gnuplot"'
    part big <<<'echo 1..1; echo "ok 1 - a"; exit 3'
    part packages <<<'echo "ok 1 - a"; echo "# SKIP the wheel: apt-get install python3-wheel"; echo 1..1'
    BUILD=$dir/b run tree/tests/ports/check.sh locale hosts slurm musl without big packages
    [ "$status" = 1 ]
    same "$(row locale)" "locale fail 1 of 2: measured times"
    same "$(row hosts)" "hosts skipped only root makes network namespaces"
    same "$(row slurm)" "slurm fail ended with code 1 after 1 of 7 tests"
    same "$(row musl)" "musl fail ended with code 137 before its tests"
    same "$(row without)" "without pass 2 tests; without: no gnuplot"
    same "$(row big)" "big fail ended with code 3"
    same "$(row packages)" "packages pass 1 tests; without: the wheel: apt-get install python3-wheel"
}

@test "check.sh exits with 0 for success and 2 for an unknown part; after a stop the table names the rest" {
    tree
    for name in locale big; do part $name <<<'echo 1..1; echo "ok 1 - a"'; done
    BUILD=$dir/b run tree/tests/ports/check.sh locale big
    [ "$status" = 0 ]
    BUILD=$dir/b run tree/tests/ports/check.sh lokale
    fails 2 "no part 'lokale'"
    part hosts <<<'kill -INT $PPID; echo 1..1; echo "ok 1 - a"; sleep 0.2'
    part slurm <<<'kill -TERM $(ps -o ppid= $PPID); echo 1..1; sleep 0.2'
    BUILD=$dir/b run tree/tests/ports/check.sh locale slurm big
    [ "$status" = 130 ]
    same "$(row locale)" "locale pass 1 tests"
    same "$(row slurm)" "slurm not run stopped before it"
    same "$(row big)" "big not run stopped before it"
}

@test "every script of ports/ is a part of check.sh and of the README" {
    for script in "$root"/tests/ports/*.sh; do
        name=$(basename "$script" .sh)
        case $name in check | ok | sysroot | *_server) continue ;; esac
        grep -q "^all=(.*\b$name\b" "$root/tests/ports/check.sh"
        grep -q "\`$name.sh\`" "$root/tests/ports/README.md"
    done
}

@test "every test builds the programs that plain make leaves out" {
    # what is below the build folder and is not made by `make`: unit/, bench/, emulated/
    grep -rlE '\$\{?(build|BUILD)\}?"?/(unit|bench|emulated)/' "$root"/tests --include=*.bats --include=*.sh --include=*.bash >users
    [ "$(wc -l <users)" -ge 5 ]
    while read -r file; do
        grep -qE 'need_built|build_targets\.sh|make .*(unit|emulated|\$program)' "$file" || { echo "$file builds nothing"; false; }
    done <users
}

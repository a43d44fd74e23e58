#!/usr/bin/env bats
# ignored.bats - what tests/checks/ignored_failures.pl looks for is found: assertions that look as if they failed a test, and cannot; and no others.
load common

@test "the check finds negated commands, and lists with their test before the end" {
    while IFS= read -r line; do
        printf '#!/usr/bin/env bats\n@test "a" {\n    %s\n    true\n}\n' "$line" >wrong.bats
        # it is what it is taken for: bats passes it, though nothing of it is true
        (echo >there; exec bats wrong.bats) >said 2>&1 3>&- || { cat said; false; }
        same "$(perl "$root/tests/checks/ignored_failures.pl" wrong.bats | cut -d: -f1-2)" "wrong.bats:3"
    done <<'W'
! true
! echo a | grep -q a
LC_ALL=C; ! grep -q '' there
for i in 1 2; do ! [ -e there ]; true; done
[ -e nowhere ] && [ -e there ]
[[ a = b ]] && grep -q '' there
grep -qs a nowhere && ! [ -e nowhere ]
true && [ -e nowhere ] && grep -q '' there
[ 1 = 1 ] || { [ 1 = 2 ]; }; [ 1 = 2 ] && [ 1 = 1 ]
[ 1 = 2 ] || { i=1 && [ "$i" = 2 ] && grep -q a there; }
W
    printf 'set -euo pipefail\nf() {\n    ! grep -q a b |\n        grep c\n    true\n}\n' >wrong.sh
    same "$(perl "$root/tests/checks/ignored_failures.pl" wrong.sh | cut -d: -f1-2)" "wrong.sh:4"
}

@test "the check accepts commands with a failure that counts" {
    sed 's/^%/@/' >right.bats <<'R' # bats would take it for a test of this file
%test "a" { # ! nobody's command
    ! true || { echo "it's no"; false; }
    ! true ||
        false
    [ -e a ] && [ -e b ] || false
    [ $code = 0 ] || { [ $code = 6 ] && grep -q memory err; } || { cat err; return 1; }
    [ -e a ] && i=1
    if [ -e a ] && ! [ -e b ]; then i=2; fi
    while ! [ -e a ] && [ -e b ]; do break; done
    [[ a = a && ! -e b ]]
    echo '
! true' "$(! true && [ "a" = ")" ])" \
        "[ a ] && [ b ]"
    cat <<'X'
! true
[ a ] && [ b ]
X
    no grep -q a b
}
R
    silent perl "$root/tests/checks/ignored_failures.pl" right.bats
    printf 'set -u\n! true\ntrue\n' >asked.sh # set -e is not on
    silent perl "$root/tests/checks/ignored_failures.pl" asked.sh
}

@test "no and silent fail for a command that cannot answer" {
    echo a >file
    no grep -q b file
    run no grep -q a file
    fails 1 "exit 0, not 1: grep -q a file"
    run no grep -q b nowhere
    fails 1 "exit 2, not 1: grep"
    silent true
    run silent echo a
    fails 1 "'a' is not ''"
    run silent false
    fails 1 "exit 1: false"
    run silent ask "SELECT nonsense"
    [ "$status" = 1 ]
}

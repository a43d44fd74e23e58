#!/usr/bin/env bats
# ledger.bats - what campaigns did adds up, by commit, target and day, and the table of the README is made of it.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    export LEDGER=$BATS_TEST_TMPDIR/a.tsv LEDGER_SHIPPED=$BATS_TEST_TMPDIR/b.tsv LEDGER_README=$BATS_TEST_TMPDIR/c.md
}

@test "stretches of a campaign add up, also those that end at once" {
    for i in 1 2 3 4; do tests/ledger.sh add fuzz csv 1000 0 60 & done
    wait
    tests/ledger.sh add fuzz map 7 1 1
    tests/ledger.sh add kills csv 5 0 1
    [ "$(tests/ledger.sh count fuzz csv)" = 4000 ]
    [ "$(tests/ledger.sh count fuzz map)" = 7 ]
    [ "$(tests/ledger.sh count fuzz none)" = 0 ]
    [ "$(wc -l <"$LEDGER")" = 3 ]
}

@test "what is shipped counts on, and the table says what came after the last finding" {
    printf 'before\n<!-- campaigns: here -->\nold\n<!-- end of campaigns -->\nafter\n' >"$LEDGER_README"
    printf 'aaa\tfuzz\tcsv\t100\t2\t3600\t2026-01-02\nbbb\tfuzz\tcsv\t1234567\t0\t3600\t2026-01-03\n' >"$LEDGER_SHIPPED"
    tests/ledger.sh add fuzz csv 1 0 1
    tests/ledger.sh add fuzz-coverage csv 60 407 61 # seconds and edges, no findings
    tests/ledger.sh ship
    [ ! -e "$LEDGER" ]
    [ "$(tests/ledger.sh count fuzz csv)" = 1234668 ]
    grep -qF "| fuzz | csv | 1,234,668 | 1,234,568 | 2 | 120 | 3 | $(date -u +%F) |" "$LEDGER_README"
    [ "$(grep -c . "$LEDGER_README")" = 7 ]
    [ "$(grep -c old "$LEDGER_README")" = 0 ]
    cp "$LEDGER_README" "$LEDGER_README.1"
    tests/ledger.sh ship
    cmp "$LEDGER_README" "$LEDGER_README.1"
}

@test "what came after the last finding is told apart within a day, too" {
    for found in 0 1 0 0; do tests/ledger.sh add fuzz csv 10 $found 1; done
    [ "$(tests/ledger.sh since fuzz csv)" = 20 ]
    [ "$(tests/ledger.sh count fuzz csv)" = 40 ]
    [ "$(wc -l <"$LEDGER")" = 2 ]
    tests/ledger.sh add fuzz csv 10 3 1
    [ "$(tests/ledger.sh since fuzz csv)" = 0 ]
    [ "$(cut -f4,5,6 "$LEDGER")" = "50	4	5" ]
    [ "$(tests/ledger.sh since fuzz none)" = 0 ]
}

@test "words that are no numbers, and a damaged ledger, are refused" {
    run tests/ledger.sh add fuzz csv many 0 1
    [ "$status" = 2 ]
    echo nonsense >"$LEDGER"
    run tests/ledger.sh table
    [ "$status" != 0 ]
    [[ $output == *"a line that is none: nonsense"* ]]
}

@test "the table of tests/README.md is what the ledger that is shipped says" {
    LEDGER=/dev/null LEDGER_SHIPPED=tests/campaigns.tsv tests/ledger.sh table >"$BATS_TEST_TMPDIR/made"
    sed -n '/^<!-- campaigns: /,/^<!-- end of campaigns/{//!p}' tests/README.md | diff - "$BATS_TEST_TMPDIR/made"
}

@test "a ledger that is no file stays what it is" {
    mkfifo "$BATS_TEST_TMPDIR/pipe"
    LEDGER=$BATS_TEST_TMPDIR/pipe tests/ledger.sh add fuzz csv 1 0 1
    [ -p "$BATS_TEST_TMPDIR/pipe" ]
}

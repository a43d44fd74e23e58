#!/usr/bin/env bats
# ledger.bats - what campaigns did adds up, by commit, target and day, and the table of README.md is made of it.

setup() {
    cd "$BATS_TEST_DIRNAME/../.." || return 1
    export LEDGER=$BATS_TEST_TMPDIR/a.tsv LEDGER_SHIPPED=$BATS_TEST_TMPDIR/b.tsv LEDGER_PAGE=$BATS_TEST_TMPDIR/c.md
}

@test "parts of a campaign add up in the ledger, also when they end at the same time" {
    for i in 1 2 3 4; do tests/campaigns/ledger.sh add fuzz csv 1000 0 60 & done
    wait
    tests/campaigns/ledger.sh add fuzz map 7 1 1
    tests/campaigns/ledger.sh add kills csv 5 0 1
    [ "$(tests/campaigns/ledger.sh count fuzz csv)" = 4000 ]
    [ "$(tests/campaigns/ledger.sh count fuzz map)" = 7 ]
    [ "$(tests/campaigns/ledger.sh count fuzz none)" = 0 ]
    [ "$(wc -l <"$LEDGER")" = 3 ]
}

@test "shipped entries stay in the totals; the table has the amount since the last finding" {
    printf 'before\n<!-- campaigns: here -->\nold\n<!-- end of campaigns -->\nafter\n' >"$LEDGER_PAGE"
    printf 'aaa\tfuzz\tcsv\t100\t2\t3600\t2026-01-02\nbbb\tfuzz\tcsv\t1234567\t0\t3600\t2026-01-03\n' >"$LEDGER_SHIPPED"
    tests/campaigns/ledger.sh add fuzz csv 1 0 1
    tests/campaigns/ledger.sh add fuzz-coverage csv 60 407 61 # seconds and edges, no findings
    tests/campaigns/ledger.sh ship
    [ ! -e "$LEDGER" ]
    [ "$(tests/campaigns/ledger.sh count fuzz csv)" = 1234668 ]
    tests/campaigns/ledger.sh table | grep -qF "| fuzz | csv | 1,234,668 | 1,234,568 | 2 | 120 | 3 | $(date -u +%F) |"
    grep -qF "| fuzz | 1 | 1,234,668 | 2 | 1,234,568 (csv) | 120 | $(date -u +%F) |" "$LEDGER_PAGE"
    [ "$(grep -c . "$LEDGER_PAGE")" = 7 ]
    [ "$(grep -c old "$LEDGER_PAGE")" = 0 ]
    cp "$LEDGER_PAGE" "$LEDGER_PAGE.1"
    tests/campaigns/ledger.sh ship
    cmp "$LEDGER_PAGE" "$LEDGER_PAGE.1"
}

@test "the amount since the last finding is right within one day" {
    for found in 0 1 0 0; do tests/campaigns/ledger.sh add fuzz csv 10 $found 1; done
    [ "$(tests/campaigns/ledger.sh since fuzz csv)" = 20 ]
    [ "$(tests/campaigns/ledger.sh count fuzz csv)" = 40 ]
    [ "$(wc -l <"$LEDGER")" = 2 ]
    tests/campaigns/ledger.sh add fuzz csv 10 3 1
    [ "$(tests/campaigns/ledger.sh since fuzz csv)" = 0 ]
    [ "$(cut -f4,5,6 "$LEDGER")" = "50	4	5" ]
    [ "$(tests/campaigns/ledger.sh since fuzz none)" = 0 ]
}

@test "words in place of numbers, and a damaged ledger, are refused" {
    run tests/campaigns/ledger.sh add fuzz csv many 0 1
    [ "$status" = 2 ]
    echo nonsense >"$LEDGER"
    run tests/campaigns/ledger.sh table
    [ "$status" != 0 ]
    [[ $output == *"a line that is none: nonsense"* ]]
}

@test "the summary has a row for each campaign with its least tested target since the last finding" {
    printf 'aaa\tfuzz\tcsv\t2000\t0\t600\t2026-01-02\naaa\tfuzz\tmap\t50000\t1\t60\t2026-01-03\nbbb\tfuzz\tmap\t1500\t0\t60\t2026-01-04\n' >"$LEDGER_SHIPPED"
    printf 'aaa\tkills\timport\t7\t0\t60\t2026-01-01\naaa\tfuzz-coverage\tcsv\t9\t9\t60\t2026-01-05\n' >>"$LEDGER_SHIPPED"
    [ "$(tests/campaigns/ledger.sh summary | tail -n +3)" = "| fuzz | 2 | 53,500 | 1 | 1,500 (map) | 12 | 2026-01-04 |
| kills | 1 | 7 | 0 | 7 (import) | 1 | 2026-01-01 |" ]
}

@test "the table of tests/campaigns/README.md equals the summary of the shipped ledger" {
    LEDGER=/dev/null LEDGER_SHIPPED=tests/campaigns/ledger.tsv tests/campaigns/ledger.sh summary >"$BATS_TEST_TMPDIR/made"
    sed -n '/^<!-- campaigns: /,/^<!-- end of campaigns/{//!p}' tests/campaigns/README.md | diff - "$BATS_TEST_TMPDIR/made"
}

@test "a ledger that is a pipe stays a pipe" {
    mkfifo "$BATS_TEST_TMPDIR/pipe"
    LEDGER=$BATS_TEST_TMPDIR/pipe tests/campaigns/ledger.sh add fuzz csv 1 0 1
    [ -p "$BATS_TEST_TMPDIR/pipe" ]
}

#!/usr/bin/env bats
# refresh.bats - importers have versions; what an older one read is read again; shipped withdrawals.
load common

@test "an artifact records the version of its importer; maps count for tables" {
    abdb import -q "$fixtures/tables.md" "$fixtures/osu.txt" || true
    maps=("$root"/ingest/maps/*.map)
    raised=$(cat "${maps[@]}" | awk '$1 == "version" { n += $2 - 1 } END { print n + 0 }')
    same "$(sqlite3 t.db "SELECT importer FROM artifact WHERE format = 'table'")" $((1 + ${#maps[@]} + raised))
    [ "$(sqlite3 t.db "SELECT importer FROM artifact WHERE format = 'osu'")" -ge 1 ]
    same "$(sqlite3 t.db "SELECT count(*) FROM artifact WHERE importer < 1")" 0

    # a map of one's own may say its version; other words are refused by line
    printf 'name mine\nversion 3\nmatch Card Rate\nfield device column Card\nset workload gemm\nmetric tokens_per_s column Rate unit token/s\n' >my.map
    printf 'Card,Rate\nL4,12\n' >t.csv
    run abdb import --map my.map t.csv
    fails 0 "1 accepted"
    sed 's/version 3/version three/' my.map >bad.map
    run abdb import --map bad.map t.csv
    fails 6 "line 2: version wants a number from 1 on, not three"
}

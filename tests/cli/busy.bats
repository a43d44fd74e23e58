#!/usr/bin/env bats
# busy.bats - a second writer waits for the first, says so once, and gives up when --busy is over.
load common

# Holds the write lock of t.db for so many seconds; returns when it has it.
hold() { # SECONDS
    python3 -c "
import sqlite3, sys, time
c = sqlite3.connect('t.db', isolation_level=None)
c.execute('BEGIN IMMEDIATE')
open('held', 'w').close()
time.sleep($1)
c.execute('COMMIT')" 3>&- &
    holder=$!
    until [ -e held ]; do sleep 0.02; done
    rm held
}

@test "--busy: a writer gives up after the given seconds, with exit 6 and advice" {
    abdb init
    hold 4
    run abdb import --busy 0.5 "$fixtures/results.csv"
    fails 6 "t.db: another program is still writing after 0.5 s"
    fails 6 "wait longer with --busy SECONDS"
    [[ "$output" != *"; waiting"* ]] # not a second was waited
    run abdb withdraw x --reason y --busy 0
    fails 6 "still writing after 0 s"
    wait $holder
    same "$(ask "SELECT count(*) FROM v_artifact WHERE artifact LIKE '%results.csv'")" 0
}

@test "a writer without --busy waits, reports this in one line, and does its work" {
    abdb init
    hold 10.5 # longer than any other patience
    run abdb import "$fixtures/results.csv"
    fails 0 "abdb: another program is writing to $ABDB_DB; waiting (--busy 300)"
    same "$(grep -c waiting <<<"$output")" 1
    [ "$(ask "SELECT count(*) FROM v_artifact WHERE artifact LIKE '%results.csv'")" -eq 1 ]
    wait $holder
    hold 1.5
    run abdb import -q "$fixtures/osu.txt"
    [[ "$output" != *waiting* ]]
    wait $holder
}

@test "init, merge, withdraw and run wait for another writer; a wrong --busy is refused" {
    abdb import -q "$fixtures/results.csv"
    abdb import -q "$fixtures/osu.txt" --db other.db
    for verb in "init" "merge other.db" "withdraw osu.txt --reason test"; do
        hold 1.3
        run abdb $verb
        [ "$status" -eq 0 ] || { echo "$verb: $output"; return 1; }
        wait $holder
    done
    if [ -x "$build/abdb-run-ref" ]; then
        hold 2
        run abdb run -k stream -a n=100 -b ref --quick --busy 0.2
        fails 6 "still writing after 0.2 s"
        wait $holder
    fi
    for wrong in -1 soon ""; do
        run abdb import "$fixtures/results.csv" --busy "$wrong"
        fails 2 "--busy wants seconds, not '$wrong'"
    done
}

@test "two imports at once are both completed in either order" {
    for i in $(seq 40); do sed "s/10000.5/1000$i.5/" "$fixtures/checker.csv" >"a$i.csv"; done
    mkdir one two
    mv a1?.csv a2?.csv one
    mv a*.csv two
    abdb import -q one &
    first=$!
    abdb import -q two
    wait $first
    same "$(ask "SELECT count(*) FROM v_artifact WHERE artifact LIKE '%/a%.csv'")" 40
}

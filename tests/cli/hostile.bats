#!/usr/bin/env bats
# hostile.bats - push and pull with a store that breaks its protocol: they end soon, in little memory, with a message of plain text, and the
# database is as it was.
load common

need_liar() {
    filled "$fixtures/checker.csv" "$fixtures/results.csv" "$fixtures/specs.csv"
    mv t.db held.db
    mkdir liar
    cp "$build/abdb" liar/
    cp "$root/tests/backends/hostile_store.py" liar/abdb-store-pg
    export HELD=$dir/held.db WAY MARK=$((RANDOM + 100000))
}
# The verb ends with exit code 6 and those words within its time and 700 MiB; nothing lives on, and the file is as it was, or not there.
refuses() { # WORDS VERB OPTION...
    local words=$1 before=
    shift
    [ ! -e t.db ] || before=$(sha256sum <t.db)
    run timeout 60 python3 -c '
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL).returncode
most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
sys.exit(code if most < 700 * 1024 else f"{most} KiB of memory")' "$dir/liar/abdb" "$1" postgresql://h/d "${@:2}"
    echo "way $WAY"
    fails 6 "$words"
    [ "${#output}" -lt 400000 ]
    same "$(printf %s "$output" | tr -d '\n' | LC_ALL=C tr -cd '\000-\037\177' | od -An -tx1)" ""
    [ -z "$before" ] || same "$(sha256sum <t.db)" "$before"
    [ -n "$before" ] || [ ! -e t.db ]
    silent find . -maxdepth 1 -name 't.db-*'
    no pgrep -f "$dir/liar/abdb-store-pg"
}

@test "pull ends for a store with an endless line, endless rows, silence or extra rows" {
    need_liar
    WAY=line refuses "the store answered a line of more than 256 MiB" pull
    WAY=rows refuses "not done after 2 s: --timeout" pull --timeout 2
    WAY=drip refuses "not done after 2 s: --timeout" pull --timeout 2
    WAY=mute refuses "the store has answered nothing for 1 s: it is taken for dead; --wait" pull --wait 1
    WAY=silent refuses "the store has answered nothing for 1 s" pull --wait 1
    WAY=unasked refuses "more rows than were asked for" pull
    cp held.db t.db
    WAY=more refuses "more rows than were asked for" push
    WAY=mute refuses "the store has answered nothing for 1 s" push --wait 1
}

@test "push ends for a store that does not read its input" {
    need_liar
    abdb init --db t.db >/dev/null
    for n in {1..40000}; do echo "device-of-a-long-name-for-rows-that-fill-a-pipe-$n,alias-of-it-$n"; done | sqlite3 t.db ".mode csv" ".import /dev/stdin x" 2>/dev/null || true
    sqlite3 t.db "DROP TABLE IF EXISTS x; INSERT INTO source (source, kind) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 20000) SELECT 'a-source-of-a-long-name-' || i, 'user' FROM n"
    WAY=deaf refuses "the store has " push --wait 1
}

@test "pull refuses rows of wrong length, type or encoding from a store" {
    need_liar
    WAY=short refuses "the store answered a row of" pull
    WAY=long refuses "the store answered a row of" pull
    WAY=type refuses "the store answered '12abc' where a number belongs" pull
    WAY=huge refuses "the store answered '99999999999999999999' where a number belongs" pull
    WAY=null refuses "the store answered a row of description that cannot be: NOT NULL" pull
    WAY=nul refuses "a line with a NUL" pull
    WAY=bytes refuses "a row that is not UTF-8" pull
    WAY=array refuses "where a number belongs" pull
    WAY=middle refuses "the rows are over" pull
    WAY=dies refuses "the store ended without an answer" pull
    WAY=dead refuses "the store ended without an answer" pull
    WAY=status refuses "the store answered what is no answer" pull
    abdb init --db t.db >/dev/null # and so it is where there is a database
    for WAY in null type array middle; do refuses "" pull; done
    WAY=braces run timeout 60 "$dir/liar/abdb" pull postgresql://h/d # samples of no result belong to none
    fails 0 "entries new"
}

@test "terminal sequences and a flood of text from a store do not reach the terminal" {
    need_liar
    WAY=screen refuses '\u001b]0;owned\u0007' pull
    WAY=giant refuses "xxxxxxxx" pull
    WAY=words run timeout 60 liar/abdb pull postgresql://h/d
    fails 0 "abdb-store-pg says more on standard error: it is dropped"
    [ "${#output}" -lt 300000 ]
    # on a terminal its words are plain
    WAY=screen-words run script -qec "liar/abdb pull postgresql://h/d" /dev/null
    [[ "$output" == *'\u001b]0;owned\u0007\u001b[2J\u202e'* ]]
    [[ "$output" != *$'\e]0;owned'* ]]
}

@test "a process left behind by a store, and a store that does not end, are ended" {
    need_liar
    WAY=leaves run liar/abdb pull postgresql://h/d
    fails 0 "the store left processes behind, which were ended: sleep ("
    no pgrep -f "sleep $MARK"
    WAY=stays run timeout 20 liar/abdb pull postgresql://h/d
    fails 0 "entries new"
    no pgrep -f "$dir/liar/abdb-store-pg"
}

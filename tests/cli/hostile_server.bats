#!/usr/bin/env bats
# hostile_server.bats - push and pull with a PostgreSQL server that lies, floods or falls silent: they end soon, in little memory, with a message of
# plain text, and the database is as it was.
load common

setup_file() {
    export served=
    [ -x "$BATS_TEST_DIRNAME/../../${BUILD:-build}/abdb-store-pg" ] || return 0
    served=$(mktemp -d)
    ABDB_PATH=/nonexistent "$BATS_TEST_DIRNAME/../../${BUILD:-build}/abdb" import -q --db "$served/held.db" "$BATS_TEST_DIRNAME/../fixtures/"{checker.csv,results.csv,specs.csv}
    python3 "$BATS_TEST_DIRNAME/../backends/hostile_server.py" "$served/held.db" "$served" 3>&- &
    echo $! >"$served/pid"
    for ((i = 0; i < 100; i++)); do
        [ ! -e "$served/.s.PGSQL.5432" ] || break
        sleep 0.05
    done
}
teardown_file() {
    [ -z "$served" ] || kill "$(cat "$served/pid")"
    [ -z "$served" ] || rm -rf "$served"
}
need_server() {
    [ -n "$served" ] || skip "no libpq-dev when abdb was built"
}
# WAY WORDS VERB OPTION...: exit code 6 and those words, within 20 s and 1500 MiB; nothing lives on, and the file is as it was, or not there.
refuses() {
    local way=$1 words=$2 before= wait_s=15 # a busy machine is no silent server
    shift 2
    [ "$words" != "$silence" ] || wait_s=2
    [ ! -e t.db ] || before=$(sha256sum <t.db)
    begin_s=$SECONDS
    run timeout 60 python3 -c '
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdin=subprocess.DEVNULL).returncode
most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
sys.exit(code if most < 1500 * 1024 else f"{most} KiB of memory")' abdb "$1" "postgresql://u@/$way?host=$served" --wait "$wait_s" "${@:2}"
    echo "way $way"
    fails 6 "$words"
    [ $((SECONDS - begin_s)) -le 20 ]
    [ "${#output}" -lt 10000 ]
    same "$(printf %s "$output" | tr -d '\n' | LC_ALL=C tr -cd '\000-\037\177' | od -An -tx1)" ""
    [ -z "$before" ] || same "$(sha256sum <t.db)" "$before"
    [ -n "$before" ] || [ ! -e t.db ]
    silent find . -maxdepth 1 -name 't.db-*'
}
silence="the store has answered nothing for 2 s"

@test "the test server without faults works as a warehouse for pull and push" {
    need_server
    abdb pull "postgresql://u@/honest?host=$served"
    same "$(facts)" "$(facts "$served/held.db")"
    run abdb push "postgresql://u@/honest?host=$served"
    fails 0 "there already"
}

@test "pull refuses a server that fails before its first row" {
    need_server
    refuses mute "$silence" pull
    refuses refuses '\u001b]0;owned\u0007' pull
    refuses giant "connection to server" pull
    refuses auth "authentication method 99 not supported" pull
    refuses parameters "$silence" pull
    refuses old "PostgreSQL 9 is too old" pull
    refuses nonsense "is too old" pull
    refuses never-ready "$silence" pull
    refuses copies "the server answered what was not asked for" pull
}

@test "pull refuses malformed, oversized and endless answers of a server" {
    need_server
    for way in silent notices notifies; do refuses $way "$silence" pull; done
    refuses rows "$silence" pull # libpq reads on after its memory is full
    refuses length "lost synchronization with server" pull
    refuses negative "lost synchronization with server" pull
    refuses unknown "unexpected response from server" pull
    refuses garbage "" pull # in one of several ways
    refuses closes "server closed the connection" pull
    run abdb pull "postgresql://u@/null?host=$served" # NULL tables are none
    fails 2 "there is no warehouse of abdb"
    refuses text "the warehouse answered 'many' where a number belongs" pull
    refuses nul "the warehouse answered a text with a NUL" pull
    refuses wide "the warehouse answered 3 columns where 1 were asked for" pull
    refuses narrow "the warehouse answered 0 columns where 1 were asked for" pull
    refuses mismatch "unexpected field count" pull
}

@test "pull refuses malformed and endless rows of a server" {
    need_server
    refuses copy-rows "not done after 3 s: --timeout" pull --timeout 3
    refuses copy-narrow "the store answered a row of" pull
    refuses copy-wide "the store answered a row of" pull
    refuses copy-text "where a number belongs" pull
    refuses copy-null "the store answered a row of description that cannot be: NOT NULL" pull
    refuses copy-bytes "the store answered a row that is not UTF-8" pull
    refuses copy-nul "the store answered a line with a NUL" pull
    refuses copy-two "the warehouse answered a row that is not a line" pull
    refuses copy-none "the warehouse answered a row that is not a line" pull
    refuses copy-end "the warehouse answered a row that is not a line" pull
    refuses copy-less "the warehouse answered" pull
    refuses copy-error "the disk is gone" pull
    refuses copy-silent "$silence" pull
    refuses copy-length "lost synchronization with server" pull
    refuses copy-closes "server closed the connection" pull
    refuses copy-open "$silence" pull
    abdb init >/dev/null # and so it is where there is a database
    for way in copy-null copy-error copy-less copy-bytes; do refuses $way "" pull; done
}

@test "push to a server that discards its rows is an error" {
    need_server
    cp "$served/held.db" t.db
    refuses rollback "the warehouse did not commit: nothing of this transaction is kept" push
    refuses open "the warehouse did not commit: nothing of this transaction is kept" push
    refuses no-begin "the warehouse began no transaction" push
    refuses failed "the warehouse began no transaction" push
    refuses no-begin "the warehouse began no transaction" pull
    refuses deaf "$silence" push
    refuses full "no space left on device" push
    refuses added "the warehouse added 100000 rows of" push
    refuses silent "$silence" push
    refuses text "where a number belongs" push
}

#!/usr/bin/env bats
# warehouse_rights.bats - a warehouse as schema/README.md has it made: an owner who is no superuser, writers, readers, and those who are
# none; roles that come late; and `abdb push --upgrade` as the repair of whatever was dropped. One server for the file.
load common
load server

# A database that belongs to the login OWNER, who has these rights besides.
owned_by() { # DATABASE OWNER [RIGHTS]
    warehouse "$1"
    there_as_superuser "CREATE ROLE $2 LOGIN ${3-}; ALTER DATABASE $1 OWNER TO $2"
}
there_as_superuser() { psql -X -q -t -A -v ON_ERROR_STOP=1 -h "$server/server" -U abdb -d "$name" -c "$1" 2>&1; }

@test "an owner without CREATEROLE gets the missing commands; a later --upgrade grants the rights" {
    owned_by plain plain
    filled "$fixtures/summary.json" "$fixtures/records.jsonl" 2>/dev/null || true
    run abdb push "$(address plain)"
    fails 0 "CREATEROLE"
    [[ $output == *"CREATE ROLE abdb_read; CREATE ROLE abdb_write; GRANT abdb_read, abdb_write TO plain WITH ADMIN OPTION"* ]]
    run abdb push "$(address plain)"
    [[ $output != *CREATEROLE* ]] # printed once, when it is made
    there_as_superuser "CREATE ROLE member LOGIN"
    run abdb push "$(address member)"
    fails 6 "the role abdb_write that would allow it is not there"
    there_as_superuser "CREATE ROLE abdb_read; CREATE ROLE abdb_write; GRANT abdb_write TO member"
    run abdb pull "$(address member)" --db none.db
    fails 6 "member may not read this warehouse"
    run abdb push "$(address member)"
    fails 6 "has no rights in it yet; its owner plain runs"
    run abdb push "$(address plain)"
    fails 0 "have no rights in this warehouse yet"
    run abdb push "$(address member)" --upgrade
    fails 6 "has no rights in it yet"
    run abdb push "$(address plain)" --upgrade
    [ "$status" = 0 ]
    abdb push "$(address member)"
    abdb pull "$(address member)" --db back.db
    same "$(abdb export -o jsonl --db back.db | sort | sha256sum)" "$(abdb export -o jsonl | sort | sha256sum)"
    # with the option of the message the owner grants the roles to others
    there_as_superuser "GRANT abdb_read, abdb_write TO plain WITH ADMIN OPTION; CREATE ROLE later LOGIN"
    as=plain there "GRANT abdb_write TO later"
    abdb push "$(address later)"
    run abdb push "$(address member)" --upgrade
    fails 6 "--upgrade is for the owner of this warehouse, plain, not for member"
}

@test "owner with CREATEROLE, writer, reader and stranger have the rights of the documentation" {
    owned_by page keeper CREATEROLE
    there_as_superuser "DROP OWNED BY abdb_read, abdb_write"
    for role in bench grafana nobody_here; do there_as_superuser "CREATE ROLE $role LOGIN"; done
    filled "$fixtures/records.jsonl"
    run abdb push "$(address bench)"
    fails 6 "bench may not make a schema in the database page: its owner keeper pushes first, or runs GRANT CREATE ON DATABASE page TO bench"
    abdb push "$(address keeper)"
    as=keeper there "GRANT abdb_write TO bench; GRANT abdb_read TO grafana"
    run abdb push "$(address grafana)"
    fails 6 "grafana may not add to this warehouse: grafana is no member of the role abdb_write; an administrator or whoever made that role runs GRANT abdb_write TO grafana"
    run abdb pull "$(address nobody_here)" --db n.db
    fails 6 "GRANT abdb_read TO nobody_here"
    [ ! -e n.db ]
    abdb push "$(address bench)"
    abdb pull "$(address grafana)" --db g.db
}

# Every object of a warehouse, by its kind: what a repair must bring back.
objects() {
    as=abdb there "SELECT 'relation ' || relkind::text || ' ' || relname FROM pg_class WHERE relnamespace = 'abdb'::regnamespace
      UNION ALL SELECT 'routine ' || oid::regprocedure FROM pg_proc WHERE pronamespace = 'abdb'::regnamespace
      UNION ALL SELECT 'constraint ' || conrelid::regclass || ' ' || pg_get_constraintdef(oid) FROM pg_constraint WHERE connamespace = 'abdb'::regnamespace
      UNION ALL SELECT 'right ' || table_name || ' ' || column_name || ' ' || grantee || ' ' || privilege_type FROM information_schema.column_privileges
                 WHERE table_schema = 'abdb' AND grantee IN ('abdb_read', 'abdb_write')
      UNION ALL SELECT 'right ' || routine_name || ' ' || grantee FROM information_schema.routine_privileges WHERE routine_schema = 'abdb'" |
        sed 's/[0-9]*_not_null//' | LC_ALL=C sort
}

@test "push --upgrade restores dropped tables, views, indexes, functions and rights" {
    warehouse repair
    filled "$fixtures"/*.csv "$fixtures/summary.json" "$fixtures/records.jsonl" 2>/dev/null || true
    abdb push "$url" >/dev/null
    objects >before
    [ "$(wc -l <before)" -gt 200 ] || { head -5 before; false; }
    there "SELECT format('DROP TABLE %I CASCADE', relname) FROM pg_class WHERE relnamespace = 'abdb'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
      UNION ALL SELECT format('DROP VIEW %I CASCADE', viewname) FROM pg_views WHERE schemaname = 'abdb' AND viewname IN ('v_result', 'v_note')
      UNION ALL SELECT format('DROP FUNCTION %s CASCADE', oid::regprocedure) FROM pg_proc WHERE pronamespace = 'abdb'::regnamespace AND proname IN ('months', 'count_again', 'printed')
      UNION ALL SELECT format('ALTER TABLE %s DROP CONSTRAINT %I', conrelid::regclass, conname) FROM pg_constraint
                 WHERE connamespace = 'abdb'::regnamespace AND contype = 'p' AND conrelid::regclass::text IN ('entry_row', 'spec', 'result_row')
      UNION ALL SELECT format('DROP INDEX %I', indexname) FROM pg_indexes WHERE schemaname = 'abdb' AND indexname IN ('result_by_id', 'note_target')
      UNION ALL SELECT 'REVOKE ALL ON ALL TABLES IN SCHEMA abdb FROM abdb_read, abdb_write'" >changes
    [ "$(wc -l <changes)" -gt 50 ]
    each=${EACH_CHANGE:+1} # EACH_CHANGE=1: all of them, one after the other; else a draw
    { grep -E 'entry_row|result_row|TABLE (warehouse|column_doc|arrival|chunk|name|rank) |VIEW|FUNCTION|INDEX|REVOKE' changes
      [ -z "$each" ] || cat changes; } | awk '!seen[$0]++' >drawn
    while read -r change; do
        there "$change" >/dev/null
        run abdb push "$url" # before: a sentence with the next step, or nothing is in the way
        [ "$status" = 0 ] || [[ $status = 6 && $output == *"push --upgrade"* ]] || { echo "$change: $status $output"; false; }
        run abdb pull "$url" --db before.db
        [ "$status" = 0 ] || [[ $status = 6 && $output == *"push --upgrade"* ]] || { echo "$change: $status $output"; false; }
        run abdb push "$url" --upgrade
        [ "$status" = 0 ] || { echo "$change: $output"; false; }
        objects | diff before - >lacking || { echo "$change:"; cat lacking; false; }
        run abdb push "$url"
        [ "$status" = 0 ] || { echo "$change: $output"; false; }
        rm -f before.db back.db
        run abdb pull "$url" --db back.db
        [ "$status" = 0 ] || { echo "$change: $output"; false; }
    done <drawn
}

@test "a dropped table of entries is filled by the next push, and lost rows are reported" {
    warehouse again
    filled "$fixtures/summary.json" "$fixtures/records.jsonl" 2>/dev/null || true
    abdb push "$url" >/dev/null
    there "DROP TABLE entry_row CASCADE" >/dev/null
    run abdb push "$url" --upgrade
    fails 0 "tables that were not there and are empty now: entry_row"
    abdb pull "$url" --db back.db
    same "$(abdb export -o jsonl --db back.db | sort | sha256sum)" "$(abdb export -o jsonl | sort | sha256sum)"
    there "DROP TABLE sample_row CASCADE" >/dev/null
    run abdb push "$url" --upgrade
    fails 0 "not what belonged to entries that are still there"
}

@test "a failed derivation blocks no other client from deriving" {
    warehouse deriving
    filled "$fixtures/records.jsonl"
    abdb push "$url" >/dev/null
    there "INSERT INTO arrival (brought) VALUES ('name')"
    mkfifo in
    "$build/abdb-store-pg" <in >out &
    exec 7>in
    answered() { for ((i = 0; i < 100; i++)); do [ "$(grep -c '^\\\.' out)" -lt "$1" ] || return 0; sleep 0.1; done; cat out; return 1; }
    printf 'open\t%s\tmake\nsettle\n' "$url" >&7
    answered 2
    same "$(tail -1 out | cut -f2)" ok
    same "$(there "SELECT pg_try_advisory_lock(7091, 2)" | tail -1)" f # it derives, alone
    printf 'derived\tnothing\tcolumn\n\\.\n' >&7
    answered 3
    same "$(tail -1 out | cut -f2)" error
    same "$(there "SELECT pg_try_advisory_lock(7091, 2)" | tail -1)" t
    exec 7>&-
    wait
}

@test "a schema abdb with foreign tables is refused unchanged; an empty one is used" {
    warehouse others
    there_as_superuser "CREATE SCHEMA abdb; CREATE TABLE abdb.theirs (x INT); INSERT INTO abdb.theirs VALUES (1)"
    filled "$fixtures/records.jsonl"
    for how in "" --upgrade; do
        run abdb push "$url" $how
        fails 6 "holds tables that are not abdb's"
    done
    same "$(there "SELECT x FROM theirs")" 1
    there "DROP TABLE theirs"
    run abdb push "$url"
    [ "$status" = 0 ]
}

@test "each example of pull --help selects shipped data" {
    warehouse examples
    ABDB_DATA=$root/data filled data
    abdb push "$url" >/dev/null
    abdb help pull | sed '1,/^examples:/d' | sed -n 's/^ *\(abdb pull .*\)/\1/p' >examples
    [ "$(wc -l <examples)" -ge 2 ]
    while read -r line; do
        run bash -c "$(sed -E "s|postgresql://[^ ]*|'$url'|" <<<"$line")"
        fails 0 ""
    done <examples
    [ "$(ls ./*.db | wc -l)" -gt 1 ]
}

#!/usr/bin/env bats
# merge.bats - databases joined and copied out: a union by identity, and forms that come back.
load common

fill_one() { abdb import -q --db one.db "$fixtures"/*.csv "$fixtures/summary.json" "$fixtures/records.jsonl" 2>/dev/null || true; }
fill_two() { abdb import -q --db two.db "$fixtures/summary.json" "$fixtures/google_benchmark.json" "$fixtures/osu.txt" "$fixtures/llama_bench.jsonl" 2>/dev/null || true; }

@test "merge is a union in any order and repetition, with all places kept" {
    fill_one
    fill_two
    abdb merge --db ab.db one.db two.db
    abdb merge --db ba.db two.db
    run abdb merge --db ba.db one.db
    fails 0 "one.db:"
    same "$(facts ab.db)" "$(facts ba.db)"
    run abdb merge --db ab.db two.db one.db
    fails 0 "0 entries new"
    same "$(facts ab.db)" "$(facts ba.db)"
    # what importing everything into one file gives
    cp one.db all.db
    abdb import -q --db all.db "$fixtures/google_benchmark.json" "$fixtures/osu.txt" "$fixtures/llama_bench.jsonl" 2>/dev/null || true
    same "$(facts ab.db)" "$(facts all.db)"
    for db in ab ba all; do
        sqlite3 $db.db "SELECT e.entry_key, a.sha256, w.locator FROM witness w JOIN entry_row e USING (entry_id) JOIN artifact a USING (artifact_id) ORDER BY 1, 2, 3" >$db.places
        sqlite3 $db.db "PRAGMA integrity_check; PRAGMA foreign_key_check"
    done >checked
    same "$(sort -u checked)" ok
    cmp ab.places all.places
    cmp ba.places all.places
    same "$(sqlite3 ab.db 'SELECT count(*) FROM reject')" "$(sqlite3 all.db 'SELECT count(*) FROM reject')"
}

@test "merge refuses rows with a missing reference or an impossible value" {
    fill_one
    before=$(facts one.db)
    for change in "DELETE FROM source" "DELETE FROM factor" "UPDATE result_row SET quantity_id = 99999 WHERE result_id = 1" "UPDATE claim SET stated = 9e999"; do
        abdb import -q --db two.db "$fixtures/checker.csv" "$root/data/claims.csv"
        sqlite3 two.db "PRAGMA ignore_check_constraints = ON; $change"
        run abdb merge --db one.db two.db
        echo "$change"
        fails 6 "two.db: "
        fails 6 "so nothing was taken"
        silent sqlite3 one.db "PRAGMA foreign_key_check"
        same "$(facts one.db)" "$before"
        rm two.db
    done
    # tables of others are nobody's business
    abdb import -q --db two.db "$fixtures/checker.csv"
    sqlite3 two.db "CREATE TABLE mine (x REFERENCES source); INSERT INTO mine VALUES ('nobody')"
    abdb merge --db one.db two.db
}

@test "merge refuses files of other programs, and leaves the database as it was" {
    fill_one
    before=$(facts one.db)
    echo "no database" >text.db
    run abdb merge --db one.db text.db
    fails 6 "text.db"
    sqlite3 alien.db "CREATE TABLE t (x)"
    run abdb merge --db one.db alien.db
    fails 6 "not abdb's"
    run abdb merge --db one.db nothing.db
    [ "$status" -ne 0 ]
    same "$(facts one.db)" "$before"
}

@test "export: import of jsonl and sql restores the same facts, import of csv the same rows" {
    fill_one
    fill_two
    abdb merge --db all.db one.db two.db >/dev/null
    abdb export --db all.db >all.jsonl
    abdb import -q --db back.db all.jsonl
    same "$(facts back.db)" "$(facts all.db)"
    abdb export --db back.db >again.jsonl
    cmp all.jsonl again.jsonl
    abdb export --db all.db -o sql | sqlite3 sql.db
    same "$(facts sql.db)" "$(facts all.db)"
    abdb query --db sql.db "SELECT count(*) FROM v_result" >/dev/null
    abdb export --db all.db -o csv >all.csv 2>/dev/null
    run abdb import --db csv.db all.csv
    fails 0 "0 rejected"
    abdb export --db csv.db -o csv 2>/dev/null | sort >csv.sorted
    sort all.csv | cmp - csv.sorted
}

@test "export: import restores every column of every dictionary" {
    printf '%s\n' '{"record":"note","kind":"campaign","target":"c-1","text":"new driver","author":"me","date":"2026-01-02"}' \
        '{"record":"spec","device":"H100-SXM","quantity":"memory_size","basis":"card","power_limit":700,"value":80e9,"unit":"B","raw_value":"80","raw_unit":"GB","source":"abdb","locator":"a test"}' \
        '{"record":"mark","mark":"a test","effect":"show","sentence":"A test.","source":"abdb","locator":"a test"}' >more.jsonl
    abdb import -q --db one.db "$root"/data/*.csv "$root/data/rules" more.jsonl
    same "$(sqlite3 one.db "SELECT count(*) FROM reject")" 0
    abdb export --db one.db >one.jsonl
    abdb init --db back.db >/dev/null # what is built in would hide what does not come back
    sed 's/^{"record":"\([a-z_]*\)".*/PRAGMA foreign_keys = OFF; DELETE FROM \1;/' one.jsonl | sort -u | sqlite3 back.db
    abdb import -q --db back.db one.jsonl
    abdb export --db back.db | cmp - one.jsonl
    # numbers of rows are each file's own; who brought what, and what SQLite counted, too
    sqlite3 one.db "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT IN ('artifact', 'origin', 'meta', 'sqlite_stat1', 'column_doc')" >tables
    while read -r table; do
        columns=$(sqlite3 one.db "SELECT group_concat('\"' || name || '\"') FROM pragma_table_info('$table') WHERE name <> 'id' AND name NOT LIKE '%\_id' ESCAPE '\'")
        [ -n "$columns" ] || continue
        for db in one back; do sqlite3 $db.db "SELECT $columns FROM \"$table\" ORDER BY $columns" >$db.rows; done
        cmp one.rows back.rows || { echo "$table"; false; }
        [ -s one.rows ] && grep -q "^{\"record\":\"$table\"" one.jsonl || continue
        for column in ${columns//,/ }; do # else nothing was tried
            [ "$(sqlite3 one.db "SELECT count($column) FROM \"$table\"")" -gt 0 ] || { echo "no $column in $table"; false; }
        done
    done <tables
    [ "$(sed 's/^{"record":"\([a-z_]*\)".*/\1/' one.jsonl | sort -u | wc -l)" -ge 22 ]
}

@test "export: records keep every digit, samples and states" {
    abdb import -q "$fixtures/records.jsonl"
    same "$(ask "SELECT line, reason FROM v_reject" | cut -d, -f1)" 5
    abdb export workload=gemm >out.jsonl
    grep -q '"value":0.0010000000000000002' out.jsonl
    grep -q '\[0.5,null,2,"outlier"\]' out.jsonl
    grep -q '"b":{"state":"unknown"}' out.jsonl
    grep -q '"c":{"text":"8 GiB","num":8589934592,"unit":"B"}' out.jsonl
    grep -q '"pieces":1,"role":"run"' out.jsonl
    same "$(wc -l <out.jsonl)" 2
}

@test "export refuses an entry too large for a record, by name; merge keeps it" {
    fill_one
    cp one.db factors.db
    cp one.db parts.db
    cp one.db results.db
    sqlite3 results.db "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 64) INSERT INTO result_row (entry_id, ordinal, quantity_id, value)
        SELECT 1, 100 + i, (SELECT min(quantity_id) FROM quantity), i FROM n"
    sqlite3 factors.db "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 641) INSERT INTO point_factor (point_id, factor, state, text)
        SELECT (SELECT point_id FROM entry_row WHERE entry_id = 1), 'f' || i, 'known', 'x' FROM n"
    sqlite3 parts.db "PRAGMA foreign_keys = OFF; WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1025) INSERT INTO part (whole, piece, role)
        SELECT 1, 100000 + i, 'run' FROM n; INSERT INTO entry_row SELECT piece, piece, piece, description_id, point_id, environment_id, process_id, date, cell, origin,
        artifact_id, line, place FROM part, entry_row WHERE entry_id = 1 AND whole = 1"
    for what in results factors parts; do
        run abdb export -o jsonl --db $what.db --out $what.jsonl
        fails 6 "entry_row 1 has more than"
        fails 6 "$what, as abdb writes none"
        [ ! -e $what.jsonl ]
    done
    abdb merge --db merged.db results.db >/dev/null
    same "$(sqlite3 merged.db 'SELECT count(*) FROM result_row')" "$(sqlite3 results.db 'SELECT count(*) FROM result_row')"
}

@test "export: CSV has a column for every factor, without a limit" {
    for i in {1..450}; do
        echo '{"record":"entry","field":{"evidence":"measured","kind":"run","status":"ok","workload":"w","device":"d","source":"abdb-run"},"factor":{"f'$i'":"v'$i'"},"result":[{"metric":"time_s","statistic":"median","value":'$i'}]}'
    done >many.jsonl
    abdb import -q --db many.db many.jsonl
    abdb export --db many.db -o csv >many.csv 2>/dev/null
    same "$(head -1 many.csv | tr , '\n' | grep -c '^factor\.f[0-9]*$')" 450
    same "$(tail -n +2 many.csv | grep -o '\bv[0-9]*\b' | sort -u | wc -l)" 450
}

@test "export: a selection chooses rows, and a wrong one is refused" {
    fill_one
    n=$(sqlite3 one.db "SELECT count(DISTINCT entry_id) FROM v_statement WHERE evidence = 'mlperf' AND scenario = 'Server'")
    same "$(abdb export --db one.db "evidence=mlperf,scenario=Server" | wc -l)" "$n"
    run abdb export --db one.db devise=H100-SXM
    fails 2 "did you mean device"
    run abdb export --db one.db device=NoSuchDevice
    fails 2 "the selection is empty"
    run abdb export --db one.db -o xml
    fails 2 "csv, jsonl, sql or db"
}

@test "export --redacted writes no host, user or folder" {
    abdb import -q "$fixtures/google_benchmark.json"
    printf '{"record":"entry","field":{"evidence":"measured","kind":"run","source":"lab","workload":"gemm","device":"X"},"factor":{"hostname":"secret-host","user":"alice","build":"/%s/alice/b","n":"4"},"result":[{"metric":"time_s","statistic":"value","value":1}]}\n' home >secret.jsonl
    abdb import -q secret.jsonl
    run abdb export -o db --redacted --out public.db
    fails 0 "replaced by pseudonyms"
    no grep -aq "secret-host\|alice\|$dir" public.db
    same "$(abdb query --db public.db "SELECT count(*) FROM v_result WHERE workload = 'gemm'" -o csv | tail -1)" 1
    abdb export --redacted >public.jsonl
    no grep -q "secret-host\|alice" public.jsonl
    run abdb export -o db --out public.db
    fails 2 "exists"
}

@test "a spool of many machines is imported; an interrupted file up to its last complete record" {
    mkdir -p spool/n1 spool/n2
    for i in 1 2; do abdb run --kernel stream --axis n=1000$i --backend ref --quick -q --spool spool/n$i --db none.db; done
    [ ! -e none.db ]
    same "$(find spool -type f | wc -l)" 2
    same "$(basename spool/n1/*)" "$(jq -r .field.campaign spool/n1/*).$(hostname | sed 's/[^A-Za-z0-9-]/_/g').$(basename spool/n1/* .jsonl | sed 's/.*[.]//').jsonl" # host and process
    left=spool/n1/.$(basename spool/n1/*).part
    { cat spool/n1/*; head -c 500 spool/n2/*; } >"$left"
    rm spool/n1/c-*
    : >spool/n2/.c-0-0.n2.1.jsonl.part # killed before the first record
    head -c 100 spool/n2/* 2>/dev/null >spool/n2/.half.part
    run abdb import spool
    fails 0 "total: 2 files (0 already there): 2 rows accepted, 0 duplicate, 1 rejected"
    fails 0 "of a command that was killed, or still runs; what is whole is read"
    same "$(ask "SELECT reason, substr(raw, 1, 10) FROM v_reject")" '"the record is not whole: who wrote it was killed, or writes still","{""record"":"'
    abdb import -q spool
    same "$(ask "SELECT count(*), (SELECT count(*) FROM v_reject) FROM v_run")" "2,1"
    mv "$left" spool/n1/.c-later.jsonl.part # whole, and under its name: the same facts once more
    head -n 1 spool/n1/.c-later.jsonl.part >spool/n1/c-later.jsonl
    abdb import -q spool
    same "$(ask "SELECT count(*) FROM v_run")" 2
    run abdb run --kernel stream --axis n=1000 --backend ref --quick --spool spool --resume
    fails 2 "needs the database"
}

@test "a spool of a task killed at any moment is imported with each complete record once" {
    mkdir spool
    for i in $(seq "${KILLED_TASKS:-4}"); do
        setsid abdb run -q --kernel stream --axis n=1000-1300+1 --backend ref --threads 1 --quick --spool spool --db none.db 3>&- &
        sleep "0.$((RANDOM % 10))$((RANDOM % 10))"
        kill -KILL $! # the guards of its programs end those
        wait $! || true
    done
    find spool -type f -exec cat {} + >all
    whole=$(grep -c '}$' all || true)
    same "$(grep '}$' all | jq -c .record | sort | uniq -c | awk '{ print $1, $2 }')" "$([ "$whole" = 0 ] || echo "$whole \"entry\"")"
    abdb import -q spool
    abdb import -q spool
    same "$(ask "SELECT count(*) FROM v_run")" "$whole"
    same "$(ask "SELECT count(*) FROM v_reject")" "$(find spool -type f -size +0 -exec sh -c 'tail -c 1 "$1" | grep -q .' _ {} \; -print | wc -l)"
}

@test "measured rows: an archive, its folder and a renamed copy agree; equal numbers of two runs are two rows" {
    mkdir -p runs/one
    cp "$fixtures/nccl_tests.out" runs/one/a.out
    { echo "# another pair of nodes"; cat runs/one/a.out; } >other.out
    cp runs/one/a.out renamed.out
    tar czf runs.tgz runs
    abdb import -q runs.tgz || [ $? -eq 5 ]
    rows=$(sqlite3 t.db "SELECT count(*) FROM entry_row")
    before=$(facts)
    abdb import -q runs renamed.out || [ $? -eq 5 ]
    same "$(facts)" "$before"
    abdb import -q other.out || [ $? -eq 5 ]
    same "$(sqlite3 t.db "SELECT count(*), count(DISTINCT entry_key), count(DISTINCT origin) FROM entry_row")" \
        "$((2 * rows))|$((2 * rows))|$((2 * rows))"
    # what is exported says whose it is, so that coming back it is nothing new
    before=$(facts)
    for form in jsonl csv; do
        abdb export -o $form >back.$form 2>/dev/null
        abdb import -q back.$form
        [ $form = csv ] || same "$(facts)" "$before"
        same "$(sqlite3 t.db "SELECT count(DISTINCT origin) FROM entry_row")" $((2 * rows))
    done
    # statements that are published are known by what they say
    abdb import -q "$fixtures/results.csv" || [ $? -eq 5 ]
    published=$(ask "SELECT count(*) FROM v_statement WHERE evidence <> 'measured'")
    { cat "$fixtures/results.csv"; echo; } >copy.csv
    abdb import -q copy.csv || [ $? -eq 5 ]
    same "$(ask "SELECT count(*) FROM v_statement WHERE evidence <> 'measured'")" "$published"
}

@test "notes are imported from records once, and kept by export and merge" {
    printf '%s\n' '{"record":"note","kind":"campaign","target":"c-1","text":"new driver","author":"me","date":"2026-01-02"}' >a.jsonl
    { cat a.jsonl; echo '{"record":"note","kind":"nonsense","target":"c-1","text":"t","date":"2026-01-02"}'; } >b.jsonl
    abdb import -q a.jsonl
    run abdb import b.jsonl
    fails 0 "1 duplicate, 1 rejected"
    abdb export | abdb import -q --db other.db -
    abdb merge --db both.db t.db other.db
    for db in t other both; do
        same "$(sqlite3 $db.db "SELECT kind, target, text, author, date FROM v_note")" "campaign|c-1|new driver|me|2026-01-02"
    done
}

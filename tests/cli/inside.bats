#!/usr/bin/env bats
# inside.bats - the database from other programs: sqlite3, Python, Datasette; the extension abdb.so and its functions.
load common

fill() { filled "$root/data" "$fixtures/questions.csv"; }
so=$build/abdb
with() { sqlite3 "$ABDB_DB" -cmd ".load $so" "$@"; }
not_sanitized() { [[ $build != *sanitize* ]] || skip "the extension is not built with sanitizers"; }

@test "sqlite3 with abdb.so computes statistics and converts units; a wrong dimension is an error" {
    not_sanitized
    fill
    same "$(with "SELECT median(x), quantile(x, 0.25), mad(x), round(geomean(x), 3), round(hmean(x), 3), round(stddev(x), 4) FROM (SELECT 1 AS x UNION SELECT 2 UNION SELECT 3 UNION SELECT 4 UNION SELECT 5)")" "3.0|2.0|1.0|2.605|2.19|1.5811"
    same "$(with "SELECT to_unit(3.35, 'TB/s', 'GB/s')")" 3350.0
    run with "SELECT to_unit(3.35, 'TB/s', 'GB')"
    [ "$status" -ne 0 ]
    [[ $output == *"different dimensions"* ]]
    same "$(with "SELECT count(*) FROM (SELECT median(value) OVER (PARTITION BY device ORDER BY value ROWS 3 PRECEDING) FROM v_result WHERE evidence = 'published') WHERE 1" )" "$(ask "SELECT count(*) FROM v_result WHERE evidence = 'published'")"
}

@test "sqlite3 with abdb.so runs abdb_compare, abdb_roofline, abdb_csv, abdb_archive and abdb_measure" {
    not_sanitized
    fill
    abdb compare device=H200-SXM,model=llama2-70b-99 device=B200-SXM,model=llama2-70b-99 --metric tokens_per_s --per device -o csv 2>/dev/null |
        awk -F, 'NR > 1' | wc -l >n
    same "$(with "SELECT count(*) FROM abdb_compare('device=H200-SXM,model=llama2-70b-99', 'device=B200-SXM,model=llama2-70b-99', 'tokens_per_s', 'device')")" "$(cat n)"
    same "$(with "SELECT standing, rule, ratio IS NULL FROM abdb_compare('device=H200-SXM,model=llama2-70b-99,evidence=mlperf', 'model=llama2-70b-99,evidence=measured')")" "not-comparable|mlperf-with-mlperf-only|1"
    same "$(with "SELECT DISTINCT printf('%.1f', ridge_flop_per_B) FROM abdb_roofline('H100-SXM', 'bf16') WHERE basis = 'published'")" 295.4
    same "$(with "SELECT bound FROM abdb_roofline('H100-SXM', 'bf16') WHERE basis = 'published' AND intensity_flop_per_B IN (256, 512) ORDER BY 1")" $'compute\nmemory'
    same "$(with "SELECT line, record ->> 'Submitter', fields ->> 0 FROM abdb_csv('$fixtures/checker.csv') LIMIT 1" | cut -d'|' -f1)" 2
    tar czf a.tgz -C "$fixtures" checker.csv devices.csv
    head -c 100 /dev/urandom >random && tar cf b.tar random
    same "$(with "SELECT member, size_B FROM abdb_archive('a.tgz') ORDER BY 1")" "checker.csv|$(wc -c <"$fixtures/checker.csv")
devices.csv|$(wc -c <"$fixtures/devices.csv")"
    same "$(with "SELECT hex(contents) FROM abdb_archive('b.tar')")" "$(xxd -p random | tr -d '\n' | tr a-f A-F)"
    same "$(with "SELECT count(*) >= 5, min(time_s) > 0, max(status), max(verified) FROM abdb_measure('gemm', 'ref', 'n=16 dtype=f32', 1)")" "1|1|ok|pass"
    [ ! -x "$build/abdb-run-openblas" ] || same "$(with "SELECT status FROM abdb_measure('stream', 'openblas', 'op=triad', 1)")" not-implemented
    # backends of a wheel are in bin, the extension in lib/abdb
    mkdir -p wheel/bin wheel/lib/abdb
    cp "$so.so" wheel/lib/abdb/
    printf '#!/bin/sh\nexec "%s" "$@"\n' "$build/abdb-run-ref" >wheel/bin/abdb-run-mine && chmod +x wheel/bin/abdb-run-mine
    same "$(sqlite3 :memory: -cmd ".load wheel/lib/abdb/abdb" "SELECT status FROM abdb_measure('gemm', 'mine', 'n=16 dtype=f32', 1) LIMIT 1")" ok
}

@test "table-valued functions refuse wrong arguments, naming the function" {
    not_sanitized
    fill
    for sql in "SELECT * FROM abdb_csv('/nonexistent')" "SELECT * FROM abdb_archive('$fixtures/checker.csv')" "SELECT * FROM abdb_compare('device=H100', 'device=B200-SXM')" \
        "SELECT * FROM abdb_measure('gemm', 'nobody')" "SELECT * FROM abdb_measure('gemm', 'ref', 'n')" "SELECT * FROM abdb_roofline('H100')" "SELECT * FROM abdb_csv"; do
        run with "$sql"
        [ "$status" -ne 0 ] || { echo "$sql"; false; }
        [[ $output == *abdb_* ]] || { echo "$sql: $output"; false; }
    done
    same "$(with "SELECT count(*) FROM abdb_csv(NULL)")" 0
    # direct only: no view of a file may read files or run programs
    cp "$ABDB_DB" trap.db
    sqlite3 trap.db "CREATE VIEW trap1 AS SELECT * FROM abdb_csv('$fixtures/checker.csv'); CREATE VIEW trap2 AS SELECT * FROM abdb_measure('gemm', 'ref', 'n=16')"
    for view in trap1 trap2; do
        run sqlite3 trap.db -cmd ".load $so" "SELECT count(*) FROM $view"
        [ "$status" -ne 0 ]
        [[ $output == *"unsafe use of"* ]] || { echo "$output"; false; }
        run abdb query --db trap.db --allow-files --allow-run "SELECT count(*) FROM $view"
        [ "$status" -ne 0 ]
    done
}

@test "abdb query reads files and starts programs only with --allow-files and --allow-run" {
    fill
    run abdb query "SELECT * FROM abdb_csv('$fixtures/checker.csv')"
    fails 2 "--allow-files lets it"
    run abdb query "SELECT * FROM abdb_archive('x')"
    fails 2 "--allow-files lets it"
    run abdb query "SELECT * FROM abdb_measure('gemm', 'ref')"
    fails 2 "--allow-run lets it"
    run abdb query --allow-files "SELECT * FROM abdb_measure('gemm', 'ref')"
    fails 2 "--allow-run lets it"
    same "$(abdb query --allow-files "SELECT count(*) FROM abdb_csv('$fixtures/checker.csv')" -o csv | tail -1)" 7
    same "$(abdb query --allow-run "SELECT count(*) > 0 AS n FROM abdb_measure('gemm', 'ref', 'n=16 dtype=f32', 1)" -o csv | tail -1)" 1
    same "$(abdb query "SELECT count(*) > 3 AS n FROM abdb_compare('device=H200-SXM,model=llama2-70b-99', 'device=B200-SXM,model=llama2-70b-99')" -o csv 2>/dev/null | tail -1)" 1
    run abdb query --allow-files "SELECT load_extension('$so')"
    [ "$status" -ne 0 ]
}

@test "every view has rows in plain sqlite3, the same before and after ANALYZE" {
    fill # all of it: a view that picks any of several rows picks the same before and after in half of it
    abdb run --kernel gemm --axis n=16 --axis dtype=f32 --backend ref --quick -q
    # every part of a record; what two files say, what is refused, what is withdrawn, of each kind
    cp "$fixtures/records.jsonl" again.jsonl
    echo >>again.jsonl
    abdb import -q "$fixtures"/{records,standing,withdrawn}.jsonl again.jsonl
    # a file that an older importer read otherwise
    echo '{"model_id": "m", "completed": 10, "output_throughput": 300.0, "request_throughput": 3, "mean_ttft_ms": 5, "max_concurrency": 3}' >older.jsonl
    abdb import -q older.jsonl --set device=H100-SXM --set devices=1
    sed -i 's/"completed"/"tensor_parallel_size": 8, "completed"/' older.jsonl
    sqlite3 "$ABDB_DB" "UPDATE artifact SET importer = importer - 1, sha256 = '$(sha256sum <older.jsonl | cut -c1-64)' WHERE path = 'older.jsonl'"
    abdb import -q --refresh
    abdb withdraw withdrawn.jsonl --reason "the wrong machine"
    sqlite3 "$ABDB_DB" "INSERT INTO note (note_key, note_key_low, kind, target, text, date) VALUES (1, 1, 'tag', 'before', 'as it was', '2026-01-01');
        INSERT OR IGNORE INTO round VALUES ('inference', 'v9.8', '2031-01-01', 'lab', 'p. 1');
        INSERT INTO exchange_rate VALUES ('EUR', '2026-01-01', 1.1, 'lab', 'p. 1')"
    cp "$ABDB_DB" analysed.db
    sqlite3 analysed.db ANALYZE
    for view in $(sqlite3 "$ABDB_DB" "SELECT name FROM sqlite_schema WHERE type = 'view'"); do
        sqlite3 "$ABDB_DB" "SELECT * FROM $view" | sort >before || { echo "$view"; false; }
        sqlite3 analysed.db "SELECT * FROM $view" | sort >after
        cmp before after || { echo "$view differs after ANALYZE"; false; }
        [ -s before ] || { echo "$view is empty"; false; }
    done
}

# SQLite 3.40 puts Bloom filters on joins; with an index on an expression they made it lose rows.
@test "views and their joins give the same rows with and without Bloom filters" {
    filled $(half_of_data)
    [ "$(echo '.testctrl optimizations 0x80000' | sqlite3 :memory: 2>&1)" = "" ] || skip "this sqlite3 has no .testctrl"
    views="v_result v_statement v_factor v_comparable v_normalised v_rate v_ceiling_of v_mlperf v_scaling"
    for a in $views; do
        echo "SELECT '$a', count(*) FROM $a;"
        for b in $views; do
            [ "$a" = "$b" ] || echo "SELECT '$a $b', count(*) FROM $a a JOIN $b b ON b.entry_id = a.entry_id AND b.ordinal = a.ordinal WHERE a.entry_id % 7 = 3;"
        done
        [[ $a == v_@(result|normalised) ]] || echo "SELECT 'id $a', count(*) FROM v_normalised n JOIN $a a USING (result_id) WHERE n.formula = 'per_dollar@1';"
    done >queries.sql
    sqlite3 "$ABDB_DB" <queries.sql >with
    { echo '.testctrl optimizations 0x80000'; cat queries.sql; } | sqlite3 "$ABDB_DB" >without
    [ "$(wc -l <with)" -gt 80 ]
    diff with without
}

@test "v_column lists exactly the public views and columns, in order" {
    fill
    there="SELECT s.name || '.' || t.name || ' ' || (t.cid + 1) FROM sqlite_schema s, pragma_table_info(s.name) t WHERE s.type = 'view' AND s.name LIKE 'v!_%' ESCAPE '!'"
    told="SELECT view || '.' || column_name || ' ' || place FROM v_column"
    silent sqlite3 "$ABDB_DB" "$there EXCEPT $told"
    silent sqlite3 "$ABDB_DB" "$told EXCEPT $there"
    [ "$(sqlite3 "$ABDB_DB" "SELECT count(DISTINCT view) FROM v_column WHERE meaning <> ''")" -gt 40 ]
}

@test "the sqlite3 module of Python loads the extension and runs the functions" {
    not_sanitized
    fill
    python=
    for p in /usr/bin/python3 python3; do
        $p -c 'import sqlite3; sqlite3.connect(":memory:").enable_load_extension(True)' 2>/dev/null && python=$p && break
    done
    [ -n "$python" ] || skip "no Python whose sqlite3 loads extensions"
    same "$($python - "$ABDB_DB" "$so.so" <<'END'
import sqlite3, sys
db = sqlite3.connect(sys.argv[1])
db.enable_load_extension(True)
db.load_extension(sys.argv[2])
print(db.execute("SELECT median(value) > 0 FROM v_result").fetchone()[0],
      db.execute("SELECT count(*) FROM abdb_compare('device=A100-SXM-80GB,source=databricks-gaudi2', 'device=Gaudi2,source=databricks-gaudi2', 'flops_per_s', 'dollar')").fetchone()[0] > 0,
      db.execute("SELECT count(*) FROM v_normalised").fetchone()[0] > 100)
END
)" "1 True True"
}

@test "Datasette publishes the file with one command and the shipped metadata" {
    not_sanitized
    datasette=$(command -v datasette || ls "$build/venv/bin/datasette" 2>/dev/null) || skip "no datasette (make peers installs it)"
    fill
    mv "$ABDB_DB" abdb.db
    get() { "$datasette" abdb.db --metadata "$root/query/datasette.json" --get "$1"; }
    get /abdb.json >out
    grep -q v_result out
    get "/abdb/llm_best.json?model=llama2-70b-99&_shape=array" | jq -e 'length > 5 and .[0].tokens_per_s_per_device > 0' >/dev/null
    get "/abdb/claims_that_fail.json?_shape=array" | jq -e 'length == 8' >/dev/null
    get "/abdb/per_dollar.json?_shape=array" | jq -e '.[0].device != null' >/dev/null
    get "/abdb/v_rule" | grep -q "may not be compared with what"
    "$datasette" abdb.db --load-extension "$so.so" --get "/abdb.json?sql=SELECT+median(value)+AS+m+FROM+v_result&_shape=array" | jq -e '.[0].m > 0' >/dev/null
}

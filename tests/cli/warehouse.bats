#!/usr/bin/env bats
# warehouse.bats - abdb push and pull: a warehouse on PostgreSQL. One server for the file, of this machine's package; without it, or
# without libpq, all of it is skipped. CITUS=1: the same on Citus.
load common
load server

# A measured command, published and MLPerf statements that repeat one another, specifications, rejects, two places that say one thing.
fill_one() { filled "$fixtures"/*.csv "$fixtures/summary.json" "$fixtures/records.jsonl" "$fixtures/withdrawn.jsonl" 2>/dev/null || true; }
one_and_two() {
    fill_one
    mv "$ABDB_DB" one.db
    abdb import -q --db two.db "$fixtures/summary.json" "$fixtures/google_benchmark.json" "$fixtures/osu.txt" "$fixtures/llama_bench.jsonl" 2>/dev/null || true
}
# A database with a bit of everything that abdb run writes: samples of ranks with marks, telemetry, spans, ranks, processes.
measured() {
    abdb init --db "$1" >/dev/null
    sqlite3 "$1" "INSERT INTO source (source, kind) VALUES ('me', 'user');
      INSERT INTO description (description_key, description_key_low, evidence, kind, source, workload, device, campaign, tag, verified) VALUES (77, 1, 'measured', 'run', 'me', 'gemm', 'Box', 'c-1', 'x', 'pass');
      INSERT OR IGNORE INTO factor (factor) VALUES ('ceiling'), ('batch'); INSERT INTO point (point_key, point_key_low) VALUES (78, 2);
      INSERT INTO point_factor VALUES (last_insert_rowid(), 'ceiling', 'known', 'peak_flops', NULL, NULL), (last_insert_rowid(), 'batch', 'known', '4', 4, NULL);
      INSERT INTO environment (environment_key, environment_key_low, body) VALUES (79, 3, '{\"a\":\"b\\\\n\"}');
      INSERT INTO process (process_key, process_key_low, campaign, backend, repetition, start, started) VALUES (80, 4, 'c-1', 'ref', 1, 1, '2026-01-01T00:00:00Z');
      INSERT INTO quantity (metric, statistic, unit) VALUES ('flops_per_s', 'median', 'FLOP/s'), ('time_s', 'median', 's');
      INSERT INTO entry_row SELECT NULL, 9223372036854775807, -5, d.description_id, p.point_id, v.environment_id, r.process_id, '2026-01-01', 'n=1', 12345, NULL, NULL, NULL
        FROM description d, point p, environment v, process r WHERE description_key = 77 AND point_key = 78 AND environment_key = 79 AND process_key = 80;
      INSERT INTO sample_row VALUES (1, 1e-300, NULL, 0, 'outlier'), (2, -0.0, 0.5, 1, NULL), (3, 0.1, 1.25, NULL, 'a\"b\\{},NULL'), (4, 5, NULL, NULL, NULL);
      INSERT INTO result_row SELECT NULL, e.entry_id, 0, (SELECT quantity_id FROM quantity WHERE metric = 'flops_per_s' AND statistic = 'median' AND raw_unit IS NULL), 1.7976931348623157e308, NULL, NULL, NULL, NULL, 3, 0.1, 4.9e-324, 1, 3 FROM entry_row e WHERE entry_key_low = -5;
      INSERT INTO result_row SELECT NULL, e.entry_id, 1, (SELECT quantity_id FROM quantity WHERE metric = 'time_s' AND statistic = 'median' AND raw_unit IS NULL), 0.1, '', NULL, 2, 3.5, NULL, NULL, NULL, 4, 4 FROM entry_row e WHERE entry_key_low = -5;
      INSERT INTO telemetry SELECT entry_id, 'cpu', 'clock', 0.25, 3e9, 'Hz' FROM entry_row WHERE entry_key_low = -5;
      INSERT INTO span SELECT entry_id, 1, 'all', NULL, 'gemm', 'ref', 2, 0.5, 1e9, NULL FROM entry_row WHERE entry_key_low = -5;
      INSERT INTO rank SELECT entry_id, 0, 'host', NULL, '0-3' FROM entry_row WHERE entry_key_low = -5;"
    abdb doctor --rebuild --db "$1" >/dev/null
    abdb note --db "$1" tag=x "a note"
}

@test "pull restores the pushed facts, and a repeated push sends nothing" {
    warehouse round
    one_and_two
    abdb merge --db one.db two.db >/dev/null
    measured m.db
    abdb merge --db one.db m.db >/dev/null
    { cat "$fixtures/site_flat.csv"; echo; } >again.csv # other bytes that say the same
    abdb import -q --db one.db again.csv
    [ "$(sqlite3 one.db "SELECT count(*) FROM witness_row")" -gt 0 ]
    run abdb push "$url" --db one.db
    fails 0 "0 there already"
    abdb pull "$url" --db back.db
    same "$(facts back.db)" "$(facts one.db)"
    same "$(sqlite3 back.db 'SELECT count(*), sum(line) FROM reject')" "$(sqlite3 one.db 'SELECT count(*), sum(line) FROM reject')"
    for db in one back; do
        sqlite3 $db.db "SELECT e.entry_key, a.sha256, w.locator FROM witness w JOIN entry_row e USING (entry_id) JOIN artifact a USING (artifact_id) ORDER BY 1, 2, 3;
            SELECT o.kind, s.spec_key, a.sha256, o.locator FROM origin o JOIN artifact a USING (artifact_id) JOIN spec s ON s.spec_id = o.id WHERE o.kind = 'spec' ORDER BY 2, 3, 4;
            SELECT target, date, event, reason FROM withdrawal ORDER BY 1, 2; SELECT fact FROM fact ORDER BY 1" >$db.places
    done
    cmp one.places back.places
    before=$(there "SELECT count(*) FROM arrival")
    run abdb push "$url" --db back.db --json
    same "$(jq -c '.[0] | [.entries, .results, .samples, .other_rows]' <<<"$output")" '[0,0,0,0]'
    same "$(there "SELECT count(*) FROM arrival")" "$before" # and nothing was derived anew
    # what is there whole is known by a digest of its keys, and its entries are not asked for again; what comes besides is
    chunks=$(there "SELECT count(*) FROM chunk")
    abdb push "$url" --db back.db >/dev/null
    same "$(there "SELECT count(*) FROM chunk")" "$chunks"
    ABDB_DB=back.db abdb import -q "$fixtures/fleet.jsonl"
    abdb push "$url" --db back.db >/dev/null
    same "$(there "SELECT count(*) FROM chunk")" $((chunks + 1))
    same "$(there "SELECT count(*) FROM entry_row")" "$(sqlite3 back.db "SELECT count(*) FROM entry_row")"
}

@test "every public view and ten reports have the same rows in PostgreSQL and SQLite" {
    warehouse views
    filled $(half_of_data) # make check-ports: all of it
    measured m.db
    abdb merge m.db >/dev/null
    abdb import -q "$fixtures/withdrawn.jsonl" "$fixtures/llama_bench.jsonl" "$fixtures/site_flat.csv" "$fixtures/summary.json" 2>/dev/null || true
    abdb withdraw "$fixtures/llama_bench.jsonl" --reason "a test" >/dev/null
    abdb push "$url" >/dev/null
    [ -n "${CITUS-}" ] || achieved=peak-achieved # for which Citus has no plan
    VIEWS='v_*' REPORTS="artifacts factors rules sensitivity withdrawals rejects audit-plausibility mlperf-rounds mlperf-systems ${achieved-} power speedups training-time scaling-throughput" \
        python3 "$root/tests/ports/same_views.py" t.db "$url" "$root/tests/ports/questions.sql" >said || { grep -A9 '^not ok\|^# psql' said; false; }
    [ "$(grep -c '^ok' said)" -gt 60 ]
}

@test "merge and push of two machines in any order give the same facts and answers" {
    warehouse ab
    one_and_two
    cp one.db both.db
    abdb merge --db both.db two.db >/dev/null
    abdb push "$url" --db one.db >/dev/null
    abdb push "$url" --db two.db >/dev/null
    abdb pull "$url" --db ab.db >/dev/null
    same "$(facts ab.db)" "$(facts both.db)"
    VIEWS='v_result v_mlperf v_price v_spec v_withdrawal v_gone' python3 "$root/tests/ports/same_views.py" both.db "$url" >said || { cat said; false; }
    warehouse ba
    abdb push "$url" --db two.db >/dev/null
    abdb push "$url" --db one.db >/dev/null
    abdb pull "$url" --db ba.db >/dev/null
    same "$(facts ba.db)" "$(facts both.db)"
    # a withdrawal that comes later takes the fact out there, too
    abdb withdraw --db one.db "$fixtures/summary.json" --reason "a test" >/dev/null
    abdb merge --db both.db one.db >/dev/null
    abdb push "$url" --db one.db >/dev/null
    VIEWS='v_result v_mlperf v_gone' python3 "$root/tests/ports/same_views.py" both.db "$url" >said || { cat said; false; }
}

@test "a pulled selection answers like the whole in query, compare, explain, audit, plot and site" {
    warehouse slice
    filled "$root/data"
    abdb push "$url" >/dev/null
    abdb pull "$url" --where 'source=databricks-gaudi2' --db slice.db >/dev/null
    same "$(sqlite3 slice.db 'SELECT DISTINCT source FROM entry')" databricks-gaudi2
    same "$(abdb query perf-per-dollar --source databricks-gaudi2 -o csv --db slice.db)" "$(abdb query perf-per-dollar --source databricks-gaudi2 -o csv)"
    same "$(abdb explain db.t2.gaudi2.rate -o csv --db slice.db)" "$(abdb explain db.t2.gaudi2.rate -o csv)"
    same "$(abdb audit claims --source databricks-gaudi2 -o csv --db slice.db)" "$(abdb audit claims --source databricks-gaudi2 -o csv)"
    same "$(abdb plot training --out - --db slice.db | grep -c '<path')" "$(abdb plot training --out - | grep -c '<path')"
    run abdb compare device=Gaudi2 device=H100-SXM --db slice.db
    [ "$status" -le 3 ]
    abdb site --out pages --db slice.db >/dev/null
    [ -s pages/index.html ]
    # columns, factors, numbers, globs, several; and what is not there
    same "$(abdb pull "$url" --where 'device~H100*,devices>=8' --db h.db --json | jq '.[0].entries')" \
        "$(ask "SELECT count(DISTINCT entry_id) FROM v_run WHERE device GLOB 'H100*' AND devices >= 8")"
    same "$(abdb pull "$url" --where 'global_batch_size>=256' --db b.db --json | jq '.[0].entries')" \
        "$(ask "SELECT count(DISTINCT s.entry_id) FROM v_run s JOIN point_factor p ON p.point_id = s.point_id AND p.factor = 'global_batch_size' AND p.num >= 256")"
    # a pattern picks here what SQLite's GLOB picks: classes, those of other characters, and what only looks like one
    for glob in '[AH]*' '[^H]*' '*[^0-9]' '*[]X]*' '*[^]]' 'H100[-]*' 'H[0-2][0-2]0*' '*[z-a]*' 'H100[' '*[.(+]*' '*[\\a]*' 'H100-SXM*'; do
        n=$(ask "SELECT count(DISTINCT entry_id) FROM v_run WHERE device GLOB '$glob'")
        rm -f g.db
        run abdb pull "$url" --where "device~$glob" --db g.db --json
        [ "$n" -gt 0 ] || { fails 2 "the selection is empty"; continue; }
        same "$glob: $(jq '.[0].entries' <<<"$output")" "$glob: $n"
    done
    # a campaign comes whole, with the cells that have no result
    abdb run -q --kernel gemm --backend ref --axis n=8 --axis dtype=f32,i4 --quick --tag partly || [ $? = 5 ]
    abdb push "$url" >/dev/null
    abdb pull "$url" --where 'tag=partly' --db partly.db >/dev/null
    same "$(abdb query "SELECT dtype, status FROM v_run WHERE tag = 'partly' ORDER BY 1;" -o csv --db partly.db)" "$(abdb query "SELECT dtype, status FROM v_run WHERE tag = 'partly' ORDER BY 1;" -o csv)"
    [ "$(abdb query "SELECT count(*) FROM v_run WHERE status <> 'ok';" -o csv --db partly.db | tail -1)" -ge 1 ]
    run abdb pull "$url" --where 'devise=x' --db no.db
    fails 2 "no column or factor 'devise'"
    run abdb pull "$url" --where "device='; DROP TABLE entry_row; --'" --db no.db
    fails 2 "the selection is empty"
    [ ! -e no.db ]
}

@test "a reader cannot write; a writer cannot change or delete facts, or forge their origin" {
    warehouse rights
    fill_one
    abdb push "$url" >/dev/null
    there "CREATE ROLE reader LOGIN IN ROLE abdb_read; CREATE ROLE writer LOGIN IN ROLE abdb_write"
    abdb pull "$(address reader)" --db r.db >/dev/null
    same "$(facts r.db)" "$(facts)"
    measured m.db
    run abdb push "$(address reader)" --db m.db
    fails 6 "GRANT abdb_write TO reader"
    run abdb push "$(address writer)" --db m.db
    fails 0 "1 entries new"
    same "$(there "SELECT DISTINCT pushed_by FROM entry_row ORDER BY 1" | xargs)" "abdb writer"
    abdb merge m.db >/dev/null
    VIEWS='v_result v_ceiling_cell v_sample' python3 "$root/tests/ports/same_views.py" t.db "$url" >said || { cat said; false; }
    # every table that holds facts, by all four ways
    there "SELECT format('UPDATE %I SET %I = %2\$I; DELETE FROM %1\$I; TRUNCATE %1\$I; DROP TABLE %1\$I;', c.relname,
               (SELECT attname FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND attidentity = '' ORDER BY attnum LIMIT 1))
             FROM pg_class c WHERE relnamespace = 'abdb'::regnamespace AND relkind IN ('r', 'p')
              AND relname NOT IN ('name', 'name_factor', 'subject', 'gone', 'ceiling_best')" >ways.sql
    [ "$(wc -l <ways.sql)" -gt 40 ]
    for role in reader writer; do
        psql -X -q -h "$server/server" -U $role -d "$name" -c "SET search_path = abdb" -f ways.sql >said 2>&1 || true
        same "$(grep -c 'ERROR:  permission denied\|ERROR:  must be owner' said)" "$((4 * $(wc -l <ways.sql)))"
    done
    as=writer run there "INSERT INTO note (note_id, note_key, note_key_low, kind, target, text, date, pushed_by) VALUES (1, 1, 1, 'tag', 'x', 'y', 'z', 'the boss')"
    fails 1 "permission denied"
    as=reader run there "INSERT INTO source (source, kind) VALUES ('x', 'user')"
    fails 1 "permission denied"
    as=writer run there "SELECT count(*) FROM v_result"
    [ "$status" = 0 ]
}

@test "a key with another meaning in the warehouse is an error, without loss or mixing" {
    warehouse collide
    measured m.db
    abdb push "$url" --db m.db >/dev/null
    cp m.db other.db
    sqlite3 other.db "UPDATE entry_row SET entry_key_low = 6; UPDATE result_row SET value = 1"
    run abdb push "$url" --db other.db
    fails 6 "collision"
    sqlite3 m.db "UPDATE description SET description_key_low = 9 WHERE description_key = 77"
    run abdb push "$url" --db m.db
    fails 6 "1 rows of description"
    same "$(there "SELECT count(*), max(value) FROM result_row")" "2|1.7976931348623157e+308"
    # a dictionary that says otherwise is told, and stays as it is there
    sqlite3 two.db "" && abdb init --db two.db >/dev/null && sqlite3 two.db "UPDATE device SET vendor = 'Nobody' WHERE device = 'Gaudi2'"
    run abdb push "$url" --db two.db
    fails 0 "say otherwise there, and stay as they are there: device 1"
}

@test "hostile text passes through push and pull unchanged" {
    warehouse hostile
    fill_one
    # everything that a terminal, SQL, COPY or an array takes for its own; but for bytes that are no UTF-8
    sed 's/b"\\x9b35m/b"/' "$root/tests/checks/plant_hostile_text.py" >plant_hostile_text.py
    python3 plant_hostile_text.py t.db names >/dev/null
    sqlite3 t.db "UPDATE description SET system = char(92) || '.' || char(10) || char(9) || char(92) || 'N' || ''';DROP TABLE entry_row;--' || char(34) || '{NULL}' WHERE description_id % 3 = 0;
        UPDATE result_row SET raw_value = char(92) || 'N' WHERE result_id % 3 = 0; UPDATE result_row SET raw_value = char(92) || '.' WHERE result_id % 3 = 1"
    abdb doctor --rebuild >/dev/null
    abdb push "$url" >/dev/null 2>&1
    abdb pull "$url" --db back.db >/dev/null
    abdb merge --db joined.db t.db >/dev/null # beside the dictionaries of this build, as they are in a database that is new
    same "$(facts back.db)" "$(facts joined.db)"
    # what is no UTF-8 no warehouse can hold: said, and nothing of it is there
    warehouse latin
    sqlite3 t.db "UPDATE result_row SET raw_value = CAST(x'41ff' AS TEXT) WHERE result_id = 5"
    run abdb push "$url"
    fails 6 "invalid byte sequence"
}

@test "an address and its password are never printed; errors have advice" {
    warehouse secret
    fill_one
    run abdb push "postgresql://abdb:hunter2@/nowhere?host=$server/server"
    fails 6 'database "nowhere" does not exist'
    [[ "$output" != *hunter2* ]]
    run abdb push "postgresql://abdb:hunter2@[::1/x"
    fails 2 "no address that libpq reads"
    [[ "$output" != *hunter2* ]]
    run abdb push "postgresql:///x?host=/nowhere&password=hunter2"
    [[ "$output" != *hunter2* && "$output" == *"/nowhere"* ]]
    run abdb push mysql://x/y
    fails 2 "no store knows this address"
    run abdb pull "$url"
    fails 2 "there is no warehouse of abdb"
    run abdb push
    fails 2 "push where?"
    # what lists processes shows no password, neither of abdb nor of the store
    python3 - "$build" "$name" "$server/server" <<'P'
import subprocess, sys, time, pathlib
build, name, host = sys.argv[1:]
p = subprocess.Popen([f"{build}/abdb", "push", f"postgresql://abdb:hunter2@/{name}?host={host}"], stdout=subprocess.PIPE)
seen, stores = [], 0
while p.poll() is None:
    for f in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
        try:
            words = f.read_bytes()
        except OSError:
            continue
        stores += b"abdb-store-pg" in words
        if b"hunter2" in words:
            seen.append((time.monotonic(), words))
p.wait()
assert stores, "no store was seen"
# the first moments are the shell's: before main, nobody can hide anything
late = [w for t, w in seen if t > seen[0][0] + 0.2]
assert not late, late
P
}

@test "pull takes nothing from a store with missing references or short rows" {
    filled "$fixtures/checker.csv" "$fixtures/results.csv" "$fixtures/specs.csv" "$fixtures/prices.csv"
    mkdir liar
    cp "$build/abdb" liar/
    cp "$root/tests/backends/lying_store.py" liar/abdb-store-pg
    mv t.db held.db
    abdb init >/dev/null
    empty=$(facts)
    export HELD=held.db LACKS
    for LACKS in source factor description quantity point artifact entry_row description.evidence.published; do
        echo "without $LACKS"; run liar/abdb pull postgresql://h/d
        fails 6 "refers to a"
        same "$(sqlite3 t.db "PRAGMA foreign_key_check; PRAGMA integrity_check")" ok
        same "$(facts)" "$empty"
    done
    for cut in source description entry_row quantity; do # what is missing would be that of the row before
        run env LACKS= CUT=$cut liar/abdb pull postgresql://h/d
        fails 6 "the store answered a row of"
        same "$(facts)" "$empty"
    done
    run env LACKS= CUT=end liar/abdb pull postgresql://h/d
    fails 6 "the store answered what is no answer"
    LACKS= liar/abdb pull postgresql://h/d
    same "$(facts)" "$(facts held.db)"
}

@test "push upgrades the warehouse of another build, and keeps its facts" {
    warehouse upgrade
    fill_one
    abdb push "$url" >/dev/null
    for change in "DROP VIEW v_note" "ALTER TABLE claim DROP COLUMN missing CASCADE" "ALTER TABLE price DROP CONSTRAINT price_per_check" \
        "DROP TABLE score_rule CASCADE" "DROP INDEX note_target" "CREATE INDEX note_target ON note (kind)" "UPDATE warehouse SET tables = 'old'"; do
        there "$change" >/dev/null # one by one, as Citus wants them
    done
    measured m.db
    abdb merge m.db >/dev/null
    run abdb push "$url"
    fails 6 "lacks the table score_rule"
    [[ "$output" == *"--upgrade"* ]]
    run abdb push "$url" --upgrade
    fails 0 "1 entries new"
    abdb pull "$url" --db back.db >/dev/null
    same "$(facts back.db)" "$(facts)"
    same "$(there "SELECT count(missing) FROM claim")" 0
    VIEWS='v_note v_claim* v_price' python3 "$root/tests/ports/same_views.py" t.db "$url" >said || { cat said; false; }
    same "$(there "SELECT indexdef LIKE '%(kind, target)' FROM pg_indexes WHERE indexname = 'note_target'")" t
    for change in "ALTER TABLE price ADD CONSTRAINT odd CHECK (per <> 'x')" "ALTER TABLE price ADD COLUMN extra TEXT" "UPDATE warehouse SET views = 'old'"; do
        there "$change" >/dev/null
    done
    run abdb push "$url" --upgrade
    fails 0 "0 entries new"
    same "$(there "SELECT count(*) FROM pg_constraint WHERE conrelid = 'price'::regclass AND pg_get_constraintdef(oid) LIKE '%<>%'")" 0
}

@test "pushers of overlapping halves, killed at random and repeated, leave exactly the union" {
    warehouse killed
    one_and_two
    measured m.db
    cp one.db all.db
    abdb merge --db all.db two.db m.db >/dev/null
    ROUNDS=${KILLED_PUSHES:-2} python3 "$root/tests/backends/killed_pushers.py" "$build/abdb" "$url" one.db two.db m.db all.db >said || { cat said; false; }
    abdb push "$url" --db all.db >said
    grep ': 0 entries new' said
    abdb pull "$url" --db back.db >/dev/null
    same "$(facts back.db)" "$(facts all.db)"
}

#!/usr/bin/env bats
# scale.bats - public views as folders of columns: what is in them, that they come whole or not at all, and that SQLite, DuckDB and
# PostgreSQL give the same answers to the questions of schema/scale. Spark: tests/ports/spark.sh. Without DuckDB or PostgreSQL its part is skipped.
load common
load server

# Everything that the questions ask of: measured cells of several months with samples, MLPerf, prices.
asked() {
    filled "$root/data" "$fixtures/figures.jsonl"
}
# A Python that has DuckDB.
duck() {
    for python in "${ABDB_PEERS-}" "$build/venv/bin/python" python3; do
        "$python" -c 'import duckdb' 2>/dev/null && return
    done
    skip "no DuckDB (make peers installs it into build/venv; ABDB_PEERS: a Python that has it)"
}
parquet() {
    mkdir "$1/parquet"
    (cd "$1" && "$python" -c 'import duckdb, sys; duckdb.connect().execute(open(sys.argv[1]).read())' "$root/schema/scale/parquet.sql")
}

@test "exported columns have every row of the views; another order of facts gives the same bytes" {
    asked
    abdb export -o csv --partition plain/
    # the same facts, the last first, by other numbers: the same bytes, but for v_result, which names files
    abdb export >all.jsonl
    tac all.jsonl | abdb import -q --db other.db -
    abdb export --db other.db -o csv --partition other
    for view in v_sample v_run_factor v_kernel v_device; do diff -r plain/$view other/$view; done
    abdb export -o csv --partition again
    diff -r again plain
    # what other texts hold: quotes, commas, ends of lines, escapes; but for bytes that are no UTF-8
    sed 's/b"\\x9b35m/b"/' "$root/tests/checks/plant_hostile_text.py" >plant_hostile_text.py
    python3 plant_hostile_text.py t.db names >/dev/null
    sqlite3 t.db "UPDATE description SET system = char(13) || char(10) || 'a, \"b\"' || char(92) || 'N' || char(10) WHERE description_id % 7 = 0;
        UPDATE description SET submitter = '' WHERE description_id % 7 = 1; UPDATE description SET submitter = 'NULL' WHERE description_id % 7 = 2;
        UPDATE description SET tag = ' ' WHERE description_id % 7 = 3; UPDATE description SET tag = '\"' WHERE description_id % 7 = 4;
        UPDATE result_row SET value = -4.9406564584124654e-324 WHERE result_id % 11 = 0; UPDATE result_row SET value = 1.7976931348623157e308 WHERE result_id % 11 = 1;
        UPDATE result_row SET value = 0.1 + 0.2 WHERE result_id % 11 = 2; UPDATE sample_row SET value = 9007199254740993.0, t_s = 1e22 WHERE sample_id % 3 = 0"
    abdb doctor --rebuild >/dev/null
    abdb export -o csv --partition columns
    python3 "$root/tests/checks/exported_columns.py" t.db columns >said || { grep -A3 '^not ok' said; false; }
    duck
    parquet columns
    "$python" "$root/tests/checks/exported_columns.py" t.db columns parquet >said || { grep -A3 '^not ok' said; false; }
}

@test "SQLite and DuckDB give identical answers to five questions" {
    asked
    abdb export -o csv --partition columns
    python3 "$root/tests/checks/scale_answers.py" sqlite t.db >lite
    # every question has an answer, and what it computes is there
    same "$(grep -c '^== .*: [1-9][0-9]* rows' lite)" 5
    same "$(sed -n '/^== kernel-history/,/^== ml/p' lite | awk -F'\t' 'NF == 8 && $8 != "~"' | grep -c .)" \
        "$(sqlite3 t.db "SELECT count(*) - count(DISTINCT device || cell) FROM (SELECT DISTINCT device, cell, substr(date, 1, 7) FROM v_kernel WHERE status = 'ok' AND time_s > 0)")"
    # one of each by hand: the spread of a cell, from its samples in order
    python3 - <<'P'
import re, sqlite3
db = sqlite3.connect("t.db")
rows = [l.rstrip("\n").split("\t") for l in open("lite").read().split("== sample-spread")[1].split("\n")[1:] if l]
device, cell, month, n, p50, p95, spread = rows[0]
values = sorted(v for (v,) in db.execute("""SELECT s.value FROM v_sample s JOIN v_result r USING (result_id) WHERE r.device = ? AND r.cell = ?
    AND r.date LIKE ? || '%' AND r.metric = 'time_s' AND r.statistic = 'median'""", (device, cell, month)))
assert len(values) == float(n) >= 20
assert float(p50) == values[-(-50 * len(values) // 100) - 1] and float(p95) == values[-(-95 * len(values) // 100) - 1], (p50, p95)
assert float(spread) == float(p95) / float(p50)
P
    duck
    parquet columns
    "$python" "$root/tests/checks/scale_answers.py" duckdb columns >duck
    cmp lite duck
}

@test "PostgreSQL gives the same answers as SQLite; columns of pulled facts equal those of the file" {
    need_server
    asked
    abdb export -o csv --partition columns
    url="postgresql://abdb@/postgres?host=$server/server"
    abdb push "$url" >/dev/null && python3 "$root/tests/checks/scale_answers.py" postgresql "$url" >there
    abdb pull "$url" --db back.db >/dev/null && abdb export --db back.db -o csv --partition back
    python3 "$root/tests/checks/scale_answers.py" sqlite t.db >lite
    cmp lite there
    for view in result sample run_factor kernel mlperf; do diff -r columns/v_$view back/v_$view; done
}

@test "a folder of columns is complete or absent" {
    asked
    # killed in the middle: nothing is there, and the next one clears up
    abdb export -o csv --partition columns &
    until ls .columns.*.part/v_result >/dev/null 2>&1; do kill -0 $!; done
    kill -9 $!
    wait $! || true
    [ ! -e columns ]
    ls -d .columns.*.part
    abdb export -o csv --partition columns
    same "$(ls -A | grep -c part)" 0
    # what is there stays; an empty folder is none
    cp -r columns before
    run abdb export -o csv --partition columns
    fails 2 "columns exists"
    diff -r columns before
    mkdir empty
    abdb export -o csv --partition empty
    diff -r columns empty
    # a full disk
    run bash -c "ulimit -f 200; trap '' XFSZ; abdb export -o csv --partition full"
    fails 6 "disk"
    [ ! -e full ]
    same "$(ls -A | grep -c part)" 0
    run abdb export -o csv --partition nowhere/else
    fails 6 "cannot make"
    run abdb export -o jsonl --partition x
    fails 2 "say -o csv"
    run abdb export --partition x --out y
    fails 2 "not both"
    run abdb export --partition x device=Nothing
    fails 2 "the selection is empty"
    [ ! -e x ]
}

@test "a selection, a redacted export and an empty database have columns" {
    asked
    abdb export -o csv --partition some 'device=H100-SXM'
    same "$(cat some/v_result/*/*/data.csv | grep -c '^[-0-9]')" "$(sqlite3 t.db "SELECT count(*) FROM v_result WHERE device = 'H100-SXM'")"
    sqlite3 t.db "UPDATE description SET tag = 'Hush hush' WHERE evidence = 'measured'"
    abdb export -o csv --redacted --partition public
    same "$(grep -rl 'Hush' public | wc -l)" 0
    same "$(cat public/v_sample/*/*/data.csv | grep -c '^[-0-9]')" "$(sqlite3 t.db "SELECT count(*) FROM v_sample")"
    abdb init --db none.db >/dev/null
    abdb export --db none.db -o csv --partition none
    python3 "$root/tests/checks/exported_columns.py" none.db none >said || { cat said; false; }
    duck
    parquet none
    "$python" "$root/tests/checks/scale_answers.py" duckdb none >said
    same "$(grep -c ': 0 rows' said)" 5
}

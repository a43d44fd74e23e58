#!/usr/bin/env bash
# spark.sh - Spark, as a cluster of two workers that are processes of their own, has the answers of SQLite to the questions of schema/scale,
# over Parquet that DuckDB made of `abdb export -o csv --partition`; and reads those folders of CSV themselves. In TAP.
# ABDB_PEERS: a Python that has duckdb and pyspark (default: that of make spark).
set -uo pipefail
cd "$(dirname "$0")/../.."
[ -x "${BUILD:-build}/abdb" ] || tests/checks/build_targets.sh all || exit 1
root=$PWD build=$PWD/${BUILD:-build} python=${ABDB_PEERS:-$PWD/${BUILD:-build}/venv/bin/python}
"$python" -c 'import duckdb, pyspark' 2>/dev/null && command -v java >/dev/null ||
    { echo "1..0 # SKIP no DuckDB, Spark or Java (make spark; Debian: openjdk-17-jre-headless)"; exit 0; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. tests/ports/ok.sh
echo 1..3
export ABDB_DATA=data ABDB_DB=$dir/t.db
{ "$build/abdb" import -q data tests/fixtures/figures.jsonl &&
    sqlite3 "$dir/t.db" "UPDATE description SET system = 'a, \"b\"' || char(13, 10) || 'c' WHERE description_id % 7 = 0;
        UPDATE description SET submitter = '' WHERE description_id % 7 = 1; UPDATE description SET submitter = 'NULL' WHERE description_id % 7 = 2" &&
    "$build/abdb" doctor --rebuild && "$build/abdb" export -o csv --partition "$dir/columns" && mkdir "$dir/columns/parquet" &&
    (cd "$dir/columns" && "$python" -c 'import duckdb, sys; duckdb.connect().execute(open(sys.argv[1]).read())' "$root/schema/scale/parquet.sql"); } >"$dir/out" 2>&1
ok "columns and Parquet are made"
mkdir "$dir/file" "$dir/folders"
cat >"$dir/file/texts.sql" <<'SQL'
SELECT key, evidence, CASE WHEN date GLOB '????-??*' THEN substr(date, 1, 7) END, system, submitter, value FROM v_result ORDER BY key;
SQL
cat >"$dir/folders/texts.sql" <<'SQL'
SELECT key, evidence, month, system, submitter, CAST(value AS DOUBLE) AS value FROM columns_csv ORDER BY key;
SQL
"$python" tests/checks/scale_answers.py spark "$dir/columns" schema/scale/questions/*.sql "$dir/folders/texts.sql" >"$dir/spark" 2>"$dir/said"
python3 tests/checks/scale_answers.py sqlite "$dir/t.db" >"$dir/lite"
sed '/^== texts/,$d' "$dir/spark" | diff "$dir/lite" - >"$dir/out" 2>&1 && [ "$(grep -c '^== .*: [1-9]' "$dir/lite")" = 5 ] &&
    { grep -qa 'executors: 2' "$dir/said" || { tail -5 "$dir/said" >"$dir/out"; false; }; }
ok "five questions on two workers have SQLite's answers, to the last bit"
python3 tests/checks/scale_answers.py sqlite "$dir/t.db" "$dir/file/texts.sql" >"$dir/lite.texts"
sed -n '/^== texts/,$p' "$dir/spark" | diff "$dir/lite.texts" - >"$dir/out" 2>&1 && [ "$(wc -l <"$dir/lite.texts")" -gt 2000 ]
ok "folders of CSV read by Spark: NULL, empty texts, ends of lines, every bit"
exit $failed

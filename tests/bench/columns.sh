#!/usr/bin/env bash
# columns.sh - the questions of schema/scale asked of one set of facts as a file of SQLite, a PostgreSQL of its own on this machine, and
# Parquet read by DuckDB: engines in turn, ROUNDS (7) times; seconds are medians, ratios medians of those of a round. Beside them sizes, what making
# them took, and 8 writers at once. CELLS: measured cells of million.sql, 30000 (100,000 results, 1,000,000 samples) where nothing is said,
# at most 300000. SPARK=1: Spark with two workers too, once. Answers must be equal.
set -euo pipefail
cd "$(dirname "$0")/../.."
root=$PWD build=$PWD/${BUILD:-build} cells=${CELLS:-30000} rounds=${ROUNDS:-7}
. tests/checks/need.bash
need sqlite3 python3 "$build/abdb"
python=${ABDB_PEERS:-$build/venv/bin/python}
"$python" -c 'import duckdb' 2>/dev/null || { echo "columns: no DuckDB (make peers, or ABDB_PEERS: a Python that has it)"; exit 0; }
dir=$(mktemp -d)
db=$dir/million.db
trap 'bash tests/ports/postgresql_server.sh stop "$dir"; rm -rf "$dir"' EXIT
seconds() { # COMMAND...: how long it took
    local begun=${EPOCHREALTIME/./}
    "$@" >/dev/null
    python3 -c "import sys; print(f'{(int(sys.argv[2]) - int(sys.argv[1])) / 1e6:.1f}')" "$begun" "${EPOCHREALTIME/./}"
}
size() { du -sh --apparent-size "$@" | cut -f1 | xargs; }
parquet() { (cd "$dir/columns" && mkdir -p parquet && "$python" -c 'import duckdb, sys; duckdb.connect().execute(open(sys.argv[1]).read())' "$root/schema/scale/parquet.sql"); }

"$build/abdb" import -q data --db "$db"
sed "s/i < 299999/i < $((cells - 1))/; s/50000 AS others/$((cells / 6)) AS others/" tests/bench/million.sql | sqlite3 "$db" >/dev/null
"$build/abdb" init --db "$db" >/dev/null
sqlite3 "$db" ANALYZE
engines=(sqlite "$db" duckdb "$dir/columns")
echo "$(sqlite3 "$db" 'SELECT count(*) FROM result_row') results, $(sqlite3 "$db" 'SELECT count(*) FROM sample_row') samples; $(date -u +%F), $(uptime | sed 's/.*load/load/')"
echo
echo "| | seconds to make | size |"
echo "|---|---|---|"
echo "| SQLite file | | $(size "$db") |"
if bash tests/ports/postgresql_server.sh here && [ -x "$build/abdb-store-pg" ]; then
    bash tests/ports/postgresql_server.sh start "$dir"
    url="postgresql://abdb@/postgres?host=$dir/server"
    took=$(seconds "$build/abdb" push "$url" --db "$db")
    psql -X -q -d "$url" -c "VACUUM ANALYZE"
    echo "| PostgreSQL, pushed | $took | $(psql -X -t -A -d "$url" -c "SELECT pg_size_pretty(pg_database_size('postgres'))") |"
    engines+=(postgresql "$url")
fi
took=$(seconds "$build/abdb" export --db "$db" -o csv --partition "$dir/columns")
echo "| folders of CSV | $took | $(size "$dir/columns") |"
took=$(seconds parquet)
echo "| Parquet out of them, by DuckDB | $took | $(size "$dir/columns/parquet") |"
echo "| of it v_sample.parquet | | $(size "$dir/columns/parquet/v_sample.parquet") |"

for ((i = 0; i < rounds; i++)); do
    for ((e = 0; e < ${#engines[@]}; e += 2)); do
        TIMES=$dir/times.$i "$python" tests/checks/scale_answers.py "${engines[e]}" "${engines[e + 1]}" >"$dir/answers.${engines[e]}"
        cmp "$dir/answers.sqlite" "$dir/answers.${engines[e]}"
    done
done
if [ -n "${SPARK-}" ]; then
    TIMES=$dir/times.spark "$python" tests/checks/scale_answers.py spark "$dir/columns" >"$dir/answers.spark" 2>"$dir/said" || { tail -5 "$dir/said"; exit 1; }
    cmp "$dir/answers.sqlite" "$dir/answers.spark"
fi
echo
python3 - "$dir" "$rounds" <<'P'
import statistics, sys
folder, rounds = sys.argv[1], int(sys.argv[2])
times, rows, engines = {}, {}, []
for i in [*range(rounds), "spark"]:
    try:
        lines = open(f"{folder}/times.{i}").read().splitlines()
    except OSError:
        continue
    for engine, question, seconds, count in (l.split("\t") for l in lines):
        times.setdefault((engine, question), []).append(float(seconds))
        rows[question] = count
        engines += [engine] if engine not in engines else []
print("| question | rows | " + " | ".join(f"{e} s" + ("" if e == "sqlite" else f" | {e} / sqlite") for e in engines) + " |")
print("|---" * (1 + 2 * len(engines)) + "|")
for question in rows:
    cells = []
    for e in engines:
        t = times[e, question]
        cells.append(f"{statistics.median(t):.3g}")
        if e != "sqlite":
            cells.append(f"{statistics.median(a / b for a, b in zip(t, times['sqlite', question])):.3g}")
    print(f"| {question} | {rows[question]} | " + " | ".join(cells) + " |")
P

# eight writers at once, and the same one after another
one() { # writes NAME: 500 results of its own
    python3 - "$1" >"$dir/$1.jsonl" <<'P'
import json, sys
for i in range(500):
    print(json.dumps({"record": "entry", "field": {"evidence": "measured", "kind": "run", "source": "lab", "workload": "gemm", "device": "Box",
        "devices": "1", "cell": f"{sys.argv[1]} {i}"}, "result": [{"metric": "time_s", "statistic": "median", "value": 0.001 * (i + 1), "n": 3}]}))
P
}
for i in 1 2 3 4 5 6 7 8; do
    for kind in a b; do one "$kind$i"; done
    "$build/abdb" import -q --db "$dir/p$i.db" "$dir/a$i.jsonl" 2>/dev/null
    "$build/abdb" import -q --db "$dir/q$i.db" "$dir/b$i.jsonl" 2>/dev/null
done
turn() { for i in 1 2 3 4 5 6 7 8; do "$@" "$i"; done; }
once() { for i in 1 2 3 4 5 6 7 8; do "$@" "$i" & done; wait; }
into() { "$build/abdb" import -q --db "$db" "$dir/$1$2.jsonl" 2>/dev/null; }
up() { "$build/abdb" push "$url" --db "$dir/$1$2.db" >/dev/null; }
echo
echo "| 8 writers of 500 results each | one after another, s | at once, s |"
echo "|---|---|---|"
before=$(sqlite3 "$db" "SELECT count(*) FROM result_row")
echo "| abdb import into the SQLite file | $(seconds turn into a) | $(seconds once into b) |"
[ $(($(sqlite3 "$db" "SELECT count(*) FROM result_row") - before)) = 8000 ]
[ -z "${url-}" ] || echo "| abdb push to PostgreSQL | $(seconds turn up p) | $(seconds once up q) |"
[ -z "${url-}" ] || [ "$(psql -X -t -A -d "$url" -c "SELECT count(*) FROM abdb.v_result WHERE source = 'lab'")" = 8000 ]

#!/usr/bin/env bash
# run.sh - paired ratios against peers on this machine: ABBA pairs, the median ratio with its 95 % interval.
# PAIRS (15) and ROWS (2000000) may be set. Nothing here is a threshold: machines are shared and noisy.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$PWD/${BUILD:-build}
. tests/checks/need.bash
need jq sqlite3 "$build/abdb"
pairs=${PAIRS:-15}
rows=${ROWS:-2000000}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export OMP_PROC_BIND=close OMP_PLACES=cores OMP_WAIT_POLICY=active
OMP_NUM_THREADS=$(nproc)
export OMP_NUM_THREADS OPENBLAS_NUM_THREADS=$OMP_NUM_THREADS

. tests/bench/pair.sh

seconds() { # the wall time of a command
    local start
    start=$(date +%s%N)
    "$@" >/dev/null 2>&1
    echo "$start $(date +%s%N)" | awk '{ print ($2 - $1) / 1e9 }'
}

echo "date      $(date -u +%F)"
echo "machine   $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1), $(nproc) processors, $(. /etc/os-release && echo "$PRETTY_NAME")"
echo "peers     $(sqlite3 --version | cut -d' ' -f1-2 | sed 's/^/sqlite3 /')"
[ ! -x "$build/abdb-run-openblas" ] || echo "          $("$build/abdb-run-openblas" describe | jq -r 'select(.kind == "environment") | .environment.library')"
echo
echo "| what (A against its peer B) | A | B | B/A | 95 % interval | pairs |"
echo "|---|---|---|---|---|---|"

if [ -x "$build/abdb-run-openblas" ]; then
    gcc -O2 -o "$dir/direct" tests/bench/direct.c -lopenblas
    direct() { "$dir/direct" 1024 | cut -d' ' -f1; }
    harness() {
        echo '{"cell":"x","kernel":"gemm","params":{"n":"1024","dtype":"f32"},"quick":true}' | "$build/abdb-run-openblas" run 2>/dev/null |
            jq -rs '[.[] | select(.kind == "sample") | .time_s] | sort | .[length / 2 | floor]'
    }
    auto() { OPENBLAS_CORETYPE=$best harness; }
    pair "sgemm n=1024 through abdb-run-openblas, against a plain cblas_sgemm" harness direct
    best=$(grep -q avx512vl /proc/cpuinfo && echo SkylakeX || echo Haswell)
    pair "sgemm n=1024 with core type $best (--core-type auto), against as installed" auto harness
fi

awk -v n="$rows" 'BEGIN { print "evidence,source,submitter,workload,model,scenario,device,devices,dtype,date,metric,value,unit,locator,factor.batch"
    for (i = 0; i < n; i++) printf "published,bench,someone %d,serving,model-%d,Offline,device-%d,8,bf16,2026-01-01,tokens_per_s,%d.%d,token/s,row %d,%d\n", i % 40, i % 97, i % 61, 1000 + i, i % 10, i, 2 ^ (i % 9) }' >"$dir/big.csv"
abdb_import() { rm -f "$dir/a.db"; seconds "$build/abdb" import -q "$dir/big.csv" --db "$dir/a.db"; }
sqlite_import() { rm -f "$dir/s.db"; seconds sqlite3 "$dir/s.db" ".mode csv" ".import $dir/big.csv t"; }
pair "abdb import of $rows rows, against sqlite3 .import into one untyped table" abdb_import sqlite_import
# The floor: SQLite alone stores the same rows, ready made in another file, in the same tables, and builds the same indexes at the end.
{
    echo "PRAGMA synchronous = NORMAL; PRAGMA threads = 1; ATTACH '$dir/a.db' AS a; BEGIN;"
    indexes="FROM sqlite_schema WHERE type = 'index' AND tbl_name IN ('entry_row', 'description') AND sql IS NOT NULL AND sql NOT LIKE '%) WHERE %'"
    sqlite3 "$dir/a.db" "SELECT 'DROP INDEX main.' || name || ';' $indexes"
    for table in description entry_row result_row; do echo "INSERT INTO main.$table SELECT * FROM a.$table WHERE 1;"; done # WHERE: rows, not whole records, are copied
    echo "PRAGMA main.cache_size = -4096;"
    sqlite3 "$dir/a.db" "SELECT replace(sql, 'INDEX ', 'INDEX main.') || ';' $indexes"
    echo "COMMIT;"
} >"$dir/floor.sql"
floor_store() { rm -f "$dir/f.db" && "$build/abdb" init --db "$dir/f.db" >/dev/null && seconds sqlite3 "$dir/f.db" ".read $dir/floor.sql"; }
pair "SQLite alone storing the same rows, ready made, in abdb's tables, against sqlite3 .import" floor_store sqlite_import
python=$build/venv/bin/python
if "$python" -c 'import duckdb' 2>/dev/null; then
    duck_text() { "$python" tests/bench/duck_csv.py "$dir/big.csv" text; }
    duck_typed() { "$python" tests/bench/duck_csv.py "$dir/big.csv" typed; }
    pair "the same, against DuckDB's read_csv into one table of text" abdb_import duck_text
    pair "the same, against DuckDB's read_csv with the types it finds" abdb_import duck_typed
else
    echo "| DuckDB's read_csv | absent: \`make peers\` | | | | |"
fi

# The archive of a round, from a pipe: most of it is unpacked and passed over. ROUND names a real one.
round=${ROUND:-$dir/round.tar.gz}
if [ -z "${ROUND:-}" ]; then
    logs=$dir/inference_results_v5.1/closed/Someone
    run=results/box/llama2-70b-99/Server/performance/run_1
    mkdir -p "$logs/$run" "$logs/systems" "$logs/code"
    cp tests/fixtures/mlperf_detail.txt "$logs/$run/mlperf_log_detail.txt"
    cp tests/fixtures/mlperf_power.txt "$logs/$run/spl.txt"
    for i in $(seq 200); do
        cp -r "$logs/results/box" "$logs/results/box$i"
        cp tests/fixtures/mlperf_system.json "$logs/systems/box$i.json"
        cp tests/fixtures/mlperf_system.json "$logs/systems/box.json"
        awk -v i="$i" 'BEGIN { srand(i); for (k = 0; k < 40000; k++) printf "%d:%.9f\n", k, rand() }' >"$logs/code/$i.log"
    done
    tar cz -C "$dir" -f "$round" inference_results_v5.1
fi
round_import() { rm -f "$dir/r.db"; seconds sh -c '"$1" import -q - --db "$2" <"$3"' sh "$build/abdb" "$dir/r.db" "$round"; }
unpack() { seconds gzip -dc "$round"; }
list() { seconds bsdtar -tf "$round"; }
pair "abdb import of a round's archive of $(($(stat -L -c %s "$round") / 1000000)) MB, against gzip -dc" round_import unpack
if command -v bsdtar >/dev/null; then
    pair "the same, against bsdtar -tf, which reads it by the same library" round_import list
else
    echo "| bsdtar -tf | absent: libarchive-tools | | | | |"
fi
mkdir "$dir/tiny"
for i in $(seq 5000); do echo "words that are no data: $i" >"$dir/tiny/$i.md"; done
tar c -C "$dir" -f "$dir/tiny.tar" tiny
tiny_import() { seconds "$build/abdb" import -q "$dir/tiny.tar" --db "$dir/tiny.db"; }
tiny_list() { seconds tar tf "$dir/tiny.tar"; }
tiny_import >/dev/null # the database is there
pair "abdb import of an archive of 5000 tiny members, against tar tf" tiny_import tiny_list
abdb_import >/dev/null
sqlite_import >/dev/null
echo
echo "where the time of the import goes (--timing):"
"$build/abdb" import --timing "$dir/big.csv" --db "$dir/t.db" 2>&1 | sed 's/^/    /' # the parts beside each other overlap
echo
echo "size      abdb $(stat -c %s "$dir/a.db"), sqlite3 $(stat -c %s "$dir/s.db") bytes: $(awk -v a="$(stat -c %s "$dir/a.db")" -v b="$(stat -c %s "$dir/s.db")" 'BEGIN { printf "%.2f", a / b }') times"

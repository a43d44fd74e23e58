#!/usr/bin/env bash
# reports.sh - how long answers take on a million results with 20 factors each and ten million samples (million.sql): the
# least of RUNS (5) in milliseconds, program start included: other work on the machine only adds. Goals: one device, workload or round 50 ms; two devices on one
# workload 100 ms; the whole database 1 s; a figure 300 ms. Beside them the time without the planner's statistics. Then DuckDB's time for the same SQL on the same rows, where it is installed.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$PWD/${BUILD:-build}
. tests/checks/need.bash
need sqlite3 "$build/abdb"
runs=${RUNS:-5}
dir=${DIR:-$(mktemp -d)}
[ -n "${DIR:-}" ] || trap 'rm -rf "$dir"' EXIT
export ABDB_DB=$dir/million.db NO_COLOR=1
if [ ! -s "$ABDB_DB" ]; then
    "$build/abdb" import -q data
    sqlite3 "$ABDB_DB" <tests/bench/million.sql >/dev/null
    "$build/abdb" init >/dev/null
    sqlite3 "$ABDB_DB" "ANALYZE" # abdb has SQLite do this after each import that calls for it
fi
bare=$dir/bare.db
[ -s "$bare" ] || { cp "$ABDB_DB" "$bare" && sqlite3 "$bare" "DELETE FROM sqlite_stat1"; }
"$build/abdb" init >/dev/null && "$build/abdb" init --db "$bare" >/dev/null # views of this build

ms() { # the least time of a command
    local i start
    for ((i = 0; i < runs; i++)); do
        start=$(date +%s%N)
        "$@" >/dev/null 2>"$dir/err" || { [ $? -eq 3 ] || { cat "$dir/err" >&2; return 1; }; }
        echo $((($(date +%s%N) - start) / 1000))
    done | sort -n | awk 'NR == 1 { printf "%.0f", $1 / 1000 }'
}
line() { # GOAL_MS NAME COMMAND...
    local goal=$1 name=$2 t without
    shift 2
    t=$(ms "$build/abdb" "$@")
    without=$(ms "$build/abdb" "$@" --db "$bare")
    printf '| %s | %s | %s | %s | %s |\n' "$name" "$goal" "$t" "$without" "$([ "$t" -le "$goal" ] && echo yes || echo NO)"
}

echo "| question, on $(sqlite3 "$ABDB_DB" 'SELECT count(*) FROM result') results and $(sqlite3 "$ABDB_DB" 'SELECT count(*) FROM sample') samples | goal ms | ms | without statistics | met |"
echo "|---|---|---|---|---|"
h200=device=H200-SXM b200=device=B200-SXM
line 50 "query mlperf-llm of a round" query mlperf-llm --round v6.0
line 50 "query llm-by-scenario of a benchmark" query llm-by-scenario --round v6.0
line 50 "query coverage of a round" query coverage --round v6.0
line 50 "query round-changes of a benchmark" query round-changes --model llama2-70b-99 --from v5.4 --to v6.0
line 50 "query price-for-throughput of a benchmark" query price-for-throughput --model llama2-70b-99
line 50 "query token-cost of a benchmark" query token-cost --model llama2-70b-99
line 50 "query latency-throughput of a device" query latency-throughput --device H200-SXM
line 50 "query peak-achieved of a device" query peak-achieved --device Gaudi2
line 50 "query specs of a vendor" query specs --vendor AMD
line 50 "query prices" query prices
line 50 "query kernels of a command" query kernels --campaign c-1234
line 50 "query rules" query rules
line 100 "compare two devices on one workload" compare $h200 $b200 --where model=llama2-70b-99,evidence=mlperf --per device
line 100 "compare two devices on one workload, per dollar" compare device=H100-SXM $h200 --where model=llama2-70b-99,evidence=mlperf --per dollar --price 'H200-SXM=2.5 USD/h'
line 100 "compare two commands of abdb run" compare tag=tag100 tag=tag150
line 100 "rank a workload" rank --workload llama2-70b-99 --scenario Server --where round=v6.0 --per device
line 1000 "query perf-per-dollar of a source" query perf-per-dollar --source databricks-gaudi2
line 1000 "query scaling of a source" query scaling --source argonne-llm
line 1000 "query sensitivity of a source" query sensitivity --source argonne-llm
line 1000 "query sources" query sources
line 1000 "query artifacts" query artifacts
line 1000 "query unresolved" query unresolved
line 1000 "query machine-changes of a machine" query machine-changes --device "Box CPU 3" --kernel stream
line 1000 "audit claims" audit claims
line 1000 "audit conflicts" audit conflicts
line 1000 "audit plausibility" audit plausibility
line 1000 "audit gaps" audit gaps
line 1000 "query mlperf-llm of all rounds" query mlperf-llm --round all
line 1000 "query scaling of everything" query scaling
line 1000 "query peak-achieved of everything" query peak-achieved
one=$(sqlite3 "$ABDB_DB" "SELECT key FROM v_result WHERE campaign = 'c-1234' LIMIT 1")
many=$(sqlite3 "$ABDB_DB" "SELECT group_concat(key, ' ') FROM (SELECT key FROM v_result WHERE campaign IN ('c-1234', 'c-99') LIMIT 200)")
line 50 "explain 1 key" explain "$one"
# shellcheck disable=SC2086 # keys are words
line 500 "explain 200 keys" explain $many
line 50 "SQL: one result by result_id" query "SELECT value, unit, device FROM v_result WHERE result_id = 500000"
line 50 "SQL: factors of a command's results" query "SELECT count(*) FROM v_factor WHERE result_id IN (SELECT result_id FROM v_result WHERE campaign = 'c-1234')"
line 50 "SQL: formulas of a command's results" query "SELECT count(*) FROM v_normalised WHERE result_id IN (SELECT result_id FROM v_result WHERE campaign = 'c-1234')"
line 1000 "SQL: results by evidence" query "SELECT evidence, count(*) FROM v_result GROUP BY 1"

echo
cpu() { # processor seconds of a command
    local TIMEFORMAT='%U %S'
    { time "$@" >/dev/null 2>&1; } 2>&1 | awk '{ print $1 + $2 }'
}
sql_s() { # seconds that SQLite takes for one statement, the best of RUNS
    for ((i = 0; i < runs; i++)); do
        printf '.timer on\n%s;\n' "$1" | sqlite3 "$ABDB_DB" | awk '/^Run Time/ { print $4 }'
    done | sort -n | head -1
}
by_key=$(sql_s "SELECT count(*), sum(s.value) FROM v_sample s JOIN v_result r USING (result_id) WHERE r.raw_device = 'Box CPU 3'")
by_table=$(sql_s "SELECT count(*), sum(s.value) FROM description d JOIN entry_row e USING (description_id) JOIN result_row r USING (entry_id) JOIN sample_row s ON s.sample_id BETWEEN r.first_sample AND r.last_sample WHERE d.device = 'Box CPU 3'")
echo "join      v_sample USING (result_id) with v_result $by_key s, the tables $by_table s: $(awk -v a="$by_key" -v b="$by_table" 'BEGIN { printf "%.2f", b ? a / b : 0 }') times (goal 1.2)"
echo "size      $(sqlite3 "$ABDB_DB" "WITH s AS (SELECT sum(pgsize) AS bytes, sum(CASE name WHEN 'sample_row' THEN pgsize END) AS samples FROM dbstat)
    SELECT round(samples * 1.0 / (SELECT count(*) FROM sample_row), 1) || ' bytes a sample (goal 33), ' ||
           round((bytes - samples) * 1.0 / (SELECT count(*) FROM result_row), 1) || ' a result (goal 140)' FROM s")"
for i in 1 2 3; do
    { head -1 data/results/mlperf-inference-v6.0-site.csv; sed -n "$((i + 4))p" data/results/mlperf-inference-v6.0-site.csv | awk -F, -v OFS=, -v who="bench $RANDOM" '{ $11 = who; print }'; } >"$dir/one.csv"
    cpu "$build/abdb" import -q "$dir/one.csv"
done | sort -n | awk '{ t[NR] = $1 } END { print "one row   imported into it: " t[2] " s of processor time (goal 0.1)" }'

"$build/abdb" import -q tests/fixtures/{figures,fleet}.jsonl && "$build/abdb" import -q tests/fixtures/{figures,fleet}.jsonl --db "$bare"
for figure in $("$build/abdb" plot --names); do
    options=()
    case $figure in
    price-performance) options=(--price 'B200-SXM=4 USD/h,H200-SXM=2.5 USD/h') ;;
    speedup-map) options=(--baseline build-1 --contender build-2) ;;
    paired) options=(--baseline tag=before --contender tag=after) ;;
    esac
    "$build/abdb" plot "$figure" "${options[@]}" --script >/dev/null 2>&1 || { echo "| plot $figure | 300 | nothing to draw | | |"; continue; }
    line 300 "plot $figure" plot "$figure" "${options[@]}" --out "$dir/figure.svg"
done

python=$build/venv/bin/python
if ! "$python" -c 'import duckdb' 2>/dev/null; then
    echo
    echo "DuckDB: absent (make peers)"
    exit 0
fi
echo
"$python" tests/bench/duck.py "$ABDB_DB" "$runs"

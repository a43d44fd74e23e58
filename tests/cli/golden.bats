#!/usr/bin/env bats
# golden.bats - one file per screen: tests/golden/NAME.txt. `make golden` writes them anew.
load common

golden() { # NAME COMMAND...
    name=$1
    shift
    "$@" >out 2>err || true
    { cat out; [ ! -s err ] || { echo "--- standard error"; cat err; }; } | sed "s#$dir#DIR#g; s#$root#ROOT#g" >got
    if [ -n "${UPDATE:-}" ]; then cp got "$root/tests/golden/$name.txt"; fi
    diff -u "$root/tests/golden/$name.txt" got
}

@test "reports print their golden texts" {
    cp "$fixtures"/{checker.csv,summary.json} .
    abdb import -q "$root/data" checker.csv
    golden mlperf-llm-server abdb query mlperf-llm --round v6.0 --model llama2-70b-99 --scenario Server
    golden mlperf-llm abdb query mlperf-llm
    golden mlperf-llm-markdown abdb query mlperf-llm --round v5.1 --model llama3.1-405b --scenario Offline -o markdown
    golden perf-per-dollar abdb query perf-per-dollar --today 2026-11-20
    golden perf-per-dollar-csv abdb query perf-per-dollar --today 2026-11-20 -o csv
    golden perf-per-dollar-latex abdb query perf-per-dollar --today 2026-11-20 -o latex
    golden specs abdb query specs
    golden sources abdb query sources
    golden unresolved abdb query unresolved
    golden schema-result abdb query --schema v_result
}

# One golden output for each question that users ask.
@test "reports for questions print their golden texts" {
    cp "$fixtures"/{checker.csv,questions.csv} .
    abdb import -q "$root/data" checker.csv questions.csv
    golden llm-by-scenario abdb query llm-by-scenario
    golden training-time abdb query training-time
    golden token-cost abdb query token-cost --today 2026-11-20
    golden latency-throughput abdb query latency-throughput
    golden scaling abdb query scaling
    golden sensitivity-sequence abdb query sensitivity
    golden sensitivity-gas abdb query sensitivity --factor gas
    golden peak-achieved abdb query peak-achieved
    golden price-for-throughput abdb query price-for-throughput --price 'B200-SXM=4 USD/h' --today 2026-11-20
    golden round-changes abdb query round-changes --model llama2-70b-99
    golden machine-changes abdb query machine-changes --since 2026-02-01
    golden coverage abdb query coverage
    golden rules abdb query rules
    golden factors abdb query factors --workload mlperf
    golden mlperf-footnotes abdb query mlperf-footnotes --keys "$(ask "SELECT group_concat(key, ' ') FROM v_mlperf WHERE device = 'H200-SXM' AND model = 'llama2-70b-99' AND scenario = 'Server'")"
}

@test "comparisons and rankings print their golden texts" {
    filled "$root/data" "$fixtures/questions.csv"
    h200=device=H200-SXM,model=llama2-70b-99,evidence=mlperf
    golden compare abdb compare $h200 device=MI355X model=llama2-70b-99,evidence=measured --where model=llama2-70b-99 --per device
    golden compare-markdown abdb compare $h200,division=closed device=B200-SXM,model=llama2-70b-99,division=closed --per device -o markdown
    golden compare-exploratory abdb compare $h200,scenario=Offline model=llama2-70b-99,evidence=measured --exploratory
    golden compare-csv abdb compare $h200,scenario=Offline,division=closed model=llama2-70b-99,evidence=measured -o csv
    golden compare-documents abdb compare device=A100-SXM-80GB device=Gaudi2 --where source=databricks-gaudi2 --per dollar --price-date 2024-02-01 --today 2026-11-20
    golden rank abdb rank --workload llama2-70b-99 --scenario Server --per device --where round=v6.0
    golden rank-dollar abdb rank --workload MPT --per dollar --today 2026-11-20
    golden rank-front abdb rank --workload Llama-3.1-70B --pareto tpot_s
    golden rank-suite abdb rank round=v6.0,division=closed,scenario=Offline,system_type=datacenter --suite --baseline B200-SXM --per device
    golden compare-help abdb compare --help
}

@test "screens of verbs print their golden texts" {
    golden help abdb --help
    golden query-first abdb query
    golden query-list abdb query --all
    golden plot-list abdb plot
    cp "$fixtures"/{checker.csv,summary.json} .
    golden import abdb import checker.csv summary.json nothing.csv
    golden rejects abdb query rejects
    golden artifacts-columns abdb query "SELECT artifact, format, accepted, duplicate, rejected, ignored FROM v_artifact ORDER BY artifact;"
    golden report-help abdb query perf-per-dollar --help
    golden run-dry abdb run -q --plan quick --backend ref --dry-run
    golden man abdb help --man
}

@test "the script of a figure matches its golden text" {
    filled "$root/data"
    golden plot-script abdb plot mlperf-llm --round v6.0 --model llama2-70b-99 --scenario Server --script
}

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

@test "reports" {
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

@test "screens of verbs" {
    golden help abdb --help
    golden query-list abdb query
    golden plot-list abdb plot
    cp "$fixtures"/{checker.csv,summary.json} .
    golden import abdb import checker.csv summary.json nothing.csv
    golden rejects abdb query rejects
    golden artifacts-columns abdb query "SELECT artifact, format, accepted, duplicate, rejected, ignored FROM v_artifact ORDER BY artifact;"
    golden report-help abdb query perf-per-dollar --help
    golden run-dry abdb run --plan quick --backend ref --dry-run
    golden man abdb help --man
}

@test "a figure's script" {
    abdb import -q "$root/data"
    golden plot-script abdb plot mlperf-llm --round v6.0 --model llama2-70b-99 --scenario Server --script
}

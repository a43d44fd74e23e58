#!/usr/bin/env bats
# latency_limits.bats - choosing within a time to first token, per output token or per query: what a run measured, what MLPerf requires.
load common

mapfile -t half < <(half_of_data)
# choose OPTION...: as CSV, without what only the question adds.
chosen() { abdb choose -o csv --today 2026-11-01 "$@" 2>/dev/null | python3 -c '
import csv, sys
for row in csv.DictReader(sys.stdin):
    print(*[v for k, v in row.items() if k not in ("met_by", "place")])'; }
met_by() { abdb choose --json --today 2026-11-01 "$@" 2>/dev/null | jq -r '[.[].met_by] | unique | join("; ")'; }

@test "a latency limit selects a scenario with strict enough limits, and no other results" {
    filled "${half[@]}"
    same "$(chosen llama2-70b-99 --rate 100k/s --tpot 50ms)" "$(chosen llama2-70b-99 interactive --rate 100k/s)"
    same "$(chosen llama2-70b-99 --rate 100k/s --tpot 40ms --ttft '0.45 s')" "$(chosen llama2-70b-99 interactive --rate 100k/s)"
    same "$(met_by llama2-70b-99 --tpot 40ms --ttft 450ms)" "rule of Interactive: TTFT p99 <= 450 ms, TPOT p99 <= 40 ms"
    same "$(chosen llama2-70b-99 server --tpot 200ms)" "$(chosen llama2-70b-99 server)"
    same "$(met_by llama2-70b-99 server --tpot 0.25)" "rule of Server: TPOT p99 <= 200 ms"
    # a limit of fewer requests is implied, one of more is not
    same "$(chosen llama2-70b-99 --tpot 50ms --percentile 90)" "$(chosen llama2-70b-99 --tpot 50ms)"
    for stricter in '--tpot 39ms' '--ttft 449ms' '--tpot 50ms --percentile 99.9' '--tpot 50ms --latency 1s'; do
        run abdb choose llama2-70b-99 $stricter
        fails 3 "MLPerf® limits of llama2-70b-99 Interactive: TTFT p99 <= 450 ms, TPOT p99 <= 40 ms"
    done
    run abdb rank llama2-70b-99 server --per device
    fails 0 "MLPerf® limits of llama2-70b-99 Server: TTFT p99 <= 2 s, TPOT p99 <= 200 ms"
    run abdb choose llama2-70b-99 server
    fails 0 "limits of MLPerf TTFT p99 <= 2 s, TPOT p99 <= 200 ms"
}

@test "a script finds the same results for the limits of every round and scenario" {
    filled "${half[@]}"
    ask "SELECT DISTINCT m.model, m.scenario, m.round FROM v_mlperf m WHERE m.suite = 'inference' AND m.scenario IN ('Server', 'Interactive')
         AND m.left_out = '' AND m.division = 'closed' AND m.unit LIKE '%/s'" >cells
    [ "$(wc -l <cells)" -gt 15 ]
    while IFS=, read -r model scenario round; do
        benchmark=${model%-99.9}
        benchmark=${benchmark%-99}
        awk -F, -v r="$round" -v b="$benchmark" -v s="$scenario" '$2 == r && $3 == b && $4 == s { print $5, $7 }' "$root/data/rules/limits.csv" >limits
        selection="model=$model,scenario=$scenario,round=$round"
        if [ ! -s limits ]; then # none is known: nothing may be taken for granted
            run abdb choose "$selection" --ttft 100s --tpot 100s
            [ "$status" -eq 3 ] || { echo "$selection: exit $status"; return 1; }
            continue
        fi
        while read -r quantity limit; do
            option=--${quantity%_s}
            same "$selection $option: $(chosen "$selection" "$option" "$limit")" "$selection $option: $(chosen "$selection")"
            run abdb choose "$selection" "$option" "$(awk -v l="$limit" 'BEGIN { print 0.99 * l }')"
            [ "$status" -eq 3 ] || { echo "$selection $option: exit $status: $output"; return 1; }
        done <limits
    done < <(if thorough; then cat cells; else awk 'NR % 4 == 1' cells; fi)
}

@test "a measured latency counts for its own percentile and lower ones, but not a mean or another run" {
    filled "${half[@]}"
    own() { # NAME STATISTIC TPOT_S: one result with a latency of its run
        jq -nc --arg name "$1" --arg statistic "$2" --argjson tpot "$3" '{record: "entry", field: {evidence: "measured", kind: "run", source: "mine",
            workload: "serving", model: "mine", scenario: "serving", device: "H100-SXM", devices: "8", nodes: "1", dtype: "fp8", tag: $name},
            factor: {load: $name}, result: [{metric: "tokens_per_s", statistic: "value", value: 5000, unit: "token/s"},
            {metric: "tpot_s", statistic: $statistic, value: $tpot, unit: "s"}]}'
    }
    { echo '{"record":"source","source":"mine","kind":"measured","title":"mine"}'
      own slow p99 0.080; own quick p99 0.030; own mean mean 0.001; own middle p50 0.001; } >own.jsonl
    abdb import -q own.jsonl
    same "$(met_by work=mine --tpot 50ms --where tag=quick)" "own run: TPOT p99 = 30 ms"
    same "$(met_by work=mine --tpot 50ms --where tag=quick --percentile 95)" "own run: TPOT p99 = 30 ms"
    same "$(met_by work=mine --tpot 50ms --where tag=middle --percentile 50)" "own run: TPOT p50 = 1 ms"
    for tag in slow mean middle; do
        run abdb choose work=mine --tpot 50ms --where "tag=$tag"
        fails 3 "no result of which it is known that it keeps the latency limit"
    done
    run abdb choose work=mine --ttft 50ms --where tag=quick
    fails 3 "no result of which it is known"
}

@test "a wrong latency limit, and a latency limit for a training, are refused" {
    filled "${half[@]}"
    for wrong in '--tpot fast' '--ttft 0' '--latency -1ms' '--tpot 5GB' '--percentile 101 --tpot 1s'; do
        run abdb choose llama2-70b-99 $wrong
        [ "$status" -eq 2 ] || { echo "$wrong: exit $status: $output"; return 1; }
    done
    run abdb choose llama2_70b_lora --time-to-train 2h --tpot 20ms
    fails 2 "a training has no latency"
}

#!/usr/bin/env bats
# conditions.bats - the right side of a condition has the type of the left; sides that share results; directions in a mean.
load common

published() { # MODEL METRIC UNIT VALUE_OF_H100 VALUE_OF_MI300X: two rows of a results CSV
    printf 'published,statement,lab,mine,%s,%s,s,H100-SXM,1,fp8,%s,%s,%s\n' "$1" "$1" "$2" "$4" "$3"
    printf 'published,statement,lab,mine,%s,%s,s,MI300X,1,fp8,%s,%s,%s\n' "$1" "$1" "$2" "$5" "$3"
}
head=evidence,kind,source,suite,workload,model,scenario,device,devices,dtype,metric,value,unit
serving() { # FILE MEAN_TPOT_MS: what vLLM's client writes
    cat >"$1" <<END
{"date":"20261101-080000","model_id":"meta-llama/Llama-3.1-8B","num_prompts":100,"request_rate":"inf","max_concurrency":64,"duration":50.0,
"completed":100,"total_input_tokens":204800,"total_output_tokens":20480,"request_throughput":2.0,"output_throughput":409.6,"mean_ttft_ms":200,
"median_ttft_ms":150,"p99_ttft_ms":900,"mean_tpot_ms":$2,"median_tpot_ms":45,"p99_tpot_ms":900}
END
}
# Which devices does that condition leave?
left_by() { abdb rank --where "$1" -o csv 2>/dev/null | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "device") c = i } NR > 1 { print $c }' | sort | tr '\n' ' '; }

@test "a number in a condition may have a unit and a prefix, and each spelling selects the same rows" {
    cat >rows.csv <<'END'
evidence,kind,source,workload,model,scenario,device,devices,dtype,metric,value,unit,also.tpot_s,also.power_w,factor.input_tokens
published,statement,lab,serving,Llama-3.1-8B,serving,H100-SXM,1,fp8,tokens_per_s,5000,token/s,0.040,650,1500
published,statement,lab,serving,Llama-3.1-8B,serving,MI300X,1,fp8,tokens_per_s,9000,token/s,0.400,740,3000
END
    abdb import -q rows.csv
    for condition in 'tpot_s<0.05' 'tpot_s<50ms' 'tpot_s < 50 ms' 'tpot_s<5e-2' 'tpot_s<.05s' 'tpot_s≤50000 us' 'power_w<700W' 'power_w<0.7kW' \
        'power_w≤650' 'value<6k' 'value<6000' 'input_tokens<=2k' 'input_tokens<2000x' 'input_tokens≠3000'; do
        same "$condition: $(left_by "$condition")" "$condition: H100-SXM "
    done
    same "$(left_by 'tpot_s<400ms')" "H100-SXM "
    same "$(left_by 'tpot_s<=400ms')" "H100-SXM MI300X "
}

@test "an order comparison of an unordered column is refused with advice" {
    abdb import -q "$fixtures/questions.csv"
    for condition in 'devices<=eight' 'value>fast' 'tpot_s<5 GB' 'tpot_s<' 'device>H100' 'submitter<Z'; do
        run abdb rank --where "$condition"
        [ "$status" -eq 2 ] || { echo "$condition: exit $status: $output"; return 1; }
    done
    run abdb rank --where 'tpot_s<5 GB'
    fails 2 "with a unit (s"
    run abdb rank --where 'submitter<Z'
    fails 2 "submitter is text, which has no order"
}

@test "a latency condition without a statistic is refused for results with several statistics" {
    serving a.json 400
    serving b.json 30
    abdb import -q --set device=H100-SXM --set devices=1 a.json
    abdb import -q --set device=MI300X --set devices=1 b.json
    for condition in 'tpot_s<0.05' 'tpot_s>=50ms'; do
        run abdb rank --where "source=vllm-serving,$condition"
        fails 2 "of which statistic? these results have several (mean, median, p99); write tpot_s:p99"
    done
    same "$(left_by 'source=vllm-serving,tpot_s:mean<50ms')" "MI300X "
    same "$(left_by 'source=vllm-serving,tpot_s:median<50ms')" "H100-SXM MI300X "
    run abdb rank --where source=vllm-serving --pareto tpot_s
    fails 2 "--pareto tpot_s: of which statistic?"
    abdb rank --where source=vllm-serving --pareto tpot_s:p99 >/dev/null
}

@test "a date in a condition is compared at the precision of both sides" {
    {
        echo evidence,kind,source,workload,scenario,device,devices,dtype,metric,value,unit,date
        for day in 2025 2026-10-31 2026-11-01 2026-11-30 2026-12-01; do echo "published,statement,lab,w,s,H100-SXM,1,fp8,tokens_per_s,1,token/s,$day"; done
    } >dates.csv
    abdb import -q dates.csv
    for pair in 'date>2026-11:1' 'date>=2026-11:3' 'date<=2026-11:4' 'date<2026-11:2' 'date>=1 Nov 2026:3' 'date>2026-11-01:2' 'date<2025-06:0' 'date>=2026:4'; do
        same "$pair $(abdb rank --pick each --limit 99 --where "workload=w,${pair%:*}" -o csv 2>/dev/null | tail -n +2 | wc -l)" "$pair ${pair##*:}"
    done
    run abdb rank --where 'workload=w,date>=soon'
    fails 2 "date is 'soon'"
}

@test "two sides with common results are refused, by tag, by run and by part" {
    {
        echo $head
        published a tokens_per_s token/s 100 200
    } >rows.csv
    abdb import -q rows.csv
    run abdb compare suite=mine device=MI300X
    fails 2 "share 1 of them (r-"
    run abdb compare device=MI300X device=MI300X
    fails 2 "share 1 of them"
    abdb compare device=H100-SXM device=MI300X >/dev/null
}

@test "a mean inverts ratios of smaller-is-better metrics, and leaves out zero and overflow" {
    {
        echo $head
        published a tokens_per_s token/s 100 200
        published b latency_s s 1 2
        published c tokens_per_s token/s 100 0
        published d tokens_per_s token/s 1e-300 1e300
    } >rows.csv
    abdb import -q rows.csv
    abdb compare device=H100-SXM device=MI300X >out
    grep -E '^c, token/s .* implausible' out # a rate of zero is marked
    abdb compare device=H100-SXM device=MI300X --marks any >out
    grep -E '^geomean 2 of 4 +1\.00x +composite, above 1 is better' out
    no grep -E 'inf|nan' out
    grep -E '^c, token/s .* a value that is not above 0 has no ratio' out
    grep -E '^d, token/s .* the ratio is beyond what a number holds' out
    run abdb compare device=H100-SXM device=MI300X --marks any --where model=c
    fails 3 "no pair could be compared: a value that is not above 0 has no ratio"
    same "$(abdb compare device=H100-SXM device=MI300X --marks any -o json 2>/dev/null | jq -c '[.[].reason]')" '[null,null,"a value that is not above 0 has no ratio","the ratio is beyond what a number holds"]'
    abdb rank suite=mine --suite --baseline H100-SXM --common -o jsonl 2>/dev/null >ranked
    same "$(jq -r 'select(.device == "MI300X") | .value * 1000 | round' ranked)" 1000 # twice the rate, twice the latency
}

@test "a speed-up is compared only with one over the same base" {
    cat >speedups.csv <<'END'
evidence,kind,source,workload,model,scenario,device,devices,dtype,metric,value,unit,factor.base
published,statement,a,gpt,m,training,MI300X,8,bf16,speedup,4.0,x,A100-SXM-40GB
published,statement,b,gpt,m,training,H100-SXM,8,bf16,speedup,2.0,x,H100-PCIe
published,statement,c,gpt,m,training,H200-SXM,8,bf16,speedup,3.0,x,A100-SXM-40GB
END
    abdb import -q speedups.csv
    run abdb compare device=MI300X device=H100-SXM --metric speedup
    fails 3 "NOT COMPARABLE  speedup-same-base"
    abdb compare device=MI300X device=H200-SXM --metric speedup | grep "0.75x"
}

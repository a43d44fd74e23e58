#!/usr/bin/env bats
# compare.bats - comparable or not, by how much, on what evidence: compare, rank, rules, normalisation.
load common

fill() { filled "$root/data" "$fixtures/questions.csv"; }
h200="device=H200-SXM,model=llama2-70b-99"
# One cell of the only row.
of_pair() { # COLUMN SET SET OPTIONS...
    local column=$1
    shift
    abdb compare "$@" -o jsonl 2>/dev/null | jq -r ".$column"
}
near() { awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; if (d < 0) d = -d; if (b < 0) b = -b; exit !(a != "" && d <= 1e-4 * b) }' || { echo "$1 is not $2"; return 1; }; }

@test "an MLPerf result is not compared with a measured one; other pairs of the command are printed" {
    fill
    run abdb compare "$h200,scenario=Offline,evidence=mlperf,division=closed" device=B200-SXM,model=llama2-70b-99,scenario=Offline,division=closed \
        model=llama2-70b-99,evidence=measured
    fails 3 "C/A  NOT COMPARABLE  mlperf-with-mlperf-only"
    [[ $output == *'"MLPerf results may not be compared against non-MLPerf results."  mlperf-messaging-guidelines, Section 5'* ]]
    [[ $output == *"B/A  COMPARABLE EXCEPT"* ]]
    [[ $output == *"1 of 4 pairs refused"* ]] # of B the best of equal size, and of any
    # for programs: the refused pair is a row with its rule and without numbers
    abdb compare "$h200,scenario=Offline,evidence=mlperf,division=closed" model=llama2-70b-99,evidence=measured --json >out.json || true
    same "$(jq -r '.[0] | [.standing, .rule, .ratio, .contender_value] | map(tostring) | join(" ")' out.json)" "not-comparable mlperf-with-mlperf-only null null"
}

@test "compare refuses sparse with dense, incompatible rounds, 99 with 99.9, power with plain, cold with hot" {
    fill
    peak=quantity=peak_flops,dtype=bf16,device=A100-SXM-80GB
    run abdb compare $peak,sparsity=dense $peak,sparsity=2:4
    fails 3 "dense-with-sparse"
    run abdb compare model=llama2-70b-99,device=H200-SXM model=llama2-70b-99.9,device=B200-SXM
    fails 3 "mlperf-accuracy-target"
    cat >rounds.csv <<'END'
evidence,source,suite,round,system_type,division,verified,submitter,system,workload,model,scenario,device,devices,nodes,dtype,metric,value,unit,locator
mlperf,mlperf-site,inference,v0.5,datacenter,closed,yes,Acme,One,resnet,resnet,Offline,H100-SXM,8,1,int8,samples_per_s,1000,Samples/s,a
mlperf,mlperf-site,inference,v5.0,datacenter,closed,yes,Acme,Two,resnet,resnet,Offline,H200-SXM,8,1,int8,samples_per_s,2000,Samples/s,b
mlperf,mlperf-site,inference,v0.5,datacenter,closed,yes,Acme,One,ssd-large,ssd-large,Offline,H100-SXM,8,1,int8,samples_per_s,1000,Samples/s,a
mlperf,mlperf-site,inference,v5.0,datacenter,closed,yes,Acme,Two,ssd-large,ssd-large,Offline,H200-SXM,8,1,int8,samples_per_s,2000,Samples/s,b
END
    abdb import -q rounds.csv
    run abdb compare submitter=Acme,device=H100-SXM,model=resnet submitter=Acme,device=H200-SXM,model=resnet # unchanged from v0.5 to v5.0
    [ "$status" -eq 0 ]
    [[ $output == *"round v0.5|v5.0 (compatible: resnet since v0.5)"* ]]
    run abdb compare device=H100-SXM,model=ssd-large device=H200-SXM,model=ssd-large # ended with v2.0
    fails 3 "mlperf-compatible-versions (compatibility: A ssd-large since v0.5, B unlisted v5.0"
    run abdb compare "system='Acme Watt'" device=B200-SXM,model=llama2-70b-99,scenario=Offline,power_submission=no
    fails 3 "mlperf-power-submission"
    run abdb compare source=abdb-run,cache=hot,dtype=f32 source=abdb-run,cache=cold
    fails 3 "cache-state"
    run abdb compare source=abdb-run,cache=hot,dtype=f32 source=abdb-run,dtype=f64
    fails 3 "failed-verification"
}

@test "an exploratory answer is stamped as such in all seven formats" {
    fill
    peak=quantity=peak_flops,dtype=bf16,device=A100-SXM-80GB
    for format in table markdown csv json jsonl html latex; do
        abdb compare $peak,sparsity=dense $peak,sparsity=2:4 --exploratory -o $format >out
        grep -q "EXPLORATORY" out || { echo $format; cat out; false; }
        grep -q "NOT COMPARABLE" out || { echo $format; cat out; false; }
    done
    for format in table markdown csv json jsonl html latex; do
        abdb rank model=llama2-70b-99,scenario=Offline,device=H200-SXM --exploratory -o $format 2>/dev/null | grep -q EXPLORATORY || { echo rank $format; false; }
    done
    same "$(of_pair ratio $peak,sparsity=dense $peak,sparsity=2:4 --exploratory)" 2
}

@test "a pair without a matching rule is permitted, and a rule added by CSV refuses one" {
    fill
    a="$h200,scenario=Offline,evidence=mlperf,division=closed,submitter!=Acme"
    run abdb compare "$a" model=llama2-70b-99,evidence=measured
    fails 3 mlperf-with-mlperf-only
    sqlite3 "$ABDB_DB" "DELETE FROM rule WHERE rule = 'mlperf-with-mlperf-only'"
    run abdb compare "$a" model=llama2-70b-99,evidence=measured
    [ "$status" -eq 0 ]
    [[ $output == *"COMPARABLE EXCEPT"*"evidence mlperf|measured"* ]]
    abdb compare $h200 device=B200-SXM,model=llama2-70b-99 >before
    printf 'rule,effect,factor,test,sentence,source,locator\nour-house,refuse,submitter,differ,Here submitters are never mixed.,me,memo 7\n' | abdb import -q -
    run abdb compare "$h200,submitter=Cisco" device=B200-SXM,model=llama2-70b-99,submitter=NVIDIA
    fails 3 "our-house"
    [[ $output == *"Here submitters are never mixed.  me, memo 7"* ]]
    # importing again does not bring the deleted row back
    filled "$root/data"
    same "$(ask "SELECT count(*) FROM v_rule WHERE rule = 'mlperf-with-mlperf-only'")" 0
}

@test "every rule has a sentence, a source and a place; every role occurs in results" {
    fill
    same "$(ask "SELECT count(*) FROM v_rule WHERE sentence = '' OR source NOT IN (SELECT source FROM v_source) OR locator = ''")" 0
    [ "$(ask "SELECT count(*) FROM v_rule WHERE effect = 'refuse'")" -ge 20 ]
    same "$(ask "SELECT count(DISTINCT state) FROM v_factor")" 3
    same "$(ask "SELECT state FROM v_factor f JOIN v_result r USING (result_id) WHERE r.system = 'Acme Watt' AND factor = 'power_submission' AND f.text = 'yes' LIMIT 1")" known
    same "$(ask "SELECT DISTINCT state FROM v_factor f JOIN v_result r USING (result_id) WHERE r.evidence = 'measured' AND factor = 'round'")" inapplicable
}

@test "compare and rank reproduce the numbers of the documents" {
    fill
    db="source=databricks-gaudi2,metric=flops_per_s,statistic=mean"
    near "$(of_pair ratio device=A100-SXM-80GB device=Gaudi2 --where $db --per dollar --price-date 2024-02-01)" 4.82262   # "4.8x"
    near "$(of_pair contender_value device=A100-SXM-80GB device=Gaudi2 --where $db --per dollar --price-date 2024-02-01)" 6.64615e17 # Table 2
    near "$(of_pair ratio device=A100-SXM-80GB device=Gaudi2 --where $db)" 1.22449                # 240 / 196
    near "$(of_pair contender_value device=Gaudi2 device=H100-SXM --where $db --per peak)" 0.44164 # 437 of 989.5
    near "$(abdb query "SELECT value FROM v_normalised n JOIN fact f ON f.kind = 'result' AND f.id = n.result_id WHERE f.fact = 'ka.gemm.peak' AND formula = 'mfu@1' AND basis = 'published' ;" -o csv 2>/dev/null | tail -1)" 0.993056 # KAIST: 99.3 %
    ar="source=argonne-llm,metric=tokens_per_s,x=1024"
    near "$(of_pair ratio device=A100-SXM-40GB device=CS-2 --where "$ar,model='GPT-2 XL'" --per device)" 3.96795
    near "$(of_pair ratio device=CS-2 device=SN30 --where "$ar,model='GPT-2 13B'" --per none)" 1.07010
    same "$(abdb rank --where "$db" --per dollar --price-date 2024-02-01 -o csv 2>/dev/null | cut -d, -f8 | sed -n 2p)" Gaudi2
    near "$(abdb rank --where "$db" --per dollar --price-date 2024-02-01 -o jsonl 2>/dev/null | sed -n 1p | jq .value)" 6.64615e17
    same "$(abdb query scaling --source argonne-llm -o csv | awk -F, '$8 == "NO" { print $1 }')" CS-2
}

@test "a ratio and its inverse multiply to 1; the order and unrelated sources do not change it" {
    fill
    for pair in "$h200 device=B200-SXM,model=llama2-70b-99" "device=A100-SXM-80GB,source=databricks-gaudi2 device=Gaudi2,source=databricks-gaudi2"; do
        # shellcheck disable=SC2086
        set -- $pair
        abdb compare "$1" "$2" -o jsonl 2>/dev/null | jq -c 'select(.ratio != null) | [.workload, .scenario, .statistic, .ratio]' | sort >there
        abdb compare "$2" "$1" -o jsonl 2>/dev/null | jq -c 'select(.ratio != null) | [.workload, .scenario, .statistic, 1 / .ratio]' | sort >back
        [ -s there ]
        paste there back | awk -F'\t' '{ n = split($1, a, ","); split($2, b, ","); x = a[n] + 0; y = b[n] + 0; if (x / y > 1 + 1e-9 || y / x > 1 + 1e-9) exit 1 }'
    done
    abdb compare $h200 device=B200-SXM,model=llama2-70b-99 --per device >one
    # the same facts in another order, and sources that have nothing to do with it
    mkdir shuffled
    for f in "$root"/data/results/*.csv; do { head -1 "$f"; tail -n +2 "$f" | tac; } >"shuffled/$(basename "$f")"; done
    ABDB_DB=other.db abdb import -q "$fixtures/questions.csv" shuffled "$root"/data/*.csv
    printf 'evidence,source,workload,device,devices,metric,value,unit,locator\npublished,stranger,elsewhere,H200-SXM,8,tokens_per_s,1,token/s,p. 1\n' |
        ABDB_DB=other.db abdb import -q -
    ABDB_DB=other.db abdb compare $h200 device=B200-SXM,model=llama2-70b-99 --per device >two
    diff <(sed 's/, entries .*//' one) <(sed 's/, entries .*//' two)
}

@test "normalised values are independent of the unit of the input" {
    head='evidence,source,workload,model,scenario,device,devices,nodes,dtype,metric,value,unit,locator,also.power_w,also.energy_j,also.time_s'
    row() { printf '%s\npublished,s,gpt,MPT-7B,training,%s,8,2,bf16,flops_per_s,%s,%s,p. 1,%s,%s,%s\n' "$head" "$1" "$2" "$3" "$4" "$5" "$6"; }
    abdb init -q 2>/dev/null || abdb init >/dev/null
    filled "$root/data"
    row H100-SXM 1600 TFLOP/s "4 kW" "" "" | abdb import -q -
    row A100-SXM-80GB 1.6 PFLOP/s "4000 W" "" "" | abdb import -q -
    row Gaudi2 1600000 GFLOP/s "" "8 kJ" "2000 ms" | abdb import -q -
    row MI250 1.6e15 FLOP/s "" "8000 J" "2 s" | abdb import -q -
    for per in device node; do
        near "$(of_pair ratio device=H100-SXM device=A100-SXM-80GB --where source=s --per $per)" 1
        near "$(of_pair ratio device=Gaudi2 device=MI250 --where source=s --per $per)" 1
    done
    near "$(of_pair ratio device=H100-SXM device=A100-SXM-80GB --where source=s --per watt)" 1
    near "$(of_pair baseline_value device=H100-SXM device=A100-SXM-80GB --where source=s --per watt)" 4e11
    near "$(of_pair ratio device=Gaudi2 device=MI250 --where source=s --per joule)" 1
    near "$(of_pair baseline_value device=Gaudi2 device=MI250 --where source=s --per joule)" 4e11
    near "$(of_pair baseline_value device=H100-SXM device=A100-SXM-80GB --where source=s --per peak)" 0.202122 # 200 of 989.5
    near "$(of_pair baseline_value device=H100-SXM device=A100-SXM-80GB --where source=s --per node)" 8e14
    # no power was measured: refused, and never taken from a TDP
    run abdb compare device=Gaudi2 device=MI250 --where source=s --per watt
    fails 3 "no measured power (no-watt-from-tdp)"
}

@test "MFU, HFU, MBU, roofline, busbw and tokens per dollar are as computed by hand" {
    filled "$root/data"
    cat >rows.csv <<'END'
evidence,source,workload,model,scenario,device,devices,nodes,dtype,metric,value,unit,locator,factor.sequence_length,factor.batch,factor.recomputation,also.bytes_per_s
published,s,gpt,GPT-2 XL,training,H100-SXM,8,1,bf16,tokens_per_s,100000,token/s,a,1024,,full,
published,s,llama,Llama2-70B,decode,H100-SXM,8,1,bf16,tpot_s,20,ms,b,2048,16,,
published,s,gemm,,,H100-SXM,1,1,bf16,flops_per_s,300,TFLOP/s,c,,,,2 TB/s
published,s,all_reduce,,,H100-SXM,8,1,bf16,bytes_per_s,100,GB/s,d,,,,
published,s,llama,Llama2-70B,serving,H100-SXM,8,1,bf16,tokens_per_s,5000,token/s,e,,,,
END
    abdb import -q rows.csv
    value() { ask "SELECT n.value FROM v_normalised n JOIN v_result r USING (result_id) WHERE r.source = 's' AND r.locator = '$1' AND n.formula = '$2' AND coalesce(n.basis, 'published') = 'published' LIMIT 1"; }
    model() { ask "SELECT $2 FROM v_model WHERE model = '$1'"; }
    n=$(model "GPT-2 XL" parameters) l=$(model "GPT-2 XL" layers) h=$(model "GPT-2 XL" hidden_size)
    mfu=$(awk "BEGIN { print 12500 * (6 * $n + 12 * $l * $h * 1024) / 989.5e12 }")
    near "$(value a mfu@1)" "$mfu"
    near "$(value a hfu@1)" "$(awk "BEGIN { print $mfu * 4 / 3 }")"
    n=$(model Llama2-70B parameters_active) l=$(model Llama2-70B layers) k=$(model Llama2-70B kv_heads) h=$(model Llama2-70B hidden_size) a=$(model Llama2-70B heads)
    near "$(value b mbu@1)" "$(awk "BEGIN { print (2 * $n + 2 * $l * $k * $h / $a * 2 * 16 * 2048) / 0.020 / (8 * 3.35e12) }")"
    near "$(value c roofline_fraction@1)" "$(awk 'BEGIN { print 300 / (150 * 3.35) }')" # 150 FLOP/B: under the bandwidth
    near "$(value d busbw@1)" 175e9                                                       # 2 x 7/8
    cat >scaling.csv <<'END'
evidence,source,workload,model,scenario,device,devices,nodes,dtype,metric,value,unit,locator,factor.scaling
published,t,gpt,MPT-7B,training,H100-SXM,8,1,bf16,time_s,100,s,a,strong
published,t,gpt,MPT-7B,training,H100-SXM,64,8,bf16,time_s,15.625,s,b,strong
published,t,gpt,MPT-1B,training,H100-SXM,8,1,bf16,time_s,100,s,c,weak
published,t,gpt,MPT-1B,training,H100-SXM,64,8,bf16,time_s,125,s,d,weak
published,t,gpt,MPT-3B,training,H100-SXM,8,1,bf16,tokens_per_s,1000,token/s,e,
published,t,gpt,MPT-3B,training,H100-SXM,32,4,bf16,tokens_per_s,3600,token/s,f,
END
    abdb import -q scaling.csv
    same "$(ask "SELECT kind, round(value, 6), base_devices, devices FROM v_scaling WHERE source = 't' ORDER BY 1")" $'strong,0.8,8,64\nthroughput,0.9,8,32\nweak,0.8,8,64'
    price=$(ask "SELECT per_device_hour FROM v_price WHERE device = 'H100-SXM' AND per = 'hour' LIMIT 1")
    near "$(ask "SELECT min(n.value) FROM v_normalised n JOIN v_result r USING (result_id) WHERE r.source = 's' AND r.locator = 'e' AND n.formula = 'usd_per_million_tokens@1' AND facts IN (SELECT key FROM v_price WHERE per_device_hour = $price)")" \
        "$(awk "BEGIN { print $price * 1e6 / (3600 * 5000 / 8) }")"
}

@test "a result is divided by a published peak, a measured peak, or a peak scaled to its clock" {
    filled "$root/data"
    printf 'device,quantity,value,unit,source,locator\nH100-SXM,clock,2,GHz,s,a\n' | abdb import -q -
    printf 'evidence,source,verified,workload,device,devices,dtype,backend,metric,statistic,value,unit,locator,also.flops_per_s,cell,factor.ceiling\nmeasured,abdb-run,pass,gemm,H100-SXM,1,bf16,x,time_s,median,1,ms,a,600 TFLOP/s,c1,peak_flops\nmeasured,abdb-run,pass,gemm,H100-SXM,1,bf16,x,time_s,median,2,ms,b,300 TFLOP/s,c2,peak_flops\n' | abdb import -q -
    sqlite3 "$ABDB_DB" "INSERT INTO telemetry SELECT entry_id, 'H100-SXM', 'clock', 0, 1.5e9, 'Hz' FROM entry WHERE source = 'abdb-run' AND cell = 'c2'"
    fraction() { ask "SELECT n.value FROM v_normalised n JOIN v_result r USING (result_id) WHERE r.cell = 'c2' AND n.formula = 'mfu@1' AND n.basis = '$1'"; }
    near "$(fraction published)" "$(awk 'BEGIN { print 300 / 989.5 }')"
    near "$(fraction measured)" 0.5
    near "$(fraction clock)" "$(awk 'BEGIN { print 300 / (989.5 * 0.75) }')"
    near "$(of_pair contender_value cell=c2,metric=flops_per_s cell=c1,metric=flops_per_s --per peak --peak measured)" 1
}

@test "kernels: the fraction of the published peak is right for each spelling of the number format" {
    filled "$root/data"
    printf 'evidence,source,verified,workload,device,devices,dtype,backend,metric,statistic,value,unit,locator,also.flops_per_s,cell,campaign,date,factor.bound,factor.ceiling\nmeasured,abdb-run,pass,gemm,A100-SXM-80GB,1,f32,x,time_s,median,1,ms,a,9.75 TFLOP/s,c1,c-1,2026-01-01,operations,peak_flops\n' | abdb import -q -
    near "$(abdb query kernels --campaign c-1 -o jsonl | jq .of_published_percent)" 50
    near "$(abdb query kernels --campaign c-1 -o jsonl | jq .of_measured_percent)" 100
}

@test "a comparison with an unknown value of a required factor is refused" {
    fill
    printf 'evidence,source,suite,system_type,division,submitter,system,workload,model,scenario,device,devices,nodes,metric,value,unit,locator\nmlperf,mlperf-site,inference,datacenter,closed,Acme,Nameless,llama2-70b-99,llama2-70b-99,Server,H200-SXM,8,1,tokens_per_s,30000,Tokens/s,a\n' | abdb import -q -
    run abdb compare system=Nameless device=B200-SXM,model=llama2-70b-99,scenario=Server,division=closed
    fails 3 "needed-factor (round: A unknown"
}

@test "cells without a result are counted below the comparison" {
    abdb run --kernel gemm --backend ref --axis n=16 --axis dtype=f32,q4 --quick -q || true
    abdb run --kernel gemm --backend ref --axis n=16 --axis dtype=f32 --quick -q
    run abdb compare run=latest~1 run=latest
    [ "$status" -eq 0 ]
    [[ $output == *"A: 1 of the cells of c-"*"without a result"* ]]
}

@test "compare gives the verdicts faster, slower, same, too few and unclear; --fail-on makes it a gate" {
    fill
    sample() { # TAG FACTOR PROCESSES NOISE
        jq -nc --arg tag "$1" --argjson factor "$2" --argjson count "$3" --argjson noise "$4" 'range($count) as $i |
            ($factor * (1 + $noise * (($i * 37 + ($tag | length)) % 11 / 11))) as $median | {record: "entry", field: {evidence: "measured",
            kind: "run", source: "abdb-run", verified: "pass", workload: "gemm", device: "Box", devices: "1", dtype: "f32", backend: "ref",
            tag: $tag, campaign: $tag, cell: "cell", date: "2026-03-01T00:00:\($i + 10)Z"}, result: [{metric: "time_s", statistic: "median", value: $median,
            samples: [range(10) | [$median, ., -1, null]]}]}' >"$1.jsonl"
        abdb import -q "$1.jsonl"
    }
    sample base 1 20 0.002
    sample quick 0.8 20 0.002
    sample slow 1.3 20 0.002
    sample like 1.0001 20 0.002
    sample few 2 4 0.002
    sample noisy 1.05 20 2
    sample noisier 1 20 2
    same "$(of_pair verdict tag=base tag=quick --drift 0.001)" faster
    same "$(of_pair verdict tag=base tag=slow --drift 0.001)" slower
    same "$(of_pair verdict tag=base tag=like --drift 0.001)" same
    same "$(of_pair verdict tag=base tag=few --drift 0.001)" too-few
    same "$(of_pair verdict tag=noisier tag=noisy --drift 0.001)" unclear
    near "$(of_pair ratio tag=base tag=quick)" 0.8
    run abdb compare tag=noisier tag=noisy --drift 0.001
    [[ $output == *"~ no evidence of a difference"* ]]
    # without a drift nothing was tested: not a word of evidence, however large the ratio; the same numbers are shown
    run abdb compare tag=base tag=slow
    [[ $output == *"(--drift 0.02: 2 %)"*"~ was not tested"* && $output != *"no evidence"* ]]
    same "$(of_pair baseline_value tag=base tag=slow)" "$(of_pair baseline_value tag=base tag=slow --drift 0.001)"
    run abdb compare tag=base tag=slow --fail-on slower,unclear --drift 0.001
    fails 1 "slower: 1.30"
    abdb compare tag=base tag=quick --fail-on slower,unclear --drift 0.001 >/dev/null
    run abdb compare tag=base tag=quick --fail-on sluggish
    fails 2 "--fail-on wants"
    same "$(of_pair verdict "$h200,scenario=Offline,division=closed,power_submission=no" device=B200-SXM,model=llama2-70b-99,scenario=Offline,division=closed | sort -u)" stated
    same "$(of_pair verdict run=base run=quick --drift 0.001)" faster
    [ -n "$(of_pair verdict run=latest run=latest~1)" ]
}

@test "a file of hyperfine passes a gate with one row and its samples; its tag is not a difference" {
    timed() { # TAG MILLISECONDS
        awk -v m="$2" 'BEGIN { printf "{\"results\":[{\"command\":\"prog\",\"mean\":%g,\"stddev\":1e-5,\"median\":%g,\"user\":0.1,\"system\":0.1,\"min\":%g,\"max\":%g,\"times\":[", m / 1e3, m / 1e3, m / 1e3, m / 1e3
            for (i = 0; i < 15; i++) printf "%s%g", i ? "," : "", (m + (i % 5 - 2) / 1000) / 1e3; print "],\"exit_codes\":[0]}]}" }' >"$1.json"
        abdb import -q --set tag="$1" "$1.json"
    }
    timed old 30
    timed same 30.0001
    timed slow 59
    run abdb compare tag=old tag=same --drift 0.0001 --fail-on slower
    fails 0 "COMPARABLE AS FAR AS IS KNOWN"
    [[ $output == *"prog  30.00 (15)"* && $output != *user_word* && $output != *stated* ]]
    run abdb compare tag=old tag=slow --drift 0.02 --fail-on slower
    fails 1 "1 of 1 cell: prog"
    run abdb compare tag=old tag=same --where statistic=median # whoever names a statistic gets it
    fails 0 "stated"
}

@test "numbers are printed in their shortest exact form, as 0.11" {
    for tag in one two; do # two processes each, whose medians are 0.11 and 0.33 s
        for i in 1 2; do
            jq -nc --arg tag "$tag" --argjson i "$i" '(if $tag == "one" then 0.11 else 0.33 end) as $s | {record: "entry", field: {evidence: "measured",
                kind: "run", source: "abdb-run", verified: "pass", workload: "gemm", device: "Box", devices: "1", dtype: "f32", backend: "ref",
                tag: $tag, campaign: $tag, cell: "cell", date: "2026-03-01T00:00:1\($i)Z"}, result: [{metric: "time_s", statistic: "median",
                value: $s, samples: [range(10) | [$s, . / 10, -1, null]]}]}'
        done
    done >two.jsonl
    abdb import -q two.jsonl
    run abdb compare tag=one tag=two --json --drift 0.001
    [[ $output == *'"baseline_value":0.11,'*'"contender_value":0.33,'*'"ratio":3,'* ]] || { echo "$output"; false; }
    for format in csv jsonl; do
        abdb compare tag=one tag=two -o "$format" --drift 0.001 2>/dev/null >out
        if grep -E '[0-9]\.[0-9]*(0000000|9999999)' out; then return 1; fi
    done
    abdb export >out.jsonl
    grep -q '"value":0.11[,}]' out.jsonl
    grep -q '\[0.11,0.1,' out.jsonl # a sample and its time
    if grep -E '[0-9]\.[0-9]*(0000000|9999999)' out.jsonl; then return 1; fi
    abdb import -q --db back.db out.jsonl
    same "$(facts back.db)" "$(facts)"
}

@test "several submissions give best, worst and count, or the median, or each, with their devices" {
    fill
    a="$h200,scenario=Server,division=closed,round=v5.1" b=device=B200-SXM,model=llama2-70b-99,scenario=Server,division=closed,round=v5.1
    best=$(of_pair baseline_value "$a" "$b") median=$(of_pair baseline_value "$a" "$b" --pick median) n=$(of_pair baseline_n "$a" "$b")
    [ "$n" -gt 2 ]
    near "$best" "$(ask "SELECT max(each) FROM v_result WHERE device = 'H200-SXM' AND model = 'llama2-70b-99' AND scenario = 'Server' AND division = 'closed' AND round = 'v5.1' AND metric = 'tokens_per_s'")"
    near "$median" "$(ask "SELECT median(each) FROM v_result WHERE device = 'H200-SXM' AND model = 'llama2-70b-99' AND scenario = 'Server' AND division = 'closed' AND round = 'v5.1' AND metric = 'tokens_per_s'")"
    m=$(of_pair contender_n "$a" "$b")
    same "$(abdb compare "$a" "$b" --pick each -o csv 2>/dev/null | tail -n +2 | wc -l)" $((n * m))
    run abdb compare "$a" device=MI355X,model=llama2-70b-99 --per device
    [[ $output == *"sources disagree on the number of devices"* ]]
}

@test "one number under two accuracy targets counts once" {
    abdb init >/dev/null
    {
        echo evidence,source,suite,round,system_type,division,availability,verified,submitter,system,workload,model,scenario,device,devices,nodes,dtype,metric,value,unit,locator
        for d in H100-SXM,1000 H200-SXM,2000; do
            echo "mlperf,mlperf-site,inference,v5.0,datacenter,closed,available,yes,Acme,S${d%,*},llama2-70b-99,llama2-70b-99,Offline,${d%,*},8,1,fp8,tokens_per_s,${d#*,},Tokens/s,a"
            echo "mlperf,mlperf-site,inference,v5.0,datacenter,closed,available,yes,Acme,S${d%,*},llama2-70b-99.9,llama2-70b-99.9,Offline,${d%,*},8,1,fp8,tokens_per_s,${d#*,},Tokens/s,b"
            echo "mlperf,mlperf-site,inference,v5.0,datacenter,closed,available,yes,Acme,S${d%,*},llama2-70b-99,llama2-70b-99,Server,${d%,*},8,1,fp8,tokens_per_s,$((${d#*,} * ${d#*,} / 1000)),Tokens/s,c"
        done
    } | abdb import -q -
    run abdb compare device=H100-SXM device=H200-SXM
    [[ $output == *"geomean 2 of 3"*"2.83x"* ]] || { echo "$output"; false; } # of 2 and 4
    [[ $output == *"1 pairs repeat a number of another accuracy target, counted once"* ]]
    run abdb rank round=v5.0 --suite --baseline H100-SXM
    [[ $output == *"2.82843"* ]] || { echo "$output"; false; }
    [[ $output == *"1 more repeat a number"* ]]
}

@test "rank: constraints, Pareto fronts, suites, quotes and ages of prices select and order results" {
    fill
    same "$(abdb rank --workload Llama-3.1-70B --where 'tpot_s < 0.05' -o csv 2>/dev/null | cut -d, -f8,12)" $'device,value\nGaudi2,7000\nH100-SXM,6100'
    same "$(abdb rank --workload Llama-3.1-70B --pareto tpot_s -o csv 2>/dev/null | cut -d, -f12,14 | tail -n +2 | sort -n)" $'2400,0.021\n6100,0.038\n7000,0.045\n9900,0.071'
    same "$(abdb rank --workload Llama-3.1-70B --pareto devices -o csv 2>/dev/null | cut -d, -f12 | tail -n +2)" 9900
    run abdb rank --workload Llama-3.1-70B --pareto nothing
    fails 2 "no metric and no column"
    run abdb rank round=v6.0,division=closed,scenario=Offline,system_type=datacenter --suite --baseline B200-SXM --per device
    [[ $output == *"composite, not endorsed by MLCommons"* ]]
    [[ $output == *"excluded, because a result is missing or not alike:"* ]]
    same "$(abdb rank round=v6.0,division=closed,scenario=Offline,system_type=datacenter --suite --baseline B200-SXM --per device -o jsonl 2>/dev/null | jq -r 'select(.device == "B200-SXM") | .value')" 1
    abdb rank --workload llama2-70b-99 --scenario Server --per dollar --price 'B200-SXM=4 USD/h,H200-SXM=2.5 USD/h' -o csv 2>/dev/null >out
    grep -q '^llama2-70b-99,Server.*,B200-SXM,.*your own quote' out
    run abdb rank --workload llama2-70b-99 --scenario Server --per dollar --price-max-age 30d --today 2026-11-21
    fails 3 "no price of the last 30 days"
    run abdb rank --workload llama2-70b-99 --per watt --where scenario=Offline,round=v6.0
    [[ $output == *"Acme Watt"*"no measured power (no-watt-from-tdp)"* ]]
    near "$(abdb rank --workload llama2-70b-99 --scenario Server --pick median --where round=v5.1,device=H200-SXM,division=closed -o jsonl 2>/dev/null | jq .value)" \
        "$(ask "SELECT median(each) FROM v_result WHERE device = 'H200-SXM' AND model = 'llama2-70b-99' AND scenario = 'Server' AND division = 'closed' AND round = 'v5.1' AND metric = 'tokens_per_s'")"
    same "$(abdb rank --workload Llama-3.1-70B --pick each -o csv 2>/dev/null | tail -n +2 | wc -l)" 4
    run abdb rank --workload Llama-3.1-70B --pick any
    fails 2 "--pick wants"
    run abdb rank --workload llama2-70b-99 --by flavour
    fails 2 "--by 'flavour' is no column"
}

@test "ambiguous, unknown, empty and wrong selections are refused" {
    fill
    run abdb compare device=H100 device=H200-SXM
    fails 2 "H100-NVL, H100-SXM, H100-PCIe"
    run abdb compare device=H200-SMX device=B200-SXM
    fails 2 "did you mean 'H200-SXM'"
    run abdb compare device=H200-SXM,raund=v5.1 device=B200-SXM
    fails 2 "no column, factor or metric is called 'raund'; did you mean 'round'?"
    run abdb compare device=H200-SXM,round=v4.4 device=B200-SXM
    fails 2 "without round=v4.4 there are"
    run abdb compare device=H200-SXM
    fails 2 "compare what with what"
    run abdb compare device=H200-SXM device=B200-SXM --per head
    fails 2 "--per 'head'"
    run abdb compare device=H200-SXM,devices=eight device=B200-SXM
    fails 2 "devices=eight: 'eight' is not a number"
    run abdb compare run=latest run=latest~99
    fails 2 "run=latest~99: there are"
    run abdb compare run=latest run=latest~x
    fails 2 "is no run"
    run abdb compare "device='; DROP TABLE rule; --" device=B200-SXM
    fails 2 "a quote is open"
    run abdb compare "submitter=x' OR 1=1 --" device=B200-SXM
    fails 2 "no result matches"
    run abdb compare device=H200-SXM device=B200-SXM --pick some
    fails 2 "--pick wants"
    same "$(of_pair standing --baseline "$h200,scenario=Server,division=closed" --contender device=B200-SXM,model=llama2-70b-99,scenario=Server,division=closed | sort -u)" comparable-except
}

@test "--environment lists the differences between environments and marks the relevant ones" {
    for i in 1 2; do
        printf 'evidence,kind,source,verified,workload,device,devices,dtype,metric,statistic,value,unit,locator,tag,campaign,cell,date\nmeasured,run,abdb-run,pass,gemm,Box,1,f32,time_s,median,%s,s,x,t%s,k%s,cell,2026-03-0%s\n' $i $i $i $i | abdb import -q -
    done
    run abdb compare tag=t1 tag=t2 --environment
    fails 2 "have no environment"
    sqlite3 "$ABDB_DB" "INSERT INTO environment VALUES (1, 1, 1, '{\"governor\": \"performance\", \"load_average\": \"0.1\", \"kernel\": \"6.1\", \"variables\": {\"OMP_NUM_THREADS\": \"2\"}, \"instruction_sets\": [\"avx2\", \"fma\"]}'),
      (2, 2, 2, '{\"governor\": \"powersave\", \"load_average\": \"3.0\", \"kernel\": \"6.1\", \"variables\": {\"OMP_NUM_THREADS\": \"8\"}, \"instruction_sets\": [\"avx2\", \"fma\"]}');
      UPDATE entry_row SET environment_id = (SELECT substr(tag, 2) FROM description d WHERE d.description_id = entry_row.description_id)"
    same "$(abdb compare tag=t1 tag=t2 --environment -o csv 2>/dev/null)" $'key,a,b,matters\ngovernor,performance,powersave,matters\nvariables.OMP_NUM_THREADS,2,8,matters\nload_average,0.1,3.0,not known to matter'
}

@test "every output with results of MLPerf ends with their footnotes" {
    fill
    legend="The MLPerf name and logo are registered and unregistered trademarks"
    for command in "compare $h200 device=B200-SXM,model=llama2-70b-99" "rank $h200" "query mlperf-llm" "query llm-by-scenario" "query round-changes" \
        "query training-time" "query token-cost" "query price-for-throughput"; do
        # shellcheck disable=SC2086
        abdb $command >out 2>/dev/null || true
        grep -q "$legend" out || { echo "$command"; false; }
        grep -q '^\[1\] .*MLPerf® v' out || { echo "$command"; false; }
        ! sed 's|https://[^ ]*||g' out | grep -E 'MLPerf([^®]|$)' | grep -vE "The MLPerf name|\"MLPerf results may|the MLPerf specification for verified" | grep . || { echo "$command: MLPerf without ®"; false; }
    done
    abdb query coverage >out # names its benchmarks and shows no value
    grep -q "$legend" out
    no grep '^\[1\]' out
    abdb query "SELECT key, value FROM v_mlperf WHERE public_id IS NOT NULL LIMIT 1" | grep -q '^\[1\] .*entries'
    abdb query "SELECT device, value FROM v_mlperf LIMIT 1" | grep -q "select key too"
    abdb query "SELECT device, value FROM v_result WHERE evidence = 'published' LIMIT 1" >out
    no grep -q MLPerf out
    abdb query "SELECT key FROM v_mlperf LIMIT 1" -o csv 2>err | wc -l | grep -qx 2
    grep -q "$legend" err
    # a picture has two lines; what goes with it has all
    abdb plot mlperf-llm --round v6.0 --model llama2-70b-99 --scenario Server --bundle b >/dev/null
    grep -q "MLPerf®.*verified by MLCommons" b/mlperf-llm.svg
    grep -q "$legend" b/mlperf-llm.md
    grep -q "$legend" b/mlperf-llm.tex
}

@test "the next step after a refusal works: --exploratory shows the refused pairs" {
    head=evidence,kind,source,suite,system_type,round,division,availability,submitter,system,workload,model,scenario,device,devices,dtype,metric,value,unit
    row() { printf 'mlperf,statement,lab,inference,datacenter,v6.0,closed,available,%s,%s-%s,%s,%s,%s,%s,8,fp8,tokens_per_s,%s,token/s\n' "$1" "$1" "$2" "$3" "$3" "$4" "$2" "$5"; }
    { echo $head; row Acme A100-SXM-80GB llama2-70b-99 Server 100; row Beta A100-SXM-80GB llama2-70b-99 Server 90; row Acme H100-SXM llama2-70b-99 Server 200; row Acme H100-SXM llama2-70b-99 Offline 300; row Acme H100-SXM llama3.1-8b Server 900; } >r.csv
    printf 'evidence,kind,source,model,scenario,device,devices,dtype,metric,value,unit\nmeasured,run,mine,llama2-70b-99,Server,H100-SXM,8,fp8,tokens_per_s,150,token/s\n' >m.csv
    abdb import -q r.csv m.csv "$root/data/rules/rules.csv" "$root/data/rules/workloads.csv"
    while read -r a b; do
        run abdb compare $a $b
        fails 3 "  next: no --where makes these pairs comparable; --exploratory shows them, stamped"
        # what both sides could share is what the rule refuses: any such condition leaves a side empty
        for where in evidence=mlperf evidence=measured round=v6.0 scenario=Server scenario=Offline; do
            run abdb compare $a $b --where $where
            [ "$status" -ne 0 ]
        done
        run abdb compare $a $b --exploratory
        fails 0 "EXPLORATORY"
    done <<'Q'
H100-SXM,evidence=mlperf,llama2-70b-99,scenario=Server H100-SXM,evidence=measured
H100-SXM,evidence=mlperf,llama2-70b-99,scenario=Server H100-SXM,evidence=mlperf,scenario=Offline
H100-SXM,evidence=mlperf,llama2-70b-99,scenario=Server H100-SXM,evidence=mlperf,llama3.1-8b
Q
}

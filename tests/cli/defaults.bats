#!/usr/bin/env bats
# defaults.bats - what a bare command answers is apples to apples: per device, equal sizes, whole files.
load common

fill() { filled "$root/data"; }
says() { [[ $output == *"$1"* ]] || { echo "does not say '$1': $output"; return 1; }; }
lacks() { [[ $output != *"$1"* ]] || { echo "says '$1': $output"; return 1; }; }
# A result of MLPerf: DEVICE DEVICES VALUE [AVAILABILITY [VERIFIED [MODEL [SCENARIO]]]]
mlperf() {
    [ -f rows.csv ] || echo evidence,source,suite,round,system_type,division,availability,verified,submitter,system,workload,model,scenario,device,devices,nodes,dtype,metric,value,unit,locator >rows.csv
    echo "mlperf,mlperf-site,inference,v5.1,datacenter,closed,${4:-available},${5:-yes},Acme,$1 x$2,${6:-llama2-70b-99},${6:-llama2-70b-99},${7:-Server},$1,$2,1,fp8,tokens_per_s,$3,Tokens/s,$((++line))" >>rows.csv
}

@test "devices with unequal numbers are compared per device, with a note; --per none compares totals" {
    fill
    run abdb compare device=H200-SXM device=MI355X
    says "per device, because the numbers of devices differ (1, 8, 16, 32, 64, 72 and 4 more); --per none compares totals"
    says "token/s/device"
    lacks 34.03x
    run abdb compare device=H200-SXM device=B200-SXM --where model=llama2-70b-99,scenario=Offline,power_submission=no
    says 2.94x
    lacks 1.51x
    same "$(abdb compare device=H200-SXM device=B200-SXM --where model=llama2-70b-99,scenario=Offline,power_submission=no -o jsonl 2>/dev/null | jq -r '[.per, .formula] | join(" ")' | sort -u)" "device per_device@1"
    # in total only when asked, and then the best of unlike sizes are no headline
    run abdb compare device=H200-SXM device=MI355X --per none
    says "(34.03x)  devices 8|88"
    # equal numbers of devices: nothing is divided
    run abdb compare device=H200-SXM device=B200-SXM --where model=llama2-70b-99,scenario=Offline,devices=8,power_submission=no
    lacks "per device"
    run abdb rank --workload llama2-70b-99 --scenario Server --where power_submission=no
    says "per device, because the numbers of devices differ ("
    says "--per none ranks totals, --where devices=8 systems of one size"
    same "$(abdb rank --workload llama2-70b-99 --scenario Server --where power_submission=no -o jsonl 2>/dev/null | head -1 | jq -r '[.device, .per] | join(" ")')" "B300-SXM device"
    same "$(abdb rank --workload llama2-70b-99 --scenario Server --where power_submission=no --per none -o jsonl 2>/dev/null | head -2 | tail -1 | jq -r '.unlike')" "devices 88|72"
}

@test "pairs of equal size come first, beside the best pairs of any size" {
    mlperf H200-SXM 8 800
    mlperf H200-SXM 16 1900
    mlperf B200-SXM 8 2000
    mlperf B200-SXM 72 14400
    abdb import -q rows.csv
    same "$(abdb compare device=H200-SXM device=B200-SXM -o jsonl 2>/dev/null | jq -c '[.choice, .baseline_devices, .contender_devices, .ratio]' | xargs)" \
        "[equal size,8,8,2.5] [any size,16,8,2.1052631578947367]"
    run abdb compare device=H200-SXM device=B200-SXM
    says "the best of equal numbers of devices come first, the best of any beside them"
    says "any size"
    lacks geomean # one headline
    # no size in common: one row, of the best
    same "$(abdb compare device=H200-SXM,devices=16 device=B200-SXM -o jsonl 2>/dev/null | jq -r .choice)" all
}

@test "a ratio of unlike results is left out of the headline and of the geometric mean" {
    mlperf H200-SXM 8 800
    mlperf B200-SXM 8 1600
    mlperf H200-SXM 8 800 available yes llama2-70b-99 Offline
    mlperf B200-SXM 8 3200 preview yes llama2-70b-99 Offline
    mlperf H200-SXM 8 800 available yes gptj-99 Server
    mlperf B200-SXM 8 2400 available unknown gptj-99 Server
    mlperf H200-SXM 8 800 available yes mixtral-8x7b Server
    mlperf B200-SXM 8 6400 available yes mixtral-8x7b Server
    abdb import -q rows.csv
    run abdb compare device=H200-SXM device=B200-SXM
    says "(4.00x)  availability available|preview"
    says "(3.00x)  verified yes|unknown"
    says "geomean 2 of 4"
    [[ $output =~ geomean\ 2\ of\ 4\ +4.00x ]] # of 2 and 8
    same "$(abdb compare device=H200-SXM device=B200-SXM -o jsonl 2>/dev/null | jq -r '.unlike // empty' | sort | xargs)" "availability available|preview verified yes|unknown"
    run abdb rank --workload llama2-70b-99 --scenario Offline
    says "availability preview|available"
    same "$(abdb rank --workload llama2-70b-99 --scenario Offline -o jsonl 2>/dev/null | tail -1 | jq -r .ratio)" null
}

@test "times to train and latencies are never divided by devices; each row has its number of devices" {
    cat >rows.csv <<'END'
evidence,source,suite,round,system_type,division,availability,verified,submitter,system,workload,model,scenario,device,devices,nodes,dtype,metric,value,unit,locator
mlperf,mlperf-site,training,v5.0,,closed,available,yes,Acme,A8,llama2_70b_lora,llama2_70b_lora,,H200-SXM,8,1,fp8,time_to_train_s,1200,s,a
mlperf,mlperf-site,training,v5.0,,closed,available,yes,Acme,A64,llama2_70b_lora,llama2_70b_lora,,H200-SXM,64,8,fp8,time_to_train_s,200,s,b
mlperf,mlperf-site,training,v5.0,,closed,available,yes,Acme,B8,llama2_70b_lora,llama2_70b_lora,,B200-SXM,8,1,fp8,time_to_train_s,600,s,c
mlperf,mlperf-site,training,v5.0,,closed,available,yes,Acme,B512,llama2_70b_lora,llama2_70b_lora,,B200-SXM,512,64,fp8,time_to_train_s,20,s,d
END
    abdb import -q rows.csv
    same "$(abdb compare device=H200-SXM device=B200-SXM -o jsonl 2>/dev/null | jq -c '[.choice, .per, .unit, .ratio, .unlike]' | xargs)" \
        "[all,none,s,0.5,null]" # like scale with like scale only
    run abdb compare device=H200-SXM device=B200-SXM --per device
    fails 2 "--per divides rates only, not times, latencies and fractions"
    run abdb compare device=H200-SXM device=B200-SXM --per device --metric time_to_train_s
    fails 3 "only rates that add are divided by devices, not times, latencies and fractions"
    run abdb rank --workload llama2_70b_lora
    says "devices=512"
}

@test "a suite names its largest common part, and --common ranks it" {
    fill
    suite="round=v6.0,division=closed,scenario=Offline --suite --baseline B200-SXM"
    # shellcheck disable=SC2086
    run abdb rank $suite
    says "the largest common part (--common ranks it) is 5 of 7 benchmarks and scenarios, which 4 have: llama2-70b-99 Offline, llama2-70b-99.9 Offline, deepseek-r1 Offline, gpt-oss-120b Offline, llama3.1-405b Offline (GB300, B300-SXM, B200-SXM, GB200)"
    # shellcheck disable=SC2086
    same "$(abdb rank $suite --common -o jsonl 2>/dev/null | jq -r '[.device, .of] | join(" ")' | xargs)" "GB300 5 B300-SXM 5 GB200 5 B200-SXM 5"
}

@test "csv, json and jsonl are never truncated; a truncated table has a note in its last line" {
    fill
    same "$(abdb query mlperf-llm -o csv 2>/dev/null | tail -n +2 | wc -l)" "$(abdb query mlperf-llm --all -o csv 2>/dev/null | tail -n +2 | wc -l)"
    [ "$(abdb query mlperf-llm --json 2>/dev/null | jq length)" -gt 80 ]
    for report in "$root"/query/reports/*.sql; do # each that has a limit says how many rows there are without it
        [ "$(grep -cE '^-- param: (limit|cells) \| number' "$report")" = "$(grep -c 'AS _whole' "$report")" ] || { echo "$report: a limit wants a column _whole"; false; }
    done
    for report in mlperf-llm round-changes token-cost audit-gaps peaks peak-achieved training-time llm-by-scenario; do
        rows=$(abdb query "$report" -o jsonl 2>/dev/null | wc -l) shown=$(abdb query "$report" -o csv --limit 3 2>/dev/null | tail -n +2 | wc -l)
        [[ $(abdb query "$report" --limit 3 | tail -n 1) == "… $((rows - shown)) more (--"* ]] || { echo "$report: $(abdb query "$report" --limit 3 | tail -n 1)"; false; }
        [[ $(abdb query "$report" --limit 3 -o csv 2>&1 >/dev/null | tail -n 1) == "… "* ]] # what was asked for is said, too
        [[ $(abdb query "$report" -o csv 2>&1 >/dev/null) != *"…"*" more ("* ]]
    done
    # rank: 20 rows of each group for people, all for programs
    for i in $(seq 30); do
        echo "published,s,serving,M$i,bf16,H100-SXM,1,System $i,tokens_per_s,$i,token/s,$i"
    done | sed '1i evidence,source,workload,model,dtype,device,devices,system,metric,value,unit,locator' | sed 's/,M[0-9]*,/,M,/' | abdb import -q -
    same "$(abdb rank source=s --by system -o csv 2>/dev/null | tail -n +2 | wc -l)" 30
    same "$(abdb rank source=s --by system | tail -n 1)" "… 10 more (--all)"
}

@test "each round and benchmark has one footnote; each shipped statement has its retrieval date" {
    fill
    abdb compare device=H200-SXM device=MI355X --where "round<v6.1" >out
    same "$(grep -c '^\[' out)" 7 # one of v4.1, two benchmarks of v6.0, one of v5.1, three of training
    grep -q "^\[2\] MLPerf® v6.0 Inference Closed llama2-70b-99, llama2-70b-99.9 Interactive, Offline, Server, entries v6.0-0002. Retrieved between 2026-04-01 and 2026-11-20 from https://github.com/mlcommons/inference. Result verified" out
    same "$(ask "SELECT count(*) FROM v_statement WHERE retrieved IS NULL AND evidence = 'mlperf'")" 0
    same "$(ask "SELECT group_concat(DISTINCT source) FROM v_statement WHERE retrieved IS NULL AND evidence <> 'measured'")" ml-engineering # its copy's day is not known
    # every date is one day, or the first and the last on which it can have been
    same "$(ask "SELECT count(*) FROM v_source WHERE retrieved NOT GLOB '????-??-??' AND retrieved NOT GLOB '????-??-??/????-??-??'")" 0
    # a report that counts results shows none of their values, so it needs no footnotes; explain still reaches the results
    run abdb query coverage --round v6.0
    [ "$status" = 0 ]
    lacks "MLPerf®"
    [ "$(abdb explain coverage results device=H200-SXM --round v6.0 -o csv | grep -c '^r-')" -gt 1 ]
    # a result without a date is not given that of others
    mlperf H200-SXM 8 800
    ABDB_DB=own.db abdb import -q rows.csv
    run env ABDB_DB=own.db abdb rank device=H200-SXM
    says "Retrieved on a date not recorded"
}

@test "llama-bench files with unknown settings get separate lines; collectives of two files are not pooled" {
    need_realdata llama-bench
    logs=$realdata/llama-bench/md-logs
    abdb import -q "$logs"/*BF16*vulkan_amdvlk* "$logs"/*BF16*vulkan_radv*longctx*
    same "$(abdb query llama-bench -o jsonl 2>/dev/null | jq -r 'select(.test == "pp2048") | .file' | sort -u | wc -l)" 2
    abdb plot llama-bench --script >script
    same "$(grep -cE '^series_name\[[0-9]+\] = "pp2048' script)" 2
    for i in 1 2 3; do
        printf '# OSU MPI-CUDA Bandwidth Test v7.5\n# Datatype: MPI_CHAR.\n# Size      Bandwidth (MB/s)\n1024  %s00.00\n2048  %s50.00\n' $i $i >"run$i.txt"
    done
    abdb import -q run1.txt run2.txt run3.txt
    same "$(abdb query collectives --source osu-micro-benchmarks -o jsonl 2>/dev/null | jq -c '[.file, .message_bytes, .n]' | sort | xargs)" \
        "[run1,1024,1] [run1,2048,1] [run2,1024,1] [run2,2048,1] [run3,1024,1] [run3,2048,1]"
}

@test "the figure mlperf-llm has one named benchmark; no picture has advice on options" {
    fill
    abdb plot mlperf-llm --bundle b >/dev/null
    grep -q '^llama3.1-8b Offline: of 12 benchmarks and scenarios the one with the most accelerators' b/mlperf-llm.md
    grep -qx 'not drawn: 1 more' b/mlperf-llm.md
    no grep -hE -- '--[a-z]|\(-' b/mlperf-llm.md b/mlperf-llm.tex # nor does what stands below it
    grep -q 'leads llama3.1-8b Offline' b/mlperf-llm.svg
    same "$(abdb query mlperf-llm --one -o jsonl 2>/dev/null | jq -r '.model + " " + .scenario' | sort -u)" "llama3.1-8b Offline"
    for figure in $(abdb plot --names); do
        abdb plot "$figure" --script 2>/dev/null >script || continue
        ! grep -E '^(heading|caption)\[' script | grep -E -- '--[a-z]|`|abdb (audit|compare|query|plot)|"[^"]*(tag|device)=' || { echo "$figure"; false; }
    done
}

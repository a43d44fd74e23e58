#!/usr/bin/env bats
# mlperf.bats - MLPerf as it is today: clients other than LoadGen, suites beside inference, logs that only their own readers read.
load common

system() { # FOLDER [WHAT=VALUE ...]
    mkdir -p "${1%/*}"
    python3 -c 'import json, sys
d = {"accelerator_model_name": "NVIDIA H100-SXM-80GB", "accelerators_per_node": 8, "number_of_nodes": 1, "division": "closed", "submitter": "S",
     "status": "available", "system_name": "Box", "system_type": "datacenter", "framework": "f", "operating_system": "o"}
d.update(a.split("=", 1) for a in sys.argv[1:])
print(json.dumps(d))' "${@:2}" >"$1"
}
log() { # FILE key=value...
    mkdir -p "${1%/*}"
    for pair in "${@:2}"; do printf ':::MLLOG {"key": "%s", "value": "%s", "time_ms": 1.5}\n' "${pair%%=*}" "${pair#*=}"; done >"$1"
}
run_of() { # FOLDER SCENARIO: a log with all figures, each of its own value
    log "$1/mlperf_log_detail.txt" result_validity=VALID "effective_scenario=$2" result_samples_per_second=10 result_completed_samples_per_sec=19 \
        result_mean_latency_ns=5000000 result_90.00_percentile_latency_ns=6000000 result_99.90_percentile_latency_ns=8900000 early_stopping_latency_ss=9100000
}
endpoints() { # FILE [failed]
    mkdir -p "${1%/*}"
    cat >"$1" <<X
{"version": "0.1.0", "n_samples_issued": 1000, "n_samples_completed": $((1000 - ${2:-0})), "n_samples_failed": ${2:-0}, "complete": ${3:-true},
 "ttft": {"min": 1e8, "max": 2e9, "avg": 2.1e8, "percentiles": {"99.9": 4e8, "99.0": 3e8, "50.0": 2e8}}, "tpot": {"avg": 3.8e7, "percentiles": {"99.0": 4.8e7}},
 "latency": {"avg": 1.4e11, "percentiles": {"99.0": 7e11}}, "qps": 10.5, "tps": 37000.25, "run_config": {"load_pattern": {"type": "poisson", "target_qps": 11.5}}}
X
}
training() { # ROOT
    system "$1/S/systems/box.json"
    mkdir -p "$1/S/results/box/retinanet"
    for i in 0 1 2 3 4; do
        sed "s/1745912900000/$((1745912900000 + i * 60000))/" "$fixtures/mlperf_training.txt" >"$1/S/results/box/retinanet/result_$i.txt"
    done
}

@test "a renamed log of a round is rejected by name, and a folder without its log gives exit 5" {
    i=inference_results_v6.1/closed/S
    system $i/systems/box.json
    run_of $i/results/box/resnet50/Offline/performance/run_1 Offline
    run_of $i/results/box/resnet50/Server/performance/run_1 Server
    endpoints $i/results/box/deepseek-r1/Server/performance/result_summary.json
    training training_results_v5.0
    h=hpc_results_v3.0/S
    mkdir -p $h/results/box/strong && cp -r training_results_v5.0/S/results/box/retinanet $h/results/box/strong/deepcam
    cp -r training_results_v5.0/S/systems $h/
    t=tiny_results_v1.2/closed/S
    mkdir -p $t/systems $t/results/board/ad/performance
    echo '{"Submitter": "S", "Division": "Closed", "Board Name": "Board", "Processor(s) Name": "Core M"}' >$t/systems/board.json
    cp "$fixtures/mlperf_tiny.txt" $t/results/board/ad/performance/results.txt
    top="inference_results_v6.1 training_results_v5.0 hpc_results_v3.0 tiny_results_v1.2"
    abdb import -q $top --db whole.db
    whole=$(sqlite3 whole.db "SELECT count(*) FROM reject")
    logs=$(find $top -path '*/results/*' -type f | sort)
    [ "$(wc -w <<<"$logs")" -eq 14 ]
    for f in $logs; do
        mv "$f" "${f%/*}/renamed.txt"
        rm -f t.db
        run abdb import $top
        echo "$f: $output"
        [ "$(sqlite3 t.db "SELECT count(*) FROM reject")" -gt "$whole" ]
        case $f in */result_[0-9].txt) [ "$status" -eq 0 ] ;; *)
            [ "$status" -eq 5 ]
            [[ "$output" == *"no log of a run that abdb reads"*"without a log that abdb reads, rejected: 1"* ]]
            ;;
        esac
        mv "${f%/*}/renamed.txt" "$f"
    done
    # all of a folder, in a tree that only its description makes a round
    mv training_results_v5.0 mine
    for f in mine/S/results/box/retinanet/*; do mv "$f" "${f%.txt}.log"; done
    run abdb import mine
    fails 5 "S/results/box/retinanet: no log of a run that abdb reads"
    # a folder of somebody's own is no round
    mkdir -p own/results/box/case && echo hello >own/results/box/case/out.txt && cp "$fixtures/hyperfine.json" own/
    run abdb import own
    fails 0 "passed over: 1"
    # an archive says the same
    tar czf mine.tgz mine
    rm -f t.db
    run abdb import mine.tgz
    fails 5 "rejected: 1"
}

@test "the Endpoints client: the rate is the official figure, beside latencies; failures are marked" {
    i=inference_results_v6.1/closed/S
    system $i/systems/box.json accelerators_per_node=72
    r=$i/results/box
    endpoints $r/deepseek-r1/Server/performance/result_summary.json
    endpoints $r/qwen3-vl-235b-a22b/Server/performance/result_summary.json 3
    endpoints $r/qwen3.6-27b/SingleStream/performance/result_summary.json
    endpoints $r/deepseek-r1/Offline/performance/result_summary.json 1 false
    mkdir -p $r/deepseek-r1/Server/accuracy && echo '{"average_accuracy": 81.25}' >$r/deepseek-r1/Server/accuracy/accuracy_results.json
    echo '{"weight_data_types": "fp4"}' >$r/deepseek-r1/Server/measurements.json
    run abdb import inference_results_v6.1
    fails 0 "4 result folders (0 already there): 4 accepted"
    same "$(ask "SELECT raw_model, scenario, value, unit, dtype FROM v_mlperf ORDER BY 1")" $'deepseek-r1,Server,37000.25,token/s,fp4\nqwen3-vl-235b-a22b,Server,10.5,query/s,'
    same "$(ask "SELECT metric, statistic, value FROM v_result WHERE raw_model = 'deepseek-r1' AND metric IN ('ttft_s', 'tpot_s', 'accuracy') ORDER BY 1, 2")" \
        $'accuracy,value,81.25\ntpot_s,mean,0.038\ntpot_s,p99,0.048\nttft_s,max,2\nttft_s,mean,0.21\nttft_s,min,0.1\nttft_s,p50,0.2\nttft_s,p99,0.3\nttft_s,p99.9,0.4'
    same "$(sqlite3 t.db "SELECT model FROM entry WHERE ' ' || flags || ' ' LIKE '% failed %' ORDER BY 1")" $'deepseek-r1\nqwen3-vl-235b-a22b'
    same "$(ask "SELECT status, reason FROM v_run WHERE scenario = 'Offline'")" "failed,the client did not complete its run"
    # agentic edge: no rule says which figure is official
    same "$(ask "SELECT DISTINCT metric FROM v_result WHERE raw_model = 'qwen3.6-27b' ORDER BY 1" | tr '\n' ' ')" "query_latency_s tpot_s ttft_s "
    run abdb query rejects
    fails 0 "which figure of inference, SingleStream is official is not known: latencies kept, no score"
}

@test "Automotive is a suite with its own figures; Mobile and unknown systems get no figure of another suite" {
    a=automotive_results_v0.5/closed/S
    system $a/systems/car.json system_type=adas
    run_of $a/results/car/ssd/SingleStream/performance/run_1 SingleStream
    run_of $a/results/car/ssd/ConstantStream/performance/run_1 ConstantStream
    abdb import -q automotive_results_v0.5
    # the 99.9th percentiles, not the 90th (0.006)
    same "$(ask "SELECT suite, round, scenario, value FROM v_mlperf ORDER BY scenario")" $'automotive,v0.5,ConstantStream,0.0089\nautomotive,v0.5,SingleStream,0.0091'
    same "$(sqlite3 t.db "SELECT published FROM round WHERE suite = 'automotive' AND round = 'v0.5'" | head -c 4)" 2025
    m=mobile_submission/closed/S
    system $m/systems/phone.json system_type=edge
    run_of $m/results/phone/mobilenet/SingleStream/log_performance SingleStream
    system $m/systems/robot.json system_type=toaster
    run_of $m/results/robot/mobilenet/SingleStream/performance/run_1 SingleStream
    mv mobile_submission sub && rm -f t.db
    abdb import -q sub
    same "$(ask "SELECT count(*) FROM v_mlperf")" 0
    same "$(ask "SELECT suite, kind, count(*) FROM v_result GROUP BY 1, 2")" "mobile,run,3"
    run abdb query rejects
    fails 0 "which figure of mobile, SingleStream is official is not known"
    fails 0 "no rules for system type 'toaster'"
    # MLCommons' own table of Automotive says the same suite
    echo '[{"ID": "0.5-0001", "Submitter": "S", "Suite": "adas", "Category": "closed", "System": "Box", "Model": "ssd", "Scenario": "SingleStream", "Performance_Result": 9.1, "Performance_Units": "Latency (ms)", "version": "v0.5", "Nodes": 1, "a#": 1, "Accelerator": "NVIDIA Thor-X"}]' >summary_results.json
    abdb import -q summary_results.json --db s.db
    same "$(sqlite3 s.db "SELECT suite FROM entry")" automotive
}

@test "NaN, Infinity and Windows paths in logs of Python and C++ damage no line" {
    training training_results_v5.0
    abdb import -q training_results_v5.0 --db plain.db
    same "$(sqlite3 plain.db "SELECT value FROM result JOIN entry USING (entry_id) WHERE kind = 'score' AND metric = 'time_to_train_s'")" 720.0
    for word in NaN Infinity -Infinity nan inf; do
        sed -i '3i :::MLLOG {"key": "eval_loss", "value": '$word', "time_ms": 1745912300001, "metadata": {"note": "NaN \\"x\\""}}' training_results_v5.0/S/results/box/retinanet/result_2.txt
    done
    run abdb import training_results_v5.0
    fails 0 "1 accepted, 0 duplicate, 0 rejected"
    same "$(ask "SELECT value FROM v_mlperf")" 720
    i=inference_results_v5.1/closed/S
    system $i/systems/box.json
    run_of $i/results/box/resnet50/Offline/performance/run_1 Offline
    f=$i/results/box/resnet50/Offline/performance/run_1/mlperf_log_detail.txt
    sed -i '1i :::MLLOG {"key": "error_invalid_config", "value": "no C:\\Users\\me\\new.conf", "time_ms": 0.1, "metadata": {"file": "C:\\Temp\\x.cc"}}' $f
    sed -i 's/C:\\\\/C:\\/g' $f # single backslashes
    grep -q 'C:\\Users\\me' $f
    run abdb import inference_results_v5.1
    fails 0 "1 accepted, 0 duplicate, 0 rejected"
    same "$(ask "SELECT value FROM v_mlperf WHERE suite = 'inference'")" 10
    # the figure itself may not be one of these words
    sed -i 's/"value": "10"/"value": inf/' $f
    run abdb import inference_results_v5.1
    fails 5 "1 rejected"
    run abdb query rejects
    fails 0 "Result is 'inf', not a number"
    # and what is torn is damage as before
    echo ':::MLLOG {"key": "result_samples_per_second", "value": NaN, "tim' >>$f
    run abdb import inference_results_v5.1
    run abdb query rejects
    fails 0 "no JSON behind :::MLLOG"
}

@test "training: power logs beside the runs are counted, not read" {
    training training_results_v5.0
    mkdir -p training_results_v5.0/S/results/box/retinanet/power/result_0
    cp "$fixtures/mlperf_training.txt" training_results_v5.0/S/results/box/retinanet/power/result_0/node_0.txt
    run abdb import training_results_v5.0
    fails 0 "power logs of training runs, not read: 1"
}

header=Organization,Availability,Division,SystemType,SystemName,Platform,Model,MlperfModel,Scenario,Result,Accuracy,number_of_nodes,host_processor_model_name,host_processors_per_node,host_processor_core_count,accelerator_model_name,accelerators_per_node,Location,framework,operating_system,notes,compliance,errors,version,inferred,has_power,Units
line() { # ROUND MODEL SCENARIO RESULT UNIT [ACCURACY] [ACCELERATOR]
    echo "S,available,closed,datacenter,Box $4,box-$4,$2,$2,$3,$4,${6:-ROUGE1: 44.5},1,CPU,2,32,${7:-NVIDIA H100-SXM-80GB},8,closed/S/$1/$2/$3/$4,f,o,,True,0,$1,0,False,$5"
}

@test "samples become tokens only for rates impossible as samples; other rows are marked" {
    {
        echo $header
        line v4.0 gptj-99 Offline 106.7 Samples/s
        line v4.1 gptj-99 Offline 19878 Samples/s
        line v4.1 llama2-70b-99 Offline 85.1 Samples/s
        line v4.1 llama2-70b-99 Server 24000 Queries/s
        line v5.0 llama3.1-405b Offline 2 Samples/s
        line v5.1 llama3.1-405b Server 200 Queries/s
        line v5.1 deepseek-r1 Server 12 Queries/s
        line v5.1 deepseek-r1 Offline 600 Samples/s 'exact_match: 81  TOKENS_PER_SAMPLE: 3800'
        line v5.1 llama2-70b-99.9 Server 85.1 Queries/s 'ROUGE1: 44  TOKENS_PER_SAMPLE: 283'
    } >summary.csv
    abdb import -q summary.csv
    same "$(ask "SELECT round, raw_model, scenario, value, unit, flags FROM v_mlperf WHERE metric_class = 'performance' ORDER BY 1, 2, 3")" "v4.0,gptj-99,Offline,106.7,sample/s,
v4.1,gptj-99,Offline,19878,token/s,unit-corrected
v4.1,llama2-70b-99,Offline,85.1,sample/s,unit-unproved
v4.1,llama2-70b-99,Server,24000,token/s,unit-corrected
v5.0,llama3.1-405b,Offline,2,sample/s,unit-unproved
v5.1,deepseek-r1,Offline,600,token/s,unit-corrected
v5.1,deepseek-r1,Server,12,query/s,unit-unproved
v5.1,llama2-70b-99.9,Server,85.1,query/s,unit-unproved
v5.1,llama3.1-405b,Server,200,token/s,unit-corrected"
}

@test "summary.json and summary.csv of the checker give the same rows; tasks are a rate" {
    {
        echo $header
        line v6.1 llama2-70b-99.9 Interactive 73000.5 Tokens/s
        line v6.1 e2e-rag-qna Offline 0.464076 Tasks/s 'E2E_ACCURACY: 35.9'
        line v6.1 text_to_video SingleStream 20.5 'Latency (s)' 'vbench_score: 70.2' 'AMD Instinct MI355X 288GB HBM3e'
    } >summary.csv
    python3 -c 'import csv, json
rows = {str(i): {k: float(v) if k == "Result" else int(v) if k.startswith("acc") and v.isdigit() else v for k, v in r.items()} for i, r in enumerate(csv.DictReader(open("summary.csv")))}
json.dump(rows, open("summary.json", "w"), indent=1)'
    abdb import -q summary.csv --db csv.db
    run abdb import summary.json --db json.db
    fails 0 "3 rows: 3 accepted, 0 duplicate, 0 rejected, 0 ignored; values: 6 kept  [mlperf-summary-json]"
    all="SELECT e.source, e.verified, e.round, e.model, e.scenario, e.device, e.devices, r.metric, r.value, r.raw_unit, e.flags FROM entry e JOIN result r USING (entry_id) ORDER BY 4, 8"
    same "$(sqlite3 json.db "$all")" "$(sqlite3 csv.db "$all")"
    same "$(sqlite3 csv.db "SELECT metric, value FROM result WHERE raw_unit = 'Tasks/s'")" "tasks_per_s|0.464076"
}

@test "one ID of one source with two values is a conflict; neither counts until one is withdrawn" {
    for value in 24500 21200; do
        printf '[{"ID": "5.0-9001", "Submitter": "Acme", "Availability": "available", "Division": "Closed", "Suite": "datacenter", "version": "v5.0", "Platform": "Box", "System": "Box A (8x H100-SXM)", "Model": "llama2-70b-99", "UsedModel": "llama2-70b-99", "Scenario": "Offline", "Nodes": 1, "Accelerator": "NVIDIA H100-SXM-80GB", "a#": 8, "Performance_Result": %s.0, "Performance_Units": "Tokens/s"}]' $value >$value.json
        abdb import -q "$fixtures/../../data/rules/marks.csv" $value.json
    done
    same "$(ask "SELECT value, marks FROM v_result WHERE metric_class = 'performance' ORDER BY 1")" $'21200,conflict\n24500,conflict'
    run abdb audit conflicts --kind id
    fails 0 "neither: one ID, two values; withdraw the older"
    abdb withdraw 24500.json --reason corrected
    same "$(ask "SELECT value, marks FROM v_result WHERE metric_class = 'performance'")" 21200,
}

@test "a name of several known devices is a mixed system, with any separator" {
    abdb import -q "$root/data/devices.csv" "$root/data/aliases.csv" "$root/data/rules/decorations.csv"
    {
        echo $header
        i=0
        for name in 'NVIDIA L40S + AMD Instinct MI300X 192GB HBM3' 'NVIDIA L40S (x8) and AMD Instinct MI300X (x8)' 'NVIDIA L40S/AMD Instinct MI300X' 'NVIDIA L40S & AMD Instinct MI300X' \
            'NVIDIA L40S + Unheard 9000' 'NVIDIA L40S + NVIDIA L40S'; do
            line v6.0 llama2-70b-99 Offline $((1000 + i++)) Tokens/s "" "$name"
        done
    } >summary.csv
    abdb import -q summary.csv
    same "$(ask "SELECT value, device, instr(' ' || flags || ' ', ' mixed ') > 0 FROM v_result WHERE metric = 'tokens_per_s' ORDER BY 1" | sed 's/ + /+/')" "1000,L40S+MI300X,1
1001,L40S+MI300X,1
1002,L40S+MI300X,1
1003,L40S+MI300X,1
1004,NVIDIA L40S+Unheard 9000,0
1005,NVIDIA L40S+NVIDIA L40S,0"
}

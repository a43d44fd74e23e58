#!/usr/bin/env bats
# rounds.bats - MLPerf rounds: result folders made of their files, from folders and archives, whole or not.
load common

# A small inference round of one result: power, accuracy, system.
inference() { # ROOT
    r=$1/closed/Someone
    mkdir -p "$r/systems" "$r/results/box/llama2-70b-99/Server/performance/run_1" "$r/results/box/llama2-70b-99/Server/accuracy" \
        "$r/measurements/box/llama2-70b-99/Server" "$r/results/box/llama2-70b-99/Server/TEST06"
    cp "$fixtures/mlperf_system.json" "$r/systems/box.json"
    cp "$fixtures/mlperf_detail.txt" "$r/results/box/llama2-70b-99/Server/performance/run_1/mlperf_log_detail.txt"
    cp "$fixtures/mlperf_power.txt" "$r/results/box/llama2-70b-99/Server/performance/run_1/spl.txt"
    cp "$fixtures/mlperf_accuracy.txt" "$r/results/box/llama2-70b-99/Server/accuracy/accuracy.txt"
    echo '{"weight_data_types": "fp8", "retraining": "No"}' >"$r/measurements/box/llama2-70b-99/Server/box.json"
    echo nothing >"$r/results/box/llama2-70b-99/Server/TEST06/accuracy.txt"
}
# A training folder of five runs: 500, 600, 700, 800 and 2000 seconds.
training() { # ROOT [FACTOR]
    t=$1/Someone
    mkdir -p "$t/systems" "$t/results/box/retinanet"
    cp "$fixtures/mlperf_system.json" "$t/systems/box.json"
    i=0
    for s in 600 800 500 2000 700; do
        sed "s/1745912900000/$((1745912300000 + s * 1000))/; s/\"seed\", \"value\": [0-9]*/\"seed\", \"value\": $i/" "$fixtures/mlperf_training.txt" >"$t/results/box/retinanet/result_$i.txt"
        i=$((i + 1))
    done
    [ -z "$2" ] || echo "{\"scaling_factor\": $2}" >"$t/results/box/retinanet/scaling.json"
}

@test "inference: performance, power, accuracy and latencies of one folder are stored as one entry" {
    inference inference_results_v5.1-main
    run abdb import inference_results_v5.1-main
    fails 0 "1 result folders (0 already there): 1 accepted"
    fails 0 "not needed: 1"
    same "$(ask "SELECT value, unit, round, submitter, system, device, devices, dtype, division, availability FROM v_mlperf")" \
        "24593.8,token/s,v5.1,Someone,Box 9000,H100-SXM,8,fp8,closed,available"
    # the mean of the samples strictly between the marks: 200, 300 and 400 W
    same "$(ask "SELECT value, n, formula FROM v_result WHERE metric = 'power_w'")" "300,3,mlperf-mean-power@1"
    same "$(ask "SELECT value FROM v_result WHERE metric = 'accuracy.rouge2'")" 22.0593
    same "$(ask "SELECT value FROM v_result WHERE metric = 'tokens_per_sample'")" 301.3
    same "$(ask "SELECT metric, statistic, value FROM v_result WHERE metric IN ('ttft_s', 'tpot_s') ORDER BY 1, 2")" $'tpot_s,mean,0.144594078\ntpot_s,p99,0.193380124\nttft_s,p99,1.914647645'
    same "$(ask "SELECT count(DISTINCT run) FROM v_run")" 1
}

@test "inference: an archive gives the same facts as its folder, and a repetition changes nothing" {
    inference inference_results_v5.1-main
    abdb import -q inference_results_v5.1-main
    one=$(facts)
    tar czf round.tar.gz inference_results_v5.1-main
    run abdb import round.tar.gz
    fails 0 "1 already there"
    same "$(facts)" "$one"
    rm -f t.db
    # in any order, through a pipe, inside another archive
    tar cf round.tar $(find inference_results_v5.1-main -type f | sort -r)
    zip -q outer.zip round.tar
    abdb import -q - <outer.zip
    same "$(facts)" "$one"
}

@test "a file present twice in a round is one file, and its last copy counts" {
    training training_results_v5.0
    abdb import -q training_results_v5.0 --db one.db
    # the folder named twice, and within an archive
    run abdb import training_results_v5.0 training_results_v5.0
    fails 0 "1 result folders (0 already there)"
    same "$(facts)" "$(facts one.db)"
    inference inference_results_v5.1
    tar cf twice.tar inference_results_v5.1
    sed -i 's/24593.8/20000.5/' inference_results_v5.1/closed/Someone/results/box/llama2-70b-99/Server/performance/run_1/mlperf_log_detail.txt
    tar rf twice.tar inference_results_v5.1
    abdb import -q inference_results_v5.1 --db folder.db
    abdb import -q twice.tar --db twice.db
    same "$(facts twice.db)" "$(facts folder.db)"
    run abdb import twice.tar --db folder.db
    fails 0 "1 result folders (1 already there)"
}

# A round as a tar, on standard output: so many result folders, each with so many samples of a meter.
many_folders() { # FOLDERS SAMPLES
    inference one
    awk -v n="$2" 'BEGIN { for (i = 0; i < n; i++) printf "Time,01-01-2026 %02d:%02d:%02d.000,Watts,%d.5,Volts,1\n", i / 3600, i / 60 % 60, i % 60, 100 + i % 7 }' >spl.txt
    mkdir -p inference_results_v5.1/closed/Someone/results inference_results_v5.1/closed/Someone/systems
    ln -f spl.txt one/closed/Someone/results/box/llama2-70b-99/Server/performance/run_1/spl.txt
    for ((i = 0; i < $1; i++)); do
        cp -rl one/closed/Someone/results/box "inference_results_v5.1/closed/Someone/results/box$i"
        ln one/closed/Someone/systems/box.json "inference_results_v5.1/closed/Someone/systems/box$i.json"
    done
    tar c --hard-dereference inference_results_v5.1
}

@test "a round is imported with 16 bytes of memory for each power sample and little more" {
    case $build in *sanitize) skip "memory is not the program's own under sanitizers" ;; esac
    many_folders 300 4100 >round.tar
    /usr/bin/time -f %M -o kb abdb import - <round.tar >out
    grep -q "300 result folders (0 already there)" out
    echo "$(cat kb) KiB" # 300 x 4100 samples are 19 MiB
    [ "$(tail -1 kb)" -lt $((19 * 1024 + 32 * 1024)) ]
}

@test "inference: an inferred scenario is marked, and a run without the figure of its scenario is refused" {
    inference v5.1
    r=v5.1/closed/Someone/results/box/llama2-70b-99
    rm -r "$r"
    for s in SingleStream MultiStream Offline Server; do
        mkdir -p "v5.1/closed/Someone/results/box/resnet50/$s/performance/run_1"
        cp "$fixtures/mlperf_summary.txt" "v5.1/closed/Someone/results/box/resnet50/$s/performance/run_1/mlperf_log_summary.txt"
    done
    run abdb import v5.1
    fails 0 "4 result folders (0 already there): 3 accepted, 0 duplicate, 1 rejected"
    same "$(ask "SELECT scenario, value, flags FROM v_mlperf ORDER BY scenario")" $'MultiStream,0.004225376,inferred:log\nOffline,1973.57,inferred:log\nSingleStream,0.000513395,'
    run abdb query rejects
    fails 0 "no figure for scenario Server"
}

@test "inference: a result without its system description is refused, and imported with it later" {
    inference v5.1
    mkdir elsewhere && mv v5.1/closed/Someone/systems elsewhere
    run abdb import v5.1
    fails 5 "1 rejected"
    run abdb query rejects
    fails 0 "no systems/box.json"
    mv elsewhere/systems v5.1/closed/Someone
    run abdb import v5.1
    fails 0 "1 accepted"
}

@test "inference: an invalid run is stored without a result; damaged files are refused by line" {
    inference v5.1
    d=v5.1/closed/Someone/results/box/llama2-70b-99/Server/performance/run_1
    sed -i 's/"VALID"/"INVALID"/' $d/mlperf_log_detail.txt
    abdb import -q v5.1
    same "$(ask "SELECT status, reason FROM v_run")" "failed,LoadGen says that the run is not VALID"
    same "$(ask "SELECT count(*) FROM v_mlperf")" 0
    echo ':::MLLOG {"key": "broken' >>$d/mlperf_log_detail.txt
    run abdb import v5.1
    fails 5 "1 rejected"
    run abdb query rejects
    fails 0 "line 15: no JSON behind :::MLLOG"
    echo 'Time,never,Watts,9' >>$d/spl.txt
    sed -i '$d' $d/mlperf_log_detail.txt
    run abdb import v5.1
    run abdb query rejects
    fails 0 "line 6: not 'Time,MM-DD-YYYY"
}

@test "training: the score is the scaled olympic mean of the runs, with a failed run as the worst" {
    training training_results_v5.0-main
    abdb import -q training_results_v5.0-main
    same "$(ask "SELECT value, statistic, n, low, high, spread, formula FROM v_mlperf")" "700,olympic-mean,5,500,2000,minmax,mlperf-olympic-mean@1"
    same "$(ask "SELECT count(*) FROM v_run WHERE kind = 'run'")" 5
    same "$(sqlite3 t.db "SELECT count(*), count(DISTINCT whole) FROM part WHERE role = 'run'")" "5|1"
    rm -f t.db
    training scaled/training_results_v5.0 1.25
    abdb import -q scaled
    same "$(ask "SELECT value, round FROM v_mlperf")" "875,v5.0"
    rm -f t.db
    # the fastest ends early: it is now the one left out at the slow end
    sed -i '/run_stop/d' training_results_v5.0-main/Someone/results/box/retinanet/result_2.txt
    abdb import -q training_results_v5.0-main
    same "$(ask "SELECT round(value, 6) FROM v_mlperf")" 1166.666667
    same "$(ask "SELECT count(*) FROM v_run WHERE status = 'failed'")" 1
    rm -f t.db
    sed -i 's/success/aborted/' training_results_v5.0-main/Someone/results/box/retinanet/result_1.txt
    abdb import -q training_results_v5.0-main
    same "$(ask "SELECT count(*) FROM v_mlperf")" 0
    same "$(ask "SELECT reason FROM v_run WHERE kind = 'score'")" "more runs failed than the score leaves out"
}

@test "training: an incomplete folder gives no score" {
    training v5.0
    rm v5.0/Someone/results/box/retinanet/result_4.txt
    run abdb import v5.0
    fails 0 "1 accepted"
    same "$(ask "SELECT count(*) FROM v_mlperf")" 0
    same "$(ask "SELECT count(*) FROM v_run WHERE kind = 'run'")" 4
    run abdb query rejects
    fails 0 "4 runs of the 5 that retinanet wants: runs kept, no score"
    training whole/v5.0
    tar cf whole.tar whole
    tar cf more.tar whole
    head -c 900000 /dev/urandom >whole/v5.0/Someone/results/box/retinanet/zzz.log
    tar czf cut.tgz whole/v5.0/Someone/systems whole/v5.0/Someone/results/box/retinanet/result_*.txt whole/v5.0/Someone/results/box/retinanet/zzz.log
    head -c 500000 cut.tgz >short.tgz
    rm -f t.db
    run abdb import short.tgz
    [ "$status" -ge 5 ]
    [[ "$output" == *truncated* ]]
    same "$(ask "SELECT count(*) FROM v_mlperf")" 0
    run abdb query rejects
    fails 0 "not read to the end"
    abdb import -q whole.tar
    same "$(ask "SELECT value FROM v_mlperf")" 700
}

@test "Tiny and Storage: the result is the median of the windows; emulated accelerators are not devices" {
    mkdir -p v1.2/closed/S/systems v1.2/closed/S/results/board/ad/performance v1.2/closed/S/results/board/ad/accuracy
    echo '{"Submitter": "S", "Division": "Closed", "Board Name": "Board", "Processor(s) Name": "Core M", "Accelerator": ""}' >v1.2/closed/S/systems/board.json
    cp "$fixtures/mlperf_tiny.txt" v1.2/closed/S/results/board/ad/performance/results.txt
    cp "$fixtures/mlperf_tiny.txt" v1.2/closed/S/results/board/ad/accuracy/results.txt
    abdb import -q v1.2
    same "$(ask "SELECT suite, device, devices, metric, statistic, value, n FROM v_mlperf")" "tiny,Core M,1,samples_per_s,median,1884.138,3"
    same "$(ask "SELECT value FROM v_result WHERE metric = 'accuracy.auc'")" 0.86
    mkdir -p storage_results_v1.0/Closed/S/results/array/unet3d-h100
    cp "$fixtures/mlperf_storage.json" storage_results_v1.0/Closed/S/results/array/unet3d-h100/mlperf_storage_report.json
    abdb import -q storage_results_v1.0
    same "$(ask "SELECT submitter, platform, model, metric, statistic, value, raw_device, n FROM v_result WHERE suite = 'storage' AND statistic = 'mean' ORDER BY metric")" \
        $'S,array,unet3d,bytes_per_s,mean,21000250000,,2\nS,array,unet3d,samples_per_s,mean,150.5,,2'
    same "$(sqlite3 t.db "SELECT count(*) FROM part")" 2
}

@test "Storage: the repetition of a DLIO summary is the last runN of its path, and unknown without one" {
    i=0
    for path in runtime/unet3d unet3d/run3 running/unet3d/run_4 run5/unet3d/prune unet3d/run6 unet3d/Run_7/strunk; do
        i=$((i + 1))
        mkdir -p "$i/$path"
        echo "{\"num_accelerators\": $i, \"metric\": {\"train_au_percentage\": [], \"train_throughput_mean_samples_per_second\": $i}}" >"$i/$path/summary.json"
    done
    abdb import -q [1-6]
    same "$(ask "SELECT e.value, p.text FROM v_result e LEFT JOIN point_factor p ON p.point_id = e.point_id AND p.factor = 'repetition_index'
        WHERE e.metric = 'samples_per_s' ORDER BY e.value")" $'1,\n2,run3\n3,run_4\n4,run5\n5,run6\n6,Run_7'
}

@test "a single log is imported as a run with --set" {
    run abdb import "$fixtures/mlperf_detail.txt"
    fails 5 "1 rejected"
    run abdb query rejects
    fails 0 "add --set model=NAME"
    abdb import -q "$fixtures/mlperf_detail.txt" --set model=llama2-70b-99 --set device=H100-SXM --set devices=8
    same "$(ask "SELECT evidence, model, scenario, device, devices, value FROM v_result WHERE metric = 'tokens_per_s'")" "measured,llama2-70b-99,Server,H100-SXM,8,24593.8"
    abdb import -q "$fixtures/mlperf_summary.txt" --set model=resnet50
    same "$(ask "SELECT value FROM v_result WHERE metric = 'latency_s'")" 0.000513395
    abdb import -q "$fixtures/mlperf_training.txt"
    same "$(ask "SELECT value, submitter FROM v_result WHERE metric = 'time_to_train_s'")" "600,Someone"
    printf '"pid": 6, "tid": 6, "ts": 17ns : effective_scenario : Offline\n"pid": 6, "tid": 6, "ts": 99ns : result_samples_per_second : 123.5\n' >old.txt
    abdb import -q old.txt --set model=resnet50
    same "$(ask "SELECT value, scenario FROM v_result WHERE metric = 'samples_per_s'")" "123.5,Offline"
}

@test "v5.1: all 170 published rows and five power rows are recomputed from the logs to 6 digits" {
    need_realdata mlperf-inference-round
    need_realdata mlperf-inference-summary-json
    run abdb import "$realdata"/mlperf-inference-round/*.tar.gz
    fails 0 "170 result folders (0 already there): 170 accepted, 0 duplicate, 0 rejected"
    abdb import -q "$realdata"/mlperf-inference-summary-json/summary_results_v5.1.json
    sqlite3 t.db "CREATE TEMP TABLE said AS SELECT e.source, f.text AS place, r.value, r.metric, m.metric_class FROM entry e
        JOIN result r USING (entry_id) JOIN metric m ON m.metric = r.metric JOIN point_factor f ON f.point_id = e.point_id AND f.factor = 'location'
        WHERE e.source IN ('mlperf-logs', 'mlperf-summary') AND r.statistic = 'value';
      SELECT a.metric_class, count(*), sum(printf('%.6g', a.value) = printf('%.6g', b.value)), sum(a.metric <> b.metric) FROM said a JOIN said b
        ON b.place = a.place AND b.metric_class = a.metric_class WHERE a.source = 'mlperf-logs' AND b.source = 'mlperf-summary'
        AND a.metric_class IN ('performance', 'power') GROUP BY 1" >got
    same "$(cat got)" $'performance|170|170|11\npower|5|5|0'
    # whisper's tokens are published as samples: both stand, flagged, nothing mended
    same "$(ask "SELECT count(*) FROM v_result WHERE model = 'whisper' AND metric_class = 'performance' AND flags LIKE '%unit-disagree%'")" 11
    same "$(ask "SELECT count(*) FROM v_result WHERE metric_class = 'performance' AND disagree = 1")" 0
    # the loose folders are the same ones
    run abdb import "$realdata"/mlperf-inference-round/v5.1-loose
    fails 0 "4 result folders (2 already there)"
}

@test "training v5.0: MI325X has 22.0366 and MI300X 29.2502 minutes; HPC, Tiny and Storage are imported" {
    need_realdata mlperf-training-round
    run abdb import "$realdata"/mlperf-training-round "$realdata"/mlperf-hpc-round "$realdata"/mlperf-tiny-round "$realdata"/mlperf-storage-round
    fails 0 "mlperf-training-round: 35 files (1 already there): 34 rows accepted"
    same "$(ask "SELECT platform, round(value / 60, 4) FROM v_mlperf WHERE submitter = 'AMD' AND model = 'llama2_70b_lora' ORDER BY 1")" \
        $'MI300X_EPYC_9575F_pytorch,29.2502\nMI325X_EPYC_9575F_pytorch,22.0366'
    same "$(ask "SELECT count(*) FROM v_mlperf WHERE suite = 'training' AND statistic = 'olympic-mean' AND round = 'v5.0'")" 34
    same "$(ask "SELECT model, count(*) FROM v_mlperf WHERE suite = 'hpc' GROUP BY 1 ORDER BY 1")" $'deepcam,2\nopenfold,1'
    same "$(ask "SELECT count(*) FROM v_mlperf WHERE suite = 'tiny'")" 13
    same "$(sqlite3 t.db "SELECT count(*) FROM entry WHERE suite = 'storage' AND kind = 'score'")" 56
}

@test "a whole repository gives the same facts as its results alone, and exit 0" {
    top=inference_results_v5.1-main
    inference $top
    training training_results_v5.0-main
    mkdir alone && cp -r $top training_results_v5.0-main alone/
    abdb import -q --db alone.db alone/$top alone/training_results_v5.0-main
    # what submitters leave beside: compliance, code, drafts of summaries, logs of other runs, weights
    b=closed/Someone/compliance/box/llama2-70b-99/Server/TEST06/performance/run_1
    mkdir -p $top/$b $top/closed/Someone/code/common $top/closed/Someone/out
    cp "$fixtures/mlperf_detail.txt" $top/$b/mlperf_log_detail.txt
    cp "$fixtures/hyperfine.json" "$fixtures/checker.csv" $top/closed/Someone/code/common/
    cp "$fixtures/checker.csv" $top/closed/Someone/out/out.csv
    cp "$fixtures/nccl_tests.out" "$fixtures/checker.csv" $top/closed/Someone/
    mkdir -p training_results_v5.0-main/Someone/benchmarks/x training_results_v5.0-main/Someone/results/box/retinanet/power
    cp "$fixtures/nccl_tests.out" training_results_v5.0-main/Someone/benchmarks/x/nccl.log
    cp "$fixtures/mlperf_training.txt" training_results_v5.0-main/Someone/results/box/retinanet/power/node_0.txt
    head -c 300000000 /dev/zero | gzip -9 | gzip -9 >$top/closed/Someone/code/latents.gz
    run abdb import --db whole.db $top training_results_v5.0-main
    fails 0 "not needed: 10"
    same "$(facts whole.db)" "$(facts alone.db)"
    tar cf - $top training_results_v5.0-main >all.tar
    run abdb import --db piped.db - <all.tar
    fails 0 "not needed: 10"
    same "$(facts piped.db)" "$(facts alone.db)"
    same "$(sqlite3 piped.db "SELECT count(*) FROM reject")" 0
    # in a tree of no known name the folders of a submission tell, and nothing else does
    mv $top mine
    run abdb import --db mine.db mine
    fails 0 "not needed: 5"
    same "$(sqlite3 mine.db "SELECT count(*) FROM artifact WHERE format = 'nccl-tests'")" 1
    # whoever names a file wants it
    run abdb import --db named.db mine/closed/Someone/code/common/hyperfine.json
    fails 0 "[hyperfine]"
}

# One result of an inference round: its log says what follows as key=value (new form) or key:value (of before 2020).
result() { # ROUND BENCHMARK SCENARIO key=value...
    local top=inference_results_$1 folder
    folder=$top/closed/Someone/results/box/$2/$3/performance/run_1
    mkdir -p "$folder" "$top/closed/Someone/systems"
    cp "$fixtures/mlperf_system.json" "$top/closed/Someone/systems/box.json"
    shift 3
    for pair in "$@"; do
        case $pair in
        *=*) printf ':::MLLOG {"key": "%s", "value": "%s", "time_ms": 1.5}\n' "${pair%%=*}" "${pair#*=}" ;;
        *) printf '"pid": 7, "tid": 7, "ts": 12ns : %s : %s\n' "${pair%%:*}" "${pair#*:}" ;;
        esac
    done >"$folder/mlperf_log_detail.txt"
}
rates() { # all that a log may hold of a rate
    echo result_validity=VALID result_samples_per_second=10 result_scheduled_samples_per_sec=20 result_completed_samples_per_sec=19 \
        result_tokens_per_second=3000 result_completed_tokens_per_second=5900 result_inferred_tokens_per_second=690 \
        result_inferred_completed_tokens_per_second=1300 result_90.00_percentile_latency_ns=9000000 early_stopping_latency_ss=8000000 \
        early_stopping_latency_ms=4000000 effective_samples_per_query=262 result_qps_without_loadgen_overhead=7
}

@test "inference: the official figure of each round is the one of its checker" {
    for r in v0.7 v1.0 v2.1 v4.0 v4.1 v5.1; do
        for s in Offline Server SingleStream MultiStream; do result $r resnet50 $s effective_scenario=$s $(rates); done
        result $r gptj-99 Offline effective_scenario=Offline $(rates)
        result $r gptj-99 Server effective_scenario=Server $(rates)
        result $r llama2-70b-99 Server effective_scenario=Server requested_use_token_latencies=true $(rates)
    done
    result v5.1 llama2-70b-99 Interactive effective_scenario=Server requested_use_token_latencies=true $(rates)
    result v2.1 bert-99 MultiStream effective_scenario=SingleStream $(rates)
    result v1.1 bert-99 Offline effective_scenario=SingleStream $(rates)
    run abdb import inference_results_*
    fails 0 "45 rows accepted, 0 duplicate, 0 rejected"
    same "$(ask "SELECT round, model, scenario, value, unit FROM v_mlperf WHERE metric_class = 'performance' AND model = 'resnet' ORDER BY 1, 3" | sort | tr '\n' ' ')" \
        "$(for r in v0.7 v1.0; do echo "$r,resnet,MultiStream,262,sample/query $r,resnet,Offline,10,sample/s $r,resnet,Server,20,query/s $r,resnet,SingleStream,0.009,s"; done | tr '\n' ' ')$(
        for r in v2.1 v4.0; do echo "$r,resnet,MultiStream,0.004,s $r,resnet,Offline,10,sample/s $r,resnet,Server,20,query/s $r,resnet,SingleStream,0.008,s"; done | tr '\n' ' ')$(
        for r in v4.1 v5.1; do echo "$r,resnet,MultiStream,0.004,s $r,resnet,Offline,10,sample/s $r,resnet,Server,19,query/s $r,resnet,SingleStream,0.008,s"; done | tr '\n' ' ')"
    one() { ask "SELECT value, unit FROM v_mlperf WHERE metric_class = 'performance' AND round = '$1' AND raw_model = '$2' AND scenario = '$3'"; }
    same "$(one v4.0 gptj-99 Offline) $(one v4.0 gptj-99 Server)" "10,sample/s 20,query/s"
    same "$(one v4.1 gptj-99 Offline) $(one v4.1 gptj-99 Server)" "690,token/s 1300,token/s"
    same "$(one v4.0 llama2-70b-99 Server) $(one v4.1 llama2-70b-99 Server)" "19,query/s 5900,token/s"
    same "$(one v5.1 llama2-70b-99 Interactive)" "5900,token/s"
    same "$(one v2.1 bert-99 MultiStream) $(one v1.1 bert-99 Offline)" "0.032,s 7,sample/s"
    same "$(ask "SELECT count(*) FROM v_mlperf WHERE flags LIKE '%inferred%' AND metric_class = 'performance'")" 2
}

@test "inference: logs before v1.0 are read with any spelling of the scenario and any place of the run" {
    result v0.7 resnet50 singlestream result_validity:VALID "effective_scenario:Single Stream" result_90.00_percentile_latency_ns:9000000
    result v0.7 resnet50 MultiStream result_validity:VALID "effective_scenario:Multi Stream" samples_per_query:272
    result v0.7 resnet50 offline result_validity:VALID "effective_scenario:Single Stream" result_qps_without_loadgen_overhead:7
    result v0.5 resnet Server result_validity:VALID effective_scenario:Server result_scheduled_samples_per_sec:20
    f=inference_results_v0.5/closed/Someone/results/box/resnet/Server/performance
    mv $f/run_1/* $f/ && rmdir $f/run_1
    f=inference_results_v0.7/closed/Someone/results/box/ssd-small/MultiStream/performance/run_1
    mkdir -p $f && printf 'MLPerf Results Summary\nSUT name : x\nScenario : Multi Stream\nSamples per query : 31\nResult is : VALID\n' >$f/mlperf_log_summary.txt
    run abdb import inference_results_v0.7 inference_results_v0.5
    fails 0 "5 rows accepted, 0 duplicate, 0 rejected"
    same "$(ask "SELECT scenario, value, flags FROM v_mlperf WHERE round = 'v0.7' ORDER BY 1, 2")" \
        $'MultiStream,31,\nMultiStream,272,\nOffline,7,inferred:log\nSingleStream,0.009,'
    same "$(ask "SELECT value, locator FROM v_mlperf WHERE round = 'v0.5'")" "20,performance/mlperf_log_detail.txt"
}

@test "inference: power of streams is energy per query, by the clocks of the round" {
    marks="power_begin=07-25-2025 10:00:00.000|power_end=07-25-2025 10:00:10.000"
    IFS='|' read -r -a marks <<<"$marks"
    meter() { # ROUND SCENARIO HOUR
        printf 'Time,07-25-2025 %s:00:0%d.000,Watts,%d.0,Volts,1\n' "$3" 2 20 "$3" 6 40 >inference_results_$1/closed/Someone/results/box/resnet50/$2/performance/run_1/spl.txt
    }
    for s in SingleStream MultiStream Offline; do
        result v2.1 resnet50 $s effective_scenario=$s $(rates) result_query_count=500 "${marks[@]}"
        meter v2.1 $s 10
    done
    result v1.0 resnet50 SingleStream effective_scenario=SingleStream $(rates) result_qps_with_loadgen_overhead=50 "${marks[@]}"
    meter v1.0 SingleStream 12 # of a meter two hours to the east
    result v1.0 resnet50 MultiStream effective_scenario=MultiStream $(rates) generated_query_count=10 generated_samples_per_query=262 "${marks[@]}"
    meter v1.0 MultiStream 12
    for s in SingleStream MultiStream; do
        p=inference_results_v1.0/closed/Someone/results/box/resnet50/$s/performance/power
        mkdir $p && echo '{"timezone": -7200}' >$p/server.json && echo '{"timezone": 0}' >$p/client.json
    done
    result v2.1 bert-99 MultiStream effective_scenario=SingleStream $(rates) result_query_count=500 "${marks[@]}"
    cp inference_results_v2.1/closed/Someone/results/box/resnet50/Offline/performance/run_1/spl.txt inference_results_v2.1/closed/Someone/results/box/bert-99/MultiStream/performance/run_1/
    abdb import -q inference_results_v2.1 inference_results_v1.0
    # 30 W for 10 s are 300 J
    same "$(ask "SELECT round, scenario, metric, round(value, 9), formula FROM v_result WHERE metric IN ('power_w', 'energy_j') AND model = 'resnet' ORDER BY 1, 2, 3")" \
        "v1.0,MultiStream,energy_j,0.114503817,mlperf-query-energy@1
v1.0,MultiStream,power_w,30,mlperf-mean-power@1
v1.0,SingleStream,energy_j,0.6,mlperf-query-energy@1
v1.0,SingleStream,power_w,30,mlperf-mean-power@1
v2.1,MultiStream,energy_j,0.6,mlperf-query-energy@1
v2.1,MultiStream,power_w,30,mlperf-mean-power@1
v2.1,Offline,power_w,30,mlperf-mean-power@1
v2.1,SingleStream,energy_j,0.6,mlperf-query-energy@1
v2.1,SingleStream,power_w,30,mlperf-mean-power@1"
    same "$(ask "SELECT value FROM v_result WHERE metric = 'energy_j' AND model LIKE 'bert%'")" 4.8
}

@test "the rules of official figures are shipped data, with a source for each" {
    abdb import -q "$root/data/rules/figures.csv"
    same "$(ask "SELECT count(*) FROM v_figure_rule")" "$(tail -n +2 "$root/data/rules/figures.csv" | wc -l)"
    same "$(ask "SELECT count(*) FROM v_figure_rule WHERE source NOT IN (SELECT source FROM v_source WHERE title IS NOT NULL) OR locator = ''")" 0
    same "$(ask "SELECT DISTINCT raw_unit FROM v_figure_rule ORDER BY 1" | tr '\n' ' ')" "Latency (ns) Queries/s Samples/s Streams Tokens/s "
    abdb export --db t.db -o jsonl >out.jsonl && abdb import -q --db other.db out.jsonl
    same "$(sqlite3 other.db "SELECT count(*) FROM figure_rule")" "$(sqlite3 t.db "SELECT count(*) FROM figure_rule")"
    # a table's samples that are tokens by the rules of its round, and those that are not; no count of devices proves these values
    h="Organization,Availability,Division,SystemType,SystemName,Platform,Model,MlperfModel,Scenario,Result,Location,version,Units"
    for r in v4.0,llama2-70b-99,Server v4.1,llama2-70b-99,Server v4.0,gptj-99,Offline v4.1,gptj-99,Offline; do
        IFS=, read -r v m s <<<"$r"
        echo "A,available,closed,datacenter,Box,box,$m,$m,$s,1000000,closed/A,$v,$([ $s = Server ] && echo Queries/s || echo Samples/s)"
    done | sed "1i $h" >summary.csv
    abdb import -q --db tables.db summary.csv
    same "$(abdb query --db tables.db "SELECT round, raw_model, unit FROM v_mlperf ORDER BY 2, 1" -o csv | tail -n +2 | tr '\n' ' ')" \
        "v4.0,gptj-99,sample/s v4.1,gptj-99,token/s v4.0,llama2-70b-99,query/s v4.1,llama2-70b-99,token/s "
}

@test "tiny: the description of a board is found under other names and places" {
    t=tiny_results_v0.7/closed/Maker
    for b in EK-1 EK-2 EK-3 EK-20; do
        mkdir -p "$t/results/$b/ad/performance" && cp "$fixtures/mlperf_tiny.txt" "$t/results/$b/ad/performance/results.txt"
    done
    mkdir -p $t/systems/EK-2 $t/systems/EK-3
    cp "$fixtures/mlperf_system.json" $t/systems/EK-3/EK-3.json
    cp "$fixtures/mlperf_system.json" $t/systems/EK-1_System_Description.json
    cp "$fixtures/mlperf_system.json" $t/systems/EK-2/EK_2_system_description.json
    run abdb import tiny_results_v0.7
    fails 0 "3 accepted, 0 duplicate, 1 rejected"
    run abdb query rejects
    fails 0 "no systems/EK-20.json"
}

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

@test "inference: performance, power, accuracy and latencies of one folder become one entry" {
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

@test "inference: an archive says the same as the folder, and repetition changes nothing" {
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

@test "inference: a scenario that was inferred says so, and what cannot be is refused" {
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

@test "inference: without its system's description a result is refused, and comes with it" {
    inference v5.1
    mkdir elsewhere && mv v5.1/closed/Someone/systems elsewhere
    run abdb import v5.1
    fails 0 "1 rejected"
    run abdb query rejects
    fails 0 "no systems/box.json"
    mv elsewhere/systems v5.1/closed/Someone
    run abdb import v5.1
    fails 0 "1 accepted"
}

@test "inference: an invalid run is kept without a result; damaged files are refused by line" {
    inference v5.1
    d=v5.1/closed/Someone/results/box/llama2-70b-99/Server/performance/run_1
    sed -i 's/"VALID"/"INVALID"/' $d/mlperf_log_detail.txt
    abdb import -q v5.1
    same "$(ask "SELECT status, reason FROM v_run")" "failed,LoadGen says that the run is not VALID"
    same "$(ask "SELECT count(*) FROM v_mlperf")" 0
    echo ':::MLLOG {"key": "broken' >>$d/mlperf_log_detail.txt
    run abdb import v5.1
    fails 0 "1 rejected"
    run abdb query rejects
    fails 0 "line 15: no JSON behind :::MLLOG"
    echo 'Time,never,Watts,9' >>$d/spl.txt
    sed -i '$d' $d/mlperf_log_detail.txt
    run abdb import v5.1
    run abdb query rejects
    fails 0 "line 6: not 'Time,MM-DD-YYYY"
}

@test "training: the olympic mean of the runs, scaled; a failed run counts as the worst" {
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

@test "training: no score from a folder that was not read to its end" {
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

@test "Tiny and Storage: the median of the windows; emulated accelerators are no device" {
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

@test "one log by itself is a run that --set completes" {
    run abdb import "$fixtures/mlperf_detail.txt"
    fails 0 "1 rejected"
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

@test "training v5.0: MI325X 22.0366 and MI300X 29.2502 minutes; HPC, Tiny, Storage" {
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

@test "a whole repository says what its results alone say, and ends well" {
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

#!/usr/bin/env bats
# training.bats - rounds of training before v0.7, whose logs and descriptions have other forms, and how many runs make a score.
load common

# Runs of v0.5 that last that many seconds; run_stop says what OTHER says.
runs_v05() { # FOLDER BENCHMARK SECONDS...
    local folder=$1 benchmark=$2 i=0 s
    shift 2
    mkdir -p "$folder/$benchmark"
    for s; do
        { echo "some line before"
          echo "INFO:mlperf_compliance::::MLPv0.5.0 $benchmark 1541720000.5 (<string>:1) run_clear_caches"
          echo ":::MLPv0.5.0 $benchmark 1541720100.25 (/work dir/utils.py:49) run_start"
          echo ":::MLPv0.5.0 $benchmark 1541720100.5 (/a/utils.py:49) run_set_random_seed: 14209"
          echo ":::MLPv0.5.0 $benchmark 1541720101 (/a/utils.py:49) eval_target: 0.749"
          echo ":::MLPv0.5.0 $benchmark $((1541720100 + s)).2 (/a/utils.py:49) eval_accuracy: {\"epoch\": 2, \"value\": 0.7522}"
          echo ":::MLPv0.5.0 $benchmark $((1541720100 + s)).25 (/a/utils.py:49) run_stop${other-}"
          echo ":::MLPv0.5.0 $benchmark $((1541720100 + s)).5 (/a/utils.py:49) run_final"
        } >"$folder/$benchmark/result_$i.txt"
        i=$((i + 1))
    done
}
entry() { # FOLDER NODES ACCELERATOR NUMBER
    mkdir -p "$1"
    cat >"$1/entry.json" <<EOF
{"division": "closed", "status": "cloud", "hardware": "Box of $3", "framework": "MXNet", "os": "Ubuntu 16.04",
 "nodes": [{"num_nodes": $2, "cpu": "2x Intel(R) Xeon(R) CPU E5-2650 v3", "num_cores": 40, "accelerator": "$3", "num_accelerators": $4}]}
EOF
}
score() {
    sqlite3 "$ABDB_DB" "SELECT submitter || ' ' || round || ' ' || model || ' ' || coalesce(device, '-') || ' ' || coalesce(devices, '-') || ' ' || printf('%.6f', value / 60)
        FROM v_result r WHERE kind = 'score' AND metric = 'time_to_train_s' ORDER BY 1"
}

@test "training v0.5: runs and entry.json are read, and the score leaves out the best and worst run" {
    root=training_results_v0.5-main/v0.5.0
    other=': {"success": "true"}' runs_v05 $root/nvidia/submission/results/dgx resnet 600 660 720 900 60
    entry $root/nvidia/submission/results/dgx 2 "Tesla V100-SXM2-16GB" 8
    runs_v05 $root/google/cloud_v2.8/gnmt-tpuv2-8/results/tpu gnmt 60 120 120 120 120 120 120 120 120 6000
    entry $root/google/cloud_v2.8/gnmt-tpuv2-8/results/tpu 4 tpuv2-512 512
    other=': {"success": false}' runs_v05 $root/intel/x/results/cpu ssd 60 60
    runs_v05 $root/intel/x/results/cpu2 ssd 60 60 60 60 60
    entry $root/intel/x/results/cpu 1 NA 0
    tar -cf v.tar training_results_v0.5-main
    run abdb import v.tar
    [ "$status" -eq 0 ] || { echo "$output"; false; }
    # (660 + 720 + 600) / 3 s = 11 minutes; eight of 120 s = 2 minutes; "tpuv2-512" counts all of its accelerators
    same "$(score)" "google v0.5 gnmt TPU-v2 512 2.000000
nvidia v0.5 resnet V100-SXM-16GB 16 11.000000"
    same "$(ask "SELECT status || ' ' || device || ' ' || count(*) FROM v_run WHERE submitter = 'intel' GROUP BY status, device")" "failed Xeon-E5-2650-v3 2"
    same "$(ask "SELECT count(*) FROM v_run_factor WHERE factor = 'seed' AND text = '14209'")" 17
    [[ "$(ask "SELECT reason FROM v_reject")" == *"2 runs of the 5 that ssd wants"* ]]
    [[ "$(ask "SELECT reason FROM v_reject")" == *"no systems/cpu2.json"* ]]
    # a copy under another name says nothing new
    mv v.tar w.tar
    run abdb import w.tar
    [[ "$output" == *" 0 rows accepted"* ]] || { echo "$output"; false; }
}

@test "training v0.6: both forms of metadata, lists of accuracies and three forms of descriptions are read" {
    root=training_results_v0.6
    mkdir -p $root/NV/systems $root/NV/results/dgx_a/mask $root/NV/results/dgx_b/mask $root/NV/results/dgx_c/mask
    for i in 0 1 2 3 4; do
        cat >$root/NV/results/dgx_a/mask/result_$i.txt <<EOF
:::MLL 0.0 submission_benchmark: {"value": "mask", "metadata": {"lineno": 0, "file": "N/A"}}
:::MLL 1558511260.864 run_start: {"value": null, "metadata": {"lineno": 427}}
:::MLL 1558511400 eval_accuracy: {"value": [0.378, 0.342], "metadata": {"epoch_num": 14}}
:::MLL 1558511$((560 + i)).864 run_stop: {"value": null, "metadata": {"status": "success", "lineno": 534}}
EOF
        sed "s/{\"status\": \"success\", \"lineno\": 534}/{'lineno': 53, 'status': 'success'}/" $root/NV/results/dgx_a/mask/result_$i.txt >$root/NV/results/dgx_b/mask/result_$i.txt
        sed 's/success/abort/' $root/NV/results/dgx_a/mask/result_$i.txt >$root/NV/results/dgx_c/mask/result_$i.txt
    done
    echo '{"submitter": "NV", "division": "closed", "system_name": "A", "number_of_nodes": "2", "accelerators_per_node": "4", "accelerator_model_name": "tpu-v3"}' >$root/NV/systems/dgx_a.json
    cat >$root/NV/systems/dgx_b.json <<'EOF'
org: {"value": "NV", "metadata": {"lineno": 231}}
division: {"value": "closed", "metadata": {"lineno": 235}}
entry: {"value": "{'hardware': 'DGX B', 'os': 'Ubuntu', 'framework': 'MXNet', 'nodes': \"{'num_accelerators': '8', 'num_nodes': '3', 'cpu': '2x Xeon', 'accelerator': 'Tesla V100-SXM3-32GB-H', 'num_cores': '40'}\"}", "metadata": {"lineno": 247}}
EOF
    entry e 5 "Tesla V100-SXM2-16GB" 4
    mv e/entry.json $root/NV/systems/dgx_c.json
    run abdb import $root
    [ "$status" -eq 0 ] || { echo "$output"; false; }
    same "$(score)" "NV v0.6 maskrcnn TPU-v3 8 5.033333
NV v0.6 maskrcnn Tesla-V100-SXM3-32-GB 24 5.033333"
    same "$(ask "SELECT kind || ' ' || status || ' ' || devices || ' ' || count(*) FROM v_run WHERE platform = 'dgx_c' GROUP BY kind, status, devices ORDER BY 1" | tr '\n' ' ')" "run failed 20 5 score failed 20 1 "
}

@test "a log of another format in a training folder is rejected, not stored as a run" {
    root=training_results_v0.5/v0.5.0/x/results/s
    entry $root 1 tpuv3-8 8
    runs_v05 $root ssd 60 60 60 60 60
    echo 'the word :::MLPv0.5.0 alone, and :::MLPv0.5.0 ssd no-time (a:1) run_start' >$root/ssd/result_1.txt
    printf '{"division": "closed", "hardware": "H", "nodes": [{"num_nodes": 1}, {"num_nodes": 2}]}' >two.json
    run abdb import training_results_v0.5
    same "$(sqlite3 "$ABDB_DB" "SELECT status || count(*) FROM v_run WHERE kind = 'run' GROUP BY status" | tr '\n' ' ')" "failed1 ok4 "
    rm "$ABDB_DB"
    cp two.json $root/entry.json
    run abdb import training_results_v0.5
    [[ "$(ask "SELECT reason FROM v_reject")" == *"2 kinds of nodes, not one"* ]]
}

@test "the number of runs for a score is shipped data, by round" {
    filled "$root/data"
    same "$(ask "SELECT count(*) FROM v_score_rule")" "$(tail -n +2 "$root/data/rules/scores.csv" | wc -l)"
    same "$(ask "SELECT count(*) FROM v_score_rule WHERE source NOT IN (SELECT source FROM v_source WHERE title IS NOT NULL) OR 2 * dropped >= runs")" 0
    for v in v0.7 v1.0; do # transformer was in no round behind v0.7
        mkdir -p training_results_$v/A/results/s/transformer training_results_$v/A/systems
        echo '{"submitter": "A", "division": "closed", "system_name": "S", "number_of_nodes": "1", "accelerators_per_node": "1", "accelerator_model_name": "NVIDIA T4"}' >training_results_$v/A/systems/s.json
        for i in 0 1 2 3 4 5 6 7 8 9; do
            printf ':::MLLOG {"time_ms": 1000, "key": "run_start", "value": null}\n:::MLLOG {"time_ms": 6%s000, "key": "run_stop", "value": null, "metadata": {"status": "success"}}\n' $i \
                >training_results_$v/A/results/s/transformer/result_$i.txt
        done
        abdb import -q training_results_$v || true
    done
    same "$(score | grep "^A ")" "A v0.7 transformer T4 1 1.058333"
    [[ "$(ask "SELECT reason FROM v_reject")" == *"how many runs 'transformer' wants is not known"* ]]
}

@test "a training folder of over 64 runs is scored; over 1024 runs are stored without a score, with a note" {
    root=training_results_v0.5-main/v0.5.0
    # sixty of a minute and ten of two: the ends are dropped, so that the mean is (59 + 9 x 2) / 68 minutes
    runs_v05 $root/google/cloud/gnmt/results/tpu gnmt $(yes 60 | head -60) $(yes 120 | head -10)
    entry $root/google/cloud/gnmt/results/tpu 4 tpuv2-512 512
    abdb import -q training_results_v0.5-main
    same "$(ask "SELECT count(*) FROM v_run WHERE kind = 'run'")" 70
    same "$(score)" "google v0.5 gnmt TPU-v2 512 $(awk 'BEGIN { printf "%.6f", (59 + 9 * 2) / 68 }')"
    same "$(sqlite3 t.db 'SELECT count(*) FROM part')" 70
    abdb export -o jsonl --out all.jsonl
    abdb import -q --db again.db all.jsonl
    same "$(sqlite3 again.db 'SELECT count(*) FROM part')" 70
    cp -r training_results_v0.5-main many
    for ((i = 70; i < 1025; i++)); do
        cp many/v0.5.0/google/cloud/gnmt/results/tpu/gnmt/result_{0,$i}.txt
    done
    mkdir n && mv many n/training_results_v0.5-main
    abdb import -q --db n.db n/training_results_v0.5-main
    same "$(sqlite3 n.db "SELECT count(*) FROM v_run WHERE kind = 'run'")" 1025
    same "$(sqlite3 n.db 'SELECT reason FROM reject')" "1025 runs, more than 1024: runs kept, no score"
}

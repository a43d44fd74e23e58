#!/usr/bin/env bats
# marks_at_import.bats - an import invents no count, holds each row against itself, and says what failed: marks, their sentences, exit codes.
load common

# The distinct values of columns of v_run.
runs() {
    ask "SELECT group_concat(x, '; ') FROM (SELECT DISTINCT $1 AS x FROM v_run ORDER BY 1)" | tr -d '"' # those of CSV
}
# A log of llama-bench: lines about devices, then a row; more columns and cells by $1 and $2.
llama_log() {
    printf '| model | size | params | backend | ngl |%s test | t/s |\n' "${1:+ $1 |}"
    echo '| --- | ---: | ---: | --- | --: | --: | ---: |'
    printf '| llama 8B Q4_0 | 4.33 GiB | 8.03 B | CUDA | 99 |%s tg128 | 120.00 ± 1.00 |\n\nbuild: 2aa45ef9e (7423)\n' "${2:+ $2 |}"
}
two_cards() {
    echo "ggml_cuda_init: found 2 ROCm devices:"
    echo "  Device 0: $1, gfx1201 (0x1201), VMM: no, Wave Size: 32"
    echo "  Device 1: $2, gfx1201 (0x1201), VMM: no, Wave Size: 32"
}

@test "llama-bench: the devices are those in the list of the log" {
    { two_cards "AMD Radeon AI PRO R9700" "AMD Radeon AI PRO R9700"; llama_log; } >two.log
    abdb import -q two.log
    same "$(runs "device || ' x ' || devices")" "AMD Radeon AI PRO R9700 x 2"
}

@test "llama-bench: dev, split_mode none, main_gpu and tensor_split select among the listed devices" {
    local cells
    for cells in "dev:ROCm1:1" "dev:ROCm0/ROCm1:2" "sm:none:1" "ts:1.00/0.00:1" "ts:1.00/1.00:2"; do
        IFS=: read -r column cell count <<<"$cells"
        rm -f "$ABDB_DB"
        { two_cards "AMD Radeon AI PRO R9700" "AMD Radeon AI PRO R9700"; llama_log "$column" "$cell"; } >"one.log"
        abdb import -q one.log
        same "$cells $(runs devices)" "$cells $count"
    done
    rm -f "$ABDB_DB"
    { two_cards "Card A" "Card B"; llama_log sm none | sed 's/ sm | test/ sm | mg | test/; s/ none | tg/ none | 1 | tg/; s/--: | --: | ---: |$/--: | --: | --: | ---: |/'; } >mg.log
    abdb import -q mg.log
    same "$(runs "device || ' x ' || devices")" "Card B x 1"
}

@test "llama-bench: different cards are stored as a list, and an uncertain number of devices as unknown" {
    { two_cards "Card A" "Card B"; llama_log; } >unlike.log
    abdb import -q unlike.log
    same "$(runs "device || ' x ' || devices")" "Card A, Card B x 2"
    rm "$ABDB_DB"
    { echo "ggml_vulkan: Found 2 Vulkan devices:"
      echo "ggml_vulkan: 0 = AMD Ryzen 9 9900X3D (RADV RAPHAEL) (radv) | uma: 1 | fp16: 1"
      echo "ggml_vulkan: 1 = AMD Radeon AI PRO R9700 (RADV GFX1201) (radv) | uma: 0 | fp16: 1"; llama_log; } >igpu.log
    abdb import -q igpu.log
    same "$(runs "device || ' x ' || coalesce(devices, '?')")" "AMD Ryzen 9 9900X3D, AMD Radeon AI PRO R9700 x ?"
    rm "$ABDB_DB"
    { two_cards "Card A" "Card A" | sed 2d; llama_log; } >lost.log
    abdb import -q lost.log
    same "$(runs "coalesce(device, '?')")" "?"
    rm "$ABDB_DB"
    { two_cards "Card A" "Card A"; llama_log | sed 's/| CUDA |/| CUDA,RPC |/'; } >rpc.log
    abdb import -q rpc.log
    same "$(runs "coalesce(device, '?') || ' x ' || coalesce(devices, '?')")" "? x ?" # nothing names the other machines' devices
}

# gpu_info, split_mode, devices, n_gpu_layers, n_prompt, n_gen
llama_csv() {
    echo build_commit,build_number,cpu_info,gpu_info,backends,model_type,split_mode,devices,n_gpu_layers,n_prompt,n_gen,test_time,avg_ns,stddev_ns,avg_ts,stddev_ts
    printf '"b1","1","CPU X","%s","CUDA","llama 8B Q4_0","%s","%s","%s","%s","%s","2025-04-24T11:58:50Z","500000000","1000","%s","2.0"\n' "$@" "${avg_ts:-$((($5 + $6) * 2))}"
}

@test "llama-bench: gpu_info is reduced by parameters that exclude devices or leave no layer on the GPU" {
    local row
    while IFS='|' read -r gpus mode devices layers prompt gen expected; do
        rm -f "$ABDB_DB"
        llama_csv "$gpus" "$mode" "$devices" "$layers" "$prompt" "$gen" >l.csv
        abdb import -q l.csv
        same "$(runs "coalesce(device, '?') || ' x ' || coalesce(devices, '?')")" "$expected"
    done <<'T'
Card A, Card A, Card A|layer|auto|99|512|0|Card A x 3
Card A, Card A|none||99|512|0|Card A x 1
Card A, Card B|layer|CUDA1|99|512|0|Card B x 1
Card A, Card B|layer||99|512|0|Card A, Card B x 2
Card A/Card A|layer||99|512|0|Card A x 2
Card 6800/6800 XT|layer||99|512|0|Card 6800/6800 XT x 1
Card A|layer||0|0|128|CPU X x ?
Card A|layer||0|512|0|? x ?
Card A|layer|none|99|0|128|CPU X x ?
T
}

@test "llama-bench: a rate different from tokens over time is marked implausible, with a message" {
    avg_ts=157149 llama_csv "Card A" layer "" 99 128 0 >l.csv
    run abdb import l.csv
    fails 0 "marked implausible: 1 entry; first line 2: 157149 a second for 0.5 s are 78574.5, and the row says 128"
    same "$(runs flags)" implausible
}

# Ranks "NUMBER HOST NAME" from standard input, then a table.
nccl() {
    echo "all_reduce_perf -b 8 -e 8"
    while read -r rank host name; do echo "#  Rank  $rank Group  0 Pid   1 on $host device  0 [0x07] $name"; done
    echo "#  size  count  type  redop  root  time  algbw  busbw #wrong  time  algbw  busbw #wrong"
    echo "1048576 262144 float sum -1 100.0 10.49 10.49 ${1-0} 100.0 10.49 10.49 N/A"
}

@test "nccl-tests: the number of nodes is known only with a complete list of ranks" {
    printf '0 a H100\n1 a H100\n2 b H100\n3 b H100\n' | nccl >all.txt
    abdb import -q all.txt
    same "$(runs "devices || ' on ' || nodes")" "4 on 2"
    rm "$ABDB_DB"
    echo "1439 b GB200" | nccl >last.txt
    abdb import -q last.txt
    same "$(runs "devices || ' on ' || coalesce(nodes, '?')")" "1440 on ?"
    rm "$ABDB_DB"
    printf '0 a H100\n1 a H100\n0 b H100\n1 b H100\n' | nccl >twice.txt # without MPI: each program has its own ranks
    abdb import -q twice.txt
    same "$(runs "devices || ' on ' || coalesce(nodes, '?')")" "2 on 1"
}

@test "nccl-tests: different cards are stored as a list; too few ranks are a contradiction" {
    printf '0 a GTX 1050 Ti\n1 a GTX 950\n' | nccl >unlike.txt
    abdb import -q unlike.txt
    same "$(runs device)" "GTX 1050 Ti, GTX 950"
    rm "$ABDB_DB"
    { echo "# nThread 1 nGpus 8 minBytes 8 maxBytes 8"; printf '0 a V100\n1 a V100\n' | nccl; } >lost.txt
    run abdb import lost.txt
    fails 0 "marked contradiction: 2 entries; first line 6 out-of-place: each process has 8 devices, and 2 ranks are listed"
    same "$(runs "coalesce(devices, '?') || flags")" "?contradiction"
}

@test "nccl-tests: wrong values are failures, also in the column error and behind a launcher tag" {
    printf '0 a H100\n' | nccl 5 | sed 's/^/[1,0]<stdout>:/' >tagged.txt
    run abdb import tagged.txt
    fails 0 "marked failed: 1 entry; first line 4 out-of-place: 5 values are wrong"
    same "$(ask "SELECT group_concat(flags || verified, ' ') FROM (SELECT flags, verified FROM v_run ORDER BY 1)")" "unknown failedfail"
    rm "$ABDB_DB"
    printf '0 a H100\n' | nccl 1e+00 | sed 's/#wrong/error/g' >old.txt
    run abdb import old.txt
    fails 0 "marked failed: 1 entry; first line 4 out-of-place: an error of 1"
}

@test "nccl-tests: a rate that is not the size by the time is implausible, but for rounding" {
    printf '0 a H100\n' | nccl | sed 's/^1048576 \(.*\)10.49 10.49 0/2048576 \1 10.49 10.49 0/' >size.txt
    run abdb import size.txt
    fails 0 "marked implausible: 2 entries; first line 4 out-of-place: 10.49 a second for 0.0001 s are 0.001049, and the row says 0.00204858"
    rm "$ABDB_DB"
    printf '0 a H100\n' | nccl | sed 's/^1048576/560/; s/10[.]49/0.01/g' >round.txt # 0.0056 GB/s
    run abdb import round.txt
    no grep -q implausible <<<"$output"
    printf '0 a H100\n' | nccl | sed 's/all_reduce_perf/hypercube_perf/; s/^1048576/2048576/' >hypercube.txt
    run abdb import hypercube.txt
    no grep -q implausible <<<"$output"
}

serving() {
    printf '{"model_id": "m", "num_prompts": 100, "completed": %s, "duration": 10.0, "request_rate": %s, "total_output_tokens": %s, "request_throughput": %s, "output_throughput": %s, "mean_ttft_ms": %s, "p99_ttft_ms": 900.0}' "$@"
}

@test "serving: failed requests are counted, and a run without a successful one is stored as failed" {
    serving 53 inf 1000 5.3 100.0 120.0 | sed 's/inf/"inf"/' >some.json
    run abdb import some.json
    fails 0 "marked failed: 1 entry; first line 1: 47 of 100 requests failed"
    same "$(runs flags)" failed
    serving 100 1 1000 10.0 100.0 120.0 | sed 's/}/, "failed": 12}/' >own.json # the client's own count
    run abdb import own.json
    fails 0 "12 of 112 requests failed"
    rm "$ABDB_DB"
    serving 0 1 0 0.0 0.0 0.0 >none.json
    run abdb import none.json
    fails 0 "marked failed: 1 entry; first line 1: 100 of 100 requests failed"
    same "$(ask "SELECT status || ': ' || reason || ' ' || flags FROM v_run WHERE status <> 'ok'")" "failed: no request was completed failed"
}

@test "serving: rows with NaN and Infinity are kept" {
    serving 100 Infinity 1000 10.0 100.0 NaN >n.json
    run abdb import n.json
    fails 0 "marked failed: 1 entry; first line 1: ttft_s (mean) is NaN"
    same "$(ask "SELECT value FROM v_result WHERE metric = 'ttft_s'")" 0.9
    same "$(ask "SELECT DISTINCT text FROM v_factor WHERE factor = 'request_rate'")" inf
    rm "$ABDB_DB"
    for i in 1 2; do serving 100 Infinity 1000 10.0 100.0 "12$i.0"; echo; done >l.jsonl
    abdb import -q l.jsonl
    same "$(ask "SELECT count(*) FROM v_run WHERE flags = ''")" 2
    # within a text they are letters
    serving 100 1 1000 10.0 100.0 120.0 | sed 's/"m"/"NaN \\" Infinity"/' >t.json
    abdb import -q t.json
    same "$(ask "SELECT count(*) FROM v_run WHERE model = 'NaN \" Infinity'")" 1
}

@test "serving: a wait longer than the run, and tokens unequal to rate times time, are implausible" {
    serving 100 1 1000 10.0 100.0 412700.0 >long.json
    run abdb import long.json
    fails 0 "marked implausible: 1 entry; first line 1: ttft_s (mean) is 412.7 s, and the whole run took 10 s"
    rm "$ABDB_DB"
    serving 100 1 5000 10.0 100.0 120.0 >t.json
    run abdb import t.json
    fails 0 "100 a second for 10 s are 1000, and the row says 5000"
}

@test "serving: files with a long list of requests, or without a request rate, are recognised" {
    serving 100 1 1000 10.0 100.0 120.0 | python3 -c 'import json, sys
r = json.load(sys.stdin); late = r.pop("mean_ttft_ms"); r["generated_texts"] = ["x" * 1000] * 1100; r["mean_ttft_ms"] = late; print(json.dumps(r))' >long.json
    serving 100 1 1000 10.0 100.0 121.0 | python3 -c 'import json, sys
r = json.load(sys.stdin); del r["request_throughput"]; print(json.dumps(r))' >old.json
    abdb import -q long.json old.json
    same "$(ask "SELECT group_concat(value, ' ') FROM (SELECT value FROM v_result WHERE metric = 'ttft_s' AND statistic = 'mean' ORDER BY 1)")" "0.12 0.121"
}

@test "serving: a rate of two decimals is checked within its rounding" {
    local head="============ Serving Benchmark Result ============" # 1 in 78.11 s is 0.0128
    for n in 1 9; do
        printf '%s\nSuccessful requests: %s\nBenchmark duration (s): 78.11\nTotal generated tokens: 150\nRequest throughput (req/s): 0.01\nOutput token throughput (tok/s): 1.92\nMean TTFT (ms): 67651.38\n%s\n' "$head" $n "${head//[^=]/=}"
    done >console.txt
    run abdb import console.txt
    fails 0 "marked implausible: 1 entry; first line 9: 0.01 a second for 78.11 s are 0.7811, and the row says 9"
}

@test "a minimum above the maximum and a mean outside of both are marked implausible" {
    local row
    printf '{"results": [{"command": "a", "mean": 2.0, "stddev": 0.1, "median": 2.0, "min": 3.0, "max": 1.0, "times": [1.0, 3.0]}, {"command": "b", "mean": 9.0, "stddev": 0.1, "median": 2.0, "min": 1.0, "max": 3.0, "times": [1.0, 3.0]}, {"command": "c", "mean": 2.0, "stddev": 0.1, "median": 2.0, "min": 1.0, "max": 3.0, "times": [1.0, 3.0]}]}' >h.json
    run abdb import h.json
    fails 0 "marked implausible: 2 entries; first results[0]: time_s: "
    same "$(ask "SELECT group_concat(workload || flags, ' ') FROM (SELECT workload, flags FROM v_run ORDER BY 1)")" "aimplausible bimplausible c"
}

@test "a rate of zero is marked implausible" {
    printf 'name m\nset workload w\nset evidence published\nmatch GPU Speed\nfield device column GPU\nmetric tokens_per_s column Speed unit token/s\n' >t.map
    printf 'GPU,Speed\nA1,0\nA2,2.5\n' >t.csv
    run abdb import --map t.map t.csv
    fails 0 "marked implausible: 1 entry; first line 2: tokens_per_s is zero"
    same "$(ask "SELECT group_concat(device || marks, ' ') FROM (SELECT device, marks FROM v_result ORDER BY 1)")" "A1implausible A2"
}

@test "google-benchmark: fits of complexity are ignored, also with the invalid JSON 3%" {
    printf '{"context": {"date": "2017-04-28 10:00:00", "num_cpus": 8}, "benchmarks": [{"name": "s/1 5%%", "iterations": 5, "real_time": 14, "cpu_time": 14, "time_unit": "ns"}, {"name": "s_BigO", "cpu_coefficient": 14.2, "real_coefficient": 14.3, "big_o": "N", "time_unit": "ns"}, {"name": "s_RMS", "rms": 3%%}]}' >g.json
    run abdb import g.json
    fails 0 "3 rows: 1 accepted, 0 duplicate, 0 rejected, 2 ignored; values: 1 kept"
    same "$(ask "SELECT workload FROM v_result")" "s/1 5%"
}

@test "hyperfine: a killed run is stored as failed" {
    printf '{"results": [{"command": "a", "mean": 2.0, "stddev": 0.1, "median": 2.0, "min": 1.0, "max": 3.0, "times": [1.0, 3.0], "exit_codes": [0, null]}]}' >h.json
    run abdb import h.json
    fails 0 "marked failed: 1 entry; first results[0]: 1 of 2 runs failed"
}

# $1: a line before the table, $2: behind it
stream() {
    printf '%s\n' "STREAM version \$Revision: 5.10 \$" "This system uses 8 bytes per array element." $1 \
        "Function    Best Rate MB/s  Avg time     Min time     Max time" "Copy: 220100.5 0.011000 0.010903 0.012500" "${2-}"
}

@test "STREAM: its own check is read, and its columns in the order of the heading" {
    stream "" "Failed Validation on array a[], AvgRelAbsErr > epsilon (1.000000e-13)" >s.txt
    run abdb import s.txt
    fails 0 "marked failed: 1 entry; first line 4: the program found wrong values"
    same "$(runs "flags || ' ' || verified")" "failed fail"
    rm "$ABDB_DB"
    stream | tail -n +3 >table.txt
    abdb import -q table.txt
    same "$(ask "SELECT group_concat(statistic || ' ' || value, ', ') FROM (SELECT statistic, value FROM v_result WHERE metric = 'time_s' ORDER BY value)" | tr -d '"')" "min 0.010903, mean 0.011, max 0.0125"
}

@test "a file with terminal colours is read like one without" {
    { two_cards "Card A" "Card A"; llama_log; } >plain.log
    sed 's/^| llama/\x1b[1m&/; s/$/\x1b[0m\x1b[K/; 1s/^/\x1b[32m/' plain.log >colours.log
    abdb import -q plain.log
    run abdb import colours.log
    fails 0 "colour codes of a terminal were taken off"
    same "$(ask "SELECT count(DISTINCT device || devices) || ' ' || count(*) FROM v_run")" "1 2"
}

@test "an import of a recognised file without a kept value fails" {
    llama_csv "Card A" layer "" 99 128 0 | sed 's/"256","2.0"/"none","2.0"/' >none.csv
    run abdb import none.csv
    fails 5 "is of the format llama-bench, but nothing was kept of it"
    run abdb import -q none.csv
    fails 5 ""
    head -n 1 none.csv >heading.csv # there is nothing to keep
    run abdb import -q heading.csv
    fails 0 ""
}

checker() {
    echo "Organization,Availability,Division,SystemType,SystemName,Platform,Model,MlperfModel,Scenario,Result,Accuracy,number_of_nodes,host_processor_model_name,host_processors_per_node,host_processor_core_count,accelerator_model_name,accelerators_per_node,total_accelerators,Location,framework,operating_system,notes,compliance,errors,version,inferred,has_power,Units,weight_data_types"
    echo "Acme,available,closed,datacenter,\"$1\",S,llama2-70b-99,llama2-70b-99,Offline,100000,ROUGE1: 44.5,$2,CPU,2,32,NVIDIA H200-SXM-141GB,$3,$4,closed/x,fw,os,,True,0,v6.1,False,False,Tokens/s,fp8"
}

@test "nodes, devices per node, total and system name are checked for contradictions" {
    while IFS='|' read -r name nodes each total expected; do
        rm -f "$ABDB_DB"
        checker "$name" "$nodes" "$each" "$total" >c.csv
        abdb import -q c.csv
        same "$name $nodes $each $total: $(ask "SELECT DISTINCT coalesce(devices, '?') || ' ' || coalesce(nodes, '?') || ' ' || flags FROM v_result" | tr -d '"')" "$name $nodes $each $total: $expected"
    done <<'T'
S|4|8|32|32 4 
S|4|8|8|? ? contradiction
DGX (8x H200-SXM-141GB, TensorRT)|1|8|8|8 1 
DGX (4x H200-SXM-141GB, TensorRT)|1|8|8|? ? contradiction
DGX 8xH200|4|8|32|32 4 
2xEPYC 8xH200|1|8|8|8 1 
Rack (1x H200 NVL72)|2|4|8|8 2 
T
}

@test "--set with --replace resolves a contradiction" {
    checker S 4 8 8 >c.csv
    run abdb import c.csv
    fails 0 "marked contradiction: 1 entry; first line 2: 4 nodes of 8 devices make 32, and the total says 8"
    same "$(ask "SELECT count(*) FROM v_result WHERE devices IS NOT NULL")" 0
    abdb import -q --replace --set devices=32 --set nodes=4 c.csv
    same "$(ask "SELECT DISTINCT devices || ' ' || nodes || flags FROM v_result")" "32 4"
}

@test "tables: a rate per GPU in a row of several GPUs is a contradiction; a summary row is implausible" {
    printf 'GPU,GPUs,tokens/s per GPU\nH100-SXM,8,3000\nH100-SXM,1,3000\nAverage,1,3000\n' >t.csv
    printf 'name mine\nmatch GPU\nfield device column GPU\nfield devices column GPUs\nset workload llama\nmetric tokens_per_s column "tokens/s per GPU" unit token/s\n' >t.map
    run abdb import --map t.map t.csv
    fails 0 "marked contradiction: 1 entry; first line 2: 'tokens/s per GPU' is of one device, and the row has 8"
    [[ $output == *"marked implausible: 1 entry; first line 4: the device is called 'Average': a summary of other rows"* ]]
    same "$(ask "SELECT count(*) FROM v_result WHERE raw_device = 'Average'")" 0
}

@test "prices of an accelerator without machine, of a share of a card, or with a wrong count are refused" {
    printf 'InstanceType,vCPUs,MemoryGiB,AcceleratorName,AcceleratorCount,GpuInfo,Region,Price,SpotPrice\n%s\n' ',,,H100,8.0,H100,us,78.99,' \
        'Standard_NV6ads_A10_v5,6,55,A10,0.167,A10,us,0.454,' 'gpu_8x_h100,208,1800,H100,1,H100,us,23.92,' 'gpu_8x_a100,208,1800,A100,8,A100,us,10.32,' 'a3-highgpu-8g,208,1800,H100,4,H100,us,10.32,' >p.csv
    run abdb import --set provider=x --set valid_from=2026-01-01 p.csv
    fails 0 "1 accepted, 0 duplicate, 4 rejected"
    same "$(ask "SELECT group_concat(instance) FROM v_price")" gpu_8x_a100
    same "$(ask "SELECT count(*) FROM v_reject WHERE reason LIKE '%an accelerator without its machine' OR reason LIKE '%is called ''gpu_8x_h100'', and has 1 devices'")" 2
}

@test "results of --command have no invented devices, nodes or factors" {
    abdb run -q --command x=true
    same "$(runs "coalesce(devices, '?') || coalesce(nodes, '?')")" "??"
    same "$(ask "SELECT count(*) FROM v_factor WHERE factor IN ('threads', 'clock_policy', 'cache', 'fill')")" 0
}

@test "a negative time of a run marks its entry implausible" {
    printf '{"results": [{"command": "a", "mean": 0.2, "stddev": 0.1, "median": 0.2, "user": 0.1, "system": 0.0, "min": -0.1, "max": 0.4, "times": [-0.1, 0.2, 0.4], "exit_codes": [0, 0, 0]}]}\n' >h.json
    run abdb import h.json
    fails 0 "marked implausible: 1 entry; first results[0]: time_s is negative"
    same "$(ask "SELECT count(*) FROM v_result WHERE marks NOT LIKE '%implausible%'")" 0
}

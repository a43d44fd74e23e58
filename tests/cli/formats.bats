#!/usr/bin/env bats
# formats.bats - tables that a map file explains, cm-result JSON, rejects tried again, and what is too much.
load common

@test "every shipped map parses, and is chosen by its columns" {
    for m in "$root"/ingest/maps/*.map; do
        run abdb import --map "$m" /dev/null --dry-run
        [[ "$output" != *"line "*"unknown"* && "$output" != *"no such word"* ]] || { echo "$m: $output"; false; }
    done
    abdb import -q "$fixtures/tables.md"
    same "$(ask "SELECT device, dtype, value, raw_unit, workload FROM v_result WHERE metric = 'flops_per_s'")" "H100-SXM,bf16,794500000000000,TFLOP/s,gemm"
    same "$(ask "SELECT metric, raw_value FROM v_result WHERE workload = 'all_reduce' ORDER BY 1")" $'busbw_bytes_per_s,17.13GBps\nbytes_per_s,8.84GBps'
    same "$(ask "SELECT metric, value, devices, dtype, model FROM v_result WHERE source = 'llm-foundry' ORDER BY 1")" $'hfu,0.55,8,bf16,MPT-7B\nmfu,0.4125,8,bf16,MPT-7B\ntokens_per_s,515636,8,bf16,MPT-7B'
    same "$(ask "SELECT accepted, duplicate, rejected, ignored FROM v_artifact WHERE artifact LIKE '%tables.md'")" "3,0,1,1"
    same "$(ask "SELECT line, field, reason FROM v_reject")" "10,MAMF,'about 5' is not a number"
}

@test "output of nvbandwidth, bandwidthTest and SuperBench is imported" {
    abdb import -q "$fixtures"/nvbandwidth.{txt,json} "$fixtures/bandwidth_test.txt" "$fixtures/superbench.jsonl" 2>/dev/null
    cell() { ask "SELECT r.value, r.device, r.devices, r.medium FROM v_result r JOIN v_run_factor f USING (entry_id) WHERE $1 ORDER BY r.value"; }
    same "$(cell "f.text = 'host_to_device_memcpy_sm'")" $'41250000000,H100-SXM,1,wire\n50750000000,H100-SXM,1,wire'
    same "$(cell "f.text = 'device_to_device_bidirectional_memcpy_read_sm'")" $'670250000000,H100-SXM,2,wire\n671500000000,H100-SXM,2,wire'
    same "$(cell "f.text = 'host_device_latency_sm'")" "8.125e-07,H100-SXM,1,wire"
    # JSON: of two kinds of devices a copy between them is of neither; the diagonal, a waived test and sums are no values
    same "$(cell "f.text = 'device_to_device_memcpy_read_ce'")" $'360000000000,,2,wire\n360500000000,,2,wire'
    same "$(cell "f.text = 'device_local_copy'")" $'1250500000000,H100-SXM,1,memory\n1800250000000,H200-SXM,1,memory'
    same "$(cell "f.text = 'pinned' AND r.source = 'cuda-samples'")" $'12500000000,H100-PCIe,1,wire\n26500000000,H100-PCIe,1,wire\n1550250000000,H100-PCIe,1,memory'
    same "$(ask "SELECT workload, dtype, metric, value FROM v_result WHERE source = 'superbench' AND metric <> 'time_s' AND workload <> 'memory-copy' ORDER BY value")" \
        $'all_reduce,,busbw_bytes_per_s,471500000000\ngemm-flops,fp64,flops_per_s,9031250000000\ngemm-flops,fp16,flops_per_s,279000000000000\ngemm-flops,fp16,flops_per_s,280435500000000\ngemm-flops,int8,ops_per_s,473072500000000\ngemm,fp8,flops_per_s,1.2905e+15'
    same "$(ask "SELECT f.text, count(*) FROM v_run r JOIN v_run_factor f USING (entry_id) WHERE r.source = 'superbench' AND f.factor = 'node' GROUP BY 1")" $'n1,8\nn2,2'
    same "$(ask "SELECT group_concat(line || ' ' || field || ': ' || reason, '; ') FROM v_reject WHERE artifact LIKE '%superbench.jsonl'")" \
        "2 gemm-flops/return_code:0: the benchmark failed; 3 : no JSON object"
    same "$(ask "SELECT group_concat(reason, '; ') FROM v_reject WHERE artifact LIKE '%nvbandwidth%' ORDER BY 1")" \
        "no bandwidth: no number above zero; [CUDA_ERROR_ILLEGAL_ADDRESS] in cuStreamSynchronize"
    abdb import -q "$fixtures/rocm_bandwidth.txt" 2>/dev/null
    same "$(ask "SELECT value, device, devices, medium, (SELECT text FROM v_run_factor f WHERE f.entry_id = r.entry_id AND factor = 'route'), (SELECT text FROM v_run_factor f WHERE f.entry_id = r.entry_id AND factor = 'gpu') FROM v_result r WHERE workload = 'rocm-bandwidth' ORDER BY value")" \
        $'26000000000,MI300X,2,wire,device_to_device,1\n26125000000,MI300X,1,wire,host_to_device,1\n26250000000,MI300X,1,wire,host_to_device,2\n26500000000,MI300X,1,wire,device_to_host,1\n45500000000,MI300X,1,wire,device_to_host,1\n680500000000,MI300X,1,memory,within_device,1'
    same "$(ask "SELECT group_concat(line || ' ' || reason, '; ') FROM v_reject WHERE artifact LIKE '%rocm%'")" "25 not one value for each column of the matrix; 31 no bandwidth above zero"
    printf '{"nvbandwidth": {"testcases": [{"bandwidth_matrix": [["1"]]}]}}' >nameless.json
    run abdb import nameless.json
    fails 6 "testcases[0] has no name"
    printf '%s\n' 'Running host_to_device_memcpy_ce.' 'memcpy CE CPU(row) -> GPU(column) bandwidth (GB/s)' ' 0 1' ' 0 50.5' >short.txt
    run abdb import short.txt
    fails 5 "not one value for each column of the matrix"
}

@test "serving logs: a command belongs to its block, SGLang differs from vLLM, a run without tokens is rejected" {
    run abdb import "$fixtures/serving_console.txt" --set device=H100-SXM --set devices=1
    fails 0 "3 rows: 2 accepted, 0 duplicate, 1 rejected"
    same "$(ask "SELECT source, model, metric, statistic, value, n FROM v_result WHERE artifact LIKE '%console%' ORDER BY 1, 3, 4")" \
        $'sglang-serving,,itl_s,p95,0.0125,\nsglang-serving,,latency_s,mean,0.9605,\nsglang-serving,,queries_per_s,value,5,10\nsglang-serving,,tokens_per_s,value,1500,10\nsglang-serving,,ttft_s,median,0.0635,\nvllm-serving,acme/Model-8B,queries_per_s,value,20,1000\nvllm-serving,acme/Model-8B,tokens_per_s,value,2000,1000\nvllm-serving,acme/Model-8B,tpot_s,mean,0.0255,\nvllm-serving,acme/Model-8B,tpot_s,p99,0.0405,\nvllm-serving,acme/Model-8B,ttft_s,mean,0.2505,\nvllm-serving,acme/Model-8B,ttft_s,median,0.20025,\nvllm-serving,acme/Model-8B,ttft_s,p99,0.90075,'
    same "$(ask "SELECT factor, text FROM v_run_factor WHERE entry_id = (SELECT min(entry_id) FROM v_run_factor) AND factor NOT LIKE 'user%' ORDER BY 1")" \
        $'Peak_output_token_throughput_tok/s,2500.00\nconcurrency,64\ninput_tokens,200\nnum_prompts,1000\noutput_tokens,100\nrandom_input_len,1024\nrequest_rate,8.00'
    same "$(ask "SELECT line, field FROM v_reject")" "43,output_throughput"
    # 47 of 100 failed: kept, marked, and said
    sed -n '4,21p' "$fixtures/serving_console.txt" | sed 's/Failed requests:  *0/Failed requests: 900/; s/prompts 1000/prompts 1900/' >failed.log
    run abdb import failed.log --set device=H100-SXM --set devices=1
    fails 0 "900 of 1900 requests failed"
}

@test "the shipped tables of the Azure guide equal its pages" {
    [ -d "$ABDB_REALDATA/acceptance" ] || skip "no realdata"
    # every number in the last column of the tables that are shipped, in the order of the pages
    for page in A100_v4 H100_v5 H200_v5 GB200_v6; do
        awk -F'|' '/^#/ {on = /GEMM|HBM|Flash|NV Band|NCCL/} on && /^\|/ {v = $(NF - 1); gsub(/ /, "", v); if (v ~ /^[0-9.]+$/) print v + 0}' \
            "$ABDB_REALDATA/acceptance/azure-ND_${page}_results.md"
    done >pages
    python3 -c "import csv; [print(float(r['value'])) for r in csv.DictReader(open('$root/data/results/azure-benchmarking.csv'))]" | awk '{print $1 + 0}' >shipped
    diff pages shipped
    [ "$(wc -l <pages)" -eq 174 ]
}

@test "prices: the provider comes from --set, and on-demand and spot prices are separate" {
    abdb import -q "$fixtures/catalog.csv" --set provider=jarvislabs
    same "$(ask "SELECT provider, device, devices, kind, amount, currency, per FROM v_price WHERE source = 'skypilot' ORDER BY amount")" \
        $'jarvislabs,H100,8,spot,9.9,USD,hour\njarvislabs,H100,8,on-demand,23.92,USD,hour'
}

@test "a user-defined map has columns, constants, units and meanings; a mistake is named by its line" {
    printf 'GPU;Speed;Latency;Kind\nbig one;12.5 tok/s;41 ms;A\nother;fast;?;B\n' >t.csv
    cat >t.map <<'M'
name    mine
match   GPU Speed
missing ?
set     evidence measured
set     kind     run
set     workload serving
field   device  column GPU map "big one" H100-SXM
factor  kind_of column Kind map A first B second
metric  tokens_per_s column Speed unit cell
metric  ttft_s column Latency unit cell statistic mean
M
    sed -i 's/tok\/s/token\/s/' t.csv
    run abdb import --map t.map t.csv
    fails 0 "2 rows: 1 accepted, 0 duplicate, 1 rejected"
    same "$(ask "SELECT raw_device, metric, statistic, value, source FROM v_result ORDER BY 2")" $'H100-SXM,tokens_per_s,value,12.5,mine\nH100-SXM,ttft_s,mean,0.041,mine'
    same "$(ask "SELECT text FROM v_factor_given WHERE factor = 'kind_of' LIMIT 1")" first
    run abdb query rejects
    fails 0 "'fast' is not a number"
    # another map is another word of the user: the file is read again
    sed 's/first/primary/' t.map >u.map
    run abdb import --map u.map t.csv
    fails 0 "1 accepted"
    for bad in 'metric no_such column GPU' 'field device column' 'nonsense x' 'metric time_s column GPU unit parsec' 'field device column "GPU' 'field device column GPU map A'; do
        printf 'name x\n%s\n' "$bad" >bad.map
        run abdb import --map bad.map t.csv
        [ "$status" -eq 6 ] || { echo "$bad: $output"; false; }
        [[ "$output" == *"line 2:"* ]] || { echo "$bad: $output"; false; }
    done
    run abdb import --map nowhere.map t.csv
    [ "$status" -ne 0 ]
    # what the match line names must be there, in one's own map too; a map without such a line takes any table
    printf 'GPU;Pace\nbig one;12\n' >other.csv
    run abdb import --map u.map other.csv
    fails 6 "no table here has all the columns of the map's match line"
    sed '/^match/d; /^metric/d' u.map >any.map
    echo 'metric tokens_per_s column Pace unit token/s' >>any.map
    run abdb import --map any.map other.csv
    fails 0 "1 accepted"
}

@test "a byte order mark is skipped in tables, records, Windows-1252 text and maps" {
    bom=$'\xef\xbb\xbf'
    printf '%s%s\n' "$bom" $'name mine\nset workload w\nmatch Accelerator\nfield device column Accelerator\nmetric tokens_per_s column Speed unit token/s\nfactor remark column Note' >t.map
    printf '%sAccelerator,Speed,Note\nH100-SXM,12,a\n' "$bom" >a.csv
    printf '%sAccelerator,Speed,Note\nH100-SXM,13,caf\xe9\n' "$bom" >b.csv
    printf '%s{"Accelerator":"H100-SXM","Speed":14,"Note":"c"}\n{"Accelerator":"H100-SXM","Speed":15,"Note":"d"}\n' "$bom" >c.jsonl
    for file in a.csv b.csv c.jsonl; do
        abdb import --suggest-map $file | grep -q '^field device column "Accelerator"'
        abdb import -q --map t.map $file
    done
    same "$(ask "SELECT group_concat(value || device) FROM (SELECT value, device FROM v_result ORDER BY 1)")" '"12.0H100-SXM,13.0H100-SXM,14.0H100-SXM,15.0H100-SXM"'
}

@test "--suggest-map drafts a map that parses and imports the file" {
    printf 'accelerator,model,num_gpus,tokens/s,batch size,power (W)\nH100,llama2-70b,8,1000.5,32,5000\n' >t.csv
    abdb import --suggest-map t.csv | answered >t.map
    grep -q 'field device column "accelerator"' t.map
    grep -q 'metric tokens_per_s column "tokens/s" unit token/s' t.map
    grep -q 'factor batch_size column "batch size"' t.map
    run abdb import --map t.map t.csv
    fails 0 "1 accepted"
    same "$(ask "SELECT metric, value, devices FROM v_result ORDER BY 1")" $'power_w,5000,8\ntokens_per_s,1000.5,8'
    printf "{\"points\":[{\"x\":\"q\"}]}\nock\n" >damaged.jsonl # nobody is told which lines are
    run abdb import --suggest-map damaged.jsonl
    [ "$status" -lt 128 ]
    printf "{\"device\":\"H100\",\"power_w\":700}\nock\n" >damaged.jsonl
    abdb import --suggest-map damaged.jsonl | grep -q "^match   .*power_w"
    run abdb import --suggest-map nothing.csv
    [ "$status" -ne 0 ]
    [ ! -e none.db ]
}

@test "--suggest-map takes units from headings, statistics, a device from cells, and each metric once" {
    draft() { # FILE
        abdb import --suggest-map "$1" | answered | sed 's/^# metric /metric /' >"$1.map" # each question answered with yes
        run abdb import --db "$1.db" --map "$1.map" "$1"
        fails 0 "0 rejected, 0 ignored"
        abdb query --db "$1.db" -o csv "SELECT raw_device, workload, dtype, metric, statistic, value, date FROM v_result ORDER BY metric, statistic, value" | tail -n +2
    }
    printf 'system,TTFT p50_ms,TTFT p99_ms,bus bandwidth (GB/s),prefill tok/s,decode tok/s,runtime_s,gpu_memory_gb\nH100-SXM,12.5,40,300,9000,75.5,2.25,80\n' >units.csv
    same "$(draft units.csv)" $'H100-SXM,,,busbw_bytes_per_s,value,300000000000,
H100-SXM,,,time_s,value,2.25,
H100-SXM,,,tokens_per_s,value,75.5,
H100-SXM,,,tokens_per_s,value,9000,
H100-SXM,,,ttft_s,p50,0.0125,
H100-SXM,,,ttft_s,p99,0.04,'
    printf 'card,BF16 TFLOPS,FP8 TFLOPS,power [W]\nL4,100,200,72\n' >formats.csv
    same "$(draft formats.csv)" $'L4,,bf16,flops_per_s,value,100000000000000,
L4,,fp8,flops_per_s,value,200000000000000,
L4,,,power_w,value,72,'
    printf 'which,2024-01,2024-02\nMI300X,10,20\n' >dates.csv
    same "$(draft dates.csv)" $'MI300X,,,tokens_per_s,value,10,2024-01
MI300X,,,tokens_per_s,value,20,2024-02'
    printf 'gpu,1K,4 MiB\nH100,10,20\n' >sizes.csv
    same "$(draft sizes.csv)" $'H100,,,tokens_per_s,value,10,
H100,,,tokens_per_s,value,20,'
    same "$(abdb query --db sizes.csv.db -o csv "SELECT DISTINCT text FROM v_factor WHERE factor = 'size' ORDER BY 1" | tail -n +2)" $'1K
4 MiB'
    printf 'run,tok/s\nfirst,10\n' >none.csv
    abdb import --suggest-map none.csv | grep -q '^# set device NAME'
}

@test "cm-result JSON: power rows and unreviewed rows are read; a row in several files is one entry" {
    abdb import -q "$fixtures/cm_result.json"
    same "$(ask "SELECT metric, value, flags FROM v_statement WHERE source = 'mlperf-cm' AND metric_class IN ('performance', 'power') ORDER BY 1")" \
        $'power_w,5531.2,\nsamples_per_s,54063.2,unreviewed power'
    same "$(ask "SELECT accepted, rejected FROM v_artifact WHERE artifact LIKE '%cm_result.json'")" "2,1"
    sed 's/"compliance": 0, //; s/^\[/[ /' "$fixtures/cm_result.json" >copy.json
    run abdb import copy.json
    fails 0 "0 accepted, 2 duplicate, 1 rejected"
}

@test "nccl-tests -J: in-place and out-of-place sizes are read, and a damaged file is rejected" {
    run abdb import "$fixtures/nccl_tests.json" --set device=H100-SXM --set devices=8
    fails 0 "2 rows: 1 accepted, 0 duplicate, 1 rejected"
    same "$(ask "SELECT workload, dtype, x, raw_value, verdict FROM v_result WHERE metric = 'busbw_bytes_per_s' ORDER BY raw_value")" \
        $'all_reduce,fp32,1048576,77.1,pass\nall_reduce,fp32,1048576,78.64,unknown'
}

@test "--retry-rejects imports rejected rows after a correction of the file or with --set" {
    run abdb import -q "$fixtures/catalog.csv"
    [ "$status" -eq 5 ] # no row of it was kept
    same "$(ask "SELECT count(*) FROM v_reject")" 3
    abdb import -q --retry-rejects --set provider=here
    same "$(ask "SELECT count(*) FROM v_reject")" 1
    same "$(ask "SELECT count(*) FROM v_price WHERE provider = 'here'")" 2
    # the same bytes and words again: what was accepted stays counted
    abdb import -q --retry-rejects
    same "$(ask "SELECT accepted, rejected FROM v_artifact WHERE artifact LIKE '%catalog.csv' AND accepted > 0")" "1,1"
    # a mended file replaces what waited
    printf 'evidence,source,workload,device,metric,value,unit\npublished,me,gemm,X,time_s,abc,s\n' >r.csv
    abdb import -q r.csv || [ $? -eq 5 ]
    sed -i 's/abc/2.5/' r.csv
    run abdb import --retry-rejects r.csv
    fails 0 "1 accepted"
    same "$(ask "SELECT count(*) FROM v_reject WHERE artifact LIKE '%r.csv'")" 0
    run abdb import --retry-rejects r.csv
    fails 0 "nothing to try again"
}

@test "--retry-rejects imports accepted rows only once" {
    cp "$fixtures/google_benchmark.json" g.json
    abdb import -q g.json || true
    before=$(ask "SELECT count(*) FROM v_result")
    # --set says more
    abdb import -q --retry-rejects --set device=H100-SXM g.json || true
    same "$(ask "SELECT count(*), count(device) FROM v_result")" "$before,$before"
    # the file is mended: one more row, and the others once
    sed -i 's/"name": "BM_NoTime", "run_type"/"name": "BM_NoTime", "real_time": 5, "run_type"/' g.json
    abdb import -q --retry-rejects g.json || true
    same "$(ask "SELECT count(*), count(device) FROM v_result")" "$((before + 1)),$((before + 1))"
    same "$(ask "SELECT count(*) FROM v_reject")" 1
    # a file that holds less than before has not been mended: what it was stays
    echo '{"benchmarks": [{"name": "BM_New", "run_type": "iteration", "real_time": 1}]}' >g.json
    abdb import -q --retry-rejects g.json || true
    same "$(ask "SELECT count(*) FROM v_result")" $((before + 2))
    # two readings of one file, each with its words, stay two
    abdb import -q --db two.db "$fixtures/google_benchmark.json" --set device=H100-SXM || true
    abdb import -q --db two.db "$fixtures/google_benchmark.json" --set device=H200-SXM || true
    abdb import -q --db two.db --retry-rejects --set devices=1 || true
    same "$(abdb query --db two.db -o csv "SELECT device, devices, count(*) FROM v_result GROUP BY 1, 2")" \
        $'device,devices,count(*)\nH100-SXM,1,'"$before"$'\nH200-SXM,1,'"$before"
}

@test "import --timing prints the time of each step" {
    run abdb import --timing "$fixtures/checker.csv"
    fails 0 "digest of the file"
    fails 0 "subjects"
}

# --- what is too much -------------------------------------------------------------------------------------------------------------

@test "limits: long fields, NUL, bad UTF-8, deep JSON and huge numbers give a reason and no crash" {
    { printf 'evidence,source,workload,device,metric,value,unit\npublished,me,gemm,'; head -c 2000000 /dev/zero | tr '\0' x; printf ',time_s,1,s\n'; } >long.csv
    run abdb import long.csv
    fails 6 "field over 1048576 bytes"
    { printf 'evidence'; for i in $(seq 600); do printf ',factor.f%d' "$i"; done; echo; } >wide.csv
    run abdb import wide.csv
    [ "$status" -eq 6 ]
    printf 'evidence,source\0,metric\n' >nul.csv
    run abdb import nul.csv
    fails 6 "NUL"
    printf 'evidence,source,workload,device,metric,value,unit\npublished,me,gemm,caf\xe9,time_s,1,s\n' >latin.csv
    run abdb import latin.csv
    fails 0 "read as Windows-1252"
    same "$(ask "SELECT raw_device FROM v_result")" "café"
    { printf '['; head -c 300000 /dev/zero | tr '\0' '['; } >deep.json
    run abdb import deep.json
    [ "$status" -eq 6 ]
    for f in llama-bench vllm-serving-json mlperf-summary-json mlperf-storage abdb-jsonl; do
        run abdb import --format $f deep.json
        [ "$status" -le 6 ] || { echo "$f: $status"; false; }
    done
    printf 'evidence,source,workload,device,devices,metric,value,unit\npublished,me,gemm,X,99999999999999999999,time_s,1,s\npublished,me,gemm,X,1,time_s,1e999,s\npublished,me,gemm,X,1,time_s,nan,s\n' >huge.csv
    run abdb import huge.csv
    fails 5 "0 accepted, 0 duplicate, 3 rejected"
    for i in $(seq 7); do printf 'x%.0s' $(seq 100); echo; done >words.txt
    run abdb import words.txt
    fails 6 "not a format"
}

@test "limits: nested archives are bounded, paths are only labels, and no member is unpacked to disk" {
    cp "$fixtures/checker.csv" c.csv
    tar cf 1.tar c.csv
    for i in 2 3 4 5 6 7; do tar cf $i.tar $((i - 1)).tar; done
    run abdb import 3.tar
    fails 0 "3.tar!2.tar!1.tar!c.csv: 7 rows: 3 accepted"
    run abdb import 7.tar
    fails 5 "archives more than 4 deep"
    mkdir d && ln -s ../../../etc/passwd d/link && mkfifo d/pipe && cp c.csv d/real.csv
    tar cf links.tar d
    python3 - <<'P'
import io, tarfile
t = tarfile.open("evil.tar", "w")
data = open("c.csv", "rb").read()
for name in ("../../escape.csv", "/tmp/absolute-escape.csv", "a/../../b.csv", "._hidden.csv"):
    i = tarfile.TarInfo(name); i.size = len(data); t.addfile(i, io.BytesIO(data))
P
    before=$(find "$dir" | sort)
    run abdb import links.tar evil.tar
    fails 0 "links.tar!d/real.csv"
    fails 0 "hidden files, not read: 1 (evil.tar!._hidden.csv)"
    fails 0 "symbolic links, not followed: 1 (links.tar!d/link)"
    fails 0 "devices, named pipes and sockets, not read: 1 (links.tar!d/pipe)"
    [[ "$output" != *"hidden.csv: "* ]]
    [ ! -e /tmp/absolute-escape.csv ]
    same "$(find "$dir" | grep -v 't.db' | sort)" "$(echo "$before" | grep -v 't.db')"
}

@test "limits: a large archive and a large table are imported in bounded memory" {
    case $build in *sanitize) skip "memory is not the program's own under sanitizers" ;; esac
    awk 'BEGIN { print "evidence,source,workload,device,metric,value,unit,locator"
        for (i = 0; i < 400000; i++) printf "published,me,gemm,device-%d,time_s,%d.5,s,row %d\n", i % 50, i + 1, i }' >big.csv
    mkdir logs
    for i in $(seq 40); do head -c 1500000 /dev/urandom >logs/$i.bin; done
    tar cf logs.tar logs big.csv
    /usr/bin/time -f %M -o kb abdb import -q logs.tar
    [ "$(tail -1 kb)" -lt 131072 ] || { cat kb; false; }
    same "$(ask "SELECT count(*) FROM v_result")" 400000
    /usr/bin/time -f %M -o kb abdb import -q - <big.csv --db pipe.db
    [ "$(tail -1 kb)" -lt 131072 ] || { cat kb; false; }
}

# --- the facts do not depend on how they came -------------------------------------------------------------------------------------

@test "order, repetition and splitting of files change no fact" {
    all=$(ls "$fixtures"/* | grep -v questions)
    abdb import -q $all 2>/dev/null || true
    one=$(facts)
    for seed in 1 2 3; do
        rm -f t.db
        for f in $(echo "$all" | shuf --random-source=<(yes $seed)) $(echo "$all" | shuf -n 5 --random-source=<(yes $seed)); do abdb import -q "$f" 2>/dev/null || true; done
        same "$(facts)" "$one"
    done
    # rows of a table in pieces, each with its header
    rm -f t.db
    abdb import -q "$fixtures/results.csv" "$fixtures/checker.csv"
    whole=$(facts)
    rm -f t.db
    for f in results checker; do
        tail -n +2 "$fixtures/$f.csv" | split -l 2 - $f.part.
        for p in $(ls $f.part.* | shuf --random-source=<(yes 7)); do { head -1 "$fixtures/$f.csv"; cat "$p"; } >piece.csv; abdb import -q piece.csv || [ $? -eq 5 ]; done
    done
    same "$(facts)" "$whole"
}

@test "each importer reads its fixture" {
    abdb import -q "$fixtures"/* >/dev/null 2>&1 || true
    read=$(sqlite3 t.db "SELECT DISTINCT format FROM artifact")
    for format in $(sed -n 's/^FORMAT([a-z_]*, "\([a-z0-9-]*\)".*/\1/p' "$root/ingest/registry.def"); do
        grep -qx "$format" <<<"$read" || { echo "no fixture is read as $format"; false; }
    done
}

@test "source code that prints or reads a format is not taken for a file of this format" {
    mkdir code
    echo 'x = ":::MLLOG "' >code/log_parser.py
    printf 'PREFIX = ":::MLLOG {}"\ndef keys(line):\n    return ["submission_benchmark", "run_start"]\n' >code/mllog.py
    printf 'result = {"request_throughput": 1,\n"output_throughput": 2,\n"mean_ttft_ms": 3}\n' >code/benchmark_serving.py
    printf 'const columns = ["build_commit", "n_prompt", "avg_ts"];\n' >code/table.js
    printf '# parse\nif "algbw" in line and "busbw" in line and "size" in line and "time" in line:\n    pass\n' >code/preflight.py
    printf 'printf("Function    Best Rate MB/s  Avg time     Min time     Max time\\n");\n1 2 3 4\n' >code/stream.c
    printf '    puts("# OSU MPI Latency Test v5.9");\n' >code/osu.c
    printf 'fprintf(f, "| model | test | t/s\\n");  // | model \n// test | t/s |\n' >code/bench.cpp
    printf '{"benchmarks", "real_time"}\n' >code/keys.py
    printf 'summary("MLPerf Results Summary\\n");\nsummary("SUT name : ");\n' >code/logging.cc
    printf 'The columns of the table are\n\n  size count type redop root time algbw busbw #wrong\n\nand are explained below.\n' >code/help.txt
    run abdb import code
    fails 0 "files of other formats, passed over: 11"
    same "$(sqlite3 t.db "SELECT count(*) FROM reject")" 0
    # a spreadsheet whose columns are named after nccl-tests is no table of theirs
    printf 'node,nccl-bw/allreduce_8_time:0,nccl-bw/allreduce_8_algbw:0,nccl-bw/allreduce_8_busbw:0\nn0,1,2,3\n' >sheet.csv
    run abdb import sheet.csv
    fails 6 "not a format that abdb reads"
}

@test "a zip file without the name of an archive is passed over, unless named itself" {
    echo weights >w && zip -q latents.zip w && mv latents.zip latents.pt
    mkdir data && cp latents.pt data && cp "$fixtures/hyperfine.json" data && gzip data/hyperfine.json
    tar cf all.tar data
    for what in data all.tar; do
        run abdb import "$what"
        fails 0 "passed over: 1"
        fails 0 "hyperfine.json.gz"
        rm t.db
    done
    cp "$fixtures/hyperfine.json" . && zip -q h.zip hyperfine.json && mv h.zip h.pt
    run abdb import h.pt # who names it wants it looked into
    fails 0 "h.pt!hyperfine.json"
}

@test "AIPerf, genai-perf, GuideLLM: each load is a point of a curve; failed requests and unknown metrics are named" {
    run abdb import --set devices=2 --set dtype=bf16 "$fixtures/aiperf.json"
    fails 0 "2 of 100 requests failed"
    fails 0 "telemetry_data (2), time_to_second_token (2), output_sequence_length (1)"
    same "$(ask "SELECT load_kind, load, tokens_per_s, device, devices, model, input_tokens, output_tokens, marks FROM v_curve")" \
        "request_rate,2.75,320,Acme A1,2,acme/Small-1B,1024,128,failed"
    jq -c . "$fixtures/aiperf.json" >line.json # not a line of CSV
    run abdb import --dry-run line.json
    fails 0 "17 kept, 5 left out  [aiperf]"
    same "$(ask "SELECT metric, value, low, n FROM v_result WHERE statistic = 'mean' ORDER BY 1")" \
        $'itl_s,0.006125,,98\nlatency_s,3,2.5,98\ntpot_s,0.00625,,98\nttft_s,0.15,0.125,98'
    # thousands, other columns and titles; a CSV states neither model nor load
    abdb import -q --set model=m --set factor.concurrency=8 "$fixtures/genai_perf.csv"
    same "$(ask "SELECT metric, statistic, value, n, raw_value FROM v_result WHERE source = 'genai-perf' AND statistic IN ('value', 'mean', 'p25') ORDER BY 1, 2")" \
        $'latency_s,mean,5.25025,64,"5,250.25"\nlatency_s,p25,5.125,64,"5,125.00"\nqueries_per_s,value,5.6875,64,5.6875\ntokens_per_s,value,1456,64,"1,456.00"\ntpot_s,mean,0.0125,64,12.50\ntpot_s,p25,0.01225,64,12.25\nttft_s,mean,1.0405,64,"1,040.50"\nttft_s,p25,0.975,64,975.00'
    same "$(ask "SELECT load_kind, load FROM v_curve WHERE source = 'genai-perf'")" "concurrency,8"
    run abdb import --set device=A1 "$fixtures/guidellm.json"
    fails 0 "3 rows: 2 accepted, 0 duplicate, 1 rejected"
    fails 0 "2 of 80 requests failed"
    same "$(ask "SELECT load_kind, load, tokens_per_s, marks FROM v_curve WHERE source = 'guidellm' ORDER BY 1")" $'concurrency,4,160,failed\nrequest_rate,5,608,'
    same "$(ask "SELECT percentile, value FROM v_curve_latency l WHERE metric = 'latency_s' AND percentile IS NOT NULL AND entry_id = (SELECT min(entry_id) FROM v_run WHERE source = 'guidellm') ORDER BY 1")" \
        $'0.1,2.5\n5,2.625\n50,3\n99,3.5\n99.9,3.75'
}

@test "AIPerf: a run without an answer has no results, a cancelled one is marked, a torn CSV row is rejected" {
    printf 'Metric,avg,min,max\nError Input Sequence Length (tokens),9.5,6,14\n\nMetric,Value\nError Request Count,20.00\n' >none.csv
    run abdb import none.csv
    fails 0 "20 of 20 requests failed"
    same "$(ask "SELECT status, reason FROM v_run")" "failed,no request was completed"
    sed 's/"was_cancelled": false/"was_cancelled": true/; s/"avg": 2.0}/"avg": 0.0}/' "$fixtures/aiperf.json" >cancelled.json
    run abdb import cancelled.json
    fails 0 "the run was cancelled"
    sed 's/^Inter Token Latency (ms),12.50,/&7,/' "$fixtures/genai_perf.csv" >torn.csv
    run abdb import torn.csv
    fails 0 "1 accepted, 0 duplicate, 1 rejected"
    same "$(ask "SELECT line, reason FROM v_reject")" "5,more or fewer cells than the header has"
    cat "$fixtures/genai_perf.csv" "$fixtures/genai_perf.csv" >twice.csv
    run abdb import twice.csv
    fails 6 "a second run begins"
    echo '{"input_config": {"model": "m"}, "request_count": {"unit": "requests", "avg": 5}}' >empty.json
    run abdb import empty.json
    fails 5 "no rate, no latency"
}

@test "quality: lm-eval by task, llama-perplexity by corpus; a quantised model has no number format" {
    run abdb import "$fixtures/lm_eval.json"
    fails 0 "bits_per_byte,none (1), rouge1,none (1)"
    same "$(ask "SELECT base_model, dtype, metric, value, yardstick FROM v_quality ORDER BY 3")" \
        $'acme/Small-1B,bf16,accuracy,0.75,"arc_easy, context 4096"\nacme/Small-1B,bf16,accuracy.acc_norm,0.6875,"arc_easy, context 4096"\nacme/Small-1B,bf16,accuracy.exact_match.flexible-extract,0.625,"gsm8k, context 4096"\nacme/Small-1B,bf16,accuracy.exact_match.strict-match,0.5,"gsm8k, context 4096"\nacme/Small-1B,bf16,perplexity.word,12.5,"wikitext, context 4096"'
    same "$(ask "SELECT low, high, spread, n FROM v_result WHERE metric = 'accuracy'")" "0.7304,0.7696,ci95,2376"
    sed 's/dtype=auto/dtype=auto,load_in_4bit=True/; s/0.75/0.25/' "$fixtures/lm_eval.json" >quantised.json
    abdb import -q quantised.json
    same "$(ask "SELECT coalesce(dtype, '?') FROM v_result WHERE value = 0.25")" "?"
    abdb import -q "$fixtures/llama_perplexity.log" 2>/dev/null
    same "$(ask "SELECT model, dtype, metric, statistic, value, yardstick FROM v_quality WHERE source = 'llama-perplexity' ORDER BY 5")" \
        $'llama 7B Q8_0,Q8_0,kl_divergence,median,0.0005,wiki.test.raw\nllama 7B Q8_0,Q8_0,kl_divergence,mean,0.00125,wiki.test.raw\nllama 7B Q8_0,Q8_0,kl_divergence,p99.9,0.125,wiki.test.raw\nllama 7B Q8_0,Q8_0,kl_divergence,max,0.75,wiki.test.raw\nllama 7B Q8_0,Q8_0,perplexity,value,5.875,wiki.test.raw\nllama 7B Q4_0,Q4_0,perplexity,value,5.9625,"wiki.test.raw, context 2048"'
    # the second run lists no device: that of the first is not its
    same "$(ask "SELECT DISTINCT dtype, coalesce(device, '?'), coalesce(devices, '?') FROM v_result WHERE source = 'llama-perplexity' ORDER BY 1")" $'Q4_0,Acme A1,1\nQ8_0,?,?'
    printf 'Final estimate: PPL = 7.5 +/- 0.1\nFinal estimate: PPL = nan +/- nan\n' >bad.log
    run abdb import bad.log
    fails 0 "1 accepted, 0 duplicate, 1 rejected"
}

@test "trtllm-bench: each run of a log has its own model, layout and load; a repeated mean is stored once" {
    run abdb import --set device=H100-SXM "$fixtures/trtllm_bench.log"
    fails 0 "left out, for nothing here says what it is: per user or GPU (3)"
    same "$(ask "SELECT model, dtype, devices, metric, statistic, value, n FROM v_result ORDER BY entry_id, 4, 5")" \
        $'acme/Model-70B,fp8,8,queries_per_s,value,28,7500\nacme/Model-70B,fp8,8,tokens_per_s,value,3584,7500\nacme/Model-8B,bf16,1,latency_s,max,1.1375,100\nacme/Model-8B,bf16,1,latency_s,mean,0.9755,100\nacme/Model-8B,bf16,1,latency_s,median,0.9905,100\nacme/Model-8B,bf16,1,queries_per_s,value,8,100\nacme/Model-8B,bf16,1,tokens_per_s,value,1024,100\nacme/Model-8B,bf16,1,tpot_s,mean,0.00725,100\nacme/Model-8B,bf16,1,tpot_s,median,0.0075,100\nacme/Model-8B,bf16,1,tpot_s,min,0.0065,100\nacme/Model-8B,bf16,1,tpot_s,p99,0.008125,100\nacme/Model-8B,bf16,1,ttft_s,mean,0.1625,100'
    # the first run states no concurrency and no latency: no point of a curve
    same "$(ask "SELECT load_kind, load, tokens_per_s FROM v_curve")" "request_rate,16,1024"
    same "$(ask "SELECT text FROM v_run_factor WHERE factor = 'concurrency'")" "8"
    printf '= PERFORMANCE OVERVIEW\nRequest Throughput (req/sec): 2.0\nTotal Output Throughput (tokens/sec): <value>\n' >none.txt
    run abdb import none.txt
    fails 5 "no rate: missing, zero or no number"
}

@test "inference-perf and llmperf: rates, latencies and load; failures mark the run" {
    run abdb import --set device=A1 "$fixtures/inference_perf.json" "$fixtures/llmperf.json"
    fails 0 "4 of 100 requests failed"
    fails 0 "2 of 50 requests failed"
    fails 0 "normalized_time_per_output_token (2)"
    fails 0 "results_inter_token_latency_s (9)"
    same "$(ask "SELECT source, load_kind, load, tokens_per_s, model, input_tokens, output_tokens, marks FROM v_curve ORDER BY 1")" \
        $'inference-perf,request_rate,2,480,,1000,250,failed\nllmperf,concurrency,4,288,acme/Small-1B,512,128,failed'
    same "$(ask "SELECT source, metric, value, low, n FROM v_result WHERE statistic = 'mean' ORDER BY 1, 2")" \
        $'inference-perf,itl_s,0.0125,,\ninference-perf,latency_s,4.5,,96\ninference-perf,tpot_s,0.0125,,96\ninference-perf,ttft_s,0.25,,96\nllmperf,latency_s,1.65,1.4,48\nllmperf,ttft_s,0.1375,0.1,48'
    # 135 requests a minute
    same "$(ask "SELECT value FROM v_result WHERE source = 'llmperf' AND metric = 'queries_per_s'")" 2.25
    sed 's/"count": 96/"count": 0/; s/"count": 4,/"count": 100,/' "$fixtures/inference_perf.json" >none.json
    run abdb import none.json
    fails 0 "100 of 100 requests failed"
    same "$(ask "SELECT count(*) FROM v_run WHERE reason = 'no request was completed'")" 1
    printf '{"load_summary": {"count": 5}, "successes": {"count": 5}, "failures": {"count": 0}}\n' >empty.json
    printf '{"results_ttft_s_mean": null, "results_mean_output_throughput_token_per_s": null}\n' >bare.json
    run abdb import empty.json bare.json
    fails 5 "no rate, no latency"
}

@test "vLLM's bench throughput and bench latency are read by maps that claim their JSON" {
    run abdb import --set device=A1 "$fixtures/vllm_throughput.json" "$fixtures/vllm_latency.json"
    [ "$status" -eq 0 ]
    same "$(ask "SELECT source, metric, statistic, value FROM v_result ORDER BY 1, 3")" \
        $'vllm-latency,latency_s,mean,1.25\nvllm-latency,latency_s,median,1.25\nvllm-latency,latency_s,p10,1.15\nvllm-latency,latency_s,p25,1.1875\nvllm-latency,latency_s,p75,1.3125\nvllm-latency,latency_s,p90,1.35\nvllm-latency,latency_s,p99,1.3725\nvllm-throughput,queries_per_s,value,16'
    # the rate of all tokens counts prompts: no rate of answers
    same "$(ask "SELECT DISTINCT factor, text FROM v_factor WHERE factor LIKE 'total_tokens%' ORDER BY 1")" $'total_tokens,51200\ntotal_tokens_per_s,4096'
    # other JSON with some of the words is no throughput
    printf '{"elapsed_time": 5.5, "num_requests": 8}\n' >other.json
    run abdb import other.json
    fails 6 "not a format that abdb reads"
}

@test "trtexec: both forms, device, options and version; a failed run is rejected" {
    run abdb import "$fixtures/trtexec.log"
    fails 0 "3 rows: 2 accepted, 0 duplicate, 1 rejected"
    fails 0 "the run failed or did not end"
    fails 0 "Enqueue Time (8), end to end (3)"
    same "$(ask "SELECT device, devices, model, dtype, metric, statistic, value FROM v_result WHERE statistic IN ('mean', 'p99', 'value') ORDER BY entry_id, 5, 6")" \
        $'A100-SXM-80GB,1,acme-net.onnx,,latency_s,mean,0.0025\nA100-SXM-80GB,1,acme-net.onnx,,latency_s,p99,0.0035\nA100-SXM-80GB,1,acme-net.onnx,,queries_per_s,value,500.25\nA100-SXM-80GB,1,acme-net.onnx,,time_s,mean,0.002\nA100-SXM-80GB,1,acme-net.onnx,,time_s,p99,0.00325\n,1,old.prototxt,,latency_s,mean,0.0105\n,1,old.prototxt,,latency_s,p99,0.0125\n,1,old.prototxt,,queries_per_s,value,380.5\n,1,old.prototxt,,time_s,mean,0.00825'
    same "$(ask "SELECT DISTINCT factor, text FROM v_factor WHERE factor IN ('software', 'option.shapes', 'option.fp16', 'option.batch', 'Precision') ORDER BY 1, 2")" \
        $'Precision,FP32+FP16\noption.batch,4\noption.fp16,1\noption.shapes,images:8x3x224x224\nsoftware,TensorRT 100200'
    # a post: no times of day, equals signs lost
    printf '```\n=== Performance summary ===\nThroughput: 169.5 qps\nLatency: min = 5.5 ms, max 6.25 ms, mean 5.75 ms, percentile(99%%) 6.125 ms\n```\n' >post.md
    run abdb import post.md
    fails 0 "1 row: 1 accepted"
    same "$(ask "SELECT statistic, value FROM v_result WHERE metric = 'latency_s' AND value > 0.005 AND value < 0.0075 ORDER BY 1")" $'max,0.00625\nmean,0.00575\nmin,0.0055\np99,0.006125'
}

@test "mamf-finder: a product for each shape; a best outcome whose shape has a line is not stored twice" {
    run abdb import "$fixtures/mamf_finder.txt"
    fails 0 "6 rows: 6 accepted"
    fails 0 "best outcome, of a line above (2), mean over all shapes (2)"
    same "$(ask "SELECT coalesce(device, '?'), coalesce(dtype, '?'), statistic, value / 1e12 FROM v_result WHERE statistic IN ('mean', 'value') ORDER BY entry_id")" \
        $'H100-SXM,bf16,mean,512.5\nH100-SXM,bf16,mean,640.5\nH100-SXM,bf16,mean,700.5\n?,?,value,842\n?,?,value,722\n?,?,value,115.5'
    same "$(ask "SELECT DISTINCT text FROM v_factor WHERE factor IN ('m', 'k', 'outcome', 'shapes_tried', 'torch') AND entry_id = (SELECT entry_id FROM v_result WHERE value = 700.5e12) ORDER BY factor")" \
        $'4096\n3072\nbest mean\n3\n2.5.1+cu121'
    same "$(ask "SELECT DISTINCT factor, text FROM v_factor WHERE factor LIKE 'sampled%' AND num > 200 ORDER BY 1, 2")" $'sampled_clock_mhz,1612\nsampled_clock_mhz,1980\nsampled_power_w,681'
    printf 'Tried 5 shapes => the best outcomes were:\nmean:   35.5 TFLOPS @ 512x (MxNxK)\n' >torn.txt
    run abdb import torn.txt
    fails 5 "no rate, or no shape of three numbers"
}

@test "dcgmi diag: a verdict for each test, its numbers by GPU; a failed test is a mark, an unknown verdict a reject" {
    run abdb import "$fixtures/dcgm_diag.txt"
    fails 0 "9 rows: 8 accepted, 0 duplicate, 1 rejected, 0 ignored; values: 13 kept"
    fails 0 "first line 43: software: no verdict (Pass, Fail, Skip, Warn or Not Run)"
    fails 0 "the test failed: GPU 1 Max power of 150.5 is below the target"
    run abdb import "$fixtures/dcgm_diag.json"
    fails 0 "7 rows: 7 accepted, 0 duplicate, 0 rejected, 0 ignored; values: 6 kept"
    shown() { ask "SELECT r.workload, gpu.text, o.text, devices, verified, statistic, value, flags FROM v_result r JOIN v_factor gpu ON gpu.result_id = r.result_id AND gpu.factor = 'gpu' LEFT JOIN v_factor o ON o.result_id = r.result_id AND o.factor = 'operation' WHERE $1 ORDER BY r.entry_id, metric, statistic"; }
    same "$(shown "locator LIKE 'line %'")" \
        $'memory-copy,0,device_to_host,1,pass,value,12250000000,\nmemory-copy,0,device_to_host,1,pass,value,2.125e-06,\nmemory-copy,0,host_to_device,1,pass,value,11500000000,\nmemory-copy,0,host_to_device,1,pass,value,2.25e-06,\nmemory-copy,0,bidirectional,1,pass,value,20750000000,\nmemory-copy,0,bidirectional,1,pass,value,4.5e-06,\nmemory-copy,1,device_to_host,1,pass,value,12500000000,\ndcgm-diag,0,,1,pass,value,10995116277760,\ndcgm-diag,0,,1,pass,max,250.5,\ndcgm-diag,0,,1,pass,mean,240.5,\ndcgm-diag,1,,1,fail,max,150.5,failed\ndcgm-diag,1,,1,fail,mean,140.5,failed\nmemory-copy,0,host_to_device,1,pass,value,26250000000,'
    # 2048 gigaflops of 2^30; one result of two GPUs; a skipped test that printed its power
    same "$(shown "locator LIKE 'DCGM%' AND r.metric <> 'time_s' AND r.workload <> 'memory-copy'")" \
        $'dcgm-diag,0,,1,pass,value,2199023255552,\ndcgm-diag,1,,1,pass,value,1099511627776,\ndcgm-diag,1,,1,unchecked,mean,70,'
    same "$(ask "SELECT status, verified, reason, devices FROM v_run WHERE status <> 'ok' ORDER BY entry_id")" \
        $'failed,fail,GPU 1 Max power of 150.5 is below the target,1\nskipped,unchecked,EUD Test: Skip,\nfailed,fail,Persistence mode is off,1\nfailed,fail,software: Fail,\nskipped,unchecked,targeted_power: Skip,1'
    same "$(ask "SELECT DISTINCT factor, text FROM v_factor_given WHERE factor IN ('dcgm_version', 'driver_version', 'pci_device_ids') ORDER BY 1, 2")" \
        $'dcgm_version,3.3.9\ndcgm_version,4.2.3\ndcgm_version,4.4.2\ndriver_version,570.10.00\ndriver_version,580.10.00\npci_device_ids,"2237,2237"\npci_device_ids,"2330, 2330"'
    # a torn row ends its sentence, and a number that lost a part is left out
    sed '/idirectional bandwidth/s/ |$//' "$fixtures/dcgm_diag.txt" >torn.txt
    run abdb import --dry-run torn.txt
    fails 0 "8 accepted, 0 duplicate, 2 rejected, 0 ignored; values: 11 kept"
    printf '{"DCGM Diagnostic": {"test_categories": [{"category": "Hardware", "tests": [{"name": "pcie", "results": [{"gpu_ids": "0,1", "status": "Pass", "info": ["Host to GPU bandwidth: 9.5 GB/s", "GPU 0 GPU 1 Host to GPU bandwidth: 8.5 GB/s", "GPU 0 Host to GPU bandwidth: 8.5 Gbit/s", "GPU 0 bidirectional bandwidth: 1,234 GB/s", "GPU 7 Host to GPU bandwidth: 8.5 GB/s", "GPU 1 Host to GPU bandwidth: 0 GB/s", "GPU 1 Host to GPU latency: 1 2.5 us"]}]}]}]}}' >bad.json
    run abdb import bad.json
    fails 0 "1 accepted, 0 duplicate, 0 rejected, 0 ignored; values: 7 left out"
    fails 0 "bytes_per_s is '1,234'"
    fails 0 "number without a GPU (1), number of two GPUs (1), damaged number (2), number of a GPU without verdict (1), zero"
}

@test "ROCm Validation Suite: rates, power and verdicts by GPU; the summary behind a run names its devices alone" {
    run abdb import "$fixtures/rvs.log"
    fails 0 "17 rows: 15 accepted, 0 duplicate, 2 rejected, 0 ignored; values: 12 kept, 2 rejected, 3 left out"
    fails 0 "rate of an interval (1), moving average of a transfer (1), best rate, printed twice (1)"
    fails 0 "first line 7: the target of 1200000 GFLOPS was not met"
    same "$(ask "SELECT workload, device, devices, dtype, verified, statistic, value, flags FROM v_result ORDER BY entry_id, statistic")" \
        $'gemm,MI300X,1,,pass,max,1.6505e+15,\ngemm,MI300X,1,,fail,max,1.1505e+15,failed\ngemm,MI300X,1,,unchecked,max,900500000000000,\nrvs-power,MI300X,1,,pass,max,749.5,\nrvs-power,MI300X,1,,fail,max,250.5,failed\nmemory-copy,MI300X,1,,unknown,mean,54250000000,\nmemory-copy,MI300X,1,,unknown,mean,96500000000,\nmemory-copy,MI300X,2,,unknown,mean,61500000000,\nbabelstream,MI300X,1,fp64,unknown,max,4294967820288,\nbabelstream,MI300X,1,fp64,unknown,mean,4246733324288,\nbabelstream,MI300X,1,fp64,unknown,min,4194304524288,\nmemory-copy,,2,,unknown,mean,11750000000,'
    same "$(ask "SELECT n FROM v_result WHERE value = 749.5")" 3
    same "$(ask "SELECT status, count(*) FROM v_run WHERE workload = 'rvs' GROUP BY 1 ORDER BY 1")" $'failed,3\nok,2'
    same "$(ask "SELECT DISTINCT factor, text FROM v_factor_given WHERE entry_id = (SELECT entry_id FROM v_result WHERE value = 96500000000) ORDER BY 1")" \
        $'GPUs,2\nOperating_System,Ubuntu 24.04 LTS\nROCm_version,7.0.2\nRVS_version,1.3.0\naction,copies\ngpu,2020\nlevel,wire\nnuma_node,1\noperation,bidirectional'
    # a summary of another run, whose actions are others, names no device; a torn verdict is none
    printf '```\n[a1] [GPU:: 10101] GFLOPS 5000.5 Target GFLOPS: 4000.5 met: TRU\n[a1] [GPU:: 10101] GFLOPS 6000.5 Target GFLOPS: 4000.5 met: TRUE\n' >other.md
    sed -n '/^+==/,/^\$/p' "$fixtures/rvs.log" >>other.md
    run abdb import other.md
    fails 0 "the line has no target and no verdict"
    same "$(ask "SELECT device, value FROM v_result WHERE value < 7e12 AND metric = 'flops_per_s'")" ",6000500000000"
    # of a power with a damaged reading the largest is unknown; a blank inside a number damages it
    printf '[a1] [GPU:: 7] Power(W) 5.5\n[a1] [GPU:: 7] Power(W) 9 1.5\n[a1] [GPU:: 7] pass: TRUE\n[RESULT] [ 5.1] [a2] p2p-bandwidth[ 1/1] [GPU:: 2 - 7 - 0:0] [GPU:: 3 - 8 - 0:1] bidirectional: true 48 9.5 GBps duration: 0.5 secs\n' >blank.log
    run abdb import blank.log
    fails 0 "damaged reading of power (1)"
    fails 0 "2 rows: 1 accepted, 0 duplicate, 1 rejected"
    same "$(ask "SELECT count(*) FROM v_result WHERE value IN (5.5, 9.5e9, 9)")" 0
}

@test "accuracy.txt of MLPerf by itself: each form of its scores; two runs in one file are rejected" {
    run abdb import --set model=llama2-70b-99 --set dtype=fp8 "$fixtures/mlperf_accuracy.txt"
    fails 0 "1 row: 1 accepted, 0 duplicate, 0 rejected, 0 ignored; values: 5 kept"
    same "$(ask "SELECT metric, value FROM v_quality ORDER BY 1")" $'accuracy.gen_len,29615930\naccuracy.rouge1,44.4406\naccuracy.rouge2,22.0593\naccuracy.rougel,28.6063'
    hash=$(printf '%064d' 7)
    scores() { printf '%b' "$1" >"$2.txt"; abdb import -q "$2.txt" 2>/dev/null; ask "SELECT metric, value FROM v_result WHERE entry_id = (SELECT max(entry_id) FROM v_run) ORDER BY 1"; }
    same "$(scores "accuracy=76.125%, good=609, total=800\nhash=$hash\n" resnet)" accuracy.acc,76.125
    same "$(ask "SELECT DISTINCT factor, text FROM v_factor_given WHERE factor IN ('good', 'total') ORDER BY 1")" $'good,609\ntotal,800'
    same "$(scores '{"exact_match": 83.625, "f1": 90.875}\nReading examples...\n' bert)" $'accuracy.exact_match,83.625\naccuracy.f1,90.875'
    same "$(scores "Done\nmAP=37.625%\nfound 0 images with no results\nhash=$hash\n" retinanet)" accuracy.map,37.625
    same "$(scores 'Word Error Rate: 2.25%, accuracy=97.75%\n' whisper)" accuracy.accuracy,97.75
    same "$(scores 'Accuracy: mean = 0.86125, kidney = 0.935, tumor = 0.7875\n' unet)" accuracy.dice,0.86125
    same "$(scores 'AUC=80.25%, good=1, total=2\n' dlrm)" accuracy.auc,80.25
    same "$(scores "Accuracy Results: {'FID_SCORE': '23.5', 'CLIP_SCORE': '31.75'}\r\n" sdxl)" $'accuracy.clip_score,31.75\naccuracy.fid_score,23.5'
    printf 'accuracy=76.125%%, good=609, total=800\naccuracy=70.125%%, good=561, total=800\n' >two.txt
    run abdb import two.txt
    fails 6 "the scores of several runs in one file: import each alone"
    # a torn dictionary has no score, nor have those before it; neither has a decimal comma
    printf "{'rouge1': 1.5}\n{'rouge1': 44.5, 'rouge2': 2" >torn.txt
    printf "{'rouge1': 44,5, 'rouge2': 22.5}\n" >comma.txt
    for f in torn comma; do
        run abdb import $f.txt
        fails 5 "no score above zero"
    done
    printf 'First token check pass: True\nTEST06 verification complete\n' >test06.txt
    run abdb import test06.txt
    fails 6 "not a format that abdb reads"
}

@test "InferenceX: output tokens of all GPUs, by version and by disaggregation; a rate of unknown GPUs is left out" {
    run abdb import "$fixtures/inferencex.json"
    fails 0 "7 rows: 6 accepted, 0 duplicate, 1 rejected, 0 ignored; values: 17 kept, 1 rejected, 1 left out"
    fails 0 "output rate of an unknown number of GPUs (1)"
    fails 0 "1 of 10 requests failed"
    same "$(ask "SELECT locator, device, devices, dtype, value, flags FROM v_result WHERE metric = 'tokens_per_s' ORDER BY entry_id")" \
        $'[0],h200,8,fp4,10004,\n[1],GB200,12,fp4,18000,\n[2],GB200,12,fp4,18000,\n[4],B300-SXM,2,fp8,2781,\n[5],MI355X,8,fp8,123.5,failed'
    same "$(ask "SELECT metric, statistic, value, low, high FROM v_result WHERE locator = '[0]' AND metric <> 'tokens_per_s' ORDER BY 1, 2")" \
        $'itl_s,median,0.012,,\nlatency_s,p99,20.5,,\ntpot_s,mean,0.0125,,\nttft_s,mean,0.125,0.1,0.15\nttft_s,median,0.115,,\nttft_s,p99,0.5,,'
    same "$(ask "SELECT DISTINCT factor, text FROM v_factor_given WHERE factor IN ('concurrency', 'runner', 'input_tokens', 'dp_attention', 'pp') AND entry_id = (SELECT min(entry_id) FROM v_run) ORDER BY 1")" \
        $'concurrency,64\ndp_attention,false\ninput_tokens,1024\npp,2\nrunner,h200-cr'
    # no parallelism: the number of GPUs is unknown, and the rate with it
    printf '{"hw": "h100", "conc": 4, "model": "m", "output_tput_per_gpu": 100.5, "median_ttft": 0.5}\n{"hw": "h100", "conc": 4, "model": "m", "tp": 8, "output_tput_per_gpu": "1,234", "median_ttft": 0.75}\n' >few.jsonl
    run abdb import few.jsonl
    fails 0 "output rate of an unknown number of GPUs (1)"
    fails 0 "is '1,234', not a number for certain"
    same "$(ask "SELECT devices, metric, value FROM v_result WHERE value IN (0.5, 0.75, 804, 9872) AND device LIKE '%100%'")" ",ttft_s,0.5"
}

@test "Primus preflight: products, collectives and verdicts; a host's device is that of its own report" {
    run abdb import "$fixtures/primus.md"
    fails 0 "13 rows: 10 accepted, 0 duplicate, 2 rejected, 1 ignored; values: 16 kept, 1 left out"
    fails 0 "the checks of host node03 failed"
    fails 0 "row: 4 columns where the header has 5"
    same "$(ask "SELECT workload, device, devices, nodes, dtype, metric, value, x FROM v_result WHERE statistic = 'mean' AND verified <> 'fail' ORDER BY entry_id")" \
        $'gemm,MI300X,1,,,flops_per_s,510750000000000,\ngemm,,1,1,bf16,time_s,1.25e-05,\ngemm,,1,1,bf16,time_s,0.00205025,\ngemm,,1,1,bf16,flops_per_s,171750000000000,\ngemm,,1,1,bf16,flops_per_s,536500000000000,\nall_reduce,,2,1,,time_s,8.025e-05,2097152\nall_reduce,,2,1,,time_s,0.0090005,1073741824\nall_reduce,,2,1,,busbw_bytes_per_s,26250000000,2097152\nall_reduce,,2,1,,busbw_bytes_per_s,119500000000,1073741824\nall_to_all,,16,2,,busbw_bytes_per_s,10250000000,2097152\nring-p2p,,,,,bytes_per_s,45250000000,2097152'
    # a row that ends inside a number
    printf '=======Square GEMM TFLOPS =======\n| Hostname | Node | Rank | 1024x1024x1024 |\n|---|---|---|---|\n| a | 0 | 0 | 17' >cut.md
    run abdb import cut.md
    fails 5 "its last bar is missing"
    same "$(ask "SELECT status, verified, reason FROM v_run WHERE workload = 'primus-node-smoke' ORDER BY 1")" \
        $'failed,fail,GPU 0 is held by another process\nok,pass,'
    same "$(ask "SELECT value, verified, flags FROM v_result WHERE statistic = 'min' ORDER BY 1")" $'90250000000000,fail,failed\n500250000000000,pass,'
}

@test "a folder with a file of every program needs no option" {
    mkdir all
    local own="accept backend_1 chain devices figures fleet per prices promises questions records results specs standing traps traps-prices traps_serving withdrawn"
    for f in "$fixtures"/*.*; do
        [[ " $own " == *" $(basename "${f%.*}") "* ]] || cp "$f" all
    done
    # MLPerf's logs do not name their model, descriptions are parts of a round, prices have no provider
    # nor does a log of power name what ran
    rm all/mlperf_{detail,summary,training,power,system,tiny,storage}.* all/{catalog.csv,aiconfigurator_gemm.csv,dcgm_dmon.log}
    run abdb import all
    fails 0 "0 already there"
    [[ "$output" != *"--format forces one"* && "$output" != *"nothing was kept of it"* && "$output" != *"passed over"* ]]
    n=$(find all -type f | wc -l)
    [ "$(grep -c '  \[[a-z-]*\]$' <<<"$output")" = "$n" ] || { echo "$n files; $output"; false; }
    for format in dcgm-diag rvs inferencex primus-preflight mlperf-accuracy; do
        [[ "$output" == *"[$format]"* ]] || { echo "$format: $output"; false; }
    done
}

@test "rccl-tests -Z: CSV and JSON of all versions; a header without nodes is completed; wrong values are marked" {
    run abdb import "$fixtures/rccl_tests.csv"
    fails 0 "3 rows: 3 accepted"
    fails 0 "first line 3: 2 values are wrong"
    run abdb import "$fixtures/rccl_tests.json"
    fails 0 "2 rows: 1 accepted, 0 duplicate, 1 rejected, 0 ignored; values: 3 kept, 3 rejected"
    same "$(ask "SELECT workload, devices, dtype, verified, metric, value, x FROM v_result ORDER BY entry_id, 5")" \
        $'all_reduce,8,fp32,pass,busbw_bytes_per_s,34952533000,1048576\nall_reduce,8,fp32,pass,bytes_per_s,19972876000,1048576\nall_reduce,8,fp32,pass,time_s,5.25e-05,1048576\nall_reduce,8,fp32,fail,busbw_bytes_per_s,36700160000,1048576\nall_reduce,8,fp32,fail,bytes_per_s,20971520000,1048576\nall_reduce,8,fp32,fail,time_s,5e-05,1048576\nall_reduce,8,bf16,unknown,busbw_bytes_per_s,58720256000,2097152\nall_reduce,8,bf16,unknown,bytes_per_s,33554432000,2097152\nall_reduce,8,bf16,unknown,time_s,6.25e-05,2097152\nall_gather,16,fp16,pass,busbw_bytes_per_s,307200000,4096\nall_gather,16,fp16,pass,bytes_per_s,327680000,4096\nall_gather,16,fp16,pass,time_s,1.25e-05,4096'
    # nodes and ranksPerNode mean other things in other versions
    same "$(ask "SELECT DISTINCT factor, text FROM v_factor_given WHERE factor IN ('nodes.in_file', 'ranksPerNode', 'place', 'nodes') AND entry_id = (SELECT min(entry_id) FROM v_run) ORDER BY 1")" \
        $'nodes.in_file,1\nplace,out-of-place\nranksPerNode,8'
    # the header of May 2026 and before, blanks of July 2025 and before, and lines of objects
    printf 'numCycle,collective,ranks,rankspernode,gpusperrank,size,type,redop,inplace,time,algbw,busbw,#wrong\n0,"AllReduce",1,8,8,1,64,"float","sum",0,50,0.00128,0.00224,"0"\n' >shifted.csv
    printf 'numCycle, collective, gpus, size, type, redop, inplace, time, algbw, busbw, #wrong\n0, "SendRecv", 4, 32, "float", "sum", 0, 20, 0.0016, 0.0016, "0"\n' >blanks.csv
    printf '{"#wrong":"3","algBw":102.4,"busBw":153.6,"gpus":4,"inPlace":1,"name":"AllReduce","redop":"sum","size":16,"time":10.24,"type":"float"}\n' >lines.json
    run abdb import shifted.csv blanks.csv lines.json
    fails 0 "line 1: 3 values are wrong"
    same "$(ask "SELECT workload, devices, value, x FROM v_result WHERE metric = 'time_s' AND x < 1000 ORDER BY x")" $'all_reduce,4,1.024e-05,16\nsendrecv,4,2e-05,32\nall_reduce,8,5e-05,64'
    printf 'numCycle,collective,gpus,size,type,redop,inplace,time,algbw,busbw,#wrong\n0,"AllReduce",4,32,"float","sum",7,20,0.0016,0.0016,"0"\n' >place.csv
    run abdb import place.csv
    fails 5 "inPlace: neither 0 nor 1"
}

@test "llama-batched-bench, llama-sweep-bench: an entry for each phase; settings end with their table; torn rows are rejected" {
    run abdb import "$fixtures/llama_batched.log"
    fails 0 "6 rows: 5 accepted, 0 duplicate, 1 rejected, 0 ignored; values: 22 kept, 3 rejected, 2 left out"
    same "$(ask "SELECT source, device, devices, model, scenario, value FROM v_result WHERE metric = 'tokens_per_s' ORDER BY entry_id")" \
        $'llama-batched-bench,GeForce-RTX-3090,1,llama 7B Q4_0,prompt,4000\nllama-batched-bench,GeForce-RTX-3090,1,llama 7B Q4_0,generation,100\nllama-batched-bench,GeForce-RTX-3090,1,llama 7B Q4_0,prompt and generation,454.55\nllama-batched-bench,GeForce-RTX-3090,1,llama 7B Q4_0,prompt,4000\nllama-batched-bench,GeForce-RTX-3090,1,llama 7B Q4_0,prompt and generation,4000\nllama-sweep-bench,RTX-4090,2,,prompt,2048\nllama-sweep-bench,RTX-4090,2,,generation,64\nllama-sweep-bench,RTX-4090,2,,prompt,1600\nllama-sweep-bench,RTX-4090,2,,generation,51.2\nllama-sweep-bench,,,,prompt,128\nllama-sweep-bench,,,,generation,16'
    same "$(ask "SELECT DISTINCT factor, text FROM v_factor_given WHERE entry_id = (SELECT entry_id FROM v_result WHERE value = 51.2) ORDER BY 1")" \
        $'RSS_HWM,2048.5\nVRAM_delta,n/a\nflash_attn,1\nn_batch,2048\nn_depth,1024\nn_gen,256\nn_gpu_layers,99\nn_kv_max,8192\nn_prompt,1024\nn_threads,8\nn_threads_batch,8\nn_ubatch,1024'
    same "$(ask "SELECT value FROM v_result WHERE metric = 'time_s' AND value > 1 AND value < 1.3")" 1.28
    run abdb import "$fixtures/llama_batched.jsonl"
    fails 0 "3 rows: 2 accepted, 0 duplicate, 1 rejected, 0 ignored; values: 10 kept"
    same "$(ask "SELECT scenario, metric, value FROM v_result WHERE value IN (1024, 1280, 3.45, 111.304348) ORDER BY value")" \
        $'prompt and generation,time_s,3.45\nprompt and generation,tokens_per_s,111.304348\nprompt,tokens_per_s,1024\nprompt,tokens_per_s,1280'
    # rates have two digits behind the mark, whichever it is; a post ends its lines by a backslash
    printf '|    PP |     TG |   N_KV |   T_PP s | S_PP t/s |   T_TG s | S_TG t/s |\\\n|---|---|---|---|---|---|---|\\\n| 2048 | 96 | 0 | 1,024 | 2000,00 | 1,536 | 62,50 |\\\n' >comma.md
    run abdb import comma.md
    fails 0 "1 row: 1 accepted"
    same "$(ask "SELECT value FROM v_result WHERE value IN (1.024, 1.536, 62.5) ORDER BY 1")" $'1.024\n1.536\n62.5'
}

@test "SGLang: static batches by phase, of the engine and of a server; a rate that contradicts its time is marked" {
    run abdb import "$fixtures/sglang_batch.jsonl"
    fails 0 "5 rows: 4 accepted, 0 duplicate, 1 rejected, 0 ignored; values: 18 kept, 2 rejected"
    fails 0 "marked implausible: 1 entry; first line 4: 5120 a second for 0.5 s are 2560, and the row says 256"
    fails 0 "no numbers above zero in batch_size, input_len and output_len"
    same "$(ask "SELECT scenario, metric, statistic, value FROM v_result WHERE locator IN ('line 2', 'line 3') ORDER BY entry_id, metric")" \
        $'prompt,tokens_per_s,value,4096\nprompt,ttft_s,value,1\ngeneration,tokens_per_s,median,512\ngeneration,tpot_s,median,0.015625\nprompt and generation,latency_s,value,5\nprompt and generation,tokens_per_s,value,1230.4\nprompt,ttft_s,value,0.25\ngeneration,tokens_per_s,value,1024\nprompt and generation,latency_s,value,0.5\nprompt and generation,tokens_per_s,value,33280'
    same "$(ask "SELECT DISTINCT factor, text FROM v_factor_given WHERE entry_id = (SELECT entry_id FROM v_result WHERE value = 33280) ORDER BY 1")" \
        $'acc_length,2.5\nbatch,16\ninput_tokens,1024\nlast_gen_throughput,500.5\noutput_tokens,16\nrun_name,default'
    printf '{"run_name": "a", "batch_size": 8, "input_len": 512, "output_len": 4, "prefill_latency": 0, "overall_throughput": 0}\n' >none.jsonl
    run abdb import none.jsonl
    fails 5 "no time and no rate above zero"
}

@test "HPL and HPL-MxP: GPUs as they are stated, never P times Q; a failed residual is a mark; runs in one file stay apart" {
    run abdb import "$fixtures/hpl.out"
    fails 0 "5 rows: 4 accepted, 0 duplicate, 1 rejected, 0 ignored; values: 8 kept, 6 rejected"
    fails 0 "marked failed: 1 entry; first line 42: the residual 4521.0037027 is too large"
    run abdb import "$fixtures/hpl_mxp.out"
    fails 0 "5 rows: 4 accepted, 0 duplicate, 1 rejected, 0 ignored; values: 6 kept, 1 left out"
    # 4 processes on one GPU of each of 2 hosts; a rate per GPU; neither
    same "$(ask "SELECT source, devices, nodes, dtype, scenario, value, verified, flags FROM v_result WHERE metric = 'flops_per_s' ORDER BY entry_id")" \
        $'hpl,2,2,fp64,,4500500000000,pass,\nhpl,2,2,fp64,,7200400000000,fail,failed\nhpl,2,,fp64,,15189000000000,unknown,\nhpl,,,fp64,,8253000000,pass,\nhpl-mxp,8,,fp16,solution,1.575e+15,pass,\nhpl-mxp,8,,fp16,factorisation,2.7e+15,pass,\nhpl-mxp,8,,fp16,solution,1.6e+15,fail,failed\nhpl-mxp,,,,,131600000000000,pass,'
    same "$(ask "SELECT value FROM v_result WHERE metric = 'time_s' ORDER BY value")" $'4\n4\n10\n10.1\n15.75\n20'
    same "$(ask "SELECT DISTINCT factor, text FROM v_factor_given WHERE entry_id = (SELECT min(entry_id) FROM v_run) ORDER BY 1")" \
        $'ALIGN,8 double precision words\nPMAP,Row-major process mapping\nRFACT,Left\nSWAP,Mix (threshold = 60)\nhplinpack,2.1\nn,30000\nnb,288\np,2\nq,2\nresidual,0.0037027\nsoftware,HPL-NVIDIA 1.0.0\ntrsm_cutoff,9000000\nvariant,WR02L2L2'
    # a rate that its time contradicts, and a run that stopped before its row
    printf 'T/V N NB P Q Time Gflops\nWR11C2R4 30000 192 1 1 4.00 9.0e+03\n' >wrong.txt
    run abdb import wrong.txt
    fails 0 "marked implausible: 1 entry"
    printf 'HPLinpack 2.3  --  High-Performance Linpack benchmark  --   December 2, 2018\nN      :   30000\n' >stopped.txt
    run abdb import stopped.txt
    fails 5 "is of the format hpl, but nothing was kept of it"
    printf 'T/V N NB P Q Time Gflops\nWR1 30000 192 1 1 4.00 4.5e+03\n||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)= 0.1 ...... PASSED\n' >open.txt
    run abdb import open.txt
    fails 5 "no line behind it tells HPL from HPL-MxP"
    printf '    N = 380000, NB = 4096, NPROW = 4, NPCOL = 2, SLOPPY-TYPE = 1\n       GFLOPS = 8.0000e+05, per GPU =  100000.00\n    LU GFLOPS = 1.6000e+06, per GPU =  200000.00\n' >post.txt
    run abdb import post.txt
    fails 0 "2 rows: 2 accepted"
    same "$(ask "SELECT devices, dtype, scenario FROM v_result WHERE value IN (8e14, 1.6e15) AND dtype = 'fp8' ORDER BY value")" $'8,fp8,solution\n8,fp8,factorisation'
}

@test "hipblaslt-bench and rocblas-bench: products of both; inf, other functions and torn rows are rejected" {
    run abdb import "$fixtures/blas_bench.log"
    fails 0 "5 rows: 2 accepted, 0 duplicate, 3 rejected"
    fails 0 "CPU-Gflops (1), CPU-us (1), Winner, of a row above (1)"
    same "$(ask "SELECT source, device, devices, dtype, metric, value FROM v_result ORDER BY 1, 5")" \
        $'hipblaslt-bench,MI300X,1,bf16,bytes_per_s,437500000000\nhipblaslt-bench,MI300X,1,bf16,flops_per_s,500000000000000\nhipblaslt-bench,MI300X,1,bf16,time_s,0.00027487700000000003\nrocblas-bench,,1,fp16,flops_per_s,97190500000000\nrocblas-bench,,1,fp16,time_s,0.001317'
    same "$(ask "SELECT reason FROM v_reject ORDER BY line")" \
        $'"no rate: inf, zero or no number, as the launch was too short"\nmore or fewer cells than headings\nno matrix product: abdb reads no other function of BLAS'
    same "$(ask "SELECT DISTINCT factor, text FROM v_factor WHERE factor IN ('m', 'transpose', 'c_type') AND entry_id = (SELECT min(entry_id) FROM v_run) ORDER BY 1")" $'c_type,bf16_r\nm,8192\ntranspose,tn'
}

@test "ML.ENERGY: energy per token, request and image by counters, in all forms; unstable runs are marked" {
    run abdb import "$fixtures/ml_energy_task.json" "$fixtures/ml_energy_result.json" "$fixtures/ml_energy_images.json" "$fixtures/ml_energy_runs.csv"
    fails 0 "6 rows accepted"
    same "$(ask "SELECT metric, statistic, value, coalesce(scenario, '?'), coalesce(raw_device, '?'), coalesce(devices, '?'), marks FROM v_result WHERE metric LIKE 'energy%' OR metric = 'power_w' ORDER BY entry_id, 1" | sort)" "$(sort <<'EOF'
energy_per_request_j,mean,200,lm-arena-chat,B200,1,
energy_per_token_j,mean,0.5,lm-arena-chat,B200,1,
power_w,mean,500,lm-arena-chat,B200,1,
energy_per_request_j,mean,102.5,lm-arena-chat,H200,2,
energy_per_token_j,mean,0.25,lm-arena-chat,H200,2,
power_w,mean,1200,lm-arena-chat,H200,2,
energy_j,value,120000,?,H200,2,
energy_per_token_j,mean,0.25,?,H200,2,
energy_j,value,8000,?,?,?,
energy_per_sample_j,mean,400,?,?,?,
energy_j,value,30000.5,gpqa,H200,1,
energy_per_request_j,mean,3000.5,gpqa,H200,1,
energy_per_token_j,mean,0.5,gpqa,H200,1,
power_w,mean,495.875,gpqa,H200,1,
energy_j,value,26421.28125,gpqa,H200,1,unstable
energy_per_request_j,mean,750.25,gpqa,H200,1,unstable
energy_per_token_j,mean,0.125,gpqa,H200,1,unstable
power_w,mean,580.6875,gpqa,H200,1,unstable
EOF
)"
    # what defines them stands with each, and rates of a result file are of another window than its energy
    same "$(ask "SELECT count(*) FROM v_run r WHERE 4 = (SELECT count(*) FROM v_factor_given f WHERE f.entry_id = r.entry_id AND f.ordinal = 0 AND f.factor || '=' || f.text IN ('power_definition=counters', 'energy_scope=gpu', 'power_meter=Zeus', 'power_coverage=all GPUs of the run'))")" 6
    same "$(ask "SELECT DISTINCT f.text || ' ' || w.text FROM v_factor f JOIN v_factor w USING (entry_id) WHERE f.factor = 'power_window' AND w.factor = 'rate_window' ORDER BY 1")" $'steady state steady state\nsteady state whole run'
    # the leaderboard's file of a model nests the same runs: they are stored once
    python3 - "$fixtures/ml_energy_task.json" >model.json <<'PY'
import json, sys
d = json.load(open(sys.argv[1]))
shared = ("model_id", "weight_precision", "architecture", "activated_params_billions", "total_params_billions")
nested = ("data_parallel", "expert_parallel", "tensor_parallel")
out = {k: d["configurations"][0][k] for k in shared}
out["task"] = d["task"]
out["configurations"] = [dict({k: v for k, v in c.items() if k not in shared + nested + ("nickname",)},
                              parallelization=dict({k: c[k] for k in nested}, notes="")) for c in d["configurations"]]
print(json.dumps(out))
PY
    run abdb import model.json
    fails 0 "0 accepted, 2 duplicate"
    # a file of 2024
    printf '{"Model": "acme/Paint-1B", "GPU model": "NVIDIA A40", "Batch size": 2, "Number of inference steps": 30, "Batch latency (s)": 2.5, "Batch energy (J)": 700.5, "Energy per image (J)": 350.25}\n' >old.json
    run abdb import old.json
    fails 0 "1 accepted"
    same "$(ask "SELECT workload, metric, value FROM v_result WHERE raw_device = 'NVIDIA A40' ORDER BY 2")" $'image-generation,energy_j,700.5\nimage-generation,energy_per_sample_j,350.25\nimage-generation,time_s,2.5'
}

@test "ML.ENERGY: values that contradict each other are marked; short, failed and empty runs are not taken for good ones" {
    change() { sed "$1" "$fixtures/ml_energy_$2" >"$3"; }
    change 's/"energy_per_token_joules": 0.5/"energy_per_token_joules": 500/' task.json milli.json
    change 's/"steady_state_duration": 100.0/"steady_state_duration": 12.5/' result.json short.json
    change 's/"completed": 1024/"completed": 1000/' result.json failed.json
    change 's/"1": 60500.0/"1": 0/' result.json torn.json
    run abdb import milli.json short.json failed.json torn.json
    fails 0 "power (W) is 500 in the file, and 500000 by its other values"
    fails 0 "the steady state lasted 12.5 s, and 20 s are wanted"
    fails 0 "24 of 1024 requests failed"
    fails 0 "energy (J) is 120000 in the file, and 59500 by its other values"
    same "$(ask "SELECT marks, count(DISTINCT entry_id) FROM v_result GROUP BY 1 ORDER BY 1")" $',1\ncontradiction,2\nfailed,1\nunstable,1'
    for value in 0 -0.25 null '"NaN"'; do
        change "s/\"steady_state_energy_per_token\": 0.25/\"steady_state_energy_per_token\": $value/; s/\"steady_state_energy\": 120000.0/\"steady_state_energy\": $value/" result.json none.json
        run abdb import --db none.db none.json
        fails 5 "no energy: missing, zero or no number"
    done
    sed 's/,0.5,3000.5,/;0,5;3000.5;/; s/,/;/g' "$fixtures/ml_energy_runs.csv" | sed 's/0\.125/0,125/' >comma.csv
    run abdb import --db comma.db comma.csv
    ABDB_DB=comma.db same "$(ABDB_DB=comma.db ask "SELECT count(*) FROM v_result WHERE metric = 'energy_per_token_j' AND value > 1")" 0
}

@test "Zeus: windows with the energy of each GPU and of all, power-limit profiles; an empty counter is rejected" {
    run abdb import "$fixtures/zeus_windows.csv" "$fixtures/zeus_profile.json"
    fails 0 "4 rows: 3 accepted, 0 duplicate, 1 rejected"
    same "$(ask "SELECT r.workload, coalesce(r.devices, '?'), r.metric, coalesce(r.rank, 'all'), r.value, coalesce((SELECT f.text FROM v_factor f WHERE f.entry_id = r.entry_id AND f.factor = 'device_power_limit'), '-') FROM v_result r" | sort)" "$(sort <<'EOF'
power-limit-profile,2,energy_j,all,8100.75,250
power-limit-profile,2,energy_j,0,4000.5,250
power-limit-profile,2,energy_j,2,4100.25,250
power-limit-profile,2,time_s,all,16.5,250
power-limit-profile,2,energy_j,all,7100.75,200
power-limit-profile,2,energy_j,0,3500.5,200
power-limit-profile,2,energy_j,2,3600.25,200
power-limit-profile,2,time_s,all,20.5,200
epoch,2,energy_j,all,16200.75,-
epoch,2,energy_j,0,8000.5,-
epoch,2,energy_j,2,8200.25,-
epoch,2,time_s,all,40.5,-
power-limit-profile,?,energy_j,all,16000.5,300
power-limit-profile,?,time_s,all,33.25,300
power-limit-profile,?,energy_j,all,15000.5,150
power-limit-profile,?,time_s,all,38.25,150
EOF
)"
    same "$(ask "SELECT reason FROM v_reject")" "no energy above zero; a short window ends before its counter is updated"
    same "$(ask "SELECT count(*) FROM v_run r WHERE 3 = (SELECT count(*) FROM v_factor_given f WHERE f.entry_id = r.entry_id AND f.ordinal = 0 AND f.factor || '=' || f.text IN ('power_definition=counters', 'energy_scope=gpu', 'power_meter=Zeus'))")" 5
    # one GPU, whose energy is the window's; CRLF; a decimal comma between semicolons
    printf 'start_time,window_name,elapsed_time,gpu3_energy\r\n1.5,step,2.5,100.5\r\n' >crlf.csv
    printf 'start_time;window_name;elapsed_time;gpu0_energy\n1,5;step;2,5;200,5\n' >comma.csv
    run abdb import --db one.db crlf.csv comma.csv
    fails 0 "2 rows accepted"
    same "$(ABDB_DB=one.db ask "SELECT devices, metric, coalesce(rank, 'all'), value FROM v_result ORDER BY entry_id, 2")" $'1,energy_j,all,100.5\n1,time_s,all,2.5\n1,energy_j,all,200.5\n1,time_s,all,2.5'
    # a counter that ran backwards, no GPU, a name with a comma, another unit, no time
    printf 'start_time,window_name,elapsed_time,gpu0_energy\n1,a,2.5,-3\n1,b,c,2.5,3\n1,d,0,3\n1,,1,3\n1,e,1,nan\n' >bad.csv
    printf 'start_time,window_name,elapsed_time,gpu0_energy_mj\n1,a,2.5,300\n' >unit.csv
    run abdb import --db bad.db bad.csv unit.csv
    fails 5 "0 rows accepted, 0 duplicate, 6 rejected"
}

@test "dcgmi dmon: power of the samples and energy by the counter, of each GPU; two logs in one file are refused" {
    head -n -1 "$fixtures/dcgm_dmon.log" >whole.log
    run abdb import whole.log
    fails 5 "a log of power does not state what ran: --set workload=NAME names it"
    run abdb import --set workload=burn "$fixtures/dcgm_dmon.log"
    fails 0 "3 rows: 2 accepted, 0 duplicate, 1 rejected"
    # (100.5 + 300.5 + 400) / 3 W, 5550250 - 5000000 mJ; the second GPU lacks a power once
    want=$'burn,1,energy_j,value,550.25,3\nburn,1,power_w,max,400,3\nburn,1,power_w,mean,267,3\nburn,1,power_w,min,100.5,3\nburn,1,energy_j,value,900.5,4\nburn,1,power_w,max,409,3\nburn,1,power_w,mean,276.666667,3\nburn,1,power_w,min,110.5,3'
    same "$(ask "SELECT workload, devices, metric, statistic, round(value, 6), n FROM v_result ORDER BY entry_id, 3, 4")" "$want"
    same "$(ask "SELECT group_concat(f.factor || '=' || f.text, ' ') FROM (SELECT * FROM v_factor_given WHERE ordinal = 0 AND entry_id = (SELECT min(entry_id) FROM v_run) ORDER BY factor) f")" \
        "energy_scope=gpu gpu=0 power_coverage=one GPU power_definition=counters power_meter=DCGM power_window=whole log user_word.workload=burn"
    # times before the lines, ends of lines from Windows
    sed 's/^/1777708107.135 /; s/$/\r/' "$fixtures/dcgm_dmon.log" >times.log
    abdb import -q --db times.db --set workload=burn times.log
    same "$(ABDB_DB=times.db ask "SELECT workload, devices, metric, statistic, round(value, 6), n FROM v_result ORDER BY entry_id, 3, 4")" "$want"
    cat "$fixtures/dcgm_dmon.log" "$fixtures/dcgm_dmon.log" >twice.log
    run abdb import --db no.db --set workload=burn twice.log
    fails 6 "line 15: the energy counter of GPU 0 falls from 5550250 to 5000000 mJ: two logs in one file"
    { cat "$fixtures/dcgm_dmon.log"; sed 's/  \([57]\)\([0-9]\{6\}\) /  9\1\2 /' "$fixtures/dcgm_dmon.log"; } >other.log
    run abdb import --db no.db --set workload=burn other.log
    fails 6 "line 15: the energy counter of GPU 0 jumps by"
    # a decimal comma, thousands marks, a rounded counter, no power, another unit: no value of them
    change() { sed "$1" "$fixtures/dcgm_dmon.log" >bad.log; }
    for edit in 's/\([0-9]\)\.\([0-9]\)/\1,\2/' 's/\([57]\)\([0-9]\{3\}\)\([0-9]\{3\}\) /\1,\2,\3/' 's/[57]\([0-9]\{6\}\)/5.1e+06/' 's/[134][01][09]\.[05]00/-1/' 's/ mJ/ Wh/' 's/[57][0-9]\{6\}/9223372036854775794/'; do
        change "$edit"
        run abdb import --db no.db --set workload=burn bad.log
        [ "$status" -eq 5 ]
    done
    same "$(ABDB_DB=no.db ask "SELECT count(*) FROM v_result")" 0
    # beside the output of a benchmark it is named
    { cat "$fixtures/nccl_tests.out"; printf '\n```\n'; cat "$fixtures/dcgm_dmon.log"; } >post.md
    run abdb import --db post.db --set workload=all_reduce post.md
    fails 0 "[nccl-tests]"
    fails 0 "holds output of dcgm-dmon, too"
    printf '#Entity   POWER\nID   W\nGPU 0  33.5\n' >power.log
    run abdb import power.log
    fails 5 "a log of dcgmi dmon without TOTEC"
    printf 'DCGM_FI_DEV_POWER_USAGE{gpu="0"} 68.2\nDCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{gpu="0"} 15152422938\n' >metrics.prom
    run abdb import metrics.prom
    fails 5 "one moment of the DCGM exporter"
}

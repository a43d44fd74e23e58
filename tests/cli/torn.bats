#!/usr/bin/env bats
# torn.bats - files as people make them: torn rows, several runs in one file, and refusals that say what a file is.
load common

@test "a row with a cell too many or too few is rejected by every reader of tables" {
    run python3 "$root/tests/checks/torn_rows.py" abdb "$fixtures" "$root/ingest/registry.def"
    fails 0 "0 torn rows of"
}

@test "two files joined in one give the facts of both; a format of one document refuses a second" {
    run python3 "$root/tests/checks/joined_files.py" abdb "$fixtures" "$root/ingest/registry.def"
    fails 0 "0 differences"
}

@test "empty cells behind the last heading are allowed, others are not" {
    printf 'name m\nset workload w\nset evidence published\nmatch GPU Speed\nfield device column GPU\nmetric tokens_per_s column Speed unit token/s\n' >t.map
    printf 'GPU,Speed,,\nA1,1.5,,\nA2,2.5,,\n' >header.csv
    printf 'GPU,Speed\nA1,1.5,\nA2,2.5,\n' >rows.csv
    printf 'GPU,Speed\nA1,1.5,,,\nA2,2.5\n' >several.csv
    for file in header rows several; do
        run abdb import --map t.map $file.csv --dry-run
        fails 0 "2 accepted, 0 duplicate, 0 rejected"
    done
    printf 'GPU,Speed,Note\nA1,1.5,x\nA0,A2,2.5,\n' >inside.csv # a cell put in before an empty last one
    run abdb import --map t.map inside.csv --dry-run
    fails 0 "1 accepted, 0 duplicate, 1 rejected"
    printf '| GPU | Speed |\n|---|---|\n| A1 | 1,5 | 2 |\n| A2 | 2.5 |\n' >t.md
    run abdb import --map t.map t.md --dry-run
    fails 0 "1 accepted, 0 duplicate, 1 rejected"
}

@test "a repeated or changed header begins a new table; sep= of Excel sets the delimiter" {
    printf 'name m\nset workload w\nset evidence published\nmatch GPU Speed W\nfield device column GPU\nmetric tokens_per_s column Speed unit token/s\nmetric power_w column W unit W\n' >t.map
    printf 'sep=;\nGPU;Speed;W\nA1;10.5;300\nGPU;W;Speed;Note\nA2;400;20.5;x\nGPU;W;Speed;Note\nA3;500;30.5;\n' >t.csv
    abdb import -q --map t.map t.csv
    same "$(ask "SELECT device, metric, value FROM v_result ORDER BY 1, 2")" \
        $'A1,power_w,300\nA1,tokens_per_s,10.5\nA2,power_w,400\nA2,tokens_per_s,20.5\nA3,power_w,500\nA3,tokens_per_s,30.5'
}

@test "llama-bench: each post of a thread has its own device and build; quoted and indented tables are read" {
    table() { printf '%s| model | size | params | backend | test | t/s |\n%s| --- | --- | --- | --- | --- | --- |\n%s| llama 7B Q4_0 | 3.56 GiB | 6.74 B | %s | %s | %s ± 0.10 |\n' "$1" "$1" "$1" "$2" "$3" "$4"; }
    {
        printf '  Device 0: Acme A1, compute capability 9.0\n'; table "" CUDA pp512 11; printf '\nbuild: aaaa (1)\n'
        printf '> ggml_vulkan: Found 1 Vulkan devices:\n> ggml_vulkan: 0 = Acme(R) B2 (driver) | uma: 0\n'; table "> " Vulkan tg128 12; printf '>\n> build: bbbb (2)\n\nSame card, newer driver:\n\n'
        table "    " Vulkan tg64@pp8192 13; printf '\n  Device 0: Acme A1, compute capability 9.0\n'; table "" CUDA,RPC pp8192+tg64 14
    } >thread.md
    abdb import -q thread.md
    same "$(ask "SELECT r.value, coalesce(r.raw_device, '?'), coalesce(r.devices, '?'), r.scenario, coalesce((SELECT f.text FROM v_factor_given f WHERE f.entry_id = r.entry_id AND f.factor = 'software'), '?') FROM v_result r ORDER BY 1")" \
        $'11,Acme A1,1,prompt,llama.cpp aaaa (1)\n12,Acme(R) B2,1,generation,llama.cpp bbbb (2)\n13,?,?,generation behind a prompt,?\n14,?,?,prompt and generation,?'
}

@test "llama-bench: a device listed in an earlier block is not used for a later table" {
    row() { printf '| model | size | params | backend | test | t/s |\n| --- | --- | --- | --- | --- | --- |\n| llama 7B Q4_0 | 3.56 GiB | 6.74 B | %s | pp512 | %s ± 0.10 |\n' "$1" "$2"; }
    {
        printf '```\n  Device 0: Acme A1, compute capability 9.0\nserver: listening\n```\nMine, on another machine:\n\n'; row CUDA 21 # of a server's log
        printf '```\n  Device 0: Acme B2, compute capability 9.0\n```\n\n'; row CUDA 22 # the table was put behind the block
        printf '```\n  Device 0: Acme C3, compute capability 9.0\n'; row CUDA 23; printf '```\n'
        printf '  Device 0: Acme D4, compute capability 9.0\n'; row CPU 24 # no GPU takes part
    } >blocks.md
    abdb import -q blocks.md
    same "$(ask "SELECT value, coalesce(raw_device, '?'), coalesce(devices, '?') FROM v_result ORDER BY 1")" $'21,?,?\n22,Acme B2,1\n23,Acme C3,1\n24,?,?'
}

@test "llama-bench: edited tables are read, with an extra column, wide blanks, bold rates or inserted lines" {
    {
        printf '| who | model     | size     |     test     |      t/s       |\n|---|---|---|---|---|\n| me | llama 7B Q4_0 | 3.56 GiB | pp512 | **31.5 ± 0.10** |\n| you | llama 7B Q4_0 | 3.56 GiB | tg128 | **32.5** ± 0.10\n'
        printf '| === Repacked 3 tensors | | | | |\n| me | llama 7B Q4_0 | 3.56 GiB | tg64 | 33.5 |\n| build: cccc (3) | | | | |\n\n'
        printf '| model | test | old t/s | new t/s |\n|---|---|---|---|\n| llama 7B Q4_0 | pp512 | 1.5 | 2.5 |\n'
    } >edited.md
    run abdb import edited.md
    fails 0 "4 rows: 3 accepted, 0 duplicate, 1 rejected, 0 ignored; values: 3 kept"
    same "$(ask "SELECT r.value, r.low, f.text, s.text FROM v_result r JOIN v_factor_given f ON f.entry_id = r.entry_id AND f.factor = 'who' JOIN v_factor_given s ON s.entry_id = r.entry_id AND s.factor = 'software' ORDER BY 1")" \
        $'31.5,31.4,me,llama.cpp cccc (3)\n32.5,32.4,you,llama.cpp cccc (3)\n33.5,,me,llama.cpp cccc (3)'
    same "$(ask "SELECT reason FROM v_reject")" "no column is called t/s; a map reads a table with several rates"
}

@test "OSU: the place of the buffers is read, and a table without title does not get an earlier one" {
    {
        printf '# OSU MPI-CUDA Bandwidth Test v5.4.1\n# Send Buffer on HOST (H) and Receive Buffer on HOST (H)\n# Size      Bandwidth (MB/s)\n8    1.5\n'
        printf '# OSU MPI-CUDA Bandwidth Test v5.4.1\n# Send Buffer on DEVICE (D) and Receive Buffer on HOST (H)\n# Size      Bandwidth (MB/s)\n8    2.5\n\nWith RDMA:\n'
        printf '# Send Buffer on DEVICE (D) and Receive Buffer on DEVICE (D)\n# Size      Bandwidth (MB/s)\n8    3.5\n'
        printf '# OSU MPI-ROCM Latency Test v7.4\n# Send Buffer on DEVICE (D) and Receive Buffer on DEVICE (D)\n# Size      Latency (us)\n8    4.5\n# Size      Latency (us)\n8    5.5\n'
    } >osu.txt
    run abdb import osu.txt
    fails 0 "5 rows: 3 accepted, 0 duplicate, 2 rejected, 0 ignored; values: 3 kept, 2 rejected"
    same "$(ask "SELECT r.workload, f.text, r.value FROM v_result r JOIN v_factor_given f ON f.entry_id = r.entry_id AND f.factor = 'buffers' ORDER BY r.locator")" \
        $'osu-latency,ROCM,4.5e-06\nosu-bandwidth,host,1500000\nosu-bandwidth,CUDA to host,2500000'
    same "$(ask "SELECT DISTINCT reason FROM v_reject")" "no title (# OSU ... Test) stands before this table"
}

@test "SuperBench: a rate of zero is left out without a fault, and a long name is counted" {
    printf '{"rccl-bw/allreduce_8_busbw:0": 0.0, "rccl-bw/allreduce_8_time:0": 44.03, "cublas-function/%s_time:0": 1.5}' "$(printf 'name_cublascgemm_%.0s' {1..20})" >s.json
    run abdb import s.json
    fails 0 "zero, no number or of no known unit (1)"
    fails 0 "cublas-function (1)"
    fails 0 "3 rows: 1 accepted, 0 duplicate, 0 rejected, 2 ignored; values: 1 kept, 2 left out"
}

@test "llama-bench: an SQLite database and its dump are read; a profile and a damaged database are named" {
    python3 - <<'P'
import sqlite3
c = sqlite3.connect("llama.sqlite")
c.execute("CREATE TABLE llama_bench (build_commit TEXT, gpu_info TEXT, model_type TEXT, n_prompt INTEGER, n_gen INTEGER, avg_ts REAL)")
c.execute("INSERT INTO llama_bench VALUES ('abc', 'Acme A1', 'llama 7B Q4_0', 512, 0, 801.5)")
c.execute("CREATE TABLE other (a)")
c.commit()
open("dump.sql", "w").write("PRAGMA foreign_keys=OFF;\n" + "\n".join(c.iterdump()) + "\n")
c = sqlite3.connect("profile.sqlite")
c.executescript("CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (a); CREATE TABLE StringIds (a);")
data = bytearray(open("llama.sqlite", "rb").read())
data[4096:] = b"\xff" * (len(data) - 4096)
open("damaged.sqlite", "wb").write(data)
P
    for file in llama.sqlite dump.sql; do
        run abdb import --db "$file.db" "$file"
        fails 0 "1 accepted"
        same "$(abdb query --db "$file.db" "SELECT raw_device, devices, value FROM v_result" -o csv | tail -1)" "Acme A1,1,801.5"
    done
    run abdb import profile.sqlite
    fails 5 "Nsight Systems"
    run abdb import damaged.sqlite
    fails 6 "SQLite database that is damaged"
}

@test "a refusal names the format of the file; a recognised file without a kept value fails" {
    refused() { printf '%b' "$2" >"$3"; run abdb import "$3"; fails "${4-5}" "looks like $1"; }
    refused "CSV of google-benchmark" 'name,iterations,real_time,cpu_time\ncopy/1,5,1.5,1.5\n' r.csv
    refused "output of test-backend-ops" 'build_commit,backend_name,op_name,op_params,test_mode,time_us\na,b,c,d,perf,1\n' t.csv
    printf 'Run on (64 X 3500 MHz CPU s)\n---------------\nBenchmark       Time       CPU   Iterations\n---------------\ncopy/1   41.2 us   41.1 us   16981\n' >g.txt
    run abdb import g.txt
    fails 5 "console output of google-benchmark"
    refused "console output of NVBench" '# Benchmark Results\n\n| n | Samples | GPU Time |\n|---|---|---|\n| 1 | 2x | 3 us |\n' n.md
    refused "a training log of MLPerf v0.5" ':::MLPv0.5.0 ncf 1541000010.25 (estimator.py:17) run_start\n' v.log 6
    refused "a log of cublasLt, which lists calls without their times" '[2026-01-01 10:00:00][cublasLt][12][Trace][cublasLtMatmul] A=0X1 Adesc=[type=R_16BF rows=64 cols=64 ld=64]\n' l.log 6
    refused "output of NVIDIA's cublasMatmulBench" '^^^^ CUDA : elapsed = 0.25 sec,  Gflops = 512000.500\n' m.log
    refused "an SQLite database; abdb reads those of llama-bench only" 'SQLite format 3\0rest of it, which is none\n' x.db 6
    mkdir mixed && cp r.csv x.db mixed && cp "$fixtures/serving.json" mixed
    run abdb import mixed
    fails 5 "mixed/r.csv: looks like CSV of google-benchmark"
    [[ "$output" != *"x.db: looks"* && "$output" == *"vllm-serving-json"* ]]
    printf 'GPU,Model\nA1,m\n' | iconv -t UTF-16LE >u.csv
    run abdb import u.csv
    fails 6 "UTF-16 without a byte order mark"
    printf 'function,num_times,n_elements,sizeof,max_mbytes_per_sec,min_runtime,max_runtime,avg_runtime\nCopy,100,33554432,8,1339171,0,000401,0,000421,0,000409\n' >b.csv
    run abdb import b.csv
    fails 5 "11 columns where the header has 8"
}

@test "a post with output of two programs, and records inside another object, are said" {
    { cat "$fixtures/llama_bench.log"; printf '\nFinal estimate: PPL = 7.5 +/- 0.1\n'; } >post.log
    run abdb import post.log
    fails 0 "post.log: holds output of llama-perplexity, too, which was passed over: \`abdb import --format llama-perplexity FILE\` reads it"
    run abdb import --format llama-perplexity post.log
    fails 0 "1 row: 1 accepted"
    [[ "$output" != *"passed over"* ]]
    printf '{"host": "x", "runs": [{"results": [{"build_commit": "b", "n_prompt": 512, "n_gen": 0, "avg_ts": 5.5}]}]}\n' >nested.json
    run abdb import nested.json
    fails 5 "the records of llama-bench stand inside this object: take them out"
}

@test "BabelStream and STREAM: columns follow the heading, runs are separate, a failed validation is a mark" {
    printf 'Function    Best Rate MB/s  Avg time     Min time     Max time\nCopy:          1000.0     0.011000     0.010903     0.012500\nFailed Validation on array a[]\n' >a.txt
    printf 'BabelStream\nVersion: 5.0\nUsing CUDA device Acme A1\nFunction    MBytes/sec  Min (sec)   Max         Average\nAdd4        2000.000  0.00256     0.00300     0.00270\nGEOMEAN     2000.0\n' >>a.txt
    abdb import -q a.txt
    same "$(ask "SELECT source, coalesce(raw_device, '?'), verified, flags, statistic, value FROM v_result WHERE metric = 'time_s' ORDER BY 1, 5")" \
        $'babelstream,Acme A1,unknown,,max,0.003\nbabelstream,Acme A1,unknown,,mean,0.0027\nbabelstream,Acme A1,unknown,,min,0.00256\nmccalpin-stream,?,fail,failed,max,0.0125\nmccalpin-stream,?,fail,failed,mean,0.011\nmccalpin-stream,?,fail,failed,min,0.010903'
    # a heading that names more columns than a row has: no cell of an earlier line takes their place
    printf '%s\n' 'BabelStream' 'Version: 3.0' 'Function MBytes/sec Min Max Max Max Average' 'longer 1 2 3 4 5 6 7' 'Copy 100.0 0.1 0.2 0.3' >headings.txt
    run abdb import headings.txt
    fails 5 "2 rows refused; first line 4: : not a rate and three times"
}

@test "BabelStream: the times of filling and reading back are not stored as settings" {
    printf 'BabelStream\nVersion: 5.0\nPrecision: double\nUsing CUDA device Acme A1\nMemory: DEFAULT\nInit: 0.35 s (=75436.6 MBytes/sec)\nRead: 0.01 s (=3850606.4 MBytes/sec)\nFunction    MBytes/sec  Min (sec)   Max         Average\nCopy        3216728.170 0.00553     0.00553     0.00553\n' >b.txt
    run abdb import b.txt
    fails 0 "left out, for nothing here says what it is: Init: (1), Read: (1)"
    same "$(ask "SELECT group_concat(DISTINCT factor) FROM v_factor_given WHERE factor IN ('Memory', 'Init', 'Read')")" Memory
}

@test "nccl-tests: repeated ranks are two runs, mixed cards a list, lost ranks unknown, old errors failures" {
    rank() { printf '#  Rank  %s Group  0 Pid  1 on %s device  0 [0x0f] %s\n' "$1" "$2" "$3"; }
    new='# size count type redop root time algbw busbw #wrong\n'
    { echo 'mpirun ./all_reduce_perf -g 2'; rank 0 na A1; rank 1 na A1; rank 0 nb A1; rank 1 nb A1; printf "$new"' 16500 2 float sum -1 11 1.5 2.5 0\n'
      echo './all_gather_perf'; rank 0 na A1; rank 1 na B1; printf "$new"' 18000 2 float none -1 12 1.5 2.5 0\n'
      printf '%b' '# size count type redop time algbw busbw error\n 19500 2 float sum 13 1.5 2.5 1e+00\n 21000 4 float sum 14 1.5 2.5 4e-07\n'; } >n.txt
    run abdb import n.txt
    fails 6 "no line before it names the collective" # not all_gather: that was the run before
    abdb import -q --set workload=broadcast n.txt
    same "$(ask "SELECT workload, coalesce(raw_device, '?'), coalesce(devices, '?'), coalesce(nodes, '?'), verified, flags, CAST(1e6 * value AS INTEGER) FROM v_result WHERE metric = 'time_s' ORDER BY value")" \
        $'all_reduce,A1,2,1,pass,,11\nall_gather,"A1, B1",2,1,pass,,12\nbroadcast,?,?,?,fail,failed,13\nbroadcast,?,?,?,pass,,14'
}

@test "training logs: start and stop are paired by attempt and rank; two runs in one file are refused" {
    event() { printf '%s:::MLLOG {"namespace": "", "time_ms": %s, "event_type": "POINT_IN_TIME", "key": "%s", "value": %s, "metadata": {%s}}\n' "$@"; }
    attempt() { event "" 1 submission_benchmark '"bert"' ""; event "" "$1" init_start null ""; event "" "$2" run_start null ""; [ -z "$3" ] || event "" "$3" run_stop null "\"status\": \"$4\""; }
    seconds() { abdb import -q --db "$1.db" --set devices=8 "$1" && abdb query --db "$1.db" "SELECT value FROM v_result WHERE metric = 'time_to_train_s'" -o csv | tail -1; }
    { attempt 1000 2000 ""; attempt 9000 10000 1210000 success; } >cut.log
    { attempt 1000 2000 5000 aborted; attempt 9000 10000 1210000 success; } >aborted.log
    { attempt 9000 10000 1210000 success; attempt 2000000 2001000 ""; } >again.log
    for file in cut aborted again; do same "$(seconds $file.log)" 1200; done
    { event "0: " 1 submission_benchmark '"bert"' ""; event "0: " 1000 run_start null ""; event "1: " 1500 run_start null ""
      event "0: " 601000 run_stop null '"status": "success"'; event "1: " 609000 run_stop null '"status": "success"'; } >ranks.log
    same "$(seconds ranks.log)" 600
    { attempt 1000 2000 5000 success; attempt 9000 10000 1210000 success; } >two.log
    run abdb import --set devices=8 two.log
    fails 6 "a second run begins"
}

@test "misleading words of files are not taken for a server, category, type, device or result" {
    echo '{"date": "20250101-000000", "backend": "vllm", "model_id": "m", "completed": 5, "request_throughput": 1.5, "output_throughput": 100.5, "mean_ttft_ms": 20}' >s.json
    abdb import -q s.json
    same "$(ask "SELECT factor, text FROM v_factor_given WHERE factor IN ('server', 'client_backend') GROUP BY 1, 2")" "client_backend,vllm"
    head='Public ID,Organization,System Name,Accelerator,# of Accelerators,Model MLC,Scenario,Units,Result'
    printf '%s\n3.1-1,Acme,Box,A1,1,resnet,SingleStream,Latency (ms),0.85\n3.1-1,Acme,Box,A1,1,resnet,Offline,Samples/s,100.5\n3.1-1,Acme,Box,A1,1,gptj,Server,Queries/s,10.5\n' "$head" >edge.csv
    abdb import -q edge.csv
    same "$(ask "SELECT scenario, coalesce(system_type, '?') FROM v_result WHERE source = 'mlperf-site' ORDER BY 1")" $'Offline,?\nServer,?\nSingleStream,edge'
    head='Organization,SystemType,Availability,MlperfModel,Scenario,Result,Units,accelerator_model_name,accelerators_per_node,number_of_nodes,notes,Location'
    printf '%s\nAcme,"datacenter,edge",available,resnet,Offline,10.5,Samples/s,undefined,1,1,,closed/a\nAcme,"datacenter,edge",available,resnet,Server,11.5,Queries/s,A1,1,1,,closed/a\nAcme,"edge,datacenter",retracted,resnet,SingleStream,12.5,Latency (ms),A1,1,1,,closed/a\nAcme,edge,available,resnet,Offline,13.5,Samples/s,A1,1,1,withdrawn: accuracy,closed/a\nAcme,edge,available,resnet,Offline,14.5,Samples/s,A1,1,1,not withdrawn,closed/a\n' "$head" >c.csv
    abdb import -q --set round=v5.0 c.csv
    same "$(ask "SELECT raw_value, system_type, coalesce(raw_device, '?'), flags FROM v_result WHERE source = 'mlperf-checker' ORDER BY 1, 2")" \
        $'10.5,datacenter,?,\n10.5,edge,?,\n11.5,datacenter,A1,\n12.5,edge,A1,withdrawn\n13.5,edge,A1,withdrawn\n14.5,edge,A1,'
}

@test "hyperfine failures and parameters, NVBench verification and non-blocking OSU tests are read" {
    echo '{"results": [{"command": "sort", "mean": 2.0, "stddev": 0.1, "times": [2.0], "exit_codes": [0], "parameters": {"threads": "1", "user_s": 3}}, {"command": "sort", "mean": 0.5, "stddev": 0.1, "times": [0.5], "exit_codes": [null], "parameters": {"threads": "8"}}]}' >h.json
    abdb import -q h.json
    same "$(ask "SELECT r.value, r.verified, r.flags, f.text FROM v_result r JOIN v_factor_given f USING (entry_id) WHERE f.factor = 'threads' ORDER BY 1")" $'0.5,fail,failed,8\n2,unknown,,1'
    summary() { printf '{"tag": "%s", "data": [{"name": "value", "type": "float64", "value": "%s"}]}' "$1" "$2"; }
    printf '{"meta": {"version": {"nvbench": {"string": "0.2"}}}, "devices": [{"id": 0, "name": "A1"}], "benchmarks": [{"name": "g", "states": [{"device": 0, "is_skipped": false, "summaries": [%s, %s]}, {"device": 0, "is_skipped": false, "summaries": [%s, %s]}]}]}' \
        "$(summary nv/cold/time/gpu/mean 0.5)" "$(summary acme/verification/pass 0)" "$(summary nv/cold/time/gpu/mean 0.25)" "$(summary acme/verification/pass 1)" >n.json
    abdb import -q n.json
    same "$(ask "SELECT value, verified, flags FROM v_result WHERE source = 'nvbench' ORDER BY 1")" $'0.25,unknown,\n0.5,fail,failed'
    printf '# OSU MPI Non-blocking Allreduce Latency Test v7.4\n# Size           Overall(us)       Compute(us)    Coll. Init(us)      MPI_Test(us)      MPI_Wait(us)    Pure Comm.(us)        Overlap(%%)\n4                      22.31             12.04              1.22              0.50              8.91             11.87             13.51\n' >o.txt
    abdb import -q o.txt
    same "$(ask "SELECT metric, round(1e6 * value, 2) FROM v_result WHERE source = 'osu-micro-benchmarks' ORDER BY 1")" \
        $'communication_time_s,11.87\ncompute_time_s,12.04\ninitiation_time_s,1.22\noverlap,135100\ntest_time_s,0.5\ntime_s,22.31\nwait_time_s,8.91'
}

@test "a profile of nsys beside a good file makes the import of the folder partial" {
    mkdir f
    sqlite3 f/p.sqlite 'CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (a)'
    cp "$fixtures/google_benchmark.json" f
    run abdb import f
    fails 5 "abdb reads no profiles"
    [ "$(ask 'SELECT count(*) FROM v_result')" -gt 0 ]
}

@test "nccl-tests: a failed summary over rows without a wrong value marks the rows of its table alone" {
    table() { printf './all_reduce_perf\n#  Rank  0 Group  0 Pid  1 on na device  0 [0x0f] A1\n# size count type redop root time algbw busbw #wrong\n%b' "$1"; }
    good=' 16500 2 float sum -1 11 1.5 2.5 0\n'
    { table "$good# Out of bounds values : 3 FAILED\n"; table " 18000 2 float sum -1 12 1.5 2.5 0\n# Out of bounds values : 0 OK\n"
      table " 19500 2 float sum -1 13 1.5 2.5 0\n 21000 2 float sum -1 14 1.5 2.5 7\n# Out of bounds values : 7 FAILED\n"; } >n.txt
    run abdb import n.txt
    fails 0 "marked failed: 2 entries"
    [[ $output == *"the summary of the run reports wrong values, no row does"* ]]
    same "$(ask "SELECT CAST(1e6 * value + 0.5 AS INTEGER), verified, flags FROM v_result WHERE metric = 'time_s' ORDER BY 1")" \
        $'11,fail,failed\n12,pass,\n13,pass,\n14,fail,failed'
}

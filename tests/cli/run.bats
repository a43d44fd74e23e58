#!/usr/bin/env bats
# run.bats - measuring: plans, cells as rows, resume, tags, and backends that misbehave.
load common

# A backend in shell that does what the cell's parameter `do` says.
fake() {
    mkdir -p fake
    cat >fake/abdb-run-fake <<'B'
#!/bin/bash
echo '{"kind":"hello","protocol":'${FAKE_PROTOCOL:-1}',"backend":"fake","summary":"for tests","kernels":[]}'
echo '{"kind":"environment","environment":{"host_processor_model_name":"none"}}'
echo '{"kind":"device","name":"Fake-1","devices":1,"threads":1,"clock":"CLOCK_MONOTONIC"}'
[ "$1" = run ] || { echo '{"kind":"bye"}'; exit 0; }
echo $$ >>"$FAKE_PIDS"
end() { echo "{\"kind\":\"end\",\"cell\":\"$cell\",\"status\":\"$1\",\"reason\":\"$2\"}"; }
while read -r line; do
    [[ $line =~ \"cell\":\"([^\"]*)\" ]] && cell=${BASH_REMATCH[1]}
    [[ $line =~ \"do\":\"([^\"]*)\" ]] && what=${BASH_REMATCH[1]}
    echo "$cell" >>"$FAKE_LOG"
    echo "{\"kind\":\"begin\",\"cell\":\"$cell\"}"
    case $what in
    ok|wrong) for i in 1 2 3 4 5 6 7; do echo "{\"kind\":\"sample\",\"cell\":\"$cell\",\"seq\":$i,\"t_s\":0.$i,\"time_s\":0.00$i,\"novel\":[1]}"; done
        v=pass e=0.1; [ $what = ok ] || { v=fail e=7; }
        echo "{\"kind\":\"result\",\"cell\":\"$cell\",\"formula\":\"f@1\",\"dtype\":\"f32\",\"ops\":8e6,\"bytes\":4000,\"verified\":\"$v\",\"error\":$e,\"prepare_s\":0,\"factors\":{\"n\":\"9\"},\"chosen\":\"a \`b\` \$(c) '; DROP TABLE entry; --\"}"
        end ok ;;
    crash) kill -SEGV $$ ;;
    exit) exit 9 ;;
    hang) trap '' TERM; sleep 1000 & wait; wait ;;
    slow) for i in 1 2 3 4 5 6 7 8 9 10; do sleep 0.2; echo '{"kind":"beat"}'; done ;;
    oom) end out-of-memory "needs 9 GB" ;;
    lie) end ok ;;
    noise) echo 'Welcome to libfoo 2.0!'; echo '{"kind":"poem"}'; printf '\xff\xfe\n'; head -c 2000000 /dev/zero | tr '\0' x; echo
        end failed "as asked" ;;
    null) end not-implemented no ;;
    spans|adrift|strange) echo "{\"kind\":\"sample\",\"cell\":\"$cell\",\"seq\":1,\"t_s\":0,\"time_s\":0.01}"
        within=forward; [ $what != adrift ] || within=elsewhere
        metric=loss; [ $what != strange ] || metric=luck
        for part in '"name":"forward","calls":1,"time_s":0.008' "\"name\":\"product\",\"within\":\"$within\",\"kernel\":\"gemm\",\"provider\":\"fake\",\"calls\":12,\"time_s\":0.006,\"ops\":6e6,\"bytes\":3000" \
            '"name":"update","kernel":"adamw","calls":1,"time_s":0.002,"ops":0,"bytes":4000'; do
            echo "{\"kind\":\"span\",\"cell\":\"$cell\",$part}"
        done
        for step in 1 2; do echo "{\"kind\":\"metric\",\"cell\":\"$cell\",\"metric\":\"$metric\",\"statistic\":\"value\",\"value\":$((5 - step)).5,\"x\":$step}"; done
        echo "{\"kind\":\"result\",\"cell\":\"$cell\",\"formula\":\"f@1\",\"dtype\":\"f32\",\"ops\":6e6,\"bytes\":7000,\"verified\":\"pass\",\"prepare_s\":0,\"factors\":{}}"
        end ok ;;
    hot) for reading in '"sensor":"gpu \"0\"","quantity":"clock","unit":"MHz","t_s":0.5,"value":1500' \
            '"sensor":"a"' '"sensor":"a","quantity":"clock","unit":"Mhm","t_s":0,"value":1' '"sensor":"a","quantity":"clock","unit":"Hz","t_s":"0","value":1' \
            '"sensor":"a","quantity":"clock","unit":"Hz","t_s":0,"value":null' '"sensor":"a","quantity":"clock","unit":"GHz","t_s":0,"value":1e308' '"sensor":5,"quantity":"clock","unit":"Hz","t_s":0,"value":1'; do
            echo "{\"kind\":\"telemetry\",\"cell\":\"$cell\",$reading}"
        done
        echo "{\"kind\":\"sample\",\"cell\":\"$cell\",\"seq\":1,\"t_s\":0,\"time_s\":0.001}"
        echo "{\"kind\":\"result\",\"cell\":\"$cell\",\"formula\":\"f@1\",\"dtype\":\"f32\",\"ops\":8e6,\"bytes\":4000,\"verified\":\"pass\",\"prepare_s\":0,\"factors\":{},${FAKE_BOUND:-\"bound\":\"bytes\",\"ceiling\":\"memory_bandwidth\"}}"
        end ok ;;
    esac
done
echo '{"kind":"bye"}'
B
    chmod +x fake/abdb-run-fake
    export ABDB_BACKENDS=$dir/fake FAKE_LOG=$dir/log FAKE_PIDS=$dir/pids
    : >log
    : >pids
}

# A backend whose products, said to take less than a millisecond, are fastest at m=1152 n=512 k=640, and lose a tenth where 32 does not divide n.
hill() {
    mkdir -p fake
    cat >fake/abdb-run-hill <<'B'
#!/bin/bash
echo '{"kind":"hello","protocol":1,"backend":"hill","summary":"for tests","kernels":[]}'
echo '{"kind":"environment","environment":{}}'
echo '{"kind":"device","name":"Fake-1","devices":1,"threads":1,"clock":"CLOCK_MONOTONIC"}'
[ "$1" != run ] || jq --unbuffered -c '.cell as $cell | [.params | .m, .n, .k | tonumber] as [$m, $n, $k] |
    (1e12 / (1 + ([$m / 1152, $n / 512, $k / 640] | map(log | fabs) | add)) * (if $n % 32 == 0 then 1 else 0.9 end)) as $rate |
    ({kind: "begin"}, (range(1; 8) | {kind: "sample", seq: ., t_s: ., time_s: (2 * $m * $n * $k / $rate)}),
     {kind: "result", formula: "f@1", dtype: .params.dtype, ops: (2 * $m * $n * $k), verified: "pass", error: 0, prepare_s: 0, factors: {}},
     {kind: "end", status: "ok", reason: ""}) | .cell = $cell'
echo '{"kind":"bye"}'
B
    chmod +x fake/abdb-run-hill
    export ABDB_BACKENDS=$dir/fake
}

@test "run --list and doctor list backends, kernels and plans" {
    run abdb run --list
    fails 0 "ref        portable C"
    fails 0 "stream"
    fails 0 "quick"
    [[ $output == *"(no database "*"abdb import data"* ]] # nothing is made by asking
    [ ! -e "$ABDB_DB" ]
    run abdb doctor
    fails 0 "SQLite"
    fails 0 "gnuplot"
}

@test "run --list prints devices by database name, the best measured rate, and missing kernels" {
    abdb run -q --kernel fma --axis n=512 --axis dtype=f32 --backend vec --quick --threads 1
    run abdb run --list
    fails 0 "published nothing: no specification"
    fails 0 "not implemented: all-reduce, all-gather"
    abdb run --list --json >list
    # the ceiling that v_ceiling has, of the same device
    same "$(jq -r '[.[] | select(.backend == "ref").measured[] | "\(.dtype) \(.key)"] | join(" ")' list)" "$(ask "SELECT dtype || ' ' || key FROM v_ceiling")"
    # of every backend with a device: what it has and what it lacks are all kernels, none twice
    same "$(jq -r '.[] | select(.name and .backend != "torch") | [.kernels[].kernel, .not_implemented[]] | sort | join(" ")' list | sort -u | wc -l)" 1
    same "$(jq -r '.[] | select(.backend == "ref") | [.kernels[].kernel, .not_implemented[]] | length' list)" \
        "$(cat "$root/kernels/registry.def" "$root/kernels/workloads/registry.def" | grep -cE '^(KERNEL|WORKLOAD)\(')"
    # an alias, and a specification by hand, are heard
    name=$(jq -r '.[] | select(.backend == "ref").name' list)
    printf 'kind,spelling,canon,source\ndevice,%s,My-Server,my-notes\n' "$name" >alias.csv
    printf 'device,quantity,dtype,sparsity,basis,value,unit,source,locator\nMy-Server,peak_flops,fp32,dense,card,2,TFLOP/s,my-notes,page 3\n' >spec.csv
    abdb import -q alias.csv spec.csv
    run abdb run --list
    fails 0 "device $name, which is My-Server, "
    fails 0 "published fp32 2 TFLOP/s (my-notes)"
    run abdb run --kernel gemm --json
    fails 2 "--json is of --list"
}

@test "the reference backend measures and verifies, and keeps samples and environment" {
    unset OMP_WAIT_POLICY # which tap.sh sets
    run abdb run --kernel gemm --backend ref --axis n=16-64*2 --axis dtype=f32,f64 --threads 1 --quick --tag small
    fails 0 "6 cells measured"
    same "$(ask "SELECT count(*), sum(verified = 'pass') FROM v_kernel WHERE tag = 'small'")" "6,6"
    same "$(ask "SELECT count(*) > 30 FROM v_sample")" 1
    same "$(ask "SELECT count(DISTINCT text) FROM v_factor WHERE factor = 'n'")" 3
    same "$(ask "SELECT json_extract(environment, '\$.host_processor_model_name') IS NOT NULL AND json_extract(environment, '\$.variables.OMP_WAIT_POLICY') = 'active' FROM v_run LIMIT 1")" 1
    same "$(ask "SELECT round(flops_per_s * time_s) FROM v_kernel WHERE cell LIKE '%n=64 dtype=f32'")" 524288
    run abdb query kernels
    fails 0 "gemm n=64"
    # the median of the samples is the median that is stored
    same "$(ask "SELECT count(*) FROM v_result r WHERE metric = 'time_s' AND statistic = 'median' AND value <> (SELECT median(value) FROM v_sample s WHERE s.result_id = r.result_id)")" 0
}

@test "the environment has instruction sets, the cost of a region, and the names used by rules" {
    unset OMP_WAIT_POLICY # which tap.sh sets
    OMP_PROC_BIND=close OMP_PLACES=threads abdb run -q --kernel gemm --backend vec --axis n=16 --quick
    # the device's name says how many processors there are, since ceilings are kept by it: all of them, though threads are bound
    [[ $(ask "SELECT raw_device FROM v_run") =~ [0-9].*\ with\ $(getconf _NPROCESSORS_ONLN)(\ virtual)?\ processors?\"?$ ]]
    same "$(ask "SELECT json_extract(environment, '\$.processors_allowed') FROM v_run")" "$(nproc)"
    ask "SELECT environment FROM v_run" | sed 's/^"//; s/"$//; s/""/"/g' >environment
    # instruction sets that kernels can use: the same as the system lists
    for word in avx2 fma avx512f avx512_bf16 avx512_vnni avx512_fp16 avx_vnni amx_tile amx_bf16 amx_int8 amx_fp16; do
        same "$word $(jq --arg w $word '.instruction_sets | index($w) != null' environment)" \
            "$word $(grep -m1 '^flags' /proc/cpuinfo | grep -qw $word && echo true || echo false)"
    done
    same "$(jq '.omp_region_s > 0 and .omp_region_s < 1' environment)" true
    same "$(jq -r .variables.OMP_WAIT_POLICY environment)" active
    run abdb run --list
    fails 0 "an empty region of them takes"
    # each name that the rules have a sentence about is recorded by something: a misspelt one would never be met
    jq -r 'paths(type != "object") | map(select(type == "string")) | join(".")' environment | sort -u >recorded
    grep -o '"[a-zA-Z_]*"' "$root/kernels/harness/machine_info.c" | tr -d '"' | sort -u >names # some files are not everywhere
    for key in $(grep -o '^environment,[^,*]*' "$root/data/rules/workloads.csv" | cut -d, -f2); do
        case $key in driver | power_limit | mig | ecc | cache_l?) continue ;; esac # of other devices; made by level
        grep -qx "$key" recorded || grep -qx "${key#variables.}" names || { echo "nothing records $key"; return 1; }
    done
    # how threads wait changes times: such a difference is called one that matters
    abdb run -q --kernel gemm --backend vec --axis n=16 --quick --tag a
    OMP_WAIT_POLICY=passive abdb run -q --kernel gemm --backend vec --axis n=16 --quick --tag b
    run abdb compare tag=a tag=b --environment -o csv
    fails 0 "variables.OMP_WAIT_POLICY,active,passive,matters"
    fails 0 "omp_region_s,"
}

@test "the estimated time follows the work of the cells" {
    expect() { # QUICK key=value ...: seconds of a product
        printf '%s\n' "${@:2}" | jq -Rsc --argjson quick "$1" '{cell: "c", kernel: "gemm", quick: $quick, params: (split("\n") | map(select(. != "") | split("=") | {(.[0]): .[1]}) | add)}' |
            "$build/abdb-run-vec" estimate | jq 'select(.kind == "estimate") | .seconds'
    }
    more() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > 0 && b > a) }' || { echo "$2 is not more than $1"; return 1; }; }
    more "$(expect true n=64 threads=1)" "$(expect false n=64 threads=1)" # one thread: others wait for a turn where the machine is busy
    more "$(expect true n=64 threads=1)" "$(expect true n=8192 threads=1)"
    # flushing counts as soon as the least number of samples takes longer with it than a cell's least time: not where memory is quick
    least() { for _ in 1 2 3 4 5; do expect "$@"; done | sort -g | head -1; } # a trial waits where the machine is busy
    more "$(awk -v s="$(least true n=64 threads=1)" 'BEGIN { print 0.8 * s }')" "$(expect true n=64 threads=1 cache=cold)"
    more "$(expect true n=512 threads=1)" "$(expect true n=512 threads=1 cache=rotate)"
    # what bytes bound says little of what operations do: a layer of 8192 tokens after one of 1, and after one of 128
    after() {
        jq -nc --args '$ARGS.positional[] | {cell: "c", kernel: "linear", quick: true, params: {m: ., n: "1024", k: "1024", weights: "i8", threads: "1"}}' "$@" |
            "$build/abdb-run-vec" estimate | jq -s 'map(select(.kind == "estimate") | .seconds) | last'
    }
    more "$(after 1 8192)" "$(awk -v s="$(after 128 8192)" 'BEGIN { print 3 * s }')"
    # a large problem alone is tried smaller first, and then estimated as one that comes after a small one
    for cell in gemm,n,512,8192 attention,sequence,512,16384 linear,m,128,20000 fma,width,16384,20000000; do
        IFS=, read -r kernel size small large <<<"$cell"
        of() { jq -nc --arg k "$kernel" --arg s "$size" --args '$ARGS.positional[] | {cell: "c", kernel: $k, quick: true, params: {($s): ., threads: "1"}}' "$@" | "$build/abdb-run-vec" estimate | jq -s 'map(select(.kind == "estimate") | .seconds) | last'; }
        for try in 1 2 3; do # another program may take the processor during a trial
            awk -v a="$(of "$large")" -v b="$(of "$small" "$large")" 'BEGIN { exit !(a > 0 && a < 4 * b && b < 4 * a) }' && break
        done || { echo "$cell: $(of "$large") s alone, $(of "$small" "$large") s after a small one"; false; }
    done
    # of a workload, by what it names for that: steps, memory and the form of weights count
    session() { # KERNEL key=value ...: seconds of its cell
        printf '%s\n' "${@:2}" | jq -Rsc --arg kernel "$1" '{cell: "c", kernel: $kernel, quick: false, params: (split("\n") | map(select(. != "") | split("=") | {(.[0]): .[1]}) | add)}' |
            OMP_NUM_THREADS=1 "$build/abdb-run-vec" estimate | jq 'select(.kind == "estimate") | .seconds'
    }
    small=(d=256 heads=4 vocabulary=512 sequence=128)
    more 600 "$(session gpt-train layers=12 "${small[@]}" batch=64 steps=1000)" # 5 x 10^14 operations, three times
    more "$(session gpt-train layers=1 "${small[@]}")" "$(session gpt-train layers=12 "${small[@]}" batch=64 steps=1000)"
    more "$(session dlrm model=tiny)" "$(session dlrm model=tiny rows=20000000 batch=1)"
    more "$(session llama-generate model=tiny)" "$(session llama-generate model=stories-15m output_tokens=20000)"
    # what a backend says counts, where it is a time
    fake
    cat >fake/abdb-run-slow <<'B'
#!/bin/bash
echo '{"kind":"hello","protocol":1,"backend":"slow","summary":"","kernels":[]}'
[ "$1" != estimate ] || jq --unbuffered -c --argjson s "$FAKE_SECONDS" '{kind: ("begin", "estimate", "end"), cell: .cell, ops: 1, seconds: $s}'
echo '{"kind":"bye"}'
B
    chmod +x fake/abdb-run-slow
    FAKE_SECONDS=1234 run abdb run --kernel k --backend slow --dry-run
    fails 0 "about 21 minutes"
    fails 0 "k: about 1234 s, more than it may take (900 s): --timeout 2468"
    FAKE_SECONDS=1234 run abdb run --kernel k --backend slow --dry-run --quick
    fails 0 "more than it may take (300 s)"
    FAKE_SECONDS=1234 run abdb run --kernel k --backend slow --dry-run --timeout 1300
    no grep -q "than it may take" <<<"$output"
    FAKE_SECONDS=-1234 run abdb run --kernel k --backend slow --dry-run
    fails 0 "about 1 seconds"
}

@test "a library with threads outside of OpenMP is refused" {
    [[ $build != *sanitize* ]] || skip "the loader brings sanitizers first"
    cat >own.c <<'C'
#include <string.h>
typedef struct { int major, minor, patch; const char *hash; unsigned cpu_runtime, gpu_runtime; } version;
int openblas_get_parallel(void) { return 1; }
long bli_info_get_enable_pthreads(void) { return 1; }
const version *dnnl_version(void) { static const version v = {9, 9, 9, "own", 4, 0}; return &v; }
C
    cc -shared -fPIC -o own.so own.c
    for b in openblas blis onednn; do
        [ -x "$build/abdb-run-$b" ] || continue
        run env LD_PRELOAD="$dir/own.so" "$build/abdb-run-$b" describe
        [[ $output == *"has threads of its own"*"; install"*OpenMP* || $output == *"has threads of its own: apt-get install "*-openmp*update-alternatives* ]] || { echo "$b: $output"; false; }
        [[ $output != *'"kind":"device"'* ]] || { echo "$b: $output"; false; }
        "$build/abdb-run-$b" describe | grep -q '"kind":"device"'
    done
}

@test "openblas and blis load their OpenMP build, with any alternative of the system" {
    for b in openblas blis; do
        [ -x "$build/abdb-run-$b" ] || continue
        folder=$(ls -d /usr/lib/*/"$b"-openmp 2>/dev/null) || skip "Debian's OpenMP build of $b is not here"
        ldd "$build/abdb-run-$b" | grep -q "$folder/lib$b"
    done
}

@test "openblas: an operation missing in the library is a row with its reason" {
    [ -x "$build/abdb-run-openblas" ] || skip "built without openblas"
    run abdb run --kernel stream --backend openblas --axis op=dot,triad --axis n=4096 --quick
    fails 0 "1 cell measured, 1 not implemented"
    same "$(ask "SELECT status, reason FROM v_run WHERE cell LIKE '%triad%'")" "not-implemented,no single BLAS call writes a third array"
    same "$(ask "SELECT chosen <> '' FROM v_kernel WHERE cell LIKE '%dot%'")" 1
    run abdb run --kernel gemm --backend openblas --axis n=64 --quick --core-type Haswell
    fails 0 "1 cell measured"
    same "$(ask "SELECT chosen FROM v_kernel WHERE kernel = 'gemm'")" Haswell
}

@test "run refuses unknown plans, backends, kernels and wrong axes" {
    run abdb run
    fails 2 "run what?"
    run abdb run --plan quik
    fails 2 "did you mean 'quick'"
    run abdb run --kernel gemm --backend openbals
    fails 2 "no backend 'openbals' here"
    [ -x "$build/abdb-run-cuda" ] || { run abdb run --kernel gemm --backend cuda; fails 2 "no backend 'cuda' here: build abdb from its source with nvidia-cuda-toolkit"; }
    run abdb run --kernel gemm --axis n=9-3*2 --backend ref
    fails 2 "never ends"
    run abdb run --plan quick --kernel gemm
    fails 2 "no --kernel"
    run abdb run --kernel gemm --backend ref --threads many
    fails 2 "whole number"
    run abdb run --kernel gems --backend ref --quick
    fails 2 "no kernel 'gems', did you mean 'gemm'?"
    run abdb run --kernel gemm --axis siz=4 --axis n=8 --backend ref --quick
    fails 2 "gemm has no axis 'siz'"
    run abdb run --kernel stream --axis isa=avx2 --axis n=8 --backend ref --quick # which only vec has
    fails 2 "stream has no axis 'isa'"
    same "$(ask "SELECT count(*) FROM v_run")" 0
    run abdb run --kernel attention --backend openblas --quick # a kernel that others have
    fails 0 "1 not implemented"
    run abdb run --kernel gemm --axis n=0 --backend ref --quick
    fails 5 "1 failed"
    run abdb run --kernel gemm --axis n=30000 --axis dtype=f64 --backend ref --dry-run
    fails 0 "ref gemm n=30000 dtype=f64"
}

@test "a cell too large for the memory gives a row and no crash" {
    run abdb run --kernel stream --axis n=4294967296 --axis op=triad --backend ref --quick
    fails 5 "out of memory"
    same "$(ask "SELECT status FROM v_run")" out-of-memory
}

@test "a backend that crashes, exits, or prints wrong or extra text loses one cell, not the run" {
    fake
    run abdb run --kernel k --backend fake --axis do=ok,crash,exit,oom,lie,noise,ok --axis n=1
    fails 5 "2 cells measured"
    same "$(ask "SELECT group_concat(status, ' ') FROM (SELECT status FROM v_run ORDER BY cell)")" \
        "crash crash bad-answer failed ok ok out-of-memory"
    same "$(ask "SELECT count(*) FROM v_run")" 7
    run abdb query kernels --failed
    fails 0 "crash"
    same "$(abdb query kernels --failed -o jsonl 2>/dev/null | jq -r .status | sort | paste -sd' ')" "bad-answer crash crash failed out-of-memory"
}

@test "hostile text of a backend is stored as data" {
    fake
    abdb run -q --kernel k --backend fake --axis do=ok
    same "$(ask "SELECT chosen FROM v_kernel")" "a \`b\` \$(c) '; DROP TABLE entry; --"
}

@test "a failed verification gives exit 4, is stored, and is printed only with --failed" {
    fake
    run abdb run --kernel k --backend fake --axis do=wrong
    fails 4 "failed verification"
    run abdb query kernels -o csv
    [[ "$output" != *wrong* ]]
    run abdb query kernels --failed -o csv
    fails 0 "wrong"
    same "$(ask "SELECT count(*) FROM v_ceiling")" 0
}

@test "a cell over its time is ended with its process group, and the next one runs" {
    fake
    begin=$SECONDS
    run abdb run --kernel k --backend fake --axis do=hang,slow,ok --timeout 1
    fails 5 "1 cell measured"
    [ $((SECONDS - begin)) -lt 25 ]
    same "$(ask "SELECT group_concat(status, ' ') FROM (SELECT status FROM v_run ORDER BY date)")" "timeout timeout ok"
    for pid in $(cat pids); do no kill -0 "$pid" 2>/dev/null; done
}

@test "a backend with another protocol is refused" {
    fake
    FAKE_PROTOCOL=2 run abdb run --kernel k --backend fake --axis do=ok
    fails 6 "speaks protocol 2"
    printf '#!/bin/sh\necho hello\n' >fake/abdb-run-mute
    chmod +x fake/abdb-run-mute
    run abdb run --list
    fails 0 "absent:"
    # the others go on
    FAKE_PROTOCOL=2 run abdb run --kernel gemm --axis n=8 --backend fake,ref --quick --repeat 2
    fails 6 "speaks protocol 2"
    fails 6 "2 cells measured"
}

@test "an interrupt cancels the cell, and --resume measures only the missing cells" {
    fake
    cat >plan.txt <<'P'
k do=ok n=1,2,3
gemm n=8
P
    abdb run --plan plan.txt --backend fake,ref --quick >/dev/null
    campaign=$(ask "SELECT DISTINCT campaign FROM v_run")
    # as if it had been killed after five cells
    sqlite3 t.db "CREATE TEMP TABLE gone AS SELECT entry_id FROM entry WHERE cell IN ('ref gemm n=8', 'fake k do=ok n=2', 'ref k do=ok n=1');
        DELETE FROM telemetry WHERE entry_id IN gone; DELETE FROM result_row WHERE entry_id IN gone; DELETE FROM entry_row WHERE entry_id IN gone"
    : >log
    run abdb run --plan plan.txt --backend fake,ref --quick --resume
    fails 0 "$campaign: 2 cells measured, 1 not implemented"
    same "$(cat log)" "k do=ok n=2"
    same "$(ask "SELECT count(*), count(DISTINCT cell), count(DISTINCT campaign) FROM v_run")" "8,8,1"
    run abdb run --plan plan.txt --backend fake,ref --quick --resume
    fails 0 "0 cells measured"
    run abdb run --plan plan.txt --backend fake --resume
    fails 0 "nothing to resume"
}

@test "SIGINT lets the backend finish its sample and report the cell as cancelled" {
    abdb run --kernel gemm --backend ref --threads 1 --axis n=8,400,401 >out 2>&1 &
    pid=$!
    for ((i = 0; i < 300; i++)); do # until the first cell is kept: the second takes seconds
        [ "$(ask "SELECT count(*) FROM v_run" 2>/dev/null)" = 1 ] && break
        sleep 0.1
    done
    sleep 0.3
    kill -INT $pid
    code=0
    wait $pid || code=$?
    same "$code" 130
    grep -q "1 cancelled" out
    same "$(ask "SELECT count(*) FROM v_run WHERE status = 'cancelled'")" 1
}

@test "the shipped backends write only protocol records, in order" {
    for b in ref openblas; do
        [ -x "$build/abdb-run-$b" ] || continue
        echo '{"cell":"c1","kernel":"gemm","params":{"n":"32"},"quick":true,"unknown":1}
garbage
{"cell":"c2","kernel":"none","params":{}}' | "$build/abdb-run-$b" run 2>err >out
        same "$(jq -r 'select(.kind != "telemetry" and .kind != "beat") | .kind' out | uniq | tr '\n' ' ')" "hello environment device begin sample result end begin end bye "
        same "$(jq -r 'select(.kind == "end") | .status' out | tr '\n' ' ')" "ok not-implemented "
        same "$(jq -r 'select(.kind == "hello") | .protocol' out)" 1
        grep -q "left out" err
    done
}

@test "--repeat and --interleave run whole processes cell by cell, in alternating order" {
    [ -x "$build/abdb-run-openblas" ] || skip "no openblas"
    run abdb run --kernel gemm --axis n=16,24 --backend vec,openblas --quick --threads 1 --repeat 2 --interleave
    fails 0 "8 cells measured"
    [[ "$output" == *"noise: the median of a cell is known to"* ]]
    same "$(ask "SELECT group_concat(cell, ';') FROM (SELECT cell FROM v_run ORDER BY date)")" \
        "openblas gemm n=16;vec gemm n=16;vec gemm n=24;openblas gemm n=24;vec gemm n=16 #2;openblas gemm n=16 #2;openblas gemm n=24 #2;vec gemm n=24 #2"
    run abdb run --kernel gemm --axis n=16 --backend vec --repeat none
    fails 2 "--repeat wants a whole number"
}

@test "the advice against noise is more processes than the run had" {
    fake
    run abdb run --backend fake --kernel k --axis do=ok
    fails 0 "too noisy for 2 %: repeat whole processes (--repeat 5 --interleave)"
    run abdb run --backend fake --kernel k --axis do=ok --repeat 6
    fails 0 "too noisy for 2 %: take more processes (--repeat 12)"
}

@test "the plan all contains each kernel and each workload" {
    names() { sed -nE 's/^(KERNEL|WORKLOAD)\([a-z_]*, "([^"]*)".*/\2/p' "$root"/kernels{,/workloads}/registry.def | sort; }
    [ "$(names | wc -l)" -gt 20 ]
    same "$(grep -oE '^[a-z-]+' "$root/kernels/plans/all.plan" | sort -u)" "$(names)"
}

@test "a small cell of every line of the plan of all kernels is right" {
    # what everything is measured at, or in a tenth of the time: one thread, smaller, of sizes that no vector divides, and of each list
    # the last; tests/unit goes through formats, operations, instruction sets and threads
    sed -E 's/=[^ ]*,/=/g; s/n=1048576/n=200003/; s/rows=65536/rows=4099/; s/rows=256 *columns=1024/rows=67 columns=1022/; s/sequence=1024/sequence=131/; s/keys=4096/keys=509/
        s/ n=1024 *k=1024/ n=256 k=256/; s/m=1024 k=1024 n=16/m=251 k=263 n=16/; s/n=512/n=131/; s/n=128 *batch=16/n=61 batch=5/; s/sequence=256/sequence=67/
        s/sequence=128  *d=256/sequence=33 d=128/; s/words=1048576 *updates=262144/words=65536 updates=16384/' "$root/kernels/plans/all.plan" >small.plan
    [ "$(diff "$root/kernels/plans/all.plan" small.plan | grep -c '^>')" -ge 15 ]
    ask=(--plan small.plan --threads 1)
    [ -z "$THOROUGH" ] || ask=(--plan all)
    run abdb run "${ask[@]}" --quick --backend vec
    fails 0 "cells measured"
    same "$(ask "SELECT count(*) FROM v_run WHERE status NOT IN ('ok', 'not-implemented') OR (status = 'ok' AND verified <> 'pass')")" 0
    [ "$(ask "SELECT count(DISTINCT kernel) FROM v_kernel WHERE status = 'ok'")" -ge 10 ]
    run abdb query sweep --kernel elementwise --x columns --by operation+dtype --metric of_ceiling_percent
    fails 0 "% of the measured ceiling"
}

@test "caches, fills and a check at a smaller size are stored as factors; a wrong value is a failed cell" {
    printf 'gemm n=48 fill=uniform cache=hot,cold,rotate\ngemm n=48 fill=zeros,integers\n' >plan
    abdb run -q --plan plan --backend vec --quick --threads 1
    same "$(ask "SELECT count(*) FROM v_kernel WHERE status = 'ok' AND verified = 'pass'")" 5
    same "$(ask "SELECT count(DISTINCT text) FROM v_factor_given WHERE factor = 'fill'")" 3
    abdb run -q --kernel transformer-block --axis batch=1 --axis sequence=320 --axis d=512 --axis heads=8 --backend vec --quick # larger than that
    same "$(ask "SELECT text FROM v_factor_given WHERE ordinal = 0 AND factor = 'verified_at'")" "batch=2 sequence=80 d=192 heads=3"
    run abdb run --kernel gemm --axis n=48 --axis cache=warm --backend vec --quick
    fails 5 "1 failed"
    ask "SELECT reason FROM v_run WHERE status = 'failed'" | grep -q "no cache .warm.; it is hot, cold or rotate"
    run abdb run --kernel gemm --axis n=48 --axis fill=noise --backend vec --quick
    fails 5 "1 failed"
}

@test "data of the system are stored, without the energy of a too short window" {
    mkdir -p s/proc "s/sys/class/powercap/intel-rapl:0" s/sys/class/thermal/thermal_zone0
    echo "0.25 0.1 0.1 1/2 3" >s/proc/loadavg
    echo "cpu 10 0 0 80 0 0 0 10" >s/proc/stat
    echo 45000 >s/sys/class/thermal/thermal_zone0/temp
    echo 1000000 >"s/sys/class/powercap/intel-rapl:0/energy_uj"
    echo 262143328850 >"s/sys/class/powercap/intel-rapl:0/max_energy_range_uj"
    export ABDB_SENSORS=$PWD/s
    abdb run -q --kernel gemm --axis n=48 --backend vec --threads 1 --quick
    same "$(ask "SELECT value FROM v_result WHERE metric = 'temperature_c'")" 45
    same "$(ask "SELECT value FROM v_result WHERE metric = 'load'")" 0.25
    same "$(ask "SELECT count(*) FROM v_result WHERE metric IN ('energy_j', 'power_w')")" 0 # too short a window
}

# What a machine could tell of itself, in the folder s.
sensors() {
    mkdir -p s/sys/class/thermal/thermal_zone{0,1} s/sys/devices/system/cpu/cpu{0,1}/cpufreq "s/sys/class/powercap/intel-rapl:0"
    echo 45000 >s/sys/class/thermal/thermal_zone0/temp
    echo 61500 >s/sys/class/thermal/thermal_zone1/temp
    echo 2100000 >s/sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq
    echo 3400000 >s/sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq
    echo 262143000000 >"s/sys/class/powercap/intel-rapl:0/energy_uj" # the counter begins again soon
    echo 262143328850 >"s/sys/class/powercap/intel-rapl:0/max_energy_range_uj"
    export ABDB_SENSORS=$PWD/s
}

@test "a long window has its energy; telemetry has clock, temperature and power, if there are sensors" {
    sensors
    (for i in $(seq 0 900); do echo $(((262143000000 + i * 1000000) % 262143328850)) >s/next && mv s/next "s/sys/class/powercap/intel-rapl:0/energy_uj"; sleep 0.1; done) 3>&- &
    counter=$!
    mkdir spool
    abdb run -q --kernel gemm --axis n=384 --backend vec --threads 1 --quick --energy --spool spool # five seconds
    mkdir trained
    abdb run -q --kernel gpt-train --axis model=tiny --backend ref --quick --energy --spool trained # of what is timed alone, so a little longer
    kill $counter
    abdb import -q trained/*.jsonl
    [ "$(ask "SELECT (SELECT value FROM v_result WHERE metric = 'power_w') BETWEEN 5 AND 15 AND
                     (SELECT value FROM v_result WHERE metric = 'energy_j') / (SELECT value FROM v_result WHERE metric = 'time_s') BETWEEN 5 AND 15")" = 1 ]
    rm "$ABDB_DB"
    abdb import -q spool/*.jsonl
    [ "$(ask "SELECT value BETWEEN 1 AND 15 FROM v_result WHERE metric = 'power_w'")" = 1 ] # a joule each tenth of a second
    same "$(ask "SELECT text FROM v_factor_given WHERE ordinal = 0 AND factor = 'energy_scope'")" package
    same "$(jq -c '.telemetry | map(.[0:3]) | unique' spool/*.jsonl)" '[["cpu","clock","Hz"],["package","power","W"],["thermal","temperature","degC"]]'
    same "$(jq -c '.telemetry | map(select(.[1] != "power") | .[4]) | unique' spool/*.jsonl)" '[61.5,3400000000]'
    same "$(jq -c '.telemetry | map(select(.[1] == "power") | .[4]) | length > 5 and min > 1 and max < 25' spool/*.jsonl)" true # ten watts or so
    same "$(jq -c '.telemetry | (length <= 48) and (map(.[3]) | (. == sort) and .[0] <= 0 and .[-1] > 4)' spool/*.jsonl)" true
    rm -r s/sys spool/*
    abdb run -q --kernel gemm --axis n=48 --backend vec --spool spool --quick
    same "$(jq -c 'has("telemetry")' spool/*.jsonl)" false
}

@test "a rate above the ceiling names the responsible cache, or is marked" {
    fake
    abdb run -q --kernel k --backend fake --axis do=hot --tag memory # 4 MB/s from memory
    same "$(abdb query kernels --tag memory -o json | jq -c '.[0] | [.of_measured_percent, .of_measured_percent_mark]')" "[100,null]"
    for where in L2 moon; do
        sed -i 's/time_s\\":0.001/time_s\\":0.0004/' fake/abdb-run-fake
        FAKE_BOUND="\"bound\":\"bytes\",\"resident\":\"$where\",\"threads\":2,\"checked\":0.25" abdb run -q --kernel k --backend fake --axis do=hot --tag $where
    done
    run abdb query kernels --tag L2
    fails 0 "250L2"
    fails 0 "L2 beside a share: the data stay in that cache"
    run abdb query kernels --tag moon # no cache that there is
    fails 0 "250!"
    fails 0 "which no cache explains"
    same "$(ask "SELECT text FROM v_factor_given JOIN v_run USING (entry_id) WHERE tag = 'L2' AND ordinal = 0 AND factor IN ('threads', 'threads_asked', 'checked') ORDER BY factor" | tr '\n' ' ')" "0.25 2 1 "
}

@test "wrong telemetry, bound and ceiling of a foreign backend are left out" {
    fake
    mkdir spool
    abdb run -q --kernel k --backend fake --axis do=hot,ok --spool spool
    same "$(jq -c .telemetry spool/*.jsonl | tr '\n' ' ')" '[["gpu \"0\"","clock","Hz",0.5,1500000000]] null '
    same "$(jq -c '[.factor.bound, .factor.ceiling]' spool/*.jsonl | tr '\n' ' ')" '["bytes","memory_bandwidth"] [null,null] '
    rm spool/*
    FAKE_BOUND='"bound":"luck","ceiling":["peak_flops"]' abdb run -q --kernel k --backend fake --axis do=hot --spool spool
    same "$(jq -c '[.factor.bound, .factor.ceiling]' spool/*.jsonl)" '[null,null]'
}

@test "bound and ceiling are descriptions, and do not affect comparisons" {
    fake
    abdb run -q --kernel k --backend fake --axis do=hot --tag with
    FAKE_BOUND='"bound":""' abdb run -q --kernel k --backend fake --axis do=hot --tag without
    same "$(ask "SELECT count(*), sum(entry_id IN (SELECT entry_id FROM v_run WHERE tag = 'with')) FROM v_factor_given WHERE ordinal = 0 AND factor IN ('bound', 'ceiling')")" "2,2"
    same "$(abdb compare tag=with tag=without --where metric=flops_per_s -o jsonl | jq -c '[.standing, .differ, .verdict]')" '["comparable",null,"unclear"]'
    same "$(abdb rank --where metric=flops_per_s,workload=k -o jsonl | jq -c '[.group, .place, .of]')" '[null,1,2]'
    sqlite3 "$ABDB_DB" "UPDATE description SET flags = ''" # that they are of few samples is not the matter here
    same "$(abdb query history -o csv | tail -n +2 | cut -d, -f1,2 | tr '\n' ' ')" "fake k do=hot,1 fake k do=hot,2 "
    run abdb run --kernel k --backend fake --axis do=hot --tag with --resume
    fails 0 "0 cells measured"
}

@test "each entry has its process: campaign, backend, repetition and start of the program" {
    fake
    mkdir spool
    abdb run -q --kernel k --backend fake --axis do=ok,crash,ok --axis n=1 --repeat 2 --spool spool || [ $? = 5 ]
    same "$(jq -c '.process | [.backend, .repetition, .start]' spool/*.jsonl | tr '\n' ' ')" \
        '["fake",1,1] ["fake",1,1] ["fake",1,2] ["fake",2,1] ["fake",2,1] ["fake",2,2] '
    same "$(jq -s -c 'map(.process.campaign == .field.campaign) | unique' spool/*.jsonl)" '[true]'
    same "$(jq -s -c 'map(.process.started) | unique | length' spool/*.jsonl)" 4 # processes
    same "$(jq -s -c 'map(.process.started <= .field.date and (.process.started | test("^20..-..-..T..:..:..[.]...Z$"))) | unique' spool/*.jsonl)" '[true]'
    same "$(jq -s -c 'map(has("origin") and .origin == null) | unique' spool/*.jsonl)" '[true]'
    rm spool/*
    abdb run -q --kernel k --backend fake,ref --axis do=ok --axis n=1,2 --interleave --spool spool # a start for each turn
    same "$(jq -c '[.process.backend, .process.start]' spool/*.jsonl | sort | tr '\n' ' ')" '["fake",1] ["fake",2] ["ref",1] ["ref",2] '
    rm spool/*
    hill
    abdb run -q --search mamf --backend hill --budget 0.1 --axis dtype=f32 --spool spool >/dev/null
    same "$(jq -s -c 'map(.process.start) == [range(1; length + 1)]' spool/*.jsonl)" true
}

@test "threads are whole numbers, for workloads too; a backend with another number of threads is refused" {
    abdb run -q --kernel gemm --backend ref --axis threads=0,1.5,many,1 --axis n=16 --quick || [ $? = 5 ]
    same "$(ask "SELECT count(*) FROM v_run WHERE status = 'failed' AND reason LIKE 'threads=% is no whole number from 1 on'")" 3
    same "$(ask "SELECT cell FROM v_run WHERE status = 'ok'")" "ref gemm threads=1 n=16"
    abdb run -q --kernel gpt-train --backend ref --axis threads=2 --axis layers=1 --axis d=16 --axis heads=1 --axis vocabulary=16 --axis sequence=8 --quick || [ $? = 5 ]
    same "$(ask "SELECT status, reason FROM v_run WHERE workload = 'gpt-train'")" "failed,it ran on 1 of the 2 threads that were asked for"
    hill
    sed -i 's/error: 0,/error: 0, threads: 3,/' fake/abdb-run-hill
    abdb run -q --kernel gemm --backend hill --axis m=8 --axis n=8 --axis k=8 --axis threads=2,3 || [ $? = 5 ]
    same "$(ask "SELECT status, reason FROM v_run WHERE backend = 'hill' ORDER BY cell")" 'bad-answer,the backend broke the protocol (4.10): it ran on 3 threads where 2 were asked
ok,'
}

@test "the expected time of a plan is printed first" {
    run abdb run --plan argonne-block --backend vec --dry-run
    fails 0 "16 cells by 1 backend: about "
    [[ "$output" == *minutes* ]]
}

@test "--search mamf chooses its shapes" {
    hill
    run abdb run --search mamf --backend hill --budget 60 --axis dtype=f32
    fails 0 "hill f32: 1000.0 GFLOP/s with m=1152 n=512 k=640 (1000.0 in the quick look)"
    fails 0 " s; ended because no step of 16 gains 0.3 %"
    fails 0 "  m one longer: -0.1 %, as fast again with 1 more"
    fails 0 "  n one longer: -10.2 %, slower with 2, 4, ... 64 more"
    same "$(ask "SELECT count(*) > 20, count(DISTINCT cell) = count(*) - 1 FROM v_kernel WHERE kernel = 'gemm' AND verified = 'pass'")" 1,1 # the best twice
    run abdb run --search mamf --backend vec --budget 0.01 --axis dtype=f32 --threads 1
    fails 0 "vec f32: "
    [[ $output =~ " 1 shapes in "[0-9]+" s; ended because its time was used up" ]]
    # a backend that has no product is passed over; where none has one that is an error
    sed 's/"kernels":\[\]/"kernels":["gemm"]/; s/"hill"/"flat"/; s/"status": "ok"//' fake/abdb-run-hill |
        sed 's/^\[ "$1" != run \].*/[ "$1" != run ] || jq --unbuffered -c "{kind: \\"begin\\", cell: .cell}, {kind: \\"end\\", cell: .cell, status: \\"not-implemented\\", reason: \\"none\\"}"; echo "{\\"kind\\":\\"bye\\"}"; exit/' >fake/abdb-run-flat
    chmod +x fake/abdb-run-flat
    run abdb run --search mamf --backend flat,hill --budget 0.1 --axis dtype=f32
    fails 0 "hill f32: "
    fails 0 "flat has no gemm dtype=f32 that can be measured"
    run abdb run --search mamf --backend flat --budget 0.1 --axis dtype=f32
    fails 2 "flat has no gemm dtype=f32 that can be measured"
    run abdb run --search fastest
    fails 2 "there is mamf"
    run abdb run --search mamf --plan quick
    fails 2 "finds its cells itself"
    run abdb run --kernel gemm --budget soon
    fails 2 "--budget wants seconds above 0, not 'soon'"
    run abdb run --search mamf --axis n=7 --backend ref
    fails 2 "finds m, n and k itself"
}

@test "spans and metrics of a workload are stored and printed; wrong ones end the cell" {
    fake
    abdb run -q --kernel k --backend fake --axis do=spans,adrift,strange || true
    same "$(ask "SELECT status FROM v_run ORDER BY cell")" "bad-answer
ok
bad-answer"
    same "$(ask "SELECT place, span, within, kernel, calls, time_s, ops, bytes_B FROM v_span ORDER BY place")" "1,forward,,,1,0.008,,
2,product,forward,gemm,12,0.006,6000000,3000
3,update,,adamw,1,0.002,0,4000"
    same "$(ask "SELECT x, value, unit FROM v_result WHERE metric = 'loss' ORDER BY x")" "1,4.5,nat
2,3.5,nat"
    same "$(ask "SELECT reason FROM v_run WHERE cell LIKE '%adrift%'")" '"the backend broke the protocol (4.18): the span product is within elsewhere, which was not told before it"'
    same "$(ask "SELECT reason FROM v_run WHERE cell LIKE '%strange%'")" "the backend broke the protocol (4.19): the unknown metric 'luck'"
    same "$(abdb query breakdown -o csv | tail -n +2 | cut -d, -f3-7)" "forward,product,12,6,60
forward,between kernels,,2,20
,update,1,2,20"
    # of several cells a bar is named with its cell
    abdb run -q --kernel k --backend fake --axis do=spans --axis mode=fast,slow
    abdb plot breakdown --type dumb >drawn 2>&1
    grep -q "k do=spans mode=fast: forward, product" drawn
    # several tags are told apart
    abdb run -q --kernel k --backend fake --axis do=spans --tag old
    abdb run -q --kernel k --backend fake --axis do=spans --tag new
    same "$(abdb query loss -o jsonl 2>/dev/null | jq -r .cell | sort -u)" "k do=spans"
    for report in loss breakdown; do
        same "$(abdb query $report --campaign all -o jsonl 2>/dev/null | jq -r .cell | grep -v mode | sort -u)" $'k do=spans\nk do=spans new\nk do=spans old'
    done
}

#!/usr/bin/env bats
# cuda.bats - the backend cuda on a driver that emulates: every launch within what each architecture has, every kernel's result verified.
load common

# Device code is run by the host (tests/cuda): no GPU is needed, and none is used.
setup_file() {
    unset ABDB_CUDA_DEVICE CUDA_VISIBLE_DEVICES
}
need_program() {
    [ -x "$build/abdb-run-cuda" ] || skip "built without CUDA: nvcc of NVIDIA's toolkit and g++, then make"
    need_built emulated/libcuda.so
    export ABDB_CUDA_DRIVER=$build/emulated/libcuda.so ABDB_CUBLAS=$build/emulated/libcuda.so
    export ABDB_CUBLASLT=$build/emulated/libcuda.so ABDB_NVML=$build/emulated/libcuda.so
}
# The answer to cells, one JSON object each: lines of "CELL STATUS REASON".
cells() {
    printf '%s\n' "$@" | "$build/abdb-run-cuda" run 2>"$dir/errors" >"$dir/records"
    jq -r 'select(.kind == "end") | [.cell, .status, .reason] | join(" ")' "$dir/records"
}
cell() { # KERNEL key=value...
    local kernel=$1
    shift
    printf '%s\n' "$@" | jq -cRn --arg k "$kernel" '[inputs | select(. != "") | split("=") | {(.[0]): .[1]}] | add | {cell: ($k + " " + (to_entries | map(.key + "=" + .value) | join(","))), kernel: $k, quick: true, params: .}'
}
all_ok() { # how many
    same "$(grep -c ' ok $' <<<"$output")" "$1" || { cat "$dir/errors"; echo "$output"; return 1; }
    same "$(jq -r 'select(.kind == "result").verified' "$dir/records" | sort | uniq -c | tr -s ' ')" " $1 pass"
}

@test "cuda: device code is built for sm_80, sm_90 and sm_100, without a warning, and keeps its sums in registers" {
    need_program
    for log in "$build"/gen/cu/*.fatbin.log; do
        for a in 80 90 100; do grep -q "for 'sm_$a'" "$log" || { echo "$log has no sm_$a"; return 1; }; done
        no grep -iH warning "$log"
        # outside of loops one number may lie in memory
        ! grep -oE '[0-9]+ bytes spill' "$log" | grep -vE '^[08] ' || { echo "$log spills"; return 1; }
    done
}

@test "cuda: cuBLAS and cuBLASLt get the right arguments for products in every format" {
    need_program
    export ABDB_EMULATED_ARCH=90
    asked=()
    for p in cublas cublaslt; do
        for d in f64 f32 tf32 f16 bf16; do asked+=("$(cell gemm m=37 n=75 k=53 dtype=$d provider=$p)"); done
        asked+=("$(cell gemm m=16 n=96 k=32 batch=3 graph=yes provider=$p)" "$(cell gemm m=48 n=80 k=64 dtype=i8 provider=$p)")
    done
    asked+=("$(cell gemm m=37 n=75 k=53 transpose=tt beta=1 provider=cublas)" "$(cell gemm m=37 n=75 k=53 transpose=nt beta=1 provider=cublaslt)")
    asked+=("$(cell gemm m=48 n=80 k=64 dtype=e4m3 provider=cublaslt)" "$(cell gemm m=16 n=96 k=32 dtype=e4m3 weights=packed batch=3 provider=cublaslt)")
    run cells "${asked[@]}"
    all_ok "${#asked[@]}"
    run cells "$(cell gemm n=48 dtype=e5m2 provider=cublaslt)" "$(cell gemm n=48 dtype=e4m3 provider=cublas)" "$(cell gemm n=37 dtype=i8 provider=cublas)"
    fails 0 "not-implemented NVIDIA's libraries multiply no two matrices of e5m2"
    fails 0 "not-implemented cuBLAS has products of fp8 in cuBLASLt only"
    fails 0 "not-implemented products of i8 want sizes in multiples of 4"
    ABDB_EMULATED_ARCH=80 run cells "$(cell gemm n=48 dtype=e4m3 provider=cublaslt)"
    fails 0 "not-implemented products of e4m3 want compute capability 8.9 or more"
    ABDB_CUBLAS=$dir/none.so run cells "$(cell gemm n=48 provider=cublas)"
    fails 0 "not-implemented cuBLAS was not found"
}

# One cell of each kernel is in cells.bats, all are in tests/campaigns/cells.sh (make soak): here what only this backend has.
@test "cuda: graphs, wide rows, stores past the caches and short sums are verified" {
    need_program
    asked=("$(cell elementwise op=softmax rows=3 columns=40000)" "$(cell elementwise op=cross-entropy rows=9 columns=1032 dtype=f16)"
        "$(cell stream op=copy n=7 dtype=f64 graph=yes)" "$(cell stream op=fma n=7000 dtype=f64 fmas=9 stores=nt)" "$(cell stream op=read n=10003 dtype=f64)"
        "$(cell fma n=9 width=5009 dtype=f16)" "$(cell fma n=9 width=100 dtype=i8)" "$(cell gups words=65536 updates=32768 parts=512)"
        "$(cell embedding-bag tables=3 rows=500 lookups=21 batch=70 bytes=36 mode=single)")
    run cells "${asked[@]}"
    all_ok "${#asked[@]}"
}

@test "cuda: attention by tensor cores is verified, forward and backward, with indivisible numbers of heads and keys" {
    need_program
    asked=("$(cell attention heads=4 kv_heads=2 queries=70 keys=90 d=40 causal=yes dtype=bf16)" "$(cell attention pass=backward heads=4 kv_heads=2 queries=30 keys=70 d=40 causal=yes dtype=bf16)"
        "$(cell attention heads=1 queries=20 keys=70 d=128 dtype=f16)" "$(cell attention pass=backward heads=1 queries=20 keys=40 d=130 dtype=f16)" "$(cell attention heads=8 kv_heads=2 queries=1 keys=1030 d=64 dtype=f16)"
        "$(cell paged-attention layout=table padding=0.5 batch=2 heads=12 kv_heads=2 sequence=100 block=32 d=48 dtype=bf16)" "$(cell transformer-block batch=1 sequence=40 d=64 heads=1 dtype=bf16 pass=backward)")
    run cells "${asked[@]}"
    all_ok "${#asked[@]}"
}

# Nothing is run: each launch is held against what the architecture has. Shared memory follows the width of heads and rows, not how many there are.
@test "cuda: in a dry run the launches of the widest cells are within the limits of sm_80, sm_90 and sm_100" {
    need_program
    export ABDB_EMULATED=dry ABDB_EMULATED_LOG=$dir/launches
    asked=("$(cell elementwise op=softmax rows=3 columns=16384)" "$(cell attention heads=1 sequence=8 d=128 dtype=bf16)" "$(cell attention heads=1 sequence=8 d=1024)"
        "$(cell attention pass=backward heads=1 sequence=8 d=128 dtype=bf16)" "$(cell attention pass=backward heads=1 sequence=8 d=1024)" "$(cell paged-attention batch=1 heads=4 kv_heads=1 d=1024 sequence=8 block=8)")
    for a in 80 90 100; do
        rm -f "$dir/launches"
        ABDB_EMULATED_ARCH=$a run cells "${asked[@]}"
        [[ $output != *CUDA_ERROR* && $output != *"no device has"* && $output != *"of shared memory"* ]]
        same "$(cut -d' ' -f1 "$dir/launches" | sort -u | xargs -n1 basename | tr '\n' ' ')" "attention_backward.cu attention_backward_plain.cu attention_plain.cu decode_attention.cu empty.cu flash.cu row_ops.cu "
    done
    # a device with less: a row that says so
    ABDB_EMULATED_ARCH=75 run cells "$(cell attention heads=1 sequence=8 d=1024)"
    fails 0 "attention_f32 wants 82688 bytes of shared memory, this device has 65536 for a block"
}

@test "cuda: a missing driver and an absent device are named" {
    [ -x "$build/abdb-run-cuda" ] || skip "built without CUDA: nvcc of NVIDIA's toolkit and g++, then make"
    # the driver is looked for under its usual names: it is told what there is, or that there is none, not both
    same "$(unset ABDB_CUDA_DRIVER; "$build/abdb-run-cuda" describe | jq -rs 'map(select(.kind == "no-device" or .kind == "device")) | length')" 1
    export ABDB_CUDA_DRIVER=$dir/none.so
    run cells "$(cell stream op=copy n=7)"
    fails 0 "no-device no CUDA driver, which comes with NVIDIA's"
    need_program
    ABDB_CUDA_DEVICE=3 run cells "$(cell stream op=copy n=7)"
    fails 0 "no-device no CUDA device is number '3' (ABDB_CUDA_DEVICE): there are 1, from 0"
    ABDB_EMULATED_DEVICES=0 run cells "$(cell stream op=copy n=7)"
    fails 0 "no-device there is no CUDA device"
}

@test "cuda: each of several devices is listed by its database name and measured alone" {
    need_program
    export ABDB_EMULATED_DEVICES=2 ABDB_EMULATED_NAME="NVIDIA H100 80GB HBM3" ABDB_BACKENDS=$dir/only
    mkdir only
    ln -s "$build/abdb-run-cuda" only/
    printf 'stream op=copy n=5000\ngups words=65536 updates=2000\n' >p.plan
    run abdb run --plan p.plan --backend cuda --quick
    fails 0 "4 cells measured"
    same "$(ask "SELECT group_concat(cell, ';') FROM (SELECT cell FROM v_run ORDER BY cell)")" \
        "cuda 0 gups words=65536 updates=2000;cuda 0 stream op=copy n=5000;cuda 1 gups words=65536 updates=2000;cuda 1 stream op=copy n=5000"
    same "$(ABDB_DEVICE=1 abdb-run-cuda run </dev/null | jq -r 'select(.kind == "environment").environment.cuda_bus')" "0000:01:00.0"
    # a name with its memory is that of the product, whose published peaks come with their sources
    filled data
    abdb run --list --json >list
    same "$(jq -c '.[] | select(.backend == "cuda") | [.id, .name, .device]' list | paste -sd' ')" \
        '["0","NVIDIA H100 80GB HBM3","H100-SXM"] ["1","NVIDIA H100 80GB HBM3","H100-SXM"]'
    same "$(jq -r '[.[] | select(.id == "0").published[] | select(.dtype == "bf16" or .quantity == "memory_bandwidth") | "\(.value) \(.source)"] | join(" ")' list)" \
        "$(ask "SELECT group_concat(x, ' ') FROM (SELECT printf('%.16g', value) || ' ' || source AS x FROM v_peak p WHERE device = 'H100-SXM' AND (dtype = 'bf16' OR quantity = 'memory_bandwidth')
             AND preference = (SELECT min(preference) FROM v_peak q WHERE q.device = p.device AND q.quantity = p.quantity AND q.dtype IS p.dtype) ORDER BY p.quantity DESC)" | sed 's/\.0 / /g')"
    run abdb run --list
    fails 0 "device NVIDIA H100 80GB HBM3, which is H100-SXM, 1 thread: ABDB_DEVICE=1"
    fails 0 "not implemented: all-reduce,"
    ABDB_DEVICE=2 run cells "$(cell stream op=copy n=7)"
    fails 0 "no-device no CUDA device is number '2' (ABDB_DEVICE): there are 2, from 0"
}

#!/usr/bin/env bats
# nccl.bats - the backend nccl on emulated devices: every kernel of several ranks, whole numbers to the last bit; each rank in the memory and stream of its own device.
load common

# tests/cuda/nccl.cpp stands for the library: no GPU is needed, and none is used.
setup_file() {
    unset CUDA_VISIBLE_DEVICES ABDB_DEVICE
}
need_program() {
    [ -x "$build/abdb-run-nccl" ] || skip "built without CUDA: nvcc of NVIDIA's toolkit and g++, then make"
    need_built emulated/libcuda.so
    export ABDB_CUDA_DRIVER=$build/emulated/libcuda.so ABDB_NCCL=$build/emulated/libcuda.so
    export ABDB_EMULATED_DEVICES=4 ABDB_EMULATED_NAME="NVIDIA H100 80GB HBM3"
}

@test "nccl: every kernel is right at 1 to 4 devices, integers exactly" {
    need_program
    cat >m.plan <<'P'
all-reduce      dtype=i32,f32,bf16,f16  ranks=1,2,3,4  message_bytes=4100
all-reduce      dtype=f64  redop=max,min  ranks=3  message_bytes=4104  apart=no
all-gather      dtype=i32,i8,bf16  ranks=4  message_bytes=4100
reduce-scatter  dtype=i32,f32  ranks=1,3,4  message_bytes=4100
all-to-all      dtype=i32  ranks=3  message_bytes=4100
reduce          dtype=i32  ranks=3  message_bytes=4100
broadcast       dtype=i32  ranks=3  message_bytes=4100  apart=yes,no
point-to-point  dtype=i8   ranks=3  message_bytes=4100  pattern=ping-pong,one-way,both-ways  cache=hot,rotate
all-gather      ranks=5
gemm            n=8
P
    run abdb run --plan m.plan --backend nccl --quick -q
    fails 0 ""
    same "$(ask "SELECT count(*) FROM v_run WHERE status = 'ok' AND verified = 'pass'")" 37
    same "$(ask "SELECT group_concat(reason, '; ') FROM (SELECT reason FROM v_run WHERE status <> 'ok' ORDER BY cell)")" "there are fewer devices than these ranks; this backend has no such kernel"
    same "$(ask "SELECT max(value) FROM v_result WHERE metric = 'error' AND dtype IN ('i32', 'i8')")" 0
    # devices are those that took part, each a rank with a time of its own; the sample is the slowest's
    same "$(ask "SELECT group_concat(devices, ' ') FROM v_run WHERE workload = 'all-reduce' AND dtype = 'i32' ORDER BY devices")" "1 2 3 4"
    same "$(ask "SELECT count(*) FROM v_run e WHERE status = 'ok' AND devices <> (SELECT count(*) FROM v_rank k WHERE k.entry_id = e.entry_id)")" 0
    same "$(ask "SELECT DISTINCT device, json_extract(environment, '\$.library'), json_extract(environment, '\$.nccl_devices') FROM v_run")" "H100-SXM,NCCL 2.27.5,4"
    # bus bandwidth as of every other library
    same "$(ask "SELECT count(*) FROM v_result b JOIN v_normalised n ON n.result_id = b.result_id AND n.formula = 'busbw@1' JOIN v_run e ON e.entry_id = b.entry_id
      WHERE e.workload = 'all-reduce' AND abs(n.value - b.value * 2.0 * (e.devices - 1) / e.devices) < 1e-6 * n.value") " "$(ask "SELECT count(*) FROM v_run WHERE workload = 'all-reduce' AND devices > 1") "
}

@test "nccl: a single device, a missing library and a missing driver are named" {
    need_program
    answer() { echo '{"cell":"c","kernel":"all-reduce","quick":true,"params":{"ranks":"2","message_bytes":"8"}}' | "$build/abdb-run-nccl" run 2>/dev/null | jq -r 'select(.kind == "end") | .status + ": " + .reason'; }
    same "$(ABDB_EMULATED_DEVICES=1 answer)" "not-implemented: one device alone has nobody to send to"
    [[ $(ABDB_NCCL=$dir/none.so answer) == "no-device: NCCL was not found (libnccl2 of NVIDIA, or ABDB_NCCL names it): "* ]]
    [[ $(ABDB_CUDA_DRIVER=$dir/none.so answer) == "no-device: no CUDA driver"* ]]
    run abdb check-backend nccl --kernel broadcast
    fails 0 "4.16  ok"
}

#!/usr/bin/env bats
# torch.bats - PyTorch as a backend: its cells are verified like all others; without PyTorch it says what to do. And several devices.
load common
[ -n "${ABDB_PYTHON-}" ] || [ ! -x "$build/torch/bin/python" ] || export ABDB_PYTHON=$build/torch/bin/python

@test "torch without PyTorch has no device, prints advice, and runs only by request" {
    printf '#!/bin/sh\nexec python3 -S "$@"\n' >bare # without packages
    chmod +x bare
    export ABDB_PYTHON=$dir/bare
    run abdb run --list
    fails 0 "absent: PyTorch cannot be imported"
    fails 0 "pip install torch, or ABDB_PYTHON names a Python that has it"
    run abdb run --kernel gemm --axis n=8 --quick --dry-run -q
    fails 0 "vec gemm"
    [[ $output != *"torch gemm"* ]]
    run abdb run --kernel gemm --axis n=8 --quick --backend torch
    fails 5 "0 cells measured"
    same "$(ask "SELECT status, count(*) FROM v_run")" no-device,1
    run abdb doctor
    fails 0 "PyTorch cannot be imported"
}

@test "torch: a small cell of each kernel is verified; missing kernels are named" {
    "${ABDB_PYTHON:-python3}" -c 'import torch' 2>/dev/null || skip "no PyTorch (make torch, or ABDB_PYTHON names a Python that has it)"
    cat >torch.plan <<'P'
gemm dtype=f64,f32,bf16,f16,i8 m=37 n=75 k=53
gemm dtype=f32,bf16 n=40 batch=3
stream dtype=f64,f32 op=copy,scale,add,triad,dot,read,write n=10007
gather op=gather,scatter bytes=252 rows=1007
embedding-bag mode=single,batched tables=3 rows=500 lookups=7 batch=9
attention dtype=f32 pass=forward,backward algorithm=flash,plain heads=2 sequence=65 causal=yes,no
attention dtype=bf16,f16 algorithm=plain heads=2 sequence=65 causal=yes
attention dtype=bf16 algorithm=flash pass=backward heads=2 sequence=65
transformer-block dtype=f32,bf16,f16 pass=forward,backward batch=2 sequence=33 d=64 heads=4
stream op=fma n=4096
gemm n=40 weights=packed
attention dtype=bf16 heads=2 sequence=65
elementwise rows=8 columns=8
P
    run abdb run --plan torch.plan --backend torch --quick
    fails 0 "42 cells measured, 4 not implemented"
    same "$(ask "SELECT verified, count(*) FROM v_run WHERE status = 'ok' GROUP BY 1")" pass,42
    same "$(ask "SELECT count(*) FROM v_run WHERE status = 'not-implemented' AND length(reason) > 10")" 4
    [ "$(sqlite3 t.db "SELECT count(*) FROM environment WHERE body LIKE '%PyTorch%'")" -gt 0 ]
    run abdb check-backend torch --kernel gemm --cell "gemm n=64"
    fails 0 "4.16  ok"
}

@test "a backend with several devices is measured on each, or on the device in ABDB_DEVICE" {
    mkdir fake
    cat >fake/abdb-run-two <<'P'
#!/bin/bash
device=${ABDB_DEVICE:-a:0}
echo '{"kind":"hello","protocol":1,"backend":"two","summary":"for tests","kernels":[],"devices":[{"id":"a:0","name":"First"},{"id":"b","name":"Second"}]}'
echo '{"kind":"environment","environment":{}}'
echo '{"kind":"device","name":"Dev-'$device'","devices":1,"threads":1,"clock":"c"}'
while [ "$1" = run ] && read -r line; do
    cell=$(jq -r .cell <<<"$line")
    for r in '"begin"' '"sample","seq":0,"t_s":0,"time_s":1e-4' '"result","formula":"f@1","dtype":"f32","ops":8,"verified":"pass","prepare_s":0' '"end","status":"ok"'; do
        echo '{"cell":"'"$cell"'","kind":'"$r}"
    done
done
echo '{"kind":"bye"}'
P
    chmod +x fake/abdb-run-two
    export ABDB_BACKENDS=$dir/fake
    run abdb run --kernel k --axis n=1,2 --backend two
    fails 0 "4 cells measured"
    same "$(sqlite3 -separator ' ' t.db "SELECT cell, device FROM v_run ORDER BY 1")" \
        $'two a:0 k n=1 Dev-a:0\ntwo a:0 k n=2 Dev-a:0\ntwo b k n=1 Dev-b\ntwo b k n=2 Dev-b'
    run abdb run --kernel k --axis n=1,2 --backend two --resume
    fails 0 "0 cells measured"
    ABDB_DEVICE=b run abdb run --kernel k --axis n=3 --backend two
    fails 0 "1 cell measured"
    same "$(ask "SELECT cell, device FROM v_run WHERE cell LIKE '%n=3'")" "two k n=3,Dev-b"
    run abdb run --list
    fails 0 "device Dev-b, 1 thread: ABDB_DEVICE=b"
}

#!/usr/bin/env bats
# lying.bats - programs and libraries that cheat: a BLAS before OpenBLAS (tests/backends/lying_blas.c) whose products are no products.
load common

setup_file() {
    command -v gcc >/dev/null || return 0
    # shellcheck disable=SC2046 # flags are words
    gcc -shared -fPIC -O2 -D_GNU_SOURCE $(pkg-config --cflags openblas 2>/dev/null) -o "$BATS_FILE_TMPDIR/lying.so" "$BATS_TEST_DIRNAME/../backends/lying_blas.c" || rm -f "$BATS_FILE_TMPDIR/lying.so"
}

lie() { # LIE KEY=VALUE...: what abdb run stores of it: status, verified, reason
    local lie=$1 axes=()
    shift
    for a; do axes+=(--axis "$a"); done
    rm -f "$ABDB_DB"
    LIE=$lie LD_PRELOAD=$BATS_FILE_TMPDIR/lying.so abdb run -q --kernel gemm --backend openblas --axis dtype=f32 "${axes[@]}" --quick >/dev/null 2>&1 || true
    ask "SELECT status || '|' || verified || '|' || coalesce(reason, '') FROM v_run"
}

@test "a library that changes inputs, writes out of bounds or keeps stale output gives a failed row and a reason" {
    [ -x "$build/abdb-run-openblas" ] && [ -s "$BATS_FILE_TMPDIR/lying.so" ] || skip "no OpenBLAS or compiler"
    same "$(lie honest n=192)" "ok|pass|"
    for n in 192 600; do # below and above 1 MiB, where memory is the pool's
        same "$(lie zeroed n=$n)" "failed|unchecked|wrong kernel: input changed (its tensor 0)"
        same "$(lie rounding n=$n)" "failed|unchecked|wrong kernel: input changed (its tensor 0)"
        same "$(lie behind n=$n)" "failed|unchecked|wrong kernel: it wrote 0 bytes before and 4 behind its tensor 2"
        same "$(lie before n=$n)" "failed|unchecked|wrong kernel: it wrote 4 bytes before and 0 behind its tensor 2"
        [[ $(lie memoised n=$n) == "failed|unchecked|wrong kernel: stale output: "* ]]
        [[ $(lie half n=$n) == "failed|unchecked|wrong kernel: stale output: "* ]]
        [[ $(lie fingerprint n=$n) == "failed|unchecked|wrong kernel: stale output: of the changed input at sample "* ]]
    done
    [[ $(lie half n=600 cache=cold) == "failed|unchecked|wrong kernel: stale output"* ]]
    [[ $(lie memoised n=600 cache=rotate) == "failed|unchecked|wrong kernel: stale output"* ]]
    same "$(lie rounding n=600 cache=rotate)" "failed|unchecked|wrong kernel: input changed (its tensor 0)"
}

@test "a library of low precision, without NaN or denormals, or wrong in one row is found" {
    [ -x "$build/abdb-run-openblas" ] && [ -s "$BATS_FILE_TMPDIR/lying.so" ] || skip "no OpenBLAS or compiler"
    same "$(lie bf16x3 n=200)" "ok|fail|"
    same "$(lie no-nan n=200)" "failed|unchecked|wrong kernel: at m=33 n=1 k=17 its error is inf of the bound"
    [[ $(lie no-denormal n=200) == "failed|unchecked|wrong kernel: at m="*" of the bound" ]]
    [[ $(lie vector n=200) == "failed|unchecked|wrong kernel: at m=1 n=1 k=1 its error is "*" of the bound" ]]
}

liar() { # WAY: status, flags, reason of a program that lies so, alone in its folder
    rm -f "$ABDB_DB"
    mkdir -p liars
    printf '#!/bin/sh\nexec python3 -SE "%s" "$@"\n' "$root/tests/backends/lying_backend.py" >liars/abdb-run-liar
    chmod +x liars/abdb-run-liar
    ABDB_BACKENDS=$dir/liars WAY=$1 abdb run -q --kernel gemm --backend liar --axis n=64 --axis dtype=f32 --tag "$1" >/dev/null 2>&1 || true
    ask "SELECT status || '|' || flags || '|' || coalesce(replace(reason, ',', ';'), '') FROM v_run"
}

@test "contradictory answers are bad-answer, impossible rates implausible, and a self-check is marked" {
    same "$(liar honest)" "ok|self-verified|"
    same "$(ask "SELECT DISTINCT verified || verified_by || marks FROM v_result")" "passprogramself-verified"
    same "$(liar overlap)" "bad-answer||the backend broke the protocol (4.5): sample 1 took 0.00101 s; and the next began 1e-06 s after it"
    [[ $(liar backwards) == "bad-answer||the backend broke the protocol (4.4): sample 0 "* ]]
    same "$(liar bound)" "bad-answer||the backend broke the protocol (4.6): verified is pass; and its error 5 of the bound"
    same "$(liar unchecked)" "bad-answer||the backend broke the protocol (4.8): verified is pass; and checked 0"
    same "$(liar steady)" "bad-answer||the backend broke the protocol (4.8): unsteady is false; and canary_shift 5"
    for way in step batch; do
        same "$(liar $way)" "ok|self-verified implausible|"
        run abdb query kernels
        fails 0 "implausible: faster than its device, a launch or its clock can be"
        ABDB_BACKENDS=$dir/liars abdb run -q --kernel gemm --backend liar --axis n=64 --axis dtype=f32 --tag honest
        run abdb compare tag=$way tag=honest --where metric=time_s,statistic=median
        fails 3 implausible
        same "$(abdb rank workload=gemm,metric=time_s --per tag -o csv --columns tag 2>/dev/null | grep -c "^$way")" 0
    done
}

@test "wrong operation counts are a bad answer; an unknown formula is in no comparison, ranking or ceiling" {
    same "$(liar ops)" "bad-answer||the backend broke the protocol (4.6): ops is 5.24288e+06; and gemm@1 of these parameters counts 524288"
    same "$(liar bytes)" "bad-answer||the backend broke the protocol (4.6): bytes is 4.9152e+07; and gemm@1 of these parameters counts 49152"
    for way in formula own-formula; do
        same "$(liar $way)" "ok|self-verified unknown-formula|"
        run abdb query kernels
        fails 0 "unknown-formula: abdb cannot count this work again"
        same "$(abdb query ceilings -o csv 2>/dev/null | grep -c Liar)" 0
        ABDB_BACKENDS=$dir/liars abdb run -q --kernel gemm --backend liar --axis n=64 --axis dtype=f32 --tag honest
        run abdb compare tag=$way tag=honest --where metric=flops_per_s
        fails 3 unknown-formula
        same "$(abdb rank workload=gemm,metric=flops_per_s --per tag -o csv --columns tag 2>/dev/null | grep -c "^$way")" 0
        [[ $(abdb query ceilings -o csv 2>/dev/null | grep -c Liar) -ge 1 ]]
    done
}

@test "a program with right answers to all challenges is verified by abdb; a wrong one is a bad answer" {
    same "$(liar challenge)" "ok||"
    same "$(ask "SELECT DISTINCT verified || verified_by || marks FROM v_result")" "passabdb"
    same "$(liar challenge-once)" "ok|self-verified|"
    same "$(ask "SELECT DISTINCT verified_by FROM v_result")" program
    for way in challenge-half challenge-other-inputs; do
        [[ $(liar $way) == "bad-answer||the backend broke the protocol (4.21): row "*" of the product of seed "*" is wrong" ]]
    done
    same "$(liar challenge-other-seed)" "bad-answer||the backend broke the protocol (4.21): an answer of no seed that it was given"
    same "$(liar challenge-early)" "bad-answer||the backend broke the protocol (4.21): an answer without a sample since its seed"
}

@test "check-backend names the broken rule of each cheating program" {
    for way in overlap:4.5 backwards:4.4 bound:4.6 unchecked:4.8 steady:4.8 ops:4.6 bytes:4.6 challenge-half:4.21 \
        challenge-other-inputs:4.21 challenge-early:4.21; do
        WAY=${way%:*} abdb check-backend -o csv --wait 3 --cell "gemm n=64 dtype=f32" -- python3 -SE "$root/tests/backends/lying_backend.py" >${way%:*}.csv 2>/dev/null || true
        grep -q "^${way#*:},BROKEN" "${way%:*}.csv" || { cat "${way%:*}.csv"; false; }
    done
    WAY=challenge abdb check-backend -o csv --wait 3 --cell "gemm n=64 dtype=f32" -- python3 -SE "$root/tests/backends/lying_backend.py" >right.csv 2>/dev/null || true
    grep -q "^4.21,ok" right.csv
}

@test "a trend, two speeds, a wide interval and an outlier are marked; a background load is named" {
    same "$(liar steady-times)" "ok|self-verified|"
    same "$(ask "SELECT count(*) FROM v_sample WHERE mark IS NOT NULL")" 0
    liar one-outlier
    same "$(ask "SELECT seq || '|' || mark FROM v_sample WHERE mark IS NOT NULL")" "7|outlier"
    same "$(liar rising)" "ok|wide trend self-verified|"
    same "$(liar two-speeds)" "ok|wide two-modes self-verified|"
    same "$(liar scattered)" "ok|wide self-verified|"
    liar alone
    no grep "fixed piece of work" <(abdb query kernels)
    for way in alone beside-others; do
        WAY=$way ABDB_BACKENDS=$dir/liars abdb run -q --kernel gemm --backend liar --axis n=64 --axis dtype=f32 --tag $way >/dev/null
    done
    run abdb query kernels --tag beside-others
    fails 0 "1 cell measured while a fixed piece of work took up to 50 % longer than at the best time of this machine"
    no grep "fixed piece of work" <(abdb query kernels --tag alone)
}

@test "a rate above the upper bound of a host is implausible, and not a ceiling" {
    mkdir fast
    for k in gemm stream; do
        cat >fast/abdb-run-fast <<P
#!/bin/sh
"$build/abdb-run-ref" "\$@" | sed -u -E 's/"most_(ops|bytes)_per_s":[0-9.e+]+/"most_\1_per_s":1e6/g'
P
        chmod +x fast/abdb-run-fast
        ABDB_BACKENDS=$dir/fast abdb run -q --kernel $k --backend fast --axis n=64 --quick
    done
    same "$(ask "SELECT count(*) FROM v_run WHERE flags LIKE '% self-verified implausible'")" 2
    for k in gemm stream; do abdb run -q --kernel $k --backend ref --axis n=64 --quick; done
    same "$(ask "SELECT count(*) FROM v_run WHERE backend = 'ref' AND flags LIKE '%implausible%'")" 0
    same "$(abdb query ceilings -o csv 2>/dev/null | grep -c fast)" 0
}

@test "f32 by three products of bf16 is measured apart from f32, and is not a ceiling" {
    abdb run -q --kernel gemm --backend ref --axis n=64 --axis dtype=f32 --axis products=bf16x3 --quick --tag by-three
    same "$(ask "SELECT DISTINCT verified FROM v_run")" pass
    same "$(abdb query ceilings -o csv 2>/dev/null | grep -c gemm)" 0
    abdb run -q --kernel gemm --backend ref --axis n=64 --axis dtype=f32 --quick --tag whole
    [[ $(abdb query ceilings -o csv 2>/dev/null | grep -c gemm) -ge 1 ]]
    run abdb compare tag=by-three tag=whole
    [[ $output == *"unknown on a side: products"* ]]
    run abdb rank workload=gemm,metric=flops_per_s --per none
    fails 0 "2 groups that may not be compared with one another"
    run abdb run --kernel gemm --backend vec --axis n=64 --axis products=bf16x3 --quick
    [[ $output == *"1 not implemented"* ]] || same "$(ask "SELECT status || reason FROM v_run WHERE backend = 'vec'")" "not-implementedit has products of the format itself only"
    run abdb run -q --kernel gemm --backend ref --axis n=64 --axis dtype=f64 --axis products=bf16x3 --quick
    same "$(ask "SELECT reason FROM v_run WHERE dtype = 'f64'")" "gemm: products=bf16x3 is of f32"
}

@test "a pass has a mark for a partial check or a check at a smaller size" {
    cat >plan <<'P'
gemm n=32 dtype=f32
transformer-block dtype=f32 pass=forward d=512 heads=8 batch=1 sequence=512
attention dtype=f32 heads=8 kv_heads=8 queries=1200 keys=1200 d=64
P
    abdb run -q --plan plan --backend vec --quick >/dev/null
    abdb query kernels -o json >k.json
    same "$(jq -r '.[] | select(.cell | startswith("gemm")) | .verified + (.verified_mark // "")' k.json | sort -u)" pass
    same "$(jq -r '.[] | select((.cell | startswith("transformer"))) | .verified + (.verified_mark // "")' k.json)" "pass (small)"
    [[ $(jq -r '.[] | select(.cell | startswith("attention")) | .verified + (.verified_mark // "")' k.json) =~ ^pass\ \([0-9.]+\ %\) ]]
    same "$(ask "SELECT DISTINCT verified FROM v_run")" pass
}

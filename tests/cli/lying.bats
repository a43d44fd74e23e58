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

@test "a library that changes inputs, writes outside of its output, or works only when it is looked at is a failed row with the reason" {
    [ -x "$build/abdb-run-openblas" ] && [ -s "$BATS_FILE_TMPDIR/lying.so" ] || skip "no OpenBLAS or compiler"
    same "$(lie honest n=192)" "ok|pass|"
    for n in 192 600; do # below and above 1 MiB, where memory is the pool's
        same "$(lie zeroed n=$n)" "failed|unchecked|wrong kernel: input changed (its tensor 0)"
        same "$(lie rounding n=$n)" "failed|unchecked|wrong kernel: input changed (its tensor 0)"
        same "$(lie behind n=$n)" "failed|unchecked|wrong kernel: it wrote 0 bytes before and 4 behind its tensor 2"
        same "$(lie before n=$n)" "failed|unchecked|wrong kernel: it wrote 4 bytes before and 0 behind its tensor 2"
                [[ $(lie memoised n=$n) == "failed|unchecked|wrong kernel: stale output: sample "* ]]
        [[ $(lie half n=$n) == "failed|unchecked|wrong kernel: stale output: sample "* ]]
        [[ $(lie fingerprint n=$n) == "failed|unchecked|wrong kernel: stale output: of the changed input at sample "* ]]
    done
    [[ $(lie half n=600 cache=cold) == "failed|unchecked|wrong kernel: stale output"* ]]
    [[ $(lie memoised n=600 cache=rotate) == "failed|unchecked|wrong kernel: stale output"* ]]
    same "$(lie rounding n=600 cache=rotate)" "failed|unchecked|wrong kernel: input changed (its tensor 0)"
}

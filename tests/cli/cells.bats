#!/usr/bin/env bats
# cells.bats - one list of cells by every backend that is here: right, or not implemented by name. Wrong answers and missing ones are seen.
load common

@test "every backend is right at the cells of each of its kernels, and names the kernels that it lacks" {
    run "$root/tests/campaigns/cells.sh" --lean
    [ "$status" -eq 0 ] || { echo "$output"; return 1; }
    for b in ref vec openblas onednn blis mpi; do
        [ ! -x "$build/abdb-run-$b" ] || grep -qE "^\| $b \|.* 0 \|$" <<<"$output" || { echo "no $b: $output"; return 1; }
    done
    # all 19 kernels by the reference; of none fewer than its own
    [[ $output == *"| ref | "*" | 19 | "* ]]
    no grep -E '\| 0 \| [0-9]+ \| 0 \|$' <<<"$output"
}

@test "cells.sh reports a wrong result and a listed kernel without a right result" {
    mkdir b
    ln -s "$build/abdb" b/abdb
    cat >b/abdb-run-ref <<P
#!/bin/sh
"$build/abdb-run-ref" "\$@" | sed -u -E '/"kind": *"result".*"gups/s/"pass"/"fail"/; s/("kernels": *\[)/\1{"name":"latency","provider":"x"},/; /"end".*"latency/s/"ok"/"not-implemented","reason":"not today at all"/; /"(sample|result|telemetry)".*"latency/d'
P
    chmod +x b/abdb-run-ref
    grep -E 'gups|latency' "$root/tests/campaigns/cells.plan" >small.plan
    BUILD=$dir/b CELLS=$dir/small.plan run "$root/tests/campaigns/cells.sh" --lean ref
    fails 1 "ref gups words=65536 updates=20000 | ok | fail"
    [[ $output == *"ref: latency is listed, and never right"* ]]
}

@test "coverage-kernels counts measured, wrong, missing, failed and untried cells of each kernel and backend" {
    cat >plan <<'P'
gemm n=16 dtype=f32,bf16
gups words=65536 updates=2000
stream op=copy n=4096 threads=7
P
    run abdb run -q --plan plan --backend vec,openblas --quick --threads 1
    abdb run -q --kernel latency --axis bytes=4096 --axis hops=10 --backend vec --quick
    abdb query coverage-kernels -o csv >rows
    line() { grep "^$1,$2," rows | cut -d, -f4-9; }
    [[ $(line gemm openblas) == 'measured,1,,1,,f32' ]] || { cat rows; return 1; }
    [[ $(line gups openblas) == 'not-implemented,,,1,,' ]]
    [[ $(line gups vec) == 'measured,1,,,,'* ]]
    [[ $(line latency openblas) == 'not asked,,,,,' ]]
    [[ $(line stream openblas) == 'failed,,,,1,' ]]
    grep -q '^stream,openblas,.*threads that were asked for' rows
    same "$(wc -l <rows)" 9 # four kernels by two backends, none absent
    # one whose result is wrong is not measured
    sqlite3 "$ABDB_DB" "UPDATE description SET verified = 'fail' WHERE workload = 'gups' AND backend = 'vec'"
    same "$(abdb query coverage-kernels --kernel gups --backend vec -o csv | tail -1 | cut -d, -f4-6)" wrong,,1
    same "$(abdb query coverage-kernels --state 'not asked' -o csv | tail -n +2 | cut -d, -f1,2)" latency,openblas
}

@test "the prefetch instructions of vec are in the compiled program" {
    for f in embedding_bags_ gather_or_scatter_ gups_updates_ 'f32_(softmax_rows|run_row_op)' 'f32_(layernorm_or_rmsnorm_rows|run_row_op)'; do # all: where another compiler makes them a part of it
        [ "$(objdump -d --no-show-raw-insn "$build/abdb-run-vec" | awk -v f="$f" '/^[0-9a-f]+ <.*>:/ { name = $2 } /prefetch|prfm/ && name ~ "<" f { n++ } END { print n + 0 }')" -ge 1 ] || { echo "$f asks for nothing"; return 1; }
    done
}

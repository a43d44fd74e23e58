#!/usr/bin/env bats
# cells.bats - one list of cells by every backend that is here: right, or not implemented by name. Wrong answers and missing ones are seen.
load common

@test "every backend is right at the cells of each kernel that it has; what it lacks is not implemented, by name" {
    run "$root/tests/cells.sh" --lean
    [ "$status" -eq 0 ] || { echo "$output"; return 1; }
    for b in ref vec openblas onednn blis mpi; do
        [ ! -x "$build/abdb-run-$b" ] || grep -qE "^\| $b \|.* 0 \|$" <<<"$output" || { echo "no $b: $output"; return 1; }
    done
    # all 19 kernels by the reference; of none fewer than its own
    [[ $output == *"| ref | "*" | 19 | "* ]]
    ! grep -E '\| 0 \| [0-9]+ \| 0 \|$' <<<"$output"
}

@test "a result that is wrong, and a kernel that is listed and never right, are told" {
    mkdir b
    ln -s "$build/abdb" b/abdb
    cat >b/abdb-run-ref <<P
#!/bin/sh
"$build/abdb-run-ref" "\$@" | sed -u -E '/"kind": *"result".*"gups/s/"pass"/"fail"/; s/("kernels": *\[)/\1{"name":"latency","provider":"x"},/; /"end".*"latency/s/"ok"/"not-implemented","reason":"not today at all"/; /"(sample|result|telemetry)".*"latency/d'
P
    chmod +x b/abdb-run-ref
    grep -E 'gups|latency' "$root/tests/cells.plan" >small.plan
    BUILD=$dir/b CELLS=$dir/small.plan run "$root/tests/cells.sh" --lean ref
    fails 1 "ref gups words=65536 updates=20000 | ok | fail"
    [[ $output == *"ref: latency is listed, and never right"* ]]
}

#!/usr/bin/env bats
# recompute.bats - answers of rank, compare and reports, recomputed outside of abdb from the shipped files.
load common

@test "hundreds of answers equal a recomputation from the shipped files without abdb" {
    run python3 "$root/tests/bench/recompute.py" "$build/abdb" "$root/data"
    fails 0 ", 0 disagree"
}

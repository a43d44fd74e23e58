#!/usr/bin/env bats
# mutants.bats - wrong kernels do not pass verification: a few of tests/mutants/table.txt, which `make soak` tries whole.
load common

@test "the table of wrong kernels fits the sources" {
    run "$root/tests/mutants.sh" --check
    fails 0 " mutants"
}

@test "wrong kernels are caught: stale, index, bound, tail, scale, order, thread part" {
    [[ $build != *sanitize* ]] || skip "backends that are built anew"
    run "$root/tests/mutants.sh" --few --jobs 2
    fails 0 "are caught at every cell that they change"
}

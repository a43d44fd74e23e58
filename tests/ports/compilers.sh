#!/usr/bin/env bash
# compilers.sh - other compilers of this machine (gcc-12 to gcc-15, clang, clang-13 to clang-19): everything builds without a warning by
# -std=c17 -Wpedantic, and kernels are right. In TAP; what is not installed is named. Device code is nvcc's, so it is left out. (clang wants literals
# where gcc knows a va_list.)
set -uo pipefail
cd "$(dirname "$0")/../.."
found=() absent=()
for c in ${COMPILERS:-gcc-12 gcc-13 gcc-14 gcc-15 clang clang-13 clang-14 clang-15 clang-16 clang-17 clang-18 clang-19}; do
    command -v $c >/dev/null || { absent+=($c); continue; }
    echo '#include <omp.h>' | $c -fopenmp -E -x c - >/dev/null 2>&1 || { absent+=("$c (has no omp.h; Debian: libomp${c#clang}-dev)"); continue; }
    version=$($c --version | head -1)
    # not the one that make takes, and none twice: clang is often one of the others
    [[ " $(gcc --version | head -1 | sed 's/^[^ ]* //') " == " ${version#* } " ]] || [[ " ${versions[*]:-} " == *"$version"* ]] || found+=($c)
    versions+=("$version")
done
echo "# not installed whole, so not tried: ${absent[*]:-none}"
[ ${#found[@]} -gt 0 ] || { echo "1..0 # SKIP no other compiler"; exit 0; }
echo "1..$((3 * ${#found[@]}))"
n=0 failed=0
for c in "${found[@]}"; do
    build=build-ports/$c
    export CFLAGS=-Wno-format-nonliteral
    # the VectorCombine pass of clang 16 runs into itself on attention of few queries
    [[ $($c --version | head -1) != *"version 16."* ]] || CFLAGS+=" -mllvm -disable-vector-combine -Wno-unused-command-line-argument"
    mkdir -p $build
    for step in "make -s -j$(nproc) CC=$c BUILD=$build DEV=1 WITH_cuda=no all $build/unit/kernels $build/unit/gemm" \
        "env OMP_WAIT_POLICY=passive $build/unit/kernels" "env OMP_WAIT_POLICY=passive $build/unit/gemm"; do
        n=$((n + 1))
        if $step >$build/log 2>&1; then echo "ok $n - $step"; else
            echo "not ok $n - $step"
            sed 's/^/#   /' $build/log | tail -20
            failed=1
        fi
    done
done
exit $failed

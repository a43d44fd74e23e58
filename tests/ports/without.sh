#!/usr/bin/env bash
# without.sh - a machine without any optional library or program: abdb builds, answers and measures, and what is missing says how to get it. In TAP.
set -uo pipefail
cd "$(dirname "$0")/../.."
build=build-ports/without dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
libraries=$(make -s config | sed -n 's/.*(WITH_\([a-z0-9]*\)=.*/WITH_\1=no/p' | tr '\n' ' ')
echo "1..9"
n=0 failed=0
said() { # NAME WORDS: of $dir/out
    n=$((n + 1))
    grep -qF -- "$2" "$dir/out" && { echo "ok $n - $1"; return; }
    echo "not ok $n - $1: does not say '$2'"
    sed 's/^/#   /' "$dir/out" | tail -20
    failed=1
}
# shellcheck disable=SC2086 # words
make -s BUILD=$build $libraries all >"$dir/out" 2>&1 && echo built >>"$dir/out"
said "it builds with $libraries" built
# only what libc's own package and these tests need is on the PATH
mkdir "$dir/bin"
for tool in sh env; do ln -s "$(command -v $tool)" "$dir/bin/"; done
bare() { env -i PATH="$dir/bin" HOME="$dir" ABDB_D3=/nonexistent ABDB_DATA="$PWD/data" ABDB_DB="$dir/t.db" "$build/abdb" "$@" >"$dir/out" 2>&1; }
bare import -q data
bare query mlperf-llm --round v6.0 --model llama2-70b-99 --scenario Server
said "it answers" 14313.0
bare run --quick --kernel gemm --axis n=64 --axis dtype=f32
said "it measures" "1 cell measured"
bare doctor
said "doctor says how to get a backend" "install the package abdb-backend-openblas, or build abdb from its source with libopenblas"
bare plot mlperf-llm --round v6.0 --model llama2-70b-99 --scenario Server --out "$dir/f.svg"
said "a figure says how to get gnuplot" "apt-get install gnuplot"
bare site --out "$dir/site"
said "a site says how to get its pictures" "node-d3"
bare run --backend openblas --kernel gemm --axis n=64
said "a backend that was not built says how to get it" "install the package abdb-backend-openblas, or build abdb from its source with libopenblas"
bare run --backend cuda --kernel gemm --axis n=64
said "one that has no package of abdb, too" "no backend 'cuda' here: build abdb from its source with nvidia-cuda-toolkit"
bare push postgresql://localhost/x
said "a store, too" "install the package abdb-store-pg, or build abdb with libpq-dev"
exit $failed

#!/usr/bin/env bash
# kernels.sh - our own kernels against the libraries at their best setting and against the ceilings of the machine, in ABBA
# pairs of whole processes: the median ratio with its 95 % interval. PAIRS (15). ONLY=word runs the lines that have it.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$PWD/${BUILD:-build}
pairs=${PAIRS:-15}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export OMP_PROC_BIND=close OMP_PLACES=cores OMP_WAIT_POLICY=active
OMP_NUM_THREADS=$(nproc)
export OMP_NUM_THREADS OPENBLAS_NUM_THREADS=$OMP_NUM_THREADS BLIS_NUM_THREADS=$OMP_NUM_THREADS
if grep -q avx512vl /proc/cpuinfo; then export OPENBLAS_CORETYPE=SkylakeX BLIS_ARCH_TYPE=skx; else export OPENBLAS_CORETYPE=Haswell BLIS_ARCH_TYPE=haswell; fi
. tests/bench/pair.sh

cell() { # BACKEND KERNEL key=value...: seconds of a launch, the median of the samples; nothing where it is not implemented
    local backend=$1 kernel=$2 params=
    shift 2
    for p in "$@"; do params+="${params:+,}\"${p%%=*}\":\"${p#*=}\""; done
    echo "{\"cell\":\"x\",\"kernel\":\"$kernel\",\"params\":{$params},\"quick\":true}" | "$build/abdb-run-$backend" run 2>/dev/null |
        jq -rs '[.[] | select(.kind == "sample") | .time_s] | sort | .[length / 2 | floor] // empty'
}
line() { # NAME, then `a` and `b` are defined
    [[ "$1" == *"${ONLY:-}"* ]] || return 0
    if [ -z "$(a)" ] || [ -z "$(b)" ]; then
        echo "| $1 | absent or not implemented | | | | |"
        return 0
    fi
    pair "$1" a b
}

echo "date      $(date -u +%F)"
echo "machine   $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1), $(nproc) processors, $(. /etc/os-release && echo "$PRETTY_NAME")"
for b in openblas onednn blis; do
    [ ! -x "$build/abdb-run-$b" ] || echo "peer      $("$build/abdb-run-$b" describe 2>/dev/null | jq -r 'select(.kind == "environment") | .environment.library')"
done
echo "settings  OPENBLAS_CORETYPE=$OPENBLAS_CORETYPE BLIS_ARCH_TYPE=$BLIS_ARCH_TYPE, plain layouts, packing timed, small pages, the same threads and binding"
for t in f64 f32 bf16 i8; do
    w=$((4096 * OMP_NUM_THREADS)) each=$([ $t = bf16 ] && echo 4 || { [ $t = i8 ] && echo 8; } || echo 2)
    cell vec fma dtype=$t width=$w n=4096 | awk -v t=$t -v ops=$((each * w * 4096)) '{ printf "ceiling   %s %.0f Gop/s in registers\n", t, ops / $1 / 1e9 }'
done
echo
echo "| what (A against its peer B) | A | B | B/A | 95 % interval | pairs |"
echo "|---|---|---|---|---|---|"
for n in 2048 4096; do
    a() { cell vec gemm dtype=f32 n=$n; }
    for peer in openblas onednn blis; do
        b() { cell $peer gemm dtype=f32 n=$n; }
        line "f32 product n=$n by vec, against $peer"
    done
    b() { cell vec fma dtype=f32 width=$((4096 * OMP_NUM_THREADS)) n=4096 | awk -v n=$n -v t=$OMP_NUM_THREADS '{ printf "%.9f\n", $1 * n * n * n / (4096 * 4096 * t) }'; }
    line "f32 product n=$n by vec, against the same operations in registers"
done
a() { cell vec gemm dtype=bf16 n=2048; }
b() { cell onednn gemm dtype=bf16 n=2048; }
line "bf16 product n=2048 by vec, against onednn"
a() { cell vec gemm dtype=f64 n=2048; }
b() { cell blis gemm dtype=f64 n=2048; }
line "f64 product n=2048 by vec, against blis"
for bytes in 2048 256 64; do
    rows=$((1073741824 / bytes))
    a() { cell vec gather op=gather bytes=$bytes rows=$rows fraction=0.5; }
    b() { cell vec stream op=copy stores=nt dtype=f32 n=$((rows / 2 * bytes / 4)); }
    line "gather of $bytes-byte vectors, against the same bytes in order (copy, stores past the caches)"
done

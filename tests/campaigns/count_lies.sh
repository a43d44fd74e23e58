#!/usr/bin/env bash
# count_lies.sh - how often a quick cell finds a BLAS that cheats while the clock runs (tests/backends/lying_blas.c): a table. count_lies.sh [CELLS]
# Exit 1: a stale result or half of the work is missed more than once in a hundred, or an honest library is called wrong.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${BUILD:-build} cells=${1:-200} dir=$(mktemp -d) bad=0
trap 'rm -rf "$dir"' EXIT
# shellcheck disable=SC2046 # flags are words
gcc -shared -fPIC -O2 -D_GNU_SOURCE $(pkg-config --cflags openblas 2>/dev/null) -o "$dir/lying.so" tests/backends/lying_blas.c
requests() { # N: cells of that size
    for ((i = 0; i < cells; i++)); do
        echo "{\"cell\":\"c$i\",\"kernel\":\"gemm\",\"params\":{\"n\":\"$1\",\"dtype\":\"f32\"},\"quick\":true,\"timeout_s\":60}"
    done
}
found() { # LIE N: cells that it is found in
    requests "$2" | LIE=$1 LD_PRELOAD=$dir/lying.so OMP_WAIT_POLICY=passive "$build/abdb-run-openblas" run 2>/dev/null |
        grep -cE '"kind":"end".*"status":"failed"|"kind":"result".*"verified":"fail"' || true
}
echo "| | n=64 | n=256 | n=600 |"
echo "|---|---|---|---|"
for lie in honest memoised fingerprint half race; do
    row="| $lie |"
    for n in 64 256 600; do
        count=$(found $lie $n)
        row+=" $count of $cells |"
        case $lie in
        honest) ((count == 0)) || bad=1 ;;
        race) ;;
        *) ((100 * (cells - count) <= cells)) || bad=1 ;;
        esac
    done
    echo "$row"
done
exit $bad

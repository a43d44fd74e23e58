#!/usr/bin/env bash
# arm64.sh - abdb for aarch64, cross compiled, under qemu-user: tests of number formats and kernels, a cell of every kernel by ref and by
# vec, the program's reports as they are here. In TAP. Times are of no use there. A processor with SVE, dot products of bf16 or i8, or
# other than qemu's, is untested.
set -uo pipefail
cd "$(dirname "$0")/../.."
[ -x "${BUILD:-build}/abdb" ] || tests/checks/build_targets.sh all || exit 1
native=${BUILD:-build} build=build-ports/arm64 root=build-ports/sysroot-arm64 cross=aarch64-linux-gnu-gcc qemu=qemu-aarch64-static
for tool in $cross $qemu sqlite3; do
    command -v $tool >/dev/null || { echo "1..0 # SKIP no $tool (Debian: gcc-aarch64-linux-gnu, qemu-user-static, sqlite3)"; exit 0; }
done
mkdir -p $build
why=$(tests/ports/sysroot.sh arm64 $root) || { echo "1..0 # SKIP $why"; exit 0; }
make -s -j$(nproc) BUILD=$build CC="$cross --sysroot=$PWD/$root" DEV=1 $build/abdb $build/abdb-run-{ref,vec} $build/unit/{format,kernels,gemm,verify} \
    >$build/log 2>&1 || { echo "1..1"; echo "not ok 1 - it builds without warnings"; sed 's/^/#   /' $build/log | tail -20; exit 1; }

dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
arm() { $qemu -L $root "$@"; }
. tests/ports/ok.sh
echo "1..12"
ok "it builds without warnings"
export OMP_WAIT_POLICY=passive
for unit in format verify kernels gemm; do
    OMP_NUM_THREADS=2 arm $build/unit/$unit >"$dir/out" 2>&1
    ok "unit/$unit"
done

# the backends by a program of this machine: what is verified is what they say
mkdir "$dir/backends"
for b in ref vec; do
    printf '#!/bin/sh\nexec %s -L %s %s "$@"\n' "$(command -v $qemu)" "$PWD/$root" "$PWD/$build/abdb-run-$b" >"$dir/backends/abdb-run-$b"
done
chmod +x "$dir"/backends/*
grep -v '^#' tests/ports/small.plan | sed -n 's/ .*//p' | sort -u | diff - <(sed -n 's/^KERNEL(.*"\(.*\)".*/\1/p' kernels/registry.def | sort) >"$dir/out"
ok "small.plan has a cell of every kernel"
export ABDB_BACKENDS=$dir/backends ABDB_DB=$dir/db ABDB_DATA=data
"$native/abdb" run --plan tests/ports/small.plan --quick --backend vec,ref >"$dir/out" 2>&1
[ $? = 0 ] || [ $? = 5 ]
ok "every kernel is measured"
grep -vE '^(#|latency|gups|.*ranks=)' tests/ports/small.plan | sed 's/$/  isa=base/' >"$dir/base.plan"
"$native/abdb" run --plan "$dir/base.plan" --quick --backend vec >"$dir/out" 2>&1
[ $? = 0 ] || [ $? = 5 ]
ok "and by vectors that know no NEON"
ask() { "$native/abdb" query -o csv "$1" 2>&1 | tail -n +2; }
ask "SELECT cell, status, verified, reason FROM v_kernel WHERE NOT (status = 'ok' AND verified = 'pass')
       AND NOT (backend = 'vec' AND status = 'not-implemented' AND (dtype IN ('bf16', 'i8') OR cell LIKE '%stores=nt%' OR cell LIKE 'vec fma dtype=f16%' OR cell LIKE '%ranks=%'))
       AND NOT (backend = 'ref' AND status = 'not-implemented' AND (cell LIKE '%weights=packed%' OR cell LIKE '%stores=nt%'))" >"$dir/out"
[ ! -s "$dir/out" ]
ok "and verified, but for what neon has not: products of bf16 and i8, sums of f16, stores past the caches"
[ "$(ask "SELECT DISTINCT chosen FROM v_kernel WHERE backend = 'vec' AND cell NOT LIKE '%isa=base' AND chosen IS NOT NULL" | tr -d '"' | sed 's/, blocks=zen$//' | sort -u | tee "$dir/out")" = neon ]
ok "vec chose neon"

# the whole program: the same evidence, the same answers
for side in here there; do
    if [ $side = here ]; then abdb() { ABDB_DB=$dir/$side.db "$native/abdb" "$@"; }; else abdb() { ABDB_DB=$dir/$side.db arm $build/abdb "$@"; }; fi
    { abdb import -q data && abdb query mlperf-llm && abdb query specs -o json && abdb query prices -o csv && abdb audit claims && abdb rank; } >"$dir/$side.txt" 2>&1
done
diff "$dir/here.txt" "$dir/there.txt" >"$dir/out" && [ "$(wc -l <"$dir/here.txt")" -gt 200 ]
ok "reports over the shipped data are those of this machine"
sqlite3 "$dir/here.db" "ATTACH '$dir/there.db' AS t; SELECT key FROM main.v_result EXCEPT SELECT key FROM t.v_result LIMIT 5" >"$dir/out" 2>&1 && [ ! -s "$dir/out" ]
ok "and so are the keys of its results"
exit $failed

#!/usr/bin/env bash
# cells.sh - the cells of cells.plan by every backend that is here: each is right, or not implemented and says why. A table, exit 1 where not.
# cells.sh [--lean] [BACKEND...]. Ranks of mpi are three; without a device cuda and nccl run on the driver of tests/cuda, which emulates one, or three.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
. tests/checks/need.bash
need jq sqlite3 "$build/abdb"
[[ $build == /* ]] || build=$PWD/$build
abdb=$build/abdb
lean= list=${CELLS:-tests/campaigns/cells.plan} # CELLS: another list
[ "${1-}" != --lean ] || { lean=1; shift; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export ABDB_BACKENDS=$build ABDB_DB=$dir/cells.db OMP_WAIT_POLICY=passive POCL_CACHE_DIR=${POCL_CACHE_DIR:-$build/pocl}
[ -n "${ABDB_PYTHON-}" ] || [ ! -x "$build/torch/bin/python" ] || export ABDB_PYTHON=$build/torch/bin/python
# What a backend says of itself; is there a device?
has_device() {
    "$build/abdb-run-$1" describe >"$dir/$1.says" 2>/dev/null || true
    grep -q '"kind": *"device"' "$dir/$1.says"
}
[ ! -x "$build/abdb-run-cuda" ] || has_device cuda || BUILD=$build tests/checks/build_targets.sh emulated/libcuda.so
if [ -e "$build/emulated/libcuda.so" ] && [ -x "$build/abdb-run-cuda" ] && ! has_device cuda; then
    export ABDB_CUDA_DRIVER=$build/emulated/libcuda.so ABDB_CUBLAS=$build/emulated/libcuda.so ABDB_EMULATED_ARCH=90
    export ABDB_CUBLASLT=$build/emulated/libcuda.so ABDB_NVML=$build/emulated/libcuda.so
    export ABDB_NCCL=$build/emulated/libcuda.so
fi
present=()
for b in "${@:-ref vec openblas onednn blis opencl torch cuda mpi nccl}"; do
    for b in $b; do
        if [ ! -x "$build/abdb-run-$b" ]; then
            echo "# $b: absent, built without (abdb doctor)"
        elif ! has_device "$b"; then
            echo "# $b: absent, $(jq -r 'select(.kind == "no-device").reason' "$dir/$b.says" | cut -c1-160)"
        else
            present+=("$b")
        fi
    done
done
[ ${#present[@]} -gt 0 ] || { echo "no backend"; exit 1; }

# How a kernel is made fast is vec's; of the lean pass the first of each list.
plain() { sed -E 's/ +(isa|blocks|threads)=[^ ]*//g'; }
if [ -n "$lean" ]; then
    sed -n 's/ *# lean$//p' "$list" | plain | sed -E 's/(=[^ ,]*),[^ ]*/\1/g' | sort -u >"$dir/all.plan"
    cp "$dir/all.plan" "$dir/vec.plan"
else
    plain <"$list" | sort -u >"$dir/all.plan"
    cp "$list" "$dir/vec.plan"
fi
grep -q '^[a-z]' "$dir/all.plan"
# PLAN BACKENDS: how many cells were asked
measure() {
    local ask=(--plan "$dir/$1.plan" --backend "$2" --quick)
    [[ ,$2, != *,mpi,* ]] || ask+=(--ranks 3)
    [ -n "$lean" ] && ask+=(--threads 1) || { [ "$2" = vec ] && ask+=(--threads 4) || ask+=(--threads 2); }
    "$abdb" run -q "${ask[@]}" --dry-run | sort -u | cut -d' ' -f1 | uniq -c >>"$dir/asked"
    local code=0
    "$abdb" run -q "${ask[@]}" || code=$?
    [[ $code =~ ^[045]$ ]] # what failed is told below
}
others=$(printf '%s\n' "${present[@]}" | { grep -vxE 'vec|nccl' || true; } | paste -sd,)
[ -z "$others" ] || measure all "$others"
[[ " ${present[*]} " != *" vec "* ]] || measure vec vec
[[ " ${present[*]} " != *" nccl "* ]] || ABDB_EMULATED_DEVICES=3 measure all nccl

ask() { sqlite3 -separator ' | ' "$ABDB_DB" "$1"; }
wrong="NOT (status = 'ok' AND verified = 'pass') AND NOT (status = 'not-implemented' AND length(reason) > 10)"
echo "| backend | device | kernels | right | not implemented | wrong |"
echo "|---|---|---|---|---|---|"
ask "SELECT '| ' || backend, max(device), count(DISTINCT CASE status WHEN 'ok' THEN workload END), sum(status = 'ok' AND verified = 'pass'),
       sum(status = 'not-implemented'), sum($wrong) || ' |' FROM v_run GROUP BY backend ORDER BY 1"
ask "SELECT cell, status, verified, reason FROM v_run WHERE $wrong" | tee "$dir/bad"
for b in "${present[@]}"; do
    # every cell that was asked is a row
    rows=$(ask "SELECT count(DISTINCT cell) FROM v_run WHERE backend = '$b'") asked=$(awk -v b="$b" '$2 == b { print $1 }' "$dir/asked")
    [ "$rows" = "$asked" ] || echo "$b: $rows rows of $asked cells" | tee -a "$dir/bad"
    # what it says that it has was right at least once, and all else was not implemented
    diff <(jq -r 'select(.kind == "hello").kernels[].name' "$dir/$b.says" | grep -xFf <(cut -d' ' -f1 "$dir/all.plan") | sort -u) \
        <(ask "SELECT DISTINCT workload FROM v_run WHERE backend = '$b' AND status = 'ok' AND verified = 'pass'" | sort -u) >"$dir/kernels" ||
        sed -n "s/^< \(.*\)/$b: \1 is listed, and never right/p; s/^> \(.*\)/$b: \1 is not listed/p" "$dir/kernels" | tee -a "$dir/bad"
done
# no kernel is forgotten
[ -n "${CELLS-}" ] || diff <(grep -v '^#' "$dir/all.plan" | cut -d' ' -f1 | sort -u) <(sed -n 's/^KERNEL(.*"\(.*\)".*/\1/p' kernels/registry.def | sort) | tee -a "$dir/bad"
[ ! -s "$dir/bad" ]

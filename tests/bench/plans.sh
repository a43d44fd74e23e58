#!/usr/bin/env bash
# plans.sh - plans run whole, against what abdb says beforehand: plans.sh [--quick] [--scale] PLAN... (every shipped one where none
# is named), by BACKEND (vec), into a database of its own (KEEP=FILE: into that one, whose figures can be looked at). Beside each
# the load of the machine before and after: what others do is in the time, too.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$PWD/${BUILD:-build}
. tests/checks/need.bash
need jq "$build/abdb"
quick=() scale=()
[ "${1-}" != --quick ] || { quick=(--quick); shift; }
[ "${1-}" != --scale ] || { scale=(--scale); shift; }
[ $# -gt 0 ] || set -- $(basename -s .plan kernels/plans/*.plan)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export ABDB_DB=${KEEP:-$dir/plans.db} OMP_PROC_BIND=close OMP_PLACES=cores OMP_WAIT_POLICY=active OMP_NUM_THREADS=${OMP_NUM_THREADS:-$(nproc)}

load() { cut -d' ' -f1 /proc/loadavg; }
echo "| plan ${quick[*]} ${scale[*]} by ${BACKEND:-vec} | cells | estimate | took | took/estimate | within 1.3 | not ok | load |"
echo "|---|---|---|---|---|---|---|---|"
for plan in "$@"; do
    before=$(load)
    "$build/abdb" run --plan "$plan" --backend "${BACKEND:-vec}" "${quick[@]}" "${scale[@]}" --dry-run 2>/dev/null | cut -d' ' -f2- |
        jq -Rc --argjson quick "$([ ${#quick[@]} -gt 0 ] && echo true || echo false)" 'split(" ") as $w | {cell: ., kernel: $w[0], quick: $quick, timeout_s: 300,
            params: ($w[1:] | map(split("=") | {(.[0]): .[1]}) | add // {})}' >"$dir/cells"
    "$build/abdb-run-${BACKEND:-vec}" estimate <"$dir/cells" 2>/dev/null | jq -r 'select(.kind == "estimate") | .seconds // 0' >"$dir/estimates"
    begin=$(date +%s%N)
    "$build/abdb" run -q --plan "$plan" --backend "${BACKEND:-vec}" "${quick[@]}" "${scale[@]}" --tag "$plan" || true
    took=$(($(date +%s%N) - begin))
    bad=$("$build/abdb" query "SELECT count(*) FROM v_run WHERE tag = '$plan' AND (status <> 'ok' OR verified <> 'pass') ;" -o csv | tail -1)
    awk -v name="$plan" -v n="$(wc -l <"$dir/cells")" -v took=$took -v bad="$bad" -v load="$before, $(load)" '{ sum += $1 }
        END { s = took * 1e-9; r = s / sum; within = r <= 1.3 && r * 1.3 >= 1 ? "yes" : "no"
              printf "| %s | %d | %.0f s | %.0f s | %.2f | %s | %d | %s |\n", name, n, sum, s, r, within, bad, load }' "$dir/estimates"
done

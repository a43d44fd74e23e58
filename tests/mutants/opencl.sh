#!/usr/bin/env bash
# opencl.sh - wrong parts of networks by OpenCL must not pass: each line of opencl.txt, one mistake each (part of make soak).
# The backend is built in a copy of the tree and asked for small networks, up to the first that it gets wrong. Without a device of OpenCL all
# are left out. --only REGEX; --check: does the table fit the sources?
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
export POCL_CACHE_DIR=${POCL_CACHE_DIR:-$PWD/$build/pocl} XDG_CACHE_HOME=$PWD/$build/cache
. tests/mutants/plant_mistake.bash
networks=('gpt-train "model":"tiny","heads":"4","accumulation":"2"'
    'llama-generate "model":"tiny","output_tokens":"4"'
    'llama-generate "model":"tiny","output_tokens":"4","weights":"i8"'
    'gpt-train "model":"tiny","heads":"4","dtype":"bf16","sparsity":"0.5"'
    'llama-generate "model":"tiny","batch":"2","output_tokens":"4","weights":"i4","layout":"table","block":"16"'
    'dlrm "model":"tiny","bytes":"2236","batch":"13"'
    'dlrm "model":"tiny","bytes":"222","batch":"3","dtype":"bf16"')
# The first network that a program gets wrong; nothing where all are right.
wrong() { # PROGRAM
    local n
    for n in "${networks[@]}"; do
        printf '{"cell":"n","kernel":"%s","quick":true,"params":{%s}}\n' "${n%% *}" "${n#* }" | timeout 100 "$1" run 2>"$room/said" >"$room/told" || true
        jq -es 'any(.kind == "result" and .verified == "pass") and any(.kind == "end" and .status == "ok")' "$room/told" >/dev/null || { echo "$n"; return; }
    done
}
if [ -z "$check" ]; then
    "$build/abdb-run-opencl" describe >"$room/said" 2>/dev/null || true # not into a pipe: grep ends at the first, and what writes on has failed
    grep -q '"kind":"device"' "$room/said" || { echo "left out: no device of OpenCL (Debian: pocl-opencl-icd)"; exit 0; }
    [ -z "$(wrong "$build/abdb-run-opencl")" ] || { echo "the right parts fail"; exit 1; }
    mkdir "$room/tree"
    git ls-files -z | xargs -0 cp --parents --preserve=timestamps -t "$room/tree"
    for b in settings gen obj/kernels obj/schema libabdb.a; do [ ! -e "$build/$b" ] || cp -a --parents "$build/$b" "$room/tree"; done
fi
caught=0 all=0 missed=
while IFS='|' read -r id file from to; do
    [[ -n $id && $id != \#* && $id =~ $only ]] || continue
    all=$((all + 1))
    right=kernels/providers/opencl/$file
    mistake "$id" "$right" "$from" "$to" "$room/wrong"
    [ -z "$check" ] || continue
    cp "$room/wrong" "$room/tree/$right"
    make -s -C "$room/tree" "$build/abdb-run-opencl" >"$room/made" 2>&1 || { echo "$id does not build"; tail -5 "$room/made"; exit 1; }
    by=$(wrong "$room/tree/$build/abdb-run-opencl")
    cp "$right" "$room/tree/$right"
    [ -n "$by" ] && caught=$((caught + 1)) || missed+=" $id"
    echo "$id: ${by:+caught by }${by:-NOT CAUGHT}"
done <tests/mutants/opencl.txt
[ -n "$check" ] || echo "$caught of $all wrong parts are caught${missed:+; not:$missed}"
[ -z "$missed" ]

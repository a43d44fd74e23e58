#!/usr/bin/env bash
# cuda.sh - wrong device code must not pass verification: builds each line of cuda.txt for the emulated driver and tries its cell.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
build=${BUILD:-build}
[ ! -x "$build/abdb-run-cuda" ] || tests/checks/build_targets.sh emulated/libcuda.so || exit 1
[ -e "$build/emulated/libcuda.so" ] || { echo "no emulated driver (nvcc and g++, then make): wrong CUDA kernels are not tried"; exit 0; }
. tests/checks/need.bash
need jq
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
wrong=0 all=0
one_line() { # of text, without blanks at its ends
    sed 's/^ *//; s/ *$//' <<<"$1"
}
while IFS='|' read -r file old new cell; do
    file=$(one_line "$file") old=$(one_line "$old") new=$(one_line "$new") cell=$(one_line "$cell")
    rm -rf "$copy/kernels" && mkdir -p "$copy/kernels/providers" "$copy/o" && cp -r kernels/providers/cuda "$copy/kernels/providers/"
    OLD=$old NEW=$new perl -0777 -i -pe '$n = s/\Q$ENV{OLD}\E/$ENV{NEW}/; END { $? = 1 unless $n }' "$copy/kernels/providers/cuda/cu/$file" ||
        { echo "not ok - $file has no '$old'"; wrong=$((wrong + 1)); continue; }
    objects=()
    for f in kernels/providers/cuda/cu/*.cu; do
        name=$(basename "$f" .cu)
        if [ "$name.cu" = "$file" ] || { [ "${file%.cuh}" != "$file" ] && [[ $cell == *attention* && $name = flash || $cell == elementwise* && $name = row_ops ]]; }; then
            (cd "$copy" && g++ -std=c++17 -O1 -fPIC -I. -I"$OLDPWD" -w -fno-strict-aliasing -ffp-contract=off -include "$OLDPWD/tests/cuda/emulate.h" -x c++ -c "$f" -o "o/$name.o") || exit 1
            objects+=("$copy/o/$name.o")
        else
            objects+=("$build/emulated/$name.o")
        fi
    done
    g++ -shared -o "$copy/libcuda.so" "$build"/emulated/driver/*.o "${objects[@]}" "$build/obj/kernels/micro/format.o" "$build/obj/schema/core/error.o" -lm || exit 1
    read -r kernel params <<<"$cell"
    said=$(tr ' ' '\n' <<<"$params" | jq -cRn --arg k "$kernel" '[inputs | split("=") | {(.[0]): .[1]}] | add | {cell: $k, kernel: $k, quick: true, params: .}' |
        ABDB_CUDA_DRIVER=$copy/libcuda.so ABDB_CUBLAS=$copy/libcuda.so ABDB_CUBLASLT=$copy/libcuda.so timeout 60 "$build/abdb-run-cuda" run 2>/dev/null | jq -r 'select(.kind == "result").verified')
    all=$((all + 1))
    if [ "$said" = pass ]; then
        wrong=$((wrong + 1))
        echo "not ok - $file: '$new' instead of '$old' passes at $cell"
    else
        echo "ok - $file: '$new' is seen (${said:-no result})"
    fi
done < <(grep -v '^#' tests/mutants/cuda.txt)
echo "$((all - wrong)) of $all wrong CUDA kernels are seen"
[ "$wrong" = 0 ]

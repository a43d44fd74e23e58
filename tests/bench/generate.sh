#!/usr/bin/env bash
# generate.sh - decode at batch 1 of the shape of Llama-3.2-1B: its MBU, of the bandwidth of reading the same weights in the same process,
# beside the goal of each form of weights; and against PyTorch (bf16, eager and compiled) in pairs of whole processes. LAYERS (16) of the
# network, PAIRS (5). TORCH=python with PyTorch 2.4 or newer. LLAMA_BENCH=llama-bench of llama.cpp and LLAMA_GGUF=file: its tokens/s
# beside, of that file.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$PWD/${BUILD:-build}
. tests/checks/need.bash
need jq "$build/abdb-run-vec"
pairs=${PAIRS:-5} layers=${LAYERS:-16}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export OMP_PROC_BIND=close OMP_PLACES=cores OMP_NUM_THREADS=${OMP_NUM_THREADS:-$(nproc)}
. tests/bench/pair.sh

# FORM DTYPE: seconds of a token, MBU, tokens/s, verified
decode() {
    echo "{\"cell\":\"x\",\"kernel\":\"llama-generate\",\"quick\":true,\"params\":{\"model\":\"llama-3.2-1b\",\"layers\":\"$layers\",\"dtype\":\"bf16\",\"weights\":\"$1\",\"input_tokens\":\"100\",\"output_tokens\":\"33\"}}" |
        "$build/abdb-run-vec" run 2>/dev/null | jq -rs '(map(select(.kind == "result").verified) | .[0]) as $v | map(select(.kind == "metric")) as $m |
            def of($n): [$m[] | select(.metric == $n and .statistic == "median").value] | .[0]; [of("tpot_s"), of("mbu"), of("decode_tokens_per_s"), $v] | select(.[0]) | map(tostring) | join(" ")'
}
echo "date      $(date -u +%F)"
echo "machine   $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1), $(nproc) processors, $(. /etc/os-release && echo "$PRETTY_NAME")"
echo "network   llama-3.2-1b, $layers of 16 layers, batch 1, 100 tokens in, 33 out; vec, $OMP_NUM_THREADS threads"
echo
echo "| weights | tokens/s | MBU, of $pairs processes the median | goal | |"
echo "|---|---|---|---|---|"
for form in same:0.80 i8:0.75 i4:0.70; do
    for ((i = 0; i < pairs; i++)); do decode "${form%:*}"; done >"$dir/told"
    [ -s "$dir/told" ] || { echo "| ${form%:*} | not implemented here | | ${form#*:} | |"; continue; }
    sort -k2g "$dir/told" | awk -v f="${form%:*}" -v g="${form#*:}" '$4 != "pass" { wrong = 1 } { r[NR] = $3; m[NR] = $2 }
        END { k = int((NR + 1) / 2); printf "| %s | %.4g | %.2f | %s | %s |\n", f, r[k], m[k], g, (wrong ? "not verified" : (m[k] >= g) ? "reached" : "missed") }'
done

# prefill: seconds for 10^12 operations, beside those of a product of 2048 x 2048 x 2048 in turn
asked() { # REQUEST: its records
    echo "{\"cell\":\"x\",\"quick\":true,$1}" | "$build/abdb-run-vec" run 2>/dev/null
}
a() {
    asked "\"kernel\":\"llama-generate\",\"params\":{\"model\":\"llama-3.2-1b\",\"layers\":\"$(((layers + 1) / 2))\",\"dtype\":\"$dtype\",\"input_tokens\":\"512\",\"output_tokens\":\"1\"}" |
        jq -rs '.[] | select(.metric == "prefill_flops_per_s") | 1e12 / .value'
}
b() {
    asked "\"kernel\":\"gemm\",\"params\":{\"dtype\":\"$dtype\",\"n\":\"2048\"}" |
        jq -rs '([.[] | select(.kind == "sample").time_s] | sort | .[length / 2 | floor]) as $t | .[] | select(.kind == "result") | $t / .ops * 1e12'
}
echo
echo "| prefill of 512 tokens against the product of its number format (goal 0.70) | A | B | B/A | least to most | pairs |"
echo "|---|---|---|---|---|---|"
for dtype in f32 bf16; do
    [ -n "$(a)" ] || { echo "| $dtype | not implemented here | | | | |"; continue; }
    pair "$dtype, $(((layers + 1) / 2)) layers" a b
done

torch=absent
python=${TORCH:-$build/venv/bin/python}
[ -x "$python" ] || python=python3
mkfifo "$dir/ask" "$dir/answer"
OMP_WAIT_POLICY=passive "$python" tests/bench/generate_peer.py <"$dir/ask" >"$dir/answer" 2>/dev/null &
exec 8>"$dir/ask" 9<"$dir/answer"
read -r torch <&9 || torch=absent
echo
echo "peer      $torch"
a() { decode same | cut -d' ' -f1; }
b() {
    local answer=
    echo "layers=$layers past=116 compiled=$mode" >&8
    read -r answer <&9 || true
    echo "$answer"
}
if [[ $torch == PyTorch* ]]; then
    for mode in no yes; do pair "bf16, a token, PyTorch$([ $mode = no ] || echo ' compiled')" a b; done
fi
if [ -x "${LLAMA_BENCH:-}" ] && [ -r "${LLAMA_GGUF:-}" ]; then
    "$LLAMA_BENCH" -m "$LLAMA_GGUF" -p 0 -n 33 -t "$OMP_NUM_THREADS" -o json |
        jq -r '.[] | "llama.cpp \(.build_commit), \(.model_type): \(.avg_ts) tokens/s"'
else
    echo "llama.cpp absent (LLAMA_BENCH=llama-bench LLAMA_GGUF=file)"
fi

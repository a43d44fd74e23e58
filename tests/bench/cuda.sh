#!/usr/bin/env bash
# cuda.sh - what needs a CUDA device: all cells verified, compute-sanitizer where it is, and in turn with PyTorch the goals of the backend.
# TURNS=5 pairs each; PYTHON=python3 with torch; REPORT=FILE gets the lines, too. Not tried yet: there was no GPU.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
build=${BUILD:-build} turns=${TURNS:-5} python=${PYTHON:-python3} failed=0
. tests/checks/need.bash
need jq
[ -x "$build/abdb-run-cuda" ] || { echo "built without CUDA: nvcc of NVIDIA's toolkit, then make"; exit 1; }
why=$("$build/abdb-run-cuda" describe | jq -r 'select(.kind == "no-device").reason')
[ -z "$why" ] || { echo "$why"; exit 1; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
say() { printf '%s\n' "$*" | tee -a "${REPORT:-/dev/null}"; }
cell() { # KERNEL key=value... : a line of the protocol
    local kernel=$1
    shift
    printf '%s\n' "$@" | jq -cRn --arg k "$kernel" '[inputs | split("=") | {(.[0]): .[1]}] | add | {cell: $k, kernel: $k, params: .}'
}
seconds() { # of a cell, the median
    "$build/abdb-run-cuda" run <<<"$1" | jq -s 'if any(.[]; .kind == "result" and .verified == "pass") then [.[] | select(.kind == "sample").time_s] | sort | .[length / 2 | floor] else error("not verified") end'
}

# --- all cells -------------------------------------------------------------------------------------
"$build/abdb" run --plan all --backend cuda --quick --db "$dir/cuda.db" | tail -3
bad=$("$build/abdb" query --format csv --db "$dir/cuda.db" "SELECT cell FROM v_kernel WHERE verified = 'fail' OR status NOT IN ('ok', 'not-implemented')")
[ -z "$bad" ] && say "all cells verify" || { say "wrong: $bad"; failed=1; }

# --- compute-sanitizer -----------------------------------------------------------------------------
if command -v compute-sanitizer >/dev/null; then
    for tool in memcheck racecheck synccheck; do
        { cell stream op=triad n=10007 dtype=f32; cell gather rows=3000 bytes=36; cell elementwise op=softmax rows=19 columns=198
          cell attention queries=150 keys=190 d=64 causal=yes dtype=bf16; cell attention pass=backward queries=150 keys=190 d=64 causal=yes dtype=bf16
          cell paged-attention batch=3 heads=4 kv_heads=2 sequence=200 block=20 d=48; cell linear m=70 n=77 k=320 weights=i8 activations=i8; } |
            jq -c '.quick = true' | compute-sanitizer --tool $tool --error-exitcode 9 "$build/abdb-run-cuda" run >"$dir/$tool" 2>&1 &&
            say "compute-sanitizer $tool: clean" || { say "compute-sanitizer $tool: $(grep -m1 ERROR "$dir/$tool")"; failed=1; }
    done
else say "compute-sanitizer: absent"; fi

# --- in turn with PyTorch ---------------------------------------------------------------------------
"$python" -c 'import torch' 2>/dev/null || { say "PyTorch: absent ($python; set PYTHON)"; exit $failed; }
coproc PEER { "$python" tests/bench/cuda_peer.py; }
peer() { echo "$1" >&"${PEER[1]}"; read -r answer <&"${PEER[0]}"; echo "$answer"; }
# NAME GOAL CELL PEER TIMES: the peer's time, times TIMES, over ours, median of the turns, is at least GOAL
pair() {
    local ratios=() ours theirs
    for _ in $(seq "$turns"); do
        ours=$(seconds "$3") theirs=$(peer "$4")
        ratios+=("$(jq -n "$theirs * $5 / $ours")")
    done
    local ratio
    ratio=$(printf '%s\n' "${ratios[@]}" | sort -g | sed -n "$((turns / 2 + 1))p")
    say "$1: $ratio of the peer (goal $2)"
    jq -en "$ratio >= $2" >/dev/null || failed=1
}
pair "bf16 product n=8192, cublas" 0.98 "$(cell gemm n=8192 dtype=bf16 provider=cublas)" "product n=8192" 1
pair "bf16 product n=8192, cublaslt" 0.98 "$(cell gemm n=8192 dtype=bf16 provider=cublaslt)" "product n=8192" 1
pair "copy, against PyTorch's" 0.97 "$(cell stream op=copy n=268435456 dtype=f32)" "copy n=268435456" 1
pair "triad, its 3 arrays against PyTorch's copy of 2" 0.97 "$(cell stream op=triad n=268435456 dtype=f32)" "copy n=268435456" 1.5
pair "flash attention forward bf16 d=64, against FlashAttention-2" 0.8 "$(cell attention batch=4 heads=16 sequence=4096 d=64 dtype=bf16)" "flash sequence=4096 d=64" 1
pair "flash attention forward bf16 d=128, against FlashAttention-2" 0.8 "$(cell attention batch=4 heads=16 sequence=4096 d=128 dtype=bf16)" "flash sequence=4096 d=128" 1
# as many bytes read and written as the copy moves
pair "gather of 512 bytes, against the copy" 0.85 "$(cell gather rows=2097152 fraction=1 bytes=512)" "copy n=268435456" 1
ours=$("$build/abdb-run-cuda" describe | jq -r 'select(.kind == "environment").environment.cuda_graph_launch | split(" ")[0]')
theirs=$(jq -n "$(peer "graph nodes=1000") / 1000")
say "a launch in a graph: $ours s, PyTorch's $theirs s (goal: as much or less)"
jq -en "$ours <= $theirs" >/dev/null || failed=1
exit $failed

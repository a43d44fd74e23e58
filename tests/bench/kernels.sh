#!/usr/bin/env bash
# kernels.sh - our own kernels against libraries and programs at their best setting and against the ceilings of the machine,
# in ABBA pairs of whole processes (PyTorch is one process that waits): the median ratio with its 95 % interval, and the
# goal beside it. PAIRS (15). ONLY=word runs the lines that have it. TORCH=python with PyTorch 2.4 or newer; STREAM_C and
# BABELSTREAM: those programs, built with the same number of elements (n=33554432 doubles).
set -euo pipefail
cd "$(dirname "$0")/../.."
tests/checks/build_targets.sh bench/launch
build=$PWD/${BUILD:-build}
. tests/checks/need.bash
need jq "$build/abdb-run-vec" "$build/bench/launch"
pairs=${PAIRS:-15}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export OMP_PROC_BIND=close OMP_PLACES=cores OMP_WAIT_POLICY=active
OMP_NUM_THREADS=$(nproc)
export OMP_NUM_THREADS OPENBLAS_NUM_THREADS=$OMP_NUM_THREADS BLIS_NUM_THREADS=$OMP_NUM_THREADS
if grep -q avx512vl /proc/cpuinfo; then export OPENBLAS_CORETYPE=SkylakeX BLIS_ARCH_TYPE=skx; else export OPENBLAS_CORETYPE=Haswell BLIS_ARCH_TYPE=haswell; fi
. tests/bench/pair.sh

# BACKEND KERNEL key=value...: seconds of a launch (the median of the samples), its operations and bytes; nothing where it
# is not implemented.
told() {
    local backend=$1 kernel=$2 params=
    shift 2
    for p in "$@"; do params+="${params:+,}\"${p%%=*}\":\"${p#*=}\""; done
    echo "{\"cell\":\"x\",\"kernel\":\"$kernel\",\"params\":{$params},\"quick\":true}" | "$build/abdb-run-$backend" run 2>/dev/null |
        jq -rs '([.[] | select(.kind == "sample") | .time_s] | sort | .[length / 2 | floor] // empty) as $t | .[] | select(.kind == "result") | "\($t) \(.ops) \(.bytes)"'
}
cell() { told "$@" | cut -d' ' -f1; }                                # seconds
per_op() { told "$@" | awk '{ printf "%.9g\n", $1 / $2 * 1e12 }'; }  # seconds for 10^12 operations
per_byte() { told "$@" | awk -v more="${touched:-1}" '{ printf "%.9g\n", $1 / $3 / more * 1e12 }'; } # and for 10^12 bytes

# PyTorch: a process that is asked.
torch=absent
python=${TORCH:-$build/venv/bin/python}
[ -x "$python" ] || python=python3
mkfifo "$dir/ask" "$dir/answer"
OMP_WAIT_POLICY=passive "$python" tests/bench/torch_peer.py <"$dir/ask" >"$dir/answer" &
exec 8>"$dir/ask" 9<"$dir/answer"
read -r torch <&9 || torch=absent
ask() {
    local answer=
    [[ $torch == PyTorch* ]] || return 0
    echo "$*" >&8
    read -r answer <&9 || true
    echo "$answer"
}

line() { # NAME GOAL, then `a` and `b` are defined
    [[ "$1" == *"${ONLY:-}"* ]] || return 0
    if [ -z "$(a)" ] || [ -z "$(b)" ]; then
        echo "| $1 | absent or not implemented | | | | $2 | |"
        return 0
    fi
    pair "$1" a b | awk -F'|' -v goal="$2" '{ sub(/ *$/, ""); printf "|%s|%s|%s|%s|%s| %s |%s|\n", $2, $3, $4, $5, $6, goal, $7 }'
}

cc=${CC:-gcc}
$cc -O3 -march=native -fopenmp -mprefer-vector-width=512 -o "$dir/plain_stream" tests/bench/plain_stream.c
echo "date      $(date -u +%F)"
echo "machine   $(sed -n 's/^model name.*: //p' /proc/cpuinfo | head -1), $(nproc) processors, $(. /etc/os-release && echo "$PRETTY_NAME")"
for b in openblas onednn blis; do
    [ ! -x "$build/abdb-run-$b" ] || echo "peer      $("$build/abdb-run-$b" describe 2>/dev/null | jq -r 'select(.kind == "environment") | .environment.library')"
done
echo "peer      PyTorch: $torch"
echo "peer      stream.c: ${STREAM_C:-absent}   BabelStream: ${BABELSTREAM:-absent}   plain loops: $($cc --version | head -1) -O3 -march=native"
echo "settings  OPENBLAS_CORETYPE=$OPENBLAS_CORETYPE BLIS_ARCH_TYPE=$BLIS_ARCH_TYPE, plain layouts, packing timed, small pages, the same threads and binding"
for t in f64 f32 bf16 i8; do
    told vec fma dtype=$t | awk -v t=$t '{ printf "ceiling   %s %.0f Gop/s in registers\n", t, $2 / $1 / 1e9 }'
done
told vec stream op=read dtype=f32 n=134217728 | awk '{ printf "ceiling   %.1f GB/s read\n", $3 / $1 / 1e9 }'
told vec stream op=copy stores=nt dtype=f32 n=67108864 | awk '{ printf "ceiling   %.1f GB/s copied past the caches\n", $3 / $1 / 1e9 }'
"$build/abdb-run-vec" run 2>/dev/null <<<'{"cell":"x","kernel":"elementwise","params":{"op":"gelu","rows":"320","columns":"4096"},"quick":false}' |
    jq -rs '[.[] | select(.kind == "sample")] as $s | ([$s[].time_s] | add) as $in | ($s[-1].t_s - $s[0].t_s + $s[-1].time_s) as $all | "runner    \($s | length) samples of \($in / ($s | length) * 1e6 | floor) microseconds: \(($all / $in - 1) * 1e4 | round / 100) % between them"'
echo
echo "| what (A against its peer B) | A | B | B/A | 95 % interval | goal | pairs |"
echo "|---|---|---|---|---|---|---|"

# What the interface of a device costs: the same kernel, called directly in the same process; and what looks between samples
# cost, against none. Over 1: a sample is no slower.
while read -r peer provider kernel params; do
    name="$kernel $params by $provider as sampled, against direct calls of it"
    [[ $peer == direct ]] || name="$kernel $params by $provider, looked at between samples, against no looks"
    [[ "$name" == *"${ONLY:-}"* ]] || continue
    # shellcheck disable=SC2086 # words of a cell
    "$build/bench/launch" $provider $kernel "$pairs" $peer $params | ratio "$name" | awk -F'|' '{ printf "|%s|%s|%s|%s|%s| 0.99 |%s|\n", $2, $3, $4, $5, $6, $7 }'
done <<'CELLS'
direct vec gemm n=64 dtype=f32
direct vec gemm n=512 dtype=f32
direct vec stream op=triad n=4096 dtype=f32
direct ref gemm n=64 dtype=f32
direct ref stream op=triad n=4096 dtype=f32
unwatched vec gemm n=64 dtype=f32
unwatched vec gemm n=512 dtype=f32
unwatched vec gemm n=1024 dtype=f32
unwatched vec stream op=triad n=4096 dtype=f32
unwatched vec stream op=triad n=4194304 dtype=f32
CELLS
# Caches: hot <= rotate <= cold, of what is small beside them and of what is not.
for n in 65536 1048576; do
    a() { cell vec stream op=triad stores=plain dtype=f32 n=$n; }
    b() { cell vec stream op=triad stores=plain dtype=f32 n=$n cache=rotate; }
    line "triad of n=$n, hot, against copies in turn" 1
    a() { cell vec stream op=triad stores=plain dtype=f32 n=$n cache=rotate; }
    b() { cell vec stream op=triad stores=plain dtype=f32 n=$n cache=cold; }
    line "triad of n=$n, copies in turn, against flushed caches" 1
done

for n in 2048 4096; do
    a() { cell vec gemm dtype=f32 n=$n; }
    for peer in openblas onednn blis; do
        b() { cell $peer gemm dtype=f32 n=$n; }
        line "f32 product n=$n by vec, against $peer" 0.97
    done
    a() { per_op vec gemm dtype=f32 n=$n; }
    b() { per_op vec fma dtype=f32; }
    line "f32 product n=$n by vec, against the same operations in registers" 0.83
done
a() { cell vec gemm dtype=bf16 n=2048; }
b() { cell onednn gemm dtype=bf16 n=2048; }
line "bf16 product n=2048 by vec, against onednn" 0.97
# fma has no tiles: both by AVX-512
a() { per_op vec gemm dtype=bf16 isa=avx512 n=2048; }
b() { per_op vec fma dtype=bf16; }
line "bf16 product n=2048 by vec, against the same operations in registers" 0.75
a() { cell vec gemm dtype=i8 n=2048; }
b() { cell onednn gemm dtype=i8 n=2048; }
line "i8 product n=2048 by vec, against onednn" ""
for t in bf16 i8; do
    a() { cell vec gemm dtype=$t isa=amx n=2048; }
    b() { cell onednn gemm dtype=$t n=2048; }
    line "$t product n=2048 by tiles of AMX, against onednn" 0.97
    b() { cell vec gemm dtype=$t isa=avx512 n=2048; }
    line "$t product n=2048 by tiles of AMX, against AVX-512" 1
done
a() { cell vec gemm dtype=f64 n=2048; }
b() { cell blis gemm dtype=f64 n=2048; }
line "f64 product n=2048 by vec, against blis" ""

words=33554432
for op in copy scale add triad; do
    a() { cell vec stream op=$op stores=plain dtype=f64 n=$words; }
    b() { "$dir/plain_stream" $op $words | cut -d' ' -f1; }
    line "STREAM $op with plain stores, against the plain loop by the compiler" 0.97
done
a() { cell vec stream op=triad stores=plain dtype=f64 n=$words; }
b() { [ -z "${STREAM_C:-}" ] || "$STREAM_C" | awk -v n=$words '/^Triad/ { print n * 24 / ($2 * 1e6) }'; }
line "STREAM triad with plain stores, against McCalpin's stream.c" 0.97
b() { [ -z "${BABELSTREAM:-}" ] || "$BABELSTREAM" --csv -s $words | awk -F, '$1 == "Triad" { print $6 }'; }
line "STREAM triad with plain stores, against BabelStream" 0.97

for bytes in 2048 256 64; do
    rows=$((1073741824 / bytes))
    a() { cell vec gather op=gather bytes=$bytes rows=$rows fraction=0.5; }
    b() { cell vec stream op=copy stores=nt dtype=f32 n=$((rows / 2 * bytes / 4)); }
    line "gather of $bytes-byte vectors, against the same bytes in order (copy, stores past the caches)" "$([ $bytes != 2048 ] || echo 0.8)"
done
a() { cell vec gather op=gather bytes=2048 rows=524288 fraction=0.5 pages=huge; }
b() { cell vec stream op=copy stores=nt dtype=f32 n=134217728 pages=huge; }
line "gather of 2048-byte vectors, huge pages, against the same bytes in order (copy, stores past the caches)" 0.8
a() { cell vec gather op=gather bytes=64 rows=16777216 fraction=0.5; }
b() { ask index_select bytes=64 rows=16777216 fraction=0.5; }
line "gather of 64-byte vectors, against PyTorch's index_select" 1

for batch in 1 16 256 2048; do
    a() { cell vec embedding-bag rows=200000 batch=$batch; }
    b() { ask embedding_bag tables=20 rows=200000 lookups=100 bytes=256 batch=$batch; }
    line "embedding bags of RM2, batch $batch, against one embedding_bag of PyTorch" 1
done
for batch in 64 2048; do
    a() { per_byte vec embedding-bag rows=200000 batch=$batch; }
    b() { per_byte vec stream op=read dtype=f32 n=134217728; }
    line "embedding bags of RM2, batch $batch, against the same bytes read in order" 0.6
done

for way in "f32 64 0.75" "f32 128 0.85" "bf16 64 0.6" "bf16 128 0.6"; do
    read -r dtype d goal <<<"$way"
    a() { per_op vec attention heads=4 sequence=4096 d=$d dtype=$dtype; }
    b() { per_op vec gemm dtype=$dtype n=2048; }
    line "flash attention forward $dtype d=$d, against the same operations of a product" $goal
    a() { cell vec attention heads=4 sequence=4096 d=$d dtype=$dtype; }
    b() { ask attention heads=4 sequence=4096 d=$d dtype=$dtype; }
    line "flash attention forward $dtype d=$d, against PyTorch's" 1
    a() { per_op vec attention heads=4 sequence=4096 d=$d dtype=$dtype pass=backward; }
    b() { per_op vec gemm dtype=$dtype n=2048; }
    line "flash attention backward $dtype d=$d, against the same operations of a product" 0.6
    a() { cell vec attention heads=4 sequence=4096 d=$d dtype=$dtype pass=backward; }
    b() { ask attention heads=4 sequence=4096 d=$d dtype=$dtype backward=1; }
    line "flash attention backward $dtype d=$d, against PyTorch's" ""
done

for dtype in f32 bf16; do
    a() { cell vec paged-attention layout=list padding=0.9 dtype=$dtype; }
    b() { cell vec paged-attention layout=table padding=0.9 dtype=$dtype; }
    line "paged attention $dtype, 90 % padding, by list, against the table" 5
    a() { per_byte vec paged-attention layout=list padding=0 dtype=$dtype; }
    b() { per_byte vec stream op=read dtype=f32 n=134217728; }
    line "paged attention $dtype by list, against the same bytes read in order" 0.8
    b() { per_byte vec embedding-bag tables=1 rows=16384 lookups=16 batch=256 bytes=32768; }
    line "paged attention $dtype by list, against pieces of 32 KiB read in random order" 0.8
    a() { touched=9.7 per_byte vec paged-attention layout=table padding=0.9 dtype=$dtype; }
    line "paged attention $dtype by table, 90 % padding, all bytes that it touches, against as many read in order" 0.8
done

for dtype in f32 bf16; do
    for pass in forward backward; do
        a() { per_op vec transformer-block pass=$pass dtype=$dtype batch=2; }
        b() { per_op vec gemm dtype=$dtype n=2048; }
        line "transformer block $pass $dtype, against the same operations of a product" 0.75
        a() { cell vec transformer-block pass=$pass dtype=$dtype batch=2; }
        b() { ask block batch=2 dtype=$dtype backward=$([ $pass = forward ] && echo 0 || echo 1); }
        line "transformer block $pass $dtype, against PyTorch" 1
    done
done

for op in softmax layernorm rmsnorm gelu silu rotary cross-entropy adamw; do
    case $op in
    rotary) few="rows=1024 columns=128" ;;
    adamw) few="rows=16 columns=2048" ;;
    *) few="rows=64 columns=2048" ;;
    esac
    for dtype in f32 bf16; do
        a() { per_byte vec elementwise op=$op dtype=$dtype; }
        b() { per_byte vec stream op=copy stores=nt dtype=f32 n=67108864; }
        [ $op != cross-entropy ] || b() { per_byte vec stream op=read dtype=f32 n=134217728; }
        line "$op $dtype, against the same bytes copied past the caches (cross-entropy: read)" "0.85, or"
        b() { per_byte vec elementwise op=$op dtype=$dtype $few; }
        line "$op $dtype, against itself in the caches: what its instructions allow" 0.8
    done
done

# llm.c: the folder of a build of it with its data (LLMC=...); its program has four sequences of 64.
llmc() {
    [ -x "${LLMC:-}/train_gpt2" ] || return 0
    (cd "$LLMC" && timeout 300 ./train_gpt2 2>/dev/null | sed -n 's/.*took \([0-9.]*\) ms.*/\1/p' | sort -g | awk '{ t[NR] = $1 } END { if (NR) print t[int((NR + 1) / 2)] / 1000 }')
}
for dtype in f32 bf16; do
    for sequence in 64 256; do
        a() { cell vec gpt-train model=gpt2-small micro_batch=4 sequence=$sequence dtype=$dtype; }
        for compiled in 0 1; do
            b() { ask gpt batch=4 sequence=$sequence dtype=$dtype compiled=$compiled; }
            line "GPT-2 small step B=4 T=$sequence $dtype, against PyTorch $([ $compiled = 0 ] && echo eager || echo compiled)" 1
        done
        b() { llmc; }
        [ $sequence$dtype != 64f32 ] || line "GPT-2 small step B=4 T=$sequence $dtype, against llm.c" ""
    done
    a() { per_op vec gpt-train model=gpt2-small sequence=1024 dtype=$dtype; }
    b() { per_op vec gemm dtype=$dtype n=2048; }
    line "GPT-2 small step B=1 T=1024 $dtype, operations needed against those of a product" 0.7
done

# Tables of a fifth of the rows: two processes hold them at once.
for model in rm1 rm2; do
    for dtype in f32 bf16; do
        for batch in 1 64 2048; do
            a() { cell vec dlrm model=$model batch=$batch dtype=$dtype rows=200000; }
            for compiled in 0 1; do
                b() { ask dlrm model=$model batch=$batch dtype=$dtype rows=200000 compiled=$compiled; }
                line "${model^^} inference $dtype, batch $batch, against PyTorch $([ $compiled = 0 ] && echo eager || echo compiled)" 1
            done
        done
    done
done

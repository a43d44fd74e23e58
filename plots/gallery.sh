#!/bin/sh
# gallery.sh - all figures from what abdb ships, what this machine measures in seconds, and, where
# $ABDB_REALDATA is there, real files of others; and the four pictures of the README. gallery.sh BUILD
set -eu
abdb=$1/abdb out=$1/gallery
rm -rf "$out"
mkdir -p "$out" plots/gallery
export ABDB_DB="$out/shipped.db" ABDB_PATH=/nonexistent
"$abdb" import -q data
four() { # FIGURE OPTIONS...
    for ground in '' --dark; do
        "$abdb" plot "$@" $ground --out "plots/gallery/$1${ground:+-dark}.svg" >/dev/null
    done
}
four mlperf-llm --round v6.0 --model llama2-70b-99 --scenario Server
four training --today 2026-11-20
four peaks
four sequence-length
cp "$ABDB_DB" "$out/abdb.db"
ABDB_DB="$out/abdb.db"
for tag in reference first second; do
    "$abdb" run -q --kernel gemm --axis m=64-256*2 --axis n=64-256*2 --axis k=128 --axis dtype=f32 \
        --backend "$([ $tag = reference ] && echo ref || echo openblas)" --quick --tag $tag
done
"$abdb" run -q --kernel stream --axis op=copy,triad --axis dtype=f32 --backend openblas --quick --tag second
real=${ABDB_REALDATA:-}
if [ -n "$real" ] && [ -d "$real" ]; then
    "$abdb" import -q "$real" 2>/dev/null || true # what is refused there is tested elsewhere
fi
"$abdb" plot --set all --out "$out" --type png 2>&1 | sed 's/^abdb: //' >"$out/said"
"$abdb" plot speedup-map --baseline reference --contender first --metric time_s --x m --y n --out "$out/speedup-map.png" >/dev/null
"$abdb" plot paired --baseline tag=first --contender tag=second --out "$out/paired.png" >/dev/null
echo "$(find "$out" -name '*.png' | wc -l) figures in $out, four of the README in plots/gallery"
sed -n 's/^nothing to draw in \([^:]*\): \(.*\); `abdb query.*/  not drawn: \1: \2/p' "$out/said" |
    grep -v -e 'speedup-map' -e 'paired' || true

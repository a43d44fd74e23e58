#!/bin/sh
# gallery.sh - all figures from what abdb ships, what this machine measures in seconds, and, where
# $ABDB_REALDATA is there, real files of others; and the pictures of plots/gallery. gallery.sh BUILD
set -eu
abdb=$1/abdb out=$1/gallery
rm -rf "$out"
mkdir -p "$out" plots/gallery
export ABDB_DB="$out/shipped.db" ABDB_PATH=/nonexistent
"$abdb" import -q data
# Article light and dark, and a card for a social network; plots/gallery/README.md says what was changed and why.
shown() { # FIGURE OPTIONS...
    "$abdb" plot "$@" --out "plots/gallery/$1.svg" >/dev/null
    "$abdb" plot "$@" --dark --out "plots/gallery/$1-dark.svg" >/dev/null
    "$abdb" plot "$@" --size card --out "plots/gallery/$1-card.svg" >/dev/null
}
sed -n 's/^| `\([^`]*\)` | .*/\1/p' plots/gallery/README.md | while read -r figure; do
    # shellcheck disable=SC2086 # options with blanks between them
    shown $figure
done
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
echo "$(find "$out" -name '*.png' | wc -l) figures in $out, twelve in three forms in plots/gallery"
sed -n 's/^nothing to draw in \([^:]*\): \(.*\); `abdb query.*/  not drawn: \1: \2/p' "$out/said" |
    grep -v -e 'speedup-map' -e 'paired' || true

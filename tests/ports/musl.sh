#!/usr/bin/env bash
# musl.sh - another C library: core, kernels, workloads and the runner compile for musl without a warning, and what a C library could do
# otherwise (numbers, dates, units, statistics) is the same to the last digit. In TAP.
set -uo pipefail
cd "$(dirname "$0")/../.."
command -v musl-gcc >/dev/null || { echo "1..0 # SKIP no musl-gcc (apt-get install musl-tools)"; exit 0; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/include" && cp /usr/include/jansson*.h "$dir/include"
flags="-std=c17 -D_GNU_SOURCE -I. -I$dir/include -O2 -Wall -Wextra -Wpedantic -Werror -Wno-unknown-pragmas"
echo "1..2"
failed=0
for f in schema/core/*.c kernels/micro/*.c kernels/workloads/*.c kernels/runner/*.c kernels/providers/ref/*.c; do
    # shellcheck disable=SC2086 # words
    musl-gcc $flags -c "$f" -o "$dir/$(basename "$f" .c).o" 2>>"$dir/errors" || echo "$f" >>"$dir/refused"
done
if [ -s "$dir/refused" ]; then
    failed=1
    echo "not ok 1 - core, kernels, workloads and runner compile for musl"
    sed 's/^/#   /' "$dir/refused" "$dir/errors" | head -30
else echo "ok 1 - core, kernels, workloads and runner compile for musl"; fi
# without jansson, which is not there for musl: the files of core that the program wants, and no others
sources="tests/ports/musl.c $(grep -L 'jansson.h' schema/core/*.c)"
# shellcheck disable=SC2086
if musl-gcc $flags -static -ffunction-sections -Wl,--gc-sections -o "$dir/musl" $sources -lm 2>"$dir/out" && gcc $flags -o "$dir/glibc" $sources -lm -lpthread 2>>"$dir/out" &&
    "$dir/musl" >"$dir/musl.txt" && "$dir/glibc" >"$dir/glibc.txt" && [ "$(wc -l <"$dir/musl.txt")" -gt 20 ] && diff "$dir/musl.txt" "$dir/glibc.txt" >"$dir/out"; then
    echo "ok 2 - numbers, dates, units and statistics are the same"
else
    failed=1
    echo "not ok 2 - numbers, dates, units and statistics are the same"
    sed 's/^/#   /' "$dir/out" | head -30
fi
exit $failed

#!/usr/bin/env bash
# sanitize.sh - the kernels of ref and vec under sanitizers, at the cells of cells.plan: odd sizes, tails, passes, threads, formats and
# instruction sets; and their unit tests, whose tensors begin at unaligned addresses, too. A report of a sanitizer ends the program, so
# the cell is no right row, and the script fails. What was run whole is told to the ledger.
#   tests/campaigns/sanitize.sh [--lean] [address|thread]...   --lean: of each line of cells.plan one cell, with its most threads
# thread: libgomp is not built for ThreadSanitizer, which takes its barriers for races. The programs run on LLVM's libomp instead, which
# speaks libgomp's language, and whose tool archer tells ThreadSanitizer where threads meet (Debian's libomp-14-dev). A program with a race
# and one without are tried first: the one must be reported, the other not. The thread of beats that ends with its process is no leak.
set -euo pipefail
cd "$(dirname "$0")/../.."
lean=
[ "${1-}" != --lean ] || { lean=1; shift; }
[ $# -gt 0 ] || set -- address thread
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
make -s build/abdb
export CELLS=$PWD/tests/campaigns/cells.plan
if [ -n "$lean" ]; then
    sed -nE 's/ *#.*//; /^[a-z]/{s/threads=[0-9,]*,([0-9]+)/threads=\1/; s/(=[^ ,]*),[^ ]*/\1/g; p}' "$CELLS" | sort -u >"$dir/cells.plan"
    CELLS=$dir/cells.plan
fi

measure() { # BUILD NAME CAMPAIGN BACKEND...: the cells by the programs of that build, asked by the plain abdb; all of them are told to the ledger
    local begin=$SECONDS bad=0
    mkdir -p "$dir/bin"
    ln -sf "$PWD/build/abdb" "$dir/bin/abdb"
    for b in "${@:4}"; do ln -sf "$PWD/$1/abdb-run-$b" "$dir/bin/abdb-run-$b"; done
    echo "$2:"
    BUILD=$dir/bin tests/campaigns/cells.sh "${@:4}" 2>"$dir/words" >"$dir/table" || bad=1
    cat "$dir/table"
    ! grep -m 5 -A 12 -E 'ERROR: |WARNING: ThreadSanitizer|runtime error' "$dir/words" || bad=1
    [ $bad = 0 ] || tail -20 "$dir/words"
    [ -n "$lean" ] || awk -F ' *[|] *' -v s=$((SECONDS - begin)) -v n=$(($# - 3)) '$2 ~ /^(ref|vec)$/ { print $2, $5 + $7, $7, int(s / n) }' "$dir/table" |
        while read -r backend count found seconds; do LD_LIBRARY_PATH='' tests/campaigns/ledger.sh add "$3" "$backend, cells" "$count" "$found" "$seconds"; done
    return $bad
}

address() {
    make -s SANITIZE=1 build-sanitize/abdb-run-ref build-sanitize/abdb-run-vec
    ASAN_OPTIONS=halt_on_error=1:exitcode=66 UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1 measure build-sanitize "addresses and undefined behaviour" addresses ref vec
    # tensors that begin anywhere: one to several elements behind an aligned address
    local unit=(kernels gemm network)
    [ -z "$lean" ] || return 0
    make -s SANITIZE=1 "${unit[@]/#/build-sanitize/unit/}"
    for u in "${unit[@]}"; do
        CMOCKA_MESSAGE_OUTPUT=TAP "build-sanitize/unit/$u" >"$dir/$u" 2>&1 || { grep -E -A 12 '^not ok|ERROR: |runtime error' "$dir/$u" | head -40; return 1; }
        ! grep -E 'ERROR: |runtime error' "$dir/$u" || return 1
        grep -q '^ok' "$dir/$u" || { echo "$u ran no test"; return 1; }
        echo "addresses, odd and unaligned: $u, $(grep -c '^ok' "$dir/$u") tests"
    done
}

thread() {
    local lib
    lib=$(find /usr/lib/llvm-*/lib -name libarcher.so 2>/dev/null | sort -V | tail -1)
    [ -n "$lib" ] || { echo "SKIP thread: no archer (apt-get install libomp-14-dev)"; return 0; }
    mkdir -p "$dir/omp"
    ln -sf "$(readlink -f "$(dirname "$lib")/libomp.so.5")" "$dir/omp/libgomp.so.1"
    cat >"$dir/try.c" <<'C'
#include <stdio.h>
static double sum, part[64];
int main(void)
{
#pragma omp parallel num_threads(3)
    {
#pragma omp for
        for (int i = 0; i < 64; i++) part[i] = i;
#pragma omp for reduction(+ : sum)
        for (int i = 0; i < 64; i++) sum += part[63 - i];
#ifdef RACE
        sum += 1;
#endif
    }
    printf("%g\n", sum);
}
C
    export LD_LIBRARY_PATH=$dir/omp OMP_TOOL_LIBRARIES=$lib TSAN_OPTIONS=ignore_noninstrumented_modules=1:report_thread_leaks=0:halt_on_error=1:exitcode=66
    for race in "" -DRACE; do
        gcc -O1 -g -fopenmp -fsanitize=thread $race -o "$dir/try" "$dir/try.c"
        local code=0
        "$dir/try" >"$dir/try.out" 2>&1 || code=$?
        [ "$code" = $([ -n "$race" ] && echo 66 || echo 0) ] || { echo "thread: the program $([ -n "$race" ] && echo with || echo without) a race ended with $code"; cat "$dir/try.out"; return 1; }
    done
    LD_LIBRARY_PATH= make -s SANITIZE=thread build-thread/abdb-run-vec
    measure build-thread "races, by archer on libomp" races vec # ref has one thread
}

for what; do "$what"; done

#!/usr/bin/env bash
# fuzz.sh - libFuzzer (clang) through the writer, with sanitizers of addresses and undefined behaviour: each target in turn for a
# while, those first that have the fewest executions in the ledger, until the budget is spent. Needs clang with compiler-rt: Debian's
# packages clang and libclang-rt-14-dev.
#   tests/fuzz.sh --budget MINUTES [TARGET...]   goes on from what was done and found; build-fuzz/corpus keeps all inputs
#   tests/fuzz.sh --keep [TARGET...]             the least inputs that reach the same lines, into tests/fixtures/corpus
# A finding stays in build-fuzz/findings with its output, and the campaign goes on; exit 1 if there was one.
set -euo pipefail
cd "$(dirname "$0")/.."
slice=${FUZZ_SLICE:-120} kept=${FUZZ_KEPT:-120} minutes=10 keep=
case ${1:-} in
--budget) minutes=${2:?minutes}; shift 2 ;;
--keep) keep=1; shift ;;
-*) sed -n '5,6s/^# *//p' "$0" >&2; exit 2 ;;
esac
command -v clang >/dev/null || { echo "SKIP fuzz: no clang (apt-get install clang libclang-rt-14-dev)"; exit 0; }
make -s SANITIZE=fuzz build-fuzz/fuzz build-fuzz/unit/corpus
[ -e build-fuzz/running ] || cp build-fuzz/fuzz build-fuzz/running
cp build-fuzz/fuzz build-fuzz/running
mkdir -p build-fuzz/findings
list=$(ABDB_FUZZ= build-fuzz/running 2>&1 | sed 1d || true)
targets=("$@")
[ $# -gt 0 ] || mapfile -t targets < <(cut -d' ' -f1 <<<"$list")
# short stacks of allocations and little kept of what was freed: SQLite allocates so often that they were a third of the time. Leaks are
# looked for when a slice ends, not after each input, where what SQLite keeps for the next one looks like a leak.
export ASAN_OPTIONS=handle_abort=1:allocator_may_return_null=1:detect_odr_violation=0:malloc_context_size=5:quarantine_size_mb=16:allocator_release_to_os_interval_ms=-1

seeds() { # TARGET FOLDER: its corpus and the files that it begins with
    local pattern
    mkdir -p "$2"
    build-fuzz/unit/corpus unpack "$1" "$2" || true
    pattern=$(sed -n "s/^$1 //p" <<<"$list")
    # shellcheck disable=SC2086 # a pattern
    [ "$pattern" = - ] || for f in $pattern; do [ "$(stat -c %s "$f")" -gt 20000 ] || cp "$f" "$2/seed-$(basename "$f")"; done
}

keep() { # TARGET
    local folder all
    folder=$(mktemp -d)
    all=$(mktemp -d)
    seeds "$1" "$all"
    ABDB_FUZZ=$1 build-fuzz/running -merge=1 -close_fd_mask=3 -max_len=4096 "$folder" build-fuzz/corpus/"$1" "$all" >/dev/null 2>"$folder.log" || tail -3 "$folder.log" >&2
    # what was a mistake once stays, whatever it reaches; of the rest the smallest
    mkdir -p tests/fixtures/corpus
    build-fuzz/unit/corpus pack $(ls -Sr "$folder"/* | head -n "$kept") | awk 'length($0) < 6000' | LC_ALL=C sort -u >tests/fixtures/corpus/"$1".txt.new
    mv tests/fixtures/corpus/"$1".txt.new tests/fixtures/corpus/"$1".txt
    rm -rf "$folder" "$folder.log" "$all"
}

fuzz() { # TARGET: a slice of time, into the ledger
    local log=build-fuzz/log began=$SECONDS count code=0 found=0 now=build-fuzz/now
    mkdir -p build-fuzz/corpus/"$1"
    rm -rf "$now"
    seeds "$1" build-fuzz/seeds/"$1"
    ABDB_FUZZ=$1 nice -n 19 build-fuzz/running -max_total_time="$slice" -detect_leaks=0 -timeout=60 -rss_limit_mb=3000 -max_len=4096 -close_fd_mask=3 -print_final_stats=1 \
        -use_value_profile=0 -artifact_prefix=build-fuzz/findings/"$1"- build-fuzz/corpus/"$1" build-fuzz/seeds/"$1" >"$log" 2>&1 || code=$?
    count=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    [ -n "$count" ] || count=$(grep -oE '^#[0-9]+' "$log" | tail -1 | tr -d '#')
    if [ $code != 0 ]; then
        found=1
        cp "$log" build-fuzz/findings/"$1"-"$(date +%s)".log
        echo "$1: a finding, in build-fuzz/findings:"
        grep -E 'ERROR|SUMMARY|broken:' "$log" | head -3
        status=1
    fi
    tests/ledger.sh add fuzz "$1" "${count:-0}" "$found" $((SECONDS - began))
    echo "$1: ${count:-0} executions, $(grep -oE 'cov: [0-9]+' "$log" | tail -1), $(ls build-fuzz/corpus/"$1" | wc -l) inputs, all in all $(tests/ledger.sh count fuzz "$1")"
}

if [ -n "$keep" ]; then
    for t in "${targets[@]}"; do keep "$t"; done
    exit
fi
status=0 end=$((SECONDS + 60 * minutes))
while [ $SECONDS -lt $end ]; do
    least=$(for t in "${targets[@]}"; do echo "$(tests/ledger.sh count fuzz "$t") $t"; done | sort -n | head -1)
    fuzz "${least#* }"
done
exit $status

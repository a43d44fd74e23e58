#!/usr/bin/env bash
# fuzz.sh - libFuzzer (clang) through the writer, with sanitizers of addresses and undefined behaviour: each target in turn for a
# while, those first that have the fewest executions in the ledger, until the budget is spent. Needs clang with compiler-rt: Debian's
# packages clang and libclang-rt-14-dev.
#   tests/campaigns/fuzz.sh [--jobs N] --budget MINUTES [TARGET...]   goes on from what was done and found, N targets at once; build-fuzz/corpus keeps all inputs
#   tests/campaigns/fuzz.sh --list [TARGET...]                        executions, and for how long no new coverage came
#   tests/campaigns/fuzz.sh --keep [TARGET...]                        the least inputs that reach the same lines, into tests/fixtures/corpus
# A finding stays in build-fuzz/findings with its output, and the campaign goes on; exit 1 if there was one. A target is through after
# $FUZZ_GOAL executions, or when none of its slices of $FUZZ_QUIET minutes of processor time, one after another, reached an edge more
# than those before (campaign fuzz-coverage of the ledger: seconds of processor time, and edges as its findings). Targets that are through
# come again while others are not quiet; where all are quiet, it ends.
set -euo pipefail
cd "$(dirname "$0")/../.."
slice=${FUZZ_SLICE:-120} kept=${FUZZ_KEPT:-120} goal=${FUZZ_GOAL:-100000} quiet=${FUZZ_QUIET:-30} minutes=10 jobs=1 what=fuzz
while [[ ${1:-} == -* ]]; do
    case $1 in
    --budget) minutes=${2:?minutes}; shift 2 ;;
    --jobs) jobs=${2:?how many}; shift 2 ;;
    --keep | --list) what=${1#--}; shift ;;
    *) sed -n '5,7s/^# *//p' "$0" >&2; exit 2 ;;
    esac
done
command -v clang >/dev/null || { echo "SKIP fuzz: no clang (apt-get install clang libclang-rt-14-dev)"; exit 0; }
[ $what = list ] && [ -e build-fuzz/running ] || env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make -s -j"${JOBS:-$(nproc)}" SANITIZE=fuzz build-fuzz/fuzz build-fuzz/unit/corpus
[ $what = list ] && [ -e build-fuzz/running ] || cp build-fuzz/fuzz build-fuzz/running
mkdir -p build-fuzz/findings build-fuzz/logs build-fuzz/coverage
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

edges() { sed -nE "s/^#[0-9]+[[:space:]]+$1 +cov: ([0-9]+).*/\1/p" "$2" | sort -n | tail -1; } # WORD LOG: the most that a line with it says

cover() { # TARGET LOG PROCESSOR_SECONDS: edges that no earlier slice of this build reached, into the ledger
    local file=build-fuzz/coverage/$1 build of='' most='' began now
    build=$(cksum <build-fuzz/running | tr ' ' -)
    began=$(edges INITED "$2")
    [ -n "$began" ] || return 0 # it did not get through the inputs that it began with, and tells nothing
    now=$(edges '[A-Za-z]+' "$2")
    [ ! -e "$file" ] || read -r of most _ <"$file"
    [ "$of" = "$build" ] || most=$began # edges of two builds cannot be compared
    tests/campaigns/ledger.sh add fuzz-coverage "$1" "$3" $((now > most ? now - most : 0)) $((SECONDS - from))
    echo "$build $((now > most ? now : most)) $count/$3" >"$file"
}

fuzz() { # TARGET: a slice of time, into the ledger; 1: there was a finding
    local log=build-fuzz/logs/$1 from=$SECONDS count code=0 found=0 processor
    mkdir -p build-fuzz/corpus/"$1"
    rm -rf build-fuzz/seeds/"$1"
    seeds "$1" build-fuzz/seeds/"$1"
    TIMEFORMAT='%U %S'
    { time ABDB_FUZZ=$1 nice -n 19 build-fuzz/running -max_total_time="$slice" -detect_leaks=0 -timeout=60 -rss_limit_mb=3000 -max_len=4096 -close_fd_mask=3 \
        -print_final_stats=1 -use_value_profile=0 -artifact_prefix=build-fuzz/findings/"$1"- build-fuzz/corpus/"$1" build-fuzz/seeds/"$1" >"$log" 2>&1; } 2>"$log.time" || code=$?
    [ $code != 72 ] || code=0 # libFuzzer was interrupted
    processor=$(awk '{ n += $1 + $2 } END { printf "%.0f", n }' "$log.time")
    count=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
    [ -n "$count" ] || count=$(grep -oE '^#[0-9]+' "$log" | tail -1 | tr -d '#') || count=0
    if [ $code != 0 ] && [ "$processor" -lt 30 ] && grep -q 'libFuzzer: timeout' "$log"; then
        echo "$1: 60 s of an input were $processor s of a processor: the machine is busy, and that is no finding"
        sed -n 's/.*Test unit written to //p' "$log" | xargs -r rm -f
    elif [ $code != 0 ]; then
        found=1
        cp "$log" build-fuzz/findings/"$1"-"$(date +%s)".log
        echo "$1: a finding, in build-fuzz/findings:"
        grep -E 'ERROR|SUMMARY|broken:' "$log" | head -3
    fi
    tests/campaigns/ledger.sh add fuzz "$1" "${count:-0}" "$found" $((SECONDS - from))
    cover "$1" "$log" "$processor"
    tell "$1"
    return $found
}

tell() { # TARGET: how it stands
    local of='' most='-' last=''
    [ ! -e build-fuzz/coverage/"$1" ] || read -r of most last <build-fuzz/coverage/"$1"
    printf '%-26s %9d executions %6s a processor second %6s edges %5d minutes without a new one%s\n' "$1" "$(tests/campaigns/ledger.sh count fuzz "$1")" \
        "$(awk -F/ '$2 > 0 { printf "%.0f", $1 / $2 }' <<<"$last")" "$most" $(($(tests/campaigns/ledger.sh since fuzz-coverage "$1") / 60)) "$(is_through "$1" && echo ', through')" || true
}

is_quiet() { [ "$(tests/campaigns/ledger.sh since fuzz-coverage "$1")" -ge $((60 * quiet)) ]; }
is_through() { [ "$(tests/campaigns/ledger.sh count fuzz "$1")" -ge "$goal" ] || is_quiet "$1"; }

next() { # the targets whose turn it is: those that are not through, then those that are not quiet, those with the fewest executions first
    local t rank
    for t in "${targets[@]}"; do
        if ! is_through "$t"; then rank=0; elif ! is_quiet "$t"; then rank=1; else continue; fi
        echo "$rank $(tests/campaigns/ledger.sh count fuzz "$t") $t"
    done | sort -n -k1,1 -k2,2 | head -n "$jobs" | cut -d' ' -f3
}

status=0 end=$((SECONDS + 60 * minutes))
case $what in
keep) for t in "${targets[@]}"; do keep "$t"; done ;;
list) for t in "${targets[@]}"; do tell "$t"; done ;;
fuzz)
    while [ $SECONDS -lt $end ]; do
        mapfile -t turn < <(next)
        [ ${#turn[@]} -gt 0 ] || { echo "no target came upon anything new for $quiet minutes"; break; }
        for t in "${turn[@]}"; do fuzz "$t" & done
        for process in $(jobs -p); do wait "$process" || status=1; done
    done ;;
esac
exit $status

#!/usr/bin/env bash
# mpi.sh - messages between two ranks by abdb-run-mpi, beside OSU's micro-benchmarks in turn, as markdown. ABDB_OSU: the folder of OSU's
# programs (osu_latency, osu_allreduce, ..., perhaps in folders below it). PAIRS=, SIZES= (bytes).
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${BUILD:-build} pairs=${PAIRS:-5} sizes=${SIZES:-8 64 512}
. tests/checks/need.bash
need jq
root=()
[ "$(id -u)" != 0 ] || root=(--allow-run-as-root)
[ -x "$build/abdb-run-mpi" ] || { echo "MPI: absent (built without; Debian: libopenmpi-dev openmpi-bin)"; exit 0; }
[ -n "${ABDB_OSU-}" ] || { echo "OSU's micro-benchmarks: absent (ABDB_OSU names the folder of their programs)"; exit 0; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. tests/bench/pair.sh

# Seconds of a message of abdb's: the median of a quick cell, at half of a ping-pong.
own() { # KERNEL BYTES PARTS
    printf '{"cell":"c","kernel":"%s","quick":true,"params":{"message_bytes":"%s","ranks":"2"}}\n' "$1" "$2" |
        OMP_NUM_THREADS=1 mpirun "${root[@]}" -n 2 "$build/abdb-run-mpi" run 2>"$dir/err" |
        jq -s --argjson parts "$3" '[.[] | select(.kind == "sample").time_s] | sort | .[length / 2 | floor] / $parts'
}
# The same of OSU's, which says the mean of its launches in microseconds, with -f of the slowest rank, too; old versions know no -m of osu_latency: ended after 4 s.
osu() { # PROGRAM BYTES
    local program only=()
    program=$(find -L "$ABDB_OSU" -type f -name "$1" -perm -u+x | head -1)
    [[ $("$program" -h 2>&1 || true) != *-m* ]] || only=(-m "$2:$2")
    [ "$1" = osu_latency ] || only+=(-f)
    for _ in 1 2 3; do # on a busy machine it may come to no line
        timeout -k 1 4 mpirun "${root[@]}" -n 2 "$program" "${only[@]}" </dev/null >"$dir/osu" 2>"$dir/err" || true
        ! grep -q "^$2 " "$dir/osu" || break
    done
    awk -v size="$2" '$1 == size { print (NF > 3 ? $4 : $2) * 1e-6 }' "$dir/osu"
}
echo "| what (abdb, against OSU) | abdb | OSU | OSU/abdb | 95 % interval | pairs |"
echo "|---|---|---|---|---|---|"
while read -r program kernel bytes parts; do
    if [ -z "$(find -L "$ABDB_OSU" -type f -name "$program" -perm -u+x)" ]; then
        echo "| $kernel, against $program | | absent | | | |"
        continue
    fi
    for size in $sizes; do
        pair "$kernel of 2 ranks, $((size * bytes)) bytes, against $program" "own $kernel $((size * bytes)) $parts" "osu $program $size"
    done
done <<'P'
osu_latency point-to-point 1 2
osu_allreduce all-reduce 1 1
osu_bcast broadcast 1 1
osu_reduce reduce 1 1
osu_allgather all-gather 2 1
osu_alltoall all-to-all 2 1
P

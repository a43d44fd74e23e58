#!/usr/bin/env bash
# gate.sh - does the gate cry wolf, and does it find what is there? One build against another of equal code, and every third time against a
# build that truly does 5 % more work (tests/bench/toil.c), on this machine as it is. Stops after GATE_MINUTES (10) or when 300
# comparisons and 300 planted cells that were declared able to show 5 % are there; what was counted is kept in a ledger, and the next call
# goes on. Part of `make soak`. Exit 1: an alarm, fewer than 290 of 300 found, or more than a fifth not declared.
#   tests/campaigns/gate.sh            measures and counts         tests/campaigns/gate.sh judge FILE.db...   counts rounds that were measured before
#   GATE_KEEP=FOLDER         keeps the rounds there      tests/campaigns/gate.sh count              prints what the ledger has
#   tests/campaigns/gate.sh twins      the same of whole programs (tests/bench/twin.c): builds of equal code with another order of objects and build ID,
#                                      which are judged; copies of one file, which are noise by their digest; 5 % more work
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$PWD/${BUILD:-build}
. tests/checks/need.bash
need jq "$build/abdb"
abdb=$build/abdb goal=300 processes=${GATE_PROCESSES:-30}
# counts hold for the statistics and loads that they were made with
sources=(schema/core/{trimmed_mean_test,student_t}.{c,h} query/compare/{verdict.c,process_samples.{c,h},calibrated_noise.{c,h}} tests/bench/toil.{c,plan})
print=$(cat "${sources[@]}" | sha256sum | cut -c1-12) # with pipefail a file that is absent ends the script
soak=$build/soak ledger=$build/soak/gate-$print.tsv
mkdir -p "$soak"
[ -s "$ledger" ] || printf '#date\tround\twhat\tcell\tverdict\tratio\tshows\n' >"$ledger"

judge() { # FILE.db: one round into the ledger
    local round pair
    round=$("$abdb" query "SELECT campaign FROM v_campaign LIMIT 1" --db "$1" -o csv | tail -1)
    ! grep -q "	$round	" "$ledger" || return 0
    for pair in same:b planted:slow; do
        [ "${pair#*:}" = b ] || [ "$("$abdb" query "SELECT count(*) FROM v_run WHERE tag = 'slow'" --db "$1" -o csv | tail -1)" != 0 ] || continue
        "$abdb" compare tag=a "tag=${pair#*:}" --db "$1" -o jsonl 2>/dev/null |
            jq -r --arg date "$(date -u +%F)" --arg round "$round" --arg what "${pair%:*}" \
                '[$date, $round, $what, .workload, .verdict, .ratio, .shows // "none"] | @tsv' >>"$ledger.new"
    done
    cat "$ledger.new" >>"$ledger"
    rm "$ledger.new"
}

count() { # rounds of one build against itself, planted cells that were declared able to show 5 %: so far
    awk -F'\t' -v what="$1" '$3 == what && (what == "same" || ($7 != "none" && $7 <= 0.05)) { n[what == "same" ? $2 : NR] } END { print length(n) }' "$ledger"
}

summary() {
    awk -F'\t' -v goal=$goal '
        $3 == "same" { round[$2]; cells++; if ($5 == "slower" || $5 == "faster") alarm[$2]; able += $7 != "none" && $7 <= 0.05 }
        $3 == "planted" { planted++; if ($7 != "none" && $7 <= 0.05) { declared++; found += $5 == "slower" } else { blind++; lucky += $5 == "slower"; by[$4]++ }
            ratio[$4] = ratio[$4] " " $6 }
        END {
            n = length(round); a = length(alarm)
            printf "one build against itself: %d comparisons of %d cells, %d with an alarm", n, n ? cells / n : 0, a
            if (n && !a) printf " (at most %.1f %%, with 95 %% confidence)", 100 * (1 - exp(log(0.05) / n))
            printf "\n5 %% more work: %d cells, %d of them declared able to show it, %d of those found", planted, declared, found
            printf "; not declared %.0f %%", planted ? 100 * blind / planted : 0
            for (c in by) printf "%s %s %d", sep++ ? "," : ":", c, by[c]
            printf "%s\n", lucky ? ", of which " lucky " were found all the same" : ""
            exit a > 0 || found < 290 / 300 * declared || blind > planted / 5
        }' "$ledger"
}

# --- twins: builds whose digests differ and whose code does not -----------------------------------

objects=10 twins=$soak/twins
twin_print=$(cat tests/bench/twin.c schema/core/{trimmed_mean_test,student_t}.c query/compare/{verdict,process_samples}.c | sha256sum | cut -c1-12)
twin_ledger=$soak/twins-$twin_print.tsv

link_twin() { # FOLDER NUMBER [more]: PART 0 may do more; the number gives order and build ID
    local part order=() number=$2
    for part in $(seq 0 $((objects - 1)) | shuf --random-source=<(yes "$number")); do
        [ "$part" != 0 ] || part=0${3:-}
        order+=("$twins/$part.o")
    done
    mkdir -p "$1"
    ${CC:-cc} -Wl,--build-id="0x$(printf %040x "$number")" -o "$1/twin" "${order[@]}"
}

twin_round() { # N: one comparison of twins, one of a copy, each time; with a planted cell
    local load loads=(chain triad chase branch) tag metric
    load=${loads[$1 % 4]}
    link_twin "$twins/a" $((2 * $1 + 1))
    link_twin "$twins/b" $((2 * $1 + 2))
    link_twin "$twins/slow" $((3 * $1 + 1000000)) more
    mkdir -p "$twins/copy"
    cp "$twins/a/twin" "$twins/copy/twin"
    rm -f "$twins"/round.db*
    local commands=(--command "a=$twins/a/twin $load" --command "b=$twins/b/twin $load")
    [ $(($1 % 4)) = $(($1 / 4 % 4)) ] && commands+=(--command "copy=$twins/copy/twin $load") # each load in turn
    [ "$(twins_of planted)" -ge $goal ] || commands+=(--command "slow=$twins/slow/twin $load")
    "$abdb" run -q "${commands[@]}" --repeat "${GATE_PROCESSES:-10}" --db "$twins/round.db"
    for tag in b copy slow; do
        [[ ${commands[*]} == *"$tag="* ]] || continue
        for metric in time_s user_time_s; do
            "$abdb" compare tag=a "tag=$tag" --metric $metric --db "$twins/round.db" -o jsonl 2>/dev/null |
                jq -r --arg date "$(date -u +%F)" --arg round "$1" --arg what "$tag" --arg load "$load" --arg metric $metric \
                    'select(.statistic == "median") | [$date, $round, {b: "twins", copy: "copies", slow: "planted"}[$what], $load, .verdict, .ratio, .shows // "none", $metric] | @tsv' >>"$twins/new"
        done
    done
    cat "$twins/new" >>"$twin_ledger"
    rm "$twins/new"
}

twins_of() { # WHAT: rounds of it, or planted ones declared able to show 5 % of processor time
    awk -F'\t' -v what="$1" '$8 == "user_time_s" && $3 == what && (what != "planted" || ($7 != "none" && $7 <= 0.05))' "$twin_ledger" | wc -l
}

twin_summary() { # by metric: wall time, and processor time, which another program's load hardly moves
    awk -F'\t' '
        function able() { return $7 != "none" && $7 <= 0.05 }
        NR == 1 || $5 == "stated" { next }
        { alarm = $5 == "slower" || $5 == "faster"; n[$3, $8]++; alarms[$3, $8] += alarm; declared[$3, $8] += able(); same[$3, $8] += $5 == "same" }
        alarm && $3 != "planted" { print "alarm: round " $2, $3, $4, $5, $6, $8; failed = 1 }
        $3 == "planted" { found[$8] += able() && $5 == "slower"; lucky[$8] += !able() && $5 == "slower" }
        END {
            for (i = split("time_s user_time_s", metric, " "); i; i--) {
                m = metric[i]
                printf "%s\n  equal code, other digests: %d comparisons, %d with an alarm, %d same, %d declared able to show 5 %%", m, n["twins", m], alarms["twins", m], same["twins", m], declared["twins", m]
                if (n["twins", m] && !alarms["twins", m]) printf " (at most %.1f %%, with 95 %% confidence)", 100 * (1 - exp(log(0.05) / n["twins", m]))
                printf "\n  equal digests: %d comparisons, %d with an alarm", n["copies", m], alarms["copies", m]
                printf "\n  5 %% more work: %d comparisons, %d of them declared able to show it, %d of those found; %d of the others found\n", n["planted", m], declared["planted", m], found[m], lucky[m]
                failed = failed || found[m] < 290 / 300 * declared["planted", m]
            }
            exit failed
        }' "$twin_ledger"
}

measure_twins() {
    local part end=$((SECONDS + 60 * ${GATE_MINUTES:-10})) round
    mkdir -p "$twins"
    [ -s "$twin_ledger" ] || printf '#date\tround\twhat\tload\tverdict\tratio\tshows\tmetric\n' >"$twin_ledger"
    for part in $(seq 0 $((objects - 1))); do ${CC:-cc} -std=c17 -O2 -DPART="$part" -c -o "$twins/$part.o" tests/bench/twin.c; done
    ${CC:-cc} -std=c17 -O2 -DPART=0 -DMORE=5 -c -o "$twins/0more.o" tests/bench/twin.c
    rm -f "$twins/new"
    while [ "$SECONDS" -lt "$end" ]; do
        round=$(twins_of twins)
        [ "$round" -lt $goal ] || [ "$(twins_of planted)" -lt $goal ] || break
        twin_round "$round"
    done
}

case ${1:-} in
judge) shift; for db; do judge "$db"; done; summary; exit ;;
count) summary; exit ;;
twins) measure_twins; twin_summary; exit ;;
esac
for build_of in "base 0 1" "again 0 2" "more 5 3"; do # again: another build ID, since equal digests are noise
    read -r name more id <<<"$build_of"
    mkdir -p "$soak/$name"
    ${CC:-cc} -std=c17 -D_GNU_SOURCE -O2 -DMORE="$more" -Wl,--build-id="0x$(printf %040x "$id")" -o "$soak/$name/abdb-run-toil" tests/bench/toil.c -ljansson
done
end=$((SECONDS + 60 * ${GATE_MINUTES:-10}))
while [ "$SECONDS" -lt "$end" ]; do
    same=$(count same) planted=$(count planted)
    [ "$same" -lt $goal ] || [ "$planted" -lt $goal ] || break
    builds=a=$soak/base,b=$soak/again
    [ "$planted" -ge $goal ] || [ $((same % 3 * (same < goal))) != 0 ] || builds+=,slow=$soak/more
    rm -f "$soak"/round.db*
    ABDB_BACKENDS=$soak/base "$abdb" run -q --plan tests/bench/toil.plan --backend toil --builds "$builds" --repeat "$processes" --db "$soak/round.db"
    judge "$soak/round.db"
    [ -z "${GATE_KEEP:-}" ] || mv "$soak/round.db" "$GATE_KEEP/$(date +%s).db"
done
rm -f "$soak"/round.db*
summary

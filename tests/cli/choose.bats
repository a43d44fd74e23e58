#!/usr/bin/env bats
# choose.bats - what to buy or rent: by cases worked by hand, refusals, and what a missing price would change.
load common

# Five devices of one benchmark, two sizes of one of them; one stated per device; one without a price; one of another scenario.
cases() {
    {
        head -1 "$fixtures/per.csv"
        row() { # SUBMITTER DEVICE DEVICES VALUE SCENARIO PER: the header of per.csv
            echo "mlperf,statement,mlperf-site,inference,v6.0,datacenter,closed,available,yes,case-$1-$2-$3,$1,$2 x$3,llama2-70b-99,llama2-70b-99,${5:-Server},$2,$3,1,fp8,tokens_per_s,value,$4,Tokens/s,row 1,,,,${6-},,,,,,,,,"
        }
        row S1 H100-SXM 8 8000
        row S1 H100-SXM 16 20000
        row S2 H100-SXM 8 7900
        row S1 B200-SXM 8 3750 Server device
        row S3 MI300X 8 12000
        row S3 MI355X 8 40000
        row S1 H200-SXM 8 9000 Offline
    } >cases.csv
    abdb import -q cases.csv
    cat >prices.txt <<'END'
# USD for one device and hour
H100-SXM=2 USD/h
B200-SXM,5
MI300X, 1.5
END
}
choose() { abdb choose llama2-70b-99 Server --prices prices.txt "$@"; }

@test "choose computes whole systems, costs and break-even prices as an independent script does" {
    cases
    choose --rate 50k/s -o json >got
    python3 - <<'END'
import json, math
rows = json.load(open("got"))
price = {"H100-SXM": 2, "B200-SXM": 5, "MI300X": 1.5}
measured = {"H100-SXM": [(8, 8000), (16, 20000), (8, 7900)], "B200-SXM": [(8, 30000)], "MI300X": [(8, 12000)]}
best = {}
for device, results in measured.items():
    best[device] = min((math.ceil(50000 / rate) * size * price[device], math.ceil(50000 / rate), size, rate) for size, rate in results)
order = sorted(best, key=lambda d: best[d][0])
assert [r["device"] for r in rows] == order, rows
for place, r in enumerate(rows):
    cost, systems, size, rate = best[r["device"]]
    assert (r["systems"], r["devices"], r["size"]) == (systems, systems * size, size), r
    assert math.isclose(r["usd_per_hour"], cost) and math.isclose(r["usd_per_million"], cost / (50000 * 3600) * 1e6), r
    other = best[order[0] if place else order[1]][0]
    assert math.isclose(r["break_even"], price[r["device"]] * other / cost), r
    # at that price the two cost the same
    assert math.isclose(systems * size * r["break_even"], other), r
    assert math.isclose(r["of_first"], cost / best[order[0]][0]), r
END
}

@test "choose without a rate ranks one system of each device by its cost per million tokens at full load" {
    cases
    choose -o json >got
    python3 - <<'END'
import json, math
rows = {r["device"]: r for r in json.load(open("got"))}
assert math.isclose(rows["MI300X"]["usd_per_million"], 8 * 1.5 / (12000 * 3600) * 1e6)
assert math.isclose(rows["H100-SXM"]["usd_per_million"], 16 * 2 / (20000 * 3600) * 1e6) and rows["H100-SXM"]["size"] == 16
assert rows["MI300X"]["place"] == 1
END
}

@test "choose names each result left out for a missing price, another scenario or a condition" {
    cases
    run choose --rate 50k/s
    fails 0 "left out: MI355X (first below "
    [[ "$output" == *"MI355X (first below 3.75): no price"* ]] # 60 USD/h of 40 MI300X, by 16 devices
    run abdb choose llama2-70b-99 --prices prices.txt --rate 50k/s
    fails 0 "scenario=Offline (1): may not be compared with these"
    run choose --rate 50k/s --where 'submitter=S3'
    fails 0 "left out: other results (4): do not meet the conditions of --where"
    # a price for what had none changes the first
    same "$(choose --rate 40k/s -o csv 2>/dev/null | sed -n 2p | cut -d, -f4)" MI300X
    same "$(choose --rate 40k/s --price 'MI355X=1 USD/h' -o csv 2>/dev/null | sed -n 2p | cut -d, -f4)" MI355X
}

@test "choose rents whole offers, and leaves out an offer smaller than a node" {
    cases
    rented() { choose --where devices=8 --price 'H100-SXM=32 USD/h/16' "$@" -o json 2>/dev/null | jq -c '.[] | select(.device == "H100-SXM") | [.systems, .devices, .rented, .offered, .usd_per_hour]'; }
    same "$(rented --rate 8k/s)" "[1,8,16,16,32]"   # 8 devices are needed, 16 are rented
    same "$(rented --rate 24k/s)" "[3,24,32,16,64]" # two systems fit into an offer
    same "$(rented)" "[2,16,16,16,32]"              # without a rate: what an offer holds, at full load
    run choose --rate 8k/s --where devices=8 --price 'H100-SXM=32 USD/h/16'
    fails 0 "rented in whole offers: H100-SXM 16 for the 8 that are needed"
    run choose --rate 8k/s --price 'H100-SXM=6 USD/h/3'
    fails 0 "left out: H100-SXM (first below "
    [[ "$output" == *"offered only in fewer devices than a node of its results has"* ]]
    ABDB_DB=shipped.db filled "$root/data"
    choose_shipped --tier any --rate 9k/s --limit 100 --today 2026-11-23 -o json >got 2>/dev/null
    abdb query --db shipped.db "SELECT device, provider, offered, per_device_hour FROM v_price_offer WHERE kind = 'on-demand' AND valid_to IS NULL" -o json >offers 2>/dev/null
    abdb query --db shipped.db "SELECT device, devices, nodes, value FROM v_mlperf WHERE division = 'closed' AND scenario = 'Server' AND unit = 'token/s'" -o json >results 2>/dev/null
    python3 - <<'END'
import json, math
got, offers, results = (json.load(open(name)) for name in ("got", "offers", "results"))
assert len(got) > 8
for r in got:
    assert r["rented"] >= r["devices"] and (not r["offered"] or r["rented"] % r["offered"] == 0), r
    assert math.isclose(r["usd_per_hour"], r["rented"] * r["usd_per_device_hour"]), r
    mine = [o for o in offers if o["device"] == r["device"]]
    assert any(o["provider"] == r["provider"] and o["offered"] == r["offered"] and math.isclose(o["per_device_hour"], r["usd_per_device_hour"]) for o in mine), r
    def cost(system, offer):
        node = system["devices"] / system["nodes"]
        used = offer["offered"] // node * node if offer["offered"] else 1 # 0: any number
        devices = math.ceil(9000 / system["value"]) * system["devices"]
        return math.ceil(devices / used) * max(offer["offered"], 1) * offer["per_device_hour"] if used else math.inf
    own = [s for s in results if s["device"] == r["device"] and s["devices"] == r["size"] and math.isclose(s["value"], r["rate_each"])]
    assert math.isclose(r["usd_per_hour"], min(cost(s, o) for s in own for o in mine)), r
END
    run choose_shipped --tier any --rate 9k/s --today 2026-11-23
    fails 0 "H100-SXM at 1.29 USD/h of Hyperbolic, 3 together"
    [[ "$output" == *"! uncertain of B200-SXM: price read on 2026-11-21, age unknown"* && "$output" == *"with prices dated within the last 180 days "* ]]
    run abdb query price-for-throughput --db shipped.db
    fails 0 "abdb choose takes the cheapest of all measured systems, in whole offers: abdb choose 'llama2-70b-99' Server --rate 100000/s"
    # the age of a price on a day that is asked for counts to that day
    same "$(choose_shipped --price-date 2026-09-19 -o csv 2>/dev/null | grep -c "MI355X.*days old")" 0
}

@test "choose computes per device, per watt and for owned devices, and refuses contradictory options" {
    cases
    same "$(choose --rate 40k/s --per device -o csv 2>/dev/null | sed -n 2p | cut -d, -f4)" MI355X # no price is needed
    run choose --rate 50k/s --per watt
    fails 3 "no rate with measured power; a TDP is none"
    choose --rate 50k/s --own 'B200-SXM=45000' --life 3 --utilisation 0.5 --power 1200 --pue 1.2 --electricity 0.2 -o json >got
    python3 -c "import json; print(next(r['usd_per_device_hour'] for r in json.load(open('got')) if r['how'] == 'owned'))" >own
    same "$(cat own)" "$(abdb query cost-model --capital 45000 --life 3 --utilisation 0.5 --power 1200 --pue 1.2 --electricity 0.2 -o json | python3 -c 'import json, sys; print(json.load(sys.stdin)[0]["usd_per_device_hour"])')"
    same "$(choose --price 'MI300X=1 USD/h' -o json 2>/dev/null | jq '.[] | select(.device == "MI300X").usd_per_device_hour')" 1 # not the file's
    run choose --rate 5 --time-to-train 30min
    fails 2 "give one"
    run choose --rate "50k query/s"
    fails 2 "the results are in token/s, the wanted rate '50k query/s' is not"
    same "$(choose --rate "50K tokens/s" -o csv 2>/dev/null)" "$(choose --rate 50k/s -o csv 2>/dev/null)"
    same "$(choose --rate "5e-1Mtoken/s" -o csv 2>/dev/null)" "$(choose --rate 500k/s -o csv 2>/dev/null)"
    for per in 3M/min 180M/h "4320M tokens/day"; do # of a minute, hour and day: a second's, rounded alike
        same "$(choose --rate "$per" -o json 2>/dev/null)" "$(choose --rate 50k/s -o json 2>/dev/null)"
    done
    for bad in 0 -5 fast "k/s"; do
        run choose --rate "$bad"
        fails 2 "a rate is a number with its unit"
    done
    for bad in 'B200-SXM' 'B200-SXM=45000 USDx' 'B200-SXM=0' ',' 'B200-SXM=45,000'; do
        run choose --power 1000 --own "$bad"
        fails 2 "--own wants"
    done
    run choose --own 'B200-SXM=45000' --utilisation 70 # percent would be 1/100 of the price
    fails 2 "--utilisation wants a number above 0 and at most 1, not '70'"
    run choose --own 'B200-SXM=45000' --pue 0.5
    fails 2 "--pue wants a number of at least 1"
    run choose --own 'B200-SXM=45000' # this database has no specification
    fails 2 "--own B200-SXM: no specification has its power; --power WATTS gives it"
    run choose --rate 50k/s --own 'H200-SXM=45000' --power 700
    fails 0 "H200-SXM (owned): no result among these"
    run abdb choose $'\xff'
    fails 2 "no JSON object in UTF-8"
    echo "B200-SXM,cheap" >prices.txt
    run choose
    fails 2 "--prices prices.txt, line 1: "
    printf '# mine\nH200-SXM=1,5\n' >prices.txt
    run choose
    fails 2 "--prices prices.txt, line 2: 'DEVICE=2.49 USD/h' or 'DEVICE,2.49' (USD per device and hour) is wanted, not 'H200-SXM=1,5'"
    echo "H200-SMX,5" >prices.txt
    run choose
    fails 2 "--prices prices.txt, line 1: no device here is called 'H200-SMX'; did you mean 'H200-SXM'?"
    echo "B200-SXM,5" >prices.txt
    same "$(choose 2>&1 | head -1)" "What to buy or rent"
    same "$(choose --rate 50k/s 2>&1 | head -1)" "What to buy or rent for 50k/s"
    run choose --per dollars
    fails 2 "did you mean 'dollar'?"
}

@test "choose accepts 0 for power and electricity, and names the kind of price of a device listed twice" {
    cases
    owned() { choose --rate 50k/s --own 'MI300X=20000' --life 2 --utilisation 0.5 "$@" -o json 2>/dev/null | jq -c '[.[] | select(.how == "owned").usd_per_device_hour * 1e6 | floor]'; }
    same "$(owned --power 0)" "[2283105]" # 20000 / (2 x 8760 x 0.5), no electricity
    same "$(owned --power 1000 --electricity 0)" "[2283105]"
    run choose --own 'MI300X=20000' --power -1
    fails 2 "--power wants a number of at least 0, not '-1'"
    run choose --own 'MI300X=20000' --life 0 --power 0
    fails 2 "--life wants a number above 0, not '0'"
    for bad in '"life":0' '"power":-1' '"utilisation":1.5'; do # in SQL no report looks at them before
        run abdb query "SELECT * FROM abdb_choose('{\"selection\":\"work=llama2-70b-99,scenario=Server\",$bad}')"
        fails 2 "abdb_choose: "
    done
    run choose --where device=MI300X --own 'MI300X=15000' --life 3 --power 0
    fails 0 "MI300X owned is first: 8 devices for "
    fails 0 "it stays first up to 1.5 USD per device and hour; MI300X at your quote at 1.5 wins below 0.8154"
    run choose --rate 50k/s
    fails 0 "MI300X is first: 40 devices for 60 USD/h" # others are second
    ABDB_DB=shipped.db filled "$root/data"
    run choose_shipped --where device=B200-SXM --own 'B200-SXM=45000' --today 2026-11-23
    fails 0 "B200-SXM owned is first"
    fails 0 "; B200-SXM rented on-demand at "
}

@test "the cost of owning names its assumptions and the watts of the specification, and has no price tier" {
    cp shipped.db own.db 2>/dev/null || abdb import -q --db own.db "$root/data"
    own() { abdb choose llama2-70b-99 server --rate 100k/s --today 2026-11-25 --db own.db --own "$@"; }
    run own 'B200-SXM=45000'
    fails 0 "owned, at your assumptions, B200-SXM is first: 8 devices for "
    fails 0 "! owning is computed from --own B200-SXM=45000: 4 years at 70 % use, B200-SXM 1000 W of its specification, without the system, PUE 1.3, 0.1 USD/kWh; no staff, building, network or interest"
    no grep -q "kind not known" <<<"$output"
    run own 'B200=45000,MI355X=30000' --power 1500 --life 3
    fails 0 "3 years at 70 % use, MI355X 1500 W as given, B200-SXM 1500 W as given"
    same "$(own 'B200-SXM=45000' -o json 2>/dev/null | jq -r '.[0].warnings' | grep -c '1000 W of its specification')" 1
    same "$(own 'B200-SXM=45000' -o json 2>/dev/null | jq '.[0].usd_per_device_hour == 45000 / (4 * 8760 * 0.7) + 1 * 1.3 * 0.1')" true
    own 'B200-SXM=45000' --life 1 --json 2>/dev/null | jq -e '.[0].usd_per_device_hour > 7' >/dev/null
}

@test "a count of one is printed with a singular noun" {
    cases
    sed -n '1p; /case-S3-MI300X-8/{s/,MI300X,8,/,MI300X,1,/p}' cases.csv >one.csv
    abdb init --db one.db
    abdb import -q --db one.db one.csv
    run choose --db one.db
    fails 0 "only MI300X is left: 1 device for 1.5 USD/h"
    run abdb query mlperf-systems --db one.db
    fails 0 "n = 1 submission;"
    run abdb query price-for-throughput --db one.db
    fails 0 "1 device with results has no price"
}

@test "choose computes per watt, owned and trained systems and their break-even prices as a script does" {
    head="evidence,kind,source,suite,round,system_type,division,availability,verified,public_id,submitter,system,workload,model,scenario,device,devices,nodes,dtype,metric,statistic,value,unit,locator,also.power_w"
    {
        echo "$head"
        served() { echo "mlperf,statement,mlperf-site,inference,v6.0,datacenter,closed,available,yes,w-$2,S1,$1 x$2,llama2-70b-99,llama2-70b-99,Server,$1,$2,1,fp8,tokens_per_s,value,$3,Tokens/s,row 1,$4"; }
        served H100-SXM 8 8000 6000
        served H100-SXM 4 3000 1500
        served MI300X 8 12000 7000
        served B200-SXM 8 30000 "" # a TDP is no measurement
        trained() { echo "mlperf,statement,mlperf-site,training,v5.1,,closed,available,yes,t-$1-$2,S2,$1 x$2,bert,bert,training,$1,$2,1,,time_to_train_s,value,$3,s,row 1,"; }
        trained H100-SXM 8 3600
        trained B200-SXM 8 1500
        trained MI300X 8 2400
        trained MI355X 8 2700
        trained H200-SXM 64 300
        trained B200-SXM 16 700
        trained B200-SXM 32 690
    } >both.csv
    abdb import -q both.csv
    printf 'H100-SXM=2 USD/h\nB200-SXM,5\nMI300X,3\nH200-SXM,2\n' >prices.txt
    choose --rate 50k/s --per watt -o json >watts 2>/dev/null
    choose --rate 50k/s --own 'H100-SXM=30000,MI300X=20000' --life 3 --utilisation 0.5 --power 1200 --pue 1.2 --electricity 0.2 -o json >owned 2>/dev/null
    abdb choose bert --time-to-train 1h --prices prices.txt -o json >trained 2>left
    python3 - <<'END'
import json, math
def rows(name): return json.load(open(name))
systems = {"H100-SXM": [(8, 8000, 6000), (4, 3000, 1500)], "MI300X": [(8, 12000, 7000)]}
best = {d: min((math.ceil(50000 / rate) * watts, math.ceil(50000 / rate), size) for size, rate, watts in all) for d, all in systems.items()}
got = rows("watts")
assert [r["device"] for r in got] == sorted(best, key=lambda d: best[d][0]) and len(got) == 2
for r in got:
    assert (r["watts"], r["systems"], r["size"]) == best[r["device"]], r
# owning: capital over the hours that it works, and electricity while it does
hour = lambda capital: capital / (3 * 8760 * 0.5) + 1.2 * 1.2 * 0.2
price = {("H100-SXM", "owned"): hour(30000), ("MI300X", "owned"): hour(20000), ("H100-SXM", "own quote"): 2, ("MI300X", "own quote"): 3}
size = {"H100-SXM": [(8, 8000), (4, 3000)], "MI300X": [(8, 12000)]} # B200: a plain submission, those with power are others
cost = {k: min(math.ceil(50000 / rate) * n * p for n, rate in size[k[0]]) for k, p in price.items()}
got = rows("owned")
assert {(r["device"], r["how"]) for r in got} == set(price), got
for r in got:
    key = (r["device"], r["how"])
    assert math.isclose(r["usd_per_device_hour"], price[key]) and math.isclose(r["usd_per_hour"], cost[key]), (r, price[key], cost[key])
assert [r["usd_per_hour"] for r in got] == sorted(r["usd_per_hour"] for r in got)
# a training: dollars of the run, of each device on the size where it is cheapest; the price at which two cost the same
sizes = {"H100-SXM": {8: 60}, "B200-SXM": {8: 25, 16: 700 / 60, 32: 690 / 60}, "MI300X": {8: 40}, "H200-SXM": {64: 5}}
dollar = {"H100-SXM": 2, "B200-SXM": 5, "MI300X": 3, "H200-SXM": 2}
size = {d: min(all, key=lambda n: n * all[n]) for d, all in sizes.items()}
minutes = {d: sizes[d][size[d]] for d in sizes}
run = {d: size[d] * dollar[d] * minutes[d] / 60 for d in minutes}
assert size["B200-SXM"] == 16
order = sorted(run, key=lambda d: (run[d], minutes[d])) # at the same cost the faster one
got = rows("trained")
assert [r["device"] for r in got] == order, (got, run)
for place, r in enumerate(got):
    d = r["device"]
    other = run[order[0] if place else order[1]]
    assert math.isclose(r["usd_of_run"], run[d]) and math.isclose(r["minutes"], minutes[d]) and r["devices"] == size[d], r
    assert math.isclose(r["break_even"], dollar[d] * other / run[d]) and math.isclose(size[d] * r["break_even"] * minutes[d] / 60, other), r
said = open("left").read()
assert "! systems of different size meet: of each device the one that trains it in that time at the lowest price; what a training costs may be compared, " \
       f"the speed of a device may not; --where devices={size[order[0]]} chooses at equal scale" in said, said
assert f"MI355X (first below {run[order[0]] / (8 * 45 / 60):.4g}): no price" in said, said
END
    run choose --rate 50k/s --per watt
    [[ "$output" != *B200-SXM*8*30000* ]]
    # the same as a figure, whose data are these rows
    abdb plot choose --script --price 'H100-SXM=2 USD/h,MI300X=3 USD/h' --selection 'work=llama2-70b-99,scenario=Server' --rate 50k/s >script
    for d in H100-SXM MI300X; do grep -q "\"$d\"" script; done
}

@test "choose ranks trainings within a time, by the dollars of one run, and at equal scale" {
    ABDB_DB=shipped.db filled "$root/data"
    export ABDB_DB=shipped.db
    abdb choose --model llama2_70b_lora --time-to-train 30min --today 2026-11-20 --db shipped.db -o json >got 2>/dev/null
    python3 - <<'END'
import json, math
rows = json.load(open("got"))
assert len(rows) >= 5 and rows[0]["of_first"] == 1
for r in rows:
    assert r["minutes"] <= 30 and math.isclose(r["usd_of_run"], r["devices"] * r["usd_per_device_hour"] * r["minutes"] / 60), r
END
    # of each device the cheapest size of all that are done in time, whatever sizes others have
    abdb choose llama2_70b_lora --tier any --time-to-train 5min --db shipped.db -o json >got 2>/dev/null
    for device in $(jq -r '.[].device' got); do
        same "$(jq --arg d "$device" '.[] | select(.device == $d) | [.devices, .usd_of_run]' got)" \
            "$(abdb choose llama2_70b_lora --tier any --time-to-train 5min --where "device=$device" --db shipped.db -o json 2>/dev/null | jq '.[] | [.devices, .usd_of_run]')"
    done
    same "$(jq -c '.[0] | [.device, .devices, .unit, .rate_each]' got)" '["B200-SXM",32,null,null]'
    # not what costs most in a size that more devices have, nor nothing where that one has no price
    same "$(abdb choose gpt3 --tier any --time-to-train 1h --db shipped.db -o csv 2>/dev/null | sed -n 2p | cut -d, -f4,7)" H100-SXM,512
    run abdb choose llama2_70b_lora --time-to-train 2min --db shipped.db
    fails 0 "! systems of different size meet: "
    run abdb choose llama3.1-405b-training --time-to-train 1d --price 'B200-SXM=2.00 USD/h,TPU-v5e=1.2 USD/h' --db shipped.db
    fails 0 "left out: TPU-v5e: your price is not used, there is no result of it among these"
    run abdb choose llama3.1-405b-training --time-to-train 1d --price 'B200-SXM=2.00 USD/h' --where devices=448 --db shipped.db
    fails 0 "only B200-SXM is left: 448 devices"
    # the title says the time; what has no value is no column
    run abdb choose llama2_70b_lora --tier any --time-to-train 5min --db shipped.db -o markdown
    fails 0 "**What to buy or rent to train within 5min**"
    [[ "$output" != *"rate of one"* && "$output" != *"| ID |"* && "$output" != *"unit s"* ]]
    same "$(abdb choose llama2_70b_lora --time-to-train any --db shipped.db 2>/dev/null | head -1)" "What to buy or rent to train"
    plotted() { abdb plot choose-training --tier any --script --db shipped.db --today 2026-11-20 "$@" | sed -n 's/^heading.[0-9]. = "\(.*\)"/\1/p' | sed "s|\xc2\xa0| |g" | paste -sd ' '; }
    same "$(plotted --time-to-train 5min)" "B200-SXM is the cheapest for llama2_70b_lora within 5 min: 6.27 USD on 32 devices; H100-SXM costs 49 % more"
    same "$(plotted --time-to-train 5)" "$(plotted --time-to-train '5 min')"
    same "$(plotted)" "B200-SXM is the cheapest for llama2_70b_lora: 4.49 USD on 8 devices; B300-SXM costs 25 % more" # of all trainings
    # of a name of several the only one that is a training, or has a rate
    run abdb choose llama31_405b --time-to-train 2h --db shipped.db
    fails 0 "! model 'llama31_405b' is taken for llama3.1-405b-training, the only one of that name with such results"
    same "$(abdb choose llama31_405b --rate 10k/s --db shipped.db -o json 2>/dev/null | jq -r '.[0].work')" llama3.1-405b
    run abdb choose llama2_70b_lora --rate 10k/s --db shipped.db
    fails 2 "'llama2_70b_lora' is a training, which has a time and no rate: --time-to-train 2h (or any) in the place of --rate"
    # as few devices as can be, the faster one first
    abdb choose llama2_70b_lora --time-to-train any --per device --db shipped.db -o json >got 2>/dev/null
    same "$(jq '([.[] | [.devices, .minutes]] | . == sort) and length > 5' got)" true
    # at equal scale each with its best result
    abdb choose llama2_70b_lora --time-to-train any --per device --where devices=8 --db shipped.db -o json >got 2>/dev/null
    same "$(jq '([.[].minutes] | . == sort) and length > 5' got)" true
    same "$(jq '.[] | select(.device == "B200-SXM").minutes * 1e6 | floor' got)" \
        "$(ask "SELECT CAST(min(value) / 60 * 1e6 AS INTEGER) FROM v_mlperf WHERE device = 'B200-SXM' AND devices = 8 AND division = 'closed' AND model = 'llama2_70b_lora' AND unit = 's'" 2>/dev/null)"
    run abdb choose --model llama2_70b_lora --time-to-train 1s --db shipped.db
    fails 3 "no result in that time"
    fails 3 "the lines above say why"
    run abdb choose --model llama2_70b_lora --time-to-train 1s --db shipped.db --brief
    fails 3 "without --brief lines say why"
    # what there is, where nothing matches or nothing is named
    run abdb choose llama3.1-405b --time-to-train 1d --db shipped.db
    fails 2 "; nearest: llama2_70b_lora, llama3.1-405b-training, llama3.1-8b-training"
    run abdb choose --time-to-train 1d --db shipped.db
    fails 0 "! no training was named: llama2_70b_lora, of which most devices have a result, is taken; there are bert, "
    run abdb choose llama2-70b serving --db shipped.db
    fails 2 "; scenarios of llama2-70b: Interactive, Offline, Server"
    abdb init --db empty.db
    run abdb choose llama2-70b server --db empty.db
    fails 3 "this database holds no result: \`abdb import data\`"
    run abdb choose llama2-70b server --db nowhere.db
    fails 6 "\`abdb import data\`"
    run abdb choose --model llama2_70b_lora --time-to-train soon --db shipped.db
    fails 2 "a time to train is 30min"
}

@test "choose quotes a name with commas, quotes and shell characters, and reports an absent name" {
    cases
    name="O'Neil, \"9\" \$(touch ran)"
    python3 - "$name" <<'END'
import csv, sys
rows = list(csv.reader(open("cases.csv")))
with open("odd.csv", "w", newline="") as out:
    for row in rows:
        csv.writer(out).writerow([cell.replace("llama2-70b-99", sys.argv[1]).replace("case-", "odd-") for cell in row])
END
    abdb import -q odd.csv
    abdb choose --model "$name" --scenario Server --prices prices.txt --rate 50k/s -o json >got
    same "$(python3 -c 'import json; r = json.load(open("got")); print(len(r), r[0]["work"])')" "3 $name"
    same "$(abdb rank --workload "$name" --scenario Server -o csv 2>/dev/null | wc -l)" 5
    abdb plot choose --script --price 'MI300X=1.5 USD/h' --selection "work='${name//\'/\'\'}',scenario=Server" >script
    abdb plot choose --script --price 'MI300X=1.5 USD/h' --model "$name" --scenario Server >named
    cmp script named
    [ ! -e ran ]
    run choose --where 'ttft_s:p99 <= 0.5'
    fails 2 "abdb: no result matches"
    [[ "$output" == *"no result here says its ttft_s:p99"* ]]
}

choose_shipped() { abdb choose llama2-70b-99 Server --db shipped.db "$@"; }

@test "explain, the figure and completion work for choose; a rate of a billion does not overflow" {
    ABDB_DB=shipped.db filled "$root/data"
    abdb choose --rate 100k/s --limit 100 -o json --db shipped.db >got 2>/dev/null
    run abdb explain choose usd_per_hour device=MI355X --rate 100k/s --db shipped.db
    fails 0 "= 2nd x 1" # a node's price, as often as its rate needs
    rate=$(python3 -c "import json; print(next(r['rate_each'] for r in json.load(open('got')) if r['device'] == 'MI355X'))")
    [[ "$output" == *"68.8 USD"* && "$output" == *"├ $rate"* && "$output" == *" r-"*" p-"* ]]
    # no factor is fitted to a formula that nobody used; a quote is a source
    run abdb explain choose usd_per_hour device=B200-SXM --rate 100k/s --db shipped.db
    [[ "$status" -eq 0 && "$output" != *"1st / 2nd"* ]]
    run abdb explain choose usd_of_run device=B200-SXM --model llama2_70b_lora --time-to-train 1d --db shipped.db
    fails 0 "= 1st x 2nd / 3600 x 1"
    run abdb explain choose usd_per_hour device=B200-SXM --rate 100k/s --price 'B200-SXM=2 USD/h' --db shipped.db
    fails 0 "and your own price: --price 'B200-SXM=2 USD/h'"
    abdb plot choose --script --db shipped.db --today 2026-11-20 | grep -q "B200-SXM"
    abdb choose llama2-70b-99 Server --rate 1000G/s --db shipped.db -o json 2>/dev/null | python3 -c "
import json, sys
assert all(r['devices'] > 0 and r['usd_per_hour'] > 0 for r in json.load(sys.stdin))"
    run choose_shipped --rate 1000G/s # no exponents in sentences, as in the table
    fails 0 "is first: "
    [[ ! "$output" =~ [0-9]e\+[0-9] ]]
    run choose_shipped --rate 1
    [[ ! "$output" =~ [0-9]e\+[0-9] ]]
    for bad in 1e300/s 1e305G/s; do # more devices than a number holds
        run choose_shipped --rate $bad
        fails 3 "no number of systems up to 10^12 devices has that rate"
    done
}

@test "of tiers that price as many devices the one with known days leads; of one device, or with more devices, the other" {
    cases
    printf 'provider,kind,source,locator\nDated,tier-1 cloud,mine,x\nRead,GPU cloud,mine,x\n' | abdb import -q -
    offer() { # PROVIDER DATE DEVICE USD: for eight
        printf 'provider,instance,device,devices,kind,amount,currency,per,valid_from,source,locator\n%s,8,%s,8,on-demand,%s,USD,hour,%s,mine,mail\n' "$1" "$3" "$4" "$2" | abdb import -q -
    }
    leads() { abdb choose llama2-70b-99 Server --rate 8k/s --today 2026-11-20 "$@" -o json 2>/dev/null | jq -c '[.[0].tier, .[0].device, length]'; }
    offer Dated 2026-10-01 H100-SXM 40
    offer Dated 2026-10-01 MI355X 80
    offer Read 2026-01-01/2026-11-01 H100-SXM 16
    offer Read 2026-01-01/2026-11-01 MI355X 32
    same "$(leads)" '["tier-1 cloud","H100-SXM",2]'
    same "$(leads --where device=H100-SXM)" '["GPU cloud","H100-SXM",1]'
    offer Read "" MI300X 20
    same "$(leads)" '["GPU cloud","H100-SXM",3]'
}

@test "choose names the results left out by a tier, a vendor and a limit of dollars" {
    ABDB_DB=shipped.db filled "$root/data"
    shipped() { abdb choose llama2-70b-99 server --rate 100k/s --today 2026-11-20 --db shipped.db "$@"; }
    shipped --tier 'tier-1 cloud' -o json >tier 2>/dev/null
    same "$(jq -r '[.[].provider] | unique | join(",")' tier)" "$(abdb query "SELECT group_concat(provider) FROM (SELECT DISTINCT p.provider FROM v_provider p WHERE p.kind = 'tier-1 cloud' AND p.provider IN ($(jq -r '[.[].provider] | unique | map("'"'"'" + . + "'"'"'") | join(",")' tier)) ORDER BY 1);" --db shipped.db -o csv | tail -n +2 | tr -d '"')"
    [ "$(jq length tier)" -gt 2 ]
    # the line of one provider is what that provider alone gives
    run shipped --tier any
    line=$(grep -E '^at .* alone \(' <<<"$output")
    provider=$(sed -E 's/^at (.*) alone .*/\1/' <<<"$line")
    same "$(sed -E 's/.*: (.*) USD\/h$/\1/' <<<"$line")" "$(shipped --provider "$provider" -o json 2>/dev/null | jq -r '[.[:4][] | "\(.device) \(.usd_per_hour * 100 | round / 100)"] | join(", ")')"
    # without --tier the one counts that offers most of the devices; what it gives is what it gives when named, and its quotes count
    tier=$(for t in 'tier-1 cloud' 'GPU cloud' marketplace vendor; do echo "$(shipped --tier "$t" -o json 2>/dev/null | jq length) $t"; done | sort -rn | head -1 | cut -d' ' -f2-)
    same "$(shipped -o json 2>/dev/null | jq -c '[.[] | del(.tier)]')" "$(shipped --tier "$tier" -o json 2>/dev/null | jq -c '[.[] | del(.tier)]')"
    same "$(shipped -o json 2>/dev/null | jq -r '[.[].tier] | unique | join(",")')" "$tier"
    run shipped
    fails 0 "at $tier prices $(shipped --tier "$tier" -o json 2>/dev/null | jq -r '.[0].device') is first"
    line=$(grep '^cheapest anywhere: ' <<<"$output")
    same "$(sed -E 's/^cheapest anywhere: ([^ ]+) ([^ ]+) \(([^,]*),.*/\1 \2 \3/' <<<"$line")" "$(shipped --tier any -o json 2>/dev/null | jq -r '.[0] | "\(.device) \(.usd_per_hour * 100 | round / 100) \(.provider)"')"
    no grep -q 'providers of different kind' <<<"$output"
    fails 0 "offered only by providers of another kind: --tier any takes their prices too"
    same "$(shipped --price 'B200=1' -o json 2>/dev/null | jq -c '.[0] | [.device, .provider, .tier]')" "[\"B200-SXM\",\"you\",\"$tier\"]"
    # of one device that several tiers offer, the one counts in which it costs least; per device no price decides
    same "$(shipped --where device=B200-SXM -o json 2>/dev/null | jq -r '.[0].usd_per_hour')" "$(shipped --where device=B200-SXM --tier any -o json 2>/dev/null | jq -r '.[0].usd_per_hour')"
    same "$(shipped --per device -o json 2>/dev/null | jq -c '[.[].tier] | unique')" "[null]"
    same "$(shipped --provider OCI -o json 2>/dev/null | jq -c '[.[].tier] | unique')" "[null]"
    same "$(shipped --vendor amd -o json 2>/dev/null | jq -r '.[].device' | grep -cv '^MI')" 0
    run shipped --tier any --max-usd-per-hour 45
    fails 0 "more than 45 USD/h"
    same "$(shipped --tier any --max-usd-per-hour 45 -o json 2>/dev/null | jq -c '[.[].usd_per_hour <= 45] | unique')" "[true]"
    same "$(shipped --tier any --max-usd-per-hour 35 -o json 2>/dev/null | jq -c '[.[0].place, .[0].of_first]')" "[1,1]"
    run shipped --tier clouds
    fails 2 "nothing here is called 'clouds'"
    run abdb rank llama2-70b-99,server --per dollar --tier clouds --db shipped.db
    fails 2 "no provider of tier 'clouds'; there are GPU cloud, marketplace, tier-1 cloud, vendor"
    run abdb rank llama2-70b-99,server,vendor=Nobody --db shipped.db
    fails 2 "no vendor 'Nobody'; there are AMD, "
    same "$(abdb rank llama2-70b-99,server,vendor!=nvidia --per device --db shipped.db -o json 2>/dev/null | jq -r '.[].device' | grep -cE '^(H|B|G|L|RTX)')" 0
}

@test "choose prints at most nine columns on a terminal, and all with --wide, --columns or into a file" {
    cases
    run choose --rate 50k/s
    grep -qE '^#  device +devices +USD/h +USD/million +used +of first +cheapest at +uncertain$' <<<"$output"
    run choose
    no grep -q ' used ' <<<"$output"
    run choose --rate 50k/s --why --ranges price=0.9..1.2
    grep -qE '^ *#  device .* first in %  why' <<<"$output"
    run choose --rate 50k/s --wide
    grep -qE '^ *#  device .* wins below' <<<"$output"
    same "$(choose --rate 50k/s -o csv 2>/dev/null | head -1)" "$(choose --rate 50k/s --wide -o csv 2>/dev/null | head -1)"
    [ "$(choose --rate 50k/s -o markdown 2>/dev/null | grep -c 'wins below')" -ge 1 ]
}

@test "a quote may have a currency sign, a unit of time, and a price per device or per node" {
    cases
    quoted() { choose --rate 50k/s --price "$1" -o json 2>/dev/null | jq -r '.[] | select(.device == "B200-SXM") | .usd_per_device_hour'; }
    for quote in 'B200-SXM=3.5' 'B200=$3.5' 'b200-sxm=$3.50/h' 'B200-SXM= 3.5 USD' 'B200-SXM=3.5 usd/hr' 'B200-SXM=3.5USD/hour' 'B200-SXM=$28/h/8' 'B200-SXM=28 USD/hr/8'; do
        same "$quote $(quoted "$quote")" "$quote 3.5"
    done
    for quote in 'B200-SXM=3.5 EUR/h' 'B200-SXM=€3.5' 'B200-SXM=3.5/8' 'B200-SXM=3.5 USD/day' 'B200-SXM=$' 'B200-SXM=-1' 'B200-SXM=3.5 USD/h/0' 'B200-SXM=3.5 USD/h/8x' 'B200-SXM=0' 'B200-SXM'; do
        run choose --rate 50k/s --price "$quote"
        fails 2 "--price wants 'DEVICE=AMOUNT USD/h'"
    done
    run choose --rate 50k/s --price 'B2000=3'
    fails 2 "B2000"
}

@test "choose prints the network between instances, the assumed scenario, and warnings for programs" {
    ABDB_DB=shipped.db filled "$root/data"
    export ABDB_DB=shipped.db
    # a system of several instances: the network that a source names, else none is promised; of one instance nothing is said
    abdb choose llama3.1-405b server --today 2026-11-25 -o json 2>/dev/null >got
    same "$(jq -r '.[] | select(.size > .offered) | .fabric' got | sort -u | paste -sd,)" "EFA v2,not promised"
    same "$(jq -r '.[] | select(.size <= .offered) | .fabric' got | sort -u)" null
    same "$(jq -r '.[] | select(.fabric == "EFA v2") | "\(.provider) \(.device)"' got)" "AWS H100-SXM"
    run abdb choose llama3.1-405b server --today 2026-11-25
    fails 0 "! measured as one system, rented as several instances without a promised network between them: GB300 (18 x 4 at OCI)"
    fails 0 "network between instances: H100-SXM EFA v2 (AWS)"
    run abdb query "SELECT count(*) FROM v_fabric f LEFT JOIN v_source s USING (source) WHERE s.source IS NULL OR f.locator IS NULL OR NOT EXISTS (SELECT 1 FROM v_price p WHERE p.provider = f.provider AND p.instance = f.instance)" -o csv
    fails 0 "0"
    # serving means Server, and says so; a scenario that is named is taken, and a latency limit decides itself
    said="! no scenario was named: serving is taken for Server"
    run abdb choose llama2-70b-99 --rate 100k/s
    fails 0 "$said"
    same "$(abdb choose llama2-70b-99 --rate 100k/s -o json 2>/dev/null | jq -c 'map(del(.warnings))')" "$(abdb choose llama2-70b-99 server --rate 100k/s -o json 2>/dev/null | jq -c 'map(del(.warnings))')"
    for words in "llama2-70b-99 offline" "llama2-70b-99 server" "resnet" "llama2-70b-99 --tpot 50ms" "--time-to-train 2h"; do
        run abdb choose $words
        no grep -qF "$said" <<<"$output"
    done
    # spellings that no fact has
    for pair in "mi355=MI355X" "MI 355X=MI355X" "tpu v5 LITE=TPU-v5e" "NVIDIA B300 SXM6 AC=B300-SXM" "HL-225=Gaudi2" "h20=HGX-H20"; do
        run abdb choose llama2-70b-99 server --rate 1k/s --tier any --price "${pair%=*}=0.01"
        grep -qE "^[0-9 ]*1 +${pair#*=} .* you|left out: ${pair#*=}: your price is not used" <<<"$output" || { echo "$pair: $output"; false; }
    done
    # warnings in each row of what programs read, whatever of the notes is left out; none for people
    abdb choose llama2-70b-99 --rate 100k/s -o csv --brief 2>/dev/null >rows.csv
    same "$(python3 -c 'import csv; print(sorted({"no scenario was named" in r["warnings"] and "age unknown" not in r["warnings"] and "unknown age" in r["warnings"] for r in csv.DictReader(open("rows.csv"))}))')" "[True]"
    same "$(abdb choose llama2-70b-99 server --rate 100k/s --price 'MI355X=1' --where device=MI355X -o json 2>/dev/null | jq -c '.[0].warnings')" null
    run abdb choose llama2-70b-99 --rate 100k/s --wide
    no grep -q ' warnings' <<<"$output"
    # a purchase of which most is idle is drawn so
    abdb plot choose --rate 100k/s --model llama2-70b-99 --scenario Server --today 2026-11-25 --out c.svg >/dev/null
    grep -q '12 % used' c.svg
}

#!/usr/bin/env bats
# ranges.bats - choose --ranges: how often each is first, against closed forms and a brute force of its own; what takes the first place away.
load common

cases() { # two or more devices of 8, each with a rate and a price
    {
        head -1 "$fixtures/per.csv"
        while read -r device rate; do
            echo "mlperf,statement,mlperf-site,inference,v6.0,datacenter,closed,available,yes,case-$device-$rate,S1,$device x8,llama2-70b-99,llama2-70b-99,Server,$device,8,1,fp8,tokens_per_s,value,$rate,Tokens/s,row 1,,,,,,,,,,,,,"
        done
    } >cases.csv
    abdb import -q cases.csv
}
ask() { abdb choose llama2-70b-99 Server "$@" --json 2>/dev/null; }

@test "the share of first places equals the closed form, and the losing price is the break-even price" {
    cases <<<$'H100-SXM 8000\nB200-SXM 16000'
    prices='H100-SXM=2 USD/h,B200-SXM=5 USD/h' # without a wanted rate the costs are 2/1000 and 5/2000: 0.8 of the second
    ask --price "$prices" --ranges price=0.5..2 >out
    same "$(jq -r '.[0].device' out)" H100-SXM
    python3 - out <<'END'
import json, math, sys
first, second = json.load(open(sys.argv[1]))
# the logarithms are uniform on [-L, L]: P(a - b < d), d = log(1.25), is 1 - (2L - d)^2 / (8 L^2)
L, d = math.log(2), math.log(1.25)
want = 1 - (2 * L - d) ** 2 / (8 * L * L)
assert abs(first["first_in"] / 100 - want) < 4 * math.sqrt(want * (1 - want) / 10000), (first["first_in"], want)
assert abs(first["first_in"] + second["first_in"] - 100) < 1e-6
END
    run abdb choose llama2-70b-99 Server --price "$prices" --ranges price=0.5..2
    fails 0 "price alone: at 1.25 times that of H100-SXM, B200-SXM is first"
    same "$(ask --price "$prices" | jq -r '.[0] | .break_even / .usd_per_device_hour')" 1.25
    fails 0 "rate alone: at 0.8 times that of H100-SXM, B200-SXM is first"
    fails 0 "seed 1: each input of each device log-uniform within price=0.5..2"
    # the paid hours that are used: half of them double the price of what is done
    same "$(ask --price "$prices" --ranges utilisation=0.5..1 | jq -c '[.[].first_in | . > 70 and . < 90]')" "[true,false]"
    run abdb choose llama2-70b-99 Server --price "$prices" --ranges utilisation=0.5..1
    fails 0 "utilisation alone: at 0.8 times that of H100-SXM, B200-SXM is first"
    run abdb choose llama2-70b-99 Server --price "$prices" --ranges utilisation=0.5..1.5
    fails 2 "ranges of utilisation end at 1"
    # one range of one number is that number; nothing varies without a range
    same "$(ask --price "$prices" --ranges price=1 | jq -c '[.[].first_in | round]')" "[100,0]"
    same "$(ask --price "$prices" --ranges rate=1..1.0001 --seed 9 | jq -c '[.[].first_in | round]')" "[100,0]"
    same "$(ask --price "$prices" | jq -c '[.[].first_in]')" "[null,null]"
}

@test "shares with whole systems, offers and rates of several devices equal a brute force in Python" {
    cases <<<$'H100-SXM 8000\nB200-SXM 17000\nMI300X 9500\nMI355X 21000'
    for question in "price=0.6..1.8,rate=0.7..1.2 30k/s" "price=0.9..1.1 100k/s" "rate=0.5..1.5 9k/s" "price=0.3..3,rate=0.8..1.25 250k/s" \
        "utilisation=0.3..1 40k/s" "price=0.8..1.5,utilisation=0.5..0.9 70k/s" "rate=0.9..1.1,utilisation=0.6..1 15k/s" "price=0.5..2,rate=0.5..2,utilisation=0.5..1 500k/s" \
        "price=1..4 1M/s" "rate=0.2..1 60k/s"; do
        ask --price 'H100-SXM=2 USD/h,B200-SXM=4 USD/h,MI300X=2.2 USD/h,MI355X=5 USD/h' --ranges "${question% *}" --rate "${question#* }" >out
        python3 - "$question" out <<'END'
import json, math, random, sys
words, wanted = sys.argv[1].split()
wanted = float(wanted[:-3]) * {"k": 1e3, "M": 1e6}[wanted[-3]]
ranges = {"price": (1, 1), "rate": (1, 1), "utilisation": (1, 1)}
for word in words.split(","):
    name, span = word.split("=")
    ranges[name] = tuple(map(float, span.split("..")))
rows = json.load(open(sys.argv[2]))
draw, tries = random.Random(7), 20000
multiple = lambda name: math.exp(draw.uniform(*map(math.log, ranges[name])))
count = dict.fromkeys((r["device"] for r in rows), 0)
for _ in range(tries):
    def cost(r):
        price, rate = multiple("price") / multiple("utilisation"), multiple("rate")
        return 8 * math.ceil(wanted / (r["rate_each"] * rate)) * r["usd_per_device_hour"] * price, -r["rate_each"] * rate
    count[min(((cost(r), r["device"]) for r in rows))[1]] += 1
for r in rows:
    p = count[r["device"]] / tries
    assert abs(r["first_in"] / 100 - p) < 0.004 + 4 * math.sqrt(p * (1 - p) * (1 / 10000 + 1 / tries)), (words, r["device"], r["first_in"], p)
END
    done
}

@test "rank --ranges and why --ranges: shares and flip points of two values equal the closed forms and those of choose" {
    cases <<<$'H100-SXM 8000\nB200-SXM 16000'
    prices='H100-SXM=2 USD/h,B200-SXM=5 USD/h' # per dollar 1000 / 2 and 2000 / 5: 0.8 of the first
    abdb rank llama2-70b-99,server --per dollar --price "$prices" --ranges price=0.5..2 --json 2>/dev/null >rank
    abdb why B200-SXM H100-SXM --where llama2-70b-99,server --per dollar --price "$prices" --ranges price=0.5..2 --json 2>/dev/null >why
    python3 - rank why <<'END'
import json, math, sys
rank, why = (json.load(open(name)) for name in sys.argv[1:])
L, d = math.log(2), math.log(1.25)
want = 1 - (2 * L - d) ** 2 / (8 * L * L)
assert [r["device"] for r in rank] == ["H100-SXM", "B200-SXM"] and abs(sum(r["first_in"] for r in rank) - 100) < 1e-6, rank
for share in (rank[0]["first_in"], why[0]["first_in"]):
    assert abs(share / 100 - want) < 4 * math.sqrt(want * (1 - want) / 10000), (share, want)
END
    for verb in "rank llama2-70b-99,server" "why H100-SXM B200-SXM --where llama2-70b-99,server"; do
        run abdb $verb --per dollar --price "$prices" --ranges price=0.5..2 --seed 7
        for flip in "price alone: at 1.25" "rate alone: at 0.8" "utilisation alone: at 0.8"; do fails 0 "$flip times that of H100-SXM, B200-SXM is first"; done
        fails 0 "first in % of 10000 draws, seed 7: each input of each value log-uniform within price=0.5..2"
        run abdb $verb --per device --ranges rate=0.4..1.1
        fails 0 "rate alone: at 0.5 times that of B200-SXM, H100-SXM is first"
        [[ $output != *"price alone"* ]]
        run abdb $verb --per device --ranges price=2..1
        fails 2 "ranges"
        run abdb $verb --per device --ranges rate=0.9..1.1 --seed x
        fails 2 "--seed wants a whole number"
    done
    # evidence: the H100 had 6000, too, so between 0.75 and 1 of its rate; the B200 has one result
    cases <<<'H100-SXM 6000'
    same "$(abdb rank llama2-70b-99,server --per dollar --price "$prices" --ranges evidence --json 2>/dev/null | jq '.[0].first_in * 100 | round | . > 7500 and . < 8050')" true # log(0.8) / log(0.75) is 0.776
    same "$(abdb why B200-SXM H100-SXM --where llama2-70b-99,server --per dollar --price "$prices" --ranges evidence --json 2>/dev/null | jq '.[0].first_in * 100 | round | . > 7500 and . < 8050')" true
    run abdb rank llama2-70b-99,server --by system --ranges evidence
    fails 2 "with --by give multiples"
    run abdb rank llama2-70b-99,server --suite --ranges rate=0.5..1
    fails 2 "--ranges varies values of one kind"
    no grep -q first_in <(abdb rank llama2-70b-99,server --per device --json 2>/dev/null)
}

@test "the same seed gives the same answer; wrong ranges are refused; evidence takes offers and results" {
    cases <<<$'H100-SXM 8000\nH100-SXM 6000\nB200-SXM 16000'
    a=$(ask --price 'H100-SXM=2 USD/h,B200-SXM=5 USD/h' --ranges price=0.5..2 --seed 5)
    same "$(ask --price 'H100-SXM=2 USD/h,B200-SXM=5 USD/h' --ranges price=0.5..2 --seed 5)" "$a"
    no same "$(ask --price 'H100-SXM=2 USD/h,B200-SXM=5 USD/h' --ranges price=0.5..2 --seed 6)" "$a" >/dev/null
    for bad in price price= price=0..1 price=2..1 price=1..x cost=1..2 price=-1..1 rate=1e9 "price=1..2,,rate=1..2" "$(printf 'price=1..2,%.0s' {1..40})"; do
        run abdb choose llama2-70b-99 Server --price 'H100-SXM=2 USD/h,B200-SXM=5 USD/h' --ranges "$bad"
        fails 2 "ranges"
    done
    # the rate of the H100 ranges from 0.75 to 1, that of the B200 not at all: 2/1000 / r against 5/2000
    share=$(ask --price 'H100-SXM=2 USD/h,B200-SXM=5 USD/h' --ranges evidence | jq '.[0].first_in')
    python3 -c 'import math, sys; want = math.log(1 / 0.8) / math.log(1 / 0.75) * 100; sys.exit(abs(float(sys.argv[1]) - want) > 2)' "$share"
}

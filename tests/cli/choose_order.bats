#!/usr/bin/env bats
# choose_order.bats - within one tier of providers the order and costs of choose are those that a script works out of price lists and results.
load common

@test "60 questions within one tier have the order and dollars of the price list" {
    filled "$root/data"
    abdb query "SELECT model, scenario, round, device, devices, nodes, total AS value FROM v_mlperf
        WHERE division = 'closed' AND unit = 'token/s' AND left_out = '' AND ' ' || coalesce(flags, '') || ' ' NOT LIKE '% power %' AND round IN ('v5.1', 'v6.0') AND scenario IN ('Server', 'Offline', 'Interactive')" -o json >results 2>/dev/null
    cat >ask.py <<'END'
import collections, csv, json, math, sys

ROOT, TODAY = sys.argv[1], "2026-11-28"
results = [r for r in json.load(open("results")) if r["device"] and " + " not in r["device"] and r["devices"]]
tier = {r["provider"]: r["kind"] for r in csv.DictReader(open(f"{ROOT}/data/providers.csv"))}
rows = [r for r in csv.DictReader(open(f"{ROOT}/data/prices.csv")) if r["kind"] == "on-demand" and r["per"] == "hour" and r["currency"] == "USD"]
last = lambda r: r["valid_from"].split("/")[-1]
alike = lambda r, o: all(r[k] == o[k] for k in ("provider", "instance", "device", "kind", "region", "source", "valid_from"))
beside = lambda r: int(r["devices"]) > 1 and any(o["devices"] == "1" and alike(r, o) for o in rows)
used = [r for r in rows if not beside(r)]
ended = lambda r: any(o["provider"] == r["provider"] and o["device"] == r["device"] and o["valid_from"] > last(r) and last(o) <= TODAY for o in used)
offers = collections.defaultdict(list)
for r in used:
    if last(r) > TODAY or ended(r):
        continue
    twin = any(o["provider"] == r["provider"] and o["instance"] == r["instance"] and o["device"] == r["device"] and int(o["devices"]) > 1 for o in rows)
    size = int(r["devices"])
    offers[tier[r["provider"]], r["device"]].append((0 if size == 1 and (not r["instance"] or twin) else size, float(r["amount"]) / size))

def rented(result, rate, offered, price):
    size, systems = result["devices"], math.ceil(rate / result["value"] * (1 - 1e-12))
    node = size / result["nodes"] if result["nodes"] else (offered if offered > 1 and size % offered == 0 else size)
    whole = 1 if offered == 0 else offered // node * node
    return math.ceil(systems * size / whole) * max(offered, 1) * price if whole >= 1 else math.inf

def answer(model, scenario, round, rate, kind):
    mine, cost = [r for r in results if (r["model"], r["scenario"], r["round"]) == (model, scenario, round)], {}
    for r in mine:
        for offered, price in offers[kind, r["device"]]:
            cost[r["device"]] = min(cost.get(r["device"], math.inf), rented(r, rate, offered, price))
    return sorted((c, d) for d, c in cost.items() if c < math.inf)

asked = []
for model, scenario, round in sorted({(r["model"], r["scenario"], r["round"]) for r in results}):
    for kind in ("tier-1 cloud", "GPU cloud", "marketplace"):
        for rate in (3000, 45000, 1000000):
            if len(answer(model, scenario, round, rate, kind)) > 1:
                asked.append((model, scenario, round, rate, kind))
asked = asked[:: max(1, len(asked) // 60)]
if sys.argv[2] == "questions":
    quote = lambda text: text.replace("'", "''")
    print("SELECT q.column1 AS n, c.place, c.device, c.usd_per_hour, c.tier FROM (VALUES " + ", ".join(
        "(%d, '%s')" % (n, quote(json.dumps({"selection": f"work='{m}',scenario={s},round={r},power_submission=no", "rate": str(rate), "tier": kind, "today": TODAY})))
        for n, (m, s, r, rate, kind) in enumerate(asked)) + ") q, abdb_choose(q.column2) c WHERE c.kind = 'choice' ORDER BY 1, 2")
else:
    got = collections.defaultdict(list)
    for r in json.load(open("answers")):
        got[r["n"]].append((r["usd_per_hour"], r["device"]))
    wrong = 0
    for n, question in enumerate(asked):
        want = answer(*question)
        close = len(want) == len(got[n]) and all(math.isclose(a, b) for (a, _), (b, _) in zip(want, got[n]))
        if not close or sorted(d for _, d in want) != sorted(d for _, d in got[n]) or any(dict((d, c) for c, d in want)[d] != c and not math.isclose(dict((d, c) for c, d in want)[d], c) for c, d in got[n]):
            wrong += 1
            print(question, "\n  want", want, "\n  got ", got[n])
    print(f"{len(asked)} questions, {wrong} wrong")
    sys.exit(wrong > 0 or len(asked) < 60)
END
    abdb query "$(python3 ask.py "$root" questions)" -o json >answers 2>/dev/null
    python3 ask.py "$root" check
}

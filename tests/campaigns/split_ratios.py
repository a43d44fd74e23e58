#!/usr/bin/env python3
"""split_ratios.py - abdb why on pairs of MLPerf results: factors multiply to the ratio, each is a quotient of two published values.
split_ratios.py DATABASE DEVICE-PAIRS RESULT-PAIRS RECOMPUTED [SEED]: pairs of devices of one benchmark and scenario (all: every one), pairs of
results drawn by the seed, and how many of these are recomputed from the lines of the shipped CSV files."""
import csv
import itertools
import json
import math
import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

DATABASE, DEVICES, RESULTS, AGAIN = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
SEED = int(sys.argv[5]) if len(sys.argv) > 5 else 76
BATCH = 100


def abdb(*words, exits=(0,)):
    run = subprocess.run(["abdb", *words, "--db", DATABASE], capture_output=True, text=True, check=False)
    assert run.returncode in exits, (str(words)[:400], run.returncode, run.stderr[-400:])
    return run.stdout


def rows(sql):
    return json.loads(abdb("query", sql + " ;", "-o", "json", "--timeout", "0") or "[]")


def close(a, b, digits=1e-12):
    return math.isclose(a, b, rel_tol=digits)


def quoted(word):
    return "'" + word.replace("'", "''") + "'"


def split(pairs):
    """The factors of many (A, B, where, --per): lists of rows of abdb_why, one for each chain; [] where a rule refuses."""
    found = rows("SELECT p.key AS at, w.pair, w.place, w.factor, w.a, w.b, w.times, w.product, w.ratio, w.result, w.facts FROM json_each("
                 + quoted(json.dumps([list(p) for p in pairs])) + ") p, abdb_why(json_object('baseline', json_extract(p.value, '$[0]'), 'contender',"
                 " json_extract(p.value, '$[1]'), 'where', json_extract(p.value, '$[2]'), 'divide_by', json_extract(p.value, '$[3]'))) w WHERE w.note IS NULL")
    chains = [[] for _ in pairs]
    for (at, _), chain in itertools.groupby(found, key=lambda r: (r["at"], r["pair"])):
        chains[at].append(list(chain))
    return chains


facts = {r["key"]: r for r in rows(
    "SELECT key, value, devices, model, scenario, metric, device, unit FROM v_mlperf")}
per = lambda fact: "device" if fact["unit"].endswith("/s") else "none"
value = {k: r["value"] / r["devices"] if r["unit"].endswith("/s") else r["value"] for k, r in facts.items() if r["devices"]}


def check(pair, chain, within=None):
    """A chain: its running products, its ratio, and the two results of each step. Counts its steps from one result to the next."""
    product, before, steps = 1.0, chain[0]["facts"].split()[0], 0
    for r in chain:
        product *= r["times"]
        assert close(product, r["product"]), (pair, r)
        if r["result"]:
            assert close(r["times"], value[r["result"]] / value[before], 1e-12), (pair, r, value[before], value[r["result"]])
            before, steps = r["result"], steps + 1
    assert close(product, chain[0]["ratio"]), (pair, product, chain[0]["ratio"])
    assert within is None or any(close(chain[0]["ratio"], x) for x in within), (pair, chain[0]["ratio"], within)
    return steps


def published(key):
    """The value per device of the line that states the result, and the line."""
    told = json.loads(abdb("explain", key, "-o", "json"))[0]
    path, line = told["artifact"].rsplit(", line ", 1)
    with open(path, newline="", encoding="utf-8") as file:
        reader = csv.reader(file)
        head = next(reader)
        said = next(dict(zip(head, row)) for row in reader if reader.line_num == int(line))
    return float(said["value"]) / (float(said["devices"]) if said["unit"].endswith("/s") else 1), said


def recompute(pair, chain):
    """By the lines alone: each factor, and that a step changes nothing but what it names."""
    names = {"round": "round", "scale": "devices", "number format": "dtype"}
    before = chain[0]["facts"].split()[0]
    for r in chain:
        if not r["result"]:
            continue
        (was, a), (now, b) = published(before), published(r["result"])
        assert close(r["times"], now / was), (pair, r, was, now)
        for name, column in names.items():
            if name not in r["factor"].split(" and ") and r["factor"] != "system or run":
                assert a.get(column) == b.get(column), (pair, r, column, a[column], b[column])
        assert "device" in r["factor"].split(" and ") or facts[before]["device"] == facts[r["result"]]["device"], (pair, r)
        before = r["result"]


def in_batches(pairs):
    parts = [pairs[i:i + BATCH] for i in range(0, len(pairs), BATCH)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for part, chains in zip(parts, pool.map(split, parts)):
            yield from zip(part, chains)


draw = random.Random(SEED)
groups = {}
for fact in facts.values():
    if fact["key"] in value:
        groups.setdefault((fact["model"], fact["scenario"], fact["metric"]), []).append(fact)

# Devices: their selections are those that a reader types.
of_devices = []
for (model, scenario, metric), group in sorted(groups.items(), key=str):
    where = f"model={quoted(model)},metric={quoted(metric)}" + (f",scenario={quoted(scenario)}" if scenario else "")
    names = sorted({f["device"] for f in group if f["device"] and "+" not in f["device"]})
    of_devices += [(f"device={quoted(a)}", f"device={quoted(b)}", where, per(group[0])) for a, b in itertools.combinations(names, 2)]
draw.shuffle(of_devices)
if DEVICES != "all":
    of_devices = of_devices[:int(DEVICES)]
split_devices = chains_seen = steps_seen = 0
for at, (pair, chains) in enumerate(in_batches(of_devices)):
    split_devices += bool(chains)
    ratios = None
    if chains and at % 20 == 0:  # the ratios are those of abdb compare
        ratios = [float(r["ratio"]) for r in csv.DictReader(abdb("compare", *pair[:2], "--where", pair[2], "--per", pair[3], "-o", "csv").splitlines()) if r["ratio"]]
    for chain in chains:
        chains_seen += 1
        steps_seen += check(pair, chain, ratios)

# Results: any two of one benchmark, scenario and metric, and the same two the other way round.
lists = sorted(([f["key"] for f in g] for g in groups.values() if len(g) > 1), key=lambda g: g[0])
weights = [len(g) * (len(g) - 1) for g in lists]
of_results = [tuple(f"key={k}" for k in draw.sample(g, 2)) + (None, per(facts[g[0]])) for g in draw.choices(lists, weights, k=RESULTS)]
split_results, again = 0, 0
for (pair, chains), (_, turned) in zip(in_batches(of_results), in_batches([(b, a, *rest) for a, b, *rest in of_results])):
    assert len(chains) == len(turned) <= 1, (pair, chains, turned)
    for chain, back in zip(chains, turned):
        split_results += 1
        check(pair, chain)
        check(pair, back)
        assert close(chain[0]["ratio"] * back[0]["ratio"], 1), (pair, chain[0]["ratio"], back[0]["ratio"])
        if again < AGAIN and chain[0]["facts"].split()[0] in value:
            recompute(pair, chain)
            again += 1
print(f"{split_devices} of {len(of_devices)} pairs of devices split into {chains_seen} chains of {steps_seen} steps; {split_results} of {RESULTS} pairs of"
      f" results drawn by seed {SEED}, both ways round; {again} recomputed from the lines of files; the others are refused by rules")
assert again == min(AGAIN, split_results) and split_devices > len(of_devices) / 4 and split_results > RESULTS / 4

#!/usr/bin/env python3
"""recompute.py - answers of abdb recomputed from the shipped CSV files, without abdb, SQL or its views.

recompute.py ABDB DATA: ranks and comparisons per device, throughput per dollar, claims that are products. One line a disagreement; the last
line counts. Exit 1 where anything disagrees or fewer than 200 answers were found."""
import csv
import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile

abdb, data = sys.argv[1], pathlib.Path(sys.argv[2])
checked, wrong = {}, []


def rows(*names):
    for name in names:
        with open(data / name, encoding="utf-8", newline="") as file:
            yield from csv.DictReader(file)


def number(text):
    text = (text or "").strip().replace(",", "").rstrip("x%+*")
    try:
        return float(text)
    except ValueError:
        return None


def ask(db, *words):
    out = subprocess.run([abdb, *words, "--db", db], capture_output=True, text=True, check=False)
    if out.returncode == 2 and "no result matches" in out.stderr:
        return []
    if out.returncode not in (0, 3):
        sys.exit(f"{' '.join(words)}: {out.stderr}")
    return [json.loads(line) for line in out.stdout.splitlines() if line.startswith("{")]


def compare(kind, what, said, own):
    checked[kind] = checked.get(kind, 0) + 1
    if said is None or own is None or not math.isclose(said, own, rel_tol=1e-9):
        wrong.append(f"{kind}: {what}: abdb says {said}, the files give {own}")


# --- names: the alias that a spelling has, else itself, without case and punctuation --------------------------------------------------
def fold(text):
    return re.sub(r"[^a-z0-9]", "", text.lower())


alias, mixed = {}, set()
for a in rows("aliases.csv"):
    alias[a["kind"], fold(a["spelling"])] = a["canon"]
    if a["part"] not in ("", "1"):
        mixed.add(fold(a["spelling"]))
for d in rows("devices.csv"):
    alias.setdefault(("device", fold(d["device"])), d["device"])


# Spellings of the shipped results whose decorations say memory, power or cooling, read by a person.
decorated = {"NVIDIA H200-SXM-141GB-CTS": "H200-SXM", "AMD Instinct MI300X-NPS1-SPX-192GB-750W": "MI300X",
             "AMD MI300X-NPS1-SPX-192GB-750W": "MI300X", "AMD Instinct MI355X 288GB HBM3e (Power Cap 1000 W)": "MI355X",
             "Intel(R) Arc(TM) Pro B70": "Arc-Pro-B70", "Intel(R) Xeon(R) 6987P-C": "Xeon-6987P-C", "Intel(R) Xeon(R) 6972P": "Xeon-6972P",
             "NVIDIA RTX PRO 4500 Blackwell-PCIe-32GB": "RTX-PRO-4500"}


def canon(kind, text):
    return alias.get((kind, fold(text)), decorated.get(text, text))


# --- MLPerf: what the files state, a result once however many files repeat it ------------------------------------------------------
results = {}
for r in rows(*(f"results/{p.name}" for p in sorted((data / "results").glob("mlperf-*.csv")))):
    named = re.search(r"\((\d+)x ", r["system"])
    # a system whose name says more devices than its row has contradicts itself: no value of a device
    if named and number(r["devices"]) and number(r["devices"]) < int(named[1]):
        continue
    if r["suite"] == "inference" and fold(r["device"]) not in mixed:
        model = canon("model", r["model"])
        results.setdefault((model, r["scenario"], r["metric"], r["division"]), {}).setdefault((r["round"], fold(r["submitter"]), fold(r["system"])), []).append(r)


def rates(model, scenario, metric, division="closed"):
    """What each result's sources say of a device: a set of rates, by device and kind of submission. Those that disagree are left out."""
    found = {}
    for same in results.get((model, scenario, metric, division), {}).values():
        # one source that names a system twice tells of two configurations of it; else all rows tell of one
        twice = len({r["source"] for r in same}) < len(same)
        for one in [[r] for r in same] if twice else [same]:
            values = [number(r["value"]) for r in one]
            if len({r["devices"] for r in one}) > 1 or max(values) > min(values) * 1.001:
                continue
            power = any("power" in (r.get("flags") or "").split() for r in one)
            kind = ("power_submission=yes" if power else "power_submission=no", f"system_type={one[0]['system_type']}", one[0]["round"])
            found.setdefault((canon("device", one[0]["device"]), *kind), []).append([v / float(one[0]["devices"]) for v in values])
    return found


def stated(said, sets):
    """The rate among those that sources state which is nearest to what was said."""
    every = [v for s in sets for v in s]
    return min(every, key=lambda v: abs(v - said)) if every and said is not None else None


def of_rounds(group, submitted):
    """A round that no rule of compatibility lists has a group of its own; the others are of the groups that name a rule."""
    alone = re.search(r"compatibility=unlisted (v[0-9.]+)", group)
    if alone or "compatibility=" not in group:
        return not alone or submitted == alone[1]
    return submitted not in unlisted


# MLCommons' statement of which rounds may be compared ends before these.
unlisted = {"v6.1"}


def ranks(db):
    for model, scenario in sorted({key[:2] for key in results}):
        for row in ask(db, "rank", "--workload", model, "--scenario", scenario, "--per", "device", "--all", "-o", "jsonl"):
            if " + " in row["device"]:
                continue
            own, group = rates(model, scenario, row["metric"], row["division"]), row["group"] or ""
            said = [word for word in group.split() if "=" in word and word.split("=")[0] in ("power_submission", "system_type")]
            mine = [s for (name, *kind), sets in own.items()
                    if name == row["device"] and all(word in kind for word in said) and of_rounds(group, kind[-1]) for s in sets]
            compare("rank", f"{model} {scenario} {row['device']} {row['public_id']}", row["value"], stated(row["value"], mine))
            better = [s for s in mine if min(s) > row["value"] * 1.001]
            compare("rank, the best", f"{model} {scenario} {row['device']}: better ones {better}", 1.0, float(not better))


def comparisons(db):
    for model, scenario in sorted({key[:2] for key in results}):
        own = rates(model, scenario, "tokens_per_s")
        plain = {}
        for (name, power, where, _), sets in own.items():
            if power == "power_submission=no" and where == "system_type=datacenter" and " + " not in name:
                plain.setdefault(name, []).extend(sets)
        names = sorted(plain)[:6]
        for a, b in zip(names, names[1:]):
            where = f"model={model},scenario={scenario},power_submission=no,system_type=datacenter,division=closed"
            for row in ask(db, "compare", f"device={a}", f"device={b}", "--where", where, "--per", "device", "-o", "jsonl"):
                if row["ratio"] is None or row["metric"] != "tokens_per_s":
                    continue
                below, above = (stated(row[side], plain[name]) for side, name in (("baseline_value", a), ("contender_value", b)))
                compare("compare", f"{model} {scenario} {a} {b}", row["ratio"], above / below)


# --- facts by name ------------------------------------------------------------------------------------------------------------------
UNIT = {"TFLOP/s": 1e12, "TFLOPs/s": 1e12, "TFLOPS": 1e12, "PFLOP/s": 1e15, "GFLOP/s": 1e9, "TOP/s": 1e12, "TOPS": 1e12, "GB/s": 1e9, "TB/s": 1e12,
        "PB/s": 1e15, "Tb/s": 1.25e11, "Gb/s": 1.25e8, "Gbps": 1.25e8, "Gbit/s": 1.25e8, "GB": 1e9, "MB": 1e6, "kB": 1e3, "KB": 1e3, "TB": 1e12, "GiB": 2.0**30, "MiB": 2.0**20, "%": 0.01,
        "ms": 1e-3, "us": 1e-6, "kW": 1e3, "Kw": 1e3}
fact = {}
for path in sorted(data.glob("specs-*.csv")) + sorted((data / "results").glob("*.csv")) + [data / "prices.csv"]:
    for r in rows(path.relative_to(data)):
        value = number(r.get("value") or r.get("amount"))
        if r.get("fact") and value is not None:
            fact[r["fact"]] = value * UNIT.get(r.get("unit") or "", 1.0)


def claims(db):
    said = {row["claim"]: row["recomputed"] for row in ask(db, "audit", "claims", "-o", "jsonl")}
    for c in rows("claims.csv"):
        terms = [t.rsplit("^", 1) if "^" in t else [t, "1"] for t in c["terms"].split()]
        if c["how"] not in ("", "product") or not terms or said.get(c["claim"]) is None or any(t not in fact for t, _ in terms):
            continue
        own = number(c["coefficient"]) or 1.0
        for term, power in terms:
            own *= fact[term] ** float(power)
        compare("claim", c["claim"], said[c["claim"]], own + (number(c["offset"]) or 0.0))


def dollars(db):
    for row in ask(db, "query", "perf-per-dollar", "--price-date", "2024-02-01", "--today", "2026-11-20", "-o", "jsonl"):
        name = {"Gaudi2": "db.t2.gaudi2", "H100-SXM": "db.t2.h100", "A100-SXM-80GB": "db.t2.a100-80", "A100-SXM-40GB": "db.t2.a100-40"}.get(row["device"])
        if name and row.get("exaflop_per_usd") is not None:
            compare("per dollar", row["device"], row["exaflop_per_usd"], fact[name + ".rate"] * 3600 / fact[name + ".price.device"] / 1e18)


with tempfile.TemporaryDirectory() as folder:
    db = f"{folder}/facts.db"
    subprocess.run([abdb, "import", "-q", "--db", db, str(data)], check=True)
    for part in (ranks, comparisons, claims, dollars):
        part(db)
print("\n".join(wrong[:40]))
print(f"{sum(checked.values())} answers, {len(wrong)} disagree: " + ", ".join(f"{n} {k}" for k, n in checked.items()))
sys.exit(bool(wrong) or sum(checked.values()) < 200)

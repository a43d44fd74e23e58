#!/usr/bin/env python3
"""simulate_acceptance.py - abdb_accept on populations of known truth: how often a report of equal devices has a false alarm, and how often a
slow device is found.

    tests/campaigns/simulate_acceptance.py [REPORTS]     (default 300 of each kind; BUILD names the build)

Each report is drawn: sources, nodes, devices and runs differ by normal logarithms of the standard deviations below; the site that is judged is one
more source. The planted device is at 0.90 or 0.95 of its speed in all checks. Prints a table in Markdown. Exit 1: more than 1 % of the reports of
equal devices have an alarm (beyond what chance explains), or devices that were declared visible ("would have seen") are missed more than 2 times in
100 (three misses are always allowed).
"""
import json, math, os, random, sqlite3, subprocess, sys, tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXTENSION = os.path.join(ROOT, os.environ.get("BUILD", "build"), "abdb")
RULE = [0.85, 0.95, 0.02]
# name, units judged, checks, sources of others, devices of each, spread of sources, devices, runs
KINDS = [
    ("8 devices of a node", 8, 5, 0, 0, 0.02, 0.01, 0.003),
    ("18 nodes", 18, 1, 0, 0, 0.02, 0.01, 0.003),
    ("64 devices", 64, 5, 0, 0, 0.02, 0.01, 0.003),
    ("1 device, 1 source of 1", 1, 10, 1, 1, 0.02, 0.01, 0.003),
    ("1 device, 1 source of 30", 1, 10, 1, 30, 0.02, 0.01, 0.003),
    ("1 device, 2 sources of 3", 1, 10, 2, 3, 0.02, 0.01, 0.003),
    ("1 device, 5 sources of 2", 1, 10, 5, 2, 0.01, 0.005, 0.003),
    ("1 device, 30 sources of 1", 1, 10, 30, 1, 0.01, 0.005, 0.003),
    ("8 devices, 10 sources of 3", 8, 5, 10, 3, 0.01, 0.005, 0.003),
]
SLOW = [("equal", 0, 1), ("one at 0.95", 1, 0.95), ("one at 0.90", 1, 0.90), ("two at 0.90", 2, 0.90)]


def draw_report(random, kind, slow, factor):
    _, units, cells, origins, devices, source_sd, device_sd, run_sd = kind
    here, others = [], []
    for c in range(cells):
        site = random.gauss(0, source_sd)
        for o in range(origins):
            source = random.gauss(0, source_sd)
            others += [[c, o, math.exp(source + random.gauss(0, device_sd) + random.gauss(0, run_sd))] for _ in range(devices)]
        for u in range(units):
            value = site + random.gauss(0, device_sd) + random.gauss(0, run_sd) + (math.log(factor) if u < slow else 0)
            here.append([c, u, math.exp(value)])
    return json.dumps({"rule": [RULE] * cells, "here": here, "others": others})


def judge(reports):
    """Rows (report, unit, verdict, shows, origins, peers) of all reports, by the loadable extension."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "reports.db")
        db = sqlite3.connect(path)
        db.execute("CREATE TABLE report (id INTEGER PRIMARY KEY, judged TEXT)")
        db.executemany("INSERT INTO report VALUES (?, ?)", enumerate(reports))
        db.commit()
        db.close()
        sql = "SELECT json_array(q.id, r.unit, r.verdict, r.shows, r.origins, r.peers) FROM report q, abdb_accept(q.judged) r"
        out = subprocess.run(["sqlite3", path, f".load {EXTENSION}", sql], capture_output=True, text=True, check=True).stdout
    return [json.loads(line) for line in out.splitlines()]


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    draw = random.Random(20261127)
    failed = False
    print("| judged, others | planted | reports with a false alarm | slow checks found | declared visible | found of these |\n|---|---|---|---|---|---|")
    for kind in KINDS:
        for name, slow, factor in SLOW:
            if slow >= max(2, kind[1] // 3 + 1):
                continue
            rows = judge([draw_report(draw, kind, slow, factor) for _ in range(count)])
            alarms = len({q for q, u, verdict, *_ in rows if u >= slow and verdict == "slow"})
            planted = [(verdict, shows) for _, u, verdict, shows, origins, peers in rows if u < slow]
            # of few sources `shows` is how far below the lowest of them a device must be, no promise about this one
            able = [verdict for _, u, verdict, shows, origins, peers in rows
                    if u < slow and shows is not None and (peers or origins >= 5) and shows <= 1 - factor]
            found = sum(verdict == "slow" for verdict in able)
            failed |= alarms > count * 0.01 + 2.5 * math.sqrt(count * 0.01) + 1 or len(able) - found > max(3, 0.02 * len(able))
            print(f"| {kind[0]} | {name} | {alarms} of {count} | " +
                  (f"{sum(v == 'slow' for v, _ in planted)} of {len(planted)} | {len(able)} | {found} |" if slow else "| | |"))
    sys.exit(failed)


if __name__ == "__main__":
    main()

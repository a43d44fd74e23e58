#!/usr/bin/env python3
"""simulate_fleets.py - abdb_fleet on fleets of known truth: how often equal nodes are called slow or fast, and how often a slow one is found.

    tests/campaigns/simulate_fleets.py [FLEETS]     (default 300 of each kind; BUILD names the build)

Each fleet is drawn: nodes differ by `node`, processes of a node by `process` (standard deviations of logarithms, normal); with the
probability `disturbed` a process is slower besides, by an exponential of mean 20 %. The planted node is slower by 5 or 10 % in all it measures.
Prints a table in Markdown. Exit 1: an equal fleet has an alarm on more than one node in a thousand, or a node that the data were declared
able to show was missed more than twice in a hundred (three misses are always allowed).
"""
import json, math, os, random, sqlite3, subprocess, sys, tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXTENSION = os.path.join(ROOT, os.environ.get("BUILD", "build"), "abdb")
# name, nodes, processes, cells, node, process, disturbed
KINDS = [
    ("steady", 16, 10, 3, 0.003, 0.005, 0.0),
    ("steady, 8 nodes", 8, 10, 3, 0.003, 0.005, 0.0),
    ("steady, 64 nodes, 5 processes", 64, 5, 3, 0.003, 0.005, 0.0),
    ("as clouds are", 16, 10, 3, 0.01, 0.02, 0.0),
    ("disturbed processes", 16, 10, 3, 0.003, 0.01, 0.1),
    ("5 nodes", 5, 10, 3, 0.003, 0.005, 0.0),
]
SLOWER = [("equal", []), ("one 5 % slower", [0.05]), ("one 10 % slower", [0.10]), ("two 10 % slower", [0.10, 0.10])]


def fleet(random, kind, slower):
    _, nodes, processes, cells, node_sd, process_sd, disturbed = kind
    seen = []
    for n in range(nodes):
        node = random.gauss(0, node_sd) + (math.log(1 + slower[n]) if n < len(slower) else 0)
        for p in range(processes):
            luck = random.gauss(0, process_sd) + (random.expovariate(1 / 0.2) if random.random() < disturbed else 0)
            for c in range(cells):
                seen.append([f"n{n:03}", f"c{c}", f"{n} {p}", math.exp(node + luck + random.gauss(0, process_sd / 2)) * (c + 1)])
    return json.dumps(seen)


def judge(fleets):
    """Rows (fleet, node, cell, verdict, shows) of all fleets, by the loadable extension."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "fleets.db")
        db = sqlite3.connect(path)
        db.execute("CREATE TABLE fleet (id INTEGER PRIMARY KEY, measured TEXT)")
        db.executemany("INSERT INTO fleet VALUES (?, ?)", enumerate(fleets))
        db.commit()
        db.close()
        sql = "SELECT json_array(f.id, r.node, r.cell, r.verdict, r.shows) FROM fleet f, abdb_fleet(f.measured) r"
        out = subprocess.run(["sqlite3", path, f".load {EXTENSION}", sql], capture_output=True, text=True, check=True).stdout
    return [json.loads(line) for line in out.splitlines()]


def main():
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    draw = random.Random(20261122)
    failed = False
    print(f"| nodes | planted | fleets | alarms on equal nodes | found | declared able to show it | found of these |\n|---|---|---|---|---|---|---|")
    for kind in KINDS:
        for name, slower in SLOWER:
            rows = judge([fleet(draw, kind, slower) for _ in range(count)])
            planted = {f"n{n:03}": size for n, size in enumerate(slower)}
            # what equal nodes are called, over all cells or in one
            alarms = len({(f, n) for f, n, _, verdict, _ in rows if n not in planted and verdict in ("slower", "faster")})
            nodes = [(n, verdict, shows) for _, n, cell, verdict, shows in rows if cell is None and n in planted]
            found = sum(verdict == "slower" for _, verdict, _ in nodes)
            able = [verdict for n, verdict, shows in nodes if shows is not None and shows <= planted[n]]
            shown = sum(v == "slower" for v in able)
            equal = count * (kind[1] - len(slower))
            failed |= alarms > max(1, equal // 1000) or len(able) - shown > max(3, 0.02 * len(able))
            print(f"| {kind[0]} | {name} | {count} | {alarms} of {equal} | " +
                  (f"{found} of {len(nodes)} | {len(able)} | {shown} |" if slower else " | | |"))
    sys.exit(failed)


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""simulate_histories.py - abdb_changes and abdb_verdict on series of known truth: false alarms, places, and verdicts that turn back.

    tests/campaigns/simulate_histories.py [SERIES]     (default 300 of each kind and length; BUILD names the build)

Each series is drawn: values are normal on logarithms, of 0.5 %; `outliers`: 3 of 100 are slower by 30 %; `drift`: the level wanders, by
a tenth of a standard deviation a run. A step of so many standard deviations is planted between the fifth run and the fifth last. A series is
read run by run, as a build server does. Prints a table in Markdown. Exit 1: more than 1 of 100 steady series that get a verdict is called
changed at any run (three of a kind are always allowed); of steps of five deviations and more that are found less than 95 of 100 are placed
exactly or bracketed; or a verdict turns back while the level stays. A step without noise must be placed exactly wherever it is.
"""
import json, math, os, random, sqlite3, sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXTENSION = os.path.join(ROOT, os.environ.get("BUILD", "build"), "abdb")
LENGTHS = (10, 15, 20, 30, 40, 60)
STEPS = (1, 2.5, 5, 10, 20, 40)
KINDS = [("normal", 0, 0), ("outliers", 0.03, 0), ("drift", 0, 0.1), ("outliers and drift", 0.03, 0.1)]
NOISE = 0.005

db = sqlite3.connect(":memory:")
db.enable_load_extension(True)
db.load_extension(EXTENSION)


def changes(values):
    return db.execute("SELECT place, low, high FROM abdb_changes(?)", (json.dumps(values),)).fetchall()


def series(draw, runs, outliers, drift, step, place):
    level, values = 0.0, []
    for run in range(runs):
        level += draw.gauss(0, drift * NOISE)
        slow = 0.3 if draw.random() < outliers else 0
        values.append(math.exp(level + draw.gauss(0, NOISE) + slow + (step * NOISE if run >= place else 0)))
    return values


def watched(values, fewer):
    """Changes after all runs, and whether one that was there some runs before is no more: each call replays the runs before."""
    seen, now = changes(values[:-fewer]), changes(values)
    return now, len(now) < len(seen)


def main():
    wanted, failed = int(sys.argv[1]) if len(sys.argv) > 1 else 300, []
    print("| series of | steady: alarms | judged | turned back | " + " | ".join(f"step {s:g}: found, placed" for s in STEPS) + " |")
    print("|---" * (4 + len(STEPS)) + "|")
    for name, outliers, drift in KINDS:
        alarms = judged = back = steady = 0
        found, placed = dict.fromkeys(STEPS, 0), dict.fromkeys(STEPS, 0)
        for runs in LENGTHS:
            draw = random.Random(f"{name} {runs}")
            for _ in range(wanted):
                values = series(draw, runs, outliers, drift, 0, runs)
                now, turned = watched(values, min(draw.randint(1, 20), runs - 8))
                verdict = db.execute("SELECT verdict FROM abdb_verdict(?)", (json.dumps(values),)).fetchone()[0]
                steady, judged, alarms = steady + 1, judged + (verdict != "too-few"), alarms + bool(now)
                back += turned
                for step in STEPS:
                    place = draw.randint(min(5, runs // 2), max(runs - 5, runs // 2))
                    now, turned = watched(series(draw, runs, outliers, drift, step, place), 3)
                    back += turned
                    near = [c for c in now if c[1] <= place + 1 <= c[2]]
                    found[step] += bool(now)
                    placed[step] += bool(near)
        all_of = wanted * len(LENGTHS)
        print(f"| {name} | {alarms} of {steady} | {judged} | {back} | " + " | ".join(f"{found[s]} of {all_of}, {placed[s]}" for s in STEPS) + " |", flush=True)
        if alarms > max(3, judged // 100): failed.append(f"{name}: {alarms} alarms of {judged}")
        if back: failed.append(f"{name}: {back} verdicts turned back")
        failed += [f"{name}: step {s:g} placed {placed[s]} of {found[s]}" for s in STEPS if s >= 5 and placed[s] < 0.95 * found[s]]
    exact = 0
    for runs in range(10, 41):
        for place in range(4, runs - 3):
            exact += [c[:1] for c in changes([1.0] * place + [1.2] * (runs - place))] == [(place + 1,)]
    every = sum(max(0, runs - 7) for runs in range(10, 41))
    print(f"\nsteps without noise placed exactly: {exact} of {every}")
    if exact < every: failed.append("a step without noise was not placed exactly")
    if failed: print("\n".join(failed), file=sys.stderr)
    return 1 if failed else 0


sys.exit(main())

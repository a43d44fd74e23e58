#!/usr/bin/env python3
"""crowd.py [--seconds N] [--seed N] - eight importers, four readers, a merge and a run on one database at once, again and again for N seconds.

Each importer reads files that nobody else has, of a known number of rows; the merge brings databases, the run measures. Afterwards every row is
counted. Demanded: nothing is lost or doubled; nobody fails, above all none gives up before its --busy; a reader never sees a part of a file;
the database is sound, and its derived rows are those of a rebuild. Exit 1 otherwise; the last line says what was done.
"""
import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time

import cases
import state

IMPORTERS, READERS, BUSY_S = 8, 4, 120


class Crowd:
    def __init__(self, folder, seconds, seed):
        self.folder, self.until, self.draw = folder, time.monotonic() + seconds, random.Random(seed)
        self.db = os.path.join(folder, "t.db")
        self.rows, self.merged, self.cells, self.looks, self.problems = {}, {}, 0, 0, []
        self.lock = threading.Lock()
        self.env = dict(os.environ, ABDB_PATH="/nonexistent", LC_ALL="C.UTF-8", NO_COLOR="1", OMP_NUM_THREADS="1")

    def abdb(self, *words):
        begin = time.monotonic()
        done = subprocess.run([cases.ABDB, *words], capture_output=True, text=True, env=self.env, check=False)
        if done.returncode:
            with self.lock:
                self.problems.append(f"abdb {' '.join(words)[:120]}: exit {done.returncode} after {time.monotonic() - begin:.1f} s: {done.stderr.strip()[-300:]}")
        return done

    def file(self, name, rows):
        """A file of so many rows that no other file has."""
        path = os.path.join(self.folder, name + ".csv")
        with open(path, "w", encoding="utf-8") as out:
            out.write("evidence,source,workload,device,metric,value,unit\n")
            for i in range(rows):
                out.write(f"published,{name},serving,d{i % 7},tokens_per_s,{i + 0.5},token/s\n")
        return path

    def importer(self, who):
        draw, turn = random.Random(self.draw.random()), 0
        while time.monotonic() < self.until:
            name, rows = f"f{who}-{turn}", draw.choice([1, 30, 300, 3000])
            path = self.file(name, rows)
            if self.abdb("import", "-q", "--busy", str(BUSY_S), "--db", self.db, path).returncode == 0:
                with self.lock:
                    self.rows[name] = rows
            os.remove(path)
            turn += 1

    def merger(self):
        turn = 0
        while time.monotonic() < self.until:
            name, other = f"m-{turn}", os.path.join(self.folder, f"other-{turn}.db")
            path = self.file(name, 50)
            self.abdb("import", "-q", "--db", other, path)
            if self.abdb("merge", "--busy", str(BUSY_S), "--db", self.db, other).returncode == 0:
                with self.lock:
                    self.rows[name] = 50
            os.remove(path)
            os.remove(other)
            turn += 1

    def runner(self):
        while time.monotonic() < self.until:
            n = self.cells + 8
            done = self.abdb("run", "-q", "--quick", "--backend", "ref", "--kernel", "gemm", "--axis", f"n={8 + n % 8}", "--busy", str(BUSY_S), "--db", self.db)
            self.cells += done.returncode == 0

    def reader(self):
        """A file that is there has all of its rows, whenever one looks."""
        ask = "SELECT source, count(*) AS n FROM v_statement WHERE source LIKE 'f%-%' OR source LIKE 'm-%' GROUP BY source"
        while time.monotonic() < self.until:
            done = self.abdb("query", ask, "-o", "csv", "--timeout", str(10 * BUSY_S), "--db", self.db)
            self.looks += 1
            for line in done.stdout.splitlines()[1:]:
                name, n = line.split(",")
                want = self.rows.get(name)
                if int(n) not in (1, 30, 50, 300, 3000) or (want is not None and int(n) != want):
                    with self.lock:
                        self.problems.append(f"a reader saw {n} rows of {name}, which has {want}")

    def run(self):
        self.abdb("init", "--db", self.db)
        threads = [threading.Thread(target=self.importer, args=(i,)) for i in range(IMPORTERS)]
        threads += [threading.Thread(target=self.reader) for _ in range(READERS)]
        threads += [threading.Thread(target=self.merger), threading.Thread(target=self.runner)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        db = state.connect(self.db)
        there = dict(db.execute("SELECT source, count(*) FROM entry GROUP BY source"))
        runs = db.execute("SELECT count(*) FROM entry_row WHERE artifact_id IS NULL AND process_id IS NOT NULL").fetchone()[0]
        db.close()
        for name, rows in self.rows.items():
            if there.get(name) != rows:
                self.problems.append(f"{name}: {there.get(name)} rows, not {rows}")
        for name in there:
            if name[:2] in ("m-",) + tuple(f"f{i}" for i in range(IMPORTERS)) and name not in self.rows:
                self.problems.append(f"{name}: there, though its import failed")
        if runs != self.cells:
            self.problems.append(f"{runs} runs, not {self.cells}")
        self.problems += [p for p in (state.damage(self.db), state.underived(cases.ABDB, self.db, self.folder)) if p]
        return self.problems


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    args = parser.parse_args()
    folder = tempfile.mkdtemp(prefix="abdb-crowd-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
    try:
        crowd = Crowd(folder, args.seconds, args.seed)
        problems = crowd.run()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    for p in problems[:20]:
        print("FOUND", p)
    if args.seconds >= 60:  # shorter ones are tests
        subprocess.run(["bash", os.path.join(state.ROOT, "tests/campaigns/ledger.sh"), "add", "crowd", "one-file", str(sum(crowd.rows.values())), str(len(problems)),
                        str(round(args.seconds))], check=False)
    print(f"crowd: seed {args.seed}, {args.seconds:g} s: {sum(crowd.rows.values())} rows of {len(crowd.rows)} files and merges, {crowd.cells} runs,"
          f" {crowd.looks} looks: {len(problems)} findings")
    return int(bool(problems))


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""campaign.py faults|kills [--budget MINUTES] [--samples N] [--only REGEX] [--class NAME] [--seed N] [--server] [--first] - calls that fail, and kills, in every verb.

faults: the Nth allocation (malloc: of all; own: of those of abdb's own code, without libraries), write, fsync, open, rename, mkdir, unlink,
truncation, fork, exec, pipe, read or listing of a folder fails, in each command of cases.py; in turn alone and with all that follow. Demanded:
the answer as it is without the fault, or exit 5 or 6 with a message that names what failed; nothing that claims success; nothing left behind; a
sound database of whole units; the repetition ends as an undisturbed run.
kills: SIGKILL at the Nth call that changes a file, and at random moments. Demanded: the same of the database and of the repetition.
Of a large case ten kills in a row hit one file, and what comes after the last of them must end as an undisturbed run.

--samples: that many of each command and class (default: all, up to 1,000 kills a command); a campaign goes on where the last one of this
commit stopped (build/soak). Prints what was tried, and each finding, which build/soak/findings.txt keeps; exit 1 if there were any.
"""
import argparse
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import cases
import state
import trial

CLASSES = ["malloc", "own", "write", "fsync", "open", "rename", "mkdir", "unlink", "truncate", "fork", "exec", "pipe", "read", "list"]
SERVER = os.path.join(state.ROOT, "tests/ports/postgresql_server.sh")
LEDGER = os.path.join(state.ROOT, "tests/campaigns/ledger.sh")
CHAIN = 10  # kills of a large case on one file before it is repeated undisturbed
GOLDEN = 0.6180339887498949  # its multiples spread evenly, wherever they stop


def spread(count, done, draw):
    """The next of 1..count: each once; where there are many, evenly."""
    if count <= 4000:
        order = list(range(1, count + 1))
        random.Random(count).shuffle(order)
        return order[done] if done < count else None
    return 1 + int(count * ((done * GOLDEN + draw) % 1))


def warehouse(folder):
    """A PostgreSQL server of its own with a filled warehouse; "" where there is none."""
    if subprocess.run(["bash", SERVER, "here"], check=False).returncode or not os.path.exists(os.path.join(cases.BUILD, "abdb-store-pg")):
        return ""
    subprocess.run(["bash", SERVER, "start", folder], check=True, stdout=subprocess.DEVNULL)
    subprocess.run(["psql", "-X", "-q", "-h", f"{folder}/server", "-U", "abdb", "-d", "postgres", "-c", "CREATE DATABASE w"], check=True)
    url = f"postgresql://abdb@/w?host={folder}/server"
    some = os.path.join(folder, "some.db")
    for words in (["import", "-q", "--db", some, os.path.join(cases.FIXTURES, "osu.txt"), os.path.join(cases.FIXTURES, "results.csv")],
                  ["push", url, "--db", some]):
        subprocess.run([cases.ABDB, *words], stdout=subprocess.DEVNULL, check=False, env=dict(os.environ, ABDB_PATH="/nonexistent"))
    return url


class Progress:
    """What this commit has tried so far, in a file."""

    def __init__(self, kind, keep):
        commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=state.ROOT, capture_output=True, text=True, check=False).stdout.strip()
        folder = os.path.join(cases.BUILD, "soak")
        os.makedirs(folder, exist_ok=True)
        self.path = os.path.join(folder, f"{kind}-{commit or 'none'}.json") if keep else ""
        self.tried = {}
        if self.path and os.path.exists(self.path):
            with open(self.path, encoding="utf-8") as file:
                self.tried = json.load(file)

    def add(self, what):
        self.tried[what] = self.tried.get(what, 0) + 1

    def save(self):
        if self.path:
            new = f"{self.path}.{os.getpid()}"  # two campaigns at once do not share it
            with open(new, "w", encoding="utf-8") as file:
                json.dump(self.tried, file, indent=1, sort_keys=True)
            os.replace(new, self.path)


class Campaign:
    def __init__(self, args, folder, url):
        self.args, self.url, self.folder = args, url, folder
        self.bases = cases.Bases(os.path.join(folder, "bases"), url)
        self.work = os.path.join(folder, "work")
        self.until = time.monotonic() + args.budget * 60 if args.budget else None
        self.draw = random.Random(args.seed)
        self.progress = Progress(args.kind, not args.samples)
        self.findings, self.now, self.chain = [], {}, 0

    def tell_ledger(self, case, begun):
        """What was tried of a case since then."""
        count = sum(n for k, n in self.now.items() if k.split(" ")[0] == case.name)
        found = sum(1 for f in self.findings if f[0] == case.name)
        if count and os.path.exists(LEDGER) and not self.args.samples and not self.args.first:
            subprocess.run(["bash", LEDGER, "add", self.args.kind, case.name, str(count), str(found), str(round(time.monotonic() - begun))], check=False)

    def over(self):
        if self.args.first and self.findings:
            return True
        return self.until is not None and time.monotonic() > self.until

    def note(self, case, what, problems, outcome):
        self.now[f"{case.name} {what[0]}"] = self.now.get(f"{case.name} {what[0]}", 0) + 1
        self.progress.add(f"{case.name} {what[0]}")
        if problems:
            self.findings.append((case.name, what, problems))
            words = "\n    ".join([f"FOUND {case.name} {' '.join(map(str, what))} (exit {outcome.code}; {outcome.hit})", *problems])
            print(words, flush=True)
            with open(os.path.join(cases.BUILD, "soak/findings.txt"), "a", encoding="utf-8") as file:  # also where nobody looks at the screen
                file.write(words + "\n")

    def fault(self, base, kind, n, on):
        case = base.case
        self.bases.lay_out(case, self.work)
        outcome = trial.run(self.bases, case, self.work, [f"--{kind}", str(n)] + (["--on"] if on else []), limit_s=base.limit_s)
        if on and outcome.hit.startswith("unlink "):
            outcome.hit = "unlink "  # whatever is to be removed from then on stays
        problems = trial.check_said(base, outcome, self.work)
        if case.writes:
            # what is derived is looked at of a part: it takes as long as all else
            problems += trial.check_database(base, self.work, rebuilt=n % 4 == 0)
            problems += trial.check_repeat(base, self.work, outcome.hit)
        self.note(case, (kind, n) + (("on",) if on else ()), problems, outcome)

    def kill(self, base, how, n):
        case = base.case
        if not self.chain:
            self.bases.lay_out(case, self.work)
        if how == "call":
            outcome = trial.run(self.bases, case, self.work, ["--any", str(n), "--kill"], limit_s=base.limit_s)
        else:
            outcome = trial.run(self.bases, case, self.work, wait=lambda p: self.end(p, n))
        problems = trial.check_database(base, self.work)
        problems += trial.check_halves(base, self.work) + trial.check_processes(outcome)
        self.chain = (self.chain + 1) % CHAIN if case.large and not problems and not trial.is_complete(base) else 0
        if not self.chain:
            problems += trial.check_repeat(base, self.work, killed=True)
        self.note(case, (how, n), problems, outcome)

    @staticmethod
    def end(process, after_s):
        """SIGKILL to the program, the injector's child, after so many seconds."""
        try:
            process.wait(after_s)
        except subprocess.TimeoutExpired:
            subprocess.run(["pkill", "-KILL", "-P", str(process.pid)], check=False)

    def faults_of(self, case, base):
        for kind in [k for k in CLASSES if not self.args.only_class or k == self.args.only_class]:
            count, name, here = base.counts.get(kind, 0), f"{case.name} {kind}", 0
            limit = self.args.samples or (60 if case.slow else count)
            while here < min(limit, count) and not self.over():
                tried = self.progress.tried.get(name, 0)
                if tried >= min(count, self.args.most):
                    break
                n = self.draw.randrange(1, count + 1) if self.args.samples else spread(count, tried, 0)
                if n is None:
                    break
                self.fault(base, kind, n, on=tried % 4 == 3)
                here += 1

    def kills_of(self, case, base):
        begin = time.monotonic()
        self.bases.lay_out(case, self.work)
        trial.run(self.bases, case, self.work)
        whole_s, count, here = time.monotonic() - begin, base.counts.get("any", 0), 0
        self.chain = 0
        while not self.over() and here < (self.args.samples or self.args.most):
            calls, moments = (self.progress.tried.get(f"{case.name} {how}", 0) for how in ("call", "moment"))
            if calls + moments >= self.args.most:
                break
            if calls < count and (calls <= moments or calls + moments + count - calls <= self.args.most):
                n = self.draw.randrange(1, count + 1) if self.args.samples else spread(count, calls, 0)
                self.kill(base, "call", n)
            else:
                self.kill(base, "moment", round(whole_s * self.draw.random(), 4))
            here += 1

    def run(self):
        for case in cases.CASES:
            if not re.fullmatch(self.args.only, case.name) if self.args.only else case.large:
                continue
            if self.args.kind == "kills" and not case.kills:
                continue
            why = cases.missing(case, self.url)
            if why:
                print(f"SKIP {case.name}: {why}", flush=True)
                continue
            if self.over():
                if self.args.first:
                    break
                print(f"the budget is spent before {case.name}: again to go on", flush=True)
                break
            begin = time.monotonic()
            base = trial.Baseline(self.bases, case, self.work)
            if base.code != case.ends:
                self.note(case, ("undisturbed",), [f"exit {base.code}, not {case.ends}: {base.err.strip()[-300:]}"], base)
                continue
            try:
                (self.kills_of if self.args.kind == "kills" else self.faults_of)(case, base)
            finally:
                self.progress.save()
                self.tell_ledger(case, begin)
            tried = {k.split(" ", 1)[1]: v for k, v in self.now.items() if k.split(" ")[0] == case.name}
            words = " ".join(f"{k} {v} of {base.counts.get(k, base.counts.get('any', 0))}" for k, v in tried.items())
            print(f"{case.name}: exit {base.code} undisturbed; {words} ({time.monotonic() - begin:.1f} s)", flush=True)
        return self.findings


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=["faults", "kills", "forgotten"])
    parser.add_argument("--budget", type=float, metavar="MINUTES")
    parser.add_argument("--samples", type=int, default=0)
    parser.add_argument("--first", action="store_true", help="the first finding ends it")
    parser.add_argument("--server", action="store_true", help="start a PostgreSQL server for push and pull")
    parser.add_argument("--most", type=int, default=1000)
    parser.add_argument("--only")
    parser.add_argument("--class", dest="only_class")
    parser.add_argument("--seed", type=int, default=random.randrange(10**6))
    args = parser.parse_args()
    if args.kind == "forgotten":
        print("\n".join(cases.forgotten()))
        return int(bool(cases.forgotten()))
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    trial.build()
    subprocess.run([os.path.join(state.ROOT, "tests/checks/build_targets.sh"), "unit/migration"], check=True)
    print(f"seed {args.seed}", flush=True)
    folder = tempfile.mkdtemp(prefix="abdb-fault-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
    url = warehouse(folder) if args.server else ""
    found = None
    try:
        found = Campaign(args, folder, url)
        found.run()
    except KeyboardInterrupt:
        if not found:
            raise
        print("interrupted: what was tried counts", flush=True)
    finally:
        if url:
            subprocess.run(["bash", SERVER, "stop", folder], check=False)
        shutil.rmtree(folder, ignore_errors=True)
    total = sum(found.now.values())
    print(f"{args.kind}: {total} tried, {len(found.findings)} findings")
    return int(bool(found.findings))


if __name__ == "__main__":
    sys.exit(main())

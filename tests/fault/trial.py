"""trial.py - one command under the injector: what it said, what it left behind, and what is wrong with that."""
import os
import re
import subprocess
import time

import cases
import state

TOOLS = os.path.join(cases.BUILD, "fault")
# What a call that failed is called in words: the system's and SQLite's.
REASONS = re.compile(r"memory|No space left|disk is full|disk full|disk I/O|Input/output|I/O error|Too many open files|unable to open|"
                     r"Resource temporarily|Cannot allocate|Operation not permitted|is read-only|is damaged, or its disk|malformed", re.I)


def build():
    """Makes the injector and its shims."""
    os.makedirs(TOOLS, exist_ok=True)
    flags = ["-std=c17", "-D_GNU_SOURCE", "-O1", "-Wall", "-Wextra", "-Wpedantic", "-I.", "-Werror"]
    source = os.path.join("tests", "fault")
    for target, more in (("inject", [f"{source}/inject.c"]), ("shim.so", ["-shared", "-fPIC", f"{source}/shim.c"]),
                         ("begin.so", ["-shared", "-fPIC", "-DFAULT_NO_MALLOC", f"{source}/shim.c"])):
        subprocess.run([os.environ.get("CC", "gcc"), *flags, "-o", os.path.join(TOOLS, target), *more], cwd=state.ROOT, check=True)


class Outcome:
    """Of one run in a folder."""

    def __init__(self, code, out, err, report, work):
        self.code, self.out, self.err, self.work = code, out, err, work
        self.counts, self.hit, self.survivors, self.unsynced = {}, "", 0, []
        for line in report.splitlines():
            word, rest = (line + " ").split(" ", 1)
            if word == "hit":
                self.hit = rest.strip()
            elif word == "unsynced":
                self.unsynced.append(rest.strip())
            elif word == "survivors":
                self.survivors = int(rest)
            elif rest.strip():
                self.counts[word] = int(rest)


def run(bases, case, work, fault=(), again=False, limit_s=60, wait=None, own=False):
    """Runs the case in `work` with the injector's words `fault` ("malloc N" and "own N" are the shim's). wait: a function that ends it itself;
    own: allocations of the program's own code are counted."""
    env = cases.environment(work)
    if case.name == "demo":
        env["ABDB_BACKENDS"] = "/nonexistent"  # what it measures is not what is tried
    count, fault = os.path.join(work, "tmp", "count"), list(fault)
    program = [os.path.join(TOOLS, "inject"), "--count", count]
    shim = "begin.so" if "sanitize" in cases.BUILD else "shim.so"
    preload = [f"LD_PRELOAD={os.path.join(TOOLS, shim)}", f"FAULT_COUNT={count}.malloc"]
    if own or (fault and fault[0] == "--own"):
        preload.append("FAULT_OWN=1")
    if fault and fault[0] in ("--malloc", "--own"):
        preload.append(f"FAULT_MALLOC={fault[1]}")
        if "--on" in fault:
            preload.append("FAULT_ON=1")
        fault = []
    process = subprocess.Popen(program + fault + ["--", "env", *preload, *bases.command(case, again)], cwd=work, env=env, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if wait:
        wait(process)
    try:
        out, err = process.communicate(timeout=limit_s)
        code = process.returncode
    except subprocess.TimeoutExpired:
        process.kill()
        out, err = process.communicate()
        code = -1
    report = ""
    for path, word in ((count, ""), (count + ".malloc", "malloc ")):
        if os.path.exists(path):
            with open(path, encoding="utf-8", errors="replace") as file:
                report += word + file.read()
            os.remove(path)
    return Outcome(code, out.decode(errors="replace"), err.decode(errors="replace"), report, work)


def shape(work):
    """Of what is measured: all but the numbers."""
    if not state.is_made(os.path.join(work, "t.db")):
        return None
    return state.one(os.path.join(work, "t.db"), "SELECT count(*), count(DISTINCT cell), sum(environment_id IS NULL), sum(process_id IS NULL),"
                     " (SELECT count(*) FROM result_row) FROM entry_row WHERE artifact_id IS NULL")


def left(case, work):
    """Files other than databases at rest, by name; of what changes from run to run only the name."""
    found = state.files(work)
    return {p: "" if case.measures or p.endswith(".db") else d for p, d in found.items() if not p.startswith("home/") and not p.endswith(".bak")}


class Baseline:
    """What the undisturbed command says and leaves, the first time and the second."""

    def __init__(self, bases, case, work):
        self.case, self.bases = case, bases
        bases.lay_out(case, work)
        self.db = os.path.join(work, "t.db")
        self.before, self.before_units = state.digest(self.db), state.units(self.db)
        self.before_files = left(case, work)
        begin = time.monotonic()
        first = run(bases, case, work, limit_s=300)
        self.limit_s = 60 + 10 * (time.monotonic() - begin)  # what takes longer hangs, however busy the machine is
        self.code, self.out, self.err, self.counts, self.hit = first.code, first.out, first.err, first.counts, ""
        self.after, self.units = state.digest(self.db), state.units(self.db) | self.before_units
        self.shape, self.files = shape(work), left(case, work)
        self.rebuilds = not state.underived(cases.ABDB, self.db, bases.folder)
        self.again_code = run(bases, case, work, again=True, limit_s=300).code
        bases.lay_out(case, work)
        second = run(bases, case, work, limit_s=300, own=True)
        self.counts["own"] = second.counts.get("malloc", 0)
        # files and words that differ from run to run say nothing
        self.volatile = {p for p, d in left(case, work).items() if self.files.get(p) != d}
        self.steady = second.out == first.out and not case.measures


def same_files(base, work, hit=""):
    """Which files are not as an undisturbed run leaves them; those whose removal was made to fail are, and SQLite's own beside a database: the
    next one that opens it removes them."""
    now = {p: d for p, d in left(base.case, work).items() if p in base.files or not re.match(r"[a-z]+\.db-(wal|shm|journal)$", p)}
    kept = os.path.basename(hit.split(" ", 1)[1]) if hit.startswith("unlink ") else None
    return [p for p in sorted(set(now) | set(base.files)) if now.get(p) != base.files.get(p) and p not in base.volatile and
            (kept is None or not is_part_of(p, kept))]


def is_part_of(path, kept):
    """Is it what could not be removed, the folder of it or what SQLite writes beside it?"""
    return kept == "" or any(kept.startswith(part) or part.startswith(kept) for part in path.split("/")[-2:])


def check_repeat(base, work, hit="", killed=False):
    """The command again, undisturbed, must end where it ends without a fault."""
    case, problems = base.case, []
    again = run(base.bases, case, work, again=True, limit_s=300)
    if again.code not in (base.code, base.again_code):
        problems.append(f"repeated: exit {again.code}, not {base.code}: {again.err.strip()[-200:]}")
    if case.writes and not case.measures and state.digest(base.db) != base.after:
        problems.append("repeated: other facts than those of an undisturbed run")
    if case.writes and case.name == "run" and shape(work) != base.shape:
        problems.append(f"repeated: {shape(work)}, undisturbed {base.shape}")
    problems += [f"repeated: {p} is not as an undisturbed run leaves it" for p in same_files(base, work, hit)
                 if case.name != "run-spool" and not (killed and p.startswith("tmp/"))]  # what is in TMPDIR is in nobody's way
    return problems


def is_complete(base):
    """Has the database got all units already, so that a repetition has nothing left to do?"""
    return bool(base.units) and state.units(base.db) == base.units


def check_database(base, work, rebuilt=True):
    problems = []
    for name in ["t.db"] + [f + ".db" for f in base.case.files[1:]]:
        path = os.path.join(work, name)
        found = state.damage(path)
        if found:
            problems.append(found)
    if not problems and base.case.writes and not base.case.measures:
        problems += [f"half a unit: {u}" for u in sorted(state.units(base.db) - base.units, key=str)]
    if not problems and rebuilt and base.case.writes and base.rebuilds:
        found = state.underived(cases.ABDB, base.db, base.bases.folder)
        if found:
            problems.append(found)
    return problems


def check_said(base, outcome, work):
    """The exit code, the message and what is claimed, of a command of which a call failed."""
    case, problems = base.case, []
    now = state.digest(base.db) if case.writes else ""
    if outcome.code == base.code:
        if base.steady and outcome.out != base.out and not (outcome.err.strip() and outcome.err != base.err):
            problems.append(f"exit {outcome.code}, and other words than without the fault, with no message: {outcome.out[-200:]!r}")
        if case.writes and not case.measures and now != base.after:
            problems.append(f"exit {outcome.code} as if all were done, but the facts are not there")
        if base.code == 0 and not case.measures:
            problems += [f"exit 0, but {p} is not as it should be" for p in same_files(base, work, outcome.hit)]
    elif outcome.code == -1:
        problems.append("it hangs")
    elif outcome.code not in case.codes:
        problems.append(f"exit {outcome.code} (without the fault {base.code}): {outcome.err.strip()[-200:]}")
    else:
        if not outcome.err.strip() and re.search("crashed|failed", outcome.out):
            pass  # of what failed there is a row, and the summary counts it
        elif not outcome.err.strip():
            problems.append(f"exit {outcome.code} without a word")
        elif not REASONS.search(outcome.err):
            problems.append(f"exit {outcome.code}, and the message does not say what failed: {outcome.err.strip()[-240:]!r}")
        if case.writes and not case.measures and base.after != base.before and now == base.before and base.out.strip() and outcome.out == base.out:
            problems.append(f"claims success: {outcome.out[-100:]!r}")
        # records of a measurement are nobody's to remove: where they are is said
        problems += [f"left behind: {p}" for p in same_files(base, work, outcome.hit) if p not in base.files and p not in base.before_files
                     and not p.endswith(".jsonl") and p not in outcome.err]
    if "Sanitizer" in outcome.err or "runtime error" in outcome.err:
        problems.append(outcome.err[-2000:])
    return problems + check_processes(outcome)


def check_processes(outcome):
    return ([f"{outcome.survivors} processes live on"] if outcome.survivors else []) + [f"renamed before it was on the disk: {p}" for p in outcome.unsynced]


def check_halves(base, work):
    """After a kill: a file has its name whole, or not at all."""
    now = left(base.case, work)
    return [f"half a file: {p}" for p in sorted(now) if p in base.files and now[p] != base.files[p] and p not in base.volatile
            and base.before_files.get(p) != now[p]]

"""The pytest plug-in: a fixture `abdb` that measures a call and stores its samples, and a gate.

    def test_sort(abdb):
        numbers = list(range(100_000))
        abdb(sorted, numbers)                # measured, stored when the session ends, its result returned

    pytest --abdb-tag before --abdb-repeat 10            # whole processes are what a difference is judged by
    pytest --abdb-tag after --abdb-repeat 10 --abdb-baseline before --abdb-drift 0.02 --abdb-fail-on slower

The call is repeated with the same arguments: where it changes them, give it a copy within (`abdb(lambda: work(list(numbers)))`).
A gate judges the tests of this session, by this session alone, against the newest session of the baseline's tag (--abdb-sessions all:
against all of them). Without --abdb-tag nothing is stored: each call runs once, as a plain test.
"""
import argparse
import gc
import os
import pathlib
import re
import statistics
import subprocess
import sys
import time

import pytest

import abdb as module

MINIMUM_S = 1e-4  # of a sample: a shorter call is repeated within one, so that the clock's grain does not show
SAMPLES, BUDGET_S = 100, 1.0


def measure(call, samples=SAMPLES, budget_s=BUDGET_S):
    """Times of one call in seconds, when each sample began, and the calls in a sample. One call warms up and is not kept."""
    clock = time.perf_counter
    calls, begun = 1, clock()
    call()
    while (clock() - begun) < MINIMUM_S:
        calls *= 2
        begun = clock()
        for _ in range(calls):
            call()
    times, starts, first = [], [], clock()
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        while len(times) < 5 or (len(times) < samples and clock() - first < budget_s):
            begun = clock()
            for _ in range(calls):
                call()
            times.append((clock() - begun) / calls)
            starts.append(begun - first)
    finally:
        if was_enabled:
            gc.enable()
    return times, starts, calls


class Benchmark:
    """What the fixture `abdb` is: call it with a function and its arguments. `factors` of the cell: abdb.factors["n"] = 4096."""

    def __init__(self, name, config):
        self.name, self.config, self.factors, self.called, self.measured = name, config, {}, False, None

    def __call__(self, function, *arguments, **named):
        if self.called:
            raise module.Error(f"{self.name}: one call is measured in a test; parametrize it for more")
        result = function(*arguments, **named)
        self.called = True
        if self.config.getoption("abdb_tag"):
            self.measured = measure(lambda: function(*arguments, **named))
        return result


@pytest.fixture
def abdb(request):
    """Measure one call and store its samples: abdb(function, *arguments) gives what the function gives; abdb.factors["n"] = 4096 says
    of what. Without --abdb-tag the call runs once, as in a plain test."""
    benchmark = Benchmark(request.node.nodeid, request.config)
    yield benchmark
    if benchmark.measured and request.node.stash.get(PASSED, False):
        request.config.stash[KEPT].append(benchmark)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item, call):
    report = (yield).get_result()
    if call.when == "call":
        item.stash[PASSED] = report.passed


PASSED = pytest.StashKey()  # did the test pass? What a failing one measured is not kept
KEPT = pytest.StashKey()  # what was measured
SAID = pytest.StashKey()  # a title, and lines of the comparison or why there is none
BUSY = 1.0  # programs for each processor: more than that waited
NAMED = 5  # tests or tags in a line
WITHOUT = {  # why a test has no ratio
    "new": "nothing to compare with: the baseline does not have it",
    "unlike": "nothing to compare with: the baseline measured it with other factors, or on another device",
    "unmeasured": "the baseline has it, and this session measured nothing of it",
}


def pytest_addoption(parser):
    group = parser.getgroup("abdb", "abdb: measurements kept in a database")
    group.addoption("--abdb-tag", metavar="NAME", help="measure, and store under this tag")
    group.addoption("--abdb-db", metavar="FILE", help="database (default: $ABDB_DB, else ./abdb.db)")
    group.addoption("--abdb-repeat", metavar="N", type=int, default=1, help="whole processes, N times: a gate wants 5 at least")
    group.addoption("--abdb-repetition", type=int, default=1, help=argparse.SUPPRESS)  # which of them this process is: set by `repeat`
    group.addoption("--abdb-baseline", metavar="TAG", help="compare with the measurements of this tag when the session ends")
    group.addoption("--abdb-missing", metavar="fail|warn", help="of a gate: tests without their like, or that cannot be judged (default fail)")
    group.addoption("--abdb-sessions", metavar="newest|all", default="newest", choices=("newest", "all"),
                    help="where the baseline was measured in several sessions: its newest (default), or all as one")
    group.addoption("--abdb-find", metavar="FRACTION", help="the change that shall be found (default 0.05): says where that is not so")
    group.addoption("--abdb-drift", metavar="FRACTION", help="how far this machine differs from itself between two sessions: 0.02")
    group.addoption("--abdb-fail-on", metavar="VERDICTS", help="the session fails where a pair is one of these: slower,unclear")


def pytest_configure(config):
    config.stash[KEPT], config.stash[SAID] = [], None
    if os.environ.get("ABDB_PYTEST_CAMPAIGN"):
        module.campaign(os.environ["ABDB_PYTEST_CAMPAIGN"])
    tag, baseline = config.getoption("abdb_tag"), config.getoption("abdb_baseline")
    if tag is None and (baseline is not None or config.getoption("abdb_fail_on")):
        raise pytest.UsageError("--abdb-baseline and --abdb-fail-on compare what --abdb-tag NAME measures")
    if config.getoption("abdb_fail_on") and not baseline:
        raise pytest.UsageError("--abdb-fail-on wants --abdb-baseline TAG")
    if tag is None:
        return
    if not tag:
        raise pytest.UsageError("--abdb-tag wants a name")
    if config.getoption("abdb_repeat") < 1:
        raise pytest.UsageError("--abdb-repeat wants a number of processes, 1 at least")
    if config.getoption("numprocesses", None):
        raise pytest.UsageError("--abdb-tag measures one test after another: leave out -n (pytest-xdist)")
    if os.environ.get("ABDB_PYTEST_CAMPAIGN"):
        return
    # what would be refused after measuring is refused before
    folder = pathlib.Path(config.getoption("abdb_db") or os.environ.get("ABDB_DB") or "abdb.db").resolve().parent
    if not os.access(folder, os.W_OK):
        raise pytest.UsageError(f"--abdb-db: nothing can be written into {folder}")
    try:
        if baseline:
            check_baseline(config, baseline)
            check_gate_options(config, baseline)
    except module.Error as why:
        raise pytest.UsageError(in_our_words(why)) from None


def condition(column, value):
    """That condition of a selection."""
    return f"{column}=" + quoted(value)


def quoted(text):
    """The text in quotes, for a selection and for SQL."""
    return "'" + text.replace("'", "''") + "'"


def shortened(names):
    """The first of the names, and how many there are besides."""
    return ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")


def ask(config, sql):
    return module.query(sql, db=config.getoption("abdb_db"))


def check_baseline(config, tag):
    """Is anything stored under that tag? Error: no; which tags there are."""
    if ask(config, f"SELECT 1 FROM v_run WHERE tag = {quoted(tag)} LIMIT 1"):
        return
    rows = ask(config, "SELECT tag FROM v_run WHERE suite = 'python' AND tag IS NOT NULL GROUP BY tag ORDER BY max(date) DESC")
    here = f"tags here: {shortened([row['tag'] for row in rows])}" if rows else "nothing that Python measured is here"
    raise module.Error(f"nothing is stored under the tag '{tag}'; {here}")


def check_gate_options(config, baseline):
    """Finds wrong options before an hour of measuring: abdb reads them all before it refuses to compare a side with itself."""
    try:
        compare(config, condition("tag", baseline), condition("tag", baseline), fail_on=config.getoption("abdb_fail_on"),
                missing=config.getoption("abdb_missing"))
    except module.Error as why:
        if " share " not in str(why):
            raise


def compare(config, baseline, contender, **gate):
    options = {name: config.getoption(f"abdb_{name}") for name in ("drift", "find")}
    return module.compare(baseline, contender, db=config.getoption("abdb_db"), **options, **gate)


def in_our_words(text):
    """Options of `abdb compare` as this plug-in calls them, and what can be done here."""
    text = re.sub(r"--(drift|missing|find|fail-on)\b", r"--abdb-\1", str(text))
    absent = re.search(r"no database at (\S+?);", text)
    if absent:
        return (f"no database at {absent.group(1)}, so no baseline: --abdb-db FILE or $ABDB_DB names the one that the baseline was measured into; "
                "two checkouts that are compared share one file")
    if "by separate commands" in text:
        text = text.replace("commands", "sessions").replace("let them take turns (abdb run --builds or --command), ", "")
    return text.replace("abdb run --gate takes 10", "--abdb-repeat 10 is usual")


def pytest_unconfigure(config):
    """Removes the compiled copies of this package that pytest wrote, because no uninstaller knows them."""
    for copy in pathlib.Path(module.__file__).parent.glob("__pycache__/*-pytest-*.pyc"):
        try:
            copy.unlink()
        except OSError:  # another session was first, or the folder is another's
            pass


def repeat(config):
    """The same session again, in processes of its own. The first that fails ends it; returns its exit code, or 0."""
    count = config.getoption("abdb_repeat")
    for repetition in range(2, count + 1):
        command = [sys.executable, "-m", "pytest", *config.invocation_params.args, "--abdb-repeat=1", f"--abdb-repetition={repetition}", "-q"]
        try:
            done = subprocess.run(command, cwd=config.invocation_params.dir, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                                  env={**os.environ, "ABDB_PYTEST_CAMPAIGN": module.campaign()})
        except KeyboardInterrupt:
            config.stash[SAID] = "no comparison", [f"stopped after {repetition - 1} of {count} processes, which are stored"]
            return pytest.ExitCode.INTERRUPTED
        if done.returncode:
            say_failed(config, repetition, count, done.stdout.decode(errors="replace"))
            return done.returncode
    return 0


def say_failed(config, repetition, count, output=None):
    """Of the repetitions this one failed, and those behind it were not run. With its output it counts as a failure of this session,
    so that pytest's last lines do not say that all has passed."""
    left = [str(n) for n in range(repetition + 1, count + 1)]
    left = " and ".join(left) if len(left) < 3 else f"{left[0]} to {left[-1]}"
    text = f"repetition {repetition} of {count} failed" + (f"; {left} {'was' if repetition + 1 == count else 'were'} not run" if left else "")
    config.stash[SAID] = "no comparison", [text]
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    if output is not None and terminal:
        terminal.stats.setdefault("failed", []).append(pytest.TestReport(
            nodeid=text, location=("", None, text), keywords={}, outcome="failed", longrepr=output.rstrip(), when="call"))


def pytest_sessionfinish(session, exitstatus):
    if session.config.getoption("abdb_tag") and exitstatus in (0, 1):
        try:
            finish(session)
        except module.Error as why:
            session.config.stash[SAID], session.exitstatus = ("no comparison", [in_our_words(why)]), 1


def finish(session):
    """Stores what was measured, starts the other processes, compares."""
    config = session.config
    lines = []
    for benchmark in config.stash[KEPT]:
        times, starts, calls = benchmark.measured
        lines.append(module.entry(benchmark.name, times, times=starts, tag=config.getoption("abdb_tag"),
                                  repetition=config.getoption("abdb_repetition"), sample_launches=calls, **benchmark.factors))
    if lines:
        module.store(lines, config.getoption("abdb_db"))
    if os.environ.get("ABDB_PYTEST_CAMPAIGN"):  # one of the processes of `repeat`
        return
    if session.testsfailed and config.getoption("abdb_repeat") > 1:
        say_failed(config, 1, config.getoption("abdb_repeat"))
        return
    code = repeat(config)
    if code:
        session.exitstatus = code
    elif config.getoption("abdb_baseline"):
        holds, lines = judge(config, {item.nodeid for item in session.items}, [benchmark.name for benchmark in config.stash[KEPT]])
        config.stash[SAID] = f"{config.getoption('abdb_baseline')} against {config.getoption('abdb_tag')}", lines
        if not holds:
            session.exitstatus = 1


# --- the comparison ------------------------------------------------------------------------------------------------------


def find_baseline(config, measured):
    """What this session is judged against: its selection, its tests, and lines about a choice. Of several sessions the newest of
    those that have the most of the tests measured here."""
    tag = config.getoption("abdb_baseline")
    sessions = {}
    for row in ask(config, f"SELECT campaign, workload, max(date) AS date FROM v_run WHERE tag = {quoted(tag)} AND campaign <> '{module.campaign()}'"
                           " GROUP BY campaign, workload"):
        sessions.setdefault(row["campaign"], {})[row["workload"]] = row["date"] or ""
    if len(sessions) < 2 or config.getoption("abdb_sessions") == "all":
        mixes = [f"the baseline mixes {len(sessions)} sessions: what differs between them counts as noise"] if len(sessions) > 1 else []
        return condition("tag", tag) + f",campaign!={module.campaign()}", {name for tests in sessions.values() for name in tests}, mixes
    newest = max(sessions, key=lambda name: max(sessions[name].values()))
    best = max(sessions, key=lambda name: (len(sessions[name].keys() & set(measured)), max(sessions[name].values())))
    which = "the newest" if best == newest else "the newest that has as many of these tests"
    return (condition("tag", tag) + "," + condition("campaign", best), set(sessions[best]),
            [f"the baseline was measured in {len(sessions)} sessions: judged against {which}, of {max(sessions[best].values())[:19]}Z"
             " (--abdb-sessions all: against all as one)"])


def judge(config, selected, measured):
    """Does the gate hold, if there is one? And lines that say how each test compares. Only tests of this session are judged."""
    if not measured:
        raise module.Error("no test of this session measured anything")
    baseline, theirs, lines = find_baseline(config, measured)
    answer = compare(config, baseline, condition("campaign", module.campaign())) if theirs & set(measured) else module.Rows()
    rows = [row for row in answer if row["workload"] in measured]  # where none are alike, abdb says of others why they may not be compared
    paired = {row["workload"] for row in rows}
    states = [(row["verdict"] or row["standing"], row["workload"], row["reason"] or row["sentence"], row) for row in rows]
    for name in [*measured, *sorted(theirs & selected - set(measured))]:
        if name not in paired:
            state = "unmeasured" if name not in measured else "unlike" if name in theirs else "new"
            states.append((state, name, WITHOUT[state], {}))
    reasons = {}
    for state, name, reason, row in states:
        lines.append(f"{state:12}  {numbers(row)}  {name}")
        if reason:
            reasons.setdefault((state, in_our_words(reason)), []).append(name)
    lines += [f"{state}{f' ({len(names)} tests)' if len(names) > 1 else ''}: {reason}" for (state, reason), names in reasons.items()]
    if rows:
        lines += in_our_words(answer.notes).splitlines()
    others = theirs - selected - set(measured)
    if others:
        lines.append(f"{counted(len(others))} of the baseline {'is' if len(others) == 1 else 'are'} not in this session, and not judged")
    lines += say_blind(config, rows)
    holds, more = hold(config, states)
    return holds and not (answer.code and any(row["ratio"] is None for row in rows)), lines + more


def hold(config, states):
    """--abdb-fail-on and --abdb-missing: does the gate hold? With lines that say why not."""
    if not config.getoption("abdb_fail_on"):
        return True, []
    fail_on, lines = config.getoption("abdb_fail_on").split(","), []
    fails = [name for state, name, _, row in states if row.get("ratio") and state in fail_on]
    doubtful = [name for state, name, _, row in states if name not in fails and (row.get("p") is None or state in ("too-few", "stated"))]
    if fails:
        lines.append(f"{len(fails)} of {counted(len(states))}: {config.getoption('abdb_fail_on')} (--abdb-fail-on): {shortened(fails)}")
    lets = config.getoption("abdb_missing") == "warn"
    if doubtful:
        lines.append(f"{len(doubtful)} of {counted(len(states))} could not be judged (--abdb-missing warn{'' if lets else ' lets them pass'})")
    return not fails and (lets or not doubtful), lines


def say_blind(config, rows):
    least = float(config.getoption("abdb_find") or 0.05)
    blind = [row["shows"] for row in rows if row.get("shows") and row["shows"] > least]
    return [f"{len(blind)} of {len(rows)} cannot show a change of {percent(least)}, one of them none below {percent(max(blind))}:"
            " more processes (--abdb-repeat), less drift, or a quieter machine"] if blind else []


def counted(tests):
    return f"{tests} test{'' if tests == 1 else 's'}"


def percent(fraction):
    return f"{100 * fraction:.0f} %" if 100 * fraction >= 10 else f"{100 * fraction:.2g} %"


def numbers(row):
    """Ratio, interval and what could have been shown, as far as they are known."""
    text = f"{row['ratio']:.4g}x" if row.get("ratio") else "-"
    if row.get("ratio_low"):
        text += f" ({row['ratio_low']:.4g} to {row['ratio_high']:.4g})"
    return text + (f"  shows {percent(row['shows'])}" if row.get("shows") else "")


def pytest_terminal_summary(terminalreporter, config):
    kept, said = config.stash[KEPT], config.stash[SAID]
    if kept:
        terminalreporter.section(f"abdb: measured as {config.getoption('abdb_tag')}")
    for benchmark in kept:
        times = benchmark.measured[0]
        terminalreporter.line(f"{1e6 * statistics.median(times):12.6g} us  median of {len(times)}, here  {benchmark.name}")
    busy = os.getloadavg()[0] / (os.cpu_count() or 1)
    if kept and busy > BUSY:
        terminalreporter.line(f"this machine was busy: {busy:.1f} programs for each processor, so that times include waiting for one")
    if said:
        terminalreporter.section(f"abdb: {said[0]}")
    for line in said[1] if said else ():
        terminalreporter.line(line)

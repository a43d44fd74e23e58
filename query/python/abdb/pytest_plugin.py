"""The pytest plug-in: a fixture `abdb` that measures a call and stores its samples, and a gate.

    def test_sort(abdb):
        numbers = list(range(100_000))
        abdb(sorted, numbers)                # measured, stored when the session ends, its result returned

    pytest --abdb-tag before --abdb-repeat 10            # whole processes are what a difference is judged by
    pytest --abdb-tag after --abdb-repeat 10 --abdb-baseline before --abdb-drift 0.02 --abdb-fail-on slower

The call is repeated with the same arguments: where it changes them, give it a copy within (`abdb(lambda: work(list(numbers)))`).
A gate looks at this session alone, and at all that is stored under the baseline's tag. Without --abdb-tag nothing is stored: each
call runs once, as a plain test.
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
        self.name, self.config, self.factors, self.measured = name, config, {}, None

    def __call__(self, function, *arguments, **named):
        if self.measured:
            raise module.Error(f"{self.name}: one call is measured in a test; parametrize it for more")
        result = function(*arguments, **named)
        if self.config.getoption("abdb_tag"):
            self.measured = measure(lambda: function(*arguments, **named))
        return result


@pytest.fixture
def abdb(request):
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
SAID = pytest.StashKey()  # rows of the comparison, or why there is none
BUSY = 1.0  # programs for each processor: more than that waited


def pytest_addoption(parser):
    group = parser.getgroup("abdb", "abdb: measurements kept in a database")
    group.addoption("--abdb-tag", metavar="NAME", help="measure, and store under this tag")
    group.addoption("--abdb-db", metavar="FILE", help="database (default: $ABDB_DB, else ./abdb.db)")
    group.addoption("--abdb-repeat", metavar="N", type=int, default=1, help="whole processes, N times: a gate wants 5 at least")
    group.addoption("--abdb-repetition", type=int, default=1, help=argparse.SUPPRESS)  # which of them this process is: set by `repeat`
    group.addoption("--abdb-baseline", metavar="TAG", help="compare with the measurements of this tag when the session ends")
    group.addoption("--abdb-missing", metavar="fail|warn", help="of a gate: tests without their like, or that cannot be judged (default fail)")
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
            compare(config, selected(baseline), selected(baseline))
    except module.Error as why:
        raise pytest.UsageError(in_our_words(why)) from None


def selected(tag):
    """The selection of that tag."""
    return "tag='" + tag.replace("'", "''") + "'"


def compare(config, baseline, contender):
    options = {name: config.getoption(f"abdb_{name}") for name in ("fail_on", "drift", "missing", "find")}
    return module.compare(baseline, contender, db=config.getoption("abdb_db"), **options)


def in_our_words(text):
    """Options of `abdb compare` as this plug-in calls them."""
    return re.sub(r"--(drift|missing|find|fail-on)\b", r"--abdb-\1", str(text)).replace("abdb run --gate takes 10", "10 are usual")


def repeat(config):
    """The same session again, in processes of its own. The first that fails ends it; returns its exit code, or 0."""
    for repetition in range(2, config.getoption("abdb_repeat") + 1):
        command = [sys.executable, "-m", "pytest", *config.invocation_params.args, "--abdb-repeat=1", f"--abdb-repetition={repetition}", "-q"]
        try:
            done = subprocess.run(command, cwd=config.invocation_params.dir, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                                  env={**os.environ, "ABDB_PYTEST_CAMPAIGN": module.campaign()})
        except KeyboardInterrupt:
            config.stash[SAID] = module.Error(f"stopped after {repetition - 1} of {config.getoption('abdb_repeat')} processes, which are stored")
            return pytest.ExitCode.INTERRUPTED
        if done.returncode:
            sys.stdout.write(done.stdout.decode(errors="replace"))
            return done.returncode
    return 0


def pytest_sessionfinish(session, exitstatus):
    if session.config.getoption("abdb_tag") and exitstatus in (0, 1):
        try:
            finish(session)
        except module.Error as why:
            session.config.stash[SAID], session.exitstatus = in_our_words(why), 1


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
    code = repeat(config)
    if code:
        session.exitstatus = code
    elif config.getoption("abdb_baseline"):
        # of the baseline's tag all sessions but this one, of this one's tag this session alone
        rows = compare(config, selected(config.getoption("abdb_baseline")) + f",campaign!={module.campaign()}",
                       f"campaign={module.campaign()}")
        config.stash[SAID] = rows
        if rows.code:
            session.exitstatus = 1


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
    if said is None:
        return
    if not isinstance(said, module.Rows):
        terminalreporter.section("abdb: no comparison")
        terminalreporter.line(str(said))
        return
    terminalreporter.section(f"abdb: {config.getoption('abdb_baseline')} against {config.getoption('abdb_tag')}")
    for row in said:
        ratio = f"{row['ratio']:.4g}x" if row.get("ratio") else "-"
        if row.get("ratio_low"):
            ratio += f" ({row['ratio_low']:.4g} to {row['ratio_high']:.4g})"
        shows = f"  shows {100 * row['shows']:.2g} %" if row.get("shows") else ""
        terminalreporter.line(f"{row['verdict'] or row['standing']:12}  {ratio}{shows}  {row['workload']}  {in_our_words(row['reason'] or '')}".rstrip())
    for line in in_our_words(said.notes).splitlines():
        terminalreporter.line(line)
    least = float(config.getoption("abdb_find") or 0.05)
    blind = [row["shows"] for row in said if row.get("shows") and row["shows"] > least]
    if blind:
        terminalreporter.line(f"{len(blind)} of {len(said)} cannot show a change of {100 * least:.2g} %, one of them none below "
                              f"{100 * max(blind):.2g} %: more processes (--abdb-repeat), less drift, or a quieter machine")

"""The pytest plug-in: a fixture `abdb` that measures a call and stores its samples, and a gate.

    def test_sort(abdb):
        numbers = list(range(100_000))
        abdb(sorted, numbers)                # measured, stored when the session ends, its result returned

    pytest --abdb-tag before --abdb-repeat 10            # whole processes are what a difference is judged by
    pytest --abdb-tag after --abdb-repeat 10 --abdb-baseline before --abdb-drift 0.02 --abdb-fail-on slower

Without --abdb-tag nothing is stored: each call runs once, as a plain test.
"""
import argparse
import gc
import os
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
    if benchmark.measured:
        request.config.stash[KEPT].append(benchmark)


KEPT = pytest.StashKey()  # what was measured
SAID = pytest.StashKey()  # rows of the comparison, or why there is none


def pytest_addoption(parser):
    group = parser.getgroup("abdb", "abdb: measurements kept in a database")
    group.addoption("--abdb-tag", metavar="NAME", help="measure, and store under this tag")
    group.addoption("--abdb-db", metavar="FILE", help="database (default: $ABDB_DB, else ./abdb.db)")
    group.addoption("--abdb-repeat", metavar="N", type=int, default=1, help="whole processes, N times: a gate wants 5 at least")
    group.addoption("--abdb-repetition", type=int, default=1, help=argparse.SUPPRESS)  # which of them this process is: set by `repeat`
    group.addoption("--abdb-baseline", metavar="TAG", help="compare with the measurements of this tag when the session ends")
    group.addoption("--abdb-drift", metavar="FRACTION", help="how far this machine differs from itself between two sessions: 0.02")
    group.addoption("--abdb-fail-on", metavar="VERDICTS", help="the session fails where a pair is one of these: slower,unclear")


def pytest_configure(config):
    config.stash[KEPT], config.stash[SAID] = [], None
    if os.environ.get("ABDB_PYTEST_CAMPAIGN"):
        module.campaign(os.environ["ABDB_PYTEST_CAMPAIGN"])
    wanted = [name for name in ("abdb_baseline", "abdb_fail_on") if config.getoption(name)]
    if wanted and not config.getoption("abdb_tag"):
        raise pytest.UsageError("--abdb-baseline and --abdb-fail-on compare what --abdb-tag NAME measures")
    if config.getoption("abdb_fail_on") and not config.getoption("abdb_baseline"):
        raise pytest.UsageError("--abdb-fail-on wants --abdb-baseline TAG")
    if config.getoption("abdb_tag") and config.getoption("numprocesses", None):
        raise pytest.UsageError("--abdb-tag measures one test after another: leave out -n (pytest-xdist)")


def repeat(config):
    """The same session again, in processes of its own. The first that fails ends it; returns its exit code, or 0."""
    for repetition in range(2, config.getoption("abdb_repeat") + 1):
        command = [sys.executable, "-m", "pytest", *config.invocation_params.args, "--abdb-repeat=1", f"--abdb-repetition={repetition}", "-q"]
        done = subprocess.run(command, cwd=config.invocation_params.dir, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                              env={**os.environ, "ABDB_PYTEST_CAMPAIGN": module.campaign()})
        if done.returncode:
            sys.stdout.write(done.stdout.decode(errors="replace"))
            return done.returncode
    return 0


def pytest_sessionfinish(session, exitstatus):
    if session.config.getoption("abdb_tag") and exitstatus in (0, 1):
        try:
            finish(session)
        except module.Error as why:
            session.config.stash[SAID], session.exitstatus = why, 1


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
        options = {name: config.getoption(f"abdb_{name}") for name in ("fail_on", "drift") if config.getoption(f"abdb_{name}")}
        rows = module.compare(f"tag={config.getoption('abdb_baseline')}", f"tag={config.getoption('abdb_tag')}",
                              db=config.getoption("abdb_db"), **options)
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
    if said is None:
        return
    if isinstance(said, module.Error):
        terminalreporter.section("abdb: refused")
        terminalreporter.line(str(said))
        return
    terminalreporter.section(f"abdb: {config.getoption('abdb_baseline')} against {config.getoption('abdb_tag')}")
    for row in said:
        ratio = f"{row['ratio']:.4g}x" if row.get("ratio") else "-"
        if row.get("ratio_low"):
            ratio += f" ({row['ratio_low']:.4g} to {row['ratio_high']:.4g})"
        shows = f"  shows {100 * row['shows']:.2g} %" if row.get("shows") else ""
        terminalreporter.line(f"{row['verdict'] or row['standing']:12}  {ratio}{shows}  {row['workload']}  {row['reason'] or ''}".rstrip())
    for line in said.notes.splitlines():
        terminalreporter.line(line)

"""cases.py - what the campaigns of kills and faults run: for every verb of the program at least one command, with what it must leave behind.

A case's words are those behind `abdb`; `{x}` is a file of `Bases`. It runs in a folder of its own that holds copies of the databases that it
names: t.db is the one that it is about.
"""
import os
import shutil
import subprocess
from dataclasses import dataclass

import state

BUILD = os.path.join(state.ROOT, os.environ.get("BUILD", "build"))
ABDB = os.path.join(BUILD, "abdb")
FIXTURES = os.path.join(state.ROOT, "tests/fixtures")
RUN = ["run", "--quick", "--backend", "ref", "--kernel", "gemm", "--axis", "n=8-9+1"]


@dataclass
class Case:
    name: str
    words: list
    files: tuple = ("full",)  # copied; the first becomes t.db
    writes: bool = False  # the database
    measures: bool = False  # other numbers each time
    kills: bool = False  # of those that are killed
    large: bool = False  # tried only where it is named
    slow: bool = False  # a try takes seconds: a few of them do
    needs: str = ""
    program: str = ABDB
    ends: int = 0  # the exit code undisturbed: anything else tries nothing
    codes: tuple = (5, 6)  # with which it may fail
    again: tuple = ()  # words that it takes when it is repeated

    @property
    def verb(self):
        return self.words[0] if self.program == ABDB else "init"


CASES = [
    Case("init", ["init"], files=(), writes=True, kills=True),
    Case("migration", ["t.db"], writes=True, kills=True, program=os.path.join(BUILD, "unit/migration")),
    Case("import", ["import", "-q", "{checker}", "{results}", "{rows}"], files=("empty",), writes=True, kills=True),
    Case("import-new", ["import", "-q", "{osu}"], files=(), writes=True, kills=True),
    Case("import-many", ["import", "-q", "{many}"], writes=True, kills=True),
    Case("import-million", ["import", "-q", "{million}"], files=(), writes=True, kills=True, large=True),
    Case("import-archive", ["import", "-q", "{archive}"], writes=True, kills=True),
    Case("import-json", ["import", "-q", "{json}", "{lines}"], files=("empty",), writes=True, kills=True),
    Case("import-tables", ["import", "-q", "{tables}", "{training}", "{flat}"], files=("empty",), writes=True, kills=True),
    Case("import-dry", ["import", "-n", "{checker}"]),
    Case("import-map", ["import", "--suggest-map", "{checker}"]),
    Case("run", RUN, writes=True, measures=True, kills=True, again=("--resume",)),
    Case("run-spool", RUN + ["--spool", "spool"], measures=True, kills=True),
    Case("run-list", ["run", "--list"], measures=True),
    Case("run-dry", ["run", "-n", "--backend", "ref", "--kernel", "gemm", "--axis", "n=8"]),
    Case("check-backend", ["check-backend", "{fake}", "--wait", "1"], measures=True, slow=True, ends=1),
    Case("query", ["query", "mlperf-llm"]),
    Case("query-sql", ["query", "SELECT device, count(*) AS n FROM v_result GROUP BY 1 ORDER BY 1", "-o", "csv"]),
    Case("query-json", ["query", "specs", "-o", "json"]),
    Case("query-list", ["query"]),
    Case("query-shell", ["query", "-i"]),
    Case("query-file", ["query", "--allow-files", "SELECT count(*) AS n FROM abdb_csv('{results}')"], codes=(2, 6)),
    Case("query-schema", ["query", "--schema"]),
    Case("compare", ["compare", "device=Fast-80GB", "device=Some CPU", "--exploratory", "--why"]),
    Case("mcp", ["mcp"]),
    Case("why", ["why", "device=H200-SXM,round=v5.1", "device=B200-SXM,dtype=fp4", "--where", "llama2-70b-99,server", "--ranges", "rate=0.9..1.1"]),
    Case("rank", ["rank", "--workload", "llama2-70b-99", "--columns", "device", "--why", "--ranges", "rate=0.9..1.1"]),
    Case("accept", ["accept", "{accept}"], ends=1),
    Case("choose", ["choose", "--model", "llama2-70b", "--scenario", "Server", "--why", "--ranges", "price=0.5..2", "--rate", "10k/s"]),
    Case("plot", ["plot", "mlperf-llm", "--out", "p.svg"], needs="gnuplot"),
    Case("plot-bundle", ["plot", "mlperf-llm", "--bundle", "post"], needs="gnuplot"),
    Case("plot-signed", ["plot", "mlperf-llm", "--bundle", "post", "--sign", "{signkey}"], needs="gnuplot and ssh-keygen"),
    Case("verify-signed", ["verify", "{signed}", "--signed-by", "{signers}"], needs="gnuplot and ssh-keygen"),
    Case("plot-set", ["plot", "--set", "llm", "--out", "set"], needs="gnuplot"),
    Case("plot-list", ["plot"]),
    Case("verify", ["verify", "{picture}"], needs="gnuplot"),
    Case("site", ["site", "--out", "site"], slow=True, needs="gnuplot"),
    Case("site-small", ["site", "--out", "site"], files=("other",), kills=True, slow=True, needs="gnuplot"),
    Case("explain", ["explain", "{key}"]),
    Case("audit", ["audit", "claims"]),
    Case("audit-list", ["audit"]),
    Case("note", ["note", "tag=standing", "said once"], writes=True, kills=True),
    Case("withdraw", ["withdraw", "results.csv", "--reason", "wrong"], writes=True, kills=True),
    Case("merge", ["merge", "other.db"], files=("full", "other"), writes=True, kills=True),
    Case("push", ["push", "{url}"], needs="postgresql"),
    Case("pull", ["pull", "{pulled}"], files=(), writes=True, kills=True, needs="postgresql"),
    Case("export", ["export", "--out", "e.jsonl"], kills=True),
    Case("export-csv", ["export", "-o", "csv"]),
    Case("export-sql", ["export", "-o", "sql", "--out", "e.sql"]),
    Case("export-db", ["export", "-o", "db", "--out", "e.db"], kills=True),
    Case("export-redacted", ["export", "--redacted", "--out", "r.jsonl"], kills=True),
    Case("doctor", ["doctor"], measures=True, slow=True),
    Case("rebuild", ["doctor", "--rebuild"], writes=True, kills=True, measures=True, slow=True),
    Case("demo", ["demo"], writes=True, measures=True, slow=True),
    Case("help", ["help", "import"]),
    Case("help-man", ["help", "--man"]),
    Case("help-complete", ["help", "--complete", "--", "query", "--round", ""], measures=True),
    Case("version", ["version"]),
]


def verbs():
    """Those of the program's own table."""
    said = subprocess.run([ABDB, "help", "--complete", ""], capture_output=True, text=True, check=True).stdout
    return [line.split("\t")[0] for line in said.splitlines()]


def forgotten():
    """Verbs that no case is about."""
    return sorted(set(verbs()) - {c.verb for c in CASES})


FAKE = """#!/bin/sh
echo '{"kind":"hello","protocol":1,"backend":"fake","version":"1","kernels":[]}'
echo '{"kind":"bye"}'
"""


class Bases:
    """Files that cases start from, made once in a folder."""

    def __init__(self, folder, url=""):
        self.folder, self.url = folder, url
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        self.files = {name.split(".")[0]: os.path.join(FIXTURES, name) for name in ("checker.csv", "results.csv", "osu.txt", "accept.jsonl")}
        self.files.update(json=os.path.join(FIXTURES, "google_benchmark.json"), lines=os.path.join(FIXTURES, "records.jsonl"),
                          tables=os.path.join(FIXTURES, "tables.md"), training=os.path.join(FIXTURES, "mlperf_training.txt"),
                          flat=os.path.join(FIXTURES, "nccl_tests.json"))
        for name in ("rows", "many", "million", "fake", "archive", "picture"):
            self.files[name] = os.path.join(folder, name + {"rows": ".csv", "many": ".csv", "million": ".csv", "archive": ".tar.gz", "picture": ".svg"}.get(name, ""))
        with open(self.files["fake"], "w", encoding="utf-8") as file:
            file.write(FAKE)
        os.chmod(self.files["fake"], 0o755)
        self.rows("rows", 300)
        self.rows("many", 5000)
        subprocess.run(["tar", "czf", self.files["archive"], "-C", FIXTURES, "osu.txt", "stream.txt", "results.csv", "site_flat.csv"], check=True)
        self.abdb("init", "--db", self.db("empty"))
        self.abdb("import", "-q", "--db", self.db("full"), *(os.path.join(FIXTURES, f) for f in (
            "checker.csv", "results.csv", "specs.csv", "prices.csv", "summary.json", "records.jsonl", "standing.jsonl", "chain.csv")))
        self.abdb("import", "-q", "--db", self.db("other"), os.path.join(FIXTURES, "osu.txt"), os.path.join(FIXTURES, "results.csv"),
                  os.path.join(FIXTURES, "google_benchmark.json"))
        if shutil.which("gnuplot"):
            self.abdb("plot", "mlperf-llm", "--db", self.db("full"), "--out", self.files["picture"])
        self.sign()
        key = subprocess.run([ABDB, "query", "SELECT key FROM v_result ORDER BY key LIMIT 1", "--db", self.db("full"), "-o", "csv"],
                             capture_output=True, text=True, check=True).stdout.split()[1]
        self.files.update(key=key, url=url, pulled=url)

    def db(self, name):
        return os.path.join(self.folder, name + ".db")

    def abdb(self, *words):
        subprocess.run([ABDB, *words], check=False, stdout=subprocess.DEVNULL, env=dict(os.environ, ABDB_PATH="/nonexistent"))

    def sign(self):
        """A key, who may sign with it, and a bundle that it signed."""
        for name in ("signkey", "signers", "signed"):
            self.files[name] = os.path.join(self.folder, name)
        if not shutil.which("gnuplot") or not shutil.which("ssh-keygen"):
            return
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "", "-f", self.files["signkey"]], check=True)
        with open(self.files["signkey"] + ".pub", encoding="utf-8") as public, open(self.files["signers"], "w", encoding="utf-8") as file:
            file.write(f'me@example.com namespaces="abdb-bundle" {public.read()}')
        self.abdb("plot", "mlperf-llm", "--db", self.db("full"), "--bundle", self.files["signed"], "--sign", self.files["signkey"])

    def rows(self, name, count):
        with open(self.files[name], "w", encoding="utf-8") as file:
            file.write("evidence,source,workload,device,metric,value,unit\n")
            for i in range(count):
                file.write(f"published,me,serving,d{i % 90},tokens_per_s,{i / 8},token/s\n")

    def lay_out(self, case, work):
        """The folder of a try, with what the case starts from."""
        if "{million}" in case.words and not os.path.exists(self.files["million"]):
            self.rows("million", 1000000)
        shutil.rmtree(work, ignore_errors=True)
        os.makedirs(os.path.join(work, "tmp"))
        os.makedirs(os.path.join(work, "home"))
        for i, name in enumerate(case.files):
            shutil.copy(self.db(name), os.path.join(work, "t.db" if i == 0 else name + ".db"))
        if "spool" in case.words:
            os.makedirs(os.path.join(work, "spool"))

    def command(self, case, again=False):
        words = [w.format(**self.files) if w.startswith("{") or "('{" in w else w for w in case.words]
        return [case.program] + words + (list(case.again) if again else [])


def missing(case, url):
    """Why this machine cannot run the case, in a word; or ""."""
    for program in ("gnuplot", "ssh-keygen"):
        if program in case.needs and not shutil.which(program):
            return f"{program} is not here"
    if case.needs == "postgresql" and not url:
        return "PostgreSQL is not here, or abdb-store-pg was not built (postgresql, libpq-dev)"
    return ""


def environment(work):
    return dict(os.environ, ABDB_PATH="/nonexistent", ABDB_DB="t.db", NO_COLOR="1", LC_ALL="C.UTF-8", ABDB_PAGER="cat", HOME=os.path.join(work, "home"),
                XDG_CACHE_HOME=os.path.join(work, "home"), TMPDIR=os.path.join(work, "tmp"), OMP_NUM_THREADS="1")

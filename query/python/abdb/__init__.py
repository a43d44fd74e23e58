"""abdb from Python: its answers as rows, tables and pictures, and measurements of your own beside all other evidence.

No logic of its own: every call starts the program `abdb` that was installed with this module, and says what it said. Parameters
in Python are the options of the verb (`abdb VERB --help`): price_date="2026-11-01" is --price-date 2026-11-01, True is an option
without a value, a list or a dict is one repeated. `db` names the database; without it, $ABDB_DB or ./abdb.db.
"""
import base64
import csv
import datetime
import functools
import html
import importlib
import json
import numbers
import os
import pathlib
import re
import secrets
import shutil
import sqlite3
import statistics
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterable as _Iterable

__all__ = ["Error", "Picture", "Rows", "campaign", "choose", "compare", "connect", "entry", "environment", "import_", "plot", "program", "query",
           "rank", "record", "run", "store", "why"]
__version__ = "1.0.0"


class Error(Exception):
    """What abdb refused, in its words; `code` is its exit code (2: usage, 4 to 5: a measurement failed, 6: failed)."""

    def __init__(self, message, code=None):
        super().__init__(message)
        self.code = code


class Rows(list):
    """Rows of an answer, each a dict. `columns`: their names, of an empty answer too. `notes`: the footnotes that belong to it.
    `code`: 0; 1 where a gate did not hold; 3 where something may not be compared."""

    def __init__(self, rows=(), notes="", code=0, columns=()):
        super().__init__(rows)
        self.notes, self.code, self.columns = notes, code, list(self[0]) if self else list(columns)

    def to_pandas(self):
        """A pandas.DataFrame; its attrs["notes"] are the footnotes. Error: pandas is not installed."""
        frame = _library("pandas").DataFrame(list(self), columns=self.columns)
        frame.attrs["notes"] = self.notes
        return frame

    def to_polars(self):
        """A polars.DataFrame. Error: polars is not installed."""
        return _library("polars").DataFrame(list(self) or None, schema=self.columns, infer_schema_length=None)

    def to_arrow(self):
        """A pyarrow.Table, which DuckDB and polars read too; a column of texts and numbers becomes one of texts. Error: pyarrow is not
        installed."""
        arrow = _library("pyarrow")

        def column(name):
            values = [row[name] for row in self]
            if len({str if isinstance(value, str) else float for value in values if value is not None}) > 1:
                values = [None if value is None else str(value) for value in values]
            return arrow.array(values)
        return arrow.table({name: column(name) for name in self.columns}, metadata={"notes": self.notes})

    def _repr_html_(self):
        # of many columns those without a value are left out, of many rows the last
        columns = [c for c in self.columns if len(self.columns) <= WIDE or any(row[c] is not None for row in self)]
        head = "".join(f"<th>{html.escape(c)}</th>" for c in columns)
        body = "".join("<tr>" + "".join(f"<td>{html.escape(_shown(row[c]))}</td>" for c in columns) + "</tr>" for row in self[:LONG])
        more = f"<p>Rows not shown: {len(self) - LONG}</p>" if len(self) > LONG else ""
        return _as_text(f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{more}{_caption(self.notes)}")


WIDE, LONG = 12, 200  # columns and rows that a notebook shows


def _shown(value):
    """A cell as a notebook shows it: six digits of what is no whole number; all of them are in the row."""
    short = f"{value:.6g}" if isinstance(value, float) else ""
    return "" if value is None else short if short and "e" not in short else str(value)


def _caption(notes):
    return f"<pre>{html.escape(notes)}</pre>" if notes else ""


def _as_text(markup):
    """Markup whose dollars a notebook leaves alone: between two of them it would look for formulas."""
    return f'<div class="tex2jax_ignore mathjax_ignore">{markup}</div>'


class Picture:
    """A figure as SVG; `save(path)` writes it, and a notebook shows it with its caption. `notes`: the caption, a line each."""

    def __init__(self, svg):
        self.svg = svg
        carried = re.search(rb'<metadata id="abdb">(.*?)</metadata>', svg, re.S)
        try:
            said = json.loads(html.unescape(carried[1].decode())) if carried else {}
            self.notes = "\n".join(said.get("notes", []))
        except (ValueError, TypeError, AttributeError):  # made by another program
            self.notes = ""

    def save(self, path):
        pathlib.Path(path).write_bytes(self.svg)

    def _repr_html_(self):  # as an image, so that no text in it can be a script
        image = f'<img src="data:image/svg+xml;base64,{base64.b64encode(self.svg).decode()}">'
        return image + (_as_text(_caption(self.notes)) if self.notes else "")

    def _repr_svg_(self):
        return self.svg.decode()


def _library(name):
    try:
        return importlib.import_module(name)
    except ImportError:
        raise Error(f"{name} is not installed for {sys.executable}: pip install {name}") from None


# --- the program ---------------------------------------------------------------------------------------------------------


def _beside(name):
    """Where pip, or `make install`, put a file relative to this module; then what PATH and the usual prefixes have."""
    home = pathlib.Path(__file__).resolve().parent
    roots = [sysconfig.get_path("data"), sysconfig.get_path("data", f"{os.name}_user"), home.parent, *home.parents[1:6], "/usr/local", "/usr"]
    return next((str(path) for path in (pathlib.Path(root) / name for root in roots) if path.is_file()), None)


def program():
    """The path of `abdb`: $ABDB_PROGRAM, else the one installed with this module, else the one on PATH."""
    found = os.environ.get("ABDB_PROGRAM") or _beside("bin/abdb") or shutil.which("abdb")
    if not found:
        raise Error("no program `abdb` here: pip install its wheel (abdb-*.whl), or ABDB_PROGRAM names it")
    return found


def _text(value, what):
    """A value as the word of a command line: text, a number or a path. Error: it is something else, or no program can be given it."""
    if not isinstance(value, (str, bytes, os.PathLike, numbers.Number)):
        raise Error(f"{what} wants a text, a number or a path, not {value!r:.100}")
    word = os.fsdecode(value) if isinstance(value, (bytes, os.PathLike)) else str(value)
    try:
        encoded = os.fsencode(word)
    except UnicodeEncodeError:
        raise Error(f"{what} holds half a character (a surrogate), which no encoding has: {word!a:.100}") from None
    if b"\0" in encoded:
        raise Error(f"{what} holds a zero byte, which ends a word: {word!a:.100}")
    return word


def _options(parameters):
    """Each parameter as `--name=value`, in one word: no value can be taken for another option."""
    for name, value in parameters.items():
        if not re.fullmatch("[A-Za-z][A-Za-z0-9_]*", name, re.ASCII):
            raise Error(f"a parameter is named by letters, digits and _, not {name!a:.100}")
        option = "--" + name.rstrip("_").replace("_", "-")
        if isinstance(value, dict):
            value = [f"{_text(key, name)}={_text(text, name)}" for key, text in value.items()]
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if one is True:
                yield option
            elif one is not None and one is not False:
                yield f"{option}={_text(one, name)}"


def _words(verb, words):
    """What stands beside the options. None of it is an option, whatever it begins with."""
    words = [_text(word, f"abdb {verb}") for word in words]
    if verb == "query":  # its word comes before the options of the report; SQL may begin with a comment
        return [f" {word}" if word.startswith("-") else word for word in words], []
    if verb == "plot":
        for word in words:
            if word.startswith("-"):
                raise Error(f"no figure is called {word!a:.100}", 2)
        return words, []
    if verb == "import":
        words = [f"./{word}" if word.startswith("-") and word != "-" else word for word in words]
    return [], ["--", *words] if words else []


def _call(verb, words, db, parameters, given=None, answers=(0,)):
    """Runs abdb VERB; returns what it wrote to both streams, and its exit code. Error: a code that is no answer."""
    if db is not None:
        parameters = {**parameters, "db": db}
    before, behind = _words(verb, words)
    command = [program(), verb, *before, *_options(parameters), *behind]
    try:
        done = subprocess.run(command, input=given, stdin=None if given is not None else subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env={**os.environ, "NO_COLOR": "1"}, check=False)
    except OSError as why:
        raise Error(f"{command[0]} cannot be started: {why.strerror}") from None
    said = done.stderr.decode(errors="replace").strip()
    if done.returncode not in answers:
        raise Error(said or f"abdb {verb} ended with {done.returncode}", done.returncode)
    return done.stdout, said, done.returncode


def _rows(verb, words, db, parameters):
    out, said, code = _call(verb, words, db, {**parameters, "json": True}, answers=(0, 1, 3))
    if code and not out.strip() and not (verb == "compare" or "fail_on" in parameters):
        raise Error(said, code)
    rows = json.loads(out or "[]")
    if not rows and out.strip():  # JSON of no rows names no columns
        out, _, _ = _call(verb, words, db, {**parameters, "format": "csv"}, answers=(0, 1, 3))
        return Rows([], said, code, next(csv.reader(out.decode().splitlines()), ()))
    return Rows(rows, said, code)


# --- answers -------------------------------------------------------------------------------------------------------------


def query(what, db=None, **parameters):
    """Rows of a report (its options are the parameters), or of read-only SQL."""
    return _rows("query", [what], db, parameters)


def compare(*selections, db=None, **parameters):
    """Selections side by side: abdb.compare("tag=before", "tag=after", fail_on="slower"). `code` of the answer tells a gate's."""
    return _rows("compare", selections, db, parameters)


def rank(*selections, db=None, **parameters):
    """The best under constraints."""
    return _rows("rank", selections, db, parameters)


def choose(*words, db=None, **parameters):
    """What to buy or rent: abdb.choose("llama2-70b-99", "server", rate="100k/s"). Error: nothing to choose from (code 3)."""
    return _rows("choose", words, db, parameters)


def why(*selections, db=None, **parameters):
    """The factors of a ratio, whose product it is: abdb.why("MI300X", "MI355X", where="llama2-70b-99,offline"). `code` 3: the two may not be
    compared, and `notes` name the rule."""
    return _rows("why", selections, db, parameters)


def plot(figure, db=None, **parameters):
    """A figure of abdb as a Picture. It wants gnuplot on this machine."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "figure.svg"
        _call("plot", [figure], db, {**parameters, "out": path})
        return Picture(path.read_bytes())


def _other_python():
    """A Python of this machine whose sqlite3 loads the functions, and how it is used; or where there is one."""
    can = ("import sqlite3, sys; connection = sqlite3.connect(':memory:'); connection.enable_load_extension(True); "
           "sys.exit(sqlite3.sqlite_version_info < (3, 40) or sys.version_info < (3, 9))")
    for python in dict.fromkeys(["/usr/bin/python3", shutil.which("python3"), "/usr/local/bin/python3"]):
        try:
            if python and subprocess.run([python, "-I", "-c", can], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                         timeout=10, check=False).returncode == 0:
                return f"that of {python} has it: {python} -m venv env && env/bin/pip install abdb-*.whl"
        except (OSError, subprocess.TimeoutExpired):
            pass
    return "Debian's python3 has it"


def _load(connection, library, name):
    """Loads a library by the entry point of that name, for which Python before 3.12 has no parameter: SQLite makes it from the file's name."""
    with tempfile.TemporaryDirectory() as folder:
        link = pathlib.Path(folder) / f"{name}.so"
        link.symlink_to(pathlib.Path(library).resolve())
        connection.load_extension(str(link))


def _allow_listed_functions(connection, path):
    """Without abdb.so: an authorizer that refuses every function that is not on abdb's list. Error: the file holds virtual tables, which
    sqlite3 would construct."""
    listed = {row["function"] for row in json.loads(_call("query", [], None, {"functions": True, "json": True})[0])}
    # SQLite stores each statement in one form. A changed file may spell CREATE VIRTUAL TABLE in others, with a comment or a tab in it:
    # what has none of the known forms is refused.
    known = " OR ".join(f"sql GLOB 'CREATE {kind} *'" for kind in ("TABLE", "VIEW", "INDEX", "UNIQUE INDEX", "TRIGGER"))
    virtual = [str(name) for name, in connection.execute(f"SELECT name FROM sqlite_schema WHERE sql IS NOT NULL AND NOT ({known})")]
    if virtual:
        connection.close()
        raise Error(f"{path} holds virtual tables ({', '.join(virtual)[:200]}), which abdb does not open: drop them, or connect with the extension")
    refused = {sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_CREATE_VTABLE}  # they would write files, and construct what is listed nowhere
    connection.set_authorizer(lambda action, table, name, database, view:
                              sqlite3.SQLITE_DENY if action in refused or action == sqlite3.SQLITE_FUNCTION and name.lower() not in listed
                              else sqlite3.SQLITE_OK)


def connect(db=None, extension=True):
    """A read-only sqlite3 connection, with abdb's functions (median, hl_ratio, abdb_compare, ...) unless extension is False. SQL may call the
    functions that `abdb query --functions` lists, and opens no virtual table; for functions of your own, connection.set_authorizer(None).
    Error: this Python's sqlite3 cannot load extensions; the views answer without."""
    path = pathlib.Path(_text(db or os.environ.get("ABDB_DB") or "abdb.db", "the database"))
    try:
        found = path.is_file()
    except OSError as why:  # a name that is too long
        raise Error(f"no database at {str(path)[:100]}: {why.strerror}") from None
    if not found:
        raise Error(f"no database at {path}; abdb.import_('data') makes one")
    connection = sqlite3.connect(path.resolve().as_uri() + "?mode=ro", uri=True)
    if not extension:
        _allow_listed_functions(connection, path)
        return connection
    library = os.environ.get("ABDB_EXTENSION") or _beside("lib/abdb/abdb.so")
    why = None
    if not hasattr(connection, "enable_load_extension"):
        why = f"the sqlite3 of {sys.executable} was built without loading of extensions; {_other_python()}"
    elif sqlite3.sqlite_version_info < (3, 40):
        why = f"SQLite {sqlite3.sqlite_version} of {sys.executable} is older than 3.40; {_other_python()}"
    elif not library:
        why = "abdb.so is not here; ABDB_EXTENSION names it"
    if why:
        connection.close()
        raise Error(f"abdb's SQL functions cannot be loaded: {why}. abdb.connect(path, extension=False) has the views alone")
    connection.enable_load_extension(True)
    _load(connection, library, "abdb_guard")
    connection.load_extension(library)
    connection.enable_load_extension(False)
    return connection


# --- evidence ------------------------------------------------------------------------------------------------------------


def import_(*paths, db=None, **parameters):
    """Reads files into the database (`data`: those that abdb ships). Returns what abdb said of it."""
    out, said, _ = _call("import", paths, db, parameters, answers=(0, 5))
    return out.decode(errors="replace") + said


def run(db=None, **parameters):
    """Measures kernels here: abdb.run(kernel="gemm", axis={"n": 1024}). Rows of v_kernel; a cell that failed is one too, with
    its status."""
    parameters.pop("quiet", None)  # the summary names what was measured
    out, said, code = _call("run", [], db, parameters, answers=(0, 4, 5))
    campaign = out.decode(errors="replace").split(":")[0].split()[-1:]
    if not campaign or not campaign[0].startswith("c-"):
        return Rows([], out.decode(errors="replace") + said, code)
    named = campaign[0].replace("'", "''")
    rows = query(f"SELECT * FROM v_kernel WHERE campaign = '{named}'", db)
    return Rows(rows, said, code, rows.columns)


@functools.lru_cache(maxsize=1)
def environment():
    """What this machine is, as every measurement of abdb has it: no host names, users or paths. With the device's name."""
    describe = pathlib.Path(program()).with_name("abdb-run-ref")
    try:
        lines = subprocess.run([describe, "describe"], stdout=subprocess.PIPE, check=True).stdout.splitlines()
    except (OSError, subprocess.CalledProcessError) as why:
        raise Error(f"{describe}, which says what this machine is, failed: {why}") from None
    told = {line["kind"]: line for line in map(json.loads, lines)}
    about = {**told["environment"]["environment"], "python": sys.version.split()[0], "python_implementation": sys.implementation.name}
    return about, told["device"]["name"]


FIELDS = {"backend", "devices", "dtype", "model", "nodes", "scenario", "system", "verified"}  # of an entry; other words are its factors
_started = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
_campaign = []


def campaign(name=None):
    """The campaign of what this process stores: made up at first use, or `name`, where several processes are one."""
    if name or not _campaign:
        _campaign[:] = [name or f"c-{secrets.token_hex(8)}-python"]
    return _campaign[0]


def entry(workload, samples, metric="time_s", unit=None, device=None, tag=None, times=None, repetition=1, **factors):
    """What `record` stores, as a line of abdb's own records (`abdb help abdb-jsonl`): to be kept in a file, or for `store`."""
    try:
        values = list(samples)
        values = [] if any(isinstance(x, (str, bytes, bool)) for x in values) else [float(x) for x in values]
    except (TypeError, ValueError, OverflowError):
        values = []
    if not values or not all(0 < x < float("inf") for x in values):
        raise Error("samples are numbers above 0, a list with one at least")
    if isinstance(samples, (str, bytes)):
        raise Error("samples are numbers, not a text")
    try:
        times = None if times is None else [float(x) for x in times]
    except (TypeError, ValueError, OverflowError):
        raise Error("times are a list of numbers") from None
    if times is not None and len(times) != len(values):
        raise Error(f"times are as many as samples: {len(values)}, not {len(times)}")
    if not workload or not isinstance(workload, str):
        raise Error("the workload wants a name")
    for name, value in factors.items():
        if not isinstance(value, (str, int, float)):
            raise Error(f"{name} is a factor, which is a text or a number, not {value!r}")
    now = datetime.datetime.now(datetime.timezone.utc)
    about, processor = environment()
    field = {"evidence": "measured", "kind": "run", "verified": "unchecked", "suite": "python", "workload": workload,
             "device": device or processor, "backend": "python", "tag": tag, "source": "abdb-python",
             "date": now.strftime("%Y-%m-%dT%H:%M:%S.%f")[:-3] + "Z", "campaign": campaign(), "cell": workload}
    field.update((name, factors.pop(name)) for name in FIELDS & factors.keys())
    result = {"metric": metric, "statistic": "median", "value": statistics.median(values), "unit": unit, "n": len(values), "formula": "median@1",
              "samples": [[x, times[i] if times else None, -1, None] for i, x in enumerate(values)]}
    return _line({
        "record": "entry", "field": {k: str(v) for k, v in field.items() if v is not None},
        "factor": {k: str(v) for k, v in factors.items()}, "result": [{k: v for k, v in result.items() if v is not None}],
        "environment": json.dumps(about), "origin": f"{secrets.randbits(63):016x}",
        "process": {"campaign": campaign(), "backend": "python", "repetition": repetition, "start": 1, "started": _started}})


def _line(record):
    """A record as one line of JSON. Error: it holds a number that JSON has not, as infinity, or text that no encoding has."""
    try:
        line = json.dumps(record, allow_nan=False)
        json.dumps(record, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise Error("a text holds half a character (a surrogate), which no encoding has") from None
    except TypeError as why:
        raise Error(f"a record holds texts and numbers: {why}") from None
    except ValueError:
        raise Error("a number is infinite or none, or so is the median of the samples") from None
    if re.search(r"(?<!\\)(?:\\\\)*\\u0000", line):
        raise Error("a text holds a zero character, which the database does not store")
    return line


def store(lines, db=None):
    """Stores what `entry` made, all of it or nothing. Error: abdb refuses a line, and why."""
    lines = list(lines) if isinstance(lines, _Iterable) else [None]
    if not all(isinstance(line, str) and "\n" not in line for line in lines):
        raise Error("store wants the lines that abdb.entry made, in a list")
    given = "".join(line + "\n" for line in lines).encode(errors="surrogatepass")
    out, said, _ = _call("import", ["-"], db, {"format": "abdb-jsonl", "strict": True, "quiet": True}, given=given)
    return out.decode(errors="replace") + said


def record(workload, samples, db=None, **words):
    """Stores samples of your own (numbers in the metric's base unit, or in `unit`) as one measured entry, with this machine's
    environment: abdb.record("tokenize", seconds, tag="before", n=4096). `metric` (time_s), `device` (this processor), `times`
    (when each sample began, in seconds), `repetition`; backend, devices, dtype, model, nodes, scenario, system, verified; any
    other word is a factor that comparisons look at. All entries of a process are of one campaign: it takes several processes, not many samples, to show that something changed."""
    return store([entry(workload, samples, **words)], db)

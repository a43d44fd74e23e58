#!/usr/bin/env python3
"""same_views.py FILE.db CONNINFO [QUERIES.sql] - has a warehouse the rows of a file?

Every view of the file is asked of both (VIEWS: those whose names fit one of these patterns), each of REPORTS, with the defaults of
its parameters, and each query of QUERIES.sql (a name in a line `-- NAME`, then its SQL; its order of rows counts). Numbers of
the file are compared as the keys that stand for them in the warehouse. Real numbers agree to nine digits, all else wholly. In TAP.
"""
import csv
import fnmatch
import functools
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
from collections import Counter

csv.field_size_limit(sys.maxsize)
path, conninfo = sys.argv[1], sys.argv[2]
db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
db.text_factory = lambda b: b.decode("utf-8", "surrogateescape")


def keys(sql):
    return dict(db.execute(sql))


result = keys("""SELECT r.result_id, (e.entry_key | (r.ordinal << 40)) - (e.entry_key & (r.ordinal << 40))
                   FROM result_row r JOIN entry_row e USING (entry_id)""")
stands_for = {
    "result": result, "entry": keys("SELECT entry_id, entry_key FROM entry_row"),
    "point": keys("SELECT point_id, point_key FROM point"), "spec": keys("SELECT spec_id, spec_key FROM spec"),
    "price": keys("SELECT price_id, price_key FROM price"), "note": keys("SELECT note_id, note_key FROM note"),
    "process": keys("SELECT process_id, process_key FROM process"),
    "environment": keys("SELECT environment_id, environment_key FROM environment"),
    "description": keys("SELECT description_id, description_key FROM description"),
    "bound": result, "base": result, "rate": result, "time": result, "bytes": result,
}
# numbers that are made of words: the same for the same words, which path or columns beside them tell
skipped = {"artifact_id"}


@functools.cache
def number(text):
    """A real number in nine digits, as text; a whole one, and what is none, as it is."""
    if re.fullmatch(r"-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", text, re.I) and not re.fullmatch(r"-?\d{16,}", text):
        return f"{float(text) * (1 + 1e-12):.9g}"
    return text


def from_file(sql, columns):
    rows = []
    for row in db.execute(sql):
        out = []
        for name, value in zip(columns, row):
            kind = name[:-3] if name.endswith("_id") else "result" if name == "number" else ""
            if name == "id" and "kind" in columns:
                kind = row[columns.index("kind")]
            if name in skipped:
                out.append("")
            elif value is not None and kind in stands_for:
                out.append(str(stands_for[kind].get(value, value)))
            elif value is None:
                out.append("~")
            elif isinstance(value, float):
                out.append(number(repr(value)))
            else:
                out.append(number(str(value)))
        rows.append(tuple(out))
    return rows


def asked(questions, path, folder):
    """Each by one psql into a file, where it has an answer; what psql says."""
    script = ["\\set QUIET on", f"SET search_path = {path}, public;", "SET jit = off;"]
    for i, (_, sql, _) in questions:
        script.append(f"\\copy ({' '.join(sql.split())}) TO '{folder}/{i}' (FORMAT csv, NULL '~')")
    return subprocess.run(["psql", "-X", conninfo], input="\n".join(script), text=True, capture_output=True).stderr


def from_warehouse(questions):
    """All answers, what psql says, and on Citus (CITUS) which of them it has of gathered rows only."""
    with tempfile.TemporaryDirectory() as folder:
        said = asked(list(enumerate(questions)), "abdb", folder)
        none = [(i, q) for i, q in enumerate(questions) if not os.path.exists(f"{folder}/{i}")]
        if none and os.environ.get("CITUS"):
            said = asked(none, "abdb_whole, abdb", folder)
        answers = []
        for i, (_, _, columns) in enumerate(questions):
            name = f"{folder}/{i}"
            if not os.path.exists(name):
                answers.append(None)
                continue
            with open(name, newline="", encoding="utf-8") as f:
                answers.append([tuple("" if c in skipped else number(v) for c, v in zip(columns, row)) for row in csv.reader(f)])
        return answers, said, {i for i, _ in none}


def near(a, b):
    for x, y in zip(a, b):
        if x != y:
            try:
                if abs(float(x) - float(y)) > 3e-9 * max(abs(float(x)), abs(float(y))):
                    return False
            except ValueError:
                return False
    return len(a) == len(b)


def differences(a, b, ordered):
    """Lines that say what differs."""
    if ordered and len(a) == len(b):
        return [f"row {i + 1}: {x} in the file, {y} there" for i, (x, y) in enumerate(zip(a, b)) if x != y and not near(x, y)]
    a, b = Counter(a), Counter(b)
    here, there = list((a - b).elements()), list((b - a).elements())
    for row in list(here):
        match = next((r for r in there if near(row, r)), None)
        if match is not None:
            here.remove(row)
            there.remove(match)
    return [f"{len(rows)} rows only {where}, such as {rows[0]}" for where, rows in (("in the file", here), ("there", there)) if rows]


def columns_of(sql):
    return [c[0].lower() for c in db.execute(f"SELECT * FROM ({sql}) LIMIT 0").description]


def report(name):
    """The SQL of a report with the defaults of its parameters. Where a pattern may be asked for and is not, all fit."""
    here = os.path.dirname(os.path.abspath(__file__))
    text = open(f"{here}/../../query/reports/{name}.sql").read()
    usual = {m[1]: (m[2], m[3].strip()) for m in re.finditer(r"^-- param: (\w+) \| ([^|]*) \| ?(.*?) ?\|", text, re.M)}

    def value(m):
        kind, word = usual.get(m[1], ("text", ""))
        return "NULL" if not word else word if kind != "text" or word.isdigit() else "'" + word.replace("'", "''") + "'"

    # what is kept as a table for the rows is a part of their statement here
    parts = re.split(r"^-- @(\w+) ?(.*)$", "-- @rows\n" + text if "-- @rows" not in text else text, flags=re.M)
    tables, rows = [], ""
    for tag, name, sql in zip(parts[1::3], parts[2::3], parts[3::3]):
        sql = re.sub(r"(?<![:\w]):(\w+)", value, re.sub(r"--.*", "", sql)).strip().rstrip(";")
        if tag == "table":
            tables.append(f"{name.strip()} AS MATERIALIZED ({sql})")
        elif tag == "rows":
            rows = sql
    if tables:
        rows = "WITH " + ", ".join(tables) + (", " + rows[4:] if rows.startswith("WITH") else " " + rows)
    sql = rows
    return re.sub(r"NULL IS NULL OR [\w.]+ GLOB NULL", "1 = 1", sql)


questions = []
wanted = os.environ.get("VIEWS", "*").split()
for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'view' ORDER BY name").fetchall():
    if not any(fnmatch.fnmatch(name, w) for w in wanted):
        continue
    columns = [c[1].lower() for c in db.execute(f"PRAGMA table_info('{name}')")]
    questions.append((name, "SELECT " + ", ".join(f'"{c}"' for c in columns) + f" FROM {name}", columns))
for name in os.environ.get("REPORTS", "").split():
    questions.append((f"report {name}", report(name), columns_of(report(name))))
views = len(questions)
if len(sys.argv) > 3:
    for name, sql in re.findall(r"^-- (.*)\n((?:(?!-- ).*\n)*)", open(sys.argv[3]).read(), re.M):
        questions.append((name, sql.strip().rstrip(";"), columns_of(sql.strip().rstrip(";"))))
answers, said, gathered = from_warehouse(questions)
failed = 0
print(f"1..{len(questions)}")
for n, ((name, sql, columns), there) in enumerate(zip(questions, answers), 1):
    here = from_file(sql, columns)
    lines = ["no answer"] if there is None else differences(here, there, n > views)
    failed += bool(lines)
    print(f"{'not ok' if lines else 'ok'} {n} - {name}: {len(here)} rows{', gathered' if n - 1 in gathered else ''}")
    for line in lines[:10]:
        print(f"#   {line[:1500]}")
if said:
    print("# psql: " + said.replace("\n", "\n# "))
sys.exit(1 if failed or said else 0)

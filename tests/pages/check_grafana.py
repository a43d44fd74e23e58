#!/usr/bin/env python3
"""check_grafana.py records | check_grafana.py DASHBOARD.json CONNINFO | check_grafana.py hostile DASHBOARD.json CONNINFO - the queries of a dashboard, as Grafana would ask them.

records: JSON lines of a fleet, for abdb import: eight nodes, one of them slower, one that failed. Else: every variable is asked, all its
values put into the queries that follow as ${NAME:sqlstring} does, macros of time expanded as Grafana's PostgreSQL source does, and every
panel and annotation asked, of the role that CONNINFO names. Each must have rows, and columns that its kind of panel can show. In TAP.

hostile: every variable gets values that are pieces of SQL, as an address of a dashboard can give them. Each query must be answered without a
row: the values are text, and no text is called so.
"""
import csv
import io
import json
import re
import subprocess
import sys

FROM, TO = "2015-01-01T00:00:00Z", "2035-01-01T00:00:00Z"


def records():
    for day in range(1, 8):
        for node, (tag, time) in enumerate((("a", 1), ("b", 2))):  # two programs, of one cell
            yield {"record": "entry", "factor": {"node": f"n{node}", "command": f"./{tag}"},
                   "field": {"evidence": "measured", "kind": "run", "source": "abdb-run", "workload": "wall-time", "device": "Fleet's Box",
                             "devices": "1", "nodes": "1", "backend": "command", "date": f"2026-03-0{day}T09:00:00Z", "tag": tag,
                             "campaign": f"p-{day}-{node}", "cell": "command wall-time"},
                   "result": [{"metric": "time_s", "statistic": "median", "value": time + 0.001 * day, "n": 5}]}
        for node in range(8):
            for cell, base in (("ref stream n=1", 0.001), ("ref gemm n=64", 0.02)):
                time = base * (1 + 0.001 * ((day * 7 + node * 3) % 5)) * (1.25 if node == 3 else 1)
                field = {"evidence": "measured", "kind": "run", "source": "abdb-run", "verified": "pass", "workload": cell.split()[1],
                         "device": "Fleet's Box", "devices": "1", "nodes": "1", "backend": "ref", "date": f"2026-03-0{day}T08:00:00Z",
                         "campaign": f"c-{day}-{node}", "cell": cell}
                result = [{"metric": "time_s", "statistic": "median", "value": time, "n": 5}]
                if node == 4 and day == 2:
                    field |= {"status": "failed", "reason": "Robert'); DROP TABLE entry_row; --"}
                    result = []
                yield {"record": "entry", "field": field, "factor": {"node": f"n{node}"}, "result": result,
                       "telemetry": [["cpu", "temperature", "degC", 0.1, 60 + node]]}


class Source:
    def __init__(self, conninfo):
        self.conninfo = conninfo

    def ask(self, sql):
        """Names of columns and rows, or a message; what PostgreSQL knows of the columns' types, too."""
        script = f"SET jit = off;\n\\copy ({' '.join(sql.split())}) TO STDOUT (FORMAT csv, HEADER, NULL '~')\n"
        done = subprocess.run(["psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", self.conninfo], input=script, text=True, capture_output=True)
        if done.returncode or done.stderr:
            return None, done.stderr.strip()
        header, *rows = csv.reader(io.StringIO(done.stdout))
        return header, rows


def quoted(values):
    return ",".join("'" + v.replace("'", "''") + "'" for v in values)


def expanded(sql, chosen):
    sql = re.sub(r"\$\{(\w+):sqlstring\}", lambda m: quoted(chosen[m[1]]), sql)
    sql = re.sub(r"\$__timeFilter\(([^()]*)\)", lambda m: f"{m[1]} BETWEEN '{FROM}' AND '{TO}'", sql)
    return sql.replace("$__timeFrom()", f"'{FROM}'").replace("$__timeTo()", f"'{TO}'")


def plain(sql):
    """What is wrong with a query before it is asked: names that are no public view, variables that are not quoted."""
    bare = re.sub(r"\$\{\w+:sqlstring\}|\$__time(Filter\([^()]*\)|From\(\)|To\(\))", "", sql)
    bare = re.sub(r"'[^']*'", "''", bare)
    wrong = ["unquoted variable or unknown macro"] if "$" in bare else []
    wrong += ["a variable inside a text, which its own quotes would end"] if any(re.search(r"\$[\w{\[]|\[\[", text) for text in re.findall(r"'[^']*'", sql)) else []
    made = set(re.findall(r"(?:WITH|,)\s+(\w+) AS \(", bare))
    for name in re.findall(r"\b(?:FROM|JOIN)\s+([\w.]+)", bare):
        if not name.startswith("abdb.v_") and name not in made:
            wrong.append(f"no public view: {name}")
    return wrong


def shows(kind, header, rows):
    """What a panel of that kind cannot show of these rows."""
    wrong = []
    if not rows:
        return ["no row"]
    stamp = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d")
    if kind in ("timeseries", "annotation"):
        times = [r[header.index("time")] for r in rows] if "time" in header else []
        wrong += [] if times and all(stamp.match(t) for t in times) else ["no column time with times"]
        wrong += [] if times == sorted(times) else ["not in the order of time"]
    if kind == "timeseries":
        wrong += [] if header == ["time", "metric", "value"] else [f"columns are {header}"]
    if kind == "annotation":
        wrong += [] if {"time", "text"} <= set(header) else [f"columns are {header}"]
    if kind in ("timeseries", "barchart"):
        numbers = [r[-1] for r in rows]
        wrong += [] if all(re.fullmatch(r"-?[\d.]+(e[-+]?\d+)?", n) for n in numbers) else ["the last column is no number"]
    if kind == "barchart":
        wrong += [] if len({r[0] for r in rows}) == len(rows) else ["two bars of one name"]
    wrong += [f"column {c} is always NULL" for i, c in enumerate(header) if c != "known" and all(r[i] == "~" for r in rows)]
    return wrong


def check(path, source):
    board = json.load(open(path))
    number, failed = 0, 0

    def say(wrong, name):
        nonlocal number, failed
        number, failed = number + 1, failed + bool(wrong)
        print(f"{'not ok' if wrong else 'ok'} {number} - {board['title']}: {name}")
        for line in wrong:
            print(f"#   {line[:600]}")

    panels = board["panels"]
    ids = [p["id"] for p in panels]
    asked = [(p["type"], p["title"], t) for p in panels for t in p["targets"]] + \
        [("annotation", a["name"], a["target"]) for a in board["annotations"]["list"]]
    variables = board["templating"]["list"]
    sources = [x["datasource"]["uid"] for x in panels + variables + [t for _, _, t in asked]]
    say([] if len(set(ids)) == len(ids) and set(sources) == {"abdb"} and board["uid"].startswith("abdb-") else ["ids or sources"], "is well formed")
    chosen = {}
    for v in variables:
        wrong = plain(v["query"]) + ([] if v["multi"] else ["one value: Grafana would not quote it"])
        header, rows = source.ask(expanded(v["query"], chosen)) if not wrong else (None, "")
        wrong += [rows] if header is None else [] if rows else ["no value"]
        chosen[v["name"]] = [r[0] for r in rows] if header else []
        say(wrong, f"variable {v['name']}, {len(chosen[v['name']])} values")
    for kind, name, target in asked:
        wrong = plain(target["rawSql"])
        header, rows = source.ask(expanded(target["rawSql"], chosen)) if not wrong else (None, "")
        wrong += [rows] if header is None else shows(kind, header, rows)
        say(wrong, f"{name}, {len(rows) if header else 0} rows")
    print(f"1..{number}")
    return failed


HOSTILE = ["x') OR 1=1 --", "'", "''", "x'); DELETE FROM abdb.v_result; --", "\\", "\\'", "$1", "${__from}", "$$", '"', "/*", "--", "%", "x' UNION SELECT usename FROM pg_user --"]


def check_hostile(path, source):
    """Rows that a query has, or an error that it ends with, are mistakes, if it asks by a variable."""
    board = json.load(open(path))
    variables = board["templating"]["list"]
    chosen = {v["name"]: HOSTILE for v in variables}
    queries = [v["query"] for v in variables] + [t["rawSql"] for p in board["panels"] for t in p["targets"]] + [a["target"]["rawSql"] for a in board["annotations"]["list"]]
    asked, failed = 0, 0
    for sql in (q for q in queries if "${" in q):
        header, rows = source.ask(expanded(sql, chosen))
        asked += 1
        if header is None or any(cell != "~" and cell != "0" for row in rows for cell in row):
            failed += 1
            print(f"not ok - {rows if header is None else rows[:2]}: {sql[:200]}")
    print(f"{asked} queries with hostile values")
    return failed


if sys.argv[1] == "hostile":
    sys.exit(check_hostile(sys.argv[2], Source(sys.argv[3])) > 0)
elif sys.argv[1] == "records":
    for record in records():
        print(json.dumps(record))
else:
    sys.exit(check(sys.argv[1], Source(sys.argv[2])) > 0)

#!/usr/bin/env python3
"""exported_columns.py FILE.db DIR [parquet] - does a folder that `abdb export -o csv --partition DIR` made hold what the public views of the
file say: every row, every cell with its type, NULL apart from an empty text, every bit of a double? `parquet`: what parquet.sql made of it.
"""
import glob
import os
import re
import sqlite3
import sys
from collections import Counter

# numbers of the file, for which others stand in the folder: compared by what joins (below)
FILE_NUMBERS = {"result_id", "bound_id", "entry_id", "point_id", "process_id", "spec_id", "price_id"}
NONE = "__HIVE_DEFAULT_PARTITION__"
path, folder = sys.argv[1:3]
db = sqlite3.connect(f"file:{path}?mode=ro", uri=True)
failed = 0


def say(fine, text):
    global failed
    failed += not fine
    print(f"{'ok' if fine else 'not ok'} - {text}")


def records(text):
    """RFC 4180, in which a cell that is not quoted and holds nothing is None."""
    row, i = [], 0
    while i < len(text):
        if text[i] == '"':
            cell, i = "", i + 1
            while True:
                end = text.index('"', i)
                cell, i = cell + text[i:end], end + 1
                if i < len(text) and text[i] == '"':
                    cell, i = cell + '"', i + 1
                else:
                    break
        else:
            end = min(e for e in (text.find(",", i), text.find("\n", i)) if e >= 0)
            cell, i = text[i:end] or None, end
        row.append(cell)
        assert text[i] in ",\n", (text[i - 20:i + 20])
        if text[i] == "\n":
            yield row
            row = []
        i += 1
        if row and text[i] == "\n" and text[i - 1] == ",":
            row.append(None)
            yield row
            row, i = [], i + 1


def from_csv(view):
    names, rows = None, []
    for file in sorted(glob.glob(f"{folder}/{view}/**/data.csv", recursive=True)):
        parts = [p.split("=", 1) for p in os.path.relpath(file, f"{folder}/{view}").split("/")[:-1]]
        with open(file, newline="", encoding="utf-8") as f:
            header, *body = records(f.read())
        here = header + [p[0] for p in parts]
        assert names in (None, here), file
        names = here
        rows += [r + [None if p[1] == NONE else p[1] for p in parts] for r in body]
        assert all(len(r) == len(names) for r in rows), file
    return names, rows


def from_parquet(view):
    import duckdb

    answer = duckdb.execute(f"SELECT * FROM '{folder}/parquet/{view}.parquet'")
    return [c[0] for c in answer.description], answer.fetchall()


# numbers that parquet.sql names, by view; each other column becomes text there
with open(os.path.join(os.path.dirname(__file__), "../../schema/scale/parquet.sql"), encoding="utf-8") as f:
    NUMBERS = {view: set(re.findall(r"(\w+):\s+'(?:BIGINT|DOUBLE)'", body))
               for view, body in re.findall(r"read_csv\('(\w+)/(.*?)\bTO\b", f.read(), re.S)}

views = sorted(os.path.basename(p) for p in glob.glob(f"{folder}/v_*"))
say(len(views) >= 11, f"{len(views)} views")
for view in views:
    names, rows = from_parquet(view) if "parquet" in sys.argv else from_csv(view)
    mine = [c[1] for c in db.execute(f"PRAGMA table_info('{view}')")]
    extra = set(names) - set(mine)
    say(set(mine) <= set(names) and extra <= {"evidence", "month"}, f"{view}: the columns of the view")
    compared = [c for c in mine if c not in FILE_NUMBERS]
    place = [names.index(c) for c in compared]
    here = db.execute("SELECT " + ", ".join(f'"{c}"' for c in compared) + f" FROM {view}").fetchall()
    real = [any(isinstance(r[i], float) for r in here) for i in range(len(compared))]
    whole = [not real[i] and any(isinstance(r[i], int) for r in here) for i in range(len(compared))]

    forgotten = [c for c, r, w in zip(compared, real, whole) if (r or w) and c not in NUMBERS.get(view, ())]
    say(not forgotten, f"{view}: parquet.sql names each number{': ' * bool(forgotten) + ', '.join(forgotten)}")

    def typed(value, i):
        if value is None or not (real[i] or whole[i]):
            return value
        if isinstance(value, str) and "parquet" in sys.argv:
            return f"text {value}"  # a number that became text on the way
        return float.hex(float(value)) if real[i] else int(value)

    a = Counter(tuple(typed(v, i) for i, v in enumerate(r)) for r in here)
    b = Counter(tuple(typed(r[p], i) for i, p in enumerate(place)) for r in rows)
    say(a == b, f"{view}: {len(rows)} rows, cell by cell")
    for where, only in (("file", a - b), ("folder", b - a)):
        for row in list(only)[:2]:
            print(f"#   only in the {where}: {dict(zip(compared, row))}")

# what stands for the numbers of the file joins as they do
def ids(view, column):
    names, rows = from_parquet(view) if "parquet" in sys.argv else from_csv(view)
    return [int(r[names.index(column)]) for r in rows]


results, entries = ids("v_result", "result_id"), set(ids("v_result", "entry_id"))
say(len(set(results)) == len(results), "a number for each result")
say(set(ids("v_sample", "result_id")) <= set(results), "each sample has its result")
(joined,) = db.execute("SELECT count(*) FROM v_run_factor f WHERE f.entry_id IN (SELECT r.entry_id FROM v_result r)").fetchone()
say(sum(f in entries for f in ids("v_run_factor", "entry_id")) == joined, f"{joined} factors have their results")
sys.exit(bool(failed))

#!/usr/bin/env python3
"""report_formulas.py - does each column of a report that names a formula say what the views say?

report_formulas.py REPORT.sql ROWS.csv DATABASE

REPORT.sql has the header (query/answer/report.h), ROWS.csv its rows with the keys of each in columns facts and facts_COLUMN.
Prints a line a column: its name, cells checked, and how many of them are of results stated per device, node and system.
Exit 1: a cell differs, or is empty where the formula gives a value.
"""
import csv
import re
import sqlite3
import statistics
import sys


def columns(path):
    """Name, alternatives and factor of each column with a formula."""
    for line in open(path):
        fields = [f.strip() for f in re.split(r"(?<= )\|(?= |$)", line.removeprefix("-- column:").rstrip("\n"))]
        if line.startswith("-- column:") and len(fields) > 4 and fields[4]:
            names, _, factor = fields[4].partition(" x ")
            yield fields[0], names.split(" or "), float(factor or 1)


def of_key(db, key):
    """Everything that the views reckon for one result: formula, value, keys beside its own, per."""
    place = int(key[2:18], 16), int(key.rpartition("-")[2])
    rows = db.execute("""SELECT n.formula, n.value, coalesce(n.facts, ''), r.per FROM v_result r JOIN v_normalised n USING (result_id)
        WHERE r.entry_key = ? AND r.ordinal = ?""", place).fetchall()
    rows += db.execute("""SELECT v.formula, v.value, coalesce(v.base_key, ''), r.per FROM v_result r JOIN v_scaling v USING (result_id)
        WHERE r.entry_key = ? AND r.ordinal = ? AND r.device IS NOT NULL""", place).fetchall()
    rows += db.execute("""SELECT v.formula, v.value, v.base_key, r.per FROM v_result r JOIN v_rank_scaling v USING (result_id)
        WHERE r.entry_key = ? AND r.ordinal = ?""", place).fetchall()
    rows += db.execute("SELECT 'stated', value, '', per FROM v_result WHERE entry_key = ? AND ordinal = ?", place).fetchall()
    return rows


def at_quote(db, key, formula, price):
    """The value of one result at the reader's own price."""
    place = int(key[2:18], 16), int(key.rpartition("-")[2])
    row = db.execute("""SELECT a.at_one, a.power, r.per FROM v_result r JOIN v_at_price a USING (result_id)
        WHERE r.entry_key = ? AND r.ordinal = ? AND a.formula = ?""", (*place, formula)).fetchone()
    return [(row[0] * price if row[1] == 1 else row[0] / price, row[2], "")] if row else []


def expected(db, keys, names, price):
    """What the results among the keys of a row have under the first of the formulas that they have; what one of them was
    divided by is none of them."""
    found, beside = [], set()
    for key in (k for k in keys if k.startswith("r-")):
        known[key] = known.get(key) or of_key(db, key)
        for name in names if key not in beside else []:
            mine = [(v, per, facts) for f, v, facts, per in known[key] if f == name and set(facts.split()) <= set(keys)]
            if not mine and price and not any(k.startswith("p-") for k in keys):
                mine = at_quote(db, key, name, price)
            if mine:
                found.append(mine[0])
                beside |= set(mine[0][2].split()) - {key}
                break
    return found


known, bad = {}, 0
db = sqlite3.connect(f"file:{sys.argv[3]}?mode=ro", uri=True)
rows = list(csv.DictReader(open(sys.argv[2])))
for column, names, factor in columns(sys.argv[1]):
    cells, pers = 0, {"device": 0, "node": 0, "system": 0}
    for at, row in enumerate(rows):
        keys = row.get("facts_" + column, row.get("facts", "")).split()
        price = row.get("usd_per_device_hour") or row.get("price")
        want = expected(db, keys, names, float(price) if price else None)
        value = statistics.median(v for v, *_ in want) * factor if want else None
        if (row[column] == "") != (value is None) or (value is not None and abs(float(row[column]) - value) > 1e-9 * abs(value)):
            bad += 1
            print(f"row {at + 2}, {column}: {row[column] or 'nothing'}, but {' or '.join(names)} is {value}")
        elif value is not None:
            cells += 1
            for _, per, _ in want:
                pers[per] = pers.get(per, 0) + 1
    print(column, cells, pers["device"], pers["node"], pers["system"])
sys.exit(bad > 0)

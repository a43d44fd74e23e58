#!/usr/bin/env python3
"""view_types.py DATABASE [PATTERN] - has every column of every public view (or those of names like PATTERN) the type by which SQLite compares it with a
quoted number, as Datasette does? And has each view with a date the day, from which SQL counts? Prints the columns that have not; exit 1 if there is one.
"""
import sqlite3
import sys

like = sys.argv[2] if len(sys.argv) > 2 else "v\\_%"
db = sqlite3.connect(sys.argv[1])
bad = columns = 0
for (view,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'view' AND name LIKE ? ESCAPE '\\' ORDER BY 1", (like,)).fetchall():
    db.execute("DROP TABLE IF EXISTS temp.typed")
    db.execute(f"CREATE TEMP TABLE typed AS SELECT * FROM {view} LIMIT 0")  # takes over the types
    found = {name: kind for _, name, kind, *_ in db.execute("PRAGMA temp.table_info(typed)")}
    columns += len(found)
    said = [f"{view}.{name} has no type" for name, kind in found.items() if not kind]
    for name, kind in found.items():
        if kind not in ("", "TEXT"):
            a, b = db.execute(f'SELECT sum("{name}" >= 0), sum("{name}" >= \'0\') FROM (SELECT "{name}" FROM {view} LIMIT 500)').fetchone()
            said += [f"{view}.{name}: {a} are >= 0, {b} are >= '0'"] if a != b else []
    if "date" in found:
        if list(found)[-1] != "day":
            said.append(f"{view} has a date, and does not end with the day")
        else:
            wrong = db.execute(f"SELECT date, day FROM {view} WHERE date IS NOT NULL AND (julianday(day) IS NULL OR length(day) <> 10 OR "
                               "substr(day, 1, min(length(date), 10)) <> substr(date, 1, 10)) LIMIT 1").fetchone()
            said += [f"{view}: {wrong[1]} is no day of {wrong[0]}"] if wrong else []
    bad += len(said)
    print(*said, sep="\n", end="\n" if said else "")
print(f"{columns} columns, {bad} wrong")
sys.exit(bad > 0)

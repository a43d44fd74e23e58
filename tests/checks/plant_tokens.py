#!/usr/bin/env python3
# plant_tokens.py - plants a token of its own into every text of every row: plant_tokens.py FILE.db FORM..., FORM holding %s.
# Of several forms another one each time, begun anywhere.
import itertools
import random
import sqlite3
import sys

path, *forms = sys.argv[1:]
first = random.randrange(len(forms))
form = itertools.cycle(forms[first:] + forms[:first])
db = sqlite3.connect(path)
db.execute("PRAGMA foreign_keys = OFF")
db.execute("PRAGMA ignore_check_constraints = ON")
for (table,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'").fetchall():
    for _, column, kind, *_ in db.execute(f"PRAGMA table_info({table})").fetchall():
        if kind not in ("TEXT", "ANY") or table in ("meta", "column_doc") or (table, column) in (("environment", "body"), ("metric", "metric")):
            continue
        token = f"Zq{table.replace('_', '')}q{column.replace('_', '')}q"
        # what was text stays apart from its neighbours; numbers in text become text as well
        for text, in db.execute(f'SELECT DISTINCT "{column}" FROM "{table}" WHERE typeof("{column}") = \'text\' AND "{column}" <> \'\'').fetchall():
            db.execute(f'UPDATE OR IGNORE "{table}" SET "{column}" = ? WHERE "{column}" = ?', (text + next(form) % token, text))
# the environment: a token in each value, and a key of its own
db.execute("UPDATE environment SET body = json_set(json_patch(body, (SELECT json_group_object(key, value || ?1) FROM json_each(body)"
           " WHERE type = 'text')), '$.my_host', ?2, '$.variables.SLURM_NODELIST', ?3)",
           tuple(next(form) % f"Zqenvironmentq{what}q" for what in ("value", "key", "variable")))
db.commit()

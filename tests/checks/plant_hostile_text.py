#!/usr/bin/env python3
# plant_hostile_text.py - plants what a terminal obeys, what nobody sees and a forged line into every text of a database.
# plant_hostile_text.py FILE.db names: into all rows alike, but not into words that abdb itself gives a meaning.
# plant_hostile_text.py FILE.db all: into every text of each fifth row, another fifth for each column.
import sqlite3
import sys

PLANT = (b" \x1b]0;title\x07\x1b[35m" + "\u009b35m\u202e\u2066\u200b\u00ad\ufeff\u2028\U000e0041\x7f".encode() +
         b"\x9b35m\b\r\nFORGED")
WORDS = set("evidence kind status verified suite system_type division availability round scenario metric statistic unit raw_unit "
            "quantity engine sparsity basis effect test state role spread per currency date valid_from since until dtype sha256 words "
            "imported key value view column column_name benchmark factor scope_factor scope_value a b workload missing better metric_class flags "
            "how tbl idx stat body retrieved published raw_value format measured pair same least_factor others".split())
path, how = sys.argv[1:]
db = sqlite3.connect(path)
db.execute("PRAGMA foreign_keys = OFF")
db.execute("PRAGMA ignore_check_constraints = ON")
planted = 0
for (table,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%'").fetchall():
    columns = [name for _, name, kind, *_ in db.execute(f"PRAGMA table_info({table})") if kind in ("TEXT", "ANY")]
    for i, column in enumerate(columns):
        if table == "meta" or (how == "names" and column in WORDS):
            continue
        where = f'typeof("{column}") = \'text\' AND "{column}" <> \'\''
        if how == "all":
            where += f' AND (length("{column}") + unicode("{column}") + {i}) % 5 = 0'
        try:
            planted += db.execute(f'UPDATE OR IGNORE "{table}" SET "{column}" = CAST("{column}" || CAST(? AS TEXT) AS TEXT) WHERE {where}',
                                  (PLANT,)).rowcount
        except sqlite3.Error as e:
            sys.exit(f"{table}.{column}: {e}")
db.commit()
print(planted)

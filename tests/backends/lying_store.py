#!/usr/bin/env python3
"""lying_store.py - a store of warehouses (stores/protocol.md) that gives what the database $HELD has, but for what $LACKS names: the rows of a TABLE, or those
of TABLE.COLUMN that say a value, as TABLE.COLUMN.VALUE. Of the rows of $CUT the last value is missing; CUT=end: its answers end with no word. It keeps
nothing."""
import os
import sqlite3
import sys

held, lacks = sqlite3.connect(os.environ["HELD"]), os.environ["LACKS"].split(".") + ["", "", ""]
cut = os.environ.get("CUT", "")


def word(value):
    """As in a row of COPY."""
    return "\\N" if value is None else str(value).translate({92: "\\\\", 9: "\\t", 10: "\\n", 13: "\\r"})


for line in sys.stdin:
    ask, *words = line.rstrip("\n").split("\t")
    if ask == "close":
        break
    if ask == "fetch" and words[0] != "sample_row" and words[0] + "." + lacks[1] != lacks[0] + ".":
        where = f"WHERE {lacks[1]} <> '{lacks[2]}'" if words[0] == lacks[0] else ""
        for row in held.execute(f"SELECT {', '.join(words[1:])} FROM {words[0]} {where}"):
            print(*map(word, row[:-1] if words[0] == cut else row), sep="\t")
    print("\\.", "\\N" if cut == "end" else "ok", 1, sep="\t", flush=True)

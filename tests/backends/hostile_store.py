#!/usr/bin/env python3
"""hostile_store.py - a store of warehouses (stores/protocol.md) that gives what the database $HELD has, but for what $WAY names.
tests/cli/hostile.bats says what abdb makes of each way."""
import os
import sqlite3
import subprocess
import sys
import time

way = os.environ["WAY"]
held = sqlite3.connect(os.environ["HELD"])
out = sys.stdout.buffer
escape = "\x1b]0;owned\x07\x1b[2J\u202e"


def word(value):
    """As in a row of COPY."""
    return "\\N" if value is None else str(value).translate({92: "\\\\", 9: "\\t", 10: "\\n", 13: "\\r"})


def flood(chunk, to=1):
    """The same for ever, or until nobody reads."""
    try:
        while True:
            os.write(to, chunk)
    except OSError:
        sys.exit(1)


def row_of(table, columns, row):
    """The row as the way wants it, or as it is."""
    words = [word(value) for value in row]
    if table != "description" or columns[0] == "ordinal":
        return "\t".join(words)
    at = columns.index("kind")
    if way == "short":
        words.pop()
    if way == "long":
        words += ["x"] * 100
    if way == "type":
        words[0] = "12abc"
    if way == "huge":
        words[0] = "99999999999999999999"
    if way == "null":
        words[at] = "\\N"
    if way == "check":
        words[at] = "neither"
    return "\t".join(words)


def fetch(table, *columns):
    if table == "sample_row":
        if way == "array":
            out.write(b"1\t0\t{1}}\t{%s}\t{}\t{}\n" % (b"7" * 1000000))
        if way == "braces":
            out.write(b"1\t0\t{1}}\t{2}\t{3}\t{}\n")
        return
    if table == "description":
        out.flush()
        if way == "line":
            flood(b"x" * 65536)
        if way == "rows":
            flood(b"\n".join(row_of(table, columns, row).encode() for row in held.execute(f"SELECT {', '.join(columns)} FROM description")) + b"\n")
        if way == "drip":
            while True:
                os.write(1, b"x")
                time.sleep(0.1)
        if way == "nul":
            out.write(b"1\t\x002\n")
        if way == "bytes":
            out.write(b"1\t\xff\xfe\n")
    for row in held.execute(f"SELECT {', '.join(columns)} FROM {table}"):
        out.write((row_of(table, columns, row) + "\n").encode())
    if table == "description" and way == "silent":
        out.flush()
        time.sleep(600)
    if table == "description" and way == "middle":
        return "error\t6\tthe rows are over"
    if table == "description" and way == "dies":
        out.write(b"1\t2")
        out.flush()
        os.abort()


if way == "dead":
    sys.exit(3)
if way == "mute":
    time.sleep(600)
if way == "words":
    flood_s = time.monotonic() + 2
    while time.monotonic() < flood_s:
        os.write(2, b"w" * 99 + b"\n")
if way == "screen-words":
    os.write(2, escape.encode() + b"\n")
if way == "leaves":
    subprocess.Popen(["setsid", "sleep", os.environ["MARK"]], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    time.sleep(0.2)
for line in sys.stdin:
    ask, *words = line.rstrip("\n").split("\t")
    if ask == "close":
        if way == "stays":
            time.sleep(600)
        break
    answer = None
    if ask in ("missing", "put", "claim", "copy", "derived") or (ask == "wanted" and words[0] == "where"):
        if way == "deaf":
            time.sleep(600)
        while sys.stdin.readline() != "\\.\n":
            pass
    if ask == "open" and way == "unasked":
        out.flush()
        flood(b"1\t2\n")
    if ask == "open" and way == "screen":
        answer = f"error\t6\t{escape}"
    if ask == "open" and way == "giant":
        answer = "error\t6\t" + "x" * 10000000
    if ask == "open" and way == "status":
        answer = "error\t-1\tno"
    if ask == "wanted" and way == "count":
        answer = "ok\tmany"
    if ask == "missing" and way == "more":
        out.flush()
        flood(b"7\n")
    if ask == "fetch":
        answer = fetch(*words)
    out.write(f"\\.\t{answer or 'ok' + chr(9) + '1'}\n".encode())
    out.flush()

#!/usr/bin/env python3
"""same_rows.py A.csv B.csv - do both hold the same rows, in any order? Numbers agree to nine digits."""
import csv
import re
import sys
from collections import Counter

csv.field_size_limit(sys.maxsize)


def value(text):
    """A field as it is compared: numbers to nine digits but for keys, which are longer; all else as text."""
    if re.fullmatch(r"-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", text, re.I) and not re.fullmatch(r"-?\d{16,}", text):
        return f"{float(text) * (1 + 1e-12):.9g}"  # a last bit that differs decides no tie
    return text


def near(a, b):
    """Do two rows agree but for the last digit that is compared?"""
    for x, y in zip(a, b):
        if x != y:
            try:
                if abs(float(x) - float(y)) > 3e-9 * max(abs(float(x)), abs(float(y))):
                    return False
            except ValueError:
                return False
    return len(a) == len(b)


def rows(path):
    with open(path, newline="", encoding="utf-8") as f:
        return Counter(tuple(map(value, r)) for r in csv.reader(f))


a, b = rows(sys.argv[1]), rows(sys.argv[2])
only_a, only_b = list((a - b).elements()), list((b - a).elements())
for row in list(only_a):
    match = next((r for r in only_b if near(row, r)), None)
    if match is not None:
        only_a.remove(row)
        only_b.remove(match)
for name, only in (("SQLite", only_a), ("PostgreSQL", only_b)):
    if only:
        print(f"{len(only)} rows only in {name}, such as {only[0]}")
print(sum(a.values()))
sys.exit(1 if only_a or only_b else 0)

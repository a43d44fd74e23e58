#!/usr/bin/env python3
"""check_empty_figures.py [--each] FOLDER [VALUE] < lines of "FIGURE OPTIONS": draws each figure from its report without any value in the
columns that it can do without, or with VALUE in all of its numbers (--each: in one column at a time), by a report of the same name in FOLDER, which
stands first in $ABDB_PATH. A figure may say that there is nothing to draw; that gnuplot fails is a mistake of the figure: files of others leave out
what they like. Exit 1 if there is one.
"""
import os
import re
import shlex
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# These have a value in every row of their reports, by what a report is.
ALWAYS = {"mlperf-llm": {"accelerator", "chips", "model", "scenario", "submitter"}, "roofline": {"kind"}, "samples": {"seq", "median_ms"}}


def read(*parts):
    with open(os.path.join(ROOT, *parts), encoding="utf-8") as file:
        return file.read()


def figure(name):
    """Its head, and its commands with those of the one that it is like."""
    text = read("plots/figures", name + ".gp")
    head = dict(re.findall(r"^# (\w+): (.*)$", text, re.M))
    if "like" not in head:
        return head, text
    other, more = figure(head["like"])
    return {**other, **head}, more + text


def changed(report, columns, all_columns, value="NULL"):
    """The report with NULL, or that value, in those columns."""
    rows = re.search(r"^-- @rows\n(.*?)(?=^-- @|\Z)", report, re.M | re.S) or re.search(r"^(?!--)(.*)\Z", report, re.M | re.S)
    body = rows.group(1).rstrip().rstrip(";")
    hidden = dict.fromkeys(re.findall(r"\bAS (_\w+)", body))
    names = [f'{value} AS "{c}"' if c in columns else f'"{c}"' for c in all_columns] + list(hidden)
    return f"{report[:rows.start(1)]}SELECT {', '.join(names)} FROM ({body});\n{report[rows.end(1):]}"


def main():
    each, (folder, value) = "--each" in sys.argv, ([a for a in sys.argv[1:] if a != "--each"] + ["NULL"])[:2]
    os.makedirs(os.path.join(folder, "reports"), exist_ok=True)
    env, bad, drawn = dict(os.environ, ABDB_PATH=folder), 0, 0
    for line in sys.stdin:
        name, *options = shlex.split(line)
        head, commands = figure(name)
        report = read("query/reports", head["report"] + ".sql")
        columns = re.findall(r"^-- column: (\w+)", report, re.M)
        columns_read = [c for c in columns if re.search(rf"\bc_{c}\b", commands)]
        if value == "NULL":
            needed = head.get("needs", "").replace(">0", "").split()
            spare = [c for c in columns_read if c not in needed and c not in ALWAYS.get(name, ())]
        else:  # those that the figure reads as numbers
            numbers = subprocess.run(["abdb", "plot", name, "--script", *options], capture_output=True, text=True, env=env, check=True).stdout
            spare = [c for c in columns_read if f"\nmin_{c} = " in numbers and name not in ALWAYS]
        for some in [[c] for c in spare] if each or not spare else [spare]:
            path = os.path.join(folder, "reports", head["report"] + ".sql")
            with open(path, "w", encoding="utf-8") as file:
                file.write(changed(report, some, columns, value))
            done = subprocess.run(["abdb", "plot", name, "--out", os.path.join(folder, "empty.svg"), *options], capture_output=True, text=True, env=env, check=False)
            os.remove(path)
            drawn += done.returncode == 0
            if done.returncode and "nothing to draw" not in done.stderr:
                bad += 1
                print(f"{name} with {value} as {' '.join(some)}: exit {done.returncode}: {done.stderr.strip()[:300]}")
    print(f"{drawn} drawn, {bad} not")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/env python3
"""spellings.py - one number, one fact, however it is spelled.

    spellings.py ABDB FIXTURES FOLDER

For each numeric column of each fixture the column's numbers are written plainly, and in other spellings, and both files are imported. Every
spelling must store the numbers that the plain one stores, under the same keys, or be refused: no other number may appear. Prints a line for
each column where that is not so, and last how many were tried. A column is one of a CSV or markdown table, a path in JSON, or a place in
the lines of a console.
"""
import collections
import csv
import io
import json
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys

ABDB, FIXTURES, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][-+]?\d+)?$")
# Of a whole number and of one with a fraction: the plain spelling, and others. "1,024" is doubtful where it is no count.
WHOLE = ("1024", ["1,024", "1.024e3", "+1024", "01024", "1024.0", "102400e-2"])
FRACTION = ("1024.5", ["1,024.5", "1.0245e3", "1.024,5", "+1024.5", "01024.50", "1024,5"])
EACH = 2  # so many of them for a column, another one for the next
# One file of each importer; others have more of the same.
PASSED = ("figures", "fleet", "promises", "standing", "withdrawn", "questions", "traps", "per")
# What a format wants to hear, as import.bats says it.
SETTINGS = {
    "catalog.csv": ["provider=acme", "devices=8"],
    "mlperf_detail.txt": ["model=llama", "device=X", "round=v5.0"],
    "mlperf_summary.txt": ["model=llama", "device=X", "round=v5.0"],
    "results.csv": [], "nccl_tests.out": ["device=X"], "osu.txt": ["device=X", "devices=2"],
}
# Where the numbers of facts are.
TABLES = {
    "description": "devices nodes", "result_row": "value x n low high", "point_factor": "num", "sample_row": "value t_s",
    "spec": "value power_limit", "price": "amount devices", "device": "dies year", "span": "calls time_s ops bytes_B",
    "model": "accuracy_target parameters parameters_active layers hidden_size heads kv_heads vocabulary", "alias": "share",
    "telemetry": "value t_s", "claim": "stated upper coefficient offset",
}
WORDS = ("SELECT group_concat(w, char(10)) FROM (SELECT printf('%s|%s|%s|%s|%s|%s|%s', evidence, source, workload, model, device, scenario, dtype)"
         " || printf('|%s|%s|%s|%s|%s|%s|%s', round, submitter, system, public_id, verified, tag, reason) w FROM description ORDER BY w)")


def columns_of_csv(text, delimiter):
    rows = [line for line in csv.reader(io.StringIO(text), delimiter=delimiter)]
    places = collections.defaultdict(list)
    for r, row in enumerate(rows[1:], 1):
        for c, cell in enumerate(row):
            if NUMBER.match(cell.strip().replace(",", "")):
                places[rows[0][c].strip() + f" ({c})" if c < len(rows[0]) else str(c)].append((r, c, cell))

    def write(where, spelled):
        copy = [list(row) for row in rows]
        for r, c, _ in where:
            copy[r][c] = spelled
        out = io.StringIO()
        csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows(copy)
        return out.getvalue()

    return places, write


def columns_of_json(text):
    """Of a document, or of JSON lines; a spelling takes the place of the number as a string."""
    try:
        documents, lines = [json.loads(text)], False
    except ValueError:
        documents, lines = [], True
        for line in text.splitlines():
            try:
                documents.append(json.loads(line))
            except ValueError:
                documents.append(line)
    places = collections.defaultdict(list)

    def walk(value, path, name):
        if isinstance(value, dict):
            for key, part in value.items():
                walk(part, path + (key,), f"{name}.{key}")
        elif isinstance(value, list):
            for i, part in enumerate(value):
                walk(part, path + (i,), f"{name}[]")
        elif not isinstance(value, bool) and isinstance(value, (int, float)) or isinstance(value, str) and NUMBER.match(value):
            places[name].append((path, None, str(value)))

    for i, document in enumerate(documents):
        if not isinstance(document, str):
            walk(document, (i,), "")

    def write(where, spelled):
        copy = json.loads(json.dumps(documents))
        for path, _, _ in where:
            at = copy
            for step in path[:-1]:
                at = at[step]
            at[path[-1]] = spelled
        return "\n".join(d if isinstance(d, str) else json.dumps(d) for d in copy) + "\n" if lines else json.dumps(copy[0])

    return places, write


def columns_of_lines(text, separator):
    """Words between blanks, or cells between bars: the same word of lines with the same number of words."""
    lines = text.split("\n")
    cut = [re.split(r"(\|)" if separator == "|" else r"(\s+)", line) for line in lines]
    places = collections.defaultdict(list)
    for r, words in enumerate(cut):
        numbers = [w for w in words if NUMBER.match(w.strip())]
        if len(numbers) < 2 and separator != "|":
            continue
        for c, word in enumerate(words):
            if NUMBER.match(word.strip()):
                places[f"word {c} of {len(words)}"].append((r, c, word))

    def write(where, spelled):
        copy = [list(words) for words in cut]
        for r, c, word in where:
            copy[r][c] = word.replace(word.strip(), spelled)
        return "\n".join("".join(words) for words in copy)

    return places, write


def read(name, text, setting):
    """What an import of the text makes: numbers, words, keys, whether something was refused or left out."""
    folder = FOLDER / "one"
    folder.mkdir(exist_ok=True)
    for old in folder.iterdir():
        old.unlink()
    (folder / name).write_text(text)
    db = folder / "t.db"
    shutil.copy(FOLDER / "new.db", db)
    command = [ABDB, "import", str(folder / name), "--db", str(db)]
    for word in setting:
        command += ["--set", word]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=60)
    if ran.returncode not in (0, 2, 5, 6):
        raise SystemExit(f"{name}: exit {ran.returncode}: {ran.stderr}")
    numbers, keys, words = collections.Counter(), [], ""
    with sqlite3.connect(db) as link:
        for table, columns in TABLES.items():
            for column in columns.split():
                for (value,) in link.execute(f'SELECT "{column}" FROM {table} WHERE "{column}" IS NOT NULL'):
                    numbers[table, column, float(value)] += 1
        keys = [link.execute("SELECT description_key FROM description ORDER BY 1").fetchall(),
                link.execute("SELECT entry_key FROM entry_row WHERE coalesce(origin, 0) <= 0 ORDER BY 1").fetchall(),
                link.execute("SELECT spec_key FROM spec ORDER BY 1").fetchall(),
                link.execute("SELECT price_key FROM price ORDER BY 1").fetchall()]
        words = str(link.execute(WORDS).fetchall()) + str(link.execute("SELECT factor, state, text FROM point_factor ORDER BY 1, 2, 3").fetchall())
        refused = ran.returncode != 0 or "left out" in ran.stdout or link.execute("SELECT count(*) FROM reject").fetchone()[0] > 0
    link.close()
    return numbers, keys, words, refused


def faults(plain, spelled):
    if plain[0] - spelled[0] and not spelled[3] and any(place[0] != "point_factor" for place in plain[0] - spelled[0]):
        yield f"loses {list((plain[0] - spelled[0]))[:2]} without a word"
    more = [place for place in spelled[0] - plain[0]]
    if more:
        yield f"stores {more[:2]}"
    if plain[0] == spelled[0] and plain[2] == spelled[2] and plain[1] != spelled[1]:
        yield "has other keys"


def columns_of(path, text):
    if path.suffix == ".csv":
        return columns_of_csv(text, ",")
    if path.suffix in (".json", ".jsonl"):
        return columns_of_json(text)
    return columns_of_lines(text, "|" if path.suffix == ".md" or "| " in text else " ")


def main():
    tried = accepted = number = 0
    subprocess.run([ABDB, "init", "--db", str(FOLDER / "new.db")], check=True, capture_output=True)
    for path in sorted(FIXTURES.iterdir()):
        if path.suffix not in (".csv", ".json", ".jsonl", ".txt", ".out", ".log", ".md") or path.stem in PASSED:
            continue
        text = path.read_text()
        places, write = columns_of(path, text)
        for column, where in places.items():
            if column.endswith(".raw_value"):
                continue  # a word beside the number that was read from it
            whole = all(re.match(r"-?\d+$", cell.strip()) for _, _, cell in where)
            plain_text, others = WHOLE if whole else FRACTION
            plain = read(path.name, write(where, plain_text), SETTINGS.get(path.name, []))
            if not any(place[2] in (1024, 1024.5) or place[2] % 1024 == 0 for place in plain[0]):
                continue  # no number of a fact
            number += 1
            for other in [others[0]] + [others[1 + (number * 2 + i) % (len(others) - 1)] for i in range(EACH - 1)]:
                spelled = read(path.name, write(where, other), SETTINGS.get(path.name, []))
                tried += 1
                accepted += plain[0] == spelled[0]
                for fault in faults(plain, spelled):
                    print(f"{path.name}: {column}: {other} for {plain_text} {fault}")
    print(f"{tried} spellings tried, {accepted} read")


main()

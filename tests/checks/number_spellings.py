#!/usr/bin/env python3
"""number_spellings.py - one number, one fact, however it is spelled.

    number_spellings.py ABDB FIXTURES FOLDER

For each numeric column of each fixture the column's numbers are written plainly, and in other spellings, and all files are imported. Every
spelling must store the numbers that the plain one stores, under the same keys, or be refused: no other number may appear. Prints a line for
each column where that is not so, and last how many were tried. A column is one of a CSV or markdown table, a path in JSON, or a place in
the lines of a console.
"""
import collections
import concurrent.futures
import contextlib
import csv
import hashlib
import io
import json
import os
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys

ABDB, FIXTURES, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][-+]?\d+)?$")
# Of a whole number and of one with a fraction: the plain spelling, and others. "1,024" is doubtful where it is no count, DAMAGED is no number.
DAMAGED = "1.02.4"
WHOLE = ("1024", ["1,024", DAMAGED, "1.024e3", "+1024", "01024", "1024.0", "102400e-2", "1\u2019024", "1\u202f024"])
FRACTION = ("1024.5", ["1,024.5", DAMAGED, "1.0245e3", "1.024,5", "+1024.5", "01024.50", "1024,5", "1'024.5", "1\u00a0024,5"])
THOROUGH = "THOROUGH" in os.environ  # all of them for each column; else the first two, and another one for each next column
VERBOSE = "VERBOSE" in os.environ  # counts for each fixture, on standard error
# One file of each importer; others have more of the same.
PASSED = ("figures", "fleet", "promises", "standing", "withdrawn", "questions", "traps", "per")
# What a format wants to hear, as import.bats says it.
SETTINGS = {
    "catalog.csv": ["provider=acme", "devices=8"],
    "mlperf_detail.txt": ["model=llama", "device=X", "round=v5.0"],
    "mlperf_summary.txt": ["model=llama", "device=X", "round=v5.0"],
    "dcgm_dmon.log": ["workload=burn"],
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
         " || printf('|%s|%s|%s|%s|%s|%s|%s', round, submitter, system, public_id, verified, tag, reason) w FROM description"
         " WHERE description_id IN (SELECT description_id FROM entry_row WHERE entry_id IN said) ORDER BY w)")


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
        return "\n".join(d if isinstance(d, str) else json.dumps(d) for d in copy) + "\n" if lines else json.dumps(copy[0], indent=1)

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


LABELLED = re.compile(r"""(?<=[:=,( ])(?P<quote>['"]?)(?P<number>-?\d+(\.\d+)?([eE][-+]?\d+)?)(?P=quote)(?=$|[\s,)}%])""")


def columns_of_labels(text):
    """Numbers behind a name in a line, "Mean latency (ns) : 506696", 'Watts,100.0' or "value": 5. Those of the same words before them are
    a column. In JSON the spelling is quoted; between commas one with a comma would be two cells, and stays plain."""
    lines = text.split("\n")
    places = collections.defaultdict(list)
    for r, line in enumerate(lines):
        for match in LABELLED.finditer(line):
            places[re.sub(r"[-\d.:]*\d", "#", line[:match.start()])[-70:]].append((r, match.span(), match["number"]))

    def write(where, spelled):
        copy = list(lines)
        for r, (start, end), number in sorted(where, key=lambda place: place[1], reverse=True):
            line = copy[r]
            new = line[start:end].replace(number, spelled)
            if new == spelled and re.search(r"""['"]: $""", line[:start]):
                new = f"{line[:start].rstrip()[-2]}{spelled}{line[:start].rstrip()[-2]}"
            elif "," in spelled and (line[:start] + " ")[-2:].strip() == ",":
                continue
            copy[r] = line[:start] + new + line[end:]
        return "\n".join(copy)

    return places, write


# The parts of an entry, by the entries of an artifact; and what is no part of an entry, whichever file of a database gave it.
PARTS = {
    "description": "description WHERE description_id IN (SELECT description_id FROM entry_row WHERE entry_id IN said)",
    "result_row": "result_row WHERE entry_id IN said",
    "point_factor": "point_factor WHERE point_id IN (SELECT point_id FROM entry_row WHERE entry_id IN said)",
    "sample_row": "sample_row s JOIN result_row r ON s.sample_id BETWEEN r.first_sample AND r.last_sample WHERE r.entry_id IN said",
    "span": "span WHERE entry_id IN said",
    "telemetry": "telemetry WHERE entry_id IN said",
}
FACTS = [table for table in TABLES if table not in PARTS]


def import_files(db, paths, setting):
    """Imports files into a copy of the new database. Returns the lines of the report, by path."""
    shutil.copy(FOLDER / "new.db", db)
    command = [ABDB, "import", *map(str, paths), "--db", str(db)]
    for word in setting:
        command += ["--set", word]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=300)
    if ran.returncode not in (0, 2, 5, 6):
        raise SystemExit(f"{paths[0]}: exit {ran.returncode}: {ran.stderr}")
    lines = ran.stdout.splitlines()
    return {path: [line for line in lines if line.startswith(f"{path}: ")] for path in paths}


def count_facts(link):
    return [link.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in FACTS]


def read_artifact(link, text, report, facts):
    """What the file of that text said: numbers, keys, words, and whether something was refused or left out."""
    found = link.execute("SELECT artifact_id FROM artifact WHERE sha256 = ?", (hashlib.sha256(text.encode()).hexdigest(),)).fetchone()
    link.execute("DELETE FROM said")
    if found:
        link.execute("INSERT INTO said SELECT DISTINCT entry_id FROM witness WHERE artifact_id = ?", found)
    numbers = collections.Counter()
    for table, columns in TABLES.items():
        if table in FACTS and not facts:
            continue
        for column in columns.split():
            name = f's."{column}"' if table == "sample_row" else f'"{column}"'
            for (value,) in link.execute(f"SELECT {name} FROM {PARTS.get(table, table)}"):
                if value is not None:
                    numbers[table, column, float(value)] += 1
    keys = [link.execute("SELECT description_key FROM " + PARTS["description"] + " ORDER BY 1").fetchall(),
            link.execute("SELECT entry_key FROM entry_row WHERE coalesce(origin, 0) <= 0 AND entry_id IN said ORDER BY 1").fetchall()]
    if facts:
        keys += [link.execute(f"SELECT {table}_key FROM {table} ORDER BY 1").fetchall() for table in ("spec", "price")]
    words = str(link.execute(WORDS).fetchall())
    words += str(link.execute("SELECT factor, state, text FROM " + PARTS["point_factor"] + " ORDER BY 1, 2, 3").fetchall())
    refused = not found or any("left out" in line for line in report)
    refused = refused or link.execute("SELECT count(*) FROM reject WHERE artifact_id = ?", found).fetchone()[0] > 0
    return numbers, keys, words, refused


def read_texts(path, texts):
    """What each text, a variant of the fixture, makes. Entries have artifacts, so one import reads all texts; where there are other
    facts, each text has a database of its own."""
    folder = FOLDER / path.stem / path.suffix[1:]
    files = []
    for i, text in enumerate(texts):
        (folder / str(i)).mkdir(parents=True)
        files.append(folder / str(i) / path.name)
        files[-1].write_text(text)
    setting, db = SETTINGS.get(path.name, []), folder / "t.db"

    def open_db():
        link = sqlite3.connect(db)
        link.execute("CREATE TEMP TABLE said (entry_id INTEGER PRIMARY KEY)")
        return link

    with contextlib.closing(sqlite3.connect(FOLDER / "new.db")) as link:
        empty = count_facts(link)
    import_files(db, files[:1], setting)
    with contextlib.closing(open_db()) as link:
        facts = count_facts(link) != empty
    if facts:
        for text, file in zip(texts, files):
            report = import_files(db, [file], setting)
            with contextlib.closing(open_db()) as link:
                yield read_artifact(link, text, report[file], True)
        return
    report = import_files(db, files, setting)
    with contextlib.closing(open_db()) as link:
        for text, file in zip(texts, files):
            yield read_artifact(link, text, report[file], False)


def faults(plain, spelled, known):
    if plain[0] - spelled[0] and not spelled[3] and any(place[0] != "point_factor" for place in plain[0] - spelled[0]):
        yield f"loses {list((plain[0] - spelled[0]))[:2]} without a word"
    more = list(spelled[0] - plain[0] - known)
    if more:
        yield f"stores {more[:2]}"
    if plain[0] == spelled[0] and plain[2] == spelled[2] and plain[1] != spelled[1]:
        yield "has other keys"


def columns_of(path, text):
    if path.suffix == ".csv":
        return columns_of_csv(text, ",")
    if path.suffix in (".json", ".jsonl"):
        return columns_of_json(text)
    if path.stem.startswith("mlperf"):
        return columns_of_labels(text)
    return columns_of_lines(text, "|" if path.suffix == ".md" or "| " in text else " ")


def list_cases(path):
    """A column, the plain spelling, another one, and both texts."""
    text = path.read_text()
    places, write = columns_of(path, text)
    for number, (column, where) in enumerate(places.items()):
        if column.endswith(".raw_value"):
            continue  # a word beside the number that was read from it
        whole = all(re.match(r"-?\d+$", cell.strip()) for _, _, cell in where)
        plain, others = WHOLE if whole else FRACTION
        rest = others[2:] if THOROUGH else [others[2 + number % (len(others) - 2)]]
        for other in others[:2] + rest:
            yield column, plain, other, write(where, plain), write(where, other)


def check_fixture(path):
    """Faults of the spellings of a fixture; how many were tried, and how many of them were read as the plain one is."""
    cases = list(list_cases(path))
    texts = list(dict.fromkeys([path.read_text()] + [text for case in cases for text in case[3:]]))
    made = dict(zip(texts, read_texts(path, texts)))
    found, tried, read = [], 0, 0
    for column, plain, other, plain_text, other_text in cases:
        wanted, got = made[plain_text], made[other_text]
        if not wanted[0] - made[texts[0]][0]:
            continue  # no number of a fact
        tried += 1
        read += wanted[0] == got[0]
        # What the file says elsewhere may take the place of a damaged number: nccl-tests has a line for each rank, beside its number.
        known = made[texts[0]][0] if other == DAMAGED else collections.Counter()
        found += [f"{path.name}: {column}: {other} for {plain} {fault}" for fault in faults(wanted, got, known)]
    return found, tried, read


def main():
    subprocess.run([ABDB, "init", "--db", str(FOLDER / "new.db")], check=True, capture_output=True)
    suffixes = (".csv", ".json", ".jsonl", ".txt", ".out", ".log", ".md")
    paths = [path for path in sorted(FIXTURES.iterdir()) if path.suffix in suffixes and path.stem not in PASSED]
    tried = read = 0
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for path, (found, one_tried, one_read) in zip(paths, pool.map(check_fixture, paths)):
            print("".join(line + "\n" for line in found), end="")
            if VERBOSE:
                print(f"{path.name}: {one_tried} tried, {one_read} read", file=sys.stderr)
            tried += one_tried
            read += one_read
    print(f"{tried} spellings tried, {read} read")


main()

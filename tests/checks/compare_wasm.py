#!/usr/bin/env python3
"""compare_wasm.py - 200 commands by abdb.wasm in one process of node and by the program: the same output, errors and exit codes?
compare_wasm.py DATABASE ABDB.WASM TRY-WASI.JS, in the database's folder; prints what differs, and how many commands were compared.

Tables are compared byte for byte. JSON and CSV may differ in the last digits of a number, because long double and libm are others: by 1e-12."""
import collections
import json
import os
import pathlib
import re
import subprocess
import sys

DATABASE, WASM, WASI = sys.argv[1:4]
PAGES = pathlib.Path(__file__).parent.parent / "pages"
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")


def program(*words):
    run = subprocess.run(["abdb", *words], capture_output=True, check=False, stdin=subprocess.DEVNULL)
    return run.returncode, run.stdout.decode(), run.stderr.decode()


def rows(sql):
    return json.loads(program("query", sql, "-o", "json")[1])


def spread(items, count):
    """So many of them, from the first to the last."""
    return items if len(items) <= count else [items[i * len(items) // count] for i in range(count)]


def commands():
    """Every report, and what is in the database for the verbs that take names of it: more of it in make soak."""
    more = 4 if os.environ.get("THOROUGH") else 1
    reports = [r["report"] for r in json.loads(program("query", "--all", "-o", "json")[1])]
    for i, name in enumerate(reports):
        yield ["query", name, *([], ["-o", "json"], ["-o", "csv"])[i % 3]]
        if i % 2:
            yield ["query", "--sql", name]
    cells = rows("SELECT workload, model, scenario, group_concat(DISTINCT device) AS devices, count(DISTINCT device) AS n FROM v_comparable"
                 " WHERE model IS NOT NULL AND scenario IS NOT NULL GROUP BY 1, 2, 3 HAVING n > 1 ORDER BY n DESC, 1, 2, 3")
    for i, cell in enumerate(spread(cells, 11 * more)):
        devices = sorted(cell["devices"].split(","))
        where = f"model={cell['model']},scenario={cell['scenario']}"
        form = ([], ["-o", "csv"], ["--exploratory"], ["-o", "json"])[i % 4]
        yield ["compare", devices[0], devices[-1], "--where", where, *form]
        yield ["rank", where, *([], ["--per", "device"], ["-o", "json"])[i % 3]]
        yield ["choose", cell["model"], cell["scenario"], "--rate", f"{10 ** (2 + i % 4)}/s", *([], ["-o", "json"])[i % 2]]
    for i, key in enumerate(spread(rows("SELECT key FROM v_result ORDER BY key"), 6 * more) + spread(rows("SELECT key FROM v_statement ORDER BY key"), 5 * more)):
        yield ["explain", key["key"], *([], ["-o", "json"])[i % 2]]
    for device in spread(rows("SELECT DISTINCT device FROM v_statement WHERE device IS NOT NULL ORDER BY 1"), 4 * more):
        yield ["query", "specs", "--device", device["device"]]
    for sql in ("SELECT device, count(*) AS n FROM v_result GROUP BY device ORDER BY 2 DESC, 1", "SELECT nothing FROM v_result", "SELECT 1/3.0, 1e300*10, 'ä\u202e\x1b[31m'",
                "SELECT upper(name) FROM pragma_table_info('v_result')", "SELECT key, value FROM v_result ORDER BY key LIMIT 40", "DELETE FROM result", "SELECT 1; SELECT 2",
                "SELECT load_extension('x')", "SELECT round(exp(1), 9), log2(10), abs(-7), median(value) FROM v_result", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000) SELECT sum(i) FROM n"):
        for form in ([], ["-o", "json"]):
            yield ["query", sql, *form]
    for verb in re.findall(r"^  ([a-z-]+) ", program("help")[1], re.M):
        if verb != "import":  # lists the formats, which abdb.wasm does not read
            yield ["help", verb]
    yield from (["version"], ["help"], ["audit"], ["query"], ["query", "--schema", "v_result"], ["query", "--functions"], ["query", "--search", "price"],
                ["why", "B200-SXM", "MI355X"], ["no-such-verb"], ["query", "no-such-report"], ["query", "specs", "--no-such-option"], ["rank"], ["compare", "device=None-Such", "H100-SXM"],
                ["explain", "r-0"], ["query", "specs", "--db", "absent.db"], ["compare", "round=9", "x"], ["query", "specs", "-o", "nonsense"], ["query", "--file", "absent.sql"],
                ["choose", "llama2-70b-99", "Offline", "--rate", "x"], ["query", "--sql", "specs"], ["query", "specs", "-o", "html"], ["query", "specs", "-o", "markdown"])


def near(a, b):
    """The same texts, numbers to 1e-12."""
    if NUMBER.sub("#", a) != NUMBER.sub("#", b):
        return False
    return all(x == y or abs(float(x) - float(y)) <= 1e-12 * abs(float(y)) for x, y in zip(NUMBER.findall(a), NUMBER.findall(b)))


def main():
    asked = list(commands())
    pathlib.Path("commands.json").write_text(json.dumps(asked), encoding="utf-8")
    # beside each other: a processor each
    with subprocess.Popen(["node", PAGES / "run_wasm.js", WASM, WASI, DATABASE, "commands.json"], stdout=subprocess.PIPE, env={**os.environ, "ABDB_DB": DATABASE}) as node:
        ours = [program(*words) for words in asked]
        theirs = [tuple(json.loads(line)) for line in node.stdout]
    assert node.returncode == 0 and len(theirs) == len(asked), (node.returncode, len(theirs), len(asked))
    bad, codes = 0, collections.Counter()
    for words, native, wasm in zip(asked, ours, theirs):
        codes[native[0]] += 1
        loose = "json" in words or "csv" in words
        if native == wasm or (loose and native[0] == wasm[0] and native[2] == wasm[2] and near(native[1], wasm[1])):
            continue
        bad += 1
        print(f"{words}: {native[0]} {wasm[0]}\n  program: {native[1][:300]!r} {native[2][:300]!r}\n  wasm:    {wasm[1][:300]!r} {wasm[2][:300]!r}")
    print(f"{len(asked)} commands, {bad} differ; exit codes {dict(sorted(codes.items()))}")
    return bad > 0 or len(asked) < 200 or codes[0] < 100


sys.exit(main())

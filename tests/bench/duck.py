# duck.py - DuckDB's time for plain SQL that SQLite runs too, on the same rows of the same tables; a peer only. Usage: duck.py
# million.db RUNS. The rows are copied into DuckDB's own format first; both read from disk that is in memory by then.
import sqlite3
import statistics
import sys
import tempfile
import time

import duckdb

path, runs = sys.argv[1], int(sys.argv[2])
tables = ["entry", "result", "sample", "point_factor", "device", "model", "source"]
queries = [
    ("results by evidence and source", "SELECT e.evidence, e.source, count(*) FROM entry e JOIN result r ON r.entry_id = e.entry_id GROUP BY 1, 2"),
    ("best rate of each device on one benchmark", "SELECT e.device, max(r.value / e.devices) FROM entry e JOIN result r ON r.entry_id = e.entry_id"
     " WHERE e.model = 'llama2-70b-99' AND r.metric = 'tokens_per_s' GROUP BY 1"),
    ("one round, best of each device and scenario", "SELECT e.model, e.scenario, e.device, max(r.value / e.devices), count(*) FROM entry e"
     " JOIN result r ON r.entry_id = e.entry_id WHERE e.round = 'v6.0' AND r.metric = 'tokens_per_s' GROUP BY 1, 2, 3"),
    ("one command of abdb run", "SELECT e.cell, r.value FROM entry e JOIN result r ON r.entry_id = e.entry_id WHERE e.campaign = 'c-1234' AND r.metric = 'time_s'"),
    ("results that have a factor", "SELECT e.device, count(*) FROM entry e JOIN point_factor p ON p.point_id = e.point_id"
     " WHERE p.factor = 'n' AND p.num = 42 GROUP BY 1"),
    ("mean of every sample", "SELECT count(*), avg(value) FROM sample"),
    ("mean and extremes of the samples of each machine", "SELECT e.device, avg(s.value), min(s.value), max(s.value) FROM entry e"
     " JOIN sample s ON s.entry_id = e.entry_id WHERE e.evidence = 'measured' GROUP BY 1"),
]


def median_ms(run):
    times = []
    for _ in range(runs):
        start = time.perf_counter()
        rows = run()
        times.append(1000 * (time.perf_counter() - start))
    return statistics.median(times), rows


def rows_equal(a, b):
    key = lambda row: [str(x) for x in row if not isinstance(x, float)]
    a, b = sorted(a, key=key), sorted(b, key=key)
    return len(a) == len(b) and all(
        x == y or (isinstance(x, float) and abs(x - y) <= 1e-9 * abs(x)) for r, s in zip(a, b) for x, y in zip(r, s))


lite = sqlite3.connect(path)
with tempfile.TemporaryDirectory() as folder:
    duck = duckdb.connect(folder + "/peer.duckdb")
    for table in tables:
        kinds = {"INTEGER": "BIGINT", "REAL": "DOUBLE", "TEXT": "VARCHAR"}
        # a view says no type of what it computes: that of a value
        value = f"SELECT typeof({{0}}) FROM {table} WHERE {{0}} IS NOT NULL LIMIT 1"
        columns = [(c[1], kinds.get(c[2] or (lite.execute(value.format(c[1])).fetchone() or ["text"])[0].upper(), "VARCHAR"))
                   for c in lite.execute(f"PRAGMA table_info({table})").fetchall()]
        csv = f"{folder}/{table}.csv"
        import csv as writer
        with open(csv, "w", newline="") as out:
            writer.writer(out).writerows(lite.execute(f"SELECT * FROM {table}"))
        duck.execute(f"CREATE TABLE {table} ({', '.join(f'{chr(34)}{n}{chr(34)} {k}' for n, k in columns)})")
        duck.execute(f"COPY {table} FROM '{csv}' (HEADER false, NULLSTR '')")
    print(f"The same SQL on the same rows: SQLite {sqlite3.sqlite_version} and DuckDB {duckdb.__version__}, median of {runs}\n")
    print("| plain SQL | SQLite ms | DuckDB ms | DuckDB / SQLite | same rows |\n|---|---|---|---|---|")
    for name, sql in queries:
        a, rows = median_ms(lambda: lite.execute(sql).fetchall())
        b, peer = median_ms(lambda: duck.execute(sql).fetchall())
        print(f"| {name} | {a:.1f} | {b:.1f} | {b / a:.2f} | {'yes' if rows_equal(rows, peer) else 'NO'} |")

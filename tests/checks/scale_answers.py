#!/usr/bin/env python3
"""scale_answers.py ENGINE TARGET [QUESTION.sql...] - the answers of one engine to the questions of schema/scale, as lines that can be compared.

sqlite FILE, postgresql CONNINFO, duckdb DIR, spark DIR (a folder that parquet.sql was run in; MASTER: of Spark, local-cluster with two
workers as it comes). A number stands as Python prints the double that it is: all its bits. TIMES: a file to which the seconds of each
question are added.
"""
import csv
import glob
import io
import os
import re
import subprocess
import sys
import time

here = os.path.dirname(os.path.abspath(__file__))
scale = f"{here}/../../schema/scale"


def shown(value):
    """One value, the same whatever type an engine gives it; NULL as ~."""
    if value is None:
        return "~"
    text = str(value)
    if isinstance(value, (int, float)) or re.fullmatch(r"-?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", text, re.I):
        number = float(text)
        return str(int(text)) if abs(number) >= 2**53 and re.fullmatch(r"-?\d+", text) else repr(number)
    return text.replace("\\", "\\\\").replace("\n", "\\n").replace("\t", "\\t")


def sqlite(target):
    import sqlite3

    db = sqlite3.connect(f"file:{target}?mode=ro", uri=True)
    return lambda sql: db.execute(sql).fetchall()


def postgresql(target):
    def ask(sql, path="abdb"):
        script = f"\\set QUIET on\nSET search_path = {path}, public; SET jit = off;\n\\copy ({' '.join(sql.split())}) TO STDOUT (FORMAT csv, NULL '~')\n"
        done = subprocess.run(["psql", "-X", "-v", "ON_ERROR_STOP=1", target], input=script, text=True, capture_output=True)
        if done.returncode and os.environ.get("CITUS") and path == "abdb": # what it cannot spread it answers of gathered rows
            print("gathered", file=sys.stderr)
            return ask(sql, "abdb_whole, abdb")
        if done.returncode:
            raise SystemExit(done.stderr)
        return [[None if v == "~" else v for v in row] for row in csv.reader(io.StringIO(done.stdout))]

    return ask


def duckdb(target):
    import duckdb as engine

    os.chdir(target)
    db = engine.connect()
    db.execute(open(f"{scale}/duckdb.sql").read())
    return lambda sql: db.execute(sql).fetchall()


def spark(target):
    import pyspark
    from pyspark.sql import SparkSession

    os.chdir(target)
    os.environ["SPARK_HOME"] = os.path.dirname(pyspark.__file__)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    session = (SparkSession.builder.master(os.environ.get("MASTER", "local-cluster[2,1,1024]")).appName("abdb")
               .config("spark.executor.memory", "1g").config("spark.ui.enabled", "false").config("spark.driver.host", "127.0.0.1")
               .config("spark.driver.bindAddress", "127.0.0.1").config("spark.sql.shuffle.partitions", "4")
               .config("spark.sql.session.timeZone", "UTC").getOrCreate())
    session.sparkContext.setLogLevel("ERROR")
    for statement in statements(open(f"{scale}/spark.sql").read()):
        session.sql(statement)
    executors = session.sparkContext._jsc.sc().getExecutorMemoryStatus().size() - 1
    print(f"spark {session.version}, executors: {executors}", file=sys.stderr)
    return lambda sql: [tuple(row) for row in session.sql(sql).collect()]


def statements(text):
    return [s.strip() for s in re.sub(r"^\s*--.*$", "", text, flags=re.M).split(";") if s.strip()]


def main():
    name, target, *questions = sys.argv[1:]
    questions = [os.path.abspath(q) for q in questions] or sorted(glob.glob(f"{scale}/questions/*.sql"))
    ask = {"sqlite": sqlite, "postgresql": postgresql, "duckdb": duckdb, "spark": spark}[name](target)
    for question in questions:
        (sql,) = statements(open(question).read())
        start = time.monotonic()
        rows = ask(sql)
        seconds = time.monotonic() - start
        if os.environ.get("TIMES"):
            with open(os.environ["TIMES"], "a") as f:
                f.write(f"{name}\t{os.path.basename(question)[:-4]}\t{seconds:.4f}\t{len(rows)}\n")
        print(f"== {os.path.basename(question)[:-4]}: {len(rows)} rows")
        for row in rows:
            print("\t".join(map(shown, row)))


main()

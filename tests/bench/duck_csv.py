# duck_csv.py - seconds that DuckDB takes to read a CSV file into a table of its own file, all columns as text or with the types
# that it finds; a peer only. Usage: duck_csv.py FILE.csv text|typed
import os
import sys
import tempfile
import time

import duckdb

with tempfile.TemporaryDirectory() as folder:
    start = time.perf_counter()
    duck = duckdb.connect(folder + "/peer.duckdb")
    duck.execute(f"CREATE TABLE t AS SELECT * FROM read_csv(?, all_varchar = {sys.argv[2] == 'text'})", [os.path.abspath(sys.argv[1])])
    duck.close()
    print(time.perf_counter() - start)

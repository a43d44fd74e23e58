"""Compares functions.def with the functions of a SQLite, and calls each that is not listed on a connection that abdb.so restricts.

usage: sqlite_functions.py MODULE LIBRARY   MODULE: a Python module like sqlite3 (pysqlite3, or apsw); LIBRARY: abdb.so

Prints a line for each fault and ends with 1 then: a function of this SQLite that has no line in functions.def, a function that is refused
or unknown and can be called, a listed function that cannot. The last line counts what was tried.
"""
import importlib
import os
import pathlib
import re
import sys
import tempfile

module, library = importlib.import_module(sys.argv[1]), os.path.realpath(sys.argv[2])
table = (pathlib.Path(__file__).parents[2] / "schema/functions/functions.def").read_text()
lines = re.findall(r'^(SQLITE|ABDB|REFUSED)\("([^"]+)"', re.sub(r"/\*.*?\*/", "", table, flags=re.S), re.M)
listed = {name for kind, name in lines if kind != "REFUSED"}
refused = {name for kind, name in lines if kind == "REFUSED"}
apsw = module.__name__ == "apsw"
Failed = module.Error
faults = 0


def fault(*words):
    global faults
    faults += 1
    print(*words)


def connect(name=None):
    """A connection, restricted by an entry point of the library where one is named."""
    connection = module.Connection(":memory:") if apsw else module.connect(":memory:")
    if name:
        with tempfile.TemporaryDirectory() as folder:
            link = pathlib.Path(folder) / f"{name}.so"
            link.symlink_to(library)
            connection.enable_load_extension(True)
            connection.load_extension(str(link))
    return connection


def call(connection, name, arguments):
    """The message of SQLite where it refuses the call, else ''."""
    given = ",".join(["NULL"] * max(arguments, 0))
    sql = {"->": "SELECT '{}' -> '$'", "->>": "SELECT '{}' ->> '$'"}.get(name, f"SELECT {name}({given})")
    if name.startswith("current_"):
        sql = f"SELECT {name}"
    try:
        for _ in connection.execute(sql):
            pass
    except Failed as why:
        return str(why)
    return ""


def is_refusal(message, name):
    return re.search(rf"(not authorized to use function|no such function): {re.escape(name)}$", message) is not None


here = sorted({(row[0], row[4]) for row in connect().execute("PRAGMA function_list")})
for name in sorted({name for name, _ in here} - listed - refused):
    fault("this SQLite has a function that functions.def does not name:", name)
for entry in "abdb_guard", "abdb_reader":
    restricted = connect(entry)
    for name, arguments in here:
        message = call(restricted, name, arguments)
        if name not in listed and not is_refusal(message, name):
            fault(f"{entry}: {name}, which is not listed, can be called: {message or 'it answers'}")
        if name in listed and is_refusal(message, name):
            fault(f"{entry}: {name} is listed and refused: {message}")
if len(here) < 100:
    fault("only", len(here), "functions were found")
print(f"{len(here)} functions of SQLite {module.sqlite_lib_version() if apsw else module.sqlite_version},",
      f"{len({name for name, _ in here} - listed)} refused")
sys.exit(faults > 0)

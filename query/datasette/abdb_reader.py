"""A plug-in of Datasette: every connection gets abdb's restrictions before it answers.

    datasette abdb.db --metadata query/datasette.json --plugins-dir query/datasette

Datasette runs no code of abdb by itself, so this file loads abdb.so by its entry point abdb_reader: SQL may call the functions that
`abdb query --functions` lists, with abdb's own but those that read files or start programs, and none that the distributor compiled into
SQLite besides; it constructs no virtual table of a file, only reads, attaches nothing, and a value has 16 MiB at most. Without abdb.so
nothing is served. Datasette's own limits (sql_time_limit_ms, max_returned_rows) hold beside these.
"""
import os
import pathlib
import tempfile

from datasette import hookimpl

LIBRARIES = (pathlib.Path(__file__).parents[2] / "build/abdb.so", "/usr/local/lib/abdb/abdb.so", "/usr/lib/abdb/abdb.so")
INTERNAL = ("_internal", "__INTERNAL__")  # of Datasette itself: it writes there, and no reader's SQL runs in it


def _find_library():
    named = os.environ.get("ABDB_EXTENSION")
    for path in [named] if named else LIBRARIES:
        if os.path.isfile(path):
            return os.path.realpath(path)
    raise RuntimeError("no abdb.so, without which abdb's databases are not served: ABDB_EXTENSION names it")


@hookimpl
def prepare_connection(conn, database, datasette):
    """Restricts conn to reading; _memory, which Datasette asks about itself, to abdb's list of functions."""
    if database in INTERNAL:
        return
    with tempfile.TemporaryDirectory() as folder:  # SQLite makes the name of the entry point from that of the file
        link = pathlib.Path(folder) / ("abdb_guard.so" if database == "_memory" else "abdb_reader.so")
        link.symlink_to(_find_library())
        conn.enable_load_extension(True)
        conn.load_extension(str(link))
        conn.enable_load_extension(False)

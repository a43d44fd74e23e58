"""state.py - what a database and a folder hold: the digest over all facts, whether it is sound and of whole units, which files there are."""
import hashlib
import os
import sqlite3
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
with open(os.path.join(ROOT, "tests/checks/facts.sql"), encoding="utf-8") as file:
    FACTS = [s for s in file.read().split(";\n") if s.strip() and "FROM note" not in s]
# What people said of facts, without the time at which they did.
EVENTS = ["SELECT DISTINCT target, event, reason FROM withdrawal ORDER BY 1, 2, 3", "SELECT DISTINCT kind, target, text, author FROM note ORDER BY 1, 2, 3, 4"]
# What each file gave: a file that is not whole has other numbers.
UNITS = """SELECT path, importer, words, accepted, duplicate, rejected, ignored,
    (SELECT count(*) FROM entry_row e WHERE e.artifact_id = a.artifact_id), (SELECT count(*) FROM reject r WHERE r.artifact_id = a.artifact_id)
    FROM artifact a ORDER BY 1, 2, 3"""
# Rows that miss a part of what they are made of.
HALVES = {
    "results without all of their samples": "SELECT count(*) FROM result_row r WHERE first_sample IS NOT NULL AND last_sample - first_sample + 1 <>"
    " (SELECT count(*) FROM sample_row WHERE sample_id BETWEEN r.first_sample AND r.last_sample)",
    "samples of no result": "SELECT (SELECT count(*) FROM sample_row) - (SELECT coalesce(sum(last_sample - first_sample + 1), 0) FROM result_row)",
    "runs without their environment": "SELECT count(*) FROM entry_row WHERE artifact_id IS NULL AND environment_id IS NULL AND process_id IS NOT NULL",
}


# Does the file say itself that rows came whose derived rows are to be made still? Readers say so, and the next writer makes them. (A rebuild
# completes the vocabulary first, where that is not whole.)
BEHIND = """SELECT NOT EXISTS (SELECT 1 FROM meta WHERE key = 'vocabulary') OR EXISTS (SELECT 1 FROM touched) OR EXISTS (SELECT 1 FROM meta WHERE key LIKE 'stale.%')
    OR (SELECT coalesce(max(entry_id), 0) FROM entry_row) <> (SELECT coalesce(max(CAST(value AS INTEGER)), 0) FROM meta WHERE key = 'derived.entry')
    OR (SELECT coalesce(max(description_id), 0) FROM description) <> (SELECT coalesce(max(CAST(value AS INTEGER)), 0) FROM meta WHERE key = 'derived.description')
    OR (SELECT coalesce(max(spec_id), 0) FROM spec) <> (SELECT coalesce(max(CAST(value AS INTEGER)), 0) FROM meta WHERE key = 'derived.spec')
    OR (SELECT coalesce(max(price_id), 0) FROM price) <> (SELECT coalesce(max(CAST(value AS INTEGER)), 0) FROM meta WHERE key = 'derived.price')"""


def connect(path):
    return sqlite3.connect(f"file:{path}?mode=rw", uri=True, timeout=10)


def is_made(path):
    """Is there a database with tables? One that was killed before its first transaction ended has none."""
    if not os.path.exists(path) or not os.path.getsize(path):
        return False
    with_tables = connect(path)
    try:
        return with_tables.execute("SELECT count(*) FROM sqlite_schema WHERE name = 'artifact'").fetchone()[0] > 0
    finally:
        with_tables.close()


def digest(path):
    """Over all facts and events; "" where there is no database."""
    if not is_made(path):
        return ""
    db, sha = connect(path), hashlib.sha256()
    try:
        for sql in FACTS + EVENTS:
            for row in db.execute(sql):
                sha.update(repr(row).encode())
            sha.update(b"\n")
    finally:
        db.close()
    return sha.hexdigest()[:16]


def units(path):
    if not is_made(path):
        return set()
    db = connect(path)
    try:
        return set(db.execute(UNITS))
    finally:
        db.close()


def one(path, sql):
    if not is_made(path):
        return None
    db = connect(path)
    try:
        return db.execute(sql).fetchone()
    finally:
        db.close()


def damage(path):
    """Why the file is not sound, or ""."""
    if not is_made(path):
        return ""
    db = connect(path)
    try:
        found = [r[0] for r in db.execute("PRAGMA integrity_check")]
        if found != ["ok"]:
            return f"{path}: {found[:3]}"
        lost = db.execute("PRAGMA foreign_key_check").fetchall()
        if lost:
            return f"{path}: rows without what they name: {lost[:3]}"
        for what, sql in HALVES.items():
            if db.execute(sql).fetchone()[0]:
                return f"{path}: {what}"
    except sqlite3.DatabaseError as error:
        return f"{path}: {error}"
    finally:
        db.close()
    return ""


SOUND = set()  # what was rebuilt and stayed as it was: a rebuild makes the same of the same facts


def underived(abdb, path, scratch):
    """Are derived rows (names, subjects, ceilings, what withdrawals leave out) as a rebuild makes them, or does the file say that they are
    behind? Why not, or ""."""
    if not is_made(path) or one(path, BEHIND)[0]:
        return ""
    db, before = connect(path), digest(path)
    gone = db.execute("SELECT * FROM gone ORDER BY 1, 2").fetchall()
    known = (abdb, before, repr(gone))
    if known in SOUND:
        db.close()
        return ""
    copy = os.path.join(scratch, "rebuilt.db")
    for old in (copy, copy + "-wal", copy + "-shm"):
        if os.path.exists(old):
            os.remove(old)
    to = sqlite3.connect(copy)
    db.backup(to)
    db.close()
    to.close()
    done = subprocess.run([abdb, "doctor", "--rebuild", "--db", copy], capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1):
        return f"{path}: it cannot be rebuilt: {done.stderr}"
    db = connect(copy)
    again = db.execute("SELECT * FROM gone ORDER BY 1, 2").fetchall()
    db.close()
    if digest(copy) != before or gone != again:
        return f"{path}: derived rows are not those of a rebuild"
    SOUND.add(known)
    return ""


def files(folder):
    """Every file below the folder, with the digest of what it holds; databases are not."""
    found = {}
    for where, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(where, name)
            if os.path.islink(path) or not os.path.isfile(path):
                continue
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = hashlib.sha256(file.read()).hexdigest()[:16]
    return found

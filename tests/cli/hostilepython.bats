#!/usr/bin/env bats
# hostilepython.bats - the Python module given what nobody should give it: words that look like options, zero bytes, halves of characters, numbers
# beyond all bounds, databases that were changed. Each is an answer or an abdb.Error, and nothing is written but what was asked.
load common

debian=/usr/bin/python3
py() { ABDB_PROGRAM=$build/abdb ABDB_EXTENSION=$build/abdb.so PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$root/query/python "$debian" - "$@"; }

# Calls of the module with each hostile value in each place: `attempt` notes what is neither an answer nor an abdb.Error.
attempts() {
    cat <<'P'
import abdb, os, pathlib, sqlite3
WORDS = ["", "-", "--", "--help", "-h", "--out=written", "-owritten", "--allow-run", "--allow-files", "--db=other.db", "--list", "--slurm", "a\0b", "\ud800", "\udcff",
         "\n", "'; DROP TABLE point; --", "$(touch written)", "`touch written`", "x" * 200000, None, True, 5, 10**400, float("nan"), float("inf"), b"x", b"\xff",
         pathlib.Path("--out=written"), object(), ["--out", "written"], {"--out": "written"}]
wrong = []

def attempt(call, *words, **options):
    try:
        return call(*words, **options)
    except abdb.Error as why:
        return str(why)
    except Exception as why:
        wrong.append(f"{call.__name__}{ascii(words)[:80]} {ascii(options)[:80]}: {type(why).__name__}: {why}")
P
}

@test "no argument is taken for an option or another argument, and every error is an abdb.Error" {
    filled "$fixtures/questions.csv"
    { attempts; cat <<'P'
before = sorted(os.listdir("."))
for word in WORDS:
    for call in abdb.query, abdb.rank, abdb.plot, abdb.import_:
        attempt(call, word)
    attempt(abdb.compare, "model=llama2-70b-99", "model=bert-99", word)
    attempt(abdb.query, "specs", device=word)
    attempt(abdb.query, "SELECT 1 AS a", functions=word)
    attempt(abdb.query, "SELECT 1 AS a", db=word)
    attempt(abdb.rank, workload=word)
    attempt(abdb.compare, "model=llama2-70b-99", "model=bert-99", where=word)
    attempt(abdb.run, kernel=word, dry_run=True)
    attempt(abdb.connect, word)
    attempt(abdb.query, "SELECT 1 AS a", **{str(word): "written"})
made = set(os.listdir(".")) - set(before)
assert not made, made
assert not wrong, "\n".join(wrong)
# what begins with a dash is a file, a selection or SQL
assert "./--out=x: cannot open" in attempt(abdb.import_, "--out=x")
assert "called '--out'" in attempt(abdb.rank, "--out=x")
assert abdb.query("-- a comment\nSELECT 41 + 1 AS n")[0]["n"] == 42
open("-odd.csv", "wb").write(open(os.environ["FIXTURE"], "rb").read())
assert "accepted" in abdb.import_("-odd.csv", db="odd.db")
assert abdb.query("SELECT count(*) > 0 AS n FROM v_result", db=b"odd.db")[0]["n"] == 1
P
    } | FIXTURE=$fixtures/checker.csv py
}

@test "record, entry and store write a row, or raise an Error and write no row" {
    { attempts; cat <<'P'
abdb.environment = lambda: ({"cpu": "x"}, "Box")
SAMPLES = [[10**400], [float("nan")], [float("inf")], [-1], [0], [], "12", b"12", ["1"], [True], [None], [[1]], None, 5, object(), [1e308] * 4, {}]
for samples in SAMPLES:
    assert isinstance(attempt(abdb.record, "w", samples, db="r.db"), str), samples
assert not os.path.exists("r.db") or abdb.query("SELECT count(*) AS n FROM v_run", db="r.db")[0]["n"] == 0
for word in WORDS:
    attempt(abdb.entry, word, [1.0])
    for name in "metric", "unit", "device", "tag", "dtype", "n", "devices", "verified", "repetition", "times":
        attempt(abdb.entry, "w", [1.0, 2.0], **{name: word})
    attempt(abdb.entry, "w", [1.0], **{"x" + str(word): 1})
    attempt(abdb.store, word, "s.db")
    attempt(abdb.store, [word], "s.db")
attempt(abdb.store, ['{"record": "entry"}\n{"record": "entry"}'], "s.db")
for words in ({"unit": "parsec"}, {"unit": "s; DROP"}, {"metric": "nosuch"}, {"repetition": -1}, {"devices": 10**30}, {"n": "\0"}, {"tag": "\ud800"}, {"times": [float("nan")]}):
    before = os.path.exists("s.db") and abdb.query("SELECT count(*) AS n FROM v_run", db="s.db")[0]["n"]
    said = attempt(abdb.record, "w", [1.0], db="s.db", **words)
    assert said, words
    assert (os.path.exists("s.db") and abdb.query("SELECT count(*) AS n FROM v_run", db="s.db")[0]["n"]) == before, words
assert not wrong, "\n".join(wrong)
# hostile text that a record may hold is stored as it is, backslashes too
names = ["'; DROP TABLE point; --", "a\nb", "\x1b[2J", "</script>", r"\u0000", "\\", "=1+1"]
for name in names:
    abdb.record(name, [1.0], db="t2.db", tag=name)
rows = abdb.query("SELECT workload, tag FROM v_run", db="t2.db")
assert sorted(r["workload"] for r in rows) == sorted(names) == sorted(r["tag"] for r in rows), list(rows)
assert "\\u0000" not in abdb.entry("w", [1.0]) and attempt(abdb.entry, "w", [1.0], tag="\0").startswith("a text holds a zero")
P
    } | py
}

@test "names of tests stay text in rows, in selections and on the screen" {
    "$debian" -c "import pytest" 2>/dev/null || skip "no pytest"
    cat >test_it.py <<'P'
import pytest
NAMES = ["a'b", "x,y=z", "%0A::error::x", "\n::set-output name=a::b", "\x1b[31m", "\0", "'; DROP TABLE point; --", "</testcase>", "$(touch written)", "--out=written", "tag='q'"]
@pytest.mark.parametrize("n", NAMES)
def test_x(abdb, n): abdb(lambda: sum(range(100)))
P
    session() { PYTHONPATH=$root/query/python ABDB_PROGRAM=$build/abdb PYTHONDONTWRITEBYTECODE=1 "$debian" -m pytest -q -p no:cacheprovider -p abdb.pytest_plugin test_it.py "$@"; }
    session --abdb-tag "a'b,tag=--out=x" >/dev/null
    run session --abdb-tag b --abdb-baseline "a'b,tag=--out=x"
    fails 0 "a'b,tag=--out=x against b"
    no grep -qE $'\e\\[31m|^::' <<<"$output"
    same "$(ask "SELECT count(DISTINCT workload), count(DISTINCT tag) FROM v_run")" 11,2
    same "$(ls | xargs)" "t.db test_it.py"
}

@test "connect without the extension opens no virtual table and attaches no database" {
    filled "$fixtures/questions.csv"
    py <<'P'
import abdb, os, shutil, sqlite3
SPELLINGS = [None, "CREATE/**/VIRTUAL TABLE evil USING fts4(a)", "create\tvirtual table evil using fts4(a)", "CREATE -- x\nVIRTUAL TABLE evil USING fts4(a)",
             "CREATE\ufeffVIRTUAL TABLE evil USING fts4(a)", "Create  Virtual\nTable evil USING fts4(a)"]
opened = 0
for spelling in SPELLINGS:
    shutil.copy("t.db", "v.db")
    file = sqlite3.connect("v.db")
    file.execute("CREATE VIRTUAL TABLE evil USING fts4(a)")
    if spelling:
        file.execute("PRAGMA writable_schema = on")
        file.execute("UPDATE sqlite_schema SET sql = ? WHERE name = 'evil'", (spelling,))
    file.commit()
    file.close()
    for extension in [False] + [True] * ("sanitize" not in os.environ["ABDB_EXTENSION"]):
        try:
            abdb.connect("v.db", extension=extension).execute("SELECT * FROM evil")
        except (abdb.Error, sqlite3.Error) as why:
            assert "virtual tables (evil)" in str(why) or "no such module" in str(why) or "malformed" in str(why), (spelling, why)
        else:
            opened += 1
            print("opened:", spelling, extension)
assert not opened
plain = abdb.connect("t.db", extension=False)
assert plain.execute("SELECT count(*) FROM v_result").fetchone()[0] > 0
for sql in "ATTACH 'new.db' AS x", "CREATE VIRTUAL TABLE temp.x USING fts4(a)", "DELETE FROM point", "SELECT load_extension('x')", "SELECT fts3_tokenizer('simple')":
    try:
        plain.execute(sql)
    except sqlite3.Error:
        continue
    raise SystemExit(f"not refused: {sql}")
assert not os.path.exists("new.db")
P
}

#!/usr/bin/env bats
# python.bats - the Python module and its pytest plug-in, with Debian's Python and with one that cannot load extensions.
load common

debian=/usr/bin/python3
module() { ABDB_PROGRAM=$build/abdb ABDB_EXTENSION=$build/abdb.so PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$root/query/python "$debian" "$@"; }
py() { module -c "import abdb, json, sqlite3, sys
$1"; }
session() { module -m pytest -q -p no:cacheprovider -p abdb.pytest_plugin test_it.py "$@"; }
# A clock that only sleeping moves, by a little more or less in each process: what is judged is not how busy this machine is.
made_clock() {
    cat >conftest.py <<'E2'
import os, random, time

now, pace = 0.0, random.Random(os.getpid()).uniform(0.999, 1.001)

def sleep(seconds):
    global now
    now += seconds * pace * random.uniform(0.999, 1.001)

time.sleep, time.perf_counter = sleep, lambda: now
E2
}

@test "query, compare, rank, plot and import of the Python module return the answers of abdb" {
    command -v gnuplot >/dev/null || skip "no gnuplot"
    py 'print(abdb.import_(*sys.argv[1:] or ["'"$fixtures"'/questions.csv", "'"$root"'/data"])[-80:])' >/dev/null
    same "$(py 'r = abdb.query("mlperf-llm", round="v6.0", model="llama2-70b-99", scenario="Server"); print(json.dumps(list(r)))' | jq -c .)" \
        "$(abdb query mlperf-llm --round v6.0 --model llama2-70b-99 --scenario Server --json 2>/dev/null | jq -c .)"
    run py 'print(abdb.query("mlperf-llm", round="v6.0", model="llama2-70b-99", scenario="Server").notes)'
    fails 0 "MLCommons Association"
    # SQL that begins with a comment is no option
    same "$(py 'print(abdb.query("-- how many\nSELECT count(*) > 0 AS n FROM v_result;"))')" "[{'n': 1}]"
    same "$(py 'r = abdb.compare("device=H200-SXM", "device=MI355X", where="model=llama2-70b-99,devices=8", per="device"); print(r.code, len(r) > 0, r.columns[0])')" "0 True baseline"
    same "$(py 'r = abdb.rank(workload="llama2-70b-99", scenario="Server", per="device"); print(r.code, len(r) > 3)')" "0 True"
    # what may not be compared is an answer, not a failure
    same "$(py 'r = abdb.compare("model=llama2-70b-99", "model=bert-99"); print(r.code)')" 3
    same "$(py 'p = abdb.plot("mlperf-llm", round="v6.0", model="llama2-70b-99", scenario="Server"); p.save("f.svg"); print(p._repr_html_()[:38])')" '<img src="data:image/svg+xml;base64,PD'
    abdb verify f.svg >/dev/null
}

@test "Python errors have the message and exit code of abdb" {
    filled "$fixtures/questions.csv"
    run py 'try: abdb.query("nosuch")
except abdb.Error as e: print(e.code, e)'
    fails 0 "2 abdb: no report 'nosuch'"
    run py 'try: abdb.query("devices", nosuch=1)
except abdb.Error as e: print(e.code, e)'
    fails 0 "2 abdb: "
    for program in /nonexistent "$dir"; do
        ABDB_PROGRAM=$program run env PYTHONDONTWRITEBYTECODE=1 PYTHONPATH="$root/query/python" "$debian" -c 'import abdb
for call in abdb.query, abdb.record:
    try: call("devices", [1.0]) if call is abdb.record else call("devices")
    except abdb.Error as e: print(e)'
        [[ $output == *"$program cannot be started: "*"abdb-run-ref, which says what this machine is, failed"* ]]
    done
}

@test "data frames have the rows, or the columns of an empty answer; a missing library is named" {
    filled "$fixtures/questions.csv"
    none='SELECT device, value AS "a, b" FROM v_result WHERE 0'
    same "$(py "r = abdb.query('$none'); print(r.columns, list(r))")" "['device', 'a, b'] []"
    mkdir lib
    printf 'class DataFrame:\n    def __init__(self, *parts, **named): self.parts, self.attrs = ("pandas", *parts, *named.values()), {}\n    def __repr__(self): return repr(self.parts)\n' >lib/pandas.py
    printf 'def DataFrame(rows, schema, infer_schema_length): return ("polars", rows, schema)\n' >lib/polars.py
    for library in pandas polars; do
        same "$(py "sys.path.insert(0, 'lib'); print(abdb.query('SELECT 1 AS one, NULL AS two').to_$library())")" "('$library', [{'one': 1, 'two': None}], ['one', 'two'])"
        run py "sys.path.insert(0, 'lib'); print(abdb.query('$none').to_$library())"
        [[ $output == "('$library', "*"['device', 'a, b'])" ]]
        run py "sys.modules['$library'] = None
try: abdb.query('SELECT 1 AS one').to_$library()
except abdb.Error as e: print(e)"
        fails 0 "$library is not installed for $debian: pip install $library"
    done
}

@test "the examples in the README of the module run" {
    command -v gnuplot >/dev/null || skip "no gnuplot"
    [[ $build != *sanitize* ]] || skip "the extension is not built with sanitizers"
    mkdir backends lib
    ln -s "$build/abdb-run-ref" backends
    printf 'class DataFrame:\n    def __init__(self, rows, columns):\n        assert len(rows) > 3\n        self.attrs = {}\n' >lib/pandas.py
    { echo 'seconds = [0.2, 0.1]'
        awk '/^```python/ { on = ++n < 3; next } /^```/ { on = 0 } on' "$root/query/python/README.md"; } >examples.py
    [ "$(grep -c "abdb[.]" examples.py)" -gt 6 ]
    ABDB_BACKENDS=$dir/backends ABDB_DATA=$root/data run module -c 'import sys; sys.path.insert(0, "lib"); exec(open("examples.py").read())'
    fails 0 ""
    [ -s figure.svg ]
    same "$(ask "SELECT count(DISTINCT campaign) FROM v_run WHERE tag = 'before' OR campaign IN (SELECT campaign FROM v_kernel WHERE cell LIKE '%gemm n=1024%')")" 2
}

@test "an Arrow table has the rows and footnotes, and text for a column of mixed types" {
    filled "$fixtures/questions.csv"
    mkdir lib
    printf 'array = tuple\ndef table(columns, metadata): return columns, metadata\n' >lib/pyarrow.py
    same "$(py "sys.path.insert(0, 'lib'); r = abdb.query(\"SELECT 1 AS n, 'x' AS mixed UNION ALL SELECT 2.5, 7 UNION ALL SELECT NULL, NULL\"); print(r.to_arrow())" | tr -d '\n')" \
        "({'n': (1, 2.5, None), 'mixed': ('x', '7', None)}, {'notes': ''})"
    run py "sys.modules['pyarrow'] = None
try: abdb.query('SELECT 1 AS one').to_arrow()
except abdb.Error as e: print(e)"
    fails 0 "pyarrow is not installed for $debian: pip install pyarrow"
}

@test "markup and formulas in cells are escaped in notebooks" {
    same "$(py 'print(abdb.Rows([{"<b>": "<script>alert(1)</script>", "n": None}], notes="a<b $x$")._repr_html_())')" \
        '<div class="tex2jax_ignore mathjax_ignore"><table><thead><tr><th>&lt;b&gt;</th><th>n</th></tr></thead><tbody><tr><td>&lt;script&gt;alert(1)&lt;/script&gt;</td><td></td></tr></tbody></table><pre>a&lt;b $x$</pre></div>'
    # a caption that a forged file carries, and a file of another program
    same "$(py 'p = abdb.Picture(b"<svg><metadata id=\"abdb\">{&quot;notes&quot;:[&quot;&lt;script&gt;1&quot;]}</metadata></svg>"); print(p.notes, p._repr_html_()[-70:])')" \
        '<script>1 class="tex2jax_ignore mathjax_ignore"><pre>&lt;script&gt;1</pre></div>'
    for carried in '[]' '{' '{&quot;notes&quot;:7}' '{&quot;notes&quot;:[7]}'; do
        same "$(py "p = abdb.Picture(b'<svg><metadata id=\"abdb\">$carried</metadata></svg>'); print(repr(p.notes), 'pre' in p._repr_html_())")" "'' False"
    done
    # of many columns those without a value are left out, of many rows the last; numbers are short
    same "$(py 'h = abdb.Rows([{**{f"c{i}": i for i in range(12)}, "none": None}])._repr_html_(); print("none" in h, "c11" in h)')" "False True"
    same "$(py 'h = abdb.Rows([{"x": 1 / 3}] * 201)._repr_html_(); print(h.count("<td>0.333333</td>"), h[-38:])')" "200 </table><p>Rows not shown: 1</p></div>"
}

@test "notebooks: every cell runs, and prints tables and pictures with their captions" {
    command -v gnuplot >/dev/null || skip "no gnuplot"
    filled "$root/data"
    for f in "$root"/query/python/notebooks/*.ipynb; do
        ABDB_DATA=$root/data run module "$root/tests/checks/run_notebook.py" "$f"
        fails 0 "<table>"
        [[ $output == *"MLCommons Association"* ]]
        echo "$output" >"$(basename "$f").shown"
    done
    same "$(ls ./*.shown | wc -l)" 3
    same "$(grep -l 'data:image/svg+xml;base64' ./*.shown | wc -l)" 2
    grep -q "comparable-except" faster.ipynb.shown
    grep -q "mlperf-same-benchmark" faster.ipynb.shown
    abdb verify mlperf-llm.svg
    # a cell that fails is named
    python3 - "$root/query/python/notebooks/faster.ipynb" <<'P'
import json, sys
book = json.load(open(sys.argv[1]))
book["cells"][2]["source"] = ["abdb.compare('nosuch', 'MI355X')"]
json.dump(book, open("broken.ipynb", "w"))
P
    run module "$root/tests/checks/run_notebook.py" broken.ipynb
    fails 1 "broken.ipynb: cell 3 failed"
}

@test "choose and why of the Python module return the answers of abdb, also a refusal with its rule" {
    filled "$root/data"
    q='"llama2-70b-99", "server", rate="100k/s", limit=3, today="2026-11-25"'
    same "$(py "print(json.dumps(list(abdb.choose($q))))" | jq -c .)" "$(abdb choose llama2-70b-99 server --rate 100k/s --limit 3 --today 2026-11-25 --json 2>/dev/null | jq -c .)"
    same "$(py 'print(json.dumps(list(abdb.why("MI300X", "MI355X", where="llama2-70b-99,offline"))))' | jq -c .)" \
        "$(abdb why MI300X MI355X --where llama2-70b-99,offline --json 2>/dev/null | jq -c .)"
    run py 'r = abdb.why("model=llama2-70b-99", "model=llama3.1-8b"); print(r.code, len(r), r.notes)'
    fails 0 "3 0 "
    [[ $output == *"mlperf-same-benchmark"* ]] || { echo "$output"; false; }
}

@test "the type stubs of the module match its functions" {
    [ -e "$root/query/python/abdb/py.typed" ]
    py 'import ast, inspect, pathlib
here = pathlib.Path(abdb.__file__)
stub = ast.parse(here.with_name("__init__.pyi").read_text())
def parameters(f):
    a = f.args
    return [x.arg for x in a.posonlyargs + a.args] + ([a.vararg.arg] if a.vararg else []) + [x.arg for x in a.kwonlyargs] + ([a.kwarg.arg] if a.kwarg else [])
def check(name, typed, real):
    for node in typed:
        if isinstance(node, ast.FunctionDef):
            assert parameters(node) == list(inspect.signature(real[node.name]).parameters), (name, node.name)
            assert node.returns is not None and all(x.annotation for x in node.args.args if x.arg != "self"), (name, node.name)
        elif isinstance(node, ast.ClassDef): check(node.name, node.body, vars(real[node.name]))
typed = {node.name for node in stub.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
assert typed == set(abdb.__all__), typed ^ set(abdb.__all__)
check("abdb", stub.body, vars(abdb))
for c in (abdb.Rows, abdb.Picture):
    said = {n.name for node in stub.body if isinstance(node, ast.ClassDef) and node.name == c.__name__ for n in node.body if isinstance(n, ast.FunctionDef)}
    assert said == {n for n, it in vars(c).items() if inspect.isfunction(it)}, (c, said)'
}

@test "connect has the functions of abdb and is read-only; an unsuitable Python gets a reason" {
    [[ $build != *sanitize* ]] || skip "the extension is not built with sanitizers"
    filled "$fixtures/questions.csv"
    same "$(py 'db = abdb.connect(); print(db.execute("SELECT median(x) FROM (SELECT 1 AS x UNION SELECT 3)").fetchone())')" "(2.0,)"
    run py 'abdb.connect().execute("DELETE FROM point")'
    [ "$status" -ne 0 ]
    [[ $output == *readonly* ]]
    run py 'abdb.connect("nosuch.db")'
    [[ $output == *"no database at nosuch.db"* ]]
    [ ! -e nosuch.db ]
    # a sqlite3 without loading of extensions, as pyenv builds it; and one that is too old
    run py 'class Plain:
    def __init__(self, db): self.db = db
    def execute(self, *a): return self.db.execute(*a)
    def close(self): self.db.close()
    def set_authorizer(self, ask): self.db.set_authorizer(ask)
real = sqlite3.connect
sqlite3.connect = lambda *a, **k: Plain(real(*a, **k))
print(abdb.connect(extension=False).execute("SELECT count(*) > 0 FROM v_result").fetchone())
abdb.connect()'
    [[ $output == *"(1,)"*"cannot be loaded: the sqlite3 of"*"was built without loading of extensions; that of /usr/bin/python3 has it: /usr/bin/python3 -m venv env"* ]]
    run py 'sqlite3.sqlite_version_info = (3, 31, 0); abdb.connect()'
    [[ $output == *"is older than 3.40; that of "* ]]
    # where no Python can
    run py 'import subprocess
subprocess.run = lambda *a, **k: subprocess.CompletedProcess(a, 1)
sqlite3.sqlite_version_info = (3, 31, 0); abdb.connect()'
    [[ $output == *"is older than 3.40; Debian's python3 has it"* ]]
}

@test "the version of the Python module equals that of abdb" {
    same "$(py 'print(abdb.__version__)')" "$(abdb --version | grep -oE '[0-9]+[.][0-9]+[.][0-9]+' | head -1)"
}

@test "every other installed Python can query, and loads the functions or gives a reason" {
    [[ $build != *sanitize* ]] || skip "the extension is not built with sanitizers"
    filled "$fixtures/questions.csv"
    tried=0
    for python in /usr/bin/python3.[0-9]* /usr/local/bin/python3.[0-9]* ~/.pyenv/versions/*/bin/python3; do
        [ -x "$python" ] && [[ $python != *-config ]] && "$python" -c 'import sys, sqlite3; sys.exit(sys.version_info < (3, 9))' 2>/dev/null || continue
        tried=$((tried + 1))
        debian=$python run py 'assert len(abdb.query("SELECT 1 AS one")) == 1
assert abdb.connect(extension=False).execute("SELECT count(*) FROM v_result").fetchone()[0] > 0
try: print(abdb.connect().execute("SELECT median(x) FROM (SELECT 1 AS x UNION SELECT 3)").fetchone())
except abdb.Error as e: print(e)'
        [[ $output == "(2.0,)" || $output == *"cannot be loaded: the sqlite3 of"*"was built without loading of extensions"* || $output == *"is older than 3.40"* ]] ||
            { echo "$python: $output"; false; }
    done
    [ $tried -gt 0 ] || skip "no other Python here"
}

@test "record stores samples with their environment, and refuses wrong ones with a reason" {
    py 'abdb.record("tokenize", [0.3, 0.1, 0.2], tag="before", dtype="f32", n=4096, times=[0, 0.3, 0.4])' >/dev/null
    same "$(ask "SELECT r.workload, r.metric, r.statistic, r.value, r.n, r.dtype, r.tag, r.backend, r.source FROM v_result r")" "tokenize,time_s,median,0.2,3,f32,before,python,abdb-python"
    same "$(ask "SELECT text FROM v_factor WHERE factor = 'n'")" 4096
    same "$(ask "SELECT group_concat(value, ' ') FROM (SELECT value FROM v_sample ORDER BY seq)")" "0.3 0.1 0.2"
    same "$(ask "SELECT count(*) FROM v_run WHERE device <> ''")" 1
    # the same numbers measured twice are two measurements
    py 'abdb.record("tokenize", [0.3, 0.1, 0.2], tag="before", dtype="f32", n=4096)' >/dev/null
    same "$(ask "SELECT count(*) FROM v_result")" 2
    for bad in '[]' '[0.0]' '[float("nan")]' '[-1]' 1.5 None '"12"' '["a"]'; do
        run py "abdb.record('x', $bad)"
        [[ $output == *"samples are numbers above 0"* ]] || { echo "$bad: $output"; false; }
    done
    while IFS='|' read -r words reason; do
        run py "abdb.record($words)"
        [[ $output == *"Error: "*"$reason"* && $output != *"next: "* ]] || { echo "$words: $output"; false; }
    done <<'E'
"x", [1, 2], times=[0]|times are as many as samples: 2, not 1
"", [1]|the workload wants a name
"x", [1], opts={"a": 1}|opts is a factor, which is a text or a number
"x", [1], unit="GB/s"|time_s is in s, and 'GB/s' is no unit of that
"x", [1], unit="furlong"|'furlong' is no unit of that
E
    run py 'abdb.record("x", [1.0], metric="nonsense")'
    [ "$status" -ne 0 ]
    [[ $output == *"rejected"*"nonsense"* ]]
    same "$(ask "SELECT count(*) FROM v_result")" 2
    # in a unit of the metric
    py 'print(abdb.record("x", [1, 2, 3], unit="ms", tag="u"), abdb.record("y", [100, 110], metric="bytes_per_s", unit="GB/s", tag="u"))' >said
    no grep -q next: said
    same "$(ask "SELECT value FROM v_result WHERE tag = 'u' ORDER BY workload")" "0.002
105000000000"
    same "$(ask "SELECT group_concat(value, ' ') FROM (SELECT s.value FROM v_sample s JOIN v_result r USING (result_id) WHERE r.tag = 'u' AND r.workload = 'x' ORDER BY seq)")" "0.001 0.002 0.003"
}

@test "run measures a kernel and returns its row" {
    same "$(py 'r = abdb.run(kernel="gemm", axis={"n": 16, "dtype": "f32"}, backend="ref", quick=True); print(len(r), r[0]["kernel"], r[0]["verified"], r[0]["flops_per_s"] > 0)')" "1 gemm pass True"
    same "$(py 'r = abdb.run(kernel="gemm", axis={"n": 16, "dtype": "f32"}, backend="ref", quick=True, quiet=True); print(len(r))')" 1
    run py 'abdb.run(kernel="gem")'
    [[ $output == *"gemm"* ]]
}

@test "pytest: a test without a tag runs plainly; a tag stores samples of processes, and enables a gate" {
    "$debian" -c 'import pytest' 2>/dev/null || skip "no python3-pytest"
    cat >test_it.py <<'E2'
import os, time

def test_work(abdb):
    abdb.factors["n"] = 7
    assert abdb(work, 7) == 7

def work(n):
    time.sleep(0.03 if os.environ.get("SLOW") else 0.003)
    return n
E2
    run session
    fails 0 "1 passed"
    [ ! -e abdb.db ]
    run session --abdb-tag before --abdb-repeat 5
    fails 0 "1 passed"
    [[ $output == *"abdb: measured as before"*" us  median of "*"test_it.py::test_work"* ]]
    same "$(ask "SELECT count(*), count(DISTINCT process_id), count(DISTINCT campaign), min(status) FROM v_run WHERE tag = 'before'")" "5,5,1,ok"
    SLOW=1 run session --abdb-tag after --abdb-repeat 5 --abdb-baseline before --abdb-drift 0.02 --abdb-fail-on slower
    [ "$status" = 1 ]
    [[ $output =~ slower\ +[0-9.]+x\ \([0-9.]+\ to\ [0-9.]+\)\ \ shows\ [0-9.e+]+\ %\ \ test_it.py::test_work ]]
    module -m pytest --help -p abdb.pytest_plugin >help
    grep -q -- --abdb-drift help
    no grep -q -- --abdb-repetition help # which the plug-in sets itself
    run session --abdb-tag again --abdb-baseline before
    fails 0 "too-few"
    run session --abdb-fail-on slower
    [[ $output == *"--abdb-tag NAME measures"* ]]
    # the session counts, not what its tag had before: slow code under the tag of fast code is found
    before=(--abdb-repeat 5 --abdb-baseline before --abdb-drift 0.02 --abdb-fail-on slower)
    run session --abdb-tag "twice,a=b" "${before[@]}"
    SLOW=1 run session --abdb-tag "twice,a=b" "${before[@]}" --abdb-find 0.0001
    [ "$status" = 1 ] && [[ $output == *"slower "* && $output == *"1 of 1 cannot show a change of 0.01 %"* ]] || { echo "$output"; false; }
    # what would be refused is refused before anything is measured
    stored=$(ask "SELECT count(*) FROM v_run")
    for wrong in "--abdb-baseline nosuch" "--abdb-baseline before --abdb-fail-on nonsense" "--abdb-repeat 0" "--abdb-db no/such.db" "--abdb-baseline before --abdb-drift much"; do
        # shellcheck disable=SC2086 # several words
        run session --abdb-tag more $wrong
        [ "$status" = 4 ] && [[ $output == *"ERROR: "* && $output != *Traceback* ]] || { echo "$wrong: $output"; false; }
    done
    [[ $output == *"--abdb-drift wants"* ]] || { echo "$output"; false; }
    run session --abdb-tag ""
    fails 4 "--abdb-tag wants a name"
    same "$(ask "SELECT count(*) FROM v_run")" "$stored"
    # pytest-xdist, or what has its option
    printf 'def pytest_addoption(parser):\n    parser.addoption("--workers", dest="numprocesses", type=int)\n' >workers.py
    run session -p workers --workers 2 --abdb-tag two
    [[ $output == *"one test after another: leave out -n"* ]]
    # a test that fails leaves no measurement
    printf 'def test_bad(abdb):\n    assert abdb(lambda: 1) == 2\n' >test_it.py
    run session --abdb-tag bad
    [ "$status" = 1 ]
    same "$(ask "SELECT count(*) FROM v_run WHERE tag = 'bad'")" 0
    # ^C says how far it came
    printf 'import os, signal, time\n\nsignal.signal(signal.SIGINT, signal.default_int_handler) # which a shell in the background ignores\n\ndef test_stop(abdb):\n    abdb(int)\n    if os.environ.get("ABDB_PYTEST_CAMPAIGN"):\n        os.kill(os.getppid(), signal.SIGINT); time.sleep(9)\n' >test_it.py
    run session --abdb-tag stopped --abdb-repeat 3
    fails 2 "stopped after 1 of 3 processes, which are stored"
    [[ $output != *Traceback* ]]
}

@test "pytest: the newest of several baseline sessions counts, and a reason is printed once" {
    "$debian" -c 'import pytest' 2>/dev/null || skip "no python3-pytest"
    made_clock
    cat >test_it.py <<'E2'
import os, time, pytest

@pytest.mark.parametrize("n", [1, 2])
def test_work(abdb, n):
    abdb(time.sleep, 0.002 if os.environ.get("SLOW") else 0.0003)
E2
    SLOW=1 run session --abdb-tag before --abdb-repeat 5
    run session --abdb-tag before --abdb-repeat 5
    gate=(--abdb-tag after --abdb-repeat 5 --abdb-baseline before --abdb-fail-on slower)
    SLOW=1 run session "${gate[@]}" --abdb-drift 0.02
    fails 1 "the baseline was measured in 2 sessions: judged against the newest, of 20"
    [[ $output == *"2 of 2 tests: slower (--abdb-fail-on): test_it.py::test_work[1], test_it.py::test_work[2]"* ]]
    SLOW=1 run session "${gate[@]}" --abdb-drift 0.02 --abdb-sessions all
    fails 0 "the baseline mixes 2 sessions: what differs between them counts as noise"
    [[ $output =~ unclear\ .*shows\ [0-9]{3,}\ %.*none\ below\ [0-9]{3,}\ %: && $output != *e+* ]]
    # one that has less of this session's tests is no baseline of it
    run session --abdb-tag before --abdb-repeat 5 -k '[1]'
    run session "${gate[@]}" --abdb-drift 0.02
    fails 0 "measured in 3 sessions: judged against the newest that has as many of these tests"
    # not calibrated: what a session of pytest can do about it, once
    run session "${gate[@]}"
    fails 1 "unclear (2 tests): measured by separate sessions, and how this machine differs from itself between sessions was never calibrated: measure that (abdb run --calibrate), or say it (--abdb-drift 0.02: 2 %)"
    same "$(grep -c "never calibrated" <<<"$output")" 1
    [[ $output == *"2 of 2 tests could not be judged (--abdb-missing warn lets them pass)"* && $output != *--builds* && $output != *cells* ]]
    run session --abdb-tag few --abdb-baseline before --abdb-fail-on slower
    fails 1 "too-few (2 tests): 5 and 1 processes: 5 are the least, --abdb-repeat 10 is usual"
    run session --abdb-tag more --abdb-baseline nosuch
    fails 4 "nothing is stored under the tag 'nosuch'; tags here: few, after, before"
    [[ $output != *"''"* ]]
}

@test "pytest: only tests of this session are judged; a new test has no pair" {
    "$debian" -c 'import pytest' 2>/dev/null || skip "no python3-pytest"
    made_clock
    cat >test_it.py <<'E2'
import os, time, pytest

def test_old(abdb):
    abdb.factors["n"] = int(os.environ.get("N", 1))
    if os.environ.get("SKIP"): pytest.skip("not today")
    abdb(time.sleep, 0.0003)

def test_other(abdb):
    abdb(time.sleep, 0.0003)

def test_new(abdb):
    abdb(time.sleep, 0.0003)
E2
    run session --abdb-tag before --abdb-repeat 5 -k "old or other"
    gate=(--abdb-tag after --abdb-repeat 5 --abdb-baseline before --abdb-fail-on slower --abdb-drift 0.02)
    run session "${gate[@]}" -k old
    fails 0 "1 test of the baseline is not in this session, and not judged"
    run session "${gate[@]}"
    fails 1 "new: nothing to compare with: the baseline does not have it"
    [[ $output == *"1 of 3 tests could not be judged (--abdb-missing warn lets them pass)"* ]]
    run session "${gate[@]}" --abdb-missing warn
    fails 0 "1 of 3 tests could not be judged (--abdb-missing warn)"
    # no test is alike: not compared with others
    run session "${gate[@]}" --abdb-repeat 1 -k new
    fails 1 "1 of 1 test could not be judged"
    [[ $output != *refused* && $output != *"Different workloads"* ]]
    run session "${gate[@]}" --abdb-repeat 1 -k new --abdb-missing warn
    fails 0 "1 of 1 test could not be judged (--abdb-missing warn)"
    # a test that the baseline has and that does not measure, or measures otherwise, does not pass in silence
    SKIP=1 run session "${gate[@]}" --abdb-repeat 1
    fails 1 "unmeasured: the baseline has it, and this session measured nothing of it"
    SKIP=1 run session "${gate[@]}" --abdb-repeat 1 -k old
    fails 1 "no test of this session measured anything"
    N=2 run session "${gate[@]}" --abdb-repeat 1
    fails 1 "not-comparable  -  test_it.py::test_old"
}

@test "pytest: a failed later repetition is printed in the last lines; a test has one measured call" {
    "$debian" -c 'import pytest' 2>/dev/null || skip "no python3-pytest"
    cat >test_it.py <<'E2'
import pathlib

def test_late(abdb):
    abdb(int)
    count = pathlib.Path("count")
    count.write_text("x" + (count.read_text() if count.exists() else ""))
    assert count.read_text() != "xxx"
E2
    run session --abdb-tag late --abdb-repeat 5
    fails 1 "FAILED repetition 3 of 5 failed; 4 and 5 were not run"
    [[ ${lines[-1]} == "1 failed, 1 passed"* && $output == *"assert 'xxx' != 'xxx'"* ]]
    rm count
    run session --abdb-tag late --abdb-repeat 3 --tb=no
    fails 1 "FAILED repetition 3 of 3 failed"
    [[ $output != *"not run"* ]]
    printf xx >count
    run session --abdb-tag late --abdb-repeat 5
    fails 1 "repetition 1 of 5 failed; 2 to 5 were not run"
    printf 'def test_twice(abdb):\n    abdb(int)\n    abdb(int)\n' >test_it.py
    for tag in "" "--abdb-tag twice"; do
        # shellcheck disable=SC2086 # none, or two words
        run session $tag
        fails 1 "one call is measured in a test; parametrize it for more"
    done
    run session --fixtures
    [[ $output == *"Measure one call and store its samples"* ]]
}

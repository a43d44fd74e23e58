#!/usr/bin/env bats
# wasm.bats - abdb.wasm, the verbs that answer compiled for WebAssembly: its answers are those of the program.
load common

wasi=$root/query/answer/site/try-wasi.js
# A part of the shipped data that has results, statements, prices and rules.
some_of_data() {
    filled "$root/data"/{prices,specs-vendor,claims}.csv "$root/data/rules" "$root/data/results/mlperf-inference-v6.0-site.csv"
}

@test "wasm: 200 commands in one process have the output, errors and exit codes of abdb" {
    need_wasm
    some_of_data
    export ABDB_DB=t.db
    run python3 "$root/tests/checks/compare_wasm.py" t.db "$build/abdb.wasm" "$wasi"
    fails 0 "commands, 0 differ"
}

@test "wasm: node runs abdb by WASI, and unsupported verbs are refused" {
    need_wasm
    some_of_data
    cat >run.mjs <<'J'
import { readFileSync } from "node:fs";
import { WASI } from "node:wasi";
const wasi = new WASI({ version: "preview1", args: process.argv.slice(2), preopens: { "/": "/" }, returnOnExit: true });
const { instance } = await WebAssembly.instantiate(readFileSync(process.argv[2]), { wasi_snapshot_preview1: wasi.wasiImport });
process.exitCode = wasi.start(instance);
J
    run bash -c 'diff <(node --no-warnings run.mjs "$0" query specs --db "$1") <(abdb query specs --db "$1")' "$build/abdb.wasm" "$ABDB_DB"
    fails 0 ""
    for verb in import run plot init export; do
        run node --no-warnings run.mjs "$build/abdb.wasm" "$verb" x --db "$ABDB_DB"
        fails 6 "abdb.wasm has no \`abdb $verb\`: it reads and answers; install abdb"
    done
    # an endless query ends by the clock
    run node --no-warnings run.mjs "$build/abdb.wasm" query "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n" --timeout 0.5 --db "$ABDB_DB"
    fails 6 "time-out was reached"
}

@test "wasm: the site contains the redacted export, reproducibly, and verify accepts its page" {
    need_wasm
    filled "$fixtures/checker.csv"
    echo '{"record":"entry","field":{"evidence":"measured","kind":"run","workload":"gemm","device":"D","host":"secret-host","source":"own"},"factor":{"path":"secret-user"},"result":[{"metric":"flops_per_s","statistic":"median","value":7}]}' >own.jsonl
    abdb import -q own.jsonl
    abdb site --out s >/dev/null
    carried_database s/try-data.js >carried.db
    no grep -qaE 'secret-(host|user)' carried.db
    grep -qa secret-host t.db
    abdb export --redacted -o db --out redacted.db 2>/dev/null
    for db in carried redacted; do abdb query "SELECT * FROM v_fact ORDER BY key" -o jsonl --db $db.db >$db; done
    [ -s carried ]
    cmp carried redacted
    # also where both are installed
    mkdir -p usr/bin usr/share/abdb
    cp "$build/abdb" usr/bin
    cp "$build/abdb.wasm" usr/share/abdb
    ABDB_DATA=$root/data usr/bin/abdb site --out again >/dev/null
    diff -r s again
    run abdb verify s/try.html
    fails 0 "still give this page"
    abdb import -q --db other.db "$fixtures/checker.csv"
    run abdb verify s/try.html --db other.db
    fails 1 "the facts of the database"
    echo >>s/try-data.js
    run abdb verify s/try.html
    fails 4 "try-data.js"
    grep -q 'href="try.html"' s/index.html
    echo junk >junk.wasm
    ABDB_WASM=junk.wasm run abdb site --out none
    fails 6 "junk.wasm is no wasm for try.html"
    TMPDIR=/nonexistent run abdb site --out none
    fails 6 "no folder for a temporary file"
    [ ! -e none ]
}

@test "wasm: a database above 32 MB is left out of the site, with a note" {
    need_wasm
    thorough || skip "half a minute: make soak"
    python3 - >many.jsonl <<'P'
for i in range(15):
    print('{"record":"entry","field":{"evidence":"measured","kind":"run","workload":"gemm","device":"D%d","source":"own"},"result":[{"metric":"time_s","statistic":"median","value":%d,"samples":[%s]}]}'
          % (i, i + 1, ",".join("[%d.5,%d,7]" % (n + 1, n) for n in range(100000))))
P
    abdb import -q many.jsonl
    run abdb site --out s
    fails 0 "left out: try.html: the redacted database has"
    [ ! -e s/try-data.js ]
    grep -q "abdb cannot be tried in a page here: its database has" s/index.html
}

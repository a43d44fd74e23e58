#!/usr/bin/env bats
# wasm.bats - abdb.wasm, the verbs that answer compiled for WebAssembly: its answers are those of the program.
load common

wasi=$root/query/answer/site/try-wasi.js
need_wasm() {
    command -v node >/dev/null || skip "no node: apt-get install nodejs"
    [ -e "$build/abdb.wasm" ] || skip "no abdb.wasm: make wasm"
}
# A part of the shipped data that has results, statements, prices and rules.
some_of_data() {
    filled "$root/data"/{prices,specs-vendor,claims}.csv "$root/data/rules" "$root/data/results/mlperf-inference-v6.0-site.csv"
}

@test "200 commands in one process: output, errors and exit codes are the program's" {
    need_wasm
    some_of_data
    export ABDB_DB=t.db
    run python3 "$root/tests/checks/compare_wasm.py" t.db "$build/abdb.wasm" "$wasi"
    fails 0 "commands, 0 differ"
}

@test "under node's own WASI, as a system without a port runs it; verbs that it lacks are refused" {
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

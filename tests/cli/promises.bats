#!/usr/bin/env bats
# promises.bats - what PROMISES.md says is kept: views, reports, verbs, options, exit codes, selections, records, the protocol of backends,
# functions of SQL, the Python module, the database.
load common

# Everything that has a name others may use, a line each.
promised() {
    local verb
    abdb init >/dev/null
    sqlite3 "$ABDB_DB" "SELECT 'view ' || m.name || ' ' || p.cid || ' ' || p.name FROM sqlite_master m JOIN pragma_table_info(m.name) p
      WHERE m.type = 'view' AND m.name LIKE 'v\_%' ESCAPE '\' ORDER BY m.name, p.cid"
    (cd "$root/query/reports" && awk '/^-- param: / { print "report", FILENAME, "param", $3 } /^-- column: / { print "report", FILENAME, "column", $3 }' ./*.sql)
    for report in "$root"/query/reports/*.sql; do
        abdb query "$(basename "$report" .sql)" -o csv 2>/dev/null | head -1 | tr ',' '\n' | awk -v name="$(basename "$report" .sql)" '{ print "report", name, "prints", NR, $0 }'
    done
    (cd "$root/plots/figures" && printf 'figure %s\n' ./*.gp)
    for verb in $(abdb help --complete '' | cut -f1); do
        printf 'verb %s\n' "$verb"
        abdb help --man "$verb" | sed -n 's/\\-/-/g; s/\\fB//g; s/\\fR//g; s/\\fI//g; s/^\(-., \)\{0,1\}\(--[a-z0-9-]*\)\(.*\)$/option '"$verb"' \1\2\3/p; /^\.B abdb/{n;s/^/usage '"$verb"' /p}'
    done
    sed -n 's/^\(FIELD\|METRIC\)(\([a-z0-9_]*\), *"\{0,1\}\([^",]*\)"\{0,1\},.*/\1 \2 \3/p' "$root/schema/core/field.def" "$root/schema/core/metric.def"
    sqlite3 "$ABDB_DB" "SELECT 'formula ' || formula FROM v_formula ORDER BY 1"
}

# What is promised is a list, a line each: nothing may be gone from it, and what is new is written down.
kept_as() { # GOLDEN, with the lines of today in `now`
    local golden=$root/tests/golden/$1 gone new
    gone=$(comm -23 <(sort "$golden") <(sort now))
    [ -z "$gone" ] || [ -n "${BREAK-}" ] || { printf 'promised, and gone (with a new major version: make golden BREAK=1):\n%s\n' "$gone"; return 1; }
    [ -z "${UPDATE-}" ] || cp now "$golden"
    new=$(comm -13 <(sort "$golden") <(sort now))
    [ -z "$new" ] || { printf 'new, and not written down (make golden):\n%s\n' "$new"; return 1; }
}

@test "views, reports, figures, verbs, options, fields and metrics equal the promised list" {
    promised >now
    [ "$(wc -l <now)" -gt 1000 ]
    kept_as promises.txt
}

@test "exit codes equal the promised ones" {
    filled "$root/data"
    code() { "$@" >/dev/null 2>&1 && echo 0 || echo $?; }
    same "$(code abdb query specs)" 0
    same "$(code abdb query 'SELECT 1 AS bad;' --fail-on bad)" 1
    same "$(code abdb query --nonsense)" 2
    same "$(code abdb compare model=llama2-70b-99 model=bert-99)" 3
    printf '#!/bin/sh\nexit 0\n' >abdb-run-silent && chmod +x abdb-run-silent
    same "$(code env ABDB_BACKENDS="$dir" abdb run --backend silent --kernel gemm)" 5
    same "$(code abdb query specs --db /nonexistent/t.db)" 6
}

@test "selections of every promised form are accepted with their meaning" {
    filled "$fixtures/questions.csv"
    sed '/"entry"/{s/"source":"kept"/"source":"abdb-run"/;s/2026-01-01/2066-01-02/g}' "$fixtures/promises.jsonl" >kept.jsonl
    grep '"entry"' kept.jsonl | sed 's/c-kept/c-before/g; s/"tag":"kept"/"tag":"before"/; s/2066-01-02/2066-01-01/g; s/aa"/ab"/' >before.jsonl
    abdb import -q kept.jsonl before.jsonl
    while IFS='|' read -r selection sql; do
        n=$(abdb export "$selection" -o jsonl | grep -c '"record":"entry"') || { echo "none: $selection"; false; }
        same "$n" "$(ask "SELECT count(DISTINCT entry_id) FROM v_result WHERE $sql")" || { echo "$selection"; false; }
    done <<'LIST'
device=H100-SXM|device = 'H100-SXM'
devices>8,devices<=16|devices > 8 AND devices <= 16
device~H?00*|device GLOB 'H?00*'
factor.n=4|entry_id IN (SELECT entry_id FROM v_factor WHERE factor = 'n' AND num = 4)
tag=kept|tag = 'kept'
run=latest|campaign = 'c-kept'
run=latest~1|campaign = 'c-before'
run!=e-0|run <> 'e-0'
device="Kept 1"|device = 'Kept 1'
device=H200-SXM,scenario=Offline|device = 'H200-SXM' AND scenario = 'Offline'
devices>=8,devices<16,evidence=mlperf|devices >= 8 AND devices < 16 AND evidence = 'mlperf'
evidence!=mlperf|evidence <> 'mlperf'
LIST
    # of those that are compared also by metrics of the same run
    for where in 'time_s<1' 'time_s:median>=0.5' 'time_s:median=0.5,n=4'; do
        same "$(abdb compare tag=kept tag=before --metric time_s --where "$where" -o csv | wc -l)" 2
    done
    run abdb compare tag=kept tag=before --metric time_s --where 'time_s>1'
    fails 2 "no result matches"
}

# Every fact with its key.
told() {
    ask "SELECT 'result', key, value, unit FROM v_result UNION ALL SELECT 'statement', key, value, unit FROM v_statement
      UNION ALL SELECT 'spec', key, value, unit FROM v_spec UNION ALL SELECT 'price', key, amount, currency FROM v_price ORDER BY 1, 2"
}

@test "records and results of the first version are imported with their original keys" {
    golden=$root/tests/golden/promises-keys.txt
    same "$(abdb import "$fixtures/records.jsonl" "$fixtures/results.csv" "$fixtures/standing.jsonl" 2>&1 | grep -c 'cannot\|version')" 0
    # a record of each kind that is written, and no field of them is left out
    run abdb import "$fixtures/promises.jsonl"
    fails 0 " 27 accepted, 0 duplicate, 0 rejected"
    [[ $output != *"left out"* ]]
    same "$(abdb export -o jsonl | sed 's/^{"record":"\([a-z_]*\)".*/\1/' | sort -u)" "$(sed 's/^{"record":"\([a-z_]*\)".*/\1/' "$fixtures/promises.jsonl" | sort -u)"
    { told
        ask "SELECT DISTINCT 'entry', run FROM v_result ORDER BY run"; } >now
    [ "$(wc -l <now)" -gt 2 ]
    [ -z "${UPDATE-}" ] || cp now "$golden"
    diff "$golden" now
}

@test "a backend of the first protocol 1 works unchanged" {
    mkdir backends && cp "$fixtures/backend_1.sh" backends/abdb-run-first && chmod +x backends/abdb-run-first
    export ABDB_BACKENDS=$dir/backends ASKED=$dir/asked
    run abdb run -q --backend first --kernel sum --axis n=7,8 --axis dtype=f32 --quick --tag kept
    # one of the two is wrong
    same "$status" 4
    { cat asked
        ask "SELECT cell, status, verified, time_s, n, flops_per_s, bytes_per_s, threads, chosen, device, tag FROM v_kernel ORDER BY cell"
        ask "SELECT metric, statistic, value, unit FROM v_result WHERE workload = 'sum' ORDER BY 1, 2, 3"
        ask "SELECT value FROM v_sample ORDER BY 1"; } >now
    [ -z "${UPDATE-}" ] || cp now "$root/tests/golden/promises-protocol.txt"
    diff "$root/tests/golden/promises-protocol.txt" now
}

@test "SQL functions and tables equal the promised list" {
    [[ $build != *sanitize* ]] || skip "the extension is not built with sanitizers"
    sql() { sqlite3 :memory: ${2:+-cmd ".load $2"} "$1" | sort -u; }
    functions="SELECT 'function ' || name || ' ' || narg FROM pragma_function_list"
    modules="SELECT 'table ' || m.name || ' ' || c.cid || ' ' || c.name FROM pragma_module_list m JOIN pragma_table_xinfo(m.name) c WHERE m.name LIKE 'abdb\_%' ESCAPE '\'"
    { comm -13 <(sql "$functions") <(sql "$functions" "$build/abdb.so"); sql "$modules" "$build/abdb.so"; } >now
    [[ $(grep -c ^function now) -gt 10 && $(grep -c ^table now) -gt 50 ]]
    kept_as promises-sql.txt
}

@test "the Python module and the options of its pytest plug-in equal the promised list" {
    PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$root/query/python /usr/bin/python3 - >now <<'P'
import abdb, inspect, pathlib, re
for name, it in sorted(vars(abdb).items()):
    if name.startswith("_") or inspect.ismodule(it) or not callable(it): continue
    print("python", name, inspect.signature(it))
    for member in sorted(vars(it)) if inspect.isclass(it) else []:
        if member == "_repr_html_" or not member.startswith("_"): print(f"python {name}.{member}")
plugin = pathlib.Path(abdb.__file__).with_name("pytest_plugin.py").read_text()
print("\n".join("pytest " + option for option in re.findall(r'addoption\("(--[a-z-]+)"(?!.*SUPPRESS)', plugin)))
P
    [ "$(grep -c ^pytest now)" -gt 4 ]
    kept_as promises-python.txt
}

# A database of the first version that promises, and what it says: tests/golden/version-1.db.xz.base64 and .txt,
# which never change.
@test "a database of 1.0 is migrated and written, and keeps every key and value" {
    golden=$root/tests/golden/version-1
    if [ ! -e "$golden.db.xz.base64" ]; then
        [ -n "${UPDATE-}" ] && [[ $(abdb --version) != *" 0."* ]] || skip "no database of 1.0 yet: make golden makes it once the version is 1.0"
        (cd "$fixtures" && abdb import -q {records.jsonl,results.csv,standing.jsonl,checker.csv,prices.csv,specs.csv})
        told >"$golden.txt"
        xz -9 -c "$ABDB_DB" | base64 >"$golden.db.xz.base64"
    fi
    base64 -d "$golden.db.xz.base64" | xz -d >old.db
    export ABDB_DB=$dir/old.db
    abdb init >/dev/null # brings it to the tables of today
    told >read
    [ "$(wc -l <read)" -gt 20 ]
    diff "$golden.txt" read
    abdb import -q "$fixtures/questions.csv"
    told | grep -Fxf "$golden.txt" | diff "$golden.txt" -
}

#!/usr/bin/env bats
# promises.bats - what PROMISES.md says is kept: views, reports, verbs, options, exit codes, selections, records.
load common

# Everything that has a name others may use, a line each.
promised() {
    local verb
    abdb init >/dev/null
    sqlite3 "$ABDB_DB" "SELECT 'view ' || m.name || ' ' || p.cid || ' ' || p.name FROM sqlite_master m JOIN pragma_table_info(m.name) p
      WHERE m.type = 'view' AND m.name LIKE 'v\_%' ESCAPE '\' ORDER BY m.name, p.cid"
    (cd "$root/query/reports" && awk '/^-- param: / { print "report", FILENAME, "param", $3 } /^-- column: / { print "report", FILENAME, "column", $3 }' ./*.sql)
    (cd "$root/plots/figures" && printf 'figure %s\n' ./*.gp)
    for verb in $(abdb help --complete '' | cut -f1); do
        printf 'verb %s\n' "$verb"
        abdb help --man "$verb" | sed -n 's/\\-/-/g; s/\\fB//g; s/\\fR//g; s/\\fI//g; s/^\(-., \)\{0,1\}\(--[a-z0-9-]*\)\(.*\)$/option '"$verb"' \2\3/p'
    done
    sed -n 's/^\(FIELD\|METRIC\)(\([a-z0-9_]*\), *"\{0,1\}\([^",]*\)"\{0,1\},.*/\1 \2 \3/p' "$root/schema/core/field.def" "$root/schema/core/metric.def"
    sqlite3 "$ABDB_DB" "SELECT 'formula ' || formula FROM v_formula ORDER BY 1"
}

@test "views, reports, figures, verbs, options, fields and metrics are those that are promised" {
    golden=$root/tests/golden/promises.txt
    promised >now
    [ "$(wc -l <now)" -gt 1000 ]
    [ -z "${UPDATE-}" ] || cp now "$golden"
    gone=$(comm -23 <(sort "$golden") <(sort now))
    [ -z "$gone" ] || { printf 'promised, and gone:\n%s\n' "$gone"; false; }
    new=$(comm -13 <(sort "$golden") <(sort now))
    [ -z "$new" ] || { printf 'new, and not written down (make golden):\n%s\n' "$new"; false; }
}

@test "exit codes" {
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

@test "selections of every form are accepted, and mean the same" {
    filled "$fixtures/questions.csv"
    while IFS='|' read -r selection sql; do
        same "$(abdb export "$selection" -o jsonl | grep -c '"record":"entry"')" \
            "$(ask "SELECT count(DISTINCT entry_id) FROM v_result WHERE $sql")" || { echo "$selection"; false; }
    done <<'LIST'
device=H100-SXM|device = 'H100-SXM'
device=H100-SXM,scenario=Server|device = 'H100-SXM' AND scenario = 'Server'
devices>=8,devices<16,evidence=mlperf|devices >= 8 AND devices < 16 AND evidence = 'mlperf'
evidence!=mlperf|evidence <> 'mlperf'
LIST
}

@test "records and results of the first version are read, and have the keys that they had" {
    golden=$root/tests/golden/promises-keys.txt
    same "$(abdb import "$fixtures/records.jsonl" "$fixtures/results.csv" "$fixtures/standing.jsonl" 2>&1 | grep -c 'cannot\|version')" 0
    ask "SELECT key, value, unit FROM v_result ORDER BY key" >now
    [ "$(wc -l <now)" -gt 2 ]
    [ -z "${UPDATE-}" ] || cp now "$golden"
    diff "$golden" now
}

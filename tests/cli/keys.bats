#!/usr/bin/env bats
# keys.bats - keys that join: what a join of public views by result_id costs against the tables behind them.
load common

# Steps of SQLite's machine that a query takes: they are the same on every machine, however busy.
steps() { printf '.stats on\n%s;\n' "$1" | sqlite3 "$ABDB_DB" | sed -n 's/^Virtual Machine Steps: *//p'; }

# N cells of 20 samples, on two machines
cells() {
    awk -v n="$1" 'BEGIN {
        for (k = 1; k <= n; k++) {
            printf "{\"record\":\"entry\",\"field\":{\"evidence\":\"measured\",\"kind\":\"run\",\"source\":\"abdb-run\",\"verified\":\"pass\",\"workload\":\"gemm\","
            printf "\"device\":\"Box %d\",\"campaign\":\"c-%d\"},\"factor\":{\"n\":\"%d\"},", k % 2, k % 7, k
            printf "\"result\":[{\"metric\":\"time_s\",\"statistic\":\"median\",\"value\":%d,\"samples\":[", k
            for (i = 0; i < 20; i++) printf "%s[%d,%d,-1,null]", i ? "," : "", k + i, i
            print "]}]}"
        }
    }'
}

@test "samples joined with results by result_id cost little more than the tables" {
    cells 300 >cells.jsonl
    abdb import -q cells.jsonl
    views="SELECT count(*), sum(s.value) FROM v_sample s JOIN v_result r USING (result_id) WHERE r.raw_device = 'Box 1'"
    tables="SELECT count(*), sum(s.value) FROM description d JOIN entry_row e USING (description_id) JOIN result_row r USING (entry_id)
            JOIN sample_row s ON s.sample_id BETWEEN r.first_sample AND r.last_sample WHERE d.device = 'Box 1'"
    same "$(sqlite3 "$ABDB_DB" "$views")" "$(sqlite3 "$ABDB_DB" "$tables")"
    same "$(sqlite3 "$ABDB_DB" "$views" | cut -d'|' -f1)" 3000
    [ -n "$(steps "SELECT 1")" ] || skip "this sqlite3 counts no steps"
    a=$(steps "$views") b=$(steps "$tables")
    echo "views $a steps, tables $b"
    [ "$b" -gt 3000 ]
    [ $((4 * a)) -le $((5 * b)) ] # in time the goal is 1.2
}

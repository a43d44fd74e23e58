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

@test "a join of samples and results by result_id costs little more than the tables" {
    cells 300 >cells.jsonl
    abdb import -q cells.jsonl
    sqlite3 "$ABDB_DB" ANALYZE # with statistics SQLite looked for the first sample alone and went through all that follow
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

@test "a join of samples costs little in a small counted file, and in one with statistics of a large file" {
    [ -n "$(steps "SELECT 1")" ] || skip "this sqlite3 counts no steps"
    tables="SELECT count(*) FROM description d JOIN entry_row e USING (description_id) JOIN result_row r USING (entry_id)
            CROSS JOIN sample_row s ON s.sample_id BETWEEN r.first_sample AND r.last_sample WHERE"
    for n in 3 30 100; do
        export ABDB_DB=$dir/$n.db
        cells $n >cells.jsonl
        abdb import -q cells.jsonl
        sqlite3 "$ABDB_DB" ANALYZE # one end of the samples was taken for enough: all that follow were gone through
        a=$(steps "SELECT count(*) FROM v_sample s JOIN v_result r USING (result_id) WHERE r.raw_device = 'Box 1'")
        b=$(steps "$tables d.device = 'Box 1'")
        c=$(steps "SELECT count(*) FROM v_sample WHERE result_id IN (SELECT result_id FROM v_result WHERE campaign = 'c-2')")
        d=$(steps "$tables d.campaign = 'c-2'")
        echo "$n cells: $a steps of views, $b of tables; $c, $d"
        [[ $b -gt 100 && $d -gt 100 ]]
        [ $((4 * a)) -le $((5 * b + 400)) ]
        [ $((4 * c)) -le $((8 * d + 400)) ] # what IN looks for is made, too
    done
    # the planner's counts as they are of many results with many samples: it would begin with the samples
    sqlite3 "$ABDB_DB" "UPDATE sqlite_stat1 SET stat = CAST(stat AS INTEGER) * 20000 || substr(stat, instr(stat || ' ', ' '))
        WHERE tbl IN ('entry_row', 'result_row', 'sample_row', 'description')"
    for where in "r.workload = 'gemm'" "r.value > 5" "r.device = 'Box 1'" "r.evidence = 'measured'"; do
        for joined in "v_sample s JOIN v_result r" "v_result r JOIN v_sample s"; do
            plan=$(sqlite3 "$ABDB_DB" "EXPLAIN QUERY PLAN SELECT count(*), avg(s.value) FROM $joined USING (result_id) WHERE $where")
            [[ $plan == *"SEARCH s USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)"* && $plan != *"SCAN s"* ]] || { echo "$joined WHERE $where: $plan"; false; }
        done
    done
}

# N machines with ceilings of their own
machines() {
    for i in $(seq "$1"); do
        printf '{"record":"entry","field":{"evidence":"measured","kind":"run","source":"abdb-run","verified":"pass","workload":"gemm","device":"Machine %d","devices":"1",' "$i"
        printf '"dtype":"f32","campaign":"m-%d"},"factor":{"ceiling":"peak_flops"},"result":[{"metric":"flops_per_s","statistic":"median","value":%d}]}\n' "$i" "$i"
    done
}

@test "the cost of the share of a ceiling does not grow with the number of machines" {
    machines 20 >few.jsonl
    machines 400 >many.jsonl
    [ -n "$(steps "SELECT 1")" ] || skip "this sqlite3 counts no steps"
    cost() { # of some results
        for view in v_normalised v_ceiling_of v_roof; do
            for what in "count(*)" "*"; do steps "SELECT $what FROM $view WHERE result_id IN ($some)"; done
        done
    }
    abdb import -q few.jsonl
    same "$(sqlite3 "$ABDB_DB" "SELECT n.value, n.basis FROM v_normalised n JOIN v_result r USING (result_id) WHERE r.campaign = 'm-7' AND n.formula = 'mfu@1'")" "1.0|measured"
    some=$(sqlite3 "$ABDB_DB" "SELECT group_concat(result_id) FROM v_result WHERE campaign IN ('m-7', 'm-9')")
    cost >before
    abdb import -q many.jsonl
    same "$(sqlite3 "$ABDB_DB" "SELECT count(*) FROM v_ceiling")" 400
    cost >after
    paste -d' ' before after | awk '$2 > 1.1 * $1 + 20 { print "with 20 machines", $1, "steps, with 400", $2; bad = 1 } END { exit bad }'
}

#!/usr/bin/env bats
# bulk.bats - many new rows in one file: the way that drops indexes and stores rows many at a time.
load common

rows() { # FROM TO: rows of a results file; every 100th says what the one before said, every 1000th is bad
    awk -v from="$1" -v to="$2" 'BEGIN {
        print "evidence,source,workload,model,device,metric,value,unit,locator,fact,factor.batch,also.power_w,n"
        for (i = from; i <= to; i++) {
            k = i % 100 == 0 ? i - 1 : i
            value = i % 1000 == 0 ? "many" : k * 1.1
            printf "published,me,serving,m%d,d%d,tokens_per_s,%s,token/s,row %d,%s,%d,%s W,%s\n", k % 300, k % 7, value, k,
                k % 5000 ? "" : "fact-" k, k % 9, k / 8, (i > 20000 ? 5 : "") # a column that nobody says at first
        }
    }'
}
schema() { sqlite3 "$1" "SELECT type, name, sql FROM sqlite_schema WHERE name <> 'sqlite_stat1' ORDER BY 1, 2"; }

@test "a large import stores the same facts, places and indexes as many small imports" {
    rows 1 45000 >all.csv
    for i in $(seq 0 24); do rows $((i * 1800 + 1)) $((i * 1800 + 1800)) >part$i.csv; done # none is many
    run abdb import --db all.db all.csv --timing
    fails 0 "45000 rows: 44550 accepted, 405 duplicate, 45 rejected"
    [[ "$output" == *"index entry_by_key"* ]]
    run abdb import -q --db parts.db part*.csv
    same "$(facts all.db)" "$(facts parts.db)"
    for db in all parts; do
        same "$(sqlite3 $db.db 'PRAGMA integrity_check')" ok
        same "$(sqlite3 $db.db 'SELECT count(*), count(DISTINCT entry_id) FROM witness')" "44955|44550"
    done
    same "$(schema all.db)" "$(schema parts.db)"
}

@test "a repeated large import, and one into a file with some of the rows, give the same facts" {
    rows 1 30000 >all.csv
    rows 1 30000 | sed '2s/serving/training/' >again.csv
    rows 1000 2000 >few.csv
    abdb import -q --db a.db few.csv || [ $? -eq 5 ]
    abdb import -q --db a.db all.csv || [ $? -eq 5 ]
    abdb import -q --db b.db all.csv || [ $? -eq 5 ]
    before=$(facts b.db)
    same "$(facts a.db)" "$before"
    run abdb import --db b.db again.csv
    [[ "$output" == *"1 accepted"* ]] || { echo "$output"; false; }
    same "$(sqlite3 b.db "SELECT count(*) FROM entry WHERE workload = 'training'")" 1
}

@test "an interrupted large import leaves the file as it was" {
    rows 1 1000 >few.csv
    rows 1 400000 >all.csv
    abdb import -q few.csv || [ $? -eq 5 ]
    before=$(facts) shape=$(schema t.db)
    for pause in 0.2 0.5 0.9; do
        abdb import -q all.csv &
        sleep $pause
        kill -9 $! 2>/dev/null || true
        wait $! 2>/dev/null || true
        [ "$(ask "SELECT count(*) FROM artifact")" -eq 1 ] || continue # it was faster
        same "$(facts)" "$before"
        same "$(schema t.db)" "$shape"
        same "$(sqlite3 t.db 'PRAGMA integrity_check')" ok
    done
    # an error in the last line: rows are refused, nothing else
    { rows 1 30000; printf 'published,me,"open'; } >open.csv
    run abdb import --db open.db open.csv
    same "$(sqlite3 open.db 'SELECT count(*) FROM entry')" 0
    abdb import -q --db open.db few.csv || [ $? -eq 5 ]
    abdb import -q --db few.db few.csv || [ $? -eq 5 ]
    same "$(facts open.db)" "$(facts few.db)"
    same "$(schema open.db)" "$(schema few.db)"
}

# Processor seconds of a command, in hundredths.
cpu() {
    local took
    took=$( { TIMEFORMAT='%U %S'; time "$@" >/dev/null 2>&1; } 2>&1 )
    awk '{ printf "%d", 100 * ($1 + $2) + 1 }' <<<"$took"
}

@test "an import of a small file does not slow down the import of a large one" {
    alone=$(cpu abdb import -q "$root/data")
    rm t.db
    abdb import -q "$fixtures/serving.json"
    after=$(cpu abdb import -q "$root/data")
    [ "$after" -lt $((3 * alone + 20)) ] || { echo "$after, alone $alone"; false; }
}

#!/usr/bin/env bats
# query.bats - reports, SQL, formats, the guard.
load common

fill() { filled "$root/data"; }

@test "perf-per-dollar computes the four published figures from rate and price" {
    fill
    same "$(abdb query perf-per-dollar --price-date 2024-02-01 -o csv 2>/dev/null | awk -F, 'NR > 1 && $7 != "" { printf "%s %.4f\n", $1, $7 }')" \
        $'Gaudi2 0.6646\nA100-SXM-40GB 0.1572\nA100-SXM-80GB 0.1378\nH100-SXM 0.1280'
}

@test "perf-per-dollar: a changed price changes its device and nothing else" {
    fill
    abdb query perf-per-dollar -o csv --today 2024-01-05 2>/dev/null >before
    mkdir changed
    cp -r "$root/data/." changed
    sed -i '/Gaudi2,1,/s/1\.30/2.60/' changed/prices.csv
    rm t.db
    abdb import -q changed
    abdb query perf-per-dollar -o csv --today 2024-01-05 2>/dev/null >after
    same "$(awk -F, '$1 == "Gaudi2" { printf "%.4f", $7 }' after)" 0.3323
    same "$(grep -v ^Gaudi2 before | sed 's/,"prices are .*//' | sort)" "$(grep -v ^Gaudi2 after | sed 's/,"prices are .*//' | sort)" # without the warnings
}

@test "the SQL of reports has no product names" {
    # the default source of a report is a source's name, whatever its title was made of
    same "$(grep -vE '^-- param: source ' "$root"/query/reports/*.sql | grep -iE 'gaudi|h100|a100|mi300|b200|nvidia|intel')" ""
}

@test "perf-per-dollar prints differences between system and device prices, and their ages" {
    fill
    run abdb query perf-per-dollar --today 2026-01-01 --price-date 2024-02-01
    fails 0 "40.79 per hour for 8 is 5.0988 each, but 5.12 is published per device"
    [[ $output != *"1.3025 each"* ]] # 10.42 for 8 and 1.30 are one price within the rounding of both
    fails 0 "prices are up to 728 days old"
}

@test "mlperf-llm prints filtered totals and values per device, footnotes, and left-out rows" {
    fill
    run abdb query mlperf-llm --round v6.0 --model llama2-70b-99 --scenario Server
    fails 0 "B300-SXM"
    fails 0 "14313.0"
    fails 0 "† derived by abdb"
    fails 0 "mlperf-site says 87 chips, mlperf-checker says 88 chips"
    fails 0 "The MLPerf name and logo are registered and unregistered trademarks of MLCommons Association"
    fails 0 "entries v6.0-0002, v6.0-0010"
    same "$(abdb query mlperf-llm --round v5.1 --accelerator H200-SXM --model llama2-70b-99 -o csv 2>/dev/null | wc -l)" 4
    same "$(abdb query mlperf-llm --round all --all --division closed -o csv 2>/dev/null | cut -d, -f1 | sort -u | tr '\n' ' ')" "round v4.0 v4.1 v5.0 v5.1 v6.0 v6.1 "
}

@test "mlperf-llm prints language models only" {
    fill
    abdb import -q "$fixtures/checker.csv"
    run abdb query mlperf-llm --round all --all -o csv
    [[ "$output" != *whisper* ]]
    [[ "$output" == *Fast-80GB* ]]
}

@test "an unknown value, report or option is refused with the nearest name" {
    fill
    run abdb query mlperf-llm --round v6.9
    fails 2 "did you mean 'v6."
    run abdb query mlperf-lm
    fails 2 "did you mean 'mlperf-llm'"
    run abdb query mlperf-llm --rond v6.0
    fails 2 "did you mean --round"
    run abdb query mlperf-llm --limit many
    fails 2 "wants a number"
    run abdb query --schema v_reslt
    fails 2 "did you mean v_result"
    run abdb qery
    fails 2 "did you mean 'query'"
    run abdb query artifacts -o jason
    fails 2 "did you mean json"
}

@test "each of seven formats prints the answer, machine formats exactly" {
    fill
    for f in table markdown csv json jsonl html latex; do
        run abdb query perf-per-dollar -o $f --today 2024-01-05
        fails 0 Gaudi2
    done
    same "$(abdb query perf-per-dollar --price-date 2024-02-01 --json 2>/dev/null | jq -r '.[0].exaflop_per_usd * 1000000 | floor')" 664615
    same "$(abdb query perf-per-dollar -o jsonl 2>/dev/null | jq -s length)" 5
    same "$(abdb query perf-per-dollar -o csv 2>/dev/null | python3 -c 'import csv, sys; print(len(list(csv.DictReader(sys.stdin))))')" 5
    abdb query perf-per-dollar -o html --out page.html
    python3 - <<'P'
from html.parser import HTMLParser
class C(HTMLParser):
    depth = 0
    def handle_starttag(self, tag, attrs): self.depth += tag not in ("meta", "br")
    def handle_endtag(self, tag): self.depth -= 1
c = C(); c.feed(open("page.html").read()); assert c.depth == 0, c.depth
P
}

@test "CSV and JSON keep exact numbers" {
    fill
    same "$(abdb query "SELECT 0.1 + 0.2 AS x, 1e300 AS y, 9007199254740993 AS z, NULL AS n;" -o csv | tail -1)" \
        "0.30000000000000004,1e+300,9007199254740993,"
    same "$(abdb query "SELECT 1e999 AS x;" -o json)" '[{"x":null}]'
    same "$(abdb query "SELECT 1 AS n, 2 AS n, 3 AS n_2, 4 AS n;" -o json)" '[{"n":1,"n_2":2,"n_2_2":3,"n_3":4}]' # none is lost
}

@test "query never changes the database" {
    fill
    before=$(sha256sum <t.db)
    for sql in "DELETE FROM entry;" "DROP VIEW v_result;" "CREATE TABLE x (y);" "PRAGMA user_version = 9;" \
        "PRAGMA journal_mode = DELETE;" "ATTACH 'x.db' AS x;" "INSERT INTO meta VALUES (1, 2);" "VACUUM;" "VACUUM INTO 'y.db';" \
        "SELECT load_extension('x') FROM meta;" "SELECT 1; DELETE FROM entry;" "BEGIN; DELETE FROM entry; COMMIT;" \
        "CREATE TEMP TABLE x (y);" "PRAGMA writable_schema = ON;" "REINDEX;" "SELECT writefile('z', 'x') FROM meta;"; do
        run abdb query "$sql"
        [ "$status" -ne 0 ] || { echo "allowed: $sql"; false; }
        run bash -c 'printf "%s\n" "$1" | abdb query -i' _ "$sql"
    done
    same "$(sha256sum <t.db)" "$before"
    same "$(ls)" t.db
}

@test "a time-out ends an endless query" {
    abdb init >/dev/null
    run abdb query --timeout 0.3 "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n;"
    fails 6 "time-out"
}

@test "an error in SQL has its line and place" {
    abdb init >/dev/null
    run abdb query "SELECT
 devce FROM v_result;"
    fails 2 "line 2: no such column: devce"
}

@test "query prints the SQL, help, the schema and the list of reports" {
    fill
    run abdb query specs --sql
    fails 0 "FROM v_spec"
    run abdb query mlperf-llm --help
    fails 0 "llama2-70b-99"
    fails 0 "tokens_per_s_per_chip"
    run abdb query --schema v_price
    fails 0 "per_device_hour"
    run abdb query
    fails 0 "perf-per-dollar"
}

@test "a user-defined report and an SQL file with -f are run" {
    fill
    mkdir -p own/reports
    cat >own/reports/mine.sql <<'S'
-- title: Vendors {vendor}
-- param: vendor | text | | one of them | SELECT DISTINCT vendor FROM v_device
-- column: n | devices | | how many
SELECT vendor, count(*) AS n FROM v_device WHERE :vendor IS NULL OR vendor = :vendor GROUP BY vendor;
S
    export ABDB_PATH=$dir/own
    same "$(abdb query mine --vendor AMD -o csv | tail -1)" "AMD,$(ask "SELECT count(*) FROM v_device WHERE vendor = 'AMD'")"
    run abdb query
    fails 0 "mine"
    same "$(abdb query -f own/reports/mine.sql --vendor Intel -o csv | tail -1)" "Intel,$(abdb query "SELECT count(*) AS n FROM v_device WHERE vendor = 'Intel'" -o csv | tail -1)"
    echo "SELECT 7 AS seven" >q.sql
    same "$(abdb query -f q.sql -o csv | tail -1)" 7
    printf -- '-- param: broken\nSELECT 1;' >own/reports/bad.sql
    run abdb query bad
    fails 2 "wants a type"
    printf -- "-- title: A\n-- footnotes: no\nSELECT 1;" >own/reports/bad.sql
    run abdb query bad
    fails 2 "footnotes are none or legend"
}

@test "a table of a report is computed once for rows and notes, and nothing else is written" {
    fill
    mkdir -p own/reports
    export ABDB_PATH=$dir/own
    cat >own/reports/once.sql <<'S'
-- title: Once {n}
-- param: n | number | 3 | rows
-- param: limit | number | 2 | rows at most
-- column: x | x | | any number
-- @table drawn
WITH RECURSIVE i (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM i WHERE i < :n) -- a comment
SELECT i, random() AS x FROM i
-- @table most
SELECT max(x) AS x FROM drawn
-- @rows
SELECT x, count(*) OVER () AS _whole FROM drawn ORDER BY x DESC LIMIT :limit;
-- @notes
SELECT 'most: ' || x FROM most UNION ALL SELECT 'rows: ' || count(*) FROM drawn;
S
    abdb query once -o csv >rows 2>notes
    same "$(grep -o 'most: .*' notes)" "most: $(sed -n 2p rows)" # random() in both: computed twice they would differ
    grep -q "rows: 3" notes
    same "$(abdb query once --n 9 | tail -1)" "… 7 more (--limit)"
    # a name of a table or view of the database hides it for this report alone
    printf -- '-- title: T\n-- @table v_device\nSELECT 5 AS n\n-- @rows\nSELECT n, (SELECT count(*) FROM v_spec) > 9 AS specs FROM v_device;\n' >own/reports/hide.sql
    same "$(abdb query hide -o csv 2>/dev/null | tail -1)" "5,1"
    before=$(sha256sum <"$ABDB_DB")
    try() { # the statement of a table is refused, saying why
        printf -- '-- title: T\n-- @table t\n%s\n-- @rows\nSELECT 1;\n' "$1" >own/reports/try.sql
        run abdb query try
        fails 2 "$2"
    }
    try "SELECT 1 AS a; DELETE FROM device" "not also: DELETE FROM device"
    try "SELECT 1 AS a; SELECT 2" "one statement"
    try "DELETE FROM device" "syntax error"
    try "SELECT load_extension('x')" "may not call the function load_extension"
    try "SELECT a FROM nowhere" "no such table: nowhere"
    for write in "DELETE FROM device" "CREATE TEMP TABLE u (a)" "INSERT INTO t VALUES (2)" "DROP TABLE t" "PRAGMA query_only = OFF"; do # tables stay as they are
        printf -- '-- title: T\n-- @table t\nSELECT 1 AS a\n-- @rows\n%s;\n' "$write" >own/reports/try.sql
        run abdb query try
        fails 2 "only reads"
    done
    same "$(sha256sum <"$ABDB_DB")" "$before"
}

@test "the shell prints answers, refuses mistakes and continues" {
    fill
    run bash -c "printf 'SELECT count(*) AS n\nFROM v_device;\nSELEC;\n.mode csv\nSELECT 2 AS two;\n.schema v_price\n.help\n.quit\n' | abdb query -i"
    fails 0 "$(abdb query "SELECT count(*) AS n FROM v_device" -o csv | tail -1)"
    fails 0 "two"
    fails 0 "per_device_hour"
    fails 0 "syntax error"
}

@test "plain sqlite3 opens the database and reads the views" {
    fill
    same "$(sqlite3 t.db "SELECT count(*) FROM v_result WHERE source = 'databricks-gaudi2'")" 60
    for v in $(sqlite3 t.db "SELECT name FROM sqlite_schema WHERE type = 'view'"); do
        sqlite3 t.db "SELECT * FROM $v LIMIT 3" >/dev/null || { echo "$v"; false; }
    done
    same "$(sqlite3 t.db 'PRAGMA foreign_key_check' | wc -l)" 0
    same "$(sqlite3 t.db "SELECT count(*) FROM pragma_table_list WHERE type = 'table' AND strict = 0 AND name NOT LIKE 'sqlite%'")" 0
    same "$(sqlite3 t.db ".load $build/abdb.so sqlite3_abdb_init" "SELECT to_unit(2039, 'GB/s', 'TB/s')")" 2.039
}

@test "every shipped result has a source and a locator" {
    fill
    same "$(ask "SELECT count(*) FROM v_statement WHERE coalesce(source, '') = '' OR coalesce(locator, '') = ''")" 0
    same "$(ask "SELECT count(*) FROM v_spec WHERE locator = ''")" 0
    same "$(ask "SELECT count(*) FROM v_price WHERE locator = '' OR valid_from IS NULL")" 0
}

@test "read-only files and folders are read; files of other programs are refused" {
    fill
    chmod 444 t.db
    run abdb query sources
    fails 0 databricks
    if [ "$(id -u)" = 0 ]; then
        mkdir ro
        chmod 644 t.db
        mount -t tmpfs tmpfs ro || skip "cannot mount"
        cp t.db ro
        mount -o remount,ro ro
        run abdb query sources --db ro/t.db
        code=$status text=$output
        run abdb import "$fixtures/checker.csv" --db ro/t.db
        umount ro
        same "$code" 0
        [[ "$text" == *databricks* ]]
        [ "$status" -eq 6 ]
        [[ "$output" == *"cannot be written"* || "$output" == *read-only* ]]
    fi
    sqlite3 other.db "CREATE TABLE x (y)"
    run abdb query sources --db other.db
    fails 6 "not abdb's"
    run abdb query sources --db nothere.db
    fails 6 "no database at nothere.db"
    run abdb query sources --db "$fixtures/checker.csv"
    fails 6 "not an abdb database"
}

@test "a reader sees the previous state during a write" {
    fill
    sqlite3 t.db "BEGIN IMMEDIATE; DELETE FROM subject; SELECT 'held';" ".shell abdb query sources -o csv --db $dir/t.db > seen" "ROLLBACK" >/dev/null
    grep -q databricks seen
}

@test "unresolved names after an interrupted import give a warning, and abdb init resolves them" {
    abdb import -q "$fixtures/results.csv"
    run abdb query sources
    [[ "$status" -eq 0 && "$output" != *"not resolved"* ]]
    sqlite3 t.db "UPDATE meta SET value = '0' WHERE key = 'derived.entry'" # as an import that was killed before its end leaves it
    run abdb query sources
    fails 0 "names are not resolved yet: an import is under way, or was interrupted"
    abdb init
    run abdb query sources
    [[ "$status" -eq 0 && "$output" != *"not resolved"* ]]
}

@test "a number outside of the range of a parameter is refused; an empty report prints: no rows" {
    filled "$root/data"
    for bad in "utilisation=70 above 0 and at most 1" "utilisation=0 above 0" "pue=0.5 of at least 1" "life=0 above 0" "capital=-1 of at least 0"; do
        set -- $bad
        run abdb query cost-model "--${1%=*}" "${1#*=}"
        fails 2 "--${1%=*} wants a number ${*:2}"
    done
    abdb query cost-model --utilisation 1 --pue 1 --capital 0 >/dev/null
    run abdb choose --model llama2-70b --scenario Server --rate 100k/s --limit 0
    fails 2 "--limit wants a number of at least 1, not '0'"
    run abdb query latency-throughput
    fails 0 "(no rows)"
    mkdir -p own/reports
    printf -- '-- title: T\n-- param: n | number many | 1 | x\nSELECT :n AS n;\n' >own/reports/odd.sql
    ABDB_PATH=$dir/own run abdb query odd --n 1
    fails 6 "'many' is no range"
}

@test "query without a name prints the list of reports as rows with -o and --json" {
    same "$(abdb query --json | jq -r '.[] | select(.report == "specs").group')" "$(abdb query | grep -B40 '^  specs ' | grep '^[A-Z].*?$' | tail -1)"
    same "$(abdb query -o csv | head -1)" report,group,question
    [ "$(abdb query --json | jq length)" -gt 50 ]
}

@test "sweep takes the machine measured last among those with the selected cells" {
    abdb import -q "$fixtures/figures.jsonl"
    before=$(abdb query sweep --x fmas -o csv)
    [ "$(wc -l <<<"$before")" -gt 3 ]
    printf 'evidence,kind,source,verified,workload,device,devices,dtype,backend,campaign,cell,date,metric,statistic,value,unit,locator\nmeasured,run,abdb-run,pass,stream,Newer,1,f32,vec,newer,stream,2027-01-01,time_s,median,1,s,a\n' | abdb import -q -
    same "$(abdb query sweep --x fmas -o csv)" "$before"
    same "$(abdb query sweep --x fmas --only dtype=f8 -o csv | wc -l)" 1
}

@test "roofline: a point above the roof of memory is explained by a cache that holds its operands" {
    filled "$root/data"
    abdb query roofline --device "Intel family 6 model 167 with 2 virtual processors" | grep -q '^above the roof of memory: 1 point whose operands a cache holds (L3)$'
    abdb plot roofline --device "Intel family 6 model 167 with 2 virtual processors" --script >script
    grep -q 'above the roof of memory: 1 point' script
    grep -q 'strstrt(words\[i\], " i")' script # integers have operations
}

@test "every number of a report is a number in JSON" {
    filled "$root/data" "$fixtures"/{figures,fleet,standing,llama_bench}.jsonl "$fixtures"/{questions,checker}.csv
    abdb run -q --kernel fma --backend vec --axis dtype=f32 --quick
    for report in "$root"/query/reports/*.sql; do
        name=$(basename "$report" .sql)
        abdb query "$name" -o json 2>/dev/null | jq -r --arg name "$name" '(.[0] // {} | keys[]) as $c | [.[][$c] | select(. != null)] |
            select(length > 0 and all(type == "string" and test("^-?[0-9.]+(e[-+]?[0-9]+)?$"))) | "\($name) \($c): \(.[0])"'
    done >texts || true
    same "$(cat texts)" ""
    same "$(abdb query ceilings -o json 2>/dev/null | jq -r '.[].threads | type' | sort -u)" number
}

@test "the title of a plan is complete without the plan; a note on one thing is in the singular" {
    run abdb run --list
    fails 0 "measured-ranks what abdb ships of two processes"
    printf 'evidence,source,verified,workload,device,devices,dtype,backend,metric,statistic,value,unit,locator,cell,campaign,date,status,tag\nmeasured,abdb-run,pass,gemm,Box,1,f32,x,time_s,median,1,ms,a,x c1,c-1,2026-01-01,ok,a\nmeasured,abdb-run,pass,gemm,Box,1,f32,x,time_s,median,2,ms,b,x c1,c-2,2026-01-02,ok,b\n' | abdb import -q -
    run abdb query history
    fails 0 "n = 2 commands; a change: the newest runs, or the best of all stretches, stand out with p at most 0.01"
    run abdb query paired --baseline tag=a --contender tag=b
    fails 0 "n = 1 pair;"
}

@test "notes beyond the limit of a table are counted" {
    abdb init >/dev/null
    cat >many.sql <<'S'
-- title: Many
-- @rows
SELECT 1 AS x;
-- @notes
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300) SELECT 'note ' || i FROM n;
S
    run abdb query -f many.sql
    fails 0 "note 254"
    fails 0 "and 46 more notes"
    [[ $output != *"note 255"* ]]
    run abdb query -f many.sql --brief
    fails 0 "300 notes left out"
}

@test "query refuses --search and --functions beside the name of a report" {
    abdb init >/dev/null
    for option in --search=own --functions; do
        run abdb query artifacts $option
        fails 2 "goes without the name of a report"
    done
    run abdb query artifacts --search own.csv
    fails 2 "--search goes without the name of a report"
}

@test "the questions in schema/README.md have right answers, each found in another way too" {
    fill
    sed -n '/^## Questions in SQL/,/^## One/{ /^```/d; /^#/d; p; }' "$root/schema/README.md" | awk -v RS=';\n' 'NF { sub(/^\n*/, ""); print > ("q" NR ".sql") }'
    answer() { abdb query "$(grep -v '^--' "q$1.sql")" -o csv 2>/dev/null | tail -n +2; }
    same "$(ls q*.sql | wc -l)" 4
    # by v_column alone
    echo "SELECT run, count(*) FROM v_sample JOIN v_result USING (result_id) GROUP BY run" >q5.sql
    # dense, one card: no pair, no system, no 2:4 sparsity, no projection
    answer 1 >peaks
    same "$(head -3 peaks | sort)" $'GB200,2.5e+15\nGB300,2.5e+15\nMI355X,2.5e+15'
    same "$(cut -d, -f1 peaks | sort | uniq -d)" ""
    same "$(grep -E '^(H100-SXM|Gaudi3),' peaks)" $'Gaudi3,1.677e+15\nH100-SXM,989500000000000'
    # the cheapest on-demand offer, neither spot nor a purchase
    same "$(answer 2 | head -1 | cut -d, -f1,2)" "$(abdb query prices --device H100-SXM --kind on-demand --columns provider,per_device_hour -o csv 2>/dev/null | sed -n 2p)"
    same "$(answer 2 | head -1 | cut -d, -f1,2)" Hyperbolic,1.29
    # no ceiling against itself, and none above its data sheet
    same "$(answer 3 | head -1 | cut -c1-19)" "Arc-Pro-B60,gemm,0."
    same "$(answer 3 | awk -F, '$3 > 1')" ""
    same "$(answer 4 | awk -F, '{ n += $NF } END { print n }')" "$(abdb query "SELECT count(DISTINCT key) FROM v_mlperf WHERE metric_class = 'performance'" -o csv 2>/dev/null | tail -1)"
    abdb run -q --command a=true --command b=true --repeat 2
    answer 5 >samples
    same "$(wc -l <samples)" 4
    same "$(awk -F, '{ n += $2 } END { print n }' samples)" "$(sqlite3 "$ABDB_DB" "SELECT count(*) FROM v_sample")"
}

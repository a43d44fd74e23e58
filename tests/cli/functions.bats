#!/usr/bin/env bats
# functions.bats - what SQL may call: functions by list, no virtual table of a file, one statement, on every way in.
load common

# The functions of the installed SQLite, of its shell too: a name and its number of arguments a line.
functions_here() {
    sqlite3 -separator ' ' :memory: "SELECT DISTINCT name, max(narg, 0) FROM pragma_function_list ORDER BY 1"
}
# Those that the list does not open, with a call of each.
refused_calls() {
    abdb query --functions -o csv | tail -n +2 | cut -d, -f1 | sort >listed
    functions_here | while read -r name arguments; do
        grep -qxF -- "$name" listed || echo "$name $name($(printf 'NULL,%.0s' $(seq "$arguments") | sed 's/,$//'))"
    done
}
# A database with virtual tables of the kinds that SQLite's package has, one of which cannot be constructed.
with_virtual_tables() {
    sqlite3 t.db "CREATE VIRTUAL TABLE evil USING fts4(a); CREATE VIRTUAL TABLE evil5 USING fts5(a); CREATE VIRTUAL TABLE boxes USING rtree(id, x0, x1);
      CREATE VIRTUAL TABLE words USING fts4aux(evil); PRAGMA writable_schema = ON;
      INSERT INTO sqlite_schema VALUES ('table', 'broken', 'broken', 0, 'CREATE VIRTUAL TABLE broken USING fts4(a, tokenize=nosuch)')"
}
# SQL by every way into abdb that takes some: each is refused with exit 2 and words.
refused_everywhere() { # SQL WORDS [site]
    local way
    mkdir -p own/reports
    printf '%s\n' "$1" >f.sql
    printf -- '-- title: T\n-- site: Own\n%s\n' "$1" >own/reports/rows.sql
    printf -- '-- title: T\n-- @table kept\n%s\n-- @rows\nSELECT 1 AS one;\n' "$1" >own/reports/kept.sql
    printf -- '-- title: T\n-- @rows\nSELECT 1 AS one;\n-- @notes\n%s\n' "$1" >own/reports/notes.sql
    for way in "-f f.sql" "-f /dev/stdin" rows kept notes; do
        ABDB_PATH=$dir/own run abdb query $way <f.sql
        fails 2 "$2" || { echo "by $way"; return 1; }
    done
    run abdb query "$1"
    fails 2 "$2"
    run abdb query -i <f.sql
    [[ $output == *"$2"* ]] || { echo "the shell: $output"; return 1; }
    if [ -n "${3-}" ]; then
        ABDB_PATH=$dir/own run abdb site --out s # it leaves the report out, and says so
        [[ $output == *"$2"* ]] || { echo "the site: $output"; return 1; }
    fi
    rm -rf s own
}

@test "SQLite functions that overwrite a pointer or leak an address are refused in every verb" {
    abdb init >/dev/null
    for sql in "SELECT fts3_tokenizer('simple', x'4141414141410000')" "SELECT hex(fts3_tokenizer('simple')) AS x" "SELECT 1 AS x WHERE FTS3_TOKENIZER('porter') NOTNULL"; do
        refused_everywhere "$sql" "SQL may not call the function fts3_tokenizer: it reads and sets addresses of code"
    done
    refused_everywhere "SELECT sqlite_log(1, 'x') AS x" "may not call the function sqlite_log" site
    with_virtual_tables
    run abdb query "SELECT fts3_tokenizer('simple', x'4141414141410000'); SELECT * FROM evil"
    fails 2 "may not call the function fts3_tokenizer"
    run abdb query -i <<<"SELECT fts3_tokenizer('simple', x'4141414141410000'); SELECT * FROM evil; SELECT 7 + 7 AS sum;"
    fails 0 "may not call the function fts3_tokenizer"
}

@test "every function of the installed SQLite outside of the list is refused by name" {
    abdb init >/dev/null
    functions_here | cut -d' ' -f1 | sort -u >here
    refused_calls >calls
    [ "$(wc -l <calls)" -ge 16 ]
    grep -q '^fts3_tokenizer ' calls
    no grep -qE '^(abs|like|->|count) ' calls
    while read -r name call; do
        run abdb query "SELECT $call AS x"
        fails 2 "function" && fails 2 "$name" || { echo "called: $call"; false; }
    done <calls
    # operators that are functions
    for operator in "'a' MATCH 'b'" "'a' REGEXP 'b'"; do
        run abdb query "SELECT $operator AS x"
        fails 2 "SQL may not call the function"
    done
    same "$(abdb query "SELECT 'ab' LIKE 'A%' AS a, 'ab' GLOB 'a*' AS b, '{\"x\":[5]}' -> '\$.x' AS c, '{\"x\":5}' ->> 'x' AS d, current_date > '2000' AS e, (SELECT sum(value) FROM json_each('[1,2]')) AS f, count(*) FILTER (WHERE true) OVER () AS g" -o csv | tail -1)" \
        '1,1,[5],5,1,3,1'
}

@test "each function of the installed SQLite has a line in functions.def, and abdb.so refuses the others" {
    [[ $build != *sanitize* ]] || skip "the extension is not built with sanitizers"
    python=
    for p in /usr/bin/python3 python3; do
        $p -c 'import sqlite3; sqlite3.connect(":memory:").enable_load_extension(True)' 2>/dev/null && python=$p && break
    done
    [ -n "$python" ] || skip "no Python whose sqlite3 loads extensions"
    run $python "$root/tests/checks/sqlite_functions.py" sqlite3 "$build/abdb.so"
    fails 0 " refused"
}

@test "functions and tables of other programs are absent, and memory bombs end" {
    abdb init >/dev/null
    for call in "readfile('/etc/passwd')" "writefile('x', 'y')" "edit('x')" "zipfile('x')" "sqlite_offset(1)" "load_extension('x')"; do
        run abdb query "SELECT $call AS x"
        fails 2 "${call%%(*}"
    done
    for table in dbstat sqlite_stmt sqlite_dbpage bytecode tables_used fts3tokenize fsdir completion; do
        run abdb query "SELECT * FROM $table"
        fails 2 "no such table: $table"
    done
    run abdb query "SELECT * FROM pragma_function_list"
    fails 2 "a pragma is a statement of its own"
    same "$(abdb query "PRAGMA function_list" -o csv | grep -c '^fts3_tokenizer,')" 0
    run abdb query "SELECT printf('%.*c', 2000000000, 'x') AS x"
    [ "$status" -eq 6 ] || [ -z "$(tail -n +2 <<<"$output")" ]
}

@test "no verb opens a virtual table from a file" {
    abdb import -q "$root/data/results/databricks.csv" "$root/data/prices.csv"
    with_virtual_tables
    for table in evil evil5 boxes words broken; do
        run abdb query "SELECT * FROM $table"
        fails 2 "abdb opens no virtual table that a file brings"
        run abdb query -i <<<"SELECT * FROM $table;"
        [[ $output == *"abdb opens no virtual table"* ]]
    done
    abdb query "PRAGMA table_list" -o csv | grep -q 'broken,virtual,0'
    for line in "query specs" "rank --workload mpt-7b" "export -o csv" "export" "export -o db --out copy.db" "site --out s" "plot training --type svg --out p.svg" "doctor" "init"; do
        abdb $line >out 2>err || [ $? -lt 4 ] || { echo "$line"; cat err; false; }
        no grep -qi "tokenizer\|fts\|vtable" err
    done
    abdb doctor | grep -q "sound"
    abdb import -q "$fixtures/checker.csv"
    abdb merge t.db --db other.db
    same "$(sqlite3 copy.db "SELECT count(*) FROM sqlite_schema WHERE sql LIKE '%VIRTUAL%'")" 0
    same "$(sqlite3 other.db "SELECT count(*) FROM sqlite_schema WHERE sql LIKE '%VIRTUAL%'")" 0
    same "$(sqlite3 t.db "SELECT count(*) FROM sqlite_schema WHERE sql LIKE '%VIRTUAL%'")" 5
    # in the place of a table of abdb, or behind one of its views
    sqlite3 t.db "DROP TABLE note; CREATE VIRTUAL TABLE note USING fts4(kind, target)"
    run abdb query specs
    fails 6 "is not the one that abdb makes"
}

@test "a table or view from a file over a hidden table function is refused by every verb" {
    abdb import -q "$root/data/prices.csv"
    abdb query --functions -o csv | awk -F, '/,table,/ { print $1 }' >tables
    [ "$(wc -l <tables)" -ge 12 ]
    for name in $(cat tables) JSON_EACH pragma_table_info; do
        for kind in "TABLE $name (x)" "VIEW $name AS SELECT 'FORGED' AS device" "VIRTUAL TABLE $name USING fts5(device)"; do
            sqlite3 t.db "CREATE $kind"
            run abdb query prices
            fails 6 "$name hides the function of that name"
            sqlite3 t.db "DROP $(cut -d' ' -f1 <<<"${kind/VIRTUAL /}") $name"
        done
    done
    sqlite3 t.db "CREATE VIEW abdb_offers AS SELECT 'FORGED' AS device"
    for line in "import $fixtures/checker.csv" init "merge t.db --db other.db" "export -o csv" "site --out s" "query -i"; do
        run abdb $line </dev/null
        fails 6 "hides the function"
    done
    run abdb doctor
    [[ $output == *"hides the function"* && $output != *sound* ]]
}

@test "a text in double quotes is refused everywhere, with advice on single quotes" {
    abdb init >/dev/null
    refused_everywhere 'SELECT device FROM v_result WHERE device = "H100-SXM"' "a text stands in single quotes"
    same "$(abdb query 'SELECT 1 AS "a name"' -o csv | head -1)" "a name"
}

@test "several statements at once are refused before the first runs, except in the shell" {
    abdb init >/dev/null
    run abdb query "SELECT 1 AS bad; SELECT 0 AS bad" --fail-on bad
    fails 2 "more than one statement: a second begins on line 1 with 'SELECT 0 AS bad'"
    no grep -qx 0 <<<"$output"
    printf -- '-- one\nSELECT 1 AS bad;\n\n/* two; */ ;\nSELECT 0 AS bad;\n' >two.sql
    run abdb query -f two.sql --fail-on bad
    fails 2 "a second begins on line 5"
    mkdir -p own/reports
    { echo "-- title: T"; cat two.sql; } >own/reports/two.sql
    ABDB_PATH=$dir/own run abdb query two --fail-on bad
    fails 2 "more than one statement"
    printf -- '-- title: T\n-- @rows\nSELECT 1 AS one;\n-- @notes\nSELECT 1; SELECT 2;\n' >own/reports/two.sql
    ABDB_PATH=$dir/own run abdb query two
    fails 2 "more than one statement"
    # a statement that cannot be prepared, would change something, or is a pragma, counts too
    for second in "SELEC" "DELETE FROM meta" "PRAGMA user_version" "EXPLAIN SELECT 1" "VALUES (1)" "WITH a AS (SELECT 1) SELECT * FROM a" "BEGIN"; do
        run abdb query "SELECT 1 AS one; $second"
        fails 2 "a second begins"
    done
    # a mistake in the first statement comes first
    run abdb query "SELECT nosuch; SELECT 1"
    fails 2 "no such column: nosuch"
    run abdb query "$(printf ';\n\nSELECT nosuch')"
    fails 2 "line 3: no such column"
    # comments, blanks and empty statements do not count
    for sql in "SELECT 1 AS bad;" "; SELECT 1 AS bad" "SELECT 1 AS bad;; -- ; SELECT 2" "SELECT 1 AS bad /* ; SELECT 2; */ ;" "SELECT 1 AS bad -- ; SELECT 0" "/* a */ SELECT 1 AS bad; /* open"; do
        same "$(abdb query "$sql" -o csv)" "$(printf 'bad\n1')"
        run abdb query "$sql" --fail-on bad
        fails 1 "1 of 1 row"
    done
    for sql in " " ";" ";;" "-- nothing
" "/* a; */ ;" "/* open"; do
        printf '%s' "$sql" >none.sql
        run abdb query -f none.sql
        fails 2 "no SQL"
    done
    # a semicolon inside a text or a name ends no statement
    same "$(abdb query "SELECT '; SELECT 2' AS \"a;b\"" -o csv)" "$(printf 'a;b\n; SELECT 2')"
}

@test "the shell prints the rows of each statement up to the first mistake in a line" {
    abdb init >/dev/null
    printf '.mode csv\nSELECT 1 AS a; SELECT 2 AS b;;\n;\n-- nothing\nSELECT 3 AS c; SELEC; SELECT 4 AS d;\nSELECT 5 AS e; SELECT 6 AS f' >lines
    abdb query -i <lines >out 2>err
    same "$(tr '\r\n' ' ' <out)" "a 1 b 2 c 3 e 5 f 6 "
    grep -q "syntax error" err
    same "$(wc -l <err)" 1
}

@test "a zero byte in SQL is refused with its line" {
    abdb init >/dev/null
    printf 'SELECT 1 AS ok;\n\0SELECT 0 AS bad;\n' >zero.sql
    run abdb query -f zero.sql
    fails 2 "zero.sql, line 2: a zero byte"
    mkdir -p own/reports
    cp zero.sql own/reports
    ABDB_PATH=$dir/own run abdb query zero
    fails 2 "line 2: a zero byte"
    run bash -c 'abdb query -i <zero.sql'
    fails 2 "zero byte"
}

@test "query --functions, help, completion and the README list the same functions" {
    abdb init >/dev/null
    abdb query --functions -o csv >list
    same "$(head -1 list)" "function,arguments,origin,group,meaning"
    [ "$(wc -l <list)" -gt 130 ]
    abdb query >catalog
    tail -n +2 list | awk -F, '/,abdb,(scalar|aggregate|table),/ { print $1 }' >own
    [ "$(wc -l <own)" -ge 26 ]
    while read -r name; do
        grep -qF "$name(" catalog && grep -qw "$name" "$root/query/README.md" || { echo "$name"; false; }
    done <own
    no grep -q "carry_number\|fts3_tokenizer" list catalog
    same "$(printf '.mode csv\n.functions\n' | abdb query -i | sha256sum)" "$(sha256sum <list)"
}

@test "connect of the Python module refuses the same SQL as abdb query, with and without the extension" {
    abdb init >/dev/null
    cat >ask.py <<'P'
import sys, abdb
for extension in (True, False):
    try: connection = abdb.connect(sys.argv[1], extension=extension)
    except abdb.Error as why: print(extension, why); continue
    for sql in sys.argv[2:]:
        try: print(extension, "answers", connection.execute(sql).fetchall())
        except Exception as why: print(extension, "refuses", why)
P
    python=
    for p in /usr/bin/python3 python3; do
        $p -c 'import sqlite3; sqlite3.connect(":memory:").enable_load_extension(True)' 2>/dev/null && python=$p && break
    done
    [ -n "$python" ] && [[ $build != *sanitize* ]] || skip "no Python whose sqlite3 loads extensions"
    export PYTHONPATH=$root/query/python ABDB_EXTENSION=$build/abdb.so
    $python ask.py t.db "SELECT hex(fts3_tokenizer('simple'))" "SELECT sqlite_log(1, 'x')" "SELECT load_extension('x')" >out
    same "$(grep -c refuses out)" 6
    $python ask.py t.db "SELECT 'a' LIKE 'A', count(*) FROM v_result" "SELECT value ->> '$.x' FROM json_each('[{\"x\":1}]')" >out
    same "$(grep -c answers out)" 4
    run $python -c 'import abdb
try: print(abdb.query("SELECT 1 AS a; SELECT 2 AS b", db="t.db"))
except abdb.Error as why: print(why.code, why)'
    fails 0 "2 abdb: more than one statement"
    with_virtual_tables
    $python ask.py t.db "SELECT * FROM evil" "SELECT * FROM broken" >out
    same "$(grep -c 'True refuses no such module' out)" 2
    grep -q "False .*holds virtual tables (evil, evil5, boxes, words, broken)" out
}

@test "Datasette with the plug-in refuses the same SQL as abdb query, and serves all other queries" {
    [[ $build != *sanitize* ]] || skip "the extension is not built with sanitizers"
    datasette=$(command -v datasette || ls "$build/venv/bin/datasette" 2>/dev/null) || skip "no datasette (make peers installs it)"
    filled $(half_of_data)
    mv t.db abdb.db
    get() { ABDB_EXTENSION=${library-$build/abdb.so} "$datasette" abdb.db --metadata "$root/query/datasette.json" --plugins-dir "$root/query/datasette" --get "$1" 2>&1; }
    ask() { get "/abdb.json?_shape=array&sql=$1"; }
    # Some builds of Python load no extension, which Datasette needs for the plug-in.
    ! get /abdb.json | grep -q "not have the ability to load SQLite extensions" || skip "the Python of $datasette loads no SQLite extension"
    ask "SELECT+hex(fts3_tokenizer('simple'))+AS+x" | grep -q "no such function: fts3_tokenizer"
    ask "SELECT+sqlite_log(1,'x')+AS+x" | grep -q "not authorized to use function: sqlite_log"
    ask "SELECT+*+FROM+abdb_csv('abdb.db')" | grep -q "no such table: abdb_csv"
    ask "SELECT+median(value)+AS+m+FROM+v_result" | grep '^\[' | jq -e '.[0].m > 0' >/dev/null
    for page in /abdb /abdb.json /abdb/v_result "/abdb/v_rule.json?_facet=effect" "/abdb/per_dollar.json?_shape=array" /-/versions.json; do
        get "$page" >out || { echo "$page"; head -c 500 out; false; }
        no grep -q "Invalid SQL\|not authorized" out
    done
    library=nosuch.so run get /abdb
    [ "$status" -ne 0 ]
    [[ $output == *"no abdb.so"* ]]
    mv abdb.db t.db
    with_virtual_tables
    mv t.db abdb.db
    run get /abdb.json
    [ "$status" -ne 0 ]
    [[ $output == *"no such module"* ]]
}

#!/usr/bin/env bats
# received.bats - databases that others made: abdb's views are its own, its tables are checked, nothing in the file runs.
load common

# A database with shipped evidence.
received() {
    rm -f t.db
    filled $(half_of_data)
}

# Verbs that read, one command a line.
readers() {
    cat <<'R'
query specs
query coverage
rank --workload llama2-70b-99 --scenario Server
compare device=H200-SXM,model=llama2-70b-99 device=B200-SXM,model=llama2-70b-99 --exploratory
explain db.t2.gaudi2.rate
audit claims
export -o csv
export
plot training --type svg --out p.svg
site --out s
doctor
R
}

@test "replaced views of a received database are not read, and the next writer restores them" {
    received
    readers | grep -v '^doctor\|^site' >verbs
    while read -r line; do abdb $line; done <verbs >before 2>&1 || true
    for v in v_result v_spec v_price_offer v_statement; do
        sqlite3 t.db "DROP VIEW $v; CREATE VIEW $v AS SELECT 'FORGED' AS device, 'FORGED' AS workload, 1e9 AS value"
    done
    # all are there, so that only their words tell that they are others
    same "$(abdb query "SELECT count(*) AS n FROM v_result WHERE device = 'FORGED'" -o csv | tail -1)" 0
    sqlite3 t.db "DROP VIEW v_claim; PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = replace(sql, 'w.value AS value', '2 * w.value AS value') WHERE name = 'result'"
    while read -r line; do abdb $line; done <verbs >after 2>&1 || true
    diff before after >diff.out || { grep "^>" diff.out | head -c 2000; false; }
    abdb site --out s --timeout 0 >/dev/null # a busy machine is no fault of it
    no grep -rl FORGED s
    run abdb doctor
    [[ $output == *"views"*"not this program's"* ]]
    abdb query --db t.db "SELECT count(*) FROM v_result WHERE device = 'FORGED'" -o csv | grep -qx 0
    chmod -w t.db # on a medium that cannot be written too
    while read -r line; do abdb $line; done <verbs >after 2>&1 || true
    diff before after >diff.out || { grep "^>" diff.out | head -c 2000; false; }
    chmod +w t.db
    abdb init
    sqlite3 t.db "SELECT sql FROM sqlite_schema" | no grep -q "FORGED\|2 \* w.value"
    run abdb doctor
    [[ $output != *"not this program's"* ]]
}

@test "foreign tables and views are kept, and no verb reads them" {
    abdb import -q "$root/data/results/databricks.csv" "$root/data/prices.csv" # little, for a short site
    sqlite3 t.db "CREATE TABLE theirs (x); INSERT INTO theirs VALUES ('SECRET'); CREATE VIEW v_theirs AS SELECT t.x, (SELECT count(*) FROM v_result) AS n FROM theirs t;
      CREATE TRIGGER on_theirs AFTER INSERT ON theirs BEGIN DELETE FROM theirs; END; DROP VIEW v_spec"
    abdb init
    abdb import -q "$fixtures/checker.csv"
    same "$(sqlite3 t.db "SELECT x, n > 0 FROM v_theirs")" "SECRET|1"
    same "$(sqlite3 t.db "SELECT count(*) FROM sqlite_schema WHERE name = 'on_theirs'")" 1
    while read -r line; do abdb $line || true; done < <(readers) >out 2>&1 # some have nothing to say of so little
    [[ -s s/index.html && -s p.svg ]]
    grep -q Gaudi2 out
    abdb export -o sql >all.sql
    no grep -rq "SECRET\|theirs" out s p.svg all.sql
    abdb export -o db --out copy.db
    no grep -aq "SECRET\|theirs" copy.db
    abdb merge t.db --db other.db
    no grep -aq "SECRET\|theirs" other.db
}

@test "a trigger on a table or view of abdb is refused by every verb, and nothing is written" {
    for t in "AFTER INSERT ON entry_row BEGIN UPDATE result_row SET value = 2 * value; END" "BEFORE DELETE ON source BEGIN SELECT 1; END" \
        "INSTEAD OF INSERT ON v_result BEGIN SELECT 1; END" "AFTER UPDATE ON META BEGIN SELECT 1; END"; do
        received
        sqlite3 t.db "CREATE TRIGGER sly $t"
        before=$(sha256sum t.db)
        while read -r line; do
            [ "$line" != doctor ] || continue
            run abdb $line
            fails 6 "a trigger, sly, stands on"
        done < <(readers)
        run abdb import -q "$fixtures/checker.csv"
        fails 6 "a trigger, sly"
        run abdb init
        fails 6 "a trigger, sly"
        run abdb merge t.db --db other.db
        fails 6 "a trigger, sly"
        run abdb doctor
        [[ $output == *"a trigger, sly"* && $output != *"sound"* ]]
        same "$(sha256sum t.db)" "$before"
        sqlite3 t.db "DROP TRIGGER sly"
        abdb query specs >/dev/null
    done
}

@test "a database with changed tables is refused" {
    for change in "ALTER TABLE result_row ADD COLUMN w REAL AS (value * 2)" "DROP TABLE alias" \
        "ALTER TABLE price RENAME TO p; CREATE VIEW price AS SELECT * FROM p" "DROP VIEW v_result; CREATE TABLE v_result (device, value)" \
        "DROP TABLE note; CREATE VIRTUAL TABLE note USING fts5(kind, target)" \
        "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'STRICT', '') WHERE name = 'source'"; do
        received
        sqlite3 t.db "$change"
        run abdb query specs
        fails 6 "t.db"
        [[ $output == *"is not the one that abdb makes"* || $output == *"which every abdb database has"* ]]
        run abdb import -q "$fixtures/checker.csv"
        fails 6 "t.db"
        run abdb merge t.db --db other.db
        fails 6 "t.db"
    done
}

@test "blanks, comments and letter case in the schema make no difference" {
    received
    sqlite3 t.db "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, char(10), '  ' || char(10) || '-- a remark; with '' in it' || char(10))
      WHERE type IN ('table', 'view')"
    run abdb doctor
    [[ $output == *"sound"* && $output != *"not this program's"* ]]
}

@test "a database damaged at any place causes no crash" {
    received
    size=$(stat -c %s t.db)
    cp t.db whole.db
    for i in $(seq "${THOROUGH:-12}"); do
        cp whole.db t.db
        python3 - "$i" <<'P'
import random, sys
random.seed(int(sys.argv[1]))
with open("t.db", "r+b") as f:
    data = f.read()
    for _ in range(random.choice((1, 8, 60))):
        f.seek(random.randrange(100, len(data)))
        f.write(bytes([random.randrange(256)]))
P
        while read -r line; do
            code=0
            abdb $line >/dev/null 2>err || code=$?
            [ "$code" -lt 100 ] || { echo "seed $i: $line: $code"; cat err; false; }
        done < <(readers | grep "^export\|^query\|^explain\|^doctor")
        abdb merge t.db --db fresh.db -q >/dev/null 2>&1 || [ $? -lt 100 ]
        rm -f fresh.db
    done
}

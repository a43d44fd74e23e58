#!/usr/bin/env bats
# limits.bats - --timeout holds for whatever a question does, and what a query may hold is limited.
load common

# Runs abdb and fails if it takes more than $1 seconds or more than $2 MB.
within() { # SECONDS MB COMMAND...
    local most_s=$1 most_mb=$2 begin=$(date +%s%N)
    shift 2
    run timeout -s KILL 150 /usr/bin/time -q -f '%M' -o peak "$@" </dev/null
    took_ms=$((($(date +%s%N) - begin) / 1000000))
    [ "$took_ms" -le $((most_s * 1000)) ] || { echo "$took_ms ms: $*: $output"; return 1; }
    [ "$(tail -1 peak)" -le $((most_mb * 1024)) ] || { echo "$(tail -1 peak) KiB: $*"; return 1; }
}

@test "one long step of a function ends at the time-out in SQL, -f, the shell and a report" {
    abdb init >/dev/null
    # minutes in one step of SQLite, begun after some milliseconds
    bomb="SELECT instr(replace(hex(zeroblob(3000000)), '0', 'a'), replace(hex(zeroblob(900000)), '0', 'a') || 'b') AS x"
    within 10 500 abdb query --timeout 0.4 "$bomb"
    fails 6 "the time-out was reached; --timeout SECONDS allows more"
    echo "$bomb" >bomb.sql
    within 10 500 abdb query -f bomb.sql --timeout=0.4
    fails 6 "time-out"
    mkdir -p own/reports
    { echo "-- title: Bomb"; echo "-- site: Own"; cat bomb.sql; } >own/reports/bomb.sql
    ABDB_PATH=$dir/own within 10 500 abdb query bomb --timeout 0.4
    fails 6 "time-out"
    ABDB_PATH=$dir/own within 10 500 abdb site --out s --timeout 0.4
    fails 6 "time-out"
    echo "$bomb;" >shell
    within 10 500 bash -c 'abdb query -i --timeout 0.4 <shell'
    fails 6 "time-out"
}

@test "a value above 256 MiB is refused; the help has this limit and the limit of memory" {
    abdb init >/dev/null
    for sql in "SELECT hex(zeroblob(500000000)) AS x" \
        "SELECT zeroblob(300000000) AS x" "SELECT group_concat(hex(zeroblob(60000000))) AS x FROM (SELECT 1 UNION SELECT 2 UNION SELECT 3)"; do
        within 30 1500 abdb query --timeout 29 "$sql"
        fails 6 "a text or blob of more than 256 MiB"
    done
    for verb in query compare rank plot site explain audit; do
        abdb $verb --help | tr '\n' ' ' | grep -qE "default (60|600), 0: never\).*256 MiB.*2 GiB"
    done
    within 10 500 abdb query "SELECT printf('%999999999d', 1) AS x" # SQLite makes NULL of it
    # what fits, fits
    same "$(abdb query "SELECT length(hex(zeroblob(60000000))) AS n" -o csv | tail -1)" 120000000
}

@test "sorting and rows of more than 2 GiB of memory are refused" {
    case $build in *sanitize) skip "the sanitizer has an allocator of its own" ;; esac
    [ "$(awk '/MemAvailable/ { print $2 }' /proc/meminfo)" -gt 4000000 ] || skip "less than 4 GB of memory free"
    abdb init >/dev/null
    within 140 3000 abdb query --timeout 130 "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 10000) SELECT x, zeroblob(500000) AS y FROM n ORDER BY y, -x"
    fails 6 "the query wants more than 2 GiB of memory"
    within 140 3500 abdb query --timeout 130 "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 10000) SELECT zeroblob(500000) AS y FROM n"
    fails 6 "more than 2 GiB"
}

@test "a pipe in place of a database, SQL file, table or archive does not block abdb" {
    abdb init >/dev/null
    mkfifo pipe
    within 10 500 abdb query --timeout 2 --db pipe "SELECT 1 AS x"
    fails 6 "pipe is a pipe or a device, not a database"
    within 10 500 abdb import --db pipe "$fixtures/specs.csv"
    fails 6 "not a database"
    within 10 500 abdb query --timeout 1 -f pipe
    fails 6 "time-out"
    for f in abdb_csv abdb_archive; do
        within 10 500 abdb query --timeout 2 --allow-files "SELECT * FROM $f('pipe')"
        fails 2 "not a regular file"
    done
    (sleep 0.3; echo "SELECT 7 AS seven" >pipe) &
    same "$(abdb query -f pipe -o csv | tail -1)" 7
    same "$(abdb query -f <(echo "SELECT 8 AS eight") -o csv | tail -1)" 8
}

@test "a hanging gnuplot is ended with its children in plot, bundle, set, site and doctor" {
    filled "$root/data"
    mkdir bin
    printf '#!/bin/bash\necho $$ >>"%s/pids"\nsleep 300 &\necho $! >>"%s/pids"\nwait\n' "$dir" "$dir" >bin/gnuplot
    chmod +x bin/gnuplot
    export PATH=$dir/bin:$PATH
    for line in "plot training --out p.svg" "plot training --out -" "plot training --bundle b" "plot --set llm --out set" "site --out s"; do
        within 10 500 abdb $line --timeout 1
        fails 6 "time-out"
        [ ! -e p.svg ]
    done
    within 30 500 abdb doctor
    fails 0 "gnuplot      absent"
    sleep 0.3
    for p in $(cat pids); do
        case $(ps -o stat= -p "$p") in "" | Z*) ;; *) ps -p "$p"; false ;; esac
    done
    # it says all and does not go
    printf '#!/bin/bash\necho "<svg/>"\nexec 1>&- 2>&-\nsleep 300\n' >bin/gnuplot
    within 10 500 abdb plot training --out p.svg --timeout 1
    fails 6 "time-out"
}

@test "a measurement within a query ends with the query, with its backend" {
    abdb init >/dev/null
    mkdir fake
    cat >fake/abdb-run-slow <<'B'
#!/bin/bash
echo '{"kind":"hello","protocol":1,"backend":"slow","kernels":[]}'
echo $$ >>"$SLOW_PIDS"
while :; do echo '{"kind":"beat"}'; sleep 0.5; done
B
    chmod +x fake/abdb-run-slow
    ABDB_BACKENDS=$dir/fake SLOW_PIDS=$dir/pids within 10 500 abdb query --allow-run --timeout 2 "SELECT * FROM abdb_measure('k', 'slow')"
    fails 6 "time-out"
    sleep 0.3
    case $(ps -o stat= -p "$(cat pids)") in "" | Z*) ;; *) false ;; esac
}

@test "--timeout does not count the time of a slow reader or of typing" {
    filled "$root/data"
    sql="WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 60000) SELECT x, 'filler' AS y FROM n"
    same "$(abdb query --timeout 1 "$sql" -o csv | (sleep 1.5; wc -l))" 60001
    abdb compare device=H200-SXM,model=llama2-70b-99 device=B200-SXM,model=llama2-70b-99 --timeout 2 >want
    same "$(abdb compare device=H200-SXM,model=llama2-70b-99 device=B200-SXM,model=llama2-70b-99 --timeout 2 | (sleep 2.5; cat) | sha256sum)" "$(sha256sum <want)"
    same "$( (sleep 1.5; echo "SELECT 5 AS five;"; sleep 1.5; echo "SELECT 6 AS six;") | abdb query -i --timeout 1 | grep -c '^ *[56]$')" 2
}

@test "explain keeps its time limit and names the reports that it skipped" {
    filled "$root/data"
    mkdir -p own/reports
    echo "-- title: Endless
-- note: _facts
WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT max(x) AS x, '' AS _facts FROM n" >own/reports/endless.sql
    ABDB_PATH=$dir/own within 10 500 abdb explain db.t2.gaudi2.rate --uses --timeout 3
    fails 0 "not looked at"
    fails 0 " endless"
}

@test "--timeout 0 means no limit; a wrong number is refused" {
    abdb init >/dev/null
    same "$(abdb query --timeout 0 "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 3000000) SELECT count(*) AS n FROM n" -o csv | tail -1)" 3000000
    run abdb query --timeout soon "SELECT 1 AS x"
    fails 2 "--timeout wants seconds, not 'soon'"
    run abdb plot training --timeout -1
    fails 2 "--timeout wants seconds"
}

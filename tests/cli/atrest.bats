#!/usr/bin/env bats
# atrest.bats - a database at rest is one file: on a disk that fills up, where others read, and by each verb that writes.
load common

need_small_disk() {
    [ "$(id -u)" = 0 ] || skip "a small file system wants root"
    mkdir -p disk
    mount -t tmpfs -o size=64m none disk 2>/dev/null || skip "nothing can be mounted here"
}
teardown() {
    umount "$dir/disk" 2>/dev/null || true
    cd /
    rm -rf "$dir"
}
# One of three: all is in one file, which is sound alone; the verb failed and says so, and what was committed is sound with the log; or
# it exits 5, names the log and what to do, and that puts them together.
at_rest() { # DATABASE
    local db=$1
    rm -f alone.db
    if [ ! -s "$db-wal" ] && [ ! -s "$db-journal" ]; then
        [ ! -s "$db" ] || { cp "$db" alone.db && same "$(sqlite3 alone.db 'PRAGMA integrity_check')" ok; }
        [ "$status" -ne 5 ] || [[ $output != *"not in one file"* ]]
        echo whole >>seen
        return
    fi
    [ "$status" -ne 0 ] || { echo "exit 0 with a log beside it: $output"; return 1; }
    [[ $output == *"$db: what was committed is kept, but not in one file: a part of it is in $db-wal"*"abdb init --db $db"* ]] || { echo "not told: $output"; return 1; }
    echo "apart $status" >>seen
    abdb doctor --db "$db" -o csv | grep -q "^warning,one file,.*$db-wal"
    mount -o remount,size=64m disk
    abdb init --db "$db" >/dev/null
    [ ! -e "$db-wal" ]
    cp "$db" alone.db
    same "$(sqlite3 alone.db 'PRAGMA integrity_check')" ok
    abdb doctor --db "$db" -o csv | no grep "one file"
}

many() { # ROWS
    awk -v n="$1" 'BEGIN { print "evidence,source,workload,device,metric,value,unit,tag"
        for (i = 0; i < n; i++) printf "published,me,serving,d%d,tokens_per_s,%s,token/s,x\n", i % 900, i / 8 }'
}

@test "a full disk leaves one database file, or an exit code and a message with the place of the rest" {
    many 1500 >many.csv
    abdb import -q "$fixtures"/{specs,checker}.csv many.csv
    many 3000 >more.csv
    cp t.db base.db
    abdb import -q --db other.db more.csv
    need_small_disk
    n=0 # the import at each size, other verbs at every second; THOROUGH: all at each
    while read -r line; do
        n=$((n + 1)) k=0
        cp base.db disk/x.db
        abdb ${line//DB/disk/x.db} >/dev/null 2>&1 # with room: what it takes
        full=$(($(stat -c %s base.db) / 1024))
        rm -f disk/*
        for extra in 40 200 400 700 1000 1400 1800 2400; do
            k=$((k + 1))
            thorough || [ $n = 1 ] || [ $(((n + k) % 2)) = 0 ] || continue
            mount -o remount,size=64m disk
            cp base.db disk/x.db
            mount -o remount,size=$((full + extra))k disk
            run abdb ${line//DB/disk/x.db}
            case $status in 0 | 5 | 6) ;; *) echo "exit $status: $line: $output"; false ;; esac
            [[ $output != *"the disk is full ("* ]] || [[ $output == *"those that were committed before it are kept"* ]]
            at_rest disk/x.db || { echo "$line with $extra KiB"; false; }
            rm -f disk/*
        done
    done <<'W'
import -q --db DB more.csv
merge --db DB other.db
note --db DB tag=x remember
withdraw --db DB many.csv --reason wrong
run -q --db DB --kernel gemm --axis n=8 --backend ref --quick --threads 1
doctor --rebuild --db DB
W
    for size in 60 120 300 500 700 900 1200 1600 2400; do
        mount -o remount,size=${size}k disk
        run abdb init --db disk/x.db
        at_rest disk/x.db
        rm -f disk/*
    done
    grep -q "^apart 5" seen # the disk was full at that moment, too
    grep -q whole seen
}

@test "the log stays while another program reads the database; the next writer removes it" {
    filled "$root/data/prices.csv"
    mkfifo hold
    sqlite3 t.db "PRAGMA journal_mode = WAL" >/dev/null
    { echo "BEGIN; SELECT count(*) FROM entry_row;"; cat hold; } | sqlite3 t.db >/dev/null 3>&- &
    reader=$!
    exec 8>hold
    sleep 0.5
    run abdb import -q "$fixtures/checker.csv"
    [ "$status" -eq 0 ] # not at rest: another program has it open
    abdb doctor -o csv | no grep "one file"
    exec 8>&-
    wait $reader
    run abdb doctor -o csv
    if [ -s t.db-wal ]; then [[ $output == *"warning,one file,"* ]]; fi
    abdb init >/dev/null
    [ ! -e t.db-wal ]
    [ "$(ask "SELECT count(*) FROM v_result")" -gt 0 ]
}

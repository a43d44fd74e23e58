#!/usr/bin/env bats
# out.bats - files that abdb writes are whole or as they were: killed, full disks, links, pipes, old parts.
load common

fill() { filled "$root/data"; }

# What writes FILE, one command a line; OUT is the file, DIR its folder.
writers() {
    cat <<'W'
query specs --out OUT
query specs -o csv --out OUT
query specs -o json --out OUT
query specs -o jsonl --out OUT
query specs -o markdown --out OUT
query specs -o html --out OUT
query specs -o latex --out OUT
rank --workload llama2-70b-99 --scenario Server --out OUT
rank --workload llama2-70b-99 --scenario Server -o json --out OUT
compare device=H200-SXM,model=llama2-70b-99 device=B200-SXM,model=llama2-70b-99 --exploratory --out OUT
compare device=H200-SXM,model=llama2-70b-99 device=B200-SXM,model=llama2-70b-99 --exploratory -o csv --out OUT
explain db.t2.gaudi2.rate --out OUT
explain db.t2.gaudi2.rate -o json --out OUT
explain db.t2.gaudi2.rate --cite bibtex --out OUT
export --out OUT
export -o csv --out OUT
export -o sql --out OUT
plot training --type svg --out OUT
plot training --type png --out OUT
plot training --type pdf --out OUT
W
}

# No part is left over.
clean() { [ -z "$(find . -name '.*.part*')" ] || { find . -name '.*.part*'; return 1; }; }

@test "a failed first write leaves every kind of output as it was, and a repetition writes it" {
    filled $(half_of_data)
    mkdir o
    while read -r line; do
        echo "what stood here" >o/file
        run bash -c "ulimit -f 0; abdb ${line/OUT/o/file}"
        fails 6 "cannot write"
        same "$(cat o/file)" "what stood here"
        rm o/file
        run bash -c "ulimit -f 0; abdb ${line/OUT/o/file}"
        fails 6 "cannot write"
        [ -z "$(ls -A o)" ] || { echo "$line"; ls -lA o; false; }
        run abdb ${line/OUT/o/file}
        [ "$status" -eq 0 ] || { echo "$line: $output"; false; }
        [ -s o/file ]
        clean
    done < <(writers)
}

@test "a full disk leaves no partial database, bundle or site" {
    filled $(half_of_data)
    run bash -c "ulimit -f 40; abdb export -o db --out public.db"
    fails 6 ""
    [ ! -e public.db ]
    clean
    abdb export -o db --out public.db
    same "$(facts public.db)" "$(facts)"
    run bash -c "ulimit -f 4; abdb plot training --bundle b"
    fails 6 "cannot write"
    [ ! -e b ] # a folder that is not there appears whole or not at all
    mkdir b
    echo mine >b/notes.txt
    run bash -c "ulimit -f 4; abdb plot training --bundle b"
    fails 6 "cannot write"
    same "$(ls -A b)" notes.txt
    clean
    rm t.db # a site of few pages
    abdb import -q "$root/data/results/databricks.csv" "$root/data/prices.csv"
    abdb site --out s >/dev/null
    cp -r s before
    abdb import -q "$fixtures/checker.csv"
    run bash -c "ulimit -f 24; abdb site --out s"
    fails 6 "cannot write"
    clean
    diff -r s before # all pages are of one state
    run bash -c "ulimit -f 24; abdb site --out fresh"
    fails 6 "cannot write"
    [ ! -e fresh ]
    run bash -c "ulimit -f 0; abdb plot --set all --out figures"
    [ "$status" != 0 ]
    [ ! -e figures ]
    abdb site --out after >/dev/null
    no diff -rq before after >/dev/null
    echo mine >s/notes.txt
    chmod 600 s/index.html
    ln -s ../linked.css linked && mv linked s/linked.css && mv s/site.css linked.css && mv s/linked.css s/site.css
    abdb site --out s >/dev/null
    same "$(cat s/notes.txt; stat -c %a s/index.html; readlink s/site.css)" $'mine\n600\n../linked.css'
    rm s/notes.txt s/site.css && mv linked.css s/site.css
    diff -r s after
    rm s/index.html && mkdir s/index.html # a folder in the way: nothing is changed before that is seen
    cp -r s odd
    abdb import -q "$fixtures/summary.json" || true
    run abdb site --out s
    fails 6 "s/index.html"
    diff -r s odd
    clean
}

@test "export -o db killed at any moment leaves no file or a complete one, and a repetition writes it" {
    filled "$root/data"
    want=$(facts)
    begin=$(date +%s%N)
    abdb export -o db --out whole.db
    took=$(awk -v n=$(($(date +%s%N) - begin)) 'BEGIN { print n / 1e9 }')
    for ((i = 1; i <= 12 || (i <= 120 && $(find . -name '.public.db.*.part' | wc -l) == 0); i++)); do # until one was in between
        abdb export -o db --out public.db >/dev/null 2>&1 &
        pid=$!
        sleep "$(awk -v i=$i -v t="$took" 'BEGIN { print t * (i * 5 % 12 + 1) / (13 + i / 12) }')"
        kill -KILL $pid 2>/dev/null || true
        wait $pid 2>/dev/null || true
        [ ! -e public.db ] || same "$(facts public.db)" "$want"
        rm -f public.db
    done
    [ -n "$(find . -name '.public.db.*.part')" ] # some were killed in between
    abdb export -o db --out public.db
    same "$(facts public.db)" "$want"
    clean
}

@test "a process killed during a write leaves the old file or the complete new one" {
    filled "$root/data"
    for form in jsonl csv sql; do
        echo old >file
        abdb export -o $form --out file 2>/dev/null &
        pid=$!
        for ((i = 0; i < 400; i++)); do # until it has begun to write
            compgen -G ".file.$pid-*.part" >/dev/null || [ "$(cat file)" != old ] && break
            sleep 0.005
        done
        kill -KILL $pid 2>/dev/null || true
        wait $pid 2>/dev/null || true
        [ "$(head -1 file)" = old ] || abdb export -o $form 2>/dev/null | cmp - file
    done
    abdb export -o csv --out file 2>/dev/null
    clean
}

@test "output to standard output, pipes, fifos, descriptors and devices is written directly" {
    filled "$root/data"
    abdb query sources -o csv >want
    for path in - /dev/stdout /dev/fd/1 /proc/self/fd/1; do
        abdb query sources -o csv --out $path | cmp - want
        abdb query sources -o csv --out $path >got
        cmp got want
    done
    echo first >log
    abdb query sources -o csv --out /dev/stdout >>log
    same "$(head -1 log)" first
    tail -n +2 log | cmp - want
    mkfifo pipe
    cat pipe >got &
    abdb query sources -o csv --out pipe
    wait $!
    cmp got want
    abdb query sources -o csv --out >(cat >got2)
    sleep 0.3
    cmp got2 want
    abdb query sources --out /dev/null
    [ -c /dev/null ]
    run abdb query sources --out /dev/full
    fails 6 "cannot write"
    run bash -c 'abdb query sources >/dev/full'
    fails 6 "cannot write"
}

@test "outputs follow links and keep modes; folders and read-only places are refused" {
    filled "$root/data"
    mkdir real
    echo old >real/file
    chmod 640 real/file
    ln -s real/file link
    abdb query sources --out link
    [ -L link ]
    grep -q databricks real/file
    same "$(stat -c %a real/file)" 640
    (umask 027; abdb query sources --out new)
    same "$(stat -c %a new)" 640
    ln -s real/later dangling
    abdb query sources --out dangling
    grep -q databricks real/later
    run abdb query sources --out real
    fails 6 "cannot write real"
    run abdb query sources --out nowhere/file
    fails 6 "cannot write nowhere/file"
    run abdb export -o db --out -
    fails 2 "wants --out FILE"
    clean
}

@test "part files of dead processes are removed; those of living processes and other files stay" {
    filled "$root/data"
    sleep 100 3>&- &
    living=$!
    touch .file.999999999-0123abcd.part .file.999999999-0123abcd.part-wal .file.$living-0123abcd.part
    touch .other.999999999-0123abcd.part .file.notes.part .file.999999999-0123abcd.partial
    abdb query sources --out file
    kill $living
    same "$(ls -A | grep '^\.' | tr '\n' ' ')" ".file.$living-0123abcd.part .file.999999999-0123abcd.partial .file.notes.part .other.999999999-0123abcd.part "
    long=$(printf 'n%.0s' {1..250})
    abdb query sources --out "$long"
    grep -q databricks "$long"
}

@test "the backup of a migration is complete or absent" {
    need_built unit/migration
    abdb init
    sqlite3 t.db "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
        INSERT INTO source (source, kind, title) SELECT i, 'user', hex(zeroblob(400)) FROM n"
    run bash -c "ulimit -f 99; '$build/unit/migration' t.db"
    [ $status != 0 ]
    [ ! -e t.db.v5.bak ]
    "$build/unit/migration" t.db # and removes the part of the one that was killed
    clean
    same "$(sqlite3 t.db.v5.bak "PRAGMA user_version; SELECT count(*) FROM source WHERE length(title) = 800; PRAGMA integrity_check")" $'5\n500\nok'
}

@test "a spool on a full disk keeps its complete records" {
    mkdir spool
    run bash -c 'ulimit -f 200; abdb run -q --kernel stream --axis n=300000-300030+1 --backend ref --threads 1 --quick --spool spool --db none.db'
    fails 6 "spool"
    same "$(ls -A spool | wc -l)" 1
    [ "$(jq -c . spool/c-*.jsonl | wc -l)" = "$(wc -l <spool/"$(ls spool)")" ]
    abdb import spool
    [ "$(ask "SELECT count(*) FROM v_run")" -ge 2 ]
    same "$(ask "SELECT count(*) FROM v_reject")" 0
}

@test "a missing folder of a database or an output is named" {
    run abdb init --db /nonexist/x.db
    fails 6 "/nonexist/x.db: there is no folder /nonexist; make it, or name another (--db)"
    abdb init
    run abdb export --out /nonexist/a.jsonl
    fails 6 "cannot write /nonexist/a.jsonl: there is no folder /nonexist"
    run abdb site --out not/here
    fails 6 "cannot make not/here: there is no folder not"
    run abdb demo --db not/demo.db
    fails 6 "there is no folder not; make it"
    same "$(grep -c '^abdb:' <<<"$output")" 1
    [[ $output != *"All of it is in"* ]]
}

@test "an early end of the reader is not a failure, also for verbs that start programs" {
    for verb in "run --list" "run --list --json" doctor query "help run"; do
        run bash -c "abdb $verb | true; echo \${PIPESTATUS[0]}"
        [ "$output" = 0 ] || same "$output" 141 || { echo "$verb"; false; } # it was done before, or SIGPIPE ended it
    done
}

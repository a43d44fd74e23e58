#!/usr/bin/env bats
# faults.bats - tests/fault: every verb has a command of which each call fails once (make soak; here a few, others each time), kills, many
# readers and writers at once, and whether these campaigns can find anything at all.
load common

campaign() { nice python3 "$root/tests/fault/campaign.py" "$@"; }
need_filter() {
    gcc -std=c17 -D_GNU_SOURCE -I"$root" -o inject "$root/tests/fault/inject.c" && ./inject -- true || skip "no seccomp listener here (Linux 5.9, not under another tracer)"
    case $build in *sanitize) skip "the sanitizer has an allocator of its own" ;; esac
    shim=$dir/shim.so
    gcc -std=c17 -D_GNU_SOURCE -I"$root" -shared -fPIC -o "$shim" "$root/tests/fault/shim.c"
}

@test "every verb of the program has a case in tests/fault/cases.py" {
    campaign forgotten
    sed "/Case(\"note\"/d" "$root/tests/fault/cases.py" >less.py
    cp "$root"/tests/fault/{state,trial,campaign}.py . && mv less.py cases.py
    sed -i "s|^HERE = .*|HERE = '$root/tests/fault'|" state.py
    run python3 campaign.py forgotten
    fails 1 "note"
}

@test "one failed call gives an error with its name or the right answer, and no lost data" {
    need_filter
    campaign faults --samples 1 --only 'query-list|export|version|run-dry|withdraw|verify-signed'
}

@test "SIGKILL at a file change or a random moment leaves complete units, and a repeated command finishes them" {
    need_filter
    campaign kills --samples 3 --only 'merge|export'
}

@test "importers, readers, a merge and a run on one file at once lose no row" {
    python3 "$root/tests/fault/crowd.py" --seconds 1
}

@test "each planted mistake in the table of the fault campaigns fits the sources" {
    bash "$root/tests/mutants/faults.sh" --check
}

@test "a broken pipe from gnuplot leaves no picture file" {
    need_filter
    filled "$fixtures/checker.csv"
    ./inject --count n -- env LD_PRELOAD="$shim" abdb plot mlperf-llm --out p.svg >/dev/null
    reads=$(awk '$1 == "read" { print $2 }' n) broken=0
    [ -s p.svg ]
    for ((i = reads; i > reads - 8; i--)); do # the last are of its pipes
        rm -f p.svg
        run ./inject --count n --read $i -- env LD_PRELOAD="$shim" abdb plot mlperf-llm --out p.svg
        grep -q '^hit read pipe:' n || continue
        fails 6 "cannot read from gnuplot: Input/output error"
        [ ! -e p.svg ]
        broken=$((broken + 1))
    done
    [ $broken -gt 0 ]
}

@test "a bundle file that cannot be written is named with the reason" {
    need_filter
    filled "$fixtures/checker.csv"
    ./inject --count n -- env LD_PRELOAD="$shim" abdb plot mlperf-llm --bundle post >out
    writes=$(awk '$1 == "write" { print $2 }' n) missed=0
    for ((i = writes; i > writes - 9; i--)); do # the last file says the digests of all others
        places=(post there)                     # a folder that abdb makes, and one that is there
        thorough || places=("${places[i % 2]}")
        for place in "${places[@]}"; do
            rm -rf post there && mkdir there
            code=0
            ./inject --count n --write $i -- env LD_PRELOAD="$shim" abdb plot mlperf-llm --bundle $place >out 2>err || code=$?
            grep -qE "^hit write .*\.part/.*\.(csv|gp|md|tex|json)\." n || continue
            [ $code = 6 ] && grep -qE "cannot write $place/mlperf-llm\.(csv|gp|md|tex|json): " err && [ ! -e post ] && [ -z "$(ls -A there)" ] ||
                { grep hit n; cat err; return 1; }
            missed=$((missed + 1))
        done
    done
    [ $missed -ge $((${THOROUGH:+5} + 5)) ]
}

@test "an unreadable page of the database gives an error or the complete picture" {
    need_filter
    filled "$fixtures/checker.csv"
    ./inject --count n -- env LD_PRELOAD="$shim" abdb plot mlperf-llm --out whole.svg >/dev/null
    reads=$(awk '$1 == "read" { print $2 }' n) tried=0 step=4
    ! thorough || step=1
    for ((i = reads - RANDOM % step; i > 0 && tried < 25; i -= step)); do # from the last: titles and sources are asked behind the rows
        code=0
        ./inject --count n --read $i -- env LD_PRELOAD="$shim" abdb plot mlperf-llm --out p.svg >out 2>err || code=$?
        grep -q "^hit read .*/t.db" n || continue
        [ $code = 6 ] || cmp p.svg whole.svg || { echo "read $i: exit $code"; cat err; return 1; }
        tried=$((tried + step))
    done
    [ $tried -ge 25 ]
}

@test "an unreadable database gives no site; only a fault within a report leaves out its page" {
    need_filter
    filled "$fixtures/osu.txt"
    refused=0 most=1
    ! thorough || most=3
    [ $most = 1 ] || abdb site --out whole
    # Within the answers of figures and reports. SQLite itself passes over some reads that fail: it only looks whether its tables are
    # those of before. Then the site is the whole one.
    for at in {200..500..20} 60 90; do
        rm -rf s
        run ./inject --count n --read $at -- env LD_PRELOAD="$shim" abdb site --out s
        grep -q "^hit read .*t.db" n
        [ "$status" != 0 ] || { [ -e whole ] || abdb site --out whole; diff -r s whole && continue; }
        fails 6 "is damaged, or its disk cannot read it"
        [ ! -e s ]
        refused=$((refused + 1))
        [ $refused -lt $most ] || break
    done
    [ $refused = $most ]
}

@test "a failed export leaves no file in TMPDIR or at its place, and prints the reason" {
    need_filter
    filled "$fixtures/osu.txt"
    mkdir tmp && export TMPDIR=$dir/tmp
    for words in "--redacted --out e.jsonl" "-o db --out e.db"; do
        ./inject --count n -- env LD_PRELOAD="$shim" abdb export $words 2>/dev/null
        rm e.*
        for class in write fsync; do
            all=$(awk -v c=$class '$1 == c { print $2 }' n)
            for at in 2 $((all / 3)) $((all - 1)); do
                code=0
                ./inject --count n2 --$class "$at" --on -- env LD_PRELOAD="$shim" abdb export $words 2>err || code=$?
                grep "^hit" n2
                same "$(ls -A tmp) $(ls -A | grep part)" " "
                if [ $code = 0 ]; then ls e.*; else ! ls e.* 2>/dev/null && grep -E "No space|disk (is )?full|I/O|Input/output|malformed" err || { cat err; return 1; }; fi
                rm -f e.*
            done
        done
    done
}

@test "a broken connection to a store is reported as such, and half of a row is not stored" {
    need_filter
    filled "$fixtures/checker.csv"
    mv t.db held.db
    mkdir liar && cp "$build/abdb" liar/ && cp "$root/tests/backends/lying_store.py" liar/abdb-store-pg
    abdb init >/dev/null
    export HELD=held.db LACKS=
    for class in read write; do
        broken=0
        for at in {2..40..4}; do
            cp t.db to.db
            code=0
            ./inject --count n --$class "$at" -- env LD_PRELOAD="$shim" liar/abdb pull postgresql://h/d --db to.db >out 2>err || code=$?
            grep "^hit $class pipe:" n || continue
            [ $code = 6 ] && grep -E "cannot (read what the store says: Input/output error|write to the store: No space left)" err || { cat err; return 1; }
            same "$(sqlite3 to.db "SELECT count(*) FROM entry_row")" 0
            broken=$((broken + 1))
        done
        [ $broken -gt 0 ]
    done
}

@test "a failed allocation gives a message, and no silently omitted text" {
    need_filter
    run env FAULT_MALLOC=1 FAULT_ON=1 LD_PRELOAD="$shim" abdb init
    fails 6 "out of memory"
    abdb plot >whole
    FAULT_COUNT=n LD_PRELOAD=$shim abdb plot >/dev/null
    for ((i = 1; i <= 24; i++)); do
        at=$((1 + (RANDOM * 32768 + RANDOM) % $(cat n))) code=0
        env FAULT_MALLOC=$at LD_PRELOAD="$shim" abdb plot >out 2>err || code=$?
        if [ $code = 0 ]; then cmp out whole || { echo "allocation $at"; return 1; }; else grep -q memory err; fi
    done
}

@test "a read error or lack of memory in abdb is not reported as a fault of the backend" {
    need_filter
    mkdir fake
    cat >fake/abdb-run-fake <<'P'
#!/usr/bin/env bash
say() { printf '{"kind":"%s"%s}\n' "$1" "$2"; }
say hello ',"protocol":1,"backend":"fake","kernels":[]'
say environment ',"environment":{"library":"a"}'
say device ',"name":"D","devices":1,"threads":1,"clock":"CLOCK_MONOTONIC","clock_resolution_s":1e-9'
while [ "$1" = run ] && read -r line; do
    cell=$(sed 's/.*"cell" *: *"\([^"]*\)".*/"cell":"\1"/' <<<"$line")
    say begin ",$cell"
    for i in {1..60}; do say sample ",$cell,\"seq\":$i,\"t_s\":0.0$(printf %02d $i),\"time_s\":1e-6"; done
    say result ",$cell,\"formula\":\"f@1\",\"dtype\":\"f32\",\"ops\":8,\"bytes\":4,\"verified\":\"pass\",\"prepare_s\":0,\"batch\":1,\"factors\":{}"
    say end ",$cell,\"status\":\"ok\",\"reason\":\"\""
done
say bye
P
    chmod +x fake/abdb-run-fake
    export ABDB_BACKENDS=$dir/fake
    echo "k dtype=f32 n=1" >plan.txt
    FAULT_OWN=1 FAULT_COUNT=n LD_PRELOAD=$shim abdb run -q --plan plan.txt --backend fake --db whole.db
    all=$(cat n) refused=0
    same "$(sqlite3 whole.db "SELECT status FROM v_run")" ok
    for ((i = 1; i <= ${THOROUGH:+2}8; i++)); do
        at=$((all / 4 + (RANDOM * 32768 + RANDOM) % (all * 3 / 4))) code=0
        rm -f t.db*
        env FAULT_OWN=1 FAULT_MALLOC=$at LD_PRELOAD="$shim" abdb run -q --plan plan.txt --backend fake --db t.db >out 2>err || code=$?
        [ $code = 0 ] || { [ $code = 6 ] && grep -q "memory" err; } || { echo "allocation $at of $all: exit $code: $(cat err)"; return 1; }
        refused=$((refused + (code == 6)))
    done
    [ $refused -gt 0 ]
    unset ABDB_BACKENDS
    printf '#!/bin/sh\necho "{\\"kind\\":\\"hello\\",\\"protocol\\":1,\\"backend\\":\\"short\\",\\"kernels\\":[]}"; echo "{\\"kind\\":\\"bye\\"}"' >short
    chmod +x short
    heard=
    for at in 1 2 3 4 5 6 40 70 120 200; do # of the few words of the short one, and of the many of ref
        [ $at -lt 40 ] && words="check-backend $dir/short --wait 0.3" || words="run -q --quick --threads 1 --backend ref --kernel gemm --axis n=8 --db t$at.db"
        code=0
        ./inject --count n --read $at -- env LD_PRELOAD="$shim" abdb $words >out 2>err || code=$?
        grep "^hit read pipe:" n || continue
        heard+=" ${words%% *}"
        same $code 6
        grep "cannot read what .*: Input/output error" err
    done
    [[ $heard == *check-backend*run* ]]
    told=0
    abdb init --db e.db >/dev/null
    for at in {12..24}; do # what it asks is written to a pipe as well
        code=0
        rm -f t.db-* && cp e.db t.db
        ./inject --count n --write "$at" -- env LD_PRELOAD="$shim" abdb run -q --quick --threads 1 --backend ref --kernel gemm --axis n=8 --db t.db >out 2>err || code=$?
        grep "^hit write pipe:" n || continue
        told=$((told + 1))
        same $code 6
        grep "cannot write to the backend: No space left" err
    done
    [ $told -gt 0 ]
}

@test "lack of memory for JSON gives a message and no failed assertion of the library" {
    need_filter
    { head -1 "$fixtures/records.jsonl"; sed -n '2s/80000000000/80000000000.0000000000000000000000000000/p' "$fixtures/records.jsonl"; } >r.jsonl
    FAULT_OWN=1 FAULT_COUNT=n LD_PRELOAD=$shim abdb import -n r.jsonl
    [ "$(cat n)" -gt 250 ]
    step=3
    ! thorough || step=1
    for ((at = 1 + RANDOM % step; at <= 250; at += step)); do # where the lines are read; what follows derives
        code=0
        env FAULT_OWN=1 FAULT_ON=1 FAULT_MALLOC=$at LD_PRELOAD="$shim" abdb import -n r.jsonl >out 2>&1 || code=$?
        [ $code -lt 128 ] || { echo "allocation $at of $(cat n): exit $code: $(cat out)"; return 1; }
    done
}

@test "a failed last write of an export gives the reason in every format" {
    need_filter
    filled "$fixtures/checker.csv"
    for format in jsonl csv sql; do
        ./inject --count n -- env LD_PRELOAD="$shim" abdb export -o $format --out e
        writes=$(awk '$1 == "write" { print $2 }' n)
        for at in $((writes - 2)) $((writes - 1)) "$writes"; do
            rm -f e
            run ./inject --count n --write "$at" -- env LD_PRELOAD="$shim" abdb export -o $format --out e
            grep -q '^hit write .*part$' n || continue
            [ "$status" = 6 ] && [[ $output == *"No space left on device"* || $output == *"disk is full"* ]] || { echo "$output"; return 1; }
            [ ! -e e ]
            tried+=" $format"
        done
    done
    [[ $tried == *jsonl*csv*sql* ]]
}

@test "an unreadable folder is not taken for an empty one" {
    need_filter
    run ./inject --list 1 -- env LD_PRELOAD="$shim" abdb run -n --backend ref --kernel gemm --axis n=8
    fails 6 "cannot list"
    mkdir -p own/reports
    echo "-- title: Mine
SELECT 1 AS x" >own/reports/mine.sql
    run env ABDB_PATH="$dir/own" ./inject --list 1 -- env LD_PRELOAD="$shim" abdb query
    fails 0 "left out: what is in $dir/own/reports: Input/output error"
}

@test "an open or read error is reported as such, not as a wrong format or an open transaction" {
    need_filter
    mkdir in && tar czf in/a.tar.gz -C "$fixtures" osu.txt results.csv && cp "$fixtures/osu.txt" in && abdb init --db empty.db >/dev/null
    for class in open read; do
        for ((i = 1, hits = 0; ; i++)); do
            cp empty.db t.db && rm -f t.db-*
            code=0
            ./inject --count n --$class $i -- env LD_PRELOAD="$shim" abdb import -q in >out 2>err || code=$?
            hit=$(grep "^hit" n) || break
            case $hit in
            */in/a.tar.gz | */in/osu.txt | *" in/"*) hits=$((hits + 1)) && grep -q "cannot $class: " err ;;
            */t.db) [ $code = 0 ] || ! grep "transaction" err ;;
            *) ;;
            esac || { echo "$hit: exit $code $(cat err)"; return 1; }
        done
        [ $hits -gt 1 ]
    done
}

@test "the injector fails one call or all later calls, or kills before one call" {
    need_filter
    export LC_ALL=C # no files of a locale
    run ./inject --count n --open 2 -- env LD_PRELOAD="$dir/shim.so" cat "$fixtures/specs.csv" "$fixtures/osu.txt" "$fixtures/prices.csv"
    fails 1 "osu.txt: Too many open files"
    [[ "$output" != *"prices.csv: "* ]]
    grep -q "^open 3$" n
    grep -q "^hit open $fixtures/osu.txt$" n
    run ./inject --open 2 --on -- env LD_PRELOAD="$dir/shim.so" cat "$fixtures/specs.csv" "$fixtures/osu.txt" "$fixtures/prices.csv"
    fails 1 "prices.csv: Too many open files"
    run ./inject --count n --any 2 --kill -- env LD_PRELOAD="$dir/shim.so" cat "$fixtures/specs.csv"
    [ "$status" -eq 137 ]
    run ./inject --count n -- env LD_PRELOAD="$dir/shim.so" python3 -c "
import os
for n, sync, cut in (('a', True, False), ('b', False, False), ('c', True, True)):
    f = os.open(n, os.O_WRONLY | os.O_CREAT); os.write(f, b'x')
    if sync: os.fsync(f)
    if cut: os.ftruncate(f, 0)
    os.close(f); os.rename(n, n + '2')"
    same "$(grep unsynced n)" "$(printf 'unsynced b\nunsynced c')"
}

@test "lack of memory in an import stores the whole file or nothing, with a message" {
    need_filter
    abdb init --db empty.db >/dev/null
    for file in tables.md site_flat.csv site_pivot.csv; do
        cp empty.db t.db && rm -f t.db-*
        FAULT_OWN=1 FAULT_COUNT=n LD_PRELOAD=$shim abdb import -q "$fixtures/$file"
        want=$(sqlite3 t.db "SELECT accepted, rejected FROM artifact WHERE path LIKE '%$file'")
        all=$(cat n) step=60
        ! thorough || step=12
        for ((i = 1 + RANDOM % step; i <= all; i += 1 + RANDOM % step)); do
            cp empty.db t.db && rm -f t.db-*
            code=0
            env FAULT_OWN=1 FAULT_MALLOC=$i LD_PRELOAD="$shim" abdb import -q "$fixtures/$file" >out 2>err || code=$?
            got=$(sqlite3 t.db "SELECT accepted, rejected FROM artifact WHERE path LIKE '%$file'")
            [ "$got" = "$want" ] || [ -z "$got" ] || { echo "$file, allocation $i: $got"; return 1; }
            [ $code = 0 ] && [ -n "$got" ] || { [ $code = 6 ] && grep -q memory err; } || { echo "$file, allocation $i: exit $code $(cat err)"; return 1; }
        done
    done
}

#!/usr/bin/env bats
# program.bats - help, man page, completion, doctor, install, migration on the command line.
load common

@test "every verb has help, a section in the man page and completion" {
    for verb in $(abdb --help | awk '/^  [a-z]/ { print $1 }'); do
        run abdb "$verb" --help
        fails 0 "usage: abdb $verb"
        abdb help --man | grep -q "SS abdb $verb"
        abdb help --complete -- "${verb%?}" | grep -q "^$verb"
    done
    bash -n <(abdb help --completion bash)
    run abdb
    [ "$status" -eq 2 ]
    run abdb version
    fails 0 "schema"
}

@test "the man page is formatted without a warning" {
    command -v man >/dev/null || skip "no man(1)"
    abdb help --man >abdb.1
    same "$(MANROFFSEQ='' man --warnings -E UTF-8 -l -Tutf8 -Z abdb.1 2>&1 >/dev/null)" ""
}

@test "completion offers verbs, options and reports" {
    abdb help --completion bash >c
    run bash -c 'source c; COMP_WORDS=(abdb que); COMP_CWORD=1; _abdb; echo "${COMPREPLY[@]}"'
    fails 0 query
    run bash -c 'source c; COMP_WORDS=(abdb query mlperf); COMP_CWORD=2; _abdb; echo "${COMPREPLY[@]}"'
    fails 0 mlperf-llm
    run bash -c 'source c; COMP_WORDS=(abdb import --dr); COMP_CWORD=2; _abdb; echo "${COMPREPLY[@]}"'
    fails 0 "--dry-run"
}

@test "doctor reports the build, the machine, the database and its damage" {
    run abdb doctor
    fails 0 "is not there yet"
    abdb import -q "$fixtures/checker.csv"
    run abdb doctor
    fails 0 "sound, writable"
    dd if=/dev/zero of=t.db bs=1 seek=150 count=60000 conv=notrunc 2>/dev/null
    run abdb doctor
    [[ "$output" == *"damaged"* || "$output" == *"DAMAGED"* ]]
}

@test "doctor and run report the same core type" {
    [ -x "$build/abdb-run-openblas" ] || skip "built without openblas"
    run abdb doctor
    fails 0 "core type"
    OPENBLAS_CORETYPE=Haswell run abdb doctor
    if grep -q avx512vl /proc/cpuinfo; then fails 0 "chose kernels below"; else fails 0 "fits this processor"; fi
}

@test "a database from before the first release is refused with advice" {
    sqlite3 t.db "CREATE TABLE entry_row (entry_id INTEGER PRIMARY KEY); PRAGMA application_id = 1633838178; PRAGMA user_version = 7"
    for command in "query sources" init "import data"; do
        run abdb $command
        fails 6 "import its files again into a new database"
    done
}

@test "make config reports openblas as the compiler finds it, and obeys WITH_openblas=no" {
    printf '#include <cblas.h>\nint main(void) { return cblas_ddot(0, 0, 1, 0, 1) != 0; }\n' >p.c
    if gcc p.c -o p -lopenblas 2>/dev/null; then want=yes; else want=no; fi
    run make -s -C "$root" config
    fails 0 "openblas  $want"
    if [ $want = yes ]; then [ -x "$build/abdb-run-openblas" ]; fi
    run make -s -C "$root" config WITH_openblas=no
    fails 0 "openblas  no"
    if [ $want = yes ]; then
        run make -s -C "$root" config WITH_openblas=yes CC=false
        fails 2 "do not compile and link"
    fi
}

@test "make install installs a program that works without the source tree" {
    # with the PREFIX of the build: another one would build anew under the other tests
    [ "$build" = "$root/build" ] || skip "only the plain build is installed"
    make -s -C "$root" install DESTDIR="$dir/stage" >/dev/null
    for f in bin/abdb bin/abdb-run-ref lib/abdb/abdb.so share/man/man1/abdb.1 share/bash-completion/completions/abdb share/abdb/data/specs-seeds.csv; do
        [ -e "$dir/stage/usr/local/$f" ] || { echo "missing $f"; false; }
    done
    run env -i PATH=/usr/bin:/bin HOME="$dir" "$dir/stage/usr/local/bin/abdb" import data --db i.db
    fails 0 "total: "
    run env -i PATH=/usr/bin:/bin HOME="$dir" "$dir/stage/usr/local/bin/abdb" run --list
    fails 0 "ref "
}

@test "progress and colours are printed on terminals only" {
    run abdb import "$fixtures/checker.csv"
    [[ "$output" != *$'\r'* && "$output" != *$'\033'* ]]
    command -v script >/dev/null || skip "no script(1) (bsdutils)"
    run script -qec "env -u NO_COLOR TERM=xterm abdb query sources" /dev/null
    [[ "$output" == *$'\033[1m'* ]]
    run script -qec "env NO_COLOR=1 TERM=xterm abdb query sources" /dev/null
    [[ "$output" != *$'\033['* ]]
}

@test "many writers and readers at once complete their work" {
    abdb init >/dev/null
    pids=
    for i in 1 2 3 4 5 6 7 8; do
        sed "s/10000.5/1000$i.5/" "$fixtures/checker.csv" >c$i.csv
        abdb import -q c$i.csv &
        pids="$pids $!"
        abdb query sources >/dev/null &
        pids="$pids $!"
    done
    for pid in $pids; do wait "$pid"; done
    same "$(ask "SELECT count(*) FROM v_artifact WHERE artifact LIKE 'c%.csv'")" 8
}

@test "a second writer waits for the first" {
    mkdir good
    cp "$fixtures"/*.* good # not the corpus, which is damaged
    abdb import -q $(half_of_data) &
    one=$!
    abdb import -q good &
    two=$!
    wait $one
    wait $two
    for i in 1 2 ${THOROUGH:+3 4 5 6}; do # tables and views come in one step, whoever is first
        rm -f t.db*
        abdb import -q "$fixtures/checker.csv" &
        one=$!
        abdb import -q "$fixtures/results.csv" &
        two=$!
        wait $one
        wait $two
    done
    abdb import -q $(half_of_data)
    same "$(ask "SELECT count(*) > 500 FROM v_statement")" 1
    same "$(sqlite3 t.db 'PRAGMA integrity_check')" ok
}

@test "doctor --rebuild restores lost and changed derived rows, and keeps the right ones" {
    filled "$root/data"
    want=$(facts)
    sqlite3 t.db "DELETE FROM subject WHERE result_id % 2; UPDATE subject SET sources = sources + 1 WHERE result_id % 3 = 0;
      UPDATE name SET canon = 'wrong' WHERE length(spelling) % 2; INSERT INTO name SELECT kind, spelling || ' of nobody', part, canon, folded, share, parts, whole, how FROM name LIMIT 1;
      INSERT INTO gone SELECT 'entry', max(entry_id) FROM entry_row; INSERT OR IGNORE INTO gone SELECT 'spec', max(spec_id) FROM spec;
      INSERT INTO subject SELECT (SELECT max(result_id) FROM result_row WHERE result_id NOT IN (SELECT result_id FROM subject)), subject, 0, 2, 0, flags, public_id, verified FROM subject LIMIT 1"
    [ "$(facts)" != "$want" ]
    run abdb doctor --rebuild
    fails 0 "rebuilt"
    same "$(facts)" "$want"
}

@test "the tests print once the number of skipped tests and the place of the missing files" {
    [ "${BUILD:-build}" = build ] || skip "once is enough"
    mapfile -t ours < <(compgen -v BATS_ | sed 's/^/--unset=/') # a run of its own
    run env "${ours[@]}" ABDB_REALDATA=/nonexistent TIMES_FILE= "$root/tests/run.sh" tests/cli/devices.bats
    fails 0 "Result: PASS"
    same "$(grep -c ABDB_REALDATA <<<"$output")" 1
    grep -qE '^[1-9][0-9]* tests were skipped: .*not in /nonexistent' <<<"$output"
    for folder in $(grep -oh 'need_realdata [a-z-]*' "$root"/tests/cli/*.bats | cut -d' ' -f2 | grep -v '^$' | sort -u); do
        grep -q "^| .*$folder" "$root/tests/README.md" || { echo "README.md does not say where $folder is from"; false; }
    done
}

@test "demo prints every step; without gnuplot it leaves out the picture and succeeds" {
    mkdir bin && for tool in sh env; do ln -s "$(command -v $tool)" bin/; done
    run env PATH="$dir/bin" ABDB_DATA="$root/data" "$build/abdb" demo --db demo.db
    fails 0 "left out: gnuplot is not installed: apt-get install gnuplot-nox"
    fails 0 14313.0
    [[ $output == *"gemm n=1024"* ]]
    [ ! -e abdb-demo.svg ]
    run abdb demo --help
    same "$(grep -c -- --db <<<"$output")" 1
    fails 0 "(default: abdb-demo.db, whatever \$ABDB_DB is)"
    # any other failure is one
    run env PATH="$dir/bin" "$build/abdb" demo --db /nonexistent/demo.db
    [ "$status" -ne 0 ]
}

@test "man finds the pages of a build with its folder in PATH" {
    command -v manpath >/dev/null || skip "man is not installed"
    run env -u MANPATH man -w abdb-run
    fails 0 "abdb-run.1"
    same "$(realpath "$output")" "$(realpath "$build/doc/abdb-run.1")"
}

@test "the man page of abdb lists every variable for users" {
    abdb help --man >page
    for name in $(grep -rhoE '(getenv|environ\.get)\("ABDB_[A-Z0-9_]+"' "$root"/{schema,ingest,plots,kernels,query} --include='*.c' --include='*.py' | grep -o 'ABDB_[A-Z0-9_]*' | sort -u); do
        case $name in ABDB_FUZZ | ABDB_SENSORS | ABDB_PROGRAM | ABDB_PYTEST_*) continue ;; esac # of tests, and of the Python module's own README
        grep -q "$name" page || { echo "$name is not in man abdb"; return 1; }
    done
    run abdb run --help
    fails 0 "\$ABDB_BACKENDS"
}

@test "the pages named by help are built in, and installed" {
    run abdb help protocol
    fails 0 "# The backend protocol, version 1"
    run abdb help records
    fails 0 '{"record":"entry","field":'
    same "$(abdb help protocol)" "$(cat "$root/kernels/harness/protocol.md")"
    for verb in $(abdb help --complete '' | cut -f1); do
        ! abdb "$verb" --help | grep -E '[a-z]+/[a-z_/]+\.(h|md|def)' || return 1
    done
}

#!/usr/bin/env bats
# fault.bats - the Nth allocation, the Nth write fails: an error or the right answer, never a crash, and the
# database is sound. $FAULTS: how many of each, spread over all, others each time (12 by default; thousands in make soak).
load common
faults=${FAULTS:-12}

need_shim() {
    case $build in *sanitize) skip "the sanitizer has an allocator of its own" ;; esac
    shim=$dir/shim.so
    gcc -shared -fPIC -O1 -D_GNU_SOURCE -I"$root" -o "$shim" "$root/tests/fault/shim.c"
    inject=$dir/inject
    gcc -O1 -D_GNU_SOURCE -I"$root" -o "$inject" "$root/tests/fault/inject.c"
    "$inject" -- true || skip "no seccomp listener here (Linux 5.9, not under another tracer)"
}

# Runs COMMAND with the Nth MALLOC or WRITE failing; exit codes of crashes fail the test.
harmed() { # KIND N COMMAND...
    kind=$1 n=$2
    shift 2
    code=0
    if [ "$kind" = WRITE ]; then
        "$inject" --write "$n" -- env LD_PRELOAD="$shim" "$@" >out 2>&1 </dev/null || code=$?
    else
        env "FAULT_$kind=$n" LD_PRELOAD="$shim" "$@" >out 2>&1 </dev/null || code=$?
    fi
    case $code in
    0 | 1 | 2 | 3 | 5 | 6) ;;
    *) echo "$kind $n: exit $code: $*"; cat out; return 1 ;;
    esac
}

# From the first to the MOSTth, in steps that grow, `faults` of them; a random one within each step.
spread() { # KIND MOST COMMAND...
    kind=$1 most=$2
    shift 2
    for n in $(awk -v f="$faults" -v m="$most" -v seed="$RANDOM" 'BEGIN { srand(seed); for (i = 1; i <= f; i++) print int(exp(log(m) * (i - rand()) / f)) + i }'); do
        harmed "$kind" "$n" "$@"
    done
}

@test "failed allocations in import, query, plot and run leave a sound database" {
    need_shim
    filled $(half_of_data)
    mv t.db full.db
    spread MALLOC 20000 abdb query mlperf-llm --db full.db
    spread MALLOC 20000 abdb query perf-per-dollar --db full.db -o json
    spread MALLOC 3000 abdb plot mlperf-llm --db full.db --out p.svg
    spread MALLOC 1000 abdb run --kernel gemm --axis n=8 --backend ref --quick
    for f in checker.csv site_flat.csv site_pivot.csv summary.json results.csv specs.csv; do
        rm -f t.db*
        spread MALLOC 3000 abdb import -q "$fixtures/$f"
        same "$(sqlite3 t.db 'PRAGMA integrity_check; PRAGMA foreign_key_check')" ok
        abdb import -q "$fixtures/$f"
        same "$(sqlite3 t.db "SELECT count(*) FROM artifact WHERE path LIKE '%/$f'")" 1
    done
}

@test "a failed allocation in a list of names gives a message and no crash" {
    need_shim
    unset HOME XDG_CONFIG_HOME ABDB_PATH # without a folder the first copy of a name is what fails
    for ((n = 1; n <= 8; n++)); do
        for list in query plot; do
            harmed MALLOC $n abdb $list
            [ "$code" -ne 0 ] || grep -q 'for want of memory' out || same "$(awk '{ print $1 }' out)" "$(abdb $list | awk '{ print $1 }')"
        done
    done
}

# What each file gave: a file that is not whole has other numbers.
given() {
    sqlite3 "$1" "SELECT path, accepted, rejected, (SELECT count(*) FROM entry_row e WHERE e.artifact_id = a.artifact_id),
        (SELECT count(*) FROM origin o WHERE o.artifact_id = a.artifact_id) FROM artifact a ORDER BY 1"
}

@test "a failed write in import leaves each file complete or absent, and the next import adds the rest" {
    need_shim
    abdb init
    cp t.db new.db
    files=("$root"/data/{results/databricks,prices}.csv "$fixtures/checker.csv")
    abdb import -q "${files[@]}"
    want=$(facts)
    given t.db >whole
    for ((i = 0; i < faults; i++)); do
        rm -f t.db*
        [ $((i % 6)) = 0 ] || cp new.db t.db # each sixth makes the database, too
        most=$((i % 6 ? 400 : 1000))
        harmed WRITE $((1 + RANDOM * most / 32768)) abdb import -q "${files[@]}"
        [ $code = 0 ] || touch failed
        [ ! -s t.db ] || [ "$(sqlite3 t.db "SELECT count(*) FROM sqlite_schema")" = 0 ] || {
            same "$(sqlite3 t.db 'PRAGMA integrity_check; PRAGMA foreign_key_check')" ok
            given t.db | comm -23 - whole >half
            same "$(cat half)" ""
        }
        abdb import -q "${files[@]}"
        same "$(facts)" "$want"
    done
    [ -e failed ]
}

@test "a fault in a large import leaves the database as it was, with all its indexes" {
    need_shim
    indexes() { sqlite3 "$1" "SELECT sql FROM sqlite_schema WHERE type = 'index' ORDER BY name" | sha256sum; }
    awk 'BEGIN { print "evidence,source,workload,device,metric,value,unit"
        for (i = 0; i < 22000; i++) printf "published,me,serving,d%d,tokens_per_s,%s,token/s\n", i % 900, i / 8 }' >many.csv
    abdb import -q "$fixtures/specs.csv"
    before=$(facts) shape=$(indexes t.db)
    at=(150 400 900 1700 2600 4500 9000 20000 45000 70000 100000) step=3
    ! thorough || step=1
    for kind in MALLOC WRITE; do
        first=$((RANDOM % step))
        for ((i = first; i < ${#at[@]}; i += step)); do
            n=${at[i]}
            cp t.db u.db
            harmed $kind $n abdb import -q --db u.db many.csv
            same "$(sqlite3 u.db 'PRAGMA integrity_check')" ok
            same "$(indexes u.db)" "$shape"
            [ "$(sqlite3 u.db 'SELECT count(*) FROM result')" -gt 20000 ] || same "$(facts u.db)" "$before"
        done
    done
}

@test "a failed write or allocation in a migration leaves the old version or the new one, and the next completes it" {
    need_built unit/migration
    need_shim
    abdb import -q "$fixtures"/{checker,specs}.csv # little, so that the backup is not nearly all of it
    cp t.db old.db
    v=$(sqlite3 old.db "PRAGMA user_version")
    want=$(facts)
    tables() { sqlite3 t.db "SELECT sql FROM sqlite_schema WHERE type = 'table' ORDER BY name"; }
    "$inject" --count calls -- env FAULT_COUNT=counts LD_PRELOAD="$shim" "$build/unit/migration" t.db
    next=$(tables)
    read -r allocations <counts
    writes=$(awk '$1 == "write" { print $2 }' calls)
    for kind in WRITE MALLOC; do
        [ $kind = WRITE ] && most=$writes || most=$allocations
        for ((i = 1; i <= faults / 2; i++)); do
            rm -f t.db t.db-* t.db.v$v.bak .t.db.v$v.bak.*.part*
            cp old.db t.db
            harmed $kind $((1 + most * (i - 1) / (faults / 2) + RANDOM % (1 + most / (faults / 2)))) "$build/unit/migration" t.db
            same "$(sqlite3 t.db 'PRAGMA integrity_check; PRAGMA foreign_key_check')" ok
            [ "$(sqlite3 t.db "PRAGMA user_version")" = $((v + 1)) ] || { rm -f t.db.v$v.bak && "$build/unit/migration" t.db; }
            same "$(tables)" "$next"
            same "$(facts)" "$want"
        done
    done
}

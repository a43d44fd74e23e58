#!/usr/bin/env bats
# kill.bats - SIGKILL at random moments, one in each of $KILLS equal parts of an undisturbed run (8 by default; thousands in make soak):
# the database opens, holds whole import units only, and running the command again gives the facts of an undisturbed run.
load common
kills=${KILLS:-8}

# Sleeps to a random moment of the $1th of $2 equal parts of $3 seconds.
nap() { sleep "$(awk -v i="$1" -v n="$2" -v s="$3" -v r=$RANDOM 'BEGIN { print s * ((i * 7919) % n + r / 32767) / n }')"; }

sound() {
    [ -s t.db ] || return 0
    same "$(sqlite3 t.db 'PRAGMA quick_check; PRAGMA foreign_key_check' 2>&1)" ok
}

@test "abdb import killed at random moments leaves a sound database, also with archives" {
    tar czf data.tar.gz -C "$root" data
    mkdir good
    cp "$fixtures"/*.* good # not the corpus, which is damaged
    command=(abdb import -q data.tar.gz good "$root/data/results")
    begin=$(date +%s%N)
    "${command[@]}"
    whole=$(awk -v n=$(($(date +%s%N) - begin)) 'BEGIN { print n / 1e9 }')
    want=$(facts)
    sqlite3 t.db "SELECT sha256, accepted, duplicate, rejected, ignored FROM artifact ORDER BY 1" >units
    rm t.db
    for ((i = 1; i <= kills; i++)); do
        "${command[@]}" >/dev/null 2>&1 &
        pid=$!
        nap $i "$kills" "$whole"
        kill -KILL $pid 2>/dev/null || true
        wait $pid 2>/dev/null || true
        sound
        if [ -s t.db ] && sqlite3 t.db "SELECT 1 FROM artifact LIMIT 1" >/dev/null 2>&1; then
            # only whole units, each with the number of rows that it has when undisturbed
            same "$(sqlite3 t.db "SELECT sha256, accepted + duplicate, rejected, ignored FROM artifact" | sort -u | wc -l)" \
                "$(sqlite3 t.db "SELECT sha256, accepted + duplicate, rejected, ignored FROM artifact" | sort -u |
                    grep -cxFf <(awk -F'|' '{ print $1 "|" $2 + $3 "|" $4 "|" $5 }' units))"
        fi
        if ((i % 8 == 0)); then
            "${command[@]}"
            same "$(facts)" "$want"
            rm -f t.db t.db-*
        fi
    done
}

@test "abdb run killed at random moments is completed by --resume" {
    command=(abdb run -q --quick --backend ref --kernel gemm --axis n=8-15+1)
    for ((i = 1; i <= kills; i++)); do
        "${command[@]}" --resume >/dev/null 2>&1 &
        pid=$!
        nap $i "$kills" 0.35
        kill -KILL $pid 2>/dev/null || true
        wait $pid 2>/dev/null || true
        sound
        if ((i % 8 == 0)); then
            "${command[@]}" --resume 2>/dev/null
            same "$(ask "SELECT count(*), count(DISTINCT cell), count(DISTINCT campaign), sum(status = 'ok'), sum(verified = 'pass') FROM v_run")" "8,8,1,8,8"
            same "$(sqlite3 t.db "SELECT count(*) FROM result r WHERE metric = 'time_s' AND statistic = 'median' AND n <> (SELECT count(*) FROM sample s WHERE s.entry_id = r.entry_id AND s.ordinal = r.ordinal)")" 0
            rm -f t.db t.db-*
        fi
    done
    sleep 1
    for pid in $(pgrep -f "abdb-run-ref run"); do # other tests may run theirs at the same time
        [ "$(readlink /proc/$pid/cwd)" != "$dir" ] || { echo "$pid lives on"; false; }
    done
}

@test "a migration killed at random moments leaves one version, and the next migration completes it" {
    need_built unit/migration
    filled $(half_of_data)
    cp t.db old.db
    v=$(sqlite3 old.db "PRAGMA user_version")
    want=$(facts)
    begin=$(date +%s%N)
    "$build/unit/migration" t.db
    whole=$(awk -v n=$(($(date +%s%N) - begin)) 'BEGIN { print n / 1e9 }')
    for ((i = 1; i <= kills / 4; i++)); do
        rm -f t.db t.db-* t.db.v$v.bak .t.db.v$v.bak.*.part*
        cp old.db t.db
        "$build/unit/migration" t.db >/dev/null 2>&1 &
        pid=$!
        nap $i $((kills / 4)) "$whole"
        kill -KILL $pid 2>/dev/null || true
        wait $pid 2>/dev/null || true
        sound
        case $(sqlite3 t.db "PRAGMA user_version") in
        "$v") # a backup that is whole is the reader's: it is not replaced
            [ ! -e t.db.v$v.bak ] || same "$(sqlite3 t.db.v$v.bak 'PRAGMA quick_check')" ok
            rm -f t.db.v$v.bak
            "$build/unit/migration" t.db ;;
        $((v + 1))) ;;
        *) false ;;
        esac
        same "$(sqlite3 t.db "PRAGMA user_version")|$(sqlite3 t.db.v$v.bak "PRAGMA user_version; PRAGMA quick_check")" "$((v + 1))|$v"$'\nok'
        same "$(compgen -G "t.db.v$v.bak.*"; compgen -G ".t.db.v$v.bak.*")" ""
        same "$(facts)" "$want"
    done
}

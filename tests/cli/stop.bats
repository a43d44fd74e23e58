#!/usr/bin/env bats
# stop.bats - ^C, SIGTERM and SIGKILL while a cell of minutes runs: what was measured stays, nothing lives on.
load common

# A backend with a child of its own; its cell with do=minutes would take minutes. STUBBORN: it ignores ^C.
slow() {
    mkdir -p fake
    cat >fake/abdb-run-slow <<'B'
#!/bin/bash
[ -z "$STUBBORN" ] || trap '' INT TERM
echo '{"kind":"hello","protocol":1,"backend":"slow","summary":"for tests","kernels":[]}'
echo '{"kind":"device","name":"Slow-1","threads":1}'
[ "$1" = run ] || { echo '{"kind":"bye"}'; exit 0; }
while read -r line; do
    cell=$(jq -r .cell <<<"$line")
    echo "{\"kind\":\"begin\",\"cell\":\"$cell\"}"
    if [[ $cell == *minutes* ]]; then
        sleep 600 &
        echo $$ $! >"$SLOW_PIDS"
        for ((i = 0; i < 600; i++)); do echo '{"kind":"beat"}'; sleep 1; done
    fi
    for i in 1 2 3; do echo "{\"kind\":\"sample\",\"cell\":\"$cell\",\"t_s\":0.$i,\"time_s\":0.00$i}"; done
    echo "{\"kind\":\"result\",\"cell\":\"$cell\",\"formula\":\"f@1\",\"dtype\":\"f32\",\"ops\":8e6,\"verified\":\"pass\"}"
    echo "{\"kind\":\"end\",\"cell\":\"$cell\",\"status\":\"ok\"}"
done
B
    chmod +x fake/abdb-run-slow
    export ABDB_BACKENDS=$dir/fake SLOW_PIDS=$dir/pids
    command=(abdb run --kernel k --backend slow --axis "do=fast,minutes,after" --axis "note=it's")
}

# Starts the command and waits until its cell of minutes runs; the cell before is kept.
begin() {
    "${command[@]}" "$@" >out 2>&1 3>&- &
    pid=$!
    for ((i = 0; i < 200; i++)); do
        [ -s pids ] && return
        sleep 0.05
    done
    echo "never began"; cat out; return 1
}

# Waits at most $1 seconds for the command, its code into $code.
ended() {
    for ((i = 0; i < $1 * 20; i++)); do
        kill -0 $pid 2>/dev/null || break
        sleep 0.05
    done
    ! kill -0 $pid 2>/dev/null || { echo "still runs"; kill -KILL $pid; return 1; }
    code=0
    wait $pid || code=$?
}

nobody() {
    sleep 0.3
    for p in $(cat pids); do
        case $(ps -o stat= -p "$p") in "" | Z*) continue ;; esac # what nobody reaps is gone too
        ! kill -0 "$p" 2>/dev/null || { ps -o pid,ppid,pgid,stat,args -p "$p"; return 1; }
    done
}

kept() {
    same "$(ask "SELECT count(*) FROM v_run WHERE cell LIKE '%fast%' AND status = 'ok'")" 1
    same "$(ask "SELECT count(*) FROM v_sample")" 3
    same "$(ask "SELECT status FROM v_run WHERE cell LIKE '%minutes%'")" "$1"
    same "$(ask "SELECT count(*) FROM v_run WHERE cell LIKE '%after%'")" 0
    same "$(sqlite3 t.db 'PRAGMA integrity_check')" ok
}

@test "^C ends the backend after its sample, with exit 130 and the command for resuming" {
    slow
    begin
    kill -INT $pid
    ended 5
    same "$code" 130
    nobody
    kept cancelled
    grep -qF "1 cell measured, 1 cancelled" out
    grep -qF "finishing the sample" out
    line=$(sed -n 's/.*To go on: //p' out)
    same "$line" "abdb run --kernel k --backend slow --axis do=fast,minutes,after --axis 'note=it'\\''s' --resume"
    sed -i 's/== \*minutes\*/== never/' fake/abdb-run-slow
    run bash -c "$line"
    fails 0 "2 cells measured"
    same "$(ask "SELECT count(*), count(DISTINCT campaign) FROM v_run WHERE status = 'ok'")" "3,1"
}

@test "^C twice kills an unresponsive backend at once with its children" {
    slow
    export STUBBORN=1
    begin
    kill -INT $pid
    sleep 1
    kill -0 $pid # it waits for the sample
    begin_s=$SECONDS
    kill -INT $pid
    ended 3
    [ $((SECONDS - begin_s)) -le 3 ]
    same "$code" 130
    nobody
    kept cancelled
    grep -qF -- "--resume" out
    same "$(ask "SELECT reason FROM v_run WHERE status = 'cancelled'")" "interrupted twice: ended at once"
}

@test "^C twice kills a backend that does not end after its last cell" {
    slow
    export STUBBORN=1
    sed -i '2i [ "$1" != run ] || { sleep 600 \& echo $$ $! >"$SLOW_PIDS"; }' fake/abdb-run-slow
    sed -i '$a sleep 600' fake/abdb-run-slow
    command=(abdb run --kernel k --backend slow --axis do=fast)
    begin
    sleep 1 # the cell is over, the backend should leave
    kill -INT $pid
    sleep 0.3
    kill -INT $pid
    ended 3
    same "$code" 130
    nobody
}

@test "SIGTERM works like ^C, with exit 143" {
    slow
    begin
    kill -TERM $pid
    ended 5
    same "$code" 143
    nobody
    kept cancelled
    rm pids
    STUBBORN=1 begin --resume
    kill -TERM $pid
    sleep 0.5
    kill -TERM $pid
    ended 3
    same "$code" 143
    nobody
    no grep -q -- "--resume --resume" out
}

@test "SIGKILL of abdb or its group ends the backend and its children too" {
    slow
    export STUBBORN=1
    for whole in "" group; do
        rm -f pids t.db*
        command=(setsid abdb run --kernel k --backend slow --axis "do=fast,minutes,after")
        begin
        leader=$(pgrep -f "abdb run --kernel k --backend slow" | while read -r p; do
            [ "$(readlink /proc/$p/cwd)" = "$dir" ] && [ "$(readlink -f /proc/$p/exe)" = "$(readlink -f "$build/abdb")" ] && echo "$p"
        done | head -1)
        kill -KILL ${whole:+-- -}$leader
        wait $pid 2>/dev/null || true
        nobody
        ps -o stat= -s "$leader" | no grep -qv "^Z"
        same "$(ask "SELECT count(*) FROM v_run WHERE status = 'ok'")" 1
        same "$(sqlite3 t.db 'PRAGMA integrity_check')" ok
    done
}

@test "no child of a backend is left after its end" {
    slow
    sed -i 's/^while read.*/sleep 600 \& echo $! >"$SLOW_PIDS"\n&/' fake/abdb-run-slow
    abdb run -q --kernel k --backend slow --axis do=fast
    [ -s pids ]
    nobody
}

@test "the shipped backends stop at ^C before their first sample and within a sample" {
    for n in 800 400; do # the first is still being filled and verified when it is interrupted
        rm -f t.db*
        abdb run --kernel gemm --backend ref --axis "n=8,$n" --axis dtype=f64 >out 2>&1 3>&- &
        pid=$!
        for ((i = 0; i < 300; i++)); do
            [ "$(ask "SELECT count(*) FROM v_run" 2>/dev/null)" = 1 ] && break
            sleep 0.1
        done
        sleep 0.2
        kill -INT $pid
        ended 120
        same "$code" 130
        same "$(ask "SELECT count(*) FROM v_run WHERE status = 'cancelled' AND reason LIKE 'interrupted %'")" 1
    done
}

@test "a spool and a search cannot be resumed, and no command for resuming is printed" {
    slow
    mkdir spool
    command=(abdb run --kernel k --backend slow --axis do=fast,minutes --spool spool --db none.db)
    begin
    kill -INT $pid
    ended 5
    same "$code" 130
    no grep -q -- --resume out
    nobody
    same "$(cat spool/c-*.jsonl | wc -l)" 2
}

@test "a cell with the status cancelled and without an interrupt is a failure" {
    slow
    sed -i 's/\\"status\\":\\"ok\\"/\\"status\\":\\"cancelled\\"/' fake/abdb-run-slow
    run abdb run --kernel k --backend slow --axis do=fast
    fails 5 "1 cancelled"
}

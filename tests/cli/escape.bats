#!/usr/bin/env bats
# escape.bats - programs that leave processes in other sessions, and floods on standard error: whatever abdb has started ends with it.
load common

# A process that leaves its parent twice: a session of its own, and a parent that has ended. Its last argument tells it from others.
make_daemon() {
    mark=$((RANDOM + 100000))
    printf '#!/bin/bash\n(setsid bash -c "trap : HUP INT TERM; sleep %s & sleep %s" </dev/null >/dev/null 2>&1 &)\n' $mark $mark >daemon
    printf 'for ((i = 0; i < 100; i++)); do [ "$(pgrep -cx -f "sleep %s")" -lt 2 ] || break; sleep 0.02; done\n' $mark >>daemon
    printf 'echo >"%s/began"\n' "$dir" >>daemon
    chmod +x daemon
}
nobody() {
    for ((i = 0; i < 60; i++)); do
        pgrep -f "sleep $mark" >/dev/null || return 0
        sleep 0.05
    done
    pgrep -a -f "sleep $mark"
    return 1
}
# COMMAND... in the background, in $pid, once it has begun.
begin() {
    rm -f began
    "$@" >out 2>&1 3>&- &
    pid=$!
    for ((i = 0; i < 200; i++)); do
        [ ! -s began ] || return 0
        sleep 0.05
    done
    cat out
    return 1
}
@test "processes left by a command in another session are ended after each start, and named" {
    make_daemon
    run abdb run --command a=./daemon --repeat 1
    fails 0 "1 cell measured"
    [[ "$output" == *"./daemon left processes behind, which were ended: "* ]]
    [[ "$output" == *"bash ("* ]]
    nobody
    run abdb run --command a=true --repeat 1
    no grep -q "left processes" <<<"$output"
}

@test "^C, SIGTERM and SIGKILL of abdb or its group end the processes of a command in another session" {
    make_daemon
    printf 'trap "" INT TERM\nsleep %s\n' $mark >>daemon
    for signal in INT TERM KILL; do
        for prefix in '' 'timeout 90 ' 'setsid -w '; do
            begin abdb run --command "a=$prefix./daemon" --repeat 1
            kill -$signal $pid
            wait $pid || true
            nobody
        done
    done
    begin setsid abdb run --command a=./daemon --repeat 1
    kill -KILL -- -"$(pgrep -f "abdb run --command a=./daemon" | head -1)" 2>/dev/null || kill -KILL $pid
    wait $pid || true
    nobody
    run abdb run --command a=./daemon --repeat 1 --timeout 1
    fails 5 "1 crashed, timed out"
    nobody
}

# A backend whose describe and run start the daemon.
make_backend() {
    mkdir -p fake
    printf '#!/bin/bash\n"%s/daemon"\n[ -z "$FLOOD" ] || head -c 20000000 /dev/zero | tr "\\0" "w" | fold -w 99 >&2\n[ -z "$ESCAPE" ] || printf "\\033]0;owned\\007\\n" >&2\nexec python3 "%s/tests/backends/wrong_backend.py" right "$@"\n' "$dir" "$root" >fake/abdb-run-wrong
    chmod +x fake/abdb-run-wrong
    export ABDB_BACKENDS=$dir/fake
}

@test "processes left by a backend in another session are ended with the backend, and named" {
    make_daemon
    make_backend
    for command in "run --kernel sum --backend wrong --axis n=1 -q" "check-backend wrong" "doctor"; do
        run abdb $command
        [[ "$output" == *"left processes behind, which were ended: bash ("* ]]
        nobody
    done
    run abdb check-backend wrong
    fails 1 "it leaves processes behind: bash ("
    printf 'sleep %s\n' $mark >>daemon
    for signal in INT TERM KILL; do
        begin abdb check-backend wrong
        kill -$signal $pid
        wait $pid || true
        nobody
    done
}

@test "a flood on standard error of a backend is cut at 1 MiB, printed plainly, and does not stop the run" {
    printf '#!/bin/sh\n' >daemon
    chmod +x daemon
    make_backend
    FLOOD=1 run abdb run --kernel sum --backend wrong --axis n=1
    fails 0 "says more on standard error: it is dropped"
    [ "${#output}" -lt 5000000 ] # of a few processes
    ESCAPE=1 run script -qec "abdb run --kernel sum --backend wrong --axis n=1" /dev/null
    [[ "$output" == *'\u001b]0;owned\u0007'* ]]
    [[ "$output" != *$'\e]0;owned'* ]]
}

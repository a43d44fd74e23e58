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
# A backend that starts the daemon, then lives on until its input ends.
make_backend() {
    mkdir -p fake
    sed "s|^import sys|import subprocess, sys; subprocess.run(['$dir/daemon'])|" "$root/tests/wrong_backend.py" >fake/abdb-run-wrong
    chmod +x fake/abdb-run-wrong
}

@test "a command that leaves processes in another session: they end with each start, and are named" {
    make_daemon
    run abdb run --command a=./daemon --repeat 1
    fails 0 "1 cell measured"
    [[ "$output" == *"./daemon left processes behind, which were ended: "* ]]
    [[ "$output" == *"bash ("* ]]
    nobody
    run abdb run --command a=true --repeat 1
    no grep -q "left processes" <<<"$output"
}

@test "^C, SIGTERM and SIGKILL of abdb, or of its group, end what a command has put into another session" {
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

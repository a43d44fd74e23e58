#!/usr/bin/env bash
# ok.sh - for the scripts beside it: `COMMAND >"$dir/out"; ok NAME` is a line of TAP that says how the command ended.
n=0 failed=0
ok() {
    local status=$?
    n=$((n + 1))
    [ $status = 0 ] && { echo "ok $n - $1"; return; }
    echo "not ok $n - $1"
    sed 's/^/#   /' "$dir/out" | tail -20
    failed=1
}

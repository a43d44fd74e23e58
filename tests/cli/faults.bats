#!/usr/bin/env bats
# faults.bats - tests/fault: every verb has a command of which each call fails once (make soak; here a few, others each time), kills, many
# readers and writers at once, and whether these campaigns can find anything at all.
load common

campaign() { nice python3 "$root/tests/fault/campaign.py" "$@"; }
need_filter() {
    gcc -std=c17 -D_GNU_SOURCE -I"$root" -o inject "$root/tests/fault/inject.c" && ./inject -- true || skip "no seccomp listener here (Linux 5.9, not under another tracer)"
}

@test "every verb of the program has a case in tests/fault/cases.py" {
    campaign forgotten
    sed "/Case(\"note\"/d" "$root/tests/fault/cases.py" >less.py
    cp "$root"/tests/fault/{state,trial,campaign}.py . && mv less.py cases.py
    sed -i "s|^HERE = .*|HERE = '$root/tests/fault'|" state.py
    run python3 campaign.py forgotten
    fails 1 "note"
}

@test "a call fails in some commands: an error that names it, or the right answer, and nothing is lost" {
    need_filter
    campaign faults --samples 1 --only 'query-list|export|version|run-dry|withdraw'
}

@test "SIGKILL at calls that change a file, and at random moments: whole units, and the repetition ends as ever" {
    need_filter
    campaign kills --samples 3 --only 'merge|export'
}

@test "importers, readers, a merge and a run on one file: every row is there afterwards" {
    python3 "$root/tests/fault/crowd.py" --seconds 1
}

@test "the injector fails one call, or that and all later ones, and kills in front of it" {
    need_filter
    export LC_ALL=C # no files of a locale
    gcc -std=c17 -D_GNU_SOURCE -I"$root" -shared -fPIC -o shim.so "$root/tests/fault/shim.c"
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
for n, sync in (('a', True), ('b', False)):
    f = os.open(n, os.O_WRONLY | os.O_CREAT); os.write(f, b'x')
    if sync: os.fsync(f)
    os.close(f); os.rename(n, n + '2')"
    same "$(grep unsynced n)" "unsynced b"
}

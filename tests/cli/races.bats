#!/usr/bin/env bats
# races.bats - symbolic links that come and go while abdb writes: an output takes its place by a rename, which follows none, and what is
# opened directly is checked when it is open. $RACES: how many of each (10; make soak: 100).
load common
races=${RACES:-10}

# Does what the arguments say, alternately, until the file `stop` is there.
flip() {
    python3 - "$@" <<'P'
import os, sys
names, n = sys.argv[1:], 0
place, targets = names[0], names[1:]
while not os.path.exists("stop"):
    target = targets[n % len(targets)]
    n += 1
    try:
        os.unlink("next.tmp")
    except FileNotFoundError:
        pass
    if target == "-fifo": os.mkfifo("next.tmp")
    elif target == "-none":
        try: os.unlink(place)
        except FileNotFoundError: pass
        continue
    elif target == "-file": open("next.tmp", "w").write("a file")
    else: os.symlink(target, "next.tmp")
    os.rename("next.tmp", place)
open("flips", "w").write(str(n))
P
}

@test "a link switched between the database, a file of another user and back leads to no write to either" {
    filled "$root/data/prices.csv"
    sha=$(sha256sum <t.db)
    echo "of others" >theirs
    mkdir shared
    for targets in "../t.db ../mine" "../t.db -none" "../t.db -file" "../t.db-wal -none" "../t.db -fifo ../mine"; do
        rm -f stop shared/out
        echo "mine" >mine
        flip shared/out $targets 3>&- &
        flipper=$!
        ended=
        for ((i = 0; i < races; i++)); do
            timeout 5 abdb query sources -o csv --out shared/out >/dev/null 2>said 3>&- || code=$?
            case ${code:-0} in 0 | 2 | 6) ;; 124) ;; *) echo "exit $code"; cat said; touch stop; false ;; esac # 124: it waits for a reader of the fifo
            ended="$ended ${code:-0}"
            code=
            same "$(sha256sum <t.db)" "$sha" || { touch stop; false; }
            [ ! -e t.db-wal ] || { touch stop; echo "a log was made"; false; }
        done
        touch stop
        wait $flipper
        [ "$(cat flips)" -gt $races ]
    done
    same "$(cat theirs)" "of others"
}

@test "a part file is never written through a planted link" {
    filled "$root/data/prices.csv"
    echo "of others" >theirs
    mkdir shared
    ln -s ../theirs shared/.out.$$-00000000.part
    abdb query sources -o csv --out shared/out # the name has a number that nobody knows before
    same "$(cat theirs)" "of others"
    strace -f -e trace=openat -o calls abdb query sources -o csv --out shared/out 2>/dev/null || skip "no strace here"
    grep -q 'shared/\.out\..*\.part", .*O_EXCL.*O_NOFOLLOW.*0600' calls
}

@test "a dangling link is followed, with a complete file or none; a link to itself is an error" {
    filled "$root/data/prices.csv"
    mkdir real
    ln -s real/later.csv dangling
    ln -s dangling twice
    run bash -c "ulimit -f 0; abdb query sources -o csv --out twice"
    fails 6 "cannot write"
    [ -z "$(ls -A real)" ] # nothing half
    abdb query sources -o csv --out twice
    [ -L twice ]
    [ -L dangling ]
    [ ! -L real/later.csv ]
    abdb query sources -o csv | cmp - real/later.csv
    ln -s loop loop
    run abdb query sources --out loop
    fails 6 "cannot write loop"
    ln -s nowhere/file broken
    run abdb query sources --out broken
    fails 6 "cannot write broken"
}

@test "a backup is not written through a planted link" {
    need_built unit/migration
    abdb import -q "$fixtures/specs.csv"
    echo "of others" >theirs
    v=$(sqlite3 t.db "PRAGMA user_version")
    for name in t.db.v$v.bak t.db.v$v.bak.part; do
        ln -s theirs $name
        run "$build/unit/migration" t.db
        same "$(cat theirs)" "of others"
        rm -f $name
    done
}

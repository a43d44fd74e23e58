#!/usr/bin/env bats
# access.bats - who may read and write what abdb makes, under umask 000 and 077: databases, logs, backups, spools, outputs, and their
# parts meanwhile.
load common

mode() { stat -c %a "$1"; }

# Runs the command and prints the modes of all files that its folder had meanwhile, as NAME MODE.
watched() {
    python3 - "$@" <<'P'
import ctypes, os, struct, subprocess, sys
libc = ctypes.CDLL(None, use_errno=True)
fd = libc.inotify_init1(os.O_NONBLOCK)
libc.inotify_add_watch(fd, b".", 0x100 | 0x2 | 0x4 | 0x8)  # create, modify, attributes, closed after writing
seen = set()
p = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
while True:
    ended = p.poll() is not None
    try: data = os.read(fd, 1 << 16)
    except BlockingIOError: data = b""
    names, at = set(os.listdir(".")), 0
    while at < len(data):
        size = struct.unpack_from("iIII", data, at)[3]
        names.add(data[at + 16:at + 16 + size].rstrip(b"\0").decode())
        at += 16 + size
    for name in names:
        try: seen.add((name, oct(os.lstat(name).st_mode & 0o7777)[2:]))
        except OSError: pass
    if ended and not data: break
for name, mode in sorted(seen): print(name, mode)
sys.exit(p.returncode)
P
}

@test "a new database and the files beside it are writable by their owner alone, under any umask" {
    awk 'BEGIN { print "evidence,source,workload,device,metric,value,unit"
        for (i = 0; i < 9000; i++) printf "published,me,serving,d%d,tokens_per_s,%s,token/s\n", i % 900, i / 8 }' >many.csv
    for mask in 000 022 077; do
        [ $mask = 077 ] && want=600 || want=644
        mkdir d$mask && cp many.csv d$mask && pushd d$mask >/dev/null
        (umask $mask; watched abdb import -q many.csv --db t.db >../seen)
        same "$(mode t.db)" $want
        grep -q '^t.db-wal' ../seen # it was looked at while it was written
        sed -n 's/^t\.db[^ ]* //p' ../seen | sort -u | no grep -vx $want
        (umask $mask; watched abdb export -o db --out public.db --db t.db >../seen)
        same "$(mode public.db)" $want
        grep -q '^\.public\.db\..*\.part 600$' ../seen
        sed -n 's/^\.public\.db\.[^ ]* //p' ../seen | no grep -vxE "600|$want" # and what SQLite keeps beside it
        popd >/dev/null
    done
}

@test "a backup has the owner and mode of its database, also during its creation" {
    need_built unit/migration
    abdb import -q "$fixtures/specs.csv"
    v=$(sqlite3 t.db "PRAGMA user_version")
    for m in 600 640 644; do
        cp t.db old.db
        chmod $m old.db
        (umask 000; watched "$build/unit/migration" old.db >seen)
        same "$(mode old.db)" $m
        same "$(mode old.db.v$v.bak)" $m
        sed -n 's/^\.old\.db\.v[0-9]*\.bak[^ ]* //p' seen | no grep -vxE "600|$m"
        rm -f old.db*
    done
    [ "$(id -u)" = 0 ] || return 0
    cp t.db old.db
    chown 12345:54321 old.db
    "$build/unit/migration" old.db
    same "$(stat -c %u:%g old.db.v$v.bak)" 12345:54321
}

@test "an output has the mode of the replaced file or of the umask; its part files have mode 600" {
    filled "$root/data"
    mkdir s
    for mask in 000 022 077; do
        new=$(printf %o $((0666 & ~0$mask))) folder=$(printf %o $((0777 & ~0$mask)))
        rm -rf out* b site cols
        (umask $mask; watched abdb export -o jsonl --out out.jsonl >seen)
        same "$(mode out.jsonl)" "$new"
        grep -q '^\.out\.jsonl\..*\.part 600$' seen
        sed -n 's/^\.out\.jsonl\.[^ ]* //p' seen | no grep -vxE "600|$new"
        (umask $mask; abdb plot peaks --out out.svg; abdb plot peaks --bundle b; watched abdb export -o csv --partition cols >seen) >/dev/null
        grep -q '^\.cols\..*\.part 700$' seen
        same "$(mode out.svg) $(mode b) $(mode cols)" "$new $folder $folder"
        same "$(stat -c %a b/* | sort -u)" "$new"
        same "$(find cols -type f -exec stat -c %a {} + | sort -u)" "$new"
        for m in 600 640 666 755; do
            echo old >out.csv
            chmod $m out.csv
            (umask $mask; abdb query sources -o csv --out out.csv)
            same "$(mode out.csv)" $m
        done
        echo old >out.csv
        chmod 4755 out.csv # as every write does, it takes the right to run as the owner away
        (umask $mask; abdb query sources -o csv --out out.csv)
        same "$(mode out.csv)" 755
        rm -f s/*
        (umask $mask; abdb run -q --kernel gemm --axis n=8 --backend ref --quick --threads 1 --spool s --db none.db)
        same "$(mode s/*)" "$(printf %o $((0644 & ~0$mask)))"
    done
}

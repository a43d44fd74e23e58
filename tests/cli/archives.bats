#!/usr/bin/env bats
# archives.bats - members of archives: each is read, or named with the reason and counted, whatever the container, the locale and the way
# in; what is not read leaves an exit code.
load common

H=device,vendor,architecture,form_factor,memory,kind,dies,year,source,locator
device() { echo "$H"; echo "$1,NV,a,PCIe,80,gpu,1,2024,epoch-ml-hardware,l"; } # NAME: a table of one device
# Files of all sorts of names, a round of two systems that differ in one letter, a hard link in each, a symbolic link, a hidden file.
tree() { # FOLDER
    local name i=0 value=2 r=$1/inference_results_v5.1/closed/Someone system run
    mkdir -p "$1/sub folder/später/深い" "$r/systems"
    for name in plain.csv "with space.csv" résultats.csv 結果.csv "sub folder/später/深い/ünïcödé.csv"; do
        device "ZN$((i += 1))" >"$1/$name"
    done
    echo "read me" >"$1/LIESMICH für alle"
    for system in Box9000 Böx9000; do
        run=$r/results/$system/llama2-70b-99/Server
        mkdir -p "$run/performance/run_1" "$run/accuracy"
        sed "s/Box 9000/$system/" "$fixtures/mlperf_system.json" >"$r/systems/$system.json"
        sed "s/24593.8/2459$((value += 1)).8/" "$fixtures/mlperf_detail.txt" >"$run/performance/run_1/mlperf_log_detail.txt"
        cp "$fixtures/mlperf_accuracy.txt" "$run/accuracy/accuracy.txt"
    done
    # the second system's accuracy is the first's
    ln -f "$r/results/Box9000/llama2-70b-99/Server/accuracy/accuracy.txt" "$r/results/Böx9000/llama2-70b-99/Server/accuracy/accuracy.txt"
    ln "$1/plain.csv" "$1/zz-hard.csv"
    ln "$1/plain.csv" "$1/a-hard ü.csv"
    [ -n "${2-}" ] || ln -s plain.csv "$1/symbolic.csv"
    mkdir "$1/.hidden" && device HIDDEN >"$1/.hidden/x.csv"
}
# Imports PATH (or - from a pipe) into DATABASE: the facts, and the counts that were printed.
counted() { # DATABASE PATH
    local code=0
    abdb import --db "$1" "$2" >"$1.out" 2>"$1.err" || code=$?
    echo "exit $code $(facts "$1") $(grep '^total:' "$1.out") $(grep -oE 'result folders \([0-9]+|[0-9]+ accepted, .*mlperf-inference-round' "$1.out" | tr '\n' ' ')"
    sed -nE 's/^abdb: (.*(passed over|not read|not followed|not needed|refused): [0-9]+).*/\1/p' "$1.err"
}
formats="tar links pax v7 flagged unflagged 7z newc"

@test "one tree gives the same rows and counts from a folder, every container, a pipe and nested archives" {
    local of place want
    tree tree
    for of in $formats; do python3 "$root/tests/checks/pack_archive.py" $of t.$of tree; done
    want=$(counted folder.db tree)
    [[ $want == "exit 0 "*"0 rejected"*"passed over: 1"* ]] || { echo "$want"; cat folder.db.err; false; }
    [[ $want == *"total: 9 files (2 already there)"*"not followed: 1"* ]] || { echo "$want"; false; }
    same "$(sqlite3 folder.db "SELECT count(DISTINCT platform) FROM entry")" 2
    mkdir loc && localedef -i tr_TR -f UTF-8 loc/tr_TR.UTF-8 2>/dev/null || true
    n=0 # two of four locales for each container, every second one within gzip, and within a zip by one way; THOROUGH: all
    for of in $formats; do
        n=$((n + 1)) k=$n
        for place in C C.UTF-8 POSIX tr_TR.UTF-8; do
            k=$((k + 1))
            thorough || [ $((k % 4)) -lt 2 ] || continue
            rm -f x.db
            same "$place $of $(LOCPATH=$([ $place = tr_TR.UTF-8 ] && echo loc) LC_ALL=$place counted x.db t.$of)" "$place $of $want"
        done
        rm -f x.db
        same "$of pipe $(cat t.$of | counted x.db -)" "$of pipe $want"
        if thorough || [ $((n % 2)) = 0 ]; then
            rm -f x.db
            gzip -c t.$of >t.$of.gz
            same "$of gz $(counted x.db t.$of.gz)" "$of gz $want"
        fi
        mkdir -p in && mv t.$of "in/inner ü.$(case $of in *flagged) echo zip ;; 7z) echo 7z ;; newc) echo cpio ;; *) echo tar ;; esac)"
        python3 "$root/tests/checks/pack_archive.py" flagged outer.zip in
        if thorough || [ $((n % 2)) = 0 ]; then
            rm -f x.db
            same "$of in zip $(counted x.db outer.zip)" "$of in zip $want"
        fi
        if thorough || [ $((n % 2)) = 1 ]; then # 7z is one of these: it seeks
            rm -f x.db
            same "$of in zip in a pipe $(xz -0 <outer.zip | counted x.db -)" "$of in zip in a pipe $want"
        fi
        rm -r in outer.zip
    done
}

@test "abdb_archive lists each member of every container by name" {
    local of
    tree tree
    abdb init >/dev/null
    for of in $formats; do
        python3 "$root/tests/checks/pack_archive.py" $of t.$of tree
        abdb query "SELECT member, size_B, problem IS NULL AS whole FROM abdb_archive('t.$of') ORDER BY 1" -o csv --allow-files >$of.csv
        cmp tar.csv $of.csv
        [ "$(wc -l <$of.csv)" -eq $(($(find tree -type f -o -type l | wc -l) + 1)) ]
    done
    grep -qx '"\?tree/結果.csv"\?,[0-9]*,1' 7z.csv
    grep -q 'tree/symbolic.csv"\?,,0' links.csv
}

# python3 of standard input writes OUT, with tarfile, zipfile and io at hand; good: the bytes of a table of one device.
write() { # OUT
    device ZN1 >good.csv
    python3 -c "
import io, sys, tarfile, zipfile
out, good = sys.argv[1], open('good.csv', 'rb').read()
def add(t, name, data=b'', kind=tarfile.REGTYPE, link=''):
    i = tarfile.TarInfo(name); i.type = kind; i.linkname = link; i.size = len(data); t.addfile(i, io.BytesIO(data))
HARD, SYM, FIFO, CHAR = tarfile.LNKTYPE, tarfile.SYMTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE
def other(n): return good.replace(b'ZN1', b'ZN%d' % n)
$(cat)" "$1"
}
devices() { ask "SELECT device FROM device WHERE device LIKE 'ZN%' ORDER BY 1"; } # that were imported

@test "a hard link has the bytes of its target, also of a later, hidden, nested or repeated member" {
    write later.tar <<'P'
with tarfile.open(out, "w") as t:
    add(t, "a.csv", kind=HARD, link="z.csv"); add(t, "z.csv", good)
P
    run abdb import later.tar
    fails 0 "later.tar!a.csv"
    fails 0 "2 files (1 already there)"
    write hidden.tar <<'P'
with tarfile.open(out, "w") as t:
    add(t, "./.hidden", other(2)); add(t, "x//a.csv", kind=HARD, link="/.hidden")
P
    run abdb import hidden.tar
    fails 0 "hidden.tar!x//a.csv: 1 row: 1 accepted"
    write chain.tar <<'P'
with tarfile.open(out, "w") as t:
    add(t, "c.csv", kind=HARD, link="b.csv"); add(t, "b.csv", kind=HARD, link=".a"); add(t, ".a", other(3))
P
    run abdb import chain.tar
    fails 0 "2 files (1 already there): 1 row accepted"
    # a target that comes again: the last one before the link, as when tar unpacks it
    write again.tar <<'P'
with tarfile.open(out, "w") as t:
    add(t, ".a", other(90)); add(t, ".a", other(4)); add(t, "link.csv", kind=HARD, link=".a"); add(t, ".a", other(91))
P
    run abdb import again.tar
    fails 0 "again.tar!link.csv: 1 row: 1 accepted"
    # an archive by two names; links in an archive in an archive, from a pipe
    write nested.tar <<'P'
inner = io.BytesIO()
with tarfile.open(fileobj=inner, mode="w:gz") as t:
    add(t, ".a", other(5)); add(t, "link.csv", kind=HARD, link=".a")
with tarfile.open(out, "w") as t:
    add(t, "inner.tar.gz", inner.getvalue()); add(t, "same.tgz", kind=HARD, link="inner.tar.gz")
P
    for path in nested.tar -; do
        run abdb import "$path" --db nested.$path.db <nested.tar
        fails 0 "inner.tar.gz!link.csv: "
        fails 0 "same.tgz!link.csv: "
        fails 0 "2 files (1 already there): 1 row accepted"
    done
    abdb import -q nested.tar
    same "$(devices)" $'ZN1\nZN2\nZN3\nZN4\nZN5'
}

@test "hard links to nothing, a folder, themselves or damaged data are named and counted, exit 5" {
    write bad.tar <<'P'
with tarfile.open(out, "w") as t:
    add(t, "good.csv", good)
    add(t, "folder", kind=tarfile.DIRTYPE)
    for i, link in enumerate(["missing.csv", "folder", "2.csv", "../../etc/passwd", "5.csv", "4.csv"]):
        add(t, f"{i}.csv", kind=HARD, link=link)
P
    run abdb import bad.tar
    fails 5 "bad.tar!0.csv: a hard link to missing.csv, which is no file of the archive"
    for i in 1 2 3 4 5; do fails 5 "bad.tar!$i.csv: a hard link to "; done
    fails 5 "files refused: 6"
    fails 5 "total: 1 file (0 already there): 1 row accepted"
    # behind the break of a truncated archive
    write cut.tar <<'P'
with tarfile.open(out, "w") as t:
    add(t, "b.csv", kind=HARD, link="a.csv"); add(t, "c.csv", kind=HARD, link="d.csv"); add(t, "a.csv", other(7)); add(t, "d.csv", good * 1000)
P
    run abdb import <(head -c 9000 cut.tar)
    fails 5 "!b.csv: already imported"
    fails 5 "!c.csv: a hard link to d.csv"
    fails 5 "!d.csv: the archive is damaged or truncated here"
}

@test "a bomb of hard links is given up; a ring of links and many links end" {
    write bomb.tar.xz <<'P'
import lzma
with lzma.open(out, "w", preset=0) as x, tarfile.open(fileobj=x, mode="w|") as t:
    add(t, "a.bin", bytes(4000000))
    for i in range(500): add(t, f"{i}.bin", kind=HARD, link="a.bin")
P
    run timeout 60 abdb import bomb.tar.xz
    fails 5 "bomb"
    write crowd.tar <<'P'
with tarfile.open(out, "w") as t:
    add(t, "same.csv", good)
    for i in range(30000): add(t, "link.csv" if i % 2 else f"closed/A/code/{i}", kind=HARD, link="same.csv" if i % 3 else f"{i}")
P
    run timeout 120 abdb import -q crowd.tar
    fails 5 "no file of the archive"
}

@test "symbolic links, devices, pipes and hidden files are named and counted, in folders and archives" {
    mkdir f && device ZN1 >f/a.csv && ln -s a.csv f/inside.csv && ln -s /etc/passwd f/out.csv && ln -s . f/loop && mkfifo f/pipe && echo x >f/.x
    tar cf f.tar f
    for path in f f.tar; do
        run abdb import $path --db $path.db
        fails 0 "symbolic links, not followed: 3 ("
        fails 0 "/out.csv"
        fails 0 "devices, named pipes and sockets, not read: 1 ("
        fails 0 "hidden files, not read: 1 ("
    done
    rm f/a.csv
    tar cf none.tar f
    run abdb import none.tar
    fails 5 "none.tar: nothing was kept"
    [[ $output != *"without"* ]]
    echo words >README && zip -q readme.zip README
    run abdb import readme.zip
    fails 5 "readme.zip: nothing was kept"
    run bash -c 'abdb import - <readme.zip'
    fails 5 "nothing was kept"
    # beside what was kept, and found in a folder, they are passed over
    mkdir g && cp readme.zip g && device ZN1 >g/a.csv
    run abdb import g
    fails 0 "passed over: 1"
    run abdb import f.tar readme.zip
    fails 5 "readme.zip: nothing was kept"
}

@test "an empty archive is reported in every container; a gzip of zeros is not taken for a tar" {
    tar cf e.tar -T /dev/null
    gzip -k e.tar && cp e.tar.gz e.tgz
    mkdir folder && tar cf folders.tar folder
    write e.zip <<<"zipfile.ZipFile(out, 'w').close()"
    for f in e.tar e.tar.gz e.tgz e.zip; do
        run abdb import $f
        fails 5 "$f: an empty archive"
    done
    run abdb import folders.tar
    fails 5 "an archive of empty folders"
    head -c 3000000 /dev/zero | gzip >zeros.gz
    run abdb import zeros.gz
    fails 5 "zeros.gz: nothing was kept"
    [[ $output != *"empty archive"* ]]
    : | gzip >nothing.gz
    run abdb import nothing.gz
    fails 5 "nothing.gz: damaged or truncated, or there is nothing in it"
    head -c 12 <(gzip -c README 2>/dev/null || device A | gzip) >cut.gz
    run abdb import cut.gz
    fails 5 "cut.gz: damaged or truncated"
}

@test "members with foreign character sets, empty, repeated or case-only different names are each read" {
    write odd.zip <<'P'
class Raw(zipfile.ZipInfo):
    def _encodeFilenameFlags(self): return self.raw, 0
with zipfile.ZipFile(out, "w") as z:
    for n, raw in enumerate([b"caf\x82.csv", b"\xff\xfe.csv", b"A.csv", b"a.csv", "e\u0301.csv".encode(), "\u00e9.csv".encode(), b"new\nline.csv", b"/abs.csv", b"C:\\x.csv"]):
        i = Raw(str(n)); i.raw = raw; z.writestr(i, other(n + 10))
P
    run abdb import odd.zip
    fails 0 "odd.zip!café.csv: 1 row: 1 accepted"
    fails 0 "total: 9 files (0 already there): 9 rows accepted"
    same "$(sqlite3 "$ABDB_DB" "SELECT count(*) FROM artifact WHERE path LIKE 'odd.zip!%' AND path = CAST(CAST(path AS BLOB) AS TEXT)")" 9
    write odd.tar <<'P'
names = ["caf\udce9.csv", "twice.csv", "twice.csv", "TWICE.csv", "e\u0301.csv", "\u00e9.csv"]
with tarfile.open(out, "w", format=tarfile.GNU_FORMAT, encoding="utf-8", errors="surrogateescape") as t:
    for n, name in enumerate(names): add(t, name, other(n + 20))
    add(t, "link.csv", kind=HARD, link="caf\udce9.csv")
P
    run abdb import odd.tar
    fails 0 "odd.tar!café.csv: 1 row: 1 accepted"
    fails 0 "total: 7 files (1 already there): 6 rows accepted"
    # flagged as UTF-8, and not: named by number, read all the same
    write broken.zip <<'P'
with zipfile.ZipFile(out, "w") as z: z.writestr("\u00e9\u00e9.csv", other(30))
data = open(out, "rb").read().replace("\u00e9\u00e9".encode(), b"\xff\xff\xff\xff")
open(out, "wb").write(data)
P
    run abdb import broken.zip
    fails 0 "1 row: 1 accepted"
}

@test "zip: stored, deflated and empty members are read, from a file or a pipe, and a truncated prefix too" {
    write dd.zip <<'P'
class Pipe(io.RawIOBase):
    def __init__(self, f): self.f = f
    def writable(self): return True
    def write(self, b): return self.f.write(b)
with open(out, "wb") as f, zipfile.ZipFile(Pipe(f), "w") as z:
    z.writestr("empty.csv", b"")
    z.writestr("stored.csv", other(1))
    z.writestr("\u00fc.csv", other(2), zipfile.ZIP_DEFLATED)
P
    for way in "dd.zip" "- <dd.zip" "- < <(cat dd.zip)"; do
        rm -f t.db
        run bash -c "abdb import $way"
        fails 0 "2 files (0 already there)"
        same "$(devices)" $'ZN1\nZN2'
    done
    run abdb import <(head -c 400 dd.zip) --db cut.db
    fails 5 "stored.csv: 1 row: 1 accepted"
}

@test "zst, xz, bz2, lz4 and lzip are read, in several pieces too; RAR and similar formats are refused by name" {
    tree tree
    python3 "$root/tests/checks/pack_archive.py" links t.tar tree
    want=$(counted want.db tree)
    for tool in zstd xz bzip2 lz4 lzip; do
        command -v $tool >/dev/null || continue
        $tool -c <t.tar >"t.tar.$tool"
        rm -f x.db
        same "$tool $(counted x.db "t.tar.$tool")" "$tool $want"
    done
    head -c 5000 t.tar | gzip >pieces.tar.gz
    tail -c +5001 t.tar | gzip >>pieces.tar.gz
    rm -f x.db
    same "pieces $(counted x.db pieces.tar.gz)" "pieces $want"
    printf 'Rar!\x1a\x07\x01\x00 and more' >x.rar
    printf 'PK\x07\x08PK\x03\x04 and more' >x.z01
    run abdb import x.rar
    fails 5 "x.rar: a RAR archive, which abdb does not read: unpack it"
    run abdb import x.z01
    fails 5 "one volume of a split zip"
    device ZN1 >a.csv && tar cf with.tar a.csv x.rar
    run abdb import with.tar
    fails 5 "with.tar!x.rar: a RAR archive"
    fails 5 "1 row: 1 accepted"
}

@test "encrypted members of zip and 7z are named and counted; the other members are read" {
    device ZN1 >plain.csv && device ZN2 >geheim-ü.csv
    if command -v zip >/dev/null; then
        zip -q mixed.zip plain.csv && zip -qP word mixed.zip geheim-ü.csv
        run abdb import mixed.zip
        fails 5 "mixed.zip!geheim-ü.csv: is encrypted"
        fails 5 "files refused: 1"
        same "$(devices)" ZN1
        run bash -c 'cat mixed.zip | abdb import - --db piped.db'
        fails 5 "geheim-ü.csv: is encrypted"
        zip -qP word all.zip geheim-ü.csv
        run abdb import all.zip
        fails 5 "all.zip!geheim-ü.csv: is encrypted"
        same "$(abdb query "SELECT problem LIKE '%encrypted%' FROM abdb_archive('all.zip')" --allow-files -o csv | tail -1)" 1
    fi
    command -v 7z >/dev/null || skip "no 7z"
    7z a -pword data.7z geheim-ü.csv >/dev/null && 7z a -pword -mhe=on names.7z geheim-ü.csv >/dev/null && 7z a mixed.7z plain.csv >/dev/null && 7z a -pword mixed.7z geheim-ü.csv >/dev/null
    7z a -pword aes.zip -mem=AES256 geheim-ü.csv >/dev/null
    run abdb import data.7z
    fails 5 "data.7z!geheim-ü.csv: is encrypted"
    run abdb import names.7z
    fails 5 "names.7z: the names of its members are encrypted"
    run abdb import mixed.7z
    fails 5 "mixed.7z!geheim-ü.csv: is encrypted"
    fails 5 "mixed.7z!plain.csv: already imported"
    run abdb import aes.zip
    fails 5 "aes.zip!geheim-ü.csv: is encrypted"
    same "$(devices)" ZN1
}

@test "7z: a solid archive is read; damage, split volumes and an unknown method are named" {
    command -v 7z >/dev/null || skip "no 7z"
    for i in 1 2 3; do device ZN$i >"$i ü.csv"; done
    7z a -ms=on solid.7z ./*.csv >/dev/null
    run abdb import solid.7z
    fails 0 "total: 3 files (0 already there): 3 rows accepted"
    head -c 200 solid.7z >cut.7z
    run abdb import cut.7z
    fails 5 "cut.7z: "
    7z a -v100b volumes.7z ./*.csv >/dev/null
    run abdb import volumes.7z.001
    fails 5 "volumes.7z.001: "
    7z a -m0=PPMd ppmd.7z ./*.csv >/dev/null # in libarchive, too
    run abdb import ppmd.7z --db ppmd.db
    fails 0 "3 rows accepted"
}

@test "--refresh and --retry-rejects find archive members by name, hard links too" {
    write r.zip <<'P'
with zipfile.ZipFile(out, "w") as z: z.writestr("\u00fc.csv", good + b"bad,row\n")
P
    run abdb import r.zip
    fails 0 "1 rejected"
    run abdb import --retry-rejects
    fails 0 "r.zip!ü.csv"
}

@test "--suggest-map refuses to draft a map of an archive" {
    write s.zip <<'P'
with zipfile.ZipFile(out, "w") as z: z.writestr("a.csv", good)
P
    run abdb import --suggest-map s.zip
    fails 6 "s.zip: is an archive: unpack it, and name a table of it"
}

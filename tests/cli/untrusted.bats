#!/usr/bin/env bats
# untrusted.bats - what files of others can do: start programs, fill the machine, speak to the terminal.
load common

teardown() {
    cd /
    umount "$dir/ro" 2>/dev/null || true
    chmod -R u+w "$dir" 2>/dev/null || true
    rm -rf "$dir"
}

# --- importing starts no program -----------------------------------------------------------------------------------------------------

# A folder of programs that only say that they ran: the whole PATH of what is tested.
fake_programs() {
    mkdir fake
    for p in lrzip lzop grzip gzip gunzip zcat bzip2 bunzip2 xz unxz lzma unlzma zstd unzstd lz4 lzip compress uncompress \
        uudecode unzip 7z 7za tar cpio rpm2cpio gnuplot sh bash; do
        printf '#!/bin/sh\necho %s >>%q\n' "$p" "$dir/ran" >fake/$p
        chmod +x fake/$p
    done
}

# Every container around what makes libarchive start a program.
make_callers() {
    python3 - "$fixtures/checker.csv" <<'P'
import bz2, gzip, io, lzma, sys, tarfile, zipfile
good = open(sys.argv[1], "rb").read()
calls = {"lrzip": b"LRZI\0\6" + bytes(600), "lzop": b"\x89LZO\0\r\n\x1a\n\x10\x30\x20\xa0\x09\x40" + bytes(600),
         "grzip": b"GRZipII\0\2\4:)" + bytes(600)}
def tar(name, data):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as t:
        for n, d in (("checker.csv", good), (name, data)):
            i = tarfile.TarInfo(n)
            i.size = len(d)
            t.addfile(i, io.BytesIO(d))
    return out.getvalue()
for name, data in calls.items():
    open(name, "wb").write(data)
    for pack in (gzip, bz2, lzma):
        one = pack.compress(data)
        open(f"{name}.{pack.__name__}", "wb").write(one)
        open(f"{name}.twice.{pack.__name__}", "wb").write(pack.compress(one))
        open(f"{name}.nested.tar.{pack.__name__}", "wb").write(pack.compress(tar("x", one)))
        open(f"{name}.nested.{pack.__name__}.tar", "wb").write(tar("x", one))
        with zipfile.ZipFile(f"{name}.{pack.__name__}.zip", "w") as z:
            z.writestr("x", one)
            z.writestr("checker.csv", good)
P
}

@test "import starts no external program, for any compression" {
    fake_programs
    make_callers
    callers=(l* g*) step=4 # each program and each container comes in its turn
    ! thorough || step=1
    for ((i = RANDOM % step; i < ${#callers[@]}; i += step)); do
        f=${callers[i]}
        run env PATH="$dir/fake" "$build/abdb" import "$f"
        [ "$status" -le 6 ] || { echo "$f: $status $output"; false; }
        [ ! -e ran ] || { echo "importing $f started: $(cat ran)"; false; }
        run bash -c 'cat "$1" | PATH="$2/fake" "$3/abdb" import -' _ "$f" "$dir" "$build"
        [ ! -e ran ] || { echo "importing $f from a pipe started: $(cat ran)"; false; }
        run env PATH="$dir/fake" "$build/abdb" query "SELECT count(*) FROM abdb_archive('$f')" --allow-files
        [ ! -e ran ] || { echo "abdb_archive('$f') started: $(cat ran)"; false; }
    done
    same "$(ask "SELECT count(DISTINCT artifact) FROM v_artifact WHERE artifact LIKE '%checker.csv'")" 1
}

@test "abdb_archive in plain sqlite3 starts no program" {
    fake_programs
    make_callers
    for f in *.gzip *.tar; do
        run env PATH="$dir/fake" "$(command -v sqlite3)" :memory: ".load $build/abdb" "SELECT count(*) FROM abdb_archive('$f')"
        [ ! -e ran ] || { echo "abdb_archive('$f') started: $(cat ran)"; false; }
    done
}

# --- what is left out counts too -----------------------------------------------------------------------------------------------------

# A tar on standard output: NAME=SIZE for each member of zeros, then the good file under the name given.
tar_of() {
    python3 - "$fixtures/checker.csv" "$@" <<'P'
import io, sys, tarfile
class Zeros(io.RawIOBase):
    def readable(self): return True
    def readinto(self, b): b[:] = bytes(len(b)); return len(b)
good = open(sys.argv[1], "rb").read()
with tarfile.open(fileobj=sys.stdout.buffer, mode="w|") as t:
    for word in sys.argv[2:]:
        name, size = word.rsplit("=", 1)
        i = tarfile.TarInfo(name)
        if size == "good":
            i.size = len(good)
            t.addfile(i, io.BytesIO(good))
        else:
            i.size = int(size)
            t.addfile(i, io.BufferedReader(Zeros(), 1 << 20))
P
}
bomb() { # FILE: given up as a bomb, quickly
    run timeout 60 abdb import "$1"
    fails 5 "bomb"
}

@test "left-out members count in the check of expansion" {
    tar_of in/.hidden=100000000 in/checker.csv=good | xz -0 >hidden.tar.xz
    bomb hidden.tar.xz
    run bash -c 'abdb import - <hidden.tar.xz'
    fails 5 "bomb"
    root=closed/A/results/sys/resnet/Offline/performance/run_1
    tar_of "$root/mlperf_log_trace.json=100000000" "$root/checker.csv=good" | xz -0 >beside.tar.xz
    bomb beside.tar.xz
    tar_of .a=100000000 | zstd -q >hidden.zst 2>/dev/null && bomb hidden.zst
    tar_of x/.hidden=100000000 x/checker.csv=good | xz -0 >inner.tar.xz
    tar cf outer.tar inner.tar.xz
    bomb outer.tar
    tar_of x/.hidden=100000000 x/checker.csv=good >inner.tar
    tar cf - inner.tar | xz -0 >outer.tar.xz
    rm inner.tar
    bomb outer.tar.xz
    run abdb query "SELECT count(*) FROM abdb_archive('hidden.tar.xz')" --allow-files
    fails 2 "bomb"
}

@test "each layer of repeated compression counts in the check of expansion" {
    head -c 100000000 /dev/zero | tr '\0' x | xz -0 | gzip | xz >thrice
    bomb thrice
    python3 - <<'P' # a gzip of 100 million bytes that are gzips of nothing
import gzip, lzma
empty = gzip.compress(b"", mtime=0)
open("nothing", "wb").write(lzma.compress(empty * (100000000 // len(empty)), preset=0))
P
    bomb nothing
}

@test "a small archive at the end of a large one is not taken for a bomb" {
    tar_of notes.txt=1000000 checker.csv=good | gzip >small.tar.gz
    head -c 150000000 /dev/urandom >large.bin
    tar cf both.tar large.bin small.tar.gz
    rm large.bin
    run abdb import both.tar
    fails 0 "both.tar!small.tar.gz!checker.csv: 7 rows: 3 accepted"
}

# --- names of files ------------------------------------------------------------------------------------------------------------------

# A database in WAL mode with one device, as a copy at rest: on a read-only medium it must be opened as a file that cannot change.
marked() { # FILE MARK
    printf 'evidence,source,workload,device,metric,value,unit\npublished,me,w,%s,time_s,1,s\n' "$2" >"$dir/one.csv"
    rm -f plain.db
    abdb import -q "$dir/one.csv" --db plain.db
    sqlite3 plain.db "PRAGMA journal_mode = WAL" >/dev/null
    mv plain.db "$1"
}

@test "a path with %, ?, # or file: is a plain file name, also on a read-only medium" {
    mkdir ro
    [ "$(id -u)" != 0 ] || mount -t tmpfs tmpfs ro || skip "cannot mount"
    cd ro
    for name in 'a%41.db' 'b?mode=rw' 'c#d.db' 'e%00f.db' '%' 'g&vfs=none' 'file:h.db' '?' 'sp ace.db'; do marked "$name" "right-$name"; done
    for name in aA.db b c e e.db h.db; do marked "$name" "wrong-$name"; done
    cd ..
    if [ "$(id -u)" = 0 ]; then mount -o remount,ro ro; else chmod 555 ro; fi
    for where in ro "$dir/ro" "/$dir/ro" .; do
        for name in 'a%41.db' 'b?mode=rw' 'c#d.db' 'e%00f.db' '%' 'g&vfs=none' 'file:h.db' '?' 'sp ace.db'; do
            [ "$where" != . ] || cd ro
            run abdb query "SELECT DISTINCT device FROM v_result WHERE source = 'me' ;" -o csv --db "$([ "$where" = . ] || echo "$where/")$name"
            cd "$dir"
            [ "${lines[1]}" = "right-$name" ] || { echo "$where/$name: $output"; false; }
        done
    done
    marked file:h.db right
    marked h.db wrong
    abdb merge file:h.db --db file:m.db
    [[ -e file:m.db && ! -e m.db ]]
    same "$(abdb query "SELECT DISTINCT device FROM v_result WHERE source = 'me' ;" -o csv --db file:m.db | tail -1)" right
}

# --- gnuplot -------------------------------------------------------------------------------------------------------------------------

@test "gnuplot starts without .gnuplot and gnuplotrc" {
    mkdir -p home/.config/gnuplot
    printf 'system("echo %s >>%s")\nset title "hostile"\n' home "$dir/ran" >home/.gnuplot
    printf 'system("echo %s >>%s")\n' config "$dir/ran" >home/.config/gnuplot/gnuplotrc
    printf 'system("echo %s >>%s")\n' here "$dir/ran" >.gnuplot
    filled "$root/data"
    export HOME=$dir/home XDG_CONFIG_HOME=$dir/home/.config
    run gnuplot -e 'print "really"' # the files would be executed
    [ -e ran ] || skip "this gnuplot reads no file when it starts"
    rm ran
    for t in svg png pdf dumb html; do abdb plot peaks --type $t --out "p.$t" >/dev/null; done
    abdb plot peaks --bundle b >/dev/null
    abdb doctor >/dev/null
    [ ! -e ran ] || { echo "executed: $(cat ran)"; false; }
}

# --- documents -----------------------------------------------------------------------------------------------------------------------

# A database whose one source says everything that BibTeX, LaTeX, markdown, HTML and spreadsheets would obey.
hostile_source() {
    python3 - <<'P'
import csv
bad = '}, note = {x} } @misc{evil, \\input{/etc/passwd} %c #1 ~ ^ $x$ & _ "q" {'
with open("sources.csv", "w") as f:
    csv.writer(f).writerows([["source", "kind", "title", "author", "url", "published", "retrieved"],
                             ["evil},x={1", "user", "T " + bad, "A " + bad, "https://x.test/}" + bad, "2021", "2026-01-02"]])
with open("results.csv", "w") as f:
    rows = [["evidence", "source", "workload", "device", "metric", "value", "unit", "locator", "tag", "system"]]
    for i, cell in enumerate(["=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "\tx", "-5", "+7.5", "[1cm] row", "* star", "a;=b", "＝1", 'q"=1',
                              "plain"]):
        rows.append(["published", "evil},x={1", "w", f"dev {i}", "time_s", str(i + 1), "s", "p. " + bad, cell, cell])
    csv.writer(f).writerows(rows)
P
    run abdb import sources.csv results.csv
    fails 0 "13 accepted"
}

@test "BibTeX: a field stays within its braces, and a key does not break its entry" {
    hostile_source
    key=$(ask "SELECT key FROM v_fact WHERE source GLOB 'evil*' LIMIT 1")
    abdb explain "$key" --cite bibtex >a.bib
    python3 - <<'P'
import re
text = open("a.bib").read()
assert re.match(r"@misc\{[A-Za-z0-9_.:+/-]+,\n", text), text
depth, top = 0, []
for i, c in enumerate(text):  # as BibTeX counts: a brace is one, whatever stands before it
    if c == "{":
        depth += 1
    elif c == "}":
        depth -= 1
        assert depth >= 0, text[:i]
        if depth == 0:
            top.append(i)
assert depth == 0 and top == [len(text.rstrip()) - 1], (depth, top, text)
fields = re.findall(r"^  (\w+) = \{", text, re.M)
assert fields == ["title", "author", "year", "url", "urldate", "note"], fields
assert "\\input{" not in text, text
url = re.search(r"url = \{(.*)\}", text).group(1)
assert url.startswith("https://x.test/%7d") and not re.search(r"[\s{}\\]", url), url
P
}

@test "LaTeX: cells, captions and sources are escaped" {
    hostile_source
    abdb query "SELECT tag, system, source, '[' || locator AS l, '\\' AS \"}{%#\" FROM v_result;" -o latex >a.tex
    python3 - <<'P'
import re
text = open("a.tex").read()
body = re.sub(r"\\text\w+\{\}|\\[%$#_&{}]|\{\[\}|\{\*\}", "", text)  # what abdb writes for a letter
assert not re.search(r"\\\\\s*[\[*]", body), body
body = body.replace("\\\\", "")
assert not re.search(r"\\(?!hline|begin|end|caption)", body), re.findall(r"\\\w+", body)
assert not re.search(r"[%$#~^]", body), body
assert body.count("{") == body.count("}")
P
    printf '\\documentclass{article}\\begin{document}\n' | cat - a.tex >all.tex
    printf '\\end{document}\n' >>all.tex
    ! command -v pdflatex >/dev/null || pdflatex -interaction=nonstopmode -halt-on-error all.tex
    filled "$root/data"
    run abdb plot training --latex --out 'a%b.pdf'
    fails 2 "LaTeX includes no file of the name"
    [ ! -e 'a%b.pdf' ]
    run abdb plot training --markdown --out 'a (b)%41?#.svg'
    fails 0 '](a%20%28b%29%2541%3f%23.svg)'
    [ -s 'a (b)%41?#.svg' ]
}

@test "--spreadsheet quotes formulas and keeps numbers; -o csv is exact" {
    hostile_source
    abdb query "SELECT tag, value, 'x' AS \"=head\" FROM v_result ORDER BY value;" -o csv >exact.csv
    abdb query "SELECT tag, value, 'x' AS \"=head\" FROM v_result ORDER BY value;" -o csv --spreadsheet >safe.csv
    python3 - <<'P'
import csv
exact, safe = (list(csv.reader(open(n, newline=""))) for n in ("exact.csv", "safe.csv"))
assert exact[0] == ["tag", "value", "=head"] and safe[0] == ["tag", "value", "'=head"], safe[0]
told = ["=cmd|' /C calc'!A0", "+1+1", "-2+3", "@SUM(A1)", "x", "-5", "+7.5", "[1cm] row", "* star", "a;=b", "＝1", 'q"=1', "plain"]
assert [r[0] for r in exact[1:]] == told, exact
number = lambda t: t in ("-5", "+7.5")
assert [r[0] for r in safe[1:]] == ["'" + t if t[0] in "=+-@＝" and not number(t) else t for t in told], safe
assert [r[1] for r in safe] == [r[1] for r in exact]
for line, (tag, value, _) in zip(open("safe.csv").read().split("\n")[1:], safe[1:]):
    assert line.startswith(tag if number(tag) else '"') and f",{value}," in line, line  # quoted, so that no ';' parts it; numbers bare
P
    same "$(abdb query "SELECT char(9) || 'x' AS a, char(13) || 'y' AS b ;" -o csv --spreadsheet | tail -1 | xxd -p)" "$(printf "\"'\tx\",\"'\ry\"\n" | xxd -p)"
    run abdb query sources -o json --spreadsheet
    fails 2 "--spreadsheet is for -o csv"
    run abdb compare device=a device=b --spreadsheet
    [ "$status" -ne 0 ]
}

# --- the shell -----------------------------------------------------------------------------------------------------------------------

@test "completion runs no command in the name of a file" {
    mkdir -p own/reports own/figures
    for name in '$(touch ran)' '`touch ran`' 'a;touch ran' good; do
        echo "SELECT 1 AS a;" >"own/reports/$name.sql"
        printf '# report: sources\nplot 1\n' >"own/figures/$name.gp"
    done
    export ABDB_PATH=$dir/own
    abdb help --completion bash >completion
    for verb in query plot explain audit; do
        run bash -c 'source completion; COMP_WORDS=(abdb "$1" ""); COMP_CWORD=2; _abdb; echo "${COMPREPLY[@]}"' _ $verb
        [ ! -e ran ] || { echo "completing $verb ran a name"; false; }
        [[ $verb != [qp]* || "$output" == *good* ]]
    done
}

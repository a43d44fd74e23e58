#!/usr/bin/env bats
# plain.bats - text of others can neither command a terminal nor forge a line: it is planted into everything that abdb reads,
# and every verb's screen is searched for it.
load common

# A command for the terminal: `shown` gives it there.
screen() {
    printf -v command '%q ' "$@"
    count=$((${count:-0} + 1))
    echo "$count: $command" >>"$dir/asked"
    printf "printf '\\n@@@ %%d\\n' %d; { %s; } </dev/null\n" "$count" "$command" >>"$dir/todo"
}
# Gives what waits to one terminal, which starts once for all; what the Nth command showed is said/N afterwards.
shown() {
    mkdir -p "$dir/said"
    SHELL=/bin/bash script -qec "stty cols 200; bash '$dir/todo'" /dev/null </dev/null >"$dir/typed" 2>&1 || true
    rm "$dir/todo"
    LC_ALL=C awk -v said="$dir/said/" '/^@@@ [0-9]+\r?$/ { close(file); file = said ($2 + 0); printf "" >file; next } file { print >file }' "$dir/typed"
    [ "$(ls "$dir/said" | wc -l)" -eq "$count" ] || { echo "$count commands were given, but not shown: $(ls "$dir/said")"; return 1; }
}
said_plain() {
    shown || return
    [ "$(cat "$dir"/said/* | wc -c)" -gt "${1:-1000}" ] || { echo "next to nothing was said"; cat "$dir"/said/*; return 1; }
    grep -qr 'u001b' "$dir/said" || { echo "nothing of what was planted was shown"; return 1; }
    python3 "$root/tests/checks/control_characters.py" --screen "$dir"/said/* >faults && return
    while IFS=: read -r file what; do
        echo "$(grep "^${file##*/}: " "$dir/asked")$what"
    done <faults
    return 1
}
need_terminal() {
    command -v script >/dev/null || skip "no script(1) (bsdutils)"
}
# The same as in plant_hostile_text.py, for names of files and arguments.
evil=$' \033]0;title\a\033[35m\u009b35m\u202e\u2066\u200b\u00ad\ufeff\u2028\U000e0041\x7f\x9b35m\b\r\nFORGED'

fill() {
    filled $(half_of_data) "$fixtures"/{checker.csv,questions.csv,figures.jsonl,prices.csv,llama_bench.jsonl,nccl_tests.out,osu.txt} 2>/dev/null
    abdb withdraw checker.csv --reason "for a test" >/dev/null
}

@test "the checks find each planted control character" {
    printf 'a\tb\n  line\n' >good
    python3 "$root/tests/checks/control_characters.py" good
    for bad in $'\033[1m' $'\u009b' $'\u202e' $'\u200b' $'\x9b' $'\ufeff' $'x\nFORGED' $'\x07'; do
        printf '%s' "$bad" >bad
        run python3 "$root/tests/checks/control_characters.py" bad
        [ "$status" -eq 1 ] || { echo "not found: $bad"; false; }
    done
    need_terminal
    screen printf 'plain, as \\u001b is\n'
    said_plain 1
    screen printf "u001b $evil"
    run said_plain 1
    fails 1 "2: printf" # the command that showed it, and no other
    [[ $output != *"1: printf"* ]]
}

@test "import prints hostile names, members, cells, errors and progress plainly" {
    need_terminal
    mkdir "in$evil"
    cp "$fixtures/checker.csv" "in$evil/good$evil.csv"
    echo "not a table$evil" >"in$evil/odd$evil"
    printf 'PK\x03\x04nonsense' >"in$evil/bad.zip"
    python3 - "$evil" "$fixtures" <<'P'
import io, json, os, sys, tarfile, zipfile
evil, fixtures = os.fsencode(sys.argv[1]), sys.argv[2]
good = open(fixtures + "/checker.csv", "rb").read()
with tarfile.open("members.tar", "w", encoding="utf-8", errors="surrogateescape") as t:
    for name in (b"a" + evil + b".csv", b"dir" + evil + b"/b.csv", b"c" + evil + b".zip"):
        i = tarfile.TarInfo(os.fsdecode(name))
        data = b"PK\3\4nonsense" if name.endswith(b"zip") else good + b"x" * name.count(b"b.csv")
        i.size = len(data)
        t.addfile(i, io.BytesIO(data))
with zipfile.ZipFile("members.zip", "w") as z:
    z.writestr("a" + evil.decode("utf-8", "replace") + ".csv", good)
text = evil.decode("utf-8", "ignore")
with open("records.jsonl", "w") as out:
    for line in open(fixtures + "/records.jsonl"):
        out.write(line)
        try:
            record = json.loads(line)
        except ValueError:
            continue
        for k, v in list(record.items()):
            if isinstance(v, str):
                out.write(json.dumps({**record, k: v + text}) + "\n")
            elif isinstance(v, dict):
                for f, w in v.items():
                    if isinstance(w, str):
                        out.write(json.dumps({**record, k: {**v, f: w + text}}) + "\n")
                    out.write(json.dumps({**record, k: {**{n: x for n, x in v.items() if n != f}, f + text: w}}) + "\n")
rows = open(fixtures + "/checker.csv", "rb").read().split(b"\n")
open("cells.csv", "wb").write(rows[0] + b"\n" + b"\n".join(b'"' + evil + b'"' + r[r.find(b","):] for r in rows[1:] if r))
evil = evil.replace(b";", b"")  # no other delimiter
open("head.csv", "wb").write(b'"a' + evil + b'",b\n1,"' + evil + b'"\n')
open("own.csv", "wb").write(b"evidence,source,workload,device,metric,value,unit\npublished,me" + evil.replace(b"\n", b"") + b",w,d,time_s,x" +
                            evil.replace(b"\n", b"") + b",s\n")
P
    screen abdb import "in$evil" members.tar members.zip records.jsonl cells.csv head.csv own.csv
    screen abdb import "in$evil/good$evil.csv"
    screen abdb import "nothing$evil"
    screen abdb import --format "x$evil" cells.csv
    screen abdb import --set "x$evil=1" cells.csv
    screen abdb import --set "tag=$evil" cells.csv --dry-run
    screen abdb import --map "x$evil" cells.csv
    screen abdb import --suggest-map head.csv
    screen abdb import --retry-rejects
    screen abdb import --retry-rejects "x$evil"
    screen abdb import -q cells.csv --timing
    screen abdb query rejects
    screen abdb query artifacts
    said_plain
    abdb import --suggest-map head.csv >draft.map # a column's name forges no line of a map
    run grep -c '^FORGED' draft.map
    same "$output" 0
}

# Every report, figure, comparison and citation, of a database that somebody else made. Forty rows of a view: plant_hostile_text.py reaches
# each of its columns in eight of them at least.
look_around() {
    for r in $(abdb query --names); do screen abdb query "$r"; done
    for v in $(sqlite3 "$ABDB_DB" "SELECT name FROM sqlite_schema WHERE type = 'view' AND name GLOB 'v_*'"); do
        screen abdb query "SELECT * FROM $v LIMIT 40;"
    done
    for f in markdown csv json jsonl html latex; do
        for r in facts sources rejects rules withdrawals kernels mlperf-llm; do screen abdb query "$r" -o $f; done
        screen abdb query "SELECT * FROM v_result LIMIT 40;" -o $f
        screen abdb query "SELECT 'a' || char(27) || 'u001b' AS \"b$evil\", 1 AS 'c$evil' ;" -o $f
    done
    screen abdb query "SELECT * FROM v_fact LIMIT 50;" -o csv --spreadsheet
    keys=$(sqlite3 "$ABDB_DB" "SELECT DISTINCT key FROM v_fact WHERE instr(what || source || locator || coalesce(artifact, ''), 'FORGED') LIMIT 4" | tr -d '\r' | grep '^[a-z]-')
    for k in $keys databricks-gaudi2; do
        screen abdb explain "$k"
        screen abdb explain "$k" --cite text
        screen abdb explain "$k" --cite bibtex
        screen abdb explain "$k" -o csv
    done
    screen abdb explain perf-per-dollar exaflop_per_usd 'device~Gaudi2*'
    screen abdb compare device~H200-SXM* device~MI355X* --where 'evidence=mlperf' --per device
    screen abdb compare device~H200-SXM* device~MI355X* --exploratory
    screen abdb compare device~A100* device~Gaudi2* --where evidence=published --per dollar
    screen abdb compare device~A100* device~Gaudi2* -o markdown
    screen abdb compare device~A100* device~Gaudi2* -o json
    screen abdb compare evidence=measured evidence=measured --environment
    screen abdb rank 'model~*' --per device
    screen abdb rank evidence=mlperf --suite
    screen abdb rank evidence=published --pareto tpot_s
    for f in $(abdb plot --names); do screen abdb plot "$f" --type dumb; done
    screen abdb plot training --script
    screen abdb plot mlperf-llm --markdown
    screen abdb plot mlperf-llm --latex
    screen abdb export -o jsonl
    screen abdb export -o csv
    screen abdb export -o sql
    screen abdb withdraw "$(sqlite3 "$ABDB_DB" "SELECT path FROM artifact LIMIT 1")" --reason "$evil"
    screen abdb withdraw nothing"$evil" --reason x
    screen abdb audit claims
    screen abdb audit conflicts
    screen abdb doctor
    screen abdb init
    screen bash -c "printf '.schema v_result\n.mode csv\nSELECT * FROM v_source;\n.mode x\033[35m\n.x\033[35m\nSELECT \033[35m;\n' | abdb query -i"
    screen abdb query "SELECT $evil"
    screen abdb query sources --db "x$evil"
    screen abdb merge "x$evil"
    said_plain 100000
}
# Whole pages and pictures, too.
look_at_documents() {
    screen abdb site --out site
    screen abdb plot --set all --type svg --out pictures
    screen abdb plot training --bundle bundle
    said_plain 100000
    documents=(site/*.html site/*.svg pictures/*.svg bundle/*)
    [ ${#documents[@]} -gt 20 ]
    python3 "$root/tests/checks/control_characters.py" $(printf '%s\n' "${documents[@]}" | grep -E 'html|svg|md|tex|gp')
}

@test "a database with hostile names everywhere has plain screens and pages" {
    need_terminal
    fill
    python3 "$root/tests/checks/plant_hostile_text.py" t.db names
    look_around
    look_at_documents
    for screenful in 'geomean' 'COMPARABLE' '@misc' 'INSERT INTO' '"record":"entry"' 'use'; do
        grep -qrF -- "$screenful" said || { echo "no screen shows $screenful: the test has become blind"; false; }
    done
}

@test "a database with hostile text in every column has plain screens and pages" {
    need_terminal
    fill
    python3 "$root/tests/checks/plant_hostile_text.py" t.db all
    look_around
}

@test "hostile text of backends, plans, reports, figures and arguments is printed plainly" {
    need_terminal
    mkdir -p fake own/reports own/figures own/maps
    export ABDB_BACKENDS=$dir/fake ABDB_PATH=$dir/own
    cat >"fake/abdb-run-fake" <<'B'
#!/bin/bash
e='\u001b[35m\u009b35m\u202e\u200b\nFORGED \u0007'
echo '{"kind":"hello","protocol":1,"backend":"fake","summary":"S '$e'","kernels":[{"name":"k'$e'","parameters":"p'$e'"}]}'
echo '{"kind":"environment","environment":{"library":"l'$e'"}}'
echo '{"kind":"device","name":"D '$e'","devices":1,"threads":1,"clock_resolution_s":1e-9}'
[ "$1" = run ] || { echo '{"kind":"bye"}'; exit 0; }
while read -r line; do
    cell=$(jq -r .cell <<<"$line")
    jq -nc --arg c "$cell" '{kind: "begin", cell: $c}'
    echo '{"kind":"end","status":"failed","reason":"R '$e'"}'
done
echo '{"kind":"bye"}'
B
    cp fake/abdb-run-fake "fake/abdb-run-b$evil"
    printf '#!/bin/sh\nprintf "hello \\033[35m\\nFORGED"\n' >fake/abdb-run-mute
    chmod +x fake/*
    printf -- '-- title: T %s\n-- param: p%s | text | | help%s | SELECT %s\n-- column: a%s | L%s | | M%s\nSELECT 1 AS a\n' "${evil//$'\n'/}" \
        "${evil//$'\n'/}" "${evil//$'\n'/}" "'x' || char(27, 10) || 'FORGED'" "${evil//$'\n'/}" "${evil//$'\n'/}" "${evil//$'\n'/}" >own/reports/mine.sql
    cp own/reports/mine.sql "own/reports/e$evil.sql"
    printf '# title: T %s\n# report: sources\n# hint: H %s\n# with: W%s\n# sets: S%s\nplot 1\n' "${evil//$'\n'/}" "${evil//$'\n'/}" "${evil//$'\n'/}" \
        "${evil//$'\n'/}" >own/figures/mine.gp
    cp own/figures/mine.gp "own/figures/e$evil.gp"
    screen abdb run --list
    screen abdb doctor
    screen abdb run --kernel "k$evil" --backend fake --axis "do=$evil" --tag "$evil"
    screen abdb run --kernel k --backend fake --axis do=ok,bad --tag "$evil"
    screen abdb run --kernel k --backend fake,mute --axis do=ok,bad
    screen abdb run --kernel k --backend "b$evil"
    screen abdb run --kernel k --backend "fake" --axis "do=$evil" --dry-run
    screen abdb run --plan "p$evil"
    screen abdb run "$evil"
    screen abdb query kernels --failed
    screen abdb query
    screen abdb query --names
    screen abdb query mine
    screen abdb query mine --help
    screen abdb query mine --sql
    screen abdb query "e$evil"
    screen abdb query -f "own/reports/e$evil.sql"
    screen abdb plot
    screen abdb plot --names
    screen abdb plot mine --help
    screen abdb plot mine --type dumb
    screen abdb plot "x$evil"
    screen abdb plot --set "x$evil"
    for verb in init import run query compare rank plot site explain audit withdraw merge export doctor help; do
        screen abdb $verb "--x$evil"
        screen abdb $verb "x$evil" "$evil"
        screen abdb $verb --db "x$evil/y"
    done
    screen abdb "x$evil"
    screen abdb query sources -o "x$evil"
    screen abdb query sources --out "no/x$evil"
    screen abdb query specs --dtype "x$evil"
    screen abdb compare "x$evil=1" "y$evil"
    said_plain
}

@test "files and pipes get the original bytes" {
    abdb init >/dev/null
    plant="char(27) || '[35m' || char(0x202e, 0x9b, 0x200b, 10) || 'x'"
    same "$(abdb query "SELECT $plant AS a ;" -o csv | xxd -p)" "$(printf 'a\n"\033[35m\u202e\u009b\u200b\nx"\n' | xxd -p)"
    same "$(abdb query "SELECT $plant AS a ;" --json | jq -r '.[0].a' | xxd -p)" "$(printf '\033[35m\u202e\u009b\u200b\nx\n' | xxd -p)"
    abdb query "SELECT $plant AS a ;" -o csv --out a.csv
    grep -q $'\033' a.csv
    need_terminal
    screen abdb query "SELECT $plant AS a, char(0xe0041) AS b ;" --json # JSON is JSON there too, and says the same
    shown
    same "$(tr -d '\r' <said/1 | jq -r '.[0].a + .[0].b' | xxd -p)" "$(printf '\033[35m\u202e\u009b\u200b\nx\U000e0041\n' | xxd -p)"
}

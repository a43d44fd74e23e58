#!/usr/bin/env bats
# answers.bats - backends that answer wrongly: each wrong answer is a row that says so, and no other cell suffers.
load common

# A backend in Python: the cell's parameter `do` says how it answers.
liar() {
    mkdir -p fake
    cat >fake/abdb-run-liar <<'P'
#!/usr/bin/env python3
import json, os, sys, time
def say(kind, **fields): print(json.dumps({"kind": kind, **fields}), flush=True)
do = os.environ.get("LIAR", "")
if do != "mute": say("hello", protocol=1, backend="liar", summary="a \x1b[31mliar\x1b[0m", kernels=[])
say("environment", environment={"library": "lib\x1b]0;x\x07\x9b1m", "a\nb": "c"} if do != "list" else [1])
say("device", name="Liar\x1b[2J-1\x85", devices=1, threads=1 if do != "threads" else -4, clock="CLOCK_MONOTONIC", clock_resolution_s=1e-9)
if sys.argv[1] == "describe": say("bye"); sys.exit()
def samples(cell, times=(1e-3, 2e-3, 3e-3)):
    for i, t in enumerate(times): say("sample", cell=cell, seq=i, t_s=0.1 * i, time_s=t)
def result(cell, **more):
    say("result", **{"cell": cell, "formula": "f@1", "dtype": "f32", "ops": 8e6, "bytes": 4000, "verified": "pass", "error": 0.1,
                     "prepare_s": 0, "batch": 1, "factors": {}, **more})
def whole(cell): say("begin", cell=cell); samples(cell); result(cell); say("end", cell=cell, status="ok", reason="")
if do == "estimate": pass
for line in sys.stdin:
    request = json.loads(line)
    cell, what = request["cell"], request["params"]["do"]
    if sys.argv[1] == "estimate":
        say("begin", cell=cell); say("estimate", cell=cell, ops=1e300, bytes=1, memory=-1); say("end", cell="other", status="ok")
        continue
    if what in ("right", "after"): whole(cell); continue
    if what == "twice": whole(cell); whole(cell); time.sleep(0.2); continue
    if what == "late": whole(cell); time.sleep(0.4); whole(cell); continue
    if what == "other": whole("k do=right n=1"); continue
    if what == "nameless": say("begin"); samples(None); result(None); say("end", status="ok"); continue
    if what == "unbegun": samples(cell); result(cell); say("end", cell=cell, status="ok"); continue
    say("begin", cell=cell)
    if what == "rebegun": samples(cell); whole(cell); continue
    if what == "mixed": samples(cell); samples("k do=right n=1", (9, 9)); result(cell); say("end", cell=cell, status="ok"); continue
    if what == "results": samples(cell); result(cell); result(cell, ops=9e9)
    if what == "nan": samples(cell); print('{"kind":"sample","cell":"%s","time_s":NaN}' % cell); result(cell)
    if what == "inf": samples(cell); print('{"kind":"sample","cell":"%s","time_s":1e999}' % cell); result(cell)
    if what == "negative": samples(cell, (1e-3, -1e-3)); result(cell)
    if what == "zero": samples(cell, (1e-3, 0)); result(cell)
    if what == "text": samples(cell, ("fast",)); result(cell)
    if what == "many": samples(cell, [1e-3] * 20001); result(cell)
    if what == "empty": result(cell)
    if what == "step": samples(cell, (1e-12,)); result(cell, batch=10)
    if what == "long": samples(cell, (30, 40)); result(cell)
    if what == "overflow": samples(cell, (1e-8,)); result(cell, ops=1e301)
    if what == "ops": samples(cell); result(cell, ops=-1)
    if what == "error": samples(cell); result(cell, error=-0.5)
    if what == "power": samples(cell); result(cell, power_w="much")
    if what == "verdict": samples(cell); result(cell, verified="surely")
    if what == "factors": samples(cell); result(cell, factors={"n": 9})
    if what == "dtype": samples(cell); result(cell, dtype="bf16")
    if what == "crowd": samples(cell); result(cell, factors={str(i): "x" for i in range(65)})
    if what in ("sensor", "double"): say("telemetry", cell=cell if what == "double" else "k do=right n=1", sensor="s", quantity="clock", unit="Hz", t_s=0, value=1)
    if what == "broken": samples(cell); print('{"kind":"result","cell":', flush=True)
    if what == "double": samples(cell); result(cell); print('{"kind":"end","cell":"%s","cell":"x","status":"ok"}' % cell); continue
    if what == "control": samples(cell); result(cell, chosen="a\x1b[31mb\x00c".replace("\x00", ""), factors={"col\x1bour": "r\ned\x7f\x9b"})
    if what == "word": say("end", cell=cell, status="brilliant"); continue
    if what == "crash": say("end", cell=cell, status="crash", reason="mine"); continue
    if what == "timeout": say("end", cell=cell, status="timeout", reason="mine"); continue
    if what == "reason": say("end", cell=cell, status="failed", reason="line\none\x1b[1m\ttwo"); continue
    say("end", cell=cell, status="ok", reason="")
say("bye")
P
    chmod +x fake/abdb-run-liar
    export ABDB_BACKENDS=$dir/fake
}

wrong=step,long,other,nameless,unbegun,rebegun,mixed,results,nan,inf,negative,zero,text,many,empty,overflow,ops,error,power,verdict,factors,dtype,crowd,sensor,broken,double,word,crash,timeout

@test "each wrong answer gives a bad-answer row with its reason; the cells between are right" {
    liar
    for what in ${wrong//,/ }; do echo "k do=$what dtype=f32 n=1"; echo "k do=right dtype=f32 n=$((++i))"; done >plan.txt
    run abdb run --plan plan.txt --backend liar
    fails 5 "29 cells measured, 29 failed"
    same "$(ask "SELECT group_concat(DISTINCT status) FROM v_run WHERE cell NOT LIKE '%right%'")" bad-answer
    same "$(ask "SELECT count(*) FROM v_run WHERE cell NOT LIKE '%right%' AND reason LIKE 'the backend broke the protocol (%): %'")" 29
    same "$(ask "SELECT count(*) FROM v_run WHERE cell LIKE '%right%' AND status = 'ok'")" 29
    same "$(ask "SELECT count(*) FROM v_kernel WHERE cell LIKE '%right%' AND round(time_s * 1000) = 2")" 29
    same "$(ask "SELECT count(*) FROM v_statement WHERE cell NOT LIKE '%right%' AND value IS NOT NULL")" 0
    same "$(ask "SELECT count(*) FROM telemetry")" 0
    while IFS=: read -r what why; do
        ask "SELECT reason FROM v_run WHERE cell LIKE '%do=$what %'" | grep -qF "$why" || { echo "$what: $(ask "SELECT reason FROM v_run WHERE cell LIKE '%do=$what %'")"; false; }
    done <<'W'
other:it said 'begin' of 'k do=right n=1' where this cell was asked
nameless:of '' where this cell was asked
unbegun:it said 'sample' before 'begin'
rebegun:it began twice
mixed:it said 'sample' of 'k do=right n=1'
results:a second result
nan:not JSON
inf:not JSON
negative:time_s is -0.001
zero:a sample without a time_s above 0
text:time_s is no number
many:more than 20000 samples
empty:it said ok but gave no result or no samples
step:a sample of 1e-11 s, where its clock has steps of 1e-09 s
long:sample 0 took 30 s, and the next began
overflow:a rate that is not finite
ops:ops is -1
error:error is -0.5
power:power_w is no number
verdict:verified is 'surely', not pass or fail
factors:the factor n is no text
dtype:it measured dtype=bf16 where f32 was asked
crowd:more than 64 factors
sensor:it said 'telemetry' of 'k do=right n=1'
broken:not JSON
double:not JSON
word:the unknown status 'brilliant'
crash:the unknown status 'crash'
timeout:the unknown status 'timeout'
W
}

@test "a second answer for one cell is never stored for the next cell" {
    liar
    run abdb run --kernel k --backend liar --axis do=twice,after,right --axis n=1
    # two answers that arrive together are both refused, and the cell with them; the next cell keeps its own. Read one by one, the
    # first of them counts.
    [[ "$(ask "SELECT group_concat(status, ' ') FROM (SELECT status FROM v_run ORDER BY date)")" =~ ^"bad-answer ok ok"$|^"ok ok ok"$ ]]
    # a second answer that comes late: the first counts, and a new process is asked for the next cell
    abdb run -q --kernel k --backend liar --axis do=late,right --axis n=2,3 --tag late
    same "$(ask "SELECT group_concat(status, ' ') FROM v_run WHERE tag = 'late'")" "ok ok ok ok"
    same "$(ask "SELECT count(DISTINCT process_id) FROM v_run WHERE tag = 'late'")" 3
    same "$(ask "SELECT count(*) FROM v_kernel WHERE cell LIKE '%after%'")" "$(ask "SELECT count(*) FROM v_run WHERE cell LIKE '%after%' AND status = 'ok'")"
}

@test "a backend with a wrong description of itself gives bad-answer rows with their reasons" {
    liar
    for l in mute threads list; do
        LIAR=$l run abdb run --kernel k --backend liar --axis do=right --tag $l
        fails 5 "0 cells measured, 1 failed"
    done
    same "$(ask "SELECT count(*) FROM v_run WHERE status = 'bad-answer'")" 3
    ask "SELECT reason FROM v_run WHERE tag = 'mute'" | grep -qF "it said 'begin' before 'hello'"
    ask "SELECT reason FROM v_run WHERE tag = 'threads'" | grep -qF "threads is -4"
    ask "SELECT reason FROM v_run WHERE tag = 'list'" | grep -qF "its environment is no object"
}

@test "text from a backend is stored without control characters in every column" {
    liar
    abdb run -q --kernel k --backend liar --axis do=control,reason || true
    same "$(ask "SELECT count(*) FROM v_run WHERE status IN ('ok', 'failed')")" 2
    same "$(ask "SELECT reason FROM v_run WHERE status = 'failed'")" "line one [1m two"
    same "$(ask "SELECT chosen FROM v_kernel WHERE chosen IS NOT NULL")" "a [31mbc"
    same "$(ask "SELECT DISTINCT device FROM entry")" '"Liar [2J-1 "'
    same "$(ask "SELECT text FROM v_factor_given WHERE factor = 'col our' AND ordinal = 0")" '"r ed  "'
    abdb export -o sql >all.sql
    LC_ALL=C no grep -qaP '[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\\u00[01]' all.sql
    abdb run --list >list
    LC_ALL=C no grep -qaP '\x1b|\xc2[\x80-\x9f]' list
}

@test "an absurd estimate and an estimate for another cell are ignored" {
    liar
    run timeout 20 abdb run --kernel k --backend liar --axis do=right --dry-run
    fails 0 "liar k do=right"
    [[ $output != *about* ]]
}

@test "a backend that writes without reading its input does not block abdb" {
    mkdir fake
    cat >fake/abdb-run-deaf <<'P'
#!/usr/bin/env python3
import json, sys, time
def say(kind, **fields): print(json.dumps({"kind": kind, **fields}), flush=True)
say("hello", protocol=1, backend="deaf", summary="", kernels=[])
if sys.argv[1] != "run": say("bye"); sys.exit()
for i in range(1, 41):
    cell = "k n=%d" % i + "".join(" p%d=%s" % (p, "x" * 120) for p in range(8))
    say("begin", cell=cell); say("end", cell=cell, status="failed", reason="unread"); time.sleep(0.05)
time.sleep(600)
P
    chmod +x fake/abdb-run-deaf
    export ABDB_BACKENDS=$dir/fake
    for p in 0 1 2 3 4 5 6 7; do pads+=(--axis "p$p=$(printf 'x%.0s' {1..120})"); done # a pipe holds 64 KiB
    run timeout 100 abdb run --kernel k --backend deaf --axis n=1-40+1 "${pads[@]}" --timeout 1
    fails 5 "crashed, timed out"
    same "$(ask "SELECT count(DISTINCT cell), count(*) FROM v_run")" "40,40"
    ask "SELECT reason FROM v_run WHERE status = 'timeout'" | grep -qF "it does not read what it is asked"
}

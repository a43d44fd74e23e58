#!/usr/bin/env bats
# measured.bats - query/measured.sh, by which measured evidence is made for data/measured: what is in doubt stays out, what names this host too.
load common

# A backend whose cells are steady, unsteady, wrong, failed or few, as `do` says.
fake() {
    mkdir -p b
    ln -sf "$build/abdb" b/abdb
    cat >b/abdb-run-fake <<'P'
#!/usr/bin/env python3
import json, sys
def say(kind, **fields): print(json.dumps({"kind": kind, **fields}), flush=True)
say("hello", protocol=1, backend="fake", summary="for tests", kernels=[])
say("environment", environment={"host_processor_model_name": "A Processor", "host_processor_vendor": "GenuineA", "host_processor_family": "7",
    "host_processor_model": "8", "processors_online": 2, "virtual_machine": True, "kernel": "6.1", "unheard_of": "mine"})
say("device", name="A family 7 model 8 with 2 virtual processors", devices=1, threads=2, clock="CLOCK_MONOTONIC", clock_resolution_s=1e-9)
for line in sys.stdin if sys.argv[1] == "run" else []:
    asked = json.loads(line); cell = asked["cell"]; do = asked["params"]["do"]
    say("begin", cell=cell)
    if do == "fails": say("end", cell=cell, status="failed", reason="not today"); continue
    for i in range(3 if do == "few" else 20): say("sample", cell=cell, seq=i, t_s=i * 1e-6, time_s=1e-6 + i * 1e-9)
    say("result", cell=cell, formula="hold@1", dtype="f32", ops=2000, bytes=100, verified="fail" if do == "wrong" else "pass", prepare_s=0,
        unsteady=do == "unsteady", factors={"own": "thing"})
    say("end", cell=cell, status="ok", reason="")
say("bye")
P
    chmod +x b/abdb-run-fake
    export ABDB_BACKENDS=$dir/b BACKENDS=fake RANKS=0 FOLDER=$dir/out
}

@test "measured.sh imports steady, verified cells with their environment and without samples" {
    fake
    printf 'hold do=right,fails,unsteady n=1,2\nhold do=right n=3,4\n' >p.plan
    PLAN=$dir/p.plan run "$root/query/measured.sh" "$build"
    fails 0 "4 of 6 measured cells"
    same "$(ls out)" "a-family-7-model-8-with-2-virtual-processors-$(date -u +%F).jsonl"
    same "$(jq -r '.field.cell' out/*.jsonl | sort | paste -sd';')" "fake hold do=right n=1;fake hold do=right n=2;fake hold do=right n=3;fake hold do=right n=4"
    no grep -qE 'unheard_of|"own"|factor-|key-|"samples"' out/*.jsonl
    filled out/*.jsonl
    same "$(ask "SELECT DISTINCT evidence, device, tag, verified, json_extract(environment, '\$.kernel') FROM v_run")" 'measured,A family 7 model 8 with 2 virtual processors,measured,pass,6.1'
    same "$(ask "SELECT count(*) FROM v_sample")" 0
    same "$(ask "SELECT DISTINCT n, coalesce(low < value AND value < high, 1) FROM v_result WHERE metric = 'time_s' AND statistic = 'median'")" 20,1
    run abdb query coverage-kernels -o csv
    fails 0 "hold,fake,A family 7 model 8 with 2 virtual processors,measured,4"
}

@test "measured.sh writes nothing with too many unsteady, wrong or missing cells" {
    fake
    printf 'hold do=right,unsteady,few,wrong n=1\n' >p.plan
    PLAN=$dir/p.plan run "$root/query/measured.sh" "$build"
    [ "$status" -ne 0 ]
    [ ! -e out ]
    printf 'hold do=right,unsteady,few n=1\n' >p.plan
    PLAN=$dir/p.plan run "$root/query/measured.sh" "$build"
    fails 1 "only 1 of 3 measured cells are steady"
    [ ! -e out ]
}

@test "every machine in data/measured is a device of data/devices.csv" {
    filled "$root/data"
    run abdb query "SELECT DISTINCT device FROM v_run WHERE evidence = 'measured' ;" -o csv
    [ "${#lines[@]}" -gt 1 ]
    same "$(abdb query unresolved -o csv 2>/dev/null | tail -n +2)" ""
}

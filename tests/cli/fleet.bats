#!/usr/bin/env bats
# fleet.bats - abdb query fleet: nodes slower than their peers, and where the data cannot tell.
load common

# fleet NODES PROCESSES [SLOW [DEVICE [TAG]]]: records of two cells; node00 is slower by SLOW, in the second cell.
fleet() {
    python3 - "$@" <<'PY'
import json, random, sys
nodes, processes, slow, device, tag = int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), sys.argv[4], sys.argv[5]
draw = random.Random(f"{nodes} {device} {tag}")
for n in range(nodes):
    node = draw.gauss(0, 0.003)
    for r in range(processes):
        luck = draw.gauss(0, 0.005)
        for cell, base in (("gemm", 0.001), ("stream", 0.02)):
            t = base * (1 + node + luck + draw.gauss(0, 0.002)) * (1 + (slow if n == 0 and cell == "stream" else 0))
            print(json.dumps({"record": "entry", "origin": None, "field": {"evidence": "measured", "kind": "run", "source": "abdb-run", "verified": "pass",
                "workload": cell, "device": device, "devices": "1", "nodes": "1", "backend": "vec", "date": f"2026-11-{10 + r:02}T08:{n % 60:02}:00Z",
                "campaign": f"c-{tag}-{n}", "cell": f"vec {cell} n=1" + (f" #{r + 1}" if r else ""), "tag": tag},
                "factor": {"node": f"node{n:02}"}, "process": {"campaign": f"c-{tag}-{n}", "backend": "vec", "repetition": r + 1, "start": 1,
                "started": f"2026-11-{10 + r:02}T07:00:00Z"}, "result": [{"metric": "time_s", "statistic": "median", "value": t, "n": 20}]}))
PY
}
said() { abdb query fleet "$@" -o jsonl 2>/dev/null; }

@test "a slow node is found, in the cell where it is slow; equal ones and those of another device are not called" {
    fleet 12 10 0.10 "Box A" a >a.jsonl
    fleet 12 10 0 "Box B" b | sed 's/"value": 0.0/"value": 0.00/' >b.jsonl # ten times as fast: no peers of the others
    abdb import -q a.jsonl b.jsonl
    same "$(said | jq -c 'select(.slow == 1) | [.node, .device, .cell]' | grep -v null)" '["node00","Box A","vec stream n=1"]'
    same "$(said | jq -c 'select(.verdict == "slower" or .verdict == "faster") | .node' | sort -u)" '"node00"'
    same "$(said | jq -c 'select(.cell == "vec stream n=1") | [.ratio > 1.08, .ratio < 1.12, .low < .ratio, .high > .ratio, .p <= 0.001, .processes, .peers]')" '[true,true,true,true,true,10,11]'
    same "$(said | jq -s 'length')" 25 # a row a node, and that cell
    same "$(said --cells | jq -s 'length')" 72
    same "$(said --device "Box B" --cells | jq -s 'map(.slow) | add')" 0
    same "$(said --tag a --kernel gemm | jq -s 'map(.slow) | add')" 0
    run abdb query fleet --fail-on slow
    [ "$status" = 1 ]
    fails 1 "measure again before you send a node away"
    run abdb query fleet --device "Box B" --fail-on slow
    fails 0 "n = 12 nodes of Box B"
}

@test "one node, few nodes, few processes: unclear, and why" {
    for f in "1 10" "4 10" "8 4"; do
        rm -f t.db
        # shellcheck disable=SC2086
        fleet $f 0.5 "Box A" a >a.jsonl
        abdb import -q a.jsonl
        said | jq -c '[.verdict, .why, .ratio]' | sort -u
    done >seen
    same "$(cat seen)" '["unclear","no peers",null]
["unclear","fewer than 5 peers with 5 processes",null]
["unclear","fewer than 5 processes",null]'
}

@test "what was unsteady proves nothing; another revision is no peer; a slow node is not seen through noise" {
    fleet 12 10 0.10 "Box A" a >a.jsonl
    sed '/node00/s/"cell": "vec stream/"flags": "unsteady", &/; /node01/s/"cell": /"flags": "quick imprecise", &/' a.jsonl >u.jsonl
    abdb import -q u.jsonl
    same "$(said | jq -s 'map(.slow) | add')" 0
    same "$(said | jq -r 'select(.processes == 0) | [.node, .verdict, .why] | join(" ")')" "node01 unclear every run is unsteady or imprecise"
    abdb query fleet | grep -q "30 runs are unsteady or imprecise"
    rm t.db
    sed '/node0[0-5]/s/"factor": {/&"commit": "0ld", /' a.jsonl >c.jsonl
    abdb import -q c.jsonl
    same "$(said | jq -r '.peers' | sort -u)" 5
    rm t.db
    fleet 12 10 0.10 "Box A" a | python3 -c '
import json, random, sys
draw = random.Random(1)
for line in sys.stdin:
    e = json.loads(line)
    e["result"][0]["value"] *= 1 + 0.5 * draw.random()
    print(json.dumps(e))' >noisy.jsonl
    abdb import -q noisy.jsonl
    same "$(said --cells | jq -r '.verdict' | sort -u)" unclear
}

@test "hundreds of drawn fleets: equal nodes are not called, those that can be shown are found" {
    BUILD=${BUILD:-build} python3 "$root/tests/fleet.py" 10 >table
    same "$(wc -l <table)" 26
}

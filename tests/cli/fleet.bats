#!/usr/bin/env bats
# fleet.bats - abdb query fleet: nodes slower than their peers, and where the data cannot tell.
load common

fleet() { python3 "$root/tests/backends/write_fleet_records.py" "$@"; }
said() { abdb query fleet "$@" -o jsonl 2>/dev/null; }

@test "a slow node is found in its slow cell; equal nodes and nodes of another device are not reported" {
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

@test "one node, few nodes and few processes give the verdict unclear with a reason" {
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

@test "unsteady runs, another revision and noise give no verdict on a node" {
    fleet 12 10 0.10 "Box A" a >a.jsonl
    sed '/node00/s/"cell": "vec stream/"flags": "unsteady", &/; /node01/s/"cell": /"flags": "quick imprecise", &/' a.jsonl >u.jsonl
    abdb import -q u.jsonl
    same "$(said | jq -s 'map(.slow) | add')" 0
    same "$(said | jq -r 'select(.processes == 0) | [.node, .verdict, .why] | join(" ")')" "node01 unclear every run is unsteady or imprecise"
    abdb query fleet | grep -q "30 runs are unsteady or imprecise"
    abdb query fleet --fail-on slow
    run abdb query fleet --fail-on slow,unjudged
    fails 1 "has slow,unjudged (--fail-on)"
    rm t.db
    sed '/node0[0-5]/s/"factor": {/&"commit": "0ld", /' a.jsonl >c.jsonl
    abdb import -q c.jsonl
    same "$(said | jq -r '.peers' | sort -u)" 5
    rm t.db
    sed '/node0[0-5]/s/"factor": {/&"command": ".\/old", /' a.jsonl >p.jsonl # nor is another program
    abdb import -q p.jsonl
    same "$(said | jq -r '.peers' | sort -u)" 5
    same "$(said --cells | jq -r 'select(.node == "node00") | .cell // empty' | sort)" $'vec gemm n=1 a=./old\nvec stream n=1 a=./old'
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

@test "in hundreds of simulated fleets equal nodes are not reported, and detectable slow nodes are found" {
    BUILD=${BUILD:-build} python3 "$root/tests/campaigns/simulate_fleets.py" 10 >table
    same "$(wc -l <table)" 26
}

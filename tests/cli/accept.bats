#!/usr/bin/env bats
# accept.bats - abdb accept: files, fleets and this machine against others of their kind.
load common

verdicts() { abdb accept "$@" --json 2>/dev/null | jq -r '.[] | [.check, .unit, .verdict] | join(", ")'; }
# nvbandwidth of two devices of that name: to the first, to the second
copies() {
    printf '%s\n' 'nvbandwidth Version: v0.8' "Device 0: $1" "Device 1: $1" 'Running host_to_device_memcpy_sm.' \
        'memcpy SM CPU(row) -> GPU(column) bandwidth (GB/s)' '           0         1' " 0     $2     $3"
}
# SuperBench of a node of 8 devices; the fifth at that share of the others
node() {
    python3 - "$1" "$2" "$3" <<'P'
import json, random, sys
draw = random.Random(sys.argv[2])
print(json.dumps({f"mem-bw/h2d_bw:{i}": round(25.6 * draw.gauss(1, 0.002) * (float(sys.argv[3]) if i == 5 else 1), 4) for i in range(8)}))
P
}

@test "accept judges a file against the shipped population, with or without a database, and stores nothing" {
    run abdb accept "$fixtures/nvbandwidth.txt"
    fails 1 "slow: copy host_to_device_memcpy_sm of device 1: 19 % below the lowest of others"
    fails 1 "device H100-SXM"
    fails 1 "others: azure-guide, AI benchmarking guide"
    fails 1 "1 result of no check"
    fails 1 "would have seen: 15 %"
    [ "$(grep -E '^(check|copy) ' <<<"$output" | wc -L)" -le 100 ]
    [ ! -e "$ABDB_DB" ]
    ABDB_DB=$dir/own.db abdb import -q "$root/data" && export ABDB_DB=$dir/own.db
    before=$(ask "SELECT count(*) FROM v_run")
    same "$(verdicts "$fixtures/nvbandwidth.txt")" "copy device_to_device_bidirectional_memcpy_read_sm, device 1 to 0, normal
copy device_to_device_bidirectional_memcpy_read_sm, device 0 to 1, normal
copy host_to_device_memcpy_sm, device 1, slow
copy host_to_device_memcpy_sm, device 0, normal"
    same "$(ask "SELECT count(*) FROM v_run")" "$before"
    # what is judged is not of others, even if it was imported before
    abdb import -q "$fixtures/nvbandwidth.txt" 2>/dev/null
    run abdb accept "$fixtures/nvbandwidth.txt"
    fails 1 "19 % below the lowest of others"
}

@test "accept exits with 0 for normal, 3 for an unclear result, 5 for a failed check and 1 for a slow one" {
    copies "NVIDIA H100 80GB HBM3" 50.5 51.5 >good.txt
    run abdb accept good.txt
    fails 0 "normal"
    copies "NVIDIA H100 80GB HBM3" 50.5 45.5 >between.txt # between 0.85 and 0.95 of the lowest
    run abdb accept between.txt
    fails 3 "11 % below the lowest of others, which is neither normal nor slow: another origin would settle it"
    printf '{"mem-bw/h2d_bw:0": 25.75, "gemm-flops/return_code": 3}' >failed.json
    run abdb accept failed.json --set device=A100-SXM-80GB
    fails 5 "1 row of the input was refused: abdb import lists it"
    copies "NVIDIA H100 80GB HBM3" 50.5 30 >slow.txt
    run abdb accept slow.txt failed.json --set device=H100-SXM
    [ "$status" -eq 1 ]
    printf '{"nccl-bw/allreduce_8192_busbw:0": 0.1}' >small.json # messages that measure latency
    run abdb accept small.json --set device=H100-SXM
    fails 3 "no result here belongs to a check"
    run abdb accept nowhere.txt
    fails 6 "nowhere.txt was not read"
    run abdb accept good.txt --db nowhere.db
    fails 6 "there is no database nowhere.db: abdb import data"
    run abdb accept good.txt --set fill=zeros
    fails 2 "a factor is written factor.fill=..."
}

@test "a device of unknown kind is not judged against a related device" {
    for name in "NVIDIA H20" "NVIDIA H100 NVL" "NVIDIA H100 PCIe" "NVIDIA H100 80GB HBM3 MIG 1g.10gb" "NVIDIA H800" "Unheard of"; do
        copies "$name" 20 20.5 >other.txt
        run abdb accept other.txt
        fails 3 "cannot tell"
        [[ "$output" != *azure* ]] || { echo "$name: $output"; false; }
    done
    fails 3 "no results of others: abdb knows no kind of device Unheard of"
    copies "NVIDIA H100 80GB HBM3" 20 20.5 | grep -v '^Device' >nameless.txt
    run abdb accept nameless.txt
    fails 3 "no device is named: --set device=NAME"
    run abdb accept nameless.txt --set device=H100-SXM
    fails 1 "61 % below"
}

@test "two disagreeing populations give a range and the weaker verdict; another fill or size is not compared" {
    printf '%s\n' 'evidence,kind,source,workload,device,devices,nodes,dtype,metric,statistic,value,unit,locator,factor.m,factor.n,factor.k,factor.fill' \
        'published,statement,second,gemm,H100-SXM,1,1,fp8,flops_per_s,value,1601,TFLOP/s,row 1,32768,32768,32768,random' >second.csv
    abdb import -q "$root/data" second.csv
    gemm() { printf '{"node": "n", "cublaslt-gemm/fp8e4m3_0_%s_%s_%s_flops:0": %s}\n' "$2" "$2" "$2" "$1" >g.jsonl; }
    gemm 1361 32768
    run abdb accept g.jsonl --set device=H100-SXM --columns check,here,others,ratio,verdict
    fails 0 "1361 TFLOP/s  1382..1601 (2 origins)  0.85..0.98  normal"
    gemm 1000 32768 # 0.72 of the lower
    run abdb accept g.jsonl --set device=H100-SXM
    fails 1 "28 % below the lowest of others"
    gemm 1361 12288 # nobody has published this shape
    run abdb accept g.jsonl --set device=H100-SXM
    fails 3 "no result of another such device"
    gemm 1361 32768
    run abdb accept g.jsonl --set device=H100-SXM --set factor.fill=zeros
    fails 3 "no result of another such device"
    run abdb accept g.jsonl --set device=H100-SXM --explain
    fails 0 "gemm fp8 m 32768 n 32768 k 32768: azure-guide 1.3822e+15 FLOP/s"
    fails 0 "results that agree in dtype m n k and are not known to differ in backend fill"
    printf '{"nccl-bw/allreduce_8589934592_busbw:0": 471.5, "nccl-bw/allreduce_8192_busbw:0": 0.1}' >nccl.json
    same "$(verdicts nccl.json --set device=H100-SXM --set devices=8 --set nodes=1)" "all-reduce 8192 MiB, devices 8 nodes 1, nccl.json, normal"
    run abdb accept nccl.json --set device=H100-SXM --set devices=4 --set nodes=1
    fails 3 "no result of another such device"
    run abdb accept nccl.json --set device=H100-SXM
    fails 3 "not stated: devices, nodes (--set NAME=VALUE)"
}

@test "a folder of nodes: the slow device is found among its peers without outside data, in every format" {
    for n in a b c; do mkdir -p "nodes/node-$n" && node x $n "$([ $n = b ] && echo 0.92 || echo 1)" >"nodes/node-$n/results-summary.json"; done
    run abdb accept nodes --set device=MI250 --plot fleet.svg
    fails 1 "of node-b device 5: 8"
    fails 1 "% below its 23 peers (p "
    same "$(verdicts nodes --set device=MI250 | grep -vc normal)" 1
    same "$(verdicts nodes --set device=MI250 | wc -l)" 24
    [ "$(grep -c '>node-b device 5<\|node-b device' fleet.svg)" -ge 1 ]
    abdb accept nodes --set device=MI250 -o junit 2>/dev/null >junit.xml || [ $? -eq 1 ]
    same "$(python3 -c "
import xml.etree.ElementTree as E
s = E.parse('junit.xml').getroot()[0]
print(s.get('tests'), s.get('failures'), s.get('errors'), [t.get('name') for t in s if t.find('failure') is not None])")" "24 1 0 ['copy host_to_device pinned, node-b device 5']"
    rm -r nodes/node-b
    run abdb accept nodes --set device=MI250
    fails 0 "16 units"
    # six units are the least; of fewer nothing is known
    printf '{"mem-bw/h2d_bw:0": 25.1, "mem-bw/h2d_bw:1": 12}' >two.json
    run abdb accept two.json --set device=MI250
    fails 3 "no result of another such device: import one, or measure 6 devices"
    # names of nodes are data
    mkdir -p 'hostile/$(touch x)`touch y`"; DROP' && node x h 0.9 >'hostile/$(touch x)`touch y`"; DROP/r.json'
    run abdb accept hostile --set device=MI250 --plot hostile.svg
    fails 1 "device 5: "
    [ ! -e x ]
    [ ! -e y ]
}

@test "the five slow nodes among eighteen real nodes are named, as by a second program" {
    need_realdata acceptance
    nodes=("$realdata/acceptance/gb300-18-nodes" --set model=llama2-70b-99 --set device=GB300 --set devices=4)
    run abdb accept "${nodes[@]}"
    fails 1 "node-16: 7.4 % below its 17 peers (p 0.0015)"
    same "$(verdicts "${nodes[@]}" | grep -v normal | cut -d, -f2 | sort | xargs)" "node-13 node-14 node-16 node-4 node-8"
    # by medians: a modified z beyond 3 (Iglewicz and Hoaglin) on what the middle half of the nodes shows
    python3 - "$realdata/acceptance/gb300-18-nodes" >z <<'P'
import glob, re, statistics, sys
rate = {re.search(r"node-\d+", f)[0]: float(re.search(r"Tokens per second: ([\d.]+)", open(f).read())[1]) for f in glob.glob(sys.argv[1] + "/*.txt")}
middle = statistics.median(rate.values())
mad = statistics.median(abs(v - middle) for v in rate.values())
print(*sorted(n for n, v in rate.items() if 0.6745 * (v - middle) / mad < -3))
P
    same "$(cat z)" "node-13 node-14 node-16 node-4 node-8"
    run abdb accept "$realdata/acceptance/gb300-18-nodes"
    [ "$status" -ge 5 ] # model and device are not in the files
}

@test "accept on this machine measures in the stated time and judges against records of another machine" {
    printf 'gemm dtype=f32 n=256\nstream dtype=f32 op=copy n=1048576\n' >tiny.plan
    abdb run -q --quick --plan tiny.plan --backend vec
    abdb export -o jsonl 2>/dev/null | sed 's/ quick//g; s/"quick"/""/g; s/quick //g' >others.jsonl
    device=$(ask "SELECT DISTINCT device FROM v_run")
    printf 'device,vendor,kind,dies\n%s,Someone,cpu,1\n' "$device" >kind.csv
    rm -f "$ABDB_DB" && abdb import -q kind.csv others.jsonl
    abdb accept --plan tiny.plan --backend vec --budget 60 --json >own.json 2>err || code=$?
    [ "${code:-0}" -le 3 ] || { cat err; false; }
    same "$(jq -r '.[] | [.check, (.value > 0), (.lowest > 0)] | join(" ")' own.json | sort)" $'vec gemm dtype=f32 n=256 true true\nvec stream dtype=f32 op=copy n=1048576 true true'
    # no time: it ends, and what was not measured is no failure
    printf 'gemm dtype=f64 n=1024-4096*2\nattention dtype=f32 sequence=4096\n' >long.plan
    SECONDS=0
    run abdb accept --plan long.plan --backend vec --budget 2
    [ "$SECONDS" -lt 60 ]
    fails 3 "the time of --budget was over"
    run abdb run --plan tiny.plan --budget 0
    fails 2 "--budget wants seconds above 0, not '0'"
    run abdb accept --plan nosuch
    fails 6 "nothing was measured here"
}

@test "in simulated populations false alarms are few, and a fault of the declared size is found" {
    BUILD=${BUILD:-build} python3 "$root/tests/campaigns/simulate_acceptance.py" 40 >table
    [ "$(grep -c '^| ' table)" -ge 30 ]
    run python3 - <<P
import subprocess, json
E = "$build/abdb"
for bad in ["[]", '{"rule": [[0.85, 0.95, 0.02]], "here": [[1, 0, 5]], "others": []}', '{"rule": [[0.85, 0.95, 0.02]], "here": [[0, 0, -5]], "others": []}', '{"rule": [[2, 1, 0]], "here": [], "others": []}', "{"]:
    out = subprocess.run(["sqlite3", ":memory:", f".load {E}", f"SELECT * FROM abdb_accept('{bad}')"], capture_output=True, text=True)
    assert "abdb_accept" in out.stderr + out.stdout, (bad, out)
P
    [ "$status" -eq 0 ] || { echo "$output"; false; }
}

@test "the record of a judged file is redacted, and a hundred such records narrow the range of the population" {
    secret() { node "$1" "$1" "${2:-1}" | sed 's/^{/{"node": "secret-host", /' >"secret-$1.json"; }
    for i in $(seq 6); do
        secret "$i"
        abdb accept "secret-$i.json" --set device=MI250 --record "r$i.jsonl" >/dev/null 2>&1 || [ $? -eq 3 ]
    done
    [ "$(cat r?.jsonl | grep -c secret)" -eq 0 ]
    same "$(jq -r 'select(.record == "entry") | [.field.workload, .factor.operation, .factor.memory, (.factor.gpu != null)] | join(" ")' r1.jsonl | sort -u)" "memory-copy host_to_device pinned true"
    # the record is judged as the file was
    judged() { abdb accept "$@" --json 2>/dev/null | jq -c 'map([.value, .verdict]) | sort'; }
    same "$(judged r1.jsonl)" "$(judged secret-1.json --set device=MI250)"
    # three records: a range; six: a spread; more: a narrower one
    sees() { abdb accept mine.json --set device=MI250 --json 2>/dev/null | jq -r '[.[].would_have_seen_percent] | max'; }
    printf '{"mem-bw/h2d_bw:0": 25.6}' >mine.json
    abdb import -q "$root/data/devices.csv" r1.jsonl r2.jsonl r3.jsonl
    same "$(sees)" 15
    abdb import -q r4.jsonl r5.jsonl r6.jsonl
    six=$(sees)
    for i in $(seq 7 100); do # as the first six, of other machines
        python3 -c "
import json, random
draw = random.Random($i)
level = draw.gauss(1, 0.001)
for line in open('r$((i % 6 + 1)).jsonl'):
    r = json.loads(line)
    if r['record'] == 'entry':
        r['result'][0]['value'] = 25.6e9 * level * draw.gauss(1, 0.002)
    print(json.dumps(r))" >"r$i.jsonl"
    done
    abdb import -q r*.jsonl
    [ "$(sees | cut -d. -f1)" -lt 5 ]
    same "$(python3 -c "print($six > $(sees))")" True
    run abdb accept mine.json --set device=MI250
    fails 0 "(100 origins)"
    printf '{"mem-bw/h2d_bw:0": 23.0}' >mine.json # 10 % below
    run abdb accept mine.json --set device=MI250
    fails 1 "below the median of 100 origins"
}

@test "each of 20 planted faults gives the right check and device and no other" {
    abdb import -q "$root"/data/{devices,aliases,sources}.csv "$root/data/results/azure-benchmarking.csv"
    python3 - <<'P'
import json, random
# What eight healthy H100 print, near what is published; faults at one device, link, or all.
for seed in range(20):
    draw = random.Random(seed)
    fault, gpu, peer = ("cap", "bandwidth", "link", "clock")[seed % 4], draw.randrange(8), draw.randrange(7)
    peer += peer >= gpu
    near = lambda value, share=1.0: value * share * draw.gauss(1, 0.003)
    node = {"node": "n"}
    for i in range(8):
        slow = {"cap": 0.70, "clock": 0.90 if i == gpu else 1}.get(fault, 1)
        for n, rate in ((8192, 1290.1), (16384, 1377.3)):
            node[f"cublaslt-gemm/fp8e4m3_0_{n}_{n}_{n}_flops:{i}"] = near(rate, slow)
        node[f"mem-bw/d2d_bw:{i}"] = near(2600, 0.75 if (fault, i) == ("bandwidth", gpu) else 1)
    node["nccl-bw/allreduce_8589934592_busbw:0"] = near(478.87)
    open(f"node-{seed}.json", "w").write(json.dumps(node))
    with open(f"link-{seed}.txt", "w") as f:
        print("nvbandwidth Version: v0.8", *(f"Device {i}: NVIDIA H100 80GB HBM3" for i in range(8)), sep="\n", file=f)
        print("Running device_to_device_bidirectional_memcpy_read_sm.\nmemcpy SM GPU(row) <-> GPU(column) bandwidth (GB/s)", file=f)
        print("   ", *range(8), file=f)
        for i in range(8):
            print(i, *("N/A" if i == k else round(near(672, 0.6 if (fault, i, k) == ("link", gpu, peer) else 1), 2) for k in range(8)), file=f)
    gemm = [f"gemm fp8 m {n} n {n} k {n}" for n in (16384, 8192)]
    want = {"cap": [f"{g}, n device {i}" for g in gemm for i in range(8)],
            "bandwidth": [f"copy device_to_device pinned, n device {gpu}"],
            "link": [f"copy device_to_device_bidirectional_memcpy_read_sm, link device {gpu} to {peer}"],
            "clock": [f"{g}, n device {gpu}" for g in gemm]}[fault]
    print(*sorted(want), sep="\n", file=open(f"want-{seed}", "w"))
P
    for seed in $(seq 0 19); do
        mkdir "$seed" && mv "node-$seed.json" "$seed/node.json" && mv "link-$seed.txt" "$seed/link.txt"
        abdb accept "$seed" --set device=H100-SXM --set devices=8 --set nodes=1 --json >"$seed.json" 2>/dev/null && false
        jq -r '.[] | select(.slow == 1) | [.check, (.unit | sub("\\.[a-z]+"; ""))] | join(", ")' "$seed.json" | sort >"found-$seed"
        diff "want-$seed" "found-$seed" || { echo "seed $seed"; false; }
    done
}

"""write_fleet_records.py NODES PROCESSES SLOW DEVICE TAG: records of two cells; node00 is slower by SLOW, in the second cell."""

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

#!/usr/bin/env python3
"""lying_backend.py - a backend by the protocol that runs nothing, and whose answer is a lie as $WAY names: tests/cli/lying.bats says what
becomes of each."""
import json
import os
import sys
import time

way, verb = os.environ.get("WAY", "honest"), (sys.argv + [""])[1]


def say(kind, **fields):
    print(json.dumps({"kind": kind, **fields}), flush=True)


def random_bits(seed, i):
    """As protocol.md has them."""
    mask = 2**64 - 1
    z = ((seed + 1) * 0xD1342543DE82EF95 + (i + 1) * 0x9E3779B97F4A7C15) & mask
    z = ((z ^ z >> 30) * 0xBF58476D1CE4E5B9) & mask
    z = ((z ^ z >> 27) * 0x94D049BB133111EB) & mask
    return z ^ z >> 31


def digests(seed, n):
    """Those of the rows of a product n x n of the inputs of a seed."""
    a, b = ([[(random_bits(seed + t, i * n + j) >> 60) - 8 for j in range(n)] for i in range(n)] for t in (0, 1))
    weights, columns = [random_bits(seed + 2, j) | 1 for j in range(n)], list(zip(*b))
    c = [[sum(map(int.__mul__, row, column)) for column in columns] for row in a]
    return ["%016x" % (sum(w * x**3 for w, x in zip(weights, row)) % 2**64) for row in c]


def meet_challenge(cell, n, seq):
    """Asks for a seed, prints a sample, and answers, or not as it should."""
    say("ready", cell=cell)
    seed = json.loads(sys.stdin.readline()).get("seed")
    if way != "challenge-early":
        say("sample", cell=cell, seq=seq, t_s=seq * 2e-3, time_s=1e-3)
    if seed:
        rows = digests(seed + (way == "challenge-other-inputs"), n)
        if way == "challenge-half":
            rows[n // 2:] = rows[:n // 2]
        say("answer", cell=cell, seed=seed + (way == "challenge-other-seed"), rows=rows)


def answer(cell, n, challenge):
    ops, size, work = 2.0 * n**3, 12.0 * n * n, {}
    times, at = [1e-3 * (1 + 0.01 * (i % 7)) for i in range(12)], [i * 2e-3 for i in range(12)]
    result = {"error": 0.1, "checked": 1.0, "batch": 1, "verified": "pass"}
    if way == "overlap":
        at = [i * 1e-6 for i in range(12)]
    if way == "backwards":
        at.reverse()
    if way == "bound":
        result["error"] = 5.0
    if way == "unchecked":
        result["checked"] = 0.0
    if way == "steady":
        result |= {"canary_shift": 5.0, "unsteady": False}
    if way == "batch":
        result["batch"], times = 10**9, [1e-12] * 12
    if way == "ops":
        ops *= 10
    if way == "bytes":
        size *= 1000
    if way == "step":  # three steps of the clock
        times = [3e-9] * 12
    if way in ("steady-times", "one-outlier"):  # no spread at all, but for one
        times = [1e-3] * 12
        times[7] = 1.5e-3 if way == "one-outlier" else 1e-3
    if way == "rising":
        times = [1e-3 * (1 + 0.01 * i + 0.001 * (i % 3)) for i in range(40)]
    if way == "two-speeds":
        times = [1e-3 * (1.3 if i * 7 % 5 < 2 else 1) * (1 + 0.001 * (i % 3)) for i in range(40)]
    if way == "scattered":
        times = [1e-3 * (1 + 0.1 * (i * 17 % 41)) for i in range(41)]
    if way in ("rising", "two-speeds", "scattered"):
        at = [i * 8e-3 for i in range(len(times))]
        time.sleep(0.4)
    if way == "beside-others":
        result["canary_s"] = 1.5e-3
    if way == "alone":
        result["canary_s"] = 1e-3
    answers = {"challenge-once": 1}.get(way, 4) if challenge and way.startswith("challenge") else 0
    for i in range(answers):
        meet_challenge(cell, n, i)
    for i, (t, s) in enumerate(zip(times, at)):
        if i >= answers:
            say("sample", cell=cell, seq=i, t_s=s, time_s=t)
    say("result", cell=cell, formula={"formula": "gemm@7", "own-formula": "product@1"}.get(way, "gemm@1"), dtype="f32", ops=ops, bytes=size, prepare_s=0, ceiling="peak_flops", factors={"n": str(n), "provider": "own"}, **result)
    say("end", cell=cell, status="ok", reason="")


if verb not in ("describe", "run"):
    sys.exit("usage: lying_backend.py describe | run")
kernel = {"name": "gemm", "provider": "own", "summary": "a product", "formula": "gemm@1", "parameters": "n", "names": ["n", "dtype", "provider"]}
say("hello", protocol=1, backend="liar", summary="for tests", kernels=[kernel])
say("environment", environment={"library": "none"})
say("device", name=os.environ.get("LIAR_DEVICE", "Liar-1"), devices=1, threads=1, clock="CLOCK_MONOTONIC", clock_resolution_s=1e-9, clock_cost_s=1e-8)
if verb == "run":
    for line in sys.stdin:
        request = json.loads(line)
        say("begin", cell=request["cell"])
        time.sleep(0.02)
        answer(request["cell"], int(request["params"].get("n", "64")), request.get("challenge"))
say("bye")

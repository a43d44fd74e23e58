#!/usr/bin/env python3
"""killed_pushers.py ABDB URL FILE.db... - eight pushers at once, killed at random, ROUNDS times; then each file is pushed to its end.

Says how many were killed. SEED is printed, and may be given.
"""
import os
import random
import signal
import subprocess
import sys
import time

abdb, url, *files = sys.argv[1:]
rounds, seed = int(os.environ.get("ROUNDS", "2")), int(os.environ.get("SEED", str(random.randrange(10**6))))
draw = random.Random(seed)
print(f"seed {seed}", flush=True)
killed = failed = 0
longest = 0.5
for r in range(rounds):
    runs = []
    for k in range(8):
        p = subprocess.Popen([abdb, "push", url, "--db", files[draw.randrange(len(files))]], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        runs.append((time.monotonic() + draw.random() * longest, p))
    begun = time.monotonic()
    for when, p in sorted(runs, key=lambda x: x[0]):
        while time.monotonic() < when and p.poll() is None:
            time.sleep(0.005)
        if p.poll() is None:
            p.send_signal(signal.SIGKILL)
            killed += 1
        said = p.communicate()[1]
        if p.returncode > 0:
            failed += 1
            print(f"failed: {said.decode(errors='replace')}")
    if not r % 10:
        print(f"round {r}: {killed} killed", flush=True)
    longest = min(8, max(0.5, longest * 1.3))
for f in files:
    done = subprocess.run([abdb, "push", url, "--db", f], capture_output=True, text=True)
    if done.returncode:
        failed += 1
        print(f"failed: {done.stderr}")
print(f"{killed} of {8 * rounds} killed, {failed} failed")
sys.exit(1 if failed or not killed else 0)

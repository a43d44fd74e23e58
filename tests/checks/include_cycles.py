#!/usr/bin/env python3
# include_cycles.py - object files that need each other in a circle, one circle a line: include_cycles.py FOLDER, of all objects below it.
import subprocess
import sys
from pathlib import Path

sys.setrecursionlimit(10000)
home, needs, last = {}, {}, ""
root = Path(sys.argv[1])
# not what was made from no source, or from one that is gone
objects = [p for p in sorted(root.rglob("*.o")) if p.relative_to(root).with_suffix(".c").exists()]
listed = subprocess.run(["nm", "-A", *objects], capture_output=True, text=True, check=True).stdout
for line in listed.splitlines():
    path, _, rest = line.partition(":")
    *_, kind, symbol = rest.split()
    name = str(Path(path).relative_to(root).with_suffix("")) if path != last else name
    last = path
    if kind == "U":
        needs.setdefault(name, set()).add(symbol)
    elif kind in "TDBRV":
        home.setdefault(symbol, name)
uses = {a: {home[s] for s in symbols if s in home} - {a} for a, symbols in needs.items()}
index, low, stack, found = {}, {}, [], []


def visit(v):  # Tarjan's strongly connected components
    index[v] = low[v] = len(index)
    stack.append(v)
    for w in sorted(uses.get(v, ())):
        if w not in index:
            visit(w)
        if w in stack:
            low[v] = min(low[v], low[w])
    if low[v] == index[v]:
        circle = stack[stack.index(v):]
        del stack[stack.index(v):]
        if len(circle) > 1:
            found.append(circle)


for v in list(uses):
    if v not in index:
        visit(v)
for circle in found:
    print("; ".join(f"{a} needs {b} ({', '.join(sorted(s for s in needs[a] if home.get(s) == b))[:80]})"
                    for a in circle for b in sorted(uses.get(a, ())) if b in circle))

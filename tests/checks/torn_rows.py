#!/usr/bin/env python3
"""torn_rows.py - a row with a cell put in, or taken away, is rejected by every reader of tables.

usage: torn_rows.py ABDB FIXTURES REGISTRY

For each importer of CSV and each of its fixtures a cell is put into every row, at several places
(at each with THOROUGH=1), and one is taken away. The row, which was accepted before, must be a reject then, and the others of the
file must fare as before. Each line that is wrong is printed; exit 1 if there is one.
"""
import csv
import io
import os
import re
import subprocess
import sys
import tempfile

abdb, fixtures, registry = sys.argv[1:4]
thorough = os.environ.get("THOROUGH")

LLAMA = """build_commit,build_number,cpu_info,gpu_info,backends,model_type,n_prompt,n_gen,avg_ns,stddev_ns,avg_ts,stddev_ts
abc1234,100,Acme CPU,Acme A1,CUDA,llama 7B Q4_0,512,0,1000000,1000,512.5,1.5
abc1234,100,Acme CPU,Acme A1,CUDA,llama 7B Q4_0,0,128,2000000,2000,64.25,
"""
NCCL = """size,count,type,redop,root,time,algbw,busbw,#wrong
1024,256,float,sum,-1,10.5,0.10,0.18,0
2048,512,float,sum,-1,20.5,0.10,0.18,0
"""
LLAMA_TABLE = """  Device 0: Acme A1, compute capability 9.0
| model | size | params | backend | ngl | test | t/s |
| --- | --- | --- | --- | --- | --- | --- |
| llama 7B Q4_0 | 3.56 GiB | 6.74 B | CUDA | 99 | pp512 | 512.50 ± 1.50 |
| llama 7B Q4_0 | 3.56 GiB | 6.74 B | CUDA | 99 | tg128 | 64.25 ± 0.10 |
"""

BATCHED = """|    PP |     TG |   N_KV |   T_PP s | S_PP t/s |   T_TG s | S_TG t/s |
|-------|--------|--------|----------|----------|----------|----------|
|   512 |    128 |      0 |    0.256 |  2000.00 |    2.560 |    50.00 |
|   512 |    128 |    512 |    0.512 |  1000.00 |    3.200 |    40.00 |
"""

# importer: (fixture or text, lines of the header, what --set says)
TABLES = {
    "abdb-csv": [(name, 1, []) for name in ("devices.csv", "prices.csv", "results.csv", "specs.csv", "per.csv")],
    "mlperf-checker-csv": [("checker.csv", 1, [])],
    "mlperf-site-csv": [("site_flat.csv", 1, [])],
    "mlperf-site-pivot": [("site_pivot.csv", 5, [])],
    "rccl-tests-file": [("rccl_tests.csv", 1, [])],
    "llama-batched-bench": [(BATCHED, 0, [])],
    "babelstream": [("babelstream.csv", 1, [])],
    "ml-energy": [("ml_energy_runs.csv", 1, [])],
    "zeus": [("zeus_windows.csv", 1, [])],
    "table": [("catalog.csv", 1, ["--set", "provider=acme"]), ("tables.md", 0, [])],
    "llama-bench": [(LLAMA, 1, []), (LLAMA_TABLE, 0, [])],
    "nccl-tests": [(NCCL, 1, ["--set", "workload=all_reduce"])],
}
# Importers of other things than tables with a header.
OTHERS = ("abdb-jsonl mlperf-summary-json mlperf-cm-json mlperf-log mlperf-storage mlperf-system-power vllm-serving-json nccl-tests-json osu"
          " primus-preflight inferencex dcgm-diag rvs mlperf-accuracy sglang-one-batch hpl aiperf inference-perf llmperf trtexec mamf-finder blas-bench trtllm-bench guidellm lm-eval dcgm-dmon llama-perplexity google-benchmark hyperfine nvbench nvbandwidth cuda-bandwidth-test rocm-bandwidth-test superbench serving-console").split()


def split(text, header):
    """The lines of a file as rows of cells, and how rows become text again."""
    if header:
        delimiter = max(",;\t", key=text.split("\n")[0].count)

        def join(rows):
            out = io.StringIO()
            csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows(rows)
            return out.getvalue()
        return list(csv.reader(io.StringIO(text), delimiter=delimiter)), join
    return ([line.strip("|").split("|") if line.startswith("|") else [line] for line in text.split("\n")],
            lambda rows: "\n".join(r[0] if len(r) == 1 else "|" + "|".join(r) + "|" for r in rows))


def is_row(rows, i, header):
    """Is line i a row of a table, neither header nor text?"""
    if header:
        return i >= header and any(rows[i])
    below = rows[i + 1] if i + 1 < len(rows) else [""]
    dashes = re.compile(r"[\s:-]*-[\s:-]*").fullmatch
    return len(rows[i]) > 1 and any(c.strip() for c in rows[i]) and not all(map(dashes, rows[i])) and not all(map(dashes, below))


def counts(files, words):
    """(accepted, rejected) of each file, imported on trial."""
    found = {}
    for at in range(0, len(files), 400):
        out = subprocess.run([abdb, "import", "--dry-run", "--db", folder + "/t.db", *words, *files[at:at + 400]],
                             capture_output=True, text=True).stdout
        for path, accepted, duplicate, rejected in re.findall(
                r"^(\S+): would keep: .*?(\d+) accepted, (\d+) duplicate, (\d+) rejected", out, re.M):
            found[path] = (int(accepted) + int(duplicate), int(rejected))
    return found


def mutants(rows, i):
    row = rows[i]
    some = sorted({0, 1, len(row) // 2, len(row) - 1}) # of a wide row, but for THOROUGH
    for k in range(len(row) + 1) if thorough else some + [len(row)]:
        yield "put in at %d" % (k + 1), row[:k] + ["7"] + row[k:]
    for k in range(len(row)) if thorough else some:
        yield "taken away at %d" % (k + 1), row[:k] + row[k + 1:]


def check_table(importer, name, header, words):
    text = name if "\n" in name else open(fixtures + "/" + name, encoding="utf-8").read()
    label = importer if "\n" in name else name
    ending = ".csv" if header else ".md"
    rows, join = split(text, header)
    base, lone, torn = folder + "/base" + ending, {}, {}

    open(base, "w").write(join(rows))
    for i in range(len(rows)):
        if not is_row(rows, i, header):
            continue
        path = "%s/without-%d%s" % (folder, i, ending)
        open(path, "w").write(join(rows[:i] + rows[i + 1:]))
        lone[i] = path
        for what, row in mutants(rows, i):
            path = "%s/torn-%d%s" % (folder, len(torn), ending)
            open(path, "w").write(join(rows[:i] + [row] + rows[i + 1:]))
            torn[path] = (i, what)
    found = counts([base, *lone.values(), *torn], words)
    if base not in found or not found[base][0]:
        return ["%s: nothing of it is accepted as it is" % label], 0
    wrong, tried = [], 0
    for path, (i, what) in torn.items():
        accepted, rejected = found.get(lone[i], (0, 0))
        if sum(found[base]) == accepted + rejected:
            continue # the row is another table's, which is passed over
        tried += 1
        if found.get(path) not in ((accepted, rejected + 1), None if accepted else (0, 1)):
            wrong.append("%s line %d: a cell %s: %s accepted and rejected, not %s"
                         % (label, i + 1, what, found.get(path), (accepted, rejected + 1)))
    return wrong, tried


with tempfile.TemporaryDirectory() as folder:
    subprocess.run([abdb, "init", "--db", folder + "/t.db"], check=True, capture_output=True)
    wrong, tried = [], 0
    names = re.findall(r'^FORMAT\(\w+, "([^"]+)"', open(registry, encoding="utf-8").read(), re.M)
    wrong += ["%s: an importer that this test does not know" % n for n in names if n not in TABLES and n not in OTHERS]
    for importer, tables in TABLES.items():
        for name, header, words in tables:
            more, count = check_table(importer, name, header, words)
            wrong += more
            tried += count
    print("\n".join(wrong[:40] + ["%d torn rows of %d were not rejected" % (len(wrong), tried)]))
    sys.exit(bool(wrong) or tried < 300)

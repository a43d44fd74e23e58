"""Recomputes the shipped rows of aiconfigurator out of the unpacked wheel, by DuckDB: each time is that of the Parquet row which
its locator names, each rate follows from shape and time, the fastest of each file and format is shipped, and the best rates are
those that were computed elsewhere before.

usage: aiconfigurator.py FOLDER_OF_THE_WHEEL CSV"""
import csv
import json
import os
import re
import subprocess
import sys

folder = os.path.join(sys.argv[1], "aiconfigurator_core/systems/data")
shipped = list(csv.DictReader(open(sys.argv[2])))
# best TFLOP/s of the package by device and format, computed by others
BEST = {("h100_sxm", "bfloat16"): 956, ("h100_sxm", "fp8"): 1601, ("h200_sxm", "bfloat16"): 940, ("h200_sxm", "fp8"): 1678,
        ("b200_sxm", "bfloat16"): 2102, ("b200_sxm", "fp8"): 3482, ("b200_sxm", "nvfp4"): 5298, ("b300_sxm", "bfloat16"): 2223,
        ("b300_sxm", "fp8"): 3650, ("b300_sxm", "nvfp4"): 5988, ("gb200", "bfloat16"): 2179, ("gb200", "fp8"): 3887,
        ("gb200", "nvfp4"): 5902, ("gb300", "bfloat16"): 2334, ("gb300", "fp8"): 4008, ("gb300", "nvfp4"): 6463,
        ("rtx_pro_6000_server", "bfloat16"): 459, ("rtx_pro_6000_server", "fp8"): 864, ("rtx_pro_6000_server", "nvfp4"): 1537,
        ("l40s", "bfloat16"): 297, ("l40s", "fp8"): 461, ("a100_sxm", "bfloat16"): 299, ("b60", "bfloat16"): 98}
wrong = []


def ask(sql):
    out = subprocess.run([os.environ["ABDB_DUCKDB"], "-no-init", "-batch", "-bail", "-json", "-c", sql], capture_output=True, text=True, check=True)
    return json.loads(out.stdout or "[]")


def close(a, b):
    return abs(float(a) - float(b)) <= 1e-12 * abs(float(b))


products = ask("SELECT filename AS f, gemm_dtype AS d, m, n, k, latency, framework, version, device, kernel_source,"
               " 2.0 * m * n * k / (latency / 1000) AS rate FROM read_parquet('%s/*/gemm/*/*/gemm_perf.parquet', filename = true)"
               " WHERE m = n AND n = k AND m IN (8192, 16384) OR (filename, gemm_dtype, 2.0 * m * n * k / latency) IN"
               " (SELECT (filename, gemm_dtype, max(2.0 * m * n * k / latency)) FROM read_parquet('%s/*/gemm/*/*/gemm_perf.parquet', filename = true)"
               " GROUP BY filename, gemm_dtype)" % (folder, folder))
reduced = ask("SELECT filename AS f, op_name, nccl_dtype AS d, num_gpus AS g, message_size AS size, latency, version, device FROM"
              " read_parquet('%s/*/comm/nccl/*/nccl_perf.parquet', filename = true, union_by_name = true) WHERE op_name = 'all_reduce'" % folder)
gemm = {(p["f"][len(folder) + 1:], p["d"], p["m"], p["n"], p["k"]): p for p in products}
reduce_rows = {(r["f"][len(folder) + 1:], r["d"], r["g"], r["size"]): r for r in reduced}
seen, best = set(), {}
for row in shipped:
    locator = row["locator"]
    if row["workload"].startswith("gemm"):
        path, dtype, m, n, k = re.fullmatch(r"(\S+) «(\w+), m (\d+), n (\d+), k (\d+)»", locator).groups()
        key = (path, dtype, int(m), int(n), int(k))
        real = gemm.get(key)
        if not real:
            wrong.append("not in the wheel: " + locator)
            continue
        seen.add(key)
        rate = 2 * int(m) * int(n) * int(k) / (real["latency"] / 1000)
        if [m, n, k] != [row["factor.m"], row["factor.n"], row["factor.k"]] or row["factor.version"] != real["version"]:
            wrong.append("another shape or version: " + locator)
        if dtype != row["factor.quantization"] or row["factor.kernel_source"] != real["kernel_source"]:
            wrong.append("another format or kernel: " + locator)
        pair = (path.split("/")[0], dtype)
        best[pair] = max(best.get(pair, 0), float(row["value"]))
    else:
        path, dtype, g, size = re.fullmatch(r"(\S+) «all_reduce, (\w+), num_gpus (\d+), message_size (\d+)»", locator).groups()
        real = reduce_rows.get((path, dtype, int(g), int(size)))
        if not real:
            wrong.append("not in the wheel: " + locator)
            continue
        if row["devices"] != g or int(row["factor.message_bytes"]) != 2 * int(size):
            wrong.append("another count or size: " + locator)
        rate = 2 * int(size) * 2 * (int(g) - 1) / int(g) / (real["latency"] / 1000)
    if row["device"] != real["device"] or not close(row["also.time_s"].split()[0], real["latency"]):
        wrong.append("another device or time: " + locator)
    if not close(row["value"], rate):
        wrong.append("%s: %s shipped, %r recomputed" % (locator, row["value"], rate))
wrong += ["not shipped: %s" % (key,) for key in sorted(set(gemm) - seen)]
wrong += ["%s: best %.0f TFLOP/s, %d expected" % (pair, best[pair] / 1e12, value) for pair, value in BEST.items()
          if round(best[pair] / 1e12) != value]
print("\n".join(wrong[:20]) or "%d rows agree" % len(shipped))
sys.exit(bool(wrong))

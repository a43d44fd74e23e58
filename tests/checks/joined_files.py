#!/usr/bin/env python3
"""joined_files.py - two files of one importer, one behind the other, say what both say alone.

usage: joined_files.py ABDB FIXTURES REGISTRY

For each importer of text, CSV or JSON lines any two of its fixtures are joined: values, devices and
factors are those of the two alone, so that no word of the first run is taken for the second's. A
format of one document a file refuses the joined file. Each difference is printed; exit 1 if there
is one.
"""
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

abdb, fixtures, registry = sys.argv[1:4]

BARE_LLAMA = """| model | size | params | backend | ngl | test | t/s |
| --- | --- | --- | --- | --- | --- | --- |
| llama 7B Q4_0 | 3.56 GiB | 6.74 B | CUDA | 99 | tg128 | 64.25 ± 0.10 |
"""
FULL_LLAMA = """ggml_cuda_init: found 1 CUDA devices:
  Device 0: Acme A7, compute capability 9.0
""" + BARE_LLAMA + "\nbuild: abc1234 (100)\n"
CSV_LLAMA = """build_commit,build_number,gpu_info,backends,model_type,n_prompt,n_gen,avg_ts,stddev_ts
abc1234,100,Acme A1,CUDA,llama 7B Q4_0,512,0,512.5,1.5
"""
NEW_CSV_LLAMA = """build_commit,build_number,backends,model_type,n_depth,n_gen,n_prompt,stddev_ts,avg_ts
abc1235,101,CUDA,llama 7B Q4_0,4096,128,0,1.5,64.5
"""
BARE_NCCL = """# size count type redop root time algbw busbw #wrong time algbw busbw #wrong
 1024 256 float sum -1 10.5 0.10 0.18 0 11.5 0.09 0.16 0
"""
FULL_NCCL = """# nThread 1 nGpus 1 minBytes 8 maxBytes 8
# Rank 0 Group 0 Pid 1 on node-a device 0 [0x07] Acme A9
# Rank 1 Group 0 Pid 2 on node-a device 1 [0x0f] Acme A9
""" + BARE_NCCL + "# Out of bounds values : 0 OK\n# Avg bus bandwidth : 0.17\n#\n"
BARE_STREAM = """Function    Best Rate MB/s  Avg time     Min time     Max time
Copy:          220100.5     0.011000     0.010903     0.012500
"""
FULL_STREAM = """STREAM version $Revision: 5.10 $
This system uses 4 bytes per array element.
Array size = 80000000 (elements), Offset = 0 (elements)
Number of Threads counted = 64
""" + BARE_STREAM + "Failed Validation on array a[], AvgRelAbsErr > epsilon (1.000000e-13)\n"
BARE_BABEL = """Function    MBytes/sec  Min (sec)   Max         Average
Copy        210000.000  0.00256     0.00300     0.00270
"""
FULL_OSU = """# OSU MPI-CUDA Allreduce Latency Test v7.4
# Datatype: MPI_INT.
# Size       Avg Latency(us)        Validation
4                       1.61              Pass
"""
BARE_OSU = """# OSU MPI Latency Test v7.4
# Size       Avg Latency(us)
4                       1.61
"""
SERVING = '{"date":"20250101-000000","backend":"vllm","model_id":"m","completed":5,"max_concurrency":4,"request_throughput":1.5,"output_throughput":100.5,"mean_ttft_ms":20}\n'
BARE_SERVING = '{"completed":5,"request_throughput":2.5,"output_throughput":200.5,"mean_ttft_ms":30}\n'
BARE_CONSOLE = """============ Serving Benchmark Result ============
Successful requests:                     5
Output token throughput (tok/s):         200.50
Mean TTFT (ms):                          30.50
"""
TITLED = """**BF16**:

| Accelerator | MAMF | Theory | Efficiency | Best Shape MxNxK | torch version | Notes |
| --- | --- | --- | --- | --- | --- | --- |
| Acme A1 | 794.5 | 989 | 80.3% | 2048x2048x13312 | 2.7 | |
"""
UNTITLED = TITLED[TITLED.index("|"):].replace("794.5", "500.5")

BARE_NVBANDWIDTH = """Running host_to_device_memcpy_sm.
memcpy SM CPU(row) <- GPU(column) bandwidth (GB/s)
           0
 0     54.25
"""
BARE_BANDWIDTH_TEST = """ Device to Host Bandwidth, 1 Device(s)
 PAGEABLE Memory Transfers
   Transfer Size (Bytes)	Bandwidth(GB/s)
   33554432			11.5
"""
BARE_ROCM_BANDWIDTH = """RocmBandwidthTest Version: 2.5.1
          Unidirectional copy peak bandwidth GB/s

          D/D       0         1

          1         24.500    610.250
"""

BARE_TRTLLM = """= PERFORMANCE OVERVIEW
Request Throughput (req/sec):                     2.0000
Total Output Throughput (tokens/sec):             256.0000
"""
BARE_PERPLEXITY = "Final estimate: PPL = 7.5000 +/- 0.1250\n"

BARE_TRTEXEC = "=== Performance summary ===\nThroughput: 100.5 qps\nLatency: min = 1.5 ms, max = 2.5 ms, mean = 2 ms\n"
BARE_MAMF = "Tried  5 shapes => the best outcomes were:\nmean:   35.1 TFLOPS @ 512x256x128 (MxNxK)\n"
FULL_MAMF = "** Dtype: torch.bfloat16\n_CudaDeviceProperties(name='Acme A3', major=9)\nTried  4 shapes => the best outcomes were:\nmean:   70.5 TFLOPS @ 512x256x128 (MxNxK)\n"
FULL_BANDWIDTH_TEST = """ Device 0: Acme A4
 Quick Mode

 Host to Device Bandwidth, 1 Device(s)
 PINNED Memory Transfers
   Transfer Size (Bytes)	Bandwidth(GB/s)
   32000000			26.5
"""
OTHER_BANDWIDTH_TEST = " Quick Mode\n\n" + BARE_BANDWIDTH_TEST
BARE_BLAS = "rocblas-bench -f gemm\ntransA,transB,M,N,K,alpha,lda,beta,ldb,ldc,rocblas-Gflops,us\nN,T,400,400,400,1,400,0,400,400,971.5,131.7\n"

BARE_BATCHED = """|    PP |     TG |    B |   N_KV |   T_PP s | S_PP t/s |   T_TG s | S_TG t/s |      T s |    S t/s |
|-------|--------|------|--------|----------|----------|----------|----------|----------|----------|
|   256 |     64 |    2 |    640 |    0.512 |  1000.00 |    2.560 |    50.00 |    3.072 |   208.33 |
"""
BARE_RVS = "```\n[gst-fp8] [GPU:: 10101] GFLOPS 5000.5 Target GFLOPS: 4000.5 met: TRUE\n"
BARE_PRIMUS = """# Square Gemm Perf

=======Square GEMM TFLOPS =======
| Hostname | Node | Rank | 1024x1024x1024 |
|----------|----------|----------|----------|
| node02 | 0 | 0 | 150.75 |

"""
BARE_DCGM = """|-----  Deployment  --------+------------------------------------------------+
| Denylist                  | Pass                                           |
+-----  Integration  -------+------------------------------------------------+
| PCIe                      | Pass - All                                     |
| Info                      | GPU 0 GPU to Host bandwidth:  11.25 GB/s       |
"""
BARE_HPL = "```\nT/V                N    NB     P     Q               Time                 Gflops\nWR11C2R4       20352   192     1     2            1693.13              3.320e+00\n"
BARE_ZEUS = "start_time,window_name,elapsed_time,gpu0_energy,gpu1_energy,gpu2_energy,gpu3_energy\n1.5,epoch,2.5,100.5,101.5,102.5,103.5\n"
RCCL_LINES = '{"#wrong":"0","algBw":0.5,"busBw":0.75,"gpus":4,"inPlace":0,"name":"AllReduce","redop":"sum","size":1024,"time":2.048,"type":"half"}\n'
RCCL_CSV = """numCycle,collective,ranks,rankspernode,gpusperrank,size,type,redop,inplace,time,algbw,busbw,#wrong
0,"ReduceScatter",1,2,2,1,1024,"half","sum",0,2.5,0.4096,0.2048,"0"
"""

# importer: (fixture or text, what --set says)
STREAMS = {
    "trtllm-bench": ["trtllm_bench.log", BARE_TRTLLM],
    "trtexec": ["trtexec.log", BARE_TRTEXEC],
    "mamf-finder": ["mamf_finder.txt", FULL_MAMF, BARE_MAMF],
    "blas-bench": ["blas_bench.log", BARE_BLAS],
    "primus-preflight": ["primus.md", BARE_PRIMUS],
    "inferencex": ["inferencex.json"],
    "rvs": ["rvs.log", BARE_RVS],
    "dcgm-diag": ["dcgm_diag.txt", BARE_DCGM],
    "inference-perf": ["inference_perf.json"],
    "llmperf": ["llmperf.json"],
    "mlperf-system-power": ["system_power.json", "system_power_examples.jsonl"],
    "llama-perplexity": ["llama_perplexity.log", BARE_PERPLEXITY],
    "llama-bench": ["llama_bench.log", BARE_LLAMA, FULL_LLAMA],
    "llama-bench csv": [CSV_LLAMA, NEW_CSV_LLAMA],
    "llama-bench json": ["llama_bench.jsonl"],
    "llama-batched-bench": ["llama_batched.log", BARE_BATCHED],
    "llama-batched-bench json": ["llama_batched.jsonl"],
    "sglang-one-batch": ["sglang_batch.jsonl"],
    "hpl": ["hpl.out", "hpl_mxp.out", BARE_HPL],
    "nccl-tests": ["nccl_tests.out", BARE_NCCL, FULL_NCCL],
    "rccl-tests-file": ["rccl_tests.json", RCCL_LINES],
    "rccl-tests-file csv": ["rccl_tests.csv", RCCL_CSV],
    "babelstream": ["babelstream.txt", BARE_STREAM, FULL_STREAM, BARE_BABEL],
    "babelstream csv": ["babelstream.csv"],
    "osu": ["osu.txt", FULL_OSU, BARE_OSU],
    "vllm-serving-json": ["serving.json", SERVING, BARE_SERVING],
    "serving-console": ["serving_console.txt", BARE_CONSOLE],
    "abdb-jsonl": ["records.jsonl", "withdrawn.jsonl"],
    "abdb-csv": ["results.csv", "per.csv", "devices.csv", "specs.csv"],
    "mlperf-checker-csv": ["checker.csv"],
    "mlperf-site-csv": ["site_flat.csv"],
    "mlperf-cm-json": ["cm_result.json"],
    "nvbandwidth": ["nvbandwidth.txt", BARE_NVBANDWIDTH],
    "cuda-bandwidth-test": ["bandwidth_test.txt", BARE_BANDWIDTH_TEST, OTHER_BANDWIDTH_TEST],
    "cuda-bandwidth-test modes": [FULL_BANDWIDTH_TEST, OTHER_BANDWIDTH_TEST],
    "rocm-bandwidth-test": ["rocm_bandwidth.txt", BARE_ROCM_BANDWIDTH],
    "superbench": ["superbench.jsonl"],
    "ml-energy json": ["ml_energy_result.json", "ml_energy_images.json"],
    "ml-energy csv": ["ml_energy_runs.csv"],
    "zeus": ["zeus_windows.csv", BARE_ZEUS],
    "table csv": ["catalog.csv"],
    "table": ["tables.md", TITLED, UNTITLED],
}
WORDS = {"nccl-tests": ["--set", "workload=all_reduce"], "dcgm-dmon": ["--set", "workload=burn"], "table csv": ["--set", "provider=acme"]}
# One document, run or export a file.
DOCUMENTS = {
    "aiperf": ["aiperf.json", "genai_perf.csv"],
    "guidellm": ["guidellm.json"],
    "mlperf-accuracy": ["mlperf_accuracy.txt", "accuracy=76.125%, good=609, total=800\n"],
    "dcgm-diag json": ["dcgm_diag.json"],
    "lm-eval": ["lm_eval.json"],
    "dcgm-dmon": ["dcgm_dmon.log"],
    "zeus profile": ["zeus_profile.json"],
    "ml-energy": ["ml_energy_task.json"],
    "mlperf-log": ["mlperf_detail.txt", "mlperf_summary.txt", "mlperf_training.txt"],
    "mlperf-site-pivot": ["site_pivot.csv"],
    "mlperf-summary-json": ["summary.json"],
    "mlperf-storage": ["mlperf_storage.json"],
    "nccl-tests-json": ["nccl_tests.json"],
    "google-benchmark": ["google_benchmark.json"],
    "hyperfine": ["hyperfine.json"],
    "nvbench": ["nvbench.json"],
}


def text_of(name):
    if "\n" in name:
        return name
    text = open(fixtures + "/" + name, encoding="utf-8").read()
    return text if text.endswith("\n") else text + "\n"


def ending_of(name, text):
    return os.path.splitext(name)[1] if "\n" not in name else ".md" if text.startswith("**") else ".txt"


def records_of(db):
    kept = []
    for line in subprocess.run([abdb, "export", "--db", db], capture_output=True, text=True).stdout.splitlines():
        record = json.loads(line)
        for place in ("origin", "locator", "key", "line"):
            record.pop(place, None)
        for result in record.get("result", []):
            result.pop("cell", None)
        kept.append(json.dumps(record, sort_keys=True))
    return kept


def said_by(text, ending, words, known={}):
    """What abdb keeps of a text, without places and keys, sorted; NULL: it is refused."""
    asked = (text, ending, tuple(words))
    if asked not in known:
        for leftover in os.listdir(folder):
            os.remove(folder + "/" + leftover)
        path, db = folder + "/file" + ending, folder + "/t.db"
        shutil.copy(empty.name + "/t.db", db)
        open(path, "w", encoding="utf-8").write(text)
        done = subprocess.run([abdb, "import", "-q", "--db", db, *words, path], capture_output=True, text=True)
        kept = records_of(db)
        known[asked] = (done.returncode not in (0, 5), sorted(set(kept) - built_in))
    return known[asked]


def check_streams(importer, names):
    words = WORDS.get(importer, [])
    for a, b in itertools.product(names, names):
        first, second = text_of(a), text_of(b)
        ending = ending_of(a, first)
        alone = [said_by(first, ending, words), said_by(second, ending_of(b, second), words)]
        joined = said_by(first + second, ending, words)
        # what is published is one statement, however often it stands there
        want, got = set(alone[0][1] + alone[1][1]), set(joined[1])
        what = "%s: %s + %s" % (importer, a.split("\n")[0][:30], b.split("\n")[0][:30])
        if not alone[0][1] or not alone[1][1]:
            yield what + ": nothing is kept of one alone"
        elif joined[0]:
            yield what + ": refused"
        elif want != got:
            yield "%s: %d records differ: lost %.300s, made %.300s" % (
                what, len(want ^ got), sorted(want - got)[:1], sorted(got - want)[:1])


def check_documents(importer, names):
    for name in names:
        text = text_of(name)
        ending = ending_of(name, text)
        refused, kept = said_by(text + text, ending, WORDS.get(importer, ["--set", "model=m"]))
        if not said_by(text, ending, WORDS.get(importer, ["--set", "model=m"]))[1]:
            yield "%s: nothing is kept of %s alone" % (importer, name)
        if not refused or kept:
            yield "%s: two of %s in one file are not refused" % (importer, name)


empty = tempfile.TemporaryDirectory()
subprocess.run([abdb, "init", "--db", empty.name + "/t.db"], check=True, capture_output=True)
built_in = set(records_of(empty.name + "/t.db"))
with tempfile.TemporaryDirectory() as folder:
    wrong = []
    names = re.findall(r'^FORMAT\(\w+, "([^"]+)"', open(registry, encoding="utf-8").read(), re.M)
    tested = {n.split()[0] for n in list(STREAMS) + list(DOCUMENTS)}
    wrong += ["%s: an importer that this test does not know" % n for n in names if n not in tested]
    for importer, files in STREAMS.items():
        wrong += check_streams(importer, files)
    for importer, files in DOCUMENTS.items():
        wrong += check_documents(importer, files)
    print("\n".join(wrong + ["%d differences" % len(wrong)]))
    sys.exit(bool(wrong))

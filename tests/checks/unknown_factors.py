#!/usr/bin/env python3
"""unknown_factors.py - nothing that a file says is dropped: each scalar shows in `abdb compare`.

    unknown_factors.py ABDB FIXTURES FOLDER

For each importer's fixture and each place where it could have a scalar (an object of JSON, a column of a table, a line of settings) two files are
made that differ in one of a name that nobody knows: `compare` must name it among what differs, exit 0. And each scalar that is there is taken
away in turn: against the whole file that must show, too, or the import must say so. Prints a line for each place where it does not, and last
how many were tried.
"""
import concurrent.futures
import csv
import fnmatch
import io
import json
import os
import pathlib
import shutil
import subprocess
import sys

ABDB, FIXTURES, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
ONLY = sys.argv[4:]
NAME = "zz_added"
SETTINGS = {
    "mlperf_detail.txt": ["model=llama", "device=X", "round=v5.0"], "mlperf_summary.txt": ["model=llama", "device=X", "round=v5.0"],
    "mlperf_training.txt": ["device=X", "devices=8"], "mlperf_storage.json": ["round=v1.0", "division=closed", "submitter=S%s"],
}
# Two results of MLPerf with one ID, or of one system, are one: the second file is another submitter's.
OTHER = {"summary.json": [("6.0-", "6.0-9"), ("Acme", "Bolt")], "checker.csv": [("Acme", "Bolt")], "cm_result.json": [("Someone", "Bolt")],
         "site_flat.csv": [("6.0-", "6.0-9"), ("Acme", "Bolt")]}
# Of a file with several kinds of values one is compared.
METRIC = {"system_power.json": ["--metric", "provisioned_power_w"], "rvs.log": ["--metric", "power_w"],
          "lm_eval.json": ["--metric", "accuracy"], "nvbandwidth.json": ["--metric", "bytes_per_s"], "llama_perplexity.log": ["--metric", "perplexity"],
          **{name: ["--metric", "energy_per_token_j"] for name in ("ml_energy_task.json", "ml_energy_result.json", "ml_energy_runs.csv")},
          "zeus_windows.csv": ["--metric", "energy_j"], "zeus_profile.json": ["--metric", "energy_j"],
          "ml_energy_images.json": ["--metric", "energy_per_sample_j"]}
# What a format's importer calls noise, or reads for another purpose: places of objects, columns and lines.
NOISE = {
    "google_benchmark.json": ["benchmarks.family_index", "benchmarks.cpu_time", "benchmarks.run_type", "benchmarks.name", "benchmarks.error_*",
                              "context.date", "context.host_name", "benchmarks.repetition_index", "benchmarks.iterations",
                              "benchmarks.cache_misses", "benchmarks.Mode"],  # the last two stand in one row of several
    "nvbench.json": ["meta.argv*", "meta.version.json*", "meta.version", "benchmarks.states.summaries*", "benchmarks.states.axis_values*", "benchmarks.states.name",
                     "benchmarks.states.is_skipped", "benchmarks.states.skip_reason", "devices.id", "devices.name", "benchmarks.states.device"],  # devices are what is compared
    "nvbandwidth.json": ["nvbandwidth.Hostname", "nvbandwidth.testcases.status", "nvbandwidth.testcases.sum", "nvbandwidth.testcases.error",
                         "nvbandwidth.testcases"],  # the settings of one testcase say more of that one
    "nccl_tests.json": ["args*", "out_of_bounds*", "average_bus_bandwidth*", "results.count", "results.root", "results.in_place.nwrong"],
    "serving.json": ["duration", "request_goodput", "date", "tokenizer_id"],
    "llama_bench.jsonl": ["test_time", "cpu_info", "model_filename", "model_size", "build_*", "backends", "gpu_info", "stddev_*", "avg_ns"],
    "hyperfine.json": ["results.user", "results.system"],
    "system_power.json": ["system_desc_id"],  # the system is what is compared
    "mlperf_storage.json": ["", "runs", "overall.num_benchmark_runs", "overall.train_throughput_stdev*", "runs.*"],  # the score is compared, not its runs
    "summary.json": ["Details", "Code", "Unique ID*", "ColorKey", "p#", "compliance", "Location", "Notes", "Platform", "System", "UsedModel", "host_*",
                     "Processor", "operating_system", "ID", "errors", "Nodes", "inferred", "has_power", "Performance_Units"],  # the last three: as it is where nothing is said
    "cm_result.json": ["git_url", "uid", "url", "compliance", "Location", "notes", "Platform", "SystemName", "Model", "host_*", "operating_system", "Units",
                       "number_of_nodes", "errors", "Accuracy_div_100", "inferred"],
    "checker.csv": ["compliance", "Location", "notes", "Platform", "SystemName", "Model", "host_*", "operating_system", "number_of_nodes", "errors",
                    "Division", "accelerators_per_node", "total_accelerators", "has_power"],  # said by another column, too
    "site_flat.csv": ["Code", "Public ID", "System Name*", "Processor*", "# of*", "Benchmark", "Accelerators per node", "Division/Power",
                      "Total Accelerators *"],
    "babelstream.csv": ["num_times"],
    # sums and counts that follow, telemetry, the name of a phase, times and places; totals only judge rates
    "aiperf.json": ["telemetry_data*", "benchmark_id", "start_time", "*.count", "*.sum", "input_config.phases.name", "benchmark_duration*", "total_osl*",
                    "input_config.phases.exclude_from_results", "input_config.phases.rate", "input_config.phases.requests", "was_cancelled",
                    "request_throughput.unit", "output_token_throughput.unit", "*.std", "input_config.tokenizer.name"],
    # what is noise, or of requests that failed; the second benchmark is told by the first
    "guidellm.json": ["args.target", "args.profile", "args.rate", "benchmarks.config.id_", "benchmarks.config.run_id", "benchmarks.config.run_index",
                      "benchmarks.type_", "benchmarks.scheduler_state*", "*.mode", "*.errored*", "*.count", "*.target", "*.request_totals*", "*.std_dev", "*.request_latency.*.median", "*.p50"],
    # bounds of a mean, and what other counts say
    "llmperf.json": ["name", "timestamp", "*_stddev", "results_error_rate"],
    # of verdicts, which have no value to compare; a number has the GPU that its text names
    "dcgm_diag.json": ["*.warnings*", "*.test_summary*", "*.gpu_id*", "*.entity_group*", "entity_groups.entit*", "*.serial_num"],
    # rates and interactivity that follow from others
    "inferencex.json": ["date", "run_url", "std_ttft", "mean_intvty", "hardware", "metrics.*tput_per_gpu"],
    # display names, curves over time, what follows from other values, and what was measured beside the rates
    "ml_energy_task.json": ["*nickname", "task_display_name", "*.avg_batch_size"],
    "ml_energy_result.json": ["date", "duration", "total_token_throughput", "timeline*", "results*", "completed", "std_ttft_ms", "gpu_model", "steady_state_duration"],
    "ml_energy_images.json": ["date", "avg_time_per_image", "timeline*", "iteration_energy_measurements*"],
    "ml_energy_runs.csv": ["domain", "nickname", "avg_batch_size", "steady_state_duration_seconds"],
    "zeus_windows.csv": ["start_time"],
    "zeus_profile.json": [""],  # the root has the measurements alone
    "lm_eval.json": ["date", "*.alias", "results.group*", "results.summ*", "configs.arc_easy.task", "configs.arc_easy.doc_to_text", "versions*", "n-shot*", "n-samples*", "model_name",
                     "results.*_stderr*", "results", "configs",
                     "results.gsm8k", "results.wikitext"],
}


def run(*words, db=None):
    env = dict(os.environ, ABDB_DB=str(db), ABDB_PATH="/nonexistent", NO_COLOR="1", LC_ALL="C.UTF-8", ABDB_PAGER="cat")
    done = subprocess.run([ABDB, *map(str, words)], env=env, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout + done.stderr


# --- places of a scalar: (name, function of the text and a value that adds it) and (name, function that takes one away) ---
def documents(text):
    """JSON values of a file, and whether they are one a line."""
    out, at, decoder = [], 0, json.JSONDecoder()
    while text[at:].strip():
        at += len(text[at:]) - len(text[at:].lstrip())
        try:
            value, at = decoder.raw_decode(text, at)
            out.append(value)
        except json.JSONDecodeError:  # a damaged line is a reject
            at = text.find("\n", at) + 1 or len(text)
    return out


def write(values):
    return "\n".join(json.dumps(v, indent=None if len(values) > 1 else 1) for v in values) + "\n"


def objects(value, path=""):
    """Every object below, by the names that lead to it."""
    if isinstance(value, dict):
        yield path, value
        for key, inner in value.items():
            yield from objects(inner, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for inner in value:
            yield from objects(inner, path)


def change_json(text, path, change):
    values = documents(text)
    for value in values:
        for at, item in list(objects(value)):
            if at == path:
                change(item)
    return write(values)


def json_places(text):
    paths, members = {}, {}
    for value in documents(text):
        for path, item in objects(value):
            paths[path] = True
            for key, inner in item.items():
                if not isinstance(inner, (dict, list)) and inner is not None:
                    members[path, key] = True
    add = [(p or "", lambda v, p=p: change_json(text, p, lambda o: o.__setitem__(NAME, v))) for p in paths]
    take = [((f"{p}.{k}" if p else k), lambda p=p, k=k: change_json(text, p, lambda o: o.pop(k, None))) for p, k in members]
    return add, take


def csv_places(text):
    delimiter = "\t" if "\t" in text.split("\n")[0] else ","
    rows = list(csv.reader(io.StringIO(text), delimiter=delimiter))

    def written(rows):
        out = io.StringIO()
        csv.writer(out, delimiter=delimiter, lineterminator="\n").writerows(rows)
        return out.getvalue()

    add = [("(column)", lambda v: written([rows[0] + [NAME]] + [r + [str(v)] for r in rows[1:] if r]))]
    take = [(name, lambda c=c: written([r[:c] + r[c + 1:] for r in rows])) for c, name in enumerate(rows[0])]
    return add, take


def mark(text, before, line):
    """The text with a line before each line that begins so."""
    return "".join((line + "\n" if part.startswith(before) else "") + part for part in text.splitlines(True))


def table_places(text, header):
    """Another column of a markdown table."""
    def added(value):
        out = []
        for line in text.splitlines(True):
            if line.startswith("| ---"):
                line = line.rstrip("\n") + " ---: |\n"
            elif line.startswith("|"):
                line = line.rstrip("\n") + (f" {NAME} |\n" if line.startswith(header) else f" {value} |\n")
            out.append(line)
        return "".join(out)
    return [("(column)", added)], []


def console(before, form):
    return lambda text: ([("(line)", lambda v: mark(text, before, form % (NAME, v)))], [])


def mllog(text):
    line = ':::MLLOG {"key": "%s", "value": %s, "time_ms": 5.0, "event_type": "POINT_IN_TIME", "metadata": {}}'
    first = text.split("\n", 1)[0]
    return [("(line)", lambda v: first + "\n" + line % (NAME, v) + "\n" + text.split("\n", 1)[1])], []


FORMS = {
    "google_benchmark.json": json_places, "hyperfine.json": json_places, "nvbench.json": json_places, "nccl_tests.json": json_places,
    "serving.json": json_places, "llama_bench.jsonl": json_places, "mlperf_storage.json": json_places, "summary.json": json_places,
    "cm_result.json": json_places, "babelstream.csv": csv_places, "checker.csv": csv_places, "site_flat.csv": csv_places,
    "llama_bench.log": lambda text: table_places(text, "| model "),
    "babelstream.txt": console("Function", "%s: %s"), "stream.txt": console("Function", "%s = %s"),
    "osu.txt": console("# Size", "# [ %s: %s ]"), "nccl_tests.out": console("0: # Using devices", "0: # %s: %s"),
    "mlperf_detail.txt": mllog, "mlperf_training.txt": mllog,
    "serving_console.txt": console("Benchmark duration", "%s: %s"),
    "inference_perf.json": json_places, "llmperf.json": json_places, "system_power.json": json_places, "vllm_throughput.json": json_places,
    "aiperf.json": json_places, "guidellm.json": json_places, "lm_eval.json": json_places,
    "trtllm_bench.log": console("PP Size", "%s: %s"), "llama_perplexity.log": console("0.00.031.309 I print_info: file type", "print_info: %s = %s"),
    "llama_batched.jsonl": json_places, "llama_batched.log": console("print_info: file type", "print_info: %s = %s"),
    "sglang_batch.jsonl": json_places, "hpl.out": console("trsm_cutoff", "%s from environment variable %s"),
    "hpl_mxp.out": console("   --sloppy-type", "   --%s = %s"),
    "rccl_tests.json": json_places, "rccl_tests.csv": csv_places,
    "superbench.jsonl": json_places, "inferencex.json": json_places, "rvs.log": console("| ROCm version", "| %-32s | %-32s |"), "dcgm_diag.json": json_places, "dcgm_diag.txt": console("| Driver Version", "| %-25s | %-46s |"), "nvbandwidth.txt": console("CUDA Runtime", "%s: %s"),
    "ml_energy_task.json": json_places, "ml_energy_result.json": json_places, "ml_energy_images.json": json_places, "ml_energy_runs.csv": csv_places,
    "zeus_windows.csv": csv_places, "zeus_profile.json": json_places,
    "nvbandwidth.json": json_places, "trtexec.log": console("[07/30/2026-15:30:36] [I] Streams", "[I] %s: %s"),
}


def is_noise(fixture, place):
    return any(fnmatch.fnmatch(place, pattern) for pattern in NOISE.get(fixture, []))


def read_both(fixture, folder, first, second):
    """What the import of both files says, and the comparison of them."""
    said = []
    for tag, text in (("a", first), ("b", second)):
        file = folder / f"{tag}{pathlib.Path(fixture).suffix}"
        for old, new in OTHER.get(fixture, []) if tag == "b" else []:
            text = text.replace(old, new)
        file.write_text(text)
        words = [w for setting in SETTINGS.get(fixture, []) + ["tag=%s"] for w in ("--set", setting.replace("%s", tag))]
        code, out = run("import", file, *words, db=folder / "t.db")
        said.append((code, out.replace(str(file), "FILE").split("\n")))
    # of the counts alone: hints name what the other file has already
    counts = [(code, [line for line in lines if "FILE" in line and " rows" in line or " row:" in line or "left out" in line]) for code, lines in said]
    return counts, run("compare", "tag=a", "tag=b", *METRIC.get(fixture, []), db=folder / "t.db")


def shown_lines(out):
    """What a comparison says, but for the list of what both sides share."""
    return [line for line in out.split("\n") if not line.startswith("same: ")]


def judge(job):
    fixture, kind, place, first, second, folder = job
    folder.mkdir(parents=True)
    shutil.copy(FOLDER / "empty.db", folder / "t.db")
    counts, (code, out) = read_both(fixture, folder, first, second)
    shutil.rmtree(folder)
    if kind == "added":
        line = next((line for line in out.split("\n") if "COMPARABLE EXCEPT" in line and NAME in line), "")
        return None if code == BASE[fixture][0] and f"{NAME} 1|2, meaning unknown" in line.replace(".in_file", "") else f"{fixture}: {place}: added and not said: rc {code}"
    if counts[0] != counts[1]:
        return None
    return None if (code, shown_lines(out)) != BASE[fixture] else f"{fixture}: {place}: taken away and not said"


BASE = {}


def main():
    FOLDER.mkdir()
    run("import", FIXTURES / "babelstream.csv", "--dry-run", db=FOLDER / "empty.db")
    jobs, number = [], 0
    for fixture, places in FORMS.items():
        if ONLY and fixture not in ONLY:
            continue
        text = (FIXTURES / fixture).read_text()
        add, take = places(text)
        same = FOLDER / f"same-{fixture}"
        same.mkdir()
        shutil.copy(FOLDER / "empty.db", same / "t.db")
        _, (code, out) = read_both(fixture, same, text, text + "\n")
        BASE[fixture] = code, shown_lines(out)
        for kind, list_of in (("added", add), ("taken", take)):
            for place, make in list_of:
                if is_noise(fixture, place):
                    continue
                number += 1
                pair = (make(1), make(2)) if kind == "added" else (text, make())
                jobs.append((fixture, kind, place, *pair, FOLDER / str(number)))
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        faults = [fault for fault in pool.map(judge, jobs) if fault]
    print(*faults, sep="\n", end="\n" if faults else "")
    print(f"{len(jobs)} scalars of {len(BASE)} fixtures, {len(faults)} dropped")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main())

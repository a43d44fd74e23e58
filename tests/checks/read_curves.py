"""read_curves.py - reads serving curves at latency limits without abdb, to hold its answers against.

    read_curves.py write FOLDER SEED         writes runs of serving systems as JSON files
    read_curves.py ask FOLDER SEED N         prints N questions: a JSON array of abdb_curve_at options
    read_curves.py check FOLDER QUESTIONS ANSWERS
                                             compares; answers: a JSON array of {question, ...}, the rows of abdb_curve_at
"""
import bisect, collections, glob, json, math, random, sys


def write(folder, seed):
    rng = random.Random(seed)
    for system in range(6):
        base, knee = rng.uniform(0.008, 0.03), rng.uniform(20, 90)
        for load in sorted(rng.sample([1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256], rng.randint(5, 10))):
            tpot = base * (1 + load / knee) * rng.uniform(0.93, 1.07)
            ttft = 0.05 + 0.004 * load * rng.uniform(0.8, 1.2) + (load / knee) ** 2 * 0.02
            rate = load / tpot * (1 - 0.4 * load / (load + 150)) * rng.uniform(0.97, 1.03)
            run = {"model_id": f"acme/Model-{system}", "max_concurrency": load, "completed": 10 * load, "num_prompts": 10 * load,
                   "request_rate": "inf", "total_input_tokens": 10240 * load, "total_output_tokens": 2560 * load,
                   "request_throughput": rate / 256, "output_throughput": rate,
                   "mean_tpot_ms": 1000 * tpot, "median_tpot_ms": 970 * tpot, "p90_tpot_ms": 1300 * tpot, "p99_tpot_ms": 1700 * tpot,
                   "median_ttft_ms": 1000 * ttft, "p90_ttft_ms": 2000 * ttft, "p99_ttft_ms": 3000 * ttft}
            with open(f"{folder}/run-{system}-{load}.json", "w") as out:
                json.dump(run, out)


def points(folder, model):
    runs = [json.load(open(path)) for path in glob.glob(f"{folder}/run-*.json")]
    return [r for r in runs if r["model_id"] == model]


def latency(run, metric, percentile):
    name = {50: "median"}.get(percentile, f"p{percentile:g}")
    return run[f"{name}_{metric}_ms"] / 1000


def front(pairs):
    """Pairs of latency and rate that no other pair matches in both."""
    kept = [(x, y) for x, y in pairs if not any((a <= x and b >= y) and (a < x or b > y) for a, b in pairs)]
    return sorted(set(kept))


def slopes(x, y):
    h = [b - a for a, b in zip(x, x[1:])]
    d = [(y[i + 1] - y[i]) / h[i] for i in range(len(h))]
    if len(h) == 1:
        return [d[0], d[0]]

    def end(h0, h1, d0, d1):
        m = ((2 * h0 + h1) * d0 - h0 * d1) / (h0 + h1)
        if m * d0 <= 0:
            return 0.0
        return 3 * d0 if d0 * d1 <= 0 and abs(m) > abs(3 * d0) else m

    inner = []
    for i in range(1, len(h)):
        if d[i - 1] * d[i] <= 0:
            inner.append(0.0)
        else:
            w1, w2 = 2 * h[i] + h[i - 1], h[i] + 2 * h[i - 1]
            inner.append((w1 + w2) / (w1 / d[i - 1] + w2 / d[i]))
    return [end(h[0], h[1], d[0], d[1])] + inner + [end(h[-1], h[-2], d[-1], d[-2])]


def between(line, at, method):
    x, y = [p[0] for p in line], [p[1] for p in line]
    i = min(bisect.bisect_right(x, at), len(x) - 1) - 1
    h = x[i + 1] - x[i]
    t = (at - x[i]) / h
    if method == "linear":
        return y[i] + t * (y[i + 1] - y[i])
    m = slopes(x, y)
    return ((2 * t**3 - 3 * t**2 + 1) * y[i] + (t**3 - 2 * t**2 + t) * h * m[i] + (-2 * t**3 + 3 * t**2) * y[i + 1] + (t**3 - t**2) * h * m[i + 1])


def answer(folder, question):
    """(rate or None, standing, errors of the binding limit)"""
    runs, percentile, method = points(folder, question["model"]), question["percentile"], question["between"]
    limits = {word.split("=")[0]: float(word.split("=")[1]) for word in question["at"].split(",")}
    keep = [r for r in runs if all(latency(r, m, percentile) <= limit for m, limit in limits.items())]
    lines = {m: front([(latency(r, m, percentile), r["output_throughput"]) for r in runs]) for m in limits}
    if not keep:
        return None, None, None
    if method == "step":
        beyond = all(limit > lines[m][-1][0] for m, limit in limits.items())
        return max(r["output_throughput"] for r in keep), "clamped" if beyond else "within", []
    rates = {}
    for m, limit in limits.items():
        line = lines[m]
        rates[m] = line[-1][1] if limit >= line[-1][0] else between(line, limit, method)
    binding = min(rates, key=lambda m: (rates[m], limits[m] > lines[m][-1][0], m != "ttft"))
    line = lines[binding]
    errors = [abs(between(line[:i] + line[i + 1:], line[i][0], method) / line[i][1] - 1) for i in range(1, len(line) - 1)]
    return rates[binding], "clamped" if limits[binding] > line[-1][0] else "within", errors


def ask(folder, seed, n):
    rng = random.Random(seed)
    questions = []
    for i in range(n):
        model = f"acme/Model-{i % 6}"
        percentile = rng.choice([50, 90, 99])
        at = []
        for metric in rng.choice([["tpot"], ["ttft"], ["tpot", "ttft"]]):
            seen = [latency(r, metric, percentile) for r in points(folder, model)]
            at.append(f"{metric}={rng.choice([rng.uniform(0.5 * min(seen), 1.5 * min(seen)), rng.uniform(min(seen), 1.2 * max(seen)), rng.choice(seen)])!r}")
        questions.append({"selection": f"model={model}", "model": model, "at": ",".join(at), "percentile": percentile,
                          "between": ["step", "linear", "monotone"][i // 2 % 3]})
    return questions


def check(folder, questions, answers):
    given, seen, bad = {a["place"]: a for a in answers}, collections.Counter(), 0
    for place, question in enumerate(questions):
        got, (rate, standing, errors) = given[place], answer(folder, question)
        seen["refused" if rate is None else standing, question["between"]] += 1
        slack = 1e-9 if question["between"] == "step" else 1e-6
        if rate is None:
            good = got["value"] is None and got["why"] and " over concurrency " in got["why"]
        else:
            mine = json.loads(got["errors"] or "[]")
            good = (got["value"] is not None and math.isclose(got["value"], rate, rel_tol=slack) and got["standing"] == standing
                    and len(mine) == len(errors) and all(math.isclose(a, b, rel_tol=1e-6, abs_tol=1e-9) for a, b in zip(mine, errors)))
        if not good:
            bad += 1
            print(question, "wanted", rate, standing, errors, "got", got)
    print(dict(seen))
    return bad or len(questions) != len(answers)


if __name__ == "__main__":
    if sys.argv[1] == "write":
        write(sys.argv[2], int(sys.argv[3]))
    elif sys.argv[1] == "ask":
        print(json.dumps(ask(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]))))
    else:
        sys.exit(check(sys.argv[2], json.load(open(sys.argv[3])), json.load(open(sys.argv[4]))))

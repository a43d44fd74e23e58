#!/usr/bin/env bats
# curves.bats - serving curves over load: which points belong to one, what each delivers within latency limits, and who may meet whom.
load common

setup_file() {
    export curves=$BATS_FILE_TMPDIR
    mkdir -p "$curves/runs"
    python3 "$BATS_TEST_DIRNAME/../checks/read_curves.py" write "$curves/runs" 7
    PATH=$BATS_TEST_DIRNAME/../../${BUILD:-build}:$PATH
    abdb import -q --db "$curves/curves.db" "$BATS_TEST_DIRNAME/../../data"
    abdb import -q --db "$curves/curves.db" "$curves/runs" --set device=H200-SXM --set devices=8 --set dtype=fp8
}
with_curves() { cp --reflink=auto "$curves/curves.db" "$ABDB_DB"; }
# point TAG DEVICE CONCURRENCY TOKENS_PER_S TPOT_P99_S [JQ]: one point of a curve as a record; JQ changes it.
point() {
    jq -nc --arg tag "$1" --arg device "$2" --arg load "$3" --argjson rate "$4" --argjson tpot "$5" '{record: "entry", field: {evidence: "measured",
        kind: "run", source: "mine", workload: "serving", model: "mine", scenario: "serving", device: $device, devices: "8", nodes: "1", dtype: "fp8", tag: $tag},
        factor: {concurrency: $load, input_tokens: "1024", output_tokens: "1024"}, result: [{metric: "tokens_per_s", statistic: "value", value: $rate, unit: "token/s"},
        {metric: "tpot_s", statistic: "p99", value: $tpot, unit: "s"}]}' | jq -c "${6:-.}"
}
mine() { echo '{"record":"source","source":"mine","kind":"measured","title":"mine"}'; }

@test "60 questions have the answers, errors and refusals of an independent program on the same files" {
    with_curves
    python3 "$root/tests/checks/read_curves.py" ask "$curves/runs" 11 60 >questions.json
    abdb query --json "SELECT q.key AS place, c.* FROM json_each('$(cat questions.json)') q, abdb_curve_at(q.value) c" >answers.json
    run python3 "$root/tests/checks/read_curves.py" check "$curves/runs" questions.json answers.json
    fails 0 "clamped"
    [[ $output == *refused* ]]
}

@test "a factor of the curve table separates two curves; a factor of one point does not" {
    { mine
      for load in 1 2 4; do
          point a H100-SXM $load "$((100 * load))" "0.0$load" ".factor.num_prompts = \"$((10 * load))\" | .factor.input_tokens = \"102$load\""
      done
      point a H100-SXM 8 700 0.05 '.factor.speculative = "eagle"'
      point a H100-SXM 8 600 0.05 '.factor.dataset = "sharegpt"'
      point a H100-SXM 8 500 0.05 '.factor.kv_cache_dtype = "fp8"'
      point a H100-SXM 8 400 0.05 '.factor.input_tokens = "8192"'
      point a H100-SXM 8 300 0.05 '.factor.disaggregated = "yes"'
      point a H100-SXM 8 201 0.05 '.factor.request_rate = "3"'
      point b H100-SXM 8 900 0.05
      point a H100-SXM 16 950 0.08 '.field.dtype = "fp4"'
      point a H200-SXM 16 950 0.08
      point a H100-SXM 16 950 0.08 'del(.result[1])'; } >own.jsonl
    abdb import -q "$root/data/rules" own.jsonl
    same "$(ask "SELECT count(*) FROM v_curve")" 12
    same "$(ask "SELECT group_concat(n, ' ') FROM (SELECT count(*) AS n FROM v_curve GROUP BY curve ORDER BY n DESC)")" "3 1 1 1 1 1 1 1 1 1"
    same "$(ask "SELECT DISTINCT load_kind FROM v_curve WHERE tokens_per_s = 201")" request_rate
    same "$(ask "SELECT count(*) FROM v_curve c JOIN v_result r USING (result_id) WHERE r.key = c.key AND r.value = c.tokens_per_s")" 12
}

@test "compare and rank read each side at the limit and ignore the difference in load" {
    { mine
      for load in 1 2 4 8; do
          point a H100-SXM $load "$((100 * load))" "0.0$load"
          point b H200-SXM $((2 * load)) "$((300 * load))" "0.0$load"
      done; } >own.jsonl
    abdb import -q "$root"/data/*.csv "$root/data/rules" own.jsonl
    run abdb compare tag=a tag=b --at tpot=50ms
    fails 0 "3.00x"
    [[ $output == *"A within the limits by curve of 4 points, concurrency 4: TPOT p99 = 40 ms"* ]]
    [[ $output == *"B within the limits by curve of 4 points, concurrency 8: TPOT p99 = 40 ms"* ]]
    same "$(abdb compare tag=a tag=b --at tpot=50ms --json | jq -c 'map([.baseline_value, .contender_value])')" "[[400,1200]]"
    same "$(abdb compare tag=a tag=b --at tpot=60ms --between linear --json | jq -c 'map([.baseline_value, .contender_value])')" "[[600,1800]]"
    same "$(ask "SELECT count(*) FROM abdb_curve_at('{\"selection\": \"work=mine\", \"at\": \"tpot=60ms\", \"between\": \"monotone\"}') a JOIN v_curve l ON l.key = a.key
               JOIN v_curve h ON h.key = a.key_high AND h.curve = l.curve WHERE l.load < h.load")" 2
    same "$(abdb rank work=mine --at tpot=1s --json | jq -c 'map([.device, .value])')" '[["H200-SXM",2400],["H100-SXM",800]]'
    run abdb rank work=mine --at tpot=1s
    fails 0 "clamped at concurrency 8"
    run abdb compare tag=a tag=b --at tpot=5ms
    fails 3 "TPOT p99 10 ms to 80 ms over concurrency 1 to 8"
    run abdb rank work=mine --at tpot=5ms
    fails 3 "TPOT p99 10 ms to 80 ms over concurrency"
    run abdb rank work=mine --at tpot=50ms --percentile 99.9
    fails 3 "TPOT p99.9 is not stated (stated: p99)"
    # a cost reads the same point
    same "$(abdb rank work=mine --at tpot=50ms --per dollar --price 'H100-SXM=3.6 USD/h,H200-SXM=3.6 USD/h' --json | jq -c 'map([.device, (.value / 1e4 | round)])')" '[["H200-SXM",15],["H100-SXM",5]]'
}

@test "choose takes the point of a curve within the limit, and prints whether a curve or a rule met it" {
    with_curves
    run abdb choose acme/Model-0 --tpot 60ms --rate 10k/s --price 'H200-SXM=2.5 USD/h'
    fails 0 "limit kept by curve of 10 points, concurrency"
    best=$(python3 - "$curves/runs" <<'PY'
import glob, json, sys
runs = [json.load(open(p)) for p in glob.glob(sys.argv[1] + "/run-0-*.json")]
print(max(r["output_throughput"] for r in runs if r["p99_tpot_ms"] <= 60))
PY
)
    same "$(abdb choose acme/Model-0 --tpot 60ms --rate 10k/s --price 'H200-SXM=2.5 USD/h' --json | jq ".[0].devices == ((10000 / $best) | ceil) * 8")" true
    run abdb choose acme/Model-0 --tpot 1ms --rate 10k/s --price 'H200-SXM=2.5 USD/h'
    fails 3 "it keeps the latency limit"
    for model in llama2-70b-99 deepseek-r1; do
        run abdb choose "$model" --tpot 50ms --today 2026-11-01
        fails 0 "limit kept by rule of Interactive: TPOT p99 <="
    done
}

@test "the report slo prints each curve and its range, or the reason for a missing answer" {
    with_curves
    run abdb query slo --at tpot=60ms --between linear
    fails 0 "linear between measured points, never beyond them"
    same "$(abdb query slo --at tpot=60ms --json | jq 'map(select(.tokens_per_s)) | length')" "$(abdb query slo --at tpot=60ms --json | jq '6 - (map(select(.why)) | length)')"
    same "$(abdb query slo --at tpot=60ms,ttft=1s --usd-per-hour 2 --json | jq '[.[] | select(.tokens_per_s) | (.usd_per_million * .tokens_per_s * 3600 / 1e6 / 16 - 1 | fabs) < 1e-9] | all')" true
    run abdb query slo --at tpot=60ms --percentile 95
    fails 0 "6 of 6 curves were read at a higher percentile than p95"
    abdb init --db empty.db
    run abdb query slo --db empty.db
    [[ $output == *"no curve is here"* ]]
}

@test "a wrong limit, percentile or method is refused" {
    with_curves
    for wrong in '--at tpot' '--at fast=1s' '--at tpot=5GB' '--at tpot=0' '--at tpot=1s,ttft=x' '--at tpot=1s --percentile mean' '--at tpot=1s --percentile 100' \
        '--at tpot=1s --between cubic' '--percentile 90' '--between linear' '--at tpot=1s --metric ttft_s'; do
        run abdb rank work=acme/Model-0 $wrong
        [ "$status" -eq 2 ] || { echo "$wrong: exit $status: $output"; return 1; }
    done
    run abdb query "SELECT * FROM abdb_curve_at('{')"
    fails 2 "no JSON object"
    run abdb query "SELECT * FROM abdb_curve_at('{}')"
    fails 2 "within which limits"
}

@test "another number format of known quality is compared with its loss of quality, and ranked beside it" {
    { mine
      point a H100-SXM 1 1000 0.01 '.field.model = "llama 8B Q4_0" | .field.dtype = "Q4_0"'
      point b H100-SXM 1 800 0.01 '.field.model = "llama 8B Q4_K - Medium" | .field.dtype = "Q4_K - Medium"'
      point c H100-SXM 1 600 0.01 '.field.model = "llama 8B F16" | .field.dtype = "F16"'; } >own.jsonl
    abdb import -q "$root"/data/*.csv "$root/data/rules" own.jsonl
    run abdb compare tag=a tag=b
    fails 0 "quality unknown|unknown"
    run abdb rank work=serving --by tag --quality 'perplexity<6.4'
    fails 3 "perplexity of llama 8B in "
    { echo evidence,kind,source,workload,model,dtype,metric,statistic,value,unit,locator,factor.corpus,factor.n_ctx
      echo "measured,run,mine,quality,llama 8B,Q4_0,perplexity,value,6.51,1,row 1,wikitext-2,512"
      echo "measured,run,mine,quality,llama 8B,Q4_K - Medium,perplexity,value,6.31,1,row 2,wikitext-2,512"
      echo "measured,run,mine,quality,llama 8B F16,F16,perplexity,value,6.25,1,row 3,wikitext-2,512"; } >quality.csv
    abdb import -q quality.csv
    run abdb compare tag=a tag=b
    fails 0 "quality perplexity 6.51 (wikitext-2, context 512)|perplexity 6.31 (wikitext-2, context 512)"
    [[ $output == *0.80x* ]]
    # at least this quality: one ranking over the formats that keep it
    same "$(abdb rank work=serving --by tag --quality 'perplexity<6.4' --json 2>/dev/null | jq -c 'map([.device, .value, .place])')" '[["b",800,1],["c",600,2]]'
    run abdb rank work=serving --by tag --quality 'perplexity<6.4'
    fails 0 "perplexity 6.51 is not < 6.4"
    same "$(abdb rank work=serving --by tag --quality 'perplexity<6.4' --at tpot=50ms --json 2>/dev/null | jq length)" 2
    # the worst that is known counts; MLPerf demands a share of the reference
    sed -n 1p quality.csv >more.csv
    echo "measured,run,mine,quality,llama 8B,Q4_K - Medium,perplexity,value,6.6,1,row 4,c4,512" >>more.csv
    abdb import -q more.csv
    same "$(abdb rank work=serving --by tag --quality 'perplexity<6.4' --json 2>/dev/null | jq -c 'map(.device)')" '["c"]'
    for wrong in 'speed>1' 'accuracy=1'; do
        run abdb rank work=serving --quality "$wrong"
        fails 2 "wants"
    done
    run abdb rank work=serving --quality 'accuracy>=much'
    fails 2 "'much' is not a number"
}

@test "an MLPerf benchmark guarantees its own accuracy target and no higher one" {
    with_curves
    run abdb rank llama2-70b-99.9 server --quality 'accuracy>=0.999'
    fails 0 "llama2-70b-99.9"
    run abdb rank llama2-70b-99 server --quality 'accuracy>=0.999'
    fails 3 "accuracy 0.99 is not >= 0.999"
}

@test "an envelope holds the same number of users as a search over single systems" {
    with_curves
    python3 - "$curves/runs" >cases <<'PY'
import glob, json, random, sys
rng = random.Random(5)
runs = [json.load(open(p)) for p in glob.glob(sys.argv[1] + "/run-*.json")]
for case in range(20):
    model = f"acme/Model-{case % 6}"
    mine = [r for r in runs if r["model_id"] == model]
    limit = rng.uniform(min(r["p99_tpot_ms"] for r in mine), max(r["p99_tpot_ms"] for r in mine))
    best = max((r for r in mine if r["p99_tpot_ms"] <= limit), key=lambda r: r["output_throughput"])
    price, device_watts, pue, per_rack = rng.choice([2, 2.5, 4]), rng.choice([700, 1000, 1275]), rng.choice([1, 1.25]), rng.choice([4, 8, 32, 72])
    have = {"power": rng.choice([None, 5000, 56000, 1e6]), "racks": rng.choice([None, 1, 3]), "budget": rng.choice([None, 100, 160, 1000])}
    if not any(have.values()):
        have["racks"] = 2
    takes = {"power": 8 * device_watts * pue, "racks": 8 / per_rack, "budget": 8 * price}
    systems = 0
    while all(have[k] is None or (systems + 1) * takes[k] <= have[k] for k in have):
        systems += 1
    binds = next(k for k in have if have[k] is not None and (systems + 1) * takes[k] > have[k])
    options = [f"--model {model} --at tpot={limit!r}ms --price 'H200-SXM={price} USD/h' --device-watts {device_watts} --pue {pue} --devices-per-rack {per_rack}"]
    options += [f"--{dict(power='watts', racks='racks', budget='usd-per-hour')[k]} {v}" for k, v in have.items() if v is not None]
    print(" ".join(options), systems, systems * best["max_concurrency"], binds, sep="\t")
PY
    while IFS=$'\t' read -r options systems users binds; do
        same "$options: $(eval "abdb query envelope $options --json" | jq -r '.[0] | "\(.systems) \(.users) \(.binds)"')" "$options: $systems $users $binds"
    done <cases
    [ "$(cut -f4 cases | sort -u | wc -l)" -eq 3 ]
    # one definition of power for all rows, and it is printed
    run abdb query envelope --watts 1e6 --at tpot=1s
    fails 0 "power: rated, of the devices alone"
    run abdb query envelope --watts 1e6 --at tpot=1s --power measured
    fails 0 "no measured power of it is known"
    run abdb query envelope --at tpot=1s --racks 1
    fails 0 "how many devices a rack holds is not known"
    run abdb query envelope --at tpot=1s
    fails 0 "no envelope"
}

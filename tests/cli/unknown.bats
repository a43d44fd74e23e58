#!/usr/bin/env bats
# unknown.bats - what an importer does not know is kept and said: unknown factors, identifiers, models of one name, files read twice.
load common

llama() { # FILE NAME=VALUE ...: a record of llama-bench with more members
    python3 - "$@" <<'PY'
import json, sys
r = dict(build_commit="b1", build_number=7000, cpu_info="CPU X", gpu_info="NVIDIA GeForce RTX 4090", backends="CUDA", model_filename="m.gguf",
         model_type="gpt-oss ?B F16", model_size=1, model_n_params=20914757184, n_prompt=0, n_gen=128, n_depth=0, test_time="2025-11-24T11:58:50Z",
         avg_ns=640000000, stddev_ns=1, avg_ts=200.0, stddev_ts=1.0, samples_ns=[640000000, 640000001], samples_ts=[200.0, 199.9])
for word in sys.argv[2:]:
    name, value = word.split("=")
    r[name] = json.loads(value)
print(json.dumps(r), file=open(sys.argv[1], "a"))
PY
}

@test "compare shows each scalar of each importer fixture, added or removed" {
    run python3 "$root/tests/checks/unknown_factors.py" "$build/abdb" "$fixtures" work
    echo "$output"
    [ "$status" -eq 0 ]
    [[ "$output" == *" of 50 fixtures, 0 dropped" ]]
}

@test "a differing unknown factor gives COMPARABLE EXCEPT and exit 0; rank keeps one group with a note" {
    llama a.jsonl n_cpu_moe=0 flash_attn=true
    llama b.jsonl n_cpu_moe=36 avg_ts=20 avg_ns=6400000000 flash_attn=true 'limits={"power": 300}'
    abdb import -q a.jsonl --set tag=a
    abdb import -q b.jsonl --set tag=b
    run abdb compare tag=a tag=b --metric tokens_per_s
    fails 0 "COMPARABLE EXCEPT  n_cpu_moe 0|36, meaning unknown"
    fails 0 "unknown on a side: limits.power"
    run abdb compare tag=a tag=b --metric tokens_per_s -o jsonl
    fails 0 'n_cpu_moe 0|36, meaning unknown'
    run abdb rank llama-bench --pick each --metric tokens_per_s
    fails 0 "n_cpu_moe 0|36, meaning unknown"
    same "$(abdb rank llama-bench --pick each --metric tokens_per_s -o csv 2>/dev/null | awk -F, 'NR > 1 && $1' | wc -l)" 2
    # a selection can name it
    same "$(abdb rank llama-bench n_cpu_moe=36 --metric tokens_per_s -o csv 2>/dev/null | awk -F, 'NR > 1 && $1' | wc -l)" 1
    # a known one that differs has its meaning, and one with a field's name does not stand for the field
    llama c.jsonl n_cpu_moe=0 flash_attn=false 'nodes=5'
    abdb import -q c.jsonl --set tag=c
    run abdb compare tag=a tag=c --metric tokens_per_s
    fails 0 "COMPARABLE EXCEPT  flash_attn 1|0"
    [[ "$output" != *"meaning unknown"* && "$output" == *"nodes.in_file"* ]]
}

@test "a factor with another value in every row is left out of the comparison as an identifier" {
    for i in 1 2 3 4; do
        llama a.jsonl n_gen=$((i * 64)) "run_seed=$i" n_cpu_moe=0
        llama b.jsonl n_gen=$((i * 64)) "run_seed=$((i + 10))" n_cpu_moe=9
    done
    abdb import -q a.jsonl --set tag=a
    abdb import -q b.jsonl --set tag=b
    run abdb compare tag=a tag=b --metric tokens_per_s
    fails 0 "COMPARABLE EXCEPT  n_cpu_moe 0|9, meaning unknown"
    [[ "$output" == *"left aside, with another value in every row of their files: run_seed"* ]]
    [[ "$output" != *"run_seed 1|"* ]]
}

@test "two models with one name and different parameters are refused" {
    llama a.jsonl model_n_params=20914757184
    llama b.jsonl model_n_params=116829156672
    abdb import -q a.jsonl --set tag=a
    abdb import -q b.jsonl --set tag=b
    run abdb compare tag=a tag=b --metric tokens_per_s
    fails 3 "NOT COMPARABLE  same-parameters (model_n_params: A 20914757184, B 116829156672"
    # two sizes under one name in a paper, and the same size twice
    h=evidence,kind,source,workload,model,device,devices,metric,value,unit,locator,tag,factor.parameters
    printf '%s\n' $h published,statement,paper,gpt,GPT,H100-SXM,8,tokens_per_s,100,token/s,a,x,7e9 \
        published,statement,paper,gpt,GPT,H100-SXM,8,tokens_per_s,30,token/s,b,y,30e9 \
        published,statement,paper,gpt,GPT,H100-SXM,8,tokens_per_s,101,token/s,c,z,7e9 >p.csv
    abdb import -q p.csv
    run abdb compare tag=x tag=y
    fails 3 "same-parameters-published (parameters: A 7e9, B 30e9"
    run abdb compare tag=x tag=z
    fails 0 "1.01x"
}

@test "a second reading with other --set words is reported, and --replace keeps one reading" {
    echo '{"model_id": "m", "completed": 10, "output_throughput": 400.0, "request_throughput": 2.0, "mean_ttft_ms": 5}' >a.json
    abdb import -q a.json --set devices=2
    run abdb import -q a.json --set devices=4
    fails 0 "a.json: these rows stand there already, read with --set devices=2: both count now; \`abdb import --replace\` with the right words keeps one"
    run abdb import -q --replace a.json --set devices=4
    same "$output" ""
    same "$(sqlite3 t.db "SELECT words FROM artifact WHERE path = 'a.json' AND artifact_id NOT IN (SELECT artifact_id FROM gone_artifact)")" "devices=4"
    # what was withdrawn is printed, whether the reading that stays is new or known
    run abdb import --replace a.json --set devices=2
    fails 0 "a.json: already imported, and counts alone now (1 accepted"
    [[ $output == *"a.json: withdrew 1 row of a.json, read with devices=4"* ]]
    run abdb import --replace a.json --set devices=2
    fails 0 "a.json: already imported, nothing changed"
    [[ $output != *withdrew* ]]
    run abdb import --replace a.json --set devices=8
    fails 0 "a.json: withdrew 1 row of a.json, read with devices=2"
    # the same of two maps, each named by the beginning of its sha256
    printf 'gpu,tps\nH100-SXM,1\nH200-SXM,2\n' >my.csv
    for map in one two; do
        printf 'match gpu tps\nname %s\nsummary x\nset evidence measured\nset workload w\nset model %s\nfield device column gpu\nmetric tokens_per_s column tps unit token/s\n' $map $map >$map.map
        one=$(sha256sum one.map | cut -c1-8)
        run abdb import --map $map.map my.csv
    done
    fails 0 "my.csv: these rows stand there already, read with map $one: both count now; "
    run abdb import --replace --map two.map my.csv
    fails 0 "my.csv: withdrew 2 rows of my.csv, read with map $one"
    # a tag changes nothing that was measured
    sed 's/400/500/' a.json >c.json
    abdb import -q c.json --set tag=x
    run abdb import -q c.json --set tag=y
    same "$output" ""
    # what the file says itself no word changes
    llama d.jsonl
    abdb import -q d.jsonl --set devices=2
    run abdb import -q d.jsonl --set devices=4
    same "$output" ""
}

@test "a wide table loses no column, and columns without room are counted" {
    wide() { # COLUMNS LAST
        python3 -c "
print('Card,Rate,' + ','.join(f'c{i}' for i in range($1)))
print('L4,12,' + ','.join(['1'] * ($1 - 1)) + ',$2')"
    }
    printf 'name mine\nmatch Card Rate\nfield device column Card\nset workload mine\nset evidence measured\nmetric tokens_per_s column Rate unit token/s\n' >my.map
    wide 500 1 >a.csv
    wide 500 2 >b.csv
    abdb import -q --map my.map a.csv --set tag=a
    abdb import -q --map my.map b.csv --set tag=b
    run abdb compare tag=a tag=b
    fails 0 "COMPARABLE EXCEPT  c499 1|2, meaning unknown"
    python3 -c "
import json
r = dict(model_id='m', completed=10, output_throughput=400.0, request_throughput=2.0, mean_ttft_ms=5, more={f'f{i}': i for i in range(2000)})
print(json.dumps(r))" >w.json
    run abdb import w.json --set device=L4 --set devices=1
    fails 0 "w.json: factors left out, beyond 640 an entry: "
}

@test "serving: every statistic of the file is stored, and lists of single requests are summed up" {
    echo '{"model_id": "m", "backend": "vllm", "completed": 4, "output_throughput": 400.0, "request_throughput": 2.0, "mean_ttft_ms": 5, "std_ttft_ms": 1,
      "p25_ttft_ms": 2, "p80_ttft_ms": 7, "mean_e2e_latency_ms": 90, "p99_e2e_latency_ms": 95,
      "ttfts": [0.001, 0.002, 0.003, 0.008], "input_lens": [5, 9, 7, 6], "generated_texts": ["a", "b", "c", "d"], "cards": ["A", "B"]}' >v.json
    abdb import -q v.json --set device=L4 --set devices=1
    same "$(sqlite3 t.db "SELECT group_concat(statistic || ' ' || round(value, 6) || ' ' || coalesce(n, ''), ', ') FROM (SELECT * FROM v_result
        WHERE metric = 'ttft_s' ORDER BY statistic)")" "max 0.008 4, mean 0.005 , min 0.001 4, p25 0.002 , p80 0.007 "
    same "$(sqlite3 t.db "SELECT low || ' ' || high || ' ' || spread FROM v_result WHERE metric = 'ttft_s' AND statistic = 'mean'")" "0.004 0.006 sd"
    same "$(sqlite3 t.db "SELECT group_concat(statistic, ' ') FROM (SELECT * FROM v_result WHERE metric = 'latency_s' ORDER BY 1)")" "mean p99"
    same "$(sqlite3 t.db "SELECT group_concat(factor || '=' || text, ' ') FROM (SELECT * FROM point_factor WHERE factor LIKE 'input_lens%' OR factor = 'cards'
        OR factor LIKE 'gen%' ORDER BY 1)")" "cards=A, B input_lens.max=9 input_lens.min=5"
}

@test "explain and verify follow the key of an older reading to its successor" {
    for n in 1 2 3; do
        echo "{\"model_id\": \"m\", \"completed\": 10, \"output_throughput\": ${n}00.0, \"request_throughput\": $n, \"mean_ttft_ms\": 5, \"median_tpot_ms\": $n, \"max_concurrency\": $n}"
    done >v.jsonl
    abdb import -q v.jsonl --set device=H100-SXM --set devices=1
    key=$(ask "SELECT key FROM v_result WHERE metric = 'tokens_per_s' AND value = 300")
    abdb plot latency-throughput --out old.svg
    cp t.db t2.db
    # as if that had been read without a member that this version reads
    reread() { # what the bytes of today are was read by an older version
        sqlite3 "$ABDB_DB" "UPDATE artifact SET importer = importer - 1, sha256 = '$(sha256sum <v.jsonl | cut -c1-64)' WHERE path = 'v.jsonl'"
        abdb import -q --refresh
    }
    sed -i 's/"completed"/"tensor_parallel_size": 8, "completed"/' v.jsonl
    reread
    new=$(ask "SELECT key FROM v_result WHERE metric = 'tokens_per_s' AND value = 300")
    [ "$key" != "$new" ]
    run abdb explain "$key"
    fails 0 "$new"
    fails 0 "$key was withdrawn"
    run abdb explain "${key%-*}" # of a run: all of its results
    fails 0 "$new"
    run abdb verify old.svg
    fails 0 "still give this figure"
    # another value is another figure
    sed -i 's/300.0/350.0/' v.jsonl
    export ABDB_DB=$PWD/t2.db
    reread
    run abdb verify old.svg
    [ "$status" -eq 1 ]
    [[ "$output" == *350* ]]
}

#!/usr/bin/env bats
# realdata.bats - real files of others: counts, and values checked by hand at their line or cell.
load common

results() { # closed datacenter results of a round: one per result, not per metric
    ask "SELECT count(*) FROM v_result WHERE round = '$1' AND division = 'closed' AND system_type = 'datacenter' AND metric_class = 'performance'"
}

@test "v6.0 checker CSV: all 520 rows are counted, with values at their lines" {
    need_realdata mlperf-inference-checker-csv
    run abdb import "$realdata/mlperf-inference-checker-csv/v6.0_full_round_summary.csv"
    fails 0 "520 rows: 520 accepted, 0 duplicate, 0 rejected, 0 ignored"
    same "$(ask "SELECT accepted + duplicate + rejected + ignored FROM v_artifact WHERE artifact LIKE '%v6.0_full%'")" 520
    same "$(ask "SELECT value, raw_device, devices, nodes, dtype, flags FROM v_result WHERE locator = 'line 2' AND metric = 'tokens_per_s'")" \
        "785522,AMD Instinct MI355X 288GB HBM3e (x87),88,11,fp4,not-inferred:value"
    same "$(ask "SELECT value FROM v_result WHERE locator = 'line 2' AND metric = 'accuracy.rougel'")" 28.9124
    same "$(results v6.0)" 451
}

@test "checker CSVs of every generation are imported, or refused with a reason" {
    need_realdata mlperf-inference-checker-csv
    cd "$realdata/mlperf-inference-checker-csv"
    run abdb import v0.7_Inspur_results_summary.csv
    fails 0 "53 rows: 53 accepted"
    same "$(ask "SELECT value, raw_unit, unit, flags FROM v_result WHERE locator = 'line 3' AND metric = 'latency_s'")" "0.000660157,,s,unit-inferred"
    run abdb import v0.7_NVIDIA_results_summary.csv --set round=v0.7 --set submitter=NVIDIA
    fails 0 "260 rows: 260 accepted"
    same "$(ask "SELECT value, statistic FROM v_result WHERE locator = 'line 3' AND submitter = 'NVIDIA'")" "0.035284801,p90"
    run abdb import v1.0_HPE_results_summary.csv --set round=v1.0
    fails 0 "30 rows: 30 accepted"
    same "$(ask "SELECT value, unit, model FROM v_result WHERE locator = 'line 4' AND round = 'v1.0'")" "14060.7,sample/s,bert-99"
    run abdb import v4.1_open_NeuralMagic_summary.csv
    fails 0 "5 rows: 5 accepted"
    same "$(ask "SELECT raw_device, devices, metric FROM v_result WHERE locator = 'line 3' AND round = 'v4.1' AND metric_class = 'performance'")" "Intel(R) Xeon(R) w7-2495X,1,tokens_per_s"
    run abdb import v5.1_GigaComputing_summary.csv
    fails 0 "18 rows: 18 accepted"
    run abdb import v5.1_stray_MangoBoost_summary.csv
    fails 0 "12 rows: 12 accepted"
    run abdb import v5.1_CoreWeave_header_only.csv
    fails 0 "0 rows"
    run abdb import v5.1_Azure_empty.csv
    fails 6 "empty (0 bytes)"
}

@test "v5.1 pivots have 554 results, alone or together, and 557 with summary_results.json" {
    need_realdata mlperf-website-export
    w=$realdata/mlperf-website-export j=$realdata/mlperf-inference-summary-json/summary_results_v5.1.json
    abdb import -q "$w/v5.1_datacenter_pivot_excel.csv"
    same "$(results v5.1)" 554
    same "$(ask "SELECT value, raw_value, unit, locator FROM v_result WHERE public_id = '5.1-0001' AND model = 'llama2-70b-99' AND scenario = 'Offline'")" \
        '27803.9,"27,803.90",token/s,line 9 column 22'
    abdb import -q "$w/v5.1_datacenter_pivot_utf16.csv"
    same "$(results v5.1)" 554
    abdb import -q "$j"
    same "$(results v5.1)" 557
    same "$(ask "SELECT value FROM v_result WHERE public_id = '5.1-0061' AND model = 'llama2-70b-99' AND metric = 'power_w' AND scenario = 'Offline'")" 10400.9988793425
    rm t.db
    abdb import -q "$j" "$w/v5.1_datacenter_pivot_utf16.csv"
    same "$(results v5.1)" 557
    same "$(ask "SELECT value, locator FROM v_result WHERE public_id = '5.1-0001' AND model = 'llama2-70b-99' AND scenario = 'Interactive' AND metric = 'tokens_per_s'")" "8840.42,[0]"
    # the three that only one of the two names: the site calls this 8-chip system 1x
    same "$(ask "SELECT count(*) FROM v_result WHERE submitter = 'University-of-Florida' AND system LIKE '%(1x%' AND devices IS NULL AND flags LIKE '%contradiction%' AND sources = 1")" 3
    same "$(ask "SELECT count(*) FROM v_result WHERE metric_class = 'performance' AND flags LIKE '%unit-disagree%'")" 0
    same "$(ask "SELECT count(*) FROM v_result WHERE metric_class = 'performance' AND flags LIKE '%unit-corrected%'")" 8
}

@test "v6.0 checker and site together have 452 results, in either order" {
    need_realdata mlperf-website-export
    c=$realdata/mlperf-inference-checker-csv/v6.0_full_round_summary.csv
    s=$realdata/mlperf-website-export/v6.0_datacenter_flat_utf16.csv
    abdb import -q "$s"
    same "$(results v6.0)" 443
    same "$(ask "SELECT value, public_id, devices FROM v_statement WHERE locator = 'line 3'")" "1016375,v6.0-0001,"
    abdb import -q "$c"
    same "$(results v6.0)" 452
    one=$(facts)
    same "$(ask "SELECT count(*) FROM v_statement WHERE ' ' || flags || ' ' LIKE '% averaged %'")" 16
    same "$(ask "SELECT count(*) FROM v_statement WHERE flags LIKE '%repeated%'")" 42
    same "$(ask "SELECT count(*) FROM v_result WHERE disagree = 1")" 20
    same "$(ask "SELECT round(min(a.value / b.value)), round(max(a.value / b.value)), count(*) FROM v_result a
        JOIN v_statement b ON b.subject = a.subject AND b.preferred = 0 WHERE a.disagree = 1 AND a.metric = 'tokens_per_s'
        AND b.metric = 'tokens_per_s'")" "128,128,20"
    rm t.db
    abdb import -q "$c" "$s"
    same "$(results v6.0)" 452
    same "$(facts)" "$one"
}

@test "shipped facts beside their original files change no count" {
    need_realdata mlperf-website-export
    abdb import -q "$root/data" "$realdata/mlperf-inference-checker-csv/v6.0_full_round_summary.csv" \
        "$realdata/mlperf-website-export/v6.0_datacenter_flat_utf16.csv" "$realdata/mlperf-website-export/v5.1_datacenter_pivot_excel.csv" \
        "$realdata/mlperf-inference-summary-json/summary_results_v5.1.json"
    same "$(results v6.0) $(results v5.1)" "452 557"
}

@test "the shipped MLPerf facts equal the files that they name" {
    need_realdata mlperf-website-export
    abdb import -q "$root/data/results"
    before=$(ask "SELECT count(*) FROM v_result WHERE metric_class = 'performance' AND round IN ('v5.1', 'v6.0')")
    abdb import -q "$realdata/mlperf-inference-checker-csv/v6.0_full_round_summary.csv" \
        "$realdata/mlperf-website-export/v6.0_datacenter_flat_utf16.csv" "$realdata/mlperf-inference-summary-json/summary_results_v5.1.json"
    # each transcribed statement has a twin with the same source, name, value and ID
    same "$(ask "SELECT count(*) FROM v_statement t WHERE t.artifact LIKE '%/data/results/mlperf-inference-v%' AND t.round IN ('v5.1', 'v6.0')
        AND NOT EXISTS (SELECT 1 FROM v_statement o WHERE o.subject = t.subject AND o.run <> t.run AND o.source = t.source
        AND o.value = t.value AND o.metric = t.metric AND (o.devices = t.devices OR o.flags LIKE '%contradiction%') AND coalesce(o.submitter, '') = coalesce(t.submitter, ''))
        AND t.flags NOT LIKE '%averaged%'")" 0
    [ "$before" -gt 700 ]
}

@test "power exports of the MLPerf results pages are imported with their counts and values" {
    need_realdata mlperf-website-export
    run abdb import "$realdata/mlperf-website-export/v5.0_power_full_data_numbers.csv"
    fails 0 "38 rows: 38 accepted"
    same "$(ask "SELECT value, unit, flags, locator FROM v_result WHERE model = 'gptj-99.9' AND scenario = 'Server' AND metric = 'tokens_per_s' AND locator = 'line 3'")" "14846.7,token/s,power,line 3"
    run abdb import "$realdata/mlperf-website-export/power_training.csv"
    fails 0 "48 rows: 48 accepted"
    same "$(ask "SELECT value, raw_value FROM v_result WHERE metric = 'time_to_train_s' AND locator = 'line 3'")" "3412.14,56.869"
    same "$(ask "SELECT value FROM v_statement WHERE metric = 'energy_j' AND locator = 'line 2'")" 1676757080
    run abdb import "$realdata/mlperf-website-export/power_inference_datacenter_v1.0-v4.0.csv"
    fails 0 "1205 rows: 583 accepted, 609 duplicate, 13 rejected"
}

@test "real llama-bench and serving files have the right counts, and values at their line" {
    need_realdata llama-bench
    abdb import -q "$realdata/llama-bench" "$realdata/vllm-serving-json"
    same "$(ask "SELECT workload, count(DISTINCT entry_id), count(*) FROM v_result GROUP BY workload")" $'llama-bench,28,36\nserving,52,416'
    same "$(ask "SELECT count(*) FROM v_reject")" 0
    same "$(ask "SELECT value, raw_value, dtype, device FROM v_result WHERE scenario = 'prompt' AND locator = 'line 5' AND artifact LIKE '%BF16%rocm-7_2_3__fa1.log'")" \
        "422.28,422.28,BF16,Radeon-8060S"
    same "$(ask "SELECT value FROM v_result WHERE metric = 'ttft_s' AND statistic = 'p99' AND artifact LIKE '%isl1024_osl128_conc16.json'")" 2.077586937993753
    same "$(ask "SELECT count(*), count(DISTINCT artifact) FROM v_result WHERE artifact LIKE '%readme-sample%' AND metric = 'tokens_per_s' AND dtype = 'Q4_K - Medium'")" 6,3
}

@test "real nccl-tests, OSU and BabelStream files have the right counts, and values at their line" {
    need_realdata nccl-tests
    run abdb import "$realdata/nccl-tests" "$realdata/osu" "$realdata/babelstream"
    fails 5 "files refused: 8"
    same "$(ask "SELECT source, count(DISTINCT entry_id) FROM v_result GROUP BY source ORDER BY source")" $'babelstream,146\nmccalpin-stream,4\nnccl-tests,340\nosu-micro-benchmarks,222'
    same "$(ask "SELECT reason FROM v_reject")" "a test without results: it ended before its first row"
    same "$(ask "SELECT device, devices, nodes, verified, raw_value FROM v_result WHERE artifact LIKE '%line161%' AND metric = 'time_s' AND locator = 'line 42 out-of-place'")" "GH200-96GB,8,2,pass,1916.4"
    for n in 0004-N-0001 0016-N-0004; do # what their owners cut out says the same as the log
        abdb import -q --set workload=all_reduce --set device="NVIDIA GH200 120GB" --set devices="$((10#${n%%-*}))" --set nodes="$((10#${n##*-}))" "$realdata/nccl-tests/alps/job-n-0$n.csv"
        same "$(ask "SELECT count(*) FROM (SELECT x, value, devices, nodes, metric FROM v_statement WHERE artifact LIKE '%job-n-0$n.csv' EXCEPT SELECT x, value, devices, nodes, metric FROM v_statement WHERE artifact LIKE '%job-n-0$n-%.out')")" 0
    done
    # busbw as derived from algbw is busbw as stated, to the digits of the table
    same "$(ask "SELECT count(*) > 200, min(abs(n.value - b.value) < 2e7 + 1e-3 * b.value) FROM v_normalised n JOIN v_result r USING (result_id) JOIN v_result b ON b.entry_id = r.entry_id
        AND b.metric = 'busbw_bytes_per_s' WHERE n.formula = 'busbw@1' AND b.value > 1e9")" "1,1"
}

@test "real google-benchmark and NVBench files have the right counts, and values at their place" {
    need_realdata nvbench
    run abdb import "$realdata/google-benchmark" "$realdata/nvbench"
    fails 0 "126 rows: 88 accepted, 0 duplicate, 0 rejected, 38 ignored"
    same "$(ask "SELECT count(*) FROM v_reject")" 8
    same "$(ask "SELECT value, n FROM v_result WHERE source = 'nvbench' AND locator = 'benchmarks[0].states[0]' AND n = 499 AND metric = 'time_s'")" "0.0010034715849794225,499"
    same "$(ask "SELECT DISTINCT value FROM v_result WHERE workload = 'BM_100xFaster'  ORDER BY 1")" $'1e-07\n1e-05'
}

@test "every real file is imported, or refused with a reason" {
    [ -d "$realdata" ] || skip "no $realdata (set ABDB_REALDATA)"
    sh "$root/tests/checks/import_realdata.sh" "$realdata" >walk.txt
    diff "$root/tests/golden/walk.txt" walk.txt
    # nothing is passed over in silence
    same "$(grep -c ': [0-9]* *$' walk.txt)" "$(grep -c 'measurements/.*json: 0 *$\|systems/.*json: 0 *$' walk.txt)"
}

@test "serving and quality: public files, mixed in a folder, without an option" {
    need_realdata serving-quality
    run abdb import "$realdata/serving-quality"
    fails 0 "total: 25 files"
    fails 0 "0 rejected"
    # TSV: a value of each file as it stands there, and how many results come of it
    while IFS=$'\x1f' read -r file _ _ _ metric statistic value count flags; do
        same "$file $(ask "SELECT count(*) FROM v_result WHERE artifact LIKE '%$file'")" "$file $count"
        [ -z "$metric" ] ||
            same "$file $(ask "SELECT count(*) FROM v_result WHERE artifact LIKE '%$file' AND metric = '$metric' AND statistic = '$statistic' AND abs(value / $value - 1) < 1e-12 AND coalesce(flags, '') = '$flags'")" "$file 1"
    done < <(tail -n +2 "$root/tests/checks/serving_quality.tsv" | tr '\t' '\037')
    same "$(ask "SELECT model, dtype, devices FROM v_result WHERE value = 3.563")" "deepseek2 671B IQ2_K_R4 - 2.375 bpw,IQ2_K_R4 - 2.375 bpw,1"
    same "$(ask "SELECT DISTINCT model, dtype, devices FROM v_result WHERE source = 'trtllm-bench'")" "meta-llama/Llama-3.1-70B-Instruct,fp8,8"
    same "$(ask "SELECT load_kind, load FROM v_curve WHERE source = 'guidellm'")" "request_rate,10"
}

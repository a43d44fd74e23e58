#!/usr/bin/env bats
# rows.bats - the right row: which statement stands for a result of MLPerf, and what all of them say together.
load common

checker="Organization,Availability,Division,SystemType,SystemName,Platform,Model,MlperfModel,Scenario,Result,Accuracy,number_of_nodes,host_processor_model_name,host_processors_per_node,host_processor_core_count,accelerator_model_name,accelerators_per_node,Location,framework,operating_system,notes,compliance,errors,version,inferred,has_power,Units"
# Rows of the submission checker: MODEL SCENARIO RESULT ROUND INFERRED UNITS each.
checker() {
    echo "$checker"
    while read -r model scenario result round inferred units; do
        echo "Someone,available,closed,datacenter,Box 9000,box,$model,$model,$scenario,$result,,1,Some CPU,2,64,NVIDIA H100-SXM-80GB,8,closed/Someone,rt 1,Linux,,1,0,$round,$inferred,False,$units"
    done
}

@test "inferred: none of the 53 Interactive rows of v6.0 is inferred, by their unique values" {
    need_realdata mlperf-inference-checker-csv
    abdb import -q "$realdata/mlperf-inference-checker-csv/v6.0_full_round_summary.csv"
    same "$(ask "SELECT flags, count(*) FROM v_mlperf WHERE scenario = 'Interactive' GROUP BY 1")" "not-inferred:value,53"
    same "$(ask "SELECT DISTINCT inferred FROM v_comparable WHERE scenario = 'Interactive' AND metric_class = 'performance'")" no
    # a folder 'multistream' that LoadGen calls MultiStream: the column cannot tell, nor can anything else
    same "$(ask "SELECT DISTINCT inferred FROM v_comparable WHERE scenario = 'MultiStream' AND metric_class = 'performance' AND flags <> ''")" perhaps
}

@test "inferred: a scenario is judged by equal values, by the log, and last by the column" {
    checker >a.csv <<<"llama2-70b-99 Server 20000.5 v6.0 0 Tokens/s
llama2-70b-99 Interactive 20000.5 v6.0 1 Tokens/s
mixtral-8x7b Server 300.5 v6.0 0 Tokens/s
mixtral-8x7b Interactive 200.5 v6.0 1 Tokens/s
deepseek-r1 Interactive 100.5 v6.0 1 Tokens/s
resnet Offline 50.5 v6.0 1 Samples/s"
    abdb import -q a.csv
    same "$(ask "SELECT model, scenario, flags FROM v_mlperf WHERE flags <> '' ORDER BY 1")" \
        $'deepseek-r1,Interactive,inferred:unknown\nllama2-70b-99,Interactive,inferred:value\nmixtral-8x7b,Interactive,not-inferred:value\nresnet,Offline,inferred:column'
    same "$(ask "SELECT model, inferred FROM v_comparable WHERE metric_class = 'performance' AND scenario <> 'Server' ORDER BY 1")" \
        $'deepseek-r1,perhaps\nllama2-70b-99,yes\nmixtral-8x7b,no\nresnet,yes'
}

@test "inferred: the log takes precedence over the column, and every answer has the reason" {
    r=v5.1/closed/Someone
    mkdir -p $r/systems "$r/results/box/llama2-70b-99/Interactive/performance/run_1"
    cp "$fixtures/mlperf_system.json" $r/systems/box.json
    cp "$fixtures/mlperf_detail.txt" "$r/results/box/llama2-70b-99/Interactive/performance/run_1/mlperf_log_detail.txt"
    checker >a.csv <<<"llama2-70b-99 Interactive 24593.8 v5.1 1 Tokens/s"
    abdb import -q a.csv
    same "$(ask "SELECT flags FROM v_mlperf")" inferred:unknown
    abdb import -q v5.1
    same "$(ask "SELECT source, flags FROM v_mlperf")" mlperf-checker,not-inferred:log
    for q in "rank --workload llama2-70b-99 --scenario Interactive" "query mlperf-llm"; do
        run abdb $q
        fails 0 "1 result was run, not inferred, as the log says"
    done
}

@test "power: a rate and its watts in two rows are one entry, and MaxQ is a power submission" {
    need_realdata mlperf-website-export
    run abdb import "$realdata/mlperf-website-export/power_inference_datacenter_v1.0-v4.0.csv"
    fails 0 "1205 rows: 583 accepted, 609 duplicate, 13 rejected"
    same "$(ask "SELECT count(*), count(DISTINCT entry_id) FROM v_result WHERE metric = 'power_w'")" 580,580
    same "$(ask "SELECT count(*) FROM v_comparable WHERE metric_class = 'performance' AND power_submission <> 'yes'")" 0
    # line 2: 117002 queries/s, line 3: its 1413.775 W
    same "$(ask "SELECT round(n.value, 4) FROM v_normalised n JOIN v_result r ON r.result_id = n.result_id WHERE n.formula = 'per_watt@1' AND r.value = 117002")" 82.7586
    same "$(ask "SELECT locator FROM witness WHERE entry_id = (SELECT entry_id FROM v_result WHERE value = 117002) ORDER BY 1")" $'line 2\nline 3'
    # before: lines 1142 and 1143, watts first
    same "$(ask "SELECT count(*) FROM v_normalised n JOIN v_result r ON r.result_id = n.result_id WHERE n.formula = 'per_watt@1' AND r.public_id = '4.1-0049'")" 28
}

@test "power: watts belong to the result, with either preferred statement" {
    need_realdata mlperf-inference-summary-json
    abdb import -q "$realdata/mlperf-inference-summary-json/summary_results_v5.1.json"
    watts="SELECT count(*), round(max(n.value), 5) FROM v_normalised n JOIN v_result r ON r.result_id = n.result_id WHERE n.formula = 'per_watt@1' AND r.public_id = '5.1-0061' AND r.model = 'llama2-70b-99'"
    before=$(ask "$watts")
    same "${before%%,*}" 2
    filled "$root/data"
    same "$(ask "$watts")" "$before"
    run abdb rank --workload llama2-70b-99 --scenario Server --per watt --where round=v5.1
    fails 0 "5.1-0061"
}

@test "units: tokens labelled as queries by a checker are stored as tokens" {
    checker >a.csv <<<"llama2-70b-99 Server 29715 v4.1 0 Queries/s
gptj-99 Offline 13096.6 v4.1 0 Samples/s
gptj-99.9 Offline 64.5 v4.0 0 Samples/s
bert-99 Server 9000 v4.1 0 Queries/s"
    abdb import -q a.csv
    same "$(ask "SELECT model, metric, value, raw_unit, flags FROM v_mlperf ORDER BY 1")" \
        $'bert-99,queries_per_s,9000,Queries/s,\ngptj-99,tokens_per_s,13096.6,Samples/s,unit-corrected\ngptj-99.9,samples_per_s,64.5,Samples/s,\nllama2-70b-99,tokens_per_s,29715,Queries/s,unit-corrected'
    run abdb query mlperf-llm --model llama2-70b-99
    fails 0 "29715"
}

@test "averages: a value in a column of averages is marked perhaps until a second source confirms it" {
    abdb import -q "$fixtures/site_flat.csv"
    same "$(ask "SELECT DISTINCT flags FROM v_mlperf WHERE scenario = 'Server'")" perhaps-averaged
    same "$(ask "SELECT DISTINCT averaged FROM v_comparable WHERE scenario = 'Server'")" perhaps
    abdb import -q "$fixtures/checker.csv"
    same "$(ask "SELECT DISTINCT averaged FROM v_comparable WHERE scenario = 'Server' AND metric_class = 'performance'")" no
    same "$(ask "SELECT count(*) FROM v_statement WHERE scenario = 'Server' AND flags LIKE '%perhaps-averaged%'")" 0
}

@test "IDs swapped between sources are a conflict" {
    need_realdata mlperf-website-export
    abdb import -q "$realdata/mlperf-inference-summary-json/summary_results_v5.1.json" "$realdata/mlperf-website-export/v5.1_datacenter_pivot_utf16.csv"
    run abdb audit conflicts --kind id -o csv
    for id in 5.1-0087,mlperf-summary 5.1-0088,mlperf-summary 5.1-0089,mlperf-summary; do [[ "$output" == *"$id"* ]]; done
    same "$(ask "SELECT DISTINCT public_id FROM v_mlperf WHERE flags LIKE '%ids-disagree%' ORDER BY 1")" $'5.1-0087\n5.1-0088\n5.1-0089'
}

@test "quarantine: a file value a million times that of the log is replaced by the log" {
    r=v6.0/closed/Someone
    mkdir -p $r/systems $r/results/box/resnet50/SingleStream/performance/run_1
    cp "$fixtures/mlperf_system.json" $r/systems/box.json
    cp "$fixtures/mlperf_summary.txt" $r/results/box/resnet50/SingleStream/performance/run_1/mlperf_log_summary.txt
    checker >out.csv <<<"resnet50 SingleStream 513395.0 v6.0 0 Latency (ms)"
    abdb import -q out.csv --set system_type=datacenter
    same "$(ask "SELECT value FROM v_mlperf")" 513.395
    abdb import -q v6.0
    same "$(ask "SELECT source, value, disagree, sources FROM v_mlperf")" mlperf-logs,0.000513395,0,1
    same "$(ask "SELECT source, flags FROM v_statement WHERE preferred = 0")" mlperf-checker,quarantined
    run abdb audit conflicts --kind mlperf
    fails 0 "quarantined"
}

@test "facts: accuracies of a document have no accelerator" {
    filled "$root/data"
    same "$(ask "SELECT count(*) FROM v_result WHERE metric = 'accuracy' AND source = 'databricks-gaudi2' AND raw_device = 'CS-2'")" 0
    same "$(ask "SELECT count(*) FROM v_result WHERE metric = 'accuracy' AND source = 'databricks-gaudi2' AND raw_device IS NULL")" 24
}

@test "shipped: training v4.1 to v5.1 and inference v4.1 have their scores, each with its folder" {
    filled "$root/data"
    same "$(ask "SELECT suite, round, count(*) FROM v_mlperf WHERE suite = 'training' OR round = 'v4.1' GROUP BY 1, 2")" \
        $'inference,v4.1,873\ntraining,v4.1,146\ntraining,v5.0,201\ntraining,v5.1,184'
    # the twenty runs of v5.0 that were scored by hand: 20.9643 min x 1.05114638, 28.2687 x 1.03472222
    same "$(ask "SELECT round(value / 60, 4) FROM v_mlperf WHERE round = 'v5.0' AND model = 'llama2_70b_lora' AND submitter = 'AMD' AND device IN ('MI325X', 'MI300X') ORDER BY 1")" $'22.0366\n29.2502'
    same "$(ask "SELECT count(*) FROM v_mlperf WHERE source = 'mlperf-logs' AND url NOT LIKE 'https://github.com/mlcommons/%_results_v%/tree/%'")" 0
    # what vendors' pages and files say of v4.1 are the same results
    same "$(ask "SELECT count(*), sum(disagree) FROM v_mlperf WHERE round = 'v4.1' AND suite = 'inference' AND sources > 1")" 10,0
}

@test "shipped: inference v4.1 is complete, and equals the values of MLCommons" {
    filled "$root/data"
    # of datacenter and edge; ResNet-50, RetinaNet, 3D U-Net, DLRM, BERT, SDXL beside the language models
    same "$(ask "SELECT DISTINCT system_type FROM v_mlperf WHERE suite = 'inference' AND round = 'v4.1' ORDER BY 1")" $'datacenter\nedge'
    same "$(ask "SELECT count(DISTINCT model) FROM v_mlperf WHERE suite = 'inference' AND round = 'v4.1'")" 14
    need_realdata mlperf-inference-cm-json
    abdb import -q "$realdata"/mlperf-inference-cm-json/mlperf-inference--v4.1--*
    # 41 of BERT and 31 of Stable Diffusion XL are among them
    for model in bert-99=41 stable-diffusion-xl=31; do
        same "$(ask "SELECT count(*), sum(disagree) FROM v_mlperf WHERE round = 'v4.1' AND model = '${model%=*}' AND scenario = 'Offline' AND sources > 1")" "${model#*=},0"
    done
    same "$(ask "SELECT count(*) FROM v_mlperf WHERE round = 'v4.1' AND suite = 'inference' AND division = 'closed' AND source = 'mlperf-cm' AND sources = 1")" 0
}

@test "shipped: the training scores equal the logs" {
    need_realdata mlperf-training-round
    abdb import -q "$root/data/results" "$realdata/mlperf-training-round"
    same "$(ask "SELECT count(*) > 25, sum(disagree) FROM v_mlperf m WHERE suite = 'training' AND round = 'v5.0'
        AND (SELECT count(*) FROM subject s WHERE s.subject = m.subject) > 1")" 1,0
    same "$(ask "SELECT count(*) FROM v_mlperf WHERE suite = 'training' AND round = 'v5.0'")" 201
}

@test "training: a result is compared with one of equal scale" {
    filled "$root/data"
    run abdb compare device=B200-SXM device=H100-SXM --where model=llama2_70b_lora
    fails 0 "devices=8    8        533.2 (777.5, 23)  1652.2 (1718.4, 6)  (3.10x)"
    fails 0 "devices=64"
    run abdb compare device=B200-SXM device=H200-SXM --where model=retinanet
    fails 0 "training does not scale in proportion"
}

@test "explain accepts public IDs and printed headings, and shows both facts of a value" {
    filled "$root/data"
    run abdb explain v6.0-0010
    fails 0 "114504.0 Tokens/s   B300-SXM llama2-70b-99 Server"
    same "$(abdb explain 6.0-0010 -o csv 2>/dev/null | wc -l)" "$(abdb explain v6.0-0010 -o csv 2>/dev/null | wc -l)"
    run abdb explain mlperf-llm tokens/s accelerator=B300-SXM --round v6.0 --model llama2-70b-99 --scenario Server
    fails 0 "114504.0 Tokens/s"
    run abdb explain mlperf-llm /chip accelerator=B300-SXM --round v6.0 --model llama2-70b-99 --scenario Server
    fails 0 "14313.0 /chip"
    run abdb explain specs fp8 device=MI300X
    fails 0 "MI300X peak_flops fp8 dense"
    run abdb explain perf-per-dollar exaflop_per_usd device=Gaudi2
    fails 0 "= 1st / 2nd x 3.6e-15"
}

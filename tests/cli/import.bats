#!/usr/bin/env bats
# import.bats - every format by a small file of ours: values down to their line, rejects, errors.
load common

@test "checker CSV: rows are counted, and values have their line" {
    run abdb import "$fixtures/checker.csv"
    fails 0 "7 rows: 3 accepted, 0 duplicate, 4 rejected, 0 ignored"
    same "$(ask "SELECT value, unit, raw_value, raw_unit, locator FROM v_result WHERE scenario = 'Offline' AND metric = 'tokens_per_s' AND submitter = 'Acme' AND devices = 8")" \
        "10000.5,token/s,10000.5,Tokens/s,line 2"
    same "$(ask "SELECT value FROM v_result WHERE metric = 'accuracy.rouge2'")" 22.1
    same "$(ask "SELECT value FROM v_result WHERE metric = 'tokens_per_sample'")" 283
    same "$(ask "SELECT scenario, flags FROM v_result WHERE value = 9000.5")" "Server,not-inferred:value"
    same "$(ask "SELECT DISTINCT text FROM v_factor WHERE factor = 'software' AND text LIKE '%x 2'")" '"rt 1, x 2"'
}

@test "checker CSV: a row without accelerator counts its sockets" {
    abdb import -q "$fixtures/checker.csv"
    same "$(ask "SELECT raw_device, devices, nodes FROM v_result WHERE value = 806.105")" "Some CPU,4,2"
    same "$(ask "SELECT DISTINCT state FROM v_factor WHERE factor = 'accelerator'")" inapplicable
}

@test "checker CSV: a reject keeps line, column, reason and the row" {
    abdb import -q "$fixtures/checker.csv"
    same "$(ask "SELECT line, field FROM v_reject ORDER BY line")" $'4,Result\n5,Units\n6,Result\n7,'
    run abdb query rejects
    fails 0 "about ten"
    fails 0 "unknown unit 'Furlongs/s'"
    fails 0 "6 columns where the header has 29"
}

@test "site export, flat: thousands separators and IDs are read, and rows joined with those of the checker" {
    abdb import -q "$fixtures/site_flat.csv"
    same "$(ask "SELECT value, public_id, round, division, system_type, locator FROM v_result WHERE scenario = 'Server'")" \
        "9000.5,v6.0-0001,v6.0,closed,datacenter,line 3"
    abdb import -q "$fixtures/checker.csv"
    same "$(ask "SELECT count(*) FROM v_result WHERE metric_class = 'performance'")" 3
    same "$(ask "SELECT source, public_id, verified, sources FROM v_result WHERE scenario = 'Server' AND metric_class = 'performance'")" \
        "mlperf-checker,v6.0-0001,yes,2"
    same "$(ask "SELECT model, disagree FROM v_result WHERE model LIKE '%8b%' AND metric_class = 'performance'")" "llama3.1-8b,1"
}

@test "site export, pivot: merged labels and four lines per system are read, with one result per cell" {
    run abdb import "$fixtures/site_pivot.csv"
    fails 0 "8 rows: 2 accepted, 0 duplicate, 0 rejected, 6 ignored"
    same "$(ask "SELECT value, unit, scenario, public_id, locator FROM v_result WHERE value > 9500")" \
        "10000.5,token/s,Offline,6.0-0001,line 9 column 16"
    same "$(ask "SELECT value, model, devices, nodes, locator FROM v_result WHERE public_id = '6.0-0003'")" \
        "123.4,whisper,8,2,line 13 column 18"
}

@test "a site export in UTF-16 with a lone last byte is imported" {
    { printf '\xff\xfe'; tr , '\t' <"$fixtures/site_flat.csv" | sed 's/"9\t000.50"/9000.50/' | iconv -t UTF-16LE; printf '\n'; } >u.csv
    run abdb import u.csv
    fails 0 "3 accepted"
    fails 0 "odd number of bytes"
}

@test "summary_results.json: performance, power and accuracy are stored as one entry" {
    run abdb import "$fixtures/summary.json"
    fails 0 "3 rows: 1 accepted, 0 duplicate, 2 rejected, 0 ignored"
    same "$(ask "SELECT count(DISTINCT run), count(*) FROM v_result")" "1,3"
    same "$(ask "SELECT value, unit, locator FROM v_result WHERE metric = 'power_w'")" "5000.25,W,[0]"
    same "$(ask "SELECT flags FROM v_result WHERE metric = 'power_w'")" power
}

@test "llama-bench: JSON lines with samples are read, damaged ones rejected, and the table of a log read" {
    run abdb import "$fixtures/llama_bench.jsonl"
    fails 0 "4 rows: 2 accepted, 0 duplicate, 2 rejected, 0 ignored"
    same "$(ask "SELECT value, n, low, high, device, model, dtype, scenario, date FROM v_result WHERE metric = 'tokens_per_s' AND locator = 'line 1'")" \
        "8000,3,7875,8125,Acme A1,llama 1B Q4_K - Medium,Q4_K - Medium,prompt,2026-01-02T03:04:05Z"
    same "$(ask "SELECT raw_device, value, raw_value, raw_unit FROM v_result WHERE metric = 'time_s' AND locator = 'line 1'")" "Acme A1,0.064,64000000,ns"
    same "$(ask "SELECT count(*) FROM v_sample")" 3
    same "$(ask "SELECT max(num) FROM v_factor_given WHERE factor = 'n_depth'")" 4096
    same "$(ask "SELECT line, field, reason FROM v_reject ORDER BY line")" $'3,avg_ts,"no rate: avg_ts is missing, zero or no number"\n4,,\':\' expected near end of file'
    run abdb import "$fixtures/llama_bench.log"
    fails 0 "5 rows: 3 accepted, 0 duplicate, 2 rejected, 0 ignored"
    same "$(ask "SELECT value, low, high, raw_value, dtype, scenario FROM v_result WHERE raw_device = 'Acme B2' ORDER BY locator")" \
        $'1500.25,1497.75,1502.75,1500.25,Q8_0,prompt\n80.5,80.25,80.75,80.50,Q8_0,generation\n300,299,301,300.00,Q8_0,prompt and generation'
    same "$(ask "SELECT DISTINCT text FROM v_factor_given WHERE factor = 'software' AND text LIKE '%def%'")" "llama.cpp def5678 (200)"
    same "$(ask "SELECT line, field FROM v_reject WHERE artifact LIKE '%.log' ORDER BY line")" $'8,test\n9,t/s'
    sed 's/ Vulkan  |  99 |           pp512 .*/ Vulkan  |/' "$fixtures/llama_bench.log" >short.log
    run abdb import short.log
    fails 0 "5 rows: 2 accepted, 0 duplicate, 3 rejected" # measured rows of another file are others
    same "$(ask "SELECT line, reason FROM v_reject WHERE artifact LIKE '%short.log' ORDER BY line LIMIT 1")" "5,not as many cells as the table has columns"
}

@test "serving JSON: units and load are read, a run without rate is rejected; rank takes the best load" {
    run abdb import "$fixtures/serving.json" --set device=H200-SXM --set devices=8
    fails 0 "3 rows: 2 accepted, 0 duplicate, 1 rejected, 0 ignored"
    same "$(ask "SELECT metric, statistic, value, raw_value, raw_unit FROM v_result WHERE locator = 'line 8' ORDER BY metric")" \
        $'queries_per_s,value,5.5,5.5,query/s\ntokens_per_s,value,704,704,token/s\ntpot_s,p99,0.08,80,ms\nttft_s,mean,0.5,500,ms'
    same "$(ask "SELECT value, date FROM v_result WHERE locator = 'line 1' AND metric = 'tpot_s' AND statistic = 'p99'")" "0.0625,2026-02-13T07:52:58"
    same "$(ask "SELECT DISTINCT factor, num FROM v_factor_given WHERE factor IN ('concurrency', 'input_tokens', 'output_tokens') ORDER BY 1, 2")" \
        $'concurrency,16\nconcurrency,32\ninput_tokens,1024\noutput_tokens,128'
    same "$(abdb rank --workload serving -o jsonl 2>/dev/null | jq -c '[.value, .of]')" "[704,2]"
    same "$(abdb rank --workload serving --where 'tpot_s:p99 < 0.07' --per device -o jsonl 2>/dev/null | jq -c '[.value, .of, .metric]')" '[50,1,"tokens_per_s"]'
    abdb import -q "$fixtures/serving.json" --set device=H100-SXM --set devices=8
    same "$(abdb compare workload=serving,device=H200-SXM workload=serving,device=H100-SXM -o jsonl 2>/dev/null | jq -r .verdict | sort -u)" stated
    rm t.db
    abdb import -q "$fixtures/serving.json"
    run abdb rank --workload serving
    fails 3 "none says its device"
}

@test "a JSON array or object of a few bytes is refused by every importer" {
    for text in '[]' '[1]' '[{}]' '{}'; do
        printf '%s' "$text" >small.json
        run abdb import small.json
        fails 6 "small.json"
    done
}

@test "nccl-tests: numbered lines, ranks, both places, wrong outputs, and stated and derived busbw are read" {
    run abdb import "$fixtures/nccl_tests.out"
    fails 0 "5 rows: 3 accepted, 0 duplicate, 2 rejected, 0 ignored"
    same "$(ask "SELECT workload, raw_device, devices, nodes, dtype, verified, value, raw_value, raw_unit FROM v_result WHERE metric = 'time_s' AND x = 1048576 ORDER BY locator")" \
        $'all_gather,Acme A1,4,2,fp32,fail,1.95e-05,19.50,us\nall_gather,Acme A1,4,2,fp32,pass,2e-05,20.00,us'
    same "$(ask "SELECT DISTINCT dtype, verified FROM v_result WHERE x = 1073741824")" "bf16,unknown"
    # algbw of 0.00 is left out; (n-1)/n of the others is the busbw that the program prints, to its digits
    same "$(ask "SELECT count(*) FROM v_result WHERE x = 8")" 2
    same "$(ask "SELECT count(*) FROM v_normalised n JOIN v_result r USING (result_id) JOIN v_result b ON b.entry_id = r.entry_id AND b.metric = 'busbw_bytes_per_s'
        WHERE n.formula = 'busbw@1' AND abs(n.value - b.value) < 1e7")" 4
    same "$(ask "SELECT line, field FROM v_reject ORDER BY line")" $'16,\n17,time'
    run abdb compare --metric time_s workload=all_gather,place=in-place,x=1048576 workload=all_gather,place=out-of-place,x=1048576
    fails 3 "failed-verification"
    # two runs in one log: each with its own collective and ranks
    cat "$fixtures/nccl_tests.out" >two.txt
    sed -e 's/all_gather_perf/broadcast_perf/' -e '/Rank  [23]/d' -e 's/Acme A1/Acme B2/' "$fixtures/nccl_tests.out" >>two.txt
    abdb import -q two.txt
    same "$(ask "SELECT DISTINCT workload, raw_device, devices, nodes FROM v_result ORDER BY 1")" $'all_gather,Acme A1,4,2\nbroadcast,Acme B2,2,1'
    grep -v srun "$fixtures/nccl_tests.out" >nameless.txt
    run abdb import nameless.txt
    fails 6 "--set workload=NAME"
    run abdb import nameless.txt --set workload=all_gather
    fails 0 "3 accepted"
}

@test "OSU: several tests in a file, statistics, a failed validation and a crashed test are read" {
    run abdb import "$fixtures/osu.txt"
    fails 0 "6 rows: 3 accepted, 0 duplicate, 3 rejected, 0 ignored"
    same "$(ask "SELECT workload, verified, value, raw_value, raw_unit FROM v_result WHERE metric = 'bytes_per_s' ORDER BY x")" \
        $'osu-bandwidth,pass,950000,0.95,MB/s\nosu-bandwidth,fail,23982180000,23982.18,MB/s'
    same "$(ask "SELECT statistic, value FROM v_result WHERE workload = 'osu-allreduce-latency' ORDER BY statistic")" $'max,2.75e-06\nmean,2.5e-06\nmin,2.25e-06'
    same "$(ask "SELECT line, reason FROM v_reject ORDER BY line" | tail -1)" "14,a test without results: it ended before its first row"
    same "$(ask "SELECT DISTINCT text FROM v_factor_given WHERE factor = 'buffers' ORDER BY 1")" $'CUDA\nhost'
}

@test "BabelStream and STREAM: rates of the least time and three times are read, with one name for Mul and Scale" {
    run abdb import "$fixtures/babelstream.txt" "$fixtures/babelstream.csv" "$fixtures/stream.txt"
    fails 0 "6 rows accepted, 0 duplicate, 2 rejected"
    same "$(ask "SELECT raw_device, dtype, backend, value, raw_value FROM v_result WHERE metric = 'bytes_per_s' AND locator = 'line 12'")" "Acme A1,fp64,CUDA,390000500000,390000.500"
    same "$(ask "SELECT statistic, value FROM v_result WHERE metric = 'time_s' AND locator = 'line 9' ORDER BY 1")" $'max,0.005843\nmean,0.005803\nmin,0.005774'
    same "$(ask "SELECT DISTINCT source, text FROM v_factor_given JOIN v_result USING (result_id) WHERE factor = 'array_bytes' ORDER BY 1, 2" 2>/dev/null | wc -l)" 3
    same "$(ask "SELECT value FROM v_result WHERE artifact LIKE '%.csv' AND metric = 'time_s' AND statistic = 'mean'")" 0.0013
    same "$(abdb compare source=babelstream,operation=mul source=mccalpin-stream -m bytes_per_s -o jsonl 2>/dev/null | jq -r '.verdict' | sort -u)" stated
}

@test "google-benchmark, hyperfine, NVBench: times, samples and spread are read, failures and skips marked" {
    run abdb import "$fixtures/google_benchmark.json"
    fails 0 "7 rows: 4 accepted, 0 duplicate, 2 rejected, 1 ignored"
    same "$(ask "SELECT statistic, value, raw_value, raw_unit, n FROM v_result WHERE workload = 'BM_Copy/1024' AND metric = 'time_s' ORDER BY value")" \
        $'mean,0.00025,250,us,1000\nmedian,0.000255,255,us,2\nmean,0.00026,260,us,1000'
    # counters: rates are metrics, others factors
    same "$(ask "SELECT metric, statistic, value, raw_value FROM v_result WHERE workload = 'BM_Copy/1024' AND metric <> 'time_s' ORDER BY metric")" \
        $'bytes_per_s,mean,4194304000,4194304000\nflops_per_s,mean,2500000000,2500000000\nitems_per_s,mean,1048576000,1048576000'
    same "$(ask "SELECT DISTINCT factor, text, num FROM v_factor WHERE factor IN ('cache_misses', 'Mode', 'FLOPS', 'run_type', 'cpu_time', 'items_per_second') ORDER BY factor")" \
        $'Mode,3,3\ncache_misses,12.5,12.5'
    same "$(ask "SELECT value, system FROM v_result WHERE workload = 'BM_Old'")" "6.4e-08,host-a"
    same "$(ask "SELECT reason FROM v_reject WHERE field = 'error_message'")" "no such device"
    run abdb import "$fixtures/hyperfine.json"
    fails 0 "3 rows: 2 accepted, 0 duplicate, 1 rejected, 0 ignored"
    same "$(ask "SELECT statistic, value, n, low, high FROM v_result WHERE workload = 'sort big.csv' ORDER BY statistic")" $'max,1.375,,,\nmean,1.25,3,1.125,1.375\nmedian,1.25,,,\nmin,1.125,,,'
    same "$(ask "SELECT DISTINCT verified FROM v_result WHERE workload = 'false'")" fail
    same "$(ask "SELECT count(*) FROM v_sample")" 4
    run abdb import "$fixtures/nvbench.json"
    fails 0 "3 rows: 1 accepted, 0 duplicate, 1 rejected, 1 ignored"
    same "$(ask "SELECT raw_device, devices, metric, value, n, low, high, locator FROM v_result WHERE workload = 'copy' ORDER BY value")" \
        $'Acme A1,1,time_s,0.125,,,,benchmarks[0].states[0]\nAcme A1,1,time_s,0.25,499,0.125,0.375,benchmarks[0].states[0]\nAcme A1,1,bytes_per_s,800000000000,,,,benchmarks[0].states[0]'
    same "$(ask "SELECT DISTINCT factor, text FROM v_factor_given WHERE factor IN ('launches', 'T', 'Size') ORDER BY 1, 2")" $'Size,4096\nT,F32\nlaunches,batch\nlaunches,cold'
}

@test "own files: devices, specifications, prices and results are imported" {
    run abdb import "$fixtures"/{devices,specs,prices,results}.csv
    fails 0 "4 files"
    same "$(ask "SELECT value, unit, raw_value, raw_unit, locator FROM v_spec WHERE quantity = 'memory_bandwidth'")" \
        '3350000000000,B/s,3.35,TB/s,"page 1, row 3"'
    same "$(ask "SELECT amount, per_device_hour FROM v_price")" "98.32,12.29"
    same "$(ask "SELECT value, low, high, n, spread, locator FROM v_result WHERE metric = 'ttft_s'")" '0.25,0.24,0.26,30,ci95,"Table 3, row 1"'
    same "$(ask "SELECT count(*) FROM v_reject")" 7
    run abdb query rejects
    fails 0 "ttft_s is in s, not in 'TFLOP/s'"
    fails 0 "dies is 'two', not a number"
    fails 0 "not a valid row of spec"
    fails 0 "devices is 'eight', not a whole number"
    fails 0 "unknown metric 'speed'"
}

@test "the unit of each metric is accepted, with a prefix too; the refusal of a unit names the accepted ones" {
    abdb init >/dev/null
    ask "SELECT metric, unit FROM metric" | while IFS=, read -r metric unit; do
        echo "published,me,x,$metric,0.5,$unit"
    done >rows
    { echo evidence,source,workload,metric,value,unit; cat rows; } >all.csv
    run abdb import all.csv
    fails 0 "$(wc -l <rows) accepted, 0 duplicate, 0 rejected"
    printf 'evidence,source,workload,metric,value,unit\npublished,me,y,tokens_per_s,1.26,Mtoken/s\npublished,me,y,tokens_per_s,2,furlong\npublished,me,y,speed,2,1\n' >u.csv
    run abdb import u.csv
    fails 0 "1 accepted, 0 duplicate, 2 rejected"
    same "$(ask "SELECT value FROM v_result WHERE workload = 'y'")" 1260000
    run abdb query rejects
    fails 0 "unknown unit 'furlong': tokens_per_s is in token/s, Tokens/s, Tokens/second, ktoken/s"
    fails 0 "unknown metric 'speed'; \`abdb query 'SELECT * FROM metric'\` lists them"
}

@test "a footnote without a known place prints: a place not recorded" {
    printf 'evidence,source,model,scenario,device,devices,metric,value,unit\nmlperf,lab,llama2-70b-99,Server,B200-SXM,8,tokens_per_s,9,token/s\n' >m.csv
    abdb import -q m.csv
    run abdb query mlperf-footnotes --keys "$(ask "SELECT key FROM v_result")"
    fails 0 "Unverified MLPerf® version not recorded Inference llama2-70b-99 Server, entry IDs not recorded. Retrieved on a date not recorded from a place not recorded. Result not verified"
}

@test "a repeated import changes nothing and reports this" {
    abdb import -q "$fixtures"/*.csv "$fixtures/summary.json" || [ $? -eq 5 ] # nothing of catalog.csv, which needs a provider
    before=$(facts)
    run abdb import "$fixtures"/*.csv "$fixtures/summary.json"
    fails 5 "already imported, nothing changed"
    same "$(facts)" "$before"
}

@test "rows of a copy with other bytes are duplicates" {
    abdb import -q "$fixtures/checker.csv"
    before=$(facts)
    { cat "$fixtures/checker.csv"; echo; } >copy.csv
    run abdb import copy.csv
    fails 0 "0 accepted, 3 duplicate, 4 rejected"
    same "$(facts)" "$before"
    same "$(ask "SELECT count(*) FROM v_artifact WHERE accepted + duplicate = 3")" 2
}

@test "every order of imports gives the same facts" {
    for order in "checker.csv site_flat.csv site_pivot.csv summary.json" "summary.json site_pivot.csv site_flat.csv checker.csv" \
        "site_flat.csv summary.json checker.csv site_pivot.csv"; do
        rm -f t.db
        for f in $order; do abdb import -q "$fixtures/$f"; done
        facts
    done | uniq | wc -l >n
    same "$(cat n)" 1
}

@test "--set supplies values missing in a file, marked as words of the user" {
    printf 'system_id,benchmark,scenario,perf_metric,perf_value\nA100x8,bert-99,Offline,Samples per second,38.1951\nA100x8,bert-99,SingleStream,90th percentile latency \\(ns\\),35284801.0\n' >v.csv
    abdb import -q v.csv --set round=v0.7 --set submitter=NVIDIA --set factor.ecc=on
    same "$(ask "SELECT value, round, submitter FROM v_result WHERE scenario = 'Offline'")" "38.1951,v0.7,NVIDIA"
    same "$(ask "SELECT metric, statistic, value FROM v_result WHERE scenario = 'SingleStream'")" "latency_s,p90,0.035284801"
    same "$(ask "SELECT DISTINCT factor FROM v_factor WHERE factor LIKE 'user_word%' ORDER BY 1")" $'user_word.factor.ecc\nuser_word.round\nuser_word.submitter'
    run abdb import v.csv --set submiter=NVIDIA
    fails 2 "did you mean submitter"
}

@test "--dry-run stores nothing; --strict refuses a file with a bad row" {
    run abdb import --dry-run "$fixtures/checker.csv"
    fails 0 "would keep"
    same "$(ask "SELECT count(*) FROM v_result")" 0
    run abdb import --strict "$fixtures/checker.csv"
    fails 1 "4 rows rejected, and --strict was given: nothing kept; first line 4: Result: "
    same "$(ask "SELECT count(*) FROM v_result")" 0
    run abdb import --strict "$fixtures/site_flat.csv"
    fails 0 "3 accepted"
}

@test "a folder is imported in order, and files of other formats are passed over" {
    mkdir in
    cp "$fixtures/checker.csv" "$fixtures/summary.json" in
    echo "read me" >in/README.md
    touch in/.hidden
    run abdb import in
    fails 0 "2 files"
    fails 0 "files of other formats, passed over: 1"
}

# --- errors: each says file, line and what to do, and nothing is half imported ---------------------------------

@test "error: a missing file, a directory as database and a forbidden file are refused" {
    run abdb import nothing.csv
    fails 6 "nothing.csv: cannot open: No such file"
    run abdb import "$fixtures/checker.csv" --db "$dir"
    fails 6 "is a directory"
    cp "$fixtures/checker.csv" secret.csv
    chmod 0 secret.csv
    if [ "$(id -u)" != 0 ]; then
        run abdb import secret.csv
        fails 6 "Permission denied"
    fi
}

@test "error: an empty, binary, text or wrongly declared file is refused" {
    : >empty.csv
    run abdb import empty.csv
    fails 6 "empty (0 bytes)"
    head -c 2000 "$build/abdb" >binary
    run abdb import binary
    fails 6 "binary"
    echo "just words" >words.txt
    run abdb import words.txt
    fails 6 "line 1: not a format that abdb reads (it begins with 'just words')"
    run abdb import words.txt --format mlperf-checker-csv
    fails 6 "not a summary"
    run abdb import words.txt --format mlperf-cheker-csv
    fails 2 "did you mean mlperf-checker-csv"
}

@test "error: one refused file of several gives exit 5, and the others are stored" {
    : >empty.csv
    run abdb import empty.csv "$fixtures/site_flat.csv"
    fails 5 "files refused: 1"
    same "$(ask "SELECT count(*) FROM v_statement")" 3
}

@test "error: a misspelt column of an own file is refused with the nearest name" {
    sed '1s/locator/loctor/' "$fixtures/results.csv" >typo.csv
    run abdb import typo.csv
    fails 6 "no column 'loctor'; did you mean 'locator'"
    same "$(ask "SELECT count(*) FROM v_result")" 0
}

@test "error: a repeated column of an own file is refused" {
    perl -e 'print join(",", "device", "vendor", ("architecture") x 300), "\n", join(",", "X1", "Maker", ("x") x 300), "\n"' >twice.csv
    run abdb import twice.csv
    fails 6 "twice.csv: line 1: column 'architecture' stands there twice"
    sed '1s/,workload,/,model,/' "$fixtures/results.csv" >model.csv
    run abdb import model.csv
    fails 6 "column 'model' stands there twice"
}

@test "a dictionary record without values is rejected, and the next one is kept" {
    printf '%s\n' '{"record":"device"}' '{"record":"device","device":"X1","vendor":"Maker"}' >nothing.jsonl
    run abdb import nothing.jsonl
    fails 0 "2 rows: 1 accepted, 0 duplicate, 1 rejected"
    same "$(ask "SELECT line, reason FROM v_reject")" "1,a record 'device' that says nothing"
}

@test "a dictionary record with an unknown column is rejected, and the other records are kept" {
    printf '%s\n' '{"record":"device","device":"X1","vendor":"Maker"}' \
        '{"record":"device","device":"X2","colour":"red"}' \
        '{"record":"device","device":"X3","vendor architecture":"red"}' \
        '{"record":"price","provider":"P","device":"X1","devices":1,"kind":"list","amount":1,"currency":"USD","per":"unit","raw_value":"1","source":"me","locator":"x","":"red"}' \
        '{"record":"device","device":"X4","vendor":"Maker"}' >other.jsonl
    run abdb import other.jsonl
    fails 0 "5 rows: 2 accepted, 0 duplicate, 3 rejected"
    same "$(sqlite3 t.db "SELECT line, field, reason FROM reject ORDER BY line")" \
        "2|colour|a record 'device' has no 'colour'; it may have: device vendor architecture form_factor memory kind dies year source locator
3|vendor architecture|a record 'device' has no 'vendor architecture'; it may have: device vendor architecture form_factor memory kind dies year source locator
4||a record 'price' has no ''; it may have: provider instance device devices kind region amount currency per valid_from raw_value source locator"
    same "$(ask "SELECT group_concat(device, ' ') FROM (SELECT device FROM v_device WHERE device LIKE 'X_' ORDER BY 1)")" "X1 X4"
}

@test "error: truncated CSV, JSON and UTF-16 files are refused" {
    head -c 600 "$fixtures/checker.csv" >cut.csv
    run abdb import cut.csv
    fails 6 "cut.csv: line 2: a quoted field is never closed; the file is truncated"
    head -c 700 "$fixtures/summary.json" >cut.json
    run abdb import cut.json
    fails 6 "the file is damaged or truncated"
    { printf '\xff\xfe'; printf 'Public ID\tOrganization\tModel MLC\tUnits\n' | iconv -t UTF-16LE; printf '\xd8\xd8'; } >cut16.csv
    run abdb import cut16.csv
    fails 6 "cut16.csv"
    same "$(ask "SELECT count(*) FROM v_artifact WHERE artifact NOT LIKE '(built in)%'")" 0
}

@test "error: a checker CSV with a wrong column is refused" {
    sed '1s/MlperfModel/Mlperf/' "$fixtures/checker.csv" >wrong.csv
    run abdb import wrong.csv --format mlperf-checker-csv
    fails 6 "no column MlperfModel"
}

@test "error: a full disk leaves a valid database without the file" {
    abdb init >/dev/null
    cp t.db before.db
    # a limit on file size stands for the disk: SQLite's writes fail in the same way
    (ulimit -f 500; abdb import "$root/data" >out 2>&1; echo $? >code) || true
    same "$(cat code)" 6
    grep -q "full\|limit" out
    same "$(sqlite3 t.db 'PRAGMA integrity_check')" ok
    run abdb import -q "$root/data"
    fails 0 ""
}

@test "error: a full tmpfs leaves a valid database" {
    [ "$(id -u)" = 0 ] || skip "needs root to mount"
    mkdir small
    mount -t tmpfs -o size=700k tmpfs small || skip "cannot mount a tmpfs"
    run abdb import "$root/data" --db small/t.db
    code=$status text=$output
    check=$(sqlite3 small/t.db 'PRAGMA integrity_check' 2>&1)
    umount small
    same "$code" 6
    [[ "$text" == *full* ]]
    same "$check" ok
}

@test "an entry refused by a rule of the store is rejected with its line" {
    printf 'evidence,source,metric,value,unit\nhearsay,me,time_s,1,s\npublished,,time_s,1,s\npublished,me,time_s,1,s\n' >r.csv
    run abdb import r.csv
    fails 0 "1 accepted"
    fails 0 "2 rejected"
    same "$(ask "SELECT line FROM v_reject ORDER BY 1")" $'2\n3'
}

# --- archives and pipes ---------------------------------------------------------------------------------------

@test "archives: members are imported as separate files from any container" {
    mkdir in
    cp "$fixtures/checker.csv" "$fixtures/summary.json" in
    echo "read me" >in/README
    ln -s /etc/passwd in/link.csv
    echo x >in/._checker.csv
    tar czf a.tar.gz in
    (cd in && python3 -c 'import zipfile; z = zipfile.ZipFile("../a.zip", "w", zipfile.ZIP_DEFLATED); z.write("checker.csv", "../../evil/checker.csv"); z.close()')
    xz -k -c in/checker.csv >checker.csv.xz
    run abdb import a.tar.gz
    fails 0 "a.tar.gz!in/checker.csv: 7 rows: 3 accepted"
    fails 0 "a.tar.gz!in/summary.json"
    fails 0 "files of other formats, passed over: 1"
    run abdb import a.zip
    fails 0 "a.zip!../../evil/checker.csv: already imported"
    run abdb import checker.csv.xz
    fails 0 "already imported"
    same "$(find "$dir/.." -maxdepth 1 -name evil | wc -l)" 0
}

@test "archives: damaged and truncated archives keep their complete members, exit 5" {
    mkdir in
    cp "$fixtures/checker.csv" in/a.csv
    head -c 300000 /dev/urandom | base64 >in/b.txt
    cp "$fixtures/summary.json" in/c.json
    tar cf a.tar -C in a.csv b.txt c.json
    gzip -k a.tar
    head -c 200000 a.tar.gz >cut.tar.gz
    run abdb import cut.tar.gz
    fails 5 "damaged or truncated"
    same "$(ask "SELECT count(*) FROM v_artifact WHERE artifact LIKE '%a.csv'")" 1
    printf 'PK\x03\x04nonsense' >bad.zip
    run abdb import bad.zip
    fails 5 "damaged or truncated"
}

@test "archives: a bomb is given up, in bounded memory" {
    head -c 500000000 /dev/zero | tr '\0' x | xz -0 >bomb.xz
    (case $build in *sanitize) ;; *) ulimit -v 900000 ;; esac; abdb import bomb.xz >out 2>&1; echo $? >code) || true
    grep -Eq "more than|bomb" out
    same "$(cat code)" 5
}

@test "archives: an empty archive is reported" {
    tar cf empty.tar -T /dev/null
    gzip empty.tar
    run abdb import empty.tar.gz
    fails 5 "an empty archive"
}

@test "a pipe is imported like a file" {
    run bash -c 'gzip -c "$1" | abdb import - --set tag=mine' _ "$fixtures/checker.csv"
    fails 0 "3 accepted"
    same "$(ask "SELECT DISTINCT tag FROM v_result")" mine
    run bash -c 'abdb import - </dev/null'
    fails 6 "empty"
}

@test "devices of a crosstab with renamed columns are read; a file without any device is reported" {
    sed 's/,Accelerator,# of Accelerators,/,Accelerator (click + for details),Accelerators per node,/; s/,Availability,Accelerator,/,Availability,Accelerator (click + for details),/; s/,Processor,/,Processor (click + for details),/' \
        "$fixtures/site_pivot.csv" >v5.csv
    abdb import -q --db a.db "$fixtures/site_pivot.csv"
    run abdb import --db b.db v5.csv
    fails 0 "accepted"
    [[ "$output" != *"no device"* ]]
    same "$(sqlite3 b.db "SELECT device, devices, count(*) FROM entry GROUP BY 1, 2")" "$(sqlite3 a.db "SELECT device, devices, count(*) FROM entry GROUP BY 1, 2")"
    sed 's/Accelerator (click + for details)/Chip/g; s/Processor (click + for details)/CPU/g' v5.csv >none.csv
    run abdb import --db c.db none.csv
    fails 0 "none.csv: no device is named in any of its"
    fails 0 "--set device=NAME"
    # one file of a device among others is no warning
    run abdb import --db d.db "$fixtures/results.csv"
    [[ "$output" != *"no device is named"* ]]
}

@test "an import counts values beside rows: kept, known, rejected and left out" {
    run abdb import "$fixtures/nccl_tests.out"
    fails 0 "3 accepted, 0 duplicate, 2 rejected, 0 ignored; values: 14 kept, 5 rejected, 4 left out  [nccl-tests]"
    same "$(sqlite3 t.db "SELECT count(*) FROM result")" 14
    # of two runs with equal numbers both are there; the very file, renamed or packed, changes nothing
    sed 's/node-/rack-/' "$fixtures/nccl_tests.out" >other.out
    run abdb import other.out
    fails 0 "values: 14 kept, 5 rejected, 4 left out"
    cp other.out renamed.out && tar czf both.tar.gz renamed.out
    run abdb import renamed.out both.tar.gz
    fails 0 "2 files (2 already there): 0 rows accepted"
    same "$(sqlite3 t.db "SELECT count(*) FROM result")" 28
    # statements are known by what they say
    abdb import -q "$fixtures/checker.csv"
    (cat "$fixtures/checker.csv"; echo) >again.csv
    run abdb import again.csv
    fails 0 "0 accepted, 3 duplicate, 4 rejected, 0 ignored; values: "
    [[ "$output" != *kept* && "$output" == *known* ]]
}

@test "equal numbers of two measurements are stored twice: other node pairs, other builds, a second run" {
    mkdir logs
    log() { sed "s/node-/$1-/" "$fixtures/nccl_tests.out"; }
    log rack1 >logs/a.out
    log rack2 >logs/b.out
    run abdb import logs
    fails 0 "6 rows accepted, 0 duplicate, 4 rejected, 0 ignored; values: 28 kept, 10 rejected, 8 left out"
    same "$(ask "SELECT count(*), count(DISTINCT value) FROM v_result WHERE metric = 'busbw_bytes_per_s'")" 8,4
    one=$(facts)
    # the same from an archive, from renamed copies, from both
    tar czf logs.tgz logs
    mkdir copies && cp logs/a.out copies/z.log && cp logs/b.out copies/y.log
    for from in logs.tgz copies "logs.tgz copies logs"; do
        rm -f t.db
        abdb import -q $from
        same "$(facts)" "$one"
    done
    # llama-bench: one rate of two builds, and of one build twice
    bench() { echo '{"build_commit":"'"$1"'","build_number":1,"model_type":"llama 7B Q4_0","n_prompt":512,"n_gen":0,"gpu_info":"A","avg_ts":100.5}'; }
    (bench aaaa1111; bench bbbb2222; bench bbbb2222) >two.jsonl
    run abdb import two.jsonl --db l.db
    fails 0 "3 accepted, 0 duplicate, 0 rejected, 0 ignored; values: 3 kept  [llama-bench]"
    cp two.jsonl again.jsonl && tar cf two.tar again.jsonl
    run abdb import two.jsonl again.jsonl two.tar --db l.db
    fails 0 "3 files (3 already there)"
    same "$(sqlite3 l.db "SELECT count(*) FROM result")" 3
}

@test "in every format the kept, known, rejected and left-out values add up to the read values" {
    checked=0
    for f in "$fixtures"/*.*; do
        case $f in *.jsonl | */mlperf_power.txt) continue ;; esac
        run abdb import "$f" --db v.db
        [[ "$output" != *"a fault of abdb"* ]] || { echo "$output"; return 1; }
        [[ "$output" == *"; values: "* ]] || continue
        checked=$((checked + 1))
    done
    [ "$checked" -ge 15 ]
    # rows that are refused: their values are counted, none is silent
    printf '%s\n' '# OSU MPI Bandwidth Test v5.6.2' '# Size      Bandwidth (MB/s)' '1 2.5' '2 5.0 7' '4 oops' '8 1O.5' '16 0.0' >osu.txt
    run abdb import osu.txt --set device=A --db o.db
    fails 0 "5 rows: 1 accepted, 0 duplicate, 4 rejected, 0 ignored; values: 1 kept, 4 rejected"
}

@test "units in the spelling of MLCommons pages are read; energy of a stream belongs to its latency" {
    h="Public ID,Organization,SystemType,SystemName,Model MLC,Scenario,Result,accelerator_model_name,accelerators_per_node,version,vdate,Units"
    a="2.1-0011,Dell,edge,Box (1x A2),ResNet"
    cat >edge.csv <<CSV
$h
$a,Single Stream,1.088643,NVIDIA A2,1,v2.1,Inference v2.1,latency in ms
$a,Single Stream,0.25,NVIDIA A2,1,v2.1,Inference v2.1,System energy (J) per stream*
$a,Multi Stream,894.5,NVIDIA A2,1,v2.1,Inference v2.1,System energy (mJ) per stream*
$a,Multi Stream,4.5,NVIDIA A2,1,v2.1,Inference v2.1,Latency in ms
$a,Offline,250.5,NVIDIA A2,1,v2.1,Inference v2.1,System Power
$a,Offline,1000,NVIDIA A2,1,v2.1,Inference v2.1,Samples/s
0.5-464,Harvard,,Nucleo,MobileNetV1 (0.25x),,603.5,,1,v0.5,Tiny v0.5,Latency in ms
0.5-464,Harvard,,Nucleo,MobileNetV1 (0.25x),,5.25,,1,v0.5,Tiny v0.5,Energy in uJ
CSV
    run abdb import edge.csv
    fails 0 "4 accepted, 4 duplicate, 0 rejected"
    same "$(sqlite3 t.db "SELECT suite, scenario, metric, value FROM entry JOIN result USING (entry_id) ORDER BY 1, 2, 3")" \
        "inference|MultiStream|energy_j|0.8945
inference|MultiStream|latency_s|0.0045
inference|Offline|power_w|250.5
inference|Offline|samples_per_s|1000.0
inference|SingleStream|energy_j|0.25
inference|SingleStream|latency_s|0.001088643
tiny||energy_j|5.25e-06
tiny||latency_s|0.6035"
}

@test "columns outside of a map become factors of results; those of prices are named and counted" {
    cat >m.map <<'MAP'
name   mine
match  Chip Speed
ignore Row
set    evidence measured
set    source mine
set    workload gemm
field  device column Chip
metric tokens_per_s column Speed unit token/s
MAP
    printf 'Row,Chip,Speed,Watts,Note,Cost\n1,A,10,300,fast,\n2,B,20,400,n/a,7\n' >t.csv
    run abdb import --map m.map t.csv
    fails 0 "2 accepted, 0 duplicate, 0 rejected, 0 ignored; values: 2 kept  [table]"
    same "$(sqlite3 t.db "SELECT group_concat(factor || ' ' || text, ', ') FROM (SELECT * FROM point_factor ORDER BY point_id, factor)")" \
        "Note fast, Watts 300, Cost 7, Watts 400"
    printf '%s\n' 'name mine' 'match Chip Speed' 'ignore Row' 'set provider P' 'set currency USD' 'set devices 1' 'set per hour' 'field device column Chip' \
        'price amount column Speed kind on-demand' >m.map
    run abdb import --db p.db --map m.map t.csv
    fails 0 "t.csv: left out, for nothing here says what it is: Watts (2), Cost (1)"
    # --strict reads twice and counts once
    run abdb import --db s.db --strict --map m.map t.csv
    fails 0 "says what it is: Watts (2), Cost (1)"
    # the same of a long file, which is read and stored at the same time
    (head -1 t.csv; awk 'BEGIN { for (i = 0; i < 90000; i++) printf "%d,A,%d,%d,x,\n", i, i + 1, i }') >long.csv
    run abdb import --db l.db --map m.map long.csv
    fails 0 "says what it is: Watts (90000)"
    # MLCommons' summarizer of v2.0: dlrm and minigo are benchmarks
    printf 'division,availability,submitter,system,host_processor_model_name,host_processors_count,accelerator_model_name,accelerators_count,framework,notes,bert,dlrm,minigo,resnet,details_url\nclosed,onprem,A,box,CPU,2,Chip,8,f,,20.5,1.5,250.25,30,u\nclosed,onprem,A,box2,CPU,2,Chip,8,f,,,1.75,,,u\n' >s.csv
    run abdb import --db z.db s.csv --set round=v2.0
    fails 0 "2 accepted, 0 duplicate, 0 rejected, 0 ignored; values: 5 kept  [table]"
}

@test "refused values of accepted rows are counted with the first reason; --strict refuses the rows" {
    printf 'GPU,Speed,Cost\nH100,5 token/s,2\nB200,6 parsec,3\nB200,7 token/s,\n' >t.csv
    printf '%s\n' 'name mine' 'match GPU' 'set workload w' 'set provider P' 'set currency USD' 'set devices 1' 'field device column GPU' \
        'metric tokens_per_s column Speed unit cell' 'price amount column Cost' >t.map
    run abdb import --strict --map t.map t.csv
    fails 1 "1 row rejected, and --strict was given"
    sed -i 3d t.csv
    run abdb import --strict --map t.map t.csv
    fails 1 "1 value of accepted rows refused, and --strict was given: nothing kept; first line 2: Cost: no per: add --set per=..."
    same "$(ask "SELECT count(*) FROM v_result")" 0
    run abdb import --map t.map t.csv
    fails 0 "1 value of accepted rows refused; first line 2: Cost: no per: add --set per=...; \`abdb query rejects\` lists all"
    same "$(ask "SELECT count(*) FROM v_result")" 2
    abdb import --db s.db --strict --map t.map --set per=hour --set kind=on-demand t.csv
}

@test "records: a field that cannot be stored is rejected with a reason or counted by name" {
    entry() { echo "{\"record\":\"entry\",\"field\":{\"evidence\":\"measured\",\"kind\":\"run\",\"source\":\"me\",\"workload\":\"gemm\",\"device\":\"A\"$1},\"factor\":$2,\"result\":$3$4}"; }
    r='[{"metric":"time_s","statistic":"value","value":1.5}]'
    {
        entry "" '{"n":"1"}' "$r" ""
        entry "" "{$(seq -s, 1 641 | sed 's/\([0-9]*\)/"f\1":"1"/g')}" "$r" ""
        entry "" '{"n":["a"]}' "$r" ""
        entry "" '["n"]' "$r" ""
        entry "" '{"n":"1"}' '{"metric":"time_s","statistic":"value","value":1.5}' ""
        entry ',"colour":"red"' '{"n":"1"}' "$r" ""
        entry "" '{"n":"1"}' "$r" ',"colour":"red"'
        entry "" '{"n":"1"}' "$r" ',"version":99'
        entry "" '{"n":"1"}' '[{"metric":"time_s","statistic":"value","value":-1.5}]' ""
        entry "" '{"n":"2"}' "$r" ',"version":1'
        entry "" '{"n":"3"}' '[{"metric":"time_s","statistic":"value","value":1.5,"low":1,"unit":"ms","colour":"red","samples":[[1],[2]]}]' ""
        entry "" '{"n":"4"}' '[{"metric":"time_s","statistic":"value","value":1.5,"unit":"GB/s"}]' ""
        for part in '"samples":[1,2]' '"samples":[["abc",0]]' '"samples":7' '"samples":{"a":1}' '"samples":[[-1]]' '"samples":[[1,0,0.5]]' \
            '"samples":[[1,0,0,7]]' '"unit":5' '"low":"1"' '"n":1e300' '"rank":-2'; do
            entry "" '{"n":"5"}' "[{\"metric\":\"time_s\",\"statistic\":\"value\",\"value\":1.5,$part}]" ""
        done
        entry "" '{"n":"6"}' '[{"metric":"tokens_per_s","statistic":"value","value":-5},{"metric":"temperature_c","statistic":"value","value":-5}]' ""
        entry ',"devices":0' '{"n":"7"}' "$r" ""
        entry "" '{"n":"8"}' '[{"metric":"speedup_gain","statistic":"value","value":-0.5,"samples":null,"unit":null}]' ""
    } >r.jsonl
    run abdb import r.jsonl
    fails 0 "26 rows: 6 accepted, 0 duplicate, 20 rejected, 0 ignored; values: 6 kept, 20 rejected, 2 left out"
    fails 0 "r.jsonl: left out, for nothing here says what it is: colour (2)"
    same "$(sqlite3 t.db "SELECT count(*) FROM point_factor WHERE factor = 'colour'")" 1 # a field of a later version is a factor
    same "$(ask "SELECT value, low, raw_value, raw_unit FROM v_result WHERE raw_unit = 'ms'")" "0.0015,0.001,1.5,ms"
    same "$(ask "SELECT sum(value), min(rank), max(rank) FROM v_sample")" 0.003,, # no rank is not rank 0
    same "$(sqlite3 t.db "SELECT line, reason FROM reject ORDER BY line")" \
        "2|more than 640 factors
3|factor n is neither text nor a number nor an object
4|factor is no object
5|result is no list
8|records of version 99; this abdb reads version 1
9|time_s is -1.5: it cannot be below zero
12|time_s is in s, and 'GB/s' is no unit of that
13|sample 1 is not [value, seconds, rank, mark] with a number as value, zero or more of a time
14|sample 1 is not [value, seconds, rank, mark] with a number as value, zero or more of a time
15|samples are no list
16|samples are no list
17|sample 1 is not [value, seconds, rank, mark] with a number as value, zero or more of a time
18|sample 1 is not [value, seconds, rank, mark] with a number as value, zero or more of a time
19|sample 1 is not [value, seconds, rank, mark] with a number as value, zero or more of a time
20|unit is no text
21|low is no number
22|n or rank is no whole number, or too large
23|n or rank is no whole number, or too large
24|tokens_per_s is -5: it cannot be below zero
25|devices is '0', not a whole number of at least 1"
}

@test "an import ends with the data missing for answers per device, watt and dollar, and the command" {
    printf 'evidence,source,workload,device,devices,metric,value,unit\n' >r.csv
    printf 'published,me,gemm,%s,%s,flops_per_s,%s,TFLOP/s\n' H100-SXM 8 1 H100-SXM "" 2 Oddity 1 3 >>r.csv
    run abdb import r.csv
    fails 0 "next: names of devices that abdb does not know, which meet no specification and no price: Oddity (1); \`abdb query unresolved\`"
    fails 0 "next: no number of devices, so nothing per device: H100-SXM (1); \`abdb import --replace --set devices=N PATH\`"
    [[ $output != *'as now'* ]]
    fails 0 "next: no power specification, so per watt only where power was measured: H100-SXM (2); \`abdb import data\`"
    fails 0 "next: no price, so nothing per dollar: H100-SXM (2); \`abdb import data\`"
    printf 'name us\nmatch Thing Ms\nset workload gemm\nset source me\nfield device column Thing\nmetric time_s column Ms unit ms\n' >us.map
    printf 'Thing,Ms\nH100-SXM,3\n' >us.csv
    run abdb import --db us.db --map us.map us.csv
    fails 0 "\`abdb import --replace --set devices=N PATH\` (with --map as now)"
    abdb import -q --db us.db --map us.map --replace --set devices=8 us.csv
    run abdb import r.csv # nothing new: nothing to say
    [[ "$output" != *next:* ]]
    run abdb import -q --db quiet.db r.csv
    same "$output" ""
    # what each command brings
    printf 'kind,spelling,part,canon,share,source\ndevice,Oddity,1,H100-SXM,,\n' >a.csv
    abdb import -q --db full.db "$root/data" a.csv
    # where that was done already, it is not said again
    printf 'evidence,source,workload,device,devices,metric,value,unit\npublished,me,gemm,Xeon-8592+,1,flops_per_s,1,TFLOP/s\n' >x.csv
    run abdb import --db full.db x.csv
    fails 0 "next: no price, so nothing per dollar: Xeon-8592+ (1); --price of a report"
    [[ "$output" != *"import data"* ]]
    run abdb import --db full.db --set devices=1 r.csv
    fails 0 "3 accepted"
    [[ "$output" != *next:* ]]
}

@test "shipped data are summed up without advice in an import; other files get their usual lines" {
    printf 'evidence,source,workload,device,devices,metric,value,unit\npublished,me,gemm,Oddity,1,flops_per_s,3,TFLOP/s\n' >o.csv
    for data in data "$root/data"; do
        rm -f t.db
        run abdb import "$data"
        fails 0 "total: "
        [[ "$output" != *next:* && "$output" != *passed\ over* && "$output" != *specs-seeds.csv* ]]
    done
    rm t.db
    run abdb import o.csv data
    fails 0 "o.csv: 1 row: 1 accepted"
    fails 0 "does not know, which meet no specification and no price: Oddity (1);"
    [[ "$output" != *specs-seeds.csv* && "$output" != *"no price, so"* ]]
    cp "$root/data/prices.csv" . # the same rows, but of the user
    rm t.db
    run abdb import prices.csv
    fails 0 "prices.csv: 237 rows: 237 accepted"
}

@test "an import of a folder without files reports this; for a folder named data it names the shipped data" {
    mkdir data other
    run abdb import data
    fails 0 "data: nothing was read, there is no file in it"
    [[ $output == *"the data that abdb ships: abdb import "*/data* ]]
    run abdb import other
    fails 0 "other: nothing was read"
    [[ $output != *ships* ]]
    silent abdb import -q data
    rm "$ABDB_DB" && mkdir shipped && cp "$root/data/models.csv" "$root/data/sources.csv" shipped
    run env ABDB_DATA="$dir/shipped" abdb import shipped
    fails 0 "2 files (2 part of every new database)"
    run env ABDB_DATA="$dir/shipped" abdb import shipped
    fails 0 "2 files (2 "
}

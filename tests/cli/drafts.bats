#!/usr/bin/env bats
# drafts.bats - a draft of a map misleads nobody: what a heading does not say by itself is commented out, with its question.
load common

# The line of a draft for one column of a table whose first cell is CELL.
line() { # HEADING CELL
    printf 'Card,%s\nH100-SXM,%s\n' "$1" "$2" >one.csv
    abdb import --suggest-map one.csv | grep -F "column \"$1\""
}
is() { # HEADING CELL LINE
    local got
    got=$(line "$1" "$2")
    [[ $got == "$3  # $2" ]] || { echo "'$1': '$got' is not '$3'"; return 1; }
}
# It is commented out, and asks.
asks() { # HEADING CELL QUESTION
    local got
    got=$(line "$1" "$2")
    [[ $got == "# "*"$3"* ]] || { echo "'$1': '$got' does not ask '$3'"; return 1; }
}

@test "--suggest-map: a heading with the name of a metric becomes this metric in its unit" {
    same "$(sed -n 's/^METRIC(\([a-z_]*\), "\([^"]*\)".*/\1/p' "$root/schema/core/metric.def" | wc -l)" "$(grep -c '^METRIC([a-z_]*,' "$root/schema/core/metric.def")"
    while IFS=, read -r name unit; do
        case $name in load | other_load | error | steal | overhead | loss_floor) continue ;; esac # words of other columns as well
        is "$name" 0.5 "metric $name column \"$name\" unit $unit"
        is "p99_$name" 0.5 "metric $name column \"p99_$name\" unit $unit statistic p99"
    done < <(sed -n 's/^METRIC(\([a-z_]*\), "\([^"]*\)".*/\1,\2/p' "$root/schema/core/metric.def")
    [[ $(line load 3) != metric* && $(line error 0.1) != metric* ]]
    asks accuracy 76.1 "unit %  # is that the unit?"
}

@test "--suggest-map: a countable noun before _s, per_s or throughput is a rate; other headings get a question" {
    for heading in tokens_per_sec tokens_per_s tok_s tokens_s tok/s Tokens/s 'decode tok/sec' request_output_throughput_token_per_s outputTokensPerSecond total_token_throughput 'Tokens / s'; do
        [[ $(line "$heading" 47) == 'metric tokens_per_s column "'"$heading"'" unit '*'  # 47' ]] || { line "$heading" 47; return 1; }
    done
    for heading in images_s img/s samples_per_sec 'images per second'; do [[ $(line "$heading" 47) == 'metric samples_per_s '* ]] || { line "$heading" 47; return 1; }; done
    for heading in request_throughput req/s requests_s; do [[ $(line "$heading" 47) == 'metric queries_per_s '*' unit query/s  # 47' ]] || { line "$heading" 47; return 1; }; done
    for heading in time_per_output_token_s 'time to first token (s)' inter_token_latency_s runtime_s; do [[ $(line "$heading" 0.47) == *"_s column \"$heading\" unit s  # 0.47" ]] || { line "$heading" 0.47; return 1; }; done
    asks steps_s 6 "a rate of what?"
    asks output_throughput 2000 "is that the unit?"
    asks qps 16 "measured, or the load that was asked for?"
    asks 'tok/s/gpu' 5 "a rate of each"
    for heading in request_rate 'target qps' max_concurrency 'offered load (req/s)' 'batch size' max_tokens; do [[ $(line "$heading" 16) == "factor "* ]] || { line "$heading" 16; return 1; }; done
}

@test "--suggest-map reads min as minimum and std as spread, and writes a question for an ambiguous unit of time" {
    is p50_ttft_ms 12 'metric ttft_s column "p50_ttft_ms" unit ms statistic p50'
    is min_ttft_ms 12 'metric ttft_s column "min_ttft_ms" unit ms statistic min'
    is max_ttft_ms 12 'metric ttft_s column "max_ttft_ms" unit ms statistic max'
    is 'runtime (min)' 12 'metric time_s column "runtime (min)" unit min'
    is 'train minutes' 12 'metric time_s column "train minutes" unit minutes'
    for heading in min max mean; do asks $heading 3 "of what, in which unit?"; done
    for heading in latency_min time_min; do asks $heading 3 "a minimum, or minutes?"; done
    for heading in std_ttft_ms ttft_ms_std 'stddev (ms)' 'standard deviation (ms)' ttft_sd_ms; do asks "$heading" 2.5 "a spread, no value"; done
    asks end_to_end_latency 73.04 "is that the unit?"
    asks 'TTFT (s)' 9999 "an implausible time"
    asks 'runtime (h)' 99999 "an implausible time"
    is 'TTFT (s)' 9.9 'metric ttft_s column "TTFT (s)" unit s'
}

@test "--suggest-map stores no rated watts, card prices or other counts as results" {
    asks watt 450 "measured, or rated?"
    is 'TDP (W)' 700 'spec power column "TDP (W)" unit W basis card'
    asks 'rated power (W)' 700 "rated watts of a card?"
    is 'power limit (W)' 700 'factor device_power_limit column "power limit (W)"'
    is 'avg power (W)' 612 'metric power_w column "avg power (W)" unit W statistic mean'
    for heading in price 'price (USD)' MSRP 'cost'; do asks "$heading" 6037.5 "rent of an hour, or the price of the card?"; done
    is price_per_h 23.92 'price amount column "price_per_h" kind on-demand per hour'
    is '$/hr' 2.5 'price amount column "$/hr" kind on-demand currency USD per hour'
    is 'spot price per hour' 2.5 'price amount column "spot price per hour" kind spot per hour'
    asks usd_per_gpu_h 2.99 "of one device, or of all?"
    asks 'price per 1M tokens' 0.2 "no rent of a device"
    for heading in batch_count 'request count' count layers; do [[ $(line "$heading" 8) == "factor "* ]] || { line "$heading" 8; return 1; }; done
    for heading in gpus num_gpus 'GPU count' '# of Accelerators' numDevices; do is "$heading" 8 "field devices column \"$heading\""; done
    is 'GPU Time' '12.5 us' 'metric time_s column "GPU Time" unit cell'
    printf 'GPU,tok/s\n8xH100,5\n' >t.csv
    abdb import --suggest-map t.csv | grep -q '^field device column "GPU"  # how many? set devices 8'
}

@test "bits and bytes differ by the case of their unit, in drafts and in every reader" {
    is 'Bandwidth (Gb/s)' 392.1 'metric bytes_per_s column "Bandwidth (Gb/s)" unit Gb/s'
    is 'Bandwidth (GB/s)' 392.1 'metric bytes_per_s column "Bandwidth (GB/s)" unit GB/s'
    is 'Bandwidth (MiB/s)' 392.1 'metric bytes_per_s column "Bandwidth (MiB/s)" unit MiB/s'
    for unit in gb/s GB/S gib/s mb/s gbps; do asks "bandwidth ($unit)" 5 "bits or bytes?"; done
    unit() { # UNIT: 8 of it in bytes a second or seconds, or nothing
        printf 'name m\nset evidence published\nset source m\nfield device column Card\nmetric %s column Value unit cell\n' "$2" >m.map
        printf 'Card,Value\nL4,8 %s\n' "$1" >t.csv
        rm -f u.db
        abdb import -q --db u.db --map m.map t.csv >/dev/null 2>&1 || true
        sqlite3 u.db "SELECT CASE WHEN value < 1 THEN value ELSE CAST(value AS INTEGER) END FROM v_result"
    }
    while read -r bits bytes times; do
        same "$bits $(unit "$bits" bytes_per_s)" "$bits $times"
        same "$bytes $(unit "$bytes" bytes_per_s)" "$bytes $((times * 8))"
    done <<<"Gb/s GB/s 1000000000
Mb/s MB/s 1000000
Tb/s TB/s 1000000000000
kb/s kB/s 1000
Gib/s GiB/s 1073741824
Mib/s MiB/s 1048576
Gbps GBps 1000000000
Gbit/s GByte/s 1000000000"
    for word in gb/s gib/s mib/s GIB/S gbPS Tib/s Gb/sec; do same "$word $(unit $word bytes_per_s)" "$word "; done
    same "$(unit KiB/s bytes_per_s)" 8192
    for word in sec s seconds second; do same "$word $(unit $word time_s)" "$word 8"; done
    for word in us usec $'\u00b5s' $'\u03bcs' microseconds; do same "$word $(unit "$word" time_s)" "$word 8.0e-06"; done
    for word in tok/s token/s tokens/s tokens/sec t/s; do same "$word $(unit "$word" tokens_per_s)" "$word 8"; done
}

@test "--suggest-map drafts a sheet of specifications, with questions on peaks and links" {
    printf 'GPU,BF16 Tensor TFLOPS*,FP64 TFLOPS,INT8 TOPS*,Memory (GB),Memory bandwidth (TB/s),NVLink (GB/s bidirectional),Network per node (GB/s),TDP (W)\nH100-SXM,1979,34,3958,80,3.35,900,400,700\n' >t.csv
    abdb import --suggest-map t.csv | answered >t.map
    no grep -qE '^(# )?metric ' t.map
    same "$(grep -c '^# spec peak_.*with sparsity' t.map)" 3
    grep -q '^# spec link_bandwidth .*of both directions together' t.map
    grep -q '^spec memory_size column "Memory (GB)" unit GB' t.map
    grep -q '^spec memory_bandwidth column "Memory bandwidth (TB/s)" unit TB/s' t.map
    abdb import -q --map t.map t.csv
    same "$(sqlite3 "$ABDB_DB" "SELECT count(*) FROM v_result")" 0
    same "$(sqlite3 "$ABDB_DB" "SELECT group_concat(quantity || ' ' || value, ';') FROM (SELECT * FROM spec ORDER BY quantity)")" "memory_bandwidth 3350000000000.0;memory_size 80000000000.0;power 700.0"
    # one star among results is asked about, too
    printf 'GPU,tok/s,BF16 TFLOPS*\nL4,5,242\n' >t.csv
    abdb import --suggest-map t.csv | grep -q '^# spec peak_flops column "BF16 TFLOPS\*"'
    # a column for each device
    printf '| Specification | H100 SXM | H200 SXM |\n|---|---|---|\n| FP64 | 34 teraFLOPS | 34 teraFLOPS |\n' >t.md
    abdb import --suggest-map t.md >t.map
    no grep -qE '^(metric|spec) ' t.map
    grep -q '^# A column for each device' t.map
}

@test "an unedited draft stores no doubtful value, and names no workload" {
    printf 'Card,mean_ttft_ms,std_ttft_ms,tokens_per_sec,qps,request_throughput,output_throughput,watt,price,min,bandwidth (gb/s),latency\nH100-SXM,12,2.566,47,16,15.2,2000,450,6037.5,3,5,73.04\n' >t.csv
    abdb import --suggest-map t.csv | answered >t.map
    no grep -q '^set *workload' t.map
    grep -q '^# set workload NAME' t.map
    abdb import -q --map t.map t.csv
    same "$(ask "SELECT metric, statistic, value FROM v_result ORDER BY 1")" $'queries_per_s,value,15.2\ntokens_per_s,value,47\nttft_s,mean,0.012'
    same "$(sqlite3 "$ABDB_DB" "SELECT count(*) FROM price")" 0
    same "$(sqlite3 "$ABDB_DB" "SELECT count(*) FROM v_result WHERE coalesce(workload, '') <> ''")" 0
    # each question is of a line that parses once it is taken
    sed 's/^# \(metric\|price\|spec\) /\1 /' t.map >all.map
    abdb import -q --db all.db --map all.map t.csv
    # a draft of a German sheet reads it
    abdb import --suggest-map "$fixtures/locales/german.csv" | answered >g.map
    abdb import -q --db g.db --map g.map --set provider=p --set currency=USD "$fixtures/locales/german.csv"
    same "$(sqlite3 g.db "SELECT value FROM v_result WHERE metric = 'tokens_per_s' ORDER BY 1 DESC LIMIT 1")" 12500.5
}

@test "--suggest-map drafts each heading that is the name of a field as this field" {
    fields=$(sed -n 's/^FIELD(\([a-z_]*\), .*/\1/p' "$root/schema/core/field.def")
    same "$(wc -w <<<"$fields")" "$(grep -c '^FIELD(' "$root/schema/core/field.def")"
    for field in $fields; do
        case $field in
            evidence) cell=measured ;;
            kind) cell=run ;;
            status) cell=ok ;;
            verified) cell=unknown ;;
            devices | nodes) cell=8 ;;
            date | retrieved) cell=2026-11-01 ;;
            *) cell=Server ;;
        esac
        is "$field" $cell "field $field column \"$field\""
        abdb help map | grep -Eq "[ ,]$field[,.]|^$field[,.]" || { echo "help map lacks $field"; return 1; }
        abdb help --man | sed -n '/MAP FILES/,$p' | grep -Eq "\b${field//_/.}[,.]"
    done
    is 'System type' edge 'field system_type column "System type"'
    # the words of other tables are no field: their cells are none of its values
    for pair in 'kind GPU' 'status Released' 'verified 2' 'devices many'; do [[ $(line "${pair% *}" "${pair#* }") != "field "* ]] || { line "${pair% *}" "${pair#* }"; return 1; }; done
}

@test "headings that are kinds of names are no devices, and a table of one row is no column for each device" {
    for head in model,device,devices,tokens_per_s device,model,scenario,tokens_per_s model,system,submitter,tokens_per_s; do
        printf '%s\nllama2-70b,H100-SXM,8,21000\n' "$head" >t.csv
        abdb import --suggest-map t.csv >t.map
        no grep -q 'A column for each device' t.map
        grep -q '^metric tokens_per_s column "tokens_per_s" unit token/s  # 21000' t.map
    done
    printf 'metric,H100-SXM,H200-SXM\ntokens_per_s,1,2\n' >t.csv # this one has them
    abdb import --suggest-map t.csv | grep -q 'A column for each device'
}

@test "a draft asks who says it and by which evidence, and its import demands the answers" {
    printf 'model,device,devices,tokens_per_s\nllama2-70b,H100-SXM,8,21000\n' >t.csv
    abdb import --suggest-map t.csv >t.map
    run abdb import --map t.map t.csv
    fails 6 "t.map: line 4: a question of the draft: write the answer in place of ? behind name"
    sed -i 's/^name    ?/name my-lab/' t.map
    run abdb import --map t.map t.csv
    fails 6 "t.map: line 6: a question of the draft: write the answer in place of ? behind evidence"
    sed -i 's/evidence ?/evidence measured/' t.map
    abdb import -q --map t.map t.csv
    same "$(ask "SELECT source, evidence FROM v_result")" my-lab,measured
    # columns that answer are not asked for
    printf 'source,evidence,device,tokens_per_s\nme,measured,H100-SXM,21000\n' >t.csv
    no grep -q '?' <<<"$(abdb import --suggest-map t.csv | sed 1,3d)"
}

@test "the refusal of a table with columns of abdb's own CSV names the lacking ones, and its commands lead to an import" {
    printf 'model,device,devices,tokens_per_s\nllama2-70b,H100-SXM,8,21000\n' >t.csv
    run abdb import t.csv
    fails 6 "; abdb's own CSV, a row for each value, has also evidence, metric, value, unit: \`abdb help abdb-csv\`)"
    [[ $output == *"\`abdb import --suggest-map FILE >FILE.map\` drafts a map of a table, for --map FILE.map"* ]]
    abdb import --suggest-map t.csv >t.csv.map
    sed -i 's/^name    ?/name my-lab/; s/evidence ?/evidence measured/' t.csv.map
    abdb import -q --map t.csv.map t.csv
    same "$(ask "SELECT value FROM v_result")" 21000
    printf 'source,evidence,device,metric,value\nme,measured,H100-SXM,tokens_per_s,3\n' >u.csv
    run abdb import u.csv
    fails 6 "has also unit: "
    for header in gpu,tps device,tps; do # one such word is any table's
        printf '%s\nH100-SXM,8\n' $header >v.csv
        run abdb import v.csv
        fails 6 "not a format that abdb reads"
        [[ $output != *"own CSV"* ]]
    done
}

@test "the refusal of a file names the nearest format, and --suggest-map where a map can read the file" {
    printf '{"algBw":1.5,"busBw":2.5,"redop":"sum"}\n' >t.jsonl
    run abdb import t.jsonl
    fails 6 "nearest is nccl-tests"
    fails 6 "abdb import --suggest-map FILE"
    printf 'Cloud,GPU Type,On-demand\na,b,1\n' >t.csv
    run abdb import t.csv
    fails 6 "abdb import --suggest-map FILE"
    printf 'no table, only words\n' >t.txt
    run abdb import t.txt
    fails 6 "not a format that abdb reads"
    [[ $output != *suggest-map* && $output != *nearest* ]]
    # each format that is named exists
    sed -n 's/^    {"\([a-z-]*\)", "[^"]*|.*/\1/p' "$root/ingest/nearest_format.c" >names
    [ "$(wc -l <names)" -ge 10 ]
    while read -r name; do abdb import --help | grep -q "$name" || { echo "no format $name"; return 1; }; done <names
}

@test "a draft asks whether a baseline or an expected time is a result" {
    printf 'gpu,baseline tok/s,tok/s,expected latency ms\nL4,100,120,5\n' >b.csv
    abdb import --suggest-map b.csv >b.map
    same "$(grep -c '^# metric.*held against' b.map)" 2
    grep -q '^metric tokens_per_s column "tok/s"' b.map
}

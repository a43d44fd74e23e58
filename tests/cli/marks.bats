#!/usr/bin/env bats
# marks.bats - judgements on rows (data/rules/marks.csv): what is marked stands in no ranking, choice or figure unless asked for.
load common

HEAD=evidence,source,workload,device,devices,dtype,metric,value,unit,locator,flags

@test "a rate above the peak or bandwidth of its device is marked, and left out of rankings and comparisons" {
    filled "$root/data"
    { echo $HEAD
        echo "published,me,gemm,Trainium2,1,bf16,flops_per_s,9800,TFLOP/s,l1,"
        echo "published,me,gemm,TPU-v5e,1,bf16,flops_per_s,40000,TFLOP/s,l2,"
        echo "published,me,gemm,H100-SXM,1,bf16,flops_per_s,700,TFLOP/s,l3,"
        echo "published,me,gemm,Trainium2,16,bf16,flops_per_s,9800,TFLOP/s,l4,"
        echo "published,me,copy,H100-SXM,1,bf16,bytes_per_s,40000,GB/s,l5,"
        echo "published,me,copy,MI355X,1,bf16,bytes_per_s,4000,GB/s,l6,"; } >imp.csv
    abdb import -q imp.csv
    same "$(ask "SELECT locator FROM v_result WHERE source = 'me' AND marks = 'above-ceiling' ORDER BY 1" | xargs)" "l1 l2 l5"
    # of what is shipped one: a product of int8 weights, which its source timed above the peak of bf16
    same "$(ask "SELECT source, workload, device FROM v_result WHERE source <> 'me' AND marks LIKE '%above-ceiling%'")" aiconfigurator,gemm-weight-only,H100-SXM
    run abdb rank source=me,workload=gemm --per none
    fails 0 "2 rows left out: above-ceiling (The rate is above the published peak of its device.); --marks any shows them"
    [[ $output != *TPU-v5e* ]]
    same "$(abdb rank source=me,workload=gemm --per device -o csv --columns device,value,marks 2>/dev/null | tail -n +2 | grep -v '^#' | head -2)" \
        $'H100-SXM,700000000000000,\nTrainium2,612500000000000,'
    abdb rank source=me,workload=gemm --per device --marks any -o csv --columns device,marks 2>/dev/null | grep -q '^TPU-v5e,above-ceiling'
    run abdb rank source=me,workload=gemm --marks all
    fails 2 "--marks wants any, not 'all'"
    run abdb compare device=TPU-v5e,source=me device=H100-SXM,source=me --where workload=gemm
    fails 3 "no pair could be compared: above-ceiling"
    run abdb compare device=TPU-v5e,source=me device=H100-SXM,source=me --where workload=gemm --marks any
    fails 0 "mark above-ceiling|none"
    [[ $output == *"(0.02x)"* ]] # no headline
}

@test "rows with a mark that excludes are in no ranking, choice or v_mlperf row with left_out empty" {
    filled "$root/data/devices.csv" "$root/data/models.csv" "$root/data/aliases.csv" "$root/data/rules"
    marks=$(ask "SELECT mark FROM v_mark WHERE effect <> 'show' ORDER BY 1")
    [ "$(wc -w <<<"$marks")" -ge 7 ]
    for mark in $marks; do
        for flags in "$mark" "power $mark" "$mark inferred:log"; do
            { echo "evidence,kind,source,suite,round,division,availability,system_type,submitter,system,workload,model,scenario,device,devices,metric,value,unit,locator,flags"
                echo "mlperf,statement,me,inference,v8.0,closed,available,datacenter,A,One,llama2-70b-99,llama2-70b-99,Server,H100-SXM,8,tokens_per_s,900,Tokens/s,l1,\"$flags\""
                echo "mlperf,statement,me,inference,v8.0,closed,available,datacenter,B,Two,llama2-70b-99,llama2-70b-99,Server,MI355X,8,tokens_per_s,800,Tokens/s,l2,"; } >m.csv
            rm -f one.db
            cp "$ABDB_DB" one.db
            abdb import -q --db one.db m.csv
            same "$(sqlite3 one.db "SELECT marks FROM v_result WHERE source = 'me' AND locator = 'l1'")" "$mark"
            same "$(abdb rank --db one.db model=llama2-70b-99 --per device -o csv --columns device,of 2>/dev/null | tail -n +2 | grep -c H100)" 0
            same "$(abdb choose --db one.db llama2-70b-99 Server --rate 1k/s --price 'H100-SXM=1 USD/h,MI355X=1 USD/h' -o csv --columns device 2>/dev/null | grep -c H100)" 0
            same "$(sqlite3 one.db "SELECT left_out, device FROM v_mlperf ORDER BY 2 DESC")" "|MI355X"$'\n'"$mark|H100-SXM"
        done
        abdb rank --db one.db model=llama2-70b-99 --per device 2>&1 | grep -qF "1 row left out: $mark ("
    done
    # what a mark only says, and a word that only contains one, leaves nothing out
    for flags in self-verified failed-over unfailed; do
        sed "2s/,[^,]*$/,$flags/" m.csv >n.csv
        cp "$ABDB_DB" two.db
        abdb import -q --db two.db n.csv
        same "$(abdb rank --db two.db model=llama2-70b-99 --per device -o csv --columns device 2>/dev/null | grep -c H100)" 1
        rm -f two.db
    done
}

@test "own kernels are verified by abdb with the compared share; other programs by themselves" {
    told() { echo "{\"record\":\"entry\",\"field\":{\"evidence\":\"measured\",\"kind\":\"run\",\"verified\":\"pass\",\"workload\":\"w\",\"device\":\"d\",\"devices\":\"1\",\"source\":\"$1\",\"date\":\"2026-01-01\",\"flags\":\"$2\"},\"factor\":{\"checked\":\"0.05\"},\"result\":[{\"metric\":\"time_s\",\"statistic\":\"value\",\"value\":$3,\"raw_value\":\"$3\"}]}"; }
    { told abdb-run "" 1; told abdb-run self-verified 2; told other "" 3; } >a.jsonl
    abdb import -q a.jsonl
    same "$(ask "SELECT value, verified, verified_by, checked_share, marks FROM v_result ORDER BY 1" | tr '\n' ' ')" \
        "1,pass,abdb,0.05, 2,pass,program,0.05,self-verified 3,pass,program,0.05, "
}

site() { # ID ORGANIZATION VALUE: a row of the system that ID 6.0-0010 has
    local system
    system=$(ask "SELECT system FROM v_official_result WHERE round = 'v6.0' AND public_id = '6.0-0010' LIMIT 1")
    echo "mlperf,statement,mlperf-site,yes,$1,inference,v6.0,datacenter,closed,available,$2,\"$system\",llama2-70b-99,llama2-70b-99,Server,B300-SXM,8,tokens_per_s,$3,Tokens/s,l1"
}
HEADER=evidence,kind,source,verified,public_id,suite,round,system_type,division,availability,submitter,system,workload,model,scenario,device,devices,metric,value,unit,locator

@test "a row is verified by MLCommons only where it equals an official list" {
    filled "$root/data/devices.csv" "$root/data/models.csv" "$root/data/aliases.csv" "$root/data/rules"
    value=$(ask "SELECT stated FROM v_official_result WHERE round = 'v6.0' AND public_id = '6.0-0010' AND model = 'llama2-70b-99' AND scenario = 'Server'")
    who=$(ask "SELECT submitter FROM v_official_result WHERE round = 'v6.0' AND public_id = '6.0-0010' LIMIT 1")
    said() { # ID ORGANIZATION VALUE [ROUND]: verified, verified_by and marks of the row
        { echo "$HEADER"; site "$1" "$2" "$3" | sed "s/,v6\.0,/,${4:-v6.0},/"; } >one.csv
        rm -f one.db
        cp "$ABDB_DB" one.db
        abdb import -q --db one.db one.csv
        sqlite3 one.db "SELECT verified, verified_by, marks FROM v_result"
    }
    same "$(said 6.0-0010 "$who" "$value")" "yes|mlcommons|"
    same "$(said v6.0-0010 "$who" "$value")" "yes|mlcommons|"
    same "$(said 6.0-0010 "$who" "$(awk -v v="$value" 'BEGIN { printf "%.5g", v }')")" "yes|mlcommons|"
    same "$(said 6.0-0010 "$who" "$(awk -v v="$value" 'BEGIN { print 1.01 * v }')")" "yes|file|conflict"
    same "$(said 6.0-0010 "Somebody Else" "$value")" "yes|file|conflict"
    same "$(said 6.0-9998 VendorX 800000)" "yes|file|"
    key=$(sqlite3 one.db "SELECT key FROM v_result")
    run abdb query --db one.db mlperf-footnotes --keys "$key"
    fails 0 "Result stated as verified by one.csv, not in the official list of its round."
    [[ $output == *"Unverified MLPerf"* ]]
    same "$(said 5.0-0001 VendorX 800000 v5.0)" "yes|file|"
    run abdb query --db one.db mlperf-footnotes --keys "$(sqlite3 one.db "SELECT key FROM v_result")"
    fails 0 "Result published, list of the round not held; stated as verified by one.csv."
    run abdb choose --db one.db llama2-70b-99 Server --rate 1k/s --price 'B300-SXM=1 USD/h'
    fails 0 "verified as its file states"
    # an ID that the source leaves out: submitter, system and value tell
    same "$(said "" "$who" "$value")" "yes|mlcommons|"
    same "$(said "" "Somebody Else" "$value")" "yes|file|"
}

@test "shipped rows agree with the official list of their round, and no list has a result twice" {
    filled "$root/data"
    same "$(ask "SELECT count(*) FROM v_statement WHERE marks LIKE '%conflict%'")" 0
    same "$(ask "SELECT round, verified_by, count(*) > 300 FROM v_statement WHERE source IN ('mlperf-summary', 'mlperf-site') AND round IN ('v5.1', 'v6.0') GROUP BY 1, 2" | xargs)" \
        "v5.1,mlcommons,1 v6.0,mlcommons,1"
    same "$(ask "SELECT count(*) FROM (SELECT 1 FROM v_official_result GROUP BY suite, round, public_id, model, scenario HAVING count(*) > 1)")" 0
    same "$(ask "SELECT count(*) FROM v_official_result WHERE source NOT IN (SELECT source FROM v_source WHERE title IS NOT NULL)")" 0
}

@test "figures and reports leave out marked rows with a note, and show them with --marks any" {
    filled "$root/data"
    kernel() { # MARK GBS: a walk over memory on a machine
        echo "{\"record\":\"entry\",\"field\":{\"evidence\":\"measured\",\"kind\":\"run\",\"verified\":\"pass\",\"workload\":\"stream\",\"device\":\"Mine\",\"devices\":\"1\",\"dtype\":\"f64\",\"backend\":\"b\",\"source\":\"abdb-run\",\"date\":\"2026-11-$3\",\"campaign\":\"c-$3\",\"cell\":\"$3\",\"flags\":\"$1\"},\"factor\":{\"operation\":\"triad\",\"bound\":\"bytes\",\"ceiling\":\"memory_bandwidth\",\"level\":\"memory\"},\"result\":[{\"metric\":\"time_s\",\"statistic\":\"median\",\"value\":0.5,\"raw_value\":\"0.5\"},{\"metric\":\"bytes_per_s\",\"statistic\":\"value\",\"value\":${2}e9,\"raw_value\":\"${2}e9\"}]}"
    }
    for mark in $(ask "SELECT mark FROM v_mark WHERE effect <> 'show' ORDER BY 1"); do
        cp "$ABDB_DB" one.db
        { kernel "$mark" 900 11; kernel "" 90 10; } >k.jsonl
        { echo evidence,source,workload,model,scenario,device,devices,dtype,metric,value,unit,locator,flags
            echo "published,databricks-gaudi2,MPT,MPT-7B,training,H100-SXM,8,bf16,flops_per_s,7777,TFLOP/s,l1,$mark"; } >p.csv
        abdb import -q --db one.db k.jsonl p.csv
        same "$(abdb query --db one.db ceilings --device Mine -o csv --columns gb_per_s 2>/dev/null | sed -n 2p)" 90
        abdb query --db one.db ceilings --device Mine 2>&1 | grep -qF "1 row left out: $mark ("
        same "$(abdb query --db one.db ceilings --device Mine --marks any -o csv --columns gb_per_s 2>/dev/null | sed -n 2p)" 900
        same "$(sqlite3 one.db "SELECT value FROM ceiling_best b JOIN result_row r USING (result_id) WHERE b.device = 'Mine'")" 90000000000.0
        same "$(abdb query --db one.db perf-per-dollar --statistic all -o csv 2>/dev/null | grep -c ,972.125,)" 0
        abdb query --db one.db perf-per-dollar --statistic all 2>&1 | grep -qF "left out: $mark ("
        same "$(abdb query --db one.db perf-per-dollar --statistic all --marks any -o csv 2>/dev/null | grep -c ,972.125,)" 1
    done
}

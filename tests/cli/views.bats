#!/usr/bin/env bats
# views.bats - the public views: one meaning of per device, keys that join, withdrawals everywhere, ceilings and rounds.
load common

head=evidence,source,workload,model,scenario,device,devices,nodes,dtype,metric,value,unit,factor.per,locator
near() { awk -v a="$1" -v b="$2" 'BEGIN { d = a - b; if (d < 0) d = -d; if (b < 0) b = -b; exit !(a != "" && d <= 1e-9 * b) }' || { echo "$1 is not $2"; return 1; }; }
sql() { sqlite3 "$ABDB_DB" "$1"; }

@test "a rate stated per device, per node and in total is the same rate in every formula" {
    cat >x.csv <<END
$head
published,s,llama,Llama-3-8B,training,H100-SXM,8,2,bf16,tokens_per_s,8000,token/s,,total
published,s,llama,Llama-3-8B,training,H100-SXM,8,2,bf16,tokens_per_s,8000,token/s,system,system
published,s,llama,Llama-3-8B,training,H100-SXM,8,2,bf16,tokens_per_s,4000,token/s,node,node
published,s,llama,Llama-3-8B,training,H100-SXM,8,2,bf16,tokens_per_s,1000,token/s,device,device
published,s,llama,Llama-3-8B,training,H100-SXM,8,2,bf16,tokens_per_s,500,token/s,rack,rack
published,s,llama,Llama-3-8B,training,H100-SXM,,,bf16,tokens_per_s,1000,token/s,device,alone
published,s,llama,Llama-3-8B,training,H100-SXM,,,bf16,tokens_per_s,7000,token/s,,unknown
END
    cat >price.csv <<END
provider,instance,device,devices,kind,currency,amount,per,valid_from,source,locator
P,i,H100-SXM,1,on-demand,USD,3.6,hour,2025-01-01,s,a
P,i,H100-SXM,1,on-demand,USD,1.8,hour,2025-06-01,s,b
P,j,H100-SXM,8,on-demand,USD,80,hour,2025-06-01,s,c
END
    abdb import -q "$root/data/devices.csv" x.csv price.csv
    same "$(sql "SELECT locator, per, total, each FROM v_result ORDER BY locator")" "alone|device||1000.0
device|device|8000.0|1000.0
node|node|8000.0|1000.0
rack|||
system|system|8000.0|1000.0
total|system|8000.0|1000.0
unknown|system|7000.0|"
    # the formulas, by hand: 1000 token/s, 4000 a node; 3600 x 1000 / 1.8; 1.8 x 10^6 / (3600 x 1000)
    for formula in per_device@1=1000 per_node@1=4000 per_dollar@1=2000000 usd_per_million_tokens@1=0.5; do
        for row in total system node device; do
            near "$(sql "SELECT n.value FROM v_normalised n JOIN v_result r USING (result_id) LEFT JOIN v_price_offer p USING (price_id)
                          WHERE r.locator = '$row' AND n.formula = '${formula%=*}' AND coalesce(p.per_device_hour, 1.8) = 1.8")" "${formula#*=}"
        done
    done
    same "$(sql "SELECT count(*) FROM v_normalised n JOIN v_result r USING (result_id) WHERE r.locator IN ('rack', 'unknown')")" 0
    # a price counts until the next one of its provider and kind, on its day and today
    same "$(sql "SELECT per_device_hour, valid_from, valid_to FROM v_price_offer ORDER BY valid_from, per_device_hour")" \
        "3.6|2025-01-01|2025-06-01
1.8|2025-06-01|
10.0|2025-06-01|"
    near "$(sql "SELECT at_one / 2.5 FROM v_at_price JOIN v_result r USING (result_id) WHERE v_at_price.formula = 'per_dollar@1' AND r.locator = 'node'")" 1440000
}

@test "bandwidth of links, times and shares of one rank are not divided by the number of devices" {
    cat >x.csv <<END
evidence,source,workload,model,device,devices,nodes,metric,value,unit,factor.message_size,locator
measured,s,all-reduce,,H100-SXM,8,1,bytes_per_s,80,GB/s,1MiB,wire
measured,s,sendrecv,,H100-SXM,8,1,bytes_per_s,80,GB/s,1MiB,other
measured,s,stream,,H100-SXM,8,1,bytes_per_s,80,GB/s,,memory
measured,s,llama,Llama-3-8B,H100-SXM,8,1,tpot_s,0.02,s,,time
END
    abdb import -q "$root/data/devices.csv" x.csv
    same "$(sql "SELECT locator, medium, adds, each FROM v_result ORDER BY locator")" "memory|memory|1|10000000000.0
other|wire|0|
time|memory|0|
wire|wire|0|"
    same "$(sql "SELECT r.locator, n.value FROM v_normalised n JOIN v_result r USING (result_id) WHERE n.formula = 'busbw@1'")" \
        "wire|140000000000.0" # 80 x 2 x 7 / 8
}

# Steps of scans that a query takes: the same however much else the file holds.
steps() { printf '.stats on\n%s;\n' "$1" | sqlite3 "$ABDB_DB" | sed -n 's/^Fullscan Steps: *//p'; }

@test "joins by number stay fast: the cost of some results does not grow with the file" {
    abdb import -q "$fixtures/figures.jsonl"
    [ -n "$(steps "SELECT count(*) FROM result_row")" ] || skip "this sqlite3 counts no steps"
    some="(SELECT result_id FROM v_result WHERE campaign = 'c-before' ORDER BY key LIMIT 4)"
    cell=$(sql "SELECT min(bound_id) FROM v_kernel k JOIN v_ceiling c USING (device) WHERE c.quantity = k.ceiling") # against ceilings measured here
    [ "$cell" -gt 0 ]
    other=$(sql "SELECT result_id FROM v_rate WHERE source <> 'abdb-run' ORDER BY key LIMIT 1")
    key=$(sql "SELECT entry_key FROM v_result WHERE result_id = 7")
    for view in $(sql "SELECT view FROM v_column WHERE column_name = 'result_id'"); do
        case $view in
        v_scaling | v_ceiling | v_comparable_spec | v_kernel) continue ;; # of many results, or of a cell
        v_ceiling_of | v_roof | v_normalised) set -- "$other" "($other, $cell)" ;;
        *) set -- 7 "$some" ;;
        esac
        echo "SELECT * FROM $view WHERE result_id = $1"
        echo "SELECT * FROM $view WHERE result_id IN $2"
        echo "SELECT count(*) FROM $view WHERE result_id IN $2"
        echo "SELECT count(*) FROM v_result r JOIN $view v USING (result_id) WHERE r.result_id = $1"
    done >queries
    printf '%s\n' "SELECT * FROM v_result WHERE entry_key = $key" "SELECT * FROM v_run WHERE entry_key = $key" \
        "SELECT * FROM v_fact WHERE fact_key = $key" >>queries
    [ "$(wc -l <queries)" -gt 50 ]
    while read -r q; do echo "$(steps "$q") $q"; done <queries >before
    scan=$(steps "SELECT count(*) FROM result_row WHERE value = 1")
    { echo evidence,source,workload,device,devices,metric,value,unit,locator && seq 1000 |
        awk '{ print "measured,more,gpt,H100-SXM,8,tokens_per_s," $1 ",token/s,row " $1 }'; } >more.csv
    for i in $(seq 60); do # machines with ceilings of their own
        printf '{"record":"entry","field":{"evidence":"measured","kind":"run","source":"abdb-run","verified":"pass","workload":"gemm","device":"Other %d","devices":"1",' "$i"
        printf '"dtype":"f32"},"factor":{"ceiling":"peak_flops"},"result":[{"metric":"flops_per_s","statistic":"median","value":%d}]}\n' "$i"
    done >machines.jsonl
    abdb import -q more.csv machines.jsonl "$root/data"
    same "$(sql "SELECT count(*) FROM v_ceiling WHERE device LIKE 'Other %'")" 60
    [ "$(steps "SELECT count(*) FROM result_row WHERE value = 1")" -gt $((scan + 2000)) ] # a scan is seen
    while read -r q; do echo "$(steps "$q") $q"; done <queries >after
    paste -d' ' <(cut -d' ' -f1 after) before | awk '$1 > $2 + 100 { print; bad = 1 } END { exit bad }'
}

@test "keys are the same in every database, with any internal numbers" {
    abdb import -q "$fixtures/results.csv" "$fixtures/figures.jsonl"
    abdb import -q --db other.db "$fixtures/figures.jsonl" "$fixtures/results.csv"
    for q in "SELECT key, run, value FROM v_result" "SELECT key, what, fact_key FROM v_fact" "SELECT run, entry_key FROM v_run"; do
        same "$(sqlite3 other.db "$q ORDER BY 1")" "$(sql "$q ORDER BY 1")"
    done
    [ "$(sqlite3 other.db "SELECT key FROM v_result ORDER BY result_id")" != "$(sql "SELECT key FROM v_result ORDER BY result_id")" ]
    [[ $(sql "SELECT min(key) FROM v_result") =~ ^r-[0-9a-f]{32}-[0-9]+$ ]]
}

# A word in every text of an import, so that a view that serves it is found, also one that comes later.
@test "withdrawn facts are only in the public views about withdrawals" {
    cat >gone.jsonl <<'END'
{"record":"entry","field":{"evidence":"measured","kind":"run","source":"abdb-run","verified":"pass","workload":"zzgoneload","model":"zzgonemodel","device":"Zzgone X1","devices":"1","nodes":"1","dtype":"f32","backend":"zzgoneback","tag":"zzgonetag","campaign":"zzgonecampaign","cell":"zzgonecell","submitter":"zzgonesub","system":"zzgonesystem"},"factor":{"ceiling":"memory_bandwidth","note":"zzgonevalue"},"result":[{"metric":"time_s","statistic":"median","value":1,"n":2,"samples":[[1.0,0.0,-1,null],[1.0,1.0,-1,"zzgonemark"]]},{"metric":"bytes_per_s","statistic":"median","value":1e15}]}
END
    cat >gone.csv <<'END'
fact,device,quantity,dtype,basis,value,unit,source,locator,note
zzgone.fact,H100-SXM,memory_bandwidth,,card,999999,GB/s,vendor,zzgoneplace,zzgonenote
END
    abdb import -q "$root/data/devices.csv" "$fixtures/results.csv"
    abdb import gone.jsonl gone.csv
    leak() { # every view that has the word anywhere
        for view in $(sql "SELECT name FROM sqlite_schema WHERE type = 'view' AND name GLOB 'v_*'"); do
            case $view in v_artifact | v_reject | v_gone | v_withdrawal | v_name) continue ;; esac # a spelling stays known
            ! sql "SELECT * FROM $view" | grep -iq zzgone || echo "$view"
        done
    }
    served=$(leak)
    for view in v_run v_result v_statement v_sample v_fact v_fact_named v_factor v_run_factor v_spec v_stored v_comparable v_kernel v_ceiling; do
        grep -qx "$view" <<<"$served" || { echo "the word never was in $view"; return 1; }
    done
    before=$(sql "SELECT count(*) FROM v_sample")
    abdb withdraw gone.jsonl --reason "a test"
    abdb withdraw gone.csv --reason "a test"
    same "$(leak)" ""
    [ "$(sql "SELECT count(*) FROM v_sample")" -lt "$before" ]
    same "$(sql "SELECT count(*) FROM v_peak WHERE value = 999999e9")" 0
    same "$(sql "SELECT count(*) FROM v_ceiling WHERE value = 1e15")" 0
}

@test "a ceiling is the best cell for its purpose, of any kernel, and each cell names its limiting ceiling" {
    abdb import -q "$fixtures/figures.jsonl"
    [ "$(sql "SELECT count(*) FROM v_ceiling")" -gt 2 ]
    # the best is the whole of its ceiling, and nothing that was made to find it is more
    same "$(sql "SELECT count(*) FROM v_ceiling c JOIN v_normalised n USING (result_id) WHERE n.basis = 'measured' AND n.formula IN ('mfu@1', 'mbu@1')
                    AND n.value <> 1")" 0
    same "$(sql "SELECT count(DISTINCT c.result_id) FROM v_ceiling c JOIN v_normalised n USING (result_id) WHERE n.basis = 'measured'
                    AND n.formula IN ('mfu@1', 'mbu@1')")" "$(sql "SELECT count(*) FROM v_ceiling")"
    same "$(sql "SELECT count(*) FROM v_kernel k JOIN v_ceiling c ON c.device = k.device AND c.quantity = k.ceiling AND coalesce(c.dtype, k.dtype) = k.dtype
                  WHERE k.verified = 'pass' AND CASE k.ceiling WHEN 'memory_bandwidth' THEN k.bytes_per_s ELSE k.flops_per_s END > c.value")" 0
    # one result a cell: the limiting one
    same "$(sql "SELECT count(*) FROM v_kernel k JOIN v_result r ON r.result_id = k.bound_id
                  WHERE r.metric <> CASE k.bound WHEN 'bytes' THEN 'bytes_per_s' ELSE 'flops_per_s' END AND r.metric <> 'ops_per_s'")" 0
    [ "$(sql "SELECT count(*) FROM v_kernel WHERE bound_id IS NOT NULL")" -gt 50 ]
    no grep -nE "'(gemm|fma|stream|gather|gups|elementwise|embedding-bag|paged-attention)'" "$root"/schema/views/*.sql
}

@test "rounds are sorted as numbers and date MLPerf results; each date has its kind" {
    cat >x.csv <<'END'
evidence,source,suite,round,system_type,division,verified,submitter,system,workload,model,scenario,device,devices,nodes,metric,value,unit,date,locator
mlperf,mlperf-site,inference,v6.0,datacenter,closed,yes,Acme,One,resnet,resnet,Offline,H100-SXM,8,1,samples_per_s,1000,Samples/s,,a
mlperf,mlperf-site,inference,v10.0,datacenter,closed,yes,Acme,One,resnet,resnet,Offline,H100-SXM,8,1,samples_per_s,1000,Samples/s,,b
mlperf,mlperf-site,inference,v4.10,datacenter,closed,yes,Acme,One,resnet,resnet,Offline,H100-SXM,8,1,samples_per_s,1000,Samples/s,,c
mlperf,mlperf-site,inference,v4.9,datacenter,closed,yes,Acme,One,resnet,resnet,Offline,H100-SXM,8,1,samples_per_s,1000,Samples/s,,d
published,s,,,,,,,,gpt,gpt,training,H100-SXM,8,1,tokens_per_s,1000,token/s,2024,e
published,s,,,,,,,,gpt,gpt,training,H100-SXM,16,1,tokens_per_s,1000,token/s,2024-02,f
measured,s,,,,,,,,gpt,gpt,training,H100-SXM,8,1,tokens_per_s,1000,token/s,2024-02-03,g
END
    abdb import -q x.csv
    sql "INSERT OR REPLACE INTO round VALUES ('inference', 'v10.0', '2099-09-09', 's', 'l')"
    same "$(sql "SELECT group_concat(round, ' ') FROM (SELECT round FROM v_round ORDER BY round_order)")" "v4.9 v4.10 v6.0 v10.0"
    same "$(sql "SELECT locator, date, date_kind, date_precision FROM v_result WHERE locator NOT IN ('a', 'c', 'd') ORDER BY 1")" \
        "b|2099-09-09|round|day
e|2024|stated|year
f|2024-02|stated|month
g|2024-02-03|measured|day"
    same "$(sql "SELECT date_kind FROM v_result WHERE locator = 'd'")" "" # a round that nobody dates
    same "$(sql "SELECT count(*) FROM v_result WHERE rank IS NOT NULL OR x IS NOT NULL")" 0
}

@test "every column of a view has a type, and a partial date has a first day for SQL" {
    filled "$root/data" "$fixtures"/{figures.jsonl,prices.csv,results.csv}
    run python3 "$root/tests/checks/view_types.py" "$ABDB_DB"
    fails 0 " columns, 0 wrong"
    [ "${output%% *}" -gt 900 ]
    same "$(sql "SELECT count(*) FROM v_price WHERE per_device_hour < '2.5'")" "$(sql "SELECT count(*) FROM v_price WHERE per_device_hour < 2.5")"
    same "$(sql "SELECT count(*) FROM v_result WHERE date IS NOT NULL AND strftime('%Y', day) <> substr(date, 1, 4)")" 0
    [ "$(sql "SELECT count(DISTINCT length(date)) FROM v_result")" -ge 3 ]
    sql "CREATE VIEW w_bad AS SELECT 1 + 1 AS x, '2024' AS date; CREATE VIEW w_worse AS SELECT CAST('2024' AS TEXT) AS date, CAST('2023-01-01' AS TEXT) AS day"
    run python3 "$root/tests/checks/view_types.py" "$ABDB_DB" 'w\_%'
    fails 1 "w_bad.x has no type"
    fails 1 "w_worse: 2023-01-01 is no day of 2024"
    fails 1 "4 columns, 4 wrong"
}

#!/usr/bin/env bats
# numbers.bats - one reader of numbers: every spelling of a number is that number and that fact, and a doubtful one is refused.
load common

head=fact,evidence,kind,source,workload,model,scenario,device,devices,nodes,dtype,metric,statistic,x,value,unit,n,low,high,locator
# A results file with one row: DEVICES NODES X VALUE N LOW HIGH, 1024 and 1 where nothing is said.
row() {
    echo "$head"
    echo "k,published,statement,sheet,gpt,gpt,training,H100-SXM,${1:-1024},${2:-1},bf16,tokens_per_s,value,${3:-},${4:-1024000},token/s,${5:-},${6:-},${7:-},l"
}
# What one import into a new database keeps: numbers and key of the results, keys of specifications and prices; or why not.
kept() { # FILE OPTION...
    rm -f one.db
    abdb import -q --db one.db "$@" >said 2>&1 || [ $? -eq 5 ] || { cat said; return; }
    sqlite3 one.db "SELECT key, devices, nodes, x, value, n, low, high FROM v_result; SELECT hex(spec_key) || hex(spec_key_low), value FROM spec;
        SELECT hex(price_key) || hex(price_key_low), devices, amount FROM price; SELECT reason FROM reject"
}
# Importing t.csv refuses its row and says so: exit 5 where nothing of it is kept.
refuses() { # REASON OPTION...
    rm -f one.db
    run abdb import t.csv --db one.db "${@:2}"
    fails 5 " 0 accepted"
    [[ $output == *"$1"* ]] || { echo "does not say '$1': $output"; return 1; }
}

@test "numbers of devices and nodes in any spelling have the same key, in results, records, maps and --set" {
    printf 'name m\nset evidence published\nset source m\nset workload gpt\nfield device column Card\nfield devices column Cards\nfield nodes column Hosts\nmetric tokens_per_s column Speed unit token/s\n' >m.map
    for which in csv jsonl map set; do
        wanted=
        for many in 1024 '1,024' 1.024e3 102400e-2 +1024 01024 1024.0; do
            few=${many/1024/1000}; few=${few/1,024/1,000}; few=${few/1.024e3/1e3}; few=${few/102400e-2/100000e-2}
            case $which in
            csv) row "\"$many\"" "\"$few\"" >t.csv; got=$(kept t.csv) ;;
            jsonl) printf '{"record":"entry","version":1,"field":{"evidence":"published","kind":"statement","source":"s","workload":"gpt","device":"H100-SXM","devices":"%s","nodes":"%s"},"result":[{"metric":"tokens_per_s","statistic":"value","value":1024000}]}\n' "$many" "$few" >t.jsonl
                got=$(kept t.jsonl) ;;
            map) printf 'Card;Cards;Hosts;Speed\nH100-SXM;%s;%s;1024000\n' "$many" "$few" >t.csv; got=$(kept t.csv --map m.map) ;;
            set) printf 'Card;Speed\nH100-SXM;1024000\n' >t.csv; got=$(kept t.csv --map m.map --set "devices=$many" --set "nodes=$few") ;;
            esac
            [[ $got == r-*'|1024|1000|'* ]] || { echo "$which $many: $got"; return 1; }
            wanted=${wanted:-$got}
            same "$which $many: $got" "$which $many: $wanted"
        done
    done
    row '"1,024"' >t.csv
    abdb import -q t.csv
    same "$(ask "SELECT formula, value FROM v_normalised WHERE formula LIKE 'per_device%'")" "per_device@1,1000"
    # a column with decimal commas: only an importer sees that "1.024" is a count there
    row 1.024 >t.csv
    row 1.024.000 1 "" 5 | tail -1 >>t.csv
    kept t.csv >out
    same "$(sqlite3 one.db "SELECT group_concat(devices, ' ') FROM (SELECT devices FROM description ORDER BY 1)")" "1024 1024000"
    # two spellings of --set are one import of one file
    printf 'Card;Speed\nH200-SXM;1\n' >t.csv
    abdb import -q t.csv --map m.map --set devices=1,024
    run abdb import t.csv --map m.map --set devices=1024
    fails 0 "already imported"
}

@test "a wrong count is refused by name in a file, and in --set before reading" {
    for bad in 1.5 1.024 '1,02' 0 -8 eight 1e-3 0.99999999999999999999 1e99; do
        row "\"$bad\"" >t.csv
        refuses "devices is '$bad', not a whole number of at least 1"
        run abdb import t.csv --set "devices=$bad"
        fails 2 "devices is '$bad', not a whole number of at least 1"
    done
    run abdb import t.csv --set amount=1,234
    fails 2 "not a number for certain, but 1234 or 1.234"
    row 8 1 '' 5 2.5 >t.csv
    refuses "n is '2.5', not a whole number"
}

@test "an ambiguous comma is refused with both readings, in every column except counts" {
    both="not a number for certain, but 1234 or 1.234: write the one that is meant"
    for place in 3 4 6 7; do
        cells=(1024 1 '' 1024000 '' '' '')
        cells[place - 1]='"1,234"'
        row "${cells[@]}" >t.csv
        refuses "$both"
    done
    printf 'device,quantity,value,unit,source,locator\nH100-SXM,memory_bandwidth,"1,234",GB/s,s,l\n' >t.csv
    refuses "$both"
    printf 'provider,device,devices,kind,amount,currency,per,source,locator\np,H100-SXM,"1,024",on-demand,"1,234",USD,hour,s,l\n' >t.csv
    refuses "$both"
    printf 'name m\nset evidence published\nset source m\nset workload gpt\nfield device column Card\nmetric tokens_per_s column Speed unit token/s\n' >m.map
    printf 'Card;Speed\nH100-SXM;1,234\n' >t.csv
    refuses "$both" --map m.map
    # a program's table that a spreadsheet wrote anew: nothing in it says which mark it is
    printf 'function,num_times,n_elements,sizeof,max_mbytes_per_sec,min_runtime,max_runtime,avg_runtime\nCopy,100,1000,8,5,"1,234","1,235","1,234"\n' >t.csv
    refuses "$both"
}

# Numbers and prices of one import into a new database.
facts_of() { # FILE OPTION...
    rm -f one.db
    abdb import -q --db one.db "$@" >said 2>&1 || [ $? -eq 5 ] || { cat said; return; }
    sqlite3 one.db "SELECT device, devices, metric, value FROM v_result ORDER BY 1, 3; SELECT devices, amount, hex(price_key) FROM price ORDER BY 1;
        SELECT field, reason FROM reject"
}

@test "a sheet in German, French and Swiss spelling gives the same facts, with semicolons, tabs and bars" {
    sheet=$fixtures/locales
    plain=$(facts_of "$sheet/plain.csv" --map "$sheet/sheet.map")
    same "$(wc -l <<<"$plain")" 16
    [[ $plain == *"A100-SXM-80GB|1024|power_w|371.125"* && $plain == *"T4|1|tokens_per_s|1050.0"* ]]
    bars() { sed "s/$1/ | /g; s/^/| /; s/\$/ |/; 1s/\$/\n|---|---|---|---|---|---|/" "$sheet/$2.csv" >t.md; facts_of t.md --map "$sheet/sheet.map"; }
    plain_bars=$(bars , plain)
    for language in german french swiss; do
        same "$language $(facts_of "$sheet/$language.csv" --map "$sheet/sheet.map")" "$language $plain"
        tr ';' '\t' <"$sheet/$language.csv" >t.csv
        same "$language tabs $(facts_of t.csv --map "$sheet/sheet.map")" "$language tabs $plain"
        same "$language bars $(bars ';' $language)" "$language bars $plain_bars"
    done
    # a row alone, without any evidence, is refused by column and not read by chance
    { head -1 "$sheet/german.csv"; echo 'T4;1;1.050;240;69,525;1'; } >t.csv
    got=$(facts_of t.csv --map "$sheet/sheet.map")
    same "$got" "T4|1|ttft_s|0.24
1|1.0|$(sed 's/.*|//' <<<"$got" | sed -n 2p)
tokens/s|'1.050' is not a number for certain, but 1.05 or 1050: write the one that is meant
Power (W)|'69,525' is not a number for certain, but 69525 or 69.525: write the one that is meant"
}

@test "the other columns of a consistent file decide an ambiguous mark; lists, versions and dates do not" {
    printf 'name m\nset evidence published\nset source m\nset workload gpt\nfield device column Card\nmetric tokens_per_s column Speed unit token/s\nmetric power_w column Power unit cell\nfactor other column Other\n' >m.map
    speed() { # FILE WORDS: the speed of its row, or why there is none
        printf "$2" >"$1"
        rm -f one.db
        abdb import -q --db one.db --map m.map "$1" >said 2>&1 || true
        sqlite3 one.db "SELECT value FROM v_result WHERE metric = 'tokens_per_s' UNION ALL SELECT substr(reason, 1, 40) FROM reject"
    }
    doubt="'12.846' is not a number for certain, bu"
    same "$(speed t.csv 'Card;Speed;Other\nT4;12.846;0,5\n')" 12846.0
    same "$(speed t.csv 'Card;Speed;Other\nT4;12.846;0.5\n')" 12.846
    same "$(speed t.csv 'Card;Speed;Other\nT4;12.846;5\n')" "$doubt"
    same "$(speed t.csv 'Card;Speed;Other;Device IDs\nT4;12.846;7;0,1\n')" "$doubt"
    same "$(speed t.csv 'Card;Speed;Other;CUDA version\nT4;12.846;7;12.4\n')" "$doubt"
    same "$(speed t.csv 'Card;Speed;Other;More\nT4;12.846;0,25;0.25\n')" "$doubt"
    same "$(speed t.csv 'Card;Speed;Power\nT4;12.846;70,25 W\n')" $'12846.0'
    same "$(sqlite3 one.db "SELECT value FROM v_result WHERE metric = 'power_w'")" 70.25
    # between commas a point is one, but where quoted cells say otherwise
    same "$(speed t.csv 'Card,Speed,Other\nT4,12.846,5\n')" 12.846
    same "$(speed t.csv 'Card,Speed,Other\nT4,12.846,"0,25"\n')" 12846.0
    same "$(speed t.csv 'Card,Speed,Other\nT4,"12,846",0.25\n')" 12846.0
    # tables of one text: each its own marks, and doubt where a neighbour has commas
    same "$(speed t.md '|Card|Speed|Other|\n|---|---|---|\n|T4|12.846|5|\n\ntext\n\n|Card|Speed|Other|\n|---|---|---|\n|L4|1|0,25|\n' | sort)" "$doubt
1.0"
    # a number of a factor follows its column, too
    printf 'Card;Speed;Other\nT4;0,5;1.024\n' >t.csv
    rm -f one.db
    abdb import -q --db one.db --map m.map t.csv
    same "$(sqlite3 one.db "SELECT num FROM v_factor WHERE factor = 'other'")" 1024.0
    # marks of thousands that are no decimal marks; two kinds in one number, and one that starts it, are none
    for text in "12'846" "12’846" $'12\u00a0846' $'12\u202f846'; do same "$(speed t.csv "Card;Speed\nT4;$text\n")" 12846.0; done
    for text in "1'234’567" "'846" "12'84" "1 234"; do [[ $(speed t.csv "Card;Speed\nT4;$text\n") == "'"*" is not a number"* ]]; done
}

@test "output under a German locale is read: llama-bench, BabelStream and MLPerf exports" {
    printf 'Device 0: NVIDIA L4, compute capability 8.9\n| model | size | params | backend | ngl | test | t/s |\n| --- | ---: | ---: | --- | --: | ---: | ---: |\n| llama 8B Q4_0 | 4,33 GiB | 8,03 B | CUDA | 99 | pp512 | 2425,003 ± 36,25 |\n| llama 8B Q4_0 | 4,33 GiB | 8,03 B | CUDA | 99 | tg128 | 57,149 ± 0,17 |\n' >t.md
    sed 's/\([0-9]\),\([0-9]\)/\1.\2/g' t.md >u.md
    same "$(facts_of t.md)" "$(facts_of u.md)"
    [[ $(facts_of t.md) == *"tokens_per_s|57.149"* && $(facts_of t.md) == *"tokens_per_s|2425.003"* ]]
    same "$(sqlite3 one.db "SELECT DISTINCT text FROM v_factor WHERE factor = 'size'")" "4.33 GiB"
    sed 's/2425,003 ± 36,25/2,425 ± 36/; s/57,149 ± 0,17/57,149 ± 1/; s/4,33/4/; s/8,03/8/' t.md >v.md
    got=$(facts_of v.md)
    [[ $got == *"'2,425' is not a number for certain"*"'57,149' is not a number for certain"* ]]
    no grep -q "tokens_per_s" <<<"$got"
    printf 'BabelStream\nVersion: 5.0\nImplementation: CUDA\nRunning kernels 100 times\nPrecision: double\nArray size: 256.0 MiB (=0.2 GiB)\nFunction    MBytes/sec  Min (sec)   Max         Average\nCopy        939171,500  0,00040     0,00042     0,00041\nTriad       941002,512  0,00060     0,00063     0,00061\n' >t.txt
    sed '8,$s/,/./g' t.txt >u.txt
    same "$(facts_of t.txt)" "$(facts_of u.txt)"
    [[ $(facts_of t.txt) == *"bytes_per_s|939171500000.0"* ]]
    same "$(sqlite3 one.db "SELECT DISTINCT num FROM v_factor WHERE factor = 'array_bytes'")" 268435456.0
    head='Public ID;Organization;Availability;System Name;# of Nodes;Accelerator;# of Accelerators;Model MLC;Scenario;Units;Avg. Result at System Name'
    printf '%s\n5.1-0901;Acme;Available;Box;1;NVIDIA H200-SXM-141GB;8;Llama2-70B-99;Offline;Tokens/s;34.988,10\n5.1-0901;Acme;Available;Box;1;NVIDIA H200-SXM-141GB;8;Llama2-70B-99;Server;Tokens/s;33.072\n' "$head" >t.csv
    got=$(facts_of t.csv)
    [[ $got == *"tokens_per_s|33072.0"* && $got == *"tokens_per_s|34988.1"* ]]
    same "$(sqlite3 one.db "SELECT DISTINCT system_type FROM v_result")" datacenter
    sed -i 's/34.988,10/34.988/' t.csv
    [[ $(facts_of t.csv) == *"Result is '33.072', not a number for certain, but 33.072 or 33072"* ]]
}

@test "another number in the column decides an ambiguous mark, and the keys equal those of plain spellings" {
    row() { # VALUE...
        echo "$head"
        for value in "$@"; do
            echo ",published,statement,sheet,gpt,gpt,training,H100-SXM,8,1,bf16,tokens_per_s,value,,\"$value\",token/s,,,,l"
        done
    }
    row 1234 0.5 34988.1 2000000 >t.csv
    plain=$(kept t.csv | sort)
    row 1,234 0.5 34,988.10 2,000,000 >t.csv
    same "$(kept t.csv | sort)" "$plain"
    row 1.234 2.000.000 >t.csv
    same "$(kept t.csv | cut -d'|' -f5 | sort -n | xargs)" "1234.0 2000000.0"
    row 1.234 0,5 34.988,10 2.000.000 >t.csv
    same "$(kept t.csv | sort)" "$plain"
    row 1234 0,371 3,022E+06 >t.csv
    same "$(kept t.csv | cut -d'|' -f5 | sort -n | xargs)" "0.371 1234.0 3022000.0"
    # a column that contradicts itself proves nothing
    row 1,234 0.5 0,371 >t.csv
    abdb import -q t.csv
    same "$(ask "SELECT count(*) FROM v_reject")" 2
    same "$(ask "SELECT value FROM v_result")" 0.5
    # what comes out goes in again
    row 1,234 0.5 34,988.10 >u.csv
    export ABDB_DB=$dir/u.db
    abdb import -q u.csv
    abdb export -o csv --out out.csv
    ABDB_DB=$dir/v.db abdb import -q out.csv
    same "$(sqlite3 u.db "SELECT key, value FROM v_result ORDER BY 1")" "$(sqlite3 v.db "SELECT key, value FROM v_result ORDER BY 1")"
}

@test "specifications and prices: each spelling of a number gives the same fact and key" {
    spec() { printf 'device,quantity,value,unit,source,locator\nH100-SXM,memory_bandwidth,"%s",GB/s,s,l\nH200-SXM,memory_bandwidth,0.5,TB/s,s,l\n' "$1" >t.csv; kept t.csv; }
    wanted=$(spec 1935)
    [[ $wanted == *"|1935000000000.0"* ]]
    for value in 1,935 +1935 01935 1.935e3; do same "$value $(spec "$value")" "$value $wanted"; done
    price() { printf 'provider,device,devices,kind,amount,currency,per,source,locator\np,H100-SXM,"%s",on-demand,"%s",USD,hour,s,l\np,H200-SXM,8,on-demand,0.5,USD,hour,s,l\n' "$1" "$2" >t.csv; kept t.csv; }
    wanted=$(price 1024 2048)
    [[ $wanted == *"|1024|2048.0"* ]]
    for many in 1,024 1.024e3 1024.0; do for much in 2,048 2.048e3 +2048; do same "$many $(price "$many" "$much")" "$many $wanted"; done; done
    # records of facts with text for numbers
    fact() { printf '{"record":"price","provider":"p","device":"H100-SXM","devices":"%s","kind":"on-demand","amount":"%s","raw_value":"5","currency":"USD","per":"hour","source":"s","locator":"l"}\n' "$1" "$2" >t.jsonl; kept t.jsonl; }
    wanted=$(fact 1024 5)
    [[ $wanted == *"|1024|5.0" ]]
    for many in 1,024 1.024e3 1024.0; do same "$many $(fact "$many" 5.0)" "$many $wanted"; done
    [[ $(fact 8 1,234) == *"amount is '1,234', not a number for certain"* ]]
}

@test "MLPerf tables: any spelling of a count is read; a damaged count rejects its row, N/A does not" {
    checker() { sed "2,3s|,1,Some CPU,2,64,Fast-80GB,8,8,|,$1,Some CPU,2,64,Fast-80GB,$2,$3,|" "$fixtures/checker.csv" | head -3 >t.csv; }
    stored() { sqlite3 one.db "SELECT DISTINCT nodes || ' ' || devices FROM description"; }
    checker 1 8 8
    wanted=$(kept t.csv)
    for many in 1.0 +1 01 1e0; do
        checker "$many" 8 8
        same "$many $(kept t.csv)" "$many $wanted"
        same "$(stored)" "1 8"
    done
    checker '"1,024"' 8 '"8,192"'
    kept t.csv >out
    same "$(stored)" "1024 8192"
    checker 1.024 8 8
    refuses "number_of_nodes is '1.024', not a whole number"
    checker 1 8.5 8
    refuses "accelerators_per_node is '8.5', not a whole number"
    checker 1 8 8x
    refuses "total_accelerators is '8x', not a whole number"
    checker 1 8 N/A
    kept t.csv >out
    same "$(stored)" "1 8"
}

@test "llama-bench CSV: the rate 1,234 is refused as ambiguous, and read where its column decides" {
    bench() { # RATE OF THE FIRST ROW, OF THE SECOND
        echo 'build_commit,build_number,gpu_info,backends,model_type,n_prompt,n_gen,avg_ns,stddev_ns,avg_ts,stddev_ts'
        echo "abc,1,Acme A1,CUDA,llama 1B Q8_0,512,0,64000000,0,\"$1\",0"
        echo "abc,1,Acme A1,CUDA,llama 1B Q8_0,0,128,640000000,0,\"$2\",0"
    }
    rates() {
        rm -f one.db
        abdb import -q t.csv --db one.db >/dev/null 2>&1 || true
        sqlite3 one.db "SELECT group_concat(value, ' ') FROM (SELECT value FROM v_result WHERE metric = 'tokens_per_s' ORDER BY 1)"
    }
    bench 1,234 2,500 >t.csv
    refuses "not a number for certain, but 1234 or 1.234"
    same "$(sqlite3 one.db "SELECT count(*) FROM reject")" 2
    bench 1,234 200.5 >t.csv
    same "$(rates)" "200.5 1234.0"
    bench 1234,5 200,5 >t.csv
    same "$(rates)" "200.5 1234.5"
}

@test "consoles: a number with a decimal comma or thousands marks is read right or refused, and no row vanishes" {
    mkdir commas
    same "$(python3 "$root/tests/checks/console_commas.py" "$build/abdb" "$fixtures" commas)" "0 differences in 45 files"
    printf '** Dtype: torch.bfloat16\nTried  3 shapes => the best outcomes were:\nmean:   700,512 TFLOPS @ 3072x2048x4096 (MxNxK)\n' >t.txt
    run abdb import t.txt
    fails 5 "flops_per_s is '700,512', not a number for certain, but 700512 or 700.512"
    sed -i 's/700,512/1 200/' t.txt # a blank groups here
    run abdb import t.txt
    fails 5 "no rate, or no shape of three numbers"
}

@test "another spelling of any number in any fixture changes neither the stored number nor the fact" {
    mkdir spellings
    python3 "$root/tests/checks/number_spellings.py" "$build/abdb" "$fixtures" spellings >out
    same "$(grep -v 'spellings tried' out)" ""
    read -r tried _ _ accepted _ <<<"$(tail -1 out)"
    # 156 columns, three spellings of each; with THOROUGH all seven
    [ "$tried" -ge 468 ]
    [ "$accepted" -ge 213 ]
}

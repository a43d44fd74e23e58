#!/usr/bin/env bats
# typed.bats - the command line as people type it: names without columns, near values, terminals, completion.
load common
bats_require_minimum_version 1.5.0

setup_file() {
    export shared=$BATS_FILE_TMPDIR/shipped.db
    "$build/abdb" import -q data --db "$shared"
}

# On a terminal of that width, without a pager.
on_screen() { # WIDTH COMMAND...
    local width=$1
    shift
    printf '%q ' "$@" >command
    ABDB_PAGER=cat NO_COLOR=1 script -qec "stty cols $width rows 40; . ./command" /dev/null | tr -d '\r'
}

@test "a bare word selects a device, a workload, a scenario or a round" {
    export ABDB_DB=$shared
    same "$(abdb compare B200-SXM MI355X --where llama2-70b-99,server --per device -o csv 2>/dev/null | cut -d, -f3-)" \
        "$(abdb compare device=B200-SXM device=MI355X --where model=llama2-70b-99,scenario=Server --per device -o csv 2>/dev/null | cut -d, -f3-)"
    same "$(abdb rank llama2-70b-99 server 6.0 -o csv 2>/dev/null)" \
        "$(abdb rank --workload llama2-70b-99 --scenario Server --where round=v6.0 -o csv 2>/dev/null)"
    same "$(abdb rank llama2-70b-99 'server' --where "'NVIDIA'" -o csv 2>/dev/null)" \
        "$(abdb rank llama2-70b-99 --scenario Server --where submitter=NVIDIA -o csv 2>/dev/null)"
}

@test "an ambiguous or unknown word is refused with its candidates" {
    export ABDB_DB=$shared
    run abdb compare H100 B200-SXM
    fails 2 "'H100' is not one: did you mean H100-"
    [[ "$output" == *H100-NVL*H100-SXM* ]]
    run abdb rank serverr
    fails 2 "nothing here is called 'serverr', did you mean 'Server'?"
    abdb import -q "$fixtures/checker.csv" --db t.db
    sqlite3 t.db "UPDATE description SET tag = 'closed' WHERE description_id = 1"
    run abdb rank closed --db t.db
    fails 2 "'closed' is ambiguous: say tag=closed or division=closed"
    run abdb rank "'llama2-70b-99" --db "$shared"
    fails 2 "a quote is open"
}

@test "a model name without results selects the benchmark with results, with a note" {
    export ABDB_DB=$shared
    run --separate-stderr abdb rank llama2-70b server --limit 1
    fails 0 "workload llama2-70b-99 "
    [[ "$stderr" == *"taken for llama2-70b-99"* ]]
    run abdb query mlperf-llm --model llama2-70b --round 6.0 --scenario server --limit 1
    fails 0 "! --model llama2-70b: nothing here is called so, taken for llama2-70b-99"
    [[ "$output" == *"B300-SXM"* && "$output" == *" v6.0 llama2-70b-99 Server"* ]]
    same "$(abdb query specs --vendor nvidia -o csv 2>/dev/null)" "$(abdb query specs --vendor NVIDIA -o csv 2>/dev/null)"
    run abdb query mlperf-llm --model nosuch
    fails 2 "nothing here is called 'nosuch'"
}

@test "a prefix of one device selects it with a note; a prefix of several is refused with their list" {
    export ABDB_DB=$shared
    run --separate-stderr abdb compare b200 mi355x --where llama2-70b-99,server --per device -o csv
    same "$output" "$(abdb compare B200-SXM MI355X --where llama2-70b-99,server --per device -o csv 2>/dev/null | sed 's/^B200-SXM,MI355X/b200,mi355x/')"
    [[ "$stderr" == *"device 'b200' is taken for B200-SXM"* ]]
    run abdb query specs --device h100
    fails 2 "--device: 'h100' may be H100-NVL, H100-NVL-pair, H100-PCIe, H100-SXM; all of them: h100*"
    same "$(abdb query specs --device 'h100*' -o csv 2>/dev/null)" "$(abdb query specs --device 'H100*' -o csv 2>/dev/null)"
    [ "$(abdb query specs --device 'h100*' -o csv 2>/dev/null | wc -l)" -ge 4 ]
    same "$(abdb query specs --device gaudi2 -o csv 2>/dev/null)" "$(abdb query specs --device Gaudi2 -o csv 2>/dev/null)"
    tried() { # WORDS TOLD
        run abdb $1
        fails 2 "$2"
    }
    tried "specs" "the report of that name is \`abdb query specs\`"
    tried "list" "that is \`abdb query\`"
    tried "--json query specs" "no verb '--json': options stand behind it"
    tried "plot mlperf" "did you mean 'mlperf-llm', 'mlperf-rounds'"
    tried "plot training -o x.png" "did you mean --out?"
    tried "plot training x.png" "training takes no words: --out x.png"
    tried "query specs --csv" "did you mean --format csv?"
    tried "query specs h100" "--device VALUE"
    tried "query specs amd" "specs takes no words: --vendor amd"
    tried "plot mlperf-rounds MI355X" "mlperf-rounds takes no words: --devices MI355X"
    tried "plot mlperf-rounds server" "mlperf-rounds takes no words: --scenario server"
    tried "plot training --bundle b --out x.svg" "--bundle DIR is where all is written: no --out beside it"
    tried "rank llama2-70b --where value>6,000" "nothing here is called '000'; ',' joins conditions, so a number is written 6000, 6k or 0.05"
    tried "rank llama2-70b --where tpot_s<0,05" "nothing here is called '05'"
    tried "plot prices" "prices is a report without a figure: \`abdb query prices\`"
    tried "plot compare A B" "compare is a command, no figure: \`abdb compare\`"
    tried "plot mlperf-rounds --only B200-SXM" "did you mean --devices?"
    tried "choose llama2-70b --budget 20" "did you mean --max-usd-per-hour?"
    tried "choose llama2-70b --users 200" "did you mean --rate 4k/s (users x tokens per second of each)?"
    tried "choose llama2-70b --price-kind reserved" "there are any, list, on-demand, spot"
    tried "choose llama-3.3-70b server" "; nearest: llama2-70b-99, "
    tried "choose fine-tuning" "; what can be chosen: 3d-unet-99, "
    tried "choose fine-tuning --time-to-train 2h" "; trainings: bert, "
    run abdb choose "llama 3.1 70b" server --rate 12k/s
    fails 2 "; nearest: llama2-70b-99, "
    run abdb query "best gpu"
    fails 2 "is neither a report nor SQL: \`abdb query --search 'best gpu'\` finds reports and figures"
    run abdb query "SELEC 1"
    fails 2 "\`abdb query --search 'SELEC 1'\`"
    run abdb query "SELECT 1 1"
    fails 2 "syntax error"
    same "$(abdb plot choose llama2-70b interactive --today 2026-11-25 --script 2>/dev/null)" "$(abdb plot choose --selection llama2-70b,interactive --today 2026-11-25 --script 2>/dev/null)"
    tried "rank llama2-70b --top 3" "did you mean --limit?"
    tried "compare tag=a tag=b --gate" "did you mean --fail-on slower?"
    tried "help quer" "did you mean 'query'?"
    tried "query peaks -o gitlab" "GitLab reads junit, which abdb compare writes: -o junit"
    tried "explain b200-sxm" "b200-sxm is a device; its facts: \`abdb query specs --device 'B200-SXM'\`"
    tried "explain llama2-70b-99" "llama2-70b-99 is a model; its facts: "
    tried "rank lora" "nothing here is called 'lora'; did you mean llama2_70b_lora?"
    tried "rank graphcore" "nothing here is called 'graphcore'; did you mean vendor=Graphcore"
    run abdb query "SELECT count(*) form v_result"
    fails 2 "did you mean 'FROM'?"
    same "$(abdb query $'-- how many\nSELECT 1 AS n' -o csv)" $'n\n1'
    [ ! -e training.svg ]
}

@test "the three stories of the first help have at most three commands each, and run on a fresh database" {
    abdb --help | awk '/^Choose|^Make|^Stop/ { story++ } /^    abdb / { print story "\t" substr($0, 5) }' >stories
    same "$(cut -f1 stories | uniq -c | awk '$1 <= 3' | wc -l)" 3
    export ABDB_DB=own.db
    while IFS=$'\t' read -r story command; do
        [ "$story" = 3 ] || bash -c "$command" >said 2>&1 || { echo "$command"; cat said; false; }
    done <stories
    grep -q "still give this figure" said
    # the programs are the reader's; what is measured of them is tried in commands.bats
    while read -r verb options; do
        for option in $(grep -oE -- '--[a-z-]+' <<<"$options"); do abdb "$verb" --help | grep -q -- "$option"; done
    done < <(grep ^3 stories | cut -f2 | sed 's/^abdb //')
}

@test "a prefix of another model does not select it" {
    export ABDB_DB=$shared
    run abdb rank llama2-70b-99 server --where round=v4.0
    fails 2 "no result matches" # those of llama2-70b-99.9 are others
    run abdb rank llama3.1 server
    fails 2 "no result matches"
    run abdb query mlperf-llm --model llama3.1
    fails 2 "'llama3.1' may be llama3.1-405b, llama3.1-8b"
    run abdb query mlperf-llm --round v6
    fails 2 "nothing here is called 'v6'"
    # results of a training are no rates; nobody asked for another model
    run abdb choose --model stable_diffusion
    fails 2 "'stable_diffusion' is a training, which has a time and no rate: --time-to-train 2h (or any)"
}

@test "the database may be named before the verb" {
    same "$(abdb --db "$shared" query sources -o csv 2>/dev/null)" "$(abdb query sources -o csv --db "$shared" 2>/dev/null)"
    same "$(abdb --db="$shared" query sources -o csv 2>/dev/null)" "$(abdb query sources -o csv --db "$shared" 2>/dev/null)"
    # verbs whose first word is a name of their own
    abdb --db "$shared" plot training --script | grep -q '^# training.gp'
    same "$(abdb --db="$shared" explain perf-per-dollar exaflop_per_usd device=Gaudi2)" "$(abdb explain perf-per-dollar exaflop_per_usd device=Gaudi2 --db "$shared")"
    run abdb --db
    fails 2 "no verb"
}

@test "mistyped columns, views and functions are refused with the nearest name" {
    export ABDB_DB=$shared
    run abdb query "SELECT r.scenrio FROM v_result r"
    fails 2 "line 1: no such column: r.scenrio near 'r.scenrio FROM v_result r', did you mean 'scenario'?"
    run abdb query "SELECT r.tag, r.value FROM v_run r" # there is such a column, elsewhere
    fails 2 "no such column: r.value near 'r.value FROM v_run r'; it is in v_result, "
    [[ "$output" != *"did you mean"* ]]
    run abdb query "SELECT * FROM v_reslt"
    fails 2 "did you mean 'v_result'?"
    run abdb query "SELECT medain(value) FROM v_result"
    fails 2 "did you mean 'median'?"
    run abdb query "SELECT FROM FROM v_result"
    fails 2 "syntax error"
    [[ "$output" != *"did you mean"* ]]
}

@test "abdb query lists every report by group with its question" {
    abdb query --all >list
    # join questions that are wrapped
    awk '/^  [^ ]/ { if (row) print row; row = $0; next } /^   / { row = row $0; next } { if (row) print row; row = "" } END { if (row) print row }' list | tr -s ' ' >rows
    for report in "$root"/query/reports/*.sql; do
        name=$(basename "$report" .sql)
        question=$(sed -n 's/^-- question: //p' "$report")
        group=$(sed -n 's/^-- group: //p' "$report")
        [ -n "$question" ] && grep -qxF "$group" list || { echo "$name: its group '$group' is no heading of abdb query"; false; }
        grep -qxF " $name $question" rows || { echo "$name: abdb query lists another question"; false; }
    done
    no grep -q "{" list
    # without --all a dozen of them, and how many more there are
    run abdb query
    first=$(grep -l '^-- first: yes' "$root"/query/reports/*.sql | wc -l)
    [[ $first -ge 10 && $first -le 14 ]]
    fails 0 "$(($(ls "$root"/query/reports/*.sql | wc -l) - first)) more: \`abdb query --all\`"
    same "$(grep -cE '^  [a-z][a-z-]+ ' <<<"$output")" "$((first + 2))" # and two examples of SQL
    run abdb query specs --all
    fails 2 "--all lists every report"
}

@test "query --search finds reports and columns by a word" {
    export ABDB_DB=$shared
    run abdb query --search "pareto price"
    fails 0 "price-performance"
    run abdb query --search "accuracy target"
    fails 0 "columns of public views"
    run abdb query --search nosuchword
    fails 2 "nothing that can be asked speaks of 'nosuchword'"
}

@test "a table fits the terminal and names its left-out columns; other outputs are never cut" {
    command -v script >/dev/null || skip "no script(1)"
    export ABDB_DB=$shared
    for width in 40 80 132; do
        for command in "rank llama2-70b-99 server" "compare B200-SXM MI355X --where llama2-70b-99,server" "query specs --vendor AMD" "query prices"; do
            on_screen $width abdb $command >got
            [ -s got ]
            widest=$(python3 -c "import sys, unicodedata as u
print(max(sum(2 if u.east_asian_width(c) in 'WF' else 0 if u.combining(c) else 1 for c in l.rstrip('\n'))
          for l in open('got', encoding='utf-8') if ' ' in l.strip()))") # a long word, a URL, stands alone
            [ "$widest" -le "$width" ] || { echo "$command: $widest columns on $width"; cat got; false; }
        done
    done
    on_screen 80 abdb rank llama2-70b-99 server | grep -q "no room on this screen"
    abdb rank llama2-70b-99 server >whole
    no grep -q "no room" whole
    awk 'length > 150 { found = 1 } END { exit !found }' whole
}

@test "a terminal gets at most nine columns of every report; --wide, --columns, SQL and files get all" {
    command -v script >/dev/null || skip "no script(1)"
    export ABDB_DB=$shared
    columns() { tr -d '\r' | awk '/^$/ { head = 1; next } head { gsub(/  +/, "\t"); print split($0, names, "\t"); exit }'; }
    cat >asks <<'END'
rank llama2-70b-99 server --per device
rank llama2-70b-99 --per dollar
rank llama2-70b-99,llama3.1-8b --per device --why
END
    abdb query --names | sed 's/^/query /' >>asks
    while read -r ask; do
        n=$(on_screen 1000 abdb $ask 2>/dev/null </dev/null | columns)
        [ "${n:-0}" -le 9 ] || { echo "$ask: $n columns"; false; }
    done <asks
    on_screen 1000 abdb query specs | grep -q 'no room on this screen; --wide has as many as fit, -o csv all columns'
    same "$(on_screen 1000 abdb query specs --wide | columns)" 13
    same "$(abdb query specs | columns)" 13
    same "$(on_screen 1000 abdb query "SELECT 1 AS a, 2 AS b, 3 AS c, 4 AS d, 5 AS e, 6 AS f, 7 AS g, 8 AS h, 9 AS i, 10 AS j, 11 AS k" | head -1 | wc -w)" 11
    same "$(on_screen 1000 abdb query prices --columns device,amount,devices,provider,instance,kind,region,valid_from,source,locator | columns)" 10
}

@test "every warning for people is also in the column warnings of every row" {
    export ABDB_DB=$shared
    for ask in "choose llama2-70b-99 server --rate 100k/s" "choose llama2-70b-99 server --rate 100k/s --own B200-SXM=45000" "rank llama2-70b-99 server --per dollar" \
        "compare B200-SXM MI355X --where llama2-70b-99,server,round=v6.0 --per dollar" "compare B200-SXM MI355X --where llama2-70b-99,server,round=v6.0"; do
        abdb $ask --today 2026-11-25 -o json >rows 2>said || abdb $ask -o json >rows 2>said
        jq -r '.[].warnings // ""' rows >warnings
        while IFS= read -r line; do
            same "$(grep -cF -- "${line#! }" warnings)" "$(jq length rows)"
        done < <(grep '^! ' said)
        grep -q '^! ' said || { echo "$ask warns of nothing"; cat said; false; }
        abdb $ask -o csv 2>/dev/null | head -1 | grep -q warnings
    done
}

@test "a pager is used on a terminal only; a pager that ends early is no error" {
    command -v script >/dev/null || skip "no script(1)"
    export ABDB_DB=$shared
    printf '#!/bin/sh\ncat >paged\n' >pager
    chmod +x pager
    ABDB_PAGER=./pager NO_COLOR=1 script -qec "abdb query sources" /dev/null >screen
    grep -q "^Sources" paged
    [ ! -s screen ]
    rm paged
    ABDB_PAGER=./pager abdb query sources >/dev/null
    ABDB_PAGER=./pager script -qec "abdb query sources -o csv" /dev/null >/dev/null
    [ ! -e paged ]
    printf '#!/bin/sh\nhead -1 >paged\n' >pager
    ABDB_PAGER=./pager script -qec "abdb query specs; abdb query prices" /dev/null >screen
    no grep -q "cannot write" screen
    # One that reads nothing, and an answer that no pipe holds: status 0.
    ABDB_PAGER="true; exec <&-; sleep 1" script -qec "abdb query 'SELECT hex(zeroblob(100000))'" /dev/null >screen
    [ ! -s screen ]
    ABDB_PAGER=nosuchprogram script -qec "abdb query sources" /dev/null >screen || true
    grep -q "no pager 'nosuchprogram' can be run" screen
    grep -q "^Sources" screen # and nothing is lost
    ABDB_PAGER="LESS=FRX ./pager2 x" script -qec "abdb query sources" /dev/null >screen || true
    no grep -q "can be run" screen # what a shell reads is left to it
}

@test "--brief leaves out all but the rows, and names the left-out parts" {
    export ABDB_DB=$shared
    for command in "rank llama2-70b-99 server --limit 2" "compare B200-SXM MI355X --where llama2-70b-99,server" "query mlperf-llm"; do
        abdb $command --brief >brief
        abdb $command >whole
        grep -q "notes left out, footnotes among them: --brief" brief
        no grep -q "MLPerf name and logo" brief
        grep -q "MLPerf name and logo" whole
        grep "B200-SXM" whole | head -1 | grep -qxFf - brief
    done
    same "$(abdb query sources --brief -o csv 2>/dev/null)" "$(abdb query sources -o csv 2>/dev/null)"
}

@test "--columns selects and orders columns in every format, and keeps notes and warnings" {
    export ABDB_DB=$shared
    abdb rank llama2-70b-99 server --limit 2 >whole
    run abdb rank llama2-70b-99 server --limit 2 --columns 'system, device'
    fails 0 "MLPerf name and logo"
    same "$(head -1 <<<"$output")" "$(head -1 whole)"
    [[ $output =~ $'\n'system\ +device$'\n' ]]
    # rows that may not be compared look alike where their group is left out
    fails 0 "! rows differ in group, round, weights, left out by --columns"
    run abdb rank llama2-70b-99 server --limit 2 --columns group,round,weights,value --brief
    [[ $output != *"rows differ"* ]]
    same "$(abdb query specs --vendor AMD --columns memory_gb,device -o csv 2>/dev/null)" "$(abdb query specs --vendor AMD --json 2>/dev/null | jq -r '["memory_gb", "device"], (.[] | [.memory_gb, .device]) | "\(.[0] // ""),\(.[1])"')"
    same "$(abdb query specs --vendor AMD --columns device --json 2>/dev/null | jq -c '[.[] | keys[]] | unique')" '["device"]'
    # a mark stays with its column; a column that stood above the table is one where it is asked for
    abdb query mlperf-llm --round v6.0 --model llama2-70b-99 --scenario Server >whole
    abdb query mlperf-llm --round v6.0 --model llama2-70b-99 --scenario Server --columns tokens_per_s,scenario >some
    no grep -q '^ *tokens/s.*scenario' whole
    grep -q '^ *tokens/s  *scenario' some
    same "$(grep -c "MLPerf" some)" "$(grep -c "MLPerf" whole)"
    for verb in "choose llama2-70b-99 --rate 50k/s" "compare B200-SXM MI355X --where llama2-70b-99,server" "audit gaps" "query 'SELECT 1 AS a, 2 AS b'"; do
        run eval "abdb $verb --columns nosuch"
        fails 2 "no column 'nosuch'; there are: "
    done
    same "$(abdb query "SELECT 1 AS a, 2 AS b" --columns b,a -o markdown | tail -1)" "| 2 | 1 |"
    run abdb query specs --columns devcie
    fails 2 "no column 'devcie', did you mean 'device'?"
    run abdb query specs --columns device,device
    fails 2 "--columns has 'device' twice"
    run abdb query specs --columns ''
    fails 2 "--columns wants names of columns"
    run abdb compare B200-SXM MI355X --where llama2-70b-99,server -o junit --columns ratio
    fails 2 "--columns is for tables"
}

@test "completion offers verbs, options, reports, and values of options and selections" {
    export ABDB_DB=$shared
    complete() { abdb help --complete -- "$@" | cut -f1 | tr '\n' ' '; }
    same "$(complete quer)" "query "
    same "$(complete query mlperf-l)" "mlperf-llm "
    same "$(complete query mlperf-llm --acc)" "--accelerator "
    same "$(complete query mlperf-llm --round v5)" "v5.0 v5.1 "
    same "$(complete compare device=B2)" "device=B200-SXM "
    same "$(complete compare B200-SXM --where llama2-70b-99,scenario=Se)" "llama2-70b-99,scenario=Server llama2-70b-99,scenario=serving "
    same "$(complete rank --per d)" "device dollar "
    same "$(complete run --kernel gem)" "gemm "
    same "$(complete plot price-perf)" "price-performance "
    same "$(complete query specs -o la)" "latex "
    same "$(complete export -o s)" "sql "
    same "$(complete import --format hyper)" "hyperfine "
    same "$(complete choose --uti)" "--utilisation "
    same "$(complete choose --per d)" "device dollar "
    same "$(complete choose --model llama2-70b-99)" "llama2-70b-99 llama2-70b-99.9 "
    same "$(complete choose llama2-70b-99,scenario=Off)" "llama2-70b-99,scenario=Offline "
    same "$(complete --db "$shared" quer)" "query "
    same "$(ABDB_DB=none.db complete --db="$shared" compare device=B2)" "device=B200-SXM "
    same "$(complete import some)" ""
    same "$(complete nosuchverb x)" ""
    ABDB_DB=none.db run abdb help --complete -- compare device=B2
    same "$status $output" "0 "
}

@test "completion works in bash, zsh and fish" {
    export ABDB_DB=$shared
    abdb help --completion bash >c
    run bash -c 'source c; COMP_WORDS=(abdb compare device = B2); COMP_CWORD=4; _abdb; echo "${COMPREPLY[@]}"'
    same "$output" "B200-SXM"
    run bash -c 'source c; COMP_WORDS=(abdb rank --workload "GPT-2 "); COMP_CWORD=3; _abdb; echo "${COMPREPLY[0]}"'
    [[ "$output" == 'GPT-2\ '* ]]
    run abdb help --completion tcsh
    fails 2 "there are bash, zsh and fish"
    abdb help --completion zsh >z
    abdb help --completion fish >f
    if command -v zsh >/dev/null; then zsh -n z; fi
    if command -v fish >/dev/null; then
        same "$(fish -c 'source f; complete -C "abdb query mlperf-l"' | cut -f1)" "mlperf-llm"
    fi
}

@test "doctor --json is valid JSON; plot with redirected output writes the picture there; ^C gives exit 130" {
    abdb doctor --json >got
    same "$(python3 -c "import json; print(sorted({r['state'] for r in json.load(open('got'))} - {'absent', 'warning'}))")" "['ok']"
    export ABDB_DB=$shared
    abdb plot mlperf-llm >picture.svg
    head -1 picture.svg | grep -q "<?xml"
    same "$(abdb plot mlperf-llm | cat)" "mlperf-llm.svg"
    run timeout --preserve-status -s INT 1 "$build/abdb" query "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT count(*) FROM t"
    same "$status" 130
}

@test "options may stand before the name of a figure or a report" {
    filled "$root/data"
    abdb plot --db "$ABDB_DB" training --out one.svg >/dev/null
    abdb plot --out two.svg --size card training --db "$ABDB_DB" >/dev/null
    [[ -s one.svg && -s two.svg ]]
    same "$(abdb query --db "$ABDB_DB" -o csv specs --device H100-SXM 2>/dev/null | wc -l)" 2
    run abdb plot --set nosuch
    fails 2 "no figure belongs to a set 'nosuch'"
}

@test "one added user row leaves every answer the same, or a note names the changed meaning" {
    cp "$shared" was.db
    head=evidence,source,workload,model,scenario,device,devices,nodes,dtype,metric,value,unit,locator,tag
    for row in "unrelated measured,mine,my-loop,my-net,batch,MyCard,1,1,fp16,tokens_per_s,3,token/s,a,nightly" \
        "model measured,mine,serving,llama2-70b,Server,H100-SXM,8,1,fp8,tokens_per_s,20000,token/s,a," \
        "prefix measured,mine,serving,mixtral,Server,H100-SXM,8,1,fp8,tokens_per_s,20000,token/s,a," \
        "tag measured,mine,my-loop,my-net,Offline,MyCard,8,1,fp8,tokens_per_s,20000,token/s,a,server"; do
        cp was.db "${row%% *}.db"
        printf '%s\n%s\n' "$head" "${row#* }" >row.csv
        [ "${row%% *}" != prefix ] || for name in llama2 llama2_70b llama3.1 resnet B200; do
            echo "measured,mine,serving,$name,Server,H100-SXM,8,1,fp8,tokens_per_s,20000,token/s,$name," >>row.csv
        done
        abdb import -q --db "${row%% *}.db" row.csv
    done
    local turn=0 asked=0
    while read -r question; do
        turn=$((turn + 1))
        was=$(abdb $question --db was.db 2>/dev/null) || true
        for one in unrelated model prefix tag; do
            thorough || [ $one != tag ] || [ $((turn % 3)) -eq 1 ] || continue
            asked=$((asked + 1))
            is=$(abdb $question --db $one.db 2>said) || true
            # the benchmark stays the same; only a note counts what else has the name
            [ "$(grep -v 'taken for' <<<"$is")" != "$(grep -v 'taken for' <<<"$was")" ] || continue
            [ $one != unrelated ] && [ $one != model ] || { echo "$question is answered otherwise with a $one more"; diff <(echo "$was") <(echo "$is"); }
            { cat said; echo "$is"; } | grep -Eq "'mixtral' is taken for mixtral \(1 here\); also: mixtral-8x7b \([0-9]|'server' is ambiguous: say tag=server or scenario=Server" ||
                { echo "$question with a $one more: $(cat said)"; diff <(echo "$was") <(echo "$is"); }
        done
    done <<'Q'
rank --workload llama2-70b --scenario Server --per device
rank llama2-70b,round=v6.0,scenario=Server --per device
rank resnet50 offline
compare model=llama2-70b model=llama3.1-8b
compare b200 mi355x --where llama2-70b-99,server --per device
compare device=A100-SXM-80GB device=Gaudi2 --where source=databricks-gaudi2 --per dollar
choose llama2-70b server --rate 100k/s --today 2026-11-25
choose llama2-70b --rate 100k/s --today 2026-11-25 --brief
choose mixtral server --today 2026-11-25 --brief
choose --today 2026-11-25 --brief
choose --model llama2_70b_lora --time-to-train 30min --today 2026-11-25 --brief
why H200-SXM B200-SXM --where llama2-70b-99,server,round=v5.1
query mlperf-llm --model llama2-70b --round 6.0 --scenario server
query specs --device B200
explain choose usd_per_hour device=H200-SXM --today 2026-11-25
Q
    [ "$asked" -ge 13 ]
    # one name, of which each side has something else
    run abdb compare llama2-70b,source=mine llama2-70b,B200-SXM --where scenario=Server --per device --db model.db
    fails 2 "'llama2-70b' would be Llama2-70B for A and llama2-70b-99 for B, since each has no other results: write these names in its place"
    run abdb compare source=mine B200-SXM --where llama2-70b,scenario=Server --per device --db model.db
    fails 2 "as 'source=mine,Llama2-70B' 'B200-SXM,llama2-70b-99'"
    abdb compare llama2-70b-99,H100-SXM llama2-70b-99,B200-SXM --where scenario=Server --per device --db model.db >/dev/null
    # what it was taken for stands in brief answers, too; the own row is found by its spelling or its source
    for brief in "" --brief; do
        abdb choose llama2-70b server --rate 100k/s $brief --db model.db |
            grep "^! work 'llama2-70b' is taken for llama2-70b-99 ([0-9]* here); also: Llama2-70B (1), llama2-70b-99.9 ("
    done
    for own in "Llama2-70B server" "llama2-70b server --where source=mine"; do
        run abdb rank $own --db model.db
        fails 0 "workload Llama2-70B "
    done
}

#!/usr/bin/env bats
# history.bats - series along commits: the place of a change, verdicts, machines apart, the order of commits, simulations.
load common
load processes

series() { # VALUES of an awk program over i, COUNT, FACTORS (a jq program over $i): one process a command
    local i
    for i in $(seq "$2"); do
        told run "c-$((1000 + i))" "$(awk -v i="$i" "BEGIN { print ($1) * (1 + (i * 7 % 5 - 2) / 1000) }")" 1 0 "" "ref gemm n=512" "$(jq -nc --argjson i "$i" "${3:-{\}}")"
    done | jq -c 'del(.field.tag)' >series.jsonl
    rm -f "$ABDB_DB"
    abdb import -q series.jsonl
}
found() { abdb query history -o jsonl 2>/dev/null | jq -c 'select(.change == 1) | [.run, (.ratio * 100 | round), .between]' | tr '\n' ' '; }

@test "history places a change at its first run, also near the end, and keeps it as runs are added" {
    for n in 18 19 20 24; do
        series "i > 14 ? 1.186 : 1" $n
        same "$(found)" '[15,119,null] '
        run abdb query history --fail-on changed
        fails 1 "has changed"
    done
    series "i > 14 && i <= 20 ? 1.186 : 1" 30 # mended: the level is back, and that is a second change
    same "$(found)" '[15,119,null] [21,84,null] '
    same "$(abdb query "SELECT place, low, high FROM abdb_changes('[1,1.01,0.99,1,1.01,1,1.06,1.12,1.13,1.11,1.12,1.12,1.13,1.11]')" -o csv | tail -1)" 7,7,8
}

@test "each series has a verdict, its detectable change, and the number of commands that it needs" {
    last() { abdb query history -o jsonl 2>/dev/null | jq -c 'select(.verdict) | [.verdict, .shows == null, .wants, .unjudged]'; }
    series 1 7
    same "$(last)" '["too-few",true,3,1]'
    abdb query history --fail-on changed
    run abdb query history --fail-on changed,unjudged
    fails 1 "has changed,unjudged"
    [[ $output == *"1 of 1 cell is too-few"* ]]
    series 1 16
    same "$(last)" '["same",false,0,0]'
    same "$(abdb query history -o jsonl 2>/dev/null | jq 'select(.verdict) | .shows > 0.001 and .shows < 0.05')" true
    abdb query history --fail-on changed,unjudged
    series "i > 8 ? 1.2 : 1" 16
    same "$(last)" '["changed",false,0,0]'
    same "$(abdb query "SELECT verdict FROM abdb_verdict('[1,2,1,2,9,1,3,1,2,9,1]')" -o csv | tail -1)" too-few # it would not show a doubling
}

@test "runs with another node, number of threads, quota, warm-up, output, processor or power limit form another series" {
    for factor in node threads cpu_quota warmup output; do
        series "i > 12 ? 1.12 : 1" 24 "{commit: \"c\\(\$i)\", $factor: (if \$i > 12 then \"8\" else \"4\" end)}"
        abdb query history --fail-on changed,unjudged
        same "$(abdb query history -o jsonl 2>/dev/null | jq -r .label | sort -u)" "ref gemm n=512 $factor=4"$'\n'"ref gemm n=512 $factor=8"
    done
    # programs are given no output by default: older runs do not have this factor
    series "1" 24 '{commit: "c\($i)"} + if $i > 12 then {output: "null"} else {} end'
    same "$(abdb query history -o jsonl 2>/dev/null | jq -r .label | sort -u)" "ref gemm n=512"
    series "i > 12 ? 1.12 : 1" 24
    jq -c 'if .field.campaign > "c-1012" then .environment = "{\"gpu_power_limit\": \"300 W\"}" else .environment = "{\"gpu_power_limit\": \"400 W\"}" end' series.jsonl >apart.jsonl
    rm -f "$ABDB_DB"
    abdb import -q apart.jsonl
    abdb query history --fail-on changed,unjudged
    same "$(abdb query history -o jsonl 2>/dev/null | jq -r .label | sort -u)" $'ref gemm n=512 300 W\nref gemm n=512 400 W'
    series "i > 12 ? 1.12 : 1" 24
    jq -c 'if .field.campaign > "c-1012" then .environment = "{\"host_processor_model_name\":\"B\"}" else .environment = "{\"host_processor_model_name\":\"A\"}" end' series.jsonl >apart.jsonl
    rm -f "$ABDB_DB"
    abdb import -q apart.jsonl
    abdb query history --fail-on changed,unjudged
    same "$(abdb query history -o jsonl 2>/dev/null | jq -r .label | sort -u)" $'ref gemm n=512 A\nref gemm n=512 B'
}

@test "commits are sorted by date; without a date for each, by time of measuring" {
    # measured from the newest to the oldest: the 13th commit is slower
    series "25 - i >= 13 ? 1.2 : 1" 24 '{commit: "c\(25 - $i)", commit_date: "2026-01-\(130 - $i | tostring[1:])T00:00:00Z"}'
    same "$(abdb query history -o jsonl 2>/dev/null | jq -c 'select(.change == 1) | [.commit, (.ratio * 10 | round)]')" '["c13",12]'
    series "25 - i >= 13 ? 1.2 : 1" 24 '{commit: "c\(25 - $i)"} + if $i > 1 then {commit_date: "2026-01-\(130 - $i | tostring[1:])T00:00:00Z"} else {} end'
    same "$(abdb query history -o jsonl 2>/dev/null | jq -c 'select(.change == 1) | [.commit, (.ratio * 10 | round)]')" '["c12",8]'
}

@test "--commit stores a commit and its date for any program, and history sorts by it" {
    git init -q repo
    cd repo
    git -c user.name=a -c user.email=a@b.c -c commit.gpgsign=false commit -q --allow-empty -m one --date 2026-01-02T03:04:05+01:00
    abdb run -q --command a=true --commit auto --repeat 2
    said() { abdb query "SELECT DISTINCT text FROM v_run_factor WHERE factor = '$1'" -o csv | tail -n +2; }
    same "$(said commit)" "$(git rev-parse HEAD)"
    same "$(said commit_date)" "$(TZ=UTC git log -1 --date=format-local:%Y-%m-%dT%H:%M:%SZ --format=%cd)"
    abdb run -q --command a=true --commit v9 --repeat 2
    same "$(abdb query history -o jsonl 2>/dev/null | jq -r .commit | tail -1)" v9
    same "$(said commit_date | wc -l)" 1
}

@test "history --why: what the other cells did, and what else differs between the two commands of a change" {
    changes() { abdb query history --why -o jsonl 2>/dev/null | jq -c 'select(.change == 1) | [.label, .other_side, .this_side, .moved_by]'; }
    series "i > 14 ? 1.2 : 1" 24 '{commit: (if $i > 14 then "new" else "old" end)}'
    same "$(changes)" '["ref gemm n=512",null,null,"this side: commit old > new"]'
    same "$(abdb query history -o jsonl 2>/dev/null | jq -c 'select(.change == 1) | .moved_by')" null
    series "i > 14 ? 1.2 : 1" 24 '{library: (if $i > 14 then "BLIS 1" else "BLIS 0.9" end)}'
    same "$(changes)" '["ref gemm n=512",null,null,"the method: library BLIS 0.9 > BLIS 1"]'
    series "i > 14 ? 1.2 : 1" 24 '{commit: (if $i > 14 then "new" else "old" end), driver: (if $i > 14 then "570" else "560" end)}'
    same "$(changes)" '["ref gemm n=512",null,null,"this side and the method together: commit old > new; driver 560 > 570"]'
    series "i > 14 ? 1.2 : 1" 24
    same "$(changes)" '["ref gemm n=512",null,null,"nothing that is recorded differs"]'
    jq -c 'if .field.campaign > "c-1014" then .environment = "{\"compiler\":\"gcc 14\",\"omp_region_s\":1}" else .environment = "{\"compiler\":\"gcc 12\",\"omp_region_s\":2}" end' series.jsonl >cc.jsonl
    rm -f "$ABDB_DB"
    abdb import -q cc.jsonl
    same "$(changes)" '["ref gemm n=512",null,null,"the method: compiler gcc 12 > gcc 14"]'
    # another cell of the same commands tells the machine from this side: 1.2 = 1.5 x 0.8 to the last digits
    mv cc.jsonl first.jsonl
    series "i > 14 ? 1.5 : 1" 24
    sed 's/n=512/n=256/g; s/"512"/"256"/' series.jsonl >second.jsonl
    rm -f "$ABDB_DB"
    abdb import -q first.jsonl second.jsonl
    abdb query history --why -o jsonl 2>/dev/null | jq -c 'select(.change == 1)' >both
    same "$(jq -c '[.label, (.other_side * 100 | round), ((.this_side * .other_side / .ratio - 1 | fabs) < 1e-12), .moved_by]' both)" '["ref gemm n=256",120,true,"nothing that is recorded differs"]
["ref gemm n=512",150,true,"the other cells moved as well; the method: compiler gcc 12 > gcc 14"]'
}

@test "simulated histories have few false alarms, exact places and stable verdicts" {
    BUILD=${BUILD:-build} /usr/bin/python3 "$root/tests/campaigns/simulate_histories.py" 1 >table
    grep -q "placed exactly: 558 of 558" table
}

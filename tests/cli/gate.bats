#!/usr/bin/env bats
# gate.bats - gates on what is measured here: processes as evidence, builds that take turns, what could not be judged.
load common

# Processes of one cell, as abdb run keeps them: each with samples that spread by NOISE about its own luck.
# processes TAG CAMPAIGN SECONDS COUNT [LUCK [FLAGS [CELL [FACTORS]]]]; repetition i is slowed by WALK to the power i.
processes() {
    jq -nc --arg tag "$1" --arg campaign "$2" --argjson time "$3" --argjson count "$4" --argjson luck "${5:-0.002}" --arg flags "${6:-}" \
        --arg cell "${7:-ref gemm n=512}" --argjson factors "${8:-{\}}" --argjson walk "${WALK:-1}" '
        range($count) as $i | ($time * pow($walk; $i) * (1 + $luck * (($i * 37 + ($tag | explode | add) * 7) % 23 / 23 - 0.5))) as $median |
        {record: "entry", origin: null, factor: ({n: "512", clock: "CLOCK_MONOTONIC", bound: "operations"} + $factors),
         field: {evidence: "measured", kind: "run", source: "abdb-run", verified: "pass", workload: ($cell | split(" ")[1]), device: "Box", devices: "1",
                 dtype: "f32", backend: "ref", tag: $tag, campaign: $campaign, flags: $flags,
                 cell: ($cell + if $i > 0 then " #\($i + 1)" else "" end), date: "2026-03-01T00:\($i + 10):00.000Z"},
         process: {campaign: $campaign, backend: "ref", repetition: ($i + 1), start: ($tag | length), started: "2026-03-01T00:\($i + 10):\($tag | explode | add % 50 + 10).000Z"},
         environment: ({compiler: (if $tag == "newcc" then "gcc 14" else "gcc 12" end)} | tojson),
         result: [{metric: "time_s", statistic: "median", value: $median, n: 11,
                   samples: [range(11) | [$median * (1 + (. - 5) * 0.0005), ., -1, null]]}]}' >p.jsonl
    abdb import -q p.jsonl
}
pairs() { # COLUMN ARGUMENTS...: of each pair
    local column=$1
    shift
    abdb compare "$@" -o jsonl 2>/dev/null | jq -r "$column"
}

@test "a process counts once, however many samples it has" {
    processes a c-1 1 2
    processes b c-1 1.3 2
    same "$(pairs .verdict tag=a tag=b)" too-few
    run abdb compare tag=a tag=b
    fails 0 "too-few: 2 and 2 processes: 5 are the least"
    run abdb compare tag=a tag=b --fail-on slower
    fails 1 "1 of 1 cells could not be judged (--missing warn lets them pass): ref gemm n=512 (too-few: 2 and 2 processes"
    abdb compare tag=a tag=b --fail-on slower --missing warn
}

@test "processes that took turns: what drifts cancels, a change stays" {
    WALK=1.05 processes a c-1 1 12
    WALK=1.05 processes b c-1 1 12
    WALK=1.05 processes slow c-1 1.05 12
    WALK=1.05 processes quick c-1 0.95 12
    same "$(pairs .verdict tag=a tag=b)" same
    same "$(pairs .verdict tag=a tag=slow)" slower
    same "$(pairs .verdict tag=a tag=quick)" faster
    same "$(pairs .paired tag=a tag=slow)" yes
    same "$(pairs ".ratio > 1.048 and .ratio < 1.052 and .shows < 0.02" tag=a tag=slow)" true
    run abdb compare tag=a tag=slow --fail-on slower
    fails 1 "1 of 1 cells: ref gemm n=512 (slower: 1.05"
    abdb compare tag=a tag=b --fail-on slower
    # the same numbers of another command are no pairs: then the walk is noise
    WALK=1.05 processes later c-2 1.05 12
    same "$(pairs '[.paired, .verdict] | @csv' tag=a tag=later)" '"no","unclear"'
}

@test "separate commands: the drift is assumed, told, or calibrated" {
    processes before c-1 1 10
    processes after c-2 1.05 10
    processes twice c-3 2 10
    same "$(pairs .verdict tag=before tag=after)" unclear
    same "$(pairs .verdict tag=before tag=twice)" slower
    run abdb compare tag=before tag=after
    fails 0 "this machine drifts by 10.0 % (assumed, because it was never calibrated: abdb run --calibrate)"
    [[ $output == *"1 of 1 pairs cannot show a change of 5 %; no number of processes would."* ]]
    abdb compare tag=before tag=after --fail-on slower
    same "$(pairs .verdict tag=before tag=after --drift 0.002)" slower
    run abdb compare tag=before tag=after --drift 0
    fails 2 "--drift wants a fraction"
    i=0
    for time in 1 1.003 0.998 1.002 0.999 1.001; do processes calibration k-$((i += 1)) "$time" 10 0.002 "" "ref gemm n=64"; done
    same "$(pairs .verdict tag=before tag=after)" slower # a gemm of another size is of its class
    run abdb compare tag=before tag=after
    fails 0 "this machine drifts by 0.2 % (one standard deviation, by abdb run --calibrate)"
    # a machine that differs by 5 % from itself shows no 5 %
    for time in 1 1.1 0.94 1.06 0.97 1.03; do processes calibration k-$((i += 1)) "$time" 10 0.002 "" "ref gemm n=32"; done
    same "$(pairs .verdict tag=before tag=after)" unclear
    # calibrations of another machine say nothing
    sqlite3 "$ABDB_DB" "UPDATE description SET device = 'Another' WHERE tag IN ('before', 'after')"
    abdb doctor --rebuild >/dev/null
    run abdb compare tag=before tag=after
    fails 0 "assumed, because it was never calibrated"
}

@test "unsteady and imprecise runs prove nothing: unclear, never slower" {
    processes a c-1 1 10
    processes shaky c-1 1.5 10 0.002 unsteady
    processes brief c-1 1.5 10 0.002 "quick imprecise"
    for tag in shaky brief; do
        same "$(pairs .verdict tag=a tag=$tag)" unclear
        run abdb compare tag=a tag=$tag --fail-on slower
        fails 0 "unclear: 10 runs are unsteady or imprecise, 10 and 0 are left"
        run abdb compare tag=a tag=$tag --fail-on unclear
        fails 1 "unclear: 10 runs are unsteady"
    done
    # measured again, they count
    processes again c-1 1.5 10
    processes again c-1 9 10 0.002 unsteady
    same "$(pairs '[.verdict, .contender_n] | @csv' tag=a tag=again)" '"slower",10'
}

@test "values and ratio agree, in turn or not, with outliers or without" {
    processes a c-1 1 11 0.2
    processes b c-1 1.02 11 0.3
    processes c c-2 1.04 9 0.4
    for other in b c; do
        same "$(pairs '(.contender_value / .baseline_value / .ratio - 1 | fabs) < 1e-12' tag=a tag=$other)" true
        same "$(pairs '.ratio_low <= .ratio and .ratio <= .ratio_high' tag=a tag=$other)" true
        same "$(pairs '(.verdict == "unclear") == (.p_all > 0.001 or .ratio_low < 1)' tag=a tag=$other)" true
    done
}

@test "what was asked is what is compared: automatic launches are no identity, settings are" {
    processes a c-1 1 10 0.002 "" "ref elementwise rows=100" '{"rows":"100","sample_launches":"1"}'
    processes a c-1 10 10 0.002 "" "ref elementwise rows=1000" '{"rows":"1000","sample_launches":"1"}'
    processes b c-1 1 10 0.002 "" "ref elementwise rows=100" '{"rows":"100","sample_launches":"2"}'
    processes b c-1 10 10 0.002 "" "ref elementwise rows=1000" '{"rows":"1000","sample_launches":"7"}'
    same "$(pairs '[.baseline_n, .contender_n, .verdict] | @csv' tag=a tag=b)" $'10,10,"same"\n10,10,"same"'
    same "$(pairs '.baseline_value | round' tag=a tag=b | sort -n | tr '\n' ' ')" "1 10 "
    abdb compare tag=a tag=b --fail-on slower
    # one setting against another is still a question
    same "$(pairs '.ratio | round' tag=a,rows=100 tag=a,rows=1000)" 10
}

@test "what has no like fails the gate, or is warned of" {
    processes a c-1 1 10
    processes a c-1 1 10 0.002 "" "ref stream n=512" '{"operation":"copy"}'
    processes b c-1 1 10
    run abdb compare tag=a tag=b --fail-on slower
    fails 1 "1 of 2 cells could not be judged (--missing warn lets them pass): ref stream n=512 (not paired: B has nothing like it)"
    run abdb compare tag=b tag=a --fail-on slower
    fails 1 "ref stream n=512 (not paired: A has nothing like it)"
    run abdb compare tag=a tag=b --fail-on slower --missing warn
    fails 0 "1 of 2 cells could not be judged (--missing warn)"
    run abdb compare tag=a tag=b --fail-on slower --missing maybe
    fails 2 "--missing wants fail or warn"
    # what is slower is said before what is missing
    processes slow c-1 2 10
    run abdb compare tag=a tag=slow --fail-on slower
    fails 1 "1 of 2 cells: ref gemm n=512 (slower"
}

@test "single statements without samples cannot hold a gate" {
    printf 'evidence,source,workload,device,devices,metric,statistic,value,unit,locator,tag\nmeasured,me,toil,Box,1,time_s,median,1,s,a,x\nmeasured,me,toil,Box,1,time_s,median,3,s,b,y\n' | abdb import -q -
    same "$(pairs .verdict tag=x tag=y)" stated
    run abdb compare tag=x tag=y --fail-on slower
    fails 1 "stated: 3.000x of single values without samples, which no test can judge"
    abdb compare tag=x tag=y --fail-on slower --missing warn
}

@test "evidence is counted over all pairs that were looked at" {
    p=$(processes a c-1 1 8 0.01; processes b c-1 1.03 8 0.03; pairs .p tag=a tag=b)
    awk -v p="$p" 'BEGIN { exit !(p < 0.01 && p > 0.0004) }' # alone it would do at 0.01
    same "$(pairs .verdict tag=a tag=b --alpha 0.01)" slower
    for i in $(seq 40); do
        processes a c-1 1 8 0.01 "" "ref stream n=$i" "{\"operation\":\"copy\",\"n\":\"$i\"}"
        processes b c-1 1 8 0.01 "" "ref stream n=$i" "{\"operation\":\"copy\",\"n\":\"$i\"}"
    done
    same "$(pairs 'select(.workload == "gemm") | .verdict' tag=a tag=b --alpha 0.01)" unclear
    same "$(pairs 'select(.workload == "gemm") | .p_all / .p | round' tag=a tag=b --alpha 0.01)" 41
}

@test "the change that shall be found, and how many processes that takes" {
    processes a c-1 1 10 0.05
    processes b c-1 1 10 0.09
    run abdb compare tag=a tag=b
    [[ $output =~ "1 of 1 pairs cannot show a change of 5 %."$'\n'"It would with "([0-9]+)" processes a side (abdb run --repeat " ]] || { echo "$output"; false; }
    [ "${BASH_REMATCH[1]}" -gt 10 ] && [ "${BASH_REMATCH[1]}" -lt 100 ]
    run abdb compare tag=a tag=b --find 0.5
    [[ $output != *"cannot show"* ]]
    run abdb compare tag=a tag=b --find much
    fails 2 "--find wants a fraction"
}

@test "JUnit and annotations: valid, complete, and nothing of a name is obeyed" {
    processes a c-1 1 10
    processes b c-1 2 10
    processes a c-1 1 10 0.002 "" "ref <evil>&\"::%0A n=512" '{"operation":"x"}'
    processes b c-1 1 10 0.002 "" "ref <evil>&\"::%0A n=512" '{"operation":"x"}'
    processes a c-1 1 10 0.002 "" "ref stream n=512" '{"operation":"copy"}'
    run abdb compare tag=a tag=b -o junit --out gate.xml
    fails 1 "1 of 3 cells: ref gemm n=512 (slower"
    same "$(python3 - <<'P'
import xml.etree.ElementTree as e
s = e.parse("gate.xml").getroot()[0]
print(s.get("tests"), s.get("failures"), s.get("errors"), s.get("skipped"), sorted((c.get("name"), c[0].tag) for c in s))
P
)" "3 1 1 0 [('ref <evil>&\"::%0A n=512', 'system-out'), ('ref gemm n=512', 'failure'), ('ref stream n=512', 'error')]"
    run abdb compare tag=a tag=b -o github --missing warn
    fails 1 "::error title=ref gemm n=512::slower: 2.0"
    [[ $output == *"::warning title=ref stream n=512::not paired"* ]]
    [[ $output == *"::notice title=abdb compare tag=a tag=b::3 cells, 1 fail, 1 could not be judged"* ]]
    run abdb compare tag=a tag=b -o github --fail-on same
    [[ $output == *"::error title=ref <evil>&\"%3A%3A%250A n=512::same"* ]] || { echo "$output"; false; }
}

@test "what else changed stands beside a change, and only there" {
    processes a c-1 1 10 0.002 "" "ref gemm n=512" '{"commit":"aaaa1111","dirty":"no"}'
    processes newcc c-1 1.2 10 0.002 "" "ref gemm n=512" '{"commit":"bbbb2222","dirty":"no"}'
    run abdb compare tag=a tag=newcc
    fails 0 "beside it B differs from A: commit aaaa1111|bbbb2222  compiler gcc 12|gcc 14"
    processes newcc c-9 1 10
    processes a c-9 1 10
    run abdb compare tag=a,campaign=c-9 tag=newcc,campaign=c-9
    [[ $output != *"beside it"* ]]
}

@test "samples of a program that times commands are processes" {
    for f in a b; do
        jq -n --arg f $f '{results: [{command: "sleep", mean: 1, median: 1, min: 0.9, max: 1.1, stddev: 0.01, user: 0, system: 0,
            times: [range(10) | (if $f == "a" then 1 else 1.5 end) + . * 0.001], exit_codes: [range(10) | 0]}]}' >$f.json
        abdb import -q $f.json --set tag=$f --set device=Box
    done
    same "$(pairs '[.verdict, .baseline_n] | @csv' tag=a tag=b --where statistic=mean --drift 0.01)" '"slower",10'
}

#!/usr/bin/env bats
# gate.bats - gates on what is measured here: processes as evidence, builds that take turns, what could not be judged.
load common
load processes

pairs() { # COLUMN ARGUMENTS...: of each pair
    local column=$1
    shift
    abdb compare "$@" -o jsonl 2>/dev/null | jq -r "$column"
}

@test "a process counts once, with any number of samples" {
    processes a c-1 1 2
    processes b c-1 1.3 2
    same "$(pairs .verdict tag=a tag=b)" too-few
    run abdb compare tag=a tag=b
    fails 0 "too-few: 2 and 2 processes: 5 are the least"
    run abdb compare tag=a tag=b --fail-on slower
    fails 1 "1 of 1 cell could not be judged (--missing warn lets them pass): ref gemm n=512 (too-few: 2 and 2 processes"
    abdb compare tag=a tag=b --fail-on slower --missing warn
}

@test "a pair too noisy to show a doubling is not judged, and fails the gate" {
    processes a c-1 1 5 1.8
    processes z c-1 1.2 5 1.8
    same "$(pairs '.verdict, .shows > 1' tag=a tag=z | tr '\n' ' ')" "unclear true "
    run abdb compare tag=a tag=z --fail-on slower
    fails 1 "1 of 1 cell could not be judged (--missing warn lets them pass): ref gemm n=512 (unclear: "
    [[ $output == *", not even twice A's value: more processes (abdb run --repeat), a quieter machine"* ]]
    abdb compare tag=a tag=z --fail-on slower --missing warn
}

@test "a pair beyond the reach of 1000 processes is reported as such" {
    processes a c-1 1 10 1.8
    processes b c-1 1 10 1.8
    run abdb compare tag=a tag=b
    fails 0 "1 of 1 pair cannot show a change of 5 %; not even 1000 processes a side would."
}

@test "a gate on a report without rows fails with: nothing was judged" {
    processes a c-1 1 5
    run abdb query history --cell 'typo*' --fail-on changed
    fails 1 "no row: nothing was judged (--fail-on changed)"
    run abdb query history --kernel nosuch --fail-on changed,unjudged
    fails 1 "no row: nothing was judged"
    run abdb query fleet --fail-on slow,unjudged
    fails 1 "no row: nothing was judged"
    abdb query "SELECT 1 AS bad WHERE 0" --fail-on bad # what finds nothing bad holds
}

@test "processes of a second program and processes without a turn are counted and left out of the comparison" {
    told a c-1 1 10 0.002 "" "command wall-time" '{"command":"./old"}' >p.jsonl
    told b c-1 1.3 10 0.002 "" "command wall-time" '{"command":"./new"}' >>p.jsonl
    told a c-2 9 10 0.002 "" "command wall-time" '{"command":"./other"}' >>p.jsonl
    told e c-3 1 10 0.002 "" "command wall-time" '{"command":"./old"}' >>p.jsonl
    abdb import -q p.jsonl
    run abdb compare tag=a tag=b --fail-on slower # ./other never took turns with b
    fails 1 "command wall-time (slower: 1.3"
    [[ $output == *"10 processes took no turn with the other side and are not counted"* ]]
    # two processes of one repetition are one turn, and none of them is without a partner
    told a c-4 1 10 0.002 "" "command wall-time" >two.jsonl
    told b c-4 1.3 10 0.002 "" "command wall-time" >>two.jsonl
    jq -c 'select(.field.tag == "b") | .process.start = 99 | .field.cell += " again"' two.jsonl >more.jsonl
    abdb import -q --db two.db two.jsonl more.jsonl
    run abdb compare --db two.db tag=a tag=b
    fails 0 "slower"
    [[ $output != *"took no turn"* ]]
    run abdb compare tag=a tag=e --drift 0.01 --fail-on slower
    fails 1 "tag=a is of several programs ('./old', './other'): say which"
    abdb compare "tag=a,command='./old'" tag=e --drift 0.01 --fail-on slower
}

@test "alternating processes cancel a drift and keep a change" {
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
    fails 1 "1 of 1 cell: ref gemm n=512 (slower: 1.05"
    abdb compare tag=a tag=b --fail-on slower
    # the same numbers of another command are no pairs: then the walk is noise
    WALK=1.05 processes later c-2 1.05 12
    same "$(pairs '[.paired, .verdict] | @csv' tag=a tag=later --drift 0.001)" '"no","unclear"'
}

@test "results of separate commands on an uncalibrated machine are unclear and fail the gate" {
    processes before c-1 1 10
    processes after c-2 1.15 10
    same "$(pairs .verdict tag=before tag=after)" unclear
    run abdb compare tag=before tag=after
    fails 0 "how this machine differs from itself between commands was never calibrated: let them take turns (abdb run --builds"
    run abdb compare tag=before tag=after --fail-on slower
    fails 1 "could not be judged (--missing warn lets them pass): ref gemm n=512 (unclear: measured by separate commands"
    abdb compare tag=before tag=after --fail-on slower --missing warn
    same "$(pairs .verdict tag=before tag=after --drift 0.002)" slower
    same "$(pairs .verdict tag=before tag=after --drift 0.1)" unclear
    run abdb compare tag=before tag=after --drift 0
    fails 2 "--drift wants a fraction"
    i=0
    for time in 1 1.003 0.998 1.002 0.999 1.001; do processes calibration k-$((i += 1)) "$time" 10 0.002 "" "ref gemm n=64"; done
    same "$(pairs .verdict tag=before tag=after)" slower # a gemm of another size is of its class
    run abdb compare tag=before tag=after
    fails 0 "this machine is taken to drift by 1.0 % (one standard deviation, by abdb run --calibrate, 1 % at least, or --drift)"
    processes little c-3 1.03 10 # less than what happens once in a hundred commands
    same "$(pairs .verdict tag=before tag=little)" unclear
    # a machine that differs by 6 % from itself shows no 15 %
    for time in 1 1.1 0.94 1.06 0.97 1.03; do processes calibration k-$((i += 1)) "$time" 10 0.002 "" "ref gemm n=32"; done
    same "$(pairs .verdict tag=before tag=after)" unclear
    # calibrations of another machine say nothing
    sqlite3 "$ABDB_DB" "UPDATE description SET device = 'Another' WHERE tag IN ('before', 'after')"
    abdb doctor --rebuild >/dev/null
    run abdb compare tag=before tag=after
    fails 0 "was never calibrated"
}

@test "unsteady and imprecise runs are unclear, never slower" {
    processes a c-1 1 10
    processes shaky c-1 1.5 10 0.002 unsteady
    processes brief c-1 1.5 10 0.002 "quick imprecise"
    for tag in shaky brief; do
        same "$(pairs .verdict tag=a tag=$tag)" unclear
        run abdb compare tag=a tag=$tag --fail-on slower --missing warn
        fails 0 "unclear: 10 runs are unsteady or imprecise, 10 and 0 are left"
        # but nothing was judged, and a gate does not pass that in silence
        run abdb compare tag=a tag=$tag --fail-on slower
        fails 1 "1 of 1 cell could not be judged"
        run abdb compare tag=a tag=$tag --fail-on unclear
        fails 1 "unclear: 10 runs are unsteady"
    done
    # measured again, they count
    processes again c-1 1.5 10
    processes again c-1 9 10 0.002 unsteady
    same "$(pairs '[.verdict, .contender_n] | @csv' tag=a tag=again)" '"slower",10'
}

@test "values and ratio agree, with and without turns and outliers" {
    processes a c-1 1 11 0.2
    processes b c-1 1.02 11 0.3
    processes c c-2 1.04 9 0.4
    for other in b c; do
        same "$(pairs '(.contender_value / .baseline_value / .ratio - 1 | fabs) < 1e-12' tag=a tag=$other --drift 0.001)" true
        same "$(pairs '.ratio_low <= .ratio and .ratio <= .ratio_high' tag=a tag=$other --drift 0.001)" true
        same "$(pairs '(.verdict == "unclear") == (.p_all > 0.001 or .ratio_low < 1)' tag=a tag=$other --drift 0.001)" true
    done
}

@test "cells are paired by their settings, not by the automatic number of launches" {
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

@test "a cell without a partner fails the gate, or gives a warning with --missing warn" {
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

@test "single values without samples fail a gate" {
    printf 'evidence,source,workload,device,devices,metric,statistic,value,unit,locator,tag\nmeasured,me,toil,Box,1,time_s,median,1,s,a,x\nmeasured,me,toil,Box,1,time_s,median,3,s,b,y\n' | abdb import -q -
    same "$(pairs .verdict tag=x tag=y)" stated
    run abdb compare tag=x tag=y --fail-on slower
    fails 1 "stated: 3.000x of single values without samples, which no test can judge"
    abdb compare tag=x tag=y --fail-on slower --missing warn
}

@test "the evidence for a change is corrected for the number of compared pairs" {
    p=$(processes a c-1 1 8 0.01; processes b c-1 1.03 8 0.03; pairs .p tag=a tag=b)
    awk -v p="$p" 'BEGIN { exit !(p < 0.01 && p > 0.0004) }' # alone it would do at 0.01
    same "$(pairs .verdict tag=a tag=b --alpha 0.01)" slower
    for i in $(seq 40); do
        for tag in a b; do told $tag c-1 1 8 0.01 "" "ref stream n=$i" "{\"operation\":\"copy\",\"n\":\"$i\"}"; done
    done >many.jsonl
    abdb import -q many.jsonl
    same "$(pairs 'select(.workload == "gemm") | .verdict' tag=a tag=b --alpha 0.01)" unclear
    same "$(pairs 'select(.workload == "gemm") | .p_all / .p | round' tag=a tag=b --alpha 0.01)" 41
}

@test "--find sets the change to detect; the output has the needed number of processes" {
    processes a c-1 1 10 0.05
    processes b c-1 1 10 0.09
    run abdb compare tag=a tag=b
    [[ $output =~ "1 of 1 pair cannot show a change of 5 %."$'\n'"It would with "([0-9]+)" processes a side (abdb run --repeat " ]] || { echo "$output"; false; }
    [[ ${BASH_REMATCH[1]} -gt 10 && ${BASH_REMATCH[1]} -lt 100 ]]
    run abdb compare tag=a tag=b --find 0.5
    [[ $output != *"cannot show"* ]]
    run abdb compare tag=a tag=b --find much
    fails 2 "--find wants a fraction"
}

@test "JUnit and annotations are valid and complete, and commands in names have no effect" {
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

@test "the summary counts the cells that could hide a change, and each cell once" {
    processes a c-1 1 10 0.05
    processes b c-1 1 10 0.09
    for tag in a b; do processes $tag c-1 1 10 0.002 "" "ref stream n=512" '{"operation":"copy"}'; done
    run abdb compare tag=a tag=b -o github
    fails 0 "::warning title=ref gemm n=512::unclear: "
    fails 0 "%25, so a change of 5 %25 could hide"
    fails 0 "::2 cells, 0 fail, 0 could not be judged, in 1 a change of 5 % could hide"
    [[ $output != *"title=ref stream"* ]]
    run abdb compare tag=a tag=b -o github --find 0.5
    fails 0 "::2 cells, 0 fail, 0 could not be judged, in 0 a change of 50 % could hide"
    abdb compare tag=a tag=b -o junit --out gate.xml
    for find in 0.001 0.05 0.5; do # failure, error, skipped and system-out: each cell has one of them, and the counts are those
        abdb compare tag=a tag=b --find $find -o junit --out gate.xml
        python3 - <<'P'
import collections, xml.etree.ElementTree as e
s = e.parse("gate.xml").getroot()[0]
n = collections.Counter(c[0].tag for c in s)
assert [len(s), n["failure"], n["error"], n["skipped"]] == [int(s.get(k)) for k in ("tests", "failures", "errors", "skipped")], n
print(n["skipped"])
P
    done >counts
    same "$(tail -1 counts)" 0
    same "$(sed -n 2p counts)" 1
}

@test "other changed factors are printed beside a change, and only there" {
    processes a c-1 1 10 0.002 "" "ref gemm n=512" '{"commit":"aaaa1111","dirty":"no"}'
    processes newcc c-1 1.2 10 0.002 "" "ref gemm n=512" '{"commit":"bbbb2222","dirty":"no"}'
    run abdb compare tag=a tag=newcc
    fails 0 "beside it B differs from A: commit aaaa1111|bbbb2222  compiler gcc 12|gcc 14"
    processes newcc c-9 1 10
    processes a c-9 1 10
    run abdb compare tag=a,campaign=c-9 tag=newcc,campaign=c-9
    [[ $output != *"beside it"* ]]
}

@test "each sample of an imported command timer counts as a process" {
    for f in a b; do
        jq -n --arg f $f '{results: [{command: "sleep", mean: 1, median: 1, min: 0.9, max: 1.1, stddev: 0.01, user: 0, system: 0,
            times: [range(10) | (if $f == "a" then 1 else 1.5 end) + . * 0.001], exit_codes: [range(10) | 0]}]}' >$f.json
        abdb import -q $f.json --set tag=$f --set device=Box
    done
    same "$(pairs '[.verdict, .baseline_n] | @csv' tag=a tag=b --where statistic=mean --drift 0.01)" '"slower",10'
}

# --- measuring for a gate ---------------------------------------------------------------------------

# A backend in shell: times of $TOIL_MS milliseconds; a cell `shaky` is unsteady the first time that it is asked in a repetition.
toil() { # FOLDER MILLISECONDS
    mkdir -p "$1"
    cat >"$1/abdb-run-fake" <<B
#!/bin/bash
ms=$2
log=$dir/log
B
    cat >>"$1/abdb-run-fake" <<'B'
echo '{"kind":"hello","protocol":1,"backend":"fake","summary":"for tests","kernels":[]}'
echo '{"kind":"environment","environment":{"compiler":"none"}}'
echo '{"kind":"device","name":"Fake-1","devices":1,"threads":1,"clock":"CLOCK_MONOTONIC"}'
[ "$1" = run ] || { echo '{"kind":"bye"}'; exit 0; }
while read -r line; do
    [[ $line =~ \"cell\":\"([^\"]*)\" ]] && cell=${BASH_REMATCH[1]}
    what=
    [[ ! $line =~ \"do\":\"([^\"]*)\" ]] || what=${BASH_REMATCH[1]}
    echo "$ms $cell" >>"$log"
    unsteady=false samples=11
    [ "$what" != shaky ] || [ $(($(grep -c "^$ms $cell" "$log") % 2)) = 0 ] || unsteady=true
    [ "$what" != always ] || unsteady=true
    [ "$what" != few ] || samples=9
    echo "{\"kind\":\"begin\",\"cell\":\"$cell\"}"
    for ((i = 1; i <= samples; i++)); do echo "{\"kind\":\"sample\",\"cell\":\"$cell\",\"seq\":$i,\"t_s\":$i,\"time_s\":0.0$((ms * 1000 + i + RANDOM % 5))}"; done
    echo "{\"kind\":\"result\",\"cell\":\"$cell\",\"formula\":\"f@1\",\"dtype\":\"f32\",\"ops\":8e6,\"verified\":\"pass\",\"prepare_s\":0,\"batch\":$((RANDOM % 3 + 1)),\"unsteady\":$unsteady,\"factors\":{}}"
    echo "{\"kind\":\"end\",\"cell\":\"$cell\",\"status\":\"ok\",\"reason\":\"\"}"
done
echo '{"kind":"bye"}'
B
    chmod +x "$1/abdb-run-fake"
    : >log
}

@test "builds take turns cell by cell, each with its tag, and the slower build is found" {
    toil old 20
    toil new 21
    export ABDB_BACKENDS=$dir/old
    run abdb run --kernel k --axis n=1,2 --backend fake --builds before=old,after=new
    fails 0 "40 cells measured"
    same "$(head -8 log | cut -d' ' -f1,3 | tr '\n' ';')" "20 n=1;21 n=1;21 n=2;20 n=2;21 n=1;20 n=1;20 n=2;21 n=2;"
    same "$(ask "SELECT tag, count(*), count(DISTINCT campaign), count(DISTINCT process_id) FROM v_kernel GROUP BY tag ORDER BY tag")" $'after,20,1,20\nbefore,20,1,20'
    run abdb compare tag=before tag=after --fail-on slower
    fails 1 "2 of 2 cells: fake k n=1 (slower: 1.05"
    run abdb compare tag=before tag=before --fail-on slower # a side against itself shows nothing
    fails 2 "share 20 of them"
}

@test "a comparison of a build with itself gives no alarm, also with different numbers of launches" {
    toil one 20
    export ABDB_BACKENDS=$dir/one
    abdb run -q --kernel k --axis n=1,2,3 --backend fake --builds a=one,b=one
    same "$(ask "SELECT count(DISTINCT text) > 1 FROM v_factor_given WHERE factor = 'sample_launches'")" 1
    run abdb compare tag=a tag=b --fail-on slower,faster
    fails 0 "B/A  COMPARABLE"
    same "$(pairs '.verdict' tag=a tag=b | sort -u)" same
}

@test "a gate measures ten processes, and repeats doubtful cells at most twice" {
    toil one 20
    export ABDB_BACKENDS=$dir/one
    run abdb run --kernel k --axis do=ok,shaky,always,few --backend fake --tag t --gate --repeat 5
    fails 0 "45 cells measured, 25 of them again because they were in doubt"
    same "$(ask "SELECT kind, n FROM (SELECT CASE WHEN cell LIKE '%do=ok%' THEN 'ok' WHEN cell LIKE '%shaky%' THEN 'shaky' WHEN cell LIKE '%always%' THEN 'always' ELSE 'few' END || ' ' || flags AS kind, count(*) AS n FROM v_kernel GROUP BY 1) ORDER BY kind")" \
        $'always unsteady self-verified,15\nfew imprecise self-verified,15\nok self-verified,5\nshaky self-verified,5\nshaky unsteady self-verified,5'
    : >log
    abdb run -q --kernel k --axis do=ok --backend fake --tag u --gate
    same "$(wc -l <log)" 10
    run abdb run --kernel k --axis do=ok --backend fake --tag v --gate --quick
    fails 2 "--quick takes too few samples"
    run abdb run --kernel gemm --axis n=8 --backend ref --gate --dry-run
    fails 0 "10 cells by 1 backend (10 processes of each): about"
}

@test "an interrupted gate of builds resumes with the missing cells" {
    toil old 20
    toil new 21
    export ABDB_BACKENDS=$dir/old
    abdb run -q --kernel k --axis n=1 --backend fake --builds before=old,after=new --repeat 3
    sqlite3 "$ABDB_DB" "CREATE TEMP TABLE lost AS SELECT entry_id FROM entry WHERE tag = 'after' AND cell LIKE '%#2';
        DELETE FROM result_row WHERE entry_id IN lost; DELETE FROM entry_row WHERE entry_id IN lost"
    : >log
    run abdb run --kernel k --axis n=1 --backend fake --builds before=old,after=new --repeat 3 --resume
    fails 0 "1 cell measured"
    same "$(cat log)" "21 k n=1"
}

@test "builds keep the digest of their program: equal ones are noise, and --resume refuses a rebuilt one" {
    toil old 20
    toil new 21
    export ABDB_BACKENDS=$dir/old
    digests() { ask "SELECT count(DISTINCT f.text) FROM v_run r JOIN v_run_factor f USING (entry_id) WHERE f.factor = 'program_digest' AND r.campaign = (SELECT max(campaign) FROM v_run)"; }
    abdb run -q --kernel k --axis n=1 --backend fake --builds a=old,b=old --repeat 5
    same "$(digests)" 1
    abdb run -q --kernel k --axis n=1 --backend fake --builds before=old,after=new --repeat 5
    same "$(digests)" 2
    run abdb compare tag=before tag=after --fail-on slower
    fails 1 "slower: 1.05"
    sqlite3 "$ABDB_DB" "CREATE TEMP TABLE lost AS SELECT entry_id FROM entry WHERE tag = 'after' AND cell LIKE '%#5';
        DELETE FROM result_row WHERE entry_id IN lost; DELETE FROM entry_row WHERE entry_id IN lost"
    toil new 30
    run abdb run -q --kernel k --axis n=1 --backend fake --builds before=old,after=new --repeat 5 --resume
    fails 2 "--resume would join two programs as 'after'"
    toil new 21
    abdb run -q --kernel k --axis n=1 --backend fake --builds before=old,after=new --repeat 5 --resume
    # without --builds nothing takes turns, and no digest is kept
    abdb run -q --kernel k --axis n=1 --backend fake --tag t
    same "$(digests)" 0
}

@test "wrong options of --builds and --calibrate are refused" {
    toil one 20
    export ABDB_BACKENDS=$dir/one
    run abdb run --kernel k --backend fake --builds before=one,after=none
    fails 2 "--builds: there is no program none/abdb-run-fake"
    run abdb run --kernel k --backend fake --builds one
    fails 2 "--builds wants TAG=FOLDER,TAG=FOLDER"
    run abdb run --kernel k --backend fake --builds a=one,a=one
    fails 2 "--builds names 'a' twice"
    run abdb run --kernel k --backend fake --builds a=one --tag t
    fails 2 "no --tag beside it"
    run abdb run --kernel k --backend fake --calibrate --tag t
    fails 2 "with a tag of its own"
    run abdb run --search mamf --backend fake --gate
    fails 2 "--search is no gate"
    same "$(wc -c <log)" 0
}

@test "a run without --backend uses the programs present in all builds" {
    toil old 20
    toil new 20
    cp old/abdb-run-fake old/abdb-run-gone
    export ABDB_BACKENDS=$dir/old
    run abdb run --kernel k --axis n=1 --builds before=old,after=new --repeat 2
    fails 0 "4 cells measured"
    same "$(ask "SELECT DISTINCT backend FROM v_kernel")" fake
    run abdb run --kernel k --axis n=1 --builds before=old,after=none --repeat 2
    fails 2 "is in all of these folders, as a program abdb-run-NAME"
    run abdb run --kernel k --backend mine
    fails 2 "a program abdb-run-NAME beside abdb or in the folder \$ABDB_BACKENDS ($dir/old)"
}

@test "a calibration takes six commands, and the next comparison uses its result" {
    toil one 20
    toil other 26
    export ABDB_BACKENDS=$dir/one
    run abdb run --kernel k --axis n=1 --backend fake --calibrate --repeat 5
    fails 0 "30 cells measured"
    [[ $output =~ "this machine differs from itself, standard deviations of all its calibrations here:"$'\n'"  k: processes by 0."[0-9]" %, commands by 0."[0-9]" %" ]]
    same "$(ask "SELECT count(*), count(DISTINCT campaign), group_concat(DISTINCT tag) FROM v_kernel")" 30,6,calibration
    abdb run -q --kernel k --axis n=1 --backend fake --tag before --gate
    ABDB_BACKENDS=$dir/other abdb run -q --kernel k --axis n=1 --backend fake --tag after --gate
    run abdb compare tag=before tag=after --fail-on slower
    fails 1 "slower: 1.3"
    [[ $output == *"by abdb run --calibrate"* ]]
}

@test "--commit auto stores revision, branch and changed files of the checkout of each build" {
    for b in old new; do
        toil $b 20
        git -C $b init -q -b work-$b
        git -C $b -c user.name=a -c user.email=a@b.c -c commit.gpgsign=false commit -q --allow-empty -m one
        git -C $b add abdb-run-fake
        git -C $b -c user.name=a -c user.email=a@b.c -c commit.gpgsign=false commit -q -m two
        # what a checkout's settings would start is not started
        git -C $b config core.fsmonitor "touch $dir/ran; false"
    done
    echo "# more" >>new/abdb-run-fake
    export ABDB_BACKENDS=$dir/old
    abdb run -q --kernel k --axis n=1 --backend fake --builds before=old,after=new --repeat 1 --commit auto
    said() { abdb query "SELECT text FROM v_factor_given WHERE factor = '$2' AND ordinal = 0 AND entry_id = (SELECT entry_id FROM v_run WHERE tag = '$1');" -o csv | tail -n +2; }
    for b in old new; do
        tag=before dirty=no
        [ $b = old ] || tag=after dirty=yes
        same "$(said $tag commit)" "$(git -C $b rev-parse HEAD)"
        same "$(said $tag branch)" "work-$b"
        same "$(said $tag dirty)" "$dirty"
    done
    [ ! -e ran ]
    run abdb run --kernel k --axis n=1 --backend fake --commit auto
    fails 2 "is in no checkout of git"
    abdb run -q --kernel k --axis n=1 --backend fake --tag named --commit v1.2
    same "$(said named commit)" v1.2
    same "$(said named branch)" ""
}

# --- along commits ----------------------------------------------------------------------------------

# Eighteen commands of three processes each, of commits 0001abcdef, 0002abcdef, ...; 10 % slower from the eleventh on.
commits() {
    local i
    for i in $(seq 18); do
        told "run$i" "c-$((100 + i))" "$(awk -v i="$i" 'BEGIN { print (i > 10 ? 1.1 : 1) * (1 + (i * 7 % 5 - 2) / 1000) }')" 3 0.002 "" \
            "ref gemm n=512" "{\"commit\":\"$(printf %04x "$i")abcdef\"}"
    done >commits.jsonl
    abdb import -q commits.jsonl
}

@test "history prints a row for each command, and fails the gate at a change point without a note" {
    commits
    run abdb query history --fail-on changed
    fails 1 "1 of 18 rows has changed (--fail-on)"
    same "$(abdb query history -o jsonl 2>/dev/null | jq -c 'select(.change == 1) | [.run, .n, .commit, .changed, (.ratio * 100 | round), .p <= 0.01]')" '[11,3,"000babcdef",1,110,true]'
    run abdb note commit=000b "bounds are checked now" --author me
    fails 0 "noted of commit 000babcdef"
    abdb query history --fail-on changed
    same "$(abdb query history -o jsonl 2>/dev/null | jq -c 'select(.change == 1) | [.known, .changed]')" '["bounds are checked now",0]'
    same "$(ask "SELECT kind, target, text, author FROM v_note")" "commit,000babcdef,bounds are checked now,me"
    run abdb query history --fail-on chnged
    fails 2 "there is no column 'chnged', did you mean 'changed'?"
    run abdb query "SELECT 1 AS n" --fail-on n
    fails 1 "1 of 1 row has n"
    abdb query "SELECT 0 AS n, NULL AS m" --fail-on n
}

@test "history makes one series for each program and its words; tags of a kernel are builds of one series" {
    for i in $(seq 12); do # programs of one cell that take turns
        told lint "c-$((100 + 2 * i))" "$(awk -v i="$i" 'BEGIN { print (i > 6 ? 2 : 1) * (1 + (i * 7 % 5 - 2) / 1000) }')" 2 0.002 "" "command wall-time" '{"command":"./lint"}'
        told unit "c-$((101 + 2 * i))" "$(awk -v i="$i" 'BEGIN { print 1.5 * (1 + (i * 3 % 5 - 2) / 1000) }')" 2 0.002 "" "command wall-time" '{"command":"./unit"}'
    done >programs.jsonl
    abdb import -q programs.jsonl
    same "$(abdb query history -o jsonl 2>/dev/null | jq -r .label | sort | uniq -c | sed 's/^ *//')" $'12 command wall-time lint=./lint\n12 command wall-time unit=./unit'
    same "$(abdb query history -o jsonl 2>/dev/null | jq -c 'select(.change == 1) | [.label, .run, (.ratio * 10 | round)]')" '["command wall-time lint=./lint",7,20]'
    run abdb query history --fail-on changed
    fails 1 "1 of 24 rows has changed"
    abdb query history --cell 'command wall-time unit=./unit' --fail-on changed
    same "$(abdb query history --cell 'command wall-time' -o csv 2>/dev/null | wc -l)" 25
    # no levels, but as many as there are programs: no change
    rm -f "$ABDB_DB"
    for i in $(seq 12); do
        for p in 1 2; do told p "c-$((100 * p + i))" "$(awk -v i="$i" -v p=$p 'BEGIN { print p * (1 + (i * 7 % 5 - 2) / 1000) }')" 2 0.002 "" "command wall-time" "{\"command\":\"./p $p\"}"; done
    done >words.jsonl
    abdb import -q words.jsonl
    abdb query history --fail-on changed
    same "$(abdb query history -o jsonl 2>/dev/null | jq -r .label | sort -u)" $'command wall-time p=./p 1\ncommand wall-time p=./p 2'
    # the same where machines and days are held against each other
    sed 's/2026-03/2026-04/g; s/c-/d-/g' words.jsonl >later.jsonl
    abdb import -q later.jsonl
    same "$(abdb query machine-changes --since 2026-04-01 -o jsonl 2>/dev/null | jq -c '[.cell, .before_n, (.ratio * 100 | round)]' | sort)" \
        $'["command wall-time p=./p 1",24,100]\n["command wall-time p=./p 2",24,100]'
}

@test "history requires more evidence for a change among more cells" {
    for i in $(seq 12); do # two levels of six: the best of the splits of such a series is one of some 100
        told "run$i" "c-$((100 + i))" "$(awk -v i="$i" 'BEGIN { print (i > 6 ? 1.08 : 1) * (1 + (i * 7 % 5 - 2) / 300) }')" 1
        told "run$i" "c-$((100 + i))" 1 1 0 "" "ref stream n=1" '{"operation":"copy"}' >one
        jq -c --argjson i "$i" 'range(1; 31) as $n | (1 + $i * $n % 13 / 1000) as $slower | .field.cell = "ref stream n=\($n)" | .result[0].value = $slower |
            .result[0].samples[][0] *= $slower' one
    done >many.jsonl
    abdb import -q many.jsonl
    same "$(abdb query history --kernel gemm -o jsonl 2>/dev/null | jq -c 'select(.change == 1) | .run')" 7
    same "$(abdb query history --cells 1000 -o jsonl 2>/dev/null | jq -c 'select(.change == 1) | .run')" ""
}

@test "history judges every cell in a gate, and leaves out doubtful runs on the screen and in the gate" {
    for cell in 1 2 3 4 5 6; do
        for i in $(seq 20); do told "run$i" "c-$((100 + i))" "$([ $cell = 6 ] && [ "$i" -gt 10 ] && echo 1.3 || echo 1)" 5 0.002 "" "ref gemm n=$cell"; done
    done >six.jsonl
    abdb import -q six.jsonl
    run abdb query history --fail-on changed
    fails 1 "1 of 120 rows has changed"
    # of 150, too: what is asked of chance grows with them
    rm -f "$ABDB_DB"
    for i in $(seq 20); do
        told "run$i" "c-$((100 + i))" 1 1 0 | jq -c --argjson i "$i" 'range(1; 151) as $n | (1 + ($i * $n % 13) / 5000) as $luck | .field.cell = "ref gemm n=\($n)" |
            (if $n == 150 and $i > 10 then 1.5 else 1 end) as $slower | .result[0].value *= $slower * $luck | .result[0].samples[][0] *= $slower * $luck'
    done >many.jsonl
    abdb import -q many.jsonl
    run abdb query history --fail-on changed
    fails 1 "1 of 3000 rows has changed"
    # an outlier that nobody believes
    for flags in unsteady "quick imprecise"; do
        rm -f "$ABDB_DB"
        for i in $(seq 12); do told "run$i" "c-$((100 + i))" "$([ "$i" -gt 6 ] && echo 2 || echo 1)" 3 0.002 "$([ "$i" -gt 6 ] && echo "$flags")"; done >doubt.jsonl
        abdb import -q doubt.jsonl
        run abdb query history --fail-on changed
        fails 0 "18 of 36 measurements are left out: unsteady, or imprecise (fewer than 10 samples); a row without a time: they are all of its newest command"
        run abdb query history --fail-on changed,unjudged
        fails 1 "2 of 7 rows have changed,unjudged" # the other: six commands are too few for a verdict
        told later c-200 1 3 | sed 's/2026-03/2026-04/g' >later.jsonl # a newer command that can be believed
        abdb import -q later.jsonl
        run abdb query history --fail-on changed,unjudged
        fails 1 "1 of 7 rows has changed,unjudged"
        run abdb query history --fail-on changed,unjudgd
        fails 2 "there is no column 'unjudgd', did you mean 'unjudged'?"
    done
}

@test "a doubtful result is marked in each report that shows it" {
    factors='{"operation":"copy","stores":"plain","level":"memory","m":"512","k":"512","threads":"1"}'
    for kernel in gemm stream; do
        told doubt c-1 1 1 0 imprecise "ref $kernel n=512" "$factors" | jq -c '.result += [{metric: "flops_per_s", statistic: "median", value: 1e9},
            {metric: "bytes_per_s", statistic: "median", value: 1e9}] | .factor.ceiling = (if .field.workload == "gemm" then "peak_flops" else "memory_bandwidth" end)'
    done >doubt.jsonl
    abdb import -q doubt.jsonl
    for report in kernels gemm-map streams ceilings "sweep --kernel gemm --by dtype" roofline; do
        # shellcheck disable=SC2086 # words
        run abdb query $report
        [[ $status = 0 && $output == *imprecise* ]] || { echo "$report: $output"; false; }
    done
}

@test "note refuses unknown commits, other selections and a wrong number of words" {
    commits
    run abdb note commit=0 "too short, or several"
    fails 2 "no commit here is called '0'"
    run abdb note commit=zzzz x
    fails 2 "no commit here is called 'zzzz'"
    run abdb note branch=main x
    fails 2 "a note wants two words"
    run abdb note tag=run1
    fails 2 "a note wants two words"
    abdb note tag=run1 "it's \"quoted\"; --"
    abdb note campaign=c-101 once
    key=$(ask "SELECT key FROM v_result LIMIT 1")
    abdb note "key=$key" "a fact"
    same "$(ask "SELECT count(*) FROM v_note")" 3
}

# --- in continuous integration ----------------------------------------------------------------------

# The steps of tests/ci-example/gate.yml, in order, as the runner would run them: each `run: |` a script of bash -e.
workflow() {
    local step
    rm -rf steps
    mkdir steps
    awk '/^        run: \|$/ { n++; on = 1; next } on && /^          / { print substr($0, 11) >sprintf("steps/%02d", n); next } { on = 0 }' "$root/tests/ci-example/gate.yml"
    same "$(ls steps | wc -l)" "$(grep -c ' run: ' "$root/tests/ci-example/gate.yml")"
    for step in steps/*; do bash -e "$step" || return 1; done
}

@test "the example workflow passes a change without cost and stops one of 20 %, with annotations" {
    cp "$root"/tests/ci-example/{Makefile,speed.plan} "$root/tests/bench/toil.c" .
    printf 'steps/\nbase/\nbuild/\n*.db*\n' >.gitignore
    commit() { git add -A && git -c user.name=a -c user.email=a@b.c -c commit.gpgsign=false commit -q -m "$1"; }
    git init -q
    commit one
    echo "# a remark" >>Makefile
    commit two
    export BASE=HEAD~1 PROCESSES=12
    run workflow
    [[ $output != *" 0 fail, "[12]" could not be judged"* ]] || skip "this machine is too busy to judge two programs"
    fails 0 "::notice title=abdb compare tag=before tag=after::2 cells, 0 fail, 0 could not be judged"
    same "$(abdb query "SELECT DISTINCT tag, f.text FROM v_run r JOIN v_factor_given f ON f.entry_id = r.entry_id AND f.factor = 'commit' ORDER BY tag DESC;" -o csv | tail -n +2)" \
        "before,$(git rev-parse HEAD~1)"$'\n'"after,$(git rev-parse HEAD)"
    git worktree remove --force base
    rm -rf build t.db*
    sed -i 's/^MORE := 0/MORE := 20/' Makefile
    commit three
    run workflow
    fails 1 "::error title=toil chain::slower: 1."
    [[ $output == *"2 fail"* ]]
}

@test "a build with 5 % more work is found; a second build of equal code is not" {
    for b in "base 0 1" "again 0 2" "more 5 3"; do
        set -- $b
        mkdir "$1"
        cc -std=c17 -D_GNU_SOURCE -O2 -DMORE="$2" -Wl,--build-id="0x0$3" -o "$1/abdb-run-toil" "$root/tests/bench/toil.c" -ljansson
    done
    printf 'chain\n' >plan
    export ABDB_BACKENDS=$dir/base
    abdb run -q --plan plan --backend toil --builds a=base,b=again,more=more --repeat 30
    abdb compare tag=a tag=b --fail-on slower,faster >/dev/null
    run abdb compare tag=a tag=more --fail-on slower
    # on a machine too busy to show 5 % it says so; it may be found all the same
    if [ "$(pairs '.shows <= 0.05' tag=a tag=more)" = true ] || [ "$status" = 1 ]; then fails 1 "toil chain (slower: 1.0"; else fails 0 "cannot show a change of 5 %"; fi
}

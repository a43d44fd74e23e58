#!/usr/bin/env bats
# refresh.bats - importers have versions; what an older one read is read again; shipped withdrawals.
load common

@test "an artifact stores the version of its importer, and for tables that of the maps" {
    abdb import -q "$fixtures/tables.md" "$fixtures/osu.txt" || true
    maps=("$root"/ingest/maps/*.map)
    raised=$(cat "${maps[@]}" | awk '$1 == "version" { n += $2 - 1 } END { print n + 0 }')
    same "$(sqlite3 t.db "SELECT importer FROM artifact WHERE format = 'table'")" $((3 + ${#maps[@]} + raised))
    [ "$(sqlite3 t.db "SELECT importer FROM artifact WHERE format = 'osu'")" -ge 1 ]
    same "$(sqlite3 t.db "SELECT count(*) FROM artifact WHERE importer < 1")" 0

    # a map of one's own may say its version; other words are refused by line
    printf 'name mine\nversion 3\nmatch Card Rate\nfield device column Card\nset workload gemm\nmetric tokens_per_s column Rate unit token/s\n' >my.map
    printf 'Card,Rate\nL4,12\n' >t.csv
    run abdb import --map my.map t.csv
    fails 0 "1 accepted"
    sed 's/version 3/version three/' my.map >bad.map
    run abdb import --map bad.map t.csv
    fails 6 "line 2: version wants a number from 1 on, not three"
}

# As if an older version had read the file's bytes of today into what the database says now.
grow_old() { # PATH [SQL condition]
    sqlite3 t.db "UPDATE artifact SET importer = importer - 1, sha256 = '$(sha256sum <"$1" | cut -c1-64)'
        WHERE path = '$1' AND ${2:-1}"
}
# A results file with one value of one device.
stated() { # DEVICE VALUE
    printf 'evidence,kind,source,workload,device,metric,value,unit\npublished,statement,me,gemm,%s,flops_per_s,%s,TFLOP/s\n' "$1" "$2"
}
values() {
    sqlite3 t.db "SELECT group_concat(raw_device || ' ' || raw_value, ', ') FROM (SELECT * FROM v_result ORDER BY raw_device, value)"
}

@test "--refresh reads files of an older importer again and withdraws the old reading; doctor announces it" {
    stated X 1.5 >x.csv
    stated Y 2.5 >y.csv
    abdb import -q x.csv y.csv
    stated X 15 >x.csv # what the bytes should have been read as
    grow_old x.csv
    run abdb import x.csv
    fails 0 "already imported"
    run abdb doctor
    fails 0 "abdb-csv: 1 file read by version 1 of its importer, now 2; \`abdb import --refresh\` reads it again"
    run abdb import --refresh --dry-run
    fails 0 "would keep: 1 row: 1 accepted"
    same "$(values)" "X 1.5, Y 2.5"
    run abdb import --refresh
    fails 0 "x.csv: 1 row: 1 accepted"
    [[ "$output" != *y.csv* ]]
    same "$(values)" "X 15, Y 2.5"
    same "$(sqlite3 t.db "SELECT target, reason FROM withdrawal")" "$(sha256sum <x.csv | cut -c1-64)@1|read again by a newer importer"
    run abdb query withdrawals -o csv
    fails 0 "@1,x.csv,read again by a newer importer"
    run abdb import --refresh
    fails 0 "nothing to read again"
    run abdb doctor
    [[ "$output" != *"read by version"* ]]
    # the same facts read again are served as before
    grow_old y.csv
    run abdb import --refresh y.csv
    fails 0 "0 accepted, 1 duplicate"
    same "$(values)" "X 15, Y 2.5"
}

@test "--refresh repeats the options of --set, and leaves other readings of the same bytes" {
    printf 'InstanceType,AcceleratorName,AcceleratorCount,Price\nbox,L4,1,0.5\n' >c.csv
    abdb import -q c.csv --set provider=east
    abdb import -q c.csv --set provider=west
    grow_old c.csv "words = 'provider=east'"
    run abdb import --refresh
    fails 0 "0 accepted, 1 duplicate"
    same "$(ask "SELECT group_concat(provider, ' ') FROM (SELECT provider FROM v_price ORDER BY 1)")" "east west"
    same "$(sqlite3 t.db "SELECT count(*), sum(words = 'provider=east') FROM artifact WHERE path = 'c.csv'")" "3|2"
    run abdb import --refresh --set provider=north
    fails 2 "--refresh takes neither --set nor --format"
    run abdb import --refresh --retry-rejects
    fails 2 "one after the other"
}

@test "--refresh names and skips files that are missing, changed, or need a user-defined map" {
    for i in 1 2 3 4; do stated "D$i" "$i" >"$i.csv"; done
    printf 'name mine\nmatch Card Rate\nfield device column Card\nset workload gemm\nmetric tokens_per_s column Rate unit token/s\n' >my.map
    printf 'Card,Rate\nL4,12\n' >t.csv
    abdb import -q 1.csv 2.csv 3.csv 4.csv
    abdb import -q --map my.map t.csv
    stated D5 5 | abdb import -q -
    before=$(values)
    for i in 1 2 3; do grow_old "$i.csv"; done
    grow_old t.csv
    sqlite3 t.db "UPDATE artifact SET importer = importer - 1 WHERE path = '-'"
    rm 1.csv
    stated D2 22 >2.csv
    abdb withdraw 4.csv --reason "never mind"
    grow_old 4.csv
    sqlite3 t.db "UPDATE withdrawal SET target = '$(sha256sum <4.csv | cut -c1-64)'"
    run abdb doctor
    fails 0 "table: 1 file read by version 2 of its importer, now 3; \`abdb import --refresh --map FILE\` reads it again"
    fails 0 "abdb-csv: 4 files read"
    run abdb import --refresh
    fails 0 "1.csv is not there any more: left as it was read"
    fails 0 "2.csv was not read again (it has other bytes now"
    fails 0 "t.csv was read with a map of yours: name that with --map FILE"
    fails 0 "standard input cannot be read again"
    fails 0 "3.csv: 1 row: 0 accepted, 1 duplicate"
    [[ "$output" != *4.csv* ]]
    same "$(values)" "${before/, D4 4/}"
    run abdb import --refresh --map my.map
    fails 0 "t.csv: 1 row: 0 accepted, 1 duplicate"
}

@test "--refresh and --retry-rejects work on members of archives and result folders of rounds" {
    mkdir data
    for i in 1 2 3; do stated "A$i" "$i" >"data/$i.csv"; done
    tar czf all.tar.gz data
    abdb import -q all.tar.gz
    sqlite3 t.db "UPDATE artifact SET importer = importer - 1 WHERE path LIKE '%2.csv'"
    run abdb import --refresh
    fails 0 "0 accepted, 1 duplicate"
    [[ "$output" != *3.csv* ]]
    same "$(values)" "A1 1, A2 2, A3 3"

    round=round/inference_results_v5.1/closed/Me
    run=$round/results/box/llama2-70b-99/Server/performance/run_1
    mkdir -p "$run" $round/systems $round/measurements/box/llama2-70b-99/Server
    cp "$fixtures/mlperf_detail.txt" "$run/mlperf_log_detail.txt"
    cp "$fixtures/mlperf_summary.txt" "$run/mlperf_log_summary.txt"
    abdb import -q round || true
    same "$(ask "SELECT count(*) FROM v_reject WHERE artifact LIKE 'round%'")" 1
    cp "$fixtures/mlperf_system.json" $round/systems/box.json
    run abdb import --retry-rejects
    fails 0 "[mlperf-inference-round]"
    same "$(ask "SELECT count(*) FROM v_reject WHERE artifact LIKE 'round%'")" 0
    sqlite3 t.db "UPDATE artifact SET importer = importer - 1 WHERE format = 'mlperf-inference-round'"
    run abdb import --refresh
    fails 0 "1 result folders"
    run abdb import --refresh
    fails 0 "nothing to read again"
}

@test "--refresh killed at any moment keeps each fact in the answers, and a repetition completes it" {
    mkdir many
    for i in $(seq 150); do stated "K$i" "$i" >"many/$i.csv"; done
    abdb import -q many
    for i in $(seq 150); do
        stated "K$i" "$i.5" >"many/$i.csv" # what the bytes should have been read as
        echo "UPDATE artifact SET importer = 0, sha256 = '$(sha256sum <"many/$i.csv" | cut -c1-64)' WHERE path = 'many/$i.csv';"
    done | sqlite3 t.db
    served() {
        sqlite3 -cmd ".timeout 5000" t.db "SELECT count(DISTINCT device) FROM entry
            WHERE entry_id NOT IN (SELECT id FROM gone WHERE kind = 'entry')"
    }
    for wait in 0.02 0.03 0.04 0.06; do
        timeout -s KILL "$wait" abdb import -q --refresh many || true
        same "$(served)" 150
    done
    [ "$(sqlite3 t.db "SELECT count(*) FROM artifact WHERE path LIKE 'many/%'")" -lt 300 ] || skip "this machine is too quick"
    abdb import -q --refresh many
    same "$(ask "SELECT count(*), count(DISTINCT raw_device), sum(raw_value LIKE '%.5') FROM v_result")" 150,150,150
    run abdb doctor
    [[ "$output" != *"read by version"* ]]
}

@test "a newer version reads the built-in vocabulary again" {
    abdb init
    sqlite3 t.db "UPDATE artifact SET importer = 0; DELETE FROM meta WHERE key = 'vocabulary'"
    run abdb doctor
    [[ "$output" != *"read by version"* ]]
    abdb init
    same "$(sqlite3 t.db "SELECT count(*) FROM artifact a WHERE path LIKE '(built in)%' AND importer = 0 AND NOT EXISTS
        (SELECT 1 FROM artifact n WHERE n.path = a.path AND n.importer = 2)")" 0
    [ "$(ask "SELECT count(*) FROM v_device")" -gt 100 ]
}

@test "withdrawals in data work by name, key and file, before their target is imported, and once" {
    head -1 "$root/data/specs-seeds.csv" >s.csv
    printf 'old.peak,Z1,peak_flops,bf16,matrix,dense,card,,500,TFLOP/s,,me,p. 1,2024\nnew.peak,Z1,peak_flops,bf16,matrix,dense,card,,600,TFLOP/s,,me,p. 1 (erratum),2024\n' >>s.csv
    stated W 7 >w.csv
    stated V 8 >v.csv
    abdb import -q v.csv --db other.db
    key=$(abdb query "SELECT key FROM v_result" --db other.db -o csv | tail -1)
    printf 'target,reason,date,instead\nold.peak,an erratum,2024-05-03,new.peak\n%s,a wrong file,2024-05-04,\n%s,a wrong value,May 2024,\n' \
        "$(sha256sum <w.csv | cut -c1-64)" "$key" >withdrawals.csv
    run abdb import withdrawals.csv # nothing of it is there yet
    fails 0 "3 accepted"
    abdb import -q s.csv w.csv v.csv
    same "$(ask "SELECT value FROM v_spec WHERE device = 'Z1'")" 600000000000000
    same "$(values)" ""
    run abdb explain old.peak
    fails 0 "was withdrawn 2024-05-03: an erratum (instead: new.peak)"
    printf '\n' >>withdrawals.csv
    sed -i 's/a wrong file/another reason/' withdrawals.csv
    run abdb import withdrawals.csv # the same events, but one with other words: that is one more
    fails 0 "1 accepted, 2 duplicate"
    same "$(sqlite3 t.db "SELECT target, reason, date FROM withdrawal WHERE reason LIKE '%wrong%' ORDER BY 3")" \
        "$key|a wrong value|2024-05
$(sha256sum <w.csv | cut -c1-64)|a wrong file|2024-05-04"
    # they travel with the facts
    abdb export | abdb import -q - --db third.db
    same "$(sqlite3 third.db "SELECT count(*) FROM withdrawal")" 4
    same "$(abdb query "SELECT value FROM v_spec WHERE device = 'Z1'" --db third.db -o csv | tail -1)" 600000000000000
    run abdb import - --strict <<<"target,reason,date
x,,2024"
    fails 1 "1 row rejected"
    # so does what counts again, whichever came first
    printf 'target,reason,date,event\nold.peak,the erratum was wrong,2024-06-01,restored\nold.peak,?,2024-05-20,withdrawn\n' |
        abdb import -q -
    same "$(ask "SELECT count(*) FROM v_spec WHERE device = 'Z1'")" 2
    run abdb query withdrawals -o csv
    fails 0 "old.peak,,the erratum was wrong,2024-06-01,restored"
    run abdb explain old.peak
    [[ "$output" != *withdrawn* ]]
    abdb export | abdb import -q - --db fourth.db
    same "$(sqlite3 fourth.db "SELECT * FROM withdrawal")" "$(sqlite3 t.db "SELECT * FROM withdrawal")"
    abdb merge t.db --db third.db
    same "$(abdb query "SELECT count(*) FROM v_spec WHERE device = 'Z1'" --db third.db -o csv | tail -1)" 2
    run abdb import - <<<"target,reason,date,event
x,y,2024,perhaps"
    fails 5 "0 accepted"
    same "$(ask "SELECT reason LIKE '%event IN (%' FROM v_reject")" 1
}

@test "--replace leaves one reading of a file; the message on missing values names the command" {
    run abdb import "$fixtures/serving.json"
    fails 0 "no device is named in any of its"
    fails 0 "abdb import --replace --set device=NAME --set devices=N $fixtures/serving.json"
    before=$(ask "SELECT count(*) FROM v_result")
    [ "$before" -gt 0 ]
    run abdb import --replace --set device=H100-SXM --set devices=8 "$fixtures/serving.json" --dry-run
    same "$(ask "SELECT count(*), count(device) FROM v_result")" "$before,0"
    run abdb import --replace --set device=H100-SXM --set devices=8 "$fixtures/serving.json"
    fails 0 "accepted"
    [[ "$output" != *"no device"* ]]
    same "$(ask "SELECT count(*), count(device), min(devices) FROM v_result")" "$before,$before,8"
    run abdb query withdrawals -o csv
    fails 0 "imported again with --replace"
    # both are there: the one that --replace names stays, and the way back is the same
    abdb import -q --set device=H200-SXM --set devices=8 "$fixtures/serving.json"
    same "$(ask "SELECT count(*) FROM v_result")" $((2 * before))
    run abdb import --replace --set device=H100-SXM --set devices=8 "$fixtures/serving.json"
    fails 0 "already imported"
    same "$(ask "SELECT DISTINCT device FROM v_result")" H100-SXM
    cp t.db between.db
    sqlite3 t.db "SELECT target, date, event FROM withdrawal" | LC_ALL=C sort >said
    abdb import -q --replace --set device=H200-SXM --set devices=8 "$fixtures/serving.json"
    same "$(ask "SELECT DISTINCT device FROM v_result")" H200-SXM
    same "$(ask "SELECT count(*) FROM v_result")" "$before"
    run abdb doctor --rebuild
    fails 0 "sound"
    same "$(ask "SELECT count(*) FROM v_result")" "$before"
    # each step is an event of its own that stays, however quick they come
    same "$(sqlite3 t.db "SELECT target, date, event FROM withdrawal" | LC_ALL=C sort | LC_ALL=C comm -13 - said)" ""
    for to in H100-SXM H200-SXM H100-SXM H200-SXM; do
        abdb import -q --replace --set device=$to --set devices=8 "$fixtures/serving.json"
        same "$(ask "SELECT DISTINCT device FROM v_result")" $to
    done
    same "$(sqlite3 t.db "SELECT target LIKE '%H100%', group_concat(event, ' ') FROM withdrawal WHERE target LIKE '%device=%' GROUP BY target ORDER BY 1")" \
        "0|withdrawn restored withdrawn restored withdrawn restored
1|withdrawn restored withdrawn restored withdrawn"
    # whoever merges an earlier state, this way or that, has the later one
    cp between.db other.db
    abdb merge t.db --db other.db
    abdb merge between.db
    for f in t.db other.db; do same "$(abdb query "SELECT DISTINCT device FROM v_result" --db $f -o csv | tail -n +2)" H200-SXM; done
    same "$(sqlite3 other.db "SELECT * FROM withdrawal")" "$(sqlite3 t.db "SELECT * FROM withdrawal")"
    # other files are not touched
    stated X 1.5 >x.csv
    abdb import -q --replace x.csv
    same "$(ask "SELECT count(*) FROM v_result")" $((before + 1))
    run abdb import --replace --refresh
    fails 2 "--replace goes with a PATH"
}

@test "--refresh and --replace keep the rejects and counts of the withdrawn reading" {
    {
        echo '{"record":"entry","field":{"evidence":"measured","kind":"run","source":"me","workload":"gemm"},"result":[{"metric":"time_s","statistic":"value","value":1.5}]}'
        echo '{damaged'
    } >r.jsonl
    kept() { sqlite3 t.db "SELECT a.importer < (SELECT max(importer) FROM artifact n WHERE n.path = a.path), a.words, a.rejected, (SELECT count(*) FROM reject r WHERE r.artifact_id = a.artifact_id)
        FROM artifact a WHERE path LIKE '%r.jsonl' ORDER BY artifact_id"; }
    abdb import -q r.jsonl
    grow_old r.jsonl
    abdb import -q --refresh r.jsonl
    same "$(kept)" "1||1|1
0||1|1"
    # those of a reading that counts are seen, and waited for
    same "$(ask "SELECT count(*) FROM v_reject")" 1
    same "$(ask "SELECT withdrawn || ' ' || rejected FROM v_artifact WHERE artifact LIKE '%r.jsonl' ORDER BY importer")" "1 1
0 1"
    abdb import -q --replace --set device=H100-SXM r.jsonl
    same "$(kept)" "1||1|1
0||1|1
0|device=H100-SXM|1|1"
    same "$(ask "SELECT count(*) FROM v_reject")" 1
    abdb import -q --replace r.jsonl # the way back: its rejects are seen again
    silent ask "SELECT words FROM v_artifact WHERE withdrawn = 0 AND artifact LIKE '%r.jsonl'"
    same "$(ask "SELECT count(*) FROM v_reject")" 1
    # a mend leaves those of the damaged file with it, and none that wait
    sed -i '2s/.*/{"record":"device","device":"X1"}/' r.jsonl
    abdb import -q --retry-rejects
    same "$(ask "SELECT count(*) FROM v_reject")" 0
    same "$(sqlite3 t.db "SELECT sum(rejected), (SELECT count(*) FROM reject) FROM artifact")" "3|3"
    run abdb import --retry-rejects
    fails 0 "nothing to try again"
}

#!/usr/bin/env bats
# dates.bats - the rounds of MLPerf and their dates; dates as ISO 8601, no digit more or less than the source prints.
load common

@test "every round in the data has a date with its source and place" {
    filled "$root/data"
    same "$(ask "SELECT count(*) FROM (SELECT suite, round FROM v_result WHERE round IS NOT NULL
        UNION SELECT suite, since FROM v_compatibility UNION SELECT suite, until FROM v_compatibility) r
        WHERE (suite, round) NOT IN (SELECT suite, round FROM round)
        AND (suite, round) NOT IN (VALUES ('mobile', 'v1.0'))")" 0 # no date of that one was found
    same "$(ask "SELECT count(*) FROM round r LEFT JOIN source s USING (source) WHERE s.url IS NULL OR locator = ''")" 0
    # rounds of a suite follow one another
    same "$(ask "SELECT count(*) FROM (SELECT published, lag(published) OVER (PARTITION BY suite ORDER BY
        CAST(substr(round, 2) AS REAL)) AS before FROM round) WHERE published < substr(before, 1, length(published))")" 0
    [ "$(ask "SELECT count(*) FROM round")" -ge 45 ]
}

@test "a user-defined round is imported from CSV, corrected by a later one, exported and merged" {
    printf 'suite,round,published,source,locator\ninference,v9.0,2031-04,mlcommons-news,announcement\n' >mine.csv
    run abdb import mine.csv
    [[ "$output" == *"1 accepted"* ]] || { echo "$output"; return 1; }
    sed -i 's/2031-04/2031-04-02/' mine.csv
    abdb import mine.csv -q
    same "$(ask "SELECT published FROM round WHERE round = 'v9.0'")" 2031-04-02
    abdb export | abdb import - -q --db other.db
    same "$(sqlite3 other.db "SELECT published FROM round WHERE round = 'v9.0'")" 2031-04-02
    abdb init --db third.db
    abdb merge t.db --db third.db
    same "$(sqlite3 third.db "SELECT published FROM round WHERE round = 'v9.0'")" 2031-04-02
    printf 'suite,round,published,source,locator\ninference,v9.1,2031-05,,\n' | abdb import - -q || [ $? -eq 5 ]
    same "$(ask "SELECT reason FROM reject")" "source is empty"
}

@test "own files: a date in another form is stored as ISO 8601, and an impossible date is rejected" {
    cat >r.csv <<'END'
evidence,kind,source,workload,device,metric,value,unit,date,retrieved
published,statement,me,gemm,X1,flops_per_s,1,TFLOP/s,May 2024,2024/06/01
published,statement,me,gemm,X2,flops_per_s,2,TFLOP/s,2024-05-03 10:11:12+02:00,
published,statement,me,gemm,X3,flops_per_s,3,TFLOP/s,2024-13-45,
published,statement,me,gemm,X4,flops_per_s,4,TFLOP/s,2024,03/05/2024
END
    abdb import r.csv -q
    same "$(ask "SELECT raw_device, date FROM v_result ORDER BY 1")" $'X1,2024-05\nX2,2024-05-03T08:11:12Z'
    same "$(sqlite3 t.db "SELECT retrieved FROM entry WHERE device = 'X1'")" 2024-06-01
    same "$(ask "SELECT line, field, reason FROM reject ORDER BY 1")" \
"4,date,\"date is '2024-13-45', not a date: write 2024, 2024-05, 2024-05-03, 2024-05-03T10:11:12Z or FIRST-DAY/LAST-DAY\"
5,retrieved,\"retrieved is '03/05/2024', not a date: write 2024, 2024-05, 2024-05-03, 2024-05-03T10:11:12Z or FIRST-DAY/LAST-DAY\""

    printf 'source,kind,title,published,retrieved\na,blog,A,"July 10th, 2019",20240503\nb,blog,B,soon,\n' | abdb import - -q
    same "$(sqlite3 t.db "SELECT source, published, retrieved FROM source WHERE source IN ('a', 'b')")" 'a|2019-07-10|2024-05-03'
    head -2 "$root/data/prices.csv" | sed '2s/2024-01-04/4 Jan 2024/' | abdb import - -q
    same "$(sqlite3 t.db "SELECT valid_from FROM price")" 2024-01-04
    head -1 "$root/data/specs-seeds.csv" >s.csv
    sed -n '2s/2024-01-04/2024-02-30/p' "$root/data/specs-seeds.csv" >>s.csv
    abdb import s.csv -q || [ $? -eq 5 ]
    same "$(ask "SELECT field FROM reject ORDER BY rowid DESC LIMIT 1")" date
}

@test "records, maps and --set store dates as ISO 8601, and refuse wrong dates" {
    cat >r.jsonl <<'END'
{"record":"entry","field":{"evidence":"published","kind":"statement","source":"me","device":"Y1","workload":"gemm","date":"3 May 2024"},"result":[{"metric":"flops_per_s","statistic":"value","value":1}]}
{"record":"entry","field":{"evidence":"published","kind":"statement","source":"me","device":"Y2","workload":"gemm","date":"the third"},"result":[{"metric":"flops_per_s","statistic":"value","value":1}]}
{"record":"source","source":"c","kind":"blog","title":"C","published":"Sept. 8, 2022"}
{"record":"source","source":"d","kind":"blog","title":"D","published":"2022-09-31"}
END
    abdb import r.jsonl -q
    same "$(ask "SELECT raw_device, date FROM v_result")" Y1,2024-05-03
    same "$(sqlite3 t.db "SELECT source, published FROM source WHERE source IN ('c', 'd')")" 'c|2022-09-08'
    same "$(ask "SELECT group_concat(line, ' ') FROM (SELECT line FROM reject ORDER BY line)")" "2 4"

    cat >p.map <<'END'
name mine
match Card Price Since
field device column Card
field valid_from column Since
set provider me
set currency USD
set per hour
set devices 1
price amount column Price kind on-demand
END
    printf 'Card,Price,Since\nL4,1.5,"May 3, 2024"\nL40,2.5,whenever\n' >p.csv
    abdb import --map p.map p.csv -q
    same "$(sqlite3 t.db "SELECT device, valid_from FROM price")" 'L4|2024-05-03'
    [[ "$(ask "SELECT reason FROM reject WHERE field = 'valid_from'")" == *"valid_from is 'whenever', not a date"* ]]

    printf 'evidence,kind,source,workload,device,metric,value,unit\npublished,statement,me,gemm,Z1,flops_per_s,1,TFLOP/s\n' >z.csv
    abdb import z.csv -q --set "date=May 2024"
    same "$(ask "SELECT date FROM v_result WHERE raw_device = 'Z1'")" 2024-05
    run abdb import z.csv --set "date=2024-5"
    fails 2 "date is '2024-5', not a date"
}

@test "an importer keeps every digit of a date in its file and adds none" {
    printf '{"context":{"date":"2024-05-03T10:11:12+02:00"},"benchmarks":[{"name":"B/1","run_name":"B/1","run_type":"iteration","iterations":1,"real_time":1.5,"cpu_time":1.5,"time_unit":"ns"}]}' >g.json
    abdb import g.json "$fixtures/serving.json" -q
    same "$(sqlite3 t.db "SELECT DISTINCT date FROM entry WHERE source = 'google-benchmark'")" 2024-05-03T08:11:12Z
    same "$(sqlite3 t.db "SELECT count(*) FROM entry WHERE source = 'vllm-serving' AND length(date) = 19")" \
         "$(sqlite3 t.db "SELECT count(*) FROM entry WHERE source = 'vllm-serving'")"
    sed 's/2024-05-03T10:11:12+02:00/soon/' g.json >soon.json
    abdb import soon.json -q || [ $? -eq 5 ]
    [[ "$(ask "SELECT reason FROM reject")" == *"date is 'soon', not a date"* ]]
    need_realdata mlperf-inference-round
    sqlite3 t.db "DELETE FROM reject"
    abdb import data "$realdata" -q || true
    same "$(ask "SELECT count(*) FROM reject WHERE reason LIKE '%not a date%'")" 0
    # LoadGen prints the second and its zone, Storage the microsecond and no zone
    same "$(sqlite3 t.db "SELECT count(*) FROM entry WHERE source = 'mlperf-logs' AND date IS NOT NULL AND NOT CASE suite
        WHEN 'storage' THEN length(date) >= 19 AND date NOT LIKE '%Z' ELSE length(date) = 20 AND date LIKE '%Z' END")" 0
    [ "$(sqlite3 t.db "SELECT count(*) FROM entry WHERE source = 'mlperf-logs' AND date IS NOT NULL")" -gt 400 ]
}

@test "an option with a day refuses an impossible day" {
    filled "$root/data"
    for option in --today --price-date; do
        run abdb rank --workload llama2-70b-99 --scenario Server --per dollar "$option" 2024-13-45
        fails 2 "$option wants a day as 2026-01-31, not '2024-13-45'"
    done
    run abdb query perf-per-dollar --today 2026-02-30
    fails 2 "wants a date as 2026-01-31"
}

@test "the newest shipped round is named with its age, and matches the calendar of rounds" {
    abdb import -q "$root/data"
    for suite in inference training; do
        newest=$(ask "SELECT round FROM v_mlperf WHERE suite = '$suite' ORDER BY round_order DESC LIMIT 1")
        published=$(grep "^$suite,$newest," "$root/data/rules/rounds.csv" | cut -d, -f3)
        [ "$published" ] # each shipped round is in the calendar
        echo "# $suite: newest shipped round $newest of $published, $((($(date -u +%s) - $(date -ud "$(head -c 10 <<<"$published-01-01" | cut -c1-10)" +%s)) / 86400)) days old" >&3
    done
    # Inference ships up to the last round that the calendar names
    same "$(ask "SELECT round FROM v_mlperf WHERE suite = 'inference' ORDER BY round_order DESC LIMIT 1")" "$(grep ^inference, "$root/data/rules/rounds.csv" | tail -1 | cut -d, -f2)"
}

@test "the 492 shipped rows of v6.1 equal the checker file value by value, and each name resolves" {
    need_realdata mlperf-inference-checker-csv
    f=$realdata/mlperf-inference-checker-csv/v6.1_summary_without_notes.csv
    python3 - "$f" "$root/data/results/mlperf-inference-v6.1-checker.csv" <<'P'
import csv, sys
theirs, ours = (list(csv.DictReader(open(p))) for p in sys.argv[1:])
assert len(theirs) == len(ours) == 492
for i, (a, b) in enumerate(zip(theirs, ours), 1):
    cpu = a["accelerator_model_name"] == "N/A"
    said = [a["Result"], a["Units"], a["Organization"], a["SystemName"], a["Platform"], a["MlperfModel"], a["Scenario"].lower(), a["Division"], a["SystemType"], a["Availability"],
            a["weight_data_types"].lower(), a["host_processor_model_name"] if cpu else a["accelerator_model_name"],
            str(int(a["number_of_nodes"]) * int(a["host_processors_per_node"])) if cpu else a["total_accelerators"], a["number_of_nodes"]]
    kept = [b[k] for k in "value unit submitter system platform model".split()] + [b["scenario"].lower()] + [b[k] for k in "division system_type availability dtype device devices nodes".split()]
    assert said == kept, (i, said, kept)
    assert b["locator"] == f"summary.csv of v6.1, row {i}"
P
    abdb import -q "$root/data"
    before=$(ask "SELECT count(*) FROM v_mlperf WHERE round = 'v6.1' AND suite = 'inference' AND metric_class = 'performance'")
    same "$before" 492
    abdb import -q "$f"
    # the file itself brings no other value, and no other result
    same "$(ask "SELECT count(*), sum(disagree) FROM v_mlperf WHERE round = 'v6.1' AND suite = 'inference' AND metric_class = 'performance'")" 492,0
    same "$(ask "SELECT count(*) FROM v_name WHERE how = 'unresolved' AND kind = 'device' AND spelling IN (SELECT raw_device FROM v_result WHERE round = 'v6.1')")" 0
    same "$(ask "SELECT DISTINCT device FROM v_mlperf WHERE raw_device IN ('NVIDIA VR200', 'NVIDIA VeraRubin')")" VR200
    # Vera Rubin: today's published TTFT and TPOT
    same "$(ask "SELECT metric, scenario, round(value, 9) FROM v_result WHERE device = 'VR200' AND model = 'deepseek-r1' AND statistic = 'p99' AND metric IN ('ttft_s', 'tpot_s') ORDER BY 1, 2")" \
        $'tpot_s,Interactive,0.012549086\ntpot_s,Server,0.048215361\nttft_s,Interactive,0.47531573\nttft_s,Server,0.303546985'
}

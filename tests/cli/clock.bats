#!/usr/bin/env bats
# clock.bats - a clock that goes back between commands: the order of runs, readings and withdrawals, and keys.
load common

need_faketime() { faketime -f '@2026-01-01 00:00:00' true 2>/dev/null || skip "no faketime here"; }
# COMMAND at that moment, UTC; how long something takes is measured as ever.
at() {
    local moment=$1
    shift
    TZ=UTC FAKETIME_DONT_FAKE_MONOTONIC=1 faketime -f "@$moment" "$@"
}
measure() { at "$1" abdb run -q --kernel gemm --axis n=8 --backend ref --quick --threads 1 --tag "$2"; }

@test "a run with a date before the newest run is kept, with a warning about run=latest" {
    need_faketime
    run measure '2026-03-01 12:00:00' first
    [ "$status" -eq 0 ]
    [[ $output != *"the clock"* ]]
    run measure '2026-02-01 12:00:00' back
    [ "$status" -eq 0 ]
    newest=$(ask "SELECT campaign FROM v_run WHERE tag = 'first' LIMIT 1")
    [[ $output == *"the clock (2026-02-01T12:00:0"*"behind the newest run here, $newest of 2026-03-01T12:00:0"*"run=latest will mean that one"* ]] || { echo "$output"; false; }
    run measure '2026-04-01 12:00:00' later
    [[ $output != *"the clock"* ]]
    # by date, whatever the order of commands was; each still has its own name
    same "$(ask "SELECT group_concat(tag, ' ') FROM (SELECT DISTINCT tag, date FROM v_run ORDER BY date)")" "back first later"
    same "$(ask "SELECT count(DISTINCT campaign) FROM v_run")" 3
    for n in ':later' '~1:first' '~2:back'; do
        run abdb compare "run=latest${n%:*},tag=${n#*:}" tag=back --exploratory
        [[ $output == *"COMPARABLE"* ]] || { echo "$n: $output"; false; }
    done
    run abdb compare run=latest,tag=first tag=back --exploratory
    [[ $output != *COMPARABLE* ]]
    [[ $(ask "SELECT min(date) FROM v_run WHERE tag = 'back'") == 2026-02-01T12:00:0* ]]
}

@test "two runs with the same time are stored as two runs" {
    need_faketime
    measure '2026-03-01 12:00:00' one
    measure '2026-03-01 12:00:00' two
    measure '2026-03-01 12:00:00' two
    same "$(ask "SELECT count(DISTINCT campaign) FROM v_run")" 3
    same "$(ask "SELECT count(*) FROM v_run")" 3
    cp t.db copy.db
    abdb merge copy.db >/dev/null
    same "$(ask "SELECT count(*) FROM v_run")" 3
}

@test "the last reading of a file counts, even by a clock that is behind" {
    need_faketime
    printf 'evidence,source,workload,device,metric,value,unit\npublished,me,serving,d1,tokens_per_s,5,token/s\n' >f.csv
    at '2026-03-01 12:00:00' abdb import -q f.csv
    want=$(facts)
    value() { abdb query "SELECT value || ' ' || coalesce(tag, '-') FROM v_result ;" -o csv "$@" | tail -n +2; }
    # three readings of the same bytes take turns, each by a clock that is behind the one before
    at '2026-02-01 12:00:00' abdb import -q --replace --set tag=b f.csv
    same "$(value)" "5.0 b"
    at '2025-01-01 12:00:00' abdb import -q --replace f.csv
    same "$(value)" "5.0 -"
    at '2024-01-01 12:00:00' abdb import -q --replace --set tag=b f.csv
    same "$(value)" "5.0 b"
    at '2023-01-01 12:00:00' abdb withdraw f.csv --reason wrong >/dev/null
    same "$(value)" ""
    # what was said last holds after merging, too
    cp t.db copy.db
    abdb init --db empty.db >/dev/null
    abdb merge --db empty.db copy.db >/dev/null
    same "$(value --db empty.db)" ""
    abdb merge copy.db >/dev/null
    same "$(value)" ""
    # facts do not depend on when they were imported
    abdb import -q --db now.db f.csv
    same "$(facts now.db)" "$want"
}

@test "samples and durations come from the steady clock where the system clock goes back" {
    need_faketime
    # each look at the clock is a second before the one before
    TZ=UTC FAKETIME_DONT_FAKE_MONOTONIC=1 faketime -f '@2026-03-01 12:00:00 i-1.0' abdb run -q --kernel gemm --axis n=8 --backend ref --quick --threads 1
    same "$(ask "SELECT count(*) FROM v_kernel WHERE status = 'ok' AND time_s > 0 AND time_s < 1")" 1
    same "$(ask "SELECT count(*) FROM v_reject")" 0
    abdb doctor >/dev/null
}

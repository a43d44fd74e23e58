#!/usr/bin/env bats
# conform.bats - abdb check-backend: right backends keep all rules, each wrong one breaks the one that it is made to break; and
# what abdb run makes of them.
load common
wrong=$root/tests/backends/wrong_backend.py

check() { # WAY OPTIONS...: the rules that it breaks
    local way=$1
    shift
    abdb check-backend -o csv --wait 3 --cell "sum n=1 dtype=f32" "$@" -- python3 -SE "$wrong" "$way" >"$way.csv" 2>/dev/null || true
    awk -F, '$2 == "BROKEN" { print $1 }' "$way.csv" | paste -sd' '
}

@test "the shipped backends pass check-backend" {
    for b in "$build"/abdb-run-*; do
        kernel=gemm
        [[ $b != *-opencl ]] || kernel=stream # a product is built first
        ranks=()
        [[ $b != *-mpi ]] || kernel=all-reduce ranks=(--ranks 2)
        [[ $b != *-mpi ]] || command -v mpirun >/dev/null || continue
        run abdb check-backend "$b" "${ranks[@]}" --kernel $kernel --cell "gemm n=64 dtype=f32" --cell "stream n=4096 dtype=f64"
        fails 0 "6.1   ok"
        [[ $output != *BROKEN* ]]
        # without a device each cell says so
        "$b" describe 2>/dev/null | grep -q '"no-device"' || fails 0 "4.16  ok"
    done
    run abdb check-backend ref --kernel stream --cell "stream n=4096" -o junit
    fails 0 'failures="0" errors="0" skipped="5"'
    run abdb check-backend
    fails 2 "check which?"
    run abdb check-backend ./nothing
    fails 6 "cannot be started"
}

@test "check-backend passes a right backend, and names the broken rule of each wrong one" {
    cat >ways <<'W'
right||
*deviceless|1.1|lacks device
*anything|1.2|it prints records
*code|1.3|code 3
leaving|1.3|1 processes behind
*kindless|2.1|without a kind
long|2.2|a line that begins with
latin|2.3 2.4|byte 24 of a line
noise|2.4|Loading
escape|2.5|chosen
nan|2.6|NaN
*misnamed|3.1|lacks backend
*beat-first|3.1|its first record is 'beat'
*nameless|3.2|does not name
private|3.3|system names
*clockless|3.4|clock_resolution_s
*devices|3.5|device 0
changing|3.6|something else
twice|4.1|after 'end'
other|4.2|of 'sum n=9'
*strict|4.3 5.2|
*counting|4.4|another seq
negative|4.4|time_s is -0.0001
*instant|4.5|steps of 1e-09 s
made-up|4.5|300 s together
overlapping|4.5|and the next began
*backwards|4.4|
unverified|4.6|'surely', not pass
*over-bound|4.6|its error 5 of the bound
*uncompared|4.8|checked 0
*overcompared|4.8|checked 1.5
*shifted|4.8|canary_shift 5
*below-zero|4.7|ops is -1
*factors|4.8|the factor n is no text
other-dtype|4.10|dtype=bf16 where f32
own-word|4.13|brilliant
*silent-reason|4.13|without a reason
sampleless|4.14|no samples
impostor|4.15|ends ok
failing|4.16|not verified
*credulous|4.17|ends ok
orphan|4.18|which was not told before
own-metric|4.19|the unknown metric 'beauty'
*rankless|4.20|ranks are no list
silent|5.1|silent
dying|5.2|ended inside
deaf|5.3|
*stubborn|5.4|runs on
no-bye|5.3 6.1|does not say bye
*talking|6.1|'beat' after bye
version|7.1|speaks protocol 2
W
    # with THOROUGH all of them, else those without a star
    [ -n "${THOROUGH-}" ] && sed -i 's/^\*//' ways || sed -i '/^\*/d' ways
    export -f check
    export wrong
    cut -d'|' -f1 ways | xargs -P4 -I{} bash -c 'check {} >{}.broken'
    while IFS='|' read -r way rules reason; do
        # where no cell was measured, 4.16 is broken too
        broken=$([[ $rules = *4.16* ]] && cat "$way.broken" || sed -E 's/ ?4\.16//; s/^ //' "$way.broken")
        [ "$broken" = "$rules" ] && grep -qF -- "$reason" "$way.csv" || { echo "$way breaks '$broken', not '$rules' for '$reason'"; grep BROKEN "$way.csv" || true; touch fault; }
    done <ways
    [ ! -e fault ]
    same "$(cat right.broken)" ""
    # no rule that nobody can break
    # (4.21 is of products: lying.bats)
    [ -z "${THOROUGH-}" ] || same "$(cut -d'|' -f2 ways | tr ' ' '\n' | sort -uV | xargs)" "$(awk -F, 'NR > 1 && $1 != "4.21" { print $1 }' right.csv | sort -V | xargs)"
}

@test "abdb run stores a row with a reason for each wrong backend, and continues with the next" {
    cat >said <<'W'
right ok
deviceless ok
anything ok
code ok
leaving ok
kindless ok
noise ok
escape ok
nameless ok
counting ok
talking ok
no-bye ok
long bad-answer
latin bad-answer
nan bad-answer
other bad-answer
negative bad-answer
instant bad-answer
made-up bad-answer
overlapping bad-answer
backwards bad-answer
over-bound bad-answer
uncompared bad-answer
overcompared bad-answer
shifted bad-answer
unverified bad-answer
below-zero bad-answer
factors bad-answer
other-dtype bad-answer
own-word bad-answer
sampleless bad-answer
orphan bad-answer
own-metric bad-answer
rankless bad-answer
dying crash
silent timeout
W
    mkdir fake
    while read -r way _; do
        printf '#!/bin/sh\nexec python3 -SE "%s" %s "$@"\n' "$wrong" "$way" >"fake/abdb-run-$way"
        chmod +x "fake/abdb-run-$way"
    done <said
    ABDB_BACKENDS=$dir/fake run abdb run --kernel sum --axis n=1 --axis dtype=f32 --backend "$(cut -d' ' -f1 said | paste -sd,)" --timeout 3
    fails 5 "12 cells measured, 22 failed, 2 crashed, timed out"
    same "$(sqlite3 -separator ' ' t.db "SELECT backend, status FROM v_run ORDER BY 1")" "$(sort said)"
    same "$(ask "SELECT group_concat(DISTINCT marks), group_concat(DISTINCT verified_by) FROM v_result")" "self-verified,program"
    same "$(ask "SELECT count(*) FROM v_run WHERE status <> 'ok' AND (reason IS NULL OR reason = '')")" 0
    same "$(ask "SELECT count(*) FROM v_statement WHERE backend IN (SELECT backend FROM v_run WHERE status <> 'ok') AND value IS NOT NULL")" 0
    same "$(ask "SELECT group_concat(DISTINCT time_s) FROM v_kernel")" 0.0001
    same "$(ask "SELECT chosen FROM v_kernel WHERE backend = 'escape'")" "a [31mred"
    # what was refused at the door
    mkdir door
    printf '#!/bin/sh\nexec python3 -SE "%s" version "$@"\n' "$wrong" >door/abdb-run-version
    chmod +x door/abdb-run-version
    ABDB_BACKENDS=$dir/door run abdb run --kernel sum --axis n=1 --backend version
    fails 6 "speaks protocol 2"
    no pgrep -f "wrong_backend.py leaving" >/dev/null # nothing lives on
}

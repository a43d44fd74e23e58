#!/usr/bin/env bats
# commands.bats - abdb run --command: programs of anyone that take turns, their verdict, and what goes wrong.
load common

# A program that takes so many milliseconds.
napping() { # NAME MILLISECONDS
    printf '#!/bin/sh\necho "$0 $*" >>"%s/log"\nsleep %s\n' "$dir" "$(awk -v m="$2" 'BEGIN { print m / 1000 }')" >"$1"
    chmod +x "$1"
}

@test "two programs take turns, and the slower one fails the gate; the command that says so is printed" {
    napping old 210
    napping new 260
    run abdb run --command before=./old --command after=./new --repeat 6
    fails 0 "12 cells measured"
    same "$(sed 's/ //' log | head -4 | tr '\n' ' ')" "./old ./new ./new ./old "
    [[ $output =~ "which is slower: "(abdb compare [^$'\n']*) ]]
    run ${BASH_REMATCH[1]}
    fails 1 "command wall-time (slower: 1.2"
    abdb compare tag=before tag=before --fail-on slower
    same "$(ask "SELECT DISTINCT kernel, backend, status FROM v_kernel")" "wall-time,command,ok"
    same "$(ask "SELECT count(*) FROM v_factor_given WHERE factor IN ('fill', 'cache', 'provider_asked')")" 0
}

@test "a quick program is started some times in a turn; words are cut as a shell does, without a shell; {KEY} is an axis" {
    printf '#!/bin/sh\nprintf "%%s|" "$@" >>"%s/log"\necho >>"%s/log"\n' "$dir" "$dir" >say
    chmod +x say
    run abdb run --command "a=./say 'two words' \"it's\" \$HOME {n} {m} back\\ slash" --axis n=1 --repeat 1
    fails 0 "1 cell measured"
    same "$(sort -u log)" "two words|it's|\$HOME|1|{m}|back slash|"
    [ "$(wc -l <log)" -gt 1 ]
    same "$(ask "SELECT count(*) FROM v_kernel WHERE flags <> ''")" 0
    same "$(ask "SELECT count(*) > 0 FROM v_factor_given WHERE factor = 'n' AND text = '1'")" 1
}

@test "the starts of one repetition count once: three repetitions are too few, in turn or not" {
    run abdb run --command before=true --command after=true --repeat 3
    fails 0 "6 cells measured"
    [ "$(ask "SELECT min(n) > 1 FROM v_result")" = 1 ]
    run abdb compare tag=before tag=after --drift 0.02
    fails 0 "too-few: 3 and 3 processes: 5 are the least"
    abdb run -q --command later=true --repeat 3
    run abdb compare tag=before tag=later --drift 0.02
    fails 0 "too-few: 3 and 3 processes: 5 are the least"
}

@test "a program's environment and signals are those of abdb; its output goes nowhere" {
    printf '#!/bin/bash\nenv | grep -E "^(OMP_|.*_NUM_THREADS)" >>"%s/log"\necho noise\necho more >&2\ntrap -p PIPE >>"%s/log"\nread -r line && echo "$line" >>"%s/log"\nyes | head -1 >/dev/null\necho "${PIPESTATUS[0]}" >"%s/pipe"\nexit 0\n' "$dir" "$dir" "$dir" "$dir" >look
    chmod +x look
    unset OMP_NUM_THREADS OMP_WAIT_POLICY OMP_PROC_BIND OMP_PLACES OPENBLAS_NUM_THREADS BLIS_NUM_THREADS
    run abdb run --command a=./look --repeat 1 <<<"a line"
    fails 0 "1 cell measured"
    [[ $output != *noise* && $output != *more* ]]
    same "$(cat log)" ""
    same "$(cat pipe)" 141
}

@test "a program that fails, is not there, or is killed: a failed cell with its reason" {
    run abdb run --command 'a=sh -c "echo first >&2; echo no such colour >&2; exit 3"' --repeat 1
    fails 5 "a: sh ended with code 3: no such colour"
    same "$(ask "SELECT status, reason FROM entry")" "failed,sh ended with code 3: no such colour"
    run abdb run --command 'a=sh -c "kill -9 \$\$"' --repeat 1
    fails 5 "a: sh was ended by signal 9"
    run abdb run --command 'a=no-such-program-here x' --repeat 1
    fails 5 "a: no-such-program-here cannot be started: No such file"
    run abdb run --command 'a=sleep 77' --repeat 1 --timeout 1
    fails 5 "1 crashed, timed out"
    no pgrep -f '^sleep 77'
}

@test "commands: what cannot be asked" {
    run abdb run --command ./old
    fails 2 "--command wants NAME=COMMAND"
    run abdb run --command a=
    fails 2 "--command wants NAME=COMMAND"
    run abdb run --command a=./not-here
    fails 2 "--command: there is no program ./not-here"
    run abdb run --command "a=echo 'x"
    fails 2 "a quote has no end"
    run abdb run --command a=true --command a=false
    fails 2 "--command names 'a' twice"
    run abdb run --command a=true --kernel gemm
    fails 2 "no --kernel beside it"
    run abdb-command true
    fails 2 "usage: abdb-command"
}

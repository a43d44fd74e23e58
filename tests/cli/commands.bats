#!/usr/bin/env bats
# commands.bats - abdb run --command: programs of anyone that take turns, their verdict, and what goes wrong.
load common

# A program that takes so many milliseconds.
napping() { # NAME MILLISECONDS
    printf '#!/bin/sh\necho "$0 $*" >>"%s/log"\nsleep %s\n' "$dir" "$(awk -v m="$2" 'BEGIN { print m / 1000 }')" >"$1"
    chmod +x "$1"
}

@test "two programs take turns, and the slower one fails the gate of the printed command" {
    napping old 210
    napping new 420
    run abdb run --command before=./old --command after=./new --repeat 6
    fails 0 "12 cells measured"
    same "$(sed 's/ //' log | head -4 | tr '\n' ' ')" "./old ./new ./new ./old "
    [[ $output =~ "which is slower: "(abdb compare [^$'\n']*) ]]
    run ${BASH_REMATCH[1]}
    fails 1 "command wall-time (slower: "
    run abdb compare tag=before tag=before --fail-on slower # shows nothing
    fails 2 "share 6 of them"
    same "$(ask "SELECT DISTINCT kernel, backend, status FROM v_kernel")" "wall-time,command,ok"
    same "$(ask "SELECT count(*) FROM v_factor_given WHERE factor IN ('fill', 'cache', 'provider_asked')")" 0
}

@test "a quick program is started several times a turn; its words are split without a shell; {KEY} is an axis" {
    printf '#!/bin/sh\nprintf "%%s|" "$@" >>"%s/log"\necho >>"%s/log"\n' "$dir" "$dir" >say
    chmod +x say
    run abdb run --command "a=./say 'two words' \"it's\" \$HOME {n} {{m}} \${o} {1,2} back\\ slash" --axis n=1 --repeat 1
    fails 0 "1 cell measured"
    same "$(sort -u log)" "two words|it's|\$HOME|1|{m}|\${o}|{1,2}|back slash|"
    [ "$(wc -l <log)" -gt 1 ]
    # but for flags of a machine that does other work
    same "$(ask "SELECT count(*) FROM v_kernel WHERE trim(replace(replace(replace(replace(flags, 'busy', ''), 'two-modes', ''), 'trend', ''), 'wide', '')) <> ''")" 0
    same "$(ask "SELECT count(*) > 0 FROM v_factor_given WHERE factor = 'n' AND text = '1'")" 1
}

@test "several starts within one repetition count as one process" {
    run abdb run --command before=true --command after=true --repeat 3
    fails 0 "6 cells measured"
    [ "$(ask "SELECT min(n) > 1 FROM v_result WHERE metric = 'time_s'")" = 1 ]
    run abdb compare tag=before tag=after --drift 0.02
    fails 0 "too-few: 3 and 3 processes: 5 are the least"
    abdb run -q --command later=true --repeat 3
    run abdb compare tag=before tag=later --drift 0.02
    fails 0 "too-few: 3 and 3 processes: 5 are the least"
}

@test "a measured program has the environment and signals of abdb, and its output is discarded" {
    printf '#!/bin/bash\nenv | grep -E "^(OMP_|.*_NUM_THREADS)" >>"%s/log"\necho noise\necho more >&2\ntrap -p PIPE >>"%s/log"\nread -r line && echo "$line" >>"%s/log"\nyes | head -1 >/dev/null\necho "${PIPESTATUS[0]}" >"%s/pipe"\nexit 0\n' "$dir" "$dir" "$dir" "$dir" >look
    chmod +x look
    unset OMP_NUM_THREADS OMP_WAIT_POLICY OMP_PROC_BIND OMP_PLACES OPENBLAS_NUM_THREADS BLIS_NUM_THREADS
    run abdb run --command a=./look --repeat 1 <<<"a line"
    fails 0 "1 cell measured"
    [[ $output != *noise* && $output != *more* ]]
    same "$(cat log)" ""
    same "$(cat pipe)" 141
}

@test "results of commands name their program in order of starts, with a reason beside each failure" {
    run abdb run -q --command b=true --command 'a=sh -c "echo no such colour >&2; exit 3"' --command c=true --repeat 11
    fails 5 ""
    run abdb query kernels
    fails 0 "11 cells without a result or with a failed verification: --failed"
    [[ $output != *GFLOP* && $output != *"of best"* ]]
    same "$(abdb query kernels -o jsonl 2>/dev/null | jq -r '[.cell, .tag, .command] | join(" ")' | sed -n '1,2p;10,12p')" \
        $'wall-time b true\nwall-time #2 b true\nwall-time #10 b true\nwall-time #11 b true\nwall-time c true'
    same "$(abdb query kernels -o jsonl 2>/dev/null | jq -r '[.time_ms, .n][] | type' | sort -u)" number
    run abdb query kernels --failed
    fails 0 "sh ended with code 3: no such colour"
    same "$(abdb query kernels --failed -o jsonl 2>/dev/null | jq -r '.tag + " " + .status' | sort | uniq -c | sed 's/^ *//')" "11 a failed" # and none that is ok
    same "$(abdb query samples --cells 99 -o jsonl 2>/dev/null | jq -r .label | uniq | sed -n '2,3p;10,12p')" \
        $'command wall-time #2 b\ncommand wall-time #3 b\ncommand wall-time #10 b\ncommand wall-time #11 b\ncommand wall-time c'
    # of several commands: which
    abdb run -q --command b=true --repeat 1
    same "$(abdb query samples --tag b -o jsonl 2>/dev/null | jq -r .label | grep -c '^command wall-time b 20')" \
        "$(abdb query samples --tag b -o jsonl 2>/dev/null | jq -r .label | grep -c 'wall-time b')"
    run abdb query samples
    fails 0 "1 cell, n = "
    [[ $output != *"cells, n"* && $output != *each* ]]
}

@test "a cell measured later by --resume is not counted as missing" {
    napping prog 400
    abdb run -q --command a=./prog --repeat 3 &
    child=$!
    until [ "$(wc -l <log 2>/dev/null || echo 0)" -ge 2 ]; do sleep 0.05; done
    kill -INT $child
    status=0
    wait $child || status=$?
    same "$status" 130
    run abdb query kernels --failed
    fails 0 "interrupted"
    same "$(ask "SELECT count(*) FROM v_run WHERE status = 'cancelled'")" 1
    abdb run -q --command b=./prog --repeat 3
    run abdb compare tag=a tag=b --partial
    fails 0 "A: 1 of the cells of c-"
    run abdb run --command a=./prog --repeat 3 --resume
    fails 0 "cells measured"
    same "$(abdb query kernels --failed -o jsonl 2>/dev/null)" ""
    run abdb query kernels
    [[ $output != *"without a result"* ]]
    run abdb compare tag=a tag=b
    [[ $output != *"without a result"* ]]
}

@test "a program that fails, is missing or is killed gives a failed cell with its reason" {
    run abdb run --command 'a=sh -c "echo first >&2; echo no such colour >&2; exit 3"' --repeat 1
    fails 5 "a: sh ended with code 3: no such colour"
    same "$(ask "SELECT status, reason FROM entry")" "failed,sh ended with code 3: no such colour"
    run abdb run --command 'a=sh -c "kill -9 \$\$"' --repeat 1
    fails 5 "a: sh was ended by signal 9"
    run abdb run --command 'a=no-such-program-here x' --repeat 1
    fails 5 "a: no-such-program-here cannot be started: No such file"
    run abdb run --command 'a=sleep 77' --repeat 1 --timeout 1
    fails 5 "1 crashed, timed out"
    [[ $output == *"a: over its time of 1 s"* ]]
    no pgrep -f '^sleep 77'
}

@test "the exit code of a program is right under an ignored SIGCHLD" {
    ignoring() { perl -e '$SIG{CHLD} = "IGNORE"; exec @ARGV' "$@"; }
    run ignoring abdb run --command a=false --repeat 1
    fails 5 "a: false ended with code 1"
    run ignoring abdb run --command 'a=sleep 0.3' --repeat 1
    fails 0 "1 cell measured"
    [ "$(ask "SELECT min(value) >= 0.3 FROM v_sample")" = 1 ]
    mkdir fake
    printf '#!/bin/sh\necho \047{"kind":"hello","protocol":1,"backend":"gone","summary":"for tests","kernels":[]}\047\n[ "$1" = run ] && read -r line\nexit 7\n' >fake/abdb-run-gone
    chmod +x fake/abdb-run-gone
    ABDB_BACKENDS=$dir/fake run ignoring abdb run --kernel k --backend gone
    fails 5 "1 crashed"
    same "$(ask "SELECT reason FROM v_run WHERE backend = 'gone'")" "the process ended with code 7"
}

@test "{KEY} in the path of a program gives each cell its program; a missing one fails alone" {
    printf '#!/bin/sh\n' >bench-1
    chmod +x bench-1
    run abdb run --command 'a=./bench-{v}' --axis v=1,2 --repeat 1
    fails 5 "1 cell measured, 1 failed"
    fails 5 "a: ./bench-2 cannot be started: No such file"
}

@test "a program that kills its own process group ends alone, and its exit code counts" {
    printf '#!/bin/bash\ntrap "trap \047\047 TERM; kill 0" EXIT\nsleep 78 &\n' >tidy
    printf '#!/bin/bash\ntrap "trap - TERM; kill 0" EXIT\n' >rude
    printf '#!/bin/bash\nkill -9 0\n' >ruder
    chmod +x tidy rude ruder
    run abdb run --command a=./tidy --command b=true --repeat 2
    fails 0 "4 cells measured"
    no pgrep -f '^sleep 78'
    run abdb run --command a=./rude --command b=./ruder --command c=true --repeat 1
    fails 5 "1 cell measured, 2 failed"
    same "$(ask "SELECT DISTINCT reason FROM v_run WHERE status = 'failed' ORDER BY reason")" "./rude was ended by signal 15 (Terminated)
./ruder was ended by signal 9 (Killed)"
}

@test "the end of a command by a signal, a time-out or itself ends every process that it started" {
    printf '#!/bin/bash\ntrap "" INT TERM HUP\nsleep 78 &\necho >>"%s/began"\n[ -z "$1" ] || exit 0\nwhile :; do sleep 78; done\n' "$dir" >stubborn
    chmod +x stubborn
    nobody() {
        for ((i = 0; i < 40; i++)); do
            pgrep -f '^sleep 78|bash ./stubborn' || return 0
            sleep 0.05
        done
        return 1
    }
    for signal in INT TERM KILL; do
        for command in ./stubborn 'timeout 90 ./stubborn'; do
            [ "$signal $command" != "KILL timeout 90 ./stubborn" ] || continue # it has left the group, and nobody lives to look for its own
            rm -f began
            abdb run --command "a=$command" --repeat 1 >out 2>&1 3>&- &
            pid=$!
            for ((i = 0; i < 200; i++)); do
                [ ! -s began ] || break
                sleep 0.05
            done
            kill -$signal $pid
            wait $pid || true
            nobody
        done
    done
    run abdb run --command a=./stubborn --repeat 1 --timeout 1
    fails 5 "1 crashed, timed out"
    nobody
    run abdb run --command 'a=./stubborn once' --repeat 1
    fails 0 "1 cell measured"
    nobody
}

@test "a word that is not UTF-8 reaches the program unchanged and is printed escaped; an axis refuses it" {
    printf '#!/bin/sh\nprintf %%s "$1" >"%s/word"\n' "$dir" >say
    chmod +x say
    run abdb run --command a=$'./say \xff' --repeat 1
    fails 0 "1 cell measured"
    same "$(od -An -tx1 <word)" " ff"
    same "$(ask "SELECT DISTINCT text FROM v_factor_given WHERE factor = 'command'")" './say \xff'
    run abdb run --command 'a=./say {v}' --axis v=$'\xff' --repeat 1
    fails 2 "is not UTF-8"
    run abdb run --command $'a=./no\xff' --repeat 1
    fails 2 "there is no program"
    run abdb run --command $'a=no\xff' --repeat 1
    fails 5 'a: no\xff cannot be started'
}

@test "the last line on standard error is the reason of a failure; the rest is discarded" {
    run bash -c "ulimit -f 20000; $(printf %q "$build/abdb") run --command 'a=sh -c \"head -c 50000000 /dev/zero >&2\"' --repeat 1"
    fails 0 "1 cell measured" # a file of that size would be over the limit
    run abdb run --command 'a=sh -c "yes | head -c 50000000 >&2; printf \"first\\nlast of \\377 it\" >&2; exit 3"' --repeat 1
    fails 5 'a: sh ended with code 3: last of \xff it'
    run abdb run --command 'a=sh -c "printf \"a\\000b\" >&2; sleep 0.1; printf %0300d 5 >&2; exit 3"' --repeat 1
    fails 5 'a: sh ended with code 3: 000'
    run abdb run --command 'a=sh -c "yes >&2 & sleep 0.1; exit 4"' --repeat 1
    fails 5 'a: sh ended with code 4: y'
}

@test "--command without a name, a program or a closing quote is refused" {
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
    # measured as it stands, or twice the same, would be a comparison of nothing
    run abdb run --command 'x=true {n}' --command 'y=true {m}' --axis n=1,2
    fails 2 "--command y: no --axis gives {m} a value; if the braces shall stay, write {{m}}"
    run abdb run --command 'x=true {n}' --command y=true --axis n=1,2 --axis m=3
    fails 2 "no --command has {m}, so that --axis m=... would measure the same again"
    [ ! -e "$ABDB_DB" ]
    run abdb-command true
    fails 2 "usage: abdb-command"
}

@test "a shell operator outside of quotes gives a warning with the command for a shell" {
    while IFS='~' read -r command word better; do
        run abdb run --command "a=$command" --repeat 1
        fails 0 "a: no shell runs this, so that the program gets '$word' as a word; with one: --command \"a=sh -c '$better'\""
    done <<'E'
echo a | wc~|~echo a | wc
echo a > there~>~echo a > there
echo "a b" && echo c~&&~...
E
    run abdb run --command "a=expr 1 '|' 2" --repeat 1
    fails 0 "1 cell measured"
    [[ $output != *shell* ]]
}

@test "a tag with commas and quotes is quoted in the printed command" {
    abdb run --command "a,b=true" --command "it's=true" --repeat 1 >said
    command=$(sed -n 's/^which is slower: //p' said)
    run bash -c "${command/ --fail-on slower/}"
    fails 0 "A tag='a,b'  measured, 1 result    B tag='it''s'"
}

@test "a running, killed or stopped run is named by every answer, and is not compared as complete" {
    set -- run --command a='sleep 0.05' --command b='sleep 0.1' --repeat 12
    setsid abdb "$@" >began 2>&1 3>&- &
    until [ "$(abdb query 'SELECT count(*) AS n FROM v_run' -o csv 2>/dev/null | tail -1)" -ge 4 ] 2>/dev/null; do sleep 0.05; done
    run abdb query kernels
    fails 0 "abdb run is under way: "
    fails 0 " of 24 cells are measured (c-"
    run abdb doctor
    fails 0 " is under way: "
    run abdb compare tag=a tag=b --fail-on slower
    fails 2 "A 'tag=a' has a run that is under way, with "
    fails 2 "wait for its end, or compare what is there by --partial"
    kill -9 $!
    wait $! 2>/dev/null || true
    run abdb query history
    fails 0 "the newest run was stopped after "
    fails 0 "the same command with --resume measures the others; until then names are not resolved"
    run abdb doctor
    [[ $output =~ !\ +runs\ +c-[0-9a-f-]+\ was\ stopped\ after\ [0-9]+\ of\ 24\ cells ]]
    for where in run=latest evidence=measured; do # however the side is named
        run abdb compare tag=a tag=b --where "$where" --fail-on slower
        fails 2 "A 'tag=a' has a run that was stopped after "
    done
    run abdb compare tag=a tag=b --partial
    fails 0 "measured, "
    abdb "$@" --resume >/dev/null
    run abdb query kernels
    [[ $output != *"newest run"* && $output != *"not resolved"* ]]
    run abdb doctor
    [[ $output != *" was stopped after "* ]]
    run abdb compare tag=a tag=b
    fails 0 "A tag=a  measured, 12 results"
    # stopped by ^C, and left behind by a newer one: said of what is compared, no longer of every answer
    setsid abdb run --command c='sleep 0.2' --repeat 12 >began 2>&1 3>&- &
    until [ "$(abdb query "SELECT count(*) AS n FROM v_run WHERE tag = 'c'" -o csv 2>/dev/null | tail -1)" -ge 2 ] 2>/dev/null; do sleep 0.05; done
    kill -TERM $!
    wait $! || true
    run abdb query kernels
    fails 0 "the newest run was stopped after "
    abdb run --command d='sleep 0.01' --repeat 2 >/dev/null
    run abdb query kernels
    [[ $output != *"newest run"* ]]
    run abdb compare tag=a tag=c
    fails 2 "B 'tag=c' has a run that was stopped after "
    same "$(sqlite3 "$ABDB_DB" "SELECT count(*) FROM meta WHERE key GLOB 'run.*'")" 1
}

@test "explain prints its question with the given options; merge refuses to merge a database into itself" {
    filled "$root/data"
    run abdb explain choose usd_per_hour device=H200-SXM --today 2026-11-25
    fails 0 "  in: What to buy or rent, what llama2-70b-99.9, scenario Server"
    run abdb explain choose usd_per_hour device=H200-SXM
    fails 0 "; no option was given"
    run abdb explain choose usd_per_hour device=H200-SXM --model llama2-70b-99 --scenario Server --rate 12k/s
    fails 0 "  in: What to buy or rent for 12k/s, what llama2-70b-99, scenario Server"
    [[ $output != *"no option was given"* ]]
    ln -s "$ABDB_DB" same.db
    for name in "$ABDB_DB" same.db; do
        SECONDS=0
        run abdb merge "$name"
        fails 2 "is the database"
        [ "$SECONDS" -lt 5 ]
    done
}

@test "lines for a shell surround turns and starts; warm-up starts are not timed; each option is checked" {
    napping prog 250
    abdb run -q --command 'a=./prog {n}' --axis n=3 --repeat 2 --setup 'echo setup >>log' --prepare 'echo prepare {n} >>log' \
        --cleanup 'echo cleanup >>log' --warmup 1
    same "$(tr '\n' ' ' <log)" "$(for _ in 1 2; do printf 'setup prepare 3 ./prog 3 prepare 3 ./prog 3 cleanup '; done)"
    same "$(ask "SELECT DISTINCT n FROM v_kernel")" 1
    for option in setup prepare cleanup; do
        run abdb run --command a=./prog --repeat 1 --$option 'echo why >&2; exit 3'
        fails 5 "a: --$option: sh ended with code 3: why"
    done
    run abdb run --kernel gemm --prepare true
    fails 2 "--prepare is of --command"
    run abdb run --command a=./prog --warmup x
    fails 2 "--warmup wants a whole number"
    run abdb run --command a=./prog --output ''
    fails 2 "--output wants null, pipe or the path of a file"
}

@test "a program may end with any code under --ignore-failure, which is kept; a signal still fails" {
    run abdb run --command 'a=sh -c "exit 9"' --repeat 1 --ignore-failure
    fails 0 "1 cell measured"
    same "$(ask "SELECT text FROM v_run_factor WHERE factor = 'exit_code'")" 9
    run abdb run --command 'b=sh -c "kill -9 \$\$"' --repeat 1 --ignore-failure
    fails 5 "ended by signal 9"
}

@test "standard output goes to nothing, a pipe or a file, and the choice is a factor; a database is not replaced" {
    printf '#!/bin/sh\nto=$(readlink /proc/$$/fd/1)\necho "$to" >>"%s/log"\nseq 1 100000\n' "$dir" >prog
    chmod +x prog
    for output in null pipe out.txt; do abdb run -q --command "$output=./prog" --repeat 1 --output $output; done
    same "$(sed 's/:.*//; s/.*\///' log | sort -u | tr '\n' ' ')" "null out.txt pipe "
    same "$(tail -1 out.txt)" 100000
    same "$(ask "SELECT group_concat(DISTINCT text) FROM v_run_factor WHERE factor = 'output' ORDER BY text")" '"null,pipe,file"'
    run abdb run --command a=./prog --repeat 1 --output "$ABDB_DB"
    fails 5 "is a database, which is not replaced"
    run abdb run --command a=./prog --repeat 1 --output no/such
    fails 5 "--output: no/such: No such file or directory"
}

@test "processor time and peak memory of each process are kept" {
    abdb run -q --command "a=perl -e '\$x = q(x) x 100_000_000; 1 for 1 .. 4_000_000'" --repeat 1
    same "$(ask "SELECT value > 1e8 AND value < 1e9 FROM v_result WHERE metric = 'memory_peak_bytes'")" 1
    same "$(ask "SELECT value > 0.02 FROM v_result WHERE metric = 'user_time_s'")" 1
    same "$(ask "SELECT count(*) FROM v_result WHERE metric = 'system_time_s' AND value >= 0")" 1
    abdb run -q --command b=true --repeat 1 # less than abdb-command's own memory is not seen
    same "$(ask "SELECT count(*) FROM v_result WHERE metric = 'memory_peak_bytes' AND tag = 'b'")" 0
}

@test "metrics come from a JSON line or an expression, in units, and gate like times" {
    printf '#!/bin/sh\nsleep 0.2\necho "{\\"queries_per_s\\": $1, \\"name\\": \\"x\\"}"\necho "p99 7 ms, p99 12.5 ms"\n' >prog
    chmod +x prog
    abdb run -q --command 'a=./prog 1000' --command 'b=./prog 900' --repeat 5 --metric-from json --metric-from 'latency_s[ms]=p99 ([0-9.]+)'
    run abdb compare tag=a tag=b --metric queries_per_s --fail-on slower
    fails 1 "slower: 0.900x"
    same "$(ask "SELECT DISTINCT value FROM v_result WHERE metric = 'latency_s'")" 0.0125
    run abdb compare tag=a tag=b # without --metric: the wall time, whatever a program prints
    [[ $output == *" ms "* ]] || [[ $output == *$'\nms '* ]]
    printf '#!/bin/sh\necho "{\\"tokens_per_s\\": 5, \\"epoch\\": 3, \\"lr\\": 0.1}"\n' >odd
    chmod +x odd
    run abdb run --command c=./odd --repeat 2 --metric-from json
    fails 0 "left out, no names of schema/core/metric.def: epoch, lr"
    run abdb run --command c=./odd --repeat 1 --metric-from json --metric-from 'tokens_per_s=_s": ([0-9]+)'
    fails 5 "tokens_per_s has two values of one start"
    run abdb run --command 'a=./prog 1' --metric-from 'speed=(x)'
    fails 2 "no metric 'speed'"
    run abdb run --command 'a=./prog 1' --metric-from 'latency_s[GB]=(x)'
    fails 2 "different dimensions"
    run abdb run --command 'a=./prog 1' --metric-from 'latency_s=x'
    fails 2 "no (group)"
    run abdb run --command 'a=./prog 1' --metric-from 'latency_s=(x'
    fails 2 "--metric-from: (x"
    run abdb run --command 'a=./prog 1' --metric-from latency
    fails 2 "--metric-from wants json"
    run abdb run --command 'a=./prog 1' --metric-from json --output null
    fails 2 "--output pipe, not 'null'"
    run abdb run --command 'a=./prog 1' --repeat 1 --metric-from 'latency_s=q([0-9])'
    fails 5 "nothing in its standard output matches q([0-9])"
    run abdb run --command 'a=./prog 1' --repeat 1 --metric-from 'latency_s=(p99)'
    fails 5 "'p99' is no number"
    run abdb run --command a=true --repeat 1 --metric-from json
    fails 5 "no line of its standard output is a JSON object"
    run abdb run --command "a=echo '{\"epoch\": 3}'" --repeat 1 --metric-from json
    fails 5 "such as queries_per_s or latency_s; it has epoch"
}

# A program that takes 0.4 s and prints a rate, less of it in the folder b.
compiled() { # FILE WORD
    printf '#include <stdio.h>\n#include <string.h>\n#include <unistd.h>\nconst char *const word = "%s";\nint main(int n, char **v) { (void)n; usleep(400000); return printf("{\\"queries_per_s\\": %%d}\\n", strncmp(v[0], "./b/", 4) ? 1000 : 900) < 0 || !word; }\n' "$2" >c.c
    mkdir -p "${1%/*}"
    cc -o "$1" c.c
}

@test "one program in two folders is a noise sample, never slower; another build of it is judged" {
    compiled a/prog one
    mkdir b
    cp a/prog b/prog
    abdb run -q --command a=./a/prog --command b=./b/prog --repeat 5 --metric-from json
    run abdb compare tag=a tag=b --where run=latest --metric queries_per_s --fail-on slower
    fails 0 "both sides are one program with one set of libraries"
    [[ $output == *unclear* ]]
    compiled b/prog two
    abdb run -q --command a=./a/prog --command b=./b/prog --repeat 5 --metric-from json
    run abdb compare tag=a tag=b --where run=latest --metric queries_per_s --fail-on slower
    fails 1 "slower: 0.900x"
    printf '#!/bin/sh\nsleep 0.1\n' >a/script # a script may look around itself
    chmod +x a/script
    cp a/script b/script
    abdb run -q --command a=./a/script --command b=./b/script --repeat 1
    same "$(ask "SELECT count(DISTINCT f.text) FROM v_run r JOIN v_run_factor f USING (entry_id) WHERE f.factor = 'program_digest' AND campaign = (SELECT max(campaign) FROM v_run)")" 2
}

@test "--resume refuses a rebuilt program, and tries failed cells again; a change during a run is reported" {
    compiled ./prog one
    abdb run -q --command a=./prog --repeat 9 &
    child=$!
    sleep 1.5
    kill -INT $child
    wait $child || true
    cp prog first
    compiled ./prog two
    run abdb run --command a=./prog --repeat 9 --resume
    fails 2 "--resume would join two programs as 'a'"
    cp first prog
    run abdb run --command a=./prog --repeat 9 --resume
    fails 0 "cells measured"
    printf '#!/bin/sh\n[ -e there ] || exit 7\n' >late
    chmod +x late
    run abdb run --command b=./late --repeat 2
    fails 5 "2 failed"
    touch there
    run abdb run --command b=./late --repeat 2 --resume
    fails 0 "2 cells measured"
    printf '#!/bin/sh\necho "# more" >>"$0"\n' >grows
    chmod +x grows
    run abdb run --command c=./grows --repeat 2
    fails 0 "c: the program, a library or a script of it changed during this run"
}

@test "the smallest quota of the cgroups around a program is a factor, of both versions" {
    export ABDB_SENSORS=$dir/sensors
    quota() { abdb run -q --command "$1=true" --repeat 1; ask "SELECT text FROM v_run_factor JOIN v_run USING (entry_id) WHERE factor = 'cpu_quota' AND tag = '$1'"; }
    mkdir -p sensors/proc/self sensors/sys/fs/cgroup/{a/b,cpu/c}
    echo 0::/a/b >sensors/proc/self/cgroup
    same "$(quota none)" ""
    echo "max 100000" >sensors/sys/fs/cgroup/a/b/cpu.max
    echo "150000 100000" >sensors/sys/fs/cgroup/a/cpu.max
    same "$(quota outer)" 1.5
    echo "50000 100000" >sensors/sys/fs/cgroup/a/b/cpu.max
    same "$(quota inner)" 0.5
    echo 4:cpu,cpuacct:/c >sensors/proc/self/cgroup
    echo -1 >sensors/sys/fs/cgroup/cpu/c/cpu.cfs_quota_us
    same "$(quota free)" ""
    echo 25000 >sensors/sys/fs/cgroup/cpu/c/cpu.cfs_quota_us
    echo 100000 >sensors/sys/fs/cgroup/cpu/c/cpu.cfs_period_us
    same "$(quota v1)" 0.25
}

@test "other programs and a used-up quota during a turn are kept, marked and printed" {
    flags() { ask "SELECT DISTINCT flags FROM v_run WHERE tag = '$1'"; }
    export ABDB_SENSORS=$dir/sensors
    mkdir -p sensors/proc/self sensors/sys/fs/cgroup/a
    echo 0::/a >sensors/proc/self/cgroup
    # the program moves the counters as a busy machine and a quota of a quarter would
    stat() { echo "cpu  $1 0 0 100000 0 0 0 0 0 0" >sensors/proc/stat; }
    waited() { printf 'usage_usec 9\nnr_throttled 1\nthrottled_usec %s\n' "$1" >sensors/sys/fs/cgroup/a/cpu.stat; }
    stat 1000
    waited 0
    run abdb run --command quiet='sleep 0.21' --repeat 1
    fails 0 "1 cell measured"
    [[ $output != *busy* && $output != *throttled* ]]
    same "$(flags quiet)" ""
    same "$(ask "SELECT metric, value FROM v_result WHERE metric IN ('other_load', 'cpu_throttled_s') ORDER BY 1")" $'cpu_throttled_s,0\nother_load,0'
    run abdb run --command loud="sh -c 'sleep 0.21; echo cpu 999000 0 0 100000 0 0 0 0 >sensors/proc/stat; echo throttled_usec 50000 >sensors/sys/fs/cgroup/a/cpu.stat'" --repeat 1
    fails 0 "busy: other programs used over a tenth of this machine during 1 of 1 cells"
    [[ $output == *"throttled: the processor quota of the cgroup was used up during 1 of 1 cells"* ]]
    same "$(flags loud)" "busy throttled"
    same "$(ask "SELECT round(value, 9) FROM v_result WHERE metric = 'cpu_throttled_s' AND tag = 'loud'")" 0.05
    same "$(ask "SELECT value > 1000 FROM v_result WHERE metric = 'other_load' AND tag = 'loud'")" 1
    told() { abdb compare tag=loud1 tag=loud2 "$@" 2>/dev/null | grep -E '^(busy|throttled):'; }
    printf '#!/bin/sh\nsleep 0.21\ni=0\nwhile [ $i -lt 20000 ]; do i=$((i + 1)); done\n' >work
    { cat work; printf 'echo >>starts\necho "cpu $(wc -l <starts)999000 0 0 100000 0 0 0 0" >sensors/proc/stat\n'; } >loud
    chmod +x loud work
    abdb run -q --command loud1=./loud --command loud2=./work --repeat 5
    same "$(told)" "busy: other programs used over a tenth of the machine beside 5 of 10 processes; they disturb processor time less (--metric user_time_s)."
    same "$(told --metric user_time_s)" "busy: other programs used over a tenth of the machine beside 5 of 10 processes."
    # v1 counts in nanoseconds; without these files nothing is known
    mkdir -p sensors/sys/fs/cgroup/cpu/c
    echo 4:cpu,cpuacct:/c >sensors/proc/self/cgroup
    echo throttled_time 0 >sensors/sys/fs/cgroup/cpu/c/cpu.stat
    abdb run -q --command v1="sh -c 'echo throttled_time 30000000 >sensors/sys/fs/cgroup/cpu/c/cpu.stat'" --repeat 1
    same "$(ask "SELECT round(value, 9) FROM v_result WHERE metric = 'cpu_throttled_s' AND tag = 'v1'")" 0.03
    rm -r sensors
    abdb run -q --command none='sleep 0.21' --repeat 1
    same "$(ask "SELECT count(*) FROM v_result WHERE metric IN ('other_load', 'cpu_throttled_s') AND tag = 'none'")" 0
}

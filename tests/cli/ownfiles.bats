#!/usr/bin/env bats
# ownfiles.bats - hostile files where abdb looks for one's own reports, figures and maps, and hostile plans, prices and aliases: nothing hangs,
# fills the memory, starts a program or writes, and each message names the file.
load common

# The folder of one's own texts, with one file of each kind that abdb reads by name.
own_folder() {
    export ABDB_PATH=$dir/own
    mkdir -p own/reports own/figures own/maps
}
# COMMAND... ends within forty seconds and 1.5 GB with that exit code, and its message has the words.
ends() { # CODE WORDS COMMAND...
    local code=$1 words=$2
    shift 2
    run bash -c 'ulimit -v 1500000; exec timeout 40 "$@" </dev/null' _ "$@"
    fails "$code" "$words" || { echo "of: $*"; return 1; }
    no grep -q $'\e' <<<"$output"
}
# What stands in the place of a text: NAME=TARGET of a link, or a pipe.
in_place_of() { # TARGET|pipe
    rm -f own/*/odd.*
    for path in own/reports/odd.sql own/figures/odd.gp own/maps/odd.map; do
        if [ "$1" = pipe ]; then mkfifo "$path"; elif [ "$1" = loop ]; then ln -s "$dir/$path" "$path"; else ln -s "$1" "$path"; fi
    done
}

@test "a pipe, device, folder, loop or dangling link as a user file is named without waiting" {
    filled "$fixtures/questions.csv"
    own_folder
    for kind in pipe:"not a regular file":2 /dev/zero:"not a regular file":2 "$dir:not a regular file:2" loop:"Too many levels":6 /nonexistent:"No such file":6; do
        in_place_of "${kind%%:*}"
        code=${kind##*:} words=${kind#*:} words=${words%:*}
        ends "$code" "own/reports/odd.sql" abdb query odd
        [[ $output == *"$words"* ]]
        ends "$code" "own/figures/odd.gp" abdb plot odd
        ends "$code" "own/maps/odd.map" abdb import --map odd "$fixtures/questions.csv"
        ends 0 mlperf-llm abdb query
        ends 0 mlperf-llm abdb help --complete -- query ""
        ends 0 "" abdb help --complete -- query odd --
        ends 0 mlperf-llm abdb plot
    done
    in_place_of pipe
    ends 0 "left out: report odd" abdb site --out s
    [ -s s/index.html ]
}

@test "endless files, zero bytes and binary files are refused by name, for every file argument" {
    filled "$fixtures/questions.csv"
    own_folder
    printf 'SELECT 1\0; SELECT 2' >zero
    head -c 17000000 /dev/zero | tr '\0' 'x' >huge
    for command in "query -f" "run --dry-run --plan" "choose llama2-70b-99 --rate 1 --prices" "import $fixtures/questions.csv --map"; do
        ends 2 "/dev/zero has more than 16 MiB" abdb $command /dev/zero
        ends 2 "huge has more than 16 MiB" abdb $command huge
        ends 2 "zero, line 1: a zero byte" abdb $command zero
        ends 6 "$dir: Is a directory" abdb $command "$dir"
    done
    # a pipe that one types is read: it is what <(...) gives
    run abdb query -f <(echo 'SELECT 41 + 1 AS n') -o csv
    fails 0 42
    cp huge own/reports/huge.sql
    cp zero own/reports/zero.sql
    ends 2 "own/reports/huge.sql has more than 16 MiB" abdb query huge
    ends 2 "own/reports/zero.sql, line 1" abdb query zero
}

@test "a user-defined report cannot write, start a program or list endlessly, and its text is escaped" {
    filled "$fixtures/questions.csv"
    own_folder
    before=$(facts)
    local evil='<img src=x onerror=window.pwned=1>'
    printf -- '-- title: t\nDELETE FROM point' >own/reports/write.sql
    printf -- "-- title: t\nATTACH '%s/new.db' AS x" "$dir" >own/reports/attach.sql
    printf -- '-- title: t\n-- param: x | text | | h | DELETE FROM point\nSELECT 1 AS a' >own/reports/list.sql
    printf -- '-- title: t\n-- @table x; DELETE FROM point; --\nSELECT 1 AS a\n-- @rows\nSELECT 1 AS a' >own/reports/table.sql
    printf -- '-- title: t\n-- @offers x); DELETE FROM point; -- BY x\n-- @rows\nSELECT 1 AS a' >own/reports/offers.sql
    printf -- '-- title: t\n-- param: x | text | | h | WITH RECURSIVE r(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM r) SELECT max(x) FROM r\nSELECT 1 AS a' >own/reports/endless.sql
    printf -- '-- title: %%s%%n \033[31m %s {x}\n-- param: x | text | %%n%%s | %%s%%n\n-- column: a | %%n\033[2J%s | g4 | %%s\n-- note: %%n %s\nSELECT '"'%s'"' AS a\n' \
        "$evil" "$evil" "$evil" "$evil" >own/reports/words.sql
    { echo '-- title: t'; for i in {1..40}; do echo "-- param: p$i | text | | h"; done; echo 'SELECT 1'; } >own/reports/params.sql
    ends 2 "only reads" abdb query write
    ends 2 "only reads" abdb query attach
    ends 2 "syntax error" abdb query offers
    ends 2 "more than 32 params" abdb query params
    abdb query table >/dev/null 2>&1 || [ $? = 2 ]
    abdb help --complete -- query list --x "" >/dev/null
    ends 0 "" abdb help --complete -- query endless --x ""
    for format in table html markdown latex; do
        ends 0 "%n" abdb query words -o $format
        if [ $format = html ]; then no grep -q '<img' <<<"$output"; fi
    done
    same "$(facts)" "$before"
    [ ! -e new.db ]
}

@test "completion leaves out user files with unsafe names; every offered name works" {
    own_folder
    for name in '$(touch pwned)' '`touch pwned`' 'a;touch pwned' 'a b' $'a\nb' $'\e[31m' -x --help .hidden ..; do
        echo 'SELECT 1 AS a' >"own/reports/$name.sql"
    done
    echo 'SELECT 1 AS a' >own/reports/Good-1.x_y.sql
    ours=$(comm -23 <(abdb help --complete -- query "" | cut -f1 | sort) <(ABDB_PATH=/nonexistent abdb help --complete -- query "" | cut -f1 | sort))
    same "$ours" Good-1.x_y
    run abdb query ../../own/reports/Good-1.x_y
    [ "$status" = 2 ]
    [ ! -e pwned ]
}

@test "a user-defined figure in a cycle or without a report is refused; a last line without line break is read" {
    filled "$fixtures/questions.csv"
    own_folder
    printf '# like: a\n' >own/figures/a.gp
    printf '# like: c\n' >own/figures/b.gp
    printf '# like: b' >own/figures/c.gp
    printf '# title: t' >own/figures/head.gp
    printf '# like: head\n# report: specs\nplot $data using 1:1\n' >own/figures/tail.gp
    for name in a b c head; do
        ends 6 "figure $name names no report" abdb plot "$name" --out f.svg
    done
    # the words of both heads are read, though the first ends without a line break
    ends 6 "nothing to draw in tail" abdb plot tail --out f.svg
    ends 0 "" abdb plot
}

@test "hostile plans and maps are bounded, and each message has the file and the line" {
    filled "$fixtures/questions.csv"
    printf 'a,b,c\nH100,1,%s\n' "$(printf 'a%.0s' {1..4000})" >table.csv
    printf '# nothing\n' >empty.plan
    printf '\n$(touch pwned) n=1\n' >shell.plan
    printf 'gemm n=%s\n' "$(seq -s, 600)" >wide.plan
    { for i in {1..10001}; do echo gemm n=8; done; } >long.plan
    printf 'gemm n=8\ninclude self.plan\n' >self.plan
    ends 2 "empty.plan holds no kernel" abdb run --dry-run --plan empty.plan
    ends 2 "shell.plan: line 2" abdb run --dry-run --plan shell.plan
    ends 6 "wide.plan: line 1" abdb run --dry-run --plan wide.plan
    ends 6 "long.plan: line 10001" abdb run --dry-run --plan long.plan
    ends 2 "self.plan: line 2" abdb run --dry-run --plan self.plan
    printf 'name x\nlike x\n' >like.map
    { echo "name x"; for i in {1..300}; do echo "field device column a"; done; } >lines.map
    ends 6 "like.map: line 2" abdb import --map like.map table.csv
    ends 6 "lines.map: line " abdb import --map lines.map table.csv
    # a pattern of many stars that almost matches, and words of SQL
    printf '%s\n' "name x" "match a b c" "field device column a" "set provider p');DROP-TABLE-point;--" "set currency USD" "set per hour" "set devices 1" \
        "set date 2026-01-01" "price amount column b kind on-demand" "decide device H100 H100-SXM c $(printf '*a%.0s' {1..200})*b" >stars.map
    ends 0 "1 accepted" abdb import --map stars.map table.csv
    same "$(ask "SELECT provider FROM v_price")" "p');DROP-TABLE-point;--"
    [ ! -e pwned ]
}

@test "hostile aliases, rules and prices are rejected by row or kept as text, and alias cycles end" {
    filled "$fixtures/questions.csv"
    head -1 "$root/data/aliases.csv" >alias.csv
    printf '%s\n' "device,Loop-A,1,Loop-B,," "device,Loop-B,1,Loop-A,," "device,Self,1,Self,," "device,x'; DROP TABLE point; --,1,<script>,," \
        $'device,\e[2J,1,%n%s%n,,' "device,zero,0,H100-SXM,," "device,neg,-1,H100-SXM,," "nosuch,a,1,b,," "device,share,1,H100-SXM,1e999," >>alias.csv
    run bash -c 'ulimit -v 1500000; timeout 10 abdb import alias.csv'
    [[ $status == [05] ]]
    no grep -q $'\e' <<<"$output"
    for name in Loop-A Loop-B Self; do
        run timeout 10 abdb rank "device=$name"
        [[ $status == [023] ]] || { echo "$name: $status $output"; false; }
    done
    ask "SELECT count(*) FROM point" >/dev/null
    for line in "H100-SXM=-1 USD/h" "H100-SXM=nan USD/h" "H100-SXM=1e400 USD/h" "H100'; DROP TABLE point; --=1 USD/h" $'\e[31m=1 USD/h'; do
        printf '# a comment\n%s\n' "$line" >prices.txt
        ends 2 "prices.txt, line 2" abdb choose llama2-70b-99 --rate 1 --prices prices.txt
    done
}

#!/usr/bin/env bats
# outguard.bats - no output replaces the database, what SQLite keeps beside it, or a file that the command reads: every verb and option
# that writes, by the table of commands, and every name that a file can have.
load common

# Options whose argument is a path. What a verb has besides is an option that nobody has sorted yet, and fails the test.
writing="out bundle partition spool"
reading="db map suggest-map file prices builds signed-by"

# Words behind the verb that make it write, a line each: VERB OPTION WORDS...; HERE is the output. A verb that needs a server is refused
# before it is called.
writers() {
    cat <<'W'
run --slurm 2 --spool spool --quick --kernel gemm --out HERE
run --quick --backend ref --kernel gemm --axis n=8 --spool HERE
check-backend BACKEND --kernel gemm --out HERE
query specs --out HERE
query -f q.sql --out HERE
compare device=H200-SXM,model=llama2-70b-99 device=B200-SXM,model=llama2-70b-99 --exploratory --out HERE
rank --workload llama2-70b-99 --scenario Server --out HERE
why device=H200-SXM device=B200-SXM --where llama2-70b-99,server --out HERE
choose llama2-70b-99 Offline --rate 1M/s --prices p.csv --out HERE
accept link.txt --out HERE
accept link.txt --record HERE
accept link.txt --plot HERE
plot peaks --type svg --out HERE
plot peaks --bundle HERE
plot --set mlperf --out HERE
verify peaks.svg --out HERE
site --out HERE
explain db.t2.gaudi2.rate --out HERE
explain db.t2.gaudi2.rate --cite bibtex --out HERE
audit claims --out HERE
push postgresql://nobody@localhost:1/none --out HERE
pull postgresql://nobody@localhost:1/none --out HERE
export --out HERE
export -o csv --out HERE
export -o sql --out HERE
export -o db --out HERE
export -o csv --partition HERE
doctor --out HERE
W
}

verbs() { abdb help | sed -nE '/^usage/,/^Choose/s/^  ([a-z-]+) .*/\1/p'; }
# The options of a verb that want a path.
path_options() { abdb "$1" --help | sed -nE 's/^ +(-[a-zA-Z], )?--([a-z-]+) ([A-Z]+=)?(FILE|PATH|DIR|FOLDER)[ ,.].*/\2/p'; }

files() { # database, and what the writers read
    filled $(half_of_data)
    sha=$(sha256sum <t.db)
    echo "SELECT 1 AS one" >q.sql
    echo "B200-SXM=9.99 USD/h" >p.csv
    abdb plot peaks --type svg --out peaks.svg >/dev/null
    cp "$fixtures/nvbandwidth.txt" link.txt
    mkdir spool
}

# Every name of the database and of what stands beside it: on descriptor 7 it is open.
names() {
    mkdir -p names/folder
    ln -s ../t.db names/symbolic.svg
    ln -s symbolic.svg names/twice.csv
    ln t.db names/hard.json
    ln -s ../t.db-wal names/to-the-log
    ln -s "$dir" names/folder/up
    printf '%s\n' "$dir/t.db" t.db ./t.db names/../t.db names/symbolic.svg names/twice.csv names/hard.json names/folder/up/t.db /proc/self/fd/7 /dev/fd/7 \
        "$dir/t.db-wal" t.db-shm ./t.db-journal names/to-the-log names/folder/up/t.db-wal T.DB-WAL
    if [ -n "${bound-}" ]; then printf '%s\n' bound/t.db bound/t.db-wal bound.db; fi
}

bind() { # the folder, and the file, once more by a mount
    bound=
    [ "$(id -u)" = 0 ] || return 0
    mkdir -p bound && mount --bind "$dir" bound 2>/dev/null || return 0
    bound=yes
    touch bound.db
    mount --bind t.db bound.db
}
teardown_bind() {
    umount "$dir/bound.db" 2>/dev/null || true
    umount -l "$dir/bound" 2>/dev/null || true
}

# The command is refused with exit 2, names both, and changed nothing.
refused() { # OUTPUT PROTECTED COMMAND...
    local out=$1 protected=$2
    shift 2
    run "$@"
    [ "$status" -eq 2 ] || { echo "exit $status: $*: $output"; return 1; }
    [[ $output == *"cannot write $out: "*"$protected"* ]] || { echo "names not both: $*: $output"; return 1; }
    same "$(sha256sum <t.db)" "$sha"
    [ ! -e t.db-wal ] && [ ! -e t.db-shm ] && [ ! -e t.db-journal ] || { echo "beside the database: $*"; ls; return 1; }
}

words_of() { # a line of writers, HERE being $2
    local line=$1
    line=${line//BACKEND/$build/abdb-run-ref}
    read -ra words <<<"$line"
    words=("${words[@]/#HERE/$2}")
}

@test "each verb and option with an output is tested, and its command writes to an allowed place" {
    files
    for verb in $(verbs); do
        for option in $(path_options "$verb"); do
            case " $writing " in *" $option "*)
                grep -qE "^$verb .*--$option HERE" < <(writers) || { echo "no command for $verb --$option"; false; } ;;
            *) case " $reading " in *" $option "*) ;; *) echo "$verb --$option: does it read or write?"; false ;; esac ;;
            esac
        done
    done
    [ "$(writers | wc -l)" -ge 20 ]
    i=0
    while read -r line; do
        case $line in *postgresql*) continue ;; esac
        i=$((i + 1))
        case $line in *"--spool HERE") mkdir "new$i" ;; esac
        words_of "$line" "new$i"
        run abdb "${words[@]}"
        [ "$status" -eq 0 ] || [ -f "new$i" ] || { echo "exit $status: ${words[*]}: $output"; false; }
        [ -f "new$i" ] || [ -n "$(ls -A "new$i")" ] || { echo "nothing written: ${words[*]}"; false; }
    done < <(writers)
}

@test "an output that is the database under any name is refused by every verb" {
    files
    bind
    exec 7<>t.db
    names >list
    [ "$(wc -l <list)" -ge 16 ]
    n=0 # a fifth of the pairs, so that each command and each name has its turn; THOROUGH: all
    while read -r line; do
        n=$((n + 1)) k=0
        while read -r name; do
            k=$((k + 1))
            thorough || [ $(((n + k) % 5)) = 0 ] || continue
            words_of "$line" "$name"
            refused "$name" "$ABDB_DB" abdb "${words[@]}" || { teardown_bind; false; }
            echo "$line" >>tried
            echo "$name" >>named
        done <list
    done < <(writers)
    same "$(sort -u tried | wc -l)" "$(writers | wc -l)"
    same "$(sort -u named)" "$(sort -u list)"
    exec 7>&-
    teardown_bind
}

@test "a database given by a link refuses outputs to either of its names" {
    files
    ln -s t.db link.db
    for out in t.db link.db t.db-wal link.db-wal t.db-journal; do
        refused $out link.db abdb query specs --db link.db --out $out
    done
    # no database is there yet: an output does not take its place, nor that of its log
    refused none.db none.db abdb run --slurm 2 --spool spool --quick --kernel gemm --db none.db --out none.db
    refused none.db-wal none.db abdb run --slurm 2 --spool spool --quick --kernel gemm --db none.db --out none.db-wal
    [ ! -e none.db ]
}

@test "an output that is also an input is refused, and the input stays" {
    files
    mkdir -p own/reports own/figures
    printf -- '-- title: mine\nSELECT 1 AS one;\n' | tee own/reports/mine.sql >own/reports/audit-mine.sql
    sed 's/^# title: .*/# title: Mine/' "$root/plots/figures/peaks.gp" >own/figures/mine.gp
    printf 'gemm n=8 dtype=f32\n' >mine.plan
    cp "$build/abdb-run-ref" backend
    printf 'a,b\n1,2\n' >table.csv
    cp "$root/ingest/maps/mamf.map" own.map
    tar -cf a.tar table.csv
    abdb plot peaks --bundle post >/dev/null
    cp t.db other.db
    echo '* ssh-ed25519 AAAA' >signers
    export ABDB_PATH=$dir/own
    while IFS='|' read -r input line; do
        cp "$input" before
        ln -sf "$input" link
        ln -f "$input" hard
        for out in "$input" "./$input" "$dir/$input" link hard; do
            words_of "$line" "$out"
            refused "$out" "$input" abdb "${words[@]}"
            cmp "$input" before
        done
        rm hard
    done <<'W'
q.sql|query -f q.sql --out HERE
link.txt|accept link.txt --record HERE
own.map|accept link.txt --map own.map --out HERE
p.csv|choose llama2-70b-99 Offline --rate 1M/s --prices p.csv --out HERE
peaks.svg|verify peaks.svg --out HERE
post/peaks.json|verify post --out HERE
signers|verify post --signed-by signers --out HERE
post/peaks.json|verify post/peaks.json -o csv --out HERE
own/reports/mine.sql|query mine --out HERE
own/reports/audit-mine.sql|audit mine --out HERE
own/figures/mine.gp|plot mine --type svg --out HERE
mine.plan|run --plan mine.plan --slurm 2 --spool spool --out HERE
backend|check-backend ./backend --kernel gemm --out HERE
W
    for sql in "abdb_csv('table.csv')|table.csv" "abdb_archive('a.tar')|a.tar"; do
        cp "${sql#*|}" before
        refused "${sql#*|}" "${sql#*|}" abdb query "SELECT * FROM ${sql%|*}" --allow-files --out "${sql#*|}"
        cmp "${sql#*|}" before
    done
    # every verb that reads a file by an option and writes by another stands above
    for verb in $(verbs); do
        options=$(path_options "$verb" | sed "/^db$/d")
        [[ $options == *out* ]] || continue
        for option in $options; do
            case "$writing $verb:$option" in
            *"$option "* | *"query:file" | *"verify:signed-by" | *"choose:prices" | *"accept:map" | *"run:builds") ;; # of builds it reads programs alone
            *) echo "no command for $verb --$option"; false ;;
            esac
        done
    done
}

@test "no output replaces another database or its log" {
    files
    cp t.db other.db
    cp other.db before
    ln -s other.db link
    for out in other.db ./other.db link other.db-wal other.db-shm other.db-journal; do
        run abdb query specs --out $out
        fails 2 "cannot write $out: "
        run abdb export -o db --out $out
        fails 2 "$out"
        cmp other.db before
    done
    [ -z "$(ls other.db-* 2>/dev/null)" ]
    sqlite3 foreign.db "CREATE TABLE t (x)"
    abdb query specs --out foreign.db # not abdb's: replaced as any file, whole
    grep -q H100-SXM foreign.db
}

@test "default outputs, files in output folders and part files never replace the database" {
    files
    cp t.db peaks.svg
    run abdb plot peaks --db peaks.svg
    fails 2 "cannot write peaks.svg: it is the database"
    cmp t.db peaks.svg
    mkdir site post set d
    members="site/explore.html" # whose site takes seconds: one of its pages, unless THOROUGH
    ! thorough || members="site/index.html site/explore.html"
    for member in $members post/peaks.svg post/peaks.json post/peaks.csv set/training.svg; do
        rm -rf ${member%/*}/*
        cp t.db $member
        ln -s ../$member d/link
        case $member in
        site/*) command=(site) ;;
        post/*) command=(plot peaks --bundle post) ;;
        *) command=(plot --set databricks --out set) ;;
        esac
        for db in $member d/link; do
            [ "$member $db" != "site/explore.html site/explore.html" ] || thorough || continue
            run abdb "${command[@]}" --db $db
            [ "$status" -eq 2 ] || [ "$status" -eq 5 ] || { echo "$status: ${command[*]}: $output"; false; }
            [[ $output == *"it is the database"* ]] || { echo "${command[*]}: $output"; false; }
            cmp t.db $member
        done
        case $member in post/*) same "$(ls post)" "${member#*/}" ;; esac # no half bundle
        rm d/link
    done
}

@test "standard output or standard error redirected to the database writes nothing to it" {
    files
    n=0 # a third of the pairs, and all for query; THOROUGH: all
    for verb in help version "help query" "query specs" "query -f q.sql" export doctor "plot peaks --type dumb" "plot peaks --script" nonsense "rank --nonsense" "run --list" \
        "explain db.t2.gaudi2.rate" "import --suggest-map p.csv" "site --help" demo; do
        n=$((n + 1)) k=0
        for how in '>>t.db' '1<>t.db' '2>>t.db' '>>t.db 2>&1' '2>>t.db >/dev/null' '>>link' '>&7'; do
            k=$((k + 1))
            thorough || [ "$verb" = "query specs" ] || [ $(((n + k) % 3)) = 0 ] || continue
            ln -sf t.db link
            run bash -c "exec 7>>t.db; abdb $verb --db t.db $how"
            [ "$status" -eq 2 ] || { echo "exit $status: $verb $how: $output"; false; }
            same "$(sha256sum <t.db)" "$sha"
        done
    done
    run bash -c "abdb query specs --db t.db >>t.db"
    fails 2 "cannot write standard output: it is the database t.db"
    run bash -c "abdb query specs --db=t.db 2>>t.db"
    fails 2 "cannot write standard error: it is the database t.db" # on standard output
    cp q.sql before
    run bash -c "abdb query -f q.sql >>q.sql"
    fails 2 "the command reads q.sql"
    cmp q.sql before
    abdb query sources >log 2>log # what is no database is written as ever
    [ -s log ]
}

@test "merge of a database into itself is refused" {
    files
    cp t.db copy.db
    ln -s t.db link.db
    ln t.db hard.db
    for other in t.db ./t.db link.db hard.db "$dir/t.db"; do
        run abdb merge copy.db $other --busy 0
        fails 2 "$other is the database"
        same "$(sha256sum <t.db)" "$sha"
    done
    abdb merge copy.db
}

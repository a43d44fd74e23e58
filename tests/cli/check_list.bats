#!/usr/bin/env bats
# check_list.bats - import --check: which files of a published list of digests are new, changed or gone.
load common

stated() { # DEVICE VALUE
    printf 'evidence,kind,source,workload,device,metric,value,unit\npublished,statement,me,gemm,%s,flops_per_s,%s,TFLOP/s\n' "$1" "$2"
}
list() { (cd pub && find . -type f -print0 | sort -z | xargs -0 sha256sum); }
states() { abdb import --check "$1" --format csv 2>/dev/null | sed 1d | awk -F, '{ print $1, $2 }' | sort; }

setup_pub() {
    mkdir -p pub/a pub/b
    for f in a/one a/two b/one; do stated "${f/\//-}" 1.5 >pub/$f.csv; done
    abdb import -q pub
}

@test "import --check names files that are new, changed, gone or held, and imports nothing" {
    setup_pub
    list >all
    run abdb import --check all
    fails 0 "held"
    same "$(states all)" "held a/one.csv
held a/two.csv
held b/one.csv"
    stated a-two 2.5 >pub/a/two.csv
    stated new 1 >pub/b/new.csv
    mkdir pub/c
    stated other 1 >pub/c/x.csv
    rm pub/b/one.csv
    list >next
    before=$(sha256sum <t.db)
    run abdb import --check next
    fails 1 "changed"
    same "$(states next)" "changed a/two.csv
gone pub/b/one.csv
held a/one.csv
new b/new.csv
new c/x.csv"
    same "$(sha256sum <t.db)" "$before"
    # a list of one folder says nothing of the other
    grep a/ next >part
    same "$(states part)" "changed a/two.csv
held a/one.csv"
    # a withdrawn file is no longer held
    abdb withdraw pub/a/one.csv --reason "a typing error" >/dev/null
    same "$(states part)" "changed a/two.csv
withdrawn a/one.csv"
}

@test "import --check reads the forms of sha256sum, standard input and paths from elsewhere" {
    setup_pub
    list >all
    for form in 's/  / */' 's/  \.\//  \/srv\/copy\/pub\//' 's/^\([0-9a-f]*\)  \(.*\)/SHA256 (\2) = \1/' 's/$/\r/' 's/^[0-9a-f]*/\U&/'; do
        sed "$form" all >other
        abdb import --check other >said
        same "$(grep -c '^held' said)" 3
    done
    abdb import --check - <all >said
    same "$(grep -c '^held' said)" 3
    # from another root: the folder of a file that is gone is still found
    sed 's/  \.\//  \/srv\/copy\/pub\//; /two/d' all >other
    same "$(states other | grep gone)" "gone pub/a/two.csv"
    # a name with a line break is escaped
    printf x >"pub/new
line"
    list >odd
    abdb import --check odd --json 2>/dev/null | grep -q '"new","path":"new\\nline"'
    # of other bytes below another name nothing is concluded; equal bytes are held wherever they are
    sed 's/one/three/' all >renamed
    same "$(states renamed | grep -c held)" 3
}

@test "import --check refuses a file that is no list, and counts lines that it cannot read" {
    setup_pub
    list >all
    echo "not a line of a list" >>all
    printf '# a comment\n\n' >>all
    run abdb import --check all
    fails 5 "unread"
    [[ $output == *"not a line of a list"* ]]
    run abdb import --check pub/a/one.csv
    fails 6 "no line is"
    run abdb import --check absent
    fails 6 "absent: No such file"
    run abdb import --check all pub
    fails 2 "import pub apart"
    run abdb import --check - </dev/null
    fails 6 "sha256sum"
}

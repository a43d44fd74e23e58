#!/usr/bin/env bash
# faults.sh - what is broken on purpose must be found by the campaigns of tests/fault: each line of faults.txt, a transaction,
# a sync or a look at an error taken away (part of make soak). --only REGEX; --check: does the table fit the sources?
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
. tests/mutants/plant_mistake.bash
mkdir -p "$room/build/unit"
ln -s "$PWD/data" "$room/data" # which the program looks for beside its folder
for f in abdb-run-ref abdb-store-pg; do [ ! -e "$build/$f" ] || ln -s "$PWD/$build/$f" "$room/build/$f"; done
caught=0 all=0 missed=
while IFS=$'\x1f' read -r id file from to campaign; do
    [[ -n $id && $id != \#* && $id =~ $only ]] || continue
    all=$((all + 1))
    mkdir -p "$room/$(dirname "$file")"
    mistake "$id" "$file" "$from" "$to" "$room/wrong.c"
    [ -z "$check" ] || continue
    # before the library, so that its own file of what is mistaken is not taken (others there have the same name)
    ${CC:-gcc} -std=c17 -D_GNU_SOURCE -I. -O1 -w -DABDB_PREFIX='"/usr/local"' -c "$room/wrong.c" -o "$room/wrong.o"
    ${CC:-gcc} -o "$room/build/abdb" "$build/obj/query/verbs/main.o" "$room/wrong.o" "$build/libabdb.a" -lsqlite3 -lcsv -larchive -ljansson -lcrypto -lz -lm -lpthread
    ${CC:-gcc} -std=c17 -D_GNU_SOURCE -I. -O1 -w -o "$room/build/unit/migration" tests/unit/migration.c "$room/wrong.o" "$build/libabdb.a" \
        -lcmocka -lsqlite3 -lcsv -larchive -ljansson -lcrypto -lz -lm -lpthread
    rm -rf "$room/build/soak"
    program=campaign.py
    words=($campaign --first)
    [[ $campaign != crowd* ]] || { program=crowd.py; words=(${campaign#crowd}); }
    if BUILD=$room/build LEDGER=/dev/null python3 "tests/fault/$program" "${words[@]}" >"$room/said" 2>&1; then
        missed+=" $id"
        echo "$id: NOT FOUND"
    elif grep -q '^FOUND' "$room/said"; then
        caught=$((caught + 1))
        echo "$id: found: $(grep -m1 -A1 '^FOUND' "$room/said" | tr -s ' \n' ' ' | cut -c1-150)"
    else
        cat "$room/said"
        exit 1
    fi
done < <(perl -pe 's/(?<!\\)\|/\x1f/g; s/\\\|/|/g' tests/mutants/faults.txt)
[ -n "$check" ] || echo "$caught of $all mistakes are found${missed:+; not:$missed}"
[ -z "$missed" ]

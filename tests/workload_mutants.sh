#!/usr/bin/env bash
# workload_mutants.sh - wrong workloads must not pass their tests: each line of workload_mutants.txt, one mistake each (part of make soak).
# Builds the unit tests of that workload with the wrong file in the right one's place. --only REGEX; --check: does the table fit the sources?
set -euo pipefail
cd "$(dirname "$0")/.."
build=${BUILD:-build}
. tests/wrong.bash
programs="workloads recommend llama saved gguf"
# which program a mistake (its id and file) is seen by, and its tests, the quick ones first
tests_of() {
    case $1 in
    recommend-*) program=recommend tests="tables_in_pieces recommends" ;;
    gguf-* | file-forms-*) program=gguf tests="hostile cut_anywhere other_forms" ;;
    file-*) program=saved tests="places other_shapes hostile same_logits" ;;
    */llama_* | */vec/gemm.c | */decoder.c | */weights.c | */cached.c | */batcher.c | */requests.c | */quantise.c) program=llama tests="drawn quantised picked shapes slices weighed served logits" ;;
    *) program=workloads tests="lengths gradients switches chain learns ranks_learn" ;;
    esac
}
[ -n "$check" ] || for program in $programs; do make -s "$build/unit/$program"; done
objects=$(find "$build"/obj/kernels/{micro,workloads,harness,providers/ref,providers/vec} -name '*.o' 2>/dev/null)
caught=0 all=0 missed=
[ -n "$check" ] || for program in $programs; do
    "$build/unit/$program" >/dev/null 2>&1 || { echo "the right ones fail their tests"; exit 1; }
done
while IFS='|' read -r id file from to; do
    [[ -n $id && $id != \#* && $id =~ $only ]] || continue
    all=$((all + 1))
    mistake "$id" "kernels/$file" "$from" "$to" "$room/wrong.c"
    [ -z "$check" ] || continue
    tests_of "$id $file"
    ${CC:-gcc} -std=c17 -D_GNU_SOURCE -I. -O2 -fopenmp -w -c "$room/wrong.c" -o "$room/wrong.o"
    ${CC:-gcc} -std=c17 -D_GNU_SOURCE -I. -O1 -fopenmp -w -o "$room/tests" "tests/unit/$program.c" "$room/wrong.o" \
        $(printf '%s\n' $objects | grep -v "/kernels/${file%.c}.o") "$build/libabdb.a" -lcmocka -ljansson -lcrypto -lsqlite3 -lcsv -larchive -lm -lpthread
    by=
    for test in $tests; do
        timeout 120 "$room/tests" "$test" >/dev/null 2>&1 || { by=$test; break; }
    done
    [ -n "$by" ] && caught=$((caught + 1)) || missed+=" $id"
    echo "$id: ${by:+caught by }${by:-NOT CAUGHT}"
done <tests/workload_mutants.txt
[ -n "$check" ] || echo "$caught of $all wrong workloads are caught${missed:+; not:$missed}"
[ -z "$missed" ]

#!/usr/bin/env bash
# workloads.sh - wrong workloads must not pass their tests: each line of workloads.txt, one mistake each (part of make soak).
# Builds the unit tests of that workload with the wrong file in the right one's place. --only REGEX; --check: does the table fit the sources?
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
. tests/mutants/plant_mistake.bash
programs="gpt_train dlrm llama weights_file gguf"
# which program a mistake (its id and file) is seen by, and its tests, the quick ones first
tests_of() {
    case $1 in
    recommend-*) program=dlrm tests="test_split_tables_give_same_output test_dlrm_matches_plain_loops" ;;
    gguf-* | file-forms-*) program=gguf tests="test_malformed_gguf_is_refused_with_reason test_file_cut_anywhere_is_refused test_unread_quantisation_is_named" ;;
    file-*) program=weights_file tests="test_each_weight_is_in_its_place test_wrong_shape_names_the_tensor test_lying_headers_are_refused test_same_weights_give_same_logits" ;;
    */llama_* | */vec/gemm.c | */decoder.c | */weights.c | */kv_cache_attention.c | */continuous_batching.c | */request_generator.c | */quantise.c) program=llama tests="test_drawn_requests_have_stated_means test_quantise_errs_half_a_step_at_most test_pick_is_first_largest_or_nan test_parameter_counts_are_as_published test_slice_of_layers_is_recorded test_packed_weights_are_exact_on_every_isa test_batching_does_not_change_tokens test_cached_logits_match_plain_loops" ;;
    *) program=gpt_train tests="test_odd_lengths_match_plain_loops test_gpt_gradients_match_reference test_recompute_and_micro_batches_agree test_drawn_tokens_have_stated_entropy test_loss_falls_to_source_entropy test_two_ranks_learn_as_one" ;;
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
done <tests/mutants/workloads.txt
[ -n "$check" ] || echo "$caught of $all wrong workloads are caught${missed:+; not:$missed}"
[ -z "$missed" ]

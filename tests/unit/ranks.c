/* ranks.c - kernels of several ranks without any: shapes, mistakes that verification must see, what
 * ranks share, what starts them, and what is kept of them. */
#include <jansson.h>
#include <string.h>
#include <unistd.h>

#include "kernels/exchange.h"
#include "kernels/runner/launcher.h"
#include "kernels/runner/rank_results.h"
#include "tests/unit/kernel_check.h"

enum { RANKS = 3, COUNT = 300 };

/* A problem of three ranks, filled; `exact`: with numbers whose sums are. */
static abdb_problem make_problem_of_three_ranks(const abdb_kernel *kernel, const char *dtype,
                                                bool exact)
{
    abdb_problem p = {.kernel = kernel->name,
                      .params = 3,
                      .param = {{"ranks", "3", RANKS},
                                {"message_bytes", "", COUNT * 4.0},
                                {"dtype", dtype, NAN}}};
    abdb_error err = {0};

    assert_ok(kernel->setup_tensors(&p, &limits, &err));
    allocate_tensors_fill_inputs_uniform(&p);
    if (exact) assert_true(kernel->make_exact_inputs(&p, 7));
    return p;
}

static void run_kernel_by_reference_provider(const abdb_problem *p)
{
    static const abdb_impl *const all[] = {
#define KERNEL(name, printed, ref) &abdb_ref_##name,
#include "kernels/registry.def"
#undef KERNEL
    };
    size_t i = 0;
    void *state = NULL;
    abdb_error err = {0};

    while (strcmp(all[i]->kernel, p->kernel) != 0) i++;
    assert_ok(all[i]->prepare(&state, p, &err));
    assert_ok(all[i]->launch(state, &err));
    all[i]->close(state);
}

static double error_found_by_verification(const abdb_kernel *kernel, const abdb_problem *before,
                                          const abdb_problem *after, bool exact)
{
    const abdb_verify_options how = {.kernel = kernel, .budget_s = 1e9, .exact = exact};
    abdb_verify_result out;
    abdb_error err = {0};

    assert_ok(abdb_verify_outputs_against_reference(&how, before, after, &out, &err));
    assert_true(out.rows_checked_share == 1);
    return out.error;
}

static const abdb_kernel *const kernels[] = {&abdb_kernel_all_reduce,     &abdb_kernel_all_gather,
                                             &abdb_kernel_reduce_scatter, &abdb_kernel_all_to_all,
                                             &abdb_kernel_reduce,         &abdb_kernel_broadcast,
                                             &abdb_kernel_point};
enum { KERNELS = sizeof kernels / sizeof kernels[0] };

/* What is right passes, with every format; any element that is off by one place does not where
 * results are exact. */
static void test_one_wrong_element_is_found(void **state)
{
    static const char *const dtypes[] = {"f32", "f64", "i32"};

    (void)state;
    for (size_t i = 0; i < 3 * KERNELS; i++) {
        const abdb_kernel *kernel = kernels[i / 3];
        abdb_problem p = make_problem_of_three_ranks(kernel, dtypes[i % 3], true),
                     before = copy_problem_with_own_inout_tensors(&p);
        const abdb_tensor *out = &p.tensor[p.tensors - 1];
        size_t last = abdb_tensor_element_count(out) - 1;

        run_kernel_by_reference_provider(&p);
        assert_true(error_found_by_verification(kernel, &before, &p, true) == 0);
        abdb_tensor_set_rounded(out, last, abdb_tensor_get_f64(out, last) + 1);
        assert_true(error_found_by_verification(kernel, &before, &p, true) > 1);
        abdb_tensor_set_rounded(out, last, abdb_tensor_get_f64(out, last) - 1);
        abdb_tensor_set_rounded(out, 0, abdb_tensor_get_f64(out, 0) - 1);
        assert_true(error_found_by_verification(kernel, &before, &p, true) > 1);
        free_inout_copies(&before);
        free_all_tensors(&p);
    }
}

/* Sums of ordinary numbers in another order pass; one that leaves a rank out, or counts one twice,
 * does not. */
static void test_missing_or_doubled_rank_is_found(void **state)
{
    const abdb_kernel *kernel = &abdb_kernel_all_reduce;
    abdb_problem p = make_problem_of_three_ranks(kernel, "f32", false);
    const float *x = p.tensor[0].data;
    float *out = p.tensor[1].data;

    (void)state;
    for (size_t wrong = 0; wrong < 3; wrong++) {
        for (size_t r = 0; r < RANKS; r++)
            for (size_t i = 0; i < COUNT; i++)
                out[r * COUNT + i] = x[2 * COUNT + i] + x[COUNT + i] + x[i];
        for (size_t i = 0; i < COUNT; i++) {
            if (wrong == 1) out[COUNT + i] -= x[2 * COUNT + i];
            if (wrong == 2) out[COUNT + i] += x[COUNT + i];
        }
        if (wrong)
            assert_true(error_found_by_verification(kernel, &p, &p, false) > 100);
        else
            assert_true(error_found_by_verification(kernel, &p, &p, false) <= 1);
    }
    free_all_tensors(&p);
}

/* A part that comes from another rank than it should. */
static void test_part_of_another_rank_is_found(void **state)
{
    abdb_problem p = make_problem_of_three_ranks(&abdb_kernel_all_to_all, "f32", false);
    float *out = p.tensor[1].data;

    (void)state;
    run_kernel_by_reference_provider(&p);
    assert_true(error_found_by_verification(&abdb_kernel_all_to_all, &p, &p, false) == 0);
    memcpy(out, out + COUNT / RANKS, COUNT / RANKS * sizeof *out);
    assert_true(error_found_by_verification(&abdb_kernel_all_to_all, &p, &p, false) > 1);
    free_all_tensors(&p);
}

/* Messages are of whole elements, as many for each rank where they are parts; work counts as
 * nccl-tests does. */
static void test_messages_of_whole_elements_count_work(void **state)
{
    static const struct {
        const abdb_kernel *kernel;
        const char *pattern;
        double ranks, asked, bytes, moved;
    } cases[] = {{&abdb_kernel_all_reduce, NULL, 3, 1000, 1000, 1000},
                 {&abdb_kernel_all_gather, NULL, 3, 1000, 996, 996},
                 {&abdb_kernel_reduce_scatter, NULL, 3, 1001, 996, 996},
                 {&abdb_kernel_broadcast, NULL, 5, 1001, 1000, 1000},
                 {&abdb_kernel_point, "ping-pong", 2, 8, 8, 16},
                 {&abdb_kernel_point, "one-way", 2, 8, 8, 64 * 8},
                 {&abdb_kernel_point, "both-ways", 2, 8, 8, 2 * 64 * 8}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        abdb_problem p = {.kernel = cases[i].kernel->name,
                          .params = cases[i].pattern ? 3 : 2,
                          .param = {{"ranks", "", cases[i].ranks},
                                    {"message_bytes", "", cases[i].asked},
                                    {"pattern", cases[i].pattern, NAN}}};
        abdb_error err = {0};
        abdb_work w;

        assert_ok(cases[i].kernel->setup_tensors(&p, &limits, &err));
        assert_true(abdb_param_number(&p, "message_bytes", 0) == cases[i].bytes);
        cases[i].kernel->count_work(&p, &w);
        assert_true(w.bytes == cases[i].moved && w.ops == 0);
    }
}

static void test_bad_collective_is_refused(void **state)
{
    static const struct {
        const abdb_kernel *kernel;
        double ranks, bytes;
        const char *word, *text, *says;
    } cases[] = {
        {&abdb_kernel_point, 1, 8, "pattern", "ping-pong", "nobody to send to"},
        {&abdb_kernel_point, 2, 8, "pattern", "round", "no pattern 'round'"},
        {&abdb_kernel_all_gather, 4, 12, "apart", "yes", "no element for each rank; 16 at least"},
        {&abdb_kernel_all_reduce, 2, 3, "apart", "yes", "has no element; 4 at least"},
        {&abdb_kernel_all_reduce, 2, 8, "redop", "mean", "no redop 'mean'"},
        {&abdb_kernel_all_reduce, 2, 8, "dtype", "i8", "not of dtype i8"},
        {&abdb_kernel_broadcast, 2, 8, "apart", "perhaps", "no apart 'perhaps'"}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        abdb_problem p = {.kernel = cases[i].kernel->name,
                          .params = 3,
                          .param = {{"ranks", "", cases[i].ranks},
                                    {"message_bytes", "", cases[i].bytes},
                                    {cases[i].word, cases[i].text, NAN}}};
        abdb_error err = {0};

        assert_int_equal(cases[i].kernel->setup_tensors(&p, &limits, &err), ABDB_USAGE);
        if (!strstr(err.message, cases[i].says)) fail_msg("%s", err.message);
    }
}

/* Ranks meet before each launch of a collective, unless it says no; never between the messages of
 * a ping-pong, which would then wait for clocks and barriers. */
static void test_ranks_meet_before_collectives_only(void **state)
{
    (void)state;
    for (size_t i = 0; i < KERNELS; i++) {
        abdb_problem p = make_problem_of_three_ranks(kernels[i], "f32", false);
        abdb_exchange x;

        abdb_exchange_from_problem(&p, &x);
        assert_int_equal(x.apart, kernels[i] != &abdb_kernel_point);
        free_all_tensors(&p);
    }
}

static void test_shared_cores_are_recognised(void **state)
{
    static const struct {
        abdb_rank_place place[3];
        abdb_rank_sharing want;
    } cases[] = {{{{"1", "", "0"}, {"1", "", "1"}, {"1", "", "2-3"}}, {1, true, false, false}},
                 {{{"1", "", "0-1"}, {"1", "", "0-1"}, {"2", "", "0"}}, {2, true, true, false}},
                 {{{"1", "", "0"}, {"2", "", "0"}, {"3", "", "0"}}, {3, true, false, false}},
                 {{{"1", "", "0-1"}, {"1", "", "1"}, {"1", "", "0"}}, {1, true, true, true}},
                 {{{"1", "", "0"}, {"2", "", "0"}, {"2", "", "0"}}, {2, true, true, true}},
                 {{{"1", "", "0"}, {"1", "", ""}, {"2", "", "0"}}, {2, false, false, false}},
                 {{{"1", "", "0"}, {"1", "", "1-"}, {"1", "", "2"}}, {1, false, false, false}}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        abdb_rank_sharing is = abdb_count_hosts_and_find_cpu_sharing(cases[i].place, 3),
                          want = cases[i].want;

        assert_int_equal(is.hosts, want.hosts);
        assert_int_equal(is.known, want.known);
        if (!want.known) continue;
        assert_int_equal(is.shared, want.shared);
        assert_int_equal(is.oversubscribed, want.oversubscribed);
    }
}

/* The words of a launch, joined. */
static abdb_status build_launcher_command_as_text(const abdb_launcher_request *request,
                                                  char out[256], abdb_error *err)
{
    abdb_arena arena = {0};
    abdb_launcher_command launch;
    abdb_status st = abdb_launcher_build_command(&launch, request, &arena, err);
    size_t used = 0;

    out[0] = '\0';
    for (size_t i = 0; st == ABDB_OK && launch.word[i]; i++)
        used += (size_t)snprintf(out + used, 256 - used, "%s%s", i ? " " : "", launch.word[i]);
    abdb_arena_free(&arena);
    return st;
}

/* Programs that are there under any name that a launcher has: links to this test. */
static void test_launcher_command_is_built_or_refused(void **state)
{
    static const struct {
        abdb_launcher_request asked;
        const char *want; /* behind the folder of the program; of an error its words */
        bool ok;
    } cases[] = {
        {{"/mpirun", NULL, 2, 2, false}, "mpirun -n 2", true},
        {{"/mpirun", NULL, 4, 2, true}, "mpirun -n 4 --allow-run-as-root --oversubscribe", true},
        {{"/mpirun --bind-to none", "a:1,b:1", 4, 2, false},
         "mpirun --bind-to none -n 4 -H a:1,b:1",
         true},
        {{"/srun --mpi=pmix", "node[1-2]", 4, 2, true},
         "srun --mpi=pmix -n 4 --kill-on-bad-exit=1 --input=0 -w node[1-2]",
         true},
        {{"/mpirun", "-x", 2, 2, false}, "--hosts wants names", false},
        {{"/mpirun", "a;b", 2, 2, false}, "--hosts wants names", false},
        {{"/mpirun", "", 2, 2, false}, "--hosts wants names", false},
        {{"/sh", NULL, 2, 2, false}, "--launcher is mpirun or srun, not 'sh'", false},
        {{"/absent/mpirun", NULL, 2, 2, false}, "there is no program", false}};
    char folder[] = "/tmp/abdb-ranks-XXXXXX", path[64], text[256], launcher[128];
    static const char *const names[] = {"mpirun", "srun"};

    (void)state;
    assert_non_null(mkdtemp(folder));
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        assert_int_equal(symlink("/bin/sh", path), 0);
    }
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        abdb_launcher_request asked = cases[i].asked;
        abdb_error err = {0};

        snprintf(launcher, sizeof launcher, "%s%s", folder, asked.launcher);
        asked.launcher = launcher;
        if (build_launcher_command_as_text(&asked, text, &err) == ABDB_OK) {
            assert_true(cases[i].ok);
            assert_string_equal(text + strlen(folder) + 1, cases[i].want);
        } else if (cases[i].ok || !strstr(err.message, cases[i].want)) {
            fail_msg("%s", err.message);
        }
    }
    for (size_t i = 0; i < 2; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        unlink(path);
    }
    rmdir(folder);
}

static void test_rank_records_are_stored_in_entry(void **state)
{
    json_t *result = json_loads(
        "{\"ranks\":[{\"host\":\"1\",\"device\":\"d\",\"binding\":\"0\",\"time_s\":2,"
        "\"least_s\":1,\"most_s\":3},{\"host\":\"2\",\"device\":\"\",\"binding\":\"\"}]}",
        0, NULL);
    abdb_entry *e = calloc(1, sizeof *e);
    abdb_arena arena = {0};
    abdb_rank *list;
    abdb_error err = {0};

    (void)state;
    assert_null(abdb_why_result_ranks_invalid(result));
    assert_ok(abdb_entry_set_ranks_counts_and_add_times(e, result, 5, &arena, &list, &err));
    assert_int_equal(e->ranks, 2);
    assert_string_equal(e->field[ABDB_FIELD_devices], "2");
    assert_string_equal(e->field[ABDB_FIELD_nodes], "2");
    assert_null(e->rank[1].binding);
    assert_int_equal(e->results, 1);
    assert_true(e->result[0].rank == 0 && e->result[0].low == 1 && e->result[0].high == 3);
    free(list);
    json_decref(result);
    abdb_arena_free(&arena);
    free(e);
}

/* Of a thousand ranks two times are kept. */
static void test_times_of_extreme_ranks_only_are_kept(void **state)
{
    json_t *list = json_array(), *result = json_pack("{s:O}", "ranks", list);
    abdb_entry *e = calloc(1, sizeof *e);
    abdb_arena arena = {0};
    abdb_rank *ranks;
    abdb_error err = {0};

    (void)state;
    for (int i = 0; i < 1000; i++)
        json_array_append_new(list,
                              json_pack("{s:s,s:s,s:s,s:f}", "host", "1", "device", "", "binding",
                                        "", "time_s", i == 77 ? 9.0 : 1.0 + (i != 500)));
    assert_ok(abdb_entry_set_ranks_counts_and_add_times(e, result, 5, &arena, &ranks, &err));
    assert_int_equal(e->ranks, 1000);
    assert_int_equal(e->results, 2);
    assert_int_equal(e->result[0].rank, 500);
    assert_int_equal(e->result[1].rank, 77);
    free(ranks);
    json_decref(list);
    json_decref(result);
    abdb_arena_free(&arena);
    free(e);
}

static void test_malformed_rank_records_are_refused(void **state)
{
    static const char *const texts[] = {
        "{\"ranks\":4}",
        "{\"ranks\":[]}",
        "{\"ranks\":[{}]}",
        "{\"ranks\":[{\"host\":\"1\",\"device\":\"\"}]}",
        "{\"ranks\":[{\"host\":\"1\",\"device\":\"\",\"binding\":7}]}",
        "{\"ranks\":[{\"host\":\"1\",\"device\":\"\",\"binding\":\"\",\"time_s\":-1}]}",
        "{\"ranks\":[{\"host\":\"1\",\"device\":\"\",\"binding\":\"\",\"most_s\":\"2\"}]}"};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        json_t *result = json_loads(texts[i], 0, NULL);

        if (!abdb_why_result_ranks_invalid(result)) fail_msg("%s", texts[i]);
        json_decref(result);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_one_wrong_element_is_found),
                                       cmocka_unit_test(test_missing_or_doubled_rank_is_found),
                                       cmocka_unit_test(test_part_of_another_rank_is_found),
                                       cmocka_unit_test(test_messages_of_whole_elements_count_work),
                                       cmocka_unit_test(test_bad_collective_is_refused),
                                       cmocka_unit_test(test_ranks_meet_before_collectives_only),
                                       cmocka_unit_test(test_shared_cores_are_recognised),
                                       cmocka_unit_test(test_launcher_command_is_built_or_refused),
                                       cmocka_unit_test(test_rank_records_are_stored_in_entry),
                                       cmocka_unit_test(test_times_of_extreme_ranks_only_are_kept),
                                       cmocka_unit_test(test_malformed_rank_records_are_refused)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

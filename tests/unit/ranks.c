/* ranks.c - kernels of several ranks without any: shapes, mistakes that verification must see, what
 * ranks share, what starts them, and what is kept of them. */
#include <jansson.h>
#include <string.h>
#include <unistd.h>

#include "kernels/exchange.h"
#include "kernels/runner/launch.h"
#include "kernels/runner/ranks.h"
#include "tests/unit/kernel_check.h"

enum { RANKS = 3, COUNT = 300 };

/* A problem of three ranks, filled; `exact`: with numbers whose sums are. */
static abdb_problem of_three(const abdb_kernel *kernel, const char *dtype, bool exact)
{
    abdb_problem p = {.kernel = kernel->name,
                      .params = 3,
                      .param = {{"ranks", "3", RANKS},
                                {"message_bytes", "", COUNT * 4.0},
                                {"dtype", dtype, NAN}}};
    abdb_error err = {0};

    assert_ok(kernel->shape(&p, &limits, &err));
    make(&p);
    if (exact) assert_true(kernel->exact(&p, 7));
    return p;
}

static void run(const abdb_problem *p)
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

static double checked(const abdb_kernel *kernel, const abdb_problem *before, const abdb_problem *p,
                      bool exact)
{
    const abdb_check how = {.kernel = kernel, .budget_s = 1e9, .exact = exact};
    abdb_checked out;
    abdb_error err = {0};

    assert_ok(abdb_verify(&how, before, p, &out, &err));
    assert_true(out.share == 1);
    return out.error;
}

static const abdb_kernel *const kernels[] = {&abdb_kernel_all_reduce,     &abdb_kernel_all_gather,
                                             &abdb_kernel_reduce_scatter, &abdb_kernel_all_to_all,
                                             &abdb_kernel_reduce,         &abdb_kernel_broadcast,
                                             &abdb_kernel_point};
enum { KERNELS = sizeof kernels / sizeof kernels[0] };

/* What is right passes, with every format; any element that is off by one place does not where
 * results are exact. */
static void one_wrong_element(void **state)
{
    static const char *const dtypes[] = {"f32", "f64", "i32"};

    (void)state;
    for (size_t i = 0; i < 3 * KERNELS; i++) {
        const abdb_kernel *kernel = kernels[i / 3];
        abdb_problem p = of_three(kernel, dtypes[i % 3], true), before = snapshot(&p);
        const abdb_tensor *out = &p.tensor[p.tensors - 1];
        size_t last = abdb_tensor_count(out) - 1;

        run(&p);
        assert_true(checked(kernel, &before, &p, true) == 0);
        abdb_tensor_set(out, last, abdb_tensor_get(out, last) + 1);
        assert_true(checked(kernel, &before, &p, true) > 1);
        abdb_tensor_set(out, last, abdb_tensor_get(out, last) - 1);
        abdb_tensor_set(out, 0, abdb_tensor_get(out, 0) - 1);
        assert_true(checked(kernel, &before, &p, true) > 1);
        drop_snapshot(&before);
        drop(&p);
    }
}

/* Sums of ordinary numbers in another order pass; one that leaves a rank out, or counts one twice,
 * does not. */
static void sums(void **state)
{
    const abdb_kernel *kernel = &abdb_kernel_all_reduce;
    abdb_problem p = of_three(kernel, "f32", false);
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
            assert_true(checked(kernel, &p, &p, false) > 100);
        else
            assert_true(checked(kernel, &p, &p, false) <= 1);
    }
    drop(&p);
}

/* A part that comes from another rank than it should. */
static void anothers_part(void **state)
{
    abdb_problem p = of_three(&abdb_kernel_all_to_all, "f32", false);
    float *out = p.tensor[1].data;

    (void)state;
    run(&p);
    assert_true(checked(&abdb_kernel_all_to_all, &p, &p, false) == 0);
    memcpy(out, out + COUNT / RANKS, COUNT / RANKS * sizeof *out);
    assert_true(checked(&abdb_kernel_all_to_all, &p, &p, false) > 1);
    drop(&p);
}

/* Messages are of whole elements, as many for each rank where they are parts; work counts as
 * nccl-tests does. */
static void shapes(void **state)
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

        assert_ok(cases[i].kernel->shape(&p, &limits, &err));
        assert_true(abdb_param_number(&p, "message_bytes", 0) == cases[i].bytes);
        cases[i].kernel->work(&p, &w);
        assert_true(w.bytes == cases[i].moved && w.ops == 0);
    }
}

static void refused(void **state)
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

        assert_int_equal(cases[i].kernel->shape(&p, &limits, &err), ABDB_USAGE);
        if (!strstr(err.message, cases[i].says)) fail_msg("%s", err.message);
    }
}

/* Ranks meet before each launch of a collective, unless it says no; never between the messages of
 * a ping-pong, which would then wait for clocks and barriers. */
static void meetings(void **state)
{
    (void)state;
    for (size_t i = 0; i < KERNELS; i++) {
        abdb_problem p = of_three(kernels[i], "f32", false);
        abdb_exchange x;

        abdb_exchange_of(&p, &x);
        assert_int_equal(x.apart, kernels[i] != &abdb_kernel_point);
        drop(&p);
    }
}

static void crowds(void **state)
{
    static const struct {
        abdb_place place[3];
        abdb_crowd want;
    } cases[] = {{{{"1", "", "0"}, {"1", "", "1"}, {"1", "", "2-3"}}, {1, true, false, false}},
                 {{{"1", "", "0-1"}, {"1", "", "0-1"}, {"2", "", "0"}}, {2, true, true, false}},
                 {{{"1", "", "0"}, {"2", "", "0"}, {"3", "", "0"}}, {3, true, false, false}},
                 {{{"1", "", "0-1"}, {"1", "", "1"}, {"1", "", "0"}}, {1, true, true, true}},
                 {{{"1", "", "0"}, {"2", "", "0"}, {"2", "", "0"}}, {2, true, true, true}},
                 {{{"1", "", "0"}, {"1", "", ""}, {"2", "", "0"}}, {2, false, false, false}},
                 {{{"1", "", "0"}, {"1", "", "1-"}, {"1", "", "2"}}, {1, false, false, false}}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        abdb_crowd is = abdb_ranks_crowd(cases[i].place, 3), want = cases[i].want;

        assert_int_equal(is.hosts, want.hosts);
        assert_int_equal(is.known, want.known);
        if (!want.known) continue;
        assert_int_equal(is.shared, want.shared);
        assert_int_equal(is.oversubscribed, want.oversubscribed);
    }
}

/* The words of a launch, joined. */
static abdb_status launch_text(const abdb_launch_asked *asked, char out[256], abdb_error *err)
{
    abdb_arena arena = {0};
    abdb_launch launch;
    abdb_status st = abdb_launch_make(&launch, asked, &arena, err);
    size_t used = 0;

    out[0] = '\0';
    for (size_t i = 0; st == ABDB_OK && launch.word[i]; i++)
        used += (size_t)snprintf(out + used, 256 - used, "%s%s", i ? " " : "", launch.word[i]);
    abdb_arena_free(&arena);
    return st;
}

/* Programs that are there under any name that a launcher has: links to this test. */
static void launches(void **state)
{
    static const struct {
        abdb_launch_asked asked;
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
        abdb_launch_asked asked = cases[i].asked;
        abdb_error err = {0};

        snprintf(launcher, sizeof launcher, "%s%s", folder, asked.launcher);
        asked.launcher = launcher;
        if (launch_text(&asked, text, &err) == ABDB_OK) {
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

static void kept(void **state)
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
    assert_null(abdb_ranks_wrong(result));
    assert_ok(abdb_ranks_keep(e, result, 5, &arena, &list, &err));
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
static void many(void **state)
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
    assert_ok(abdb_ranks_keep(e, result, 5, &arena, &ranks, &err));
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

static void wrong_ranks(void **state)
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

        if (!abdb_ranks_wrong(result)) fail_msg("%s", texts[i]);
        json_decref(result);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(one_wrong_element),
                                       cmocka_unit_test(sums),
                                       cmocka_unit_test(anothers_part),
                                       cmocka_unit_test(shapes),
                                       cmocka_unit_test(refused),
                                       cmocka_unit_test(meetings), cmocka_unit_test(crowds),
                                       cmocka_unit_test(launches),
                                       cmocka_unit_test(kept),
                                       cmocka_unit_test(many),
                                       cmocka_unit_test(wrong_ranks)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* workload_cell.c - tests of sessions: spans that nest and add up, state that lives between
 * repetitions, what is refused beforehand, what a failed check does. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/harness/harness.h"
#include "tests/unit/check.h"

/* --- spans, by a clock that is set ------------------------------------------------------------ */

static double clock_s;
static double read_settable_clock(void)
{
    return clock_s;
}

static void test_spans_nest_and_add_up(void **state)
{
    abdb_spans s = {.now = read_settable_clock};

    (void)state;
    for (int turn = 0; turn < 2; turn++) {
        abdb_spans_reset_totals(&s);
        abdb_span_enter(&s, "forward", NULL);
        for (int i = 0; i < 3; i++) {
            clock_s += 1;
            abdb_span_enter(&s, "product", "gemm");
            clock_s += 4;
            abdb_span_leave_and_add_work(&s, 10, 20);
        }
        abdb_span_leave_and_add_work(&s, 0, 0);
        abdb_span_enter(&s, "backward", NULL);
        abdb_span_enter(&s, "product", "gemm"); /* another part of that name */
        clock_s += 7;
        abdb_span_leave_and_add_work(&s, 1, 2);
        abdb_span_leave_and_add_work(&s, 0, 0);
    }
    assert_true(!s.overflowed && s.deep == 0);
    assert_int_equal(s.count, 4);
    assert_string_equal(s.at[1].name, "product");
    assert_string_equal(s.at[1].within, "forward");
    assert_true(s.at[0].time_s == 15 && s.at[1].time_s == 12 && s.at[1].calls == 3);
    assert_true(s.at[1].ops == 30 && s.at[1].bytes == 60);
    assert_string_equal(s.at[3].within, "backward");
    assert_true(s.at[3].time_s == 7 && s.at[3].calls == 1);
    abdb_span_leave_and_add_work(&s, 0, 0); /* one too many */
    assert_true(s.overflowed);
}

static void test_too_many_or_deep_spans_overflow(void **state)
{
    static char name[ABDB_SPANS_MAX + 1][8];
    abdb_spans s = {.now = read_settable_clock};

    (void)state;
    for (size_t i = 0; i <= ABDB_SPANS_MAX; i++) {
        assert_true(!s.overflowed);
        snprintf(name[i], sizeof name[i], "p%zu", i);
        abdb_span_enter(&s, name[i], "k");
        abdb_span_leave_and_add_work(&s, 0, 0);
    }
    assert_true(s.overflowed && s.count == ABDB_SPANS_MAX);
    s = (abdb_spans){.now = read_settable_clock};
    for (int i = 0; i <= ABDB_SPANS_DEEP; i++) abdb_span_enter(&s, "deep", NULL);
    assert_true(s.overflowed);
    for (int i = 0; i <= ABDB_SPANS_DEEP; i++) abdb_span_leave_and_add_work(&s, 0, 0);
    assert_int_equal(s.deep, 0);
}

/* --- a workload that does what it is told ----------------------------------------------------- */

typedef struct {
    const abdb_run_context *stage;
    int resets, runs;
    char *weights; /* TOY_BYTES of the device's memory */
} toy_state;
enum { TOY_BYTES = 5000 };
static toy_state made;
static int opened, closed;
static double toy_memory, toy_error;
static bool toy_lacks, toy_leaves_open, toy_unsound;
static int toy_writes_at; /* a byte of or around its weights; 0: none */

static abdb_status toy_resolve_params(abdb_problem *p, const abdb_machine_caches *limits,
                                      abdb_error *err)
{
    size_t n;

    (void)limits;
    return abdb_param_parse_size_and_store_default(p, "n", 4, 100, &n, err);
}

static void toy_list_missing_parts(const abdb_problem *p, const struct abdb_parts *parts, char *out,
                                   size_t room)
{
    (void)p, (void)parts;
    snprintf(out, room, "%s", toy_lacks ? "a product, a norm" : "");
}

static void toy_count_work_and_memory(const abdb_run_context *s, abdb_effort *out)
{
    *out = (abdb_effort){1e6 * abdb_param_number(s->p, "n", 0), 1e3, toy_memory};
}

static abdb_status toy_check_results_with_set_error_in_span(const abdb_run_context *s,
                                                            double *error, const char **at,
                                                            abdb_error *err)
{
    (void)s, (void)err;
    *error = toy_error;
    *at = "n=2";
    abdb_span_enter(s->spans, "of the check", "none");
    abdb_span_leave_and_add_work(s->spans, 1, 1);
    return ABDB_OK;
}

static abdb_status toy_open_and_count(void **state, const abdb_run_context *s, abdb_error *err)
{
    made = (toy_state){.stage = s};
    *state = &made;
    opened++;
    return s->device->alloc(s->device, TOY_BYTES, false, (void **)&made.weights, err);
}

static abdb_status toy_count_reset(void *state, abdb_error *err)
{
    toy_state *t = state;

    (void)err;
    t->resets++;
    return ABDB_OK;
}

static abdb_status toy_assert_reset_then_run_in_spans(void *state, abdb_error *err)
{
    toy_state *t = state;

    (void)err;
    assert_int_equal(t->resets, ++t->runs); /* a reset before each, and the state stays */
    if (toy_writes_at && t->runs == 5) t->weights[toy_writes_at] ^= 4;
    abdb_span_enter(t->stage->spans, "step", NULL);
    abdb_span_enter(t->stage->spans, "wait", "none");
    usleep(1000);
    abdb_span_leave_and_add_work(t->stage->spans, 5, 6);
    if (!toy_leaves_open) abdb_span_leave_and_add_work(t->stage->spans, 0, 0);
    return ABDB_OK;
}

static void toy_report_loss_and_soundness(void *state, double median_s, abdb_metric_callback *tell,
                                          void *to, bool *sound)
{
    toy_state *t = state;

    assert_true(median_s >= 0.001);
    tell(to, &(abdb_workload_metric){"loss", "value", 2.5, t->runs});
    if (toy_unsound) *sound = false;
}

static void toy_close_and_count(void *state)
{
    toy_state *t = state;

    t->stage->device->release(t->stage->device, t->weights);
    closed++;
}

static void toy_find_weights(const void *state, const void **data, size_t *bytes)
{
    *data = ((const toy_state *)state)->weights;
    *bytes = TOY_BYTES;
}

static const abdb_workload toy_workload = {"toy",
                                           "for tests",
                                           "toy@1",
                                           "n",
                                           "n",
                                           ABDB_F32,
                                           toy_resolve_params,
                                           toy_list_missing_parts,
                                           toy_count_work_and_memory,
                                           toy_check_results_with_set_error_in_span,
                                           toy_open_and_count,
                                           toy_count_reset,
                                           toy_assert_reset_then_run_in_spans,
                                           toy_report_loss_and_soundness,
                                           toy_find_weights,
                                           toy_close_and_count,
                                           false,
                                           {NULL, NULL}};

/* Runs it with parameters and gives the records that it printed: a new reference to an array. */
static json_t *run_toy_assert_status_return_records(const char *expected_status, abdb_error *err)
{
    static const abdb_impl *const none[] = {NULL};
    const abdb_backend backend = {.name = "toys", .native = none};
    json_t *request = json_pack("{s:b,s:{s:s}}", "quick", 1, "params", "n", "3"),
           *records = json_array();
    FILE *file = tmpfile();
    volatile int stop = 0;
    int out = dup(STDOUT_FILENO);
    const char *ended = "";
    char line[8192];

    assert_true(file && dup2(fileno(file), STDOUT_FILENO) >= 0 &&
                abdb_records_take_stdout_divert_prints());
    dup2(out, STDOUT_FILENO);
    close(out);
    (void)!abdb_run_and_print_workload_cell(&toy_workload, &backend, abdb_init_host_device(1),
                                            "toy n=3", request, &stop, &ended, err);
    assert_string_equal(ended, expected_status);
    rewind(file);
    while (fgets(line, sizeof line, file))
        json_array_append_new(records, json_loads(line, 0, NULL));
    fclose(file);
    json_decref(request);
    return records;
}

static const json_t *first_record_of_kind_or_null(const json_t *records, const char *kind)
{
    const json_t *record;
    size_t i;

    json_array_foreach(records, i,
                       record) if (strcmp(json_string_value(json_object_get(record, "kind")),
                                          kind) == 0) return record;
    return NULL;
}

static void reset_toy_settings_and_counters(void)
{
    opened = closed = 0;
    toy_memory = 1e6;
    toy_error = 0.5;
    toy_lacks = toy_leaves_open = toy_unsound = false;
    toy_writes_at = 0;
}

static void test_toy_run_emits_result_span_and_metric(void **state)
{
    abdb_error err = {0};
    json_t *records;
    const json_t *result, *span, *metric;

    (void)state;
    reset_toy_settings_and_counters();
    records = run_toy_assert_status_return_records("ok", &err);
    result = first_record_of_kind_or_null(records, "result");
    span = first_record_of_kind_or_null(records, "span");
    metric = first_record_of_kind_or_null(records, "metric");
    assert_true(opened == 1 && closed == 1);
    assert_true(made.runs > ABDB_SAMPLES_FEW);
    assert_string_equal(json_string_value(json_object_get(span, "name")), "step");
    assert_int_equal(json_integer_value(json_object_get(span, "calls")), 1); /* one repetition */
    assert_true(json_number_value(json_object_get(span, "time_s")) >= 0.001);
    assert_true(json_number_value(json_object_get(metric, "value")) == 2.5);
    assert_true(json_number_value(json_object_get(result, "ops")) == 3e6);
    assert_string_equal(json_string_value(json_object_get(result, "verified")), "pass");
    assert_string_equal(
        json_string_value(json_object_get(json_object_get(result, "factors"), "verified_at")),
        "n=2");
    json_decref(records);
}

static void test_failed_check_reports_verified_fail(void **state)
{
    static const double errors[] = {1.5, INFINITY, NAN, 0.5};
    abdb_error err = {0};

    (void)state;
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        json_t *records;

        reset_toy_settings_and_counters();
        toy_error = errors[i];
        toy_unsound = i == 3;
        records = run_toy_assert_status_return_records("ok", &err);
        assert_string_equal(json_string_value(json_object_get(
                                first_record_of_kind_or_null(records, "result"), "verified")),
                            "fail");
        json_decref(records);
    }
}

static void test_refusals_say_what_is_missing(void **state)
{
    abdb_error err = {0};

    (void)state;
    reset_toy_settings_and_counters();
    toy_memory = 1e18;
    json_decref(run_toy_assert_status_return_records("out-of-memory", &err));
    assert_non_null(strstr(err.message, "it needs 931322574.62 GiB of memory"));
    reset_toy_settings_and_counters();
    toy_lacks = true;
    json_decref(run_toy_assert_status_return_records("not-implemented", &err));
    assert_string_equal(err.message, "backend toys lacks: a product, a norm");
    assert_int_equal(opened, 0);
    reset_toy_settings_and_counters();
    toy_leaves_open = true;
    json_decref(run_toy_assert_status_return_records("failed", &err));
    assert_true(opened == 1 && closed == 1);
}

static void test_changed_weights_and_writes_beside_memory_are_failures(void **state)
{
    static const struct {
        int at;
        const char *message;
    } writes[] = {
        {1, "wrong workload: input changed (its weights)"},
        {TOY_BYTES - 1, "wrong workload: input changed (its weights)"},
        {TOY_BYTES, "wrong workload: it wrote 0 bytes before and 1 behind 5000 of its memory"},
        {-1, "wrong workload: it wrote 1 bytes before and 0 behind 5000 of its memory"}};
    const abdb_device *host = abdb_init_host_device(1);
    abdb_error err = {0};

    (void)state;
    if (!abdb_guard_bytes_before_tensor(false)) skip(); /* a sanitizer sees it */
    for (size_t i = 0; i < sizeof writes / sizeof writes[0]; i++) {
        abdb_device before = *host;

        reset_toy_settings_and_counters();
        toy_writes_at = writes[i].at;
        json_decref(run_toy_assert_status_return_records("failed", &err));
        assert_string_equal(err.message, writes[i].message);
        assert_true(closed == 1 && host->alloc == before.alloc && host->release == before.release);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spans_nest_and_add_up),
        cmocka_unit_test(test_too_many_or_deep_spans_overflow),
        cmocka_unit_test(test_toy_run_emits_result_span_and_metric),
        cmocka_unit_test(test_failed_check_reports_verified_fail),
        cmocka_unit_test(test_refusals_say_what_is_missing),
        cmocka_unit_test(test_changed_weights_and_writes_beside_memory_are_failures)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

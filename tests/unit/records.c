/* records.c - tests of abdb's own records: written as JSON, read again, copied by the queue, and
 * redacted they are the same. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/importer.h"
#include "ingest/registry.h"
#include "query/export/export_records.h"
#include "schema/core/sink_thread.h"
#include "schema/core/record_json.h"
#include "tests/unit/check.h"

extern const abdb_importer abdb_import_records;

static const abdb_sample samples[] = {{0.25, 0, -1, NULL}, {0.5, NAN, 3, "outlier"}};
static const abdb_telemetry readings[] = {{"cpu", "clock", "Hz", -0.125, 3.4e9},
                                          {"zone \"1\"", "temperature", "degC", 0.1, 61.5},
                                          {"package", "power", "W", 1.0 / 3, 0}};
static const abdb_span spans[] = {
    {"step", NULL, NULL, NULL, 1, 0.75, NAN, NAN},
    {"product, é", "step", "gemm", "openblas", 1LL << 40, 0.1, 2e12, 4096}};
static const abdb_rank ranks[] = {
    {0, "node a", NULL, NULL}, {1, "node b", "GPU 1", "16-31"}, {2, "node a", "GPU 0", NULL}};

/* One of everything. */
static abdb_entry *make_entry_with_every_part(void)
{
    abdb_entry *e = calloc(1, sizeof *e);
    abdb_result *r;

    assert_non_null(e);
    e->field[ABDB_FIELD_evidence] = "measured";
    e->field[ABDB_FIELD_workload] = "gemm";
    abdb_entry_add_factor_parsing_number(e, "n", "4096");
    r = abdb_entry_add_result_or_count_left_out(e, "time_s", 0.25);
    r->sample = samples;
    r->samples = 2;
    r = abdb_entry_add_result_or_count_left_out(e, "loss", 1.5);
    r->x = 3.5;
    r = abdb_entry_add_result_or_count_left_out(e, "loss", 2.5);
    r->x = 0;
    e->telemetry = readings;
    e->telemetries = 3;
    e->span = spans;
    e->spans = 2;
    e->rank = ranks;
    e->ranks = 3;
    e->process = (abdb_process){"c-1", "vec", "2026-05-04T03:02:01.000Z", 2, 3};
    e->origin = 0x0123456789abcdef;
    return e;
}

static void assert_same_text(const char *a, const char *b)
{
    if (!a || !b)
        assert_true(!a && !b);
    else
        assert_string_equal(a, b);
}

/* The same number, or both are none. */
static void assert_same_number_or_nan(double a, double b)
{
    if (!(a == b || (isnan(a) && isnan(b)))) fail_msg("%.17g is not %.17g", a, b);
}

static void assert_same_telemetry_spans_ranks(const abdb_entry *a, const abdb_entry *b)
{
    assert_int_equal(a->telemetries, b->telemetries);
    assert_int_equal(a->spans, b->spans);
    assert_int_equal(a->ranks, b->ranks);
    for (size_t i = 0; i < a->telemetries; i++) {
        assert_same_text(a->telemetry[i].sensor, b->telemetry[i].sensor);
        assert_same_text(a->telemetry[i].quantity, b->telemetry[i].quantity);
        assert_same_text(a->telemetry[i].unit, b->telemetry[i].unit);
        assert_same_number_or_nan(a->telemetry[i].t_s, b->telemetry[i].t_s);
        assert_same_number_or_nan(a->telemetry[i].value, b->telemetry[i].value);
    }
    for (size_t i = 0; i < a->spans; i++) {
        assert_same_text(a->span[i].name, b->span[i].name);
        assert_same_text(a->span[i].within, b->span[i].within);
        assert_same_text(a->span[i].kernel, b->span[i].kernel);
        assert_same_text(a->span[i].provider, b->span[i].provider);
        assert_true(a->span[i].calls == b->span[i].calls);
        assert_same_number_or_nan(a->span[i].time_s, b->span[i].time_s);
        assert_same_number_or_nan(a->span[i].ops, b->span[i].ops);
        assert_same_number_or_nan(a->span[i].bytes, b->span[i].bytes);
    }
    for (size_t i = 0; i < a->ranks; i++) {
        assert_int_equal(a->rank[i].rank, b->rank[i].rank);
        assert_same_text(a->rank[i].host, b->rank[i].host);
        assert_same_text(a->rank[i].device, b->rank[i].device);
        assert_same_text(a->rank[i].binding, b->rank[i].binding);
    }
}

static void assert_same_entry(const abdb_entry *a, const abdb_entry *b)
{
    assert_same_telemetry_spans_ranks(a, b);
    assert_same_text(a->process.campaign, b->process.campaign);
    assert_same_text(a->process.backend, b->process.backend);
    assert_same_text(a->process.started, b->process.started);
    assert_int_equal(a->process.repetition, b->process.repetition);
    assert_int_equal(a->process.start, b->process.start);
    assert_true(a->origin == b->origin);
    assert_int_equal(a->results, b->results);
    for (size_t i = 0; i < a->results; i++) {
        assert_same_text(a->result[i].metric, b->result[i].metric);
        assert_same_number_or_nan(a->result[i].value, b->result[i].value);
        assert_same_number_or_nan(a->result[i].x, b->result[i].x);
        assert_int_equal(a->result[i].samples, b->result[i].samples);
        for (size_t j = 0; j < a->result[i].samples; j++) {
            assert_same_number_or_nan(a->result[i].sample[j].value, b->result[i].sample[j].value);
            assert_same_number_or_nan(a->result[i].sample[j].t_s, b->result[i].sample[j].t_s);
            assert_int_equal(a->result[i].sample[j].rank, b->result[i].sample[j].rank);
            assert_same_text(a->result[i].sample[j].mark, b->result[i].sample[j].mark);
        }
    }
}

/* --- sinks ------------------------------------------------------------------------------------ */

/* Compares each entry with the one that is wanted, and keeps the last reason of a reject. */
typedef struct {
    const abdb_entry *want; /* NULL: any */
    size_t entries, rejects;
    char reason[256];
} entry_checker;

static abdb_status compare_and_count_entry(void *self, const abdb_entry *entry, abdb_error *err)
{
    entry_checker *l = self;

    (void)err;
    l->entries++;
    if (l->want) assert_same_entry(l->want, entry);
    return ABDB_OK;
}

static abdb_status count_reject_keep_reason(void *self, const abdb_reject *reject, abdb_error *err)
{
    entry_checker *l = self;

    (void)err;
    l->rejects++;
    snprintf(l->reason, sizeof l->reason, "%s", reject->reason);
    return ABDB_OK;
}

static abdb_sink make_sink_into_checker(entry_checker *l)
{
    return (abdb_sink){l, compare_and_count_entry, NULL, count_reject_keep_reason,
                       abdb_sink_ignore_row_end};
}

static entry_checker import_record_line_comparing_entry(const char *line, const abdb_entry *want)
{
    entry_checker l = {.want = want};
    abdb_sink sink = make_sink_into_checker(&l);
    abdb_overrides words = {0};
    abdb_error err = {0};
    abdb_input in;

    assert_ok(abdb_input_decode_memory_to_utf8(&in, "r.jsonl", line, strlen(line), &err));
    assert_ok(abdb_import_records.read(&in, &words, &sink, &err));
    abdb_input_close(&in);
    return l;
}

/* --- tests ------------------------------------------------------------------------------------ */

static void test_json_round_trip_keeps_entry(void **state)
{
    abdb_entry *e = make_entry_with_every_part();
    const long long origins[] = {0x0123456789abcdef, INT64_MAX, 1, ABDB_ORIGIN_NONE,
                                 ABDB_ORIGIN_UNSAID};
    abdb_text text = {0};

    (void)state;
    for (size_t i = 0; i < sizeof origins / sizeof origins[0]; i++) {
        e->origin = origins[i];
        abdb_text_clear(&text);
        abdb_entry_append_json_line(&text, e);
        assert_int_equal(import_record_line_comparing_entry(abdb_text_get(&text), e).entries, 1);
    }
    assert_null(strstr(abdb_text_get(&text), "origin")); /* of the last, which says none */
    memset(e, 0, sizeof *e);
    abdb_entry_add_result_or_count_left_out(e, "time_s", 1);
    abdb_text_clear(&text);
    abdb_entry_append_json_line(&text, e);
    assert_int_equal(import_record_line_comparing_entry(abdb_text_get(&text), e).entries, 1);
    abdb_text_free(&text);
    free(e);
}

/* What is no base unit is brought to it, as everywhere. */
static void test_telemetry_gets_base_units(void **state)
{
    const abdb_telemetry want = {"gpu", "clock", "Hz", 2, 1.5e9};
    abdb_entry *e = calloc(1, sizeof *e);

    (void)state;
    assert_non_null(e);
    e->telemetry = &want;
    e->telemetries = 1;
    assert_int_equal(
        import_record_line_comparing_entry(
            "{\"record\":\"entry\",\"telemetry\":[[\"gpu\",\"clock\",\"MHz\",2,1500]]}", e)
            .entries,
        1);
    free(e);
}

static void test_malformed_members_are_rejected(void **state)
{
    static const char *const cases[][2] = {
        {"\"telemetry\":7", "telemetry is no list"},
        {"\"telemetry\":[7]", "telemetry[0] is no [sensor"},
        {"\"telemetry\":[[\"a\",\"b\",\"W\",0,1],[\"a\",\"b\",\"W\",1]]", "telemetry[1] is no"},
        {"\"telemetry\":[[\"a\",\"b\",\"Watz\",0,1]]", "telemetry[0] is no"},
        {"\"telemetry\":[[\"a\",\"b\",\"W\",null,1]]", "telemetry[0] is no"},
        {"\"telemetry\":[[\"a\",\"b\",\"W\",0,\"1\"]]", "telemetry[0] is no"},
        {"\"telemetry\":[[3,\"b\",\"W\",0,1]]", "telemetry[0] is no"},
        {"\"span\":{}", "span is no list"},
        {"\"span\":[{\"calls\":1,\"time_s\":1}]", "span[0] wants a name"},
        {"\"span\":[{\"name\":\"s\",\"calls\":0,\"time_s\":1}]", "span[0] wants"},
        {"\"span\":[{\"name\":\"s\",\"calls\":1.5,\"time_s\":1}]", "span[0] wants"},
        {"\"span\":[{\"name\":\"s\",\"calls\":1}]", "span[0] wants"},
        {"\"span\":[{\"name\":\"s\",\"calls\":1,\"time_s\":-1}]", "span[0] wants"},
        {"\"span\":[{\"name\":\"s\",\"calls\":1,\"time_s\":1,\"ops\":\"9\"}]", "span[0] wants"},
        {"\"span\":[{\"name\":\"s\",\"calls\":1,\"time_s\":1,\"within\":9}]", "span[0] wants"},
        {"\"rank\":\"x\"", "rank is no list"},
        {"\"rank\":[{\"rank\":0}]", "rank[0] wants rank"},
        {"\"rank\":[{\"rank\":-1,\"host\":\"h\"}]", "rank[0] wants"},
        {"\"rank\":[{\"rank\":\"0\",\"host\":\"h\"}]", "rank[0] wants"},
        {"\"rank\":[{\"rank\":0,\"host\":\"h\",\"binding\":[0]}]", "rank[0] wants"},
        {"\"process\":\"c\"", "process wants"},
        {"\"process\":{\"campaign\":\"c\",\"backend\":\"b\",\"started\":\"t\",\"start\":1}",
         "process wants"},
        {"\"process\":{\"campaign\":\"c\",\"backend\":\"b\",\"started\":\"t\",\"start\":0,"
         "\"repetition\":1}",
         "process wants"},
        {"\"process\":{\"backend\":\"b\",\"started\":\"t\",\"start\":1,\"repetition\":1}",
         "process wants"},
        {"\"origin\":7", "origin is neither"},
        {"\"origin\":\"0123\"", "origin is neither"},
        {"\"origin\":\"0123456789ABCDEF\"", "origin is neither"},
        {"\"origin\":\" 123456789abcdef\"", "origin is neither"},
        {"\"origin\":\"0000000000000000\"", "origin is neither"},
        {"\"origin\":\"8000000000000000\"", "origin is neither"}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char line[512];
        entry_checker l;

        snprintf(line, sizeof line, "{\"record\":\"entry\",%s}", cases[i][0]);
        l = import_record_line_comparing_entry(line, NULL);
        if (l.entries || l.rejects != 1 || !strstr(l.reason, cases[i][1]))
            fail_msg("%s: '%s' does not say '%s'", line, l.reason, cases[i][1]);
    }
}

/* A place of 0 is a place, and none is none, in every file that has places. */
static abdb_status append_x_or_none_of_results(void *self, const abdb_entry *entry, abdb_error *err)
{
    (void)err;
    for (size_t i = 0; i < entry->results; i++)
        if (isnan(entry->result[i].x))
            abdb_text_puts(self, "none ");
        else
            abdb_text_printf(self, "%g ", entry->result[i].x);
    return ABDB_OK;
}

static void test_x_of_0_differs_from_no_x(void **state)
{
    static const char *const cases[][2] = {
        {"{\"record\":\"entry\",\"result\":[{\"metric\":\"loss\",\"statistic\":\"value\","
         "\"value\":1,\"x\":0},{\"metric\":\"loss\",\"statistic\":\"value\",\"value\":1}]}\n",
         "0 none "},
        {"evidence,metric,value,unit,x\npublished,accuracy,1,1,0\npublished,accuracy,1,1,\n"
         "published,accuracy,1,1,-2\n",
         "0 none -2 "},
        {"evidence,metric,value,unit\npublished,accuracy,1,1\n", "none "},
        {"# OSU MPI Allreduce Latency Test v7.2\n# Size       Avg Latency(us)\n0             1.50\n"
         "4             1.75\n",
         "0 4 "}};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const abdb_importer *importer;
        abdb_text told = {0};
        abdb_sink sink = {&told, append_x_or_none_of_results, NULL, abdb_sink_ignore_reject,
                          abdb_sink_ignore_row_end};
        abdb_overrides words = {0};
        abdb_error err = {0};
        abdb_input in;

        assert_ok(
            abdb_input_decode_memory_to_utf8(&in, "file", cases[i][0], strlen(cases[i][0]), &err));
        assert_ok(abdb_importer_find_by_name_or_highest_bid(&importer, NULL, &in, &err));
        assert_ok(importer->read(&in, &words, &sink, &err));
        assert_string_equal(abdb_text_get(&told), cases[i][1]);
        abdb_text_free(&told);
        abdb_input_close(&in);
    }
}

static void identify_by_origin_with_zero_keys(void *self, const abdb_entry *entry, abdb_key key[3],
                                              long long *origin)
{
    (void)self;
    *origin = entry->origin;
    memset(key, 0, 3 * sizeof *key);
}

/* What the queue's thread is handed, as text: it must not end a test itself. */
static abdb_status append_entry_as_json(void *self, const abdb_entry *entry, abdb_error *err)
{
    (void)err;
    abdb_entry_append_json_line(self, entry);
    return ABDB_OK;
}

/* The queue's copies stay when the caller's are gone. */
static void test_sink_thread_copies_entries(void **state)
{
    const abdb_keymaker keys = {NULL, identify_by_origin_with_zero_keys, NULL};
    abdb_entry *want = make_entry_with_every_part();
    abdb_text told = {0}, three = {0};
    abdb_sink inner = {&told, append_entry_as_json, NULL, NULL, NULL}, sink;
    abdb_sink_thread *queue;
    abdb_error err = {0};

    (void)state;
    assert_ok(abdb_sink_thread_start(&queue, &inner, &keys, &err));
    sink = abdb_sink_thread_make_enqueuing_sink(queue);
    for (int i = 0; i < 3; i++) {
        abdb_entry *e = make_entry_with_every_part();
        abdb_telemetry *reading = malloc(sizeof readings);
        abdb_span *span = malloc(sizeof spans);
        abdb_rank *rank = malloc(sizeof ranks);
        char campaign[] = "c-1";

        assert_true(reading && span && rank);
        e->telemetry = memcpy(reading, readings, sizeof readings);
        e->span = memcpy(span, spans, sizeof spans);
        e->rank = memcpy(rank, ranks, sizeof ranks);
        e->process.campaign = campaign;
        assert_ok(sink.entry(sink.self, e, &err));
        memset(reading, 0, sizeof readings);
        memset(span, 0, sizeof spans);
        memset(rank, 0, sizeof ranks);
        memset(campaign, 'x', 3);
        free(reading);
        free(span);
        free(rank);
        free(e);
        abdb_entry_append_json_line(&three, want);
    }
    assert_ok(abdb_sink_thread_drain_and_join(queue, &err));
    assert_string_equal(abdb_text_get(&told), abdb_text_get(&three));
    abdb_text_free(&told);
    abdb_text_free(&three);
    free(want);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_json_round_trip_keeps_entry),
                                       cmocka_unit_test(test_telemetry_gets_base_units),
                                       cmocka_unit_test(test_malformed_members_are_rejected),
                                       cmocka_unit_test(test_x_of_0_differs_from_no_x),
                                       cmocka_unit_test(test_sink_thread_copies_entries)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* import_nccl_json.c - nccl-tests and rccl-tests with -J: one JSON object for a run.
 *
 * No real file was at hand: the form is that of the tests' source (2.17). "results" is a list of
 * sizes, each with "out_of_place" and "in_place"; numbers may be text; names are written with and
 * without a line between (alg_bw, algbw). Times are in us, bandwidths in GB/s, as on the console.
 * The collective is read off the program's name in "args". The input row is an element of
 * "results".
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/programs/nccl_types.h"
#include "ingest/read/flat_records.h"

static int nccl_json_bid(const abdb_input *in)
{
    return abdb_flat_has_all_keys_or_columns(in, "\"results\"|\"out_of_place\"") ? 88 : 0;
}

typedef struct {
    const abdb_overrides *words;
    const abdb_sink *sink;
    abdb_left_out *left_out;
    abdb_arena arena;
    const json_t *root;
    char collective[48];
} reader;

/* A member by either of two names, as text. */
static const char *text_of_first_member_present(reader *r, const json_t *object, const char *name,
                                                const char *other)
{
    const json_t *value = json_object_get(object, name);
    char *number;

    if (!value && other) value = json_object_get(object, other);
    if (json_is_string(value)) return json_string_value(value);
    if (!json_is_number(value)) return NULL;
    number = abdb_arena_alloc(&r->arena, 32);
    if (number) abdb_format_shortest_double(json_number_value(value), number);
    return number;
}

/* ".../all_reduce_perf" anywhere among the strings of a value. */
static void store_collective_named_in_args(reader *r, const json_t *value)
{
    const char *text = json_string_value(value), *end = text ? strstr(text, "_perf") : NULL;
    const json_t *item;
    size_t i;

    json_array_foreach(value, i, item) store_collective_named_in_args(r, item);
    if (!end || *r->collective) return;
    for (text = end; text > json_string_value(value) && text[-1] != '/' && text[-1] != ' ';) text--;
    snprintf(r->collective, sizeof r->collective, "%.*s", (int)(end - text), text);
}

/* What is read elsewhere, sums the file up or says when and where it was made; of a size; of a
 * place in it. */
static const char *const of_run[] = {"args",
                                     "args.count",
                                     "results.count",
                                     "out_of_bounds.*",
                                     "average_bus_bandwidth.*",
                                     "start_time",
                                     "end_time",
                                     "*timestamp*",
                                     NULL};
static const char *const of_size[] = {"size", "count",          "type",       "redop",
                                      "root", "out_of_place.*", "in_place.*", NULL};
static const char *const of_place[] = {"time",  "alg_bw", "algbw", "bus_bw",
                                       "busbw", "nwrong", "wrong", NULL};

/* One size, in place or out of place: two entries of a row. Names changed between versions, so
 * each value is asked for by both. Times are in microseconds, bandwidths in 10^9 byte/s. */
static abdb_status import_nccl_json_placement(reader *r, const json_t *size, const char *member,
                                              const char *place, size_t index, abdb_error *err)
{
    const json_t *side = json_object_get(size, member);
    const char *wrong = text_of_first_member_present(r, side, "nwrong", "wrong");
    abdb_entry *entry = calloc(1, sizeof *entry);
    double x = 0, bad;

    if (!entry) return ABDB_FAIL(err, ABDB_NOMEM, "an entry");
    abdb_entry_set_measured_run(entry, "nccl-tests", *r->collective ? r->collective : NULL,
                                abdb_arena_printf(&r->arena, "results[%zu].%s", index, member), 0);
    entry->field[ABDB_FIELD_dtype] = abdb_nccl_number_format_of_type_or_same(
        text_of_first_member_present(r, size, "type", NULL));
    if (wrong && abdb_double_parse(wrong, ABDB_MARK_UNKNOWN, &bad))
        entry->field[ABDB_FIELD_verified] = bad > 0 ? "fail" : "pass";
    abdb_entry_add_factor_parsing_number(entry, "message_bytes",
                                         text_of_first_member_present(r, size, "size", NULL));
    abdb_entry_add_factor_parsing_number(entry, "redop",
                                         text_of_first_member_present(r, size, "redop", NULL));
    abdb_entry_add_factor_parsing_number(entry, "root",
                                         text_of_first_member_present(r, size, "root", NULL));
    abdb_entry_add_factor_parsing_number(entry, "place", place);
    abdb_entry_add_printed_result_or_count_left_out(
        entry, "time_s", "mean", text_of_first_member_present(r, side, "time", NULL),
        ABDB_MARK_UNKNOWN, "us");
    abdb_entry_add_printed_result_or_count_left_out(
        entry, "bytes_per_s", "mean", text_of_first_member_present(r, side, "alg_bw", "algbw"),
        ABDB_MARK_UNKNOWN, "GB/s");
    abdb_entry_add_printed_result_or_count_left_out(
        entry, "busbw_bytes_per_s", "mean",
        text_of_first_member_present(r, side, "bus_bw", "busbw"), ABDB_MARK_UNKNOWN, "GB/s");
    if (text_of_first_member_present(r, size, "size", NULL) &&
        abdb_double_parse(text_of_first_member_present(r, size, "size", NULL), ABDB_MARK_UNKNOWN,
                          &x))
        /* x is the message size in bytes, the abscissa of a sweep. */
        for (size_t i = 0; i < entry->results; i++) entry->result[i].x = x;
    abdb_flat_add_json_members_as_factors(entry, NULL, size, of_size, &r->arena);
    abdb_flat_add_json_members_as_factors(entry, NULL, side, of_place, &r->arena);
    abdb_flat_add_json_members_as_factors(entry, NULL, r->root, of_run, &r->arena);
    abdb_entry_apply_overrides_and_check(entry, r->words);
    if (entry->results) {
        abdb_status st = r->sink->entry(r->sink->self, entry, err);

        free(entry);
        return st;
    }
    abdb_left_out_count_values_of_entry(r->left_out, entry);
    free(entry);
    return ABDB_OK;
}

/* Imports one size, out of place and in place; rejects one without its times. */
static abdb_status import_or_reject_nccl_json_size(reader *r, const json_t *size, size_t index,
                                                   abdb_error *err)
{
    char field[32];
    abdb_status st = ABDB_OK;

    if (!json_is_object(json_object_get(size, "out_of_place"))) {
        abdb_reject reject = {.field = field, .reason = "no object out_of_place"};

        snprintf(field, sizeof field, "results[%zu]", index);
        TRY(r->sink->reject(r->sink->self, &reject, err));
    } else {
        TRY(import_nccl_json_placement(r, size, "out_of_place", "out-of-place", index, err));
        TRY(import_nccl_json_placement(r, size, "in_place", "in-place", index, err));
    }
    TRY(r->sink->row_end(r->sink->self, err));
done:
    return st;
}

/* Imports each size of the document, with its settings as factors. */
static abdb_status import_nccl_json_sizes(const abdb_input *in, const abdb_overrides *overrides,
                                          const abdb_sink *sink, abdb_error *err)
{
    reader r = {.words = overrides, .sink = sink, .left_out = in->left_out};
    json_t *root = NULL, *size;
    size_t i;
    abdb_status st = ABDB_OK;

    TRY(abdb_flat_parse_json_document_quoting_nan(&root, in, err));
    r.root = root;
    store_collective_named_in_args(&r, json_object_get(root, "args"));
    if (!*r.collective && !abdb_overrides_get_value_or_null(overrides, "workload"))
        TRY(ABDB_FAIL(err, ABDB_DATA,
                      "\"args\" names no collective; say it with --set workload=NAME, which is"
                      " all_reduce, all_gather, ..."));
    json_array_foreach(json_object_get(root, "results"), i, size)
        TRY(import_or_reject_nccl_json_size(&r, size, i, err));
done:
    json_decref(root);
    abdb_arena_free(&r.arena);
    return st;
}

const abdb_importer abdb_import_nccl_json = {
    "nccl-tests-json",     "nccl-tests and rccl-tests with -J", 2, NULL, nccl_json_bid,
    import_nccl_json_sizes};

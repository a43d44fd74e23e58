/* import_superbench.c - SuperBench: results-summary.json of a node, results-summary.jsonl of
 * several.
 *
 * How eight files of 0.2 to 0.12 disagree: 0.2 and 0.3 write FP16_TC, H2D_Mem_BW and IB_write in
 * capitals, later ones fp16_tc_flops, h2d_bw; a summary over ranks has no ":3" behind a name; a
 * benchmark run twice has an annotation ("nccl-bw:default"); a node is "node" or the file's
 * folder. Of gemm-flops, cublaslt-gemm, hipblaslt-gemm, nccl-bw, rccl-bw and mem-bw the units
 * are known from its documents, and their values are read; all other metrics carry no unit, and
 * are left out by the name of their benchmark. The input row is a metric.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/read/flat_records.h"

enum { PART = 256 };

typedef struct {
    const abdb_overrides *words;
    const abdb_sink *sink;
    abdb_left_out *left_out;
    const char *node;  /* NULL: not stated */
    const char *outer; /* of the locator: "line 3", or "" */
    long line;
    abdb_settings settings; /* what else the object states */
    abdb_arena arena;
} reader;

/* "nccl-bw:default/allreduce_8_busbw:3" in its parts; rank "" where there is none. */
typedef struct {
    const char *key;
    char benchmark[PART], metric[PART], rank[16];
} metric_name;

/* Splits "benchmark:case/metric:rank" into its parts. False: it is no metric but a setting. */
static bool split_metric_name_unless_setting(const char *key, metric_name *out)
{
    const char *slash = strchr(key, '/'), *colon;
    size_t size;

    if (!slash) return false;
    colon = strrchr(slash, ':');
    if (colon && !isdigit((unsigned char)colon[1])) colon = NULL;
    size = colon ? (size_t)(colon - slash - 1) : strlen(slash + 1);
    *out = (metric_name){.key = key};
    snprintf(out->benchmark, PART, "%.*s", (int)strcspn(key, ":/"), key);
    if (size < PART) snprintf(out->metric, PART, "%.*s", (int)size, slash + 1);
    if (colon) snprintf(out->rank, sizeof out->rank, "%.15s", colon + 1);
    for (char *c = out->metric; *c; c++) *c = (char)tolower((unsigned char)*c);
    return true;
}

/* "fp16_tc_flops", before 0.4 "FP16_TC": GFLOP/s of any shape, or GOP/s. */
static bool fill_entry_of_gemm_flops(reader *r, const metric_name *m, const char *value,
                                     abdb_entry *entry)
{
    size_t size = strcspn(m->metric, "_");
    bool integer = strncmp(m->metric, "int", 3) == 0;

    if (!integer && strncmp(m->metric, "fp", 2) != 0 && strncmp(m->metric, "bf", 2) != 0 &&
        strncmp(m->metric, "tf", 2) != 0)
        return false;
    entry->field[ABDB_FIELD_workload] = "gemm-flops"; /* of shapes that the file does not state */
    entry->field[ABDB_FIELD_dtype] = abdb_arena_printf(&r->arena, "%.*s", (int)size, m->metric);
    abdb_entry_add_factor_parsing_number(entry, "engine",
                                         strstr(m->metric, "_tc") ? "matrix" : "vector");
    abdb_entry_add_printed_result_or_count_left_out(entry, integer ? "ops_per_s" : "flops_per_s",
                                                    "value", value, ABDB_MARK_UNKNOWN,
                                                    integer ? "GOP/s" : "GFLOP/s");
    return true;
}

/* "fp8e4m3_1_8192_8192_8192_flops": format, batch, m, n, k; TFLOP/s. */
static bool fill_entry_of_shaped_gemm(reader *r, const metric_name *m, const char *value,
                                      abdb_entry *entry)
{
    char *copy = abdb_arena_copy(&r->arena, m->metric, strlen(m->metric)), *place = NULL;
    static const char *const names[] = {"batch", "m", "n", "k"};
    const char *dtype = copy ? strtok_r(copy, "_", &place) : NULL;

    if (!dtype || !strstr(m->metric, "_flops")) return false;
    for (size_t i = 0; i < 4; i++) {
        const char *word = strtok_r(NULL, "_", &place);

        if (!word || !isdigit((unsigned char)*word)) return false;
        abdb_entry_add_factor_parsing_number(entry, names[i],
                                             i == 0 && strcmp(word, "0") == 0 ? "1" : word);
    }
    entry->field[ABDB_FIELD_workload] = "gemm";
    entry->field[ABDB_FIELD_backend] =
        strncmp(m->benchmark, "hip", 3) == 0 ? "hipBLASLt" : "cuBLASLt";
    entry->field[ABDB_FIELD_dtype] = strncmp(dtype, "fp8", 3) == 0   ? "fp8"
                                     : strncmp(dtype, "fp4", 3) == 0 ? "fp4"
                                                                     : dtype;
    if (strlen(dtype) > 4) abdb_entry_add_factor_parsing_number(entry, "format", dtype);
    abdb_entry_add_printed_result_or_count_left_out(entry, "flops_per_s", "value", value,
                                                    ABDB_MARK_UNKNOWN, "TFLOP/s");
    return true;
}

/* "allreduce_8589934592_busbw": GB/s, time in us. */
static bool fill_entry_of_collective(reader *r, const metric_name *m, const char *value,
                                     abdb_entry *entry)
{
    static const char *const names[][2] = {
        {"allreduce", "all_reduce"},         {"allgather", "all_gather"},
        {"reducescatter", "reduce_scatter"}, {"alltoall", "all_to_all"},
        {"broadcast", "broadcast"},          {"reduce", "reduce"}};
    size_t size = strcspn(m->metric, "_");
    const char *bytes = m->metric + size + (m->metric[size] == '_');
    const char *what = bytes + strspn(bytes, "0123456789");

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i][0]) == size && strncmp(m->metric, names[i][0], size) == 0)
            entry->field[ABDB_FIELD_workload] = names[i][1];
    if (!entry->field[ABDB_FIELD_workload] || what == bytes) return false;
    abdb_entry_add_factor_parsing_number(
        entry, "message_bytes", abdb_arena_printf(&r->arena, "%.*s", (int)(what - bytes), bytes));
    if (strcmp(what, "_busbw") == 0 || strcmp(what, "_algbw") == 0)
        abdb_entry_add_printed_result_or_count_left_out(
            entry, what[1] == 'b' ? "busbw_bytes_per_s" : "bytes_per_s", "value", value,
            ABDB_MARK_UNKNOWN, "GB/s");
    else if (strcmp(what, "_time") == 0)
        abdb_entry_add_printed_result_or_count_left_out(entry, "time_s", "value", value,
                                                        ABDB_MARK_UNKNOWN, "us");
    else
        return false;
    return true;
}

/* "h2d_bw", before 0.4 "H2D_Mem_BW": GB/s of bandwidthTest. */
static bool fill_entry_of_memory_copy(const metric_name *m, const char *value, abdb_entry *entry)
{
    static const char *const names[][2] = {
        {"h2d", "host_to_device"}, {"d2h", "device_to_host"}, {"d2d", "device_to_device"}};

    if (!strstr(m->metric, "_bw")) return false;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strncmp(m->metric, names[i][0], 3) != 0 || m->metric[3] != '_') continue;
        entry->field[ABDB_FIELD_workload] = "memory-copy";
        abdb_entry_add_factor_parsing_number(entry, "operation", names[i][1]);
        abdb_entry_add_factor_parsing_number(entry, "memory", "pinned");
        abdb_entry_add_factor_parsing_number(entry, "level", i < 2 ? "wire" : "memory");
        abdb_entry_add_printed_result_or_count_left_out(entry, "bytes_per_s", "value", value,
                                                        ABDB_MARK_UNKNOWN, "GB/s");
        return true;
    }
    return false;
}

/* Fills in what the metric's name states. False: no unit is known for it. */
static bool fill_entry_if_metric_unit_is_known(reader *r, const metric_name *m, const char *value,
                                               abdb_entry *entry)
{
    if (strcmp(m->benchmark, "gemm-flops") == 0)
        return fill_entry_of_gemm_flops(r, m, value, entry);
    if (strcmp(m->benchmark, "cublaslt-gemm") == 0 || strcmp(m->benchmark, "hipblaslt-gemm") == 0)
        return fill_entry_of_shaped_gemm(r, m, value, entry);
    if (strcmp(m->benchmark, "nccl-bw") == 0 || strcmp(m->benchmark, "rccl-bw") == 0)
        return fill_entry_of_collective(r, m, value, entry);
    if (strcmp(m->benchmark, "mem-bw") == 0) return fill_entry_of_memory_copy(m, value, entry);
    return false;
}

/* A collective is run by all ranks, and its value is that of the node; others are of one device. */
static void set_device_node_and_benchmark_of_metric(reader *r, const metric_name *m,
                                                    abdb_entry *entry)
{
    bool collective = strstr(m->benchmark, "ccl-bw") != NULL;

    entry->field[ABDB_FIELD_nodes] = collective ? NULL : "1";
    entry->field[ABDB_FIELD_devices] = collective ? NULL : "1";
    if (*m->rank && !collective)
        abdb_entry_add_factor_parsing_number(entry, "gpu",
                                             abdb_arena_copy(&r->arena, m->rank, strlen(m->rank)));
    abdb_entry_add_factor_parsing_number(entry, "node", r->node);
    abdb_entry_add_factor_parsing_number(
        entry, "benchmark",
        abdb_arena_printf(&r->arena, "%.*s", (int)strcspn(m->key, "/"), m->key));
    abdb_entry_add_settings_as_factors(entry, &r->settings, NULL, &r->arena);
}

/* A return code that is not 0 is a benchmark that failed. */
static abdb_status reject_benchmark_if_return_code_nonzero(reader *r, const metric_name *m,
                                                           const char *value, abdb_error *err)
{
    abdb_reject reject = {
        .line = r->line, .field = m->key, .reason = "the benchmark failed", .raw = value};

    return strcmp(value, "0") == 0 ? ABDB_OK : r->sink->reject(r->sink->self, &reject, err);
}

/* Imports one metric of a node; a return code that is not 0 is a reject; a setting is passed over.
 */
static abdb_status import_reject_or_count_metric(reader *r, const char *key, const char *value,
                                                 abdb_error *err)
{
    abdb_entry *entry;
    metric_name m;
    abdb_status st = ABDB_OK;

    if (!split_metric_name_unless_setting(key, &m)) return ABDB_OK; /* a setting */
    if (strcmp(m.metric, "return_code") == 0)
        return reject_benchmark_if_return_code_nonzero(r, &m, value, err);
    entry = calloc(1, sizeof *entry);
    if (!entry) return ABDB_FAIL(err, ABDB_NOMEM, "an entry");
    abdb_entry_set_measured_run(
        entry, "superbench", NULL,
        abdb_arena_printf(&r->arena, "%s%s%s", r->outer, *r->outer ? ", " : "", key), r->line);
    if (fill_entry_if_metric_unit_is_known(r, &m, value, entry) && entry->results) {
        set_device_node_and_benchmark_of_metric(r, &m, entry);
        abdb_entry_apply_overrides_and_check(entry, r->words);
        st = r->sink->entry(r->sink->self, entry, err);
    } else if (entry->values_left_out) {
        abdb_left_out_count_values_of_entry(r->left_out, entry);
    } else {
        abdb_left_out_count_value(r->left_out, m.benchmark);
    }
    free(entry);
    return st;
}

/* Notes the members of a node's object that are no metrics. */
static void store_nonmetric_members_as_settings(reader *r, json_t *node)
{
    static const char *const ignored[] = {"node", NULL};
    json_t *rest = json_object(), *value;
    const char *key;

    r->settings = (abdb_settings){0};
    json_object_foreach(node, key, value) if (!strchr(key, '/')) json_object_set(rest, key, value);
    abdb_flat_append_json_members_to_settings(&r->settings, rest, ignored, &r->arena);
    json_decref(rest);
}

/* One node's object. */
static abdb_status import_metrics_of_node(reader *r, json_t *node, abdb_error *err)
{
    const char *key;
    json_t *value;
    abdb_status st = ABDB_OK;

    r->node = json_string_value(json_object_get(node, "node"));
    store_nonmetric_members_as_settings(r, node);
    json_object_foreach(node, key, value)
    {
        char number[32];

        if (!json_is_number(value)) continue;
        abdb_format_shortest_double(json_number_value(value), number);
        TRY(import_reject_or_count_metric(r, key, number, err));
        TRY(r->sink->row_end(r->sink->self, err));
    }
done:
    return st;
}

/* A line of a .jsonl is a whole object. */
static bool first_line_is_whole_json_object(const abdb_input *in)
{
    const char *end = memchr(in->text, '\n', in->text_size);

    while (end && end > in->text && isspace((unsigned char)end[-1])) end--;
    return end && end > in->text && end[-1] == '}' && *in->text == '{';
}

static bool is_blank_line(const char *text, size_t size)
{
    while (size && strchr(" \t\r", text[size - 1]) && text[size - 1]) size--;
    return size == 0;
}

/* Imports a file of one JSON object a line, each the summary of a node. */
static abdb_status import_or_reject_node_of_each_line(reader *r, const abdb_input *in,
                                                      abdb_error *err)
{
    const char *text = in->text, *end = text + in->text_size;
    abdb_status st = ABDB_OK;

    while (text < end) {
        const char *stop = memchr(text, '\n', (size_t)(end - text));
        size_t size = (size_t)((stop ? stop : end) - text);
        json_t *node = json_loadb(text, size, 0, NULL);

        r->line++;
        r->outer = abdb_arena_printf(&r->arena, "line %ld", r->line);
        if (json_is_object(node)) {
            st = import_metrics_of_node(r, node, err);
        } else if (!is_blank_line(text, size)) {
            abdb_reject reject = {.line = r->line, .field = "", .reason = "no JSON object"};

            st = r->sink->reject(r->sink->self, &reject, err);
            if (st == ABDB_OK) st = r->sink->row_end(r->sink->self, err);
        }
        json_decref(node);
        if (st != ABDB_OK) return st;
        text += size + (stop != NULL);
    }
    return ABDB_OK;
}

/* The bid for a JSON object with the name of a SuperBench benchmark within its first MiB; else 0.
 */
static int superbench_bid(const abdb_input *in)
{
    static const char *const keys[] = {"\"gemm-flops",     "\"nccl-bw",       "\"rccl-bw",
                                       "\"mem-bw",         "\"kernel-launch", "\"cublaslt-gemm",
                                       "\"hipblaslt-gemm", "\"gpu-copy-bw"};
    size_t size = in->text_size < (1 << 20) ? in->text_size : 1 << 20;

    if (!size || *in->text != '{') return 0;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const char *at = memmem(in->text, size, keys[i], strlen(keys[i]));

        if (at && at + strlen(keys[i]) < in->text + size &&
            (at[strlen(keys[i])] == '/' || at[strlen(keys[i])] == ':'))
            return 86;
    }
    return 0;
}

static abdb_status import_superbench_summaries(const abdb_input *in,
                                               const abdb_overrides *overrides,
                                               const abdb_sink *sink, abdb_error *err)
{
    reader r = {.words = overrides, .sink = sink, .left_out = in->left_out, .outer = ""};
    json_t *root = NULL;
    abdb_status st = ABDB_OK;

    if (first_line_is_whole_json_object(in)) {
        st = import_or_reject_node_of_each_line(&r, in, err);
    } else {
        TRY(abdb_flat_parse_json_document_quoting_nan(&root, in, err));
        TRY(import_metrics_of_node(&r, root, err));
    }
done:
    json_decref(root);
    abdb_arena_free(&r.arena);
    return st;
}

const abdb_importer abdb_import_superbench = {"superbench",
                                              "SuperBench: results-summary.json and .jsonl",
                                              2,
                                              NULL,
                                              superbench_bid,
                                              import_superbench_summaries};

/* import_primus.c - reports of AMD Primus preflight: its checks, its performance tests, and those
 * of the smoke test of nodes.
 *
 * Two reports were found in public (requests 490 and 712 of AMD-AGI/Primus, both without tables of
 * collectives); the rest is from the sources of six versions. How these disagree: a row of a
 * collective names its first rank alone, later the range of all ("0-7"); the column is Hostname or
 * Leader hostname; a title has "allreduce-2gpu" or "allreduce-2nodes". Sizes are MiB, written MB.
 * Rates of allreduce and alltoall are those of the bus, of p2p the message over its time. Square
 * products are bf16 in all versions. A report may hold the checks, the tests, or both; the GPU is
 * named by the checks alone, and by host. The input row is a row of a table.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "ingest/check_entry.h"
#include "ingest/read/markdown_tables.h"
#include "ingest/read/text_lines.h"
#include "schema/core/array.h"

typedef struct {
    long line;
    const char *host, *device; /* host NULL: a report begins */
} place;

typedef struct {
    const abdb_input *in;
    const abdb_overrides *words;
    const abdb_sink *sink;
    abdb_entry *entry;
    place *places; /* in the order of lines, but for devices behind beginnings */
    size_t count, room;
    abdb_arena arena, row_arena;
} state;

static int primus_bid(const abdb_input *in)
{
    static const char *const titles[] = {
        "# Primus Preflight Report", "# Node-Local Smoke Test Report", "=======Square GEMM ",
        "=======IntraNodeComm - ",   "=======InterNodeComm - ",        "=======InterNodeRingP2P "};

    if (!markdown_has_table(in)) return 0;
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++)
        if (lines_any_in_first_part_begins_with(in, titles[i])) return 86;
    return 0;
}

/* --- devices of hosts ------------------------------------------------------------------------- */

static abdb_status add_place(state *s, place p, abdb_error *err)
{
    void *more = abdb_array_reserve_one(s->places, s->count, &s->room, sizeof *s->places);

    if (!more) return ABDB_FAIL(err, ABDB_NOMEM, "hosts");
    s->places = more;
    s->places[s->count++] = p;
    return ABDB_OK;
}

static abdb_status note_begin_of_report(void *self, const text_line *line, abdb_error *err)
{
    static const char *const titles[] = {"# Primus Preflight", "# Node-Local", "# Nodes",
                                         "# Square Gemm Perf"};

    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++)
        if (strncmp(line->text, titles[i], strlen(titles[i])) == 0)
            return add_place(self, (place){.line = line->number}, err);
    return ABDB_OK;
}

/* "| node02 | 0,1 | PASS | AMD Instinct MI300X/gfx942 | ..." of the table GPU Devices. */
static abdb_status note_device_of_host(void *self, const abdb_flat_record *r, abdb_error *err)
{
    state *s = self;
    const char *host = abdb_flat_text_or_null_mark_asked(r, "host"),
               *type = abdb_flat_text_or_null_mark_asked(r, "gpu_type/arch");

    if (!host || !type || !*type) return ABDB_OK;
    return add_place(s,
                     (place){r->line, abdb_arena_copy(&s->arena, host, strlen(host)),
                             abdb_arena_copy(&s->arena, type, strcspn(type, "/"))},
                     err);
}

/* The device of that host in the report of the line. NULL: unknown, or stated twice. */
static const char *device_of_host_or_null(const state *s, long line, const char *host)
{
    long begin = 0, end = 1L << 62;
    const char *device = NULL;

    for (size_t i = 0; i < s->count; i++) {
        if (s->places[i].host) continue;
        if (s->places[i].line <= line && s->places[i].line > begin) begin = s->places[i].line;
        if (s->places[i].line > line && s->places[i].line < end) end = s->places[i].line;
    }
    for (size_t i = 0; i < s->count && host; i++) {
        const place *p = &s->places[i];

        if (!p->host || p->line < begin || p->line >= end || strcmp(p->host, host) != 0) continue;
        if (device && strcmp(device, p->device) != 0) return NULL;
        device = p->device;
    }
    return device;
}

/* --- rows ------------------------------------------------------------------------------------- */

/* What a table's title means. */
typedef struct {
    const char *workload, *metric, *statistic, *unit, *dtype;
    char comm[24];
    long gpus, nodes; /* 0: not stated */
} table_kind;

/* "IntraNodeComm - allreduce-2gpu (GB/s)" */
static bool parse_title_of_collective(table_kind *k, const char *title)
{
    static const char *const names[][2] = {{"allreduce", "all_reduce"}, {"alltoall", "all_to_all"}};
    const char *at = strstr(title, "NodeComm - "), *dash = at ? strchr(at + 11, '-') : NULL;
    unsigned long long n = 0;
    size_t digits = dash ? abdb_digits_parse_prefix(dash + 1, 10, &n) : 0;

    if (!digits || n > 1 << 20 || (size_t)(dash - at) - 11 >= sizeof k->comm) return false;
    snprintf(k->comm, sizeof k->comm, "%.*s", (int)(dash - at - 11), at + 11);
    k->workload = strncmp(k->comm, "p2p", 3) == 0 ? "sendrecv" : k->comm;
    for (size_t i = 0; i < 2; i++)
        if (strcmp(k->comm, names[i][0]) == 0) k->workload = names[i][1];
    if (strncmp(dash + 1 + digits, "gpu", 3) == 0)
        k->gpus = (long)n;
    else if (strncmp(dash + 1 + digits, "node", 4) == 0)
        k->nodes = (long)n;
    else
        return false;
    if (strstr(title, "(us)")) {
        k->metric = "time_s", k->unit = "us";
    } else if (strstr(title, "(GB/s)")) {
        k->metric = strcmp(k->workload, "sendrecv") == 0 ? "bytes_per_s" : "busbw_bytes_per_s";
        k->unit = "GB/s";
    }
    return k->metric;
}

/* False: the table is none of measurements. */
static bool parse_title(table_kind *k, const char *title)
{
    *k = (table_kind){.statistic = "mean"};
    if (strstr(title, "Square GEMM Latency (us)")) {
        k->metric = "time_s", k->unit = "us";
    } else if (strstr(title, "Square GEMM TFLOPS")) {
        k->metric = "flops_per_s", k->unit = "TFLOP/s";
    } else if (strstr(title, "InterNodeRingP2P latency") && strstr(title, "(ms)")) {
        k->metric = "time_s", k->unit = "ms", k->workload = "ring-p2p";
    } else if (strstr(title, "InterNodeRingP2P bidirectional bandwidth") &&
               strstr(title, "(GB/s)")) {
        k->metric = "bytes_per_s", k->unit = "GB/s", k->workload = "ring-p2p";
    } else {
        return parse_title_of_collective(k, title);
    }
    if (!k->workload) k->workload = "gemm", k->dtype = "bf16", k->gpus = 1;
    return true;
}

/* "0-15", "0,1" and "3": how many ranks; 1 may be the first of several. */
static long count_ranks(const char *text)
{
    unsigned long long first, last;
    size_t digits = text ? abdb_digits_parse_prefix(text, 10, &first) : 0, more;

    if (!digits || text[digits] != '-') return 0;
    more = abdb_digits_parse_prefix(text + digits + 1, 10, &last);
    return more && !text[digits + 1 + more] && last > first && last - first < 1 << 20
               ? (long)(last - first) + 1
               : 0;
}

/* "4096x4096x4096" as m, n, k, "16MB" as bytes. False: the column is none of a size. */
static bool add_size_of_column(state *s, const char *column)
{
    static const char *const names[] = {"m", "n", "k"};
    unsigned long long size;
    size_t digits;

    for (int i = 0; i < 3; i++) {
        digits = abdb_digits_parse_prefix(column, 10, &size);
        if (!digits || !size) return false;
        if (i == 0 && strcmp(column + digits, "MB") == 0 && size <= 1 << 20) {
            abdb_entry_add_factor_parsing_number(
                s->entry, "message_bytes", abdb_arena_printf(&s->row_arena, "%llu", size << 20));
            for (size_t r = 0; r < s->entry->results; r++)
                s->entry->result[r].x = (double)(size << 20);
            return true;
        }
        abdb_entry_add_factor_parsing_number(s->entry, names[i],
                                             abdb_arena_printf(&s->row_arena, "%llu", size));
        column += digits;
        if (i < 2 && *column++ != 'x') return false;
    }
    return !*column;
}

/* The entry of one cell. */
static abdb_status import_cell(state *s, const abdb_flat_record *r, const table_kind *k,
                               size_t item, abdb_error *err)
{
    abdb_entry *entry = s->entry;
    const char *host = abdb_flat_text_or_null_mark_asked(r, "Hostname"),
               *ranks = abdb_flat_text_or_null_mark_asked(r, "Rank");
    long devices = k->gpus ? k->gpus : count_ranks(ranks);
    abdb_status st = ABDB_OK;

    if (!host) host = abdb_flat_text_or_null_mark_asked(r, "Leader hostname");
    abdb_entry_set_measured_run(entry, "primus", k->workload, r->locator, r->line);
    entry->field[ABDB_FIELD_dtype] = k->dtype;
    entry->field[ABDB_FIELD_device] = device_of_host_or_null(s, r->line, host);
    if (devices)
        entry->field[ABDB_FIELD_devices] = abdb_arena_printf(&s->row_arena, "%ld", devices);
    if (k->nodes || k->gpus)
        entry->field[ABDB_FIELD_nodes] =
            abdb_arena_printf(&s->row_arena, "%ld", k->nodes ? k->nodes : 1);
    abdb_entry_add_printed_result_or_count_left_out(
        entry, k->metric, k->statistic, r->item[item].text, r->item[item].mark, k->unit);
    abdb_entry_add_factor_parsing_number(entry, "node_ranks", ranks);
    abdb_entry_add_factor_parsing_number(entry, "ring",
                                         abdb_flat_text_or_null_mark_asked(r, "ring"));
    if (!add_size_of_column(s, r->item[item].name) || (!entry->results && !entry->doubt)) {
        abdb_left_out_count_values_of_entry(s->in->left_out, entry);
    } else {
        abdb_entry_apply_overrides_and_check(entry, s->words);
        TRY(s->sink->entry(s->sink->self, entry, err));
    }
done:
    abdb_entry_reset(entry);
    return st;
}

static bool column_is_of_place(const char *name)
{
    static const char *const names[] = {"Hostname", "Leader hostname", "Node", "Rank",
                                        "ring",     "(title)",         NULL};

    return abdb_text_is_in_list(name, names);
}

/* "| 3 | node-c | FAIL | 41.2s | GPU 0 is held by python3 |" of the smoke test: a verdict. */
static abdb_status import_verdict_of_node(state *s, const abdb_flat_record *r, const char *status,
                                          abdb_error *err)
{
    const char *reason = abdb_flat_text_or_null_mark_asked(r, "Top fail reason");
    bool pass = strcasecmp(status, "PASS") == 0;
    abdb_entry *entry = s->entry;
    abdb_status st = ABDB_OK;

    if (!pass && strcasecmp(status, "FAIL") != 0)
        return abdb_flat_reject_and_end_row(s->sink, r, "Status", "neither PASS nor FAIL", err);
    abdb_entry_set_measured_run(entry, "primus", "primus-node-smoke", r->locator, r->line);
    entry->field[ABDB_FIELD_nodes] = "1";
    entry->field[ABDB_FIELD_status] = pass ? "ok" : "failed";
    entry->field[ABDB_FIELD_verified] = pass ? "pass" : "fail";
    if (!pass) entry->field[ABDB_FIELD_reason] = reason && *reason ? reason : "the node failed";
    abdb_flat_add_unread_values_as_factors(entry, r, NULL, &s->row_arena);
    TRY(abdb_entry_check_and_deliver_row(entry, s->words, s->sink, err));
done:
    abdb_entry_reset(entry);
    return st;
}

/* "| node02 | 8 | PASS | 512.5/530.25/520.0 | ... |": least, largest and mean of a host's GPUs. */
static abdb_status import_sanity_of_host(state *s, const abdb_flat_record *r, const char *rates,
                                         abdb_error *err)
{
    static const char *const statistics[] = {"min", "max", "mean"};
    const char *title = abdb_flat_text_or_null_mark_asked(r, "(title)"),
               *status = abdb_flat_text_or_null_mark_asked(r, "status"),
               *host = abdb_flat_text_or_null_mark_asked(r, "host");
    abdb_entry *entry = s->entry;
    abdb_status st = ABDB_OK;

    abdb_entry_set_measured_run(entry, "primus", "gemm", r->locator, r->line);
    entry->field[ABDB_FIELD_device] = device_of_host_or_null(s, r->line, host);
    entry->field[ABDB_FIELD_devices] = "1"; /* each rank runs its own product */
    if (title && strncmp(title, "GEMM shape: ", 12) == 0)
        abdb_entry_add_factor_parsing_number(entry, "shape", title + 12);
    for (int i = 0; i < 3; i++, rates += strcspn(rates, "/"), rates += *rates == '/')
        abdb_entry_add_printed_result_or_count_left_out(
            entry, "flops_per_s", statistics[i],
            abdb_arena_copy(&s->row_arena, rates, strcspn(rates, "/")), ABDB_MARK_UNKNOWN,
            "TFLOP/s");
    entry->field[ABDB_FIELD_verified] = status && strcasecmp(status, "PASS") == 0   ? "pass"
                                        : status && strcasecmp(status, "FAIL") == 0 ? "fail"
                                                                                    : "unchecked";
    if (strcmp(entry->field[ABDB_FIELD_verified], "fail") == 0)
        abdb_entry_add_mark_and_problem(entry, "failed", "the checks of host %.40s failed",
                                        host ? host : "");
    abdb_flat_add_unread_values_as_factors(entry, r, NULL, &s->row_arena);
    if (entry->results == 3 || entry->doubt) {
        TRY(abdb_entry_check_and_deliver_row(entry, s->words, s->sink, err));
    } else {
        TRY(abdb_flat_reject_and_end_row(s->sink, r, "tflops (min/max/avg)",
                                         "not three numbers above zero", err));
    }
done:
    abdb_entry_reset(entry);
    return st;
}

static abdb_status import_row(void *self, const abdb_flat_record *r, abdb_error *err)
{
    state *s = self;
    const char *title = abdb_flat_text_or_null_mark_asked(r, "(title)"),
               *rates = abdb_flat_text_or_null_mark_asked(r, "tflops (min/max/avg)");
    table_kind kind;
    abdb_status st = ABDB_OK;

    if (rates && *rates) {
        st = import_sanity_of_host(s, r, rates, err);
    } else if (abdb_flat_text_or_null_mark_asked(r, "Hostname") &&
               abdb_flat_text_or_null_mark_asked(r, "Duration")) {
        const char *status = abdb_flat_text_or_null_mark_asked(r, "Status");

        st = import_verdict_of_node(s, r, status ? status : "", err);
    } else {
        if (title && parse_title(&kind, title) && r->raw &&
            (!*r->raw || !memchr(" |", r->raw[strlen(r->raw) - 1], 2))) {
            st = abdb_flat_reject_and_end_row(s->sink, r, "row", "its last bar is missing", err);
            abdb_arena_clear(&s->row_arena);
            return st;
        }
        if (title && parse_title(&kind, title))
            for (size_t i = 0; !st && i < r->items; i++)
                if (!column_is_of_place(r->item[i].name)) st = import_cell(s, r, &kind, i, err);
        if (!st) st = s->sink->row_end(s->sink->self, err);
    }
    abdb_arena_clear(&s->row_arena);
    return st;
}

static abdb_status import_report(const abdb_input *in, const abdb_overrides *overrides,
                                 const abdb_sink *sink, abdb_error *err)
{
    state s = {.in = in, .words = overrides, .sink = sink};
    const abdb_sink none = {NULL, NULL, NULL, abdb_sink_ignore_reject, abdb_sink_ignore_row_end};
    abdb_status st = ABDB_OK;

    s.entry = calloc(1, sizeof *s.entry);
    if (!s.entry) return ABDB_FAIL(err, ABDB_NOMEM, "an entry");
    TRY(lines_deliver_each_without_mark(in, note_begin_of_report, &s, err));
    TRY(markdown_deliver_table_rows_as_records(in, &none, note_device_of_host, &s, err));
    TRY(markdown_deliver_table_rows_as_records(in, sink, import_row, &s, err));
done:
    free(s.entry);
    free(s.places);
    abdb_arena_free(&s.arena);
    abdb_arena_free(&s.row_arena);
    return st;
}

const abdb_importer abdb_import_primus = {"primus-preflight",
                                          "AMD Primus preflight: products, collectives, verdicts",
                                          1,
                                          NULL,
                                          primus_bid,
                                          import_report};

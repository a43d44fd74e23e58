/* round_tiny.c - a result folder of a Tiny round: inferences per second on a small board.
 *
 * The runner measures five windows; the result is their median (MLPerf Tiny's rules). Its boards
 * describe themselves in other words than the rounds of datacenters do.
 */
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

#include "ingest/mlperf/round.h"
#include "schema/core/stats.h"

enum { WINDOWS_MAX = 64, REASON = 200 };

static const char *nonempty_system_value(const abdb_round_folder *f, const char *key)
{
    const char *text = abdb_mlperf_get_first_value(&f->system->values, key);

    return text && *text ? text : NULL;
}

/* Fills a row from the description of a board: one node with one device, the accelerator if there
 * is one, else the processor. */
static void fill_row_from_board_description(const abdb_round_folder *f, abdb_mlperf_row *row)
{
    abdb_round_fill_row_from_descriptions(f, row);
    row->suite = "tiny";
    row->system = nonempty_system_value(f, "Board Name");
    row->availability = nonempty_system_value(f, "Status");
    row->processor = nonempty_system_value(f, "Processor(s) Name");
    if (!row->processor) row->processor = nonempty_system_value(f, "SoC Name");
    row->accelerator = nonempty_system_value(f, "Accelerator");
    /* A board is one node with one device: its accelerator, else its processor. */
    row->processors_per_node = row->accelerator ? NULL : "1";
    row->accelerators_per_node = row->accelerator ? "1" : NULL;
    row->nodes = "1";
    row->software = nonempty_system_value(f, "Inference Framework");
    row->os = nonempty_system_value(f, "Operating System");
}

/* The windows of a log and their summary; NULL: there is none. */
static const char *median_throughput_text_and_summary(abdb_arena *arena,
                                                      const abdb_mlperf_values *log,
                                                      abdb_summary *summary, size_t *n)
{
    char *text = abdb_arena_alloc(arena, 32);
    double window[WINDOWS_MAX], value;

    *n = 0;
    for (size_t i = 0; i < log->pairs && *n < WINDOWS_MAX; i++)
        if (strcmp(log->pair[i].key, "throughput") == 0 &&
            abdb_double_parse(log->pair[i].text, ABDB_MARK_POINT, &value))
            window[(*n)++] = value;
    if (!text || abdb_sort_and_summarise(window, *n, summary, NULL) != ABDB_OK) return NULL;
    abdb_format_shortest_double(summary->median, text);
    return text;
}

abdb_status abdb_round_import_tiny(const abdb_round_folder *f, const abdb_overrides *overrides,
                                   const abdb_sink *sink, char *reason, abdb_error *err)
{
    const abdb_mlperf_values *log = abdb_round_values_of_file(f, "performance/results.txt"),
                             *accuracy = abdb_round_values_of_file(f, "accuracy/results.txt");
    const abdb_mlperf_context context = {.source = "mlperf-logs",
                                         .locator = "performance/results.txt"};
    abdb_entry *entry = calloc(1, sizeof *entry);
    abdb_arena arena = {0};
    abdb_summary summary = {0};
    double auc;
    const char *field = NULL;
    abdb_mlperf_row row;
    size_t n = 0;
    abdb_status st = ABDB_OK;

    if (!entry) return ABDB_FAIL(err, ABDB_NOMEM, "an entry");
    fill_row_from_board_description(f, &row);
    row.result = log ? median_throughput_text_and_summary(&arena, log, &summary, &n) : NULL;
    row.unit = "Samples/s";
    row.accuracy = abdb_mlperf_get_first_value(accuracy, "accuracy");
    if (!row.result) {
        snprintf(reason, REASON, "no throughput in performance/results.txt");
        goto done;
    }
    if (!abdb_mlperf_fill_entry_or_explain(entry, &arena, &context, &row, &field, reason))
        goto done;
    entry->field[ABDB_FIELD_kind] = "score";
    entry->result[0].statistic = "median";
    entry->result[0].n = (long long)n;
    entry->result[0].low = summary.min;
    entry->result[0].high = summary.max;
    entry->result[0].spread = "minmax";
    entry->result[0].formula = "mlperf-tiny-median@1";
    if (abdb_mlperf_get_first_value(accuracy, "auc") &&
        abdb_double_parse(abdb_mlperf_get_first_value(accuracy, "auc"), ABDB_MARK_POINT, &auc)) {
        abdb_result *result = abdb_entry_add_result_or_count_left_out(entry, "accuracy.auc", auc);

        if (result) result->raw_value = abdb_mlperf_get_first_value(accuracy, "auc");
    }
    abdb_mlperf_add_description_factors(entry, &f->system->values, &arena);
    abdb_entry_apply_overrides_and_check(entry, overrides);
    st = sink->entry(sink->self, entry, err);
done:
    abdb_arena_free(&arena);
    free(entry);
    return st;
}

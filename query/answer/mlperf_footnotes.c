/* mlperf_footnotes.c - footnotes of MLPerf results; see mlperf_footnotes.h. */
#include "query/answer/mlperf_footnotes.h"

#include <string.h>

enum { KEYS_SIZE_MAX = 1 << 20 };

static bool is_fact_key_column_name(const char *column)
{
    size_t size = strlen(column);

    return strncmp(column, "_facts", 6) == 0 || strcmp(column, "key") == 0 ||
           (size > 4 && strcmp(column + size - 4, "_key") == 0);
}

/* Keys of results in the cells; *has_keyless_mlperf_row: a row has evidence `mlperf` but no key. */
static void collect_result_keys_note_keyless_mlperf(const abdb_table *t, abdb_text *keys,
                                                    bool *has_keyless_mlperf_row)
{
    int evidence = abdb_table_column_index(t, "evidence");

    for (size_t r = 0; r < t->rows; r++) {
        size_t before = keys->size;

        for (size_t c = 0; c < t->columns && keys->size < KEYS_SIZE_MAX; c++) {
            const abdb_value *v = &t->value[r * t->columns + c];

            if (v->kind != ABDB_STRING || !is_fact_key_column_name(t->column[c].name)) continue;
            for (const char *s = v->text; *s; s += strcspn(s, " "), s += *s == ' ') {
                size_t size = strcspn(s, " ");

                /* Keys of results only: "r-", 32 digits and the place in the entry. */
                if (strncmp(s, "r-", 2) == 0 && size < 56)
                    abdb_text_printf(keys, "%s%.*s", keys->size ? " " : "", (int)size, s);
            }
        }
        if (evidence >= 0 && keys->size == before) {
            const abdb_value *v = &t->value[r * t->columns + (size_t)evidence];

            *has_keyless_mlperf_row |= v->kind == ABDB_STRING && strcmp(v->text, "mlperf") == 0;
        }
    }
}

/* The words that MLCommons prescribes, exactly. */
static const char legend[] =
    "The MLPerf name and logo are registered and unregistered trademarks of MLCommons Association "
    "in the United States and other countries. All rights reserved. Unauthorized use strictly "
    "prohibited. See www.mlcommons.org for more information.";

abdb_status abdb_add_mlperf_footnotes_as_table_notes(abdb_db *db, abdb_table *table,
                                                     bool from_mlperf, abdb_error *err)
{
    const char *value[ABDB_PARAM_COUNT] = {0};
    abdb_report report = {0};
    abdb_table notes = {0};
    abdb_text keys = {0};
    bool without = from_mlperf && table->rows > 0;
    abdb_status st = ABDB_OK;

    collect_result_keys_note_keyless_mlperf(table, &keys, &without);
    if (keys.size) {
        value[0] = abdb_text_get(&keys);
        TRY(abdb_report_load(&report, "mlperf-footnotes", err));
        TRY(abdb_run_readonly_sql(db, report.rows, &report, value, &notes, err));
        for (size_t i = 0; i < notes.rows; i++)
            if (notes.value[i].kind == ABDB_STRING) abdb_table_add_note(table, notes.value[i].text);
        /* The report has given each result's footnote and the legend. */
        if (notes.rows) goto done;
    }
    if (!without) goto done;
    abdb_table_add_note(table,
                        "Rows of MLPerf® results: select key too, and each has the "
                        "footnote that "
                        "MLCommons asks for (benchmark, entry, date and source of retrieval).");
    abdb_table_add_note(table, legend);
done:
    abdb_text_free(&keys);
    abdb_table_free(&notes);
    abdb_report_free(&report);
    return st;
}

abdb_status abdb_report_run_with_footnotes(abdb_db *db, const abdb_report *report,
                                           const char *const *value, abdb_table *table,
                                           abdb_error *err)
{
    abdb_status st = abdb_report_run_into_table(db, report, value, table, err);

    if (st == ABDB_OK && !report->counts_only)
        st = abdb_add_mlperf_footnotes_as_table_notes(db, table, false, err);
    if (st == ABDB_OK && report->legend && table->rows) abdb_table_add_note(table, legend);
    abdb_table_append_cut_note(table);
    return st;
}

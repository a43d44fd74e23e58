/* parameter_value.c - is a value one that a parameter of a report can have? See report.h. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "query/answer/price_quote.h"
#include "query/answer/report.h"
#include "query/answer/sql_rows.h"
#include "schema/core/date.h"

/* Has each quote its form? Which device it names is looked up where its price is used. */
static abdb_status refuse_malformed_price_quotes(const char *option, const char *value,
                                                 abdb_error *err)
{
    abdb_arena arena = {0};
    char *rest = abdb_arena_copy(&arena, value, strlen(value));
    abdb_quote quote = {.device = rest};
    abdb_status st = rest ? ABDB_OK : ABDB_FAIL(err, ABDB_NOMEM, "--%s", option);

    while (st == ABDB_OK && quote.device)
        st = abdb_parse_next_price_quote_per_device(&rest, option, &quote, err);
    abdb_arena_free(&arena);
    return st;
}

/* Of the names the shortest one whose family `word` is (llama2-70b: llama2-70b-99); NULL: none. A
 * model that only begins with the word is another one. */
static abdb_status find_shortest_model_of_family(abdb_db *db, const char *typed_family,
                                                 const char *const *names, size_t count,
                                                 const char **found_model, abdb_error *err)
{
    abdb_table models = {0};
    char folded[256];
    abdb_status st = ABDB_OK;

    *found_model = NULL;
    TRY(abdb_run_readonly_sql(
        db, "SELECT model, abdb_fold(family) FROM model ORDER BY length(model), model", NULL, NULL,
        &models, err));
    abdb_fold_name_drop_punctuation(typed_family, folded, sizeof folded);
    for (size_t i = 0; i < models.rows && !*found_model; i++)
        if (*folded && strcmp(abdb_cell_text_or_empty(&models, i, 1), folded) == 0)
            for (size_t n = 0; n < count && !*found_model; n++)
                if (strcmp(names[n], abdb_cell_text_or_empty(&models, i, 0)) == 0)
                    *found_model = names[n];
done:
    abdb_table_free(&models);
    return st;
}

/* Adds a note below the table that a typed value was replaced by another one. */
static void add_table_note_value_replaced(const abdb_report *report, size_t p, const char *typed,
                                          const char *replacement, abdb_table *table)
{
    abdb_table_add_note_format(table, "! --%s %s: nothing here is called so, taken for %s",
                               report->option[p].name, typed, replacement);
}

/* Is the number in the range "LOW..HIGH" of the parameter? */
static abdb_status fail_unless_number_in_range(const char *option, const char *range,
                                               const char *value, double number, abdb_error *err)
{
    bool above = *range == '>';
    const char *dots = strstr(range, "..");
    char low[32] = "", most[40] = "";
    double least, highest;

    if (dots) snprintf(low, sizeof low, "%.*s", (int)(dots - range) - above, range + above);
    if (!abdb_double_parse(low, ABDB_MARK_UNKNOWN, &least))
        return ABDB_FAIL(err, ABDB_FORMAT, "--%s: '%s' is no range", option, range);
    if (!abdb_double_parse(dots + 2, ABDB_MARK_UNKNOWN, &highest)) highest = INFINITY;
    if ((above ? number > least : number >= least) && number <= highest) return ABDB_OK;
    if (isfinite(highest)) snprintf(most, sizeof most, " and at most %s", dots + 2);
    return ABDB_FAIL(err, ABDB_USAGE, "--%s wants a number %s %s%s, not '%s'", option,
                     above ? "above" : "of at least", low, most, value);
}

/* The only name that begins with a word, in any case; or NULL, with all such names in
 * candidates. */
static const char *find_only_name_completing_word(const char *word, const char *const *names,
                                                  size_t count, abdb_text *candidates)
{
    const char *only = NULL;
    size_t found = 0;

    for (size_t i = 0; i < count; i++)
        if (strncasecmp(names[i], word, strlen(word)) == 0 &&
            strchr("- ", names[i][strlen(word)]) && names[i][strlen(word)]) {
            only = names[i];
            if (found++ < 8)
                abdb_text_printf(candidates, "%s%s", candidates->size ? ", " : "", names[i]);
        }
    if (found > 8) abdb_text_puts(candidates, ", ...");
    return found == 1 ? only : NULL;
}

/* A value that is none of the names: which is meant, in words. */
static abdb_status fail_unknown_value_suggesting_names(const abdb_report *report, size_t p,
                                                       const char *value, const char *const *names,
                                                       size_t count, const char *completions,
                                                       abdb_error *err)
{
    const char *near = *completions ? NULL : abdb_nearest_name(value, names, count);
    bool pattern = *completions && strcmp(report->param[p].type, "pattern") == 0;

    if (*completions)
        return ABDB_FAIL(err, ABDB_USAGE, "--%s: '%s' may be %s%s%s%s", report->option[p].name,
                         value, completions, pattern ? "; all of them: " : "", pattern ? value : "",
                         pattern ? "*" : "");
    if (!near && count && count <= 8) {
        abdb_text list = {0};
        abdb_status st;

        for (size_t i = 0; i < count; i++) abdb_text_printf(&list, "%s%s", i ? ", " : "", names[i]);
        st = ABDB_FAIL(err, ABDB_USAGE, "--%s: nothing here is called '%s'; there are %s",
                       report->option[p].name, value, abdb_text_get(&list));
        abdb_text_free(&list);
        return st;
    }
    return ABDB_FAIL(err, ABDB_USAGE,
                     "--%s: nothing here is called '%s'%s%s%s; `abdb query %s --help`"
                     " lists what is",
                     report->option[p].name, value, near ? ", did you mean '" : "",
                     near ? near : "", near ? "'?" : "", report->name);
}

/* A pattern ("h1*") that meets one of the names, its beginning spelled as there; NULL: none. */
static const char *respell_pattern_head_as_first_matching_name(const char *pattern,
                                                               const char *const *names,
                                                               size_t count, abdb_arena *arena)
{
    size_t plain = strcspn(pattern, "*?");

    for (size_t i = 0; i < count && pattern[plain]; i++)
        if (abdb_glob_matches_ignoring_case(pattern, names[i]))
            return abdb_arena_printf(arena, "%.*s%s", (int)plain, names[i], pattern + plain);
    return NULL;
}

/* A value of a type that needs no list of values. *number is that of a number or of days; of days
 * *bound loses its d. */
static abdb_status parse_number_date_or_days(const abdb_report_param *param, const char *option,
                                             const char **bound, double *number, abdb_arena *arena,
                                             abdb_error *err)
{
    const char *value = *bound;

    if (strcmp(param->type, "number") == 0 && !abdb_double_parse(value, ABDB_MARK_UNKNOWN, number))
        return ABDB_FAIL(err, ABDB_USAGE, "--%s wants a number, not '%s'", option, value);
    if (strcmp(param->type, "date") == 0 && !abdb_date_is_single_day(value))
        return ABDB_FAIL(err, ABDB_USAGE, "--%s wants a date as 2026-01-31, not '%s'", option,
                         value);
    if (strcmp(param->type, "days") != 0) return ABDB_OK;
    if (!abdb_days_parse_nonnegative(value, number))
        return ABDB_FAIL(err, ABDB_USAGE, "--%s wants days, such as 90d, not '%s'", option, value);
    *bound = abdb_arena_copy(arena, value, strcspn(value, "d"));
    return *bound ? ABDB_OK : ABDB_FAIL(err, ABDB_NOMEM, "--%s", option);
}

abdb_status abdb_report_validate_and_resolve_value(abdb_db *db, const abdb_report *report, size_t p,
                                                   const char **value_in_out, abdb_table *table,
                                                   abdb_error *err)
{
    const char *value = *value_in_out, *meant;
    const abdb_report_param *param = &report->param[p];
    abdb_table list = {0};
    const char **names = NULL, *option = report->option[p].name;
    abdb_text longer = {0};
    size_t with_rows = 0;
    double number = 0;
    abdb_status st = ABDB_OK;

    TRY(parse_number_date_or_days(param, option, value_in_out, &number, &table->arena, err));
    value = *value_in_out;
    if (param->range) TRY(fail_unless_number_in_range(option, param->range, value, number, err));
    if (!param->values) return ABDB_OK;
    TRY(abdb_run_readonly_sql(db, param->values, NULL, NULL, &list, err));
    names = calloc(list.rows + 1, sizeof *names);
    if (!names) TRY(ABDB_FAIL(err, ABDB_NOMEM, "values of --%s", param->name));
    for (size_t i = 0; i < list.rows; i++) {
        const abdb_value *v = &list.value[i * list.columns];

        names[i] = v->kind == ABDB_STRING ? v->text : "";
    }
    if (strcmp(param->type, "price") == 0) {
        st = refuse_malformed_price_quotes(option, value, err);
        goto done;
    }
    meant =
        strcmp(param->type, "pattern") == 0
            ? respell_pattern_head_as_first_matching_name(value, names, list.rows, &table->arena)
            : NULL;
    if (meant) {
        *value_in_out = meant;
        goto done;
    }
    while (with_rows < list.rows &&
           (list.columns < 2 || abdb_cell_number_or_nan(&list, with_rows, 1)))
        with_rows++;
    meant = abdb_only_name_of_loose_spelling(value, names, with_rows);
    if (!meant) {
        TRY(find_shortest_model_of_family(db, value, names, with_rows, &meant, err));
        if (meant) add_table_note_value_replaced(report, p, value, meant, table);
    }
    if (!meant) meant = abdb_only_name_of_loose_spelling(value, names, list.rows);
    if (!meant && (meant = find_only_name_completing_word(value, names, list.rows, &longer)))
        add_table_note_value_replaced(report, p, value, meant, table);
    if (meant) {
        *value_in_out = abdb_arena_copy(&table->arena, meant, strlen(meant));
        if (!*value_in_out) st = ABDB_FAIL(err, ABDB_NOMEM, "values of --%s", param->name);
        goto done;
    }
    st = fail_unknown_value_suggesting_names(report, p, value, names, list.rows,
                                             abdb_text_get(&longer), err);
done:
    free(names);
    abdb_text_free(&longer);
    abdb_table_free(&list);
    return st;
}

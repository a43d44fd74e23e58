/* import_abdb_csv.c - abdb's own CSV files: sources, devices, models, aliases, specifications,
 * prices, results, claims, withdrawals, the rules of comparability and the rounds of MLPerf. The
 * header says which: each kind has columns that it must have, may have others, and nothing else. A
 * value is written with its unit as published; it is stored in the base unit with the published
 * text beside it.
 *
 * A results file may have every column of field.def, `metric value unit` and more of a result,
 * `factor.NAME` for anything else that makes two results differ, and `also.METRIC` or
 * `also.METRIC:STATISTIC` for another metric of the same run: "41 ms", or "0.041" in the base unit.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/importer.h"
#include "ingest/read/csv.h"
#include "ingest/tables/csv_kinds.h"
#include "ingest/tables/results_csv_row.h"

enum { HEADER_SIZE = 1 << 16 };

typedef struct {
    const abdb_input *in;
    const abdb_overrides *words;
    const abdb_sink *sink;
    abdb_csv_header header;
    const abdb_csv_kind *kind; /* NULL: results */
    abdb_results *result_rows;
} state;

/* The next word of a list with '|' between them; false at its end. */
static bool copy_next_listed_name(const char **list, char out[64])
{
    size_t size = strcspn(*list, "|");

    snprintf(out, 64, "%.*s", (int)size, *list);
    *list += size + ((*list)[size] == '|');
    return size > 0;
}

/* The kind of table whose signature the header has; NULL: none, or a file of results. */
static const abdb_csv_kind *find_csv_kind_by_signature(const abdb_csv_header *header)
{
    for (const abdb_csv_kind *kind = abdb_csv_kinds; kind->kind; kind++) {
        const char *names = kind->signature;
        bool all = true;
        char name[64];

        while (all && copy_next_listed_name(&names, name))
            all = abdb_csv_find_column_of_any_name(header, name) >= 0;
        /* A column "metric" makes it a results file, whatever else it has. */
        if (all && abdb_csv_find_column_of_any_name(header, "metric") < 0) return kind;
    }
    return NULL;
}

static bool is_results_csv_header(const abdb_csv_header *h)
{
    return abdb_csv_find_column_of_any_name(h, "metric") >= 0 &&
           abdb_csv_find_column_of_any_name(h, "value") >= 0 &&
           abdb_csv_find_column_of_any_name(h, "unit") >= 0 &&
           abdb_csv_find_column_of_any_name(h, "evidence") >= 0;
}

/* 60 where the first line is the header of one of abdb's own tables, else 0. */
static int own_csv_bid(const abdb_input *in)
{
    abdb_csv_header header = {0};
    const char *end = memchr(in->text, '\n', in->text_size);
    size_t size = end ? (size_t)(end - in->text) : in->text_size;
    int out;

    if (size == 0 || size > HEADER_SIZE || memchr(in->text, 0, size)) return 0;
    abdb_csv_header_read_first_row(&header, in->text, size, ',');
    out =
        header.count > 1 && (find_csv_kind_by_signature(&header) || is_results_csv_header(&header))
            ? 60
            : 0;
    abdb_csv_header_free(&header);
    return out;
}

/* Does the name of column i stand further left already? */
static bool column_name_is_repeated(const abdb_csv_header *header, size_t i)
{
    size_t k = 0;

    while (k < i && strcmp(header->name[k], header->name[i]) != 0) k++;
    return k < i;
}

/* kind NULL: results. */
static bool is_column_of_kind(const abdb_csv_kind *kind, const char *name)
{
    size_t size = strlen(name);

    if (kind)
        return abdb_list_has_word(kind->required, '|', name, size) ||
               abdb_list_has_word(kind->optional, '|', name, size);
    return abdb_list_has_word(abdb_results_columns, '|', name, size) ||
           abdb_field_index_by_name(name) >= 0 || strncmp(name, "factor.", 7) == 0 ||
           strncmp(name, "also.", 5) == 0;
}

/* Every column must be one that the kind has, and stand once: a misspelt one, or the second of two,
 * would lose data silently. */
static abdb_status refuse_unknown_or_repeated_columns(state *s, abdb_error *err)
{
    for (size_t i = 0; i < s->header.count; i++) {
        const char *name = s->header.name[i];
        const char *near[ABDB_FIELD_COUNT + 16], *best;
        char list[512], *word, *rest = NULL;
        size_t count = 0;

        if (column_name_is_repeated(&s->header, i))
            return ABDB_FAIL(err, ABDB_FORMAT, "line %ld: column '%.60s' stands there twice",
                             s->header.line, name);
        if (is_column_of_kind(s->kind, name)) continue;
        snprintf(list, sizeof list, "%s|%s", s->kind ? s->kind->required : abdb_results_columns,
                 s->kind ? s->kind->optional : "");
        for (word = strtok_r(list, "|", &rest); word && count < 16;
             word = strtok_r(NULL, "|", &rest))
            near[count++] = word;
        for (int f = 0; !s->kind && f < ABDB_FIELD_COUNT; f++) near[count++] = abdb_fields[f].name;
        best = abdb_nearest_name(name, near, count);
        return ABDB_FAIL(err, ABDB_FORMAT, "line %ld: a %s file has no column '%s'%s%s%s",
                         s->header.line, s->kind ? s->kind->kind : "results", name,
                         best ? "; did you mean '" : "", best ? best : "", best ? "'?" : "");
    }
    return ABDB_OK;
}

/* A cell, or what the user said for all rows; NULL: neither. */
static const char *csv_cell_or_override(const state *s, const abdb_csv_row *row, const char *name)
{
    const char *cell =
        abdb_csv_cell_or_null(row, abdb_csv_find_column_of_any_name(&s->header, name));

    return cell && *cell ? cell : abdb_overrides_get_value_or_null(s->words, name);
}

/* No table has ABDB_FACT_MAX columns; a user who repeats --set can still ask for more. */
static void append_text_column_to_fact(abdb_fact *fact, const char *name, const char *text)
{
    if (fact->columns == ABDB_FACT_MAX) return;
    fact->column[fact->columns].name = name;
    fact->column[fact->columns++].text = text;
}

static void append_number_column_to_fact(abdb_fact *fact, const char *name, double value)
{
    if (fact->columns == ABDB_FACT_MAX) return;
    fact->column[fact->columns].name = name;
    fact->column[fact->columns++].num = value;
}

static abdb_decimal_mark column_decimal_mark(const state *s, const char *name)
{
    return abdb_csv_decimal_mark_of_column(&s->header,
                                           abdb_csv_find_column_of_any_name(&s->header, name));
}

/* One column that goes into the table as it is; false when it is no number or date and should be.
 */
static bool validate_and_append_column(const state *s, abdb_fact *fact, const char *name,
                                       const char *text, const char **field, char *reason,
                                       size_t room)
{
    char date[ABDB_DATE_SIZE];
    double number;

    /* These are taken apart by convert_and_append_value_of_kind, import_claim_terms and
     * append_replacement_to_withdrawal_reason. */
    if (!text ||
        abdb_list_has_word("value|unit|amount|fact|terms|instead", '|', name, strlen(name)))
        return true;
    if (abdb_is_date_column_name(name) && !abdb_date_parse_any_spelling_to_iso(text, date)) {
        *field = name;
        abdb_date_error_text(name, text, reason, room);
        return false;
    }
    if (!abdb_list_has_word(s->kind->numbers, '|', name, strlen(name))) {
        append_text_column_to_fact(fact, name, text);
    } else if (abdb_fact_parse_number(name, text, column_decimal_mark(s, name), &number, reason,
                                      room)) {
        append_number_column_to_fact(fact, name, number);
    } else {
        *field = name;
        return false;
    }
    return true;
}

/* The columns of the row, and those that --set says; false when one is empty, no number
 * or no date. */
static bool validate_and_append_row_or_override_columns(const state *s, const abdb_csv_row *row,
                                                        abdb_fact *fact, const char **field,
                                                        char *reason, size_t room)
{
    const char *names = s->kind->required;
    char name[64];

    while (copy_next_listed_name(&names, name)) {
        if (csv_cell_or_override(s, row, name)) continue;
        *field = abdb_csv_find_column_of_any_name(&s->header, name) >= 0
                     ? s->header.name[abdb_csv_find_column_of_any_name(&s->header, name)]
                     : "row";
        snprintf(reason, room, "%s is empty", name);
        return false;
    }
    for (size_t i = 0; i < s->header.count; i++)
        if (!validate_and_append_column(s, fact, s->header.name[i],
                                        csv_cell_or_override(s, row, s->header.name[i]), field,
                                        reason, room))
            return false;
    for (size_t i = 0; s->words && i < s->words->count; i++) {
        const char *word = s->words->word[i].name;

        if ((abdb_list_has_word(s->kind->required, '|', word, strlen(word)) ||
             abdb_list_has_word(s->kind->optional, '|', word, strlen(word))) &&
            abdb_csv_find_column_of_any_name(&s->header, word) < 0 &&
            !validate_and_append_column(s, fact, word, s->words->word[i].value, field, reason,
                                        room))
            return false;
    }
    return true;
}

/* The number of a claim: one, or a range, "2-3". */
static bool append_claim_value_or_range(const char *text, abdb_decimal_mark mark, abdb_fact *fact,
                                        const char **field, char *reason, size_t room)
{
    const char *dash = strchr(text, '-');
    char first[32];
    double from, to;

    if (abdb_double_parse(text, mark, &from)) {
        append_number_column_to_fact(fact, "stated", from);
    } else {
        snprintf(first, sizeof first, "%.*s", dash ? (int)(dash - text) : 0, text);
        if (!dash || !abdb_double_parse(first, mark, &from) ||
            !abdb_double_parse(dash + 1, mark, &to)) {
            *field = "value";
            if (abdb_number_fails_but_parses_with_other_mark(text, mark))
                abdb_number_write_why_not_a_number("value", text, mark, reason, room);
            else
                snprintf(reason, room, "value is '%.60s', neither a number nor a range as 2-3",
                         text);
            return false;
        }
        append_number_column_to_fact(fact, "stated", from);
        append_number_column_to_fact(fact, "upper", to);
    }
    append_text_column_to_fact(fact, "raw_value", text);
    return true;
}

/* The value of a specification, price or claim, with the text as published. */
static bool convert_and_append_value_of_kind(const state *s, const abdb_csv_row *row,
                                             abdb_fact *fact, const char **field, char *reason,
                                             size_t room)
{
    const char *table = s->kind->table, *base;
    const char *text =
        csv_cell_or_override(s, row, strcmp(table, "price") == 0 ? "amount" : "value");
    double value;

    if (strcmp(table, "spec") == 0) {
        if (!abdb_parse_value_in_base_unit_or_explain(text, column_decimal_mark(s, "value"),
                                                      csv_cell_or_override(s, row, "unit"), &value,
                                                      &base, field, reason, room))
            return false;
        append_number_column_to_fact(fact, "value", value);
        append_text_column_to_fact(fact, "unit", base);
        append_text_column_to_fact(fact, "raw_value", text);
        append_text_column_to_fact(fact, "raw_unit", csv_cell_or_override(s, row, "unit"));
    } else if (strcmp(table, "claim") == 0) {
        return append_claim_value_or_range(text, column_decimal_mark(s, "value"), fact, field,
                                           reason, room);
    } else if (strcmp(table, "price") == 0) {
        *field = "amount";
        if (!abdb_fact_parse_number("amount", text, column_decimal_mark(s, "amount"), &value,
                                    reason, room))
            return false;
        if (value < 0) {
            snprintf(reason, room, "amount is '%.60s', below zero", text);
            return false;
        }
        *field = NULL;
        append_number_column_to_fact(fact, "amount", value);
        append_text_column_to_fact(fact, "raw_value", text);
    }
    return true;
}

/* The reason of a withdrawal names the fact that replaces what is withdrawn; it stays in out. */
static bool append_replacement_to_withdrawal_reason(const state *s, const abdb_csv_row *row,
                                                    abdb_fact *fact, abdb_text *out)
{
    const char *instead = csv_cell_or_override(s, row, "instead");

    if (!instead || strcmp(s->kind->table, "withdrawal") != 0) return true;
    abdb_text_printf(out, "%s (instead: %s)", csv_cell_or_override(s, row, "reason"), instead);
    for (size_t i = 0; i < fact->columns; i++)
        if (strcmp(fact->column[i].name, "reason") == 0) fact->column[i].text = abdb_text_get(out);
    return !out->failed;
}

/* One term of a claim: "price.b^-1". */
static abdb_status import_or_reject_claim_term(const state *s, const abdb_csv_row *row, char *word,
                                               int number, int part, abdb_error *err)
{
    abdb_fact term = {.table = "claim_term", .line = row->line};
    char *caret = strchr(word, '^');
    double power = 1;

    if (caret) *caret = '\0';
    if (caret && !abdb_double_parse(caret + 1, ABDB_MARK_UNKNOWN, &power))
        return abdb_csv_reject_row(s->sink, row, "terms", "an exponent is no number", err);
    append_text_column_to_fact(&term, "claim", csv_cell_or_override(s, row, "claim"));
    append_number_column_to_fact(&term, "term", number);
    append_number_column_to_fact(&term, "part", part);
    append_number_column_to_fact(&term, "power", power);
    append_text_column_to_fact(&term, "fact", word);
    return s->sink->fact(s->sink->self, &term, err);
}

/* The terms of a claim, a row each: "rate.a price.b^-1" is one part, "a | b / c | d" are two above
 * and two below the line. */
static abdb_status import_claim_terms(const state *s, const abdb_csv_row *row, abdb_error *err)
{
    const char *terms = csv_cell_or_override(s, row, "terms");
    char *copy = strdup(terms ? terms : ""), *rest = NULL, *word;
    int number = 1, part = 1;
    abdb_status st = ABDB_OK;

    if (!copy) return ABDB_FAIL(err, ABDB_NOMEM, "terms");
    for (word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        if (strcmp(word, "|") == 0)
            /* Parts above the line are counted 1, 2, ..., those below it -1, -2, ... */
            part += part > 0 ? 1 : -1;
        else if (strcmp(word, "/") == 0)
            part = -1;
        else
            TRY(import_or_reject_claim_term(s, row, word, number++, part, err));
    }
done:
    free(copy);
    return st;
}

/* One row of a dictionary or of published facts. */
static abdb_status import_fact_row_or_explain(state *s, const abdb_csv_row *row, const char **field,
                                              char *reason, size_t room, abdb_error *err)
{
    abdb_fact fact = {
        .table = s->kind->table, .line = row->line, .fact = csv_cell_or_override(s, row, "fact")};
    const char *text;
    char locator[32];
    abdb_text why = {0};
    abdb_status st = ABDB_OK;

    snprintf(locator, sizeof locator, "line %ld", row->line);
    fact.locator = locator;
    if (!validate_and_append_row_or_override_columns(s, row, &fact, field, reason, room))
        return ABDB_OK;
    if (!convert_and_append_value_of_kind(s, row, &fact, field, reason, room)) return ABDB_OK;
    (void)abdb_fact_normalize_dates_find_bad(&fact, &text); /* each was looked at */
    if (!append_replacement_to_withdrawal_reason(s, row, &fact, &why))
        TRY(ABDB_FAIL(err, ABDB_NOMEM, "a withdrawal"));
    TRY(s->sink->fact(s->sink->self, &fact, err));
    if (strcmp(s->kind->table, "claim") == 0) TRY(import_claim_terms(s, row, err));
done:
    abdb_text_free(&why);
    return st;
}

/* Is the row the header of a file of abdb's own: does it hold columns of one kind only? */
static bool is_header_of_abdb_csv(const void *self, const abdb_csv_row *row)
{
    const abdb_csv_header header = {.count = row->count, .name = row->field};
    const abdb_csv_kind *kind = find_csv_kind_by_signature(&header);

    (void)self;
    if (header.count < 2 || (!kind && !is_results_csv_header(&header))) return false;
    for (size_t i = 0; i < row->count; i++)
        if (row->field[i][0] && !is_column_of_kind(kind, row->field[i])) return false;
    return true;
}

static abdb_status store_header_or_import_or_reject_row(void *self, const abdb_csv_row *row,
                                                        abdb_error *err)
{
    state *s = self;
    const char *field = NULL;
    char reason[256] = "";
    abdb_status st = ABDB_OK;

    if (!s->header.count || abdb_csv_row_is_another_header(&s->header, row)) {
        abdb_results_close(s->result_rows);
        s->result_rows = NULL;
        s->header.is_another = is_header_of_abdb_csv;
        TRY(abdb_csv_header_replace_by_row(&s->header, row, err));
        s->kind = find_csv_kind_by_signature(&s->header);
        if (!s->kind && !is_results_csv_header(&s->header))
            return ABDB_FAIL(
                err, ABDB_FORMAT,
                "line %ld: not a header of abdb's own files (sources, devices, models,"
                " aliases, specs, prices, results, claims, withdrawals, rules, rounds)",
                row->line);
        TRY(refuse_unknown_or_repeated_columns(s, err));
        TRY(abdb_csv_store_decimal_marks_of_columns(&s->header, s->in, ',', err));
        return s->kind ? ABDB_OK
                       : abdb_results_open_for_header(&s->result_rows, &s->header, s->words,
                                                      s->sink, err);
    }
    if (!abdb_csv_row_fits_header_width_or_explain(&s->header, row, s->in, ',', reason,
                                                   sizeof reason)) {
        field = "row";
    } else if (s->kind) {
        TRY(import_fact_row_or_explain(s, row, &field, reason, sizeof reason, err));
    } else {
        TRY(abdb_results_import_row_or_explain(s->result_rows, row, &field, reason, sizeof reason,
                                               err));
    }
    if (field) TRY(abdb_csv_reject_row(s->sink, row, field, reason, err));
    TRY(s->sink->row_end(s->sink->self, err));
done:
    return st;
}

static abdb_status import_abdb_csv_tables(const abdb_input *in, const abdb_overrides *overrides,
                                          const abdb_sink *sink, abdb_error *err)
{
    state s = {.in = in, .words = overrides, .sink = sink};
    abdb_status st = abdb_csv_parse_input_rows_to_handler(
        in, ',', store_header_or_import_or_reject_row, &s, err);

    abdb_results_close(s.result_rows);
    abdb_csv_header_free(&s.header);
    return st;
}

const abdb_importer abdb_import_abdb_csv = {
    "abdb-csv",
    "abdb's own: sources, devices, models, aliases, specs, prices, results, claims, rules, rounds",
    2,
    NULL,
    own_csv_bid,
    import_abdb_csv_tables};

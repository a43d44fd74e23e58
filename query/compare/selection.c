/* selection.c - picking rows; see selection.h. */
#include "query/compare/condition_value.h"

#include <string.h>

#include "schema/functions/sqlite.h"

/* Spellings of operators. Longer ones first, so that "<=" is not read as
 * "<". */
static const struct {
    const char *written, *op;
} operators[] = {{"\u2264", "<="}, {"\u2265", ">="}, {"\u2260", "!="}, {"!=", "!="}, {"<=", "<="},
                 {">=", ">="},     {"=", "="},       {"<", "<"},       {">", ">"},   {"~", "~"}};

/* Where the first operator or comma of text stands, or its end. */
static const char *find_operator_or_comma(const char *text)
{
    const char *end = text + strcspn(text, "=!<>~,");

    for (size_t i = 0; i < 3; i++) {
        const char *at = strstr(text, operators[i].written);

        if (at && at < end) end = at;
    }
    return end;
}

/* The place of a round in time, as the views count it: 10001 of v10.1. */
static bool parse_round_into_sortable_number(const char *text, double *order)
{
    const char *s = text + (*text == 'v' || *text == 'V');
    int part[2] = {0, 0};

    for (int i = 0; i < 2; i++) {
        const char *begin = s;

        for (; *s >= '0' && *s <= '9' && s - begin < 4; s++) part[i] = 10 * part[i] + (*s - '0');
        if (s == begin) return false;
        if (*s != '.') break;
        s++;
    }
    *order = 1000.0 * part[0] + part[1];
    return !*s;
}

/* Behind the text in quotes at s: where the quote closes. A doubled one is one of the text. */
static const char *find_closing_quote(const char *s)
{
    const char *end = strchr(s + 1, *s);

    while (end && end[1] == *s) end = strchr(end + 2, *s);
    return end;
}

/* The text between two quotes; from arena. */
static const char *copy_undoubling_quotes(abdb_arena *arena, const char *s, const char *end)
{
    char *copy = abdb_arena_copy(arena, s + 1, (size_t)(end - s - 1)), *to = copy;

    for (const char *from = s + 1; copy && from < end; from += 1 + (*from == *s)) *to++ = *from;
    if (copy) *to = '\0';
    return copy;
}

/* The value at *s, quoted or up to the next comma; *s moves behind it. */
static abdb_status parse_condition_value(abdb_selection *out, const char **s, const char **value,
                                         abdb_error *err)
{
    const char *end;

    *s += strspn(*s, " ");
    if (**s == '\'' || **s == '"') {
        end = find_closing_quote(*s);
        if (!end) return ABDB_FAIL(err, ABDB_USAGE, "a quote is open in '%s'", *s);
        *value = copy_undoubling_quotes(&out->arena, *s, end);
        end++;
        end += strspn(end, " ");
        if (*end && *end != ',')
            return ABDB_FAIL(err, ABDB_USAGE, "a comma is missing before '%s'", end);
    } else {
        end = *s + strcspn(*s, ",");
        *value = abdb_arena_copy(&out->arena, *s, (size_t)(end - *s));
    }
    *s = end;
    return *value ? ABDB_OK : ABDB_FAIL(err, ABDB_NOMEM, "a selection");
}

/* One condition at *text, which moves behind it and its comma. */
static abdb_status parse_and_append_condition(abdb_selection *out, const char **text,
                                              abdb_error *err)
{
    abdb_condition *c = &out->condition[out->count];
    const char *s = *text + strspn(*text, " "), *end = find_operator_or_comma(s);
    bool quoted = *s == '\'' || *s == '"';
    size_t size = (size_t)(end - s), written = 0;
    abdb_status st = ABDB_OK;

    if (out->count == ABDB_CONDITION_MAX)
        return ABDB_FAIL(err, ABDB_LIMIT, "more than %d conditions", ABDB_CONDITION_MAX);
    while (size && s[size - 1] == ' ') size--;
    *c = (abdb_condition){0};
    for (size_t i = 0; !quoted && i < sizeof operators / sizeof operators[0] && !c->op; i++) {
        written = strlen(operators[i].written);
        if (strncmp(end, operators[i].written, written) == 0) c->op = operators[i].op;
    }
    if (!size || (!c->op && !out->words))
        return ABDB_FAIL(err, ABDB_USAGE,
                         "'%s' is no selection: column OP value, joined by commas, OP one of"
                         " = != < <= > >= ~",
                         *text);
    if (c->op) {
        c->column = abdb_arena_copy(&out->arena, s, size);
        if (!c->column) return ABDB_FAIL(err, ABDB_NOMEM, "a selection");
        s = end + written;
    }
    TRY(parse_condition_value(out, &s, &c->value, err));
    *text = s + (*s == ',');
    out->count++;
done:
    return st;
}

abdb_status abdb_selection_parse_and_append(abdb_selection *out, const char *text, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    do TRY(parse_and_append_condition(out, &text, err));
    while (*text);
done:
    return st;
}

void abdb_append_quoted_equal_condition(abdb_text *out, const char *column, const char *value)
{
    abdb_text_printf(out, "%s%s='", out->size ? "," : "", column);
    for (; *value; value++) abdb_text_printf(out, "%s%c", *value == '\'' ? "'" : "", *value);
    abdb_text_puts(out, "'");
}

/* Does a value meet the condition, as rounds, numbers or text? NULL meets only "!=". */
static bool value_meets_condition(const abdb_condition *c, const abdb_value *v)
{
    char number[32];
    const char *text = abdb_value_text(v, number);
    double a = 0, b;
    int order;

    if (v->kind == ABDB_NULL) return strcmp(c->op, "!=") == 0;
    if (strcmp(c->op, "~") == 0) return sqlite3_strglob(c->value, text) == 0;
    if (v->kind == ABDB_STRING && abdb_condition_is_round_bound_parse_order(c, &b) &&
        parse_round_into_sortable_number(text, &a)) {
        order = (a > b) - (a < b);
    } else if (v->kind != ABDB_STRING && abdb_condition_value_to_number(c->value, NULL, &b)) {
        a = v->kind == ABDB_INTEGER ? (double)v->integer : v->real;
        order = (a > b) - (a < b);
    } else
        order = strcmp(text, c->value);
    switch (c->op[0]) {
    case '=': return order == 0;
    case '!': return order != 0;
    case '<': return order < 0 || (c->op[1] && order == 0);
    default: return order > 0 || (c->op[1] && order == 0);
    }
}

abdb_status abdb_row_meets_selection(const abdb_selection *selection, const abdb_table *table,
                                     size_t row, bool *out, abdb_error *err)
{
    double number;

    *out = true;
    for (size_t i = 0; i < selection->count; i++) {
        const abdb_condition *c = &selection->condition[i];
        size_t at;
        abdb_status st = abdb_table_require_column_by_name_or_heading(table, c->column, &at, err);

        if (st != ABDB_OK) return st;
        if (table->value[row * table->columns + at].kind > ABDB_NULL &&
            table->value[row * table->columns + at].kind != ABDB_STRING &&
            abdb_condition_has_ordering_operator(c))
            st = abdb_condition_require_number(c, NULL, &number, err);
        if (st != ABDB_OK) return st;
        *out &= value_meets_condition(c, &table->value[row * table->columns + at]);
    }
    return ABDB_OK;
}

void abdb_selection_free(abdb_selection *selection)
{
    abdb_arena_free(&selection->arena);
    *selection = (abdb_selection){0};
}

const char *abdb_condition_sql_operator(const abdb_condition *c)
{
    return strcmp(c->op, "~") == 0 ? "GLOB" : strcmp(c->op, "!=") == 0 ? "IS NOT" : c->op;
}

bool abdb_is_listed_numeric_column(const char *column)
{
    static const char numbers[] =
        " result_id round_order devices nodes rank x value n samples low high point_id process_id"
        " entry_id entry_key ordinal subject preferred sources disagree adds total each"
        " power_limit ";

    return abdb_list_has_word(numbers, ' ', column, strlen(column));
}

bool abdb_condition_is_round_bound_parse_order(const abdb_condition *c, double *order)
{
    return strcmp(c->column, "round") == 0 && strchr("<>", c->op[0]) &&
           parse_round_into_sortable_number(c->value, order);
}

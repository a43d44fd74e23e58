/* report.c - reading and running reports: the header becomes title, parameters, columns and notes,
 * the rest statements that readonly_sql.c runs read-only; their rows get labels and styles from the
 * header. See report.h. */
#include "query/answer/report.h"

#include <stdlib.h>
#include <string.h>

#include "query/answer/sql_marks.h"
#include "query/answer/search_path.h"

extern const abdb_embedded abdb_reports[];

/* The next field of a header line, trimmed. Fields are separated by a '|' with a blank on each
 * side, so that "||" in SQL is no separator; an empty field is " | |". */
static char *split_off_pipe_separated_field(char **rest)
{
    char *field = *rest, *bar;

    if (!field) return NULL;
    bar = field;
    while ((bar = strchr(bar, '|')) &&
           !((bar == field || bar[-1] == ' ') && (bar[1] == ' ' || !bar[1])))
        bar += strspn(bar, "|");
    if (bar) *bar = '\0';
    *rest = bar ? bar + 1 : NULL;
    return abdb_trim_in_place(field);
}

static const char *null_if_empty(const char *text)
{
    return text && *text ? text : NULL;
}

/* A parameter is an option with '-' for '_': SQL has :system_type, people type --system-type. */
static const char *param_name_to_dashed_option_name(abdb_report *r, const char *name)
{
    char *copy = abdb_arena_copy(&r->arena, name, strlen(name));

    for (char *s = copy; s && *s; s++)
        if (*s == '_') *s = '-';
    return copy ? copy : name;
}

/* Reads a line `-- param:` of a report's head. */
static abdb_status parse_and_append_param_line(abdb_report *r, char *line, abdb_error *err)
{
    abdb_report_param *p = &r->param[r->params];
    char *rest = line;

    if (r->params == ABDB_PARAM_COUNT)
        return ABDB_FAIL(err, ABDB_USAGE, "report %s: more than %d params", r->name,
                         ABDB_PARAM_COUNT);
    p->name = split_off_pipe_separated_field(&rest);
    p->type = split_off_pipe_separated_field(&rest);
    p->range = p->type && strncmp(p->type, "number ", 7) == 0 ? p->type + 7 : NULL;
    if (p->range) p->type = "number";
    p->fallback = null_if_empty(split_off_pipe_separated_field(&rest));
    p->help = split_off_pipe_separated_field(&rest);
    p->values = null_if_empty(split_off_pipe_separated_field(&rest));
    if (!p->type || (strcmp(p->type, "text") != 0 && strcmp(p->type, "pattern") != 0 &&
                     strcmp(p->type, "number") != 0 && strcmp(p->type, "days") != 0 &&
                     strcmp(p->type, "date") != 0 && strcmp(p->type, "price") != 0 &&
                     strcmp(p->type, "flag") != 0))
        return ABDB_FAIL(err, ABDB_USAGE,
                         "report %s: param %s wants a type: text, pattern, number, days, date,"
                         " price or flag",
                         r->name, p->name);
    r->option[r->params] =
        (abdb_option){param_name_to_dashed_option_name(r, p->name), 0,
                      strcmp(p->type, "flag") == 0 ? NULL : p->type, p->help ? p->help : ""};
    r->params++;
    return ABDB_OK;
}

/* Reads a line `-- footnotes:` of a report's head. */
static abdb_status parse_footnotes_line(abdb_report *r, const char *text, abdb_error *err)
{
    r->counts_only = true;
    r->legend = strcmp(text, "legend") == 0;
    if (!r->legend && strcmp(text, "none") != 0)
        return ABDB_FAIL(err, ABDB_USAGE, "report %s: footnotes are none or legend, not '%s'",
                         r->name, text);
    return ABDB_OK;
}

const char *const abdb_report_groups[] = {"Which accelerator is faster?",
                                          "What does it cost?",
                                          "What is a device made for?",
                                          ABDB_GROUP_MEASURED,
                                          "May it be believed, and compared?",
                                          "What is in the database, and where from?",
                                          NULL};

/* Reads any line of a report's head; the texts stay in line. */
static abdb_status parse_report_header_line(abdb_report *r, char *line, abdb_error *err)
{
    char *colon = strchr(line, ':'), *text, *rest;

    if (!colon) return ABDB_OK;
    *colon = '\0';
    rest = text = abdb_trim_in_place(colon + 1);
    if (strcmp(line, "title") == 0)
        r->title = text;
    else if (strcmp(line, "question") == 0)
        r->question = text;
    else if (strcmp(line, "group") == 0)
        r->group = text;
    else if (strcmp(line, "first") == 0)
        r->first = strcmp(text, "yes") == 0;
    else if (strcmp(line, "hoist") == 0)
        r->hoist = text;
    else if (strcmp(line, "bare") == 0)
        r->bare = text;
    else if (strcmp(line, "screen") == 0)
        r->screen = text;
    else if (strcmp(line, "site") == 0)
        r->site = text;
    else if (strcmp(line, "explore") == 0)
        r->explore = text;
    else if (strcmp(line, "footnotes") == 0)
        return parse_footnotes_line(r, text, err);
    else if (strcmp(line, "param") == 0)
        return parse_and_append_param_line(r, text, err);
    else if (strcmp(line, "note") == 0 && r->notes < ABDB_NOTE_MAX)
        r->note[r->notes++] = text;
    else if (strcmp(line, "column") == 0 && r->columns < ABDB_COLUMN_MAX) {
        r->column[r->columns].name = split_off_pipe_separated_field(&rest);
        r->column[r->columns].label = split_off_pipe_separated_field(&rest);
        r->column[r->columns].style = split_off_pipe_separated_field(&rest);
        r->column[r->columns].meaning = split_off_pipe_separated_field(&rest);
        r->column[r->columns++].formula = null_if_empty(split_off_pipe_separated_field(&rest));
    }
    return ABDB_OK;
}

/* Takes the table whose statement has been read so far, and the name of the next one, if any. */
static abdb_status store_temp_table_sql_begin_next(abdb_report *r, abdb_text *table, char *next,
                                                   abdb_error *err)
{
    if (r->keeps && !r->kept[r->keeps - 1].sql) {
        r->kept[r->keeps - 1].sql =
            abdb_arena_copy(&r->arena, abdb_text_get(table), strlen(abdb_text_get(table)));
        if (table->failed || !r->kept[r->keeps - 1].sql)
            return ABDB_FAIL(err, ABDB_NOMEM, "report %s", r->name);
        abdb_text_clear(table);
    }
    if (!next) return ABDB_OK;
    if (r->keeps == ABDB_KEPT_MAX)
        return ABDB_FAIL(err, ABDB_USAGE, "report %s: more than %d tables", r->name, ABDB_KEPT_MAX);
    r->kept[r->keeps++].name = abdb_trim_in_place(next);
    return ABDB_OK;
}

/* Adds a line of the report's text to a part of it. Before the first one, empty lines are added for
 * the lines above it in the text, less the lines of text_that_comes_first: so that errors of SQL
 * have the right line numbers. */
static void append_line_keeping_line_number(abdb_text *part, const abdb_text *text_that_comes_first,
                                            const char *line, int number)
{
    int above = number - 1;

    if (!*line && !part->size) return;
    for (size_t i = 0; text_that_comes_first != part && i < text_that_comes_first->size; i++)
        above -= text_that_comes_first->data[i] == '\n';
    for (int i = 0; !part->size && i < above; i++) abdb_text_puts(part, "\n");
    abdb_text_printf(part, "%s\n", line);
}

abdb_status abdb_report_parse(abdb_report *r, const char *name, const char *text, abdb_error *err)
{
    abdb_text with = {0}, rows = {0}, notes = {0}, table = {0}, *part = &rows;
    char *copy, *line, *rest;
    int number = 0;
    abdb_status st = ABDB_OK;

    *r = (abdb_report){.origin = "shipped"};
    r->name = abdb_arena_copy(&r->arena, name, strlen(name));
    r->text = abdb_report_expand_sql_marks(&r->arena, text);
    copy = r->text ? abdb_arena_copy(&r->arena, r->text, strlen(r->text)) : NULL;
    if (!copy || !r->name) return ABDB_FAIL(err, ABDB_NOMEM, "report %s", name);
    for (rest = copy; (line = strsep(&rest, "\n"));) {
        number++;
        if (strncmp(line, "-- @table ", 10) == 0) {
            TRY(store_temp_table_sql_begin_next(r, &table, line + 10, err));
            part = &table;
        } else if (strncmp(line, "-- @with", 8) == 0)
            part = &with;
        else if (strncmp(line, "-- @notes", 9) == 0)
            part = &notes;
        else if (strncmp(line, "-- @rows", 8) == 0)
            abdb_text_clear(part = &rows);
        else if (strncmp(line, "-- ", 3) == 0 && part == &rows && !rows.size && !with.size &&
                 !notes.size && !r->keeps)
            TRY(parse_report_header_line(r, line + 3, err));
        else
            append_line_keeping_line_number(part, part == &rows || part == &notes ? &with : part,
                                            line, number);
    }
    TRY(store_temp_table_sql_begin_next(r, &table, NULL, err));
    if (with.failed || rows.failed || notes.failed)
        TRY(ABDB_FAIL(err, ABDB_NOMEM, "report %s", name));
    if (!rows.size) TRY(ABDB_FAIL(err, ABDB_USAGE, "report %s holds no SQL", name));
    r->rows = abdb_arena_printf(&r->arena, "%s%s", abdb_text_get(&with), rows.data);
    if (notes.size)
        r->note_sql = abdb_arena_printf(&r->arena, "%s%s", abdb_text_get(&with), notes.data);
    if (!r->rows || (notes.size && !r->note_sql))
        TRY(ABDB_FAIL(err, ABDB_NOMEM, "report %s", name));
done:
    abdb_text_free(&with);
    abdb_text_free(&rows);
    abdb_text_free(&notes);
    abdb_text_free(&table);
    return st;
}

void abdb_report_free(abdb_report *report)
{
    abdb_arena_free(&report->arena);
    *report = (abdb_report){0};
}

static const abdb_search_path shelf = {"report", "reports",    ".sql",
                                       NULL,     "abdb query", abdb_reports};

size_t abdb_list_own_and_shipped_report_names(const char **names, size_t room, abdb_arena *arena)
{
    return abdb_search_path_list_sorted_names(&shelf, names, room, arena);
}

abdb_status abdb_report_load(abdb_report *out, const char *name, abdb_error *err)
{
    abdb_arena arena = {0};
    abdb_text text = {0};
    const char *path;
    abdb_status st = ABDB_OK;

    TRY(abdb_search_path_read_user_or_shipped_text(&shelf, name, &text, &path, &arena, err));
    TRY(abdb_report_parse(out, name, abdb_text_get(&text), err));
    if (path) out->origin = abdb_arena_copy(&out->arena, path, strlen(path));
done:
    abdb_text_free(&text);
    abdb_arena_free(&arena);
    return st;
}

/* A value in a title; a selection by its values: "H200-SXM, Offline" of
 * "device=H200-SXM,scenario='Offline'", for a title is no command line. */
static void append_title_value_selection_as_values_only(const abdb_report_param *param,
                                                        const char *value, abdb_text *out)
{
    static const char *const sets[] = {"baseline", "contender", NULL};
    bool is_set = abdb_text_is_in_list(param->name, sets);

    for (size_t size; is_set && *value; value += size + (value[size] != 0)) {
        size_t name = strcspn(value, "=,"), quoted;

        size = strcspn(value, ",");
        if (name < size)
            name++;
        else
            name = 0;
        quoted = value[name] == '\'' && size > name + 1 && value[size - 1] == '\'';
        abdb_text_add(out, value + name + quoted, size - name - 2 * quoted);
        if (value[size]) abdb_text_puts(out, ", ");
    }
    abdb_text_puts(out, value);
}

static void remove_trailing_word(abdb_text *out, const char *word)
{
    size_t size = strlen(word);

    if (out->size >= size && memcmp(out->data + out->size - size, word, size) == 0)
        out->size -= size;
}

/* "{round}" becomes its value; a parameter that was not given leaves nothing, not even "for", nor
 * does "any", which sets no bound. */
static const char *fill_title_dropping_unset_parameters(abdb_arena *arena,
                                                        const abdb_report *report,
                                                        const char *const *value, const char *title)
{
    abdb_text out = {0};
    const char *copy;

    for (const char *s = title; s && *s;) {
        const char *end = *s == '{' ? strchr(s, '}') : NULL;
        size_t p = report->params;

        for (p = 0; end && p < report->params; p++)
            if (strlen(report->param[p].name) == (size_t)(end - s - 1) &&
                strncmp(report->param[p].name, s + 1, (size_t)(end - s - 1)) == 0)
                break;
        if (end && p < report->params) {
            s = end + 1;
            if (!value[p] || strcmp(value[p], "any") == 0) {
                remove_trailing_word(&out, "for ");
                remove_trailing_word(&out, "within ");
                if (!value[p]) remove_trailing_word(&out, "to train ");
                s += *s == ' ' && out.size && out.data[out.size - 1] == ' ';
            } else
                append_title_value_selection_as_values_only(&report->param[p], value[p], &out);
        } else {
            abdb_text_add(&out, s++, 1);
        }
    }
    while (out.size && out.data[out.size - 1] == ' ') out.size--; /* of a missing value */
    remove_trailing_word(&out, " of");
    copy = title ? abdb_arena_copy(arena, abdb_text_get(&out), out.size) : NULL;
    abdb_text_free(&out);
    return copy;
}

const char *abdb_report_fill_title(const abdb_report *report, const char *const *value,
                                   const char *title, abdb_table *table)
{
    const char *whole[ABDB_PARAM_COUNT];

    for (size_t p = 0; p < report->params; p++)
        whole[p] = value[p] ? value[p] : report->param[p].fallback;
    return fill_title_dropping_unset_parameters(&table->arena, report, whole, title);
}

/* Gives the table the title, labels and notes of its report. */
static void apply_report_header_to_table(const abdb_report *report, const char *const *value,
                                         abdb_table *table)
{
    table->title =
        fill_title_dropping_unset_parameters(&table->arena, report, value, report->title);
    if (report->hoist) table->hoist = abdb_arena_printf(&table->arena, "%s", report->hoist);
    if (report->screen) table->screen = abdb_arena_printf(&table->arena, "%s", report->screen);
    if (report->bare) table->bare = abdb_arena_printf(&table->arena, "%s", report->bare);
    for (size_t i = 0; i < report->columns; i++) {
        int at = abdb_table_column_index(table, report->column[i].name);

        if (at < 0) continue;
        if (report->column[i].label)
            table->column[at].label =
                abdb_arena_printf(&table->arena, "%s", report->column[i].label);
        if (report->column[i].style)
            table->column[at].style =
                abdb_arena_printf(&table->arena, "%s", report->column[i].style);
    }
    for (size_t i = 0; i < report->notes; i++) abdb_table_add_note(table, report->note[i]);
}

static const char no_limit[] = "1000000000";

bool abdb_report_param_is_row_limit(const abdb_report_param *p)
{
    return strcmp(p->type, "number") == 0 &&
           (strcmp(p->name, "limit") == 0 || strcmp(p->name, "cells") == 0);
}

void abdb_report_lift_row_limits(const abdb_report *report, const char **value)
{
    for (size_t i = 0; i < report->params; i++)
        if (!value[i] && abdb_report_param_is_row_limit(&report->param[i])) value[i] = no_limit;
}

/* How many rows a limit leaves out: "... 118 more (--all)". */
static void set_note_of_rows_cut_by_limit(const abdb_report *report, const char **bound,
                                          abdb_table *table)
{
    int whole = abdb_table_column_index(table, "_whole");
    const char *option = NULL;

    if (whole < 0 || !table->rows || table->value[whole].kind != ABDB_INTEGER ||
        table->value[whole].integer <= (long long)table->rows) /* _whole of the first row */
        return;
    for (size_t i = 0; i < report->params; i++) {
        if (strcmp(report->param[i].name, "all") == 0) option = "all";
        if (!option && bound[i] && abdb_report_param_is_row_limit(&report->param[i]))
            option = report->option[i].name;
    }
    if (option)
        table->cut =
            abdb_arena_printf(&table->arena, "… %lld more (--%s)",
                              table->value[whole].integer - (long long)table->rows, option);
}

/* Tables, rows and notes. */
static abdb_status run_report_tables_rows_and_notes(abdb_db *db, const abdb_report *report,
                                                    const char *const *bound, abdb_table *table,
                                                    abdb_table *notes, abdb_error *err)
{
    size_t kept = 0;
    abdb_status st = ABDB_OK;

    for (; st == ABDB_OK && kept < report->keeps; kept++)
        st = abdb_sql_create_and_analyze_temp_table(db, report->kept[kept].name,
                                                    report->kept[kept].sql, report, bound, err);
    if (st == ABDB_OK) st = abdb_run_readonly_sql(db, report->rows, report, bound, table, err);
    if (st == ABDB_OK && report->note_sql)
        st = abdb_run_readonly_sql(db, report->note_sql, report, bound, notes, err);
    while (kept > 0) abdb_sql_drop_temp_table(db, report->kept[--kept].name);
    return st;
}

abdb_status abdb_report_run_into_table(abdb_db *db, const abdb_report *report,
                                       const char *const *value, abdb_table *table, abdb_error *err)
{
    const char *bound[ABDB_PARAM_COUNT] = {0};
    abdb_table notes = {0};
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < report->params; i++) {
        bound[i] = value[i] ? value[i] : report->param[i].fallback;
        if (strcmp(report->param[i].type, "flag") == 0)
            bound[i] = value[i] ? "1" : "0";
        else if (value[i])
            TRY(abdb_report_validate_and_resolve_value(db, report, i, &bound[i], table, err));
    }
    st = run_report_tables_rows_and_notes(db, report, bound, table, &notes, err);
    if (st != ABDB_OK) {
        abdb_error_prepend_context(err, "report %s", report->name);
        goto done;
    }
    apply_report_header_to_table(report, bound, table);
    set_note_of_rows_cut_by_limit(report, bound, table);
    for (size_t i = 0; i < notes.rows; i++) {
        char number[32];
        const char *text = abdb_value_text(&notes.value[i * notes.columns], number);

        if (*text) abdb_table_add_note(table, text);
    }
done:
    abdb_table_free(&notes);
    return st;
}

/* curve_at.c - abdb_curve_at(asked): the curves of a selection, each read at latency limits; see
 * table_functions.h. A curve that has no answer is a row without a value; why has the reason. A
 * result without a curve is no row. */
#include <math.h>
#include <string.h>

#include "query/compare/latency_answer.h"
#include "query/sql_tables/json_options.h"
#include "query/sql_tables/table_functions.h"

/* In the order of append_curve_row(). */
static const char *const names[] = {
    "curve",     "result_id", "key",    "key_high",   "device",  "devices",    "model",
    "dtype",     "value",     "unit",   "load_kind",  "load",    "load_high",  "first_load",
    "last_load", "standing",  "metric", "percentile", "limit_s", "shortest_s", "longest_s",
    "points",    "unstated",  "errors", "met_by",     "why"};
enum { COLUMNS = sizeof names / sizeof names[0] };

typedef struct {
    abdb_table *table;
    abdb_value *next;
} row_writer;

static void write_text(row_writer *w, const char *text)
{
    abdb_value *v = w->next++;

    if (text && *text)
        *v = (abdb_value){.kind = ABDB_STRING, .text = abdb_table_copy_text(w->table, text)};
}

static void write_number(row_writer *w, double number)
{
    abdb_value *v = w->next++;

    if (isfinite(number)) *v = (abdb_value){.kind = ABDB_REAL, .real = number};
}

/* The errors of the inner points that were left out, as JSON. */
static const char *errors_as_json(const abdb_curve_answered *c, abdb_table *t)
{
    abdb_text out = {0};
    const char *copy;

    for (size_t i = 0; i < c->errors; i++)
        abdb_text_printf(&out, "%s%.17g", i ? "," : "[", c->error[i]);
    abdb_text_puts(&out, c->errors ? "]" : "");
    copy = out.failed ? NULL : abdb_table_copy_text(t, abdb_text_get(&out));
    abdb_text_free(&out);
    return copy;
}

/* Adds a curve as a row. member: any point of it. */
static abdb_status append_curve_row(const abdb_set *set, const abdb_curve_answered *c,
                                    size_t member, abdb_table *t, abdb_error *err)
{
    static const char *const standings[] = {"too short", "within", "clamped"};
    size_t low = c->answered ? c->low : member;
    row_writer w = {.table = t, .next = abdb_table_append_row(t)};

    if (!w.next) return ABDB_FAIL(err, ABDB_NOMEM, "a curve");
    write_text(&w, c->curve);
    write_number(&w, c->answered ? abdb_member_number(set, low, ABDB_M_result_id) : NAN);
    write_text(&w, c->answered ? abdb_member_text(set, low, ABDB_M_key) : NULL);
    write_text(&w,
               c->answered && c->high != low ? abdb_member_text(set, c->high, ABDB_M_key) : NULL);
    write_text(&w, abdb_member_text(set, low, ABDB_M_device));
    write_number(&w, abdb_member_number(set, low, ABDB_M_devices));
    write_text(&w, abdb_member_text(set, low, ABDB_M_model));
    write_text(&w, abdb_member_text(set, low, ABDB_M_dtype));
    write_number(&w, c->value);
    write_text(&w, set->member[low].unit);
    write_text(&w, c->load_kind);
    write_number(&w, c->low_load);
    write_number(&w, c->high_load);
    write_number(&w, c->first_load);
    write_number(&w, c->last_load);
    write_text(&w, c->answered || c->standing == ABDB_CURVE_TOO_SHORT
                       ? c->points ? standings[c->standing] : NULL
                       : NULL);
    write_text(&w, c->metric);
    write_number(&w, c->percentile);
    write_number(&w, c->limit_s);
    write_number(&w, c->shortest_s);
    write_number(&w, c->longest_s);
    write_number(&w, (double)c->points);
    write_number(&w, (double)c->unstated);
    write_text(&w, errors_as_json(c, t));
    write_text(&w, c->answered ? c->words : NULL);
    write_text(&w, c->answered ? NULL : c->words);
    return ABDB_OK;
}

/* abdb_curve_at(JSON): the curves of the selection at the limits. */
static abdb_status fill_rows_of_curves(sqlite3 *db, const char *const *argument, abdb_table *out,
                                       abdb_error *err)
{
    abdb_arena arena = {0};
    json_error_t wrong = {0};
    json_t *asked = json_loads(argument[0], 0, &wrong);
    const char *selection = abdb_json_option_text_or_null(asked, "selection", &arena),
               *at = abdb_json_option_text_or_null(asked, "at", &arena);
    abdb_normalisation measure = abdb_normalisation_from_json(asked, &arena);
    abdb_latency_question question;
    abdb_latency_answers answers = {0};
    abdb_set set = {0};
    abdb_status st = ABDB_OK;

    out->columns = COLUMNS;
    for (size_t i = 0; i < COLUMNS; i++) out->column[i].name = names[i];
    if (!json_is_object(asked))
        TRY(ABDB_FAIL(err, ABDB_USAGE, "the options are no JSON object in UTF-8: %s", wrong.text));
    if (!at) TRY(ABDB_FAIL(err, ABDB_USAGE, "within which limits? --at tpot=50ms"));
    TRY(abdb_parse_latency_question(at, abdb_json_option_text_or_null(asked, "percentile", &arena),
                                    abdb_json_option_text_or_null(asked, "between", &arena),
                                    &question, err));
    measure.per = abdb_json_option_text_or_null(asked, "divide_by", &arena);
    if (!measure.per) measure.per = "none";
    measure.metric = "tokens_per_s";
    TRY(abdb_set_load_normalised(&set, db, selection ? selection : "",
                                 abdb_json_option_text_or_null(asked, "where", &arena), &measure,
                                 err));
    TRY(abdb_answer_within_latency(&set, db, &question, &answers, &arena, err));
    for (size_t i = 0; i < answers.curves; i++)
        TRY(append_curve_row(&set, &answers.curve[i], answers.curve[i].member, out, err));
done:
    abdb_set_free(&set);
    abdb_arena_free(&arena);
    json_decref(asked);
    return st;
}

const abdb_table_function abdb_table_curve_at = {
    "abdb_curve_at",
    "CREATE TABLE x(curve TEXT, result_id INTEGER, key TEXT, key_high TEXT, device TEXT,"
    " devices REAL, model TEXT, dtype TEXT, value REAL, unit TEXT, load_kind TEXT, load REAL,"
    " load_high REAL, first_load REAL, last_load REAL, standing TEXT, metric TEXT,"
    " percentile REAL, limit_s REAL, shortest_s REAL, longest_s REAL, points INTEGER,"
    " unstated INTEGER, errors TEXT, met_by TEXT, why TEXT, asked HIDDEN)",
    COLUMNS,
    1,
    1,
    ABDB_ALLOW_NOTHING,
    fill_rows_of_curves};

/* latency_answer.c - throughput of a set of results within latency limits; see latency_answer.h. */
#include "query/compare/latency_answer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "query/answer/sql_rows.h"
#include "schema/core/array.h"

enum { METRICS = 3 };
static const char *const metrics[METRICS] = {"ttft_s", "tpot_s", "latency_s"};

/* A member that is a point of a curve. latency: at the percentile of its curve; NAN: not stated. */
typedef struct {
    size_t member;
    const char *curve, *load_kind;
    double load, latency[METRICS];
} point;

typedef struct {
    const abdb_set *set;
    sqlite3 *db;
    const abdb_latency_question *question;
    abdb_latency_answers *out;
    abdb_arena *arena;
    point *point; /* by curve, then load */
    size_t points;
    abdb_curve_point *at; /* room for the points of a curve */
} reader;

const char abdb_another_point_answers[] = "another point of its curve answers";

static double limit_of(const abdb_latency_question *q, size_t metric)
{
    const double limits[METRICS] = {q->limits.ttft_s, q->limits.tpot_s, q->limits.latency_s};

    return limits[metric];
}

/* --- loading ---------------------------------------------------------------------------------- */

/* "[[0,17],[1,18]]": place and a number of each member. */
static const char *members_as_json(const reader *r, abdb_member_column column)
{
    abdb_text out = {0};
    const char *copy;

    for (size_t i = 0; i < r->set->members; i++)
        abdb_text_printf(&out, "%s[%zu,%.0f]", i ? "," : "[", i,
                         abdb_member_number(r->set, i, column));
    abdb_text_puts(&out, "]");
    copy = out.failed ? NULL : abdb_arena_copy(r->arena, abdb_text_get(&out), out.size);
    abdb_text_free(&out);
    return copy;
}

static int compare_curve_then_load(const void *a, const void *b)
{
    const point *x = a, *y = b;
    int order = strcmp(x->curve, y->curve);

    if (order) return order;
    if (x->load != y->load) return x->load < y->load ? -1 : 1;
    return (x->member > y->member) - (x->member < y->member);
}

/* Finds the members that are points of curves. */
static abdb_status load_points(reader *r, abdb_error *err)
{
    static const char sql[] =
        "SELECT m.value ->> 0, c.curve, c.load_kind, c.load FROM json_each(?1) m"
        " CROSS JOIN v_curve c ON c.result_id = m.value ->> 1";
    abdb_table rows = {0};
    const char *members = members_as_json(r, ABDB_M_result_id);
    abdb_status st = ABDB_OK;

    if (!members) TRY(ABDB_FAIL(err, ABDB_NOMEM, "points of curves"));
    TRY(abdb_query_with_three_texts_to_table(r->db, sql, members, NULL, NULL, &rows, err));
    r->point = abdb_arena_alloc(r->arena, (rows.rows + 1) * sizeof *r->point);
    r->at = abdb_arena_alloc(r->arena, (rows.rows + 1) * sizeof *r->at);
    if (!r->point || !r->at) TRY(ABDB_FAIL(err, ABDB_NOMEM, "points of curves"));
    for (size_t i = 0; i < rows.rows; i++) {
        const char *curve = abdb_cell_text_or_empty(&rows, i, 1),
                   *kind = abdb_cell_text_or_empty(&rows, i, 2);
        point *p = &r->point[r->points];

        *p = (point){.member = (size_t)abdb_cell_number_or_nan(&rows, i, 0),
                     .curve = abdb_arena_copy(r->arena, curve, strlen(curve)),
                     .load_kind = abdb_arena_copy(r->arena, kind, strlen(kind)),
                     .load = abdb_cell_number_or_nan(&rows, i, 3),
                     .latency = {NAN, NAN, NAN}};
        if (!p->curve || !p->load_kind) TRY(ABDB_FAIL(err, ABDB_NOMEM, "points of curves"));
        r->out->load_kind[p->member] = p->load_kind;
        if (!r->set->member[p->member].why) r->points++; /* a marked point is none */
    }
    abdb_array_sort(r->point, r->points, sizeof *r->point, compare_curve_then_load);
done:
    abdb_table_free(&rows);
    return st;
}

/* Fills in one latency of the points of a curve: at the lowest percentile that is high enough and
 * stated by any of them, NAN where there is none. */
static abdb_status load_latency(const reader *r, point *p, size_t points, size_t metric,
                                double *percentile, abdb_error *err)
{
    static const char sql[] =
        "SELECT m.value ->> 0, l.value, l.percentile FROM json_each(?1) m"
        " CROSS JOIN v_curve_latency l ON l.entry_id = m.value ->> 1 AND l.metric = ?2"
        " WHERE l.percentile >= ?3 ORDER BY l.percentile";
    abdb_text members = {0};
    abdb_binds binds = {0};
    abdb_table rows = {0};
    abdb_status st = ABDB_OK;

    *percentile = NAN;
    for (size_t i = 0; i < points; i++)
        abdb_text_printf(&members, "%s[%zu,%.0f]", i ? "," : "[", i,
                         abdb_member_number(r->set, p[i].member, ABDB_M_entry_id));
    abdb_text_puts(&members, "]");
    (void)abdb_bind_add_text(&binds, abdb_text_get(&members));
    (void)abdb_bind_add_text(&binds, metrics[metric]);
    (void)abdb_bind_add_number(&binds, r->question->limits.percentile);
    if (members.failed) TRY(ABDB_FAIL(err, ABDB_NOMEM, "latencies of a curve"));
    TRY(abdb_query_to_table(r->db, sql, &binds, &rows, err));
    if (rows.rows) *percentile = abdb_cell_number_or_nan(&rows, 0, 2);
    for (size_t i = 0; i < rows.rows; i++)
        if (abdb_cell_number_or_nan(&rows, i, 2) == *percentile)
            p[(size_t)abdb_cell_number_or_nan(&rows, i, 0)].latency[metric] =
                abdb_cell_number_or_nan(&rows, i, 1);
done:
    abdb_text_free(&members);
    abdb_table_free(&rows);
    return st;
}

/* --- one curve -------------------------------------------------------------------------------- */

/* Moves the points that state every limited latency, and have a value, to the front; returns how
 * many they are. */
static size_t keep_stated_points(const reader *r, point *p, size_t points)
{
    size_t kept = 0;

    for (size_t i = 0; i < points; i++) {
        double value = r->set->member[p[i].member].value;
        bool stated = isfinite(value) && value > 0;
        point whole = p[i];

        for (size_t k = 0; k < METRICS; k++)
            stated &= isnan(limit_of(r->question, k)) || isfinite(p[i].latency[k]);
        if (!stated) continue;
        p[i] = p[kept];
        p[kept++] = whole;
    }
    return kept;
}

/* The point with most throughput that keeps every limit; SIZE_MAX: none does. */
static size_t find_best_point_within_limits(const reader *r, const point *p, size_t points)
{
    size_t best = SIZE_MAX;

    for (size_t i = 0; i < points; i++) {
        bool keeps = true;

        for (size_t k = 0; k < METRICS; k++)
            keeps &= isnan(limit_of(r->question, k)) || p[i].latency[k] <= limit_of(r->question, k);
        if (keeps && (best == SIZE_MAX ||
                      r->set->member[p[i].member].value > r->set->member[p[best].member].value))
            best = i;
    }
    return best;
}

/* Takes the answer of one limit over: it binds. */
static void take_answer(abdb_curve_answered *c, const abdb_curve_answer *a, const point *p,
                        size_t metric, const abdb_latency_question *q, double percentile)
{
    c->standing = a->standing;
    c->value = a->rate;
    c->metric = metrics[metric];
    c->limit_s = limit_of(q, metric);
    c->percentile = percentile;
    c->shortest_s = a->shortest;
    c->longest_s = a->longest;
    if (a->standing == ABDB_CURVE_TOO_SHORT) return;
    c->low = p[a->low].member;
    c->high = p[a->high].member;
    c->low_load = p[a->low].load;
    c->high_load = p[a->high].load;
}

/* Does an answer leave less than the one so far? A limit that is too short leaves nothing; of equal
 * ones that counts which lies within the measured range. */
static bool binds_more(const abdb_curve_answer *a, const abdb_curve_answered *so_far)
{
    if (so_far->standing == ABDB_CURVE_TOO_SHORT || a->standing == ABDB_CURVE_TOO_SHORT)
        return so_far->standing != ABDB_CURVE_TOO_SHORT;
    return a->rate < so_far->value || (a->rate == so_far->value && a->standing < so_far->standing);
}

/* Reads the curve for each limit; the least throughput counts, a limit that is too short before
 * all. */
static abdb_status read_each_limit(const reader *r, const point *p, size_t points,
                                   const double *percentile, abdb_curve_answered *c,
                                   abdb_error *err)
{
    double *error = abdb_arena_alloc(r->arena, (points + 1) * sizeof *error);
    abdb_curve_answer a;
    abdb_status st = ABDB_OK;

    if (!error) return ABDB_FAIL(err, ABDB_NOMEM, "a curve");
    for (size_t k = 0; k < METRICS; k++) {
        if (isnan(limit_of(r->question, k))) continue;
        for (size_t i = 0; i < points; i++)
            r->at[i] = (abdb_curve_point){p[i].latency[k], r->set->member[p[i].member].value};
        TRY(abdb_curve_read_at_limit(r->at, points, limit_of(r->question, k), r->question->method,
                                     &a, err));
        if (c->metric && !binds_more(&a, c)) continue;
        take_answer(c, &a, p, k, r->question, percentile[k]);
        TRY(abdb_curve_leave_each_out(r->at, points, r->question->method, error, &c->errors, err));
        c->error = error;
    }
done:
    return st;
}

/* Of several limits the steps may name a point that breaks another one: the best point that keeps
 * all of them answers, if any does. */
static void hold_answer_to_measured_points(const reader *r, const point *p, size_t points,
                                           abdb_curve_answered *c)
{
    size_t best = find_best_point_within_limits(r, p, points);

    c->answered = best != SIZE_MAX && c->standing != ABDB_CURVE_TOO_SHORT;
    if (!c->answered) {
        c->value = NAN;
        c->low = c->high = SIZE_MAX;
    } else if (r->question->method == ABDB_CURVE_STEP) {
        c->low = c->high = p[best].member;
        c->low_load = c->high_load = p[best].load;
        c->value = r->set->member[p[best].member].value;
    }
}

/* --- words ------------------------------------------------------------------------------------ */

static const char *load_words(const char *kind)
{
    return strcmp(kind, "request_rate") == 0 || strcmp(kind, "rate") == 0 ? "requests/s" : kind;
}

/* Appends every limited latency of the point that answers. */
static void append_latencies_of_point(const reader *r, const point *p, size_t points,
                                      const double *percentile, size_t member, abdb_text *out)
{
    bool any = false;

    for (size_t i = 0; i < points; i++)
        for (size_t k = 0; k < METRICS && p[i].member == member; k++) {
            if (isnan(limit_of(r->question, k))) continue;
            abdb_text_printf(out, "%s%s p%g = ", any ? ", " : "",
                             abdb_latency_metric_words(metrics[k]), percentile[k]);
            abdb_append_seconds(out, p[i].latency[k]);
            any = true;
        }
}

static double largest(const double *x, size_t n)
{
    double most = 0;

    for (size_t i = 0; i < n; i++) most = fmax(most, x[i]);
    return most;
}

/* Where the curve meets limits. */
static void append_answer_words(const reader *r, const abdb_curve_answered *c, const point *p,
                                size_t points, const double *percentile, abdb_text *out)
{
    const char *load = load_words(c->load_kind);

    abdb_text_printf(out, "curve of %zu point%s, ", c->points, c->points == 1 ? "" : "s");
    if (c->low != c->high) {
        abdb_text_printf(out, "between %s %g and %g: %s p%g = ", load, c->low_load, c->high_load,
                         abdb_latency_metric_words(c->metric), c->percentile);
        abdb_append_seconds(out, c->limit_s);
        abdb_text_printf(out, ", %s",
                         r->question->method == ABDB_CURVE_LINEAR ? "linear" : "monotone");
        if (c->errors)
            abdb_text_printf(out, ", off by up to %.2g %% at %zu inner point%s left out",
                             100 * largest(c->error, c->errors), c->errors,
                             c->errors == 1 ? "" : "s");
        return;
    }
    abdb_text_printf(out, "%s%s %g: ", c->standing == ABDB_CURVE_CLAMPED ? "clamped at " : "", load,
                     c->low_load);
    append_latencies_of_point(r, p, points, percentile, c->low, out);
}

/* Appends "p99 of TPOT is not stated (mean, median are)". */
static abdb_status append_unstated_words(const reader *r, const point *p, const double *percentile,
                                         abdb_text *out, abdb_error *err)
{
    static const char sql[] =
        "SELECT group_concat(statistic, ', ') FROM (SELECT DISTINCT statistic FROM v_curve_latency"
        " WHERE entry_id = ?1 AND metric = ?2 ORDER BY 1)";
    abdb_table rows = {0};
    size_t k = 0;
    abdb_binds binds = {0};
    abdb_status st = ABDB_OK;

    while (k + 1 < METRICS && (isnan(limit_of(r->question, k)) || isfinite(percentile[k]))) k++;
    (void)abdb_bind_add_number(&binds, abdb_member_number(r->set, p->member, ABDB_M_entry_id));
    (void)abdb_bind_add_text(&binds, metrics[k]);
    TRY(abdb_query_to_table(r->db, sql, &binds, &rows, err));
    abdb_text_printf(out, "%s p%g is not stated", abdb_latency_metric_words(metrics[k]),
                     r->question->limits.percentile);
    if (*abdb_cell_text_or_empty(&rows, 0, 0))
        abdb_text_printf(out, " (stated: %s)", abdb_cell_text_or_empty(&rows, 0, 0));
done:
    abdb_table_free(&rows);
    return st;
}

/* Why a curve that was measured does not keep the limits: the range over which it was. */
static void append_out_of_range_words(const abdb_curve_answered *c, abdb_text *out)
{
    abdb_text_printf(out, "%s p%g ", abdb_latency_metric_words(c->metric), c->percentile);
    abdb_append_seconds(out, c->shortest_s);
    abdb_text_puts(out, " to ");
    abdb_append_seconds(out, c->longest_s);
    abdb_text_printf(out, " over %s %g to %g%s", load_words(c->load_kind), c->first_load,
                     c->last_load,
                     c->standing == ABDB_CURVE_TOO_SHORT ? "" : ", and no point keeps all limits");
}

/* --- all -------------------------------------------------------------------------------------- */

/* Keeps the words for the curve and its members. */
static abdb_status tell_members(const reader *r, abdb_curve_answered *c, const point *p,
                                size_t points, const abdb_text *words, abdb_error *err)
{
    abdb_latency_answers *out = r->out;

    c->words = abdb_arena_copy(r->arena, abdb_text_get(words), words->size);
    if (words->failed || !c->words) return ABDB_FAIL(err, ABDB_NOMEM, "words on a curve");
    for (size_t i = 0; i < points; i++)
        out->why_not[p[i].member] = c->answered ? abdb_another_point_answers : c->words;
    if (!c->answered) return ABDB_OK;
    out->met_by[c->low] = c->words;
    out->why_not[c->low] = NULL;
    out->value[c->low] = c->value;
    if (c->high != c->low) out->beside[c->low] = abdb_member_text(r->set, c->high, ABDB_M_key);
    return ABDB_OK;
}

/* Reads the curve of points[0..count) at the limits. */
static abdb_status answer_by_curve(const reader *r, point *p, size_t count, abdb_error *err)
{
    abdb_curve_answered *c = &r->out->curve[r->out->curves++];
    double percentile[METRICS] = {NAN, NAN, NAN};
    abdb_text words = {0};
    size_t kept;
    abdb_status st = ABDB_OK;

    *c = (abdb_curve_answered){.curve = p->curve,
                               .member = p->member,
                               .load_kind = p->load_kind,
                               .first_load = p->load,
                               .last_load = p[count - 1].load,
                               .low = SIZE_MAX,
                               .high = SIZE_MAX,
                               .low_load = NAN,
                               .high_load = NAN,
                               .value = NAN,
                               .shortest_s = NAN,
                               .longest_s = NAN,
                               .limit_s = NAN,
                               .percentile = NAN};
    for (size_t k = 0; k < METRICS; k++)
        if (!isnan(limit_of(r->question, k)))
            TRY(load_latency(r, p, count, k, &percentile[k], err));
    kept = keep_stated_points(r, p, count);
    c->points = kept;
    c->unstated = count - kept;
    if (kept) {
        TRY(read_each_limit(r, p, kept, percentile, c, err));
        hold_answer_to_measured_points(r, p, kept, c);
    }
    if (c->answered)
        append_answer_words(r, c, p, kept, percentile, &words);
    else if (kept)
        append_out_of_range_words(c, &words);
    else
        TRY(append_unstated_words(r, p, percentile, &words, err));
    TRY(tell_members(r, c, p, count, &words, err));
done:
    abdb_text_free(&words);
    return st;
}

static abdb_status allocate_answers(const abdb_set *set, abdb_latency_answers *out,
                                    abdb_arena *arena, abdb_error *err)
{
    size_t room = set->members + 1;

    *out =
        (abdb_latency_answers){.met_by = abdb_arena_alloc(arena, room * sizeof *out->met_by),
                               .why_not = abdb_arena_alloc(arena, room * sizeof *out->why_not),
                               .load_kind = abdb_arena_alloc(arena, room * sizeof *out->load_kind),
                               .beside = abdb_arena_alloc(arena, room * sizeof *out->beside),
                               .value = abdb_arena_alloc(arena, room * sizeof *out->value),
                               .curve = abdb_arena_alloc(arena, room * sizeof *out->curve)};
    if (!out->met_by || !out->why_not || !out->load_kind || !out->beside || !out->value ||
        !out->curve)
        return ABDB_FAIL(err, ABDB_NOMEM, "latency limits of %zu results", set->members);
    return ABDB_OK;
}

abdb_status abdb_answer_within_latency(const abdb_set *set, sqlite3 *db,
                                       const abdb_latency_question *question,
                                       abdb_latency_answers *out, abdb_arena *arena,
                                       abdb_error *err)
{
    reader r = {.set = set, .db = db, .question = question, .out = out, .arena = arena};
    abdb_status st = ABDB_OK;

    TRY(allocate_answers(set, out, arena, err));
    TRY(load_points(&r, err));
    for (size_t i = 0, end; i < r.points; i = end) {
        for (end = i + 1; end < r.points && strcmp(r.point[end].curve, r.point[i].curve) == 0;)
            end++;
        TRY(answer_by_curve(&r, r.point + i, end - i, err));
    }
    for (size_t i = 0; i < set->members; i++) {
        if (out->load_kind[i]) continue;
        out->value[i] = set->member[i].value;
        TRY(abdb_explain_latency_limits_kept(set, i, db, &question->limits, &out->met_by[i],
                                             &out->why_not[i], arena, err));
    }
done:
    return st;
}

abdb_status abdb_set_read_within_latency(abdb_set *set, sqlite3 *db,
                                         const abdb_latency_question *question, abdb_error *err)
{
    abdb_latency_answers answers;
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < set->members; i++)
        if (strcmp(abdb_member_text(set, i, ABDB_M_better), "higher") != 0)
            TRY(ABDB_FAIL(err, ABDB_USAGE,
                          "--at reads throughput within a latency limit, and %s is none",
                          abdb_member_text(set, i, ABDB_M_metric)));
    TRY(abdb_answer_within_latency(set, db, question, &answers, &set->arena, err));
    for (size_t i = 0; i < set->members; i++) {
        abdb_member *m = &set->member[i];

        m->met_by = answers.met_by[i];
        m->load_kind = answers.load_kind[i];
        if (m->why) continue;
        m->why = answers.why_not[i];
        if (m->why) continue;
        m->value = answers.value[i];
        if (answers.beside[i])
            m->facts = m->facts
                           ? abdb_arena_printf(&set->arena, "%s %s", m->facts, answers.beside[i])
                           : answers.beside[i];
        if (!m->facts && answers.beside[i]) TRY(ABDB_FAIL(err, ABDB_NOMEM, "keys of a result"));
    }
done:
    return st;
}

/* quality.c - the quality of served answers; see quality.h. */
#include "query/compare/quality.h"

#include <math.h>
#include <string.h>

#include "query/answer/sql_rows.h"
#include "query/compare/condition_value.h"

/* The text of a column in a side's first member; "" where it has none. */
static const char *text_of_side(abdb_side side, abdb_member_column column)
{
    return abdb_member_text(side.set, side.group->member[0], column);
}

bool abdb_sides_differ_in_format_alone(abdb_side a, abdb_side b)
{
    static const abdb_member_column same[] = {ABDB_M_benchmark, ABDB_M_metric, ABDB_M_scenario};
    const char *rate = text_of_side(a, ABDB_M_unit);

    if (strcmp(text_of_side(a, ABDB_M_evidence), "mlperf") == 0 ||
        strcmp(text_of_side(b, ABDB_M_evidence), "mlperf") == 0)
        return false;
    if (!*text_of_side(a, ABDB_M_model) || !*text_of_side(b, ABDB_M_model)) return false;
    if (strcmp(text_of_side(a, ABDB_M_scenario), "training") == 0 || !strstr(rate, "/s"))
        return false;
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++)
        if (strcmp(text_of_side(a, same[i]), text_of_side(b, same[i])) != 0) return false;
    return *text_of_side(a, ABDB_M_dtype) && *text_of_side(b, ABDB_M_dtype) &&
           strcmp(text_of_side(a, ABDB_M_dtype), text_of_side(b, ABDB_M_dtype)) != 0;
}

abdb_status abdb_describe_quality_of_side(abdb_side side, sqlite3 *db, const char **out,
                                          abdb_arena *arena, abdb_error *err)
{
    static const char sql[] =
        "SELECT group_concat(words, '; ') FROM (SELECT DISTINCT format('%s %.6g', metric, value) ||"
        " iif(yardstick = '', '', ' (' || yardstick || ')') AS words FROM v_quality"
        " WHERE base_model = ?1 AND dtype = ?2 ORDER BY 1)";
    abdb_table rows = {0};
    const char *words;
    abdb_status st = ABDB_OK;

    TRY(abdb_query_with_three_texts_to_table(db, sql, text_of_side(side, ABDB_M_benchmark),
                                             text_of_side(side, ABDB_M_dtype), NULL, &rows, err));
    words = abdb_cell_text_or_empty(&rows, 0, 0);
    *out = abdb_arena_printf(arena, "%s", *words ? words : "unknown");
    if (!*out) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a quality"));
done:
    abdb_table_free(&rows);
    return st;
}

/* --- at least this quality -------------------------------------------------------------------- */

typedef struct {
    const char *metric, *op;
    double limit;
    bool at_least, strictly;
} demand;

static abdb_status read_demand(const abdb_condition *c, demand *out, abdb_error *err)
{
    static const char *const metrics[] = {"accuracy", "perplexity", "kl_divergence", NULL};

    if (!c->column || !abdb_text_is_in_list(c->column, metrics) ||
        !abdb_condition_has_ordering_operator(c))
        return ABDB_FAIL(err, ABDB_USAGE,
                         "--quality wants accuracy, perplexity or kl_divergence with < <= > or >=,"
                         " such as 'accuracy>=0.99'");
    *out = (demand){
        .metric = c->column, .op = c->op, .at_least = c->op[0] == '>', .strictly = c->op[1] != '='};
    return abdb_condition_require_number(c, "1", &out->limit, err);
}

static bool demand_is_kept(const demand *d, double value)
{
    if (value == d->limit) return !d->strictly;
    return d->at_least ? value > d->limit : value < d->limit;
}

/* The worst value of that quality that is known of a member's model in its number format; of MLPerf
 * the accuracy that its benchmark demands. NAN: none is. */
static abdb_status find_worst_quality(const abdb_set *set, size_t member, sqlite3 *db,
                                      const demand *d, double *out, abdb_error *err)
{
    static const char sql[] =
        "SELECT iif(?4 = '>', min(value), max(value)) FROM v_quality WHERE base_model = ?1 AND"
        " dtype = ?2 AND metric = ?3 AND evidence <> 'mlperf'";
    abdb_binds binds = {0};
    abdb_table rows = {0};
    abdb_status st = ABDB_OK;

    if (strcmp(abdb_member_text(set, member, ABDB_M_evidence), "mlperf") == 0) {
        if (strcmp(d->metric, "accuracy") != 0 ||
            !abdb_double_parse(abdb_member_text(set, member, ABDB_M_accuracy_target),
                               ABDB_MARK_UNKNOWN, out))
            *out = NAN;
        return ABDB_OK;
    }
    (void)abdb_bind_add_text(&binds, abdb_member_text(set, member, ABDB_M_benchmark));
    (void)abdb_bind_add_text(&binds, abdb_member_text(set, member, ABDB_M_dtype));
    (void)abdb_bind_add_text(&binds, d->metric);
    (void)abdb_bind_add_text(&binds, d->at_least ? ">" : "<");
    TRY(abdb_query_to_table(db, sql, &binds, &rows, err));
    *out = abdb_cell_number_or_nan(&rows, 0, 0);
done:
    abdb_table_free(&rows);
    return st;
}

abdb_status abdb_set_require_quality(abdb_set *set, sqlite3 *db, const char *condition,
                                     abdb_error *err)
{
    abdb_selection asked = {0};
    abdb_status st = ABDB_OK;

    TRY(abdb_selection_parse_and_append(&asked, condition, err));
    for (size_t k = 0; k < asked.count; k++) {
        demand d;

        TRY(read_demand(&asked.condition[k], &d, err));
        for (size_t i = 0; i < set->members; i++) {
            abdb_member *m = &set->member[i];
            double worst;

            if (m->why) continue;
            TRY(find_worst_quality(set, i, db, &d, &worst, err));
            m->keeps_quality = !isnan(worst) && demand_is_kept(&d, worst) &&
                               strcmp(abdb_member_text(set, i, ABDB_M_evidence), "mlperf") != 0;
            if (!isnan(worst) && demand_is_kept(&d, worst)) continue;
            m->why = isnan(worst)
                         ? abdb_arena_printf(&set->arena, "%s of %s%s%s is not known", d.metric,
                                             abdb_member_text(set, i, ABDB_M_benchmark),
                                             *abdb_member_text(set, i, ABDB_M_dtype) ? " in " : "",
                                             abdb_member_text(set, i, ABDB_M_dtype))
                         : abdb_arena_printf(&set->arena, "%s %.6g is not %s %.6g", d.metric, worst,
                                             d.op, d.limit);
            if (!m->why) TRY(ABDB_FAIL(err, ABDB_NOMEM, "qualities"));
        }
    }
done:
    abdb_selection_free(&asked);
    return st;
}

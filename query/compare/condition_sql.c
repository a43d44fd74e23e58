/* condition_sql.c - conditions of a selection as SQL: every name looked up, every value bound. See
 * selection_query.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "query/compare/condition_value.h"
#include "query/compare/selection_query.h"
#include "query/compare/selection_spelling.h"

static abdb_status fail_too_many_values(abdb_error *err)
{
    return ABDB_FAIL(err, ABDB_LIMIT, "a selection of more than %d values", ABDB_BIND_MAX);
}

abdb_status abdb_resolve_run_to_campaign(sqlite3 *db, abdb_arena *arena, const abdb_condition *c,
                                         const char **out, abdb_error *err)
{
    abdb_table campaigns = {0};
    long long back = 0;
    abdb_status st = ABDB_OK;

    *out = c->value;
    if (strcmp(c->op, "=") != 0)
        return ABDB_FAIL(err, ABDB_USAGE, "run wants '=': run=latest, run=latest~1, run=CAMPAIGN");
    if (strncmp(c->value, "latest", 6) != 0) return ABDB_OK;
    if (c->value[6] &&
        (c->value[6] != '~' ||
         !abdb_integer_parse_in_range(c->value + 7, ABDB_MARK_UNKNOWN, 0, 1000000, &back)))
        return ABDB_FAIL(err, ABDB_USAGE, "'%s' is no run: latest, latest~1, latest~2, ...",
                         c->value);
    TRY(abdb_query_to_table(
        db,
        "SELECT campaign FROM entry WHERE campaign IS NOT NULL GROUP BY campaign"
        " ORDER BY max(date) DESC, campaign DESC",
        NULL, &campaigns, err));
    if ((size_t)back >= campaigns.rows)
        TRY(ABDB_FAIL(err, ABDB_USAGE,
                      "run=%s: there are %zu runs here; measure with `abdb run --plan quick`",
                      c->value, campaigns.rows));
    *out = abdb_arena_printf(arena, "%s", abdb_cell_text_or_empty(&campaigns, (size_t)back, 0));
    if (!*out) st = ABDB_FAIL(err, ABDB_NOMEM, "a selection");
done:
    abdb_table_free(&campaigns);
    return st;
}

/* `run=latest~1`, or a run or campaign by name. */
static abdb_status append_run_condition(abdb_selection_query *q, const abdb_condition *c,
                                        abdb_error *err)
{
    const char *meant;
    abdb_status st = abdb_resolve_run_to_campaign(q->db, q->arena, c, &meant, err);
    bool named = meant == c->value; /* else it is a campaign */

    abdb_text_puts(&q->sql, named ? " AND (r.run = ? OR r.campaign = ?)" : " AND r.campaign = ?");
    if (st == ABDB_OK &&
        !(abdb_bind_add_text(&q->binds, meant) && (!named || abdb_bind_add_text(&q->binds, meant))))
        st = fail_too_many_values(err);
    return st;
}

/* The name that a word means; where the metric decides between several names, a note is added. */
static abdb_status resolve_name_note_choice(abdb_selection_query *q, const char *kind,
                                            const char *word, const char **canon, abdb_error *err)
{
    const abdb_normalisation *measure = strcmp(kind, "model") == 0 ? q->measure : NULL;
    bool decided;
    abdb_status st = abdb_resolve_name_deciding_by_metric(q->db, kind, word, measure, canon,
                                                          &decided, q->arena, err);

    if (st == ABDB_OK && decided)
        q->note = abdb_arena_printf(q->arena,
                                    "%s '%s' is taken for %s, the only one of that name"
                                    " with such results",
                                    kind, word, *canon);
    return st;
}

/* Names that aliases resolve: the row keeps its published spelling, so the condition lists all
 * spellings of the canonical name, found by an index. */
static abdb_status append_name_condition_over_aliases(abdb_selection_query *q,
                                                      const abdb_condition *c, const char *kind,
                                                      const char *column, abdb_error *err)
{
    const char *canon;
    bool equal = strcmp(c->op, "=") == 0;
    abdb_status st = ABDB_OK;

    if (abdb_condition_has_ordering_operator(c))
        TRY(ABDB_FAIL(err, ABDB_USAGE,
                      "%s is a name, which has no order: compare it with =, != or ~", c->column));
    if (q->names_quantity || (!equal && strcmp(c->op, "!=") != 0)) {
        if (equal) TRY(resolve_name_note_choice(q, kind, c->value, &canon, err));
        abdb_text_printf(&q->sql, " AND r.%s %s ?", c->column, abdb_condition_sql_operator(c));
        return abdb_bind_add_text(&q->binds, equal ? canon : c->value) ? ABDB_OK
                                                                       : fail_too_many_values(err);
    }
    TRY(resolve_name_note_choice(q, kind, c->value, &canon, err));
    if (strncasecmp(canon, c->value, strlen(c->value)) == 0 && canon[strlen(c->value)] == '-')
        q->note = abdb_arena_printf(q->arena, "%s '%s' is taken for %s", kind, c->value, canon);
    abdb_text_printf(&q->sql, equal ? " AND r.%s" : " AND coalesce(r.%s, '') NOT", column);
    abdb_text_printf(&q->sql, " IN (SELECT spelling FROM name WHERE kind = '%s' AND whole = ?)",
                     kind);
    if (!abdb_bind_add_text(&q->binds, canon)) st = fail_too_many_values(err);
done:
    return st;
}

/* A metric of the same run: "tpot_s", or "ttft_s:p99" for one statistic. */
static abdb_status append_same_run_metric_condition(abdb_selection_query *q,
                                                    const abdb_condition *c, abdb_error *err)
{
    const char *colon = strchr(c->column, ':');
    const char *metric = abdb_arena_copy(q->arena, c->column,
                                         colon ? (size_t)(colon - c->column) : strlen(c->column));
    const abdb_metric_info *info = abdb_metric_find(metric);
    double value;
    abdb_status st = abdb_condition_require_number(c, info ? info->unit : NULL, &value, err);

    if (st != ABDB_OK) return st;
    abdb_text_printf(&q->sql,
                     " AND EXISTS (SELECT 1 FROM result o WHERE o.entry_id = r.entry_id AND"
                     " o.metric = ? AND o.value %s ?%s)",
                     abdb_condition_sql_operator(c), colon ? " AND o.statistic = ?" : "");
    return abdb_bind_add_text(&q->binds, metric) && abdb_bind_add_number(&q->binds, value) &&
                   (!colon || abdb_bind_add_text(&q->binds, colon + 1))
               ? ABDB_OK
               : fail_too_many_values(err);
}

/* `factor.n` is the factor n, whatever columns are called. */
static const char *strip_factor_prefix(const char *column)
{
    return strncmp(column, "factor.", 7) == 0 ? column + 7 : column;
}

/* A condition on a name that is no column: an EXISTS over the factors of the row's point, compared
 * as a number where the value is one. The factor's name is checked first, because a factor that
 * no row has would select no row without an error. */
static abdb_status append_factor_condition(abdb_selection_query *q, const abdb_condition *c,
                                           abdb_error *err)
{
    const char *factor = strip_factor_prefix(c->column);
    abdb_table known = {0};
    const char **names = NULL, *near;
    const char *unit = NULL;
    double number = NAN;
    bool by_number;
    abdb_status st = ABDB_OK;

    TRY(abdb_query_to_table(
        q->db,
        "SELECT factor, max(unit) FROM (SELECT factor, unit FROM factor UNION ALL SELECT factor,"
        " factor_unit FROM decoration WHERE factor IS NOT NULL UNION ALL SELECT column_name, NULL"
        " FROM column_doc WHERE view = 'v_comparable' UNION ALL SELECT metric, NULL FROM metric)"
        " GROUP BY factor",
        NULL, &known, err));
    names = calloc(known.rows + 1, sizeof *names);
    if (!names) TRY(ABDB_FAIL(err, ABDB_NOMEM, "names of factors"));
    for (size_t i = 0; i < known.rows; i++) {
        names[i] = abdb_cell_text_or_empty(&known, i, 0);
        if (known.value[i * known.columns + 1].kind != ABDB_NULL)
            unit = abdb_cell_text_or_empty(&known, i, 1);
        if (strcmp(names[i], factor) == 0) goto found;
        unit = NULL;
    }
    near = abdb_nearest_name(factor, names, known.rows);
    TRY(ABDB_FAIL(err, ABDB_USAGE, "no column, factor or metric is called '%s'%s%s%s", c->column,
                  near ? "; did you mean '" : "", near ? near : "", near ? "'?" : ""));
found:
    by_number = strcmp(c->op, "~") != 0 && abdb_condition_value_to_number(c->value, unit, &number);
    if (abdb_condition_has_ordering_operator(c))
        TRY(abdb_condition_require_number(c, unit, &number, err));
    abdb_text_printf(&q->sql,
                     " AND (EXISTS (SELECT 1 FROM point_factor p WHERE p.point_id = r.point_id AND"
                     " p.factor = ? AND p.state = 'known' AND p.%s %s ?) OR EXISTS (SELECT 1 FROM"
                     " name_factor p WHERE p.spelling = r.raw_device AND p.factor = ? AND p.%s %s"
                     " ?))",
                     by_number ? "num" : "text", abdb_condition_sql_operator(c),
                     by_number ? "num" : "text", abdb_condition_sql_operator(c));
    for (int part = 0; part < 2; part++)
        if (!abdb_bind_add_text(&q->binds, abdb_arena_copy(q->arena, factor, strlen(factor))) ||
            !(by_number ? abdb_bind_add_number(&q->binds, number)
                        : abdb_bind_add_text(&q->binds, c->value)))
            st = fail_too_many_values(err);
done:
    free(names);
    abdb_table_free(&known);
    return st;
}

abdb_status abdb_comparable_column_exists(sqlite3 *db, const char *name, bool *exists,
                                          abdb_error *err)
{
    abdb_table found = {0};
    abdb_status st = abdb_query_with_three_texts_to_table(
        db, "SELECT 1 FROM column_doc WHERE view = 'v_comparable' AND column_name = ?1", name, NULL,
        NULL, &found, err);

    *exists = found.rows > 0;
    abdb_table_free(&found);
    return st;
}

bool abdb_is_metric_or_metric_statistic_name(const char *name)
{
    char word[64];

    snprintf(word, sizeof word, "%.*s", (int)strcspn(name, ":"), name);
    return abdb_metric_find(word) != NULL;
}

/* An ordered condition on a date. Both sides are compared as precisely as the right one is stated:
 * 2026-11-05 is not after 2026-11. A less precise date is neither before nor after the dates
 * within it. */
static abdb_status append_ordered_date_condition(abdb_selection_query *q, const abdb_condition *c,
                                                 abdb_error *err)
{
    char date[ABDB_DATE_SIZE];
    abdb_status st = abdb_condition_require_date(c, date, err);
    const char *text;

    if (st != ABDB_OK) return st;
    text = abdb_arena_printf(q->arena, "%s", date);
    abdb_text_printf(&q->sql,
                     " AND substr(r.%s, 1, %zu) %s ? AND NOT (length(r.%s) < %zu AND substr(?, 1,"
                     " length(r.%s)) = r.%s)",
                     c->column, strlen(date), c->op, c->column, strlen(date), c->column,
                     c->column); /* a known name */
    return text && abdb_bind_add_text(&q->binds, text) && abdb_bind_add_text(&q->binds, text)
               ? ABDB_OK
               : fail_too_many_values(err);
}

/* `work`: the name of a model or of a workload. */
static abdb_status append_model_or_workload_condition(abdb_selection_query *q,
                                                      const abdb_condition *c, abdb_error *err)
{
    const char *canon;
    abdb_status st = ABDB_OK;

    if (strcmp(c->op, "=") != 0)
        return ABDB_FAIL(err, ABDB_USAGE, "work wants '=': the name of a model or workload");
    TRY(resolve_name_note_choice(q, "model", c->value, &canon, err));
    abdb_text_puts(&q->sql, " AND (r.raw_model IN (SELECT spelling FROM name WHERE kind = 'model'"
                            " AND whole = ?) OR r.raw_workload IN (SELECT spelling FROM name"
                            " WHERE kind = 'model' AND whole = ?))");
    if (!abdb_bind_add_text(&q->binds, canon) || !abdb_bind_add_text(&q->binds, canon))
        st = fail_too_many_values(err);
done:
    return st;
}

/* The results that an index finds by a printed key; the condition itself then picks among them. */
static abdb_status append_entry_key_prefilter_condition(abdb_selection_query *q,
                                                        const abdb_condition *c, abdb_error *err)
{
    abdb_text_puts(&q->sql,
                   " AND r.result_id IN (SELECT x.result_id FROM entry_row w JOIN result_row x"
                   " USING (entry_id) WHERE w.entry_key = key_number(?))");
    return abdb_bind_add_text(&q->binds, c->value) ? ABDB_OK : fail_too_many_values(err);
}

/* `vendor`: of a device of the system, by the dictionary. */
static abdb_status append_vendor_condition(abdb_selection_query *q, const abdb_condition *c,
                                           abdb_error *err)
{
    static const char spellings[] =
        " IN (SELECT n.spelling FROM v_name n JOIN v_device d ON d.device = n.canon WHERE"
        " n.kind = 'device' AND d.vendor = ? COLLATE NOCASE)";
    abdb_status st = ABDB_OK;

    if (strcmp(c->op, "=") != 0 && strcmp(c->op, "!=") != 0)
        return ABDB_FAIL(err, ABDB_USAGE, "vendor is a name: compare it with = or !=");
    TRY(abdb_require_word_among_sql_values(
        q->db, "SELECT DISTINCT vendor FROM v_device WHERE vendor IS NOT NULL ORDER BY 1", "vendor",
        c->value, err));
    abdb_text_printf(&q->sql, *c->op == '=' ? " AND r.raw_device%s" : " AND r.raw_device NOT%s",
                     spellings);
    if (!abdb_bind_add_text(&q->binds, c->value)) st = fail_too_many_values(err);
done:
    return st;
}

abdb_status abdb_append_condition_sql(abdb_selection_query *q, const abdb_condition *c,
                                      abdb_error *err)
{
    double number;
    bool column;
    abdb_status st = ABDB_OK;

    if (abdb_condition_is_round_bound_parse_order(c, &number) && !q->names_quantity) {
        abdb_text_printf(&q->sql, " AND r.round_order %s ?", c->op);
        return abdb_bind_add_number(&q->binds, number) ? ABDB_OK : fail_too_many_values(err);
    }
    if (strip_factor_prefix(c->column) != c->column) return append_factor_condition(q, c, err);
    if (strcmp(c->column, "run") == 0) return append_run_condition(q, c, err);
    if (strcmp(c->column, "device") == 0)
        return append_name_condition_over_aliases(q, c, "device", "raw_device", err);
    if (strcmp(c->column, "model") == 0)
        return append_name_condition_over_aliases(q, c, "model", "raw_model", err);
    if (strcmp(c->column, "workload") == 0)
        return append_name_condition_over_aliases(q, c, "model", "raw_workload", err);
    if (strcmp(c->column, "work") == 0) return append_model_or_workload_condition(q, c, err);
    if (strcmp(c->column, "vendor") == 0 && !q->names_quantity)
        return append_vendor_condition(q, c, err);
    TRY(abdb_comparable_column_exists(q->db, c->column, &column, err));
    if (!column)
        return abdb_is_metric_or_metric_statistic_name(c->column)
                   ? append_same_run_metric_condition(q, c, err)
                   : append_factor_condition(q, c, err);
    if (strcmp(c->column, "key") == 0 && strcmp(c->op, "=") == 0 && !q->names_quantity)
        TRY(append_entry_key_prefilter_condition(q, c, err));
    if (abdb_is_date_column_name(c->column) && abdb_condition_has_ordering_operator(c))
        return append_ordered_date_condition(q, c, err);
    if (strcmp(c->op, "~") == 0 ||
        (!abdb_is_listed_numeric_column(c->column) && !abdb_condition_has_ordering_operator(c))) {
        abdb_text_printf(&q->sql, " AND r.%s %s ?", c->column, abdb_condition_sql_operator(c));
        return abdb_bind_add_text(&q->binds, c->value) ? ABDB_OK : fail_too_many_values(err);
    }
    if (!abdb_is_listed_numeric_column(c->column))
        TRY(ABDB_FAIL(err, ABDB_USAGE, "%s is text, which has no order: compare it with =, != or ~",
                      c->column));
    TRY(abdb_condition_require_number(c, NULL, &number, err));
    abdb_text_printf(&q->sql, " AND r.%s %s ?", c->column, abdb_condition_sql_operator(c));
    if (!abdb_bind_add_number(&q->binds, number)) st = fail_too_many_values(err);
done:
    return st;
}

/* selection_sql.c - selections as SQL: every name looked up, every value bound, nothing of the
 * reader's text in the statement but columns that were found to exist. See result_set.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "query/compare/result_set.h"
#include "query/compare/selection_spelling.h"

/* What a selection becomes. */
typedef struct {
    sqlite3 *db;
    const abdb_normalisation *measure;
    abdb_text sql;
    abdb_binds binds;
    abdb_arena *arena;
    bool names_metric, names_quantity, names_statistic;
    size_t skip;      /* condition to leave out, to tell which one picks nothing */
    bool any_metric;  /* to tell which there are */
    const char *note; /* a name that was taken for a longer one; NULL: none was */
} query;

static abdb_status query_with_three_texts(sqlite3 *db, const char *sql, const char *a,
                                          const char *b, const char *c, abdb_table *out,
                                          abdb_error *err)
{
    abdb_binds binds = {0};

    (void)(abdb_bind_add_text(&binds, a) && abdb_bind_add_text(&binds, b) &&
           abdb_bind_add_text(&binds, c));
    return abdb_query_to_table(db, sql, &binds, out, err);
}

/* --- conditions ------------------------------------------------------------------------------- */

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
    if (c->value[6] && (c->value[6] != '~' ||
                        !abdb_count_parse(c->value + 7, ABDB_MARK_UNKNOWN, 0, 1000000, &back)))
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
static abdb_status append_run_condition(query *q, const abdb_condition *c, abdb_error *err)
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

/* The name that a word means; where the question decides between several, the note says so. */
static abdb_status resolve_name_note_choice(query *q, const char *kind, const char *word,
                                            const char **canon, abdb_error *err)
{
    const abdb_normalisation *measure = strcmp(kind, "model") == 0 ? q->measure : NULL;
    bool decided;
    abdb_status st =
        abdb_resolve_name_by_metric(q->db, kind, word, measure, canon, &decided, q->arena, err);

    if (st == ABDB_OK && decided)
        q->note = abdb_arena_printf(q->arena,
                                    "%s '%s' is taken for %s, the only one of that name"
                                    " with such results",
                                    kind, word, *canon);
    return st;
}

/* Names that aliases resolve: the row keeps the spelling that was published, so the condition asks
 * for all spellings of the canonical name, which an index answers. */
static abdb_status append_alias_condition(query *q, const abdb_condition *c, const char *kind,
                                          const char *column, abdb_error *err)
{
    const char *canon;
    bool equal = strcmp(c->op, "=") == 0;
    abdb_status st = ABDB_OK;

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
static abdb_status append_metric_condition(query *q, const abdb_condition *c, abdb_error *err)
{
    const char *colon = strchr(c->column, ':');
    const char *metric = abdb_arena_copy(q->arena, c->column,
                                         colon ? (size_t)(colon - c->column) : strlen(c->column));
    double value;

    if (!abdb_double_parse(c->value, ABDB_MARK_UNKNOWN, &value))
        return ABDB_FAIL(err, ABDB_USAGE, "%s is a metric: '%s' is not a number", c->column,
                         c->value);
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

/* A condition on what is no column: an EXISTS over the factors of the row's point, compared as a
 * number where the value is one. The factor's name is checked first, as one that nobody has
 * would select nothing without a word. */
static abdb_status append_factor_condition(query *q, const abdb_condition *c, abdb_error *err)
{
    const char *factor = strip_factor_prefix(c->column);
    abdb_table known = {0};
    const char **names = NULL, *near;
    double number;
    bool by_number =
        abdb_double_parse(c->value, ABDB_MARK_UNKNOWN, &number) && strcmp(c->op, "~") != 0;
    abdb_status st = ABDB_OK;

    TRY(abdb_query_to_table(
        q->db,
        "SELECT factor FROM factor UNION SELECT factor FROM decoration WHERE factor IS"
        " NOT NULL UNION SELECT column_name FROM column_doc WHERE view ="
        " 'v_comparable' UNION SELECT metric FROM metric",
        NULL, &known, err));
    names = calloc(known.rows + 1, sizeof *names);
    if (!names) TRY(ABDB_FAIL(err, ABDB_NOMEM, "names of factors"));
    for (size_t i = 0; i < known.rows; i++) {
        names[i] = known.value[i].text;
        if (strcmp(names[i], factor) == 0) goto found;
    }
    near = abdb_nearest_name(factor, names, known.rows);
    TRY(ABDB_FAIL(err, ABDB_USAGE, "no column, factor or metric is called '%s'%s%s%s", c->column,
                  near ? "; did you mean '" : "", near ? near : "", near ? "'?" : ""));
found:
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

static abdb_status column_exists(sqlite3 *db, const char *name, bool *yes, abdb_error *err)
{
    abdb_table found = {0};
    abdb_status st = query_with_three_texts(
        db, "SELECT 1 FROM column_doc WHERE view = 'v_comparable' AND column_name = ?1", name, NULL,
        NULL, &found, err);

    *yes = found.rows > 0;
    abdb_table_free(&found);
    return st;
}

static bool is_metric_name(const char *name)
{
    char word[64];

    snprintf(word, sizeof word, "%.*s", (int)strcspn(name, ":"), name);
    return abdb_metric_find(word) != NULL;
}

/* `work`: what was run, by the name of a model or of a workload. */
static abdb_status append_work_condition(query *q, const abdb_condition *c, abdb_error *err)
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

/* The results that an index leads to from a printed key; which of them it is the condition says. */
static abdb_status append_key_condition(query *q, const abdb_condition *c, abdb_error *err)
{
    abdb_text_puts(&q->sql,
                   " AND r.result_id IN (SELECT x.result_id FROM entry_row w JOIN result_row x"
                   " USING (entry_id) WHERE w.entry_key = key_number(?))");
    return abdb_bind_add_text(&q->binds, c->value) ? ABDB_OK : fail_too_many_values(err);
}

static abdb_status append_condition_sql(query *q, const abdb_condition *c, abdb_error *err)
{
    double number;
    bool column;
    abdb_status st = ABDB_OK;

    if (abdb_condition_is_round_range(c, &number) && !q->names_quantity) {
        abdb_text_printf(&q->sql, " AND r.round_order %s ?", c->op);
        return abdb_bind_add_number(&q->binds, number) ? ABDB_OK : fail_too_many_values(err);
    }
    if (strip_factor_prefix(c->column) != c->column) return append_factor_condition(q, c, err);
    if (strcmp(c->column, "run") == 0) return append_run_condition(q, c, err);
    if (strcmp(c->column, "device") == 0)
        return append_alias_condition(q, c, "device", "raw_device", err);
    if (strcmp(c->column, "model") == 0)
        return append_alias_condition(q, c, "model", "raw_model", err);
    if (strcmp(c->column, "workload") == 0)
        return append_alias_condition(q, c, "model", "raw_workload", err);
    if (strcmp(c->column, "work") == 0) return append_work_condition(q, c, err);
    TRY(column_exists(q->db, c->column, &column, err));
    if (!column)
        return is_metric_name(c->column) ? append_metric_condition(q, c, err)
                                         : append_factor_condition(q, c, err);
    if (strcmp(c->column, "key") == 0 && strcmp(c->op, "=") == 0 && !q->names_quantity)
        TRY(append_key_condition(q, c, err));
    abdb_text_printf(&q->sql, " AND r.%s %s ?", c->column,
                     abdb_condition_sql_operator(c)); /* a known name */
    if (strcmp(c->op, "~") == 0 || !abdb_column_is_numeric(c->column))
        return abdb_bind_add_text(&q->binds, c->value) ? ABDB_OK : fail_too_many_values(err);
    if (!abdb_double_parse(c->value, ABDB_MARK_UNKNOWN, &number))
        return ABDB_FAIL(err, ABDB_USAGE, "%s wants a number, not '%s'", c->column, c->value);
    if (!abdb_bind_add_number(&q->binds, number)) st = fail_too_many_values(err);
done:
    return st;
}

/* What is compared where nobody says: the rate or score of a statement, the time of a kernel. */
static void append_default_metric(query *q, const abdb_normalisation *m)
{
    if (q->names_quantity || q->any_metric) return;
    if (m->metric) {
        abdb_text_puts(&q->sql, " AND r.metric = ?");
        (void)!abdb_bind_add_text(&q->binds, m->metric);
    } else if (abdb_normalisation_needs_rates(m))
        abdb_text_puts(&q->sql, " AND r.metric_class IN ('performance', 'bandwidth')"
                                " AND r.better = 'higher' AND r.unit LIKE '%/s'"
                                " AND (r.metric <> 'queries_per_s' OR r.evidence <> 'measured' OR"
                                " NOT EXISTS (SELECT 1 FROM result t WHERE t.entry_id ="
                                " r.entry_id AND t.metric = 'tokens_per_s'))");
    else if (!q->names_metric) {
        abdb_text_puts(
            &q->sql, /* of a measured run: its tokens per second, else its time */
            " AND ((r.evidence <> 'measured' AND r.metric_class = 'performance') OR"
            " (r.evidence = 'measured' AND r.metric = (SELECT t.metric FROM result t WHERE"
            " t.entry_id = r.entry_id AND t.metric IN ('tokens_per_s', 'time_s', r.metric)"
            " ORDER BY t.metric <> 'tokens_per_s', t.metric <> 'time_s', t.metric LIMIT 1)"
            " AND (r.metric_class = 'performance' OR (r.metric = 'time_s' AND r.statistic"
            " IN ('median', 'mean', 'value')))))");
        if (!q->names_statistic) /* of several statistics of the same samples the one with them */
            abdb_text_puts(
                &q->sql,
                " AND (r.evidence <> 'measured' OR EXISTS (SELECT 1 FROM result_row x"
                " WHERE x.result_id = r.result_id AND x.first_sample IS NOT NULL)"
                " OR NOT EXISTS (SELECT 1 FROM result_row x JOIN quantity t USING (quantity_id)"
                " WHERE x.entry_id = r.entry_id AND t.metric = r.metric"
                " AND x.first_sample IS NOT NULL))");
    }
}

static abdb_status build_select_sql(query *q, const abdb_selection *s, const abdb_normalisation *m,
                                    const char *columns, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    abdb_text_clear(&q->sql);
    q->binds.count = 0;
    for (size_t i = 0; i < s->count; i++) {
        q->names_quantity |= strcmp(s->condition[i].column, "quantity") == 0;
        q->names_statistic |= strcmp(s->condition[i].column, "statistic") == 0;
        q->names_metric |= strncmp(s->condition[i].column, "metric", 6) == 0;
    }
    abdb_text_printf(&q->sql, "SELECT %s FROM %s r WHERE 1", columns,
                     q->names_quantity ? "v_comparable_spec" : "v_comparable");
    for (size_t i = 0; i < s->count; i++)
        if (i != q->skip) TRY(append_condition_sql(q, &s->condition[i], err));
    append_default_metric(q, m);
    /* One more than ABDB_MEMBERS_MAX, so that too many are noticed. */
    abdb_text_puts(&q->sql, " ORDER BY r.round_order, r.key LIMIT 20001");
    if (q->sql.failed) st = ABDB_FAIL(err, ABDB_NOMEM, "a selection");
done:
    return st;
}

/* Conditions on metrics that nobody here stated: "; no result here says its ttft_s:p99". */
static abdb_status append_unstated_metrics(query *q, const abdb_selection *s, abdb_text *message,
                                           abdb_error *err)
{
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < s->count; i++) {
        const char *column = s->condition[i].column, *colon = strchr(column, ':');
        abdb_table found = {0};
        char metric[64];
        bool known;

        TRY(column_exists(q->db, column, &known, err));
        if (known || !is_metric_name(column)) continue;
        snprintf(metric, sizeof metric, "%.*s", (int)strcspn(column, ":"), column);
        TRY(query_with_three_texts(
            q->db,
            "SELECT 1 FROM result WHERE metric = ?1 AND (?2 IS NULL OR statistic = ?2)"
            " LIMIT 1",
            metric, colon ? colon + 1 : NULL, NULL, &found, err));
        if (!found.rows) abdb_text_printf(message, "; no result here says its %s", column);
        abdb_table_free(&found);
    }
done:
    return st;
}

/* What is there instead: "; these are of metric time_to_train_s (--metric takes one)". */
static abdb_status append_available_metrics(query *q, const abdb_selection *s,
                                            const abdb_normalisation *m, abdb_text *message,
                                            abdb_error *err)
{
    const char *lead = abdb_normalisation_needs_rates(m)
                           ? "; --per divides rates only, not times, latencies and"
                             " fractions: these are of metric"
                           : "; these are of metric";
    abdb_table found = {0};
    abdb_status st = ABDB_OK;

    q->any_metric = true;
    q->skip = SIZE_MAX;
    TRY(build_select_sql(q, s, m, "r.metric", err));
    TRY(abdb_query_to_table(q->db, abdb_text_get(&q->sql), &q->binds, &found, err));
    for (size_t i = 0; i < found.rows; i++) {
        const char *name = abdb_cell_text_or_empty(&found, i, 0);

        if (!abdb_list_has_word(abdb_text_get(message), ' ', name, strlen(name)))
            abdb_text_printf(message, "%s %s", i ? "" : lead, name);
    }
    if (found.rows) abdb_text_puts(message, " (--metric takes one)");
done:
    q->any_metric = false;
    abdb_table_free(&found);
    return st;
}

/* The error of a selection that picks nothing: the first condition without which there would be
 * results. */
static abdb_status fail_empty_selection(query *q, const abdb_selection *s,
                                        const abdb_normalisation *m, const char *selection,
                                        const char *where, abdb_error *err)
{
    abdb_text words = {0};
    abdb_status st = ABDB_OK;

    TRY(append_unstated_metrics(q, s, &words, err));
    if (!words.size && !m->metric) TRY(append_available_metrics(q, s, m, &words, err));
    for (q->skip = 0; q->skip < s->count; q->skip++) {
        const abdb_condition *c = &s->condition[q->skip];
        abdb_table rest = {0};

        st = build_select_sql(q, s, m, "r.result_id", err);
        if (st == ABDB_OK)
            st = abdb_query_to_table(q->db, abdb_text_get(&q->sql), &q->binds, &rest, err);
        if (st == ABDB_OK && rest.rows && !words.size)
            abdb_text_printf(&words, "; without %s%s%s there %s %zu", c->column, c->op, c->value,
                             rest.rows == 1 ? "is" : "are", rest.rows);
        abdb_table_free(&rest);
        if (st != ABDB_OK) break;
    }
    if (st == ABDB_OK)
        st = ABDB_FAIL(err, ABDB_USAGE, "no result matches '%s%s%s'%s%s%s", selection,
                       where && *selection ? "," : "", where ? where : "",
                       m->metric ? " with metric " : "", m->metric ? m->metric : "",
                       abdb_text_get(&words));
done:
    abdb_text_free(&words);
    return st;
}

/* No result of this model fits, but the word is that of a family: the shortest name of it that has
 * some is meant (llama2-70b: the benchmark llama2-70b-99), and the set's note says so. A model that
 * only begins so is another one, llama2-70b-99.9 is not llama2-70b-99. Fills its table. */
static abdb_status retry_with_longer_model_name(query *q, abdb_selection *s,
                                                const abdb_normalisation *m,
                                                const char *select_columns, abdb_set *set,
                                                abdb_error *err)
{
    static const char *const of_models[] = {"model", "work", "workload", NULL};
    abdb_table longer = {0};
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < s->count && !set->table.rows; i++) {
        abdb_condition *c = &s->condition[i];
        const char *typed = c->value;
        char folded[256];

        if (strcmp(c->op, "=") != 0 || !abdb_text_is_in_list(c->column, of_models)) continue;
        abdb_fold_name(typed, folded, sizeof folded);
        abdb_table_free(&longer);
        TRY(query_with_three_texts(q->db,
                                   "SELECT model FROM model WHERE abdb_fold(family) = ?1"
                                   " AND abdb_fold(model) <> ?1 ORDER BY length(model), model",
                                   folded, NULL, NULL, &longer, err));
        for (size_t k = 0; k < longer.rows && !set->table.rows; k++) {
            c->value = abdb_cell_text_or_empty(&longer, k, 0);
            TRY(build_select_sql(q, s, m, select_columns, err));
            abdb_table_free(&set->table);
            TRY(abdb_query_to_table(q->db, abdb_text_get(&q->sql), &q->binds, &set->table, err));
        }
        if (set->table.rows)
            set->note = abdb_arena_printf(&set->arena, "no result of %s '%s' fits: taken for %s",
                                          c->column, typed, c->value);
        c->value = typed;
    }
done:
    abdb_table_free(&longer);
    return st;
}

abdb_status abdb_set_select_rows(abdb_set *set, sqlite3 *db, const char *where,
                                 const abdb_normalisation *m, abdb_error *err)
{
    static const char columns[] =
#define X(name) ", r." #name
        ABDB_MEMBER_COLUMNS(X)
#undef X
        ;
    query q = {.db = db, .measure = m, .arena = &set->arena, .skip = SIZE_MAX};
    abdb_selection s = {0};
    abdb_status st = ABDB_OK;

    if (*set->selection) TRY(abdb_selection_parse_respelled(&s, db, set->selection, err));
    if (where && *where) TRY(abdb_selection_parse_respelled(&s, db, where, err));
    TRY(build_select_sql(&q, &s, m, columns + 2, err));
    TRY(abdb_query_to_table(db, abdb_text_get(&q.sql), &q.binds, &set->table, err));
    if (!set->table.rows) TRY(retry_with_longer_model_name(&q, &s, m, columns + 2, set, err));
    if (!set->table.rows) TRY(fail_empty_selection(&q, &s, m, set->selection, where, err));
    if (set->table.rows > ABDB_MEMBERS_MAX)
        TRY(ABDB_FAIL(err, ABDB_LIMIT, "'%s' picks more than %d results; say more of what you mean",
                      set->selection, ABDB_MEMBERS_MAX));
    if (!set->note) set->note = q.note;
done:
    abdb_selection_free(&s);
    abdb_text_free(&q.sql);
    return st;
}

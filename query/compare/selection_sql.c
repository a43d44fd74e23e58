/* selection_sql.c - selections as SQL: every name looked up, every value bound; from the reader's
 * text only names of existing columns enter the statement. See result_set.h. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "query/compare/selection_query.h"
#include "query/compare/selection_spelling.h"

/* Default metric without a choice: the rate or score of a statement, the time of a kernel. */
static void append_metric_or_default_metric_conditions(abdb_selection_query *q,
                                                       const abdb_normalisation *m)
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
            &q->sql, /* of a program its wall time, else tokens per second, else the time */
            " AND ((r.evidence <> 'measured' AND r.metric_class = 'performance') OR"
            " (r.evidence = 'measured' AND r.metric = CASE r.benchmark WHEN 'wall-time' THEN"
            " 'time_s' ELSE (SELECT t.metric FROM result t WHERE"
            " t.entry_id = r.entry_id AND t.metric IN ('tokens_per_s', 'time_s', r.metric)"
            " ORDER BY t.metric <> 'tokens_per_s', t.metric <> 'time_s', t.metric LIMIT 1) END"
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

/* Builds the query of a selection that reads these columns: all its conditions but q->skip, and the
 * usual metric and statistic where none is named. */
static abdb_status build_select_sql_without_skipped_condition(abdb_selection_query *q,
                                                              const abdb_selection *s,
                                                              const abdb_normalisation *m,
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
        if (i != q->skip) TRY(abdb_append_condition_sql(q, &s->condition[i], err));
    append_metric_or_default_metric_conditions(q, m);
    /* One more than ABDB_MEMBERS_MAX, so that too many are noticed. */
    abdb_text_puts(&q->sql, " ORDER BY r.round_order, r.key LIMIT 20001");
    if (q->sql.failed) st = ABDB_FAIL(err, ABDB_NOMEM, "a selection");
done:
    return st;
}

/* Adds a note on metrics that no result here states: "; no result here says its ttft_s:p99". */
static abdb_status append_condition_metrics_nobody_states(abdb_selection_query *q,
                                                          const abdb_selection *s,
                                                          abdb_text *message, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < s->count; i++) {
        const char *column = s->condition[i].column, *colon = strchr(column, ':');
        abdb_table found = {0};
        char metric[64];
        bool known;

        TRY(abdb_comparable_column_exists(q->db, column, &known, err));
        if (known || !abdb_is_metric_or_metric_statistic_name(column)) continue;
        snprintf(metric, sizeof metric, "%.*s", (int)strcspn(column, ":"), column);
        TRY(abdb_query_with_three_texts_to_table(
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

/* The metrics that exist instead: "; these are of metric time_to_train_s (--metric takes one)". */
static abdb_status append_metrics_of_otherwise_matching_results(abdb_selection_query *q,
                                                                const abdb_selection *s,
                                                                const abdb_normalisation *m,
                                                                abdb_text *message, abdb_error *err)
{
    const char *lead = abdb_normalisation_needs_rates(m)
                           ? "; --per divides rates only, not times, latencies and"
                             " fractions: these are of metric"
                           : "; these are of metric";
    abdb_table found = {0};
    abdb_status st = ABDB_OK;

    q->any_metric = true;
    q->skip = SIZE_MAX;
    TRY(build_select_sql_without_skipped_condition(q, s, m, "r.metric", err));
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

/* The error of an empty selection: the first condition without which there would be results. */
static abdb_status fail_empty_selection_naming_cause(abdb_selection_query *q,
                                                     const abdb_selection *s,
                                                     const abdb_normalisation *m,
                                                     const char *selection, const char *where,
                                                     abdb_error *err)
{
    abdb_text words = {0};
    abdb_status st = ABDB_OK;

    TRY(append_condition_metrics_nobody_states(q, s, &words, err));
    if (!words.size && !m->metric)
        TRY(append_metrics_of_otherwise_matching_results(q, s, m, &words, err));
    for (q->skip = 0; q->skip < s->count; q->skip++) {
        const abdb_condition *c = &s->condition[q->skip];
        abdb_table rest = {0};

        st = build_select_sql_without_skipped_condition(q, s, m, "r.result_id", err);
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

/* Is it a condition on the name of a model: model=llama2-70b? */
static bool names_model(const abdb_condition *c)
{
    static const char *const of_models[] = {"model", "work", "workload", NULL};

    return strcmp(c->op, "=") == 0 && abdb_text_is_in_list(c->column, of_models);
}

/* Models of the family of that name, but not one that has the name itself; the shortest first. */
static abdb_status find_models_of_family(sqlite3 *db, const char *name, abdb_table *out,
                                         abdb_error *err)
{
    char folded[256];

    abdb_fold_name_drop_punctuation(name, folded, sizeof folded);
    return abdb_query_with_three_texts_to_table(
        db,
        "SELECT model FROM model WHERE abdb_fold(family) = ?1"
        " AND abdb_fold(model) <> ?1 ORDER BY length(model), model",
        folded, NULL, NULL, out, err);
}

/* Keeps in the set the model taken for the name of a condition, and the note about it or NULL. */
static void note_model(abdb_set *set, const abdb_condition *c, const char *taken, const char *note)
{
    set->note = note;
    set->typed_model = abdb_arena_copy(&set->arena, c->value, strlen(c->value));
    set->taken_model = abdb_arena_copy(&set->arena, taken, strlen(taken));
}

/* The rounds of the selection's results of one model; *newest: order of the last, or 0. */
static abdb_status query_rounds_of_model(abdb_selection_query *q, const abdb_selection *s,
                                         const abdb_normalisation *m, abdb_condition *c,
                                         const char *model, abdb_table *found, long long *newest,
                                         abdb_error *err)
{
    abdb_status st;

    c->value = model;
    st = build_select_sql_without_skipped_condition(q, s, m, "r.round_order, r.round", err);
    if (st == ABDB_OK)
        st = abdb_query_to_table(q->db, abdb_text_get(&q->sql), &q->binds, found, err);
    *newest = found->rows ? found->value[(found->rows - 1) * found->columns].integer : 0;
    return st;
}

/* Appends "llama2-70b-99 (292), ...": other models, with results and a newer round. */
static abdb_status append_other_models(abdb_selection_query *q, const abdb_selection *s,
                                       const abdb_normalisation *m, abdb_condition *c,
                                       const abdb_table *models, const char *taken, abdb_text *out,
                                       abdb_error *err)
{
    const char *typed = c->value;
    abdb_table found = {0};
    long long first = LLONG_MAX, newest;
    abdb_status st = ABDB_OK;

    if (*taken) st = query_rounds_of_model(q, s, m, c, taken, &found, &first, err);
    for (size_t k = 0; k < models->rows && st == ABDB_OK; k++) {
        const char *model = abdb_cell_text_or_empty(models, k, 0);

        if (strcmp(model, taken) == 0) continue;
        abdb_table_free(&found);
        st = query_rounds_of_model(q, s, m, c, model, &found, &newest, err);
        if (st != ABDB_OK || !found.rows) continue;
        abdb_text_printf(out, "%s%s (%zu%s%s)", out->size ? ", " : "", model, found.rows,
                         newest > first ? ", newest " : "",
                         newest > first ? abdb_cell_text_or_empty(&found, found.rows - 1, 1) : "");
    }
    c->value = typed;
    abdb_table_free(&found);
    return st;
}

/* No result of this model fits, but the word names a family: the family's shortest name with
 * results is taken (llama2-70b: the benchmark llama2-70b-99), and the set gets a note. A longer
 * name is not the same model: llama2-70b-99.9 is not llama2-70b-99. Fills its table. */
static abdb_status retry_with_model_of_same_family(abdb_selection_query *q, abdb_selection *s,
                                                   const abdb_normalisation *m,
                                                   const char *select_columns, abdb_set *set,
                                                   abdb_error *err)
{
    abdb_table longer = {0};
    abdb_text others = {0};
    const char *taken;
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < s->count && !set->table.rows; i++) {
        abdb_condition *c = &s->condition[i];
        const char *typed = c->value;

        if (!names_model(c)) continue;
        abdb_table_free(&longer);
        TRY(find_models_of_family(q->db, typed, &longer, err));
        for (size_t k = 0; k < longer.rows && !set->table.rows; k++) {
            c->value = abdb_cell_text_or_empty(&longer, k, 0);
            TRY(build_select_sql_without_skipped_condition(q, s, m, select_columns, err));
            abdb_table_free(&set->table);
            TRY(abdb_query_to_table(q->db, abdb_text_get(&q->sql), &q->binds, &set->table, err));
        }
        taken = c->value;
        c->value = typed;
        if (!set->table.rows) continue;
        TRY(append_other_models(q, s, m, c, &longer, taken, &others, err));
        note_model(set, c, taken,
                   abdb_arena_printf(&set->arena, "no result of %s '%s' fits: taken for %s%s%s",
                                     c->column, typed, taken, others.size ? "; also: " : "",
                                     abdb_text_get(&others)));
    }
done:
    abdb_table_free(&longer);
    abdb_text_free(&others);
    return st;
}

/* Is a result of the table one of MLPerf? */
static bool any_member_is_of_mlperf(const abdb_set *set)
{
    for (size_t i = 0; i < set->table.rows; i++)
        if (strcmp(abdb_member_text(set, i, ABDB_M_evidence), "mlperf") == 0) return true;
    return false;
}

/* Loads the results of the first of these models that has one of MLPerf, and notes it, if any. */
static abdb_status take_first_model_with_mlperf_result(abdb_selection_query *q, abdb_selection *s,
                                                       const abdb_normalisation *m,
                                                       const char *select_columns,
                                                       abdb_condition *c, const abdb_table *models,
                                                       abdb_set *set, abdb_error *err)
{
    const char *typed = c->value, *taken = NULL;
    abdb_table own = set->table;
    abdb_text others = {0};
    abdb_status st = ABDB_OK;

    abdb_text_printf(&others, "%s (%zu)", abdb_member_text(set, 0, ABDB_M_model), own.rows);
    set->table = (abdb_table){0};
    for (size_t k = 0; k < models->rows && !taken; k++) {
        abdb_table_free(&set->table);
        c->value = abdb_cell_text_or_empty(models, k, 0);
        TRY(build_select_sql_without_skipped_condition(q, s, m, select_columns, err));
        TRY(abdb_query_to_table(q->db, abdb_text_get(&q->sql), &q->binds, &set->table, err));
        if (any_member_is_of_mlperf(set)) taken = c->value;
    }
    c->value = typed;
    if (!taken) goto done;
    TRY(append_other_models(q, s, m, c, models, taken, &others, err));
    note_model(set, c, taken,
               abdb_arena_printf(&set->arena, "%s '%s' is taken for %s (%zu here); also: %s",
                                 c->column, typed, taken, set->table.rows, abdb_text_get(&others)));
done:
    c->value = typed;
    if (!taken) {
        abdb_table_free(&set->table);
        set->table = own;
    } else
        abdb_table_free(&own);
    abdb_text_free(&others);
    return st;
}

/* Results of a model's own name fit, none of MLPerf, but the word also names a family with a
 * benchmark: the benchmark is taken, as it was before these results were imported, unless the word
 * is spelled as the model. Fills the set's table and note. */
static abdb_status prefer_benchmark_of_same_family(abdb_selection_query *q, abdb_selection *s,
                                                   const abdb_normalisation *m,
                                                   const char *select_columns, abdb_set *set,
                                                   abdb_error *err)
{
    abdb_table models = {0};
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < s->count && !any_member_is_of_mlperf(set); i++) {
        abdb_condition *c = &s->condition[i];

        if (!names_model(c) || strcmp(c->value, abdb_member_text(set, 0, ABDB_M_model)) == 0)
            continue;
        abdb_table_free(&models);
        TRY(find_models_of_family(q->db, c->value, &models, err));
        TRY(take_first_model_with_mlperf_result(q, s, m, select_columns, c, &models, set, err));
    }
done:
    abdb_table_free(&models);
    return st;
}

/* Models whose name begins with the word and "-", the shortest first. */
static abdb_status find_models_beginning_with(sqlite3 *db, const char *word, abdb_table *out,
                                              abdb_error *err)
{
    return abdb_query_with_three_texts_to_table(
        db,
        "SELECT DISTINCT whole FROM name WHERE kind = 'model' AND"
        " lower(substr(whole, 1, length(?1) + 1)) = lower(?1) || '-'"
        " ORDER BY length(whole), whole",
        word, NULL, NULL, out, err);
}

/* Results of a model's own name fit, but the word also names a family, or begins the names of
 * others: the set's note names the chosen model and the others, so that a row of the user's own
 * does not change the chosen benchmark silently. */
static abdb_status note_other_models_of_same_family(abdb_selection_query *q, abdb_selection *s,
                                                    const abdb_normalisation *m, abdb_set *set,
                                                    abdb_error *err)
{
    abdb_table models = {0};
    abdb_text others = {0};
    const char *taken;
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < s->count && !others.size; i++) {
        abdb_condition *c = &s->condition[i];

        if (!names_model(c)) continue;
        taken = abdb_member_text(set, 0, ABDB_M_model);
        abdb_table_free(&models);
        if (strcmp(c->value, taken) != 0)
            TRY(find_models_of_family(q->db, c->value, &models, err));
        else if (!any_member_is_of_mlperf(set))
            TRY(find_models_beginning_with(q->db, c->value, &models, err));
        TRY(append_other_models(q, s, m, c, &models, taken, &others, err));
        if (!others.size && strcmp(c->value, taken) != 0) note_model(set, c, taken, NULL);
        if (others.size)
            note_model(set, c, taken,
                       abdb_arena_printf(&set->arena,
                                         "%s '%s' is taken for %s (%zu here); also: %s", c->column,
                                         c->value, taken, set->table.rows, abdb_text_get(&others)));
    }
done:
    abdb_table_free(&models);
    abdb_text_free(&others);
    return st;
}

/* The statistics of a metric in the rows that meet the other conditions, ", " between; more than
 * one only where one run has several. */
static abdb_status list_statistics_if_a_run_has_several(abdb_selection_query *q,
                                                        const abdb_selection *s,
                                                        const abdb_normalisation *m,
                                                        const char *metric, abdb_text *out,
                                                        abdb_error *err)
{
    abdb_table found = {0};
    abdb_text sql = {0};
    abdb_status st = ABDB_OK;

    q->any_metric = true;
    TRY(build_select_sql_without_skipped_condition(q, s, m, "r.entry_id AS entry_id", err));
    abdb_text_printf(
        &sql,
        "WITH picked AS MATERIALIZED (SELECT DISTINCT entry_id FROM (%s)), said AS"
        " (SELECT p.entry_id AS entry_id, o.statistic AS statistic FROM picked p JOIN"
        " result o ON o.entry_id = p.entry_id WHERE o.metric = ? AND o.statistic <>"
        " 'sd') SELECT DISTINCT statistic FROM said WHERE entry_id IN (SELECT entry_id"
        " FROM said GROUP BY entry_id HAVING count(DISTINCT statistic) > 1) ORDER BY 1",
        abdb_text_get(&q->sql));
    if (!abdb_bind_add_text(&q->binds, metric))
        TRY(ABDB_FAIL(err, ABDB_LIMIT, "a selection of more than %d values", ABDB_BIND_MAX));
    TRY(abdb_query_to_table(q->db, abdb_text_get(&sql), &q->binds, &found, err));
    for (size_t i = 0; i < found.rows; i++)
        abdb_text_printf(out, "%s%s", i ? ", " : "", abdb_cell_text_or_empty(&found, i, 0));
done:
    q->any_metric = false;
    abdb_table_free(&found);
    abdb_text_free(&sql);
    return st;
}

/* Refuses a latency condition without a statistic where rows have several, which may disagree. */
static abdb_status refuse_latency_condition_of_many_statistics(abdb_selection_query *q,
                                                               const abdb_selection *s,
                                                               const abdb_normalisation *m,
                                                               abdb_error *err)
{
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < s->count; i++) {
        const abdb_condition *c = &s->condition[i];
        const abdb_metric_info *metric = abdb_metric_find(c->column);
        abdb_text statistics = {0};
        bool is_column;

        if (!metric || strchr(c->column, ':') || strcmp(metric->unit, "s") != 0) continue;
        TRY(abdb_comparable_column_exists(q->db, c->column, &is_column, err));
        if (is_column) continue;
        q->skip = i;
        st = list_statistics_if_a_run_has_several(q, s, m, c->column, &statistics, err);
        if (st == ABDB_OK && statistics.size)
            st = ABDB_FAIL(err, ABDB_USAGE,
                           "%s%s%s: of which statistic? these results have several (%s); write"
                           " %s:p99%s%s",
                           c->column, c->op, c->value, abdb_text_get(&statistics), c->column, c->op,
                           c->value);
        abdb_text_free(&statistics);
        TRY(st);
    }
done:
    q->skip = SIZE_MAX;
    return st;
}

abdb_status abdb_set_select_rows_or_explain_none(abdb_set *set, sqlite3 *db, const char *where,
                                                 const abdb_normalisation *m, abdb_error *err)
{
    static const char columns[] =
#define X(name) ", r." #name
        ABDB_MEMBER_COLUMNS(X)
#undef X
        ;
    abdb_selection_query q = {.db = db, .measure = m, .arena = &set->arena, .skip = SIZE_MAX};
    abdb_selection s = {0};
    abdb_status st = ABDB_OK;

    if (*set->selection) TRY(abdb_selection_parse_and_respell_words(&s, db, set->selection, err));
    if (where && *where) TRY(abdb_selection_parse_and_respell_words(&s, db, where, err));
    TRY(refuse_latency_condition_of_many_statistics(&q, &s, m, err));
    TRY(build_select_sql_without_skipped_condition(&q, &s, m, columns + 2, err));
    TRY(abdb_query_to_table(db, abdb_text_get(&q.sql), &q.binds, &set->table, err));
    if (set->table.rows) {
        TRY(prefer_benchmark_of_same_family(&q, &s, m, columns + 2, set, err));
        if (!set->note) TRY(note_other_models_of_same_family(&q, &s, m, set, err));
    } else
        TRY(retry_with_model_of_same_family(&q, &s, m, columns + 2, set, err));
    if (!set->table.rows)
        TRY(fail_empty_selection_naming_cause(&q, &s, m, set->selection, where, err));
    if (set->table.rows > ABDB_MEMBERS_MAX)
        TRY(ABDB_FAIL(err, ABDB_LIMIT, "'%s' picks more than %d results; say more of what you mean",
                      set->selection, ABDB_MEMBERS_MAX));
    if (!set->note) set->note = q.note;
done:
    abdb_selection_free(&s);
    abdb_text_free(&q.sql);
    return st;
}

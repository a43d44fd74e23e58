/* latency_limit.c - which results keep a latency limit; see latency_limit.h. */
#include "query/compare/latency_limit.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "query/answer/sql_rows.h"
#include "query/compare/condition_value.h"

/* Of a metric the percentiles that the run measured, the lowest that is high enough first. */
static const char measured_sql[] =
    "SELECT value, substr(statistic, 2) + 0.0 AS percentile FROM result"
    " WHERE entry_id = ?1 AND metric IN (?2, iif(?2 = 'latency_s', 'query_latency_s', ?2))"
    " AND statistic GLOB 'p[0-9]*' AND substr(statistic, 2) + 0.0 >= ?3 ORDER BY 2 LIMIT 1";
/* The limit of a round: its benchmark is the model without its accuracy target. */
static const char required_sql[] =
    "SELECT limit_s, percentile FROM v_scenario_limit WHERE suite = ?1 AND round = ?2"
    " AND benchmark = replace(replace(?3, '-99.9', ''), '-99', '') AND scenario = ?4"
    " AND quantity = ?5 AND percentile >= ?6";

/* All limits of a round, benchmark and scenario, as words. */
static const char described_sql[] =
    "SELECT group_concat(words, ', ') FROM (SELECT CASE quantity WHEN 'ttft_s' THEN 'TTFT'"
    " WHEN 'tpot_s' THEN 'TPOT' ELSE 'latency' END || format(' p%g <= ', percentile) ||"
    " iif(limit_s < 1, format('%.4g ms', 1000 * limit_s), format('%.4g s', limit_s)) AS words"
    " FROM v_scenario_limit WHERE suite = ?1 AND round = ?2"
    " AND benchmark = replace(replace(?3, '-99.9', ''), '-99', '') AND scenario = ?4"
    " ORDER BY quantity = 'tpot_s', quantity)";

bool abdb_any_latency_limit_given(const abdb_latency_limits *limits)
{
    return !isnan(limits->ttft_s) || !isnan(limits->tpot_s) || !isnan(limits->latency_s);
}

abdb_status abdb_parse_latency_limit_option(const char *option, const char *text, double *out,
                                            abdb_error *err)
{
    *out = NAN;
    if (!text || (abdb_condition_value_to_number(text, "s", out) && *out > 0)) return ABDB_OK;
    return ABDB_FAIL(err, ABDB_USAGE, "%s is a time, such as 50ms or 2s, not '%s'", option, text);
}

/* Reads a value and its percentile from the first row of a statement; both NAN: it has none. */
static abdb_status query_value_and_percentile(sqlite3 *db, const char *sql, const abdb_binds *binds,
                                              double *value, double *percentile, abdb_error *err)
{
    abdb_table rows = {0};
    abdb_status st = ABDB_OK;

    *value = *percentile = NAN;
    TRY(abdb_query_to_table(db, sql, binds, &rows, err));
    if (!rows.rows) goto done;
    *value = abdb_cell_number_or_nan(&rows, 0, 0);
    *percentile = abdb_cell_number_or_nan(&rows, 0, 1);
done:
    abdb_table_free(&rows);
    return st;
}

/* Binds the keys of a limit of MLPerf: suite, round, model and scenario of the member. */
static void bind_suite_round_model_scenario_of_member(const abdb_set *set, size_t member,
                                                      abdb_binds *out)
{
    static const abdb_member_column keys[] = {ABDB_M_suite, ABDB_M_round, ABDB_M_model,
                                              ABDB_M_scenario};

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        (void)abdb_bind_add_text(out, abdb_member_text(set, member, keys[i]));
}

const char *abdb_latency_metric_words(const char *metric)
{
    return strcmp(metric, "ttft_s") == 0   ? "TTFT"
           : strcmp(metric, "tpot_s") == 0 ? "TPOT"
                                           : "latency";
}

void abdb_append_seconds(abdb_text *out, double seconds)
{
    abdb_text_printf(out, "%.4g %s", seconds < 1 ? seconds * 1000 : seconds,
                     seconds < 1 ? "ms" : "s");
}

/* Appends "own run: TPOT p99 = 30 ms", or the limit by the rule of its scenario; the lead only
 * where it differs from the last one. */
static void append_latency_behind_lead(abdb_text *out, const char *lead, const char **last_lead,
                                       const char *metric, double percentile, const char *relation,
                                       double value)
{
    if (out->size) abdb_text_puts(out, ", ");
    if (!*last_lead || strcmp(*last_lead, lead) != 0) abdb_text_printf(out, "%s: ", lead);
    *last_lead = lead;
    abdb_text_printf(out, "%s p%g %s ", abdb_latency_metric_words(metric), percentile, relation);
    abdb_append_seconds(out, value);
}

/* Appends how one member keeps one limit; *met stays as it is then. A member that does not keep it:
 * *met is false, and `how` has only the reason. */
static abdb_status append_how_limit_is_met_or_clear_met(const abdb_set *set, size_t member,
                                                        sqlite3 *db, const char *metric,
                                                        double limit_s, double percentile,
                                                        const char **last_lead, abdb_text *how,
                                                        bool *met, abdb_arena *arena,
                                                        abdb_error *err)
{
    const char *scenario = abdb_member_text(set, member, ABDB_M_scenario), *rule_lead;
    double measured, measured_at, required, required_at;
    abdb_binds run = {0}, rule = {0};
    abdb_status st = ABDB_OK;

    rule_lead = abdb_arena_printf(arena, "rule of %s", scenario);
    if (!rule_lead) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a latency limit"));
    (void)abdb_bind_add_number(&run, abdb_member_number(set, member, ABDB_M_entry_id));
    (void)abdb_bind_add_text(&run, metric);
    (void)abdb_bind_add_number(&run, percentile);
    TRY(query_value_and_percentile(db, measured_sql, &run, &measured, &measured_at, err));
    if (measured <= limit_s) {
        append_latency_behind_lead(how, "own run", last_lead, metric, measured_at, "=", measured);
        goto done;
    }
    bind_suite_round_model_scenario_of_member(set, member, &rule);
    (void)abdb_bind_add_text(&rule, metric);
    (void)abdb_bind_add_number(&rule, percentile);
    TRY(query_value_and_percentile(db, required_sql, &rule, &required, &required_at, err));
    if (required <= limit_s) {
        append_latency_behind_lead(how, rule_lead, last_lead, metric, required_at, "<=", required);
        goto done;
    }
    *met = false;
    *last_lead = NULL;
    abdb_text_clear(how);
    abdb_text_puts(how, "limit not kept: ");
    if (!isnan(measured))
        append_latency_behind_lead(how, "own run", last_lead, metric, measured_at, "=", measured);
    else if (!isnan(required))
        append_latency_behind_lead(how, rule_lead, last_lead, metric, required_at, "<=", required);
    else {
        abdb_text_clear(how);
        abdb_text_printf(how, "no %s p%g is known", abdb_latency_metric_words(metric), percentile);
    }
done:
    return st;
}

abdb_status abdb_explain_latency_limits_kept(const abdb_set *set, size_t member, sqlite3 *db,
                                             const abdb_latency_limits *limits, const char **met_by,
                                             const char **why_not, abdb_arena *arena,
                                             abdb_error *err)
{
    const struct {
        const char *metric;
        double limit_s;
    } wanted[] = {
        {"ttft_s", limits->ttft_s}, {"tpot_s", limits->tpot_s}, {"latency_s", limits->latency_s}};
    const char *last_lead = NULL, *words;
    abdb_text how = {0};
    bool met = true;
    abdb_status st = ABDB_OK;

    *met_by = *why_not = NULL;
    for (size_t k = 0; k < sizeof wanted / sizeof wanted[0] && met; k++)
        if (!isnan(wanted[k].limit_s))
            TRY(append_how_limit_is_met_or_clear_met(set, member, db, wanted[k].metric,
                                                     wanted[k].limit_s, limits->percentile,
                                                     &last_lead, &how, &met, arena, err));
    words = abdb_arena_printf(arena, "%s", abdb_text_get(&how));
    if (!words) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a latency limit"));
    *(met ? met_by : why_not) = words;
done:
    abdb_text_free(&how);
    return st;
}

abdb_status abdb_describe_mlperf_scenario_limits(const abdb_set *set, size_t member, sqlite3 *db,
                                                 const char **out, abdb_arena *arena,
                                                 abdb_error *err)
{
    abdb_binds rule = {0};
    abdb_table rows = {0};
    abdb_status st = ABDB_OK;

    *out = "";
    bind_suite_round_model_scenario_of_member(set, member, &rule);
    TRY(abdb_query_to_table(db, described_sql, &rule, &rows, err));
    *out = abdb_arena_printf(arena, "%s", abdb_cell_text_or_empty(&rows, 0, 0));
    if (!*out) TRY(ABDB_FAIL(err, ABDB_NOMEM, "latency limits"));
done:
    abdb_table_free(&rows);
    return st;
}

/* Has an earlier member the same suite, round, model and scenario? */
static bool earlier_member_has_same_scenario(const abdb_set *set, size_t member)
{
    static const abdb_member_column keys[] = {ABDB_M_suite, ABDB_M_round, ABDB_M_model,
                                              ABDB_M_scenario};
    size_t same = 0;

    for (size_t i = 0; i < member && same < sizeof keys / sizeof keys[0]; i++)
        for (same = 0; same < sizeof keys / sizeof keys[0]; same++)
            if (strcmp(abdb_member_text(set, i, keys[same]),
                       abdb_member_text(set, member, keys[same])) != 0)
                break;
    return same == sizeof keys / sizeof keys[0];
}

abdb_status abdb_add_mlperf_scenario_limit_notes(const abdb_set *set, sqlite3 *db,
                                                 abdb_table *table, abdb_error *err)
{
    abdb_arena arena = {0};
    abdb_text listed = {0}; /* the notes so far, a line each */
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < set->members; i++) {
        const char *limits, *note;

        if (earlier_member_has_same_scenario(set, i)) continue;
        TRY(abdb_describe_mlperf_scenario_limits(set, i, db, &limits, &arena, err));
        if (!*limits) continue;
        note = abdb_arena_printf(&arena, "MLPerf® limits of %s %s: %s\n",
                                 abdb_member_text(set, i, ABDB_M_model),
                                 abdb_member_text(set, i, ABDB_M_scenario), limits);
        if (!note) TRY(ABDB_FAIL(err, ABDB_NOMEM, "latency limits"));
        if (strstr(abdb_text_get(&listed), note)) continue; /* of another round */
        abdb_text_puts(&listed, note);
        abdb_table_add_note_format(table, "%.*s", (int)strlen(note) - 1, note);
    }
done:
    abdb_text_free(&listed);
    abdb_arena_free(&arena);
    return st;
}

/* compare.c - abdb_compare(baseline, contender, metric, per, exploratory): the table of `abdb
 * compare -o csv`, one row per pair; see table_functions.h. Refused pairs have their rule and no
 * numbers. */
#include "query/compare/compare.h"
#include "query/sql_tables/table_functions.h"

/* abdb_compare(LEFT, RIGHT, ...): the pairs that `abdb compare` would print. */
static abdb_status fill_compare_rows(sqlite3 *db, const char *const *argument, abdb_table *out,
                                     abdb_error *err)
{
    const char *const sets[] = {argument[0], argument[1]};
    abdb_compare_options options = {.measure = {.metric = argument[2], .per = argument[3]}};
    double exploratory;
    abdb_comparison comparison = {0};
    abdb_status st = ABDB_OK;

    options.exploratory = argument[4] &&
                          abdb_double_parse(argument[4], ABDB_MARK_UNKNOWN, &exploratory) &&
                          exploratory != 0;
    TRY(abdb_compare_first_set_with_others(&comparison, db, sets, 2, &options, err));
    TRY(abdb_comparison_to_data_table(&comparison, false, out, err));
done:
    abdb_comparison_free(&comparison);
    return st;
}

const abdb_table_function abdb_table_compare = {
    "abdb_compare",
    "CREATE TABLE x(baseline TEXT, contender TEXT, workload TEXT, scenario TEXT, metric TEXT,"
    " statistic TEXT, per TEXT, unit TEXT, baseline_value REAL, baseline_worst REAL,"
    " baseline_n INTEGER, contender_value REAL, contender_worst REAL, contender_n INTEGER,"
    " left_out TEXT, ratio REAL, ratio_low REAL, ratio_high REAL, p REAL, verdict TEXT,"
    " standing TEXT, rule TEXT, sentence TEXT, rule_source TEXT, differ TEXT, \"unknown\" TEXT,"
    " formula TEXT, exploratory TEXT, baseline_id TEXT, contender_id TEXT,"
    " choice TEXT, unlike TEXT, baseline_devices REAL, contender_devices REAL, p_all REAL,"
    " shows REAL, wants REAL, drift REAL, paired TEXT, reason TEXT, facts TEXT,"
    " a HIDDEN, b HIDDEN, of_metric HIDDEN, of_per HIDDEN, with_refused HIDDEN,"
    " baseline_met_by TEXT, contender_met_by TEXT, label TEXT, factors TEXT)",
    41,
    2,
    5,
    ABDB_ALLOW_NOTHING,
    fill_compare_rows};

/* cmd_why.c - abdb why: the ratio of two sets of results as a product of factors
 * (query/compare/ratio_factors.h), a row each. */
#include "query/answer/mlperf_footnotes.h"
#include "query/compare/ratio_factor_rows.h"
#include "query/verbs/normalisation_options.h"
#include "query/verbs/table_output.h"

/* Parses the options, compares, splits the ratios and prints. */
static abdb_status compare_and_print_ratio_factors(int argc, char **argv, abdb_error *err)
{
    abdb_compare_options options = {
        .effect = ABDB_EFFECT, .alpha = ABDB_ALPHA, .find = ABDB_FIND, .pick = ABDB_PICK_BEST};
    abdb_range_question ranges;
    abdb_comparison comparison = {0};
    const char *sets[2];
    abdb_table table = {0};
    abdb_args args;
    abdb_db *db = NULL;
    abdb_status st = ABDB_OK;

    TRY(abdb_args_parse(&args, argc, argv, "why", NULL, err));
    abdb_parse_normalisation_options(&args, &options.measure);
    TRY(abdb_parse_range_options(&args, &ranges, err));
    options.where = abdb_arg_value(&args, "where");
    if (args.positionals != 2)
        TRY(ABDB_FAIL(err, ABDB_USAGE,
                      "why what? two selections, such as H200-SXM B200-SXM --where"
                      " llama2-70b-99,server; the first is the baseline"));
    for (int i = 0; i < 2; i++) sets[i] = args.positional[i];
    TRY(abdb_open_guarded_readonly_db(&args, &db, err));
    TRY(abdb_compare_first_set_with_others(&comparison, db->sql, sets, 2, &options, err));
    TRY(abdb_tabulate_ratio_factors(&comparison, &ranges, &table, err));
    table.title = abdb_arena_printf(&table.arena, "Why %s differs from %s", sets[1], sets[0]);
    table.hoist = "work scenario per ratio better unit label unlike first_in";
    TRY(abdb_add_mlperf_footnotes_as_table_notes(db, &table, false, err));
    TRY(abdb_print_table_by_options_end_deadline(&args, &table, err));
    if (!table.rows)
        TRY(ABDB_FAIL(err, ABDB_UNFAIR,
                      "no pair of these results may be compared; abdb compare --exploratory shows "
                      "their ratio, stamped"));
done:
    abdb_table_free(&table);
    abdb_comparison_free(&comparison);
    abdb_db_close(db);
    return st;
}

int abdb_cmd_why(int argc, char **argv)
{
    abdb_error err;

    return compare_and_print_ratio_factors(argc, argv, &err) == ABDB_OK
               ? 0
               : abdb_print_error_return_exit_code(&err);
}

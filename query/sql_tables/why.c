/* why.c - abdb_why(asked): the ratios of two selections as factors; see table_functions.h. A row
 * is a factor, or holds a note alone. */
#include "query/compare/ratio_factor_rows.h"
#include "query/sql_tables/json_options.h"
#include "query/sql_tables/table_functions.h"

enum { NOTE = 15, COLUMNS = 19 };

/* abdb_why(JSON): the factors and notes that `abdb why` prints. */
static abdb_status fill_why_rows(sqlite3 *db, const char *const *argument, abdb_table *out,
                                 abdb_error *err)
{
    abdb_arena arena = {0};
    json_error_t wrong = {0};
    json_t *asked = json_loads(argument[0], 0, &wrong);
    const char *sets[] = {abdb_json_option_text_or_null(asked, "baseline", &arena),
                          abdb_json_option_text_or_null(asked, "contender", &arena)};
    abdb_compare_options options = {.effect = ABDB_EFFECT,
                                    .alpha = ABDB_ALPHA,
                                    .find = ABDB_FIND,
                                    .pick = ABDB_PICK_BEST,
                                    .where = abdb_json_option_text_or_null(asked, "where", &arena),
                                    .measure = abdb_normalisation_from_json(asked, &arena)};
    abdb_range_question ranges = {.words = abdb_json_option_text_or_null(asked, "ranges", &arena),
                                  .seed = 1};
    abdb_comparison comparison = {0};
    size_t notes;
    abdb_status st = ABDB_OK;

    options.measure.per = abdb_json_option_text_or_null(asked, "divide_by", &arena);
    out->columns = COLUMNS;
    if (!json_is_object(asked))
        TRY(ABDB_FAIL(err, ABDB_USAGE, "the options are no JSON object in UTF-8: %s", wrong.text));
    if (!sets[0] || !sets[1])
        TRY(ABDB_FAIL(err, ABDB_USAGE,
                      "name two selections: --baseline H200-SXM --contender B200-SXM"));
    if (ranges.words) TRY(abdb_parse_choice_ranges(ranges.words, &ranges.ranges, err));
    TRY(abdb_compare_first_set_with_others(&comparison, db, sets, 2, &options, err));
    TRY(abdb_tabulate_ratio_factors(&comparison, &ranges, out, err));
    notes = out->notes;
    for (size_t i = 0; i < notes; i++) {
        abdb_value *row = abdb_table_append_row(out);

        if (!row) TRY(ABDB_FAIL(err, ABDB_NOMEM, "notes of factors"));
        row[NOTE] = (abdb_value){.kind = ABDB_STRING, .text = out->note[i]};
    }
done:
    abdb_comparison_free(&comparison);
    abdb_arena_free(&arena);
    json_decref(asked);
    return st;
}

const abdb_table_function abdb_table_why = {
    "abdb_why",
    "CREATE TABLE x(work TEXT, scenario TEXT, per TEXT, place INTEGER, factor TEXT, a TEXT,"
    " b TEXT, times REAL, product REAL, ratio REAL, better TEXT, result TEXT, unit TEXT, facts "
    "TEXT,"
    " pair INTEGER, note TEXT, asked HIDDEN, label TEXT, unlike TEXT, first_in REAL)",
    NOTE + 1,
    1,
    1,
    ABDB_ALLOW_NOTHING,
    fill_why_rows};

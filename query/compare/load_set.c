/* load_set.c - a set of results in its steps: picked, with its factors, normalised; see
 * result_set.h. A file of its own, because selection_sql.c and normalise.c both stand below it. */
#include "query/compare/power_definition.h"
#include "query/compare/result_set.h"

abdb_status abdb_set_load_normalised(abdb_set *out, sqlite3 *db, const char *selection,
                                     const char *where, const abdb_normalisation *measure,
                                     abdb_error *err)
{
    abdb_status st = ABDB_OK;

    *out = (abdb_set){.selection = selection};
    TRY(abdb_set_select_rows_or_explain_none(out, db, where, measure, err));
    TRY(abdb_set_load_factors(out, db, err));
    TRY(abdb_set_normalise_values_or_note_why_not(out, db, measure, err));
    TRY(abdb_set_add_power_definitions(out, db, measure->per, err));
done:
    return st;
}

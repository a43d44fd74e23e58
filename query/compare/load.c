/* load.c - a set of results in its three steps: picked, with its factors, normalised; see sets.h. A
 * file of its own, because pick.c and normalise.c both stand below it. */
#include "query/compare/sets.h"

abdb_status abdb_set_load(abdb_set *out, sqlite3 *db, const char *selection, const char *where,
                          const abdb_measure *measure, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    *out = (abdb_set){.selection = selection};
    TRY(abdb_set_pick(out, db, where, measure, err));
    TRY(abdb_set_take_members(out, db, err));
    TRY(abdb_set_normalise(out, db, measure, err));
done:
    return st;
}

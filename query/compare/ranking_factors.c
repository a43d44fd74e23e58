/* ranking_factors.c - see ranking_factors.h. */
#include "query/compare/ranking_factors.h"

#include "query/compare/ratio_factor_rows.h"

abdb_status abdb_describe_factors_of_ranked_row(const abdb_ranking *r, const abdb_ranked *row,
                                                const abdb_ranked *first,
                                                const abdb_normalisation *measure, sqlite3 *db,
                                                const char **out, abdb_arena *arena,
                                                abdb_error *err)
{
    abdb_compare_options options = {.measure = *measure, .pick = ABDB_PICK_BEST};
    abdb_comparison comparison = {0};
    const char *sets[2];
    abdb_status st = ABDB_OK;

    *out = "";
    options.measure.per = r->per;
    sets[0] =
        abdb_arena_printf(arena, "key=%s", abdb_member_text(&r->set, first->member, ABDB_M_key));
    sets[1] =
        abdb_arena_printf(arena, "key=%s", abdb_member_text(&r->set, row->member, ABDB_M_key));
    if (!sets[0] || !sets[1]) return ABDB_FAIL(err, ABDB_NOMEM, "factors of a ranking");
    TRY(abdb_compare_first_set_with_others(&comparison, db, sets, 2, &options, err));
    for (size_t i = 0; i < comparison.pairs && !**out; i++)
        TRY(abdb_describe_two_largest_ratio_factors(&comparison, &comparison.pair[i], out, arena,
                                                    err));
done:
    abdb_comparison_free(&comparison);
    return st;
}

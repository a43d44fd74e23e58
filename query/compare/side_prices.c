/* side_prices.c - see side_prices.h. */
#include "query/compare/side_prices.h"

#include <string.h>

static bool is_list(const char *text)
{
    return text && strchr(text, ',');
}

bool abdb_sides_have_own_prices(const abdb_normalisation *measure)
{
    return measure->per && strcmp(measure->per, "dollar") == 0 &&
           (is_list(measure->provider) || is_list(measure->price_date));
}

/* Replaces a list by the value of one side; a value alone is of all sides. */
static abdb_status replace_list_by_value_of_side(const char **list, const char *option, size_t side,
                                                 size_t sides, abdb_arena *arena, abdb_error *err)
{
    const char *at = *list;
    size_t count = 1;

    if (!is_list(at)) return ABDB_OK;
    for (const char *c = at; *c; c++) count += *c == ',';
    if (count != sides)
        return ABDB_FAIL(err, ABDB_USAGE,
                         "--%s '%s' has %zu values, and there are %zu sides: one for all, or one"
                         " for each",
                         option, *list, count, sides);
    for (size_t i = 0; i < side; i++) at = strchr(at, ',') + 1;
    at += strspn(at, " ");
    *list = abdb_arena_copy(arena, at, strcspn(at, ","));
    return *list ? ABDB_OK : ABDB_FAIL(err, ABDB_NOMEM, "prices of a side");
}

abdb_status abdb_set_normalisation_of_side(abdb_normalisation *out,
                                           const abdb_normalisation *measure, size_t side,
                                           size_t sides, abdb_arena *arena, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    *out = *measure;
    if (!abdb_sides_have_own_prices(measure)) { /* no price counts */
        if (is_list(out->provider)) out->provider = NULL;
        if (is_list(out->price_date)) out->price_date = NULL;
        return ABDB_OK;
    }
    TRY(replace_list_by_value_of_side(&out->provider, "provider", side, sides, arena, err));
    TRY(replace_list_by_value_of_side(&out->price_date, "price-date", side, sides, arena, err));
done:
    return st;
}

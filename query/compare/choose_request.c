/* choose_request.c - the options of a choice: a rate, and the costs of ownership; see choose.h. */
#include <math.h>
#include <string.h>

#include "query/compare/choose.h"
#include "schema/core/fixed_text.h"
#include "schema/core/units.h"

static const double hours_of_year = 8760;

/* USD/h of a device that is owned: capital (USD) over the hours in which it works (years x 8760 h x
 * the share of them that is used), and kW x PUE x USD/kWh. */
double abdb_ownership_cost_per_hour(const abdb_ownership_costs *own, double capital)
{
    return capital / (own->life_years * hours_of_year * own->utilisation) +
           own->power_w / 1000 * own->pue * own->usd_per_kwh;
}

/* "", "/s", and the unit as the results have it or as people write it: token/s, tokens/s. */
static bool unit_is_empty_or_matches_results(const char *text, const char *unit)
{
    const abdb_unit *known = abdb_unit_find(text);

    return !*text || strcmp(text, "/s") == 0 || strcmp(text, unit) == 0 ||
           (known && strcmp(known->name, unit) == 0) ||
           (known && strcmp(known->base, unit) == 0 && !(known->factor < 1 || known->factor > 1));
}

/* "tokens/h" as "tokens/s", with the factor for its numbers; another unit unchanged. */
static const char *convert_unit_to_per_second(const char *unit, char second[64], double *factor)
{
    static const struct {
        const char *per;
        double seconds;
    } longer[] = {{"/min", 60}, {"/h", 3600}, {"/d", 86400}, {"/day", 86400}};
    const char *per = strchr(unit, '/');

    for (size_t i = 0; per && i < sizeof longer / sizeof longer[0]; i++)
        if (strcmp(per, longer[i].per) == 0) {
            *factor /= longer[i].seconds;
            snprintf(second, 64, "%.*s/s", (int)(per - unit), unit);
            return second;
        }
    return unit;
}

abdb_status abdb_parse_wanted_rate(const char *text, const char *expected_unit_or_null, double *out,
                                   abdb_error *err)
{
    static const struct {
        char letter;
        double factor;
    } prefixes[] = {{'k', 1e3}, {'K', 1e3}, {'M', 1e6}, {'G', 1e9}};
    char number[64];
    size_t size = strspn(text, "0123456789.,eE+-");
    char second[64];
    const char *rest = text + size;
    double factor = 1;

    if (!abdb_format_if_fits(number, sizeof number, "%.*s", (int)size, text)) *number = '\0';
    rest += strspn(rest, " ");
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (*rest == prefixes[i].letter) {
            factor = prefixes[i].factor;
            rest++;
            break;
        }
    rest += strspn(rest, " ");
    rest = convert_unit_to_per_second(rest, second, &factor);
    if (!abdb_double_parse(number, ABDB_MARK_UNKNOWN, out) || !(*out > 0))
        return ABDB_FAIL(
            err, ABDB_USAGE,
            "a rate is a number with its unit, such as 100k/s or 1500 token/s, not '%s'", text);
    if (expected_unit_or_null && !unit_is_empty_or_matches_results(rest, expected_unit_or_null))
        return ABDB_FAIL(err, ABDB_USAGE, "the results are in %s, the wanted rate '%s' is not",
                         expected_unit_or_null, text);
    *out *= factor;
    return ABDB_OK;
}

abdb_status abdb_parse_next_owned_device_capital(char **rest, sqlite3 *db, const char **device,
                                                 double *usd, abdb_arena *arena, abdb_error *err)
{
    char *one = strsep(rest, ","), *amount = one ? strchr(one, '=') : NULL, *unit;

    *device = NULL;
    if (!one) return ABDB_OK;
    if (amount) *amount++ = '\0';
    unit = amount ? strstr(amount, "USD") : NULL;
    if (unit && !unit[strlen("USD")]) *unit = '\0';
    if (!amount || !abdb_double_parse(abdb_trim_in_place(amount), ABDB_MARK_UNKNOWN, usd) ||
        !(*usd > 0))
        return ABDB_FAIL(err, ABDB_USAGE,
                         "--own wants 'DEVICE=45000', dollars for a device with its share of the"
                         " system, several joined by commas; not '%s'",
                         one);
    return abdb_resolve_canonical_name(db, "device", abdb_trim_in_place(one), device, arena, err);
}

abdb_status abdb_set_power_as_specified_if_not_given(abdb_ownership_costs *own, sqlite3 *db,
                                                     const char *device, abdb_error *err)
{
    abdb_table found = {0};
    abdb_status st = ABDB_OK;

    if (isfinite(own->power_w)) return ABDB_OK;
    TRY(abdb_query_with_three_texts_to_table(
        db,
        "SELECT value FROM v_spec WHERE device = ?1 AND quantity = 'power' AND basis = 'card'"
        " AND preferred = 1",
        device, NULL, NULL, &found, err));
    if (found.rows)
        own->power_w = abdb_cell_number_or_nan(&found, 0, 0);
    else
        st = ABDB_FAIL(err, ABDB_USAGE,
                       "--own %s: no specification has its power; --power WATTS gives it", device);
done:
    abdb_table_free(&found);
    return st;
}

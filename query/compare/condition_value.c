/* condition_value.c - numbers with units, and dates, in conditions; see condition_value.h. */
#include "query/compare/condition_value.h"

#include <string.h>

#include "schema/core/units.h"

/* The factor of a prefix that stands alone behind a number: "2k", "64x". 0: it is none. */
static double standalone_prefix_factor_or_zero(const char *text)
{
    static const struct {
        const char *prefix;
        double factor;
    } prefixes[] = {{"k", 1e3},  {"K", 1e3}, {"M", 1e6},   {"G", 1e9},
                    {"T", 1e12}, {"x", 1},   {"\u00d7", 1}};

    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (strcmp(text, prefixes[i].prefix) == 0) return prefixes[i].factor;
    return 0;
}

bool abdb_condition_value_to_number(const char *text, const char *base_unit, double *out)
{
    char number[64], rest[64];
    size_t size;
    const abdb_unit *known;

    text += strspn(text, " ");
    size = strspn(text, "0123456789.,eE+-");
    /* "5e" of "5 exabytes" is no exponent */
    while (size && (text[size - 1] == 'e' || text[size - 1] == 'E')) size--;
    if (size >= sizeof number || strlen(text + size) >= sizeof rest) return false;
    snprintf(number, sizeof number, "%.*s", (int)size, text);
    snprintf(rest, sizeof rest, "%s", text + size + strspn(text + size, " "));
    for (size_t end = strlen(rest); end && rest[end - 1] == ' ';) rest[--end] = '\0';
    if (!abdb_double_parse(number, ABDB_MARK_UNKNOWN, out)) return false;
    if (!*rest) return true;
    if (standalone_prefix_factor_or_zero(rest) > 0) {
        *out *= standalone_prefix_factor_or_zero(rest);
        return true;
    }
    known = base_unit ? abdb_unit_find(rest) : NULL;
    if (!known || strcmp(known->base, base_unit) != 0) return false;
    *out = abdb_unit_to_base_value(known, *out);
    return true;
}

bool abdb_condition_has_ordering_operator(const abdb_condition *c)
{
    return c->op[0] == '<' || c->op[0] == '>';
}

abdb_status abdb_condition_require_number(const abdb_condition *c, const char *base_unit,
                                          double *out, abdb_error *err)
{
    char list[160];

    if (abdb_condition_value_to_number(c->value, base_unit, out)) return ABDB_OK;
    if (base_unit && *base_unit && strcmp(base_unit, "1") != 0)
        return ABDB_FAIL(err, ABDB_USAGE,
                         "%s%s%s: '%s' is not a number of %s; write %s%s0.5, or with a unit (%s)",
                         c->column, c->op, c->value, c->value, base_unit, c->column, c->op,
                         abdb_write_first_units_of_base(base_unit, list, sizeof list));
    return ABDB_FAIL(err, ABDB_USAGE,
                     "%s%s%s: '%s' is not a number; write it as 2000, 2k or 2e3 (text has no order:"
                     " compare it with =, != or ~)",
                     c->column, c->op, c->value, c->value);
}

abdb_status abdb_condition_require_date(const abdb_condition *c, char out[ABDB_DATE_SIZE],
                                        abdb_error *err)
{
    char why[200];

    if (abdb_date_is_stored_iso_or_day_range(c->value) && !strchr(c->value, '/')) {
        snprintf(out, ABDB_DATE_SIZE, "%s", c->value);
        return ABDB_OK;
    }
    if (abdb_date_parse_any_spelling_to_iso(c->value, out) && !strchr(out, '/')) return ABDB_OK;
    abdb_date_error_text(c->column, c->value, why, sizeof why);
    return ABDB_FAIL(err, ABDB_USAGE, "%s", why);
}

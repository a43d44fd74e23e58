/* condition_value.c - numbers with units, and dates, in conditions; see condition_value.h. */
#include "query/compare/condition_value.h"

#include <string.h>

#include "schema/core/units.h"

/* The factor of a prefix that stands alone behind a number: "2k", "64x". 0: it is none. */
static double lone_prefix_factor(const char *text)
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

bool abdb_condition_value_to_number(const char *text, const char *unit, double *out)
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
    if (lone_prefix_factor(rest) > 0) {
        *out *= lone_prefix_factor(rest);
        return true;
    }
    known = unit ? abdb_unit_find(rest) : NULL;
    if (!known || strcmp(known->base, unit) != 0) return false;
    *out = abdb_unit_to_base_value(known, *out);
    return true;
}

bool abdb_condition_is_ordered(const abdb_condition *c)
{
    return c->op[0] == '<' || c->op[0] == '>';
}

abdb_status abdb_condition_require_number(const abdb_condition *c, const char *unit, double *out,
                                          abdb_error *err)
{
    char list[160];

    if (abdb_condition_value_to_number(c->value, unit, out)) return ABDB_OK;
    if (unit && *unit && strcmp(unit, "1") != 0)
        return ABDB_FAIL(err, ABDB_USAGE,
                         "%s%s%s: '%s' is not a number of %s; write %s%s0.5, or with a unit (%s)",
                         c->column, c->op, c->value, c->value, unit, c->column, c->op,
                         abdb_unit_list_of_base(unit, list, sizeof list));
    return ABDB_FAIL(err, ABDB_USAGE,
                     "%s%s%s: '%s' is not a number; write it as 2000, 2k or 2e3 (text has no order:"
                     " compare it with =, != or ~)",
                     c->column, c->op, c->value, c->value);
}

abdb_status abdb_condition_require_date(const abdb_condition *c, char out[ABDB_DATE_SIZE],
                                        abdb_error *err)
{
    char why[200];

    if (abdb_date_is_iso(c->value) && !strchr(c->value, '/')) {
        snprintf(out, ABDB_DATE_SIZE, "%s", c->value);
        return ABDB_OK;
    }
    if (abdb_date_to_iso(c->value, out) && !strchr(out, '/')) return ABDB_OK;
    abdb_date_error_text(c->column, c->value, why, sizeof why);
    return ABDB_FAIL(err, ABDB_USAGE, "%s", why);
}

/* units.c - units in and out; see units.h. */
#include "schema/core/units.h"

#include <ctype.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

static const abdb_unit units[] = {
#define UNIT(name, base, factor) {name, base, factor},
#include "schema/core/units.def"
#undef UNIT
};
enum { UNIT_COUNT = sizeof units / sizeof units[0] };

/* Equal without white space, with "\(" read as "(" (an old export escapes them), without the star
 * of a footnote, and, unless by_case, without case. */
static bool equal_ignoring_space_and_footnote_star(const char *a, const char *b, bool by_case)
{
    for (;;) {
        while (isspace((unsigned char)*a) || *a == '\\' || *a == '*') a++;
        while (isspace((unsigned char)*b)) b++;
        if (!*a || !*b) return *a == *b;
        if (by_case ? *a != *b : tolower((unsigned char)*a) != tolower((unsigned char)*b))
            return false;
        a++, b++;
    }
}

/* "Gib/s" is not "GiB/s": of symbols of bits and bytes each letter's case counts. */
static bool is_symbol_of_bits_or_bytes(const abdb_unit *unit)
{
    return *unit->base == 'B' && !strcasestr(unit->name, "bit") && !strcasestr(unit->name, "byte");
}

/* Symbols are exact ("MW" is not "mW"), words are not ("tokens/S" is "Tokens/s"). */
enum { SYMBOL_LENGTH = 4 };

const abdb_unit *abdb_unit_find(const char *spelling)
{
    static _Thread_local const abdb_unit *last; /* rows of a file repeat it */
    const abdb_unit *found = NULL;

    if (last && strcmp(last->name, spelling) == 0) return last;
    for (size_t i = 0; i < UNIT_COUNT; i++)
        if (strcmp(units[i].name, spelling) == 0) return last = &units[i];
    for (size_t i = 0; i < UNIT_COUNT; i++) {
        if (strlen(units[i].name) <= SYMBOL_LENGTH ||
            !equal_ignoring_space_and_footnote_star(spelling, units[i].name,
                                                    is_symbol_of_bits_or_bytes(&units[i])))
            continue;
        if (found && (found->factor != units[i].factor || strcmp(found->base, units[i].base) != 0))
            return NULL; /* two units of this spelling */
        found = &units[i];
    }
    return found;
}

const char *abdb_write_first_units_of_base(const char *base, char *out, size_t room)
{
    enum { SHOWN = 8 };
    size_t size = 0, shown = 0;

    *out = '\0';
    for (size_t i = 0; i < UNIT_COUNT && shown < SHOWN && size < room; i++) {
        if (strcmp(units[i].base, base) != 0) continue;
        size +=
            (size_t)snprintf(out + size, room - size, "%s%s", shown++ ? ", " : "", units[i].name);
    }
    return out;
}

double abdb_unit_to_base_value(const abdb_unit *unit, double value)
{
    /* 1e-9 is no exact double, 1e9 is: dividing by it rounds once, multiplying by the other
     * twice. */
    double inverse = unit->factor < 1 ? round(1 / unit->factor) : 0;

    return inverse > 0 && 1 / inverse == unit->factor ? value / inverse : value * unit->factor;
}

abdb_status abdb_unit_convert(double value, const char *from, const char *to, double *out,
                              abdb_error *err)
{
    const abdb_unit *a = abdb_unit_find(from), *b = abdb_unit_find(to);

    if (!a) return ABDB_FAIL(err, ABDB_UNITS, "unknown unit '%s'", from);
    if (!b) return ABDB_FAIL(err, ABDB_UNITS, "unknown unit '%s'", to);
    if (strcmp(a->base, b->base) != 0)
        return ABDB_FAIL(err, ABDB_UNITS, "'%s' (%s) and '%s' (%s) are different dimensions", from,
                         a->base, to, b->base);
    *out = a == b ? value : abdb_unit_to_base_value(a, value) / b->factor;
    return ABDB_OK;
}

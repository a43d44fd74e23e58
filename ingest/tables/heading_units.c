/* heading_units.c - units in headings and cells, as people write them; see heading_units.h. */
#include "ingest/tables/heading_units.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "schema/core/number.h"
#include "schema/core/text.h"

/* A unit of units.def by the ways people write it in headings, or NULL. Bits and bytes are told
 * apart by case alone, so no way of theirs is here. */
static const char *unit_of_common_spelling_or_null(const char *word)
{
    static const struct {
        const char *written, *unit;
    } ways[] = {{"t/s", "token/s"},
                {"tps", "token/s"},
                {"req/s", "query/s"},
                {"reqs/s", "query/s"},
                {"req/sec", "query/s"},
                {"request/s", "query/s"},
                {"requests/s", "query/s"},
                {"requests/sec", "query/s"},
                {"qps", "query/s"},
                {"rps", "query/s"},
                {"sec", "s"},
                {"secs", "s"},
                {"msec", "ms"},
                {"usec", "us"},
                {"w", "W"},
                {"kwh", "kWh"},
                {"tops", "TOPS"}};
    const abdb_unit *unit;

    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++)
        if (strcasecmp(word, ways[i].written) == 0) return ways[i].unit;
    unit = abdb_unit_find(word);
    return unit && (isalpha((unsigned char)*word) || strchr("%$\xC2\xCE", *word)) ? unit->name
                                                                                  : NULL;
}

bool heading_unit_may_be_bits_or_bytes(const char *written)
{
    static const char *const words[] = {"kb/s",   "mb/s",   "gb/s",   "tb/s",  "kib/s", "mib/s",
                                        "gib/s",  "tib/s",  "kbps",   "mbps",  "gbps",  "tbps",
                                        "mb/sec", "gb/sec", "tb/sec", "gibps", "mibps"};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strcasecmp(written, words[i]) == 0) return abdb_unit_find(written) == NULL;
    return false;
}

const char *heading_find_unit_or_empty(const char *heading, char written[HEADING_UNIT],
                                       bool *bracketed)
{
    const char *open = strpbrk(heading, "(["), *last = heading + strlen(heading), *unit = NULL;
    const char *from;

    *bracketed = false;
    if (open) {
        snprintf(written, HEADING_UNIT, "%.*s", (int)strcspn(open + 1, ")]"), open + 1);
        unit = unit_of_common_spelling_or_null(abdb_trim_in_place(written));
        if (!unit) {
            written[strcspn(written, " ,;")] = '\0';
            unit = unit_of_common_spelling_or_null(written);
        }
        *bracketed = unit || strchr(written, '/') || heading_unit_may_be_bits_or_bytes(written);
        if (*bracketed) return unit ? unit : "";
        last = open;
    }
    while (last > heading && strchr(" *", last[-1])) last--;
    for (from = last; from > heading && !strchr(" _-", from[-1]); from--) continue;
    snprintf(written, HEADING_UNIT, "%.*s", (int)(last - from), from);
    unit = unit_of_common_spelling_or_null(written);
    return unit ? unit : "";
}

const abdb_unit *heading_find_known_unit_behind_number_of_cell(const char *cell)
{
    size_t size = abdb_number_chars_prefix_length(cell);
    char word[HEADING_UNIT];

    while (size && strchr("eE", cell[size - 1])) size--;
    if (!size || !cell[size] || strlen(cell + size) >= sizeof word) return NULL;
    snprintf(word, sizeof word, "%s", cell + size);
    return abdb_unit_find(abdb_trim_in_place(word));
}

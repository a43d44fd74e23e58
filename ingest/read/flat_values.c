/* flat_values.c - the values of a record, as text and as numbers by the decimal mark of their
 * column; see flat.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ingest/read/flat.h"

const char *abdb_flat_get(const abdb_flat_record *record, const char *name)
{
    for (size_t i = 0; i < record->items; i++)
        if (strcmp(record->item[i].name, name) == 0)
            return record->item[i].text && *record->item[i].text ? record->item[i].text : NULL;
    return NULL;
}

abdb_decimal_mark abdb_flat_mark(const abdb_flat_record *record, const char *name)
{
    for (size_t i = 0; i < record->items; i++)
        if (strcmp(record->item[i].name, name) == 0) return record->item[i].mark;
    return ABDB_MARK_UNKNOWN;
}

double abdb_flat_number(const abdb_flat_record *record, const char *name)
{
    const char *text = abdb_flat_get(record, name);
    double value;

    if (text && abdb_double_parse(text, abdb_flat_mark(record, name), &value)) return value;
    if (text && record->doubt && abdb_number_is_doubtful(text, abdb_flat_mark(record, name)))
        abdb_number_explain(name, text, abdb_flat_mark(record, name), record->doubt,
                            FLAT_DOUBT_SIZE);
    return NAN;
}

long long abdb_flat_parse_count(const abdb_flat_record *record, const char *name)
{
    const char *text = abdb_flat_get(record, name);
    long long count;

    return text && abdb_count_parse(text, abdb_flat_mark(record, name), 1, 1LL << 53, &count)
               ? count
               : 0;
}

void abdb_flat_pass_doubt(abdb_entry *entry, const abdb_flat_record *record)
{
    if (!record->doubt || !*record->doubt) return;
    snprintf(entry->doubt_text, sizeof entry->doubt_text, "%s", record->doubt);
    entry->doubt = entry->doubt_text;
}

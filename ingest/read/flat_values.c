/* flat_values.c - the values of a record, as text and as numbers by the decimal mark of their
 * column; see flat_records.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ingest/read/flat_records.h"

const char *abdb_flat_text_or_null_mark_asked(const abdb_flat_record *record, const char *name)
{
    for (size_t i = 0; i < record->items; i++)
        if (strcmp(record->item[i].name, name) == 0) {
            if (record->asked) record->asked[i] = true;
            return record->item[i].text && *record->item[i].text ? record->item[i].text : NULL;
        }
    return NULL;
}

abdb_decimal_mark abdb_flat_decimal_mark(const abdb_flat_record *record, const char *name)
{
    for (size_t i = 0; i < record->items; i++)
        if (strcmp(record->item[i].name, name) == 0) return record->item[i].mark;
    return ABDB_MARK_UNKNOWN;
}

double abdb_flat_number_or_nan_note_doubt(const abdb_flat_record *record, const char *name)
{
    const char *text = abdb_flat_text_or_null_mark_asked(record, name);
    double value;

    if (text && abdb_double_parse(text, abdb_flat_decimal_mark(record, name), &value)) return value;
    if (text && record->doubt &&
        abdb_number_fails_but_parses_with_other_mark(text, abdb_flat_decimal_mark(record, name)))
        abdb_number_write_why_not_a_number(name, text, abdb_flat_decimal_mark(record, name),
                                           record->doubt, FLAT_DOUBT_SIZE);
    return NAN;
}

long long abdb_flat_parse_count_or_zero(const abdb_flat_record *record, const char *name)
{
    const char *text = abdb_flat_text_or_null_mark_asked(record, name);
    long long count;

    return text && abdb_integer_parse_in_range(text, abdb_flat_decimal_mark(record, name), 1,
                                               1LL << 53, &count)
               ? count
               : 0;
}

void abdb_flat_copy_doubt_to_entry(abdb_entry *entry, const abdb_flat_record *record)
{
    if (!record->doubt || !*record->doubt) return;
    snprintf(entry->doubt_text, sizeof entry->doubt_text, "%s", record->doubt);
    entry->doubt = entry->doubt_text;
}

void abdb_flat_add_unread_values_as_factors(abdb_entry *entry, const abdb_flat_record *record,
                                            const char *const *ignored, abdb_arena *arena)
{
    for (size_t i = 0; i < record->items; i++)
        if (!record->asked || !record->asked[i])
            abdb_entry_add_renamed_extra_factor_unless_ignored(
                entry, record->item[i].name, record->item[i].text, record->item[i].mark, ignored,
                arena);
    for (size_t i = 0; i < record->series; i++)
        if (!record->asked || !record->asked[FLAT_ITEMS_MAX + i])
            abdb_entry_add_renamed_extra_factor_unless_ignored(
                entry, abdb_arena_printf(arena, "%s.count", record->serie[i].name),
                abdb_arena_printf(arena, "%zu", record->serie[i].n), ABDB_MARK_UNKNOWN, ignored,
                arena);
    entry->factors_left_out += record->lost;
}

void abdb_flat_append_unread_values_to_settings(abdb_settings *out, const abdb_flat_record *record,
                                                abdb_arena *arena)
{
    for (size_t i = 0; i < record->items; i++)
        if (record->item[i].text && !(record->asked && record->asked[i]))
            abdb_settings_set_or_count_lost(out, arena, record->item[i].name,
                                            (int)strlen(record->item[i].name), record->item[i].text,
                                            (int)strlen(record->item[i].text));
    out->lost += record->lost;
}

/* flat_build.c - flat records out of JSON objects, and what nobody reads of such objects; see
 * flat_build.h. */
#include "ingest/read/flat_build.h"

#include <stdlib.h>
#include <string.h>

/* A text, number or boolean as text in the arena; NULL: it is none, or no memory. */
static const char *json_scalar_to_text(abdb_arena *arena, const json_t *value)
{
    char number[32];

    if (json_is_string(value))
        return abdb_arena_copy(arena, json_string_value(value), json_string_length(value));
    if (json_is_boolean(value)) return json_is_true(value) ? "true" : "false";
    if (!json_is_number(value)) return NULL;
    abdb_format_shortest_double(json_number_value(value), number);
    return abdb_arena_copy(arena, number, strlen(number));
}

/* Numbers of an array; 0: there are none, or something else is among them. */
static size_t json_array_to_numbers_or_0_if_mixed(abdb_arena *arena, const json_t *array,
                                                  const double **out)
{
    size_t n = json_array_size(array);
    double *x = n && n <= FLAT_SAMPLES_MAX ? abdb_arena_alloc(arena, n * sizeof *x) : NULL;

    for (size_t i = 0; x && i < n; i++) {
        const json_t *value = json_array_get(array, i);

        if (!json_is_number(value)) return 0;
        x[i] = json_number_value(value);
    }
    *out = x;
    return x ? n : 0;
}

abdb_flat_record *abdb_flat_record_allocate(void)
{
    abdb_flat_record *record = calloc(1, sizeof *record);

    if (!record) return NULL;
    record->asked = calloc(FLAT_ITEMS_MAX + FLAT_SERIES_MAX, sizeof *record->asked);
    if (record->asked) return record;
    free(record);
    return NULL;
}

void abdb_flat_record_free(abdb_flat_record *record)
{
    if (record) free(record->asked);
    free(record);
}

void abdb_flat_append_item_or_count_lost(abdb_flat_record *record, const char *name,
                                         const char *text)
{
    if (record->items == FLAT_ITEMS_MAX) {
        record->lost++;
        return;
    }
    record->item[record->items].name = name;
    record->item[record->items++].text = text;
}

/* "a, b" of a few words; NULL: many, or other things are among them. */
static const char *join_up_to_16_json_strings(abdb_arena *arena, const json_t *array)
{
    enum { WORDS_MAX = 16 };
    const char *out = NULL;

    for (size_t i = 0; i < json_array_size(array); i++) {
        const char *word = json_string_value(json_array_get(array, i));

        if (!word || !*word || i == WORDS_MAX) return NULL;
        out = out ? abdb_arena_printf(arena, "%s, %s", out, word) : word;
    }
    return out;
}

/* One member: numbers in a list become a series, other lists a text or their length. */
static void append_json_array_as_series_text_or_count(abdb_flat_record *record, abdb_arena *arena,
                                                      const char *name, const json_t *array)
{
    const double *x;
    size_t n = json_array_to_numbers_or_0_if_mixed(arena, array, &x);
    const char *text = n ? NULL : join_up_to_16_json_strings(arena, array);

    if (n && record->series < FLAT_SERIES_MAX) {
        record->serie[record->series].name = name;
        record->serie[record->series].x = x;
        record->serie[record->series++].n = n;
    } else if (text) {
        abdb_flat_append_item_or_count_lost(record, name, text);
    } else if (json_array_size(array)) {
        abdb_flat_append_item_or_count_lost(
            record, abdb_arena_printf(arena, "%s.count", name),
            abdb_arena_printf(arena, "%zu", json_array_size(array)));
    }
}

/* jansson reads no deeper than 2048. */
void abdb_flat_append_flattened_json(abdb_flat_record *record, abdb_arena *arena, const char *outer,
                                     const json_t *object)
{
    const char *name;
    json_t *value;

    /* The cast takes const away by way of an integer, without a warning: jansson's macro wants a
     * plain pointer and changes nothing. */
    json_object_foreach((json_t *)(size_t)object, name, value)
    {
        const char *full = outer ? abdb_arena_printf(arena, "%s.%s", outer, name) : name;

        if (!full)
            record->lost++;
        else if (json_is_array(value))
            append_json_array_as_series_text_or_count(record, arena, full, value);
        else if (json_is_object(value))
            abdb_flat_append_flattened_json(record, arena, full, value);
        else
            abdb_flat_append_item_or_count_lost(record, full, json_scalar_to_text(arena, value));
    }
}

/* The members of an object as a record; NULL, and counted: no memory. */
static abdb_flat_record *make_record_of_json(const char *outer, const json_t *object,
                                             abdb_arena *arena)
{
    abdb_flat_record *record = abdb_flat_record_allocate();

    if (record)
        abdb_flat_append_flattened_json(record, arena, outer, object);
    else
        abdb_count_allocation_failure();
    return record;
}

void abdb_flat_add_json_members_as_factors(abdb_entry *entry, const char *outer,
                                           const json_t *object, const char *const *ignored,
                                           abdb_arena *arena)
{
    abdb_flat_record *record = make_record_of_json(outer, object, arena);

    if (!record) return;
    for (size_t i = 0; i < record->items; i++)
        abdb_entry_add_renamed_extra_factor_unless_ignored(
            entry, record->item[i].name, record->item[i].text, ABDB_MARK_UNKNOWN, ignored, arena);
    entry->factors_left_out += record->lost;
    abdb_flat_record_free(record);
}

void abdb_flat_append_json_members_to_settings(abdb_settings *out, const json_t *object,
                                               const char *const *ignored, abdb_arena *arena)
{
    abdb_flat_record *record = make_record_of_json(NULL, object, arena);

    if (!record) return;
    for (size_t i = 0; i < record->items; i++)
        record->asked[i] = abdb_name_matches_ignored_pattern(record->item[i].name, ignored);
    abdb_flat_append_unread_values_to_settings(out, record, arena);
    abdb_flat_record_free(record);
}

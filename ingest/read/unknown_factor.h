/* unknown_factor.h - keeps values unknown to an importer: a scalar without a meaning here becomes a
 * factor under its own name, so that `abdb compare` can report its differences.
 */
#ifndef ABDB_INGEST_UNKNOWN_FACTOR_H
#define ABDB_INGEST_UNKNOWN_FACTOR_H

#include "ingest/importer.h"

/* Adds a factor of that name, in letters that a selection can spell. Nothing where the text is NULL
 * or empty, or the name is one of ignored (the noise of a format: times of day, paths, means that
 * follow from the samples; '*' at an end stands for anything; it ends with NULL, and NULL is none).
 * A name that means something else in every entry (a field, or a factor that is there with another
 * value) becomes "name.in_file". name and text are borrowed, or copied into arena. */
void abdb_entry_add_renamed_extra_factor_unless_ignored(abdb_entry *entry, const char *name,
                                                        const char *text, abdb_decimal_mark mark,
                                                        const char *const *ignored,
                                                        abdb_arena *arena);

/* Is the name one of that list? */
bool abdb_name_matches_ignored_pattern(const char *name, const char *const *ignored);

/* Settings that a console prints before its table, by name. Zeroed is empty; strings lie in the
 * arena that they are added with. */
enum { ABDB_SETTINGS_MAX = 96 };
typedef struct {
    size_t count, lost;
    struct {
        const char *name, *text;
    } item[ABDB_SETTINGS_MAX];
} abdb_settings;
/* Sets one; a later word replaces an earlier one. Lengths as printf's %.*s has them. */
void abdb_settings_set_or_count_lost(abdb_settings *settings, abdb_arena *arena, const char *name,
                                     int name_size, const char *text, int text_size);
/* "key: value" or "key = value" with a key of at most five words; '#' before it does not count.
 * False: the line is another. */
bool abdb_settings_add_key_value_if_line_has_one(abdb_settings *settings, abdb_arena *arena,
                                                 const char *line);
/* Every "[ key: value ]" of a line. */
void abdb_settings_add_bracketed_pairs_of_line(abdb_settings *settings, abdb_arena *arena,
                                               const char *line);
/* "nThread 1 warmup iters: 5": words, and the number that follows them. */
void abdb_settings_add_named_numbers_of_line(abdb_settings *settings, abdb_arena *arena,
                                             const char *line);
/* All of them as factors (abdb_entry_add_renamed_extra_factor_unless_ignored). */
void abdb_entry_add_settings_as_factors(abdb_entry *entry, const abdb_settings *settings,
                                        const char *const *ignored, abdb_arena *arena);

#endif

/* entry_key.h - the keys of entries: digests of their content, the same in every database and in
 * every order of imports. A measured row of a file has an origin beside its content, the digest of
 * the file's digest and the row's place in it: equal numbers of two runs stay two, while an
 * archive, its folder and a renamed copy agree. Published rows are identified by content alone.
 */
#ifndef ABDB_STORE_KEY_H
#define ABDB_STORE_KEY_H

#include <stdbool.h>

#include "schema/core/sink_thread.h"
#include "schema/core/record.h"

/* Of the factors, of the shared fields, of the whole content. */
enum { ABDB_KEY_POINT, ABDB_KEY_DESCRIPTION, ABDB_KEY_ENTRY, ABDB_KEYS };

/* An entry with its factors and results in order. */
typedef struct {
    const abdb_entry *entry;
    const abdb_factor *factor[ABDB_FACTOR_MAX];
    const abdb_result *result[ABDB_RESULT_MAX];
} abdb_sorted_entry;

/* Is the field shared by many entries (a column of description)? Else it is a column of
 * entry_row. */
bool abdb_field_is_in_description(int field);
void abdb_sort_factors_and_results(abdb_sorted_entry *o, const abdb_entry *e);

/* Makes the keys of entries that can be kept, in any thread: abdb_keymaker_close frees its memory.
 * sha256: of the file that the entries are read from, borrowed, or NULL;
 * abdb_keymaker_set_file_digest changes it. */
ABDB_MUST_USE abdb_status abdb_keymaker_open(abdb_keymaker *out, const char *sha256,
                                             abdb_error *err);
void abdb_keymaker_set_file_digest(const abdb_keymaker *keys, const char *sha256);
void abdb_keymaker_close(abdb_keymaker *keys);

#endif

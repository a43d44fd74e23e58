/* key.h - the keys of entries: digests of their content, the same in every database and whatever
 * came before. */
#ifndef ABDB_STORE_KEY_H
#define ABDB_STORE_KEY_H

#include "schema/core/record.h"

/* Of the factors, of the fields, of the whole content. */
enum { ABDB_KEY_POINT, ABDB_KEY_DESCRIPTION, ABDB_KEY_ENTRY, ABDB_KEYS };

/* An entry with its factors and results in order. */
typedef struct {
    const abdb_entry *entry;
    const abdb_factor *factor[ABDB_FACTOR_MAX];
    const abdb_result *result[ABDB_RESULT_MAX];
} abdb_ordered;

void abdb_put_in_order(abdb_ordered *o, const abdb_entry *e);

#endif

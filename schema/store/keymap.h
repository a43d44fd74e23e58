/* keymap.h - keys of 63 bits and the small numbers they have in this file. */
#ifndef ABDB_STORE_KEYMAP_H
#define ABDB_STORE_KEYMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "schema/core/record.h"

/* Keys that a map may hold: 14 bytes each and a little room, twice while it grows. The maps of so
 * many entries and of their shared rows stay under 128 MiB together. */
enum { ABDB_KEYMAP_MAX = 390000, ABDB_KEYMAP_ENTRIES_MAX = 2900000 };

/* Zeroed is empty. Keys are digests: they are spread evenly, and the high part is never negative.
 * Only 16 bits of the low part are kept: two keys differ by 79 bits. */
typedef struct {
    int64_t key; /* -1: free */
    uint32_t number;
    uint16_t low;
} __attribute__((packed)) abdb_keyslot; /* side by side: a search touches one line of the cache */

typedef struct {
    abdb_keyslot *slot;
    size_t count, room;
    size_t max_keys; /* 0: ABDB_KEYMAP_MAX */
} abdb_keymap;

/* The number of a key, or 0. */
uint32_t abdb_keymap_get_number_or_0(const abdb_keymap *map, abdb_key key);
/* Begins to fetch the memory of a key that will be looked up soon. */
void abdb_keymap_prefetch(const abdb_keymap *map, abdb_key key);
/* False: no memory, or more keys than it may hold. */
bool abdb_keymap_put_unless_full(abdb_keymap *map, abdb_key key, uint32_t number);
/* The same; a full map is emptied. False: it was full, and is empty now. */
bool abdb_keymap_put_or_discard_map(abdb_keymap *map, abdb_key key, int64_t number);
void abdb_keymap_free(abdb_keymap *map);

#endif

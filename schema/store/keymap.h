/* keymap.h - keys of 63 bits and the small numbers they have in this file. */
#ifndef ABDB_STORE_KEYMAP_H
#define ABDB_STORE_KEYMAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ABDB_KEYMAP_MAX = 4000000 }; /* keys: 12 bytes each and a little room */

/* Zeroed is empty. Keys are digests: they are spread evenly, and never negative. */
typedef struct {
    int64_t *key; /* -1: free */
    uint32_t *number;
    size_t count, room;
} abdb_keymap;

/* The number of a key, or 0. */
uint32_t abdb_keymap_get(const abdb_keymap *map, int64_t key);
/* False: no memory, or more than ABDB_KEYMAP_MAX keys. */
bool abdb_keymap_put(abdb_keymap *map, int64_t key, uint32_t number);
void abdb_keymap_free(abdb_keymap *map);

#endif

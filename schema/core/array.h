/* array.h - arrays that grow by one, with doubled room; sorting and finding. */
#ifndef ABDB_CORE_GROW_H
#define ABDB_CORE_GROW_H

#include <stddef.h>

/* Returns the array with room for one more item behind its `count`, perhaps moved, and sets *room
 * (in items, as `size` is the bytes of one). NULL: no memory; the old array is whole and the
 * caller's. Starts from NULL with *room 0; ends with free().
 *
 *     item *more = abdb_array_reserve_one(list->item, list->count, &list->room, sizeof *more);
 *     if (!more) return ABDB_FAIL(err, ABDB_NOMEM, "...");
 *     list->item = more;
 */
void *abdb_array_reserve_one(void *array, size_t count, size_t *capacity, size_t item_size);

/* qsort, qsort_r and bsearch (which returns NULL where nothing is equal) of n items. An empty array
 * may be NULL here, which the C standard forbids there. */
void abdb_array_sort(void *array, size_t n, size_t item_size,
                     int (*compare)(const void *a, const void *b));
void abdb_array_sort_with(void *array, size_t n, size_t item_size,
                          int (*compare)(const void *a, const void *b, void *context),
                          void *context);
void *abdb_array_find_sorted(const void *key, const void *array, size_t n, size_t item_size,
                             int (*compare)(const void *key, const void *item));

#endif

/* array.c - arrays that grow by one, sorting, finding; see array.h. */
#include "schema/core/array.h"

#include <stdlib.h>

#include "schema/core/error.h"

enum { FIRST_ROOM = 16 };

void *abdb_array_reserve_one(void *array, size_t count, size_t *capacity, size_t item_size)
{
    size_t wanted = *capacity ? 2 * *capacity : FIRST_ROOM;
    void *more;

    if (count < *capacity) return array;
    more = reallocarray(array, wanted, item_size); /* which refuses an overflow */
    if (more)
        *capacity = wanted;
    else
        abdb_count_allocation_failure();
    return more;
}

void abdb_array_sort(void *array, size_t n, size_t item_size,
                     int (*compare)(const void *a, const void *b))
{
    if (n > 1) qsort(array, n, item_size, compare);
}

void abdb_array_sort_with(void *array, size_t n, size_t item_size,
                          int (*compare)(const void *a, const void *b, void *context),
                          void *context)
{
    if (n > 1) qsort_r(array, n, item_size, compare, context);
}

void *abdb_array_find_sorted(const void *key, const void *array, size_t n, size_t item_size,
                             int (*compare)(const void *key, const void *item))
{
    return n ? bsearch(key, array, n, item_size, compare) : NULL;
}

/* array.c - arrays that grow by one; see array.h. */
#include "schema/core/array.h"

#include <stdlib.h>

#include "schema/core/error.h"

enum { FIRST_ROOM = 16 };

void *abdb_array_reserve_one(void *array, size_t count, size_t *capacity, size_t item_size)
{
    size_t wanted = *capacity ? 2 * *capacity : FIRST_ROOM;
    void *more;

    if (count < *capacity) return array;
    more = reallocarray(array, wanted, item_size); /* which refuses what overflows */
    if (more)
        *capacity = wanted;
    else
        abdb_count_allocation_failure();
    return more;
}

/* grow.c - arrays that grow by one; see grow.h. */
#include "schema/core/grow.h"

#include <stdlib.h>

#include "schema/core/error.h"

enum { FIRST_ROOM = 16 };

void *abdb_grow(void *array, size_t count, size_t *room, size_t size)
{
    size_t wanted = *room ? 2 * *room : FIRST_ROOM;
    void *more;

    if (count < *room) return array;
    more = reallocarray(array, wanted, size); /* which refuses what overflows */
    if (more)
        *room = wanted;
    else
        abdb_starve();
    return more;
}

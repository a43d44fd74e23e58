/* keymap.c - keys and their numbers, by open addressing; see keymap.h. */
#include "schema/store/keymap.h"

#include <stdlib.h>
#include <string.h>

/* Where the search for a key begins: its place in the even spread of all keys. */
static size_t home(int64_t key, size_t room)
{
    return (size_t)(((uint64_t)key >> 31) * room >> 32);
}

/* The slot of a key, or the free one where it would stand. */
static size_t slot_of(const abdb_keymap *map, abdb_key key)
{
    size_t i = home(key.high, map->room);

    while (map->key[i] >= 0 && (map->key[i] != key.high || map->low[i] != (uint32_t)key.low))
        i = i + 1 == map->room ? 0 : i + 1;
    return i;
}

uint32_t abdb_keymap_get(const abdb_keymap *map, abdb_key key)
{
    size_t i;

    if (!map->room) return 0;
    i = slot_of(map, key);
    return map->key[i] < 0 ? 0 : map->number[i];
}

static void place(abdb_keymap *map, abdb_key key, uint32_t number)
{
    size_t i = slot_of(map, key);

    map->count += map->key[i] < 0;
    map->key[i] = key.high;
    map->low[i] = (uint32_t)key.low;
    map->number[i] = number;
}

static bool grow(abdb_keymap *map)
{
    abdb_keymap bigger = {.room = map->room ? map->room + map->room / 2 : 1024, .most = map->most};

    bigger.key = malloc(bigger.room * sizeof *bigger.key);
    bigger.low = malloc(bigger.room * sizeof *bigger.low);
    bigger.number = malloc(bigger.room * sizeof *bigger.number);
    if (!bigger.key || !bigger.low || !bigger.number) {
        abdb_keymap_free(&bigger);
        return false;
    }
    memset(bigger.key, 0xff, bigger.room * sizeof *bigger.key);
    for (size_t i = 0; i < map->room; i++)
        if (map->key[i] >= 0) place(&bigger, (abdb_key){map->key[i], map->low[i]}, map->number[i]);
    abdb_keymap_free(map);
    *map = bigger;
    return true;
}

bool abdb_keymap_put(abdb_keymap *map, abdb_key key, uint32_t number)
{
    if (map->count >= (map->most ? map->most : ABDB_KEYMAP_MAX)) return false;
    if (map->count + 1 > map->room - map->room / 8 && !grow(map)) return false;
    place(map, key, number);
    return true;
}

void abdb_keymap_free(abdb_keymap *map)
{
    free(map->key);
    free(map->low);
    free(map->number);
    *map = (abdb_keymap){0};
}

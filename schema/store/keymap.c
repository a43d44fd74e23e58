/* keymap.c - keys and their numbers, by open addressing; see keymap.h. */
#include "schema/store/keymap.h"

#include <stdlib.h>
#include <string.h>

/* Where the search for a key begins: its place in the even spread of all keys. */
static size_t home_slot_of_key(int64_t key, size_t room)
{
    /* The upper 32 of 63 bits, as a fraction of the room: any size works without a division. */
    return (size_t)(((uint64_t)key >> 31) * room >> 32);
}

/* The slot of a key, or the free one where it would stand. */
static abdb_keyslot *find_slot_or_free_slot(const abdb_keymap *map, abdb_key key)
{
    size_t i = home_slot_of_key(key.high, map->room);

    while (map->slot[i].key >= 0 &&
           (map->slot[i].key != key.high || map->slot[i].low != (uint16_t)key.low))
        i = i + 1 == map->room ? 0 : i + 1;
    return &map->slot[i];
}

uint32_t abdb_keymap_get_number_or_0(const abdb_keymap *map, abdb_key key)
{
    const abdb_keyslot *slot = map->room ? find_slot_or_free_slot(map, key) : NULL;

    return slot && slot->key >= 0 ? slot->number : 0;
}

void abdb_keymap_prefetch(const abdb_keymap *map, abdb_key key)
{
    if (map->room) __builtin_prefetch(&map->slot[home_slot_of_key(key.high, map->room)]);
}

static void put_without_growing(abdb_keymap *map, abdb_key key, uint32_t number)
{
    abdb_keyslot *slot = find_slot_or_free_slot(map, key);

    map->count += slot->key < 0;
    *slot = (abdb_keyslot){key.high, number, (uint16_t)key.low};
}

/* Makes the map's room half as large again and puts every key in its new place. False: no
 * memory. */
static bool grow_and_rehash(abdb_keymap *map)
{
    abdb_keymap bigger = {.room = map->room ? map->room + map->room / 2 : 1024,
                          .max_keys = map->max_keys};

    bigger.slot = malloc(bigger.room * sizeof *bigger.slot);
    if (!bigger.slot) return false;
    memset(bigger.slot, 0xff, bigger.room * sizeof *bigger.slot);
    for (size_t i = 0; i < map->room; i++)
        if (map->slot[i].key >= 0)
            put_without_growing(&bigger, (abdb_key){map->slot[i].key, map->slot[i].low},
                                map->slot[i].number);
    abdb_keymap_free(map);
    *map = bigger;
    return true;
}

bool abdb_keymap_put_unless_full(abdb_keymap *map, abdb_key key, uint32_t number)
{
    if (map->count >= (map->max_keys ? map->max_keys : ABDB_KEYMAP_MAX)) return false;
    /* At most seven eighths full; grown by a half, because old and new stand side by side
     * meanwhile. */
    if (map->count + 1 > map->room - map->room / 8 && !grow_and_rehash(map)) return false;
    put_without_growing(map, key, number);
    return true;
}

bool abdb_keymap_put_or_discard_map(abdb_keymap *map, abdb_key key, int64_t number)
{
    if (abdb_keymap_put_unless_full(map, key, (uint32_t)number)) return true;
    abdb_keymap_free(map);
    return false;
}

void abdb_keymap_free(abdb_keymap *map)
{
    free(map->slot);
    *map = (abdb_keymap){0};
}

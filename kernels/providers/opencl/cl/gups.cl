/* gups.cl - word[r mod words] ^= r for a sequence of random numbers r (xorshift64): a work-item
 * has a part of the table with a sequence of its own. */
KERNEL void gups_random_xor(global ulong *table, ulong words, ulong updates)
{
    ulong part = get_global_id(0), random = 0x9E3779B97F4A7C15ul * (part + 1);
    global ulong *mine = table + part * words;

    for (ulong i = 0; i < updates; i++) {
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        mine[random % words] ^= random;
    }
}

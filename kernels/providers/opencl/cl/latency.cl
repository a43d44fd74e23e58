/* latency.cl - one load after another that depends on it, by one work-item. */
KERNEL void chase_pointers(global const int *next, global int *end, ulong hops)
{
    int at = 0;

    for (ulong i = 0; i < hops; i++) at = next[at];
    end[0] = at;
}

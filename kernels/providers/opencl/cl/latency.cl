/* latency.cl - END = NEXT[NEXT[... NEXT[0]]], `hops` times, by one work-item: each load waits
 * for the one before. */
KERNEL void chase_pointers(global const int *next, global int *end, ulong hops)
{
    int at = 0;

    for (ulong i = 0; i < hops; i++) at = next[at];
    end[0] = at;
}

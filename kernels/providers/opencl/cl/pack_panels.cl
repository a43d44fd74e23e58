/* pack_panels.cl - panels of a matrix, one after another: SIDE rows (or columns) side by side, along the
 * depth, what is too short filled up with zeros. `across` and `along`: the distances of elements
 * beside each other in a panel, and along it; to_at: elements before the first panel. Dimensions:
 * panels, pieces of DEPTH, matrices. */
enum { DEPTH = 256 };

KERNEL void pack_panel_piece(global const ELEMENT *from, global REAL *to, ulong to_at, ulong side, ulong depth,
                 ulong first, ulong across, ulong along, ulong stride)
{
    ulong panel = get_global_id(0), low = get_global_id(1) * DEPTH, high = min(low + DEPTH, depth);
    ulong at = panel * SIDE, here = min((ulong)SIDE, side - at);

    if (at >= side) return;
    from += first + get_global_id(2) * stride + at * across;
    to += to_at + ((get_global_id(2) * get_global_size(0) + panel) * depth) * SIDE;
#if SIDE % LANES == 0
    if (here == SIDE && across == 1) {
        for (ulong k = low; k < high; k++)
            for (int i = 0; i < SIDE; i += LANES)
                VSTORE(GETV(from, k * along + i), 0, to + k * SIDE + i);
        return;
    }
#endif
    if (here == SIDE && along == 1) {
        for (; low + LANES <= high; low += LANES) {
            REAL part[SIDE][LANES];

            for (int i = 0; i < SIDE; i++) VSTORE(GETV(from, i * across + low), 0, part[i]);
            for (int k = 0; k < LANES; k++)
                for (int i = 0; i < SIDE; i++) to[(low + k) * SIDE + i] = part[i][k];
        }
    }
    for (ulong k = low; k < high; k++)
        for (ulong i = 0; i < SIDE; i++)
            to[k * SIDE + i] = i < here ? GET(from, i * across + k * along) : 0;
}

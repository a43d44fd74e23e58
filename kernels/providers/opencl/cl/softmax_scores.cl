/* softmax_scores.cl - scores of heads, queries x keys, in place: a row becomes the softmax of `scale`
 * times its scores over the keys that it sees, 0 beyond; L: the log of the sum of exp(scale score).
 * A group has a row. */
KERNEL void softmax_scores_in_place(global float *s, global float *logarithm, ulong queries, ulong keys,
                          float scale, int causal)
{
    local float room[ITEMS];
    ulong r = get_group_id(0), seen = causal ? r % queries + 1 + keys - queries : keys;
    FLOATV most = -INFINITY, sum = 0;
    float top, all;

    s += r * keys;
    EACH_VECTOR(i, seen) most = fmax(most, VLOAD(0, s + i));
    top = max_of_vector(most);
    EACH_LEFT(i, seen) top = fmax(top, s[i]);
    top = group_max(top, room);
    EACH_VECTOR(i, seen) sum += exp(scale * (VLOAD(0, s + i) - top));
    all = sum_of_vector(sum);
    EACH_LEFT(i, seen) all += exp(scale * (s[i] - top));
    all = group_sum(all, room);
    EACH_VECTOR(i, seen) VSTORE(exp(scale * (VLOAD(0, s + i) - top)) / all, 0, s + i);
    EACH_LEFT(i, seen) s[i] = exp(scale * (s[i] - top)) / all;
    for (ulong i = seen + get_local_id(0); i < keys; i += ITEMS) s[i] = 0;
    if (get_local_id(0) == 0) logarithm[r] = scale * top + log(all);
}

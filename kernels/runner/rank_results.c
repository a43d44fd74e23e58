/* rank_results.c - what a backend of several ranks says of each, checked and kept; see
 * rank_results.h. */
#include "kernels/runner/rank_results.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/runner/record_line.h"

static const char *const times[] = {"time_s", "least_s", "most_s"};
static const char *const words[] = {"host", "device", "binding"};

/* Has a rank its texts, and are its times, where it has them, numbers of at least 0? */
static bool rank_has_texts_and_valid_times(const json_t *rank)
{
    bool ok = json_is_object(rank);

    for (size_t i = 0; ok && i < sizeof words / sizeof words[0]; i++)
        ok = json_is_string(json_object_get(rank, words[i]));
    for (size_t i = 0; ok && i < sizeof times / sizeof times[0]; i++) {
        const json_t *value = json_object_get(rank, times[i]);

        ok = !value || (json_is_number(value) && isfinite(json_number_value(value)) &&
                        json_number_value(value) >= 0);
    }
    return ok;
}

const char *abdb_why_result_ranks_invalid(const json_t *result)
{
    const json_t *ranks = json_object_get(result, "ranks"), *rank;
    size_t i;

    if (!ranks) return NULL;
    if (!json_is_array(ranks) || !json_array_size(ranks)) return "ranks are no list";
    if (json_array_size(ranks) > ABDB_RANKS_MOST) return "more than 65536 ranks";
    json_array_foreach(ranks, i, rank) if (
        !rank_has_texts_and_valid_times(rank)) return "a rank has no host, device and binding, "
                                                      "or a time that is no number";
    return NULL;
}

/* How many different hosts the ranks name. */
static size_t count_distinct_hosts(const json_t *ranks)
{
    json_t *seen = json_object(), *rank;
    size_t i, count;

    json_array_foreach(ranks, i, rank)
        json_object_set_new(seen, abdb_json_text_or_empty(rank, "host"), json_true());
    count = json_object_size(seen);
    json_decref(seen);
    return count;
}

static double number_member_or_nan(const json_t *rank, const char *name)
{
    const json_t *value = json_object_get(rank, name);

    return value ? json_number_value(value) : NAN;
}

/* Adds rank i's median time with its least and most as a result; nothing where it has none. */
static void add_rank_time_result(abdb_entry *e, const json_t *ranks, size_t i, size_t samples)
{
    const json_t *rank = json_array_get(ranks, i);
    double median = number_member_or_nan(rank, "time_s");
    abdb_result *r;

    if (!(median > 0)) return;
    r = abdb_entry_add_result_or_count_left_out(e, "time_s", median);
    if (!r) return;
    r->rank = (long)i;
    r->statistic = "median";
    r->formula = "median@1";
    r->n = (long long)samples;
    r->low = number_member_or_nan(rank, "least_s");
    r->high = number_member_or_nan(rank, "most_s");
    if (isfinite(r->low) && isfinite(r->high)) r->spread = "minmax";
}

/* Of all ranks, or of the quickest and the slowest. */
static void add_all_or_extreme_rank_times(abdb_entry *e, const json_t *ranks, size_t samples)
{
    size_t count = json_array_size(ranks), quick = 0, slow = 0;

    for (size_t i = 0; i < count; i++) {
        double one = number_member_or_nan(json_array_get(ranks, i), "time_s");

        if (count <= ABDB_RANKS_KEPT) add_rank_time_result(e, ranks, i, samples);
        if (one < number_member_or_nan(json_array_get(ranks, quick), "time_s")) quick = i;
        if (one > number_member_or_nan(json_array_get(ranks, slow), "time_s")) slow = i;
    }
    if (count <= ABDB_RANKS_KEPT) return;
    add_rank_time_result(e, ranks, quick, samples);
    if (slow != quick) add_rank_time_result(e, ranks, slow, samples);
}

abdb_status abdb_entry_set_ranks_counts_and_add_times(abdb_entry *e, const json_t *result,
                                                      size_t samples, abdb_arena *arena,
                                                      abdb_rank **list, abdb_error *err)
{
    const json_t *ranks = json_object_get(result, "ranks"), *rank;
    size_t count = json_array_size(ranks), i;

    *list = NULL;
    if (!count) return ABDB_OK;
    *list = calloc(count, sizeof **list);
    if (!*list) return ABDB_FAIL(err, ABDB_NOMEM, "ranks");
    json_array_foreach(ranks, i, rank)
    {
        const char *binding = abdb_json_text_or_empty(rank, "binding"),
                   *device = abdb_json_text_or_empty(rank, "device");

        (*list)[i] = (abdb_rank){.rank = (long)i,
                                 .host = abdb_json_text_or_empty(rank, "host"),
                                 .device = *device ? device : NULL,
                                 .binding = *binding ? binding : NULL};
    }
    e->rank = *list;
    e->ranks = count;
    e->field[ABDB_FIELD_devices] = abdb_arena_printf(arena, "%zu", count);
    e->field[ABDB_FIELD_nodes] = abdb_arena_printf(arena, "%zu", count_distinct_hosts(ranks));
    add_all_or_extreme_rank_times(e, ranks, samples);
    return ABDB_OK;
}

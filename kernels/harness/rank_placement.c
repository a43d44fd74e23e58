/* rank_placement.c - the ranks in the result of a problem of several ranks: the place of each, the
 * processors that they share, and the time of each. See harness.h. */
#include <sched.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/harness/harness.h"
#include "schema/core/stats.h"
#include "schema/core/text.h"

/* The processors "0-3,8"; false: none, or no such text. */
static bool parse_processor_list(const char *text, cpu_set_t *out)
{
    CPU_ZERO(out);
    while (*text) {
        unsigned long long from, to;
        size_t size = abdb_digits_parse_prefix(text, 10, &from);

        if (!size) return false;
        text += size;
        to = from;
        if (*text == '-') {
            size = abdb_digits_parse_prefix(text + 1, 10, &to);
            if (!size) return false;
            text += 1 + size;
        }
        if (to < from || to >= CPU_SETSIZE || (*text && *text != ',')) return false;
        for (size_t i = from; i <= to; i++) CPU_SET(i, out);
        text += *text == ',';
    }
    return CPU_COUNT(out) > 0;
}

/* Ranks of the host of `rank`: are they more than its processors that they may use, and has any a
 * processor that `rank` has, too? */
static bool mark_shared_or_oversubscribed_cpus_of_rank(const abdb_rank_place *place, int ranks,
                                                       int rank, abdb_rank_sharing *out)
{
    cpu_set_t all, own, other, common;
    int here = 0;

    if (!parse_processor_list(place[rank].binding, &own)) return false;
    CPU_ZERO(&all);
    for (int r = 0; r < ranks; r++) {
        if (strcmp(place[r].host, place[rank].host) != 0) continue;
        if (!parse_processor_list(place[r].binding, &other)) return false;
        here++;
        CPU_OR(&all, &all, &other);
        CPU_AND(&common, &own, &other);
        if (r != rank && CPU_COUNT(&common)) out->shared = true;
    }
    if (here > CPU_COUNT(&all)) out->oversubscribed = true;
    return true;
}

abdb_rank_sharing abdb_count_hosts_and_find_cpu_sharing(const abdb_rank_place *place, int ranks)
{
    abdb_rank_sharing c = {.known = true};

    for (int r = 0; r < ranks; r++) {
        int same = 0;

        while (strcmp(place[same].host, place[r].host) != 0) same++;
        c.hosts += same == r;
        c.known = c.known && mark_shared_or_oversubscribed_cpus_of_rank(place, ranks, r, &c);
    }
    return c;
}

/* One rank: where it worked, and the median, least and most of its samples. */
static json_t *rank_place_and_median_min_max_json(const abdb_rank_place *place,
                                                  const abdb_samples *s, int rank, double *scratch)
{
    json_t *one = json_pack("{s:s,s:s,s:s}", "host", place->host, "device", place->device,
                            "binding", place->binding);
    abdb_summary summary;

    for (size_t i = 0; i < s->count; i++)
        scratch[i] = s->rank_s[i * (size_t)s->ranks + (size_t)rank];
    if (s->count && abdb_sort_and_summarise(scratch, s->count, &summary, NULL) == ABDB_OK) {
        json_object_set_new(one, "time_s", json_real(summary.median));
        json_object_set_new(one, "least_s", json_real(summary.min));
        json_object_set_new(one, "most_s", json_real(summary.max));
    }
    return one;
}

void abdb_result_json_add_ranks_and_binding(json_t *result, abdb_device *device, int ranks,
                                            const abdb_samples *s)
{
    json_t *list = json_array(), *factors = json_object_get(result, "factors");
    abdb_rank_place *place = calloc((size_t)ranks, sizeof *place);
    double *scratch = calloc(s->count + 1, sizeof *scratch);
    abdb_rank_sharing crowd;

    for (int r = 0; place && scratch && s->ranks && r < ranks; r++) {
        device->get_rank_place(device, r, &place[r]);
        json_array_append_new(list, rank_place_and_median_min_max_json(&place[r], s, r, scratch));
    }
    if (json_array_size(list)) {
        crowd = abdb_count_hosts_and_find_cpu_sharing(place, ranks);
        json_object_set(result, "ranks", list);
        if (crowd.known) {
            json_object_set_new(factors, "binding", json_string(crowd.shared ? "shared" : "own"));
            json_object_set_new(factors, "oversubscribed",
                                json_string(crowd.oversubscribed ? "yes" : "no"));
        }
    }
    json_decref(list);
    free(place);
    free(scratch);
}

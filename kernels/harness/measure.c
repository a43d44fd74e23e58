/* measure.c - warm up, then sample until stable; see harness.h and shared rules in the README.
 * Every sample is kept. A launch shorter than 1,000 resolutions of the clock is batched. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/harness/harness.h"
#include "schema/core/stats.h"

enum { RESOLUTIONS = 1000, CHECK_EVERY = 10, PATIENCE = 3 };
static const double glance_s = 0.1; /* between readings of the sensors, at first */

const abdb_sampling abdb_sampling_full = {.warm_ups = 3,
                                          .warm_s = 0.2,
                                          .least = 10,
                                          .least_s = 0.5,
                                          .cap_s = 15,
                                          .iqr_target = 0.02,
                                          .canary_s = 0.02,
                                          .shift_most = 0.1,
                                          .again = true};
const abdb_sampling abdb_sampling_quick = {.warm_ups = 1,
                                           .warm_s = 0.05,
                                           .least = 5,
                                           .least_s = 0.05,
                                           .cap_s = 0.2,
                                           .iqr_target = 0.05,
                                           .canary_s = 0.005,
                                           .shift_most = 0.1};

/* Writes a buffer of twice the last-level cache, so that no operand is left in any. */
static void flush(unsigned char *buffer, size_t size, unsigned char value)
{
    memset(buffer, value, size);
    __asm__ volatile("" : : "r"(buffer) : "memory");
}

/* Relative interquartile range of the samples so far. */
static double spread(const abdb_samples *s, double *scratch)
{
    abdb_summary summary;

    memcpy(scratch, s->time_s, s->count * sizeof *scratch);
    if (abdb_summarise(scratch, s->count, &summary, NULL) != ABDB_OK || summary.median <= 0)
        return 1;
    return summary.iqr / summary.median;
}

/* Launches before the first sample, as many and as long as the rule wants, and one more, but none
 * once *stop is set: the time of the quickest, so that one that the machine held up does not
 * decide. */
static double warm_up(const abdb_impl *impl, void *const *states, size_t copies,
                      const abdb_sampling *rule, const volatile int *stop, size_t *turn)
{
    double first = abdb_now_s(), last = first, quickest = INFINITY;

    for (bool more = true; more && !*stop;) {
        double start = last;

        more = ((int)*turn < rule->warm_ups && start - first < rule->cap_s) ||
               start - first < rule->warm_s;
        impl->launch(states[(*turn)++ % copies]);
        last = abdb_now_s();
        quickest = fmin(quickest, last - start);
    }
    return quickest;
}

/* Launches of a sample: long enough for the clock, and for all samples together to fill the time.
 */
static size_t choose_batch(double once_s, const abdb_clock *clock, const abdb_sampling *rule)
{
    double least = fmax(RESOLUTIONS * clock->resolution_s, 2 * rule->least_s / ABDB_SAMPLES_MAX);

    return once_s >= least ? 1 : (size_t)(least / fmax(once_s, 1e-9)) + 1;
}

/* Reads the sensors where it is time. When there is no room every second reading goes, and from
 * then on they are half as many; where there is no sensor, one look is enough. */
static void glance(abdb_samples *s, double *wait_s)
{
    const abdb_sensors *last = s->readings ? &s->reading[s->readings - 1] : NULL;

    if (last && abdb_now_s() - last->at_s < *wait_s) return;
    if (s->readings == ABDB_READINGS_MAX) {
        s->readings /= 2;
        for (size_t i = 1; i < s->readings; i++) s->reading[i] = s->reading[2 * i];
        *wait_s *= 2;
    }
    abdb_sensors_glance(&s->reading[s->readings]);
    last = &s->reading[s->readings++];
    if (isnan(last->clock_hz) && isnan(last->temperature_c) && isnan(last->energy_j))
        *wait_s = INFINITY;
}

abdb_status abdb_cell_measure(const abdb_impl *impl, void *const *states, size_t copies,
                              const abdb_sampling *rule, const abdb_clock *clock,
                              const volatile int *stop, abdb_samples *out, abdb_error *err)
{
    size_t flush_size = rule->cold ? 2 * abdb_cache_size() : 0;
    unsigned char *buffer = flush_size ? malloc(flush_size) : NULL;
    double *scratch = calloc(ABDB_SAMPLES_MAX, sizeof *scratch), first, best = 1e9;
    double wait_s = glance_s, once_s;
    size_t turn = 0, check = (size_t)rule->least;
    int worse = 0;
    abdb_status st = ABDB_OK;

    *out = (abdb_samples){.time_s = calloc(ABDB_SAMPLES_MAX, sizeof(double)),
                          .at_s = calloc(ABDB_SAMPLES_MAX, sizeof(double))};
    if (!out->time_s || !out->at_s || !scratch || (flush_size && !buffer))
        TRY(ABDB_FAIL(err, ABDB_NOMEM, "samples"));
    once_s = warm_up(impl, states, copies, rule, stop, &turn);
    out->cancelled = *stop != 0; /* before the first sample: none is taken */
    if (out->cancelled) goto done;
    out->batch = rule->cold ? 1 : choose_batch(once_s, clock, rule);
    glance(out, &wait_s);
    out->first_s = first = abdb_now_s();
    while (out->count < ABDB_SAMPLES_MAX) {
        double start, stopped;

        glance(out, &wait_s);
        if (buffer) flush(buffer, flush_size, (unsigned char)out->count);
        start = abdb_now_s();
        for (size_t i = 0; i < out->batch; i++) impl->launch(states[turn++ % copies]);
        stopped = abdb_now_s();
        out->at_s[out->count] = start - first;
        out->time_s[out->count++] = (stopped - start) / (double)out->batch;
        if (*stop) {
            out->cancelled = true;
            break;
        }
        if (stopped - first >= rule->cap_s && out->count >= 3) break;
        if ((int)out->count < rule->least || stopped - first < rule->least_s) continue;
        if (out->count >= check) {
            double now = spread(out, scratch);

            check = out->count + out->count / 4 + CHECK_EVERY; /* seldom: it sorts */
            if (now <= rule->iqr_target) break;
            worse = now < 0.95 * best ? 0 : worse + 1; /* has it stopped improving? */
            if (now < best) best = now;
            if (worse >= PATIENCE) break;
        }
    }
done:
    out->launches = turn;
    free(buffer);
    free(scratch);
    if (st != ABDB_OK) abdb_samples_free(out);
    return st;
}

void abdb_samples_free(abdb_samples *samples)
{
    free(samples->time_s);
    free(samples->at_s);
    *samples = (abdb_samples){0};
}

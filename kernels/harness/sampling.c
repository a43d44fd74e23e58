/* sampling.c - warm up, then sample until stable; see harness.h, and kernels/README.md on how abdb
 * measures. Every sample is kept. A launch shorter than 1,000 resolutions of the clock is batched;
 * how many make a batch is found by trying. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/harness/harness.h"
#include "schema/core/stats.h"

/* RESOLUTIONS: of the clock in a sample at least, so that it errs by 0.1 % at most. CHECK_EVERY:
 * samples between looks at the spread, at least. PATIENCE: looks without improvement after which it
 * is given up. BATCH_TRIES: see measure_and_choose_launches_per_sample. */
enum { RESOLUTIONS = 1000, CHECK_EVERY = 10, PATIENCE = 3, BATCH_TRIES = 3 };
/* Of the clock in a launch of flushed caches, which takes no batch: it errs by 1 % at most. */
enum { COLD_RESOLUTIONS = 100 };
static const double glance_s = 0.1; /* between readings of the sensors, at first */

const abdb_sampling abdb_sampling_full = {.warm_ups = 3,
                                          .warm_s = 0.2,
                                          .min_samples = ABDB_SAMPLES_FEW,
                                          .min_time_s = 0.5,
                                          .max_time_s = 15,
                                          .iqr_target = 0.02,
                                          .canary_s = 0.02,
                                          .shift_most = 0.1,
                                          .repeat_if_unsteady = true,
                                          .check_s = 1};
const abdb_sampling abdb_sampling_quick = {.warm_ups = 1,
                                           .warm_s = 0.05,
                                           .min_samples = ABDB_SAMPLES_FEW,
                                           .min_time_s = 0.05,
                                           .max_time_s = 0.2,
                                           .iqr_target = 0.05,
                                           .canary_s = 0.005,
                                           .shift_most = 0.1,
                                           .check_s = 0.3,
                                           .single_sample_s = 10};

/* Relative interquartile range of the samples so far; 1, which is never steady enough, where there
 * is none. */
static double relative_iqr_of_samples_or_1(const abdb_samples *s, double *scratch)
{
    abdb_summary summary;

    memcpy(scratch, s->time_s, s->count * sizeof *scratch);
    if (abdb_sort_and_summarise(scratch, s->count, &summary, NULL) != ABDB_OK ||
        summary.median <= 0)
        return 1;
    return summary.iqr / summary.median;
}

/* What is launched, in turn. */
typedef struct {
    abdb_device *device;
    const abdb_impl *impl;
    void *const *states;
    size_t copies, turn, next; /* turn: launches so far; next: the copy whose turn it is */
    const volatile int *stop;
} launch_rotation;

/* The time of so many launches together. */
static abdb_status time_launches_in_rotation(launch_rotation *l, size_t count, double *time_s,
                                             abdb_error *err)
{
    abdb_status st = ABDB_OK;

    TRY(l->device->begin_timing(l->device, err));
    for (size_t i = 0; i < count; i++) {
        TRY(l->impl->launch(l->states[l->next], err));
        if (++l->next == l->copies)
            l->next = 0; /* a division would take as long as some launches */
    }
    l->turn += count;
    TRY(l->device->end_timing(l->device, time_s, err));
done:
    return st;
}

/* Launches before the first sample, as many and as long as the rule wants, and one more, but none
 * once *stop is set. */
static abdb_status warm_up_by_rule_and_once_more(launch_rotation *l, const abdb_sampling *rule,
                                                 abdb_error *err)
{
    double first = abdb_clock_seconds(), last = first, time_s;
    abdb_status st = ABDB_OK;

    for (bool more = true; more && !*l->stop;) {
        more = ((int)l->turn < rule->warm_ups && last - first < rule->max_time_s) ||
               last - first < rule->warm_s;
        TRY(time_launches_in_rotation(l, 1, &time_s, err));
        last = abdb_clock_seconds();
    }
done:
    return st;
}

/* Launches of a sample: long enough for the clock, and for all samples together to fill the time.
 * Batches grow until the quickest of three stretches is; one that the machine held up does not
 * decide. */
static abdb_status measure_and_choose_launches_per_sample(launch_rotation *l,
                                                          const abdb_sampling *rule, size_t *batch,
                                                          abdb_error *err)
{
    double least =
        fmax(fmax(RESOLUTIONS * l->device->resolution_s, 2 * rule->min_time_s / ABDB_SAMPLES_MAX),
             l->device->min_sample_s);
    abdb_status st = ABDB_OK;

    for (*batch = 1; !rule->cold && !*l->stop;) {
        double quickest = INFINITY, time_s;

        for (int i = 0; i < BATCH_TRIES && quickest >= least; i++) {
            TRY(time_launches_in_rotation(l, *batch, &time_s, err));
            quickest = fmin(quickest, time_s);
        }
        if (quickest >= least) break;
        /* At least twice as many, at most 64 times: a time near 0 says little of what is needed. */
        *batch = (size_t)fmin(
            64.0 * (double)*batch,
            fmax(2.0 * (double)*batch, 1.1 * (double)*batch * least / fmax(quickest, 1e-9)));
    }
done:
    return st;
}

/* Reads the sensors where it is time. When there is no room every second reading goes, and from
 * then on they are half as many; where there is no sensor, one look is enough. */
static void append_sensor_reading_if_due_thinning(abdb_device *device, abdb_samples *s,
                                                  double *wait_s)
{
    const abdb_sensors *last = s->readings ? &s->reading[s->readings - 1] : NULL;

    if (last && abdb_clock_seconds() - last->at_s < *wait_s) return;
    if (s->readings == ABDB_READINGS_MAX) {
        s->readings /= 2;
        for (size_t i = 1; i < s->readings; i++) s->reading[i] = s->reading[2 * i];
        *wait_s *= 2;
    }
    device->read_sensors(device, ABDB_SENSE_QUICK, &s->reading[s->readings]);
    last = &s->reading[s->readings++];
    if (isnan(last->clock_hz) && isnan(last->temperature_c) && isnan(last->energy_j))
        *wait_s = INFINITY;
}

/* Are there samples enough, and are they steady, or no longer becoming so? */
typedef struct {
    double best, *scratch;
    size_t check;
    int worse;
} steadiness;

/* Are the samples enough: the least number and time, and an interquartile range at the target or
 * one that no longer shrinks; or the most time has passed. */
static bool should_stop_sampling(const abdb_samples *s, const abdb_sampling *rule, double passed_s,
                                 steadiness *w)
{
    double now;

    if (!s->count) return false;
    if ((int)s->count < rule->min_samples)
        return passed_s >= rule->max_time_s && s->count >= abdb_min_sample_count_after_time_limit(
                                                               rule, passed_s / (double)s->count);
    if (passed_s >= rule->max_time_s) return true;
    if (passed_s < rule->min_time_s || s->count < w->check) return false;
    now = relative_iqr_of_samples_or_1(s, w->scratch);
    w->check = s->count + s->count / 4 + CHECK_EVERY; /* seldom: it sorts */
    if (now <= rule->iqr_target) return true;
    w->worse = now < 0.95 * w->best ? 0 : w->worse + 1; /* has it stopped improving? */
    if (now < w->best) w->best = now;
    return w->worse >= PATIENCE;
}

/* Room for the samples, and of each for those of the ranks. */
static abdb_status alloc_sample_buffers(const abdb_device *device, abdb_samples *out, steadiness *w,
                                        abdb_error *err)
{
    *out = (abdb_samples){.time_s = calloc(ABDB_SAMPLES_MAX, sizeof(double)),
                          .at_s = calloc(ABDB_SAMPLES_MAX, sizeof(double))};
    w->scratch = calloc(ABDB_SAMPLES_MAX, sizeof *w->scratch);
    if (device->rank_s) {
        out->ranks = device->limits.ranks;
        out->rank_s = calloc((size_t)out->ranks * ABDB_SAMPLES_MAX, sizeof(double));
    }
    if (out->time_s && out->at_s && w->scratch && (out->rank_s || !device->rank_s)) return ABDB_OK;
    return ABDB_FAIL(err, ABDB_NOMEM, "samples");
}

/* One more sample, of so many launches together. */
static void append_sample_divided_by_batch(const abdb_device *device, abdb_samples *s,
                                           double time_s)
{
    for (int r = 0; r < s->ranks; r++)
        s->rank_s[s->count * (size_t)s->ranks + (size_t)r] = device->rank_s[r] / (double)s->batch;
    s->time_s[s->count++] = time_s / (double)s->batch;
}

/* One sample, of which *watch looks where its last launch is of the first copy. */
static abdb_status take_sample_flushing_and_watching(launch_rotation *l, const abdb_sampling *rule,
                                                     abdb_samples *out, abdb_error *err)
{
    bool watched = rule->watch && (l->next + out->batch - 1) % l->copies == 0;
    double time_s;
    abdb_status st = ABDB_OK;

    if (watched)
        abdb_sample_watch_spoil_before_sample(
            rule->watch,
            out->count ? out->time_s[out->count - 1] * (double)out->batch : rule->max_time_s);
    if (rule->cold) TRY(l->device->flush_caches(l->device, err));
    out->at_s[out->count] = abdb_clock_seconds() - out->first_s;
    TRY(time_launches_in_rotation(l, out->batch, &time_s, err));
    append_sample_divided_by_batch(l->device, out, time_s);
    if (watched) TRY(abdb_sample_watch_check_after_sample(rule->watch, err));
done:
    return st;
}

/* Of flushed caches, where each sample is one launch: is it long enough for the clock? */
static abdb_status check_cold_launches_are_long_enough(const abdb_device *device,
                                                       const abdb_samples *s, abdb_error *err)
{
    double least = INFINITY;

    for (size_t i = 0; i < s->count; i++) least = fmin(least, s->time_s[i]);
    if (least >= COLD_RESOLUTIONS * device->resolution_s) return ABDB_OK;
    return ABDB_FAIL(
        err, ABDB_USAGE,
        "cache=cold: a launch of %.2g s is too short for a clock with steps of %.2g s; "
        "measure a larger problem, or cache=rotate",
        least, device->resolution_s);
}

abdb_status abdb_warm_up_and_sample_until_stable(abdb_device *device, const abdb_impl *impl,
                                                 void *const *states, size_t copies,
                                                 const abdb_sampling *rule,
                                                 const volatile int *stop, abdb_samples *out,
                                                 abdb_error *err)
{
    launch_rotation l = {device, impl, states, copies, 0, 0, stop};
    steadiness w = {.best = 1e9, .check = (size_t)rule->min_samples};
    double wait_s = glance_s, time_s;
    abdb_status st = ABDB_OK;

    TRY(alloc_sample_buffers(device, out, &w, err));
    TRY(warm_up_by_rule_and_once_more(&l, rule, err));
    TRY(measure_and_choose_launches_per_sample(&l, rule, &out->batch, err));
    out->cancelled = *stop != 0; /* before the first sample: none is taken */
    if (out->cancelled) goto done;
    while (rule->watch && (l.next + out->batch - 1) % copies) /* the first can be looked at */
        TRY(time_launches_in_rotation(&l, 1, &time_s, err));
    append_sensor_reading_if_due_thinning(device, out, &wait_s);
    out->first_s = abdb_clock_seconds();
    while (out->count < ABDB_SAMPLES_MAX) {
        append_sensor_reading_if_due_thinning(device, out, &wait_s);
        TRY(take_sample_flushing_and_watching(&l, rule, out, err));
        out->cancelled = *stop != 0;
        if (out->cancelled ||
            should_stop_sampling(out, rule, abdb_clock_seconds() - out->first_s, &w))
            break;
    }
    if (rule->cold) TRY(check_cold_launches_are_long_enough(device, out, err));
done:
    out->launches = l.turn;
    free(w.scratch);
    if (st != ABDB_OK) abdb_samples_free(out);
    return st;
}

void abdb_samples_free(abdb_samples *samples)
{
    free(samples->time_s);
    free(samples->at_s);
    free(samples->rank_s);
    *samples = (abdb_samples){0};
}

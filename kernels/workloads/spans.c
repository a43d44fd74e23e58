/* spans.c - named parts of a workload's time; see spans.h. */
#include "kernels/workloads/spans.h"

#include <string.h>

void abdb_spans_reset_totals(abdb_spans *s)
{
    for (size_t i = 0; i < s->count; i++) {
        s->at[i].calls = 0;
        s->at[i].time_s = s->at[i].ops = s->at[i].bytes = 0;
    }
    s->deep = 0;
}

static bool texts_equal_or_both_null(const char *a, const char *b)
{
    return a == b || (a && b && strcmp(a, b) == 0);
}

/* The part of that name within that one, new where there is none; ABDB_SPANS_MAX: no room. */
static size_t find_or_add_span_within_parent(abdb_spans *s, const char *name, const char *within,
                                             const char *kernel)
{
    size_t i = 0;

    while (i < s->count && !(texts_equal_or_both_null(s->at[i].name, name) &&
                             texts_equal_or_both_null(s->at[i].within, within)))
        i++;
    if (i == s->count && i < ABDB_SPANS_MAX)
        s->at[s->count++] = (abdb_span_total){.name = name, .within = within, .kernel = kernel};
    return i;
}

/* Is it work that a device has only been asked to do, and that is waited for? What fails there is
 * seen in what it computed. */
static bool span_must_await_device_queue(const abdb_spans *s, const abdb_span_total *spent)
{
    return spent->kernel && s->device && !s->device->on_host;
}

void abdb_span_enter(abdb_spans *s, const char *name, const char *kernel)
{
    const char *within = NULL;
    abdb_error err;
    size_t at;

    if (s->deep > 0 && s->deep <= ABDB_SPANS_DEEP) within = s->at[s->open[s->deep - 1]].name;
    at = find_or_add_span_within_parent(s, name, within, kernel);
    if (at == ABDB_SPANS_MAX || s->deep >= ABDB_SPANS_DEEP) {
        s->overflowed = true;
        at = 0;
    }
    if (s->deep < ABDB_SPANS_DEEP) {
        s->open[s->deep] = at;
        s->begun_s[s->deep] = s->now();
        if (span_must_await_device_queue(s, &s->at[at]))
            (void)!s->device->begin_timing(s->device, &err);
    }
    s->deep++;
}

void abdb_span_leave_and_add_work(abdb_spans *s, double ops, double bytes)
{
    abdb_span_total *spent;
    abdb_error err;
    double time_s;

    if (s->deep <= 0) {
        s->overflowed = true;
        return;
    }
    if (--s->deep >= ABDB_SPANS_DEEP) return;
    spent = &s->at[s->open[s->deep]];
    if (span_must_await_device_queue(s, spent))
        (void)!s->device->end_timing(s->device, &time_s, &err);
    spent->time_s += s->now() - s->begun_s[s->deep];
    spent->calls++;
    spent->ops += ops;
    spent->bytes += bytes;
}

/* thread_params.c - threads that were asked for and those that ran; see harness.h. */
#include "kernels/harness/harness.h"
#include "schema/core/text.h"

enum { THREADS_MOST = 1 << 20 };

abdb_status abdb_parse_threads_param_or_0(const abdb_problem *p, int *out, abdb_error *err)
{
    const char *said = abdb_param_text(p, "threads");
    long long asked = 0;

    *out = 0;
    if (said && !abdb_integer_parse_in_range(said, ABDB_MARK_POINT, 1, THREADS_MOST, &asked))
        return ABDB_FAIL(err, ABDB_USAGE, "threads=%s is no whole number from 1 on", said);
    *out = (int)asked;
    return ABDB_OK;
}

abdb_status abdb_end_thread_count_and_require_requested(const abdb_problem *p, int *threads_run,
                                                        abdb_error *err)
{
    const abdb_device *d = p->device;
    int asked;
    abdb_status st = abdb_parse_threads_param_or_0(p, &asked, err);

    *threads_run = abdb_thread_count_end_max();
    if (d->driver_threads) *threads_run = d->threads ? d->threads : 1;
    if (st != ABDB_OK || !asked || asked == *threads_run) return st;
    if (!d->threads)
        return ABDB_FAIL(err, ABDB_USAGE, "threads are of processors: this device has none");
    return ABDB_FAIL(err, ABDB_USAGE, "it ran on %d of the %d threads that were asked for",
                     *threads_run, asked);
}

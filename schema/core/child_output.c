/* child_output.c - see child_output.h. */
#include "schema/core/child_output.h"

#include <errno.h>
#include <poll.h>
#include <unistd.h>

#include "schema/core/timing.h"

/* Reads once from *from into text; closes *from and sets it to -1 at its end. */
static void read_once_or_close(int *from, abdb_text *text)
{
    char buffer[1 << 16];
    ssize_t n = read(*from, buffer, sizeof buffer);

    if (n > 0) {
        abdb_text_add(text, buffer, (size_t)n);
    } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
        close(*from);
        *from = -1;
    }
}

abdb_output_end abdb_program_read_output_and_reap(abdb_program *p, double timeout_s,
                                                  size_t output_max, size_t error_output_max,
                                                  abdb_text *output, abdb_text *error_output,
                                                  int *status)
{
    double until = abdb_monotonic_seconds() + timeout_s;
    abdb_output_end end = ABDB_OUTPUT_WHOLE;

    if (p->in >= 0) close(p->in);
    p->in = -1;
    while (end == ABDB_OUTPUT_WHOLE && (p->out >= 0 || p->error_output >= 0)) {
        struct pollfd ends[] = {{p->out, POLLIN, 0}, {p->error_output, POLLIN, 0}};
        double left_s = until - abdb_monotonic_seconds();

        if (left_s <= 0) end = ABDB_OUTPUT_TOO_LONG;
        if (output->size > output_max || error_output->size > error_output_max)
            end = ABDB_OUTPUT_TOO_LARGE;
        if (end != ABDB_OUTPUT_WHOLE || poll(ends, 2, (int)(left_s * 1000) + 1) <= 0) continue;
        if (ends[0].revents) read_once_or_close(&p->out, output);
        if (ends[1].revents) read_once_or_close(&p->error_output, error_output);
    }
    if (end == ABDB_OUTPUT_WHOLE && !abdb_program_wait_until_ended(p, timeout_s, NULL))
        end = ABDB_OUTPUT_TOO_LONG;
    *status = abdb_program_kill_and_reap(p);
    return end;
}

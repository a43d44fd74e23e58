/* deadline.c - how long a verb may take until its answer is there; see deadline.h. */
#include "query/answer/deadline.h"

#include <math.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "query/answer/output.h"
#include "schema/core/timing.h"

#define WORDS "the time-out was reached; --timeout SECONDS allows more"

/* longest_s: more than a timer can be set to wait, about three years. */
static const double grace_s = 1, longest_s = 1e8;
static double deadline_s; /* 0: none */

/* One second over the time: some code does not check the clock. Calls only functions allowed in a
 * handler of signals. */
static void exit_on_deadline_alarm(int number)
{
    (void)number;
    abdb_print_stderr_signal_safe("\nabdb: " WORDS "\n");
    _exit(abdb_exit_code(ABDB_LIMIT));
}

static void set_or_disarm_alarm_timer(double seconds)
{
    struct itimerval timer = {
        .it_value = {.tv_sec = (time_t)seconds, .tv_usec = (suseconds_t)(1e6 * fmod(seconds, 1))}};

    setitimer(ITIMER_REAL, &timer, NULL);
}

void abdb_deadline_begin_and_arm_alarm(double seconds)
{
    struct sigaction action = {.sa_handler = exit_on_deadline_alarm};

    abdb_deadline_cancel();
    if (!(seconds > 0)) return;
    seconds = fmin(seconds, longest_s);
    sigaction(SIGALRM, &action, NULL);
    deadline_s = abdb_monotonic_seconds() + seconds;
    set_or_disarm_alarm_timer(seconds + grace_s);
}

void abdb_deadline_begin_from_argv_or_default(int argc, char *const *argv)
{
    static const char option[] = "--timeout";
    const size_t size = sizeof option - 1;
    double seconds = ABDB_TIMEOUT_S, given;

    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";

        if (strncmp(argv[i], option, size) != 0) continue;
        if (argv[i][size] == '=') value = argv[i] + size + 1;
        if (abdb_double_parse(value, ABDB_MARK_UNKNOWN, &given) && given >= 0) seconds = given;
    }
    abdb_deadline_begin_and_arm_alarm(seconds);
}

void abdb_deadline_cancel(void)
{
    set_or_disarm_alarm_timer(0);
    deadline_s = 0;
}

bool abdb_deadline_has_passed(void)
{
    return deadline_s > 0 && abdb_monotonic_seconds() > deadline_s;
}

double abdb_deadline_seconds_left(void)
{
    return deadline_s > 0 ? deadline_s - abdb_monotonic_seconds() : INFINITY;
}

abdb_status abdb_deadline_fail_with_time_out(abdb_error *err)
{
    return ABDB_FAIL(err, ABDB_LIMIT, WORDS);
}

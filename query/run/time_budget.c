/* time_budget.c - see time_budget.h. */
#include "query/run/time_budget.h"

#include <math.h>
#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile int *stop_flag;
static volatile sig_atomic_t out_of_time;

static void set_stop_flag_on_alarm(int number)
{
    (void)number;
    if (stop_flag && !*stop_flag) out_of_time = *stop_flag = 1;
}

void abdb_time_budget_start(double seconds, volatile int *stop)
{
    const struct sigaction action = {.sa_handler = set_stop_flag_on_alarm};

    stop_flag = stop;
    out_of_time = 0;
    sigaction(SIGALRM, &action, NULL);
    alarm((unsigned)ceil(seconds));
}

bool abdb_time_budget_end_was_exceeded(void)
{
    alarm(0);
    return out_of_time;
}

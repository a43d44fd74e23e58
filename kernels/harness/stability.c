/* stability.c - the canary: a fixed piece of work, timed before and after every measurement. If it
 * takes another time afterwards, the machine changed (clock, neighbours on a shared host), and the
 * samples between are in doubt. It reads and writes memory of the first levels and does arithmetic,
 * on all threads. See harness.h. */
#include <math.h>
#include <omp.h>
#include <stdlib.h>

#include "kernels/harness/harness.h"

enum {
    WORDS = 1 << 15,
    CHAINS = 8,
    STEPS = 4096,
    PIECES = 4
}; /* three arrays of 256 KiB a thread */

/* One round of a thread: a triad over its arrays, then chains of multiply-adds. */
static double run_canary_round(double *a, const double *b, const double *c)
{
    double chain[CHAINS] = {0}, sum = 0;

    for (size_t i = 0; i < WORDS; i++) a[i] = b[i] + 0.5 * c[i];
    for (size_t s = 0; s < STEPS; s++)
        for (size_t i = 0; i < CHAINS; i++) chain[i] = chain[i] * 0.999 + 0.001;
    for (size_t i = 0; i < CHAINS; i++) sum += chain[i];
    return sum + a[WORDS / 2];
}

/* Seconds of so many rounds of fixed work on all threads. */
static double time_canary_rounds_on_all_threads(double *room, size_t rounds)
{
    volatile double keep;
    double start = abdb_clock_seconds(), sum = 0;

#pragma omp parallel reduction(+ : sum)
    {
        double *mine = room + (size_t)omp_get_thread_num() * 3 * WORDS;

        for (size_t i = 0; i < rounds; i++)
            sum += run_canary_round(mine, mine + WORDS, mine + 2 * WORDS);
    }
    keep = sum;
    (void)keep;
    return abdb_clock_seconds() - start;
}

double abdb_time_canary_round(double about_s)
{
    static double *room;
    static size_t rounds;
    double least = INFINITY; /* of pieces: a short absence is none of the machine's speed */

    if (!room) { /* of this process: kept until it ends */
        room = calloc((size_t)omp_get_max_threads() * 3 * WORDS, sizeof *room);
        if (!room) return 1;
        time_canary_rounds_on_all_threads(room, 4);
        rounds = (size_t)(about_s / (time_canary_rounds_on_all_threads(room, 16) / 16)) + 1;
    }
    for (int i = 0; i < PIECES; i++) {
        double piece = time_canary_rounds_on_all_threads(room, rounds / PIECES + 1) /
                       (double)(rounds / PIECES + 1);

        least = piece < least ? piece : least;
    }
    return least;
}

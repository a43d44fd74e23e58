/* toil.c - a backend for tests of the gate: six kinds of load on one thread, a few milliseconds a
 * process, and a build of it that truly does MORE percent more (cc -DMORE=5). It shows what a gate
 * finds on a machine as it is; it says nothing about the speed of anything else. */
#include <jansson.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef MORE
#define MORE 0
#endif

enum { UNIT = 100 + MORE, SAMPLES = 15 };
enum { SMALL = 1 << 12, LARGE = 1 << 21, LINE = 8 }; /* words: 32 KiB, 16 MiB */

static double *words;
static uint32_t *order;
static volatile double sink;

static double monotonic_now_s(void)
{
    struct timespec t;

    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint32_t next_xorshift(uint32_t *state) /* xorshift, Marsaglia */
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

/* --- loads: each does `units` like pieces ----------------------------------------------------- */

static void run_dependent_fma(int units) /* dependent multiply-adds */
{
    double x = words[units];

    for (int i = 0; i < units * 2000; i++) x = x * 0.999999 + 1e-3;
    sink = x;
}

static void run_triad_in_cache(int units) /* arrays in the first caches */
{
    double *a = words, *b = words + SMALL / 4, *c = words + SMALL / 2;

    for (int u = 0; u < units * 40; u++) {
        for (int i = 0; i < SMALL / 4; i++) a[i] = b[i] + 0.5 * c[i];
        __asm__ volatile("" : : "r"(a) : "memory");
    }
}

static void run_memory_scan(int units) /* memory, in order */
{
    double sum = 0;

    for (int u = 0; u < units; u++) {
        const double *from = words + (size_t)(u % 100) * (LARGE / 100);

        for (int i = 0; i < LARGE / 100; i++) sum += from[i];
    }
    sink = sum;
}

static void run_pointer_chase(int units) /* loads that wait for one another, in 256 KiB */
{
    uint32_t at = 0;

    for (int i = 0; i < units * 2000; i++) at = order[at];
    sink = at;
}

static void run_unpredictable_branches(int units) /* branches that cannot be foreseen */
{
    uint32_t state = 2463534242u;
    double sum = 0;

    for (int i = 0; i < units * 2000; i++)
        if (next_xorshift(&state) & 1)
            sum += 1;
        else
            sum = sum * 0.5;
    sink = sum;
}

static void run_random_line_reads(int units) /* lines of a large table, in no order */
{
    uint32_t state = 88172645u;
    double sum = 0;

    for (int i = 0; i < units * 3000; i++)
        sum += words[next_xorshift(&state) % (LARGE / LINE) * LINE];
    sink = sum;
}

static const struct {
    const char *name;
    void (*run)(int units);
} loads[] = {{"chain", run_dependent_fma},
             {"triad", run_triad_in_cache},
             {"stream", run_memory_scan},
             {"chase", run_pointer_chase},
             {"branch", run_unpredictable_branches},
             {"gather", run_random_line_reads}};
enum { LOADS = sizeof loads / sizeof loads[0], STEPS = 1 << 16 };

static int allocate_and_fill_tables(void)
{
    uint32_t state = 1;

    words = malloc(LARGE * sizeof *words);
    order = malloc(STEPS * sizeof *order);
    if (!words || !order) return 0;
    for (size_t i = 0; i < LARGE; i++) words[i] = (double)i;
    for (uint32_t i = 0; i < STEPS; i++) order[i] = i;
    for (uint32_t i = STEPS - 1; i > 0; i--) { /* one circle through all (Sattolo) */
        uint32_t k = next_xorshift(&state) % i, keep = order[i];

        order[i] = order[k];
        order[k] = keep;
    }
    return 1;
}

static void time_load_print_sample_and_result_records(const char *cell, size_t load_index,
                                                      double prepared_s)
{
    double took[SAMPLES];

    loads[load_index].run(UNIT); /* once, to warm up */
    for (int i = 0; i < SAMPLES; i++) {
        double begin = monotonic_now_s();

        loads[load_index].run(UNIT);
        took[i] = monotonic_now_s() - begin;
    }
    for (int i = 0; i < SAMPLES; i++)
        printf("{\"kind\":\"sample\",\"cell\":\"%s\",\"seq\":%d,\"t_s\":%d,\"time_s\":%.9g}\n",
               cell, i, i, took[i]);
    printf("{\"kind\":\"result\",\"cell\":\"%s\",\"formula\":\"toil@1\",\"dtype\":\"f64\","
           "\"verified\":\"pass\",\"prepare_s\":%.9g,\"batch\":1,\"factors\":{}}\n",
           cell, prepared_s);
}

int main(int argc, char **argv)
{
    char line[4096];

    puts("{\"kind\":\"hello\",\"protocol\":1,\"backend\":\"toil\",\"summary\":\"loads for tests of "
         "the gate\",\"kernels\":[]}");
    puts("{\"kind\":\"environment\",\"environment\":{}}");
    puts("{\"kind\":\"device\",\"name\":\"this machine, one thread\",\"devices\":1,\"threads\":1,"
         "\"clock\":\"CLOCK_MONOTONIC\"}");
    while (argc > 1 && strcmp(argv[1], "run") == 0 && fgets(line, sizeof line, stdin)) {
        json_t *request = json_loads(line, 0, NULL);
        const char *cell = json_string_value(json_object_get(request, "cell"));
        const char *kernel = json_string_value(json_object_get(request, "kernel"));
        double start = monotonic_now_s();
        size_t which = 0;

        while (kernel && which < LOADS && strcmp(loads[which].name, kernel) != 0) which++;
        printf("{\"kind\":\"begin\",\"cell\":\"%s\"}\n", cell ? cell : "");
        if (kernel && which < LOADS && (words || allocate_and_fill_tables())) {
            time_load_print_sample_and_result_records(cell, which, monotonic_now_s() - start);
            printf("{\"kind\":\"end\",\"cell\":\"%s\",\"status\":\"ok\",\"reason\":\"\"}\n", cell);
        } else
            printf("{\"kind\":\"end\",\"cell\":\"%s\",\"status\":\"not-implemented\","
                   "\"reason\":\"no such load\"}\n",
                   cell ? cell : "");
        fflush(stdout);
        json_decref(request);
    }
    puts("{\"kind\":\"bye\"}");
    return 0;
}

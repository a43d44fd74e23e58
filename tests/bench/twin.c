/* twin.c - a program whose builds differ in bytes and not in code, for tests/campaigns/gate.sh:
 * cc -c -DPART=0..9 gives ten objects, linked in any order. The timed loops start at a cache line
 * (64 bytes) in any order, since a loop across two lines may truly be slower. -DMORE=5 in PART 0
 * does 5 percent more work. `twin LOAD` runs one load for some milliseconds, on one thread. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef MORE
#define MORE 0
#endif

enum { UNITS = 100 + MORE, SMALL = 1 << 10, STEPS = 1 << 14, LINE = 64 };
#define TIMED __attribute__((aligned(64), noinline))

double run_chain(int units);
double run_triad(int units);
double run_chase(int units);
double run_branch(int units);

#if PART == 0
int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        double (*run)(int units);
    } loads[] = {
        {"chain", run_chain}, {"triad", run_triad}, {"chase", run_chase}, {"branch", run_branch}};

    for (size_t i = 0; argc == 2 && i < sizeof loads / sizeof loads[0]; i++)
        if (strcmp(argv[1], loads[i].name) == 0) return loads[i].run(UNITS) == 1e300;
    return 2;
}
#elif PART == 1
TIMED double run_chain(int units) /* dependent multiply-adds */
{
    double x = units;

    for (int i = 0; i < units * 40000; i++) x = x * 0.999999 + 1e-3;
    return x;
}
#elif PART == 2
TIMED double run_triad(int units) /* arrays in the first cache */
{
    static double words[3 * SMALL] __attribute__((aligned(4096)));
    double *a = words, *b = words + SMALL, *c = words + 2 * SMALL;

    for (int u = 0; u < units * 300; u++) {
        for (int i = 0; i < SMALL; i++) a[i] = b[i] + 0.5 * c[i];
        __asm__ volatile("" : : "r"(a) : "memory");
    }
    return a[units];
}
#elif PART == 3
TIMED double run_chase(int units) /* loads that wait for one another, in 64 KiB */
{
    static uint32_t order[STEPS] __attribute__((aligned(4096)));
    uint32_t at = 0;

    for (uint32_t i = 0; i < STEPS; i++) order[i] = (i + 4099) % STEPS; /* one circle */
    for (int i = 0; i < units * 45000; i++) at = order[at];
    return at;
}
#elif PART == 4
TIMED double run_branch(int units) /* branches that cannot be foreseen */
{
    uint32_t state = 2463534242u;
    double sum = 0;

    for (int i = 0; i < units * 16000; i++) {
        state ^= state << 13; /* xorshift, Marsaglia */
        state ^= state >> 17;
        state ^= state << 5;
        if (state & 1)
            sum += 1;
        else
            sum = sum * 0.5;
    }
    return sum;
}
#else /* untimed code and data of odd sizes, which move the other parts in the file */
#define NAME_OF(part) filler_##part
#define FILLER(part)  NAME_OF(part)
#define QUOTED(part)  #part
#define TEXT_OF(part) QUOTED(part)
const char FILLER(PART)[PART * PART * 37] = {PART};
__asm__(".text\n.skip 37 * " TEXT_OF(PART) ", 0x90");
#endif

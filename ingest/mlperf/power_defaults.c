/* power_defaults.c - Appendix D of the rules of MLPerf Endpoints; see power_defaults.h. */
#include "ingest/mlperf/power_defaults.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { X86_CORES_OF_SMALL = 64, ARM_CORES_MAX = 128, NAME_MAX_SIZE = 200 };

/* D.3; "gb300" before "b300", which is part of it. */
static const struct {
    const char *part;
    double watts;
} accelerators[] = {{"gb300", 1400},  {"gb200", 1200},  {"b300", 1100},
                    {"b200", 1000},   {"mi455x", 2500}, {"mi355x", 1400},
                    {"mi350x", 1000}, {"tpuv7", 1000},  {"tn3", 700}};

/* D.4; 0: a cabling without a published figure. */
static const struct {
    const char *part;
    double passive, active_optical;
} switches[] = {
    {"sn6810ld", 1960, 1960}, {"sn5610", 900, 2080}, {"sn5400", 670, 0}, {"sn4700", 630, 0}};

static const abdb_power_default none = {NAN, ""};

/* The name in lower case; squashed: letters and digits alone. */
static void copy_lower_case(char out[NAME_MAX_SIZE], const char *name, bool squashed)
{
    size_t n = 0;

    for (; name && *name && n + 1 < NAME_MAX_SIZE; name++)
        if (!squashed || isalnum((unsigned char)*name))
            out[n++] = (char)tolower((unsigned char)*name);
    out[n] = '\0';
}

/* Does one of the words stand in the text, with no letter or digit beside it? */
static bool has_any_word(const char *text, const char *const *words)
{
    for (; *words; words++)
        for (const char *at = strstr(text, *words); at; at = strstr(at + 1, *words))
            if ((at == text || !isalnum((unsigned char)at[-1])) &&
                !isalnum((unsigned char)at[strlen(*words)]))
                return true;
    return false;
}

/* "amd venice 256-core" has 256; 0: the name states none. */
static double cores_in_name(const char *name)
{
    for (const char *core = strstr(name, "core"); core; core = strstr(core + 1, "core")) {
        const char *at = core;
        double cores = 0, place = 1;

        while (at > name && (at[-1] == ' ' || at[-1] == '-')) at--;
        for (; at > name && isdigit((unsigned char)at[-1]); at--, place *= 10)
            cores += place * (at[-1] - '0');
        if (cores > 0) return cores;
    }
    return 0;
}

abdb_power_default abdb_power_default_of_processor(const char *model, double cores)
{
    static const char *const arm[] = {"grace",  "neoverse", "arm", "graviton", "axion",
                                      "ampere", "altra",    "agi", NULL};
    static const char *const x86[] = {"xeon", "epyc", "intel", "amd", "x86", "x86_64", NULL};
    char name[NAME_MAX_SIZE];

    copy_lower_case(name, model, false);
    if (!(cores > 0)) cores = cores_in_name(name);
    if (!(cores > 0)) return none;
    if (has_any_word(name, arm))
        return cores <= ARM_CORES_MAX ? (abdb_power_default){300, "D.2"} : none;
    if (!has_any_word(name, x86)) return none;
    return (abdb_power_default){cores <= X86_CORES_OF_SMALL ? 350 : 500, "D.2"};
}

abdb_power_default abdb_power_default_of_accelerator(const char *model)
{
    char name[NAME_MAX_SIZE];

    copy_lower_case(name, model, true);
    for (size_t i = 0; i < sizeof accelerators / sizeof accelerators[0]; i++)
        if (strstr(name, accelerators[i].part))
            return (abdb_power_default){accelerators[i].watts, "D.3"};
    return none;
}

abdb_power_default abdb_power_default_of_switch(const char *model, const char *cabling)
{
    char name[NAME_MAX_SIZE];

    copy_lower_case(name, model, true);
    for (size_t i = 0; cabling && i < sizeof switches / sizeof switches[0]; i++) {
        double watts = strcmp(cabling, "passive") == 0          ? switches[i].passive
                       : strcmp(cabling, "active_optical") == 0 ? switches[i].active_optical
                                                                : 0;

        if (!strstr(name, switches[i].part)) continue;
        return watts > 0 ? (abdb_power_default){watts, "D.4"} : none;
    }
    return none;
}

abdb_power_default abdb_power_default_of_network_adapter(void)
{
    return (abdb_power_default){75, "D.4"};
}

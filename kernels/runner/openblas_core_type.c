/* openblas_core_type.c - which kernels of OpenBLAS suit this processor best, by the flags that the
 * system tells; see runner.h. */
#include <stdio.h>
#include <string.h>

#include "kernels/runner/runner.h"

const char *abdb_best_openblas_core_type(void)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[8192];
    const char *best = NULL;

    while (file && !best && fgets(line, sizeof line, file)) {
        if (strncmp(line, "flags", 5) != 0) continue;
        if (strstr(line, " avx512f") && strstr(line, " avx512dq") && strstr(line, " avx512bw") &&
            strstr(line, " avx512vl"))
            best = "SkylakeX";
        else
            best = strstr(line, " avx2") && strstr(line, " fma") ? "Haswell" : "";
    }
    if (file) fclose(file);
    return best && *best ? best : NULL;
}

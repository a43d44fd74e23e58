/* result_contradictions.c - what a backend says against itself; see result_contradictions.h. */
#include "kernels/runner/result_contradictions.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "kernels/runner/record_line.h"

/* Clocks of a device and of its host differ: so much of a sample, and so many seconds in all, may
 * lie in the next. */
static const double differ_share = 0.1, differ_s = 1e-3, canary_moved = 0.5;

const char *abdb_find_result_contradiction(const json_t *result, char why[160])
{
    bool pass = strcmp(abdb_json_text_or_empty(result, "verified"), "pass") == 0;
    const json_t *checked = json_object_get(result, "checked");
    double error = json_number_value(json_object_get(result, "error")),
           share = json_number_value(checked),
           shift = json_number_value(json_object_get(result, "canary_shift"));

    if (pass && error > 1) {
        snprintf(why, 160, "verified is pass, and its error %g of the bound", error);
        return "4.6";
    }
    if (json_is_number(checked) && (share > 1 || (pass && share == 0))) {
        snprintf(why, 160, "verified is %s, and checked %g", pass ? "pass" : "fail", share);
        return "4.8";
    }
    if (shift > canary_moved && json_is_false(json_object_get(result, "unsteady"))) {
        snprintf(why, 160, "unsteady is false, and canary_shift %g", shift);
        return "4.8";
    }
    return NULL;
}

const char *abdb_find_sample_contradiction(const abdb_sample *sample, size_t samples, double batch,
                                           char why[160])
{
    double behind_s = 0; /* of the samples so far, what would not have fitted */

    for (size_t i = 1; i < samples; i++) {
        double took_s = batch * sample[i - 1].value, apart_s = sample[i].t_s - sample[i - 1].t_s;

        if (!isfinite(apart_s)) continue;
        behind_s = fmax(0, behind_s + (1 - differ_share) * took_s - apart_s);
        if (apart_s >= 0 && behind_s <= differ_s) continue;
        snprintf(why, 160, "sample %zu took %.3g s, and the next began %.3g s after it", i - 1,
                 took_s, apart_s);
        return apart_s < 0 ? "4.4" : "4.5";
    }
    return NULL;
}

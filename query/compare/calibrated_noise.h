/* calibrated_noise.h - how a machine differs from itself between commands, learnt by abdb run
 * --calibrate. */
#ifndef ABDB_COMPARE_NOISE_H
#define ABDB_COMPARE_NOISE_H

#include "query/answer/sql_rows.h"
#include "schema/core/trimmed_mean_test.h"

/* Least drift assumed between commands: six commands in a row do not show an event that happens
 * once in a hundred. */
#define ABDB_DRIFT_LEAST 0.01

/* Calibrations of one machine, a row a cell and process. */
typedef struct {
    const char *device; /* NULL: nothing was loaded */
    abdb_table rows;
    abdb_arena arena;
} abdb_calibrations;

/* Loads the calibrations of a device, unless they are there. */
ABDB_MUST_USE abdb_status abdb_calibrations_load_if_other_device(abdb_calibrations *book,
                                                                 sqlite3 *db, const char *device,
                                                                 abdb_error *err);
void abdb_calibrations_free(abdb_calibrations *book);
/* Noise of a class of kernels: `kernel`, else all with the same bound, else all (`kernel` and
 * `bound` may be NULL). command is NAN where it is unknown; *class_used, if given: the class.
 */
ABDB_MUST_USE abdb_status abdb_calibrations_noise_by_kernel_or_bound(
    const abdb_calibrations *book, const char *kernel, const char *bound, abdb_noise *out,
    const char **class_used, abdb_error *err);

#endif

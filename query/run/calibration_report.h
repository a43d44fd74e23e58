/* calibration_report.h - the results of abdb run --calibrate. */
#ifndef ABDB_QUERY_CALIBRATION_H
#define ABDB_QUERY_CALIBRATION_H

#include "query/cli/command_line.h"

/* Prints the noise of each class of kernels of the machine of that command, out of all its
 * calibrations. */
ABDB_MUST_USE abdb_status abdb_print_calibrated_noise_of_campaign(abdb_db *db, const char *campaign,
                                                                  FILE *out, abdb_error *err);

#endif

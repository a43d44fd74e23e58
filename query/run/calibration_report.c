/* calibration_report.c - the results of abdb run --calibrate; see calibration_report.h. */
#include "query/run/calibration_report.h"

#include <math.h>

#include "query/compare/calibrated_noise.h"

/* Prints how far processes and commands of a kernel spread. */
static void print_kernel_noise(const char *kernel, const abdb_noise *n, FILE *out)
{
    if (isnan(n->command)) {
        abdb_print_sanitized(out, "  %s: no two commands of it were steady\n", kernel);
        return;
    }
    abdb_print_sanitized(out, "  %s: processes by %.1f %%, commands by %.1f %%\n", kernel,
                         100 * (exp(n->process) - 1), 100 * (exp(n->command) - 1));
}

abdb_status abdb_print_calibrated_noise_of_campaign(abdb_db *db, const char *campaign, FILE *out,
                                                    abdb_error *err)
{
    abdb_binds binds = {0};
    abdb_table kernels = {0};
    abdb_calibrations book = {0};
    abdb_noise noise;
    abdb_status st = ABDB_OK;

    (void)abdb_bind_add_text(&binds, campaign);
    TRY(abdb_query_to_table(db->sql,
                            "SELECT DISTINCT device, kernel FROM v_kernel WHERE campaign = ?1 AND"
                            " status = 'ok' ORDER BY 1, 2",
                            &binds, &kernels, err));
    if (kernels.rows)
        abdb_print_sanitized(out, "this machine differs from itself, standard deviations of all its"
                                  " calibrations here:\n");
    for (size_t i = 0; i < kernels.rows; i++) {
        TRY(abdb_calibrations_load_if_other_device(&book, db->sql,
                                                   abdb_cell_text_or_empty(&kernels, i, 0), err));
        TRY(abdb_calibrations_noise_by_kernel_or_bound(
            &book, abdb_cell_text_or_empty(&kernels, i, 1), NULL, &noise, NULL, err));
        print_kernel_noise(abdb_cell_text_or_empty(&kernels, i, 1), &noise, out);
    }
done:
    abdb_calibrations_free(&book);
    abdb_table_free(&kernels);
    return st;
}

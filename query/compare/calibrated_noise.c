/* calibrated_noise.c - how a machine differs from itself; see calibrated_noise.h. */
#include "query/compare/calibrated_noise.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { CELL, CAMPAIGN, KERNEL, BOUND, TIME }; /* columns of the rows */

abdb_status abdb_calibrations_load_if_other_device(abdb_calibrations *book, sqlite3 *db,
                                                   const char *device, abdb_error *err)
{
    abdb_binds binds = {0};
    abdb_status st = ABDB_OK;

    if (book->device && strcmp(book->device, device) == 0) return ABDB_OK;
    abdb_calibrations_free(book);
    book->device = abdb_arena_copy(&book->arena, device, strlen(device));
    if (!book->device || !abdb_bind_add_text(&binds, device))
        return ABDB_FAIL(err, ABDB_NOMEM, "a calibration");
    TRY(abdb_query_to_table(
        db,
        "SELECT CASE instr(cell, ' #') WHEN 0 THEN cell ELSE substr(cell, 1,"
        " instr(cell, ' #') - 1) END AS one, campaign, kernel, coalesce(bound, ''),"
        " time_s FROM v_kernel WHERE tag = 'calibration' AND device = ?1 AND"
        " status = 'ok' AND verified = 'pass' AND time_s > 0 AND flags NOT LIKE"
        " '%unsteady%' AND flags NOT LIKE '%imprecise%' ORDER BY one, campaign, date",
        &binds, &book->rows, err));
done:
    return st;
}

void abdb_calibrations_free(abdb_calibrations *book)
{
    abdb_table_free(&book->rows);
    abdb_arena_free(&book->arena);
    *book = (abdb_calibrations){0};
}

static bool rows_equal_in_column(const abdb_table *t, size_t a, size_t b, size_t column)
{
    return strcmp(abdb_cell_text_or_empty(t, a, column), abdb_cell_text_or_empty(t, b, column)) ==
           0;
}

/* Pools the cells whose column is `value`; all where it is NULL. Rows come sorted by cell, campaign
 * and date, so each cell is a stretch of them and each campaign in it a command. */
static abdb_status pool_calibration_noise(const abdb_table *t, size_t class_column,
                                          const char *class_or_null, abdb_noise *out,
                                          abdb_error *err)
{
    double *logs = calloc(t->rows + 1, sizeof *logs);
    size_t *command = calloc(t->rows + 1, sizeof *command);
    abdb_noise_sums sums = {0};
    abdb_status st = ABDB_OK;

    if (!logs || !command) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a calibration"));
    for (size_t i = 0, end; i < t->rows; i = end) { /* one cell after another */
        size_t commands = 0;

        for (end = i; end < t->rows && rows_equal_in_column(t, i, end, CELL); end++) {
            commands += end > i && !rows_equal_in_column(t, end - 1, end, CAMPAIGN);
            command[end - i] = commands;
            logs[end - i] = log(abdb_cell_number_or_nan(t, end, TIME));
        }
        if (!class_or_null ||
            strcmp(abdb_cell_text_or_empty(t, i, class_column), class_or_null) == 0)
            TRY(abdb_noise_add_within_and_between_commands(&sums, logs, command, end - i, err));
    }
    *out = abdb_noise_standard_deviations_from_sums(&sums);
done:
    free(logs);
    free(command);
    return st;
}

abdb_status abdb_calibrations_noise_by_kernel_or_bound(const abdb_calibrations *book,
                                                       const char *kernel, const char *bound,
                                                       abdb_noise *out, const char **class_used,
                                                       abdb_error *err)
{
    const char *ignored;
    abdb_status st = ABDB_OK;

    if (!class_used) class_used = &ignored;
    *out = (abdb_noise){.command = NAN, .process = NAN};
    *class_used = kernel;
    if (kernel) TRY(pool_calibration_noise(&book->rows, KERNEL, kernel, out, err));
    if (!isnan(out->command)) goto done;
    *class_used = bound;
    if (bound && *bound) TRY(pool_calibration_noise(&book->rows, BOUND, bound, out, err));
    if (!isnan(out->command)) goto done;
    *class_used = "all";
    TRY(pool_calibration_noise(&book->rows, KERNEL, NULL, out, err));
done:
    return st;
}

/* parquet_input.c - the rows of a Parquet file as CSV; see parquet_input.h. Debian packages no C
 * library for Parquet, so DuckDB's program reads it, as it writes Parquet in schema/scale. It gets
 * the file by descriptor and the path by its environment: no name of a file reaches SQL. */
#include "query/import/parquet_input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "schema/core/child_output.h"
#include "schema/core/memory_file.h"

enum { ERROR_OUTPUT_MAX = 64 << 10, NOT_FOUND = 127 };

static const char magic[] = "PAR1", install_hint[] = "pip install duckdb-cli";
static const char to_csv[] =
    "SET memory_limit = '1GB'; SET threads = 1; SET autoinstall_known_extensions = false;"
    "COPY (FROM read_parquet(getenv('ABDB_PARQUET'))) TO '/dev/stdout' (FORMAT csv, HEADER)";

bool abdb_input_is_parquet(const abdb_input *in)
{
    const size_t size = sizeof magic - 1;

    return in->size >= 3 * size && memcmp(in->data, magic, size) == 0 &&
           memcmp(in->data + in->size - size, magic, size) == 0;
}

static void set_parquet_path_in_environment(const void *path)
{
    setenv("ABDB_PARQUET", path, 1);
}

/* Fails with the first line of the program's standard error. */
static abdb_status fail_with_first_stderr_line(const abdb_text *error_output, abdb_error *err)
{
    const char *reason = error_output->size ? abdb_text_get(error_output) : "it printed no reason";

    return ABDB_FAIL(err, ABDB_DATA, "duckdb cannot read this Parquet file: %.*s",
                     (int)strcspn(reason, "\n"), reason);
}

/* Runs duckdb on the file that it can open by this path. */
static abdb_status run_duckdb_and_read_csv(const char *path, abdb_text *csv, abdb_error *err)
{
    const char *program = getenv("ABDB_DUCKDB");
    const abdb_start_options how = {.path = program && *program ? program : "duckdb",
                                    .argument = {"-no-init", "-batch", "-bail", "-c", to_csv},
                                    .capture_stderr = true,
                                    .prepare = set_parquet_path_in_environment,
                                    .prepare_argument = path};
    abdb_text error_output = {0};
    abdb_program p;
    abdb_output_end end;
    int status;
    abdb_status st = ABDB_OK;

    TRY(abdb_program_start_with_pipes(&p, &how, err));
    end = abdb_program_read_output_and_reap(&p, ABDB_PARQUET_TIMEOUT_S, ABDB_INPUT_SIZE_MAX,
                                            ERROR_OUTPUT_MAX, csv, &error_output, &status);
    if (end == ABDB_OUTPUT_TOO_LONG)
        TRY(ABDB_FAIL(err, ABDB_LIMIT, "%s took more than %d s: it was ended", how.path,
                      ABDB_PARQUET_TIMEOUT_S));
    if (end == ABDB_OUTPUT_TOO_LARGE)
        TRY(ABDB_FAIL(err, ABDB_LIMIT,
                      "%s printed more than %d bytes, or %d of errors: it was ended", how.path,
                      ABDB_INPUT_SIZE_MAX, ERROR_OUTPUT_MAX));
    if (csv->failed) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a Parquet file as text"));
    if (WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND)
        TRY(ABDB_FAIL(err, ABDB_PARTIAL,
                      "a Parquet file is read by the program %s, which is not here: %s, or"
                      " ABDB_DUCKDB=PATH",
                      how.path, install_hint));
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        TRY(fail_with_first_stderr_line(&error_output, err));
done:
    abdb_text_free(&error_output);
    return st;
}

abdb_status abdb_input_decode_parquet_to_csv(abdb_input *in, abdb_error *err)
{
    abdb_text csv = {0};
    char path[64];
    int file = abdb_memory_file_open(in->data, in->size, err);
    abdb_status st = file < 0 ? err->status : ABDB_OK;

    if (st != ABDB_OK) return st;
    snprintf(path, sizeof path, "/proc/%ld/fd/%d", (long)getpid(), file);
    st = run_duckdb_and_read_csv(path, &csv, err);
    close(file);
    if (st != ABDB_OK) {
        abdb_text_free(&csv);
        return st;
    }
    in->decoded = csv.data;
    in->text = abdb_text_get(&csv);
    in->text_size = csv.size;
    in->encoding = "UTF-8";
    return ABDB_OK;
}

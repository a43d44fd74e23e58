/* program.c - programs are built when the first cell needs them, of one file or several, and their
 * binaries kept; see device.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/providers/opencl/program_cache.h"
#include "kernels/providers/opencl/device.h"
#include "schema/core/embedded.h"
#include "schema/core/fixed_text.h"

enum { NAME = 64 };
extern const abdb_embedded abdb_cl_files[];

static const char *embedded_file_text(const char *name)
{
    for (const abdb_embedded *f = abdb_cl_files; f->name; f++)
        if (strcmp(f->name, name) == 0) return f->text;
    return NULL;
}

/* What a compiler is given: what all share, then the files, whose lines are counted from 1. */
static abdb_status append_program_source(const char *files, abdb_text *out, abdb_error *err)
{
    const char *at = files, *common = embedded_file_text("common.cl");

    abdb_text_printf(out, "#line 1 \"common.cl\"\n%s", common ? common : "");
    while (*at) {
        char name[NAME];
        size_t size = strcspn(at, " ");
        const char *text;

        snprintf(name, sizeof name, "%.*s", (int)size, at);
        text = embedded_file_text(name);
        if (!text) return ABDB_FAIL(err, ABDB_BACKEND, "there is no %s", name);
        abdb_text_printf(out, "\n#line 1 \"%s\"\n%s", name, text);
        at += size + (at[size] == ' ');
    }
    return out->failed ? ABDB_FAIL(err, ABDB_NOMEM, "a program") : ABDB_OK;
}

/* The log of a build that failed: whole to the standard error, its beginning into the message. */
static abdb_status print_build_log_and_fail(abdb_cl_device *d, cl_program program, const char *file,
                                            cl_int code, abdb_error *err)
{
    size_t size = 0;
    char *log = NULL;

    clGetProgramBuildInfo(program, d->id, CL_PROGRAM_BUILD_LOG, 0, NULL, &size);
    log = calloc(size + 1, 1);
    if (log) clGetProgramBuildInfo(program, d->id, CL_PROGRAM_BUILD_LOG, size, log, NULL);
    fprintf(stderr, "%s does not build on %s: %s\n%s\n", file, d->name, abdb_cl_error_name(code),
            log ? log : "");
    (void)!ABDB_FAIL(err, ABDB_BACKEND, "%s does not build: %s: %.600s", file,
                     abdb_cl_error_name(code), log ? log : "");
    free(log);
    return ABDB_BACKEND;
}

/* From what was kept; NULL: nothing that this driver takes. */
static cl_program load_cached_binary(abdb_cl_device *d, const char *key, const char *options)
{
    size_t size = 0;
    unsigned char *data = abdb_cl_cache_read_if_intact(key, &size);
    const unsigned char *binary = data;
    cl_int status = CL_SUCCESS, code = CL_SUCCESS;
    cl_program program = NULL;

    if (!data) return NULL;
    program = clCreateProgramWithBinary(d->context, 1, &d->id, &size, &binary, &status, &code);
    if (program && (status != CL_SUCCESS || code != CL_SUCCESS ||
                    clBuildProgram(program, 1, &d->id, options, NULL, NULL) != CL_SUCCESS)) {
        clReleaseProgram(program);
        program = NULL;
    }
    free(data);
    return program;
}

/* Keeps a built program's binary under the key; what cannot be kept is built again. */
static void cache_program_binary(cl_program program, const char *key)
{
    size_t size = 0;
    unsigned char *data;

    if (clGetProgramInfo(program, CL_PROGRAM_BINARY_SIZES, sizeof size, &size, NULL) !=
            CL_SUCCESS ||
        !size)
        return;
    data = malloc(size);
    if (data &&
        clGetProgramInfo(program, CL_PROGRAM_BINARIES, sizeof data, &data, NULL) == CL_SUCCESS)
        abdb_cl_cache_write_ignoring_errors(key, data, size);
    free(data);
}

/* The program of a file with these options: from the cache of the same device, driver, options
 * and source, else built. ABDB_BACKEND: the compiler's log. */
static abdb_status build_or_load_program(abdb_cl_device *d, const char *file, const char *options,
                                         cl_program *out, abdb_error *err)
{
    abdb_text source = {0}, key = {0};
    const char *text;
    cl_int code;
    abdb_status st = ABDB_OK;

    TRY(append_program_source(file, &source, err));
    text = abdb_text_get(&source);
    abdb_text_printf(&key, "%s\n%s\n%s\n%s", d->name, d->driver, options, text);
    if (key.failed) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a program"));
    *out = load_cached_binary(d, abdb_text_get(&key), options);
    if (*out) goto done;
    *out = clCreateProgramWithSource(d->context, 1, &text, NULL, &code);
    TRY(abdb_cl_check_result(code, "clCreateProgramWithSource", err));
    code = clBuildProgram(*out, 1, &d->id, options, NULL, NULL);
    if (code != CL_SUCCESS) {
        st = print_build_log_and_fail(d, *out, file, code, err);
        clReleaseProgram(*out);
        goto done;
    }
    cache_program_binary(*out, abdb_text_get(&key));
done:
    abdb_text_free(&source);
    abdb_text_free(&key);
    return st;
}

abdb_status abdb_cl_build_or_reuse_program(abdb_cl_device *d, const char *file, const char *options,
                                           cl_program *out, abdb_error *err)
{
    const char *more = getenv("ABDB_OPENCL_OPTIONS");
    char all[1024];
    abdb_cl_built *b;
    abdb_status st = ABDB_OK;

    if (!abdb_format_if_fits(all, sizeof all, "-DWIDE_BYTES=%d %s %s %s", d->wide,
                             d->doubles ? "-DDOUBLES" : "", options, more ? more : ""))
        return ABDB_FAIL(err, ABDB_USAGE,
                         "ABDB_OPENCL_OPTIONS is too long: with abdb's own options at most %zu"
                         " characters",
                         sizeof all - 1);
    for (b = d->built; b; b = b->next)
        if (strcmp(b->file, file) == 0 && strcmp(b->options, all) == 0) {
            *out = b->program;
            return ABDB_OK;
        }
    b = calloc(1, sizeof *b);
    if (!b) return ABDB_FAIL(err, ABDB_NOMEM, "a program");
    b->file = file;
    b->options = strdup(all);
    if (!b->options) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a program"));
    TRY(build_or_load_program(d, file, all, &b->program, err));
    b->next = d->built;
    d->built = b;
    *out = b->program;
done:
    if (st != ABDB_OK) {
        free(b->options);
        free(b);
    }
    return st;
}

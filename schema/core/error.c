/* error.c - statuses and error messages; see error.h. */
#include "schema/core/error.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

static const int exit_code[] = {
#define STATUS(name, code, words) code,
#include "schema/core/status.def"
#undef STATUS
};

static atomic_uint starved;

void abdb_count_allocation_failure(void)
{
    atomic_fetch_add(&starved, 1);
}

unsigned abdb_allocation_failure_count(void)
{
    return atomic_load(&starved);
}

abdb_status abdb_set_error_return_status(abdb_error *err, abdb_status status, const char *format,
                                         ...)
{
    va_list args;

    if (status == ABDB_NOMEM)
        abdb_count_allocation_failure(); /* also where a list shows it and goes on */
    if (!err) return status;
    err->status = status;
    va_start(args, format);
    vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    if (status == ABDB_NOMEM && !strstr(err->message, "memory")) { /* callers name the purpose */
        size_t used = strlen(err->message);

        snprintf(err->message + used, sizeof err->message - used, "%sout of memory",
                 used ? ": " : "");
    }
    return status;
}

abdb_status abdb_error_prepend_context(abdb_error *err, const char *format, ...)
{
    char old[ABDB_ERROR_SIZE];
    va_list args;
    size_t used;

    if (!err) return ABDB_DATA;
    memcpy(old, err->message, sizeof old);
    va_start(args, format);
    vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    used = strlen(err->message);
    if (used + 3 < sizeof err->message) {
        size_t room = sizeof err->message - used - 3, length = strlen(old);

        if (length > room) length = room;
        memcpy(err->message + used, ": ", 2);
        memcpy(err->message + used + 2, old, length);
        err->message[used + 2 + length] = '\0';
    }
    return err->status;
}

int abdb_exit_code(abdb_status status)
{
    return status < ABDB_STATUS_COUNT ? exit_code[status] : 6;
}

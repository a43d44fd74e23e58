/* error.h - statuses and error messages.
 *
 * Anything that can fail returns abdb_status and takes abdb_error last. The error lives on the
 * caller's stack: making one allocates nothing, so it works when memory is gone. Context is put in
 * front on the way up ("FILE: line 3: ...").
 */
#ifndef ABDB_CORE_ERROR_H
#define ABDB_CORE_ERROR_H

#include <stdbool.h>

#define ABDB_MUST_USE          __attribute__((warn_unused_result))
#define ABDB_PRINTF(at, first) __attribute__((format(printf, at, first)))

typedef enum {
#define STATUS(name, code, words) ABDB_##name,
#include "schema/core/status.def"
#undef STATUS
    ABDB_STATUS_COUNT
} abdb_status;

enum { ABDB_ERROR_SIZE = 1024 };

typedef struct {
    abdb_status status;
    char message[ABDB_ERROR_SIZE];
} abdb_error;

/* Sets status and message and returns status. err may be NULL. Messages longer than the buffer are
 * cut. */
abdb_status abdb_set_error_return_status(abdb_error *err, abdb_status status, const char *format,
                                         ...) ABDB_PRINTF(3, 4);
/* Puts "context: " in front of the message and returns its status. */
abdb_status abdb_error_prepend_context(abdb_error *err, const char *format, ...) ABDB_PRINTF(2, 3);
/* Exit code of the program for a status; 6 for an invalid one. */
int abdb_exit_code(abdb_status status);

/* Counts a failed allocation (abdb_set_error_return_status with ABDB_NOMEM also calls it): then the
 * program ends with an error, no output file is put in place, and no unit is kept
 * (query/verbs/main.c, outfile.c, store/write.c). abdb_allocation_failure_count: the number so
 * far. */
void abdb_count_allocation_failure(void);
unsigned abdb_allocation_failure_count(void);

#define ABDB_FAIL(err, status, ...) abdb_set_error_return_status((err), (status), __VA_ARGS__)
/* Goes to done with st set when call fails: for functions with `abdb_status st` and `done:`. */
#define TRY(call)                     \
    do {                              \
        st = (call);                  \
        if (st != ABDB_OK) goto done; \
    } while (0)

#endif

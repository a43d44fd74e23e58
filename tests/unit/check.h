/* check.h - cmocka with the headers that it wants before it, and a check of statuses with messages.
 */
#ifndef ABDB_TESTS_CHECK_H
#define ABDB_TESTS_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "schema/core/error.h"

#define assert_ok(call)                                                 \
    do {                                                                \
        abdb_status status_ = (call);                                   \
        if (status_ != ABDB_OK) fail_msg("%s: %s", #call, err.message); \
    } while (0)
#define assert_status(call, want) assert_int_equal((call), (want))

#endif

/* python_numbers.h - JSON as programs write it: NaN, Infinity and -Infinity of Python, and "3%" of
 * google-benchmark before 1.4, which JSON has not. */
#ifndef ABDB_INGEST_PYTHON_NUMBERS_H
#define ABDB_INGEST_PYTHON_NUMBERS_H

#include "schema/core/error.h"
#include "schema/core/text.h"

/* Adds the text with NaN, Infinity and -Infinity, as Python writes them outside of strings, as
 * "NaN", "inf" and "-inf", and a number with a percent sign as a text; nothing, where there is
 * none. */
ABDB_MUST_USE abdb_status abdb_json_append_quoted_if_nan_or_infinity(const char *text, size_t size,
                                                                     abdb_text *out,
                                                                     abdb_error *err);

#endif

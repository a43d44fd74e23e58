/* record_line.h - one line of a backend as a record of the protocol, kernels/harness/protocol.md.
 */
#ifndef ABDB_KERNELS_ANSWER_H
#define ABDB_KERNELS_ANSWER_H

#include <jansson.h>
#include <stdbool.h>

/* A line as a JSON object whose texts have no control characters: a new reference. NULL: it is
 * none; *broken is set where it begins like one and why[160] says what is wrong. */
json_t *abdb_parse_record_blanking_controls(const char *line, bool *broken, char why[160]);
/* Text of a member, "" where there is none. */
const char *abdb_json_text_or_empty(const json_t *object, const char *key);

#endif

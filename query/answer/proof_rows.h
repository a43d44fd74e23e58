/* proof_rows.h - rows as a picture carries them; see proof.h. Inside of answer/. */
#ifndef ABDB_QUERY_PROOF_ROWS_H
#define ABDB_QUERY_PROOF_ROWS_H

#include <jansson.h>

#include "query/answer/table.h"
#include "schema/store/digest.h"

/* columns, rows and keys of a table, as an object of its own. */
json_t *abdb_proof_rows(const abdb_table *table);
/* The SHA-256 of that object, and its size as text. */
void abdb_proof_digest(const json_t *rows, char out[ABDB_SHA256_HEX], size_t *size);

#endif

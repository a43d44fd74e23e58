/* record_json.h - abdb's own records as JSON, one a line: written by `abdb export` and into spool
 * directories, read by `abdb import`. Numbers have all their digits, so that a record is the same
 * when read again. records.md describes them (`abdb help records`).
 */
#ifndef ABDB_CORE_RECORD_JSON_H
#define ABDB_CORE_RECORD_JSON_H

#include "schema/core/record.h"
#include "schema/core/text.h"

/* Appends one line with its end. */
void abdb_entry_append_json_line(abdb_text *out, const abdb_entry *entry);
void abdb_fact_append_json_line(abdb_text *out, const abdb_fact *fact);

#endif

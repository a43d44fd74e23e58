/* record_json.h - abdb's own records as JSON, one a line: what `abdb export` writes, a spool
 * directory holds, and `abdb import` reads. Numbers have all their digits, so that a record is the
 * same again.
 *
 *     {"record":"entry","field":{...},"factor":{...},"result":[{...}],"environment":"..."}
 *     {"record":"spec","device":"...","quantity":"peak_flops","value":1e15,...}
 *
 * A factor is its text; {"state":"unknown"} where it is not known;
 * {"text":...,"num":...,"unit":...} where its number is another than its text reads, or has a unit.
 * Of a result metric, statistic and value are always there; values are in the metric's base unit,
 * or in its "unit". A sample is [value, t_s, rank, mark]. "pieces": so many of the lines before
 * it are parts of this entry. Where they are known there are also
 *
 *     "telemetry":[[sensor,quantity,unit,t_s,value],...]
 *     "span":[{"name":...,"within":...,"kernel":...,"provider":...,"calls":...,"time_s":...,
 *              "ops":...,"bytes":...},...]     name, calls and time_s always
 *     "rank":[{"rank":...,"host":...,"device":...,"binding":...},...]     rank and host always
 *     "process":{"campaign":...,"backend":...,"repetition":...,"start":...,"started":...}
 *     "origin":"00f3..." (16 hexadecimal digits), or null: the content alone is the identity
 */
#ifndef ABDB_CORE_RECORD_JSON_H
#define ABDB_CORE_RECORD_JSON_H

#include "schema/core/record.h"
#include "schema/core/text.h"

/* Appends one line with its end. */
void abdb_entry_json(abdb_text *out, const abdb_entry *entry);
void abdb_fact_json(abdb_text *out, const abdb_fact *fact);

#endif

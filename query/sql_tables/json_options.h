/* json_options.h - options of a verb as a JSON object, the argument of some table functions. */
#ifndef ABDB_TABLES_JSON_OPTIONS_H
#define ABDB_TABLES_JSON_OPTIONS_H

#include <jansson.h>

#include "query/compare/result_set.h"

/* A value of the object as text, the object's own or from arena; NULL: none, or it is null or
 * empty. */
const char *abdb_json_option_text_or_null(const json_t *options, const char *key,
                                          abdb_arena *arena);
/* metric, provider, tier, price_kind, price_date, price, price_max_age, today and marks; the rest
 * by default. */
abdb_normalisation abdb_normalisation_from_json(const json_t *options, abdb_arena *arena);

#endif

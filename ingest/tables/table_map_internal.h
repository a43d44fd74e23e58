/* table_map_internal.h - the inside of a map, shared by table_map.c and table_map_parse.c only;
 * table_map.h is the outside. */
#ifndef ABDB_INGEST_MAP_LINES_H
#define ABDB_INGEST_MAP_LINES_H

#include "ingest/tables/table_map.h"

enum { MAP_LINES_MAX = 200, MAP_WORDS_MAX = 256, MAP_OPTIONS_MAX = 24 };

typedef enum {
    MAP_FIELD,
    MAP_FACTOR,
    MAP_METRIC,
    MAP_SPEC,
    MAP_PRICE,
    MAP_DECIDE,
    MAP_DERIVE /* name: a metric, constant: a formula of work_formula.h */
} map_verb;

typedef struct {
    map_verb verb;
    const char *name, *column, *constant, *unit;
    const char *option[MAP_OPTIONS_MAX]; /* name, value, ... */
    size_t options;
    const char **word; /* cell, meaning, ...; of decide: column, pattern, ... */
    size_t words;
} map_line;
/* In a MAP_DECIDE line the members have other meanings: name is the field, constant the cell,
 * column its meaning there. */

struct table_map {
    abdb_arena arena;
    const char *name, *summary, *member;
    const char **match, **missing, **ignore;
    size_t match_count, missing_count, ignore_count;
    int version;
    bool claims_json;
    map_line line[MAP_LINES_MAX];
    size_t count;
};

/* Column names are alike without case, white space, <br> and markup. */
bool map_column_names_equal(const char *a, const char *b);

#endif

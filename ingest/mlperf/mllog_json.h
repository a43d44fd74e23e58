/* mllog_json.h - the JSON behind ":::MLLOG", as its own readers take it. Python and people read the
 * logs of LoadGen and of training, so that real lines hold values that JSON forbids: NaN, Infinity,
 * and paths of Windows with their backslashes. */
#ifndef ABDB_INGEST_MLLOG_JSON_H
#define ABDB_INGEST_MLLOG_JSON_H

#include <stddef.h>

#include <jansson.h>

/* The object that text[0..size) begins with, integers as real numbers (LoadGen's seeds have 64
 * bits); NULL, with *error: none, also after mending. NaN, Infinity and their spellings in C++
 * become strings of that name, which no reader takes for a number; in a string with a backslash
 * that escapes nothing every backslash is one. */
json_t *abdb_mllog_parse_object_leniently(const char *text, size_t size, json_error_t *error);

#endif

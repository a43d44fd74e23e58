/* training_v05_log.c - logs of training v0.5 and v0.6; see training_v05_log.h.
 *
 * How real files disagree. v0.5 writes ":::MLPv0.5.0 BENCHMARK SECONDS (FILE:LINE) key: value",
 * perhaps behind a logger's "INFO:mlperf_compliance:"; the value is JSON, or there is none; the
 * seconds have nine digits behind the point, three or none; run_stop has {"success": true}, "true"
 * as text, false, or nothing. v0.6 writes ":::MLL SECONDS key: {"value": ..., "metadata": {...}}",
 * the metadata of some in Python's quotes; run_stop has a status; eval_accuracy of mask is a list.
 */
#include "ingest/mlperf/training_v05_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/core/error.h"
#include "schema/core/number.h"

/* The object of a text, where its quotes are Python's too. */
static json_t *parse_json_or_python_object(const char *text)
{
    json_t *object = json_loads(text, JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK, NULL);
    char *copy;

    if (object || !strchr(text, '\'')) return object;
    copy = strdup(text);
    if (!copy) {
        abdb_count_allocation_failure();
        return NULL;
    }
    for (char *c = copy; *c; c++)
        if (*c == '\'') *c = '"';
    object = json_loads(copy, JSON_DECODE_ANY | JSON_DISABLE_EOF_CHECK, NULL);
    free(copy);
    return object;
}

const char *abdb_mlperf_copy_key_find_value(const char *text, char key[64])
{
    size_t size = strcspn(text, ": \t\r\n");
    const char *value = text + size;

    snprintf(key, 64, "%.*s", (int)(size < 63 ? size : 63), text);
    if (*value != ':') return NULL;
    value += 1 + strspn(value + 1, " ");
    return *value ? value : NULL;
}

/* The status of v0.5 at the end of a run, in today's words; NULL: none. */
static const char *status_of_v05_run_stop(const json_t *value)
{
    const json_t *success = json_object_get(value, "success");
    const char *text = json_string_value(success);

    if (!success) return NULL;
    return json_is_true(success) || (text && strcmp(text, "true") == 0) ? "success" : "aborted";
}

/* ":::MLPv0.5.0 resnet 1541720386.7 (FILE:LINE) run_stop: {"success": true}" behind the colons. */
static json_t *convert_v05_line_to_mllog_event(const char *line)
{
    const char *benchmark = strchr(line, ' '), *rest, *text, *status;
    char key[64];
    json_t *event, *value, *inner;
    double seconds;
    size_t digits;

    if (!benchmark || !(rest = strchr(++benchmark, ' '))) return NULL;
    digits = abdb_double_parse_prefix(rest, &seconds);
    if (!digits || !(rest = strstr(rest + digits, ") "))) return NULL;
    text = abdb_mlperf_copy_key_find_value(rest + 2, key);
    value = text ? parse_json_or_python_object(text) : json_null();
    status = strcmp(key, "run_stop") == 0 ? status_of_v05_run_stop(value) : NULL;
    inner = json_object_get(value, "value"); /* of eval_accuracy, beside the epoch */
    if (inner) {
        json_incref(inner);
        json_decref(value);
        value = inner;
    }
    event = json_pack("{s:s,s:f,s:o?,s:{s:s*}}", "key",
                      strcmp(key, "run_set_random_seed") == 0 ? "seed" : key, "time_ms",
                      1000 * seconds, "value", value, "metadata", "status", status);
    return event;
}

/* ":::MLL 1558511260.864 run_start: {"value": null, "metadata": {...}}" behind the colons. */
static json_t *convert_v06_line_to_mllog_event(const char *line)
{
    char key[64];
    double seconds;
    size_t digits = abdb_double_parse_prefix(line, &seconds);
    const char *text =
        digits ? abdb_mlperf_copy_key_find_value(line + digits + strspn(line + digits, " "), key)
               : NULL;
    json_t *object = text ? parse_json_or_python_object(text) : NULL;

    if (!json_is_object(object) || json_object_set_new(object, "key", json_string(key)) ||
        json_object_set_new(object, "time_ms", json_real(1000 * seconds))) {
        json_decref(object);
        return NULL;
    }
    return object;
}

json_t *abdb_mlperf_parse_v05_or_v06_event(const char *line)
{
    const char *at = strstr(line, ":::ML");

    if (!at) return NULL;
    if (strncmp(at, ":::MLPv0.5", 10) == 0) return convert_v05_line_to_mllog_event(at);
    return strncmp(at, ":::MLL ", 7) == 0 ? convert_v06_line_to_mllog_event(at + 7) : NULL;
}

bool abdb_mlperf_has_training_lines(const char *text, size_t size)
{
    return memmem(text, size, ":::MLLOG", 8) || memmem(text, size, ":::MLPv0.5", 10) ||
           memmem(text, size, ":::MLL ", 7);
}

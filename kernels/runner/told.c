/* told.c - what a backend says of a cell; see told.h. */
#include "kernels/runner/told.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>

#include "schema/core/units.h"

enum { SAMPLES_MAX = 20000, READINGS_MAX = 4096 };

void abdb_now_text(char out[32])
{
    struct timespec now;
    struct tm utc;
    size_t used;

    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &utc);
    used = strftime(out, 32, "%Y-%m-%dT%H:%M:%S", &utc);
    snprintf(out + used, 32 - used, ".%03ldZ", now.tv_nsec / 1000000);
}

const char *abdb_record_text(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

abdb_status abdb_told_open(abdb_told *t, abdb_error *err)
{
    t->sample = calloc(SAMPLES_MAX, sizeof *t->sample);
    t->telemetry = calloc(READINGS_MAX, sizeof *t->telemetry);
    return t->sample && t->telemetry ? ABDB_OK : ABDB_FAIL(err, ABDB_NOMEM, "samples");
}

void abdb_told_begin(abdb_told *t)
{
    json_decref(t->result);
    t->result = NULL;
    t->samples = t->telemetries = 0;
    abdb_arena_clear(&t->words);
    t->ended = false;
    snprintf(t->status, sizeof t->status, "crash");
    snprintf(t->reason, sizeof t->reason, "the process ended inside this cell");
    abdb_now_text(t->date);
}

static void take_sample(abdb_told *t, const json_t *record)
{
    double time_s =
        json_number_value(json_object_get(record, "time_s")); /* 0 when it is no number */
    const json_t *at = json_object_get(record, "t_s");

    if (t->samples == SAMPLES_MAX || !(time_s > 0) || !isfinite(time_s)) return;
    t->sample[t->samples++] = (abdb_sample){
        .value = time_s, .rank = -1, .t_s = json_is_number(at) ? json_number_value(at) : NAN};
}

/* A reading of a sensor; false: it is none. */
static bool take_reading(abdb_told *t, const json_t *record)
{
    const char *sensor = abdb_record_text(record, "sensor"),
               *quantity = abdb_record_text(record, "quantity");
    const abdb_unit *unit = abdb_unit_find(abdb_record_text(record, "unit"));
    const json_t *at = json_object_get(record, "t_s"), *value = json_object_get(record, "value");
    abdb_telemetry *next = &t->telemetry[t->telemetries];

    if (!*sensor || !*quantity || !unit || !json_is_number(at) || !json_is_number(value))
        return false;
    if (t->telemetries == READINGS_MAX) return true; /* more than anyone draws */
    *next = (abdb_telemetry){.sensor = abdb_arena_copy(&t->words, sensor, strlen(sensor)),
                             .quantity = abdb_arena_copy(&t->words, quantity, strlen(quantity)),
                             .unit = unit->base,
                             .t_s = json_number_value(at),
                             .value = abdb_unit_base(unit, json_number_value(value))};
    t->telemetries += next->sensor && next->quantity; /* without memory there is one less */
    return true;
}

/* The program says which protocol it speaks. */
static abdb_status take_hello(const json_t *record, const char *path, abdb_error *err)
{
    long long protocol = json_integer_value(json_object_get(record, "protocol"));

    if (protocol == 1) return ABDB_OK;
    return ABDB_FAIL(err, ABDB_BACKEND, "%s speaks protocol %lld, this abdb speaks 1", path,
                     protocol);
}

static void keep(json_t **place, json_t *value)
{
    json_incref(value);
    json_decref(*place);
    *place = value;
}

abdb_status abdb_told_line(abdb_told *t, const char *line, const char *path, abdb_error *err)
{
    json_error_t fault;
    json_t *record = json_loads(line, 0, &fault);
    const char *kind = abdb_record_text(record, "kind");
    abdb_status st = ABDB_OK;

    if (strcmp(kind, "sample") == 0)
        take_sample(t, record);
    else if (strcmp(kind, "telemetry") == 0)
        t->strange += !take_reading(t, record);
    else if (strcmp(kind, "result") == 0)
        keep(&t->result, record);
    else if (strcmp(kind, "end") == 0) {
        snprintf(t->status, sizeof t->status, "%s", abdb_record_text(record, "status"));
        snprintf(t->reason, sizeof t->reason, "%s", abdb_record_text(record, "reason"));
        t->ended = true;
    } else if (strcmp(kind, "environment") == 0)
        keep(&t->environment, json_object_get(record, "environment"));
    else if (strcmp(kind, "device") == 0)
        keep(&t->device, record);
    else if (strcmp(kind, "hello") == 0)
        st = take_hello(record, path, err);
    else if (strcmp(kind, "begin") != 0 && strcmp(kind, "beat") != 0 && strcmp(kind, "bye") != 0)
        t->strange++;
    json_decref(record);
    return st;
}

void abdb_told_exit(abdb_told *t, int status)
{
    if (WIFSIGNALED(status))
        snprintf(t->reason, sizeof t->reason, "the process was ended by signal %d (%s)",
                 WTERMSIG(status), strsignal(WTERMSIG(status)));
    else if (WIFEXITED(status))
        snprintf(t->reason, sizeof t->reason, "the process ended with code %d",
                 WEXITSTATUS(status));
}

void abdb_told_free(abdb_told *t)
{
    json_decref(t->environment);
    json_decref(t->device);
    json_decref(t->result);
    free(t->sample);
    free(t->telemetry);
    abdb_arena_free(&t->words);
}

/* jsonl_record_parts.c - what stands beside the results of a record: lists of telemetry, spans and
 * ranks, the process, the origin; see jsonl_record_parts.h. Each parse_* either fills the entry or
 * writes a reason; an empty reason means that all is well so far. */
#include "ingest/tables/jsonl_record_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/core/units.h"

typedef struct {
    abdb_entry *e;
    const json_t *object;
    abdb_arena *arena;
    char *reason;
    size_t room;
} parts;

static const char *json_member_text_or_null(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

/* The list of that name: its length, and room for that many of `size`. False, with reason: it is
 * no list, or there is no memory. */
static bool allocate_list_of_member_or_explain(parts *r, const char *name, size_t size, void **out,
                                               size_t *count)
{
    const json_t *list = json_object_get(r->object, name);

    *count = json_array_size(list);
    *out = *count ? abdb_arena_alloc(r->arena, *count * size) : NULL;
    if (list && !json_is_null(list) && !json_is_array(list))
        snprintf(r->reason, r->room, "%s is no list", name);
    else if (*count && !*out)
        snprintf(r->reason, r->room, "out of memory for its %s", name);
    return !*r->reason;
}

/* Text that need not be there. */
static bool get_text_member_if_present(const json_t *object, const char *name, const char **out)
{
    const json_t *value = json_object_get(object, name);

    *out = json_string_value(value);
    return *out || !value || json_is_null(value);
}

/* A number that need not be there, and is not negative. */
static bool get_nonnegative_member_if_present(const json_t *object, const char *name, double *out)
{
    const json_t *value = json_object_get(object, name);

    *out = json_is_number(value) ? json_number_value(value) : NAN;
    return !value || json_is_null(value) || *out >= 0;
}

/* A whole number of at least `least`; 3.0 is none. */
static bool get_required_integer_member(const json_t *object, const char *name, long long least,
                                        long long *out)
{
    const json_t *value = json_object_get(object, name);

    *out = json_integer_value(value);
    return json_is_integer(value) && *out >= least;
}

/* Fills the entry's telemetry from arrays [sensor, quantity, unit, seconds, value]. False, with a
 * reason: one is none. */
static bool fill_telemetry_in_base_units_or_explain(parts *r)
{
    abdb_entry *e = r->e;
    abdb_telemetry *t;
    void *room;

    if (!allocate_list_of_member_or_explain(r, "telemetry", sizeof *t, &room, &e->telemetries))
        return false;
    e->telemetry = t = room;
    for (size_t i = 0; i < e->telemetries; i++) {
        const json_t *item = json_array_get(json_object_get(r->object, "telemetry"), i),
                     *t_s = json_array_get(item, 3), *value = json_array_get(item, 4);
        const char *spelling = json_string_value(json_array_get(item, 2));
        const abdb_unit *unit = spelling ? abdb_unit_find(spelling) : NULL;

        t[i].sensor = json_string_value(json_array_get(item, 0));
        t[i].quantity = json_string_value(json_array_get(item, 1));
        if (!t[i].sensor || !t[i].quantity || !unit || !json_is_number(t_s) ||
            !json_is_number(value)) {
            snprintf(r->reason, r->room,
                     "telemetry[%zu] is no [sensor, quantity, unit, t_s, value]: three texts, of "
                     "which abdb knows the unit, and two numbers",
                     i);
            return false;
        }
        t[i].unit = unit->base;
        t[i].t_s = json_number_value(t_s);
        t[i].value = abdb_unit_to_base_value(unit, json_number_value(value));
    }
    return true;
}

/* Fills the entry's spans. False, with a reason: one has no name, calls or time. */
static bool fill_spans_or_explain(parts *r)
{
    abdb_entry *e = r->e;
    abdb_span *s;
    void *room;

    if (!allocate_list_of_member_or_explain(r, "span", sizeof *s, &room, &e->spans)) return false;
    e->span = s = room;
    for (size_t i = 0; i < e->spans; i++) {
        const json_t *item = json_array_get(json_object_get(r->object, "span"), i);

        s[i].name = json_member_text_or_null(item, "name");
        if (!s[i].name || !get_required_integer_member(item, "calls", 1, &s[i].calls) ||
            !get_nonnegative_member_if_present(item, "time_s", &s[i].time_s) ||
            isnan(s[i].time_s) || !get_nonnegative_member_if_present(item, "ops", &s[i].ops) ||
            !get_nonnegative_member_if_present(item, "bytes", &s[i].bytes) ||
            !get_text_member_if_present(item, "within", &s[i].within) ||
            !get_text_member_if_present(item, "kernel", &s[i].kernel) ||
            !get_text_member_if_present(item, "provider", &s[i].provider)) {
            snprintf(r->reason, r->room,
                     "span[%zu] wants a name, calls (1 or more) and time_s; ops and bytes are "
                     "numbers, within, kernel and provider texts",
                     i);
            return false;
        }
    }
    return true;
}

/* Fills where each rank ran. False, with a reason: one has no number or host. */
static bool fill_ranks_or_explain(parts *r)
{
    abdb_entry *e = r->e;
    abdb_rank *k;
    void *room;

    if (!allocate_list_of_member_or_explain(r, "rank", sizeof *k, &room, &e->ranks)) return false;
    e->rank = k = room;
    for (size_t i = 0; i < e->ranks; i++) {
        const json_t *item = json_array_get(json_object_get(r->object, "rank"), i);
        long long number;

        k[i].host = json_member_text_or_null(item, "host");
        if (!k[i].host || !get_required_integer_member(item, "rank", 0, &number) ||
            !get_text_member_if_present(item, "device", &k[i].device) ||
            !get_text_member_if_present(item, "binding", &k[i].binding)) {
            snprintf(r->reason, r->room,
                     "rank[%zu] wants rank (0 or more) and host; device and binding are texts", i);
            return false;
        }
        k[i].rank = (long)number;
    }
    return true;
}

/* Fills the process of a measured entry, if it names one. False, with a reason: a part of it is
 * missing. */
static bool fill_process_if_present_or_explain(parts *r)
{
    const json_t *value = json_object_get(r->object, "process");
    abdb_process *p = &r->e->process;
    long long repetition, start;

    if (!value || json_is_null(value)) return true;
    p->campaign = json_member_text_or_null(value, "campaign");
    p->backend = json_member_text_or_null(value, "backend");
    p->started = json_member_text_or_null(value, "started");
    if (!p->campaign || !p->backend || !p->started ||
        !get_required_integer_member(value, "repetition", 1, &repetition) ||
        !get_required_integer_member(value, "start", 1, &start)) {
        snprintf(r->reason, r->room,
                 "process wants campaign, backend and started (texts), repetition and start (1 or "
                 "more)");
        return false;
    }
    p->repetition = (long)repetition;
    p->start = (long)start;
    return true;
}

static bool fill_origin_if_present_or_explain(parts *r)
{
    const json_t *value = json_object_get(r->object, "origin");
    const char *text = json_is_null(value) ? "none" : json_string_value(value);

    if (!value || (text && abdb_origin_parse(text, &r->e->origin))) return true;
    snprintf(r->reason, r->room, "origin is neither null nor 16 hexadecimal digits of 63 bits");
    return false;
}

bool abdb_fill_telemetry_spans_ranks_process_origin(abdb_entry *e, const json_t *object,
                                                    abdb_arena *arena, char *reason, size_t room)
{
    parts r = {e, object, arena, reason, room};

    return fill_telemetry_in_base_units_or_explain(&r) && fill_spans_or_explain(&r) &&
           fill_ranks_or_explain(&r) && fill_process_if_present_or_explain(&r) &&
           fill_origin_if_present_or_explain(&r);
}

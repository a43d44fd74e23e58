/* record_json.c - records as JSON lines; see record_json.h. */
#include "schema/core/record_json.h"

#include <math.h>
#include <string.h>

/* "," but before the first. */
static void append_comma_unless_first(abdb_text *out)
{
    char last = out->size ? out->data[out->size - 1] : '{';

    if (last != '{' && last != '[' && last != ':') abdb_text_puts(out, ",");
}

static void append_json_member_name(abdb_text *out, const char *name)
{
    append_comma_unless_first(out);
    abdb_text_append_json_string(out, name);
    abdb_text_puts(out, ":");
}

static void append_json_text_member_unless_null(abdb_text *out, const char *name, const char *text)
{
    if (!text) return;
    append_json_member_name(out, name);
    abdb_text_append_json_string(out, text);
}

static void append_shortest_number(abdb_text *out, double value)
{
    char digits[32];

    abdb_format_shortest_double(value, digits);
    abdb_text_puts(out, digits);
}

static void append_json_number_member_if_finite(abdb_text *out, const char *name, double value)
{
    if (!isfinite(value)) return;
    append_json_member_name(out, name);
    append_shortest_number(out, value);
}

static void append_json_integer_member(abdb_text *out, const char *name, long long value)
{
    append_json_member_name(out, name);
    abdb_text_printf(out, "%lld", value);
}

/* A number or a text as an item of a list; null where there is none. */
static void append_json_number_or_null_item(abdb_text *out, double value)
{
    append_comma_unless_first(out);
    if (isfinite(value))
        append_shortest_number(out, value);
    else
        abdb_text_puts(out, "null");
}

static void append_json_text_or_null_item(abdb_text *out, const char *text)
{
    append_comma_unless_first(out);
    if (text)
        abdb_text_append_json_string(out, text);
    else
        abdb_text_puts(out, "null");
}

/* Appends a factor as its text, or as an object where it has a unit, another number or no value. */
static void append_factor_json_member(abdb_text *out, const abdb_factor *f)
{
    double read = NAN;
    bool same;

    append_json_member_name(out, f->name);
    if (f->state != ABDB_KNOWN) {
        abdb_text_printf(out, "{\"state\":\"%s\"}",
                         f->state == ABDB_UNKNOWN ? "unknown" : "inapplicable");
        return;
    }
    if (!abdb_double_parse(f->text, ABDB_MARK_UNKNOWN, &read)) read = NAN;
    same = isnan(read) ? isnan(f->num) : read == f->num;
    if (same && !f->unit) {
        abdb_text_append_json_string(out, f->text);
        return;
    }
    abdb_text_puts(out, "{");
    append_json_text_member_unless_null(out, "text", f->text);
    append_json_number_member_if_finite(out, "num", f->num);
    append_json_text_member_unless_null(out, "unit", f->unit);
    abdb_text_puts(out, "}");
}

/* Appends the samples of a result: [value, seconds, rank, mark] each. */
static void append_samples_json(abdb_text *out, const abdb_result *r)
{
    if (!r->samples) return;
    append_json_member_name(out, "samples");
    abdb_text_puts(out, "[");
    for (size_t i = 0; i < r->samples; i++) {
        const abdb_sample *s = &r->sample[i];

        abdb_text_puts(out, i ? ",[" : "[");
        append_shortest_number(out, s->value);
        append_json_number_or_null_item(out, s->t_s);
        abdb_text_printf(out, ",%ld", s->rank);
        append_json_text_or_null_item(out, s->mark);
        abdb_text_puts(out, "]");
    }
    abdb_text_puts(out, "]");
}

/* Appends a result as an object without the members that are unknown. */
static void append_result_json(abdb_text *out, const abdb_result *r)
{
    append_comma_unless_first(out);
    abdb_text_puts(out, "{");
    append_json_text_member_unless_null(out, "metric", r->metric);
    append_json_text_member_unless_null(out, "statistic", r->statistic);
    append_json_number_member_if_finite(out, "value", r->value);
    append_json_text_member_unless_null(out, "raw_value", r->raw_value);
    append_json_text_member_unless_null(out, "raw_unit", r->raw_unit);
    append_json_text_member_unless_null(out, "cell", r->cell);
    if (r->rank != -1) append_json_number_member_if_finite(out, "rank", (double)r->rank);
    append_json_number_member_if_finite(out, "x", r->x);
    if (r->n > 0) append_json_number_member_if_finite(out, "n", (double)r->n);
    append_json_number_member_if_finite(out, "low", r->low);
    append_json_number_member_if_finite(out, "high", r->high);
    append_json_text_member_unless_null(out, "spread", r->spread);
    append_json_text_member_unless_null(out, "formula", r->formula);
    append_json_text_member_unless_null(out, "fact", r->fact);
    append_samples_json(out, r);
    abdb_text_puts(out, "}");
}

/* Appends the readings of an entry: [sensor, quantity, unit, seconds, value] each. */
static void append_telemetry_json(abdb_text *out, const abdb_entry *e)
{
    if (!e->telemetries) return;
    append_json_member_name(out, "telemetry");
    abdb_text_puts(out, "[");
    for (size_t i = 0; i < e->telemetries; i++) {
        const abdb_telemetry *t = &e->telemetry[i];

        abdb_text_puts(out, i ? ",[" : "[");
        append_json_text_or_null_item(out, t->sensor);
        append_json_text_or_null_item(out, t->quantity);
        append_json_text_or_null_item(out, t->unit);
        append_json_number_or_null_item(out, t->t_s);
        append_json_number_or_null_item(out, t->value);
        abdb_text_puts(out, "]");
    }
    abdb_text_puts(out, "]");
}

/* Appends the spans of an entry as objects, in their order. */
static void append_spans_json(abdb_text *out, const abdb_entry *e)
{
    if (!e->spans) return;
    append_json_member_name(out, "span");
    abdb_text_puts(out, "[");
    for (size_t i = 0; i < e->spans; i++) {
        const abdb_span *s = &e->span[i];

        abdb_text_puts(out, i ? ",{" : "{");
        append_json_text_member_unless_null(out, "name", s->name);
        append_json_text_member_unless_null(out, "within", s->within);
        append_json_text_member_unless_null(out, "kernel", s->kernel);
        append_json_text_member_unless_null(out, "provider", s->provider);
        append_json_integer_member(out, "calls", s->calls);
        append_json_number_member_if_finite(out, "time_s", s->time_s);
        append_json_number_member_if_finite(out, "ops", s->ops);
        append_json_number_member_if_finite(out, "bytes", s->bytes);
        abdb_text_puts(out, "}");
    }
    abdb_text_puts(out, "]");
}

/* Appends the ranks of an entry as objects. */
static void append_ranks_json(abdb_text *out, const abdb_entry *e)
{
    if (!e->ranks) return;
    append_json_member_name(out, "rank");
    abdb_text_puts(out, "[");
    for (size_t i = 0; i < e->ranks; i++) {
        abdb_text_puts(out, i ? ",{" : "{");
        append_json_integer_member(out, "rank", e->rank[i].rank);
        append_json_text_member_unless_null(out, "host", e->rank[i].host);
        append_json_text_member_unless_null(out, "device", e->rank[i].device);
        append_json_text_member_unless_null(out, "binding", e->rank[i].binding);
        abdb_text_puts(out, "}");
    }
    abdb_text_puts(out, "]");
}

/* Appends the process that measured an entry, if it is known. */
static void append_process_json(abdb_text *out, const abdb_process *p)
{
    if (!p->campaign) return;
    append_json_member_name(out, "process");
    abdb_text_puts(out, "{");
    append_json_text_member_unless_null(out, "campaign", p->campaign);
    append_json_text_member_unless_null(out, "backend", p->backend);
    append_json_integer_member(out, "repetition", p->repetition);
    append_json_integer_member(out, "start", p->start);
    append_json_text_member_unless_null(out, "started", p->started);
    abdb_text_puts(out, "}");
}

/* Appends the origin of an entry: null for none, 16 hexadecimal digits, or nothing if the store is
 * to make it. */
static void append_origin_json(abdb_text *out, long long origin)
{
    if (origin == ABDB_ORIGIN_UNSAID) return;
    append_json_member_name(out, "origin");
    if (origin == ABDB_ORIGIN_NONE)
        abdb_text_puts(out, "null");
    else
        abdb_text_printf(out, "\"%016llx\"", origin);
}

void abdb_entry_append_json_line(abdb_text *out, const abdb_entry *e)
{
    abdb_text_puts(out, "{\"record\":\"entry\",\"field\":{");
    for (int i = 0; i < ABDB_FIELD_COUNT; i++)
        if (e->field[i] && *e->field[i])
            append_json_text_member_unless_null(out, abdb_fields[i].name, e->field[i]);
    abdb_text_puts(out, "},\"factor\":{");
    for (size_t i = 0; i < e->factors; i++) append_factor_json_member(out, &e->factor[i]);
    abdb_text_puts(out, "},\"result\":[");
    for (size_t i = 0; i < e->results; i++) append_result_json(out, &e->result[i]);
    abdb_text_puts(out, "]");
    append_telemetry_json(out, e);
    append_spans_json(out, e);
    append_ranks_json(out, e);
    append_process_json(out, &e->process);
    append_origin_json(out, e->origin);
    append_json_text_member_unless_null(out, "environment", e->environment);
    if (e->pieces) append_json_number_member_if_finite(out, "pieces", (double)e->pieces);
    if (e->pieces) append_json_text_member_unless_null(out, "role", e->role);
    abdb_text_puts(out, "}\n");
}

void abdb_fact_append_json_line(abdb_text *out, const abdb_fact *f)
{
    abdb_text_puts(out, "{");
    append_json_text_member_unless_null(out, "record", f->table);
    for (size_t i = 0; i < f->columns; i++) {
        append_json_text_member_unless_null(out, f->column[i].name, f->column[i].text);
        if (!f->column[i].text)
            append_json_number_member_if_finite(out, f->column[i].name, f->column[i].num);
    }
    append_json_text_member_unless_null(out, "fact", f->fact);
    abdb_text_puts(out, "}\n");
}

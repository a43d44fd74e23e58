/* record_json.c - records as JSON lines; see record_json.h. */
#include "schema/core/record_json.h"

#include <math.h>
#include <string.h>

/* "," but before the first. */
static void comma(abdb_text *out)
{
    char last = out->size ? out->data[out->size - 1] : '{';

    if (last != '{' && last != '[' && last != ':') abdb_text_puts(out, ",");
}

static void put_name(abdb_text *out, const char *name)
{
    comma(out);
    abdb_text_json(out, name);
    abdb_text_puts(out, ":");
}

static void put_text(abdb_text *out, const char *name, const char *text)
{
    if (!text) return;
    put_name(out, name);
    abdb_text_json(out, text);
}

static void put_double(abdb_text *out, double value)
{
    char digits[32];

    abdb_number_print(value, digits);
    abdb_text_puts(out, digits);
}

static void put_number(abdb_text *out, const char *name, double value)
{
    if (!isfinite(value)) return;
    put_name(out, name);
    put_double(out, value);
}

static void put_whole(abdb_text *out, const char *name, long long value)
{
    put_name(out, name);
    abdb_text_printf(out, "%lld", value);
}

/* A number or a text as an item of a list; null where there is none. */
static void put_number_item(abdb_text *out, double value)
{
    comma(out);
    if (isfinite(value))
        put_double(out, value);
    else
        abdb_text_puts(out, "null");
}

static void put_text_item(abdb_text *out, const char *text)
{
    comma(out);
    if (text)
        abdb_text_json(out, text);
    else
        abdb_text_puts(out, "null");
}

static void put_factor(abdb_text *out, const abdb_factor *f)
{
    double read = NAN;
    bool same;

    put_name(out, f->name);
    if (f->state != ABDB_KNOWN) {
        abdb_text_printf(out, "{\"state\":\"%s\"}",
                         f->state == ABDB_UNKNOWN ? "unknown" : "inapplicable");
        return;
    }
    if (!abdb_double_parse(f->text, ABDB_MARK_UNKNOWN, &read)) read = NAN;
    same = isnan(read) ? isnan(f->num) : read == f->num;
    if (same && !f->unit) {
        abdb_text_json(out, f->text);
        return;
    }
    abdb_text_puts(out, "{");
    put_text(out, "text", f->text);
    put_number(out, "num", f->num);
    put_text(out, "unit", f->unit);
    abdb_text_puts(out, "}");
}

static void put_samples(abdb_text *out, const abdb_result *r)
{
    if (!r->samples) return;
    put_name(out, "samples");
    abdb_text_puts(out, "[");
    for (size_t i = 0; i < r->samples; i++) {
        const abdb_sample *s = &r->sample[i];

        abdb_text_puts(out, i ? ",[" : "[");
        put_double(out, s->value);
        put_number_item(out, s->t_s);
        abdb_text_printf(out, ",%ld", s->rank);
        put_text_item(out, s->mark);
        abdb_text_puts(out, "]");
    }
    abdb_text_puts(out, "]");
}

static void put_result(abdb_text *out, const abdb_result *r)
{
    comma(out);
    abdb_text_puts(out, "{");
    put_text(out, "metric", r->metric);
    put_text(out, "statistic", r->statistic);
    put_number(out, "value", r->value);
    put_text(out, "raw_value", r->raw_value);
    put_text(out, "raw_unit", r->raw_unit);
    put_text(out, "cell", r->cell);
    if (r->rank != -1) put_number(out, "rank", (double)r->rank);
    put_number(out, "x", r->x);
    if (r->n > 0) put_number(out, "n", (double)r->n);
    put_number(out, "low", r->low);
    put_number(out, "high", r->high);
    put_text(out, "spread", r->spread);
    put_text(out, "formula", r->formula);
    put_text(out, "fact", r->fact);
    put_samples(out, r);
    abdb_text_puts(out, "}");
}

static void put_telemetry(abdb_text *out, const abdb_entry *e)
{
    if (!e->telemetries) return;
    put_name(out, "telemetry");
    abdb_text_puts(out, "[");
    for (size_t i = 0; i < e->telemetries; i++) {
        const abdb_telemetry *t = &e->telemetry[i];

        abdb_text_puts(out, i ? ",[" : "[");
        put_text_item(out, t->sensor);
        put_text_item(out, t->quantity);
        put_text_item(out, t->unit);
        put_number_item(out, t->t_s);
        put_number_item(out, t->value);
        abdb_text_puts(out, "]");
    }
    abdb_text_puts(out, "]");
}

static void put_spans(abdb_text *out, const abdb_entry *e)
{
    if (!e->spans) return;
    put_name(out, "span");
    abdb_text_puts(out, "[");
    for (size_t i = 0; i < e->spans; i++) {
        const abdb_span *s = &e->span[i];

        abdb_text_puts(out, i ? ",{" : "{");
        put_text(out, "name", s->name);
        put_text(out, "within", s->within);
        put_text(out, "kernel", s->kernel);
        put_text(out, "provider", s->provider);
        put_whole(out, "calls", s->calls);
        put_number(out, "time_s", s->time_s);
        put_number(out, "ops", s->ops);
        put_number(out, "bytes", s->bytes);
        abdb_text_puts(out, "}");
    }
    abdb_text_puts(out, "]");
}

static void put_ranks(abdb_text *out, const abdb_entry *e)
{
    if (!e->ranks) return;
    put_name(out, "rank");
    abdb_text_puts(out, "[");
    for (size_t i = 0; i < e->ranks; i++) {
        abdb_text_puts(out, i ? ",{" : "{");
        put_whole(out, "rank", e->rank[i].rank);
        put_text(out, "host", e->rank[i].host);
        put_text(out, "device", e->rank[i].device);
        put_text(out, "binding", e->rank[i].binding);
        abdb_text_puts(out, "}");
    }
    abdb_text_puts(out, "]");
}

static void put_process(abdb_text *out, const abdb_process *p)
{
    if (!p->campaign) return;
    put_name(out, "process");
    abdb_text_puts(out, "{");
    put_text(out, "campaign", p->campaign);
    put_text(out, "backend", p->backend);
    put_whole(out, "repetition", p->repetition);
    put_whole(out, "start", p->start);
    put_text(out, "started", p->started);
    abdb_text_puts(out, "}");
}

static void put_origin(abdb_text *out, long long origin)
{
    if (origin == ABDB_ORIGIN_UNSAID) return;
    put_name(out, "origin");
    if (origin == ABDB_ORIGIN_NONE)
        abdb_text_puts(out, "null");
    else
        abdb_text_printf(out, "\"%016llx\"", origin);
}

void abdb_entry_json(abdb_text *out, const abdb_entry *e)
{
    abdb_text_puts(out, "{\"record\":\"entry\",\"field\":{");
    for (int i = 0; i < ABDB_FIELD_COUNT; i++)
        if (e->field[i] && *e->field[i]) put_text(out, abdb_fields[i].name, e->field[i]);
    abdb_text_puts(out, "},\"factor\":{");
    for (size_t i = 0; i < e->factors; i++) put_factor(out, &e->factor[i]);
    abdb_text_puts(out, "},\"result\":[");
    for (size_t i = 0; i < e->results; i++) put_result(out, &e->result[i]);
    abdb_text_puts(out, "]");
    put_telemetry(out, e);
    put_spans(out, e);
    put_ranks(out, e);
    put_process(out, &e->process);
    put_origin(out, e->origin);
    put_text(out, "environment", e->environment);
    if (e->pieces) put_number(out, "pieces", (double)e->pieces);
    if (e->pieces) put_text(out, "role", e->role);
    abdb_text_puts(out, "}\n");
}

void abdb_fact_json(abdb_text *out, const abdb_fact *f)
{
    abdb_text_puts(out, "{");
    put_text(out, "record", f->table);
    for (size_t i = 0; i < f->columns; i++) {
        put_text(out, f->column[i].name, f->column[i].text);
        if (!f->column[i].text) put_number(out, f->column[i].name, f->column[i].num);
    }
    put_text(out, "fact", f->fact);
    abdb_text_puts(out, "}\n");
}

/* validate_entry.c - why the store cannot keep an entry: the rules that every producer's records
 * must meet, checked in one place before anything is written. The sentence becomes the reason of a
 * reject. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "schema/core/text.h"
#include "schema/store/writer_internal.h"

/* Text for a reason that contains the invalid value. */
static _Thread_local char words[160];

/* Why evidence, kind or source cannot be stored; NULL if they can. */
static const char *why_evidence_kind_or_source_invalid(const abdb_entry *e)
{
    static const char *const evidences[] = {"measured", "published", "mlperf", NULL};
    static const char *const kinds[] = {"run", "score", "average", "statement", NULL};

    if (!e->field[ABDB_FIELD_evidence] || !e->field[ABDB_FIELD_kind])
        return "evidence and kind are missing";
    if (!abdb_text_is_in_list(e->field[ABDB_FIELD_evidence], evidences))
        return "evidence is none of measured, published, mlperf";
    if (!abdb_text_is_in_list(e->field[ABDB_FIELD_kind], kinds))
        return "kind is none of run, score, average, statement";
    if (!e->field[ABDB_FIELD_source])
        return "no source: say who states it, in the column source or with --set source=NAME";
    return NULL;
}

/* Why a date or a count of the entry cannot be stored; NULL if all can. */
static const char *why_dates_or_counts_invalid(const abdb_entry *e)
{
    static const abdb_field dates[] = {ABDB_FIELD_date, ABDB_FIELD_retrieved};

    for (size_t i = 0; i < sizeof dates / sizeof dates[0]; i++) {
        if (!e->field[dates[i]] || abdb_date_is_stored_iso_or_day_range(e->field[dates[i]]))
            continue;
        abdb_date_error_text(abdb_fields[dates[i]].name, e->field[dates[i]], words, sizeof words);
        return words;
    }
    for (int i = 0; i < ABDB_FIELD_COUNT; i++) {
        long long count;

        if (!abdb_fields[i].is_number || !e->field[i] ||
            abdb_entry_parse_positive_count(e, i, &count))
            continue;
        snprintf(words, sizeof words, "%s is '%.60s', not a whole number of at least 1",
                 abdb_fields[i].name, e->field[i]);
        return words;
    }
    return NULL;
}

/* Times, bytes, rates and the like are zero or more; fractions (gains), logarithms and degrees
 * Celsius may be less. */
static bool metric_may_be_negative(const abdb_metric_info *metric)
{
    static const char *const units[] = {"1", "nat", "degC", NULL};

    return abdb_text_is_in_list(metric->unit, units);
}

/* Why a result cannot be stored (not finite, below zero, an unknown metric or spread); NULL if it
 * can. */
static const char *why_result_invalid(const abdb_result *r)
{
    static const char *const spreads[] = {"ci95", "minmax", "iqr", "sd", NULL};
    const abdb_metric_info *metric = abdb_metric_find(r->metric);

    if (!isfinite(r->value) || isinf(r->x)) return "a value is not a finite number";
    if (r->samples > ABDB_SAMPLE_MAX) return "more than 1048576 samples in one result";
    if (r->spread && !abdb_text_is_in_list(r->spread, spreads))
        return "spread is none of ci95, minmax, iqr, sd";
    if (metric && r->value < 0 && !metric_may_be_negative(metric)) {
        snprintf(words, sizeof words, "%.80s is %g: it cannot be below zero", r->metric, r->value);
        return words;
    }
    if (metric) return NULL;
    snprintf(words, sizeof words, "unknown metric '%.80s'; `abdb query --schema` lists them",
             r->metric);
    return words;
}

/* Why telemetry, spans, process or status cannot be stored; NULL if all can. */
static const char *why_measurement_parts_invalid(const abdb_entry *e)
{
    for (size_t i = 0; i < e->telemetries; i++)
        if (!isfinite(e->telemetry[i].value) || !isfinite(e->telemetry[i].t_s))
            return "a reading of a sensor is not a finite number";
    for (size_t i = 0; i < e->spans; i++)
        if (!isfinite(e->span[i].time_s) || e->span[i].time_s < 0 || e->span[i].calls < 1)
            return "a span has no calls, or its time is not a number of seconds";
    if (e->process.campaign && (e->process.repetition < 1 || e->process.start < 1))
        return "a process counts its repetitions and starts from 1";
    if (e->results && e->field[ABDB_FIELD_status] && strcmp(e->field[ABDB_FIELD_status], "ok") != 0)
        return "an entry with a status other than ok cannot have results";
    return NULL;
}

const char *abdb_entry_why_invalid(const abdb_entry *e)
{
    const char *fault = why_evidence_kind_or_source_invalid(e);

    if (!fault) fault = why_dates_or_counts_invalid(e);
    if (!fault && e->doubt) fault = e->doubt;
    for (size_t i = 0; !fault && i < e->results; i++) fault = why_result_invalid(&e->result[i]);
    return fault ? fault : why_measurement_parts_invalid(e);
}

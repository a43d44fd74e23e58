/* fault.c - why the store cannot keep an entry. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "schema/store/writer.h"

static bool one_of(const char *text, const char *const *list)
{
    while (*list && strcmp(text, *list) != 0) list++;
    return *list != NULL;
}

const char *abdb_entry_fault(const abdb_entry *e)
{
    static const char *const evidences[] = {"measured", "published", "mlperf", NULL};
    static const char *const kinds[] = {"run", "score", "average", "statement", NULL};
    static const char *const spreads[] = {"ci95", "minmax", "iqr", "sd", NULL};
    static _Thread_local char words[160];

    if (!e->field[ABDB_FIELD_evidence] || !e->field[ABDB_FIELD_kind])
        return "evidence and kind are missing";
    if (!one_of(e->field[ABDB_FIELD_evidence], evidences))
        return "evidence is none of measured, published, mlperf";
    if (!one_of(e->field[ABDB_FIELD_kind], kinds))
        return "kind is none of run, score, average, statement";
    if (!e->field[ABDB_FIELD_source])
        return "no source: say who states it, in the column source or with --set source=NAME";
    for (int i = 0; i < 2; i++) {
        abdb_field date = i ? ABDB_FIELD_retrieved : ABDB_FIELD_date;

        if (!e->field[date] || abdb_date_is(e->field[date])) continue;
        abdb_date_reason(abdb_fields[date].name, e->field[date], words, sizeof words);
        return words;
    }
    for (int i = 0; i < ABDB_FIELD_COUNT; i++) {
        long long whole;

        if (!abdb_fields[i].is_number || !e->field[i]) continue;
        if (abdb_whole(e->field[i], i == ABDB_FIELD_nodes, 100000000, &whole)) continue;
        snprintf(words, sizeof words, "%s is '%.60s', not a whole number", abdb_fields[i].name,
                 e->field[i]);
        return words;
    }
    for (size_t i = 0; i < e->results; i++) {
        const abdb_result *r = &e->result[i];

        if (!isfinite(r->value) || isinf(r->x)) return "a value is not a finite number";
        if (r->samples > ABDB_SAMPLE_MAX) return "more than 1048576 samples in one result";
        if (r->spread && !one_of(r->spread, spreads))
            return "spread is none of ci95, minmax, iqr, sd";
        if (abdb_metric_find(r->metric)) continue;
        snprintf(words, sizeof words, "unknown metric '%.80s'; `abdb query --schema` lists them",
                 r->metric);
        return words;
    }
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

/* importer.c - who reads an input, and the user's words; see importer.h. */
#include "ingest/importer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/mlperf/round.h"
#include "schema/core/units.h"

#define IMPORTER(name) extern const abdb_importer name;
#include "ingest/registry.def"
#undef IMPORTER

const abdb_importer *const abdb_importers[] = {
#define IMPORTER(name) &name,
#include "ingest/registry.def"
#undef IMPORTER
    NULL};

static abdb_status find_by_name(const abdb_importer **out, const char *name, abdb_error *err)
{
    const char *names[64];
    const char *near;
    size_t count = 0;

    for (; abdb_importers[count] && count < 64; count++) {
        names[count] = abdb_importers[count]->name;
        if (strcmp(names[count], name) != 0) continue;
        *out = abdb_importers[count];
        return ABDB_OK;
    }
    near = abdb_nearest(name, names, count);
    return ABDB_FAIL(err, ABDB_USAGE, "no format '%s'%s%s; `abdb import --help` lists them", name,
                     near ? ", did you mean " : "", near ? near : "");
}

/* What a refused file looks like, for the message. */
static abdb_status refuse(const abdb_input *in, abdb_error *err)
{
    size_t line = 0;
    char head[100];

    if (in->size == 0)
        return ABDB_FAIL(err, ABDB_FORMAT, "the file is empty (0 bytes): nothing to import");
    if (memchr(in->text, 0, in->text_size))
        return ABDB_FAIL(err, ABDB_FORMAT,
                         "a binary file (it holds NUL bytes), not a format that"
                         " abdb reads; `abdb import --help` lists them");
    while (line < in->text_size && line + 1 < sizeof head && in->text[line] != '\n' &&
           in->text[line] != '\r') {
        head[line] = in->text[line] < 0x20 && in->text[line] >= 0 ? ' ' : in->text[line];
        line++;
    }
    head[line] = '\0';
    return ABDB_FAIL(err, ABDB_FORMAT,
                     "line 1: not a format that abdb reads (it begins with '%s');"
                     " `abdb import --help` lists the formats, --format forces one",
                     head);
}

abdb_status abdb_importer_find(const abdb_importer **out, const char *name, const abdb_input *input,
                               abdb_error *err)
{
    const abdb_importer *best = NULL, *tie = NULL;
    int most = 0;

    if (name) return find_by_name(out, name, err);
    for (size_t i = 0; abdb_importers[i]; i++) {
        int bid = abdb_importers[i]->bid(input);

        if (bid == 0 || bid < most) continue;
        tie = bid == most ? best : NULL;
        best = abdb_importers[i];
        most = bid;
    }
    if (!best) return refuse(input, err);
    if (tie)
        return ABDB_FAIL(err, ABDB_FORMAT, "could be %s or %s; force one with --format", tie->name,
                         best->name);
    *out = best;
    return ABDB_OK;
}

int abdb_format_version(const char *format, bool own_map)
{
    for (size_t i = 0; abdb_importers[i]; i++) {
        const abdb_importer *importer = abdb_importers[i];

        if (strcmp(importer->name, format) != 0) continue;
        return importer->version + (importer->parts && !own_map ? importer->parts() : 0);
    }
    return mlperf_round_version(format);
}

/* Columns of facts that are none of an entry: --set may say them for specifications and prices. */
static bool is_fact_column(const char *name)
{
    static const char *const names[] = {"locator", "device",     "quantity", "basis",
                                        "engine",  "sparsity",   "provider", "instance",
                                        "region",  "amount",     "currency", "per",
                                        "kind",    "valid_from", "note",     "power_limit"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0) return true;
    return false;
}

abdb_status abdb_words_add(abdb_words *words, const char *setting, abdb_error *err)
{
    const char *equals = strchr(setting, '=');
    char *name, *value, *mark, date[ABDB_DATE_SIZE], reason[160];

    if (!equals || equals == setting || !equals[1])
        return ABDB_FAIL(err, ABDB_USAGE, "--set wants column=value, not '%s'", setting);
    if (words->count == ABDB_WORDS_MAX)
        return ABDB_FAIL(err, ABDB_USAGE, "at most %d --set", ABDB_WORDS_MAX);
    name = abdb_arena_copy(&words->arena, setting, (size_t)(equals - setting));
    value = abdb_arena_copy(&words->arena, equals + 1, strlen(equals + 1));
    if (!name || !value) return ABDB_FAIL(err, ABDB_NOMEM, "--set");
    if (abdb_field_find(name) < 0 && strncmp(name, "factor.", 7) != 0 && !is_fact_column(name)) {
        const char *names[ABDB_FIELD_COUNT], *near;

        for (int i = 0; i < ABDB_FIELD_COUNT; i++) names[i] = abdb_fields[i].name;
        near = abdb_nearest(name, names, ABDB_FIELD_COUNT);
        return ABDB_FAIL(err, ABDB_USAGE,
                         "--set %s: no such column%s%s; a factor is written factor.%s=...", setting,
                         near ? ", did you mean " : "", near ? near : "", name);
    }
    if (abdb_date_column(name)) {
        if (!abdb_date(value, date)) {
            abdb_date_reason(name, value, reason, sizeof reason);
            return ABDB_FAIL(err, ABDB_USAGE, "--set: %s", reason);
        }
        value = abdb_arena_copy(&words->arena, date, strlen(date));
        if (!value) return ABDB_FAIL(err, ABDB_NOMEM, "--set");
    }
    mark = abdb_arena_printf(&words->arena, "user_word.%s", name);
    if (!mark) return ABDB_FAIL(err, ABDB_NOMEM, "--set");
    words->word[words->count].name = name;
    words->word[words->count].mark = mark;
    words->word[words->count++].value = value;
    return ABDB_OK;
}

const char *abdb_words_get(const abdb_words *words, const char *name)
{
    for (size_t i = 0; words && i < words->count; i++)
        if (strcmp(words->word[i].name, name) == 0) return words->word[i].value;
    return NULL;
}

void abdb_entry_complete(abdb_entry *entry, const abdb_words *words)
{
    const char *text;

    for (size_t i = 0; words && i < words->count; i++) {
        int field = abdb_field_find(words->word[i].name);

        if (field >= 0 && entry->field[field] && *entry->field[field]) continue;
        if (field >= 0)
            entry->field[field] = words->word[i].value;
        else if (strncmp(words->word[i].name, "factor.", 7) == 0)
            abdb_entry_factor(entry, words->word[i].name + 7, words->word[i].value);
        abdb_entry_factor(entry, words->word[i].mark, words->word[i].value);
    }
    (void)abdb_entry_dates(entry, &text); /* one that is none is refused by the store */
}

static int compare_words(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

void abdb_words_text(const abdb_words *words, abdb_text *out)
{
    const char *line[ABDB_WORDS_MAX];
    abdb_arena arena = {0};

    for (size_t i = 0; i < words->count; i++) {
        line[i] = abdb_arena_printf(&arena, "%s=%s", words->word[i].name, words->word[i].value);
        if (!line[i]) out->failed = true;
    }
    if (!out->failed) {
        qsort(line, words->count, sizeof *line, compare_words);
        for (size_t i = 0; i < words->count; i++)
            abdb_text_printf(out, "%s%s", i ? "\n" : "", line[i]);
        if (words->map)
            abdb_text_printf(out, "%smap %s", words->count ? "\n" : "", words->map_digest);
    }
    abdb_arena_free(&arena);
}

void abdb_words_free(abdb_words *words)
{
    abdb_arena_free(&words->arena);
    *words = (abdb_words){0};
}

void abdb_entry_measured(abdb_entry *entry, const char *source, const char *workload,
                         const char *locator, long line)
{
    entry->field[ABDB_FIELD_evidence] = "measured";
    entry->field[ABDB_FIELD_kind] = "run";
    entry->field[ABDB_FIELD_source] = source;
    entry->field[ABDB_FIELD_workload] = workload;
    entry->locator = locator;
    entry->line = line;
}

abdb_result *abdb_entry_stated(abdb_entry *entry, const char *metric, const char *statistic,
                               const char *raw, const char *unit)
{
    const abdb_unit *found = abdb_unit_find(unit);
    double value;
    abdb_result *result;

    if (!raw || !found || !abdb_number(raw, &value) || !(value > 0)) return NULL;
    result = abdb_entry_result(entry, metric, abdb_unit_base(found, value));
    if (!result) return NULL;
    result->statistic = statistic;
    result->raw_value = raw;
    result->raw_unit = unit;
    return result;
}

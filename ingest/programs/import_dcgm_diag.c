/* import_dcgm_diag.c - `dcgmi diag` of NVIDIA's DCGM: its table, and its JSON (-j).
 *
 * How eleven outputs of DCGM 1.7 to 4.4 by nine authors, and the sources of 3.1 and 4.5, disagree:
 * - JSON of 1.7 to 3.x lies under "DCGM GPU Diagnostic", of 4.x under "DCGM Diagnostic", with
 *   "metadata" beside it; --iterations wraps several. A result has "gpu_ids" (of several GPUs), a
 *   "gpu_id", "entity_id", or none of them. "info" is an array, or one text joined by commas;
 *   "warnings" are texts, objects or null; 4.x adds a "test_summary". Words may stand before it.
 * - The table of 3.x prints "Pass - All", "Fail - GPU: 1" and "Pass - GPUs: 0, 2" below each other,
 *   4.x "GPU0: Pass" below the whole test's "Pass". Texts are broken after 45 characters.
 *   Versions stand under "Metadata", or before "Deployment". Copies lose the padding of cells.
 * - Tests are "GPU Memory" and "Targeted Power" until 3.x, then "memory" and "targeted_power".
 * - Numbers are printed by PCIe, Diagnostic and Targeted Power (with -v in tables); 4.x drops those
 *   beyond its room.
 * A name of the GPU is printed nowhere, only its PCI ID: the device is unknown. The input row is a
 * result of a test: an entry without a value for the verdict, and one for each GPU's numbers.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "ingest/programs/dcgm_verdict.h"
#include "ingest/programs/serving_statistics.h"
#include "ingest/read/flat_records.h"
#include "ingest/read/text_lines.h"

enum { VERDICTS_MAX = 64 };
#define MEMBERS(object) ((json_t *)(size_t)(object))

/* The first line that begins a JSON object, of the first bytes; NULL: there is none. */
static const char *find_json_document_or_null(const abdb_input *in)
{
    const char *end = in->text + (in->text_size < BID_SIZE ? in->text_size : BID_SIZE);

    for (const char *line = in->text; line && line < end;) {
        const char *at = line;

        while (at < end && (*at == ' ' || *at == '\t')) at++;
        if (at < end && *at == '{') return at;
        line = memchr(at, '\n', (size_t)(end - at));
        if (line) line++;
    }
    return NULL;
}

static int dcgm_diag_bid(const abdb_input *in)
{
    const char *json = find_json_document_or_null(in);

    if (json) {
        abdb_input part = *in;

        part.text = json;
        part.text_size = in->text_size - (size_t)(json - in->text);
        if (abdb_flat_has_all_keys_or_columns(&part, "DCGM |\"test_categories\"|\"tests\""))
            return 90;
    }
    return lines_any_in_first_part_begins_with(in, "|-----  Deployment  -") ||
                   lines_any_in_first_part_begins_with(in,
                                                       "| Diagnostic                | Result") ||
                   lines_any_in_first_part_begins_with(in, "| Diagnostic | Result |")
               ? 85
               : 0;
}

/* --- JSON ------------------------------------------------------------------------------------- */

/* Texts of an array, a text alone, or the texts of objects that have one under that name: joined,
 * each with `prefix` before it. NULL: none. */
static const char *join_texts_or_null(const json_t *value, const char *name, const char *prefix,
                                      abdb_arena *a)
{
    const json_t *one = json_is_object(value) ? json_object_get(value, name) : value;
    const char *joined = NULL;
    size_t i;
    json_t *item;

    if (json_is_string(one)) return abdb_arena_printf(a, "%s%s", prefix, json_string_value(one));
    json_array_foreach(MEMBERS(value), i, item)
    {
        const char *text = json_is_array(item) ? NULL : join_texts_or_null(item, name, prefix, a);

        if (text) joined = joined ? abdb_arena_printf(a, "%s, %s", joined, text) : text;
    }
    return joined;
}

static const char *const known_of_result[] = {
    "status",    "info",         "warnings",        "gpu_ids", "gpu_id",
    "entity_id", "entity_group", "entity_group_id", NULL};

/* Error numbers of warnings: "warnings.error_id". */
static void append_members_of_warnings(abdb_settings *own, const json_t *warnings, abdb_arena *a)
{
    static const char *const text[] = {"warnings.warning", NULL};
    abdb_settings members = {0};
    size_t i;
    json_t *warning;

    json_array_foreach(MEMBERS(warnings), i, warning)
        abdb_flat_append_json_members_to_settings(&members, warning, NULL, a);
    for (i = 0; i < members.count; i++) {
        const char *name = abdb_arena_printf(a, "warnings.%s", members.item[i].name);

        if (!abdb_name_matches_ignored_pattern(name, text))
            abdb_settings_set_or_count_lost(own, a, name, (int)strlen(name), members.item[i].text,
                                            (int)strlen(members.item[i].text));
    }
}

/* upper: the category and the test that the result belongs to. */
static abdb_status import_result_object(dcgm_run *run, dcgm_verdict v, const json_t *const upper[2],
                                        const json_t *result, const char *locator, abdb_error *err)
{
    static const char *const known_of_upper[] = {"category",  "tests.*",        "name",
                                                 "results.*", "test_summary.*", NULL};
    abdb_arena a = {0};
    abdb_settings own = {0};
    const char *prefix = "";
    abdb_status st;

    v.status = json_string_value(json_object_get(result, "status"));
    v.group = json_string_value(json_object_get(result, "entity_group"));
    v.gpus = abdb_serving_json_text_or_null(json_object_get(result, "gpu_ids"), &a);
    if (!v.gpus) v.gpus = abdb_serving_json_text_or_null(json_object_get(result, "gpu_id"), &a);
    if (!v.gpus) v.gpus = abdb_serving_json_text_or_null(json_object_get(result, "entity_id"), &a);
    if (v.gpus && *v.gpus && strspn(v.gpus, "0123456789") == strlen(v.gpus) &&
        (!v.group || strcmp(v.group, "GPU") == 0))
        prefix = abdb_arena_printf(&a, "GPU %s ", v.gpus);
    v.info = join_texts_or_null(json_object_get(result, "info"), "info", prefix, &a);
    v.warning = join_texts_or_null(json_object_get(result, "warnings"), "warning", "", &a);
    for (size_t i = 0; i < 2; i++)
        abdb_flat_append_json_members_to_settings(&own, upper[i], known_of_upper, &a);
    abdb_flat_append_json_members_to_settings(&own, result, known_of_result, &a);
    append_members_of_warnings(&own, json_object_get(result, "warnings"), &a);
    st = dcgm_import_or_reject_verdict(run, &v, 1, 0, locator, 0, &own, err);
    abdb_arena_free(&a);
    return st;
}

/* Every result of a test, and its summary. */
static abdb_status import_results_of_test(dcgm_run *run, const json_t *category, const json_t *test,
                                          const char *place, abdb_error *err)
{
    const json_t *upper[] = {category, test}, *list = json_object_get(test, "results"),
                 *summary = json_object_get(test, "test_summary");
    dcgm_verdict v = {.category = json_string_value(json_object_get(category, "category")),
                      .test = json_string_value(json_object_get(test, "name"))};
    char locator[256];
    size_t i;
    json_t *result;
    abdb_status st = ABDB_OK;

    if (!v.test) v.test = "";
    json_array_foreach(MEMBERS(list), i, result)
    {
        snprintf(locator, sizeof locator, "%s.results[%zu]", place, i);
        if (json_is_object(result)) TRY(import_result_object(run, v, upper, result, locator, err));
    }
    snprintf(locator, sizeof locator, "%s.test_summary", place);
    if (json_is_object(summary)) TRY(import_result_object(run, v, upper, summary, locator, err));
done:
    return st;
}

static abdb_status import_categories(dcgm_run *run, const json_t *diagnostic, const char *place,
                                     abdb_error *err)
{
    char locator[224];
    size_t c, t;
    json_t *category, *test;
    abdb_status st = ABDB_OK;

    json_array_foreach(json_object_get(diagnostic, "test_categories"), c, category)
        json_array_foreach(json_object_get(category, "tests"), t, test)
    {
        snprintf(locator, sizeof locator, "%s.test_categories[%zu].tests[%zu]", place, c, t);
        if (json_is_object(test)) /* 3.x prints null between tests */
            TRY(import_results_of_test(run, category, test, locator, err));
    }
done:
    return st;
}

/* "DCGM Version" and "metadata.version" are one setting under one name. */
static void rename_settings(dcgm_run *run)
{
    static const char *const names[][2] = {{"DCGM Version", "dcgm_version"},
                                           {"metadata.version", "dcgm_version"},
                                           {"version", "dcgm_version"},
                                           {"driver_version_detected", "driver_version"},
                                           {"Driver Version Detected", "driver_version"},
                                           {"metadata.Driver Version Detected", "driver_version"},
                                           {"GPU Device IDs Detected", "pci_device_ids"},
                                           {"GPU Device IDs", "pci_device_ids"}};

    for (size_t i = 0; i < run->settings.count; i++)
        for (size_t n = 0; n < sizeof names / sizeof names[0]; n++)
            if (strcmp(run->settings.item[i].name, names[n][0]) == 0)
                run->settings.item[i].name = names[n][1];
}

/* Versions and PCI IDs beside and inside the diagnostic. */
static void read_versions_of_document(dcgm_run *run, const json_t *root, const json_t *diagnostic)
{
    static const char *const ignored[] = {"test_categories.*",
                                          "entity_groups.*",
                                          "iterations.*",
                                          "*Diagnostic.*",
                                          "GPU Device Serials*",
                                          "*DCGM*",
                                          NULL};
    static const char *const group_names[] = {"entities.*", "entity_group", "entity_group_id",
                                              NULL};
    const json_t *groups = json_object_get(root, "entity_groups");
    const char *ids = NULL;
    size_t g, e;
    json_t *group, *entity;

    abdb_flat_append_json_members_to_settings(&run->settings, diagnostic, ignored, &run->arena);
    abdb_flat_append_json_members_to_settings(&run->settings, root, ignored, &run->arena);
    json_array_foreach(MEMBERS(groups), g, group)
        abdb_flat_append_json_members_to_settings(&run->settings, group, group_names, &run->arena);
    json_array_foreach(MEMBERS(groups), g, group)
        json_array_foreach(json_object_get(group, "entities"), e, entity)
    {
        static const char *const known[] = {"device_id", "entity_id", "serial_num", NULL};
        const char *id = json_string_value(json_object_get(entity, "device_id"));

        abdb_flat_append_json_members_to_settings(&run->settings, entity, known, &run->arena);

        if (id)
            ids = ids ? abdb_arena_printf(&run->arena, "%s, %s", ids, id)
                      : abdb_arena_copy(&run->arena, id, strlen(id));
    }
    if (ids)
        abdb_settings_set_or_count_lost(&run->settings, &run->arena, "GPU Device IDs", 14, ids,
                                        (int)strlen(ids));
    rename_settings(run);
}

/* One document, or one of its iterations. */
static abdb_status import_document(dcgm_run *run, const json_t *root, const char *place,
                                   abdb_error *err)
{
    static const char *const names[] = {"DCGM Diagnostic", "DCGM GPU Diagnostic"};
    const json_t *iterations = json_object_get(root, "iterations");
    char locator[64];
    size_t i;
    json_t *one;
    abdb_status st = ABDB_OK;

    for (size_t n = 0; n < 2; n++) {
        const json_t *diagnostic = json_object_get(root, names[n]);

        if (!json_is_object(diagnostic)) continue;
        read_versions_of_document(run, root, diagnostic);
        snprintf(locator, sizeof locator, "%s%s", place, names[n]);
        TRY(import_categories(run, diagnostic, locator, err));
    }
    json_array_foreach(MEMBERS(iterations), i, one)
    {
        snprintf(locator, sizeof locator, "iterations[%zu].", i);
        if (!*place) TRY(import_document(run, one, locator, err));
    }
done:
    return st;
}

static abdb_status import_json(dcgm_run *run, const abdb_input *in, const char *begin,
                               abdb_error *err)
{
    abdb_input part = *in;
    json_t *root = NULL;
    abdb_status st = ABDB_OK;

    part.text = begin;
    part.text_size = in->text_size - (size_t)(begin - in->text);
    TRY(abdb_flat_parse_json_document_quoting_nan(&root, &part, err));
    TRY(import_document(run, root, "", err));
done:
    json_decref(root);
    return st;
}

/* --- the table -------------------------------------------------------------------------------- */

typedef struct {
    dcgm_run *run;
    const char *category, *test;
    dcgm_verdict verdict[VERDICTS_MAX];
    size_t verdicts;
    long line;                      /* of the test */
    abdb_text info, warning, *open; /* open: the text that the next line goes on with */
    abdb_arena arena;               /* of the test */
} table;

static abdb_status flush_test(table *t, abdb_error *err)
{
    abdb_status st = ABDB_OK;
    char locator[32];
    bool one_failed = false;

    snprintf(locator, sizeof locator, "line %ld", t->line);
    for (size_t i = 0; i < t->verdicts; i++)
        if (t->verdict[i].status[0] == 'F' || t->verdict[i].status[0] == 'W') one_failed = true;
    for (size_t i = 0; i < t->verdicts; i++) {
        t->verdict[i].info = t->info.size ? abdb_trim_in_place(t->info.data) : NULL;
        if (t->verdict[i].status[0] == 'F' || t->verdict[i].status[0] == 'W' || !one_failed)
            t->verdict[i].warning = t->warning.size ? abdb_trim_in_place(t->warning.data) : NULL;
    }
    for (size_t i = 0; !st && i < t->verdicts; i++)
        st = dcgm_import_or_reject_verdict(t->run, t->verdict, t->verdicts, i, locator, t->line,
                                           NULL, err);
    t->verdicts = 0;
    t->test = NULL;
    t->open = NULL;
    abdb_text_clear(&t->info);
    abdb_text_clear(&t->warning);
    abdb_arena_free(&t->arena);
    return st;
}

static abdb_status forget_table(table *t, abdb_error *err)
{
    abdb_status st = flush_test(t, err);

    t->category = NULL;
    t->run->settings = (abdb_settings){0};
    abdb_arena_free(&t->run->arena);
    return st;
}

/* "Pass", "Pass - All", "Fail - GPUs: 0, 2" and "GPU0: Pass". */
static void append_verdict(table *t, const char *cell)
{
    dcgm_verdict *v = &t->verdict[t->verdicts];
    const char *list = strstr(cell, " - "), *colon = strchr(cell, ':');
    size_t letters = strcspn(cell, "0123456789:- ");

    if (t->verdicts == VERDICTS_MAX) return;
    t->verdicts++;
    *v = (dcgm_verdict){.category = t->category, .test = t->test};
    if (!list && colon && isdigit((unsigned char)cell[letters])) {
        v->group = abdb_arena_copy(&t->arena, cell, letters);
        v->gpus = abdb_arena_copy(&t->arena, cell + letters, (size_t)(colon - cell) - letters);
        v->status = colon + 1 + strspn(colon + 1, " ");
    } else {
        v->status = list ? abdb_arena_copy(&t->arena, cell, (size_t)(list - cell)) : cell;
        if (list && strncmp(list + 3, "GPU", 3) == 0 && strchr(list, ':'))
            v->gpus = strchr(list, ':') + 1 + strspn(strchr(list, ':') + 1, " ");
    }
}

/* Opens the text of "Info", "Warning", "Info: GPU0". */
static void open_text(table *t, const char *name)
{
    const char *gpu = strstr(name, ": GPU");

    t->open = *name == 'I' ? &t->info : &t->warning;
    if (t->open->size) abdb_text_puts(t->open, ", ");
    if (gpu) abdb_text_printf(t->open, "GPU %s ", gpu + 5);
}

static bool name_is_of_text(const char *name)
{
    return strcmp(name, "Info") == 0 || strcmp(name, "Warning") == 0 ||
           strncmp(name, "Info: ", 6) == 0 || strncmp(name, "Warning: ", 9) == 0;
}

/* A row of two cells. `padded` is the second as it is printed, without the blank before it. */
static abdb_status take_row(table *t, const text_line *line, const char *name, const char *cell,
                            const char *padded, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    if (strcmp(name, "Diagnostic") == 0 && strcmp(cell, "Result") == 0) return forget_table(t, err);
    if (!t->category || strcmp(t->category, "Metadata") == 0) {
        if (*name)
            abdb_settings_set_or_count_lost(&t->run->settings, &t->run->arena, name,
                                            (int)strlen(name), cell, (int)strlen(cell));
        rename_settings(t->run);
        return st;
    }
    if (name_is_of_text(name) && t->test) {
        open_text(t, name);
    } else if (*name) {
        TRY(flush_test(t, err));
        t->line = line->number;
        t->test = abdb_arena_copy(&t->arena, name, strlen(name));
        append_verdict(t, abdb_arena_copy(&t->arena, cell, strlen(cell)));
        return ABDB_OK;
    } else if (t->test && !t->open) {
        append_verdict(t, abdb_arena_copy(&t->arena, cell, strlen(cell)));
        return ABDB_OK;
    }
    if (t->open) abdb_text_printf(t->open, "%.45s", padded);
    if (t->open && t->open->failed) return ABDB_FAIL(err, ABDB_NOMEM, "a text");
done:
    return st;
}

/* "|-----  Hardware  ----------+---": the category. */
static bool read_category(table *t, const char *text, abdb_error *err, abdb_status *st)
{
    const char *dashes = strstr(text, "-----  "), *end = dashes ? strstr(dashes + 7, "  --") : NULL;

    if (!end) return false;
    *st = strncmp(dashes + 7, "Deployment  ", 12) == 0 && t->category &&
                  strcmp(t->category, "Metadata") != 0
              ? forget_table(t, err) /* the first category of another run */
              : flush_test(t, err);
    t->category = abdb_arena_copy(&t->run->arena, dashes + 7, (size_t)(end - dashes - 7));
    return true;
}

static abdb_status import_line(void *self, const text_line *line, abdb_error *err)
{
    table *t = self;
    const char *text = line->text + strspn(line->text, " \t#"), *bar, *end;
    char *name, *cell, *padded;
    abdb_arena a = {0};
    abdb_status st = ABDB_OK;

    if (strncmp(text, "Successfully ran", 16) == 0 || strncmp(text, "```", 3) == 0)
        return forget_table(t, err);
    if ((*text == '+' || *text == '|') && read_category(t, text, err, &st)) return st;
    if (*text != '|') /* a line of dashes alone begins and ends a table */
        return *text != '+' || text[1] != '-' ? ABDB_OK
               : t->category                  ? forget_table(t, err)
                                              : flush_test(t, err);
    bar = strchr(text + 1, '|');
    end = bar ? strchr(bar + 1, '|') : NULL;
    if (!end || *(end + 1 + strspn(end + 1, " \t\r"))) {
        if (t->open) abdb_text_puts(t->open, ", "); /* what follows belongs to another sentence */
        return line_reject_and_end_row(t->run->sink, line, "", "not a name and a result", err);
    }
    name = abdb_arena_copy(&a, text + 1, (size_t)(bar - text - 1));
    padded =
        abdb_arena_copy(&a, bar + 1 + (bar[1] == ' '), (size_t)(end - bar - 1 - (bar[1] == ' ')));
    cell = abdb_arena_copy(&a, padded, strlen(padded));
    st = take_row(t, line, abdb_trim_in_place(name), abdb_trim_in_place(cell), padded, err);
    abdb_arena_free(&a);
    return st;
}

static abdb_status finish_table(void *self, abdb_error *err)
{
    return flush_test(self, err);
}

static abdb_status import_dcgm_diag(const abdb_input *in, const abdb_overrides *overrides,
                                    const abdb_sink *sink, abdb_error *err)
{
    dcgm_run run = {.words = overrides, .sink = sink, .left_out = in->left_out};
    const char *json = find_json_document_or_null(in);
    table t = {.run = &run};
    abdb_status st;

    if (json &&
        memmem(json, in->text_size - (size_t)(json - in->text), "\"test_categories\"", 17)) {
        run.entry = calloc(1, sizeof *run.entry);
        st = run.entry ? import_json(&run, in, json, err) : ABDB_FAIL(err, ABDB_NOMEM, "an entry");
        free(run.entry);
    } else {
        st = lines_deliver_each_with_entry(in, &run.entry, import_line, finish_table, &t, err);
    }
    abdb_text_free(&t.info);
    abdb_text_free(&t.warning);
    abdb_arena_free(&t.arena);
    abdb_arena_free(&run.arena);
    return st;
}

const abdb_importer abdb_import_dcgm_diag = {
    "dcgm-diag", "dcgmi diag: verdicts and numbers", 1, NULL, dcgm_diag_bid, import_dcgm_diag};

/* import_nvbandwidth.c - nvbandwidth: its console, and its JSON (-j).
 *
 * How twelve files disagree: the console of 0.1 has no title, no "Device N:" lines and no SUM; 0.2
 * on prints 0.00 on the diagonal, later ones N/A; 0.7 on adds COEFFICIENT_OF_VARIATION; launchers
 * and prompts stand between. A title, or a test for the second time, begins another run, of other
 * devices. The description names rows and columns ("CPU(row) -> GPU(column)"), and the direction of
 * an arrow changed for the same test; the test's name did not. Bandwidths are 10^9 byte/s,
 * latencies ns. JSON has the matrices as texts ("N/A"), the devices as "0: NAME (address): (host)".
 * SUM, minimum, maximum and mean follow from the cells. The input row is a row of a matrix.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/programs/nvbandwidth_cell.h"
#include "ingest/read/flat_records.h"
#include "ingest/read/text_lines.h"

enum { DESCRIPTION_SIZE = 120, COLUMNS_MAX = NVB_DEVICES_MAX };

static bool is_nvbandwidth_json(const abdb_input *in)
{
    return abdb_flat_has_all_keys_or_columns(in, "\"nvbandwidth\"|\"testcases\"");
}

/* 90 for its JSON, 82 for its console, else 0. */
static int nvbandwidth_bid(const abdb_input *in)
{
    if (is_nvbandwidth_json(in)) return 90;
    return lines_any_in_first_part_begins_with(in, "memcpy ") &&
                   (lines_any_in_first_part_begins_with(in, "nvbandwidth Version") ||
                    lines_any_in_first_part_begins_with(in, "Running ")) &&
                   memmem(in->text, in->text_size, "(GB/s)", 6)
               ? 82
               : 0;
}

/* --- the console ------------------------------------------------------------------------------ */

enum { TESTCASES_MAX = 128 };

typedef struct {
    nvb_run run;
    char begun[TESTCASES_MAX][NVB_NAME_SIZE]; /* tests of this run so far */
    size_t begun_count;
    char testcase[NVB_NAME_SIZE], description[DESCRIPTION_SIZE];
    long column[COLUMNS_MAX]; /* numbers of the columns of the matrix at hand */
    size_t columns;
    bool described; /* a description stands above, its header is the next line of numbers */
} console;

/* Another run begins: nothing of the one before holds for it. */
static void forget_devices_tests_and_settings(console *c)
{
    memset(c->run.device, 0, sizeof c->run.device);
    c->run.settings = (abdb_settings){0};
    *c->testcase = '\0';
    c->begun_count = c->columns = 0;
    c->described = false;
}

static bool is_testcase_begun_in_this_run(const console *c, const char *testcase)
{
    for (size_t i = 0; i < c->begun_count; i++)
        if (strcmp(c->begun[i], testcase) == 0) return true;
    return false;
}

/* "Running device_to_host_memcpy_ce." begins a test; one that was in the run already, a run. */
static bool begin_testcase_if_named_in_line(console *c, const text_line *line)
{
    const char *name =
        line->words > 1 && strcasecmp(line->word[0], "running") == 0 ? line->word[1] : NULL;
    char testcase[NVB_NAME_SIZE];

    if (!name) return false;
    snprintf(testcase, sizeof testcase, "%.*s", (int)strcspn(name, "."), name);
    if (is_testcase_begun_in_this_run(c, testcase)) forget_devices_tests_and_settings(c);
    memcpy(c->testcase, testcase, sizeof testcase);
    if (c->begun_count < TESTCASES_MAX)
        memcpy(c->begun[c->begun_count++], testcase, sizeof testcase);
    c->described = false;
    c->columns = 0;
    return true;
}

/* The numbers of the columns: the first line of whole numbers under a description. A comma cuts
 * words, so that no number of that line is known. */
static bool store_matrix_column_numbers(console *c, const text_line *line)
{
    if (!line->words || strchr(line->text, ',')) return false;
    for (size_t i = 0; i < line->words && i < COLUMNS_MAX; i++) {
        c->column[i] = line_word_as_index_or_minus_1(line, i);
        if (c->column[i] < 0) return false;
    }
    c->columns = line->words;
    return true;
}

static abdb_status reject_matrix_line_and_end_row(console *c, const text_line *line,
                                                  const char *reason, abdb_error *err)
{
    return line_reject_count_numbers_and_end_row(c->run.sink, line, c->testcase, reason, err);
}

/* A row of the matrix: the number of the row, then a value for each column. */
static abdb_status import_or_reject_matrix_row(console *c, const text_line *line, abdb_error *err)
{
    char locator[NVB_NAME_SIZE + 40];
    long row = line_word_as_index_or_minus_1(line, 0);
    bool added;
    abdb_status st = ABDB_OK;

    if (line->words != c->columns + 1)
        return reject_matrix_line_and_end_row(c, line,
                                              "not one value for each column of the matrix", err);
    if (row < 0) return reject_matrix_line_and_end_row(c, line, "no number of a row", err);
    for (size_t i = 0; i < c->columns; i++) {
        nvb_cell cell = {.testcase = c->testcase,
                         .description = c->description,
                         .value = line->word[i + 1],
                         .row = row,
                         .column = c->column[i],
                         .locator = locator,
                         .line = line->number};

        snprintf(locator, sizeof locator, "line %ld, column %ld", line->number, c->column[i]);
        TRY(nvb_import_cell_unless_absent(&c->run, &cell, &added, err));
    }
    TRY(c->run.sink->row_end(c->run.sink->self, err));
done:
    return st;
}

/* "Device 0: NVIDIA H100 80GB HBM3 (00000000:01:00)" */
static bool store_device_name_if_device_line(console *c, const text_line *line)
{
    const char *text = line->text + strspn(line->text, " \t"), *colon = strchr(text, ':');

    if (strncmp(text, "Device ", 7) != 0 || !colon || !isdigit((unsigned char)text[7]))
        return false;
    nvb_set_device_name(&c->run, (long)abdb_digits_parse_prefix_up_to_max_or(text + 7, 9999, -1),
                        colon + 1 + strspn(colon + 1, " "));
    return true;
}

/* Begins a run, a test or a matrix where the line does, and imports a row of a matrix. */
static abdb_status store_heading_or_import_matrix_line(void *self, const text_line *line,
                                                       abdb_error *err)
{
    console *c = self;
    const char *text = line->text + strspn(line->text, " \t");

    if (strncmp(text, "nvbandwidth Version", 19) == 0) forget_devices_tests_and_settings(c);
    if (store_device_name_if_device_line(c, line) || begin_testcase_if_named_in_line(c, line))
        return ABDB_OK;
    if (strstr(text, "(row)") || strstr(text, "GPU(column)")) {
        snprintf(c->description, sizeof c->description, "%s", text);
        c->described = true;
        c->columns = 0;
        return ABDB_OK;
    }
    if (!c->described) { /* versions stand before the first matrix */
        if (!*c->testcase)
            (void)abdb_settings_add_key_value_if_line_has_one(&c->run.settings, &c->run.arena,
                                                              text);
        return ABDB_OK;
    }
    if (!c->columns)
        return store_matrix_column_numbers(c, line) || !line_has_number_like_word(line)
                   ? ABDB_OK
                   : reject_matrix_line_and_end_row(
                         c, line, "the matrix has no numbers of columns above", err);
    if (!line->words || !isdigit((unsigned char)line->word[0][strspn(line->word[0], "+-")])) {
        c->described = false; /* a matrix ends at the first other line */
        return ABDB_OK;
    }
    return import_or_reject_matrix_row(c, line, err);
}

static abdb_status import_nvbandwidth_console(const abdb_input *in, const abdb_overrides *overrides,
                                              const abdb_sink *sink, abdb_error *err)
{
    console *c = calloc(1, sizeof *c);
    abdb_status st;

    if (!c) return ABDB_FAIL(err, ABDB_NOMEM, "a console");
    c->run.words = overrides;
    c->run.sink = sink;
    st = lines_deliver_each_without_mark(in, store_heading_or_import_matrix_line, c, err);
    abdb_arena_free(&c->run.arena);
    free(c);
    return st;
}

/* --- JSON ------------------------------------------------------------------------------------- */

/* What is read elsewhere, follows from the cells, or names a machine. */
static const char *const of_document[] = {
    "testcases*", "GPU Device list*", "GPU Device info*", "Hostname", "error", "warning", NULL};

/* "0: NVIDIA H100 (00000000:01:00): (host)" */
static void store_device_names_of_json_list(nvb_run *run, const json_t *document)
{
    const json_t *item;
    size_t i;

    json_array_foreach(json_object_get(document, "GPU Device list"), i, item)
    {
        const char *text = json_string_value(item), *colon = text ? strchr(text, ':') : NULL;

        if (colon)
            nvb_set_device_name(run,
                                (long)abdb_digits_parse_prefix_up_to_max_or(text, 9999, (long)i),
                                colon + 1 + strspn(colon + 1, " "));
    }
}

/* A test that failed is a reject; one that was waived has nothing to read. */
static abdb_status reject_testcase_if_failed(nvb_run *run, const json_t *test, size_t index,
                                             abdb_error *err)
{
    const char *status = json_string_value(json_object_get(test, "status"));
    const char *error = json_string_value(json_object_get(test, "error"));
    char field[40];
    abdb_reject reject = {.field = field, .reason = error ? error : "the test failed"};

    if (!error && (!status || strcasecmp(status, "error") != 0)) return ABDB_OK;
    snprintf(field, sizeof field, "testcases[%zu]", index);
    return run->sink->reject(run->sink->self, &reject, err);
}

/* One row of a test's matrix. */
static abdb_status import_json_matrix_row(nvb_run *run, nvb_cell *cell, const json_t *row,
                                          size_t test, abdb_error *err)
{
    char locator[80], number[32];
    const json_t *item;
    size_t column;
    bool added;
    abdb_status st = ABDB_OK;

    json_array_foreach(row, column, item)
    {
        if (json_is_number(item)) abdb_format_shortest_double(json_number_value(item), number);
        cell->value = json_is_number(item)   ? number
                      : json_is_string(item) ? json_string_value(item)
                                             : "N/A";
        cell->column = (long)column;
        cell->locator = locator;
        snprintf(locator, sizeof locator, "testcases[%zu].bandwidth_matrix[%ld][%zu]", test,
                 cell->row, column);
        TRY(nvb_import_cell_unless_absent(run, cell, &added, err));
    }
    TRY(run->sink->row_end(run->sink->self, err));
done:
    return st;
}

/* Imports each row of the matrix of one test case. */
static abdb_status import_json_testcase_matrix(nvb_run *run, const json_t *test, size_t index,
                                               abdb_error *err)
{
    const char *name = json_string_value(json_object_get(test, "name"));
    const char *description = json_string_value(json_object_get(test, "bandwidth_description"));
    const json_t *row;
    size_t i;
    abdb_status st = ABDB_OK;

    TRY(reject_testcase_if_failed(run, test, index, err));
    json_array_foreach(json_object_get(test, "bandwidth_matrix"), i, row)
    {
        nvb_cell cell = {.testcase = name,
                         .description = description ? description : "",
                         .row = (long)i,
                         .test = test};

        if (!name) TRY(ABDB_FAIL(err, ABDB_DATA, "testcases[%zu] has no name", index));
        TRY(import_json_matrix_row(run, &cell, row, index, err));
    }
done:
    return st;
}

static abdb_status import_nvbandwidth_json(const abdb_input *in, const abdb_overrides *overrides,
                                           const abdb_sink *sink, abdb_error *err)
{
    static const char *const beside_document[] = {"nvbandwidth.*", NULL};
    nvb_run *run = calloc(1, sizeof *run);
    json_t *root = NULL, *test;
    const json_t *document;
    size_t i;
    abdb_status st = ABDB_OK;

    if (!run) return ABDB_FAIL(err, ABDB_NOMEM, "a document");
    run->words = overrides;
    run->sink = sink;
    TRY(abdb_flat_parse_json_document_quoting_nan(&root, in, err));
    document = json_object_get(root, "nvbandwidth");
    store_device_names_of_json_list(run, document);
    abdb_flat_append_json_members_to_settings(&run->settings, document, of_document, &run->arena);
    abdb_flat_append_json_members_to_settings(&run->settings, root, beside_document, &run->arena);
    json_array_foreach(json_object_get(document, "testcases"), i, test)
        TRY(import_json_testcase_matrix(run, test, i, err));
done:
    json_decref(root);
    abdb_arena_free(&run->arena);
    free(run);
    return st;
}

static abdb_status import_nvbandwidth_json_or_console(const abdb_input *in,
                                                      const abdb_overrides *overrides,
                                                      const abdb_sink *sink, abdb_error *err)
{
    return (is_nvbandwidth_json(in) ? import_nvbandwidth_json
                                    : import_nvbandwidth_console)(in, overrides, sink, err);
}

const abdb_importer abdb_import_nvbandwidth = {
    "nvbandwidth",   "nvbandwidth: the console, or JSON (-j)", 2, NULL,
    nvbandwidth_bid, import_nvbandwidth_json_or_console};

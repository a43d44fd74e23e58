/* import_rocm_bandwidth.c - rocm-bandwidth-test: the console of -a, -A and of no option.
 *
 * How nine files disagree: 1.0 and 2.0 have no launch command and no UUID of a device, and print
 * six decimals; 1.0 writes "Bdirectional" and no "copy"; 2.6 prints three decimals. A processor has
 * no bus address behind its name; of posts that leave the addresses away nothing tells processors
 * and GPUs apart. Matrices of access, NUMA distance and latency stand between; only those of
 * bandwidth, in 10^9 byte/s, are read. N/A is a copy that was not made. The input row is a row of
 * a matrix.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/read/text_lines.h"

enum { DEVICES_MAX = 128, NAME_SIZE = 96 };

typedef struct {
    char name[NAME_SIZE];
    bool on_bus; /* a bus address stands behind it: a GPU */
} listed_device;

typedef struct {
    const abdb_overrides *words;
    const abdb_sink *sink;
    listed_device device[DEVICES_MAX];
    char version[24];
    const char *direction; /* of the matrix at hand; NULL: it is none of bandwidth */
    long column[DEVICES_MAX];
    size_t columns;
} state;

static int rocm_bandwidth_bid(const abdb_input *in)
{
    return memmem(in->text, in->text_size < BID_SIZE ? in->text_size : BID_SIZE,
                  "RocmBandwidthTest Version", 25) &&
                   lines_any_in_first_part_begins_with(in, "D/D")
               ? 86
               : 0;
}

/* "Device: 1,  AMD Instinct MI250X,  GPU-9318692173497dfc,  19:0.0" */
static void store_listed_device(state *s, const char *text)
{
    long number =
        (long)abdb_digits_parse_prefix_up_to_max_or(text + 7 + strspn(text + 7, " "), 9999, -1);
    const char *name = strchr(text, ','), *end, *last = strrchr(text, ',');
    listed_device *d;

    if (!name || number < 0 || number >= DEVICES_MAX) return;
    d = &s->device[number];
    name += 1 + strspn(name + 1, " ");
    end = strchr(name, ',');
    snprintf(d->name, sizeof d->name, "%.*s", (int)(end ? end - name : (long)strlen(name)), name);
    last += 1 + strspn(last + 1, " ");
    d->on_bus = end && isxdigit((unsigned char)*last) && strchr(last, ':') && strchr(last, '.');
}

/* From which kind of device to which; NULL: it cannot be told. */
static const char *route_of_copy_or_null(const listed_device *from, const listed_device *to,
                                         bool within)
{
    if (within) return "within_device";
    if (from->on_bus && to->on_bus) return "device_to_device";
    if (from->on_bus && *to->name) return "device_to_host";
    if (to->on_bus && *from->name) return "host_to_device";
    return NULL;
}

/* The device of a copy: the GPU of one with the host, both where they have one name. */
static const char *device_name_of_copy_or_null(const listed_device *from, const listed_device *to)
{
    if (strcmp(from->name, to->name) == 0) return *from->name ? from->name : NULL;
    if (from->on_bus != to->on_bus) return from->on_bus ? from->name : to->name;
    return NULL;
}

/* Imports a cell of a matrix as the bandwidth from the row's device to the column's. */
static abdb_status import_or_reject_matrix_cell(state *s, const text_line *line, long row,
                                                size_t column_index, abdb_error *err)
{
    long column = s->column[column_index];
    bool known = row >= 0 && row < DEVICES_MAX && column < DEVICES_MAX;
    static const listed_device unknown;
    const listed_device *from = known ? &s->device[row] : &unknown,
                        *to = known ? &s->device[column] : &unknown;
    bool host = from->on_bus != to->on_bus;
    char locator[48], gpu[24], peer[24];
    abdb_entry *entry;
    abdb_status st = ABDB_OK;

    if (strcmp(line->word[column_index + 1], "N/A") == 0) return ABDB_OK;
    entry = calloc(1, sizeof *entry);
    if (!entry) return ABDB_FAIL(err, ABDB_NOMEM, "an entry");
    snprintf(locator, sizeof locator, "line %ld, column %ld", line->number, column);
    snprintf(gpu, sizeof gpu, "%ld", host && !from->on_bus ? column : row);
    snprintf(peer, sizeof peer, "%ld", column);
    abdb_entry_set_measured_run(entry, "rocm-bandwidth-test", "rocm-bandwidth", locator,
                                line->number);
    entry->field[ABDB_FIELD_device] = device_name_of_copy_or_null(from, to);
    entry->field[ABDB_FIELD_devices] = host || row == column ? "1" : "2";
    entry->field[ABDB_FIELD_nodes] = "1";
    abdb_entry_add_factor_parsing_number(entry, "operation", s->direction);
    abdb_entry_add_factor_parsing_number(entry, "route",
                                         route_of_copy_or_null(from, to, row == column));
    abdb_entry_add_factor_parsing_number(entry, "gpu", gpu);
    if (!host && row != column) abdb_entry_add_factor_parsing_number(entry, "peer_gpu", peer);
    abdb_entry_add_factor_parsing_number(entry, "level", row == column ? "memory" : "wire");
    abdb_entry_add_factor_parsing_number(entry, "software", *s->version ? s->version : NULL);
    abdb_entry_add_printed_result_or_count_left_out(
        entry, "bytes_per_s", "max", line->word[column_index + 1], line->mark, "GB/s");
    if (entry->results) {
        abdb_entry_apply_overrides_and_check(entry, s->words);
        st = s->sink->entry(s->sink->self, entry, err);
    } else {
        abdb_reject reject = {.line = line->number,
                              .field = s->direction,
                              .reason = "no bandwidth above zero",
                              .raw = line->text};

        st = s->sink->reject(s->sink->self, &reject, err);
    }
    free(entry);
    return st;
}

static abdb_status reject_matrix_line_and_end_row(state *s, const text_line *line,
                                                  const char *reason, abdb_error *err)
{
    return line_reject_count_numbers_and_end_row(s->sink, line, s->direction, reason, err);
}

/* "D/D   0   1   2": the numbers of the columns. A comma cuts words, so that none is known. */
static bool store_matrix_column_numbers(state *s, const text_line *line)
{
    s->columns = 0;
    if (strchr(line->text, ',')) return false;
    for (size_t i = 1; i < line->words && i <= DEVICES_MAX; i++) {
        s->column[i - 1] = line_word_as_index_or_minus_1(line, i);
        if (s->column[i - 1] < 0) return false;
    }
    s->columns = line->words - 1;
    return true;
}

/* Imports the cells of a row; rejects one that does not fit the numbers of columns above. */
static abdb_status import_or_reject_matrix_row(state *s, const text_line *line, abdb_error *err)
{
    long row = line_word_as_index_or_minus_1(line, 0);
    abdb_status st = ABDB_OK;

    if (!s->columns)
        return reject_matrix_line_and_end_row(s, line, "the matrix has no numbers of columns above",
                                              err);
    if (line->words != s->columns + 1)
        return reject_matrix_line_and_end_row(s, line,
                                              "not one value for each column of the matrix", err);
    if (row < 0) return reject_matrix_line_and_end_row(s, line, "no number of a row", err);
    for (size_t i = 0; i < s->columns; i++) TRY(import_or_reject_matrix_cell(s, line, row, i, err));
    TRY(s->sink->row_end(s->sink->self, err));
done:
    return st;
}

/* "Unidirectional copy peak bandwidth GB/s" begins a matrix that is read, any other words one that
 * is not. */
static abdb_status store_heading_or_import_matrix_line(void *self, const text_line *line,
                                                       abdb_error *err)
{
    state *s = self;
    const char *text = line->text + strspn(line->text, " \t");

    if (strncmp(text, "Device:", 7) == 0) {
        store_listed_device(s, text);
    } else if (strncmp(text, "RocmBandwidthTest Version:", 26) == 0) {
        memset(s->device, 0, sizeof s->device);
        text += 26 + strspn(text + 26, " ");
        snprintf(s->version, sizeof s->version, "%.*s", (int)strcspn(text, " \r"), text);
        s->direction = NULL;
    } else if (line->words && strcmp(line->word[0], "D/D") == 0) {
        if (!store_matrix_column_numbers(s, line) && s->direction)
            return reject_matrix_line_and_end_row(s, line, "a column that has no number", err);
    } else if (isalpha((unsigned char)*text)) {
        s->direction = !strstr(text, "bandwidth GB/s") ? NULL
                       : strncmp(text, "Uni", 3) == 0  ? "unidirectional"
                       : strstr(text, "directional")   ? "bidirectional"
                                                       : NULL;
        s->columns = 0;
    } else if (s->direction && line_has_number_like_word(line)) {
        return import_or_reject_matrix_row(s, line, err);
    }
    return ABDB_OK;
}

static abdb_status import_rocm_bandwidth_console(const abdb_input *in,
                                                 const abdb_overrides *overrides,
                                                 const abdb_sink *sink, abdb_error *err)
{
    state *s = calloc(1, sizeof *s);
    abdb_status st;

    if (!s) return ABDB_FAIL(err, ABDB_NOMEM, "a console");
    s->words = overrides;
    s->sink = sink;
    st = lines_deliver_each_with_mark(in, lines_find_decimal_mark_by_number_rows(in),
                                      store_heading_or_import_matrix_line, s, err);
    free(s);
    return st;
}

const abdb_importer abdb_import_rocm_bandwidth = {"rocm-bandwidth-test",
                                                  "rocm-bandwidth-test: matrices of bandwidths",
                                                  1,
                                                  NULL,
                                                  rocm_bandwidth_bid,
                                                  import_rocm_bandwidth_console};

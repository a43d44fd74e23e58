/* import_bandwidth_test.c - bandwidthTest of the CUDA samples: the console, and its CSV lines.
 *
 * How ten files disagree: before 10.0 MB/s (10^6 byte/s), later GB/s; "Quick Mode" copies one
 * size, "Range" and "Shmoo" many; PINNED and PAGEABLE stand above the table; --csv prints
 * "bandwidthTest-H2D-Pinned, Bandwidth = 12.4 GB/s, Time = ..., Size = 32000000 bytes, ...". The
 * device is "Device 0: NAME", without it unknown. The copy within a device counts reads and
 * writes. The input row is a line of a table.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/read/text_lines.h"

typedef struct {
    const abdb_overrides *words;
    const abdb_sink *sink;
    char device[96], operation[24], memory[16], unit[8], mode[32];
    long devices;
    unsigned begun; /* directions of this run so far, a bit each */
} state;

/* 84 for a printed table of sizes and bandwidths and for a line of the CSV; else 0. */
static int bandwidth_test_bid(const abdb_input *in)
{
    return (lines_have_table_header_and_number_row(in, "Transfer", "Size|(Bytes)|Bandwidth(GB/s)",
                                                   2) ||
            lines_have_table_header_and_number_row(in, "Transfer", "Size|(Bytes)|Bandwidth(MB/s)",
                                                   2) ||
            lines_any_in_first_part_begins_with(in, "bandwidthTest-H2D") ||
            lines_any_in_first_part_begins_with(in, "bandwidthTest-D2H") ||
            lines_any_in_first_part_begins_with(in, "bandwidthTest-D2D"))
               ? 84
               : 0;
}

/* One size of one direction. */
static abdb_status import_or_reject_copy_bandwidth(state *s, const text_line *line,
                                                   const char *size, const char *rate,
                                                   abdb_error *err)
{
    abdb_entry *entry = calloc(1, sizeof *entry);
    char locator[32];
    abdb_status st = ABDB_OK;

    if (!entry) return ABDB_FAIL(err, ABDB_NOMEM, "an entry");
    snprintf(locator, sizeof locator, "line %ld", line->number);
    abdb_entry_set_measured_run(entry, "cuda-samples", "memory-copy", locator, line->number);
    entry->field[ABDB_FIELD_device] = *s->device && s->devices == 1 ? s->device : NULL;
    entry->field[ABDB_FIELD_devices] = "1";
    entry->field[ABDB_FIELD_nodes] = "1";
    abdb_entry_add_factor_parsing_number(entry, "operation", s->operation);
    abdb_entry_add_factor_parsing_number(entry, "memory", *s->memory ? s->memory : NULL);
    abdb_entry_add_factor_parsing_number(entry, "bytes", size);
    abdb_entry_add_factor_parsing_number(
        entry, "level", strcmp(s->operation, "device_to_device") == 0 ? "memory" : "wire");
    abdb_entry_add_factor_parsing_number(entry, "mode", *s->mode ? s->mode : NULL);
    abdb_entry_add_printed_result_or_count_left_out(entry, "bytes_per_s", "value", rate, line->mark,
                                                    s->unit);
    if (entry->results) {
        TRY(abdb_entry_check_and_deliver_row(entry, s->words, s->sink, err));
    } else {
        TRY(line_reject_and_end_row(s->sink, line, "Bandwidth",
                                    entry->doubt ? entry->doubt : "no bandwidth above zero", err));
    }
done:
    free(entry);
    return st;
}

static const char *const directions[][3] = {{"Host to Device", "H2D", "host_to_device"},
                                            {"Device to Host", "D2H", "device_to_host"},
                                            {"Device to Device", "D2D", "device_to_device"}};

/* Another run begins: its device and mode are not known yet. */
static void reset_device_and_mode_for_new_run(state *s)
{
    *s->device = *s->mode = '\0';
    s->devices = 0;
    s->begun = 0;
}

/* "Host to Device Bandwidth, 1 Device(s)", "PINNED Memory Transfers", "Quick Mode". */
static void store_direction_memory_unit_mode_of_line(state *s, const char *text)
{
    for (size_t i = 0; i < 3; i++) {
        size_t size = strlen(directions[i][0]);

        if (strncmp(text, directions[i][0], size) != 0 ||
            strncmp(text + size, " Bandwidth", 10) != 0)
            continue;
        if (s->begun & 1U << i)
            reset_device_and_mode_for_new_run(s); /* a direction comes once in a run */
        s->begun |= 1U << i;
        snprintf(s->operation, sizeof s->operation, "%s", directions[i][2]);
        *s->unit = *s->memory = '\0';
    }
    if (strstr(text, "Memory Transfers") && (*text == 'P'))
        snprintf(s->memory, sizeof s->memory, "%s", text[1] == 'I' ? "pinned" : "pageable");
    if (strstr(text, "Bandwidth(GB/s)")) snprintf(s->unit, sizeof s->unit, "GB/s");
    if (strstr(text, "Bandwidth(MB/s)")) snprintf(s->unit, sizeof s->unit, "MB/s");
    if (strlen(text) < sizeof s->mode && strstr(text, " Mode")) {
        if (s->begun) reset_device_and_mode_for_new_run(s);
        snprintf(s->mode, sizeof s->mode, "%.*s", (int)strcspn(text, " "), text);
    }
}

/* "bandwidthTest-H2D-Pinned, Bandwidth = 12.4 GB/s, Time = ..., Size = 32000000 bytes, ..." */
static abdb_status import_or_reject_bandwidth_csv_line(state *s, const text_line *line,
                                                       const char *text, abdb_error *err)
{
    const char *rate = strstr(text, "Bandwidth = "), *size = strstr(text, "Size = ");
    char value[32], bytes[32];

    for (size_t i = 0; i < 3; i++)
        if (strncmp(text + 14, directions[i][1], 3) == 0)
            snprintf(s->operation, sizeof s->operation, "%s", directions[i][2]);
    if (!rate || !size)
        return line_reject_and_end_row(s->sink, line, "Bandwidth", "no bandwidth and size", err);
    snprintf(s->memory, sizeof s->memory, "%s", strstr(text, "-Paged") ? "pageable" : "pinned");
    snprintf(value, sizeof value, "%.*s", (int)strcspn(rate + 12, " "), rate + 12);
    snprintf(s->unit, sizeof s->unit, "%s", strstr(rate, " MB/s") ? "MB/s" : "GB/s");
    snprintf(bytes, sizeof bytes, "%.*s", (int)strcspn(size + 7, " "), size + 7);
    return import_or_reject_copy_bandwidth(s, line, bytes, value, err);
}

static abdb_status store_heading_or_import_bandwidth_line(void *self, const text_line *line,
                                                          abdb_error *err)
{
    state *s = self;
    const char *text = line->text + strspn(line->text, " \t#");

    if (strncmp(text, "bandwidthTest-", 14) == 0)
        return import_or_reject_bandwidth_csv_line(s, line, text, err);
    if (strncmp(text, "Device ", 7) == 0 && strchr(text, ':')) {
        if (s->begun) reset_device_and_mode_for_new_run(s);
        snprintf(s->device, sizeof s->device, "%s",
                 strchr(text, ':') + 1 + strspn(strchr(text, ':') + 1, " "));
        s->devices++;
        return ABDB_OK;
    }
    if (strstr(text, "Bandwidth Test] - Starting") || strncmp(text, "Result = ", 9) == 0)
        reset_device_and_mode_for_new_run(s);
    store_direction_memory_unit_mode_of_line(s, text);
    if (!*s->unit || !*s->operation || !(line_word_number_or_nan(line, 0) > 0)) return ABDB_OK;
    if (line->words != 2)
        return line_reject_count_numbers_and_end_row(s->sink, line, "",
                                                     "not a size and a bandwidth", err);
    return import_or_reject_copy_bandwidth(s, line, line->word[0], line->word[1], err);
}

static abdb_status import_bandwidth_test_lines(const abdb_input *in,
                                               const abdb_overrides *overrides,
                                               const abdb_sink *sink, abdb_error *err)
{
    state s = {.words = overrides, .sink = sink};

    return lines_deliver_each_with_mark(in, lines_find_decimal_mark_by_number_rows(in),
                                        store_heading_or_import_bandwidth_line, &s, err);
}

const abdb_importer abdb_import_bandwidth_test = {
    "cuda-bandwidth-test", "bandwidthTest of the CUDA samples", 2, NULL,
    bandwidth_test_bid,    import_bandwidth_test_lines};

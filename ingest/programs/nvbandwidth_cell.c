/* nvbandwidth_cell.c - see nvbandwidth_cell.h. */
#include "ingest/programs/nvbandwidth_cell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void nvb_set_device_name(nvb_run *run, long number, const char *text)
{
    const char *end = strstr(text, " (");
    int size = end ? (int)(end - text) : (int)strlen(text);

    while (size && (text[size - 1] == ' ' || text[size - 1] == ':')) size--;
    if (number < 0 || number >= NVB_DEVICES_MAX || size >= NVB_NAME_SIZE) return;
    snprintf(run->device[number], NVB_NAME_SIZE, "%.*s", size, text);
}

/* The name of the device that the cell is about; NULL: unknown, or two of different names. */
static const char *device_name_of_cell_or_null(const nvb_run *run, const nvb_cell *cell, bool pair)
{
    bool known = cell->column >= 0 && cell->column < NVB_DEVICES_MAX && cell->row >= 0 &&
                 cell->row < NVB_DEVICES_MAX;
    const char *name = known ? run->device[cell->column] : "";

    if (!*name || (pair && strcmp(name, run->device[cell->row]) != 0)) return NULL;
    return name;
}

/* Settings that are read elsewhere, or name machines and times. */
static const char *const noise[] = {"Device *", "NOTE", "Running *", "Waived", "SUM *", NULL};

/* Of a test in JSON: read elsewhere, or what follows from the cells. */
static const char *const of_test[] = {
    "name",    "status", "bandwidth_description", "bandwidth_matrix*", "sum", "min", "max",
    "average", NULL};

/* A test among devices has rows that are devices; one of the host has a row for the host. */
static abdb_status import_or_reject_bandwidth_cell(nvb_run *run, const nvb_cell *cell, bool pair,
                                                   abdb_error *err)
{
    abdb_entry *entry = calloc(1, sizeof *entry);
    bool local = strstr(cell->testcase, "device_local") != NULL;
    bool latency = strstr(cell->description, "(ns)") != NULL;
    char gpu[24], peer[24];
    abdb_status st = ABDB_OK;

    if (!entry) return ABDB_FAIL(err, ABDB_NOMEM, "an entry");
    abdb_entry_set_measured_run(entry, "nvbandwidth", "nvbandwidth", cell->locator, cell->line);
    entry->field[ABDB_FIELD_device] = device_name_of_cell_or_null(run, cell, pair);
    entry->field[ABDB_FIELD_devices] = pair ? "2" : "1";
    entry->field[ABDB_FIELD_nodes] = strstr(cell->testcase, "multinode") ? NULL : "1";
    snprintf(gpu, sizeof gpu, "%ld", pair ? cell->row : cell->column);
    snprintf(peer, sizeof peer, "%ld", cell->column);
    abdb_entry_add_factor_parsing_number(entry, "testcase", cell->testcase);
    abdb_entry_add_factor_parsing_number(entry, "gpu", gpu);
    if (pair) abdb_entry_add_factor_parsing_number(entry, "peer_gpu", peer);
    abdb_entry_add_factor_parsing_number(entry, "level", local ? "memory" : "wire");
    abdb_entry_add_settings_as_factors(entry, &run->settings, noise, &run->arena);
    if (cell->test)
        abdb_flat_add_json_members_as_factors(entry, NULL, cell->test, of_test, &run->arena);
    abdb_entry_add_printed_result_or_count_left_out(entry, latency ? "time_s" : "bytes_per_s",
                                                    "value", cell->value, ABDB_MARK_UNKNOWN,
                                                    latency ? "ns" : "GB/s");
    if (entry->results) {
        abdb_entry_apply_overrides_and_check(entry, run->words);
        st = run->sink->entry(run->sink->self, entry, err);
    } else {
        abdb_reject reject = {.line = cell->line,
                              .field = cell->testcase,
                              .reason = "no bandwidth: no number above zero",
                              .raw = cell->value};

        abdb_add_thread_values_read(1);
        st = run->sink->reject(run->sink->self, &reject, err);
    }
    free(entry);
    return st;
}

abdb_status nvb_import_cell_unless_absent(nvb_run *run, const nvb_cell *cell, bool *is_counted,
                                          abdb_error *err)
{
    bool pair = strstr(cell->description, "GPU(row)") && strstr(cell->description, "GPU(column)");
    double value;

    *is_counted = false;
    if (strcmp(cell->value, "N/A") == 0) return ABDB_OK;
    if (pair && cell->row == cell->column &&
        abdb_double_parse(cell->value, ABDB_MARK_UNKNOWN, &value) && value == 0)
        return ABDB_OK; /* before 0.4 a device and itself had 0.00 */
    *is_counted = true;
    return import_or_reject_bandwidth_cell(run, cell, pair, err);
}

/* import_zeus.c - Zeus: windows of a ZeusMonitor's log, and profiles of its power-limit optimizer.
 *
 * How the 12 logs of its repository (A40, V100), its replaying monitor and two programs that extend
 * the log disagree: a log has a column for each GPU that the process watches, so their number
 * differs, and their indices need not begin at 0; programs append columns of their own; windows of
 * the optimizer have the power limit in their name. Logs state neither device nor program. A
 * profile has one energy for all processes and no number of GPUs. A window shorter than the
 * counter's update has an energy of 0: such a row is rejected. Energies are joules by the GPUs' own
 * counters. The input row is a window, or a measurement of a profile.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/read/flat_records.h"

static const char optimizer_prefix[] = "__GlobalPowerLimitOptimizer_";

typedef struct {
    const abdb_overrides *words;
    const abdb_sink *sink;
} state;

static bool is_profile(const abdb_input *in)
{
    return abdb_flat_has_all_keys_or_columns(
        in, "\"measurements\"|\"power_limit\"|\"energy\"|\"time\"");
}

static int zeus_bid(const abdb_input *in)
{
    return abdb_flat_has_all_keys_or_columns(in, "start_time|window_name|elapsed_time") ? 90
           : is_profile(in)                                                             ? 84
                                                                                        : 0;
}

/* The index of "gpu3_energy"; -1: the name is another. */
static long gpu_index_of_column(const char *name)
{
    unsigned long long index;
    size_t digits;

    if (strncmp(name, "gpu", 3) != 0) return -1;
    digits = abdb_digits_parse_prefix(name + 3, 10, &index);
    return digits && index < 1024 && strcmp(name + 3 + digits, "_energy") == 0 ? (long)index : -1;
}

/* A header has words where a window has numbers. */
static bool is_header_of_another_log(const void *self, const abdb_flat_record *record)
{
    static const char *const names[] = {"start_time", "window_name", "elapsed_time"};

    (void)self;
    if (record->items < 3) return false;
    for (size_t i = 0; i < 3; i++)
        if (strcmp(record->item[i].name, names[i]) != 0) return false;
    return true;
}

static void set_run_measured_by_counters(abdb_entry *entry, const abdb_flat_record *r,
                                         const char *workload, const char *window)
{
    abdb_entry_set_measured_run(entry, "zeus", workload, r->locator, r->line);
    abdb_entry_add_factor_parsing_number(entry, "power_definition", "counters");
    abdb_entry_add_factor_parsing_number(entry, "energy_scope", "gpu");
    abdb_entry_add_factor_parsing_number(entry, "power_meter", "Zeus");
    abdb_entry_add_factor_parsing_number(entry, "power_window", window);
}

/* Adds the energy of each GPU, and their sum as the window's. Returns the name of the first column
 * that is no energy above zero, or NULL. *gpus: how many there are. */
static const char *add_energies_return_bad_column(abdb_entry *entry, const abdb_flat_record *r,
                                                  size_t *gpus)
{
    double sum = 0;
    abdb_result *result = NULL;

    *gpus = 0;
    for (size_t i = 0; i < r->items; i++) {
        long gpu = gpu_index_of_column(r->item[i].name);

        if (gpu < 0) continue;
        result = abdb_entry_add_printed_result_or_count_left_out(
            entry, "energy_j", "value", abdb_flat_text_or_null_mark_asked(r, r->item[i].name),
            r->item[i].mark, "J");
        if (!result) return r->item[i].name;
        result->rank = gpu;
        sum += result->value;
        (*gpus)++;
    }
    if (*gpus == 1)
        result->rank = -1; /* the window's energy is its only GPU's */
    else if (*gpus)
        (void)abdb_entry_add_result_or_count_left_out(entry, "energy_j", sum);
    return *gpus ? NULL : "gpu0_energy";
}

/* "__GlobalPowerLimitOptimizer_250" is a window of the optimizer under a limit of 250 W. */
static const char *workload_of_window_adding_power_limit(abdb_entry *entry, const char *window)
{
    size_t size = strlen(optimizer_prefix);

    if (!window || strncmp(window, optimizer_prefix, size) != 0 || !window[size] ||
        window[size + strspn(window + size, "0123456789")])
        return window;
    abdb_entry_add_factor_parsing_number(entry, "device_power_limit", window + size);
    return "power-limit-profile";
}

static abdb_status import_or_reject_window(void *self, const abdb_flat_record *r, abdb_error *err)
{
    static const char *const noise[] = {"start_time", NULL};
    const state *s = self;
    abdb_entry *entry = calloc(1, sizeof *entry);
    const char *window = abdb_flat_text_or_null_mark_asked(r, "window_name"), *bad;
    abdb_arena a = {0};
    size_t gpus;
    abdb_status st = ABDB_OK;

    if (!entry) return ABDB_FAIL(err, ABDB_NOMEM, "an entry");
    bad = add_energies_return_bad_column(entry, r, &gpus);
    if (!abdb_entry_add_printed_result_or_count_left_out(
            entry, "time_s", "value", abdb_flat_text_or_null_mark_asked(r, "elapsed_time"),
            abdb_flat_decimal_mark(r, "elapsed_time"), "s"))
        bad = "elapsed_time";
    if (!window || bad) {
        TRY(abdb_flat_reject_and_end_row(
            s->sink, r, window ? bad : "window_name",
            !window ? "no name of a window"
            : strcmp(bad, "elapsed_time") == 0
                ? "no time above zero"
                : "no energy above zero; a short window ends before its counter is updated",
            err));
        goto done;
    }
    set_run_measured_by_counters(entry, r, workload_of_window_adding_power_limit(entry, window),
                                 "whole run");
    entry->field[ABDB_FIELD_devices] = abdb_arena_printf(&a, "%zu", gpus);
    abdb_entry_add_factor_parsing_number(entry, "power_coverage", "all GPUs of the run");
    abdb_flat_add_unread_values_as_factors(entry, r, noise, &a);
    abdb_flat_copy_doubt_to_entry(entry, r);
    TRY(abdb_entry_check_and_deliver_row(entry, s->words, s->sink, err));
done:
    free(entry);
    abdb_arena_free(&a);
    return st;
}

static abdb_status import_or_reject_measurement_of_profile(void *self, const abdb_flat_record *r,
                                                           abdb_error *err)
{
    const state *s = self;
    abdb_entry *entry = calloc(1, sizeof *entry);
    abdb_arena a = {0};
    abdb_status st = ABDB_OK;

    if (!entry) return ABDB_FAIL(err, ABDB_NOMEM, "an entry");
    if (!abdb_entry_add_printed_result_or_count_left_out(
            entry, "energy_j", "value", abdb_flat_text_or_null_mark_asked(r, "energy"),
            ABDB_MARK_POINT, "J") ||
        !abdb_entry_add_printed_result_or_count_left_out(
            entry, "time_s", "value", abdb_flat_text_or_null_mark_asked(r, "time"), ABDB_MARK_POINT,
            "s")) {
        TRY(abdb_flat_reject_and_end_row(s->sink, r, "energy", "no energy and time above zero",
                                         err));
        goto done;
    }
    set_run_measured_by_counters(entry, r, "power-limit-profile", "whole run");
    abdb_entry_add_factor_parsing_number(entry, "device_power_limit",
                                         abdb_flat_text_or_null_mark_asked(r, "power_limit"));
    abdb_flat_add_unread_values_as_factors(entry, r, NULL, &a);
    TRY(abdb_entry_check_and_deliver_row(entry, s->words, s->sink, err));
done:
    free(entry);
    abdb_arena_free(&a);
    return st;
}

static abdb_status import_zeus_windows(const abdb_input *in, const abdb_overrides *overrides,
                                       const abdb_sink *sink, abdb_error *err)
{
    state s = {overrides, sink};

    return is_profile(in)
               ? abdb_flat_deliver_objects_of_json_member(
                     in, "measurements", import_or_reject_measurement_of_profile, &s, err)
               : abdb_flat_deliver_records_with_header_check(in, sink, is_header_of_another_log,
                                                             import_or_reject_window, &s, err);
}

const abdb_importer abdb_import_zeus = {"zeus",   "Zeus: windows of energy, power-limit profiles",
                                        1,        NULL,
                                        zeus_bid, import_zeus_windows};

/* import_nvbench.c - NVBench JSON (--json).
 *
 * From the one real file (0.1.0, two devices, 126 states) and the form's version 1.0.0: a benchmark
 * has states, one for each device and value of its axes; a state has summaries, each a tag and a
 * value printed as text. Kept are the mean time on the device with its relative deviation and the
 * rate of global memory, of isolated launches (cold), and the mean time of launches in a row
 * (batch, an entry of its own: another quantity), and whether a verification of the benchmark's own
 * failed. Host times and utilisation are ignored, and so
 * are states that the benchmark skipped. The input row is a state.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/read/flat_records.h"
#include "ingest/read/unknown_factor.h"

typedef struct {
    const abdb_overrides *words;
    const abdb_sink *sink;
    abdb_left_out *left_out;
    const json_t *root, *devices, *meta, *of_benchmark;
    const char *benchmark, *version;
    char locator[96];
} state;

static int nvbench_bid(const abdb_input *in)
{
    return abdb_flat_has_all_keys_or_columns(in, "\"meta\"|\"nvbench\"|\"devices\"") ? 85 : 0;
}

static const char *json_text_member_or_null(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

/* "nv/cold/time/gpu/mean" -> its value as printed, or NULL. */
static const char *find_summary_value_of_launch_mode(const json_t *state_json, const char *mode,
                                                     const char *tag_rest)
{
    const json_t *summary, *datum;
    char tag[64];
    size_t i, k;

    snprintf(tag, sizeof tag, "nv/%s/%s", mode, tag_rest);
    json_array_foreach(json_object_get(state_json, "summaries"), i, summary)
    {
        const char *here = json_text_member_or_null(summary, "tag");

        if (!here || strcmp(here, tag) != 0) continue;
        json_array_foreach(json_object_get(summary, "data"), k, datum)
        {
            const char *name = json_text_member_or_null(datum, "name");

            if (name && strcmp(name, "value") == 0) return json_text_member_or_null(datum, "value");
        }
    }
    return NULL;
}

/* Does a summary of the benchmark's own, "acme/verification/pass", say 0 or false? */
static bool benchmark_own_verification_failed(const json_t *state_json)
{
    const json_t *summary, *datum;
    size_t i, k;

    json_array_foreach(json_object_get(state_json, "summaries"), i, summary)
    {
        const char *tag = json_text_member_or_null(summary, "tag"), *last;

        if (!tag || strncmp(tag, "nv/", 3) == 0 || !strcasestr(tag, "verif")) continue;
        last = strrchr(tag, '/');
        json_array_foreach(json_object_get(summary, "data"), k, datum)
        {
            const char *value = json_text_member_or_null(datum, "value");
            bool zero = value && (strcmp(value, "0") == 0 || strcasecmp(value, "false") == 0 ||
                                  strcasecmp(value, "fail") == 0);

            /* of ".../failed" and ".../errors" 0 is good */
            if (last && (strcasestr(last, "fail") || strcasestr(last, "err")) ? value && !zero
                                                                              : zero)
                return true;
        }
    }
    return false;
}

/* Adds each axis of a state as a factor. */
static void add_axis_factors(abdb_entry *entry, const json_t *state_json, abdb_arena *a)
{
    const json_t *axis;
    size_t i;

    json_array_foreach(json_object_get(state_json, "axis_values"), i, axis)
    {
        const char *name = json_text_member_or_null(axis, "name");
        const json_t *value = json_object_get(axis, "value");

        if (!name || !*name) continue;
        if (json_is_string(value))
            abdb_entry_add_factor_parsing_number(entry, name, json_string_value(value));
        else if (json_is_number(value))
            abdb_entry_add_factor_parsing_number(
                entry, name, abdb_arena_printf(a, "%.17g", json_number_value(value)));
    }
}

/* The device that a state ran on; NULL: the document does not list it. */
static const json_t *json_device_of_state_or_null(const state *s, const json_t *state_json)
{
    json_int_t id = json_integer_value(json_object_get(state_json, "device"));
    const json_t *device;
    size_t i;

    json_array_foreach(s->devices, i, device)
    {
        if (json_integer_value(json_object_get(device, "id")) == id) return device;
    }
    return NULL;
}

/* Values of summaries that are neither read nor noise. */
static void add_unread_summaries_as_factors(abdb_entry *entry, const json_t *state_json,
                                            const char *mode, abdb_arena *a)
{
    /* Read above; on the host; what follows from the mean; the place of raw samples. */
    static const char *const ignored[] = {"nv/*/sample_size",
                                          "nv/*/time/gpu/mean",
                                          "nv/*/time/gpu/stdev/*",
                                          "nv/*/time/cpu/*",
                                          "nv/*/bw/global/*",
                                          "nv/*/bw/item_rate",
                                          "nv/*/walltime",
                                          "nv/*/time/gpu/m*",
                                          "nv/json/*",
                                          NULL};
    const json_t *summary, *datum;
    size_t i, k;
    char before[16];

    snprintf(before, sizeof before, "nv/%s/", mode);
    json_array_foreach(json_object_get(state_json, "summaries"), i, summary)
    {
        const char *tag = json_text_member_or_null(summary, "tag");

        /* Tags of a program's own hold for all modes. */
        if (!tag || (strncmp(tag, "nv/", 3) == 0 && strncmp(tag, before, strlen(before)) != 0))
            continue;
        json_array_foreach(json_object_get(summary, "data"), k, datum)
        {
            const char *name = json_text_member_or_null(datum, "name");

            if (name && strcmp(name, "value") == 0)
                abdb_entry_add_renamed_extra_factor_unless_ignored(
                    entry, tag, json_text_member_or_null(datum, "value"), ABDB_MARK_UNKNOWN,
                    ignored, a);
        }
    }
}

/* What else the state, its benchmark, the device and the file say. */
static void add_unread_members_as_factors(const state *s, abdb_entry *entry,
                                          const json_t *state_json, const json_t *device,
                                          abdb_arena *a)
{
    static const char *const of_state[] = {"name",
                                           "device",
                                           "type_config_index",
                                           "is_skipped",
                                           "skip_reason",
                                           "axis_values.count",
                                           "summaries.count",
                                           NULL};
    static const char *const of_benchmark[] = {"name",       "index",         "states.count",
                                               "axes.count", "devices.count", NULL};
    /* What follows from the name of the device, and what is its own. */
    static const char *const of_device[] = {"device.id",          "device.name",
                                            "device.pci_*",       "device.uuid",
                                            "device.global_*",    "device.l2_cache_size",
                                            "device.max_*",       "device.number_of_sms",
                                            "device.registers_*", "device.shared_memory_*",
                                            "device.sm_*",        NULL};
    static const char *const of_file[] = {"meta.argv",
                                          "meta.argv.count",
                                          "meta.version.json.*",
                                          "meta.version.nvbench.string",
                                          "meta.version.nvbench.major",
                                          "meta.version.nvbench.minor",
                                          "meta.version.nvbench.patch",
                                          "meta.version.nvbench.git_*",
                                          NULL};

    static const char *const of_root[] = {"meta.*", "devices.*", "benchmarks.*", NULL};

    abdb_flat_add_json_members_as_factors(entry, NULL, state_json, of_state, a);
    abdb_flat_add_json_members_as_factors(entry, NULL, s->of_benchmark, of_benchmark, a);
    abdb_flat_add_json_members_as_factors(entry, "device", device, of_device, a);
    abdb_flat_add_json_members_as_factors(entry, "meta", s->meta, of_file, a);
    abdb_flat_add_json_members_as_factors(entry, NULL, s->root, of_root, a);
}

/* Imports the times of a state in one mode ("cold": isolated, "batch"); *kept: there was one. */
static abdb_status import_entry_of_launch_mode(state *s, const json_t *state_json, const char *mode,
                                               bool *kept, abdb_error *err)
{
    abdb_entry *entry = calloc(1, sizeof *entry);
    abdb_arena a = {0};
    const char *samples = find_summary_value_of_launch_mode(state_json, mode, "sample_size");
    const char *relative =
        find_summary_value_of_launch_mode(state_json, mode, "time/gpu/stdev/relative");
    abdb_result *result;
    double number;
    abdb_status st = ABDB_OK;

    if (!entry) return ABDB_FAIL(err, ABDB_NOMEM, "an entry");
    result = abdb_entry_add_printed_result_or_count_left_out(
        entry, "time_s", "mean",
        find_summary_value_of_launch_mode(state_json, mode, "time/gpu/mean"), ABDB_MARK_UNKNOWN,
        "s");
    if (!result) {
        abdb_left_out_count_values_of_entry(s->left_out, entry);
        goto done;
    }
    if (samples)
        (void)abdb_integer_parse_in_range(samples, ABDB_MARK_UNKNOWN, 1, 1LL << 53, &result->n);
    if (relative && abdb_double_parse(relative, ABDB_MARK_UNKNOWN, &number) && number >= 0) {
        result->low = result->value * (1 - number);
        result->high = result->value * (1 + number);
        result->spread = "sd";
    }
    abdb_entry_add_printed_result_or_count_left_out(
        entry, "bytes_per_s", "mean",
        find_summary_value_of_launch_mode(state_json, mode, "bw/global/bytes_per_second"),
        ABDB_MARK_UNKNOWN, "B/s");
    abdb_entry_set_measured_run(entry, "nvbench", s->benchmark, s->locator, 0);
    entry->field[ABDB_FIELD_device] =
        json_text_member_or_null(json_device_of_state_or_null(s, state_json), "name");
    entry->field[ABDB_FIELD_devices] = entry->field[ABDB_FIELD_device] ? "1" : NULL;
    if (benchmark_own_verification_failed(state_json)) {
        entry->field[ABDB_FIELD_verified] = "fail";
        abdb_entry_add_mark_to_flags_once(entry, "failed");
    }
    abdb_entry_add_factor_parsing_number(entry, "launches", mode);
    if (s->version)
        abdb_entry_add_factor_parsing_number(entry, "software",
                                             abdb_arena_printf(&a, "nvbench %s", s->version));
    add_axis_factors(entry, state_json, &a);
    add_unread_summaries_as_factors(entry, state_json, mode, &a);
    add_unread_members_as_factors(s, entry, state_json, json_device_of_state_or_null(s, state_json),
                                  &a);
    abdb_entry_apply_overrides_and_check(entry, s->words);
    TRY(s->sink->entry(s->sink->self, entry, err));
    *kept = true;
done:
    free(entry);
    abdb_arena_free(&a);
    return st;
}

/* Imports both modes of a state; a skipped one is ignored, one without times rejected. */
static abdb_status import_or_reject_nvbench_state(state *s, const json_t *state_json,
                                                  abdb_error *err)
{
    bool kept = false;
    abdb_status st = ABDB_OK;

    if (!json_is_true(json_object_get(state_json, "is_skipped"))) {
        TRY(import_entry_of_launch_mode(s, state_json, "cold", &kept, err));
        TRY(import_entry_of_launch_mode(s, state_json, "batch", &kept, err));
        if (!kept) {
            char *raw = json_dumps(state_json, JSON_COMPACT);
            abdb_reject reject = {.field = "nv/cold/time/gpu/mean",
                                  .reason = "neither skipped nor a time on the device",
                                  .raw = raw};

            st = s->sink->reject(s->sink->self, &reject, err);
            free(raw);
            if (st != ABDB_OK) goto done;
        }
    }
    TRY(s->sink->row_end(s->sink->self, err));
done:
    return st;
}

static abdb_status import_nvbench_states(const abdb_input *in, const abdb_overrides *overrides,
                                         const abdb_sink *sink, abdb_error *err)
{
    state s = {.words = overrides, .sink = sink, .left_out = in->left_out};
    json_t *root;
    const json_t *benchmark, *one, *version;
    size_t i, k;
    abdb_status st = ABDB_OK;

    TRY(abdb_flat_parse_json_document_quoting_nan(&root, in, err));
    s.root = root;
    s.devices = json_object_get(root, "devices");
    s.meta = json_object_get(root, "meta");
    version = json_object_get(s.meta, "version");
    s.version = json_text_member_or_null(json_object_get(version, "nvbench"), "string");
    json_array_foreach(json_object_get(root, "benchmarks"), i, benchmark)
    {
        s.benchmark = json_text_member_or_null(benchmark, "name");
        s.of_benchmark = benchmark;
        json_array_foreach(json_object_get(benchmark, "states"), k, one)
        {
            snprintf(s.locator, sizeof s.locator, "benchmarks[%zu].states[%zu]", i, k);
            TRY(import_or_reject_nvbench_state(&s, one, err));
        }
    }
done:
    json_decref(root);
    return st;
}

const abdb_importer abdb_import_nvbench = {
    "nvbench",   "NVBench JSON: device times and rates by state",
    3,           NULL,
    nvbench_bid, import_nvbench_states};

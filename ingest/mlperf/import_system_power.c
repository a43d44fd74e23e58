/* import_system_power.c - system_power.json of MLPerf Endpoints: the provisioned power of a system.
 *
 * How the files of endpoints-submission-cli disagree: those of Appendix E have node_sets, with a
 * source for each figure; older ones have groups (cpu, accelerator, scale_up_network) with num_cpu
 * or count and tdp_per_cpu or tdp_per_unit, and take the overhead fraction from the cooling in
 * system_desc.json; some state a total alone (provisioned_power_w). A figure may be absent:
 * Appendix D has the rules' default, and the result is called estimated. The input row is an
 * object.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/mlperf/provisioned_power.h"
#include "ingest/read/flat_records.h"

typedef struct {
    const abdb_overrides *words;
    const abdb_sink *sink;
} state;

static int system_power_bid(const abdb_input *in)
{
    return abdb_flat_has_all_keys_or_columns(in,
                                             "\"node_sets\"|\"nodes_provisioned\"|\"scale_out\"")
               ? 90
           : abdb_flat_has_all_keys_or_columns(in, "\"accelerator\"|\"scale_up_network\"") ? 80
           : abdb_flat_has_all_keys_or_columns(in, "\"provisioned_power_w\"")              ? 70
                                                                                           : 0;
}

/* What the importer reads or recomputes, with other names. */
static const char *const noise[] = {
    "system_desc_id",      "cooling",           "computed.*", "provisioned_power_kw",
    "mlc_estimated_power", "overhead_fraction", NULL};

static void add_number_above_zero_as_factor(abdb_entry *entry, abdb_arena *arena, const char *name,
                                            double x)
{
    if (x > 0)
        abdb_entry_add_factor_parsing_number(entry, name, abdb_arena_printf(arena, "%.10g", x));
}

static const char *print_count_or_null(double count, abdb_arena *arena)
{
    return count > 0 ? abdb_arena_printf(arena, "%.0f", count) : NULL;
}

/* "node_sets.0.power_method": a list of objects is otherwise only counted. */
static void add_objects_of_list_as_factors(abdb_entry *entry, abdb_arena *arena, const char *name,
                                           const json_t *list)
{
    size_t i;
    json_t *object;

    json_array_foreach((json_t *)(size_t)list, i, object) abdb_flat_add_json_members_as_factors(
        entry, abdb_arena_printf(arena, "%s.%zu", name, i), object, NULL, arena);
}

static void fill_entry_of_system(abdb_entry *entry, abdb_arena *arena, const json_t *root,
                                 const abdb_provisioned_power *power)
{
    abdb_result *result;

    entry->field[ABDB_FIELD_evidence] = "published";
    entry->field[ABDB_FIELD_kind] = "statement";
    entry->field[ABDB_FIELD_suite] = "endpoints";
    entry->field[ABDB_FIELD_system] = json_string_value(json_object_get(root, "system_desc_id"));
    entry->field[ABDB_FIELD_device] = power->accelerator;
    entry->field[ABDB_FIELD_devices] = print_count_or_null(power->accelerators, arena);
    entry->field[ABDB_FIELD_nodes] = print_count_or_null(power->nodes, arena);
    abdb_entry_add_factor_parsing_number(entry, "power_definition", "provisioned");
    abdb_entry_add_factor_parsing_number(entry, "cooling",
                                         json_string_value(json_object_get(root, "cooling")));
    add_number_above_zero_as_factor(entry, arena, "overhead_fraction", power->overhead_fraction);
    add_number_above_zero_as_factor(entry, arena, "major_components_w", power->major_w);
    add_number_above_zero_as_factor(entry, arena, "other_components_w", power->other_w);
    add_number_above_zero_as_factor(entry, arena, "published_node_power_w", power->published_w);
    add_number_above_zero_as_factor(entry, arena, "scale_out_switch_power_w", power->switches_w);
    abdb_entry_add_factor_parsing_number(entry, "power_declared",
                                         power->is_declared ? "yes" : "no");
    abdb_entry_add_factor_parsing_number(entry, "mlc_estimated_power",
                                         power->estimated ? power->estimated : "no");
    result = abdb_entry_add_result_or_count_left_out(entry, "provisioned_power_w",
                                                     1000 * power->kilowatts);
    if (result) result->formula = power->is_declared ? NULL : "provisioned_power@1";
    abdb_flat_add_json_members_as_factors(entry, NULL, root, noise, arena);
    add_objects_of_list_as_factors(entry, arena, "node_sets", json_object_get(root, "node_sets"));
    add_objects_of_list_as_factors(entry, arena, "scale_out.switches",
                                   json_object_get(json_object_get(root, "scale_out"), "switches"));
}

static abdb_status import_or_reject_system(void *self, const abdb_flat_record *r, abdb_error *err)
{
    const state *s = self;
    abdb_entry *entry = calloc(1, sizeof *entry);
    abdb_provisioned_power power;
    abdb_arena arena = {0};
    abdb_status st = ABDB_OK;

    if (!entry) return ABDB_FAIL(err, ABDB_NOMEM, "an entry");
    abdb_provisioned_power_compute(
        &power, r->object, abdb_overrides_get_value_or_null(s->words, "factor.cooling"), &arena);
    if (power.problem) {
        TRY(abdb_flat_reject_and_end_row(s->sink, r, power.field, power.problem, err));
        goto done;
    }
    abdb_entry_set_measured_run(entry, "mlperf-endpoints-power", "provisioned-power", r->locator,
                                r->line);
    fill_entry_of_system(entry, &arena, r->object, &power);
    TRY(abdb_entry_check_and_deliver_row(entry, s->words, s->sink, err));
done:
    free(entry);
    abdb_arena_free(&arena);
    return st;
}

static abdb_status import_systems(const abdb_input *in, const abdb_overrides *overrides,
                                  const abdb_sink *sink, abdb_error *err)
{
    state s = {.words = overrides, .sink = sink};

    return abdb_flat_deliver_json_sql_or_csv_records(in, sink, import_or_reject_system, &s, err);
}

const abdb_importer abdb_import_system_power = {
    "mlperf-system-power", "system_power.json of MLPerf Endpoints", 1, NULL, system_power_bid,
    import_systems};

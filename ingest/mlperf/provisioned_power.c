/* provisioned_power.c - the sum of Appendix E.5; see provisioned_power.h. */
#include "ingest/mlperf/provisioned_power.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "ingest/mlperf/power_defaults.h"

/* How far figures of a submitter may be from the recomputed ones: float noise, and whole watts. */
static const double WATTS_TOLERANCE = 0.5, KILOWATTS_TOLERANCE = 0.005;
static const double BITS_OF_BYTE = 8, GIGABIT_OF_TERABIT = 1000, WATTS_OF_KILOWATT = 1000;

typedef struct {
    abdb_provisioned_power *out;
    abdb_arena *arena;
    abdb_text estimated;
    double nodes_of_sums;     /* nodes whose power is built from components */
    double nodes_of_adapters; /* nodes whose network adapters are counted */
    const char *gap;          /* the first figure that is absent without a default; NULL: none */
    bool sum_is_incomplete;
} tally;

/* --- members of the descriptor ---------------------------------------------------------------- */

static double number_or_nan(const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);

    return json_is_number(value) ? json_number_value(value) : NAN;
}

static const char *text_or_empty(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text ? text : "";
}

static bool has_text(const json_t *object, const char *name, const char *expected)
{
    return strcmp(text_or_empty(object, name), expected) == 0;
}

/* Keeps the first problem; fields and reasons are constants or lie in the arena. */
static double note_problem_return_nan(tally *t, const char *field, const char *reason)
{
    t->sum_is_incomplete = true;
    if (!t->out->problem) {
        t->out->field = field;
        t->out->problem = reason;
    }
    return NAN;
}

/* A figure that a declared power makes unnecessary. */
static double note_gap_return_nan(tally *t, const char *field)
{
    t->sum_is_incomplete = true;
    if (!t->gap) t->gap = field;
    return NAN;
}

static double count_or_note_problem(tally *t, const json_t *object, const char *name)
{
    double count = number_or_nan(object, name);

    if (count >= 0 && count == floor(count)) return count;
    return note_problem_return_nan(t, name, "a whole number is required");
}

static void note_estimate(tally *t, const char *label, const char *place)
{
    abdb_text_printf(&t->estimated, "%s%s (%s)", t->estimated.size ? ", " : "", label, place);
}

/* --- a figure with its source (E.1) ----------------------------------------------------------- */

static bool source_is_valid(const json_t *value)
{
    static const char *const types[] = {"vendor_spec", "publication", "public_statement"};
    const char *source = text_or_empty(value, "source");

    if (has_text(value, "source_type", "mlc_default"))
        return strlen(source) == 3 && source[0] == 'D' && source[1] == '.' && source[2] >= '1' &&
               source[2] <= '4';
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (has_text(value, "source_type", types[i]))
            return strncmp(source, "https://", 8) == 0 || strncmp(source, "http://", 7) == 0;
    return false;
}

/* The one number of a sourced figure in the wanted kind: watts, or picojoules per bit. */
static double sourced_number_or_note_problem(tally *t, const char *label, const json_t *value,
                                             bool wants_picojoules)
{
    double watts = number_or_nan(value, "value_w"), kilowatts = number_or_nan(value, "value_kw"),
           picojoules = number_or_nan(value, "value_pj");

    if ((watts >= 0) + (kilowatts >= 0) + (picojoules >= 0) != 1)
        return note_problem_return_nan(t, label,
                                       "one of value_w, value_kw and value_pj is required");
    if (!source_is_valid(value))
        return note_problem_return_nan(
            t, label,
            "a figure needs a public source: vendor_spec, publication or public_statement"
            " with a URL, or mlc_default with D.1 to D.4");
    if (wants_picojoules != (picojoules >= 0))
        return note_problem_return_nan(
            t, label, wants_picojoules ? "value_pj is required" : "an energy per bit is no power");
    if (has_text(value, "source_type", "mlc_default"))
        note_estimate(t, label, text_or_empty(value, "source"));
    return wants_picojoules ? picojoules : watts >= 0 ? watts : WATTS_OF_KILOWATT * kilowatts;
}

/* Watts of a member, else of Appendix D. */
static double watts_or_default(tally *t, const char *label, const json_t *value,
                               abdb_power_default fallback)
{
    if (json_is_object(value)) return sourced_number_or_note_problem(t, label, value, false);
    if (isnan(fallback.watts)) return note_gap_return_nan(t, label);
    note_estimate(t, label, fallback.place);
    return fallback.watts;
}

/* --- nodes (E.3) ------------------------------------------------------------------------------ */

static double scale_up_watts(tally *t, const json_t *network)
{
    const abdb_power_default none = {NAN, ""};

    if (has_text(network, "method", "none")) return 0;
    if (has_text(network, "method", "declared_tdp"))
        return count_or_note_problem(t, network, "switch_count") *
               watts_or_default(t, "tdp_per_switch", json_object_get(network, "tdp_per_switch"),
                                none);
    if (has_text(network, "method", "bandwidth_estimate")) {
        /* terabytes a second in spite of its name: 14.4 x 8 x 5 pJ = 576 W in E.6.2 */
        double terabytes = number_or_nan(network, "aggregate_bandwidth_tbps");
        const json_t *energy = json_object_get(network, "energy_per_bit_pj");

        if (!(terabytes >= 0))
            return note_problem_return_nan(t, "aggregate_bandwidth_tbps", "a number is required");
        if (!json_is_object(energy)) return note_gap_return_nan(t, "energy_per_bit_pj");
        return terabytes * BITS_OF_BYTE *
               sourced_number_or_note_problem(t, "energy_per_bit_pj", energy, true);
    }
    return note_problem_return_nan(t, "scale_up_network",
                                   "its method is declared_tdp, bandwidth_estimate or none");
}

/* Watts of one node from its components. */
static double component_watts(tally *t, const json_t *components)
{
    const json_t *cpu = json_object_get(components, "cpu"),
                 *accelerator = json_object_get(components, "accelerator"),
                 *combined = json_object_get(components, "combined_cpu_accelerator"),
                 *cpu_tdp = json_object_get(cpu, "tdp_per_unit"),
                 *accelerator_tdp = json_object_get(accelerator, "tdp_per_unit");
    double processors = 0, accelerators;

    if (json_is_object(combined)) {
        if (json_is_object(cpu_tdp) || json_is_object(accelerator_tdp))
            return note_problem_return_nan(t, "combined_cpu_accelerator",
                                           "stated beside powers of its parts");
        accelerators =
            sourced_number_or_note_problem(t, "combined_cpu_accelerator", combined, false);
    } else if (!json_is_object(cpu) || !json_is_object(accelerator)) {
        return note_problem_return_nan(
            t, "components", "cpu and accelerator are required, or combined_cpu_accelerator");
    } else {
        processors =
            count_or_note_problem(t, cpu, "count_per_node") *
            watts_or_default(t, "cpu", cpu_tdp,
                             abdb_power_default_of_processor(text_or_empty(cpu, "model"),
                                                             number_or_nan(cpu, "cores_per_unit")));
        accelerators = count_or_note_problem(t, accelerator, "count_per_node") *
                       watts_or_default(
                           t, "accelerator", accelerator_tdp,
                           abdb_power_default_of_accelerator(text_or_empty(accelerator, "model")));
    }
    return processors + accelerators +
           scale_up_watts(t, json_object_get(components, "scale_up_network"));
}

/* Notes model and number of the accelerators of a set; two models are none. */
static void note_accelerators_of_set(tally *t, const json_t *set, double nodes)
{
    const json_t *accelerator = json_object_get(json_object_get(set, "components"), "accelerator");
    const char *model = text_or_empty(accelerator, "model");
    abdb_provisioned_power *out = t->out;

    out->nodes += nodes;
    out->accelerators += nodes * number_or_nan(accelerator, "count_per_node");
    if (!out->accelerator) out->accelerator = model;
    if (strcmp(out->accelerator, model) != 0) out->accelerator = "";
}

static void add_node_set(tally *t, const json_t *set)
{
    double nodes = count_or_note_problem(t, set, "nodes_provisioned"), published, rack;
    const json_t *figure = json_object_get(set, "published_power");

    if (nodes == 0) nodes = note_problem_return_nan(t, "nodes_provisioned", "none is provisioned");
    note_accelerators_of_set(t, set, nodes);
    if (has_text(set, "power_method", "component_sum")) {
        t->nodes_of_sums += nodes;
        t->out->major_w += nodes * component_watts(t, json_object_get(set, "components"));
        return;
    }
    if (!has_text(set, "power_method", "published_system") &&
        !has_text(set, "power_method", "node_scaling")) {
        note_problem_return_nan(t, "power_method",
                                "component_sum, published_system or node_scaling is required");
        return;
    }
    if (!json_is_object(figure)) {
        note_problem_return_nan(t, "published_power", "required by the power_method");
        return;
    }
    published = sourced_number_or_note_problem(t, "published_power", figure, false);
    if (has_text(set, "power_method", "published_system")) {
        t->out->published_w += nodes * published;
        return;
    }
    rack = number_or_nan(set, "nodes_in_published_rack");
    if (!(rack > nodes))
        published = note_problem_return_nan(t, "nodes_in_published_rack",
                                            "must be greater than nodes_provisioned");
    t->out->published_w += published * (nodes / rack);
}

/* --- the fabric between nodes (E.4) ----------------------------------------------------------- */

static bool all_sets_lack_scale_up(const json_t *sets)
{
    size_t i;
    json_t *set;

    json_array_foreach(
        (json_t *)(size_t)sets, i,
        set) if (!has_text(json_object_get(json_object_get(set, "components"), "scale_up_network"),
                           "method", "none")) return false;
    return true;
}

/* Adds the switches; checks that they carry the adapters' bandwidth. */
static void add_switches(tally *t, const json_t *fabric, const json_t *adapters)
{
    const json_t *switches = json_object_get(fabric, "switches");
    double required = number_or_nan(fabric, "required_bandwidth_tbps"), offered = 0,
           of_adapters = t->out->nodes * number_or_nan(adapters, "count_per_node") *
                         number_or_nan(adapters, "bandwidth_per_nic_gbps") / GIGABIT_OF_TERABIT;
    size_t i;
    json_t *one;

    if (required < of_adapters - 1e-6)
        note_problem_return_nan(t, "required_bandwidth_tbps",
                                "below the bandwidth of all network adapters");
    json_array_foreach((json_t *)(size_t)switches, i, one)
    {
        double count = count_or_note_problem(t, one, "count");

        t->out->switches_w +=
            count *
            watts_or_default(t, "power_per_switch", json_object_get(one, "power_per_switch"),
                             abdb_power_default_of_switch(text_or_empty(one, "model"),
                                                          text_or_empty(fabric, "cabling")));
        offered += count * number_or_nan(one, "bandwidth_tbps");
    }
    if (!(offered >= fmax(required, of_adapters) - 1e-6))
        note_problem_return_nan(t, "switches", "they carry less than the required bandwidth");
}

static void add_scale_out(tally *t, const json_t *fabric, const json_t *sets)
{
    const json_t *adapters = json_object_get(fabric, "nics");
    bool counted = json_is_true(json_object_get(adapters, "counted")),
         excluded = *text_or_empty(adapters, "excluded_from_published_power") != '\0';
    double watts;

    if (!json_is_boolean(json_object_get(fabric, "present"))) {
        note_problem_return_nan(t, "scale_out", "present: true or false is required");
        return;
    }
    if (!json_is_true(json_object_get(fabric, "present"))) {
        if (t->out->nodes > 1 && all_sets_lack_scale_up(sets))
            note_problem_return_nan(t, "scale_out",
                                    "absent, and no scale-up network joins the nodes");
        return;
    }
    if (!*text_or_empty(fabric, "cabling") || !json_is_object(adapters) ||
        !json_is_array(json_object_get(fabric, "switches")) ||
        isnan(number_or_nan(fabric, "required_bandwidth_tbps"))) {
        note_problem_return_nan(t, "scale_out",
                                "cabling, required_bandwidth_tbps, nics and switches are required");
        return;
    }
    if (counted && !(t->nodes_of_sums > 0) && !excluded)
        note_problem_return_nan(t, "nics",
                                "published powers include the adapters: not counted again");
    if (!counted && t->nodes_of_sums > 0)
        note_problem_return_nan(t, "nics", "nodes built from components need them counted");
    if (counted) {
        watts = watts_or_default(t, "tdp_per_nic", json_object_get(adapters, "tdp_per_nic"),
                                 abdb_power_default_of_network_adapter());
        t->nodes_of_adapters = excluded ? t->out->nodes : t->nodes_of_sums;
        t->out->major_w +=
            t->nodes_of_adapters * count_or_note_problem(t, adapters, "count_per_node") * watts;
    }
    add_switches(t, fabric, adapters);
}

/* --- the sum (E.5), and the submitter's own (E.7) --------------------------------------------- */

/* Two decimals, halves by the binary value, as the rules' checker rounds. */
static double round_to_two_decimals(double x)
{
    char text[64];
    double rounded = NAN;

    snprintf(text, sizeof text, "%.2f", x);
    return abdb_double_parse(text, ABDB_MARK_POINT, &rounded) ? rounded : NAN;
}

static void note_problem_if_computed_differs(tally *t, const json_t *computed)
{
    const abdb_provisioned_power *p = t->out;
    const struct {
        const char *name;
        double value;
    } ours[] = {{"major_components_w", p->major_w},
                {"other_components_w", p->other_w},
                {"published_node_power_w", p->published_w},
                {"scale_out_switch_power_w", p->switches_w},
                {"total_system_power_w", p->major_w + p->other_w + p->published_w + p->switches_w}};

    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++)
        if (fabs(number_or_nan(computed, ours[i].name) - ours[i].value) > WATTS_TOLERANCE)
            note_problem_return_nan(t, ours[i].name,
                                    abdb_arena_printf(t->arena, "%.10g is stated, recomputed %.10g",
                                                      number_or_nan(computed, ours[i].name),
                                                      ours[i].value));
}

static void add_node_sets(tally *t, const json_t *descriptor)
{
    const json_t *sets = json_object_get(descriptor, "node_sets"), *declared;
    abdb_provisioned_power *out = t->out;
    double watts;
    size_t i;
    json_t *set;

    out->overhead_fraction = has_text(descriptor, "cooling", "liquid") ? 0.30
                             : has_text(descriptor, "cooling", "air")  ? 0.50
                                                                       : NAN;
    if (isnan(out->overhead_fraction))
        note_problem_return_nan(t, "cooling", "liquid or air is required");
    if (!json_array_size(sets)) note_problem_return_nan(t, "node_sets", "a set is required");
    json_array_foreach((json_t *)(size_t)sets, i, set) add_node_set(t, set);
    add_scale_out(t, json_object_get(descriptor, "scale_out"), sets);
    out->other_w = out->overhead_fraction * out->major_w;
    if (!t->sum_is_incomplete)
        note_problem_if_computed_differs(t, json_object_get(descriptor, "computed"));
    watts = out->major_w + out->other_w + out->published_w + out->switches_w;
    declared = json_object_get(descriptor, "declared_provisioned_power");
    if (json_is_object(declared)) { /* its parts are a cross-check: their defaults do not count */
        abdb_text_clear(&t->estimated);
        out->is_declared = true;
        watts = sourced_number_or_note_problem(t, "declared_provisioned_power", declared, false);
    } else if (t->gap)
        note_problem_return_nan(t, t->gap, "absent, and Appendix D has no default for it");
    out->kilowatts = round_to_two_decimals(watts / WATTS_OF_KILOWATT);
}

/* --- the older form --------------------------------------------------------------------------- */

/* Count times watts of a group, by the names of the rules before Appendix E; 0: no group. */
static double group_watts(tally *t, const json_t *descriptor, const char *group)
{
    static const char *const counts[] = {"num_cpu", "num_accelerator", "num_switches", "count"};
    static const char *const powers[] = {"tdp_per_cpu", "tdp_per_accelerator", "tdp_per_switch",
                                         "tdp_per_unit"};
    const json_t *object = json_object_get(descriptor, group);
    double count = NAN, watts = NAN;

    if (!json_is_object(object)) return 0;
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        if (isnan(count)) count = number_or_nan(object, counts[i]);
        if (isnan(watts)) watts = number_or_nan(object, powers[i]);
    }
    if (!(count >= 0) || !(watts >= 0))
        return note_problem_return_nan(t, group, "a count and the watts of one are required");
    if (strcmp(group, "accelerator") == 0) t->out->accelerators = count;
    return count * watts;
}

static void add_groups(tally *t, const json_t *descriptor, const char *cooling)
{
    abdb_provisioned_power *out = t->out;
    double stated = number_or_nan(descriptor, "provisioned_power_w"),
           rack = number_or_nan(descriptor, "rack_power_w") *
                  (number_or_nan(descriptor, "submitted_nodes") /
                   number_or_nan(descriptor, "rack_nodes")),
           watts;

    out->nodes = out->accelerators = NAN;
    out->overhead_fraction = number_or_nan(descriptor, "overhead_fraction");
    if (isnan(out->overhead_fraction) && cooling)
        out->overhead_fraction = strcmp(cooling, "liquid") == 0 ? 0.30
                                 : strcmp(cooling, "air") == 0  ? 0.50
                                                                : NAN;
    out->major_w =
        group_watts(t, descriptor, "scale_up_network") +
        (json_is_object(json_object_get(descriptor, "compute"))
             ? group_watts(t, descriptor, "compute")
             : group_watts(t, descriptor, "cpu") + group_watts(t, descriptor, "accelerator"));
    out->other_w = out->overhead_fraction * out->major_w;
    out->is_declared = stated > 0;
    if (!(stated > 0) && isfinite(rack)) out->published_w = rack;
    watts = stated > 0 ? stated : isfinite(rack) ? rack : out->major_w + out->other_w;
    if (!(stated > 0) && !isfinite(rack) && isnan(out->overhead_fraction))
        note_problem_return_nan(
            t, "overhead_fraction",
            "absent; system_desc.json states the cooling: --set factor.cooling=air,"
            " or liquid");
    if (!(watts > 0)) note_problem_return_nan(t, "accelerator", "no power is stated");
    out->kilowatts = watts / WATTS_OF_KILOWATT;
}

void abdb_provisioned_power_compute(abdb_provisioned_power *out, const json_t *descriptor,
                                    const char *cooling, abdb_arena *arena)
{
    tally t = {.out = out, .arena = arena};
    double stated = number_or_nan(descriptor, "provisioned_power_kw");

    *out = (abdb_provisioned_power){0};
    if (json_object_get(descriptor, "node_sets"))
        add_node_sets(&t, descriptor);
    else
        add_groups(&t, descriptor, cooling);
    if (!t.sum_is_incomplete && fabs(stated - out->kilowatts) > KILOWATTS_TOLERANCE)
        note_problem_return_nan(
            &t, "provisioned_power_kw",
            abdb_arena_printf(arena, "%.10g is stated, recomputed %.10g", stated, out->kilowatts));
    if (t.estimated.size)
        out->estimated = abdb_arena_copy(arena, abdb_text_get(&t.estimated), t.estimated.size);
    if (out->accelerator && !*out->accelerator) out->accelerator = NULL;
    if (out->problem) out->kilowatts = NAN;
    abdb_text_free(&t.estimated);
}

/* like_for_like.c - like with like; see like_for_like.h. */
#include "query/compare/like_for_like.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schema/core/array.h"
#include "schema/core/stats.h"

/* Numbers of devices that a sentence names. */
enum { SIZES_SAID = 6 };

/* --- per device where numbers of devices differ ----------------------------------------------- */

/* Do the numbers of devices that are known differ? */
static bool known_device_counts_differ(const abdb_set *set, size_t sets)
{
    double first = NAN;

    for (size_t s = 0; s < sets; s++)
        for (size_t i = 0; i < set[s].members; i++) {
            double devices = abdb_member_number(&set[s], i, ABDB_M_devices);

            if (!(devices > 0)) continue;
            if (isnan(first)) first = devices;
            if (devices < first || devices > first) return true;
        }
    return false;
}

/* Is a value stated per device here, and of the whole system there? */
static bool stated_per_basis_differs(const abdb_set *set, size_t sets)
{
    const abdb_member_factor *first = NULL;

    for (size_t s = 0; s < sets; s++)
        for (size_t i = 0; i < set[s].members; i++) {
            const abdb_member_factor *per = abdb_member_find_factor(&set[s].member[i], "per");

            if (!per || per->state == ABDB_UNKNOWN) continue;
            if (!first) first = per;
            if (strcmp(first->text, per->text) != 0) return true;
        }
    return false;
}

/* Has every set a value, and is one of them of a device? */
static bool every_set_has_value_and_one_is_divided(const abdb_set *set, size_t sets)
{
    bool divided = false;

    for (size_t s = 0; s < sets; s++) {
        bool any = false;

        for (size_t i = 0; i < set[s].members; i++) {
            const abdb_member *m = &set[s].member[i];

            any |= !m->why && isfinite(m->value);
            divided |= m->divided;
        }
        if (!any) return false;
    }
    return divided;
}

abdb_status abdb_sets_normalise_per_device_if_counts_differ(abdb_set *set, size_t sets, sqlite3 *db,
                                                            const abdb_normalisation *requested,
                                                            const char **per, abdb_error *err)
{
    abdb_normalisation measure = *requested;
    abdb_status st = ABDB_OK;

    *per = requested->per ? requested->per : "none";
    if (requested->per ||
        !(known_device_counts_differ(set, sets) || stated_per_basis_differs(set, sets)))
        return ABDB_OK;
    measure.per = *per = "device";
    measure.spare = true;
    for (size_t s = 0; s < sets; s++)
        TRY(abdb_set_normalise_values_or_note_why_not(&set[s], db, &measure, err));
    if (every_set_has_value_and_one_is_divided(set, sets)) goto done;
    *per = "none";
    for (size_t s = 0; s < sets; s++)
        TRY(abdb_set_normalise_values_or_note_why_not(&set[s], db, requested, err));
done:
    return st;
}

/* --- reasons to keep a ratio out of the headline ---------------------------------------------- */

void abdb_make_single_member_side(abdb_single_member_side *out, const abdb_set *set, size_t member)
{
    out->member = member;
    out->group = (abdb_group){"", 1, &out->member};
    out->side = (abdb_side){set, &out->group};
}

static bool side_is_mlperf(abdb_side side)
{
    return strcmp(abdb_member_text(side.set, side.group->member[0], ABDB_M_evidence), "mlperf") ==
           0;
}

static bool all_members_of_side_are_divided_per_device(abdb_side side)
{
    for (size_t i = 0; i < side.group->count; i++)
        if (!side.set->member[side.group->member[i]].divided) return false;
    return true;
}

/* Adds "availability available|unknown" where a factor differs, or is unknown on a side. */
static void append_factor_values_if_sides_differ(const char *name, abdb_side a, abdb_side b,
                                                 bool either_unknown_differs, abdb_text *out)
{
    abdb_arena arena = {0};
    bool unknown_a, unknown_b;
    const char *x = abdb_side_distinct_factor_values(a, name, &unknown_a, &arena);
    const char *y = abdb_side_distinct_factor_values(b, name, &unknown_b, &arena);
    bool unknown = either_unknown_differs ? unknown_a || unknown_b : unknown_a != unknown_b;

    if (unknown || strcmp(x, y) != 0)
        abdb_text_printf(out, "%s%s %s|%s", out->size ? ", " : "", name, *x ? x : "unknown",
                         *y ? y : "unknown");
    abdb_arena_free(&arena);
}

/* The mark that would exclude results of a side without --marks any; "none". */
static const char *first_shown_exclusion_mark_of_side(abdb_side side)
{
    for (size_t i = 0; i < side.group->count; i++)
        if (side.set->member[side.group->member[i]].mark_shown)
            return side.set->member[side.group->member[i]].mark_shown;
    return "none";
}

const char *abdb_describe_unlike_factors(abdb_side a, abdb_side b, const char *per,
                                         abdb_arena *arena)
{
    static const char *const factors[] = {"accuracy_target", "power_submission", "availability",
                                          "verified"};
    bool none = strcmp(per, "none") == 0, device = strcmp(per, "device") == 0;
    abdb_text out = {0};
    const char *kept, *x, *y;

    if (none || (device && !(all_members_of_side_are_divided_per_device(a) &&
                             all_members_of_side_are_divided_per_device(b))))
        append_factor_values_if_sides_differ("devices", a, b,
                                             side_is_mlperf(a) && side_is_mlperf(b), &out);
    for (size_t i = 0;
         side_is_mlperf(a) && side_is_mlperf(b) && i < sizeof factors / sizeof *factors; i++)
        append_factor_values_if_sides_differ(factors[i], a, b, true, &out);
    x = first_shown_exclusion_mark_of_side(a);
    y = first_shown_exclusion_mark_of_side(b);
    if (strcmp(x, "none") != 0 || strcmp(y, "none") != 0)
        abdb_text_printf(&out, "%smark %s|%s", out.size ? ", " : "", x, y);
    kept = abdb_arena_copy(arena, abdb_text_get(&out), out.size);
    abdb_text_free(&out);
    return kept ? kept : "";
}

/* --- equal sizes ------------------------------------------------------------------------------ */

/* The best value of a side with so many devices; NAN: it has none. */
static double best_value_at_device_count(abdb_side side, double devices, bool higher)
{
    double best = NAN;

    for (size_t i = 0; i < side.group->count; i++) {
        size_t at = side.group->member[i];
        const abdb_member *m = &side.set->member[at];
        double n = abdb_member_number(side.set, at, ABDB_M_devices);

        if (m->why || !isfinite(m->value) || n < devices || n > devices) continue;
        if (isnan(best) || (higher ? m->value > best : m->value < best)) best = m->value;
    }
    return best;
}

/* Selects the members of a side that have so many devices, into the arena. False: none has. */
static bool select_members_by_device_count(abdb_side side, double devices, abdb_group *out,
                                           abdb_arena *arena)
{
    *out = (abdb_group){side.group->key, 0,
                        abdb_arena_alloc(arena, (side.group->count + 1) * sizeof *out->member)};
    for (size_t i = 0; out->member && i < side.group->count; i++) {
        double n = abdb_member_number(side.set, side.group->member[i], ABDB_M_devices);

        if (n >= devices && n <= devices) out->member[out->count++] = side.group->member[i];
    }
    return out->count > 0;
}

bool abdb_select_best_common_device_count_members(abdb_side a, abdb_side b, bool higher,
                                                  abdb_group *of_a, abdb_group *of_b,
                                                  abdb_arena *arena)
{
    double size = NAN, best = NAN;

    for (size_t i = 0; i < a.group->count; i++) {
        double n = abdb_member_number(a.set, a.group->member[i], ABDB_M_devices);
        /* The size is chosen by the product of both sides' best, so that neither side alone
         * decides; of equals the smaller size. */
        double both = n > 0 ? best_value_at_device_count(a, n, higher) *
                                  best_value_at_device_count(b, n, higher)
                            : NAN;

        if (isnan(both)) continue;
        if (isnan(best) || (higher ? both > best : both < best) ||
            (both >= best && both <= best && n < size)) {
            best = both;
            size = n;
        }
    }
    return !isnan(size) && select_members_by_device_count(a, size, of_a, arena) &&
           select_members_by_device_count(b, size, of_b, arena);
}

const char *abdb_list_device_counts_find_most_frequent(const abdb_set *set, size_t sets,
                                                       double *most_frequent_count,
                                                       abdb_arena *arena)
{
    size_t members = 0, n = 0, said = 0, run = 0, longest = 0;
    abdb_text out = {0};
    const char *kept;
    double *x;

    for (size_t s = 0; s < sets; s++) members += set[s].members;
    x = calloc(members + 1, sizeof *x);
    if (!x) {
        abdb_count_allocation_failure();
        return "";
    }
    for (size_t s = 0; s < sets; s++)
        for (size_t i = 0; i < set[s].members; i++) {
            double devices = abdb_member_number(&set[s], i, ABDB_M_devices);

            if (devices > 0) x[n++] = devices;
        }
    abdb_array_sort(x, n, sizeof *x, abdb_compare_double);
    for (size_t i = 0; i < n; i++) {
        /* Sorted: equal sizes are a run, the longest run is the usual size. */
        run = i && x[i] <= x[i - 1] ? run + 1 : 1;
        if (run > longest) {
            longest = run;
            if (most_frequent_count) *most_frequent_count = x[i];
        }
        if (run > 1) continue;
        if (said++ < SIZES_SAID) abdb_text_printf(&out, "%s%.0f", out.size ? ", " : "", x[i]);
    }
    if (said > SIZES_SAID) abdb_text_printf(&out, " and %zu more", said - SIZES_SAID);
    kept = abdb_arena_copy(arena, abdb_text_get(&out), out.size);
    abdb_text_free(&out);
    free(x);
    return kept ? kept : "";
}

void abdb_append_why_per_device_and_equal_sizes(const abdb_comparison *c, abdb_text *out)
{
    abdb_arena arena = {0};
    bool sized = false;

    for (size_t i = 0; i < c->pairs; i++) sized |= c->pair[i].choice == ABDB_OF_EQUAL_SIZE;
    if (!c->options->measure.per && strcmp(c->per, "none") != 0 &&
        known_device_counts_differ(c->set, c->sets))
        abdb_text_printf(out,
                         "per %s, because the numbers of devices differ (%s); --per none compares"
                         " totals",
                         c->per,
                         abdb_list_device_counts_find_most_frequent(c->set, c->sets, NULL, &arena));
    else if (!c->options->measure.per && strcmp(c->per, "none") != 0)
        abdb_text_printf(out, "per %s, because some are stated so, and some of the whole system",
                         c->per);
    if (sized)
        abdb_text_printf(out,
                         "%sthe best of equal numbers of devices come first, the best of any"
                         " beside them",
                         out->size ? "; " : "");
    abdb_arena_free(&arena);
}

/* refused_pair.c - see refused_pair.h. */
#include "query/compare/refused_pair.h"

#include <string.h>

/* "device='H200-SXM',benchmark='llama2-70b',scenario='Offline'": the device of one side with what
 * the rule compares of the other. */
static void append_selection_of_device_like_other(const char *device, abdb_side other,
                                                  const char *factor, const char *value,
                                                  abdb_text *out)
{
    static const struct {
        const char *name;
        abdb_member_column column;
    } kept[] = {{"benchmark", ABDB_M_benchmark}, {"scenario", ABDB_M_scenario}};

    abdb_append_quoted_equal_condition(out, "device", device);
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        const char *text = abdb_member_text(other.set, other.group->member[0], kept[i].column);

        if (*text && strcmp(kept[i].name, factor) != 0)
            abdb_append_quoted_equal_condition(out, kept[i].name, text);
    }
    abdb_append_quoted_equal_condition(out, factor, value);
}

/* How many results does a selection pick? None is no error. */
static abdb_status count_results_of_selection(sqlite3 *db, const char *selection, size_t *count,
                                              abdb_error *err)
{
    const abdb_normalisation as_stated = {0};
    abdb_set set = {0};
    abdb_status st = abdb_set_load_normalised(&set, db, selection, NULL, &as_stated, err);

    *count = 0;
    if (st == ABDB_USAGE) return ABDB_OK;
    if (st != ABDB_OK) return st;
    for (size_t i = 0; i < set.members; i++) *count += !set.member[i].why;
    abdb_set_free(&set);
    return ABDB_OK;
}

abdb_status abdb_note_results_meeting_refused_pair(const abdb_comparison *c, const abdb_pair *pair,
                                                   abdb_table *t, abdb_error *err)
{
    const abdb_side side[] = {pair->a, pair->b};
    const char *device[2], *value[2], *factor = pair->refusal[0]->factor;
    size_t count[2];
    bool unknown;
    abdb_text words[2] = {{0}, {0}};
    abdb_status st = ABDB_OK;

    if (!*factor || strcmp(factor, "*") == 0) return ABDB_OK;
    for (int i = 0; i < 2; i++) {
        device[i] = abdb_side_distinct_factor_values(side[i], "device", &unknown, &t->arena);
        value[i] = abdb_side_distinct_factor_values(side[i], factor, &unknown, &t->arena);
        if (!device[i] || !value[i]) return ABDB_FAIL(err, ABDB_NOMEM, "a refused pair");
        /* Only of one device with one known value; specifications are no results. */
        if (unknown || !*device[i] || !*value[i] || strchr(device[i], ',') ||
            strchr(value[i], ',') ||
            strcmp(abdb_member_text(side[i].set, side[i].group->member[0], ABDB_M_workload),
                   "specification") == 0)
            return ABDB_OK;
    }
    if (strcmp(device[0], device[1]) == 0) return ABDB_OK;
    for (int i = 0; i < 2; i++) {
        append_selection_of_device_like_other(device[i], side[!i], factor, value[!i], &words[i]);
        TRY(count_results_of_selection(c->db, abdb_text_get(&words[i]), &count[i], err));
        if (count[i])
            abdb_table_add_note_format(t, "like %c: %s, %zu result%s", 'B' - i,
                                       abdb_text_get(&words[i]), count[i],
                                       abdb_plural_ending((long long)count[i]));
    }
    if (!count[0] && !count[1])
        abdb_table_add_note_format(
            t, "no result matches %s, and none %s, so %s and device cannot be separated",
            abdb_text_get(&words[0]), abdb_text_get(&words[1]), factor);
done:
    for (int i = 0; i < 2; i++) abdb_text_free(&words[i]);
    return st;
}

/* machine_identity.c - one machine or two; see machine_identity.h. */
#include "query/compare/machine_identity.h"

#include <string.h>

const abdb_rule abdb_rule_one_machine = {
    .rule = "one-machine",
    .effect = "refuse",
    .scope_factor = "evidence",
    .scope_value = "measured",
    .factor = "device",
    .test = "differ",
    .a = "",
    .b = "",
    .sentence = "A gate judges programs on one machine: two machines differ by themselves;"
                " --across-machines compares them all the same.",
    .source = "abdb",
    .locator = "a gate judges one machine"};

/* Values of the members' runs, ?1 of side A and ?2 of side B (JSON arrays of entries), under the
 * names by which a machine is known. */
static const char sql[] =
    "WITH side (side, entry) AS (SELECT 0, value FROM json_each(?1) UNION ALL"
    "  SELECT 1, value FROM json_each(?2)),"
    " name (place, name) AS (VALUES (1, 'host_processor_model_name'), (2, 'virtual_machine'),"
    "  (3, 'virtual_machine_type'), (4, 'power_limit'), (5, 'gpu_power_limit')),"
    " found (place, name, side, value) AS (SELECT DISTINCT n.place, n.name, s.side,"
    "   CAST(json_extract(v.body, '$.' || n.name) AS TEXT)"
    "   FROM side s JOIN entry e ON e.entry_id = CAST(s.entry AS INTEGER)"
    "   JOIN environment v USING (environment_id), name n WHERE json_valid(v.body)"
    "  UNION SELECT 0, 'device', s.side, e.device FROM side s JOIN entry e"
    "   ON e.entry_id = CAST(s.entry AS INTEGER)"
    "  UNION SELECT 6, 'device_power_limit', s.side, f.text FROM side s JOIN v_run_factor f"
    "   ON f.entry_id = CAST(s.entry AS INTEGER) AND f.factor = 'device_power_limit')"
    " SELECT name, group_concat(CASE side WHEN 0 THEN value END, ', '),"
    "  group_concat(CASE side WHEN 1 THEN value END, ', ') FROM found WHERE value <> ''"
    "  GROUP BY place, name HAVING count(DISTINCT value) > 1 ORDER BY place";

static void append_entry_ids_json(abdb_side side, abdb_text *out)
{
    abdb_text_puts(out, "[");
    for (size_t i = 0; i < side.group->count; i++)
        abdb_text_printf(out, "%s\"%s\"", i ? "," : "",
                         abdb_member_text(side.set, side.group->member[i], ABDB_M_entry_id));
    abdb_text_puts(out, "]");
}

abdb_status abdb_pair_append_unlike_machines(sqlite3 *db, const abdb_pair *pair, char letter,
                                             abdb_text *out, abdb_error *err)
{
    abdb_text left = {0}, right = {0};
    abdb_table rows = {0};
    abdb_binds binds = {0};
    abdb_status st = ABDB_OK;

    append_entry_ids_json(pair->a, &left);
    append_entry_ids_json(pair->b, &right);
    if (left.failed || right.failed) TRY(ABDB_FAIL(err, ABDB_NOMEM, "machines"));
    (void)(abdb_bind_add_text(&binds, abdb_text_get(&left)) &&
           abdb_bind_add_text(&binds, abdb_text_get(&right)));
    TRY(abdb_query_to_table(db, sql, &binds, &rows, err));
    for (size_t i = 0; i < rows.rows; i++) {
        const char *a = abdb_cell_text_or_empty(&rows, i, 1),
                   *b = abdb_cell_text_or_empty(&rows, i, 2);

        abdb_text_printf(out, "%s%s: A %s, %c %s", out->size ? "; " : "",
                         abdb_cell_text_or_empty(&rows, i, 0), *a ? a : "unknown", letter,
                         *b ? b : "unknown");
    }
done:
    abdb_table_free(&rows);
    abdb_text_free(&left);
    abdb_text_free(&right);
    return st;
}

/* Has a set a result of that device? */
static bool set_has_device(const abdb_set *set, const char *device)
{
    for (size_t i = 0; i < set->members; i++)
        if (strcmp(abdb_member_text(set, i, ABDB_M_device), device) == 0) return true;
    return false;
}

bool abdb_sets_have_same_devices(const abdb_set *set, size_t sets)
{
    for (size_t s = 0; s < sets; s++)
        for (size_t i = 0; i < set[s].members; i++)
            for (size_t k = 0; k < sets; k++)
                if (!set_has_device(&set[k], abdb_member_text(&set[s], i, ABDB_M_device)))
                    return false;
    return true;
}

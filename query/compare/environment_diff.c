/* environment_diff.c - abdb compare --environment; see environment_diff.h. */
#include "query/compare/environment_diff.h"

#include <string.h>

#include "query/compare/result_set.h"

/* Environments are JSON: each leaf of a side's environments becomes a key (its path) and a value (a
 * list becomes its items with blanks between them); keys whose values differ between the entries ?1
 * (a JSON array) and ?2 are the rows. */
static const char sql[] =
    "WITH side (side, entry) AS (SELECT 0, value FROM json_each(?1) UNION ALL"
    "  SELECT 1, value FROM json_each(?2)),"
    " body (side, body) AS (SELECT DISTINCT s.side, v.body FROM side s JOIN entry e"
    "  ON e.entry_id = CAST(s.entry AS INTEGER) JOIN environment v USING (environment_id)"
    "  WHERE json_valid(v.body)),"
    " leaf (side, key, value) AS (SELECT b.side, substr(replace(t.fullkey, '\"', ''), 3),"
    "  CASE WHEN t.type = 'array' THEN (SELECT group_concat(j.value, ' ') FROM json_each(t.value)"
    "  j) ELSE CAST(t.atom AS TEXT) END"
    "  FROM body b, json_tree(b.body) t WHERE t.type NOT IN ('object') AND t.fullkey NOT GLOB"
    "  '*[[]*'),"
    " said (key, a, b) AS (SELECT key, (SELECT group_concat(value, ' | ') FROM (SELECT DISTINCT"
    "  value FROM leaf l WHERE l.key = k.key AND side = 0 ORDER BY value)),"
    "  (SELECT group_concat(value, ' | ') FROM (SELECT DISTINCT value FROM leaf l WHERE"
    "  l.key = k.key AND side = 1 ORDER BY value)) FROM (SELECT DISTINCT key FROM leaf) k)"
    " SELECT key, a, b, CASE coalesce(w.role, 'report') WHEN 'agree' THEN 'matters' ELSE"
    "  'not known to matter' END AS matters FROM said LEFT JOIN v_workload_factor w"
    "  ON w.workload = 'environment' AND w.factor = said.key"
    " WHERE a IS NOT b ORDER BY coalesce(w.role, 'report') <> 'agree', key";

/* Numbers of its runs as a JSON array. */
static void append_entry_ids_json(const abdb_set *set, abdb_text *out)
{
    for (size_t i = 0; i < set->members; i++)
        abdb_text_printf(out, "%c\"%s\"", i ? ',' : '[', abdb_member_text(set, i, ABDB_M_entry_id));
    abdb_text_puts(out, set->members ? "]" : "[]");
}

abdb_status abdb_query_environment_diff(sqlite3 *db, const abdb_set *a, const abdb_set *b,
                                        abdb_table *table, abdb_error *err)
{
    abdb_text left = {0}, right = {0};
    abdb_binds binds = {0};
    abdb_status st;

    append_entry_ids_json(a, &left);
    append_entry_ids_json(b, &right);
    (void)(abdb_bind_add_text(&binds, abdb_text_get(&left)) &&
           abdb_bind_add_text(&binds, abdb_text_get(&right)));
    st = abdb_query_to_table(db, sql, &binds, table, err);
    abdb_text_free(&left);
    abdb_text_free(&right);
    return st;
}

/* ABDB_USAGE: no result of the set has an environment. */
static abdb_status require_environment_in_set(sqlite3 *db, const abdb_set *set,
                                              const char *selection, abdb_error *err)
{
    abdb_text entries = {0};
    abdb_table count = {0};
    abdb_binds binds = {0};
    abdb_status st = ABDB_OK;

    append_entry_ids_json(set, &entries);
    (void)abdb_bind_add_text(&binds, abdb_text_get(&entries));
    TRY(abdb_query_to_table(
        db,
        "SELECT count(environment_id) FROM entry WHERE entry_id IN (SELECT CAST(value AS"
        " INTEGER) FROM json_each(?1))",
        &binds, &count, err));
    if (!(abdb_cell_number_or_nan(&count, 0, 0) > 0))
        TRY(ABDB_FAIL(err, ABDB_USAGE, "the results of '%s' have no environment: only runs do",
                      selection));
done:
    abdb_text_free(&entries);
    abdb_table_free(&count);
    return st;
}

abdb_status abdb_compare_environments(abdb_db *db, const char *a, const char *b, const char *where,
                                      abdb_table *table, abdb_error *err)
{
    const abdb_normalisation any = {0};
    abdb_set left = {0}, right = {0};
    size_t matter = 0;
    abdb_status st = ABDB_OK;

    TRY(abdb_set_load_normalised(&left, db->sql, a, where, &any, err));
    TRY(abdb_set_load_normalised(&right, db->sql, b, where, &any, err));
    TRY(require_environment_in_set(db->sql, &left, a, err));
    TRY(require_environment_in_set(db->sql, &right, b, err));
    TRY(abdb_query_environment_diff(db->sql, &left, &right, table, err));
    table->title = abdb_arena_printf(&table->arena, "Environment: %s against %s", a, b);
    table->column[0].label = "what";
    table->column[1].label = "A";
    table->column[2].label = "B";
    table->column[1].style = table->column[2].style = "cut40";
    for (size_t i = 0; i < table->rows; i++)
        matter += strcmp(abdb_cell_text_or_empty(table, i, 3), "matters") == 0;
    abdb_table_add_note_format(
        table, "%zu differ%s, %zu of them matter%s for what a kernel can reach", table->rows,
        table->rows == 1 ? "s" : "", matter, matter == 1 ? "s" : "");
done:
    abdb_set_free(&left);
    abdb_set_free(&right);
    return st;
}

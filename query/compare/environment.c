/* environment.c - abdb compare --environment; see environment.h. */
#include "query/compare/environment.h"

#include <string.h>

#include "query/compare/sets.h"

/* Keys of the environments of the entries ?1 (a JSON array) against those of ?2. */
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

static abdb_status entries_of(abdb_db *db, const char *selection, const char *where, abdb_text *out,
                              abdb_error *err)
{
    const abdb_measure any = {0};
    abdb_set set = {0};
    abdb_status st = ABDB_OK;

    TRY(abdb_set_load(&set, db->sql, selection, where, &any, err));
    for (size_t i = 0; i < set.members; i++)
        abdb_text_printf(out, "%c\"%s\"", i ? ',' : '[',
                         abdb_member_text(&set, i, ABDB_M_entry_id));
    abdb_text_puts(out, "]");
done:
    abdb_set_free(&set);
    return st;
}

abdb_status abdb_environment_compare(abdb_db *db, const char *a, const char *b, const char *where,
                                     abdb_table *table, abdb_error *err)
{
    abdb_text left = {0}, right = {0};
    abdb_table bodies = {0};
    abdb_binds binds = {0};
    size_t matter = 0;
    abdb_status st = ABDB_OK;

    TRY(entries_of(db, a, where, &left, err));
    TRY(entries_of(db, b, where, &right, err));
    (void)(abdb_bind_add_text(&binds, abdb_text_get(&left)) &&
           abdb_bind_add_text(&binds, abdb_text_get(&right)));
    TRY(abdb_rows(db->sql,
                  "SELECT count(environment_id) FROM entry WHERE entry_id IN (SELECT CAST(value AS"
                  " INTEGER) FROM json_each(?1)) AND ?2 <> '' UNION ALL SELECT"
                  " count(environment_id) FROM entry WHERE entry_id IN (SELECT CAST(value AS"
                  " INTEGER) FROM json_each(?2))",
                  &binds, &bodies, err));
    for (size_t i = 0; i < 2; i++)
        if (!(abdb_cell_number(&bodies, i, 0) > 0))
            TRY(ABDB_FAIL(err, ABDB_USAGE, "the results of '%s' have no environment: only runs do",
                          i ? b : a));
    TRY(abdb_rows(db->sql, sql, &binds, table, err));
    table->title = abdb_arena_printf(&table->arena, "Environment: %s against %s", a, b);
    table->column[0].label = "what";
    table->column[1].label = "A";
    table->column[2].label = "B";
    table->column[1].style = table->column[2].style = "cut40";
    for (size_t i = 0; i < table->rows; i++)
        matter += strcmp(abdb_cell_text(table, i, 3), "matters") == 0;
    table->note[table->notes++] = abdb_arena_printf(
        &table->arena, "%zu differ%s, %zu of them matter%s for what a kernel can reach",
        table->rows, table->rows == 1 ? "s" : "", matter, matter == 1 ? "s" : "");
done:
    abdb_text_free(&left);
    abdb_text_free(&right);
    abdb_table_free(&bodies);
    return st;
}

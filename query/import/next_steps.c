/* next_steps.c - prints next steps for the user at the end of an import; see import_session.h. It
 * reads only rows of this import, so that its cost depends on these alone. */
#include <stdio.h>

#include "query/answer/sql_rows.h"
#include "query/import/import_session.h"

enum { NAMED = 5 };

#define ADDED                                                                              \
    "WITH added AS (SELECT d.device, count(*) AS n, sum(d.devices IS NULL) AS uncounted"   \
    " FROM entry_row w CROSS JOIN description d ON d.description_id = w.description_id"    \
    " WHERE w.entry_id > CAST(?1 AS INTEGER) AND d.device IS NOT NULL GROUP BY d.device)," \
    " known AS (SELECT x.canon AS device, sum(a.n) AS n FROM added a JOIN name x ON"       \
    " x.kind = 'device' AND x.spelling = a.device AND x.how <> 'unresolved' GROUP BY 1) "

/* Queries for missing names with counts, and their messages; lacks: is there no row of that kind at
 * all, because abdb's shipped data was not imported? */
static const struct {
    const char *sql, *missing, *command, *lacks;
} needs[] = {
    {ADDED "SELECT a.device, a.n FROM added a JOIN name x ON x.kind = 'device' AND x.spelling ="
           " a.device AND x.how = 'unresolved' ORDER BY 2 DESC, 1",
     "names of devices that abdb does not know, which meet no specification and no price",
     "`abdb query unresolved` lists all, a file of aliases (`abdb help abdb-csv`) says what they "
     "are",
     NULL},
    {ADDED "SELECT device, uncounted FROM added WHERE uncounted > 0 ORDER BY 2 DESC, 1",
     "no number of devices, so nothing per device", "`abdb import --replace --set devices=N PATH`",
     NULL},
    {ADDED "SELECT device, n FROM known k WHERE NOT EXISTS (SELECT 1 FROM name m JOIN spec s ON"
           " s.device = m.spelling WHERE m.kind = 'device' AND m.canon = k.device AND s.quantity ="
           " 'power') ORDER BY 2 DESC, 1",
     "no power specification, so per watt only where power was measured",
     "`abdb query specs` shows what is there", "SELECT NOT EXISTS (SELECT 1 FROM spec)"},
    {ADDED "SELECT device, n FROM known k WHERE NOT EXISTS (SELECT 1 FROM name m JOIN price p ON"
           " p.device = m.spelling WHERE m.kind = 'device' AND m.canon = k.device)"
           " ORDER BY 2 DESC, 1",
     "no price, so nothing per dollar", "--price of a report takes your own quote",
     "SELECT NOT EXISTS (SELECT 1 FROM price)"},
};

/* Prints the data missing for imported rows, with the first names, if any is missing. */
static abdb_status print_next_step_if_data_missing(const import_session *s, abdb_db *db,
                                                   size_t need_index, const char *last_entry_before,
                                                   abdb_error *err)
{
    abdb_binds binds = {0};
    abdb_table t = {0};
    abdb_text names = {0};
    sqlite3_int64 lacks = 0;
    abdb_status st = ABDB_OK;

    (void)abdb_bind_add_text(&binds, last_entry_before);
    TRY(abdb_query_to_table(db->sql, needs[need_index].sql, &binds, &t, err));
    for (size_t row = 0; row < t.rows && row < NAMED; row++)
        abdb_text_printf(&names, "%s%s (%.0f)", row ? ", " : "",
                         abdb_cell_text_or_empty(&t, row, 0), abdb_cell_number_or_nan(&t, row, 1));
    if (t.rows > NAMED) abdb_text_printf(&names, " and %zu more", t.rows - NAMED);
    if (t.rows && needs[need_index].lacks)
        TRY(abdb_db_query_integer_or_0(db, needs[need_index].lacks, &lacks, err));
    if (t.rows)
        abdb_print_stderr_remark(
            "next: %s: %s; %s%s%s", needs[need_index].missing, abdb_text_get(&names),
            lacks ? "`abdb import data` brings what abdb ships, " : "", needs[need_index].command,
            strstr(needs[need_index].command, "--replace")
                ? abdb_import_hint_of_options_to_repeat(s)
                : "");
done:
    abdb_text_free(&names);
    abdb_table_free(&t);
    return st;
}

abdb_status abdb_print_next_steps(const import_session *s, abdb_db *db, abdb_error *err)
{
    char mark[32];
    abdb_status st = ABDB_OK;

    if (s->options->dry_run) return ABDB_OK;
    snprintf(mark, sizeof mark, "%lld", (long long)s->last_entry);
    for (size_t i = 0; i < sizeof needs / sizeof needs[0]; i++)
        TRY(print_next_step_if_data_missing(s, db, i, mark, err));
done:
    return st;
}

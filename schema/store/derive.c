/* derive.c - brings names, gone, ceilings and subjects up to date; see derive.h. */
#include "schema/store/derive.h"

#include <stdio.h>

#include "schema/core/timing.h"

/* The last rows with derived rows, and the stale parts: read_derived_marks_and_stale_flags reads
 * this and last_sql alike. */
static const char marks_sql[] =
    "SELECT coalesce(max(CASE key WHEN 'derived.entry' THEN CAST(value AS INTEGER) END), 0),"
    " coalesce(max(CASE key WHEN 'derived.description' THEN CAST(value AS INTEGER) END), 0),"
    " coalesce(max(CASE key WHEN 'derived.spec' THEN CAST(value AS INTEGER) END), 0),"
    " coalesce(max(CASE key WHEN 'derived.price' THEN CAST(value AS INTEGER) END), 0),"
    " coalesce(max(key = 'stale.names'), 0), coalesce(max(key = 'stale.sources'), 0),"
    " coalesce(max(key = 'stale.gone'), 0) FROM meta";
static const char last_sql[] = "SELECT coalesce((SELECT max(entry_id) FROM entry_row), 0),"
                               " coalesce((SELECT max(description_id) FROM description), 0),"
                               " coalesce((SELECT max(spec_id) FROM spec), 0),"
                               " coalesce((SELECT max(price_id) FROM price), 0),"
                               " EXISTS (SELECT 1 FROM touched), 0, 0";

typedef struct {
    abdb_marks marks;
    int flag[3]; /* names, sources, gone; of last_sql the first: entries were touched */
} derived_state;

/* Reads up to which ids derived rows are made, and which kinds of them are stale. */
static abdb_status read_derived_marks_and_stale_flags(abdb_db *db, const char *sql,
                                                      derived_state *out, abdb_error *err)
{
    sqlite3_stmt *s = NULL;
    int code = sqlite3_prepare_v2(db->sql, sql, -1, &s, NULL);

    if (code == SQLITE_OK) code = sqlite3_step(s);
    if (code == SQLITE_ROW)
        *out = (derived_state){
            {sqlite3_column_int64(s, 0), sqlite3_column_int64(s, 1), sqlite3_column_int64(s, 2),
             sqlite3_column_int64(s, 3)},
            {sqlite3_column_int(s, 4), sqlite3_column_int(s, 5), sqlite3_column_int(s, 6)}};
    sqlite3_finalize(s);
    return code == SQLITE_ROW ? ABDB_OK : abdb_db_report_sqlite_error(db, err, "derived rows");
}

static bool derived_state_is_current(const derived_state *made, const derived_state *last)
{
    return made->marks.entry == last->marks.entry &&
           made->marks.description == last->marks.description &&
           made->marks.spec == last->marks.spec && made->marks.price == last->marks.price &&
           !made->flag[0] && !made->flag[1] && !made->flag[2] && !last->flag[0];
}

abdb_status abdb_derive_is_behind(abdb_db *db, bool *behind, abdb_error *err)
{
    derived_state made, last;
    abdb_status st = ABDB_OK;

    TRY(read_derived_marks_and_stale_flags(db, marks_sql, &made, err));
    TRY(read_derived_marks_and_stale_flags(db, last_sql, &last, err));
    *behind = !derived_state_is_current(&made, &last);
done:
    return st;
}

abdb_status abdb_derive_mark_stale(abdb_db *db, const char *dictionary, abdb_error *err)
{
    char *sql =
        sqlite3_mprintf("INSERT OR REPLACE INTO meta VALUES ('stale.%q', 'yes')", dictionary);
    abdb_status st =
        sql ? abdb_db_exec(db, sql, err) : ABDB_FAIL(err, ABDB_NOMEM, "%s", dictionary);

    sqlite3_free(sql);
    return st;
}

/* Everything is made: notes up to where, and that nothing is stale or touched. */
static abdb_status store_derived_marks_clear_stale_touched(abdb_db *db, const abdb_marks *m,
                                                           abdb_error *err)
{
    char *sql = sqlite3_mprintf(
        "DELETE FROM touched; DELETE FROM meta WHERE key IN ('stale.names', 'stale.sources',"
        " 'stale.gone');"
        "INSERT OR REPLACE INTO meta VALUES ('derived.entry', %lld), ('derived.description', %lld),"
        " ('derived.spec', %lld), ('derived.price', %lld)",
        m->entry, m->description, m->spec, m->price);
    abdb_status st = sql ? abdb_db_exec(db, sql, err) : ABDB_FAIL(err, ABDB_NOMEM, "derived rows");

    sqlite3_free(sql);
    return st;
}

/* Counts of rows for the planner, by a sample of each index: milliseconds at any size. */
#define ANALYZE "PRAGMA analysis_limit = 400; "

/* Statistics of a file with few rows would make the planner read whole tables for each of many new
 * rows: such a file is analyzed again before it is queried. */
static abdb_status analyze_if_rows_grew_fourfold(abdb_db *db, const abdb_marks *counted,
                                                 const abdb_marks *now, abdb_error *err)
{
    enum { OUTGROWN = 4 };
    bool outgrown = now->entry > OUTGROWN * counted->entry ||
                    now->description > OUTGROWN * counted->description;

    return outgrown ? abdb_db_exec(db, ANALYZE "ANALYZE main", err) : ABDB_OK;
}

/* Makes the derived rows of newly added rows, or all of them again: names, withdrawn rows, ceilings
 * and subjects. */
static abdb_status update_derived_tables(abdb_db *db, bool from_scratch, abdb_error *err)
{
    static const abdb_marks nothing = {0};
    derived_state made, last;
    double from;
    abdb_status st = ABDB_OK;

    TRY(read_derived_marks_and_stale_flags(db, marks_sql, &made,
                                           err)); /* again: another writer may have done it */
    TRY(read_derived_marks_and_stale_flags(db, last_sql, &last, err));
    if (from_scratch) {
        made = (derived_state){nothing, {1, 0, 1}};
        TRY(abdb_db_exec(db,
                         "DELETE FROM name; DELETE FROM name_factor; DELETE FROM gone;"
                         "DELETE FROM subject;"
                         "DELETE FROM ceiling_best",
                         err));
    }
    from = abdb_timing_now_if_enabled();
    TRY(analyze_if_rows_grew_fourfold(db, &made.marks, &last.marks, err));
    abdb_timing_add_elapsed("statistics for the planner", from);
    from = abdb_timing_now_if_enabled();
    TRY(abdb_names_resolve_and_store_new(db, &made.marks, made.flag[0], err));
    abdb_timing_add_elapsed("names", from);
    from = abdb_timing_now_if_enabled();
    TRY(abdb_withdrawn_update_gone_and_touch(db, &made.marks, made.flag[2], err));
    TRY(abdb_ceilings_update_best(db, &made.marks, err));
    TRY(abdb_subjects_relink_changed(db, made.flag[1] ? &nothing : &made.marks, err));
    abdb_timing_add_elapsed("subjects and ceilings", from);
    TRY(store_derived_marks_clear_stale_touched(db, &last.marks, err));
done:
    return st;
}

abdb_status abdb_derive_update_in_transaction_if_behind(abdb_db *db, bool from_scratch,
                                                        abdb_error *err)
{
    unsigned starved = abdb_allocation_failure_count();
    bool behind;
    double from;
    abdb_status st = ABDB_OK;

    TRY(abdb_derive_is_behind(db, &behind, err));
    if (!from_scratch && !behind) return ABDB_OK;
    TRY(abdb_db_exec(db, "BEGIN IMMEDIATE", err));
    TRY(update_derived_tables(db, from_scratch, err));
    if (abdb_allocation_failure_count() != starved) TRY(ABDB_FAIL(err, ABDB_NOMEM, "derived rows"));
    TRY(abdb_db_exec(db, "COMMIT", err));
    from = abdb_timing_now_if_enabled();
    /* statistics for the planner: where another writer is in the way, its own run makes them */
    sqlite3_exec(db->sql, ANALYZE "PRAGMA optimize", NULL, NULL, NULL);
    abdb_timing_add_elapsed("statistics for the planner", from);
done:
    if (st != ABDB_OK && !sqlite3_get_autocommit(db->sql))
        sqlite3_exec(db->sql, "ROLLBACK", NULL, NULL, NULL);
    return st;
}

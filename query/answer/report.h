/* report.h - reports: one .sql file each, read-only, with a header that describes the report.
 *
 * The header is comment lines, each `-- key: text`, fields separated by " | ":
 *   -- title: words; {param} is replaced by its value
 *   -- question: the question that it answers, for lists
 *   -- first: yes, where `abdb query` lists it without --all
 *   -- group: heading of `abdb query` under which it is listed
 *   -- param: name | type | default | help | SQL whose first column lists values;
 *      a second column, if any, is 0 for values with rows in the report. Types: text,
 *      number, days (90 or 90d), date, flag, price ('DEVICE=AMOUNT USD/h', several joined by ',');
 *      number LOW..HIGH: no less and no more, either may be left out; >LOW..: more than that
 *   -- column: name | label | style (decimals, g4 = significant digits, cut30) | unit and meaning
 *      | formula of v_formula or v_scaling that its values follow, and their factor
 *      (per_dollar@1 x 1e-18): the keys in _facts_NAME, else _facts, are of its result and its
 *      price or ceiling; several joined by "or"
 *   -- hoist: names of columns printed once where all rows agree
 *   -- screen: names of at most nine columns that a terminal gets without --wide (default: the
 *      first nine)
 *   -- bare: names of columns hidden from people where no row has a value
 *   -- note: a line below the table
 *   -- site: heading under which `abdb site` shows it; without it the site leaves it out
 *   -- explore: per=dollar&view=points   state of explore.html to which its page links
 *   -- footnotes: none, where rows refer to results of MLPerf and show none of their values;
 *      legend, where rows show no such values but name MLPerf's benchmarks
 *
 * Then SQL, its parts begun by lines of their own:
 *   -- @table NAME    a statement whose rows are kept as table NAME for all statements after it:
 *                     data for both rows and notes is computed once, and the planner has the
 *                     number of rows
 *   -- @with          a text that is put before both statements below
 *   -- @rows          the statement of the table; without marks the whole text is it
 *   -- @notes         a statement whose first column gives further lines below the table
 *   -- @offers SYSTEMS [BY COLUMN, ...]  between tables: the offers of table `offer` for each size
 *                     of system (device, devices, nodes) in SYSTEMS, a table with or without WHERE.
 *                     met: all, with `fits` (it holds a node) and `small` (it does not, and would
 *                     be cheaper); used: the cheapest that fits, of each BY
 *   -- @prices NAME [SMALL]  as the first line of the notes: gives them the table prices_said
 *                     (line), remarks on the prices in NAME (kind, provider_kind,
 *                     provider, age_days) and of the offers in SMALL that hold no node of a system
 *                     (device, per_device_hour, provider, devices)
 *
 * Parameters are bound as :name, NULL when not given and without default. A statement with a limit
 * has a column _whole, the number of rows without it (count(*) OVER ()), so that the table can give
 * the number of rows not shown.
 *
 * Columns that begin with _ are hidden; _facts holds the keys of the facts behind a row.
 *
 * Reports must stay quick on a million results (`make bench`):
 *   - Join by result_id, look names up in v_name, and select by raw_device, raw_model, round,
 *     source or campaign: these have indexes. `:x IS NULL OR column = :x` uses none; an IN of a
 *     subquery does.
 *   - Put rows that several parts need into a @table. A CTE is prepared anew for each use, with
 *     every view in it, and computed again for the notes.
 *   - Never put a view that joins tables on the right of a LEFT JOIN: SQLite computes it whole.
 */
#ifndef ABDB_QUERY_REPORT_H
#define ABDB_QUERY_REPORT_H

#include "query/answer/option.h"
#include "query/answer/table.h"
#include "schema/store/db.h"

enum { ABDB_PARAM_COUNT = 32, ABDB_KEPT_MAX = 16 };

typedef struct {
    const char *name, *type, *fallback, *help, *values;
    const char *range; /* of a number: "0..1", ">0..", or NULL */
} abdb_report_param;

typedef struct {
    const char *name, *title, *question, *group, *hoist, *bare, *screen, *site, *explore;
    const char *origin; /* "shipped" or the path */
    const char *text, *rows, *note_sql;
    size_t params, columns, notes;
    bool counts_only; /* no footnotes of results of MLPerf, */
    bool legend;      /* but the words about its name */
    bool first;       /* among the dozen that `abdb query` lists */
    abdb_report_param param[ABDB_PARAM_COUNT];
    struct {
        const char *name, *label, *style, *meaning, *formula;
    } column[ABDB_COLUMN_MAX];
    const char *note[ABDB_NOTE_MAX];
    struct {
        const char *name, *sql; /* rows that are kept as a table */
    } kept[ABDB_KEPT_MAX];
    size_t keeps;
    abdb_option option[ABDB_PARAM_COUNT + 1]; /* params as options */
    abdb_arena arena;
} abdb_report;

/* Headings of `abdb query` in printed order: `-- group:` of the shipped reports. End: NULL. */
#define ABDB_GROUP_MEASURED "What was measured here?"
extern const char *const abdb_report_groups[];

/* A report by name: the user's folder first, then the shipped ones. ABDB_USAGE: no such report (the
 * nearest is named). */
ABDB_MUST_USE abdb_status abdb_report_load(abdb_report *out, const char *name, abdb_error *err);
/* A report from text. */
ABDB_MUST_USE abdb_status abdb_report_parse(abdb_report *out, const char *name, const char *text,
                                            abdb_error *err);
void abdb_report_free(abdb_report *report);
/* Runs it; `value` has a text or NULL for each parameter. The database is guarded already.
 * ABDB_USAGE: a value that the parameter cannot have. */
ABDB_MUST_USE abdb_status abdb_report_run_into_table(abdb_db *db, const abdb_report *report,
                                                     const char *const *value, abdb_table *table,
                                                     abdb_error *err);
/* parameter_value.c: checks that parameter p can have *value_in_out. A text that differs from such
 * a value in case, punctuation or a leading v becomes the value; the beginning of one is completed,
 * with a note in the table. ABDB_USAGE: no such value (the nearest is named). */
ABDB_MUST_USE abdb_status abdb_report_validate_and_resolve_value(
    abdb_db *db, const abdb_report *report, size_t p, const char **value_in_out, abdb_table *table,
    abdb_error *err);
/* Is it how many rows, devices or cells are shown? */
bool abdb_report_param_is_row_limit(const abdb_report_param *param);
/* Removes the default limits, for formats that are never truncated. */
void abdb_report_lift_row_limits(const abdb_report *report, const char **value);
/* A title with "{param}" replaced by its value, given or default; from the table's arena. */
const char *abdb_report_fill_title(const abdb_report *report, const char *const *value,
                                   const char *title, abdb_table *table);
/* Names of all reports, shipped and own, sorted; from arena. */
size_t abdb_list_own_and_shipped_report_names(const char **names, size_t room, abdb_arena *arena);

/* Restricts db to reading: an authorizer, query_only, limits of size and memory, and a
 * deadline in seconds (deadline.h; 0: none). */
ABDB_MUST_USE abdb_status abdb_restrict_db_to_reads_begin_deadline(abdb_db *db, double timeout_s,
                                                                   abdb_error *err);
/* Runs the one statement of sql, parameters bound by name from report (may be NULL) and value; its
 * rows go into table. ABDB_USAGE: none or several statements (then none runs), one that would
 * change something, a mistake in it. */
ABDB_MUST_USE abdb_status abdb_run_readonly_sql(abdb_db *db, const char *sql,
                                                const abdb_report *report, const char *const *value,
                                                abdb_table *table, abdb_error *err);
/* Runs the first statement of *sql and moves *sql behind it; at the end of the text *sql is "".
 * Without a statement the table has no column. */
ABDB_MUST_USE abdb_status abdb_run_next_readonly_statement_and_advance(abdb_db *db,
                                                                       const char **sql,
                                                                       abdb_table *table,
                                                                       abdb_error *err);
/* Keeps the rows of one SELECT as the temporary table `name`, counted for the planner; nothing but
 * that may be written. ABDB_USAGE: sql is anything else. */
ABDB_MUST_USE abdb_status abdb_sql_create_and_analyze_temp_table(abdb_db *db, const char *name,
                                                                 const char *sql,
                                                                 const abdb_report *report,
                                                                 const char *const *value,
                                                                 abdb_error *err);
/* Drops it, if it is there. */
void abdb_sql_drop_temp_table(abdb_db *db, const char *name);

#endif

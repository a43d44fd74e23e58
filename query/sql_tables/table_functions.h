/* table_functions.h - table-valued functions of SQL, in the program and in the loadable extension
 * abdb.so:
 *
 *   abdb_accept(judged)             units against their peers and others of their kind
 *                                   (schema/core/acceptance.h), a row a cell and unit; judged: a
 *                                   JSON object of lists, as the function's error writes it
 *   abdb_csv(path [, delimiter])    a row per record: line, record (JSON object), fields (array)
 *   abdb_archive(path)              a row per member: member, size_B, contents, problem
 *   abdb_changes(values [, series]) a row per change of level of a JSON array of numbers: place
 *                                   (the first value after it), ratio, p; low and high: places
 *                                   nearly as good; series: looked at together, 20,000 at most
 *   abdb_choose(asked)              systems to buy or rent for a rate; asked: a JSON object of
 *                                   the options of `abdb choose`, '-' as '_'; saves: --per
 *   abdb_compare(baseline, contender [, metric [, per [, exploratory]]])
 *                                   the columns of `abdb compare -o csv`; exploratory 1: pairs that
 *                                   a rule refuses too, stamped
 *   abdb_curve_at(asked)            the curves over load of a selection, each read at latency
 *                                   limits; asked: a JSON object of selection, where, at,
 *                                   percentile, between, divide_by (for --per) and prices
 *   abdb_fleet(measured)            nodes against their peers (schema/core/fleet.h): a row a node,
 *                                   cell NULL, and a row a node and cell; measured: a JSON array
 *                                   of [node, cell, process, seconds], the first three texts
 *   abdb_members(selection [, per [, metric]])
 *                                   each result picked, as in `abdb rank`: the group in which it
 *                                   may be ranked, its value, its factors
 *   abdb_offers([quotes [, day [, provider [, kind [, today]]]]])
 *                                   the prices that count on a day (NULL: the latest of each
 *                                   provider and kind); a device that quotes name ('DEVICE=2.49
 *                                   USD/h', several joined by ',') has that price alone
 *   abdb_roofline(device [, dtype]) the roof by intensity, from published and measured ceilings
 *   abdb_verdict(values [, series]) changed, same or too-few, of such an array; shows: the change
 *                                   that its newest runs would show; wants: runs until a verdict
 *   abdb_why(asked)                 ratios of two selections as factors; asked: a JSON object of
 *                                   baseline, contender and the options of `abdb why`, --per as
 *                                   divide_by; rows with only a note list
 *                                   factors that could not be split
 *   abdb_measure(kernel, backend [, params [, quick]])
 *                                   runs a kernel; a row per sample
 *
 * abdb_csv and abdb_archive read files and the last runs a program: they can be called from SQL
 * only, never from a view or trigger, and the program registers them only where an option allows
 * it.
 */
#ifndef ABDB_TABLES_TABLES_H
#define ABDB_TABLES_TABLES_H

#include "query/answer/table.h"
#include "schema/functions/sqlite.h"

enum { ABDB_ALLOW_NOTHING, ABDB_ALLOW_FILES = 1, ABDB_ALLOW_PROGRAMS = 2 };

enum { ABDB_ARGUMENTS_MAX = 5 };

/* One function. fill makes all rows; argument[i] is NULL where it was not given. */
typedef struct {
    const char *name;
    const char *schema;    /* CREATE TABLE x(columns..., arguments HIDDEN, later columns...) */
    int columns;           /* before the arguments */
    int required, allowed; /* arguments */
    int needs;             /* ABDB_ALLOW_* */
    abdb_status (*compute_rows)(sqlite3 *db, const char *const *argument, abdb_table *out,
                                abdb_error *err);
} abdb_table_function;

extern const abdb_table_function abdb_table_accept, abdb_table_csv, abdb_table_archive,
    abdb_table_compare, abdb_table_changes, abdb_table_verdict, abdb_table_choose, abdb_table_fleet,
    abdb_table_members, abdb_table_offers, abdb_table_roofline, abdb_table_measure, abdb_table_why,
    abdb_table_curve_at;

/* Registers the functions that `allow` allows; returns SQLite's code. */
int abdb_register_allowed_table_functions(sqlite3 *db, int allow);

#endif

/* record_linkage.c - the subjects: which statements are about one result.
 *
 * Sources of MLPerf results repeat, average, rename and contradict one another. Identity is made of
 * canonical names: suite, round, system type, division, submitter, system, model, scenario, class
 * of metric, statistic; outside the closed division also the network used and the system's folder.
 * Never of unit, value, public ID or device count. Inside one such name:
 *   1. A source's values that agree within their printed precision are one value.
 *   2. Where no source has two values, all statements are one subject; if sources differ, they
 *      disagree.
 *   3. Where a source repeats the name, its values decide: the source with the most values (then
 *      the lowest rank) is the anchor, and each of its values is a subject. A value of another
 *      source joins the value that it agrees with; if it is the mean of all of the anchor's it is
 *      an average, flagged and never preferred; else it is a subject of its own.
 * A value that is a thousand, million or milliard times the value of the log of the same name, or
 * such a part of it, has a wrong unit: quarantined, and never preferred.
 * Preferred is the statement of the source with the lowest rank, then the most digits, then the
 * smallest public ID, then the smallest key. The order of imports has no effect anywhere.
 * Subjects are made anew block by block (record_linkage_blocks.c).
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/core/array.h"

#include "schema/core/text.h"
#include "schema/store/derive.h"

typedef struct {
    sqlite3_int64 result,
        entry_key; /* result: its number; the key decides, wherever order matters */
    char *key, *source, *metric, *public_id;
    int verified;
    int rank, digits;
    long long devices;       /* -1: not stated */
    double value, half_unit; /* half a unit of the last printed digit */
    int cluster, average, repeated, quarantined;
    size_t place;      /* in the order of reading */
    size_t source_end; /* rows of the same name and source end here; they are sorted by value */
    double widest;     /* the largest half of them */
} statement;

typedef struct {
    statement *row;
    size_t count, room;
    abdb_arena arena;
} statement_table;

/* All statements of the blocks with the name by which they are one (key), in the order in which
 * this file goes through them: by name, then source by rank, then value. */
static const char select_sql[] =
    "SELECT r.result_id, e.suite || '|' || coalesce(e.round, '') || '|' ||"
    "  coalesce(e.system_type, '') || '|' || coalesce(e.division, '') || '|' ||"
    "  coalesce(ns.folded, '') || '|' || coalesce(ny.folded, '') || '|' ||"
    "  coalesce(nm.folded, '') || '|' || coalesce(e.scenario, '') || '|' ||"
    "  CASE WHEN instr(q.metric, '.') THEN q.metric ELSE coalesce(m.metric_class, q.metric) END"
    "  || '|' || CASE q.statistic WHEN 'olympic-mean' THEN 'value' ELSE q.statistic END || '|' ||"
    "  coalesce(r.mpi_rank, '') || '|' || coalesce(r.x, '') || '|' ||"
    "  CASE WHEN e.division = 'closed' THEN '' ELSE coalesce(e.platform, '') || '|' ||"
    "    coalesce((SELECT text FROM point_factor p WHERE p.point_id = w.point_id"
    "              AND p.factor = 'used_model'), '') END AS key,"
    "  e.source, coalesce(s.rank, 50), q.metric, e.public_id, e.devices, r.value, r.raw_value,"
    "  e.verified = 'yes', w.entry_key"
    " FROM stated d CROSS JOIN description e ON e.description_id = d.description_id"
    " CROSS JOIN entry_row w ON w.description_id = e.description_id"
    " CROSS JOIN result_row r ON r.entry_id = w.entry_id"
    " CROSS JOIN quantity q ON q.quantity_id = r.quantity_id"
    " LEFT JOIN source s ON s.source = e.source"
    " LEFT JOIN metric m ON m.metric = q.metric"
    " LEFT JOIN name ns ON ns.kind = 'submitter' AND ns.spelling = e.submitter AND ns.part = 1"
    " LEFT JOIN name ny ON ny.kind = 'system' AND ny.spelling = e.system AND ny.part = 1"
    " LEFT JOIN name nm ON nm.kind = 'model' AND nm.spelling = e.model AND nm.part = 1"
    " WHERE NOT EXISTS (SELECT 1 FROM gone g WHERE g.kind = 'entry' AND g.id = w.entry_id)"
    " ORDER BY key, coalesce(s.rank, 50), e.source, r.value, e.public_id, w.entry_key, r.ordinal";

/* Half a unit of the last digit that the publisher printed. LoadGen prints six significant digits,
 * so zeros beyond the sixth are padding ("1016380.0"). */
static void printed_half_unit_and_digits(const char *raw, double value, double *half, int *digits)
{
    const char *point = raw ? strchr(raw, '.') : NULL;
    int decimals = point ? (int)strspn(point + 1, "0123456789") : 0;
    double printed, six;

    *digits = 0;
    for (const char *s = raw ? raw : ""; *s; s++) *digits += *s >= '0' && *s <= '9';
    if (value == 0) {
        *half = DBL_MIN;
        return;
    }
    six = pow(10, floor(log10(fabs(value))) - 5);
    printed = pow(10, -decimals);
    if (printed > fabs(value)) printed = six; /* the raw text was in another unit */
    *half = 0.5 * (printed > six ? printed : six);
}

static char *copy_text_to_arena(statement_table *t, const char *text)
{
    return text ? abdb_arena_copy(&t->arena, text, strlen(text)) : NULL;
}

/* All statements that share a subject with a new row, sorted so that statements of one subject
 * follow each other; the text is copied, as the table outlives the SQL statement. */
static abdb_status read_statements_of_changed_blocks(abdb_db *db, statement_table *t,
                                                     abdb_error *err)
{
    sqlite3_stmt *s = NULL;
    int code = sqlite3_prepare_v2(db->sql, select_sql, -1, &s, NULL);
    unsigned starved = abdb_allocation_failure_count();

    while (code == SQLITE_OK || code == SQLITE_ROW) {
        statement *row, *more;

        code = sqlite3_step(s);
        if (code != SQLITE_ROW) break;
        more = abdb_array_reserve_one(t->row, t->count, &t->room, sizeof *more);
        if (!more) {
            sqlite3_finalize(s);
            return ABDB_FAIL(err, ABDB_NOMEM, "subjects of %zu statements", t->count);
        }
        t->row = more;
        row = &t->row[t->count++];
        *row = (statement){
            .result = sqlite3_column_int64(s, 0),
            .entry_key = sqlite3_column_int64(s, 10),
            .key = copy_text_to_arena(t, abdb_sql_text_or_empty(s, 1)),
            .source = copy_text_to_arena(t, abdb_sql_text_or_empty(s, 2)),
            .rank = sqlite3_column_int(s, 3),
            .metric = copy_text_to_arena(t, abdb_sql_text_or_empty(s, 4)),
            .public_id = copy_text_to_arena(t, abdb_sql_text_or_null(s, 5)),
            .devices = sqlite3_column_type(s, 6) == SQLITE_NULL ? -1 : sqlite3_column_int64(s, 6),
            .value = sqlite3_column_double(s, 7)};
        row->verified = sqlite3_column_int(s, 9);
        printed_half_unit_and_digits(abdb_sql_text_or_null(s, 8), row->value, &row->half_unit,
                                     &row->digits);
    }
    sqlite3_finalize(s);
    if (abdb_allocation_failure_count() != starved)
        return ABDB_FAIL(err, ABDB_NOMEM, "texts of statements");
    return code == SQLITE_DONE ? ABDB_OK : abdb_db_report_sqlite_error(db, err, "subjects");
}

/* Do the spans value +- half overlap? 1e-9 and 1e-12 cover the rounding of the spans themselves. */
static int half_unit_spans_overlap(double a, double half_a, double b, double half_b)
{
    return fabs(a - b) <= (half_a + half_b) * (1 + 1e-9) + 1e-12 * fabs(a);
}

/* The first row of [from, to), sorted by value and none with a half wider than `widest`, that
 * agrees with r; `to`: none. It costs a search, and the rows near the value. */
static size_t find_first_row_equal_within_precision(const statement *row, size_t from, size_t to,
                                                    double widest, const statement *r)
{
    double reach = (r->half_unit + widest) * (1 + 1e-9) + 2e-12 * fabs(r->value);
    size_t low = from, high = to;

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (row[middle].value < r->value - reach)
            low = middle + 1;
        else
            high = middle;
    }
    while (low < to && row[low].value <= r->value + reach &&
           (row[low].average ||
            !half_unit_spans_overlap(r->value, r->half_unit, row[low].value, row[low].half_unit)))
        low++;
    return low < to && row[low].value <= r->value + reach ? low : to;
}

/* Gives each distinct value of row[from..to), all of one source, a cluster; returns how many. */
static int assign_clusters_to_distinct_values(statement *row, size_t from, size_t to)
{
    int count = 0;

    for (size_t i = from; i < to; i++) {
        size_t k = find_first_row_equal_within_precision(row, from, i, row[from].widest, &row[i]);

        row[i].cluster = k < i ? row[k].cluster : count++;
    }
    return count;
}

/* Notes in each row where the rows of its source end, and their widest half. */
static void set_source_end_and_widest_half_unit(statement *row, size_t from, size_t to)
{
    for (size_t start = from, end; start < to; start = end) {
        double widest = 0;

        for (end = start; end < to && strcmp(row[end].source, row[start].source) == 0; end++)
            widest = fmax(widest, row[end].half_unit);
        for (size_t i = start; i < end; i++) {
            row[i].source_end = end;
            row[i].widest = widest;
        }
    }
}

/* The mean of the distinct values of a source; NAN of a single one. */
static double mean_of_distinct_values(const statement *row, size_t from, size_t to)
{
    double sum = 0;
    int n = 0;

    for (size_t i = from; i < to; i++)
        if (row[i].cluster == n) {
            sum += row[i].value;
            n++;
        }
    return n > 1 ? sum / n : NAN;
}

/* The cluster of a row that is none of the anchor's: that of a value of the anchor, or of a source
 * before it, that it agrees with; -1: none. An average of the anchor's values is marked. */
static int find_cluster_of_agreeing_value_or_mark_as_average(statement *row, size_t from, size_t i,
                                                             size_t anchor, double mean)
{
    size_t end = row[anchor].source_end;
    size_t k = find_first_row_equal_within_precision(row, anchor, end, row[anchor].widest, &row[i]);

    if (k < end) return row[k].cluster;
    if (half_unit_spans_overlap(row[i].value, row[i].half_unit, mean, row[i].half_unit)) {
        row[i].average = 1;
        return 0;
    }
    for (size_t start = from; start < i; start = row[start].source_end) {
        end = row[start].source_end < i ? row[start].source_end : i;
        k = start == anchor ? end
                            : find_first_row_equal_within_precision(row, start, end,
                                                                    row[start].widest, &row[i]);
        if (k < end) return row[k].cluster;
    }
    return -1;
}

/* Quarantines values that are the log's in another unit, with that log's value. */
static void quarantine_values_off_by_unit_factor(statement *row, size_t from, size_t to)
{
    static const double steps[] = {1e3, 1e6, 1e9, 1e-3, 1e-6, 1e-9};

    for (size_t log = from; log < to; log++) {
        if (strcmp(row[log].source, "mlperf-logs") != 0) continue;
        for (size_t i = from; i < to; i++)
            for (size_t k = 0; k < sizeof steps / sizeof steps[0]; k++) {
                double there = steps[k] * row[log].value;

                if (strcmp(row[i].source, "mlperf-logs") == 0 ||
                    fabs(row[i].value - there) > 1e-5 * there)
                    continue;
                row[i].quarantined = 1;
                row[i].average = 0;
                row[i].cluster = row[log].cluster;
            }
    }
}

/* Clusters row[from..to), which share a name; returns how many clusters there are (one: rule 2). */
static int assign_clusters_by_anchor_source(statement *row, size_t from, size_t to)
{
    size_t anchor = from;
    int most = 0, next;
    double mean;

    set_source_end_and_widest_half_unit(row, from, to);
    for (size_t i = from; i < to; i = row[i].source_end) {
        int count = assign_clusters_to_distinct_values(row, i, row[i].source_end);

        if (count > most) {
            most = count;
            anchor = i;
        }
    }
    if (most <= 1) {
        for (size_t i = from; i < to; i++) row[i].cluster = 0;
        return 1;
    }
    mean = mean_of_distinct_values(row, anchor, row[anchor].source_end);
    next = most;
    for (size_t i = from; i < to; i++) {
        if (i >= anchor && i < row[anchor].source_end) continue;
        row[i].cluster =
            find_cluster_of_agreeing_value_or_mark_as_average(row, from, i, anchor, mean);
        if (row[i].cluster < 0) row[i].cluster = next++;
    }
    return next;
}

static int compare_text_null_last(const char *a, const char *b)
{
    if (!a || !b) return !a - !b;
    return strcmp(a, b);
}

/* True if a stands for the result before b: the lower rank of its source, then more digits, then
 * the first public ID, then the smaller key. */
static int is_preferred_by_rank_digits_id_key(const statement *a, const statement *b)
{
    int order = a->rank - b->rank;

    if (order == 0) order = b->digits - a->digits;
    if (order == 0) order = compare_text_null_last(a->public_id, b->public_id);
    if (order == 0) order = (a->entry_key > b->entry_key) - (a->entry_key < b->entry_key);
    return order < 0;
}

/* The verdict on one cluster. */
typedef struct {
    bool any;
    size_t preferred, sources;
    sqlite3_int64 subject;
    const char *public_id, *source; /* source: of the last row */
    long long devices;              /* of the last row that states them, or -1 */
    int values_differ, devices_differ, units_differ, verified;
} cluster_verdict;

/* Adds row i to the verdict v on its cluster; *lowest, *highest: the range common to all values. */
static void add_statement_to_cluster_verdict(cluster_verdict *v, const statement *row, size_t from,
                                             size_t i, double *lowest, double *highest)
{
    const statement *r = &row[i], *best = v->any ? &row[v->preferred] : NULL;
    double half = r->half_unit * (1 + 1e-9) + 5e-13 * fabs(r->value);

    v->verified |= r->verified;
    if (!best || is_preferred_by_rank_digits_id_key(r, best)) v->preferred = i;
    if (!best || r->entry_key < v->subject) v->subject = r->entry_key;
    if (compare_text_null_last(r->public_id, v->public_id) < 0) v->public_id = r->public_id;
    v->sources += !best || strcmp(r->source, v->source) != 0;
    v->source = r->source;
    if (r->devices >= 0 && v->devices >= 0 && r->devices != v->devices) v->devices_differ = 1;
    if (r->devices >= 0) v->devices = r->devices;
    v->units_differ |= strcmp(r->metric, row[from].metric) != 0;
    *lowest = fmax(*lowest, r->value - half);
    *highest = fmin(*highest, r->value + half);
    v->any = true;
}

/* Of the cluster row[from..to). Values agree where the spans of all of them share a point. */
static cluster_verdict choose_preferred_and_find_conflict(const statement *row, size_t from,
                                                          size_t to)
{
    cluster_verdict v = {.preferred = to, .devices = -1};
    double lowest = -INFINITY, highest = INFINITY;

    for (size_t i = from; i < to; i++)
        if (!row[i].average && !row[i].quarantined)
            add_statement_to_cluster_verdict(&v, row, from, i, &lowest, &highest);
    v.values_differ = lowest > highest;
    return v;
}

/* Marks rows whose source gives the result under another public ID before. */
static void mark_repeated_public_ids(statement *row, size_t from, size_t to)
{
    const char *first = NULL;
    bool several = false;

    for (size_t i = from; i < to; i++) {
        if (i == from || strcmp(row[i].source, row[i - 1].source) != 0) {
            first = NULL;
            several = false;
        }
        if (!row[i].public_id) continue;
        row[i].repeated = first && (several || strcmp(first, row[i].public_id) != 0);
        if (!first) first = row[i].public_id;
        several |= strcmp(first, row[i].public_id) != 0;
    }
}

/* Finds the preferred one of rows from to to - 1, statements of one result, and conflicts among
 * them; inserts a row of subject for each. */
static abdb_status resolve_and_insert_subject(abdb_db *db, sqlite3_stmt *s, statement *row,
                                              size_t from, size_t to, abdb_error *err)
{
    cluster_verdict v = choose_preferred_and_find_conflict(row, from, to);

    mark_repeated_public_ids(row, from, to);
    for (size_t i = from; i < to; i++) {
        const statement *r = &row[i];
        char flags[96];

        snprintf(flags, sizeof flags, "%s%s%s%s%s", r->quarantined ? "quarantined " : "",
                 r->average ? "averaged " : "", !r->average && r->repeated ? "repeated " : "",
                 v.devices_differ && !r->average ? "devices-disagree " : "",
                 v.units_differ && !r->average ? "unit-disagree " : "");
        sqlite3_bind_int64(s, 1, r->result);
        sqlite3_bind_int64(s, 2, r->average ? r->entry_key : v.subject);
        sqlite3_bind_int(s, 3, i == v.preferred);
        sqlite3_bind_int64(s, 4, r->average ? 1 : (sqlite3_int64)v.sources);
        sqlite3_bind_int(s, 5, v.values_differ && !r->average);
        sqlite3_bind_text(s, 6, flags, (int)strlen(flags) - (flags[0] != 0), SQLITE_TRANSIENT);
        sqlite3_bind_text(s, 7, v.public_id, -1, SQLITE_STATIC);
        sqlite3_bind_int(s, 8, v.verified);
        if (sqlite3_step(s) != SQLITE_DONE) return abdb_db_report_sqlite_error(db, err, "subject");
        sqlite3_reset(s);
    }
    return ABDB_OK;
}

/* Clusters side by side, the order within each as before. */
static int compare_cluster_then_reading_order(const void *a, const void *b)
{
    const statement *x = a, *y = b;

    if (x->cluster != y->cluster) return x->cluster - y->cluster;
    return (x->place > y->place) - (x->place < y->place);
}

/* The subjects of row[from..to), which share a name. */
static abdb_status link_and_insert_results_of_name(abdb_db *db, sqlite3_stmt *s, statement *row,
                                                   size_t from, size_t to, abdb_error *err)
{
    int clusters;
    abdb_status st = ABDB_OK;

    clusters = assign_clusters_by_anchor_source(row, from, to);
    quarantine_values_off_by_unit_factor(row, from, to);
    if (clusters > 1) {
        for (size_t i = from; i < to; i++) row[i].place = i;
        abdb_array_sort(row + from, to - from, sizeof *row, compare_cluster_then_reading_order);
    }
    for (size_t start = from, end; start < to; start = end) {
        for (end = start; end < to && row[end].cluster == row[start].cluster; end++) {
        }
        TRY(resolve_and_insert_subject(db, s, row, start, end, err));
    }
done:
    return st;
}

/* Goes through the sorted statements one identity at a time and inserts the subjects of each. */
static abdb_status link_and_insert_results_of_all_names(abdb_db *db, statement_table *t,
                                                        abdb_error *err)
{
    sqlite3_stmt *s = NULL;
    abdb_status st = ABDB_OK;

    if (sqlite3_prepare_v2(db->sql, "INSERT INTO subject VALUES (?,?,?,?,?,?,?,?)", -1, &s, NULL) !=
        SQLITE_OK)
        return abdb_db_report_sqlite_error(db, err, "subject");
    for (size_t from = 0, to; from < t->count; from = to) {
        for (to = from; to < t->count && strcmp(t->row[to].key, t->row[from].key) == 0; to++) {
        }
        TRY(link_and_insert_results_of_name(db, s, t->row, from, to, err));
    }
done:
    sqlite3_finalize(s);
    return st;
}

abdb_status abdb_subjects_relink_changed(abdb_db *db, const abdb_marks *marks, abdb_error *err)
{
    statement_table t = {0};
    bool any = false;
    abdb_error ignored;
    abdb_status st = ABDB_OK;

    TRY(abdb_subject_blocks_collect_delete_subjects(db, marks, &any, err));
    if (!any) goto done;
    TRY(read_statements_of_changed_blocks(db, &t, err));
    TRY(link_and_insert_results_of_all_names(db, &t, err));
    TRY(abdb_subject_add_power_inferred_id_flags(db, err));
done:
    if (abdb_subject_blocks_drop_temp(db, st == ABDB_OK ? err : &ignored) != ABDB_OK &&
        st == ABDB_OK)
        st = ABDB_DB;
    abdb_arena_free(&t.arena);
    free(t.row);
    return st;
}

/* subject.c - the subject index: which statements are about one result.
 *
 * Sources of MLPerf results repeat, average, rename and contradict one another. Identity is made of
 * canonical names: suite, round, system type, division, submitter, system, model, scenario, class
 * of metric, statistic; outside the closed division also the network used and the system's folder.
 * Never of unit, value, public ID or device count. Inside one such name:
 *   1. A source's values that agree within their printed precision are one value.
 *   2. Where no source has two values, all statements are one subject; if sources differ, they
 *      disagree.
 *   3. Where a source repeats the name, its values decide: the source with the most values (then
 * the lowest rank) is the anchor, and each of its values is a subject. A value of another source
 *      joins the value that it agrees with; if it is the mean of all of the anchor's it is an
 *      average, flagged and never preferred; else it is a subject of its own.
 * Preferred is the statement of the source with the lowest rank, then the most digits, then the
 * smallest public ID, then the smallest key. The order of imports plays no part anywhere.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/core/text.h"
#include "schema/store/write.h"

typedef struct {
    sqlite3_int64 entry, entry_key; /* entry: its number; the key decides, wherever order matters */
    int ordinal;
    char *key, *source, *metric, *public_id;
    int verified;
    int rank, digits;
    long long devices;  /* -1: not stated */
    double value, half; /* half a unit of the last printed digit */
    int cluster, average;
} statement;

typedef struct {
    statement *row;
    size_t count, room;
    abdb_arena arena;
} table;

static const char select_sql[] =
    "SELECT e.entry_id, r.ordinal, e.suite || '|' || coalesce(e.round, '') || '|' ||"
    "  coalesce(e.system_type, '') || '|' || coalesce(e.division, '') || '|' ||"
    "  coalesce(ns.folded, '') || '|' || coalesce(ny.folded, '') || '|' ||"
    "  coalesce(nm.folded, '') || '|' || coalesce(e.scenario, '') || '|' ||"
    "  CASE WHEN instr(r.metric, '.') THEN r.metric ELSE coalesce(m.metric_class, r.metric) END"
    "  || '|' || CASE r.statistic WHEN 'olympic-mean' THEN 'value' ELSE r.statistic END || '|' ||"
    "  r.rank || '|' || r.x || '|' ||"
    "  CASE WHEN e.division = 'closed' THEN '' ELSE coalesce(e.platform, '') || '|' ||"
    "    coalesce((SELECT text FROM point_factor p WHERE p.point_id = e.point_id"
    "              AND p.factor = 'used_model'), '') END AS key,"
    "  e.source, coalesce(s.rank, 50), r.metric, e.public_id, e.devices, r.value, r.raw_value,"
    "  e.verified = 'yes', e.entry_key"
    /* descriptions first: most of them are none of MLPerf */
    " FROM (SELECT d.*, w.entry_id, w.entry_key, w.point_id FROM description d"
    "   CROSS JOIN entry_row w ON w.description_id = d.description_id"
    "   WHERE d.evidence = 'mlperf' AND d.suite IS NOT NULL AND d.kind <> 'run') e"
    " CROSS JOIN result r ON r.entry_id = e.entry_id"
    " LEFT JOIN source s ON s.source = e.source"
    " LEFT JOIN metric m ON m.metric = r.metric"
    " LEFT JOIN name ns ON ns.kind = 'submitter' AND ns.spelling = e.submitter AND ns.part = 1"
    " LEFT JOIN name ny ON ny.kind = 'system' AND ny.spelling = e.system AND ny.part = 1"
    " LEFT JOIN name nm ON nm.kind = 'model' AND nm.spelling = e.model AND nm.part = 1"
    " WHERE NOT EXISTS (SELECT 1 FROM gone g WHERE g.kind = 'entry' AND g.id = e.entry_id)"
    " ORDER BY key, coalesce(s.rank, 50), e.source, r.value, e.public_id, e.entry_key";

/* Half a unit of the last digit that the publisher printed. LoadGen prints six significant digits,
 * so zeros beyond the sixth are padding ("1016380.0"). */
static void precision(const char *raw, double value, double *half, int *digits)
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

static char *copy_column(table *t, sqlite3_stmt *s, int i)
{
    const char *text = (const char *)sqlite3_column_text(s, i);

    return text ? abdb_arena_copy(&t->arena, text, strlen(text)) : NULL;
}

static abdb_status read_statements(abdb_db *db, table *t, abdb_error *err)
{
    sqlite3_stmt *s = NULL;
    int code = sqlite3_prepare_v2(db->sql, select_sql, -1, &s, NULL);

    while (code == SQLITE_OK || code == SQLITE_ROW) {
        statement *row;

        code = sqlite3_step(s);
        if (code != SQLITE_ROW) break;
        if (t->count == t->room) {
            size_t room = t->room ? 2 * t->room : 1024;
            statement *more = realloc(t->row, room * sizeof *more);

            if (!more) {
                sqlite3_finalize(s);
                return ABDB_FAIL(err, ABDB_NOMEM, "subjects of %zu statements", t->count);
            }
            t->row = more;
            t->room = room;
        }
        row = &t->row[t->count++];
        *row = (statement){
            .entry = sqlite3_column_int64(s, 0),
            .entry_key = sqlite3_column_int64(s, 11),
            .ordinal = sqlite3_column_int(s, 1),
            .key = copy_column(t, s, 2),
            .source = copy_column(t, s, 3),
            .rank = sqlite3_column_int(s, 4),
            .metric = copy_column(t, s, 5),
            .public_id = copy_column(t, s, 6),
            .devices = sqlite3_column_type(s, 7) == SQLITE_NULL ? -1 : sqlite3_column_int64(s, 7),
            .value = sqlite3_column_double(s, 8)};
        row->verified = sqlite3_column_int(s, 10);
        precision((const char *)sqlite3_column_text(s, 9), row->value, &row->half, &row->digits);
    }
    sqlite3_finalize(s);
    return code == SQLITE_DONE ? ABDB_OK : abdb_db_fail(db, err, "subjects");
}

static int agree(double a, double half_a, double b, double half_b)
{
    return fabs(a - b) <= (half_a + half_b) * (1 + 1e-9) + 1e-12 * fabs(a);
}

/* Gives each distinct value of row[from..to), all of one source, a cluster; returns how many. */
static int cluster_source(statement *row, size_t from, size_t to, int first)
{
    int count = 0;

    for (size_t i = from; i < to; i++) {
        row[i].cluster = -1;
        for (size_t k = from; k < i && row[i].cluster < 0; k++)
            if (agree(row[i].value, row[i].half, row[k].value, row[k].half))
                row[i].cluster = row[k].cluster;
        if (row[i].cluster < 0) row[i].cluster = first + count++;
    }
    return count;
}

/* Is row the mean of the anchor's distinct values? */
static int is_average(const statement *row, const statement *anchor, size_t count, int clusters)
{
    double sum = 0;
    int seen = -1, n = 0;

    for (int c = 0; c < clusters; c++)
        for (size_t i = 0; i < count; i++)
            if (anchor[i].cluster == c && seen < c) {
                sum += anchor[i].value;
                seen = c;
                n++;
            }
    return n > 1 && agree(row->value, row->half, sum / n, row->half);
}

/* Clusters row[from..to), which share a name; returns whether one name holds all (rule 2). */
static int cluster_name(statement *row, size_t from, size_t to)
{
    size_t start = from, anchor = from, anchor_end = from;
    int most = 0, next;

    for (size_t i = from + 1; i <= to; i++) {
        int count;

        if (i < to && strcmp(row[i].source, row[start].source) == 0) continue;
        count = cluster_source(row, start, i, 0);
        if (count > most) {
            most = count;
            anchor = start;
            anchor_end = i;
        }
        start = i;
    }
    if (most <= 1) {
        for (size_t i = from; i < to; i++) row[i].cluster = 0;
        return 1;
    }
    cluster_source(row, anchor, anchor_end, 0);
    next = most;
    for (size_t i = from; i < to; i++) {
        if (i >= anchor && i < anchor_end) continue;
        row[i].cluster = -1;
        for (size_t k = anchor; k < anchor_end && row[i].cluster < 0; k++)
            if (agree(row[i].value, row[i].half, row[k].value, row[k].half))
                row[i].cluster = row[k].cluster;
        if (row[i].cluster < 0 && is_average(&row[i], row + anchor, anchor_end - anchor, most)) {
            row[i].cluster = 0;
            row[i].average = 1;
        }
        for (size_t k = from; k < i && row[i].cluster < 0; k++)
            if (!row[k].average && (k < anchor || k >= anchor_end) &&
                agree(row[i].value, row[i].half, row[k].value, row[k].half))
                row[i].cluster = row[k].cluster;
        if (row[i].cluster < 0) row[i].cluster = next++;
    }
    return 0;
}

static int text_order(const char *a, const char *b)
{
    if (!a || !b) return !a - !b;
    return strcmp(a, b);
}

static int better_statement(const statement *a, const statement *b)
{
    int order = a->rank - b->rank;

    if (order == 0) order = b->digits - a->digits;
    if (order == 0) order = text_order(a->public_id, b->public_id);
    if (order == 0) order = (a->entry_key > b->entry_key) - (a->entry_key < b->entry_key);
    return order < 0;
}

/* What is known of one cluster. */
typedef struct {
    size_t preferred, sources;
    sqlite3_int64 subject;
    const char *public_id;
    int values_differ, devices_differ, units_differ, verified;
} verdict;

static verdict judge(const statement *row, size_t from, size_t to, int cluster)
{
    verdict v = {.preferred = to};

    for (size_t i = from; i < to; i++) {
        int fresh = 1;

        if (row[i].cluster != cluster || row[i].average) continue;
        v.verified |= row[i].verified;
        if (v.preferred == to || better_statement(&row[i], &row[v.preferred])) v.preferred = i;
        if (!v.subject || row[i].entry_key < v.subject) v.subject = row[i].entry_key;
        if (text_order(row[i].public_id, v.public_id) < 0) v.public_id = row[i].public_id;
        for (size_t k = from; k < i; k++) {
            if (row[k].cluster != cluster || row[k].average) continue;
            if (strcmp(row[k].source, row[i].source) == 0) fresh = 0;
            if (!agree(row[i].value, row[i].half, row[k].value, row[k].half)) v.values_differ = 1;
            if (row[i].devices >= 0 && row[k].devices >= 0 && row[i].devices != row[k].devices)
                v.devices_differ = 1;
            if (strcmp(row[i].metric, row[k].metric) != 0) v.units_differ = 1;
        }
        v.sources += (size_t)fresh;
    }
    return v;
}

static int repeats(const statement *row, size_t from, size_t i)
{
    for (size_t k = from; k < i; k++)
        if (row[k].cluster == row[i].cluster && strcmp(row[k].source, row[i].source) == 0 &&
            row[k].public_id && row[i].public_id && strcmp(row[k].public_id, row[i].public_id) != 0)
            return 1;
    return 0;
}

static abdb_status keep_cluster(abdb_db *db, sqlite3_stmt *s, const statement *row, size_t from,
                                size_t to, int cluster, abdb_error *err)
{
    verdict v = judge(row, from, to, cluster);

    for (size_t i = from; i < to; i++) {
        char flags[96];

        if (row[i].cluster != cluster) continue;
        snprintf(flags, sizeof flags, "%s%s%s%s", row[i].average ? "averaged " : "",
                 !row[i].average && repeats(row, from, i) ? "repeated " : "",
                 v.devices_differ && !row[i].average ? "devices-disagree " : "",
                 v.units_differ && !row[i].average ? "unit-disagree " : "");
        sqlite3_bind_int64(s, 1, row[i].entry);
        sqlite3_bind_int(s, 2, row[i].ordinal);
        sqlite3_bind_int64(s, 3, row[i].average ? row[i].entry_key : v.subject);
        sqlite3_bind_int(s, 4, i == v.preferred);
        sqlite3_bind_int64(s, 5, row[i].average ? 1 : (sqlite3_int64)v.sources);
        sqlite3_bind_int(s, 6, v.values_differ && !row[i].average);
        sqlite3_bind_text(s, 7, flags, (int)strlen(flags) - (flags[0] != 0), SQLITE_TRANSIENT);
        sqlite3_bind_text(s, 8, v.public_id, -1, SQLITE_STATIC);
        sqlite3_bind_int(s, 9, v.verified);
        if (sqlite3_step(s) != SQLITE_DONE) return abdb_db_fail(db, err, "subject");
        sqlite3_reset(s);
    }
    return ABDB_OK;
}

static abdb_status keep_subjects(abdb_db *db, table *t, abdb_error *err)
{
    sqlite3_stmt *s = NULL;
    size_t from = 0;
    abdb_status st = ABDB_OK;

    if (sqlite3_prepare_v2(db->sql, "INSERT INTO subject VALUES (?,?,?,?,?,?,?,?,?)", -1, &s,
                           NULL) != SQLITE_OK)
        return abdb_db_fail(db, err, "subject");
    for (size_t i = 1; i <= t->count; i++) {
        int last = 0;

        if (i < t->count && strcmp(t->row[i].key, t->row[from].key) == 0) continue;
        cluster_name(t->row, from, i);
        for (size_t k = from; k < i; k++)
            if (t->row[k].cluster > last) last = t->row[k].cluster;
        for (int c = 0; c <= last; c++) TRY(keep_cluster(db, s, t->row, from, i, c, err));
        from = i;
    }
done:
    sqlite3_finalize(s);
    return st;
}

abdb_status abdb_subjects_rebuild(abdb_db *db, abdb_error *err)
{
    table t = {0};
    abdb_status st = ABDB_OK;

    TRY(abdb_db_exec(db, "BEGIN IMMEDIATE; DELETE FROM subject", err));
    TRY(read_statements(db, &t, err));
    TRY(keep_subjects(db, &t, err));
    TRY(abdb_db_exec(db, "INSERT OR REPLACE INTO meta VALUES ('index', 'fresh'); COMMIT", err));
done:
    if (st != ABDB_OK) sqlite3_exec(db->sql, "ROLLBACK", NULL, NULL, NULL);
    abdb_arena_free(&t.arena);
    free(t.row);
    return st;
}

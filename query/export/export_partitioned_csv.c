/* export_partitioned_csv.c - public views as folders of CSV files, for engines that read columns;
 * see export_records.h.
 *
 * DIR/VIEW/data.csv, and for large views DIR/VIEW/evidence=E/month=YYYY-MM/data.csv, without the
 * columns in the folders' names. Numbers of this file (result_id, entry_id, ...) are exported as
 * their numbers in a warehouse, which are made of the content: so folders of several files join,
 * and the same facts give the same bytes. Rows are in the order of all their columns.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "query/answer/escape.h"
#include "query/answer/output.h"
#include "query/export/export_records.h"
#include "schema/core/outfile.h"
#include "schema/core/outfolder.h"

/* How a view is partitioned: not at all, by its own evidence and date, or by its run's. */
typedef enum { WHOLE, BY_OWN, BY_RUN } division;

static const struct {
    const char *view;
    division division;
} datasets[] = {
    {"v_result", BY_OWN}, {"v_sample", BY_RUN}, {"v_run_factor", BY_RUN}, {"v_kernel", BY_RUN},
    {"v_mlperf", BY_OWN}, {"v_spec", WHOLE},    {"v_price_offer", WHOLE}, {"v_device", WHOLE},
    {"v_model", WHOLE},   {"v_source", WHOLE},  {"v_column", WHOLE},
};

/* Numbers of this file, and SQL of their numbers in every file, up to the column. */
#define RESULT_NUMBER                                                                    \
    "(SELECT (e.entry_key | (r.ordinal << 40)) - (e.entry_key & (r.ordinal << 40)) FROM" \
    " result_row r JOIN entry_row e ON e.entry_id = r.entry_id WHERE r.result_id = v."

static const struct {
    const char *column, *sql;
} numbers[] = {
    {"result_id", RESULT_NUMBER},
    {"bound_id", RESULT_NUMBER},
    {"entry_id", "(SELECT e.entry_key FROM entry_row e WHERE e.entry_id = v."},
    {"point_id", "(SELECT p.point_key FROM point p WHERE p.point_id = v."},
    {"process_id", "(SELECT p.process_key FROM process p WHERE p.process_id = v."},
    {"spec_id", "(SELECT s.spec_key FROM spec s WHERE s.spec_id = v."},
    {"price_id", "(SELECT p.price_key FROM price p WHERE p.price_id = v."},
};

typedef struct {
    abdb_outfolder out;
    abdb_outfile file;
    abdb_text path, open, line, header; /* open: the path of the file that is open, or empty */
} partition_writer;

/* Appends the SQL of a column; numbers that engines read differently are cast. */
static void append_column_sql_with_portable_ids(abdb_text *sql, const char *name)
{
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(name, numbers[i].column) == 0) {
            abdb_text_printf(sql, ", %s%s)", numbers[i].sql, name);
            return;
        }
    abdb_text_printf(sql, ", v.\"%s\"", name);
}

/* SQL of a view's rows, whose first two columns are the partition, and the line of its header. */
static abdb_status build_partition_query_and_header(abdb_db *db, size_t dataset_index,
                                                    abdb_text *sql, abdb_text *header,
                                                    abdb_error *err)
{
    static const char *const parts[] = {
        [WHOLE] = "NULL, NULL",
        [BY_OWN] = "v.evidence, CASE WHEN v.date GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]*'"
                   " THEN substr(v.date, 1, 7) END",
        [BY_RUN] = "w.evidence, CASE WHEN w.date GLOB '[0-9][0-9][0-9][0-9]-[0-9][0-9]*'"
                   " THEN substr(w.date, 1, 7) END"};
    division by = datasets[dataset_index].division;
    sqlite3_stmt *s = NULL;
    int columns = 2;
    int code = sqlite3_prepare_v2(db->sql, "SELECT name FROM pragma_table_info(?1)", -1, &s, NULL);

    abdb_text_clear(sql);
    abdb_text_clear(header);
    abdb_text_printf(sql, "SELECT %s", parts[by]);
    if (code == SQLITE_OK)
        code = sqlite3_bind_text(s, 1, datasets[dataset_index].view, -1, SQLITE_STATIC);
    if (code == SQLITE_OK)
        while ((code = sqlite3_step(s)) == SQLITE_ROW) {
            const char *name = abdb_sql_text_or_empty(s, 0);

            if (by != WHOLE && strcmp(name, "evidence") == 0) continue;
            append_column_sql_with_portable_ids(sql, name);
            abdb_text_printf(header, "%s%s", header->size ? "," : "", name);
            columns++;
        }
    sqlite3_finalize(s);
    abdb_text_puts(header, "\n");
    abdb_text_printf(sql, " FROM %s v%s ORDER BY 1, 2", datasets[dataset_index].view,
                     by == BY_RUN ? " JOIN v_run w ON w.entry_id = v.entry_id" : "");
    for (int i = 3; i <= columns; i++) abdb_text_printf(sql, ", %d", i);
    if (code != SQLITE_DONE)
        return abdb_db_report_sqlite_error(db, err, datasets[dataset_index].view);
    return sql->failed || header->failed ? ABDB_FAIL(err, ABDB_NOMEM, "columns") : ABDB_OK;
}

/* --- one row ---------------------------------------------------------------------------------- */

/* NULL is nothing, an empty text is "". */
static void append_sql_value_as_csv(abdb_text *line, sqlite3_stmt *s, int column)
{
    char number[32];
    const char *text;
    double value;

    switch (sqlite3_column_type(s, column)) {
    case SQLITE_NULL: break;
    case SQLITE_INTEGER: abdb_text_printf(line, "%lld", sqlite3_column_int64(s, column)); break;
    case SQLITE_FLOAT:
        value = sqlite3_column_double(s, column);
        abdb_format_double_17_digits(value, number);
        abdb_text_puts(line, isinf(value) ? value < 0 ? "-Infinity" : "Infinity" : number);
        break;
    default:
        text = abdb_sql_text_or_empty(s, column);
        if (*text)
            abdb_append_csv_field_quoted_if_needed(line, text, 0);
        else
            abdb_text_puts(line, "\"\"");
    }
}

static abdb_status write_text_to_partition_file(partition_writer *j, const abdb_text *text,
                                                abdb_error *err)
{
    if (text->failed) return ABDB_FAIL(err, ABDB_NOMEM, "a row");
    if (!abdb_write_sanitized_if_terminal(j->file.file, abdb_text_get(text), text->size))
        return ABDB_FAIL(err, ABDB_IO, "cannot write %s: %s", abdb_text_get(&j->open),
                         strerror(errno));
    return ABDB_OK;
}

/* Closes the file that is open, if any. */
static abdb_status commit_partition_file_if_open(partition_writer *j, abdb_error *err)
{
    if (!j->open.size) return ABDB_OK;
    abdb_text_clear(&j->open);
    return abdb_outfile_commit(&j->file, err);
}

/* The file of this partition is open, with its header. part: its evidence and month, NULL where
 * there is none, as Hive, DuckDB and Spark write it. */
static abdb_status switch_to_partition_file_writing_header(partition_writer *j,
                                                           size_t dataset_index,
                                                           const char *const part[2],
                                                           abdb_error *err)
{
    static const char none[] = "__HIVE_DEFAULT_PARTITION__";
    abdb_status st = ABDB_OK;

    abdb_text_clear(&j->path);
    abdb_text_printf(&j->path, "%s/%s/", j->out.partial_path, datasets[dataset_index].view);
    if (datasets[dataset_index].division != WHOLE)
        abdb_text_printf(&j->path, "evidence=%s/month=%s/", part[0] ? part[0] : none,
                         part[1] ? part[1] : none);
    abdb_text_puts(&j->path, "data.csv");
    if (j->path.failed) return ABDB_FAIL(err, ABDB_NOMEM, "a path");
    if (j->open.size && strcmp(abdb_text_get(&j->open), abdb_text_get(&j->path)) == 0)
        return ABDB_OK;
    TRY(commit_partition_file_if_open(j, err));
    TRY(abdb_outfolder_make_parents_below_partial(&j->out, abdb_text_get(&j->path), err));
    TRY(abdb_outfile_open_refusing_protected(&j->file, abdb_text_get(&j->path), err));
    abdb_text_puts(&j->open, abdb_text_get(&j->path));
    st = write_text_to_partition_file(j, &j->header, err);
done:
    return st;
}

/* Writes a row to the file of its partition, which the first two columns name. */
static abdb_status write_partitioned_row(partition_writer *j, size_t dataset_index, sqlite3_stmt *s,
                                         abdb_error *err)
{
    const char *part[2] = {NULL, NULL};
    abdb_status st = ABDB_OK;

    for (int i = 0; i < 2; i++)
        if (sqlite3_column_type(s, i) != SQLITE_NULL) part[i] = abdb_sql_text_or_empty(s, i);
    TRY(switch_to_partition_file_writing_header(j, dataset_index, part, err));
    abdb_text_clear(&j->line);
    for (int i = 2; i < sqlite3_column_count(s); i++) {
        if (i > 2) abdb_text_puts(&j->line, ",");
        append_sql_value_as_csv(&j->line, s, i);
    }
    abdb_text_puts(&j->line, "\n");
    st = write_text_to_partition_file(j, &j->line, err);
done:
    return st;
}

/* --- one view, all of them -------------------------------------------------------------------- */

/* A view that has no row is a file that has a header only. */
static abdb_status write_partition_files_of_view(partition_writer *j, abdb_db *db,
                                                 size_t dataset_index, abdb_error *err)
{
    static const char *const none[2] = {NULL, NULL};
    abdb_text sql = {0};
    sqlite3_stmt *s = NULL;
    abdb_status st = ABDB_OK;
    int code;

    TRY(build_partition_query_and_header(db, dataset_index, &sql, &j->header, err));
    code = sqlite3_prepare_v2(db->sql, abdb_text_get(&sql), -1, &s, NULL);
    if (code == SQLITE_OK)
        while ((code = sqlite3_step(s)) == SQLITE_ROW)
            TRY(write_partitioned_row(j, dataset_index, s, err));
    if (code != SQLITE_DONE)
        TRY(abdb_db_report_sqlite_error(db, err, datasets[dataset_index].view));
    if (!j->open.size) TRY(switch_to_partition_file_writing_header(j, dataset_index, none, err));
    TRY(commit_partition_file_if_open(j, err));
done:
    sqlite3_finalize(s);
    abdb_text_free(&sql);
    return st;
}

abdb_status abdb_export_partitioned_csv(abdb_db *db, const char *folder, abdb_error *err)
{
    partition_writer j = {0};
    bool begun = false;
    abdb_status st = ABDB_OK;

    TRY(abdb_outfolder_open_refusing_nonempty(&j.out, folder, err));
    if (sqlite3_exec(db->sql, "BEGIN", NULL, NULL, NULL) != SQLITE_OK)
        TRY(abdb_db_report_sqlite_error(db, err, "begin"));
    begun = true;
    for (size_t i = 0; i < sizeof datasets / sizeof *datasets; i++)
        TRY(write_partition_files_of_view(&j, db, i, err));
    TRY(abdb_outfolder_commit(&j.out, err));
done:
    if (begun) sqlite3_exec(db->sql, "ROLLBACK", NULL, NULL, NULL);
    abdb_outfile_discard(&j.file);
    if (st != ABDB_OK) abdb_outfolder_replace_partial_path_in_error(&j.out, folder, err);
    abdb_outfolder_discard(&j.out);
    abdb_text_free(&j.path);
    abdb_text_free(&j.open);
    abdb_text_free(&j.line);
    abdb_text_free(&j.header);
    return st;
}

/* export_database.c - the records of a database as a database of its own; see export_database.h. */
#include "query/export/export_database.h"

#include "query/answer/sql_rows.h"
#include "query/cli/command_line.h"
#include "query/export/export_records.h"

abdb_status abdb_export_to_new_database(abdb_db *db, const char *entries, abdb_redaction *redaction,
                                        const char *path, abdb_error *err)
{
    abdb_db *copy = NULL;
    abdb_writer *writer = NULL;
    abdb_sink sink;
    int known;
    abdb_status st = ABDB_OK;

    TRY(abdb_open_db_for_writing(&copy, &writer, path, &abdb_patience_short, err));
    TRY(abdb_writer_begin_file_unless_known(writer, NULL, &known, NULL, err));
    sink = abdb_writer_make_storing_sink(writer);
    TRY(abdb_export_records_to_sink(db, entries, redaction, &sink, err));
    TRY(abdb_writer_commit_and_withdraw_replaced_imports(writer, NULL, err));
    TRY(abdb_writer_update_derived(writer, err));
done:
    abdb_writer_rollback_and_close(writer);
    abdb_db_close(copy);
    return st;
}

abdb_status abdb_export_unify_dates_delete_pseudonym_salt(const char *path, abdb_db *db,
                                                          abdb_error *err)
{
    static const char newest[] = "SELECT coalesce(max(imported), '') FROM artifact";
    static const char change[] = "UPDATE artifact SET imported = ?1";
    abdb_db *copy = NULL;
    abdb_table found = {0}, none = {0};
    abdb_status st = ABDB_OK;

    TRY(abdb_query_to_table(db->sql, newest, NULL, &found, err));
    TRY(abdb_db_open(&copy, path, ABDB_WRITE, err));
    TRY(abdb_query_to_table(copy->sql, change,
                            &(abdb_binds){1, {{abdb_cell_text_or_empty(&found, 0, 0), 0}}}, &none,
                            err));
    TRY(abdb_db_exec(copy, "DELETE FROM meta WHERE key = 'pseudonyms'", err));
done:
    abdb_table_free(&found);
    abdb_table_free(&none);
    abdb_db_close(copy);
    return st;
}

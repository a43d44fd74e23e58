/* derive_remote.c - the derived rows of a warehouse: names and subjects are made by the same code
 * as in a file, of the statements that may be about one result; the store itself makes the rows of
 * withdrawals and ceilings. */
#include "query/warehouse/encode_rows.h"
#include "query/warehouse/pull.h"
#include "schema/store/derive.h"

#include <stdlib.h>
#include <string.h>

/* Every spelling in use, each in a description of its own: names are made of them. */
static abdb_status fetch_spellings_into_database(abdb_store_client *link, abdb_db *db,
                                                 abdb_error *err)
{
    static const char sql[] =
        "INSERT INTO main.description (description_key, description_key_low, evidence, kind,"
        " source, device, model, workload, submitter, system) VALUES (0, 0, 'published', 'run', '',"
        " ?1, ?2, ?3, ?4, ?5)";
    static const char *const kinds[] = {"device", "model", "workload", "submitter", "system"};
    const char *none[] = {NULL};
    sqlite3_stmt *s = NULL;
    bool more = true;
    abdb_status st = ABDB_OK;

    if (sqlite3_prepare_v2(db->sql, sql, -1, &s, NULL) != SQLITE_OK)
        TRY(abdb_db_report_sqlite_error(db, err, "spellings"));
    TRY(abdb_db_exec(db, "BEGIN", err));
    abdb_store_start_request(link, "spellings", none);
    link->most = ABDB_LINK_ANY;
    TRY(abdb_store_end_and_flush_request(link, false, err));
    while (more) {
        TRY(abdb_store_read_row_or_final_answer(link, &more, err));
        if (!more) break;
        TRY(abdb_store_require_columns(link, 2, err));
        if (!link->word[0] || !link->word[1]) continue;
        sqlite3_clear_bindings(s);
        for (int k = 0; k < 5; k++)
            if (strcmp(link->word[0], kinds[k]) == 0)
                sqlite3_bind_text(s, k + 1, link->word[1], -1, SQLITE_STATIC);
        if (sqlite3_step(s) != SQLITE_DONE) TRY(abdb_db_report_sqlite_error(db, err, "spellings"));
        sqlite3_reset(s);
    }
    TRY(abdb_db_exec(db, "COMMIT", err));
done:
    sqlite3_finalize(s);
    if (!sqlite3_get_autocommit(db->sql)) sqlite3_exec(db->sql, "ROLLBACK", NULL, NULL, NULL);
    return st;
}

/* Replaces the rows of a derived table. */
static abdb_status replace_remote_derived_table(abdb_store_client *link, abdb_db *db,
                                                const char *table, abdb_error *err)
{
    char *sql = sqlite3_mprintf("SELECT * FROM main.%w", table);
    long long rows;
    abdb_status st = ABDB_OK;

    if (!sql) return ABDB_FAIL(err, ABDB_NOMEM, "%s", table);
    TRY(abdb_send_encoded_rows(link, db, "derived", table, sql, &rows, err));
    TRY(abdb_store_read_final_answer(link, err));
done:
    sqlite3_free(sql);
    return st;
}

abdb_status abdb_derive_remote_rows_if_store_asks(abdb_store_client *link, const char *scratch,
                                                  abdb_error *err)
{
    abdb_db *db = NULL;
    const char *said;
    bool names, subjects;
    abdb_status st = ABDB_OK;

    TRY(abdb_store_request_and_read_answer(link, "settle", NULL, err));
    said = abdb_text_get(&link->result_text);
    if (strcmp(said, "nothing") == 0) goto done;
    names = abdb_list_has_word(said, ' ', "names", 5);
    subjects = abdb_list_has_word(said, ' ', "subjects", 8);
    if (names || subjects) {
        TRY(abdb_db_open(&db, scratch, ABDB_CREATE, err));
        if (subjects) TRY(abdb_store_request_and_read_answer(link, "wanted", "mlperf", err));
        TRY(abdb_pull_into_database(link, db, subjects ? ABDB_PULL_VALUES : ABDB_PULL_WORDS, err));
        TRY(fetch_spellings_into_database(link, db, err));
        TRY(abdb_derive_update_in_transaction_if_behind(db, true, err));
        TRY(replace_remote_derived_table(link, db, "name", err));
        TRY(replace_remote_derived_table(link, db, "name_factor", err));
        if (subjects) TRY(replace_remote_derived_table(link, db, "subject", err));
    }
    TRY(abdb_store_request_and_read_answer(link, "settled", NULL, err));
done:
    abdb_db_close(db);
    return st;
}

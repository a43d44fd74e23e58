/* settle.c - the derived rows of a warehouse: names and subjects are made by the very code that
 * makes them in a file, of the statements that may be about one result; what withdrawals leave out
 * and the ceilings the store makes itself. */
#include "query/warehouse/carry.h"
#include "query/warehouse/pull.h"
#include "schema/store/derive.h"

#include <stdlib.h>
#include <string.h>

/* Every spelling in use, each in a description of its own: names are made of them. */
static abdb_status fetch_spellings(abdb_link *link, abdb_db *db, abdb_error *err)
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
        TRY(abdb_db_fail(db, err, "spellings"));
    TRY(abdb_db_exec(db, "BEGIN", err));
    abdb_link_ask(link, "spellings", none);
    TRY(abdb_link_asked(link, false, err));
    while (more) {
        TRY(abdb_link_row(link, &more, err));
        if (!more || link->words < 2 || !link->word[0] || !link->word[1]) continue;
        sqlite3_clear_bindings(s);
        for (int k = 0; k < 5; k++)
            if (strcmp(link->word[0], kinds[k]) == 0)
                sqlite3_bind_text(s, k + 1, link->word[1], -1, SQLITE_STATIC);
        if (sqlite3_step(s) != SQLITE_DONE) TRY(abdb_db_fail(db, err, "spellings"));
        sqlite3_reset(s);
    }
    TRY(abdb_db_exec(db, "COMMIT", err));
done:
    sqlite3_finalize(s);
    if (!sqlite3_get_autocommit(db->sql)) sqlite3_exec(db->sql, "ROLLBACK", NULL, NULL, NULL);
    return st;
}

abdb_status abdb_settle(abdb_link *link, const char *scratch, abdb_error *err)
{
    static const char *const derived[] = {"name", "name_factor", "subject", NULL};
    abdb_db *db = NULL;
    long long rows;
    abdb_status st = ABDB_OK;

    TRY(abdb_link_do(link, "settle", NULL, err));
    if (strcmp(abdb_text_get(&link->said), "0") == 0) goto done;
    TRY(abdb_db_open(&db, scratch, ABDB_CREATE, err));
    TRY(abdb_link_do(link, "wanted", "mlperf", err));
    TRY(abdb_pull_rows(link, db, true, err));
    TRY(fetch_spellings(link, db, err));
    TRY(abdb_derive(db, true, err));
    for (const char *const *t = derived; *t; t++) {
        char *sql = sqlite3_mprintf("SELECT * FROM main.%w", *t);

        st = sql ? abdb_carry_send(link, db, "derived", *t, sql, &rows, err)
                 : ABDB_FAIL(err, ABDB_NOMEM, "%s", *t);
        sqlite3_free(sql);
        if (st == ABDB_OK) st = abdb_link_rest(link, err);
        if (st != ABDB_OK) goto done;
    }
    TRY(abdb_link_do(link, "settled", NULL, err));
done:
    abdb_db_close(db);
    return st;
}

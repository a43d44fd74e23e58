/* upsert.c - which keys are missing, and rows that are added; see upsert.h. */
#include "stores/pg/upsert.h"

#include <stdlib.h>
#include <string.h>

/* A request's table, with its columns and its key's columns as lists of SQL. */
typedef struct {
    const char *table;
    abdb_text name, columns; /* "t"; "a", "b" */
    abdb_text match, order;  /* t."a" = s."a" AND ...: of the key's columns */
    abdb_text differ;        /* (t."b", ...) IS DISTINCT FROM (s."b", ...), or false */
    abdb_text collide;       /* the same of the other halves of keys */
    abdb_text first;         /* the first column */
} upsert_sql;

static void upsert_sql_free(upsert_sql *t)
{
    abdb_text *const all[] = {&t->name,   &t->columns, &t->match, &t->order,
                              &t->differ, &t->collide, &t->first};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) abdb_text_free(all[i]);
}

static bool word_ends_with(const char *word, const char *end)
{
    size_t size = strlen(word), n = strlen(end);

    return size >= n && strcmp(word + size - n, end) == 0;
}

static void append_column_comparison(abdb_text *sql, const char *before, const char *column,
                                     const char *op)
{
    abdb_text_puts(sql, sql->size ? before : "");
    abdb_text_puts(sql, "t.");
    abdb_append_lowercase_quoted_identifier(sql, column);
    abdb_text_puts(sql, op);
    abdb_text_puts(sql, "s.");
    abdb_append_lowercase_quoted_identifier(sql, column);
}

/* One column of the request into the lists. The month of import is the server's. */
static void append_column_to_upsert_lists(upsert_sql *t, const char *column, bool of_key)
{
    abdb_text_puts(&t->columns, t->columns.size ? ", " : "");
    abdb_append_lowercase_quoted_identifier(&t->columns, column);
    if (of_key) {
        append_column_comparison(&t->match, " AND ", column, " = ");
        abdb_text_puts(&t->order, t->order.size ? ", " : "");
        abdb_append_lowercase_quoted_identifier(&t->order, column);
    } else if (word_ends_with(column, "_key_low")) {
        append_column_comparison(&t->collide, " OR ", column, " <> ");
    } else {
        append_column_comparison(&t->differ, " OR ", column, " IS DISTINCT FROM ");
    }
}

/* Builds the SQL by the table's primary key in the catalog. ABDB_IO: no such table. */
static abdb_status build_upsert_sql_parts_by_primary_key(abdb_server *s, const abdb_request *r,
                                                         upsert_sql *t, abdb_error *err)
{
    static const char sql[] =
        "SELECT a.attname FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid"
        " AND a.attnum = ANY (i.indkey) WHERE i.indrelid = to_regclass($1) AND i.indisprimary";
    PGresult *keys = NULL;
    const char *name;
    abdb_status st = ABDB_OK;

    if (r->words < 3) return ABDB_FAIL(err, ABDB_USAGE, "a request without columns");
    t->table = r->word[1];
    abdb_text_puts(&t->name, "abdb.");
    abdb_append_lowercase_quoted_identifier(&t->name, t->table);
    abdb_append_lowercase_quoted_identifier(&t->first, r->word[2]);
    name = abdb_text_get(&t->name);
    TRY(abdb_server_query_and_validate_columns(s, sql, 1, &name, "t", &keys, err));
    if (!PQntuples(keys))
        TRY(ABDB_FAIL(err, ABDB_IO,
                      "the warehouse lacks the table %s, or its primary key: its owner runs `abdb"
                      " push --upgrade`",
                      t->table));
    for (int i = 2; i < r->words; i++) {
        bool of_key = false;

        for (int k = 0; k < PQntuples(keys); k++)
            of_key |= strcmp(PQgetvalue(keys, k, 0), r->word[i]) == 0;
        append_column_to_upsert_lists(t, r->word[i], of_key);
    }
    if (!t->differ.size) abdb_text_puts(&t->differ, "false");
    if (!t->collide.size) abdb_text_puts(&t->collide, "false");
    if (t->columns.failed || t->match.failed || t->differ.failed)
        TRY(ABDB_FAIL(err, ABDB_NOMEM, "a request"));
done:
    PQclear(keys);
    return st;
}

/* Puts the request's rows into a temporary table of these columns. (The planner needs only its
 * size.) */
static abdb_status stage_request_rows_in_temp_table(abdb_server *s, const upsert_sql *t,
                                                    long long *rows, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    TRY(abdb_server_execute_format(
        s, err,
        "DROP TABLE IF EXISTS pg_temp.s; CREATE TEMP TABLE s AS SELECT %s FROM %s"
        " WITH NO DATA",
        abdb_text_get(&t->columns), abdb_text_get(&t->name)));
    TRY(abdb_server_copy_request_rows_in(s, "COPY pg_temp.s FROM STDIN", rows, err));
done:
    return st;
}

/* A request that fails before its rows were heard hears them nevertheless. */
static abdb_status skip_request_rows_return_status(abdb_status st)
{
    size_t size;
    abdb_status heard = ABDB_OK;

    while (abdb_wire_read_row_or_null_at_end(&size, &heard, NULL)) {
    }
    return st;
}

static abdb_status build_sql_and_stage_rows(abdb_server *s, const abdb_request *r, upsert_sql *t,
                                            long long *rows, abdb_error *err)
{
    abdb_status st = build_upsert_sql_parts_by_primary_key(s, r, t, err);

    if (st != ABDB_OK) return skip_request_rows_return_status(st);
    return stage_request_rows_in_temp_table(s, t, rows, err);
}

/* Keys that stand for something else there: their other halves differ. */
static abdb_status fail_if_other_key_halves_differ(abdb_server *s, const upsert_sql *t,
                                                   abdb_error *err)
{
    long long count;
    abdb_text text = {0};
    abdb_status st = ABDB_OK;

    if (strcmp(abdb_text_get(&t->collide), "false") == 0) return ABDB_OK;
    abdb_text_printf(&text, "SELECT count(*) FROM pg_temp.s s JOIN %s t ON %s WHERE %s",
                     abdb_text_get(&t->name), abdb_text_get(&t->match), abdb_text_get(&t->collide));
    if (text.failed) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a request"));
    TRY(abdb_server_query_number_or_0(s, abdb_text_get(&text), &count, err));
    if (count)
        TRY(ABDB_FAIL(err, ABDB_DB,
                      "%lld rows of %s have the first 63 bits of their key in common with others"
                      " there and differ in the rest: a collision of digests; nothing of this was"
                      " added",
                      count, t->table));
done:
    abdb_text_free(&text);
    return st;
}

/* Counts the staged rows whose keys the store has, by their other halves too; other columns are not
 * compared. Where that is all, one join has answered. */
static abdb_status count_staged_rows_with_same_keys(abdb_server *s, const upsert_sql *t,
                                                    long long *count, abdb_error *err)
{
    abdb_text sql = {0};
    abdb_status st;

    abdb_text_printf(&sql, "SELECT count(*) FROM pg_temp.s s JOIN %s t ON %s WHERE NOT (%s)",
                     abdb_text_get(&t->name), abdb_text_get(&t->match), abdb_text_get(&t->collide));
    st = sql.failed ? ABDB_FAIL(err, ABDB_NOMEM, "a request")
                    : abdb_server_query_number_or_0(s, abdb_text_get(&sql), count, err);
    abdb_text_free(&sql);
    return st;
}

abdb_status abdb_send_missing_keys_or_fail_on_collision(abdb_server *s, const abdb_request *r,
                                                        abdb_text *answer, abdb_error *err)
{
    upsert_sql t = {0};
    abdb_text sql = {0};
    long long rows, missing = 0, same;
    abdb_status st = ABDB_OK;

    TRY(build_sql_and_stage_rows(s, r, &t, &rows, err));
    TRY(count_staged_rows_with_same_keys(s, &t, &same, err));
    abdb_text_puts(answer, "0");
    if (same == rows) goto done;
    abdb_text_clear(answer);
    TRY(fail_if_other_key_halves_differ(s, &t, err));
    abdb_text_printf(&sql,
                     "COPY (SELECT s.%s FROM pg_temp.s s EXCEPT SELECT s.%s FROM pg_temp.s s"
                     " JOIN %s t ON %s) TO STDOUT",
                     abdb_text_get(&t.first), abdb_text_get(&t.first), abdb_text_get(&t.name),
                     abdb_text_get(&t.match));
    if (sql.failed) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a request"));
    TRY(abdb_server_copy_out_and_write_rows(s, abdb_text_get(&sql), &missing, err));
    abdb_text_printf(answer, "%lld", missing);
done:
    abdb_text_free(&sql);
    upsert_sql_free(&t);
    return st;
}

/* Counts the staged rows that differ from the stored row of their key. */
static abdb_status count_staged_rows_that_differ(abdb_server *s, const upsert_sql *t,
                                                 long long *count, abdb_error *err)
{
    abdb_text sql = {0};
    abdb_status st;

    abdb_text_printf(&sql, "SELECT count(*) FROM pg_temp.s s JOIN %s t ON %s WHERE %s",
                     abdb_text_get(&t->name), abdb_text_get(&t->match), abdb_text_get(&t->differ));
    st = sql.failed ? ABDB_FAIL(err, ABDB_NOMEM, "a request")
                    : abdb_server_query_number_or_0(s, abdb_text_get(&sql), count, err);
    abdb_text_free(&sql);
    return st;
}

/* INSERT, in the order of keys, so that two writers of the same rows cannot deadlock. It returns
 * the added rows, because Citus counts the sent ones. The first place of an entry is in
 * entry_row, so it gets no witness row. */
static void append_insert_sql_in_key_order(abdb_text *sql, const upsert_sql *t)
{
    const char *not_said =
        strcmp(t->table, "witness_row") != 0
            ? ""
            : " WHERE (s.entry_id, s.artifact_id, s.line, s.place) NOT IN (SELECT e.entry_id,"
              " e.artifact_id, coalesce(e.line, 0), coalesce(e.place, '') FROM abdb.entry_row e"
              " JOIN pg_temp.s x ON x.entry_id = e.entry_id WHERE e.artifact_id IS NOT NULL)";

    abdb_text_printf(sql,
                     "INSERT INTO %s (%s) SELECT %s FROM pg_temp.s s%s ORDER BY %s ON CONFLICT DO"
                     " NOTHING RETURNING %s",
                     abdb_text_get(&t->name), abdb_text_get(&t->columns),
                     abdb_text_get(&t->columns), not_said, abdb_text_get(&t->order),
                     abdb_text_get(&t->first));
}

/* Answers the staged keys that this call did not add. */
static abdb_status send_keys_not_inserted(abdb_server *s, const upsert_sql *t, const PGresult *won,
                                          abdb_error *err)
{
    abdb_text keys = {0}, sql = {0};
    PGresult *lost = NULL;
    const char *value;
    abdb_status st = ABDB_OK;

    abdb_text_puts(&keys, "{");
    for (int i = 0; i < PQntuples(won); i++)
        abdb_text_printf(&keys, "%s%s", i ? "," : "", PQgetvalue(won, i, 0));
    abdb_text_puts(&keys, "}");
    abdb_text_printf(&sql, "SELECT %s FROM pg_temp.s EXCEPT SELECT unnest($1::BIGINT[])",
                     abdb_text_get(&t->first));
    if (keys.failed || sql.failed) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a request"));
    value = abdb_text_get(&keys);
    TRY(abdb_server_query_and_validate_columns(s, abdb_text_get(&sql), 1, &value, "n", &lost, err));
    for (int i = 0; i < PQntuples(lost); i++)
        abdb_wire_write_row_to_stdout(PQgetvalue(lost, i, 0), (size_t)PQgetlength(lost, i, 0));
done:
    PQclear(lost);
    abdb_text_free(&keys);
    abdb_text_free(&sql);
    return st;
}

/* Are there statements of MLPerf among the entries that came? Others may repeat them. */
static abdb_status note_if_mlperf_statements_arrived(abdb_server *s, abdb_error *err)
{
    static const char sql[] = "SELECT EXISTS (SELECT 1 FROM pg_temp.s s JOIN abdb.description d"
                              " ON d.description_id = s.description_id WHERE d.evidence = 'mlperf'"
                              " AND d.kind <> 'run')::INTEGER";
    long long some;
    abdb_status st = abdb_server_query_number_or_0(s, sql, &some, err);

    if (st == ABDB_OK && some) abdb_server_count_added_rows_note_table(s, "mlperf", 1);
    return st;
}

abdb_status abdb_insert_new_rows_count_or_send_rest(abdb_server *s, const abdb_request *r,
                                                    bool send_lost_keys, abdb_text *answer,
                                                    abdb_error *err)
{
    upsert_sql t = {0};
    abdb_text sql = {0};
    PGresult *result = NULL;
    long long rows, added, different = 0;
    abdb_status st = ABDB_OK;

    TRY(build_sql_and_stage_rows(s, r, &t, &rows, err));
    append_insert_sql_in_key_order(&sql, &t);
    if (sql.failed) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a request"));
    TRY(abdb_server_query_and_validate_columns(s, abdb_text_get(&sql), 0, NULL,
                                               send_lost_keys ? "n" : "?", &result, err));
    added = PQntuples(result);
    if (added > rows)
        TRY(ABDB_FAIL(err, ABDB_IO, "the warehouse added %lld rows of %lld", added, rows));
    if (strcmp(t.table, "chunk") != 0)
        abdb_server_count_added_rows_note_table(s, t.table, added); /* is no fact */
    if (send_lost_keys && added) TRY(note_if_mlperf_statements_arrived(s, err));
    if (added < rows) TRY(fail_if_other_key_halves_differ(s, &t, err));
    if (added < rows && !send_lost_keys) TRY(count_staged_rows_that_differ(s, &t, &different, err));
    if (added < rows && send_lost_keys) TRY(send_keys_not_inserted(s, &t, result, err));
    abdb_text_printf(answer, "%lld %lld", added, different);
done:
    PQclear(result);
    abdb_text_free(&sql);
    upsert_sql_free(&t);
    return st;
}

abdb_status abdb_copy_claimed_rows_into_table(abdb_server *s, const abdb_request *r,
                                              abdb_text *answer, abdb_error *err)
{
    upsert_sql t = {0};
    abdb_text sql = {0};
    long long rows;
    abdb_status st = ABDB_OK;

    st = build_upsert_sql_parts_by_primary_key(s, r, &t, err);
    if (st != ABDB_OK) {
        upsert_sql_free(&t);
        return skip_request_rows_return_status(st);
    }
    abdb_text_printf(&sql, "COPY %s (%s) FROM STDIN", abdb_text_get(&t.name),
                     abdb_text_get(&t.columns));
    if (sql.failed) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a request"));
    TRY(abdb_server_copy_request_rows_in(s, abdb_text_get(&sql), &rows, err));
    abdb_server_count_added_rows_note_table(s, t.table, rows);
    abdb_text_printf(answer, "%lld", rows);
done:
    abdb_text_free(&sql);
    upsert_sql_free(&t);
    return st;
}

abdb_status abdb_replace_derived_table_by_request_rows(abdb_server *s, const abdb_request *r,
                                                       abdb_text *answer, abdb_error *err)
{
    static const char *const derived[] = {"name", "name_factor", "subject", NULL};
    const char *name, *columns, *key;
    upsert_sql t = {0};
    long long rows;
    abdb_status st = ABDB_OK;

    if (r->words < 2 || !abdb_text_is_in_list(r->word[1], derived))
        return skip_request_rows_return_status(
            ABDB_FAIL(err, ABDB_USAGE, "no derived table of that name"));
    TRY(build_sql_and_stage_rows(s, r, &t, &rows, err));
    name = abdb_text_get(&t.name);
    columns = abdb_text_get(&t.columns);
    key = abdb_text_get(&t.order);
    TRY(abdb_server_execute_format(
        s, err,
        "DROP TABLE IF EXISTS pg_temp.old; CREATE TEMP TABLE old AS SELECT %s"
        " FROM %s EXCEPT SELECT %s FROM pg_temp.s; DELETE FROM %s WHERE (%s) IN"
        " (SELECT %s FROM pg_temp.old); INSERT INTO %s (%s) SELECT %s FROM"
        " pg_temp.s ON CONFLICT DO NOTHING",
        columns, name, columns, name, key, key, name, columns, columns));
    abdb_text_printf(answer, "%lld", rows);
done:
    upsert_sql_free(&t);
    return st;
}

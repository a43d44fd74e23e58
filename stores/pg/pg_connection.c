/* pg_connection.c - the connection to PostgreSQL; see pg_connection.h. */
#include "stores/pg/pg_connection.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stores/wire_protocol.h"

enum { SAID_MOST = 1 << 16 };

/* Replaces each occurrence of a secret in a message by stars. */
static void mask_each_occurrence_of_secret(char *message, const char *secret)
{
    size_t size = secret ? strlen(secret) : 0;

    for (char *at = message; size && (at = strstr(at, secret)); at += size) memset(at, '*', size);
}

abdb_status abdb_server_fail_hiding_url_and_password(abdb_server *s, abdb_error *err,
                                                     const char *doing)
{
    /* more than a message holds, so that no half of a secret is at its end */
    char *said = strndup(s->connection ? PQerrorMessage(s->connection) : "", SAID_MOST);
    size_t size = said ? strlen(said) : 0;

    while (size && said[size - 1] == '\n') said[--size] = '\0';
    if (said) mask_each_occurrence_of_secret(said, s->url);
    if (said) mask_each_occurrence_of_secret(said, s->password);
    abdb_set_error_return_status(err, ABDB_IO, "%s: %s", doing,
                                 !said   ? "no memory"
                                 : *said ? said
                                         : "the server answered what was not asked for");
    free(said);
    return ABDB_IO;
}

/* The next step after an error of PostgreSQL with this SQLSTATE; NULL: none is known. */
static const char *find_remedy_by_sqlstate(const char *state)
{
    static const struct {
        const char *state, *step;
    } steps[] = {
        {"42P01", "the warehouse lacks a table: its owner runs `abdb push --upgrade`"},
        {"42703", "the warehouse lacks a column: its owner runs `abdb push --upgrade`"},
        {"42883", "the warehouse lacks a function: its owner runs `abdb push --upgrade`"},
        {"3F000", "the warehouse lacks its schema: `abdb push` makes it"},
        {"42501", "a right is missing: members of the role abdb_write add, members of abdb_read"
                  " read, and --upgrade is for the owner"},
    };

    for (size_t i = 0; state && i < sizeof steps / sizeof steps[0]; i++)
        if (strcmp(steps[i].state, state) == 0) return steps[i].step;
    return NULL;
}

/* Fills err from a result. Where the next step is known, the first sentence of PostgreSQL stands
 * beside it, without its statement and its context. */
static abdb_status fail_by_result_with_remedy(abdb_server *s, const PGresult *result,
                                              abdb_error *err)
{
    const char *step = find_remedy_by_sqlstate(PQresultErrorField(result, PG_DIAG_SQLSTATE)),
               *said = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);

    if (!step || !said) return abdb_server_fail_hiding_url_and_password(s, err, "the warehouse");
    return ABDB_FAIL(err, ABDB_IO, "the warehouse: %s; %s", said, step);
}

/* The password that the URL holds is kept apart, to be hidden. libpq's own words about a URL that
 * it cannot read would print it. */
static abdb_status validate_and_store_url_and_password(abdb_server *s, const char *url,
                                                       abdb_error *err)
{
    char *words = NULL;
    PQconninfoOption *all = PQconninfoParse(url, &words);
    abdb_status st = ABDB_OK;

    PQfreemem(words);
    s->url = strdup(url);
    if (!s->url) return ABDB_FAIL(err, ABDB_NOMEM, "a URL");
    if (!all)
        return ABDB_FAIL(err, ABDB_USAGE,
                         "this is no address that libpq reads; one is"
                         " postgresql://USER@HOST/DATABASE, with the password in ~/.pgpass");
    for (PQconninfoOption *o = all; o->keyword; o++)
        if (strcmp(o->keyword, "password") == 0 && o->val && *o->val) {
            s->password = strdup(o->val);
            if (!s->password) st = ABDB_FAIL(err, ABDB_NOMEM, "a URL"); /* it could not be hidden */
        }
    PQconninfoFree(all);
    return st;
}

static void ignore_notice(void *self, const char *message)
{
    (void)self;
    (void)message;
}

abdb_status abdb_server_connect_and_set_session(abdb_server *s, const char *url, abdb_error *err)
{
    static const char *const names[] = {"dbname", "fallback_application_name", "client_encoding",
                                        NULL};
    const char *values[] = {url, "abdb", "UTF8", NULL};
    abdb_status st = ABDB_OK;

    TRY(validate_and_store_url_and_password(s, url, err));
    s->connection = PQconnectdbParams(names, values, 1);
    if (!s->connection) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a connection"));
    if (PQstatus(s->connection) != CONNECTION_OK)
        TRY(abdb_server_fail_hiding_url_and_password(s, err, "the warehouse"));
    PQsetNoticeProcessor(s->connection, ignore_notice, NULL);
    if (PQserverVersion(s->connection) < 130000)
        TRY(ABDB_FAIL(err, ABDB_IO, "PostgreSQL %d is too old: 13 or newer",
                      PQserverVersion(s->connection) / 10000));
    TRY(abdb_server_execute(s, "SET search_path = abdb, public; SET jit = off; SET datestyle = ISO",
                            err));
done:
    return st;
}

void abdb_server_close(abdb_server *s)
{
    PQfinish(s->connection);
    free(s->url);
    free(s->password);
    abdb_text_free(&s->changed_tables);
    *s = (abdb_server){0};
}

void abdb_server_count_added_rows_note_table(abdb_server *s, const char *table, long long rows)
{
    s->added += (long)rows;
    if (rows && !abdb_list_has_word(s->changed_tables.data, ' ', table, strlen(table)))
        abdb_text_printf(&s->changed_tables, "%s%s", s->changed_tables.size ? " " : "", table);
}

abdb_status abdb_server_execute(abdb_server *s, const char *sql, abdb_error *err)
{
    PGresult *result = PQexec(s->connection, sql);
    ExecStatusType is = PQresultStatus(result);
    abdb_status st = ABDB_OK;

    if (is != PGRES_COMMAND_OK && is != PGRES_TUPLES_OK && is != PGRES_EMPTY_QUERY)
        st = fail_by_result_with_remedy(s, result, err);
    PQclear(result);
    return st;
}

abdb_status abdb_server_execute_format(abdb_server *s, abdb_error *err, const char *format, ...)
{
    char *sql = NULL;
    va_list args;
    int size;
    abdb_status st;

    va_start(args, format);
    size = vasprintf(&sql, format, args);
    va_end(args);
    if (size < 0) return ABDB_FAIL(err, ABDB_NOMEM, "a statement");
    st = abdb_server_execute(s, sql, err);
    free(sql);
    return st;
}

/* Is it a whole number as PostgreSQL prints one? */
static bool is_integer_text(const char *text)
{
    const char *digits = text + (*text == '-');

    return *digits && !digits[strspn(digits, "0123456789")];
}

/* Has the answer the expected columns? libpq does not check: a missing value is NULL. */
static abdb_status refuse_unexpected_columns_or_values(const PGresult *result,
                                                       const char *column_types, abdb_error *err)
{
    int columns = (int)strlen(column_types);

    if (PQnfields(result) != columns)
        return ABDB_FAIL(err, ABDB_IO, "the warehouse answered %d columns where %d were asked for",
                         PQnfields(result), columns);
    for (int row = 0; row < PQntuples(result); row++)
        for (int i = 0; i < columns; i++) {
            bool none = PQgetisnull(result, row, i);
            const char *text = PQgetvalue(result, row, i);

            if (none && column_types[i] != '?')
                return ABDB_FAIL(err, ABDB_IO, "the warehouse answered NULL where a value belongs");
            if (strlen(text) != (size_t)PQgetlength(result, row, i))
                return ABDB_FAIL(err, ABDB_IO, "the warehouse answered a text with a NUL");
            if (column_types[i] == 'n' && !is_integer_text(text))
                return ABDB_FAIL(err, ABDB_IO,
                                 "the warehouse answered '%.40s' where a number belongs", text);
        }
    return ABDB_OK;
}

abdb_status abdb_server_begin_and_verify(abdb_server *s, const char *sql, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    TRY(abdb_server_execute(s, sql, err));
    if (PQtransactionStatus(s->connection) != PQTRANS_INTRANS)
        TRY(ABDB_FAIL(err, ABDB_IO, "the warehouse began no transaction"));
done:
    return st;
}

abdb_status abdb_server_commit_and_verify(abdb_server *s, abdb_error *err)
{
    PGresult *result = PQexec(s->connection, "COMMIT");
    bool done = PQresultStatus(result) == PGRES_COMMAND_OK,
         kept = done && strcmp(PQcmdStatus(result), "COMMIT") == 0 &&
                PQtransactionStatus(s->connection) == PQTRANS_IDLE;

    PQclear(result);
    if (!done) return abdb_server_fail_hiding_url_and_password(s, err, "the warehouse");
    return kept ? ABDB_OK
                : ABDB_FAIL(err, ABDB_IO,
                            "the warehouse did not commit: nothing of this transaction is kept");
}

abdb_status abdb_server_query_and_validate_columns(abdb_server *s, const char *sql, int count,
                                                   const char *const *value,
                                                   const char *column_types, PGresult **out,
                                                   abdb_error *err)
{
    ExecStatusType is;
    abdb_status st;

    *out = PQexecParams(s->connection, sql, count, NULL, value, NULL, NULL, 0);
    is = PQresultStatus(*out);
    if (is == PGRES_TUPLES_OK || is == PGRES_COMMAND_OK) {
        if (refuse_unexpected_columns_or_values(*out, column_types, err) == ABDB_OK) return ABDB_OK;
        PQclear(*out);
        *out = NULL;
        return ABDB_IO;
    }
    st = fail_by_result_with_remedy(s, *out, err);
    PQclear(*out);
    *out = NULL;
    return st;
}

abdb_status abdb_server_query_number_or_0(abdb_server *s, const char *sql, long long *out,
                                          abdb_error *err)
{
    PGresult *result;
    abdb_status st = abdb_server_query_and_validate_columns(s, sql, 0, NULL, "?", &result, err);
    const char *text;

    *out = 0;
    if (st != ABDB_OK) return st;
    text = PQntuples(result) && !PQgetisnull(result, 0, 0) ? PQgetvalue(result, 0, 0) : "0";
    if (!abdb_integer_parse_in_range(text, ABDB_MARK_POINT, LLONG_MIN, LLONG_MAX, out))
        st = ABDB_FAIL(err, ABDB_IO, "the warehouse answered '%.40s' where a number belongs", text);
    PQclear(result);
    return st;
}

/* The end of a COPY: *rows is the number of rows of the command. */
static abdb_status finish_copy_get_row_count(abdb_server *s, long long *rows, abdb_error *err)
{
    PGresult *result = PQgetResult(s->connection);
    bool fine = PQresultStatus(result) == PGRES_COMMAND_OK;
    abdb_status st = ABDB_OK;

    if (fine)
        *rows = abdb_digits_parse_prefix_up_to_max_or(PQcmdTuples(result), LLONG_MAX, 0);
    else
        st = fail_by_result_with_remedy(s, result, err);
    PQclear(result);
    while ((result = PQgetResult(s->connection))) PQclear(result);
    return st;
}

abdb_status abdb_server_copy_request_rows_in(abdb_server *s, const char *sql, long long *rows,
                                             abdb_error *err)
{
    PGresult *result = PQexec(s->connection, sql);
    bool ready = PQresultStatus(result) == PGRES_COPY_IN, sent = ready;
    abdb_status st = ready ? ABDB_OK : fail_by_result_with_remedy(s, result, err), heard = ABDB_OK;
    const char *row;
    size_t size;

    PQclear(result);
    while ((row = abdb_wire_read_row_or_null_at_end(&size, &heard, st == ABDB_OK ? err : NULL)))
        if (sent) sent = PQputCopyData(s->connection, row, (int)size) == 1;
    if (!ready) return st;
    if (heard != ABDB_OK) {
        PQputCopyEnd(s->connection, "the rows broke off");
        return heard;
    }
    if (PQputCopyEnd(s->connection, NULL) != 1)
        return abdb_server_fail_hiding_url_and_password(s, err, "the warehouse");
    return finish_copy_get_row_count(s, rows, err);
}

abdb_status abdb_server_copy_out_and_write_rows(abdb_server *s, const char *sql, long long *rows,
                                                abdb_error *err)
{
    PGresult *result = PQexec(s->connection, sql);
    bool ready = PQresultStatus(result) == PGRES_COPY_OUT;
    bool lines = true;
    char *row;
    int size;
    long long said = 0;
    abdb_status st = ready ? ABDB_OK : fail_by_result_with_remedy(s, result, err);

    PQclear(result);
    if (!ready) return st;
    while (lines && (size = PQgetCopyData(s->connection, &row, 0)) > 0) {
        /* a row is a line; two in one could end the answer */
        lines = memchr(row, '\n', (size_t)size) == row + size - 1;
        if (lines) abdb_wire_write_row_to_stdout(row, (size_t)size - 1);
        PQfreemem(row);
        said++;
    }
    if (!lines) return ABDB_FAIL(err, ABDB_IO, "the warehouse answered a row that is not a line");
    TRY(finish_copy_get_row_count(s, rows, err));
    if (said != *rows)
        TRY(ABDB_FAIL(err, ABDB_IO, "the warehouse answered %lld rows of %lld", said, *rows));
done:
    return st;
}

void abdb_append_lowercase_quoted_identifier(abdb_text *sql, const char *name)
{
    abdb_text_puts(sql, "\"");
    for (; *name; name++) {
        char small = *name >= 'A' && *name <= 'Z' ? (char)(*name - 'A' + 'a') : *name;

        if (small == '"') abdb_text_puts(sql, "\"");
        abdb_text_add(sql, &small, 1);
    }
    abdb_text_puts(sql, "\"");
}

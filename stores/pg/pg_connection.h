/* pg_connection.h - the connection to PostgreSQL: libpq's calls as statuses, and errors that name
 * no password. */
#ifndef ABDB_STORES_SERVER_H
#define ABDB_STORES_SERVER_H

#include <postgresql/libpq-fe.h>
#include <stdbool.h>

#include "schema/core/error.h"
#include "schema/core/text.h"

typedef struct {
    PGconn *connection;
    char *url, *password;     /* must not appear in messages */
    long added;               /* rows that it added */
    abdb_text changed_tables; /* to which tables */
} abdb_server;

/* Connects; passwords, TLS and service files are libpq's own. ABDB_IO: no server, no right to be
 * there; ABDB_USAGE: libpq cannot read the URL. */
ABDB_MUST_USE abdb_status abdb_server_connect_and_set_session(abdb_server *s, const char *url,
                                                              abdb_error *err);
void abdb_server_close(abdb_server *s);
/* Notes that the transaction added rows to a table. */
void abdb_server_count_added_rows_note_table(abdb_server *s, const char *table, long long rows);
/* Runs statements that give nothing that anybody wants. */
ABDB_MUST_USE abdb_status abdb_server_execute(abdb_server *s, const char *sql, abdb_error *err);
/* The same of a formatted text. */
ABDB_MUST_USE abdb_status abdb_server_execute_format(abdb_server *s, abdb_error *err,
                                                     const char *format, ...) ABDB_PRINTF(3, 4);
/* Runs statements that begin a transaction. ABDB_IO also where the server reports none. */
ABDB_MUST_USE abdb_status abdb_server_begin_and_verify(abdb_server *s, const char *sql,
                                                       abdb_error *err);
/* Commits. ABDB_IO also where the server rolls back instead, as it does after an error. */
ABDB_MUST_USE abdb_status abdb_server_commit_and_verify(abdb_server *s, abdb_error *err);
/* One statement with text parameters; *out is the caller's to clear (PQclear). `shape` has a letter
 * for each column of the rows that it must give: n a whole number, t a text, ? either or NULL.
 * ABDB_IO: the server answers otherwise. */
ABDB_MUST_USE abdb_status abdb_server_query_and_validate_columns(abdb_server *s, const char *sql,
                                                                 int count,
                                                                 const char *const *value,
                                                                 const char *column_types,
                                                                 PGresult **out, abdb_error *err);
/* Its first number, 0 where it gives none or NULL. */
ABDB_MUST_USE abdb_status abdb_server_query_number_or_0(abdb_server *s, const char *sql,
                                                        long long *out, abdb_error *err);
/* The request's rows into COPY ... FROM STDIN; *rows of them. */
ABDB_MUST_USE abdb_status abdb_server_copy_request_rows_in(abdb_server *s, const char *sql,
                                                           long long *rows, abdb_error *err);
/* The rows of COPY ... TO STDOUT as rows of the answer. */
ABDB_MUST_USE abdb_status abdb_server_copy_out_and_write_rows(abdb_server *s, const char *sql,
                                                              long long *rows, abdb_error *err);
/* Adds a name, quoted; in small letters, as the SQL that made the tables left them. */
void abdb_append_lowercase_quoted_identifier(abdb_text *sql, const char *name);
/* Fills err with the server's last message, without the URL and its password. */
abdb_status abdb_server_fail_hiding_url_and_password(abdb_server *s, abdb_error *err,
                                                     const char *doing);

#endif

/* cmd_mcp.c - abdb mcp: a server of the Model Context Protocol on standard input and output. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "query/mcp/messages.h"
#include "query/verbs/table_output.h"
#include "schema/core/outfile.h"

/* The line that is being read. over: it is too long, and its kept part is no message. */
typedef struct {
    abdb_text held;
    bool over;
} line_reader;

/* Writes an answer as one line to standard output. */
static abdb_status write_answer_line_and_free(json_t *answer, abdb_error *err)
{
    char *text = json_dumps(answer, JSON_COMPACT | JSON_REAL_PRECISION(15));
    bool written = text && abdb_write_sanitized_if_terminal(stdout, text, strlen(text)) &&
                   abdb_write_sanitized_if_terminal(stdout, "\n", 1) && fflush(stdout) == 0;

    free(text);
    json_decref(answer);
    if (!text) return ABDB_FAIL(err, ABDB_NOMEM, "an answer");
    return written ? ABDB_OK : ABDB_FAIL(err, ABDB_IO, "the client reads no answers any more");
}

/* Adds bytes to the line at hand, and answers each line that they end. */
static abdb_status buffer_bytes_and_answer_whole_lines(const abdb_mcp_server *server,
                                                       line_reader *in, const char *data,
                                                       size_t size, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    while (size) {
        const char *end = memchr(data, '\n', size);
        size_t part = end ? (size_t)(end - data) : size;
        json_t *answer;

        if (in->held.size + part > ABDB_MCP_MESSAGE_MAX) in->over = true;
        if (!in->over) abdb_text_add(&in->held, data, part);
        data += part + (end != NULL);
        size -= part + (end != NULL);
        if (!end) break;
        /* of a line that is too long only its beginning is looked at, which is no message */
        answer = in->held.size || in->over
                     ? abdb_mcp_answer_message(server, in->over ? "" : abdb_text_get(&in->held),
                                               in->over ? 0 : in->held.size)
                     : NULL;
        abdb_text_clear(&in->held);
        in->over = false;
        if (answer) TRY(write_answer_line_and_free(answer, err));
    }
done:
    return st;
}

/* Answers messages until standard input ends. */
static abdb_status answer_stdin_messages_until_end(const abdb_mcp_server *server, abdb_error *err)
{
    line_reader in = {0};
    char buffer[1 << 16];
    ssize_t n = 0;
    abdb_status st = ABDB_OK;

    while ((n = read(STDIN_FILENO, buffer, sizeof buffer)) != 0) {
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) TRY(ABDB_FAIL(err, ABDB_IO, "standard input: %s", strerror(errno)));
        TRY(buffer_bytes_and_answer_whole_lines(server, &in, buffer, (size_t)n, err));
    }
    if (in.held.size || in.over)
        TRY(buffer_bytes_and_answer_whole_lines(server, &in, "\n", 1, err));
done:
    abdb_text_free(&in.held);
    return st;
}

/* Checks the database and serves. */
static abdb_status check_database_and_serve_mcp(int argc, char **argv, abdb_error *err)
{
    abdb_mcp_server server = {.rows_max = 200};
    long long rows = 200;
    abdb_args args;
    abdb_db *db = NULL;
    const char *limit;
    abdb_status st = ABDB_OK;

    TRY(abdb_args_parse(&args, argc, argv, "mcp", NULL, err));
    if (args.positionals) TRY(ABDB_FAIL(err, ABDB_USAGE, "mcp takes no words"));
    limit = abdb_arg_value(&args, "rows");
    if (limit && !abdb_integer_parse_in_range(limit, ABDB_MARK_UNKNOWN, 1, 100000, &rows))
        TRY(ABDB_FAIL(err, ABDB_USAGE, "--rows wants a number of rows, not '%s'", limit));
    TRY(abdb_parse_timeout_option(&args, &server.timeout_s, err));
    server.rows_max = (size_t)rows;
    server.db = abdb_arg_db_path(&args);
    TRY(abdb_db_open(&db, server.db, ABDB_READ, err)); /* is it there, and one of ours? */
    abdb_db_close(db);
    db = NULL;
    TRY(answer_stdin_messages_until_end(&server, err));
done:
    abdb_db_close(db);
    return st;
}

int abdb_cmd_mcp(int argc, char **argv)
{
    abdb_error err;

    return check_database_and_serve_mcp(argc, argv, &err) == ABDB_OK
               ? 0
               : abdb_print_error_return_exit_code(&err);
}

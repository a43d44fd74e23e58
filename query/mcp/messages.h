/* messages.h - the messages of the Model Context Protocol: JSON-RPC 2.0, one a line. */
#ifndef ABDB_MCP_MESSAGES_H
#define ABDB_MCP_MESSAGES_H

#include <jansson.h>

#include "schema/core/error.h"

enum { ABDB_MCP_MESSAGE_MAX = 1 << 20 }; /* bytes of a message */

typedef struct {
    const char *db;   /* the queried database */
    double timeout_s; /* of each call */
    size_t rows_max;  /* of each answer; the others are counted */
} abdb_mcp_server;

/* Answers one message. NULL: it wants no answer (a notification). A new reference; it always holds
 * an answer of the protocol, an error among them where memory is short or the message is none.
 * Size 0: the line was longer than ABDB_MCP_MESSAGE_MAX. */
json_t *abdb_mcp_answer_message(const abdb_mcp_server *server, const char *text, size_t size);

#endif

/* tools.h - the tools that abdb mcp offers: each a verb of the command line that only reads. */
#ifndef ABDB_MCP_TOOLS_H
#define ABDB_MCP_TOOLS_H

#include <jansson.h>

#include "schema/core/error.h"
#include "schema/core/text.h"

typedef enum {
    ABDB_TOOL_END,
    ABDB_TOOL_WORD,   /* a word of the command line, in this order */
    ABDB_TOOL_OPTION, /* --name=value */
    ABDB_TOOL_FLAG,   /* --name, where true */
    ABDB_TOOL_INPUT,  /* a text that the command reads from standard input */
    ABDB_TOOL_PARAMS /* an object of parameters of the report or figure that the first word names */
} abdb_tool_argument_kind;

typedef struct {
    abdb_tool_argument_kind kind;
    const char *name, *description;
    bool required;
} abdb_tool_argument;

typedef struct {
    const char *name, *verb, *description;
    const char *fixed; /* an option that is always given */
    const abdb_tool_argument *arguments;
    const char *report; /* a report that is always named, or NULL */
} abdb_tool;

extern const abdb_tool abdb_tools[]; /* end: name NULL */
const abdb_tool *abdb_tool_find(const char *name);
/* The list of tools with their JSON schemas; a new reference. NULL: no memory. */
json_t *abdb_tools_to_json(void);
/* The text that a call gives for standard input; NULL: none. */
const char *abdb_tool_input_text_or_null(const abdb_tool *tool, const json_t *arguments);
/* The words of the command line for a call of a tool, from arena; NULL ends them. ABDB_USAGE: an
 * argument that it lacks or does not have, or one of another type. */
ABDB_MUST_USE abdb_status abdb_tool_build_command(const abdb_tool *tool, const json_t *arguments,
                                                  const char *db, const char **command, size_t room,
                                                  abdb_arena *arena, abdb_error *err);

#endif

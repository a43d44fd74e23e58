/* command_line.h - the command table, options, output files and messages of the abdb program.
 *
 * Each verb is a row of commands.def: dispatch, help, man page and completion all come from there.
 */
#ifndef ABDB_QUERY_CLI_H
#define ABDB_QUERY_CLI_H

#include <stdbool.h>
#include <stdio.h>

#include "query/answer/option.h"
#include "query/answer/output.h"
#include "schema/core/text.h"
#include "schema/core/version.h"
#include "schema/store/db.h"
#include "schema/store/write.h"

enum { ABDB_GIVEN_MAX = 256, ABDB_OPTION_MAX = 96 };
/* Bytes of an argument: each may be escaped threefold in a pattern, which has at most 50000 bytes
 * in SQLite. And of a name, which may be a path. */
enum { ABDB_ARGUMENT_MOST = 16000, ABDB_NAME_MOST = 4096 };

typedef struct {
    const abdb_option *option[ABDB_OPTION_MAX];
    size_t options, count;
    struct {
        const char *name, *value;
    } given[ABDB_GIVEN_MAX];
    char **positional;
    int positionals;
} abdb_args;

/* Properties of a verb beside its own options. */
enum {
    ABDB_PRINTS_ROWS = 1, /* the output options */
    ABDB_TAKES_NAME = 2,  /* the name of a report or figure first, which has help of its own */
    ABDB_HAS_DEADLINE = 4 /* --timeout, for all of it */
};

/* Under which head the help of all verbs lists one. */
typedef enum { ABDB_ASK, ABDB_MEASURE, ABDB_KEEP, ABDB_TIER_COUNT } abdb_verb_tier;

typedef struct {
    const char *name;
    abdb_verb_tier tier;
    const char *synopsis, *summary;
    const abdb_option *options;
    int takes;
    const char *details;  /* paragraphs for --help and the man page */
    const char *examples; /* a line each */
} abdb_command;
extern const abdb_command abdb_commands[]; /* end: name NULL */
const abdb_command *abdb_command_find(const char *name);

/* Options of every verb, and options of every verb that prints rows. */
extern const abdb_option abdb_common_options[], abdb_output_options[];

/* Parses argv[1..] by getopt_long against the options of a verb, the common options, and `more` (a
 * report's; may be NULL), and protects the database and each input file from the outputs of this
 * command (schema/core/outguard.h). ABDB_USAGE: unknown option (the
 * nearest is named), missing argument, a name that is too long or has a line break or another
 * control character; standard output is a protected file. */
ABDB_MUST_USE abdb_status abdb_args_parse(abdb_args *args, int argc, char **argv, const char *verb,
                                          const abdb_option *more, abdb_error *err);
/* Place in argv of the first word that is neither an option of the verb or of all, nor the
 * argument of one; 0: there is none. An option of a report or figure is known only with its name.
 */
int abdb_first_positional_index(const char *verb, int argc, char **argv);
/* The last value given for an option; "" for a flag; NULL when it was not given. */
const char *abdb_arg_value(const abdb_args *args, const char *name);
/* The next value of a repeated option from *at on, or NULL. */
const char *abdb_arg_next_value(const abdb_args *args, const char *name, size_t *search_from);
/* --db, or ABDB_DB, or ./abdb.db. */
const char *abdb_arg_db_path(const abdb_args *args);

/* Protects the database that the command line and ABDB_DB name, and checks that neither standard
 * output nor standard error is it. ABDB_USAGE: one is; then the stream that is leads elsewhere. */
ABDB_MUST_USE abdb_status abdb_refuse_and_divert_streams_onto_database(int argc, char **argv,
                                                                       abdb_error *err);
/* Prints "abdb: message" to standard error and returns the exit code of the status. */
int abdb_print_error_return_exit_code(const abdb_error *err);

/* Opens the database for writing, makes it if need be, and gives it this build's vocabulary
 * (sources, devices, models, aliases). */
ABDB_MUST_USE abdb_status abdb_open_db_for_writing(abdb_db **db, abdb_writer **writer,
                                                   const char *path,
                                                   const abdb_busy_timeout *patience,
                                                   abdb_error *err);
/* --busy SECONDS of a verb that writes; with --quiet no message about the wait is printed. */
ABDB_MUST_USE abdb_status abdb_busy_timeout_from_args(const abdb_args *args, abdb_busy_timeout *out,
                                                      abdb_error *err);
/* Folder of the running program, and of the data it ships (NULL: not found). From arena. */
const char *abdb_program_folder(abdb_arena *arena);
const char *abdb_shipped_data_folder(abdb_arena *arena);
/* The file abdb.wasm: $ABDB_WASM, or beside the program, or installed. NULL: there is none. */
const char *abdb_find_wasm_program(abdb_arena *arena);

/* Each verb runs in a function of its name and gives the exit code. */
#define VERB(name, ...) int abdb_cmd_##name(int argc, char **argv);
#include "query/cli/commands.def"
#undef VERB
/* Prints words folded at 88 columns; lines after the first are indented so far. */
void abdb_print_paragraphs_wrapped(FILE *out, const char *text, int indent);
/* Prints the help of one verb, or of all (NULL). */
void abdb_print_help_of_verb_or_program(FILE *out, const abdb_command *command);

#endif

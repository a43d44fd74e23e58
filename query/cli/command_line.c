/* command_line.c - options, messages and paths of the abdb program. getopt_long parses them;
 * callers read them by name. See command_line.h. */
#include "query/cli/command_line.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "query/answer/table.h"
#include "schema/core/outguard.h"

enum { FIRST_LONG = 1000 }; /* the code of the first long option */

const abdb_option abdb_common_options[] = {
    {"db", 0, "FILE", "database (default: $ABDB_DB, else ./abdb.db)"},
    {"help", 'h', NULL, "this help"},
    {NULL, 0, NULL, NULL}};

const abdb_option abdb_output_options[] = {
    {"format", 'o', "FORMAT", ABDB_FORMAT_NAMES},
    {"json", 0, NULL, "the same as -o json"},
    {"spreadsheet", 0, NULL,
     "of -o csv: texts are quoted, with ' before those that a spreadsheet would compute"},
    {"out", 0, "PATH", "write to PATH instead of standard output"},
    {"wide", 0, NULL, "on a terminal: as many columns as fit, not nine at most"},
    {"brief", 0, NULL, "the rows; notes and footnotes are only counted"},
    {NULL, 0, NULL, NULL}};

static bool verb_has_option(const abdb_args *args, const char *name)
{
    for (size_t i = 0; i < args->options; i++)
        if (strcmp(args->option[i]->name, name) == 0) return true;
    return false;
}

/* Adds the options of a list with new names: the verb's own options, added first, prevail. */
static void append_options_not_yet_listed(abdb_args *args, const abdb_option *list)
{
    for (; list && list->name && args->options < ABDB_OPTION_MAX; list++)
        if (*list->name && !verb_has_option(args, list->name)) args->option[args->options++] = list;
}

/* Names that other programs give to our options: accepted where the verb has the option. */
static const struct {
    const char *typed, *option, *meant;
} others[] = {{"-o", "out", "out"},
              {"--csv", "format", "format csv"},
              {"--jsonl", "format", "format jsonl"},
              {"--markdown", "format", "format markdown"},
              {"--html", "format", "format html"},
              {"--latex", "format", "format latex"},
              {"--top", "limit", "limit"},
              {"--file", "out", "out"},
              {"--only", "devices", "devices"},
              {"--budget", "max-usd-per-hour", "max-usd-per-hour"},
              {"--max-price", "max-usd-per-hour", "max-usd-per-hour"},
              {"--users", "rate", "rate 4k/s (users x tokens per second of each)"},
              {"--qps", "rate", "rate"},
              {"--slo", "tpot", "tpot or --ttft"},
              {"--gate", "fail-on", "fail-on slower"},
              {"--fail", "fail-on", "fail-on slower"},
              {"-n", "limit", "limit"},
              {"--png", "type", "type png"},
              {"--svg", "type", "type svg"},
              {"--pdf", "type", "type pdf"},
              {"--width", "size", "size 88mm"},
              {"--height", "size", "size 720x440"}};

/* The error of an option that the verb lacks, with the nearest one. */
static abdb_status fail_unknown_option_with_suggestion(const abdb_args *args, const char *given,
                                                       abdb_error *err)
{
    const char *names[ABDB_OPTION_MAX], *near = NULL;

    for (size_t i = 0; i < args->options; i++) names[i] = args->option[i]->name;
    for (size_t i = 0; !near && i < sizeof others / sizeof *others; i++)
        if (strcmp(given, others[i].typed) == 0 && verb_has_option(args, others[i].option))
            near = others[i].meant;
    if (!near && strncmp(given, "--", 2) == 0) {
        char name[64];

        snprintf(name, sizeof name, "%.*s", (int)strcspn(given + 2, "="), given + 2);
        near = abdb_nearest_name(name, names, args->options);
    }
    return ABDB_FAIL(err, ABDB_USAGE, "unknown option '%s'%s%s%s", given,
                     near ? ", did you mean --" : "", near ? near : "",
                     near ? "?" : "; see --help");
}

/* The option for getopt_long's return value; NULL: no option. */
static const abdb_option *option_of_getopt_code(const abdb_args *args, int code)
{
    if (code >= FIRST_LONG) return args->option[code - FIRST_LONG];
    for (size_t i = 0; i < args->options; i++)
        if (args->option[i]->letter == code) return args->option[i];
    return NULL;
}

/* Is the argument of the option an input file? True where the table of options has FILE, except
 * for the output and the database. */
static bool option_argument_is_input_file(const abdb_args *args, const char *name)
{
    if (strcmp(name, "out") == 0 || strcmp(name, "db") == 0) return false;
    for (size_t i = 0; i < args->options; i++)
        if (strcmp(args->option[i]->name, name) == 0)
            return args->option[i]->argument && strstr(args->option[i]->argument, "FILE");
    return false;
}

static bool synopsis_says_positionals_are_files(const abdb_command *command)
{
    static const char *const words[] = {"FILE", "PATH", "PROGRAM", ".db"};

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strstr(command->synopsis, words[i])) return true;
    return false;
}

/* Does the option name an output of the command? */
static bool option_argument_is_output_path(const char *name)
{
    static const char *const outputs[] = {"out", "bundle", "partition", "plot", "record", "spool"};

    for (size_t i = 0; i < sizeof outputs / sizeof *outputs; i++)
        if (strcmp(name, outputs[i]) == 0) return true;
    return false;
}

/* Protects the database and each input file of the command line, then checks the target of standard
 * output and the command's output files. */
static abdb_status protect_inputs_refuse_unsafe_outputs(const abdb_args *args,
                                                        const abdb_command *command,
                                                        abdb_error *err)
{
    abdb_status st = ABDB_OK;

    TRY(abdb_outguard_protect_database(abdb_arg_db_path(args), err));
    for (size_t i = 0; i < args->count; i++)
        if (option_argument_is_input_file(args, args->given[i].name))
            TRY(abdb_outguard_protect_input_if_regular(args->given[i].value, err));
    for (int i = 0; i < args->positionals && synopsis_says_positionals_are_files(command); i++)
        if (strstr(command->synopsis, ".db"))
            TRY(abdb_outguard_protect_database(args->positional[i], err));
        else
            TRY(abdb_outguard_protect_input_if_regular(args->positional[i], err));
    TRY(abdb_outguard_refuse_protected_path(NULL, err));
    for (size_t i = 0; i < args->count; i++)
        if (option_argument_is_output_path(args->given[i].name))
            TRY(abdb_outguard_refuse_protected_path(args->given[i].value, err));
done:
    return st;
}

abdb_status abdb_refuse_and_divert_streams_onto_database(int argc, char **argv, abdb_error *err)
{
    const char *path = getenv("ABDB_DB");
    abdb_error unsaid;
    abdb_status st = ABDB_OK;

    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strncmp(argv[i], "--db=", 5) == 0)
            path = argv[i] + 5;
        else if (strcmp(argv[i], "--db") == 0 && i + 1 < argc)
            path = argv[++i];
    TRY(abdb_outguard_protect_database(path && *path ? path : "abdb.db", err));
    TRY(abdb_outguard_refuse_protected_path(NULL, err));
    st = abdb_outguard_refuse_protected_descriptor(STDERR_FILENO, "standard error", err);
done:
    /* the error message must not be written into the database either */
    for (int file = STDOUT_FILENO; file <= STDERR_FILENO && st != ABDB_OK; file++)
        if (abdb_outguard_refuse_protected_descriptor(file, "", &unsaid) != ABDB_OK) {
            int other = file == STDERR_FILENO && abdb_outguard_refuse_protected_descriptor(
                                                     STDOUT_FILENO, "", &unsaid) == ABDB_OK
                            ? dup(STDOUT_FILENO)
                            : open("/dev/null", O_RDWR | O_CLOEXEC);

            if (other >= 0 && dup2(other, file) >= 0) close(other);
        }
    return st;
}

/* Checks the argument of an option. An argument that is no free text is a name or a list of them;
 * of a command only the part before the equals sign is a name. */
static abdb_status refuse_long_or_unprintable_option_argument(const abdb_option *option,
                                                              const char *value, abdb_error *err)
{
    static const char *const free_texts[] = {"TEXT",   "SELECTION", "FILE", "DIR",
                                             "FOLDER", "PATH",      "URL",  "WORDS",
                                             "QUOTES", "OPTION",    NULL};
    bool command = strcmp(option->name, "command") == 0;
    size_t size = command ? strcspn(value, "=") : strlen(value), most = ABDB_ARGUMENT_MOST;
    char what[64];

    snprintf(what, sizeof what, "--%s", option->name);
    if (command || strcmp(option->argument, "NAME") == 0) most = ABDB_NAME_MOST;
    if (!abdb_text_is_in_list(option->argument, free_texts))
        return abdb_check_name_is_short_printable_utf8(what, value, size, most, err);
    return size <= most ? ABDB_OK
                        : ABDB_FAIL(err, ABDB_USAGE, "%s has %zu bytes: more than %zu are none",
                                    what, size, most);
}

/* Checks that words beside the options are no longer than a name or a path may be. Free text, that
 * is SQL and notes, has no such limit. */
static abdb_status refuse_overlong_positionals_except_free_text(const abdb_args *args,
                                                                const char *verb, abdb_error *err)
{
    static const char *const free_words[] = {"query", "note", NULL};

    for (int i = 0; i < args->positionals && !abdb_text_is_in_list(verb, free_words); i++)
        if (strlen(args->positional[i]) > ABDB_ARGUMENT_MOST)
            return ABDB_FAIL(err, ABDB_USAGE, "'%.40s...' has %zu bytes: more than %d are no name",
                             args->positional[i], strlen(args->positional[i]), ABDB_ARGUMENT_MOST);
    return ABDB_OK;
}

abdb_status abdb_args_parse(abdb_args *args, int argc, char **argv, const char *verb,
                            const abdb_option *more, abdb_error *err)
{
    const abdb_command *command = abdb_command_find(verb);
    struct option longs[ABDB_OPTION_MAX + 1] = {0};
    char shorts[2 * ABDB_OPTION_MAX + 2] = ":";
    size_t used = 1;
    int code, at = 0;

    *args = (abdb_args){0};
    append_options_not_yet_listed(args, more);
    append_options_not_yet_listed(args, command->options);
    if (command->takes & ABDB_PRINTS_ROWS) append_options_not_yet_listed(args, abdb_output_options);
    append_options_not_yet_listed(args, abdb_common_options);
    for (size_t i = 0; i < args->options; i++) {
        longs[i] = (struct option){args->option[i]->name,
                                   args->option[i]->argument ? required_argument : no_argument,
                                   NULL, FIRST_LONG + (int)i};
        if (!args->option[i]->letter) continue;
        shorts[used++] = args->option[i]->letter;
        if (args->option[i]->argument) shorts[used++] = ':';
    }
    shorts[used] = '\0';
    opterr = 0;
    optind = 0;
    while ((code = getopt_long(argc, argv, shorts, longs, &at)) != -1) {
        const abdb_option *option = option_of_getopt_code(args, code);

        if (code == ':')
            return ABDB_FAIL(err, ABDB_USAGE, "%s wants an argument", argv[optind - 1]);
        if (!option)
            return fail_unknown_option_with_suggestion(
                args,
                optopt && optopt < FIRST_LONG ? (char[]){'-', (char)optopt, 0} : argv[optind - 1],
                err);
        if (args->count == ABDB_GIVEN_MAX)
            return ABDB_FAIL(err, ABDB_USAGE, "at most %d options", ABDB_GIVEN_MAX);
        if (optarg && refuse_long_or_unprintable_option_argument(option, optarg, err) != ABDB_OK)
            return ABDB_USAGE;
        args->given[args->count].name = option->name;
        args->given[args->count++].value = optarg ? optarg : "";
    }
    args->positional = argv + optind;
    args->positionals = argc - optind;
    if (refuse_overlong_positionals_except_free_text(args, verb, err) != ABDB_OK) return ABDB_USAGE;
    return protect_inputs_refuse_unsafe_outputs(args, command, err);
}

const char *abdb_arg_value(const abdb_args *args, const char *name)
{
    for (size_t i = args->count; i-- > 0;)
        if (strcmp(args->given[i].name, name) == 0) return args->given[i].value;
    return NULL;
}

const char *abdb_arg_next_value(const abdb_args *args, const char *name, size_t *search_from)
{
    while (*search_from < args->count) {
        size_t i = (*search_from)++;

        if (strcmp(args->given[i].name, name) == 0) return args->given[i].value;
    }
    return NULL;
}

const char *abdb_arg_db_path(const abdb_args *args)
{
    const char *path = abdb_arg_value(args, "db");

    if (!path) path = getenv("ABDB_DB");
    return path && *path ? path : "abdb.db";
}

static void print_waiting_for_lock(const char *path, double seconds)
{
    abdb_show_or_clear_progress_bar("", -1, 0);
    abdb_print_stderr_remark("another program is writing to %s; waiting (--busy %g)", path,
                             seconds);
}

abdb_status abdb_busy_timeout_from_args(const abdb_args *args, abdb_busy_timeout *out,
                                        abdb_error *err)
{
    const char *text = abdb_arg_value(args, "busy");

    *out = (abdb_busy_timeout){300, abdb_arg_value(args, "quiet") ? NULL : print_waiting_for_lock};
    if (text && (!abdb_double_parse(text, ABDB_MARK_UNKNOWN, &out->seconds) || out->seconds < 0))
        return ABDB_FAIL(err, ABDB_USAGE, "--busy wants seconds, not '%s'", text);
    return ABDB_OK;
}

/* After a failed allocation, any error is reported as lack of memory, whatever its own status. */
int abdb_print_error_return_exit_code(const abdb_error *err)
{
    bool starved = abdb_allocation_failure_count() > 0,
         said = strstr(err->message, "memory") != NULL;

    abdb_show_or_clear_progress_bar("", -1, 0);
    abdb_print_colour_code_if_colours_allowed(stderr, "31");
    fputs("abdb:", stderr);
    abdb_print_colour_code_if_colours_allowed(stderr, "0");
    abdb_print_sanitized(stderr, " %s%s\n", err->message,
                         starved && !said ? ": out of memory" : "");
    return abdb_exit_code(starved ? ABDB_NOMEM : err->status);
}

void abdb_print_paragraphs_wrapped(FILE *out, const char *text, int indent)
{
    int column = indent, screen = abdb_terminal_width_or_zero(out),
        most = screen && screen < 88 ? screen : 88;

    while (*text) {
        size_t word = strcspn(text, " \n");

        if (*text == '\n') { /* a paragraph */
            while (*text == '\n') text++;
            fputs("\n\n", out);
            abdb_print_sanitized(out, "%*s", indent, "");
            column = indent;
            continue;
        }
        if (column > indent && column + (int)word + 1 > most) {
            abdb_print_sanitized(out, "\n%*s", indent, "");
            column = indent;
        }
        column +=
            (int)abdb_print_sanitized(out, "%s%.*s", column > indent ? " " : "", (int)word, text);
        text += word;
        while (*text == ' ') text++;
    }
    fputc('\n', out);
}

int abdb_first_positional_index(const char *verb, int argc, char **argv)
{
    const abdb_option *lists[] = {abdb_command_find(verb)->options, abdb_output_options,
                                  abdb_common_options};

    for (int i = 1; i < argc; i++) {
        const char *a = argv[i];
        bool takes = false;

        if (a[0] != '-') return i;
        if (strcmp(a, "--") == 0) return i + 1 < argc ? i + 1 : 0;
        for (size_t l = 0; l < 3; l++)
            for (const abdb_option *o = lists[l]; o && o->name; o++)
                takes |= o->argument && (a[1] == '-' ? strcmp(a + 2, o->name) == 0
                                                     : a[1] && a[1] == o->letter && !a[2]);
        i += takes;
    }
    return 0;
}

const char *abdb_program_folder(abdb_arena *arena)
{
    char path[4096];
    ssize_t size = readlink("/proc/self/exe", path, sizeof path - 1);

    if (size <= 0) return NULL;
    path[size] = '\0';
    *strrchr(path, '/') = '\0';
    return abdb_arena_copy(arena, path, strlen(path));
}

/* The path as people would write it: without "build/../". */
static const char *canonical_path_or_same(abdb_arena *arena, const char *path)
{
    char *real = realpath(path, NULL);
    const char *out = real ? abdb_arena_copy(arena, real, strlen(real)) : path;

    free(real);
    return out ? out : path;
}

const char *abdb_shipped_data_folder(abdb_arena *arena)
{
    const char *folder = abdb_program_folder(arena), *path = getenv("ABDB_DATA");

    if (path && *path) return path;
    for (size_t i = 0; folder && i < 2; i++) {
        path = i == 0 ? abdb_arena_printf(arena, "%s/../data", folder)
                      : abdb_arena_printf(arena, "%s/../share/abdb/data", folder);
        if (path && access(path, R_OK) == 0) return canonical_path_or_same(arena, path);
    }
    return access(ABDB_PREFIX "/share/abdb/data", R_OK) == 0 ? ABDB_PREFIX "/share/abdb/data"
                                                             : NULL;
}

const char *abdb_find_wasm_program(abdb_arena *arena)
{
    const char *folder = abdb_program_folder(arena), *own = getenv("ABDB_WASM");
    const char *place[] = {folder ? abdb_arena_printf(arena, "%s/abdb.wasm", folder) : NULL,
                           folder ? abdb_arena_printf(arena, "%s/../share/abdb/abdb.wasm", folder)
                                  : NULL,
                           ABDB_PREFIX "/share/abdb/abdb.wasm"};

    if (own && *own) return access(own, R_OK) == 0 ? own : NULL;
    for (size_t i = 0; i < sizeof place / sizeof *place; i++)
        if (place[i] && access(place[i], R_OK) == 0) return place[i];
    return NULL;
}

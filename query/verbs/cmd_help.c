/* cmd_help.c - help and the manual page, from the command table. */
#include <string.h>

#include "ingest/format_help.h"
#include "ingest/importer.h"
#include "ingest/registry.h"
#include "ingest/tables/table_map.h"
#include "query/answer/report.h"
#include "query/cli/command_line.h"
#include "query/help/completion.h"
#include "query/help/map_page.h"

static const char pitch[] =
    "abdb says which accelerator is faster, by how much and per dollar, from MLPerf(R) results,"
    " published figures and your own measurements in one SQLite file, and shows where every number"
    " comes from.";

/* Prints the options of a verb, one a line. */
static void print_option_list(FILE *out, const abdb_option *list)
{
    for (; list && list->name; list++) {
        char left[64];

        if (!*list->name) {
            abdb_print_sanitized(out, "\n%s\n", list->help);
            continue;
        }
        snprintf(left, sizeof left, "%s%c%s--%s%s%s", list->letter ? "-" : " ",
                 list->letter ? list->letter : ' ', list->letter ? ", " : "  ", list->name,
                 list->argument ? " " : "", list->argument ? list->argument : "");
        abdb_print_sanitized(out, "  %-28s  %s\n", left, list->help);
    }
}

/* The common options, except the ones that the verb defines itself. */
static void print_common_options_not_overridden(FILE *out, const abdb_command *command)
{
    for (const abdb_option *o = abdb_common_options; o->name; o++) {
        const abdb_option one[] = {*o, {NULL, 0, NULL, NULL}}, *own = command->options;

        while (own && own->name && strcmp(own->name, o->name) != 0) own++;
        if (!own || !own->name) print_option_list(out, one);
    }
}

/* Prints the options of a verb, and the options of the report of the same name. */
static void print_verb_and_report_options(FILE *out, const abdb_command *command,
                                          void (*print)(FILE *out, const abdb_option *list))
{
    abdb_report report;
    abdb_error err;

    print(out, command->options);
    if (strcmp(command->name, "choose") != 0) return;
    if (abdb_report_load(&report, command->name, &err) != ABDB_OK) return;
    print(out, report.option);
    abdb_report_free(&report);
}

/* Prints each line behind the indent. */
static void print_lines_indented(FILE *out, const char *lines, const char *indent)
{
    while (*lines) {
        size_t size = strcspn(lines, "\n");

        abdb_print_sanitized(out, "%s%.*s\n", indent, (int)size, lines);
        lines += size + (lines[size] == '\n');
    }
}

/* Formats that no importer of the registry is: folders of a round, made from many files. */
static const char *const rounds[] = {"mlperf-inference-round", "mlperf-training-round",
                                     "mlperf-hpc-round", "mlperf-tiny-round", NULL};

/* Prints name and summary of each shipped map. */
static void print_shipped_maps(FILE *out)
{
    for (size_t i = 0; abdb_maps[i].name; i++) {
        table_map *map;
        abdb_error err;

        if (table_map_parse_text(&map, abdb_maps[i].name, abdb_maps[i].text, &err) != ABDB_OK)
            continue;
        abdb_print_sanitized(out, "  %-26s %s\n", abdb_maps[i].name, table_map_summary(map));
        table_map_free(map);
    }
}

static const abdb_format_page *find_format_page(const char *name)
{
    for (const abdb_format_page *f = abdb_format_pages; f->name; f++)
        if (strcmp(f->name, name) == 0) return f;
    return NULL;
}

extern const abdb_embedded abdb_pages[];

/* A page that is a file of the source, by its name without the end; false: there is none. */
static bool print_embedded_page_if_exists(const char *name)
{
    size_t size = strlen(name);

    for (const abdb_embedded *p = abdb_pages; p->name; p++)
        if (strncmp(p->name, name, size) == 0 && strcmp(p->name + size, ".md") == 0) {
            abdb_write_sanitized_if_terminal(stdout, p->text, strlen(p->text));
            return true;
        }
    return false;
}

/* The page of one format. */
static void print_format_page(FILE *out, const abdb_format_page *f)
{
    const struct {
        const char *title, *text;
    } parts[] = {{"input row", f->row},
                 {"read", f->reads},
                 {"ignored", f->ignores},
                 {"--set must say", f->wants}};

    abdb_print_sanitized(out, "%s\n", f->name);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        abdb_print_sanitized(out, "\n%s:\n", parts[i].title);
        abdb_print_paragraphs_wrapped(out, parts[i].text, 0);
    }
}

/* Common tasks, from a fresh database. */
static const char stories[] =
    "\nChoose an accelerator: whole systems for a wanted rate, then two devices\n"
    "    abdb import data\n"
    "    abdb choose llama2-70b-99 server --rate 100k/s\n"
    "    abdb compare B200-SXM MI355X --where llama2-70b-99,server\n"
    "Make a figure with its table, caption and sources; see later if it still holds\n"
    "    abdb import data\n"
    "    abdb plot mlperf-llm --bundle post\n"
    "    abdb verify post\n"
    "Stop a slow build: two programs take turns, and what became slower is exit 1\n"
    "    abdb run --command before='./old --flag' --command after='./new --flag'\n"
    "    abdb compare tag=before tag=after --where run=latest --fail-on slower\n";

/* Prints the verbs under ask, measure and keep, a line each. */
static void print_verbs_by_tier(FILE *out)
{
    static const char *const heads[ABDB_TIER_COUNT] = {"ask", "measure", "keep"};

    for (int tier = 0; tier < ABDB_TIER_COUNT; tier++) {
        abdb_print_sanitized(out, "\n%s\n", heads[tier]);
        for (const abdb_command *c = abdb_commands; c->name; c++)
            if ((int)c->tier == tier)
                abdb_print_sanitized(out, "  %-13s %s\n", c->name, c->summary);
    }
}

void abdb_print_help_of_verb_or_program(FILE *out, const abdb_command *command)
{
    if (!command) {
        abdb_print_paragraphs_wrapped(out, pitch, 0);
        fputs("\nusage: abdb VERB [options]\n", out);
        print_verbs_by_tier(out);
        abdb_write_sanitized_if_terminal(out, stories, sizeof stories - 1); /* lines stay lines */
        fputs("\n`abdb VERB --help` explains one; `abdb demo` shows what it does. Every verb takes "
              "--db"
              " FILE.\n",
              out);
        return;
    }
    abdb_print_sanitized(out, "abdb %s - %s\n\nusage: abdb %s%s%s [options]\n\n", command->name,
                         command->summary, command->name, *command->synopsis ? " " : "",
                         command->synopsis);
    if (*command->details) {
        abdb_print_paragraphs_wrapped(out, command->details, 0);
        fputc('\n', out);
    }
    print_verb_and_report_options(out, command, print_option_list);
    if (command->takes & ABDB_PRINTS_ROWS) print_option_list(out, abdb_output_options);
    if (command->options->name && !*command->options->name) fputs("\nof every verb\n", out);
    print_common_options_not_overridden(out, command);
    if (strcmp(command->name, "run") == 0)
        fputs("\nyour own backends are found in the folder $ABDB_BACKENDS; ABDB_DEVICE=ID takes one"
              " device\n(`man abdb` has all variables)\n",
              out);
    if (strcmp(command->name, "import") == 0) {
        fputs("\nformats (`abdb help FORMAT` explains one):\n", out);
        for (size_t i = 0; abdb_importers[i]; i++)
            abdb_print_sanitized(out, "  %-22s %s\n", abdb_importers[i]->name,
                                 abdb_importers[i]->summary);
        for (int i = 0; rounds[i]; i++)
            abdb_print_sanitized(
                out, "  %-22s result folders of a round, from folders and archives\n", rounds[i]);
        fputs("\nmaps (files of text; `abdb import --map FILE` reads yours):\n", out);
        print_shipped_maps(out);
    }
    if (*command->examples) {
        fputs("\nexamples:\n", out);
        print_lines_indented(out, command->examples, "  ");
    }
}

/* --- the manual page -------------------------------------------------------------------------- */

/* Writes text so that roff prints it as it is. */
static void write_roff_escaped(FILE *out, const char *text)
{
    abdb_text line = {0};

    /* A line of roff that begins so would be a command. */
    if (*text == '.' || *text == '\'') abdb_text_puts(&line, "\\&");
    for (; *text; text++) {
        if (*text == '\\')
            abdb_text_puts(&line, "\\e");
        else if (*text == '-')
            abdb_text_puts(&line, "\\-");
        else
            abdb_text_add(&line, text, 1);
    }
    abdb_print_sanitized(out, "%s", abdb_text_get(&line));
    abdb_text_free(&line);
}

/* The same line by line. */
static void write_roff_escaped_lines(FILE *out, const char *text)
{
    while (*text) {
        size_t size = strcspn(text, "\n");
        char line[512];

        snprintf(line, sizeof line, "%.*s", (int)size, text);
        write_roff_escaped(out, line);
        fputc('\n', out);
        text += size + (text[size] == '\n');
    }
}

/* Writes the options of a verb as a list of the man page. */
static void write_man_options(FILE *out, const abdb_option *list)
{
    for (; list && list->name; list++) {
        if (!*list->name) {
            abdb_print_sanitized(out, ".PP\n%s\n", list->help);
            continue;
        }
        fputs(".TP\n", out);
        if (list->letter) abdb_print_sanitized(out, "\\fB\\-%c\\fR, ", list->letter);
        fputs("\\fB\\-\\-", out);
        write_roff_escaped(out, list->name);
        fputs("\\fR", out);
        if (list->argument) {
            fputs(" \\fI", out);
            write_roff_escaped(out, list->argument);
            fputs("\\fR", out);
        }
        fputc('\n', out);
        write_roff_escaped(out, list->help);
        fputc('\n', out);
    }
}

/* Writes the read and ignored parts of each import format, and the page about map files, as
 * sections of a man page. */
static void write_man_formats_and_map_sections(FILE *out)
{
    abdb_text map_help = {0};
    fputs(".SH FORMATS THAT IMPORT READS\n", out);
    for (const abdb_format_page *f = abdb_format_pages; f->name; f++) {
        const char *const parts[] = {
            "An input row is ",       f->row,  ". Read: ", f->reads, ". Ignored: ", f->ignores,
            ". \\-\\-set must say: ", f->wants};

        fputs(".TP\n.B ", out);
        write_roff_escaped(out, f->name);
        fputc('\n', out);
        for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
            if (i % 2)
                write_roff_escaped(out, parts[i]);
            else
                abdb_print_sanitized(out, "%s", parts[i]);
        fputs(".\n", out);
    }
    fputs(".SH MAP FILES\n.nf\n", out);
    write_roff_escaped_lines(out, abdb_append_map_page_with_fields(&map_help));
    fputs(".fi\n", out);
    abdb_text_free(&map_help);
}

/* A text of paragraphs, or nothing where there is none. */
static void write_man_paragraphs(FILE *out, const char *text)
{
    for (; *text; text += strspn(text, "\n")) {
        size_t size = strcspn(text, "\n");
        abdb_text one = {0};

        abdb_text_add(&one, text, size);
        fputs(".PP\n", out);
        write_roff_escaped(out, abdb_text_get(&one));
        fputc('\n', out);
        abdb_text_free(&one);
        text += size;
    }
}

/* As a section of its own, or below the options of a verb. */
static void write_man_examples(FILE *out, bool as_section, const char *lines)
{
    if (!*lines) return;
    if (as_section)
        fputs(".SH EXAMPLES\n.nf\n", out);
    else
        fputs(".PP\nExamples:\n.PP\n.nf\n", out);
    write_roff_escaped_lines(out, lines);
    fputs(".fi\n", out);
}

/* Environment variables for users. */
static const struct {
    const char *name, *what;
} variables[] = {
    {"ABDB_DB", "database where --db is not given"},
    {"ABDB_PATH", "folder with your own reports, figures and maps"},
    {"ABDB_DATA", "folder with the data that abdb ships"},
    {"ABDB_BACKENDS", "folder with backends of your own, programs abdb-run-NAME; those beside abdb"
                      " are there, too"},
    {"ABDB_DEVICE", "the device that a backend with several uses (abdb run --list shows the ids);"
                    " else abdb run measures each"},
    {"ABDB_CUDA_DEVICE, ABDB_OPENCL_DEVICE",
     "the same of backend cuda, by number, and of opencl, by"
     " name"},
    {"ABDB_OPENCL_OPTIONS", "options for the compiler of OpenCL C"},
    {"ABDB_PYTHON", "the Python of backend torch"},
    {"ABDB_NCCL, ABDB_NVML", "libraries of NVIDIA that are loaded instead of the system's"},
    {"ABDB_LAST_LEVEL_BYTES", "size of the last-level cache, where the system tells a wrong one"},
    {"ABDB_KERNELS", "libabdb-kernels.so for backend torch, where it is not beside it"},
    {"ABDB_TOKENS, ABDB_WEIGHTS", "files of tokens and weights for workloads of language models"},
    {"ABDB_EXTENSION", "the SQL extension abdb.so for the Python module, where it is not found"},
    {"ABDB_D3", "the file d3.min.js that abdb site copies"},
    {"ABDB_WASM", "the file abdb.wasm that abdb site carries in try.html"},
    {"ABDB_VERIFY_SEED", "seed of the rows that a backend checks (a result's checked_seed)"},
    {"ABDB_DUCKDB", "DuckDB's program, which reads Parquet (default: duckdb)"},
    {"ABDB_PAGER, PAGER", "program that shows long output on a terminal (cat: none)"},
    {"NO_COLOR", "no colours"},
};

/* The sections shared by all verbs: options, environment, exit codes. */
static void write_man_common_sections(FILE *out, bool with_output_options)
{
    fputs(".SH COMMON OPTIONS\n", out);
    write_man_options(out, abdb_common_options);
    if (with_output_options) fputs(".SS Of verbs that print rows\n", out);
    if (with_output_options) write_man_options(out, abdb_output_options);
    fputs(".SH ENVIRONMENT\n", out);
    for (size_t i = 0; i < sizeof variables / sizeof variables[0]; i++) {
        abdb_print_sanitized(out, ".TP\n.B %s\n", variables[i].name);
        write_roff_escaped(out, variables[i].what);
        fputc('\n', out);
    }
    fputs(".SH EXIT STATUS\n"
          "0 done; 1 a gate did not hold; 2 usage; 3 not comparable; 4 verification failed; 5 "
          "partial; 6 failed; 130 and 143 stopped by a signal.\n",
          out);
}

/* The page of one verb, for `man abdb-VERB`. */
static void write_verb_man_page(FILE *out, const abdb_command *c)
{
    abdb_print_sanitized(out,
                         ".TH abdb\\-%s 1 \"\" \"abdb " ABDB_VERSION
                         "\" \"User Commands\"\n.SH NAME\nabdb\\-%s "
                         "\\- ",
                         c->name, c->name);
    write_roff_escaped(out, c->summary);
    abdb_print_sanitized(out, "\n.SH SYNOPSIS\n.B abdb %s\n", c->name);
    write_roff_escaped(out, c->synopsis);
    fputs(" [\\fIoptions\\fR]\n.SH DESCRIPTION\n", out);
    write_man_paragraphs(out, *c->details ? c->details : c->summary);
    fputs(".SH OPTIONS\n", out);
    print_verb_and_report_options(out, c, write_man_options);
    write_man_examples(out, true, c->examples);
    write_man_common_sections(out, c->takes & ABDB_PRINTS_ROWS);
    fputs(".SH SEE ALSO\n.BR abdb (1)", out);
    for (const abdb_command *other = abdb_commands; other->name; other++)
        if (other != c) abdb_print_sanitized(out, ",\n.BR abdb\\-%s (1)", other->name);
    fputs("\n", out);
}

/* The page of the program, with all verbs, formats and maps. */
static void write_program_man_page(FILE *out)
{
    fputs(".TH ABDB 1 \"\" \"abdb " ABDB_VERSION
          "\" \"User Commands\"\n.SH NAME\nabdb \\- accelerator"
          " benchmark database\n.SH SYNOPSIS\n.B abdb\n\\fIVERB\\fR [\\fIoptions\\fR]\n.SH "
          "DESCRIPTION\n",
          out);
    write_roff_escaped(out, pitch);
    fputs("\n.PP\nEach verb has a page of its own: abdb\\-VERB(1).\n.SH VERBS\n", out);
    for (const abdb_command *c = abdb_commands; c->name; c++) {
        abdb_print_sanitized(out, ".SS abdb %s ", c->name);
        write_roff_escaped(out, c->synopsis);
        fputc('\n', out);
        write_roff_escaped(out, c->summary);
        fputs(".\n", out);
        write_man_paragraphs(out, c->details);
        print_verb_and_report_options(out, c, write_man_options);
        write_man_examples(out, false, c->examples);
    }
    write_man_common_sections(out, true);
    write_man_formats_and_map_sections(out);
}

int abdb_cmd_help(int argc, char **argv)
{
    const abdb_command *command = NULL;
    abdb_text map_help = {0};
    abdb_args args;
    abdb_error err;

    if (abdb_args_parse(&args, argc, argv, "help", NULL, &err) != ABDB_OK)
        return abdb_print_error_return_exit_code(&err);
    if (abdb_arg_value(&args, "man") && !args.positionals) {
        write_program_man_page(stdout);
        return 0;
    }
    if (abdb_arg_value(&args, "completion"))
        return abdb_print_completion_script(stdout, abdb_arg_value(&args, "completion"), &err) ==
                       ABDB_OK
                   ? 0
                   : abdb_print_error_return_exit_code(&err);
    if (abdb_arg_value(&args, "complete")) {
        abdb_print_completions(stdout, args.positionals, args.positional);
        return 0;
    }
    if (args.positionals && !abdb_arg_value(&args, "man") &&
        strcmp(args.positional[0], "map") == 0) {
        abdb_append_map_page_with_fields(&map_help);
        abdb_write_sanitized_if_terminal(stdout, abdb_text_get(&map_help), map_help.size);
        abdb_text_free(&map_help);
        return 0;
    }
    if (args.positionals && !abdb_arg_value(&args, "man") &&
        print_embedded_page_if_exists(args.positional[0]))
        return 0;
    if (args.positionals && !abdb_arg_value(&args, "man") && find_format_page(args.positional[0])) {
        print_format_page(stdout, find_format_page(args.positional[0]));
        return 0;
    }
    if (args.positionals && !(command = abdb_command_find(args.positional[0]))) {
        const char *names[64], *near;
        size_t count = 0;

        for (; count < 64 && abdb_commands[count].name; count++)
            names[count] = abdb_commands[count].name;
        near = abdb_nearest_name(args.positional[0], names, count);
        abdb_set_error_return_status(
            &err, ABDB_USAGE,
            "no verb or format '%s'%s%s%s; `abdb help` and `abdb import --help` list them",
            args.positional[0], near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
        return abdb_print_error_return_exit_code(&err);
    }
    if (abdb_arg_value(&args, "man"))
        write_verb_man_page(stdout, command);
    else
        abdb_print_help_of_verb_or_program(stdout, command);
    return 0;
}

int abdb_cmd_version(int argc, char **argv)
{
    (void)argc, (void)argv;
    abdb_print_sanitized(stdout, "abdb %s (schema %d, SQLite %s)\n", ABDB_VERSION,
                         abdb_schema_version(), sqlite3_libversion());
    return 0;
}

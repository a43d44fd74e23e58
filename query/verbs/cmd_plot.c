/* cmd_plot.c - abdb plot: figures, each drawing a report. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "query/answer/deadline.h"
#include "query/answer/plot_figure.h"
#include "query/verbs/table_output.h"
#include "schema/core/fixed_text.h"
#include "schema/core/outfile.h"
#include "schema/core/outfolder.h"

enum { FIGURES_MAX = 256 };

/* Prints all figures, by name alone or with title and report. Returns 0, the exit status. */
static int print_figure_list(bool names_only)
{
    abdb_arena arena = {0};
    const char *names[FIGURES_MAX];
    size_t count = abdb_list_own_and_shipped_figure_names(names, FIGURES_MAX, &arena);

    for (size_t i = 0; i < count; i++) {
        abdb_figure figure;
        abdb_error err;

        if (names_only)
            abdb_print_sanitized(stdout, "%s\n", names[i]);
        else if (abdb_figure_load(&figure, names[i], &err) == ABDB_OK) {
            abdb_print_sanitized(stdout, "  %-22s %s  (report %s%s%s)\n", names[i],
                                 figure.title ? figure.title : "", figure.report,
                                 figure.sets ? "; sets " : "", figure.sets ? figure.sets : "");
            abdb_figure_free(&figure);
        } else
            abdb_print_sanitized(stdout, "  %-22s %s\n", names[i], err.message);
    }
    abdb_arena_free(&arena);
    return 0;
}

/* The kind of picture of --type, or of the ending of --out; SVG by default. */
static abdb_status parse_picture_type(const abdb_args *args, abdb_picture *out, abdb_error *err)
{
    const char *type = abdb_arg_value(args, "type"), *path = abdb_arg_value(args, "out");
    const char *dot = path ? strrchr(path, '.') : NULL;

    if (!type) type = abdb_arg_value(args, "term");
    if (!type && dot && !strchr(dot, '/') && !abdb_arg_value(args, "set")) type = dot + 1;
    *out = ABDB_SVG;
    for (int i = 0; type && i < ABDB_PICTURES; i++)
        if (strcmp(type, abdb_picture_name[i]) == 0) {
            *out = (abdb_picture)i;
            return ABDB_OK;
        }
    return type ? ABDB_FAIL(err, ABDB_USAGE,
                            "no picture '%s'; there are svg, png, pdf, dumb, sixel and html", type)
                : ABDB_OK;
}

/* Prints a figure's report and the command that lists its options. */
static void print_figure_help(const abdb_plot *plot)
{
    abdb_print_sanitized(
        stdout,
        "abdb plot %s - %s\n\ndraws the report %s and takes its options: abdb query %s --help\n",
        plot->figure.name, plot->figure.title ? plot->figure.title : "", plot->figure.report,
        plot->figure.report);
    if (plot->figure.with)
        abdb_print_sanitized(stdout, "here their defaults are: %s\n", plot->figure.with);
    if (plot->figure.hint) abdb_print_sanitized(stdout, "%s\n", plot->figure.hint);
}

/* \includegraphics takes these characters for commands, whatever stands before them. */
static abdb_status refuse_path_unfit_for_latex(const char *path, abdb_error *err)
{
    return path[strcspn(path, "\\{}%#$&^~\"\n\r\t")]
               ? ABDB_FAIL(err, ABDB_USAGE,
                           "LaTeX includes no file of the name '%s': --out without"
                           " \\ { } %% # $ & ^ ~ and \"",
                           path)
               : ABDB_OK;
}

/* `abdb plot NAME >picture.svg`: then the picture is written to standard output, not its name. */
static bool stdout_is_regular_file(void)
{
    struct stat out;

    return fstat(STDOUT_FILENO, &out) == 0 && S_ISREG(out.st_mode);
}

static abdb_tone parse_picture_tone(const abdb_args *args)
{
    return abdb_arg_value(args, "adaptive") ? ABDB_ADAPTIVE
           : abdb_arg_value(args, "dark")   ? ABDB_DARK
                                            : ABDB_LIGHT;
}

/* Writes the script, the bundle or the picture, as requested by the options. */
static abdb_status write_script_bundle_or_picture(const abdb_plot *plot, abdb_db *db,
                                                  const abdb_args *args, abdb_picture picture,
                                                  abdb_error *err)
{
    const char *path = abdb_arg_value(args, "out"), *folder = abdb_arg_value(args, "bundle");
    bool latex = abdb_arg_value(args, "latex") != NULL,
         markdown = abdb_arg_value(args, "markdown") != NULL;
    abdb_tone tone = parse_picture_tone(args);
    char named[300];
    abdb_status st = ABDB_OK;

    if (latex && !path && !abdb_arg_value(args, "type")) picture = ABDB_PDF;
    if (abdb_arg_value(args, "script")) {
        abdb_deadline_cancel();
        if (!abdb_write_sanitized_if_terminal(stdout, abdb_text_get(&plot->script),
                                              plot->script.size))
            TRY(abdb_fail_write_or_raise_sigpipe(stdout, err));
        goto done;
    }
    if (folder) {
        TRY(abdb_plot_write_bundle_and_print_paths(plot, db, folder, tone,
                                                   abdb_arg_value(args, "sign"), err));
        goto done;
    }
    snprintf(named, sizeof named, "%s.%s", plot->figure.name, abdb_picture_name[picture]);
    if (!path)
        path = picture == ABDB_DUMB || picture == ABDB_SIXEL ||
                       (stdout_is_regular_file() && !latex && !markdown)
                   ? "-"
                   : named;
    if (latex) TRY(refuse_path_unfit_for_latex(path, err));
    TRY(abdb_plot_draw_with_provenance(plot, picture, tone, path, err));
    for (size_t i = 0; picture == ABDB_DUMB && i < plot->table.notes; i++)
        if (strcmp(path, "-") == 0) abdb_print_sanitized(stdout, "%s\n", plot->table.note[i]);
    if (latex) TRY(abdb_plot_write_latex_with_sources(plot, db, path, stdout, err));
    if (markdown) TRY(abdb_plot_write_markdown_with_sources(plot, db, path, stdout, err));
    if (strcmp(path, "-") != 0 && !latex && !markdown) abdb_print_sanitized(stdout, "%s\n", path);
done:
    return st;
}

/* The options that change the look of a picture, not its data; their texts belong to args. */
static abdb_plot_look parse_look_options(const abdb_args *args)
{
    return (abdb_plot_look){.title = abdb_arg_value(args, "title"),
                            .subtitle = abdb_arg_value(args, "subtitle"),
                            .highlight = abdb_arg_value(args, "highlight"),
                            .devices = abdb_arg_value(args, "devices"),
                            .size = abdb_arg_value(args, "size"),
                            .vendor_colours = abdb_arg_value(args, "vendor-colours") != NULL};
}

/* Loads a figure. The error for the name of a report or a command mentions that. */
static abdb_status load_figure_pointing_to_report_or_verb(abdb_plot *plot, const char *name,
                                                          abdb_error *err)
{
    abdb_status st = abdb_plot_load(plot, name, err);
    abdb_report report = {0};
    abdb_error ignored;

    if (st == ABDB_OK) return st;
    if (abdb_report_load(&report, name, &ignored) == ABDB_OK)
        st = ABDB_FAIL(err, st, "%s is a report without a figure: `abdb query %s`", name, name);
    else if (abdb_command_find(name))
        st = ABDB_FAIL(err, st, "%s is a command, no figure: `abdb %s`; `abdb plot` lists figures",
                       name, name);
    abdb_report_free(&report);
    return st;
}

/* Draws one figure with the options of its report, or prints its help. */
static abdb_status draw_named_figure_or_print_help(const char *name, int argc, char **argv,
                                                   abdb_error *err)
{
    const char *value[ABDB_PARAM_COUNT] = {0};
    abdb_picture picture;
    abdb_plot plot;
    abdb_arena arena = {0};
    abdb_db *db = NULL;
    abdb_args args;
    abdb_plot_look look;
    abdb_status st = ABDB_OK;

    TRY(load_figure_pointing_to_report_or_verb(&plot, name, err));
    TRY(abdb_args_parse(&args, argc, argv, "plot", plot.report.option, err));
    if (abdb_arg_value(&args, "help")) {
        print_figure_help(&plot);
        goto done;
    }
    if (abdb_arg_value(&args, "sign") && !abdb_arg_value(&args, "bundle"))
        TRY(ABDB_FAIL(err, ABDB_USAGE, "bundles are signed: --sign KEYFILE needs --bundle DIR"));
    if (abdb_arg_value(&args, "out") && abdb_arg_value(&args, "bundle"))
        TRY(ABDB_FAIL(err, ABDB_USAGE, "--bundle DIR is where all is written: no --out beside it"));
    TRY(parse_picture_type(&args, &picture, err));
    abdb_report_values_from_args(&plot.report, &args, value);
    TRY(abdb_open_guarded_readonly_db(&args, &db, err));
    TRY(abdb_set_words_as_selection(&plot.report, &args, 1, db->sql, value, &arena, err));
    look = parse_look_options(&args);
    TRY(abdb_plot_run_report_and_build_script(&plot, db, value, &look, err));
    TRY(write_script_bundle_or_picture(&plot, db, &args, picture, err));
done:
    abdb_plot_free(&plot);
    abdb_db_close(db);
    abdb_arena_free(&arena);
    return st;
}

/* Does the figure belong to the set? ("all": every figure does) */
static bool figure_is_in_set(const char *name, const char *set)
{
    abdb_figure figure = {0};
    abdb_error err;
    bool found = strcmp(set, "all") == 0;

    if (abdb_figure_load(&figure, name, &err) != ABDB_OK) return found;
    for (const char *s = figure.sets; !found && s && *(s += strspn(s, " "));) {
        size_t size = strcspn(s, " ");

        found = strlen(set) == size && strncmp(s, set, size) == 0;
        s += size;
    }
    abdb_figure_free(&figure);
    return found;
}

/* Draws one figure of a set. A figure without rows is reported, and is no failure. */
static abdb_status draw_figure_of_set_into_folder(abdb_db *db, const abdb_args *args,
                                                  const char *name, const char *folder,
                                                  size_t *drawn, abdb_error *err)
{
    abdb_picture picture;
    abdb_plot plot;
    abdb_plot_look look = parse_look_options(args);
    char path[4096];
    abdb_status st = ABDB_OK;

    TRY(abdb_plot_load(&plot, name, err));
    TRY(parse_picture_type(args, &picture, err));
    st = abdb_plot_run_report_and_build_script(&plot, db, NULL, &look, err);
    if (st == ABDB_DATA) {
        abdb_print_stderr_remark("%s", err->message);
        st = ABDB_OK;
        goto done;
    }
    if (st != ABDB_OK) goto done;
    if (!abdb_format_if_fits(path, sizeof path, "%s/%s.%s", folder, name,
                             abdb_picture_name[picture]))
        TRY(ABDB_FAIL(err, ABDB_USAGE, "too long a path: %s/%s", folder, name));
    TRY(abdb_plot_draw_with_provenance(&plot, picture, parse_picture_tone(args), path, err));
    abdb_print_sanitized(stdout, "%s\n", path);
    ++*drawn;
done:
    abdb_plot_free(&plot);
    return st;
}

/* Draws every figure of --set into the folder of --out; fails if none had rows. */
static abdb_status draw_all_figures_of_set_into_folder(int argc, char **argv, abdb_error *err)
{
    const char *names[FIGURES_MAX], *set, *folder = NULL;
    size_t count, members = 0, drawn = 0, failed = 0;
    abdb_arena arena = {0};
    abdb_db *db = NULL;
    abdb_args args;
    bool is_new = false;
    abdb_status st = ABDB_OK;

    TRY(abdb_args_parse(&args, argc, argv, "plot", NULL, err));
    set = abdb_arg_value(&args, "set");
    folder = abdb_arg_value(&args, "out") ? abdb_arg_value(&args, "out") : ".";
    if (!set || args.positionals)
        TRY(ABDB_FAIL(err, ABDB_USAGE,
                      "plot what? the figure's name comes first: abdb plot NAME [options], or abdb"
                      " plot --set NAME [--out FOLDER]"));
    count = abdb_list_own_and_shipped_figure_names(names, FIGURES_MAX, &arena);
    for (size_t i = 0; i < count; i++)
        if (figure_is_in_set(names[i], set)) names[members++] = names[i];
    if (!members)
        TRY(ABDB_FAIL(err, ABDB_USAGE, "no figure belongs to a set '%s'; `abdb plot` lists them",
                      set));
    TRY(abdb_outfolder_make_if_missing(folder, &is_new, err));
    TRY(abdb_open_guarded_readonly_db(&args, &db, err));
    for (size_t i = 0; i < members; i++) {
        abdb_show_or_clear_progress_bar(names[i], (double)i, (double)members);
        if (draw_figure_of_set_into_folder(db, &args, names[i], folder, &drawn, err) == ABDB_OK)
            continue;
        if (abdb_deadline_has_passed()) TRY(abdb_deadline_fail_with_time_out(err));
        abdb_print_stderr_remark("%s: %s", names[i], err->message);
        failed++;
    }
    abdb_show_or_clear_progress_bar("", -1, 0);
    if (failed && drawn)
        TRY(ABDB_FAIL(err, ABDB_PARTIAL, "figures that could not be drawn: %zu", failed));
    if (!drawn) TRY(ABDB_FAIL(err, ABDB_DATA, "nothing to draw in the whole set '%s'", set));
done:
    if (folder && is_new && !drawn) rmdir(folder);
    abdb_db_close(db);
    abdb_arena_free(&arena);
    return st;
}

/* The figure's name before the options that were given before it. */
static void move_figure_name_before_options(int argc, char **argv)
{
    int at = abdb_first_positional_index("plot", argc, argv);
    char *name = argv[at];

    if (at < 2) return;
    memmove(argv + 2, argv + 1, (size_t)(at - 1) * sizeof *argv);
    argv[1] = name;
}

int abdb_cmd_plot(int argc, char **argv)
{
    abdb_error err;

    move_figure_name_before_options(argc, argv);

    if (argc == 2 && strcmp(argv[1], "--names") == 0) return print_figure_list(true);
    if (argc < 2 || (argv[1][0] == '-' && strcmp(argv[1], "--db") == 0 && argc <= 3)) {
        puts("figures (abdb plot NAME --help):");
        return print_figure_list(false);
    }
    return (argv[1][0] == '-'
                ? draw_all_figures_of_set_into_folder(argc, argv, &err)
                : draw_named_figure_or_print_help(argv[1], argc, argv, &err)) == ABDB_OK
               ? 0
               : abdb_print_error_return_exit_code(&err);
}

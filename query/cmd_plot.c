/* cmd_plot.c - abdb plot: figures, each drawing a report. */
#include <stdlib.h>
#include <string.h>

#include "query/figures.h"
#include "query/screen.h"

enum { FIGURES_MAX = 128 };

static const char *style_text(void)
{
    for (size_t i = 0; abdb_figures[i].name; i++)
        if (strcmp(abdb_figures[i].name, "style.gp") == 0) return abdb_figures[i].text;
    return "";
}

static int list_figures(bool names_only)
{
    abdb_arena arena = {0};
    const char *names[FIGURES_MAX];
    size_t count = abdb_figure_names(names, FIGURES_MAX, &arena);

    for (size_t i = 0; i < count; i++) {
        abdb_figure figure;
        abdb_error err;

        if (names_only)
            puts(names[i]);
        else if (abdb_figure_load(&figure, names[i], &err) == ABDB_OK) {
            printf("  %-16s %s  (report %s)\n", names[i], figure.title ? figure.title : "",
                   figure.report);
            abdb_figure_free(&figure);
        }
    }
    abdb_arena_free(&arena);
    return 0;
}

static abdb_status picture_of(const abdb_args *args, abdb_picture *out, const char **extension,
                              abdb_error *err)
{
    static const char *const names[] = {"svg", "png", "pdf", "dumb"};
    const char *type = abdb_arg(args, "type"), *path = abdb_arg(args, "out");
    const char *dot = path ? strrchr(path, '.') : NULL;

    if (!type && dot && !strchr(dot, '/')) type = dot + 1;
    *out = ABDB_SVG;
    *extension = "svg";
    for (int i = 0; type && i < 4; i++)
        if (strcmp(type, names[i]) == 0) {
            *out = (abdb_picture)i;
            *extension = names[i];
            return ABDB_OK;
        }
    return type ? ABDB_FAIL(err, ABDB_USAGE, "no picture '%s'; there are svg, png, pdf and dumb",
                            type)
                : ABDB_OK;
}

/* The rows of the report as what figures draw. */
static abdb_status make_script(const abdb_figure *figure, abdb_table *table, abdb_picture picture,
                               bool dark, abdb_text *script, abdb_error *err)
{
    const char *names[ABDB_COLUMN_MAX],
        **cells = calloc(table->rows * table->columns + 1, sizeof *cells);
    unsigned char text[ABDB_COLUMN_MAX] = {0};
    abdb_drawing drawing = {.columns = table->columns,
                            .rows = table->rows,
                            .name = names,
                            .cell = cells,
                            .text = text,
                            .title = table->title,
                            .notes = table->notes,
                            .note = table->note};
    abdb_status st = ABDB_OK;

    if (!cells) return ABDB_FAIL(err, ABDB_NOMEM, "figure %s", figure->name);
    for (size_t c = 0; c < table->columns; c++) {
        names[c] = table->column[c].name;
        for (size_t r = 0; r < table->rows; r++)
            text[c] |= table->value[r * table->columns + c].kind == ABDB_STRING;
    }
    for (size_t i = 0; i < table->rows * table->columns; i++) {
        char number[32];

        if (table->value[i].kind == ABDB_NULL) continue;
        cells[i] = abdb_value_text(&table->value[i], number);
        cells[i] = abdb_arena_copy(&table->arena, cells[i], strlen(cells[i]));
        if (!cells[i]) TRY(ABDB_FAIL(err, ABDB_NOMEM, "figure %s", figure->name));
    }
    TRY(abdb_figure_script(figure, style_text(), &drawing, picture, dark, script, err));
done:
    free(cells);
    return st;
}

/* Draws into memory first, so that a failure leaves no broken picture. */
static abdb_status store(const char *script, const char *path, abdb_error *err)
{
    char *data = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&data, &size), *out = NULL;
    abdb_status st = ABDB_OK;

    if (!memory) return ABDB_FAIL(err, ABDB_NOMEM, "a picture");
    st = abdb_figure_draw(script, memory, err);
    fclose(memory);
    if (st == ABDB_OK && size == 0) st = ABDB_FAIL(err, ABDB_IO, "gnuplot drew nothing");
    if (st != ABDB_OK) goto done;
    out = strcmp(path, "-") == 0 ? stdout : fopen(path, "wb");
    if (!out) TRY(ABDB_FAIL(err, ABDB_IO, "cannot write %s", path));
    if (fwrite(data, 1, size, out) != size || fflush(out) != 0)
        TRY(ABDB_FAIL(err, ABDB_IO, "cannot write %s: is the disk full?", path));
done:
    if (out && out != stdout) fclose(out);
    free(data);
    return st;
}

static abdb_status draw(const char *name, int argc, char **argv, abdb_error *err)
{
    const char *value[ABDB_PARAM_COUNT] = {0}, *extension, *path;
    abdb_figure figure = {0};
    abdb_report report = {0};
    abdb_table table = {0};
    abdb_picture picture;
    abdb_text script = {0};
    abdb_db *db = NULL;
    abdb_args args;
    char named[256];
    abdb_status st = ABDB_OK;

    TRY(abdb_figure_load(&figure, name, err));
    TRY(abdb_report_load(&report, figure.report, err));
    TRY(abdb_args_parse(&args, argc, argv, "plot", report.option, err));
    if (abdb_arg(&args, "help")) {
        printf("abdb plot %s - %s\n\ndraws the report %s and takes its options: abdb query %s "
               "--help\n",
               name, figure.title ? figure.title : "", figure.report, figure.report);
        goto done;
    }
    TRY(picture_of(&args, &picture, &extension, err));
    abdb_report_values(&report, &args, value);
    TRY(abdb_open_guarded(&args, &db, err));
    TRY(abdb_report_run(db, &report, value, &table, err));
    if (!table.rows)
        TRY(ABDB_FAIL(err, ABDB_DATA,
                      "nothing to draw: report %s has no rows here; `abdb query %s` says"
                      " more",
                      report.name, report.name));
    TRY(make_script(&figure, &table, picture, abdb_arg(&args, "dark") != NULL, &script, err));
    if (abdb_arg(&args, "script")) {
        fputs(abdb_text_get(&script), stdout);
        goto done;
    }
    snprintf(named, sizeof named, "%s.%s", name, extension);
    path = abdb_arg(&args, "out") ? abdb_arg(&args, "out") : picture == ABDB_DUMB ? "-" : named;
    TRY(store(abdb_text_get(&script), path, err));
    if (strcmp(path, "-") != 0) printf("%s\n", path);
done:
    abdb_text_free(&script);
    abdb_table_free(&table);
    abdb_report_free(&report);
    abdb_figure_free(&figure);
    abdb_db_close(db);
    return st;
}

int abdb_cmd_plot(int argc, char **argv)
{
    abdb_error err;

    if (argc == 2 && strcmp(argv[1], "--names") == 0) return list_figures(true);
    if (argc < 2 || argv[1][0] == '-') {
        if (argc >= 2 && strcmp(argv[1], "--db") != 0) {
            abdb_fail(&err, ABDB_USAGE,
                      "plot what? the figure's name comes first: abdb plot NAME [options]");
            return abdb_report_error(&err);
        }
        puts("figures (abdb plot NAME --help):");
        return list_figures(false);
    }
    return draw(argv[1], argc, argv, &err) == ABDB_OK ? 0 : abdb_report_error(&err);
}

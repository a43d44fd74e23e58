/* bundle.c - a figure with all that is needed to publish and to defend it; see plotting.h. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "query/answer/escape.h"
#include "query/answer/explain.h"
#include "query/answer/plotting.h"
#include "query/answer/render.h"
#include "query/answer/say.h"
#include "schema/core/outfile.h"

/* The facts behind all rows, for their sources. */
static abdb_status facts_of(const abdb_plot *plot, abdb_db *db, abdb_table *facts, abdb_error *err)
{
    abdb_text keys = {0};
    abdb_status st = ABDB_OK;

    abdb_facts_keys(&plot->table, SIZE_MAX, &keys);
    if (keys.failed) TRY(ABDB_FAIL(err, ABDB_NOMEM, "bundle"));
    if (keys.size) TRY(abdb_facts_load(db, abdb_text_get(&keys), facts, err));
done:
    abdb_text_free(&keys);
    return st;
}

static const char *title_of(const abdb_plot *plot)
{
    return plot->table.title ? plot->table.title : plot->figure.name;
}

/* Sources, a line each. */
static abdb_status sources_of(const abdb_plot *plot, abdb_db *db, char **text, size_t *size,
                              abdb_error *err)
{
    abdb_table facts = {0};
    FILE *memory = NULL;
    abdb_status st = ABDB_OK;

    TRY(facts_of(plot, db, &facts, err));
    memory = open_memstream(text, size);
    if (!memory) TRY(ABDB_FAIL(err, ABDB_NOMEM, "bundle"));
    abdb_explain_cite(&facts, false, memory);
    fclose(memory);
done:
    abdb_table_free(&facts);
    return st;
}

/* What is said with a picture in one kind of document; `sources` has a line each. */
typedef void include(const abdb_plot *plot, const char *path, char *sources, FILE *out);

static abdb_status with_sources(const abdb_plot *plot, abdb_db *db, const char *path, FILE *out,
                                include *write, abdb_error *err)
{
    char *sources = NULL;
    size_t size = 0;
    abdb_status st = ABDB_OK;

    TRY(sources_of(plot, db, &sources, &size, err));
    write(plot, path, sources, out);
done:
    free(sources);
    return st;
}

static void put_markdown(const abdb_plot *plot, const char *path, char *sources, FILE *out)
{
    char *line;

    fputs("![", out);
    abdb_markdown_text(out, title_of(plot));
    fputs("](", out);
    abdb_url_path(out, path);
    fputs(")\n\n**", out);
    abdb_markdown_text(out, title_of(plot));
    fputs("**\n", out);
    for (size_t i = 0; i < plot->table.notes; i++) {
        fputs("\n", out);
        abdb_markdown_text(out, plot->table.note[i]);
        fputs("\n", out);
    }
    if (*sources) fputs("\nSources:\n\n", out);
    while ((line = strsep(&sources, "\n"))) {
        if (!*line) continue;
        fputs("- ", out);
        abdb_markdown_text(out, line);
        fputs("\n", out);
    }
}

static void put_latex(const abdb_plot *plot, const char *path, char *sources, FILE *out)
{
    char *line;

    abdb_say(out,
             "\\begin{figure}\n\\centering\n\\includegraphics[width=\\linewidth]{%s}\n\\caption{",
             path);
    abdb_latex_text(out, title_of(plot));
    abdb_say(out, "}\n\\label{fig:%s}\n\\par\\footnotesize\n", plot->figure.name);
    for (size_t i = 0; i < plot->table.notes; i++) {
        abdb_latex_text(out, plot->table.note[i]);
        fputs("\\par\n", out);
    }
    while ((line = strsep(&sources, "\n"))) {
        if (!*line) continue;
        fputs("Source: ", out);
        abdb_latex_text(out, line);
        fputs("\\par\n", out);
    }
    fputs("\\end{figure}\n", out);
}

abdb_status abdb_bundle_markdown(const abdb_plot *plot, abdb_db *db, const char *path, FILE *out,
                                 abdb_error *err)
{
    return with_sources(plot, db, path, out, put_markdown, err);
}

abdb_status abdb_bundle_latex(const abdb_plot *plot, abdb_db *db, const char *path, FILE *out,
                              abdb_error *err)
{
    return with_sources(plot, db, path, out, put_latex, err);
}

typedef abdb_status writer(const abdb_plot *plot, abdb_db *db, const char *path, FILE *out,
                           abdb_error *err);

static abdb_status write_csv(const abdb_plot *plot, abdb_db *db, const char *path, FILE *out,
                             abdb_error *err)
{
    (void)db;
    (void)path;
    abdb_render_csv(&plot->table, out);
    return ferror(out) ? ABDB_FAIL(err, ABDB_IO, "a bundle's table") : ABDB_OK;
}

static abdb_status write_script(const abdb_plot *plot, abdb_db *db, const char *path, FILE *out,
                                abdb_error *err)
{
    (void)db;
    (void)path;
    return abdb_put(out, abdb_text_get(&plot->script), plot->script.size)
               ? ABDB_OK
               : ABDB_FAIL(err, ABDB_IO, "a bundle's script");
}

abdb_status abdb_bundle_write(const abdb_plot *plot, abdb_db *db, const char *folder, int dark,
                              abdb_error *err)
{
    static const abdb_picture pictures[] = {ABDB_SVG, ABDB_PNG, ABDB_PDF};
    static const struct {
        const char *suffix, *shown; /* shown: the picture that it includes */
        writer *write;
    } files[] = {{"csv", NULL, write_csv},
                 {"gp", NULL, write_script},
                 {"md", "svg", abdb_bundle_markdown},
                 {"tex", "pdf", abdb_bundle_latex}};
    char path[4096], shown[300];
    abdb_outfile out = {0};
    abdb_status st = ABDB_OK;

    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return ABDB_FAIL(err, ABDB_IO, "cannot make %s: %s", folder, strerror(errno));
    for (size_t i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s.%s", folder, plot->figure.name,
                 abdb_picture_name[pictures[i]]);
        TRY(abdb_plot_store(plot, pictures[i], dark, path, err));
        abdb_say(stdout, "%s\n", path);
    }
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        snprintf(path, sizeof path, "%s/%s.%s", folder, plot->figure.name, files[i].suffix);
        snprintf(shown, sizeof shown, "%s.%s", plot->figure.name,
                 files[i].shown ? files[i].shown : "");
        TRY(abdb_outfile_open(&out, path, err));
        TRY(files[i].write(plot, db, shown, out.file, err));
        TRY(abdb_outfile_commit(&out, err));
        abdb_say(stdout, "%s\n", path);
    }
done:
    abdb_outfile_discard(&out);
    return st;
}

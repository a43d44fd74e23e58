/* plot_bundle.c - a figure with all that is needed to publish and to defend it; see plot_figure.h.
 */
#include <stdlib.h>
#include <string.h>

#include "query/answer/caption_note.h"
#include "query/answer/bundle_manifest.h"
#include "query/answer/escape.h"
#include "query/answer/explain.h"
#include "query/answer/plot_figure.h"
#include "query/answer/provenance.h"
#include "query/answer/render.h"
#include "query/answer/output.h"
#include "query/answer/search_path.h"
#include "schema/core/fixed_text.h"
#include "schema/core/outfile.h"
#include "schema/core/outfolder.h"
#include "schema/core/outguard.h"
#include "schema/store/digest.h"

/* The facts behind all rows, for their sources. */
static abdb_status load_facts_behind_plot_rows(const abdb_plot *plot, abdb_db *db,
                                               abdb_table *facts, abdb_error *err)
{
    abdb_text keys = {0};
    abdb_status st = ABDB_OK;

    abdb_append_fact_keys_of_table(&plot->table, SIZE_MAX, &keys);
    if (keys.failed) TRY(ABDB_FAIL(err, ABDB_NOMEM, "bundle"));
    if (keys.size)
        TRY(abdb_facts_load_by_keys_names_or_claims(db, abdb_text_get(&keys), facts, err));
done:
    abdb_text_free(&keys);
    return st;
}

static const char *plot_title_or_figure_name(const abdb_plot *plot)
{
    return plot->table.title ? plot->table.title : plot->figure.name;
}

/* Sources, a line each. */
static abdb_status format_citations_behind_plot_rows(const abdb_plot *plot, abdb_db *db,
                                                     char **text, size_t *size, abdb_error *err)
{
    abdb_table facts = {0};
    FILE *memory = NULL;
    abdb_status st = ABDB_OK;

    TRY(load_facts_behind_plot_rows(plot, db, &facts, err));
    memory = open_memstream(text, size);
    if (!memory) TRY(ABDB_FAIL(err, ABDB_NOMEM, "bundle"));
    abdb_print_citation_per_source(&facts, false, memory);
    fclose(memory);
done:
    abdb_table_free(&facts);
    return st;
}

/* Writes the text around a picture for one kind of document; `sources` has a line each. */
typedef void include(const abdb_plot *plot, const char *path, char *sources, FILE *out);

/* Writes a file of the bundle that lists the sources of the figure. */
static abdb_status write_document_with_sources(const abdb_plot *plot, abdb_db *db,
                                               const char *picture_path, FILE *out, include *write,
                                               abdb_error *err)
{
    char *sources = NULL;
    size_t size = 0;
    abdb_status st = ABDB_OK;

    TRY(format_citations_behind_plot_rows(plot, db, &sources, &size, err));
    write(plot, picture_path, sources, out);
done:
    free(sources);
    return st;
}

/* A line in one kind of document. */
typedef void line_writer(FILE *out, const char *text);

static void write_escaped_markdown_paragraph(FILE *out, const char *text)
{
    fputs("\n", out);
    abdb_write_markdown_escaped(out, text);
    fputs("\n", out);
}

static void write_escaped_latex_paragraph(FILE *out, const char *text)
{
    abdb_write_latex_escaped(out, text);
    fputs("\\par\n", out);
}

/* The text below the picture's title, and the text without room in it: subtitle, status, rows not
 * drawn, notes; a line each. */
static void write_subtitle_status_undrawn_and_notes(const abdb_plot *plot, FILE *out,
                                                    line_writer *put)
{
    char *copy = strdup(abdb_text_get(&plot->undrawn)), *rest = copy, *one;
    abdb_arena arena = {0};
    const char *heads[] = {plot->subtitle, plot->status};

    if (!copy) abdb_count_allocation_failure();
    for (size_t i = 0; i < 2; i++)
        if (heads[i] && *heads[i]) put(out, heads[i]);
    while (copy && (one = strsep(&rest, "\n")) && *one) put(out, one);
    for (size_t i = 0; i < plot->table.notes; i++) {
        const char *note = abdb_plot_note_to_caption_text(&arena, plot->table.note[i]);

        if (*note) put(out, note);
    }
    abdb_arena_free(&arena);
    free(copy);
}

/* Writes picture, caption and sources in Markdown; sources is cut up. */
static void write_markdown_figure(const abdb_plot *plot, const char *picture_path, char *sources,
                                  FILE *out)
{
    char *line;

    fputs("![", out);
    abdb_write_markdown_escaped(out, plot_title_or_figure_name(plot));
    fputs("](", out);
    abdb_write_path_as_relative_url(out, picture_path);
    fputs(")\n\n**", out);
    abdb_write_markdown_escaped(out, plot_title_or_figure_name(plot));
    fputs("**\n", out);
    write_subtitle_status_undrawn_and_notes(plot, out, write_escaped_markdown_paragraph);
    if (*sources) fputs("\nSources:\n\n", out);
    while ((line = strsep(&sources, "\n"))) {
        if (!*line) continue;
        fputs("- ", out);
        abdb_write_markdown_escaped(out, line);
        fputs("\n", out);
    }
}

/* Writes picture, caption and sources as a LaTeX figure; sources is cut up. */
static void write_latex_figure(const abdb_plot *plot, const char *picture_path, char *sources,
                               FILE *out)
{
    char *line;

    abdb_print_sanitized(
        out, "\\begin{figure}\n\\centering\n\\includegraphics[width=\\linewidth]{%s}\n\\caption{",
        picture_path);
    abdb_write_latex_escaped(out, plot_title_or_figure_name(plot));
    abdb_print_sanitized(out, "}\n\\label{fig:%s}\n\\par\\footnotesize\n", plot->figure.name);
    write_subtitle_status_undrawn_and_notes(plot, out, write_escaped_latex_paragraph);
    while ((line = strsep(&sources, "\n"))) {
        if (!*line) continue;
        fputs("Source: ", out);
        abdb_write_latex_escaped(out, line);
        fputs("\\par\n", out);
    }
    fputs("\\end{figure}\n", out);
}

abdb_status abdb_plot_write_markdown_with_sources(const abdb_plot *plot, abdb_db *db,
                                                  const char *picture_path, FILE *out,
                                                  abdb_error *err)
{
    return write_document_with_sources(plot, db, picture_path, out, write_markdown_figure, err);
}

abdb_status abdb_plot_write_latex_with_sources(const abdb_plot *plot, abdb_db *db,
                                               const char *picture_path, FILE *out, abdb_error *err)
{
    return write_document_with_sources(plot, db, picture_path, out, write_latex_figure, err);
}

/* An error of writing to `out` is reported when it is committed. */
typedef abdb_status writer(const abdb_plot *plot, abdb_db *db, const char *path, FILE *out,
                           abdb_error *err);

/* Writes the rows behind the figure as CSV. */
static abdb_status write_bundle_csv(const abdb_plot *plot, abdb_db *db, const char *path, FILE *out,
                                    abdb_error *err)
{
    (void)db;
    (void)path;
    (void)err;
    abdb_render_csv(&plot->table, out);
    return ABDB_OK;
}

/* Writes the script that gnuplot drew. */
static abdb_status write_gnuplot_script(const abdb_plot *plot, abdb_db *db, const char *path,
                                        FILE *out, abdb_error *err)
{
    (void)db;
    (void)path;
    (void)err;
    (void)abdb_write_sanitized_if_terminal(out, abdb_text_get(&plot->script), plot->script.size);
    return ABDB_OK;
}

/* The files of a bundle, and the functions that write them. */
static const struct {
    const char *suffix, *shown; /* shown: the picture that it includes */
    writer *write;              /* NULL: a picture */
    abdb_picture picture;
} parts[] = {{"svg", NULL, NULL, ABDB_SVG},
             {"png", NULL, NULL, ABDB_PNG},
             {"pdf", NULL, NULL, ABDB_PDF},
             {"csv", NULL, write_bundle_csv, ABDB_PICTURES},
             {"gp", NULL, write_gnuplot_script, ABDB_PICTURES},
             {"md", "svg", abdb_plot_write_markdown_with_sources, ABDB_PICTURES},
             {"tex", "pdf", abdb_plot_write_latex_with_sources, ABDB_PICTURES}};
enum { PARTS = sizeof parts / sizeof *parts };

/* NAME.json: the data needed by `abdb verify`, with the digest of each file. */
static abdb_status write_bundle_provenance_json(const abdb_plot *plot, const char *folder,
                                                abdb_tone tone, abdb_error *err)
{
    char names[PARTS][300], digests[PARTS][ABDB_SHA256_HEX], path[4096];
    const char *files[2 * PARTS + 1] = {NULL};
    abdb_text proof = {0}, part = {0};
    abdb_outfile out = {0};
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < PARTS; i++) {
        snprintf(names[i], sizeof names[i], "%s.%s", plot->figure.name, parts[i].suffix);
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        abdb_text_clear(&part);
        TRY(abdb_read_and_protect_file(path, &part, err));
        abdb_sha256_hex(abdb_text_get(&part), part.size, digests[i]);
        files[2 * i] = names[i];
        files[2 * i + 1] = digests[i];
    }
    TRY(abdb_provenance_append_json(plot, ABDB_PICTURES, tone, NULL, files, &proof, err));
    abdb_text_puts(&proof, "\n");
    snprintf(path, sizeof path, "%s/%s.json", folder, plot->figure.name);
    TRY(abdb_outfile_open_refusing_protected(&out, path, err));
    (void)abdb_write_sanitized_if_terminal(out.file, abdb_text_get(&proof), proof.size);
    TRY(abdb_outfile_commit(&out, err));
done:
    abdb_outfile_discard(&out);
    abdb_text_free(&proof);
    abdb_text_free(&part);
    return st;
}

/* Signs the files of a bundle, NAME.json too. */
static abdb_status sign_bundle_files(const abdb_plot *plot, const char *folder,
                                     const char *sign_key, abdb_error *err)
{
    char names[PARTS + 1][300];
    const char *list[PARTS + 2] = {NULL};

    for (size_t i = 0; i <= PARTS; i++) {
        snprintf(names[i], sizeof names[i], "%s.%s", plot->figure.name,
                 i < PARTS ? parts[i].suffix : "json");
        list[i] = names[i];
    }
    return abdb_bundle_write_signed_manifest(folder, plot->figure.name, list, sign_key, err);
}

/* No member of the bundle is written where one of them would replace a protected file. */
static abdb_status refuse_bundle_over_protected_files(const abdb_plot *plot, const char *folder,
                                                      abdb_error *err)
{
    static const char *const others[] = {"json", "manifest", "manifest.sig"};
    char path[4096];
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < PARTS && st == ABDB_OK; i++) {
        if (!abdb_format_if_fits(path, sizeof path, "%s/%s.%s", folder, plot->figure.name,
                                 parts[i].suffix))
            return ABDB_FAIL(err, ABDB_USAGE, "too long a path: %s/%s", folder, plot->figure.name);
        st = abdb_outguard_refuse_protected_path(path, err);
    }
    for (size_t i = 0; i < sizeof others / sizeof *others && st == ABDB_OK; i++) {
        if (!abdb_format_if_fits(path, sizeof path, "%s/%s.%s", folder, plot->figure.name,
                                 others[i]))
            return ABDB_FAIL(err, ABDB_USAGE, "too long a path: %s/%s", folder, plot->figure.name);
        st = abdb_outguard_refuse_protected_path(path, err);
    }
    return st;
}

/* Writes all parts of a bundle, which shows them by their last names, into a folder. */
static abdb_status write_bundle_files(const abdb_plot *plot, abdb_db *db, const char *folder,
                                      abdb_tone tone, const char *sign_key, abdb_error *err)
{
    char path[4096], shown[300];
    abdb_outfile out = {0};
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < PARTS; i++) {
        snprintf(path, sizeof path, "%s/%s.%s", folder, plot->figure.name, parts[i].suffix);
        snprintf(shown, sizeof shown, "%s.%s", plot->figure.name,
                 parts[i].shown ? parts[i].shown : "");
        if (!parts[i].write) {
            TRY(abdb_plot_draw_with_provenance(plot, parts[i].picture, tone, path, err));
            continue;
        }
        TRY(abdb_outfile_open_refusing_protected(&out, path, err));
        TRY(parts[i].write(plot, db, shown, out.file, err));
        TRY(abdb_outfile_commit(&out, err));
    }
    TRY(write_bundle_provenance_json(plot, folder, tone, err));
    if (sign_key) TRY(sign_bundle_files(plot, folder, sign_key, err));
done:
    abdb_outfile_discard(&out);
    return st;
}

abdb_status abdb_plot_write_bundle_and_print_paths(const abdb_plot *plot, abdb_db *db,
                                                   const char *folder, abdb_tone tone,
                                                   const char *sign_key, abdb_error *err)
{
    abdb_outfolder out = {0};
    abdb_status st = ABDB_OK;

    TRY(refuse_bundle_over_protected_files(plot, folder, err));
    TRY(abdb_outfolder_open_merging(&out, folder, err));
    TRY(write_bundle_files(plot, db, out.partial_path, tone, sign_key, err));
    TRY(abdb_outfolder_commit(&out, err));
    for (size_t i = 0; i < PARTS; i++)
        abdb_print_sanitized(stdout, "%s/%s.%s\n", folder, plot->figure.name, parts[i].suffix);
    abdb_print_sanitized(stdout, "%s/%s.json\n", folder, plot->figure.name);
    if (sign_key)
        abdb_print_sanitized(stdout, "%s/%s.manifest\n%s/%s.manifest.sig\n", folder,
                             plot->figure.name, folder, plot->figure.name);
done:
    if (st != ABDB_OK) abdb_outfolder_replace_partial_path_in_error(&out, folder, err);
    abdb_outfolder_discard(&out);
    return st;
}

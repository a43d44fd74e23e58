/* plot_figure.h - a figure with the report that it draws: from a name to a picture, a bundle, a
 * line that includes it. */
#ifndef ABDB_QUERY_PLOTTING_H
#define ABDB_QUERY_PLOTTING_H

#include "query/answer/load_figure.h"
#include "query/answer/report.h"

/* How a person wants it; NULL or 0: as the figure is. */
typedef struct {
    const char *title, *subtitle;
    const char *highlight, *devices; /* names or patterns, ',' between them */
    const char *size;                /* article, slide, card, WIDTHxHEIGHT */
    bool vendor_colours;
} abdb_plot_look;

typedef struct {
    abdb_figure figure;
    abdb_report report;
    abdb_table table;     /* the report's rows; its title is that of the picture */
    const char *subtitle; /* below the title, or NULL */
    const char *status;   /* round, verification and sources, a line; "": nothing is known */
    abdb_text undrawn;    /* the rows that are not drawn, a line each */
    abdb_text script;     /* draws with gnuplot alone */
    const char *value[ABDB_PARAM_COUNT]; /* of the report's parameters, as given */
    const char *asked[ABDB_PARAM_COUNT]; /* the same, with the figure's own defaults */
    abdb_plot_look look;
} abdb_plot;

/* The figure of that name and its report. ABDB_USAGE: no such figure. */
ABDB_MUST_USE abdb_status abdb_plot_load(abdb_plot *plot, const char *name, abdb_error *err);
/* Runs the report and makes the script. `value` has a text or NULL for each of its parameters; the
 * figure's own defaults come before the report's. look may be NULL. ABDB_DATA: nothing to draw;
 * ABDB_USAGE: the look names a device that is not there, or no size. */
ABDB_MUST_USE abdb_status abdb_plot_run_report_and_build_script(abdb_plot *plot, abdb_db *db,
                                                                const char *const *value,
                                                                const abdb_plot_look *look,
                                                                abdb_error *err);
/* The rows of the report alone, for a page without a picture; of the plot only the report is
 * loaded. value: as above, or NULL. */
ABDB_MUST_USE abdb_status abdb_plot_run_report(abdb_plot *plot, abdb_db *db,
                                               const char *const *value, abdb_error *err);
/* Draws to a path ("-": standard output), with the data for `abdb verify` (provenance.h) unless it
 * draws on a terminal. A failure leaves no broken picture. */
ABDB_MUST_USE abdb_status abdb_plot_draw_with_provenance(const abdb_plot *plot,
                                                         abdb_picture picture, abdb_tone tone,
                                                         const char *path, abdb_error *err);
/* Draws the rows of a plot without highlights once more, at a size as --size takes it. The plot
 * keeps its own size and script. Errors: as of abdb_plot_run_report_and_build_script. */
ABDB_MUST_USE abdb_status abdb_plot_draw_same_rows_at_size(abdb_plot *plot, abdb_db *db,
                                                           const char *size, abdb_picture picture,
                                                           abdb_tone tone, const char *path,
                                                           abdb_error *err);
void abdb_plot_free(abdb_plot *plot);

/* Writes into the folder, made if need be: the picture (svg, png, pdf), the table (csv), the script
 * (gp), and caption, sources and footnotes as markdown and LaTeX. sign_key: the file of an SSH key
 * that signs a manifest of them (bundle_manifest.h), or NULL. */
ABDB_MUST_USE abdb_status abdb_plot_write_bundle_and_print_paths(const abdb_plot *plot, abdb_db *db,
                                                                 const char *folder, abdb_tone tone,
                                                                 const char *sign_key,
                                                                 abdb_error *err);
/* The lines that put the picture at `path` into a document, with caption, sources and footnotes. */
ABDB_MUST_USE abdb_status abdb_plot_write_markdown_with_sources(const abdb_plot *plot, abdb_db *db,
                                                                const char *picture_path, FILE *out,
                                                                abdb_error *err);
ABDB_MUST_USE abdb_status abdb_plot_write_latex_with_sources(const abdb_plot *plot, abdb_db *db,
                                                             const char *picture_path, FILE *out,
                                                             abdb_error *err);

#endif

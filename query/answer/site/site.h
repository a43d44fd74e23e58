/* site.h - the database as HTML pages: which there are, and how one is written. */
#ifndef ABDB_QUERY_SITE_H
#define ABDB_QUERY_SITE_H

#include <jansson.h>

#include "query/answer/plot_figure.h"
#include "schema/core/outfile.h"
#include "schema/store/digest.h"

enum { ABDB_SITE_FACTS = 24 }; /* facts of a cell that a page lists; it counts the others */
enum { ABDB_PAGE_FILE = 160 }; /* bytes of a source's name as part of a file's */

/* A page: a figure with its table, or a report alone. */
typedef struct {
    char name[272]; /* of the file, without .html */
    const char *group, *title;
    bool drawn;     /* a figure */
    bool phone;     /* drawn for phones, too: NAME-phone.svg */
    abdb_plot plot; /* of a report alone: report and table */
} abdb_site_page;

/* The facts behind all numbers of all pages, found by key. */
typedef struct {
    abdb_table table;
    size_t *order;     /* rows by key */
    size_t *by_source; /* rows by source, then as the table has them */
} abdb_fact_index;

/* The program that try.html runs, and its database. */
typedef struct {
    const char *wasm;     /* path of abdb.wasm; NULL: no page */
    const char *database; /* path of the published redacted export; NULL: too large */
    long long size;       /* of it, in bytes */
} abdb_site_try;
enum { ABDB_TRY_MOST = 32 << 20 }; /* bytes of a database that a page carries */

typedef struct {
    const char *folder, *origin; /* origin: name of the database's file */
    char today[16];              /* the day of the prices */
    abdb_db *db;
    size_t pages, capacity;
    abdb_site_page *page;
    abdb_fact_index facts;
    abdb_table explore; /* of explore.sql: what explore.html holds as JSON, and its keys */
    char charts[32];    /* version of the library that draws in it; "": none was found */
    const abdb_site_try *program;
    abdb_arena arena;
} abdb_site;

/* Has the site a page on which abdb itself runs? */
static inline bool abdb_site_has_try_page(const abdb_site *site)
{
    return site->program->wasm && site->program->database;
}

/* Has explore.html a result to show? */
static inline bool abdb_site_has_explore_data(const abdb_site *site)
{
    return site->explore.rows && site->explore.value[1].kind == ABDB_STRING;
}

/* <picture> around the <img> of a figure that is drawn for phones too; its class for site.css. */
void abdb_write_html_phone_source(FILE *out, const abdb_site_page *page);
const char *abdb_site_figure_class(const abdb_site_page *page);

extern const abdb_embedded abdb_site_files[];
/* The text of one of them. */
const char *abdb_site_embedded_text_or_empty(const char *name);

/* Writes the whole site. ABDB_DATA: the database has nothing to show; ABDB_IO: the folder cannot be
 * written. */
ABDB_MUST_USE abdb_status abdb_site_write_folder_and_print_summary(abdb_db *db, const char *origin,
                                                                   const char *folder,
                                                                   const abdb_site_try *program,
                                                                   abdb_error *err);

/* --- inside of query/answer/site/ ------------------------------------------------------------- */

/* Loads the facts of all keys, text with blanks between them. */
ABDB_MUST_USE abdb_status abdb_fact_index_load_and_sort(abdb_fact_index *out, abdb_db *db,
                                                        const char *keys, abdb_error *err);
void abdb_fact_index_free(abdb_fact_index *facts);
/* The row of a key of `size` bytes; SIZE_MAX: there is none. */
size_t abdb_fact_index_find_row_by_key(const abdb_fact_index *facts, const char *key, size_t size);
/* A cell of a fact, "" where it is missing. The text is the table's, or the thread's. */
const char *abdb_fact_cell_text_or_empty(const abdb_fact_index *facts, size_t row,
                                         const char *column);
/* Where a fact stands: page and anchor. */
void abdb_write_url_of_fact_on_source_page(const abdb_fact_index *facts, size_t row, FILE *out);

/* Begins a file of the site; NULL: err has the reason. */
FILE *abdb_site_open_output_file(abdb_outfile *made, const abdb_site *site, const char *file,
                                 abdb_error *err);

/* Writes changes.atom and changes.json, feeds of what was added and withdrawn; nothing where the
 * database has no fact. */
ABDB_MUST_USE abdb_status abdb_site_write_change_feeds(const abdb_site *site, abdb_error *err);

/* explore_page.c: the data of the page, and the keys of its facts, blanks between them. */
ABDB_MUST_USE abdb_status abdb_site_load_explore_data(abdb_site *site, abdb_error *err);
const char *abdb_site_explore_fact_keys(const abdb_site *site);
ABDB_MUST_USE abdb_status abdb_site_write_explore_page(const abdb_site *site, abdb_error *err);
/* try_page.c: the page on which abdb itself runs, with its program and database as a script. */
ABDB_MUST_USE abdb_status abdb_site_write_try_page_and_data(const abdb_site *site, abdb_error *err);
/* index_page.c: the first page, with frequent questions; and a picture with a link to its page. */
ABDB_MUST_USE abdb_status abdb_site_write_index_page(const abdb_site *site, abdb_error *err);
void abdb_write_html_figure_linked_to_page(FILE *out, const abdb_site_page *page);
/* d3_library.c: the drawing library with its licence, where there is one; else a warning. */
ABDB_MUST_USE abdb_status abdb_site_copy_d3_and_licence_or_warn(abdb_site *site, abdb_error *err);

enum { ABDB_PRINT = 8 }; /* digits of a digest that identify a row */
void abdb_json_sha256(const json_t *object, char out[ABDB_SHA256_HEX]);
/* manifest.c: the data of a page for `abdb verify`; NULL: no memory. files: digests of the files
 * beside it, a reference that is taken. */
json_t *abdb_figure_or_report_page_manifest(const abdb_site_page *page, json_t *files);
/* Of facts->by_source[first] to the one before `next`. */
json_t *abdb_source_page_manifest(const abdb_fact_index *facts, size_t first, size_t end);
json_t *abdb_explore_page_manifest(const abdb_site *site);
/* file_digest: of the script beside it, or NULL. Returns NULL with the reason in err. */
json_t *abdb_try_page_manifest(abdb_db *db, const char *file_digest, abdb_error *err);
json_t *abdb_list_page_manifest(const abdb_site *site, bool figures, bool reports, bool sources);
/* page_share.c: the SHA-256 of a page's rows and keys, which its addresses hold. */
void abdb_page_answer_digest(const abdb_site_page *page, char out[ABDB_SHA256_HEX]);
/* Writes the rows of a page as NAME.csv and NAME.json, and puts their digests into files. */
ABDB_MUST_USE abdb_status abdb_site_write_page_data(const abdb_site *site,
                                                    const abdb_site_page *page, json_t *files,
                                                    abdb_error *err);
/* Links to both, the address of the answer, and of a figure the lines that embed it. */
void abdb_write_page_sharing(FILE *out, const abdb_site_page *page);
/* A page in memory: written to `out`, then stored. */
typedef struct {
    FILE *out;
    char *data;
    size_t size;
} abdb_page_buffer;
/* NULL: no memory. */
FILE *abdb_page_buffer_open(abdb_page_buffer *sheet);
/* Stores the sheet as `file`, with its manifest; frees both, on failure as well. */
ABDB_MUST_USE abdb_status abdb_page_write_with_manifest_and_free_both(abdb_page_buffer *sheet,
                                                                      const abdb_site *site,
                                                                      const char *file,
                                                                      json_t *manifest,
                                                                      abdb_error *err);

/* The name of a source as part of a file's name: another for each source. */
void abdb_source_to_unique_file_name_part(const char *source, char out[ABDB_PAGE_FILE]);
void abdb_write_html_page_head_and_navigation(FILE *out, const char *title,
                                              const char *current_file);
void abdb_write_html_page_foot(FILE *out, const abdb_site *site);
/* The body of a page: picture, table with links, where its numbers come from. */
void abdb_write_html_page_body(FILE *out, const abdb_site *site, const abdb_site_page *page);

#endif

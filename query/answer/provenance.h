/* provenance.h - the data behind a picture, and whether a database still gives the same.
 *
 * A picture carries (plots/provenance.h) a JSON object: `figure`, its `parameters` and `look`,
 * `picture` and `tone`; `columns`, `rows` (cells as text) and `keys` (of the facts behind each
 * row); `data`, the SHA-256 of these three; `script`, of gnuplot's input; `bytes`, of the picture
 * without the object; `notes`, the whole caption. A bundle has the object in NAME.json, with
 * `files`, the SHA-256 of each. Of many rows (over 500, or half a MiB) the digest stands alone. A
 * page of a site has a shorter one (site/manifest.c).
 */
#ifndef ABDB_QUERY_PROOF_H
#define ABDB_QUERY_PROOF_H

#include "query/answer/plot_figure.h"

/* The object as JSON in ASCII, appended. picture: ABDB_PICTURES for a bundle; bytes: NULL for one;
 * names and digests: of the files of a bundle, ends with NULL. */
ABDB_MUST_USE abdb_status abdb_provenance_append_json(const abdb_plot *plot, abdb_picture picture,
                                                      abdb_tone tone, const char *picture_digest,
                                                      const char *const *file_digest_pairs,
                                                      abdb_text *out, abdb_error *err);

typedef struct {
    bool edited;          /* the bytes of a file differ from abdb's */
    bool changed;         /* the database gives other rows now */
    bool is_site_page;    /* of a site */
    bool unsigned_bundle; /* no requested signer signed it */
} abdb_verify_outcome;

/* Reads a picture, page or bundle, and appends to the table a row for each thing that differs; its
 * title has the result. signers_path: a file of allowed signers, one of whom must have signed
 * the bundle, or NULL. ABDB_FORMAT: abdb did not make the file, or it is damaged; ABDB_LIMIT:
 * too large; ABDB_USAGE: no such figure here. */
ABDB_MUST_USE abdb_status abdb_verify_file_or_folder_provenance(abdb_db *db, const char *path,
                                                                const char *signers_path,
                                                                abdb_table *out,
                                                                abdb_verify_outcome *verdict,
                                                                abdb_error *err);

#endif

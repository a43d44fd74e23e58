/* provenance.h - a text carried by a picture or page: where each kind of file has room for it.
 *
 *   svg    <metadata id="abdb"> before the end of the picture
 *   png    an iTXt chunk "abdb" before IEND
 *   pdf    the key abdb of the document's information, in an update behind the picture; after
 *          another program wrote the PDF anew, wherever that key is
 *   html   <meta name="abdb"> behind <head>
 *   page   (of a site) <script type="application/json" id="abdb"> before </body>
 */
#ifndef ABDB_PLOTS_STAMP_H
#define ABDB_PLOTS_STAMP_H

#include "plots/figure.h"

/* STAMP_MOST: of one file; FILE_MOST: of a file that is read for its stamp. */
enum { ABDB_STAMP_MOST = 4 << 20, ABDB_STAMP_FILE_MOST = 64 << 20 };

/* Appends a page of HTML with its stamp, JSON. */
void abdb_provenance_embed_in_page(const char *data, size_t size, const char *stamp,
                                   abdb_text *out);

/* The kind of a file by its first bytes, or ABDB_PICTURES: none that carries a stamp. */
abdb_picture abdb_picture_kind_of_bytes(const char *data, size_t size);
/* Appends the file with its stamp; of a kind that carries none, or a file that is not as gnuplot
 * writes it, as it is. */
void abdb_provenance_embed(abdb_picture kind, const char *data, size_t size, const char *stamp,
                           abdb_text *out);
/* Appends the stamp of a file to stamp, and the file without it to rest. The file is not trusted:
 * lengths are checked, and too large ones are refused. ABDB_FORMAT: no stamp, or the file is
 * damaged; ABDB_LIMIT: too large. */
ABDB_MUST_USE abdb_status abdb_provenance_extract(const char *data, size_t size, abdb_text *stamp,
                                                  abdb_text *rest, abdb_error *err);

/* Reads a regular file of at most ABDB_STAMP_FILE_MOST bytes. ABDB_IO, ABDB_FORMAT (a pipe, a
 * device), ABDB_LIMIT. */
ABDB_MUST_USE abdb_status abdb_picture_read_and_guard_from_overwriting(const char *path,
                                                                       abdb_text *out,
                                                                       abdb_error *err);

#endif

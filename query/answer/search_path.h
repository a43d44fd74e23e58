/* search_path.h - texts by name (reports, figures): the user's own in a folder, which come first,
 * and the texts shipped with abdb. */
#ifndef ABDB_QUERY_SHELF_H
#define ABDB_QUERY_SHELF_H

#include "schema/core/text.h"
#include "schema/store/db.h"

typedef struct {
    const char *what;             /* "report": for messages */
    const char *folder, *suffix;  /* of the user's own: "reports", ".sql" */
    const char *hidden;           /* name of a shipped text that is none of them, or NULL */
    const char *lister;           /* the command that lists them */
    const abdb_embedded *shipped; /* file names with suffix; end: name NULL */
} abdb_search_path;

/* Names of all, sorted, each once; from arena. One without memory is left out, with a remark. */
size_t abdb_search_path_list_sorted_names(const abdb_search_path *shelf, const char **names,
                                          size_t room, abdb_arena *arena);
/* The text of one; *origin (from arena): its path, or NULL where it is shipped. ABDB_USAGE: there
 * is none (the nearest is named). */
ABDB_MUST_USE abdb_status abdb_search_path_read_user_or_shipped_text(
    const abdb_search_path *shelf, const char *name, abdb_text *text, const char **origin,
    abdb_arena *arena, abdb_error *err);

/* The user's own folder for reports or figures: $ABDB_PATH/KIND or ~/.config/abdb/KIND. */
const char *abdb_user_config_folder(abdb_arena *arena, const char *kind);
/* Whole file as NUL-terminated text. */
ABDB_MUST_USE abdb_status abdb_read_and_protect_file(const char *path, abdb_text *out,
                                                     abdb_error *err);
/* The same for a file that is read as text. ABDB_USAGE: it holds a zero byte, behind which nothing
 * would be read, or has more than 16 MiB. */
ABDB_MUST_USE abdb_status abdb_read_and_protect_text_file(const char *path, abdb_text *out,
                                                          abdb_error *err);
/* The same for a file of the user's own folder, which a list of names opens as well. ABDB_USAGE:
 * it is no regular file, so that reading it could block. */
ABDB_MUST_USE abdb_status abdb_read_and_protect_regular_text_file(const char *path, abdb_text *out,
                                                                  abdb_error *err);

#endif

/* archive_member.h - an archive that is walked, and one member of it: its header, its bytes, and
 * handing it over. Private to ingest/read/archive*.c; archive.h is the outside. */
#ifndef ABDB_INGEST_ARCHIVE_MEMBER_H
#define ABDB_INGEST_ARCHIVE_MEMBER_H

#include "ingest/read/archive.h"
#include "ingest/read/archive_source.h"
#include "ingest/read/hard_links.h"
#include "ingest/read/member_name.h"

/* A level for each container and one for its compression. */
enum { ARCHIVE_LEVELS = 2 * (ABDB_ARCHIVE_DEPTH_MAX + 1) };

/* What reading a member needs, kept for the next one of its level. */
typedef struct {
    char *first, *rest; /* ARCHIVE_CHUNK bytes each, or NULL */
    abdb_spool spool;
} archive_room;

typedef enum { READ_MEMBERS, LOCATE_TARGETS, DELIVER_LINKS } walk_pass;

typedef struct {
    const abdb_member_handler *handler;
    walk_pass pass;
    size_t total, members; /* bytes and members of all depths together, omitted ones included */
    bool stopped;          /* by the handler */
    abdb_name_locales locales;
    hard_link_list links;
    archive_room room[ARCHIVE_LEVELS];
    abdb_spool spool; /* of the outermost archive, where it cannot seek */
} archive_walk;

/* A member of a container, at its header. */
typedef struct {
    const char *archive, *name; /* their paths; name: in the archive */
    const char *path;           /* "ARCHIVE!NAME" */
    const char *target;         /* of a hard link without bytes of its own, else NULL */
    const char *body_of;        /* the link's target, of a hard link that has the bytes */
    struct archive_entry *entry;
    int depth;
} archive_member;

/* Reads the next header; *code is libarchive's, and the rest of *m is set where it is ARCHIVE_OK or
 * ARCHIVE_WARN. A member whose name is empty or cannot be read is called by its number. The texts
 * of *m are the arena's. */
ABDB_MUST_USE abdb_status abdb_archive_read_member_header(const archive_level *l,
                                                          const char *archive, int depth,
                                                          size_t number, archive_walk *w,
                                                          abdb_arena *arena, archive_member *m,
                                                          int *code, abdb_error *err);
/* The status of an archive whose headers ended with that code: ABDB_OK where it is whole and has
 * members that are no folders. */
ABDB_MUST_USE abdb_status abdb_archive_fail_if_empty_or_damaged(const archive_level *l, int code,
                                                                size_t members, size_t folders,
                                                                abdb_error *err);
/* Is it a hard link that libarchive gives as an empty file? In the cpio of today the last of
 * several hard links has the bytes. */
bool abdb_archive_is_cpio_link_without_data(const archive_level *l, struct archive_entry *entry);
/* ABDB_DATA, with libarchive's reason. */
abdb_status abdb_archive_fail_damaged(const archive_level *l, abdb_error *err);
/* Reads the first bytes of the member at hand into the room of its level. */
ABDB_MUST_USE abdb_status abdb_archive_read_first_chunk(const archive_level *l, archive_walk *w,
                                                        size_t *size, abdb_error *err);
/* Reads the rest of it, behind `first` bytes: all of it is in the room's spool. */
ABDB_MUST_USE abdb_status abdb_archive_spool_whole_member(const archive_level *l, archive_walk *w,
                                                          size_t first, abdb_error *err);
/* Skips the rest of a member. */
ABDB_MUST_USE abdb_status abdb_archive_skip_member_within_bomb_limit(const archive_level *l,
                                                                     struct archive_entry *entry,
                                                                     archive_walk *w,
                                                                     abdb_error *err);
bool abdb_archive_member_is_wanted(const archive_walk *w, const char *path, const char *name);
/* Hands over a member, or NULL for one that could not be read: err has the reason. */
ABDB_MUST_USE abdb_status abdb_archive_deliver_member_or_note_stop(archive_walk *w,
                                                                   const char *path,
                                                                   const abdb_input *input,
                                                                   abdb_error *err);
/* Hands over the reason for which a member cannot be read. ABDB_OK: the walk goes on, as it does
 * but for want of memory and where the handler stopped it. */
ABDB_MUST_USE abdb_status abdb_archive_report_failure_to_handler(archive_walk *w, const char *path,
                                                                 abdb_status st, abdb_error *err);
/* The same, and ABDB_LIMIT where the archive is a bomb. */
ABDB_MUST_USE abdb_status abdb_archive_report_failure_and_check_bomb(
    const archive_level *l, const char *path, abdb_status st, archive_walk *w, abdb_error *err);
/* Frees the walk's memory. */
void abdb_archive_walk_free(archive_walk *w);

#endif

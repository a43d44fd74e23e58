/* hard_links.h - the hard links of an archive, whose bytes stand where their targets are. A link is
 * noted when its header is met; when the archive was read once, its headers are read again to find
 * each target, and a third time to hand over the targets' bytes. Members are counted from 1 in the
 * order of one reading. Private to ingest/read/archive*.c. */
#ifndef ABDB_INGEST_HARD_LINKS_H
#define ABDB_INGEST_HARD_LINKS_H

#include <stdbool.h>

#include "schema/core/text.h"

enum { HARD_LINKS_BYTES_MAX = 64 << 20 }; /* of their names together */

typedef struct {
    const char *path;         /* "ARCHIVE!MEMBER" */
    const char *target_name;  /* as the archive has it, for messages */
    const char *key, *target; /* link and target, cleaned: "ARCHIVE!MEMBER" */
    size_t source;            /* the member whose bytes it has; 0: none was found */
    bool wanted;              /* else it only leads other links on */
    bool delivered;           /* handed over, or its refusal was */
    size_t first, latest;     /* members at its target; of the first of that target in by_target */
    size_t passes;            /* links met of its key; of the first of that key in by_key */
} hard_link;

/* Zeroed is empty. */
typedef struct {
    hard_link *item;
    size_t count, room, bytes;
    size_t *by_target, *by_key, *by_source; /* places in item, sorted */
    size_t next;                            /* place in by_source */
    abdb_arena arena;
} hard_link_list;

/* "ARCHIVE!NAME", the name cleaned, by which members and targets are compared; from the arena. "":
 * no memory, which abdb_allocation_failure_count counts. */
const char *abdb_hard_link_key(abdb_arena *arena, const char *archive, const char *name);
/* Notes a link of an archive. ABDB_LIMIT: its names would exceed HARD_LINKS_BYTES_MAX. */
ABDB_MUST_USE abdb_status abdb_hard_links_add_within_bytes_limit(hard_link_list *list,
                                                                 const char *archive,
                                                                 const char *name,
                                                                 const char *target, bool wanted,
                                                                 abdb_error *err);
/* Follows links to links, and sorts: to be called once, before the functions below. */
ABDB_MUST_USE abdb_status abdb_hard_links_resolve_chains_and_sort(hard_link_list *list,
                                                                  abdb_error *err);
/* Does a target begin with "ARCHIVE!"? */
bool abdb_hard_links_have_target_with_prefix(const hard_link_list *list, const char *prefix);
/* Member number `member` holds the bytes of the cleaned path `key`. */
void abdb_hard_links_record_member_as_source(hard_link_list *list, const char *key,
                                             size_t member_number);
/* The link of that cleaned path was met: its source is the last that was offered, as when the
 * archive is unpacked. */
void abdb_hard_links_bind_passed_link_to_latest(hard_link_list *list, const char *key);
/* All headers were read: links without a source get the first that was offered behind them. */
void abdb_hard_links_assign_sources_and_sort(hard_link_list *list);
/* The next undelivered link to that cleaned path whose source is that member; NULL:
 * none. Members come in rising order. */
hard_link *abdb_hard_links_next_undelivered(hard_link_list *list, const char *key,
                                            size_t member_number);
void abdb_hard_links_free(hard_link_list *list);

#endif

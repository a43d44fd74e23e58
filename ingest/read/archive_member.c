/* archive_member.c - one member of an archive that is walked: its header, its bytes, and handing it
 * over; see archive_member.h. */
#include "ingest/read/archive_member.h"

#include <stdlib.h>

abdb_status abdb_archive_fail_damaged(const archive_level *l, abdb_error *err)
{
    const char *why = archive_error_string(l->a);

    return ABDB_FAIL(err, ABDB_DATA, "the archive is damaged or truncated here: %s",
                     why ? why : "no reason is given");
}

abdb_status abdb_archive_read_first_chunk(const archive_level *l, archive_walk *w, size_t *size,
                                          abdb_error *err)
{
    archive_room *room = &w->room[l->index];
    la_ssize_t got;

    if (!room->first) room->first = malloc(ARCHIVE_CHUNK);
    if (!room->rest) room->rest = malloc(ARCHIVE_CHUNK);
    if (!room->first || !room->rest) return ABDB_FAIL(err, ABDB_NOMEM, "a member");
    got = archive_read_data(l->a, room->first, ARCHIVE_CHUNK);
    if (got < 0) return abdb_archive_fail_damaged(l, err);
    *size = (size_t)got;
    w->total += *size;
    return ABDB_OK;
}

abdb_status abdb_archive_spool_whole_member(const archive_level *l, archive_walk *w, size_t first,
                                            abdb_error *err)
{
    archive_room *room = &w->room[l->index];
    la_ssize_t got;
    abdb_status st = ABDB_OK;

    TRY(abdb_spool_append_to_memory_or_file(&room->spool, room->first, first, err));
    while ((got = archive_read_data(l->a, room->rest, ARCHIVE_CHUNK)) > 0) {
        w->total += (size_t)got;
        TRY(abdb_spool_append_to_memory_or_file(&room->spool, room->rest, (size_t)got, err));
        TRY(abdb_archive_fail_if_bomb(w->total, l, err));
    }
    if (got < 0) st = abdb_archive_fail_damaged(l, err);
done:
    return st;
}

/* Passes over a member. libarchive would do so alone, but within one call, however much that is:
 * left to it are only the members of a zip that can seek, and what is encrypted, which expands to
 * nothing. What is damaged the next header says. */
abdb_status abdb_archive_skip_member_within_bomb_limit(const archive_level *l,
                                                       struct archive_entry *entry, archive_walk *w,
                                                       abdb_error *err)
{
    bool is_zip = (archive_format(l->a) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_ZIP;
    const void *data;
    la_int64_t offset;
    size_t size;
    abdb_status st = ABDB_OK;

    if ((is_zip && l->can_seek) || archive_entry_is_encrypted(entry)) return ABDB_OK;
    while (archive_read_data_block(l->a, &data, &size, &offset) == ARCHIVE_OK) {
        w->total += size;
        TRY(abdb_archive_fail_if_bomb(w->total, l, err));
    }
done:
    return st;
}

abdb_status abdb_archive_deliver_member_or_note_stop(archive_walk *w, const char *path,
                                                     const abdb_input *input, abdb_error *err)
{
    abdb_status st = w->handler->member(w->handler->self, path, input, err);

    w->stopped |= st != ABDB_OK;
    return st;
}

abdb_status abdb_archive_report_failure_to_handler(archive_walk *w, const char *path,
                                                   abdb_status st, abdb_error *err)
{
    return st == ABDB_OK || st == ABDB_NOMEM || w->stopped
               ? st
               : abdb_archive_deliver_member_or_note_stop(w, path, NULL, err);
}

bool abdb_archive_member_is_wanted(const archive_walk *w, const char *path, const char *name)
{
    return !w->handler->wants || w->handler->wants(w->handler->self, path, name);
}

/* What follows a member that failed is read where that can be trusted. */
abdb_status abdb_archive_report_failure_and_check_bomb(const archive_level *l, const char *path,
                                                       abdb_status st, archive_walk *w,
                                                       abdb_error *err)
{
    abdb_error bomb;

    TRY(abdb_archive_report_failure_to_handler(w, path, st, err));
    if (abdb_archive_fail_if_bomb(w->total, l, &bomb) != ABDB_OK)
        st = ABDB_FAIL(err, ABDB_LIMIT, "given up at %s: an archive bomb", path);
done:
    return st;
}

bool abdb_archive_is_cpio_link_without_data(const archive_level *l, struct archive_entry *entry)
{
    return (archive_format(l->a) & ARCHIVE_FORMAT_BASE_MASK) == ARCHIVE_FORMAT_CPIO &&
           archive_entry_nlink(entry) > 1 && archive_entry_size(entry) == 0;
}

abdb_status abdb_archive_read_member_header(const archive_level *l, const char *archive, int depth,
                                            size_t number, archive_walk *w, abdb_arena *arena,
                                            archive_member *m, int *code, abdb_error *err)
{
    abdb_member_header header;
    unsigned starved = abdb_allocation_failure_count();
    abdb_status st = ABDB_OK;

    *m = (archive_member){.archive = archive, .depth = depth};
    TRY(abdb_member_header_read_with_utf8_names(l->a, l->kind, &w->locales, arena, &header, code,
                                                err));
    if (*code != ARCHIVE_OK && *code != ARCHIVE_WARN) goto done;
    m->entry = header.entry;
    m->name = header.name ? header.name : abdb_arena_printf(arena, "(member %zu)", number);
    m->path = abdb_arena_printf(arena, "%s!%s", archive, m->name);
    if (header.target && archive_entry_size_is_set(m->entry) && archive_entry_size(m->entry) > 0)
        m->body_of = header.target;
    else
        m->target = header.target;
    if (abdb_allocation_failure_count() != starved) st = ABDB_FAIL(err, ABDB_NOMEM, "a member");
done:
    return st;
}

abdb_status abdb_archive_fail_if_empty_or_damaged(const archive_level *l, int code, size_t members,
                                                  size_t folders, abdb_error *err)
{
    const char *why = archive_error_string(l->a);

    if (code == ARCHIVE_EOF && members) return ABDB_OK;
    if (code == ARCHIVE_EOF)
        return ABDB_FAIL(err, ABDB_DATA,
                         folders ? "an archive of empty folders, without a file: nothing to import"
                                 : "an empty archive, without a member: nothing to import");
    if (archive_read_has_encrypted_entries(l->a) > 0)
        return ABDB_FAIL(err, ABDB_DATA,
                         "%s encrypted, and abdb asks for no password: unpack the archive, and"
                         " import the folder (%s)",
                         members
                             ? "the members behind these cannot be reached: what stands before is"
                             : "the names of its members are",
                         why ? why : "no reason is given");
    return ABDB_FAIL(err, ABDB_DATA, "damaged or truncated: %s", why ? why : "no reason is given");
}

void abdb_archive_walk_free(archive_walk *w)
{
    for (size_t i = 0; i < ARCHIVE_LEVELS; i++) {
        free(w->room[i].first);
        free(w->room[i].rest);
        abdb_spool_free(&w->room[i].spool);
    }
    abdb_spool_free(&w->spool);
    abdb_hard_links_free(&w->links);
    abdb_name_locales_close(&w->locales);
}

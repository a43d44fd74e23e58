/* archive.c - members of archives as a stream, by libarchive; see archive.h. The bulk of it is
 * distrust: what an archive expands to is counted against the bytes that were read of it
 * (archive_source.h), filters are chosen here instead of by libarchive (archive_kind.h), and
 * archives in archives are walked in the same bounded memory. An archive with hard links is walked
 * three times (hard_links.h). */
#include "ingest/read/archive.h"

#include <archive.h>
#include <archive_entry.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ingest/read/archive_member.h"

static abdb_status open_and_walk_archive(archive_source *source, const char *path, int depth,
                                         archive_walk *w, abdb_spool *spool, abdb_error *err);
static abdb_status walk_archive_in_all_passes_and_free(archive_source *source, const char *path,
                                                       int depth, archive_walk *w, abdb_error *err);

/* Walks the archive that is the member at hand, whose first bytes are in the room. compression: l
 * is what this archive is compressed by. */
static abdb_status walk_nested_archive(const archive_level *l, size_t first, const char *path,
                                       int depth, bool compression, archive_walk *w,
                                       abdb_error *err)
{
    archive_room *room = &w->room[l->index];
    archive_source inner = {.memory = room->first,
                            .size = first,
                            .file = -1,
                            .pipe = -1,
                            .outer = l,
                            .uncounted = compression,
                            .total = &w->total,
                            .chunk = room->rest};
    abdb_status st;

    if (compression) w->total -= first;
    st = open_and_walk_archive(&inner, path, depth, w, &room->spool, err);
    abdb_spool_clear(&room->spool);
    return st;
}

/* Reads a member whose first bytes are in the room: an archive is walked, another file is handed
 * over whole. Both bytes and name must be an archive's: a .npz or .docx is a zip by its bytes, and
 * nobody wants its inside. */
static abdb_status walk_if_archive_else_deliver_member(const archive_level *l, size_t first,
                                                       const char *path, int depth, archive_walk *w,
                                                       abdb_error *err)
{
    archive_room *room = &w->room[l->index];
    abdb_input input = {0};
    const char *why;
    abdb_status st = ABDB_OK;

    if (abdb_archive_has_suffix(path)) {
        if (abdb_archive_has_known_first_bytes(path, room->first, first))
            return walk_nested_archive(l, first, path, depth + 1, false, w, err);
        why = abdb_archive_why_kind_is_unsupported(room->first, first);
        if (why) return ABDB_FAIL(err, ABDB_FORMAT, "%s", why);
    }
    TRY(abdb_archive_spool_whole_member(l, w, first, err));
    TRY(abdb_spool_open_as_input(&room->spool, &input, path, err));
    TRY(abdb_archive_deliver_member_or_note_stop(w, path, &input, err));
done:
    if (input.path) abdb_input_close(&input);
    abdb_spool_clear(&room->spool);
    return st;
}

/* An archive that lies in memory whole: a file, or a member of `outer` that was read to its end. */
static archive_source make_memory_source_of_input(const abdb_input *in, const archive_level *outer,
                                                  size_t *total)
{
    return (archive_source){.memory = (const char *)in->data,
                            .size = in->size,
                            .file = -1,
                            .pipe = -1,
                            .outer = outer,
                            .outer_ended = outer != NULL,
                            .total = total};
}

/* --- the passes over the members of a container --------------------------------------------- */

static abdb_status record_hard_link(const archive_member *m, const char *target, archive_walk *w,
                                    abdb_error *err)
{
    bool wanted = abdb_archive_member_is_wanted(w, m->path, m->name);
    abdb_status st =
        abdb_hard_links_add_within_bytes_limit(&w->links, m->archive, m->name, target, wanted, err);

    return wanted || st != ABDB_LIMIT ? abdb_archive_report_failure_to_handler(w, m->path, st, err)
                                      : ABDB_OK;
}

/* READ_MEMBERS: a file is read, a hard link noted, anything else left out. */
static abdb_status deliver_file_or_record_link(const archive_level *l, const archive_member *m,
                                               archive_walk *w, abdb_error *err)
{
    mode_t type = archive_entry_filetype(m->entry);
    size_t first = 0;
    abdb_status st = ABDB_OK;

    if (m->target) return record_hard_link(m, m->target, w, err);
    if (!m->body_of && type != AE_IFREG) {
        if (w->handler->leave_out)
            st = w->handler->leave_out(w->handler->self, m->path, m->name,
                                       type == AE_IFLNK ? ABDB_MEMBER_SYMLINK : ABDB_MEMBER_SPECIAL,
                                       err);
        w->stopped |= st != ABDB_OK;
        return st;
    }
    if (abdb_archive_is_cpio_link_without_data(l, m->entry))
        return record_hard_link(m, m->name, w, err);
    if (!abdb_archive_member_is_wanted(w, m->path, m->name)) return ABDB_OK;
    if (archive_entry_is_encrypted(m->entry))
        st = ABDB_FAIL(err, ABDB_DATA,
                       "is encrypted, and abdb asks for no password: unpack the archive, and import"
                       " the folder");
    else if ((st = abdb_archive_read_first_chunk(l, w, &first, err)) == ABDB_OK)
        st = walk_if_archive_else_deliver_member(l, first, m->path, m->depth, w, err);
    return abdb_archive_report_failure_and_check_bomb(l, m->path, st, w, err);
}

/* Is the member an archive by its name, and holds it targets of hard links? */
static bool is_archive_holding_link_targets(const archive_member *m, abdb_arena *arena,
                                            const archive_walk *w)
{
    return abdb_archive_has_suffix(m->path) &&
           abdb_hard_links_have_target_with_prefix(&w->links,
                                                   abdb_arena_printf(arena, "%s!", m->path));
}

/* Walks an archive in the archive if targets of hard links are in it. Failures were handed over by
 * the first pass. */
static abdb_status walk_nested_archive_if_holding_targets(const archive_level *l,
                                                          const archive_member *m,
                                                          abdb_arena *arena, archive_walk *w,
                                                          abdb_error *err)
{
    size_t first = 0;
    abdb_status st = ABDB_OK;

    if (!is_archive_holding_link_targets(m, arena, w)) return ABDB_OK;
    st = abdb_archive_read_first_chunk(l, w, &first, err);
    if (st == ABDB_OK &&
        abdb_archive_has_known_first_bytes(m->path, w->room[l->index].first, first))
        st = walk_nested_archive(l, first, m->path, m->depth + 1, false, w, err);
    return st == ABDB_NOMEM || w->stopped ? st : ABDB_OK;
}

/* LOCATE_TARGETS: the member is the source of links, or a link. */
static abdb_status record_link_source_or_passed_link(const archive_level *l,
                                                     const archive_member *m, archive_walk *w,
                                                     abdb_error *err)
{
    abdb_arena arena = {0};
    const char *key = abdb_hard_link_key(&arena, m->archive, m->name);
    abdb_status st = ABDB_OK;

    if (m->target || abdb_archive_is_cpio_link_without_data(l, m->entry)) {
        abdb_hard_links_bind_passed_link_to_latest(&w->links, key);
    } else if (m->body_of || archive_entry_filetype(m->entry) == AE_IFREG) {
        size_t number = w->members;

        if (m->body_of)
            abdb_hard_links_record_member_as_source(
                &w->links, abdb_hard_link_key(&arena, m->archive, m->body_of), number);
        abdb_hard_links_record_member_as_source(&w->links, key, number);
        st = walk_nested_archive_if_holding_targets(l, m, &arena, w, err);
    }
    abdb_arena_free(&arena);
    return st;
}

/* Reads the bytes of a link: a file is handed over, an archive is walked. */
static abdb_status deliver_spooled_link_or_walk_it(const archive_level *l, const hard_link *link,
                                                   abdb_spool *spool, int depth, archive_walk *w,
                                                   abdb_error *err)
{
    archive_walk *inside = NULL;
    abdb_input input = {0};
    abdb_status st = ABDB_OK;

    w->total += spool->size;
    TRY(abdb_archive_fail_if_bomb(w->total, l, err));
    TRY(abdb_spool_open_as_input(spool, &input, link->path, err));
    if (abdb_archive_has_suffix(link->path) &&
        abdb_archive_has_known_first_bytes(link->path, input.data, input.size)) {
        archive_source source;

        inside = calloc(1, sizeof *inside);
        if (!inside) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a hard link"));
        inside->handler = w->handler;
        inside->total = w->total;
        source = make_memory_source_of_input(&input, l, &inside->total);
        st = walk_archive_in_all_passes_and_free(&source, link->path, depth + 1, inside, err);
        w->total = inside->total;
        w->stopped |= inside->stopped;
    } else {
        TRY(abdb_archive_deliver_member_or_note_stop(w, link->path, &input, err));
    }
done:
    free(inside);
    if (input.path) abdb_input_close(&input);
    return st;
}

/* Walks the archive in the room's spool, in which targets of hard links are. Failures were handed
 * over by the first pass. */
static abdb_status walk_spooled_nested_archive(const archive_level *l, const archive_member *m,
                                               archive_walk *w, abdb_error *err)
{
    abdb_input input = {0};
    abdb_status st = abdb_spool_open_as_input(&w->room[l->index].spool, &input, m->path, err);

    if (st == ABDB_OK && abdb_archive_has_known_first_bytes(m->path, input.data, input.size)) {
        archive_source source = make_memory_source_of_input(&input, l, &w->total);

        st = open_and_walk_archive(&source, m->path, m->depth + 1, w, NULL, err);
    }
    if (input.path) abdb_input_close(&input);
    return st == ABDB_NOMEM || w->stopped ? st : ABDB_OK;
}

/* DELIVER_LINKS: hands over the member's bytes under the name of each of its links. */
static abdb_status deliver_hard_links_to_entry(const archive_level *l, const archive_member *m,
                                               archive_walk *w, abdb_error *err)
{
    abdb_spool *spool = &w->room[l->index].spool;
    abdb_arena arena = {0};
    const char *key = abdb_hard_link_key(&arena, m->archive, m->body_of ? m->body_of : m->name);
    size_t number = w->members, first = 0;
    hard_link *link = abdb_hard_links_next_undelivered(&w->links, key, number);
    abdb_error why = {0};
    abdb_status st = ABDB_OK, got = ABDB_OK;

    if (!link) {
        st = walk_nested_archive_if_holding_targets(l, m, &arena, w, err);
        goto done;
    }
    if (archive_entry_is_encrypted(m->entry))
        got = ABDB_FAIL(&why, ABDB_DATA, "%s is encrypted", link->target_name);
    else if ((got = abdb_archive_read_first_chunk(l, w, &first, &why)) == ABDB_OK)
        got = abdb_archive_spool_whole_member(l, w, first, &why);
    for (; link; link = abdb_hard_links_next_undelivered(&w->links, key, number)) {
        link->delivered = true;
        if (got == ABDB_OK)
            st = deliver_spooled_link_or_walk_it(l, link, spool, m->depth, w, err);
        else
            st = ABDB_FAIL(err, got, "a hard link to %s, which cannot be read: %s",
                           link->target_name, why.message);
        TRY(abdb_archive_report_failure_and_check_bomb(l, link->path, st, w, err));
    }
    if (got == ABDB_OK && is_archive_holding_link_targets(m, &arena, w))
        TRY(walk_spooled_nested_archive(l, m, w, err));
done:
    abdb_spool_clear(spool);
    abdb_arena_free(&arena);
    return st;
}

/* --- archives --------------------------------------------------------------------------------- */

static abdb_status handle_entry_by_pass(const archive_level *l, const archive_member *m,
                                        archive_walk *w, abdb_error *err)
{
    switch (w->pass) {
    case LOCATE_TARGETS: return record_link_source_or_passed_link(l, m, w, err);
    case DELIVER_LINKS: return deliver_hard_links_to_entry(l, m, w, err);
    case READ_MEMBERS: break;
    }
    return deliver_file_or_record_link(l, m, w, err);
}

/* Hands each member of an archive to its reader, archives among them one level deeper; counts
 * members, wanted or not, against the limit. */
static abdb_status walk_archive_members(const archive_level *l, const char *archive, int depth,
                                        archive_walk *w, abdb_error *err)
{
    abdb_arena arena = {0};
    size_t members = 0, folders = 0;
    archive_member m;
    int code;
    abdb_status st = ABDB_OK;

    for (;;) {
        TRY(abdb_archive_read_member_header(l, archive, depth, members + folders + 1, w, &arena, &m,
                                            &code, err));
        if (code != ARCHIVE_OK && code != ARCHIVE_WARN) break;
        /* Members that nobody wants count too: to pass over a million of them takes time all the
         * same. */
        if (w->members++ == ABDB_MEMBER_COUNT_MAX)
            TRY(ABDB_FAIL(err, ABDB_LIMIT, "more than %d members", ABDB_MEMBER_COUNT_MAX));
        if (archive_entry_filetype(m.entry) == AE_IFDIR && !m.target) {
            folders++;
        } else {
            members++;
            TRY(handle_entry_by_pass(l, &m, w, err));
        }
        TRY(abdb_archive_skip_member_within_bomb_limit(l, m.entry, w,
                                                       err)); /* what a refused one left, too */
        abdb_arena_clear(&arena);
    }
    st = abdb_archive_fail_if_empty_or_damaged(l, code, members, folders, err);
done:
    abdb_arena_free(&arena);
    return st;
}

/* Walks what is compressed: a container has this archive's path, another file is its only member,
 * without a name. */
static abdb_status walk_decompressed_content(const archive_level *l, const char *path, int depth,
                                             archive_walk *w, abdb_error *err)
{
    abdb_arena arena = {0};
    const char *inside = abdb_arena_printf(&arena, "%s!", path);
    const abdb_archive_kind *kind = NULL;
    struct archive_entry *entry;
    size_t first = 0;
    abdb_status st;

    st = archive_read_next_header(l->a, &entry) == ARCHIVE_OK
             ? abdb_archive_read_first_chunk(l, w, &first, err)
             : abdb_archive_fail_damaged(l, err);
    if (st == ABDB_OK) kind = abdb_archive_detect_kind(inside, w->room[l->index].first, first);
    if (kind && kind->support_format) {
        st = walk_nested_archive(l, first, path, depth, true, w, err);
    } else if (w->pass == READ_MEMBERS) {
        w->members++;
        if (abdb_archive_member_is_wanted(w, inside, "")) {
            if (st == ABDB_OK)
                st = walk_if_archive_else_deliver_member(l, first, inside, depth, w, err);
            st = abdb_archive_report_failure_and_check_bomb(l, inside, st, w, err);
        }
    } else if (kind && abdb_hard_links_have_target_with_prefix(
                           &w->links, abdb_arena_printf(&arena, "%s!", inside))) {
        st = walk_nested_archive(l, first, inside, depth + 1, false, w, err);
    }
    abdb_arena_free(&arena);
    return st;
}

/* Walks an archive once. Where it needs to seek, and its source cannot, it is read from the spool.
 */
static abdb_status open_and_walk_archive(archive_source *source, const char *path, int depth,
                                         archive_walk *w, abdb_spool *spool, abdb_error *err)
{
    archive_level here = {.a = archive_read_new(),
                          .kind = abdb_archive_detect_kind(path, source->memory, source->size),
                          .outer = source->outer,
                          .before = w->total,
                          .index = source->outer ? source->outer->index + 1 : 0};
    abdb_status st = ABDB_OK;

    if (!here.a) return ABDB_FAIL(err, ABDB_NOMEM, "an archive");
    if (!here.kind) TRY(ABDB_FAIL(err, ABDB_FORMAT, "no archive, and not compressed"));
    if (depth > ABDB_ARCHIVE_DEPTH_MAX)
        TRY(ABDB_FAIL(err, ABDB_LIMIT, "archives more than %d deep", ABDB_ARCHIVE_DEPTH_MAX));
    if (here.kind->needs_seeking && !abdb_archive_source_can_seek(source))
        TRY(abdb_archive_source_spool_rest_and_switch(source, spool, err));
    here.can_seek = abdb_archive_source_can_seek(source);
    TRY(abdb_archive_source_open_with_callbacks(here.a, source, here.kind, err));
    TRY(here.kind->support_format ? walk_archive_members(&here, path, depth, w, err)
                                  : walk_decompressed_content(&here, path, depth, w, err));
done:
    archive_read_free(here.a);
    if (source->error.status == ABDB_IO) {
        *err = source->error;
        st = ABDB_IO;
    }
    return st;
}

/* One of the passes that follow links. What is damaged was said by the first. */
static abdb_status rewind_and_walk_link_pass(archive_source *source, const char *path, int depth,
                                             archive_walk *w, walk_pass pass, abdb_error *err)
{
    abdb_status st;

    w->pass = pass;
    w->members = 0;
    if (!abdb_archive_source_rewind(source))
        return ABDB_FAIL(err, ABDB_LIMIT,
                         "more than %d bytes came through the pipe, which cannot be read twice:"
                         " import the archive from a file",
                         ABDB_INPUT_SIZE_MAX);
    st = open_and_walk_archive(source, path, depth, w, &w->spool, err);
    return st == ABDB_NOMEM || w->stopped ? st : ABDB_OK;
}

/* Hands over the bytes of all hard links that were noted, or the reason why there are none. */
static abdb_status resolve_and_deliver_hard_links(archive_source *source, const char *path,
                                                  int depth, archive_walk *w, abdb_error *err)
{
    abdb_error why = {0};
    abdb_status st = ABDB_OK;

    TRY(abdb_hard_links_resolve_chains_and_sort(&w->links, err));
    st = rewind_and_walk_link_pass(source, path, depth, w, LOCATE_TARGETS, &why);
    if (st == ABDB_OK) {
        abdb_hard_links_assign_sources_and_sort(&w->links);
        st = rewind_and_walk_link_pass(source, path, depth, w, DELIVER_LINKS, &why);
    }
    if (st == ABDB_NOMEM || w->stopped) {
        *err = why;
        goto done;
    }
    for (size_t i = 0; i < w->links.count; i++) {
        const hard_link *l = &w->links.item[i];

        if (!l->wanted || l->delivered) continue;
        TRY(abdb_archive_report_failure_to_handler(
            w, l->path,
            ABDB_FAIL(err, st == ABDB_OK ? ABDB_DATA : st, "a hard link to %s, %s", l->target_name,
                      st == ABDB_OK ? "which is no file of the archive that could"
                                      " be read"
                                    : why.message),
            err));
    }
    st = ABDB_OK;
done:
    return st;
}

/* Walks an archive with all passes that it needs, and frees what the state holds. The first failure
 * is returned. */
static abdb_status walk_archive_in_all_passes_and_free(archive_source *source, const char *path,
                                                       int depth, archive_walk *w, abdb_error *err)
{
    abdb_error later;
    abdb_status st, links = ABDB_OK;

    abdb_name_locales_open(&w->locales);
    st = open_and_walk_archive(source, path, depth, w, &w->spool, err);
    if (w->links.count && !w->stopped && st != ABDB_NOMEM) {
        links = resolve_and_deliver_hard_links(source, path, depth, w, &later);
        if (st == ABDB_OK && links != ABDB_OK) *err = later;
    }
    abdb_archive_walk_free(w);
    return st == ABDB_OK ? links : st;
}

abdb_status abdb_archive_deliver_members_of_memory(const abdb_input *in,
                                                   const abdb_member_handler *handler,
                                                   abdb_error *err)
{
    archive_walk w = {.handler = handler};
    archive_source source = make_memory_source_of_input(in, NULL, &w.total);

    return walk_archive_in_all_passes_and_free(&source, in->path, 0, &w, err);
}

abdb_status abdb_archive_deliver_members_of_file(int file, const char *path, const void *head,
                                                 size_t size, const abdb_member_handler *handler,
                                                 abdb_error *err)
{
    archive_walk w = {.handler = handler};
    off_t at = lseek(file, 0, SEEK_CUR);
    archive_source source = {.memory = head,
                             .size = size,
                             .file = at < 0 ? -1 : file,
                             .start = at < 0 ? 0 : at - (off_t)size,
                             .pipe = at < 0 ? file : -1,
                             .total = &w.total,
                             .chunk = malloc(ARCHIVE_CHUNK)};
    abdb_error ignored;
    abdb_status st;

    if (!source.chunk) return ABDB_FAIL(err, ABDB_NOMEM, "an archive");
    if (at < 0 && abdb_spool_append_to_memory_or_file(&w.spool, head, size, &ignored) == ABDB_OK)
        source.copy = &w.spool;
    st = walk_archive_in_all_passes_and_free(&source, path, 0, &w, err);
    free(source.chunk);
    return st;
}

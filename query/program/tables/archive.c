/* archive.c - abdb_archive(path): members of an archive as rows, by libarchive; see tables.h. */
#include <string.h>

#include "ingest/read/archive.h"
#include "query/program/tables/tables.h"
#include "schema/core/outguard.h"

enum { HELD_MAX = 256 << 20 }; /* bytes of all members together: they are held at once */

typedef struct {
    abdb_table *out;
    size_t held;
} reader;

/* Text that SQL can hold: UTF-8 without NUL. */
static bool is_text(const unsigned char *s, size_t size)
{
    for (size_t i = 0; i < size;) {
        size_t more = s[i] < 0x80 ? 0 : s[i] >= 0xf0 && s[i] < 0xf5 ? 3 : s[i] >= 0xe0 ? 2 : 1;

        if (!s[i] || (s[i] >= 0x80 && s[i] < 0xc2) || s[i] >= 0xf5) return false;
        for (size_t k = 1; k <= more; k++)
            if (i + k >= size || (s[i + k] & 0xc0) != 0x80) return false;
        i += more + 1;
    }
    return true;
}

static abdb_status on_member(void *self, const char *path, const abdb_input *input, abdb_error *err)
{
    reader *r = self;
    abdb_value *row = abdb_table_row(r->out);
    const char *name = strchr(path, '!');
    char why[ABDB_ERROR_SIZE];

    if (!row) return ABDB_FAIL(err, ABDB_NOMEM, "members");
    name = name ? name + 1 : path;
    row[0] = (abdb_value){.kind = ABDB_STRING,
                          .text = abdb_arena_copy(&r->out->arena, name, strlen(name))};
    if (!input) { /* err says why there are no bytes; the rest goes on */
        snprintf(why, sizeof why, "%s", err->message);
        row[3] = (abdb_value){.kind = ABDB_STRING,
                              .text = abdb_arena_copy(&r->out->arena, why, strlen(why))};
        return row[3].text ? ABDB_OK : ABDB_FAIL(err, ABDB_NOMEM, "members");
    }
    r->held += input->size;
    if (r->held > HELD_MAX)
        return ABDB_FAIL(err, ABDB_LIMIT, "more than %d bytes in all; `abdb import` streams them",
                         HELD_MAX);
    row[1] = (abdb_value){.kind = ABDB_INTEGER, .integer = (long long)input->size};
    row[2] = (abdb_value){
        .kind = ABDB_STRING,
        .text = abdb_arena_copy(&r->out->arena, (const char *)input->data, input->size)};
    /* Bytes that are no text have their size beside them, by which tables.c makes a blob. */
    if (input->size && !is_text(input->data, input->size)) row[2].integer = (long long)input->size;
    return row[0].text && row[2].text ? ABDB_OK : ABDB_FAIL(err, ABDB_NOMEM, "members");
}

static abdb_status fill(sqlite3 *db, const char *const *argument, abdb_table *out, abdb_error *err)
{
    reader r = {.out = out};
    abdb_input in = {0};
    abdb_status st = ABDB_OK;

    (void)db;
    out->columns = 4;
    TRY(abdb_outguard_protect_input(argument[0], err));
    TRY(abdb_input_open(&in, argument[0], err));
    if (!abdb_archive_is(in.data, in.size))
        TRY(ABDB_FAIL(err, ABDB_FORMAT, "%s is no archive and not compressed", argument[0]));
    TRY(abdb_archive_walk(&in, &(abdb_member_handler){&r, NULL, on_member}, err));
done:
    if (in.path) abdb_input_close(&in);
    return st;
}

const abdb_table_function abdb_table_archive = {
    "abdb_archive",
    "CREATE TABLE x(member TEXT, size_B INTEGER, contents, problem TEXT, path HIDDEN)",
    4,
    1,
    1,
    ABDB_ALLOW_FILES,
    fill};

/* archive.c - abdb_archive(path): members of an archive as rows, by libarchive; see
 * table_functions.h. */
#include <string.h>

#include "ingest/read/archive.h"
#include "query/sql_tables/table_functions.h"
#include "schema/core/outguard.h"

enum { HELD_MAX = 256 << 20 }; /* bytes of all members together: they are held at once */

typedef struct {
    abdb_table *out;
    size_t held;
} reader;

/* Text that SQL can hold: UTF-8 without NUL. */
static bool is_utf8_without_nul(const unsigned char *s, size_t size)
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

/* Adds a row of the member's name alone; NULL: no memory. */
static abdb_value *append_and_return_row_with_member_name(reader *r, const char *path)
{
    abdb_value *row = abdb_table_append_row(r->out);
    const char *name = strchr(path, '!');

    name = name ? name + 1 : path;
    if (row)
        row[0] = (abdb_value){.kind = ABDB_STRING,
                              .text = abdb_arena_copy(&r->out->arena, name, strlen(name))};
    return row && row[0].text ? row : NULL;
}

static abdb_status set_problem_cell(reader *r, abdb_value *row, const char *why, abdb_error *err)
{
    row[3] = (abdb_value){.kind = ABDB_STRING,
                          .text = abdb_arena_copy(&r->out->arena, why, strlen(why))};
    return row[3].text ? ABDB_OK : ABDB_FAIL(err, ABDB_NOMEM, "members");
}

/* Adds a member with its text, or with the reason why it could not be read. */
static abdb_status append_archive_member_row(void *self, const char *path, const abdb_input *input,
                                             abdb_error *err)
{
    reader *r = self;
    abdb_value *row = append_and_return_row_with_member_name(r, path);
    char why[ABDB_ERROR_SIZE];

    if (!row) return ABDB_FAIL(err, ABDB_NOMEM, "members");
    if (!input) { /* err has the reason; the other members are read */
        snprintf(why, sizeof why, "%s", err->message);
        return set_problem_cell(r, row, why, err);
    }
    r->held += input->size;
    if (r->held > HELD_MAX)
        return ABDB_FAIL(err, ABDB_LIMIT, "more than %d bytes in all; `abdb import` streams them",
                         HELD_MAX);
    row[1] = (abdb_value){.kind = ABDB_INTEGER, .integer = (long long)input->size};
    row[2] = (abdb_value){
        .kind = ABDB_STRING,
        .text = abdb_arena_copy(&r->out->arena, (const char *)input->data, input->size)};
    /* Bytes that are no text have their size beside them, by which table_functions.c makes a blob.
     */
    if (input->size && !is_utf8_without_nul(input->data, input->size))
        row[2].integer = (long long)input->size;
    return row[2].text ? ABDB_OK : ABDB_FAIL(err, ABDB_NOMEM, "members");
}

/* A member that is neither a file nor a folder gets a row with its problem. */
static abdb_status append_problem_row_of_left_out_member(void *self, const char *path,
                                                         const char *name, abdb_member_kind kind,
                                                         abdb_error *err)
{
    abdb_value *row = append_and_return_row_with_member_name(self, path);

    (void)name;
    if (!row) return ABDB_FAIL(err, ABDB_NOMEM, "members");
    return set_problem_cell(self, row,
                            kind == ABDB_MEMBER_SYMLINK ? "a symbolic link, which is not followed"
                                                        : "a device, named pipe or socket",
                            err);
}

/* abdb_archive(PATH): a row for each member. */
static abdb_status fill_rows_of_archive_members(sqlite3 *db, const char *const *argument,
                                                abdb_table *out, abdb_error *err)
{
    reader r = {.out = out};
    abdb_input in = {0};
    abdb_status st = ABDB_OK;

    (void)db;
    out->columns = 4;
    TRY(abdb_outguard_protect_input_if_regular(argument[0], err));
    TRY(abdb_input_map_file_and_decode(&in, argument[0], err));
    if (!abdb_archive_has_known_first_bytes(argument[0], in.data, in.size))
        TRY(ABDB_FAIL(err, ABDB_FORMAT, "%s is no archive and not compressed", argument[0]));
    TRY(abdb_archive_deliver_members_of_memory(
        &in,
        &(abdb_member_handler){&r, NULL, append_archive_member_row,
                               append_problem_row_of_left_out_member},
        err));
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
    fill_rows_of_archive_members};

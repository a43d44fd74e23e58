/* unknown_factors.c - see unknown_factors.h. */
#include "query/compare/unknown_factors.h"

#include <stdlib.h>
#include <string.h>

#include "schema/core/array.h"

static int compare_text_to_pointer(const void *key, const void *item)
{
    return strcmp(key, *(const char *const *)item);
}

bool abdb_factor_meaning_is_unknown(const abdb_rulebook *book, const abdb_set *set, size_t member,
                                    const char *factor)
{
    /* abdb run names its factors by the parameters of its kernels. */
    if (strcmp(abdb_member_text(set, member, ABDB_M_source), "abdb-run") == 0) return false;
    if (strncmp(factor, "user_word.", 10) == 0 || strncmp(factor, "described_system.", 17) == 0)
        return false;
    return !abdb_array_find_sorted(factor, book->known, book->knowns, sizeof *book->known,
                                   compare_text_to_pointer);
}

/* Rows of the member's file that have the factor, and their values; 0 rows: not every row has it.
 */
static abdb_status count_rows_and_values_of_factor_in_file(sqlite3_stmt *s, const abdb_set *set,
                                                           size_t member, const char *factor,
                                                           double *rows, double *values,
                                                           abdb_error *err)
{
    int code;

    sqlite3_reset(s);
    sqlite3_bind_text(s, 1, abdb_member_text(set, member, ABDB_M_entry_id), -1, SQLITE_STATIC);
    sqlite3_bind_text(s, 2, factor, -1, SQLITE_STATIC);
    code = sqlite3_step(s);
    if (code != SQLITE_ROW) return abdb_fail_with_sql_read_error(sqlite3_db_handle(s), err);
    *rows = sqlite3_column_double(s, 0);
    *values = sqlite3_column_double(s, 1);
    return ABDB_OK;
}

abdb_status abdb_factor_is_unique_in_every_row(bool *is_unique, sqlite3 *db, const abdb_set *set_a,
                                               size_t a, const abdb_set *set_b, size_t b,
                                               const char *factor, abdb_error *err)
{
    /* Rows of a file have neighbouring numbers; nothing leads from a file to all of its rows. */
    static const char sql[] =
        "SELECT CASE WHEN count(*) = count(p.text) THEN count(DISTINCT coalesce(e.line, e.place))"
        " ELSE 0 END, count(DISTINCT p.text) FROM entry_row e LEFT JOIN point_factor p ON"
        " p.point_id = e.point_id AND p.factor = ?2 AND p.state = 'known' WHERE e.entry_id BETWEEN"
        " CAST(?1 AS INTEGER) - 1000 AND CAST(?1 AS INTEGER) + 1000 AND e.artifact_id = (SELECT"
        " artifact_id FROM entry_row WHERE entry_id = CAST(?1 AS INTEGER))";
    sqlite3_stmt *s = NULL;
    double rows, values;
    abdb_status st = ABDB_OK;

    *is_unique = false;
    if (sqlite3_prepare_v2(db, sql, -1, &s, NULL) != SQLITE_OK)
        TRY(abdb_fail_with_sql_read_error(db, err));
    TRY(count_rows_and_values_of_factor_in_file(s, set_a, a, factor, &rows, &values, err));
    if (rows < ABDB_IDENTIFIER_ROWS || values < rows) goto done;
    TRY(count_rows_and_values_of_factor_in_file(s, set_b, b, factor, &rows, &values, err));
    *is_unique = rows >= ABDB_IDENTIFIER_ROWS && values >= rows;
done:
    sqlite3_finalize(s);
    return st;
}

abdb_status abdb_describe_differences_of_unknown_meaning(const char **out, sqlite3 *db,
                                                         const abdb_rulebook *book,
                                                         const abdb_set *set, size_t first,
                                                         size_t own, abdb_arena *arena,
                                                         abdb_error *err)
{
    enum { NAMED_MAX = 4 };
    const abdb_member *m = &set->member[own];
    abdb_text text = {0};
    size_t count = 0;
    abdb_status st = ABDB_OK;

    *out = "";
    for (size_t t = 0; t < m->traits && count <= NAMED_MAX; t++) {
        const abdb_member_factor *mine = &m->trait[t];
        const abdb_member_factor *other = abdb_member_find_factor(&set->member[first], mine->name);
        bool identifier, needed;

        if (mine->state != ABDB_KNOWN || !other || other->state != ABDB_KNOWN ||
            strcmp(mine->text, other->text) == 0 ||
            !abdb_factor_meaning_is_unknown(book, set, own, mine->name) ||
            strcmp(abdb_find_factor_role_or_agree(book, set, own, mine->name, &needed), "agree") !=
                0)
            continue;
        TRY(abdb_factor_is_unique_in_every_row(&identifier, db, set, first, set, own, mine->name,
                                               err));
        if (identifier) continue;
        if (count++ < NAMED_MAX)
            abdb_text_printf(&text, "%s%s %s|%s", text.size ? ", " : "", mine->name, other->text,
                             mine->text);
    }
    if (count)
        abdb_text_puts(&text, count > NAMED_MAX ? ", ... (meaning unknown)" : ", meaning unknown");
    *out = abdb_arena_copy(arena, abdb_text_get(&text), text.size);
    if (!*out || text.failed) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a ranking"));
done:
    abdb_text_free(&text);
    return st;
}

/* provenance_row_changes.c - compares the recorded rows of a picture with today's rows; see
 * provenance_rows.h. */
#include <stdlib.h>

#include "query/answer/provenance_rows.h"

enum { KEY_SIZE = 64 };

static const char *row_name(const abdb_recorded_rows *r, size_t row)
{
    return abdb_json_array_text_or_empty(json_array_get(r->rows, row), r->name);
}

static void copy_first_key(const abdb_recorded_rows *r, size_t row, char out[KEY_SIZE])
{
    const char *keys = abdb_json_array_text_or_empty(r->keys, row);

    snprintf(out, KEY_SIZE, "%.*s", (int)strcspn(keys, " "), keys);
}

size_t abdb_recorded_column_index(const abdb_recorded_rows *r, const char *name)
{
    size_t i = 0, count = json_array_size(r->columns);

    while (i < count && strcmp(abdb_json_array_text_or_empty(r->columns, i), name) != 0) i++;
    return i;
}

/* The row that is the same thing now: of the same facts, else, where facts were replaced, of that
 * name; count: there is none. */
static size_t find_matching_row(const abdb_recorded_rows *then, size_t row,
                                const abdb_recorded_rows *now, const bool *taken, bool by_name)
{
    size_t i = 0, count = json_array_size(now->rows);

    for (; i < count; i++) {
        if (taken[i]) continue;
        if (by_name ? strcmp(row_name(then, row), row_name(now, i)) == 0
                    : *abdb_json_array_text_or_empty(then->keys, row) &&
                          strcmp(abdb_json_array_text_or_empty(then->keys, row),
                                 abdb_json_array_text_or_empty(now->keys, i)) == 0)
            break;
    }
    return i;
}

/* The first key of a row that another has not, neither itself nor the key under which its file was
 * read again; "": it has all. */
static abdb_status find_first_missing_fact_key(abdb_verifier *c, const abdb_recorded_rows *then,
                                               size_t row, const abdb_recorded_rows *now,
                                               size_t other, char out[KEY_SIZE], abdb_error *err)
{
    abdb_status st;
    bool again;

    const char *keys = abdb_json_array_text_or_empty(then->keys, row),
               *others = abdb_json_array_text_or_empty(now->keys, other);

    for (*out = '\0'; *(keys += strspn(keys, " ")); keys += strcspn(keys, " ")) {
        size_t size = strcspn(keys, " ");

        if (abdb_list_has_word(others, ' ', keys, size)) continue;
        snprintf(out, KEY_SIZE, "%.*s", (int)size, keys);
        st = abdb_verify_others_have_successor_of_key(c, out, others, &again, err);
        if (st != ABDB_OK || !again) return st;
        *out = '\0';
    }
    return ABDB_OK;
}

/* Reports cells that differ in two rows, after the reason for a missing fact, if one is missing. */
static abdb_status report_cell_changes(abdb_verifier *c, const abdb_recorded_rows *then, size_t row,
                                       const abdb_recorded_rows *now, size_t other, abdb_error *err)
{
    char key[KEY_SIZE];
    abdb_status st = ABDB_OK;

    TRY(find_first_missing_fact_key(c, then, row, now, other, key, err));
    if (*key) st = abdb_verify_append_row_why_fact_missing(c, key, row_name(then, row), err);
    copy_first_key(now, other, key);
    for (size_t i = 0; i < json_array_size(then->columns) && st == ABDB_OK; i++) {
        const char *name = abdb_json_array_text_or_empty(then->columns, i),
                   *before = abdb_json_array_text_or_empty(json_array_get(then->rows, row), i),
                   *after = abdb_json_array_text_or_empty(json_array_get(now->rows, other),
                                                          abdb_recorded_column_index(now, name));

        if (strcmp(before, after) == 0) continue;
        c->verdict->changed = true;
        st = abdb_verify_append_difference_row(c, "changed", row_name(then, row), name, before,
                                               after, key, err);
    }
done:
    return st;
}

abdb_status abdb_verify_report_row_changes(abdb_verifier *c, const abdb_recorded_rows *then,
                                           const abdb_recorded_rows *now, abdb_error *err)
{
    size_t before = json_array_size(then->rows), after = json_array_size(now->rows);
    bool *met = calloc(before + 1, sizeof *met), *taken = calloc(after + 1, sizeof *taken);
    size_t said = c->out->rows;
    char key[KEY_SIZE];
    abdb_status st = ABDB_OK;

    if (!met || !taken) TRY(ABDB_FAIL(err, ABDB_NOMEM, "%s", c->file));
    for (int by_name = 0; by_name < 2; by_name++)
        for (size_t r = 0; r < before; r++) {
            size_t other = met[r] ? after : find_matching_row(then, r, now, taken, by_name);

            if (other == after) continue;
            met[r] = taken[other] = true;
            TRY(report_cell_changes(c, then, r, now, other, err));
        }
    for (size_t r = 0; r < before; r++) {
        if (met[r]) continue;
        copy_first_key(then, r, key);
        TRY(abdb_verify_append_row_why_fact_missing(c, key, row_name(then, r), err));
    }
    for (size_t r = 0; r < after; r++) {
        if (taken[r]) continue;
        copy_first_key(now, r, key);
        TRY(abdb_verify_append_difference_row(c, "added", row_name(now, r), NULL, NULL, NULL, key,
                                              err));
    }
    c->verdict->changed |= c->out->rows > said;
done:
    free(met);
    free(taken);
    return st;
}

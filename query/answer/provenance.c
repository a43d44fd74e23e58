/* provenance.c - the object that a picture carries; see provenance.h. */
#include "query/answer/provenance.h"

#include <stdlib.h>

#include "query/answer/provenance_rows.h"
#include "schema/core/sanitize_text.h"
#include "schema/core/version.h"

enum { ROWS_MOST = 500, ROWS_SIZE_MOST = 512 << 10 };

const char *abdb_json_array_text_or_empty(const json_t *array, size_t i)
{
    const char *text = json_string_value(json_array_get(array, i));

    return text ? text : "";
}

json_t *abdb_json_string_sanitized_if_invalid(const char *text)
{
    json_t *out = json_string(text);
    abdb_text plain = {0};

    if (out) return out;
    abdb_text_append_sanitized(&plain, text);
    out = json_string(abdb_text_get(&plain));
    abdb_text_free(&plain);
    return out;
}

json_t *abdb_provenance_row_fact_keys_json(const abdb_table *t, size_t row)
{
    abdb_text keys = {0};
    json_t *out;

    for (size_t c = 0; c < t->columns; c++) {
        const abdb_value *v = &t->value[row * t->columns + c];

        if (strncmp(t->column[c].name, "_facts", 6) != 0 || v->kind != ABDB_STRING) continue;
        if (keys.size) abdb_text_puts(&keys, " ");
        abdb_text_puts(&keys, v->text);
    }
    out = abdb_json_string_sanitized_if_invalid(abdb_text_get(&keys));
    abdb_text_free(&keys);
    return out;
}

json_t *abdb_provenance_row_visible_cells_json(const abdb_table *t, size_t row_index)
{
    json_t *row = json_array();
    char digits[32];

    for (size_t c = 0; c < t->columns; c++) {
        const abdb_value *v = &t->value[row_index * t->columns + c];

        if (t->column[c].name[0] != '_')
            json_array_append_new(row, v->kind == ABDB_NULL ? json_null()
                                                            : abdb_json_string_sanitized_if_invalid(
                                                                  abdb_value_text(v, digits)));
    }
    return row;
}

json_t *abdb_provenance_columns_rows_keys_json(const abdb_table *t)
{
    json_t *columns = json_array(), *rows = json_array(), *keys = json_array(),
           *all = json_object();

    for (size_t c = 0; c < t->columns; c++)
        if (t->column[c].name[0] != '_')
            json_array_append_new(columns, json_string(t->column[c].name));
    for (size_t r = 0; r < t->rows; r++) {
        json_array_append_new(rows, abdb_provenance_row_visible_cells_json(t, r));
        json_array_append_new(keys, abdb_provenance_row_fact_keys_json(t, r));
    }
    json_object_set_new(all, "columns", columns);
    json_object_set_new(all, "rows", rows);
    json_object_set_new(all, "keys", keys);
    return all;
}

void abdb_provenance_compact_json_sha256(const json_t *rows, char out[ABDB_SHA256_HEX],
                                         size_t *json_size)
{
    char *text = json_dumps(rows, JSON_COMPACT | JSON_ENSURE_ASCII);

    *json_size = text ? strlen(text) : 0;
    abdb_sha256_hex(text ? text : "", *json_size, out);
    free(text);
}

json_t *abdb_provenance_given_parameters_json(const abdb_plot *plot)
{
    json_t *out = json_object();

    for (size_t p = 0; p < plot->report.params; p++)
        if (plot->value[p])
            json_object_set_new(out, plot->report.param[p].name,
                                abdb_json_string_sanitized_if_invalid(plot->value[p]));
    return out;
}

/* The given options that change how a figure looks, as an object. */
static json_t *look_to_json(const abdb_plot_look *look)
{
    const struct {
        const char *name, *text;
    } words[] = {{"title", look->title},
                 {"subtitle", look->subtitle},
                 {"highlight", look->highlight},
                 {"devices", look->devices},
                 {"size", look->size}};
    json_t *out = json_object();

    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (words[i].text) json_object_set_new(out, words[i].name, json_string(words[i].text));
    if (look->vendor_colours) json_object_set_new(out, "vendor_colours", json_true());
    return out;
}

abdb_status abdb_provenance_append_json(const abdb_plot *plot, abdb_picture picture, abdb_tone tone,
                                        const char *picture_digest,
                                        const char *const *file_digest_pairs, abdb_text *out,
                                        abdb_error *err)
{
    json_t *all = json_object(), *rows = abdb_provenance_columns_rows_keys_json(&plot->table),
           *notes = json_array();
    char digest[ABDB_SHA256_HEX], *text;
    size_t size;

    abdb_provenance_compact_json_sha256(rows, digest, &size);
    json_object_set_new(all, "abdb", json_string(ABDB_VERSION));
    json_object_set_new(all, "figure", json_string(plot->figure.name));
    json_object_set_new(all, "parameters", abdb_provenance_given_parameters_json(plot));
    json_object_set_new(all, "look", look_to_json(&plot->look));
    if (picture != ABDB_PICTURES)
        json_object_set_new(all, "picture", json_string(abdb_picture_name[picture]));
    json_object_set_new(all, "tone", json_string(abdb_tone_name[tone]));
    json_object_set_new(all, "data", json_string(digest));
    if (plot->table.rows <= ROWS_MOST && size <= ROWS_SIZE_MOST) json_object_update(all, rows);
    abdb_sha256_hex(abdb_text_get(&plot->script), plot->script.size, digest);
    json_object_set_new(all, "script", json_string(digest));
    if (picture_digest) json_object_set_new(all, "bytes", json_string(picture_digest));
    for (size_t i = 0; i < plot->table.notes; i++)
        json_array_append_new(notes, abdb_json_string_sanitized_if_invalid(plot->table.note[i]));
    json_object_set_new(all, "notes", notes);
    if (file_digest_pairs) {
        json_t *list = json_object();

        for (; *file_digest_pairs; file_digest_pairs += 2)
            json_object_set_new(list, file_digest_pairs[0], json_string(file_digest_pairs[1]));
        json_object_set_new(all, "files", list);
    }
    text = json_dumps(all, JSON_COMPACT | JSON_ENSURE_ASCII);
    if (text) abdb_text_puts(out, text);
    json_decref(rows);
    json_decref(all);
    free(text);
    return text && !out->failed ? ABDB_OK
                                : ABDB_FAIL(err, ABDB_NOMEM, "figure %s", plot->figure.name);
}

/* proof_check.c - does a database still say what a picture was made of? See proof.h. */
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "plots/stamp.h"
#include "query/answer/proof.h"
#include "query/answer/proof_rows.h"

enum { KEY_SIZE = 64 };

/* --- files ----------------------------------------------------------------------------------- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash && slash[1] ? slash + 1 : path;
}

/* --- rows of then and of now ----------------------------------------------------------------- */

typedef struct {
    const json_t *columns, *rows, *keys;
    size_t name; /* the column that names a row */
} rows_of;

static const char *text_at(const json_t *array, size_t i)
{
    const char *text = json_string_value(json_array_get(array, i));

    return text ? text : "";
}

static const char *name_of(const rows_of *r, size_t row)
{
    return text_at(json_array_get(r->rows, row), r->name);
}

static void first_key(const rows_of *r, size_t row, char out[KEY_SIZE])
{
    const char *keys = text_at(r->keys, row);

    snprintf(out, KEY_SIZE, "%.*s", (int)strcspn(keys, " "), keys);
}

static size_t column_named(const rows_of *r, const char *name)
{
    size_t i = 0, count = json_array_size(r->columns);

    while (i < count && strcmp(text_at(r->columns, i), name) != 0) i++;
    return i;
}

/* The row that is the same thing now: of the same facts, else, where facts were replaced, of that
 * name; count: there is none. */
static size_t partner(const rows_of *then, size_t row, const rows_of *now, const bool *taken,
                      bool by_name)
{
    size_t i = 0, count = json_array_size(now->rows);

    for (; i < count; i++) {
        if (taken[i]) continue;
        if (by_name ? strcmp(name_of(then, row), name_of(now, i)) == 0
                    : *text_at(then->keys, row) &&
                          strcmp(text_at(then->keys, row), text_at(now->keys, i)) == 0)
            break;
    }
    return i;
}

/* The first key of a row that another has not; "": it has all. */
static void lost_key(const rows_of *then, size_t row, const rows_of *now, size_t other,
                     char out[KEY_SIZE])
{
    const char *keys = text_at(then->keys, row), *others = text_at(now->keys, other);

    for (*out = '\0'; *(keys += strspn(keys, " ")); keys += strcspn(keys, " ")) {
        size_t size = strcspn(keys, " ");

        if (abdb_has_word(others, ' ', keys, size)) continue;
        snprintf(out, KEY_SIZE, "%.*s", (int)size, keys);
        return;
    }
}

/* The cells that differ in two rows, behind what became of the fact that they had. */
static abdb_status compare_cells(abdb_checker *c, const rows_of *then, size_t row,
                                 const rows_of *now, size_t other, abdb_error *err)
{
    char key[KEY_SIZE];
    abdb_status st = ABDB_OK;

    lost_key(then, row, now, other, key);
    if (*key) st = abdb_check_lost(c, key, name_of(then, row), err);
    first_key(now, other, key);
    for (size_t i = 0; i < json_array_size(then->columns) && st == ABDB_OK; i++) {
        const char *name = text_at(then->columns, i),
                   *before = text_at(json_array_get(then->rows, row), i),
                   *after = text_at(json_array_get(now->rows, other), column_named(now, name));

        if (strcmp(before, after) == 0) continue;
        c->verdict->changed = true;
        st = abdb_check_add(c, "changed", name_of(then, row), name, before, after, key, err);
    }
    return st;
}

static abdb_status compare_rows(abdb_checker *c, const rows_of *then, const rows_of *now,
                                abdb_error *err)
{
    size_t before = json_array_size(then->rows), after = json_array_size(now->rows);
    bool *met = calloc(before + 1, sizeof *met), *taken = calloc(after + 1, sizeof *taken);
    char key[KEY_SIZE];
    abdb_status st = ABDB_OK;

    if (!met || !taken) TRY(ABDB_FAIL(err, ABDB_NOMEM, "%s", c->file));
    for (int by_name = 0; by_name < 2; by_name++)
        for (size_t r = 0; r < before; r++) {
            size_t other = met[r] ? after : partner(then, r, now, taken, by_name);

            if (other == after) continue;
            met[r] = taken[other] = true;
            TRY(compare_cells(c, then, r, now, other, err));
        }
    for (size_t r = 0; r < before; r++) {
        if (met[r]) continue;
        first_key(then, r, key);
        TRY(abdb_check_lost(c, key, name_of(then, r), err));
    }
    for (size_t r = 0; r < after; r++) {
        if (taken[r]) continue;
        first_key(now, r, key);
        TRY(abdb_check_add(c, "added", name_of(now, r), NULL, NULL, NULL, key, err));
    }
    c->verdict->changed = true;
done:
    free(met);
    free(taken);
    return st;
}

/* --- one picture ----------------------------------------------------------------------------- */

/* The figure as it was asked for then, out of this database. */
static abdb_status draw_again(abdb_checker *c, const json_t *said, abdb_plot *plot, abdb_error *err)
{
    const json_t *look = json_object_get(said, "look");
    const char *value[ABDB_PARAM_COUNT] = {0}, *figure;
    abdb_status st = ABDB_OK;

    figure = json_string_value(json_object_get(said, "figure"));
    TRY(abdb_plot_load(plot, figure, err));
    TRY(abdb_check_values(c->file, said, &plot->report, value, err));
    st = abdb_plot_fill(
        plot, c->db, value,
        &(abdb_look){.title = json_string_value(json_object_get(look, "title")),
                     .subtitle = json_string_value(json_object_get(look, "subtitle")),
                     .highlight = json_string_value(json_object_get(look, "highlight")),
                     .devices = json_string_value(json_object_get(look, "devices")),
                     .size = json_string_value(json_object_get(look, "size")),
                     .vendor_colours = json_is_true(json_object_get(look, "vendor_colours"))},
        err);
    /* Too little left to draw, or a round or a device that is gone, is a change that rows tell. */
    if (st == ABDB_DATA || st == ABDB_USAGE) st = ABDB_OK;
done:
    return st;
}

static abdb_tone tone_in(const json_t *said)
{
    const char *name = json_string_value(json_object_get(said, "tone"));
    abdb_tone tone = ABDB_TONES;

    while (name && --tone > ABDB_LIGHT && strcmp(abdb_tone_name[tone], name) != 0) {
    }
    return name ? tone : ABDB_LIGHT;
}

/* An SVG is the same bytes wherever the same gnuplot draws the same script: one that says it is
 * made of this data and shows other things was edited. */
static abdb_status check_drawing(abdb_checker *c, const abdb_plot *plot, const json_t *said,
                                 const abdb_text *rest, abdb_error *err)
{
    char *data = NULL, *made;
    size_t size = 0;
    FILE *drawn = open_memstream(&data, &size);
    abdb_status st = ABDB_OK;

    if (!drawn) return ABDB_FAIL(err, ABDB_NOMEM, "%s", c->file);
    TRY(abdb_figure_draw(abdb_text_get(&plot->script), ABDB_SVG, tone_in(said), INFINITY, drawn,
                         err));
    if (fflush(drawn) != 0) TRY(ABDB_FAIL(err, ABDB_NOMEM, "%s", c->file));
    if (size == rest->size && memcmp(data, rest->data, size) == 0) goto done;
    made = memmem(data, size, "<desc>", 6);
    if (!made || !memmem(rest->data, rest->size, made, strcspn(made, "\n"))) goto done;
    c->verdict->edited = true;
    st = abdb_check_add(c, "edited: its data draw another picture", NULL, NULL, NULL, NULL, NULL,
                        err);
done:
    fclose(drawn);
    free(data);
    return st;
}

static rows_of rows_in(const json_t *object, const abdb_plot *plot)
{
    rows_of r = {json_object_get(object, "columns"), json_object_get(object, "rows"),
                 json_object_get(object, "keys"), 0};
    const char *names[] = {plot->figure.names, "device", "accelerator"};

    for (size_t i = 3; i-- > 0;)
        if (names[i] && column_named(&r, names[i]) < json_array_size(r.columns))
            r.name = column_named(&r, names[i]);
    return r;
}

/* Rows and keys of the database against those of the picture. rest: the picture, or NULL. */
static abdb_status check_facts(abdb_checker *c, const json_t *said, const abdb_text *rest,
                               abdb_error *err)
{
    abdb_plot plot = {0};
    json_t *now = NULL;
    char digest[ABDB_SHA256_HEX];
    const char *data = json_string_value(json_object_get(said, "data")),
               *script = json_string_value(json_object_get(said, "script"));
    size_t size;
    abdb_status st = ABDB_OK;

    TRY(draw_again(c, said, &plot, err));
    now = abdb_proof_rows(&plot.table);
    abdb_proof_digest(now, digest, &size);
    if (strcmp(digest, data) != 0) {
        rows_of before = rows_in(said, &plot), after = rows_in(now, &plot);

        if (before.rows)
            TRY(compare_rows(c, &before, &after, err));
        else
            TRY(abdb_check_add(c, "changed", NULL, NULL, NULL, NULL, NULL, err));
        c->verdict->changed = true;
        goto done;
    }
    abdb_sha256_hex(abdb_text_get(&plot.script), plot.script.size, digest);
    if (strcmp(digest, script) != 0)
        TRY(abdb_check_add(c, "drawn otherwise now: another abdb or figure", NULL, NULL, NULL, NULL,
                           NULL, err));
    else if (rest && abdb_stamp_kind(rest->data, rest->size) == ABDB_SVG)
        TRY(check_drawing(c, &plot, said, rest, err));
done:
    json_decref(now);
    abdb_plot_free(&plot);
    return st;
}

/* The object, with all that is needed of the right kind; what it says of itself must agree. */
static abdb_status parse(abdb_checker *c, const char *text, size_t size, json_t **out,
                         abdb_error *err)
{
    static const char *const texts[] = {"figure", "data", "script"};
    json_error_t why;
    json_t *said = json_loadb(text, size, JSON_REJECT_DUPLICATES, &why), *rows;
    char digest[ABDB_SHA256_HEX];
    bool whole = json_is_object(said);
    size_t length;

    *out = said;
    if (json_is_string(json_object_get(said, "page"))) return ABDB_OK;
    for (size_t i = 0; i < 3; i++) whole = whole && json_is_string(json_object_get(said, texts[i]));
    if (!whole)
        return ABDB_FAIL(err, ABDB_FORMAT, "%s: what it carries is no word of abdb's", c->file);
    if (!json_object_get(said, "rows")) return ABDB_OK;
    rows = json_pack("{s:O?, s:O?, s:O?}", "columns", json_object_get(said, "columns"), "rows",
                     json_object_get(said, "rows"), "keys", json_object_get(said, "keys"));
    abdb_proof_digest(rows, digest, &length);
    json_decref(rows);
    if (strcmp(digest, json_string_value(json_object_get(said, "data"))) == 0) return ABDB_OK;
    c->verdict->edited = true;
    return abdb_check_add(c, "edited: the rows that it carries", NULL, NULL, NULL, NULL, NULL, err);
}

static abdb_status check_picture(abdb_checker *c, const abdb_text *file, abdb_error *err)
{
    abdb_text stamp = {0}, rest = {0};
    json_t *said = NULL;
    char digest[ABDB_SHA256_HEX];
    const char *bytes;
    abdb_status st = abdb_stamp_take(abdb_text_get(file), file->size, &stamp, &rest, err);

    if (st != ABDB_OK) {
        (void)abdb_context(err, "%s", c->file);
        goto done;
    }
    TRY(parse(c, abdb_text_get(&stamp), stamp.size, &said, err));
    bytes = json_string_value(json_object_get(said, "bytes"));
    abdb_sha256_hex(abdb_text_get(&rest), rest.size, digest);
    if (!bytes || strcmp(digest, bytes) != 0) {
        c->verdict->edited = true;
        TRY(abdb_check_add(c, "edited: the bytes of the file", NULL, NULL, bytes, digest, NULL,
                           err));
    }
    if (json_object_get(said, "page")) {
        c->verdict->page = true;
        TRY(abdb_check_page(c, said, &rest, err));
    } else
        TRY(check_facts(c, said, c->verdict->edited ? NULL : &rest, err));
done:
    json_decref(said);
    abdb_text_free(&stamp);
    abdb_text_free(&rest);
    return st;
}

/* --- bundles --------------------------------------------------------------------------------- */

/* The files that a bundle names, beside its list. */
static abdb_status check_files(abdb_checker *c, const char *path, const json_t *files,
                               abdb_error *err)
{
    const char *own = c->file, *name;
    json_t *digest;
    abdb_status st = ABDB_OK;

    json_object_foreach((json_t *)(uintptr_t)files, name, digest)
    {
        char place[4096], now[ABDB_SHA256_HEX] = "";
        abdb_text whole = {0};
        abdb_error why;

        c->file = name;
        snprintf(place, sizeof place, "%.*s%s", (int)(base_name(path) - path), path, name);
        if (strchr(name, '/') || !json_is_string(digest))
            st = ABDB_FAIL(err, ABDB_FORMAT, "%s: it names a file that is none of a bundle", own);
        else if (abdb_stamp_read(place, &whole, &why) != ABDB_OK) {
            c->verdict->edited = true;
            st =
                abdb_check_add(c, "edited: the file is missing", NULL, NULL, NULL, NULL, NULL, err);
        } else {
            abdb_sha256_hex(abdb_text_get(&whole), whole.size, now);
            if (strcmp(now, json_string_value(digest)) != 0) {
                c->verdict->edited = true;
                st = abdb_check_add(c, "edited: the bytes of the file", NULL, NULL,
                                    json_string_value(digest), now, NULL, err);
            }
        }
        abdb_text_free(&whole);
        if (st != ABDB_OK) break;
    }
    c->file = own;
    return st;
}

static abdb_status check_bundle(abdb_checker *c, const char *path, const abdb_text *file,
                                abdb_error *err)
{
    json_t *said = NULL;
    abdb_status st = ABDB_OK;

    if (file->size > ABDB_STAMP_MOST)
        TRY(ABDB_FAIL(err, ABDB_LIMIT, "%s: what it carries is huge", c->file));
    TRY(parse(c, abdb_text_get(file), file->size, &said, err));
    TRY(check_files(c, path, json_object_get(said, "files"), err));
    TRY(check_facts(c, said, NULL, err));
done:
    json_decref(said);
    return st;
}

static abdb_status check_file(abdb_checker *c, const char *path, abdb_error *err)
{
    abdb_text file = {0};
    abdb_status st = ABDB_OK;

    c->file = base_name(path);
    TRY(abdb_stamp_read(path, &file, err));
    st = *abdb_text_get(&file) == '{' ? check_bundle(c, path, &file, err)
                                      : check_picture(c, &file, err);
done:
    abdb_text_free(&file);
    return st;
}

static bool ends_in(const char *name, const char *end)
{
    size_t size = strlen(name), less = strlen(end);

    return size > less && strcmp(name + size - less, end) == 0;
}

/* Every NAME.json of a folder; of a site, which has none, every page and picture. */
static abdb_status check_folder(abdb_checker *c, const char *path, abdb_error *err)
{
    struct dirent **entry = NULL;
    int count = scandir(path, &entry, NULL, alphasort);
    size_t found = 0;
    abdb_status st = ABDB_OK;

    for (int site = 0; site < 2 && !found; site++)
        for (int i = 0; i < count && st == ABDB_OK; i++) {
            const char *name = entry[i]->d_name;
            char place[4096];

            if (site ? !ends_in(name, ".html") && !ends_in(name, ".svg") : !ends_in(name, ".json"))
                continue;
            found++;
            snprintf(place, sizeof place, "%s/%s", path, name);
            st = check_file(c, place, err);
        }
    for (int i = 0; i < count; i++) free(entry[i]);
    free(entry);
    if (st == ABDB_OK && !found)
        st = ABDB_FAIL(err, ABDB_FORMAT,
                       "%s: no bundle of `abdb plot --bundle`, and no site: it has no NAME.json and"
                       " no page",
                       path);
    return st;
}

abdb_status abdb_proof_check(abdb_db *db, const char *path, abdb_table *out,
                             abdb_verdict_of *verdict, abdb_error *err)
{
    static const char *const columns[] = {"file",   "change", "row", "column",
                                          "before", "now",    "key"};
    abdb_checker c = {.db = db, .out = out, .verdict = verdict};
    struct stat about;
    abdb_status st = ABDB_OK;

    *verdict = (abdb_verdict_of){0};
    out->columns = sizeof columns / sizeof *columns;
    for (size_t i = 0; i < out->columns; i++)
        out->column[i] = (abdb_column){.name = columns[i], .style = "cut40"};
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        TRY(check_folder(&c, path, err));
    else
        TRY(check_file(&c, path, err));
    out->title = verdict->edited ? "The file is not what abdb wrote"
                                 : abdb_arena_printf(&out->arena,
                                                     verdict->changed
                                                         ? "The facts of this database give another"
                                                           " %s now"
                                                         : "The facts of this database still give"
                                                           " this %s",
                                                     verdict->page ? "page" : "figure");
done:
    return st;
}

/* provenance_verify.c - compares a picture's data with a database today; see provenance.h. */
#include <errno.h>
#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "plots/provenance.h"
#include "query/answer/bundle_manifest.h"
#include "query/answer/provenance.h"
#include "query/answer/provenance_rows.h"

/* --- files ----------------------------------------------------------------------------------- */

static const char *path_base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash && slash[1] ? slash + 1 : path;
}

/* --- one picture ----------------------------------------------------------------------------- */

/* The figure with its recorded options, from this database. */
static abdb_status rebuild_recorded_figure(abdb_verifier *c, const json_t *provenance,
                                           abdb_plot *plot, abdb_error *err)
{
    const json_t *look = json_object_get(provenance, "look");
    const char *value[ABDB_PARAM_COUNT] = {0}, *figure;
    abdb_status st = ABDB_OK;

    figure = json_string_value(json_object_get(provenance, "figure"));
    TRY(abdb_plot_load(plot, figure, err));
    TRY(abdb_verify_read_recorded_parameters(c->file, provenance, &plot->report, value, err));
    st = abdb_plot_run_report_and_build_script(
        plot, c->db, value,
        &(abdb_plot_look){.title = json_string_value(json_object_get(look, "title")),
                          .subtitle = json_string_value(json_object_get(look, "subtitle")),
                          .highlight = json_string_value(json_object_get(look, "highlight")),
                          .devices = json_string_value(json_object_get(look, "devices")),
                          .size = json_string_value(json_object_get(look, "size")),
                          .vendor_colours = json_is_true(json_object_get(look, "vendor_colours"))},
        err);
    /* Too little left to draw, or a missing round or device, is reported as changed rows. */
    if (st == ABDB_DATA || st == ABDB_USAGE) st = ABDB_OK;
done:
    return st;
}

/* The tone that a picture was drawn in; light if it records none. */
static abdb_tone recorded_tone_or_light(const json_t *provenance)
{
    const char *name = json_string_value(json_object_get(provenance, "tone"));
    abdb_tone tone = ABDB_TONES;

    while (name && --tone > ABDB_LIGHT && strcmp(abdb_tone_name[tone], name) != 0) {
    }
    return name ? tone : ABDB_LIGHT;
}

/* The same gnuplot draws the same bytes of SVG from the same script: an SVG with this data's digest
 * but other bytes was edited. */
static abdb_status mark_svg_edited_if_redraw_differs(abdb_verifier *c, const abdb_plot *plot,
                                                     const json_t *provenance,
                                                     const abdb_text *svg_without_metadata,
                                                     abdb_error *err)
{
    char *data = NULL, *made;
    size_t size = 0;
    FILE *drawn = open_memstream(&data, &size);
    abdb_status st = ABDB_OK;

    if (!drawn) return ABDB_FAIL(err, ABDB_NOMEM, "%s", c->file);
    TRY(abdb_figure_draw(abdb_text_get(&plot->script), ABDB_SVG, recorded_tone_or_light(provenance),
                         INFINITY, drawn, err));
    if (fflush(drawn) != 0) TRY(ABDB_FAIL(err, ABDB_NOMEM, "%s", c->file));
    if (size == svg_without_metadata->size && memcmp(data, svg_without_metadata->data, size) == 0)
        goto done;
    made = memmem(data, size, "<desc>", 6);
    if (!made ||
        !memmem(svg_without_metadata->data, svg_without_metadata->size, made, strcspn(made, "\n")))
        goto done;
    c->verdict->edited = true;
    st = abdb_verify_append_difference_row(c, "edited: its data draw another picture", NULL, NULL,
                                           NULL, NULL, NULL, err);
done:
    fclose(drawn);
    free(data);
    return st;
}

/* The rows of a recorded table, and which column names them. */
static abdb_recorded_rows provenance_rows_from_json(const json_t *object, const abdb_plot *plot)
{
    abdb_recorded_rows r = {json_object_get(object, "columns"), json_object_get(object, "rows"),
                            json_object_get(object, "keys"), 0};
    const char *names[] = {plot->figure.names, "device", "accelerator"};

    for (size_t i = 3; i-- > 0;)
        if (names[i] && abdb_recorded_column_index(&r, names[i]) < json_array_size(r.columns))
            r.name = abdb_recorded_column_index(&r, names[i]);
    return r;
}

/* Compares rows and keys of the database with the picture's. picture_without_metadata: or NULL. */
static abdb_status append_differences_of_rebuilt_figure(abdb_verifier *c, const json_t *provenance,
                                                        const abdb_text *picture_without_metadata,
                                                        abdb_error *err)
{
    abdb_plot plot = {0};
    json_t *now = NULL;
    char digest[ABDB_SHA256_HEX];
    const char *data = json_string_value(json_object_get(provenance, "data")),
               *script = json_string_value(json_object_get(provenance, "script"));
    size_t size;
    abdb_status st = ABDB_OK;

    TRY(rebuild_recorded_figure(c, provenance, &plot, err));
    now = abdb_provenance_columns_rows_keys_json(&plot.table);
    abdb_provenance_compact_json_sha256(now, digest, &size);
    if (strcmp(digest, data) != 0) {
        abdb_recorded_rows before = provenance_rows_from_json(provenance, &plot),
                           after = provenance_rows_from_json(now, &plot);

        if (before.rows) {
            TRY(abdb_verify_report_row_changes(c, &before, &after, err));
        } else {
            TRY(abdb_verify_append_difference_row(c, "changed", NULL, NULL, NULL, NULL, NULL, err));
            c->verdict->changed = true;
        }
        if (c->verdict->changed) goto done;
    }
    abdb_sha256_hex(abdb_text_get(&plot.script), plot.script.size, digest);
    if (strcmp(digest, script) != 0)
        TRY(abdb_verify_append_difference_row(c, "drawn otherwise now: another abdb or figure",
                                              NULL, NULL, NULL, NULL, NULL, err));
    else if (picture_without_metadata &&
             abdb_picture_kind_of_bytes(picture_without_metadata->data,
                                        picture_without_metadata->size) == ABDB_SVG)
        TRY(mark_svg_edited_if_redraw_differs(c, &plot, provenance, picture_without_metadata, err));
done:
    json_decref(now);
    abdb_plot_free(&plot);
    return st;
}

/* The object, with all needed members of the right type; its own digest must agree. */
static abdb_status parse_provenance_append_difference_if_edited(abdb_verifier *c, const char *text,
                                                                size_t size, json_t **out,
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
    abdb_provenance_compact_json_sha256(rows, digest, &length);
    json_decref(rows);
    if (strcmp(digest, json_string_value(json_object_get(said, "data"))) == 0) return ABDB_OK;
    c->verdict->edited = true;
    return abdb_verify_append_difference_row(c, "edited: the rows that it carries", NULL, NULL,
                                             NULL, NULL, NULL, err);
}

/* The files that a bundle or a page names, beside it. */
static abdb_status append_differences_of_files_beside(abdb_verifier *c, const char *path,
                                                      const json_t *files, abdb_error *err)
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
        snprintf(place, sizeof place, "%.*s%s", (int)(path_base_name(path) - path), path, name);
        if (strchr(name, '/') || !json_is_string(digest))
            st = ABDB_FAIL(err, ABDB_FORMAT, "%s: it names a file that is none of a bundle", own);
        else if ((st = abdb_bundle_read_file(place, &whole, &why)) != ABDB_OK &&
                 st != ABDB_VERIFY) {
            *err = why;
        } else if (st == ABDB_VERIFY) {
            c->verdict->edited = true;
            st = abdb_verify_append_difference_row(c, "edited: the file is missing", NULL, NULL,
                                                   NULL, NULL, NULL, err);
        } else {
            abdb_sha256_hex(abdb_text_get(&whole), whole.size, now);
            if (strcmp(now, json_string_value(digest)) != 0) {
                c->verdict->edited = true;
                st = abdb_verify_append_difference_row(c, "edited: the bytes of the file", NULL,
                                                       NULL, json_string_value(digest), now, NULL,
                                                       err);
            }
        }
        abdb_text_free(&whole);
        if (st != ABDB_OK) break;
    }
    c->file = own;
    return st;
}

/* Checks the digest of a picture or page, of files beside it that it names, and the data recorded
 * in it. */
static abdb_status append_differences_of_picture_or_page(abdb_verifier *c, const char *path,
                                                         const abdb_text *file, abdb_error *err)
{
    abdb_text stamp = {0}, rest = {0};
    json_t *said = NULL;
    char digest[ABDB_SHA256_HEX];
    const char *bytes;
    abdb_status st = abdb_provenance_extract(abdb_text_get(file), file->size, &stamp, &rest, err);

    if (st != ABDB_OK) {
        (void)abdb_error_prepend_context(err, "%s", c->file);
        goto done;
    }
    TRY(parse_provenance_append_difference_if_edited(c, abdb_text_get(&stamp), stamp.size, &said,
                                                     err));
    bytes = json_string_value(json_object_get(said, "bytes"));
    abdb_sha256_hex(abdb_text_get(&rest), rest.size, digest);
    if (!bytes || strcmp(digest, bytes) != 0) {
        c->verdict->edited = true;
        TRY(abdb_verify_append_difference_row(c, "edited: the bytes of the file", NULL, NULL, bytes,
                                              digest, NULL, err));
    }
    if (json_object_get(said, "page")) {
        c->verdict->is_site_page = true;
        TRY(append_differences_of_files_beside(c, path, json_object_get(said, "files"), err));
        TRY(abdb_verify_site_page(c, said, &rest, err));
    } else
        TRY(append_differences_of_rebuilt_figure(c, said, c->verdict->edited ? NULL : &rest, err));
done:
    json_decref(said);
    abdb_text_free(&stamp);
    abdb_text_free(&rest);
    return st;
}

static bool name_ends_with(const char *name, const char *end)
{
    size_t size = strlen(name), less = strlen(end);

    return size > less && strcmp(name + size - less, end) == 0;
}

/* --- bundles --------------------------------------------------------------------------------- */

/* Checks the digests of a bundle's files and the data recorded with them. */
static abdb_status append_differences_of_bundle(abdb_verifier *c, const char *path,
                                                const abdb_text *manifest_json, abdb_error *err)
{
    json_t *said = NULL;
    abdb_status st = ABDB_OK;

    if (manifest_json->size > ABDB_STAMP_MOST)
        TRY(ABDB_FAIL(err, ABDB_LIMIT, "%s: what it carries is huge", c->file));
    TRY(parse_provenance_append_difference_if_edited(c, abdb_text_get(manifest_json),
                                                     manifest_json->size, &said, err));
    TRY(append_differences_of_files_beside(c, path, json_object_get(said, "files"), err));
    TRY(append_differences_of_rebuilt_figure(c, said, NULL, err));
done:
    json_decref(said);
    return st;
}

/* Checks a picture, or the bundle whose manifest path is. */
static abdb_status append_differences_of_file_by_its_kind(abdb_verifier *c, const char *path,
                                                          abdb_error *err)
{
    abdb_text file = {0};
    abdb_status st = ABDB_OK;

    c->file = path_base_name(path);
    TRY(abdb_picture_read_and_guard_from_overwriting(path, &file, err));
    st = *abdb_text_get(&file) == '{' ? append_differences_of_bundle(c, path, &file, err)
                                      : append_differences_of_picture_or_page(c, path, &file, err);
done:
    abdb_text_free(&file);
    return st;
}

/* Checks the signature of a bundle, then the bundle. The findings by the signature are kept, even
 * where too much was changed to read the rest. */
static abdb_status report_signed_bundle_changes(abdb_verifier *c, const char *path, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    if (!name_ends_with(path, ".json"))
        return ABDB_FAIL(err, ABDB_USAGE,
                         "%s: bundles are signed: verify the folder of `abdb plot --bundle`, or"
                         " NAME.json in it",
                         path);
    c->file = path_base_name(path);
    abdb_text_clear(&c->signer);
    TRY(abdb_verify_signed_bundle(c, path, c->signers_path, &c->signer, err));
    if (c->verdict->unsigned_bundle) goto done;
    st = append_differences_of_file_by_its_kind(c, path, err);
    if (c->verdict->edited && (st == ABDB_FORMAT || st == ABDB_USAGE || st == ABDB_IO))
        st = ABDB_OK;
done:
    return st;
}

/* Each bundle of a folder that has a NAME.json, or a manifest that names one. */
static abdb_status report_signed_bundle_of_entry(abdb_verifier *c, const char *folder,
                                                 const char *name, size_t *found, abdb_error *err)
{
    char place[4096], json[300];
    struct stat about;
    bool is_manifest = name_ends_with(name, ".manifest");

    if (!is_manifest && !name_ends_with(name, ".json")) return ABDB_OK;
    snprintf(json, sizeof json, "%.*s.json",
             (int)(strlen(name) - strlen(is_manifest ? ".manifest" : ".json")), name);
    snprintf(place, sizeof place, "%s/%s", folder, json);
    if (is_manifest && stat(place, &about) == 0) return ABDB_OK; /* its turn is another */
    ++*found;
    return report_signed_bundle_changes(c, place, err);
}

/* Every NAME.json of a folder; of a site, which has none, every page and picture. */
static abdb_status append_differences_of_bundles_else_pages(abdb_verifier *c, const char *path,
                                                            abdb_error *err)
{
    struct dirent **entry = NULL;
    int count = scandir(path, &entry, NULL, alphasort);
    size_t found = 0;
    bool is_site = false; /* its NAME.json are rows of pages, which name them */
    abdb_status st = ABDB_OK;

    if (count < 0) return ABDB_FAIL(err, ABDB_IO, "%s: %s", path, strerror(errno));
    for (int i = 0; i < count; i++) is_site |= strcmp(entry[i]->d_name, "site.css") == 0;
    for (int site = is_site; site < 2 && !found; site++)
        for (int i = 0; i < count && st == ABDB_OK; i++) {
            const char *name = entry[i]->d_name;
            char place[4096];

            if (c->signers_path) {
                if (!site) st = report_signed_bundle_of_entry(c, path, name, &found, err);
                continue;
            }
            if (site ? !name_ends_with(name, ".html") && !name_ends_with(name, ".svg")
                     : !name_ends_with(name, ".json"))
                continue;
            found++;
            snprintf(place, sizeof place, "%s/%s", path, name);
            st = append_differences_of_file_by_its_kind(c, place, err);
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

/* The outcome, as a sentence. */
static const char *title_of_outcome(abdb_verifier *c)
{
    const char *thing = c->verdict->is_site_page ? "page" : "figure";

    if (c->verdict->unsigned_bundle) return "The bundle is not signed by one of these signers";
    if (c->verdict->edited) return "The file is not what abdb wrote";
    if (c->verdict->changed)
        return abdb_arena_printf(&c->out->arena, "The facts of this database give another %s now",
                                 thing);
    return c->signers_path
               ? abdb_arena_printf(
                     &c->out->arena,
                     "Signed by %s; the facts of this database still give this figure",
                     abdb_text_get(&c->signer))
               : abdb_arena_printf(&c->out->arena, "The facts of this database still give this %s",
                                   thing);
}

abdb_status abdb_verify_file_or_folder_provenance(abdb_db *db, const char *path,
                                                  const char *signers_path, abdb_table *out,
                                                  abdb_verify_outcome *verdict, abdb_error *err)
{
    static const char *const columns[] = {"file",   "change", "row", "column",
                                          "before", "now",    "key"};
    abdb_verifier c = {.db = db, .out = out, .verdict = verdict, .signers_path = signers_path};
    abdb_text signers = {0};
    struct stat about;
    abdb_status st = ABDB_OK;

    *verdict = (abdb_verify_outcome){0};
    if (signers_path)
        TRY(abdb_picture_read_and_guard_from_overwriting(signers_path, &signers, err));
    out->columns = sizeof columns / sizeof *columns;
    for (size_t i = 0; i < out->columns; i++)
        out->column[i] = (abdb_column){.name = columns[i], .style = "cut40"};
    if (stat(path, &about) == 0 && S_ISDIR(about.st_mode))
        TRY(append_differences_of_bundles_else_pages(&c, path, err));
    else if (signers_path)
        TRY(report_signed_bundle_changes(&c, path, err));
    else
        TRY(append_differences_of_file_by_its_kind(&c, path, err));
    out->title = title_of_outcome(&c);
done:
    abdb_text_free(&c.signer);
    abdb_text_free(&signers);
    return st;
}

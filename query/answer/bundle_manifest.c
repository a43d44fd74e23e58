/* bundle_manifest.c - see bundle_manifest.h. */
#include "query/answer/bundle_manifest.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "plots/provenance.h"
#include "query/answer/output.h"
#include "query/answer/ssh_signature.h"
#include "schema/core/fixed_text.h"
#include "schema/core/outfile.h"

static json_t *bytes_digest_json(const char *data, size_t size)
{
    char digest[ABDB_SHA256_HEX];

    abdb_sha256_hex(data, size, digest);
    return json_string(digest);
}

/* The digest of any value, NULL too, as compact JSON. */
static json_t *value_digest_json(const json_t *value)
{
    char *text =
        value
            ? json_dumps(value, JSON_COMPACT | JSON_ENSURE_ASCII | JSON_ENCODE_ANY | JSON_SORT_KEYS)
            : NULL;
    json_t *out = bytes_digest_json(text ? text : "", text ? strlen(text) : 0);

    free(text);
    return out;
}

/* Digests of the contents of NAME.json. */
static void add_recorded_digests(json_t *manifest, const abdb_text *file)
{
    json_error_t why;
    json_t *said = json_loadb(abdb_text_get(file), file->size, JSON_REJECT_DUPLICATES, &why),
           *keys = json_object_get(said, "keys"), *rows = json_array(), *row,
           *question = json_pack("{s:O?, s:O?}", "figure", json_object_get(said, "figure"),
                                 "parameters", json_object_get(said, "parameters")),
           *caption = json_pack("{s:O?, s:O?}", "notes", json_object_get(said, "notes"), "look",
                                json_object_get(said, "look"));
    size_t i;

    json_array_foreach(json_object_get(said, "rows"), i, row)
        json_array_append_new(rows, json_pack("[o, o]", value_digest_json(row),
                                              value_digest_json(json_array_get(keys, i))));
    json_object_set_new(manifest, "question", value_digest_json(question));
    json_object_set_new(manifest, "caption", value_digest_json(caption));
    json_object_set_new(manifest, "columns", value_digest_json(json_object_get(said, "columns")));
    json_object_set_new(manifest, "rows", rows);
    json_decref(question);
    json_decref(caption);
    json_decref(said);
}

/* A digest for each line of a text, as a row without keys. */
static json_t *line_digests_json(const abdb_text *file)
{
    const char *line = abdb_text_get(file), *end = line + file->size;
    json_t *out = json_array();

    while (line < end) {
        const char *next = memchr(line, '\n', (size_t)(end - line));

        next = next ? next + 1 : end;
        json_array_append_new(
            out, json_pack("[o, s]", bytes_digest_json(line, (size_t)(next - line)), ""));
        line = next;
    }
    return out;
}

abdb_status abdb_bundle_read_file(const char *path, abdb_text *out, abdb_error *err)
{
    abdb_status st = abdb_picture_read_and_guard_from_overwriting(path, out, err);

    if (st == ABDB_FORMAT || st == ABDB_LIMIT ||
        (st == ABDB_IO && access(path, F_OK) != 0 && errno == ENOENT))
        err->status = st = ABDB_VERIFY;
    return st;
}

/* Adds what the manifest says of a file, if it is there. */
static abdb_status add_digests_of_file(json_t *manifest, json_t *files, const char *folder,
                                       const char *name, abdb_error *err)
{
    const char *suffix = strrchr(name, '.');
    char path[4096];
    abdb_text file = {0};
    abdb_status st = ABDB_OK;

    if (!abdb_format_if_fits(path, sizeof path, "%s/%s", folder, name)) return ABDB_OK;
    TRY(abdb_bundle_read_file(path, &file, err));
    json_object_set_new(files, name, bytes_digest_json(abdb_text_get(&file), file.size));
    if (suffix && strcmp(suffix, ".json") == 0) add_recorded_digests(manifest, &file);
    if (suffix && strcmp(suffix, ".csv") == 0)
        json_object_set_new(manifest, "lines", line_digests_json(&file));
done:
    abdb_text_free(&file);
    return st == ABDB_VERIFY ? ABDB_OK : st;
}

json_t *abdb_bundle_manifest_of_files(const char *folder, const char *figure,
                                      const char *const *names, abdb_error *err)
{
    json_t *manifest = json_pack("{s:i, s:s}", "abdb_bundle", 1, "figure", figure),
           *files = json_object();
    abdb_status st = manifest && files ? ABDB_OK : ABDB_FAIL(err, ABDB_NOMEM, "a manifest");

    for (; st == ABDB_OK && *names; names++)
        st = add_digests_of_file(manifest, files, folder, *names, err);
    json_object_set_new(manifest, "files", files);
    if (st == ABDB_OK) return manifest;
    json_decref(manifest);
    return NULL;
}

/* Writes a file of the bundle. */
static abdb_status write_bundle_file(const char *path, const char *data, size_t size,
                                     abdb_error *err)
{
    abdb_outfile out = {0};
    abdb_status st = ABDB_OK;

    TRY(abdb_outfile_open_refusing_protected(&out, path, err));
    (void)abdb_write_sanitized_if_terminal(out.file, data, size);
    TRY(abdb_outfile_commit(&out, err));
done:
    abdb_outfile_discard(&out);
    return st;
}

abdb_status abdb_bundle_write_signed_manifest(const char *folder, const char *figure,
                                              const char *const *names, const char *key_path,
                                              abdb_error *err)
{
    json_t *manifest = abdb_bundle_manifest_of_files(folder, figure, names, err);
    char *text = manifest ? json_dumps(manifest, JSON_COMPACT | JSON_ENSURE_ASCII) : NULL,
         path[4096];
    abdb_text signature = {0};
    abdb_status st = manifest ? ABDB_OK : err->status;

    if (st != ABDB_OK) goto done;
    if (!text) TRY(ABDB_FAIL(err, ABDB_NOMEM, "the manifest of a bundle"));
    TRY(abdb_ssh_sign(key_path, text, strlen(text), &signature, err));
    if (!abdb_format_if_fits(path, sizeof path, "%s/%s.manifest.sig", folder, figure))
        TRY(ABDB_FAIL(err, ABDB_USAGE, "too long a path: %s/%s", folder, figure));
    TRY(write_bundle_file(path, abdb_text_get(&signature), signature.size, err));
    path[strlen(path) - strlen(".sig")] = '\0';
    st = write_bundle_file(path, text, strlen(text), err);
done:
    json_decref(manifest);
    free(text);
    abdb_text_free(&signature);
    return st;
}

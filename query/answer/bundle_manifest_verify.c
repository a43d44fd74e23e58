/* bundle_manifest_verify.c - finds changes of a bundle since its signing; see bundle_manifest.h. */
#include <stdlib.h>

#include "plots/provenance.h"
#include "query/answer/bundle_manifest.h"
#include "query/answer/ssh_signature.h"
#include "schema/core/fixed_text.h"

enum { FILES_MAX = 32 };

/* Rows or lines as they were signed and as they are now: digests of values, and of keys. */
typedef struct {
    const json_t *then, *now;
    size_t before, after; /* how many */
    size_t *partner;      /* of each of now: the place that it had; SIZE_MAX: none */
    bool *taken;          /* of each of then */
    const char *unit;     /* "row" or "line" */
} signed_rows;

static const char *digest_at(const json_t *rows, size_t row, size_t which)
{
    return abdb_json_array_text_or_empty(json_array_get(rows, row), which);
}

/* How much of a row must agree to be the same row. */
typedef enum { ALL_OF_IT, ITS_KEYS, ITS_VALUES, ITS_PLACE } likeness;

static bool rows_are_alike(const signed_rows *r, size_t then, size_t now, likeness how)
{
    const char *keys = digest_at(r->then, then, 1);
    bool values_equal = strcmp(digest_at(r->then, then, 0), digest_at(r->now, now, 0)) == 0,
         keys_equal = strcmp(keys, digest_at(r->now, now, 1)) == 0;

    switch (how) {
    case ALL_OF_IT: return values_equal && keys_equal;
    case ITS_KEYS: return keys_equal && *keys;
    case ITS_VALUES: return values_equal;
    case ITS_PLACE: return then == now && r->before == r->after;
    }
    return false;
}

/* Gives rows without a partner the first free row of then that is like them, their own place
 * before all others. */
static void pair_rows(signed_rows *r, likeness how)
{
    for (size_t now = 0; now < r->after; now++) {
        size_t then = 0;

        if (r->partner[now] != SIZE_MAX) continue;
        if (now < r->before && !r->taken[now] && rows_are_alike(r, now, now, how))
            then = now;
        else
            while (then < r->before && (r->taken[then] || !rows_are_alike(r, then, now, how)))
                then++;
        if (then == r->before) continue;
        r->partner[now] = then;
        r->taken[then] = true;
    }
}

static abdb_status add_change_of_row(abdb_verifier *c, const char *change, const char *unit,
                                     size_t row, abdb_error *err)
{
    char name[40];

    snprintf(name, sizeof name, "%s %zu", unit, row + 1);
    return abdb_verify_append_difference_row(c, change, name, NULL, NULL, NULL, NULL, err);
}

/* Reports changes within each pair, rows without a partner, and a changed order. */
static abdb_status report_pairs(abdb_verifier *c, const signed_rows *r, abdb_error *err)
{
    size_t last = 0;
    bool in_order = true;
    abdb_status st = ABDB_OK;

    for (size_t now = 0; now < r->after; now++) {
        size_t then = r->partner[now];

        if (then == SIZE_MAX) {
            TRY(add_change_of_row(c, "signed without this row", r->unit, now, err));
            continue;
        }
        if (!rows_are_alike(r, then, now, ITS_VALUES))
            TRY(add_change_of_row(c, "signed with another value", r->unit, now, err));
        if (strcmp(digest_at(r->then, then, 1), digest_at(r->now, now, 1)) != 0)
            TRY(add_change_of_row(c, "signed with another key", r->unit, now, err));
        if (in_order && then < last)
            TRY(add_change_of_row(c, "signed in another order", r->unit, now, err));
        in_order = in_order && then >= last;
        last = then;
    }
    for (size_t then = 0; then < r->before; then++)
        if (!r->taken[then])
            TRY(add_change_of_row(c, "signed with a row that is missing", r->unit, then, err));
done:
    return st;
}

/* Reports the rows, or lines, that are not as they were signed. */
static abdb_status report_changed_rows(abdb_verifier *c, const json_t *then, const json_t *now,
                                       const char *member, const char *unit, abdb_error *err)
{
    signed_rows r = {
        .then = json_object_get(then, member), .now = json_object_get(now, member), .unit = unit};
    abdb_status st = ABDB_OK;

    if (json_equal(r.then, r.now)) return ABDB_OK;
    r.before = json_array_size(r.then);
    r.after = json_array_size(r.now);
    r.partner = calloc(r.after + 1, sizeof *r.partner);
    r.taken = calloc(r.before + 1, sizeof *r.taken);
    if (!r.partner || !r.taken) TRY(ABDB_FAIL(err, ABDB_NOMEM, "%s", c->file));
    for (size_t i = 0; i < r.after; i++) r.partner[i] = SIZE_MAX;
    for (int how = ALL_OF_IT; how <= ITS_PLACE; how++) pair_rows(&r, (likeness)how);
    st = report_pairs(c, &r, err);
done:
    free(r.partner);
    free(r.taken);
    return st;
}

/* The contents of a bundle's file, for the message that it differs from the signed one. */
static const char *describe_changed_file(const char *name)
{
    static const char *const words[][2] = {{".md", "signed with another caption or sources"},
                                           {".tex", "signed with another caption or sources"},
                                           {".svg", "signed with another picture"},
                                           {".png", "signed with another picture"},
                                           {".pdf", "signed with another picture"},
                                           {".gp", "signed with another script"}};
    const char *suffix = strrchr(name, '.');

    for (size_t i = 0; suffix && i < sizeof words / sizeof *words; i++)
        if (strcmp(suffix, words[i][0]) == 0) return words[i][1];
    return "signed with other bytes";
}

/* Reports changed parts of NAME.json, and the rows and lines that differ. */
static abdb_status report_changed_parts(abdb_verifier *c, const json_t *then, const json_t *now,
                                        abdb_error *err)
{
    static const char *const parts[][2] = {{"question", "signed with other parameters"},
                                           {"caption", "signed with another caption"},
                                           {"columns", "signed with other columns"}};
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (!json_equal(json_object_get(then, parts[i][0]), json_object_get(now, parts[i][0])))
            TRY(abdb_verify_append_difference_row(c, parts[i][1], NULL, NULL, NULL, NULL, NULL,
                                                  err));
    TRY(report_changed_rows(c, then, now, "rows", "row", err));
    TRY(report_changed_rows(c, then, now, "lines", "line", err));
done:
    return st;
}

/* Reports each file that is not the one that was signed. */
static abdb_status report_changed_files(abdb_verifier *c, const json_t *then, const json_t *now,
                                        abdb_error *err)
{
    const char *own = c->file, *name;
    json_t *digest;
    abdb_status st = ABDB_OK;

    json_object_foreach(json_object_get(then, "files"), name, digest)
    {
        const json_t *found = json_object_get(json_object_get(now, "files"), name);

        if (json_equal(digest, found)) continue;
        c->file = name;
        st = abdb_verify_append_difference_row(
            c, found ? describe_changed_file(name) : "signed with a file that is missing", NULL,
            NULL, json_string_value(digest), json_string_value(found), NULL, err);
        if (st != ABDB_OK) break;
    }
    c->file = own;
    return st;
}

/* The names of the files that a manifest lists, without names that contain '/'. */
static void list_signed_files(const json_t *manifest, const char *names[FILES_MAX + 1])
{
    const char *name;
    json_t *digest;
    size_t count = 0;

    json_object_foreach(json_object_get(manifest, "files"), name,
                        digest) if (count < FILES_MAX && !strchr(name, '/')) names[count++] = name;
    names[count] = NULL;
}

/* Compares the files of a folder with a manifest whose signature holds. */
static abdb_status compare_with_manifest(abdb_verifier *c, const char *folder, const char *figure,
                                         const json_t *then, abdb_error *err)
{
    const char *names[FILES_MAX + 1], *signed_figure;
    size_t said = c->out->rows;
    json_t *now;
    abdb_status st = ABDB_OK;

    signed_figure = json_string_value(json_object_get(then, "figure"));
    list_signed_files(then, names);
    now = abdb_bundle_manifest_of_files(folder, figure, names, err);
    if (!now) return err->status;
    if (!signed_figure || strcmp(signed_figure, figure) != 0)
        TRY(abdb_verify_append_difference_row(c, "signed as another figure", NULL, NULL,
                                              signed_figure, figure, NULL, err));
    TRY(report_changed_parts(c, then, now, err));
    TRY(report_changed_files(c, then, now, err));
    c->verdict->edited |= c->out->rows > said;
done:
    json_decref(now);
    return st;
}

/* Reads manifest and signature, and checks the signature. ABDB_VERIFY: it is invalid. */
static abdb_status read_signed_manifest(const char *base, const char *signers_path,
                                        abdb_text *signer, json_t **manifest, abdb_error *err)
{
    abdb_text text = {0}, signature = {0};
    char path[4096];
    json_error_t why;
    abdb_status st = ABDB_OK;

    if (!abdb_format_if_fits(path, sizeof path, "%s.manifest.sig", base))
        TRY(ABDB_FAIL(err, ABDB_USAGE, "too long a path: %s", base));
    st = abdb_bundle_read_file(path, &signature, err);
    if (st == ABDB_VERIFY) st = ABDB_FAIL(err, ABDB_VERIFY, "NAME.manifest.sig is missing");
    if (st != ABDB_OK) goto done;
    path[strlen(path) - strlen(".sig")] = '\0';
    st = abdb_bundle_read_file(path, &text, err);
    if (st == ABDB_VERIFY) st = ABDB_FAIL(err, ABDB_VERIFY, "NAME.manifest is missing");
    if (st != ABDB_OK) goto done;
    TRY(abdb_ssh_check_signature(signers_path, &signature, abdb_text_get(&text), text.size, signer,
                                 err));
    *manifest = json_loadb(abdb_text_get(&text), text.size, JSON_REJECT_DUPLICATES, &why);
    if (json_integer_value(json_object_get(*manifest, "abdb_bundle")) != 1)
        TRY(ABDB_FAIL(err, ABDB_VERIFY, "NAME.manifest is of a newer abdb, or none of a bundle"));
done:
    abdb_text_free(&text);
    abdb_text_free(&signature);
    return st;
}

abdb_status abdb_verify_signed_bundle(abdb_verifier *c, const char *json_path,
                                      const char *signers_path, abdb_text *signer, abdb_error *err)
{
    char base[4096], folder[4096];
    const char *slash, *figure;
    json_t *manifest = NULL;
    abdb_error why;
    abdb_status st = ABDB_OK;

    if (!abdb_format_if_fits(base, sizeof base, "%.*s", (int)(strlen(json_path) - strlen(".json")),
                             json_path))
        TRY(ABDB_FAIL(err, ABDB_USAGE, "too long a path: %s", json_path));
    slash = strrchr(base, '/');
    figure = slash ? slash + 1 : base;
    snprintf(folder, sizeof folder, "%.*s", slash ? (int)(slash - base) : 1, slash ? base : ".");
    st = read_signed_manifest(base, signers_path, signer, &manifest, &why);
    if (st == ABDB_VERIFY) {
        c->verdict->unsigned_bundle = true;
        st = abdb_verify_append_difference_row(c, "not signed", NULL, NULL, NULL, why.message, NULL,
                                               err);
    } else if (st != ABDB_OK) {
        *err = why;
    } else {
        st = compare_with_manifest(c, folder, figure, manifest, err);
    }
done:
    json_decref(manifest);
    return st;
}

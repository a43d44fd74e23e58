/* seen.c - asks each backend what it has, and the database what is known of that; see seen.h. */
#include "query/program/seen.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/runner/answer.h"
#include "kernels/runner/known.h"
#include "kernels/runner/provide.h"
#include "kernels/runner/runner.h"
#include "query/answer/say.h"
#include "schema/functions/sqlite.h"
#include "schema/store/derive.h"

/* --- what the database knows ------------------------------------------------------------------ */

static const char published_sql[] =
    "SELECT p.quantity, p.dtype, p.value, p.unit, p.source, s.locator, p.key FROM v_peak p"
    " LEFT JOIN v_spec s ON s.spec_id = p.spec_id WHERE p.device = ?1 AND p.preference ="
    " (SELECT min(q.preference) FROM v_peak q WHERE q.device = p.device"
    "   AND q.quantity = p.quantity AND q.dtype IS p.dtype)"
    " GROUP BY p.quantity, p.dtype ORDER BY p.quantity DESC, p.dtype";
static const char measured_sql[] =
    "SELECT quantity, dtype, value, unit, what, devices, key FROM v_ceiling WHERE device = ?1"
    " ORDER BY quantity DESC, dtype";

static json_t *value_of(sqlite3_stmt *s, int column)
{
    switch (sqlite3_column_type(s, column)) {
    case SQLITE_INTEGER: return json_integer(sqlite3_column_int64(s, column));
    case SQLITE_FLOAT: return json_real(sqlite3_column_double(s, column));
    case SQLITE_TEXT: return json_string(abdb_sql_text(s, column));
    default: return json_null();
    }
}

/* The rows of a statement about a device, as objects. */
static abdb_status rows_of(abdb_db *db, const char *sql, const char *device, json_t **out,
                           abdb_error *err)
{
    sqlite3_stmt *s = NULL;
    int code = sqlite3_prepare_v2(db->sql, sql, -1, &s, NULL);

    *out = json_array();
    if (code == SQLITE_OK) code = sqlite3_bind_text(s, 1, device, -1, SQLITE_STATIC);
    if (code == SQLITE_OK) code = sqlite3_step(s);
    for (; code == SQLITE_ROW; code = sqlite3_step(s)) {
        json_t *row = json_object();

        for (int i = 0; i < sqlite3_column_count(s); i++)
            json_object_set_new(row, sqlite3_column_name(s, i), value_of(s, i));
        json_array_append_new(*out, row);
    }
    sqlite3_finalize(s);
    return code == SQLITE_DONE ? ABDB_OK : abdb_db_fail(db, err, "devices");
}

static abdb_status add_known(abdb_db *db, json_t *seen, abdb_error *err)
{
    const char *name = abdb_record_text(seen, "name");
    abdb_arena arena = {0};
    const char *device = name;
    json_t *rows;
    abdb_status st = ABDB_OK;

    if (!db || !*name) return ABDB_OK;
    TRY(abdb_name_mean(db, "device", name, &arena, &device, err));
    json_object_set_new(seen, "device", json_string(device));
    TRY(rows_of(db, published_sql, device, &rows, err));
    json_object_set_new(seen, "published", rows);
    TRY(rows_of(db, measured_sql, device, &rows, err));
    json_object_set_new(seen, "measured", rows);
done:
    abdb_arena_free(&arena);
    return st;
}

/* --- what the backend says -------------------------------------------------------------------- */

/* Of its environment what names software: drivers, libraries, versions. */
static json_t *software_of(const json_t *described)
{
    static const char *const words[] = {"driver",  "library",  "version",
                                        "toolkit", "platform", NULL};
    json_t *environment = json_object_get(json_object_get(described, "environment"), "environment");
    json_t *out = json_object(), *value;
    const char *key;

    json_object_foreach(environment, key, value)
    {
        size_t i = 0;

        while (words[i] && !strstr(key, words[i])) i++;
        if (words[i] && json_is_string(value)) json_object_set(out, key, value);
    }
    return out;
}

/* Kernels once each, with their providers. */
static json_t *kernels_of(const json_t *hello)
{
    json_t *out = json_array(), *one;
    size_t i;

    json_array_foreach(json_object_get(hello, "kernels"), i, one)
    {
        const char *name = abdb_record_text(one, "name"), *first = abdb_provider_at(hello, name, 0),
                   *other;
        json_t *providers = json_array();

        if (first && strcmp(first, abdb_record_text(one, "provider")) != 0) {
            json_decref(providers);
            continue;
        }
        for (size_t n = 0; (other = abdb_provider_at(hello, name, n)); n++)
            json_array_append_new(providers, json_string(other));
        json_array_append_new(out, json_pack("{s:s,s:s,s:o}", "kernel", name, "parameters",
                                             abdb_record_text(one, "parameters"), "providers",
                                             providers));
    }
    return out;
}

/* Those that abdb knows and the backend does not list; one that lists none may have any. */
static json_t *lacks_of(const json_t *hello)
{
    json_t *out = json_array(), *one, *kernels = json_object_get(hello, "kernels");
    size_t i;

    if (!json_array_size(kernels)) return out;
    for (const char *const *name = abdb_known_kernels(); *name; name++) {
        bool has = false;

        json_array_foreach(kernels, i, one) has |=
            strcmp(abdb_record_text(one, "name"), *name) == 0;
        if (!has) json_array_append_new(out, json_string(*name));
    }
    return out;
}

/* One device, or why there is none. */
static json_t *one_of(const char *name, const char *id, const json_t *described, const char *absent)
{
    const json_t *hello = json_object_get(described, "hello"),
                 *device = json_object_get(described, "device");
    json_t *out =
        json_pack("{s:s,s:s}", "backend", name, "summary", abdb_record_text(hello, "summary"));
    json_t *region = json_object_get(
        json_object_get(json_object_get(described, "environment"), "environment"), "omp_region_s");

    if (absent) json_object_set_new(out, "absent", json_string(absent));
    if (!hello) return out;
    if (id) json_object_set_new(out, "id", json_string(id));
    if (device && !absent) {
        json_object_set_new(out, "name", json_string(abdb_record_text(device, "name")));
        json_object_set(out, "threads", json_object_get(device, "threads"));
        if (json_is_number(region)) json_object_set(out, "omp_region_s", region);
        json_object_set_new(out, "software", software_of(described));
    }
    json_object_set_new(out, "kernels", kernels_of(hello));
    json_object_set_new(out, "not_implemented", lacks_of(hello));
    return out;
}

/* Asks for one device (id NULL: the only one, or the one that is chosen). */
static abdb_status look(abdb_db *db, const char *name, const char *path, const char *id,
                        json_t *list, json_t **described, abdb_error *err)
{
    abdb_run_options options = {
        .name = name, .path = path, .device = id, .escaped = abdb_remark_escaped};
    bool there = abdb_backend_describe(&options, described, err) == ABDB_OK;
    json_t *one = one_of(name, id, *described, there ? NULL : err->message);

    if (!one) return ABDB_FAIL(err, ABDB_NOMEM, "devices");
    json_array_append_new(list, one);
    return there ? add_known(db, one, err) : ABDB_OK;
}

abdb_status abdb_seen(abdb_db *db, const char *name, const char *path, json_t **out,
                      abdb_error *err)
{
    const char *chosen = getenv("ABDB_DEVICE");
    json_t *list = json_array(), *first = NULL, *other = NULL, *devices;
    abdb_status st = ABDB_OK;

    *out = NULL;
    TRY(look(db, name, path, NULL, list, &first, err));
    devices = json_object_get(json_object_get(first, "hello"), "devices");
    if (json_array_size(devices) > 1 && !(chosen && *chosen)) {
        json_array_clear(list);
        for (size_t i = 0; i < json_array_size(devices); i++) {
            const char *id = abdb_record_text(json_array_get(devices, i), "id");

            st = look(db, name, path, id, list, &other, err);
            json_decref(other);
            other = NULL;
            TRY(st);
        }
    }
    *out = list;
    list = NULL;
done:
    json_decref(first);
    json_decref(list);
    return st;
}

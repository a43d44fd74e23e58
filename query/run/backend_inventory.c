/* backend_inventory.c - reads devices and kernels of each backend, and their published and measured
 * values from the database; see backend_inventory.h. */
#include "query/run/backend_inventory.h"

#include <stdlib.h>
#include <string.h>

#include "kernels/runner/record_line.h"
#include "kernels/runner/plan_check.h"
#include "kernels/runner/expand_providers.h"
#include "kernels/runner/runner.h"
#include "query/answer/output.h"
#include "schema/functions/sqlite.h"
#include "schema/store/derive.h"

/* --- values in the database ------------------------------------------------------------------- */

static const char published_sql[] =
    "SELECT p.quantity, p.dtype, p.value, p.unit, p.source, s.locator, p.key FROM v_peak p"
    " LEFT JOIN v_spec s ON s.spec_id = p.spec_id WHERE p.device = ?1 AND p.preference ="
    " (SELECT min(q.preference) FROM v_peak q WHERE q.device = p.device"
    "   AND q.quantity = p.quantity AND q.dtype IS p.dtype)"
    " GROUP BY p.quantity, p.dtype ORDER BY p.quantity DESC, p.dtype";
static const char measured_sql[] =
    "SELECT quantity, dtype, value, unit, what, devices, key FROM v_ceiling WHERE device = ?1"
    " ORDER BY quantity DESC, dtype";

static json_t *column_to_json(sqlite3_stmt *s, int column)
{
    switch (sqlite3_column_type(s, column)) {
    case SQLITE_INTEGER: return json_integer(sqlite3_column_int64(s, column));
    case SQLITE_FLOAT: return json_real(sqlite3_column_double(s, column));
    case SQLITE_TEXT: return json_string(abdb_sql_text_or_empty(s, column));
    default: return json_null();
    }
}

/* The rows of a statement about a device, as objects. */
static abdb_status query_rows_of_device_to_json(abdb_db *db, const char *sql, const char *device,
                                                json_t **out, abdb_error *err)
{
    sqlite3_stmt *s = NULL;
    int code = sqlite3_prepare_v2(db->sql, sql, -1, &s, NULL);

    *out = json_array();
    if (code == SQLITE_OK) code = sqlite3_bind_text(s, 1, device, -1, SQLITE_STATIC);
    if (code == SQLITE_OK) code = sqlite3_step(s);
    for (; code == SQLITE_ROW; code = sqlite3_step(s)) {
        json_t *row = json_object();

        for (int i = 0; i < sqlite3_column_count(s); i++)
            json_object_set_new(row, sqlite3_column_name(s, i), column_to_json(s, i));
        json_array_append_new(*out, row);
    }
    sqlite3_finalize(s);
    return code == SQLITE_DONE ? ABDB_OK : abdb_db_report_sqlite_error(db, err, "devices");
}

/* Adds to a device the name that the database has for it, its published peaks and its best measured
 * rates. */
static abdb_status add_published_and_measured_rates(abdb_db *db, json_t *device_json,
                                                    abdb_error *err)
{
    const char *name = abdb_json_text_or_empty(device_json, "name");
    abdb_arena arena = {0};
    const char *device = name;
    json_t *rows;
    abdb_status st = ABDB_OK;

    if (!db || !*name) return ABDB_OK;
    TRY(abdb_name_resolve_without_storing(db, "device", name, &arena, &device, err));
    json_object_set_new(device_json, "device", json_string(device));
    TRY(query_rows_of_device_to_json(db, published_sql, device, &rows, err));
    json_object_set_new(device_json, "published", rows);
    TRY(query_rows_of_device_to_json(db, measured_sql, device, &rows, err));
    json_object_set_new(device_json, "measured", rows);
done:
    abdb_arena_free(&arena);
    return st;
}

/* --- values reported by the backend ----------------------------------------------------------- */

/* The software in its environment: drivers, libraries, versions. */
static json_t *select_software_versions(const json_t *described)
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
static json_t *list_kernels_with_providers(const json_t *hello)
{
    json_t *out = json_array(), *one;
    size_t i;

    json_array_foreach(json_object_get(hello, "kernels"), i, one)
    {
        const char *name = abdb_json_text_or_empty(one, "name"),
                   *first = abdb_nth_distinct_provider_of_kernel(hello, name, 0), *other;
        json_t *providers = json_array();

        if (first && strcmp(first, abdb_json_text_or_empty(one, "provider")) != 0) {
            json_decref(providers);
            continue;
        }
        for (size_t n = 0; (other = abdb_nth_distinct_provider_of_kernel(hello, name, n)); n++)
            json_array_append_new(providers, json_string(other));
        json_array_append_new(out, json_pack("{s:s,s:s,s:o}", "kernel", name, "parameters",
                                             abdb_json_text_or_empty(one, "parameters"),
                                             "providers", providers));
    }
    return out;
}

/* Kernels of abdb that the backend does not list; a backend without a list may have any. */
static json_t *json_array_of_kernels_backend_lacks(const json_t *hello)
{
    json_t *out = json_array(), *one, *kernels = json_object_get(hello, "kernels");
    size_t i;

    if (!json_array_size(kernels)) return out;
    for (const char *const *name = abdb_built_in_kernel_and_workload_names(); *name; name++) {
        bool has = false;

        json_array_foreach(kernels, i, one) has |=
            strcmp(abdb_json_text_or_empty(one, "name"), *name) == 0;
        if (!has) json_array_append_new(out, json_string(*name));
    }
    return out;
}

/* One device, or why there is none. */
static json_t *make_device_json_with_kernels(const char *name, const char *id,
                                             const json_t *described, const char *why_absent)
{
    const json_t *hello = json_object_get(described, "hello"),
                 *device = json_object_get(described, "device");
    json_t *out = json_pack("{s:s,s:s}", "backend", name, "summary",
                            abdb_json_text_or_empty(hello, "summary"));
    json_t *region = json_object_get(
        json_object_get(json_object_get(described, "environment"), "environment"), "omp_region_s");

    if (why_absent) json_object_set_new(out, "absent", json_string(why_absent));
    if (!hello) return out;
    if (id) json_object_set_new(out, "id", json_string(id));
    if (device && !why_absent) {
        json_object_set_new(out, "name", json_string(abdb_json_text_or_empty(device, "name")));
        json_object_set(out, "threads", json_object_get(device, "threads"));
        if (json_is_number(region)) json_object_set(out, "omp_region_s", region);
        json_object_set_new(out, "software", select_software_versions(described));
    }
    json_object_set_new(out, "kernels", list_kernels_with_providers(hello));
    json_object_set_new(out, "not_implemented", json_array_of_kernels_backend_lacks(hello));
    return out;
}

/* Asks for one device (id NULL: the only one, or the one that is chosen). */
static abdb_status probe_device_append_json(abdb_db *db, const char *name, const char *path,
                                            const char *id, json_t *list, json_t **described,
                                            abdb_error *err)
{
    abdb_run_options options = {.name = name,
                                .path = path,
                                .device = id,
                                .escaped = abdb_print_stderr_remark_of_ended_processes};
    bool there = abdb_backend_run_describe_and_collect_records(&options, described, err) == ABDB_OK;
    json_t *one = make_device_json_with_kernels(name, id, *described, there ? NULL : err->message);

    if (!one) return ABDB_FAIL(err, ABDB_NOMEM, "devices");
    json_array_append_new(list, one);
    return there ? add_published_and_measured_rates(db, one, err) : ABDB_OK;
}

abdb_status abdb_probe_backend_devices_to_json(abdb_db *db, const char *name, const char *path,
                                               json_t **out, abdb_error *err)
{
    const char *chosen = getenv("ABDB_DEVICE");
    json_t *list = json_array(), *first = NULL, *other = NULL, *devices;
    abdb_status st = ABDB_OK;

    *out = NULL;
    TRY(probe_device_append_json(db, name, path, NULL, list, &first, err));
    devices = json_object_get(json_object_get(first, "hello"), "devices");
    if (json_array_size(devices) > 1 && !(chosen && *chosen)) {
        json_array_clear(list);
        for (size_t i = 0; i < json_array_size(devices); i++) {
            const char *id = abdb_json_text_or_empty(json_array_get(devices, i), "id");

            st = probe_device_append_json(db, name, path, id, list, &other, err);
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

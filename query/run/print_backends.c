/* print_backends.c - prints backends with their devices and kernels, and plans. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "kernels/runner/record_line.h"
#include "query/answer/output.h"
#include "query/run/backend_inventory.h"

/* A kernel with its providers where there are several. */
static void print_kernel_and_providers(const json_t *kernel)
{
    const json_t *providers = json_object_get(kernel, "providers");

    abdb_print_sanitized(stdout, "             kernel %-8s %s",
                         abdb_json_text_or_empty(kernel, "kernel"),
                         abdb_json_text_or_empty(kernel, "parameters"));
    for (size_t i = 0; json_array_size(providers) > 1 && i < json_array_size(providers); i++)
        abdb_print_sanitized(stdout, "%s%s", i ? ", " : "; providers ",
                             json_string_value(json_array_get(providers, i)));
    puts("");
}

/* "bf16 989 TFLOP/s", "memory 3.35 TB/s". */
static void print_dtype_and_scaled_rate(const json_t *row)
{
    static const char *const prefix[] = {"", "k", "M", "G", "T", "P", "E"};
    double value = json_number_value(json_object_get(row, "value"));
    const char *unit = abdb_json_text_or_empty(row, "unit"),
               *dtype = abdb_json_text_or_empty(row, "dtype");
    int power = 0;

    for (; value >= 1000 && power < 6; power++) value /= 1000;
    abdb_print_sanitized(stdout, "%s %.4g %s%s", *dtype ? dtype : "memory", value, prefix[power],
                         unit);
}

/* The peaks or the best of a device, each with where it comes from where that is not the same as
 * that of the one before. */
static void print_rates_with_sources(const char *word, const json_t *rows, const char *source_key,
                                     const char *text_if_empty)
{
    const char *last = "";

    if (!rows) return;
    abdb_print_sanitized(stdout, "             %s ", word);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        const char *source = abdb_json_text_or_empty(row, source_key);

        if (i) abdb_print_sanitized(stdout, "%s", strcmp(source, last) != 0 ? "), " : ", ");
        print_dtype_and_scaled_rate(row);
        if (strcmp(source, last) != 0) abdb_print_sanitized(stdout, " (%s", source);
        last = source;
    }
    abdb_print_sanitized(stdout, "%s\n", json_array_size(rows) ? ")" : text_if_empty);
}

/* Prints a device of a backend: names, threads, the cost of a parallel region, versions, rates. */
static void print_device_software_and_rates(const json_t *device_json)
{
    const char *name = abdb_json_text_or_empty(device_json, "name"),
               *device = abdb_json_text_or_empty(device_json, "device"),
               *id = abdb_json_text_or_empty(device_json, "id"), *key;
    json_t *region = json_object_get(device_json, "omp_region_s"), *value;
    long long threads = json_integer_value(json_object_get(device_json, "threads"));

    abdb_print_sanitized(stdout, "             device %s%s%s, %lld thread%s", name,
                         *device && strcmp(device, name) != 0 ? ", which is " : "",
                         *device && strcmp(device, name) != 0 ? device : "", threads,
                         abdb_plural_ending(threads));
    if (region)
        abdb_print_sanitized(stdout, ", an empty region of them takes %.3g us",
                             1e6 * json_number_value(region));
    if (*id) abdb_print_sanitized(stdout, ": ABDB_DEVICE=%s", id);
    puts("");
    json_object_foreach(json_object_get(device_json, "software"), key, value)
        abdb_print_sanitized(stdout, "             %s %s\n", key, json_string_value(value));
    print_rates_with_sources("published", json_object_get(device_json, "published"), "source",
                             "nothing: no specification of this device is in the database");
    print_rates_with_sources("measured", json_object_get(device_json, "measured"), "what",
                             "nothing yet: abdb run --plan ceilings");
}

/* Prints a backend with its devices and kernels; of one that is absent the reason. */
static void print_backend_devices_and_kernels(const json_t *devices_json)
{
    const json_t *first = json_array_get(devices_json, 0);
    const char *absent = abdb_json_text_or_empty(first, "absent");
    json_t *one, *lacks = json_object_get(first, "not_implemented");
    size_t i;

    if (*absent) {
        abdb_print_sanitized(stdout, "  %-10s absent: %s\n",
                             abdb_json_text_or_empty(first, "backend"), absent);
        return;
    }
    abdb_print_sanitized(stdout, "  %-10s %s\n", abdb_json_text_or_empty(first, "backend"),
                         abdb_json_text_or_empty(first, "summary"));
    json_array_foreach(devices_json, i, one)
    {
        absent = abdb_json_text_or_empty(one, "absent");
        if (*absent)
            abdb_print_sanitized(stdout, "             device %s: absent: %s\n",
                                 abdb_json_text_or_empty(one, "id"), absent);
        else
            print_device_software_and_rates(one);
    }
    json_array_foreach(json_object_get(first, "kernels"), i, one) print_kernel_and_providers(one);
    json_array_foreach(lacks, i, one) abdb_print_sanitized(
        stdout, "%s%s", i ? ", " : "             not implemented: ", json_string_value(one));
    if (json_array_size(lacks)) puts("");
}

/* Prints each shipped plan with the first line of its comment. */
static void print_shipped_plans(void)
{
    puts("plans:");
    for (size_t i = 0; abdb_plans[i].name; i++) {
        const char *text = abdb_plans[i].text, *dash = strstr(text, " - ");
        int size = (int)(strlen(abdb_plans[i].name) - 5);

        abdb_print_sanitized(stdout, "  %-10.*s %.*s\n", size, abdb_plans[i].name,
                             dash ? (int)strcspn(dash + 3, "\n") : 0, dash ? dash + 3 : "");
    }
}

/* The array of all, one object a device. */
static abdb_status print_json_array(const json_t *all, abdb_error *err)
{
    char *text = json_dumps(all, JSON_INDENT(1) | JSON_PRESERVE_ORDER);

    if (!text) return ABDB_FAIL(err, ABDB_NOMEM, "devices");
    abdb_print_sanitized(stdout, "%s\n", text);
    free(text);
    return ABDB_OK;
}

abdb_status abdb_probe_and_print_backends_and_plans(const abdb_backend_list *backends,
                                                    const char *database, bool json,
                                                    abdb_error *err)
{
    struct stat info;
    abdb_db *db = NULL;
    json_t *all = json_array(), *of = NULL;
    abdb_status st = ABDB_OK;

    if (stat(database, &info) == 0) TRY(abdb_db_open(&db, database, ABDB_READ, err));
    if (!json) puts("backends (programs abdb-run-NAME):");
    for (size_t i = 0; i < backends->count; i++) {
        TRY(abdb_probe_backend_devices_to_json(db, backends->backend[i].name,
                                               backends->backend[i].path, &of, err));
        if (json)
            json_array_extend(all, of);
        else
            print_backend_devices_and_kernels(of);
        json_decref(of);
        of = NULL;
    }
    if (json) {
        TRY(print_json_array(all, err));
        goto done;
    }
    if (!backends->count) puts("  none beside abdb, nor in $ABDB_BACKENDS");
    if (!db)
        abdb_print_sanitized(
            stdout,
            "  (no database %s: published and measured rates of devices are in one; "
            "`abdb import data` makes it)\n",
            database);
    print_shipped_plans();
done:
    json_decref(of);
    json_decref(all);
    abdb_db_close(db);
    return st;
}

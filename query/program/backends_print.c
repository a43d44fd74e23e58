/* backends_print.c - what can be run here: backends with their devices and kernels, and plans. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "kernels/runner/answer.h"
#include "query/answer/say.h"
#include "query/program/seen.h"

/* A kernel with its providers where there are several. */
static void list_kernel(const json_t *kernel)
{
    const json_t *providers = json_object_get(kernel, "providers");

    abdb_say(stdout, "             kernel %-8s %s", abdb_record_text(kernel, "kernel"),
             abdb_record_text(kernel, "parameters"));
    for (size_t i = 0; json_array_size(providers) > 1 && i < json_array_size(providers); i++)
        abdb_say(stdout, "%s%s", i ? ", " : "; providers ",
                 json_string_value(json_array_get(providers, i)));
    puts("");
}

/* "bf16 989 TFLOP/s", "memory 3.35 TB/s". */
static void put_rate(const json_t *row)
{
    static const char *const prefix[] = {"", "k", "M", "G", "T", "P", "E"};
    double value = json_number_value(json_object_get(row, "value"));
    const char *unit = abdb_record_text(row, "unit"), *dtype = abdb_record_text(row, "dtype");
    int power = 0;

    for (; value >= 1000 && power < 6; power++) value /= 1000;
    abdb_say(stdout, "%s %.4g %s%s", *dtype ? dtype : "memory", value, prefix[power], unit);
}

/* The peaks or the best of a device, each with where it comes from where that is not the same as
 * that of the one before. */
static void list_rates(const char *word, const json_t *rows, const char *from, const char *none)
{
    const char *last = "";

    if (!rows) return;
    abdb_say(stdout, "             %s ", word);
    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *row = json_array_get(rows, i);
        const char *source = abdb_record_text(row, from);

        if (i) abdb_say(stdout, "%s", strcmp(source, last) != 0 ? "), " : ", ");
        put_rate(row);
        if (strcmp(source, last) != 0) abdb_say(stdout, " (%s", source);
        last = source;
    }
    abdb_say(stdout, "%s\n", json_array_size(rows) ? ")" : none);
}

static void list_device(const json_t *seen)
{
    const char *name = abdb_record_text(seen, "name"), *device = abdb_record_text(seen, "device"),
               *id = abdb_record_text(seen, "id"), *key;
    json_t *region = json_object_get(seen, "omp_region_s"), *value;
    long long threads = json_integer_value(json_object_get(seen, "threads"));

    abdb_say(stdout, "             device %s%s%s, %lld thread%s", name,
             *device && strcmp(device, name) != 0 ? ", which is " : "",
             *device && strcmp(device, name) != 0 ? device : "", threads, abdb_s(threads));
    if (region)
        abdb_say(stdout, ", an empty region of them takes %.3g us",
                 1e6 * json_number_value(region));
    if (*id) abdb_say(stdout, ": ABDB_DEVICE=%s", id);
    puts("");
    json_object_foreach(json_object_get(seen, "software"), key, value)
        abdb_say(stdout, "             %s %s\n", key, json_string_value(value));
    list_rates("published", json_object_get(seen, "published"), "source",
               "nothing: no specification of this device is in the database");
    list_rates("measured", json_object_get(seen, "measured"), "what",
               "nothing yet: abdb run --plan ceilings");
}

static void list_backend(const json_t *all)
{
    const json_t *first = json_array_get(all, 0);
    const char *absent = abdb_record_text(first, "absent");
    json_t *one, *lacks = json_object_get(first, "not_implemented");
    size_t i;

    if (*absent) {
        abdb_say(stdout, "  %-10s absent: %s\n", abdb_record_text(first, "backend"), absent);
        return;
    }
    abdb_say(stdout, "  %-10s %s\n", abdb_record_text(first, "backend"),
             abdb_record_text(first, "summary"));
    json_array_foreach(all, i, one)
    {
        absent = abdb_record_text(one, "absent");
        if (*absent)
            abdb_say(stdout, "             device %s: absent: %s\n", abdb_record_text(one, "id"),
                     absent);
        else
            list_device(one);
    }
    json_array_foreach(json_object_get(first, "kernels"), i, one) list_kernel(one);
    json_array_foreach(lacks, i, one) abdb_say(
        stdout, "%s%s", i ? ", " : "             not implemented: ", json_string_value(one));
    if (json_array_size(lacks)) puts("");
}

static void list_plans(void)
{
    puts("plans:");
    for (size_t i = 0; abdb_plans[i].name; i++) {
        const char *text = abdb_plans[i].text, *dash = strstr(text, " - ");
        int size = (int)(strlen(abdb_plans[i].name) - 5);

        abdb_say(stdout, "  %-10.*s %.*s\n", size, abdb_plans[i].name,
                 dash ? (int)strcspn(dash + 3, "\n") : 0, dash ? dash + 3 : "");
    }
}

/* The array of all, one object a device. */
static abdb_status put_json(const json_t *all, abdb_error *err)
{
    char *text = json_dumps(all, JSON_INDENT(1) | JSON_PRESERVE_ORDER);

    if (!text) return ABDB_FAIL(err, ABDB_NOMEM, "devices");
    abdb_say(stdout, "%s\n", text);
    free(text);
    return ABDB_OK;
}

abdb_status abdb_backends_print(const abdb_backend_list *backends, const char *database, bool json,
                                abdb_error *err)
{
    struct stat info;
    abdb_db *db = NULL;
    json_t *all = json_array(), *of = NULL;
    abdb_status st = ABDB_OK;

    if (stat(database, &info) == 0) TRY(abdb_db_open(&db, database, ABDB_READ, err));
    if (!json) puts("backends (programs abdb-run-NAME):");
    for (size_t i = 0; i < backends->count; i++) {
        TRY(abdb_seen(db, backends->backend[i].name, backends->backend[i].path, &of, err));
        if (json)
            json_array_extend(all, of);
        else
            list_backend(of);
        json_decref(of);
        of = NULL;
    }
    if (json) {
        TRY(put_json(all, err));
        goto done;
    }
    if (!backends->count) puts("  none beside abdb, nor in $ABDB_BACKENDS");
    if (!db)
        abdb_say(stdout,
                 "  (no database %s: published and measured rates of devices are in one; "
                 "`abdb import data` makes it)\n",
                 database);
    list_plans();
done:
    json_decref(of);
    json_decref(all);
    abdb_db_close(db);
    return st;
}

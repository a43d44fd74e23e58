/* backends_print.c - what can be run here: backends with their kernels, and plans. */
#include <stdio.h>
#include <string.h>

#include "kernels/runner/answer.h"
#include "kernels/runner/provide.h"
#include "kernels/runner/runner.h"
#include "query/answer/say.h"
#include "query/program/backends.h"

/* A kernel once, with its providers where there are several. */
static void list_kernel(const json_t *hello, const json_t *kernel)
{
    const char *name = abdb_record_text(kernel, "name"), *other;
    const char *first = abdb_provider_at(hello, name, 0);

    if (first && strcmp(first, abdb_record_text(kernel, "provider")) != 0) return;
    abdb_say(stdout, "             kernel %-8s %s", name, abdb_record_text(kernel, "parameters"));
    for (size_t i = 0; first && abdb_provider_at(hello, name, 1); i++) {
        if (!(other = abdb_provider_at(hello, name, i))) break;
        abdb_say(stdout, "%s%s", i ? ", " : "; providers ", other);
    }
    puts("");
}

/* Devices that can be chosen, where there are several. */
static void list_devices(const json_t *devices)
{
    for (size_t i = 0; json_array_size(devices) > 1 && i < json_array_size(devices); i++)
        abdb_say(stdout, "             ABDB_DEVICE=%s %s\n",
                 abdb_record_text(json_array_get(devices, i), "id"),
                 abdb_record_text(json_array_get(devices, i), "name"));
}

static void list_backend(const char *name, const char *path)
{
    abdb_run_options options = {.name = name, .path = path};
    json_t *all = NULL, *kernel, *region;
    abdb_error err;
    size_t i;

    if (abdb_backend_describe(&options, &all, &err) != ABDB_OK) {
        abdb_say(stdout, "  %-10s absent: %s\n", name, err.message);
        json_decref(all);
        return;
    }
    region = json_object_get(json_object_get(json_object_get(all, "environment"), "environment"),
                             "omp_region_s");
    abdb_say(
        stdout, "  %-10s %s\n             device %s, %lld threads", name,
        json_string_value(json_object_get(json_object_get(all, "hello"), "summary")),
        json_string_value(json_object_get(json_object_get(all, "device"), "name")),
        (long long)json_integer_value(json_object_get(json_object_get(all, "device"), "threads")));
    if (json_is_number(region))
        abdb_say(stdout, ", an empty region of them takes %.3g us",
                 1e6 * json_number_value(region));
    puts("");
    list_devices(json_object_get(json_object_get(all, "hello"), "devices"));
    json_array_foreach(json_object_get(json_object_get(all, "hello"), "kernels"), i, kernel)
        list_kernel(json_object_get(all, "hello"), kernel);
    json_decref(all);
}

void abdb_backends_print(const abdb_backend_list *backends)
{
    puts("backends (programs abdb-run-NAME):");
    for (size_t i = 0; i < backends->count; i++)
        list_backend(backends->backend[i].name, backends->backend[i].path);
    if (!backends->count) puts("  none beside abdb, nor in $ABDB_BACKENDS");
    puts("plans:");
    for (size_t i = 0; abdb_plans[i].name; i++) {
        const char *text = abdb_plans[i].text, *dash = strstr(text, " - ");
        int size = (int)(strlen(abdb_plans[i].name) - 5);

        abdb_say(stdout, "  %-10.*s %.*s\n", size, abdb_plans[i].name,
                 dash ? (int)strcspn(dash + 3, "\n") : 0, dash ? dash + 3 : "");
    }
}

/* backends_print.c - what can be run here: backends with their kernels, plans; and whether a plan
 * asks for something that is not. */
#include <stdio.h>
#include <string.h>

#include "kernels/runner/known.h"
#include "kernels/runner/runner.h"
#include "query/answer/say.h"
#include "query/program/backends.h"

static void list_backend(const char *name, const char *path)
{
    abdb_run_options options = {.name = name, .path = path};
    json_t *all = NULL, *kernel;
    abdb_error err;
    size_t i;

    if (abdb_backend_describe(&options, &all, &err) != ABDB_OK) {
        abdb_say(stdout, "  %-10s absent: %s\n", name, err.message);
        return;
    }
    abdb_say(
        stdout, "  %-10s %s\n             device %s, %lld threads\n", name,
        json_string_value(json_object_get(json_object_get(all, "hello"), "summary")),
        json_string_value(json_object_get(json_object_get(all, "device"), "name")),
        (long long)json_integer_value(json_object_get(json_object_get(all, "device"), "threads")));
    json_array_foreach(json_object_get(json_object_get(all, "hello"), "kernels"), i, kernel)
        abdb_say(stdout, "             kernel %-8s %s\n",
                 json_string_value(json_object_get(kernel, "name")),
                 json_string_value(json_object_get(kernel, "parameters")));
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

abdb_status abdb_backends_know(const abdb_backend_list *list, const unsigned char *chosen,
                               const abdb_plan *plan, abdb_error *err)
{
    json_t *described[ABDB_BACKEND_MAX] = {NULL}, *hello[ABDB_BACKEND_MAX] = {NULL};
    size_t count = 0, hellos = 0;
    abdb_status st;

    for (size_t i = 0; i < list->count; i++) {
        abdb_run_options options = {.name = list->backend[i].name, .path = list->backend[i].path};
        abdb_error none;

        if (!chosen[i]) continue;
        if (abdb_backend_describe(&options, &described[count], &none) == ABDB_OK)
            hello[hellos++] = json_object_get(described[count++], "hello");
        else
            hello[hellos++] = NULL; /* what is wrong with it is said when it should run */
    }
    st = abdb_plan_known(plan, hello, hellos, err);
    for (size_t i = 0; i < count; i++) json_decref(described[i]);
    return st;
}

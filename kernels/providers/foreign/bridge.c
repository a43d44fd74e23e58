/* bridge.c - functions of a program in another language as a device and implementations; see
 * bridge.h. There is one in a process. */
#include "kernels/providers/foreign/bridge.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/harness/harness.h"
#include "schema/core/text.h"

enum { KERNELS_MOST = 64 };

static const abdb_bridge *bridge;
static abdb_device device;
static abdb_impl impl[KERNELS_MOST];
static const abdb_impl *native[KERNELS_MOST + 1];

static abdb_status check(int code, abdb_error *err)
{
    if (code == ABDB_BRIDGE_OK) return ABDB_OK;
    return ABDB_FAIL(err, code == ABDB_BRIDGE_NOMEM ? ABDB_NOMEM : ABDB_BACKEND, "%s",
                     bridge->fault());
}

/* Handles are small numbers: they travel in the pointer of a tensor's data. */
static size_t number(const void *data)
{
    return (size_t)(uintptr_t)data;
}

/* --- the device ------------------------------------------------------------------------------- */

static abdb_status alloc(abdb_device *d, size_t size, bool huge, void **out, abdb_error *err)
{
    (void)d;
    if (huge) return ABDB_FAIL(err, ABDB_USAGE, "%s chooses its pages itself", bridge->backend);
    *out = (void *)(uintptr_t)bridge->alloc(size);
    return *out ? ABDB_OK : ABDB_FAIL(err, ABDB_NOMEM, "%s", bridge->fault());
}

static void release(abdb_device *d, void *memory)
{
    (void)d;
    bridge->release(number(memory));
}

static double available(abdb_device *d)
{
    (void)d;
    return bridge->memory > 0 ? bridge->memory : abdb_memory_available() / 2;
}

static abdb_status upload(abdb_device *d, void *to, const void *from, size_t size, abdb_error *err)
{
    (void)d;
    return check(bridge->upload(number(to), from, size), err);
}

static abdb_status download(abdb_device *d, void *to, const void *from, size_t size,
                            abdb_error *err)
{
    (void)d;
    return check(bridge->download(to, number(from), size), err);
}

static abdb_status fill(abdb_device *d, void *to, unsigned char byte, size_t size, abdb_error *err)
{
    (void)d;
    return check(bridge->fill(number(to), byte, size), err);
}

static abdb_status flush(abdb_device *d, abdb_error *err)
{
    (void)d;
    return check(bridge->flush(), err);
}

static abdb_status begin(abdb_device *d, abdb_error *err)
{
    (void)d;
    return check(bridge->begin(), err);
}

static abdb_status end(abdb_device *d, double *time_s, abdb_error *err)
{
    (void)d;
    return check(bridge->end(time_s), err);
}

/* --- implementations -------------------------------------------------------------------------- */

/* A problem as JSON; free() it. NULL: no memory. */
static char *told(const abdb_problem *p)
{
    static const char *const roles[] = {"in", "out", "inout"};
    json_t *params = json_object(), *tensors = json_array(), *all;
    char *text;

    for (int i = 0; i < p->params; i++)
        json_object_set_new(params, p->param[i].name, json_string(p->param[i].text));
    for (int i = 0; i < p->tensors; i++) {
        const abdb_tensor *t = &p->tensor[i];
        json_t *dim = json_array();

        for (int k = 0; k < t->rank; k++)
            json_array_append_new(dim, json_integer((json_int_t)t->dim[k]));
        json_array_append_new(tensors, json_pack("{s:s,s:s,s:o,s:I}", "dtype",
                                                 abdb_dtype_name(t->dtype), "role", roles[t->role],
                                                 "dim", dim, "data", (json_int_t)number(t->data)));
    }
    all = json_pack("{s:s,s:o,s:o}", "kernel", p->kernel, "params", params, "tensors", tensors);
    text = json_dumps(all, JSON_COMPACT);
    json_decref(all);
    return text;
}

static int accepts(const abdb_problem *p, const char **why_not)
{
    char *text = told(p);

    *why_not = text ? bridge->accepts(text) : "there is no memory to ask";
    free(text);
    return !*why_not;
}

static abdb_status prepare(void **state, const abdb_problem *p, abdb_error *err)
{
    char *text = told(p);
    size_t made = 0;
    abdb_status st =
        text ? check(bridge->prepare(text, &made), err) : ABDB_FAIL(err, ABDB_NOMEM, "a problem");

    free(text);
    *state = st == ABDB_OK ? (void *)(uintptr_t)made : NULL;
    return st;
}

static abdb_status launch(void *state, abdb_error *err)
{
    return check(bridge->launch(number(state)), err);
}

static void close_state(void *state)
{
    bridge->close(number(state));
}

static void list_kernels(const char *names)
{
    size_t count = 0;

    for (size_t i = 0; abdb_kernels[i] && count < KERNELS_MOST; i++) {
        if (!abdb_has_word(names, ' ', abdb_kernels[i]->name, strlen(abdb_kernels[i]->name)))
            continue;
        impl[count] = (abdb_impl){.kernel = abdb_kernels[i]->name,
                                  .provider = bridge->backend,
                                  .accepts = accepts,
                                  .prepare = prepare,
                                  .launch = launch,
                                  .close = close_state};
        native[count] = &impl[count];
        count++;
    }
}

/* --- the program ------------------------------------------------------------------------------ */

static abdb_status open_device(abdb_device **out, abdb_error *err)
{
    int threads = bridge->threads > 0 ? bridge->threads : 1;

    if (bridge->no_device) return ABDB_FAIL(err, ABDB_BACKEND, "%s", bridge->no_device);
    device = (abdb_device){.name = bridge->device,
                           .clock = bridge->clock,
                           .resolution_s = bridge->resolution_s,
                           .cost_s = bridge->cost_s,
                           .threads = bridge->threads,
                           .limits = abdb_machine_limits(threads),
                           .own_threads = true,
                           .alloc = alloc,
                           .release = release,
                           .available = available,
                           .upload = upload,
                           .download = download,
                           .fill = fill,
                           .flush = flush,
                           .begin = begin,
                           .end = end,
                           .sense = abdb_sensors_of_host};
    if (bridge->cache > 0) {
        device.limits.last = (size_t)bridge->cache;
        device.limits.claimed = 0;
    }
    *out = &device;
    return ABDB_OK;
}

static const char *library(void)
{
    return bridge->library;
}

int abdb_bridge_main(const abdb_bridge *own, int argc, char **argv)
{
    static abdb_backend backend;

    bridge = own;
    list_kernels(own->kernels);
    backend = (abdb_backend){.name = own->backend,
                             .summary = own->summary,
                             .native = native,
                             .library = own->library ? library : NULL,
                             .devices = own->devices,
                             .open = open_device};
    return abdb_backend_main(&backend, argc, argv);
}

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

static abdb_status bridge_code_to_status_and_error(int code, abdb_error *err)
{
    if (code == ABDB_BRIDGE_OK) return ABDB_OK;
    return ABDB_FAIL(err, code == ABDB_BRIDGE_NOMEM ? ABDB_NOMEM : ABDB_BACKEND, "%s",
                     bridge->fault());
}

/* Handles are small numbers: they travel in the pointer of a tensor's data. */
static size_t handle_of_pointer(const void *data)
{
    return (size_t)(uintptr_t)data;
}

/* --- the device ------------------------------------------------------------------------------- */

static abdb_status bridge_alloc(abdb_device *d, size_t size, bool huge, void **out, abdb_error *err)
{
    (void)d;
    if (huge) return ABDB_FAIL(err, ABDB_USAGE, "%s chooses its pages itself", bridge->backend);
    *out = (void *)(uintptr_t)bridge->alloc(size);
    return *out ? ABDB_OK : ABDB_FAIL(err, ABDB_NOMEM, "%s", bridge->fault());
}

static void bridge_release(abdb_device *d, void *memory)
{
    (void)d;
    bridge->release(handle_of_pointer(memory));
}

static double bridge_available_or_half_host_bytes(abdb_device *d)
{
    (void)d;
    return bridge->memory > 0 ? bridge->memory : abdb_memory_available_bytes_within_cgroup() / 2;
}

static abdb_status bridge_upload(abdb_device *d, void *to, const void *from, size_t size,
                                 abdb_error *err)
{
    (void)d;
    return bridge_code_to_status_and_error(bridge->upload(handle_of_pointer(to), from, size), err);
}

static abdb_status bridge_download(abdb_device *d, void *to, const void *from, size_t size,
                                   abdb_error *err)
{
    (void)d;
    return bridge_code_to_status_and_error(bridge->download(to, handle_of_pointer(from), size),
                                           err);
}

static abdb_status bridge_fill_bytes(abdb_device *d, void *to, unsigned char byte, size_t size,
                                     abdb_error *err)
{
    (void)d;
    return bridge_code_to_status_and_error(bridge->fill(handle_of_pointer(to), byte, size), err);
}

static abdb_status bridge_flush_caches(abdb_device *d, abdb_error *err)
{
    (void)d;
    return bridge_code_to_status_and_error(bridge->flush(), err);
}

static abdb_status bridge_begin_timing(abdb_device *d, abdb_error *err)
{
    (void)d;
    return bridge_code_to_status_and_error(bridge->begin(), err);
}

static abdb_status bridge_end_timing(abdb_device *d, double *time_s, abdb_error *err)
{
    (void)d;
    return bridge_code_to_status_and_error(bridge->end(time_s), err);
}

/* --- implementations -------------------------------------------------------------------------- */

/* A problem as JSON; free() it. NULL: no memory. */
static char *problem_to_json_text_with_handles(const abdb_problem *p)
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
        json_array_append_new(tensors,
                              json_pack("{s:s,s:s,s:o,s:I}", "dtype", abdb_dtype_name(t->dtype),
                                        "role", roles[t->role], "dim", dim, "data",
                                        (json_int_t)handle_of_pointer(t->data)));
    }
    all = json_pack("{s:s,s:o,s:o}", "kernel", p->kernel, "params", params, "tensors", tensors);
    text = json_dumps(all, JSON_COMPACT);
    json_decref(all);
    return text;
}

static int bridge_kernel_accepts(const abdb_problem *p, const char **why_not)
{
    char *text = problem_to_json_text_with_handles(p);

    *why_not = text ? bridge->accepts(text) : "there is no memory to ask";
    free(text);
    return !*why_not;
}

/* Gives the problem as JSON to the program behind the bridge; *state is the number by which it
 * knows it. */
static abdb_status bridge_kernel_prepare(void **state, const abdb_problem *p, abdb_error *err)
{
    char *text = problem_to_json_text_with_handles(p);
    size_t made = 0;
    abdb_status st = text ? bridge_code_to_status_and_error(bridge->prepare(text, &made), err)
                          : ABDB_FAIL(err, ABDB_NOMEM, "a problem");

    free(text);
    *state = st == ABDB_OK ? (void *)(uintptr_t)made : NULL;
    return st;
}

static abdb_status bridge_kernel_launch(void *state, abdb_error *err)
{
    return bridge_code_to_status_and_error(bridge->launch(handle_of_pointer(state)), err);
}

static void bridge_kernel_close(void *state)
{
    bridge->close(handle_of_pointer(state));
}

/* Fills `native` with an implementation of each kernel that the program names. */
static void register_native_impls_of_named_kernels(const char *kernel_names)
{
    size_t count = 0;

    for (size_t i = 0; abdb_kernels[i] && count < KERNELS_MOST; i++) {
        if (!abdb_list_has_word(kernel_names, ' ', abdb_kernels[i]->name,
                                strlen(abdb_kernels[i]->name)))
            continue;
        impl[count] = (abdb_impl){.kernel = abdb_kernels[i]->name,
                                  .provider = bridge->backend,
                                  .accepts = bridge_kernel_accepts,
                                  .prepare = bridge_kernel_prepare,
                                  .launch = bridge_kernel_launch,
                                  .close = bridge_kernel_close};
        native[count] = &impl[count];
        count++;
    }
}

/* --- the program ------------------------------------------------------------------------------ */

/* The device that the program described, whose functions call it back. ABDB_BACKEND: it has
 * none, in its words. */
static abdb_status bridge_open_device(abdb_device **out, abdb_error *err)
{
    int threads = bridge->threads > 0 ? bridge->threads : 1;

    if (bridge->no_device) return ABDB_FAIL(err, ABDB_BACKEND, "%s", bridge->no_device);
    device = (abdb_device){.name = bridge->device,
                           .clock = bridge->clock,
                           .resolution_s = bridge->resolution_s,
                           .cost_s = bridge->cost_s,
                           .threads = bridge->threads,
                           .limits = abdb_machine_cache_sizes_capped_if_virtual(threads),
                           .driver_threads = true,
                           .alloc = bridge_alloc,
                           .release = bridge_release,
                           .available = bridge_available_or_half_host_bytes,
                           .upload = bridge_upload,
                           .download = bridge_download,
                           .fill = bridge_fill_bytes,
                           .flush_caches = bridge_flush_caches,
                           .begin_timing = bridge_begin_timing,
                           .end_timing = bridge_end_timing,
                           .read_sensors = abdb_sensors_read_host_quick_or_all};
    if (bridge->cache > 0) {
        device.limits.last = (size_t)bridge->cache;
        device.limits.claimed = 0;
    }
    *out = &device;
    return ABDB_OK;
}

static const char *bridge_library_name(void)
{
    return bridge->library;
}

int abdb_bridge_main(const abdb_bridge *foreign_functions, int argc, char **argv)
{
    static abdb_backend backend;

    bridge = foreign_functions;
    register_native_impls_of_named_kernels(foreign_functions->kernels);
    backend = (abdb_backend){.name = foreign_functions->backend,
                             .summary = foreign_functions->summary,
                             .native = native,
                             .library = foreign_functions->library ? bridge_library_name : NULL,
                             .devices = foreign_functions->devices,
                             .open = bridge_open_device};
    return abdb_backend_main(&backend, argc, argv);
}

/* device_selection.c - platforms and devices, and which is used; see device_selection.h. */
#include "kernels/providers/opencl/device_selection.h"

#include <omp.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/harness/harness.h"
#include "schema/core/fixed_text.h"
#include "schema/core/text.h"

enum { PLATFORMS = 16, DEVICES = 64, BOARD_NAME_AMD = 0x4038 };

typedef struct {
    cl_platform_id platform;
    cl_device_id id;
    cl_device_type type;
    char name[2 * ABDB_CL_NAME]; /* "platform: device" */
} choice;

typedef struct {
    choice at[DEVICES];
    size_t count;
} choices;

/* libgomp has bound this thread to a core. The threads of a driver, which the first call of OpenCL
 * starts, would inherit that and all run there. */
static void unbind_thread_from_core(void)
{
    cpu_set_t set;

    if (abdb_get_processors_of_openmp_places(&set)) sched_setaffinity(0, sizeof set, &set);
}

/* Adds the platform's devices with their names "platform: device", as far as there is room. */
static void append_devices_of_platform(choices *all, cl_platform_id platform)
{
    cl_device_id id[DEVICES];
    cl_uint count = 0;
    char name[ABDB_CL_NAME] = "", of[ABDB_CL_NAME] = "";

    if (clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, DEVICES, id, &count) != CL_SUCCESS) return;
    clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof of, of, NULL);
    for (cl_uint i = 0; i < count && all->count < DEVICES; i++) {
        choice *c = &all->at[all->count++];

        *c = (choice){.platform = platform, .id = id[i]};
        clGetDeviceInfo(id[i], CL_DEVICE_TYPE, sizeof c->type, &c->type, NULL);
        clGetDeviceInfo(id[i], CL_DEVICE_NAME, sizeof name, name, NULL);
        snprintf(c->name, sizeof c->name, "%s: %s", of, name);
    }
}

/* Fills the list with the devices of all platforms; threads that drivers start may use all
 * processors. */
static void list_all_devices(choices *all)
{
    cl_platform_id platform[PLATFORMS];
    cl_uint count = 0;

    all->count = 0;
    unbind_thread_from_core();
    if (clGetPlatformIDs(PLATFORMS, platform, &count) != CL_SUCCESS) return;
    for (cl_uint i = 0; i < count && i < PLATFORMS; i++)
        append_devices_of_platform(all, platform[i]);
}

void abdb_cl_report_all_device_names(void (*tell)(void *to, const char *key, const char *text),
                                     void *to)
{
    choices *all = calloc(1, sizeof *all);
    char key[32];

    if (all) list_all_devices(all);
    for (size_t i = 0; all && i < all->count; i++) {
        snprintf(key, sizeof key, "opencl_device_%zu", i + 1);
        tell(to, key, all->at[i].name);
    }
    free(all);
}

const char *abdb_cl_selectable_device_lines(void)
{
    static char out[DEVICES * 3 * ABDB_CL_NAME]; /* as long as the program */
    const char *fixed = getenv("ABDB_OPENCL_DEVICE");
    choices *all = calloc(1, sizeof *all);
    size_t used = 0;

    if (all && !(fixed && *fixed)) list_all_devices(all);
    for (size_t i = 0; all && i < all->count && used < sizeof out; i++) {
        char driver[ABDB_CL_NAME] = "";
        cl_ulong memory = 0;
        cl_uint units = 0;

        clGetDeviceInfo(all->at[i].id, CL_DRIVER_VERSION, sizeof driver, driver, NULL);
        clGetDeviceInfo(all->at[i].id, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, NULL);
        clGetDeviceInfo(all->at[i].id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
        used += (size_t)snprintf(out + used, sizeof out - used,
                                 "%s%zu %s (driver %.80s, %.1f GiB, %u compute unit%s)",
                                 i ? "\n" : "", i + 1, all->at[i].name, driver,
                                 (double)memory / 0x1p30, units, abdb_plural_ending(units));
    }
    free(all);
    return *out ? out : NULL;
}

/* The one that is asked for: by its number, or by a part of its name. */
static const choice *find_device_by_number_or_name(const choices *all, const char *text)
{
    char pattern[ABDB_CL_NAME];
    long long number;

    if (abdb_integer_parse_in_range(text, ABDB_MARK_POINT, 1, (long long)all->count, &number))
        return &all->at[number - 1];
    if (!abdb_format_if_fits(pattern, sizeof pattern, "*%s*", text)) return NULL;
    for (size_t i = 0; i < all->count; i++)
        if (abdb_glob_matches_ignoring_case(pattern, all->at[i].name)) return &all->at[i];
    return NULL;
}

static const choice *first_gpu_else_first(const choices *all)
{
    for (size_t i = 0; i < all->count; i++)
        if (all->at[i].type & CL_DEVICE_TYPE_GPU) return &all->at[i];
    return &all->at[0];
}

/* The device that ABDB_OPENCL_DEVICE or ABDB_DEVICE names, else the first GPU, else the first.
 * ABDB_BACKEND: none, with all that there are. */
static abdb_status pick_device_by_environment(const choices *all, const choice **out,
                                              abdb_error *err)
{
    const char *own = getenv("ABDB_OPENCL_DEVICE"), *vendors = getenv("OCL_ICD_VENDORS"),
               *variable = own && *own ? "ABDB_OPENCL_DEVICE" : "ABDB_DEVICE",
               *text = getenv(variable);
    abdb_text names = {0};

    if (!all->count)
        return ABDB_FAIL(err, ABDB_BACKEND,
                         "there is no OpenCL device: no driver is registered in %s; Debian's"
                         " pocl-opencl-icd makes one of the processors",
                         vendors && *vendors ? vendors : "/etc/OpenCL/vendors");
    *out = text && *text ? find_device_by_number_or_name(all, text) : first_gpu_else_first(all);
    if (*out) return ABDB_OK;
    for (size_t i = 0; i < all->count; i++)
        abdb_text_printf(&names, "%s%zu '%s'", i ? ", " : "", i + 1, all->at[i].name);
    (void)!ABDB_FAIL(err, ABDB_BACKEND, "no OpenCL device is called '%s' (%s): there is %s", text,
                     variable, abdb_text_get(&names));
    abdb_text_free(&names);
    return ABDB_BACKEND;
}

/* As many cores of a processor as abdb was told to use, where the driver can part it. */
static void shrink_device_to_omp_threads_if_possible(abdb_cl_device *c)
{
    int threads = omp_get_max_threads();
    cl_uint units = 0, made = 0;
    cl_device_partition_property how[] = {CL_DEVICE_PARTITION_BY_COUNTS, threads,
                                          CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0};
    cl_device_id part;

    clGetDeviceInfo(c->id, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, NULL);
    if (threads < (int)units && clCreateSubDevices(c->id, how, 1, &part, &made) == CL_SUCCESS &&
        made == 1)
        c->id = part;
}

/* Sets the name (of a processor the host's, of an AMD board the board's) and the driver's
 * version. */
static void store_device_name_and_driver_version(abdb_cl_device *c)
{
    char version[ABDB_CL_NAME] = "", driver[ABDB_CL_NAME] = "";

    clGetDeviceInfo(c->id, CL_DEVICE_VERSION, sizeof version, version, NULL);
    clGetDeviceInfo(c->id, CL_DRIVER_VERSION, sizeof driver, driver, NULL);
    snprintf(c->driver, sizeof c->driver, "%.150s, driver %.80s", version, driver);
    if (c->processor)
        abdb_host_device_name(c->name, sizeof c->name);
    else if (clGetDeviceInfo(c->id, BOARD_NAME_AMD, sizeof c->name, c->name, NULL) != CL_SUCCESS ||
             !*c->name)
        clGetDeviceInfo(c->id, CL_DEVICE_NAME, sizeof c->name, c->name, NULL);
}

abdb_status abdb_cl_select_device_and_capabilities(abdb_cl_device *c, abdb_error *err)
{
    choices *all = calloc(1, sizeof *all);
    const choice *one = NULL;
    cl_uint floats = 1;
    cl_device_fp_config doubles = 0;
    char extensions[8192] = "";
    abdb_status st = ABDB_OK;

    if (!all) return ABDB_FAIL(err, ABDB_NOMEM, "OpenCL devices");
    list_all_devices(all);
    TRY(pick_device_by_environment(all, &one, err));
    c->platform = one->platform;
    c->id = one->id;
    c->processor = (one->type & CL_DEVICE_TYPE_CPU) != 0;
    if (c->processor) shrink_device_to_omp_threads_if_possible(c);
    store_device_name_and_driver_version(c);
    clGetDeviceInfo(c->id, CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, sizeof floats, &floats, NULL);
    clGetDeviceInfo(c->id, CL_DEVICE_DOUBLE_FP_CONFIG, sizeof doubles, &doubles, NULL);
    c->doubles = doubles != 0;
    clGetDeviceInfo(c->id, CL_DEVICE_EXTENSIONS, sizeof extensions, extensions, NULL);
    c->halves = strstr(extensions, "cl_khr_fp16") != NULL;
    c->wide = !c->processor ? 16 : floats >= 16 ? 64 : floats >= 8 ? 32 : 16;
done:
    free(all);
    return st;
}

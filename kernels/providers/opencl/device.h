/* device.h - an OpenCL device as a device of abdb: memory, a queue that works in order, the clock
 * of its profiling events. */
#ifndef ABDB_PROVIDERS_OPENCL_DEVICE_H
#define ABDB_PROVIDERS_OPENCL_DEVICE_H

#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>

#include "kernels/kernel.h"

enum { ABDB_CL_NAME = 256 };

/* A program that was built, by files and options. */
typedef struct abdb_cl_built {
    struct abdb_cl_built *next;
    const char *file;
    char *options;
    cl_program program;
} abdb_cl_built;

/* Memory by address (memory.h). */
typedef struct {
    void *address;
    size_t size;
    cl_mem memory;
} abdb_cl_piece;

typedef struct {
    abdb_device device; /* first: a pointer to it is one to this */
    cl_platform_id platform;
    cl_device_id id;
    cl_context context;
    cl_command_queue queue;
    cl_event *event; /* of what was launched since `begin` */
    size_t events, capacity;
    abdb_cl_built *built;
    abdb_cl_piece *piece;
    size_t pieces, piece_room;
    void *flushed;
    bool processor; /* its kernels run on the host's cores */
    bool doubles;   /* has f64 */
    bool halves;    /* computes in f16; it is stored and read by all */
    int wide;       /* bytes of a vector that a work-item likes best */
    char name[ABDB_CL_NAME], driver[ABDB_CL_NAME]; /* driver: platform and versions */
} abdb_cl_device;

/* The device that $ABDB_OPENCL_DEVICE, or else $ABDB_DEVICE, names: part of "platform: device", or
 * its number in the list; by default the first GPU, else the first of all. ABDB_BACKEND: there is
 * none, with what there is. */
ABDB_MUST_USE abdb_status abdb_cl_open_device(abdb_device **out, abdb_error *err);
/* The name of an error code, such as "CL_INVALID_WORK_GROUP_SIZE". */
const char *abdb_cl_error_name(cl_int code);
/* ABDB_OK; ABDB_NOMEM where memory was missing; else ABDB_BACKEND, with the failed call. */
ABDB_MUST_USE abdb_status abdb_cl_check_result(cl_int code, const char *what, abdb_error *err);
/* Room for one more event of the stretch. ABDB_NOMEM. */
ABDB_MUST_USE abdb_status abdb_cl_append_event(abdb_cl_device *d, cl_event **out, abdb_error *err);
/* A program of files of kernels (kernels/providers/opencl/cl; "a.cl b.cl"), built with these
 * options, once; kept by the device. Binaries are kept in $XDG_CACHE_HOME/abdb/opencl.
 * ABDB_BACKEND: it does not build; the log is in the message, and whole on the standard error. */
ABDB_MUST_USE abdb_status abdb_cl_build_or_reuse_program(abdb_cl_device *d, const char *file,
                                                         const char *options, cl_program *out,
                                                         abdb_error *err);

#endif

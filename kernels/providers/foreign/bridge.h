/* bridge.h - our kernels for a backend in another language: the program hands over functions, and
 * shapes, inputs, sampling, verification and the protocol are those of all other backends. It is
 * the interface of libabdb-kernels.so; kernels/backends/torch.py uses it from Python.
 *
 * Problems are given as JSON: {"kernel": "gemm", "params": {"n": "512", ...}, "tensors": [{"dtype":
 * "f32", "role": "in|out|inout", "dim": [512, 512], "data": 3}, ...]}, data being what `alloc`
 * gave.
 */
#ifndef ABDB_KERNELS_BRIDGE_H
#define ABDB_KERNELS_BRIDGE_H

#include <stddef.h>

/* What a call that failed is called in the row of its cell. */
enum { ABDB_BRIDGE_OK, ABDB_BRIDGE_FAILED, ABDB_BRIDGE_NOMEM };

/* Calls come one at a time, from the thread that called abdb_bridge_main. Those that give a number
 * give ABDB_BRIDGE_OK, or why not, and then fault() has the words. */
typedef struct {
    const char *backend, *summary;
    const char *kernels;   /* those that it has, separated by blanks */
    const char *library;   /* name and version of the measured library */
    const char *no_device; /* why there is none; NULL: there is one, as follows */
    const char *device, *clock;
    const char *devices;          /* lines "id name", all that ABDB_DEVICE can choose; or NULL */
    double resolution_s, cost_s;  /* of the clock */
    int threads;                  /* of the host that it uses; 0: its device has none */
    double memory;                /* of the device, bytes; 0: that of the host */
    double cache;                 /* its last level, bytes; 0: that of the host */
    size_t (*alloc)(size_t size); /* a handle above 0; 0: no memory */
    void (*release)(size_t data);
    int (*upload)(size_t to, const void *from, size_t size);
    int (*download)(void *to, size_t from, size_t size);
    int (*fill)(size_t to, int byte, size_t size);
    int (*flush)(void);
    int (*begin)(void);
    int (*end)(double *time_s);
    /* NULL: it takes the problem, whose tensors have no data yet; else why not. */
    const char *(*accepts)(const char *problem);
    int (*prepare)(const char *problem, size_t *state);
    int (*launch)(size_t state);
    void (*close)(size_t state);
    const char *(*fault)(void);
} abdb_bridge;

/* The main function of the backend: describe, run or estimate; its exit code. */
int abdb_bridge_main(const abdb_bridge *bridge, int argc, char **argv);

#endif

/* shim.c - makes the Nth allocation or write of a program fail: LD_PRELOAD, FAULT_MALLOC=N,
 * FAULT_WRITE=N. The counters are of the process; only calls after main has begun are counted.
 * FAULT_COUNT=FILE: how many there were, allocations then writes, is written there at the end. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_long allocations, writes;
static long fail_allocation, fail_write;
static int ready;

static void __attribute__((constructor)) begin(void)
{
    const char *a = getenv("FAULT_MALLOC"), *w = getenv("FAULT_WRITE");

    fail_allocation = a ? atol(a) : 0;
    fail_write = w ? atol(w) : 0;
    unsetenv("LD_PRELOAD"); /* children are not harmed */
    ready = 1;
}

static void __attribute__((destructor)) end(void)
{
    const char *path = getenv("FAULT_COUNT");
    int file = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;

    ready = 0;
    if (file >= 0) dprintf(file, "%ld %ld\n", atomic_load(&allocations), atomic_load(&writes));
}

static int fails(atomic_long *count, long at)
{
    return ready && atomic_fetch_add(count, 1) + 1 == at;
}

/* glibc's own functions under their second names: dlsym would itself allocate. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);

void *malloc(size_t size)
{
    return fails(&allocations, fail_allocation) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return fails(&allocations, fail_allocation) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return fails(&allocations, fail_allocation) ? NULL : __libc_realloc(old, size);
}

ssize_t write(int file, const void *data, size_t size)
{
    /* dlsym's result goes through a pointer to void *: ISO C has no cast from an object to a
     * function. */
    static ssize_t (*real)(int, const void *, size_t);

    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "write");
    /* Not the streams: a message about the fault must come through. */
    if (file > 2 && fails(&writes, fail_write)) {
        errno = ENOSPC;
        return -1;
    }
    return real(file, data, size);
}

ssize_t pwrite64(int file, const void *data, size_t size, off_t offset)
{
    static ssize_t (*real)(int, const void *, size_t, off_t);

    if (!real) *(void **)&real = dlsym(RTLD_NEXT, "pwrite64");
    if (fails(&writes, fail_write)) {
        errno = ENOSPC;
        return -1;
    }
    return real(file, data, size, offset);
}

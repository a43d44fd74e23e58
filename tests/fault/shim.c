/* shim.c - makes the Nth allocation of a program fail: LD_PRELOAD, FAULT_MALLOC=N; with FAULT_ON
 * each later one, too. Only allocations after main has begun are counted, which is also said to
 * inject.c, for calls of the system. FAULT_OWN: only those that the program's own code asks for are
 * counted, and those of libraries are granted. FAULT_COUNT=FILE: how many there were is written
 * there at the end. FAULT_NO_MALLOC when it is compiled: for programs that have an allocator of
 * their own. */
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "tests/fault/begin.h"

static atomic_long allocations;
static long fail_at;
static int ready, on, only_own;
static uintptr_t code, code_end; /* of the program */

/* The program comes first. */
static int find_code_range_of_program(struct dl_phdr_info *info, size_t size, void *ignored)
{
    (void)size, (void)ignored;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];

        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
        code = info->dlpi_addr + part->p_vaddr;
        code_end = code + part->p_memsz;
    }
    return 1;
}

static void __attribute__((constructor)) read_settings_start_counting(void)
{
    const char *at = getenv("FAULT_MALLOC");

    fail_at = at ? atol(at) : 0;
    on = getenv("FAULT_ON") != NULL;
    only_own = getenv("FAULT_OWN") != NULL;
    dl_iterate_phdr(find_code_range_of_program, NULL);
    unsetenv("LD_PRELOAD"); /* children are not harmed */
    prctl(FAULT_MAIN_BEGINS, 0, 0, 0, 0);
    ready = 1;
}

static void __attribute__((destructor)) stop_counting_write_count(void)
{
    const char *path = getenv("FAULT_COUNT");
    int file = path ? open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666) : -1;

    ready = 0;
    if (file >= 0) dprintf(file, "%ld\n", atomic_load(&allocations));
}

#ifndef FAULT_NO_MALLOC
static int count_allocation_and_decide_failure(const void *caller)
{
    long now;

    if (!ready || (only_own && ((uintptr_t)caller < code || (uintptr_t)caller >= code_end)))
        return 0;
    now = atomic_fetch_add(&allocations, 1) + 1;
    if (!fail_at || now < fail_at || (!on && now > fail_at)) return 0;
    errno = ENOMEM;
    return 1;
}

/* glibc's own functions under their second names: dlsym would itself allocate. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

#define CALLER __builtin_return_address(0)

void *malloc(size_t size)
{
    return count_allocation_and_decide_failure(CALLER) ? NULL : __libc_malloc(size);
}

void *calloc(size_t count, size_t size)
{
    return count_allocation_and_decide_failure(CALLER) ? NULL : __libc_calloc(count, size);
}

void *realloc(void *old, size_t size)
{
    return count_allocation_and_decide_failure(CALLER) ? NULL : __libc_realloc(old, size);
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return count_allocation_and_decide_failure(CALLER) ? NULL : __libc_memalign(alignment, size);
}

/* What else a program has the C library allocate. */
char *strndup(const char *string, size_t most)
{
    size_t size = strnlen(string, most);
    char *copy = count_allocation_and_decide_failure(CALLER) ? NULL : __libc_malloc(size + 1);

    if (copy) memcpy(copy, string, size);
    if (copy) copy[size] = '\0';
    return copy;
}

char *strdup(const char *string)
{
    size_t size = strlen(string) + 1;
    char *copy = count_allocation_and_decide_failure(CALLER) ? NULL : __libc_malloc(size);

    return copy ? memcpy(copy, string, size) : NULL;
}
#endif

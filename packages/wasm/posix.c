/* posix.c - functions that the wasi-libc of Debian 12 lacks; see posix.h. */
#include "packages/wasm/posix.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

/* WASI has no current folder: relative paths begin in $PWD, where that is there. Runs before main.
 */
__attribute__((constructor)) static void change_to_folder_named_by_pwd(void)
{
    const char *folder = getenv("PWD");

    if (folder) (void)!chdir(folder);
}

/* --- files: those of a read-only folder ------------------------------------------------------- */

/* Returns the path itself: files are found by one name only. */
char *realpath(const char *path, char *resolved)
{
    struct stat info;

    if (stat(path, &info) != 0) return NULL;
    return resolved ? strcpy(resolved, path) : strdup(path);
}

static int set_enosys_and_return_minus_1(void)
{
    errno = ENOSYS;
    return -1;
}

int fchown(int file, uid_t owner, gid_t group)
{
    (void)file, (void)owner, (void)group;
    return set_enosys_and_return_minus_1();
}

int fchmod(int file, mode_t mode)
{
    (void)file, (void)mode;
    return set_enosys_and_return_minus_1();
}

int chmod(const char *path, mode_t mode)
{
    (void)path, (void)mode;
    return set_enosys_and_return_minus_1();
}

mode_t umask(mode_t mask)
{
    (void)mask;
    return 0;
}

int dup(int file)
{
    (void)file;
    return set_enosys_and_return_minus_1();
}

int dup2(int file, int other)
{
    (void)file, (void)other;
    return set_enosys_and_return_minus_1();
}

/* --- processes, signals, timers, threads: there are none ---------------------------------------- */

int sigaction(int number, const struct sigaction *action, struct sigaction *former)
{
    (void)number, (void)action, (void)former;
    return 0;
}

/* Deadlines hold without a timer: queries look at the clock. */
int setitimer(int which, const struct itimerval *timer, struct itimerval *former)
{
    (void)which, (void)timer, (void)former;
    return 0;
}

int kill(pid_t process, int number)
{
    (void)process, (void)number;
    return set_enosys_and_return_minus_1();
}

FILE *popen(const char *command, const char *mode)
{
    (void)command, (void)mode;
    errno = ENOSYS;
    return NULL;
}

int pclose(FILE *stream)
{
    (void)stream;
    return set_enosys_and_return_minus_1();
}

int pthread_mutex_lock(pthread_mutex_t *lock)
{
    (void)lock;
    return 0;
}

int pthread_mutex_unlock(pthread_mutex_t *lock)
{
    (void)lock;
    return 0;
}

int pthread_once(pthread_once_t *once, void (*first)(void))
{
    if (!*once) first();
    *once = 1;
    return 0;
}

/* --- glibc ------------------------------------------------------------------------------------ */

/* Merges two sorted halves of n items through `space`; equal ones keep their order, as in glibc. */
static void merge_sorted_halves_stably(char *array, size_t n, size_t item_size, char *space,
                                       int (*compare)(const void *, const void *, void *),
                                       void *context)
{
    size_t half = n / 2 * item_size, left = 0, right = half, end = n * item_size, at = 0;

    while (left < half && right < end) {
        size_t *from = compare(array + left, array + right, context) <= 0 ? &left : &right;

        memcpy(space + at, array + *from, item_size);
        *from += item_size;
        at += item_size;
    }
    memcpy(space + at, array + left, half - left);
    memcpy(array, space, at + half - left);
}

static void merge_sort_stably(char *array, size_t n, size_t item_size, char *space,
                              int (*compare)(const void *, const void *, void *), void *context)
{
    size_t half = n / 2;

    if (n < 2) return;
    merge_sort_stably(array, half, item_size, space, compare, context);
    merge_sort_stably(array + half * item_size, n - half, item_size, space, compare, context);
    merge_sorted_halves_stably(array, n, item_size, space, compare, context);
}

void qsort_r(void *array, size_t n, size_t item_size,
             int (*compare)(const void *a, const void *b, void *context), void *context)
{
    char *space = malloc(n * item_size);

    if (!space) abort();
    merge_sort_stably(array, n, item_size, space, compare, context);
    free(space);
}

/* qsort of wasi-libc does not keep the order of equal items, glibc's does. */
struct plain_compare {
    int (*compare)(const void *a, const void *b);
};

static int call_plain_compare(const void *a, const void *b, void *context)
{
    return ((const struct plain_compare *)context)->compare(a, b);
}

void qsort(void *array, size_t n, size_t item_size, int (*compare)(const void *a, const void *b))
{
    struct plain_compare plain = {compare};

    qsort_r(array, n, item_size, call_plain_compare, &plain);
}

/* posix.h - what the wasi-libc of Debian 12 does not declare of POSIX and glibc, included before
 * each file that is compiled for WebAssembly. posix.c has the functions: there are no processes,
 * terminals, owners or timers, so they do nothing or fail with ENOSYS. */
#ifndef ABDB_WASM_POSIX_H
#define ABDB_WASM_POSIX_H

#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/types.h>

/* files */
#define F_RDLCK 0
#define F_WRLCK 1
#define F_UNLCK 2
#define F_GETLK 5
char *realpath(const char *path, char *resolved);
int fchown(int file, uid_t owner, gid_t group);
int fchmod(int file, mode_t mode);
int chmod(const char *path, mode_t mode);
mode_t umask(mode_t mask);
int dup(int file);
int dup2(int file, int other);

/* processes, signals and timers */
struct sigaction {
    void (*sa_handler)(int);
    sigset_t sa_mask;
    int sa_flags;
};
struct itimerval {
    struct timeval it_interval, it_value;
};
#define ITIMER_REAL 0
int sigaction(int number, const struct sigaction *action, struct sigaction *former);
int setitimer(int which, const struct itimerval *timer, struct itimerval *former);
int kill(pid_t process, int number);
FILE *popen(const char *command, const char *mode);
int pclose(FILE *stream);

/* terminals */
struct winsize {
    unsigned short ws_row, ws_col, ws_xpixel, ws_ypixel;
};
#define TIOCGWINSZ 0x5413

/* glibc */
void qsort_r(void *array, size_t n, size_t item_size,
             int (*compare)(const void *a, const void *b, void *context), void *context);

#endif

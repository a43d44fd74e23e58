/* backend_process.c - a backend's process: started with the environment that measuring needs,
 * written to without ever waiting for long, read line by line, and ended with everything it
 * started. See backend_process.h. */
#include "kernels/runner/backend_process.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "schema/core/timing.h"

enum { LINE_SIZE_MAX = 1 << 20, BEGINNING = 80, CHUNK = 65536, WORDS_MOST = 1 << 20 };

/* Thread count, binding and wait policy are set before exec, because libraries read them when they
 * are loaded. All of them use libgomp's one pool of threads. What the user has set of binding and
 * waiting stays (0: do not overwrite). */
static void set_child_openmp_blas_and_device_env(const void *options)
{
    const abdb_run_options *o = options;
    char number[16];

    if (o->keep_environment) return;
    if (o->threads > 0) {
        snprintf(number, sizeof number, "%d", o->threads);
        setenv("OMP_NUM_THREADS", number, 1);
        setenv("OPENBLAS_NUM_THREADS", number, 1);
        setenv("BLIS_NUM_THREADS", number, 1);
    }
    if (o->launch) { /* which has bound each rank where it shall be */
        setenv("OMP_NUM_THREADS", "1", 1);
        setenv("OMP_WAIT_POLICY", "passive", 0);
        return;
    }
    if (o->device) setenv("ABDB_DEVICE", o->device, 1);
    setenv("OMP_PROC_BIND", "close", 0);
    setenv("OMP_PLACES", "cores", 0);
    setenv("OMP_WAIT_POLICY", "active", 0);
    if (!o->core_type) return;
    setenv("OPENBLAS_CORETYPE", o->core_type, 1);
    if (strcmp(o->core_type, "SkylakeX") == 0 || strcmp(o->core_type, "Haswell") == 0)
        setenv("BLIS_ARCH_TYPE", strcmp(o->core_type, "SkylakeX") == 0 ? "skx" : "haswell", 1);
}

abdb_status abdb_child_start_backend_with_pipes(abdb_child *c, const abdb_run_options *o,
                                                const char *verb, abdb_error *err)
{
    static const volatile int never = 0;
    abdb_start_options how = {.path = o->path,
                              .words_most = WORDS_MOST,
                              .prepare = set_child_openmp_blas_and_device_env,
                              .prepare_argument = o};
    size_t words = 0;
    abdb_error why;

    for (size_t i = 1; o->launch && o->launch->word[i]; i++)
        how.argument[words++] = o->launch->word[i];
    if (o->launch) {
        how.path = o->launch->word[0];
        how.argument[words++] = o->path;
    }
    for (size_t i = 0; o->argument && o->argument[i] && words < ABDB_ARGUMENTS - 2; i++)
        how.argument[words++] = o->argument[i];
    how.argument[words] = verb;
    if (strchr(o->path, '/') && access(o->path, X_OK) != 0)
        return ABDB_FAIL(err, ABDB_BACKEND, "%s cannot be started: %s", o->path, strerror(errno));
    if (abdb_program_start_with_pipes(&c->process, &how, &why) != ABDB_OK)
        return ABDB_FAIL(err, ABDB_BACKEND, "%s", why.message);
    c->stop = o->stop ? o->stop : &never;
    c->last_output_s = abdb_monotonic_seconds();
    c->skipping = false;
    c->read_errno = 0;
    c->launched = o->launch;
    c->options = o;
    abdb_text_clear(&c->buffer);
    return ABDB_OK;
}

abdb_status abdb_child_write_with_timeout(abdb_child *c, const char *text, double wait_s,
                                          abdb_error *err)
{
    double until = abdb_monotonic_seconds() + wait_s;
    size_t size = strlen(text);

    while (size) {
        ssize_t wrote = write(c->process.in, text, size);

        if (wrote < 0 && (errno == EINTR || errno == EAGAIN)) {
            struct pollfd waiting = {.fd = c->process.in, .events = POLLOUT};

            if (*c->stop > 1 || abdb_monotonic_seconds() > until)
                return ABDB_FAIL(err, ABDB_LIMIT, "it does not read what it is asked");
            poll(&waiting, 1, 200);
            continue;
        }
        if (wrote <= 0)
            return ABDB_FAIL(err, errno == EPIPE ? ABDB_BACKEND : ABDB_IO, "%s: %s",
                             errno == EPIPE ? "the backend does not read"
                                            : "cannot write to the backend",
                             strerror(errno));
        text += wrote;
        size -= (size_t)wrote;
    }
    return ABDB_OK;
}

/* Takes the first whole line out of the buffer, as a copy of the child's that ends in NUL; what
 * follows moves to the front. ABDB_QUIET: no line is complete yet. A line longer than LINE_SIZE_MAX
 * is no record, and neither is its end: its beginning is told once, and the rest dropped. */
static abdb_child_event extract_first_line_or_drop_too_long(abdb_child *c, char **line)
{
    char *end = c->buffer.size ? memchr(c->buffer.data, '\n', c->buffer.size) : NULL;
    size_t size = end ? (size_t)(end - c->buffer.data) : c->buffer.size,
           gone = size + (end != NULL);
    bool too_long = size > LINE_SIZE_MAX, told = c->skipping;

    if (c->buffer.failed) return ABDB_UNHEARD;
    if (!end && !too_long && !told) return ABDB_QUIET;
    abdb_text_clear(&c->line);
    if (!told) abdb_text_add(&c->line, c->buffer.data, too_long ? BEGINNING : size);
    if (c->line.failed) return ABDB_UNHEARD;
    memmove(c->buffer.data, c->buffer.data + gone, c->buffer.size - gone);
    c->buffer.size -= gone;
    c->skipping = !end;
    if (told) return end ? extract_first_line_or_drop_too_long(c, line) : ABDB_QUIET;
    *line = c->line.data;
    return too_long ? ABDB_TOO_LONG : ABDB_LINE;
}

abdb_child_event abdb_child_read_line_or_event(abdb_child *c, double wait_s, char **line)
{
    char chunk[CHUNK];
    struct pollfd waiting = {.fd = c->process.out, .events = POLLIN};
    abdb_child_event had = extract_first_line_or_drop_too_long(c, line);
    ssize_t size;

    if (had != ABDB_QUIET) return had;
    if (poll(&waiting, 1, (int)(wait_s * 1000)) <= 0) /* its children may hold its output open */
        return abdb_program_wait_until_ended(&c->process, 0, NULL) ? ABDB_ENDED : ABDB_QUIET;
    size = read(c->process.out, chunk, sizeof chunk);
    if (size < 0 && errno == EINTR) return ABDB_QUIET;
    if (size < 0) c->read_errno = errno;
    if (size <= 0) return size ? ABDB_UNHEARD : ABDB_ENDED;
    c->last_output_s = abdb_monotonic_seconds();
    abdb_text_add(&c->buffer, chunk, (size_t)size);
    return extract_first_line_or_drop_too_long(c, line);
}

abdb_status abdb_child_fail_with_read_error(const abdb_child *c, const char *path, abdb_error *err)
{
    if (c->read_errno)
        return ABDB_FAIL(err, ABDB_IO, "cannot read what %s says: %s", path,
                         strerror(c->read_errno));
    return ABDB_FAIL(err, ABDB_NOMEM, "what %s says", path);
}

/* Closes a backend's input and waits for its end, or ends its process group; reports processes
 * that escaped. Returns its wait status. */
static int close_stdin_await_or_kill_group_and_reap(abdb_child *c, bool kill_now)
{
    abdb_program *p = &c->process;
    int status;

    if (!p->pid) return 0;
    close(p->in); /* which tells it to go */
    p->in = -1;
    if (kill_now) { /* and so does that nobody reads it: it may wait for just that */
        close(p->out);
        p->out = -1;
    }
    if (kill_now || !abdb_program_wait_until_ended(p, ABDB_GRACE_S, c->stop)) {
        /* The whole group: what the backend has started itself, too. */
        kill(-p->pid, SIGTERM);
        abdb_program_wait_until_ended(p, ABDB_GRACE_S, c->stop);
    }
    status = abdb_program_kill_and_reap(p);
    if (*p->escaped && c->options->escaped)
        c->options->escaped(c->options->self, c->options->path, p->escaped);
    abdb_text_free(&c->buffer);
    abdb_text_free(&c->line);
    return status;
}

bool abdb_child_interrupt_process_group(const abdb_child *c)
{
    return kill(-c->process.pid, c->launched ? SIGUSR2 : SIGINT) == 0;
}

int abdb_child_close_stdin_await_exit_or_kill(abdb_child *c)
{
    return close_stdin_await_or_kill_group_and_reap(c, false);
}

int abdb_child_terminate_group_and_reap(abdb_child *c)
{
    return close_stdin_await_or_kill_group_and_reap(c, true);
}

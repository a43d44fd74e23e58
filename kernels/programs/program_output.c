/* program_output.c - see program_output.h. */
#include "kernels/programs/program_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CHUNK = 65536, PIPE_SIZE = 1 << 20 };

ssize_t abdb_program_output_drain(abdb_program_output *o)
{
    static char chunk[CHUNK];
    ssize_t all = 0, size;

    while (o->pipe[0] >= 0 && all < PIPE_SIZE &&
           (size = read(o->pipe[0], chunk, sizeof chunk)) > 0) {
        size_t came = (size_t)size;
        size_t keep = o->size < CHUNK - came ? o->size : CHUNK - came;

        all += size;
        if (!o->tail) continue;
        for (size_t i = 0; i < came; i++)
            if (!chunk[i]) chunk[i] = ' ';
        memmove(o->tail, o->tail + o->size - keep, keep);
        memcpy(o->tail + keep, chunk, came);
        o->size = keep + came;
        o->tail[o->size] = '\0';
    }
    return all;
}

void abdb_program_output_open(abdb_program_output *o, const char *output, bool keep, char *why,
                              size_t room)
{
    static const char database[] = "SQLite format 3";
    char start[sizeof database] = "";
    int file;

    if (!output || strcmp(output, "null") == 0) output = keep ? "pipe" : NULL;
    if (!output) return;
    if (strcmp(output, "pipe") == 0) {
        if (pipe2(o->pipe, O_CLOEXEC) != 0) {
            snprintf(why, room, "no pipe for its output: %s", strerror(errno));
            return;
        }
        fcntl(o->pipe[0], F_SETFL, O_NONBLOCK);
        fcntl(o->pipe[0], F_SETPIPE_SZ, PIPE_SIZE);
        if (keep && !(o->tail = calloc(1, CHUNK + 1))) snprintf(why, room, "no memory");
        return;
    }
    file = open(output, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (file >= 0 && read(file, start, sizeof database) == sizeof database &&
        memcmp(start, database, sizeof database) == 0)
        snprintf(why, room, "--output: %.200s is a database, which is not replaced", output);
    if (file >= 0) close(file);
    if (*why) return;
    o->file = open(output, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (o->file < 0) snprintf(why, room, "--output: %.200s: %s", output, strerror(errno));
}

int abdb_program_output_file(const abdb_program_output *o)
{
    return o->pipe[1] >= 0 ? o->pipe[1] : o->file;
}

const char *abdb_program_output_name(const abdb_program_output *o)
{
    return o->pipe[0] >= 0 ? "pipe" : o->file >= 0 ? "file" : "null";
}

void abdb_program_output_forget(abdb_program_output *o)
{
    o->size = 0;
    if (o->tail) *o->tail = '\0';
}

void abdb_program_output_close(abdb_program_output *o)
{
    for (int i = 0; i < 2; i++)
        if (o->pipe[i] >= 0) close(o->pipe[i]);
    if (o->file >= 0) close(o->file);
    free(o->tail);
}

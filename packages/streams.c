/* streams.c - the standard streams for archives of libraries that are linked into a shared object;
 * see static.mk. */
#include <stdio.h>

#define HIDDEN __attribute__((visibility("hidden")))
extern FILE *abdb_stdin, *abdb_stdout, *abdb_stderr;
HIDDEN FILE *abdb_stdin, *abdb_stdout, *abdb_stderr;

__attribute__((constructor)) static void set_standard_stream_aliases(void)
{
    abdb_stdin = stdin;
    abdb_stdout = stdout;
    abdb_stderr = stderr;
}

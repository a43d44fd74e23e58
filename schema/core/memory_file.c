/* memory_file.c - see memory_file.h. */
#include "schema/core/memory_file.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int abdb_memory_file_open(const void *data, size_t size, abdb_error *err)
{
    int file = memfd_create("abdb", MFD_CLOEXEC);
    size_t done = 0;

    while (file >= 0 && done < size) {
        ssize_t put = write(file, (const char *)data + done, size - done);

        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) {
            close(file);
            file = -1;
        } else {
            done += (size_t)put;
        }
    }
    if (file >= 0) lseek(file, 0, SEEK_SET);
    if (file < 0) (void)ABDB_FAIL(err, ABDB_IO, "no room for a copy: %s", strerror(errno));
    return file;
}

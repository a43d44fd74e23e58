/* weights_file.c - a file of numbers in memory, whatever its format; see weights_file.h. */
#include "kernels/workloads/weights_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FORGET_BYTES = 4 << 20 };

/* Maps a regular file. ABDB_IO: it cannot be read; ABDB_FORMAT: too short for either format. */
static abdb_status map_file_read_only(abdb_weights_file *f, const char *path, abdb_error *err)
{
    struct stat of;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    void *map = MAP_FAILED;
    abdb_status st = ABDB_OK;

    if (file < 0 || fstat(file, &of) != 0 || !S_ISREG(of.st_mode))
        TRY(ABDB_FAIL(err, ABDB_IO, "%s: %s", path, file < 0 ? strerror(errno) : "no file"));
    if (of.st_size < ABDB_SAVED_LEAST)
        TRY(ABDB_FAIL(err, ABDB_FORMAT, "%s: byte 0: %lld bytes are no safetensors and no GGUF",
                      path, (long long)of.st_size));
    map = mmap(NULL, (size_t)of.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    if (map == MAP_FAILED) TRY(ABDB_FAIL(err, ABDB_IO, "%s: %s", path, strerror(errno)));
    f->map = map;
    f->size = (size_t)of.st_size;
done:
    if (file >= 0) close(file);
    return st;
}

abdb_status abdb_weights_file_map_and_parse(abdb_weights_file *f, const char *path, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    *f = (abdb_weights_file){0};
    TRY(map_file_read_only(f, path, err));
    /* As a length of safetensors' header these would be more than that may have. */
    f->gguf = memcmp(f->map, "GGUF", 4) == 0;
    st = f->gguf ? abdb_gguf_parse_tensors(f, path, err)
                 : abdb_safetensors_parse_tensors(f, path, err);
    for (size_t i = 0; i < f->count; i++) f->saved[i].mapped = true;
done:
    if (st != ABDB_OK) abdb_weights_file_close(f);
    return st;
}

void abdb_weights_file_close(abdb_weights_file *f)
{
    for (size_t i = 0; i < f->count; i++) free(f->saved[i].name);
    free(f->saved);
    if (f->map) munmap(f->map, f->size);
    *f = (abdb_weights_file){0};
}

const abdb_file_tensor *abdb_weights_file_find_tensor(const abdb_weights_file *f, const char *name)
{
    for (size_t i = 0; i < f->count; i++)
        if (strcmp(f->saved[i].name, name) == 0) return &f->saved[i];
    return NULL;
}

/* Rows are read about in order: those behind leave the memory of the process (not the system's), or
 * the file would count in the most that it held. */
static void release_file_pages_of_rows_read(const abdb_file_tensor *saved, size_t row, size_t bytes)
{
    size_t block = FORGET_BYTES / bytes + 1, page = (size_t)sysconf(_SC_PAGESIZE);
    uintptr_t from = (uintptr_t)(saved->data + row / block * block * bytes),
              to = (uintptr_t)(saved->data + (row + 1) * bytes);

    if (!saved->mapped || ((row + 1) % block && row + 1 != saved->rows)) return;
    from = (from + page - 1) / page * page;
    to = to / page * page;
    if (to > from) (void)madvise((void *)from, to - from, MADV_DONTNEED);
}

void abdb_file_tensor_read_row_as_f32(const abdb_file_tensor *saved, size_t row, float *out)
{
    size_t size = saved->dtype == ABDB_F32 ? 4 : 2;
    const unsigned char *in = saved->data + row * saved->columns * size;

    for (size_t i = 0; i < saved->columns; i++, in += size) {
        uint16_t half = (uint16_t)(in[0] | in[1] << 8);
        uint32_t bits =
            size == 4 ? half | (uint32_t)in[2] << 16 | (uint32_t)in[3] << 24 : (uint32_t)half << 16;

        if (saved->dtype == ABDB_F16)
            out[i] = abdb_f16_to_f32(half);
        else
            memcpy(&out[i], &bits, sizeof bits); /* the upper half of an f32 is a bf16 */
    }
    release_file_pages_of_rows_read(saved, row, saved->columns * size);
}

/* program_cache.c - files of $XDG_CACHE_HOME/abdb/opencl (or ~/.cache), named by a digest of their
 * key: a line "abdb-opencl-1 KEY-SIZE SIZE CHECK", the key, the bytes. See program_cache.h. */
#include "kernels/providers/opencl/program_cache.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "schema/core/number.h"
#include "schema/core/outfile.h"

enum { HEADER = 128, PATH = 1024 };
static const char magic[] = "abdb-opencl-1";
static const size_t size_most = (size_t)1 << 28;

/* FNV-1a, Fowler, Noll and Vo, 64 bits: the whole key is compared besides. */
static uint64_t fnv1a_update(uint64_t sum, const void *data, size_t size)
{
    const unsigned char *byte = data;

    for (size_t i = 0; i < size; i++) sum = (sum ^ byte[i]) * 0x100000001B3u;
    return sum;
}

static uint64_t checksum_of_key_and_data(const char *key, const void *data, size_t size)
{
    return fnv1a_update(fnv1a_update(0xCBF29CE484222325u, key, strlen(key)), data, size);
}

/* The file of a key; make_folders creates its folders. False: there is no place for it. */
static bool cache_path_of_key_making_folders(const char *key, bool make_folders, char *out)
{
    const char *base = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    bool own = base && *base == '/';
    int size;

    if (!own && !(home && *home == '/')) return false;
    size = snprintf(out, PATH, "%s%s/abdb/opencl/%016" PRIx64, own ? base : home,
                    own ? "" : "/.cache", checksum_of_key_and_data(key, "", 0));
    if (size >= PATH) return false;
    for (char *slash = strchr(out + 1, '/'); make_folders && slash;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(out, 0777) != 0 && errno != EEXIST && errno != EROFS) return false;
        *slash = '/';
    }
    return true;
}

unsigned char *abdb_cl_cache_read_if_intact(const char *key, size_t *size)
{
    char path[PATH], header[HEADER], *kept = NULL;
    unsigned char *data = NULL;
    size_t key_size = 0;
    uint64_t check = 0;
    FILE *file = cache_path_of_key_making_folders(key, false, path) ? fopen(path, "rb") : NULL;
    bool ok =
        file && fgets(header, sizeof header, file) && strncmp(header, magic, sizeof magic - 1) == 0;

    if (ok) {
        const char *at = header + sizeof magic - 1;
        unsigned long long number[3] = {0};

        at += abdb_digits_parse_prefix(at, 10, &number[0]);
        at += abdb_digits_parse_prefix(at, 10, &number[1]);
        (void)abdb_digits_parse_prefix(at, 16, &number[2]);
        key_size = number[0];
        *size = number[1];
        check = number[2];
        ok = key_size == strlen(key) && *size && *size < size_most;
    }
    if (ok) {
        kept = malloc(key_size);
        data = malloc(*size);
        ok = kept && data && fread(kept, 1, key_size, file) == key_size &&
             fread(data, 1, *size, file) == *size && memcmp(kept, key, key_size) == 0 &&
             checksum_of_key_and_data(key, data, *size) == check;
    }
    if (file) fclose(file);
    free(kept);
    if (ok) return data;
    free(data);
    return NULL;
}

void abdb_cl_cache_write_ignoring_errors(const char *key, const void *data, size_t size)
{
    char path[PATH];
    abdb_outfile out = {0};
    abdb_error err;

    if (!cache_path_of_key_making_folders(key, true, path) ||
        abdb_outfile_open_refusing_protected(&out, path, &err) != ABDB_OK)
        return;
    fprintf(out.file, "%s %zu %zu %" PRIx64 "\n%s", magic, strlen(key), size,
            checksum_of_key_and_data(key, data, size), key);
    fwrite(data, 1, size, out.file);
    (void)!abdb_outfile_commit(&out, &err);
    abdb_outfile_discard(&out);
}

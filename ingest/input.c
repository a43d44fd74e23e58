/* input.c - files as bytes and as UTF-8 text; see importer.h. Encodings by iconv: UTF-16 with a
 * byte order mark (a lone last byte, which an editor appended, is dropped and said), UTF-8 with or
 * without one, and Windows-1252 for what is no valid UTF-8. */
#include <errno.h>
#include <fcntl.h>
#include <iconv.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ingest/importer.h"

static bool valid_utf8(const char *data, size_t size)
{
    iconv_t converter = iconv_open("UTF-8", "UTF-8");
    char chunk[4096], *in = (char *)(size_t)data, *out;
    size_t left = size, room;
    bool valid = true;

    if (converter == (iconv_t)-1) return false;
    while (left && valid) {
        out = chunk;
        room = sizeof chunk;
        if (iconv(converter, &in, &left, &out, &room) == (size_t)-1 && errno != E2BIG)
            valid = false;
    }
    iconv_close(converter);
    return valid;
}

static abdb_status convert(abdb_input *input, const char *from, const unsigned char *data,
                           size_t size, abdb_error *err)
{
    iconv_t converter = iconv_open("UTF-8", from);
    size_t room = 3 * size + 16, left = size;
    char *in = (char *)(size_t)data, *out;
    abdb_status st = ABDB_OK;

    if (converter == (iconv_t)-1) return ABDB_FAIL(err, ABDB_IO, "iconv knows no %s", from);
    input->decoded = out = malloc(room);
    if (!out)
        st = ABDB_FAIL(err, ABDB_NOMEM, "text of %zu bytes", size);
    else if (iconv(converter, &in, &left, &out, &room) == (size_t)-1)
        st = ABDB_FAIL(err, ABDB_DATA, "byte %zu is not valid %s; the file is truncated or damaged",
                       (size_t)(in - (char *)(size_t)data), from);
    iconv_close(converter);
    if (st != ABDB_OK) return st;
    input->text = input->decoded;
    input->text_size = (size_t)(out - (char *)input->decoded);
    return ABDB_OK;
}

static abdb_status decode(abdb_input *in, abdb_error *err)
{
    const unsigned char *d = in->data;

    in->encoding = "UTF-8";
    in->text = (const char *)d;
    in->text_size = in->size;
    if (in->size >= 2 && ((d[0] == 0xFF && d[1] == 0xFE) || (d[0] == 0xFE && d[1] == 0xFF))) {
        size_t size = in->size - 2;

        in->encoding = d[0] == 0xFF ? "UTF-16LE" : "UTF-16BE";
        if (size % 2) {
            in->remark = "an odd number of bytes in UTF-16: the last byte was dropped";
            size--;
        }
        return convert(in, in->encoding, d + 2, size, err);
    }
    if (in->size >= 3 && memcmp(d, "\xEF\xBB\xBF", 3) == 0) {
        in->text += 3;
        in->text_size -= 3;
    }
    if (memchr(in->text, 0, in->text_size) || valid_utf8(in->text, in->text_size)) return ABDB_OK;
    in->encoding = "WINDOWS-1252";
    in->remark = "not valid UTF-8: read as Windows-1252";
    if (convert(in, in->encoding, d, in->size, err) == ABDB_OK) return ABDB_OK;
    free(in->decoded);
    in->decoded = NULL;
    in->encoding = "ISO-8859-1";
    return convert(in, in->encoding, d, in->size, err);
}

abdb_status abdb_input_memory(abdb_input *out, const char *path, const void *data, size_t size,
                              abdb_error *err)
{
    *out = (abdb_input){.path = path, .data = data, .size = size};
    return decode(out, err);
}

abdb_status abdb_input_open(abdb_input *out, const char *path, abdb_error *err)
{
    struct stat info;
    void *map = NULL;
    int file = open(path, O_RDONLY | O_CLOEXEC);
    abdb_status st = ABDB_OK;

    *out = (abdb_input){.path = path};
    if (file < 0) return ABDB_FAIL(err, ABDB_IO, "cannot open: %s", strerror(errno));
    if (fstat(file, &info) != 0) TRY(ABDB_FAIL(err, ABDB_IO, "%s", strerror(errno)));
    if (S_ISDIR(info.st_mode)) TRY(ABDB_FAIL(err, ABDB_IO, "is a directory"));
    if (!S_ISREG(info.st_mode)) TRY(ABDB_FAIL(err, ABDB_IO, "not a regular file"));
    if (info.st_size > ABDB_INPUT_SIZE_MAX)
        TRY(ABDB_FAIL(err, ABDB_LIMIT, "%lld bytes; at most %d are read from one file",
                      (long long)info.st_size, ABDB_INPUT_SIZE_MAX));
    if (info.st_size) {
        map = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        if (map == MAP_FAILED) TRY(ABDB_FAIL(err, ABDB_IO, "cannot read: %s", strerror(errno)));
    }
    st = abdb_input_memory(out, path, map ? map : "", (size_t)info.st_size, err);
    out->map = map;
done:
    close(file);
    if (st != ABDB_OK) abdb_input_close(out);
    return st;
}

void abdb_input_close(abdb_input *in)
{
    if (in->map) munmap(in->map, in->size);
    free(in->decoded);
    *in = (abdb_input){0};
}

/* input_file.c - files as bytes and as UTF-8 text; see importer.h. Encodings by iconv: UTF-16 with
 * a byte order mark (a lone last byte, which an editor appended, is dropped) or without one, UTF-8
 * with or without one, and Windows-1252 for what is no valid UTF-8; a remark names what was
 * guessed, dropped or taken off. */
#include <errno.h>
#include <fcntl.h>
#include <iconv.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ingest/importer.h"

/* How many of the first bytes are ASCII. */
static size_t ascii_prefix_length(const char *data, size_t size)
{
    size_t i = 0;
    unsigned long long word;

    for (; i + sizeof word <= size; i += sizeof word) {
        memcpy(&word, data + i, sizeof word);
        /* Eight bytes at a time: a byte that is no ASCII has its highest bit set. */
        if (word & 0x8080808080808080ULL) break;
    }
    while (i < size && !((unsigned char)data[i] & 0x80)) i++;
    return i;
}

/* UTF-8 to UTF-8 by iconv is a validation; what it writes is thrown away. E2BIG says only that the
 * chunk is full. */
static bool is_valid_utf8(const char *data, size_t size)
{
    char chunk[4096], *in = (char *)(size_t)data, *out;
    size_t left = size, room;
    bool valid = true;
    iconv_t converter;

    if (!size) return true;
    converter = iconv_open("UTF-8", "UTF-8");
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

/* Converts the bytes of a file from a character set to UTF-8, which the input then owns. */
static abdb_status convert_input_to_utf8(abdb_input *input, const char *from,
                                         const unsigned char *data, size_t size, abdb_error *err)
{
    iconv_t converter = iconv_open("UTF-8", from);
    /* A byte becomes at most three of UTF-8 (Windows-1252's euro sign); two of UTF-16 likewise. */
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

/* Is the text valid UTF-8, or what no text is (NUL bytes)? Such text stays as it is. */
static bool is_utf8_or_binary(const abdb_input *in)
{
    enum { PIECE = 1 << 22 };
    size_t ascii = 0;

    for (size_t piece = PIECE; piece == PIECE && ascii < in->text_size;) {
        size_t left = in->text_size - ascii;

        piece = ascii_prefix_length(in->text + ascii, left < PIECE ? left : PIECE);
        if (memchr(in->text + ascii, 0, piece)) return true;
        ascii += piece;
        abdb_input_release_pages(in, ascii);
    }
    return memchr(in->text + ascii, 0, in->text_size - ascii) ||
           is_valid_utf8(in->text + ascii, in->text_size - ascii);
}

/* UTF-16 without a byte order mark: of text in Latin letters every other byte is NUL, and no other.
 * NULL: it is none. */
static const char *guess_bomless_utf16_charset(const unsigned char *d, size_t size)
{
    enum { LOOK = 512 };
    size_t nul[2] = {0, 0}, look = size < LOOK ? size / 2 * 2 : LOOK;

    if (look < 8) return NULL;
    for (size_t i = 0; i < look; i++) nul[i % 2] += d[i] == 0;
    if (nul[1] >= look / 2 - look / 16 && nul[0] == 0) return "UTF-16LE";
    return nul[0] >= look / 2 - look / 16 && nul[1] == 0 ? "UTF-16BE" : NULL;
}

/* "\033[1;32m" and "\033[K": how many bytes; 0: something else. */
static size_t size_of_colour_code(const char *s, const char *end)
{
    const char *at;

    if (end - s < 3 || s[0] != '\033' || s[1] != '[') return 0;
    at = s + 2;
    while (at < end && ((*at >= '0' && *at <= '9') || *at == ';')) at++;
    return at < end && (*at == 'm' || *at == 'K') ? (size_t)(at + 1 - s) : 0;
}

/* Where the next colour code begins; end: there is none. */
static const char *find_colour_code_or_end(const char *s, const char *end)
{
    while ((s = memchr(s, '\033', (size_t)(end - s))) && !size_of_colour_code(s, end)) s++;
    return s ? s : end;
}

/* What a program printed for a terminal, without its colours. An archive, which has a NUL among its
 * first bytes, has none. */
static abdb_status remove_colour_codes(abdb_input *in, abdb_error *err)
{
    enum { LOOK = 4096 };
    const char *s = in->text, *end = s + in->text_size, *code = find_colour_code_or_end(s, end);
    char *out, *at;

    if (code == end || memchr(s, 0, in->text_size < LOOK ? in->text_size : LOOK)) return ABDB_OK;
    out = at = malloc(in->text_size);
    if (!out) return ABDB_FAIL(err, ABDB_NOMEM, "%zu bytes", in->text_size);
    for (; s < end; s = code + size_of_colour_code(code, end)) {
        code = find_colour_code_or_end(s, end);
        memcpy(at, s, (size_t)(code - s));
        at += code - s;
    }
    free(in->decoded);
    in->decoded = out;
    in->text = out;
    in->text_size = (size_t)(at - out);
    if (!in->remark) in->remark = "colour codes of a terminal were taken off";
    return ABDB_OK;
}

/* By falling certainty: a byte order mark, valid UTF-8, Windows-1252, and ISO-8859-1, which takes
 * every byte, where even that has holes. */
static abdb_status detect_encoding_and_decode(abdb_input *in, abdb_error *err)
{
    const unsigned char *d = in->data;
    size_t size;

    in->encoding = "UTF-8";
    in->text = (const char *)d;
    in->text_size = in->size;
    if (in->size >= 2 && ((d[0] == 0xFF && d[1] == 0xFE) || (d[0] == 0xFE && d[1] == 0xFF))) {
        size = in->size - 2;
        in->encoding = d[0] == 0xFF ? "UTF-16LE" : "UTF-16BE";
        if (size % 2) {
            in->remark = "an odd number of bytes in UTF-16: the last byte was dropped";
            size--;
        }
        return convert_input_to_utf8(in, in->encoding, d + 2, size, err);
    }
    if (guess_bomless_utf16_charset(d, in->size)) {
        in->encoding = guess_bomless_utf16_charset(d, in->size);
        in->remark = "UTF-16 without a byte order mark";
        return convert_input_to_utf8(in, in->encoding, d, in->size / 2 * 2, err);
    }
    if (in->size >= 3 && memcmp(d, "\xEF\xBB\xBF", 3) == 0) {
        in->text += 3;
        in->text_size -= 3;
    }
    if (is_utf8_or_binary(in)) return ABDB_OK;
    in->encoding = "WINDOWS-1252";
    in->remark = "not valid UTF-8: read as Windows-1252";
    d = (const unsigned char *)in->text; /* behind the mark */
    size = in->text_size;
    if (convert_input_to_utf8(in, in->encoding, d, size, err) == ABDB_OK) return ABDB_OK;
    free(in->decoded);
    in->decoded = NULL;
    in->encoding = "ISO-8859-1";
    return convert_input_to_utf8(in, in->encoding, d, size, err);
}

static abdb_status decode_input_and_remove_colours(abdb_input *in, abdb_error *err)
{
    abdb_status st = detect_encoding_and_decode(in, err);

    return st == ABDB_OK ? remove_colour_codes(in, err) : st;
}

abdb_status abdb_input_decode_memory_to_utf8(abdb_input *out, const char *path, const void *data,
                                             size_t size, abdb_error *err)
{
    *out = (abdb_input){.path = path, .data = data, .size = size};
    return decode_input_and_remove_colours(out, err);
}

void abdb_input_release_pages(const abdb_input *in, size_t upto)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);

    /* A private mapping that is only read: the pages come back from the file when they are asked
     * for again. */
    if (in->map && !in->decoded) madvise(in->map, upto / page * page, MADV_DONTNEED);
}

/* A file as an input; it may be closed afterwards. */
static abdb_status map_file_and_decode(abdb_input *out, const char *path, int file, size_t size,
                                       abdb_error *err)
{
    void *map = NULL;

    *out = (abdb_input){.path = path, .data = (const unsigned char *)"", .size = size};
    if (size) {
        map = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
        if (map == MAP_FAILED) return ABDB_FAIL(err, ABDB_IO, "cannot read: %s", strerror(errno));
        out->map = map;
        out->data = map;
    }
    return decode_input_and_remove_colours(out, err);
}

abdb_status abdb_input_map_file_and_decode(abdb_input *out, const char *path, abdb_error *err)
{
    struct stat info;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* of a pipe: at once, to refuse it */
    abdb_status st = ABDB_OK;

    *out = (abdb_input){.path = path};
    if (file < 0) return ABDB_FAIL(err, ABDB_IO, "cannot open: %s", strerror(errno));
    if (fstat(file, &info) != 0) TRY(ABDB_FAIL(err, ABDB_IO, "%s", strerror(errno)));
    if (S_ISDIR(info.st_mode)) TRY(ABDB_FAIL(err, ABDB_IO, "is a directory"));
    if (!S_ISREG(info.st_mode)) TRY(ABDB_FAIL(err, ABDB_IO, "not a regular file"));
    if (info.st_size > ABDB_INPUT_SIZE_MAX)
        TRY(ABDB_FAIL(err, ABDB_LIMIT, "%lld bytes; at most %d are read from one file",
                      (long long)info.st_size, ABDB_INPUT_SIZE_MAX));
    st = map_file_and_decode(out, path, file, (size_t)info.st_size, err);
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

/* --- bytes that arrive in pieces -------------------------------------------------------------- */

/* A file without a name. */
static abdb_status create_unnamed_spool_file(abdb_spool *spool, abdb_error *err)
{
    const char *folder = getenv("TMPDIR");

    if (!folder || !*folder) folder = "/var/tmp";
    /* /var/tmp rather than /tmp: the latter is often memory, which is what a spool is to save. */
    spool->file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (spool->file < 0) { /* a file system without such files */
        char path[1024];

        snprintf(path, sizeof path, "%s/abdb-XXXXXX", folder);
        spool->file = mkostemp(path, O_CLOEXEC);
        if (spool->file >= 0) unlink(path);
    }
    /* 0 stands for "no file" in abdb_spool, so a descriptor 0 (standard input was closed) is
     * refused too. */
    if (spool->file > 0) return ABDB_OK;
    spool->file = 0;
    return ABDB_FAIL(err, ABDB_IO, "%s: no room for a large member: %s; TMPDIR names a folder",
                     folder, strerror(errno));
}

/* Writes all bytes to the temporary file of a large member. ABDB_IO: TMPDIR is full. */
static abdb_status write_all_bytes_to_spool(int file, const char *data, size_t size,
                                            abdb_error *err)
{
    while (size) {
        ssize_t put = write(file, data, size);

        if (put < 0 && errno == EINTR) continue;
        if (put <= 0)
            return ABDB_FAIL(err, ABDB_IO, "TMPDIR: no room for a large member: %s",
                             strerror(errno));
        data += put;
        size -= (size_t)put;
    }
    return ABDB_OK;
}

abdb_status abdb_spool_append_to_memory_or_file(abdb_spool *spool, const void *data, size_t size,
                                                abdb_error *err)
{
    abdb_status st = ABDB_OK;

    spool->size += size;
    if (spool->size > ABDB_INPUT_SIZE_MAX)
        return ABDB_FAIL(err, ABDB_LIMIT, "more than %d bytes", ABDB_INPUT_SIZE_MAX);
    if (!spool->file && spool->size <= ABDB_SPOOL_MEMORY) {
        abdb_text_add(&spool->text, data, size);
        return spool->text.failed ? ABDB_FAIL(err, ABDB_NOMEM, "%zu bytes", spool->size) : ABDB_OK;
    }
    if (!spool->file) {
        TRY(create_unnamed_spool_file(spool, err));
        TRY(write_all_bytes_to_spool(spool->file, abdb_text_get(&spool->text), spool->text.size,
                                     err));
        abdb_text_free(&spool->text);
    }
    TRY(write_all_bytes_to_spool(spool->file, data, size, err));
done:
    return st;
}

abdb_status abdb_spool_append_rest_of_file(abdb_spool *spool, int file, abdb_error *err)
{
    char chunk[65536];
    ssize_t got;
    abdb_status st = ABDB_OK;

    while ((got = read(file, chunk, sizeof chunk)) != 0) {
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) TRY(ABDB_FAIL(err, ABDB_IO, "cannot read: %s", strerror(errno)));
        TRY(abdb_spool_append_to_memory_or_file(spool, chunk, (size_t)got, err));
    }
done:
    return st;
}

abdb_status abdb_spool_open_as_input(abdb_spool *spool, abdb_input *out, const char *path,
                                     abdb_error *err)
{
    if (spool->file) return map_file_and_decode(out, path, spool->file, spool->size, err);
    return abdb_input_decode_memory_to_utf8(out, path, abdb_text_get(&spool->text), spool->size,
                                            err);
}

void abdb_spool_clear(abdb_spool *spool)
{
    enum { KEPT = 1 << 20 };

    if (spool->file > 0) close(spool->file);
    if (spool->text.room > KEPT || spool->text.failed) abdb_text_free(&spool->text);
    abdb_text_clear(&spool->text);
    spool->size = 0;
    spool->file = 0;
}

void abdb_spool_free(abdb_spool *spool)
{
    if (spool->file > 0) close(spool->file);
    abdb_text_free(&spool->text);
    *spool = (abdb_spool){0};
}

/* provenance.c - a text carried by a picture or page; see provenance.h. */
#include "plots/provenance.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <zlib.h>

#include "plots/png_chunk.h"
#include "schema/core/outguard.h"

static const char png_head[] = "\x89PNG\r\n\x1a\n", svg_begin[] = "<metadata id=\"abdb\">",
                  svg_end[] = "</metadata>\n", html_begin[] = "<meta name=\"abdb\" content=\"",
                  html_end[] = "\">\n",
                  page_begin[] = "<script type=\"application/json\" id=\"abdb\">",
                  page_end[] = "</script>\n",
                  /* begins the update of a PDF; a comment to readers */
    pdf_begin[] = "%abdb\n";
/* keyword, no compression, no language, no translated keyword */
static const char png_keyword[] = "abdb\0\0\0\0";
enum { PNG_HEAD = 8, PNG_WORD = 9, PNG_CHUNK = 12 };

/* The last place of a text; NULL: nowhere. */
static const char *find_last_text(const char *data, size_t size, const char *text)
{
    size_t length = strlen(text);

    for (size_t at = size >= length ? size - length + 1 : 0; at-- > 0;)
        if (data[at] == *text && memcmp(data + at, text, length) == 0) return data + at;
    return NULL;
}

static const char *find_first_text(const char *data, size_t size, const char *text)
{
    return memmem(data, size, text, strlen(text));
}

abdb_picture abdb_picture_kind_of_bytes(const char *data, size_t size)
{
    if (size > PNG_HEAD && memcmp(data, png_head, PNG_HEAD) == 0) return ABDB_PNG;
    if (size > 5 && memcmp(data, "%PDF-", 5) == 0) return ABDB_PDF;
    if (size > 5 && find_first_text(data, size < 512 ? size : 512, "<svg")) return ABDB_SVG;
    if (size > 5 && find_first_text(data, size < 512 ? size : 512, "<!DOCTYPE "))
        return ABDB_CANVAS;
    return ABDB_PICTURES;
}

/* --- XML and HTML ---------------------------------------------------------------------------- */

static const struct {
    char letter;
    const char *entity;
} entities[] = {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}};
enum { ENTITIES = 4, OF_WORDS = 3 }; /* OF_WORDS: of these outside of attributes */

/* Adds text with the first `most` letters of `entities` replaced. */
static void append_xml_escaped(abdb_text *out, const char *text, size_t most)
{
    for (; *text; text++) {
        size_t i = 0;

        while (i < most && entities[i].letter != *text) i++;
        if (i < most)
            abdb_text_puts(out, entities[i].entity);
        else
            abdb_text_add(out, text, 1);
    }
}

/* Adds text with all entities replaced by their letters. */
static void append_xml_unescaped(abdb_text *out, const char *text, size_t size)
{
    for (size_t at = 0; at < size;) {
        size_t i = 0, length;

        while (i < ENTITIES && (length = strlen(entities[i].entity)) &&
               (length > size - at || memcmp(text + at, entities[i].entity, length) != 0))
            i++;
        if (i < ENTITIES) {
            abdb_text_add(out, &entities[i].letter, 1);
            at += strlen(entities[i].entity);
        } else
            abdb_text_add(out, text + at++, 1);
    }
}

static void insert_provenance_element(const char *data, size_t size, const char *place,
                                      const char *begin, const char *stamp, const char *end,
                                      abdb_text *out)
{
    abdb_text_add(out, data, (size_t)(place - data));
    abdb_text_puts(out, begin);
    append_xml_escaped(out, stamp,
                       begin[strlen(begin) - 1] == '"' ? ENTITIES : OF_WORDS); /* an attribute? */
    abdb_text_puts(out, end);
    abdb_text_add(out, place, size - (size_t)(place - data));
}

/* at: where the stamp begins, or NULL. */
static bool extract_provenance_element(const char *data, size_t size, const char *at,
                                       const char *begin, const char *end, abdb_text *stamp,
                                       abdb_text *rest)
{
    const char *text = at ? at + strlen(begin) : NULL, *stop;

    stop = text ? find_first_text(text, size - (size_t)(text - data), end) : NULL;
    if (!stop) return false;
    append_xml_unescaped(stamp, text, (size_t)(stop - text));
    stop += strlen(end);
    abdb_text_add(rest, data, (size_t)(at - data));
    abdb_text_add(rest, stop, size - (size_t)(stop - data));
    return true;
}

/* --- PNG ------------------------------------------------------------------------------------- */

static size_t read_be32(const char *data)
{
    const unsigned char *d = (const unsigned char *)data;

    return (size_t)d[0] << 24 | (size_t)d[1] << 16 | (size_t)d[2] << 8 | (size_t)d[3];
}

/* The next chunk of that type: its place, or size where there is none; *length of its data. False:
 * the chunks do not fit the file. */
static bool find_start_of_next_png_chunk_of_type(const char *data, size_t size, const char *type,
                                                 size_t *chunk_start, size_t *length)
{
    while (*chunk_start + PNG_CHUNK <= size) {
        *length = read_be32(data + *chunk_start);
        if (*length > size - *chunk_start - PNG_CHUNK) return false;
        if (memcmp(data + *chunk_start + 4, type, 4) == 0) return true;
        *chunk_start += *length + PNG_CHUNK;
    }
    *chunk_start = size;
    return true;
}

/* Adds to out the PNG with the stamp in a chunk iTXt before its end; data that is no PNG is added
 * unchanged. */
static void insert_png_provenance(const char *data, size_t size, const char *stamp, abdb_text *out)
{
    size_t at = PNG_HEAD, length;
    abdb_text chunk = {0};

    if (!find_start_of_next_png_chunk_of_type(data, size, "IEND", &at, &length) || at == size)
        at = size;
    abdb_text_add(out, data, at);
    if (at < size) {
        abdb_text_add(&chunk, png_keyword, PNG_WORD);
        abdb_text_add(&chunk, stamp, strlen(stamp));
        abdb_png_append_chunk(out, "iTXt", chunk.data, chunk.size);
        abdb_text_add(out, data + at, size - at);
    }
    out->failed |= chunk.failed;
    abdb_text_free(&chunk);
}

/* Takes the stamp out of a PNG: *stamp, and *rest without its chunk. False: there is none, or
 * its checksum is wrong. */
static bool extract_png_provenance(const char *data, size_t size, abdb_text *stamp, abdb_text *rest)
{
    size_t at = PNG_HEAD, length = 0;

    while (find_start_of_next_png_chunk_of_type(data, size, "iTXt", &at, &length) && at < size) {
        const char *text = data + at + 8;

        if (length > PNG_WORD && memcmp(text, png_keyword, PNG_WORD) == 0) {
            if (read_be32(text + length) !=
                crc32(0, (const unsigned char *)data + at + 4, (uInt)length + 4))
                return false;
            abdb_text_add(stamp, text + PNG_WORD, length - PNG_WORD);
            abdb_text_add(rest, data, at);
            abdb_text_add(rest, data + at + length + PNG_CHUNK, size - at - length - PNG_CHUNK);
            return true;
        }
        at += length + PNG_CHUNK;
    }
    return false;
}

/* --- PDF ------------------------------------------------------------------------------------- */

/* A whole number behind a word of the trailer ("/Size 27"); -1: it is not there. */
static long read_pdf_trailer_number(const char *data, size_t size, const char *word)
{
    const char *trailer = find_last_text(data, size, "trailer"), *at;
    char digits[24];

    at = trailer ? find_first_text(trailer, size - (size_t)(trailer - data), word) : NULL;
    if (!at) return -1;
    at += strlen(word);
    snprintf(digits, sizeof digits, "%.*s",
             (int)(size - (size_t)(at - data) < 22 ? size - (size_t)(at - data) : 22), at);
    return (long)abdb_digits_parse_prefix_up_to_max_or(digits, LONG_MAX, -1);
}

/* The information of the document once more, with the stamp: PDF calls it an incremental update. */
static void append_pdf_provenance(const char *data, size_t size, const char *stamp, abdb_text *out)
{
    long objects = read_pdf_trailer_number(data, size, "/Size "),
         root = read_pdf_trailer_number(data, size, "/Root "),
         info = read_pdf_trailer_number(data, size, "/Info "),
         before = read_pdf_trailer_number(data, size, "startxref\n");
    char name[32];
    const char *old, *end;
    size_t place, table;

    abdb_text_add(out, data, size);
    snprintf(name, sizeof name, "\n%ld 0 obj\n<<", info);
    old = find_first_text(data, size, name);
    end = old ? find_first_text(old, size - (size_t)(old - data), "endobj") : NULL;
    end = end ? find_last_text(old, (size_t)(end - old), ">>") : NULL;
    if (objects < 1 || root < 1 || info < 1 || before < 1 || !end) return;
    abdb_text_puts(out, pdf_begin);
    place = out->size;
    abdb_text_add(out, old + 1, (size_t)(end - old - 1));
    abdb_text_puts(out, "   /abdb (");
    for (const char *s = stamp; *s; s++) {
        if (strchr("()\\", *s)) abdb_text_puts(out, "\\");
        abdb_text_add(out, s, 1);
    }
    abdb_text_puts(out, ")\n>>\nendobj\n");
    table = out->size;
    abdb_text_printf(out,
                     "xref\n%ld 1\n%010zu 00000 n \ntrailer\n<< /Size %ld\n   /Root %ld 0 R\n"
                     "   /Info %ld 0 R\n   /Prev %ld\n>>\nstartxref\n%zu\n%%%%EOF\n",
                     info, place, objects, root, info, before, table);
}

/* A string of PDF at `at`, appended: (text) with its escapes, or <hex>. False: it does not end. */
static bool append_decoded_pdf_string(const char *at, const char *end, abdb_text *out)
{
    static const char letters[] = "nrtbf", meant[] = "\n\r\t\b\f";
    bool is_hex = *at == '<';
    int depth = 1;

    for (at++; at < end; at++) {
        char c = *at;

        if (is_hex) {
            char pair[3] = {c, at + 1 < end ? at[1] : '0', '\0'};
            unsigned long long byte = 0;

            if (c == '>') return true;
            if (!isxdigit((unsigned char)c)) continue;
            (void)abdb_digits_parse_prefix(pair, 16, &byte);
            c = (char)byte;
            at++;
        } else if (c == '\\' && at + 1 < end) {
            const char *known = strchr(letters, *++at);

            c = known ? meant[known - letters] : *at;
            if (*at >= '0' && *at <= '7') {
                char octal[4] = {0};
                unsigned long long byte = 0;

                for (int i = 0; i < 3 && at < end && *at >= '0' && *at <= '7'; i++)
                    octal[i] = *at++;
                (void)abdb_digits_parse_prefix(octal, 8, &byte);
                c = (char)byte;
                at--;
            } else if (*at == '\n')
                continue;
        } else {
            depth += (c == '(') - (c == ')');
            if (!depth) return true;
        }
        abdb_text_add(out, &c, 1);
    }
    return false;
}

/* The last key abdb in a piece of a PDF whose value is a whole string. */
static bool decode_last_pdf_provenance_value(const char *data, size_t size, abdb_text *stamp)
{
    static const char key[] = "/abdb";
    size_t left = size;
    const char *at;

    while ((at = find_last_text(data, left, key))) {
        const char *value = at + sizeof key - 1;

        left = (size_t)(at - data) + sizeof key - 2;
        while (value < data + size && strchr(" \r\n\t", *value)) value++;
        abdb_text_clear(stamp);
        if (value < data + size && (*value == '(' || *value == '<') &&
            append_decoded_pdf_string(value, data + size, stamp))
            return true;
    }
    return false;
}

/* For a PDF of abdb rewritten by another program: the information may be in a compressed stream of
 * objects. */
static bool decode_provenance_in_compressed_pdf_streams(const char *data, size_t size,
                                                        abdb_text *stamp)
{
    const char *at = data, *end = data + size;
    bool found = false;

    while (!found && (at = find_first_text(at, (size_t)(end - at), "/ObjStm"))) {
        const char *begin = find_first_text(at, (size_t)(end - at), "stream");
        unsigned long room = 4 * ABDB_STAMP_MOST;
        unsigned char *whole = begin ? malloc(room) : NULL;

        at++;
        if (!whole) continue;
        begin += strlen("stream");
        while (begin < end && (*begin == '\r' || *begin == '\n')) begin++;
        {
            z_stream z = {.next_in = (unsigned char *)(uintptr_t)begin,
                          .avail_in = (unsigned)(end - begin),
                          .next_out = whole,
                          .avail_out = (unsigned)room};

            if (inflateInit(&z) == Z_OK) {
                (void)inflate(&z, Z_FINISH);
                found = decode_last_pdf_provenance_value((char *)whole, z.total_out, stamp);
                inflateEnd(&z);
            }
        }
        free(whole);
    }
    return found;
}

/* Takes the stamp out of a PDF. Where another program wrote the PDF anew, the stamp alone is
 * found and *rest is the whole file. */
static bool extract_pdf_provenance(const char *data, size_t size, abdb_text *stamp, abdb_text *rest)
{
    const char *begin = find_last_text(data, size, pdf_begin);

    if (begin && decode_last_pdf_provenance_value(begin, size - (size_t)(begin - data), stamp)) {
        abdb_text_add(rest, data, (size_t)(begin - data));
        return true;
    }
    /* rewritten by another program: the bytes are not abdb's, but the stamp may remain */
    abdb_text_add(rest, data, size);
    return decode_last_pdf_provenance_value(data, size, stamp) ||
           decode_provenance_in_compressed_pdf_streams(data, size, stamp);
}

/* --------------------------------------------------------------------------------------------- */

void abdb_provenance_embed(abdb_picture kind, const char *data, size_t size, const char *stamp,
                           abdb_text *out)
{
    const char *place = NULL;

    if (kind == ABDB_SVG) place = find_last_text(data, size, "</svg>");
    if (kind == ABDB_CANVAS) place = find_first_text(data, size, "<head>");
    if (kind == ABDB_CANVAS && place) place += strlen("<head>");
    if (kind == ABDB_SVG && place)
        insert_provenance_element(data, size, place, svg_begin, stamp, svg_end, out);
    else if (kind == ABDB_CANVAS && place)
        insert_provenance_element(data, size, place, html_begin, stamp, html_end, out);
    else if (kind == ABDB_PNG)
        insert_png_provenance(data, size, stamp, out);
    else if (kind == ABDB_PDF)
        append_pdf_provenance(data, size, stamp, out);
    else
        abdb_text_add(out, data, size);
}

void abdb_provenance_embed_in_page(const char *data, size_t size, const char *stamp, abdb_text *out)
{
    const char *place = find_last_text(data, size, "</body>");

    if (!place) place = data + size;
    abdb_text_add(out, data, (size_t)(place - data));
    abdb_text_puts(out, page_begin);
    for (; *stamp; stamp++) /* nothing in it ends the element, or is an entity */
        if (strchr("<>&", *stamp))
            abdb_text_printf(out, "\\u%04x", (unsigned)*stamp);
        else
            abdb_text_add(out, stamp, 1);
    abdb_text_puts(out, page_end);
    abdb_text_add(out, place, size - (size_t)(place - data));
}

abdb_status abdb_provenance_extract(const char *data, size_t size, abdb_text *stamp,
                                    abdb_text *rest, abdb_error *err)
{
    abdb_picture kind = abdb_picture_kind_of_bytes(data, size);
    bool found = false;

    if (kind == ABDB_SVG)
        found = extract_provenance_element(data, size, find_last_text(data, size, svg_begin),
                                           svg_begin, svg_end, stamp, rest);
    else if (kind == ABDB_CANVAS)
        found = extract_provenance_element(data, size, find_last_text(data, size, page_begin),
                                           page_begin, page_end, stamp, rest) ||
                extract_provenance_element(data, size, find_first_text(data, size, html_begin),
                                           html_begin, html_end, stamp, rest);
    else if (kind == ABDB_PNG)
        found = extract_png_provenance(data, size, stamp, rest);
    else if (kind == ABDB_PDF)
        found = extract_pdf_provenance(data, size, stamp, rest);
    if (stamp->failed || rest->failed) return ABDB_FAIL(err, ABDB_NOMEM, "a picture");
    if (!found)
        return ABDB_FAIL(err, ABDB_FORMAT,
                         kind == ABDB_PICTURES
                             ? "no SVG, PNG, PDF or HTML: abdb made no such picture"
                             : "it carries no word of abdb's: made by another program, by an older"
                               " abdb, or stripped of it");
    if (stamp->size > ABDB_STAMP_MOST) return ABDB_FAIL(err, ABDB_LIMIT, "what it carries is huge");
    return ABDB_OK;
}

abdb_status abdb_picture_read_and_guard_from_overwriting(const char *path, abdb_text *out,
                                                         abdb_error *err)
{
    int file = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC), open_error = errno;
    struct stat about;
    char chunk[65536];
    ssize_t size = 0;
    abdb_status st = ABDB_OK;

    TRY(abdb_outguard_protect_input_if_regular(path, err));
    if (file < 0 || fstat(file, &about) != 0)
        TRY(ABDB_FAIL(err, ABDB_IO, "%s: %s", path, strerror(file < 0 ? open_error : errno)));
    if (!S_ISREG(about.st_mode)) TRY(ABDB_FAIL(err, ABDB_FORMAT, "%s: no regular file", path));
    while (out->size <= ABDB_STAMP_FILE_MOST && (size = read(file, chunk, sizeof chunk)) > 0)
        abdb_text_add(out, chunk, (size_t)size);
    if (size < 0) TRY(ABDB_FAIL(err, ABDB_IO, "%s: %s", path, strerror(errno)));
    if (out->size > ABDB_STAMP_FILE_MOST)
        TRY(ABDB_FAIL(err, ABDB_LIMIT, "%s: over %d MiB: abdb made no such picture", path,
                      ABDB_STAMP_FILE_MOST >> 20));
    if (out->failed) TRY(ABDB_FAIL(err, ABDB_NOMEM, "%s", path));
done:
    if (file >= 0) close(file);
    return st;
}

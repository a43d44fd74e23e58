/* gguf.c - tensors of a GGUF file (ggml-org/ggml, docs/gguf.md, versions 2 and 3): counts,
 * metadata, names with shapes and places, then the numbers, little end first. See weights_file.h.
 *
 * Of the metadata only what says how to read the rest is looked at. Numbers of f32, f16 and bf16
 * are read. Q8_0 and Q4_0 have a scale of f16 for each 32 numbers, Q4_0 whole numbers from -8 to 7:
 * our bytes have a scale a column, our four bits go from -7 to 7 (quantise.h), so neither would be
 * the same weights. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/workloads/weights_file.h"

/* Bytes that a pair of metadata and a tensor's entry take at least; arrays within arrays. */
enum { NAME_MOST = 64, DIMENSIONS = 4, PAIR = 13, ENTRY = 24, DEEP = 4, ALIGNMENT = 32 };

/* Types of metadata. */
enum { U16 = 2, U32 = 4, STRING = 8, ARRAY = 9, TYPES = 13 };
static const size_t size_of_type[TYPES] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

/* Types of numbers, by their code. */
static const struct {
    const char *name;
    abdb_dtype dtype;
    size_t size; /* of those that are read */
} forms[] = {[0] = {"F32", ABDB_F32, 4},
             [1] = {"F16", ABDB_F16, 2},
             [2] = {"Q4_0", ABDB_DTYPE_COUNT, 0},
             [3] = {"Q4_1", ABDB_DTYPE_COUNT, 0},
             [6] = {"Q5_0", ABDB_DTYPE_COUNT, 0},
             [7] = {"Q5_1", ABDB_DTYPE_COUNT, 0},
             [8] = {"Q8_0", ABDB_DTYPE_COUNT, 0},
             [9] = {"Q8_1", ABDB_DTYPE_COUNT, 0},
             [10] = {"Q2_K", ABDB_DTYPE_COUNT, 0},
             [11] = {"Q3_K", ABDB_DTYPE_COUNT, 0},
             [12] = {"Q4_K", ABDB_DTYPE_COUNT, 0},
             [13] = {"Q5_K", ABDB_DTYPE_COUNT, 0},
             [14] = {"Q6_K", ABDB_DTYPE_COUNT, 0},
             [15] = {"Q8_K", ABDB_DTYPE_COUNT, 0},
             [16] = {"IQ2_XXS", ABDB_DTYPE_COUNT, 0},
             [17] = {"IQ2_XS", ABDB_DTYPE_COUNT, 0},
             [18] = {"IQ3_XXS", ABDB_DTYPE_COUNT, 0},
             [19] = {"IQ1_S", ABDB_DTYPE_COUNT, 0},
             [20] = {"IQ4_NL", ABDB_DTYPE_COUNT, 0},
             [21] = {"IQ3_S", ABDB_DTYPE_COUNT, 0},
             [22] = {"IQ2_S", ABDB_DTYPE_COUNT, 0},
             [23] = {"IQ4_XS", ABDB_DTYPE_COUNT, 0},
             [24] = {"I8", ABDB_DTYPE_COUNT, 0},
             [25] = {"I16", ABDB_DTYPE_COUNT, 0},
             [26] = {"I32", ABDB_DTYPE_COUNT, 0},
             [27] = {"I64", ABDB_DTYPE_COUNT, 0},
             [28] = {"F64", ABDB_DTYPE_COUNT, 0},
             [29] = {"IQ1_M", ABDB_DTYPE_COUNT, 0},
             [30] = {"BF16", ABDB_BF16, 2},
             [34] = {"TQ1_0", ABDB_DTYPE_COUNT, 0},
             [35] = {"TQ2_0", ABDB_DTYPE_COUNT, 0},
             [39] = {"MXFP4", ABDB_DTYPE_COUNT, 0}};

/* Where in the file; `err` has the reason once `ended`, and from then on everything is 0. */
typedef struct {
    const abdb_weights_file *f;
    const char *path;
    abdb_error *err;
    size_t at, alignment;
    bool ended;
} cursor;

typedef struct {
    const char *text; /* not ended by 0 */
    size_t size;
} text_span;

/* What is wrong where the cursor is; the first stays. */
ABDB_PRINTF(2, 3) static void fail_at_cursor_keeping_first_error(cursor *c, const char *format, ...)
{
    char what[512];
    va_list args;

    if (c->ended) return;
    c->ended = true;
    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    (void)!ABDB_FAIL(c->err, ABDB_FORMAT, "%s: byte %zu: %s", c->path, c->at, what);
}

static size_t bytes_left_in_file(const cursor *c)
{
    return c->ended ? 0 : c->f->size - c->at;
}

/* So many bytes, and beyond them; NULL: there are fewer. */
static const unsigned char *advance_over_bytes_or_fail(cursor *c, uint64_t size)
{
    const unsigned char *at = c->f->map + c->at;

    if (size > bytes_left_in_file(c)) {
        fail_at_cursor_keeping_first_error(
            c, "the file ends within what should be there: copy it again");
        return NULL;
    }
    c->at += size;
    return at;
}

/* A whole number of so many bytes, at most 8. */
static uint64_t read_little_endian_integer(cursor *c, size_t size)
{
    const unsigned char *in = advance_over_bytes_or_fail(c, size);
    uint64_t value = 0;

    for (size_t i = size; in && i-- > 0;) value = value << 8 | in[i];
    return value;
}

static text_span read_length_prefixed_string(cursor *c)
{
    uint64_t size = read_little_endian_integer(c, 8);
    const unsigned char *text = advance_over_bytes_or_fail(c, size);

    return text ? (text_span){(const char *)text, (size_t)size} : (text_span){"", 0};
}

static bool span_equals_text(text_span w, const char *text)
{
    return w.size == strlen(text) && memcmp(w.text, text, w.size) == 0;
}

/* How many of at least `least` bytes each the file can hold. */
static size_t count_or_fail_if_beyond_file(cursor *c, uint64_t n, size_t least, const char *what)
{
    if (n <= bytes_left_in_file(c) / least) return (size_t)n;
    fail_at_cursor_keeping_first_error(c, "%llu %s, and %zu bytes are left: copy it again",
                                       (unsigned long long)n, what, bytes_left_in_file(c));
    return 0;
}

/* --- metadata --------------------------------------------------------------------------------- */

/* Moves the cursor past a value of a GGUF type; depth: arrays around it. An unknown type or deep
 * arrays fail the cursor. */
static void skip_metadata_value(cursor *c, uint64_t type, int depth)
{
    if (type >= TYPES) {
        fail_at_cursor_keeping_first_error(
            c, "metadata of type %llu, which is none that is known: convert the network again",
            (unsigned long long)type);
    } else if (depth == DEEP) {
        fail_at_cursor_keeping_first_error(
            c, "arrays of metadata within %d others: convert the network again", DEEP);
    } else if (type == STRING) {
        (void)read_length_prefixed_string(c);
    } else if (type == ARRAY) {
        uint64_t of = read_little_endian_integer(c, 4);
        size_t size = of < TYPES ? size_of_type[of] : 0,
               n = count_or_fail_if_beyond_file(c, read_little_endian_integer(c, 8), 1, "elements");

        if (size > 0)
            (void)advance_over_bytes_or_fail(
                c, (uint64_t)count_or_fail_if_beyond_file(c, n, size, "elements") * size);
        else
            for (size_t i = 0; i < n && !c->ended; i++) skip_metadata_value(c, of, depth + 1);
    } else {
        (void)advance_over_bytes_or_fail(c, size_of_type[type]);
    }
}

/* Reads a key with its value: keeps the alignment, refuses a file that is split or of another
 * architecture, skips all others. */
static void read_alignment_or_reject_or_skip_pair(cursor *c)
{
    text_span key = read_length_prefixed_string(c);
    uint64_t type = read_little_endian_integer(c, 4);

    if (span_equals_text(key, "general.alignment") && type == U32) {
        c->alignment = (size_t)read_little_endian_integer(c, 4);
        if (c->alignment == 0 || c->alignment % 8)
            fail_at_cursor_keeping_first_error(
                c,
                "general.alignment is %zu, and multiples of 8 are allowed: convert the network "
                "again",
                c->alignment);
    } else if (span_equals_text(key, "split.count") && type == U16) {
        uint64_t parts = read_little_endian_integer(c, 2);

        if (parts > 1)
            fail_at_cursor_keeping_first_error(
                c,
                "it is split into %llu files: make one of them (llama-gguf-split --merge FIRST "
                "OUT)",
                (unsigned long long)parts);
    } else if (span_equals_text(key, "general.architecture") && type == STRING) {
        text_span name = read_length_prefixed_string(c);

        if (!span_equals_text(name, "llama") && !c->ended)
            fail_at_cursor_keeping_first_error(
                c,
                "general.architecture is not llama: only networks like Llama are read; choose one");
    } else {
        skip_metadata_value(c, type, 0);
    }
}

/* --- tensors ---------------------------------------------------------------------------------- */

/* Names are printed: letters, digits and marks of ASCII alone. */
static bool is_short_printable_name(text_span w)
{
    for (size_t i = 0; i < w.size; i++)
        if (w.text[i] <= ' ' || w.text[i] > '~') return false;
    return w.size > 0 && w.size <= NAME_MOST;
}

/* Rows and columns of a tensor: the first dimension is that of a row. */
static void read_tensor_dimensions(cursor *c, abdb_file_tensor *out, bool *is_two_dimensional)
{
    uint64_t dimension[DIMENSIONS] = {1, 1, 1, 1}, n = read_little_endian_integer(c, 4);

    if (n < 1 || n > DIMENSIONS)
        fail_at_cursor_keeping_first_error(
            c, "a tensor of %llu dimensions, and 1 to %d are allowed: convert the network again",
            (unsigned long long)n, DIMENSIONS);
    for (uint64_t i = 0; i < n && !c->ended; i++) dimension[i] = read_little_endian_integer(c, 8);
    out->columns = (size_t)dimension[0];
    out->rows = (size_t)dimension[1];
    *is_two_dimensional = dimension[2] == 1 && dimension[3] == 1;
}

/* An entry; its data is a place behind the tensors yet, from the start of the file. */
static void parse_tensor_info(cursor *c, abdb_file_tensor *out)
{
    text_span name = read_length_prefixed_string(c);
    uint64_t type, offset;
    bool flat;

    if (!c->ended && !is_short_printable_name(name))
        fail_at_cursor_keeping_first_error(
            c, "a tensor's name is not of 1 to %d printable characters: convert the network again",
            NAME_MOST);
    read_tensor_dimensions(c, out, &flat);
    type = read_little_endian_integer(c, 4);
    offset = read_little_endian_integer(c, 8);
    if (c->ended) return;
    if (type >= sizeof forms / sizeof forms[0] || !forms[type].name)
        fail_at_cursor_keeping_first_error(
            c, "'%.*s' is of type %llu, which is none that is known: convert the network to BF16",
            (int)name.size, name.text, (unsigned long long)type);
    else if (offset % c->alignment || offset > c->f->size)
        fail_at_cursor_keeping_first_error(
            c, "'%.*s' begins at %llu, which is no multiple of %zu within the file: copy it again",
            (int)name.size, name.text, (unsigned long long)offset, c->alignment);
    if (c->ended) return;
    out->dtype = flat ? forms[type].dtype : ABDB_DTYPE_COUNT;
    out->form = flat ? forms[type].name : "more than two dimensions";
    out->data = c->f->map + offset;
    out->name = strndup(name.text, name.size);
}

/* Do the numbers lie in the file? `begin`: of all of them. */
static void resolve_data_pointer_and_check_bounds(cursor *c, abdb_file_tensor *s, size_t data_begin)
{
    size_t room = c->f->size - data_begin, offset = (size_t)(s->data - c->f->map),
           size = s->dtype == ABDB_F32 ? 4 : 2;

    c->at = data_begin;
    if (offset > room) {
        fail_at_cursor_keeping_first_error(
            c, "'%s' begins at %zu of %zu bytes of numbers: copy it again", s->name, offset, room);
        return;
    }
    s->data += data_begin;
    if (s->dtype == ABDB_DTYPE_COUNT) return; /* not one that is read */
    room = (room - offset) / size;
    if (s->columns == 0 || s->rows == 0 || s->columns > room || s->rows > room / s->columns)
        fail_at_cursor_keeping_first_error(
            c, "'%s' of %zu x %zu numbers does not lie within the file: copy it again", s->name,
            s->rows, s->columns);
}

/* Reads the descriptions of n tensors and finds their numbers, which begin at the next multiple
 * of the alignment. */
static void parse_tensor_infos(cursor *c, abdb_weights_file *f, size_t n)
{
    size_t over, begin;

    while (f->count < n && !c->ended) {
        parse_tensor_info(c, &f->saved[f->count]);
        if (f->saved[f->count].name)
            f->count++;
        else if (!c->ended) { /* no memory for its name */
            (void)!ABDB_FAIL(c->err, ABDB_NOMEM, "%s", c->path);
            c->ended = true;
        }
    }
    if (c->ended) return;
    over = c->at % c->alignment;
    begin = over ? c->at + c->alignment - over : c->at;
    if (begin > f->size)
        fail_at_cursor_keeping_first_error(c, "the file ends before its numbers: copy it again");
    for (size_t i = 0; i < n && !c->ended; i++)
        resolve_data_pointer_and_check_bounds(c, &f->saved[i], begin);
}

abdb_status abdb_gguf_parse_tensors(abdb_weights_file *f, const char *path, abdb_error *err)
{
    cursor c = {.f = f, .path = path, .err = err, .at = 4, .alignment = ALIGNMENT};
    uint64_t version = read_little_endian_integer(&c, 4);
    size_t n, pairs;

    if (version > 0 && version % 65536 == 0)
        fail_at_cursor_keeping_first_error(
            &c, "it is GGUF with the big end first: convert the network with the little end first");
    else if (version != 2 && version != 3)
        fail_at_cursor_keeping_first_error(
            &c, "it is GGUF of version %llu, and 2 and 3 are read: convert the network again",
            (unsigned long long)version);
    n = count_or_fail_if_beyond_file(&c, read_little_endian_integer(&c, 8), ENTRY, "tensors");
    pairs = count_or_fail_if_beyond_file(&c, read_little_endian_integer(&c, 8), PAIR,
                                         "pairs of metadata");
    for (size_t i = 0; i < pairs && !c.ended; i++) read_alignment_or_reject_or_skip_pair(&c);
    f->saved = c.ended ? NULL : calloc(n + 1, sizeof *f->saved);
    if (!c.ended && !f->saved) return ABDB_FAIL(err, ABDB_NOMEM, "%s", path);
    parse_tensor_infos(&c, f, n);
    return c.ended ? err->status : ABDB_OK;
}

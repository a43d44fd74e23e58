/* safetensors.c - tensors of a file of safetensors (huggingface/safetensors, README): 8 bytes of
 * length, little end first, a header of JSON, then the numbers. See weights_file.h. */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/workloads/weights_file.h"

/* HEADER_MOST: as the format's own reader has it. */
enum { LENGTH = ABDB_SAVED_LEAST, HEADER_MOST = 100000000 };

/* The format of a name and the bytes of an element; ABDB_DTYPE_COUNT: none that is read. */
static abdb_dtype readable_dtype_and_size_of_name(const char *name, size_t *size)
{
    static const struct {
        const char *name;
        abdb_dtype dtype;
        size_t size;
    } known[] = {{"F32", ABDB_F32, 4}, {"BF16", ABDB_BF16, 2}, {"F16", ABDB_F16, 2}};

    for (size_t i = 0; name && i < sizeof known / sizeof known[0]; i++)
        if (strcmp(name, known[i].name) == 0) {
            *size = known[i].size;
            return known[i].dtype;
        }
    return ABDB_DTYPE_COUNT;
}

/* A whole number from 0 to most. */
static bool parse_json_integer_from_0_up_to(const json_t *value, size_t most, size_t *out)
{
    if (!json_is_integer(value) || json_integer_value(value) < 0 ||
        (size_t)json_integer_value(value) > most)
        return false;
    *out = (size_t)json_integer_value(value);
    return true;
}

/* The shape, of one or two dimensions, and whether its numbers fill `bytes`. */
static bool read_shape_matching_byte_count(const json_t *shape, size_t size, size_t bytes,
                                           abdb_file_tensor *out)
{
    size_t dimensions = json_array_size(shape);

    out->rows = 1;
    if (!json_is_array(shape) || dimensions < 1 || dimensions > 2) return false;
    if (dimensions == 2 &&
        !parse_json_integer_from_0_up_to(json_array_get(shape, 0), bytes, &out->rows))
        return false;
    if (!parse_json_integer_from_0_up_to(json_array_get(shape, dimensions - 1), bytes,
                                         &out->columns))
        return false;
    return out->rows > 0 && out->columns > 0 && bytes % size == 0 &&
           bytes / size / out->rows == out->columns && bytes / size % out->rows == 0;
}

/* Adds one tensor of the header to f, with its shape and its numbers in the map; one in a format
 * that is not read is left out. ABDB_FORMAT: its bytes lie outside, or are not those of its shape.
 */
static abdb_status add_tensor_if_dtype_is_readable(abdb_weights_file *f, const char *path,
                                                   const char *name, const json_t *entry,
                                                   size_t header, abdb_error *err)
{
    const json_t *offsets = json_object_get(entry, "data_offsets");
    abdb_file_tensor *saved = &f->saved[f->count];
    size_t room = f->size - LENGTH - header, size = 0, from = 0, to = 0;

    saved->dtype =
        readable_dtype_and_size_of_name(json_string_value(json_object_get(entry, "dtype")), &size);
    if (json_array_size(offsets) != 2 ||
        !parse_json_integer_from_0_up_to(json_array_get(offsets, 0), room, &from) ||
        !parse_json_integer_from_0_up_to(json_array_get(offsets, 1), room, &to) || to < from)
        return ABDB_FAIL(err, ABDB_FORMAT,
                         "%s: byte %d: '%.80s' has no data_offsets within the %zu bytes of numbers",
                         path, LENGTH, name, room);
    if (saved->dtype == ABDB_DTYPE_COUNT) return ABDB_OK; /* not one that is read */
    if (!read_shape_matching_byte_count(json_object_get(entry, "shape"), size, to - from, saved))
        return ABDB_FAIL(err, ABDB_FORMAT,
                         "%s: byte %zu: '%.80s' has %zu bytes, which are not those of its shape",
                         path, LENGTH + header + from, name, to - from);
    saved->data = f->map + LENGTH + header + from;
    saved->name = strdup(name);
    if (!saved->name) return ABDB_FAIL(err, ABDB_NOMEM, "%s", path);
    f->count++;
    return ABDB_OK;
}

abdb_status abdb_safetensors_parse_tensors(abdb_weights_file *f, const char *path, abdb_error *err)
{
    uint64_t length = 0;
    json_error_t wrong;
    json_t *header = NULL, *entry;
    const char *name;
    abdb_status st = ABDB_OK;

    for (size_t i = LENGTH; i-- > 0;) length = length << 8 | f->map[i];
    if (length > HEADER_MOST || length > f->size - LENGTH)
        TRY(ABDB_FAIL(err, ABDB_FORMAT,
                      "%s: byte 0: a header of %llu bytes in a file of %zu: it is no safetensors",
                      path, (unsigned long long)length, f->size));
    header =
        json_loadb((const char *)f->map + LENGTH, (size_t)length, JSON_REJECT_DUPLICATES, &wrong);
    if (!json_is_object(header))
        TRY(ABDB_FAIL(err, ABDB_FORMAT, "%s: byte %d: the header is no object of JSON", path,
                      LENGTH + (header || wrong.position < 0 ? 0 : wrong.position)));
    f->saved = calloc(json_object_size(header) + 1, sizeof *f->saved);
    if (!f->saved) TRY(ABDB_FAIL(err, ABDB_NOMEM, "%s", path));
    json_object_foreach(header, name, entry)
    {
        if (strcmp(name, "__metadata__") == 0) continue;
        TRY(add_tensor_if_dtype_is_readable(f, path, name, entry, (size_t)length, err));
    }
done:
    json_decref(header);
    return st;
}

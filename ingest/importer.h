/* importer.h - turns foreign files into records: the arguments of every importer (an abdb_input,
 * the user's settings, a sink) and the helpers that importers share.
 * An importer does not use the database: it fills an abdb_entry or abdb_fact and hands it to the
 * sink, which query/import/import_session.c ends in the store. It writes no file and keeps no state
 * between two files. All of them are listed in registry.def. */
#ifndef ABDB_INGEST_IMPORTER_H
#define ABDB_INGEST_IMPORTER_H

#include <stddef.h>

#include "schema/core/record.h"
#include "schema/core/text.h"

/* 1 GiB: larger than any file of results that was met, and small enough that sizes fit an int
 * (jansson's positions are ints). */
enum { ABDB_INPUT_SIZE_MAX = 1 << 30, ABDB_WORDS_MAX = 32 };

/* Values that an importer omits because their meaning is unknown, by name: columns of numbers that
 * no map names, fields of later versions. For the message at the end of a file. Zeroed is empty. */
enum { ABDB_LEFT_OUT_MAX = 24, ABDB_LEFT_OUT_NAME = 48 };
typedef struct {
    struct {
        char name[ABDB_LEFT_OUT_NAME];
        long values;
    } item[ABDB_LEFT_OUT_MAX];
    size_t items;
    long others, values; /* values: of all; others: of names without room */
} abdb_left_out;
/* One value of that name. list NULL: nothing is counted. */
void abdb_left_out_count_value(abdb_left_out *list, const char *name);
/* The values of an entry that is not handed over. */
void abdb_left_out_count_values_of_entry(abdb_left_out *list, const abdb_entry *entry);

/* A file as bytes, and as UTF-8 text whatever its encoding was. text points into the file's bytes
 * where they are UTF-8 already, else into decoded, a converted copy; both are gone with
 * abdb_input_close. */
typedef struct {
    const char *path;
    const unsigned char *data; /* the bytes, as they are */
    size_t size;
    const char *text; /* UTF-8 without a byte order mark; not NUL-terminated */
    size_t text_size;
    const char *encoding, *remark; /* remark: an oddity in decoding, or NULL */
    void *map, *decoded;           /* memory that abdb_input_close releases */
    size_t *at;                    /* readers of long texts write their position here, or NULL */
    abdb_left_out *left_out;       /* importers count omitted values here, or NULL */
} abdb_input;

/* Opens and decodes a file. ABDB_IO: it cannot be read (missing, a directory, no permission).
 * ABDB_LIMIT: larger than ABDB_INPUT_SIZE_MAX. */
ABDB_MUST_USE abdb_status abdb_input_map_file_and_decode(abdb_input *out, const char *path,
                                                         abdb_error *err);
/* The same for bytes in memory, which stay the caller's. */
ABDB_MUST_USE abdb_status abdb_input_decode_memory_to_utf8(abdb_input *out, const char *path,
                                                           const void *data, size_t size,
                                                           abdb_error *err);
void abdb_input_close(abdb_input *input);
/* Memory below `upto` bytes of the text may be given back until it is read again: for readers that
 * go from front to back. */
void abdb_input_release_pages(const abdb_input *input, size_t upto);

/* Bytes that arrive in pieces: in memory, and beyond ABDB_SPOOL_MEMORY in a file without a name in
 * $TMPDIR (or /var/tmp), which is gone when it is closed. Zeroed is empty. */
enum { ABDB_SPOOL_MEMORY = 8 << 20 };
typedef struct {
    abdb_text text;
    size_t size;
    int file; /* 0: none */
} abdb_spool;

/* ABDB_LIMIT: more than ABDB_INPUT_SIZE_MAX. ABDB_IO: the disk is full. */
ABDB_MUST_USE abdb_status abdb_spool_append_to_memory_or_file(abdb_spool *spool, const void *data,
                                                              size_t size, abdb_error *err);
/* The rest of a pipe or file. */
ABDB_MUST_USE abdb_status abdb_spool_append_rest_of_file(abdb_spool *spool, int file,
                                                         abdb_error *err);
/* The added bytes as an input, which must be closed before the spool is freed. */
ABDB_MUST_USE abdb_status abdb_spool_open_as_input(abdb_spool *spool, abdb_input *out,
                                                   const char *path, abdb_error *err);
/* Empty, for other bytes; a little memory is kept for them. */
void abdb_spool_clear(abdb_spool *spool);
void abdb_spool_free(abdb_spool *spool);

/* The user's settings by --set: fields and factors that a file lacks. */
typedef struct {
    size_t count;
    struct {
        const char *name, *value, *mark; /* mark: the factor "user_word.NAME" */
    } word[ABDB_WORDS_MAX];
    const struct table_map *map; /* --map, or NULL; see table_map.h */
    const char *map_digest;      /* of the map's text: part of the user's settings */
    abdb_arena arena;
} abdb_overrides;

/* Takes one "column=value". ABDB_USAGE: not of that form, or no such column. */
ABDB_MUST_USE abdb_status abdb_overrides_validate_and_add_setting(abdb_overrides *overrides,
                                                                  const char *setting,
                                                                  abdb_error *err);
/* The last step before an entry is handed over: missing fields are filled from the user's settings
 * and noted as such, dates and counts are normalised, and its values are checked for contradictions
 * (check_entry.h). A device called "undefined" is unknown; words such as "retracted" mark the entry
 * as withdrawn. */
void abdb_entry_apply_overrides_and_check(abdb_entry *entry, const abdb_overrides *overrides);
/* Applies them, hands the entry to the sink, and ends its input row. */
ABDB_MUST_USE abdb_status abdb_entry_check_and_deliver_row(abdb_entry *entry,
                                                           const abdb_overrides *overrides,
                                                           const abdb_sink *sink, abdb_error *err);
/* The same without the check: for abdb's own records, which keep the marks that they have. */
void abdb_entry_fill_from_overrides_and_normalize(abdb_entry *entry,
                                                  const abdb_overrides *overrides);
/* The value set for a name, or NULL. */
const char *abdb_overrides_get_value_or_null(const abdb_overrides *overrides, const char *name);
/* "a=1\nb=2" in alphabetical order: part of the artifact's key. */
void abdb_overrides_append_canonical_text(const abdb_overrides *overrides, abdb_text *out);
void abdb_overrides_free(abdb_overrides *overrides);

/* Sets the fields of a run that another program measured: evidence, kind, source, workload and
 * place. All are borrowed; line 0: unknown. */
void abdb_entry_set_measured_run(abdb_entry *entry, const char *source, const char *workload,
                                 const char *locator, long line);
/* Adds a factor as a column with that decimal mark spells it. A number with thousands marks or a
 * decimal comma is kept in its plain spelling (from arena), so that all spellings are one factor;
 * other text, "08" and "1e3" too, may be a name and stays. */
void abdb_entry_add_factor_normalizing_number(abdb_entry *entry, const char *name, const char *text,
                                              abdb_decimal_mark mark, abdb_arena *arena);
/* Adds a number as a source prints it, with that decimal mark and in a unit of units.def, as a
 * result in the base unit. NULL: raw is NULL or a word ("N/A"); or, counted as left out, a damaged
 * number, not above zero, of an unknown unit, or without room. A number that could have another
 * decimal mark makes the whole entry one that the store refuses (entry->doubt). raw and unit are
 * borrowed. */
abdb_result *abdb_entry_add_printed_result_or_count_left_out(abdb_entry *entry, const char *metric,
                                                             const char *statistic,
                                                             const char *printed_value,
                                                             abdb_decimal_mark mark,
                                                             const char *printed_unit);

/* One format. Two importers that bid alike are an error (registry.h), so bids are fixed by how sure
 * the look is: 95 a mark that only abdb writes, 90 to 85 keys or columns that one program has, 80
 * to 60 words that others might have too. */
typedef struct {
    const char *name, *summary;
    int version;        /* raise it when files would be read otherwise than before */
    int (*parts)(void); /* added to it: the versions of the importer's parts, or NULL */
    /* How sure the importer is that the input is its format, 0 (it is not) to 100. Every importer
     * bids on every input: most read the first MiB only, and none keeps anything. */
    int (*bid)(const abdb_input *input);
    abdb_status (*read)(const abdb_input *input, const abdb_overrides *words, const abdb_sink *sink,
                        abdb_error *err);
} abdb_importer;

#endif

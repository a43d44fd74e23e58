/* shipped_records.c - the shipped data as a set of keys: imported into a database of its own by the
 * same verb that a user would type, walked, and each record's digest kept. See shipped_records.h.
 */
#include "query/export/shipped_records.h"

#include <stdlib.h>
#include <string.h>

#include "query/cli/command_line.h"
#include "query/import/input_files.h"
#include "schema/core/array.h"
#include "schema/core/fixed_text.h"
#include "schema/core/record_json.h"
#include "schema/store/digest.h"
#include "schema/store/scan.h"

typedef struct {
    abdb_shipped_records *known;
    abdb_text line;
} collector;

static int compare_record_keys(const void *a, const void *b)
{
    const abdb_key *x = a, *y = b;

    if (x->high != y->high) return x->high < y->high ? -1 : 1;
    return (x->low > y->low) - (x->low < y->low);
}

/* The key of one shipped record is the digest of its JSON line, the form that redaction sees. */
static abdb_status append_record_digest(collector *c, abdb_error *err)
{
    abdb_shipped_records *k = c->known;
    abdb_key *more = abdb_array_reserve_one(k->key, k->count, &k->capacity, sizeof *more);

    if (!more) return ABDB_FAIL(err, ABDB_NOMEM, "what abdb ships");
    k->key = more;
    if (c->line.failed) return ABDB_FAIL(err, ABDB_NOMEM, "what abdb ships");
    k->key[k->count++] = abdb_sha256_key_of_bytes(abdb_text_get(&c->line), c->line.size);
    return ABDB_OK;
}

/* Adds the name of a shipped source. */
static abdb_status append_source_name(abdb_shipped_records *k, const char *name, abdb_error *err)
{
    const char **more =
        abdb_array_reserve_one(k->source, k->sources, &k->source_room, sizeof *more);

    if (!more) return ABDB_FAIL(err, ABDB_NOMEM, "what abdb ships");
    k->source = more;
    k->source[k->sources] = abdb_arena_copy(&k->arena, name, strlen(name));
    return k->source[k->sources++] ? ABDB_OK : ABDB_FAIL(err, ABDB_NOMEM, "what abdb ships");
}

static abdb_status collect_entry_digest(void *self, const abdb_entry *entry, abdb_error *err)
{
    collector *c = self;

    abdb_text_clear(&c->line);
    abdb_entry_append_json_line(&c->line, entry);
    return append_record_digest(c, err);
}

/* Adds the digest of a shipped fact, and the name of a shipped source. */
static abdb_status collect_fact_digest(void *self, const abdb_fact *fact, abdb_error *err)
{
    collector *c = self;
    abdb_status st = ABDB_OK;

    abdb_text_clear(&c->line);
    abdb_fact_append_json_line(&c->line, fact);
    TRY(append_record_digest(c, err));
    for (size_t i = 0; strcmp(fact->table, "source") == 0 && i < fact->columns; i++)
        if (strcmp(fact->column[i].name, "source") == 0)
            TRY(append_source_name(c->known, fact->column[i].text, err));
done:
    return st;
}

/* Adds the digests of all records in the database at path, sorted. */
static abdb_status collect_shipped_digests(abdb_shipped_records *known, const char *path,
                                           abdb_error *err)
{
    collector c = {.known = known};
    const abdb_sink sink = {&c, collect_entry_digest, collect_fact_digest, abdb_sink_ignore_reject,
                            abdb_sink_ignore_row_end};
    abdb_db *db = NULL;
    abdb_status st = ABDB_OK;

    TRY(abdb_db_open(&db, path, ABDB_READ, err));
    TRY(abdb_store_scan_into_sink(db, NULL, &sink, err));
    abdb_array_sort(known->key, known->count, sizeof *known->key, compare_record_keys);
done:
    abdb_text_free(&c.line);
    abdb_db_close(db);
    return st;
}

/* Imports the shipped data into a new database at path. */
static abdb_status import_shipped_data(const char *path, const char *data, abdb_error *err)
{
    char verb[] = "import", quiet[] = "-q", option[] = "--db", to[256], from[4096];
    char *words[] = {verb, quiet, option, to, from, NULL};

    if (!abdb_format_if_fits(to, sizeof to, "%s", path) ||
        !abdb_format_if_fits(from, sizeof from, "%s", data))
        return ABDB_FAIL(err, ABDB_IO, "too long a path: %s, %s", path, data);
    return abdb_cmd_import(5, words) == 0
               ? ABDB_OK
               : ABDB_FAIL(err, ABDB_IO, "cannot read the data that abdb ships, in %s", data);
}

abdb_status abdb_shipped_records_import_and_digest(abdb_shipped_records *known, abdb_error *err)
{
    abdb_arena arena = {0};
    const char *data = abdb_shipped_data_folder(&arena);
    abdb_scratch scratch = {0};
    abdb_status st = ABDB_OK;

    if (!data) {
        abdb_print_stderr_remark(
            "the data that abdb ships are not installed: they are redacted like any other");
        return ABDB_OK;
    }
    TRY(abdb_scratch_folder_create(&scratch, err));
    TRY(import_shipped_data(scratch.path, data, err));
    TRY(collect_shipped_digests(known, scratch.path, err));
done:
    abdb_scratch_remove(&scratch);
    abdb_arena_free(&arena);
    return st;
}

void abdb_shipped_records_free(abdb_shipped_records *known)
{
    free(known->key);
    free(known->source);
    abdb_arena_free(&known->arena);
    *known = (abdb_shipped_records){0};
}

bool abdb_is_shipped_record(const abdb_shipped_records *known, const abdb_text *json_line)
{
    const abdb_key key = abdb_sha256_key_of_bytes(abdb_text_get(json_line), json_line->size);

    return known->count && abdb_array_find_sorted(&key, known->key, known->count, sizeof key,
                                                  compare_record_keys) != NULL;
}

bool abdb_is_shipped_source(const abdb_shipped_records *known, const char *source)
{
    for (size_t i = 0; source && i < known->sources; i++)
        if (strcmp(known->source[i], source) == 0) return true;
    return false;
}

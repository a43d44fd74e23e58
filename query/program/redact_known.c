/* redact_known.c - the shipped data as a set of keys: imported into a database of its own by the
 * same verb that a user would type, walked, and each record's digest kept. See redact_known.h. */
#include "query/program/redact_known.h"

#include <stdlib.h>
#include <string.h>

#include "query/program/cli.h"
#include "query/program/files.h"
#include "schema/core/grow.h"
#include "schema/core/record_json.h"
#include "schema/store/digest.h"
#include "schema/store/walk.h"

typedef struct {
    abdb_known *known;
    abdb_text line;
} collector;

static int by_key(const void *a, const void *b)
{
    const abdb_key *x = a, *y = b;

    if (x->high != y->high) return x->high < y->high ? -1 : 1;
    return (x->low > y->low) - (x->low < y->low);
}

/* The key of one shipped record is the digest of its JSON line, the form that redaction sees. */
static abdb_status add(collector *c, abdb_error *err)
{
    abdb_known *k = c->known;
    abdb_key *more = abdb_grow(k->key, k->count, &k->room, sizeof *more);

    if (!more) return ABDB_FAIL(err, ABDB_NOMEM, "what abdb ships");
    k->key = more;
    if (c->line.failed) return ABDB_FAIL(err, ABDB_NOMEM, "what abdb ships");
    k->key[k->count++] = abdb_digest_key(abdb_text_get(&c->line), c->line.size);
    return ABDB_OK;
}

static abdb_status add_source(abdb_known *k, const char *name, abdb_error *err)
{
    const char **more = abdb_grow(k->source, k->sources, &k->source_room, sizeof *more);

    if (!more) return ABDB_FAIL(err, ABDB_NOMEM, "what abdb ships");
    k->source = more;
    k->source[k->sources] = abdb_arena_copy(&k->arena, name, strlen(name));
    return k->source[k->sources++] ? ABDB_OK : ABDB_FAIL(err, ABDB_NOMEM, "what abdb ships");
}

static abdb_status take_entry(void *self, const abdb_entry *entry, abdb_error *err)
{
    collector *c = self;

    abdb_text_clear(&c->line);
    abdb_entry_json(&c->line, entry);
    return add(c, err);
}

static abdb_status take_fact(void *self, const abdb_fact *fact, abdb_error *err)
{
    collector *c = self;
    abdb_status st = ABDB_OK;

    abdb_text_clear(&c->line);
    abdb_fact_json(&c->line, fact);
    TRY(add(c, err));
    for (size_t i = 0; strcmp(fact->table, "source") == 0 && i < fact->columns; i++)
        if (strcmp(fact->column[i].name, "source") == 0)
            TRY(add_source(c->known, fact->column[i].text, err));
done:
    return st;
}

static abdb_status collect(abdb_known *known, const char *path, abdb_error *err)
{
    collector c = {.known = known};
    const abdb_sink sink = {&c, take_entry, take_fact, abdb_sink_no_reject, abdb_sink_no_row_end};
    abdb_db *db = NULL;
    abdb_status st = ABDB_OK;

    TRY(abdb_db_open(&db, path, ABDB_READ, err));
    TRY(abdb_store_walk(db, NULL, &sink, err));
    qsort(known->key, known->count, sizeof *known->key, by_key);
done:
    abdb_text_free(&c.line);
    abdb_db_close(db);
    return st;
}

static abdb_status import_into(const char *path, const char *data, abdb_error *err)
{
    char verb[] = "import", quiet[] = "-q", option[] = "--db", to[256], from[4096];
    char *words[] = {verb, quiet, option, to, from, NULL};

    snprintf(to, sizeof to, "%s", path);
    snprintf(from, sizeof from, "%s", data);
    return abdb_cmd_import(5, words) == 0
               ? ABDB_OK
               : ABDB_FAIL(err, ABDB_IO, "cannot read the data that abdb ships, in %s", data);
}

abdb_status abdb_known_load(abdb_known *known, abdb_error *err)
{
    abdb_arena arena = {0};
    const char *data = abdb_data_folder(&arena);
    abdb_scratch scratch = {0};
    abdb_status st = ABDB_OK;

    if (!data) {
        abdb_remark("the data that abdb ships are not installed: they are redacted like any other");
        return ABDB_OK;
    }
    TRY(abdb_scratch_make(&scratch, err));
    TRY(import_into(scratch.path, data, err));
    TRY(collect(known, scratch.path, err));
done:
    abdb_scratch_remove(&scratch);
    abdb_arena_free(&arena);
    return st;
}

void abdb_known_free(abdb_known *known)
{
    free(known->key);
    free(known->source);
    abdb_arena_free(&known->arena);
    *known = (abdb_known){0};
}

bool abdb_is_known(const abdb_known *known, const abdb_text *line)
{
    const abdb_key key = abdb_digest_key(abdb_text_get(line), line->size);

    return known->count && bsearch(&key, known->key, known->count, sizeof key, by_key) != NULL;
}

bool abdb_is_known_source(const abdb_known *known, const char *source)
{
    for (size_t i = 0; source && i < known->sources; i++)
        if (strcmp(known->source[i], source) == 0) return true;
    return false;
}

/* import_mapped.c - tables that a map file explains: CSV, JSON records and markdown tables. The
 * maps of ingest/maps/ are found by the columns they match; --map FILE reads one of the user's. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/read/csv.h"
#include "ingest/read/markdown_tables.h"
#include "ingest/tables/table_map_internal.h"

enum { MAPS_MAX = 64 };

/* The maps of this build, parsed once for all files of a process. */
static struct {
    pthread_once_t once;
    table_map *map[MAPS_MAX];
    size_t count;
    abdb_status status;
    abdb_error err;
} built = {.once = PTHREAD_ONCE_INIT};

typedef struct {
    const table_map *users; /* --map */
    const abdb_overrides *words;
    const abdb_sink *sink;
    abdb_left_out *left_out;
    bool fits; /* for bids: some map fits some row */
    size_t rows, fitting;
} state;

static void free_builtin_maps(void)
{
    while (built.count) table_map_free(built.map[--built.count]);
}

static void parse_builtin_maps(void)
{
    for (size_t i = 0; i < MAPS_MAX && abdb_maps[i].name && built.status == ABDB_OK; i++) {
        built.status =
            table_map_parse_text(&built.map[i], abdb_maps[i].name, abdb_maps[i].text, &built.err);
        built.count += built.status == ABDB_OK;
    }
    (void)atexit(free_builtin_maps);
}

/* One that does not parse is a fault of the build, and a test finds it. */
static abdb_status ensure_builtin_maps_parsed(abdb_error *err)
{
    (void)pthread_once(&built.once, parse_builtin_maps);
    if (built.status != ABDB_OK) *err = built.err;
    return built.status;
}

/* The user's map is asked for what its match line says, if it has one. */
static const table_map *find_users_or_builtin_map_of_record(const state *s,
                                                            const abdb_flat_record *record)
{
    if (s->users) return table_map_accepts_record(s->users, record) ? s->users : NULL;
    for (size_t i = 0; i < built.count; i++)
        if (table_map_matches_columns(built.map[i], record)) return built.map[i];
    return NULL;
}

/* Numbers of columns that the map does not name. */
static void count_unmapped_numbers_as_left_out(const state *s, const table_map *map,
                                               const abdb_flat_record *record)
{
    double value;

    if (table_map_has_metrics(map)) return; /* they are factors */
    for (size_t i = 0; s->left_out && i < record->items; i++)
        if (record->item[i].text &&
            abdb_double_parse(record->item[i].text, ABDB_MARK_POINT, &value) &&
            table_map_column_is_unmentioned(map, record->item[i].name))
            abdb_left_out_count_value(s->left_out, record->item[i].name);
}

static abdb_status import_record_by_map_or_ignore(void *self, const abdb_flat_record *record,
                                                  abdb_error *err)
{
    state *s = self;
    const table_map *map = find_users_or_builtin_map_of_record(s, record);

    s->rows++;
    if (!map) return s->sink->row_end(s->sink->self, err); /* another table: ignored */
    s->fitting++;
    count_unmapped_numbers_as_left_out(s, map, record);
    return table_map_import_row(map, record, s->words, s->sink, err);
}

/* A map of this build, or the user's, has its columns among the cells. */
static bool is_header_of_some_map(const void *self, const abdb_flat_record *record)
{
    const state *s = self;

    if (s->users) return table_map_matches_columns(s->users, record);
    return find_users_or_builtin_map_of_record(s, record) != NULL;
}

static abdb_status deliver_markdown_json_or_csv_records(const abdb_input *in, const abdb_sink *sink,
                                                        abdb_flat_handler handler, void *self,
                                                        abdb_error *err)
{
    return markdown_has_table(in)
               ? markdown_deliver_table_rows_as_records(in, sink, handler, self, err)
               : abdb_flat_deliver_records_with_header_check(in, sink, is_header_of_some_map,
                                                             handler, self, err);
}

static abdb_status set_fits_stop_if_map_matches_or_2000_rows(void *self,
                                                             const abdb_flat_record *record,
                                                             abdb_error *err)
{
    state *s = self;

    /* 2000 rows without a fitting table: a long README, or another program's output. */
    s->fits = find_users_or_builtin_map_of_record(s, record) != NULL;
    return s->fits || s->rows++ > 2000 ? ABDB_FAIL(err, ABDB_LIMIT, "seen enough") : ABDB_OK;
}

/* Does the map claim JSON, and are all columns of its match line, by part, keys of the text? Then
 * the text is read by it without --map or --format. */
static bool map_claims_json_text(const table_map *map, const abdb_input *in)
{
    if (!map->claims_json || !map->match_count) return false;
    for (size_t i = 0; i < map->match_count; i++)
        for (const char *part = map->match[i]; *part; part += *part == '.') {
            size_t size = strcspn(part, ".");
            char key[80];

            snprintf(key, sizeof key, "\"%.*s\"", (int)size, part);
            if (!abdb_flat_has_all_keys_or_columns(in, key)) return false;
            part += size;
        }
    return true;
}

/* Only the first lines of a table file are looked at, of a markdown file all of them. */
static int mapped_table_bid(const abdb_input *in)
{
    const abdb_sink nowhere = {NULL, NULL, NULL, abdb_sink_ignore_reject, abdb_sink_ignore_row_end};
    abdb_input head = *in;
    state s = {0};
    abdb_error err;
    const char *stop;

    if (in->text_size == 0 || memchr(in->text, 0, in->text_size < 4096 ? in->text_size : 4096))
        return 0;
    if (ensure_builtin_maps_parsed(&err) == ABDB_OK) {
        if (!markdown_has_table(in) && in->text[0] != '[' && in->text[0] != '{' &&
            in->text_size > 65536) {
            stop = memrchr(in->text, '\n', 65536);
            head.text_size = stop ? (size_t)(stop - in->text) : 65536;
            head.map = NULL; /* nothing is given back while others look */
        }
        /* JSON is bid for only where a map claims it: others match by a few column names, which
         * many programs' JSON has too. With --map or --format table it is read. */
        for (size_t i = 0; i < built.count && (in->text[0] == '[' || in->text[0] == '{'); i++)
            s.fits |= map_claims_json_text(built.map[i], in);
        if (in->text[0] != '[' && in->text[0] != '{')
            (void)!deliver_markdown_json_or_csv_records(
                &head, &nowhere, set_fits_stop_if_map_matches_or_2000_rows, &s, &err);
    }
    return s.fits ? 82 : 0;
}

static abdb_status import_tables_by_maps(const abdb_input *in, const abdb_overrides *overrides,
                                         const abdb_sink *sink, abdb_error *err)
{
    state s = {.users = overrides->map, .words = overrides, .sink = sink, .left_out = in->left_out};
    abdb_status st = ABDB_OK;

    if (!s.users) TRY(ensure_builtin_maps_parsed(err));
    if (s.users && table_map_json_member_or_null(s.users))
        TRY(abdb_flat_deliver_objects_of_json_member(in, table_map_json_member_or_null(s.users),
                                                     import_record_by_map_or_ignore, &s, err));
    else
        TRY(deliver_markdown_json_or_csv_records(in, sink, import_record_by_map_or_ignore, &s,
                                                 err));
    if (s.rows && !s.fitting)
        TRY(ABDB_FAIL(err, ABDB_FORMAT, "%s; `abdb import --suggest-map FILE` drafts one",
                      s.users ? "no table here has all the columns of the map's match line"
                              : "no map fits this table"));
done:
    return st;
}

/* The maps of this build together: a new one may claim what none did before. */
static int sum_builtin_map_versions(void)
{
    abdb_error err;
    int version = 0;

    if (ensure_builtin_maps_parsed(&err) == ABDB_OK)
        for (size_t i = 0; i < built.count; i++) version += table_map_version(built.map[i]);
    return version;
}

const abdb_importer abdb_import_mapped = {
    "table",
    "a table (CSV, JSON records, markdown) that a map file explains; --map FILE: yours",
    3,
    sum_builtin_map_versions,
    mapped_table_bid,
    import_tables_by_maps};

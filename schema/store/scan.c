/* scan.c - everything that a database holds, handed to a sink; see scan.h. */
#include "schema/store/scan.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/core/text.h"

/* Tables of words and published facts, with the columns that a sink takes. */
static const struct {
    const char *table, *sql;
} tables[] = {
    {"source", "SELECT source, kind, title, author, url, published, retrieved, licence, rank FROM"
               " source ORDER BY source"},
    {"device", "SELECT device, vendor, architecture, form_factor, memory, kind, dies, year, source,"
               " locator FROM device ORDER BY device"},
    {"model",
     "SELECT model, task, family, accuracy_target, parameters, parameters_active, layers,"
     " hidden_size, heads, kv_heads, vocabulary, source, locator FROM model ORDER BY model"},
    {"alias", "SELECT kind, spelling, part, canon, share, source FROM alias ORDER BY 1, 2, 3"},
    {"round", "SELECT suite, round, published, source, locator FROM round ORDER BY 1, 2"},
    {"rule", "SELECT rule, effect, scope_factor, scope_value, factor, test, a, b, sentence, source,"
             " locator FROM rule ORDER BY rule"},
    {"compatibility",
     "SELECT suite, system_type, benchmark, scenario, since, until, source, locator"
     " FROM compatibility ORDER BY 1, 2, 3, 4, 5"},
    {"workload_factor", "SELECT * FROM workload_factor ORDER BY workload, factor"},
    {"spec_order", "SELECT place, standing, source_kind, note, sentence, source, locator"
                   " FROM spec_order ORDER BY place"},
    {"spec_ratio",
     "SELECT ratio, low, high, of_quantity, of_dtype, of_engine, of_sparsity, to_quantity,"
     " to_dtype, to_engine, to_sparsity, to_basis, sentence, source, locator FROM spec_ratio"
     " ORDER BY ratio, low"},
    {"spec_doubt", "SELECT doubt, effect, device, architecture, quantity, dtype, engine, sparsity,"
                   " said_by, stated, sentence, source, locator FROM spec_doubt ORDER BY doubt"},
    {"workload_engine", "SELECT workload, engine, why FROM workload_engine ORDER BY workload"},
    {"figure_rule",
     "SELECT place, since, until, model, scenario, ran, counted, figure, times, raw_unit,"
     " source, locator FROM figure_rule ORDER BY place"},
    {"score_rule", "SELECT place, since, until, benchmark, runs, dropped, source, locator"
                   " FROM score_rule ORDER BY place"},
    {"decoration", "SELECT place, pattern, says, meaning, factor, factor_unit, source, locator"
                   " FROM decoration ORDER BY place"},
    {"mark", "SELECT mark, effect, sentence, source, locator FROM mark ORDER BY mark"},
    {"official_result", "SELECT suite, round, system_type, public_id, model, scenario, submitter,"
                        " system, stated, source FROM official_result ORDER BY 1, 2, 4, 5, 6, 9"},
    {"scenario_limit", "SELECT * FROM scenario_limit ORDER BY 1, 2, 3, 4, 5"},
    {"accept_check", "SELECT * FROM accept_check ORDER BY place"},
    {"note", "SELECT kind, target, text, author, date FROM note ORDER BY note_key, note_key_low"},
    {"withdrawal", "SELECT target, reason, date, event FROM withdrawal"
                   " ORDER BY target, date, event, reason"},
    {"spec",
     "SELECT s.device, s.quantity, s.dtype, s.engine, s.sparsity, s.basis, s.power_limit,"
     " s.value, s.unit, s.raw_value, s.raw_unit, s.note, s.source, s.locator, s.date, f.fact"
     " AS \"(fact)\" FROM spec_stated s LEFT JOIN fact f ON f.kind = 'spec'"
     " AND f.id = s.spec_id"
     " ORDER BY s.spec_key, s.spec_key_low, f.fact"},
    {"price", "SELECT p.provider, p.instance, p.device, p.devices, p.kind, p.region, p.amount,"
              " p.currency, p.per, p.valid_from, p.raw_value, p.source, p.locator, f.fact AS"
              " \"(fact)\" FROM price_stated p LEFT JOIN fact f ON f.kind = 'price'"
              " AND f.id = p.price_id ORDER BY p.price_key, p.price_key_low, f.fact"},
    {"provider", "SELECT provider, kind, source, locator FROM provider ORDER BY provider"},
    {"fabric", "SELECT * FROM fabric ORDER BY 1, 2"},
    {"exchange_rate", "SELECT * FROM exchange_rate ORDER BY 1, 2"},
    {"claim", "SELECT claim, source, locator, sentence, raw_value, stated, upper, words, how,"
              " coefficient, \"offset\", missing FROM claim ORDER BY claim"},
    {"claim_term", "SELECT claim, term, part, power, fact FROM claim_term ORDER BY claim, term"},
};

/* Hands a row of a table of facts to the sink, its columns by name. */
static abdb_status pass_row_to_sink_as_fact(sqlite3_stmt *s, const char *table,
                                            const abdb_sink *sink, abdb_error *err)
{
    abdb_fact fact = {.table = table};

    for (int i = 0; i < sqlite3_column_count(s) && fact.columns < ABDB_FACT_MAX; i++) {
        const char *name = sqlite3_column_name(s, i);
        int type = sqlite3_column_type(s, i);

        if (type == SQLITE_NULL) continue;
        if (strcmp(name, "(fact)") == 0) {
            fact.fact = abdb_sql_text_or_empty(s, i);
            continue;
        }
        fact.column[fact.columns].name = name;
        fact.column[fact.columns].num = type == SQLITE_TEXT ? NAN : sqlite3_column_double(s, i);
        fact.column[fact.columns++].text =
            type == SQLITE_TEXT ? abdb_sql_text_or_empty(s, i) : NULL;
    }
    return sink->fact(sink->self, &fact, err);
}

abdb_status abdb_store_pass_facts_to_sink(abdb_db *db, const abdb_sink *sink, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < sizeof tables / sizeof tables[0] && st == ABDB_OK; i++) {
        sqlite3_stmt *s = NULL;
        int code = sqlite3_prepare_v2(db->sql, tables[i].sql, -1, &s, NULL);

        while (code == SQLITE_OK || code == SQLITE_ROW) {
            code = sqlite3_step(s);
            if (code != SQLITE_ROW) break;
            st = pass_row_to_sink_as_fact(s, tables[i].table, sink, err);
            if (st == ABDB_OK) st = sink->row_end(sink->self, err);
            if (st != ABDB_OK) break;
        }
        if (st == ABDB_OK && code != SQLITE_DONE)
            st = abdb_db_report_sqlite_error(db, err, tables[i].table);
        sqlite3_finalize(s);
    }
    return st;
}

/* --- entries ---------------------------------------------------------------------------------- */

typedef enum {
    W_ENTRY,
    W_FACTOR,
    W_RESULT,
    W_SAMPLE,
    W_TELEMETRY,
    W_SPAN,
    W_RANK,
    W_PIECE,
    W_COUNT
} scan_statement;

static const char *const scan_sql[W_COUNT] = {
    [W_ENTRY] =
        "SELECT evidence, kind, status, reason, verified, suite, system_type, round, division,"
        " availability, public_id, submitter, system, platform, workload, model, scenario, device,"
        " devices, nodes, d.backend, dtype, date, tag, d.campaign, cell, flags, source, url,"
        " retrieved, point_id, v.body, e.origin, p.campaign, p.backend, p.repetition, p.start,"
        " p.started FROM entry_row e JOIN description d USING (description_id)"
        " LEFT JOIN environment v ON v.environment_id = e.environment_id"
        " LEFT JOIN process p ON p.process_id = e.process_id WHERE e.entry_id = ?1",
    [W_FACTOR] = "SELECT factor, state, text, num, unit FROM point_factor WHERE point_id = ?1"
                 " ORDER BY factor",
    [W_RESULT] =
        "SELECT metric, statistic, rank, x, value, raw_value, raw_unit, cell, n, low, high,"
        " spread, formula, (SELECT f.fact FROM fact f WHERE f.kind = 'result'"
        " AND f.id = r.result_id), result_id FROM result r WHERE entry_id = ?1 ORDER BY ordinal",
    [W_SAMPLE] = "SELECT s.value, s.t_s, s.mpi_rank, s.mark FROM result_row r JOIN sample_row s"
                 " ON s.sample_id BETWEEN r.first_sample AND r.last_sample WHERE r.result_id = ?1"
                 " ORDER BY s.sample_id",
    [W_TELEMETRY] = "SELECT sensor, quantity, unit, t_s, value FROM telemetry WHERE entry_id = ?1"
                    " ORDER BY sensor, quantity, t_s",
    [W_SPAN] = "SELECT span, within, kernel, provider, calls, time_s, ops, bytes_B FROM span"
               " WHERE entry_id = ?1 ORDER BY place",
    [W_RANK] = "SELECT mpi_rank, host, device, binding FROM rank WHERE entry_id = ?1 ORDER BY 1",
    [W_PIECE] = "SELECT p.piece, p.role FROM part p JOIN entry_row e ON e.entry_id = p.piece"
                " WHERE p.whole = ?1 ORDER BY e.entry_key, e.entry_key_low",
};

typedef struct {
    abdb_db *db;
    const abdb_sink *sink;
    sqlite3_stmt *statement[W_COUNT];
    abdb_arena arena; /* of one entry */
    abdb_entry entry;
    sqlite3_int64 id; /* of it */
    bool failed;      /* no memory for all of it */
    abdb_error *err;
} scanner;

static const char *copy_to_entry_arena(scanner *w, const char *text)
{
    const char *kept = text ? abdb_arena_copy(&w->arena, text, strlen(text)) : NULL;

    w->failed |= text && !kept;
    return kept;
}

/* A column that may be missing, and one that must not be: "" in a damaged file. */
static const char *copy_column_or_null(scanner *w, sqlite3_stmt *s, int i)
{
    return copy_to_entry_arena(w, abdb_sql_text_or_null(s, i));
}

static const char *copy_column_or_empty(scanner *w, sqlite3_stmt *s, int i)
{
    return copy_to_entry_arena(w, abdb_sql_text_or_empty(s, i));
}

static double column_number_or_nan(sqlite3_stmt *s, int i)
{
    return sqlite3_column_type(s, i) == SQLITE_NULL ? NAN : sqlite3_column_double(s, i);
}

/* An entry too large for a record, perhaps written by another program: refused, because the part
 * beyond the limit would be lost. */
static abdb_status fail_entry_exceeds_limit(const scanner *w, const char *what, int most)
{
    return ABDB_FAIL(w->err, ABDB_LIMIT,
                     "%s: entry_row %lld has more than %d %s, as abdb writes none; no record has"
                     " room for them: `abdb merge` takes them all",
                     w->db->path, (long long)w->id, most, what);
}

/* Reads the factors of a point into the scanner's entry. */
static abdb_status read_entry_factors(scanner *w, sqlite3_int64 point)
{
    sqlite3_stmt *s = w->statement[W_FACTOR];
    int code;

    sqlite3_bind_int64(s, 1, point);
    while ((code = sqlite3_step(s)) == SQLITE_ROW && w->entry.factors < ABDB_FACTOR_MAX) {
        const char *state = abdb_sql_text_or_empty(s, 1);

        w->entry.factor[w->entry.factors++] =
            (abdb_factor){.name = copy_column_or_empty(w, s, 0),
                          .text = copy_column_or_empty(w, s, 2),
                          .num = column_number_or_nan(s, 3),
                          .unit = copy_column_or_null(w, s, 4),
                          .state = strcmp(state, "known") == 0     ? ABDB_KNOWN
                                   : strcmp(state, "unknown") == 0 ? ABDB_UNKNOWN
                                                                   : ABDB_INAPPLICABLE};
    }
    sqlite3_reset(s);
    if (code == SQLITE_ROW) return fail_entry_exceeds_limit(w, "factors", ABDB_FACTOR_MAX);
    return code == SQLITE_DONE ? ABDB_OK : abdb_db_report_sqlite_error(w->db, w->err, "factors");
}

/* A place for one more element in a list of the arena, which doubles when `count` is a power of
 * two; old copies stay in the arena until it is cleared. NULL: no memory. */
static void *append_slot_to_arena_list(scanner *w, void **list, size_t count, size_t size)
{
    void *bigger;

    if (count && (count & (count - 1)) != 0) return (char *)*list + count * size;
    bigger = abdb_arena_alloc(&w->arena, (count ? 2 * count : 1) * size);
    if (!bigger) return NULL;
    if (count) memcpy(bigger, *list, count * size);
    *list = bigger;
    return (char *)bigger + count * size;
}

static long column_rank_or_none(sqlite3_stmt *s, int i)
{
    return sqlite3_column_type(s, i) == SQLITE_NULL ? -1 : (long)sqlite3_column_int64(s, i);
}

static void read_sample_row(scanner *w, sqlite3_stmt *s, void *at)
{
    *(abdb_sample *)at = (abdb_sample){.value = sqlite3_column_double(s, 0),
                                       .t_s = column_number_or_nan(s, 1),
                                       .rank = column_rank_or_none(s, 2),
                                       .mark = copy_column_or_null(w, s, 3)};
}

static void read_telemetry_row(scanner *w, sqlite3_stmt *s, void *at)
{
    *(abdb_telemetry *)at = (abdb_telemetry){.sensor = copy_column_or_empty(w, s, 0),
                                             .quantity = copy_column_or_empty(w, s, 1),
                                             .unit = copy_column_or_empty(w, s, 2),
                                             .t_s = sqlite3_column_double(s, 3),
                                             .value = sqlite3_column_double(s, 4)};
}

/* Reads a span from the current row into the place at. */
static void read_span_row(scanner *w, sqlite3_stmt *s, void *at)
{
    *(abdb_span *)at = (abdb_span){.name = copy_column_or_empty(w, s, 0),
                                   .within = copy_column_or_null(w, s, 1),
                                   .kernel = copy_column_or_null(w, s, 2),
                                   .provider = copy_column_or_null(w, s, 3),
                                   .calls = sqlite3_column_int64(s, 4),
                                   .time_s = sqlite3_column_double(s, 5),
                                   .ops = column_number_or_nan(s, 6),
                                   .bytes = column_number_or_nan(s, 7)};
}

static void read_rank_row(scanner *w, sqlite3_stmt *s, void *at)
{
    *(abdb_rank *)at = (abdb_rank){.rank = column_rank_or_none(s, 0),
                                   .host = copy_column_or_empty(w, s, 1),
                                   .device = copy_column_or_null(w, s, 2),
                                   .binding = copy_column_or_null(w, s, 3)};
}

/* The rows of one number, as a list of the arena. */
static abdb_status read_rows_into_arena_list(scanner *w, scan_statement which, sqlite3_int64 id,
                                             size_t size,
                                             void (*read_row)(scanner *, sqlite3_stmt *, void *),
                                             void **list, size_t *count)
{
    sqlite3_stmt *s = w->statement[which];
    int code;

    *list = NULL;
    *count = 0;
    sqlite3_bind_int64(s, 1, id);
    while ((code = sqlite3_step(s)) == SQLITE_ROW) {
        void *at = append_slot_to_arena_list(w, list, *count, size);

        if (!at) break;
        read_row(w, s, at);
        (*count)++;
    }
    sqlite3_reset(s);
    if (code == SQLITE_ROW) return ABDB_FAIL(w->err, ABDB_NOMEM, "an entry");
    return code == SQLITE_DONE ? ABDB_OK : abdb_db_report_sqlite_error(w->db, w->err, "an entry");
}

/* Reads an entry's telemetry, spans and ranks; the lists live as long as the arena of the scanner.
 */
static abdb_status read_telemetry_spans_ranks(scanner *w, sqlite3_int64 id)
{
    abdb_entry *e = &w->entry;
    void *list;
    abdb_status st = ABDB_OK;

    TRY(read_rows_into_arena_list(w, W_TELEMETRY, id, sizeof *e->telemetry, read_telemetry_row,
                                  &list, &e->telemetries));
    e->telemetry = list;
    TRY(read_rows_into_arena_list(w, W_SPAN, id, sizeof *e->span, read_span_row, &list, &e->spans));
    e->span = list;
    TRY(read_rows_into_arena_list(w, W_RANK, id, sizeof *e->rank, read_rank_row, &list, &e->ranks));
    e->rank = list;
done:
    return st;
}

/* Reads an entry's results and their samples in stored order. */
static abdb_status read_entry_results(scanner *w, sqlite3_int64 id)
{
    sqlite3_stmt *s = w->statement[W_RESULT];
    void *samples;
    abdb_status st = ABDB_OK;
    int code;

    sqlite3_bind_int64(s, 1, id);
    while ((code = sqlite3_step(s)) == SQLITE_ROW && w->entry.results < ABDB_RESULT_MAX) {
        abdb_result *r = &w->entry.result[w->entry.results++];

        *r = (abdb_result){.metric = copy_column_or_empty(w, s, 0),
                           .statistic = copy_column_or_empty(w, s, 1),
                           .rank = column_rank_or_none(s, 2),
                           .x = column_number_or_nan(s, 3),
                           .value = sqlite3_column_double(s, 4),
                           .raw_value = copy_column_or_null(w, s, 5),
                           .raw_unit = copy_column_or_null(w, s, 6),
                           .cell = copy_column_or_null(w, s, 7),
                           .n = sqlite3_column_int64(s, 8),
                           .low = column_number_or_nan(s, 9),
                           .high = column_number_or_nan(s, 10),
                           .spread = copy_column_or_null(w, s, 11),
                           .formula = copy_column_or_null(w, s, 12),
                           .fact = copy_column_or_null(w, s, 13)};
        TRY(read_rows_into_arena_list(w, W_SAMPLE, sqlite3_column_int64(s, 14), sizeof *r->sample,
                                      read_sample_row, &samples, &r->samples));
        r->sample = samples;
    }
    if (code == SQLITE_ROW) TRY(fail_entry_exceeds_limit(w, "results", ABDB_RESULT_MAX));
    if (code != SQLITE_DONE) TRY(abdb_db_report_sqlite_error(w->db, w->err, "results"));
done:
    sqlite3_reset(s);
    return st;
}

/* Removes defaults that were filled in for missing values: the key is made of the given values.
 */
static void remove_default_fields(abdb_entry *e)
{
    static const struct {
        abdb_field field;
        const char *text;
    } filled[] = {
        {ABDB_FIELD_status, "ok"}, {ABDB_FIELD_verified, "unknown"}, {ABDB_FIELD_flags, ""}};

    for (size_t i = 0; i < sizeof filled / sizeof filled[0]; i++) {
        const char *text = e->field[filled[i].field];

        if (text && strcmp(text, filled[i].text) == 0) e->field[filled[i].field] = NULL;
    }
}

/* Reads one entry back into the record that it came from and hands it over. The order of the
 * columns is that of the statement W_ENTRY: all fields by their numbers, then the rest. */
static abdb_status read_entry_pass_to_sink(scanner *w, sqlite3_int64 id, size_t pieces,
                                           const char *role)
{
    sqlite3_stmt *s = w->statement[W_ENTRY];
    sqlite3_int64 point = 0;
    abdb_status st = ABDB_OK;

    abdb_arena_clear(&w->arena);
    w->id = id;
    w->entry = (abdb_entry){.pieces = pieces, .role = role};
    sqlite3_bind_int64(s, 1, id);
    if (sqlite3_step(s) != SQLITE_ROW) TRY(abdb_db_report_sqlite_error(w->db, w->err, "an entry"));
    for (int i = 0; i < ABDB_FIELD_COUNT; i++) w->entry.field[i] = copy_column_or_null(w, s, i);
    point = sqlite3_column_int64(s, ABDB_FIELD_COUNT);
    w->entry.environment = copy_column_or_null(w, s, ABDB_FIELD_COUNT + 1);
    w->entry.origin = sqlite3_column_type(s, ABDB_FIELD_COUNT + 2) == SQLITE_NULL
                          ? ABDB_ORIGIN_NONE
                          : sqlite3_column_int64(s, ABDB_FIELD_COUNT + 2);
    w->entry.process =
        (abdb_process){.campaign = copy_column_or_null(w, s, ABDB_FIELD_COUNT + 3),
                       .backend = copy_column_or_null(w, s, ABDB_FIELD_COUNT + 4),
                       .repetition = (long)sqlite3_column_int64(s, ABDB_FIELD_COUNT + 5),
                       .start = (long)sqlite3_column_int64(s, ABDB_FIELD_COUNT + 6),
                       .started = copy_column_or_null(w, s, ABDB_FIELD_COUNT + 7)};
    remove_default_fields(&w->entry);
    TRY(read_entry_factors(w, point));
    TRY(read_entry_results(w, id));
    if (!w->entry.field[ABDB_FIELD_evidence]) w->entry.field[ABDB_FIELD_evidence] = "";
    TRY(read_telemetry_spans_ranks(w, id));
    if (w->failed) TRY(ABDB_FAIL(w->err, ABDB_NOMEM, "an entry"));
    TRY(w->sink->entry(w->sink->self, &w->entry, w->err));
    TRY(w->sink->row_end(w->sink->self, w->err));
done:
    sqlite3_reset(s);
    return st;
}

/* A score: its pieces, then itself. */
static abdb_status pass_pieces_then_whole(scanner *w, sqlite3_int64 id)
{
    sqlite3_stmt *s = w->statement[W_PIECE];
    sqlite3_int64 piece[ABDB_PIECE_MAX];
    size_t count = 0;
    char role[64] = "";
    int code;
    abdb_status st = ABDB_OK;

    w->id = id;
    sqlite3_bind_int64(s, 1, id);
    while ((code = sqlite3_step(s)) == SQLITE_ROW && count < ABDB_PIECE_MAX) {
        const char *text = abdb_sql_text_or_empty(s, 1);

        piece[count++] = sqlite3_column_int64(s, 0);
        snprintf(role, sizeof role, "%s", text);
    }
    if (code == SQLITE_ROW) TRY(fail_entry_exceeds_limit(w, "parts", ABDB_PIECE_MAX));
    if (code != SQLITE_DONE) TRY(abdb_db_report_sqlite_error(w->db, w->err, "parts"));
    sqlite3_reset(s);
    for (size_t i = 0; i < count; i++) TRY(read_entry_pass_to_sink(w, piece[i], 0, NULL));
    TRY(read_entry_pass_to_sink(w, id, count, role));
done:
    sqlite3_reset(s);
    return st;
}

/* Entries that are neither whole nor piece, then each whole. Withdrawn entries are not copied: a
 * file's withdrawal names the file, which is unknown in a copy. */
static abdb_status pass_entries_to_sink_in_key_order(scanner *w, const char *entries)
{
    static const char *const order[] = {
        "SELECT entry_id FROM entry_row e WHERE entry_id IN (%s) AND entry_id NOT IN (SELECT piece"
        " FROM part)"
        " AND entry_id NOT IN (SELECT whole FROM part) ORDER BY entry_key, entry_key_low",
        "SELECT entry_id FROM entry_row e WHERE entry_id IN (%s) AND entry_id IN (SELECT whole FROM"
        " part)"
        " ORDER BY entry_key, entry_key_low"};
    abdb_status st = ABDB_OK;

    for (int k = 0; k < 2 && st == ABDB_OK; k++) {
        sqlite3_stmt *s = NULL;
        char *sql = sqlite3_mprintf(order[k], entries ? entries : "SELECT entry_id FROM entry");
        int code = sql ? sqlite3_prepare_v2(w->db->sql, sql, -1, &s, NULL) : SQLITE_NOMEM;

        while (st == ABDB_OK && (code == SQLITE_OK || code == SQLITE_ROW)) {
            code = sqlite3_step(s);
            if (code != SQLITE_ROW) break;
            st = k ? pass_pieces_then_whole(w, sqlite3_column_int64(s, 0))
                   : read_entry_pass_to_sink(w, sqlite3_column_int64(s, 0), 0, NULL);
        }
        if (st == ABDB_OK && code != SQLITE_DONE)
            st = abdb_db_report_sqlite_error(w->db, w->err, "entries");
        sqlite3_finalize(s);
        sqlite3_free(sql);
    }
    return st;
}

abdb_status abdb_store_scan_into_sink(abdb_db *db, const char *entry_ids_sql, const abdb_sink *sink,
                                      abdb_error *err)
{
    scanner *w = calloc(1, sizeof *w);
    abdb_status st = ABDB_OK;

    if (!w) return ABDB_FAIL(err, ABDB_NOMEM, "a scan");
    w->db = db;
    w->sink = sink;
    w->err = err;
    for (int i = 0; i < W_COUNT; i++)
        if (sqlite3_prepare_v2(db->sql, scan_sql[i], -1, &w->statement[i], NULL) != SQLITE_OK)
            TRY(abdb_db_report_sqlite_error(db, err, "a scan"));
    if (!entry_ids_sql) TRY(abdb_store_pass_facts_to_sink(db, sink, err));
    TRY(pass_entries_to_sink_in_key_order(w, entry_ids_sql));
done:
    for (int i = 0; i < W_COUNT; i++) sqlite3_finalize(w->statement[i]);
    abdb_arena_free(&w->arena);
    free(w);
    return st;
}

/* redact.c - records without private texts: a sink that copies each record, replaces every text
 * that is not on the list (redact.def) by a pseudonym, and hands the copy on. Unlisted texts are
 * never exported, so a new column stays private until a developer lists it. See redact.h. */
#include "query/export/redact.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "query/answer/sql_rows.h"
#include "query/cli/command_line.h"
#include "query/export/shipped_records.h"
#include "query/export/redact_allowlist.h"
#include "schema/core/record_json.h"
#include "schema/functions/authorizer.h"
#include "schema/store/digest.h"
#include "schema/store/scan.h"

struct abdb_redaction {
    abdb_db *db;
    char salt[64];
    abdb_shipped_records known; /* data shipped with abdb */
    const char *keep;           /* "name,name" */
    sqlite3_stmt *canon;        /* of a device */
    sqlite3 *ledger;            /* of --list, or NULL */
    sqlite3_stmt *note;
    const abdb_sink *next;
    abdb_entry entry;
    abdb_arena arena; /* of one entry */
    abdb_text text;
    bool failed; /* no memory */
    long replaced, stayed;
};

/* --- one text --------------------------------------------------------------------------------- */

/* For --list: notes the text that is exported (NULL: none) in place of the original text. */
static void log_for_preview(abdb_redaction *r, const char *column, const char *exported_text,
                            const char *original_text)
{
    if (!r->note) return;
    sqlite3_bind_text(r->note, 1, column, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(r->note, 2, exported_text, -1, SQLITE_TRANSIENT);
    sqlite3_bind_text(r->note, 3, original_text, -1, SQLITE_TRANSIENT);
    r->failed |= sqlite3_step(r->note) != SQLITE_DONE;
    sqlite3_reset(r->note);
}

/* "host-5d41402abc": the first ten digits of SHA-256 of the database's secret and the text. Without
 * the secret, guessed names cannot be tested. From the arena; kind: prefix of the pseudonym. */
static const char *make_pseudonym(abdb_redaction *r, const char *kind, const char *text)
{
    char hex[ABDB_SHA256_HEX];
    const char *out;

    abdb_text_clear(&r->text);
    abdb_text_printf(&r->text, "%s\n%s", r->salt, text);
    abdb_sha256_hex(abdb_text_get(&r->text), r->text.size, hex);
    out = abdb_arena_printf(&r->arena, "%s-%.10s", kind, hex);
    r->failed |= !out || r->text.failed;
    r->replaced++;
    return out ? out : "";
}

/* The text of a column, or its pseudonym; NULL stays NULL. */
static const char *redact_unless_allowed_with_pseudonym_kind(abdb_redaction *r, const char *column,
                                                             const char *kind, const char *text)
{
    const char *out = text;

    if (!text || !*text) return text;
    if (!abdb_list_has_word(r->keep, ',', column, strlen(column)) &&
        !abdb_text_may_be_exported_unredacted(column, text))
        out = make_pseudonym(r, kind, text);
    log_for_preview(r, column, out, out == text ? NULL : text);
    return out;
}

static const char *redact_text_unless_allowlisted(abdb_redaction *r, const char *column,
                                                  const char *text)
{
    return redact_unless_allowed_with_pseudonym_kind(r, column, column, text);
}

/* A device under its canonical name, where it has one. */
static const char *canonicalise_and_redact_device(abdb_redaction *r, const char *text)
{
    const char *canon = text;

    if (!text) return NULL;
    sqlite3_bind_text(r->canon, 1, text, -1, SQLITE_STATIC);
    if (sqlite3_step(r->canon) == SQLITE_ROW) {
        const char *found = abdb_sql_text_or_empty(r->canon, 0);

        canon = abdb_arena_copy(&r->arena, found, strlen(found));
        r->failed |= !canon;
    }
    r->failed |= sqlite3_reset(r->canon) != SQLITE_OK;
    return redact_text_unless_allowlisted(r, "device", canon);
}

/* --- the environment -------------------------------------------------------------------------- */

/* A copy of a JSON value with its texts and numbers replaced unless the column may leave. The
 * caller owns it. */
static json_t *redact_json_value(abdb_redaction *r, const char *column, const json_t *value)
{
    char number[32];
    json_t *list, *element;
    size_t i;

    if (json_is_string(value))
        return json_string(redact_unless_allowed_with_pseudonym_kind(r, column, "value",
                                                                     json_string_value(value)));
    if (json_is_array(value)) {
        list = json_array();
        json_array_foreach(value, i, element)
            json_array_append_new(list, redact_json_value(r, column, element));
        return list;
    }
    if (json_is_number(value)) {
        abdb_format_shortest_double(json_number_value(value), number);
        if (redact_unless_allowed_with_pseudonym_kind(r, column, "value", number) == number)
            return json_deep_copy(value);
        return json_string(make_pseudonym(r, "value", number));
    }
    return json_deep_copy(value); /* true, false or null */
}

/* A copy of an object, redacted member by member; names that are not listed are replaced. The
 * caller owns it. */
static json_t *redact_json_object_and_keys(abdb_redaction *r, json_t *object)
{
    json_t *out = json_object(), *value;
    const char *name;

    json_object_foreach(object, name, value)
    {
        const char *column = abdb_arena_printf(&r->arena, "environment.%s", name);
        bool listed = column && (abdb_list_has_word(r->keep, ',', column, strlen(column)) ||
                                 abdb_column_is_on_export_allowlist(column));

        r->failed |= !column;
        if (!column) break;
        if (json_is_object(value))
            json_object_set_new(
                out, strcmp(name, "variables") == 0 ? name : make_pseudonym(r, "key", name),
                redact_json_object_and_keys(r, value));
        else
            json_object_set_new(out, listed ? name : make_pseudonym(r, "key", name),
                                redact_json_value(r, column, value));
    }
    return out;
}

/* The redacted environment in the arena; NULL if it is no JSON object. */
static const char *redact_environment_json_or_null(abdb_redaction *r, const char *text)
{
    json_t *object = text ? json_loads(text, 0, NULL) : NULL;
    json_t *redacted = json_is_object(object) ? redact_json_object_and_keys(r, object) : NULL;
    char *dumped = redacted ? json_dumps(redacted, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    const char *out = dumped ? abdb_arena_copy(&r->arena, dumped, strlen(dumped)) : NULL;

    r->failed |= redacted && !out;
    free(dumped);
    json_decref(redacted);
    json_decref(object);
    return out;
}

/* --- an entry --------------------------------------------------------------------------------- */

/* Replaces the value of a factor in place unless its column may leave; nodes keep distinct
 * pseudonyms. */
static void redact_factor_name_and_value(abdb_redaction *r, abdb_factor *f)
{
    const char *column = abdb_arena_printf(&r->arena, "factor.%s", f->name), *text;

    r->failed |= !column;
    if (!column) return;
    if (strcmp(f->name, "node") == 0 && f->state == ABDB_KNOWN &&
        !abdb_list_has_word(r->keep, ',', column, strlen(column))) {
        f->text = make_pseudonym(r, "host", f->text); /* nodes stay apart, names do not leave */
        f->num = NAN;
        f->unit = NULL;
        return;
    }
    if (!abdb_list_has_word(r->keep, ',', column, strlen(column)) &&
        !abdb_column_is_on_export_allowlist(column))
        f->name = make_pseudonym(r, "factor", f->name);
    if (f->state != ABDB_KNOWN) return;
    text = redact_unless_allowed_with_pseudonym_kind(r, column, "value", f->text);
    if (text == f->text) return;
    *f = (abdb_factor){.name = f->name, .text = text, .num = NAN, .state = f->state};
}

/* Replaces the texts of a result and its samples in place; its numbers stay. */
static void redact_result_texts(abdb_redaction *r, abdb_result *v)
{
    abdb_sample *sample;

    v->metric = redact_text_unless_allowlisted(r, "metric", v->metric);
    v->statistic = redact_text_unless_allowlisted(r, "statistic", v->statistic);
    if (v->raw_value && !abdb_text_may_be_exported_unredacted("raw_value", v->raw_value))
        v->raw_value = NULL;
    if (v->raw_unit && !abdb_text_may_be_exported_unredacted("raw_unit", v->raw_unit))
        v->raw_value = v->raw_unit = NULL;
    v->cell = redact_text_unless_allowlisted(r, "place", v->cell);
    v->spread = redact_text_unless_allowlisted(r, "spread", v->spread);
    v->formula = redact_text_unless_allowlisted(r, "formula", v->formula);
    v->fact = redact_text_unless_allowlisted(r, "fact", v->fact);
    sample = abdb_arena_alloc(&r->arena, v->samples * sizeof *sample + 1);
    r->failed |= !sample;
    for (size_t i = 0; sample && i < v->samples; i++) {
        sample[i] = v->sample[i];
        sample[i].mark = redact_text_unless_allowlisted(r, "mark", sample[i].mark);
    }
    v->sample = sample;
    log_for_preview(r, "result", "a number", NULL);
}

/* Telemetry, spans, ranks and process belong to the caller: redacted copies in the arena stand
 * in for them. */
static void redact_telemetry_spans_ranks_process(abdb_redaction *r, abdb_entry *e)
{
    abdb_telemetry *telemetry = abdb_arena_alloc(&r->arena, e->telemetries * sizeof *telemetry + 1);
    abdb_span *span = abdb_arena_alloc(&r->arena, e->spans * sizeof *span + 1);
    abdb_rank *rank = abdb_arena_alloc(&r->arena, e->ranks * sizeof *rank + 1);

    r->failed |= !telemetry || !span || !rank;
    if (r->failed) return;
    for (size_t i = 0; i < e->telemetries; i++) {
        telemetry[i] = e->telemetry[i];
        telemetry[i].sensor = redact_text_unless_allowlisted(r, "sensor", telemetry[i].sensor);
        telemetry[i].quantity =
            redact_text_unless_allowlisted(r, "quantity", telemetry[i].quantity);
        telemetry[i].unit = redact_text_unless_allowlisted(r, "unit", telemetry[i].unit);
    }
    for (size_t i = 0; i < e->spans; i++) {
        span[i] = e->span[i];
        span[i].name = redact_text_unless_allowlisted(r, "span", span[i].name);
        span[i].within = redact_text_unless_allowlisted(r, "span", span[i].within);
        span[i].kernel = redact_text_unless_allowlisted(r, "kernel", span[i].kernel);
        span[i].provider = redact_text_unless_allowlisted(r, "provider", span[i].provider);
    }
    for (size_t i = 0; i < e->ranks; i++) {
        rank[i] = e->rank[i];
        rank[i].host = redact_text_unless_allowlisted(r, "host", rank[i].host);
        rank[i].device = canonicalise_and_redact_device(r, rank[i].device);
        rank[i].binding = redact_text_unless_allowlisted(r, "binding", rank[i].binding);
    }
    e->telemetry = telemetry;
    e->span = span;
    e->rank = rank;
    e->process.campaign = redact_text_unless_allowlisted(r, "campaign", e->process.campaign);
    e->process.backend = redact_text_unless_allowlisted(r, "backend", e->process.backend);
    e->process.started = redact_text_unless_allowlisted(r, "started", e->process.started);
}

/* Hands on an entry that abdb ships as it is, any other redacted and without its keys. */
static abdb_status pass_entry_redacted_unless_shipped(void *self, const abdb_entry *entry,
                                                      abdb_error *err)
{
    abdb_redaction *r = self;
    abdb_entry *e = &r->entry;

    abdb_text_clear(&r->text);
    abdb_entry_append_json_line(&r->text, entry);
    if (abdb_is_shipped_record(&r->known, &r->text)) {
        log_for_preview(r, "shipped with abdb", "an entry", NULL);
        return r->next->entry(r->next->self, entry, err);
    }
    abdb_arena_clear(&r->arena);
    *e = *entry;
    for (int i = 0; i < ABDB_FIELD_COUNT; i++) {
        if (i == ABDB_FIELD_device)
            e->field[i] = canonicalise_and_redact_device(r, e->field[i]);
        else if (i != ABDB_FIELD_source || !abdb_is_shipped_source(&r->known, e->field[i]))
            e->field[i] = redact_text_unless_allowlisted(r, abdb_fields[i].name, e->field[i]);
    }
    e->locator = NULL;
    e->role = redact_text_unless_allowlisted(r, "role", e->role);
    e->environment = redact_environment_json_or_null(r, e->environment);
    for (size_t i = 0; i < e->factors; i++) redact_factor_name_and_value(r, &e->factor[i]);
    for (size_t i = 0; i < e->results; i++) redact_result_texts(r, &e->result[i]);
    redact_telemetry_spans_ranks_process(r, e);
    memset(e->key, 0, sizeof e->key); /* they were of the original text */
    if (r->failed) return ABDB_FAIL(err, ABDB_NOMEM, "an entry");
    return r->next->entry(r->next->self, e, err);
}

/* Hands on a fact that abdb ships; counts and withholds a row of the user's. */
static abdb_status pass_shipped_facts_count_withheld_own(void *self, const abdb_fact *fact,
                                                         abdb_error *err)
{
    abdb_redaction *r = self;

    abdb_text_clear(&r->text);
    abdb_fact_append_json_line(&r->text, fact);
    if (abdb_is_shipped_record(&r->known, &r->text)) {
        log_for_preview(r, "shipped with abdb", fact->table, NULL);
        return r->next->fact(r->next->self, fact, err);
    }
    r->stayed++;
    log_for_preview(r, fact->table, NULL, "a row of your own");
    return r->failed ? ABDB_FAIL(err, ABDB_NOMEM, "a fact") : ABDB_OK;
}

static abdb_status pass_row_end(void *self, abdb_error *err)
{
    abdb_redaction *r = self;

    return r->next->row_end(r->next->self, err);
}

abdb_sink abdb_redaction_sink(abdb_redaction *r, const abdb_sink *next)
{
    r->next = next;
    return (abdb_sink){r, pass_entry_redacted_unless_shipped, pass_shipped_facts_count_withheld_own,
                       abdb_sink_ignore_reject, pass_row_end};
}

/* --- the whole -------------------------------------------------------------------------------- */

/* The secret of this database; where it holds none, a random one for this export only. */
static abdb_status load_or_generate_pseudonym_salt(abdb_redaction *r, abdb_error *err)
{
    static const char sql[] = "SELECT coalesce((SELECT value FROM meta WHERE key = 'pseudonyms'),"
                              " lower(hex(randomblob(16))))";
    sqlite3_stmt *s = NULL;
    int code = sqlite3_prepare_v2(r->db->sql, sql, -1, &s, NULL);

    if (code == SQLITE_OK) code = sqlite3_step(s);
    if (code == SQLITE_ROW) snprintf(r->salt, sizeof r->salt, "%s", abdb_sql_text_or_empty(s, 0));
    sqlite3_finalize(s);
    return code == SQLITE_ROW ? ABDB_OK : abdb_db_report_sqlite_error(r->db, err, "meta");
}

/* Is every name of --keep a column that abdb may have? */
static abdb_status require_known_kept_columns(const char *keep, abdb_error *err)
{
    for (const char *at = keep; at && *at; at += strspn(at, ",")) {
        size_t size = strcspn(at, ",");
        char name[100];

        snprintf(name, sizeof name, "%.*s", (int)size, at);
        if (abdb_field_index_by_name(name) < 0 && strncmp(name, "factor.", 7) != 0 &&
            strncmp(name, "environment.", 12) != 0)
            return ABDB_FAIL(err, ABDB_USAGE,
                             "--keep %s: it is no column of an entry; --redacted --list shows them,"
                             " factors as factor.NAME",
                             name);
        at += size;
    }
    return ABDB_OK;
}

abdb_status abdb_redaction_open(abdb_redaction **out, abdb_db *db, const char *keep,
                                abdb_error *err)
{
    static const char canon[] = "SELECT canon FROM name WHERE kind = 'device' AND spelling = ?1"
                                " AND parts = 1 AND how <> 'unresolved'";
    abdb_redaction *r = calloc(1, sizeof *r);
    abdb_status st = ABDB_OK;

    if (!r) return ABDB_FAIL(err, ABDB_NOMEM, "a redacted export");
    r->db = db;
    r->keep = keep;
    TRY(require_known_kept_columns(keep, err));
    TRY(load_or_generate_pseudonym_salt(r, err));
    if (sqlite3_prepare_v2(db->sql, canon, -1, &r->canon, NULL) != SQLITE_OK)
        TRY(abdb_db_report_sqlite_error(db, err, "names"));
    TRY(abdb_shipped_records_import_and_digest(&r->known, err));
    *out = r;
    r = NULL;
done:
    abdb_redaction_close(r);
    return st;
}

void abdb_redaction_close(abdb_redaction *r)
{
    if (!r) return;
    sqlite3_finalize(r->canon);
    sqlite3_finalize(r->note);
    sqlite3_close(r->ledger);
    abdb_shipped_records_free(&r->known);
    abdb_arena_free(&r->arena);
    abdb_text_free(&r->text);
    free(r);
}

abdb_status abdb_redaction_pass_records_to_sink(abdb_redaction *r, const char *entries,
                                                const abdb_sink *next, abdb_error *err)
{
    abdb_sink sink = abdb_redaction_sink(r, next);
    abdb_status st = ABDB_OK;

    r->replaced = r->stayed = 0;
    if (!entries) TRY(abdb_store_pass_facts_to_sink(r->db, &sink, err));
    /* the view omits withdrawn entries, and their withdrawals are not exported */
    TRY(abdb_store_scan_into_sink(r->db, entries ? entries : "SELECT entry_id FROM entry", &sink,
                                  err));
done:
    return st;
}

long abdb_redaction_count_replaced(const abdb_redaction *r)
{
    return r->replaced;
}

long abdb_redaction_count_withheld(const abdb_redaction *r)
{
    return r->stayed;
}

static abdb_status ignore_entry(void *self, const abdb_entry *entry, abdb_error *err)
{
    (void)self, (void)entry, (void)err;
    return ABDB_OK;
}

static abdb_status ignore_fact(void *self, const abdb_fact *fact, abdb_error *err)
{
    (void)self, (void)fact, (void)err;
    return ABDB_OK;
}

abdb_status abdb_redaction_preview_to_table(abdb_redaction *r, const char *entries, abdb_table *out,
                                            abdb_error *err)
{
    static const char make[] =
        "CREATE TABLE ledger (what, leaves, instead, times, PRIMARY KEY (what, leaves, instead))";
    static const char add[] = "INSERT INTO ledger VALUES (?1, coalesce(?2, ''), coalesce(?3, ''),"
                              " 1) ON CONFLICT DO UPDATE SET times = times + 1";
    static const char all[] =
        "SELECT what AS \"column\", nullif(leaves, '') AS leaves, nullif(instead, '') AS"
        " \"instead of\", times FROM ledger ORDER BY leaves = '', instead <> '', what, times DESC,"
        " leaves";
    const abdb_sink nowhere = {NULL, ignore_entry, ignore_fact, abdb_sink_ignore_reject,
                               abdb_sink_ignore_row_end};
    abdb_status st = ABDB_OK;

    if (abdb_sql_open_hardened(&r->ledger, ":memory:", SQLITE_OPEN_READWRITE) != SQLITE_OK ||
        sqlite3_exec(r->ledger, make, NULL, NULL, NULL) != SQLITE_OK ||
        sqlite3_prepare_v2(r->ledger, add, -1, &r->note, NULL) != SQLITE_OK)
        TRY(ABDB_FAIL(err, ABDB_NOMEM, "a list of what would leave"));
    TRY(abdb_redaction_pass_records_to_sink(r, entries, &nowhere, err));
    TRY(abdb_query_to_table(r->ledger, all, NULL, out, err));
done:
    return st;
}

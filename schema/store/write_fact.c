/* write_fact.c - the sink's rows of dictionaries and published facts: sources, devices, models,
 * aliases, specifications, prices. A published fact has a key made from its content, and nothing
 * changes it; a row of a dictionary is named by its first columns, and later words replace earlier
 * ones. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "schema/core/units.h"
#include "schema/store/derive.h"
#include "schema/store/digest.h"
#include "schema/store/writer_internal.h"

static const fact_table fact_tables[] = {
    {"source", NULL, "source", " source kind title author url published retrieved licence rank "},
    {"device", NULL, "device",
     " device vendor architecture form_factor memory kind dies year source locator "},
    {"model", NULL, "model",
     " model task family accuracy_target parameters parameters_active layers hidden_size heads "
     "kv_heads vocabulary"
     " source locator "},
    {"alias", NULL, "kind, spelling, part", " kind spelling part canon share source "},
    {"spec", "spec_key, spec_key_low", NULL,
     " device quantity dtype engine sparsity basis power_limit value unit raw_value raw_unit note"
     " source locator date "},
    {"price", "price_key, price_key_low", NULL,
     " provider instance device devices kind region amount currency per valid_from raw_value source"
     " locator "},
    {"provider", NULL, "provider", " provider kind source locator "},
    {"fabric", NULL, "provider, instance", " provider instance fabric source locator "},
    {"exchange_rate", NULL, "currency, day", " currency day usd source locator "},
    {"note", "note_key, note_key_low", NULL, " kind target text author date "},
    {"claim", NULL, "claim",
     " claim source locator sentence raw_value stated upper words how coefficient offset missing "},
    {"claim_term", NULL, "claim, term", " claim term part power fact "},
    {"rule", NULL, "rule",
     " rule effect scope_factor scope_value factor test a b sentence source locator "},
    {"compatibility", NULL, "suite, system_type, benchmark, scenario, since",
     " suite system_type benchmark scenario since until source locator "},
    {"workload_factor", NULL, "workload, factor", " workload factor role needed why "},
    {"spec_order", NULL, "place", " place standing source_kind note sentence source locator "},
    {"spec_ratio", NULL, "ratio, low",
     " ratio low high of_quantity of_dtype of_engine of_sparsity to_quantity to_dtype to_engine"
     " to_sparsity to_basis sentence source locator "},
    {"spec_doubt", NULL, "doubt",
     " doubt effect device architecture quantity dtype engine sparsity said_by stated sentence"
     " source locator "},
    {"workload_engine", NULL, "workload", " workload engine why "},
    {"decoration", NULL, "place", " place pattern says meaning factor factor_unit source locator "},
    {"figure_rule", NULL, "place",
     " place since until model scenario ran counted figure times raw_unit source locator "},
    {"score_rule", NULL, "place", " place since until benchmark runs dropped source locator "},
    {"mark", NULL, "mark", " mark effect sentence source locator "},
    {"official_result", NULL, "suite, round, public_id, model, scenario, stated",
     " suite round system_type public_id model scenario submitter system stated source "},
    {"scenario_limit", NULL, "suite, round, benchmark, scenario, quantity",
     " suite round benchmark scenario quantity percentile limit_s source locator "},
    {"accept_check", NULL, "place",
     " place name suite workload measured pair same least_factor least others floor near effect "
     "why "
     "source"
     " locator "},
    {"withdrawal", NULL, NULL, " target reason date event "},
    {"factor", NULL, "factor", " factor unit meaning "},
    {"round", NULL, "suite, round", " suite round published source locator "},
};

abdb_status abdb_writer_store_or_reject_fact_name(abdb_writer *w, const char *name,
                                                  const char *kind, sqlite3_int64 id, long line,
                                                  abdb_error *err)
{
    char reason[160];
    abdb_reject reject = {.line = line, .field = "fact", .reason = reason, .raw = name};
    sqlite3_stmt *find = w->statement[S_NAME_FIND], *keep = w->statement[S_NAME];
    int same;
    abdb_status st = ABDB_OK;

    for (int i = 0; i < 2; i++) {
        sqlite3_stmt *s = i ? find : keep;

        abdb_bind_text_or_null(s, 1, name);
        abdb_bind_text_or_null(s, 2, kind);
        sqlite3_bind_int64(s, 3, id);
    }
    TRY(abdb_writer_run_and_reset_statement(w, S_NAME, err));
    if (sqlite3_changes(w->db->sql)) w->unit_dirty = 1;
    /* Does the name mean this fact, now or before? Else it was another's. */
    same = sqlite3_step(find) == SQLITE_ROW;
    if (sqlite3_reset(find) != SQLITE_OK) TRY(abdb_db_report_sqlite_error(w->db, err, "a name"));
    if (same) return ABDB_OK;
    snprintf(reason, sizeof reason, "the name '%.80s' belongs to another fact already", name);
    TRY(abdb_writer_count_and_store_reject(w, &reject, err));
done:
    return st;
}

/* Names a published fact and notes its place in a source. */
static abdb_status insert_origin_and_name(abdb_writer *w, const fact_table *table,
                                          const abdb_fact *fact, sqlite3_int64 id, abdb_error *err)
{
    sqlite3_stmt *s = w->statement[S_ORIGIN];
    abdb_status st = ABDB_OK;

    if (w->artifact && strcmp(table->table, "note") != 0) { /* a note is its own source */
        abdb_bind_text_or_null(s, 1, table->table);
        sqlite3_bind_int64(s, 2, id);
        sqlite3_bind_int64(s, 3, w->artifact);
        abdb_bind_text_or_null(s, 4, fact->locator ? fact->locator : "");
        TRY(abdb_writer_run_and_reset_statement(w, S_ORIGIN, err));
    }
    if (fact->fact)
        TRY(abdb_writer_store_or_reject_fact_name(w, fact->fact, table->table, id, fact->line,
                                                  err));
done:
    return st;
}

/* The column of that name as text, or NULL; its number in *num. */
static const char *find_fact_column_text(const abdb_fact *fact, const char *name, double *num)
{
    for (size_t i = 0; i < fact->columns; i++)
        if (strcmp(fact->column[i].name, name) == 0) {
            if (num) *num = fact->column[i].num;
            return fact->column[i].text;
        }
    return NULL;
}

/* Is the text digits with at most one point, without a zero before them, as a number is written
 * plainly? */
static bool is_plain_decimal_text(const char *text)
{
    size_t lead, size;

    text += *text == '-';
    lead = size = strspn(text, "0123456789");
    if (text[size] == '.') size += 1 + strspn(text + size + 1, "0123456789");
    return !text[size] && (lead < 2 || *text != '0');
}

/* Writes a raw value ("1,935", "$2,490.00", "1.9e3 GB/s") with its number in the plain spelling.
 * False: the number is spelled plainly already, or is not the value of the fact. */
static bool rewrite_raw_number_plainly(const abdb_fact *fact, const char *raw, char plain[128])
{
    static const abdb_decimal_mark marks[] = {ABDB_MARK_POINT, ABDB_MARK_COMMA};
    size_t head = raw ? strspn(raw, "$ ") : 0, digits;
    const abdb_unit *unit = NULL;
    double value = NAN, number;
    char text[64], printed[32];

    if (!raw) return false;
    digits = abdb_number_chars_prefix_length(raw + head);
    while (digits && strchr("eE", raw[head + digits - 1])) digits--;
    if (!digits || digits >= sizeof text || strlen(raw) >= 90) return false;
    memcpy(text, raw + head, digits);
    text[digits] = '\0';
    if (strcmp(fact->table, "price") == 0) {
        (void)find_fact_column_text(fact, "amount", &value);
    } else {
        const char *name = find_fact_column_text(fact, "raw_unit", NULL);

        (void)find_fact_column_text(fact, "value", &value);
        unit = name ? abdb_unit_find(name) : NULL;
    }
    for (int i = 0; i < 2; i++) {
        if (!abdb_double_parse(text, marks[i], &number)) continue;
        if ((unit ? abdb_unit_to_base_value(unit, number) : number) != value) continue;
        if (marks[i] == ABDB_MARK_POINT && is_plain_decimal_text(text)) return false;
        abdb_format_shortest_double(number, printed);
        snprintf(plain, 128, "%.*s%s%s", (int)head, raw, printed, raw + head + digits);
        return true;
    }
    return false;
}

/* The key of a published fact: of its columns in the order of the table, whatever their order and
 * form in a file; a missing column counts with the table's default. */
static abdb_key fact_content_key(abdb_text *text, const fact_table *table, const abdb_fact *fact)
{
    const char *names = table->columns;
    char plain[128];

    abdb_text_clear(text);
    abdb_text_puts(text, fact->table);
    while (*(names += strspn(names, " "))) {
        int size = (int)strcspn(names, " ");
        bool said = false;

        for (size_t i = 0; i < fact->columns; i++) {
            const char *name = fact->column[i].name;

            if (strncmp(name, names, (size_t)size) != 0 || name[size]) continue;
            said = fact->column[i].text || isfinite(fact->column[i].num);
            if (strcmp(name, "raw_value") == 0 &&
                rewrite_raw_number_plainly(fact, fact->column[i].text, plain))
                abdb_text_printf(text, "\x1f%s=%s", name, plain);
            else if (fact->column[i].text)
                abdb_text_printf(text, "\x1f%s=%s", name, fact->column[i].text);
            else if (said)
                abdb_text_printf(text, "\x1f%s=%.17g", name, fact->column[i].num);
        }
        /* The default of the column is part of the key of facts without this column. */
        if (!said && strncmp(names, "basis ", 6) == 0)
            abdb_text_puts(text, "\x1f"
                                 "basis=card");
        names += size;
    }
    return abdb_sha256_key_of_bytes(abdb_text_get(text), text->size);
}

/* Why the store cannot keep a fact: a column that its table does not have, a date that is none, a
 * price of nothing. NULL: it can; else the column. */
static const char *find_invalid_column_of_fact_and_reason(const fact_table *table,
                                                          const abdb_fact *fact, char *reason,
                                                          size_t room)
{
    bool price = strcmp(fact->table, "price") == 0;

    for (size_t i = 0; i < fact->columns; i++) {
        const char *name = fact->column[i].name, *text = fact->column[i].text;

        if (!*name || !abdb_list_has_word(table->columns, ' ', name, strlen(name))) {
            snprintf(reason, room, "a record '%s' has no '%.60s'; it may have:%.*s", table->table,
                     name, (int)strlen(table->columns) - 1, table->columns);
            return name;
        }
        if (price && strcmp(name, "amount") == 0 && fact->column[i].num <= 0) {
            snprintf(reason, room, "a price of 0: nothing is offered for nothing");
            return name;
        }
        if (!text || !abdb_is_date_column_name(name) || abdb_date_is_stored_iso_or_day_range(text))
            continue;
        abdb_date_error_text(name, text, reason, room);
        return name;
    }
    return NULL;
}

/* The number of a published fact by its key; 0: it is not here. */
static abdb_status find_fact_id_by_key(abdb_writer *w, const fact_table *table, abdb_key key,
                                       sqlite3_int64 *id, abdb_error *err)
{
    char *sql =
        sqlite3_mprintf("SELECT %s_id FROM %s WHERE %s_key = %lld AND %s_key_low = %lld",
                        table->table, table->table, table->table, key.high, table->table, key.low);
    abdb_status st = sql ? abdb_db_query_integer_or_0(w->db, sql, id, err)
                         : ABDB_FAIL(err, ABDB_NOMEM, "a fact");

    sqlite3_free(sql);
    return st;
}

/* Marks the parts made stale by a change of a dictionary: their derived rows are made anew. Each is
 * marked once in a transaction. */
static abdb_status mark_derived_rows_stale(abdb_writer *w, const fact_table *table, abdb_error *err)
{
    static const struct {
        const char *table, *mark;
    } stale[] = {{"device", "names"},     {"model", "names"},     {"alias", "names"},
                 {"decoration", "names"}, {"withdrawal", "gone"}, {"source", "sources"}};

    w->row_new = w->unit_dirty = 1;
    for (unsigned i = 0; i < sizeof stale / sizeof stale[0]; i++) {
        if (strcmp(table->table, stale[i].table) != 0 || w->marked_stale & 1u << i) continue;
        w->marked_stale |= 1u << i;
        return abdb_derive_mark_stale(w->db, stale[i].mark, err);
    }
    return ABDB_OK;
}

/* Adds the sources that a fact names, as sources of a user, where they are new. */
static abdb_status insert_sources_of_fact(abdb_writer *w, const abdb_fact *fact, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < fact->columns; i++) {
        if (strcmp(fact->column[i].name, "source") != 0) continue;
        abdb_bind_text_or_null(w->statement[S_SOURCE], 1, fact->column[i].text);
        abdb_bind_text_or_null(w->statement[S_SOURCE], 2, "user");
        sqlite3_bind_int(w->statement[S_SOURCE], 3, 50);
        TRY(abdb_writer_run_and_reset_statement(w, S_SOURCE, err));
    }
done:
    return st;
}

/* Inserts the row; a constraint that it breaks makes it a reject. *kept: it is there now. */
static abdb_status insert_fact_or_reject(abdb_writer *w, const fact_table *table,
                                         const abdb_fact *fact, abdb_key key, bool *kept,
                                         abdb_error *err)
{
    sqlite3_stmt *s = NULL;
    int at = 1, code;
    abdb_status st = ABDB_OK;

    *kept = false;
    TRY(abdb_fact_upserts_get(&w->fact_upserts, w->db, table, fact, &s, err));
    if (table->digest_key) {
        abdb_bind_key_parts(s, at, key);
        at += 2;
    }
    for (size_t i = 0; i < fact->columns; i++, at++) {
        if (fact->column[i].text)
            abdb_bind_text_or_null(s, at, fact->column[i].text);
        else
            abdb_bind_finite_or_null(s, at, fact->column[i].num);
    }
    code = sqlite3_step(s);
    if ((code & 0xff) == SQLITE_CONSTRAINT) {
        char reason[300];
        abdb_reject reject = {.line = fact->line, .reason = reason, .raw = fact->locator};

        snprintf(reason, sizeof reason, "not a valid row of %s: %s", fact->table,
                 sqlite3_errmsg(w->db->sql));
        TRY(abdb_writer_count_and_store_reject(w, &reject, err));
    } else if (code != SQLITE_DONE) {
        TRY(abdb_db_report_sqlite_error(w->db, err, fact->table));
    } else {
        *kept = true;
    }
done:
    if (s) {
        sqlite3_reset(s);
        sqlite3_clear_bindings(s);
    }
    return st;
}

/* Inserts a specification, price or note unless its content is stored already; then its place in
 * this file, and its name. */
static abdb_status insert_published_fact_unless_known_add_origin(abdb_writer *w,
                                                                 const fact_table *table,
                                                                 const abdb_fact *fact,
                                                                 abdb_error *err)
{
    abdb_key key = fact_content_key(&w->text, table, fact);
    sqlite3_int64 id = 0;
    bool kept = true;
    abdb_status st = ABDB_OK;

    TRY(insert_sources_of_fact(w, fact, err));
    TRY(find_fact_id_by_key(w, table, key, &id, err));
    if (id) {
        w->row_old = 1;
    } else {
        TRY(insert_fact_or_reject(w, table, fact, key, &kept, err));
        if (!kept) return ABDB_OK;
        id = sqlite3_last_insert_rowid(w->db->sql);
        w->row_new = w->unit_dirty = 1;
    }
    TRY(insert_origin_and_name(w, table, fact, id, err));
done:
    return st;
}

/* Rejects a term of a claim that is not here: its row was rejected, or is of another file. *known:
 * the claim is here. */
static abdb_status reject_term_without_claim(abdb_writer *w, const abdb_fact *fact, bool *known,
                                             abdb_error *err)
{
    const char *claim = find_fact_column_text(fact, "claim", NULL);
    char reason[160];
    abdb_reject reject = {
        .line = fact->line, .field = "claim", .reason = reason, .raw = fact->locator};
    sqlite3_stmt *s = NULL;
    abdb_status st = ABDB_OK;

    if (sqlite3_prepare_v2(w->db->sql, "SELECT 1 FROM claim WHERE claim = ?1", -1, &s, NULL) !=
        SQLITE_OK)
        return abdb_db_report_sqlite_error(w->db, err, "a claim");
    abdb_bind_text_or_null(s, 1, claim);
    *known = sqlite3_step(s) == SQLITE_ROW;
    if (sqlite3_finalize(s) != SQLITE_OK) TRY(abdb_db_report_sqlite_error(w->db, err, "a claim"));
    snprintf(reason, sizeof reason, "there is no claim '%.80s' for this term", claim ? claim : "");
    if (!*known) TRY(abdb_writer_count_and_store_reject(w, &reject, err));
done:
    return st;
}

/* Inserts or replaces a row of a dictionary; if that changed anything, rows derived from it are
 * made again. */
static abdb_status upsert_dictionary_mark_stale(abdb_writer *w, const fact_table *table,
                                                const abdb_fact *fact, abdb_error *err)
{
    bool kept = true;
    abdb_status st = ABDB_OK;

    if (strcmp(table->table, "claim_term") == 0)
        TRY(reject_term_without_claim(w, fact, &kept, err));
    if (!kept) return ABDB_OK;
    if (strcmp(table->table, "claim") == 0) TRY(insert_sources_of_fact(w, fact, err));
    TRY(insert_fact_or_reject(w, table, fact, (abdb_key){0, 0}, &kept, err));
    if (!kept) return ABDB_OK;
    if (sqlite3_changes(w->db->sql))
        TRY(mark_derived_rows_stale(w, table, err));
    else
        w->row_old = 1;
done:
    return st;
}

/* Replaces the text of columns that are numbers by the number, so that each spelling is one fact.
 * NULL, or the column whose text is no number, with reason. */
static const char *parse_fact_numbers_in_place(abdb_fact *fact, char *reason, size_t room)
{
    for (size_t i = 0; i < fact->columns; i++) {
        const char *name = fact->column[i].name, *text = fact->column[i].text;

        if (!text || !abdb_fact_column_is_number(fact->table, name)) continue;
        if (!abdb_fact_parse_number(name, text, ABDB_MARK_UNKNOWN, &fact->column[i].num, reason,
                                    room))
            return name;
        fact->column[i].text = NULL;
    }
    return NULL;
}

abdb_status abdb_writer_store_or_reject_fact(void *self, const abdb_fact *given, abdb_error *err)
{
    const fact_table *table = NULL;
    abdb_writer *w = self;
    abdb_fact copy = *given, *fact = &copy;
    char reason[300];
    abdb_reject reject = {.line = fact->line, .reason = reason, .raw = fact->locator};
    abdb_status st = abdb_writer_begin_and_insert_artifact_once(w, err);

    if (st != ABDB_OK || w->said_by_another) return st;
    for (size_t i = 0; i < sizeof fact_tables / sizeof fact_tables[0]; i++)
        if (strcmp(fact_tables[i].table, fact->table) == 0) table = &fact_tables[i];
    if (!table) return ABDB_FAIL(err, ABDB_DATA, "no table '%s'", fact->table);
    reject.field = find_invalid_column_of_fact_and_reason(table, fact, reason, sizeof reason);
    if (!reject.field) reject.field = parse_fact_numbers_in_place(fact, reason, sizeof reason);
    if (reject.field) return abdb_writer_count_and_store_reject(self, &reject, err);
    return table->digest_key ? insert_published_fact_unless_known_add_origin(self, table, fact, err)
                             : upsert_dictionary_mark_stale(self, table, fact, err);
}

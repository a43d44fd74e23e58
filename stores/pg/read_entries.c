/* read_entries.c - which entries are wanted, and the rows that belong to them; see read_entries.h.
 */
#include "stores/pg/read_entries.h"

#include <ctype.h>
#include <stdlib.h>
#include <stdint.h>
#include <string.h>

enum { CONDITIONS = 32 };

/* Rows of the wanted entries in tables that many entries share. */
static const struct {
    const char *table, *where;
} belongs[] = {
    {"description", "description_id IN (SELECT e.description_id FROM abdb.entry_row e JOIN"
                    " pg_temp.wanted w ON w.entry_id = e.entry_id)"},
    {"point", "point_id IN (SELECT e.point_id FROM abdb.entry_row e JOIN pg_temp.wanted w"
              " ON w.entry_id = e.entry_id)"},
    {"point_factor", "point_id IN (SELECT e.point_id FROM abdb.entry_row e JOIN pg_temp.wanted w"
                     " ON w.entry_id = e.entry_id)"},
    {"environment", "environment_id IN (SELECT e.environment_id FROM abdb.entry_row e JOIN"
                    " pg_temp.wanted w ON w.entry_id = e.entry_id)"},
    {"process", "process_id IN (SELECT e.process_id FROM abdb.entry_row e JOIN pg_temp.wanted w"
                " ON w.entry_id = e.entry_id)"},
    {"part", "whole IN (SELECT entry_id FROM pg_temp.wanted)"},
    {"fact", "kind <> 'result' OR id IN (SELECT r.result_id FROM abdb.result_row r JOIN"
             " pg_temp.wanted w ON w.entry_id = r.entry_id)"},
    {"artifact", "artifact_id IN (SELECT artifact_id FROM pg_temp.wanted_artifact)"},
    {"reject", "artifact_id IN (SELECT artifact_id FROM pg_temp.wanted_artifact)"},
};
static const char *const of_entries[] = {"entry_row", "result_row", "sample_row",  "telemetry",
                                         "span",      "rank",       "witness_row", NULL};

static const char wanted_sql[] =
    "CREATE TEMP TABLE wanted_artifact AS SELECT e.artifact_id FROM abdb.entry_row e JOIN"
    "  pg_temp.wanted w ON w.entry_id = e.entry_id WHERE e.artifact_id IS NOT NULL"
    " UNION SELECT x.artifact_id FROM abdb.witness_row x JOIN pg_temp.wanted w"
    "  ON w.entry_id = x.entry_id UNION SELECT artifact_id FROM abdb.origin";

static size_t utf8_character_size_at_least_1(const char *at)
{
    int size = abdb_utf8_char_length(at);

    return size > 0 ? (size_t)size : 1;
}

/* Appends one literal character, also within a class. */
static void append_literal_character(abdb_text *out, const char *at)
{
    if (ispunct((unsigned char)*at)) abdb_text_puts(out, "\\");
    abdb_text_add(out, at, utf8_character_size_at_least_1(at));
}

/* Appends the class that begins at `at` ("[a-z]", "[^]x]") and returns the place behind its ']', or
 * NULL where it never ends. A range whose ends are in the wrong order is its first character. */
static const char *append_glob_class_as_regex(abdb_text *out, const char *at)
{
    const char *first, *before = NULL; /* the character that a '-' begins a range with */

    abdb_text_puts(out, *++at == '^' ? "[^" : "[");
    first = at += *at == '^';
    while (*at && (*at != ']' || at == first)) {
        const char *last = at + 1;

        if (before && *at == '-' && *last && *last != ']') {
            if (memcmp(before, last, utf8_character_size_at_least_1(before)) <= 0) {
                append_literal_character(out, before);
                abdb_text_puts(out, "-");
                append_literal_character(out, last);
            }
            before = NULL;
            at = last;
        } else {
            append_literal_character(out, at);
            before = at;
        }
        at += utf8_character_size_at_least_1(at);
    }
    abdb_text_puts(out, "]");
    return *at ? at + 1 : NULL;
}

/* A pattern of SQLite's GLOB as a regular expression of PostgreSQL that matches the same texts.
 * NULL: out of memory. */
static char *sqlite_glob_to_postgres_regex(const char *glob)
{
    static const char none[] = "$x"; /* something behind the end */
    abdb_text out = {0};

    abdb_text_puts(&out, "^");
    while (*glob) {
        if (*glob == '[') {
            glob = append_glob_class_as_regex(&out, glob);
            if (glob) continue;
            abdb_text_clear(&out);
            abdb_text_puts(&out, none);
            break;
        }
        if (*glob == '*')
            abdb_text_puts(&out, ".*");
        else if (*glob == '?')
            abdb_text_puts(&out, ".");
        else
            append_literal_character(&out, glob);
        glob += utf8_character_size_at_least_1(glob);
    }
    abdb_text_puts(&out, "$");
    return out.failed ? NULL : out.data;
}

/* Is it a column of v_statement (its type into *numeric) or a factor? *on_entries becomes false
 * where only a result has it: an entry without a result, such as a failed cell, has all else. */
static abdb_status look_up_column_or_factor_kind_and_narrow_on_entries(abdb_server *s,
                                                                       const char *name,
                                                                       bool *column, bool *numeric,
                                                                       bool *on_entries,
                                                                       abdb_error *err)
{
    static const char sql[] =
        "SELECT 1, typcategory = 'N', EXISTS (SELECT 1 FROM pg_attribute e WHERE e.attrelid ="
        " 'abdb.v_run'::regclass AND e.attname = a.attname AND e.attnum > 0)"
        " FROM pg_attribute a JOIN pg_type t ON t.oid = atttypid"
        " WHERE attrelid = 'abdb.v_statement'::regclass AND attname = $1 AND attnum > 0"
        " AND $1 <> 'n' UNION ALL SELECT 2, false, true FROM abdb.factor WHERE factor = $1";
    PGresult *found;
    abdb_status st = abdb_server_query_and_validate_columns(s, sql, 1, &name, "ntt", &found, err);

    if (st != ABDB_OK) return st;
    if (!PQntuples(found)) {
        PQclear(found);
        return ABDB_FAIL(
            err, ABDB_USAGE,
            "no column or factor '%s' there; columns are those of"
            " `abdb query --schema v_statement` (of any database: `abdb init` makes one)",
            name);
    }
    *column = PQgetvalue(found, 0, 0)[0] == '1';
    *numeric = PQgetvalue(found, 0, 1)[0] == 't';
    *on_entries &= PQgetvalue(found, 0, 2)[0] == 't';
    PQclear(found);
    return ABDB_OK;
}

/* One condition as SQL, its value as parameter number `n`. */
static abdb_status append_condition_sql(abdb_server *s, const abdb_request *c, int n,
                                        abdb_text *sql, const char **value, bool *on_entries,
                                        abdb_error *err)
{
    static const char *const ops[] = {"=", "!=", "<", "<=", ">", ">=", "~", NULL};
    const char *name = strncmp(c->word[0], "factor.", 7) == 0 ? c->word[0] + 7 : c->word[0];
    bool column = false, numeric = false, glob;
    double number;
    abdb_status st = ABDB_OK;

    if (c->words != 3 || !abdb_text_is_in_list(c->word[1], ops))
        return ABDB_FAIL(err, ABDB_USAGE, "a condition is COLUMN OP VALUE");
    TRY(look_up_column_or_factor_kind_and_narrow_on_entries(s, name, &column, &numeric, on_entries,
                                                            err));
    if (name != c->word[0]) column = false;
    glob = strcmp(c->word[1], "~") == 0;
    if (column && numeric && !glob && !abdb_double_parse(c->word[2], ABDB_MARK_POINT, &number))
        return ABDB_FAIL(err, ABDB_USAGE, "%s is a number, not '%s'", name, c->word[2]);
    *value = glob ? sqlite_glob_to_postgres_regex(c->word[2]) : strdup(c->word[2]);
    if (!*value) return ABDB_FAIL(err, ABDB_NOMEM, "a condition");
    if (column) {
        abdb_text_puts(sql, " AND v.");
        abdb_append_lowercase_quoted_identifier(sql, name);
        abdb_text_printf(sql, "%s %s $%d%s", numeric && glob ? "::text" : "", c->word[1], n,
                         numeric && !glob ? "::float8" : "");
        return ABDB_OK;
    }
    numeric = !glob && abdb_double_parse(c->word[2], ABDB_MARK_POINT, &number);
    abdb_text_puts(sql, " AND EXISTS (SELECT 1 FROM abdb.point_factor p WHERE p.point_id ="
                        " v.point_id AND p.factor = ");
    {
        char *quoted = PQescapeLiteral(s->connection, name, strlen(name));

        abdb_text_puts(sql, quoted ? quoted : "NULL");
        PQfreemem(quoted);
    }
    abdb_text_printf(sql, numeric ? " AND p.num %s $%d::float8)" : " AND p.text %s $%d)",
                     c->word[1], n);
done:
    return st;
}

/* Makes the temporary table `wanted` of the entries that meet all conditions, which come as
 * rows. All rows are read, also after an error. */
static abdb_status create_wanted_table_by_received_conditions(abdb_server *s, abdb_error *err)
{
    abdb_text conditions = {0}, sql = {0};
    const char *value[CONDITIONS] = {0};
    bool has_all = true;
    PGresult *result = NULL;
    const char *row;
    size_t size;
    int count = 0;
    abdb_status st = ABDB_OK, heard = ABDB_OK;

    while ((row = abdb_wire_read_row_or_null_at_end(&size, &heard, st == ABDB_OK ? err : NULL))) {
        abdb_request condition;
        char *copy;

        if (st != ABDB_OK) continue;
        copy = strndup(row, size);
        if (!copy) {
            st = ABDB_FAIL(err, ABDB_NOMEM, "conditions");
        } else if (count == CONDITIONS) {
            st = ABDB_FAIL(err, ABDB_LIMIT, "more than %d conditions", CONDITIONS);
        } else {
            abdb_wire_split_and_unescape_row(copy, &condition);
            st = append_condition_sql(s, &condition, count + 1, &conditions, &value[count],
                                      &has_all, err);
            count += value[count] != NULL;
        }
        free(copy);
    }
    if (st == ABDB_OK) st = heard;
    abdb_text_printf(
        &sql, "CREATE TEMP TABLE wanted AS SELECT DISTINCT v.entry_id FROM %s v WHERE true%s",
        has_all ? "abdb.v_run" : "abdb.v_statement", abdb_text_get(&conditions));
    if (st == ABDB_OK && (sql.failed || conditions.failed))
        st = ABDB_FAIL(err, ABDB_NOMEM, "a selection");
    if (st == ABDB_OK)
        st = abdb_server_query_and_validate_columns(s, abdb_text_get(&sql), count, value, "",
                                                    &result, err);
    PQclear(result);
    for (int i = 0; i < count; i++) free((void *)(uintptr_t)value[i]);
    abdb_text_free(&conditions);
    abdb_text_free(&sql);
    return st;
}

abdb_status abdb_create_wanted_entries_and_artifacts_tables(abdb_server *s, const abdb_request *r,
                                                            abdb_text *answer, abdb_error *err)
{
    const char *which = r->words > 1 ? r->word[1] : "";
    bool where = strcmp(which, "where") == 0;
    long long count;
    abdb_status st;

    st =
        abdb_server_execute(s, "DROP TABLE IF EXISTS pg_temp.wanted, pg_temp.wanted_artifact", err);
    if (where) {
        if (st == ABDB_OK) st = create_wanted_table_by_received_conditions(s, err);
    } else if (st == ABDB_OK && strcmp(which, "all") == 0) {
        st = abdb_server_execute(
            s, "CREATE TEMP TABLE wanted AS SELECT entry_id FROM abdb.entry_row", err);
    } else if (st == ABDB_OK) {
        st = abdb_server_execute(
            s,
            "CREATE TEMP TABLE wanted AS SELECT e.entry_id FROM abdb.description d"
            " JOIN abdb.entry_row e ON e.description_id = d.description_id"
            " WHERE d.evidence = 'mlperf' AND d.kind <> 'run'",
            err);
    }
    TRY(st);
    if (where)
        TRY(abdb_server_execute(
            s,
            "INSERT INTO wanted SELECT DISTINCT p.piece FROM abdb.part p JOIN wanted w"
            " ON w.entry_id = p.whole WHERE p.piece NOT IN (SELECT entry_id FROM"
            " wanted)",
            err));
    TRY(abdb_server_execute(
        s, "CREATE UNIQUE INDEX ON pg_temp.wanted (entry_id); ANALYZE pg_temp.wanted", err));
    TRY(abdb_server_execute(s,
                            strcmp(which, "all") != 0
                                ? wanted_sql
                                : "CREATE TEMP TABLE wanted_artifact AS SELECT artifact_id FROM"
                                  " abdb.artifact",
                            err));
    TRY(abdb_server_query_number_or_0(s, "SELECT count(*) FROM pg_temp.wanted", &count, err));
    abdb_text_printf(answer, "%lld", count);
done:
    return st;
}

abdb_status abdb_send_wanted_rows_of_table(abdb_server *s, const abdb_request *r, abdb_text *answer,
                                           abdb_error *err)
{
    abdb_text sql = {0};
    const char *table;
    long long rows;
    abdb_status st = ABDB_OK;

    if (r->words < 3) return ABDB_FAIL(err, ABDB_USAGE, "a request without columns");
    table = r->word[1];
    abdb_text_puts(&sql, "COPY (SELECT ");
    for (int i = 2; i < r->words; i++) {
        abdb_text_puts(&sql, i > 2 ? ", t." : "t.");
        abdb_append_lowercase_quoted_identifier(&sql, r->word[i]);
    }
    abdb_text_puts(&sql, " FROM abdb.");
    abdb_append_lowercase_quoted_identifier(&sql, table);
    abdb_text_puts(&sql, " t");
    if (abdb_text_is_in_list(table, of_entries))
        abdb_text_puts(&sql, " JOIN pg_temp.wanted w ON w.entry_id = t.entry_id");
    for (size_t i = 0; i < sizeof belongs / sizeof belongs[0]; i++)
        if (strcmp(belongs[i].table, table) == 0)
            abdb_text_printf(&sql, " WHERE %s", belongs[i].where);
    abdb_text_puts(&sql, ") TO STDOUT");
    if (sql.failed) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a request"));
    TRY(abdb_server_copy_out_and_write_rows(s, abdb_text_get(&sql), &rows, err));
    abdb_text_printf(answer, "%lld", rows);
done:
    abdb_text_free(&sql);
    return st;
}

abdb_status abdb_send_distinct_name_spellings(abdb_server *s, abdb_text *answer, abdb_error *err)
{
    static const char *const columns[] = {"device", "model", "workload", "submitter", "system"};
    abdb_text sql = {0};
    long long rows = 0;
    abdb_status st = ABDB_OK;

    abdb_text_puts(&sql, "COPY (");
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        abdb_text_printf(&sql,
                         "%s SELECT DISTINCT '%s', %s FROM abdb.description WHERE %s IS NOT NULL",
                         i ? " UNION ALL" : "", columns[i], columns[i], columns[i]);
    abdb_text_puts(&sql, ") TO STDOUT");
    if (sql.failed) TRY(ABDB_FAIL(err, ABDB_NOMEM, "spellings"));
    TRY(abdb_server_copy_out_and_write_rows(s, abdb_text_get(&sql), &rows, err));
    abdb_text_printf(answer, "%lld", rows);
done:
    abdb_text_free(&sql);
    return st;
}

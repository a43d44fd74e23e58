/* random_statements.h - a store filled with random statements about few things, for tests of data
 * derived from them. */
#ifndef ABDB_TESTS_STATEMENTS_H
#define ABDB_TESTS_STATEMENTS_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "schema/store/write.h"
#include "tests/unit/check.h"

static unsigned random_state;

static unsigned random_below(unsigned below)
{
    /* Of Numerical Recipes, without its low bits: a SEED gives the same on every machine. */
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % below;
}

/* A statement of one of three sources about few systems and models, with few values; or a cell that
 * was measured to find a ceiling of one of few machines. */
typedef struct {
    char system[16], model[16], source[8], round[24], id[8], raw[16], devices[4];
    const char *ceiling; /* NULL: it is none */
    double value;
} statement;

static void draw_random_statement(statement *s)
{
    /* Few spellings, some of one name, and values that nearly agree: most statements meet. */
    static const char *const models[] = {"m one", "m-one", "M_ONE", "m two", "mtwo", "other"};
    static const char *const systems[] = {"S (8x)", "s 8x", "T 4x", "t-4x"};
    static const double values[] = {10, 10.001, 20, 15, 15.5, 31.9, 1016380, 1016375};

    snprintf(s->system, sizeof s->system, "%s", systems[random_below(4)]);
    snprintf(s->model, sizeof s->model, "%s", models[random_below(6)]);
    snprintf(s->source, sizeof s->source, "src%u", random_below(3));
    snprintf(s->round, sizeof s->round, "v1.%u", random_below(5));
    snprintf(s->id, sizeof s->id, "%u", random_below(4));
    snprintf(s->devices, sizeof s->devices, "%u", 4 * (1 + random_below(2)));
    s->value = values[random_below(8)];
    s->ceiling = random_below(3) ? NULL : random_below(2) ? "peak_flops" : "memory_bandwidth";
    snprintf(s->raw, sizeof s->raw, random_below(2) ? "%.1f" : "%.3f", s->value);
}

static abdb_db *db;
static abdb_writer *writer;
static char path[64];

static void create_store(void)
{
    abdb_error err = {0};

    snprintf(path, sizeof path, "/tmp/abdb-derive-%d.db", (int)getpid());
    unlink(path);
    assert_ok(abdb_db_open(&db, path, ABDB_CREATE, &err));
    assert_ok(abdb_writer_open(&writer, db, &err));
}

static void close_and_delete_store(void)
{
    abdb_writer_rollback_and_close(writer);
    abdb_db_close(db);
    unlink(path);
}

static void send_statement_entry_to_writer(const statement *s, size_t line_index)
{
    abdb_sink sink = abdb_writer_make_storing_sink(writer);
    abdb_entry *e = calloc(1, sizeof *e);
    abdb_error err = {0};
    char locator[32];
    abdb_result *r;

    snprintf(locator, sizeof locator, "line %zu", line_index + 1);
    e->locator = locator;
    e->field[ABDB_FIELD_evidence] = "mlperf";
    e->field[ABDB_FIELD_kind] = "statement";
    e->field[ABDB_FIELD_source] = s->source;
    e->field[ABDB_FIELD_suite] = "inference";
    e->field[ABDB_FIELD_round] = s->round;
    e->field[ABDB_FIELD_division] = "closed";
    e->field[ABDB_FIELD_system] = s->system;
    e->field[ABDB_FIELD_model] = s->model;
    e->field[ABDB_FIELD_public_id] = s->id;
    e->field[ABDB_FIELD_devices] = s->devices;
    if (s->ceiling) {
        e->field[ABDB_FIELD_evidence] = "measured";
        e->field[ABDB_FIELD_kind] = "run";
        e->field[ABDB_FIELD_device] = s->model;
        e->field[ABDB_FIELD_dtype] = s->id[0] == '0' ? "f32" : "f64";
        e->field[ABDB_FIELD_verified] = s->id[0] == '1' ? "fail" : "pass";
        e->origin = ABDB_ORIGIN_NONE; /* said again by another file it is the same */
        abdb_entry_add_factor_parsing_number(e, "ceiling", s->ceiling);
    }
    r = abdb_entry_add_result_or_count_left_out(e,
                                                !s->ceiling            ? "tokens_per_s"
                                                : s->ceiling[0] == 'p' ? "flops_per_s"
                                                                       : "bytes_per_s",
                                                s->value);
    r->raw_value = s->raw;
    assert_ok(sink.entry(sink.self, e, &err));
    assert_ok(sink.row_end(sink.self, &err));
    free(e);
}

/* Statements [from, to) as one file. */
static void import_statements_as_file_unless_known(const statement *s, size_t from, size_t to)
{
    char bytes[32];
    abdb_import_file unit = {
        .path = "x", .format = "test", .overrides = "", .data = bytes, .importer = 1};
    abdb_counts counts;
    abdb_error err = {0};
    int known;

    unit.size = (size_t)snprintf(bytes, sizeof bytes, "%zu %zu", from, to);
    assert_ok(abdb_writer_begin_file_unless_known(writer, &unit, &known, &counts, &err));
    if (known) return;
    for (size_t i = from; i < to; i++) send_statement_entry_to_writer(&s[i], i);
    assert_ok(abdb_writer_commit_and_withdraw_replaced_imports(writer, &counts, &err));
}

/* A row of a dictionary: of `table`, these columns and values. */
static void import_dictionary_row(const char *table, size_t columns,
                                  const char *const (*columns_and_values)[2])
{
    abdb_fact fact = {.table = table, .columns = columns};
    abdb_sink sink = abdb_writer_make_storing_sink(writer);
    abdb_counts counts;
    abdb_error err = {0};
    int known;

    for (size_t i = 0; i < columns; i++)
        fact.column[i].name = columns_and_values[i][0],
        fact.column[i].text = columns_and_values[i][1];
    assert_ok(abdb_writer_begin_file_unless_known(writer, NULL, &known, &counts, &err));
    assert_ok(sink.fact(sink.self, &fact, &err));
    assert_ok(abdb_writer_commit_and_withdraw_replaced_imports(writer, &counts, &err));
}

static void import_nth_model_alias_pair(unsigned which)
{
    static const char *const pairs[][2] = {
        {"m two", "m-one"}, {"other", "m two"}, {"M_ONE", "new"}};
    const char *const row[][2] = {
        {"kind", "model"}, {"spelling", pairs[which][0]}, {"canon", pairs[which][1]}};

    import_dictionary_row("alias", 3, row);
}

/* The rank of a source decides which statement is preferred; one that has no row yet has 50. */
static void import_source_rank(unsigned which, unsigned rank)
{
    char source[8], number[8];
    const char *const row[][2] = {{"source", source}, {"kind", "user"}, {"rank", number}};

    snprintf(source, sizeof source, "src%u", which);
    snprintf(number, sizeof number, "%u", rank);
    import_dictionary_row("source", 3, row);
}

#endif

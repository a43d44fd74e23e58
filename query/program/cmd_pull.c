/* cmd_pull.c - abdb pull: facts of a warehouse into a database, all of them or a selection. */
#include <string.h>
#include <unistd.h>

#include "query/compare/selection.h"
#include "query/program/files.h"
#include "query/program/screen.h"
#include "query/warehouse/pull.h"
#include "schema/core/outfile.h"

/* The entries that the selections mean, asked of the warehouse; *count of them. */
static abdb_status want(const abdb_args *args, abdb_link *link, long long *count, abdb_error *err)
{
    const char *where[] = {"where", NULL}, *text;
    abdb_selection selection = {0};
    abdb_text row = {0};
    size_t at = 0;
    abdb_status st = ABDB_OK;

    while ((text = abdb_arg_next(args, "where", &at)))
        TRY(abdb_selection_parse(&selection, text, err));
    if (!selection.count) {
        TRY(abdb_link_do(link, "wanted", "all", err));
    } else {
        for (size_t i = 0; i < selection.count; i++) {
            const abdb_condition *c = &selection.condition[i];
            double order;

            if (abdb_condition_round(c, &order)) {
                abdb_text_printf(&row, "round_order\t%s\t%.0f\n", c->op, order);
                continue;
            }
            abdb_link_escape(&row, c->column, strlen(c->column));
            abdb_text_printf(&row, "\t%s\t", c->op);
            abdb_link_escape(&row, c->value, strlen(c->value));
            abdb_text_puts(&row, "\n");
        }
        abdb_link_ask(link, "wanted", where);
        TRY(abdb_link_put(link, &row, err));
        TRY(abdb_link_asked(link, true, err));
        TRY(abdb_link_rest(link, err));
    }
    if (!abdb_count_parse(abdb_text_get(&link->said), ABDB_MARK_UNKNOWN, 0, 1LL << 62, count) ||
        (!*count && selection.count))
        TRY(ABDB_FAIL(err, ABDB_USAGE, "the selection is empty: no result there is like that"));
done:
    abdb_text_free(&row);
    abdb_selection_free(&selection);
    return st;
}

static abdb_status print(const abdb_args *args, const abdb_counts *counts, const char *address,
                         abdb_error *err)
{
    abdb_table t = {
        .columns = 3,
        .column = {{.name = "warehouse"}, {.name = "entries"}, {.name = "entries_there"}}};
    abdb_status st = ABDB_OK;

    if (!abdb_arg(args, "json") && !abdb_arg(args, "format") && !abdb_arg(args, "out")) {
        abdb_say(stdout, "%s: %ld entries new, %ld here already\n", address, counts->accepted,
                 counts->duplicate);
        return ABDB_OK;
    }
    if (!abdb_table_row(&t)) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a table"));
    t.value[0] = (abdb_value){.kind = ABDB_STRING, .text = address};
    t.value[1] = (abdb_value){.kind = ABDB_INTEGER, .integer = counts->accepted};
    t.value[2] = (abdb_value){.kind = ABDB_INTEGER, .integer = counts->duplicate};
    TRY(abdb_print_table(args, &t, err));
done:
    abdb_table_free(&t);
    return st;
}

/* Removes a database that was made for what could not be taken, unless somebody else has used it
 * meanwhile. */
static void remove_new(const char *path)
{
    abdb_db *db = NULL;
    sqlite3_int64 entries = 1;
    bool empty =
        abdb_db_open(&db, path, ABDB_READ, NULL) == ABDB_OK &&
        abdb_db_integer(db, "SELECT count(*) FROM main.entry_row", &entries, NULL) == ABDB_OK &&
        !entries;

    abdb_db_close(db);
    if (empty) abdb_outfile_remove(path);
}

/* What is wanted into a database of its own, and that into the user's: the union, by keys. */
static abdb_status pull(const abdb_args *args, abdb_link *link, const char *address,
                        abdb_error *err)
{
    abdb_scratch scratch = {0};
    abdb_db *copy = NULL, *db = NULL;
    abdb_writer *writer = NULL;
    abdb_counts counts = {0};
    abdb_patience patience;
    long long count;
    bool is_new = false;
    abdb_status st = ABDB_OK;

    TRY(abdb_arg_busy(args, &patience, err));
    TRY(abdb_scratch_make(&scratch, err));
    TRY(abdb_link_do(link, "begin", "read", err));
    TRY(want(args, link, &count, err));
    TRY(abdb_db_open(&copy, scratch.path, ABDB_CREATE, err));
    TRY(abdb_pull_rows(link, copy, ABDB_PULL_ALL, err));
    abdb_db_close(copy);
    copy = NULL;
    is_new = access(abdb_arg_db(args), F_OK) != 0;
    TRY(abdb_open_writer(&db, &writer, abdb_arg_db(args), &patience, err));
    TRY(abdb_merge(db, scratch.path, &counts, err));
    is_new = false; /* it has something to keep */
    TRY(abdb_writer_index(writer, err));
    TRY(print(args, &counts, address, err));
done:
    abdb_db_close(copy);
    abdb_writer_close(writer);
    abdb_db_close(db);
    if (is_new) remove_new(abdb_arg_db(args));
    abdb_scratch_remove(&scratch);
    return st;
}

int abdb_cmd_pull(int argc, char **argv)
{
    abdb_arena arena = {0};
    abdb_link link = {0};
    abdb_args args;
    abdb_error err;
    const char *url, *address;
    abdb_stream_limits limits;
    int code = 0;
    abdb_status st = ABDB_OK;

    TRY(abdb_args_parse(&args, argc, argv, "pull", NULL, &err));
    if (args.positionals != 1)
        TRY(ABDB_FAIL(&err, ABDB_USAGE,
                      "pull from where? abdb pull postgresql://USER@HOST/DATABASE --where"
                      " SELECTION"));
    url = abdb_arena_copy(&arena, args.positional[0], strlen(args.positional[0]));
    address = abdb_link_address(&arena, args.positional[0]);
    abdb_link_hide(args.positional[0]); /* from who lists processes */
    TRY(abdb_link_limits(&args, &limits, &err));
    if (!url) TRY(ABDB_FAIL(&err, ABDB_NOMEM, "an address"));
    st = abdb_link_open(&link, abdb_program_folder(&arena), url, "read", false, &limits, &err);
    if (st == ABDB_OK) st = pull(&args, &link, address, &err);
    if (st != ABDB_OK) abdb_context(&err, "%s", address);
done:
    if (st != ABDB_OK) code = abdb_report_error(&err);
    abdb_link_close(&link);
    abdb_arena_free(&arena);
    return code;
}

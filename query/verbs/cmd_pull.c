/* cmd_pull.c - abdb pull: facts of a warehouse into a database, all of them or a selection. */
#include <string.h>
#include <unistd.h>

#include "query/compare/selection.h"
#include "query/import/input_files.h"
#include "query/verbs/table_output.h"
#include "query/warehouse/pull.h"
#include "schema/core/outfile.h"

/* The entries of the selections, read from the warehouse; *count of them. */
static abdb_status select_entries_in_warehouse_and_count(const abdb_args *args,
                                                         abdb_store_client *link, long long *count,
                                                         abdb_error *err)
{
    const char *where[] = {"where", NULL}, *text;
    abdb_selection selection = {0};
    abdb_text row = {0};
    size_t at = 0;
    abdb_status st = ABDB_OK;

    while ((text = abdb_arg_next_value(args, "where", &at)))
        TRY(abdb_selection_parse_and_append(&selection, text, err));
    if (!selection.count) {
        TRY(abdb_store_request_and_read_answer(link, "wanted", "all", err));
    } else {
        for (size_t i = 0; i < selection.count; i++) {
            const abdb_condition *c = &selection.condition[i];
            double order;

            if (abdb_condition_is_round_bound_parse_order(c, &order)) {
                abdb_text_printf(&row, "round_order\t%s\t%.0f\n", c->op, order);
                continue;
            }
            abdb_append_wire_escaped(&row, c->column, strlen(c->column));
            abdb_text_printf(&row, "\t%s\t", c->op);
            abdb_append_wire_escaped(&row, c->value, strlen(c->value));
            abdb_text_puts(&row, "\n");
        }
        abdb_store_start_request(link, "wanted", where);
        TRY(abdb_store_send_row(link, &row, err));
        TRY(abdb_store_end_and_flush_request(link, true, err));
        TRY(abdb_store_read_final_answer(link, err));
    }
    if (!abdb_integer_parse_in_range(abdb_text_get(&link->result_text), ABDB_MARK_UNKNOWN, 0,
                                     1LL << 62, count) ||
        (!*count && selection.count))
        TRY(ABDB_FAIL(err, ABDB_USAGE, "the selection is empty: no result there is like that"));
done:
    abdb_text_free(&row);
    abdb_selection_free(&selection);
    return st;
}

/* Prints the counts of a pull, as a sentence or as a row in the requested format. */
static abdb_status print_pulled_counts(const abdb_args *args, const abdb_counts *counts,
                                       const char *address, abdb_error *err)
{
    abdb_table t = {
        .columns = 3,
        .column = {{.name = "warehouse"}, {.name = "entries"}, {.name = "entries_there"}}};
    abdb_status st = ABDB_OK;

    if (!abdb_arg_value(args, "json") && !abdb_arg_value(args, "format") &&
        !abdb_arg_value(args, "out")) {
        abdb_print_sanitized(stdout, "%s: %ld entries new, %ld here already\n", address,
                             counts->accepted, counts->duplicate);
        return ABDB_OK;
    }
    if (!abdb_table_append_row(&t)) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a table"));
    t.value[0] = (abdb_value){.kind = ABDB_STRING, .text = address};
    t.value[1] = (abdb_value){.kind = ABDB_INTEGER, .integer = counts->accepted};
    t.value[2] = (abdb_value){.kind = ABDB_INTEGER, .integer = counts->duplicate};
    TRY(abdb_print_table_by_options_end_deadline(args, &t, err));
done:
    abdb_table_free(&t);
    return st;
}

/* Removes a database that was made for a failed pull, unless another program has used it in the
 * meantime. */
static void remove_database_if_without_entries(const char *path)
{
    abdb_db *db = NULL;
    sqlite3_int64 entries = 1;
    bool empty = abdb_db_open(&db, path, ABDB_READ, NULL) == ABDB_OK &&
                 abdb_db_query_integer_or_0(db, "SELECT count(*) FROM main.entry_row", &entries,
                                            NULL) == ABDB_OK &&
                 !entries;

    abdb_db_close(db);
    if (empty) abdb_remove_with_sqlite_logs(path);
}

/* Pulls the wanted rows into a new database, and merges it into the user's: the union, by keys. */
static abdb_status pull_merge_and_print_counts(const abdb_args *args, abdb_store_client *link,
                                               const char *address, abdb_error *err)
{
    abdb_scratch scratch = {0};
    abdb_db *copy = NULL, *db = NULL;
    abdb_writer *writer = NULL;
    abdb_counts counts = {0};
    abdb_busy_timeout patience;
    long long count;
    bool is_new = false;
    abdb_status st = ABDB_OK;

    TRY(abdb_busy_timeout_from_args(args, &patience, err));
    TRY(abdb_scratch_folder_create(&scratch, err));
    TRY(abdb_store_request_and_read_answer(link, "begin", "read", err));
    TRY(select_entries_in_warehouse_and_count(args, link, &count, err));
    TRY(abdb_db_open(&copy, scratch.path, ABDB_CREATE, err));
    TRY(abdb_pull_into_database(link, copy, ABDB_PULL_ALL, err));
    abdb_db_close(copy);
    copy = NULL;
    is_new = access(abdb_arg_db_path(args), F_OK) != 0;
    TRY(abdb_open_db_for_writing(&db, &writer, abdb_arg_db_path(args), &patience, err));
    TRY(abdb_merge_database(db, scratch.path, &counts, err));
    is_new = false; /* it has something to keep */
    TRY(abdb_writer_update_derived(writer, err));
    TRY(print_pulled_counts(args, &counts, address, err));
done:
    abdb_db_close(copy);
    abdb_writer_rollback_and_close(writer);
    abdb_db_close(db);
    if (is_new) remove_database_if_without_entries(abdb_arg_db_path(args));
    abdb_scratch_remove(&scratch);
    return st;
}

int abdb_cmd_pull(int argc, char **argv)
{
    abdb_arena arena = {0};
    abdb_store_client link = {0};
    abdb_args args;
    abdb_error err;
    abdb_store_address store;
    int code = 0;
    abdb_status st = ABDB_OK;

    TRY(abdb_args_parse(&args, argc, argv, "pull", NULL, &err));
    if (args.positionals != 1)
        TRY(ABDB_FAIL(&err, ABDB_USAGE,
                      "pull from where? abdb pull postgresql://USER@HOST/DATABASE --where"
                      " SELECTION"));
    TRY(abdb_parse_store_arguments_mask_password(&args, &arena, &store, &err));
    st = abdb_store_client_start_and_open(&link, abdb_program_folder(&arena), store.url, "read",
                                          false, &store.limits, &err);
    if (st == ABDB_OK) st = pull_merge_and_print_counts(&args, &link, store.shown, &err);
    if (st != ABDB_OK) abdb_error_prepend_context(&err, "%s", store.shown);
done:
    if (st != ABDB_OK) code = abdb_print_error_return_exit_code(&err);
    abdb_store_client_close(&link);
    abdb_arena_free(&arena);
    return code;
}

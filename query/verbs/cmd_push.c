/* cmd_push.c - abdb push: sends missing entries to a shared warehouse. */
#include <string.h>

#include "query/import/input_files.h"
#include "query/verbs/table_output.h"
#include "query/warehouse/pull.h"
#include "query/warehouse/push.h"

static void set_integer_cell(abdb_table *t, size_t column, long long value)
{
    t->value[column] = (abdb_value){.kind = ABDB_INTEGER, .integer = value};
}

/* Prints the counts of a push, as a sentence or as a row in the requested format. */
static abdb_status print_pushed_counts(const abdb_args *args, const abdb_push_counts *p,
                                       const char *address, abdb_error *err)
{
    abdb_table t = {.columns = 6,
                    .column = {{.name = "warehouse"},
                               {.name = "entries"},
                               {.name = "entries_there"},
                               {.name = "results"},
                               {.name = "samples"},
                               {.name = "other_rows"}}};
    abdb_status st = ABDB_OK;

    if (p->different.size)
        abdb_print_stderr_remark("rows that say otherwise there, and stay as they are there: %s",
                                 abdb_text_get(&p->different));
    if (!abdb_arg_value(args, "json") && !abdb_arg_value(args, "format") &&
        !abdb_arg_value(args, "out")) {
        abdb_print_sanitized(
            stdout,
            "%s: %lld entries new (%lld results, %lld samples), %lld there already;"
            " %lld other rows new\n",
            address, p->entries, p->results, p->samples, p->held - p->entries, p->rows);
        return ABDB_OK;
    }
    if (!abdb_table_append_row(&t)) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a table"));
    t.value[0] = (abdb_value){.kind = ABDB_STRING, .text = address};
    set_integer_cell(&t, 1, p->entries);
    set_integer_cell(&t, 2, p->held - p->entries);
    set_integer_cell(&t, 3, p->results);
    set_integer_cell(&t, 4, p->samples);
    set_integer_cell(&t, 5, p->rows);
    TRY(abdb_print_table_by_options_end_deadline(args, &t, err));
done:
    abdb_table_free(&t);
    return st;
}

/* Pushes the database, has the warehouse's derived rows made again, and prints the counts. */
static abdb_status push_derive_and_print_counts(const abdb_args *args, abdb_store_client *link,
                                                abdb_db *db, const char *address, abdb_error *err)
{
    abdb_push_counts pushed = {0};
    abdb_scratch scratch = {0};
    abdb_status st = ABDB_OK;

    TRY(abdb_push_database(link, db, &pushed, err));
    TRY(abdb_scratch_folder_create(&scratch, err));
    TRY(abdb_derive_remote_rows_if_store_asks(link, scratch.path, err));
    TRY(print_pushed_counts(args, &pushed, address, err));
done:
    abdb_scratch_remove(&scratch);
    abdb_text_free(&pushed.different);
    return st;
}

int abdb_cmd_push(int argc, char **argv)
{
    abdb_arena arena = {0};
    abdb_store_client link = {0};
    abdb_db *db = NULL;
    abdb_args args;
    abdb_error err;
    abdb_store_address store;
    int code = 0;
    abdb_status st = ABDB_OK;

    TRY(abdb_args_parse(&args, argc, argv, "push", NULL, &err));
    if (args.positionals != 1)
        TRY(ABDB_FAIL(&err, ABDB_USAGE, "push where? abdb push postgresql://USER@HOST/DATABASE"));
    TRY(abdb_parse_store_arguments_mask_password(&args, &arena, &store, &err));
    TRY(abdb_db_open(&db, abdb_arg_db_path(&args), ABDB_READ, &err));
    st = abdb_store_client_start_and_open(&link, abdb_program_folder(&arena), store.url, "make",
                                          abdb_arg_value(&args, "upgrade") != NULL, &store.limits,
                                          &err);
    if (st == ABDB_OK && strncmp(abdb_text_get(&link.result_text), "other", 5) == 0)
        abdb_print_stderr_remark(
            "tables and views there are another build's: --upgrade makes them this one's");
    if (st == ABDB_OK && strchr(abdb_text_get(&link.result_text), ';'))
        abdb_print_stderr_remark("%s", strchr(abdb_text_get(&link.result_text), ';') + 2);
    if (st == ABDB_OK) st = push_derive_and_print_counts(&args, &link, db, store.shown, &err);
    if (st != ABDB_OK) abdb_error_prepend_context(&err, "%s", store.shown);
done:
    if (st != ABDB_OK) code = abdb_print_error_return_exit_code(&err);
    abdb_store_client_close(&link);
    abdb_db_close(db);
    abdb_arena_free(&arena);
    return code;
}

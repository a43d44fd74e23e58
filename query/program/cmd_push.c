/* cmd_push.c - abdb push: what a warehouse that many share has not yet. */
#include <string.h>

#include "query/program/files.h"
#include "query/program/screen.h"
#include "query/warehouse/pull.h"
#include "query/warehouse/push.h"

static void add_number(abdb_table *t, size_t column, long long value)
{
    t->value[column] = (abdb_value){.kind = ABDB_INTEGER, .integer = value};
}

static abdb_status print(const abdb_args *args, const abdb_pushed *p, const char *address,
                         abdb_error *err)
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
        abdb_remark("rows that say otherwise there, and stay as they are there: %s",
                    abdb_text_get(&p->different));
    if (!abdb_arg(args, "json") && !abdb_arg(args, "format") && !abdb_arg(args, "out")) {
        abdb_say(stdout,
                 "%s: %lld entries new (%lld results, %lld samples), %lld there already;"
                 " %lld other rows new\n",
                 address, p->entries, p->results, p->samples, p->held - p->entries, p->rows);
        return ABDB_OK;
    }
    if (!abdb_table_row(&t)) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a table"));
    t.value[0] = (abdb_value){.kind = ABDB_STRING, .text = address};
    add_number(&t, 1, p->entries);
    add_number(&t, 2, p->held - p->entries);
    add_number(&t, 3, p->results);
    add_number(&t, 4, p->samples);
    add_number(&t, 5, p->rows);
    TRY(abdb_print_table(args, &t, err));
done:
    abdb_table_free(&t);
    return st;
}

static abdb_status push(const abdb_args *args, abdb_link *link, abdb_db *db, const char *address,
                        abdb_error *err)
{
    abdb_pushed pushed = {0};
    abdb_scratch scratch = {0};
    abdb_status st = ABDB_OK;

    TRY(abdb_push(link, db, &pushed, err));
    TRY(abdb_scratch_make(&scratch, err));
    TRY(abdb_settle(link, scratch.path, err));
    TRY(print(args, &pushed, address, err));
done:
    abdb_scratch_remove(&scratch);
    abdb_text_free(&pushed.different);
    return st;
}

int abdb_cmd_push(int argc, char **argv)
{
    abdb_arena arena = {0};
    abdb_link link = {0};
    abdb_db *db = NULL;
    abdb_args args;
    abdb_error err;
    const char *url, *address;
    abdb_stream_limits limits;
    int code = 0;
    abdb_status st = ABDB_OK;

    TRY(abdb_args_parse(&args, argc, argv, "push", NULL, &err));
    if (args.positionals != 1)
        TRY(ABDB_FAIL(&err, ABDB_USAGE, "push where? abdb push postgresql://USER@HOST/DATABASE"));
    url = abdb_arena_copy(&arena, args.positional[0], strlen(args.positional[0]));
    address = abdb_link_address(&arena, args.positional[0]);
    abdb_link_hide(args.positional[0]); /* from who lists processes */
    TRY(abdb_link_limits(&args, &limits, &err));
    if (!url) TRY(ABDB_FAIL(&err, ABDB_NOMEM, "an address"));
    TRY(abdb_db_open(&db, abdb_arg_db(&args), ABDB_READ, &err));
    st = abdb_link_open(&link, abdb_program_folder(&arena), url, "make",
                        abdb_arg(&args, "upgrade") != NULL, &limits, &err);
    if (st == ABDB_OK && strncmp(abdb_text_get(&link.said), "other", 5) == 0)
        abdb_remark("tables and views there are another build's: --upgrade makes them this one's");
    if (st == ABDB_OK && strchr(abdb_text_get(&link.said), ';'))
        abdb_remark("%s", strchr(abdb_text_get(&link.said), ';') + 2);
    if (st == ABDB_OK) st = push(&args, &link, db, address, &err);
    if (st != ABDB_OK) abdb_context(&err, "%s", address);
done:
    if (st != ABDB_OK) code = abdb_report_error(&err);
    abdb_link_close(&link);
    abdb_db_close(db);
    abdb_arena_free(&arena);
    return code;
}

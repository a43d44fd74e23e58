/* cmd_note.c - abdb note: something to remember of a commit, tag, command or fact. The target must
 * be here, so that a note about a mistyped name does not get lost. */
#include <string.h>

#include "kernels/runner/cell_validation.h"
#include "query/cli/command_line.h"

/* Queries that find the whole name of a target of each kind in the database. */
static const struct {
    const char *kind, *sql;
} kinds[] = {
    {"commit", "SELECT DISTINCT text FROM point_factor WHERE factor = 'commit' AND state = 'known'"
               " AND (text = ?1 OR (length(?1) >= 4 AND substr(text, 1, length(?1)) = ?1))"
               " LIMIT 2"},
    {"tag", "SELECT DISTINCT tag FROM entry WHERE tag = ?1 LIMIT 2"},
    {"campaign", "SELECT DISTINCT campaign FROM entry WHERE campaign = ?1 LIMIT 2"},
    {"key", "SELECT key FROM v_fact_result WHERE entry_key = key_number(?1) AND key = ?1 UNION"
            " SELECT key FROM v_fact_spec WHERE spec_key = key_number(?1) AND key = ?1 UNION"
            " SELECT key FROM v_fact_price WHERE price_key = key_number(?1) AND key = ?1 LIMIT 2"},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* The whole name of a target. ABDB_USAGE: there is none here, or several. */
static abdb_status resolve_note_target(abdb_db *db, size_t kind, const char *word, abdb_text *out,
                                       abdb_error *err)
{
    sqlite3_stmt *s = NULL;
    size_t count = 0;
    int code;
    abdb_status st = ABDB_OK;

    if (sqlite3_prepare_v2(db->sql, kinds[kind].sql, -1, &s, NULL) != SQLITE_OK)
        return abdb_db_report_sqlite_error(db, err, "looking for what a note is about");
    sqlite3_bind_text(s, 1, word, -1, SQLITE_STATIC);
    for (; (code = sqlite3_step(s)) == SQLITE_ROW; count++) {
        abdb_text_clear(out);
        abdb_text_puts(out, abdb_sql_text_or_empty(s, 0));
    }
    if (code != SQLITE_DONE)
        st = abdb_db_report_sqlite_error(db, err, "looking for what a note is about");
    else if (count != 1)
        st = ABDB_FAIL(err, ABDB_USAGE,
                       count ? "several %ss here begin with '%s': say more of it"
                             : "no %s here is called '%s'",
                       kinds[kind].kind, word);
    sqlite3_finalize(s);
    return st;
}

/* Stores a note on a tag, run, result or file in a transaction of its own. */
static abdb_status store_note(abdb_writer *writer, const char *kind, const char *target,
                              const char *text, const char *author, abdb_error *err)
{
    char now[32];
    abdb_sink sink = abdb_writer_make_storing_sink(writer);
    abdb_fact fact = {.table = "note", .columns = author ? 5 : 4};
    abdb_counts counts;
    int known;
    abdb_status st = ABDB_OK;

    abdb_format_now_utc(now);
    fact.column[0].name = "kind";
    fact.column[0].text = kind;
    fact.column[1].name = "target";
    fact.column[1].text = target;
    fact.column[2].name = "text";
    fact.column[2].text = text;
    fact.column[3].name = "date";
    fact.column[3].text = now;
    fact.column[4].name = "author";
    fact.column[4].text = author;
    TRY(abdb_writer_begin_file_unless_known(writer, NULL, &known, &counts, err));
    TRY(sink.fact(sink.self, &fact, err));
    TRY(sink.row_end(sink.self, err));
    TRY(abdb_writer_commit_and_withdraw_replaced_imports(writer, &counts, err));
    if (counts.rejected) st = ABDB_FAIL(err, ABDB_DATA, "that note cannot be kept");
done:
    abdb_writer_rollback_and_forget_ids(writer, NULL);
    return st;
}

int abdb_cmd_note(int argc, char **argv)
{
    abdb_db *db = NULL;
    abdb_writer *writer = NULL;
    abdb_text target = {0};
    abdb_busy_timeout patience;
    abdb_args args;
    abdb_error err;
    const char *word, *equals;
    size_t kind = 0;
    int code = 0;
    abdb_status st = ABDB_OK;

    TRY(abdb_args_parse(&args, argc, argv, "note", NULL, &err));
    word = args.positionals ? args.positional[0] : "";
    equals = strchr(word, '=');
    while (equals && kind < KINDS &&
           (strlen(kinds[kind].kind) != (size_t)(equals - word) ||
            strncmp(kinds[kind].kind, word, (size_t)(equals - word)) != 0))
        kind++;
    if (args.positionals != 2 || !equals || kind == KINDS || !*args.positional[1])
        TRY(ABDB_FAIL(&err, ABDB_USAGE,
                      "a note wants two words: what it is about (commit=, tag=, campaign= or key=),"
                      " and a text"));
    TRY(abdb_busy_timeout_from_args(&args, &patience, &err));
    TRY(abdb_db_open_with_timeout(&db, abdb_arg_db_path(&args), ABDB_WRITE, &patience, &err));
    TRY(resolve_note_target(db, kind, equals + 1, &target, &err));
    TRY(abdb_writer_open(&writer, db, &err));
    TRY(store_note(writer, kinds[kind].kind, abdb_text_get(&target), args.positional[1],
                   abdb_arg_value(&args, "author"), &err));
    abdb_print_sanitized(stdout, "noted of %s %s\n", kinds[kind].kind, abdb_text_get(&target));
done:
    if (st != ABDB_OK) code = abdb_print_error_return_exit_code(&err);
    abdb_text_free(&target);
    abdb_writer_rollback_and_close(writer);
    abdb_db_close(db);
    return code;
}

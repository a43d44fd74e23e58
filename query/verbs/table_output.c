/* table_output.c - shared parts of verbs that print rows: the database opened read-only and guarded
 * (answer/readonly_sql.c), with the table-valued functions that the options allow; and a table
 * printed. */
#include "query/verbs/table_output.h"

#include <string.h>
#include <strings.h>

#include "plots/figure.h"
#include "query/answer/pick_columns.h"
#include "query/answer/deadline.h"
#include "query/cli/pager.h"
#include "query/compare/result_set.h"
#include "query/sql_tables/table_functions.h"
#include "schema/core/outfile.h"
#include "schema/store/derive.h"
#include "schema/store/unfinished_runs.h"
#include "query/warehouse/store_client.h"

abdb_status abdb_print_table_by_options_end_deadline(const abdb_args *args, abdb_table *table,
                                                     abdb_error *err)
{
    const char *name = abdb_arg_value(args, "format"), *path = abdb_arg_value(args, "out");
    const char *columns = abdb_arg_value(args, "columns");
    abdb_format format = ABDB_TABLE;
    abdb_table picked = {0};
    abdb_outfile out = {0};
    abdb_status st = ABDB_OK;

    abdb_deadline_cancel();
    if (abdb_arg_value(args, "json")) format = ABDB_JSON;
    if (name) TRY(abdb_find_output_format(&format, name, err));
    if (abdb_arg_value(args, "spreadsheet")) {
        if (format != ABDB_CSV)
            TRY(ABDB_FAIL(err, ABDB_USAGE, "--spreadsheet is for -o csv: give both"));
        format = ABDB_SPREADSHEET;
    }
    if (abdb_format_is_for_programs(args)) TRY(abdb_table_fill_warnings_column(table, err));
    if (abdb_arg_value(args, "brief")) abdb_table_replace_notes_by_count_keeping_cut(table);
    if (columns)
        TRY(abdb_table_copy_picked_columns(table, columns, !abdb_format_is_for_programs(args),
                                           &picked, err));
    table->every_column |= columns || abdb_arg_value(args, "wide");
    picked.every_column = true;
    if (format == ABDB_TABLE && !path) abdb_pipe_stdout_to_pager();
    TRY(abdb_outfile_open_refusing_protected(&out, path, err));
    TRY(abdb_table_print_in_format(columns ? &picked : table, format, out.file, err));
    TRY(abdb_outfile_commit(&out, err));
done:
    abdb_outfile_discard(&out);
    abdb_table_free(&picked);
    return st;
}

bool abdb_format_is_for_programs(const abdb_args *args)
{
    const char *name = abdb_arg_value(args, "format");

    return abdb_arg_value(args, "json") ||
           (name && (strcmp(name, "csv") == 0 || strncmp(name, "json", 4) == 0));
}

/* An option that is a number of seconds, 0 among them, or `normal`. */
static abdb_status parse_seconds_option(const abdb_args *args, const char *option, double default_s,
                                        double *seconds, abdb_error *err)
{
    const char *text = abdb_arg_value(args, option);

    *seconds = default_s;
    if (text && (!abdb_double_parse(text, ABDB_MARK_UNKNOWN, seconds) || *seconds < 0))
        return ABDB_FAIL(err, ABDB_USAGE, "--%s wants seconds, not '%s'", option, text);
    return ABDB_OK;
}

abdb_status abdb_parse_timeout_option(const abdb_args *args, double *seconds, abdb_error *err)
{
    return parse_seconds_option(args, "timeout", ABDB_TIMEOUT_S, seconds, err);
}

abdb_status abdb_parse_store_arguments_mask_password(const abdb_args *args, abdb_arena *arena,
                                                     abdb_store_address *store, abdb_error *err)
{
    char *given = args->positional[0];
    abdb_status st = ABDB_OK;

    store->url = abdb_arena_copy(arena, given, strlen(given));
    store->shown = abdb_copy_url_with_masked_password(arena, given);
    abdb_mask_password_in_place(given); /* from who lists processes */
    TRY(parse_seconds_option(args, "timeout", ABDB_LINK_ALL_S, &store->limits.all_s, err));
    TRY(parse_seconds_option(args, "wait", ABDB_LINK_SILENCE_S, &store->limits.silence_s, err));
    if (!store->url) TRY(ABDB_FAIL(err, ABDB_NOMEM, "an address"));
done:
    return st;
}

/* Prints a remark where the newest run goes on or was stopped, or (behind) names are not resolved:
 * then answers lack rows. */
static abdb_status print_remark_if_answers_lack_rows(abdb_db *db, const char *path, bool behind,
                                                     abdb_error *err)
{
    abdb_unfinished_run run;
    bool unfinished;
    abdb_status st = abdb_unfinished_run_find(db->sql, NULL, &unfinished, &run, err);

    if (st != ABDB_OK) return st;
    if (unfinished && run.running)
        abdb_print_stderr_remark("abdb run is under way: %lld of %lld cells are measured (%s)%s",
                                 run.measured, run.planned, run.campaign,
                                 behind ? ", and their names not resolved yet" : "");
    else if (unfinished)
        abdb_print_stderr_remark(
            "the newest run was stopped after %lld of %lld cells (%s): the same"
            " command with --resume measures the others%s",
            run.measured, run.planned, run.campaign,
            behind ? "; until then names are not resolved" : "");
    else if (behind)
        abdb_print_stderr_remark(
            "names are not resolved yet: an import is under way, or was interrupted"
            " (then `abdb init --db %s` mends it)",
            path);
    return ABDB_OK;
}

abdb_status abdb_open_guarded_readonly_db(const abdb_args *args, abdb_db **db, abdb_error *err)
{
    double timeout_s;
    bool behind;
    int allow = ABDB_ALLOW_NOTHING;
    abdb_status st = ABDB_OK;

    TRY(abdb_parse_timeout_option(args, &timeout_s, err));
    if (abdb_arg_value(args, "allow-files")) allow |= ABDB_ALLOW_FILES;
    if (abdb_arg_value(args, "allow-run")) allow |= ABDB_ALLOW_PROGRAMS;
    TRY(abdb_db_open(db, abdb_arg_db_path(args), ABDB_READ, err));
    if (abdb_register_allowed_table_functions((*db)->sql, allow) != SQLITE_OK)
        TRY(abdb_db_report_sqlite_error(*db, err, "table-valued functions"));
    TRY(abdb_derive_is_behind(*db, &behind, err));
    TRY(print_remark_if_answers_lack_rows(*db, abdb_arg_db_path(args), behind, err));
    TRY(abdb_restrict_db_to_reads_begin_deadline(*db, timeout_s, err));
done:
    return st;
}

void abdb_report_values_from_args(const abdb_report *report, const abdb_args *args,
                                  const char **value)
{
    for (size_t i = 0; i < report->params; i++)
        value[i] = abdb_arg_value(args, report->option[i].name);
}

const char *abdb_join_positional_words_by_commas(const abdb_args *args, int first,
                                                 abdb_arena *arena)
{
    const char *out = NULL;

    for (int i = first; i < args->positionals; i++)
        out =
            out ? abdb_arena_printf(arena, "%s,%s", out, args->positional[i]) : args->positional[i];
    return out;
}

/* Is the word one of the values that the parameter lists, in any case? */
static bool parameter_lists_value(sqlite3 *db, const abdb_report_param *param, const char *word)
{
    abdb_table list = {0};
    abdb_error ignored;
    bool found = false;

    if (!param->values || abdb_query_to_table(db, param->values, NULL, &list, &ignored) != ABDB_OK)
        return false;
    for (size_t i = 0; i < list.rows && !found; i++)
        found = strcasecmp(abdb_cell_text_or_empty(&list, i, 0), word) == 0;
    abdb_table_free(&list);
    return found;
}

/* Is it the name of a picture: x.png? */
static bool word_names_picture(const char *word)
{
    const char *dot = strrchr(word, '.');

    for (int kind = 0; dot && kind < ABDB_PICTURES; kind++)
        if (strcmp(dot + 1, abdb_picture_name[kind]) == 0) return true;
    return false;
}

/* The option of the verb or report that takes such a word; NULL: none does. */
static const char *option_that_takes_word(const abdb_report *report, const abdb_args *args,
                                          sqlite3 *db, const char *word, abdb_arena *arena)
{
    abdb_error ignored;
    const char *device;

    for (size_t i = 0; i < report->params; i++)
        if (parameter_lists_value(db, &report->param[i], word)) return report->option[i].name;
    for (size_t i = 0; i < args->options; i++)
        if (strcmp(args->option[i]->name, "devices") == 0 &&
            abdb_resolve_canonical_name(db, "device", word, &device, arena, &ignored) == ABDB_OK)
            return "devices";
    return NULL;
}

abdb_status abdb_set_words_as_selection(const abdb_report *report, const abdb_args *args, int first,
                                        sqlite3 *db, const char **value, abdb_arena *arena,
                                        abdb_error *err)
{
    const char *words = abdb_join_positional_words_by_commas(args, first, arena), *option, *word,
               *name;

    if (!words) return ABDB_OK;
    for (size_t i = 0; i < report->params; i++)
        if (strcmp(report->param[i].name, "selection") == 0) {
            value[i] = value[i] ? abdb_arena_printf(arena, "%s,%s", value[i], words) : words;
            return value[i] ? ABDB_OK : ABDB_FAIL(err, ABDB_NOMEM, "a selection");
        }
    word = args->positional[first];
    name = first ? args->positional[0] : report->name;
    option =
        word_names_picture(word) ? "out" : option_that_takes_word(report, args, db, word, arena);
    if (option) return ABDB_FAIL(err, ABDB_USAGE, "%s takes no words: --%s %s", name, option, word);
    return ABDB_FAIL(err, ABDB_USAGE,
                     "%s takes no words such as '%s': its options begin with --%s%s", name, word,
                     report->params ? report->option[0].name : "", report->params ? " VALUE" : "");
}

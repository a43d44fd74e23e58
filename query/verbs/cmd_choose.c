/* cmd_choose.c - abdb choose: systems to buy or rent. It is the report choose, with the words of
 * the question put together: `abdb choose llama2-70b server --rate 100k/s`. */
#include <stdlib.h>
#include <string.h>

#include "query/answer/mlperf_footnotes.h"
#include "query/answer/pick_columns.h"
#include "query/answer/price_quote.h"
#include "query/answer/report.h"
#include "query/answer/search_path.h"
#include "query/compare/result_set.h"
#include "query/verbs/table_output.h"

/* Are these quotes, of devices that are known? Cuts them. */
static abdb_status require_valid_quotes_of_known_devices(sqlite3 *db, char *quotes,
                                                         abdb_arena *arena, abdb_error *err)
{
    const char *device;
    abdb_quote quote;
    abdb_status st = ABDB_OK;

    while (quotes) {
        TRY(abdb_parse_next_price_quote_per_device(&quotes, "price", &quote, err));
        TRY(abdb_resolve_canonical_name(db, "device", quote.device, &device, arena, err));
    }
done:
    return st;
}

/* A line of a file of prices, "DEVICE=2.49 USD/h" or "DEVICE,2.49", as a quote behind the others.
 */
static abdb_status append_price_line_as_quote(sqlite3 *db, abdb_text *quotes, char *line,
                                              const char *path, int number, abdb_arena *arena,
                                              abdb_error *err)
{
    char *comma = strrchr(line, ',');
    const char *said = line, *equals = strchr(line, '=');
    abdb_error wrong = {0};
    abdb_status st;

    if (!equals && comma)
        said = abdb_arena_printf(arena, "%.*s=%s USD/h", (int)(comma - line), line,
                                 abdb_trim_in_place(comma + 1));
    st = require_valid_quotes_of_known_devices(db, abdb_arena_printf(arena, "%s", said), arena,
                                               &wrong);
    if (st != ABDB_OK && strncmp(wrong.message, "--price ", 8) != 0) /* no such device */
        return ABDB_FAIL(err, st, "--prices %s, line %d: %s", path, number, wrong.message);
    if (st != ABDB_OK)
        return ABDB_FAIL(err, st,
                         "--prices %s, line %d: 'DEVICE=2.49 USD/h' or 'DEVICE,2.49' (USD per"
                         " device and hour) is wanted, not '%s'",
                         path, number, line);
    if (quotes->size) abdb_text_puts(quotes, ",");
    abdb_text_puts(quotes, said);
    return ABDB_OK;
}

/* The lines of --prices FILE (# begins a comment), and behind them --price: of several quotes for a
 * device the last counts. NULL: neither. */
static abdb_status read_price_file_and_option(const abdb_args *args, sqlite3 *db, abdb_arena *arena,
                                              const char **out, abdb_error *err)
{
    const char *path = abdb_arg_value(args, "prices");
    abdb_text file = {0}, quotes = {0};
    char *rest = NULL, *line;
    int number = 0;
    abdb_status st = ABDB_OK;

    *out = abdb_arg_value(args, "price");
    if (!path) return ABDB_OK;
    TRY(abdb_read_and_protect_text_file(path, &file, err));
    for (rest = file.data; (line = strsep(&rest, "\n"));) {
        number++;
        line[strcspn(line, "#\r")] = '\0';
        line = abdb_trim_in_place(line);
        if (*line) TRY(append_price_line_as_quote(db, &quotes, line, path, number, arena, err));
    }
    if (!quotes.size) TRY(ABDB_FAIL(err, ABDB_USAGE, "%s holds no price", path));
    *out = abdb_arena_printf(arena, "%s%s%s", abdb_text_get(&quotes), *out ? "," : "",
                             *out ? *out : "");
done:
    abdb_text_free(&file);
    abdb_text_free(&quotes);
    return st;
}

/* Options that the report has under the same name. */
static void collect_report_values_and_lift_limits(const abdb_report *report, const abdb_args *args,
                                                  const char **value)
{
    abdb_report_values_from_args(report, args, value);
    if (abdb_format_is_for_programs(args)) abdb_report_lift_row_limits(report, value);
}

static void set_param_value_if_given(const abdb_report *report, const char *name, const char *text,
                                     const char **value)
{
    for (size_t i = 0; text && *text && i < report->params; i++)
        if (strcmp(report->param[i].name, name) == 0) value[i] = text;
}

/* Is there any result? A database without one would call every name unknown. */
static abdb_status require_any_result(abdb_db *db, abdb_error *err)
{
    long long any = 0;
    abdb_status st =
        abdb_db_query_integer_or_0(db, "SELECT EXISTS (SELECT 1 FROM result_row)", &any, err);

    if (st == ABDB_OK && !any)
        st = ABDB_FAIL(err, ABDB_UNFAIR,
                       "this database holds no result: `abdb import data` brings what is shipped");
    return st;
}

/* The columns of a terminal: at most nine, and columns requested by options. NULL: all. */
static const char *default_screen_columns_or_null(const abdb_args *args, abdb_arena *arena)
{
    const char *format = abdb_arg_value(args, "format");
    bool training = abdb_arg_value(args, "time-to-train") != NULL;

    if (abdb_format_is_for_programs(args) || abdb_arg_value(args, "columns") ||
        abdb_arg_value(args, "wide") || (format && strcmp(format, "table") != 0))
        return NULL;
    return abdb_arena_printf(arena, "place,device,devices,%s,%s,%sof_first,%s%sprovider,uncertain",
                             training ? "usd_of_run" : "usd_per_hour",
                             training ? "minutes" : "usd_per_million",
                             abdb_arg_value(args, "rate") ? "used," : "",
                             abdb_arg_value(args, "ranges") ? "first_in," : "",
                             abdb_arg_value(args, "why") ? "why," : "");
}

/* Prints the answer: in a terminal without the columns that few read. */
static abdb_status print_choice_with_screen_columns(const abdb_args *args, abdb_table *table,
                                                    abdb_arena *arena, abdb_error *err)
{
    static const char by[] = "left out by --columns";
    const char *columns = table->rows ? default_screen_columns_or_null(args, arena) : NULL;
    abdb_table picked = {0};
    abdb_status st = ABDB_OK;

    if (!columns) return abdb_print_table_by_options_end_deadline(args, table, err);
    TRY(abdb_table_copy_picked_columns(table, columns, true, &picked, err));
    if (picked.notes && strstr(picked.note[0], by))
        picked.note[0] =
            abdb_arena_printf(arena, "%.*sleft out here: --wide",
                              (int)(strstr(picked.note[0], by) - picked.note[0]), picked.note[0]);
    if (!picked.note[0]) TRY(ABDB_FAIL(err, ABDB_NOMEM, "columns"));
    picked.every_column = true;
    TRY(abdb_print_table_by_options_end_deadline(args, &picked, err));
done:
    abdb_table_free(&picked);
    return st;
}

/* Runs the report choose with the question on the command line and prints the answer. */
static abdb_status run_choose_report_and_print(int argc, char **argv, abdb_error *err)
{
    const char *value[ABDB_PARAM_COUNT] = {0}, *prices;
    abdb_arena arena = {0};
    abdb_report report = {0};
    abdb_table table = {0};
    abdb_db *db = NULL;
    abdb_args args;
    abdb_status st = ABDB_OK;

    TRY(abdb_report_load(&report, "choose", err));
    TRY(abdb_args_parse(&args, argc, argv, "choose", report.option, err));
    collect_report_values_and_lift_limits(&report, &args, value);
    set_param_value_if_given(&report, "selection",
                             abdb_join_positional_words_by_commas(&args, 0, &arena), value);
    TRY(abdb_open_guarded_readonly_db(&args, &db, err));
    TRY(require_any_result(db, err));
    TRY(read_price_file_and_option(&args, db->sql, &arena, &prices, err));
    set_param_value_if_given(&report, "price", prices, value);
    TRY(abdb_report_run_with_footnotes(db, &report, value, &table, err));
    TRY(print_choice_with_screen_columns(&args, &table, &arena, err));
    if (!table.rows)
        TRY(ABDB_FAIL(err, ABDB_UNFAIR, "there is nothing to choose from; %s",
                      abdb_arg_value(&args, "brief") ? "without --brief lines say why"
                                                     : "the lines above say why"));
done:
    abdb_table_free(&table);
    abdb_report_free(&report);
    abdb_db_close(db);
    abdb_arena_free(&arena);
    return st;
}

/* Removes the names of report and SQL function from the message: the user typed only the verb. */
static void strip_report_prefix_from_error(abdb_error *err)
{
    static const char lead[] = "report choose: abdb_choose: ";
    size_t size = sizeof lead - 1;

    if (strncmp(err->message, lead, size) == 0)
        memmove(err->message, err->message + size, strlen(err->message + size) + 1);
}

int abdb_cmd_choose(int argc, char **argv)
{
    abdb_error err;

    if (run_choose_report_and_print(argc, argv, &err) == ABDB_OK) return 0;
    strip_report_prefix_from_error(&err);
    return abdb_print_error_return_exit_code(&err);
}

/* cmd_choose.c - abdb choose: what to buy or rent. It is the report choose, with the words of the
 * question put together: `abdb choose llama2-70b server --rate 100k/s`. */
#include <stdlib.h>
#include <string.h>

#include "query/answer/footnotes.h"
#include "query/answer/quotes.h"
#include "query/answer/report.h"
#include "query/answer/shelf.h"
#include "query/compare/sets.h"
#include "query/program/screen.h"

/* The words given, joined as --selection; NULL: none. From arena. */
static const char *words_of(const abdb_args *args, abdb_arena *arena)
{
    const char *out = NULL;

    for (int i = 0; i < args->positionals; i++)
        out =
            out ? abdb_arena_printf(arena, "%s,%s", out, args->positional[i]) : args->positional[i];
    return out;
}

/* Are these quotes, of devices that are known? Cuts them. */
static abdb_status check_quotes(sqlite3 *db, char *quotes, abdb_arena *arena, abdb_error *err)
{
    const char *device;
    abdb_quote quote;
    abdb_status st = ABDB_OK;

    while (quotes) {
        TRY(abdb_quote_next(&quotes, "price", &quote, err));
        TRY(abdb_name_resolve(db, "device", quote.device, &device, arena, err));
    }
done:
    return st;
}

/* A line of a file of prices, "DEVICE=2.49 USD/h" or "DEVICE,2.49", as a quote behind the others.
 */
static abdb_status add_price(sqlite3 *db, abdb_text *quotes, char *line, const char *path,
                             int number, abdb_arena *arena, abdb_error *err)
{
    char *comma = strrchr(line, ',');
    const char *said = line, *equals = strchr(line, '=');
    abdb_error wrong = {0};
    abdb_status st;

    if (!equals && comma)
        said = abdb_arena_printf(arena, "%.*s=%s USD/h", (int)(comma - line), line,
                                 abdb_trim(comma + 1));
    st = check_quotes(db, abdb_arena_printf(arena, "%s", said), arena, &wrong);
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
static abdb_status read_prices(const abdb_args *args, sqlite3 *db, abdb_arena *arena,
                               const char **out, abdb_error *err)
{
    const char *path = abdb_arg(args, "prices");
    abdb_text file = {0}, quotes = {0};
    char *rest = NULL, *line;
    int number = 0;
    abdb_status st = ABDB_OK;

    *out = abdb_arg(args, "price");
    if (!path) return ABDB_OK;
    TRY(abdb_read_text_file(path, &file, err));
    for (rest = file.data; (line = strsep(&rest, "\n"));) {
        number++;
        line[strcspn(line, "#\r")] = '\0';
        line = abdb_trim(line);
        if (*line) TRY(add_price(db, &quotes, line, path, number, arena, err));
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
static void take_values(const abdb_report *report, const abdb_args *args, const char **value)
{
    abdb_report_values(report, args, value);
    if (abdb_is_for_programs(args)) abdb_report_whole(report, value);
}

static void set_value(const abdb_report *report, const char *name, const char *text,
                      const char **value)
{
    for (size_t i = 0; text && *text && i < report->params; i++)
        if (strcmp(report->param[i].name, name) == 0) value[i] = text;
}

/* Is there any result? A database without one would call every name unknown. */
static abdb_status check_filled(abdb_db *db, abdb_error *err)
{
    long long any = 0;
    abdb_status st = abdb_db_integer(db, "SELECT EXISTS (SELECT 1 FROM result_row)", &any, err);

    if (st == ABDB_OK && !any)
        st = ABDB_FAIL(err, ABDB_UNFAIR,
                       "this database holds no result: `abdb import data` brings what is shipped");
    return st;
}

static abdb_status run(int argc, char **argv, abdb_error *err)
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
    take_values(&report, &args, value);
    set_value(&report, "selection", words_of(&args, &arena), value);
    if (abdb_arg(&args, "model") && args.positionals == 0 && !abdb_arg(&args, "scenario") &&
        !abdb_arg(&args, "time-to-train"))
        abdb_remark("no --scenario: of those that may not be compared, the one with the most"
                    " devices is taken");
    TRY(abdb_open_guarded(&args, &db, err));
    TRY(check_filled(db, err));
    TRY(read_prices(&args, db->sql, &arena, &prices, err));
    set_value(&report, "price", prices, value);
    TRY(abdb_report_answer(db, &report, value, &table, err));
    TRY(abdb_print_table(&args, &table, err));
    if (!table.rows)
        TRY(ABDB_FAIL(err, ABDB_UNFAIR, "there is nothing to choose from; %s",
                      abdb_arg(&args, "brief") ? "without --brief lines say why"
                                               : "the lines above say why"));
done:
    abdb_table_free(&table);
    abdb_report_free(&report);
    abdb_db_close(db);
    abdb_arena_free(&arena);
    return st;
}

/* Whoever typed the verb knows nothing of the report and its function, which lead the message. */
static void drop_lead(abdb_error *err)
{
    static const char lead[] = "report choose: abdb_choose: ";
    size_t size = sizeof lead - 1;

    if (strncmp(err->message, lead, size) == 0)
        memmove(err->message, err->message + size, strlen(err->message + size) + 1);
}

int abdb_cmd_choose(int argc, char **argv)
{
    abdb_error err;

    if (run(argc, argv, &err) == ABDB_OK) return 0;
    drop_lead(&err);
    return abdb_report_error(&err);
}

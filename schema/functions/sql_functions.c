/* sql_functions.c - SQL functions in C; see sql_functions.h. */
#include "schema/functions/sql_functions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schema/core/offer_capacity.h"
#include "schema/core/text.h"
#include "schema/core/units.h"
#include "schema/functions/sql_statistics.h"

enum { FOLD_MAX = 1024 };

/* abdb_fold(name): the name in the form in which spellings are compared. */
static void sql_abdb_fold(sqlite3_context *context, int count, sqlite3_value **value)
{
    char out[FOLD_MAX];
    const char *text = (const char *)sqlite3_value_text(value[0]);

    (void)count;
    if (!text) return;
    abdb_fold_name_drop_punctuation(text, out, sizeof out);
    sqlite3_result_text(context, out, -1, SQLITE_TRANSIENT);
}

/* to_unit(value, from, to): the value in another unit; an error if the units measure different
 * things. */
static void sql_to_unit(sqlite3_context *context, int count, sqlite3_value **value)
{
    const char *from = (const char *)sqlite3_value_text(value[1]);
    const char *to = (const char *)sqlite3_value_text(value[2]);
    abdb_error err;
    double out;

    (void)count;
    if (sqlite3_value_type(value[0]) == SQLITE_NULL || !from || !to) return;
    if (abdb_unit_convert(sqlite3_value_double(value[0]), from, to, &out, &err) != ABDB_OK)
        sqlite3_result_error(context, err.message, -1);
    else
        sqlite3_result_double(context, out);
}

enum { KEY_DIGITS = 32, KEY_INDEXED = 16 };

/* Where the digits of a printed key end, or NULL: "e-", "r-", "s-" or "p-" and 32 of them. */
static const char *end_of_printed_key(const char *key)
{
    if (!key || !*key || !strchr("ersp", *key) || key[1] != '-') return NULL;
    if (strspn(key + 2, "0123456789abcdef") != KEY_DIGITS) return NULL;
    return key + 2 + KEY_DIGITS;
}

/* key_number(KEY): the value of entry_key, spec_key or price_key, indexed part of a printed key. */
static void sql_key_number(sqlite3_context *context, int count, sqlite3_value **value)
{
    const char *key = (const char *)sqlite3_value_text(value[0]);
    char digits[KEY_INDEXED + 1] = "";
    unsigned long long number = 0;

    (void)count;
    if (!end_of_printed_key(key)) return;
    memcpy(digits, key + 2, KEY_INDEXED);
    (void)abdb_digits_parse_prefix(digits, 16, &number);
    sqlite3_result_int64(context, (sqlite3_int64)number);
}

/* key_ordinal(KEY): the place of a result in its entry. */
static void sql_key_ordinal(sqlite3_context *context, int count, sqlite3_value **value)
{
    const char *key = (const char *)sqlite3_value_text(value[0]), *end = end_of_printed_key(key);
    long long place;

    (void)count;
    if (end && *key == 'r' && *end == '-' &&
        abdb_integer_parse_in_range(end + 1, ABDB_MARK_POINT, 0, 1000000000, &place))
        sqlite3_result_int64(context, place);
}

static double value_or_nan(sqlite3_value *value)
{
    return sqlite3_value_type(value) == SQLITE_NULL ? NAN : sqlite3_value_double(value);
}

/* offer_fits(DEVICES, NODES, OFFERED): 1 where an offer holds a node of the system, else 0. */
static void sql_offer_holds_one_node(sqlite3_context *context, int count, sqlite3_value **value)
{
    double offered = value_or_nan(value[2]);

    (void)count;
    sqlite3_result_int(context, abdb_offer_holds_one_node(value_or_nan(value[0]),
                                                          value_or_nan(value[1]), offered));
}

/* price_old_days(): the age beyond which a price is called old. */
static void sql_price_old_days_threshold(sqlite3_context *context, int count, sqlite3_value **value)
{
    (void)count;
    (void)value;
    sqlite3_result_int(context, ABDB_PRICE_OLD_DAYS);
}

int abdb_sql_register_functions(sqlite3 *db)
{
    /* INNOCUOUS: files are opened with a distrusted schema, and their views may call only such
     * functions. */
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    int code = sqlite3_create_function(db, "abdb_fold", 1, flags, NULL, sql_abdb_fold, NULL, NULL);

    if (code == SQLITE_OK)
        code = sqlite3_create_function(db, "to_unit", 3, flags, NULL, sql_to_unit, NULL, NULL);
    if (code == SQLITE_OK)
        code =
            sqlite3_create_function(db, "key_number", 1, flags, NULL, sql_key_number, NULL, NULL);
    if (code == SQLITE_OK)
        code =
            sqlite3_create_function(db, "key_ordinal", 1, flags, NULL, sql_key_ordinal, NULL, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_create_function(db, "offer_fits", 3, flags, NULL, sql_offer_holds_one_node,
                                       NULL, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_create_function(db, "price_old_days", 0, flags, NULL,
                                       sql_price_old_days_threshold, NULL, NULL);
    if (code == SQLITE_OK) code = abdb_sql_register_statistics(db);
    return code;
}

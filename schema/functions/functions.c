/* functions.c - SQL functions in C; see functions.h. */
#include "schema/functions/functions.h"

#include <stdlib.h>
#include <string.h>

#include "schema/core/text.h"
#include "schema/core/units.h"
#include "schema/functions/statistics.h"

enum { FOLD_MAX = 1024 };

static void fold(sqlite3_context *context, int count, sqlite3_value **value)
{
    char out[FOLD_MAX];
    const char *text = (const char *)sqlite3_value_text(value[0]);

    (void)count;
    if (!text) return;
    abdb_fold(text, out, sizeof out);
    sqlite3_result_text(context, out, -1, SQLITE_TRANSIENT);
}

static void to_unit(sqlite3_context *context, int count, sqlite3_value **value)
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

/* "r-<16 hexadecimal digits>-<ordinal>": the two numbers of a result's key, NULL of anything else.
 */
static void key_part(sqlite3_context *context, sqlite3_value *value, int ordinal)
{
    const char *key = (const char *)sqlite3_value_text(value);
    char *end = NULL;
    unsigned long long id;
    long long place;
    char digits[17];

    if (!key || strlen(key) < 20 || strncmp(key, "r-", 2) != 0 || key[18] != '-') return;
    memcpy(digits, key + 2, 16);
    digits[16] = '\0';
    id = strtoull(digits, &end, 16);
    if (*end || !abdb_whole(key + 19, 0, 1000000000, &place)) return;
    sqlite3_result_int64(context, ordinal ? place : (sqlite3_int64)id);
}

static void entry_of(sqlite3_context *context, int count, sqlite3_value **value)
{
    (void)count;
    key_part(context, value[0], 0);
}

static void ordinal_of(sqlite3_context *context, int count, sqlite3_value **value)
{
    (void)count;
    key_part(context, value[0], 1);
}

int abdb_functions_register(sqlite3 *db)
{
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    int code = sqlite3_create_function(db, "abdb_fold", 1, flags, NULL, fold, NULL, NULL);

    if (code == SQLITE_OK)
        code = sqlite3_create_function(db, "to_unit", 3, flags, NULL, to_unit, NULL, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_create_function(db, "entry_of", 1, flags, NULL, entry_of, NULL, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_create_function(db, "ordinal_of", 1, flags, NULL, ordinal_of, NULL, NULL);
    if (code == SQLITE_OK) code = abdb_statistics_register(db);
    return code;
}

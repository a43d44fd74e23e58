/* functions.c - SQL functions in C; see functions.h. Compiled twice: into the program, and with
 * ABDB_EXTENSION into abdb.so, where SQLite hands over its interface. */
#ifdef ABDB_EXTENSION
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT1
#endif
#include "schema/functions/functions.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schema/core/stats.h"
#include "schema/core/text.h"
#include "schema/core/units.h"

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

/* Values gathered by an aggregate. */
typedef struct {
    double *x, q;
    size_t n, room;
    int failed;
} bag;

static void gather(sqlite3_context *context, int count, sqlite3_value **value)
{
    bag *b = sqlite3_aggregate_context(context, sizeof *b);

    if (!b || b->failed || sqlite3_value_type(value[0]) == SQLITE_NULL) return;
    if (b->n == b->room) {
        size_t room = b->room ? 2 * b->room : 64;
        double *x = realloc(b->x, room * sizeof *x);

        if (!x) {
            b->failed = 1;
            return;
        }
        b->x = x;
        b->room = room;
    }
    b->x[b->n++] = sqlite3_value_double(value[0]);
    b->q = count > 1 ? sqlite3_value_double(value[1]) : 0.5;
}

static void quantile_done(sqlite3_context *context)
{
    bag *b = sqlite3_aggregate_context(context, 0);
    abdb_summary summary;
    abdb_error err;

    if (!b) return;
    if (b->failed)
        sqlite3_result_error_nomem(context);
    else if (b->n && !(b->q >= 0 && b->q <= 1))
        sqlite3_result_error(context, "quantile: q is not in [0, 1]", -1);
    else if (b->n && abdb_summarise(b->x, b->n, &summary, &err) != ABDB_OK)
        sqlite3_result_error(context, err.message, -1);
    else if (b->n)
        sqlite3_result_double(context, abdb_quantile_sorted(b->x, b->n, b->q));
    free(b->x);
}

static void geomean_done(sqlite3_context *context)
{
    bag *b = sqlite3_aggregate_context(context, 0);
    double sum = 0;

    if (!b) return;
    if (b->failed) sqlite3_result_error_nomem(context);
    for (size_t i = 0; i < b->n; i++) {
        if (!(b->x[i] > 0)) {
            sqlite3_result_error(context, "geomean: a value is not positive", -1);
            free(b->x);
            return;
        }
        sum += log(b->x[i]);
    }
    if (b->n) sqlite3_result_double(context, exp(sum / (double)b->n));
    free(b->x);
}

int abdb_functions_register(sqlite3 *db)
{
    const int flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS;
    int code = sqlite3_create_function(db, "abdb_fold", 1, flags, NULL, fold, NULL, NULL);

    if (code == SQLITE_OK)
        code = sqlite3_create_function(db, "to_unit", 3, flags, NULL, to_unit, NULL, NULL);
    if (code == SQLITE_OK)
        code = sqlite3_create_function(db, "median", 1, flags, NULL, NULL, gather, quantile_done);
    if (code == SQLITE_OK)
        code = sqlite3_create_function(db, "quantile", 2, flags, NULL, NULL, gather, quantile_done);
    if (code == SQLITE_OK)
        code = sqlite3_create_function(db, "geomean", 1, flags, NULL, NULL, gather, geomean_done);
    return code;
}

#ifdef ABDB_EXTENSION
int sqlite3_abdb_init(sqlite3 *db, char **message, const sqlite3_api_routines *api);
int sqlite3_abdb_init(sqlite3 *db, char **message, const sqlite3_api_routines *api)
{
    (void)message;
    SQLITE_EXTENSION_INIT2(api);
    return abdb_functions_register(db);
}
#endif

/* offers.c - abdb_offers(quotes, day, provider, kind, today): the prices that count on a day, the
 * user's own instead of stored ones; see table_functions.h. */
#include "query/compare/price_offers.h"
#include "query/sql_tables/table_functions.h"

/* abdb_offers(...): the offers that a question may use, quotes included. */
static abdb_status fill_offer_rows(sqlite3 *db, const char *const *argument, abdb_table *out,
                                   abdb_error *err)
{
    const abdb_normalisation asked = {.price = argument[0],
                                      .price_date = argument[1],
                                      .provider = argument[2],
                                      .price_kind = argument[3],
                                      .today = argument[4]};

    return abdb_load_offers_and_quotes(out, db, &asked, err);
}

const abdb_table_function abdb_table_offers = {
    "abdb_offers",
    "CREATE TABLE x(device TEXT, per_device_hour REAL, provider TEXT, kind TEXT, valid_from TEXT,"
    " age_days REAL, locator TEXT, key TEXT, provider_kind TEXT, quotes HIDDEN, day HIDDEN, "
    "of_provider HIDDEN,"
    " of_kind HIDDEN, today HIDDEN, devices INTEGER, converted TEXT)",
    ABDB_OFFER_SIZE,
    0,
    5,
    ABDB_ALLOW_NOTHING,
    fill_offer_rows};

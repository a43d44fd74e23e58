/* price_offers.c - the prices that count on a day; see price_offers.h. */
#include "query/compare/price_offers.h"

#include <math.h>
#include <string.h>

#include "query/answer/price_quote.h"
#include "schema/core/offer_capacity.h"

enum { NODE_RATIO = 10 }; /* a quote over so many times the stored price is refused */

/* ?1 the requested day (NULL: today, or ?4 where that is later), ?2 a provider, ?3 a kind,
 * ?4 the day from which ages are counted (NULL: the requested day, else today), ?5 a kind of
 * providers. A price of a later day does not count yet, and ends no other. Cheapest first. */
static const char stored[] =
    "SELECT o.device, o.per_device_hour, o.provider, o.kind, o.valid_from,"
    " julianday(coalesce(?4, ?1, date('now'))) - julianday(o.first_day), o.locator, o.key, p.kind,"
    " o.offered, CASE WHEN o.currency <> 'USD' THEN format(', %.5g %s at %.6g USD of %s (%s)',"
    "  o.stated, o.currency, o.usd, o.rate_day, coalesce(o.rate_source, 'source not stated')) END,"
    " o.currency, iif(o.currency <> 'USD', o.usd, NULL),"
    " iif(o.currency <> 'USD', o.rate_day || ', ' || coalesce(o.rate_source, 'source not stated'),"
    "  NULL)"
    " FROM v_price_offer o LEFT JOIN v_provider p ON p.provider = o.provider"
    " CROSS JOIN (SELECT coalesce(?1, max(coalesce(?4, ''), date('now'))) AS day) d"
    " WHERE coalesce(o.last_day, '') <= d.day AND (o.valid_to IS NULL OR o.valid_to > d.day)"
    " AND (?2 IS NULL OR o.provider = ?2) AND (?3 = 'any' OR o.kind = coalesce(?3, 'on-demand'))"
    " AND (?5 IS NULL OR p.kind = ?5 COLLATE NOCASE)"
    " ORDER BY o.per_device_hour, o.valid_from DESC, o.key";

/* Takes the offers of a device out. */
static void remove_device_offers(abdb_table *t, const char *device)
{
    size_t kept = 0;

    for (size_t i = 0; i < t->rows; i++) {
        if (strcmp(abdb_cell_text_or_empty(t, i, ABDB_OFFER_DEVICE), device) == 0) continue;
        memmove(&t->value[kept * t->columns], &t->value[i * t->columns],
                t->columns * sizeof *t->value);
        kept++;
    }
    t->rows = kept;
}

/* Replaces all offers of a device by the user's own quote. */
static abdb_status replace_offers_by_quote(abdb_table *t, const char *device,
                                           const abdb_quote *quote, const char *words,
                                           abdb_error *err)
{
    const char *texts[ABDB_OFFER_COLUMNS] = {[ABDB_OFFER_DEVICE] = device,
                                             [ABDB_OFFER_PROVIDER] = "you",
                                             [ABDB_OFFER_KIND] = "own quote",
                                             [ABDB_OFFER_LOCATOR] = words};
    abdb_value *v;

    remove_device_offers(t, device);
    v = abdb_table_append_row(t);
    if (!v) return ABDB_FAIL(err, ABDB_NOMEM, "a quote");
    for (size_t i = 0; i < ABDB_OFFER_COLUMNS; i++)
        v[i] = texts[i] ? (abdb_value){.kind = ABDB_STRING, .text = texts[i]} : (abdb_value){0};
    v[ABDB_OFFER_PRICE] = (abdb_value){.kind = ABDB_REAL, .real = quote->amount};
    v[ABDB_OFFER_SIZE] =
        (abdb_value){.kind = ABDB_REAL, .real = quote->devices > 1 ? quote->devices : 0};
    v[ABDB_OFFER_AGE_DAYS] = (abdb_value){.kind = ABDB_REAL, .real = 0};
    return ABDB_OK;
}

/* Refuses a quote far above the lowest stored price, perhaps the price of a whole node, unless the
 * quote has a number of devices. */
static abdb_status refuse_likely_node_price(sqlite3 *db, const char *device,
                                            const abdb_quote *quote, abdb_error *err)
{
    abdb_binds binds = {0};
    abdb_table t = {0};
    double least;
    abdb_status st = ABDB_OK;

    if (quote->is_counted) return ABDB_OK;
    (void)abdb_bind_add_text(&binds, device);
    TRY(abdb_query_to_table(db,
                            "SELECT min(per_device_hour) FROM v_price_offer"
                            " WHERE device = ?1 AND kind = 'on-demand' AND last_day <= date('now')"
                            " AND (valid_to IS NULL OR valid_to > date('now'))",
                            &binds, &t, err));
    least = t.rows ? abdb_cell_number_or_nan(&t, 0, 0) : NAN;
    if (quote->amount > NODE_RATIO * least)
        TRY(ABDB_FAIL(err, ABDB_USAGE,
                      "%g USD/h for one %s is %.0f times what is stored (%g): per node? Write"
                      " '%s=%g USD/h/8' for a node of 8, and '/1' if it is for one device",
                      quote->amount, device, quote->amount / least, least, device, quote->amount));
done:
    abdb_table_free(&t);
    return st;
}

/* Reads the quotes of --price, separated by commas; each replaces the offers of its device. */
static abdb_status parse_quotes_replace_offers(abdb_table *t, sqlite3 *db, const char *quotes,
                                               abdb_error *err)
{
    char *rest = abdb_arena_copy(&t->arena, quotes, strlen(quotes));
    const char *device, *words;
    abdb_quote quote;
    abdb_status st = ABDB_OK;

    if (!rest) return ABDB_FAIL(err, ABDB_NOMEM, "--price");
    while (rest) {
        rest += strspn(rest, " ");
        words = abdb_arena_printf(&t->arena, "--price %.*s", (int)strcspn(rest, ","), rest);
        if (!words) TRY(ABDB_FAIL(err, ABDB_NOMEM, "--price"));
        TRY(abdb_parse_next_price_quote_per_device(&rest, "price", &quote, err));
        TRY(abdb_resolve_canonical_name(db, "device", quote.device, &device, &t->arena, err));
        TRY(refuse_likely_node_price(db, device, &quote, err));
        TRY(replace_offers_by_quote(t, device, &quote, words, err));
    }
done:
    return st;
}

abdb_status abdb_load_offers_and_quotes(abdb_table *out, sqlite3 *db,
                                        const abdb_normalisation *options, abdb_error *err)
{
    abdb_binds binds = {0};
    abdb_status st = ABDB_OK;

    (void)(abdb_bind_add_text(&binds, options->price_date) &&
           abdb_bind_add_text(&binds, options->provider) &&
           abdb_bind_add_text(&binds, options->price_kind) &&
           abdb_bind_add_text(&binds, options->today) && abdb_bind_add_text(&binds, options->tier));
    if (options->tier)
        TRY(abdb_require_word_among_sql_values(
            db, "SELECT DISTINCT kind FROM v_provider WHERE kind IS NOT NULL ORDER BY 1",
            "provider of tier", options->tier, err));
    TRY(abdb_query_to_table(db, stored, &binds, out, err));
    if (options->price && *options->price)
        TRY(parse_quotes_replace_offers(out, db, options->price, err));
done:
    return st;
}

bool abdb_offer_is_of_device_and_recent(const abdb_table *offers, size_t offer_row,
                                        const char *device, double max_age_days)
{
    return strcmp(abdb_cell_text_or_empty(offers, offer_row, ABDB_OFFER_DEVICE), device) == 0 &&
           (isnan(max_age_days) ||
            abdb_cell_number_or_nan(offers, offer_row, ABDB_OFFER_AGE_DAYS) <= max_age_days);
}

bool abdb_offer_is_as_cheap_and_larger(const abdb_table *offers, size_t i, size_t earlier)
{
    return abdb_cell_number_or_nan(offers, i, ABDB_OFFER_PRICE) <=
               abdb_cell_number_or_nan(offers, earlier, ABDB_OFFER_PRICE) &&
           abdb_cell_number_or_nan(offers, i, ABDB_OFFER_SIZE) >
               abdb_cell_number_or_nan(offers, earlier, ABDB_OFFER_SIZE);
}

size_t abdb_find_cheapest_offer(const abdb_table *offers, const char *device, double max_age_days)
{
    for (size_t i = 0; i < offers->rows; i++)
        if (abdb_offer_is_of_device_and_recent(offers, i, device, max_age_days)) return i;
    return SIZE_MAX;
}

size_t abdb_find_cheapest_fitting_offer(const abdb_table *offers, const char *device,
                                        double max_age_days, double system_devices,
                                        double system_nodes, abdb_text *too_small_offers)
{
    size_t fitting = SIZE_MAX, too_small = SIZE_MAX;

    for (size_t i = 0; i < offers->rows && fitting == SIZE_MAX; i++) {
        double size = abdb_cell_number_or_nan(offers, i, ABDB_OFFER_SIZE);

        if (!abdb_offer_is_of_device_and_recent(offers, i, device, max_age_days)) continue;
        if (!*abdb_cell_text_or_empty(offers, i, ABDB_OFFER_KEY) ||
            abdb_offer_holds_one_node(system_devices, system_nodes, size))
            fitting = i;
        else if (too_small == SIZE_MAX || abdb_offer_is_as_cheap_and_larger(offers, i, too_small))
            too_small = i;
    }
    if (too_small != SIZE_MAX &&
        (fitting == SIZE_MAX || abdb_cell_number_or_nan(offers, too_small, ABDB_OFFER_PRICE) <
                                    abdb_cell_number_or_nan(offers, fitting, ABDB_OFFER_PRICE)))
        abdb_text_printf(too_small_offers, ABDB_OFFER_FORMAT, device,
                         abdb_cell_number_or_nan(offers, too_small, ABDB_OFFER_PRICE),
                         abdb_cell_text_or_empty(offers, too_small, ABDB_OFFER_PROVIDER),
                         abdb_cell_number_or_nan(offers, too_small, ABDB_OFFER_SIZE));
    return fitting;
}

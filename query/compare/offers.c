/* offers.c - the prices that count on a day; see offers.h. */
#include "query/compare/offers.h"

#include <math.h>
#include <string.h>

#include "query/answer/quotes.h"

static const char stored[] =
    "SELECT device, per_device_hour, provider, kind, valid_from,"
    " julianday(coalesce(?4, date('now'))) - julianday(valid_from), locator, key"
    " FROM v_price_offer"
    " WHERE (?1 IS NOT NULL OR valid_to IS NULL) AND (?1 IS NULL OR (coalesce(valid_from, '') <= ?1"
    "  AND (valid_to IS NULL OR valid_to > ?1)))"
    " AND (?2 IS NULL OR provider = ?2) AND (?3 IS NULL OR kind = ?3)"
    " ORDER BY per_device_hour, valid_from DESC, key";

/* Takes the offers of a device out. */
static void drop(abdb_table *t, const char *device)
{
    size_t kept = 0;

    for (size_t i = 0; i < t->rows; i++) {
        if (strcmp(abdb_cell(t, i, ABDB_OFFER_DEVICE), device) == 0) continue;
        memmove(&t->value[kept * t->columns], &t->value[i * t->columns],
                t->columns * sizeof *t->value);
        kept++;
    }
    t->rows = kept;
}

static abdb_status add_quote(abdb_table *t, const char *device, double price, const char *words,
                             abdb_error *err)
{
    const char *texts[ABDB_OFFER_COLUMNS] = {[ABDB_OFFER_DEVICE] = device,
                                             [ABDB_OFFER_PROVIDER] = "you",
                                             [ABDB_OFFER_KIND] = "own quote",
                                             [ABDB_OFFER_LOCATOR] = words};
    abdb_value *v;

    drop(t, device);
    v = abdb_table_row(t);
    if (!v) return ABDB_FAIL(err, ABDB_NOMEM, "a quote");
    for (size_t i = 0; i < ABDB_OFFER_COLUMNS; i++)
        v[i] = texts[i] ? (abdb_value){.kind = ABDB_STRING, .text = texts[i]} : (abdb_value){0};
    v[ABDB_OFFER_PRICE] = (abdb_value){.kind = ABDB_REAL, .real = price};
    v[ABDB_OFFER_AGE_DAYS] = (abdb_value){.kind = ABDB_REAL, .real = 0};
    return ABDB_OK;
}

static abdb_status add_quotes(abdb_table *t, sqlite3 *db, const char *quotes, abdb_error *err)
{
    char *rest = abdb_arena_copy(&t->arena, quotes, strlen(quotes)), *name;
    const char *device, *words;
    double price;
    abdb_status st = ABDB_OK;

    while (rest) {
        rest += strspn(rest, " ");
        words = abdb_arena_printf(&t->arena, "--price %.*s", (int)strcspn(rest, ","), rest);
        TRY(abdb_quote_next(&rest, "price", &name, &price, err));
        TRY(abdb_name_resolve(db, "device", name, &device, &t->arena, err));
        TRY(add_quote(t, device, price, words, err));
    }
done:
    return st;
}

abdb_status abdb_offers_load(abdb_table *out, sqlite3 *db, const abdb_measure *asked,
                             abdb_error *err)
{
    abdb_binds binds = {0};
    abdb_status st = ABDB_OK;

    (void)(abdb_bind_add_text(&binds, asked->price_date) &&
           abdb_bind_add_text(&binds, asked->provider) &&
           abdb_bind_add_text(&binds, asked->price_kind) &&
           abdb_bind_add_text(&binds, asked->today));
    TRY(abdb_rows(db, stored, &binds, out, err));
    if (asked->price && *asked->price) TRY(add_quotes(out, db, asked->price, err));
done:
    return st;
}

size_t abdb_offers_cheapest(const abdb_table *offers, const char *device, double days)
{
    for (size_t i = 0; i < offers->rows; i++)
        if (strcmp(abdb_cell(offers, i, ABDB_OFFER_DEVICE), device) == 0 &&
            !(abdb_cell_number(offers, i, ABDB_OFFER_AGE_DAYS) > days))
            return i;
    return SIZE_MAX;
}

/* price_notes.c - what the reader must know of the prices that meet in an answer; see
 * price_notes.h. */
#include "query/compare/price_notes.h"

#include <string.h>

#include "query/answer/table.h"
#include "schema/core/offer_capacity.h"

static void add_too_small_offer_once(abdb_price_summary *met, const char *small)
{
    for (size_t i = 0; i < met->smalls; i++)
        if (strcmp(met->small[i], small) == 0) return;
    if (met->smalls < ABDB_PRICES_SMALL_MAX) met->small[met->smalls++] = small;
}

void abdb_price_summary_add_member(abdb_price_summary *met, const abdb_member *member)
{
    const char *kind;
    size_t i = 0, at = 0;

    if (member->too_small) add_too_small_offer_once(met, member->too_small);
    if (!member->price) return;
    while (i < met->kinds && strcmp(met->kind[i], member->price_kind) != 0) i++;
    if (i == met->kinds && i < ABDB_PRICES_KINDS_MAX) met->kind[met->kinds++] = member->price_kind;
    if (member->price_age_days > met->oldest_days) met->oldest_days = member->price_age_days;
    if (strcmp(member->price_kind, "own quote") == 0) return;
    kind = *member->provider_kind ? member->provider_kind : "of unknown kind";
    for (i = 0; i < met->providers; i++) {
        if (strcmp(met->from[i].provider, member->provider) == 0) return;
        /* Kept in the order of kinds, so that append_providers_by_kind_count_kinds() can group
         * them. */
        if (strcmp(met->from[i].kind, kind) <= 0) at = i + 1;
    }
    if (met->providers == ABDB_PRICES_PROVIDERS_MAX) return;
    memmove(&met->from[at + 1], &met->from[at], (met->providers++ - at) * sizeof met->from[0]);
    met->from[at].kind = kind;
    met->from[at].provider = member->provider;
}

/* "tier-1 cloud (AWS, OCI), marketplace (Prime Intellect)" */
static size_t append_providers_by_kind_count_kinds(const abdb_price_summary *met, abdb_text *out)
{
    size_t kinds = 0;

    for (size_t i = 0; i < met->providers; i++) {
        bool same = i && strcmp(met->from[i].kind, met->from[i - 1].kind) == 0;

        kinds += !same;
        abdb_text_printf(out, "%s", same ? ", " : i ? "), " : "");
        if (!same) abdb_text_printf(out, "%s (", met->from[i].kind);
        abdb_text_puts(out, met->from[i].provider);
    }
    if (met->providers) abdb_text_puts(out, ")");
    return kinds;
}

void abdb_price_summary_add_notes(const abdb_price_summary *met, abdb_table *t)
{
    abdb_text line = {0};

    if (met->kinds > 1) {
        abdb_text_puts(&line, "! prices of different kind meet: ");
        for (size_t i = 0; i < met->kinds; i++)
            abdb_text_printf(&line, "%s%s", i ? ", " : "", met->kind[i]);
        abdb_table_add_note(t, abdb_text_get(&line));
    }
    abdb_text_clear(&line);
    abdb_text_puts(&line, "! providers of different kind, whose prices include different things: ");
    if (append_providers_by_kind_count_kinds(met, &line) > 1)
        abdb_table_add_note(t, abdb_text_get(&line));
    abdb_text_clear(&line);
    abdb_text_printf(&line, "! prices are up to %.0f days old: ask for a quote of today",
                     met->oldest_days);
    if (met->oldest_days > ABDB_PRICE_OLD_DAYS) abdb_table_add_note(t, abdb_text_get(&line));
    abdb_text_clear(&line);
    for (size_t i = 0; i < met->smalls; i++)
        abdb_text_printf(&line, "%s%s", i ? ", " : "left out: ", met->small[i]);
    abdb_text_puts(&line, ": " ABDB_OFFER_SMALL);
    if (met->smalls) abdb_table_add_note(t, abdb_text_get(&line));
    abdb_text_free(&line);
}

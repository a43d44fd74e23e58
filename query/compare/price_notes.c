/* price_notes.c - notes on the prices used together in an answer; see price_notes.h.
 */
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

static void add_price_age(abdb_price_summary *met, const abdb_member *member)
{
    const char *day = member->price_read_on;

    if (!day) {
        if (member->price_age_days > met->oldest_days) met->oldest_days = member->price_age_days;
        return;
    }
    if (!met->read_first || strcmp(day, met->read_first) < 0) met->read_first = day;
    if (!met->read_last || strcmp(day, met->read_last) > 0) met->read_last = day;
}

/* "! prices are up to 300 days old, others of unknown age, read on 2026-11-21: ..." */
static void add_price_age_note(const abdb_price_summary *met, abdb_table *t)
{
    bool old = met->oldest_days > ABDB_PRICE_OLD_DAYS;
    abdb_text line = {0};

    if (!old && !met->read_first) return;
    abdb_text_puts(&line, old ? "! prices are " : "! prices are of unknown age");
    if (old) abdb_text_printf(&line, "up to %.0f days old", met->oldest_days);
    if (old && met->read_first) abdb_text_puts(&line, ", others of unknown age");
    if (met->read_first && strcmp(met->read_first, met->read_last) == 0)
        abdb_text_printf(&line, ", read on %s", met->read_first);
    else if (met->read_first)
        abdb_text_printf(&line, ", read from %s to %s", met->read_first, met->read_last);
    abdb_text_puts(&line, ": " ABDB_PRICE_RENEWAL);
    abdb_table_add_note(t, abdb_text_get(&line));
    abdb_text_free(&line);
}

void abdb_price_summary_add_member(abdb_price_summary *met, const abdb_member *member)
{
    const char *kind;
    size_t i = 0, at = 0;

    if (member->too_small) add_too_small_offer_once(met, member->too_small);
    if (!member->price) return;
    while (i < met->kinds && strcmp(met->kind[i], member->price_kind) != 0) i++;
    if (i == met->kinds && i < ABDB_PRICES_KINDS_MAX) met->kind[met->kinds++] = member->price_kind;
    add_price_age(met, member);
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
    add_price_age_note(met, t);
    for (size_t i = 0; i < met->smalls; i++)
        abdb_text_printf(&line, "%s%s", i ? ", " : "left out: ", met->small[i]);
    abdb_text_puts(&line, ": " ABDB_OFFER_SMALL);
    if (met->smalls) abdb_table_add_note(t, abdb_text_get(&line));
    abdb_text_free(&line);
}

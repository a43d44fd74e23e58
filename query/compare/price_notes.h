/* price_notes.h - notes on the prices used together in an answer. */
#ifndef ABDB_QUERY_PRICE_NOTES_H
#define ABDB_QUERY_PRICE_NOTES_H

#include "query/compare/result_set.h"

enum { ABDB_PRICES_KINDS_MAX = 8, ABDB_PRICES_PROVIDERS_MAX = 64, ABDB_PRICES_SMALL_MAX = 32 };

/* The prices of an answer; starts as {0}. Texts are borrowed. */
typedef struct {
    const char *kind[ABDB_PRICES_KINDS_MAX];
    size_t kinds;
    struct {
        const char *kind, *provider;
    } from[ABDB_PRICES_PROVIDERS_MAX]; /* in the order of their kinds */
    size_t providers;
    double oldest_days;                       /* of prices with a known date */
    const char *read_first, *read_last;       /* of prices without a known date; NULL: none */
    const char *small[ABDB_PRICES_SMALL_MAX]; /* offers that hold no node of a system, each once */
    size_t smalls;
} abdb_price_summary;

void abdb_price_summary_add_member(abdb_price_summary *met, const abdb_member *member);
/* Notes: prices of different kind, providers of different kind, prices that are old or of unknown
 * age, offers that are too small. */
void abdb_price_summary_add_notes(const abdb_price_summary *met, abdb_table *t);

#endif

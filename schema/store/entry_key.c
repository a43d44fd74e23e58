/* entry_key.c - keys of entries; see entry_key.h. */
#include "schema/store/entry_key.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schema/core/array.h"
#include "schema/core/text.h"
#include "schema/store/digest.h"
#include "schema/store/writer_internal.h"

static int compare_factors_by_name(const void *a, const void *b)
{
    return strcmp((*(const abdb_factor *const *)a)->name, (*(const abdb_factor *const *)b)->name);
}

/* No place in a series comes before every place. */
static int compare_series_positions_nan_first(double a, double b)
{
    if (isnan(a) || isnan(b)) return isnan(b) - isnan(a);
    return (a > b) - (a < b);
}

/* Orders results by metric, statistic, rank and place in the series; equal ones keep their order in
 * the entry. */
static int compare_results_by_metric_statistic_rank_x(const void *a, const void *b)
{
    const abdb_result *x = *(const abdb_result *const *)a, *y = *(const abdb_result *const *)b;
    int order = strcmp(x->metric, y->metric);

    if (order == 0) order = strcmp(x->statistic, y->statistic);
    if (order == 0) order = (x->rank > y->rank) - (x->rank < y->rank);
    if (order == 0) order = compare_series_positions_nan_first(x->x, y->x);
    if (order == 0) order = (x > y) - (x < y); /* in the order of the entry */
    return order;
}

void abdb_sort_factors_and_results(abdb_sorted_entry *o, const abdb_entry *e)
{
    o->entry = e;
    for (size_t i = 0; i < e->factors; i++) o->factor[i] = &e->factor[i];
    for (size_t i = 0; i < e->results; i++) o->result[i] = &e->result[i];
    abdb_array_sort(o->factor, e->factors, sizeof *o->factor, compare_factors_by_name);
    abdb_array_sort(o->result, e->results, sizeof *o->result,
                    compare_results_by_metric_statistic_rank_x);
}

static void append_integer(abdb_text *text, long long value)
{
    char digits[24];

    abdb_text_add(text, digits, abdb_format_integer(value, digits));
}

/* Appends a number as %.17g prints it. */
static void append_number_17_digits(abdb_text *text, double value)
{
    char digits[32];

    /* Whole numbers by the quick way, with the same digits that %.17g gives; -0 prints as -0. */
    if (fabs(value) < 1e15 && value == floor(value) && !(value == 0 && signbit(value))) {
        append_integer(text, (long long)value);
        return;
    }
    abdb_format_double_17_digits(value, digits);
    abdb_text_puts(text, digits);
}

/* Appends all of a result that makes two measurements differ, samples included, to the text that
 * becomes the key. */
static void append_result_and_samples_to_key_text(abdb_text *text, const abdb_result *r)
{
    abdb_text_puts(text, "\x1e");
    abdb_text_puts(text, r->metric);
    abdb_text_puts(text, "\x1f");
    abdb_text_puts(text, r->statistic);
    if (r->rank == -1)
        abdb_text_puts(text, "\x1f-1\x1f");
    else
        abdb_text_printf(text, "\x1f%ld\x1f", r->rank);
    append_number_17_digits(text, r->x);
    abdb_text_puts(text, "\x1f");
    append_number_17_digits(text, r->value);
    abdb_text_puts(text, "\x1f");
    abdb_text_puts(text, r->raw_unit ? r->raw_unit : "");
    abdb_text_puts(text, "\x1f");
    append_number_17_digits(text, (double)r->n);
    abdb_text_puts(text, "\x1f");
    append_number_17_digits(text, r->low);
    abdb_text_puts(text, "\x1f");
    append_number_17_digits(text, r->high);
    for (size_t k = 0; k < r->samples; k++)
        abdb_text_printf(text, "\x1f%ld:%.17g", r->sample[k].rank, r->sample[k].value);
}

/* \x1e stands between parts of a key's text and \x1f between fields: no field contains them. */
enum { POINTS = 64 };

/* The state of a maker of keys: a text that is used again and again, and earlier points, since
 * files repeat them. */
typedef struct {
    const char *file; /* its digest; NULL: none */
    abdb_text text;
    struct {
        abdb_text text;
        abdb_key key;
    } point[POINTS];
} key_maker;

static abdb_key digest_key_text(key_maker *k)
{
    return abdb_sha256_key_of_bytes(abdb_text_get(&k->text), k->text.size);
}

/* The digest of the text, remembered. */
static abdb_key digest_key_text_cached(key_maker *k)
{
    const char *text = abdb_text_get(&k->text);
    unsigned hash = 2166136261u; /* FNV-1a */
    size_t i;

    for (i = 0; i < k->text.size; i++) hash = (hash ^ (unsigned char)text[i]) * 16777619u;
    i = (hash ^ hash >> 16) % POINTS;
    if (k->point[i].text.size != k->text.size || !k->point[i].key.high ||
        memcmp(abdb_text_get(&k->point[i].text), text, k->text.size) != 0) {
        k->point[i].key = digest_key_text(k);
        abdb_text_clear(&k->point[i].text);
        abdb_text_add(&k->point[i].text, text, k->text.size);
        if (k->point[i].text.failed) k->text.failed = true;
    }
    return k->point[i].key;
}

/* The key of the sorted factors of an entry, by name, state and text. */
static abdb_key cached_key_of_sorted_factors(key_maker *k, const abdb_sorted_entry *o)
{
    abdb_text_clear(&k->text);
    for (size_t i = 0; i < o->entry->factors; i++) {
        const char state[] = {'\x1f', (char)('0' + o->factor[i]->state), '\x1f', '\0'};

        abdb_text_puts(&k->text, o->factor[i]->name);
        abdb_text_puts(&k->text, state);
        abdb_text_puts(&k->text, o->factor[i]->text);
        abdb_text_puts(&k->text, "\x1e");
    }
    return digest_key_text_cached(k);
}

/* Has a field a value other than its default? */
static bool field_is_set_and_not_default(const abdb_entry *e, int field)
{
    const char *text = e->field[field];

    if (!text || !*text) return false;
    if (field == ABDB_FIELD_status) return strcmp(text, "ok") != 0;
    return field != ABDB_FIELD_verified || strcmp(text, "unknown") != 0;
}

bool abdb_field_is_in_description(int field)
{
    return field != ABDB_FIELD_date && field != ABDB_FIELD_cell;
}

static void append_key_text(abdb_text *text, abdb_key key)
{
    append_integer(text, key.high);
    abdb_text_puts(text, "\x1f");
    append_integer(text, key.low);
}

/* Appends the values of an entry outside the fields shared by many entries. */
static void append_unshared_fields_to_key(abdb_text *text, const abdb_entry *e)
{
    for (int i = 0; i < ABDB_FIELD_COUNT; i++)
        if (!abdb_field_is_in_description(i) && e->field[i] && *e->field[i]) {
            abdb_text_puts(text, "\x1e");
            abdb_text_puts(text, e->field[i]);
        }
    if (e->process.campaign)
        abdb_text_printf(text, "\x1eprocess=%s\x1f%s\x1f%ld\x1f%ld", e->process.campaign,
                         e->process.backend, e->process.repetition, e->process.start);
    if (e->environment) {
        abdb_text_puts(text, "\x1e");
        abdb_text_puts(text, e->environment);
    }
}

/* A number that separates a measured row of this file from equal rows elsewhere. */
static long long given_origin_or_digest_of_row_place(key_maker *k, const abdb_entry *e)
{
    const char *evidence = e->field[ABDB_FIELD_evidence];

    if (e->origin != ABDB_ORIGIN_UNSAID) return e->origin;
    if (!k->file || !evidence || strcmp(evidence, "measured") != 0) return ABDB_ORIGIN_NONE;
    abdb_text_clear(&k->text);
    abdb_text_printf(&k->text, "%s\x1f%s", k->file, e->locator ? e->locator : "");
    if (!e->locator) append_integer(&k->text, e->line);
    return digest_key_text(k).high;
}

/* The text of a field; a count in one spelling, whichever its source has. */
static void append_field_normalizing_count(abdb_text *text, const abdb_entry *e, int field)
{
    long long count;

    if (abdb_fields[field].is_number && abdb_entry_parse_positive_count(e, field, &count))
        append_integer(text, count);
    else
        abdb_text_puts(text, e->field[field]);
}

/* Keys of the factors, of the shared fields and of the whole: content, and where there is one the
 * origin; no path, line or time of import. All 0: no memory. */
static void compute_entry_keys(key_maker *k, const abdb_sorted_entry *o, abdb_key key[ABDB_KEYS],
                               long long *origin)
{
    const abdb_entry *e = o->entry;
    abdb_text *text = &k->text;
    abdb_digest digest;
    size_t shared;

    key[ABDB_KEY_POINT] = cached_key_of_sorted_factors(k, o);
    *origin = given_origin_or_digest_of_row_place(k, e);
    abdb_text_clear(text);
    for (int i = 0; i < ABDB_FIELD_COUNT; i++)
        if (abdb_field_is_in_description(i) && field_is_set_and_not_default(e, i)) {
            abdb_text_puts(text, abdb_fields[i].name);
            abdb_text_puts(text, "=");
            append_field_normalizing_count(text, e, i);
            abdb_text_puts(text, "\x1f");
        }
    shared = text->size;
    abdb_digest_begin(&digest);
    abdb_digest_add(&digest, abdb_text_get(text), shared);
    key[ABDB_KEY_DESCRIPTION] = abdb_digest_key_so_far(&digest);
    abdb_text_puts(text, "\x1epoint=");
    append_key_text(text, key[ABDB_KEY_POINT]);
    if (*origin > 0) {
        abdb_text_puts(text, "\x1eorigin=");
        append_integer(text, *origin);
    }
    append_unshared_fields_to_key(text, e);
    for (size_t i = 0; i < e->results; i++)
        append_result_and_samples_to_key_text(text, o->result[i]);
    abdb_digest_add(&digest, abdb_text_get(text) + shared, text->size - shared);
    key[ABDB_KEY_ENTRY] = abdb_digest_key_so_far(&digest);
    if (text->failed) memset(key, 0, ABDB_KEYS * sizeof *key);
}

/* The keys of an entry that can be stored; zeros for one that cannot. */
static void compute_keys_or_zeros_if_invalid(void *self, const abdb_entry *entry,
                                             abdb_key key[ABDB_KEYS], long long *origin)
{
    abdb_sorted_entry o;

    memset(key, 0, ABDB_KEYS * sizeof *key);
    if (abdb_entry_why_invalid(entry)) return; /* an entry that has keys is one that can be kept */
    abdb_sort_factors_and_results(&o, entry);
    compute_entry_keys(self, &o, key, origin);
}

abdb_status abdb_keymaker_open(abdb_keymaker *out, const char *sha256, abdb_error *err)
{
    *out = (abdb_keymaker){calloc(1, sizeof(key_maker)), compute_keys_or_zeros_if_invalid, NULL};
    if (!out->self) return ABDB_FAIL(err, ABDB_NOMEM, "keys");
    abdb_keymaker_set_file_digest(out, sha256);
    return ABDB_OK;
}

void abdb_keymaker_set_file_digest(const abdb_keymaker *keys, const char *sha256)
{
    key_maker *k = keys->self;

    k->file = sha256;
}

void abdb_keymaker_close(abdb_keymaker *keys)
{
    key_maker *k = keys->self;

    if (!k) return;
    abdb_text_free(&k->text);
    for (int i = 0; i < POINTS; i++) abdb_text_free(&k->point[i].text);
    free(k);
    keys->self = NULL;
}

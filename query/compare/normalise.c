/* normalise.c - values per device, node, watt, joule, dollar, peak or bandwidth; see result_set.h.
 *
 * The formulas are the views v_normalised and, where a price is wanted, v_at_price; here one is
 * chosen for each member, at the cheapest of the offers that count (price_offers.h). per_device@1,
 * used by most comparisons, is read from the column `each` of v_result, the source of v_normalised:
 * SQLite needs ten times as long to prepare that view, with all its formulas.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "query/compare/latency_answer.h"
#include "query/compare/quality.h"
#include "query/compare/price_offers.h"
#include "schema/core/date.h"
#include "schema/core/offer_capacity.h"

static const struct {
    const char *per, *formula;
    const char *missing; /* why a member has none */
    bool counts_devices; /* wrong where sources disagree on their number */
} pers[] = {
    {"none", NULL, NULL, false},
    {"device", "per_device@1", "number of devices unknown", true},
    {"node", "per_node@1", "number of nodes unknown", false},
    {"watt", "per_watt@1", "no measured power (no-watt-from-tdp)", false},
    {"joule", "per_joule@1", "no measured energy (no-watt-from-tdp)", false},
    {"dollar", "per_dollar@1", NULL, true}, /* why_no_offer_fits() gives the reason */
    {"peak", "mfu@1", "no peak of that number format, engine and number of cores", true},
    {"bandwidth", "mbu@1", "no bandwidth to divide by", true},
};
enum { PER_COUNT = sizeof pers / sizeof pers[0] };

static size_t find_per_index_or_count(const char *per)
{
    size_t i = 0;

    while (per && i < PER_COUNT && strcmp(pers[i].per, per) != 0) i++;
    return i;
}

abdb_status abdb_find_per_formula(const char *per, const char **formula, abdb_error *err)
{
    const char *names[PER_COUNT], *near;
    size_t at = find_per_index_or_count(per);

    for (size_t i = 0; i < PER_COUNT; i++) names[i] = pers[i].per;
    near = per ? abdb_nearest_name(per, names, PER_COUNT) : NULL;
    if (at == PER_COUNT)
        return ABDB_FAIL(err, ABDB_USAGE,
                         "--per '%s'%s%s%s; there are none, device, node, watt, joule, dollar, peak"
                         " and bandwidth",
                         per, near ? ": did you mean " : "", near ? near : "", near ? "?" : "");
    *formula = pers[at].formula;
    return ABDB_OK;
}

typedef struct {
    abdb_set *set;
    sqlite3 *db;
    const abdb_normalisation *measure;
    size_t per;
    sqlite3_stmt *find;
    abdb_table offers; /* where a price is wanted */
    double days;       /* the oldest that counts; NAN: any */
    abdb_table marks;  /* marks that exclude: mark, sentence, effect */
} normaliser;

/* The first mark that excludes a member; its text becomes the reason. An allowed mark is noted.
 */
static const char *set_exclusion_mark_of_member_return_reason(normaliser *n, size_t member_index)
{
    const char *marks = abdb_member_text(n->set, member_index, ABDB_M_marks);
    abdb_member *m = &n->set->member[member_index];

    m->mark = m->mark_shown = NULL;
    for (size_t k = 0; *marks && k < n->marks.rows && !m->mark; k++) {
        const char *mark = abdb_cell_text_or_empty(&n->marks, k, 0);

        if (!abdb_list_has_word(marks, ' ', mark, strlen(mark))) continue;
        mark = abdb_arena_copy(&n->set->arena, mark, strlen(mark));
        if (n->measure->marks &&
            strcmp(abdb_cell_text_or_empty(&n->marks, k, 2), "leave out") == 0) {
            m->mark_shown = mark;
            continue;
        }
        m->mark = mark;
        return abdb_arena_printf(&n->set->arena, "%s: %s", mark,
                                 abdb_cell_text_or_empty(&n->marks, k, 1));
    }
    return NULL;
}

/* Loads the marks that leave rows out, with their sentences. ABDB_USAGE: --marks is not "any". */
static abdb_status load_excluding_marks(normaliser *n, abdb_error *err)
{
    const char *marks = n->measure->marks;

    if (marks && strcmp(marks, "any") != 0)
        return ABDB_FAIL(err, ABDB_USAGE, "--marks wants any, not '%s'", marks);
    return abdb_query_to_table(n->db,
                               "SELECT mark, sentence, effect FROM mark WHERE effect <> 'show'"
                               " ORDER BY effect DESC, mark",
                               NULL, &n->marks, err);
}

/* Why a member cannot stand for its set. */
static const char *set_mark_return_exclusion_reason(normaliser *n, size_t member_index, size_t per)
{
    const abdb_set *set = n->set;
    const char *marked = set_exclusion_mark_of_member_return_reason(n, member_index);
    const char *flags = abdb_member_text(set, member_index, ABDB_M_flags);

    if (marked) return marked;
    if (abdb_list_has_word(flags, ' ', "averaged", strlen("averaged")))
        return "average of submissions";
    if (abdb_list_has_word(flags, ' ', "errors", strlen("errors"))) return "errors";
    if (abdb_member_number(set, member_index, ABDB_M_disagree) > 0) return "sources disagree";
    if (pers[per].counts_devices &&
        abdb_list_has_word(flags, ' ', "devices-disagree", strlen("devices-disagree")))
        return "sources disagree on the number of devices";
    return NULL;
}

static bool divides_by_devices(const normaliser *n)
{
    return strcmp(pers[n->per].per, "device") == 0;
}

static bool divides_by_price(const normaliser *n)
{
    return strcmp(pers[n->per].per, "dollar") == 0;
}

static const char *copy_offer_text(normaliser *n, size_t offer_row, abdb_offer_column column)
{
    const char *text = abdb_cell_text_or_empty(&n->offers, offer_row, column);

    return abdb_arena_copy(&n->set->arena, text, strlen(text));
}

/* Why no offer serves a device: only too small ones, only too old ones, or none of the kind; with
 * the option that helps. */
static const char *why_no_offer_fits(normaliser *n, const char *device)
{
    const char *kind = n->measure->price_kind;

    if (abdb_find_cheapest_offer(&n->offers, device, NAN) != SIZE_MAX)
        return abdb_find_cheapest_offer(&n->offers, device, n->days) != SIZE_MAX
                   ? "offered only in fewer devices than a node of it has"
                     " (--price 'DEVICE=2.49 USD/h' gives a price)"
                   : abdb_arena_printf(&n->set->arena,
                                       "no price of the last %g days (undated ones are left out)",
                                       n->days);
    return abdb_arena_printf(
        &n->set->arena, "no price of kind %s (--price 'DEVICE=2.49 USD/h' gives one%s)",
        kind ? kind : "on-demand",
        kind && strcmp(kind, "any") == 0 ? "" : ", --price-kind any takes others");
}

/* The last day of a date that lies between two days; NULL: of another date. */
static const char *find_day_price_was_read(const char *date)
{
    const char *slash = strchr(date, '/');

    return slash ? slash + 1 : NULL;
}

/* "OCI on-demand 2026-09-18, 64 days old", and by which rate it was turned into dollars. */
static const char *describe_offer_source_and_age(const abdb_table *offers, size_t offer_row,
                                                 abdb_arena *arena)
{
    const char *from = abdb_cell_text_or_empty(offers, offer_row, ABDB_OFFER_FROM);
    const char *read_on = find_day_price_was_read(from);
    const char *provider = abdb_cell_text_or_empty(offers, offer_row, ABDB_OFFER_PROVIDER),
               *kind = abdb_cell_text_or_empty(offers, offer_row, ABDB_OFFER_KIND),
               *converted = abdb_cell_text_or_empty(offers, offer_row, ABDB_OFFER_CONVERTED);
    double age = abdb_cell_number_or_nan(offers, offer_row, ABDB_OFFER_AGE_DAYS);

    if (!*abdb_cell_text_or_empty(offers, offer_row, ABDB_OFFER_KEY)) return "your own quote";
    if (isnan(age)) return abdb_arena_printf(arena, "%s %s, undated%s", provider, kind, converted);
    if (read_on)
        return abdb_arena_printf(arena, "%s %s, read on %s, age unknown%s", provider, kind, read_on,
                                 converted);
    return abdb_arena_printf(arena, "%s %s %s, %.0f days old%s", provider, kind, from, age,
                             converted);
}

/* The cheapest offer of a member's device that holds a node of its system; notes a cheaper one that
 * is too small. SIZE_MAX: none. */
static size_t find_cheapest_fitting_offer_note_small(normaliser *n, size_t member_index)
{
    abdb_text small = {0};
    size_t at = abdb_find_cheapest_fitting_offer(
        &n->offers, abdb_member_text(n->set, member_index, ABDB_M_device), n->days,
        abdb_member_number(n->set, member_index, ABDB_M_devices),
        abdb_member_number(n->set, member_index, ABDB_M_nodes), &small);

    n->set->member[member_index].too_small =
        small.size ? abdb_arena_copy(&n->set->arena, abdb_text_get(&small), small.size) : NULL;
    abdb_text_free(&small);
    return at;
}

/* The price of the dearest offer of a member's device that holds a node of its system. */
static double highest_fitting_offer(const normaliser *n, size_t member_index)
{
    const char *device = abdb_member_text(n->set, member_index, ABDB_M_device);
    double highest = 0;

    for (size_t i = 0; i < n->offers.rows; i++)
        if (abdb_offer_is_of_device_and_recent(&n->offers, i, device, n->days) &&
            (!*abdb_cell_text_or_empty(&n->offers, i, ABDB_OFFER_KEY) ||
             abdb_offer_holds_one_node(abdb_member_number(n->set, member_index, ABDB_M_devices),
                                       abdb_member_number(n->set, member_index, ABDB_M_nodes),
                                       abdb_cell_number_or_nan(&n->offers, i, ABDB_OFFER_SIZE))))
            highest = fmax(highest, abdb_cell_number_or_nan(&n->offers, i, ABDB_OFFER_PRICE));
    return highest;
}

/* A value for 1 USD an hour becomes one at the cheapest offer of the member's device. */
static void divide_value_by_cheapest_offer(normaliser *n, size_t member_index)
{
    abdb_member *m = &n->set->member[member_index];
    abdb_arena *arena = &n->set->arena;
    const char *device = abdb_member_text(n->set, member_index, ABDB_M_device), *key;
    size_t at = find_cheapest_fitting_offer_note_small(n, member_index);

    m->value =
        at == SIZE_MAX ? NAN : m->value / abdb_cell_number_or_nan(&n->offers, at, ABDB_OFFER_PRICE);
    if (at == SIZE_MAX) {
        if (!m->why) m->why = why_no_offer_fits(n, device);
        return;
    }
    key = abdb_cell_text_or_empty(&n->offers, at, ABDB_OFFER_KEY);
    m->facts = *key ? abdb_arena_copy(arena, key, strlen(key)) : NULL;
    m->price = describe_offer_source_and_age(&n->offers, at, arena);
    m->provider = copy_offer_text(n, at, ABDB_OFFER_PROVIDER);
    m->provider_kind = copy_offer_text(n, at, ABDB_OFFER_PROVIDER_KIND);
    m->price_kind = copy_offer_text(n, at, ABDB_OFFER_KIND);
    m->price_read_on = find_day_price_was_read(copy_offer_text(n, at, ABDB_OFFER_FROM));
    m->price_age_days = abdb_cell_number_or_nan(&n->offers, at, ABDB_OFFER_AGE_DAYS);
    m->usd_of_currency = abdb_cell_number_or_nan(&n->offers, at, ABDB_OFFER_RATE);
    m->currency = isnan(m->usd_of_currency) ? NULL : copy_offer_text(n, at, ABDB_OFFER_CURRENCY);
    m->dearest_offer = highest_fitting_offer(n, member_index) /
                       abdb_cell_number_or_nan(&n->offers, at, ABDB_OFFER_PRICE);
    m->rate_from = copy_offer_text(n, at, ABDB_OFFER_RATE_FROM);
}

static void set_value_as_stated(abdb_set *set, size_t member_index)
{
    set->member[member_index].value = abdb_member_number(set, member_index, ABDB_M_value);
    set->member[member_index].unit = abdb_member_text(set, member_index, ABDB_M_unit);
}

/* A member whose value does not add over devices, as times and fractions do not: its own value if
 * that is permitted. */
static void use_undivided_or_exclude(normaliser *n, size_t member_index)
{
    abdb_member *m = &n->set->member[member_index];

    if (n->measure->spare) {
        set_value_as_stated(n->set, member_index);
        m->why = set_mark_return_exclusion_reason(n, member_index, 0);
    } else if (!m->why)
        m->why = "only rates that add are divided by devices, not times, latencies and fractions";
}

/* Sets the requested quotient of a member's value, its unit and facts; or the reason of its lack.
 */
static abdb_status normalise_member_or_note_why_not(normaliser *n, size_t member_index,
                                                    abdb_error *err)
{
    abdb_member *m = &n->set->member[member_index];
    abdb_arena *arena = &n->set->arena;
    const char *unit, *facts;
    int code;

    m->value = NAN;
    m->unit = "";
    sqlite3_reset(n->find);
    sqlite3_bind_text(n->find, 1, abdb_member_text(n->set, member_index, ABDB_M_result_id), -1,
                      SQLITE_TRANSIENT);
    code = sqlite3_step(n->find);
    if (code != SQLITE_ROW && code != SQLITE_DONE) return abdb_fail_with_sql_read_error(n->db, err);
    if (code == SQLITE_ROW && sqlite3_column_type(n->find, 0) != SQLITE_NULL) {
        unit = abdb_sql_text_or_empty(n->find, 1);
        facts = abdb_sql_text_or_null(n->find, 2);
        m->value = sqlite3_column_double(n->find, 0);
        m->unit = abdb_arena_copy(arena, unit, strlen(unit));
        m->facts = facts ? abdb_arena_copy(arena, facts, strlen(facts)) : NULL;
        m->divided = divides_by_devices(n);
        if (divides_by_price(n)) divide_value_by_cheapest_offer(n, member_index);
    }
    if (isnan(m->value) && divides_by_devices(n) && code == SQLITE_ROW &&
        !sqlite3_column_int(n->find, 3))
        use_undivided_or_exclude(n, member_index);
    if (isnan(m->value) && !m->why) m->why = pers[n->per].missing;
    return ABDB_OK;
}

/* Checks the options and prepares the statement that reads a value: views compute it, and a price
 * needs v_at_price with the offers of the requested day. */
static abdb_status check_options_prepare_sql_load_offers(normaliser *n, abdb_error *err)
{
    static const char plain[] =
        "SELECT value, unit, facts FROM v_normalised WHERE result_id = CAST(?1 AS INTEGER)"
        " AND formula = ?2 AND coalesce(basis, ?3) = ?3";
    static const char each[] = "SELECT each, unit || '/device', NULL, adds FROM v_result"
                               " WHERE result_id = CAST(?1 AS INTEGER)";
    static const char priced[] = "SELECT at_one, unit, NULL FROM v_at_price"
                                 " WHERE result_id = CAST(?1 AS INTEGER) AND formula = ?2";
    const abdb_normalisation *m = n->measure;
    const char *basis = m->peak ? m->peak : "published", *sql;

    n->days = NAN;
    if (m->price_max_age_days && !abdb_days_parse_nonnegative(m->price_max_age_days, &n->days))
        return ABDB_FAIL(err, ABDB_USAGE, "--price-max-age wants days, such as 90d, not '%s'",
                         m->price_max_age_days);
    for (int i = 0; i < 2; i++) {
        const char *day = i ? m->today : m->price_date;

        if (day && !abdb_date_is_single_day(day))
            return ABDB_FAIL(err, ABDB_USAGE, "--%s wants a day as 2026-01-31, not '%s'",
                             i ? "today" : "price-date", day);
    }
    if (strcmp(basis, "published") != 0 && strcmp(basis, "measured") != 0 &&
        strcmp(basis, "clock") != 0)
        return ABDB_FAIL(err, ABDB_USAGE, "--peak wants published, measured or clock, not '%s'",
                         basis);
    sql = divides_by_devices(n) ? each : divides_by_price(n) ? priced : plain;
    if (sqlite3_prepare_v2(n->db, sql, -1, &n->find, NULL) != SQLITE_OK)
        return abdb_fail_with_sql_read_error(n->db, err);
    if (!divides_by_devices(n))
        sqlite3_bind_text(n->find, 2, pers[n->per].formula, -1, SQLITE_STATIC);
    if (!divides_by_devices(n) && !divides_by_price(n))
        sqlite3_bind_text(n->find, 3, basis, -1, SQLITE_STATIC);
    return divides_by_price(n) ? abdb_load_offers_and_quotes(&n->offers, n->db, m, err) : ABDB_OK;
}

/* The stated divisor of a value has no effect once a formula computed it: all formulas begin with
 * totals. */
static void set_per_factor_state(abdb_member *m, bool inapplicable)
{
    for (size_t i = 0; i < m->traits; i++)
        if (strcmp(m->trait[i].name, "per") == 0)
            m->trait[i].state = inapplicable ? ABDB_INAPPLICABLE : ABDB_KNOWN;
}

abdb_status abdb_set_normalise_values_or_note_why_not(abdb_set *set, sqlite3 *db,
                                                      const abdb_normalisation *measure,
                                                      abdb_error *err)
{
    normaliser n = {
        .set = set, .db = db, .measure = measure, .per = find_per_index_or_count(measure->per)};
    const char *ignored;
    abdb_status st = ABDB_OK;

    if (!measure->per) n.per = 0;
    if (measure->per) TRY(abdb_find_per_formula(measure->per, &ignored, err));
    if (pers[n.per].formula) TRY(check_options_prepare_sql_load_offers(&n, err));
    TRY(load_excluding_marks(&n, err));
    for (size_t i = 0; i < set->members; i++) {
        set->member[i].why = set_mark_return_exclusion_reason(&n, i, n.per);
        set->member[i].divided = false;
        set->member[i].facts = NULL;
        set->member[i].too_small = NULL;
        if (pers[n.per].formula) {
            TRY(normalise_member_or_note_why_not(&n, i, err));
        } else {
            set_value_as_stated(set, i);
        }
        set_per_factor_state(&set->member[i],
                             pers[n.per].formula && !(measure->spare && !set->member[i].divided));
    }
    if (measure->quality) TRY(abdb_set_require_quality(set, db, measure->quality, err));
    if (measure->at) TRY(abdb_set_read_within_latency(set, db, measure->at, err));
done:
    sqlite3_finalize(n.find);
    abdb_table_free(&n.offers);
    abdb_table_free(&n.marks);
    return st;
}

void abdb_set_add_notes_of_marked_results(const abdb_set *set, const char *who, abdb_table *t)
{
    for (size_t i = 0; i < set->members; i++) {
        const char *mark = set->member[i].mark;
        size_t n = 0, first = 0;

        if (!mark) continue;
        while (!set->member[first].mark || strcmp(set->member[first].mark, mark) != 0) first++;
        if (first < i) continue;
        for (size_t k = i; k < set->members; k++)
            n += set->member[k].mark && strcmp(set->member[k].mark, mark) == 0;
        abdb_table_add_note_format(t, "%s%s%zu row%s left out: %s (%s); --marks any shows %s",
                                   who ? who : "", who ? ": " : "", n, n == 1 ? "" : "s", mark,
                                   set->member[i].why + strlen(mark) + 2, n == 1 ? "it" : "them");
    }
}

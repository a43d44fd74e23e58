/* normalise.c - values per device, node, watt, joule, dollar, peak or bandwidth; see sets.h.
 *
 * The formulas are the view v_normalised; here one is chosen for each member, with the price that
 * the reader asked for: of the prices that count, the latest of each offer, and of those the
 * lowest.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "query/compare/quotes.h"
#include "query/compare/sets.h"
#include "schema/core/date.h"

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
    {"dollar", "per_dollar@1", "no price (--price 'DEVICE=2.49 USD/h' gives one)", true},
    {"peak", "mfu@1", "no peak of that number format", true},
    {"bandwidth", "mbu@1", "no bandwidth to divide by", true},
};
enum { PER_COUNT = sizeof pers / sizeof pers[0] };

static size_t find_per(const char *per)
{
    size_t i = 0;

    while (per && i < PER_COUNT && strcmp(pers[i].per, per) != 0) i++;
    return i;
}

abdb_status abdb_per_formula(const char *per, const char **formula, abdb_error *err)
{
    const char *names[PER_COUNT], *near;
    size_t at = find_per(per);

    for (size_t i = 0; i < PER_COUNT; i++) names[i] = pers[i].per;
    near = per ? abdb_nearest(per, names, PER_COUNT) : NULL;
    if (at == PER_COUNT)
        return ABDB_FAIL(err, ABDB_USAGE,
                         "--per '%s'%s%s%s; there are none, device, node, watt, joule, dollar, peak"
                         " and bandwidth",
                         per, near ? ": did you mean " : "", near ? near : "", near ? "?" : "");
    *formula = pers[at].formula;
    return ABDB_OK;
}

static bool has_flag(const char *flags, const char *flag)
{
    size_t size = strlen(flag);

    for (const char *at = flags; (at = strstr(at, flag)); at += size)
        if ((at == flags || at[-1] == ' ') && (!at[size] || at[size] == ' ')) return true;
    return false;
}

/* The reader's own price of a device; NAN: none. All quotes are looked at, so that a wrong one is
 * an error. */
static abdb_status quoted(const char *quotes, const char *device, sqlite3 *db, double *out,
                          abdb_error *err)
{
    abdb_arena arena = {0};
    char *rest = abdb_arena_copy(&arena, quotes, strlen(quotes)), *name;
    const char *canon;
    double amount;
    abdb_status st = ABDB_OK;

    *out = NAN;
    for (;;) {
        TRY(abdb_quote_next(&rest, "price", &name, &amount, err));
        if (!name) break;
        TRY(abdb_name_resolve(db, "device", name, &canon, &arena, err));
        if (strcmp(canon, device) == 0) *out = amount;
    }
done:
    abdb_arena_free(&arena);
    return st;
}

/* Is an offer, row i of prices, superseded by a later one of the same provider and kind? */
static bool superseded(const abdb_table *prices, size_t i)
{
    for (size_t k = 0; k < prices->rows; k++)
        if (strcmp(abdb_cell(prices, k, 2), abdb_cell(prices, i, 2)) == 0 &&
            strcmp(abdb_cell(prices, k, 3), abdb_cell(prices, i, 3)) == 0 &&
            strcmp(abdb_cell(prices, k, 4), abdb_cell(prices, i, 4)) > 0)
            return true;
    return false;
}

/* Rows of v_normalised for one member: the one that counts, or SIZE_MAX. */
static size_t choose(const abdb_table *rows, bool dollar)
{
    size_t best = SIZE_MAX;

    for (size_t i = 0; i < rows->rows; i++) {
        if (dollar && superseded(rows, i)) continue;
        if (best == SIZE_MAX || abdb_cell_number(rows, i, 0) > abdb_cell_number(rows, best, 0))
            best = i;
    }
    return best;
}

/* Why a member cannot stand for its set. */
static const char *fault(const abdb_set *set, size_t i, size_t per)
{
    const char *flags = abdb_member_text(set, i, ABDB_M_flags);

    if (has_flag(flags, "averaged")) return "average of submissions";
    if (has_flag(flags, "errors")) return "errors";
    if (abdb_member_number(set, i, ABDB_M_disagree) > 0) return "sources disagree";
    if (pers[per].counts_devices && has_flag(flags, "devices-disagree"))
        return "sources disagree on the number of devices";
    return NULL;
}

typedef struct {
    abdb_set *set;
    sqlite3 *db;
    const abdb_measure *measure;
    size_t per;
    sqlite3_stmt *find;
} normaliser;

static void take_row(normaliser *n, abdb_member *m, const abdb_table *rows, size_t at)
{
    abdb_arena *arena = &n->set->arena;
    const char *facts = abdb_cell(rows, at, 5);

    m->value = abdb_cell_number(rows, at, 0);
    m->unit = abdb_arena_copy(arena, abdb_cell(rows, at, 1), strlen(abdb_cell(rows, at, 1)));
    m->facts = *facts ? abdb_arena_copy(arena, facts, strlen(facts)) : NULL;
    if (strcmp(pers[n->per].per, "dollar") == 0)
        m->price = abdb_arena_printf(arena, "%s %s %s", abdb_cell(rows, at, 2),
                                     abdb_cell(rows, at, 3), abdb_cell(rows, at, 4));
}

static abdb_status normalise_member(normaliser *n, size_t i, abdb_error *err)
{
    abdb_member *m = &n->set->member[i];
    bool dollar = strcmp(pers[n->per].per, "dollar") == 0;
    double quote = NAN;
    abdb_table rows = {0};
    abdb_status st = ABDB_OK;
    size_t at;
    int code;

    m->value = NAN;
    m->unit = "";
    if (dollar && n->measure->price)
        TRY(quoted(n->measure->price, abdb_member_text(n->set, i, ABDB_M_device), n->db, &quote,
                   err));
    sqlite3_reset(n->find);
    sqlite3_bind_text(n->find, 1, abdb_member_text(n->set, i, ABDB_M_result_id), -1,
                      SQLITE_TRANSIENT);
    sqlite3_bind_text(n->find, 3, isnan(quote) ? pers[n->per].formula : "per_device@1", -1,
                      SQLITE_STATIC);
    TRY(abdb_rows_columns(n->find, &rows, err));
    while ((code = sqlite3_step(n->find)) == SQLITE_ROW) TRY(abdb_rows_take(n->find, &rows, err));
    if (code != SQLITE_DONE) TRY(ABDB_FAIL(err, ABDB_DB, "%s", sqlite3_errmsg(n->db)));
    at = choose(&rows, dollar && isnan(quote));
    if (at == SIZE_MAX) {
        if (!m->why) m->why = pers[n->per].missing;
        goto done;
    }
    take_row(n, m, &rows, at);
    if (!isnan(quote)) {
        m->value *= 3600 / quote;
        m->unit =
            abdb_arena_printf(&n->set->arena, "%.*s/USD", (int)strcspn(m->unit, "/"), m->unit);
        m->price = "your own quote";
        m->facts = NULL;
    }
done:
    abdb_table_free(&rows);
    return st;
}

static abdb_status prepare(normaliser *n, abdb_error *err)
{
    static const char sql[] =
        "SELECT value, unit, provider, price_kind, price_date, facts FROM v_normalised"
        " WHERE result_id = CAST(?1 AS INTEGER) AND formula = ?3"
        " AND coalesce(basis, ?4) = ?4 AND (?5 IS NULL OR price_date IS NULL OR price_date <= ?5)"
        " AND (?6 IS NULL OR provider IS NULL OR provider = ?6)"
        " AND (?7 IS NULL OR price_kind IS NULL OR price_kind = ?7)"
        " AND (?8 IS NULL OR price_date IS NULL OR julianday(coalesce(?9, 'now'))"
        "      - julianday(price_date) <= ?8)";
    const abdb_measure *m = n->measure;
    const char *texts[] = {
        m->peak ? m->peak : "published", m->price_date, m->provider, m->price_kind, NULL, m->today};
    double days = 0;

    if (m->price_max_age_days) {
        char text[24];

        snprintf(text, sizeof text, "%s", m->price_max_age_days);
        if (text[0] && text[strlen(text) - 1] == 'd') text[strlen(text) - 1] = '\0';
        if (!abdb_number(text, &days))
            return ABDB_FAIL(err, ABDB_USAGE, "--price-max-age wants days, such as 90d, not '%s'",
                             m->price_max_age_days);
    }
    for (int i = 0; i < 2; i++) {
        const char *day = i ? m->today : m->price_date;

        if (day && !abdb_date_is_day(day))
            return ABDB_FAIL(err, ABDB_USAGE, "--%s wants a day as 2026-01-31, not '%s'",
                             i ? "today" : "price-date", day);
    }
    if (strcmp(texts[0], "published") != 0 && strcmp(texts[0], "measured") != 0 &&
        strcmp(texts[0], "clock") != 0)
        return ABDB_FAIL(err, ABDB_USAGE, "--peak wants published, measured or clock, not '%s'",
                         texts[0]);
    if (sqlite3_prepare_v2(n->db, sql, -1, &n->find, NULL) != SQLITE_OK)
        return ABDB_FAIL(err, ABDB_DB, "%s", sqlite3_errmsg(n->db));
    for (int i = 0; i < 6; i++) sqlite3_bind_text(n->find, 4 + i, texts[i], -1, SQLITE_STATIC);
    if (m->price_max_age_days) sqlite3_bind_double(n->find, 8, days);
    return ABDB_OK;
}

abdb_status abdb_set_normalise(abdb_set *set, sqlite3 *db, const abdb_measure *measure,
                               abdb_error *err)
{
    normaliser n = {.set = set, .db = db, .measure = measure, .per = find_per(measure->per)};
    const char *ignored;
    abdb_status st = ABDB_OK;

    if (!measure->per) n.per = 0;
    if (measure->per) TRY(abdb_per_formula(measure->per, &ignored, err));
    if (pers[n.per].formula) TRY(prepare(&n, err));
    for (size_t i = 0; i < set->members; i++) {
        set->member[i].why = fault(set, i, n.per);
        if (pers[n.per].formula) {
            TRY(normalise_member(&n, i, err));
        } else {
            set->member[i].value = abdb_member_number(set, i, ABDB_M_value);
            set->member[i].unit = abdb_member_text(set, i, ABDB_M_unit);
        }
    }
done:
    sqlite3_finalize(n.find);
    return st;
}

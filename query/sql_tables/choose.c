/* choose.c - abdb_choose(asked): systems to buy or rent for a wanted rate; see table_functions.h.
 * Rows of kind 'choice' are purchases, cheapest first; rows 'left-out' have the reason and the
 * number of results, and, for a missing price, the price below which it would be first. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "query/answer/sql_rows.h"
#include "query/compare/first_places.h"
#include "query/compare/purchase.h"
#include "query/sql_tables/json_options.h"
#include "query/sql_tables/table_functions.h"
#include "schema/core/fixed_text.h"

/* In the order of the schema below. */
typedef enum {
    KIND,
    PLACE,
    DEVICE,
    SYSTEMS,
    DEVICES,
    SIZE,
    RATE,
    UNIT,
    PRICE,
    PRICE_KIND,
    PROVIDER,
    PROVIDER_KIND,
    PRICE_DATE,
    PRICE_AGE,
    DEAREST,
    PROVIDERS,
    USD_PER_HOUR,
    USD_PER_MILLION,
    USD_OF_RUN,
    WATTS,
    COST,
    BREAK_EVEN,
    SUBMITTERS,
    SUBMITTER,
    SYSTEM,
    EVIDENCE,
    VERIFIED,
    AVAILABILITY,
    ROUND,
    DTYPE,
    PUBLIC_ID,
    WORK,
    SCENARIO,
    FACTS,
    N,
    WHY,
    OFFERED,
    RENTED,
    VERIFIED_BY,
    MET_BY,
    LIMITS,
    FIRST_SHARE,
    USED,
    DELIVERS,
    USD_PER_MILLION_FULL,
    TIMES_PRICE,
    TIMES_RATE,
    TIMES_SYSTEMS,
    TIMES_OFFERS,
    TIER,
    TIMES_EXCHANGE,
    TIMES_UTILISATION,
    COLUMNS
} column;

/* The range of a number is declared and checked by the report; from SQL no less than 0. */
static abdb_status parse_number_option(json_t *options_json, const char *key, double fallback,
                                       abdb_arena *arena, double *out, abdb_error *err)
{
    const char *text = abdb_json_option_text_or_null(options_json, key, arena);

    *out = fallback;
    if (text && (!abdb_double_parse(text, ABDB_MARK_UNKNOWN, out) || !(*out >= 0)))
        return ABDB_FAIL(err, ABDB_USAGE, "%s wants a number of at least 0, not '%s'", key, text);
    return ABDB_OK;
}

/* "30min", "2h", "90s", "1.5d", or minutes as MLPerf prints them. */
static abdb_status parse_training_time_to_seconds(const char *text, double *out, abdb_error *err)
{
    static const struct {
        const char *unit;
        double seconds;
    } units[] = {{"", 60}, {"s", 1}, {"min", 60}, {"h", 3600}, {"d", 86400}};
    char number[64];
    size_t size = strspn(text, "0123456789.");

    if (!abdb_format_if_fits(number, sizeof number, "%.*s", (int)size, text))
        return ABDB_FAIL(err, ABDB_USAGE, "a time to train of %zu digits: '%.40s...'", size, text);
    text += size + strspn(text + size, " ");
    for (size_t i = 0;
         abdb_double_parse(number, ABDB_MARK_UNKNOWN, out) && i < sizeof units / sizeof units[0];
         i++)
        if (strcmp(text, units[i].unit) == 0 && *out > 0) {
            *out *= units[i].seconds;
            return ABDB_OK;
        }
    return ABDB_FAIL(err, ABDB_USAGE, "a time to train is 30min, 2h or 1d, or 'any', not '%s%s'",
                     number, text);
}

/* --ttft, --tpot and --latency, each a time or nothing, and the percentile of all three. */
static abdb_status parse_latency_options(json_t *options_json, abdb_latency_limits *out,
                                         abdb_arena *arena, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    TRY(abdb_parse_latency_limit_option(
        "--ttft", abdb_json_option_text_or_null(options_json, "ttft", arena), &out->ttft_s, err));
    TRY(abdb_parse_latency_limit_option(
        "--tpot", abdb_json_option_text_or_null(options_json, "tpot", arena), &out->tpot_s, err));
    TRY(abdb_parse_latency_limit_option(
        "--latency", abdb_json_option_text_or_null(options_json, "latency", arena), &out->latency_s,
        err));
    TRY(parse_number_option(options_json, "percentile", 99, arena, &out->percentile, err));
done:
    return st;
}

/* The unit of the rates that a selection picks is known only when it has been loaded: a wanted rate
 * is read twice, and the second time its unit is checked. */
static abdb_status parse_choose_options(json_t *options_json, abdb_choose_options *o,
                                        abdb_arena *arena, abdb_error *err)
{
    static const char *const words[] = {"dollar", "device", "watt", NULL};
    const char *rate = abdb_json_option_text_or_null(options_json, "rate", arena),
               *by = abdb_json_option_text_or_null(options_json, "saves", arena);
    const char *train = abdb_json_option_text_or_null(options_json, "time_to_train", arena);
    abdb_status st = ABDB_OK;

    *o = (abdb_choose_options){.selection =
                                   abdb_json_option_text_or_null(options_json, "selection", arena),
                               .where = abdb_json_option_text_or_null(options_json, "where", arena),
                               .rate = NAN,
                               .usd_per_hour_most = NAN,
                               .time_limit_s = NAN};
    o->measure = abdb_normalisation_from_json(options_json, arena);
    /* With tier widest or any, prices of all tiers are read; only widest then picks one tier. */
    o->widest_tier = o->measure.tier && strcmp(o->measure.tier, "widest") == 0;
    if (o->widest_tier || (o->measure.tier && strcmp(o->measure.tier, "any") == 0))
        o->measure.tier = NULL;
    o->ownership.capital = abdb_json_option_text_or_null(options_json, "own", arena);
    if (!o->selection) o->selection = "";
    if (by && !abdb_text_is_in_list(by, words))
        TRY(ABDB_FAIL(err, ABDB_USAGE, "chosen per dollar, device or watt, not '%s'", by));
    o->by = by && *by == 'w'                  ? ABDB_BY_WATT
            : by && strcmp(by, "device") == 0 ? ABDB_BY_DEVICE
                                              : ABDB_BY_DOLLAR;
    if (rate && train)
        TRY(ABDB_FAIL(err, ABDB_USAGE,
                      "a rate is of work that goes on, a time to train of one training: give one"
                      " (of trainings there is the figure choose-training)"));
    if (rate) TRY(abdb_parse_wanted_rate(rate, NULL, &o->rate, err));
    TRY(parse_latency_options(options_json, &o->latency, arena, err));
    TRY(parse_number_option(options_json, "max_usd_per_hour", NAN, arena, &o->usd_per_hour_most,
                            err));
    if (train && strcmp(train, "any") == 0)
        o->measure.metric = "time_to_train_s";
    else if (train)
        TRY(parse_training_time_to_seconds(train, &o->time_limit_s, err));
    TRY(parse_number_option(options_json, "life", 4, arena, &o->ownership.life_years, err));
    TRY(parse_number_option(options_json, "utilisation", 0.7, arena, &o->ownership.utilisation,
                            err));
    TRY(parse_number_option(options_json, "power", NAN, arena, &o->ownership.power_w, err));
    TRY(parse_number_option(options_json, "pue", 1.3, arena, &o->ownership.pue, err));
    TRY(parse_number_option(options_json, "electricity", 0.1, arena, &o->ownership.usd_per_kwh,
                            err));
    if (!(o->ownership.life_years > 0) || !(o->ownership.utilisation > 0) ||
        o->ownership.utilisation > 1 || o->ownership.pue < 1)
        TRY(ABDB_FAIL(err, ABDB_USAGE,
                      "life is above 0, utilisation a fraction, 0.7 for 70 %%, and pue at least 1;"
                      " not %g, %g and %g",
                      o->ownership.life_years, o->ownership.utilisation, o->ownership.pue));
done:
    return st;
}

static void set_text_cell(abdb_table *t, abdb_value *row, column at, const char *text)
{
    if (text && *text)
        row[at] =
            (abdb_value){.kind = ABDB_STRING, .text = abdb_arena_printf(&t->arena, "%s", text)};
}

static void set_real_cell(abdb_value *row, column at, double value)
{
    if (isfinite(value)) row[at] = (abdb_value){.kind = ABDB_REAL, .real = value};
}

static void set_integer_cell_if_finite(abdb_value *row, column at, double value)
{
    if (isfinite(value)) row[at] = (abdb_value){.kind = ABDB_INTEGER, .integer = (long long)value};
}

/* Copies the columns of the result behind a purchase into its row. */
static void copy_cells_of_purchased_result(const abdb_system_choice *c, const abdb_purchase *p,
                                           abdb_table *t, abdb_value *row)
{
    static const struct {
        column to;
        abdb_member_column from;
    } copied[] = {{UNIT, ABDB_M_unit},
                  {SUBMITTER, ABDB_M_submitter},
                  {SYSTEM, ABDB_M_system},
                  {EVIDENCE, ABDB_M_evidence},
                  {VERIFIED, ABDB_M_verified},
                  {AVAILABILITY, ABDB_M_availability},
                  {ROUND, ABDB_M_round},
                  {DTYPE, ABDB_M_dtype},
                  {PUBLIC_ID, ABDB_M_public_id},
                  {SCENARIO, ABDB_M_scenario},
                  {VERIFIED_BY, ABDB_M_verified_by}};
    const abdb_set *set = &c->ranking.set;
    const char *model = abdb_member_text(set, p->member, ABDB_M_model);
    const char *key = abdb_member_text(set, p->member, ABDB_M_key);

    for (size_t i = 0; i < sizeof copied / sizeof copied[0]; i++)
        set_text_cell(t, row, copied[i].to, abdb_member_text(set, p->member, copied[i].from));
    set_text_cell(t, row, WORK, *model ? model : abdb_member_text(set, p->member, ABDB_M_workload));
    set_integer_cell_if_finite(row, SIZE, abdb_member_number(set, p->member, ABDB_M_devices));
    set_real_cell(row, RATE, p->rate);
    row[FACTS] = (abdb_value){.kind = ABDB_STRING,
                              .text = abdb_arena_printf(&t->arena, "%s%s%s", key,
                                                        *p->price_key ? " " : "", p->price_key)};
}

/* Adds the row of the purchase in place i + 1. */
static abdb_status append_purchase_row(const abdb_system_choice *c, size_t row_index, sqlite3 *db,
                                       abdb_table *t, abdb_error *err)
{
    const abdb_purchase *p = &c->row[row_index];
    abdb_value *row = abdb_table_append_row(t);
    const char *limits;
    abdb_status st = abdb_describe_mlperf_scenario_limits(&c->ranking.set, p->member, db, &limits,
                                                          &t->arena, err);

    if (st != ABDB_OK) return st;

    if (!row) return ABDB_FAIL(err, ABDB_NOMEM, "a choice");
    set_text_cell(t, row, KIND, "choice");
    set_integer_cell_if_finite(row, PLACE, (double)row_index + 1);
    set_text_cell(t, row, DEVICE, p->device);
    set_integer_cell_if_finite(row, SYSTEMS, p->systems);
    set_integer_cell_if_finite(row, DEVICES, p->devices);
    set_real_cell(row, PRICE, p->price);
    if (isfinite(p->price)) set_integer_cell_if_finite(row, OFFERED, p->offer_devices);
    if (isfinite(p->price)) set_integer_cell_if_finite(row, RENTED, p->rented_devices);
    set_text_cell(t, row, PRICE_KIND, p->price_kind);
    set_text_cell(t, row, PROVIDER, p->provider);
    set_text_cell(t, row, PROVIDER_KIND, p->provider_kind);
    set_text_cell(t, row, PRICE_DATE, p->price_date);
    if (p->providers) set_real_cell(row, PRICE_AGE, p->price_age_days);
    if (p->providers) set_real_cell(row, DEAREST, p->dearest);
    set_integer_cell_if_finite(row, PROVIDERS, (double)p->providers);
    set_real_cell(row, USD_PER_HOUR, p->usd_per_hour);
    set_real_cell(row, USD_PER_MILLION, p->usd_per_million);
    set_real_cell(row, USD_OF_RUN, p->usd_of_run);
    set_real_cell(row, WATTS, p->watts);
    set_real_cell(row, COST, p->cost);
    set_real_cell(row, BREAK_EVEN, p->break_even);
    set_integer_cell_if_finite(row, SUBMITTERS, (double)p->submitters);
    set_text_cell(t, row, LIMITS, limits);
    set_text_cell(t, row, TIER, c->tier);
    if (c->met_by) set_text_cell(t, row, MET_BY, c->met_by[p->member]);
    copy_cells_of_purchased_result(c, p, t, row);
    return ABDB_OK;
}

/* Adds a row for each candidate that was left out, with the reason, and one for the note. */
static abdb_status append_left_out_and_note_rows(const abdb_system_choice *c, abdb_table *t,
                                                 abdb_error *err)
{
    for (size_t i = 0; i < c->left_outs; i++) {
        const abdb_choice_left_out *l = &c->left_out[i];
        abdb_value *row = abdb_table_append_row(t);

        if (!row) return ABDB_FAIL(err, ABDB_NOMEM, "a choice");
        set_text_cell(t, row, KIND, "left-out");
        set_text_cell(t, row, DEVICE, l->what);
        set_text_cell(t, row, WHY, l->why);
        if (l->n) set_integer_cell_if_finite(row, N, (double)l->n);
        set_real_cell(row, BREAK_EVEN, l->first_below);
    }
    if (c->server_was_assumed) {
        abdb_value *row = abdb_table_append_row(t);

        if (!row) return ABDB_FAIL(err, ABDB_NOMEM, "a choice");
        set_text_cell(t, row, KIND, "note");
        set_text_cell(t, row, WHY,
                      "no scenario was named: serving is taken for Server; Offline and Interactive"
                      " by name");
    }
    if (c->ranking.set.note) {
        abdb_value *row = abdb_table_append_row(t);

        if (!row) return ABDB_FAIL(err, ABDB_NOMEM, "a choice");
        set_text_cell(t, row, KIND, "note");
        set_text_cell(t, row, WHY, c->ranking.set.note);
    }
    return ABDB_OK;
}

/* Where no result keeps the wanted latency: a row of kind 'note' for each scenario, with its
 * limits. */
static abdb_status append_scenario_limit_rows_if_no_choice(const abdb_system_choice *c, sqlite3 *db,
                                                           abdb_table *t, abdb_error *err)
{
    abdb_table listed = {0};
    abdb_status st = ABDB_OK;

    if (!c->met_by || c->count) return ABDB_OK;
    TRY(abdb_add_mlperf_scenario_limit_notes(&c->ranking.set, db, &listed, err));
    for (size_t i = 0; i < listed.notes; i++) {
        abdb_value *row = abdb_table_append_row(t);

        if (!row) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a choice"));
        set_text_cell(t, row, KIND, "note");
        set_text_cell(t, row, WHY, listed.note[i]);
    }
done:
    abdb_table_free(&listed);
    return st;
}

/* How much the systems deliver, and how much of it is used. */
static void set_delivered_and_used_rate_cells(const abdb_purchase *p, const abdb_choose_options *o,
                                              bool training, abdb_value *row)
{
    double delivers = p->systems * p->rate;

    if (training) return;
    set_real_cell(row, DELIVERS, delivers);
    set_real_cell(row, USED, o->rate / delivers);
    set_real_cell(row, USD_PER_MILLION_FULL, p->usd_per_hour / (delivers * 3600) * 1e6);
}

/* The cost of a row relative to the first as a product, and its factors that are not 1 in words. */
static void set_cost_factor_cells_and_words(const abdb_system_choice *c,
                                            const abdb_choose_options *o, size_t row_index,
                                            abdb_table *t)
{
    abdb_cost_factors f = abdb_split_cost_ratio_to_first(c, o, &c->row[row_index], &c->row[0]);
    abdb_value *row = t->value + row_index * t->columns;
    const struct {
        column at;
        const char *name;
        double factor;
    } list[] = {{TIMES_PRICE, o->by == ABDB_BY_WATT ? "power of a device" : "price", f.price},
                {TIMES_RATE, c->training ? "time" : "rate of a device", f.rate},
                {TIMES_SYSTEMS, c->training ? "devices" : "whole systems", f.systems},
                {TIMES_OFFERS, "whole offers", f.offers},
                {TIMES_EXCHANGE, "exchange rate", f.exchange},
                {TIMES_UTILISATION, "utilisation", f.utilisation}};
    abdb_text words = {0};

    for (size_t k = 0; k < sizeof list / sizeof list[0]; k++) {
        set_real_cell(row, list[k].at, list[k].factor);
        if (fabs(list[k].factor - 1) > 5e-4)
            abdb_text_printf(&words, "%s%s %.3g", words.size ? ", " : "", list[k].name,
                             list[k].factor);
    }
    set_text_cell(t, row, WHY, abdb_text_get(&words));
    abdb_text_free(&words);
}

/* Fills in how often each row is first, and appends a row of kind 'flip' for each input that,
 * varied alone, takes the first place away: the input, the multiple (as cost), and who is first
 * then. */
static abdb_status set_first_shares_append_flip_rows(const abdb_system_choice *c,
                                                     const abdb_choose_options *o,
                                                     const char *ranges_text, double seed,
                                                     abdb_table *t, abdb_error *err)
{
    abdb_choice_ranges ranges;
    double *share = calloc(c->count ? c->count : 1, sizeof *share);
    abdb_status st = ABDB_OK;

    if (!share) return ABDB_FAIL(err, ABDB_NOMEM, "first places");
    TRY(abdb_parse_choice_ranges(ranges_text, &ranges, err));
    TRY(abdb_simulate_first_place_shares(c, o, &ranges, (unsigned long long)seed, share, err));
    for (size_t i = 0; i < c->count; i++)
        set_real_cell(t->value + i * t->columns, FIRST_SHARE, share[i]);
    for (int i = 0; i < ABDB_VARY_COUNT; i++) {
        size_t next = 0;
        double multiple = abdb_find_multiple_losing_first_place(c, o, (abdb_varied)i, &next);
        abdb_value *row;

        if (isnan(multiple)) continue;
        row = abdb_table_append_row(t);
        if (!row) TRY(ABDB_FAIL(err, ABDB_NOMEM, "first places"));
        set_text_cell(t, row, KIND, "flip");
        set_text_cell(t, row, WHY, abdb_varied_name((abdb_varied)i));
        set_text_cell(t, row, DEVICE, c->row[next].device);
        set_real_cell(row, COST, multiple);
    }
done:
    free(share);
    return st;
}

/* abdb_choose(JSON): the answer to a question, as rows. */
static abdb_status fill_choose_rows(sqlite3 *db, const char *const *argument, abdb_table *out,
                                    abdb_error *err)
{
    json_error_t wrong = {0};
    json_t *asked = json_loads(argument[0], 0, &wrong);
    abdb_arena arena = {0};
    abdb_choose_options o;
    abdb_system_choice c = {0};
    const char *rate;
    double seed;
    abdb_status st = ABDB_OK;

    out->columns = COLUMNS;
    if (!json_is_object(asked))
        TRY(ABDB_FAIL(err, ABDB_USAGE, "the options are no JSON object in UTF-8: %s", wrong.text));
    TRY(parse_choose_options(asked, &o, &arena, err));
    st = abdb_choose_cheapest_systems(&c, db, &o, err);
    TRY(abdb_name_choices_where_none_matches(db, st, o.selection, c.training, err));
    rate = abdb_json_option_text_or_null(asked, "rate", &arena);
    if (rate && c.count)
        TRY(abdb_parse_wanted_rate(
            rate, abdb_member_text(&c.ranking.set, c.row[0].member, ABDB_M_unit), &o.rate, err));
    for (size_t i = 0; i < c.count; i++) {
        TRY(append_purchase_row(&c, i, db, out, err));
        set_delivered_and_used_rate_cells(&c.row[i], &o, c.training, out->value + i * out->columns);
        if (json_is_true(json_object_get(asked, "why")))
            set_cost_factor_cells_and_words(&c, &o, i, out);
    }
    TRY(parse_number_option(asked, "seed", 1, &arena, &seed, err));
    if (abdb_json_option_text_or_null(asked, "ranges", &arena))
        TRY(set_first_shares_append_flip_rows(
            &c, &o, abdb_json_option_text_or_null(asked, "ranges", &arena), seed, out, err));
    TRY(append_left_out_and_note_rows(&c, out, err));
    TRY(append_scenario_limit_rows_if_no_choice(&c, db, out, err));
done:
    abdb_system_choice_free(&c);
    abdb_arena_free(&arena);
    json_decref(asked);
    return st;
}

const abdb_table_function abdb_table_choose = {
    "abdb_choose",
    "CREATE TABLE x(kind TEXT, place INTEGER, device TEXT, systems INTEGER, devices INTEGER,"
    " size INTEGER, rate REAL, unit TEXT, usd_per_device_hour REAL, price_kind TEXT, provider TEXT,"
    " provider_kind TEXT, price_date TEXT, price_age_days REAL, dearest REAL, providers INTEGER,"
    " usd_per_hour REAL, usd_per_million REAL, usd_of_run REAL, watts REAL, cost REAL,"
    " break_even REAL, submitters INTEGER, submitter TEXT, system TEXT, evidence TEXT,"
    " verified TEXT, availability TEXT, round TEXT, dtype TEXT, public_id TEXT, work TEXT,"
    " scenario TEXT, facts TEXT, n INTEGER, why TEXT, asked HIDDEN, offered INTEGER,"
    " rented INTEGER, verified_by TEXT, met_by TEXT, limits TEXT,"
    " first_share REAL, used REAL, delivers REAL,"
    " usd_per_million_full REAL, times_price REAL, times_rate REAL, times_systems REAL,"
    " times_offers REAL, tier TEXT, times_exchange REAL, times_utilisation REAL)",
    OFFERED,
    1,
    1,
    ABDB_ALLOW_NOTHING,
    fill_choose_rows};

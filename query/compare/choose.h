/* choose.h - systems to buy or rent for a wanted rate, or for a training that ends in time: whole
 * measured systems with their price, the cheapest first.
 *
 * Only comparable results are compared (compare.h): of the groups of a selection, the one with the
 * most devices is chosen; the other groups are omitted, with a note. A rate of tokens is the rate
 * of a server, unless a scenario is named. Trainings on systems of different size are compared, as
 * only their price counts: each device is listed with the size at which its training ends in time
 * and is cheapest. A device may be listed twice: rented at its cheapest offer, and owned.
 *
 *   systems = ceil(rate / rate of one system); where no rate is wanted: as many as fit into the
 *     offers that one needs
 *   devices = systems x devices of one
 *   offers = ceil(devices / devices of an offer); only offers that make whole nodes of the measured
 *     system count, and an offer of fewer devices than such a node is not used. A price of one
 *     device (also a quote without a number of devices) is used for as many as are needed
 *   rented = offers x devices of an offer
 *   USD/h = rented x USD per device and hour
 *   USD per million = USD/h / (rate x 3600) x 1e6, of the wanted rate, or at full load
 *   USD of a training = USD/h x its hours
 *   break-even: the price of a device at which its cost is that of the first (of the first: of the
 *   second), all else as it is
 */
#ifndef ABDB_COMPARE_CHOOSE_H
#define ABDB_COMPARE_CHOOSE_H

#include "query/compare/latency_answer.h"
#include "query/compare/rank.h"

typedef enum { ABDB_BY_DOLLAR, ABDB_BY_DEVICE, ABDB_BY_WATT } abdb_choose_by;

/* The cost of owning a device per hour: cost@1 of query/reports/cost-model.sql. */
typedef struct {
    const char *capital; /* 'DEVICE=45000,...' in USD, each with its share of the system; or NULL */
    double life_years, utilisation, power_w, pue, usd_per_kwh;
} abdb_ownership_costs;

typedef struct {
    const char *selection, *where; /* where may be NULL; excluded results are counted */
    abdb_normalisation measure;    /* of it the metric and the prices count */
    double rate;                   /* wanted, in the unit of the results; NAN: none is */
    double time_limit_s;           /* of a training; NAN: any. Not NAN, or metric time_to_train_s:
                                      trainings are chosen */
    abdb_latency_limits latency;   /* that the result must keep */
    double usd_per_hour_most;      /* choices that cost more are left out; NAN: no limit */
    abdb_choose_by by;
    bool widest_tier; /* only offers of the kind of providers that prices most of the devices: see
                         abdb_choose_tier_with_most_devices */
    abdb_ownership_costs ownership;
} abdb_choose_options;

typedef struct {
    const char *device;
    size_t member;           /* of the ranking's set: the result that is multiplied */
    double rate;             /* of one system; the seconds of a training */
    double systems, devices; /* that are needed */
    double offer_devices,
        rented_devices; /* devices of an offer (0: any number), and of all that are
                                             rented */
    double price;       /* USD per device and hour; NAN: none is known, and none is needed */
    const char *provider, *provider_kind, *price_kind, *price_date, *price_key; /* or "" */
    double price_age_days;                                                      /* NAN: undated */
    double dearest;   /* the highest offer of the device that counts */
    size_t providers; /* that offer it */
    double usd_per_hour, usd_per_million, usd_of_run, watts; /* NAN: does not apply */
    double cost;        /* the value to order by: one of these, or devices */
    double performance; /* the rate of one system, or of a training minus its seconds: more is
                           better */
    double break_even;  /* USD per device and hour; NAN: not by dollars, or alone */
    size_t submitters;  /* of the device in the group; of a training on that many of them */
} abdb_purchase;

typedef struct {
    const char *what, *why;
    size_t n;           /* results; 0: not counted */
    double first_below; /* USD per device and hour: with a price below it, it would be first; NAN:
                            no price is missing, or nothing is first */
} abdb_choice_left_out;

enum { ABDB_LEFT_OUT_MAX = 200 };

typedef struct {
    abdb_ranking ranking;
    size_t group; /* of the ranking, that was chosen from */
    size_t count, capacity;
    abdb_purchase *row; /* cheapest first */
    size_t left_outs;
    abdb_choice_left_out left_out[ABDB_LEFT_OUT_MAX];
    bool training, by_watt;
    bool server_was_assumed; /* of several scenarios with rates of tokens, none of them named */
    const char *tier;        /* kind of providers whose offers count; "": not known; NULL: of all */
    double *watts;           /* of one system of each member of the set; NAN: not measured */
    const char *const *met_by; /* how each member keeps the latency limits, or NULL; NULL: none */
    abdb_arena arena;
} abdb_system_choice;

/* Nothing to choose: no row, and the omitted results give the reason. ABDB_USAGE: see
 * abdb_set_load_normalised; capital that is not of that form; watts of a training. */
ABDB_MUST_USE abdb_status abdb_choose_cheapest_systems(abdb_system_choice *out, sqlite3 *db,
                                                       const abdb_choose_options *options,
                                                       abdb_error *err);
void abdb_system_choice_free(abdb_system_choice *choosing);
/* A wanted rate as people write it: "100k/s", "1.5M token/s", "250"; the unit after the number and
 * its prefix (k, M, G), where there is one, must be that of the results. ABDB_USAGE. */
ABDB_MUST_USE abdb_status abdb_parse_wanted_rate(const char *text,
                                                 const char *expected_unit_or_null, double *out,
                                                 abdb_error *err);
/* The next 'DEVICE=USD' of the value of --own, which is modified; *device, from arena: NULL at the
 * end. ABDB_USAGE: not of that form; no such device. */
ABDB_MUST_USE abdb_status abdb_parse_next_owned_device_capital(char **rest, sqlite3 *db,
                                                               const char **device, double *usd,
                                                               abdb_arena *arena, abdb_error *err);
/* The power of a device that is owned, where --power does not give it (NAN): the preferred
 * specification. ABDB_USAGE: there is none. */
ABDB_MUST_USE abdb_status abdb_set_power_as_specified_if_not_given(abdb_ownership_costs *own,
                                                                   sqlite3 *db, const char *device,
                                                                   abdb_error *err);
/* cost@1: USD for a device and hour: capital / (life x 8760 h x utilisation) + power x PUE x
 * USD/kWh. */
double abdb_ownership_cost_per_hour(const abdb_ownership_costs *own, double capital);

/* Where nothing matches, or a name is unknown (st and err of abdb_choose_cheapest_systems): adds to
 * the error the available choices, first the ones that begin with the letters of the first word. A
 * rate wanted of a training gives a hint to --time-to-train. Other errors stay. */
ABDB_MUST_USE abdb_status abdb_name_choices_where_none_matches(sqlite3 *db, abdb_status st,
                                                               const char *selection, bool training,
                                                               abdb_error *err);

#endif

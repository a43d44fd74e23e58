/* json_options.c - see json_options.h. */
#include "query/sql_tables/json_options.h"

const char *abdb_json_option_text_or_null(const json_t *options, const char *key, abdb_arena *arena)
{
    const json_t *value = json_object_get(options, key);

    if (json_is_number(value)) return abdb_arena_printf(arena, "%.17g", json_number_value(value));
    return json_is_string(value) && *json_string_value(value) ? json_string_value(value) : NULL;
}

abdb_normalisation abdb_normalisation_from_json(const json_t *options, abdb_arena *arena)
{
    return (abdb_normalisation){
        .metric = abdb_json_option_text_or_null(options, "metric", arena),
        .provider = abdb_json_option_text_or_null(options, "provider", arena),
        .tier = abdb_json_option_text_or_null(options, "tier", arena),
        .price_kind = abdb_json_option_text_or_null(options, "price_kind", arena),
        .price_date = abdb_json_option_text_or_null(options, "price_date", arena),
        .price = abdb_json_option_text_or_null(options, "price", arena),
        .price_max_age_days = abdb_json_option_text_or_null(options, "price_max_age", arena),
        .today = abdb_json_option_text_or_null(options, "today", arena),
        .marks = abdb_json_option_text_or_null(options, "marks", arena)};
}

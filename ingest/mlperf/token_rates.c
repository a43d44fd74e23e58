/* token_rates.c - rates of tokens that a table calls samples; see token_rates.h. */
#include "ingest/mlperf/token_rates.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "ingest/mlperf/figure_rules.h"

/* Is the result in tokens by its round's rules or, where these are open, by the row's accuracy? */
static bool rules_say_result_is_tokens(const abdb_mlperf_row *row)
{
    const abdb_figure_request ask = {.round = row->round,
                                     .model = row->model,
                                     .scenario = row->scenario,
                                     .tokens = row->accuracy &&
                                               strstr(row->accuracy, "TOKENS_PER_SAMPLE")};

    return abdb_figure_official_unit_is_tokens_per_s(&ask);
}

/* More samples a second than any device reached in the benchmark, by its published results: samples
 * of rounds that counted samples, and of other rounds tokens by TOKENS_PER_SAMPLE. */
static double bound_of_samples_per_s_of_one_device(const abdb_mlperf_row *row)
{
    bool processors = !row->accelerator || strcasecmp(row->accelerator, "N/A") == 0 ||
                      strcmp(row->accelerator, "-") == 0 || !*row->accelerator;

    if (strncmp(row->model, "llama3.1-405b", 13) == 0) return 5;
    if (processors) return 25;
    if (strncmp(row->model, "llama3.1-8b", 11) == 0) return 500;
    return abdb_round_name_to_1000_major_plus_minor(row->round) < 5000
               ? 50
               : 100; /* v5.0: B200 and later */
}

/* Can a rate that a table calls one of samples only be one of tokens? Beyond the bound it can;
 * below it TOKENS_PER_SAMPLE shows it, where so many samples were too many tokens for a device. */
static bool rate_must_be_tokens(const abdb_entry *entry, const abdb_mlperf_row *row)
{
    enum { TOO_MANY_TOKENS = 100000, DEVICES_UNKNOWN = 1000 };
    static const char key[] = "TOKENS_PER_SAMPLE:";
    const char *stated = row->accuracy ? strstr(row->accuracy, key) : NULL,
               *devices = entry->field[ABDB_FIELD_devices];
    double each =
        entry->result[0].value /
        (devices ? abdb_double_parse_prefix_or(devices, DEVICES_UNKNOWN) : DEVICES_UNKNOWN);
    char tokens[24] = "0";

    if (stated) stated += sizeof key - 1 + strspn(stated + sizeof key - 1, " ");
    if (stated) snprintf(tokens, sizeof tokens, "%.*s", (int)strcspn(stated, " "), stated);
    return each > bound_of_samples_per_s_of_one_device(row) ||
           each * abdb_double_parse_prefix_or(tokens, 0) > TOO_MANY_TOKENS;
}

bool abdb_mlperf_relabel_tokens_or_mark_unproved(abdb_entry *entry, const abdb_mlperf_row *row)
{
    abdb_result *result = &entry->result[0];

    if ((strcmp(result->metric, "samples_per_s") != 0 &&
         strcmp(result->metric, "queries_per_s") != 0) ||
        !rules_say_result_is_tokens(row))
        return false;
    if (!rate_must_be_tokens(entry, row)) {
        abdb_entry_add_mark_to_flags_once(entry, "unit-unproved");
        return false;
    }
    result->metric = "tokens_per_s";
    return true;
}

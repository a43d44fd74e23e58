/* score_rules.c - how many runs make a score; see score_rules.h. */
#include "ingest/mlperf/score_rules.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/mlperf/figure_rules.h"
#include "ingest/read/csv.h"
#include "schema/core/embedded.h"

extern const abdb_embedded abdb_score_rules[];

enum { RULES_MAX = 128 };

static abdb_score_rule rule[RULES_MAX];
static size_t rules;
static abdb_arena kept; /* their texts, as long as the program runs */
static pthread_once_t once = PTHREAD_ONCE_INIT;

/* Takes the first row of scores.csv as its header, and appends each later one to the table `rule`.
 * ABDB_DATA: no runs, or more dropped than there are. */
static abdb_status store_header_or_append_score_rule(void *self, const abdb_csv_row *row,
                                                     abdb_error *err)
{
    abdb_csv_header *header = self;
    abdb_score_rule *r = &rule[rules];
    const char *benchmark, *runs, *dropped;
    long long count, without;

    if (!header->count) return abdb_csv_header_replace_by_row(header, row, err);
    if (rules == RULES_MAX) return ABDB_FAIL(err, ABDB_LIMIT, "more than %d rules", RULES_MAX);
    benchmark = abdb_csv_cell_or_null(row, abdb_csv_find_column_of_any_name(header, "benchmark"));
    runs = abdb_csv_cell_or_null(row, abdb_csv_find_column_of_any_name(header, "runs"));
    dropped = abdb_csv_cell_or_null(row, abdb_csv_find_column_of_any_name(header, "dropped"));
    if (!benchmark || !runs || !dropped ||
        !abdb_integer_parse_in_range(runs, ABDB_MARK_POINT, 1, 1000, &count) ||
        !abdb_integer_parse_in_range(dropped, ABDB_MARK_POINT, 0, count, &without))
        return ABDB_FAIL(err, ABDB_DATA, "a rule without runs");
    *r = (abdb_score_rule){.since = abdb_round_name_to_1000_major_plus_minor(abdb_csv_cell_or_null(
                               row, abdb_csv_find_column_of_any_name(header, "since"))),
                           .until = abdb_round_name_to_1000_major_plus_minor(abdb_csv_cell_or_null(
                               row, abdb_csv_find_column_of_any_name(header, "until"))),
                           .benchmark = abdb_arena_copy(&kept, benchmark, strlen(benchmark)),
                           .runs = (int)count,
                           .dropped = (int)without};
    if (!r->benchmark) return ABDB_FAIL(err, ABDB_NOMEM, "rules");
    rules++;
    return ABDB_OK;
}

/* The rules of this build; a file that does not parse is a fault of the build, and a test finds it.
 */
static void parse_embedded_score_rules(void)
{
    const char *text = abdb_score_rules[0].text;
    abdb_csv_header header = {0};
    abdb_error err;

    (void)!abdb_csv_parse_rows_to_handler(text, strlen(text), ',',
                                          store_header_or_append_score_rule, &header, &err);
    abdb_csv_header_free(&header);
}

const abdb_score_rule *abdb_score_find_rule_of_benchmark_and_round(const char *benchmark,
                                                                   const char *round)
{
    int at = abdb_round_name_to_1000_major_plus_minor(round);

    pthread_once(&once, parse_embedded_score_rules);
    for (size_t i = 0; i < rules; i++)
        if (strcmp(rule[i].benchmark, benchmark) == 0 && (!at || rule[i].since <= at) &&
            (!at || !rule[i].until || at <= rule[i].until))
            return &rule[i];
    return NULL;
}

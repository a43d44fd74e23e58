/* import_sglang_batch.c - SGLang's bench_one_batch and bench_one_batch_server: one static batch, as
 * JSON lines.
 *
 * How two posts and the sources of three versions disagree: the first times the prefill, each step
 * of the decoding (its median is kept; none where output_len is 1) and both; its file is appended
 * to, so that warm-up shapes and names of runs mix, and edited copies put an object over several
 * lines. The second asks a server: latency of all, output_throughput and overall_throughput, then
 * ttft or last_ttft, input_throughput, last_gen_throughput and acc_length; old versions divide the
 * output by the whole latency, new ones by what is left behind the first token. overall_throughput
 * counts the prompts' tokens too. With data parallel attention numbers are those of one rank,
 * which no file states. Device, count, model and format stand nowhere. The input row is an object;
 * each phase of it is an entry.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/check_entry.h"
#include "ingest/read/flat_records.h"

typedef struct {
    const abdb_overrides *words;
    const abdb_sink *sink;
    abdb_left_out *left_out;
} state;

static int sglang_batch_bid(const abdb_input *in)
{
    static const char shape[] = "\"run_name\"|\"batch_size\"|\"input_len\"|\"output_len\"";

    return abdb_flat_has_all_keys_or_columns(in, shape) &&
                   (abdb_flat_has_all_keys_or_columns(in, "\"prefill_latency\"") ||
                    abdb_flat_has_all_keys_or_columns(in, "\"overall_throughput\"") ||
                    abdb_flat_has_all_keys_or_columns(in, "\"last_ttft\""))
               ? 88
               : 0;
}

/* What was timed, and the members that state its time and rate in one program and the other. */
static const struct {
    const char *scenario, *metric, *statistic, *time[3], *rate[2];
} phases[] = {{"prompt",
               "ttft_s",
               "value",
               {"prefill_latency", "ttft", "last_ttft"},
               {"prefill_throughput", "input_throughput"}},
              {"generation",
               "tpot_s",
               "median",
               {"median_decode_latency", NULL, NULL},
               {"median_decode_throughput", NULL}},
              {"generation", NULL, "value", {NULL, NULL, NULL}, {"output_throughput", NULL}},
              {"prompt and generation",
               "latency_s",
               "value",
               {"total_latency", "latency", NULL},
               {"overall_throughput", NULL}}};
enum { PHASES = sizeof phases / sizeof phases[0], TIMES = 3, RATES = 2 };

/* The first of the members that is there. */
static const char *text_of_first_present_or_null(const abdb_flat_record *r,
                                                 const char *const *names, size_t count)
{
    const char *text = NULL;

    for (size_t i = 0; i < count && !text; i++)
        if (names[i]) text = abdb_flat_text_or_null_mark_asked(r, names[i]);
    return text;
}

/* Tokens that a phase handles; NAN: that depends on the version. */
static double tokens_of_phase(const abdb_flat_record *r, size_t phase)
{
    double batch = abdb_flat_number_or_nan_note_doubt(r, "batch_size"),
           in = abdb_flat_number_or_nan_note_doubt(r, "input_len"),
           out = abdb_flat_number_or_nan_note_doubt(r, "output_len");
    const double tokens[PHASES] = {batch * in, batch, 0, batch * (in + out)};

    return tokens[phase];
}

/* Fills the entry of one phase. False: the record states neither its time nor its rate. */
static bool fill_entry_of_phase(state *s, const abdb_flat_record *r, size_t phase,
                                abdb_entry *entry, abdb_arena *arena)
{
    const char *time = text_of_first_present_or_null(r, phases[phase].time, TIMES),
               *rate = text_of_first_present_or_null(r, phases[phase].rate, RATES);
    double seconds = 0, per_second = 0;

    abdb_entry_reset(entry);
    if (time && phases[phase].metric)
        (void)abdb_entry_add_printed_result_or_count_left_out(
            entry, phases[phase].metric, phases[phase].statistic, time, ABDB_MARK_POINT, "s");
    (void)abdb_entry_add_printed_result_or_count_left_out(
        entry, "tokens_per_s", phases[phase].statistic, rate, ABDB_MARK_POINT, "token/s");
    if (!entry->results) {
        abdb_left_out_count_values_of_entry(s->left_out, entry);
        return false;
    }
    abdb_entry_set_measured_run(entry, "sglang-one-batch", "sglang-one-batch", r->locator, r->line);
    entry->field[ABDB_FIELD_scenario] = phases[phase].scenario;
    abdb_entry_add_factor_parsing_number(entry, "batch",
                                         abdb_flat_text_or_null_mark_asked(r, "batch_size"));
    abdb_entry_add_factor_parsing_number(entry, "input_tokens",
                                         abdb_flat_text_or_null_mark_asked(r, "input_len"));
    abdb_entry_add_factor_parsing_number(entry, "output_tokens",
                                         abdb_flat_text_or_null_mark_asked(r, "output_len"));
    if (time && rate && abdb_double_parse(time, ABDB_MARK_POINT, &seconds) &&
        abdb_double_parse(rate, ABDB_MARK_POINT, &per_second))
        abdb_entry_mark_rate_not_matching_amount(entry, per_second, rate, seconds,
                                                 tokens_of_phase(r, phase), 1.2);
    abdb_flat_add_unread_values_as_factors(entry, r, NULL, arena);
    return true;
}

/* Marks all members that any phase reads as read: they are factors of none. */
static void ask_for_all_values(const abdb_flat_record *r)
{
    for (size_t i = 0; i < PHASES; i++) {
        for (size_t k = 0; k < TIMES; k++)
            if (phases[i].time[k]) (void)abdb_flat_text_or_null_mark_asked(r, phases[i].time[k]);
        for (size_t k = 0; k < RATES; k++)
            if (phases[i].rate[k]) (void)abdb_flat_text_or_null_mark_asked(r, phases[i].rate[k]);
    }
}

static abdb_status import_or_reject_batch(void *self, const abdb_flat_record *r, abdb_error *err)
{
    state *s = self;
    abdb_entry *entry = calloc(1, sizeof *entry);
    abdb_arena a = {0};
    size_t kept = 0;
    bool shaped = tokens_of_phase(r, PHASES - 1) > 0;
    abdb_status st = ABDB_OK;

    if (!entry) return ABDB_FAIL(err, ABDB_NOMEM, "an entry");
    ask_for_all_values(r);
    for (size_t i = 0; shaped && i < PHASES; i++) {
        if (!fill_entry_of_phase(s, r, i, entry, &a)) continue;
        abdb_entry_apply_overrides_and_check(entry, s->words);
        TRY(s->sink->entry(s->sink->self, entry, err));
        kept++;
    }
    if (kept) {
        TRY(s->sink->row_end(s->sink->self, err));
    } else {
        for (size_t i = 0; !shaped && i < PHASES; i++) {
            const char *const values[] = {text_of_first_present_or_null(r, phases[i].time, TIMES),
                                          text_of_first_present_or_null(r, phases[i].rate, RATES)};

            for (size_t k = 0; k < 2; k++) abdb_add_thread_values_read(abdb_has_digit(values[k]));
        }
        TRY(abdb_flat_reject_and_end_row(
            s->sink, r, shaped ? "overall_throughput" : "batch_size",
            shaped ? "no time and no rate above zero"
                   : "no numbers above zero in batch_size, input_len and output_len",
            err));
    }
done:
    free(entry);
    abdb_arena_free(&a);
    return st;
}

static abdb_status import_batches(const abdb_input *in, const abdb_overrides *overrides,
                                  const abdb_sink *sink, abdb_error *err)
{
    state s = {overrides, sink, in->left_out};

    return abdb_flat_deliver_json_sql_or_csv_records(in, sink, import_or_reject_batch, &s, err);
}

const abdb_importer abdb_import_sglang_batch = {
    "sglang-one-batch",
    "bench_one_batch and bench_one_batch_server of SGLang, JSON lines",
    1,
    NULL,
    sglang_batch_bid,
    import_batches};

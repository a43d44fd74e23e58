/* import_dcgm_dmon.c - `dcgmi dmon` with the energy counter (-e 155,156): power and energy of GPUs.
 *
 * How a log of a cluster (18 fields), a post, readers in eight programs and a wrapper disagree: a
 * header is "#Entity" or "# Entity", and is repeated every 15 to 25 samples; a line of units below
 * it ("ID  W  mJ  C") leaves columns without a unit empty; any other fields stand between; a
 * wrapper puts a time before every line; a missing value is "N/A" or a number near 2^63; the
 * counter may stand still for a sample; some print it with an exponent, from which no difference
 * can be taken. A log states neither device nor program nor interval: --set workload=... names what
 * ran, and must be there, for power under an unknown load is no result. The counter shows that a
 * log is one piece: where it falls or jumps, the file is refused. The input row is a GPU.
 */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/read/text_lines.h"
#include "schema/core/array.h"

enum { GPUS_MAX = 64, HEAD = 1 << 16 };

typedef struct {
    double power_w;       /* NAN: not printed */
    long long counter_mj; /* -1: not printed */
    long line;
} sample;

typedef struct {
    const char *id;
    sample *sample;
    size_t samples, room;
    long long first_mj, last_mj; /* of the counter; -1: it was not printed */
    long line;
} gpu_log;

typedef struct {
    const abdb_overrides *words;
    const abdb_sink *sink;
    abdb_left_out *left_out;
    abdb_entry *entry;
    size_t prefix, columns; /* words before "#Entity", headings behind it */
    size_t power, counter;  /* columns from 0; SIZE_MAX: there is none */
    const char *unit_trouble;
    gpu_log gpu[GPUS_MAX];
    size_t gpus;
    abdb_arena arena;
} state;

/* A header stands at the begin of its line, or behind a time. */
static bool is_header_with_counter(const char *line, size_t size)
{
    const char *hash = memchr(line, '#', size);

    if (!hash || !memmem(hash, size - (size_t)(hash - line), "Entity", 6) ||
        !memmem(hash, size - (size_t)(hash - line), "TOTEC", 5))
        return false;
    for (const char *at = line; at < hash; at++)
        if (!strchr("0123456789.:-+TZ[] \t", *at)) return false;
    return hash[1] == 'E' || strncmp(hash, "# E", 3) == 0;
}

static int dcgm_dmon_bid(const abdb_input *in)
{
    size_t left = in->text_size < HEAD ? in->text_size : HEAD;
    const char *line = in->text;
    bool header = false;

    while (left) {
        const char *end = memchr(line, '\n', left);
        size_t size = end ? (size_t)(end - line) : left;
        const char *gpu = header ? memmem(line, size, "GPU ", 4) : NULL;

        if (gpu && gpu + 4 < line + size && isdigit((unsigned char)gpu[4]))
            return 58; /* beside output of a benchmark it is the lesser part of a post */
        header = header || is_header_with_counter(line, size);
        size += end != NULL;
        line += size;
        left -= size;
    }
    return 0;
}

/* "#Entity POWER TOTEC": where the columns are. False: the line is another. */
static bool read_header(state *s, const text_line *line)
{
    size_t at = 0;

    while (at < line->words && line->word[at][0] != '#') at++;
    if (at == line->words || !is_header_with_counter(line->text, strlen(line->text))) return false;
    s->prefix = at;
    at += strcmp(line->word[at], "#") == 0 ? 2 : 1;
    s->columns = line->words - at;
    s->power = s->counter = SIZE_MAX;
    for (size_t i = 0; i < s->columns; i++) {
        if (strcmp(line->word[at + i], "POWER") == 0) s->power = i;
        if (strcmp(line->word[at + i], "TOTEC") == 0) s->counter = i;
    }
    return true;
}

/* "ID  W  mJ  C": power is in W and the counter in mJ in all versions; a line of other units of
 * power and energy is of a rewritten log. False: the line is another. */
static bool read_line_of_units(state *s, const text_line *line)
{
    static const char *const others[] = {"mW", "kW", "J", "kJ", "Wh", "kWh", "uJ", NULL};

    if (s->columns == 0 || line->words <= s->prefix || strcasecmp(line->word[s->prefix], "ID") != 0)
        return false;
    for (size_t i = s->prefix + 1; i < line->words; i++)
        if (abdb_text_is_in_list(line->word[i], others))
            s->unit_trouble = "the line of units has other units of power or energy than W and mJ";
    return true;
}

static bool is_missing(const char *word)
{
    return strcmp(word, "N/A") == 0 || strcmp(word, "-") == 0 ||
           (isdigit((unsigned char)*word) && strlen(word) == 19 &&
            strncmp(word, "92233720368547", 14) == 0);
}

/* Watts as dcgmi prints them, digits with a decimal point. False: they are none. */
static bool parse_power(const char *word, double *watts)
{
    return word[strspn(word, "0123456789.")] == '\0' &&
           abdb_double_parse(word, ABDB_MARK_POINT, watts) && *watts > 0;
}

/* The log of that GPU; a new one where it is the first line of it. NULL: there is no room. */
static gpu_log *find_or_add_gpu(state *s, const text_line *line, const char *id)
{
    for (size_t i = 0; i < s->gpus; i++)
        if (strcmp(s->gpu[i].id, id) == 0) return &s->gpu[i];
    if (s->gpus == GPUS_MAX) return NULL;
    s->gpu[s->gpus] = (gpu_log){.id = abdb_arena_copy(&s->arena, id, strlen(id)),
                                .first_mj = -1,
                                .last_mj = -1,
                                .line = line->number};
    return s->gpu[s->gpus].id ? &s->gpu[s->gpus++] : NULL;
}

static abdb_status add_sample(state *s, const text_line *line, const sample *one, abdb_error *err)
{
    gpu_log *gpu = find_or_add_gpu(s, line, line->word[s->prefix + 1]);
    void *more;

    if (!gpu)
        return ABDB_FAIL(err, ABDB_LIMIT, "line %ld: more than %d GPUs", line->number, GPUS_MAX);
    if (one->counter_mj >= 0 && one->counter_mj < gpu->last_mj)
        return ABDB_FAIL(err, ABDB_DATA,
                         "line %ld: the energy counter of GPU %s falls from %lld to %lld mJ: two "
                         "logs in one file, or a driver that was loaded anew; import each alone",
                         line->number, gpu->id, gpu->last_mj, one->counter_mj);
    if (gpu->samples == ABDB_SAMPLE_MAX)
        return ABDB_FAIL(err, ABDB_LIMIT, "line %ld: more than %d samples", line->number,
                         ABDB_SAMPLE_MAX);
    more = abdb_array_reserve_one(gpu->sample, gpu->samples, &gpu->room, sizeof *gpu->sample);
    if (!more) return ABDB_FAIL(err, ABDB_NOMEM, "samples");
    gpu->sample = more;
    gpu->sample[gpu->samples++] = *one;
    if (one->counter_mj >= 0) gpu->last_mj = one->counter_mj;
    if (gpu->first_mj < 0) gpu->first_mj = one->counter_mj;
    return ABDB_OK;
}

static abdb_status read_or_reject_row_of_gpu(state *s, const text_line *line, abdb_error *err)
{
    const char *const *value = &line->word[s->prefix + 2];
    sample one = {.power_w = NAN, .counter_mj = -1, .line = line->number};

    if (s->unit_trouble)
        return line_reject_and_end_row(s->sink, line, "TOTEC", s->unit_trouble, err);
    if (line->words != s->prefix + 2 + s->columns)
        return line_reject_and_end_row(s->sink, line, "GPU",
                                       "more or fewer values than the header has columns", err);
    if (s->power != SIZE_MAX && !is_missing(value[s->power]) &&
        !parse_power(value[s->power], &one.power_w))
        return line_reject_and_end_row(s->sink, line, "POWER", "no power above zero", err);
    if (!is_missing(value[s->counter]) &&
        (strspn(value[s->counter], "0123456789") != strlen(value[s->counter]) ||
         !abdb_integer_parse_in_range(value[s->counter], ABDB_MARK_POINT, 0, 1LL << 60,
                                      &one.counter_mj)))
        return line_reject_and_end_row(
            s->sink, line, "TOTEC",
            "no whole number of mJ; of a rounded one no difference can be taken", err);
    return add_sample(s, line, &one, err);
}

static abdb_status import_line(void *self, const text_line *line, abdb_error *err)
{
    state *s = self;
    const char *entity = line->words > s->prefix ? line->word[s->prefix] : "";

    if (strncmp(line->text, "```", 3) == 0) s->columns = 0; /* a post's table ends */
    if (read_header(s, line) || read_line_of_units(s, line) || !s->columns) return ABDB_OK;
    if (strcmp(entity, "GPU") == 0) return read_or_reject_row_of_gpu(s, line, err);
    if (line->words > s->prefix + 2 && line_has_number_like_word(line))
        abdb_left_out_count_value(s->left_out, "of other entities than GPUs");
    return ABDB_OK;
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Refuses a log whose counter jumps: steps of it, over the power around them, are the interval,
 * which dcgmi keeps. */
static abdb_status refuse_jumping_counter(const gpu_log *gpu, abdb_error *err)
{
    double *seconds = calloc(gpu->samples + 1, sizeof *seconds), longest = 0;
    const sample *before = NULL, *at = NULL;
    size_t n = 0;
    abdb_status st = ABDB_OK;

    if (!seconds) return ABDB_FAIL(err, ABDB_NOMEM, "intervals");
    for (size_t i = 0; i < gpu->samples; i++) {
        const sample *now = &gpu->sample[i];

        if (now->counter_mj < 0 || isnan(now->power_w)) continue;
        if (before && now->counter_mj > before->counter_mj) { /* it is not updated at each sample */
            seconds[n] = (double)(now->counter_mj - before->counter_mj) / 1000 /
                         fmax(now->power_w, before->power_w);
            if (seconds[n] > longest) {
                longest = seconds[n];
                at = now;
            }
            n++;
        }
        if (!before || now->counter_mj > before->counter_mj) before = now;
    }
    abdb_array_sort(seconds, n, sizeof *seconds, compare_numbers);
    if (n >= 2 && at && longest > 10 * seconds[(n - 1) / 2] && seconds[(n - 1) / 2] > 0)
        st = ABDB_FAIL(err, ABDB_DATA,
                       "line %ld: the energy counter of GPU %s jumps by %.3g s of its power, other "
                       "samples by %.3g s: two logs in one file, or a pause; import each alone",
                       at->line, gpu->id, longest, seconds[(n - 1) / 2]);
    free(seconds);
    return st;
}

static void add_power_results(state *s, const gpu_log *gpu)
{
    static const char *const statistics[] = {"mean", "min", "max"};
    double value[3] = {0, INFINITY, 0};
    abdb_sample *samples = abdb_arena_alloc(&s->arena, (gpu->samples + 1) * sizeof *samples);
    size_t n = 0;

    for (size_t i = 0; samples && i < gpu->samples; i++) {
        double power = gpu->sample[i].power_w;

        if (isnan(power)) continue;
        samples[n++] = (abdb_sample){.value = power, .t_s = NAN, .rank = -1};
        value[0] += power;
        value[1] = fmin(value[1], power);
        value[2] = fmax(value[2], power);
    }
    if (n) value[0] /= (double)n;
    for (size_t k = 0; n && k < 3; k++) {
        abdb_result *result =
            abdb_entry_add_result_or_count_left_out(s->entry, "power_w", value[k]);

        if (!result) continue;
        result->statistic = statistics[k];
        result->n = (long long)n;
        if (k) continue;
        result->sample = samples;
        result->samples = n;
    }
}

static abdb_status reject_gpu(state *s, const gpu_log *gpu, const char *field, const char *reason,
                              abdb_error *err)
{
    abdb_reject reject = {.line = gpu->line, .field = field, .reason = reason, .raw = gpu->id};
    abdb_status st = ABDB_OK;

    TRY(s->sink->reject(s->sink->self, &reject, err));
    TRY(s->sink->row_end(s->sink->self, err));
done:
    return st;
}

static abdb_status import_or_reject_gpu(state *s, const gpu_log *gpu, abdb_error *err)
{
    double energy = (double)(gpu->last_mj - gpu->first_mj) / 1000;
    abdb_result *result;
    abdb_status st = ABDB_OK;

    if (!abdb_overrides_get_value_or_null(s->words, "workload"))
        return reject_gpu(s, gpu, "workload",
                          "a log of power does not state what ran: --set workload=NAME names it, "
                          "--set device=NAME the GPU",
                          err);
    if (!(energy > 0)) return reject_gpu(s, gpu, "TOTEC", "the energy counter does not move", err);
    abdb_entry_set_measured_run(s->entry, "dcgm-dmon", NULL,
                                abdb_arena_printf(&s->arena, "GPU %s", gpu->id), gpu->line);
    s->entry->field[ABDB_FIELD_devices] = "1";
    add_power_results(s, gpu);
    result = abdb_entry_add_result_or_count_left_out(s->entry, "energy_j", energy);
    if (result) result->n = (long long)gpu->samples;
    abdb_entry_add_factor_parsing_number(s->entry, "gpu", gpu->id);
    abdb_entry_add_factor_parsing_number(s->entry, "power_definition", "counters");
    abdb_entry_add_factor_parsing_number(s->entry, "energy_scope", "gpu");
    abdb_entry_add_factor_parsing_number(s->entry, "power_meter", "DCGM");
    abdb_entry_add_factor_parsing_number(s->entry, "power_coverage", "one GPU");
    abdb_entry_add_factor_parsing_number(s->entry, "power_window", "whole log");
    TRY(abdb_entry_check_and_deliver_row(s->entry, s->words, s->sink, err));
done:
    abdb_entry_reset(s->entry);
    return st;
}

/* All counters are checked before anything is handed over. */
static abdb_status import_gpus(void *self, abdb_error *err)
{
    state *s = self;
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < s->gpus; i++) TRY(refuse_jumping_counter(&s->gpu[i], err));
    for (size_t i = 0; i < s->gpus; i++) TRY(import_or_reject_gpu(s, &s->gpu[i], err));
done:
    return st;
}

static abdb_status import_log_of_dmon(const abdb_input *in, const abdb_overrides *overrides,
                                      const abdb_sink *sink, abdb_error *err)
{
    state *s = calloc(1, sizeof *s);
    abdb_status st;

    if (!s) return ABDB_FAIL(err, ABDB_NOMEM, "a log");
    s->words = overrides;
    s->sink = sink;
    s->left_out = in->left_out;
    st = lines_deliver_each_with_entry(in, &s->entry, import_line, import_gpus, s, err);
    for (size_t i = 0; i < s->gpus; i++) free(s->gpu[i].sample);
    abdb_arena_free(&s->arena);
    free(s);
    return st;
}

const abdb_importer abdb_import_dcgm_dmon = {
    "dcgm-dmon",       "dcgmi dmon: power and energy of GPUs", 1, NULL, dcgm_dmon_bid,
    import_log_of_dmon};

/* dcgm_verdict.c - verdicts of DCGM's diagnostics and the numbers in their texts; see
 * dcgm_verdict.h.
 *
 * The texts are sentences of the plugins, in JSON joined by commas, in tables broken after 45
 * characters wherever that is, so they are matched without blanks. A gigaflop of the diagnostic
 * plugin is 2^30 operations (its sources of four versions divide by 1024 three times). Levels of
 * stress have no unit, so these stay text.
 */
#include "ingest/programs/dcgm_verdict.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "ingest/check_entry.h"

enum { READINGS_MAX = 512, NO_GPU = -1, CONTRADICTED = -2 };

/* A number in a text: the words before and behind it, without blanks. */
static const struct {
    const char *before, *behind, *metric, *statistic, *unit, *operation;
} kinds[] = {
    {"GPUtoHostbandwidth:", "GB/s", "bytes_per_s", "value", "GB/s", "device_to_host"},
    {"HosttoGPUbandwidth:", "GB/s", "bytes_per_s", "value", "GB/s", "host_to_device"},
    {"bidirectionalbandwidth:", "GB/s", "bytes_per_s", "value", "GB/s", "bidirectional"},
    {"GPUtoHostlatency:", "us", "time_s", "value", "us", "device_to_host"},
    {"HosttoGPUlatency:", "us", "time_s", "value", "us", "host_to_device"},
    {"bidirectionallatency:", "us", "time_s", "value", "us", "bidirectional"},
    {"calculatedatapproximately", "gigaflopsduringthistest", "flops_per_s", "value", "GFLOP/s",
     NULL},
    {"maxpower:", "W", "power_w", "max", "W", NULL},
    {"averagepowerusage:", "W", "power_w", "mean", "W", NULL},
    {"poweraverage:", "W", "power_w", "mean", "W", NULL},
};
enum { KINDS = sizeof kinds / sizeof kinds[0], GIGAFLOPS = 6 };

typedef struct {
    long gpu;
    size_t kind;
    const char *number;
    bool taken;
} reading;

/* --- texts ------------------------------------------------------------------------------------ */

static const char *skip_blanks(const char *text)
{
    return text + strspn(text, " \t\r\n");
}

/* The text behind the words, blanks in it skipped; NULL: it begins otherwise. */
static const char *skip_words_ignoring_blanks(const char *text, const char *words)
{
    for (; *words; words++, text++) {
        text = skip_blanks(text);
        if (*text != *words) return NULL;
    }
    return text;
}

/* "GPU 0 GPU 0 " before a sentence: *gpu is the number. Returns the text behind. */
static const char *skip_and_parse_gpu_prefixes(const char *text, long *gpu)
{
    const char *at, *digits;

    *gpu = NO_GPU;
    while ((at = skip_words_ignoring_blanks(text, "GPU")) != NULL) {
        long number;

        digits = skip_blanks(at);
        if (!isdigit((unsigned char)*digits)) break;
        number = (long)abdb_digits_parse_prefix_up_to_max_or(digits, 9999, CONTRADICTED);
        *gpu = *gpu == NO_GPU || *gpu == number ? number : CONTRADICTED;
        text = digits + strspn(digits, "0123456789");
    }
    return text;
}

/* The number between the words of that kind, without blanks; NULL: the text is another. *end: the
 * text behind. "" is a number that is torn, or has another unit. */
static const char *number_of_kind_or_null(const char *text, size_t kind, abdb_arena *a,
                                          const char **end)
{
    const char *at = skip_words_ignoring_blanks(text, kinds[kind].before), *behind;
    char number[32];
    size_t size = 0;

    if (!at) return NULL;
    for (at = skip_blanks(at); *at && strchr("0123456789.,+-eE'", *at) && size < sizeof number - 1;)
        number[size++] = *at++; /* a blank ends it: tables break texts, and print none inside */
    number[size] = '\0';
    behind = skip_words_ignoring_blanks(at, kinds[kind].behind);
    *end = behind ? behind : at;
    /* behind the unit a sentence ends, or the next one of the same plugin begins */
    if (!behind || (*skip_blanks(behind) && *skip_blanks(behind) != ',' &&
                    !skip_words_ignoring_blanks(behind, "averagepowerusage:")))
        return "";
    return abdb_arena_copy(a, number, size);
}

/* Why a number that the text has is not kept. */
static const char *fault_of_number(long gpu)
{
    return gpu == CONTRADICTED ? "number of two GPUs"
           : gpu == NO_GPU     ? "number without a GPU"
                               : "damaged number";
}

/* Appends the readings of a text to `out`, and its other sentences to `rest`; numbers that are not
 * kept are counted in the list. */
static size_t find_readings(const char *text, reading *out, abdb_arena *a, abdb_text *rest,
                            abdb_left_out *left_out)
{
    size_t count = 0;
    long gpu = NO_GPU;

    while (*(text = skip_blanks(text))) {
        const char *begin = text, *end = NULL, *number = NULL;
        size_t kind;
        long named;

        text = skip_and_parse_gpu_prefixes(text, &named);
        if (named != NO_GPU) gpu = named;
        for (kind = 0; kind < KINDS && !number; kind++)
            number = number_of_kind_or_null(text, kind, a, &end);
        if (number && *number && gpu >= 0 && count < READINGS_MAX)
            out[count++] = (reading){gpu, kind - 1, number, false};
        else if (number)
            abdb_left_out_count_value(left_out, fault_of_number(*number ? gpu : 0));
        if (!number || !*number) end = text + strcspn(text, ",");
        if (!number)
            abdb_text_printf(rest, "%s%.*s", rest->size ? "," : "", (int)(end - begin), begin);
        text = skip_blanks(end);
        if (*text == ',') text++, gpu = NO_GPU; /* the next sentence names its own */
    }
    return count;
}

/* --- a verdict -------------------------------------------------------------------------------- */

/* "PASS": 'p'; 's' skipped, 'n' not run, 'f' failed or with a warning; 0: no verdict. */
static char letter_of_status_or_0(const char *status)
{
    static const char *const names[][2] = {{"pass", "p"},    {"skip", "s"},   {"skipped", "s"},
                                           {"not run", "n"}, {"fail", "f"},   {"failed", "f"},
                                           {"warn", "f"},    {"warning", "f"}};

    for (size_t i = 0; status && i < sizeof names / sizeof names[0]; i++)
        if (strcasecmp(status, names[i][0]) == 0) return *names[i][1];
    return 0;
}

static bool list_has_gpu(const char *gpus, long gpu)
{
    for (const char *at = gpus; at && *at; at += strcspn(at, ","), at += *at == ',') {
        at += strspn(at, " ");
        if (isdigit((unsigned char)*at) &&
            abdb_digits_parse_prefix_up_to_max_or(at, 9999, -1) == gpu)
            return true;
    }
    return false;
}

/* "", "7" and "0, 2,3": a number in another spelling might be of other GPUs. */
static bool list_of_gpus_is_plain(const char *gpus)
{
    for (const char *at = gpus; at && *at; at += strspn(at, " ")) {
        size_t digits = strspn(at, "0123456789");

        if (!digits || digits > 4 || (digits > 1 && *at == '0')) return false;
        at += digits;
        if (*at == ',')
            at++;
        else if (at[strspn(at, " ")])
            return false;
    }
    return true;
}

static bool verdict_is_of_gpu(const dcgm_verdict *all, size_t count, size_t shown, long gpu)
{
    if (all[shown].gpus) return list_has_gpu(all[shown].gpus, gpu);
    for (size_t i = 0; i < count; i++)
        if (all[i].gpus && list_has_gpu(all[i].gpus, gpu)) return false;
    return true;
}

static void count_readings_of_no_verdict(dcgm_run *run, const dcgm_verdict *all, size_t count,
                                         const reading *readings, size_t found)
{
    for (size_t r = 0; r < found; r++) {
        size_t i = 0;

        while (i < count && !verdict_is_of_gpu(all, count, i, readings[r].gpu)) i++;
        if (i == count) abdb_left_out_count_value(run->left_out, "number of a GPU without verdict");
    }
}

/* "Targeted Power" and "targeted_power" are one test. */
static const char *canonical_test_name(const char *test, abdb_arena *a)
{
    char *name = abdb_arena_copy(a, test, strlen(test));

    for (char *at = name; *at; at++) *at = *at == '_' ? ' ' : (char)tolower((unsigned char)*at);
    return name;
}

static void set_fields_of_verdict(dcgm_run *run, const dcgm_verdict *v, const abdb_settings *own,
                                  const char *locator, long line, abdb_arena *a)
{
    abdb_entry *entry = run->entry;
    char letter = letter_of_status_or_0(v->status);

    abdb_entry_set_measured_run(entry, "dcgm", "dcgm-diag", locator, line);
    entry->field[ABDB_FIELD_verified] = letter == 'p'   ? "pass"
                                        : letter == 'f' ? "fail"
                                                        : "unchecked";
    abdb_entry_add_factor_parsing_number(entry, "test", canonical_test_name(v->test, a));
    abdb_entry_add_factor_parsing_number(entry, "category", v->category);
    if (v->group && strcmp(v->group, "GPU") != 0)
        abdb_entry_add_factor_parsing_number(entry, "entity_group", v->group);
    if (letter != 'f') abdb_entry_add_factor_parsing_number(entry, "warning", v->warning);
    if (own) abdb_entry_add_settings_as_factors(entry, own, NULL, a);
    abdb_entry_add_settings_as_factors(entry, &run->settings, NULL, a);
}

/* The entry of the numbers of one GPU that belong together: a direction's rate and latency, the
 * power at most and in the mean. */
static abdb_status import_readings_of_gpu(dcgm_run *run, const dcgm_verdict *v, reading *r,
                                          size_t readings, abdb_error *err)
{
    abdb_entry *entry = run->entry;
    const char *operation = kinds[r->kind].operation;
    unsigned used = 0;
    abdb_status st = ABDB_OK;

    for (reading *other = r; other < r + readings; other++) {
        abdb_result *result;

        if (other->taken || other->gpu != r->gpu || used & 1U << other->kind ||
            kinds[other->kind].operation != operation)
            continue;
        used |= 1U << other->kind;
        other->taken = true;
        result = abdb_entry_add_printed_result_or_count_left_out(
            entry, kinds[other->kind].metric, kinds[other->kind].statistic, other->number,
            ABDB_MARK_UNKNOWN, kinds[other->kind].unit);
        if (result && strcmp(result->metric, "power_w") == 0) {
            abdb_entry_add_factor_parsing_number(entry, "power_definition", "counters");
            abdb_entry_add_factor_parsing_number(entry, "energy_scope", "gpu");
        }
        if (!result || other->kind != GIGAFLOPS) continue;
        result->value *= 1.073741824;
        result->raw_unit = "gigaflops of 2^30";
    }
    if (operation) {
        entry->field[ABDB_FIELD_workload] = "memory-copy";
        abdb_entry_add_factor_parsing_number(entry, "operation", operation);
        abdb_entry_add_factor_parsing_number(entry, "level", "wire");
    }
    entry->field[ABDB_FIELD_devices] = "1";
    if (strcmp(entry->field[ABDB_FIELD_verified], "fail") == 0)
        abdb_entry_add_mark_and_problem(entry, "failed", "the test failed: %.150s",
                                        v->warning ? v->warning : v->test);
    if (!entry->results && !entry->doubt) {
        abdb_left_out_count_values_of_entry(run->left_out, entry);
        return ABDB_OK;
    }
    abdb_entry_apply_overrides_and_check(entry, run->words);
    TRY(run->sink->entry(run->sink->self, entry, err));
done:
    return st;
}

/* The entry of the verdict alone: it has no result. */
static abdb_status import_verdict_itself(dcgm_run *run, const dcgm_verdict *v, const char *rest,
                                         abdb_arena *a, abdb_error *err)
{
    abdb_entry *entry = run->entry;
    char letter = letter_of_status_or_0(v->status);
    long gpus = 0;
    abdb_status st = ABDB_OK;

    for (const char *at = v->gpus; at && *at; at += strcspn(at, ","), at += *at == ',') gpus++;
    if (gpus && (!v->group || strcmp(v->group, "GPU") == 0))
        entry->field[ABDB_FIELD_devices] = abdb_arena_printf(a, "%ld", gpus);
    abdb_entry_add_factor_parsing_number(entry, "gpu", v->gpus);
    if (rest && *rest) abdb_entry_add_factor_parsing_number(entry, "info", rest);
    entry->field[ABDB_FIELD_status] = letter == 'p'   ? "ok"
                                      : letter == 'f' ? "failed"
                                      : letter == 's' ? "skipped"
                                                      : "not-run";
    if (letter != 'p')
        entry->field[ABDB_FIELD_reason] =
            v->warning ? v->warning : abdb_arena_printf(a, "%s: %s", v->test, v->status);
    abdb_entry_apply_overrides_and_check(entry, run->words);
    TRY(run->sink->entry(run->sink->self, entry, err));
done:
    return st;
}

abdb_status dcgm_import_or_reject_verdict(dcgm_run *run, const dcgm_verdict *all, size_t count,
                                          size_t shown, const char *locator, long line,
                                          const abdb_settings *own, abdb_error *err)
{
    const dcgm_verdict *v = &all[shown];
    abdb_arena a = {0};
    abdb_text rest = {0};
    reading *readings = abdb_arena_alloc(&a, READINGS_MAX * sizeof *readings);
    size_t found;
    abdb_status st = ABDB_OK;

    if (!readings) return ABDB_FAIL(err, ABDB_NOMEM, "readings");
    if (!letter_of_status_or_0(v->status)) {
        abdb_reject reject = {line, v->test, "no verdict (Pass, Fail, Skip, Warn or Not Run)",
                              v->status};

        TRY(run->sink->reject(run->sink->self, &reject, err));
        goto row;
    }
    if (!list_of_gpus_is_plain(v->gpus)) {
        abdb_reject reject = {line, "gpu", "no list of GPUs", v->gpus};

        TRY(run->sink->reject(run->sink->self, &reject, err));
        goto row;
    }
    found = v->info ? find_readings(v->info, readings, &a, &rest, shown ? NULL : run->left_out) : 0;
    if (!shown) count_readings_of_no_verdict(run, all, count, readings, found);
    if (rest.failed) st = ABDB_FAIL(err, ABDB_NOMEM, "a text");
    for (size_t i = 0; !st && i < found; i++) {
        if (readings[i].taken || !verdict_is_of_gpu(all, count, shown, readings[i].gpu)) continue;
        set_fields_of_verdict(run, v, own, locator, line, &a);
        abdb_entry_add_factor_parsing_number(run->entry, "gpu",
                                             abdb_arena_printf(&a, "%ld", readings[i].gpu));
        st = import_readings_of_gpu(run, v, &readings[i], found - i, err);
        abdb_entry_reset(run->entry);
    }
    if (st) goto done;
    set_fields_of_verdict(run, v, own, locator, line, &a);
    TRY(import_verdict_itself(run, v, shown ? NULL : rest.data, &a, err));
row:
    TRY(run->sink->row_end(run->sink->self, err));
done:
    abdb_entry_reset(run->entry);
    abdb_text_free(&rest);
    abdb_arena_free(&a);
    return st;
}

/* import_hpl.c - HPL and HPL-MxP: the solution of a dense linear system, as printed.
 *
 * How 18 logs of four programs, seven posts and the sources disagree: HPL (netlib's, AMD's,
 * Intel's, older ones of NVIDIA) prints "WR11C2R4 N NB P Q Time Gflops", and behind it one scaled
 * residual, before 2.0 three, with PASSED or FAILED; NVIDIA's of 2024 and rocHPL add the rate per
 * GPU in parentheses, and NVIDIA's code is "WC0". rocHPL-MxP prints such a code, too, and no rate
 * per GPU: the line HPLMXP_pdgesv() behind it tells it apart, and a row with neither is rejected.
 * NVIDIA's HPL-MxP prints the residual first, then "GFLOPS = ..., per GPU = ..." and LU GFLOPS, of
 * the factorisation without the refinement; its low precision was a number before it was a name. P
 * times Q are processes, of which several may share a GPU, or have none: GPUs are counted where a
 * rate per GPU is printed, or by the lines "INFO: host=... gpu=..." of a launcher. No file names
 * the device. Parameters with one value, and variables of the environment, are factors; a list of
 * values belongs to several rows, whose code has them. Posts keep the rows alone. The input row is
 * a result.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/check_entry.h"
#include "ingest/read/text_lines.h"
#include "ingest/read/unknown_factor.h"

enum { PLACES_MAX = 4096 };

/* Of the processes that a launcher lists: each host, or each GPU of a host, once. */
typedef struct {
    size_t count;
    const char *name[PLACES_MAX];
} places;

typedef struct {
    const abdb_overrides *words;
    const abdb_sink *sink;
    abdb_left_out *left_out;
    abdb_entry *entry; /* of the row at hand, until its residuals were read */
    abdb_settings settings;
    places hosts, gpus;
    bool has_rows, in_parameters;
    bool is_open; /* the row at hand is of HPL or of rocHPL-MxP: a line behind it tells */
    long row_line;
    const char *row_text;
    bool has_residual;                           /* the entry at hand has one as a factor */
    const char *verdict, *residual, *lu_seconds; /* of HPL-MxP, for the rates that follow */
    const char *shape[4], *format;               /* N, NB, P, Q and the low precision of HPL-MxP */
    abdb_arena arena, row_arena;
} state;

static int hpl_bid(const abdb_input *in)
{
    static const char *const titles[] = {"HPLinpack ", "HPL-NVIDIA ", "HPL-MxP-NVIDIA "};

    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++)
        if (lines_any_in_first_part_begins_with(in, titles[i])) return 80;
    return lines_have_table_header_and_number_row(in, "T/V", "NB|Gflops", 5) ||
                   lines_any_in_first_part_begins_with(in, "LU GFLOPS = ")
               ? 78
               : 0;
}

/* What was stated for one run holds for no other. */
static void forget_run(state *s)
{
    s->settings = (abdb_settings){0};
    s->hosts.count = s->gpus.count = 0;
    s->has_rows = s->in_parameters = false;
    s->verdict = s->residual = s->lu_seconds = s->format = NULL;
    memset(s->shape, 0, sizeof s->shape);
    abdb_arena_free(&s->arena);
}

/* Hands over the entry at hand, if there is one; rejects it where its program is unknown. */
static abdb_status pass_entry_at_hand(void *self, abdb_error *err)
{
    state *s = self;
    abdb_status st = ABDB_OK;

    if (!s->entry->results) return ABDB_OK;
    if (s->is_open) {
        abdb_reject reject = {.line = s->row_line,
                              .field = "T/V",
                              .reason = "no line behind it tells HPL from HPL-MxP",
                              .raw = s->row_text};

        abdb_left_out_count_values_of_entry(s->left_out, s->entry);
        TRY(s->sink->reject(s->sink->self, &reject, err));
        TRY(s->sink->row_end(s->sink->self, err));
        goto done;
    }
    abdb_entry_add_settings_as_factors(s->entry, &s->settings, NULL, &s->row_arena);
    TRY(abdb_entry_check_and_deliver_row(s->entry, s->words, s->sink, err));
done:
    s->is_open = false;
    abdb_entry_reset(s->entry);
    abdb_arena_free(&s->row_arena);
    return st;
}

/* --- devices ---------------------------------------------------------------------------------- */

static void add_place_if_new(places *list, const char *name)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->name[i], name) == 0) return;
    if (list->count < PLACES_MAX) list->name[list->count++] = name;
}

/* "INFO: host=node2 rank=1 lrank=1 cores=4 gpu=0 cpu=1": a process and its GPU. */
static void store_place_of_process(state *s, const char *text)
{
    const char *host = text + strlen("INFO: host="), *gpu = strstr(text, " gpu=");
    size_t size = strcspn(host, " ");

    if (!size) return;
    add_place_if_new(&s->hosts, abdb_arena_copy(&s->arena, host, size));
    if (gpu && isdigit((unsigned char)gpu[5]))
        add_place_if_new(&s->gpus, abdb_arena_printf(&s->arena, "%.*s %.*s", (int)size, host,
                                                     (int)strspn(gpu + 5, "0123456789"), gpu + 5));
}

/* Sets GPUs and nodes as far as they are known: a rate per GPU (NAN: none) that fits the processes,
 * or a launcher's lines. */
static void set_devices_and_nodes(state *s, double rate, double per_gpu, double processes)
{
    double gpus = rate / per_gpu;

    if (isfinite(gpus) && processes > 0 && processes < 1e7 && fabs(gpus / processes - 1) < 0.01)
        s->entry->field[ABDB_FIELD_devices] = abdb_arena_printf(&s->row_arena, "%.0f", processes);
    else if (s->gpus.count && s->gpus.count < PLACES_MAX)
        s->entry->field[ABDB_FIELD_devices] =
            abdb_arena_printf(&s->row_arena, "%zu", s->gpus.count);
    if (s->hosts.count && s->hosts.count < PLACES_MAX)
        s->entry->field[ABDB_FIELD_nodes] = abdb_arena_printf(&s->row_arena, "%zu", s->hosts.count);
}

/* --- results ---------------------------------------------------------------------------------- */

static double number_or_nan(const char *text)
{
    double value;

    return text && abdb_double_parse(text, ABDB_MARK_POINT, &value) ? value : NAN;
}

static bool begins_like_count(const char *word)
{
    return isdigit((unsigned char)word[*word == '+']);
}

/* "WR11C2R4", or "WC0", before six numbers. */
static bool is_row(const text_line *line)
{
    const char *code = line->word[0];
    size_t size = line->words ? strlen(code) : 0;

    return line->words >= 7 && (size == 8 || size == 3) && code[0] == 'W' &&
           (code[1] == 'R' || code[1] == 'C') && isdigit((unsigned char)code[2]) &&
           begins_like_count(line->word[1]) && begins_like_count(line->word[2]);
}

static void set_verdict(abdb_entry *entry, const char *verdict, const char *residual)
{
    if (!verdict) return;
    if (strcmp(verdict, "PASSED") == 0) {
        if (!entry->field[ABDB_FIELD_verified]) entry->field[ABDB_FIELD_verified] = "pass";
    } else if (!entry->field[ABDB_FIELD_verified] ||
               strcmp(entry->field[ABDB_FIELD_verified], "fail") != 0) {
        entry->field[ABDB_FIELD_verified] = "fail";
        abdb_entry_add_mark_and_problem(entry, "failed", "the residual %s is too large",
                                        residual ? residual : "");
    }
}

static void add_shape_factors(abdb_entry *entry, const char *const shape[4])
{
    static const char *const names[] = {"n", "nb", "p", "q"};

    for (int i = 0; i < 4; i++) abdb_entry_add_factor_parsing_number(entry, names[i], shape[i]);
}

/* Imports the row of a table, whose residuals follow. */
static abdb_status begin_entry_or_reject_row(state *s, const text_line *line, abdb_error *err)
{
    const char *word[9], *shape[4];
    double n, seconds, rate, per_gpu = NAN;

    s->has_rows = true;
    s->has_residual = false;
    for (size_t i = 0; i < 9; i++)
        word[i] = abdb_arena_copy(&s->row_arena, i < line->words ? line->word[i] : "",
                                  i < line->words ? strcspn(line->word[i], ")") : 0);
    memcpy(shape, word + 1, sizeof shape);
    n = number_or_nan(shape[0]);
    seconds = number_or_nan(word[5]);
    rate = number_or_nan(word[6]);
    if (strcmp(word[7], "(") == 0) per_gpu = number_or_nan(word[8]);
    if (*word[7] == '(' && word[7][1]) per_gpu = number_or_nan(word[7] + 1);
    if (!(rate > 0) || !(n > 0)) {
        abdb_arena_free(&s->row_arena);
        return line_reject_count_numbers_and_end_row(s->sink, line, "Gflops",
                                                     "no rate: missing, zero or no number", err);
    }
    s->is_open = strlen(word[0]) == 3 && !(per_gpu > 0);
    s->row_line = line->number;
    s->row_text = abdb_arena_copy(&s->row_arena, line->text, strlen(line->text));
    abdb_entry_set_measured_run(s->entry, "hpl", "hpl",
                                abdb_arena_printf(&s->row_arena, "line %ld", line->number),
                                line->number);
    s->entry->field[ABDB_FIELD_dtype] = "fp64"; /* by the benchmark's rules */
    add_shape_factors(s->entry, shape);
    abdb_entry_add_factor_parsing_number(s->entry, "variant", word[0]);
    if (seconds > 0)
        (void)abdb_entry_add_printed_result_or_count_left_out(s->entry, "time_s", "value", word[5],
                                                              ABDB_MARK_POINT, "s");
    (void)abdb_entry_add_printed_result_or_count_left_out(s->entry, "flops_per_s", "value", word[6],
                                                          ABDB_MARK_POINT, "GFLOP/s");
    if (seconds >= 1)
        abdb_entry_mark_rate_not_matching_amount(s->entry, rate, word[6], seconds,
                                                 (2.0 / 3 * n * n * n + 2 * n * n) * 1e-9, 1.05);
    set_devices_and_nodes(s, rate, per_gpu, number_or_nan(shape[2]) * number_or_nan(shape[3]));
    return ABDB_OK;
}

/* "HPL_pdgesv() start time ...", "HPLMXP_pdgesv() ...": the program of the row at hand. */
static void set_program_of_row(state *s, const char *text)
{
    if (strncmp(text, "HPLMXP", 6) == 0) {
        abdb_entry_set_measured_run(s->entry, "hpl-mxp", "hpl-mxp", s->entry->locator, s->row_line);
        s->entry->field[ABDB_FIELD_dtype] = NULL;
    }
    s->is_open = false;
}

/* "||Ax-b||_oo/(eps*(...)*N)=   0.0037027 ...... PASSED" */
static void store_residual(state *s, const char *text)
{
    const char *equals = strrchr(text, '='), *dots = strstr(text, " ...... "), *value;
    const char *verdict;

    if (!equals || !dots || equals > dots) return;
    value = equals + 1 + strspn(equals + 1, " ");
    s->residual = abdb_arena_copy(&s->arena, value, strcspn(value, " "));
    verdict = strncmp(dots + 8, "PASSED", 6) == 0   ? "PASSED"
              : strncmp(dots + 8, "FAILED", 6) == 0 ? "FAILED"
                                                    : NULL;
    if (s->entry->results) {
        set_verdict(s->entry, verdict, s->residual);
        if (!s->has_residual)
            abdb_entry_add_factor_parsing_number(s->entry, "residual", s->residual);
        s->has_residual = true;
        s->residual = NULL;
    } else {
        s->verdict = verdict;
    }
}

/* "GFLOPS = 1.5751e+06, per GPU = 196892.73 ------ ...", "LU GFLOPS = ...": a result of HPL-MxP. */
static abdb_status import_rate_of_mxp(state *s, const text_line *line, const char *text, bool lu,
                                      abdb_error *err)
{
    const char *at = strstr(text, "GFLOPS = ") + 9, *per = strstr(text, "per GPU = ");
    const char *rate = abdb_arena_copy(&s->row_arena, at, strcspn(at, ", ")), *per_gpu = NULL;
    abdb_status st = ABDB_OK;

    s->has_rows = true;
    if (per) {
        per += strlen("per GPU = ");
        per += strspn(per, " ");
        per_gpu = abdb_arena_copy(&s->row_arena, per, strcspn(per, " "));
    }
    if (!(number_or_nan(rate) > 0)) {
        abdb_add_thread_values_read(abdb_has_digit(rate));
        return line_reject_and_end_row(s->sink, line, "GFLOPS",
                                       "no rate: missing, zero or no number", err);
    }
    abdb_entry_set_measured_run(s->entry, "hpl-mxp", "hpl-mxp",
                                abdb_arena_printf(&s->row_arena, "line %ld", line->number),
                                line->number);
    s->entry->field[ABDB_FIELD_scenario] = lu ? "factorisation" : "solution";
    s->entry->field[ABDB_FIELD_dtype] = s->format;
    add_shape_factors(s->entry, s->shape);
    (void)abdb_entry_add_printed_result_or_count_left_out(s->entry, "flops_per_s", "value", rate,
                                                          ABDB_MARK_POINT, "GFLOP/s");
    if (lu)
        (void)abdb_entry_add_printed_result_or_count_left_out(s->entry, "time_s", "mean",
                                                              s->lu_seconds, ABDB_MARK_POINT, "s");
    set_devices_and_nodes(s, number_or_nan(rate), number_or_nan(per_gpu),
                          number_or_nan(s->shape[2]) * number_or_nan(s->shape[3]));
    set_verdict(s->entry, s->verdict, s->residual);
    if (s->residual) abdb_entry_add_factor_parsing_number(s->entry, "residual", s->residual);
    TRY(pass_entry_at_hand(s, err));
    if (lu) s->verdict = s->residual = s->lu_seconds = NULL;
done:
    return st;
}

/* --- what stands before results --------------------------------------------------------------- */

/* "N = 400384, NB = 1024, NPROW = 2, NPCOL = 4, SLOPPY-TYPE = FP16" */
static void store_shape_of_mxp(state *s, const char *text)
{
    static const char *const names[] = {"N = ", "NB = ", "NPROW = ", "NPCOL = ", "SLOPPY-TYPE = "};
    char *value;

    for (int i = 0; i < 5; i++) {
        const char *at = strstr(text, names[i]);

        if (!at) return;
        at += strlen(names[i]);
        value = abdb_arena_copy(&s->arena, at, strcspn(at, ", "));
        if (i < 4) {
            s->shape[i] = value;
            continue;
        }
        if (value && (strcmp(value, "1") == 0 || strcmp(value, "2") == 0))
            value = abdb_arena_printf(&s->arena, *value == '1' ? "fp8" : "fp16");
        for (char *c = value; c && *c; c++) *c = (char)tolower((unsigned char)*c);
        s->format = value;
    }
}

static void set_setting(state *s, const char *name, size_t name_size, const char *text)
{
    size_t size = strcspn(text, "\r");

    while (size && text[size - 1] == ' ') size--;
    while (name_size && name[name_size - 1] == ' ') name_size--;
    if (name_size && size)
        abdb_settings_set_or_count_lost(&s->settings, &s->arena, name, (int)name_size, text,
                                        (int)size);
}

/* "PFACT  :    Left", between "The following parameter values will be used:" and a rule. A list of
 * several values, and the shape, which rows have, is no setting. */
static void store_parameter(state *s, const text_line *line, const char *text)
{
    static const char *const of_row[] = {"N", "NB", "P", "Q", NULL};
    static const char *const lists[] = {"PFACT", "NBMIN", "NDIV", "RFACT", "BCAST", "DEPTH", NULL};
    const char *colon = strchr(text, ':');

    if (strncmp(text, "----", 4) == 0) s->in_parameters = false;
    if (!s->in_parameters || !colon || abdb_text_is_in_list(line->word[0], of_row)) return;
    if (abdb_text_is_in_list(line->word[0], lists) && line->words != 3) return;
    set_setting(s, text, (size_t)(colon - text), colon + 1 + strspn(colon + 1, " "));
}

/* "HPLinpack 2.3  --  ...", "HPL-NVIDIA 24.3.0  -- ...": the program's version. */
static bool store_version_if_title(state *s, const char *text)
{
    static const char *const titles[] = {"HPLinpack ", "HPL-NVIDIA ", "HPL-MxP-NVIDIA ",
                                         "AMD Zen HPL "};

    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++) {
        const char *end = strstr(text, " --");
        size_t size = end ? (size_t)(end - text) : strlen(text);

        if (strncmp(text, titles[i], strlen(titles[i])) != 0) continue;
        if (i == 0)
            set_setting(s, "hplinpack", 9,
                        abdb_arena_copy(&s->arena, text + 10, strcspn(text + 10, " ")));
        else
            set_setting(s, "software", 8, abdb_arena_copy(&s->arena, text, size));
        return true;
    }
    return false;
}

static bool begins_run(const char *text)
{
    return strncmp(text, "HPLinpack ", 10) == 0 || strncmp(text, "HPL-NVIDIA ", 11) == 0 ||
           strncmp(text, "HPL-MxP-NVIDIA ", 15) == 0 || strncmp(text, "AMD Zen HPL ", 12) == 0 ||
           strncmp(text, "INFO: host=", 11) == 0 || strncmp(text, "```", 3) == 0;
}

/* A line that states something of the results that follow. */
static void store_statement(state *s, const text_line *line, const char *text)
{
    const char *from = strstr(text, " from environment variable "), *equals = strstr(text, "= ");

    if (strncmp(text, "INFO: host=", 11) == 0)
        store_place_of_process(s, text);
    else if (store_version_if_title(s, text))
        return;
    else if (strncmp(text, "The following parameter values", 30) == 0)
        s->in_parameters = true;
    else if (s->in_parameters)
        store_parameter(s, line, text);
    else if (from)
        set_setting(s, text, (size_t)(from - text), from + strlen(" from environment variable "));
    else if (strncmp(text, "--", 2) == 0 && equals && isalpha((unsigned char)text[2]))
        set_setting(s, text + 2, (size_t)(equals - text) - 2, equals + 2);
    else if (strncmp(text, "N = ", 4) == 0 && strstr(text, "NPROW = "))
        store_shape_of_mxp(s, text);
    else if (strncmp(text, "LU seconds: AVG = ", 18) == 0)
        s->lu_seconds = abdb_arena_copy(&s->arena, text + 18, strcspn(text + 18, ", "));
    else if (strncmp(text, "Iterative Solver seconds: ", 26) == 0)
        abdb_left_out_count_value(s->left_out, "Iterative Solver seconds");
}

static abdb_status import_line(void *self, const text_line *line, abdb_error *err)
{
    state *s = self;
    const char *text = line->text + strspn(line->text, " \t");
    abdb_status st = ABDB_OK;

    if (is_row(line)) {
        TRY(pass_entry_at_hand(s, err));
        TRY(begin_entry_or_reject_row(s, line, err));
    } else if (s->entry->results && strstr(text, "_pdgesv() ")) {
        set_program_of_row(s, text);
    } else if (strncmp(text, "||Ax-b||", 8) == 0) {
        store_residual(s, text);
    } else if (strncmp(text, "GFLOPS = ", 9) == 0 || strncmp(text, "LU GFLOPS = ", 12) == 0) {
        TRY(pass_entry_at_hand(s, err));
        TRY(import_rate_of_mxp(s, line, text, *text == 'L', err));
    } else {
        if (s->has_rows && begins_run(text)) {
            TRY(pass_entry_at_hand(s, err));
            forget_run(s);
        }
        store_statement(s, line, text);
    }
done:
    return st;
}

static abdb_status import_results_of_log(const abdb_input *in, const abdb_overrides *overrides,
                                         const abdb_sink *sink, abdb_error *err)
{
    state *s = calloc(1, sizeof *s);
    abdb_status st;

    if (!s) return ABDB_FAIL(err, ABDB_NOMEM, "a log");
    s->words = overrides;
    s->sink = sink;
    s->left_out = in->left_out;
    st = lines_deliver_each_with_entry(in, &s->entry, import_line, pass_entry_at_hand, s, err);
    abdb_arena_free(&s->arena);
    abdb_arena_free(&s->row_arena);
    free(s);
    return st;
}

const abdb_importer abdb_import_hpl = {
    "hpl",   "HPL and HPL-MxP as printed: netlib's, NVIDIA's, AMD's",
    1,       NULL,
    hpl_bid, import_results_of_log};

/* import_rvs.c - logs of the ROCm Validation Suite (rvs): gst, iet, tst, pebb, pbqt, babel.
 *
 * How nine logs of 2018 to 2026 by seven authors (MI25, MI210, MI300X, MI355X), and the sources of
 * two versions, disagree:
 * - pebb and pbqt name GPUs "453" until 2019, then "[GPU:: 2 - 453 - 0000:05:00.0]"; "h2d: true"
 *   became "h2d::true", "sec" became "secs". A transfer measured again and again prints its moving
 *   average, at the end its average with "duration:". One that was not measured prints
 *   "(not measured)" or "(pending)". "h2d::true d2h::true" is both ways, and its rate of both.
 * - gst prints the rate of each interval, at the end the largest with "Target GFLOPS: N met: TRUE";
 *   before 2023 "gst ID GFLOPS". A target of 0 is met by anything.
 * - iet prints the power every second and then "pass: TRUE": the largest is what it judges.
 * - babel prints rates as MBytes/sec or MiBytes/sec, with least and mean rates or, before 2024,
 *   times.
 * - The summary of 1.3 and later names the GPUs behind the run (rvs_summary.c); without it the
 *   device is unknown. Levels and times of lines may be cut off.
 * - JSON of rvs (-j) was found in no public place, and is not read.
 * The input row is a line with a rate or a verdict.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/programs/rvs_values.h"

static int rvs_bid(const abdb_input *in)
{
    static const char *const words[] = {"ROCm Validation Suite (RVS) Summary",
                                        "] p2p-bandwidth",
                                        "] pcie-bandwidth",
                                        "Module name :gst",
                                        "] GFLOPS ",
                                        "] Power(W) ",
                                        "GPU Id      Function"};
    size_t size = in->text_size < BID_SIZE ? in->text_size : BID_SIZE;

    if (!memmem(in->text, size, "[RESULT]", 8) && !memmem(in->text, size, "[GPU:: ", 7) &&
        !memmem(in->text, size, words[0], strlen(words[0])))
        return 0;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (memmem(in->text, size, words[i], strlen(words[i]))) return 83;
    return 0;
}

/* --- lines ------------------------------------------------------------------------------------ */

static void forget_run(rvs_log *s)
{
    for (size_t i = 0; i < s->powers; i++)
        abdb_left_out_count_value(s->left_out, "power without a verdict");
    s->powers = 0;
    *s->action = *s->module = *s->dtype = *s->unit = '\0';
    s->in_actions = false;
    s->settings = (abdb_settings){0};
    abdb_arena_free(&s->run_arena);
}

/* "Action name :", "Module name :", lines before babel's table. */
static bool read_heading(rvs_log *s, const char *text)
{
    const char *precision = strstr(text, "Precision: ");

    if (strncmp(text, "Action name :", 13) == 0) {
        snprintf(s->action, sizeof s->action, "%s", rvs_copy_word(s, text + 13));
        *s->unit = *s->dtype = '\0';
        s->settings = (abdb_settings){0};
    } else if (strncmp(text, "Module name :", 13) == 0) {
        snprintf(s->module, sizeof s->module, "%s", rvs_copy_word(s, text + 13));
        *s->unit = '\0';
    } else if (precision) {
        snprintf(s->dtype, sizeof s->dtype, "%s",
                 strncmp(precision + 11, "double", 6) == 0  ? "fp64"
                 : strncmp(precision + 11, "float", 5) == 0 ? "fp32"
                                                            : "");
    } else if (strncmp(text, "Array size: ", 12) == 0) {
        abdb_settings_set_or_count_lost(&s->settings, &s->run_arena, "array_size", 10, text + 12,
                                        (int)strcspn(text + 12, ",\r"));
    } else {
        return rvs_read_heading_of_babel(s, text);
    }
    return true;
}

/* "| action_5 | IET | FAIL |" of the summary. */
static abdb_status import_row_of_summary(rvs_log *s, const text_line *line, const char *text,
                                         abdb_error *err)
{
    char *cell[4] = {NULL};
    size_t cells = 0;
    rvs_line l = {.seconds = -1};
    int verdict;

    for (const char *at = text + 1, *bar; (bar = strchr(at, '|')) != NULL && cells < 4;
         at = bar + 1)
        cell[cells++] = abdb_trim_in_place(abdb_arena_copy(&s->arena, at, (size_t)(bar - at)));
    if (cells == 3 && strcmp(cell[0], "Action Name") == 0) {
        s->in_actions = true;
        return ABDB_OK;
    }
    if (!s->in_actions) return ABDB_OK;
    verdict = cells == 3 ? rvs_verdict_of_word(cell[2]) : -1;
    if (verdict < 0)
        return line_reject_and_end_row(s->sink, line, "Result",
                                       "not an action, a module and PASS or FAIL", err);
    l.action = cell[0];
    return rvs_import_verdict(s, line, &l, cell[1], NULL, verdict, err);
}

/* "gst 453 GFLOPS ...", "smqt 3254 pass: false" and "peqt true" without a GPU in brackets. */
static abdb_status import_line_of_module(rvs_log *s, const text_line *line, const rvs_line *l,
                                         const char *text, abdb_error *err)
{
    const char *module = rvs_copy_word(s, text), *at = text + strlen(module), *gpu = NULL;
    size_t digits;

    at += strspn(at, " ");
    digits = strspn(at, "0123456789");
    if (digits && at[digits] == ' ') {
        gpu = abdb_arena_copy(&s->arena, at, digits);
        at += digits + strspn(at + digits, " ");
    }
    if (strncmp(at, "GFLOPS ", 7) == 0 && gpu) return rvs_import_gflops(s, line, l, gpu, at, err);
    if (strncmp(at, "pass: ", 6) == 0) return rvs_import_pass(s, line, l, module, gpu, at + 6, err);
    if (strcmp(module, "peqt") == 0 && rvs_verdict_of_word(at) >= 0)
        return rvs_import_verdict(s, line, l, module, gpu, rvs_verdict_of_word(at), err);
    return ABDB_OK;
}

static abdb_status import_line_of_action(rvs_log *s, const text_line *line, const rvs_line *l,
                                         abdb_error *err)
{
    const char *text = l->rest, *gpu = rvs_gpu_id_or_null(text, &s->arena, &text);

    if (strncmp(text, "p2p-bandwidth", 13) == 0 || strncmp(text, "pcie-bandwidth", 14) == 0)
        return rvs_import_transfer(s, line, l, text, err);
    if (strncmp(text, "a2a-", 4) == 0) {
        if (strstr(text, "GBps"))
            abdb_left_out_count_value(s->left_out, "rate of all GPUs at once");
        return ABDB_OK;
    }
    if (!gpu) return import_line_of_module(s, line, l, text, err);
    if (strncmp(text, "GFLOPS ", 7) == 0) return rvs_import_gflops(s, line, l, gpu, text, err);
    if (strncmp(text, "Power(W) ", 9) == 0) rvs_note_power(s, l, gpu, text);
    if (strncmp(text, "pass: ", 6) == 0)
        return rvs_import_pass(s, line, l, *s->module ? s->module : NULL, gpu, text + 6, err);
    return ABDB_OK;
}

static abdb_status import_line(void *self, const text_line *line, abdb_error *err)
{
    rvs_log *s = self;
    const char *text = line->text + strspn(line->text, " \t"), *rest;
    rvs_line l;
    abdb_status st = ABDB_OK;

    rvs_line_parse(&l, text, &s->arena);
    if (rvs_line_begins_run(&s->clock, &l, text)) forget_run(s);
    if (*text != '|' && *text != '+') s->in_actions = false;
    if (l.has_level && *l.rest == '[' && !rvs_gpu_id_or_null(l.rest, &s->arena, &rest)) {
        for (size_t i = 0; strstr(text, "Power(W)") && i < s->powers; i++)
            s->power[i].is_damaged = true;
        st = line_reject_and_end_row(s->sink, line, "", "not a time and an action", err);
    } else if (*text == '|')
        st = import_row_of_summary(s, line, text, err);
    else if (l.action)
        st = import_line_of_action(s, line, &l, err);
    else if (!read_heading(s, l.rest) && *s->unit && isdigit((unsigned char)*text))
        st = rvs_import_row_of_babel(s, line, &l, err);
    abdb_arena_clear(&s->arena);
    return st;
}

static abdb_status import_log_of_rvs(const abdb_input *in, const abdb_overrides *overrides,
                                     const abdb_sink *sink, abdb_error *err)
{
    rvs_log *s = calloc(1, sizeof *s);
    abdb_status st = ABDB_OK;

    if (!s) return ABDB_FAIL(err, ABDB_NOMEM, "a log");
    s->words = overrides;
    s->sink = sink;
    s->left_out = in->left_out;
    s->mark = lines_find_decimal_mark_by_number_rows(in);
    TRY(rvs_summaries_read_file(&s->summaries, in, err));
    TRY(lines_deliver_each_with_entry(in, &s->entry, import_line, NULL, s, err));
    forget_run(s);
done:
    rvs_summaries_free(&s->summaries);
    abdb_arena_free(&s->arena);
    abdb_arena_free(&s->run_arena);
    free(s);
    return st;
}

const abdb_importer abdb_import_rvs = {
    "rvs", "ROCm Validation Suite: rates and verdicts", 1, NULL, rvs_bid, import_log_of_rvs};

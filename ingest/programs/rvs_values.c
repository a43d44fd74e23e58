/* rvs_values.c - rates, power and verdicts of RVS; see rvs_values.h. */
#include "ingest/programs/rvs_values.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "ingest/check_entry.h"

/* --- entries ---------------------------------------------------------------------------------- */

static void set_fields(rvs_log *s, const text_line *line, const rvs_line *l, const char *workload,
                       const char *gpu)
{
    abdb_entry *entry = s->entry;
    const char *action = l->action ? l->action : *s->action ? s->action : NULL;
    const abdb_settings *versions =
        rvs_summaries_find_settings_or_null(&s->summaries, line->number, action);

    abdb_entry_set_measured_run(entry, "rvs", workload,
                                abdb_arena_printf(&s->arena, "line %ld", line->number),
                                line->number);
    entry->field[ABDB_FIELD_device] =
        rvs_summaries_find_device_or_null(&s->summaries, line->number, action, gpu);
    if (gpu) entry->field[ABDB_FIELD_devices] = "1";
    abdb_entry_add_factor_parsing_number(entry, "action", action);
    abdb_entry_add_factor_parsing_number(entry, "gpu", gpu);
    if (versions) abdb_entry_add_settings_as_factors(entry, versions, NULL, &s->arena);
}

/* Hands over the entry with its values, or rejects the line for want of them. */
static abdb_status import_or_reject_values(rvs_log *s, const text_line *line, const char *field,
                                           abdb_error *err)
{
    abdb_entry *entry = s->entry;
    abdb_status st;

    if (entry->results)
        st = abdb_entry_check_and_deliver_row(entry, s->words, s->sink, err);
    else
        st = line_reject_and_end_row(s->sink, line, field,
                                     entry->doubt ? entry->doubt : "no number above zero", err);
    abdb_entry_reset(entry);
    return st;
}

/* The entry of a verdict without a value. */
abdb_status rvs_import_verdict(rvs_log *s, const text_line *line, const rvs_line *l,
                               const char *module, const char *gpu, bool pass, abdb_error *err)
{
    abdb_status st;

    set_fields(s, line, l, "rvs", gpu);
    abdb_entry_add_factor_parsing_number(s->entry, "module", module);
    s->entry->field[ABDB_FIELD_status] = pass ? "ok" : "failed";
    s->entry->field[ABDB_FIELD_verified] = pass ? "pass" : "fail";
    if (!pass) s->entry->field[ABDB_FIELD_reason] = "the program's verdict is FALSE or FAIL";
    st = abdb_entry_check_and_deliver_row(s->entry, s->words, s->sink, err);
    abdb_entry_reset(s->entry);
    return st;
}

/* "TRUE", "true", "PASS": 1; their opposites: 0; -1: another word. */
int rvs_verdict_of_word(const char *text)
{
    static const char *const words[][2] = {{"FALSE", "TRUE"}, {"FAIL", "PASS"}};

    for (size_t i = 0; i < 2; i++)
        for (int v = 0; v < 2; v++) {
            size_t size = strlen(words[i][v]);

            if (strncasecmp(text, words[i][v], size) == 0 && !isalnum((unsigned char)text[size]) &&
                !text[size + strspn(text + size, " \t\r.")])
                return v;
        }
    return -1;
}

/* The word at the text, up to a blank. */
const char *rvs_copy_word(rvs_log *s, const char *text)
{
    return abdb_arena_copy(&s->arena, text, strcspn(text, " \t\r"));
}

/* --- modules ---------------------------------------------------------------------------------- */

/* "GFLOPS 1063560 Target GFLOPS: 0 met: TRUE" */
abdb_status rvs_import_gflops(rvs_log *s, const text_line *line, const rvs_line *l, const char *gpu,
                              const char *text, abdb_error *err)
{
    const char *target = strstr(text, "Target GFLOPS: "), *met = strstr(text, " met: ");
    int verdict = met ? rvs_verdict_of_word(met + 6) : -1;
    const char *goal = target ? rvs_copy_word(s, target + 15) : NULL,
               *rate = rvs_copy_word(s, text + 7);
    double least = 0;

    if (!target) {
        abdb_left_out_count_value(s->left_out, "rate of an interval");
        return ABDB_OK;
    }
    set_fields(s, line, l, "gemm", gpu);
    abdb_entry_add_printed_result_or_count_left_out(s->entry, "flops_per_s", "max", rate, s->mark,
                                                    "GFLOP/s");
    abdb_entry_add_factor_normalizing_number(s->entry, "target_gflops", goal, s->mark, &s->arena);
    if (verdict < 0 || !abdb_double_parse(goal, s->mark, &least) ||
        text + 7 + strlen(rate) + 1 != target) {
        abdb_entry_drop_results_as_left_out(s->entry);
        s->entry->doubt =
            s->entry->doubt ? s->entry->doubt : "the line has no target and no verdict";
    } else if (!verdict) {
        s->entry->field[ABDB_FIELD_verified] = "fail";
        abdb_entry_add_mark_and_problem(s->entry, "failed", "the target of %s GFLOPS was not met",
                                        goal);
    } else {
        s->entry->field[ABDB_FIELD_verified] = least > 0 ? "pass" : "unchecked";
    }
    return import_or_reject_values(s, line, "GFLOPS", err);
}

static rvs_power *find_power(rvs_log *s, const char *action, const char *gpu, bool create)
{
    for (size_t i = 0; i < s->powers; i++)
        if (strcmp(s->power[i].action, action) == 0 && strcmp(s->power[i].gpu, gpu) == 0)
            return &s->power[i];
    if (!create || s->powers == POWERS_MAX || strlen(action) >= sizeof s->power->action ||
        strlen(gpu) >= sizeof s->power->gpu)
        return NULL;
    s->power[s->powers] = (rvs_power){.watts = -1};
    snprintf(s->power[s->powers].action, sizeof s->power->action, "%s", action);
    snprintf(s->power[s->powers].gpu, sizeof s->power->gpu, "%s", gpu);
    return &s->power[s->powers++];
}

/* "Power(W) 1398.000000": a reading for the verdict that follows. */
void rvs_note_power(rvs_log *s, const rvs_line *l, const char *gpu, const char *text)
{
    const char *word = rvs_copy_word(s, text + 9), *rest = text + 9 + strlen(word);
    rvs_power *p = find_power(s, l->action ? l->action : s->action, gpu, true);
    double watts;

    if (!p || !abdb_double_parse(word, s->mark, &watts) || !(watts > 0) ||
        strlen(word) >= sizeof p->most || rest[strspn(rest, " \t\r")]) {
        abdb_left_out_count_value(s->left_out, "damaged reading of power");
        if (p) p->is_damaged = true; /* it may have been the largest */
        return;
    }
    p->readings++;
    if (watts <= p->watts) return;
    p->watts = watts;
    snprintf(p->most, sizeof p->most, "%s", word);
}

/* "pass: TRUE" of iet, tst and others. */
abdb_status rvs_import_pass(rvs_log *s, const text_line *line, const rvs_line *l,
                            const char *module, const char *gpu, const char *word, abdb_error *err)
{
    rvs_power *p = gpu ? find_power(s, l->action ? l->action : s->action, gpu, false) : NULL;
    int verdict = rvs_verdict_of_word(word);
    abdb_result *result;

    if (verdict < 0)
        return line_reject_and_end_row(s->sink, line, "pass", "neither TRUE nor FALSE", err);
    if (p && (p->is_damaged || !p->readings)) {
        *p = s->power[--s->powers];
        p = NULL;
    }
    if (!p) return rvs_import_verdict(s, line, l, module, gpu, verdict, err);
    set_fields(s, line, l, "rvs-power", gpu);
    result = abdb_entry_add_printed_result_or_count_left_out(s->entry, "power_w", "max", p->most,
                                                             s->mark, "W");
    if (result) result->n = p->readings;
    abdb_entry_add_factor_parsing_number(s->entry, "power_definition", "counters");
    abdb_entry_add_factor_parsing_number(s->entry, "energy_scope", "gpu");
    s->entry->field[ABDB_FIELD_verified] = verdict ? "pass" : "fail";
    if (!verdict)
        abdb_entry_add_mark_and_problem(s->entry, "failed", "the power of the action was not met");
    *p = s->power[--s->powers];
    return import_or_reject_values(s, line, "Power(W)", err);
}

/* Is "NAME:: true" or "NAME: true" in the text? */
static bool text_has_true(const char *text, const char *name)
{
    const char *at = strstr(text, name);

    if (!at) return false;
    at += strlen(name);
    return strncmp(at + strspn(at, ": "), "true", 4) == 0;
}

/* The operation of a copy between processor and GPU, or of GPUs; NULL: the line has none. */
static const char *operation_of_transfer_or_null(const char *text, bool peers)
{
    bool to = text_has_true(text, "h2d"), from = text_has_true(text, "d2h");

    if (peers) return "device_to_device";
    return to && from ? "bidirectional" : to ? "host_to_device" : from ? "device_to_host" : NULL;
}

/* The two places that a transfer joins, "[CPU:: 0] [GPU:: 2 - 453 - ...]" or "0 453". */
static bool parse_ends_of_transfer(rvs_log *s, const char *text, const char *out[2])
{
    text += strcspn(text, " [");
    text += strspn(text, " ");
    if (*text == '[' && strncmp(text, "[GPU::", 6) != 0 && strncmp(text, "[CPU::", 6) != 0) {
        text = strchr(text, ']'); /* "[ 1/16]" */
        if (!text) return false;
        text += 1 + strspn(text + 1, " ");
    }
    for (int i = 0; i < 2; i++) {
        size_t digits;

        if (strncmp(text, "[CPU::", 6) == 0) {
            text += 6 + strspn(text + 6, " ");
            digits = strspn(text, "0123456789");
            out[i] = abdb_arena_copy(&s->arena, text, digits);
            text += digits + (text[digits] == ']');
        } else if (*text == '[') {
            out[i] = rvs_gpu_id_or_null(text, &s->arena, &text);
            if (!out[i]) return false;
        } else {
            digits = strspn(text, "0123456789");
            out[i] = abdb_arena_copy(&s->arena, text, digits);
            text += digits;
        }
        if (!*out[i]) return false;
        text += strspn(text, " ");
    }
    return true;
}

/* The word before " GBps". NULL: there is none. */
static const char *rate_of_transfer_or_null(rvs_log *s, const char *text)
{
    const char *unit = strstr(text, " GBps"), *begin = unit, *before;

    while (begin && begin > text && begin[-1] != ' ') begin--;
    if (!unit) return NULL;
    for (before = begin; before > text && before[-1] == ' ';) before--;
    /* "true 61.500 GBps": behind another word the number is a part of a damaged one */
    if (before - text < 4 || before[-1] != 'e') return "";
    return abdb_arena_copy(&s->arena, begin, (size_t)(unit - begin));
}

/* "p2p-bandwidth[ 1/56] [GPU:: ...] [GPU:: ...] bidirectional: true 48.9 GBps duration: 0.9 s" */
abdb_status rvs_import_transfer(rvs_log *s, const text_line *line, const rvs_line *l,
                                const char *text, abdb_error *err)
{
    bool peers = *text == 'p' && text[1] == '2', final = strstr(text, "duration:") || l->is_result;
    const char *ends[2] = {NULL, NULL}, *rate = rate_of_transfer_or_null(s, text),
               *operation = operation_of_transfer_or_null(text, peers);

    if (!rate) return ABDB_OK; /* distances, pending and unmeasured transfers */
    if (!final || strstr(text, "GBps (*)")) {
        abdb_left_out_count_value(s->left_out, "moving average of a transfer");
        return ABDB_OK;
    }
    set_fields(s, line, l, "memory-copy", NULL);
    abdb_entry_add_printed_result_or_count_left_out(s->entry, "bytes_per_s", "mean", rate, s->mark,
                                                    "GB/s");
    if (!operation || !parse_ends_of_transfer(s, text, ends)) {
        abdb_entry_drop_results_as_left_out(s->entry);
        s->entry->doubt = "no direction, or not two ends of a transfer";
        return import_or_reject_values(s, line, "transfer", err);
    }
    abdb_entry_add_factor_parsing_number(s->entry, "operation", operation);
    abdb_entry_add_factor_parsing_number(s->entry, "level", "wire");
    s->entry->field[ABDB_FIELD_devices] = peers ? "2" : "1";
    s->entry->field[ABDB_FIELD_device] = rvs_summaries_find_device_or_null(
        &s->summaries, line->number, l->action ? l->action : s->action, ends[1]);
    if (peers) {
        const char *other = rvs_summaries_find_device_or_null(
            &s->summaries, line->number, l->action ? l->action : s->action, ends[0]);

        if (!other || !s->entry->field[ABDB_FIELD_device] ||
            strcmp(other, s->entry->field[ABDB_FIELD_device]) != 0)
            s->entry->field[ABDB_FIELD_device] = NULL; /* a copy between two kinds is of neither */
        abdb_entry_add_factor_parsing_number(s->entry, "gpu", ends[0]);
        abdb_entry_add_factor_parsing_number(s->entry, "peer_gpu", ends[1]);
        abdb_entry_add_factor_parsing_number(
            s->entry, "bidirectional", text_has_true(text, "bidirectional") ? "true" : "false");
    } else {
        abdb_entry_add_factor_parsing_number(s->entry, "numa_node", ends[0]);
        abdb_entry_add_factor_parsing_number(s->entry, "gpu", ends[1]);
    }
    return import_or_reject_values(s, line, "GBps", err);
}

/* "GPU Id      Function    MBytes/sec     Max MB/s ..." */
bool rvs_read_heading_of_babel(rvs_log *s, const char *text)
{
    if (strncmp(text, "GPU Id ", 7) != 0 || !strstr(text, "Function")) return false;
    snprintf(s->unit, sizeof s->unit, "%s",
             strstr(text, "MiBytes/sec")  ? "MiB/s"
             : strstr(text, "MBytes/sec") ? "MB/s"
                                          : "");
    s->rates = strstr(text, "Max M") != NULL;
    return true;
}

/* "42583       Triad       6031416.066    6031416.066    5879289.313    5950804.403" */
abdb_status rvs_import_row_of_babel(rvs_log *s, const text_line *line, const rvs_line *l,
                                    abdb_error *err)
{
    static const char *const rate[] = {"max", "max", "min", "mean"}, *const time[] = {"max", "min",
                                                                                      "max",
                                                                                      "mean"};
    char operation[24];
    size_t i;

    if (line->words != 6)
        return line_reject_count_numbers_and_end_row(s->sink, line, "", "not six columns", err);
    set_fields(s, line, l, "babelstream", line->word[0]);
    for (i = 0; i < sizeof operation - 1 && line->word[1][i]; i++)
        operation[i] = (char)tolower((unsigned char)line->word[1][i]);
    operation[i] = '\0';
    abdb_entry_add_factor_parsing_number(s->entry, "operation", operation);
    s->entry->field[ABDB_FIELD_dtype] = *s->dtype ? s->dtype : NULL;
    abdb_entry_add_settings_as_factors(s->entry, &s->settings, NULL, &s->arena);
    for (i = 0; i < 4; i++) {
        if (s->rates && i == 0 && strcmp(line->word[2], line->word[3]) == 0) {
            abdb_left_out_count_value(s->left_out, "best rate, printed twice");
            continue;
        }
        abdb_entry_add_printed_result_or_count_left_out(
            s->entry, s->rates || !i ? "bytes_per_s" : "time_s",
            s->rates ? i ? rate[i] : "value" : time[i], line->word[2 + i], s->mark,
            s->rates || !i ? s->unit : "s");
    }
    return import_or_reject_values(s, line, "MBytes/sec", err);
}

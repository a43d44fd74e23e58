/* accuracy_file.c - scores of accuracy.txt, which MLPerf's accuracy scripts print and submitters
 * keep; see mlperf_log.h.
 *
 * How 90 files of v0.7 to v5.1 and the patterns of the submission checker disagree: the scores
 * stand at the end, after megabytes of progress bars and earlier scores, or, of BERT, in the first
 * line before its log; they are a dictionary of Python, with numbers quoted or not, one of JSON
 * with double quotes, or words ("accuracy=76.000%, good=380, total=500", "mAP=49.593%"). A last
 * line "hash=" seals the log of the run. Percent are percent, fractions fractions, as each script
 * prints them and as MLCommons' tables keep them. */
#include "ingest/mlperf/mlperf_log.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { PART = 8192 }; /* scores are looked for in so many bytes at the end, then at the beginning */

/* Appends "NAME: value" for a score that MLPerf's accuracy scripts print, under the checker's name
 * for it. */
static void append_score_if_name_is_known(abdb_text *out, const char *name, const char *value,
                                          size_t size)
{
    static const struct {
        const char *from, *to;
    } names[] = {{"rouge1", "ROUGE1"},
                 {"rouge2", "ROUGE2"},
                 {"rougeL", "ROUGEL"},
                 {"rougeLsum", "ROUGELSUM"},
                 {"gsm8k", "gsm8k_accuracy"},
                 {"mbxp", "mbxp_accuracy"},
                 {"tokens_per_sample", "TOKENS_PER_SAMPLE"},
                 {"exact_match", "exact_match"},
                 {"FID_SCORE", "FID_SCORE"},
                 {"CLIP_SCORE", "CLIP_SCORE"},
                 {"gen_len", "GEN_LEN"},
                 {"f1", "F1"},
                 {"accuracy", "acc"},
                 {"mean-accuracy", "meanAcc"},
                 {"vbench_score", "vbench_score"},
                 {"Total", "mAP"}};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i].from) == 0)
            abdb_text_printf(out, "%s%s: %.*s", out->size ? "  " : "", names[i].to, (int)size,
                             value);
}

/* Does a number end at the text: by the end of its member, not by a blank or a decimal comma? */
static bool number_ends_here(const char *text)
{
    return *text == '}' || (*text == ',' && !isdigit((unsigned char)text[1]));
}

/* "{'rouge1': 44.4, 'rouge2': '22.0', ...}" and {"exact_match": 83.6, "f1": 90.8}. False: a number
 * is torn, or the dictionary is. */
static bool append_scores_of_dictionary(abdb_text *out, const char *text, char quote)
{
    if (!strchr(text, '}')) return false;
    while ((text = strchr(text, quote))) {
        char key[40];
        const char *end = strchr(text + 1, quote), *value;
        size_t name = end ? (size_t)(end - text) - 1 : 0, digits;

        if (!end || name >= sizeof key) return true;
        snprintf(key, sizeof key, "%.*s", (int)name, text + 1);
        value = end + 1 + strspn(end + 1, " ");
        if (*value == ':') {
            value += 1 + strspn(value + 1, " ");
            value += *value == quote;
            value += *value == '+';
            digits = strspn(value, "0123456789.eE+-");
            if (digits && digits < 40 && (isdigit((unsigned char)*value) || *value == '.'))
                append_score_if_name_is_known(out, key, value, digits);
            value += digits + (value[digits] == quote);
            if (digits && !number_ends_here(value)) return false;
        }
        text = value;
    }
    return true;
}

/* Appends the accuracy that a line of accuracy.txt prints in one of the forms known, as "name:
 * value". */
static void append_accuracy_in_line(abdb_text *out, const char *line)
{
    static const struct {
        const char *words, *name;
    } forms[] = {{"Word Error Rate:", NULL}, /* its accuracy stands behind */
                 {"accuracy=", "acc"},
                 {"mAP=", "mAP"},
                 {"AUC=", "AUC"},
                 {"Accuracy: mean = ", "DICE"},
                 {"BLEU: ", "bleu"},
                 {"metric/lifetime_ne/rating: ", "DLRM_NE"},
                 {"metric/lifetime_accuracy/rating: ", "DLRM_ACC"},
                 {"metric/lifetime_gauc/rating: ", "DLRM_AUC"},
                 {"Total: ", NULL}};

    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        const char *at = strstr(line, forms[i].words), *number;
        size_t digits;

        if (!at) continue;
        if (!forms[i].name) {
            at = strstr(line, "accuracy=");
            if (!at) return;
            number = at + 9;
        } else
            number = at + strlen(forms[i].words);
        digits = strspn(number, "0123456789.eE+-");
        if (digits && digits < 40 &&
            (number[digits] != ',' || !isdigit((unsigned char)number[digits + 1])))
            abdb_text_printf(out, "%s%s: %.*s", out->size ? "  " : "",
                             forms[i].name ? forms[i].name : "ACCURACY", (int)digits, number);
        return;
    }
}

/* The scores of a part of the file: of several dictionaries the last, which is the whole. */
static void append_scores_of_part(abdb_text *out, char *part, size_t size)
{
    char *rest = NULL;
    bool dictionary = false;

    for (size_t i = 0; i < size; i++)
        if (!part[i]) part[i] = ' ';
    for (char *line = strtok_r(part, "\r\n", &rest); line; line = strtok_r(NULL, "\r\n", &rest)) {
        const char *single = strstr(line, "{'"), *twofold = strstr(line, "{\"");
        abdb_text scores = {0};

        if ((single || twofold) &&
            !append_scores_of_dictionary(&scores, single ? single : twofold, single ? '\'' : '"')) {
            abdb_text_clear(out); /* of a torn one no score, nor of those before it */
        } else if (scores.size) {
            abdb_text_clear(out);
            abdb_text_add(out, scores.data, scores.size);
            dictionary = true;
        } else if (!dictionary && (!out->size || strstr(line, "metric/lifetime_"))) {
            append_accuracy_in_line(out, line);
        }
        abdb_text_free(&scores);
    }
}

abdb_status abdb_mlperf_append_scores_of_accuracy_file(abdb_mlperf_values *out,
                                                       const abdb_input *in, abdb_error *err)
{
    size_t size = in->text_size < PART ? in->text_size : PART;
    abdb_text text = {0};
    abdb_status st = ABDB_OK;

    for (int at_end = 1; at_end >= 0 && !text.size; at_end--) {
        const char *begin = at_end ? in->text + in->text_size - size : in->text;
        char *part = abdb_arena_copy(out->arena, begin, size);

        if (part) append_scores_of_part(&text, part, size);
    }
    if (text.failed) st = ABDB_FAIL(err, ABDB_NOMEM, "accuracy");
    if (!st && text.size)
        st = abdb_mlperf_append_trimmed_value_or_count_lost(out, "accuracy", abdb_text_get(&text),
                                                            err);
    abdb_text_free(&text);
    return st;
}

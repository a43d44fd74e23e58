/* tiny_log.c - results.txt of Tiny; see mlperf_log.h. */
#include <stdio.h>
#include <string.h>

#include "ingest/mlperf/mlperf_log.h"
#include "ingest/read/text_lines.h"

/* The number behind a label and blanks, as text: from out, or NULL. */
static const char *copy_number_behind_label(const char *line, const char *label, char out[40])
{
    const char *at = strstr(line, label);

    if (!at) return NULL;
    at += strlen(label);
    at += strspn(at, " ");
    snprintf(out, 40, "%.*s", (int)strspn(at, "0123456789.eE+-"), at);
    return *out ? out : NULL;
}

/* Keeps the number of a line of results.txt: throughput, energy, top-1 accuracy or AUC. */
static abdb_status append_value_of_tiny_line(void *self, const text_line *line, abdb_error *err)
{
    static const struct {
        const char *words, *key;
    } table[] = {{"Throughput", "throughput"}, {"Energy", "energy"}};
    char number[40], accuracy[48];

    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        const char *at = strstr(line->text, table[i].words), *text;

        text = at ? copy_number_behind_label(at, ":", number) : NULL;
        if (text)
            return abdb_mlperf_append_trimmed_value_or_count_lost(self, table[i].key, text, err);
    }
    if (copy_number_behind_label(line->text, "Top-1:", number)) {
        snprintf(accuracy, sizeof accuracy, "acc: %s", number);
        return abdb_mlperf_append_trimmed_value_or_count_lost(self, "accuracy", accuracy, err);
    }
    return copy_number_behind_label(line->text, "AUC:", number)
               ? abdb_mlperf_append_trimmed_value_or_count_lost(self, "auc", number, err)
               : ABDB_OK;
}

abdb_status abdb_mlperf_read_tiny_log(abdb_mlperf_values *out, const abdb_input *in,
                                      abdb_error *err)
{
    return lines_deliver_each_without_mark(in, append_value_of_tiny_line, out, err);
}

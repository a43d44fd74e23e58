/* import_mlperf_accuracy.c - accuracy.txt of an MLPerf benchmark by itself, outside of a round's
 * folders: its scores are the quality of a configuration that the user names. accuracy_file.c has
 * how files disagree; none names model, device or number format. The input row is the file. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/mlperf/mlperf_row.h"
#include "ingest/mlperf/round.h"
#include "ingest/read/text_lines.h"

typedef struct {
    size_t hashes, words;
    abdb_settings settings; /* other numbers of the scores' line */
    abdb_arena arena;
} state;

/* "hash=fc0f74...": hexadecimal digits and no more. */
static bool line_is_hash(const char *text)
{
    size_t digits = strncmp(text, "hash=", 5) == 0 ? strspn(text + 5, "0123456789abcdef") : 0;

    return digits && !text[5 + digits + strspn(text + 5 + digits, " \t\r")];
}

/* Is it a line of scores that no other program prints? */
static bool line_has_scores(const char *text)
{
    return (strncmp(text, "accuracy=", 9) == 0 && strstr(text, "%, good=")) ||
           (strncmp(text, "AUC=", 4) == 0 && strchr(text, '%')) ||
           strncmp(text, "{'rouge1': ", 11) == 0 || strncmp(text, "{\"exact_match\": ", 16) == 0 ||
           (strncmp(text, "{'exact_match': ", 16) == 0 && strstr(text, "'gen_num'")) ||
           (strncmp(text, "mAP=", 4) == 0 && strchr(text, '%')) ||
           (strncmp(text, "Word Error Rate: ", 17) == 0 && strstr(text, ", accuracy=")) ||
           strncmp(text, "Accuracy: mean = ", 17) == 0 ||
           (strncmp(text, "Accuracy Results: {'", 20) == 0 && strstr(text, "_SCORE'"));
}

/* Numbers beside the scores: "good=380, total=500", "'gen_num': 24576". */
static void note_numbers_of_line(state *s, const char *text)
{
    static const char *const names[] = {
        "good=", "total=", "'gen_num': ", "'gen_tok_len': ", "Word Error Rate: ", NULL};

    for (size_t i = 0; names[i]; i++) {
        const char *at = strstr(text, names[i]), *name = names[i] + (names[i][0] == '\'');
        size_t digits = at ? strspn(at + strlen(names[i]), "0123456789.,eE+-%") : 0;

        while (digits && strchr(",.", at[strlen(names[i]) + digits - 1])) digits--;
        if (digits)
            abdb_settings_set_or_count_lost(&s->settings, &s->arena, name,
                                            (int)strcspn(name, "=':"), at + strlen(names[i]),
                                            (int)digits);
    }
}

static abdb_status note_line(void *self, const text_line *line, abdb_error *err)
{
    state *s = self;

    (void)err;
    if (line_is_hash(line->text)) s->hashes++;
    if (line_has_scores(line->text)) {
        s->words += strncmp(line->text, "{'", 2) != 0; /* of dictionaries the last is the whole */
        note_numbers_of_line(s, line->text);
    }
    return ABDB_OK;
}

static int mlperf_accuracy_bid(const abdb_input *in)
{
    const char *end = in->text + in->text_size,
               *begin = end - (in->text_size < 8192 ? in->text_size : 8192);
    const char *parts[2][2] = {
        {begin, end}, {in->text, in->text + (in->text_size < 8192 ? in->text_size : 8192)}};

    for (int i = 0; i < 2; i++)
        for (const char *at = parts[i][0]; at && at < parts[i][1];) {
            const char *stop = memchr(at, '\n', (size_t)(parts[i][1] - at));
            size_t size = (size_t)((stop ? stop : parts[i][1]) - at);
            char line[512];

            if (size < sizeof line) {
                memcpy(line, at, size);
                line[size] = '\0';
                if (strlen(line) == size && line_has_scores(line)) return 84;
            }
            at = stop ? stop + 1 : NULL;
        }
    return 0;
}

static abdb_status import_or_reject_accuracy(const abdb_input *in, const abdb_overrides *overrides,
                                             const abdb_sink *sink, abdb_error *err)
{
    abdb_entry *entry = calloc(1, sizeof *entry);
    state s = {0};
    abdb_mlperf_values values = {.arena = &s.arena};
    const char *scores, *model = abdb_overrides_get_value_or_null(overrides, "model");
    abdb_reject reject = {.field = "accuracy", .reason = "no score above zero"};
    abdb_status st = ABDB_OK;

    if (!entry) return ABDB_FAIL(err, ABDB_NOMEM, "an entry");
    TRY(lines_deliver_each_without_mark(in, note_line, &s, err));
    TRY(abdb_mlperf_append_scores_of_accuracy_file(&values, in, err));
    scores = abdb_mlperf_get_first_value(&values, "accuracy");
    if (s.hashes > 1 || s.words > 1) {
        st = ABDB_FAIL(err, ABDB_DATA, "the scores of several runs in one file: import each alone");
        goto done;
    }
    if (scores) {
        abdb_entry_set_measured_run(entry, "mlperf-logs", model ? model : "mlperf-accuracy",
                                    "accuracy", 0);
        entry->field[ABDB_FIELD_suite] = "inference";
        abdb_mlperf_add_accuracy_results_or_count_left_out(entry, &s.arena, scores,
                                                           ABDB_MARK_POINT);
        abdb_entry_add_settings_as_factors(entry, &s.settings, NULL, &s.arena);
    }
    if (entry->results) {
        abdb_entry_apply_overrides_and_check(entry, overrides);
        TRY(sink->entry(sink->self, entry, err));
    } else {
        TRY(sink->reject(sink->self, &reject, err));
    }
    TRY(sink->row_end(sink->self, err));
done:
    abdb_arena_free(&s.arena);
    free(entry);
    return st;
}

const abdb_importer abdb_import_mlperf_accuracy = {
    "mlperf-accuracy",   "accuracy.txt of MLPerf: scores", 1, NULL,
    mlperf_accuracy_bid, import_or_reject_accuracy};

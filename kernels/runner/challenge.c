/* challenge.c - seeds that a program gets between its samples, and its answers; see challenge.h. */
#include "kernels/runner/challenge.h"

#include <stdio.h>
#include <string.h>
#include <sys/random.h>

#include "kernels/runner/record_line.h"
#include "kernels/runner/recount_work.h"

enum { ROWS_CHECKED = 4, ROWS_MOST = 40000 };

void abdb_challenge_clear(abdb_challenge *c)
{
    for (size_t i = 0; i < c->answers; i++) json_decref(c->answer[i].rows);
    *c = (abdb_challenge){.asked = c->asked};
}

bool abdb_challenge_has_kind(const char *kind)
{
    return strcmp(kind, "ready") == 0 || strcmp(kind, "answer") == 0;
}

bool abdb_challenge_suits_cell(const abdb_cell *cell)
{
    static const char *const none[] = {"beta", "epilogue", "batch", NULL};

    for (size_t i = 0; none[i]; i++)
        if (abdb_cell_param_text(cell, none[i])) return false;
    return strcmp(cell->kernel, "gemm") == 0;
}

const char *abdb_challenge_take_record(abdb_challenge *c, const char *kind, const json_t *record,
                                       size_t samples)
{
    json_t *rows = json_object_get(record, "rows");

    if (strcmp(kind, "ready") == 0) {
        c->ready = true;
        return c->seed ? "ready again before the answer" : NULL;
    }
    if (!c->seed || json_integer_value(json_object_get(record, "seed")) != c->seed)
        return "an answer of no seed that it was given";
    if (!json_array_size(rows) || json_array_size(rows) > ROWS_MOST)
        return "an answer without digests of rows";
    if (samples == c->samples_at_seed) return "an answer without a sample since its seed";
    c->answer[c->answers].seed = c->seed;
    c->answer[c->answers++].rows = json_incref(rows);
    c->seed = 0;
    return NULL;
}

/* Random bits; 0 where the system gives none. */
static unsigned long long draw_random_bits(void)
{
    unsigned long long bits = 0;

    return getrandom(&bits, sizeof bits, 0) == (ssize_t)sizeof bits ? bits : 0;
}

abdb_status abdb_challenge_send_seed_if_ready(abdb_challenge *c, size_t samples, abdb_child *child,
                                              abdb_error *err)
{
    char line[64] = "{}\n";
    abdb_status st;

    if (!c->ready) return ABDB_OK;
    c->ready = false;
    c->seed = c->answers < ABDB_CHALLENGE_MOST ? (long long)(draw_random_bits() >> 12) : 0;
    c->samples_at_seed = samples;
    if (c->seed) snprintf(line, sizeof line, "{\"seed\":%lld}\n", c->seed);
    st = abdb_child_write_with_timeout(child, line, ABDB_GRACE_S, err);
    return st == ABDB_BACKEND || st == ABDB_LIMIT ? ABDB_OK : st;
}

/* Compares some random rows of an answer; why is "" where they are right. */
static abdb_status check_some_rows(const abdb_challenge *c, size_t at, const abdb_run_options *run,
                                   const char *counter, const abdb_cell *cell, const json_t *result,
                                   bool *known, char why[160], abdb_error *err)
{
    const json_t *said = c->answer[at].rows, *is;
    json_t *extra = json_object(), *asked = json_array(), *answer = NULL;
    size_t rows = json_array_size(said), row[ROWS_CHECKED];
    char status[32];
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < ROWS_CHECKED; i++) {
        row[i] = draw_random_bits() % rows;
        json_array_append_new(asked, json_integer((json_int_t)row[i]));
    }
    json_object_set_new(extra, "seed", json_integer(c->answer[at].seed));
    json_object_set_new(extra, "rows", asked);
    TRY(abdb_ask_work_counter(run, counter, cell, result, extra, &answer, status, err));
    is = json_object_get(answer, "digests");
    *known = json_array_size(is) == ROWS_CHECKED;
    if (*known && (size_t)json_integer_value(json_object_get(answer, "of")) != rows)
        snprintf(why, 160, "of %zu rows, where the product has others", rows);
    for (size_t i = 0; *known && !*why && i < ROWS_CHECKED; i++)
        if (!json_equal(json_array_get(said, row[i]), json_array_get(is, i)))
            snprintf(why, 160, "row %zu of the product of seed %lld is wrong", row[i],
                     c->answer[at].seed);
done:
    json_decref(answer);
    json_decref(extra);
    return st;
}

abdb_status abdb_challenge_check_answers(const abdb_challenge *c, const abdb_run_options *run,
                                         const char *counter, const abdb_cell *cell,
                                         const json_t *result, bool *right, char why[160],
                                         abdb_error *err)
{
    bool known = true;
    abdb_status st = ABDB_OK;

    *why = '\0';
    for (size_t i = 0; i < c->answers && known && !*why; i++)
        TRY(check_some_rows(c, i, run, counter, cell, result, &known, why, err));
done:
    *right = st == ABDB_OK && known && !*why && c->answers >= ABDB_CHALLENGE_LEAST;
    return st;
}

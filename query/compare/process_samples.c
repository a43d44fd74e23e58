/* process_samples.c - the processes behind one side of a pair; see process_samples.h. */
#include "query/compare/process_samples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "schema/core/array.h"
#include "schema/core/stats.h"

/* Appends a process. ABDB_DATA: it has no id, no campaign or no finite value. */
static abdb_status append_process_value(abdb_processes *p, abdb_process_value value,
                                        abdb_error *err)
{
    abdb_process_value *more;

    if (!value.id || !value.campaign || !isfinite(value.value))
        return ABDB_FAIL(err, ABDB_DATA, "a process without a number");
    more = abdb_array_reserve_one(p->one, p->count, &p->capacity, sizeof *more);
    if (!more) return ABDB_FAIL(err, ABDB_NOMEM, "processes");
    p->one = more;
    p->one[p->count++] = value;
    return ABDB_OK;
}

void abdb_processes_free(abdb_processes *p)
{
    free(p->one);
    *p = (abdb_processes){0};
}

/* --- one result ------------------------------------------------------------------------------- */

/* Its samples in seconds, or none: of its own times, or (of a rate) of the times of the same run.
 * Of a run on several ranks only rank 0 counts. */
static abdb_status load_sample_times_of_rank_0(abdb_comparison *c, const abdb_set *set,
                                               size_t member, bool is_time, double **out, size_t *n,
                                               abdb_error *err)
{
    abdb_binds binds = {0};
    abdb_table t = {0};
    abdb_status st = ABDB_OK;

    *n = 0;
    *out = NULL;
    (void)abdb_bind_add_text(&binds, abdb_member_text(set, member, ABDB_M_result_id));
    TRY(abdb_query_to_table(
        c->db,
        is_time ? "SELECT value FROM sample WHERE result_id = CAST(?1 AS INTEGER)"
                  " AND coalesce(rank, 0) < 1 AND value > 0"
                : "SELECT s.value FROM result o JOIN result r ON r.entry_id = o.entry_id"
                  " JOIN sample s ON s.result_id = r.result_id WHERE o.result_id ="
                  " CAST(?1 AS INTEGER) AND r.metric = 'time_s'"
                  " AND coalesce(s.rank, 0) < 1 AND s.value > 0",
        &binds, &t, err));
    if (!t.rows) goto done;
    *out = calloc(t.rows, sizeof **out);
    if (!*out) TRY(ABDB_FAIL(err, ABDB_NOMEM, "samples"));
    for (size_t i = 0; i < t.rows; i++) (*out)[(*n)++] = abdb_cell_number_or_nan(&t, i, 0);
done:
    abdb_table_free(&t);
    return st;
}

/* The number of a process among the repetitions of its command; 0: unknown. */
static abdb_status load_repetition_number(abdb_comparison *c, const char *process, long *out,
                                          abdb_error *err)
{
    abdb_binds binds = {0};
    abdb_table t = {0};
    abdb_status st;

    *out = 0;
    if (!*process) return ABDB_OK;
    (void)abdb_bind_add_text(&binds, process);
    st = abdb_query_to_table(
        c->db, "SELECT repetition FROM process WHERE process_id = CAST(?1 AS INTEGER)", &binds, &t,
        err);
    if (st == ABDB_OK && t.rows) *out = (long)abdb_cell_number_or_nan(&t, 0, 0);
    abdb_table_free(&t);
    return st;
}

/* Is each sample a process of its own, as from a program that times commands? */
static bool each_sample_is_a_process(const abdb_member *m)
{
    const abdb_member_factor *t = abdb_member_find_factor(m, "sample_unit");

    return t && t->state == ABDB_KNOWN && strcmp(t->text, "process") == 0;
}

/* Appends the process of one result, by the median of its samples, or, where each sample is a
 * process of its own, all samples. An unsteady or imprecise result is counted as doubtful
 * instead. */
static abdb_status append_processes_of_result_or_count_doubtful(abdb_processes *out,
                                                                abdb_comparison *c,
                                                                const abdb_set *set, size_t at,
                                                                abdb_error *err)
{
    bool is_time = strcmp(abdb_member_text(set, at, ABDB_M_metric), "time_s") == 0;
    const char *flags = abdb_member_text(set, at, ABDB_M_flags);
    const char *process =
        abdb_arena_printf(&c->arena, "%s", abdb_member_text(set, at, ABDB_M_process_id));
    const abdb_member_factor *program = abdb_member_find_factor(&set->member[at], "command");
    abdb_process_value v = {.campaign = abdb_member_text(set, at, ABDB_M_campaign), .program = ""};
    abdb_summary summary;
    double *times = NULL;
    size_t n;
    abdb_status st = ABDB_OK;

    if (!process) return ABDB_FAIL(err, ABDB_NOMEM, "a process");
    TRY(load_sample_times_of_rank_0(c, set, at, is_time, &times, &n, err));
    out->sampled &= n > 0;
    if (!n) goto done;
    if (abdb_list_has_word(flags, ' ', "unsteady", 8) ||
        abdb_list_has_word(flags, ' ', "imprecise", 9)) {
        out->doubtful++;
        goto done;
    }
    if (program && program->state == ABDB_KNOWN) v.program = program->text;
    TRY(load_repetition_number(c, process, &v.repetition, err));
    if (each_sample_is_a_process(&set->member[at]) && is_time && !v.repetition) {
        for (size_t i = 0; i < n; i++) {
            v.id = abdb_arena_printf(&c->arena, "%s.%zu",
                                     abdb_member_text(set, at, ABDB_M_entry_id), i);
            v.value = log(times[i]);
            TRY(append_process_value(out, v, err));
        }
        goto done;
    }
    TRY(abdb_sort_and_summarise(times, n, &summary, err));
    v.id = *process
               ? abdb_arena_printf(&c->arena, "p%s", process)
               : abdb_arena_printf(&c->arena, "e%s", abdb_member_text(set, at, ABDB_M_entry_id));
    v.value = log(is_time ? summary.median : set->member[at].value);
    TRY(append_process_value(out, v, err));
done:
    free(times);
    return st;
}

/* --- a side ----------------------------------------------------------------------------------- */

static int compare_campaign_repetition_id(const void *a, const void *b)
{
    const abdb_process_value *x = a, *y = b;
    int order = strcmp(x->campaign, y->campaign);

    if (!order) order = (x->repetition > y->repetition) - (x->repetition < y->repetition);
    return order ? order : strcmp(x->id, y->id);
}

/* Values of one process become one: their mean. They are sorted, so equal keys stand together;
 * afterwards campaigns are counted. */
static void average_equal_processes_count_campaigns(abdb_processes *p)
{
    size_t kept = 0;

    for (size_t i = 0, end; i < p->count; i = end) {
        double sum = 0;

        for (end = i;
             end < p->count && compare_campaign_repetition_id(&p->one[i], &p->one[end]) == 0; end++)
            sum += p->one[end].value;
        p->one[kept] = p->one[i];
        p->one[kept++].value = sum / (double)(end - i);
    }
    p->count = kept;
    for (size_t i = 0; i < kept; i++)
        p->commands += !i || strcmp(p->one[i].campaign, p->one[i - 1].campaign) != 0;
}

abdb_status abdb_processes_load_of_side(abdb_processes *out, abdb_comparison *c, abdb_side side,
                                        abdb_error *err)
{
    abdb_status st = ABDB_OK;

    *out = (abdb_processes){.sampled = true};
    for (size_t i = 0; i < side.group->count && out->sampled; i++) {
        size_t at = side.group->member[i];
        const abdb_member *m = &side.set->member[at];

        if (m->why || !isfinite(m->value)) continue;
        if (!(m->value > 0) ||
            strcmp(abdb_member_text(side.set, at, ABDB_M_evidence), "measured") != 0)
            out->sampled = false;
        else
            TRY(append_processes_of_result_or_count_doubtful(out, c, side.set, at, err));
    }
    if (!out->sampled) out->count = 0;
    if (!out->count && !out->doubtful) out->sampled = false;
    abdb_array_sort(out->one, out->count, sizeof *out->one, compare_campaign_repetition_id);
    average_equal_processes_count_campaigns(out);
done:
    if (st != ABDB_OK) abdb_processes_free(out);
    return st;
}

size_t abdb_processes_count_unpaired(const abdb_processes *p)
{
    size_t alone = 0;

    for (size_t i = 0; i < p->count; i++) alone += !p->one[i].in_turn;
    return alone;
}

bool abdb_processes_find_two_programs(const abdb_processes *p, bool paired_only, const char **first,
                                      const char **second)
{
    const abdb_process_value *one = NULL;

    for (size_t i = 0; i < p->count; i++) {
        if (paired_only && !p->one[i].in_turn) continue;
        if (!one) one = &p->one[i];
        if (strcmp(one->program, p->one[i].program) == 0) continue;
        *first = one->program;
        *second = p->one[i].program;
        return true;
    }
    return false;
}

/* The mean of the repetition that begins at *at, which moves on. */
static double mean_of_repetition_and_advance(const abdb_processes *p, size_t *at)
{
    const abdb_process_value *first = &p->one[*at];
    double sum = 0;
    size_t n = 0;

    for (; *at < p->count && p->one[*at].repetition == first->repetition &&
           strcmp(p->one[*at].campaign, first->campaign) == 0;
         ++*at, n++)
        sum += p->one[*at].value;
    return sum / (double)n;
}

static void mark_processes_paired(abdb_processes *p, size_t from, size_t end)
{
    while (from < end) p->one[from++].in_turn = true;
}

size_t abdb_processes_pair_repetition_means(abdb_processes *a, abdb_processes *b, double *x,
                                            double *y)
{
    size_t i = 0, k = 0, count = 0;

    while (i < a->count && k < b->count) {
        int order = strcmp(a->one[i].campaign, b->one[k].campaign);
        size_t a_from = i, b_from = k;
        double left, right;

        if (!order)
            order = (a->one[i].repetition > b->one[k].repetition) -
                    (a->one[i].repetition < b->one[k].repetition);
        left = order <= 0 ? mean_of_repetition_and_advance(a, &i) : 0;
        right = order >= 0 ? mean_of_repetition_and_advance(b, &k) : 0;
        if (order || !a->one[i - 1].repetition) continue;
        mark_processes_paired(a, a_from, i);
        mark_processes_paired(b, b_from, k);
        x[count] = left;
        y[count++] = right;
    }
    return count;
}

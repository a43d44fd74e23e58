/* sample_watch.c - checks outputs between samples, untimed and at moments that no kernel can
 * foresee, since verification runs only before the first sample and after the last; see harness.h.
 * // On the host some elements of the outputs are spoiled before a sample, or one element of an
 * input is changed: afterwards they must be as in the verified launch, or one row must match the
 * reference of the changed input. All outputs are also digested. Problems with tensors both read
 * and written, or on another device, are reset and launched once more instead. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/harness/harness.h"

enum { SPOTS = 64, ELEMENT = 8, LOOKS = 3, WINDOW = 4 };
/* Of the cell's time, at most at_once_s before the watch included, looks take at most `share`,
 * launches after the last sample `share_after` and the time that looks did not use. A reference row
 * has row_ops_most operations at most. Each long sample is looked at, short ones seldom, so that
 * most samples find their caches undisturbed and the median stays the same. */
static const double share = 0.004, share_after = 0.006, row_ops_most = 1e7, short_sample_s = 1e-3,
                    long_sample_s = 1e-2, at_once_s = 1;

typedef struct {
    unsigned char *at, expected[ELEMENT];
    size_t size;
    bool floating;
} spoiled_element;

struct abdb_sample_watch {
    abdb_instance *c;
    uint64_t random;
    double began_s, spent_s, digest_s, relaunch_s, check_s;
    uint64_t digest;                /* of the outputs of the verified launch */
    bool same_bits;                 /* all launches so far had that digest */
    bool relaunches;                /* instead of a look at a sample's own output */
    spoiled_element spot[2][SPOTS]; /* two draws, in turn, to find kernels that skip one element */
    size_t spots[2], seen;
    int draw;
    size_t last, looks; /* one of the samples before `last` is looked at in any case */
    /* One element of an input, its changed value, and the expected row of an output for it. */
    unsigned char *input, was[ELEMENT], becomes[ELEMENT];
    size_t input_size, row;
    int output;
    double *row_want, *row_magnitude;
    bool spoiled, changed; /* for the sample at hand */
    bool ended;            /* there are no more samples */
};

static uint64_t draw_random_below(abdb_sample_watch *w, uint64_t n)
{
    return (abdb_xorshift64_next(&w->random) >> 11) % n;
}

/* Outputs as they lie in the host's memory. */
static uint64_t digest_outputs(const abdb_instance *c)
{
    uint64_t sum = 0;

    for (int i = 0; i < c->p.tensors; i++) {
        const abdb_tensor *t = &c->back.tensor[i];
        const void *data = c->p.device->on_host ? c->p.tensor[i].data : t->data;

        if (t->role != ABDB_IN)
            sum =
                (sum ^ abdb_digest_memory_with_process_seed(
                           data, abdb_tensor_element_count(t) * abdb_dtype_size(t->dtype), true)) *
                0x9E3779B97F4A7C15U;
    }
    return sum;
}

static bool is_floating_point_tensor(const abdb_tensor *t)
{
    return t->dtype != ABDB_I8 && t->dtype != ABDB_I32;
}

/* Elements of the output, a random one of each of SPOTS parts, but an eighth of all at most, with
 * their verified values: an unwritten range as long as two parts is always found. */
static void append_spots_of_output(abdb_sample_watch *w, int draw, const abdb_tensor *t,
                                   size_t most)
{
    size_t count = abdb_tensor_element_count(t), parts = (count + 7) / 8;

    parts = parts < most ? parts : most;
    for (size_t i = 0; i < parts; i++) {
        size_t from = count * i / parts, to = count * (i + 1) / parts;
        spoiled_element *s = &w->spot[draw][w->spots[draw]++];

        s->size = abdb_dtype_size(t->dtype);
        s->at = (unsigned char *)t->data + (from + draw_random_below(w, to - from)) * s->size;
        s->floating = is_floating_point_tensor(t);
        memcpy(s->expected, s->at, s->size);
    }
}

static void choose_output_elements_to_spoil(abdb_sample_watch *w)
{
    const abdb_problem *p = &w->c->p;
    size_t outputs = 0;

    for (int i = 0; i < p->tensors; i++) outputs += p->tensor[i].role == ABDB_OUT;
    for (int i = 0; i < 2 * p->tensors; i++)
        if (p->tensor[i / 2].role == ABDB_OUT)
            append_spots_of_output(w, i % 2, &p->tensor[i / 2], SPOTS / outputs);
}

/* Does row `row` of the output change beyond its bound where the input's element changes? Then its
 * values with the changed element are kept. */
static bool keep_row_if_input_changes_it(abdb_sample_watch *w, const abdb_verify_options *how,
                                         size_t row)
{
    const abdb_problem *p = &w->c->in;
    size_t width = abdb_tensor_element_count(&p->tensor[w->output]) / p->tensor[w->output].dim[0];
    double bound = how->kernel->error_bound(p, w->output), *room = calloc(4 * width, sizeof *room);
    bool seen = false;

    if (!room) return false;
    how->kernel->reference_rows(p, w->output, &row, 1, room + 2 * width, room + 3 * width);
    memcpy(w->input, w->becomes, w->input_size);
    how->kernel->reference_rows(p, w->output, &row, 1, room, room + width);
    memcpy(w->input, w->was, w->input_size);
    for (size_t j = 0; j < width; j++)
        seen = seen || fabs(room[j] - room[2 * width + j]) >
                           8 * bound * fmax(room[width + j], room[3 * width + j]);
    if (!seen) {
        free(room);
        return false;
    }
    w->row = row;
    w->row_want = room;
    w->row_magnitude = room + width;
    return true;
}

/* What element `element` of an input becomes: another number, which a sum of all shows too; of
 * whole numbers, which name elements, that of the one it names: a walk skips this. */
static void choose_changed_value(abdb_sample_watch *w, const abdb_verify_options *how,
                                 const abdb_tensor *t, size_t element, bool summed)
{
    size_t count = abdb_tensor_element_count(t);
    double value = abdb_tensor_get_f64(t, element), by = 1;

    if (summed) by = fmax(1, 64 * how->kernel->error_bound(&w->c->in, w->output) * (double)count);
    if (is_floating_point_tensor(t))
        abdb_tensor_set_rounded(t, element, value > 0 ? value - by : value + by);
    else if (value >= 0 && value < (double)count)
        memcpy(w->input, (char *)t->data + (size_t)value * w->input_size, w->input_size);
    memcpy(w->becomes, w->input, w->input_size);
    memcpy(w->input, w->was, w->input_size);
}

/* Chooses an element of the first input with as many rows as the output, or of the first input
 * where the output is one number, if a row of the output shows its change. */
static void choose_input_element_that_shows_in_output(abdb_sample_watch *w,
                                                      const abdb_verify_options *how)
{
    abdb_problem *p = &w->c->in;
    const abdb_tensor *out, *t = NULL;
    abdb_work work;
    size_t element, width, candidate[2];
    bool one;

    for (w->output = 0; p->tensor[w->output].role != ABDB_OUT;) w->output++;
    out = &p->tensor[w->output];
    one = abdb_tensor_element_count(out) == 1;
    for (int i = 0; i < p->tensors && !t; i++)
        if (p->tensor[i].role == ABDB_IN && (one || (is_floating_point_tensor(&p->tensor[i]) &&
                                                     p->tensor[i].dim[0] == out->dim[0])))
            t = &p->tensor[i];
    how->kernel->count_work(p, &work);
    if (!t || how->edges || how->kernel->all_rows_at_once ||
        work.ops / (double)out->dim[0] > row_ops_most)
        return;
    width = abdb_tensor_element_count(t) / t->dim[0];
    element = draw_random_below(w, abdb_tensor_element_count(t));
    if (one && !is_floating_point_tensor(t)) element = 0; /* where a walk begins */
    w->input_size = abdb_dtype_size(t->dtype);
    w->input = (unsigned char *)t->data + element * w->input_size;
    memcpy(w->was, w->input, w->input_size);
    choose_changed_value(w, how, t, element, one);
    candidate[0] = one ? 0 : element / width; /* or that of a transposed input */
    candidate[1] = one ? 0 : element % width;
    for (int i = 0; i < 2; i++)
        if (candidate[i] < out->dim[0] && keep_row_if_input_changes_it(w, how, candidate[i]))
            return;
    w->input = NULL;
}

static abdb_verify_options verify_options_of_watch(const abdb_sample_watch *w)
{
    return abdb_instance_verify_options(w->c, w->check_s);
}

abdb_status abdb_sample_watch_digest_outputs_and_choose_spots_to_spoil(
    abdb_sample_watch **out, abdb_instance *c, double began_s, double check_s, size_t certain,
    abdb_error *err)
{
    abdb_sample_watch *w = *out = calloc(1, sizeof *w);
    double start = abdb_clock_seconds();
    abdb_verify_options how;
    abdb_status st = ABDB_OK;

    if (!w) return ABDB_FAIL(err, ABDB_NOMEM, "looks between samples");
    *w = (abdb_sample_watch){.c = c,
                             .random = abdb_process_random_seed(),
                             .began_s = fmax(began_s, start - at_once_s),
                             .check_s = check_s,
                             .last = certain,
                             .looks = certain > 1 ? LOOKS : 1,
                             .relaunches = !c->p.device->on_host,
                             .same_bits = true};
    for (uint64_t i = draw_random_below(w, 64); i; i--) (void)abdb_xorshift64_next(&w->random);
    for (int i = 0; i < c->p.tensors; i++)
        w->relaunches = w->relaunches || c->p.tensor[i].role == ABDB_INOUT;
    how = verify_options_of_watch(w);
    w->digest = digest_outputs(c);
    w->digest_s = abdb_clock_seconds() - start;
    if (!w->relaunches) {
        choose_output_elements_to_spoil(w);
        choose_input_element_that_shows_in_output(w, &how);
        goto done;
    }
    start = abdb_clock_seconds();
    TRY(abdb_instances_reset_launch_and_download(c, 1, err));
    w->same_bits = digest_outputs(c) == w->digest;
    w->relaunch_s = abdb_clock_seconds() - start;
done:
    return st;
}

void abdb_sample_watch_free(abdb_sample_watch *w)
{
    if (w) free(w->row_want);
    free(w);
}

/* May a look take so long now? */
static bool is_look_within_time_budget(const abdb_sample_watch *w, double look_s)
{
    return w->spent_s + look_s <= share * (abdb_clock_seconds() - w->began_s);
}

/* Draws whether a sample of about sample_s seconds is looked at. */
static bool draw_whether_to_look_at_sample(abdb_sample_watch *w, double sample_s)
{
    uint64_t one_in = sample_s < short_sample_s ? 24 : sample_s < long_sample_s ? 2 : 1;

    return draw_random_below(w, one_in) == 0 && is_look_within_time_budget(w, 0);
}

void abdb_sample_watch_spoil_before_sample(abdb_sample_watch *w, double sample_s)
{
    double start = abdb_clock_seconds();
    bool certain = w->looks && w->seen < w->last && draw_random_below(w, w->last - w->seen) == 0;

    w->spoiled = w->changed = false;
    w->seen++;
    if (certain) { /* the next of them is one of some samples from here */
        w->looks--;
        w->last = w->seen + WINDOW;
    }
    if (!certain && !draw_whether_to_look_at_sample(w, sample_s)) return;
    w->changed = w->input && (certain ? w->looks % 2 : draw_random_below(w, 2)) != 0;
    w->spoiled = true;
    if (w->changed) memcpy(w->input, w->becomes, w->input_size);
    w->draw = !w->draw;
    /* Not where an input is changed: this finds kernels that compute only spoiled elements. */
    for (size_t i = 0; !w->changed && i < w->spots[w->draw]; i++) {
        const spoiled_element *s = &w->spot[w->draw][i];

        for (size_t b = 0; b < s->size; b++)
            s->at[b] = s->floating ? 0xFF : (unsigned char)~s->expected[b];
    }
    w->spent_s += abdb_clock_seconds() - start;
}

/* Outputs differ in bits from the verified launch: are they wrong, or has the kernel a changing
 * order of sums? */
static abdb_status verify_outputs_that_differ_in_bits(abdb_sample_watch *w, abdb_error *err)
{
    const abdb_verify_options how = verify_options_of_watch(w);
    abdb_verify_result found;
    abdb_status st = ABDB_OK;

    TRY(abdb_verify_outputs_against_reference(&how, &w->c->in, &w->c->back, &found, err));
    if (!(found.error <= 1))
        TRY(ABDB_FAIL(err, ABDB_VERIFY,
                      "wrong kernel: right when it is checked and wrong %s sample %zu",
                      w->ended ? "after" : "at", w->seen - 1));
    w->same_bits = false;
done:
    return st;
}

/* Refuses spoiled elements left unwritten; notes whether all have their verified values. */
static abdb_status require_spoiled_elements_rewritten(abdb_sample_watch *w, bool *all_as_verified,
                                                      abdb_error *err)
{
    *all_as_verified = true;
    for (size_t i = 0; i < w->spots[w->draw]; i++) {
        const spoiled_element *s = &w->spot[w->draw][i];
        size_t spoiled = 0;

        for (size_t b = 0; b < s->size; b++)
            spoiled += s->at[b] == (s->floating ? 0xFF : (unsigned char)~s->expected[b]);
        if (spoiled == s->size)
            return ABDB_FAIL(err, ABDB_VERIFY,
                             "wrong kernel: stale output: sample %zu left what was spoiled",
                             w->seen - 1);
        *all_as_verified = *all_as_verified && memcmp(s->at, s->expected, s->size) == 0;
    }
    return ABDB_OK;
}

/* Compares the output row that depends on the changed input with its reference. */
static abdb_status require_output_row_follows_changed_input(const abdb_sample_watch *w,
                                                            abdb_error *err)
{
    const abdb_verify_options how = verify_options_of_watch(w);
    double error = abdb_worst_row_error_over_bound(&how, &w->c->in, &w->c->back, w->output, w->row,
                                                   w->row_want, w->row_magnitude);

    if (error <= 1) return ABDB_OK;
    return ABDB_FAIL(
        err, ABDB_VERIFY,
        "wrong kernel: stale output: of the changed input at sample %zu nothing is seen",
        w->seen - 1);
}

/* Resets the copy, launches it once more, and verifies outputs with another digest. */
static abdb_status relaunch_and_verify_if_digest_differs(abdb_sample_watch *w, abdb_error *err)
{
    double start = abdb_clock_seconds();
    abdb_status st = ABDB_OK;

    TRY(abdb_instances_reset_launch_and_download(w->c, 1, err));
    if (w->same_bits && digest_outputs(w->c) != w->digest)
        TRY(verify_outputs_that_differ_in_bits(w, err));
    w->relaunch_s = abdb_clock_seconds() - start;
    w->spent_s += w->relaunch_s;
done:
    return st;
}

abdb_status abdb_sample_watch_check_after_sample(abdb_sample_watch *w, abdb_error *err)
{
    double start = abdb_clock_seconds();
    bool same = true;
    abdb_status st = ABDB_OK;

    if (!w->spoiled) return ABDB_OK;
    if (w->relaunches)
        return w->same_bits && is_look_within_time_budget(w, w->relaunch_s)
                   ? relaunch_and_verify_if_digest_differs(w, err)
                   : ABDB_OK;
    st = require_spoiled_elements_rewritten(w, &same, err);
    if (st == ABDB_OK && w->changed) st = require_output_row_follows_changed_input(w, err);
    if (w->changed) memcpy(w->input, w->was, w->input_size);
    TRY(st);
    if (w->same_bits && !w->changed) {
        if (same && is_look_within_time_budget(w, w->digest_s))
            same = digest_outputs(w->c) == w->digest;
        if (!same) TRY(verify_outputs_that_differ_in_bits(w, err));
    }
    w->spent_s += abdb_clock_seconds() - start;
done:
    return st;
}

/* One launch; its outputs are compared by their digest. */
static abdb_status launch_and_verify_if_digest_differs(abdb_sample_watch *w, abdb_error *err)
{
    abdb_device *d = w->c->p.device;
    double time_s;
    abdb_status st = ABDB_OK;

    TRY(d->begin_timing(d, err));
    TRY(w->c->impl->launch(w->c->state, err));
    TRY(d->end_timing(d, &time_s, err));
    if (digest_outputs(w->c) != w->digest) TRY(verify_outputs_that_differ_in_bits(w, err));
done:
    return st;
}

abdb_status abdb_sample_watch_launch_while_time_lasts(abdb_sample_watch *w, double launch_s,
                                                      const volatile int *stop, abdb_error *err)
{
    double each_s = w->relaunches ? w->relaunch_s : launch_s + w->digest_s,
           start = abdb_clock_seconds(), passed_s = start - w->began_s,
           end =
               start + fmax(share_after * passed_s, (share + share_after) * passed_s - w->spent_s);
    abdb_status st = ABDB_OK;

    w->ended = true;
    while (w->same_bits && !*stop && abdb_clock_seconds() + each_s <= end)
        TRY(w->relaunches ? relaunch_and_verify_if_digest_differs(w, err)
                          : launch_and_verify_if_digest_differs(w, err));
done:
    return st;
}

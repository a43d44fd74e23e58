/* estimate.c - the time of a cell on this machine now; see harness.h. Small cells are tried, once
 * and briefly: they give a kernel's rate, the costs of filling and comparing, and the steadiness of
 * the machine. Times of larger cells are computed from their work. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/harness/harness.h"
#include "schema/core/number.h"
#include "schema/core/stats.h"

enum { KNOWN_MAX = 256, LAUNCHES = 12, WRITES = 12, LIKE_MOST = 4 };
/* Bytes of memory for trials: a piece as large as a large cell's memory gives a better cost of new
 * memory than a small piece, which the system has at hand. At most that share of free memory. */
static const double piece_share = 0.125, piece_least = 16 << 20, piece_most = 1 << 30;
static const double small_bytes = 128e6, small_ops = 3e8, one_check_s = 0.01, all_writes_s = 0.03;
/* A larger problem is tried where the trial of another predicts a quick launch. A launch of less
 * than short_launch_s on a device is mostly overhead, so the prediction for a large one is too
 * long: it is tried, unless making its inputs on the host takes longer than long_fill_s. */
static const double large_bytes = 256e6, quick_launch_s = 0.1, near_work = 0.7;
static const double short_launch_s = 1e-3, short_launch_excess = 10, long_fill_s = 2;
/* Limits of seconds for trials: least, share of all estimated seconds, most. */
static const double trials_least_s = 1, trials_share = 0.03, trials_most_s = 8;

/* The measurements of a trial of a kernel by an implementation, in one number format. */
typedef struct {
    const abdb_impl *impl;
    abdb_dtype dtype;
    bool of_ops;        /* its problem is compute-bound */
    uint64_t words;     /* digest of the parameters that are words, and of threads */
    bool exact;         /* it has inputs whose result is exact: one more copy */
    double ops, bytes;  /* of a launch */
    double reference;   /* operations of its reference */
    double check;       /* seconds of a whole comparison, for each of these */
    double fill;        /* seconds for each byte of its tensors */
    double launch, iqr; /* of the problem that was tried, relative */
} pilot_run;

static struct {
    pilot_run known[KNOWN_MAX];
    size_t count;
    double spent_s, told_s;    /* on trials; estimated for all cells so far */
    double piece;              /* bytes of memory that were tried */
    double fresh, fill, write; /* seconds a byte: getting new memory, filling old memory with
                                  numbers of f32, writing it */
    double iqr;                /* of writing it, relative: memory may be less steady than caches */
    double
        filled[ABDB_DTYPE_COUNT]; /* filling old memory with numbers of each format; 0: unknown */
    double given;                 /* bytes of the largest cell so far: the next one has them */
} so_far;

/* Is a problem bounded by this, "bytes" or "operations"? */
static bool problem_is_bound_by(const abdb_kernel *kernel, const abdb_problem *p,
                                const char *resource)
{
    const char *bound = kernel->bottleneck ? kernel->bottleneck(p) : NULL;

    return bound && strcmp(bound, resource) == 0;
}

/* Seconds of a launch, from the seconds of a trial; where bytes bound it, and did not bound the
 * trial, from the rate of writing memory. */
static double predict_launch_seconds_from_pilot(const pilot_run *pilot, const abdb_kernel *kernel,
                                                const abdb_problem *p)
{
    bool of_ops = problem_is_bound_by(kernel, p, "operations");
    abdb_work w;

    kernel->count_work(p, &w);
    if (!of_ops && pilot->of_ops) return fmax(w.bytes, 1) * so_far.write;
    return pilot->launch * (of_ops ? fmax(w.ops, 1) / pilot->ops : fmax(w.bytes, 1) / pilot->bytes);
}

/* The reference's work for all outputs: the operations, or a step for each element where it only
 * moves them. */
static double max_of_ops_and_output_element_count(const abdb_problem *p, const abdb_kernel *kernel)
{
    double count = 1;
    abdb_work w;

    for (int i = 0; i < p->tensors; i++)
        if (p->tensor[i].role != ABDB_IN) count += (double)abdb_tensor_element_count(&p->tensor[i]);
    kernel->count_work(p, &w);
    return fmax(w.ops, count);
}

/* Writes a piece of memory some times and stores the seconds a byte and their spread. */
static void measure_and_store_write_cost_and_iqr(abdb_device *d, void *piece, double bytes)
{
    double time_s[WRITES], begun_s = abdb_clock_seconds(), now_s = begun_s;
    abdb_summary summary;
    abdb_error err;
    size_t n = 0;

    so_far.write = so_far.fill;
    so_far.iqr = 0;
    if (!d->on_host) return;
    for (; n < WRITES && now_s - begun_s < all_writes_s; n++) {
        double before_s = now_s;

        if (d->fill(d, piece, 0, (size_t)bytes, &err) != ABDB_OK) return;
        now_s = abdb_clock_seconds();
        time_s[n] = now_s - before_s;
    }
    if (abdb_sort_and_summarise(time_s, n, &summary, &err) != ABDB_OK) return;
    so_far.write = summary.median / bytes;
    so_far.iqr = summary.iqr / fmax(summary.median, 1e-9);
}

/* Fills a piece of memory twice and writes it, and stores the seconds a byte. */
static void remeasure_memory_costs_if_cell_is_larger(abdb_device *d, double cell_bytes)
{
    double most = fmin(piece_most, piece_share * abdb_memory_available_bytes_within_cgroup()),
           at_s[3];
    double piece = fmax(fmin(piece_share * cell_bytes, most), piece_least);
    abdb_tensor t = abdb_tensor_contiguous(ABDB_F32, ABDB_IN, (size_t)piece / 4, 0, 0, 0);

    if (!(piece > 2 * so_far.piece)) return;
    t.data = malloc((size_t)piece);
    if (!t.data) return;
    so_far.piece = piece;
    for (int i = 0; i < 3; i++) {
        at_s[i] = abdb_clock_seconds();
        if (i < 2) abdb_fill_tensor_uniform(&t, 1);
    }
    so_far.fill = (at_s[2] - at_s[1]) / piece;
    so_far.fresh = fmax(0, (at_s[1] - at_s[0]) / piece - so_far.fill);
    measure_and_store_write_cost_and_iqr(d, t.data, piece);
    free(t.data);
}

double abdb_estimate_new_memory_seconds(abdb_device *d, double bytes)
{
    remeasure_memory_costs_if_cell_is_larger(d, bytes);
    return so_far.fresh * bytes;
}

/* Seconds a byte of filling old memory with numbers of a format: short ones are more of them. */
static double measure_fill_seconds_per_byte_once(abdb_dtype dtype)
{
    size_t bytes = (size_t)piece_least;
    abdb_tensor t = abdb_tensor_contiguous(dtype, ABDB_IN, bytes / abdb_dtype_size(dtype), 0, 0, 0);
    double begun = 0;

    if (so_far.filled[dtype] > 0) return so_far.filled[dtype];
    t.data = malloc(bytes);
    if (!t.data) return so_far.fill;
    for (int i = 0; i < 2; i++) {
        begun = abdb_clock_seconds();
        abdb_fill_tensor_uniform(&t, 1);
    }
    so_far.filled[dtype] = (abdb_clock_seconds() - begun) / (double)bytes;
    free(t.data);
    return so_far.filled[dtype];
}

/* Launches of a copy that was made, and one comparison, unless another trial had it. */
static abdb_status measure_pilot_launch_and_comparison(abdb_instance *c,
                                                       const abdb_instance_spec *r,
                                                       const pilot_run *similar_pilot,
                                                       pilot_run *pilot_to_fill, abdb_error *err)
{
    double time_s[LAUNCHES], begin_s = abdb_clock_seconds(), compared_s;
    abdb_verify_result checked = {0};
    abdb_summary summary;
    abdb_work work;
    int n = 0;
    abdb_status st = ABDB_OK;

    if (similar_pilot)
        TRY(abdb_instances_reset_launch_and_download(c, 1, err));
    else
        TRY(abdb_instances_reset_launch_and_verify_all(c, 1, one_check_s, &checked,
                                                       err)); /* its launch is the first, too */
    compared_s = abdb_clock_seconds() - begin_s;
    for (begin_s = abdb_clock_seconds();
         n < LAUNCHES && (n < 2 || abdb_clock_seconds() - begin_s < one_check_s); n++) {
        TRY(r->device->begin_timing(r->device, err));
        TRY(r->impl->launch(c->state, err));
        TRY(r->device->end_timing(r->device, &time_s[n], err));
    }
    TRY(abdb_sort_and_summarise(time_s, (size_t)n, &summary, err));
    pilot_to_fill->launch = fmax(summary.median, 1e-9);
    pilot_to_fill->iqr = summary.iqr / pilot_to_fill->launch;
    r->kernel->count_work(&c->p, &work);
    pilot_to_fill->ops = fmax(work.ops, 1);
    pilot_to_fill->bytes = fmax(work.bytes, 1);
    pilot_to_fill->reference = max_of_ops_and_output_element_count(&c->p, r->kernel);
    if (similar_pilot) {
        pilot_to_fill->check = similar_pilot->check;
        return ABDB_OK;
    }
    pilot_to_fill->check = fmax(0, compared_s - pilot_to_fill->launch) /
                           fmax(checked.rows_checked_share, 1e-3) / pilot_to_fill->reference;
done:
    return st;
}

/* Tries a problem; false where it cannot be made. */
static bool run_pilot_and_fill_measured_costs(const abdb_instance_spec *asked,
                                              const pilot_run *similar_pilot,
                                              pilot_run *pilot_to_fill)
{
    abdb_instance_spec r = *asked;
    abdb_instance copy = {.p = {.device = r.device}};
    double begin_s = abdb_clock_seconds();
    abdb_error err;
    bool ok;

    r.exact = !similar_pilot;
    ok = abdb_instance_alloc_fill_and_prepare(&copy, &r, &err) == ABDB_OK;
    pilot_to_fill->exact = similar_pilot ? similar_pilot->exact : copy.exact;
    pilot_to_fill->fill =
        (abdb_clock_seconds() - begin_s) / fmax(abdb_problem_tensor_bytes(&copy.p), 1 << 20);
    ok = ok && measure_pilot_launch_and_comparison(&copy, &r, similar_pilot, pilot_to_fill, &err) ==
                   ABDB_OK;
    abdb_instance_release_and_clear(&copy);
    so_far.spent_s += abdb_clock_seconds() - begin_s;
    return ok;
}

/* FNV-1a, continued from `digest`. */
static uint64_t fnv1a_append_text(uint64_t digest, const char *text)
{
    for (; *text; text++) digest = (digest ^ (unsigned char)*text) * 1099511628211u;
    return digest;
}

/* Digest of the parameters that change the code that runs: words, except the provider (a trial
 * stores its implementation), and threads. */
static uint64_t digest_non_numeric_params_and_threads(const abdb_problem *p)
{
    uint64_t digest = 14695981039346656037u;

    for (int i = 0; i < p->params; i++) {
        const abdb_param *param = &p->param[i];

        if (strcmp(param->name, "provider") == 0 ||
            (isfinite(param->value) && strcmp(param->name, "threads") != 0))
            continue;
        digest = fnv1a_append_text(fnv1a_append_text(digest, param->name), param->text);
    }
    return digest;
}

/* How similar a trial is to the wanted problem: from 0, not at all, to LIKE_MOST. */
static int pilot_similarity_score_0_to_4(const pilot_run *t, const pilot_run *wanted)
{
    if (t->impl != wanted->impl || t->dtype != wanted->dtype) return 0;
    return 1 + 2 * (t->of_ops == wanted->of_ops) + (t->words == wanted->words);
}

/* How far its work is from that of a trial: 0, the same; 1, e times as much, or as little. */
static double log_distance_of_predicted_time(const pilot_run *t, const abdb_kernel *kernel,
                                             const abdb_problem *p)
{
    return fabs(log(predict_launch_seconds_from_pilot(t, kernel, p) / t->launch));
}

/* The most similar trial, among equals the nearest in predicted time; NULL: none is similar. */
static const pilot_run *find_most_similar_then_nearest_pilot(const abdb_kernel *kernel,
                                                             const abdb_problem *p,
                                                             const pilot_run *wanted)
{
    const pilot_run *best = NULL;

    for (size_t i = 0; i < so_far.count; i++) {
        const pilot_run *t = &so_far.known[i];
        int more = pilot_similarity_score_0_to_4(t, wanted) -
                   (best ? pilot_similarity_score_0_to_4(best, wanted) : 1);

        if (more > 0 ||
            (more == 0 && (!best || log_distance_of_predicted_time(t, kernel, p) <
                                        log_distance_of_predicted_time(best, kernel, p))))
            best = t;
    }
    return best;
}

/* Is a problem worth a trial? Yes for small ones and for larger ones with a quick prediction,
 * unless a similar one was tried. */
static bool is_pilot_run_quick_and_not_yet_measured(const abdb_kernel *kernel,
                                                    const abdb_problem *p,
                                                    const pilot_run *nearest_pilot,
                                                    const pilot_run *wanted)
{
    double bytes = abdb_problem_tensor_bytes(p), quick_s = quick_launch_s;
    bool on_host = p->device->on_host;
    bool small,
        same = nearest_pilot && pilot_similarity_score_0_to_4(nearest_pilot, wanted) == LIKE_MOST;
    abdb_work w;

    kernel->count_work(p, &w);
    small = bytes <= small_bytes && w.ops <= small_ops;
    if (same &&
        log_distance_of_predicted_time(nearest_pilot, kernel, p) < (small ? 1e-9 : near_work))
        return false;
    if (small) return true;
    if (!nearest_pilot ||
        bytes * (on_host ? 1 : so_far.fill) > (on_host ? large_bytes : long_fill_s))
        return false;
    if (!on_host && nearest_pilot->launch < short_launch_s) quick_s *= short_launch_excess;
    if (nearest_pilot->of_ops != wanted->of_ops)
        quick_s *= 4; /* it computed slowly, as bytes bounded it */
    return predict_launch_seconds_from_pilot(nearest_pilot, kernel, p) <= quick_s;
}

/* The sizes of a problem that are larger than the kernel's trial has them, as "name=value ..." of
 * the trial. False: none is. */
static bool write_pilot_size_overrides_for_larger_params(const abdb_kernel *kernel,
                                                         const abdb_problem *p, char overrides[128])
{
    size_t used = 0;

    for (const char *at = kernel->pilot_sizes; at && *at; at += strspn(at, " ")) {
        size_t name = strcspn(at, "="), all = strcspn(at, " ");
        double most = abdb_double_parse_prefix_or(at + name + 1, 0);

        for (int i = 0; i < p->params && used + all + 2 < 128; i++)
            if (strlen(p->param[i].name) == name && strncmp(p->param[i].name, at, name) == 0 &&
                p->param[i].value > most) {
                memcpy(overrides + used, at, all);
                used += all;
                overrides[used++] = ' ';
            }
        at += all;
    }
    overrides[used] = '\0';
    return used > 0;
}

/* A trial of the kernel, new or earlier; NULL: none. A large problem of a kernel without a trial is
 * tried smaller first, which shows whether a trial of the large problem is quick. */
static const pilot_run *find_or_make_pilot_run_within_budget(const abdb_instance_spec *asked,
                                                             const abdb_problem *p)
{
    for (bool smaller = true; smaller;) {
        char sizes[128];
        abdb_instance_spec r = *asked;
        pilot_run new = {.impl = r.impl,
                         .dtype = p->tensor[0].dtype,
                         .of_ops = problem_is_bound_by(r.kernel, p, "operations"),
                         .words = digest_non_numeric_params_and_threads(p)};
        const pilot_run *like = find_most_similar_then_nearest_pilot(r.kernel, p, &new);

        if (so_far.spent_s > fmin(trials_least_s + trials_share * so_far.told_s, trials_most_s) ||
            so_far.count == KNOWN_MAX)
            return like;
        smaller = !is_pilot_run_quick_and_not_yet_measured(r.kernel, p, like, &new);
        if (smaller) {
            if (like) return like;
            r.overrides = r.kernel->small_params;
            if (!r.overrides && write_pilot_size_overrides_for_larger_params(r.kernel, p, sizes))
                r.overrides = sizes;
            if (!r.overrides) return NULL;
        }
        if (!run_pilot_and_fill_measured_costs(&r, like, &new)) return like;
        so_far.known[so_far.count++] = new;
    }
    return &so_far.known[so_far.count - 1];
}

/* The relative spread of launches: launches bound by memory get at least the spread of writing
 * memory, reduced for longer launches, in which short disturbances even out. */
static double predict_relative_iqr(const pilot_run *t, const abdb_instance_spec *r,
                                   const abdb_problem *p, double bytes_of_copies)
{
    if (!problem_is_bound_by(r->kernel, p, "bytes") ||
        bytes_of_copies <= (double)r->device->limits.last)
        return t->iqr;
    return fmax(t->iqr, so_far.iqr * sqrt(fmin(1, so_far.piece / abdb_problem_tensor_bytes(p))));
}

/* Seconds of samples; unsteady launches are sampled until three looks show no improvement
 * (sampling.c). */
static double estimate_sampling_seconds(const abdb_sampling *rule, double each_s, bool is_unsteady)
{
    double count = fmax(rule->min_samples, rule->min_time_s / each_s);

    for (int i = 0; i < 3 && is_unsteady; i++) count = 1.25 * count + 10;
    return fmin(count * each_s,
                fmax(rule->max_time_s,
                     (double)abdb_min_sample_count_after_time_limit(rule, each_s) * each_s));
}

/* Seconds of two comparisons, each with so much time; continues: the second goes on where the first
 * one ended. */
static double seconds_of_two_budgeted_comparisons(double whole_s, double each_s, bool continues)
{
    return continues ? fmin(whole_s, 2 * each_s) : 2 * fmin(whole_s, each_s);
}

/* Seconds of comparisons: two with inputs whose result is exact, and of others one before the
 * samples and two after them, of all copies, which share the time. What the reference computed is
 * kept where it is not too much. What is checked small is so at about the size of the trial. */
static double estimate_verification_seconds_of_cell(const abdb_problem *p,
                                                    const abdb_sampling *rule, const pilot_run *t,
                                                    const abdb_kernel *kernel, size_t copies,
                                                    bool at_small_size)
{
    double whole = t->check *
                   (at_small_size ? t->reference : max_of_ops_and_output_element_count(p, kernel)),
           all = whole * (double)copies, each = 0, before, most = 0;
    bool kept;

    for (int i = 0; i < p->tensors; i++) {
        if (p->tensor[i].role == ABDB_IN) continue;
        most = fmax(most, (double)abdb_tensor_element_count(&p->tensor[i]));
        each += rule->check_s / 2; /* each output has that */
    }
    kept = most <= ABDB_KEPT_MOST;
    before = fmin(whole, each);
    return before + seconds_of_two_budgeted_comparisons(kept ? all - before : all, each, kept) +
           (t->exact ? seconds_of_two_budgeted_comparisons(whole, each, kept) : 0);
}

double abdb_estimate_kernel_cell_seconds(const abdb_instance_spec *r, const abdb_problem *p,
                                         const abdb_sampling *rule, size_t copies,
                                         bool verified_at_small_size)
{
    const abdb_machine_caches *l = &r->device->limits;
    double bytes = abdb_problem_tensor_bytes(p), held = bytes * (double)copies;
    double launch, launches, fill, samples, all, fresh = 0, flush = 0;
    const pilot_run *t;
    pilot_run unknown;

    remeasure_memory_costs_if_cell_is_larger(r->device, held);
    unknown = (pilot_run){.fill = so_far.fill,
                          .launch = fmax(so_far.write, 1e-12),
                          .ops = 1,
                          .bytes = 1,
                          .check = 1e-8};
    t = find_or_make_pilot_run_within_budget(r, p);
    if (!t) t = &unknown;
    fill = bytes > small_bytes
               ? fmax(measure_fill_seconds_per_byte_once(p->tensor[0].dtype), so_far.write)
               : t->fill;
    launch = predict_launch_seconds_from_pilot(t, r->kernel, p);
    launches = (t->exact ? 2 : 0) + 4 + 2 * (double)copies;
    if (rule->cold) flush = 2 * (double)(l->claimed ? l->claimed : l->last) * so_far.write;
    samples = estimate_sampling_seconds(rule, launch + flush,
                                        predict_relative_iqr(t, r, p, held) > rule->iqr_target);
    if (held > so_far.given) {
        fresh = so_far.fresh * (held - so_far.given);
        so_far.given = held;
    }
    all = fresh + fill * (held + (t->exact ? bytes : 0)) +
          estimate_verification_seconds_of_cell(p, rule, t, r->kernel, copies,
                                                verified_at_small_size) +
          launches * launch + fmax(rule->warm_s, (rule->warm_ups + 1) * launch) + samples +
          3 * rule->canary_s;
    so_far.told_s += all;
    return all;
}

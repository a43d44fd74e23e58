/* expect.c - how long a cell will take here and now; see harness.h. Small cells are tried, once and
 * briefly: they tell what a kernel computes or moves in a second, what filling and comparing cost
 * and how steady the machine is. Larger ones follow from their work. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/harness/harness.h"
#include "schema/core/stats.h"

enum { KNOWN_MAX = 256, LAUNCHES = 12, WRITES = 12, LIKE_MOST = 4 };
/* Memory that is tried: what a large cell will hold tells more of new memory than a small piece,
 * which the system has at hand. Never more than that share of what is free. */
static const double piece_share = 0.125, piece_least = 16 << 20, piece_most = 1 << 30;
static const double small_bytes = 128e6, small_ops = 3e8, one_check_s = 0.01, all_writes_s = 0.03;
/* A larger problem is tried where another one says that it is quick. */
static const double large_bytes = 256e6, quick_launch_s = 0.1, near_work = 0.7;
/* Seconds of trials: at least, a share of what is told, at most. */
static const double trials_least_s = 1, trials_share = 0.03, trials_most_s = 8;

/* What a trial told of a kernel by an implementation, in one number format. */
typedef struct {
    const abdb_impl *impl;
    abdb_dtype dtype;
    bool of_ops;        /* bounded by operations, not by bytes */
    uint64_t words;     /* digest of the parameters that are words, and of threads */
    bool exact;         /* it has inputs whose result is exact: one more copy */
    double ops, bytes;  /* of a launch */
    double reference;   /* operations of its reference */
    double check;       /* seconds of a whole comparison, for each of these */
    double fill;        /* seconds for each byte of its tensors */
    double launch, iqr; /* of the problem that was tried, relative */
} trial;

static struct {
    trial known[KNOWN_MAX];
    size_t count;
    double spent_s, told_s;    /* on trials; of all cells that were asked for */
    double piece;              /* bytes of memory that were tried */
    double fresh, fill, write; /* seconds a byte: being given new memory, filling old with numbers
                                  of f32, writing it */
    double iqr;                /* of writing it, relative: memory may be less steady than caches */
    double
        filled[ABDB_DTYPE_COUNT]; /* filling old memory with numbers of each format; 0: unknown */
    double given;                 /* bytes of the largest cell so far: the next one has them */
} so_far;

/* Is a problem bounded by this, "bytes" or "operations"? */
static bool bounded(const abdb_kernel *kernel, const abdb_problem *p, const char *by)
{
    const char *bound = kernel->bounded_by ? kernel->bounded_by(p) : NULL;

    return bound && strcmp(bound, by) == 0;
}

/* Seconds of a launch, by those of a trial; where bytes bound it, and did not bound the trial, by
 * how fast memory is written. */
static double launch_by(const trial *t, const abdb_kernel *kernel, const abdb_problem *p)
{
    bool of_ops = bounded(kernel, p, "operations");
    abdb_work w;

    kernel->work(p, &w);
    if (!of_ops && t->of_ops) return fmax(w.bytes, 1) * so_far.write;
    return t->launch * (of_ops ? fmax(w.ops, 1) / t->ops : fmax(w.bytes, 1) / t->bytes);
}

/* What the reference does for all outputs: the operations, or a step for each element where it only
 * moves them. */
static double reference_work(const abdb_problem *p, const abdb_kernel *kernel)
{
    double count = 1;
    abdb_work w;

    for (int i = 0; i < p->tensors; i++)
        if (p->tensor[i].role != ABDB_IN) count += (double)abdb_tensor_count(&p->tensor[i]);
    kernel->work(p, &w);
    return fmax(w.ops, count);
}

/* Writes a piece of memory some times: what that takes a byte, and how steady it is. */
static void measure_writes(abdb_device *d, void *piece, double bytes)
{
    double time_s[WRITES], begun_s = abdb_now_s(), now_s = begun_s;
    abdb_summary summary;
    abdb_error err;
    size_t n = 0;

    so_far.write = so_far.fill;
    so_far.iqr = 0;
    if (!d->on_host) return;
    for (; n < WRITES && now_s - begun_s < all_writes_s; n++) {
        double before_s = now_s;

        if (d->fill(d, piece, 0, (size_t)bytes, &err) != ABDB_OK) return;
        now_s = abdb_now_s();
        time_s[n] = now_s - before_s;
    }
    if (abdb_summarise(time_s, n, &summary, &err) != ABDB_OK) return;
    so_far.write = summary.median / bytes;
    so_far.iqr = summary.iqr / fmax(summary.median, 1e-9);
}

/* Fills a piece of memory twice and writes it: what that takes a byte. */
static void measure_memory(abdb_device *d, double cell)
{
    double most = fmin(piece_most, piece_share * abdb_memory_available()), at_s[3];
    double piece = fmax(fmin(piece_share * cell, most), piece_least);
    abdb_tensor t = abdb_tensor_of(ABDB_F32, ABDB_IN, (size_t)piece / 4, 0, 0, 0);

    if (!(piece > 2 * so_far.piece)) return;
    t.data = malloc((size_t)piece);
    if (!t.data) return;
    so_far.piece = piece;
    for (int i = 0; i < 3; i++) {
        at_s[i] = abdb_now_s();
        if (i < 2) abdb_fill(&t, 1);
    }
    so_far.fill = (at_s[2] - at_s[1]) / piece;
    so_far.fresh = fmax(0, (at_s[1] - at_s[0]) / piece - so_far.fill);
    measure_writes(d, t.data, piece);
    free(t.data);
}

double abdb_expect_fresh_s(abdb_device *d, double bytes)
{
    measure_memory(d, bytes);
    return so_far.fresh * bytes;
}

/* Seconds a byte of filling old memory with numbers of a format: short ones are more of them. */
static double fill_of(abdb_dtype dtype)
{
    size_t bytes = (size_t)piece_least;
    abdb_tensor t = abdb_tensor_of(dtype, ABDB_IN, bytes / abdb_dtype_size(dtype), 0, 0, 0);
    double begun = 0;

    if (so_far.filled[dtype] > 0) return so_far.filled[dtype];
    t.data = malloc(bytes);
    if (!t.data) return so_far.fill;
    for (int i = 0; i < 2; i++) {
        begun = abdb_now_s();
        abdb_fill(&t, 1);
    }
    so_far.filled[dtype] = (abdb_now_s() - begun) / (double)bytes;
    free(t.data);
    return so_far.filled[dtype];
}

/* Launches of a copy that was made, and one comparison, unless another trial had it. */
static abdb_status launch_trial(abdb_copy *c, const abdb_recipe *r, const trial *like, trial *t,
                                abdb_error *err)
{
    double time_s[LAUNCHES], begin_s = abdb_now_s(), compared_s;
    abdb_checked checked = {0};
    abdb_summary summary;
    abdb_work work;
    int n = 0;
    abdb_status st = ABDB_OK;

    if (like)
        TRY(abdb_copies_launch(c, 1, err));
    else
        TRY(abdb_copies_check(c, 1, one_check_s, &checked, err)); /* its launch is the first, too */
    compared_s = abdb_now_s() - begin_s;
    for (begin_s = abdb_now_s(); n < LAUNCHES && (n < 2 || abdb_now_s() - begin_s < one_check_s);
         n++) {
        TRY(r->device->begin(r->device, err));
        TRY(r->impl->launch(c->state, err));
        TRY(r->device->end(r->device, &time_s[n], err));
    }
    TRY(abdb_summarise(time_s, (size_t)n, &summary, err));
    t->launch = fmax(summary.median, 1e-9);
    t->iqr = summary.iqr / t->launch;
    r->kernel->work(&c->p, &work);
    t->ops = fmax(work.ops, 1);
    t->bytes = fmax(work.bytes, 1);
    t->reference = reference_work(&c->p, r->kernel);
    if (like) {
        t->check = like->check;
        return ABDB_OK;
    }
    t->check = fmax(0, compared_s - t->launch) / fmax(checked.share, 1e-3) / t->reference;
done:
    return st;
}

/* Tries a problem; false where it cannot be made. */
static bool try_it(const abdb_recipe *asked, const trial *like, trial *t)
{
    abdb_recipe r = *asked;
    abdb_copy copy = {.p = {.device = r.device}};
    double begin_s = abdb_now_s();
    abdb_error err;
    bool ok;

    r.exact = !like;
    ok = abdb_copy_make(&copy, &r, &err) == ABDB_OK;
    t->exact = like ? like->exact : copy.exact;
    t->fill = (abdb_now_s() - begin_s) / fmax(abdb_problem_bytes(&copy.p), 1 << 20);
    ok = ok && launch_trial(&copy, &r, like, t, &err) == ABDB_OK;
    abdb_copy_free(&copy);
    so_far.spent_s += abdb_now_s() - begin_s;
    return ok;
}

/* FNV-1a, with what came before. */
static uint64_t digested(uint64_t digest, const char *text)
{
    for (; *text; text++) digest = (digest ^ (unsigned char)*text) * 1099511628211u;
    return digest;
}

/* Digest of the parameters that change what runs: words, but for the provider (it is known by its
 * implementation), and threads. */
static uint64_t words_of(const abdb_problem *p)
{
    uint64_t digest = 14695981039346656037u;

    for (int i = 0; i < p->params; i++) {
        const abdb_param *param = &p->param[i];

        if (strcmp(param->name, "provider") == 0 ||
            (isfinite(param->value) && strcmp(param->name, "threads") != 0))
            continue;
        digest = digested(digested(digest, param->name), param->text);
    }
    return digest;
}

/* How much a trial tells of what is asked for: from 0, nothing, to LIKE_MOST. */
static int likeness(const trial *t, const trial *asked)
{
    if (t->impl != asked->impl || t->dtype != asked->dtype) return 0;
    return 1 + 2 * (t->of_ops == asked->of_ops) + (t->words == asked->words);
}

/* How far its work is from that of a trial: 0, the same; 1, e times as much, or as little. */
static double distance(const trial *t, const abdb_kernel *kernel, const abdb_problem *p)
{
    return fabs(log(launch_by(t, kernel, p) / t->launch));
}

/* The trial that tells most of it, of several the nearest; NULL: none does. */
static const trial *most_like(const abdb_kernel *kernel, const abdb_problem *p, const trial *asked)
{
    const trial *best = NULL;

    for (size_t i = 0; i < so_far.count; i++) {
        const trial *t = &so_far.known[i];
        int more = likeness(t, asked) - (best ? likeness(best, asked) : 1);

        if (more > 0 ||
            (more == 0 && (!best || distance(t, kernel, p) < distance(best, kernel, p))))
            best = t;
    }
    return best;
}

/* Is a problem worth a trial? Small ones are, and larger ones that are known to be quick, unless
 * one like it was tried. */
static bool worth_it(const abdb_kernel *kernel, const abdb_problem *p, const trial *like,
                     const trial *asked)
{
    double bytes = abdb_problem_bytes(p), quick_s = quick_launch_s;
    bool small, same = like && likeness(like, asked) == LIKE_MOST;
    abdb_work w;

    kernel->work(p, &w);
    small = bytes <= small_bytes && w.ops <= small_ops;
    if (same && distance(like, kernel, p) < (small ? 1e-9 : near_work)) return false;
    if (small) return true;
    if (!like || bytes > large_bytes) return false;
    if (like->of_ops != asked->of_ops) quick_s *= 4; /* it computed slowly, as bytes bounded it */
    return launch_by(like, kernel, p) <= quick_s;
}

/* What is known of the kernel, by this trial or one before; NULL: nothing. */
static const trial *find(const abdb_recipe *asked, const abdb_problem *p)
{
    abdb_recipe r = *asked;
    trial new = {.impl = r.impl,
                 .dtype = p->tensor[0].dtype,
                 .of_ops = bounded(r.kernel, p, "operations"),
                 .words = words_of(p)};
    const trial *like = most_like(r.kernel, p, &new);

    if (so_far.spent_s > fmin(trials_least_s + trials_share * so_far.told_s, trials_most_s) ||
        so_far.count == KNOWN_MAX)
        return like;
    if (!worth_it(r.kernel, p, like, &new)) {
        if (like || !r.kernel->small) return like;
        r.overrides = r.kernel->small;
    }
    if (!try_it(&r, like, &new)) return like;
    so_far.known[so_far.count] = new;
    return &so_far.known[so_far.count++];
}

/* How unsteady launches will be, relative: those that wait for memory at least as much as writing
 * it was, if less where they are longer, as short disturbances even out. */
static double unsteady(const trial *t, const abdb_recipe *r, const abdb_problem *p, double held)
{
    if (!bounded(r->kernel, p, "bytes") || held <= (double)r->device->limits.last) return t->iqr;
    return fmax(t->iqr, so_far.iqr * sqrt(fmin(1, so_far.piece / abdb_problem_bytes(p))));
}

/* Seconds of samples: of unsteady launches those until three looks show no improvement (measure.c,
 * enough). */
static double samples_s(const abdb_sampling *rule, double each_s, bool is_unsteady)
{
    double count = fmax(rule->least, rule->least_s / each_s);

    for (int i = 0; i < 3 && is_unsteady; i++) count = 1.25 * count + 10;
    return fmin(count * each_s,
                fmax(rule->cap_s, (double)abdb_samples_least(rule, each_s) * each_s));
}

/* Seconds of two comparisons, each with so much time; kept: the second goes on where the first one
 * ended. */
static double twice_s(double whole_s, double each_s, bool kept)
{
    return kept ? fmin(whole_s, 2 * each_s) : 2 * fmin(whole_s, each_s);
}

/* Seconds of comparisons: two with inputs whose result is exact, and of others one before the
 * samples and two after them, of all copies, which share the time. What the reference computed is
 * kept where it is not too much. What is checked small is so at about the size of the trial. */
static double compare_s(const abdb_problem *p, const abdb_sampling *rule, const trial *t,
                        const abdb_kernel *kernel, size_t copies, bool small)
{
    double whole = t->check * (small ? t->reference : reference_work(p, kernel)),
           all = whole * (double)copies, each = 0, before, most = 0;
    bool kept;

    for (int i = 0; i < p->tensors; i++) {
        if (p->tensor[i].role == ABDB_IN) continue;
        most = fmax(most, (double)abdb_tensor_count(&p->tensor[i]));
        each += rule->check_s / 2; /* each output has that */
    }
    kept = most <= ABDB_KEPT_MOST;
    before = fmin(whole, each);
    return before + twice_s(kept ? all - before : all, each, kept) +
           (t->exact ? twice_s(whole, each, kept) : 0);
}

double abdb_expect_s(const abdb_recipe *r, const abdb_problem *p, const abdb_sampling *rule,
                     size_t copies, bool small)
{
    const abdb_limits *l = &r->device->limits;
    double bytes = abdb_problem_bytes(p), held = bytes * (double)copies;
    double launch, launches, fill, samples, all, fresh = 0, flush = 0;
    const trial *t;
    trial unknown;

    measure_memory(r->device, held);
    unknown = (trial){.fill = so_far.fill,
                      .launch = fmax(so_far.write, 1e-12),
                      .ops = 1,
                      .bytes = 1,
                      .check = 1e-8};
    t = find(r, p);
    if (!t) t = &unknown;
    fill = bytes > small_bytes ? fmax(fill_of(p->tensor[0].dtype), so_far.write) : t->fill;
    launch = launch_by(t, r->kernel, p);
    launches = (t->exact ? 2 : 0) + 4 + 2 * (double)copies;
    if (rule->cold) flush = 2 * (double)(l->claimed ? l->claimed : l->last) * so_far.write;
    samples = samples_s(rule, launch + flush, unsteady(t, r, p, held) > rule->iqr_target);
    if (held > so_far.given) {
        fresh = so_far.fresh * (held - so_far.given);
        so_far.given = held;
    }
    all = fresh + fill * (held + (t->exact ? bytes : 0)) +
          compare_s(p, rule, t, r->kernel, copies, small) + launches * launch +
          fmax(rule->warm_s, (rule->warm_ups + 1) * launch) + samples + 3 * rule->canary_s;
    so_far.told_s += all;
    return all;
}

/* collective.c - kernels of several ranks, each of which has a part of every tensor: S is the size
 * of the message, R the number of ranks, x(r) the data of rank r.
 *   all-reduce      out(r) = x(0) + ... + x(R-1)                    S of each x
 *   all-gather      out(r) = x(0), x(1), ..., x(R-1)                S of out(r)
 *   reduce-scatter  out(r) = part r of x(0) + ... + x(R-1)          S of each x
 *   all-to-all      out(r) = part r of x(0), of x(1), ...           S of each x
 *   reduce          out(0) = x(0) + ... + x(R-1), others stay       S of each x
 *   broadcast       x(r) = x(0)                                     S of x(0)
 *   point-to-point  out(R-1) = x(0) and out(0) = x(R-1), or the first alone
 * Or the largest or least instead of the sum (redop). S is counted as nccl-tests counts it, so
 * that bytes / time is its algbw; v_collective computes the share of it on a wire.
 *
 * Work: no operations (sums do not bound the time); bytes S, of point-to-point all bytes sent in a
 * launch: both ways of a ping-pong. A sum is within 2 R u of the sum of magnitudes; moved or
 * compared numbers and sums of whole numbers are exact. */
#include <math.h>
#include <string.h>

#include "kernels/exchange.h"

enum { X, OUT, MESSAGE = 1 << 20, WINDOW = 64, WINDOW_MAX = 1024, RANKS_MAX = 65536 };
enum { VIRTUAL_RANKS = 2 }; /* where a device is one alone */
static const double bytes_max = 17179869184.0, exact_most = 1e6;

/* Ranks send parts of a message to one another; sums are made. */
static const struct {
    const char *name;
    bool parts, sums;
} exchanges[] = {[ABDB_ALL_REDUCE] = {"all-reduce", false, true},
                 [ABDB_ALL_GATHER] = {"all-gather", true, false},
                 [ABDB_REDUCE_SCATTER] = {"reduce-scatter", true, true},
                 [ABDB_ALL_TO_ALL] = {"all-to-all", true, false},
                 [ABDB_REDUCE] = {"reduce", false, true},
                 [ABDB_BROADCAST] = {"broadcast", false, false},
                 [ABDB_POINT] = {"point-to-point", false, false}};

static const char *const redops[] = {"sum", "max", "min", NULL},
                         *const patterns[] = {"ping-pong", "one-way", "both-ways", NULL},
                         *const truths[] = {"yes", "no", NULL};

abdb_exchange_kind abdb_exchange_kind_of_kernel(const char *kernel)
{
    int kind = 0;

    while (kind < ABDB_EXCHANGES && strcmp(exchanges[kind].name, kernel) != 0) kind++;
    return (abdb_exchange_kind)kind;
}

size_t abdb_exchange_elements_per_rank(const abdb_exchange *x, int tensor)
{
    size_t part = x->count / (size_t)x->ranks;

    if (x->kind == ABDB_ALL_GATHER) return tensor == X ? part : x->count;
    if (x->kind == ABDB_REDUCE_SCATTER) return tensor == X ? x->count : part;
    return x->count * (size_t)x->window;
}

void abdb_exchange_from_problem(const abdb_problem *p, abdb_exchange *out)
{
    abdb_error none;
    int redop = 0, pattern = 0, together = 0;

    (void)!abdb_param_choice_index_or_first(p, "redop", redops, &redop, &none);
    (void)!abdb_param_choice_index_or_first(p, "pattern", patterns, &pattern, &none);
    (void)!abdb_param_choice_index_or_first(p, "apart", truths, &together, &none);
    *out = (abdb_exchange){.kind = abdb_exchange_kind_of_kernel(p->kernel),
                           .dtype = p->tensor[X].dtype,
                           .redop = (abdb_redop)redop,
                           .pattern = (abdb_pattern)pattern,
                           .ranks = abdb_problem_rank_count(p),
                           .window = 1,
                           .apart = !together};
    if (out->kind == ABDB_POINT) out->apart = false; /* an answering rank has waited already */
    if (out->kind == ABDB_POINT && pattern != ABDB_PING_PONG)
        out->window = (int)abdb_param_number(p, "window", WINDOW);
    out->count = (size_t)(abdb_param_number(p, "message_bytes", MESSAGE) /
                          (double)abdb_dtype_size(out->dtype));
}

/* --- shape and work --------------------------------------------------------------------------- */

/* Formats of sums in MPI or NCCL; kernels that only move data also take bytes. */
static unsigned collective_allowed_dtypes(abdb_exchange_kind kind)
{
    unsigned sums =
        1u << ABDB_F32 | 1u << ABDB_F64 | 1u << ABDB_F16 | 1u << ABDB_BF16 | 1u << ABDB_I32;

    return exchanges[kind].sums ? sums : sums | 1u << ABDB_I8;
}

/* Messages of whole elements, and of as many for each rank where ranks send parts: rounded down. */
static abdb_status parse_and_round_down_message_bytes(abdb_problem *p, abdb_exchange_kind kind,
                                                      size_t ranks, abdb_dtype dtype,
                                                      abdb_error *err)
{
    size_t bytes, unit = abdb_dtype_size(dtype) * (exchanges[kind].parts ? ranks : 1);
    abdb_status st = ABDB_OK;

    TRY(abdb_param_parse_size_and_store_default(p, "message_bytes", MESSAGE, bytes_max, &bytes,
                                                err));
    if (bytes < unit)
        TRY(ABDB_FAIL(err, ABDB_USAGE, "%s: a message of %zu bytes has no element%s; %zu at least",
                      p->kernel, bytes, exchanges[kind].parts ? " for each rank" : "", unit));
    TRY(abdb_param_set_integer(p, "message_bytes", (double)(bytes / unit * unit), err));
done:
    return st;
}

/* Their words must be right, and are kept as they were given. */
static abdb_status require_redop_apart_and_parse_pattern(const abdb_problem *p,
                                                         abdb_exchange_kind kind, int *pattern,
                                                         abdb_error *err)
{
    int word;
    abdb_status st = ABDB_OK;

    *pattern = ABDB_PING_PONG;
    if (exchanges[kind].sums) TRY(abdb_param_choice_index_or_first(p, "redop", redops, &word, err));
    if (kind == ABDB_POINT)
        TRY(abdb_param_choice_index_or_first(p, "pattern", patterns, pattern, err));
    else
        TRY(abdb_param_choice_index_or_first(p, "apart", truths, &word, err));
done:
    return st;
}

/* X holds the data that ranks send, OUT the data that they receive, the parts of ranks one after
 * another; a broadcast has X alone, read and written. ranks=: 2 at least for messages from point to
 * point. */
static abdb_status collective_parse_params_and_setup_tensors(abdb_problem *p,
                                                             const abdb_machine_caches *limits,
                                                             abdb_error *err)
{
    abdb_exchange_kind kind = abdb_exchange_kind_of_kernel(p->kernel);
    double all = limits->ranks ? limits->ranks : VIRTUAL_RANKS;
    size_t ranks, window;
    abdb_dtype dtype;
    abdb_exchange x;
    int pattern;
    abdb_status st = ABDB_OK;

    TRY(abdb_param_parse_allowed_dtype(p, ABDB_F32, collective_allowed_dtypes(kind), &dtype, err));
    TRY(abdb_param_parse_size_and_store_default(p, "ranks", all, RANKS_MAX, &ranks, err));
    TRY(require_redop_apart_and_parse_pattern(p, kind, &pattern, err));
    TRY(parse_and_round_down_message_bytes(p, kind, ranks, dtype, err));
    if (kind == ABDB_POINT && ranks < 2)
        TRY(ABDB_FAIL(err, ABDB_USAGE, "point-to-point: one rank has nobody to send to: ranks=2"));
    if (kind == ABDB_POINT && pattern != ABDB_PING_PONG)
        TRY(abdb_param_parse_size_and_store_default(p, "window", WINDOW, WINDOW_MAX, &window, err));
    if (pattern == ABDB_PING_PONG && abdb_param_number(p, "window", 1) != 1)
        TRY(ABDB_FAIL(err, ABDB_USAGE, "point-to-point: a ping-pong has one message at a time"));
    p->tensor[X].dtype = dtype;
    abdb_exchange_from_problem(p, &x);
    p->tensors = kind == ABDB_BROADCAST ? 1 : 2;
    for (int t = 0; t < p->tensors; t++)
        p->tensor[t] =
            abdb_tensor_contiguous(dtype, t == X ? ABDB_IN : ABDB_OUT,
                                   ranks * abdb_exchange_elements_per_rank(&x, t), 0, 0, 0);
    /* Of these not every rank's part is written: the rest must stay as it was. */
    if (kind == ABDB_BROADCAST) p->tensor[X].role = ABDB_INOUT;
    if (kind == ABDB_REDUCE || kind == ABDB_POINT) p->tensor[OUT].role = ABDB_INOUT;
done:
    return st;
}

static void collective_count_work(const abdb_problem *p, abdb_work *out)
{
    abdb_exchange x;

    abdb_exchange_from_problem(p, &x);
    out->ops = 0;
    out->bytes = (double)x.count * (double)abdb_dtype_size(x.dtype) * x.window;
    if (x.kind == ABDB_POINT && x.pattern != ABDB_ONE_WAY) out->bytes *= 2;
}

/* --- the reference ---------------------------------------------------------------------------- */

/* Element `i` of the sum (or redop) of all ranks' x. */
static double reduce_element_over_ranks(const abdb_problem *p, const abdb_exchange *x, size_t i,
                                        double *magnitude)
{
    double all = abdb_tensor_get_f64(&p->tensor[X], i), sum = fabs(all);

    for (size_t r = 1; r < (size_t)x->ranks; r++) {
        double one = abdb_tensor_get_f64(&p->tensor[X], r * x->count + i);

        sum += fabs(one);
        all = x->redop == ABDB_SUM   ? all + one
              : x->redop == ABDB_MAX ? fmax(all, one)
                                     : fmin(all, one);
    }
    *magnitude = x->redop == ABDB_SUM ? sum : 0;
    return all;
}

/* Element `i` of the part of rank `rank` in output `tensor`. */
static double expected_element_of_rank(const abdb_problem *p, const abdb_exchange *x, int tensor,
                                       size_t rank, size_t i, double *magnitude)
{
    size_t each = abdb_exchange_elements_per_rank(x, tensor), part = x->count / (size_t)x->ranks,
           last = (size_t)x->ranks - 1;
    size_t stays = rank * each + i;

    *magnitude = 0;
    switch (x->kind) {
    case ABDB_ALL_REDUCE: return reduce_element_over_ranks(p, x, i, magnitude);
    case ABDB_REDUCE_SCATTER: return reduce_element_over_ranks(p, x, rank * part + i, magnitude);
    case ABDB_REDUCE:
        return rank ? abdb_tensor_get_f64(&p->tensor[OUT], stays)
                    : reduce_element_over_ranks(p, x, i, magnitude);
    case ABDB_ALL_GATHER: return abdb_tensor_get_f64(&p->tensor[X], i);
    case ABDB_ALL_TO_ALL:
        return abdb_tensor_get_f64(&p->tensor[X], i / part * x->count + rank * part + i % part);
    case ABDB_BROADCAST: return abdb_tensor_get_f64(&p->tensor[X], i);
    case ABDB_POINT:
        if (rank == last) return abdb_tensor_get_f64(&p->tensor[X], i);
        if (rank == 0 && x->pattern != ABDB_ONE_WAY)
            return abdb_tensor_get_f64(&p->tensor[X], last * each + i);
        return abdb_tensor_get_f64(&p->tensor[OUT], stays);
    case ABDB_EXCHANGES: break;
    }
    return NAN;
}

/* Elements `row` of X or OUT: element row mod each of rank row / each, by the definition of the
 * collective in exchange.h. */
static void collective_reference_rows(const abdb_problem *p, int tensor, const size_t *row,
                                      size_t n, double *out, double *magnitude)
{
    abdb_exchange x;
    size_t each;

    abdb_exchange_from_problem(p, &x);
    each = abdb_exchange_elements_per_rank(&x, tensor);
    for (size_t i = 0; i < n; i++)
        out[i] =
            expected_element_of_rank(p, &x, tensor, row[i] / each, row[i] % each, &magnitude[i]);
}

static double collective_error_bound_zero_unless_sum(const abdb_problem *p, int tensor)
{
    abdb_exchange x;

    abdb_exchange_from_problem(p, &x);
    if (!exchanges[x.kind].sums || x.redop != ABDB_SUM) return 0;
    return 2 * x.ranks * abdb_dtype_unit_roundoff(p->tensor[tensor].dtype);
}

/* Whole numbers whose sums over all ranks the format holds, as large as they may be: a byte that
 * is lost shows. */
static bool collective_make_exact_integer_inputs(const abdb_problem *p, uint64_t seed)
{
    const abdb_tensor *t = &p->tensor[X];
    const abdb_format *format = abdb_dtype_format(t->dtype);
    double most = ldexp(1, format->exponent ? format->mantissa : 8 * (int)format->size - 2) /
                  abdb_problem_rank_count(p);

    abdb_fill_nonzero_integers(t, seed, (int)fmax(1, fmin(exact_most, floor(most))));
    return true;
}

#define COLLECTIVE(id, printed, what, more, named)                  \
    const abdb_kernel abdb_kernel_##id = {                          \
        .name = printed,                                            \
        .summary = what,                                            \
        .formula = printed "@1",                                    \
        .parameters = "ranks=all  message_bytes=1048576  " more,    \
        .names = "ranks message_bytes " named,                      \
        .setup_tensors = collective_parse_params_and_setup_tensors, \
        .count_work = collective_count_work,                        \
        .reference_rows = collective_reference_rows,                \
        .error_bound = collective_error_bound_zero_unless_sum,      \
        .make_exact_inputs = collective_make_exact_integer_inputs,  \
    };
#define MOVED  "apart=yes|no (do ranks meet before each launch?)"
#define SUMMED "redop=sum|max|min  " MOVED
COLLECTIVE(all_reduce, "all-reduce", "every rank gets the sum of what all have", SUMMED,
           "redop apart")
COLLECTIVE(all_gather, "all-gather", "every rank gets what all have", MOVED, "apart")
COLLECTIVE(reduce_scatter, "reduce-scatter", "every rank gets its part of the sum", SUMMED,
           "redop apart")
COLLECTIVE(all_to_all, "all-to-all", "every rank sends every other a part", MOVED, "apart")
COLLECTIVE(reduce, "reduce", "rank 0 gets the sum of what all have", SUMMED, "redop apart")
COLLECTIVE(broadcast, "broadcast", "all get what rank 0 has", MOVED, "apart")
COLLECTIVE(point, "point-to-point", "messages between rank 0 and the last",
           "pattern=ping-pong|one-way|both-ways  window=64 (messages at once; of a ping-pong 1)",
           "pattern window")

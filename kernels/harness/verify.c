/* verify.c - outputs against the reference; kernel_cell.c calls it before and after samples are
 * taken. Rows are compared in pieces, the first and the last piece and then others from all over
 * the output, until all have been or time is up. See harness.h. // An output passes when no element
 * is further from the reference than bound x magnitude, and when the norm of all errors stays below
 * norm_bound x the norm of the results. With inputs whose result is exact (kernel.h) it must be the
 * reference, rounded once. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/harness/harness.h"
#include "schema/core/number.h"

/* A piece has at least PIECE_ROWS rows and PIECE_STEPS operations or elements, so that calls of the
 * reference are few; at most PIECE_MOST elements, so that its memory stays small; about PIECES
 * to an output, more where they would have over piece_long operations. */
enum { PIECE_ROWS = 16, PIECE_STEPS = 4096, PIECES = 256, PIECE_MOST = 1 << 20 };
static const double piece_long = 2e7;

/* Two numbers of 32 random bits each, uniform in [-1, 1). */
typedef struct {
    double a, b;
} uniform_pair;

static uniform_pair draw_two_uniform(uint64_t seed, uint64_t i)
{
    uint64_t bits = abdb_random_bits_at(seed, i);

    return (uniform_pair){(double)(int32_t)bits * 0x1p-31, (double)(int32_t)(bits >> 32) * 0x1p-31};
}

/* The value by the mode of filling; whole formats get [-128, 127], where -128 has no opposite. */
static double apply_fill_mode(double value, int mode, bool integer_format)
{
    return mode == ABDB_FILL_ZEROS      ? 0
           : mode == ABDB_FILL_INTEGERS ? floor(4 * value)
           : integer_format             ? floor(128 * value)
                                        : value;
}

/* The most frequent of them: f32, uniform. */
static void fill_uniform_f32(float *out, size_t count, uint64_t seed)
{
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < count / 2; i++) {
        uniform_pair d = draw_two_uniform(seed, i);

        out[2 * i] = (float)d.a;
        out[2 * i + 1] = (float)d.b;
    }
    if (count % 2) out[count - 1] = (float)draw_two_uniform(seed, count / 2).a;
}

/* f64 of 53 random bits, so that code that drops the lower ones is found. */
static void fill_uniform_f64(double *out, size_t count, uint64_t seed)
{
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < count; i++)
        out[i] = (double)((int64_t)abdb_random_bits_at(seed, i) >> 10) * 0x1p-53;
}

void abdb_fill_tensor_by_mode(abdb_tensor *tensor, uint64_t seed, int mode)
{
    size_t count = abdb_tensor_element_count(tensor);
    bool whole = tensor->dtype == ABDB_I8 || tensor->dtype == ABDB_I32;

    if (tensor->dtype == ABDB_F32 && mode == ABDB_FILL_UNIFORM) {
        fill_uniform_f32(tensor->data, count, seed);
        return;
    }
    if (tensor->dtype == ABDB_F64 && mode == ABDB_FILL_UNIFORM) {
        fill_uniform_f64(tensor->data, count, seed);
        return;
    }
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < (count + 1) / 2; i++) {
        uniform_pair d = draw_two_uniform(seed, i);

        abdb_tensor_set_rounded(tensor, 2 * i, apply_fill_mode(d.a, mode, whole));
        if (2 * i + 1 < count)
            abdb_tensor_set_rounded(tensor, 2 * i + 1, apply_fill_mode(d.b, mode, whole));
    }
}

void abdb_fill_tensor_uniform(abdb_tensor *tensor, uint64_t seed)
{
    abdb_fill_tensor_by_mode(tensor, seed, ABDB_FILL_UNIFORM);
}

/* What was found in some rows: the worst element in bounds, sums of squares. */
typedef struct {
    double worst, errors, wants, rows;
} error_totals;

/* One output that is looked at. */
typedef struct {
    const abdb_verify_options *how;
    const abdb_problem *p;
    int tensor;
    abdb_tensor got;
    size_t rows, width, piece; /* piece: rows of one */
    double bound, exact_bound; /* exact_bound: of exact inputs, relative to the result itself */
    abdb_reference_cache *reference_cache; /* NULL: nothing is */
    error_totals all;
} output_check;

/* What exponentials far below others leave is less than this. */
static const double nothing = 0x1p-60;

/* Of o->tensor, by its kernel. */
static void set_error_bounds(output_check *o)
{
    const abdb_kernel *kernel = o->how->kernel;

    o->bound = kernel->error_bound(o->p, o->tensor);
    o->exact_bound = kernel->exact_error_bound ? kernel->exact_error_bound(o->p, o->tensor) : 0;
}

/* The error of one element in multiples of its bound; an exact element must equal the reference, or
 * be within the kernel's exact bound. */
static double element_error_over_bound_or_infinity(const output_check *o, double got,
                                                   double expected, double magnitude)
{
    double limit = o->bound * magnitude, error;

    /* A NaN on either side is never right; exact results must be equal, or their ratio is
     * infinite. */
    if (o->how->exact) expected = abdb_dtype_round_value(o->got.dtype, expected);
    if (o->how->edges && isnan(expected)) return isnan(got) ? 0 : INFINITY;
    if (o->how->edges && isinf(expected)) return got == expected ? 0 : INFINITY;
    if (!isfinite(got) || !isfinite(expected)) return INFINITY;
    error = fabs(got - expected);
    if (error == 0 || (o->how->exact && error <= o->exact_bound * fmax(nothing, fabs(expected))))
        return 0;
    return !o->how->exact && limit > 0 ? error / limit : INFINITY;
}

/* Adds the errors of rows [low, high) against their reference. */
static void accumulate_errors_of_rows(const output_check *o, size_t low, size_t high,
                                      const double *want, const double *magnitude, error_totals *f)
{
    for (size_t i = 0; i < (high - low) * o->width; i++) {
        double got = abdb_tensor_get_f64(&o->got, low * o->width + i);
        double ratio = element_error_over_bound_or_infinity(o, got, want[i], magnitude[i]);

        f->worst = fmax(f->worst, ratio);
        if (!isfinite(ratio) || !isfinite(want[i])) continue;
        f->errors += (got - want[i]) * (got - want[i]);
        f->wants += want[i] * want[i];
    }
    f->rows += (double)(high - low);
}

double abdb_worst_row_error_over_bound(const abdb_verify_options *how, const abdb_problem *p,
                                       const abdb_problem *got, int tensor, size_t row,
                                       const double *want, const double *magnitude)
{
    output_check o = {.how = how, .p = p, .tensor = tensor, .got = got->tensor[tensor]};
    error_totals f = {0};

    o.rows = o.got.dim[0];
    o.width = abdb_tensor_element_count(&o.got) / o.rows;
    set_error_bounds(&o);
    accumulate_errors_of_rows(&o, row, row + 1, want, magnitude, &f);
    return f.worst;
}

/* Rows [low, high) of the output by the kernel's reference, with magnitudes that begin at 0. */
static abdb_status compute_reference_rows(const output_check *o, size_t low, size_t high,
                                          double *want, double *magnitude, abdb_error *err)
{
    size_t count = high - low, *row = malloc(count * sizeof *row);

    if (!row) return ABDB_FAIL(err, ABDB_NOMEM, "verification");
    for (size_t i = 0; i < count; i++) row[i] = low + i;
    memset(magnitude, 0, count * o->width * sizeof *magnitude);
    o->how->kernel->reference_rows(o->p, o->tensor, row, count, want, magnitude);
    free(row);
    return ABDB_OK;
}

/* Adds rows [low, high). */
static abdb_status compute_reference_and_accumulate_errors(const output_check *o, size_t low,
                                                           size_t high, error_totals *f,
                                                           abdb_error *err)
{
    size_t all = (high - low) * o->width;
    double *want = malloc(2 * all * sizeof *want);
    abdb_status st = ABDB_OK;

    if (!want) return ABDB_FAIL(err, ABDB_NOMEM, "verification");
    TRY(compute_reference_rows(o, low, high, want, want + all, err));
    accumulate_errors_of_rows(o, low, high, want, want + all, f);
done:
    free(want);
    return st;
}

/* Adds a whole piece, whose results may be known. */
static abdb_status compare_piece_with_cached_reference(const output_check *o, size_t piece_index,
                                                       error_totals *f, abdb_error *err)
{
    size_t low = piece_index * o->piece, high = low + o->piece < o->rows ? low + o->piece : o->rows;
    abdb_reference_cache *k = o->reference_cache;
    abdb_status st = ABDB_OK;

    if (!k) return compute_reference_and_accumulate_errors(o, low, high, f, err);
    if (!k->known[piece_index])
        TRY(compute_reference_rows(o, low, high, k->want + low * o->width,
                                   k->magnitude + low * o->width, err));
    k->known[piece_index] = 1;
    accumulate_errors_of_rows(o, low, high, k->want + low * o->width, k->magnitude + low * o->width,
                              f);
done:
    return st;
}

/* Room to keep an output's reference, where it is not too large and there is memory for it. */
static void attach_or_alloc_reference_cache_if_small(output_check *o, size_t pieces)
{
    abdb_reference_cache *k = o->how->wanted ? &o->how->wanted[o->tensor] : NULL;
    size_t all = o->rows * o->width;

    if (!k || all > ABDB_KEPT_MOST) return;
    if (!k->want) {
        k->want = malloc(2 * all * sizeof *k->want);
        k->magnitude = k->want ? k->want + all : NULL;
        k->known = calloc(pieces, 1);
    }
    if (k->want && k->known) o->reference_cache = k;
}

void abdb_reference_cache_free(abdb_reference_cache *wanted)
{
    free(wanted->want);
    free(wanted->known);
    *wanted = (abdb_reference_cache){0};
}

static void merge_error_totals(error_totals *to, const error_totals *f)
{
    to->worst = fmax(to->worst, f->worst);
    to->errors += f->errors;
    to->wants += f->wants;
    to->rows += f->rows;
}

uint32_t abdb_verify_seed(void)
{
    const char *text = getenv("ABDB_VERIFY_SEED");
    double given = text ? abdb_double_parse_prefix_or(text, 0) : 0;

    if (given >= 1 && given <= UINT32_MAX) return (uint32_t)given;
    return (uint32_t)(abdb_process_random_seed() >> 32) | 1;
}

/* Compares pieces on all threads, the last one, then one that the process draws and every `step`th
 * from there (mod pieces), until the time is up; two of them at least. */
static abdb_status compare_two_or_more_pieces_until_time_is_up(output_check *o, size_t pieces,
                                                               size_t step, double end_s,
                                                               abdb_error *err)
{
    static uint64_t draws; /* of this process: no two checks begin at the same piece */
    size_t others = pieces > 1 ? pieces - 1 : 1,
           first = abdb_random_bits_at(abdb_verify_seed(), draws++) % others;
    abdb_status st = ABDB_OK;

#pragma omp parallel for schedule(dynamic)
    for (size_t i = 0; i < pieces; i++) {
        size_t at = i == 0 ? pieces - 1 : (first + (i - 1) * step) % others;
        error_totals f = {0};
        abdb_error own = {.message = ""};
        abdb_status one;

        if (i >= 2 && abdb_clock_seconds() > end_s) continue;
        one = compare_piece_with_cached_reference(o, at, &f, &own);
#pragma omp critical(abdb_verify_totals)
        {
            merge_error_totals(&o->all, &f);
            if (one != ABDB_OK && st == ABDB_OK) {
                st = one;
                *err = own;
            }
        }
    }
    return st;
}

/* A step that comes to all of n places, each far from the one before: near n / 1.618 and without a
 * common divisor with n. */
static size_t coprime_golden_step(size_t n)
{
    size_t step = (size_t)((double)n / 1.6180339887);

    for (step = step ? step : 1; n > 1; step++) {
        size_t a = n, b = step;

        while (b) {
            size_t rest = a % b;

            a = b;
            b = rest;
        }
        if (a == 1) break;
    }
    return step;
}

/* Compares the rows that a check of the whole has marked, PIECE_ROWS of them at most: one that is
 * wrong is enough. A marked row may be right: f32 has rounded where the sum was not whole; but not
 * where numbers are but moved, and two NaN of other bits differ. */
static abdb_status compare_first_marked_rows_with_reference(output_check *o,
                                                            const unsigned char *marks,
                                                            abdb_error *err)
{
    error_totals f = {0};
    size_t left = PIECE_ROWS;
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < o->rows && left; i++)
        if (marks[i]) {
            left--;
            TRY(compute_reference_and_accumulate_errors(o, i, i + 1, &f, err));
            if (o->how->kernel->error_bound == abdb_error_bound_zero) f.worst = INFINITY;
        }
    o->all.worst = f.worst; /* these rows are compared again with all others */
done:
    return st;
}

/* The whole output by a quicker way. ABDB_USAGE: there is none for this problem. */
static abdb_status mark_and_compare_suspect_rows(output_check *o, abdb_error *err)
{
    unsigned char *marks;
    abdb_status st = ABDB_OK;

    marks = calloc(o->rows, 1);
    if (!marks) return ABDB_FAIL(err, ABDB_NOMEM, "verification");
    TRY(o->how->kernel->mark_suspect_rows(o->p, &o->got, o->how->seed, marks, err));
    TRY(compare_first_marked_rows_with_reference(o, marks, err));
done:
    free(marks);
    return st;
}

/* Rows of a piece: so many that a call of the reference is worth it and pieces lie all over. */
static size_t choose_rows_per_piece(const output_check *o)
{
    size_t piece = (o->rows + PIECES - 1) / PIECES,
           most = PIECE_MOST / o->width ? PIECE_MOST / o->width : 1;
    double steps; /* of a row: at least one for each element, even with fewer operations */
    abdb_work w;

    o->how->kernel->count_work(o->p, &w);
    steps = fmax((double)o->width, w.ops / (double)o->rows);
    if ((double)piece * steps > piece_long) piece = (size_t)(piece_long / steps);
    if (piece < PIECE_ROWS) piece = PIECE_ROWS;
    if ((double)piece * steps < PIECE_STEPS) piece = (size_t)(PIECE_STEPS / steps) + 1;
    if (piece > most) piece = most;
    return o->how->kernel->all_rows_at_once || piece > o->rows ? o->rows : piece;
}

/* One output of a problem; the rows that were looked at into *rows. */
static abdb_status verify_output_and_accumulate_worst_error(output_check *o, double *error,
                                                            double *rows, abdb_error *err)
{
    const abdb_kernel *kernel = o->how->kernel;
    /* looked at as a whole */
    bool whole = kernel->mark_suspect_rows &&
                 (o->how->exact || kernel->error_bound == abdb_error_bound_zero);
    size_t pieces, step;
    double start = abdb_clock_seconds(),
           norm_bound = kernel->norm_bound ? kernel->norm_bound(o->p, o->tensor) : INFINITY;
    abdb_status st = ABDB_OK;

    o->piece = choose_rows_per_piece(o);
    pieces = (o->rows + o->piece - 1) / o->piece;
    step = coprime_golden_step(pieces > 1 ? pieces - 1 : 1);
    attach_or_alloc_reference_cache_if_small(o, pieces);
    if (whole && (st = mark_and_compare_suspect_rows(o, err)) == ABDB_USAGE) {
        whole = false;
        st = ABDB_OK;
    }
    TRY(st);
    if (o->all.worst <= 1)
        TRY(compare_two_or_more_pieces_until_time_is_up(o, pieces, step, start + o->how->budget_s,
                                                        err));
    /* The norm counts like one more element: its ratio to the norm allowed by norm_bound. */
    if (o->all.errors > 0 && isfinite(norm_bound))
        o->all.worst = fmax(o->all.worst, sqrt(o->all.errors) / (norm_bound * sqrt(o->all.wants)));
done:
    *error = fmax(*error, o->all.worst);
    *rows += whole ? (double)o->rows : o->all.rows;
    return st;
}

abdb_status abdb_verify_outputs_against_reference(const abdb_verify_options *options,
                                                  const abdb_problem *p, const abdb_problem *got,
                                                  abdb_verify_result *out, abdb_error *err)
{
    double rows = 0, compared = 0;
    abdb_status st = ABDB_OK;

    *out = (abdb_verify_result){0};
    for (int i = 0; i < p->tensors; i++) {
        output_check o = {.how = options, .p = p, .tensor = i, .got = got->tensor[i]};

        if (p->tensor[i].role == ABDB_IN) continue;
        o.rows = o.got.dim[0];
        o.width = abdb_tensor_element_count(&o.got) / o.rows;
        set_error_bounds(&o);
        TRY(verify_output_and_accumulate_worst_error(&o, &out->error, &compared, err));
        rows += (double)o.rows;
    }
    out->rows_checked_share = compared / rows;
done:
    return st;
}

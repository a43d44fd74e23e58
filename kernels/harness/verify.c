/* verify.c - outputs against the reference; cell.c asks for it before and after samples are taken.
 * Rows are compared in pieces, the first and the last piece and then others from all over the
 * output, until all have been or time is up. See harness.h.
 * // An output passes when no element is further from the reference than bound x magnitude, and
 * when the norm of all errors stays below near x the norm of the results. With inputs whose result
 * is exact (kernel.h) it must be the reference, rounded once. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/harness/harness.h"

/* A piece has at least PIECE_ROWS rows and PIECE_STEPS operations or elements, so that calls of the
 * reference are few; at most PIECE_MOST elements, so that its memory stays small; about PIECES
 * to an output, more where they would have over piece_long operations. */
enum { PIECE_ROWS = 16, PIECE_STEPS = 4096, PIECES = 256, PIECE_MOST = 1 << 20 };
static const double piece_long = 2e7;

/* Two numbers of 32 random bits each, uniform in [-1, 1). */
typedef struct {
    double a, b;
} drawn;

static drawn draw(uint64_t seed, uint64_t i)
{
    uint64_t bits = abdb_random_at(seed, i);

    return (drawn){(double)(int32_t)bits * 0x1p-31, (double)(int32_t)(bits >> 32) * 0x1p-31};
}

/* As the way of filling has it; whole formats get [-128, 127], of which -128 has no opposite. */
static double shaped(double value, int how, bool whole)
{
    return how == ABDB_FILL_ZEROS      ? 0
           : how == ABDB_FILL_INTEGERS ? floor(4 * value)
           : whole                     ? floor(128 * value)
                                       : value;
}

/* The most frequent of them: f32, uniform. Nothing is asked at each element. */
static void fill_floats(float *out, size_t count, uint64_t seed)
{
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < count / 2; i++) {
        drawn d = draw(seed, i);

        out[2 * i] = (float)d.a;
        out[2 * i + 1] = (float)d.b;
    }
    if (count % 2) out[count - 1] = (float)draw(seed, count / 2).a;
}

void abdb_fill_with(abdb_tensor *tensor, uint64_t seed, int how)
{
    size_t count = abdb_tensor_count(tensor);
    bool whole = tensor->dtype == ABDB_I8 || tensor->dtype == ABDB_I32;

    if (tensor->dtype == ABDB_F32 && how == ABDB_FILL_UNIFORM) {
        fill_floats(tensor->data, count, seed);
        return;
    }
#pragma omp parallel for schedule(static)
    for (size_t i = 0; i < (count + 1) / 2; i++) {
        drawn d = draw(seed, i);

        abdb_tensor_set(tensor, 2 * i, shaped(d.a, how, whole));
        if (2 * i + 1 < count) abdb_tensor_set(tensor, 2 * i + 1, shaped(d.b, how, whole));
    }
}

void abdb_fill(abdb_tensor *tensor, uint64_t seed)
{
    abdb_fill_with(tensor, seed, ABDB_FILL_UNIFORM);
}

/* What was found in some rows: the worst element in bounds, sums of squares. */
typedef struct {
    double worst, errors, wants, rows;
} found;

/* One output that is looked at. */
typedef struct {
    const abdb_check *how;
    const abdb_problem *p;
    int tensor;
    abdb_tensor got;
    size_t rows, width, piece; /* piece: rows of one */
    double bound;
    abdb_wanted *kept; /* NULL: nothing is */
    found all;
} output;

/* How far one element is from what it should be, in bounds; an exact one must be it. */
static double ratio_of(const output *o, double got, double want, double magnitude)
{
    double limit = o->bound * magnitude, error;

    /* A NaN on either side is never right; exact results must be equal, or their ratio is
     * infinite. */
    if (o->how->exact) want = abdb_dtype_round(o->got.dtype, want);
    if (!isfinite(got) || !isfinite(want)) return INFINITY;
    error = fabs(got - want);
    if (error == 0) return 0;
    return !o->how->exact && limit > 0 ? error / limit : INFINITY;
}

/* Adds results of rows [low, high) beside what they should be. */
static void add_up(const output *o, size_t low, size_t high, const double *want,
                   const double *magnitude, found *f)
{
    for (size_t i = 0; i < (high - low) * o->width; i++) {
        double got = abdb_tensor_get(&o->got, low * o->width + i);
        double ratio = ratio_of(o, got, want[i], magnitude[i]);

        f->worst = fmax(f->worst, ratio);
        if (!isfinite(ratio)) continue;
        f->errors += (got - want[i]) * (got - want[i]);
        f->wants += want[i] * want[i];
    }
    f->rows += (double)(high - low);
}

static abdb_status refer(const output *o, size_t low, size_t high, double *want, double *magnitude,
                         abdb_error *err)
{
    size_t count = high - low, *row = malloc(count * sizeof *row);

    if (!row) return ABDB_FAIL(err, ABDB_NOMEM, "verification");
    for (size_t i = 0; i < count; i++) row[i] = low + i;
    memset(magnitude, 0, count * o->width * sizeof *magnitude);
    o->how->kernel->reference(o->p, o->tensor, row, count, want, magnitude);
    free(row);
    return ABDB_OK;
}

/* Adds rows [low, high). */
static abdb_status compare(const output *o, size_t low, size_t high, found *f, abdb_error *err)
{
    size_t all = (high - low) * o->width;
    double *want = malloc(2 * all * sizeof *want);
    abdb_status st = ABDB_OK;

    if (!want) return ABDB_FAIL(err, ABDB_NOMEM, "verification");
    TRY(refer(o, low, high, want, want + all, err));
    add_up(o, low, high, want, want + all, f);
done:
    free(want);
    return st;
}

/* Adds a whole piece, whose results may be known. */
static abdb_status compare_piece(const output *o, size_t at, found *f, abdb_error *err)
{
    size_t low = at * o->piece, high = low + o->piece < o->rows ? low + o->piece : o->rows;
    abdb_wanted *k = o->kept;
    abdb_status st = ABDB_OK;

    if (!k) return compare(o, low, high, f, err);
    if (!k->known[at])
        TRY(refer(o, low, high, k->want + low * o->width, k->magnitude + low * o->width, err));
    k->known[at] = 1;
    add_up(o, low, high, k->want + low * o->width, k->magnitude + low * o->width, f);
done:
    return st;
}

/* Room to keep what an output should be, where it is not too large and there is memory for it. */
static void keep(output *o, size_t pieces)
{
    abdb_wanted *k = o->how->wanted ? &o->how->wanted[o->tensor] : NULL;
    size_t all = o->rows * o->width;

    if (!k || all > ABDB_KEPT_MOST) return;
    if (!k->want) {
        k->want = malloc(2 * all * sizeof *k->want);
        k->magnitude = k->want ? k->want + all : NULL;
        k->known = calloc(pieces, 1);
    }
    if (k->want && k->known) o->kept = k;
}

void abdb_wanted_free(abdb_wanted *wanted)
{
    free(wanted->want);
    free(wanted->known);
    *wanted = (abdb_wanted){0};
}

static void add_found(found *to, const found *f)
{
    to->worst = fmax(to->worst, f->worst);
    to->errors += f->errors;
    to->wants += f->wants;
    to->rows += f->rows;
}

/* Compares pieces on all threads, the last one, then the first and every `step`th (mod pieces),
 * until the time is up; two of them at least. */
static abdb_status compare_pieces(output *o, size_t pieces, size_t step, double end_s,
                                  abdb_error *err)
{
    abdb_status st = ABDB_OK;

#pragma omp parallel for schedule(dynamic)
    for (size_t i = 0; i < pieces; i++) {
        size_t at = i == 0 ? pieces - 1 : (i - 1) * step % (pieces > 1 ? pieces - 1 : 1);
        found f = {0};
        abdb_error own = {.message = ""};
        abdb_status one;

        if (i >= 2 && abdb_now_s() > end_s) continue;
        one = compare_piece(o, at, &f, &own);
#pragma omp critical(abdb_compare)
        {
            add_found(&o->all, &f);
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
static size_t step_of(size_t n)
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
 * wrong is enough. A marked row may be right: f32 has rounded where the sum was not whole. */
static abdb_status compare_marked(output *o, const unsigned char *marks, abdb_error *err)
{
    found f = {0};
    size_t left = PIECE_ROWS;
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < o->rows && left; i++)
        if (marks[i]) {
            left--;
            TRY(compare(o, i, i + 1, &f, err));
        }
    o->all.worst = f.worst; /* these rows are compared again with all others */
done:
    return st;
}

/* The whole output by a quicker way. ABDB_USAGE: there is none for this problem. */
static abdb_status suspect(output *o, abdb_error *err)
{
    unsigned char *marks;
    abdb_status st = ABDB_OK;

    marks = calloc(o->rows, 1);
    if (!marks) return ABDB_FAIL(err, ABDB_NOMEM, "verification");
    TRY(o->how->kernel->suspect(o->p, &o->got, o->how->seed, marks, err));
    TRY(compare_marked(o, marks, err));
done:
    free(marks);
    return st;
}

/* Rows of a piece: so many that a call of the reference is worth it and pieces lie all over. */
static size_t piece_of(const output *o)
{
    size_t piece = (o->rows + PIECES - 1) / PIECES,
           most = PIECE_MOST / o->width ? PIECE_MOST / o->width : 1;
    double steps; /* of a row: what the reference computes may be more than what it says */
    abdb_work w;

    o->how->kernel->work(o->p, &w);
    steps = fmax((double)o->width, w.ops / (double)o->rows);
    if ((double)piece * steps > piece_long) piece = (size_t)(piece_long / steps);
    if (piece < PIECE_ROWS) piece = PIECE_ROWS;
    if ((double)piece * steps < PIECE_STEPS) piece = (size_t)(PIECE_STEPS / steps) + 1;
    if (piece > most) piece = most;
    return o->how->kernel->together || piece > o->rows ? o->rows : piece;
}

/* One output of a problem; the rows that were looked at into *rows. */
static abdb_status look_at(output *o, double *error, double *rows, abdb_error *err)
{
    const abdb_kernel *kernel = o->how->kernel;
    /* looked at as a whole */
    bool whole = kernel->suspect && (o->how->exact || kernel->bound == abdb_bound_exact);
    size_t pieces, step;
    double start = abdb_now_s(), near = kernel->near ? kernel->near(o->p, o->tensor) : INFINITY;
    abdb_status st = ABDB_OK;

    o->piece = piece_of(o);
    pieces = (o->rows + o->piece - 1) / o->piece;
    step = step_of(pieces > 1 ? pieces - 1 : 1);
    keep(o, pieces);
    if (whole && (st = suspect(o, err)) == ABDB_USAGE) {
        whole = false;
        st = ABDB_OK;
    }
    TRY(st);
    if (o->all.worst <= 1) TRY(compare_pieces(o, pieces, step, start + o->how->budget_s, err));
    /* The norm counts as if it were one more element: its ratio to what `near` allows. */
    if (o->all.errors > 0 && isfinite(near))
        o->all.worst = fmax(o->all.worst, sqrt(o->all.errors) / (near * sqrt(o->all.wants)));
done:
    *error = fmax(*error, o->all.worst);
    *rows += whole ? (double)o->rows : o->all.rows;
    return st;
}

abdb_status abdb_verify(const abdb_check *how, const abdb_problem *p, const abdb_problem *got,
                        abdb_checked *out, abdb_error *err)
{
    double rows = 0, compared = 0;
    abdb_status st = ABDB_OK;

    *out = (abdb_checked){0};
    for (int i = 0; i < p->tensors; i++) {
        output o = {.how = how, .p = p, .tensor = i, .got = got->tensor[i]};

        if (p->tensor[i].role == ABDB_IN) continue;
        o.rows = o.got.dim[0];
        o.width = abdb_tensor_count(&o.got) / o.rows;
        o.bound = how->kernel->bound(p, i);
        TRY(look_at(&o, &out->error, &compared, err));
        rows += (double)o.rows;
    }
    out->share = compared / rows;
done:
    return st;
}

/* vec.c - which instruction set, how many threads, and the part of each, for all kernels of backend
 * vec; and those kernels whose implementation is no more than that: stream, fma, latency, gather.
 * See vec.h. */
#include "kernels/providers/vec/vec.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif
#include <omp.h>
#include <string.h>

/* Elements: threads' parts begin at whole lines and whole vectors, whatever the format. */
enum { GRAIN = 256 };

#if defined(__x86_64__)
/* What compilers have no name for yet; asked once, since a hypervisor answers, slowly. */
static bool has_f16c, has_avx512fp16, has_amx;
__attribute__((constructor)) static void read_cpuid_features(void)
{
    enum { EDX_TILES = 1 << 22 | 1 << 24 | 1 << 25 }; /* of bf16, tiles, of i8 */
    unsigned a, b, c, d;

    if (__get_cpuid_count(1, 0, &a, &b, &c, &d)) has_f16c = c >> 29 & 1;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d)) return;
#if defined(VEC_HALVES)
    has_avx512fp16 = d >> 23 & 1;
#endif
    has_amx = (d & EDX_TILES) == EDX_TILES;
}

/* Tiles of AMX: the processor has them, and the system lets this process use them once asked. */
static bool request_amx_tiles_once(void)
{
    enum { REQUEST = 0x1023, TILE_DATA = 18 };
    static int known = -1;

    if (known < 0)
        known = has_amx && __builtin_cpu_supports("avx512bf16") &&
                __builtin_cpu_supports("avx512vnni") &&
                syscall(SYS_arch_prctl, REQUEST, TILE_DATA) == 0;
    return known;
}

/* Attention of bf16 by blocks of queries: not one query, nor the whole matrix of scores. */
static bool is_bf16_flash_attention(const abdb_problem *p)
{
    const char *algorithm = abdb_param_text(p, "algorithm"), *pass = abdb_param_text(p, "pass");
    bool backward = pass && strcmp(pass, "backward") == 0;

    return strcmp(p->kernel, "attention") == 0 && p->tensor[0].dtype == ABDB_BF16 &&
           (backward || abdb_param_number(p, "queries", 1) > 1) &&
           (!algorithm || strcmp(algorithm, "flash") == 0);
}

/* Is it made of products of formats that tiles have? */
static bool is_made_of_amx_products(const abdb_problem *p)
{
    const abdb_tensor *x = &p->tensor[0];

    if (is_bf16_flash_attention(p)) return true;
    return (strcmp(p->kernel, "gemm") == 0 || strcmp(p->kernel, "linear") == 0 ||
            strcmp(p->kernel, "transformer-block") == 0) &&
           (x->dtype == ABDB_BF16 || x->dtype == ABDB_I8);
}

const abdb_vec_isa *abdb_vec_select_isa(const abdb_problem *p)
{
    const char *asked = abdb_param_text(p, "isa");
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c;
    bool avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl");

    if (!asked && is_made_of_amx_products(p) && avx512 && request_amx_tiles_once())
        return &abdb_vec_amx;
    if (!asked) return avx512 ? &abdb_vec_avx512 : avx2 ? &abdb_vec_avx2 : &abdb_vec_base;
    if (strcmp(asked, "base") == 0) return &abdb_vec_base;
    if (strcmp(asked, "avx2") == 0 && avx2) return &abdb_vec_avx2;
    if (strcmp(asked, "avx512") == 0 && avx512) return &abdb_vec_avx512;
    if (strcmp(asked, "amx") == 0 && is_made_of_amx_products(p) && avx512 &&
        request_amx_tiles_once())
        return &abdb_vec_amx;
    return NULL;
}

bool abdb_vec_has_native_dot_or_f16_fma(const abdb_vec_isa *isa, abdb_dtype dtype)
{
    if (isa != &abdb_vec_avx512 && isa != &abdb_vec_amx) return false;
    return dtype == ABDB_BF16  ? __builtin_cpu_supports("avx512bf16")
           : dtype == ABDB_I8  ? __builtin_cpu_supports("avx512vnni")
           : dtype == ABDB_F16 ? has_avx512fp16
                               : false;
}

const abdb_vec_isa *abdb_vec_isa_for_packed_gemm(const abdb_vec_isa *isa,
                                                 const abdb_vec_gemm_call *q)
{
    return isa == &abdb_vec_amx && q->b_packed && q->m <= VEC_FEW && q->dtype == ABDB_BF16
               ? &abdb_vec_avx512
               : isa;
}
#else
const abdb_vec_isa *abdb_vec_select_isa(const abdb_problem *p)
{
    const char *asked = abdb_param_text(p, "isa");

#if defined(__aarch64__)
    if (!asked || strcmp(asked, "neon") == 0) return &abdb_vec_neon;
#endif
    return !asked || strcmp(asked, "base") == 0 ? &abdb_vec_base : NULL;
}

bool abdb_vec_has_native_dot_or_f16_fma(const abdb_vec_isa *isa, abdb_dtype dtype)
{
    (void)isa, (void)dtype;
    return false;
}

const abdb_vec_isa *abdb_vec_isa_for_packed_gemm(const abdb_vec_isa *isa,
                                                 const abdb_vec_gemm_call *q)
{
    (void)q;
    return isa;
}
#endif

int abdb_vec_thread_count(const abdb_problem *p)
{
    double asked = abdb_param_number(p, "threads", 0);
    int most = omp_get_max_threads();

    return asked >= 1 && asked <= most ? (int)asked : most;
}

int abdb_vec_supports_isa_stores_and_threads(const abdb_problem *p, const char **why_not)
{
    const char *stores = abdb_param_text(p, "stores");

    *why_not = "this processor has no such instruction set";
    if (!abdb_vec_select_isa(p)) return 0;
    *why_not = "this instruction set has no stores past the caches";
    if (!VEC_PAST && stores && strcmp(stores, "nt") == 0) return 0;
    *why_not = "more threads than this machine gives";
    return abdb_param_number(p, "threads", 1) <= omp_get_max_threads();
}

bool abdb_vec_supports_gemm_dtype(const abdb_problem *p, abdb_dtype dtype)
{
    if (dtype == ABDB_F32 || dtype == ABDB_F64 || dtype == ABDB_F16) return true;
    return (dtype == ABDB_BF16 || dtype == ABDB_I8) &&
           abdb_vec_has_native_dot_or_f16_fma(abdb_vec_select_isa(p), dtype);
}

/* Of stream, fma and gather. */
static int vec_stream_fma_gather_accepts(const abdb_problem *p, const char **why_not)
{
    const abdb_tensor *x = &p->tensor[0];
    const char *op = abdb_param_text(p, "op"), *stores = abdb_param_text(p, "stores");

    *why_not = "nothing is stored";
    if (op && stores && strcmp(stores, "nt") == 0 &&
        (strcmp(op, "read") == 0 || strcmp(op, "dot") == 0))
        return 0;
    if (!abdb_vec_supports_isa_stores_and_threads(p, why_not)) return 0;
    *why_not = "this processor has no arithmetic of f16";
    if (strcmp(p->kernel, "fma") == 0 && x->dtype == ABDB_F16)
        return abdb_vec_has_native_dot_or_f16_fma(abdb_vec_select_isa(p), ABDB_F16);
    *why_not =
        "this processor has no dot product of that format, or the width is no multiple of 16";
    if (strcmp(p->kernel, "fma") != 0 || x->dtype == ABDB_F64 || x->dtype == ABDB_F32) return 1;
    return p->tensor[2].dim[0] % 16 == 0 && abdb_vec_supports_gemm_dtype(p, x->dtype);
}

/* Part [low, high) of n elements for a thread, at whole grains. */
static void grain_range_of_thread(size_t n, int threads, int thread, size_t *low, size_t *high)
{
    size_t grains = (n + GRAIN - 1) / GRAIN,
           each = (grains + (size_t)threads - 1) / (size_t)threads;

    *low = each * (size_t)thread * GRAIN < n ? each * (size_t)thread * GRAIN : n;
    *high = each * ((size_t)thread + 1) * GRAIN < n ? each * ((size_t)thread + 1) * GRAIN : n;
}

/* Z = op(X, Y), a part for each thread; of dot and read the sum of all parts. */
static abdb_status vec_stream_launch(void *state, abdb_error *err)
{
    const abdb_problem *p = state;
    const abdb_vec_isa *isa = abdb_vec_select_isa(p);
    const char *op = abdb_param_text(p, "op");
    size_t n = (size_t)abdb_param_number(p, "n", 1);
    double sum = 0;

    (void)err;
#pragma omp parallel num_threads(abdb_vec_thread_count(p)) reduction(+ : sum)
    {
        size_t low, high;

        grain_range_of_thread(n, omp_get_num_threads(), omp_get_thread_num(), &low, &high);
        /* Parts are added in whatever order threads end; the bound of the kernel covers it. */
        sum += isa->stream(p, low, high);
    }
    if (op && (strcmp(op, "dot") == 0 || strcmp(op, "read") == 0))
        abdb_tensor_set_rounded(&p->tensor[2], 0, sum);
    return ABDB_OK;
}

/* n elements, a part for each thread. */
static void run_on_thread_ranges(const abdb_problem *p, size_t n, abdb_vec_part *each)
{
#pragma omp parallel num_threads(abdb_vec_thread_count(p))
    {
        size_t low, high;

        grain_range_of_thread(n, omp_get_num_threads(), omp_get_thread_num(), &low, &high);
        each(p, low, high);
    }
}

static abdb_status vec_fma_chains_launch(void *state, abdb_error *err)
{
    const abdb_problem *p = state;

    (void)err;
    run_on_thread_ranges(p, p->tensor[2].dim[0], abdb_vec_select_isa(p)->fma);
    return ABDB_OK;
}

/* END = NEXT[... NEXT[0]], `hops` times: each load waits for the one before. */
static abdb_status vec_latency_pointer_chase_launch(void *state, abdb_error *err)
{
    const abdb_problem *p = state;
    const int32_t *next = p->tensor[0].data;
    int32_t at = 0;

    (void)err;
    for (size_t i = (size_t)abdb_param_number(p, "hops", 1); i > 0; i--) at = next[at];
    *(int32_t *)p->tensor[1].data = at;
    return ABDB_OK;
}

static abdb_status vec_gather_or_scatter_launch(void *state, abdb_error *err)
{
    const abdb_problem *p = state;

    (void)err;
    run_on_thread_ranges(p, p->tensor[1].dim[0], abdb_vec_select_isa(p)->gather);
    return ABDB_OK;
}

static const char *vec_chosen_isa(const void *state)
{
    return abdb_vec_select_isa(state)->name;
}

static const char *vec_fma_chosen_isa(const void *state)
{
    const abdb_problem *p = state;

    return p->tensor[0].dtype == ABDB_F16 ? "avx512fp16" : vec_chosen_isa(state);
}

const abdb_impl abdb_vec_stream = {
    "stream", "vec", vec_stream_fma_gather_accepts, NULL, vec_stream_launch, vec_chosen_isa, NULL};
const abdb_impl abdb_vec_fma = {
    "fma", "vec", vec_stream_fma_gather_accepts, NULL, vec_fma_chains_launch, vec_fma_chosen_isa,
    NULL};
const abdb_impl abdb_vec_latency = {"latency", "vec", NULL, NULL, vec_latency_pointer_chase_launch,
                                    NULL,      NULL};
const abdb_impl abdb_vec_gather = {
    "gather",       "vec", vec_stream_fma_gather_accepts, NULL, vec_gather_or_scatter_launch,
    vec_chosen_isa, NULL};

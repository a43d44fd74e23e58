/* reference.c - the references that results are verified by, against values computed elsewhere: the
 * inputs of small problems and what each reference makes of them go to
 * tests/checks/kernel_references.py, which computes the same by its own algorithms and prints the
 * test's lines. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/unit/kernel_check.h"

static const struct {
    const abdb_kernel *kernel;
    const char *cell;
} cells[] = {
    {&abdb_kernel_gemm, "m=5 n=7 k=9 dtype=f64"},
    {&abdb_kernel_gemm, "m=6 n=5 k=33 dtype=f32"},
    {&abdb_kernel_gemm, "m=3 n=4 k=17 dtype=bf16"},
    {&abdb_kernel_gemm, "m=3 n=4 k=17 dtype=f16"},
    {&abdb_kernel_gemm, "m=3 n=4 k=17 dtype=tf32"},
    {&abdb_kernel_gemm, "m=3 n=4 k=17 dtype=e4m3"},
    {&abdb_kernel_gemm, "m=3 n=4 k=17 dtype=e5m2 batch=2"},
    {&abdb_kernel_gemm, "m=4 n=6 k=31 dtype=i8"},
    {&abdb_kernel_gemm, "m=4 n=3 k=5 batch=3 dtype=f32"},
    {&abdb_kernel_gemm, "m=3 n=4 k=5 transpose=nt dtype=f64"},
    {&abdb_kernel_gemm, "m=3 n=4 k=5 transpose=tn batch=2 dtype=f32"},
    {&abdb_kernel_gemm, "m=3 n=4 k=5 transpose=tt beta=1 dtype=f64"},
    {&abdb_kernel_gemm, "m=3 n=4 k=17 transpose=nt beta=1 epilogue=bias-gelu dtype=bf16"},
    {&abdb_kernel_gemm, "m=3 n=4 k=5 epilogue=bias dtype=f32"},
    {&abdb_kernel_gemm, "m=3 n=4 k=5 epilogue=gelu dtype=f32"},
    {&abdb_kernel_gemm, "m=3 n=4 k=5 beta=1 epilogue=relu dtype=f64"},
    {&abdb_kernel_gemm, "m=3 n=4 k=5 epilogue=bias-silu dtype=f32"},
    {&abdb_kernel_gemm, "m=3 n=4 k=5 epilogue=silu dtype=f16"},
    {&abdb_kernel_gemm, "m=3 n=4 k=9 transpose=tn beta=1 epilogue=bias-relu dtype=i8"},
    {&abdb_kernel_stream, "op=copy n=37 dtype=f64"},
    {&abdb_kernel_stream, "op=scale n=37 dtype=f32"},
    {&abdb_kernel_stream, "op=add n=37 dtype=f64"},
    {&abdb_kernel_stream, "op=triad n=37 dtype=f32"},
    {&abdb_kernel_stream, "op=dot n=37 dtype=f64"},
    {&abdb_kernel_stream, "op=read n=37 dtype=f32"},
    {&abdb_kernel_stream, "op=write n=37 dtype=f32"},
    {&abdb_kernel_stream, "op=fma fmas=5 n=37 dtype=f64"},
    {&abdb_kernel_fma, "width=32 n=50 dtype=f64"},
    {&abdb_kernel_fma, "width=32 n=50 dtype=f32"},
    {&abdb_kernel_fma, "width=32 n=50 dtype=bf16"},
    {&abdb_kernel_fma, "width=32 n=2000 dtype=f16"},
    {&abdb_kernel_fma, "width=32 n=50 dtype=i8"},
    {&abdb_kernel_latency, "bytes=4096 hops=1000"},
    {&abdb_kernel_gather, "op=gather rows=40 bytes=24 fraction=0.4"},
    {&abdb_kernel_gather, "op=scatter rows=40 bytes=24 fraction=0.4"},
    {&abdb_kernel_gups, "words=64 updates=400 parts=2"},
    {&abdb_kernel_embedding, "tables=3 rows=20 lookups=7 batch=4 bytes=20"},
    {&abdb_kernel_elementwise, "op=softmax rows=9 columns=21"},
    {&abdb_kernel_elementwise, "op=layernorm rows=9 columns=21"},
    {&abdb_kernel_elementwise, "op=rmsnorm rows=9 columns=21 dtype=bf16"},
    {&abdb_kernel_elementwise, "op=softmax rows=9 columns=300 dtype=f16"},
    {&abdb_kernel_elementwise, "op=gelu rows=9 columns=21"},
    {&abdb_kernel_elementwise, "op=silu rows=9 columns=21"},
    {&abdb_kernel_elementwise, "op=rotary rows=9 columns=16"},
    {&abdb_kernel_elementwise, "op=cross-entropy rows=9 columns=21"},
    {&abdb_kernel_elementwise, "op=adamw rows=3 columns=21"},
    {&abdb_kernel_attention, "heads=4 kv_heads=2 queries=5 keys=9 d=8 causal=yes"},
    {&abdb_kernel_attention, "batch=2 heads=2 sequence=6 d=8 dtype=bf16"},
    {&abdb_kernel_attention, "batch=2 heads=2 sequence=6 d=8 dtype=f16"},
    {&abdb_kernel_attention, "pass=backward heads=4 kv_heads=2 queries=5 keys=9 d=8 causal=yes"},
    {&abdb_kernel_attention, "pass=backward batch=2 heads=2 sequence=6 d=8"},
    {&abdb_kernel_paged, "layout=list batch=3 heads=4 kv_heads=2 d=8 sequence=24 block=8"},
    {&abdb_kernel_paged,
     "layout=table padding=0.5 batch=3 heads=4 kv_heads=2 d=8 sequence=32 block=8"},
    {&abdb_kernel_linear, "m=3 n=5 k=32 weights=f32"},
    {&abdb_kernel_linear, "m=3 n=64 k=256 sparsity=0.5 pattern=block"},
    {&abdb_kernel_linear, "m=3 n=16 k=64 sparsity=0.7"},
    {&abdb_kernel_linear, "m=3 n=16 k=64 pattern=2:4"},
    {&abdb_kernel_linear, "m=3 n=5 k=32 weights=i8"},
    {&abdb_kernel_linear, "m=3 n=5 k=64 weights=i4"},
    {&abdb_kernel_linear, "m=3 n=5 k=32 weights=i8 activations=i8"},
    {&abdb_kernel_block, "batch=2 sequence=5 d=32 heads=4"},
    {&abdb_kernel_block, "pass=backward batch=2 sequence=5 d=32 heads=4"},
    {&abdb_kernel_all_reduce, "ranks=3 message_bytes=40"},
    {&abdb_kernel_all_reduce, "ranks=4 message_bytes=20 redop=max dtype=i32"},
    {&abdb_kernel_all_gather, "ranks=3 message_bytes=40"},
    {&abdb_kernel_reduce_scatter, "ranks=3 message_bytes=120 dtype=f64"},
    {&abdb_kernel_all_to_all, "ranks=3 message_bytes=18 dtype=i8"},
    {&abdb_kernel_reduce, "ranks=3 message_bytes=40 redop=min"},
    {&abdb_kernel_broadcast, "ranks=3 message_bytes=40"},
    {&abdb_kernel_point, "ranks=3 message_bytes=40"},
    {&abdb_kernel_point, "ranks=2 message_bytes=8 pattern=one-way window=3"},
    {&abdb_kernel_point, "ranks=3 message_bytes=8 pattern=both-ways window=2"},
};
enum { CELLS = sizeof cells / sizeof cells[0] };

static void print_json_member_array(FILE *out, const char *name, const double *x, size_t n)
{
    fprintf(out, "\"%s\":[", name);
    for (size_t i = 0; i < n; i++) fprintf(out, "%s%.17g", i ? "," : "", x[i]);
    fputs("]", out);
}

static void print_tensor_input_and_reference_json(FILE *out, const abdb_kernel *kernel,
                                                  const abdb_problem *p, int tensor_index)
{
    const abdb_tensor *t = &p->tensor[tensor_index];
    size_t n = abdb_tensor_element_count(t), row[64];
    double *x = calloc(2 * n, sizeof *x);

    fprintf(out, "%s{\"dtype\":\"%s\",\"out\":%d,\"dim\":[", tensor_index ? "," : "",
            abdb_dtype_name(t->dtype), t->role != ABDB_IN);
    for (int k = 0; k < t->rank; k++) fprintf(out, "%s%zu", k ? "," : "", t->dim[k]);
    fputs("],", out);
    for (size_t e = 0; t->role != ABDB_OUT && e < n; e++) x[e] = abdb_tensor_get_f64(t, e);
    print_json_member_array(out, "in", x, t->role == ABDB_OUT ? 0 : n);
    fputs(",", out);
    for (size_t at = 0; t->role != ABDB_IN && at < t->dim[0]; at += 64) {
        size_t rows = t->dim[0] - at < 64 ? t->dim[0] - at : 64, width = n / t->dim[0];

        for (size_t r = 0; r < rows; r++) row[r] = at + r;
        kernel->reference_rows(p, tensor_index, row, rows, x + at * width, x + n);
    }
    print_json_member_array(out, "want", x, t->role == ABDB_IN ? 0 : n);
    fputs("}", out);
    free(x);
}

static void print_cell_inputs_and_reference_json(FILE *out, const abdb_kernel *kernel,
                                                 const char *cell)
{
    char text[128];
    abdb_problem p;
    abdb_error err = {0};

    snprintf(text, sizeof text, "%s", cell);
    p = parse_problem_splitting_text_in_place(kernel->name, text);
    if (kernel->setup_tensors(&p, &limits, &err) != ABDB_OK) exit(1);
    allocate_tensors_fill_inputs_uniform(&p);
    if (kernel->prepare_inputs) kernel->prepare_inputs(&p, 3);
    fprintf(out, "{\"kernel\":\"%s\",\"cell\":\"%s\",\"params\":{", kernel->name, cell);
    for (int i = 0; i < p.params; i++)
        fprintf(out, "%s\"%s\":\"%s\"", i ? "," : "", p.param[i].name, p.param[i].text);
    fputs("},\"tensors\":[", out);
    for (int i = 0; i < p.tensors; i++) print_tensor_input_and_reference_json(out, kernel, &p, i);
    fputs("]}\n", out);
    free_all_tensors(&p);
}

/* "dump": prints what there is to compare; else hands it to the script. */
int main(int argc, char **argv)
{
    FILE *out;
    int status;

    if (argc > 1 && strcmp(argv[1], "dump") == 0) {
        for (size_t i = 0; i < CELLS; i++)
            print_cell_inputs_and_reference_json(stdout, cells[i].kernel, cells[i].cell);
        return 0;
    }
    if (system("python3 -c 'import sys' 2>/dev/null") != 0) {
        puts("1..0 # SKIP no python3 to compute the references elsewhere");
        return 0;
    }
    out = popen("python3 tests/checks/kernel_references.py", "w");
    if (!out) return 1;
    for (size_t i = 0; i < CELLS; i++)
        print_cell_inputs_and_reference_json(out, cells[i].kernel, cells[i].cell);
    status = pclose(out);
    return status != 0;
}

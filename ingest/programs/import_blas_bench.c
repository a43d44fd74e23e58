/* import_blas_bench.c - hipblaslt-bench and rocblas-bench: timed matrix products.
 *
 * How nine logs, pages and posts disagree, and the tools' sources: hipblaslt-bench puts "[0]:"
 * before the heading, on a line of its own behind it, or nowhere; its columns grew with each
 * release (a_type, scaleA, swizzle_a, flush, frequencies, "efficiency"), and rocblas-bench writes
 * M,N,K and no type, which stands in the command (-r f16_r) if at all. Rates are GFLOP/s of the
 * product and GB/s of its operands, of rocblas-bench often the first alone; CPU-Gflops and CPU-us
 * of the reference on the host are left out by name. A launch too short for the clock prints inf
 * and 0. "Winner:" repeats the row of the fastest solution. The device is "Device ID 0 : NAME
 * arch", printed behind each command. Functions other than products have no M, N and K and are
 * rejected by name of their line. Rates are means over the iterations. The input row is a line.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/check_entry.h"
#include "ingest/read/text_lines.h"
#include "ingest/read/unknown_factor.h"

enum { CELLS_MAX = 96 };

typedef struct {
    size_t count;
    const char *cell[CELLS_MAX];
} cells;

typedef struct {
    const abdb_overrides *words;
    const abdb_sink *sink;
    abdb_left_out *left_out;
    abdb_entry *entry;
    const char *device, *arch, *software, *dtype; /* dtype: of a command */
    cells header;
    bool winner; /* the rows that follow are repeated */
    abdb_arena arena, header_arena, line_arena;
} state;

static int blas_bench_bid(const abdb_input *in)
{
    size_t size = in->text_size < BID_SIZE ? in->text_size : BID_SIZE;

    return memmem(in->text, size, "transA,transB", 13) &&
                   (memmem(in->text, size, ",hipblaslt-Gflops", 17) ||
                    memmem(in->text, size, ",rocblas-Gflops", 15)) &&
                   !memmem(in->text, size, "rocblas_cout", 12)
               ? 83
               : 0;
}

/* What was stated for one command holds for no other. */
static void forget_run(state *s)
{
    s->device = s->arch = s->software = s->dtype = NULL;
    s->header.count = 0;
    s->winner = false;
    abdb_arena_free(&s->arena);
}

static void split_at_commas(cells *out, const char *text, abdb_arena *arena)
{
    out->count = 0;
    for (;;) {
        size_t size = strcspn(text, ",");
        const char *cell = abdb_trim_in_place(abdb_arena_copy(arena, text, size));

        if (out->count < CELLS_MAX) out->cell[out->count++] = cell;
        if (!text[size]) return;
        text += size + 1;
    }
}

static const char *cell_or_null(const state *s, const cells *row, const char *name)
{
    for (size_t i = 0; i < s->header.count && i < row->count; i++)
        if (strcasecmp(s->header.cell[i], name) == 0 && *row->cell[i]) return row->cell[i];
    return NULL;
}

static const char *number_format_of_type_or_null(const char *type)
{
    static const char *const names[][2] = {
        {"f16_r", "fp16"}, {"h", "fp16"},        {"bf16_r", "bf16"}, {"f32_r", "fp32"},
        {"s", "fp32"},     {"f64_r", "fp64"},    {"d", "fp64"},      {"i8_r", "int8"},
        {"f8_r", "fp8"},   {"f8_fnuz_r", "fp8"}, {"f4_r", "fp4"}};

    for (size_t i = 0; type && i < sizeof names / sizeof names[0]; i++)
        if (strcmp(type, names[i][0]) == 0) return names[i][1];
    return type;
}

/* What the product computes in: xf32 takes operands of fp32 and is another format. */
static const char *number_format_of_row_or_null(const state *s, const cells *row)
{
    const char *type = cell_or_null(s, row, "a_type"),
               *computes = cell_or_null(s, row, "compute_type");

    if (computes && strstr(computes, "xf32")) return computes;
    return type ? number_format_of_type_or_null(type) : s->dtype;
}

static void add_rates(state *s, const cells *row)
{
    static const char *const rates[][3] = {{"hipblaslt-Gflops", "flops_per_s", "GFLOP/s"},
                                           {"rocblas-Gflops", "flops_per_s", "GFLOP/s"},
                                           {"hipblaslt-GB/s", "bytes_per_s", "GB/s"},
                                           {"rocblas-GB/s", "bytes_per_s", "GB/s"},
                                           {"us", "time_s", "us"}};

    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        const char *printed = cell_or_null(s, row, rates[i][0]);
        double value;

        if (printed && abdb_double_parse(printed, ABDB_MARK_POINT, &value) && value > 0)
            (void)abdb_entry_add_printed_result_or_count_left_out(
                s->entry, rates[i][1], "mean", printed, ABDB_MARK_POINT, rates[i][2]);
    }
}

/* Columns that are neither rates nor the names below become factors under their own names. */
static void add_other_columns_as_factors(state *s, const cells *row)
{
    static const char *const read[] = {"transA",
                                       "transB",
                                       "m",
                                       "n",
                                       "k",
                                       "hipblaslt-Gflops",
                                       "rocblas-Gflops",
                                       "us",
                                       "a_type",
                                       "hipblaslt-GB/s",
                                       "rocblas-GB/s",
                                       "M",
                                       "N",
                                       "K",
                                       "batch_count",
                                       "kernel_name",
                                       "solution_name",
                                       NULL};

    for (size_t i = 0; i < s->header.count; i++) {
        const char *name = s->header.cell[i];

        if (abdb_text_is_in_list(name, read)) continue;
        if (strncmp(name, "CPU-", 4) == 0)
            abdb_left_out_count_value(s->left_out, name);
        else
            abdb_entry_add_renamed_extra_factor_unless_ignored(
                s->entry, name, row->cell[i], ABDB_MARK_POINT, NULL, &s->line_arena);
    }
}

static void fill_entry_of_product(state *s, const text_line *line, const cells *row)
{
    static const char *const sizes[][2] = {
        {"m", "m"}, {"n", "n"}, {"k", "k"}, {"batch_count", "batch"}};
    const char *a = cell_or_null(s, row, "transA"), *b = cell_or_null(s, row, "transB");
    bool lt = cell_or_null(s, row, "hipblaslt-Gflops") != NULL;
    abdb_entry *entry = s->entry;

    abdb_entry_set_measured_run(entry, lt ? "hipblaslt-bench" : "rocblas-bench", "gemm",
                                abdb_arena_printf(&s->line_arena, "line %ld", line->number),
                                line->number);
    entry->field[ABDB_FIELD_device] = s->device;
    entry->field[ABDB_FIELD_devices] = "1"; /* the program runs on one */
    entry->field[ABDB_FIELD_backend] = lt ? "hipblaslt" : "rocblas";
    entry->field[ABDB_FIELD_dtype] = number_format_of_row_or_null(s, row);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        abdb_entry_add_factor_parsing_number(entry, sizes[i][1], cell_or_null(s, row, sizes[i][0]));
    if (a && b)
        abdb_entry_add_factor_parsing_number(entry, "transpose",
                                             abdb_arena_printf(&s->line_arena, "%c%c",
                                                               tolower((unsigned char)*a),
                                                               tolower((unsigned char)*b)));
    abdb_entry_add_factor_parsing_number(entry, "arch", s->arch);
    abdb_entry_add_factor_parsing_number(entry, "software", s->software);
    add_other_columns_as_factors(s, row);
}

/* A row below a heading. */
static abdb_status import_or_reject_row(state *s, const text_line *line, const char *text,
                                        abdb_error *err)
{
    cells row = {0};
    abdb_status st = ABDB_OK;

    split_at_commas(&row, text, &s->line_arena);
    if (s->winner) {
        abdb_left_out_count_value(s->left_out, "Winner, of a row above");
        goto done;
    }
    if (row.count != s->header.count) {
        TRY(line_reject_count_numbers_and_end_row(s->sink, line, NULL,
                                                  "more or fewer cells than headings", err));
        goto done;
    }
    add_rates(s, &row);
    if (!s->entry->results || !cell_or_null(s, &row, "m") || !cell_or_null(s, &row, "k")) {
        abdb_left_out_count_values_of_entry(s->left_out, s->entry);
        TRY(line_reject_and_end_row(
            s->sink, line, "Gflops",
            s->entry->results ? "no matrix product: abdb reads no other function of BLAS"
                              : "no rate: inf, zero or no number, as the launch was too short",
            err));
        goto done;
    }
    fill_entry_of_product(s, line, &row);
    TRY(abdb_entry_check_and_deliver_row(s->entry, s->words, s->sink, err));
done:
    abdb_entry_reset(s->entry);
    abdb_arena_free(&s->line_arena);
    return st;
}

/* "Device ID 0 : AMD Instinct MI350X gfx950:sramecc+:xnack-" */
static void read_device(state *s, const char *text)
{
    const char *name = strchr(text, ':'), *arch = strstr(text, " gfx");

    if (!name) return;
    name += 1 + strspn(name + 1, " ");
    if (arch && arch > name) {
        s->device = abdb_arena_copy(&s->arena, name, (size_t)(arch - name));
        s->arch = abdb_arena_copy(&s->arena, arch + 1, strcspn(arch + 1, " :"));
    } else {
        s->device = abdb_arena_copy(&s->arena, name, strlen(name));
    }
}

/* "rocblas-bench -f gemm -r f16_r": the type of the rows that follow, which have none. */
static void read_type_of_command(state *s, const char *text)
{
    static const char *const options[] = {" --a_type ", " -r ", " --precision "};

    for (size_t i = 0; i < sizeof options / sizeof options[0] && !s->dtype; i++) {
        const char *at = strstr(text, options[i]), *type = at ? at + strlen(options[i]) : NULL;

        if (type)
            s->dtype =
                number_format_of_type_or_null(abdb_arena_copy(&s->arena, type, strcspn(type, " ")));
    }
}

static bool looks_like_row(const char *text)
{
    return (isupper((unsigned char)text[0]) && text[1] == ',') ||
           (isdigit((unsigned char)*text) && strchr(text, ','));
}

static abdb_status import_line(void *self, const text_line *line, abdb_error *err)
{
    state *s = self;
    const char *text = line->text + strspn(line->text, " \t`");
    size_t index = *text == '[' ? strspn(text + 1, "0123456789") : 0;
    char plain[4096];
    abdb_status st = ABDB_OK;

    if (index && strncmp(text + 1 + index, "]:", 2) == 0) text += index + 3;
    snprintf(plain, sizeof plain, "%s", text);
    abdb_trim_in_place(plain);
    if (strstr(plain, "-Gflops") && strchr(plain, ',') && strlen(text) < sizeof plain) {
        abdb_arena_free(&s->header_arena);
        split_at_commas(&s->header, plain, &s->header_arena);
    } else if (strstr(plain, "rocblas-bench ") || strstr(plain, "hipblaslt-bench ")) {
        forget_run(s);
        read_type_of_command(s, plain);
    } else if (strncmp(plain, "```", 3) == 0) {
        forget_run(s);
    } else if (strncmp(plain, "Device ID ", 10) == 0) {
        read_device(s, plain);
    } else if (strncmp(plain, "hipBLASLt version: ", 19) == 0) {
        s->software = abdb_arena_printf(&s->arena, "hipBLASLt %s", plain + 19);
        s->device = s->arch = NULL;
        s->winner = false;
    } else if (strncmp(plain, "Winner:", 7) == 0) {
        s->winner = true;
    } else if (s->header.count && looks_like_row(plain)) {
        st = import_or_reject_row(s, line, plain, err);
    }
    return st;
}

static abdb_status import_products_of_log(const abdb_input *in, const abdb_overrides *overrides,
                                          const abdb_sink *sink, abdb_error *err)
{
    state s = {.words = overrides, .sink = sink, .left_out = in->left_out};
    abdb_status st = lines_deliver_each_with_entry(in, &s.entry, import_line, NULL, &s, err);

    abdb_arena_free(&s.arena);
    abdb_arena_free(&s.header_arena);
    abdb_arena_free(&s.line_arena);
    return st;
}

const abdb_importer abdb_import_blas_bench = {
    "blas-bench",          "hipblaslt-bench, rocblas-bench as printed", 1, NULL, blas_bench_bid,
    import_products_of_log};

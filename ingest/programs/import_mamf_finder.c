/* import_mamf_finder.c - mamf-finder of Machine Learning Engineering: the fastest matrix products.
 *
 * How three logs, five posts and pages and the sources of three versions disagree: the first prints
 * "The best outcome was 5.0TFLOPS @ 4096x9216x1024 (MxNxK) (tried 64 shapes)"; the second mean,
 * median and max, each of its own shape, and a line for each shape; the third MAMF (the median of
 * the fastest bursts) and MSMF (sustained, the device saturated), with power and clock. A console
 * overwrites the line of a shape, so that copies hold few of them; a log has all. A best outcome
 * whose shape's line was read is that line again, and is not stored twice. Posts begin at the
 * outcomes: device and format then stand nowhere. Means over all shapes describe the search and are
 * left out. Each product is an entry; the input row is a line.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/check_entry.h"
#include "ingest/read/text_lines.h"
#include "ingest/read/unknown_factor.h"
#include "schema/core/array.h"

enum { SHAPE = 40, SHAPES_MAX = 1 << 16 };

typedef struct {
    const abdb_overrides *words;
    const abdb_sink *sink;
    abdb_left_out *left_out;
    abdb_entry *entry;
    abdb_settings settings;
    const char *device, *dtype, *tried;
    bool command_follows; /* the next line is the command */
    char (*seen)[SHAPE];  /* shapes whose own line was read */
    size_t shapes, room;
    unsigned outcomes; /* of this run so far, a bit each: the run is over */
    abdb_arena arena, line_arena;
} state;

static int mamf_finder_bid(const abdb_input *in)
{
    return lines_any_in_first_part_begins_with(in, "mean:   ") ||
                   lines_any_in_first_part_begins_with(in, "MAMF (max achievable") ||
                   lines_any_in_first_part_begins_with(in, "The best outcome was ") ||
                   lines_any_in_first_part_begins_with(in, "** Dtype: torch.")
               ? memmem(in->text, in->text_size, "TFLOPS @ ", 9) ||
                         memmem(in->text, in->text_size, "(max) @ ", 8)
                     ? 81
                     : 0
               : 0;
}

static void forget_run(state *s)
{
    s->settings = (abdb_settings){0};
    s->device = s->dtype = s->tried = NULL;
    s->command_follows = false;
    s->shapes = 0;
    s->outcomes = 0;
    abdb_arena_free(&s->arena);
}

static bool shape_was_read(const state *s, const char *shape)
{
    for (size_t i = 0; i < s->shapes; i++)
        if (strcmp(s->seen[i], shape) == 0) return true;
    return false;
}

static abdb_status remember_shape(state *s, const char *shape, abdb_error *err)
{
    void *more;

    if (s->shapes == SHAPES_MAX || strlen(shape) >= SHAPE) return ABDB_OK;
    more = abdb_array_reserve_one(s->seen, s->shapes, &s->room, sizeof *s->seen);
    if (!more) return ABDB_FAIL(err, ABDB_NOMEM, "shapes");
    s->seen = more;
    snprintf(s->seen[s->shapes++], SHAPE, "%s", shape);
    return ABDB_OK;
}

static const char *number_format_of_torch_name(const char *name)
{
    static const char *const names[][2] = {{"bfloat16", "bf16"},
                                           {"float16", "fp16"},
                                           {"float8_e4m3fn", "fp8"},
                                           {"float8_e4m3fnuz", "fp8"}};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i][0]) == 0) return names[i][1];
    return name; /* float32 may be computed as tf32 */
}

/* Adds a rate that stands before `end`, as "842 TFLOPS @". False: there is none. */
static bool add_rate_before(state *s, const char *text, const char *end, const char *statistic)
{
    const char *begin, *before;

    while (end > text && end[-1] == ' ') end--;
    for (begin = end; begin > text && !strchr(" \t:|", begin[-1]);) begin--;
    for (before = begin; before > text && before[-1] == ' ';) before--;
    if (before > text && isdigit((unsigned char)before[-1])) return false; /* "1 200" */
    return lines_number_length(begin) == (size_t)(end - begin) && begin < end &&
           abdb_entry_add_printed_result_or_count_left_out(
               s->entry, "flops_per_s", statistic,
               abdb_arena_copy(&s->line_arena, begin, (size_t)(end - begin)), ABDB_MARK_UNKNOWN,
               "TFLOP/s");
}

/* "4096x9216x1024" as m, n and k. False: it is no shape. */
static bool parse_shape(const char *shape, unsigned long long size[3])
{
    for (int i = 0; i < 3; i++) {
        size_t digits = abdb_digits_parse_prefix(shape, 10, &size[i]);

        if (!digits || !size[i]) return false;
        shape += digits;
        if (i < 2 && *shape++ != 'x') return false;
    }
    return true;
}

/* Hands over the product of that shape, "4096x9216x1024", whose rates the entry has. */
static abdb_status import_product_and_reset(state *s, const text_line *line, const char *shape,
                                            const char *outcome, abdb_error *err)
{
    abdb_entry *entry = s->entry;
    static const char *const names[] = {"m", "n", "k"};
    unsigned long long size[3];
    abdb_status st = ABDB_OK;

    if (!entry->results || !parse_shape(shape, size)) {
        TRY(line_reject_and_end_row(
            s->sink, line, "MxNxK",
            entry->doubt ? entry->doubt : "no rate, or no shape of three numbers", err));
        goto done;
    }
    abdb_entry_set_measured_run(entry, "mamf-finder", "gemm",
                                abdb_arena_printf(&s->line_arena, "line %ld", line->number),
                                line->number);
    entry->field[ABDB_FIELD_device] = s->device;
    entry->field[ABDB_FIELD_devices] = "1"; /* the program runs on one */
    entry->field[ABDB_FIELD_dtype] = s->dtype;
    for (int i = 0; i < 3; i++)
        abdb_entry_add_factor_parsing_number(entry, names[i],
                                             abdb_arena_printf(&s->line_arena, "%llu", size[i]));
    abdb_entry_add_factor_parsing_number(entry, "outcome", outcome);
    if (outcome) abdb_entry_add_factor_parsing_number(entry, "shapes_tried", s->tried);
    abdb_entry_add_settings_as_factors(entry, &s->settings, NULL, &s->line_arena);
    TRY(abdb_entry_check_and_deliver_row(entry, s->words, s->sink, err));
done:
    abdb_entry_reset(entry);
    abdb_arena_free(&s->line_arena);
    return st;
}

static const char *copy_shape(state *s, const char *at)
{
    return abdb_arena_copy(&s->line_arena, at, strspn(at, "0123456789x"));
}

/* "  2916 |   25.6(mean)   25.6(median)   25.8(max) @ 13312x15360x6144  | best: ...": what stands
 * behind "best" is another line's. */
static abdb_status import_line_of_shape(state *s, const text_line *line, const char *text,
                                        abdb_error *err)
{
    static const char *const names[] = {"mean", "median", "max"};
    const char *at = strstr(text, ") @ "), *shape = at ? copy_shape(s, at + 4) : NULL;
    abdb_status st = ABDB_OK;

    if (!at) return ABDB_OK;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *mark = strstr(text, abdb_arena_printf(&s->line_arena, "(%s)", names[i]));

        if (mark && mark < at) (void)add_rate_before(s, text, mark, names[i]);
    }
    TRY(remember_shape(s, shape, err));
    TRY(import_product_and_reset(s, line, shape, NULL, err));
done:
    return st;
}

/* "  172W 1980MHz": samples while the product ran. */
static void add_power_and_clock(state *s, const char *text)
{
    static const char *const names[][2] = {{"sampled_power_w", "W"}, {"sampled_clock_mhz", "MHz"}};

    for (size_t i = 0; i < 2; i++) {
        size_t digits = strspn(text += strspn(text, " "), "0123456789.");

        if (!digits || strncmp(text + digits, names[i][1], strlen(names[i][1])) != 0) return;
        abdb_entry_add_factor_parsing_number(s->entry, names[i][0],
                                             abdb_arena_copy(&s->line_arena, text, digits));
        text += digits + strlen(names[i][1]);
    }
}

/* "mean:   35.1 TFLOPS @ 15360x3072x1024 (MxNxK)", "MAMF (...): 842 TFLOPS @ ... 172W 1980MHz",
 * "The best outcome was 5.0TFLOPS @ ...". */
static abdb_status import_outcome(state *s, const text_line *line, const char *text, const char *at,
                                  abdb_error *err)
{
    static const char *const outcomes[][3] = {
        {"mean:", "mean", "best mean"}, {"median:", "median", "best median"},
        {"max:", "max", "best max"},    {"MAMF ", "value", "MAMF"},
        {"MSMF ", "value", "MSMF"},     {"The best outcome was ", "value", "best"}};
    const char *shape = copy_shape(s, at + 9), *tried = strstr(text, "(tried ");
    const char *power = strstr(text, "(MxNxK)");

    for (size_t i = 0; i < sizeof outcomes / sizeof outcomes[0]; i++) {
        if (strncmp(text, outcomes[i][0], strlen(outcomes[i][0])) != 0) continue;
        if (s->outcomes & 1U << i) forget_run(s); /* an outcome comes once in a run */
        s->outcomes |= 1U << i;
        if (shape_was_read(s, shape)) {
            abdb_left_out_count_value(s->left_out, "best outcome, of a line above");
            return ABDB_OK;
        }
        (void)add_rate_before(s, text, at, outcomes[i][1]);
        if (tried)
            s->tried = abdb_arena_copy(&s->arena, tried + 7, strspn(tried + 7, "0123456789"));
        if (power) add_power_and_clock(s, power + strlen("(MxNxK)"));
        return import_product_and_reset(s, line, shape, outcomes[i][2], err);
    }
    return ABDB_OK;
}

static void set_setting(state *s, const char *name, size_t name_size, const char *text, size_t size)
{
    if (name_size && size)
        abdb_settings_set_or_count_lost(&s->settings, &s->arena, name, (int)name_size, text,
                                        (int)size);
}

/* "torch=2.6.0" and "hip=6.4, cuda=None". */
static void read_versions(state *s, const char *text)
{
    for (text += strspn(text, "- "); *text; text += strcspn(text, " "), text += strspn(text, " ")) {
        size_t name = strcspn(text, "= "), size;

        if (text[name] != '=') return;
        size = strcspn(text + name + 1, ", ");
        if (strncmp(text + name + 1, "None", 4) != 0)
            set_setting(s, text, name, text + name + 1, size);
    }
}

/* "--m_range 0 16384 1024 --dtype bfloat16": all but the output's place. */
static void read_options_of_command(state *s, const char *text)
{
    for (const char *at = strstr(text, " --"); at;) {
        const char *name = at + 3, *next = strstr(name, " --");
        size_t size = strcspn(name, " =");
        const char *value = name + size + strspn(name + size, " =");
        size_t rest = next && next > value ? (size_t)(next - value) : next ? 0 : strlen(value);

        if (strncmp(name, "output_file", 11) != 0 && strncmp(name, "dtype", 5) != 0)
            set_setting(s, name, size, rest ? value : "1", rest ? rest : 1);
        at = next;
    }
}

/* Lines of the head. */
static void read_line_of_head(state *s, const char *text)
{
    static const char dtype[] = "** Dtype: torch.", gpu[] = "DeviceProperties(name='";
    const char *device = strstr(text, gpu), *arch = strstr(text, "gcnArchName='"),
               *version = strstr(text, "benchmark version: ");

    if (s->command_follows && *text) read_options_of_command(s, text);
    s->command_follows =
        (s->command_follows && !*text) || strncmp(text, "** Command line", 15) == 0;
    if (strncmp(text, dtype, strlen(dtype)) == 0) {
        const char *name = text + strlen(dtype);

        s->dtype =
            number_format_of_torch_name(abdb_arena_copy(&s->arena, name, strcspn(name, " \r")));
    } else if (device) {
        device += strlen(gpu);
        s->device = abdb_arena_copy(&s->arena, device, strcspn(device, "'"));
        if (arch) set_setting(s, "arch", 4, arch + 13, strcspn(arch + 13, "'"));
    } else if (strncmp(text + strspn(text, "- "), "torch=", 6) == 0 ||
               strncmp(text + strspn(text, "- "), "hip=", 4) == 0 ||
               strncmp(text + strspn(text, "- "), "cuda=", 5) == 0) {
        read_versions(s, text);
    } else if (version) {
        set_setting(s, "benchmark_version", 17, version + 19, strcspn(version + 19, " \r"));
    }
}

/* Does the line stand before the outcomes of a run? */
static bool begins_run(const char *text)
{
    return strncmp(text, "** ", 3) == 0 || strncmp(text, "Tried ", 6) == 0 ||
           strstr(text, "DeviceProperties(name=") ||
           (isdigit((unsigned char)*text) && strstr(text, "(max) @ "));
}

static abdb_status import_line(void *self, const text_line *line, abdb_error *err)
{
    state *s = self;
    const char *text = line->text + strspn(line->text, " \t\r#"), *at = strstr(text, "TFLOPS @ "),
               *tried = strstr(text, " shapes => the best outcome");
    abdb_status st = ABDB_OK;

    if (s->outcomes && begins_run(text)) forget_run(s);
    if (strncmp(text, "Benchmark started on ", 21) == 0 || strncmp(text, "```", 3) == 0) {
        forget_run(s);
        if (*text == 'B') set_setting(s, "date_of_run", 11, text + 21, strcspn(text + 21, "\r"));
    } else if (tried && strncmp(text, "Tried ", 6) == 0) {
        s->tried = abdb_arena_copy(&s->arena, text + 6 + strspn(text + 6, " "),
                                   strspn(text + 6 + strspn(text + 6, " "), "0123456789"));
    } else if (isdigit((unsigned char)*text) && strstr(text, "(max) @ ")) {
        st = import_line_of_shape(s, line, text, err);
    } else if (at) {
        st = import_outcome(s, line, text, at, err);
    } else if ((strncmp(text, "geomean:", 8) == 0 || strstr(text, "metic mean:") ||
                strncmp(text, "geometric mean:", 15) == 0) &&
               strstr(text, " TFLOPS")) {
        abdb_left_out_count_value(s->left_out, "mean over all shapes");
    } else {
        read_line_of_head(s, text);
    }
    return st;
}

static abdb_status import_products_of_log(const abdb_input *in, const abdb_overrides *overrides,
                                          const abdb_sink *sink, abdb_error *err)
{
    state s = {.words = overrides, .sink = sink, .left_out = in->left_out};
    abdb_status st = lines_deliver_each_with_entry(in, &s.entry, import_line, NULL, &s, err);

    abdb_arena_free(&s.arena);
    abdb_arena_free(&s.line_arena);
    free(s.seen);
    return st;
}

const abdb_importer abdb_import_mamf_finder = {
    "mamf-finder",         "mamf-finder: matrix products as printed", 2, NULL, mamf_finder_bid,
    import_products_of_log};

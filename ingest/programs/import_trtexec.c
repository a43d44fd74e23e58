/* import_trtexec.c - what trtexec of TensorRT prints when a run is over.
 *
 * How logs and posts of twelve authors, of 7.2 to 10.2, disagree: lines begin with a time of day
 * and a level, "[10/03/2024-10:47:59] [I]", with the level alone, or with neither; in the oldest a
 * latency has a heading and a line for each statistic ("Host Latency", "min: 1.5 ms (end to end
 * 1.6 ms)"), later all stand in one line; percentiles are 99 %, later 90, 95 and 99 %.
 * Posts drop "=" and begin at the summary: device, version and model then stand nowhere, or in the
 * command that is printed behind it. The throughput of an implicit batch counts its items, of
 * explicit shapes executions: both are kept as queries, batch and shapes are factors. "Latency" is
 * the host's, GPU Compute Time is time_s; times of copies and of enqueueing are left out by name.
 * Options such as --fp16 allow a number format and prove none, so that dtype stays unknown.
 * The input row is a run.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/check_entry.h"
#include "ingest/read/text_lines.h"
#include "ingest/read/unknown_factor.h"

typedef struct {
    const abdb_overrides *words;
    const abdb_sink *sink;
    abdb_left_out *left_out;
    abdb_entry *entry;
    abdb_settings settings;
    const char *device, *model,
        *part;    /* part: the heading of the oldest form that statistics follow */
    bool summary; /* its first value was seen */
    bool options; /* lines of options follow */
    long line;    /* where the run begins, 0: no run */
    abdb_arena arena;
} state;

static int trtexec_bid(const abdb_input *in)
{
    static const char *const marks[] = {"=== Performance summary ===", "TensorRT.trtexec [TensorRT",
                                        "] [I] Host Latency"};

    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if (memmem(in->text, in->text_size < BID_SIZE ? in->text_size : BID_SIZE, marks[i],
                   strlen(marks[i])) &&
            (memmem(in->text, in->text_size, " qps", 4) ||
             lines_any_in_first_part_begins_with(in, "&&&& ")))
            return 82;
    return 0;
}

static void forget_run(state *s)
{
    abdb_entry_reset(s->entry);
    s->settings = (abdb_settings){0};
    s->device = s->model = s->part = NULL;
    s->summary = s->options = false;
    s->line = 0;
    abdb_arena_free(&s->arena);
}

/* Hands the run over, or rejects it where it has no summary, and forgets it. */
static abdb_status import_or_reject_run_and_forget(void *self, abdb_error *err)
{
    state *s = self;
    abdb_reject reject = {.line = s->line,
                          .field = "Performance summary",
                          .reason = "missing: the run failed or did not end, or its log is cut"};
    abdb_status st = ABDB_OK;

    if (!s->line) goto done;
    if (!s->entry->results) {
        if (s->entry->doubt) reject.reason = s->entry->doubt;
        TRY(s->sink->reject(s->sink->self, &reject, err));
        TRY(s->sink->row_end(s->sink->self, err));
        goto done;
    }
    abdb_entry_set_measured_run(s->entry, "trtexec", "inference",
                                abdb_arena_printf(&s->arena, "line %ld", s->line), s->line);
    s->entry->field[ABDB_FIELD_scenario] = "in-process";
    s->entry->field[ABDB_FIELD_backend] = "TensorRT";
    s->entry->field[ABDB_FIELD_device] = s->device;
    s->entry->field[ABDB_FIELD_model] = s->model;
    s->entry->field[ABDB_FIELD_devices] = "1"; /* trtexec runs an engine on one device */
    abdb_entry_add_settings_as_factors(s->entry, &s->settings, NULL, &s->arena);
    TRY(abdb_entry_check_and_deliver_row(s->entry, s->words, s->sink, err));
done:
    forget_run(s);
    return st;
}

static void set_setting(state *s, const char *name, const char *value)
{
    if (*value)
        abdb_settings_set_or_count_lost(&s->settings, &s->arena, name, (int)strlen(name), value,
                                        (int)strlen(value));
}

static const char *metric_of_part_or_null(const char *part)
{
    static const char *const parts[][2] = {{"Latency", "latency_s"},
                                           {"Host Latency", "latency_s"},
                                           {"GPU Compute Time", "time_s"},
                                           {"GPU Compute", "time_s"}};

    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (strcmp(part, parts[i][0]) == 0) return parts[i][1];
    return NULL;
}

/* "min", "percentile(99%)" as a statistic. NULL: it is none. */
static const char *statistic_of_name_or_null(state *s, const char *name)
{
    static const char *const names[] = {"min", "max", "mean", "median"};
    static const char percentile[] = "percentile(";
    const char *percent = name + strlen(percentile);

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0) return names[i];
    if (strncmp(name, percentile, strlen(percentile)) != 0 || !isdigit((unsigned char)*percent))
        return NULL;
    return abdb_arena_printf(&s->arena, "p%.*s", (int)strspn(percent, "0123456789."), percent);
}

/* A number at the begin of a text, as it stands, also one with thousands marks or in doubt; "NaN"
 * and "inf" too. *behind: what follows. NULL: there is none. */
static const char *copy_number_or_null(state *s, const char *text, const char **behind)
{
    static const char *const words[] = {"NaN", "inf", "-inf"};
    size_t size = lines_number_length(text);

    for (size_t i = 0; !size && i < sizeof words / sizeof words[0]; i++)
        if (strncasecmp(text, words[i], strlen(words[i])) == 0) {
            *behind = text + strlen(words[i]);
            return words[i];
        }
    *behind = text + size;
    return size ? abdb_arena_copy(&s->arena, text, size) : NULL;
}

/* Adds "4.5 ms" as a statistic of the part, or counts it as left out. False: it is no time. */
static bool add_time_or_count_left_out(state *s, const char *part, const char *statistic,
                                       const char *text)
{
    const char *metric = metric_of_part_or_null(part);
    const char *unit, *number = copy_number_or_null(s, text, &unit);

    unit += strspn(unit, " ");
    if (!number || !isalpha((unsigned char)*unit)) return false;
    if (metric)
        (void)abdb_entry_add_printed_result_or_count_left_out(
            s->entry, metric, statistic, number, ABDB_MARK_UNKNOWN,
            abdb_arena_copy(&s->arena, unit, strspn(unit, "munsec")));
    else
        abdb_left_out_count_value(s->left_out, part);
    s->summary = true;
    return true;
}

/* "Latency: min = 1.5 ms, max 2 ms, percentile(99%) = 1.9 ms": posts lose an equals sign here and
 * there. False: the line is another. */
static bool read_line_of_statistics(state *s, const char *text)
{
    const char *colon = strchr(text, ':'), *at = colon ? colon + 1 : text;
    char part[48];
    bool any = false;

    if (!colon || (size_t)(colon - text) >= sizeof part) return false;
    snprintf(part, sizeof part, "%.*s", (int)(colon - text), text);
    for (at += strspn(at, " "); *at; at += strspn(at, ", ")) {
        size_t size = strcspn(at, " =,");
        const char *name = abdb_arena_copy(&s->arena, at, size),
                   *statistic = statistic_of_name_or_null(s, name),
                   *value = at + size + strspn(at + size, " =");

        if (!statistic || !add_time_or_count_left_out(s, part, statistic, value)) break;
        any = true;
        value += lines_number_length(value);
        at = value + strcspn(value, ",");
    }
    return any;
}

/* The oldest form: a heading, then "mean: 1.5 ms (end to end 1.6 ms)" and "percentile: 2 ms at 99%
 * (end to end ...)". False: the line is another. */
static bool read_statistic_below_heading(state *s, const char *text)
{
    const char *colon = strchr(text, ':'), *value = colon ? colon + 1 : "", *at;
    char name[32];

    if (!s->part || !colon || (size_t)(colon - text) >= sizeof name) return false;
    snprintf(name, sizeof name, "%.*s", (int)(colon - text), text);
    value += strspn(value, " ");
    at = strstr(value, " at ");
    if (strcmp(name, "percentile") == 0 && at)
        snprintf(name, sizeof name, "percentile(%.4s", at + 4);
    if (!statistic_of_name_or_null(s, name)) return false;
    if (strstr(value, "(end to end")) abdb_left_out_count_value(s->left_out, "end to end");
    return add_time_or_count_left_out(s, s->part, statistic_of_name_or_null(s, name), value);
}

/* Throughput, host's wall time and what tells of the device. False: the line is another. */
static bool read_rate_or_description(state *s, const char *text)
{
    static const char *const kept[] = {"Compute Capability",
                                       "SMs",
                                       "Batch",
                                       "Max batch",
                                       "Precision",
                                       "Input inference shape",
                                       "Streams",
                                       "Iterations",
                                       "Duration",
                                       "Warm Up",
                                       "CUDA Graph",
                                       "Spin-wait",
                                       "Sparsity",
                                       "DLACore",
                                       "Memory Bus Width",
                                       "Application Compute Clock Rate",
                                       "TensorRT version",
                                       "Total Host Walltime",
                                       NULL};
    static const char *const files[] = {"Save engine", "Load engine", "timingCacheFile", NULL};
    const char *colon = strchr(text, ':'), *value = colon ? colon + 1 : "";
    const char *number, *unit;
    char name[48];

    if (!colon || (size_t)(colon - text) >= sizeof name) return false;
    snprintf(name, sizeof name, "%.*s", (int)(colon - text), text);
    value += strspn(value, " ");
    number = copy_number_or_null(s, value, &unit);
    if (strcasecmp(name, "throughput") == 0 && number &&
        strncmp(unit + strspn(unit, " "), "qps", 3) == 0) {
        (void)abdb_entry_add_printed_result_or_count_left_out(s->entry, "queries_per_s", "value",
                                                              number, ABDB_MARK_UNKNOWN, "query/s");
        s->summary = true;
    } else if (strcmp(name, "Selected Device") == 0 && *value) {
        s->device = abdb_arena_copy(&s->arena, value, strlen(value));
    } else if (abdb_text_is_in_list(name, kept) ||
               (s->options && !abdb_text_is_in_list(name, files))) {
        set_setting(s, name, value);
    } else {
        return false;
    }
    return true;
}

/* --- commands and lines ----------------------------------------------------------------------- */

static const char *name_of_file_without_folder(const char *path, abdb_arena *arena)
{
    const char *slash = strrchr(path, '/'), *back = strrchr(path, '\\');

    if (back > slash) slash = back;
    if (slash) path = slash + 1;
    return abdb_arena_copy(arena, path, strlen(path));
}

/* "# trtexec --onnx=model.onnx --fp16": the model, and the options that change what is run. */
static void read_options_of_command(state *s, const char *text)
{
    static const char *const kept[] = {"fp16",     "int8",       "fp8",           "bf16",
                                       "best",     "int4",       "noTF32",        "batch",
                                       "shapes",   "streams",    "useCudaGraph",  "useSpinWait",
                                       "sparsity", "useDLACore", "stronglyTyped", NULL};

    for (const char *at = strstr(text, " --"); at; at = strstr(at, " --")) {
        size_t size = strcspn(at += 3, " ");
        const char *option = abdb_arena_copy(&s->arena, at, size), *equals = strchr(option, '=');
        const char *name = abdb_arena_copy(&s->arena, option, strcspn(option, "="));

        if (equals &&
            (strcmp(name, "onnx") == 0 ||
             (!s->model && (strcmp(name, "loadEngine") == 0 || strcmp(name, "deploy") == 0))))
            s->model = name_of_file_without_folder(equals + 1, &s->arena);
        else if (abdb_text_is_in_list(name, kept))
            set_setting(s, abdb_arena_printf(&s->arena, "option.%s", name),
                        equals ? equals + 1 : "1");
    }
}

/* Behind "[10/03/2024-10:47:59] [I] ", which posts keep in part, and marks of lists. */
static const char *text_behind_time_and_level(const char *text)
{
    for (;;) {
        const char *end = *text == '[' ? strchr(text, ']') : NULL;

        text += strspn(text, " \t`#");
        if (*text == '[' && !end) end = strchr(text, ']');
        if (!end || end - text > 24) return text;
        text = end + 1;
    }
}

static bool is_heading_of_part(const char *text)
{
    static const char *const parts[] = {"Host Latency", "Enqueue Time", "GPU Compute", NULL};

    return abdb_text_is_in_list(text, parts);
}

static abdb_status import_line(void *self, const text_line *line, abdb_error *err)
{
    state *s = self;
    const char *raw = line->text, *text = text_behind_time_and_level(raw);
    bool running = strstr(text, "&&&& RUNNING ") != NULL,
         begins = strstr(text, "=== Performance summary ===") || strcmp(text, "Host Latency") == 0;
    char plain[256];
    abdb_status st = ABDB_OK;

    snprintf(plain, sizeof plain, "%s", text);
    abdb_trim_in_place(plain);
    if (s->line && (running || (begins && s->summary) || strncmp(raw, "```", 3) == 0))
        TRY(import_or_reject_run_and_forget(s, err));
    if (!s->line && (running || begins)) s->line = line->number;
    if (!s->line) goto done;
    if (strncmp(text, "&&&& ", 5) == 0) {
        const char *version = strstr(text, "[TensorRT v"), *command = strchr(text, '#');

        if (version)
            set_setting(s, "software",
                        abdb_arena_printf(&s->arena, "TensorRT %.*s",
                                          (int)strcspn(version + 11, "]"), version + 11));
        if (command) read_options_of_command(s, command);
        if (!running) TRY(import_or_reject_run_and_forget(s, err));
        goto done;
    }
    if (strncmp(plain, "=== ", 4) == 0)
        s->options =
            strncmp(plain + 4, "Build O", 7) == 0 || strncmp(plain + 4, "Inference O", 11) == 0;
    if (is_heading_of_part(plain)) s->part = abdb_arena_copy(&s->arena, plain, strlen(plain));
    if (!read_line_of_statistics(s, plain) && !read_statistic_below_heading(s, plain))
        (void)read_rate_or_description(s, plain);
done:
    return st;
}

static abdb_status import_runs_of_log(const abdb_input *in, const abdb_overrides *overrides,
                                      const abdb_sink *sink, abdb_error *err)
{
    state s = {.words = overrides, .sink = sink, .left_out = in->left_out};
    abdb_status st;

    st = lines_deliver_each_with_entry(in, &s.entry, import_line, import_or_reject_run_and_forget,
                                       &s, err);
    abdb_arena_free(&s.arena);
    return st;
}

const abdb_importer abdb_import_trtexec = {
    "trtexec", "trtexec of TensorRT as printed", 2, NULL, trtexec_bid, import_runs_of_log};

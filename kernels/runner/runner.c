/* runner.c - cells through a backend into entries. For each cell: the request goes to the process
 * (started where none lives), its records are taken until the cell ends or is cut off, and the
 * entry goes to the sink, which stores or spools it. See runner.h. */
#include "kernels/runner/runner.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "kernels/runner/answer.h"
#include "kernels/runner/child.h"
#include "kernels/runner/provide.h"
#include "kernels/runner/ranks.h"
#include "kernels/runner/told.h"
#include "schema/core/grow.h"
#include "schema/core/stats.h"
#include "schema/core/timing.h"

/* The median absolute deviation times 1.48 is a standard deviation, where times are normal; samples
 * further than ten of those from the median are marked, and stay. */
static const double outlier_mads = 14.8; /* 10 x 1.48 MAD */

typedef struct {
    const abdb_run_options *o;
    const abdb_sink *sink;
    abdb_child child;
    abdb_told told;
    abdb_process process; /* the life of the program that runs */
    char started[32];     /* when that began */
    long *starts;         /* so many lives in this repetition */
    bool doubtful;        /* the cell that ended last */
} session;

const char *abdb_cell_name(abdb_arena *arena, const char *backend, const char *device,
                           const abdb_cell *cell, size_t repetition)
{
    const char *on = device ? device : "", *gap = device ? " " : "";
    const char *name = abdb_arena_printf(arena, "%s%s%s %s", backend, gap, on, cell->name);
    return name && repetition ? abdb_arena_printf(arena, "%s #%zu", name, repetition + 1) : name;
}

void abdb_run_tally_free(abdb_run_tally *tally)
{
    free(tally->spread);
    *tally = (abdb_run_tally){0};
}

/* Keeps how far the median of a cell is known, half of its interval, relative: reports of a run say
 * how small a difference it could see. */
static void note_spread(abdb_run_tally *t, const abdb_summary *s)
{
    double *more;

    if (!s->has_interval || !(s->median > 0)) return;
    more = abdb_grow(t->spread, t->spreads, &t->room, sizeof *more);
    if (!more) return; /* the report has one cell less */
    t->spread = more;
    t->spread[t->spreads++] = (s->high - s->low) / 2 / s->median;
}

/* --- from what was told to an entry ----------------------------------------------------------- */

static void mark_outliers(abdb_sample *sample, size_t n, const abdb_summary *summary)
{
    for (size_t i = 0; i < n; i++)
        if (summary->mad > 0 &&
            fabs(sample[i].value - summary->median) > outlier_mads * summary->mad)
            sample[i].mark = "outlier";
}

/* What a result says beside time and rates: metrics of the same names. */
static const char *const beside[] = {"canary_shift",  "load",     "steal",  "clock_hz",
                                     "temperature_c", "energy_j", "power_w"};

/* Median time with its interval and samples, and the rates that follow from the kernel's work. */
static abdb_status add_results(abdb_entry *e, abdb_told *t, abdb_run_tally *tally, abdb_error *err)
{
    double *times = calloc(t->samples ? t->samples : 1, sizeof *times), ops, bytes;
    const json_t *error = json_object_get(t->result, "error");
    abdb_summary summary;
    abdb_result *r;
    abdb_status st = ABDB_OK;

    if (!times) return ABDB_FAIL(err, ABDB_NOMEM, "samples");
    for (size_t i = 0; i < t->samples; i++) times[i] = t->sample[i].value;
    TRY(abdb_summarise(times, t->samples, &summary, err));
    mark_outliers(t->sample, t->samples, &summary);
    note_spread(tally, &summary);
    r = abdb_entry_result(e, "time_s", summary.median);
    r->statistic = "median";
    r->n = (long long)t->samples;
    r->formula = "median@1";
    r->sample = t->sample;
    r->samples = t->samples;
    if (summary.has_interval) {
        r->low = summary.low;
        r->high = summary.high;
        r->spread = "ci95";
    }
    r = abdb_entry_result(e, "time_s", summary.min);
    r->statistic = "min";
    r->n = (long long)t->samples;
    ops = json_number_value(json_object_get(t->result, "ops"));
    bytes = json_number_value(json_object_get(t->result, "bytes"));
    if (ops > 0 && summary.median > 0) {
        bool whole = abdb_record_text(t->result, "dtype")[0] == 'i'; /* i8: no floating point */

        r = abdb_entry_result(e, whole ? "ops_per_s" : "flops_per_s", ops / summary.median);
        r->statistic = "median";
        r->formula = abdb_record_text(t->result, "formula");
    }
    if (bytes > 0 && summary.median > 0) {
        r = abdb_entry_result(e, "bytes_per_s", bytes / summary.median);
        r->statistic = "median";
        r->formula = abdb_record_text(t->result, "formula");
    }
    if (json_is_number(error)) abdb_entry_result(e, "error", json_number_value(error));
    abdb_entry_result(e, "prepare_s", json_number_value(json_object_get(t->result, "prepare_s")));
    for (size_t i = 0; i < sizeof beside / sizeof beside[0]; i++) {
        const json_t *value = json_object_get(t->result, beside[i]);

        if (json_is_number(value)) abdb_entry_result(e, beside[i], json_number_value(value));
    }
    for (size_t i = 0; i < t->metrics; i++) {
        r = abdb_entry_result(e, t->metric[i].metric, t->metric[i].value);
        if (!r) break; /* the harness keeps to what there is room for */
        r->statistic = t->metric[i].statistic;
        r->x = t->metric[i].x;
    }
done:
    free(times);
    return st;
}

static const char *const bounds[] = {"operations", "bytes", NULL},
                         *const ceilings[] = {"peak_flops", "peak_ops", "memory_bandwidth", NULL},
                         *const caches[] = {"L1", "L2", "L3", NULL};

/* A member of the result that is one of those words; another means nothing, and is left out. */
static void add_word(abdb_entry *e, const json_t *result, const char *name,
                     const char *const *words)
{
    const char *text = abdb_record_text(result, name);

    for (size_t i = 0; words[i]; i++)
        if (strcmp(words[i], text) == 0) abdb_entry_factor(e, name, text);
}

/* Threads that a launch ran on, where the backend knows them, else those that it was given. */
static void add_threads(abdb_entry *e, abdb_arena *arena, const abdb_told *t)
{
    json_t *given = json_object_get(t->device, "threads"),
           *used = json_object_get(t->result, "threads");
    long long asked = json_integer_value(given), ran = json_integer_value(used);

    if (!json_is_integer(used)) ran = asked;
    if (ran > 0 && !json_object_get(json_object_get(t->result, "factors"), "threads"))
        abdb_entry_factor(e, "threads", abdb_arena_printf(arena, "%lld", ran));
    if (asked > 0 && ran > 0 && asked != ran)
        abdb_entry_factor(e, "threads_asked", abdb_arena_printf(arena, "%lld", asked));
}

/* Of a backend that does not say which provider computed it: the only one that it has. */
static void add_provider(abdb_entry *e, const abdb_told *t, const abdb_cell *cell)
{
    const char *only = abdb_provider_at(t->hello, cell->kernel, 0);

    if (!only || abdb_provider_at(t->hello, cell->kernel, 1) || abdb_cell_param(cell, "provider") ||
        json_object_get(json_object_get(t->result, "factors"), "provider"))
        return;
    abdb_entry_factor(e, "provider", only);
}

/* What a result was measured under, as factors: parameters of the cell (where the backend did
 * not say itself what it made of them), then what the backend told, then what this program
 * decided. `op` is called operation in the database; dtype is a column and no factor. */
static void add_factors(abdb_entry *e, abdb_arena *arena, const session *s, const abdb_cell *cell)
{
    const abdb_told *t = &s->told;
    json_t *factors = json_object_get(t->result, "factors"), *value;
    bool whole = abdb_told_processes(t);
    const char *key;

    for (size_t i = 0; i < cell->params; i++)
        if (!json_object_get(factors, cell->param[i].key) &&
            strcmp(cell->param[i].key, "dtype") != 0)
            abdb_entry_factor(
                e, strcmp(cell->param[i].key, "op") == 0 ? "operation" : cell->param[i].key,
                cell->param[i].text);
    json_object_foreach(factors, key, value) if (strcmp(key, "dtype") != 0)
        abdb_entry_factor(e, strcmp(key, "op") == 0 ? "operation" : key, json_string_value(value));
    add_threads(e, arena, t);
    add_provider(e, t, cell);
    if (*abdb_record_text(t->result, "chosen"))
        abdb_entry_factor(e, "chosen", abdb_record_text(t->result, "chosen"));
    if (s->o->core_type) abdb_entry_factor(e, "core_type_asked", s->o->core_type);
    abdb_entry_factor(e, "commit", s->o->commit);
    abdb_entry_factor(e, "branch", s->o->branch);
    abdb_entry_factor(e, "dirty", s->o->dirty);
    abdb_entry_factor(e, "node", s->o->node);
    if (*abdb_record_text(t->environment, "library"))
        abdb_entry_factor(e, "library", abdb_record_text(t->environment, "library"));
    if (json_is_integer(json_object_get(t->result, "batch")))
        abdb_entry_factor(
            e, "sample_launches",
            abdb_arena_printf(arena, "%lld",
                              (long long)json_integer_value(json_object_get(t->result, "batch"))));
    abdb_entry_factor(e, "clock", abdb_record_text(t->device, "clock"));
    abdb_entry_factor(e, "clock_policy", "as-shipped");
    add_word(e, t->result, "bound", bounds);
    add_word(e, t->result, "ceiling", ceilings);
    add_word(e, t->result, "resident", caches);
    if (json_is_number(json_object_get(t->result, "checked")))
        abdb_entry_factor(
            e, "checked",
            abdb_arena_printf(arena, "%.3g",
                              json_number_value(json_object_get(t->result, "checked"))));
    if (*abdb_record_text(t->result, "energy_scope"))
        abdb_entry_factor(e, "energy_scope", abdb_record_text(t->result, "energy_scope"));
    /* What is the same for all kernels where their backend does not say otherwise. */
    if (!whole && !json_object_get(factors, "fill")) abdb_entry_factor(e, "fill", "uniform");
    if (!whole && !json_object_get(factors, "cache")) abdb_entry_factor(e, "cache", "hot");
    abdb_entry_factor(e, "sampling", whole ? "process@1" : s->o->quick ? "quick@1" : "cpu@1");
}

static bool is_finite(const abdb_entry *e)
{
    for (size_t i = 0; i < e->results; i++)
        if (!isfinite(e->result[i].value)) return false;
    return true;
}

/* Words that a reader of the median should know, "" where there is none. */
static const char *flags_of(abdb_arena *arena, const session *s, bool ok)
{
    const abdb_told *t = &s->told;
    bool unsteady = ok && json_is_true(json_object_get(t->result, "unsteady"));
    bool imprecise = ok && t->samples < ABDB_PRECISE_LEAST && !abdb_told_processes(t);
    const char *words =
        abdb_arena_printf(arena, "%s%s%s", s->o->quick ? " quick" : "",
                          imprecise ? " imprecise" : "", unsteady ? " unsteady" : "");

    return words && *words ? words + 1 : "";
}

/* What the entry says of itself. */
static void fill_fields(abdb_entry *e, abdb_arena *arena, const session *s, const abdb_cell *cell,
                        bool ok)
{
    const abdb_told *t = &s->told;

    e->field[ABDB_FIELD_evidence] = "measured";
    e->field[ABDB_FIELD_kind] = "run";
    e->field[ABDB_FIELD_status] = t->status;
    e->field[ABDB_FIELD_reason] = ok ? NULL : t->reason;
    e->field[ABDB_FIELD_verified] = ok ? abdb_record_text(t->result, "verified") : "unchecked";
    e->field[ABDB_FIELD_suite] = "abdb";
    e->field[ABDB_FIELD_workload] = cell->kernel;
    e->field[ABDB_FIELD_device] = t->device ? abdb_record_text(t->device, "name") : NULL;
    e->field[ABDB_FIELD_devices] = t->device ? "1" : NULL;
    e->field[ABDB_FIELD_nodes] = "1";
    e->field[ABDB_FIELD_backend] = s->o->name;
    e->field[ABDB_FIELD_dtype] =
        ok ? abdb_record_text(t->result, "dtype") : abdb_cell_param(cell, "dtype");
    e->field[ABDB_FIELD_date] = t->date;
    e->field[ABDB_FIELD_tag] = s->o->tag;
    e->field[ABDB_FIELD_campaign] = s->o->campaign;
    e->field[ABDB_FIELD_cell] =
        abdb_cell_name(arena, s->o->name, s->o->device, cell, s->o->repetition);
    e->field[ABDB_FIELD_flags] = flags_of(arena, s, ok);
    e->field[ABDB_FIELD_source] = "abdb-run";
}

static void count(abdb_run_tally *tally, const char *status)
{
    if (strcmp(status, "ok") == 0)
        tally->ok++;
    else if (strcmp(status, "not-implemented") == 0)
        tally->not_implemented++;
    else if (strcmp(status, "cancelled") == 0)
        tally->cancelled++;
    else if (strcmp(status, "failed") == 0 || strcmp(status, "bad-answer") == 0)
        tally->failed++;
    else
        tally->crashed++;
}

/* One cell as an entry, whatever became of it: a cell that crashed or timed out is a row with
 * its status and reason. */
static abdb_status keep(session *s, const abdb_cell *cell, abdb_run_tally *tally, abdb_error *err)
{
    abdb_entry *e = calloc(1, sizeof *e);
    abdb_arena arena = {0};
    abdb_told *t = &s->told;
    abdb_rank *ranks = NULL;
    bool ok = strcmp(t->status, "ok") == 0;
    char *environment =
        t->environment ? json_dumps(t->environment, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    abdb_status st = ABDB_OK;

    if (!e) TRY(ABDB_FAIL(err, ABDB_NOMEM, "an entry"));
    if (ok) TRY(add_results(e, t, tally, err));
    if (ok && !is_finite(e)) { /* of 1e300 operations in 1e-300 s */
        abdb_told_refuse(t, "4.7", "its work and its times make a rate that is not finite");
        e->results = 0;
        ok = false;
    }
    fill_fields(e, &arena, s, cell, ok);
    if (ok) TRY(abdb_ranks_keep(e, t->result, t->samples, &arena, &ranks, err));
    s->doubtful = strstr(e->field[ABDB_FIELD_flags], "imprecise") ||
                  strstr(e->field[ABDB_FIELD_flags], "unsteady");
    e->environment = environment;
    e->process = s->process;
    e->origin = ABDB_ORIGIN_NONE; /* the campaign, the cell and its date tell it apart */
    e->telemetry = t->telemetry;
    e->telemetries = t->telemetries;
    e->span = t->span;
    e->spans = ok ? t->spans : 0;
    add_factors(e, &arena, s, cell);
    TRY(s->sink->entry(s->sink->self, e, err));
    if (ok && strcmp(e->field[ABDB_FIELD_verified], "pass") != 0) tally->unverified++;
    if (strstr(e->field[ABDB_FIELD_flags], "unsteady")) tally->unsteady++;
    count(tally, t->status);
done:
    free(environment);
    free(ranks);
    abdb_arena_free(&arena);
    free(e);
    return st;
}

/* --- one cell --------------------------------------------------------------------------------- */

char *abdb_cell_request(const abdb_run_options *o, const abdb_cell *cell)
{
    json_t *params = json_object(), *object;
    char *line, *whole = NULL;

    for (size_t i = 0; i < cell->params; i++)
        json_object_set_new(params, cell->param[i].key, json_string(cell->param[i].text));
    object =
        json_pack("{s:s,s:s,s:o,s:b,s:b,s:f}", "cell", cell->name, "kernel", cell->kernel, "params",
                  params, "quick", o->quick, "energy", o->energy, "timeout_s", o->timeout_s);
    line = json_dumps(object, JSON_COMPACT);
    json_decref(object);
    if (line && asprintf(&whole, "%s\n", line) < 0) whole = NULL;
    free(line);
    return whole;
}

/* Ends a cell that is over its time, or silent, or must end at once, with its process; true when it
 * did. */
static bool cut_off(session *s, double begin_s)
{
    double now = abdb_steady_s();

    if (*s->child.stop > 1)
        abdb_told_end(&s->told, "cancelled", "interrupted twice: ended at once");
    else if (now - begin_s > s->o->timeout_s)
        abdb_told_end(&s->told, "timeout", "over its time of %.0f s", s->o->timeout_s);
    else if (now - s->child.heard_s > ABDB_SILENCE_S)
        abdb_told_end(&s->told, "timeout", "silent for %d s", ABDB_SILENCE_S);
    else
        return false;
    abdb_child_kill(&s->child);
    return true;
}

/* The process has gone inside of the cell: by itself, or interrupted. */
static void note_exit(session *s)
{
    int status = abdb_child_kill(&s->child);
    const char *as = *s->child.stop ? "cancelled" : "crash";

    if (s->o->launch && WIFEXITED(status) && WEXITSTATUS(status) > 128)
        abdb_told_end(&s->told, as, "a rank was ended by signal %d (%s)", WEXITSTATUS(status) - 128,
                      strsignal(WEXITSTATUS(status) - 128));
    else
        abdb_told_exit(&s->told, s->o->launch ? NULL : s->o->path, as, status);
}

/* A launcher asks the other ranks to end when one has ended, and rank 0 says of the cell that it
 * was cancelled: nobody here has asked for that. */
static void note_lost_rank(session *s)
{
    if (s->o->launch && !*s->child.stop && strcmp(s->told.status, "cancelled") == 0) note_exit(s);
}

/* Waits until the cell has ended, one way or another. */
static abdb_status watch(session *s, abdb_error *err)
{
    double begin_s = abdb_steady_s();
    bool asked = false; /* to finish its sample */

    while (!s->told.ended) {
        char *line;

        switch (abdb_child_read(&s->child, 0.2, &line)) {
        case ABDB_LINE:
            if (abdb_told_line(&s->told, s->o->path, line, err) != ABDB_OK) return err->status;
            break;
        case ABDB_TOO_LONG: /* what begins like a record, and not noise */
            if (line[strspn(line, " \t")] == '{')
                abdb_told_refuse(&s->told, "2.2", "a record of more than 1 MiB");
            break;
        case ABDB_ENDED: note_exit(s); return ABDB_OK;
        case ABDB_UNHEARD: return abdb_child_unheard(&s->child, s->o->path, err);
        case ABDB_QUIET: break;
        }
        if (*s->child.stop && !asked) asked = abdb_child_interrupt(&s->child);
        if (!s->told.ended && cut_off(s, begin_s)) return ABDB_OK;
    }
    /* What it says besides in the same breath: an answer that comes twice is none. */
    for (char *line; !s->told.bad && abdb_child_read(&s->child, 0, &line) == ABDB_LINE;)
        if (abdb_told_line(&s->told, s->o->path, line, err) != ABDB_OK) return err->status;
    note_lost_rank(s);
    if (s->told.bad) abdb_child_kill(&s->child); /* what it says next is as doubtful */
    return ABDB_OK;
}

/* A new life of the program, where it has none. */
static abdb_status start_program(session *s, abdb_error *err)
{
    abdb_process *p = &s->process;

    if (s->child.process.pid) return ABDB_OK;
    abdb_told_forget(&s->told);
    abdb_now_text(s->started);
    *p = (abdb_process){.campaign = s->o->campaign,
                        .backend = s->o->name,
                        .started = s->started,
                        .repetition = (long)s->o->repetition + 1,
                        .start = ++*s->starts};
    return abdb_child_start(&s->child, s->o, "run", err);
}

/* Asks for a cell and waits for its end. */
static abdb_status ask(session *s, const abdb_cell *cell, const char *line, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    TRY(start_program(s, err));
    abdb_told_ask(&s->told, cell);
    st = abdb_child_write(&s->child, line, fmin(s->o->timeout_s, ABDB_SILENCE_S), err);
    if (st == ABDB_OK) {
        TRY(watch(s, err));
    } else if (st != ABDB_IO) { /* that is abdb's own */
        note_exit(s);
        if (st == ABDB_LIMIT) abdb_told_end(&s->told, "timeout", "%s", err->message);
        st = ABDB_OK;
    }
done:
    return st;
}

/* Where the program answers the cell before once more, this one is asked anew, of a new process: it
 * is not this one's fault. */
static abdb_status run_cell(session *s, const abdb_cell *cell, abdb_run_tally *tally,
                            abdb_error *err)
{
    char *line = abdb_cell_request(s->o, cell);
    abdb_status st = ABDB_OK;

    if (!line) return ABDB_FAIL(err, ABDB_NOMEM, "a cell");
    TRY(ask(s, cell, line, err));
    if (s->told.late && !*s->child.stop) TRY(ask(s, cell, line, err));
    TRY(keep(s, cell, tally, err));
done:
    free(line);
    return st;
}

abdb_status abdb_backend_run(const abdb_run_options *options, const abdb_plan *plan,
                             const unsigned char *todo, const abdb_sink *sink,
                             abdb_run_tally *tally, abdb_error *err)
{
    long starts = 0;
    session s = {.o = options, .sink = sink, .starts = options->starts ? options->starts : &starts};
    abdb_status st = ABDB_OK;
    size_t total = 0, done_cells = 0;

    TRY(abdb_told_open(&s.told, err));
    for (size_t i = 0; i < plan->cells; i++) total += todo[i];
    for (size_t i = 0; i < plan->cells && !abdb_run_stopped(options); i++) {
        if (!todo[i]) continue;
        if (options->progress)
            options->progress(options->self, plan->cell[i].name, done_cells, total);
        TRY(run_cell(&s, &plan->cell[i], tally, err));
        if (options->doubtful) options->doubtful[i] = s.doubtful;
        done_cells++;
    }
done:
    /* After an error nobody reads what it still says. */
    (void)(st == ABDB_OK ? abdb_child_end(&s.child) : abdb_child_kill(&s.child));
    abdb_told_close(&s.told);
    return st;
}

/* campaign.c - the turns of a campaign: which cells a lane (a backend, or one build of it)
 * measures, in which order, and the summary at the end. Each cell is stored, or spooled, at once:
 * however the program ends, measured cells are kept. See campaign.h. */
#include "query/run/campaign.h"

#include <limits.h>
#include <math.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "kernels/programs/program_digest.h"
#include "kernels/runner/cell_validation.h"
#include "query/run/program_changes.h"
#include "schema/core/fixed_text.h"
#include "schema/core/stats.h"

/* A median known no better than this cannot show a change of 2 %. */
static const double noisy = 0.02;
/* Times that a cell in doubt is measured again. */
enum { AGAIN_MOST = 2 };
/* With fewer processes than these the first advice is to take more. */
enum { FEW_REPETITIONS = 5 };

abdb_status abdb_campaign_warn_if_clock_behind(abdb_db *db, abdb_error *err)
{
    sqlite3_stmt *s = NULL;
    char now[32];
    int code = sqlite3_prepare_v2(db->sql,
                                  "SELECT campaign, max(date) FROM entry WHERE campaign IS NOT NULL"
                                  " GROUP BY campaign ORDER BY 2 DESC, 1 DESC LIMIT 1",
                                  -1, &s, NULL);
    abdb_status st = ABDB_OK;

    abdb_format_now_utc(now);
    if (code == SQLITE_OK) code = sqlite3_step(s);
    if (code == SQLITE_ROW && strcmp(abdb_sql_text_or_empty(s, 1), now) > 0)
        abdb_print_stderr_remark(
            "the clock (%s) is behind the newest run here, %s of %s: run=latest will mean"
            " that one, and not what is measured now; set the clock, and name this run by"
            " its campaign or --tag",
            now, abdb_sql_text_or_empty(s, 0), abdb_sql_text_or_empty(s, 1));
    else if (code != SQLITE_ROW && code != SQLITE_DONE)
        st = abdb_db_report_sqlite_error(db, err, "the newest run");
    sqlite3_finalize(s);
    return st;
}

void abdb_campaign_make_name(const char *key, char out[64])
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    /* Microseconds since 1970 first, so that names sort by time; the process number distinguishes
     * two of one moment. */
    snprintf(out, 64, "c-%012llx%03x-%s",
             (unsigned long long)now.tv_sec * 1000000ull + (unsigned long long)now.tv_nsec / 1000,
             (unsigned)getpid() & 0xfff, key);
}

size_t abdb_campaign_count_cells(const abdb_campaign *t)
{
    size_t cells = 0;

    for (size_t b = 0; b < t->lanes->count; b++)
        for (size_t i = 0; i < t->plan->cells; i++) cells += t->lanes->lane[b].has[i] != 0;
    return cells;
}

/* The sink of the runner: each cell is a transaction of its own. */
static abdb_status store_or_spool_cell(void *self, const abdb_entry *entry, abdb_error *err)
{
    abdb_cell_store *k = self;
    abdb_sink sink = abdb_writer_make_storing_sink(k->writer);
    abdb_counts counts;
    const char *status = entry->field[ABDB_FIELD_status];
    int known;
    abdb_status st = ABDB_OK;

    if (k->says_failed && entry->field[ABDB_FIELD_reason] &&
        !abdb_list_has_word("ok cancelled not-implemented", ' ', status, strlen(status))) {
        k->says_failed = false; /* the first reason will do */
        abdb_show_or_clear_progress_bar("", -1, 0);
        abdb_print_stderr_remark("%s: %s", entry->field[ABDB_FIELD_tag],
                                 entry->field[ABDB_FIELD_reason]);
    }
    if (k->spool) return abdb_spool_writer_append_durably(k->spool, entry, err);
    TRY(abdb_refuse_or_report_changed_program(k->db, entry, k->resumed, err));
    TRY(abdb_writer_begin_file_unless_known(k->writer, NULL, &known, &counts, err));
    TRY(sink.entry(sink.self, entry, err));
    TRY(sink.row_end(sink.self, err));
    TRY(abdb_writer_commit_and_withdraw_replaced_imports(k->writer, &counts, err));
    if (counts.rejected)
        st = ABDB_FAIL(err, ABDB_BACKEND, "what %s said cannot be kept", k->backend);
done:
    abdb_writer_rollback_and_forget_ids(k->writer, NULL);
    return st;
}

void abdb_show_cell_progress_unless_quiet(void *self, const char *cell, size_t done, size_t total)
{
    const abdb_cell_store *k = self;
    char what[160];

    snprintf(what, sizeof what, "%s %s", k->backend, cell);
    if (!k->quiet) abdb_show_or_clear_progress_bar(what, (double)done, (double)total);
}

/* Clears todo of the cells that the campaign has already; cancelled and failed ones are measured
 * again. */
static abdb_status clear_todo_of_cells_already_stored(abdb_db *db, const char *campaign,
                                                      const abdb_schedule_entry *lane,
                                                      size_t repetition, const abdb_plan *plan,
                                                      unsigned char *todo, abdb_error *err)
{
    sqlite3_stmt *s = NULL;
    abdb_arena arena = {0};
    abdb_status st = ABDB_OK;

    if (sqlite3_prepare_v2(db->sql,
                           "SELECT 1 FROM entry WHERE campaign = ? AND cell = ? AND"
                           " status IN ('ok', 'not-implemented') AND tag IS ?",
                           -1, &s, NULL) != SQLITE_OK)
        return abdb_db_report_sqlite_error(db, err, "resume");
    for (size_t i = 0; i < plan->cells; i++) {
        const char *cell =
            abdb_cell_stored_name(&arena, lane->backend, lane->device, &plan->cell[i], repetition);
        int code;

        if (!cell) TRY(ABDB_FAIL(err, ABDB_NOMEM, "resume"));
        if (sqlite3_bind_text(s, 1, campaign, -1, SQLITE_STATIC) != SQLITE_OK ||
            sqlite3_bind_text(s, 2, cell, -1, SQLITE_STATIC) != SQLITE_OK ||
            sqlite3_bind_text(s, 3, lane->tag, -1, SQLITE_STATIC) != SQLITE_OK)
            TRY(abdb_db_report_sqlite_error(db, err, "resume"));
        code = sqlite3_step(s);
        if (code == SQLITE_ROW)
            todo[i] = 0;
        else if (code != SQLITE_DONE)
            TRY(abdb_db_report_sqlite_error(db, err, "resume"));
        sqlite3_reset(s);
    }
done:
    sqlite3_finalize(s);
    abdb_arena_free(&arena);
    return st;
}

/* Prints how many cells were measured, failed or were left out, and how to look at them. */
static void print_cell_counts(const abdb_run_tally *t, const char *campaign, const char *spool)
{
    abdb_print_sanitized(stdout, "%s: %zu cell%s measured", campaign, t->ok,
                         abdb_plural_ending((long long)t->ok));
    if (t->unverified)
        abdb_print_sanitized(stdout, ", %zu of them failed verification", t->unverified);
    if (t->not_implemented)
        abdb_print_sanitized(stdout, ", %zu not implemented", t->not_implemented);
    if (t->failed) abdb_print_sanitized(stdout, ", %zu failed", t->failed);
    if (t->crashed)
        abdb_print_sanitized(stdout, ", %zu crashed, timed out, out of memory or without a device",
                             t->crashed);
    if (t->cancelled) abdb_print_sanitized(stdout, ", %zu cancelled", t->cancelled);
    if (t->again)
        abdb_print_sanitized(stdout, ", %zu of them again because they were in doubt", t->again);
    if (spool)
        abdb_print_sanitized(stdout, "  (abdb import %s)\n", spool);
    else
        abdb_print_sanitized(
            stdout, "  (abdb query kernels%s)\n",
            t->failed + t->crashed + t->unverified + t->not_implemented ? " --failed" : "");
}

/* How much of a difference this run could have shown. */
static void print_noise_and_advice(const abdb_run_tally *t, size_t repetitions)
{
    abdb_summary summary;

    if (!t->spreads || abdb_sort_and_summarise(t->spread, t->spreads, &summary, NULL) != ABDB_OK)
        return;
    abdb_print_sanitized(stdout,
                         "noise: the median of a cell is known to +-%.1f %% (half of the cells)",
                         100 * summary.median);
    if (t->unsteady)
        abdb_print_sanitized(
            stdout,
            "; the machine changed its speed by over 10 %% during %zu of %zu cells, which are "
            "marked"
            " unsteady",
            t->unsteady, t->ok);
    if (summary.median > noisy || 10 * t->unsteady > t->ok) {
        abdb_print_sanitized(stdout, "\n       this machine is too noisy for 2 %%: ");
        if (repetitions < FEW_REPETITIONS)
            abdb_print_sanitized(stdout, "repeat whole processes (--repeat %d --interleave)",
                                 FEW_REPETITIONS);
        else
            abdb_print_sanitized(stdout, "take more processes (--repeat %zu)", 2 * repetitions);
        abdb_print_sanitized(stdout, ", or leave it alone meanwhile");
    }
    fputc('\n', stdout);
}

/* In how many turns other programs or a quota disturbed the measured programs. */
static void print_disturbances_of_commands(const abdb_run_tally *t)
{
    if (t->busy)
        abdb_print_sanitized(stdout,
                             "busy: other programs used over a tenth of this machine during %zu of"
                             " %zu cells\n       leave it alone meanwhile, or compare processor"
                             " time: abdb compare ... --metric user_time_s\n",
                             t->busy, t->ok);
    if (t->throttled)
        abdb_print_sanitized(stdout,
                             "throttled: the processor quota of the cgroup was used up during %zu"
                             " of %zu cells, which took longer for it\n",
                             t->throttled, t->ok);
}

/* Sets the options of the run to a backend, device and build of the schedule. */
static void set_run_options_from_schedule_entry(const abdb_campaign *t,
                                                const abdb_schedule_entry *lane)
{
    t->o->name = t->k->backend = lane->backend;
    t->o->path = lane->path;
    t->o->foreign = lane->foreign;
    t->o->argument = lane->argument;
    t->o->keep_environment = t->lanes->commands;
    t->o->device = lane->device;
    t->o->launch = lane->ranks && t->lanes->launch.ranks ? &t->lanes->launch : NULL;
    t->o->tag = lane->tag;
    t->o->commit = lane->commit.commit;
    t->o->commit_date = lane->commit.date;
    t->o->branch = lane->commit.branch;
    t->o->dirty = lane->commit.dirty;
}

/* Keeps only cells whose last measurement was in doubt; returns their number. */
static size_t limit_todo_to_doubtful_cells(const abdb_campaign *t)
{
    size_t count = 0;

    for (size_t i = 0; i < t->plan->cells; i++)
        count += t->todo[i] = t->todo[i] && t->o->doubtful[i];
    return count;
}

/* Cells [first, end) by one lane, as its repetition of o->repetition. */
static abdb_status measure_cells_and_repeat_doubtful(const abdb_campaign *t,
                                                     const abdb_schedule_entry *lane,
                                                     size_t first_cell, size_t end_cell,
                                                     abdb_error *err)
{
    abdb_sink sink = {t->k, store_or_spool_cell, NULL, NULL, NULL};
    char digest[ABDB_PROGRAM_DIGEST], path[PATH_MAX], *words[] = {path, NULL};
    abdb_status st = ABDB_OK;

    set_run_options_from_schedule_entry(t, lane);
    memset(t->todo, 0, t->plan->cells);
    memcpy(t->todo + first_cell, lane->has + first_cell, end_cell - first_cell);
    if (!memchr(t->todo, 1, t->plan->cells)) return ABDB_OK; /* another lane's */
    t->k->resumed = abdb_arg_value(t->args, "resume") != NULL;
    if (t->k->resumed)
        TRY(clear_todo_of_cells_already_stored(t->k->db, t->o->campaign, lane, t->o->repetition,
                                               t->plan, t->todo, err));
    /* abdb-command adds the digest of the program that it starts. */
    if (t->lanes->builds && !t->lanes->commands &&
        abdb_format_if_fits(path, sizeof path, "%s", lane->path) &&
        abdb_digest_program_libraries_and_named_files(words, 0, digest))
        t->o->program_digest = digest;
    TRY(abdb_backend_run_and_store_cells(t->o, t->plan, t->todo, &sink, t->tally, err));
    for (int i = 0; i < AGAIN_MOST && t->again && !*t->stop; i++) {
        size_t count = limit_todo_to_doubtful_cells(t);

        if (!count) break;
        t->tally->again += count;
        TRY(abdb_backend_run_and_store_cells(t->o, t->plan, t->todo, &sink, t->tally, err));
    }
done:
    t->o->program_digest = NULL;
    return st;
}

/* After the failure of a lane's backend the other lanes go on without it; the error of the last
 * remaining one is the command's. */
static abdb_status drop_failed_backend_if_others_left(const abdb_campaign *t, size_t lane,
                                                      abdb_status st, abdb_error *err)
{
    size_t left = 0;

    if (st != ABDB_BACKEND || *t->stop) return st;
    t->lost[lane] = 1;
    t->tally->lost++;
    for (size_t i = 0; i < t->lanes->count; i++) left += !t->lost[i];
    if (!left) return st;
    abdb_show_or_clear_progress_bar("", -1, 0);
    abdb_print_error_return_exit_code(err);
    return ABDB_OK;
}

/* A lane's turn; one whose backend cannot be run is out, while there are others. */
static abdb_status measure_or_drop_backend(const abdb_campaign *t, size_t lane, size_t first_cell,
                                           size_t end_cell, abdb_error *err)
{
    if (t->lost[lane]) return ABDB_OK;
    return drop_failed_backend_if_others_left(
        t, lane,
        measure_cells_and_repeat_doubtful(t, &t->lanes->lane[lane], first_cell, end_cell, err),
        err);
}

abdb_status abdb_campaign_run_repetition(const abdb_campaign *t, abdb_error *err)
{
    size_t cells = t->plan->cells, count = t->lanes->count;
    bool interleave = abdb_arg_value(t->args, "interleave") || t->lanes->builds;
    long starts[ABDB_BACKEND_MAX] = {0}; /* of each program: a turn starts it anew */
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < (interleave ? cells : 1) && !*t->stop; i++)
        for (size_t n = 0; n < count && !*t->stop; n++) {
            bool fro = interleave && (i + t->o->repetition) % 2;
            /* To and fro, cell by cell and repetition by repetition: no lane is always the
             * first. */
            size_t lane = fro ? count - 1 - n : n;

            t->o->starts = &starts[t->lanes->lane[lane].counter];
            TRY(measure_or_drop_backend(t, lane, interleave ? i : 0, interleave ? i + 1 : cells,
                                        err));
        }
done:
    t->o->starts = NULL;
    return st;
}

void abdb_campaign_print_estimate(const abdb_campaign *t, size_t repetitions, double least_s)
{
    double all = 0;
    size_t lanes = t->lanes->count;
    abdb_run_estimate one, longest = {0};
    char each[48] = "";
    abdb_error err;

    if (t->k->quiet) return;
    for (size_t i = 0; i < lanes; i++) {
        set_run_options_from_schedule_entry(t, &t->lanes->lane[i]);
        if (abdb_backend_ask_estimates_and_sum_seconds(t->o, t->plan, t->lanes->lane[i].has, &one,
                                                       &err) != ABDB_OK ||
            !isfinite(one.all_s))
            continue;
        all += one.all_s;
        if (one.longest_s > longest.longest_s) longest = one;
    }
    all *= (double)repetitions;
    if (!(all > 0) || all < least_s) return; /* 0: unknown */
    fflush(stdout);
    if (repetitions > 1) snprintf(each, sizeof each, " (%zu processes of each)", repetitions);
    abdb_print_sanitized(stderr, "%zu cell%s by %zu backend%s%s%s: about %.0f %s\n",
                         t->plan->cells * repetitions,
                         abdb_plural_ending((long long)(t->plan->cells * repetitions)), lanes,
                         abdb_plural_ending((long long)lanes),
                         t->lanes->builds && !t->lanes->commands ? " of builds" : "", each,
                         ceil(all > 90 ? all / 60 : all), all > 90 ? "minutes" : "seconds");
    if (longest.longest_s > t->o->timeout_s)
        abdb_print_sanitized(stderr,
                             "%s: about %.0f s, more than it may take (%.0f s): --timeout %.0f\n",
                             t->plan->cell[longest.longest].name, longest.longest_s,
                             t->o->timeout_s, 2 * longest.longest_s);
}

/* --- mamf: each backend searches -------------------------------------------------------------- */

/* Prints the fastest shape that a search found, and its neighbours' cost. */
static void print_gemm_search_result(const char *backend, const abdb_cell *of, const abdb_mamf *m)
{
    static const char *const sides[] = {"m", "n", "k"};

    const char *dtype = abdb_cell_param_text(of, "dtype"),
               *provider = abdb_cell_param_text(of, "provider");

    abdb_print_sanitized(
        stdout, "%s%s%s %s: %.1f G%s/s with m=%zu n=%zu k=%zu (%.1f in the quick look)\n", backend,
        provider ? "/" : "", provider ? provider : "", dtype, m->rate / 1e9,
        *dtype == 'i' ? "OP" : "FLOP", m->side[0], m->side[1], m->side[2], m->quick_rate / 1e9);
    abdb_print_sanitized(stdout, "  %zu shapes in %.0f s; ended because %s\n", m->shapes,
                         m->seconds, m->stopped);
    for (int i = 0; i < 3; i++) {
        if (isnan(m->one_more[i])) {
            abdb_print_sanitized(stdout, "  %s one longer: could not be measured\n", sides[i]);
            continue;
        }
        abdb_print_sanitized(stdout, "  %s one longer: %+.1f %%", sides[i], -100 * m->one_more[i]);
        if (m->tile[i])
            abdb_print_sanitized(stdout, ", as fast again with %zu more\n", m->tile[i]);
        else
            puts(", slower with 2, 4, ... 64 more");
    }
}

abdb_status abdb_campaign_search_and_print_fastest_gemm(const abdb_campaign *t, double budget_s,
                                                        abdb_error *err)
{
    abdb_sink sink = {t->k, store_or_spool_cell, NULL, NULL, NULL};
    bool any = false; /* was anything found? */
    abdb_status st = ABDB_OK, none = ABDB_OK;

    for (size_t b = 0; b < t->lanes->count; b++) {
        const abdb_schedule_entry *lane = &t->lanes->lane[b];
        long starts = 0;

        set_run_options_from_schedule_entry(t, lane);
        t->o->starts = &starts;
        for (size_t i = 0; i < t->plan->cells && !*t->stop; i++) {
            abdb_mamf found;

            if (!lane->has[i]) continue;
            st = abdb_search_fastest_gemm(t->o, &t->plan->cell[i], budget_s, &sink, t->tally,
                                          &found, err);
            if (st == ABDB_BACKEND && !*t->stop) break;
            if (st != ABDB_USAGE) TRY(st);
            abdb_show_or_clear_progress_bar("", -1, 0);
            if (st == ABDB_USAGE) {
                none = *t->stop ? ABDB_OK : st; /* or was there no time for one? */
                if (none != ABDB_OK && t->lanes->count * t->plan->cells > 1)
                    abdb_print_stderr_remark("%s", err->message);
                continue;
            }
            any = true;
            print_gemm_search_result(t->o->name, &t->plan->cell[i], &found);
        }
        TRY(drop_failed_backend_if_others_left(t, b, st == ABDB_USAGE ? ABDB_OK : st, err));
        st = ABDB_OK;
    }
    if (!any && none != ABDB_OK)
        st = t->lanes->count * t->plan->cells > 1
                 ? ABDB_FAIL(err, none, "no backend here has what is searched")
                 : none;
done:
    t->o->starts = NULL;
    return st;
}

void abdb_campaign_print_summary(const abdb_campaign *t, const char *spool)
{
    print_cell_counts(t->tally, t->o->campaign, spool);
    if (t->lanes->commands) /* `compare` prints how many turns it takes */
        print_disturbances_of_commands(t->tally);
    else
        print_noise_and_advice(t->tally, t->o->repetition);
}

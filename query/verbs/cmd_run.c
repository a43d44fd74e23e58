/* cmd_run.c - abdb run: options, plan and backends of a campaign (query/run/campaign.c). */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/runner/plan_scale.h"
#include "query/answer/search_path.h"
#include "query/run/calibration_report.h"
#include "query/run/campaign.h"
#include "query/run/resume_command.h"
#include "query/run/slurm_script.h"
#include "query/run/time_budget.h"
#include "schema/store/digest.h"
#include "schema/store/unfinished_runs.h"

/* The default time of --search; and the least duration that a run prints before it begins. */
static const double budget_default_s = 60, announced_s = 10;
/* Processes a side where a gate depends on it; commands one after another that a calibration
 * compares. */
enum { GATE_REPEAT = 10, CALIBRATE_COMMANDS = 6 };
static volatile int stopping, stop_signal; /* number of requests to stop, and the last signal */

static void count_stop_signal(int number)
{
    static const char *const words = "\nabdb: finishing the sample; once more ends it at once\n";

    stop_signal = number;
    if (++stopping == 1) abdb_print_stderr_signal_safe(words);
}

/* Reports why it stopped; returns the exit code: of a stop by a signal as a shell has it. */
static int report_stop(const abdb_args *args, char **argv, int code)
{
    if (stop_signal) {
        abdb_print_resume_command(args, argv);
        return 128 + stop_signal;
    }
    abdb_print_stderr_remark("the time of --budget was over before all cells were measured");
    return code;
}

/* --- the plan --------------------------------------------------------------------------------- */

static abdb_status add_shipped_or_file_plan(abdb_plan *plan, const char *name, abdb_error *err)
{
    const char *names[64], *near;
    abdb_arena arena = {0};
    abdb_text text = {0};
    size_t count = 0;
    abdb_status st = ABDB_OK;

    for (; count < 64 && abdb_plans[count].name; count++) {
        size_t size = strlen(abdb_plans[count].name) - 5;

        names[count] = abdb_arena_printf(&arena, "%.*s", (int)size, abdb_plans[count].name);
        if (!names[count]) TRY(ABDB_FAIL(err, ABDB_NOMEM, "names of plans"));
        if (strcmp(names[count], name) != 0) continue;
        st = abdb_plan_add_cells(plan, abdb_plans[count].text, err);
        goto done;
    }
    if (access(name, R_OK) == 0) {
        TRY(abdb_read_and_protect_text_file(name, &text, err));
        count = plan->cells;
        st = abdb_plan_add_cells(plan, abdb_text_get(&text), err);
        if (st != ABDB_OK)
            abdb_error_prepend_context(err, "%s", name);
        else if (plan->cells == count)
            st = ABDB_FAIL(err, ABDB_USAGE,
                           "%s holds no kernel: a line names one and its parameters, such as"
                           " 'gemm dtype=f32 n=1024'",
                           name);
        goto done;
    }
    near = abdb_nearest_name(name, names, count);
    st = ABDB_FAIL(err, ABDB_USAGE, "no plan '%s'%s%s%s; `abdb run --list` lists them", name,
                   near ? ", did you mean '" : "", near ? near : "", near ? "'?" : "");
done:
    abdb_text_free(&text);
    abdb_arena_free(&arena);
    return st;
}

/* --search: a gemm without m, n and k, which it finds; of each dtype. */
static abdb_status plan_gemm_search(abdb_plan *plan, const abdb_args *args, abdb_error *err)
{
    const char *axis;
    abdb_text line = {0};
    bool dtype = false;
    size_t at = 0;
    abdb_status st = ABDB_OK;

    abdb_text_puts(&line, "gemm");
    while ((axis = abdb_arg_next_value(args, "axis", &at))) {
        dtype |= strncmp(axis, "dtype=", 6) == 0;
        if (strncmp(axis, "dtype=", 6) != 0 && strncmp(axis, "provider=", 9) != 0)
            TRY(ABDB_FAIL(err, ABDB_USAGE,
                          "--search mamf finds m, n and k itself: --axis dtype=bf16"));
        abdb_text_printf(&line, " %s", axis);
    }
    if (!dtype) abdb_text_puts(&line, " dtype=f32");
    st = abdb_plan_add_cells(plan, abdb_text_get(&line), err);
done:
    abdb_text_free(&line);
    return st;
}

static abdb_status build_plan_from_options(abdb_plan *plan, const abdb_args *args, abdb_error *err)
{
    const char *name = abdb_arg_value(args, "plan"), *kernel = abdb_arg_value(args, "kernel"),
               *axis;
    abdb_text line = {0};
    size_t at = 0;
    abdb_status st = ABDB_OK;

    if (abdb_arg_value(args, "search") && (name || kernel))
        return ABDB_FAIL(err, ABDB_USAGE,
                         "--search finds its cells itself: no --plan, no --kernel");
    if (abdb_arg_value(args, "search")) return plan_gemm_search(plan, args, err);
    if (abdb_arg_value(args, "command")) kernel = "wall-time";
    if (!name && !kernel)
        return ABDB_FAIL(err, ABDB_USAGE,
                         "run what? --plan NAME or --kernel NAME (`abdb run --list` lists them), or"
                         " a program of yours: --command NAME='./program'");
    if (name && (kernel || abdb_arg_value(args, "axis")))
        return ABDB_FAIL(err, ABDB_USAGE, "--plan says it all: no --kernel or --axis beside it");
    if (name) return add_shipped_or_file_plan(plan, name, err);
    abdb_text_puts(&line, kernel);
    while ((axis = abdb_arg_next_value(args, "axis", &at))) abdb_text_printf(&line, " %s", axis);
    st = abdb_plan_add_cells(plan, abdb_text_get(&line), err);
    abdb_text_free(&line);
    return st;
}

/* --- backends --------------------------------------------------------------------------------- */

/* ABDB_USAGE: the backend is one of abdb's, but it is not installed. */
static abdb_status fail_if_known_but_missing(const char *name, abdb_error *err)
{
    const abdb_backend_package *p = abdb_backend_packages;
    abdb_text get = {0};
    abdb_status st = ABDB_OK;

    while (p->name && strcmp(p->name, name) != 0) p++;
    if (p->name && p->made) {
        abdb_append_install_advice(&get, p);
        st = ABDB_FAIL(err, ABDB_USAGE, "no backend '%s' here: %s", name, abdb_text_get(&get));
    }
    abdb_text_free(&get);
    return st;
}

/* Which of the list --backend names; without it all but ref. */
static abdb_status mark_chosen_backends(const abdb_backend_list *all, const char *requested_names,
                                        unsigned char *chosen, abdb_error *err)
{
    const char *names[ABDB_BACKEND_MAX], *near, *own = getenv("ABDB_BACKENDS");
    abdb_status st = ABDB_OK;
    size_t any = 0;

    for (size_t i = 0; i < all->count; i++) names[i] = all->backend[i].name;
    for (size_t i = 0; !requested_names && i < all->count; i++) {
        chosen[i] = strcmp(names[i], "ref") != 0;
        any += chosen[i];
    }
    if (!requested_names && !any)
        return ABDB_FAIL(err, ABDB_USAGE,
                         "no backend but the reference is here; --backend ref runs it,"
                         " `abdb doctor` says what is missing");
    while (requested_names && *requested_names) {
        size_t size = strcspn(requested_names, ","), i = 0;
        char name[256];

        snprintf(name, sizeof name, "%.*s", (int)size, requested_names);
        while (i < all->count && (strcmp(names[i], name) != 0 || size >= sizeof name)) i++;
        if (i == all->count) {
            TRY(fail_if_known_but_missing(name, err));
            near = abdb_nearest_name(name, names, all->count);
            return ABDB_FAIL(err, ABDB_USAGE,
                             "no backend '%s' here%s%s%s a backend is a program abdb-run-NAME"
                             " beside abdb or in the folder $ABDB_BACKENDS%s%s%s; `abdb run --list`"
                             " lists them",
                             name, near ? ", did you mean '" : "", near ? near : "",
                             near ? "'?" : ";", own ? " (" : " (not set)", own ? own : "",
                             own ? ")" : "");
        }
        chosen[i] = 1;
        requested_names += size + (requested_names[size] == ',');
    }
done:
    return st;
}

/* --- the campaign ----------------------------------------------------------------------------- */

/* Digest of the plan and of options that count, the end of a campaign's name, for --resume. */
static void digest_plan_and_options(const abdb_plan *plan, const abdb_args *args, char out[16])
{
    static const char *const matter[] = {
        "backend",    "quick",  "tag",     "threads", "core-type", "repeat",   "energy",
        "interleave", "builds", "gate",    "commit",  "ranks",     "launcher", "hosts",
        "node",       "setup",  "prepare", "cleanup", "warmup",    "output",   "ignore-failure"};
    const char *command;
    abdb_text text = {0};
    size_t at = 0;
    char hex[ABDB_SHA256_HEX];

    for (size_t i = 0; i < plan->cells; i++) abdb_text_printf(&text, "%s\n", plan->cell[i].name);
    while ((command = abdb_arg_next_value(args, "command", &at)))
        abdb_text_printf(&text, "command=%s\n", command);
    for (at = 0; (command = abdb_arg_next_value(args, "metric-from", &at));)
        abdb_text_printf(&text, "metric-from=%s\n", command);
    for (size_t i = 0; i < sizeof matter / sizeof matter[0]; i++)
        if (abdb_arg_value(args, matter[i]))
            abdb_text_printf(&text, "%s=%s\n", matter[i], abdb_arg_value(args, matter[i]));
    abdb_sha256_hex(abdb_text_get(&text), text.size, hex);
    snprintf(out, 16, "%.8s", hex);
    abdb_text_free(&text);
}

static abdb_status find_last_campaign(abdb_db *db, const char *key, char out[64], abdb_error *err)
{
    sqlite3_stmt *s = NULL;
    char pattern[32];
    int code;

    out[0] = '\0';
    snprintf(pattern, sizeof pattern, "c-*-%s", key);
    code = sqlite3_prepare_v2(db->sql,
                              "SELECT campaign FROM entry WHERE campaign GLOB ? ORDER BY"
                              " campaign DESC LIMIT 1",
                              -1, &s, NULL);
    sqlite3_bind_text(s, 1, pattern, -1, SQLITE_STATIC);
    if (code == SQLITE_OK) code = sqlite3_step(s);
    if (code == SQLITE_ROW) snprintf(out, 64, "%s", abdb_sql_text_or_empty(s, 0));
    sqlite3_finalize(s);
    return code == SQLITE_ROW || code == SQLITE_DONE
               ? ABDB_OK
               : abdb_db_report_sqlite_error(db, err, "campaign");
}

static int run_exit_code(const abdb_run_tally *t)
{
    bool out_of_time = abdb_time_budget_end_was_exceeded() && !stop_signal;

    if (t->unverified) return abdb_exit_code(ABDB_VERIFY);
    if (t->lost) return abdb_exit_code(ABDB_BACKEND);
    return t->crashed || t->failed || (t->cancelled && !out_of_time) ? abdb_exit_code(ABDB_PARTIAL)
                                                                     : 0;
}

static abdb_status parse_process_options(const abdb_args *args, abdb_run_options *o,
                                         abdb_error *err)
{
    const char *text = abdb_arg_value(args, "timeout");
    long long threads = abdb_count_usable_processors();

    o->timeout_s = abdb_arg_value(args, "scale")   ? ABDB_SCALED_TIMEOUT_S
                   : abdb_arg_value(args, "quick") ? ABDB_QUICK_TIMEOUT_S
                                                   : ABDB_CELL_TIMEOUT_S;
    if (text && (!abdb_double_parse(text, ABDB_MARK_UNKNOWN, &o->timeout_s) || o->timeout_s <= 0))
        return ABDB_FAIL(err, ABDB_USAGE, "--timeout wants seconds, not '%s'", text);
    text = abdb_arg_value(args, "threads");
    if (text && !abdb_integer_parse_in_range(text, ABDB_MARK_UNKNOWN, 1, 65536, &threads))
        return ABDB_FAIL(err, ABDB_USAGE, "--threads wants a whole number, not '%s'", text);
    o->threads = (int)threads;
    o->node = abdb_arg_value(args, "node");
    if (o->node && !*o->node) return ABDB_FAIL(err, ABDB_USAGE, "--node wants a name");
    o->core_type = abdb_arg_value(args, "core-type");
    if (o->core_type && strcmp(o->core_type, "auto") == 0)
        o->core_type = abdb_best_openblas_core_type();
    return ABDB_OK;
}

static abdb_status parse_search_budget(const abdb_args *args, double *budget_s, abdb_error *err)
{
    const char *what = abdb_arg_value(args, "search"), *budget = abdb_arg_value(args, "budget");

    *budget_s = budget_default_s;
    if (what && strcmp(what, "mamf") != 0)
        return ABDB_FAIL(err, ABDB_USAGE, "no search '%s'; there is mamf", what);
    if (budget && (!abdb_double_parse(budget, ABDB_MARK_UNKNOWN, budget_s) || *budget_s <= 0 ||
                   *budget_s > ABDB_BUDGET_MOST_S))
        return ABDB_FAIL(err, ABDB_USAGE, "--budget wants seconds above 0, not '%s'", budget);
    return ABDB_OK;
}

/* Is it measured for a gate? How many processes, in how many commands one after another? */
typedef struct {
    bool gate;
    long long repetitions, commands;
} repeat_counts;

static abdb_status parse_repeat_options(const abdb_args *args, repeat_counts *out, abdb_error *err)
{
    const char *text = abdb_arg_value(args, "repeat");
    bool calibrate = abdb_arg_value(args, "calibrate") != NULL;

    out->gate = abdb_arg_value(args, "gate") || abdb_arg_value(args, "builds") ||
                abdb_arg_value(args, "command") || calibrate;
    out->repetitions = out->gate ? GATE_REPEAT : 1;
    out->commands = calibrate ? CALIBRATE_COMMANDS : 1;
    if (text && !abdb_integer_parse_in_range(text, ABDB_MARK_UNKNOWN, 1, 1000, &out->repetitions))
        return ABDB_FAIL(err, ABDB_USAGE, "--repeat wants a whole number up to 1000, not '%s'",
                         text);
    if (out->gate && abdb_arg_value(args, "quick"))
        return ABDB_FAIL(err, ABDB_USAGE,
                         "--quick takes too few samples for a gate or a calibration; quicker are"
                         " fewer cells, or fewer processes (--repeat 5)");
    if (out->gate && abdb_arg_value(args, "search"))
        return ABDB_FAIL(err, ABDB_USAGE, "--search is no gate: it looks for one best shape");
    if (calibrate && (abdb_arg_value(args, "tag") || abdb_arg_value(args, "builds")))
        return ABDB_FAIL(err, ABDB_USAGE,
                         "--calibrate measures one build against itself, with a tag of its own");
    if (calibrate && abdb_arg_value(args, "resume"))
        return ABDB_FAIL(err, ABDB_USAGE, "--calibrate adds up by itself: run it once more");
    return ABDB_OK;
}

/* Every command of a calibration, else the one: all repetitions. */
static abdb_status measure_all_repetitions(const abdb_campaign *t, const repeat_counts *r,
                                           const char *key, char campaign[64], abdb_error *err)
{
    abdb_status st = ABDB_OK;

    for (long long c = 0; c < r->commands && !stopping; c++) {
        if (c) abdb_campaign_make_name(key, campaign);
        if (t->k->db)
            TRY(abdb_unfinished_run_begin(t->k->db->sql, campaign,
                                          (size_t)r->repetitions * abdb_campaign_count_cells(t),
                                          err));
        for (t->o->repetition = 0; t->o->repetition < (size_t)r->repetitions && !stopping;
             t->o->repetition++)
            TRY(abdb_campaign_run_repetition(t, err));
        if (t->k->db && !stop_signal) TRY(abdb_unfinished_run_end(t->k->db->sql, campaign, err));
    }
done:
    return st;
}

/* A campaign: its name holds the key of the plan, by which --resume finds the last one and
 * passes over its cells. However it ends, measured cells are in the database or in the spool. */
static abdb_status run_campaign(const abdb_args *args, const abdb_plan *plan,
                                const abdb_schedule *lanes, abdb_cell_store *k,
                                abdb_run_tally *tally, abdb_error *err)
{
    abdb_run_options o = {.quick = abdb_arg_value(args, "quick") != NULL,
                          .energy = abdb_arg_value(args, "energy") != NULL,
                          .stop = &stopping,
                          .progress = abdb_show_cell_progress_unless_quiet,
                          .escaped = abdb_print_stderr_remark_of_ended_processes,
                          .self = k};
    unsigned char *todo = calloc(2 * plan->cells + 1, 1);
    unsigned char lost[ABDB_LANES_MAX] = {0};
    abdb_campaign t = {args, plan, lanes, &o, k, tally, todo, &stopping, lost, false};
    char key[16], campaign[64] = "";
    abdb_arena arena = {0};
    repeat_counts r;
    double budget_s;
    abdb_status st = ABDB_OK;

    if (!todo) return ABDB_FAIL(err, ABDB_NOMEM, "a plan");
    o.doubtful = todo + plan->cells;
    o.counter = abdb_path_of_work_counter(&arena);
    TRY(parse_process_options(args, &o, err));
    TRY(parse_repeat_options(args, &r, err));
    t.again = r.gate;
    TRY(parse_search_budget(args, &budget_s, err));
    if (abdb_arg_value(args, "budget") && !abdb_arg_value(args, "search"))
        abdb_time_budget_start(budget_s, &stopping);
    if (!abdb_arg_value(args, "search"))
        abdb_campaign_print_estimate(&t, (size_t)(r.repetitions * r.commands), announced_s);
    digest_plan_and_options(plan, args, key);
    if (abdb_arg_value(args, "resume")) {
        TRY(find_last_campaign(k->db, key, campaign, err));
        if (!*campaign)
            abdb_print_stderr_remark(
                "nothing to resume: this plan was not begun here; measuring it whole");
    }
    if (k->db) TRY(abdb_campaign_warn_if_clock_behind(k->db, err));
    if (!*campaign) abdb_campaign_make_name(key, campaign);
    o.campaign = campaign;
    if (abdb_arg_value(args, "spool"))
        TRY(abdb_spool_writer_open_hidden_file(&k->spool, abdb_arg_value(args, "spool"), campaign,
                                               err));
    st = abdb_arg_value(args, "search")
             ? abdb_campaign_search_and_print_fastest_gemm(&t, budget_s, err)
             : measure_all_repetitions(&t, &r, key, campaign, err);
    if (st == ABDB_OK && k->spool) {
        st = abdb_spool_writer_publish(k->spool, err);
        k->spool = NULL;
    } else if (!k->spool) { /* measured results can be queried, however the rest ended */
        abdb_error own;
        abdb_status indexed = abdb_writer_update_derived(k->writer, st == ABDB_OK ? err : &own);

        if (st == ABDB_OK) st = indexed;
    }
    if (st != ABDB_OK) goto done;
    abdb_show_or_clear_progress_bar("", -1, 0);
    if (!k->quiet) abdb_campaign_print_summary(&t, abdb_arg_value(args, "spool"));
    if (!k->quiet && lanes->commands && !abdb_arg_value(args, "spool"))
        abdb_print_compare_command(lanes, args);
    if (!k->quiet && abdb_arg_value(args, "calibrate") && !abdb_arg_value(args, "spool"))
        TRY(abdb_print_calibrated_noise_of_campaign(k->db, campaign, stdout, err));
done:
    if (k->spool) (void)!abdb_spool_writer_publish(k->spool, NULL); /* measured results are kept */
    k->spool = NULL;
    free(todo);
    abdb_arena_free(&arena);
    return st;
}

static abdb_status print_plan_estimate(const abdb_args *args, const abdb_plan *plan,
                                       const abdb_schedule *lanes, abdb_error *err)
{
    abdb_run_options o = {.quick = abdb_arg_value(args, "quick") != NULL, .stop = &stopping};
    abdb_cell_store k = {.quiet = abdb_arg_value(args, "quiet") != NULL};
    abdb_campaign t = {args, plan, lanes, &o, &k, NULL, NULL, &stopping, NULL, false};
    repeat_counts r;
    abdb_status st = ABDB_OK;

    TRY(parse_process_options(args, &o, err));
    TRY(parse_repeat_options(args, &r, err));
    for (size_t b = 0; b < lanes->count; b++)
        for (size_t i = 0; i < plan->cells; i++)
            if (lanes->lane[b].has[i])
                abdb_print_sanitized(stdout, "%s %s%s%s\n", lanes->lane[b].backend,
                                     plan->cell[i].name, lanes->builds ? "  " : "",
                                     lanes->builds ? lanes->lane[b].tag : "");
    abdb_campaign_print_estimate(&t, (size_t)(r.repetitions * r.commands), 0);
done:
    return st;
}

int abdb_cmd_run(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = count_stop_signal};
    unsigned char chosen[ABDB_BACKEND_MAX] = {0};
    abdb_backend_list backends = {0};
    abdb_schedule lanes = {0};
    abdb_run_tally tally = {0};
    abdb_plan plan = {0};
    abdb_cell_store k = {0};
    abdb_busy_timeout patience;
    abdb_args args;
    abdb_error err;
    abdb_status st = ABDB_OK;
    int code = 0;

    TRY(abdb_args_parse(&args, argc, argv, "run", NULL, &err));
    if (args.positionals)
        TRY(ABDB_FAIL(&err, ABDB_USAGE, "what is '%s'? abdb run --plan NAME or --kernel NAME",
                      args.positional[0]));
    TRY(abdb_backends_find(&backends, &err));
    if (abdb_arg_value(&args, "list")) {
        TRY(abdb_probe_and_print_backends_and_plans(&backends, abdb_arg_db_path(&args),
                                                    abdb_arg_value(&args, "json") != NULL, &err));
        goto done;
    }
    if (abdb_arg_value(&args, "json")) TRY(ABDB_FAIL(&err, ABDB_USAGE, "--json is of --list"));
    if (abdb_arg_value(&args, "command")) TRY(abdb_schedule_from_commands(&lanes, &args, &err));
    TRY(build_plan_from_options(&plan, &args, &err));
    TRY(abdb_schedule_require_axes_match_braces(&lanes, &plan, &err));
    if (abdb_has_slurm_option(&args)) {
        TRY(abdb_slurm_write_or_submit_script(&args, &err));
        goto done;
    }
    if (abdb_arg_value(&args, "scale")) TRY(abdb_plan_add_scale_auto_to_workloads(&plan, &err));
    if (!lanes.commands) {
        TRY(mark_chosen_backends(&backends, abdb_arg_value(&args, "backend"), chosen, &err));
        TRY(abdb_schedule_build_from_options(&lanes, &args, &backends, chosen, &err));
    }
    TRY(abdb_schedule_probe_expand_plan(&lanes, &plan, abdb_arg_value(&args, "backend") != NULL,
                                        &err));
    if (abdb_arg_value(&args, "dry-run")) {
        TRY(print_plan_estimate(&args, &plan, &lanes, &err));
        goto done;
    }
    k.quiet = abdb_arg_value(&args, "quiet") != NULL;
    k.says_failed = lanes.commands;
    TRY(abdb_busy_timeout_from_args(&args, &patience, &err));
    if (!abdb_arg_value(&args, "spool"))
        TRY(abdb_open_db_for_writing(&k.db, &k.writer, abdb_arg_db_path(&args), &patience, &err));
    else if (abdb_arg_value(&args, "resume"))
        TRY(ABDB_FAIL(&err, ABDB_USAGE, "--resume needs the database, not --spool"));
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    TRY(run_campaign(&args, &plan, &lanes, &k, &tally, &err));
    code = run_exit_code(&tally);
done:
    if (st != ABDB_OK) code = abdb_print_error_return_exit_code(&err);
    if (stopping) code = report_stop(&args, argv, code);
    abdb_plan_free(&plan);
    abdb_run_tally_free(&tally);
    abdb_schedule_free(&lanes);
    abdb_backends_free(&backends);
    abdb_writer_rollback_and_close(k.writer);
    abdb_db_close(k.db);
    return code;
}

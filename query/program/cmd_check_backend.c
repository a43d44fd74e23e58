/* cmd_check_backend.c - abdb check-backend: does a program keep the protocol? A line for each rule,
 * by its number in kernels/harness/protocol.md; what is tried is in kernels/runner/conform.h. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/runner/conform.h"
#include "query/compare/gate.h"
#include "query/program/backends.h"
#include "query/program/lanes.h"
#include "query/program/screen.h"
#include "schema/core/outfile.h"

static const double wait_default_s = 30;
static volatile int stopping;

static void on_signal(int number)
{
    (void)number;
    stopping = 2; /* at once: nothing that is measured here is kept */
}

/* A backend that is here, by its name; or a path, or a program in PATH. */
static const char *find_program(const abdb_backend_list *all, const char *word)
{
    for (size_t i = 0; i < all->count; i++)
        if (strcmp(all->backend[i].name, word) == 0) return all->backend[i].path;
    return word;
}

/* Small cells of the kernels that abdb knows, after those that the user names. */
static abdb_status make_cells(abdb_plan *plan, const abdb_args *args, abdb_error *err)
{
    const char *cell;
    size_t at = 0;
    abdb_status st = ABDB_OK;

    while ((cell = abdb_arg_next(args, "cell", &at))) TRY(abdb_plan_add(plan, cell, err));
    for (size_t i = 0; abdb_plans[i].name; i++)
        if (strcmp(abdb_plans[i].name, "all.plan") == 0)
            TRY(abdb_plan_add(plan, abdb_plans[i].text, err));
done:
    return st;
}

static abdb_value text(const char *words)
{
    return (abdb_value){.kind = ABDB_STRING, .text = words};
}

/* The states as a table: one line a rule. */
static abdb_status tell(const abdb_args *args, const char *program, const abdb_clause *rule,
                        abdb_error *err)
{
    static const char *const states[] = {"not tried", "ok", "BROKEN"}, *const names[] = {
                                                                           "rule", "state", "says",
                                                                           "seen"};
    abdb_table table = {.columns = 4, .hoist = ""};
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < 4; i++) table.column[i] = (abdb_column){names[i], NULL, ""};
    table.title = abdb_arena_printf(&table.arena, "%s and the protocol of backends", program);
    for (size_t i = 0; i < ABDB_CLAUSES; i++) {
        abdb_value *row = abdb_table_row(&table);

        if (!row) TRY(ABDB_FAIL(err, ABDB_NOMEM, "rules"));
        row[0] = text(rule[i].number);
        row[1] = text(states[rule[i].state]);
        row[2] = text(rule[i].what);
        row[3] = text(rule[i].why);
    }
    st = abdb_print_table(args, &table, err);
done:
    abdb_table_free(&table);
    return st;
}

/* The states as JUnit's XML. */
static abdb_status tell_junit(const abdb_args *args, const char *program, const abdb_clause *rule,
                              abdb_error *err)
{
    static const abdb_gate_state states[] = {ABDB_GATE_MISSING, ABDB_GATE_HOLDS, ABDB_GATE_FAILS};
    abdb_gate_cell cell[ABDB_CLAUSES];
    abdb_gate gate = {.count = ABDB_CLAUSES, .cell = cell};
    abdb_arena arena = {0};
    abdb_outfile out = {0};
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < ABDB_CLAUSES; i++) {
        cell[i] = (abdb_gate_cell){
            .kernel = "protocol",
            .name = abdb_arena_printf(&arena, "%s %s", rule[i].number, rule[i].what),
            .message = rule[i].why,
            .state = states[rule[i].state]};
        gate.fails += cell[i].state == ABDB_GATE_FAILS;
        gate.missing += cell[i].state == ABDB_GATE_MISSING;
        if (!cell[i].name) TRY(ABDB_FAIL(err, ABDB_NOMEM, "rules"));
    }
    TRY(abdb_outfile_open(&out, abdb_arg(args, "out"), err));
    abdb_gate_junit(&gate, program, out.file);
    TRY(abdb_outfile_commit(&out, err));
done:
    abdb_outfile_discard(&out);
    abdb_arena_free(&arena);
    return st;
}

/* Does it keep all of them? */
static abdb_status verdict(const char *program, const abdb_clause *rule, abdb_error *err)
{
    abdb_text broken = {0};
    size_t count = 0;
    abdb_status st = ABDB_OK;

    for (size_t i = 0; i < ABDB_CLAUSES; i++)
        if (rule[i].state == ABDB_CLAUSE_BROKEN)
            abdb_text_printf(&broken, "%s%s", count++ ? ", " : "", rule[i].number);
    if (count)
        st = ABDB_FAIL(err, ABDB_GATE, "%s breaks %zu of %d rules: %s", program, count,
                       (int)ABDB_CLAUSES, abdb_text_get(&broken));
    abdb_text_free(&broken);
    return st;
}

/* --ranks: the program is tried as so many, by mpirun. */
static abdb_status read_launch(const abdb_args *args, abdb_launch *out, abdb_arena *arena,
                               abdb_error *err)
{
    abdb_launch_asked asked = {.processors = abdb_allowed_processors(), .root = geteuid() == 0};
    const char *text = abdb_arg(args, "ranks");

    *out = (abdb_launch){0};
    if (!text) return ABDB_OK;
    if (!abdb_count_parse(text, ABDB_MARK_UNKNOWN, 1, ABDB_LAUNCH_RANKS, &asked.ranks))
        return ABDB_FAIL(err, ABDB_USAGE, "--ranks wants a whole number, not '%s'", text);
    return abdb_launch_make(out, &asked, arena, err);
}

static abdb_status try_program(const abdb_args *args, const char *path, abdb_error *err)
{
    const char *format = abdb_arg(args, "format"), *wait = abdb_arg(args, "wait");
    abdb_plan plan = {0};
    abdb_run_options run = {.path = path,
                            .argument = (const char *const *)args->positional + 1,
                            .stop = &stopping,
                            .escaped = abdb_remark_escaped};
    abdb_conform how = {
        .run = &run, .cells = &plan, .kernel = abdb_arg(args, "kernel"), .wait_s = wait_default_s};
    abdb_clause rule[ABDB_CLAUSES];
    abdb_arena arena = {0};
    abdb_launch launch;
    abdb_status st = ABDB_OK;

    TRY(read_launch(args, &launch, &arena, err));
    if (launch.ranks) run.launch = &launch;
    if (wait && (!abdb_double_parse(wait, ABDB_MARK_UNKNOWN, &how.wait_s) || how.wait_s <= 0))
        TRY(ABDB_FAIL(err, ABDB_USAGE, "--wait wants seconds, not '%s'", wait));
    TRY(make_cells(&plan, args, err));
    TRY(abdb_conform_try(&how, rule, err));
    TRY((format && strcmp(format, "junit") == 0 ? tell_junit : tell)(args, args->positional[0],
                                                                     rule, err));
    TRY(verdict(args->positional[0], rule, err));
done:
    abdb_plan_free(&plan);
    abdb_arena_free(&arena);
    return st;
}

int abdb_cmd_check_backend(int argc, char **argv)
{
    struct sigaction action = {.sa_handler = on_signal};
    abdb_backend_list backends = {0};
    abdb_args args;
    abdb_error err;
    abdb_status st = ABDB_OK;

    TRY(abdb_args_parse(&args, argc, argv, "check-backend", NULL, &err));
    if (!args.positionals)
        TRY(ABDB_FAIL(&err, ABDB_USAGE,
                      "check which? abdb check-backend PROGRAM; `abdb run --list`"
                      " names those that are here"));
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    TRY(abdb_backends_find(&backends, &err));
    TRY(try_program(&args, find_program(&backends, args.positional[0]), &err));
done:
    abdb_backends_free(&backends);
    return st == ABDB_OK ? 0 : abdb_report_error(&err);
}

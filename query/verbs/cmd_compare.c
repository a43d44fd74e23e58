/* cmd_compare.c - abdb compare: reads the options, has query/compare compare the sets, prints the
* answer in the requested form, and gives the verdict as exit code (1 a gate did not hold,
 * 3 not comparable). */
#include <string.h>

#include "query/answer/mlperf_footnotes.h"
#include "query/compare/environment_diff.h"
#include "query/compare/regression_gate.h"
#include "query/compare/compare_table.h"
#include "query/compare/compare_text.h"
#include "query/verbs/normalisation_options.h"
#include "query/cli/pager.h"
#include "query/verbs/table_output.h"
#include "schema/core/outfile.h"

static bool format_is_for_ci(const abdb_args *args)
{
    const char *format = abdb_arg_value(args, "format");

    return format && (strcmp(format, "junit") == 0 || strcmp(format, "github") == 0);
}

/* Reads the options of compare; texts belong to args, and the limits of --at to at. */
static abdb_status parse_compare_options(const abdb_args *args, abdb_compare_options *o,
                                         abdb_latency_question *at, abdb_error *err)
{
    const char *effect = abdb_arg_value(args, "effect"), *alpha = abdb_arg_value(args, "alpha"),
               *find = abdb_arg_value(args, "find"), *drift = abdb_arg_value(args, "drift"),
               *missing = abdb_arg_value(args, "missing");
    abdb_status st;

    *o = (abdb_compare_options){.exploratory = abdb_arg_value(args, "exploratory") != NULL,
                                .partial = abdb_arg_value(args, "partial") != NULL,
                                .where = abdb_arg_value(args, "where"),
                                .why = abdb_arg_value(args, "why") != NULL,
                                .gate = abdb_arg_value(args, "fail-on") || format_is_for_ci(args),
                                .across_machines = abdb_arg_value(args, "across-machines") != NULL,
                                .effect = ABDB_EFFECT,
                                .alpha = ABDB_ALPHA,
                                .find = ABDB_FIND};
    abdb_parse_normalisation_options(args, &o->measure);
    if (effect && (!abdb_double_parse(effect, ABDB_MARK_UNKNOWN, &o->effect) || !(o->effect > 0)))
        return ABDB_FAIL(err, ABDB_USAGE, "--effect wants a fraction such as 0.01, not '%s'",
                         effect);
    if (alpha && (!abdb_double_parse(alpha, ABDB_MARK_UNKNOWN, &o->alpha) ||
                  !(o->alpha > 0 && o->alpha < 1)))
        return ABDB_FAIL(err, ABDB_USAGE, "--alpha wants a probability such as 0.001, not '%s'",
                         alpha);
    if (find && (!abdb_double_parse(find, ABDB_MARK_UNKNOWN, &o->find) || !(o->find > 0)))
        return ABDB_FAIL(err, ABDB_USAGE, "--find wants a fraction such as 0.05, not '%s'", find);
    if (drift && (!abdb_double_parse(drift, ABDB_MARK_UNKNOWN, &o->drift) || !(o->drift > 0)))
        return ABDB_FAIL(err, ABDB_USAGE, "--drift wants a fraction such as 0.05, not '%s'", drift);
    if (missing && strcmp(missing, "fail") != 0 && strcmp(missing, "warn") != 0)
        return ABDB_FAIL(err, ABDB_USAGE, "--missing wants fail or warn, not '%s'", missing);
    st = abdb_gate_refuse_unknown_verdict_names(abdb_arg_value(args, "fail-on"), err);
    if (st == ABDB_OK) st = abdb_parse_at_options(args, at, &o->measure, err);
    if (st != ABDB_OK) return st;
    return abdb_parse_pick_option(args, &o->pick, err);
}

/* The sets: --baseline or the first, then --contender and the rest. */
static size_t collect_selections_baseline_first(const abdb_args *args,
                                                const char *out[ABDB_SETS_MAX + 1])
{
    const char *baseline = abdb_arg_value(args, "baseline"), *more;
    size_t count = 0, at = 0;

    if (baseline) out[count++] = baseline;
    for (int i = 0; i < args->positionals && count <= ABDB_SETS_MAX; i++)
        out[count++] = args->positional[i];
    while (count <= ABDB_SETS_MAX && (more = abdb_arg_next_value(args, "contender", &at)))
        out[count++] = more;
    return count;
}

/* The first set against each of the others. */
static abdb_status print_environment_diffs_to_first_set(const abdb_args *args, abdb_db *db,
                                                        const char *const *sets, size_t count,
                                                        abdb_error *err)
{
    abdb_status st = ABDB_OK;

    for (size_t i = 1; i < count && st == ABDB_OK; i++) {
        abdb_table table = {0};

        st = abdb_compare_environments(db, sets[0], sets[i], abdb_arg_value(args, "where"), &table,
                                       err);
        if (st == ABDB_OK) st = abdb_print_table_by_options_end_deadline(args, &table, err);
        abdb_table_free(&table);
    }
    return st;
}

/* The notes that warn, and how many results of a side are left out, as notes of a table for
 * programs and in its column warnings. */
static abdb_status add_warnings_of_comparison(const abdb_comparison *c, abdb_db *db, abdb_table *t,
                                              abdb_error *err)
{
    abdb_table notes = {0};
    abdb_status st = ABDB_OK;

    TRY(abdb_table_append_empty_column(t, "warnings", err));
    TRY(abdb_add_comparison_notes(c, db, &notes, err));
    for (size_t i = 0; i < notes.notes; i++) {
        bool warns = notes.note[i] && strncmp(notes.note[i], "! ", 2) == 0;

        if (warns || (notes.note[i] && strstr(notes.note[i], " results left out: ")))
            abdb_table_add_note_format(t, "%s%s", warns ? "" : "! ", notes.note[i]);
    }
done:
    abdb_table_free(&notes);
    return st;
}

/* Prints a comparison as text for people, or as a table in the requested format. */
static abdb_status print_comparison_in_requested_format(const abdb_args *args,
                                                        const abdb_comparison *c, abdb_db *db,
                                                        abdb_error *err)
{
    const char *format = abdb_arg_value(args, "format"), *path = abdb_arg_value(args, "out");
    bool programs = abdb_format_is_for_programs(args);
    abdb_table table = {0};
    abdb_outfile out = {0};
    abdb_status st = ABDB_OK;

    if (!programs && !abdb_arg_value(args, "columns") &&
        (!format || strcmp(format, "table") == 0)) {
        if (!path) abdb_pipe_stdout_to_pager();
        TRY(abdb_outfile_open_refusing_protected(&out, path, err));
        TRY(abdb_print_comparison(c, db, abdb_arg_value(args, "brief") != NULL, out.file, err));
        TRY(abdb_outfile_commit(&out, err));
        goto done;
    }
    if (programs) {
        TRY(abdb_comparison_to_data_table(c, c->options->why, &table, err));
        TRY(add_warnings_of_comparison(c, db, &table, err));
        TRY(abdb_add_mlperf_footnotes_as_table_notes(db, &table, false, err));
    } else
        TRY(abdb_comparison_to_display_table(c, db, &table, err));
    TRY(abdb_print_table_by_options_end_deadline(args, &table, err));
done:
    abdb_outfile_discard(&out);
    abdb_table_free(&table);
    return st;
}

/* "abdb compare tag=a tag=b": the name of a gate. */
static void append_gate_name(const char *const *sets, size_t count, abdb_text *out)
{
    abdb_text_puts(out, "abdb compare");
    for (size_t i = 0; i < count; i++) abdb_text_printf(out, " %s", sets[i]);
}

/* -o junit or github of a gate that ended before it could judge: a build server reads why. */
static void print_failure_for_ci(const abdb_args *args, const char *const *sets, size_t count,
                                 const abdb_error *failure)
{
    abdb_outfile out = {0};
    abdb_text name = {0};
    abdb_error ignored;

    append_gate_name(sets, count, &name);
    if (abdb_outfile_open_refusing_protected(&out, abdb_arg_value(args, "out"), &ignored) ==
        ABDB_OK) {
        abdb_gate_write_failure(abdb_text_get(&name), failure->message,
                                abdb_exit_code(failure->status),
                                strcmp(abdb_arg_value(args, "format"), "junit") == 0, out.file);
        (void)!abdb_outfile_commit(&out, &ignored); /* only the earlier failure is reported */
    }
    abdb_outfile_discard(&out);
    abdb_text_free(&name);
}

/* Fails on pairs refused by a rule, and on pairs without the divisor of --per. */
static abdb_status fail_if_pair_refused_or_none_has_ratio(const abdb_comparison *c, abdb_error *err)
{
    size_t missing = 0;
    const char *why = NULL;

    if (c->refused && !c->options->exploratory)
        return ABDB_FAIL(err, ABDB_UNFAIR, "%zu of %zu pairs refused", c->refused, c->pairs);
    for (size_t i = 0; i < c->pairs; i++)
        if (!c->pair[i].has_ratio) {
            missing++;
            why = abdb_pair_why_no_ratio_or_null(&c->pair[i]);
        }
    if (missing == c->pairs)
        return ABDB_FAIL(err, ABDB_UNFAIR, "no pair could be compared%s%s", why ? ": " : "",
                         why ? why : " (the sets have nothing in common)");
    return ABDB_OK;
}

/* --fail-on slower,unclear and --missing: does the gate hold? -o junit and github print it;
 * *printed: one of them was. Where a rule refuses a pair, that is the error. */
static abdb_status print_gate_and_fail_unless_held(const abdb_args *args, const abdb_comparison *c,
                                                   bool *printed, abdb_error *err)
{
    const char *fail_on = abdb_arg_value(args, "fail-on"),
               *missing = abdb_arg_value(args, "missing");
    abdb_gate g = {0};
    abdb_outfile out = {0};
    abdb_text name = {0};
    abdb_status st = ABDB_OK;

    if (!fail_on && format_is_for_ci(args)) fail_on = "slower";
    if (!fail_on) return fail_if_pair_refused_or_none_has_ratio(c, err);
    TRY(abdb_gate_judge_pairs_and_unpaired_cells(&g, c, fail_on,
                                                 !missing || strcmp(missing, "fail") == 0, err));
    if (format_is_for_ci(args)) {
        const char *sets[ABDB_SETS_MAX];

        for (size_t i = 0; i < c->sets; i++) sets[i] = c->set[i].selection;
        append_gate_name(sets, c->sets, &name);
        TRY(abdb_outfile_open_refusing_protected(&out, abdb_arg_value(args, "out"), err));
        (strcmp(abdb_arg_value(args, "format"), "junit") == 0
             ? abdb_gate_write_junit
             : abdb_gate_write_github_annotations)(&g, abdb_text_get(&name), out.file);
        TRY(abdb_outfile_commit(&out, err));
        *printed = true;
    }
    TRY(fail_if_pair_refused_or_none_has_ratio(c, err));
    if (!g.missing_fails && g.missing)
        abdb_print_stderr_remark("%zu of %zu cell%s could not be judged (--missing warn)",
                                 g.missing, g.count, abdb_plural_ending((long long)g.count));
    TRY(abdb_gate_fail_unless_held(&g, err));
done:
    abdb_outfile_discard(&out);
    abdb_text_free(&name);
    abdb_gate_free(&g);
    return st;
}

/* Compares the sets of the command line, prints, and fails if a verdict of --fail-on was reached.
 */
static abdb_status compare_sets_print_and_apply_gate(int argc, char **argv, abdb_error *err)
{
    const char *sets[ABDB_SETS_MAX + 1];
    abdb_compare_options options;
    abdb_latency_question at;
    abdb_comparison comparison = {0};
    abdb_args args;
    abdb_db *db = NULL;
    size_t count = 0;
    bool printed = false;
    abdb_status st = ABDB_OK;

    TRY(abdb_args_parse(&args, argc, argv, "compare", NULL, err));
    TRY(parse_compare_options(&args, &options, &at, err));
    if (format_is_for_ci(&args) && abdb_arg_value(&args, "columns"))
        TRY(ABDB_FAIL(err, ABDB_USAGE, "--columns is for tables, not for -o junit or github"));
    count = collect_selections_baseline_first(&args, sets);
    if (count < 2)
        TRY(ABDB_FAIL(err, ABDB_USAGE,
                      "compare what with what? two selections, such as device=H200-SXM"
                      " device=MI355X; the first is the baseline"));
    TRY(abdb_open_guarded_readonly_db(&args, &db, err));
    if (abdb_arg_value(&args, "environment")) {
        TRY(print_environment_diffs_to_first_set(&args, db, sets, count, err));
        if (!abdb_arg_value(&args, "fail-on") && !format_is_for_ci(&args)) goto done;
    }
    TRY(abdb_compare_first_set_with_others(&comparison, db->sql, sets, count, &options, err));
    for (size_t i = 0; i < comparison.sets; i++)
        if (comparison.set[i].note &&
            !(i && comparison.set[0].note &&
              strcmp(comparison.set[0].note, comparison.set[i].note) == 0))
            abdb_print_stderr_remark("%s", comparison.set[i].note);
    if (!abdb_arg_value(&args, "environment") && !format_is_for_ci(&args))
        TRY(print_comparison_in_requested_format(&args, &comparison, db, err));
    TRY(print_gate_and_fail_unless_held(&args, &comparison, &printed, err));
done:
    if (st != ABDB_OK && count && !printed && format_is_for_ci(&args))
        print_failure_for_ci(&args, sets, count, err);
    abdb_comparison_free(&comparison);
    abdb_db_close(db);
    return st;
}

int abdb_cmd_compare(int argc, char **argv)
{
    abdb_error err;

    return compare_sets_print_and_apply_gate(argc, argv, &err) == ABDB_OK
               ? 0
               : abdb_print_error_return_exit_code(&err);
}

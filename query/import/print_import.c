/* print_import.c - the output of an import: lines of units, rounds and formats, and remarks; see
 * import_session.h. */
#include <stdio.h>
#include <string.h>

#include "query/import/import_session.h"

/* "; values: 14 kept, 2 left out" of the values read now. */
static const char *format_value_counts(const abdb_counts *c, char out[160])
{
    const struct {
        long n;
        const char *what;
    } parts[] = {{c->values_kept, "kept"},
                 {c->values_known, "known"},
                 {c->values_rejected, "rejected"},
                 {c->values_left_out, "left out"}};
    size_t size = 0;

    *out = '\0';
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i].n)
            size += (size_t)snprintf(out + size, 160 - size, "%s%ld %s",
                                     size ? ", " : "; values: ", parts[i].n, parts[i].what);
    return out;
}

const char *abdb_import_hint_of_options_to_repeat(const import_session *s)
{
    if (s->options->words && s->options->words->map) return " (with --map as now)";
    return s->options->format ? " (with --format as now)" : "";
}

/* Warns of lost factors, and of a file that names no device, so that no value is per device. */
static void warn_lost_factors_and_no_device(const import_session *s, const char *path,
                                            const abdb_counts *c)
{
    if (c->factors_left_out)
        abdb_print_stderr_remark("%s: factors left out, beyond %d an entry: %ld", path,
                                 ABDB_FACTOR_MAX, c->factors_left_out);
    if (c->entries && c->entries_without_device == c->entries)
        abdb_print_stderr_remark(
            "%s: no device is named in any of its %ld entries: nothing per device, watt or"
            " dollar comes of them; `abdb import --replace --set device=NAME --set"
            " devices=N %.*s`%s says it",
            path, c->entries, (int)strcspn(path, "!"), path,
            abdb_import_hint_of_options_to_repeat(s));
}

/* Rows that are kept, and that rankings leave out. */
static void warn_marked_entries(const char *path, const abdb_mark_tally *marks)
{
    for (size_t i = 0; i < ABDB_MARKS_TALLIED; i++)
        if (marks->mark[i].entries)
            abdb_print_stderr_remark("%s: marked %s: %ld entr%s%s%s", path,
                                     abdb_mark_name_tallied_at(i), marks->mark[i].entries,
                                     marks->mark[i].entries == 1 ? "y" : "ies",
                                     *marks->mark[i].first ? "; first " : "", marks->mark[i].first);
}

/* Warns of values that were left out, by name. */
static void warn_unmapped_values(const char *path, const abdb_left_out *list)
{
    abdb_text names = {0};

    for (size_t i = 0; i < list->items; i++)
        abdb_text_printf(&names, "%s%s (%ld)", i ? ", " : "", list->item[i].name,
                         list->item[i].values);
    if (list->others) abdb_text_printf(&names, ", others (%ld)", list->others);
    if (list->items)
        abdb_print_stderr_remark("%s: left out, for nothing here says what it is: %s", path,
                                 abdb_text_get(&names));
    abdb_text_free(&names);
}

/* Warns of the file's refused rows and values, with the reason of the first. */
static void warn_refused_rows_and_values(const char *path, const abdb_counts *c, bool dry_run)
{
    char rows[40] = "", values[64] = "";

    if (c->rejected)
        snprintf(rows, sizeof rows, "%ld row%s", c->rejected, abdb_plural_ending(c->rejected));
    if (c->refused)
        snprintf(values, sizeof values, "%s%ld value%s of accepted rows", *rows ? " and " : "",
                 c->refused, abdb_plural_ending(c->refused));
    if (*rows || *values)
        abdb_print_stderr_remark("%s: %s%s refused; first %s%s", path, rows, values,
                                 c->first_reject,
                                 dry_run ? "" : "; `abdb query rejects` lists all");
}

void abdb_print_import_result_and_warnings(const import_session *s, const char *path,
                                           const abdb_import_result *unit)
{
    const abdb_counts *c = &unit->counts;
    long rows = c->accepted + c->duplicate + c->rejected + c->ignored;
    char values[160];

    if (unit->known)
        abdb_print_sanitized(
            stdout,
            "%s: already imported, %s (%ld accepted, %ld duplicate, %ld rejected, %ld"
            " ignored then)\n",
            path, *unit->replaced ? "and counts alone now" : "nothing changed", c->accepted,
            c->duplicate, c->rejected, c->ignored);
    else
        abdb_print_sanitized(
            stdout,
            "%s: %s%ld row%s: %ld accepted, %ld duplicate, %ld rejected, %ld ignored%s  [%s]\n",
            path, s->options->dry_run ? "would keep: " : "", rows, abdb_plural_ending(rows),
            c->accepted, c->duplicate, c->rejected, c->ignored, format_value_counts(c, values),
            unit->format);
    if (*unit->replaced) abdb_print_sanitized(stdout, "%s: withdrew %s\n", path, unit->replaced);
    if (!unit->known) warn_refused_rows_and_values(path, c, s->options->dry_run);
    if (!unit->known) warn_marked_entries(path, &unit->marks);
    if (!unit->known) warn_lost_factors_and_no_device(s, path, c);
    if (!unit->known) warn_unmapped_values(path, &unit->left_out);
    if (unit->remark) abdb_print_stderr_remark("%s: %s", path, unit->remark);
}

void abdb_warn_of_import_with_other_overrides(const char *path, const abdb_import_result *unit)
{
    if (*unit->other_words)
        abdb_print_stderr_remark(
            "%s: these rows stand there already, read with %s: both count now; `abdb import"
            " --replace` with the right words keeps one",
            path, unit->other_words);
}

void abdb_print_round_result_and_warnings(const import_session *s, const char *root,
                                          const char *format, const import_counts *c)
{
    char values[160];

    abdb_print_sanitized(
        stdout,
        "%s: %s%zu result folders (%zu already there): %ld accepted, %ld duplicate, %ld rejected,"
        " %ld ignored%s  [%s]\n",
        *root ? root : ".", s->options->dry_run ? "would keep: " : "", c->files, c->known,
        c->rows.accepted, c->rows.duplicate, c->rows.rejected, c->rows.ignored,
        format_value_counts(&c->rows, values), format);
    warn_marked_entries(*root ? root : ".", &c->marks);
    warn_lost_factors_and_no_device(s, *root ? root : ".", &c->rows);
}

/* Prints the counts of an import in one line. */
static void print_import_counts(const import_session *s, const char *name, const import_counts *c,
                                const char *tail)
{
    char values[160];
    bool built_in = s->fresh && c->known; /* only shipped files were read */

    abdb_print_sanitized(
        stdout,
        "%s: %zu file%s (%zu %s): %ld row%s accepted, %ld duplicate, %ld rejected, %ld"
        " ignored%s%s\n",
        name, c->files, abdb_plural_ending((long long)c->files), c->known,
        built_in ? "part of every new database" : "already there", c->rows.accepted,
        abdb_plural_ending(c->rows.accepted), c->rows.duplicate, c->rows.rejected, c->rows.ignored,
        format_value_counts(&c->rows, values), tail);
}

/* Prints how many hidden files, links and devices were not read, with the first names. */
static void print_skipped_files(const abdb_skipped_files *skipped)
{
    static const char *const words[ABDB_SKIPPED_KINDS] = {
        [ABDB_SKIPPED_HIDDEN] = "hidden files, not read",
        [ABDB_SKIPPED_SYMLINK] = "symbolic links, not followed",
        [ABDB_SKIPPED_SPECIAL] = "devices, named pipes and sockets, not read"};

    for (size_t i = 0; i < ABDB_SKIPPED_KINDS; i++)
        if (skipped->kind[i].count)
            abdb_print_stderr_remark("%s: %zu (%s%s)", words[i], skipped->kind[i].count,
                                     abdb_text_get(&skipped->kind[i].names),
                                     skipped->kind[i].count > ABDB_SKIPPED_NAMES ? ", ..." : "");
}

void abdb_print_import_summary(const import_session *s)
{
    bool refused = s->total.rows.rejected || s->total.rows.refused;
    const char *tail = refused ? "  (abdb query rejects)" : "";

    if (s->total.files + s->refused + s->passed_over > 1) {
        for (size_t i = 0; i < s->formats && s->formats > 1; i++)
            print_import_counts(s, s->format[i].format, &s->format[i].counts, "");
        print_import_counts(s, "total", &s->total, tail);
    }
    if (s->beside)
        abdb_print_stderr_remark("files of rounds beside the results, not needed: %zu", s->beside);
    if (s->power_logs)
        abdb_print_stderr_remark("power logs of training runs, not read: %zu", s->power_logs);
    if (s->folders_without_log)
        abdb_print_stderr_remark("result folders without a log that abdb reads, rejected: %zu",
                                 s->folders_without_log);
    if (s->passed_over)
        abdb_print_stderr_remark("files of other formats, passed over: %zu", s->passed_over);
    print_skipped_files(&s->skipped);
    if (s->refused) abdb_print_stderr_remark("files refused: %zu", s->refused);
}

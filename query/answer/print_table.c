/* print_table.c - the formats by name, which print each, and which are for programs; see table.h.
 * The order is that of abdb_format. */
#include <stdio.h>
#include <string.h>

#include "query/answer/render.h"
#include "query/answer/output.h"
#include "schema/core/outfile.h"
#include "schema/core/text.h"

static const struct {
    const char *name;
    abdb_format format;
    void (*print)(const abdb_table *table, FILE *out);
    int for_programs;
} formats[] = {
#define FORMAT(constant, before, name, print, programs) {name, constant, print, programs},
    ABDB_FORMATS(FORMAT)
#undef FORMAT
        {"csv", ABDB_SPREADSHEET, abdb_render_csv_safe_from_formulas,
         1}, /* found by --spreadsheet */
};
enum { FORMAT_COUNT = sizeof formats / sizeof formats[0] };

const char *abdb_output_format_name(size_t i)
{
    return i < ABDB_SPREADSHEET ? formats[i].name : NULL;
}

/* "there are table, markdown, ... and latex". */
static void append_format_names(abdb_text *out)
{
    for (size_t i = 0; abdb_output_format_name(i); i++)
        abdb_text_printf(out, "%s%s",
                         !i                               ? "there are "
                         : abdb_output_format_name(i + 1) ? ", "
                                                          : " and ",
                         abdb_output_format_name(i));
}

abdb_status abdb_find_output_format(abdb_format *out, const char *name, abdb_error *err)
{
    const char *names[FORMAT_COUNT], *near;
    abdb_text all = {0};
    abdb_status st;

    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        names[i] = formats[i].name;
        if (strcmp(name, names[i]) != 0) continue;
        *out = formats[i].format;
        return ABDB_OK;
    }
    near = abdb_nearest_name(name, names, FORMAT_COUNT);
    append_format_names(&all);
    if (strcmp(name, "gitlab") == 0)
        abdb_text_puts(&all, "; GitLab reads junit, which abdb compare writes: -o junit");
    st = ABDB_FAIL(err, ABDB_USAGE, "no format '%s'%s%s; %s", name, near ? ", did you mean " : "",
                   near ? near : "", abdb_text_get(&all));
    abdb_text_free(&all);
    return st;
}

abdb_status abdb_table_print_in_format(const abdb_table *table, abdb_format format, FILE *out,
                                       abdb_error *err)
{
    for (size_t i = 0; i < table->notes; i++)
        if (!table->note[i]) return ABDB_FAIL(err, ABDB_NOMEM, "a note");
    formats[format].print(table, out);
    for (size_t i = 0; formats[format].for_programs && i < table->notes; i++)
        abdb_print_sanitized(stderr, "%s\n", table->note[i]);
    if (fflush(out) != 0 || ferror(out)) return abdb_fail_write_or_raise_sigpipe(out, err);
    return ABDB_OK;
}

/* redact_allowlist.c - columns allowed in a redacted export, and the form of their texts; see
 * redact_allowlist.h.
 */
#include "query/export/redact_allowlist.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "query/run/find_backends.h"
#include "schema/core/record.h"
#include "schema/core/text.h"
#include "schema/core/units.h"

typedef enum { WORDS, DATE, NUMBER, UNIT, METRIC, FORMULA } form;

static const struct {
    const char *column;
    form form;
} list[] = {
#define LEAVES(column, form) {column, form},
#include "query/export/redact.def"
#undef LEAVES
};

static bool char_is_in_set(const char *set, char c)
{
    return c && strchr(set, c) != NULL;
}

/* Names and versions: "Intel(R) Xeon(R) Processor", "OpenBLAS 0.3.21 USE_OPENMP", "latency, p99".
 * Not a path, an address of any kind, a host ("node7.example.org"), or a serial number (eight or
 * more hexadecimal digits in a row, numbers among them). */
static bool is_text_without_path_host_or_serial(const char *text)
{
    enum { LONGEST = 160, SERIAL = 8 };
    size_t run = 0, digits = 0, groups = 1;

    if (strlen(text) > LONGEST) return false;
    for (const char *c = text; *c; c++) {
        bool hex = isxdigit((unsigned char)*c);

        if (!isalnum((unsigned char)*c) && !char_is_in_set(" ._+()[]=,-%:", *c)) return false;
        run = hex ? run + 1 : char_is_in_set("-:", *c) ? run : 0;
        digits = hex || char_is_in_set("-:", *c) ? digits + (isdigit((unsigned char)*c) != 0) : 0;
        if (run >= SERIAL && digits > 0 && digits < run) return false; /* 5d41402a: not 20240131 */
        if (c[0] == ':' && isxdigit((unsigned char)c[1])) return false;
        if (c[0] != '.' || !c[1] || c == text) continue;
        if (isalpha((unsigned char)c[1]) && isalnum((unsigned char)c[-1])) return false;
        groups = isdigit((unsigned char)c[1]) ? groups + 1 : 1;
        if (groups > 3) return false; /* 10.0.0.7 */
    }
    return true;
}

static bool looks_like_date(const char *text)
{
    return strspn(text, "0123456789-:.TZ+/ ") == strlen(text) && strlen(text) <= 40;
}

static bool looks_like_formula(const char *text)
{
    const char *at = strchr(text, '@');

    return at && at[1] &&
           strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_") == (size_t)(at - text) &&
           strspn(at + 1, "0123456789") == strlen(at + 1);
}

/* True if the text has the form that lets it leave. */
static bool text_has_form(form required_form, const char *text)
{
    double number;

    switch (required_form) {
    case WORDS: return is_text_without_path_host_or_serial(text);
    case DATE: return looks_like_date(text);
    case NUMBER: return abdb_double_parse(text, ABDB_MARK_POINT, &number);
    case UNIT: return abdb_unit_find(text) != NULL;
    case METRIC: return abdb_metric_find(text) != NULL && is_text_without_path_host_or_serial(text);
    case FORMULA: return looks_like_formula(text);
    }
    return false;
}

/* Is it an axis of a plan that abdb ships, "factor.NAME"? */
static bool is_shipped_plan_axis(const char *column)
{
    static const char before[] = "factor.";
    const char *name = column + sizeof before - 1;
    size_t size = strlen(column) < sizeof before ? 0 : strlen(name);

    if (!size || strncmp(column, before, sizeof before - 1) != 0) return false;
    for (size_t i = 0; abdb_plans[i].name; i++)
        for (const char *at = abdb_plans[i].text; (at = strstr(at, name)); at++)
            if (at[size] == '=' && at != abdb_plans[i].text && at[-1] == ' ') return true;
    return false;
}

/* The required form of a column's text; false: the column is not on the list. */
static bool find_required_form_if_column_listed(const char *column, form *out)
{
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++) {
        if (strcmp(list[i].column, column) != 0) continue;
        *out = list[i].form;
        return true;
    }
    *out = WORDS;
    return is_shipped_plan_axis(column);
}

bool abdb_column_is_on_export_allowlist(const char *column)
{
    form ignored;

    return find_required_form_if_column_listed(column, &ignored);
}

bool abdb_text_may_be_exported_unredacted(const char *column, const char *text)
{
    form wanted;

    return find_required_form_if_column_listed(column, &wanted) && text_has_form(wanted, text);
}

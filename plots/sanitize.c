/* sanitize.c - text of the database made harmless: one rule for every place that it can reach, a
 * gnuplot string, an SVG's CDATA section, a script element of an HTML canvas; see figure.h. Letters
 * are replaced by look-alikes rather than escaped, since the three places escape differently. */
#include <string.h>

#include "plots/figure.h"
#include "schema/core/sanitize_text.h"

void abdb_figure_append_sanitized_text(abdb_text *out, const char *text)
{
    abdb_text plain = {0};

    abdb_text_append_sanitized(&plain, text);
    for (const char *start = abdb_text_get(&plain), *s = start; *s; s++) {
        char c = *s;

        if (c == '<' && (s[1] == '/' || s[1] == '!')) {
            abdb_text_puts(out, "‹"); /* would end a script element, or begin a comment in it */
            continue;
        }
        if (c == '>' && s != start && s[-1] == ']') {
            abdb_text_puts(out, "›"); /* would end a CDATA section */
            continue;
        }
        if (c == '"' || c == '`')
            c = '\'';
        else if (c == '\\')
            c = '/';
        abdb_text_add(out, &c, 1);
    }
    out->failed |= plain.failed;
    abdb_text_free(&plain);
}

/* nccl_summary.c - see nccl_summary.h. Columns are counted from the right, since old tables leave
 * columns on the left blank. */
#include "ingest/programs/nccl_summary.h"

#include <string.h>

#include "ingest/read/text_lines.h"
#include "schema/core/array.h"

enum { PLACES = 2 };

typedef struct {
    nccl_failures *out;
    size_t behind[PLACES], places; /* words from #wrong, or error, to the end of the line */
    bool has_wrong_row;
} scan;

/* Notes where a header has its wrong values. False: the line is no header. */
static bool store_wrong_columns_if_header(scan *s, const text_line *line)
{
    size_t skip = line->words && strcmp(line->word[0], "#") == 0;

    if (line->words < skip + 5 || strcmp(line->word[skip], "size") != 0) return false;
    s->places = 0;
    s->has_wrong_row = false;
    for (size_t i = skip; i < line->words && s->places < PLACES; i++)
        if (strcmp(line->word[i], "#wrong") == 0 || strcmp(line->word[i], "error") == 0)
            s->behind[s->places++] = line->words - i;
    return true;
}

static abdb_status scan_line(void *self, const text_line *line, abdb_error *err)
{
    scan *s = self;
    nccl_failures *out = s->out;

    if (store_wrong_columns_if_header(s, line)) {
        bool *more = abdb_array_reserve_one(out->is_unexplained, out->tables, &out->room,
                                            sizeof *out->is_unexplained);

        if (!more) return ABDB_FAIL(err, ABDB_NOMEM, "tables");
        out->is_unexplained = more;
        out->is_unexplained[out->tables++] = false;
    } else if (out->tables && strstr(line->text, "Out of bounds values")) {
        out->is_unexplained[out->tables - 1] =
            strstr(line->text, "FAILED") != NULL && !s->has_wrong_row;
    } else if (line->words && line_word_number_or_nan(line, 0) >= 0) {
        for (size_t i = 0; i < s->places; i++)
            s->has_wrong_row |= line->words > s->behind[i] &&
                                line_word_number_or_nan(line, line->words - s->behind[i]) > 0;
    }
    return ABDB_OK;
}

abdb_status abdb_nccl_find_unexplained_failures(const abdb_input *in, nccl_failures *out,
                                                abdb_error *err)
{
    scan s = {.out = out};

    return lines_deliver_each_without_mark(in, scan_line, &s, err);
}

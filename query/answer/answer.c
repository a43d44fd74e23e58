/* answer.c - what a verb says, gathered in memory and printed at once: a verb that fails half way
 * has printed nothing. See answer.h. */
#include "query/answer/answer.h"

#include <stdlib.h>

#include "query/answer/deadline.h"
#include "query/answer/say.h"
#include "schema/core/outfile.h"

abdb_status abdb_answer_begin(abdb_answer *a, abdb_error *err)
{
    *a = (abdb_answer){0};
    a->file = open_memstream(&a->data, &a->size);
    return a->file ? ABDB_OK : ABDB_FAIL(err, ABDB_NOMEM, "an answer");
}

abdb_status abdb_answer_print(abdb_answer *a, const char *path, abdb_error *err)
{
    abdb_outfile out = {0};
    bool all;
    abdb_status st = ABDB_OK;

    if (ferror(a->file) || fflush(a->file) != 0) TRY(ABDB_FAIL(err, ABDB_NOMEM, "an answer"));
    TRY(abdb_outfile_open(&out, path, err));
    /* Into a file the deadline goes on, because writing it is part of the work; a pipe or a
     * terminal may be read slowly. */
    if (!out.part) abdb_deadline_end();
    all = a->commands ? fwrite(a->data, 1, a->size, out.file) == a->size
                      : abdb_put(out.file, a->data, a->size);
    if (!all) TRY(abdb_outfile_unwritten(out.file, err));
    TRY(abdb_outfile_commit(&out, err));
done:
    abdb_outfile_discard(&out);
    return st;
}

void abdb_answer_free(abdb_answer *a)
{
    if (a->file) fclose(a->file);
    free(a->data);
    *a = (abdb_answer){0};
}

/* buffered_output.c - a verb's output, collected in memory and printed at once: a verb that fails
 * half way has printed nothing. See buffered_output.h. */
#include "query/answer/buffered_output.h"

#include <stdlib.h>

#include "query/answer/deadline.h"
#include "query/answer/output.h"
#include "schema/core/outfile.h"

abdb_status abdb_output_buffer_open(abdb_output_buffer *a, abdb_error *err)
{
    *a = (abdb_output_buffer){0};
    a->file = open_memstream(&a->data, &a->size);
    return a->file ? ABDB_OK : ABDB_FAIL(err, ABDB_NOMEM, "an answer");
}

abdb_status abdb_output_buffer_write_to(abdb_output_buffer *a, const char *path, abdb_error *err)
{
    abdb_outfile out = {0};
    bool all;
    abdb_status st = ABDB_OK;

    if (ferror(a->file) || fflush(a->file) != 0) TRY(ABDB_FAIL(err, ABDB_NOMEM, "an answer"));
    TRY(abdb_outfile_open_refusing_protected(&out, path, err));
    /* Into a file the deadline goes on, because writing it is part of the work; a pipe or a
     * terminal may be read slowly. */
    if (!out.partial_path) abdb_deadline_cancel();
    all = a->is_terminal_graphics ? fwrite(a->data, 1, a->size, out.file) == a->size
                                  : abdb_write_sanitized_if_terminal(out.file, a->data, a->size);
    if (!all) TRY(abdb_fail_write_or_raise_sigpipe(out.file, err));
    TRY(abdb_outfile_commit(&out, err));
done:
    abdb_outfile_discard(&out);
    return st;
}

void abdb_output_buffer_free(abdb_output_buffer *a)
{
    if (a->file) fclose(a->file);
    free(a->data);
    *a = (abdb_output_buffer){0};
}

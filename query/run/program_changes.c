/* program_changes.c - see program_changes.h. */
#include "query/run/program_changes.h"

#include <string.h>

#include "query/answer/output.h"

/* Digests have three parts, PROGRAM.FILES.WORDS (kernels/programs/program_digest.h). Files that the
 * program itself writes may count in some turns only: WORDS are compared where FILES are equal. */
static bool is_one_program(const char *a, const char *b)
{
    size_t program = strcspn(a, "."), files;

    if (strncmp(a, b, program) != 0 || a[program] != '.' || b[program] != '.') return false;
    files = strcspn(a + program + 1, ".") + 1;
    return strncmp(a + program, b + program, files + 1) != 0 || strcmp(a, b) == 0;
}

abdb_status abdb_refuse_or_report_changed_program(abdb_db *db, const abdb_entry *entry,
                                                  bool resumed, abdb_error *err)
{
    const abdb_factor *now = abdb_entry_find_factor(entry, "program_digest");
    const char *tag = entry->field[ABDB_FIELD_tag], *cell = entry->field[ABDB_FIELD_cell];
    sqlite3_stmt *s = NULL;
    int code;
    abdb_status st = ABDB_OK;

    if (!now || !tag || !cell) return ABDB_OK;
    code = sqlite3_prepare_v2(db->sql,
                              "SELECT f.text FROM entry e JOIN v_run_factor f USING (entry_id)"
                              " WHERE e.campaign = ?1 AND e.tag = ?2 AND f.factor ="
                              " 'program_digest' AND substr(e.cell, 1, instr(e.cell || ' #',"
                              " ' #') - 1) = substr(?3, 1, instr(?3 || ' #', ' #') - 1)"
                              " ORDER BY e.entry_id LIMIT 1",
                              -1, &s, NULL);
    sqlite3_bind_text(s, 1, entry->field[ABDB_FIELD_campaign], -1, SQLITE_STATIC);
    sqlite3_bind_text(s, 2, tag, -1, SQLITE_STATIC);
    sqlite3_bind_text(s, 3, cell, -1, SQLITE_STATIC);
    if (code == SQLITE_OK) code = sqlite3_step(s);
    if (code != SQLITE_ROW && code != SQLITE_DONE) {
        st = abdb_db_report_sqlite_error(db, err, "the program of a tag");
    } else if (code == SQLITE_ROW && !is_one_program(abdb_sql_text_or_empty(s, 0), now->text)) {
        if (resumed)
            st = ABDB_FAIL(err, ABDB_USAGE,
                           "--resume would join two programs as '%s': it was rebuilt, or a library"
                           " or script of it changed, since the earlier turns; measure both anew"
                           " without --resume",
                           tag);
        else
            abdb_print_stderr_remark("%s: the program, a library or a script of it changed during"
                                     " this run: its processes are of two programs",
                                     tag);
    }
    sqlite3_finalize(s);
    return st;
}

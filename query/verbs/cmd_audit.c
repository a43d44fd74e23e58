/* cmd_audit.c - abdb audit: the reports audit-NAME, which check the contents of the database.
 * `abdb audit NAME` is `abdb query audit-NAME`, with the same options. */
#include <stdlib.h>
#include <string.h>

#include "query/answer/report.h"
#include "query/cli/command_line.h"

enum { NAMES_MAX = 256 };
static const char prefix[] = "audit-";

/* Prints the audits, by name alone or with their titles. Returns 0. */
static int print_audit_list(bool names_only)
{
    abdb_arena arena = {0};
    const char *names[NAMES_MAX];
    size_t count = abdb_list_own_and_shipped_report_names(names, NAMES_MAX, &arena);

    if (!names_only) puts("audits (abdb audit NAME --help):");
    for (size_t i = 0; i < count; i++) {
        abdb_report report;
        abdb_error err;

        if (strncmp(names[i], prefix, strlen(prefix)) != 0) continue;
        if (names_only)
            abdb_print_sanitized(stdout, "%s\n", names[i] + strlen(prefix));
        else if (abdb_report_load(&report, names[i], &err) == ABDB_OK) {
            abdb_print_sanitized(stdout, "  %-13s %.*s\n", names[i] + strlen(prefix),
                                 (int)strcspn(report.title, "{"), report.title);
            abdb_report_free(&report);
        }
    }
    abdb_arena_free(&arena);
    return 0;
}

int abdb_cmd_audit(int argc, char **argv)
{
    abdb_arena arena = {0};
    char **words = NULL;
    abdb_error err;
    int code;

    if (argc == 2 && strcmp(argv[1], "--names") == 0) return print_audit_list(true);
    if (argc < 2) return print_audit_list(false);
    if (argv[1][0] == '-') {
        abdb_set_error_return_status(&err, ABDB_USAGE,
                                     "audit what? the name comes first; `abdb audit` lists them");
        return abdb_print_error_return_exit_code(&err);
    }
    words = calloc((size_t)argc + 1, sizeof *words);
    if (words) {
        memcpy(words, argv, (size_t)argc * sizeof *words);
        words[1] = abdb_arena_printf(&arena, "%s%s", prefix, argv[1]);
    }
    if (words && words[1])
        code = abdb_cmd_query(argc, words);
    else {
        abdb_set_error_return_status(&err, ABDB_NOMEM, "audit");
        code = abdb_print_error_return_exit_code(&err);
    }
    free(words);
    abdb_arena_free(&arena);
    return code;
}

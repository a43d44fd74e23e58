/* slurm_script.c - the script of abdb run --slurm; see slurm_script.h. */
#include "query/run/slurm_script.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "query/answer/escape.h"
#include "schema/core/outfile.h"
#include "schema/core/child_process.h"

enum { NODES_MOST = 100000 };

/* Options that are passed to Slurm, or have a place of their own in the script. */
static const char *const ours[] = {"slurm", "partition", "account", "time", "sbatch", "push",
                                   "out",   "submit",    "spool",   "db",   "node",   NULL};
enum { OF_SLURM = 8 }; /* the first of them mean nothing without --slurm */

bool abdb_has_slurm_option(const abdb_args *args)
{
    for (size_t i = 0; i < OF_SLURM; i++)
        if (abdb_arg_value(args, ours[i])) return true;
    return false;
}

/* --- allowed option values -------------------------------------------------------------------- */

/* A name or limit as Slurm has them: it can be neither an option nor a second word. */
static abdb_status refuse_unsafe_slurm_value(const char *option, const char *text, abdb_error *err)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "._-+:,/=@[]";

    if (!text || (*text && *text != '-' && strspn(text, plain) == strlen(text))) return ABDB_OK;
    return ABDB_FAIL(err, ABDB_USAGE, "--%s cannot be '%s' in Slurm", option, text);
}

/* The script is lines, and a here-document ends at one: no word may have a line break. */
static abdb_status refuse_control_characters_in_options(const abdb_args *args, abdb_error *err)
{
    for (size_t i = 0; i < args->count; i++)
        for (const char *c = args->given[i].value; *c; c++)
            if ((unsigned char)*c < ' ' || *c == 127)
                return ABDB_FAIL(err, ABDB_USAGE,
                                 "--%s has a line break or another control character, which"
                                 " a script cannot carry",
                                 args->given[i].name);
    return ABDB_OK;
}

/* Refuses an address with a password, which would stand in the script. */
static abdb_status refuse_password_in_push_url(const char *url, abdb_error *err)
{
    const char *host = url ? strstr(url, "://") : NULL, *at = host ? strchr(host, '@') : NULL;

    if (at && memchr(host + 3, ':', (size_t)(at - host - 3)))
        return ABDB_FAIL(err, ABDB_USAGE,
                         "--push: a password does not belong into a script that others can read;"
                         " put it into ~/.pgpass");
    return ABDB_OK;
}

/* Refuses options that need --slurm where it is missing, and options that cannot be combined with
 * it. */
static abdb_status refuse_unusable_or_unsafe_slurm_options(const abdb_args *args, abdb_error *err)
{
    static const char *const names[] = {"slurm", "partition", "account", "time", "ranks"};
    static const char *const none[] = {"resume", "dry-run", "hosts", "node", NULL};
    const char *more;
    size_t at = 0;
    abdb_status st = ABDB_OK;

    if (!abdb_arg_value(args, "slurm"))
        for (size_t i = 1; i < OF_SLURM; i++)
            if (abdb_arg_value(args, ours[i]))
                return ABDB_FAIL(err, ABDB_USAGE, "--%s is of --slurm NODES", ours[i]);
    for (size_t i = 0; none[i]; i++)
        if (abdb_arg_value(args, none[i]))
            return ABDB_FAIL(err, ABDB_USAGE, "--slurm: no --%s beside it", none[i]);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        TRY(refuse_unsafe_slurm_value(names[i], abdb_arg_value(args, names[i]), err));
    while ((more = abdb_arg_next_value(args, "sbatch", &at))) {
        if (strncmp(more, "--", 2) != 0)
            TRY(ABDB_FAIL(err, ABDB_USAGE, "--sbatch wants a long option: --sbatch=--gres=gpu:8"));
        TRY(refuse_unsafe_slurm_value("sbatch", more + 2, err));
    }
    TRY(refuse_password_in_push_url(abdb_arg_value(args, "push"), err));
    TRY(refuse_control_characters_in_options(args, err));
done:
    return st;
}

/* --- the script ------------------------------------------------------------------------------- */

/* An absolute path; it need not be there. NULL: no memory. */
static const char *absolute_path(abdb_arena *arena, const char *path)
{
    char here[PATH_MAX];

    if (*path == '/' || !getcwd(here, sizeof here)) return path;
    return abdb_arena_printf(arena, "%s/%s", here, path);
}

/* The command of one node, but for its node and spool. */
static void append_run_command_of_node(abdb_text *out, const abdb_args *args, const char *abdb)
{
    abdb_text word = {0};

    abdb_text_puts(out, "exec");
    abdb_append_blank_and_shell_quoted_word(out, abdb);
    abdb_text_puts(out, " run");
    for (size_t i = 0; i < args->count; i++) {
        const char *name = args->given[i].name, *value = args->given[i].value;
        const abdb_option *option = NULL;

        if (abdb_text_is_in_list(name, ours)) continue;
        for (size_t k = 0; k < args->options; k++)
            if (strcmp(args->option[k]->name, name) == 0) option = args->option[k];
        abdb_text_clear(&word);
        abdb_text_printf(&word, "--%s%s%s", name, option && option->argument ? "=" : "", value);
        abdb_append_blank_and_shell_quoted_word(out, abdb_text_get(&word));
    }
    abdb_text_free(&word);
    abdb_text_puts(out, " --node=\"$node\" --spool=\"$spool/$node\"\n");
}

/* Appends --option=value, quoted; nothing without a value. */
static void append_shell_quoted_option_if_given(abdb_text *out, const char *option,
                                                const char *value)
{
    abdb_text word = {0};

    if (!value) return;
    abdb_text_printf(&word, "--%s=%s", option, value);
    abdb_append_blank_and_shell_quoted_word(out, abdb_text_get(&word));
    abdb_text_free(&word);
}

/* Appends the options of sbatch that the array and the job behind it share. */
static void append_common_sbatch_options(abdb_text *out, const abdb_args *args, const char *here)
{
    append_shell_quoted_option_if_given(out, "chdir", here);
    append_shell_quoted_option_if_given(out, "partition", abdb_arg_value(args, "partition"));
    append_shell_quoted_option_if_given(out, "account", abdb_arg_value(args, "account"));
    append_shell_quoted_option_if_given(out, "time", abdb_arg_value(args, "time"));
}

typedef struct {
    const char *abdb, *spool, *db, *here;
    long long nodes; /* 0: they are named */
} script_paths;

/* Appends the job array that measures, one node a task. */
static void append_sbatch_array_job(abdb_text *out, const abdb_args *args, const script_paths *p)
{
    const char *named = p->nodes ? NULL : abdb_arg_value(args, "slurm"), *more;
    size_t at = 0;

    abdb_text_puts(out, "job=$(sbatch --parsable --job-name=abdb --nodes=1 --exclusive"
                        " --no-requeue");
    append_shell_quoted_option_if_given(
        out, "ntasks", abdb_arg_value(args, "ranks") ? abdb_arg_value(args, "ranks") : "1");
    if (named)
        abdb_text_puts(out, " --hold --array=\"0-$(($# - 1))\"");
    else
        abdb_text_printf(out, " --array=0-%lld", p->nodes - 1);
    append_common_sbatch_options(out, args, p->here);
    abdb_text_puts(out, " --output=\"$spool/slurm-%A_%a.out\"");
    while ((more = abdb_arg_next_value(args, "sbatch", &at)))
        abdb_append_blank_and_shell_quoted_word(out, more);
    abdb_text_puts(out, " <<'ABDB_TASK'\n#!/bin/sh\nspool=");
    abdb_append_shell_quoted(out, p->spool);
    abdb_text_puts(out, "\nnode=${SLURMD_NODENAME:-$(hostname)}\nmkdir -p \"$spool/$node\" ||"
                        " exit\n");
    append_run_command_of_node(out, args, p->abdb);
    abdb_text_puts(out, "ABDB_TASK\n) || exit\njob=${job%%;*}\n");
    if (named)
        abdb_text_puts(out, "task=0\n"
                            "for node; do # each task its node\n"
                            "    scontrol update JobId=\"${job}_$task\" ReqNodeList=\"$node\" ||"
                            " { scancel \"$job\"; exit 1; }\n"
                            "    task=$((task + 1))\n"
                            "done\n"
                            "scontrol release \"$job\" || { scancel \"$job\"; exit 1; }\n");
}

/* Appends the job that imports, and pushes, when the array has ended. */
static void append_import_and_push_job(abdb_text *out, const abdb_args *args, const script_paths *p)
{
    const char *url = abdb_arg_value(args, "push");

    abdb_text_puts(out, "end=$(sbatch --parsable --job-name=abdb-import --nodes=1 --ntasks=1"
                        " --dependency=\"afterany:$job\"");
    append_common_sbatch_options(out, args, p->here);
    abdb_text_puts(out, " --output=\"$spool/slurm-%j.out\" <<'ABDB_END'\n#!/bin/sh\n");
    if (!url) abdb_text_puts(out, "exec");
    abdb_append_blank_and_shell_quoted_word(out, p->abdb);
    abdb_text_puts(out, " import");
    append_shell_quoted_option_if_given(out, "db", p->db);
    abdb_text_puts(out, " --");
    abdb_append_blank_and_shell_quoted_word(out, p->spool);
    if (url) {
        abdb_text_puts(out, " &&\nexec");
        abdb_append_blank_and_shell_quoted_word(out, p->abdb);
        abdb_text_puts(out, " push");
        append_shell_quoted_option_if_given(out, "db", p->db);
        abdb_text_puts(out, " --");
        abdb_append_blank_and_shell_quoted_word(out, url);
    }
    abdb_text_puts(out, "\nABDB_END\n) || exit\n"
                        "echo \"measured by job $job, imported by job ${end%%;*}\"\n");
}

/* Appends the whole script: head, array job and import job. */
static void append_script_that_submits_jobs(abdb_text *out, const abdb_args *args,
                                            const script_paths *p)
{
    abdb_text_puts(out, "#!/bin/sh\n"
                        "# Made by abdb run --slurm: sh FILE submits a job array that measures, one"
                        " node a task, and a job\n"
                        "# that imports what the nodes have spooled when all of them are done,"
                        " however they ended.\n"
                        "# The program, its backends and the spool lie where all nodes see them.\n"
                        "spool=");
    abdb_append_shell_quoted(out, p->spool);
    if (!p->nodes) {
        abdb_text_puts(out, "\nset -- $(scontrol show hostnames");
        abdb_append_blank_and_shell_quoted_word(out, abdb_arg_value(args, "slurm"));
        abdb_text_puts(out, ")\n[ $# -gt 0 ] || exit");
    }
    abdb_text_puts(out, "\n");
    append_sbatch_array_job(out, args, p);
    append_import_and_push_job(out, args, p);
}

/* --- where it goes ---------------------------------------------------------------------------- */

/* Gives the script to sh and prints its output. */
static abdb_status run_script_with_sh_print_output(const abdb_text *script, abdb_error *err)
{
    const abdb_start_options how = {.path = "sh", .argument = {"-s", NULL}};
    abdb_program p = {0};
    char chunk[4096];
    ssize_t size;
    int code;
    abdb_status st = ABDB_OK;

    TRY(abdb_program_start_with_pipes(&p, &how, err));
    size = write(p.in, script->data, script->size); /* a pipe takes 64 KiB at once */
    close(p.in);
    p.in = -1;
    while (size == (ssize_t)script->size) {
        ssize_t got = read(p.out, chunk, sizeof chunk);

        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        if (!abdb_write_sanitized_if_terminal(stdout, chunk, (size_t)got)) break;
    }
    code = abdb_program_kill_and_reap(&p);
    if (size != (ssize_t)script->size || !WIFEXITED(code) || WEXITSTATUS(code) != 0)
        st = ABDB_FAIL(err, ABDB_IO, "Slurm did not take it (sbatch); --out FILE keeps the script");
done:
    return st;
}

/* Makes the paths of the script absolute; refuses a spool that cannot be written. */
static abdb_status resolve_script_paths_and_node_count(script_paths *p, const abdb_args *args,
                                                       abdb_arena *arena, abdb_error *err)
{
    const char *folder = abdb_program_folder(arena), *spool = abdb_arg_value(args, "spool"),
               *nodes = abdb_arg_value(args, "slurm");
    char here[PATH_MAX], *real = spool ? realpath(spool, NULL) : NULL;

    *p = (script_paths){.here = getcwd(here, sizeof here) ? abdb_arena_printf(arena, "%s", here)
                                                          : NULL};
    if (real) p->spool = abdb_arena_printf(arena, "%s", real);
    free(real);
    if (!p->spool || access(p->spool, W_OK) != 0)
        return ABDB_FAIL(err, ABDB_USAGE,
                         "--slurm wants --spool FOLDER: one that is there, and that all nodes see");
    if (strpbrk(p->spool, "%\\"))
        return ABDB_FAIL(err, ABDB_USAGE, "--spool %s: Slurm gives %% and \\ in it a meaning",
                         p->spool);
    if (strspn(nodes, "0123456789") == strlen(nodes) &&
        !abdb_integer_parse_in_range(nodes, ABDB_MARK_UNKNOWN, 1, NODES_MOST, &p->nodes))
        return ABDB_FAIL(err, ABDB_USAGE, "--slurm wants how many nodes, up to %d, or their names",
                         NODES_MOST);
    p->db = absolute_path(arena, abdb_arg_db_path(args));
    p->abdb = folder ? abdb_arena_printf(arena, "%s/abdb", folder) : NULL;
    return p->here && p->db && p->abdb ? ABDB_OK : ABDB_FAIL(err, ABDB_IO, "no folder to run from");
}

abdb_status abdb_slurm_write_or_submit_script(const abdb_args *args, abdb_error *err)
{
    abdb_text script = {0};
    abdb_arena arena = {0};
    abdb_outfile out = {0};
    const char *file = abdb_arg_value(args, "out");
    script_paths p;
    abdb_status st = ABDB_OK;

    TRY(refuse_unusable_or_unsafe_slurm_options(args, err));
    TRY(resolve_script_paths_and_node_count(&p, args, &arena, err));
    append_script_that_submits_jobs(&script, args, &p);
    if (script.failed) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a script"));
    if (file || !abdb_arg_value(args, "submit")) {
        TRY(abdb_outfile_open_refusing_protected(&out, file, err));
        if (!abdb_write_sanitized_if_terminal(out.file, script.data, script.size))
            TRY(ABDB_FAIL(err, ABDB_IO, "%s: %s", file ? file : "standard output",
                          strerror(errno)));
        TRY(abdb_outfile_commit(&out, err));
    }
    if (abdb_arg_value(args, "submit")) TRY(run_script_with_sh_print_output(&script, err));
done:
    abdb_outfile_discard(&out);
    abdb_text_free(&script);
    abdb_arena_free(&arena);
    return st;
}

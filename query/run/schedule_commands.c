/* schedule_commands.c - whole programs that take turns: abdb run --command; see schedule.h. */
#include <string.h>
#include <unistd.h>

#include "kernels/programs/own_metrics.h"
#include "query/answer/escape.h"
#include "query/answer/output.h"
#include "query/run/schedule.h"
#include "query/run/slurm_script.h"
#include "schema/core/child_process.h"
#include "schema/core/fixed_text.h"

enum { OPTIONS_MAX = 14, METRICS_FROM_MAX = 8, WORDS_MAX = ABDB_ARGUMENTS - 3 - OPTIONS_MAX - 1 };
static const char blanks[] = " \t\n";
/* Options of --command that abdb-command gets. */
static const char *const own_options[] = {"setup",  "prepare",        "cleanup",    "warmup",
                                          "output", "ignore-failure", "metric-from"};

/* Appends the next word of *text, which moves on: blanks end it, but not within quotes or behind a
 * backslash. False: a quote has no end. */
static bool append_next_command_word(const char **text, abdb_text *out)
{
    const char *at = *text;
    char quote = '\0';

    for (; *at && (quote || !strchr(blanks, *at)); at++) {
        if (quote ? *at == quote : *at == '\'' || *at == '"')
            quote = quote ? '\0' : *at;
        else if (*at == '\\' && quote != '\'' && at[1])
            abdb_text_add(out, ++at, 1);
        else
            abdb_text_add(out, at, 1);
    }
    *text = at + strspn(at, blanks);
    return !quote;
}

/* A word for a shell, not in quotes as it stands at `from`? Says so, and how a shell gets it. */
static bool warn_if_shell_operator(const char *tag, const char *text, const char *from,
                                   const char *word)
{
    abdb_text whole = {0};
    bool simple = !strpbrk(text, "'\"\\$`!");

    if (!abdb_list_has_word("| || > >> 2> < && & ;", ' ', word, strlen(word)) ||
        strncmp(from, word, strlen(word)) != 0)
        return false;
    abdb_text_printf(&whole, "--command \"%s=sh -c '%s'\"", tag, simple ? text : "...");
    abdb_print_stderr_remark(
        "%s: no shell runs this, so that the program gets '%s' as a word; with one: %s", tag, word,
        abdb_text_get(&whole));
    abdb_text_free(&whole);
    return true;
}

/* Splits a command into words as a shell would, without expansion; warns of words that a shell
 * would expand. */
static abdb_status split_command_words(abdb_schedule *lanes, const char *tag, const char *text,
                                       const char **words, abdb_error *err)
{
    abdb_text word = {0};
    size_t count = 0;
    bool warned = false;
    abdb_status st = ABDB_OK;

    text += strspn(text, blanks);
    for (const char *at = text, *from = at; *at; from = at) {
        if (count == WORDS_MAX)
            TRY(ABDB_FAIL(err, ABDB_LIMIT, "--command: more than %d words", WORDS_MAX));
        abdb_text_clear(&word);
        if (!append_next_command_word(&at, &word))
            TRY(ABDB_FAIL(err, ABDB_USAGE, "--command: a quote has no end: %s", text));
        warned = warned || warn_if_shell_operator(tag, text, from, abdb_text_get(&word));
        words[count] = abdb_arena_copy(&lanes->arena, abdb_text_get(&word), word.size);
        if (!words[count++] || word.failed) TRY(ABDB_FAIL(err, ABDB_NOMEM, "a command"));
    }
    words[count] = NULL;
    if (!count) TRY(ABDB_FAIL(err, ABDB_USAGE, "--command wants NAME=COMMAND"));
    /* A path with a {KEY} differs in each cell; a missing program is reported by its cell. */
    if (strchr(words[0], '/') && !strchr(words[0], '{') && access(words[0], X_OK) != 0)
        TRY(ABDB_FAIL(err, ABDB_USAGE, "--command: there is no program %s", words[0]));
done:
    abdb_text_free(&word);
    return st;
}

/* Checks the options that surround a program. */
static abdb_status check_command_options(const abdb_args *args, abdb_error *err)
{
    const char *text = abdb_arg_value(args, "warmup"), *output = abdb_arg_value(args, "output");
    long long number;
    size_t at = 0, count = 0;
    abdb_status st = ABDB_OK;

    if (text && !abdb_integer_parse_in_range(text, ABDB_MARK_UNKNOWN, 0, 1000, &number))
        TRY(ABDB_FAIL(err, ABDB_USAGE, "--warmup wants a whole number up to 1000, not '%s'", text));
    if (output && !*output)
        TRY(ABDB_FAIL(err, ABDB_USAGE, "--output wants null, pipe or the path of a file"));
    while ((text = abdb_arg_next_value(args, "metric-from", &at))) {
        if (++count > METRICS_FROM_MAX)
            TRY(ABDB_FAIL(err, ABDB_LIMIT, "more than %d --metric-from", METRICS_FROM_MAX));
        TRY(abdb_own_metrics_check_source(text, err));
    }
    if (count && output && strcmp(output, "pipe") != 0)
        TRY(ABDB_FAIL(err, ABDB_USAGE,
                      "--metric-from reads the program's standard output: --output pipe, not '%s'",
                      output));
done:
    return st;
}

abdb_status abdb_refuse_command_options_without_command(const abdb_args *args, abdb_error *err)
{
    for (size_t i = 0; i < sizeof own_options / sizeof own_options[0]; i++)
        if (abdb_arg_value(args, own_options[i]))
            return ABDB_FAIL(err, ABDB_USAGE, "--%s is of --command NAME='./program'",
                             own_options[i]);
    return ABDB_OK;
}

/* Writes the options that surround a program as the first words of abdb-command, and "--"; returns
 * their number, 0 where there are none. */
static size_t write_command_options(abdb_schedule *lanes, const abdb_args *args, const char **words)
{
    size_t count = 0;

    for (size_t i = 0; i < sizeof own_options / sizeof own_options[0]; i++) {
        bool flag = strcmp(own_options[i], "ignore-failure") == 0;
        const char *value;
        size_t at = 0;

        while (count < OPTIONS_MAX && (value = abdb_arg_next_value(args, own_options[i], &at)))
            words[count++] = abdb_arena_printf(&lanes->arena, "--%s%s%s", own_options[i],
                                               flag ? "" : "=", flag ? "" : value);
    }
    if (count) words[count++] = "--";
    return count;
}

/* Adds the command of NAME=COMMAND to the schedule. */
static abdb_status append_command_entry(abdb_schedule *out, const abdb_args *args, const char *text,
                                        abdb_error *err)
{
    const char **words = abdb_arena_alloc(&out->arena, ABDB_ARGUMENTS * sizeof *words);
    const char *equals = strchr(text, '=');
    const char *folder = abdb_program_folder(&out->arena);
    abdb_schedule_entry *lane = &out->lane[out->count];
    abdb_status st = ABDB_OK;

    if (!equals || equals == text)
        return ABDB_FAIL(err, ABDB_USAGE, "--command wants NAME=COMMAND, not '%s'", text);
    if (out->count == ABDB_LANES_MAX)
        return ABDB_FAIL(err, ABDB_LIMIT, "more than %d commands", ABDB_LANES_MAX);
    *lane =
        (abdb_schedule_entry){.backend = "command",
                              .path = abdb_arena_printf(&out->arena, "%s/abdb-command", folder),
                              .tag = abdb_arena_copy(&out->arena, text, (size_t)(equals - text))};
    if (!words || !folder || !lane->path || !lane->tag)
        return ABDB_FAIL(err, ABDB_NOMEM, "a command");
    for (size_t i = 0; i < out->count; i++)
        if (strcmp(out->lane[i].tag, lane->tag) == 0)
            return ABDB_FAIL(err, ABDB_USAGE, "--command names '%s' twice", lane->tag);
    lane->argument = words;
    TRY(split_command_words(out, lane->tag, equals + 1,
                            words + write_command_options(out, args, words), err));
    out->count++;
done:
    return st;
}

abdb_status abdb_schedule_from_commands(abdb_schedule *out, const abdb_args *args, abdb_error *err)
{
    /* Options for kernels, without a meaning here. */
    static const char *const others[] = {"plan",      "kernel", "search", "backend",   "builds",
                                         "tag",       "energy", "ranks",  "launcher",  "hosts",
                                         "core-type", "scale",  "slurm",  "calibrate", "threads"};
    const char *text;
    abdb_commit commit = {0};
    size_t at = 0;
    abdb_status st = ABDB_OK;

    *out = (abdb_schedule){.builds = true, .commands = true};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (abdb_arg_value(args, others[i]))
            return ABDB_FAIL(err, ABDB_USAGE,
                             "--command measures whole programs: no --%s beside it", others[i]);
    TRY(check_command_options(args, err));
    if (abdb_arg_value(args, "commit"))
        TRY(abdb_resolve_commit_branch_and_dirty(&commit, abdb_arg_value(args, "commit"), ".",
                                                 &out->arena, err));
    while ((text = abdb_arg_next_value(args, "command", &at)))
        TRY(append_command_entry(out, args, text, err));
    for (size_t i = 0; i < out->count; i++) out->lane[i].commit = commit;
done:
    return st;
}

/* Has a word {KEY} of that key? */
static bool word_has_braced_key(const char *word, const char *key)
{
    size_t size = strlen(key);

    for (; (word = strchr(word, '{')); word++)
        if (strncmp(word + 1, key, size) == 0 && word[1 + size] == '}') return true;
    return false;
}

/* Every {KEY} of a word must be an axis. ${KEY} is left to the shell, and {{KEY}} becomes a literal
 * {KEY}. */
static abdb_status require_axis_for_braced_keys(const abdb_schedule_entry *lane, const char *word,
                                                const abdb_cell *cell, abdb_error *err)
{
    for (const char *at = word; (at = strchr(at, '{')); at++) {
        size_t size = abdb_braced_name_length(at);
        bool shell = at > word && at[-1] == '$',
             twice = at > word && at[-1] == '{' && size && at[size] == '}';
        char key[64];

        if (!size || shell || twice) continue;
        if (abdb_format_if_fits(key, sizeof key, "%.*s", (int)size - 2, at + 1) &&
            abdb_cell_param_text(cell, key))
            continue;
        return ABDB_FAIL(err, ABDB_USAGE,
                         "--command %s: no --axis gives {%s} a value; if the braces shall stay,"
                         " write {{%s}}",
                         lane->tag, key, key);
    }
    return ABDB_OK;
}

abdb_status abdb_schedule_require_axes_match_braces(const abdb_schedule *lanes,
                                                    const abdb_plan *plan, abdb_error *err)
{
    const abdb_cell *cell = plan->cell; /* all have the same keys */
    abdb_status st = ABDB_OK;

    if (!lanes->commands) return ABDB_OK;
    for (size_t i = 0; i < lanes->count; i++)
        for (const char *const *word = lanes->lane[i].argument; *word; word++)
            TRY(require_axis_for_braced_keys(&lanes->lane[i], *word, cell, err));
    for (size_t p = 0; p < cell->params; p++) {
        const char *key = cell->param[p].key;
        bool used = false;

        for (size_t i = 0; i < lanes->count; i++)
            for (const char *const *word = lanes->lane[i].argument; *word; word++)
                used = used || word_has_braced_key(*word, key);
        if (!used)
            TRY(ABDB_FAIL(err, ABDB_USAGE,
                          "no --command has {%s}, so that --axis %s=... would measure the same"
                          " again: put {%s} where its value belongs",
                          key, key, key));
    }
done:
    return st;
}

void abdb_print_compare_command(const abdb_schedule *lanes, const abdb_args *args)
{
    abdb_text command = {0}, tag = {0};

    if (lanes->count < 2) return;
    for (size_t i = 0; i < lanes->count; i++) {
        const char *name = lanes->lane[i].tag, *quote = strpbrk(name, ",'\" ") ? "'" : "";

        abdb_text_clear(&tag);
        abdb_text_printf(&tag, "tag=%s", quote);
        for (; *name; name++) { /* a doubled quote is one of the text */
            if (*name == '\'') abdb_text_puts(&tag, quote);
            abdb_text_add(&tag, name, 1);
        }
        abdb_text_puts(&tag, quote);
        abdb_append_blank_and_shell_quoted_word(&command, abdb_text_get(&tag));
    }
    abdb_text_puts(&command, " --where run=latest --fail-on slower");
    if (abdb_arg_value(args, "db")) {
        abdb_text_puts(&command, " --db");
        abdb_append_blank_and_shell_quoted_word(&command, abdb_arg_value(args, "db"));
    }
    abdb_print_sanitized(stdout, "which is slower: abdb compare%s\n", abdb_text_get(&command));
    abdb_text_free(&command);
    abdb_text_free(&tag);
}

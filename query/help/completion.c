/* completion.c - completion for shells; see completion.h. */
#include "query/help/completion.h"

#include <string.h>
#include <strings.h>

#include "ingest/registry.h"
#include "kernels/runner/plan_check.h"
#include "query/answer/load_figure.h"
#include "query/answer/report.h"
#include "query/compare/selection_spelling.h"
#include "query/run/find_backends.h"
#include "query/cli/command_line.h"

enum { NAMES_MAX = 256, FOUND_MAX = 400, PATIENCE_S = 2 };

/* The word being completed, and its context. */
typedef struct {
    FILE *out;
    const abdb_command *command;
    const abdb_report *report; /* whose options are known, too; or NULL */
    const char *word;          /* as far as it is typed */
    const char *lead;          /* what is put before each candidate: "device=" of a selection */
    abdb_db *db;               /* NULL: there is none */
    size_t found;
} completion_request;

/* Prints a word, after the selection typed so far, if it begins with the typed letters; never a
 * word that would then be read as an option. FOUND_MAX at most. */
static void print_candidate_if_prefix_matches(completion_request *t, const char *name,
                                              const char *meaning)
{
    bool selection = t->lead != NULL;

    if (selection && !*t->lead && *name == '-') return; /* it would be read as an option */
    if (strncasecmp(name, t->word, strlen(t->word)) != 0 || t->found++ >= FOUND_MAX) return;
    abdb_print_sanitized(t->out, "%s%s", t->lead ? t->lead : "", name);
    if (meaning && *meaning) abdb_print_sanitized(t->out, "\t%s", meaning);
    fputc('\n', t->out);
}

/* Words between '|'. */
static void print_matching_bar_separated_words(completion_request *t, const char *list)
{
    while (*list) {
        size_t size = strcspn(list, "|");
        char word[64];

        snprintf(word, sizeof word, "%.*s", (int)size, list);
        print_candidate_if_prefix_matches(t, word, NULL);
        list += size + (list[size] == '|');
    }
}

/* Prints matching values of a statement's first column. */
static void print_matching_first_column_of_query(completion_request *t, const char *sql)
{
    abdb_table rows = {0};
    abdb_error err;

    if (t->db && abdb_run_readonly_sql(t->db, sql, NULL, NULL, &rows, &err) == ABDB_OK)
        for (size_t i = 0; i < rows.rows; i++) {
            char number[32];

            print_candidate_if_prefix_matches(
                t, abdb_value_text(&rows.value[i * rows.columns], number), NULL);
        }
    abdb_table_free(&rows);
}

/* --- names ------------------------------------------------------------------------------------ */

/* Offers the reports whose names begin with `prefix`, without it, each with its question. */
static void print_matching_report_names(completion_request *t, const char *prefix)
{
    abdb_arena arena = {0};
    const char *names[NAMES_MAX];
    size_t count = abdb_list_own_and_shipped_report_names(names, NAMES_MAX, &arena),
           skip = strlen(prefix);

    for (size_t i = 0; i < count; i++) {
        abdb_report report;
        abdb_error err;

        if (strncmp(names[i], prefix, skip) != 0 ||
            abdb_report_load(&report, names[i], &err) != ABDB_OK)
            continue;
        print_candidate_if_prefix_matches(t, names[i] + skip,
                                          report.question ? report.question : report.title);
        abdb_report_free(&report);
    }
    abdb_arena_free(&arena);
}

/* Offers all figures, each with its title. */
static void print_matching_figure_names(completion_request *t)
{
    abdb_arena arena = {0};
    const char *names[NAMES_MAX];
    size_t count = abdb_list_own_and_shipped_figure_names(names, NAMES_MAX, &arena);

    for (size_t i = 0; i < count; i++) {
        abdb_figure figure;
        abdb_error err;

        if (abdb_figure_load(&figure, names[i], &err) != ABDB_OK) continue;
        print_candidate_if_prefix_matches(t, names[i], figure.title);
        abdb_figure_free(&figure);
    }
    abdb_arena_free(&arena);
}

static void print_matching_backend_names(completion_request *t)
{
    abdb_backend_list list;

    (void)abdb_backends_find(&list, NULL); /* the known ones */
    for (size_t i = 0; i < list.count; i++)
        print_candidate_if_prefix_matches(t, list.backend[i].name, NULL);
    abdb_backends_free(&list);
}

static void print_matching_plan_names(completion_request *t)
{
    for (size_t i = 0; abdb_plans[i].name; i++) {
        char name[64];

        snprintf(name, sizeof name, "%.*s", (int)strcspn(abdb_plans[i].name, "."),
                 abdb_plans[i].name);
        print_candidate_if_prefix_matches(t, name, NULL);
    }
}

static void print_matching_kernel_names(completion_request *t)
{
    for (const char *const *name = abdb_built_in_kernel_and_workload_names(); *name; name++)
        print_candidate_if_prefix_matches(t, *name, NULL);
}

/* Values of --format of a verb: formats of input files for import, else formats of output. */
static void print_matching_format_names_of_verb(completion_request *t)
{
    if (strcmp(t->command->name, "import") == 0)
        for (size_t i = 0; abdb_importers[i]; i++)
            print_candidate_if_prefix_matches(t, abdb_importers[i]->name,
                                              abdb_importers[i]->summary);
    else if (t->command->takes & ABDB_PRINTS_ROWS)
        for (size_t i = 0; abdb_output_format_name(i); i++)
            print_candidate_if_prefix_matches(t, abdb_output_format_name(i), NULL);
}

static const char devices_sql[] =
    "SELECT DISTINCT whole FROM name WHERE kind = 'device' ORDER BY 1",
                  models_sql[] = "SELECT DISTINCT whole FROM name WHERE kind = 'model' ORDER BY 1";

/* The values of a column, as a selection names it. */
static void print_matching_column_values(completion_request *t, const char *column)
{
    char sql[256];

    if (strcmp(column, "device") == 0)
        print_matching_first_column_of_query(t, devices_sql);
    else if (strcmp(column, "model") == 0 || strcmp(column, "work") == 0 ||
             strcmp(column, "workload") == 0)
        print_matching_first_column_of_query(t, models_sql);
    else if (strcmp(column, "run") == 0)
        print_matching_bar_separated_words(t, "latest|latest~1");
    else if (abdb_column_is_respelled(column)) {
        snprintf(sql, sizeof sql,
                 "SELECT DISTINCT %s FROM description WHERE %s IS NOT NULL ORDER BY 1", column,
                 column);
        print_matching_first_column_of_query(t, sql);
    }
}

/* The last condition of a selection: a name, a column, or the value of one. */
static void print_completions_of_last_condition(completion_request *t)
{
    const char *comma = strrchr(t->word, ','), *last = comma ? comma + 1 : t->word;
    const char *operator= strpbrk(last, "=<>~!");
    char lead[512], column[64];

    snprintf(column, sizeof column, "%.*s", (int)strcspn(last, "=<>~!"), last);
    if (operator) last = operator+ strspn(operator, "=<>~!");
    snprintf(lead, sizeof lead, "%.*s", (int)(last - t->word), t->word);
    t->word = last;
    t->lead = lead;
    if (operator)
        print_matching_column_values(t, column);
    else {
        print_matching_first_column_of_query(t, devices_sql);
        print_matching_first_column_of_query(t, models_sql);
        print_matching_first_column_of_query(
            t, "SELECT column_name || '=' FROM v_column WHERE view = 'v_comparable'"
               " ORDER BY place");
    }
    t->lead = NULL;
}

/* --- options ---------------------------------------------------------------------------------- */

/* Lists of options that the command line can hold. */
static size_t collect_option_lists(const completion_request *t, const abdb_option *lists[4])
{
    size_t count = 0;

    if (t->report) lists[count++] = t->report->option;
    lists[count++] = t->command->options;
    if (t->command->takes & ABDB_PRINTS_ROWS) lists[count++] = abdb_output_options;
    lists[count++] = abdb_common_options;
    return count;
}

/* The option that a word means, --name or -letter, of the verb or of the report that it names;
 * NULL: none. */
static const abdb_option *find_option_of_command_or_report(const completion_request *t,
                                                           const char *given)
{
    const abdb_option *lists[4];
    size_t count = collect_option_lists(t, lists);

    for (size_t l = 0; given[0] == '-' && l < count; l++)
        for (const abdb_option *o = lists[l]; o->name; o++)
            if ((given[1] == '-' && strcmp(given + 2, o->name) == 0) ||
                (o->letter && given[1] == o->letter && !given[2]))
                return o;
    return NULL;
}

/* Offers the options of the verb and of its report; of two with one name the first. */
static void print_matching_option_names(completion_request *t)
{
    const abdb_option *lists[4];
    size_t count = collect_option_lists(t, lists);

    for (size_t l = 0; l < count; l++)
        for (const abdb_option *o = lists[l]; o->name; o++) {
            char name[64];

            if (!*o->name) continue; /* a heading */
            snprintf(name, sizeof name, "--%s", o->name);
            if (find_option_of_command_or_report(t, name) == o)
                print_candidate_if_prefix_matches(t, name, o->help);
        }
}

/* Prints possible values of a verb's option. */
static void print_matching_option_values(completion_request *t, const abdb_option *o)
{
    static const struct {
        const char *option, *sql;
    } asked[] = {
        {"metric", "SELECT metric FROM metric ORDER BY 1"},
        {"provider", "SELECT DISTINCT provider FROM v_price ORDER BY 1"},
        {"price-kind", "SELECT DISTINCT kind FROM v_price UNION SELECT 'any'"},
        {"workload", models_sql},
        {"model", models_sql},
        {"scenario", "SELECT DISTINCT scenario FROM description WHERE scenario IS NOT NULL"}};
    static const struct {
        const char *option;
        void (*offer)(completion_request *t);
    } named[] = {{"format", print_matching_format_names_of_verb},
                 {"backend", print_matching_backend_names},
                 {"plan", print_matching_plan_names},
                 {"kernel", print_matching_kernel_names},
                 {"where", print_completions_of_last_condition},
                 {"baseline", print_completions_of_last_condition},
                 {"contender", print_completions_of_last_condition},
                 {"selection", print_completions_of_last_condition}};

    for (size_t i = 0; t->report && i < t->report->params; i++)
        if (o == &t->report->option[i]) {
            if (!t->report->param[i].values) break; /* perhaps one of the values below */
            print_matching_first_column_of_query(t, t->report->param[i].values);
            return;
        }
    if (strchr(o->argument, '|')) print_matching_bar_separated_words(t, o->argument);
    for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++)
        if (strcmp(o->name, asked[i].option) == 0)
            print_matching_first_column_of_query(t, asked[i].sql);
    for (size_t i = 0; i < sizeof named / sizeof named[0]; i++)
        if (strcmp(o->name, named[i].option) == 0) named[i].offer(t);
}

/* --- the command line ------------------------------------------------------------------------- */

/* Prints possible words that are no options, by the verb and by whether it is the first word. */
static void print_matching_positional_words(completion_request *t, bool is_first)
{
    const char *verb = t->command->name;

    if (is_first && (strcmp(verb, "query") == 0 || strcmp(verb, "explain") == 0))
        print_matching_report_names(t, "");
    else if (is_first && strcmp(verb, "audit") == 0)
        print_matching_report_names(t, "audit-");
    else if (is_first && strcmp(verb, "plot") == 0)
        print_matching_figure_names(t);
    else if (strcmp(verb, "help") == 0)
        for (const abdb_command *c = abdb_commands; c->name; c++)
            print_candidate_if_prefix_matches(t, c->name, c->summary);
    else if (strcmp(verb, "compare") == 0 || strcmp(verb, "rank") == 0 ||
             strcmp(verb, "choose") == 0 || strcmp(verb, "export") == 0)
        print_completions_of_last_condition(t);
}

/* The report that the first name of the line means; false: none. */
static bool load_report_of_command(abdb_report *out, const abdb_command *command, const char *name)
{
    char audit[128];
    abdb_figure figure;
    abdb_error err;
    bool found;

    if (strcmp(command->name, "choose") == 0)
        return abdb_report_load(out, command->name, &err) == ABDB_OK;
    if (!(command->takes & ABDB_TAKES_NAME) || !*name || *name == '-') return false;
    if (strcmp(command->name, "plot") == 0) {
        if (abdb_figure_load(&figure, name, &err) != ABDB_OK) return false;
        found = abdb_report_load(out, figure.report, &err) == ABDB_OK;
        abdb_figure_free(&figure);
        return found;
    }
    snprintf(audit, sizeof audit, "audit-%s", name);
    return abdb_report_load(out, strcmp(command->name, "audit") == 0 ? audit : name, &err) ==
           ABDB_OK;
}

/* The words typed before the word being completed. */
typedef struct {
    const char *path;          /* of the database; NULL: none was named */
    const char *name;          /* the first word that is no option: of a report, figure or file */
    const abdb_option *option; /* the word just before, where it is one */
} typed;

/* `abdb --db FILE VERB`: how many words stand before the verb. */
static int count_words_before_verb_get_database(int words, char *const *word, const char **path)
{
    if (words > 1 && strncmp(word[0], "--db=", 5) == 0) {
        *path = word[0] + 5;
        return 1;
    }
    if (words <= 2 || strcmp(word[0], "--db") != 0) return 0;
    *path = word[1];
    return 2;
}

/* word[0] is the verb, the last one the word at hand. */
static void parse_typed_database_name_and_option(const completion_request *t, int words,
                                                 char *const *word, typed *out)
{
    for (int i = 1; i < words - 1; i++) {
        const abdb_option *option = find_option_of_command_or_report(t, word[i]);

        if (option && strcmp(option->name, "db") == 0) out->path = word[i + 1];
        if (!option && word[i][0] != '-' && !out->name) out->name = word[i];
        i += option && option->argument && i + 1 < words - 1;
    }
    if (words > 2) out->option = find_option_of_command_or_report(t, word[words - 2]);
}

/* The database that values come from; NULL where it cannot be read: then none are offered. */
static abdb_db *open_readonly_database_or_null(const char *path)
{
    abdb_args none = {0};
    abdb_db *db = NULL;
    abdb_error err;

    if (abdb_db_open(&db, path ? path : abdb_arg_db_path(&none), ABDB_READ, &err) == ABDB_OK &&
        abdb_restrict_db_to_reads_begin_deadline(db, PATIENCE_S, &err) == ABDB_OK)
        return db;
    abdb_db_close(db);
    return NULL;
}

void abdb_print_completions(FILE *out, int words, char *const *word)
{
    completion_request t = {.out = out, .word = words > 0 ? word[words - 1] : ""};
    typed said = {0};
    int lead = count_words_before_verb_get_database(words, word, &said.path);
    abdb_report report = {0};

    words -= lead;
    word += lead;
    if (words < 2) {
        for (const abdb_command *c = abdb_commands; c->name; c++)
            print_candidate_if_prefix_matches(&t, c->name, c->summary);
        return;
    }
    t.command = abdb_command_find(word[0]);
    if (!t.command) return;
    if (load_report_of_command(&report, t.command, words > 2 ? word[1] : "")) t.report = &report;
    parse_typed_database_name_and_option(&t, words, word, &said);
    t.db = open_readonly_database_or_null(said.path);
    if (said.option && said.option->argument)
        print_matching_option_values(&t, said.option);
    else if (t.word[0] == '-')
        print_matching_option_names(&t);
    else
        print_matching_positional_words(&t, !said.name);
    abdb_db_close(t.db);
    if (t.report) abdb_report_free(&report);
}

/* The scripts never evaluate abdb's output: lines are taken as they are, and quoted. */
static const struct {
    const char *shell, *script;
} scripts[] = {
    {"bash",
     "# completion of abdb for bash; it asks `abdb help --complete`\n"
     "_abdb() {\n"
     "  local -a words=() lines=()\n"
     "  local i w line current\n"
     "  for ((i = 1; i <= COMP_CWORD; i++)); do # bash splits words at =\n"
     "    w=${COMP_WORDS[i]}\n"
     "    if ((i > 1)) && [[ $w == '=' || ${COMP_WORDS[i - 1]} == '=' ]]; then\n"
     "      words[${#words[@]} - 1]+=$w\n"
     "    else\n"
     "      words+=(\"$w\")\n"
     "    fi\n"
     "  done\n"
     "  current=${words[${#words[@]} - 1]}\n"
     "  mapfile -t lines < <(abdb help --complete -- \"${words[@]}\" 2>/dev/null)\n"
     "  COMPREPLY=()\n"
     "  for line in \"${lines[@]}\"; do\n"
     "    w=${line%%$'\\t'*}\n"
     "    [[ $current == *=* ]] && w=${w:${#current}-$(w=${current##*=}; echo ${#w})}\n"
     "    COMPREPLY+=(\"$(printf %q \"$w\")\")\n"
     "  done\n"
     "  [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null\n"
     "  return 0\n"
     "}\n"
     "complete -o default -F _abdb abdb\n"},
    {"zsh", "#compdef abdb\n"
            "# completion of abdb for zsh; it asks `abdb help --complete`\n"
            "_abdb() {\n"
            "  local -a found\n"
            "  local line\n"
            "  for line in \"${(@f)$(abdb help --complete -- \"${(@)words[2,CURRENT]}\" "
            "2>/dev/null)}\"; do\n"
            "    [[ -n $line ]] && found+=(\"${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}\")\n"
            "  done\n"
            "  if (( $#found )); then _describe -o abdb found; else _files; fi\n"
            "}\n"
            "compdef _abdb abdb\n"},
    {"fish", "# completion of abdb for fish; it asks `abdb help --complete`\n"
             "complete -c abdb -a '(abdb help --complete -- (commandline -opc)[2..-1] (commandline "
             "-ct) 2>/dev/null)'\n"}};

abdb_status abdb_print_completion_script(FILE *out, const char *shell, abdb_error *err)
{
    for (size_t i = 0; i < sizeof scripts / sizeof scripts[0]; i++)
        if (strcmp(shell, scripts[i].shell) == 0) {
            (void)abdb_write_sanitized_if_terminal(out, scripts[i].script,
                                                   strlen(scripts[i].script));
            return ABDB_OK;
        }
    return ABDB_FAIL(err, ABDB_USAGE, "no completion for '%s'; there are bash, zsh and fish",
                     shell);
}

/* backend_reader.c - reads the lines of a program under test, checks each as a line and as a
 * record, and passes it to cell_validation.c, which checks its contents; see backend_reader.h. */
#include "kernels/runner/backend_reader.h"

#include <dirent.h>
#include <limits.h>
#include <math.h>
#include <pwd.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernels/runner/record_line.h"
#include "schema/core/timing.h"

/* --- rules ------------------------------------------------------------------------------------ */

static abdb_protocol_rule *find_rule_by_number(const abdb_backend_reader *t, const char *number)
{
    size_t i = 0; /* tidy.sh sees to it that each is there */

    while (i + 1 < ABDB_CLAUSES && strcmp(t->rule[i].number, number) != 0) i++;
    return &t->rule[i];
}

void abdb_rule_mark_held_if_untried(abdb_backend_reader *t, const char *number)
{
    abdb_protocol_rule *rule = find_rule_by_number(t, number);

    if (rule->state == ABDB_CLAUSE_UNTRIED) rule->state = ABDB_CLAUSE_HELD;
}

void abdb_rule_mark_broken_with_first_reason(abdb_backend_reader *t, const char *number,
                                             const char *format, ...)
{
    abdb_protocol_rule *rule = find_rule_by_number(t, number);
    va_list args;

    if (rule->state == ABDB_CLAUSE_BROKEN) return;
    rule->state = ABDB_CLAUSE_BROKEN;
    va_start(args, format);
    vsnprintf(rule->why, sizeof rule->why, format, args);
    va_end(args);
}

bool abdb_rule_is_broken(const abdb_backend_reader *t, const char *number)
{
    return find_rule_by_number(t, number)->state == ABDB_CLAUSE_BROKEN;
}

/* --- lines ------------------------------------------------------------------------------------ */

/* A control character: C0 but the tab between tokens, DEL, C1 in UTF-8. */
static bool has_control_characters_besides_tab(const char *text)
{
    for (const unsigned char *c = (const unsigned char *)text; *c; c++)
        if ((*c < ' ' && *c != '\t') || *c == 0x7F || (*c == 0xC2 && c[1] >= 0x80 && c[1] < 0xA0))
            return true;
    return false;
}

/* Does a text or a name anywhere in the value hold a control character, or a text a tab? */
static bool json_has_control_characters_or_tabs(json_t *value)
{
    const char *key;
    json_t *member;
    size_t i;

    if (json_is_string(value))
        return has_control_characters_besides_tab(json_string_value(value)) ||
               strchr(json_string_value(value), '\t');
    json_object_foreach(value, key,
                        member) if (has_control_characters_besides_tab(key) ||
                                    json_has_control_characters_or_tabs(member)) return true;
    json_array_foreach(value, i,
                       member) if (json_has_control_characters_or_tabs(member)) return true;
    return false;
}

/* What is said of any line, whatever is in it. */
static void break_byte_and_record_form_rules_of_line(abdb_backend_reader *t, const char *line,
                                                     size_t size)
{
    const char *at = line;
    json_t *value = json_loads(line, JSON_DECODE_ANY, NULL);
    int length;

    while (*at && (length = abdb_utf8_char_length(at)) > 0) at += length;
    if (strlen(line) != size)
        abdb_rule_mark_broken_with_first_reason(t, "2.3", "a line with NUL after %zu bytes",
                                                strlen(line));
    else if (*at)
        abdb_rule_mark_broken_with_first_reason(t, "2.3", "byte %zu of a line is not UTF-8",
                                                (size_t)(at - line) + 1);
    if (has_control_characters_besides_tab(line) || json_has_control_characters_or_tabs(value))
        abdb_rule_mark_broken_with_first_reason(t, "2.5", "control characters in: %.200s", line);
    if (line[strspn(line, " \t")] != '{')
        abdb_rule_mark_broken_with_first_reason(t, "2.4", "this is no record: %.200s", line);
    else if (json_is_object(value) && !*abdb_json_text_or_empty(value, "kind"))
        abdb_rule_mark_broken_with_first_reason(t, "2.1", "a record without a kind: %.200s", line);
    json_decref(value);
}

/* --- records of the program ------------------------------------------------------------------- */

/* Rule 3.2: a kernel has a name, a formula and a list of parameters that are texts. */
static void mark_rule_3_2_kernel_name_formula_params(abdb_backend_reader *t, const json_t *kernel)
{
    const char *name = abdb_json_text_or_empty(kernel, "name");
    json_t *names = json_object_get(kernel, "names"), *one;
    size_t i;

    if (!*name || !*abdb_json_text_or_empty(kernel, "formula"))
        abdb_rule_mark_broken_with_first_reason(t, "3.2", "kernel '%.60s' without %s", name,
                                                *name ? "formula" : "name");
    if (!json_is_array(names))
        abdb_rule_mark_broken_with_first_reason(
            t, "3.2", "kernel '%.60s' does not name its parameters", name);
    json_array_foreach(names, i, one) if (!json_is_string(one))
        abdb_rule_mark_broken_with_first_reason(
            t, "3.2", "kernel '%.60s': a parameter's name is no text", name);
    abdb_rule_mark_held_if_untried(t, "3.2");
}

/* Rule 3.5: each device has an id of one short word, and a name. */
static void mark_rule_3_5_device_ids_and_names(abdb_backend_reader *t, const json_t *devices)
{
    json_t *one;
    size_t i;

    if (!devices) return;
    if (!json_is_array(devices))
        abdb_rule_mark_broken_with_first_reason(t, "3.5", "devices are no array");
    json_array_foreach(devices, i, one)
    {
        const char *id = abdb_json_text_or_empty(one, "id");

        if (!*id || strpbrk(id, " ,\t") || strlen(id) > 31 ||
            !*abdb_json_text_or_empty(one, "name"))
            abdb_rule_mark_broken_with_first_reason(
                t, "3.5", "device %zu has no id that is a short word, or no name", i);
    }
    abdb_rule_mark_held_if_untried(t, "3.5");
}

/* Rules 3.1, 3.2, 3.5: hello comes first and once, names the backend as its file does, and lists
 * kernels and devices. */
static void mark_hello_rules_and_count_hellos(abdb_backend_reader *t, const json_t *hello)
{
    const char *slash = strrchr(t->how->run->path, '/'),
               *name = abdb_json_text_or_empty(hello, "backend"),
               *file = slash ? slash + 1 : t->how->run->path;
    json_t *kernels = json_object_get(hello, "kernels"), *one;
    size_t i;

    if (t->hellos++) abdb_rule_mark_broken_with_first_reason(t, "3.1", "hello twice");
    if (t->records > 1)
        abdb_rule_mark_broken_with_first_reason(t, "3.1", "hello is record %zu", t->records);
    if (!*name || !json_is_string(json_object_get(hello, "summary")) || !json_is_array(kernels))
        abdb_rule_mark_broken_with_first_reason(t, "3.1",
                                                "hello lacks backend, summary or kernels");
    if (strncmp(file, "abdb-run-", 9) == 0 && strcmp(file + 9, name) != 0)
        abdb_rule_mark_broken_with_first_reason(t, "3.1", "the program %s calls itself '%.60s'",
                                                file, name);
    json_array_foreach(kernels, i, one) mark_rule_3_2_kernel_name_formula_params(t, one);
    mark_rule_3_5_device_ids_and_names(t, json_object_get(hello, "devices"));
    abdb_rule_mark_held_if_untried(t, "3.1");
    abdb_rule_mark_held_if_untried(t, "7.1");
}

/* Does a text name this host, its user or a folder of his? As a whole word: other names may hold a
 * short one. */
static bool names_host_user_or_home(const char *value)
{
    char host[256] = "";
    const struct passwd *user = getpwuid(geteuid());
    const char *words[3] = {host, user && strcmp(user->pw_name, "root") != 0 ? user->pw_name : "",
                            user ? user->pw_dir : ""};

    gethostname(host, sizeof host - 1);
    for (size_t i = 0; i < 3; i++) {
        size_t size = strlen(words[i]);

        for (const char *at = value; size > 1 && (at = strstr(at, words[i])); at++) {
            bool begins = at == value || !strchr("abcdefghijklmnopqrstuvwxyz0123456789-", at[-1]);
            bool ends = !at[size] || !strchr("abcdefghijklmnopqrstuvwxyz0123456789-", at[size]);

            if (begins && ends) return true;
        }
    }
    return false;
}

/* Rule 3.3: the environment is an object, and none of its texts names this host, user or home. */
static void mark_rule_3_3_no_host_user_or_home_names(abdb_backend_reader *t, const json_t *record)
{
    const json_t *environment = json_object_get(record, "environment");
    const char *key;
    json_t *value;

    if (!json_is_object(environment))
        abdb_rule_mark_broken_with_first_reason(t, "3.3", "it is no object");
    json_object_foreach((json_t *)(size_t)environment, key,
                        value) if (json_is_string(value) &&
                                   names_host_user_or_home(json_string_value(value)))
        abdb_rule_mark_broken_with_first_reason(t, "3.3", "%s names this host, user or home", key);
    abdb_rule_mark_held_if_untried(t, "3.3");
}

/* Rule 3.4: a device has a name, a clock with its resolution, and threads. */
static void mark_rule_3_4_device_name_clock_threads(abdb_backend_reader *t, const json_t *device)
{
    const json_t *threads = json_object_get(device, "threads"),
                 *step = json_object_get(device, "clock_resolution_s");

    if (!*abdb_json_text_or_empty(device, "name") || !*abdb_json_text_or_empty(device, "clock"))
        abdb_rule_mark_broken_with_first_reason(t, "3.4", "a device without name or clock");
    if (!json_is_integer(threads) || json_integer_value(threads) < 1)
        abdb_rule_mark_broken_with_first_reason(t, "3.4", "threads are no whole number above 0");
    if (!json_is_number(step) || !(json_number_value(step) > 0))
        abdb_rule_mark_broken_with_first_reason(t, "3.4",
                                                "clock_resolution_s is no number above 0");
    abdb_rule_mark_held_if_untried(t, "3.4");
}

/* --- records of a cell, beyond what cell_validation.c refuses
 * -------------------------------------------- */

/* Rules 4.4, 4.6: samples are numbered in order, their times do not go back, and none follows
 * the result. */
static void mark_sample_order_rules_and_count(abdb_backend_reader *t, const json_t *sample)
{
    const json_t *seq = json_object_get(sample, "seq"), *at = json_object_get(sample, "t_s");

    if (t->validation.result)
        abdb_rule_mark_broken_with_first_reason(t, "4.6", "a sample after the result");
    if (!json_is_integer(seq) || json_integer_value(seq) != (json_int_t)t->samples)
        abdb_rule_mark_broken_with_first_reason(t, "4.4", "sample %zu has another seq", t->samples);
    if (!json_is_number(at) || json_number_value(at) < t->last_t_s)
        abdb_rule_mark_broken_with_first_reason(
            t, "4.4", "sample %zu has no t_s, or one before the last", t->samples);
    t->last_t_s = json_number_value(at);
    t->samples++;
}

/* Rules 4.5, 4.13: a cell that is not ok says why; the samples of one that is take no longer
 * together than has passed. */
static void mark_end_reason_and_total_time_rules(abdb_backend_reader *t, const json_t *end)
{
    const json_t *batch = json_object_get(t->validation.result, "batch");
    double launches = json_is_number(batch) ? json_number_value(batch) : 1,
           passed_s = abdb_monotonic_seconds() - t->validation.asked_s;

    if (strcmp(abdb_json_text_or_empty(end, "status"), "ok") != 0) {
        if (!*abdb_json_text_or_empty(end, "reason"))
            abdb_rule_mark_broken_with_first_reason(t, "4.13", "it says %s without a reason",
                                                    abdb_json_text_or_empty(end, "status"));
        return;
    }
    if (t->validation.all_s * launches > passed_s)
        abdb_rule_mark_broken_with_first_reason(
            t, "4.5", "samples of %.3g s together, where %.3g s had passed",
            t->validation.all_s * launches, passed_s);
}

/* A record by its kind; a kind that nobody knows is nothing. */
static void count_record_and_mark_rules_of_its_kind(abdb_backend_reader *t, const json_t *record)
{
    static const struct {
        const char *kind;
        void (*check)(abdb_backend_reader *t, const json_t *record);
    } checks[] = {{"hello", mark_hello_rules_and_count_hellos},
                  {"environment", mark_rule_3_3_no_host_user_or_home_names},
                  {"device", mark_rule_3_4_device_name_clock_threads},
                  {"sample", mark_sample_order_rules_and_count},
                  {"end", mark_end_reason_and_total_time_rules},
                  {NULL, NULL}};

    snprintf(t->kind, sizeof t->kind, "%.31s", abdb_json_text_or_empty(record, "kind"));
    if (strcmp(t->kind, "span") == 0) abdb_rule_mark_held_if_untried(t, "4.18");
    if (strcmp(t->kind, "metric") == 0) abdb_rule_mark_held_if_untried(t, "4.19");
    if (strcmp(t->kind, "result") == 0 && json_object_get(record, "ranks"))
        abdb_rule_mark_held_if_untried(t, "4.20");
    t->records++;
    if (t->records == 1 && strcmp(t->kind, "hello") != 0)
        abdb_rule_mark_broken_with_first_reason(t, "3.1", "its first record is '%s'", t->kind);
    if (t->bye) abdb_rule_mark_broken_with_first_reason(t, "6.1", "'%s' after bye", t->kind);
    t->bye |= strcmp(t->kind, "bye") == 0;
    t->no_device |= strcmp(t->kind, "no-device") == 0;
    for (size_t i = 0; checks[i].kind; i++)
        if (strcmp(checks[i].kind, t->kind) == 0) checks[i].check(t, record);
}

/* One line. */
static void mark_line_rules_and_validate_record(abdb_backend_reader *t, const char *line)
{
    abdb_error err = {.message = ""};
    char why[160];
    bool broken;
    json_t *record = abdb_parse_record_blanking_controls(line, &broken, why);

    if (t->bye && !record)
        abdb_rule_mark_broken_with_first_reason(t, "6.1", "after bye it says: %.200s", line);
    break_byte_and_record_form_rules_of_line(t, line, t->child.line.size);
    *t->kind = '\0';
    if (record) count_record_and_mark_rules_of_its_kind(t, record);
    if (abdb_validate_and_apply_record_line(&t->validation, t->how->run->path, line, &err) !=
        ABDB_OK)
        abdb_rule_mark_broken_with_first_reason(t, "7.1", "%s", err.message);
    if (t->validation.rejected)
        abdb_rule_mark_broken_with_first_reason(t, t->validation.rule, "%s",
                                                strchr(t->validation.reason, ')') + 3);
    json_decref(record);
}

abdb_reader_outcome abdb_reader_check_lines_until_kind(abdb_backend_reader *t, const char *kinds,
                                                       double max_silence_s, double max_total_s)
{
    double begin_s = abdb_monotonic_seconds(), heard_s = begin_s;

    for (;;) {
        char *line;
        abdb_child_event heard = abdb_child_read_line_or_event(&t->child, 0.05, &line);
        double now = abdb_monotonic_seconds();

        if (heard == ABDB_UNHEARD && t->read_error.status == ABDB_OK)
            t->read_error.status =
                abdb_child_fail_with_read_error(&t->child, t->how->run->path, &t->read_error);
        if (heard == ABDB_ENDED || heard == ABDB_UNHEARD) return ABDB_GONE;
        if (heard != ABDB_QUIET) heard_s = now;
        if (t->ending) heard = ABDB_QUIET;
        if (heard == ABDB_TOO_LONG)
            abdb_rule_mark_broken_with_first_reason(t, "2.2", "a line that begins with: %.80s",
                                                    line);
        if (heard == ABDB_LINE) mark_line_rules_and_validate_record(t, line);
        if (t->read_error.status == ABDB_OK)
            t->read_error.status = abdb_challenge_send_seed_if_ready(
                &t->validation.challenge, t->samples, &t->child, &t->read_error);
        if (heard == ABDB_LINE && *t->kind &&
            abdb_list_has_word(kinds, ' ', t->kind, strlen(t->kind)))
            return ABDB_FOUND;
        if (*t->child.stop || now - heard_s > max_silence_s || now - begin_s > max_total_s)
            return ABDB_SILENT;
    }
}

/* --- a start ---------------------------------------------------------------------------------- */

abdb_status abdb_reader_reset_and_start_backend(abdb_backend_reader *t, const char *verb,
                                                abdb_error *err)
{
    static const abdb_cell none = {.kernel = "", .name = ""};

    t->bye = t->no_device = t->ending = false;
    t->records = t->hellos = 0;
    t->wait_status = 0;
    abdb_discard_process_records(&t->validation);
    abdb_reset_validation_for_cell(&t->validation, &none);
    return abdb_child_start_backend_with_pipes(&t->child, t->how->run, verb, err);
}

/* Processes of its group besides itself. */
static size_t count_other_live_processes_in_group(pid_t group)
{
    DIR *dir = opendir("/proc");
    struct dirent *entry;
    size_t count = 0;

    while (dir && (entry = readdir(dir))) {
        char path[300], state[512] = "", *after;
        unsigned long long parent = 0, of = 0;
        FILE *file;

        if (*entry->d_name < '0' || *entry->d_name > '9' ||
            abdb_digits_parse_prefix_up_to_max_or(entry->d_name, LONG_MAX, 0) == group)
            continue;
        snprintf(path, sizeof path, "/proc/%.20s/stat", entry->d_name);
        file = fopen(path, "r");
        if (!file) continue;
        /* "pid (name) state parent group": a name may hold anything. */
        after = fgets(state, sizeof state, file) ? strrchr(state, ')') : NULL;
        fclose(file);
        if (!after || strlen(after) < 5 || after[2] == 'Z') continue;
        after += 4 + abdb_digits_parse_prefix(after + 4, 10, &parent);
        (void)abdb_digits_parse_prefix(after, 10, &of);
        count += parent > 0 && of == (unsigned long long)group;
    }
    if (dir) closedir(dir);
    return count;
}

void abdb_reader_kill_backend(abdb_backend_reader *t)
{
    if (t->child.process.pid) (void)abdb_child_terminate_group_and_reap(&t->child);
}

void abdb_reader_close_and_check_exit_rules(abdb_backend_reader *t)
{
    pid_t group = t->child.process.pid;
    size_t left;
    int status;

    if (!group) return;
    close(t->child.process.in);
    t->child.process.in = -1;
    if (!t->bye) (void)abdb_reader_check_lines_until_kind(t, "bye", ABDB_GRACE_S, ABDB_GRACE_S);
    if (!t->bye)
        abdb_rule_mark_broken_with_first_reason(t, "6.1",
                                                "at the end of its input it does not say bye");
    (void)abdb_reader_check_lines_until_kind(t, NULL, ABDB_GRACE_S,
                                             ABDB_GRACE_S); /* whatever it still says */
    if (!abdb_program_wait_until_ended(&t->child.process, ABDB_GRACE_S, NULL)) {
        abdb_rule_mark_broken_with_first_reason(t, "1.3", "it runs on, %d s after bye",
                                                ABDB_GRACE_S);
        abdb_reader_kill_backend(t);
        return;
    }
    left = count_other_live_processes_in_group(group);
    if (left)
        abdb_rule_mark_broken_with_first_reason(t, "1.3", "it leaves %zu processes behind", left);
    status = t->wait_status = abdb_child_close_stdin_await_exit_or_kill(&t->child);
    if (!left && *t->child.process.escaped)
        abdb_rule_mark_broken_with_first_reason(t, "1.3", "it leaves processes behind: %s",
                                                t->child.process.escaped);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        abdb_rule_mark_broken_with_first_reason(
            t, "1.3", "it ends with %s %d", WIFEXITED(status) ? "code" : "signal",
            WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
    abdb_rule_mark_held_if_untried(t, "1.3");
    abdb_rule_mark_held_if_untried(t, "6.1");
}

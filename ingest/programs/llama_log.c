/* llama_log.c - lines before the values of programs of llama.cpp; see llama_log.h. */
#include "ingest/programs/llama_log.h"

#include <ctype.h>
#include <string.h>

const char *llama_log_text_behind_time(const char *text)
{
    size_t time = strspn(text, "0123456789.");

    if (time < 9 || text[time] != ' ' || !isupper((unsigned char)text[time + 1]) ||
        text[time + 2] != ' ')
        return text;
    return text + time + 3 + strspn(text + time + 3, " ");
}

/* Options that say where and how the program ran, not what it measured. */
static bool is_unimportant_option(const char *name)
{
    static const char *const names[] = {
        "t",      "threads",  "seed", "s", "kl-divergence-base", "kl_divergence_base",
        "logdir", "log-file", NULL};

    return abdb_text_is_in_list(name, names);
}

static const char *basename_of(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

void llama_log_store_options_of_command(llama_log *log, abdb_arena *arena, const text_line *line)
{
    for (size_t i = 0; i + 1 < line->words; i++) {
        const char *word = line->word[i], *value = line->word[i + 1];
        const char *name = word + strspn(word, "-");

        if (*word != '-' || !*name || isdigit((unsigned char)*name) || *value == '\\') continue;
        if (*value == '-' && !isdigit((unsigned char)value[1])) value = "1"; /* a switch */
        if (strcmp(name, "m") == 0 || strcmp(name, "model") == 0)
            log->model_file =
                abdb_arena_copy(arena, basename_of(value), strlen(basename_of(value)));
        else if (strcmp(name, "f") == 0 || strcmp(name, "file") == 0)
            abdb_settings_set_or_count_lost(&log->settings, arena, "corpus", 6, basename_of(value),
                                            (int)strlen(basename_of(value)));
        else if (!is_unimportant_option(name))
            abdb_settings_set_or_count_lost(&log->settings, arena, name, (int)strlen(name), value,
                                            (int)strlen(value));
    }
}

void llama_log_store_build_of_line(llama_log *log, abdb_arena *arena, const char *text)
{
    const char *number = text + strcspn(text, "0123456789"), *commit;
    size_t digits = strspn(number, "0123456789"), size;
    const char *software;

    if (!digits || strncmp(number + digits, " (", 2) != 0) return;
    commit = number + digits + 2;
    size = strspn(commit, "0123456789abcdef");
    if (!size || commit[size] != ')') return;
    software =
        abdb_arena_printf(arena, "llama.cpp %.*s (%.*s)", (int)size, commit, (int)digits, number);
    abdb_settings_set_or_count_lost(&log->settings, arena, "software", 8, software,
                                    (int)strlen(software));
}

void llama_log_store_property_of_model(llama_log *log, abdb_arena *arena, const char *text)
{
    static const char *const begins[] = {"print_info: ", "llm_load_print_meta: "};
    const char *key = NULL, *equals;
    char *value;
    size_t size;

    for (size_t i = 0; i < 2; i++)
        if (strncmp(text, begins[i], strlen(begins[i])) == 0) key = text + strlen(begins[i]);
    equals = key ? strstr(key, " = ") : NULL;
    if (!equals) return;
    size = (size_t)(equals - key);
    while (size && key[size - 1] == ' ') size--;
    value = abdb_arena_copy(arena, equals + 3, strlen(equals + 3));
    if (!value) return;
    if (strstr(value, " (guessed)")) *strstr(value, " (guessed)") = '\0';
    value = abdb_trim_in_place(value);
    if (strncmp(value, "mostly ", 7) == 0) value += 7;
    if (strncmp(key, "arch", size) == 0 && size == 4)
        log->architecture = value;
    else if (strncmp(key, "model type", size) == 0 && size == 10)
        log->size = value;
    else if ((strncmp(key, "file type", size) == 0 && size == 9) ||
             (strncmp(key, "model ftype", size) == 0 && size == 11))
        log->format = value;
    else if (strncmp(key, "general.name", size) == 0 && size == 12)
        log->name = value;
    else if (!memmem(key, size, "token", 5)) /* which are those of its vocabulary */
        abdb_settings_set_or_count_lost(&log->settings, arena, key, (int)size, value,
                                        (int)strlen(value));
}

const char *llama_log_model_or_null(const llama_log *log, abdb_arena *arena)
{
    size_t size = log->model_file ? strlen(log->model_file) : 0;

    if (log->architecture && log->size && log->format)
        return abdb_arena_printf(arena, "%s %s %s", log->architecture, log->size, log->format);
    if (log->name) return log->name;
    if (size > 5 && strcmp(log->model_file + size - 5, ".gguf") == 0) size -= 5;
    return size ? abdb_arena_copy(arena, log->model_file, size) : NULL;
}

void llama_log_add_to_entry(const llama_log *log, abdb_arena *arena, abdb_entry *entry)
{
    entry->field[ABDB_FIELD_model] = llama_log_model_or_null(log, arena);
    entry->field[ABDB_FIELD_dtype] = log->format;
    if (log->architecture && log->size && log->format) {
        abdb_entry_add_factor_parsing_number(entry, "general.name", log->name);
        abdb_entry_add_factor_parsing_number(entry, "model_filename", log->model_file);
    }
    abdb_entry_add_settings_as_factors(entry, &log->settings, NULL, arena);
}

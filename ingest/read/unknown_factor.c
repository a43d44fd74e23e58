/* unknown_factor.c - see unknown_factor.h. */
#include "ingest/read/unknown_factor.h"

#include <ctype.h>
#include <fnmatch.h>
#include <string.h>

enum { NAME_MAX_BYTES = 120 };

bool abdb_name_matches_ignored_pattern(const char *name, const char *const *ignored)
{
    for (; ignored && *ignored; ignored++)
        if (fnmatch(*ignored, name, 0) == 0) return true;
    return false;
}

/* Letters that a selection or a table of factors reads otherwise become one '_'. */
static const char *factor_name_with_underscores_or_null(const char *name, abdb_arena *arena)
{
    static const char other[] = " \t\r\n\"'`,;:=|<>()[]{}!*?\\";
    size_t size = strnlen(name, NAME_MAX_BYTES), kept = 0;
    char *out;

    if (strcspn(name, other) == size && !name[size]) return name;
    out = abdb_arena_copy(arena, name, size);
    for (size_t i = 0; out && i < size; i++) {
        bool plain = !strchr(other, name[i]);

        if (plain || (kept && out[kept - 1] != '_')) out[kept++] = plain ? name[i] : '_';
    }
    while (kept && out[kept - 1] == '_') kept--;
    if (out) out[kept] = '\0';
    return out && kept ? out : NULL;
}

/* Columns of every result, beside the fields: compare asks them and no factor of that name. */
static bool is_reserved_factor_name(const char *name)
{
    static const char *const names[] = {"benchmark",
                                        "metric",
                                        "metric_class",
                                        "statistic",
                                        "rank",
                                        "x",
                                        "unit",
                                        "artifact",
                                        "locator",
                                        "raw_value",
                                        "raw_unit",
                                        "formula",
                                        "verdict",
                                        "round_order",
                                        "raw_device",
                                        "raw_model",
                                        "per",
                                        "accuracy_target",
                                        "compatibility",
                                        "power_submission",
                                        "averaged",
                                        "inferred",
                                        NULL};
    /* Roles of data/rules/workloads.csv by which a difference is not said. */
    static const char *const spoken_for[] = {"label",
                                             "commit",
                                             "branch",
                                             "dirty",
                                             "bound",
                                             "ceiling",
                                             "resident",
                                             "checked",
                                             "url",
                                             "notes",
                                             "location",
                                             "command",
                                             "user_s",
                                             "system_s",
                                             "repetition_index",
                                             "sample_unit",
                                             "sample_launches",
                                             "threads_asked",
                                             "launches",
                                             "provider",
                                             "chosen",
                                             "library",
                                             "clock",
                                             "core_type_asked",
                                             "parameters",
                                             "task",
                                             "accelerator",
                                             "operating_system",
                                             NULL};

    return abdb_field_index_by_name(name) >= 0 || abdb_text_is_in_list(name, names) ||
           abdb_text_is_in_list(name, spoken_for);
}

void abdb_entry_add_renamed_extra_factor_unless_ignored(abdb_entry *entry, const char *name,
                                                        const char *text, abdb_decimal_mark mark,
                                                        const char *const *ignored,
                                                        abdb_arena *arena)
{
    const char *own;
    const abdb_factor *there;

    if (!name || !*name || !text || !*text || abdb_name_matches_ignored_pattern(name, ignored))
        return;
    own = factor_name_with_underscores_or_null(name, arena);
    there = own ? abdb_entry_find_factor(entry, own) : NULL;
    if (there && strcmp(there->text, text) == 0) return;
    if (own && (there || is_reserved_factor_name(own)))
        own = abdb_arena_printf(arena, "%s.in_file", own);
    if (!own || abdb_entry_find_factor(entry, own)) {
        entry->factors_left_out++;
        return;
    }
    abdb_entry_add_factor_normalizing_number(entry, own, text, mark, arena);
}

/* --- settings of a console -------------------------------------------------------------------- */

void abdb_settings_set_or_count_lost(abdb_settings *settings, abdb_arena *arena, const char *name,
                                     int name_size, const char *text, int text_size)
{
    char *key = abdb_arena_printf(arena, "%.*s", name_size, name);
    char *value = abdb_arena_printf(arena, "%.*s", text_size, text);
    size_t i = 0;

    if (key) key = abdb_trim_in_place(key);
    if (value) value = abdb_trim_in_place(value);
    if (!key || !value || !*key || !*value) return;
    while (i < settings->count && strcmp(settings->item[i].name, key) != 0) i++;
    if (i == ABDB_SETTINGS_MAX) {
        settings->lost++;
        return;
    }
    settings->item[i].name = key;
    settings->item[i].text = value;
    settings->count += i == settings->count;
}

bool abdb_settings_add_key_value_if_line_has_one(abdb_settings *settings, abdb_arena *arena,
                                                 const char *line)
{
    enum { WORDS_MAX = 5 };
    size_t size, blanks = 0;

    line += strspn(line, "# \t");
    size = strcspn(line, ":=");
    for (size_t i = 1; i < size; i++) blanks += line[i] == ' ' && line[i - 1] != ' ';
    if (!isalpha((unsigned char)*line) || !line[size] || blanks > WORDS_MAX ||
        (line[size] == ':' && line[size + 1] != ' ' && line[size + 1] != '\t') ||
        memchr(line, '(', size) || memchr(line, '[', size))
        return false;
    abdb_settings_set_or_count_lost(settings, arena, line, (int)size, line + size + 1,
                                    (int)strlen(line + size + 1));
    return true;
}

void abdb_settings_add_bracketed_pairs_of_line(abdb_settings *settings, abdb_arena *arena,
                                               const char *line)
{
    while ((line = strchr(line, '['))) {
        size_t key = strcspn(++line, ":]"), value;

        if (line[key] != ':') continue;
        value = strcspn(line + key + 1, "]");
        abdb_settings_set_or_count_lost(settings, arena, line, (int)key, line + key + 1,
                                        (int)value);
        line += key + value;
    }
}

void abdb_settings_add_named_numbers_of_line(abdb_settings *settings, abdb_arena *arena,
                                             const char *line)
{
    const char *key = line + strspn(line, "# \t");

    for (const char *word = key; *word; word += strspn(word, " \t")) {
        size_t size = strcspn(word, " \t");

        if (word > key && isdigit((unsigned char)word[*word == '-' || *word == '+'])) {
            int length = (int)(word - key);

            while (length && strchr(": \t", key[length - 1])) length--;
            abdb_settings_set_or_count_lost(settings, arena, key, length, word, (int)size);
            key = word + size + strspn(word + size, " \t");
        }
        word += size;
    }
}

void abdb_entry_add_settings_as_factors(abdb_entry *entry, const abdb_settings *settings,
                                        const char *const *ignored, abdb_arena *arena)
{
    for (size_t i = 0; i < settings->count; i++)
        abdb_entry_add_renamed_extra_factor_unless_ignored(entry, settings->item[i].name,
                                                           settings->item[i].text,
                                                           ABDB_MARK_UNKNOWN, ignored, arena);
    entry->factors_left_out += settings->lost;
}

/* llama_test.c - names of llama-bench: of models and of tests; see llama_test.h. */
#include "ingest/programs/llama_test.h"

#include <string.h>

const char *abdb_llama_weight_format_of_model_name(abdb_arena *arena, const char *model)
{
    for (const char *s = model; s && *s; s += strcspn(s, " "), s += *s == ' ') {
        size_t size = strcspn(s, " ");

        /* The size is a word such as "7B", "30B.A3B" (a mixture of experts) or "?B". */
        if (size > 1 && (strncmp(s + size - 1, "B", 1) == 0 || memmem(s, size, "B.A", 3)) &&
            strcspn(s, "0123456789?") < size && s[size])
            return abdb_arena_copy(arena, s + size + 1, strlen(s + size + 1));
    }
    return NULL;
}

const char *abdb_llama_scenario_of_token_counts(double prompt, double generated)
{
    if (prompt > 0 && generated > 0) return "prompt and generation";
    return prompt > 0 ? "prompt" : "generation";
}

/* "tg64@pp8192": generation alone is timed, behind a prompt (-gp of ik_llama.cpp). */
static const char *scenario_of_test_cell(const char *test, const double value[3])
{
    if (strncmp(test, "tg", 2) == 0 && value[0] > 0) return "generation behind a prompt";
    return abdb_llama_scenario_of_token_counts(value[0], value[1]);
}

bool abdb_llama_parse_test_into_entry(abdb_entry *entry, abdb_arena *a, const char *test)
{
    /* pp, tg and d: prompt, generated, depth. */
    double value[3] = {0, 0, 0};
    static const char *const names[] = {"n_prompt", "n_gen", "n_depth"};

    for (const char *s = test; *s;) {
        int which = strncmp(s, "pp", 2) == 0   ? 0
                    : strncmp(s, "tg", 2) == 0 ? 1
                    : *s == 'd'                ? 2
                                               : -1;
        size_t digits;

        if (which < 0) return false;
        s += which < 2 ? 2 : 1;
        digits = abdb_double_parse_prefix(s, &value[which]);
        if (!digits) return false;
        s += digits + strspn(s + digits, " +@");
    }
    if (!(value[0] > 0) && !(value[1] > 0)) return false;
    entry->field[ABDB_FIELD_scenario] = scenario_of_test_cell(test, value);
    for (int i = 0; i < 3; i++)
        abdb_entry_add_factor_parsing_number(entry, names[i],
                                             abdb_arena_printf(a, "%.0f", value[i]));
    return true;
}

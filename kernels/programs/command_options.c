/* command_options.c - see command_options.h. abdb run checks the values before they come here. */
#include "kernels/programs/command_options.h"

#include <string.h>

#include "schema/core/number.h"

/* The value of an option that is the word; NULL: it is another. */
static const char *value_of_option(const char *word, const char *option)
{
    size_t size = strlen(option);

    return strncmp(word, option, size) == 0 && word[size] == '=' ? word + size + 1 : NULL;
}

size_t abdb_command_options_parse(abdb_command_options *out, char *const *words, size_t count)
{
    size_t end = 0, i;

    *out = (abdb_command_options){0};
    while (end < count && strncmp(words[end], "--", 2) == 0 && words[end][2]) end++;
    if (end == count || strcmp(words[end], "--") != 0) return 0;
    for (i = 0; i < end; i++) {
        const char *value;
        long long number;

        if ((value = value_of_option(words[i], "--setup")))
            out->setup = value;
        else if ((value = value_of_option(words[i], "--prepare")))
            out->prepare = value;
        else if ((value = value_of_option(words[i], "--cleanup")))
            out->cleanup = value;
        else if ((value = value_of_option(words[i], "--output")))
            out->output = value;
        else if ((value = value_of_option(words[i], "--metric-from"))) {
            if (out->metrics < ABDB_COMMAND_METRICS) out->metric[out->metrics++] = value;
        } else if ((value = value_of_option(words[i], "--warmup"))) {
            if (abdb_integer_parse_in_range(value, ABDB_MARK_POINT, 0, 1000, &number))
                out->warmup = (int)number;
        } else if (strcmp(words[i], "--ignore-failure") == 0)
            out->ignore_failure = true;
    }
    return end + 1;
}

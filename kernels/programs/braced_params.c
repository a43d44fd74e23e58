/* braced_params.c - {KEY} in the words of a measured program. */
#include <stdlib.h>
#include <string.h>

#include "kernels/programs/braced_params.h"
#include "schema/core/fixed_text.h"
#include "schema/core/text.h"

/* The parameter of {KEY} at s, or NULL. */
static const char *value_of_braced_param(const char *s, const json_t *params)
{
    const char *end = *s == '{' ? strchr(s, '}') : NULL;
    char key[64];

    if (!end || !abdb_format_if_fits(key, sizeof key, "%.*s", (int)(end - s - 1), s + 1))
        return NULL;
    return json_string_value(json_object_get(params, key));
}

char *abdb_copy_word_substituting_braced_params(const char *word, const json_t *params)
{
    abdb_text out = {0};
    char *copy;

    while (*word) {
        const char *value = value_of_braced_param(word, params);
        size_t size = *word == '{' && !value_of_braced_param(word + 1, params)
                          ? abdb_braced_name_length(word + 1)
                          : 0;

        if (value) {
            abdb_text_puts(&out, value);
            word = strchr(word, '}') + 1;
        } else if (size && word[1 + size] == '}') {
            abdb_text_add(&out, word + 1, size);
            word += 1 + size + 1;
        } else
            abdb_text_add(&out, word++, 1);
    }
    copy = out.failed ? NULL : strdup(abdb_text_get(&out));
    abdb_text_free(&out);
    return copy;
}

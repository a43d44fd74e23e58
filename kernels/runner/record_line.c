/* record_line.c - one line of a backend as a record: JSON in, an object with plain texts out. What
 * a backend prints ends on terminals and in reports, so control characters (which can move a cursor
 * or hide text) are taken out here, before anything else sees them. See record_line.h. */
#include "kernels/runner/record_line.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "schema/core/error.h"

/* Control characters (C0, DEL, C1 in UTF-8) become blanks, in place. */
static void blank_control_characters_in_place(char *text)
{
    unsigned char *from = (unsigned char *)text, *to = from;

    for (; *from; from++) {
        bool c1 = from[0] == 0xC2 && from[1] >= 0x80 && from[1] < 0xA0;

        from += c1;
        *to++ = c1 || *from < ' ' || *from == 0x7F ? ' ' : *from;
    }
    *to = '\0';
}

/* What is left out for want of memory must not look as if a backend had not said it. */
static char *copy_text_or_count_allocation_failure(const char *text)
{
    char *copy = strdup(text);

    if (!copy) abdb_count_allocation_failure();
    return copy;
}

/* A copy whose texts and names are plain: a new reference. */
static json_t *copy_json_blanking_controls(json_t *value)
{
    json_t *copy, *member;
    const char *key;
    size_t i;

    if (json_is_string(value)) {
        char *text = copy_text_or_count_allocation_failure(json_string_value(value));

        if (text) blank_control_characters_in_place(text);
        copy = text ? json_string(text) : NULL;
        free(text);
        return copy;
    }
    if (!json_is_array(value) && !json_is_object(value)) return json_incref(value);
    copy = json_is_array(value) ? json_array() : json_object();
    json_array_foreach(value, i, member)
        json_array_append_new(copy, copy_json_blanking_controls(member));
    json_object_foreach(value, key, member)
    {
        char *name = copy_text_or_count_allocation_failure(key);

        if (name) blank_control_characters_in_place(name);
        if (name) json_object_set_new(copy, name, copy_json_blanking_controls(member));
        free(name);
    }
    return copy;
}

json_t *abdb_parse_record_blanking_controls(const char *line, bool *broken, char why[160])
{
    json_error_t fault;
    json_t *record = json_loads(line, JSON_REJECT_DUPLICATES, &fault), *plain = NULL;

    *broken = false;
    if (json_is_object(record)) plain = copy_json_blanking_controls(record);
    if (!record && line[strspn(line, " \t")] == '{') {
        *broken = true;
        snprintf(why, 160, "%.159s", fault.text);
        blank_control_characters_in_place(why);
    }
    json_decref(record);
    return plain;
}

const char *abdb_json_text_or_empty(const json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));

    return text ? text : "";
}

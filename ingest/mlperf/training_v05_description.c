/* training_v05_description.c - descriptions of training v0.5 and v0.6; see
 * training_v05_description.h.
 *
 * How real files disagree. v0.5 has results/SYSTEM/entry.json with a list of nodes; its
 * num_accelerators counts one node's, or all where the accelerator is called "tpuv3-512". Of
 * v0.6 some are JSON as today, some like an entry of v0.5, others lines "key: {JSON}" whose entry
 * is a Python dictionary as text.
 */
#include "ingest/mlperf/training_v05_description.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/mlperf/training_v05_log.h"
#include "ingest/read/flat_records.h"
#include "ingest/read/text_lines.h"

/* Names of an entry, and their names in today's descriptions. */
static const struct {
    const char *old, *name;
} names[] = {{"hardware", "system_name"},
             {"framework", "framework"},
             {"os", "operating_system"},
             {"division", "division"},
             {"status", "status"},
             {"num_nodes", "number_of_nodes"},
             {"cpu", "host_processor_model_name"},
             {"num_cores", "host_processor_core_count"},
             {"accelerator", "accelerator_model_name"},
             {"num_accelerators", "accelerators_per_node"}};
enum { NAMES = sizeof names / sizeof names[0] };

static bool is_absent_value(const char *name, const char *text)
{
    return !*text || strcmp(text, "-") == 0 || strcmp(text, "NA") == 0 ||
           (strcmp(name, "accelerators_per_node") == 0 && strcmp(text, "0") == 0);
}

/* "2x Intel(R) Xeon(R) ...": sockets and processor. */
static abdb_status add_sockets_and_processor(abdb_mlperf_values *out, const char *text,
                                             abdb_error *err)
{
    size_t digits = strspn(text, "0123456789");
    char sockets[16];
    abdb_status st = ABDB_OK;

    if (digits && digits < 4 && strncmp(text + digits, "x ", 2) == 0) {
        snprintf(sockets, sizeof sockets, "%.*s", (int)digits, text);
        TRY(abdb_mlperf_append_trimmed_value_or_count_lost(out, "host_processors_per_node", sockets,
                                                           err));
        text += digits + 2;
    }
    TRY(abdb_mlperf_append_trimmed_value_or_count_lost(out, "host_processor_model_name", text,
                                                       err));
done:
    return st;
}

static abdb_status add_value_unless_absent_or_repeated(abdb_mlperf_values *out, const char *name,
                                                       const char *text, abdb_error *err)
{
    if (is_absent_value(name, text) || abdb_mlperf_get_first_value(out, name)) return ABDB_OK;
    return strcmp(name, "host_processor_model_name") == 0
               ? add_sockets_and_processor(out, text, err)
               : abdb_mlperf_append_trimmed_value_or_count_lost(out, name, text, err);
}

/* Adds the members of a description of v0.5 under the names that later rounds use. */
static abdb_status add_old_members_under_current_names(abdb_mlperf_values *out,
                                                       const json_t *object, abdb_error *err)
{
    abdb_status st = ABDB_OK;
    char number[32];

    for (size_t i = 0; i < NAMES; i++) {
        const json_t *value = json_object_get(object, names[i].old);
        const char *text = json_string_value(value);

        if (json_is_integer(value)) {
            snprintf(number, sizeof number, "%lld", (long long)json_integer_value(value));
            text = number;
        }
        if (text) TRY(add_value_unless_absent_or_repeated(out, names[i].name, text, err));
    }
done:
    return st;
}

/* An accelerator called "tpuv3-512" counts all of its 512, not the 16 of one of 32 nodes. */
static void divide_total_accelerators_by_nodes(abdb_mlperf_values *out)
{
    const char *name = abdb_mlperf_get_first_value(out, "accelerator_model_name"),
               *each = abdb_mlperf_get_first_value(out, "accelerators_per_node"),
               *nodes = abdb_mlperf_get_first_value(out, "number_of_nodes"),
               *mark = name ? strrchr(name, '-') : NULL;
    long long all, over;

    if (!mark || !each || !nodes || strcmp(mark + 1, each) != 0 ||
        !abdb_integer_parse_in_range(each, ABDB_MARK_POINT, 0, INT_MAX, &all) ||
        !abdb_integer_parse_in_range(nodes, ABDB_MARK_POINT, 1, INT_MAX, &over) || all % over)
        return;
    for (size_t i = 0; i < out->pairs; i++)
        if (strcmp(out->pair[i].key, "accelerators_per_node") == 0)
            out->pair[i].text = abdb_arena_printf(out->arena, "%lld", all / over);
}

abdb_status abdb_mlperf_append_values_of_v05_entry(abdb_mlperf_values *out, const abdb_input *in,
                                                   abdb_error *err)
{
    json_t *root = NULL;
    const json_t *nodes;
    abdb_status st = ABDB_OK;

    TRY(abdb_flat_parse_json_document_quoting_nan(&root, in, err));
    if (!json_is_object(root)) TRY(ABDB_FAIL(err, ABDB_DATA, "line 1: not a JSON object"));
    nodes = json_object_get(root, "nodes");
    if (json_array_size(nodes) > 1)
        TRY(ABDB_FAIL(err, ABDB_DATA, "line 1: %zu kinds of nodes, not one",
                      json_array_size(nodes)));
    TRY(add_old_members_under_current_names(out, root, err));
    TRY(add_old_members_under_current_names(out, json_array_get(nodes, 0), err));
    divide_total_accelerators_by_nodes(out);
done:
    json_decref(root);
    return st;
}

/* What stands behind 'name': ' in a Python dictionary, up to the next quote. */
static abdb_status add_python_quoted_value(abdb_mlperf_values *out, const char *text,
                                           size_t name_index, abdb_error *err)
{
    char key[40];
    const char *at;
    char *value;
    abdb_status st;

    snprintf(key, sizeof key, "'%s': '", names[name_index].old);
    at = strstr(text, key);
    if (!at) return ABDB_OK;
    at += strlen(key);
    value = strndup(at, strcspn(at, "'"));
    st = value ? add_value_unless_absent_or_repeated(out, names[name_index].name, value, err)
               : ABDB_FAIL(err, ABDB_NOMEM, "a description");
    free(value);
    return st;
}

/* Adds the system's values in one line of a log of v0.6, under the names of later rounds. */
static abdb_status append_values_of_v06_description_line(void *self, const text_line *line,
                                                         abdb_error *err)
{
    char key[64];
    const char *behind = abdb_mlperf_copy_key_find_value(line->text, key), *text;
    json_t *object = behind ? json_loads(behind, JSON_DISABLE_EOF_CHECK, NULL) : NULL;
    abdb_status st = ABDB_OK;

    text = json_string_value(json_object_get(object, "value"));
    for (size_t i = 0; text && i < NAMES; i++) {
        if (strcmp(key, "entry") == 0)
            TRY(add_python_quoted_value(self, text, i, err));
        else if (strcmp(key, names[i].old) == 0)
            TRY(add_value_unless_absent_or_repeated(self, names[i].name, text, err));
    }
done:
    json_decref(object);
    return st;
}

abdb_status abdb_mlperf_append_system_description(abdb_mlperf_values *out, const abdb_input *in,
                                                  abdb_error *err)
{
    size_t blank = strspn(in->text, " \t\r\n");
    abdb_status st = ABDB_OK;

    if (memmem(in->text, in->text_size, "\"nodes\"", 7) &&
        !memmem(in->text, in->text_size, "\"system_name\"", 13))
        return abdb_mlperf_append_values_of_v05_entry(out, in, err);
    if (in->text[blank] == '{' || !memmem(in->text, in->text_size, "\nentry: {", 9))
        return abdb_mlperf_append_json_members_as_values(out, in, err);
    TRY(lines_deliver_each_without_mark(in, append_values_of_v06_description_line, out, err));
    if (!abdb_mlperf_get_first_value(out, "system_name"))
        TRY(ABDB_FAIL(err, ABDB_DATA, "line 1: neither JSON nor an entry of v0.6"));
done:
    return st;
}

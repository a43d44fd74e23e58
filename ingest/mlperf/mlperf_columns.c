/* mlperf_columns.c - which column of a table of MLPerf results is which; see mlperf_row.h. */
#include <stdlib.h>
#include <string.h>

#include "ingest/mlperf/mlperf_row.h"

/* All spellings of every generation of tables, most recent first; white space and case do not count
 * (abdb_csv_find_column_of_any_name). */
const abdb_mlperf_column abdb_mlperf_columns[MLPERF_SHARED] = {
    MLPERF_COLUMN(public_id, "Public ID|PrivateID"),
    MLPERF_COLUMN(submitter, "Organization|Submitter"),
    MLPERF_COLUMN(availability, "Availability"),
    MLPERF_COLUMN(division, "Division/Power|Division"),
    MLPERF_COLUMN(system_type, "System Type|SystemType"),
    MLPERF_COLUMN(system, "System Name (click + for details)|System Name|SystemName"),
    MLPERF_COLUMN(scenario, "Scenario"),
    MLPERF_COLUMN(nodes, "# of Nodes|number_of_nodes|Number Of Nodes"),
    MLPERF_COLUMN(processor, "Processor (click + for details)|Processor|host_processor_model_name|"
                             "Host Processor Model Name"),
    MLPERF_COLUMN(processors_per_node,
                  "# of  Processors|host_processors_per_node|Host Processors Per Node"),
    MLPERF_COLUMN(cores, "Host Processor Core Count|host_processor_core_count"),
    MLPERF_COLUMN(accelerator, "Accelerator (click + for details)|Accelerator|"
                               "accelerator_model_name|Accelerator Model Name"),
    MLPERF_COLUMN(accelerators_per_node,
                  "Accelerators per node|# of Accelerators|accelerators_per_node"),
    MLPERF_COLUMN(accelerators, "Total Accelerators|total_accelerators"),
    MLPERF_COLUMN(software, "Software|framework"),
    MLPERF_COLUMN(os, "Operating System|operating_system"),
    MLPERF_COLUMN(notes, "notes"),
    MLPERF_COLUMN(round, "Version|version"),
    MLPERF_COLUMN(has_power, "Has Power|has_power"),
    MLPERF_COLUMN(url, "Code"),
};

void abdb_mlperf_find_columns(const abdb_mlperf_column *map, size_t count,
                              const abdb_csv_header *header, int column_index[MLPERF_COLUMN_MAX])
{
    for (size_t i = 0; i < count; i++)
        column_index[i] = abdb_csv_find_column_of_any_name(header, map[i].names);
}

/* Does a column of the map have this name, and is it this cell that it takes, or an equal one? */
static bool is_cell_mapped_or_duplicate(const abdb_mlperf_column *map, size_t count,
                                        const abdb_csv_header *header, char *const *field,
                                        size_t fields, size_t i)
{
    abdb_csv_header one = {.count = 1, .name = header->name + i};

    for (size_t k = 0; k < count; k++) {
        int place = abdb_csv_find_column_of_any_name(&one, map[k].names) < 0
                        ? -1
                        : abdb_csv_find_column_of_any_name(header, map[k].names);

        if (place >= 0 && (size_t)place < fields && field[place] && field[i])
            return (size_t)place == i || strcmp(field[place], field[i]) == 0;
    }
    return false;
}

void abdb_mlperf_collect_unmapped_columns(abdb_settings *out, abdb_arena *arena,
                                          const abdb_mlperf_column *map, size_t count,
                                          const abdb_csv_header *header, char *const *field,
                                          size_t fields)
{
    for (size_t i = 0; i < fields && i < header->count; i++)
        if (field[i] && *field[i] &&
            !is_cell_mapped_or_duplicate(map, count, header, field, fields, i) &&
            !is_cell_mapped_or_duplicate(abdb_mlperf_columns, MLPERF_SHARED, header, field, fields,
                                         i))
            abdb_settings_set_or_count_lost(out, arena, header->name[i],
                                            (int)strlen(header->name[i]), field[i],
                                            (int)strlen(field[i]));
}

void abdb_mlperf_fill_row_from_csv_cells(const abdb_mlperf_column *map, size_t count,
                                         const int column_index[MLPERF_COLUMN_MAX],
                                         const abdb_csv_row *csv, abdb_mlperf_row *row)
{
    for (size_t i = 0; i < count; i++) {
        const char *text = abdb_csv_cell_or_null(csv, column_index[i]);

        if (!text) continue;
        memcpy((char *)row + map[i].offset, &text, sizeof text);
    }
}

const char *abdb_mlperf_member_as_text(abdb_arena *arena, const json_t *object, const char *name)
{
    const json_t *value = json_object_get(object, name);
    const char *text = json_string_value(value);
    char number[32];

    if (json_is_boolean(value)) return json_is_true(value) ? "true" : "false";
    if (!json_is_number(value)) return text && *text ? text : NULL;
    abdb_format_shortest_double(json_number_value(value), number);
    return abdb_arena_copy(arena, number, strlen(number));
}

void abdb_mlperf_fill_row_from_json_members(const abdb_mlperf_column *map, size_t count,
                                            const json_t *object, abdb_arena *arena,
                                            abdb_mlperf_row *row)
{
    for (size_t i = 0; i < count; i++) {
        char *names = abdb_arena_copy(arena, map[i].names, strlen(map[i].names)), *rest = NULL;
        const char *text = NULL;

        for (char *name = names ? strtok_r(names, "|", &rest) : NULL; name && !text;
             name = strtok_r(NULL, "|", &rest))
            text = abdb_mlperf_member_as_text(arena, object, name);
        if (text) memcpy((char *)row + map[i].offset, &text, sizeof text);
    }
}

/* mlperf_site_common.c - common code of both exports of results pages; see mlperf_site_common.h. */
#include "ingest/mlperf/mlperf_site_common.h"

#include <ctype.h>
#include <string.h>

const char *abdb_mlperf_round_of_public_id(abdb_arena *arena, const char *public_id)
{
    size_t size;

    if (!public_id) return NULL;
    if (*public_id == 'v') public_id++;
    size = strspn(public_id, "0123456789.");
    /* At least "1.0", then "-NUMBER". */
    if (size < 3 || public_id[size] != '-' || !isdigit((unsigned char)public_id[0])) return NULL;
    return abdb_arena_printf(arena, "v%.*s", (int)size, public_id);
}

/* How many cells of the text hold the word, and nothing else? */
static size_t count_cells_equal_to_word(const abdb_input *in, const char *word)
{
    size_t size = strlen(word), count = 0;

    for (size_t i = 0; i + size <= in->text_size; i++) {
        const char *at = memchr(in->text + i, word[0], in->text_size - i - size + 1);

        if (!at) break;
        i = (size_t)(at - in->text);
        if (memcmp(at, word, size) != 0) continue;
        /* A cell is bounded by delimiters, quotes or the ends of its line. */
        if (i && !strchr(",;\t\n\"", at[-1])) continue;
        count += i + size == in->text_size || strchr(",;\t\r\n\"", at[size]);
    }
    return count;
}

const char *abdb_mlperf_site_guess_system_type(const abdb_input *in)
{
    enum { FEW = 10 }; /* 7 of v6.0's 251 in the datacenter category are of SingleStream */
    size_t servers = count_cells_equal_to_word(in, "Server") +
                     count_cells_equal_to_word(in, "Interactive"),
           streams = count_cells_equal_to_word(in, "SingleStream");

    if (servers > FEW * streams) return "datacenter";
    return streams > FEW * servers ? "edge" : NULL;
}

const char *abdb_mlperf_site_system_type_or_stream_edge(const char *system_type,
                                                        const char *scenario)
{
    scenario = abdb_mlperf_canonical_scenario_or_same(scenario);
    if (!system_type && scenario &&
        (strcmp(scenario, "SingleStream") == 0 || strcmp(scenario, "MultiStream") == 0))
        return "edge";
    return system_type;
}

const char *abdb_mlperf_site_flags_text(bool averaged, const char *system_type)
{
    static const char *const flags[2][2] = {
        {"system-type-unknown", ""}, {"perhaps-averaged system-type-unknown", "perhaps-averaged"}};

    return flags[averaged][system_type != NULL];
}

abdb_mlperf_context abdb_mlperf_site_make_context(const abdb_overrides *overrides,
                                                  const abdb_sink *sink)
{
    return (abdb_mlperf_context){
        .words = overrides, .sink = sink, .source = "mlperf-site", .verified = "yes"};
}

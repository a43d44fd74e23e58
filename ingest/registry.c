/* registry.c - the list of importers and the auction between them: who reads an input; see
 * registry.h. */
#include "ingest/registry.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/mlperf/round.h"
#include "ingest/nearest_format.h"
#include "ingest/read/csv.h"
#include "ingest/recognised.h"

#define ROUND(...)
#define FORMAT(importer, ...) extern const abdb_importer importer;
#include "ingest/registry.def"
#undef FORMAT

const abdb_importer *const abdb_importers[] = {
#define FORMAT(importer, ...) &importer,
#include "ingest/registry.def"
#undef FORMAT
    NULL};

static abdb_status find_importer_by_name_or_suggest(const abdb_importer **out, const char *name,
                                                    abdb_error *err)
{
    const char *names[64];
    const char *near;
    size_t count = 0;

    for (; count < 64 && abdb_importers[count]; count++) {
        names[count] = abdb_importers[count]->name;
        if (strcmp(names[count], name) != 0) continue;
        *out = abdb_importers[count];
        return ABDB_OK;
    }
    near = abdb_nearest_name(name, names, count);
    return ABDB_FAIL(err, ABDB_USAGE, "no format '%s'%s%s; `abdb import --help` lists them", name,
                     near ? ", did you mean " : "", near ? near : "");
}

/* What a refused file looks like, for the message. */
static abdb_status fail_unrecognised_format_describing_file(const abdb_input *in, abdb_error *err)
{
    size_t line = 0, sep = abdb_csv_sep_line_size(in->text, in->text_size);
    const char *text = in->text + sep;
    char head[100];
    const char *near;
    abdb_text lacking = {0};
    abdb_status st;

    bool has_results = false;
    const char *what = abdb_describe_known_unsupported_file(in, &has_results);

    if (in->size == 0)
        return ABDB_FAIL(err, ABDB_FORMAT, "the file is empty (0 bytes): nothing to import");
    /* a file of results that was not read is no README beside them */
    if (what)
        return ABDB_FAIL(err, has_results ? ABDB_PARTIAL : ABDB_FORMAT, "looks like %s%s", what,
                         has_results && abdb_looks_like_table_or_json(in)
                             ? "; `abdb import --suggest-map FILE` drafts a map of it"
                             : "");
    if (memchr(in->text, 0, in->text_size))
        return ABDB_FAIL(err, ABDB_FORMAT,
                         "a binary file (it holds NUL bytes), not a format that"
                         " abdb reads; `abdb import --help` lists them");
    while (line < in->text_size - sep && line + 1 < sizeof head && text[line] != '\n' &&
           text[line] != '\r') {
        /* Control characters become blanks, since the message goes to a terminal; bytes from 0x80
         * on stay (UTF-8). */
        head[line] = (unsigned char)text[line] < 0x20 ? ' ' : text[line];
        line++;
    }
    head[line] = '\0';
    near = abdb_guess_format_by_its_words(in);
    abdb_list_columns_lacking_for_results(in, &lacking);
    st = ABDB_FAIL(
        err, ABDB_FORMAT,
        "line 1: not a format that abdb reads (%s%sit begins with %s'%s'%s%s%s%s%s);"
        " `abdb import --help` lists the formats, --format forces one%s",
        in->remark ? in->remark : "", in->remark ? "; " : "", sep ? "Excel's sep= and " : "", head,
        near ? "; nearest is " : "", near ? near : "",
        lacking.size ? "; abdb's own CSV, a row for each value, has also " : "",
        abdb_text_get(&lacking), lacking.size ? ": `abdb help abdb-csv`" : "",
        abdb_looks_like_table_or_json(in) ? "; `abdb import --suggest-map FILE >FILE.map` drafts a "
                                            "map of a table, for --map FILE.map"
                                          : "");
    abdb_text_free(&lacking);
    return st;
}

abdb_status abdb_importer_find_by_name_or_highest_bid(const abdb_importer **out, const char *name,
                                                      const abdb_input *input, abdb_error *err)
{
    const abdb_importer *best = NULL, *tie = NULL;
    int most = 0;

    if (name) return find_importer_by_name_or_suggest(out, name, err);
    for (size_t i = 0; abdb_importers[i]; i++) {
        int bid = abdb_importers[i]->bid(input);

        if (bid == 0 || bid < most) continue;
        /* A tie among losers is none: a higher bid clears it. */
        tie = bid == most ? best : NULL;
        best = abdb_importers[i];
        most = bid;
    }
    if (!best) return fail_unrecognised_format_describing_file(input, err);
    if (tie)
        return ABDB_FAIL(err, ABDB_FORMAT, "could be %s or %s; force one with --format", tie->name,
                         best->name);
    *out = best;
    return ABDB_OK;
}

const char *abdb_importer_other_format_in_post_or_null(const abdb_input *input, const char *format)
{
    static const char *const posts[] = {
        "llama-bench",  "llama-perplexity", "nccl-tests",  "serving-console",
        "trtllm-bench", "trtexec",          "mamf-finder", "blas-bench",
        "osu",          "dcgm-dmon",        NULL};

    if (!abdb_text_is_in_list(format, posts)) return NULL;
    for (size_t i = 0; abdb_importers[i]; i++)
        if (strcmp(abdb_importers[i]->name, format) != 0 &&
            abdb_text_is_in_list(abdb_importers[i]->name, posts) &&
            abdb_importers[i]->bid(input) > 0)
            return abdb_importers[i]->name;
    return NULL;
}

int abdb_importer_version_of_format_with_maps(const char *format, bool has_user_map)
{
    for (size_t i = 0; abdb_importers[i]; i++) {
        const abdb_importer *importer = abdb_importers[i];

        if (strcmp(importer->name, format) != 0) continue;
        /* With --map the maps of this build took no part, so a new version of them is no reason to
         * read the file again. */
        return importer->version + (importer->parts && !has_user_map ? importer->parts() : 0);
    }
    return abdb_mlperf_round_importer_version_of_format(format);
}

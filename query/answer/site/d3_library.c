/* d3_library.c - the drawing library of explore.html: D3, found where Debian's package node-d3 puts
 * it (or at the path ABDB_D3) and copied into the site with its licence; see site.h. */
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include "query/answer/escape.h"
#include "query/answer/output.h"
#include "query/answer/search_path.h"
#include "query/answer/site/site.h"
#include "schema/core/outfile.h"

static const char place[] = "/usr/share/nodejs/d3/dist/d3.min.js";

/* "5.16.0" of "// https://d3js.org v5.16.0 Copyright ..."; "" where this is not how it begins, or
 * where it is older than version 5, which lacks functions that explore-chart.js calls. */
static void parse_d3_version_if_5_or_newer(const char *text, char out[32])
{
    static const char lead[] = "// https://d3js.org v";

    out[0] = '\0';
    if (strncmp(text, lead, sizeof lead - 1) != 0 ||
        abdb_digits_parse_prefix_up_to_max_or(text + sizeof lead - 1, INT_MAX, 0) < 5)
        return;
    snprintf(out, 32, "%.*s", (int)strspn(text + sizeof lead - 1, "0123456789."),
             text + sizeof lead - 1);
}

/* Appends the file's contents; out stays unchanged where there is no file. */
static abdb_status append_file_if_present(const char *path, abdb_text *out, abdb_error *err)
{
    return access(path, F_OK) == 0 ? abdb_read_and_protect_file(path, out, err) : ABDB_OK;
}

/* The licence beside the library (of npm), or Debian's. */
static abdb_status read_d3_licence(const char *library, abdb_text *out, abdb_error *err)
{
    char path[4096];
    int folder = (int)strlen(library) - (int)strlen("dist/d3.min.js");
    abdb_status st = ABDB_OK;

    if (folder > 0 && snprintf(path, sizeof path, "%.*sLICENSE", folder, library) > 0)
        TRY(append_file_if_present(path, out, err));
    if (!out->size) st = append_file_if_present("/usr/share/doc/node-d3/copyright", out, err);
done:
    return st;
}

/* Writes a file of the site: the head, then the text. */
static abdb_status write_site_file_with_head(const abdb_site *site, const char *name,
                                             const char *head, const abdb_text *text,
                                             abdb_error *err)
{
    abdb_outfile made;
    FILE *out = abdb_site_open_output_file(&made, site, name, err);

    if (!out) return ABDB_IO;
    abdb_write_sanitized_if_terminal(out, head, strlen(head));
    abdb_write_sanitized_if_terminal(out, abdb_text_get(text), text->size);
    return abdb_outfile_commit(&made, err);
}

abdb_status abdb_site_copy_d3_and_licence_or_warn(abdb_site *site, abdb_error *err)
{
    const char *own = getenv("ABDB_D3"), *path = own ? own : place;
    abdb_text library = {0}, licence = {0};
    char version[32] = "", head[512];
    abdb_status st = ABDB_OK;

    TRY(append_file_if_present(path, &library, err));
    parse_d3_version_if_5_or_newer(abdb_text_get(&library), version);
    if (*version) TRY(read_d3_licence(path, &licence, err));
    if (!*version)
        abdb_print_stderr_remark(
            "explore.html draws nothing, its tables work: no D3 of version 5 or newer is"
            " at %s; apt-get install node-d3, or ABDB_D3=FILE",
            path);
    else if (!licence.size)
        abdb_print_stderr_remark(
            "explore.html draws nothing, its tables work: the licence of D3 stands neither"
            " at %s nor in /usr/share/doc/node-d3",
            path);
    else {
        snprintf(
            head, sizeof head,
            "d3.min.js is D3 %s (https://d3js.org) by Mike Bostock and contributors, unchanged."
            " Its licence:\n\n",
            version);
        TRY(write_site_file_with_head(site, "d3.min.js", "", &library, err));
        TRY(write_site_file_with_head(site, "NOTICE.txt", head, &licence, err));
        snprintf(site->charts, sizeof site->charts, "%s", version);
    }
done:
    abdb_text_free(&library);
    abdb_text_free(&licence);
    return st;
}

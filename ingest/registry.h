/* registry.h - all importers: every one looks at an input and bids 0..100; the highest bid reads
 * it. Two equal highest bids are an error that names both. */
#ifndef ABDB_INGEST_REGISTRY_H
#define ABDB_INGEST_REGISTRY_H

#include "ingest/importer.h"

extern const abdb_importer *const abdb_importers[]; /* end: NULL */

/* The importer of that name, or the highest bidder for input (name NULL). ABDB_FORMAT: none bids,
 * or two bid the same; the message describes the file. ABDB_USAGE: no such name. */
ABDB_MUST_USE abdb_status abdb_importer_find_by_name_or_highest_bid(const abdb_importer **out,
                                                                    const char *name,
                                                                    const abdb_input *input,
                                                                    abdb_error *err);
/* The name of another format of logs and posts that the input holds, too, beside `format`, which it
 * was read as; NULL: none, or `format` is none of them. */
const char *abdb_importer_other_format_in_post_or_null(const abdb_input *input, const char *format);
/* Today's version of a format: of an importer, or of a round's result folders. has_user_map: the
 * user's map reads the files, none of this build. 0: no such format. */
int abdb_importer_version_of_format_with_maps(const char *format, bool has_user_map);

#endif

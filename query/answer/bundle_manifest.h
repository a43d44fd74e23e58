/* bundle_manifest.h - the contents of a signed bundle, as digests.
 *
 * NAME.manifest is a JSON object: `figure`; `question`, the SHA-256 of the figure's name and
 * parameters; `caption`, of notes and look; `columns`; `rows`, for each row of NAME.json the
 * digests of its cells and of its keys; `lines`, one for each line of NAME.csv; `files`, one
 * for each file. NAME.manifest.sig is its signature (ssh_signature.h).
 */
#ifndef ABDB_QUERY_BUNDLE_MANIFEST_H
#define ABDB_QUERY_BUNDLE_MANIFEST_H

#include <jansson.h>

#include "query/answer/provenance_rows.h"

/* Reads a file of a bundle. ABDB_VERIFY: it is not there, or no file that
 * abdb wrote. */
ABDB_MUST_USE abdb_status abdb_bundle_read_file(const char *path, abdb_text *out, abdb_error *err);
/* The manifest of the files as they are now; a file that is missing has no digest. names: their
 * names, end with NULL. NULL: memory is short or a file could not be read, as err says. */
json_t *abdb_bundle_manifest_of_files(const char *folder, const char *figure,
                                      const char *const *names, abdb_error *err);
/* Writes manifest and signature of the files in a folder. Errors as abdb_ssh_sign. */
ABDB_MUST_USE abdb_status abdb_bundle_write_signed_manifest(const char *folder, const char *figure,
                                                            const char *const *names,
                                                            const char *key_path, abdb_error *err);
/* bundle_manifest_verify.c: adds a row for each difference between the bundle of that NAME.json
 * and its signed manifest, or why the signature is none. *is_signed: a listed signer's, whose name
 * is appended. */
ABDB_MUST_USE abdb_status abdb_verify_signed_bundle(abdb_verifier *c, const char *json_path,
                                                    const char *signers_path, abdb_text *signer,
                                                    abdb_error *err);

#endif

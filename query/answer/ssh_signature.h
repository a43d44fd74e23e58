/* ssh_signature.h - signatures by keys of SSH, made and checked by the program ssh-keygen. */
#ifndef ABDB_QUERY_SSH_SIGNATURE_H
#define ABDB_QUERY_SSH_SIGNATURE_H

#include "schema/core/text.h"

enum { ABDB_SSH_SIGNATURE_MAX = 64 << 10, ABDB_SSH_TIMEOUT_S = 60 };

/* Appends the signature of the bytes, by the private key of that file or the agent that holds it;
* a passphrase is never requested. ABDB_DATA: the key cannot sign; ABDB_PARTIAL: ssh-keygen is not
 * installed; ABDB_LIMIT: it took too long. */
ABDB_MUST_USE abdb_status abdb_ssh_sign(const char *key_path, const char *data, size_t size,
                                        abdb_text *signature, abdb_error *err);
/* Checks a signature against a file of allowed signers (man ssh-keygen) and appends who signed.
 * ABDB_VERIFY: it is not a signature of these bytes by a listed signer; other statuses as
 * above. */
ABDB_MUST_USE abdb_status abdb_ssh_check_signature(const char *signers_path,
                                                   const abdb_text *signature, const char *data,
                                                   size_t size, abdb_text *signer, abdb_error *err);

#endif

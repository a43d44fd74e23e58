/* challenge.h - products of whole numbers that a program makes between its samples, of inputs that
 * abdb chooses then: their rows, some of which abdb-run-ref computes again, decide who has verified
 * the result. Rule 4.21 of kernels/harness/protocol.md. */
#ifndef ABDB_KERNELS_CHALLENGE_H
#define ABDB_KERNELS_CHALLENGE_H

#include <jansson.h>

#include "kernels/runner/backend_process.h"

/* LEAST: answers that make abdb the one who verified. */
enum { ABDB_CHALLENGE_LEAST = 2, ABDB_CHALLENGE_MOST = 3 };
typedef struct {
    bool asked;             /* of this cell */
    bool ready;             /* the program waits for a seed */
    long long seed;         /* that it was given last; 0: none, or it is answered */
    size_t samples_at_seed; /* that it had printed */
    size_t answers;
    struct {
        long long seed;
        json_t *rows; /* a digest of each row, as text in hexadecimal */
    } answer[ABDB_CHALLENGE_MOST];
} abdb_challenge;

/* Forgets answers; asked stays. */
void abdb_challenge_clear(abdb_challenge *c);
bool abdb_challenge_has_kind(const char *kind);
/* Can abdb check answers of this cell? It is a plain product. */
bool abdb_challenge_suits_cell(const abdb_cell *cell);
/* Takes `ready` or `answer`, after so many samples. NULL, or why it breaks the rule. */
const char *abdb_challenge_take_record(abdb_challenge *c, const char *kind, const json_t *record,
                                       size_t samples);
/* Writes to a program that is ready: a random seed, or none where there are answers enough. One
 * that does not read it ends as others that are silent. ABDB_IO: abdb cannot write. */
ABDB_MUST_USE abdb_status abdb_challenge_send_seed_if_ready(abdb_challenge *c, size_t samples,
                                                            abdb_child *child, abdb_error *err);
/* Has some random rows of each answer computed again by the program at the path `counter`. *right:
 * there are LEAST answers or more, and abdb could check them; why is "" unless one is wrong.
 * ABDB_NOMEM, or what abdb itself cannot read or write. */
ABDB_MUST_USE abdb_status abdb_challenge_check_answers(const abdb_challenge *c,
                                                       const abdb_run_options *run,
                                                       const char *counter, const abdb_cell *cell,
                                                       const json_t *result, bool *right,
                                                       char why[160], abdb_error *err);

#endif

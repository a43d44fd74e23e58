/* braced_params.h - {KEY} in the words of a measured program. */
#ifndef ABDB_KERNELS_BRACED_PARAMS_H
#define ABDB_KERNELS_BRACED_PARAMS_H

#include <jansson.h>

/* Returns the word with each {KEY} replaced by that parameter; {{KEY}} of no parameter is {KEY},
 * and other braces stay. The caller frees it; NULL: no memory. */
char *abdb_copy_word_substituting_braced_params(const char *word, const json_t *params);

#endif

/* llama_test.h - reads llama-bench's names of models and tests. */
#ifndef ABDB_INGEST_LLAMA_TEST_H
#define ABDB_INGEST_LLAMA_TEST_H

#include "ingest/importer.h"

/* "qwen2 7B Q4_K - Medium": the words after the size are the number format of the weights. NULL:
 * there is none. */
const char *abdb_llama_weight_format_of_model_name(abdb_arena *arena, const char *model);
/* What was timed, by the tokens of a prompt and of the generation. */
const char *abdb_llama_scenario_of_token_counts(double prompt, double generated);
/* "pp512+tg128 @ d4096": the scenario, and prompt, generated and depth as factors. false: not of
 * that form. */
bool abdb_llama_parse_test_into_entry(abdb_entry *entry, abdb_arena *arena, const char *test);

#endif

/* fuzz.h - what bytes of strangers go through: each target takes some, as the program would, and
 * must end with a status. tests/campaigns/fuzz.sh runs them under libFuzzer, tests/unit/corpus.c
 * what it found worth keeping. A broken promise ends in fuzz_broken, which no sanitizer
 * overlooks. */
#ifndef ABDB_TESTS_FUZZ_H
#define ABDB_TESTS_FUZZ_H

#include <stdbool.h>
#include <stddef.h>

#include "schema/store/write.h"

typedef struct {
    const char *name;
    void (*one)(const char *word, const unsigned char *data, size_t size);
    const char *word;  /* of the target: the format that an importer reads */
    const char *seeds; /* files that it begins with, beside its corpus; NULL: none */
} fuzz_target;
extern const fuzz_target fuzz_targets[]; /* end: name NULL */
const fuzz_target *fuzz_find_target(const char *name);

/* A database in memory of the system (fuzz_folder), with the vocabulary of this build; what is
 * imported into it stays for some hundred executions, then it is as new. */
abdb_writer *fuzz_get_shared_db_writer_renewing(abdb_db **db);
/* Lays a new database there, with that vocabulary. */
void fuzz_create_db_with_vocabulary(const char *at);
/* A folder of this process alone; it goes when the process ends. */
const char *fuzz_get_or_create_scratch_folder(void);
/* A database with some of everything in that folder, whole and closed; its path. */
const char *fuzz_import_fixtures_once_get_db_path(void);
/* The bytes as a file without a name: its descriptor. */
int fuzz_bytes_to_memfd(const void *data, size_t size);
/* A copy that ends with NUL; free() it. */
char *fuzz_copy_bytes_as_c_string(const unsigned char *data, size_t size);
_Noreturn void fuzz_abort_promise_broken(const char *promise, const char *detail);

/* quick.c, before SQLite is used for the first time, and before each execution. */
void fuzz_install_sqlite_allocator(void);
void fuzz_begin_execution_quick_or_thorough(void);

/* streams.c: what a program that is started says from now on, however often it is started. NULL: no
 * program can be started. */
void fuzz_set_output_of_fake_program(const unsigned char *data, size_t size);

#define FUZZ_TARGET(name) void name(const char *word, const unsigned char *data, size_t size)
FUZZ_TARGET(fuzz_import_bytes_twice_as_named_format);
FUZZ_TARGET(fuzz_import_file_by_detected_format);
FUZZ_TARGET(fuzz_import_mlperf_round_of_split_files);
FUZZ_TARGET(fuzz_import_by_table_map_and_drafted_map);
FUZZ_TARGET(fuzz_parse_selection_and_compare_two_sets);
FUZZ_TARGET(fuzz_parse_figure_and_build_gnuplot_script);
FUZZ_TARGET(fuzz_parse_report_and_run_its_query);
FUZZ_TARGET(fuzz_parse_plan_into_cells);
FUZZ_TARGET(fuzz_run_verb_on_db_with_changed_bytes);
FUZZ_TARGET(fuzz_answers_of_fake_backend_program);
FUZZ_TARGET(fuzz_answers_of_fake_store_program);
FUZZ_TARGET(fuzz_parse_weights_file_and_read_rows);

#endif

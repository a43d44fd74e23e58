/* targets.c - the list of targets: every importer by its name, and what else reads bytes of others.
 * And what libFuzzer calls: ABDB_FUZZ names the target of this process. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

const fuzz_target fuzz_targets[] = {
#define ROUND(...)
#define FORMAT(importer, name, ...) \
    {"import-" name, fuzz_import_bytes_twice_as_named_format, name, "tests/fixtures/*.*"},
#include "ingest/registry.def"
#undef FORMAT
    {"import-round", fuzz_import_mlperf_round_of_split_files, NULL, "tests/fixtures/mlperf_*"},
    {"import-file", fuzz_import_file_by_detected_format, NULL, "tests/fixtures/*.*"},
    {"map", fuzz_import_by_table_map_and_drafted_map, NULL, "ingest/maps/*.map"},
    {"selection", fuzz_parse_selection_and_compare_two_sets, NULL, NULL},
    {"figure", fuzz_parse_figure_and_build_gnuplot_script, NULL, "plots/figures/*.gp"},
    {"report", fuzz_parse_report_and_run_its_query, NULL, "query/reports/*.sql"},
    {"plan", fuzz_parse_plan_into_cells, NULL, "kernels/plans/*.plan"},
    {"database", fuzz_run_verb_on_db_with_changed_bytes, NULL, NULL},
    {"backend", fuzz_answers_of_fake_backend_program, NULL, NULL},
    {"warehouse", fuzz_answers_of_fake_store_program, NULL, NULL},
    {"safetensors", fuzz_parse_weights_file_and_read_rows, NULL, NULL},
    {"gguf", fuzz_parse_weights_file_and_read_rows, "GGUF", NULL},
    {NULL, NULL, NULL, NULL}};

const fuzz_target *fuzz_find_target(const char *name)
{
    for (const fuzz_target *t = fuzz_targets; t->name; t++)
        if (strcmp(t->name, name) == 0) return t;
    return NULL;
}

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static const fuzz_target *target;

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *name = getenv("ABDB_FUZZ");

    (void)argc, (void)argv;
    fuzz_install_sqlite_allocator();
    target = fuzz_find_target(name ? name : "");
    if (target) return 0;
    fputs("ABDB_FUZZ names the target, one of:\n", stderr);
    for (const fuzz_target *t = fuzz_targets; t->name; t++)
        fprintf(stderr, "%s %s\n", t->name, t->seeds ? t->seeds : "-");
    exit(2);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    fuzz_begin_execution_quick_or_thorough();
    target->one(target->word, data, size);
    return 0;
}

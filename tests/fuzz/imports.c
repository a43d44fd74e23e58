/* imports.c - files of others through reader, sink and writer into a database: one format, a round,
 * whatever a path may be, a table by a map that came with it. What is promised of an import is
 * looked at: it is whole or did not happen, and the same bytes are known afterwards. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ingest/tables/table_map.h"
#include "query/import/import_session.h"
#include "tests/fuzz/fuzz.h"

static sqlite3_int64 count_artifact_entry_reject_result_rows(abdb_db *db)
{
    static const char sql[] = "SELECT (SELECT count(*) FROM artifact) + (SELECT count(*) FROM"
                              " entry_row) + (SELECT count(*) FROM reject) + (SELECT count(*) FROM"
                              " result_row)";
    sqlite3_int64 out = -1;
    abdb_error err;

    if (abdb_db_query_integer_or_0(db, sql, &out, &err) != ABDB_OK)
        fuzz_abort_promise_broken("counting", err.message);
    return out;
}

/* Does abdb say that a value was lost? Messages cite the file, and a fuzzer learns their words. */
static void abort_if_values_were_lost(const abdb_error *err, const void *data, size_t size)
{
    static const char fault[] = "a fault of abdb";

    if (strstr(err->message, fault) && !memmem(data, size, fault, sizeof fault - 1))
        fuzz_abort_promise_broken("values are accounted for", err->message);
}

/* One unit, and its promises: refused it leaves nothing, kept it is known. */
static void import_twice_abort_if_promise_broken(const abdb_input *input,
                                                 const abdb_overrides *words, const char *format)
{
    abdb_import_options options = {.words = words, .format = format};
    abdb_import_result result;
    abdb_error err = {0};
    abdb_db *db;
    abdb_writer *writer = fuzz_get_shared_db_writer_renewing(&db);
    sqlite3_int64 before = count_artifact_entry_reject_result_rows(db);
    abdb_status st = abdb_import_input_as_one_transaction(writer, input, &options, &result, &err);

    if (st == ABDB_DB)
        fuzz_abort_promise_broken("the database takes it or refuses it for a reason", err.message);
    abort_if_values_were_lost(&err, input->data, input->size);
    if (st != ABDB_OK) {
        if (count_artifact_entry_reject_result_rows(db) != before)
            fuzz_abort_promise_broken("an import is whole or did not happen", err.message);
        return;
    }
    before = count_artifact_entry_reject_result_rows(db);
    if (abdb_import_input_as_one_transaction(writer, input, &options, &result, &err) != ABDB_OK ||
        !result.known)
        fuzz_abort_promise_broken("the same bytes are known", err.message);
    if (count_artifact_entry_reject_result_rows(db) != before)
        fuzz_abort_promise_broken("what is known changes nothing", input->path);
}

FUZZ_TARGET(fuzz_import_bytes_twice_as_named_format)
{
    abdb_overrides words = {0};
    abdb_error err;
    abdb_input input;

    if (abdb_input_decode_memory_to_utf8(&input, "fuzz", data, size, &err) == ABDB_OK)
        import_twice_abort_if_promise_broken(&input, &words, word);
    abdb_input_close(&input);
}

/* As `abdb import PATH`: archives and what is in them, any format, and answers for people. */
FUZZ_TARGET(fuzz_import_file_by_detected_format)
{
    abdb_overrides words = {0};
    abdb_import_options options = {.words = &words};
    import_session s = {.options = &options};
    int file = fuzz_bytes_to_memfd(data, size);
    char path[64];
    abdb_error err;
    abdb_db *db;

    (void)word;
    s.writer = fuzz_get_shared_db_writer_renewing(&db);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (abdb_import_remember_last_price_and_entry_ids(&s, db, &err) != ABDB_OK ||
        abdb_import_file_archive_or_pipe(&s, path, true, &err) != ABDB_OK ||
        abdb_import_and_free_pending_round(&s, &err) != ABDB_OK ||
        abdb_writer_update_derived(s.writer, &err) != ABDB_OK ||
        abdb_warn_of_new_prices_of_no_use(&s, db, &err) != ABDB_OK ||
        abdb_print_next_steps(&s, db, &err) != ABDB_OK)
        fuzz_abort_promise_broken("a bad file fails alone", err.message);
    abdb_print_import_summary(&s);
    abdb_import_session_close(&s);
    close(file);
}

/* The bytes are files of a round, one after another between bytes 0, by their paths' numbers. */
static const char *const members[] = {
    "v5.1/closed/A/results/box/llama2-70b-99/Server/performance/run_1/mlperf_log_detail.txt",
    "v5.1/closed/A/results/box/llama2-70b-99/Server/performance/run_1/mlperf_log_summary.txt",
    "v5.1/closed/A/results/box/llama2-70b-99/Server/performance/run_1/spl.txt",
    "v5.1/closed/A/results/box/llama2-70b-99/Server/accuracy/accuracy.txt",
    "v5.1/closed/A/results/box/resnet/SingleStream/performance/run_1/mlperf_log_summary.txt",
    "v5.1/closed/A/systems/box.json",
    "v5.1/closed/A/measurements/box/resnet/SingleStream/model.json",
    "v5.0/A/results/box/retinanet/result_0.txt",
    "v5.0/A/results/box/retinanet/result_1.txt",
    "v5.0/A/results/box/retinanet/scaling.json",
    "v5.0/A/systems/box.json",
    "hpc_results_v3.0/A/results/box/strong/cosmoflow/result_0.txt",
    "v1.2/closed/A/results/board/ad/performance/results.txt",
    "v1.2/closed/A/results/board/ad/accuracy/results.txt",
    "v1.2/closed/A/systems/board.json"};
enum { MEMBERS = sizeof members / sizeof *members };

static void decode_and_add_round_member(abdb_mlperf_round *round, size_t path_index,
                                        const unsigned char *data, size_t size)
{
    abdb_error err;
    abdb_input input;
    bool taken;

    if (abdb_input_decode_memory_to_utf8(&input, members[path_index], data, size, &err) == ABDB_OK)
        (void)!abdb_mlperf_round_add_file(round, &input, "0", &taken, &err);
    abdb_input_close(&input);
}

FUZZ_TARGET(fuzz_import_mlperf_round_of_split_files)
{
    abdb_overrides words = {0};
    abdb_import_options options = {.words = &words};
    abdb_mlperf_round *round = NULL;
    abdb_writer *writer = fuzz_get_shared_db_writer_renewing(NULL);
    abdb_error err = {0};
    size_t i = 0, from = 0;

    (void)word;
    if (abdb_mlperf_round_create(&round, &err) != ABDB_OK) return;
    if (size && !memchr(data, 0, size)) /* one text: of every file */
        for (; i < MEMBERS; i++) decode_and_add_round_member(round, i, data, size);
    for (; from < size && i < MEMBERS; i++) {
        const unsigned char *end = memchr(data + from, 0, size - from);
        size_t length = (end ? (size_t)(end - data) : size) - from;

        if (length) decode_and_add_round_member(round, i, data + from, length);
        from += length + 1;
    }
    if (abdb_mlperf_round_group_files_into_folders(round, &err) == ABDB_OK)
        for (i = 0; i < abdb_mlperf_round_folder_count(round); i++) {
            abdb_import_result result;
            abdb_status st = abdb_import_round_folder_as_one_transaction(writer, round, i, &options,
                                                                         &result, &err);

            if (st == ABDB_DB) fuzz_abort_promise_broken("a folder of a round", err.message);
            abort_if_values_were_lost(&err, data, size);
        }
    abdb_mlperf_round_destroy(round);
}

/* A map, a byte 0, and a table that it reads; the table's own draft of a map is one, too. */
static void import_table_by_map_text(const char *map, const unsigned char *data, size_t size,
                                     bool is_own_draft)
{
    abdb_overrides words = {.map_digest = "0"};
    table_map *parsed = NULL;
    abdb_error err = {0};
    abdb_input input;
    abdb_status st = table_map_parse_text(&parsed, "fuzz.map", map, &err);

    if (is_own_draft && st != ABDB_OK)
        fuzz_abort_promise_broken("a draft of a map is a map", err.message);
    words.map = parsed;
    if (st == ABDB_OK &&
        abdb_input_decode_memory_to_utf8(&input, "fuzz", data, size, &err) == ABDB_OK) {
        import_twice_abort_if_promise_broken(&input, &words, "table");
        abdb_input_close(&input);
    }
    table_map_free(parsed);
}

/* Answers the questions of a draft that are no comments, as its reader does: "?" becomes a word. */
static void answer_questions_of_draft(abdb_text *answered, const char *draft)
{
    static const char name[] = "name    ?", evidence[] = "set     evidence ?";

    for (const char *line = draft; *line; line += strcspn(line, "\n"), line += *line == '\n') {
        size_t size = strcspn(line, "\n");

        if (strncmp(line, name, sizeof name - 1) == 0)
            abdb_text_puts(answered, "name    mine");
        else if (strncmp(line, evidence, sizeof evidence - 1) == 0)
            abdb_text_puts(answered, "set     evidence measured");
        else
            abdb_text_add(answered, line, size);
        abdb_text_puts(answered, "\n");
    }
}

FUZZ_TARGET(fuzz_import_by_table_map_and_drafted_map)
{
    const unsigned char *end = size ? memchr(data, 0, size) : NULL, *table = end ? end + 1 : data;
    size_t rest = size - (size_t)(table - data);
    char *map = fuzz_copy_bytes_as_c_string(data, end ? (size_t)(end - data) : size);
    abdb_text draft = {0};
    abdb_error err;
    abdb_input input;

    (void)word;
    import_table_by_map_text(map, table, rest, false);
    if (abdb_input_decode_memory_to_utf8(&input, "fuzz", table, rest, &err) == ABDB_OK) {
        if (table_map_draft_from_input(&draft, &input, NULL, &err) == ABDB_OK) {
            abdb_text answered = {0};

            answer_questions_of_draft(&answered, abdb_text_get(&draft));
            import_table_by_map_text(abdb_text_get(&answered), table, rest, true);
            abdb_text_free(&answered);
        }
        abdb_input_close(&input);
    }
    abdb_text_free(&draft);
    free(map);
}

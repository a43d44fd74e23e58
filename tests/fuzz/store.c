/* store.c - databases that targets write into and read from, and small helpers; see fuzz.h. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "query/answer/search_path.h"
#include "query/import/import_session.h"
#include "tests/fuzz/fuzz.h"

enum { EXECUTIONS = 500 }; /* of one database, before it is made as new */

static char folder[64], path[96], filled[96];
static abdb_db *db;
static abdb_writer *writer;
static abdb_text pristine;
static size_t executions;

/* Of the sanitizers, where there are any: libFuzzer shuts what a target says, but not this. */
extern __attribute__((weak)) void __sanitizer_report_error_summary(const char *words);

void fuzz_abort_promise_broken(const char *promise, const char *detail)
{
    char words[512];

    snprintf(words, sizeof words, "broken: %s: %s", promise, detail);
    fprintf(stderr, "%s\n", words);
    if (__sanitizer_report_error_summary) __sanitizer_report_error_summary(words);
    abort();
}

static void abort_unless_status_is_ok(abdb_status st, const abdb_error *err)
{
    if (st != ABDB_OK) fuzz_abort_promise_broken("the target's own database", err->message);
}

static void close_and_delete_db(void)
{
    static const char *const tails[] = {"", "-wal", "-shm", "-journal"};
    char name[128];

    abdb_writer_rollback_and_close(writer);
    abdb_db_close(db);
    writer = NULL;
    db = NULL;
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
        snprintf(name, sizeof name, "%s%s", path, tails[i]);
        remove(name);
    }
}

/* What every so many executions must hold, and the last: the file is whole. */
static void derive_and_abort_unless_db_is_whole(void)
{
    sqlite3_int64 broken = 1;
    abdb_error err;

    abort_unless_status_is_ok(
        abdb_db_query_integer_or_0(
            db, "SELECT integrity_check <> 'ok' FROM pragma_integrity_check LIMIT 1", &broken,
            &err),
        &err);
    if (broken) fuzz_abort_promise_broken("the database is whole", path);
    abort_unless_status_is_ok(
        abdb_db_query_integer_or_0(db, "SELECT count(*) FROM pragma_foreign_key_check", &broken,
                                   &err),
        &err);
    if (broken) fuzz_abort_promise_broken("what is referred to is there", path);
    abort_unless_status_is_ok(abdb_writer_update_derived(writer, &err), &err);
}

static void abort_unless_db_whole_remove_folder(void)
{
    char command[128];

    if (db) derive_and_abort_unless_db_is_whole();
    close_and_delete_db();
    abdb_text_free(&pristine);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    (void)!system(command);
}

const char *fuzz_get_or_create_scratch_folder(void)
{
    if (*folder) return folder;
    snprintf(folder, sizeof folder, "%s/abdb-fuzz-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp(folder)) fuzz_abort_promise_broken("a folder", folder);
    snprintf(path, sizeof path, "%s/store.db", folder);
    snprintf(filled, sizeof filled, "%s/filled.db", folder);
    atexit(abort_unless_db_whole_remove_folder);
    return folder;
}

static void write_file_or_abort(const char *name, const char *data, size_t size)
{
    FILE *file = fopen(name, "wb");

    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0)
        fuzz_abort_promise_broken("a file", name);
}

/* Made once, then copied: the vocabulary takes longer than a hundred executions. */
void fuzz_create_db_with_vocabulary(const char *db_path)
{
    abdb_busy_timeout none = {0};
    abdb_error err;
    abdb_db *own;
    abdb_writer *to;

    if (!pristine.size) {
        abort_unless_status_is_ok(abdb_open_db_for_writing(&own, &to, db_path, &none, &err), &err);
        abdb_writer_rollback_and_close(to);
        abdb_db_close(own);
        abort_unless_status_is_ok(abdb_read_and_protect_file(db_path, &pristine, &err), &err);
    }
    write_file_or_abort(db_path, pristine.data, pristine.size);
}

abdb_writer *fuzz_get_shared_db_writer_renewing(abdb_db **out)
{
    abdb_busy_timeout none = {0};
    abdb_error err;

    fuzz_get_or_create_scratch_folder();
    if (db && ++executions >= EXECUTIONS) {
        derive_and_abort_unless_db_is_whole();
        close_and_delete_db();
    }
    if (!db) {
        executions = 0;
        fuzz_create_db_with_vocabulary(path);
        abort_unless_status_is_ok(abdb_open_db_for_writing(&db, &writer, path, &none, &err), &err);
        abort_unless_status_is_ok(abdb_db_exec(db, "PRAGMA synchronous = OFF", &err), &err);
    }
    if (out) *out = db;
    return writer;
}

const char *fuzz_import_fixtures_once_get_db_path(void)
{
    static const char *const files[] = {"figures.jsonl", "per.csv",      "checker.csv",
                                        "records.jsonl", "results.csv",  "prices.csv",
                                        "specs.csv",     "questions.csv"};
    abdb_busy_timeout none = {0};
    abdb_overrides words = {0};
    abdb_import_options options = {.words = &words};
    abdb_import_result result;
    abdb_error err;
    abdb_db *own;
    abdb_writer *to;

    fuzz_get_or_create_scratch_folder();
    if (access(filled, F_OK) == 0) return filled;
    fuzz_create_db_with_vocabulary(filled);
    abort_unless_status_is_ok(abdb_open_db_for_writing(&own, &to, filled, &none, &err), &err);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char name[128];
        abdb_input input;

        snprintf(name, sizeof name, "tests/fixtures/%s", files[i]);
        abort_unless_status_is_ok(abdb_input_map_file_and_decode(&input, name, &err), &err);
        abort_unless_status_is_ok(
            abdb_import_input_as_one_transaction(to, &input, &options, &result, &err), &err);
        abdb_input_close(&input);
    }
    abort_unless_status_is_ok(abdb_writer_update_derived(to, &err), &err);
    abdb_writer_rollback_and_close(to);
    abdb_db_close(own);
    return filled;
}

int fuzz_bytes_to_memfd(const void *data, size_t size)
{
    int file = memfd_create("fuzz", MFD_CLOEXEC);

    if (file < 0 || write(file, data, size) != (ssize_t)size || lseek(file, 0, SEEK_SET) != 0)
        fuzz_abort_promise_broken("a file without a name", "memfd_create");
    return file;
}

char *fuzz_copy_bytes_as_c_string(const unsigned char *data, size_t size)
{
    char *text = malloc(size + 1);

    if (!text) fuzz_abort_promise_broken("memory", "a text");
    if (size) memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

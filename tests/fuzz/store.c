/* store.c - databases that targets write into and read from, and small helpers; see fuzz.h. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "query/answer/shelf.h"
#include "query/program/importing.h"
#include "tests/fuzz/fuzz.h"

enum { EXECUTIONS = 500 }; /* of one database, before it is made as new */

static char folder[64], path[96], filled[96];
static abdb_db *db;
static abdb_writer *writer;
static abdb_text pristine;
static size_t executions;

/* Of the sanitizers, where there are any: libFuzzer shuts what a target says, but not this. */
extern __attribute__((weak)) void __sanitizer_report_error_summary(const char *words);

void fuzz_broken(const char *promise, const char *detail)
{
    char words[512];

    snprintf(words, sizeof words, "broken: %s: %s", promise, detail);
    fprintf(stderr, "%s\n", words);
    if (__sanitizer_report_error_summary) __sanitizer_report_error_summary(words);
    abort();
}

static void must(abdb_status st, const abdb_error *err)
{
    if (st != ABDB_OK) fuzz_broken("the target's own database", err->message);
}

static void clear(void)
{
    static const char *const tails[] = {"", "-wal", "-shm", "-journal"};
    char name[128];

    abdb_writer_close(writer);
    abdb_db_close(db);
    writer = NULL;
    db = NULL;
    for (size_t i = 0; i < sizeof tails / sizeof *tails; i++) {
        snprintf(name, sizeof name, "%s%s", path, tails[i]);
        remove(name);
    }
}

/* What every so many executions must hold, and the last: the file is whole. */
static void check_whole(void)
{
    sqlite3_int64 broken = 1;
    abdb_error err;

    must(abdb_db_integer(db, "SELECT integrity_check <> 'ok' FROM pragma_integrity_check LIMIT 1",
                         &broken, &err),
         &err);
    if (broken) fuzz_broken("the database is whole", path);
    must(abdb_db_integer(db, "SELECT count(*) FROM pragma_foreign_key_check", &broken, &err), &err);
    if (broken) fuzz_broken("what is referred to is there", path);
    must(abdb_writer_index(writer, &err), &err);
}

static void at_end(void)
{
    char command[128];

    if (db) check_whole();
    clear();
    abdb_text_free(&pristine);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    (void)!system(command);
}

const char *fuzz_folder(void)
{
    if (*folder) return folder;
    snprintf(folder, sizeof folder, "%s/abdb-fuzz-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    if (!mkdtemp(folder)) fuzz_broken("a folder", folder);
    snprintf(path, sizeof path, "%s/store.db", folder);
    snprintf(filled, sizeof filled, "%s/filled.db", folder);
    atexit(at_end);
    return folder;
}

static void write_file(const char *name, const char *data, size_t size)
{
    FILE *file = fopen(name, "wb");

    if (!file || fwrite(data, 1, size, file) != size || fclose(file) != 0)
        fuzz_broken("a file", name);
}

/* Made once, then copied: the vocabulary takes longer than a hundred executions. */
void fuzz_fresh(const char *at)
{
    abdb_patience none = {0};
    abdb_error err;
    abdb_db *own;
    abdb_writer *to;

    if (!pristine.size) {
        must(abdb_open_writer(&own, &to, at, &none, &err), &err);
        abdb_writer_close(to);
        abdb_db_close(own);
        must(abdb_read_file(at, &pristine, &err), &err);
    }
    write_file(at, pristine.data, pristine.size);
}

abdb_writer *fuzz_store(abdb_db **out)
{
    abdb_patience none = {0};
    abdb_error err;

    fuzz_folder();
    if (db && ++executions >= EXECUTIONS) {
        check_whole();
        clear();
    }
    if (!db) {
        executions = 0;
        fuzz_fresh(path);
        must(abdb_open_writer(&db, &writer, path, &none, &err), &err);
        must(abdb_db_exec(db, "PRAGMA synchronous = OFF", &err), &err);
    }
    if (out) *out = db;
    return writer;
}

const char *fuzz_filled(void)
{
    static const char *const files[] = {"figures.jsonl", "per.csv",      "checker.csv",
                                        "records.jsonl", "results.csv",  "prices.csv",
                                        "specs.csv",     "questions.csv"};
    abdb_patience none = {0};
    abdb_words words = {0};
    abdb_unit_options options = {.words = &words};
    abdb_unit_result result;
    abdb_error err;
    abdb_db *own;
    abdb_writer *to;

    fuzz_folder();
    if (access(filled, F_OK) == 0) return filled;
    fuzz_fresh(filled);
    must(abdb_open_writer(&own, &to, filled, &none, &err), &err);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char name[128];
        abdb_input input;

        snprintf(name, sizeof name, "tests/fixtures/%s", files[i]);
        must(abdb_input_open(&input, name, &err), &err);
        must(abdb_unit_import(to, &input, &options, &result, &err), &err);
        abdb_input_close(&input);
    }
    must(abdb_writer_index(to, &err), &err);
    abdb_writer_close(to);
    abdb_db_close(own);
    return filled;
}

int fuzz_file(const void *data, size_t size)
{
    int file = memfd_create("fuzz", MFD_CLOEXEC);

    if (file < 0 || write(file, data, size) != (ssize_t)size || lseek(file, 0, SEEK_SET) != 0)
        fuzz_broken("a file without a name", "memfd_create");
    return file;
}

char *fuzz_text(const unsigned char *data, size_t size)
{
    char *text = malloc(size + 1);

    if (!text) fuzz_broken("memory", "a text");
    if (size) memcpy(text, data, size);
    text[size] = '\0';
    return text;
}

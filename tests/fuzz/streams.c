/* streams.c - what other programs say: a backend by its protocol, a store by its own, and a file of
 * weights. No program is started: the linker puts these functions in the place of those of
 * schema/core/process.h (--wrap), and what "it" says are the bytes. */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/runner/conform.h"
#include "kernels/workloads/saved.h"
#include "query/answer/shelf.h"
#include "query/program/campaign.h"
#include "query/warehouse/pull.h"
#include "query/warehouse/push.h"
#include "schema/core/process.h"
#include "tests/fuzz/fuzz.h"

abdb_status __wrap_abdb_program_start(abdb_program *p, const abdb_start *how, abdb_error *err);
bool __wrap_abdb_program_ended(const abdb_program *p, double wait_s, const volatile int *stop);
int __wrap_abdb_program_finish(abdb_program *p);

/* Beyond any number that a process has: signals to it reach nobody. */
enum { NOBODY = 0x7ffffff0 };

static const unsigned char *says;
static size_t says_size;

void fuzz_says(const unsigned char *data, size_t size)
{
    says = data;
    says_size = size;
}

abdb_status __wrap_abdb_program_start(abdb_program *p, const abdb_start *how, abdb_error *err)
{
    *p = (abdb_program){.in = -1, .out = -1, .words = -1};
    if (!says) return ABDB_FAIL(err, ABDB_IO, "%s: no program here", how->path);
    p->pid = NOBODY;
    p->in = open("/dev/null", O_WRONLY | O_CLOEXEC);
    p->out = fuzz_file(says, says_size);
    p->words = how->words ? open("/dev/null", O_RDONLY | O_CLOEXEC) : -1;
    return ABDB_OK;
}

bool __wrap_abdb_program_ended(const abdb_program *p, double wait_s, const volatile int *stop)
{
    (void)p, (void)wait_s, (void)stop;
    return true;
}

int __wrap_abdb_program_finish(abdb_program *p)
{
    int *const ends[] = {&p->in, &p->out, &p->words};

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (*ends[i] >= 0) close(*ends[i]);
    *p = (abdb_program){.in = -1, .out = -1, .words = -1};
    return 0;
}

static abdb_status keep(void *self, const abdb_entry *entry, abdb_error *err)
{
    abdb_writer *writer = self;
    abdb_sink sink = abdb_writer_sink(writer);
    abdb_counts counts;
    int known;
    abdb_status st = ABDB_OK;

    TRY(abdb_writer_begin(writer, NULL, &known, &counts, err));
    TRY(sink.entry(sink.self, entry, err));
    TRY(sink.row_end(sink.self, err));
    TRY(abdb_writer_commit(writer, &counts, err));
    if (counts.rejected) fuzz_broken("what a backend said can be kept", counts.first_reject);
done:
    if (st == ABDB_DB) fuzz_broken("the database takes what a backend said", err->message);
    abdb_writer_rollback(writer, NULL);
    return st;
}

static void progress(void *self, const char *cell, size_t done, size_t total)
{
    (void)self, (void)cell, (void)done, (void)total;
}

static void run(const abdb_run_options *o, const abdb_plan *plan)
{
    const abdb_sink sink = {.self = fuzz_store(NULL), .entry = keep};
    unsigned char todo[8], doubtful[8] = {0};
    abdb_run_options own = *o;
    abdb_run_tally tally = {0};
    abdb_error err;
    abdb_status st;
    size_t told;

    memset(todo, 1, sizeof todo);
    own.doubtful = doubtful;
    st = abdb_backend_run(&own, plan, todo, &sink, &tally, &err);
    told = tally.ok + tally.not_implemented + tally.failed + tally.crashed + tally.cancelled;
    if (st == ABDB_OK && told != plan->cells)
        fuzz_broken("each cell ends as one entry", plan->cell[0].name);
    abdb_run_tally_free(&tally);
}

/* The first byte: what is asked of it; the rest: what it says. */
FUZZ_TARGET(fuzz_backend)
{
    static const char cells[] = "stream op=triad n=1000 dtype=f64\nfma dtype=f32\n";
    long starts = 0;
    const abdb_run_options o = {.name = "fuzz",
                                .path = "abdb-run-fuzz",
                                .campaign = "c-000000000000-0",
                                .starts = &starts,
                                .threads = 1,
                                .quick = 1,
                                .timeout_s = 1,
                                .progress = progress};
    abdb_plan plan = {0};
    unsigned char todo[8];
    abdb_expected expected;
    json_t *said = NULL;
    abdb_clause clauses[ABDB_CLAUSES];
    abdb_error err;

    (void)word;
    if (!size || abdb_plan_add(&plan, cells, &err) != ABDB_OK) return;
    fuzz_says(data + 1, size - 1);
    memset(todo, 1, sizeof todo);
    switch (data[0]) {
    case 'd':
        (void)!abdb_backend_describe(&o, &said, &err);
        json_decref(said);
        break;
    case 'e': (void)!abdb_backend_estimate(&o, &plan, todo, &expected, &err); break;
    case 'c': {
        const abdb_conform how = {.run = &o, .cells = &plan, .wait_s = 0.01};

        memset(clauses, 0, sizeof clauses);
        (void)!abdb_conform_try(&how, clauses, &err);
        break;
    }
    default: run(&o, &plan);
    }
    abdb_plan_free(&plan);
    fuzz_says(NULL, 0);
}

/* A program that can be looked up; nobody runs it. */
static const char *store_folder(void)
{
    static bool made;
    char path[128];
    int file;

    if (made) return fuzz_folder();
    snprintf(path, sizeof path, "%s/abdb-store-pg", fuzz_folder());
    file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0700);
    if (file < 0) fuzz_broken("a file", path);
    close(file);
    made = true;
    return fuzz_folder();
}

/* A new database without rows there: made once, then copied, as it takes as long as all else. */
static void lay_out(const char *scratch)
{
    static abdb_text empty;
    abdb_db *db = NULL;
    abdb_error err;
    FILE *file;

    if (!empty.size) {
        if (abdb_db_open(&db, scratch, ABDB_CREATE, &err) != ABDB_OK)
            fuzz_broken("the target's own database", err.message);
        abdb_db_close(db);
        if (abdb_read_file(scratch, &empty, &err) != ABDB_OK) fuzz_broken("a file", err.message);
        return;
    }
    file = fopen(scratch, "wb");
    if (!file || fwrite(empty.data, 1, empty.size, file) != empty.size || fclose(file) != 0)
        fuzz_broken("a file", scratch);
}

/* As `abdb pull`: into a database of its own, and that into the one that is there. */
static void pull(abdb_link *link, abdb_db *db, abdb_writer *writer, const char *scratch)
{
    abdb_db *pulled = NULL;
    abdb_counts counts;
    abdb_error err;
    abdb_status st = abdb_db_open(&pulled, scratch, ABDB_CREATE, &err);

    if (st == ABDB_OK) st = abdb_pull_rows(link, pulled, ABDB_PULL_ALL, &err);
    abdb_db_close(pulled);
    if (st == ABDB_OK) st = abdb_merge(db, scratch, &counts, &err);
    if (st == ABDB_OK) (void)!abdb_writer_index(writer, &err);
}

/* The first byte: pull, push or settle; the rest: what the store says. */
FUZZ_TARGET(fuzz_warehouse)
{
    abdb_link link = {0};
    abdb_pushed pushed = {0};
    abdb_db *db;
    abdb_writer *writer = fuzz_store(&db);
    char scratch[128];
    abdb_error err;

    (void)word;
    if (!size) return;
    snprintf(scratch, sizeof scratch, "%s/scratch.db", fuzz_folder());
    lay_out(scratch);
    fuzz_says(data + 1, size - 1);
    if (abdb_link_open(&link, store_folder(), "postgresql://h/d", "make", false,
                       &(abdb_stream_limits){60, 60}, &err) == ABDB_OK) {
        switch (data[0]) {
        case 'p': (void)!abdb_push(&link, db, &pushed, &err); break;
        case 's': (void)!abdb_settle(&link, scratch, &err); break;
        default: pull(&link, db, writer, scratch);
        }
    }
    abdb_text_free(&pushed.different);
    abdb_link_close(&link);
    remove(scratch);
    fuzz_says(NULL, 0);
}

/* Weights from a file; `word`: how it begins. */
FUZZ_TARGET(fuzz_weights)
{
    abdb_saved_file f = {0};
    unsigned char *whole = malloc(4 + size);
    size_t begin = word ? strlen(word) : 0;
    char path[64];
    float row[4096];
    abdb_error err;
    int file;

    if (!whole) return;
    if (word) memcpy(whole, word, begin);
    if (size) memcpy(whole + begin, data, size);
    file = fuzz_file(whole, begin + size);
    free(whole);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (abdb_saved_open(&f, path, &err) == ABDB_OK) {
        for (size_t i = 0; i < f.count; i++) {
            const abdb_saved *s = &f.saved[i];

            if (abdb_saved_find(&f, s->name) == NULL) fuzz_broken("found by name", s->name);
            if (s->dtype == ABDB_DTYPE_COUNT || s->columns > 4096) continue;
            for (size_t r = 0; r < s->rows && r < 64; r++) abdb_saved_row(s, r, row);
            if (s->rows) abdb_saved_row(s, s->rows - 1, row);
        }
        abdb_saved_close(&f);
    }
    close(file);
}

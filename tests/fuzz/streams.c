/* streams.c - what other programs say: a backend by its protocol, a store by its own, and a file of
 * weights. No program is started: the linker puts these functions in the place of those of
 * schema/core/child_process.h (--wrap), and what "it" says are the bytes. */
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernels/runner/conformance.h"
#include "kernels/workloads/weights_file.h"
#include "query/answer/search_path.h"
#include "query/run/campaign.h"
#include "query/warehouse/pull.h"
#include "query/warehouse/push.h"
#include "schema/core/child_process.h"
#include "tests/fuzz/fuzz.h"

abdb_status __wrap_abdb_program_start_with_pipes(abdb_program *p, const abdb_start_options *how,
                                                 abdb_error *err);
bool __wrap_abdb_program_wait_until_ended(const abdb_program *p, double wait_s,
                                          const volatile int *stop);
int __wrap_abdb_program_kill_and_reap(abdb_program *p);

/* Beyond any number that a process has: signals to it reach nobody. */
enum { NOBODY = 0x7ffffff0 };

static const unsigned char *says;
static size_t says_size;

void fuzz_set_output_of_fake_program(const unsigned char *data, size_t size)
{
    says = data;
    says_size = size;
}

abdb_status __wrap_abdb_program_start_with_pipes(abdb_program *p, const abdb_start_options *how,
                                                 abdb_error *err)
{
    *p = (abdb_program){.in = -1, .out = -1, .error_output = -1};
    if (!says) return ABDB_FAIL(err, ABDB_IO, "%s: no program here", how->path);
    p->pid = NOBODY;
    p->in = open("/dev/null", O_WRONLY | O_CLOEXEC);
    p->out = fuzz_bytes_to_memfd(says, says_size);
    p->error_output = how->capture_stderr ? open("/dev/null", O_RDONLY | O_CLOEXEC) : -1;
    return ABDB_OK;
}

bool __wrap_abdb_program_wait_until_ended(const abdb_program *p, double wait_s,
                                          const volatile int *stop)
{
    (void)p, (void)wait_s, (void)stop;
    return true;
}

int __wrap_abdb_program_kill_and_reap(abdb_program *p)
{
    int *const ends[] = {&p->in, &p->out, &p->error_output};

    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (*ends[i] >= 0) close(*ends[i]);
    *p = (abdb_program){.in = -1, .out = -1, .error_output = -1};
    return 0;
}

static abdb_status import_backend_entry_or_abort(void *self, const abdb_entry *entry,
                                                 abdb_error *err)
{
    abdb_writer *writer = self;
    abdb_sink sink = abdb_writer_make_storing_sink(writer);
    abdb_counts counts;
    int known;
    abdb_status st = ABDB_OK;

    TRY(abdb_writer_begin_file_unless_known(writer, NULL, &known, &counts, err));
    TRY(sink.entry(sink.self, entry, err));
    TRY(sink.row_end(sink.self, err));
    TRY(abdb_writer_commit_and_withdraw_replaced_imports(writer, &counts, err));
    if (counts.rejected)
        fuzz_abort_promise_broken("what a backend said can be kept", counts.first_reject);
done:
    if (st == ABDB_DB)
        fuzz_abort_promise_broken("the database takes what a backend said", err->message);
    abdb_writer_rollback_and_forget_ids(writer, NULL);
    return st;
}

static void ignore_progress(void *self, const char *cell, size_t done, size_t total)
{
    (void)self, (void)cell, (void)done, (void)total;
}

static void run_backend_abort_unless_each_cell_ends(const abdb_run_options *o,
                                                    const abdb_plan *plan)
{
    const abdb_sink sink = {.self = fuzz_get_shared_db_writer_renewing(NULL),
                            .entry = import_backend_entry_or_abort};
    unsigned char todo[8], doubtful[8] = {0};
    abdb_run_options own = *o;
    abdb_run_tally tally = {0};
    abdb_error err;
    abdb_status st;
    size_t told;

    memset(todo, 1, sizeof todo);
    own.doubtful = doubtful;
    st = abdb_backend_run_and_store_cells(&own, plan, todo, &sink, &tally, &err);
    told = tally.ok + tally.not_implemented + tally.failed + tally.crashed + tally.cancelled;
    if (st == ABDB_OK && told != plan->cells)
        fuzz_abort_promise_broken("each cell ends as one entry", plan->cell[0].name);
    abdb_run_tally_free(&tally);
}

/* The first byte: what is asked of it; the rest: what it says. */
FUZZ_TARGET(fuzz_answers_of_fake_backend_program)
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
                                .progress = ignore_progress};
    abdb_plan plan = {0};
    unsigned char todo[8];
    abdb_run_estimate expected;
    json_t *said = NULL;
    abdb_protocol_rule clauses[ABDB_CLAUSES];
    abdb_error err;

    (void)word;
    if (!size || abdb_plan_add_cells(&plan, cells, &err) != ABDB_OK) return;
    fuzz_set_output_of_fake_program(data + 1, size - 1);
    memset(todo, 1, sizeof todo);
    switch (data[0]) {
    case 'd':
        (void)!abdb_backend_run_describe_and_collect_records(&o, &said, &err);
        json_decref(said);
        break;
    case 'e':
        (void)!abdb_backend_ask_estimates_and_sum_seconds(&o, &plan, todo, &expected, &err);
        break;
    case 'c': {
        const abdb_conformance how = {.run = &o, .cells = &plan, .wait_s = 0.01};

        memset(clauses, 0, sizeof clauses);
        (void)!abdb_test_protocol_conformance(&how, clauses, &err);
        break;
    }
    default: run_backend_abort_unless_each_cell_ends(&o, &plan);
    }
    abdb_plan_free(&plan);
    fuzz_set_output_of_fake_program(NULL, 0);
}

/* A program that can be looked up; nobody runs it. */
static const char *make_empty_store_program_return_folder(void)
{
    static bool made;
    char path[128];
    int file;

    if (made) return fuzz_get_or_create_scratch_folder();
    snprintf(path, sizeof path, "%s/abdb-store-pg", fuzz_get_or_create_scratch_folder());
    file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0700);
    if (file < 0) fuzz_abort_promise_broken("a file", path);
    close(file);
    made = true;
    return fuzz_get_or_create_scratch_folder();
}

/* A new database without rows there: made once, then copied, as it takes as long as all else. */
static void write_db_without_rows(const char *path)
{
    static abdb_text empty;
    abdb_db *db = NULL;
    abdb_error err;
    FILE *file;

    if (!empty.size) {
        if (abdb_db_open(&db, path, ABDB_CREATE, &err) != ABDB_OK)
            fuzz_abort_promise_broken("the target's own database", err.message);
        abdb_db_close(db);
        if (abdb_read_and_protect_file(path, &empty, &err) != ABDB_OK)
            fuzz_abort_promise_broken("a file", err.message);
        return;
    }
    file = fopen(path, "wb");
    if (!file || fwrite(empty.data, 1, empty.size, file) != empty.size || fclose(file) != 0)
        fuzz_abort_promise_broken("a file", path);
}

/* As `abdb pull`: into a database of its own, and that into the one that is there. */
static void pull_rows_into_scratch_and_merge(abdb_store_client *link, abdb_db *db,
                                             abdb_writer *writer, const char *scratch)
{
    abdb_db *pulled = NULL;
    abdb_counts counts;
    abdb_error err;
    abdb_status st = abdb_db_open(&pulled, scratch, ABDB_CREATE, &err);

    if (st == ABDB_OK) st = abdb_pull_into_database(link, pulled, ABDB_PULL_ALL, &err);
    abdb_db_close(pulled);
    if (st == ABDB_OK) st = abdb_merge_database(db, scratch, &counts, &err);
    if (st == ABDB_OK) (void)!abdb_writer_update_derived(writer, &err);
}

/* The first byte: pull, push or settle; the rest: what the store says. */
FUZZ_TARGET(fuzz_answers_of_fake_store_program)
{
    abdb_store_client link = {0};
    abdb_push_counts pushed = {0};
    abdb_db *db;
    abdb_writer *writer = fuzz_get_shared_db_writer_renewing(&db);
    char scratch[128];
    abdb_error err;

    (void)word;
    if (!size) return;
    snprintf(scratch, sizeof scratch, "%s/scratch.db", fuzz_get_or_create_scratch_folder());
    write_db_without_rows(scratch);
    fuzz_set_output_of_fake_program(data + 1, size - 1);
    if (abdb_store_client_start_and_open(&link, make_empty_store_program_return_folder(),
                                         "postgresql://h/d", "make", false,
                                         &(abdb_stream_limits){60, 60}, &err) == ABDB_OK) {
        switch (data[0]) {
        case 'p': (void)!abdb_push_database(&link, db, &pushed, &err); break;
        case 's': (void)!abdb_derive_remote_rows_if_store_asks(&link, scratch, &err); break;
        default: pull_rows_into_scratch_and_merge(&link, db, writer, scratch);
        }
    }
    abdb_text_free(&pushed.different);
    abdb_store_client_close(&link);
    remove(scratch);
    fuzz_set_output_of_fake_program(NULL, 0);
}

/* Weights from a file; `word`: how it begins. */
FUZZ_TARGET(fuzz_parse_weights_file_and_read_rows)
{
    abdb_weights_file f = {0};
    unsigned char *whole = malloc(4 + size);
    size_t begin = word ? strlen(word) : 0;
    char path[64];
    float row[4096];
    abdb_error err;
    int file;

    if (!whole) return;
    if (word) memcpy(whole, word, begin);
    if (size) memcpy(whole + begin, data, size);
    file = fuzz_bytes_to_memfd(whole, begin + size);
    free(whole);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (abdb_weights_file_map_and_parse(&f, path, &err) == ABDB_OK) {
        for (size_t i = 0; i < f.count; i++) {
            const abdb_file_tensor *s = &f.saved[i];

            if (abdb_weights_file_find_tensor(&f, s->name) == NULL)
                fuzz_abort_promise_broken("found by name", s->name);
            if (s->dtype == ABDB_DTYPE_COUNT || s->columns > 4096) continue;
            for (size_t r = 0; r < s->rows && r < 64; r++)
                abdb_file_tensor_read_row_as_f32(s, r, row);
            if (s->rows) abdb_file_tensor_read_row_as_f32(s, s->rows - 1, row);
        }
        abdb_weights_file_close(&f);
    }
    close(file);
}

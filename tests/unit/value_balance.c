/* value_balance.c - tests of ingest/value_balance.h: every importer accounts for the values that it
 * reads, on all fixtures that it bids for; one that drops a value or a whole entry is caught,
 * whichever it is. Importers are found by the registry: a new one without a fixture fails here. */
#include "ingest/value_balance.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ingest/registry.h"
#include "tests/unit/check.h"

enum { FILES_MAX = 256, IMPORTERS_MAX = 64 };

/* What stands for the store, behind the balance; and before it, what a faulty importer does. */
typedef struct {
    long results, left_out, rejects, faults, facts;
} counting_sink;

typedef enum { FAITHFUL, DROPS_A_RESULT, DROPS_AN_ENTRY } sink_fault;

typedef struct {
    abdb_sink inner;
    sink_fault behaviour;
    long dropped;
} faulty_sink;

static abdb_status count_entry_results_and_left_out(void *self, const abdb_entry *entry,
                                                    abdb_error *err)
{
    counting_sink *k = self;

    (void)err;
    k->results += (long)entry->results;
    k->left_out += (long)entry->values_left_out;
    return ABDB_OK;
}

static abdb_status count_fact(void *self, const abdb_fact *fact, abdb_error *err)
{
    counting_sink *k = self;

    (void)fact;
    (void)err;
    k->facts++;
    return ABDB_OK;
}

static abdb_status count_reject_and_lost_values(void *self, const abdb_reject *reject,
                                                abdb_error *err)
{
    counting_sink *k = self;

    (void)err;
    k->rejects++;
    k->faults += reject->reason && strstr(reject->reason, "came to nothing") != NULL;
    return ABDB_OK;
}

/* The first entry with results loses one, or is lost. */
static abdb_status forward_entry_with_planted_loss(void *self, const abdb_entry *entry,
                                                   abdb_error *err)
{
    faulty_sink *m = self;
    abdb_entry *less;
    abdb_status st;

    if (m->behaviour == FAITHFUL || m->dropped || !entry->results)
        return m->inner.entry(m->inner.self, entry, err);
    m->dropped = m->behaviour == DROPS_A_RESULT ? 1 : (long)entry->results;
    if (m->behaviour == DROPS_AN_ENTRY) return ABDB_OK;
    less = malloc(sizeof *less);
    assert_non_null(less);
    *less = *entry;
    less->results--;
    st = m->inner.entry(m->inner.self, less, err);
    free(less);
    return st;
}

static abdb_status forward_fact(void *self, const abdb_fact *fact, abdb_error *err)
{
    faulty_sink *m = self;

    return m->inner.fact(m->inner.self, fact, err);
}

static abdb_status forward_reject(void *self, const abdb_reject *reject, abdb_error *err)
{
    faulty_sink *m = self;

    return m->inner.reject(m->inner.self, reject, err);
}

static abdb_status forward_row_end(void *self, abdb_error *err)
{
    faulty_sink *m = self;

    return m->inner.row_end(m->inner.self, err);
}

static void add_overrides_that_fixtures_need(abdb_overrides *words)
{
    static const char *const said[] = {"model=llama2-70b", "workload=all_reduce",
                                       "device=H100-SXM"};
    abdb_error err;

    for (size_t i = 0; i < sizeof said / sizeof said[0]; i++)
        assert_ok(abdb_overrides_validate_and_add_setting(words, said[i], &err));
}

/* Reads a fixture, if an importer claims it: who, and the balance of what it read. */
static const abdb_importer *import_fixture_return_importer(const char *path, faulty_sink *faulty,
                                                           counting_sink *counts,
                                                           abdb_balance *balance,
                                                           long *named_left_out)
{
    const abdb_sink store = {counts, count_entry_results_and_left_out, count_fact,
                             count_reject_and_lost_values, abdb_sink_ignore_row_end};
    const abdb_importer *importer = NULL;
    abdb_left_out left_out = {0};
    abdb_overrides words = {0};
    abdb_input input;
    abdb_sink balanced, front;
    abdb_error err;

    assert_ok(abdb_input_map_file_and_decode(&input, path, &err));
    *counts = (counting_sink){0};
    if (abdb_importer_find_by_name_or_highest_bid(&importer, NULL, &input, &err) == ABDB_OK) {
        add_overrides_that_fixtures_need(&words);
        input.left_out = &left_out;
        balanced = abdb_balance_make_counting_sink(balance, &store, &left_out);
        faulty->inner = balanced;
        front = (abdb_sink){faulty, forward_entry_with_planted_loss, forward_fact, forward_reject,
                            forward_row_end};
        assert_ok(importer->read(&input, &words, &front, &err));
        assert_ok(abdb_balance_reject_lost_values_of_last_row(balance, &err));
        *named_left_out = left_out.values;
        abdb_overrides_free(&words);
    }
    abdb_input_close(&input);
    return importer;
}

static size_t list_fixture_paths(char path[FILES_MAX][300])
{
    const char *folder = "tests/fixtures";
    DIR *dir = opendir(folder);
    struct dirent *item;
    size_t n = 0;

    assert_non_null(dir);
    while ((item = readdir(dir)))
        if (strchr(item->d_name, '.') > item->d_name) { /* no folder, and not hidden */
            assert_true(n < FILES_MAX);
            snprintf(path[n++], 300, "%s/%s", folder, item->d_name);
        }
    closedir(dir);
    return n;
}

static size_t index_of_importer(const abdb_importer *importer)
{
    size_t i = 0;

    while (abdb_importers[i] && abdb_importers[i] != importer) i++;
    assert_true(i < IMPORTERS_MAX);
    return i;
}

static void test_every_importer_accounts_for_values(void **state)
{
    static char path[FILES_MAX][300];
    size_t files = list_fixture_paths(path);
    long read[IMPORTERS_MAX] = {0}, caught[IMPORTERS_MAX][3] = {{0}};

    (void)state;
    for (size_t i = 0; i < 3 * files; i++) {
        sink_fault how = (sink_fault)(i / files);
        faulty_sink m = {.behaviour = how};
        counting_sink k;
        abdb_balance b;
        long named = 0;
        const abdb_importer *importer =
            import_fixture_return_importer(path[i % files], &m, &k, &b, &named);
        size_t which = importer ? index_of_importer(importer) : 0;

        if (!importer) continue;
        if (b.read != k.results + k.left_out + named + b.rejected)
            fail_msg("%s: %ld read, %ld kept, %ld + %ld left out, %ld rejected", path[i % files],
                     b.read, k.results, k.left_out, named, b.rejected);
        if (how == FAITHFUL) {
            if (b.lost || k.faults)
                fail_msg("%s: %s loses %ld values", path[i % files], importer->name, b.lost);
            read[which] += k.results;
        }
        caught[which][how] += m.dropped && (b.lost == m.dropped || b.rejected >= m.dropped);
        if (m.dropped && !k.rejects) fail_msg("%s: dropped in silence", path[i % files]);
    }
    for (size_t i = 0; abdb_importers[i]; i++) {
        const char *name = abdb_importers[i]->name;

        if (!read[i]) fail_msg("no fixture of %s has a value", name);
        if (!caught[i][DROPS_A_RESULT]) fail_msg("%s may drop a value in silence", name);
        if (!caught[i][DROPS_AN_ENTRY]) fail_msg("%s may drop an entry in silence", name);
    }
}

/* What no fixture has: a run that failed by the rules of its benchmark, a mode without a time. */
static void test_failed_and_timeless_rows_are_counted(void **state)
{
    static const struct {
        const char *format, *text;
        long read, kept;
    } files[] = {
        {"mlperf-storage",
         "{\"num_accelerators\": 8, \"num_hosts\": 1, \"metric\": {"
         "\"train_throughput_mean_samples_per_second\": 120.5, \"train_io_mean_MB_per_second\": 90,"
         " \"train_au_mean_percentage\": 50, \"train_au_meet_expectation\": \"fail\"}}",
         3, 0},
        {"nvbench",
         "{\"devices\": [], \"benchmarks\": [{\"name\": \"b\", \"states\": [{\"is_skipped\": false,"
         " \"summaries\": [{\"tag\": \"nv/cold/time/gpu/mean\", \"data\": [{\"name\": \"value\","
         " \"type\": \"float64\", \"value\": \"0.5\"}]}, {\"tag\": \"nv/batch/time/gpu/mean\","
         " \"data\": [{\"name\": \"value\", \"type\": \"float64\", \"value\": \"0\"}]}]}]}]}",
         2, 1}};

    (void)state;
    for (size_t i = 0; i < sizeof files / sizeof files[0]; i++) {
        counting_sink k = {0};
        const abdb_sink store = {&k, count_entry_results_and_left_out, count_fact,
                                 count_reject_and_lost_values, abdb_sink_ignore_row_end};
        abdb_left_out left_out = {0};
        const abdb_importer *importer;
        abdb_overrides words = {0};
        abdb_balance b;
        abdb_input in;
        abdb_sink front;
        abdb_error err;

        assert_ok(abdb_input_decode_memory_to_utf8(&in, files[i].format, files[i].text,
                                                   strlen(files[i].text), &err));
        assert_ok(abdb_importer_find_by_name_or_highest_bid(&importer, files[i].format, &in, &err));
        add_overrides_that_fixtures_need(&words);
        in.left_out = &left_out;
        front = abdb_balance_make_counting_sink(&b, &store, &left_out);
        assert_ok(importer->read(&in, &words, &front, &err));
        assert_ok(abdb_balance_reject_lost_values_of_last_row(&b, &err));
        if (b.lost || k.rejects)
            fail_msg("%s: %ld lost, %ld rejects", files[i].format, b.lost, k.rejects);
        assert_int_equal(b.read, files[i].read);
        assert_int_equal(k.results, files[i].kept);
        assert_int_equal(k.left_out + left_out.values, files[i].read - files[i].kept);
        abdb_overrides_free(&words);
        abdb_input_close(&in);
    }
}

/* What is read behind the last row_end, and what is no result but was counted, is found too; one
 * value in two entries is no fault. */
static void test_value_behind_last_row_is_counted_lost(void **state)
{
    counting_sink k = {0};
    const abdb_sink store = {&k, count_entry_results_and_left_out, count_fact,
                             count_reject_and_lost_values, abdb_sink_ignore_row_end};
    static abdb_entry entry;
    abdb_balance b;
    abdb_error err;
    abdb_sink sink = abdb_balance_make_counting_sink(&b, &store, NULL);

    (void)state;
    (void)abdb_entry_add_result_or_count_left_out(&entry, "time_s", 1);
    assert_ok(sink.entry(sink.self, &entry, &err));
    assert_ok(sink.entry(sink.self, &entry, &err));
    assert_ok(sink.row_end(sink.self, &err));
    assert_int_equal(b.read, 2);
    assert_int_equal(b.lost + k.rejects, 0);
    abdb_entry_drop_results_as_left_out(&entry);
    assert_int_equal(entry.results, 0);
    assert_int_equal(entry.values_left_out, 1);
    abdb_add_thread_values_read(3);
    assert_ok(abdb_balance_reject_lost_values_of_last_row(&b, &err));
    assert_int_equal(b.lost, 3);
    assert_int_equal(k.faults, 1);
    assert_ok(abdb_balance_reject_lost_values_of_last_row(&b, &err));
    assert_int_equal(k.faults, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_importer_accounts_for_values),
        cmocka_unit_test(test_failed_and_timeless_rows_are_counted),
        cmocka_unit_test(test_value_behind_last_row_is_counted_lost)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* mutants.c - damaged copies of the fixtures through every importer: accepted, rejected or refused,
 * never a crash, leak or hang. MUTANTS: how many of each (default 50); `make fuzz` runs many under
 * sanitizers. SEED: of the damage (default 1), printed with what failed. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ingest/value_balance.h"
#include "ingest/importer.h"
#include "ingest/mlperf/round.h"
#include "ingest/read/archive.h"
#include "ingest/registry.h"
#include "tests/unit/check.h"

enum { FILE_MAX = 1 << 20, MUTANTS = 50, TIMEOUT_S = 600 };

static uint64_t random_state;

static uint64_t random_below(uint64_t limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return limit ? random_state % limit : 0;
}

/* A sink that looks at everything it is given. */
static size_t seen;

static abdb_status touch_all_texts_of_entry(void *self, const abdb_entry *e, abdb_error *err)
{
    (void)self, (void)err;
    for (int i = 0; i < ABDB_FIELD_COUNT; i++) seen += e->field[i] ? strlen(e->field[i]) : 0;
    for (size_t i = 0; i < e->factors; i++)
        seen += strlen(e->factor[i].name) + strlen(e->factor[i].text);
    for (size_t i = 0; i < e->results; i++)
        seen += strlen(e->result[i].metric) +
                (e->result[i].raw_value ? strlen(e->result[i].raw_value) : 0);
    for (size_t i = 0; i < e->telemetries; i++)
        seen += strlen(e->telemetry[i].sensor) + strlen(e->telemetry[i].unit);
    for (size_t i = 0; i < e->spans; i++) seen += strlen(e->span[i].name);
    for (size_t i = 0; i < e->ranks; i++) seen += strlen(e->rank[i].host);
    seen += e->process.campaign ? strlen(e->process.campaign) + strlen(e->process.started) : 0;
    return ABDB_OK;
}

static abdb_status touch_all_texts_of_fact(void *self, const abdb_fact *f, abdb_error *err)
{
    (void)self, (void)err;
    for (size_t i = 0; i < f->columns; i++)
        seen += strlen(f->column[i].name) + (f->column[i].text ? strlen(f->column[i].text) : 0);
    return ABDB_OK;
}

static abdb_status touch_all_texts_of_reject(void *self, const abdb_reject *r, abdb_error *err)
{
    (void)self, (void)err;
    seen += strlen(r->reason) + (r->raw ? strlen(r->raw) : 0) + (r->field ? strlen(r->field) : 0);
    return ABDB_OK;
}

static abdb_status ignore_row_end(void *self, abdb_error *err)
{
    (void)self, (void)err;
    return ABDB_OK;
}

static abdb_status touch_member_path_and_last_byte(void *self, const char *path,
                                                   const abdb_input *input, abdb_error *err)
{
    (void)self, (void)err;
    seen += strlen(path) + (input && input->size ? input->data[input->size - 1] : 0);
    return ABDB_OK;
}

/* The bytes as every part of a result folder, one after another, beside nothing that is whole. */
static void import_bytes_as_each_mlperf_round_file(const char *data, size_t size,
                                                   const abdb_sink *sink)
{
    static const char *const parts[] = {
        "v5.1/closed/A/results/box/m/Server/performance/run_1/mlperf_log_detail.txt",
        "v5.1/closed/A/results/box/m/SingleStream/performance/run_1/mlperf_log_summary.txt",
        "v5.1/closed/A/results/box/m/Server/performance/run_1/spl.txt",
        "v5.1/closed/A/results/box/m/Server/accuracy/accuracy.txt",
        "v5.1/closed/A/systems/box.json",
        "v5.0/A/results/box/retinanet/result_0.txt",
        "v5.0/A/results/box/retinanet/scaling.json",
        "v5.0/A/systems/box.json",
        "v1.2/closed/A/results/box/ad/performance/results.txt",
        "v1.2/closed/A/systems/box.json"};
    abdb_mlperf_round *round = NULL;
    abdb_overrides words = {0};
    abdb_error err = {0};
    abdb_input in;

    if (abdb_mlperf_round_create(&round, &err) != ABDB_OK) return;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        bool taken;

        if (abdb_input_decode_memory_to_utf8(&in, parts[i], data, size, &err) == ABDB_OK)
            (void)!abdb_mlperf_round_add_file(round, &in, "0", &taken, &err);
        abdb_input_close(&in);
    }
    if (abdb_mlperf_round_group_files_into_folders(round, &err) == ABDB_OK)
        for (size_t i = 0; i < abdb_mlperf_round_folder_count(round); i++) {
            abdb_balance balance;
            abdb_sink front = abdb_balance_make_counting_sink(&balance, sink, NULL);

            if (abdb_mlperf_round_import_or_reject_folder(round, i, &words, &front, &err) ==
                ABDB_OK)
                (void)!abdb_balance_reject_lost_values_of_last_row(&balance, &err);
            if (balance.lost) fail_msg("a round loses %ld values", balance.lost);
        }
    abdb_mlperf_round_destroy(round);
}

/* Whatever is damaged, each value that is read is handed over, or its row has a reject. */
static void import_and_fail_if_values_are_lost(const abdb_importer *importer, abdb_input *in,
                                               const abdb_sink *sink)
{
    abdb_left_out left_out = {0};
    abdb_overrides words = {0};
    abdb_error err = {0};
    abdb_balance balance;
    abdb_sink front = abdb_balance_make_counting_sink(&balance, sink, &left_out);

    in->left_out = &left_out;
    if (importer->read(in, &words, &front, &err) == ABDB_OK)
        (void)!abdb_balance_reject_lost_values_of_last_row(&balance, &err);
    if (balance.lost)
        fail_msg("%s loses %ld values of: %.*s", importer->name, balance.lost, (int)in->text_size,
                 in->text);
    in->left_out = NULL;
}

static void import_bytes_by_bid_winner_and_every_importer(const char *data, size_t size)
{
    const abdb_sink sink = {NULL, touch_all_texts_of_entry, touch_all_texts_of_fact,
                            touch_all_texts_of_reject, ignore_row_end};
    const abdb_importer *importer;
    abdb_error err = {0};
    abdb_input in;

    if (abdb_input_decode_memory_to_utf8(&in, "mutant", data, size, &err) == ABDB_OK) {
        if (abdb_archive_has_known_first_bytes(in.path, in.data, in.size))
            (void)!abdb_archive_deliver_members_of_memory(
                &in, &(abdb_member_handler){.member = touch_member_path_and_last_byte}, &err);
        if (abdb_importer_find_by_name_or_highest_bid(&importer, NULL, &in, &err) == ABDB_OK)
            import_and_fail_if_values_are_lost(importer, &in, &sink);
        for (size_t i = 0; abdb_importers[i]; i++) /* forced, too */
            import_and_fail_if_values_are_lost(abdb_importers[i], &in, &sink);
        import_bytes_as_each_mlperf_round_file(data, size, &sink);
    }
    abdb_input_close(&in);
}

/* One to four wounds: a bit, a byte of meaning, a piece cut, doubled or moved. */
static size_t damage_bytes_randomly_return_size(char *data, size_t size)
{
    static const char meaning[] = "\",\n\r\t\\{}[]:0-.e\0\xff\xfe%'`$";

    for (uint64_t wounds = 1 + random_below(4); wounds && size; wounds--) {
        size_t at = random_below(size), length = 1 + random_below(size - at < 64 ? size - at : 64);

        switch (random_below(5)) {
        case 0: data[at] = (char)(data[at] ^ (1 << random_below(8))); break;
        case 1: data[at] = meaning[random_below(sizeof meaning)]; break;
        case 2:
            memmove(data + at, data + at + length, size - at - length);
            size -= length;
            break;
        case 3:
            if (size + length > FILE_MAX) break;
            memmove(data + at + length, data + at, size - at);
            size += length;
            break;
        default: size = at; break;
        }
    }
    return size;
}

static void import_damaged_copies_of_file(const char *path, long copies)
{
    char *whole = malloc(FILE_MAX), *copy = malloc(FILE_MAX);
    FILE *file = fopen(path, "rb");
    size_t size;

    assert_non_null(file);
    size = fread(whole, 1, FILE_MAX / 2, file);
    fclose(file);
    for (long i = 0; i < copies; i++) {
        size_t now = size;

        memcpy(copy, whole, size);
        now = damage_bytes_randomly_return_size(copy, now);
        import_bytes_by_bid_winner_and_every_importer(copy, now);
    }
    free(whole);
    free(copy);
}

static void test_damaged_fixtures_never_crash(void **state)
{
    const char *text = getenv("MUTANTS"), *seed = getenv("SEED");
    DIR *dir = opendir("tests/fixtures");
    struct dirent *entry;
    size_t files = 0;

    (void)state;
    random_state = 0x9E3779B97F4A7C15u * (seed ? strtoull(seed, NULL, 10) : 1);
    alarm(text ? 0 : TIMEOUT_S);
    if (!dir) skip(); /* not in the tree */
    while ((entry = readdir(dir))) {
        char path[400];

        if (entry->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "tests/fixtures/%s", entry->d_name);
        import_damaged_copies_of_file(path, text ? atol(text) : MUTANTS);
        files++;
    }
    closedir(dir);
    assert_true(files >= 8 && seen > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_damaged_fixtures_never_crash)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}

/* import_file.c - one file into the database as one transaction: which importer reads it, whether
 * its bytes are here already, and the sinks between reading and storing. And databases opened for
 * writing, which get the vocabulary of this build. See import_file.h, command_line.h. */
#include "query/import/import_file.h"
#include "ingest/registry.h"

#include <stdio.h>
#include <string.h>

#include "query/cli/command_line.h"
#include "schema/core/sink_thread.h"
#include "schema/core/timing.h"
#include "schema/store/digest.h"
#include "schema/store/entry_key.h"

extern const abdb_embedded abdb_vocabulary[];

/* The origin of a unit's records: an importer and its input, or a folder of a round. */
typedef struct {
    const abdb_importer *importer;
    const abdb_input *input;
    const abdb_mlperf_round *round;
    size_t folder;
    const char *sha256; /* of the input */
} record_source;

/* A sink that counts rows and shows the progress. */
typedef struct {
    abdb_sink inner;
    const abdb_input *input;
    const abdb_import_options *options;
    size_t at;
    long rows;
    double began_s, said_s; /* by abdb_monotonic_seconds */
} counter;

static abdb_status forward_entry(void *self, const abdb_entry *entry, abdb_error *err)
{
    counter *c = self;

    return c->inner.entry(c->inner.self, entry, err);
}

static abdb_status forward_fact(void *self, const abdb_fact *fact, abdb_error *err)
{
    counter *c = self;

    return c->inner.fact(c->inner.self, fact, err);
}

static abdb_status forward_reject(void *self, const abdb_reject *reject, abdb_error *err)
{
    counter *c = self;

    return c->inner.reject(c->inner.self, reject, err);
}

/* Counts a row and shows the progress at most five times a second, then hands the row on. */
static abdb_status count_row_show_progress(void *self, abdb_error *err)
{
    enum { ROWS = 4096 };
    static const double pause_s = 0.2;
    counter *c = self;

    if (++c->rows % ROWS == 0 && c->options->progress &&
        abdb_monotonic_seconds() - c->said_s > pause_s) {
        c->said_s = abdb_monotonic_seconds();
        c->options->progress(c->input->path, c->rows,
                             c->input->text_size ? (double)c->at / (double)c->input->text_size : 0,
                             abdb_monotonic_seconds() - c->began_s);
    }
    return c->inner.row_end(c->inner.self, err);
}

enum { QUEUE_SIZE = 1 << 20 }; /* inputs from this size on are read and stored at the same time */

/* Reads in this thread, stores in another. */
static abdb_status read_and_store_in_threads(const record_source *p,
                                             const abdb_import_options *options,
                                             const abdb_sink *sink, abdb_balance *balance,
                                             abdb_error *err)
{
    counter c = {.input = p->input, .options = options};
    abdb_input input = *p->input;
    abdb_keymaker keys;
    abdb_sink_thread *queue;
    const abdb_sink counted = {&c, forward_entry, forward_fact, forward_reject,
                               count_row_show_progress};
    abdb_sink front = abdb_balance_make_counting_sink(balance, &counted, p->input->left_out);
    abdb_error late;
    double from;
    abdb_status st, stored;

    TRY(abdb_keymaker_open(&keys, p->sha256, err));
    keys.prefetch_keys = abdb_writer_prefetch_keys;
    TRY(abdb_sink_thread_start(&queue, sink, &keys, err));
    c.inner = abdb_sink_thread_make_enqueuing_sink(queue);
    c.said_s = c.began_s = abdb_monotonic_seconds();
    input.at = &c.at;
    from = abdb_timing_now_if_enabled();
    st = p->importer->read(&input, options->words, &front, err);
    if (st == ABDB_OK) st = abdb_balance_reject_lost_values_of_last_row(balance, err);
    abdb_timing_add_elapsed("read and parse, with waiting", from);
    stored = abdb_sink_thread_drain_and_join(queue, &late);
    if (stored != ABDB_OK) {
        *err = late;
        st = stored;
    }
done:
    abdb_keymaker_close(&keys);
    return st;
}

/* Reads one file or folder into the sink and settles the balance of its values; large files are
 * stored by a second thread. */
static abdb_status read_records_into_sink(const record_source *p,
                                          const abdb_import_options *options, const abdb_sink *sink,
                                          abdb_balance *balance, abdb_error *err)
{
    abdb_sink front;
    abdb_status st = ABDB_OK;

    if (!p->round && p->input->size >= QUEUE_SIZE)
        return read_and_store_in_threads(p, options, sink, balance, err);
    front = abdb_balance_make_counting_sink(balance, sink, p->round ? NULL : p->input->left_out);
    TRY(p->round ? abdb_mlperf_round_import_or_reject_folder(p->round, p->folder, options->words,
                                                             &front, err)
                 : p->importer->read(p->input, options->words, &front, err));
    TRY(abdb_balance_reject_lost_values_of_last_row(balance, err));
done:
    return st;
}

/* Checks that all read values were kept, known, rejected or left out: the writer counts the values
 * that it gets from the importer, the importer counts all values read. */
static abdb_status require_values_accounted_for(const abdb_balance *b, const abdb_counts *c,
                                                const abdb_left_out *left_out, abdb_error *err)
{
    long told = c->values_kept + c->values_known + c->values_rejected + c->values_left_out +
                b->rejected + left_out->values;

    return b->read == told ? ABDB_OK
                           : ABDB_FAIL(err, ABDB_DATA,
                                       "%ld values were read, and %ld accounted for: a fault of"
                                       " abdb, please report it; nothing was kept",
                                       b->read, told);
}

/* One unit in one transaction. --strict reads twice: the first time only to count rejects, the
 * second to keep; --dry-run takes everything back. */
static abdb_status import_in_transaction(abdb_writer *writer, abdb_import_file *unit,
                                         const record_source *p, const abdb_import_options *options,
                                         abdb_import_result *out, abdb_error *err)
{
    abdb_text words = {0}, others = {0};
    abdb_balance balance;
    abdb_sink sink;
    abdb_status st = ABDB_OK;

    out->format = unit->format;
    abdb_overrides_append_canonical_text(options->words, &words);
    unit->overrides = abdb_text_get(&words);
    unit->retry = options->retry;
    unit->refresh = options->refresh;
    unit->replace = options->replace;
    unit->replace_overrides = options->replace_words;
    TRY(abdb_writer_begin_file_unless_known(writer, unit, &out->known, &out->counts, err));
    if (out->known) {
        if (options->replace && !options->dry_run)
            TRY(abdb_writer_withdraw_other_imports_of_file(writer, err));
        snprintf(out->replaced, sizeof out->replaced, "%s",
                 abdb_writer_get_replaced_readings(writer));
        goto done;
    }
    sink = abdb_writer_make_storing_sink(writer);
    TRY(read_records_into_sink(p, options, &sink, &balance, err));
    if (options->dry_run) {
        abdb_writer_rollback_and_forget_ids(writer, &out->counts);
        goto kept;
    }
    if (options->strict) {
        abdb_writer_rollback_and_forget_ids(writer, &out->counts);
        if (out->counts.rejected)
            TRY(ABDB_FAIL(err, ABDB_GATE,
                          "%ld row%s rejected, and --strict was given: nothing kept; first %s",
                          out->counts.rejected, abdb_plural_ending(out->counts.rejected),
                          out->counts.first_reject));
        if (out->counts.refused)
            TRY(ABDB_FAIL(err, ABDB_GATE,
                          "%ld value%s of accepted rows refused, and --strict was given: nothing"
                          " kept; first %s",
                          out->counts.refused, abdb_plural_ending(out->counts.refused),
                          out->counts.first_reject));
        TRY(abdb_writer_begin_file_unless_known(writer, unit, &out->known, &out->counts, err));
        out->left_out = (abdb_left_out){0};
        TRY(read_records_into_sink(p, options, &sink, &balance, err));
    }
    TRY(require_values_accounted_for(&balance, abdb_writer_counts(writer), &out->left_out, err));
    TRY(abdb_writer_commit_and_withdraw_replaced_imports(writer, &out->counts, err));
    if (!options->replace && options->refresh == ABDB_REFRESH_NO && !options->retry) {
        TRY(abdb_writer_find_other_overrides_of_same_file(writer, &others, err));
        snprintf(out->other_words, sizeof out->other_words, "%s", abdb_text_get(&others));
    }
    snprintf(out->replaced, sizeof out->replaced, "%s", abdb_writer_get_replaced_readings(writer));
kept:
    out->counts.values_rejected += balance.rejected;
    out->marks = balance.marks;
done:
    abdb_writer_rollback_and_forget_ids(writer, NULL);
    abdb_text_free(&words);
    abdb_text_free(&others);
    return st;
}

static void release_read_pages(const void *input, size_t upto)
{
    abdb_input_release_pages(input, upto);
}

abdb_status abdb_import_input_as_one_transaction(abdb_writer *writer, const abdb_input *input,
                                                 const abdb_import_options *options,
                                                 abdb_import_result *out, abdb_error *err)
{
    abdb_import_file unit = {.path = input->path, .data = input->data, .size = input->size};
    abdb_input own = *input;
    record_source p = {.input = &own};
    char sha[ABDB_SHA256_HEX];
    double from;
    abdb_status st = ABDB_OK;

    *out = (abdb_import_result){.remark = input->remark};
    TRY(abdb_importer_find_by_name_or_highest_bid(&p.importer, options->format, input, err));
    unit.format = p.importer->name;
    unit.importer =
        abdb_importer_version_of_format_with_maps(unit.format, options->words->map != NULL);
    from = abdb_timing_now_if_enabled();
    abdb_sha256_hex_with_progress(input->data, input->size, release_read_pages, input, sha);
    abdb_timing_add_elapsed("digest of the file", from);
    unit.sha256 = p.sha256 = sha;
    own.left_out = &out->left_out;
    TRY(import_in_transaction(writer, &unit, &p, options, out, err));
    out->counts.values_left_out += out->left_out.values;
done:
    return st;
}

abdb_status abdb_import_round_folder_as_one_transaction(abdb_writer *writer,
                                                        const abdb_mlperf_round *round,
                                                        size_t folder_index,
                                                        const abdb_import_options *options,
                                                        abdb_import_result *out, abdb_error *err)
{
    abdb_text path = {0}, manifest = {0};
    record_source p = {.round = round, .folder = folder_index};
    abdb_import_file unit = {0};
    abdb_status st = ABDB_OK;

    *out = (abdb_import_result){0};
    TRY(abdb_mlperf_round_build_folder_manifest(round, folder_index, &path, &unit.format, &manifest,
                                                err));
    unit.importer = abdb_importer_version_of_format_with_maps(unit.format, false);
    unit.path = abdb_text_get(&path);
    unit.data = abdb_text_get(&manifest);
    unit.size = manifest.size;
    TRY(import_in_transaction(writer, &unit, &p, options, out, err));
done:
    abdb_text_free(&path);
    abdb_text_free(&manifest);
    return st;
}

/* Sources, devices, models and aliases of this build, unless the file has them already: meta keeps
 * their digest. They are imported like any file, under the name "(built in) FILE". */
static abdb_status import_builtin_vocabulary_if_changed(abdb_db *db, abdb_writer *writer,
                                                        abdb_error *err)
{
    abdb_overrides words = {0};
    abdb_import_options options = {
        .format = "abdb-csv", .words = &words, .refresh = ABDB_REFRESH_ALSO};
    abdb_import_result result;
    abdb_text all = {0};
    char digest[ABDB_SHA256_HEX], *sql = NULL;
    sqlite3_int64 have;
    abdb_status st = ABDB_OK;

    for (size_t i = 0; abdb_vocabulary[i].name; i++) abdb_text_puts(&all, abdb_vocabulary[i].text);
    abdb_text_printf(&all, "version %d",
                     abdb_importer_version_of_format_with_maps("abdb-csv", false));
    abdb_sha256_hex(abdb_text_get(&all), all.size, digest);
    sql = sqlite3_mprintf("SELECT count(*) FROM meta WHERE key = 'vocabulary' AND value = %Q",
                          digest);
    if (!sql || all.failed) TRY(ABDB_FAIL(err, ABDB_NOMEM, "the vocabulary"));
    TRY(abdb_db_query_integer_or_0(db, sql, &have, err));
    if (have) goto done;
    for (size_t i = 0; abdb_vocabulary[i].name; i++) {
        abdb_input input;
        char path[80];

        snprintf(path, sizeof path, "(built in) %.60s", abdb_vocabulary[i].name);
        TRY(abdb_input_decode_memory_to_utf8(&input, path, abdb_vocabulary[i].text,
                                             strlen(abdb_vocabulary[i].text), err));
        st = abdb_import_input_as_one_transaction(writer, &input, &options, &result, err);
        abdb_input_close(&input);
        if (st != ABDB_OK) {
            abdb_error_prepend_context(err, "%s", path);
            goto done;
        }
    }
    sqlite3_free(sql);
    sql = sqlite3_mprintf("INSERT OR REPLACE INTO meta VALUES ('vocabulary', %Q)", digest);
    if (!sql) TRY(ABDB_FAIL(err, ABDB_NOMEM, "the vocabulary"));
    TRY(abdb_db_exec(db, sql, err));
    TRY(abdb_writer_update_derived(writer, err));
done:
    sqlite3_free(sql);
    abdb_text_free(&all);
    return st;
}

abdb_status abdb_open_db_for_writing(abdb_db **db, abdb_writer **writer, const char *path,
                                     const abdb_busy_timeout *patience, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    *db = NULL;
    *writer = NULL;
    TRY(abdb_db_open_with_timeout(db, path, ABDB_CREATE, patience, err));
    if ((*db)->migrated)
        abdb_print_stderr_remark("%s was of version %d: migrated, the old file is %s.v%d.bak", path,
                                 (*db)->migrated, path, (*db)->migrated);
    TRY(abdb_writer_open(writer, *db, err));
    TRY(import_builtin_vocabulary_if_changed(*db, *writer, err));
done:
    if (st != ABDB_OK) {
        abdb_writer_rollback_and_close(*writer);
        abdb_db_close(*db);
        *writer = NULL;
        *db = NULL;
    }
    return st;
}

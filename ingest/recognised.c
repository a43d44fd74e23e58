/* recognised.c - files of known programs that abdb does not read; see recognised.h. Only the first
 * 64 KiB are looked at. */
#include "ingest/recognised.h"

#include <string.h>

enum { HEAD = 1 << 16 };

/* All words must stand in the text ('|' between them), the first of them at its beginning where
 * `begins` says so. First match counts. */
static const struct {
    bool begins, results; /* results: of a benchmark or acceptance program */
    const char *words, *what;
} known[] = {
    {true, true, "SQLite format 3|CUPTI_ACTIVITY",
     "a profile that Nsight Systems (nsys) exported to SQLite; abdb reads no profiles"},
    {true, false, "SQLite format 3", "an SQLite database; abdb reads those of llama-bench only"},
    {true, false, "PRAGMA foreign_keys=|INSERT INTO",
     "a dump of an SQLite database, of no program whose tables abdb reads"},
    {false, true, "\"nccl-tests structured output\"",
     "JSON of a proposed form of nccl-tests; abdb reads the console output and -J of the released"},
    {false, true, "| time (us)|algbw (GB/s)|busbw (GB/s)",
     "a table of nccl-tests that was rewritten by hand; abdb reads the program's own output"},
    {false, true, "op_name|op_params|test_mode",
     "output of test-backend-ops of llama.cpp; abdb reads that of llama-bench"},
    {false, true, "Iterations|Time|CPU|----------\nBenchmark",
     "console output of google-benchmark; abdb reads its JSON (--benchmark_format=json)"},
    {false, true, "name,iterations,real_time,cpu_time",
     "CSV of google-benchmark; abdb reads its JSON (--benchmark_format=json)"},
    {false, true, "# Benchmark Results|GPU Time|Samples",
     "console output of NVBench; abdb reads its JSON (--json FILE)"},
    {false, false, ":::MLPv0.5",
     "a training log of MLPerf v0.5, which abdb reads in its round's folder"},
    {false, false, ":::MLL ",
     "a training log of MLPerf v0.6, which abdb reads in its round's folder"},
    {false, false, "][cublasLt][|][Trace][cublasLt",
     "a log of cublasLt, which lists calls without their times; abdb reads the rates of "
     "SuperBench's cublaslt-gemm"},
    {false, true, "^^^^ CUDA : elapsed = |Gflops = ",
     "output of NVIDIA's cublasMatmulBench; abdb reads the rates of SuperBench's cublaslt-gemm"},
    {false, true, "#Entity|POWER",
     "a log of dcgmi dmon without TOTEC; abdb reads it with the energy counter (-e 155,156)"},
    {false, true, "DCGM_FI_DEV_POWER_USAGE{|DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION{",
     "one moment of the DCGM exporter, whose energy counts from the driver's start; abdb reads a "
     "log of dcgmi dmon -e 155,156"},
    {false, false, "power.draw [W]|timestamp",
     "a log of nvidia-smi, whose samples alone show neither gaps nor what ran; abdb reads it with "
     "a map of yours, and dcgmi dmon -e 155,156"},
};

static bool holds_all_listed_words(const char *text, size_t size, const char *words,
                                   bool first_at_start)
{
    while (*words) {
        size_t word = strcspn(words, "|");

        /* a first "|" belongs to its word */
        if (!word) word = 1 + strcspn(words + 1, "|");
        if (first_at_start ? word > size || memcmp(text, words, word) != 0
                           : !memmem(text, size, words, word))
            return false;
        first_at_start = false;
        words += word + (words[word] == '|');
    }
    return true;
}

const char *abdb_describe_known_unsupported_file(const abdb_input *in, bool *has_results)
{
    size_t size = in->text_size < HEAD ? in->text_size : HEAD;

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (holds_all_listed_words(in->text, size, known[i].words, known[i].begins)) {
            *has_results = known[i].results;
            return known[i].what;
        }
    return NULL;
}

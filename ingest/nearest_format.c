/* nearest_format.c - a refused file held against the words that formats have; see
 * nearest_format.h. */
#include "ingest/nearest_format.h"

#include <stdio.h>
#include <string.h>

#include "ingest/read/csv.h"
#include "ingest/read/markdown_tables.h"

enum { HEAD = 4096, WORDS_MIN = 2 };

static const struct {
    const char *format, *words; /* '|' between them */
} signatures[] = {
    {"llama-bench", "build_commit|avg_ts|n_prompt|n_gen|model_type|t/s|pp512|tg128"},
    {"vllm-serving-json",
     "request_throughput|output_throughput|ttft|tpot|e2el|num_prompts|completed"},
    {"aiperf", "request_latency|time_to_first_token|input_config|inter_token_latency"},
    {"guidellm", "guidellm|scheduler_metrics|requests_per_second|time_to_first_token_ms"},
    {"trtllm-bench", "trtllm-bench|PERFORMANCE OVERVIEW|Output Throughput|TensorRT-LLM Version"},
    {"lm-eval", "acc_norm|acc_stderr|num_fewshot|model_args"},
    {"llama-perplexity", "llama-perplexity|PPL = |KLD:|seconds per pass"},
    {"nccl-tests", "busbw|algbw|redop|out-of-place|nccl"},
    {"osu", "OSU |Latency (us)|Bandwidth (MB/s)|# Size"},
    {"babelstream", "Triad|MBytes/sec|max_mbytes_per_sec|min_runtime|BabelStream"},
    {"google-benchmark", "real_time|cpu_time|time_unit|BM_|iterations"},
    {"hyperfine", "hyperfine|exit_codes|\"command\"|\"median\""},
    {"nvbench", "nvbench|GlobalMem|Elem/s|Batch GPU"},
    {"mlperf-checker-csv", "MlperfModel|SystemType|weight_data_types|perf_metric|perf_value"},
    {"mlperf-site-csv", "Public ID|Model MLC|Accelerator (click|System Name (click"},
    {"mlperf-storage", "num_accelerators|train_au|mlperf_storage|DLIO"},
};

static size_t count_listed_words_present(const char *head, const char *words)
{
    size_t count = 0;
    char word[64];

    for (; *words; words += strcspn(words, "|"), words += *words == '|') {
        snprintf(word, sizeof word, "%.*s", (int)strcspn(words, "|"), words);
        count += strcasestr(head, word) != NULL;
    }
    return count;
}

const char *abdb_guess_format_by_its_words(const abdb_input *in)
{
    const char *best = NULL;
    size_t most = WORDS_MIN - 1;
    char head[HEAD + 1];
    size_t size = in->text_size < HEAD ? in->text_size : HEAD;

    memcpy(head, in->text, size);
    head[size] = '\0';
    for (size_t i = 0; i < sizeof signatures / sizeof signatures[0]; i++) {
        size_t count = count_listed_words_present(head, signatures[i].words);

        if (count <= most) continue;
        best = signatures[i].format;
        most = count;
    }
    return best;
}

void abdb_list_columns_lacking_for_results(const abdb_input *in, abdb_text *out)
{
    static const char *const needed[] = {"evidence", "metric", "value", "unit"};
    abdb_csv_header header = {0};
    size_t known = 0, size = in->text_size < HEAD ? in->text_size : HEAD;
    const char *end = memchr(in->text, '\n', size);

    abdb_text_clear(out);
    if (!end) return;
    abdb_csv_header_read_first_row(&header, in->text, (size_t)(end - in->text), ',');
    for (size_t i = 0; i < header.count; i++)
        known += abdb_field_index_by_name(header.name[i]) >= 0;
    for (size_t i = 0; i < sizeof needed / sizeof needed[0]; i++)
        if (abdb_csv_find_column_of_any_name(&header, needed[i]) < 0)
            abdb_text_printf(out, "%s%s", out->size ? ", " : "", needed[i]);
        else
            known++;
    if (known < WORDS_MIN) abdb_text_clear(out);
    abdb_csv_header_free(&header);
}

static size_t count_letter_in_first_line(const char *text, size_t size, char letter)
{
    size_t count = 0;

    for (size_t i = 0; i < size && text[i] != '\n'; i++) count += text[i] == letter;
    return count;
}

/* Have the first two lines as many of a delimiter? */
static bool first_two_lines_have_equal_delimiters(const char *text, size_t size)
{
    const char *second = memchr(text, '\n', size);
    size_t left = second ? size - (size_t)(++second - text) : 0;

    for (const char *delimiter = ",;\t"; *delimiter && left; delimiter++) {
        size_t count = count_letter_in_first_line(text, size, *delimiter);

        if (count && count_letter_in_first_line(second, left, *delimiter) == count) return true;
    }
    return false;
}

bool abdb_looks_like_table_or_json(const abdb_input *in)
{
    size_t at = 0;

    while (at < in->text_size && strchr(" \t\r\n", in->text[at]) && in->text[at]) at++;
    if (at < in->text_size && (in->text[at] == '{' || in->text[at] == '[')) return true;
    return first_two_lines_have_equal_delimiters(in->text, in->text_size) || markdown_has_table(in);
}

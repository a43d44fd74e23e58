/* llama_log.h - lines that programs of llama.cpp print before their values: the build, the model's
 * properties, and the command. */
#ifndef ABDB_INGEST_LLAMA_LOG_H
#define ABDB_INGEST_LLAMA_LOG_H

#include "ingest/read/text_lines.h"
#include "ingest/read/unknown_factor.h"

/* What the lines before one run state. Zeroed is empty; texts are the arena's of the calls. */
typedef struct {
    abdb_settings settings; /* what has no field below */
    const char *model_file, *name, *architecture, *size, *format;
} llama_log;

/* The text of a line behind the time and letter of a log, "0.05.056.453 I ", if it has them. */
const char *llama_log_text_behind_time(const char *text);
/* "build: 3790 (5cb12f68) with cc", "main: build = 905 (be2301b)": stores the program's version as
 * the setting "software". */
void llama_log_store_build_of_line(llama_log *log, abdb_arena *arena, const char *text);
/* "print_info: file type   = Q4_K - Medium": stores a property of the model. */
void llama_log_store_property_of_model(llama_log *log, abdb_arena *arena, const char *text);
/* Stores the options of a command, or of one of its lines: the model, the corpus (-f), and the
 * others as settings; without threads, seeds and files of logs. */
void llama_log_store_options_of_command(llama_log *log, abdb_arena *arena, const text_line *line);
/* The model as llama-bench names it (architecture, size, format), else its name or its file's. */
const char *llama_log_model_or_null(const llama_log *log, abdb_arena *arena);
/* Sets the entry's model and number format, and adds all settings as factors. */
void llama_log_add_to_entry(const llama_log *log, abdb_arena *arena, abdb_entry *entry);

#endif

/* llama_devices.h - the devices of a test of llama-bench: the devices in a log or gpu_info, without
 * the devices that its parameters exclude. Open choices are unknown. */
#ifndef ABDB_INGEST_LLAMA_DEVICES_H
#define ABDB_INGEST_LLAMA_DEVICES_H

#include "ingest/importer.h"

enum { LLAMA_DEVICES_MAX = 64 };

/* In the order of their numbers. Zeroed is empty. */
typedef struct {
    const char *name[LLAMA_DEVICES_MAX]; /* NULL: its line is missing */
    bool integrated[LLAMA_DEVICES_MAX];  /* shares the processor's memory */
    size_t count;
} llama_devices;

/* Parameters of a test, as printed; NULL: not said. */
typedef struct {
    const char *used; /* "CUDA1", "Vulkan0/Vulkan1", "none", "auto" */
    const char *split_mode, *main_gpu, *tensor_split, *layers, *backend, *processor;
    bool generates; /* it has no prompt */
} llama_choice;

/* Is it a line of a log that names a device, or the number of devices found? */
bool llama_devices_is_loader_line(const char *text);
/* Adds such a line's device or number; a list that begins again replaces the earlier. Names are the
 * arena's. */
void llama_devices_store_count_or_name_of_line(llama_devices *devices, abdb_arena *arena,
                                               const char *text);
/* Adds a list as gpu_info has it: "A, A, B", or "A/A" before 2024. */
void llama_devices_add_separated_names(llama_devices *devices, abdb_arena *arena, const char *list);
/* Sets device and devices of the entry: one name for devices that are alike, else the list. Without
 * a GPU, or with no layer on it, generation runs on the processor; its sockets are not counted. */
void llama_devices_set_entry_device_and_count(const llama_devices *devices,
                                              const llama_choice *choice, abdb_arena *arena,
                                              abdb_entry *entry);

#endif

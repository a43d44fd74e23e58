/* backend.c - the main loop of every backend written in C: says hello, reads cells from standard
 * input, hands each to kernel_cell.c or workload_cell.c, and prints records to standard output.
 * kernels/backends/NAME.c calls it with its list of implementations; see harness.h and protocol.md.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernels/harness/harness.h"
#include "schema/core/sanitize_text.h"

/* BEAT_S: who listens takes a backend that is silent for 30 s for dead, so a record goes out
 * meanwhile. */
enum { LINE_MAX_SIZE = 1 << 20, BEAT_S = 2 };

static volatile int stopping; /* set by SIGINT and SIGTERM: finish the sample, then end */

static void set_stopping_flag_on_signal(int number)
{
    (void)number;
    stopping = 1;
}

/* Until it is cancelled: in its sleep, never within a line. */
static void *print_heartbeats_until_cancelled(void *unused)
{
    (void)unused;
    for (int state;;) {
        sleep(BEAT_S);
        pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
        abdb_print_and_free_record(json_pack("{s:s}", "kind", "beat"));
        pthread_setcancelstate(state, NULL);
    }
    return NULL;
}

/* Names of parameters, one after another. */
static void append_space_separated_names_to_json(json_t *list, const char *names)
{
    while (names && *names) {
        size_t size = strcspn(names, " ");

        json_array_append_new(list, json_stringn(names, size));
        names += size + strspn(names + size, " ");
    }
}

/* Parameters that a cell of this kernel may have: the kernel's, the backend's, and those that every
 * cell may have. */
static json_t *kernel_backend_and_common_param_names_json(const abdb_backend *backend,
                                                          const abdb_kernel *kernel)
{
    json_t *list = json_array();

    append_space_separated_names_to_json(list, kernel->names);
    append_space_separated_names_to_json(list, backend->names);
    append_space_separated_names_to_json(list, "dtype cache fill pages threads provider");
    return list;
}

/* A workload, which a backend has where it has parts to make it of. */
static json_t *describe_workload_for_hello_json(const abdb_backend *backend,
                                                const abdb_workload *workload)
{
    json_t *names = json_array();

    append_space_separated_names_to_json(names, workload->names);
    append_space_separated_names_to_json(names, backend->names);
    append_space_separated_names_to_json(names, "dtype threads provider");
    return json_pack("{s:s,s:s,s:s,s:s,s:s,s:o}", "name", workload->name, "provider", backend->name,
                     "summary", workload->summary, "formula", workload->formula, "parameters",
                     workload->parameters, "names", names);
}

/* Lines "id name" as what a hello says of devices. */
static json_t *device_lines_to_json(const char *id_name_lines)
{
    json_t *list = json_array();

    while (id_name_lines && *id_name_lines) {
        size_t size = strcspn(id_name_lines, "\n"), id = strcspn(id_name_lines, " \n");

        json_array_append_new(list,
                              json_pack("{s:s#,s:s#}", "id", id_name_lines, id, "name",
                                        id_name_lines + id + (id < size), size - id - (id < size)));
        id_name_lines += size + (id_name_lines[size] == '\n');
    }
    return list;
}

/* Prints `hello`: every kernel with its provider and parameters, every workload where the
 * backend has parts, and the devices that can be chosen. */
static void print_hello_record(const abdb_backend *backend)
{
    json_t *kernels = json_array(), *hello;

    for (size_t i = 0; backend->native[i]; i++) {
        const abdb_kernel *kernel = abdb_find_kernel_by_name(backend->native[i]->kernel);

        json_array_append_new(
            kernels, json_pack("{s:s,s:s,s:s,s:s,s:s,s:o}", "name", kernel->name, "provider",
                               backend->native[i]->provider, "summary", kernel->summary, "formula",
                               kernel->formula, "parameters", kernel->parameters, "names",
                               kernel_backend_and_common_param_names_json(backend, kernel)));
    }
    for (size_t i = 0; backend->parts && abdb_workloads[i]; i++)
        json_array_append_new(kernels,
                              describe_workload_for_hello_json(backend, abdb_workloads[i]));
    hello = json_pack("{s:s,s:i,s:s,s:s,s:b,s:o}", "kind", "hello", "protocol", 1, "backend",
                      backend->name, "summary", backend->summary, "ranks", backend->has_ranks,
                      "kernels", kernels);
    if (backend->devices)
        json_object_set_new(hello, "devices", device_lines_to_json(backend->devices));
    abdb_print_and_free_record(hello);
}

static void print_environment_and_device_records(const abdb_backend *backend, abdb_device *device)
{
    json_t *record;

    abdb_print_and_free_record(json_pack("{s:s,s:o}", "kind", "environment", "environment",
                                         abdb_describe_machine_json(backend, device)));
    record = json_pack("{s:s,s:s,s:i,s:i,s:s,s:f,s:f}", "kind", "device", "name", device->name,
                       "devices", 1, "threads", device->threads ? device->threads : 1, "clock",
                       device->clock, "clock_resolution_s", device->resolution_s, "clock_cost_s",
                       device->cost_s);
    if (device->most_ops_per_s > 0) {
        json_object_set_new(record, "most_ops_per_s", json_real(device->most_ops_per_s));
        json_object_set_new(record, "most_bytes_per_s", json_real(device->most_bytes_per_s));
    }
    abdb_print_and_free_record(record);
}

/* A reason as a record may hold it: those of libraries may have any bytes. */
static json_t *sanitized_json_string(const char *reason)
{
    abdb_text text = {0};
    json_t *out;

    abdb_text_append_sanitized(&text, reason ? reason : "");
    out = json_string(abdb_text_get(&text));
    abdb_text_free(&text);
    return out;
}

static void print_end_record_sanitizing_reason(const char *cell, const char *status,
                                               const char *reason)
{
    abdb_print_and_free_record(json_pack("{s:s,s:s,s:s,s:o}", "kind", "end", "cell", cell, "status",
                                         status, "reason", sanitized_json_string(reason)));
}

/* What is done with cells. COUNT, of abdb's own use: their work, or answers to challenges. */
typedef enum { RUN, ESTIMATE, COUNT } cell_mode;

/* One cell; without a device its end has no_device_reason. */
static void handle_cell_and_print_records(const abdb_backend *backend, abdb_device *device,
                                          cell_mode mode, const char *cell, json_t *request,
                                          const char *no_device_reason)
{
    const char *status = "no-device", *name = json_string_value(json_object_get(request, "kernel"));
    const abdb_workload *workload = name ? abdb_find_workload_by_name(name) : NULL;
    abdb_error err = {.message = ""};

    abdb_print_and_free_record(json_pack("{s:s,s:s}", "kind", "begin", "cell", cell));
    if (!device)
        (void)!ABDB_FAIL(&err, ABDB_BACKEND, "%s", no_device_reason);
    else if (mode == COUNT && json_object_get(request, "seed"))
        (void)!abdb_print_challenge_answer(device, cell, request, &status, &err);
    else if (mode == COUNT)
        (void)!abdb_print_work_record(backend, device, cell, request, &status, &err);
    else if (workload && mode == ESTIMATE)
        (void)!abdb_print_workload_estimate_record(workload, backend, device, cell, request,
                                                   &status, &err);
    else if (workload)
        (void)!abdb_run_and_print_workload_cell(workload, backend, device, cell, request, &stopping,
                                                &status, &err);
    else if (mode == ESTIMATE)
        (void)!abdb_print_kernel_estimate_record(backend, device, cell, request, &status, &err);
    else
        (void)!abdb_run_and_print_kernel_cell(backend, device, cell, request, &stopping, &status,
                                              &err);
    print_end_record_sanitizing_reason(cell, status, strcmp(status, "ok") == 0 ? "" : err.message);
}

/* Cells from standard input. */
static int handle_stdin_cells_with_heartbeat(const abdb_backend *backend, abdb_device *device,
                                             cell_mode mode, const char *no_device_reason)
{
    char *line = NULL;
    size_t room = 0;
    pthread_t beats;

    if (pthread_create(&beats, NULL, print_heartbeats_until_cancelled, NULL) != 0) {
        fprintf(stderr, "abdb-run-%s: no thread for the heartbeat\n", backend->name);
        return 6;
    }
    while (!stopping && getline(&line, &room, stdin) > 0) {
        json_error_t fault;
        json_t *request = strlen(line) <= LINE_MAX_SIZE ? json_loads(line, 0, &fault) : NULL;
        const char *cell = json_string_value(json_object_get(request, "cell"));

        if (!cell)
            fprintf(stderr, "abdb-run-%s: a line that is no cell was left out\n", backend->name);
        else
            handle_cell_and_print_records(backend, device, mode, cell, request, no_device_reason);
        json_decref(request);
    }
    free(line);
    pthread_cancel(beats); /* nothing comes after bye, however long closing the device takes */
    pthread_join(beats, NULL);
    return 0;
}

/* The mode that an argument names; false: none, and it is no `describe`. */
static bool parse_mode_or_describe(const char *verb, cell_mode *mode)
{
    static const char *const verbs[] = {"run", "estimate", "count", "describe"};

    for (int i = 0; i < 4; i++)
        if (strcmp(verbs[i], verb) == 0) {
            *mode = (cell_mode)i;
            return true;
        }
    return false;
}

int abdb_backend_main(const abdb_backend *backend, int argc, char **argv)
{
    struct sigaction action = {.sa_handler = set_stopping_flag_on_signal};
    abdb_device *device = NULL;
    abdb_error err = {.message = ""};
    cell_mode mode;
    int code = 0;

    if (argc != 2 || !parse_mode_or_describe(argv[1], &mode)) {
        fprintf(stderr,
                "abdb-run-%s - %s\nusage: abdb-run-%s describe | run | estimate\n"
                "`run` reads cells, one JSON object a line, and prints records; abdb run"
                " starts it\n",
                backend->name, backend->summary, backend->name);
        return 2;
    }
    fflush(stdout);
    if (!abdb_records_take_stdout_divert_prints()) {
        fprintf(stderr, "abdb-run-%s: %s\n", backend->name, strerror(errno));
        return 6;
    }
    sigaction(SIGINT, &action, NULL); /* no SA_RESTART: a waiting read ends */
    sigaction(SIGTERM, &action, NULL);
    if (backend->has_ranks) sigaction(SIGUSR2, &action, NULL); /* what a launcher passes on */
    if (!backend->open)
        device = abdb_init_host_device(backend->threads());
    else if (backend->open(&device, &err) != ABDB_OK)
        device = NULL;
    print_hello_record(backend);
    if (device)
        print_environment_and_device_records(backend, device);
    else
        abdb_print_and_free_record(json_pack("{s:s,s:o}", "kind", "no-device", "reason",
                                             sanitized_json_string(err.message)));
    if (strcmp(argv[1], "describe") != 0)
        code = handle_stdin_cells_with_heartbeat(backend, device, mode, err.message);
    abdb_print_and_free_record(json_pack("{s:s}", "kind", "bye"));
    return code;
}

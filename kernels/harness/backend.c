/* backend.c - the protocol's side of a backend: reads cells, runs them, prints records; see
 * harness.h and protocol.md. */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernels/harness/harness.h"

static const double ops_small = 2e9; /* from here on what `small` names is checked */
enum { LINE_MAX_SIZE = 1 << 20, BEAT_S = 2, ALIGNMENT = 4096, HUGE_PAGE = 2 << 20 };

static FILE *records; /* the real standard output: libraries' prints go to standard error */
static pthread_mutex_t print_lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int stopping; /* set by SIGINT and SIGTERM: finish the sample, then end */

static void on_signal(int number)
{
    (void)number;
    stopping = 1;
}

/* Prints a record and drops the reference. */
static void print_record(json_t *record)
{
    char *line = json_dumps(record, JSON_COMPACT | JSON_REAL_PRECISION(17));

    pthread_mutex_lock(&print_lock);
    if (line) fprintf(records, "%s\n", line);
    fflush(records);
    pthread_mutex_unlock(&print_lock);
    free(line);
    json_decref(record);
}

static void *beat(void *unused)
{
    (void)unused;
    for (;;) {
        sleep(BEAT_S);
        print_record(json_pack("{s:s}", "kind", "beat"));
    }
    return NULL;
}

static const abdb_kernel *find_kernel(const char *name)
{
    for (size_t i = 0; abdb_kernels[i]; i++)
        if (strcmp(abdb_kernels[i]->name, name) == 0) return abdb_kernels[i];
    return NULL;
}

static const abdb_impl *find_impl(const abdb_backend *backend, const char *kernel)
{
    for (size_t i = 0; backend->native[i]; i++)
        if (strcmp(backend->native[i]->kernel, kernel) == 0) return backend->native[i];
    return NULL;
}

static void print_hello(const abdb_backend *backend)
{
    char processor[256];
    json_t *kernels = json_array();
    abdb_clock clock = abdb_clock_measure();

    for (size_t i = 0; backend->native[i]; i++) {
        const abdb_kernel *kernel = find_kernel(backend->native[i]->kernel);

        json_array_append_new(kernels,
                              json_pack("{s:s,s:s,s:s,s:s}", "name", kernel->name, "summary",
                                        kernel->summary, "formula", kernel->formula, "parameters",
                                        kernel->parameters));
    }
    print_record(json_pack("{s:s,s:i,s:s,s:s,s:o}", "kind", "hello", "protocol", 1, "backend",
                           backend->name, "summary", backend->summary, "kernels", kernels));
    print_record(
        json_pack("{s:s,s:o}", "kind", "environment", "environment", abdb_machine(backend)));
    print_record(json_pack("{s:s,s:s,s:i,s:i,s:s,s:f,s:f}", "kind", "device", "name",
                           abdb_processor(processor, sizeof processor), "devices", 1, "threads",
                           backend->threads(), "clock", "CLOCK_MONOTONIC", "clock_resolution_s",
                           clock.resolution_s, "clock_cost_s", clock.cost_s));
}

static void print_end(const char *cell, const char *status, const char *reason)
{
    print_record(json_pack("{s:s,s:s,s:s,s:s}", "kind", "end", "cell", cell, "status", status,
                           "reason", reason ? reason : ""));
}

/* The cell's parameters; texts are borrowed from the JSON, which outlives the problem. */
static abdb_status take_params(abdb_problem *p, json_t *params, abdb_error *err)
{
    const char *key;
    json_t *value;

    json_object_foreach(params, key, value)
    {
        const char *text = json_string_value(value);

        if (!text) return ABDB_FAIL(err, ABDB_USAGE, "parameter %s is no string", key);
        if (p->params == ABDB_PARAM_MAX) return ABDB_FAIL(err, ABDB_LIMIT, "too many parameters");
        p->param[p->params].name = key;
        p->param[p->params].text = text;
        p->param[p->params].value = NAN;
        if (*text >= '0' && *text <= '9') {
            char *end;
            double number = strtod(text, &end);

            if (!*end) p->param[p->params].value = number;
        }
        p->params++;
    }
    return ABDB_OK;
}

static abdb_status make_tensors(const abdb_kernel *kernel, abdb_problem *p, abdb_error *err)
{
    const char *pages = abdb_param_text(p, "pages");
    bool huge = pages && strcmp(pages, "huge") == 0;
    size_t alignment = huge ? HUGE_PAGE : ALIGNMENT;
    double need = 0;

    if (pages && !huge && strcmp(pages, "small") != 0)
        return ABDB_FAIL(err, ABDB_USAGE, "pages is small or huge");
    for (int i = 0; i < p->tensors; i++)
        need +=
            (double)abdb_tensor_count(&p->tensor[i]) * (double)abdb_dtype_size(p->tensor[i].dtype);
    if (need > 0.8 * abdb_memory_available())
        return ABDB_FAIL(err, ABDB_NOMEM, "needs %.1f GB, %.1f GB are available", need / 1e9,
                         abdb_memory_available() / 1e9);
    for (int i = 0; i < p->tensors; i++) {
        size_t size = abdb_tensor_count(&p->tensor[i]) * abdb_dtype_size(p->tensor[i].dtype);

        size = (size + alignment - 1) / alignment * alignment;
        p->tensor[i].data = aligned_alloc(alignment, size);
        if (!p->tensor[i].data) return ABDB_FAIL(err, ABDB_NOMEM, "%zu bytes", size);
        if (huge && madvise(p->tensor[i].data, size, MADV_HUGEPAGE) != 0)
            return ABDB_FAIL(err, ABDB_USAGE, "this system gives no huge pages");
        memset(p->tensor[i].data, 0xFF, size); /* NaN: an output that is not written is seen */
        if (p->tensor[i].role != ABDB_OUT) abdb_fill(&p->tensor[i], (unsigned)i);
    }
    if (kernel->fill) kernel->fill(p);
    return ABDB_OK;
}

static void free_tensors(abdb_problem *p)
{
    for (int i = 0; i < p->tensors; i++) free(p->tensor[i].data);
}

static void print_samples(const char *cell, const abdb_samples *s)
{
    for (size_t i = 0; i < s->count; i++)
        print_record(json_pack("{s:s,s:s,s:I,s:f,s:f}", "kind", "sample", "cell", cell, "seq",
                               (json_int_t)i, "t_s", s->at_s[i], "time_s", s->time_s[i]));
}

static void print_result(const char *cell, const abdb_kernel *kernel, const abdb_problem *p,
                         const abdb_impl *impl, const void *state, const abdb_samples *s,
                         double error, double prepare_s)
{
    abdb_work w;
    json_t *factors = json_object(), *record;

    kernel->work(p, &w);
    for (int i = 0; i < p->params; i++)
        json_object_set_new(factors, p->param[i].name, json_string(p->param[i].text));
    record = json_pack("{s:s,s:s,s:s,s:s,s:f,s:f,s:s,s:f,s:I,s:o}", "kind", "result", "cell", cell,
                       "formula", kernel->formula, "dtype", abdb_dtype_name(p->tensor[0].dtype),
                       "ops", w.ops, "bytes", w.bytes, "verified", error <= 1 ? "pass" : "fail",
                       "prepare_s", prepare_s, "batch", (json_int_t)s->batch, "factors", factors);
    if (isfinite(error)) json_object_set_new(record, "error", json_real(error));
    if (impl->chosen && impl->chosen(state))
        json_object_set_new(record, "chosen", json_string(impl->chosen(state)));
    print_record(record);
}

/* Launches and checks the kernel at the smaller size that it names: the same parameters, but for
 * those. */
static abdb_status verify_small(const abdb_kernel *kernel, const abdb_impl *impl, json_t *params,
                                const abdb_limits *limits, double *error, abdb_error *err)
{
    abdb_problem p = {.kernel = kernel->name};
    char text[128], *rest = NULL;
    void *state = NULL;
    abdb_status st = ABDB_OK;

    snprintf(text, sizeof text, "%s", kernel->small);
    TRY(take_params(&p, params, err));
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char *equals = strchr(word, '=');

        *equals = '\0';
        TRY(abdb_param_set(&p, word, strtod(equals + 1, NULL), err));
    }
    TRY(kernel->shape(&p, limits, err));
    TRY(make_tensors(kernel, &p, err));
    state = &p;
    if (impl->prepare) TRY(impl->prepare(&state, &p, err));
    impl->launch(state);
    TRY(abdb_verify(kernel, &p, error, err));
done:
    if (state && impl->close) impl->close(state);
    free_tensors(&p);
    return st;
}

/* Is a number of any output of a launch not finite? Every 4099th is looked at. */
static bool broken(const abdb_problem *p)
{
    for (int t = 0; t < p->tensors; t++)
        for (size_t i = 0; p->tensor[t].role != ABDB_IN && i < abdb_tensor_count(&p->tensor[t]);
             i += 4099)
            if (!isfinite(abdb_tensor_get(&p->tensor[t], i))) return true;
    return false;
}

/* One launch, checked before time is taken, so that a wrong kernel is known. */
static abdb_status check_launch(const abdb_kernel *kernel, const abdb_impl *impl, json_t *params,
                                const abdb_limits *limits, abdb_problem *p, void *state,
                                double *error, abdb_error *err)
{
    abdb_work w;

    impl->launch(state);
    kernel->work(p, &w);
    if (!kernel->small || w.ops < ops_small) return abdb_verify(kernel, p, error, err);
    if (p->params == ABDB_PARAM_MAX) return ABDB_FAIL(err, ABDB_LIMIT, "too many parameters");
    p->param[p->params++] = (abdb_param){"verified_at", kernel->small, NAN};
    if (verify_small(kernel, impl, params, limits, error, err) != ABDB_OK) return err->status;
    if (broken(p)) *error = INFINITY;
    return ABDB_OK;
}

static abdb_status run_cell(const abdb_backend *backend, const char *cell, json_t *request,
                            const char **status, abdb_error *err)
{
    const char *name = json_string_value(json_object_get(request, "kernel")), *why = "", *cache;
    const abdb_kernel *kernel = name ? find_kernel(name) : NULL;
    const abdb_impl *impl = name ? find_impl(backend, name) : NULL;
    abdb_sampling rule =
        json_is_true(json_object_get(request, "quick")) ? abdb_sampling_quick : abdb_sampling_full;
    abdb_clock clock = abdb_clock_measure();
    abdb_problem p = {.kernel = name};
    abdb_samples samples = {0};
    abdb_limits limits;
    double start, prepare_s, error = 0;
    void *state = NULL;
    abdb_status st = ABDB_OK;

    *status = "failed";
    if (!impl || !kernel) {
        *status = "not-implemented";
        return ABDB_FAIL(err, ABDB_USAGE, "this backend has no kernel '%s'", name ? name : "");
    }
    TRY(take_params(&p, json_object_get(request, "params"), err));
    limits = abdb_machine_limits(backend);
    TRY(kernel->shape(&p, &limits, err));
    if (impl->accepts && !impl->accepts(&p, &why)) {
        *status = "not-implemented";
        TRY(ABDB_FAIL(err, ABDB_USAGE, "%s", why));
    }
    cache = abdb_param_text(&p, "cache");
    rule.cold = cache && strcmp(cache, "cold") == 0;
    st = make_tensors(kernel, &p, err);
    if (st == ABDB_NOMEM) *status = "out-of-memory";
    TRY(st);
    start = abdb_now_s();
    state = &p;
    if (impl->prepare) TRY(impl->prepare(&state, &p, err));
    prepare_s = abdb_now_s() - start;
    TRY(check_launch(kernel, impl, json_object_get(request, "params"), &limits, &p, state, &error,
                     err));
    TRY(abdb_measure(impl, state, &rule, &clock, &stopping, &samples, err));
    if (samples.cancelled) {
        *status = "cancelled";
        TRY(ABDB_FAIL(err, ABDB_STOPPED, "interrupted after %zu samples", samples.count));
    }
    print_samples(cell, &samples);
    print_result(cell, kernel, &p, impl, state, &samples, error, prepare_s);
    *status = "ok";
done:
    if (state && impl->close) impl->close(state);
    abdb_samples_free(&samples);
    free_tensors(&p);
    return st;
}

static int run(const abdb_backend *backend)
{
    char *line = NULL;
    size_t room = 0;
    pthread_t beats;

    if (pthread_create(&beats, NULL, beat, NULL) != 0) return 6;
    while (!stopping && getline(&line, &room, stdin) > 0) {
        json_error_t fault;
        json_t *request = strlen(line) <= LINE_MAX_SIZE ? json_loads(line, 0, &fault) : NULL;
        const char *cell = json_string_value(json_object_get(request, "cell")), *status;
        abdb_error err = {.message = ""};

        if (!cell) {
            fprintf(stderr, "abdb-run-%s: a line that is no cell was left out\n", backend->name);
        } else {
            print_record(json_pack("{s:s,s:s}", "kind", "begin", "cell", cell));
            (void)!run_cell(backend, cell, request, &status, &err);
            print_end(cell, status, strcmp(status, "ok") == 0 ? "" : err.message);
        }
        json_decref(request);
    }
    free(line);
    return 0;
}

int abdb_backend_main(const abdb_backend *backend, int argc, char **argv)
{
    struct sigaction action = {.sa_handler = on_signal};
    int out, code = 0;

    if (argc != 2 || (strcmp(argv[1], "describe") != 0 && strcmp(argv[1], "run") != 0)) {
        fprintf(stderr,
                "abdb-run-%s - %s\nusage: abdb-run-%s describe | run\n"
                "`run` reads cells, one JSON object a line, and prints records; abdb run"
                " starts it\n",
                backend->name, backend->summary, backend->name);
        return 2;
    }
    fflush(stdout);
    out = dup(STDOUT_FILENO);
    if (out < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0 || !(records = fdopen(out, "w"))) {
        fprintf(stderr, "abdb-run-%s: %s\n", backend->name, strerror(errno));
        return 6;
    }
    sigaction(SIGINT, &action, NULL); /* no SA_RESTART: a waiting read ends */
    sigaction(SIGTERM, &action, NULL);
    print_hello(backend);
    if (strcmp(argv[1], "run") == 0) code = run(backend);
    print_record(json_pack("{s:s}", "kind", "bye"));
    return code;
}

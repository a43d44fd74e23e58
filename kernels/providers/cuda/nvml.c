/* nvml.c - NVIDIA's management library, by the names and numbers of its manual (NVML API Reference
 * Guide; the library keeps them from version to version). See nvml.h. */
#include "kernels/providers/cuda/nvml.h"

#include <dlfcn.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct nvml_device *nvml_device;
typedef int nvml_return; /* 0: done */
/* Kinds of clocks, and the only sensor of temperature. */
enum { NVML_GRAPHICS, NVML_SM, NVML_MEMORY, NVML_GPU_TEMPERATURE = 0 };

static struct {
    nvml_return (*init)(void);
    nvml_return (*by_bus)(const char *bus, nvml_device *out);
    nvml_return (*driver)(char *out, unsigned room);
    nvml_return (*clock)(nvml_device d, int kind, unsigned *mhz);
    nvml_return (*clock_most)(nvml_device d, int kind, unsigned *mhz);
    nvml_return (*power)(nvml_device d, unsigned *mw);
    nvml_return (*energy)(nvml_device d, unsigned long long *mj);
    nvml_return (*temperature)(nvml_device d, int sensor, unsigned *celsius);
    nvml_return (*reasons)(nvml_device d, unsigned long long *bits);
    nvml_return (*mig)(nvml_device d, unsigned *now, unsigned *pending);
    nvml_return (*limit)(nvml_device d, unsigned *mw);
    nvml_return (*limit_usual)(nvml_device d, unsigned *mw);
    nvml_return (*limits)(nvml_device d, unsigned *least_mw, unsigned *most_mw);
    nvml_return (*persistence)(nvml_device d, unsigned *on);
    nvml_return (*ecc)(nvml_device d, unsigned *now, unsigned *pending);
    nvml_device device; /* NULL: nothing is told */
} nvml;

static const struct {
    const char *name;
    void *field;
} functions[] = {{"nvmlInit_v2", &nvml.init},
                 {"nvmlDeviceGetHandleByPciBusId_v2", &nvml.by_bus},
                 {"nvmlSystemGetDriverVersion", &nvml.driver},
                 {"nvmlDeviceGetClockInfo", &nvml.clock},
                 {"nvmlDeviceGetMaxClockInfo", &nvml.clock_most},
                 {"nvmlDeviceGetPowerUsage", &nvml.power},
                 {"nvmlDeviceGetTotalEnergyConsumption", &nvml.energy},
                 {"nvmlDeviceGetTemperature", &nvml.temperature},
                 {"nvmlDeviceGetCurrentClocksThrottleReasons", &nvml.reasons},
                 {"nvmlDeviceGetMigMode", &nvml.mig},
                 {"nvmlDeviceGetEnforcedPowerLimit", &nvml.limit},
                 {"nvmlDeviceGetPowerManagementDefaultLimit", &nvml.limit_usual},
                 {"nvmlDeviceGetPowerManagementLimitConstraints", &nvml.limits},
                 {"nvmlDeviceGetPersistenceMode", &nvml.persistence},
                 {"nvmlDeviceGetEccMode", &nvml.ecc}};

void abdb_nvml_load_and_find_device(const char *bus)
{
    const char *asked = getenv("ABDB_NVML");
    void *library = dlopen(asked ? asked : "libnvidia-ml.so.1", RTLD_NOW);

    nvml.device = NULL;
    if (!library) return;
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *found = dlsym(library, functions[i].name);

        memcpy(functions[i].field, &found, sizeof found);
    }
    if (!nvml.init || !nvml.by_bus || nvml.init() != 0 || nvml.by_bus(bus, &nvml.device) != 0)
        nvml.device = NULL;
}

/* A whole number that a function tells, times a unit; NAN: it does not. */
static double nvml_uint_times_unit_or_nan(nvml_return (*nvml_getter)(nvml_device, unsigned *),
                                          double unit)
{
    unsigned value = 0;

    return nvml.device && nvml_getter && nvml_getter(nvml.device, &value) == 0 ? unit * value
                                                                               : (double)NAN;
}

static double nvml_uint_of_kind_times_unit_or_nan(nvml_return (*nvml_getter)(nvml_device, int,
                                                                             unsigned *),
                                                  int kind, double unit)
{
    unsigned value = 0;

    return nvml.device && nvml_getter && nvml_getter(nvml.device, kind, &value) == 0 ? unit * value
                                                                                     : (double)NAN;
}

static double nvml_ulong_times_unit_or_nan(nvml_return (*nvml_getter)(nvml_device,
                                                                      unsigned long long *),
                                           double unit)
{
    unsigned long long value = 0;

    return nvml.device && nvml_getter && nvml_getter(nvml.device, &value) == 0
               ? unit * (double)value
               : (double)NAN;
}

void abdb_nvml_read_sensors(abdb_sensors *out)
{
    out->part = "gpu";
    out->clock_hz = nvml_uint_of_kind_times_unit_or_nan(nvml.clock, NVML_SM, 1e6);
    out->memory_clock_hz = nvml_uint_of_kind_times_unit_or_nan(nvml.clock, NVML_MEMORY, 1e6);
    out->temperature_c =
        nvml_uint_of_kind_times_unit_or_nan(nvml.temperature, NVML_GPU_TEMPERATURE, 1);
    out->power_w = nvml_uint_times_unit_or_nan(nvml.power, 1e-3);
    out->energy_j =
        nvml_ulong_times_unit_or_nan(nvml.energy, 1e-3); /* since the driver was loaded */
    out->energy_most_j = 1e-3 * 0x1p64;
    out->throttle = nvml_ulong_times_unit_or_nan(nvml.reasons, 1);
}

/* The bits of nvmlClocksThrottleReasons that say why a clock is not higher. */
static void report_throttle_reasons(void (*tell)(void *to, const char *key, const char *text),
                                    void *to)
{
    static const char *const names[] = {
        "idle",         "applications setting", "power cap",        "hardware slowdown",
        "sync boost",   "software thermal",     "hardware thermal", "power brake",
        "display clock"};
    unsigned long long bits = 0;
    char text[256] = "";

    if (!nvml.reasons || nvml.reasons(nvml.device, &bits) != 0) return;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (bits >> i & 1)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", *text ? ", " : "",
                     names[i]);
    tell(to, "gpu_throttle", *text ? text : "none");
}

static void report_number_if_finite(void (*tell)(void *to, const char *key, const char *text),
                                    void *to, const char *key, double value, const char *unit)
{
    char text[64];

    if (!isfinite(value)) return;
    snprintf(text, sizeof text, "%.6g%s", value, unit);
    tell(to, key, text);
}

void abdb_nvml_describe_device(void (*tell)(void *to, const char *key, const char *text), void *to)
{
    unsigned now = 0, other = 0;
    char text[96];

    if (!nvml.device) return;
    if (nvml.driver && nvml.driver(text, sizeof text) == 0) tell(to, "gpu_driver", text);
    report_number_if_finite(tell, to, "gpu_clock_most",
                            nvml_uint_of_kind_times_unit_or_nan(nvml.clock_most, NVML_SM, 1),
                            " MHz");
    report_number_if_finite(tell, to, "gpu_memory_clock_most",
                            nvml_uint_of_kind_times_unit_or_nan(nvml.clock_most, NVML_MEMORY, 1),
                            " MHz");
    report_number_if_finite(tell, to, "gpu_power_limit",
                            nvml_uint_times_unit_or_nan(nvml.limit, 1e-3), " W");
    report_number_if_finite(tell, to, "gpu_power_limit_usual",
                            nvml_uint_times_unit_or_nan(nvml.limit_usual, 1e-3), " W");
    if (nvml.limits && nvml.limits(nvml.device, &now, &other) == 0) {
        snprintf(text, sizeof text, "%.6g to %.6g W", 1e-3 * now, 1e-3 * other);
        tell(to, "gpu_power_limits", text);
    }
    if (nvml.mig && nvml.mig(nvml.device, &now, &other) == 0)
        tell(to, "gpu_mig", now ? "enabled" : "disabled");
    if (nvml.persistence && nvml.persistence(nvml.device, &now) == 0)
        tell(to, "gpu_persistence", now ? "enabled" : "disabled");
    if (nvml.ecc && nvml.ecc(nvml.device, &now, &other) == 0)
        tell(to, "gpu_ecc", now ? "enabled" : "disabled");
    report_throttle_reasons(tell, to);
}

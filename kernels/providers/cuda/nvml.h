/* nvml.h - readings of a device by NVIDIA's management library, which is loaded at run time. No
 * setting is ever changed. */
#ifndef ABDB_PROVIDERS_CUDA_NVML_H
#define ABDB_PROVIDERS_CUDA_NVML_H

#include "kernels/kernel.h"

/* Finds the device at a PCI address; without libnvidia-ml.so.1 ($ABDB_NVML: another) nothing is
 * told. */
void abdb_nvml_load_and_find_device(const char *bus);
/* Clocks, power, energy, temperature, reasons of a lower clock; missing values become NAN. */
void abdb_nvml_read_sensors(abdb_sensors *out);
/* Driver, clocks at most, power limits, MIG, persistence, ECC, and why the clock is lower now. */
void abdb_nvml_describe_device(void (*tell)(void *to, const char *key, const char *text), void *to);

#endif

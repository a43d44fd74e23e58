/* device_selection.h - which OpenCL device is used. */
#ifndef ABDB_PROVIDERS_OPENCL_CHOOSE_H
#define ABDB_PROVIDERS_OPENCL_CHOOSE_H

#include "kernels/providers/opencl/device.h"

/* Fills platform, device, name, driver and what it can; see abdb_cl_open_device. */
ABDB_MUST_USE abdb_status abdb_cl_select_device_and_capabilities(abdb_cl_device *c,
                                                                 abdb_error *err);
/* Tells of all devices that there are: "opencl_device_1", "platform: device", ... */
void abdb_cl_report_all_device_names(void (*tell)(void *to, const char *key, const char *text),
                                     void *to);

/* Lines "number platform: device (driver, memory, compute units)" of all that ABDB_DEVICE can
 * choose, for as long as the program; NULL: there is none, or ABDB_OPENCL_DEVICE has chosen. */
const char *abdb_cl_selectable_device_lines(void);

#endif

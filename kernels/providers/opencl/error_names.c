/* error_names.c - what OpenCL calls its errors; see device.h. */
#include <stddef.h>

#include "kernels/providers/opencl/device.h"

#define CODE(name)  \
    {               \
        name, #name \
    }
static const struct {
    cl_int code;
    const char *name;
} codes[] = {CODE(CL_DEVICE_NOT_FOUND),
             CODE(CL_DEVICE_NOT_AVAILABLE),
             CODE(CL_COMPILER_NOT_AVAILABLE),
             CODE(CL_MEM_OBJECT_ALLOCATION_FAILURE),
             CODE(CL_OUT_OF_RESOURCES),
             CODE(CL_OUT_OF_HOST_MEMORY),
             CODE(CL_PROFILING_INFO_NOT_AVAILABLE),
             CODE(CL_BUILD_PROGRAM_FAILURE),
             CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST),
             CODE(CL_INVALID_VALUE),
             CODE(CL_INVALID_PLATFORM),
             CODE(CL_INVALID_DEVICE),
             CODE(CL_INVALID_CONTEXT),
             CODE(CL_INVALID_COMMAND_QUEUE),
             CODE(CL_INVALID_MEM_OBJECT),
             CODE(CL_INVALID_BINARY),
             CODE(CL_INVALID_BUILD_OPTIONS),
             CODE(CL_INVALID_PROGRAM),
             CODE(CL_INVALID_PROGRAM_EXECUTABLE),
             CODE(CL_INVALID_KERNEL_NAME),
             CODE(CL_INVALID_KERNEL),
             CODE(CL_INVALID_ARG_INDEX),
             CODE(CL_INVALID_ARG_VALUE),
             CODE(CL_INVALID_ARG_SIZE),
             CODE(CL_INVALID_KERNEL_ARGS),
             CODE(CL_INVALID_WORK_DIMENSION),
             CODE(CL_INVALID_WORK_GROUP_SIZE),
             CODE(CL_INVALID_WORK_ITEM_SIZE),
             CODE(CL_INVALID_GLOBAL_OFFSET),
             CODE(CL_INVALID_EVENT_WAIT_LIST),
             CODE(CL_INVALID_EVENT),
             CODE(CL_INVALID_OPERATION),
             CODE(CL_INVALID_BUFFER_SIZE),
             CODE(CL_INVALID_GLOBAL_WORK_SIZE),
             CODE(CL_INVALID_PROPERTY),
             CODE(CL_INVALID_COMPILER_OPTIONS),
             CODE(CL_INVALID_DEVICE_PARTITION_COUNT)};

const char *abdb_cl_error_name(cl_int code)
{
    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        if (codes[i].code == code) return codes[i].name;
    return "an error that OpenCL has no name for";
}

abdb_status abdb_cl_check_result(cl_int code, const char *what, abdb_error *err)
{
    if (code == CL_SUCCESS) return ABDB_OK;
    return ABDB_FAIL(err,
                     code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY ||
                             code == CL_INVALID_BUFFER_SIZE
                         ? ABDB_NOMEM
                         : ABDB_BACKEND,
                     "%s: %s (%d)", what, abdb_cl_error_name(code), (int)code);
}

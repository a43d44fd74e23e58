/* library.c - finds NCCL and its functions; see library.h. */
#include "kernels/providers/nccl/library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

abdb_nccl_library abdb_nccl;

static const struct {
    const char *name;
    void *field;
} functions[] = {{"ncclGetVersion", &abdb_nccl.version},
                 {"ncclGetErrorString", &abdb_nccl.error},
                 {"ncclCommInitAll", &abdb_nccl.init_all},
                 {"ncclCommDestroy", &abdb_nccl.destroy},
                 {"ncclGroupStart", &abdb_nccl.group_start},
                 {"ncclGroupEnd", &abdb_nccl.group_end},
                 {"ncclAllReduce", &abdb_nccl.all_reduce},
                 {"ncclReduce", &abdb_nccl.reduce},
                 {"ncclReduceScatter", &abdb_nccl.reduce_scatter},
                 {"ncclAllGather", &abdb_nccl.all_gather},
                 {"ncclBroadcast", &abdb_nccl.broadcast},
                 {"ncclSend", &abdb_nccl.send},
                 {"ncclRecv", &abdb_nccl.receive}};

abdb_status abdb_nccl_load_library(abdb_error *err)
{
    const char *asked = getenv("ABDB_NCCL");
    void *library = dlopen(asked ? asked : "libnccl.so.2", RTLD_NOW);

    if (!library)
        return ABDB_FAIL(err, ABDB_BACKEND,
                         "NCCL was not found (libnccl2 of NVIDIA, or ABDB_NCCL names it): %.200s",
                         dlerror());
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        void *found = dlsym(library, functions[i].name);

        memcpy(functions[i].field, &found, sizeof found);
        if (!found)
            return ABDB_FAIL(err, ABDB_BACKEND, "NCCL has no %s: 2.7 or newer is wanted",
                             functions[i].name);
    }
    return ABDB_OK;
}

const char *abdb_nccl_name_and_version(void)
{
    static char text[64];
    int version = 0;

    if (!abdb_nccl.version || abdb_nccl.version(&version) != 0) return NULL;
    if (version < 10000) /* up to 2.8 it was made of shorter parts */
        snprintf(text, sizeof text, "NCCL %d.%d.%d", version / 1000, version % 1000 / 100,
                 version % 100);
    else
        snprintf(text, sizeof text, "NCCL %d.%d.%d", version / 10000, version % 10000 / 100,
                 version % 100);
    return text;
}

abdb_status abdb_nccl_check_result(int code, const char *what, abdb_error *err)
{
    if (code == 0) return ABDB_OK;
    return ABDB_FAIL(err, ABDB_BACKEND, "%s: %s", what, abdb_nccl.error(code));
}

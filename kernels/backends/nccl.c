/* nccl.c - abdb-run-nccl: messages between the NVIDIA devices of this host, by NCCL. */
#include "kernels/harness/harness.h"
#include "kernels/providers/nccl/device_group.h"

static const abdb_impl *const native[] = {
    &abdb_nccl_all_reduce, &abdb_nccl_all_gather, &abdb_nccl_reduce_scatter, &abdb_nccl_all_to_all,
    &abdb_nccl_reduce,     &abdb_nccl_broadcast,  &abdb_nccl_point,          NULL};

static const abdb_backend backend = {
    .name = "nccl",
    .summary = "messages between the NVIDIA devices of this host, by NCCL",
    .native = native,
    .library = abdb_nccl_name_and_version,
    .open = abdb_nccl_open_all_devices_as_one};

int main(int argc, char **argv)
{
    return abdb_backend_main(&backend, argc, argv);
}

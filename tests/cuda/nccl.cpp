// nccl.cpp - the functions of NCCL that abdb calls, as its manual describes them, by plain loops on
// the memory of the emulated devices. A group is refused unless every rank makes the same calls, each send
// has its receive, and each rank's memory and stream are those of its device.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

extern "C" {
#include "kernels/kernel.h"
#include "kernels/providers/nccl/library.h"
}
#include "tests/cuda/enqueue.h"

struct ncclComm {
    int rank, ranks, device;
    std::vector<ncclComm *> *all;
};

namespace
{

enum { INVALID_ARGUMENT = 4, INVALID_USAGE = 5 };
enum call_kind { ALL_REDUCE, REDUCE, REDUCE_SCATTER, ALL_GATHER, BROADCAST, SEND, RECEIVE };
struct nccl_call {
    call_kind kind;
    const void *in;
    void *out;
    size_t count;
    int type, op, other; // other: a root, or the peer
    ncclComm *comm;
};

int depth;
std::vector<nccl_call> waiting;

abdb_dtype dtype_of_nccl_type(int type)
{
    switch (type) {
    case ABDB_NCCL_I8: return ABDB_I8;
    case ABDB_NCCL_I32: return ABDB_I32;
    case ABDB_NCCL_F16: return ABDB_F16;
    case ABDB_NCCL_F32: return ABDB_F32;
    case ABDB_NCCL_F64: return ABDB_F64;
    case ABDB_NCCL_BF16: return ABDB_BF16;
    default: return ABDB_DTYPE_COUNT;
    }
}

size_t element_size(const nccl_call &a)
{
    return a.type == ABDB_NCCL_I8                                ? 1
           : a.type == ABDB_NCCL_F16 || a.type == ABDB_NCCL_BF16 ? 2
           : a.type == ABDB_NCCL_F64                             ? 8
                                                                 : 4;
}

double read_as_double(int type, const void *at, size_t i)
{
    switch (type) {
    case ABDB_NCCL_I8: return ((const int8_t *)at)[i];
    case ABDB_NCCL_I32: return ((const int32_t *)at)[i];
    case ABDB_NCCL_F16: return abdb_f16_to_f32(((const uint16_t *)at)[i]);
    case ABDB_NCCL_BF16: return abdb_bf16_to_f32(((const uint16_t *)at)[i]);
    case ABDB_NCCL_F32: return ((const float *)at)[i];
    default: return ((const double *)at)[i];
    }
}

void store_from_double(int type, void *at, size_t i, double x)
{
    switch (type) {
    case ABDB_NCCL_I8: ((int8_t *)at)[i] = (int8_t)x; break;
    case ABDB_NCCL_I32: ((int32_t *)at)[i] = (int32_t)x; break;
    case ABDB_NCCL_F16: ((uint16_t *)at)[i] = abdb_f16_from_f32((float)x); break;
    case ABDB_NCCL_BF16: ((uint16_t *)at)[i] = abdb_bf16_from_f32((float)x); break;
    case ABDB_NCCL_F32: ((float *)at)[i] = (float)x; break;
    default: ((double *)at)[i] = x;
    }
}

// The calls of one collective, by rank: what every rank gives, then what each gets.
void run_collective(const std::vector<nccl_call> &by)
{
    const nccl_call &a = by[0];
    size_t ranks = by.size(), size = element_size(a),
           whole = a.count * (a.kind == REDUCE_SCATTER ? ranks : 1);
    std::vector<char> sum(whole * size), gathered;

    if (a.kind == ALL_GATHER)
        for (const nccl_call &one : by)
            gathered.insert(gathered.end(), (const char *)one.in,
                            (const char *)one.in + a.count * size);
    else if (a.kind == BROADCAST)
        gathered.assign((const char *)by[a.other].in,
                        (const char *)by[a.other].in + a.count * size);
    else
        for (size_t i = 0; i < whole; i++) {
            double x = read_as_double(a.type, by[0].in, i);

            for (size_t r = 1; r < ranks; r++) {
                double y = read_as_double(a.type, by[r].in, i);

                x = a.op == ABDB_NCCL_SUM   ? x + y
                    : a.op == ABDB_NCCL_MAX ? std::max(x, y)
                                            : std::min(x, y);
            }
            store_from_double(a.type, sum.data(), i, x);
        }
    for (size_t r = 0; r < ranks; r++) {
        if (a.kind == ALL_GATHER || a.kind == BROADCAST)
            std::memcpy(by[r].out, gathered.data(), gathered.size());
        else if (a.kind == REDUCE_SCATTER)
            std::memcpy(by[r].out, sum.data() + r * a.count * size, a.count * size);
        else if (a.kind == ALL_REDUCE || (int)r == a.other)
            std::memcpy(by[r].out, sum.data(), whole * size);
    }
}

// Sends meet receives in the order of their calls; all are read before any is written.
int match_and_copy_messages(std::vector<nccl_call> sends, std::vector<nccl_call> receives)
{
    std::vector<std::pair<nccl_call, std::vector<char>>> moved;

    if (sends.size() != receives.size()) return INVALID_USAGE;
    for (const nccl_call &s : sends) {
        auto r = std::find_if(receives.begin(), receives.end(), [&](const nccl_call &one) {
            return one.comm->rank == s.other && one.other == s.comm->rank &&
                   one.comm->all == s.comm->all;
        });

        if (r == receives.end() || r->count != s.count || r->type != s.type) return INVALID_USAGE;
        moved.push_back({*r, std::vector<char>((const char *)s.in,
                                               (const char *)s.in + s.count * element_size(s))});
        receives.erase(r);
    }
    for (auto &one : moved) std::memcpy(one.first.out, one.second.data(), one.second.size());
    return 0;
}

int check_and_run_group(const std::vector<nccl_call> &all)
{
    std::vector<nccl_call> sends, receives;
    std::vector<std::vector<nccl_call>> by;
    const char *how = std::getenv("ABDB_EMULATED");

    for (const nccl_call &a : all) {
        if (a.kind == SEND || a.kind == RECEIVE) {
            (a.kind == SEND ? sends : receives).push_back(a);
            continue;
        }
        by.resize((size_t)a.comm->ranks);
        by[(size_t)a.comm->rank].push_back(a);
    }
    for (size_t r = 0; r < by.size(); r++) {
        if (by[r].size() != by[0].size()) return INVALID_USAGE; // a real one would hang
        for (size_t i = 0; i < by[r].size(); i++) {
            const nccl_call &a = by[r][i], &b = by[0][i];

            if (a.kind != b.kind || a.count != b.count || a.type != b.type || a.op != b.op ||
                a.other != b.other || a.comm->all != b.comm->all)
                return INVALID_USAGE;
        }
    }
    if (how && std::string(how) == "dry") return 0;
    for (size_t i = 0; !by.empty() && i < by[0].size(); i++) {
        std::vector<nccl_call> one;

        for (auto &of : by) one.push_back(of[i]);
        run_collective(one);
    }
    return match_and_copy_messages(sends, receives);
}

int queue_call_or_run(nccl_call a, CUstream stream)
{
    if (!a.comm || dtype_of_nccl_type(a.type) == ABDB_DTYPE_COUNT || a.other < 0 ||
        a.other >= a.comm->ranks)
        return INVALID_ARGUMENT;
    for (const void *at : {a.in, (const void *)a.out})
        if (at && emulated::device_of_memory_or_minus_1(at) != a.comm->device)
            return INVALID_ARGUMENT;
    if (emulated::device_of_stream(stream) != a.comm->device) return INVALID_ARGUMENT;
    waiting.push_back(a);
    if (depth) return 0;
    std::vector<nccl_call> all;
    all.swap(waiting);
    return check_and_run_group(all);
}

} // namespace

extern "C" {

int ncclGetVersion(int *out)
{
    *out = 22705;
    return 0;
}
const char *ncclGetErrorString(int code)
{
    return code == INVALID_ARGUMENT ? "invalid argument"
           : code == INVALID_USAGE  ? "invalid usage"
                                    : "no error";
}
int ncclCommInitAll(abdb_nccl_comm *comm, int devices, const int *device)
{
    auto *all = new std::vector<ncclComm *>;

    for (int r = 0; r < devices; r++) {
        for (int q = 0; q < r; q++)
            if (device[q] == device[r]) return INVALID_USAGE;
        comm[r] = new ncclComm{r, devices, device[r], all};
        all->push_back(comm[r]);
    }
    return 0;
}
int ncclCommDestroy(abdb_nccl_comm comm)
{
    delete comm;
    return 0;
}
int ncclGroupStart(void)
{
    depth++;
    return 0;
}
int ncclGroupEnd(void)
{
    std::vector<nccl_call> all;

    if (!depth) return INVALID_USAGE;
    if (--depth) return 0;
    all.swap(waiting);
    return check_and_run_group(all);
}
int ncclAllReduce(const void *in, void *out, size_t n, int type, int op, abdb_nccl_comm c,
                  CUstream s)
{
    return queue_call_or_run({ALL_REDUCE, in, out, n, type, op, 0, c}, s);
}
int ncclReduce(const void *in, void *out, size_t n, int type, int op, int root, abdb_nccl_comm c,
               CUstream s)
{
    return queue_call_or_run({REDUCE, in, out, n, type, op, root, c}, s);
}
int ncclReduceScatter(const void *in, void *out, size_t n, int type, int op, abdb_nccl_comm c,
                      CUstream s)
{
    return queue_call_or_run({REDUCE_SCATTER, in, out, n, type, op, 0, c}, s);
}
int ncclAllGather(const void *in, void *out, size_t n, int type, abdb_nccl_comm c, CUstream s)
{
    return queue_call_or_run({ALL_GATHER, in, out, n, type, 0, 0, c}, s);
}
int ncclBroadcast(const void *in, void *out, size_t n, int type, int root, abdb_nccl_comm c,
                  CUstream s)
{
    return queue_call_or_run({BROADCAST, in, out, n, type, 0, root, c}, s);
}
int ncclSend(const void *in, size_t n, int type, int to, abdb_nccl_comm c, CUstream s)
{
    return queue_call_or_run({SEND, in, nullptr, n, type, 0, to, c}, s);
}
int ncclRecv(void *out, size_t n, int type, int from, abdb_nccl_comm c, CUstream s)
{
    return queue_call_or_run({RECEIVE, nullptr, out, n, type, 0, from, c}, s);
}

} // extern "C"

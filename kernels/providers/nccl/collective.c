/* collective.c - one launch of each kernel of several ranks, by NCCL: the calls of all ranks are
 * one group, each in the stream of its device; see device_group.h. */
#include <stdlib.h>

#include "kernels/providers/nccl/device_group.h"

/* A kernel with its tensors' parts, by rank. */
typedef struct {
    abdb_nccl_group *g;
    abdb_exchange x;
    void *in[ABDB_NCCL_RANKS], *out[ABDB_NCCL_RANKS];
    int type, op;
    size_t part; /* elements that each rank has of a message that ranks share */
} collective_job;

/* NCCL's number of a format. */
static int nccl_type_of_dtype(abdb_dtype dtype)
{
    switch (dtype) {
    case ABDB_F64: return ABDB_NCCL_F64;
    case ABDB_F32: return ABDB_NCCL_F32;
    case ABDB_F16: return ABDB_NCCL_F16;
    case ABDB_BF16: return ABDB_NCCL_BF16;
    case ABDB_I32: return ABDB_NCCL_I32;
    default: return ABDB_NCCL_I8;
    }
}

/* --- what is sent ----------------------------------------------------------------------------- */

static abdb_nccl_comm communicator_of_rank(const collective_job *j, int r)
{
    return j->g->comm[j->x.ranks][r];
}

static CUstream stream_of_rank(const collective_job *j, int r)
{
    return j->g->rank[r].stream;
}

/* The call of rank r of those that every rank makes once. */
static int enqueue_collective_of_rank(const collective_job *j, int r)
{
    abdb_nccl_comm comm = communicator_of_rank(j, r);
    CUstream stream = stream_of_rank(j, r);

    switch (j->x.kind) {
    case ABDB_ALL_REDUCE:
        return abdb_nccl.all_reduce(j->in[r], j->out[r], j->x.count, j->type, j->op, comm, stream);
    case ABDB_REDUCE:
        return abdb_nccl.reduce(j->in[r], j->out[r], j->x.count, j->type, j->op, 0, comm, stream);
    case ABDB_REDUCE_SCATTER:
        return abdb_nccl.reduce_scatter(j->in[r], j->out[r], j->part, j->type, j->op, comm, stream);
    case ABDB_ALL_GATHER:
        return abdb_nccl.all_gather(j->in[r], j->out[r], j->part, j->type, comm, stream);
    default: return abdb_nccl.broadcast(j->in[r], j->in[r], j->x.count, j->type, 0, comm, stream);
    }
}

/* `count` elements from rank `from` to rank `to`, from and to an element of their parts. */
static int enqueue_send_and_receive(const collective_job *j, int from, size_t from_element, int to,
                                    size_t to_element, size_t count)
{
    size_t size = abdb_dtype_size(j->x.dtype);
    int code = abdb_nccl.send((char *)j->in[from] + from_element * size, count, j->type, to,
                              communicator_of_rank(j, from), stream_of_rank(j, from));

    if (code == 0)
        code = abdb_nccl.receive((char *)j->out[to] + to_element * size, count, j->type, from,
                                 communicator_of_rank(j, to), stream_of_rank(j, to));
    return code;
}

/* Sends part q of each rank r to part r of rank q, all within one group. NCCL's code. */
static int enqueue_all_to_all(const collective_job *j)
{
    int code = 0;

    for (int r = 0; r < j->x.ranks && code == 0; r++)
        for (int q = 0; q < j->x.ranks && code == 0; q++)
            code = enqueue_send_and_receive(j, r, (size_t)q * j->part, q, (size_t)r * j->part,
                                            j->part);
    return code;
}

/* All messages of a window there, and of `both-ways` as many back. No empty one follows: a stream
 * is through when its messages have come. */
static int enqueue_message_window(const collective_job *j)
{
    int last = j->x.ranks - 1, code = 0;

    for (int i = 0; i < j->x.window && code == 0; i++) {
        size_t at = (size_t)i * j->x.count;

        code = enqueue_send_and_receive(j, 0, at, last, at, j->x.count);
        if (code == 0 && j->x.pattern == ABDB_BOTH_WAYS)
            code = enqueue_send_and_receive(j, last, at, 0, at, j->x.count);
    }
    return code;
}

/* One group of calls; way: of a ping-pong there (0) and back (1). */
static abdb_status enqueue_nccl_group(const collective_job *j, int is_way_back, abdb_error *err)
{
    int last = j->x.ranks - 1, code = abdb_nccl.group_start(), ended;

    if (code == 0 && j->x.kind == ABDB_ALL_TO_ALL)
        code = enqueue_all_to_all(j);
    else if (code == 0 && j->x.kind == ABDB_POINT && j->x.pattern == ABDB_PING_PONG)
        code = enqueue_send_and_receive(j, is_way_back ? last : 0, 0, is_way_back ? 0 : last, 0,
                                        j->x.count);
    else if (code == 0 && j->x.kind == ABDB_POINT)
        code = enqueue_message_window(j);
    else
        for (int r = 0; r < j->x.ranks && code == 0; r++) code = enqueue_collective_of_rank(j, r);
    ended = abdb_nccl.group_end();
    return abdb_nccl_check_result(code ? code : ended, "NCCL", err);
}

/* --- launches --------------------------------------------------------------------------------- */

/* Enqueues the messages of a launch in every rank's stream; a ping-pong is two groups, one
 * behind the other. */
static abdb_status enqueue_groups_of_launch(const collective_job *j, abdb_error *err)
{
    bool twice = j->x.kind == ABDB_POINT && j->x.pattern == ABDB_PING_PONG;
    abdb_status st = ABDB_OK;

    TRY(enqueue_nccl_group(j, 0, err));
    if (twice) TRY(enqueue_nccl_group(j, 1, err)); /* in each stream behind the first */
done:
    return st;
}

/* Records the event before or after a launch in every rank's stream. */
static abdb_status record_event_on_all_ranks(const collective_job *j, bool after, abdb_error *err)
{
    abdb_status st = ABDB_OK;

    for (int r = 0; r < j->x.ranks; r++) {
        const abdb_nccl_rank *of = &j->g->rank[r];

        TRY(abdb_nccl_set_cuda_context_of_rank(j->g, r, err));
        TRY(abdb_cu_check_result(abdb_cu.cuEventRecord_(after ? of->after : of->before, of->stream),
                                 "cuEventRecord", err));
    }
done:
    return st;
}

/* Where ranks meet before it, its time is that between two events of each stream; else it joins
 * what is under way. */
static abdb_status nccl_collective_launch_timed_if_apart(void *state, abdb_error *err)
{
    collective_job *j = state;
    abdb_status st = ABDB_OK;

    if (!j->x.apart) {
        j->g->together = true;
        return enqueue_groups_of_launch(j, err);
    }
    TRY(abdb_nccl_synchronize_ranks(j->g, j->x.ranks, err));
    TRY(record_event_on_all_ranks(j, false, err));
    TRY(enqueue_groups_of_launch(j, err));
    TRY(record_event_on_all_ranks(j, true, err));
    TRY(abdb_nccl_synchronize_ranks(j->g, j->x.ranks, err));
    for (int r = 0; r < j->x.ranks; r++) {
        float ms = 0;

        TRY(abdb_cu_check_result(
            abdb_cu.cuEventElapsedTime_(&ms, j->g->rank[r].before, j->g->rank[r].after),
            "cuEventElapsedTime", err));
        j->g->rank_s[r] += 1e-3 * (double)ms;
    }
done:
    return st;
}

static int nccl_collective_accepts_rank_count(const abdb_problem *p, const char **why_not)
{
    *why_not = p->device->limits.ranks < 2 ? "one device alone has nobody to send to"
                                           : "there are fewer devices than these ranks";
    return abdb_problem_rank_count(p) <= p->device->limits.ranks;
}

/* Makes the communicators of so many ranks and notes each rank's parts of the tensors. */
static abdb_status nccl_collective_prepare_communicators(void **state, const abdb_problem *p,
                                                         abdb_error *err)
{
    collective_job *j = calloc(1, sizeof *j);
    abdb_status st = ABDB_OK;

    if (!j) return ABDB_FAIL(err, ABDB_NOMEM, "a collective");
    j->g = (abdb_nccl_group *)p->device;
    abdb_exchange_from_problem(p, &j->x);
    TRY(abdb_nccl_ensure_communicators(j->g, j->x.ranks, err));
    j->type = nccl_type_of_dtype(j->x.dtype);
    j->op = j->x.redop == ABDB_SUM   ? ABDB_NCCL_SUM
            : j->x.redop == ABDB_MAX ? ABDB_NCCL_MAX
                                     : ABDB_NCCL_MIN;
    j->part = j->x.count / (size_t)j->x.ranks;
    for (int r = 0; r < j->x.ranks; r++) {
        j->in[r] = abdb_nccl_tensor_part_of_rank(j->g, p->tensor[0].data, r);
        j->out[r] =
            p->tensors > 1 ? abdb_nccl_tensor_part_of_rank(j->g, p->tensor[1].data, r) : j->in[r];
    }
    *state = j;
done:
    if (st != ABDB_OK) free(j);
    return st;
}

#define IMPL(id, printed)                                                    \
    const abdb_impl abdb_nccl_##id = {printed,                               \
                                      "nccl",                                \
                                      nccl_collective_accepts_rank_count,    \
                                      nccl_collective_prepare_communicators, \
                                      nccl_collective_launch_timed_if_apart, \
                                      NULL,                                  \
                                      free};
IMPL(all_reduce, "all-reduce")
IMPL(all_gather, "all-gather")
IMPL(reduce_scatter, "reduce-scatter")
IMPL(all_to_all, "all-to-all")
IMPL(reduce, "reduce")
IMPL(broadcast, "broadcast")
IMPL(point, "point-to-point")

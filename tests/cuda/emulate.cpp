// emulate.cpp - runs kernels on threads of our own that take turns; see emulate.h. Between two
// barriers one warp after another goes as far as it gets, from one that is drawn each time
// ($ABDB_EMULATED_SEED), its lanes in an order drawn for each block: a barrier that is missing shows.
#include "tests/cuda/emulate.h"

#include <csetjmp>
#include <cstdlib>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>
#include <vector>

#include "tests/cuda/emulate_run.h"

namespace emulated
{

uint3_ thread, block, blocks, threads;
unsigned char *dynamic;

namespace
{

enum { STACK = 128 << 10, THREADS = 1024, ARENA = 256 << 10 };
enum fiber_state { READY, AT_BARRIER, AT_WARP, DONE };

struct async_copy {
    void *to;
    const void *from;
    size_t size;
    int group;
};

struct fiber {
    ucontext_t start;
    jmp_buf here;
    bool made;
    fiber_state at;
    unsigned parity;
    int group;
    std::vector<async_copy> copies;
};

fiber *fibers; // THREADS of them
jmp_buf scheduler;
unsigned now;
unsigned char slots[THREADS / WARP][2][WARP][SLOT];
unsigned arrived[THREADS / WARP];
const entry *running;
const void *argument;
unsigned char *arena;
uint64_t random_state = 1;

struct spoiled_static {
    void *memory;
    size_t size;
    uint64_t block;
};
std::vector<spoiled_static> statics;
uint64_t block_number;

unsigned random_below(unsigned limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (unsigned)(random_state >> 33) % limit;
}

void yield_to_scheduler(fiber_state wait_state)
{
    fibers[now].at = wait_state;
    if (!_setjmp(fibers[now].here)) _longjmp(scheduler, 1);
}

void run_kernel_in_fiber_forever()
{
    for (;;) {
        running->invoke(argument);
        wait_async_copies(0);
        yield_to_scheduler(DONE);
    }
}

void resume_fiber(unsigned thread_index)
{
    fiber &f = fibers[thread_index];

    now = thread_index;
    thread = {thread_index, 0, 0};
    if (_setjmp(scheduler)) return;
    if (f.made) _longjmp(f.here, 1);
    f.made = true;
    getcontext(&f.start);
    f.start.uc_stack.ss_sp = mmap(nullptr, STACK, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    f.start.uc_stack.ss_size = STACK;
    f.start.uc_link = nullptr;
    makecontext(&f.start, run_kernel_in_fiber_forever, 0);
    setcontext(&f.start);
}

// One block; false: threads wait for one another in vain.
bool run_block_detect_deadlock(unsigned count)
{
    std::vector<unsigned> order(count);
    unsigned done = 0;

    for (unsigned i = 0; i < count; i++) {
        unsigned base = i / WARP * WARP, j = base + random_below(i - base + 1);

        order[i] = order[j]; // lanes of a warp in any order
        order[j] = i;
        fibers[i].at = READY;
        fibers[i].parity = 0;
        fibers[i].group = 0;
    }
    std::memset(arrived, 0, sizeof arrived);
    while (done < count) {
        unsigned ran = 0, waiting = 0, first = random_below(count / WARP);

        done = 0;
        /* a warp goes as far as it gets before the next one: where a barrier is missing it is far
         * ahead of what it needs */
        for (unsigned w = 0; w < count / WARP; w++) {
            unsigned warp = (first + w) % (count / WARP);

            for (bool some = true; some;) {
                some = false;
                for (unsigned k = warp * WARP; k < (warp + 1) * WARP; k++)
                    if (fibers[order[k]].at == READY) {
                        some = true;
                        ran++;
                        resume_fiber(order[k]);
                    }
            }
        }
        for (unsigned i = 0; i < count; i++) {
            waiting += fibers[i].at == AT_BARRIER;
            done += fibers[i].at == DONE;
        }
        if (waiting && waiting + done == count)
            for (unsigned i = 0; i < count; i++)
                if (fibers[i].at == AT_BARRIER) fibers[i].at = READY;
        if (!ran && !(waiting && waiting + done == count) && done < count) return false;
    }
    return true;
}

} // namespace

void barrier()
{
    yield_to_scheduler(AT_BARRIER);
}

void *exchange_in_warp_and_apply_work(const void *mine, size_t size,
                                      void (*work)(unsigned char (*slot)[SLOT]))
{
    unsigned warp = now / WARP, lane = now % WARP, me = now;
    unsigned char(*slot)[SLOT] = slots[warp][fibers[me].parity];

    fibers[me].parity ^= 1;
    std::memcpy(slot[lane], mine, size);
    if (++arrived[warp] == WARP) {
        arrived[warp] = 0;
        work(slot);
        for (unsigned i = warp * WARP; i < (warp + 1) * WARP; i++) fibers[i].at = READY;
    } else {
        yield_to_scheduler(AT_WARP);
    }
    return slot[lane];
}

void spoil_once_per_block(void *memory, size_t size)
{
    for (auto &s : statics)
        if (s.memory == memory) {
            if (s.block != block_number) std::memset(memory, 0xFF, size);
            s.block = block_number;
            return;
        }
    std::memset(memory, 0xFF, size);
    statics.push_back({memory, size, block_number});
}

void queue_async_copy(void *to, const void *from, size_t size)
{
    fibers[now].copies.push_back({to, from, size, fibers[now].group});
}

void commit_async_copies()
{
    fibers[now].group++;
}

void wait_async_copies(int left)
{
    fiber &f = fibers[now];
    std::vector<async_copy> later;

    for (const async_copy &c : f.copies)
        if (c.group < f.group - left)
            std::memcpy(c.to, c.from, c.size);
        else
            later.push_back(c);
    f.copies.swap(later);
}

const char *run_kernel_blocks_return_error(const entry *e, const void *with, const uint3_ &grid,
                                           unsigned count, size_t shared)
{
    const char *seed = std::getenv("ABDB_EMULATED_SEED");

    if (!fibers) {
        long page = sysconf(_SC_PAGESIZE);

        fibers = new fiber[THREADS]();
        arena = (unsigned char *)mmap(nullptr, ARENA + (size_t)page, PROT_READ | PROT_WRITE,
                                      MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        mprotect(arena + ARENA, (size_t)page, PROT_NONE);
        random_state = seed ? std::strtoull(seed, nullptr, 10) * 2 + 1 : 88172645463325252u;
    }
    running = e;
    argument = with;
    blocks = grid;
    threads = {count, 1, 1};
    if (shared > ARENA) return "more shared memory than any device has";
    dynamic = arena + ARENA - (shared + 15) / 16 * 16;
    for (unsigned z = 0; z < grid.z; z++)
        for (unsigned y = 0; y < grid.y; y++)
            for (unsigned x = 0; x < grid.x; x++) {
                block = {x, y, z};
                block_number++;
                std::memset(dynamic, 0xFF, shared);
                if (!run_block_detect_deadlock(count)) {
                    for (unsigned i = 0; i < THREADS; i++) fibers[i].made = false;
                    return "threads wait for one another in vain";
                }
            }
    return nullptr;
}

} // namespace emulated

#!/bin/sh
# torch.py - abdb-run-torch: PyTorch on any device that it has. The shell reads these lines and starts Python, $ABDB_PYTHON
# or python3, with the same file; to Python they are the text between three quotes. Without a Python it is a backend without a device.
''''command -v "${ABDB_PYTHON:-python3}" >/dev/null || {
    why="python3 is not here, nor does ABDB_PYTHON name another Python: apt-get install python3, then pip install torch"
    case $1 in
    describe) echo "{\"kind\":\"no-device\",\"reason\":\"$why\"}" ;;
    *) echo "abdb-run-torch: $why" >&2 ;;
    esac
    exit 127
}
exec "${ABDB_PYTHON:-python3}" "$0" "$@" # '''
"""Shapes, inputs, sampling, verification and the protocol are abdb's own: libabdb-kernels.so, whose interface is
kernels/providers/foreign/bridge.h. Here stand PyTorch's way of each kernel, and its devices. ABDB_DEVICE chooses one:
cpu, cuda:0, hpu:0, xpu:0, mps."""
import ctypes
import json
import os
import sys
import time

# Threads of two pools that wait by spinning would take the processors from each other.
os.environ.pop("OMP_WAIT_POLICY", None)
KERNELS = "gemm stream gather attention embedding-bag transformer-block"


def find_library():
    here = os.path.dirname(os.path.realpath(__file__))
    for path in (os.environ.get("ABDB_KERNELS", ""), here + "/libabdb-kernels.so", here + "/../lib/abdb/libabdb-kernels.so"):
        if path and os.path.exists(path):
            return ctypes.CDLL(path)
    sys.exit("abdb-run-torch: no libabdb-kernels.so beside it; ABDB_KERNELS names it")


LIBRARY = find_library()  # before PyTorch, so that each has its own libgomp whole
try:
    import torch
    import torch.nn.functional as F

    MISSING = None
except ImportError as fault:
    MISSING = f"PyTorch cannot be imported ({fault}): pip install torch, or ABDB_PYTHON names a Python that has it"
OK, FAILED, NOMEM = 0, 1, 2


# --- devices ------------------------------------------------------------------------------------------------------


def devices():
    """All that PyTorch sees: lists of (id, name), the fastest kind first."""
    found = []
    for kind in ("cuda", "hpu", "xpu"):
        if kind == "hpu":
            try:
                import habana_frameworks.torch.hpu  # noqa: F401  (registers torch.hpu)
            except ImportError:
                continue
        module = getattr(torch, kind, None)
        if module is not None and module.is_available():
            found += [(f"{kind}:{i}", module.get_device_name(i)) for i in range(module.device_count())]
    if torch.backends.mps.is_available():
        found.append(("mps", "Apple " + os.uname().machine))
    return found + [("cpu", processor())]


def processor():
    name = ctypes.create_string_buffer(256)
    LIBRARY.abdb_host_device_name.restype = ctypes.c_char_p
    return LIBRARY.abdb_host_device_name(name, ctypes.c_size_t(256)).decode(errors="replace")


class Clock:
    """Times a stretch: by events of the device where it has them, else by the host's clock."""

    def __init__(self, kind):
        self.module = getattr(torch, kind, None) if kind != "cpu" else None
        self.events = None
        if self.module is not None and hasattr(self.module, "Event"):
            self.events = [self.module.Event(enable_timing=True) for _ in range(2)]
        self.name = f"torch.{kind}.Event" if self.events else "time.perf_counter"

    def wait(self):
        if self.module is not None:
            self.module.synchronize()

    def begin(self):
        self.wait()
        self.start = time.perf_counter()
        if self.events:
            self.events[0].record()

    def end(self):
        if not self.events:
            self.wait()
            return time.perf_counter() - self.start
        self.events[1].record()
        self.events[1].synchronize()
        return self.events[0].elapsed_time(self.events[1]) / 1e3

    def measure(self):
        """Its smallest step that is seen, and what begin and end take together."""
        spans = []
        for _ in range(100):
            self.begin()
            spans.append(self.end())
        steps = sorted(s for s in spans if s > 0)
        return (0.5e-6 if self.events else time.get_clock_info("perf_counter").resolution), (steps or [1e-6])[len(steps) // 2]


# --- kernels: a function that makes what is launched, or why there is none ---------------------------------------------


class Problem:
    """A problem as the library tells it. t[i]: tensor i on the device; put(i, value) makes an output another tensor."""

    def __init__(self, text, memory=None):
        told = json.loads(text)
        self.kernel, self.params, self.tensors, self.memory = told["kernel"], told["params"], told["tensors"], memory
        self.dtype = self.tensors[0]["dtype"]
        if memory is not None:
            self.t = [memory[t["data"]].view(TYPES[t["dtype"]]).view(t["dim"]) for t in self.tensors]

    def word(self, name, default):
        return self.params.get(name, default)

    def size(self, name, default=0):
        return int(float(self.params.get(name, default)))

    def put(self, i, value):
        self.memory[self.tensors[i]["data"]] = value

    def has(self, *names):
        return next((n for n in names if n in self.params), None)


def no_gemm(p):
    if p.word("weights", "plain") != "plain":
        return "PyTorch packs no weights"
    if p.word("epilogue", "none") != "none":
        return "PyTorch's products have no epilogue: bias and activation are calls of their own"
    if p.dtype == "i8" and (len(p.tensors[0]["dim"]) > 2 or not hasattr(torch, "_int_mm")):
        return "PyTorch has no batched product of bytes"
    if p.dtype == "i8" and p.size("beta"):
        return "PyTorch adds no product of bytes to what is there"
    if p.dtype == "tf32" and KIND != "cuda":
        return "only CUDA has tf32"
    return None if p.dtype in TYPES else f"PyTorch has no product of {p.dtype} here"


def gemm(p):
    stored, c = p.t[:2], p.t[2]
    a, b = (t.transpose(-1, -2) if letter == "t" else t for t, letter in zip(stored, p.word("transpose", "nn")))
    if p.dtype == "i8":
        return lambda: p.put(2, torch._int_mm(a, b))
    if KIND == "cuda":
        torch.backends.cuda.matmul.allow_tf32 = p.dtype == "tf32"
    if p.size("beta"):
        return lambda: c.baddbmm_(a, b) if c.dim() == 3 else c.addmm_(a, b)
    times = torch.bmm if a.dim() == 3 else torch.mm
    return lambda: times(a, b, out=c)


def no_stream(p):
    if p.word("op", "triad") == "fma" or p.has("unroll", "grain") or p.word("stores", "plain") != "plain" or p.size("repeat", 1) > 1:
        return "one pass of PyTorch's own loops: no fma, unroll, grain, stores, repeat or level of a cache"
    return None


def stream(p):
    x, y, z = p.t
    op, s = p.word("op", "triad"), 0.4
    return {
        "copy": lambda: z.copy_(x),
        "scale": lambda: torch.mul(x, s, out=z),
        "add": lambda: torch.add(x, y, out=z),
        "triad": lambda: torch.add(x, y, alpha=s, out=z),
        "dot": lambda: p.put(2, torch.dot(x, y)),
        "read": lambda: p.put(2, torch.sum(x)),
        "write": lambda: z.fill_(s),
    }[op]


def gather(p):
    first, index, out = p.t
    if p.word("op", "gather") == "gather":
        return lambda: torch.index_select(first, 0, index, out=out)
    index = index.long()
    return lambda: out.index_copy_(0, index, first)


def embedding_bag(p):
    weight, index, out = p.t
    tables, batch, lookups = index.shape
    rows = weight.shape[0] // tables
    if p.word("mode", "batched") == "single":
        parts = [(index[t].reshape(-1).contiguous(), weight[t * rows : (t + 1) * rows]) for t in range(tables)]
        starts = torch.arange(0, batch * lookups, lookups, dtype=index.dtype, device=index.device)
        return lambda: p.put(2, torch.cat([F.embedding_bag(i, w, starts, mode="sum") for i, w in parts], dim=1))
    offset = torch.arange(tables, dtype=index.dtype, device=index.device).view(-1, 1, 1) * rows
    flat = (index + offset).permute(1, 0, 2).reshape(-1).contiguous()
    starts = torch.arange(0, batch * tables * lookups, lookups, dtype=index.dtype, device=index.device)
    return lambda: p.put(2, F.embedding_bag(flat, weight, starts, mode="sum"))


def no_attention(p):
    causal, square = p.word("causal", "no") == "yes", p.size("queries") == p.size("keys")
    fused = p.word("algorithm", "flash") == "flash"
    if p.size("heads") != p.size("kv_heads"):
        return "no groups of heads: PyTorch's functions that give logarithms of sums have none"
    if fused and causal and not square:
        return "PyTorch's mask begins at the first key, where keys and queries differ"
    if fused and KIND == "cuda" and (p.dtype == "f32" or p.word("pass", "forward") == "backward"):
        return "of flash attention only forward of bf16 and f16: backward wants what PyTorch's own forward keeps"
    if fused and KIND == "cpu" and p.dtype != "f32" and p.word("pass", "forward") == "forward":
        return "of short formats PyTorch's logarithms of sums are wrong by 2e-5 on processors, fifty times what f32 rounds"
    if fused and KIND not in ("cpu", "cuda"):
        return "no fused attention here that gives logarithms of sums"
    return None


def attention(p):
    backward = p.word("pass", "forward") == "backward"
    heads = (p.size("batch"), p.size("heads"))
    queries, keys, d = p.size("queries"), p.size("keys"), p.size("d")
    causal, scale = p.word("causal", "no") == "yes", d**-0.5
    q, k, v = (t.view(*heads, -1, d) for t in p.t[:3])
    more = [t.view(*heads, queries, d) for t in p.t[3:5]] + [p.t[5].view(*heads, queries)] if backward else None
    if p.word("algorithm", "flash") == "plain":
        hidden = torch.ones(queries, keys, dtype=torch.bool, device=q.device).triu(keys - queries + 1) if causal else None
        return plain_backward(p, q, k, v, *more, hidden, scale) if backward else plain(p, q, k, v, hidden, scale)
    if backward:
        out, grad, sums = more

        def fused_backward():
            made = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu_backward(
                grad, q, k, v, out, sums, 0.0, causal, scale=scale)
            for i in range(3):
                p.put(6 + i, made[i])

        return fused_backward
    fused = (torch.ops.aten._scaled_dot_product_flash_attention if KIND == "cuda"
             else torch.ops.aten._scaled_dot_product_flash_attention_for_cpu)

    def forward():
        made = fused(q, k, v, 0.0, causal, scale=scale)
        p.put(3, made[0])
        p.put(4, made[1].float())

    return forward


def scores(q, k, hidden, scale):
    s = (q.float() @ k.float().transpose(-1, -2)) * scale  # as PyTorch's own plain way does with short formats
    return s if hidden is None else s.masked_fill(hidden, float("-inf"))


def plain(p, q, k, v, hidden, scale):
    def forward():
        s = scores(q, k, hidden, scale)
        sums = torch.logsumexp(s, -1)
        p.put(3, (torch.softmax(s, -1) @ v.float()).to(v.dtype))
        p.put(4, sums)

    return forward


def plain_backward(p, q, k, v, out, grad, sums, hidden, scale):
    def backward():
        weight = torch.exp(scores(q, k, hidden, scale) - sums.unsqueeze(-1))
        own = (grad.float() * out.float()).sum(-1, keepdim=True)
        dscore = (weight * ((grad @ v.transpose(-1, -2)).float() - own) * scale).to(q.dtype)
        p.put(6, dscore @ k)
        p.put(7, dscore.transpose(-1, -2) @ q)
        p.put(8, weight.to(q.dtype).transpose(-1, -2) @ grad)

    return backward


def parts_of(flat, d):
    """The parameters of a block, as kernels/micro/block.c lays them out, as views of one tensor."""
    rows = flat.view(-1)
    sizes = [3 * d * d, d * d, 4 * d * d, 4 * d * d, 3 * d, d, 4 * d, d, d, d, d, d]
    shapes = [(d, 3 * d), (d, d), (d, 4 * d), (4 * d, d), (3 * d,), (d,), (4 * d,), (d,), (d,), (d,), (d,), (d,)]
    return [part.view(shape) for part, shape in zip(rows[: sum(sizes)].split(sizes), shapes)]


def block_forward(x, parts, batch, heads):
    qkv_w, out_w, fc_w, pr_w, qkv_b, out_b, fc_b, pr_b, g1, b1, g2, b2 = parts
    n, d = x.shape

    def split(t):
        return t.view(batch, n // batch, heads, d // heads).transpose(1, 2)

    q, k, v = (split(t) for t in torch.addmm(qkv_b, F.layer_norm(x, (d,), g1, b1), qkv_w).chunk(3, -1))
    seen = F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(n, d)
    h = x + torch.addmm(out_b, seen, out_w)
    inside = F.gelu(torch.addmm(fc_b, F.layer_norm(h, (d,), g2, b2), fc_w), approximate="tanh")
    return h + torch.addmm(pr_b, inside, pr_w)


def block(p):
    batch, heads, d = p.size("batch"), p.size("heads"), p.size("d")
    if p.word("pass", "forward") == "forward":

        def forward():
            with torch.no_grad():
                p.put(2, block_forward(p.t[0], parts_of(p.t[1], d), batch, heads))

        return forward
    x = p.t[0].detach().clone().requires_grad_(True)
    parts = [part.detach().clone().requires_grad_(True) for part in parts_of(p.t[1], d)]
    y, grad = block_forward(x, parts, batch, heads), p.t[2]

    def backward():
        made = torch.autograd.grad(y, [x, *parts], grad, retain_graph=True)
        p.put(3, made[0])
        p.put(4, torch.cat([part.reshape(-1) for part in made[1:]]))

    return backward


KINDS = {
    "gemm": (gemm, no_gemm),
    "stream": (stream, no_stream),
    "gather": (gather, lambda p: None),
    "attention": (attention, no_attention),
    "embedding-bag": (embedding_bag, lambda p: None),
    "transformer-block": (block, lambda p: None),
}


# --- the bridge ---------------------------------------------------------------------------------------------------------

c_text, c_size, c_int, c_double, c_void = ctypes.c_char_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_double, ctypes.c_void_p
FIELDS = [("backend", c_text), ("summary", c_text), ("kernels", c_text), ("library", c_text), ("no_device", c_text),
          ("device", c_text), ("clock", c_text), ("devices", c_text), ("resolution_s", c_double), ("cost_s", c_double),
          ("threads", c_int), ("memory", c_double), ("cache", c_double)]
CALLS = {"alloc": (c_size, c_size), "release": (None, c_size), "upload": (c_int, c_size, c_void, c_size),
         "download": (c_int, c_void, c_size, c_size), "fill": (c_int, c_size, c_int, c_size), "flush": (c_int,),
         "begin": (c_int,), "end": (c_int, ctypes.POINTER(c_double)), "accepts": (c_void, c_text),
         "prepare": (c_int, c_text, ctypes.POINTER(c_size)), "launch": (c_int, c_size), "close": (None, c_size), "fault": (c_void,)}
TYPES_OF_CALLS = {name: ctypes.CFUNCTYPE(*types) for name, types in CALLS.items()}


class Bridge(ctypes.Structure):
    _fields_ = FIELDS + [(name, TYPES_OF_CALLS[name]) for name in CALLS]


class Device:
    """What the bridge calls. Memory and prepared states have numbers, from 1 on."""

    def __init__(self, name, clock, threads, cache):
        # memory: the tensor that a handle means now; home: the one that was made for it, into which inputs and what
        # shall be overwritten go. A launch may make its output anew, and puts it in the place of the other.
        self.name, self.clock, self.memory, self.home, self.states, self.next = name, clock, {}, {}, {}, 0
        self.words, self.flushed, self.cache = ctypes.create_string_buffer(1024), None, cache

    def keep(self, where, thing):
        self.next += 1
        where[self.next] = thing
        return self.next

    def fail(self, fault):
        text = str(fault).split("\n")[0][:900] or type(fault).__name__
        self.words.value = text.encode(errors="replace")
        return NOMEM if isinstance(fault, (MemoryError, torch.OutOfMemoryError)) or "alloc" in text and "memory" in text else FAILED

    def guarded(self, call):
        """A call that gives OK, or keeps why it could not be done: no exception crosses into C."""

        def run(*args):
            try:
                call(*args)
                return OK
            except BaseException as fault:
                return self.fail(fault)

        return run

    def back_home(self, data):
        self.memory[data] = self.home[data]
        return self.home[data]

    def release(self, data):
        del self.memory[data], self.home[data]

    def alloc(self, size):
        try:
            made = self.keep(self.home, torch.empty(size, dtype=torch.uint8, device=self.name))
            self.memory[made] = self.home[made]
            return made
        except BaseException as fault:
            self.fail(fault)
            return 0

    def upload(self, to, source, size):
        host = torch.frombuffer((ctypes.c_char * size).from_address(source), dtype=torch.uint8)
        self.back_home(to)[:size].copy_(host)
        self.clock.wait()

    def download(self, to, source, size):
        host = torch.frombuffer((ctypes.c_char * size).from_address(to), dtype=torch.uint8)
        made = self.memory[source].contiguous().view(-1).view(torch.uint8)
        if made.numel() != size:
            raise ValueError(f"an output of {made.numel()} bytes instead of {size}")
        host.copy_(made)

    def fill(self, to, byte, size):
        self.back_home(to)[:size].fill_(byte)
        self.clock.wait()

    def flush(self):
        if self.flushed is None:
            self.flushed = torch.empty(int(2 * self.cache), dtype=torch.uint8, device=self.name)
        self.flushed.fill_(0)
        self.clock.wait()

    def end(self, seconds):
        seconds[0] = self.clock.end()

    def accepts(self, text):
        p = Problem(text)
        why = next((f"PyTorch has no {t['dtype']} on {KIND}" for t in p.tensors if t["dtype"] not in TYPES), None) or KINDS[p.kernel][1](p)
        if why is None:
            return None
        self.words.value = why.encode()
        return ctypes.addressof(self.words)

    def prepare(self, text, state):
        p = Problem(text, self.memory)
        state[0] = self.keep(self.states, KINDS[p.kernel][0](p))


def limits(kind):
    """Bytes of memory and of the last cache, as the device tells them; 0: the host's."""
    if kind == "cuda":
        told = torch.cuda.get_device_properties(torch.cuda.current_device())
        return told.total_memory, getattr(told, "L2_cache_size", 0)
    return 0, 0


def main():
    global KIND, TYPES
    bridge = Bridge(backend=b"torch", summary=b"PyTorch on any of its devices", kernels=KERNELS.encode())
    if MISSING:
        bridge.no_device = MISSING.encode()
        device = None
    else:
        found = devices()
        chosen = os.environ.get("ABDB_DEVICE") or found[0][0]
        bridge.devices = "\n".join(f"{i} {name}" for i, name in found).encode()
        bridge.library = f"PyTorch {torch.__version__}".encode()
        name = dict(found).get(chosen)
        if name is None:
            bridge.no_device = f"PyTorch has no device '{chosen}' (ABDB_DEVICE): it has {', '.join(i for i, _ in found)}".encode()
            chosen, name = "cpu", ""
        KIND = chosen.split(":")[0]
        if KIND in ("cuda", "xpu", "hpu"):
            getattr(torch, KIND).set_device(chosen)
        threads = int(os.environ.get("OMP_NUM_THREADS") or len(os.sched_getaffinity(0)))
        torch.set_num_threads(threads)
        TYPES = {"f32": torch.float32, "bf16": torch.bfloat16, "f16": torch.float16, "i8": torch.int8, "i32": torch.int32}
        TYPES.update({"f64": torch.float64} if KIND != "mps" else {}, **({"tf32": torch.float32} if KIND == "cuda" else {}))
        memory, cache = limits(KIND)
        clock = Clock(KIND)
        device = Device(chosen, clock, threads, cache or 64 << 20)
        bridge.device, bridge.clock = name.encode(errors="replace"), clock.name.encode()
        bridge.resolution_s, bridge.cost_s = clock.measure()
        bridge.threads, bridge.memory, bridge.cache = threads if KIND == "cpu" else 0, memory, cache
    kept = []  # ctypes forgets functions that nobody keeps
    if device:
        calls = {"alloc": device.alloc, "release": device.release, "upload": device.guarded(device.upload),
                 "download": device.guarded(device.download), "fill": device.guarded(device.fill), "flush": device.guarded(device.flush),
                 "begin": device.guarded(device.clock.begin), "end": device.guarded(device.end), "accepts": device.accepts,
                 "prepare": device.guarded(device.prepare), "launch": device.guarded(lambda state: device.states[state]()),
                 "close": lambda state: device.states.pop(state, None) and None, "fault": lambda: ctypes.addressof(device.words)}
        for what, call in calls.items():
            kept.append(TYPES_OF_CALLS[what](call))
            setattr(bridge, what, kept[-1])
    argv = (c_text * (len(sys.argv) + 1))(b"abdb-run-torch", *(word.encode() for word in sys.argv[1:]), None)
    sys.stdout.flush()
    sys.exit(LIBRARY.abdb_bridge_main(ctypes.byref(bridge), len(sys.argv), argv))


main()

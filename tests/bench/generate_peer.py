"""generate_peer.py - PyTorch's way of a token at batch 1 through a Llama-like network with a cache that is made beforehand: fused
matrices, F.rms_norm, F.scaled_dot_product_attention, the most likely token. Reads lines `key=value ...` (layers, past, compiled),
prints the median seconds of a token; the first line it prints is its version."""
import os
import statistics
import sys
import time

try:
    import torch
    import torch.nn.functional as F
except ImportError:
    print("absent")
    sys.exit(0)
if tuple(int(x) for x in torch.__version__.split("+")[0].split(".")[:2]) < (2, 4):
    print("absent (older than 2.4)")
    sys.exit(0)
torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"]))
torch.manual_seed(1)
print(f"PyTorch {torch.__version__}, {torch.get_num_threads()} threads, {torch.backends.cpu.get_cpu_capability()}", flush=True)
D, HEADS, KV, HEAD, HIDDEN, VOCABULARY = 2048, 32, 8, 64, 8192, 128256  # Llama-3.2-1B
KIND = torch.bfloat16


def matrix(rows, columns):
    out = torch.empty(rows, columns, dtype=KIND)
    return out.uniform_(-0.03, 0.03)


class Network:
    def __init__(self, layers, past):
        self.past = past
        self.table = matrix(VOCABULARY, D)
        self.gain = torch.ones(D, dtype=KIND)
        self.layers = [(matrix((HEADS + 2 * KV) * HEAD, D), matrix(D, HEADS * HEAD), matrix(2 * HIDDEN, D), matrix(D, HIDDEN)) for _ in range(layers)]
        self.cache = [torch.zeros(2, 1, KV, past + 1, HEAD, dtype=KIND).normal_() for _ in range(layers)]
        angle = past / 5e5 ** (torch.arange(0, HEAD, 2) / HEAD)
        self.cos, self.sin = (torch.cat((f(angle), f(angle))).to(KIND) for f in (torch.cos, torch.sin))

    def turn(self, x):
        low, high = x.chunk(2, -1)
        return x * self.cos + torch.cat((-high, low), -1) * self.sin

    def step(self, token):
        x = F.embedding(token, self.table)
        for (qkv, out, up, down), cache in zip(self.layers, self.cache):
            q, k, v = F.linear(F.rms_norm(x, (D,), self.gain, 1e-5), qkv).view(1, -1, HEAD).transpose(0, 1).split((HEADS, KV, KV))
            cache[0, 0, :, self.past] = self.turn(k)[:, 0]
            cache[1, 0, :, self.past] = v[:, 0]
            y = F.scaled_dot_product_attention(self.turn(q)[None], cache[0], cache[1], enable_gqa=True)
            x = x + F.linear(y.reshape(1, -1), out)
            gate, rise = F.linear(F.rms_norm(x, (D,), self.gain, 1e-5), up).chunk(2, -1)
            x = x + F.linear(F.silu(gate) * rise, down)
        return F.linear(F.rms_norm(x, (D,), self.gain, 1e-5), self.table).argmax(-1)


kept = {}
for line in sys.stdin:
    asked = dict(word.split("=") for word in line.split())
    key = (int(asked["layers"]), int(asked["past"]))
    with torch.inference_mode():
        if key not in kept:
            kept[key] = Network(*key)
        step, token, times = kept[key].step, torch.zeros(1, dtype=torch.int64), []
        if asked.get("compiled") == "yes":
            kept[key].compiled = step = getattr(kept[key], "compiled", None) or torch.compile(kept[key].step)
        for i in range(20):
            began = time.perf_counter()
            token = step(token)
            times.append(time.perf_counter() - began)
    print(statistics.median(times[4:]), flush=True)

#!/usr/bin/env python3
"""cuda_peer.py - PyTorch's times on a CUDA device: reads lines "WHAT key=value ...", answers seconds
of one call each, the median of 20 between events after 5 that warm up."""
import sys

import torch


def median_s(call, times=20):
    for _ in range(5):
        call()
    torch.cuda.synchronize()
    found = []
    for _ in range(times):
        first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        first.record()
        call()
        last.record()
        torch.cuda.synchronize()
        found.append(first.elapsed_time(last) * 1e-3)
    return sorted(found)[times // 2]


def product(n):
    a, b = (torch.randn(n, n, device="cuda", dtype=torch.bfloat16) for _ in range(2))
    c = torch.empty_like(a)
    return lambda: torch.mm(a, b, out=c)


def copy(n):
    a = torch.randn(n, device="cuda")
    b = torch.empty_like(a)
    return lambda: b.copy_(a)


def flash(sequence, d):
    q, k, v = (torch.randn(4, 16, sequence, d, device="cuda", dtype=torch.bfloat16) for _ in range(3))
    from torch.nn.attention import SDPBackend, sdpa_kernel

    def call():
        with sdpa_kernel(SDPBackend.FLASH_ATTENTION):
            torch.nn.functional.scaled_dot_product_attention(q, k, v)

    return call


def graph(nodes):
    """An empty sum of one element, `nodes` times in one graph."""
    x = torch.zeros(1, device="cuda")
    x += 1
    g = torch.cuda.CUDAGraph()
    with torch.cuda.graph(g):
        for _ in range(nodes):
            x += 1
    return g.replay


for line in sys.stdin:
    what, *words = line.split()
    call = {"product": product, "copy": copy, "flash": flash, "graph": graph}[what]
    print(median_s(call(**{k: int(v) for k, v in (w.split("=") for w in words)})), flush=True)

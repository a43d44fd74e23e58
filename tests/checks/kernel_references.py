#!/usr/bin/env python3
"""The references of kernels/micro, computed here by other algorithms, in plain Python: reads problems
from standard input (tests/unit/reference.c prints them) and prints a TAP line for each. Gradients of a
transformer block are checked against slopes of the forward pass computed here."""
import json
import math
import random
import re
import struct
import sys


def f32(x):
    return struct.unpack('f', struct.pack('f', x))[0]


def as_stored(dtype, x):
    """What is left of a number in a format, which for an input is all of it."""
    if dtype in ('f32', 'f16'):
        how = {'f32': 'f', 'f16': 'e'}[dtype]
        return struct.unpack(how, struct.pack(how, x))[0]
    kept = {'tf32': 11, 'bf16': 8, 'e4m3': 4, 'e5m2': 3}.get(dtype)  # bits, the leading one too
    if not kept or x == 0:
        return x
    least = {'e4m3': -6, 'e5m2': -14}.get(dtype, -126)
    step = 2.0 ** (max(math.frexp(x)[1] - 1, least) - kept + 1)
    return round(x / step) * step


class Problem:
    def __init__(self, line):
        cell = json.loads(line)
        self.kernel, self.name, self.param = cell['kernel'], cell['cell'], cell['params']
        self.tensor = cell['tensors']

    def number(self, name):
        return int(float(self.param[name]))

    def word(self, name, default):
        return self.param.get(name, default)

    def rows(self, i, width=None):
        values = self.tensor[i]['in']
        width = width or self.tensor[i]['dim'][-1]
        return [values[at:at + width] for at in range(0, len(values), width)]


def dot(a, b):
    return math.fsum(x * y for x, y in zip(a, b))


def columns(matrix):
    return [list(c) for c in zip(*matrix)]


def product(a, b):
    b = columns(b)
    return [[dot(row, column) for column in b] for row in a]


def flat(rows):
    return [x for row in rows for x in row]


def gemm(p):
    m, n, k = p.number('m'), p.number('n'), p.number('k')
    a, b, out = p.tensor[0]['in'], p.tensor[1]['in'], []
    turned, epilogue = p.word('transpose', 'nn'), p.word('epilogue', 'none')
    for i in range(int(p.word('batch', '1'))):  # element by element: where it lies depends on how it is stored
        one = [[a[i * m * k + (c * m + r if turned[0] == 't' else r * k + c)] for c in range(k)] for r in range(m)]
        other = [[b[i * k * n + (c * k + r if turned[1] == 't' else r * n + c)] for c in range(n)] for r in range(k)]
        out += flat(product(one, other))
    if p.word('beta', '0') == '1':
        out = [x + c for x, c in zip(out, p.tensor[2]['in'])]
    if epilogue.startswith('bias'):
        out = [x + p.tensor[3]['in'][i % n] for i, x in enumerate(out)]
    act = {'relu': lambda x: max(x, 0.0), 'gelu': gelu, 'silu': lambda x: x / (1 + math.exp(-x))}.get(epilogue.split('-')[-1])
    return {2: [act(x) for x in out] if act else out}


def stream(p):
    x, y, op = p.tensor[0]['in'], p.tensor[1]['in'], p.word('op', 'triad')
    s = f32(0.4) if p.tensor[0]['dtype'] == 'f32' else 0.4
    if op in ('dot', 'read'):
        return {2: [dot(x, y) if op == 'dot' else math.fsum(x)]}
    if op == 'write':
        return {2: [s] * p.number('n')}
    if op == 'fma':  # a geometric series
        a, n = 1 - 2**-12, p.number('fmas')
        return {2: [a**n * v + 2**-13 * (1 - a**n) / (1 - a) for v in x]}
    how = {'copy': lambda i: x[i], 'scale': lambda i: s * x[i], 'add': lambda i: x[i] + y[i],
           'triad': lambda i: x[i] + s * y[i]}
    return {2: [how[op](i) for i in range(len(x))]}


def fma(p):
    x, y, n = p.tensor[0]['in'], p.tensor[1]['in'], p.number('n')
    each = {'bf16': 2, 'i8': 4}.get(p.tensor[0]['dtype'], 1)
    if p.tensor[0]['dtype'] in ('f32', 'f64'):
        a = 1 - 2**-12
        return {2: [a**n * v + 2**-13 * (1 - a**n) / (1 - a) for v in x]}
    return {2: [n * dot(x[each * i:each * i + each], y[i % 16 * each:][:each])
                for i in range(p.number('width'))]}


def latency(p):
    step, at = p.tensor[0]['in'], 0
    for _ in range(p.number('hops')):
        at = int(step[at])
    return {1: [at]}


def gather(p):
    index = [int(i) for i in p.tensor[1]['in']]
    if p.word('op', 'gather') == 'gather':
        table = p.rows(0)
        return {2: flat(table[i] for i in index)}
    table, new = p.rows(2), p.rows(0)
    for i, at in enumerate(index):
        table[at] = new[i]
    return {2: flat(table)}


def gups(p):
    words, parts = p.number('words'), p.number('parts')
    table, mask, each = list(range(words)), 2**64 - 1, words // parts
    for part in range(parts):
        state = 0x9E3779B97F4A7C15 * (part + 1) & mask
        for _ in range(p.number('updates') // parts):
            state ^= state << 13 & mask
            state ^= state >> 7
            state ^= state << 17 & mask
            table[part * each + state % each] ^= state
    signed = [struct.unpack('ii', struct.pack('Q', w)) for w in table]
    return {0: flat(signed)}


def embedding(p):
    tables, batch, lookups = p.tensor[1]['dim']
    table, index, rows = p.rows(0), p.tensor[1]['in'], p.number('rows')
    out = []
    for b in range(batch):
        for t in range(tables):
            first = (t * batch + b) * lookups
            looked = [table[t * rows + int(i)] for i in index[first:first + lookups]]
            out += [math.fsum(column) for column in zip(*looked)]
    return {2: out}


def softmax(row):
    total = math.fsum(math.exp(x) for x in row)
    return [math.exp(x) / total for x in row]


def norm(row, gain, shift, centred):
    mean = math.fsum(row) / len(row) if centred else 0
    square = math.fsum((x - mean) ** 2 for x in row) / len(row)
    return [(x - mean) / math.sqrt(square + 1e-5) * g + s for x, g, s in zip(row, gain, shift)]


def gelu(x):  # the tanh form, which is the same
    return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def adamw(p):
    x, g, m, v = (p.tensor[i]['in'] for i in range(4))
    out = {4: [], 5: [], 6: []}
    for i, old in enumerate(x):
        first = 0.9 * m[i] + 0.1 * g[i]
        second = 0.999 * v[i] + 0.001 * g[i]**2
        ahead, spread = first / (1 - 0.9**10), math.sqrt(second / (1 - 0.999**10))
        out[4].append(old - 1e-3 * 0.01 * old - 1e-3 * ahead / (spread + 1e-8))
        out[5].append(first)
        out[6].append(second)
    return out


def rotary(p):
    rows, width = p.rows(0), p.number('columns')
    out = []
    for position, row in enumerate(rows):
        turned = [0] * width
        for i in range(width // 2):
            z = complex(row[i], row[i + width // 2])
            angle = position * 10000 ** (-2 * i / width)
            table = complex(f32(math.cos(angle)), f32(math.sin(angle)))
            turned[i], turned[i + width // 2] = (z * table).real, (z * table).imag
        out += turned
    return {2: out}


def elementwise(p):
    op, rows = p.word('op', 'softmax'), p.rows(0)
    if op == 'softmax':
        return {1: flat(softmax(row) for row in rows)}
    if op == 'layernorm':
        return {3: flat(norm(row, p.tensor[1]['in'], p.tensor[2]['in'], True) for row in rows)}
    if op == 'rmsnorm':
        return {2: flat(norm(row, p.tensor[1]['in'], [0] * len(row), False) for row in rows)}
    if op == 'gelu':
        return {1: [gelu(x) for x in flat(rows)]}
    if op == 'silu':
        return {1: [x / 2 * (1 + math.tanh(x / 2)) for x in flat(rows)]}
    if op == 'rotary':
        return rotary(p)
    if op == 'adamw':
        return adamw(p)
    targets = [int(t) for t in p.tensor[1]['in']]
    return {2: [-math.log(softmax(row)[t]) for row, t in zip(rows, targets)]}


def heads_of(p, tensor, count, length):
    """The matrices of a tensor, one of each batch and head."""
    rows = p.rows(tensor)
    return [rows[i * length:(i + 1) * length] for i in range(count)]


def attention(p):
    batch, heads, shared = p.number('batch'), p.number('heads'), p.number('kv_heads')
    queries, keys, d = p.number('queries'), p.number('keys'), p.number('d')
    causal, backward = p.word('causal', 'no') == 'yes', p.word('pass', 'forward') == 'backward'
    q = heads_of(p, 0, batch * heads, queries)
    k, v = (heads_of(p, i, batch * shared, keys) for i in (1, 2))
    out, logs, dq = [], [], []
    dk = [[[0.0] * d for _ in range(keys)] for _ in range(batch * shared)]
    dv = [[[0.0] * d for _ in range(keys)] for _ in range(batch * shared)]
    for h in range(batch * heads):
        kv = h // heads * shared + h % heads // (heads // shared)
        score = [[x / math.sqrt(d) for x in row] for row in product(q[h], columns(k[kv]))]
        for i, row in enumerate(score):
            if causal:
                score[i] = row[:i + 1 + keys - queries] + [-math.inf] * (queries - 1 - i)
        if not backward:
            out += product([softmax(row) for row in score], v[kv])
            logs += [math.log(math.fsum(math.exp(x) for x in row)) for row in score]
            continue
        o, do = heads_of(p, 3, batch * heads, queries)[h], heads_of(p, 4, batch * heads, queries)[h]
        log = p.tensor[5]['in'][h * queries:(h + 1) * queries]
        chance = [[math.exp(x - log[i]) for x in row] for i, row in enumerate(score)]
        slope = product(do, columns(v[kv]))
        ds = [[c * (s - dot(o[i], do[i])) / math.sqrt(d) for c, s in zip(chance[i], slope[i])]
              for i in range(queries)]
        dq += product(ds, k[kv])
        for to, more in ((dk, product(columns(ds), q[h])), (dv, product(columns(chance), do))):
            to[kv] = [[a + b for a, b in zip(x, y)] for x, y in zip(to[kv], more)]
    return {6: flat(dq), 7: flat(flat(dk)), 8: flat(flat(dv))} if backward else {3: flat(out), 4: logs}


def paged(p):
    heads, shared, block, d = (p.number(n) for n in ('heads', 'kv_heads', 'block', 'd'))
    q, k, v = p.rows(0), p.rows(1), p.rows(2)
    length = [int(n) for n in p.tensor[4]['in']]
    index, out = [int(i) for i in p.tensor[3]['in']], []
    table = p.word('layout', 'list') == 'table'
    start = 0
    for b, n in enumerate(length):
        pages = -(-n // block)
        mine = index[b * p.tensor[3]['dim'][1]:][:pages] if table else index[start:start + pages]
        start += p.tensor[3]['dim'][0] // len(length) if not table else 0
        for h in range(heads):
            kv = h // (heads // shared)
            at = [(mine[j // block] * shared + kv) * block + j % block for j in range(n)]
            weight = softmax([dot(q[b * heads + h], k[i]) / math.sqrt(d) for i in at])
            out += [math.fsum(w * v[i][c] for w, i in zip(weight, at)) for c in range(d)]
    return {5: out}


def linear(p):
    m, n, k = p.number('m'), p.number('n'), p.number('k')
    kind, w, scale = p.word('weights', 'f32'), p.tensor[1]['in'], p.tensor[4]['in']
    x = p.rows(0)
    if kind == 'i8':
        weights = [[w[i * n + j] * scale[j] for j in range(n)] for i in range(k)]
    elif kind == 'i4':
        half = lambda i, j: (int(w[i // 2 * n + j]) & 255) >> (4 if i % 2 else 0) & 15
        weights = [[(half(i, j) - 8) * scale[i // 32 * n + j] for j in range(n)] for i in range(k)]
    else:
        weights = [w[i * n:(i + 1) * n] for i in range(k)]
    if p.word('activations', 'f32') == 'i8':
        x = [[a * s for a in row] for row, s in zip(x, p.tensor[3]['in'])]
    if float(p.word('sparsity', '0')) > 0:
        zeros = sum(a == 0 for row in weights for a in row) / (n * k)
        assert abs(zeros - float(p.param['sparsity'])) < 0.3, 'share of zeros'
    return {2: flat(product(x, weights))}


class Block:
    """A block of GPT-2 from its parameters as one list."""
    def __init__(self, p):
        self.batch, self.length = p.number('batch'), p.number('sequence')
        self.d, self.heads = p.number('d'), p.number('heads')

    def matrix(self, w, first, rows, cols):
        first *= self.d * self.d
        return [w[first + i * cols:first + (i + 1) * cols] for i in range(rows)]

    def vector(self, w, which, length=1):
        first = (12 * self.d + which) * self.d
        return w[first:first + length * self.d]

    def __call__(self, x, w):
        d, wide = self.d, self.d // self.heads
        rows = [x[i * d:(i + 1) * d] for i in range(len(x) // d)]
        layer = lambda r, a, b: [[s + c for s, c in zip(row, b)] for row in product(r, a)]
        first = [norm(r, self.vector(w, 9), self.vector(w, 10), True) for r in rows]
        qkv = layer(first, self.matrix(w, 0, d, 3 * d), self.vector(w, 0, 3))
        seen = [[0.0] * d for _ in rows]
        for b in range(self.batch):
            for h in range(self.heads):
                part = lambda i, which: qkv[b * self.length + i][which * d + h * wide:][:wide]
                for i in range(self.length):
                    weight = softmax([dot(part(i, 0), part(j, 1)) / math.sqrt(wide) for j in range(i + 1)])
                    for c in range(wide):
                        seen[b * self.length + i][h * wide + c] = math.fsum(
                            a * part(j, 2)[c] for j, a in enumerate(weight))
        out = layer(seen, self.matrix(w, 3, d, d), self.vector(w, 3))
        hidden = [[a + b for a, b in zip(r, s)] for r, s in zip(rows, out)]
        second = [norm(r, self.vector(w, 11), self.vector(w, 12), True) for r in hidden]
        inner = [[gelu(a) for a in r] for r in layer(second, self.matrix(w, 4, d, 4 * d), self.vector(w, 4, 4))]
        out = layer(inner, self.matrix(w, 8, 4 * d, d), self.vector(w, 8))
        return [a + b for r, s in zip(hidden, out) for a, b in zip(r, s)]


def block(p):
    f, x, w = Block(p), p.tensor[0]['in'], p.tensor[1]['in']
    if p.word('pass', 'forward') == 'forward':
        return {2: f(x, w)}
    dy, chance, step = p.tensor[2]['in'], random.Random(1), 1e-6
    for tensor, which in ((3, 0), (4, 1)):
        want = p.tensor[tensor]['want']
        for _ in range(4):  # along random directions, the slope is what the gradient says
            along = [chance.uniform(-1, 1) for _ in want]
            moved = [[v + s * step * a for v, a in zip((x, w)[which], along)] for s in (1, -1)]
            ends = [dot(dy, f(m, w) if which == 0 else f(x, m)) for m in moved]
            slope, said = (ends[0] - ends[1]) / (2 * step), dot(want, along)
            size = math.sqrt(dot(want, want))
            if abs(slope - said) > 1e-6 * size:
                raise AssertionError(f'tensor {tensor}: slope {slope}, gradient says {said}')
    return {}


def parts(p, tensor):
    """A tensor as the lists of its ranks."""
    all_of, ranks = p.tensor[tensor]['in'], p.number('ranks')
    size = len(all_of) // ranks
    return [all_of[r * size:(r + 1) * size] for r in range(ranks)]


def split(values, ranks):
    return [values[r * len(values) // ranks:(r + 1) * len(values) // ranks] for r in range(ranks)]


def combined(p, x):
    how = {'sum': math.fsum, 'max': max, 'min': min}[p.word('redop', 'sum')]
    return [how(column) for column in zip(*x)]


def exchange(p):
    x, ranks = parts(p, 0), p.number('ranks')
    if p.kernel == 'broadcast':
        return {0: x[0] * ranks}
    if p.kernel == 'all-gather':
        return {1: flat(x) * ranks}
    if p.kernel == 'all-to-all':
        return {1: flat(flat(split(one, ranks)[r] for one in x) for r in range(ranks))}
    if p.kernel == 'reduce-scatter':
        return {1: combined(p, x)}
    if p.kernel == 'all-reduce':
        return {1: combined(p, x) * ranks}
    out = parts(p, 1)
    if p.kernel == 'reduce':
        out[0] = combined(p, x)
    else:
        out[-1] = x[0]
        if p.word('pattern', 'ping-pong') != 'one-way':
            out[0] = x[-1]
    return {1: flat(out)}


KERNELS = {'gemm': gemm, 'stream': stream, 'fma': fma, 'latency': latency, 'gather': gather, 'gups': gups,
           'embedding-bag': embedding, 'elementwise': elementwise, 'attention': attention,
           'paged-attention': paged, 'linear': linear, 'transformer-block': block,
           **{name: exchange for name in ('all-reduce', 'all-gather', 'reduce-scatter', 'all-to-all', 'reduce', 'broadcast', 'point-to-point')}}


def compare(p):
    for i, tensor in enumerate(p.tensor):
        wrong = [x for x in tensor['in'] if as_stored(tensor['dtype'], x) != x]
        assert not wrong, f'tensor {i}: {wrong[0]} is no number of {tensor["dtype"]}'
    for i, values in KERNELS[p.kernel](p).items():
        want = p.tensor[i]['want']
        assert len(values) == len(want), f'tensor {i}: {len(want)} numbers, {len(values)} here'
        size = max(map(abs, values)) or 1
        for at, (a, b) in enumerate(zip(values, want)):
            assert abs(a - b) <= 1e-12 * size, f'tensor {i}, number {at}: {b}, {a} here'


def main():
    problems = [Problem(line) for line in sys.stdin]
    failed = 0
    print(f'1..{len(problems) + 1}')
    for number, p in enumerate(problems, 1):
        try:
            compare(p)
            print(f'ok {number} - {p.kernel} {p.name}')
        except Exception as error:
            failed += 1
            print(f'not ok {number} - {p.kernel} {p.name}\n# {type(error).__name__}: {error}')
    with open('kernels/registry.def', encoding='utf-8') as registry:
        every = set(re.findall(r'^KERNEL\(\w+, "([^"]+)"', registry.read(), re.M))
    missing = every - {p.kernel for p in problems}
    print('not ok' if missing else 'ok', len(problems) + 1, '- every kernel', *missing)
    return 1 if failed or missing else 0


if __name__ == '__main__':
    sys.exit(main())

#!/usr/bin/env python3
"""campaign.py - are wrong kernels caught? Each mutant of kernels.txt is built in a copy of the tree and tried at its cells.

campaign.py [--table FILE] [--jobs N] [--minutes N] [--few] [--only REGEX] [--check]

A cell is run twice: by outputs.c, which says whether the mutant changes what is computed, and by the backend's program, as
`abdb run --quick` runs it, which says whether verification sees it. Prints a row a mutant; exit 1 unless 95 % of the mutants that
change a result are caught at every cell that they change, and each other one has its reason in the table.
What was judged is kept in build/soak for the same sources, cells and processor: the next call goes on, also after --minutes. Exit 3
where mutants are left. --table classes.txt: mutants whose kinds (CLASSES) need not change the outputs of ordinary inputs: each of their
cells counts as changed. --few: the mutants marked so, at two cells each. --check: only, whether the table fits the sources.
"""
import argparse
import concurrent.futures
import hashlib
import itertools
import json
import os
import pathlib
import re
import selectors
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SOURCES = ("Makefile", "packages", "kernels", "schema", "tests/mutants/outputs.c")
SILENCE_S = 60  # as long a program may be silent before it counts as hung
SHARE = 0.95
CLASSES = ("input", "beside", "timed", "precision", "edge")
ENVIRONMENT = dict(os.environ, OMP_NUM_THREADS="4", OMP_WAIT_POLICY="passive", OPENBLAS_NUM_THREADS="2", OMP_DYNAMIC="false")
EMULATED = ROOT / os.environ.get("BUILD", "build") / "emulated/libcuda.so"
if EMULATED.exists():  # of nccl; device code has a list of its own (tests/cuda)
    ENVIRONMENT.update(ABDB_CUDA_DRIVER=str(EMULATED), ABDB_NCCL=str(EMULATED), ABDB_EMULATED_DEVICES="3")


class Mutant:
    def __init__(self, line, text):
        fields = [f.strip() for f in text.split("|")]
        if len(fields) != 4:
            raise SystemExit(f"line {line}: id | kind | file | cells")
        self.line, self.few = line, fields[0].endswith("*")
        self.id, self.kind, self.file, self.cells = fields[0].rstrip("*"), fields[1], "kernels/providers/" + fields[2], fields[3]
        self.places, self.reason = [], ""  # [old lines, new lines, how often]
        self.backend = fields[2].split("/")[0]

    def source(self, root):
        """The file with the mistake."""
        text = (root / self.file).read_text()
        for old, new, count in (("\n".join(o), "\n".join(n), c) for o, n, c in self.places):
            if not old or text.count(old) != count:
                raise SystemExit(f"line {self.line}: {self.id}: {self.file} has {text.count(old)} times, not {count}: {old}")
            text = text.replace(old, new)
        return text

    def add(self, mark, text):
        if mark == "-" and (not self.places or self.places[-1][1]):
            self.places.append([[], [], 1])
        if mark == "=":
            self.places[-1][2] = int(text)
        elif mark == "!":
            self.reason = text
        else:
            self.places[-1][mark == "+"].append(text)


def read_table(path):
    mutants = []
    for number, line in enumerate(path.read_text().splitlines(), 1):
        mark, rest = line[:1], line[2:]
        if mark == "@":
            mutants.append(Mutant(number, rest))
        elif mark in ("-", "+", "=", "!"):
            mutants[-1].add(mark, rest)
        elif mark not in ("", "#"):
            raise SystemExit(f"{path.name}:{number}: a line begins with @, -, +, =, ! or #")
    if len({m.id for m in mutants}) < len(mutants):
        raise SystemExit(f"{path.name}: an id stands twice")
    return mutants


def read_cells(path):
    """(kernel, parameters) of each cell of a plan."""
    for line in path.read_text().splitlines():
        words = line.split("#")[0].split()
        if words:
            axes = [[(w.split("=")[0], v) for v in w.split("=", 1)[1].split(",")] for w in words[1:]]
            yield from ((words[0], dict(values)) for values in itertools.product(*axes))


def cells_of(backend, cells):
    """What a backend is asked for: only vec knows instruction sets, and threads of its own."""
    seen = []
    for kernel, params in cells:
        if backend != "vec":
            params = {k: v for k, v in params.items() if k not in ("isa", "threads")}
        if (kernel, params) not in seen:
            seen.append((kernel, params))
    return [{"cell": f"{backend} {n}", "kernel": k, "params": p, "quick": True, "name": k + "".join(f" {a}={b}" for a, b in p.items())}
            for n, (k, p) in enumerate(seen)]


def fits(cell, wanted):
    """Is it one of "kernel key=value ...; kernel ..."?"""
    for one in wanted.split(";"):
        kernel, *words = one.split()
        if cell["kernel"] == kernel and all(cell["params"].get(w.split("=")[0]) in w.split("=", 1)[1].split(",") for w in words):
            return True
    return False


def lacks(cells, wanted):
    """Does it name an instruction set that no cell here has? What runs without it then is other code."""
    named = [one for one in wanted.split(";") if " isa=" in one]
    return named and not any(fits(cell, one) for cell in cells for one in named)


def lines_of(backend, program, cells, cwd, done):
    """Runs a program of a backend on cells; done(line) says whether a line ends one. A list of the lines of each; None: it ended or hung there."""
    answers, first, command = [], 0, started(backend, program)
    # threads of BLIS spin while they wait for one another: more of them than processors take minutes
    environment = dict(ENVIRONMENT, OMP_NUM_THREADS="1") if backend == "blis" else ENVIRONMENT
    while first < len(cells):
        with subprocess.Popen(command, cwd=cwd, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as p:
            feeder = concurrent.futures.ThreadPoolExecutor(1)
            feeder.submit(feed, p, cells[first:])
            lines, buffer, selector = [], b"", selectors.DefaultSelector()
            selector.register(p.stdout, selectors.EVENT_READ)
            silent = 0
            while len(answers) < len(cells):
                if not selector.select(1):
                    silent += 1
                    if silent > SILENCE_S:
                        break
                    continue
                more = os.read(p.stdout.fileno(), 1 << 16)
                if not more:
                    break
                buffer += more
                *whole, buffer = buffer.split(b"\n")
                for line in whole:
                    line = line.decode(errors="replace")
                    if '"beat"' in line:
                        silent += 2
                        continue
                    silent = 0
                    lines.append(line)
                    if done(line):
                        answers.append(lines)
                        lines = []
            p.kill()
            feeder.shutdown()
        if len(answers) < len(cells):
            answers.append(None)
        first = len(answers)
    return answers


def feed(program, cells):
    try:
        for cell in cells:
            program.stdin.write((json.dumps(cell) + "\n").encode())
        program.stdin.close()
    except OSError:
        pass


def started(backend, program):
    """The command of a program; one of several ranks begins with what starts them."""
    if backend != "mpi":
        return program
    words = ["mpirun", "-n", "3", "--oversubscribe", "--bind-to", "none", *(["--allow-run-as-root"] if os.geteuid() == 0 else [])]
    return [*words, *program]


def outputs(tree, backend, mode, folder, cells):
    """same, changed, refused, broken or crash for each cell, with the largest ratio."""
    program = [str(tree / f"build/mutants/outputs-{backend}"), mode, str(folder)]
    said = re.compile(r"\d+ (same|changed|refused|broken) \S+")  # a library may print besides
    for lines in lines_of(backend, program, cells, tree, said.match):
        yield ("crash", float("inf")) if lines is None else (lines[-1].split()[1], float(lines[-1].split()[2]))


def verdicts(tree, backend, cells):
    """pass, fail, or why there is none, for each cell."""
    program = [str(tree / f"build/abdb-run-{backend}"), "run"]
    for lines in lines_of(backend, program, cells, tree, lambda line: '"kind":"end"' in line):
        word = "crash"
        for record in map(json.loads, lines or []):
            if record["kind"] == "result":
                word = record["verified"]
                if word == "pass" and record["checked"] < 1:
                    word = "pass in part"
            if record["kind"] == "end" and record["status"] != "ok":
                word = record["status"]
        yield word


class Tree:
    """A copy of the tree in which one mutant after another is built, and as it was."""

    def __init__(self, path, original):
        self.path, self.original = path, original
        shutil.copytree(original, path)
        self.times = {f: f.stat().st_mtime_ns for f in (path / "build").rglob("*") if f.is_file()}

    @staticmethod
    def original(path):
        """What the backends are built from, and what was built."""
        build = ROOT / os.environ.get("BUILD", "build")
        parts = [(ROOT / name, path / name) for name in SOURCES]
        parts += [(build / name, path / "build" / name) for name in ("settings", "gen", "obj/kernels", "obj/schema", "obj/tests", "mutants")]
        parts += [(program, path / "build" / program.name) for program in build.glob("abdb-run-*")]
        for at, to in parts:
            to.parent.mkdir(parents=True, exist_ok=True)
            (shutil.copytree if at.is_dir() else shutil.copy2)(at, to)
        return path

    def build(self, mutant):
        file = self.path / mutant.file
        file.write_text(mutant.source(self.original))
        targets = [f"build/abdb-run-{mutant.backend}"]
        if mutant.kind not in CLASSES:
            targets.append(f"build/mutants/outputs-{mutant.backend}")
        made = subprocess.run(["make", "-s", *targets], cwd=self.path, capture_output=True, text=True)
        return "" if made.returncode == 0 else made.stderr[-2000:]

    def restore(self, mutant):
        shutil.copy2(self.original / mutant.file, self.path / mutant.file)
        for file in (self.path / "build").rglob("*"):
            if file.is_file() and self.times.get(file) != file.stat().st_mtime_ns:
                file.unlink()
                if file in self.times:
                    shutil.copy2(self.original / file.relative_to(self.path), file)


class Ledger:
    """What was judged of these sources on this processor: a line of JSON each, by what the mutant is."""

    def __init__(self, folder):
        print_of = hashlib.sha256((HERE.parent / "campaigns/cells.plan").read_bytes())
        parts = [ROOT / name for name in SOURCES]
        for file in sorted(f for part in parts for f in (part.rglob("*") if part.is_dir() else [part]) if f.is_file()):
            if file.suffix not in (".md", ".pyc", ".plan") and file.parent.name != "runner":
                print_of.update(str(file.relative_to(ROOT)).encode() + file.read_bytes())
        about = pathlib.Path("/proc/cpuinfo").read_text()
        print_of.update("".join(sorted(set(re.findall(r"(?m)^(?:flags|Features|cpu family|model)\s*:.*", about)))).encode())
        self.file, self.known = folder / f"mutants-{print_of.hexdigest()[:12]}.jsonl", {}
        if self.file.exists():
            self.known = dict(json.loads(line) for line in self.file.read_text().splitlines() if line.endswith("]"))

    @staticmethod
    def key(mutant):
        return json.dumps([mutant.id, mutant.file, mutant.cells, mutant.places])

    def add(self, mutant, result):
        self.file.parent.mkdir(parents=True, exist_ok=True)
        with self.file.open("a") as out:
            out.write(json.dumps([self.key(mutant), result]) + "\n")
        self.known[self.key(mutant)] = result


class Campaign:
    def __init__(self, work, args):
        self.work, self.args, self.bad, self.left, self.sound = work, args, [], 0, True
        self.ledger = None if args.few else Ledger(ROOT / os.environ.get("BUILD", "build") / "soak")
        self.end_s = time.monotonic() + args.minutes * 60
        self.cells, plan = {}, list(read_cells(HERE.parent / "campaigns/cells.plan"))
        self.mutants = [m for m in read_table(HERE / args.table) if re.search(args.only, m.id) and (m.few or not args.few)]
        build = ROOT / os.environ.get("BUILD", "build")
        for backend in sorted({m.backend for m in self.mutants}):
            mine = [m for m in self.mutants if m.backend == backend and not self.judged(m)]
            if mine and (build / f"abdb-run-{backend}").exists():
                self.cells[backend] = [c for c in cells_of(backend, plan) if any(fits(c, m.cells) for m in mine)]

    def baseline(self, backend):
        """Outputs of the right kernels; cells that do not exist here go, all others are right: else what is judged by them is not kept."""
        self.sound = True
        folder, cells, tree = self.work / "was" / backend, self.cells[backend], self.trees[0].path
        folder.mkdir(parents=True, exist_ok=True)
        for cell in cells:
            cell["cell"] = cell["cell"].replace(" ", "-")
        there = [word for word, _ in outputs(tree, backend, "write", folder, cells)]
        self.cells[backend] = cells = [c for c, word in zip(cells, there) if word == "same"]
        if self.args.few:
            cells = self.cells[backend] = self.chosen(cells, backend)
        again = outputs(tree, backend, "compare", folder, cells)
        for cell, (word, ratio), verdict in zip(cells, again, verdicts(tree, backend, cells)):
            if word != "same" or verdict not in ("pass", "pass in part"):
                self.sound = False
                self.bad.append(f"right kernel: {cell['name']}: {word} {ratio:g}, {verdict}")
                print("# " + self.bad[-1], file=sys.stderr, flush=True)

    def chosen(self, cells, backend):
        """Of the cells of each mutant the first and the last."""
        keep = [c["cell"] for m in self.mutants if m.backend == backend for c in self.two(cells, m)]
        return [c for c in cells if c["cell"] in keep]

    @staticmethod
    def two(cells, mutant):
        mine = [c for c in cells if fits(c, mutant.cells)]
        return mine[:1] + mine[-1:] if len(mine) > 1 else mine

    def judged(self, mutant):
        return self.ledger.known.get(self.ledger.key(mutant)) if self.ledger else None

    def late(self):
        return self.args.minutes and time.monotonic() > self.end_s

    def result(self, mutant):
        """What is known of a mutant, or comes out now; None where no time is left."""
        known = self.judged(mutant)
        if known or self.late():
            return known
        known = self.judge(mutant)
        if self.ledger and self.sound and known[0] and not self.unbuilt(known):
            self.ledger.add(mutant, known)
        return known

    @staticmethod
    def unbuilt(result):
        return result[4] and "caught, though" not in result[4]

    def judge(self, mutant):
        """(cells, changed, caught, what was not caught, what went wrong)"""
        cells = [c for c in self.cells.get(mutant.backend, []) if fits(c, mutant.cells)]
        if self.args.few:
            cells = self.two(cells, mutant)
        if not cells or lacks(cells, mutant.cells):
            return 0, 0, 0, [], ""
        tree = self.trees.pop()
        try:
            failure = tree.build(mutant)
            if failure:
                return len(cells), 0, 0, [], failure
            was = self.work / "was" / mutant.backend
            if mutant.kind in CLASSES:
                changed = [True] * len(cells)
            else:
                changed = [word != "same" for word, _ in outputs(tree.path, mutant.backend, "compare", was, cells)]
            words = list(verdicts(tree.path, mutant.backend, cells))
        finally:
            tree.restore(mutant)
            self.trees.append(tree)
        caught = [not w.startswith("pass") for w in words]
        missed = [f"{c['name']} ({w})" for c, x, y, w in zip(cells, changed, caught, words) if x and not y]
        false = [c["name"] for c, x, y in zip(cells, changed, caught) if y and not x]
        return len(cells), sum(changed), sum(x and y for x, y in zip(changed, caught)), missed, f"caught, though the same: {false}" if false else ""

    def run(self):
        original = Tree.original(self.work / "original")
        self.trees = [Tree(self.work / f"tree{number}", original) for number in range(self.args.jobs)]
        print("| mutant | kind | backend | cells | changed | caught | |\n|---|---|---|---|---|---|---|", flush=True)
        total = {"effective": 0, "whole": 0, "changed": 0, "caught": 0, "absent": 0}
        with concurrent.futures.ThreadPoolExecutor(self.args.jobs) as pool:
            for backend in sorted({m.backend for m in self.mutants}):
                mine = [m for m in self.mutants if m.backend == backend]
                if backend in self.cells and not self.late():
                    self.baseline(backend)
                    print(f"# {backend}: {len(self.cells[backend])} cells", file=sys.stderr, flush=True)
                for mutant, result in zip(mine, pool.map(self.result, mine)):
                    if result:
                        self.report(mutant, result, total)
                    else:
                        self.left += 1
        return self.end(total)

    def report(self, mutant, result, total):
        cells, changed, caught, missed, problem = result
        note = mutant.reason if changed > caught else "absent here" if not cells else ""
        print(f"| {mutant.id} | {mutant.kind} | {mutant.backend} | {cells} | {changed} | {caught} | {note} |", flush=True)
        for cell in missed:
            print(f"#   not caught: {cell}", file=sys.stderr)
        if problem:
            print(f"#   {mutant.id}: {problem}", file=sys.stderr)
        total["absent"] += not cells
        total["effective"] += changed > 0
        total["whole"] += 0 < changed == caught
        total["changed"] += changed
        total["caught"] += caught
        if self.unbuilt(result):
            self.bad.append(f"{mutant.id} is not built")
        elif cells and not changed:
            self.bad.append(f"{mutant.id} changes nothing")
        if changed > caught and not mutant.reason:
            self.bad.append(f"{mutant.id} is not caught at {changed - caught} of {changed} cells, and the table has no reason")

    def end(self, total):
        print(f"\n{len(self.mutants) - self.left} mutants, {total['absent']} of them of what is absent here; {total['effective']} change a result, at "
              f"{total['changed']} cells, of which {total['caught']} are seen; {total['whole']} are caught at every cell that they change.")
        if total["whole"] < SHARE * total["effective"] and not self.args.only:
            self.bad.append(f"only {total['whole']} of {total['effective']}")
        for line in self.bad:
            print(f"NOT OK: {line}")
        if self.left:
            print(f"{self.left} mutants are left: call again")
        return 1 if self.bad else 3 if self.left else 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--table", default="kernels.txt")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=0)
    parser.add_argument("--few", action="store_true")
    parser.add_argument("--only", default="")
    parser.add_argument("--check", action="store_true")
    args = parser.parse_args()
    if args.check:
        mutants = read_table(HERE / args.table)
        for mutant in mutants:
            mutant.source(ROOT)
        print(f"{len(mutants)} mutants, {sum(m.few for m in mutants)} of them in make test")
        return 0
    with tempfile.TemporaryDirectory(prefix="abdb-mutants-") as work:
        return Campaign(pathlib.Path(work), args).run()


if __name__ == "__main__":
    sys.exit(main())

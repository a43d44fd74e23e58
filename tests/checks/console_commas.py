#!/usr/bin/env python3
"""console_commas.py - numbers with a decimal comma or with thousands marks on consoles: read right, or refused.

    console_commas.py ABDB FIXTURES FOLDER [NAME...]

Each text fixture of a program is written anew with decimal commas, with three decimals behind a comma, and with commas at the thousands. Every
value that is then kept must be one of the plain file; where fewer are kept, something must be refused or named. Prints what differs, and how many
files were tried.
"""
import pathlib
import re
import subprocess
import sys

ABDB, FIXTURES, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
NAMES = sys.argv[4:] or ["bandwidth_test.txt", "babelstream.txt", "stream.txt", "osu.txt", "nccl_tests.out", "nvbandwidth.txt", "rocm_bandwidth.txt",
                         "mamf_finder.txt", "trtexec.log", "dcgm_diag.txt", "rvs.log", "trtllm_bench.log", "llama_bench.log", "llama_perplexity.log", "serving_console.txt"]
NUMBER = r"(?<![\w.,])(\d+)\.(\d+)(?![\w.,]*\.\d)"


def thousands(found):
    return f"{int(found[1]) + 1000:,}.{found[2]}"


SPELLINGS = {  # what is written for a number, and for the plain file that it is held against
    "decimal comma": (lambda m: f"{m[1]},{m[2]}", lambda m: m[0]),
    "comma before three digits": (lambda m: f"{m[1]},{m[2][:3]:1<3}", lambda m: f"{m[1]}.{m[2][:3]:1<3}"),
    "thousands": (thousands, lambda m: thousands(m).replace(",", "")),
}


def read(name, text):
    """The values that are kept, and how many rows or values are refused or left out."""
    file, db = FOLDER / name, FOLDER / "t.db"
    file.write_text(text)
    db.unlink(missing_ok=True)
    done = subprocess.run([ABDB, "import", "--db", db, file], capture_output=True, text=True, timeout=60)
    got = subprocess.run([ABDB, "query", "--db", db, "-o", "csv", "SELECT metric, statistic, value FROM v_result"], capture_output=True, text=True, timeout=60)
    said = done.stdout + done.stderr
    lost = sum(map(int, re.findall(r"(\d+) (?:rejected|left out)", said))) + (done.returncode == 6)
    return sorted(got.stdout.split()[1:]), lost


def main():
    FOLDER.mkdir(exist_ok=True)
    bad = 0
    for name in NAMES:
        text = (FIXTURES / name).read_text()
        for spelling, (written, plain) in SPELLINGS.items():
            right, before = read(name, re.sub(NUMBER, plain, text))
            kept, lost = read(name, re.sub(NUMBER, written, text))
            wrong = [value for value in set(kept) if kept.count(value) > right.count(value)]
            silent = len(kept) < len(right) and lost <= before
            if wrong or silent:
                bad += 1
                print(f"{name}, {spelling}: {f'wrong: {wrong[:3]}' if wrong else f'{len(right) - len(kept)} values vanish'}")
    print(f"{bad} differences in {len(NAMES) * len(SPELLINGS)} files")


main()

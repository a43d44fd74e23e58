#!/usr/bin/env python3
# control_characters.py - does a screen, or a document, hold anything that commands a terminal, hides, or forges a line?
# control_characters.py [--screen] FILE...: says where, and exits 1.
import re
import sys

HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f"
    "\u3164\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"
    + "".join(chr(plane << 16 | 0xfffe) + chr(plane << 16 | 0xffff) for plane in range(1, 17)) + "]")
FORGED = re.compile(r"^[ \t|]*FORGED", re.M)


def faults(data, screen):
    if screen:  # a terminal's end of line, and abdb's own progress
        data = data.replace(b"\r\n", b"\n").replace(b"\r\x1b[K", b"")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as e:
        yield f"not UTF-8: {data[max(0, e.start - 60):e.end + 20]!r}"
        text = data.decode("utf-8", "replace")
    for pattern, what in ((HIDDEN, "not plain"), (FORGED, "a forged line")):
        found = pattern.search(text)
        if found:
            yield f"{what}: {text[max(0, found.start() - 60):found.end() + 20]!r}"


screen = sys.argv[1] == "--screen"
bad = False
for path in sys.argv[2 if screen else 1:]:
    for fault in faults(open(path, "rb").read(), screen):
        print(f"{path}: {fault}")
        bad = True
sys.exit(bad)

#!/usr/bin/env python3
"""check_figure_notes.py FILE.svg... - has each picture the footnote of every mark in it, and of the notes in the text beside it (FILE.md) those without
which it would mislead: what explains a mark, the age of prices, and what is not drawn? Exit 1 if one has not.
"""
import html
import pathlib
import re
import sys

MARKS = "†‡"


def words(text):
    return re.sub(r"\s+", " ", text).strip()


def texts(svg):
    """What can be read in a picture, a line each."""
    svg = re.sub(r"<metadata.*?</metadata>", "", svg, flags=re.S)
    svg = re.sub(r"<!\[CDATA\[(.*?)\]\]>", lambda m: html.escape(m.group(1)), svg, flags=re.S)
    return [words(html.unescape(re.sub(r"<[^>]*>", "", t))) for t in re.findall(r"<text[^>]*>(.*?)</text>", svg, re.S)]


def missing(path):
    lines = texts(path.read_text(encoding="utf-8"))
    whole = " ".join(lines)
    notes = [re.sub(r"\\(.)", r"\1", words(n)) for n in path.with_suffix(".md").read_text(encoding="utf-8").split("\n\nSources:\n")[0].split("\n\n")[2:]]
    for mark in MARKS:
        if any(mark in line for line in lines) and not re.search(rf"{mark} [a-z]", whole):
            yield f"{mark} has no footnote"
    for note in notes:
        needed = re.sub(r" more:.*", " more", note) if note.startswith("not drawn") else note
        if (note[:1] in MARKS or note.startswith("not drawn") or " days old" in note) and needed not in whole:
            yield "not in it: " + needed


def main():
    found, notes = 0, 0
    for name in sys.argv[1:]:
        notes += sum(m in pathlib.Path(name).read_text(encoding="utf-8") for m in MARKS)
        for line in missing(pathlib.Path(name)):
            found += 1
            print(f"{pathlib.Path(name).name}: {line}")
    print(f"{len(sys.argv) - 1} pictures, {notes} with marks, {found} notes missing")
    return found > 0


sys.exit(main())

#!/usr/bin/env python3
"""check_shared.py - what others take from a page of a figure, in headless Chromium: the address of its answer, and the page in a frame
of another, which shows the picture or, where that would be too small, the table. check_shared.py FOLDER PAGE.html"""
import pathlib
import sys

from chromium import Browser

CHANGED = "document.getElementById('changed').hidden ? '' : document.getElementById('changed').textContent"
SHOWN = "['figure', '.scroll', 'header', 'footer', '.note'].filter((s) => document.querySelector(s).getClientRects().length)"


def main():
    folder, name = pathlib.Path(sys.argv[1]), sys.argv[2]
    with Browser() as browser:
        browser.size(1280, 900, False)
        browser.open(folder / name)
        link = browser.js("Array.from(document.links).find((a) => a.hash.startsWith('#answer=')).hash")
        assert browser.js(CHANGED) == ""
        for hash, words in ((link, ""), ("#answer=0123456789abcdef", "made of another answer"), ("#answer=<b>", "<b>"), ("#answer=", "another answer")):
            browser.open(folder / name, hash)
            assert words in browser.js(CHANGED) and bool(words) == bool(browser.js(CHANGED)), (hash, browser.js(CHANGED))
        browser.js(f"location.hash = '{link}'")
        assert browser.js(f"new Promise((f) => setTimeout(() => f({CHANGED}), 50))") == ""
        assert browser.js(SHOWN) == ["figure", ".scroll", "header", "footer", ".note"]
        browser.open(folder / name, f"#embed&{link[1:]}")
        wide = browser.js(SHOWN)
        browser.size(390, 900, False)
        narrow = browser.js(SHOWN)
        assert (wide, narrow) == (["figure", ".note"], [".scroll", ".note"]), (wide, narrow)
        assert browser.js(CHANGED) == ""
        copied = browser.js("Array.from(document.querySelectorAll('.copy'), (c) => c.textContent)")
        assert copied[0].startswith("<figure><a href=") and copied[1].startswith("<iframe src="), copied
        print("shared")


if __name__ == "__main__":
    main()

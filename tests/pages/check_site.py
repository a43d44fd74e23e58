#!/usr/bin/env python3
"""check_site.py - pages of a site in headless Chromium: accessibility by axe, errors of the console, pictures, width, and that nothing
but files is asked for. check_site.py AXE.JS FOLDER PAGE[#FRAGMENT]..."""
import json
import pathlib
import sys

from chromium import Browser

AXE = """axe.run(document, {resultTypes: ["violations"], preload: false}).then((r) => ({
  passes: r.passes.length,
  violations: r.violations.map((v) => v.id + ": " + v.help + ": " + v.nodes.slice(0, 3).map((n) => n.html.slice(0, 300)).join(" | ")),
  broken: Array.from(document.images).filter((i) => i.loading !== "lazy" && !i.naturalWidth).length,
  wide: document.documentElement.scrollWidth > window.innerWidth + 1}))"""


def problems_of(browser, axe, path, fragment):
    browser.console.clear()
    browser.asked.clear()
    browser.open(path, fragment)
    if path.name == "explore.html":  # what is folded away is looked at, too
        browser.js("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    found = list(browser.console)
    browser.call("Runtime.evaluate", expression=axe)
    result = browser.js(AXE)
    found += result["violations"]
    if result["broken"]:
        found.append(f"{result['broken']} pictures do not load")
    if result["wide"]:
        found.append("the page is wider than the window")
    if not result["passes"]:
        found.append("axe checked nothing")
    found += [f"asks for {a[:100]}" for a in browser.asked if not a.startswith(("file:", "data:", "blob:", "about:"))]
    return found


# On a phone the first two numbers of a table stand within the window, beside the name.
BEHIND = """Array.from(document.querySelectorAll("main table")).filter((t) => {
  const numbers = Array.from(t.tHead.rows[0].cells, (c, i) => (c.className === "n" ? i : -1)).filter((i) => i >= 0), i = numbers[Math.min(1, numbers.length - 1)];
  return i !== undefined && t.tBodies[0].rows.length && t.tBodies[0].rows[0].cells[i].getBoundingClientRect().right > innerWidth;
}).map((t) => "a table's numbers are behind the edge: " + t.tHead.textContent.slice(0, 60))"""

# A picture that is wider than its place has a line above it that says so.
UNSAID = """Array.from(document.querySelectorAll("figure")).filter((f) => f.querySelector("a > img") &&
  f.querySelector("a > img").offsetWidth > f.clientWidth + 1 && getComputedStyle(f, "::before").content === "none"
).map((f) => "a picture is cut, and nothing says that it moves: " + f.querySelector("img").alt.slice(0, 60))"""
# On a desk explore's table has its last column within its border.
CUT = """Array.from(document.querySelectorAll("#rows")).map((t) => t.closest(".scroll")).filter((s) => s.scrollWidth > s.clientWidth)
  .map((s) => `the table is cut: ${s.scrollWidth} of ${s.clientWidth} pixels`)"""


def main():
    axe, folder, pages = pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"), pathlib.Path(sys.argv[2]), sys.argv[3:]
    bad = 0
    with Browser() as browser:
        for page in pages:
            name, _, fragment = page.partition("#")
            for width, dark in ((1280, False), (390, True)):
                browser.size(width, 900, dark)
                lines = problems_of(browser, axe, folder / name, "#" + fragment if fragment else "")
                lines += browser.js(BEHIND) + browser.js(UNSAID) if width == 390 else browser.js(CUT)
                for line in lines:
                    print(f"{page} {width}: {line}")
                    bad += 1
    print(f"{len(pages)} pages, {bad} problems")
    return bad > 0


sys.exit(main())

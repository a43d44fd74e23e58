#!/usr/bin/env python3
"""check_figure_text.py - do the words of pictures overlap, or stand outside? SVG files in headless Chromium, in
the widest font that readers have. check_figure_text.py FILE.svg..."""
import html
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

PAGE = """<!DOCTYPE html><meta charset="utf-8"><style>svg text, svg tspan { font-family: "DejaVu Sans" !important; }
body { margin: 0; } div { margin: 40px; }</style>
%s
<script>
const all = [];
for (const place of document.querySelectorAll("div")) {
  const frame = place.querySelector("svg").getBoundingClientRect();
  const words = Array.from(place.querySelectorAll("text")).map((t) => ({ text: t.textContent.trim(), box: t.getBoundingClientRect(),
    turned: !!(t.parentNode.getAttribute("transform") || "").match(/rotate/) })).filter((w) => w.text && w.box.width);
  const found = [];
  for (const [i, a] of words.entries()) {
    if (a.box.left < frame.left - 1 || a.box.right > frame.right + 1 || a.box.top < frame.top - 1 || a.box.bottom > frame.bottom + 1)
      found.push("outside: " + a.text);
    for (const b of words.slice(i + 1)) {
      // gnuplot writes the words of a box twice, at one place
      if (a.text === b.text && Math.abs(a.box.left - b.box.left) < 0.1 && Math.abs(a.box.top - b.box.top) < 0.1) continue;
      const w = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
      const h = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
      if (w > 1.5 && h > 0.4 * Math.min(a.box.height, b.box.height)) found.push("overlap: " + a.text + " / " + b.text);
    }
  }
  all.push({ name: place.dataset.name, words: words.length, found });
}
const pre = document.createElement("pre");
pre.id = "found";
pre.textContent = JSON.stringify(all);
document.body.append(pre);
</script>"""


def main():
    bad = 0
    with tempfile.TemporaryDirectory() as place:
        body = []
        for name in sys.argv[1:]:
            svg = pathlib.Path(name).read_text(encoding="utf-8")
            svg = re.sub(r"^<\?xml.*?\?>|<!DOCTYPE.*?>", "", svg, flags=re.S)
            svg = re.sub(r"<!\[CDATA\[(.*?)\]\]>", lambda m: html.escape(m.group(1)), svg, flags=re.S)
            body.append(f'<div data-name="{html.escape(name)}">{svg}</div>')
        page = pathlib.Path(place) / "page.html"
        page.write_text(PAGE % "\n".join(body), encoding="utf-8")
        run = subprocess.run(
            [shutil.which("chromium"), "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={place}/profile",
             "--virtual-time-budget=20000", "--dump-dom", page.as_uri()], capture_output=True, text=True, timeout=300, check=False)
        found = re.search(r'<pre id="found">(.*?)</pre>', run.stdout, re.S)
        if not found:
            print("Chromium did not answer\n" + run.stderr[-400:])
            return 1
        for one in json.loads(html.unescape(found.group(1))):
            if not one["words"]:
                one["found"].append("no words at all")
            for line in one["found"]:
                print(f"{pathlib.Path(one['name']).name}: {line}")
            bad += len(one["found"])
    print(f"{len(sys.argv) - 1} pictures, {bad} problems")
    return bad > 0


sys.exit(main())

#!/usr/bin/env python3
"""site_check.py - pages of a site in headless Chromium: accessibility by axe, errors of the console,
what a keyboard reaches. site_check.py AXE.JS FOLDER PAGE..."""
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

RUN = """<script>
window.addEventListener("load", () => axe.run(document, {resultTypes: ["violations"], preload: false}).then((r) => {
  const pre = document.createElement("pre");
  pre.id = "axe-result";
  pre.textContent = JSON.stringify({
    passes: r.passes.length,
    violations: r.violations.map((v) => v.id + ": " + v.help + ": " + v.nodes.slice(0, 3).map((n) => n.html).join(" | ")),
    buttons: document.querySelectorAll("th button").length, tables: document.querySelectorAll("table").length,
    broken: Array.from(document.images).filter((i) => i.loading !== "lazy" && !i.naturalWidth).length,
    wide: document.documentElement.scrollWidth > window.innerWidth + 1});
  document.body.append(pre);
}));
</script>"""


def main():
    axe, folder, pages = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3:]
    chromium = shutil.which("chromium")
    bad = 0
    with tempfile.TemporaryDirectory() as place:
        copy = pathlib.Path(place) / "site"
        shutil.copytree(folder, copy)
        shutil.copy(axe, copy / "axe.js")
        for page in pages:
            path = copy / page
            text = path.read_text(encoding="utf-8")
            path.write_text(text.replace("</body>", '<script src="axe.js"></script>' + RUN + "</body>"), encoding="utf-8")
            for size in ("1280,900", "390,800"):
                run = subprocess.run(
                    [chromium, "--headless", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=20000",
                     "--enable-logging=stderr", "--v=0", f"--user-data-dir={place}/profile", f"--window-size={size}",
                     "--dump-dom", path.as_uri()], capture_output=True, text=True, timeout=120, check=False)
                console = re.findall(r"CONSOLE.*", run.stderr)
                found = re.search(r'<pre id="axe-result">(.*?)</pre>', run.stdout, re.S)
                if not found:
                    print(f"{page} {size}: axe did not answer\n{run.stderr[-400:]}")
                    bad += 1
                    continue
                result = json.loads(found.group(1).replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&"))
                problems = result["violations"] + console
                if result["broken"]:
                    problems.append(f"{result['broken']} pictures do not load")
                if result["wide"]:
                    problems.append("the page is wider than the window")
                if not result["passes"]:
                    problems.append("axe checked nothing")
                for line in problems:
                    print(f"{page} {size}: {line}")
                bad += len(problems)
    print(f"{len(pages)} pages, {bad} problems")
    return bad > 0


sys.exit(main())

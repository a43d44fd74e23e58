#!/usr/bin/env python3
"""check_try.py - try.html used as a reader uses it, in headless Chromium, from the folder and from a server: its answers are those of abdb,
also for a database of the reader's own, and those that explore.html shows; a long query is stopped; the console stays empty and nothing else is asked for.
check_try.py DATABASE OWN-DATABASE FOLDER"""
import functools
import http.server
import json
import os
import pathlib
import subprocess
import sys
import threading
import urllib.parse

from chromium import Browser

DATABASE, OWN, FOLDER = sys.argv[1:4]
WAIT = """new Promise((done, fail) => { const end = Date.now() + 60000, look = () => { const words = document.getElementById("state").textContent;
  if (/^(Running|Loading)|^$/.test(words)) { if (Date.now() > end) fail(new Error("no answer: " + words)); else setTimeout(look, 20); } else done(words); }; look(); })"""
ENDLESS = "abdb query \"WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT sum(i) FROM n\""
COMMANDS = [["choose", "llama2-70b-99", "server", "--rate", "100k/s"], ["rank", "model=llama2-70b-99,scenario=Offline", "--per", "device"], ["query", "specs"],
            ["query", "SELECT '<b>' || count(*) FROM v_result"], ["query", "no-such-report"]]


def program(database, words):
    run = subprocess.run(["abdb", *words], capture_output=True, check=False, env={**os.environ, "ABDB_DB": "abdb.db"}, cwd=pathlib.Path(database).resolve().parent)
    return run.returncode, (run.stdout + run.stderr).decode()


def asked(b, words):
    """Types a command and presses Enter; the line below it, and the answer."""
    b.js("(() => { document.getElementById('state').textContent = ''; const e = document.getElementById('words'); e.value = ''; e.focus(); })()")
    b.type(words)
    b.key("Enter")
    return b.js(WAIT), b.js("Array.from(document.getElementById('answer').children, (e) => e.textContent).join('')")


def shell(words):
    return "abdb " + " ".join("'" + w.replace("'", "'\\''") + "'" for w in words)


def same_as_program(b, database, commands):
    for words in commands:
        code, text = program(database, words)
        state, answer = asked(b, shell(words))
        assert state.startswith(f"Exit code {code},"), (words, state)
        assert answer == text, (words, answer[:300], text[:300])


def used(b, address):
    b.console.clear()
    b.asked.clear()
    b.open(address, "#" + urllib.parse.quote("abdb version"))  # the address holds a command
    assert b.js(WAIT).startswith("Exit code 0"), b.js("document.getElementById('state').textContent")
    same_as_program(b, DATABASE, COMMANDS)
    b.js("document.getElementById('tables').checked = true")
    state, answer = asked(b, "abdb query specs")
    assert state.startswith("Exit code 0") and b.js("document.querySelectorAll('#answer tbody tr').length") > 5, (state, answer[:200])
    b.js("document.getElementById('tables').checked = false")
    assert asked(b, "abdb query 'open")[0] == "A quote is open."
    b.js(f"document.getElementById('state').textContent = ''; document.getElementById('words').value = {json.dumps(ENDLESS)}; document.getElementById('ask').requestSubmit();"
         " setTimeout(() => document.getElementById('stop').click(), 1000)")
    stopped = b.js(WAIT)
    assert stopped == "Stopped.", stopped
    same_as_program(b, DATABASE, COMMANDS[2:4])
    node = b.call("DOM.querySelector", nodeId=b.call("DOM.getDocument")["root"]["nodeId"], selector="#own")["nodeId"]
    b.js("document.getElementById('state').textContent = ''")
    b.call("DOM.setFileInputFiles", nodeId=node, files=[str(pathlib.Path(OWN).resolve())])
    assert b.js(WAIT).endswith("answers from now on.")
    same_as_program(b, OWN, [["query", "SELECT count(*), min(key) FROM v_result"]])
    assert not b.js("document.documentElement.scrollWidth > innerWidth + 1"), "the page is wider than the window"
    assert not b.console, b.console
    root = address.rsplit("/", 1)[0] if address.startswith("http") else "file:"
    foreign = [a[:100] for a in b.asked if not a.startswith((root, "data:", "blob:", "about:"))]
    assert not foreign, foreign


def explored(b):
    """abdb rank and choose, by the link beside the command that explore.html prints: the rows that explore.html shows."""
    for view, columns in (("#suite=MLPerf%C2%AE+inference&what=llama2-70b-99.9&scenario=Offline&metric=tokens_per_s&division=closed&round=v6.0", ("device", "value")),
                          ("#suite=MLPerf%C2%AE+inference&what=llama2-70b-99&scenario=Server&metric=tokens_per_s&division=closed&round=v6.0&per=rate&rate=100000", ("device", "usd_per_hour"))):
        b.open(f"{FOLDER}/explore.html", view)
        shown = b.js("abdb.now().seen.ranked.map((r) => [r.name, r.value])")
        link = b.js("document.querySelector('#command a').getAttribute('href')")
        assert link.startswith("try.html#abdb%20") and shown, link
        b.open(f"{FOLDER}/try.html", link.removeprefix("try.html") + "%20-o%20json%20--limit%20100" * ("choose" in link) + "%20-o%20json" * ("rank" in link))
        assert b.js(WAIT).startswith("Exit code 0")
        text = b.js("document.querySelector('#answer pre').textContent")
        rows = [[r[columns[0]], r[columns[1]]] for r in json.loads(text)]
        assert len(rows) == len(shown) > 2, (link, len(rows), len(shown))
        for (name, value), (their, number) in zip(rows, shown):
            assert name == their and abs(value - number) <= 1e-9 * abs(number), (link, name, value, their, number)


def main():
    class Quiet(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *ignored):
            pass
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=FOLDER)) as server, Browser() as b:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for width, address in ((1280, f"{FOLDER}/try.html"), (390, f"http://127.0.0.1:{server.server_port}/try.html")):
            b.size(width)
            used(b, address)
        explored(b)
        # a host that forbids it: the page has words for it
        class Strict(Quiet):
            def end_headers(self):
                self.send_header("Content-Security-Policy", "script-src 'self'")
                super().end_headers()
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Strict, directory=FOLDER)) as strict:
            threading.Thread(target=strict.serve_forever, daemon=True).start()
            b.open(f"http://127.0.0.1:{strict.server_port}/try.html", "#" + urllib.parse.quote("abdb version"))
            words = b.js(WAIT)
            assert words.startswith("This host forbids it"), words
            strict.shutdown()
        server.shutdown()
    print("2 windows, their answers are abdb's")


main()

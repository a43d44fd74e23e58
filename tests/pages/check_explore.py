#!/usr/bin/env python3
"""check_explore.py - explore.html used as a reader uses it, in headless Chromium, against what abdb itself says of the same database.
check_explore.py DATABASE FOLDER WHAT...; WHAT is a function of this file."""
import csv
import io
import json
import random
import re
import subprocess
import sys
import xml.etree.ElementTree

from chromium import Browser

DATABASE, FOLDER = sys.argv[1], sys.argv[2]
PAGE = f"{FOLDER}/explore.html"


def abdb(*words, exits=(0,)):
    run = subprocess.run(["abdb", *words, "--db", DATABASE], capture_output=True, text=True, check=False)
    assert run.returncode in exits, (str(words)[:300], run.returncode, run.stderr[-300:])
    return run.stdout


def table(*words, exits=(0,)):
    return list(csv.DictReader(io.StringIO(abdb(*words, "-o", "csv", exits=exits))))


def ranked(b):
    return b.js("abdb.now().seen.ranked.map((r) => ({name: r.name, value: r.value, front: r.front === true, of: r.of,"
                " systems: r.rented?.systems, devices: r.rented?.devices, million: r.rented?.million}))")


def near(a, b):
    return abs(a - b) <= 1e-9 * abs(b)


def command(b):
    return b.js("document.querySelector('#command code').textContent")


def order(b):
    """Names, numbers, places and front are those of abdb rank, in every measure, for the results that the page shows."""
    inference = "#suite=MLPerf%C2%AE+inference&what=llama2-70b-99.9&scenario=Offline&metric=tokens_per_s&division=closed&round="
    views = [inference + "v6.0", inference + "all&by=submitter", inference + "all&per=dollar&price.H200-SXM=1&price.MI300X=0.7",
             inference + "all&per=dollar&kind=any", inference + "all&per=none&by=system", inference + "all&per=watt", inference.replace("llama2-70b-99.9", "resnet") + "all&per=watt",
             inference + "v6.0&by=key&view=points", "#suite=MLPerf%C2%AE+training&what=llama2_70b_lora&per=none&by=system"]
    seen = set()
    for view in views:
        b.open(PAGE, view)
        words = command(b)
        assert words.startswith("abdb rank '"), words
        pareto = ["--pareto", "devices"] if "by=key" in view else []
        rows = table(*(w.strip("'") for w in split(words)), *pareto)
        shown = ranked(b)
        assert shown, view
        part = (b.js("abdb.now().state.part") or "").replace(", ", " ")
        mine = [r for r in rows if (r["group"] or "") == part]
        if pareto:  # the front alone
            assert [int(r["place"]) for r in mine] == [i + 1 for i, r in enumerate(shown) if r["front"]], (view, mine)
            shown = [r for r in shown if r["front"]]
        assert len(mine) == len(shown), (view, part, len(mine), len(shown), {r["group"] for r in rows})
        name = "device" if pareto or "by=" not in view else view.split("by=")[1].split("&")[0]
        for their, our in zip(mine, shown):
            assert near(our["value"], float(their["value"])), (view, their, our)
            assert pareto or our["name"] == their[name], (view, their, our)
            assert pareto or our["of"] == int(their["of"]), (view, their, our)
        seen.add(view)
    print(f"{len(seen)} views in the order of abdb rank")


def split(words):
    import shlex
    return shlex.split(words)[1:]


def rent(b):
    """What a wanted rate takes is what abdb choose says."""
    for rate, price in (("100000", ""), ("1000000", "&price.MI355X=1.5")):
        b.open(PAGE, f"#suite=MLPerf%C2%AE+inference&what=llama2-70b-99&scenario=Server&metric=tokens_per_s&division=closed&round=v6.0&per=rate&rate={rate}{price}")
        rows, shown = table(*(w.strip("'") for w in split(command(b))), "--limit", "100"), ranked(b)
        assert len(rows) == len(shown) > 3, (len(rows), len(shown))
        for their, our in zip(rows, shown):
            assert (their["device"], int(their["systems"]), int(their["devices"])) == (our["name"], our["systems"], our["devices"]), (their, our)
            assert near(our["value"], float(their["usd_per_hour"])) and near(our["million"], float(their["usd_per_million"])), (their, our)
    print("rented as abdb choose says")


def judged(b):
    """Whether two results may be compared, and by which rules not: the page and abdb_compare agree on pairs of every set of rules."""
    b.open(PAGE)
    pairs = b.js("""(() => {
      let seed = 12345;
      const random = (n) => { seed = (1103515245 * seed + 12345) % 2147483648; return Math.floor(seed / 65536) % n; };
      const found = new Map(), name = (r) => `key=${r.key},metric=${r.known('metric')}`;
      for (let i = 0; i < 60000; i++) {
        const a = abdb.rows[random(abdb.rows.length)], b = abdb.rows[random(abdb.rows.length)];
        const told = abdb.judge(a, b), key = JSON.stringify([told.refusals, told.remarks].map((l) => l.map((r) => r.rule)));
        if (!found.has(key)) found.set(key, []);
        if (found.get(key).length < 2) found.get(key).push([name(a), name(b), told.refusals.map((r) => r.rule), told.differ.map((d) => d.name)]);
      }
      return [...found.values()].flat(); })()""")
    pairs = [p for p in pairs if p[0] != p[1]]
    wanted = ", ".join(f"('{a}','{c}')" for a, c, *_ in pairs)
    rows = table("query", f"WITH p (x, y) AS (VALUES {wanted}) SELECT x, y, standing, rule, differ, \"unknown\" FROM p, abdb_compare(x, y, NULL, 'none')")
    said = {(r["x"], r["y"]): r for r in rows}
    rules = set()
    factors = {name for *_, differ in pairs for name in differ}  # a value may hold "; ", as number formats of weights and cache do
    for a, c, refusals, differ in pairs:
        their = said[(a, c)]
        assert their["rule"] == "; ".join(refusals), (a, c, their, refusals)
        assert (their["standing"] == "not-comparable") == bool(refusals), (a, c, their)
        names = {w.split(" ")[0] for w in their["differ"].split("; ") if w.split(" ")[0] in factors} | {w for w in their["unknown"].split("; ") if w}
        assert names == set(differ), (a, c, names ^ set(differ))
        rules.update(refusals)
    print(f"{len(pairs)} pairs judged as abdb compare, by {len(rules)} rules")


def factors(b):
    """The factors of two results are those of abdb why: names, sides, factors, and the results that each step leads to."""
    b.open(PAGE)
    groups = b.js("""(() => { const groups = {}; for (const r of abdb.rows) if (r.known("evidence") === "mlperf" && r.device.value > 0 && !r.device.why)
        (groups[[r.what, r.known("scenario"), r.known("metric")].join()] ??= []).push(r.key); return Object.values(groups).filter((g) => g.length > 3); })()""")
    draw, steps, joint = random.Random(76), 0, 0
    for group in draw.sample(groups, min(24, len(groups))):
        one, other = draw.sample(group, 2)
        metric = b.js(f"abdb.byKey.get('{one}').known('metric')")
        refused = b.js(f"abdb.judge(abdb.byKey.get('{one}'), abdb.byKey.get('{other}')).refusals.length > 0")
        run = abdb("why", f"key={one},metric={metric}", f"key={other},metric={metric}", "--per", "device", "--json", exits=(0, 3))
        their = json.loads(run or "[]")
        assert refused == (not their), (one, other, refused, their)
        if refused:
            continue
        ours = b.js(f"(() => {{ const s = abdb.split(abdb.byKey.get('{one}'), abdb.byKey.get('{other}'));"
                    " return s.factors.map((f) => ({factor: f.name, a: f.a, b: f.b, times: f.times, result: f.row.key, joint: f.missing.length})); })()")
        assert [(r["factor"], r["a"] or "", r["b"] or "") for r in their] == [(r["factor"], r["a"], r["b"]) for r in ours], (one, other, their, ours)
        assert all(near(x["times"], y["times"]) for x, y in zip(ours, their)), (one, other, their, ours)
        steps += len(ours)
        joint += any(r["joint"] for r in ours)
    b.open(PAGE, f"#a={one}&b={other}")
    assert steps > 20 and joint, (steps, joint)
    said = b.js("document.getElementById('verdict').textContent")
    assert refused or "Derived by abdb, as the product of" in said, said
    print(f"{steps} factors as abdb why")


def notes(b):
    """The citation is the footnotes of the report mlperf-footnotes."""
    b.open(PAGE, "#what=llama2-70b-99.9&scenario=Offline&round=all&by=key")
    # of a small database all results
    keys, cite = b.js("(() => { const rows = abdb.rows.length < 100 ? abdb.rows : abdb.now().seen.ranked.map((r) => r.row);"
                      " return [rows.map((r) => r.key), abdb.cite(rows)]; })()")
    said = [r["footnote"].split("] ", 1)[-1].replace("\u2028", "\\u2028").replace("\u202e", "\\u202e") for r in table("query", "mlperf-footnotes", "--keys", " ".join(keys))]
    said = [line for line in said if line.startswith(("MLPerf", "Unverified MLPerf", "The MLPerf"))]
    assert said and set(said) <= set(cite), (set(said) - set(cite), cite)
    print(f"{len(said)} footnotes")


def use(b):
    """Choose, type a price, follow a point to its source, come back; the address holds all of it."""
    b.open(PAGE)
    for name, value in (("what", "llama2-70b-99"), ("scenario", "Server"), ("round", "v6.0"), ("per", "dollar")):
        b.choose(name, value)
    before = [r["name"] for r in ranked(b)]
    cheap = before[-1]
    b.js("document.getElementById('prices').open = true")
    b.js(f"document.querySelector('#price-list input[data-device=\"{cheap}\"]').focus()")
    b.type("0.05")
    after = [r["name"] for r in ranked(b)]
    assert after[0] == cheap and before[0] != cheap, (before, after)
    assert "0.05" in command(b) and cheap in b.js("document.getElementById('finding').textContent")
    assert cheap in b.js("document.getElementById('said').textContent"), "nothing is said to a screen reader"
    b.js("document.activeElement.select()")
    b.type("-1")
    assert b.js("document.activeElement.getAttribute('aria-invalid')") == "true"
    b.js("document.activeElement.select()")
    b.type("0.05")
    b.key("Tab")
    b.choose("view", "points")
    b.js("document.querySelector('.mark[tabindex=\"0\"]').focus()")
    first = b.js("document.activeElement.dataset.key")
    b.key("ArrowRight")
    key = b.js("document.activeElement.dataset.key")
    assert key != first and not b.js("document.getElementById('tip').hidden")
    tip, row = b.js("document.getElementById('tip').textContent"), b.js(
        f"(() => {{ const r = abdb.byKey.get('{key}'); return [r.known('system'), r.known('submitter'), r.id, r.known('round'), r.known('device')]; }})()")
    assert all(words in tip for words in row), (tip, row)
    address = b.js("location.hash")
    b.loaded = False
    b.key("Enter")
    while not b.loaded:
        b._note(b._message())
    assert b.js("location.hash") == f"#{key}" and "source-" in b.js("location.pathname"), b.js("location.href")
    fact = b.js("document.querySelector(':target').textContent")
    raw = abdb("query", f"SELECT coalesce(raw_value, '') FROM v_result WHERE key = '{key}'", "-o", "csv").splitlines()[1].strip('"')
    assert raw in fact, (raw, fact)
    b.open(PAGE, address)
    assert b.js("location.hash") == address and [r["name"] for r in ranked(b)][0] == cheap
    b.choose("per", "device")
    one = ranked(b)
    b.js("new Promise((f) => { addEventListener('popstate', () => setTimeout(f), {once: true}); history.back(); })")
    assert b.js("location.hash") == address and [r["name"] for r in ranked(b)][0] == cheap and one != ranked(b)
    # two that may not be compared, marked in the table
    b.js("document.querySelectorAll('#rows input')[0].click()")
    b.choose("scenario", "Offline")
    b.js("document.querySelectorAll('#rows input')[0].click()")
    assert "mlperf-same-scenario" in b.js("document.getElementById('verdict').textContent")
    print("used")


def address(b):
    """The address of an answer gives the same one; of an answer that is no more it says so."""
    b.open(PAGE, "#what=llama2-70b-99&scenario=Server&round=v6.0&per=device")
    assert b.js("document.getElementById('changed').hidden")
    link = b.js("document.getElementById('address').hash")
    assert re.fullmatch(r"#.*what=llama2-70b-99.*&answer=[0-9a-f]{16}", link), link
    for hash, words in ((link, ""), (link[:-1] + ("0" if link[-1] != "0" else "1"), "made of another answer"), ("#answer=<b>x", "<b>x")):
        b.open(PAGE, hash)
        assert words in b.js("document.getElementById('changed').textContent") and b.js("document.getElementById('changed').hidden") == (not words), hash
    b.open(PAGE, link)
    b.choose("round", "v5.1")
    other = b.js("document.getElementById('address').hash")
    assert other[-16:] != link[-16:] and b.js("document.getElementById('changed').hidden"), (other, link)
    print("address")


def saved(b):
    """What is saved is whole: SVG that parses and stands alone, PNG, CSV with what is shown, the citation."""
    b.open(PAGE, "#what=llama2-70b-99.9&scenario=Offline&view=points&per=dollar")
    b.js("""window.saved = {}; abdb.save = async (name, type, content) => {
      window.saved[name.split('.').pop()] = content instanceof Blob ? [...new Uint8Array(await content.arrayBuffer()).slice(0, 8)] : content; }""")
    b.js("(async () => { for (const x of document.querySelectorAll('[data-save]')) x.click(); while (!window.saved.png) await new Promise((f) => setTimeout(f, 20)); })()")
    got = b.js("window.saved")
    svg = xml.etree.ElementTree.fromstring(got["svg"])
    words = " ".join(t for t in svg.itertext())
    assert "leads llama2-70b-99.9" in words and "trademarks of MLCommons" in words and "per_dollar@1" in words, words
    assert "var(" not in got["svg"] and "href=\"http" not in got["svg"]
    assert got["png"] == [137, 80, 78, 71, 13, 10, 26, 10], got["png"]
    rows, shown = list(csv.DictReader(io.StringIO(got["csv"]))), ranked(b)
    assert [float(r["value"]) for r in rows] == [r["value"] for r in shown] and len(rows) > 3
    assert "Retrieved" in got["txt"]
    assert b.js("abdb.csv.toString().length") > 0
    print("saved")


def hostile(b):
    """Texts of others do nothing and stand as they are."""
    b.open(PAGE)
    assert b.js("typeof abdb.now") == "function" and b.js("window.pwned === undefined && ({}).polluted === undefined")
    b.js("(() => { const r = abdb.rows.find((x) => x.known('system').includes('<img')); const p = new URLSearchParams({suite: r.suite, what: r.what,"
         " scenario: r.known('scenario'), metric: r.known('metric'), round: r.known('round'), division: r.known('division'), by: 'key', per: 'none', a: r.key}); location.hash = p; })()")
    b.open(PAGE, b.js("location.hash"))
    row = b.js("document.querySelector('#rows tbody').textContent")
    assert "</script><img src=x onerror=window.pwned=1>" in row and "\\u202e" in row, row
    b.js("document.querySelector('.mark[tabindex=\"0\"]').focus()")
    assert "<img src=x" in b.js("document.getElementById('tip').textContent")
    assert b.js("document.querySelectorAll('main img, main iframe').length") == 0
    assert b.js("abdb.csv(abdb.now().seen.ranked, abdb.now().state, '')").count("'=HYPERLINK") == 2
    b.open(PAGE, "#what=%3Cimg%20src%3Dx%20onerror%3Dwindow.pwned%3D1%3E&price.__proto__=1&by=__proto__&per=constructor&without=%3Cb%3E")
    assert b.js("window.pwned === undefined") and ranked(b)
    print("harmless")


def operated(b):
    """Every control used on hostile names: each choice, a price of each device, the order of each column, each mark, pairs, what is saved.
    Nothing of a name runs, becomes an element, or leaves the page."""
    harmless = ("(() => { const foreign = [...document.querySelectorAll('img, iframe, object, embed, base, meta[http-equiv=refresh], a[href^=\"javascript:\" i]')];"
                " const handlers = [...document.querySelectorAll('*')].filter((e) => e.getAttributeNames().some((n) => n.startsWith('on')));"
                " return window.pwned === undefined && ({}).polluted === undefined && foreign.length === 0 && handlers.length === 0; })()")
    b.open(PAGE)
    steps, names = 0, b.js("[...new Set(abdb.rows.flatMap((r) => ['device', 'provider', 'model', 'system', 'submitter'].map((c) => r.known(c))))].filter(Boolean)")
    assert sum("pwned" in name for name in names) > 2, names
    choices = b.js("[...document.getElementById('choice').elements].filter((e) => e.name && e.options).map((e) => e.name)")
    assert len(choices) > 4, choices
    for name in choices:
        for value in b.js(f"[...document.getElementById('choice').elements[{json.dumps(name)}].options].map((o) => o.value)"):
            b.choose(name, value)
            assert b.js(harmless), (name, value)
            steps += 1
    b.open(PAGE, b.js("(() => { const r = abdb.rows.find((x) => x.known('model')?.includes('touch'));"
                      " return '#' + new URLSearchParams({suite: r.suite, what: r.what, scenario: r.known('scenario'), metric: r.known('metric'), round: 'all', per: 'dollar'}); })()"))
    b.js("document.getElementById('prices').open = true")
    for number in range(b.js("document.querySelectorAll('#price-list input').length")):
        b.js(f"(() => {{ const e = document.querySelectorAll('#price-list input')[{number}]; e.focus(); e.select(); }})()")
        b.type("1.5")
        assert b.js(harmless), number
        steps += 1
    assert steps > 10
    priced = command(b)
    shown = split(priced)  # one shell reads the command as the words that abdb wrote
    assert shown[0] == "rank" and len(shown) % 2 == 0 and set(shown[2::2]) <= {"--per", "--by", "--price-kind", "--price"}, priced
    subprocess.run(["bash", "-c", "abdb() { printf '%s\\0' \"$@\" >given; }; " + priced], check=True, cwd=FOLDER)
    assert open(f"{FOLDER}/given", encoding="utf-8").read().split("\0")[:-1] == shown, priced
    address = b.js("location.hash")
    b.open(PAGE, address)
    assert b.js(harmless) and command(b) == priced, (priced, command(b))
    for view in "bars", "points":
        b.js(f"(() => {{ const e = document.getElementById('choice').elements.view; if (e && [...e.options ?? []].some((o) => o.value === '{view}')) e.value = '{view}'; }})()")
        b.js("document.getElementById('choice').dispatchEvent(new Event('change', {bubbles: true}))")
        for mark in range(min(12, b.js("document.querySelectorAll('.mark').length"))):
            b.js(f"document.querySelectorAll('.mark')[{mark}].focus()")
            assert b.js(harmless)
    b.js("for (const e of document.querySelectorAll('#rows th, #rows th button')) e.click()")
    b.js("for (const e of [...document.querySelectorAll('#rows tbody input')].slice(0, 2)) e.click()")
    b.js("for (const e of document.querySelectorAll('#device-list input')) e.click()")
    assert b.js(harmless)
    b.open(PAGE, address)
    b.js("""window.saved = {}; abdb.save = async (name, type, content) => { window.saved[name] = content instanceof Blob ? "" : content; };
      for (const x of document.querySelectorAll('[data-save]')) x.click();""")
    for name, content in b.js("new Promise((f) => setTimeout(() => f(window.saved), 300))").items():
        assert "/" not in name and "\n" not in name and "<" not in name, name
        if name.endswith(".svg"):
            tree = xml.etree.ElementTree.fromstring(content)
            assert not [e for e in tree.iter() if e.tag.rpartition("}")[2] in ("script", "img", "image", "foreignObject", "iframe")], name
            assert not [a for e in tree.iter() for a in e.attrib if a.startswith("on")], name
        if name.endswith(".csv"):
            assert not [cell for row in csv.reader(io.StringIO(content)) for cell in row if cell[:1] in "=@"  and cell[:1]], name
    assert b.js(harmless)
    print(f"{steps} controls used")


def bare(b):
    """Without the library that draws: told so, and the tables work."""
    b.open(PAGE)
    assert "apt-get install node-d3" in b.js("document.getElementById('broken').textContent")
    assert b.js("document.querySelectorAll('#rows tbody tr').length") > 0
    assert b.js("document.querySelector('[data-save=svg]').hidden") and not b.js("document.querySelector('[data-save=csv]').hidden")
    print("tables alone")


def soon(b):
    """Milliseconds from the start of the page to its first picture."""
    b.size(1280, 900)
    times = []
    for _ in range(5):
        b.open(PAGE)
        times.append(b.js("Math.round(performance.getEntriesByName('picture')[0].startTime)"))
    print(f"{b.js('abdb.rows.length')} results, first picture after {sorted(times)[2]} ms")


with Browser() as browser:
    browser.size(1280, 900)
    for what in sys.argv[3:]:
        globals()[what](browser)
    unexpected = [line for line in browser.console if line]
    assert not unexpected, unexpected
    assert all(a.startswith(("file:", "data:", "blob:", "about:")) for a in browser.asked), browser.asked

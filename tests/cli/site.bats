#!/usr/bin/env bats
# site.bats - the database as HTML pages: every link leads somewhere, numbers lead to facts, pages are
# accessible, light and without errors.
load common

# Enough for a page of each kind.
a_little() { filled "$root/data"/{prices,specs-vendor}.csv "$fixtures/checker.csv"; }

# The site s of the shipped data, made once.
shipped_site() {
    filled "$root/data"
    [ -d "$BATS_FILE_TMPDIR/shipped" ] || ABDB_WASM='' abdb site --out "$BATS_FILE_TMPDIR/shipped" >"$BATS_FILE_TMPDIR/shipped.said"
    cp -r "$BATS_FILE_TMPDIR/shipped" s
}

@test "every link and picture of the site exists" {
    shipped_site
    grep -q "shipped/index.html: .* pages, .* facts" "$BATS_FILE_TMPDIR/shipped.said"
    [ "$(du -sb --exclude=try-data.js s | cut -f1)" -lt 6900000 ] # all pages and pictures, of which explore.html loads a third (below)
    python3 - <<'P'
import html.parser, pathlib, sys
class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.ids, self.links, self.numbers, self.bare, self.cell, self.place, self.right = set(), [], 0, 0, False, 0, ()
    def handle_starttag(self, tag, attrs):
        a = dict(attrs)
        if "id" in a:
            assert a["id"] not in self.ids, a["id"]
            self.ids.add(a["id"])
        for k in ("href", "src", "srcset"):
            if k in a: self.links.append(a[k])
        if tag == "img": assert a.get("alt"), "a picture without words"
        if tag == "table": self.right = [] if "facts" in a.get("class", "") else a.get("class", "").split()
        if tag != "a": self.cell = False
        if tag == "tr": self.place = 0
        if tag == "td":
            self.place += 1
            self.cell = f"n{self.place}" in self.right
        if tag == "a" and self.cell: self.numbers += 1; self.cell = False
    def handle_data(self, text):
        if self.cell and text.strip(): self.numbers += 1; self.bare += 1; self.cell = False
pages = {}
for p in pathlib.Path("s").glob("*.html"):
    pages[p.name] = Page()
    pages[p.name].feed(p.read_text(encoding="utf-8"))
numbers = bare = 0
for name, page in pages.items():
    numbers += page.numbers
    bare += page.bare
    for link in page.links:
        if link.startswith(("https://", "http://", "data:")): continue
        file, _, anchor = link.partition("#")
        file = file or name
        assert (pathlib.Path("s") / file).exists(), (name, link)
        if anchor.startswith("answer="): continue # of an address, tested below
        if anchor and file not in ("explore.html", "try.html"): assert anchor in pages[file].ids, (name, link) # there it is what is chosen or asked
assert numbers > 500 and bare == 0, (numbers, bare)
P
    ABDB_WASM='' run abdb site --out s2
    diff -r s s2
}

@test "the first page has five questions, each with a picture and its command, and notes on missing results" {
    shipped_site
    python3 - <<'P'
import html, re
page = open("s/index.html", encoding="utf-8").read()
asked = [part for part in re.split("<h2>", page)[1:]]
assert len(asked) >= 5, len(asked)
for part in asked[:5]:
    drawn = re.findall(r'<img[^>]*src="([a-z-]+)\.svg"', part)
    named = re.findall(r"<figcaption>.*?<code>abdb plot ([a-z-]+)</code>", part, re.S)
    assert drawn and drawn == named, (html.unescape(part[:40]), drawn, named)
P
    same "$(grep -c '<p>Nothing yet: ' s/index.html)" 0
    # what others published, alone
    export ABDB_DB=$dir/published.db
    filled "$root"/data/{prices,specs-seeds}.csv "$root"/data/results/argonne*.csv
    abdb site --out published
    grep -q 'What was measured here?' published/index.html
    grep -q '<p>Nothing yet: ' published/index.html
}

@test "verify accepts pages of the site, names changed facts of each kind, and finds edits" {
    shipped_site
    for page in training report-specs source-databricks-gaudi2 source-kaist-gaudi2 sources explore; do
        run abdb verify s/$page.html
        fails 0 "The facts of this database still give this page"
    done
    run abdb verify s/training.svg
    fails 0 "still give this figure"
    key=$(ask "SELECT key FROM v_statement WHERE device = 'MI250' AND source = 'databricks-gaudi2' AND metric = 'flops_per_s'" | head -1)
    cp t.db withdrawn.db
    abdb withdraw "$key" --reason test --db withdrawn.db >/dev/null
    for page in training source-databricks-gaudi2 explore; do
        run abdb verify s/$page.html --db withdrawn.db -o csv
        fails 1 "$page.html,withdrawn,,,,,$key"
    done
    sed -i 's/Gaudi2/Gaudi3/' s/training.html s/explore.html
    for page in training explore; do
        run abdb verify s/$page.html
        fails 4 "$page.html was changed after abdb wrote it"
    done
    # a row changed in place, one that is new; a whole site; a list
    rm t.db
    a_little
    abdb site --out small >/dev/null
    run abdb verify small
    fails 0 "still give this page"
    sed 's/^Acme,/Newcomer,/; s/,10000.5,/,11000.5,/' "$fixtures/checker.csv" >more.csv
    abdb import -q more.csv
    run abdb verify small -o csv
    fails 1 "index.html,changed,"
    [[ $output == *"explore.html,added,,,,,r-"* && $output == *".html,added,"* ]]
    # what a page carries is no page: nothing of it is believed
    for text in '{"page":"figure","figure":"../../etc/passwd"}' '{"page":"report","report":7}' '{"page":"source"}' '{"page":"x"}' '{"page":"list","of":{"figure":1,"x y":"z"}}'; do
        printf '<!DOCTYPE html><head></head><body><script type="application/json" id="abdb">%s</script>\n</body>' "$text" >odd.html
        run timeout 20 abdb verify odd.html
        [[ $status == [246] ]]
    done
}

@test "each figure and table has its rows as CSV and JSON, a citation and an embedding" {
    shipped_site
    python3 - <<'P'
import csv, hashlib, html, json, pathlib, re
pages = [p for p in pathlib.Path("s").glob("*.html") if re.search('"page":"(figure|report)"', p.read_text())]
assert len(pages) > 40, len(pages)
for page in pages:
    text = page.read_text()
    carried = json.loads(re.search(r'<script type="application/json" id="abdb">(.*?)</script>', text, re.S)[1])
    data, rows = json.loads(page.with_suffix(".json").read_text()), list(csv.DictReader(page.with_suffix(".csv").open()))
    assert carried["page"] in data and data[carried["page"]] == carried[carried["page"]] and data["parameters"].items() >= carried["parameters"].items(), page
    assert data["answer"] == carried["data"] and len(data["rows"]) == len(rows) == len(data["keys"]) == len(carried["prints"]) > 0, page
    assert set(rows[0]) == set(data["rows"][0]), page
    assert f'{page.name}#answer={data["answer"][:16]}"' in text and f'href="{page.stem}.csv"' in text and f'href="{page.stem}.json"' in text, page
    for name, digest in carried["files"].items(): assert hashlib.sha256(pathlib.Path("s", name).read_bytes()).hexdigest() == digest, name
    embeds = [html.unescape(e) for e in re.findall(r'<code class="copy">(.*?)</code>', text, re.S)]
    assert len(embeds) == (2 if carried["page"] == "figure" else 0), page
    if embeds: assert f'<img src="{page.stem}.svg"' in embeds[0] and len(re.search("<figcaption>(.*)</figcaption>", embeds[0], re.S)[1]) > 10, embeds[0]
P
    # rows that were changed are found by the page
    sed -i '2s/[0-9]/7/g' s/training.csv
    run abdb verify s/training.html -o csv
    fails 4 "training.csv,edited: the bytes of the file"
    rm s/training.json
    run abdb verify s/training.html -o csv
    fails 4 "training.json,edited: the file is missing"
}

@test "the command in the JSON of a page prints exactly the rows of its JSON and CSV" {
    shipped_site
    cat >t.py <<'P'
import json, pathlib, shlex, subprocess, sys
from concurrent.futures import ThreadPoolExecutor
def ask(command, form):
    assert command.startswith("abdb query ") and command.endswith(" -o json"), command
    got = subprocess.run(command[:-len("json")] + form, shell=True, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert got.returncode == 0, (command, got.stderr)
    return got.stdout
def check(file):
    data = json.loads(file.read_text())
    differs = [] if json.loads(ask(data["command"], "json")) == data["rows"] else [file.name]
    if ask(data["command"], "csv --spreadsheet") != file.with_suffix(".csv").read_text(): differs.append(file.with_suffix(".csv").name)
    options = dict(w[2:].partition("=")[::2] for w in shlex.split(data["command"]) if w.startswith("--"))
    assert options == {k.replace("_", "-"): v for k, v in data["parameters"].items()}, (file, options, data["parameters"])
    return differs
files = [p for p in pathlib.Path("s").glob("*.json") if p.with_suffix(".html").exists()]
assert len(files) > 40, len(files)
with ThreadPoolExecutor(2) as pool: differs = sum(pool.map(check, files), [])
if differs: sys.exit("differs from its command: " + " ".join(differs))
P
    python3 t.py
    # defaults of a figure and the rows of a page at most are parameters, and another value of either gives other rows
    same "$(jq -c .parameters s/peaks.json)" '{"source":"ml-engineering-2026","limit":"24"}'
    sed -i 's/--limit=24/--limit=5/; s/"limit":"24"/"limit":"5"/' s/peaks.json
    run python3 t.py
    fails 1 "differs from its command: peaks.json peaks.csv"
}

@test "the feeds of changes are Atom and JSON Feed, hold the rows of the report, and quote hostile names" {
    a_little
    printf 'evidence,kind,source,workload,device,metric,value,unit\npublished,statement,"<b>&]]>\xef\xbf\xbf",gemm,L4,flops_per_s,1,TFLOP/s\n' >odd.csv
    abdb import -q odd.csv
    abdb withdraw odd.csv --reason 'a </title> "typing" error' >/dev/null
    printf 'evidence,kind,source,workload,device,metric,value,unit\npublished,statement,"<i>&x",gemm,L4,flops_per_s,2,TFLOP/s\n' >kept.csv
    abdb import -q kept.csv
    abdb site --out s >/dev/null
    abdb site --out s2 >/dev/null
    cmp s/changes.atom s2/changes.atom
    cmp s/changes.json s2/changes.json
    abdb query changes -o json >rows 2>/dev/null
    python3 - <<'P'
import json, re, xml.etree.ElementTree as xml
A = "{http://www.w3.org/2005/Atom}"
rows, feed, tree = json.load(open("rows")), json.load(open("s/changes.json")), xml.parse("s/changes.atom").getroot()
assert feed["version"] == "https://jsonfeed.org/version/1.1"
items, entries = feed["items"], tree.findall(A + "entry")
assert len(rows) == len(items) == len(entries) >= 5, (len(rows), len(items), len(entries))
for row, item, entry in zip(rows, items, entries):
    assert item["title"] == entry.find(A + "title").text and item["id"] == entry.find(A + "id").text
    assert str(row["n"]) in item["title"] and row["day"] == item["date_published"][:10], (row, item)
    assert re.fullmatch("urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}", item["id"])
    assert entry.find(A + "updated").text == item["date_published"]
assert len({i["id"] for i in items}) == len(items)
titles = [i["title"] for i in items]
assert "<i>&x: results (1)" in titles and 'withdrawn: a </title> "typing" error (1)' in titles, titles
P
    grep -q 'rel="alternate" type="application/atom+xml"' s/index.html
}

@test "an address has the digest of its answer; a narrow frame shows the table in place of the picture" {
    need_chromium
    shipped_site
    run python3 "$root/tests/pages/check_shared.py" s training.html
    fails 0 "shared"
}

# Those that look at it by a browser.
need_chromium() {
    command -v chromium >/dev/null || skip "no chromium: apt-get install chromium"
}
explored() { # WHAT...: tests/pages/check_explore.py on the site s
    run python3 "$root/tests/pages/check_explore.py" "$ABDB_DB" s "$@"
    [ "$status" = 0 ] || { echo "$output" | cut -c 1-1500; return 1; }
}

@test "pages pass axe without console errors or network access, on a desk and on a phone" {
    python3 -m pip download -q --no-deps --only-binary=:all: -d . axe-playwright-python==0.1.8 2>/dev/null || skip "no axe from PyPI"
    unzip -qo axe_playwright_python*.whl
    need_chromium
    shipped_site
    key=$(grep -oE 'r-[0-9a-f]{32}-0' s/explore.html | head -1)
    run python3 "$root/tests/pages/check_site.py" axe_playwright_python/axe.min.js s index.html figures.html sources.html mlperf-llm.html report-specs.html \
        source-databricks-gaudi2.html explore.html "explore.html#what=llama2-70b-99&scenario=Server&view=points&per=dollar&by=key&a=$key&b=$key" \
        "explore.html#what=llama2-70b-99&scenario=Server&per=rate&by=key" $(cd s && ls try.html 2>/dev/null) # the widest table; abdb itself, where there is abdb.wasm
    fails 0 " pages, 0 problems"
    sed -i 's/<html lang="en">/<html>/; s/ alt="[^"]*"//' s/mlperf-llm.html
    run python3 "$root/tests/pages/check_site.py" axe_playwright_python/axe.min.js s mlperf-llm.html
    fails 1 "image-alt"
}

@test "explore.html has the orders, prices, verdicts and footnotes of rank, choose, compare and the report" {
    need_chromium
    shipped_site
    explored order rent judged notes factors
    [[ $output == *"9 views in the order of abdb rank"*"rented as abdb choose says"*"pairs judged as abdb compare, by 21 rules"*"4 footnotes"* ]] || { echo "$output"; false; }
}

@test "explore.html in use: a typed price, a point with its source, the address, back, and saved files" {
    [ -e /usr/share/nodejs/d3/dist/d3.min.js ] || skip "no D3: apt-get install node-d3"
    need_chromium
    shipped_site
    explored use address saved
    grep -q "Redistribution" s/NOTICE.txt
    grep -q "D3 $(sed -n '1s/.* v\([0-9.]*\) .*/\1/p' s/d3.min.js)" s/NOTICE.txt
    [ "$(cat s/explore.html s/{d3,explore,site}*.js s/site.css | wc -c)" -lt 1500000 ]
}

@test "explore.html: hostile text runs no script; the tables work without D3" {
    need_chromium
    filled "$fixtures/checker.csv"
    python3 - <<'P'
import json
evil = "</script><img src=x onerror=window.pwned=1>\u2028\u202e<!-- <script>window.pwned=2</script> ]]> & ' \" \\u003cb\\u003e"
with open("evil.jsonl", "w", encoding="utf-8") as out:
    for i, name in enumerate((evil, "=HYPERLINK(\"http://x\")", "__proto__")):
        print(json.dumps({"record": "entry", "field": {"evidence": "mlperf", "kind": "score", "suite": "inference", "round": "v6.0", "division": "closed", "source": evil + str(i),
              "submitter": name, "system": evil + name, "model": evil, "scenario": evil, "device": name, "devices": str(i + 1), "verified": "yes", "public_id": "6.0-900%d" % i,
              "url": "javascript:window.pwned=3", **({"retrieved": "2026-04-0%d" % i} if i else {})}, "factor": {"__proto__": evil, "constructor": evil, "software": evil},
              "result": [{"metric": "tokens_per_s", "statistic": "value", "value": 1000 + i}]}), file=out)
    # a factor that MLPerf needs is not told: no round
    print(json.dumps({"record": "entry", "field": {"evidence": "mlperf", "kind": "score", "suite": "inference", "division": "closed", "source": "s", "submitter": "A",
          "system": "B", "model": "llama2-70b-99", "scenario": "Offline", "device": "H200-SXM", "devices": "8", "verified": "yes"},
          "result": [{"metric": "tokens_per_s", "statistic": "value", "value": 5}]}), file=out)
P
    abdb import -q evil.jsonl
    abdb site --out s
    run grep -cE '<img src=x|href="?javascript:' s/explore.html
    fails 1 "0"
    explored hostile judged notes
    [[ $output == *"pairs judged as abdb compare, by 8 rules"* ]]
    ABDB_D3=/nonexistent run abdb site --out s
    fails 0 "no D3 of version 5 or newer is at /nonexistent; apt-get install node-d3, or ABDB_D3=FILE"
    printf '// https://d3js.org v3.5.17 Copyright\n' >old.js
    ABDB_D3=old.js run abdb site --out old
    fails 0 "no D3 of version 5"
    [ ! -e old/d3.min.js ]
    explored bare
}

@test "try.html in a browser: answers, tables, a user database and a stop, from a folder and a server" {
    need_chromium
    need_wasm
    shipped_site
    mkdir published own
    carried_database s/try-data.js >published/abdb.db
    abdb import -q --db own/abdb.db "$fixtures/checker.csv"
    run python3 "$root/tests/pages/check_try.py" published/abdb.db own/abdb.db s
    [ "$status" = 0 ] || { echo "$output" | cut -c 1-1500; return 1; }
}

@test "site refuses an empty database and an unwritable place, and has user-defined reports" {
    abdb init >/dev/null
    run abdb site --out s
    fails 6 "nothing to show"
    a_little
    run abdb site --out /dev/null/x
    fails 6 "cannot make /dev/null/x"
    run abdb site extra
    fails 2 "site takes no 'extra'"
    mkdir -p own/reports
    printf -- '-- title: Mine\n-- site: My heading\nSELECT device, amount, key AS _facts FROM v_price ORDER BY 1, 2;\n' >own/reports/mine.sql
    printf -- '-- title: Broken\n-- site: My heading\nSELECT nothing FROM nowhere;\n' >own/reports/broken.sql
    ABDB_PATH=$dir/own run abdb site --out s
    fails 0 "left out: report broken"
    grep -q 'My heading' s/index.html
    grep -q 'report-mine.html' s/index.html
    # without abdb.wasm there is no page that runs it, and nothing leads to one
    silent find s -name 'try*'
    no grep -q 'try.html' s/index.html s/explore.html
}

@test "sources with similar or long names have a page each" {
    long=$(printf 'x%.0s' {1..230})
    i=0
    for source in 'a b' 'a/b' 'a_b' "${long}1" "${long}2"; do
        i=$((i + 1))
        printf '{"record":"price","provider":"P","instance":"box","device":"D","devices":1,"kind":"on-demand","amount":%s,"currency":"USD","per":"hour","valid_from":"2031-07-07","raw_value":"%s dollars","source":"%s","locator":"x"}\n' $i $i "$source"
    done >prices.jsonl
    abdb import -q prices.jsonl
    mkdir -p own/reports
    printf -- '-- title: Mine\n-- site: My heading\nSELECT device, amount, key AS _facts FROM v_price ORDER BY 1, 2;\n' >own/reports/mine.sql
    ABDB_PATH=$dir/own timeout 20 abdb site --out s
    same "$(ls s/source-*.html | wc -l)" 5
    for ((n = 1; n <= 5; n++)); do
        same "$(grep -l ">$n dollars" s/source-*.html | wc -l)" 1
    done
    for page in $(grep -oE 'source-[^"#]*' s/sources.html); do [ -e "s/$page" ]; done
}

@test "a user-defined figure replaces no page of the site" {
    a_little
    mkdir -p own/figures
    for name in index explore sources source-mlperf-checker report-specs mine; do
        cp "$root/plots/figures/peaks.gp" "own/figures/$name.gp"
    done
    ABDB_PATH=$dir/own run abdb site --out s
    fails 0 "left out: figure index: the site has a page of that name; give it another"
    for name in explore sources source-mlperf-checker report-specs; do
        fails 0 "left out: figure $name: the site has a page of that name"
    done
    [[ -s s/mine.svg && ! -e s/index.svg ]]
    grep -q '<h2' s/index.html
}

#!/usr/bin/env bats
# site.bats - the database as HTML pages: every link leads somewhere, numbers lead to facts, pages are
# accessible, light and without errors.
load common

# The site s of the shipped data, the fixtures and two reports of one's own; what was said is in said. Made once.
own_site() {
    if [ ! -d "$BATS_FILE_TMPDIR/s" ]; then
        filled "$root/data" "$fixtures"/{figures.jsonl,checker.csv}
        mkdir -p own/reports
        printf -- '-- title: Mine\n-- site: My heading\nSELECT device, amount, key AS _facts FROM v_price ORDER BY 1, 2;\n' >own/reports/mine.sql
        printf -- '-- title: Broken\n-- site: My heading\nSELECT nothing FROM nowhere;\n' >own/reports/broken.sql
        ABDB_PATH=$dir/own abdb site --out "$BATS_FILE_TMPDIR/s" >"$BATS_FILE_TMPDIR/said" 2>&1
    fi
    cp -r "$BATS_FILE_TMPDIR"/{s,said} .
}

@test "pages, and every link and picture of them is there" {
    filled "$root/data"
    run abdb site --out s
    fails 0 "s/index.html"
    [ "$(du -sb s | cut -f1)" -lt 2700000 ]
    python3 - <<'P'
import html.parser, pathlib, sys
class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.ids, self.links, self.numbers, self.bare, self.cell = set(), [], 0, 0, False
    def handle_starttag(self, tag, attrs):
        a = dict(attrs)
        if "id" in a:
            assert a["id"] not in self.ids, a["id"]
            self.ids.add(a["id"])
        for k in ("href", "src", "srcset"):
            if k in a: self.links.append(a[k])
        if tag == "img": assert a.get("alt"), "a picture without words"
        if tag == "td":
            self.cell = "data-v" in a
            self.numbers += self.cell
            self.bare += self.cell
        if tag == "a" and self.cell: self.bare -= 1; self.cell = False
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
        if anchor: assert anchor in pages[file].ids, (name, link)
assert numbers > 500 and bare == 0, (numbers, bare)
P
    run abdb site --out s2
    diff -r s s2
}

@test "accessible by axe, no error in the console, on a desk and on a phone" {
    command -v chromium >/dev/null || skip "no chromium"
    python3 -m pip download -q --no-deps --only-binary=:all: -d . axe-playwright-python==0.1.8 2>/dev/null || skip "no axe from PyPI"
    unzip -qo axe_playwright_python*.whl
    own_site
    run python3 "$root/tests/site_check.py" axe_playwright_python/axe.min.js s index.html figures.html sources.html mlperf-llm.html report-specs.html source-databricks-gaudi2.html
    fails 0 "6 pages, 0 problems"
    sed -i 's/<html lang="en">/<html>/; s/ alt="[^"]*"//' s/mlperf-llm.html
    run python3 "$root/tests/site_check.py" axe_playwright_python/axe.min.js s mlperf-llm.html
    fails 1 "image-alt"
}

@test "an empty database, no place to write, a report of one's own" {
    abdb init >/dev/null
    run abdb site --out s
    fails 6 "nothing to show"
    rm t.db
    own_site
    [ -e t.db ] || filled "$root/data"
    run abdb site --out /dev/null/x
    fails 6 "cannot make /dev/null/x"
    run abdb site extra
    fails 2 "site takes no 'extra'"
    grep -q "left out: report broken" said
    grep -q 'My heading' s/index.html
    grep -q 'report-mine.html' s/index.html
}

@test "sources of like names have a page each, long names too" {
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

@test "a figure of one's own takes no page of the site" {
    filled "$root/data"
    mkdir -p own/figures
    for name in index sources source-mlperf-checker report-specs peaks-dark mine; do
        cp "$root/plots/figures/peaks.gp" "own/figures/$name.gp"
    done
    ABDB_PATH=$dir/own run abdb site --out s
    fails 0 "left out: figure index: the site has a page of that name; give it another"
    for name in sources source-mlperf-checker report-specs peaks-dark; do
        fails 0 "left out: figure $name: the site has a page of that name"
    done
    [ -s s/mine.svg ] && [ ! -e s/index.svg ] && [ ! -e s/peaks-dark-dark.svg ]
    grep -q '<h2' s/index.html
}

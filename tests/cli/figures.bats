#!/usr/bin/env bats
# figures.bats - every figure that abdb ships: its script and data, its picture, what it says when there is
# nothing to draw; bundles, sets, inclusions; names that would like to be commands.
load common

fill() { filled $(said_by_others) "$fixtures"/{figures.jsonl,fleet.jsonl,accept.jsonl,prices.csv}; }
# What a figure wants to be told to draw something from the fixtures.
given() {
    case $1 in
    choose-training) echo --today 2026-11-20 --model llama2_70b_lora ;;
    training | training-price | *-users | choose) echo --today 2026-11-20 ;; # the age of prices
    price-performance) echo --today 2026-11-20 --price "'B200-SXM=4 USD/h,H200-SXM=2.5 USD/h,MI355X=3.1 USD/h,MI300X=2 USD/h'" ;;
    speedup-map) echo --baseline build-1 --contender build-2 ;;
    paired) echo --baseline tag=before --contender tag=after ;;
    samples) echo --tag before ;;
    roofline) echo --since 2026-01-01 ;;
    accept) echo --tag accepted ;;
    sweep) echo --x fmas ;;
    utilisation-map) echo --campaign c-after ;;
    esac
}
# The text of a figure; of one like another that one's head (but its findings, where it has some of its own), its own,
# and that one's commands.
text() {
    local own=$root/plots/figures/$1.gp like
    like=$(sed -n 's/^# like: //p' "$own")
    if [ -z "$like" ]; then
        cat "$own"
        return
    fi
    like=$root/plots/figures/$like.gp
    if grep -q '^# finding:' "$own"; then sed '/^[^#]/,$d; /^# finding:/d' "$like"; else sed '/^[^#]/,$d' "$like"; fi
    sed '/^[^#]/,$d' "$own"
    sed -n '/^[^#]/,$p' "$like"
}
# A picture without what abdb verify asks of it: what gnuplot drew.
bare() { # FILE
    python3 - "$1" <<'P'
import re, sys
data = open(sys.argv[1], "rb").read()
at = data.rfind(b"iTXtabdb") - 4
if data.startswith(b"\x89PNG"): data = data[:at] + data[at + 12 + int.from_bytes(data[at:at + 4], "big"):]
sys.stdout.buffer.write(re.sub(rb'<metadata id="abdb">.*?</metadata>\n', b"", data, flags=re.S))
P
}
draw() { # FIGURE OPTIONS...
    eval "abdb plot $1 $(given "$1") ${*:2}"
}
# FIGURE.svg of the fixtures, drawn once for the tests of this file.
picture() { # FIGURE
    local made=$BATS_FILE_TMPDIR/$1.svg
    [ -e "$made" ] || draw "$1" --out "$made" >/dev/null
    cp "$made" .
}
# FIGURE.gp of the fixtures, likewise.
script() { # FIGURE
    local made=$BATS_FILE_TMPDIR/$1.gp
    [ -e "$made" ] || draw "$1" --script >"$made"
    cp "$made" .
}

@test "each figure matches its golden script and data" {
    fill
    for f in $(abdb plot --names); do
        script "$f"
        sed '/^# style.gp/,$d' "$f.gp" >got
        if [ -n "${UPDATE:-}" ]; then cp got "$root/tests/golden/figure-$f.txt"; fi
        diff -u "$root/tests/golden/figure-$f.txt" got
        sed -n '/^# style.gp/,$p' "$f.gp" >rest.gp
        { cat "$root/plots/style.gp" && text "$f"; } | diff - rest.gp
    done
}

@test "each figure draws the same picture twice, without a warning of gnuplot" {
    fill
    for f in $(abdb plot --names); do
        picture "$f"
        [ "$(grep -c '<text' "$f.svg")" -gt 4 ]
        script "$f"
        gnuplot -e 'piped = 1; picture = "svg"' "$f.gp" >two.svg 2>warnings
        bare "$f.svg" | cmp - two.svg
        warned=$(grep warning warnings | grep -v "Skipping data file with no valid points" || true) # a mark that no row has
        same "$warned" ""
    done
}

@test "each figure is drawn without the optional values of imported files" {
    fill
    for f in $(abdb plot --names); do echo "$f $(given "$f")"; done |
        python3 "$root/tests/pages/check_empty_figures.py" own >said || { cat said; false; }
    grep -Eq '^[3-9][0-9] drawn, 0 not' said || { cat said; false; }
    for value in 0 1e15 ${THOROUGH:+-3 1e-9}; do
        turn=0
        for f in sweep gather collectives mbu-users tpot-users cost-users roofline ceilings paired fleet latency-throughput peaks sparsity loss recommend-beside; do
            turn=$((turn + 1)) # each figure has one of the two
            ! thorough && [ $((turn % 2)) = "${value:0:1}" ] || echo "$f $(given "$f")"
        done | python3 "$root/tests/pages/check_empty_figures.py" --each own $value >said || { cat said; false; }
    done
    rm "$ABDB_DB"
    filled "$fixtures/osu.txt" # of which one collective has times, and no bus bandwidth
    abdb plot collectives --out c.svg
    abdb site --out site >/dev/null
}

@test "a map of one cell has the colour of the best value" {
    fill
    jq -c 'select(.field.campaign == "c-after" and .field.workload == "gemm" and (.field.cell | test("m=1024 n=256 ")))' "$fixtures/figures.jsonl" | head -1 >one.jsonl
    rm -f "$ABDB_DB"
    abdb import -q one.jsonl
    abdb plot utilisation-map --campaign c-after --out one.svg
    tr -d ' ' <one.svg | grep -c "fill='rgb(8,48,107)'" >cells || true
    same "$(cat cells)" 1 # the best, and no step of the scale
}

@test "text in figures neither overlaps nor leaves the picture" {
    command -v chromium >/dev/null || skip "no chromium"
    fill
    for f in $(abdb plot --names); do
        picture "$f"
        draw "$f" --adaptive --out "$f-adaptive.svg" >/dev/null # fails where the dark one is not the light one in other colours
    done
    run python3 "$root/tests/pages/check_figure_text.py" ./*.svg
    fails 0 "0 problems"
    printf '<svg width="300" height="100" xmlns="http://www.w3.org/2000/svg"><text x="10" y="50">Hello world</text><text x="30" y="52">Second</text><text x="280" y="20">outside</text></svg>' >bad.svg
    run python3 "$root/tests/pages/check_figure_text.py" bad.svg
    fails 1 "overlap: Hello world / Second"
    fails 1 "outside: outside"
}

@test "a picture of any size has its footnotes, ages of prices and number of rows not drawn, or is refused" {
    fill
    local turn=0 size refused=0 drawn=0
    for f in $(abdb plot --names); do
        turn=$((turn + 1))
        at=0
        for size in 360x240 480x300 card slide 120x100mm 600x700; do
            at=$((at + 1))
            thorough || [ $((turn % 18)) -eq $((3 * at % 18)) ] || continue
            run draw "$f" --size "$size" --markdown --out "$f-$size.svg"
            [ "$status" -eq 0 ] || refused=$((refused + 1))
            while [ "$status" -eq 2 ]; do # too small: it is drawn at what the message says
                [[ $output =~ needs\ a\ (height|width) ]]
                size=${output##*--size }
                size=${size%%,*}
                run draw "$f" --size "$size" --markdown --out "$f-$size.svg"
            done
            fails 0 "]($f-$size.svg)"
            printf '%s\n' "$output" >"$f-$size.md"
            drawn=$((drawn + 1))
        done
    done
    [ "$refused" -gt 3 ]
    [ "$drawn" -gt 15 ]
    run python3 "$root/tests/pages/check_figure_notes.py" ./*.svg
    fails 0 " 0 notes missing"
    printf '<svg><text>USD†</text></svg>' >bad.svg
    printf '![x](bad.svg)\n\n**x**\n\n† derived\n\nprices are up to 600 days old\n' >bad.md
    run python3 "$root/tests/pages/check_figure_notes.py" bad.svg
    fails 1 "3 notes missing"
    if command -v chromium >/dev/null && thorough; then # narrow or not, the words keep apart
        printf '%s\0' ./*-*.svg | xargs -0 -n 20 python3 "$root/tests/pages/check_figure_text.py"
    fi
}

@test "a picture has the number of rows not drawn; a long source is wrapped" {
    fill
    whole=$(draw mlperf-scenarios --script | sed -n 's/^rows = //p')
    draw mlperf-scenarios --size 600x400 --script >small.gp
    grep -q "not drawn: $((whole - $(sed -n 's/^rows = //p' small.gp))) more rows" small.gp
    long=$(printf 'https://example.org/%0150d' 0)
    mkdir -p own/figures
    { sed -n '1p' "$root/plots/figures/mlperf-llm.gp"; echo "# subtitle: Below $long"; sed '1d; /^# subtitle/d' "$root/plots/figures/mlperf-llm.gp"; } >own/figures/mine.gp
    ABDB_PATH=$dir/own abdb plot mine --size 480x500 --script >long.gp
    [ "$(sed -n 's/^subtitle\[[0-9]*\] = "\(.*\)"$/\1/p' long.gp | awk '{ if (length($0) > n) n = length($0) } END { print n }')" -le 73 ]
    same "$(sed -n 's/^subtitle\[[0-9]*\] = "\(.*\)"$/\1/p' long.gp | tr -d '\n ')" "Below$long"
}

@test "--size with a width alone gives a figure of this width, with a layout for print columns or phones" {
    fill
    local wide=0
    for f in $(abdb plot --names); do
        run draw "$f" --size 88mm --out "$f.svg"
        [ "$status" -ne 2 ] || { wide=$((wide + 1)); echo "$f: $output"; }
        [ "$status" -eq 2 ] || fails 0 "$f.svg"
    done
    [ "$wide" -le 5 ]
    grep -q 'width="333" height="[3-9]' mlperf-llm.svg
    grep -q '8 chips, ' mlperf-llm.svg
    [ "$(sed -n 's/.*font-size="\([0-9.]*\)".*/\1/p' ./*.svg | sort -n | head -1 | cut -d. -f1)" -ge 8 ]
    draw mlperf-llm --size phone --out p.svg >/dev/null
    grep -q 'width="390"' p.svg
    if command -v chromium >/dev/null; then
        run python3 "$root/tests/pages/check_figure_text.py" mlperf-llm.svg choose.svg claims.svg peak-achieved.svg mlperf-systems.svg p.svg
        fails 0 ""
    fi
}

@test "--size in mm or inches gives a PDF of this size and a PNG of 300 dots per inch" {
    fill
    draw mlperf-rounds --size 88x90mm --out r.pdf >/dev/null
    grep -aq '/MediaBox \[ 0 0 249 255 \]' r.pdf
    draw mlperf-rounds --size 5inx4in --out r.png >/dev/null
    same "$(python3 -c 'd = open("r.png", "rb").read(); print(int.from_bytes(d[16:20], "big"), int.from_bytes(d[20:24], "big"))')" "1500 1200"
    # widths as people type them are the same picture
    draw mlperf-rounds --size 88.9mm --out mm.svg
    for size in 8.89cm 3.5in 252pt; do
        draw mlperf-rounds --size $size --out $size.svg
        same "$(sed 1,/viewBox/d $size.svg | grep -v metadata)" "$(sed 1,/viewBox/d mm.svg | grep -v metadata)"
    done
    draw mlperf-rounds --size 390px --out px.svg
    grep -q 'width="390"' px.svg
    # a PNG for print has its resolution, so that a document places it in this size
    for size in 180mm 18cm 720x440; do
        draw mlperf-rounds --size $size --out $size.png >/dev/null
    done
    resolution='import struct, sys
d = open(sys.argv[1], "rb").read(); at = d.find(b"pHYs")
print(round(1000 * struct.unpack(">I", d[16:20])[0] / struct.unpack(">II", d[at + 4 : at + 12])[0]) if at == 37 else "none")'
    same "$(for size in 180mm 18cm 720x440; do python3 -c "$resolution" $size.png; done)" $'180\n180\nnone'
    abdb verify 180mm.png
    run draw mlperf-rounds --width 88mm
    fails 2 "unknown option '--width', did you mean --size 88mm?"
    run draw mlperf-rounds --height 300
    fails 2 "unknown option '--height', did you mean --size 720x440?"
    for size in 8mm 0.8cm 88x 88mmx3in 88cmx3mm 3px 1x1in 88,5x60mm -5x400; do
        run draw mlperf-rounds --size "$size" --out no.svg
        fails 2 "--size wants article, slide, card, phone, points such as 720x440"
    done
}

@test "error bars erase no mark; a character without a font is refused, except in SVG" {
    fill
    for f in sweep history llama-bench collectives; do # gnuplot clears the ground below an error bar: before the marks
        picture "$f"
        python3 - "$f.svg" <<'P'
import re, sys
marks = re.findall(r"<use xlink:href='#gpPt\d+' transform='[^']* scale\(([\d.]+)\)' color='([^']*)'", open(sys.argv[1], encoding="utf-8").read())
drawn = [colour == "#FFFFFF" for scale, colour in marks if float(scale) > 0]
assert not all(drawn), sys.argv[1]
panels = 2 if "llama" in sys.argv[1] else 1
assert sum(1 for a, b in zip(drawn, drawn[1:]) if b and not a) < panels, (sys.argv[1], drawn)
P
    done
    sed 's/"device": *"[^"]*"/"device": "数式"/' "$fixtures/figures.jsonl" | jq -c 'select(.field.workload == "gemm")' | head -4 >rare.jsonl
    rm -f "$ABDB_DB"
    abdb import -q rare.jsonl
    x=$(abdb query "SELECT factor FROM v_factor WHERE num > 0 GROUP BY factor HAVING count(DISTINCT num) > 0 ORDER BY factor = 'n' DESC, 1 LIMIT 1" -o csv | tail -1)
    abdb plot sweep --kernel gemm --x "$x" --by device --metric ms --title 数式 --out r.svg
    grep -q 数式 r.svg
    fc-list ':charset=6570' | grep -q . && skip "a font here has 数"
    for type in png pdf; do
        run abdb plot sweep --kernel gemm --x "$x" --by device --metric ms --title 数式 --out "r.$type"
        fails 2 "no font here has the letter 数 (U+6570)"
        [ ! -e "r.$type" ]
    done
    run abdb plot sweep --kernel gemm --x "$x" --by device --metric ms --title 'α → Ж' --out "r.png"
    fails 2 数 # the device's name
}

@test "the colours of vendors differ for colour-blind readers" {
    run python3 "$root/tests/pages/check_vendor_colours.py" "$root/plots/style.gp"
    fails 0 "7 colours, 168 pairs, 0 too near"
    sed 's/#be0402/#6ba73d/' "$root/plots/style.gp" >near.gp
    run python3 "$root/tests/pages/check_vendor_colours.py" near.gp
    fails 1 "light, all colours: NVIDIA and AMD are 0.0 apart"
}

@test "a pair refused by a rule is drawn only with --exploratory, and stamped" {
    filled "$root/data" "$fixtures/questions.csv"
    set -- --baseline device=H200-SXM,model=llama2-70b-99,scenario=Offline,evidence=mlperf --contender model=llama2-70b-99,evidence=measured --metric tokens_per_s
    run abdb plot paired "$@"
    fails 6 "nothing to draw in paired"
    abdb plot paired "$@" --exploratory --out e.svg >/dev/null
    grep -q 'EXPLORATORY: a rule refuses 1 of these pairs' e.svg
    grep -q '0.836 EXPLORATORY' e.svg # per device: 3750 of 4487.9
    no grep '<text>[^<]*device=' e.svg # which the parameters in its metadata say
    grep -q 'llama2-70b-99, measured against H200-SXM, llama2-70b-99, Offline, mlperf' e.svg
}

@test "a figure with no rows or too few gives a message with advice" {
    abdb init >/dev/null
    for f in $(abdb plot --names); do
        run abdb plot "$f" --out none.svg
        fails 6 "nothing to draw in $f"
        [ ! -e none.svg ]
    done
    run abdb plot --set all --out all
    fails 6 "nothing to draw in the whole set"
    filled "$root/data"
    run abdb plot price-performance --price-date 2024-02-01
    fails 6 "it needs 2 rows with usd_per_device_hour>0 rate_per_device>0, and report price-performance has 1; give prices by --price"
    run abdb plot llama-bench
    fails 6 "llama-bench -o jsonl | abdb import -"
    run abdb plot llama-bench --help
    fails 0 "abdb query llama-bench --help"
}

@test "real files make the figures of serving, llama-bench, collectives, STREAM and scaling" {
    need_realdata vllm-serving-json
    abdb import -q "$root/data" "$realdata"/{vllm-serving-json,llama-bench,nccl-tests,babelstream,llm-foundry,osu} --set device=H200-SXM --set devices=8 --set dtype=fp8 || [ $? -eq 5 ]
    for f in latency-throughput tpot-users llama-bench collectives stream-devices scaling-throughput; do
        run abdb plot "$f" --out "$f.svg"
        fails 0 "$f.svg"
    done
    run abdb plot cost-users --price 'H200-SXM=2.5 USD/h' --out c.svg
    fails 0 c.svg
    if command -v chromium >/dev/null; then
        run python3 "$root/tests/pages/check_figure_text.py" ./*.svg
        fails 0 "0 problems"
    fi
}

@test "the script of a bundle gives the same bytes with plain gnuplot in another folder" {
    fill
    for f in mlperf-llm training roofline; do
        draw "$f" --bundle post >/dev/null
        mkdir -p "there-$f"
        cp "post/$f.gp" "there-$f"
        (cd "there-$f" && env -i PATH="$PATH" gnuplot "$f.gp" && env -i PATH="$PATH" gnuplot -e 'picture="png"' "$f.gp")
        bare "post/$f.svg" | cmp - "there-$f/$f.svg"
        bare "post/$f.png" | cmp - "there-$f/$f.png"
        [ -s "post/$f.pdf" ]
    done
    abdb query perf-per-dollar --today 2026-11-20 -o csv 2>/dev/null | diff - post/training.csv
    grep -q '^!\[H100-SXM trains MPT fastest, at 437 TFLOP/s per device in bf16; Gaudi2 is 45.% behind\](training.svg)' post/training.md
    grep -q '^- Databricks.*https' post/training.md || grep -q '^- .*databricks' post/training.md
    grep -q 'trademarks of MLCommons' post/mlperf-llm.md
    grep -q 'MLPerf® v6.1 Inference Closed' post/mlperf-llm.tex
    grep -qF '\includegraphics[width=\linewidth]{training.pdf}' post/training.tex
    run draw training --bundle /dev/null/x
    fails 6 "cannot make /dev/null/x"
}

@test "a PDF has the same bytes later; HTML contains its libraries; sixel and text pictures go to the terminal" {
    fill
    draw training --out a.pdf >/dev/null
    sleep 1.1
    draw training --out b.pdf >/dev/null
    cmp a.pdf b.pdf
    draw training --out a.html >/dev/null
    run grep -c 'script src' a.html
    same "$output" 0
    grep -q CanvasTextFunctions a.html
    draw training --term dumb >sketch
    grep -q 'Gaudi2' sketch
    grep -q 'derived by abdb' sketch
    draw training --term sixel | head -c 2 | grep -q $'\eP'
    run draw training --term gif
    fails 2 "there are svg, png, pdf, dumb, sixel and html"
}

@test "--markdown and --latex print the text for including a figure" {
    fill
    draw training --markdown >m.md
    grep -qF '](training.svg)' m.md
    [ -s training.svg ]
    draw training --latex >m.tex
    grep -qF '{training.pdf}' m.tex
    [ -s training.pdf ]
}

@test "--set draws its figures into a folder and names the figures without rows" {
    fill
    run abdb plot --set databricks --out pictures
    fails 0 pictures/training.svg
    [ -s pictures/multi-node.svg ]
    run abdb plot --set nonsense
    fails 2 "no figure belongs to a set 'nonsense'"
    run abdb plot --set mlperf --out /dev/null/x
    fails 6 "cannot make"
    run abdb plot --set
    fails 2 "--set"
    run abdb plot --dark
    fails 2 "the figure's name comes first"
}

@test "user-defined reports and figures support series, levels, needs and defaults" {
    fill
    mkdir -p own/figures own/reports
    cat >own/reports/watts.sql <<'S'
-- title: Power by vendor {vendor}
-- site: Mine
-- param: vendor | text | AMD | one vendor
-- column: watts | W | 0 | power
SELECT device, vendor, value AS watts, key AS _facts FROM v_spec JOIN v_device USING (device)
 WHERE quantity = 'power' AND vendor = :vendor AND preferred = 1 ORDER BY 1 LIMIT 5;
S
    cat >own/figures/watts.gp <<'G'
# title: Watts of {vendor}
# report: watts
# with: vendor=NVIDIA
# needs: watts
# series: vendor
# levels: device
set xrange [0.5 : levels_device + 0.5]
plot for [i=0:series-1] $data index i using (column(c_device_level)):(column(c_watts)) with points title series_name[i+1]
G
    export ABDB_PATH=$dir/own
    run abdb plot watts
    fails 0 watts.svg
    grep -q 'Watts of NVIDIA' watts.svg
    run abdb plot watts --vendor Intel --out i.svg
    fails 0 i.svg
    grep -q 'Watts of Intel' i.svg
    abdb plot | grep -q watts
    sed -i 's/^# levels: device/# levels: nothing/' own/figures/watts.gp
    run abdb plot watts
    fails 6 "report watts has no column 'nothing'"
    sed -i 's/^# levels: nothing/# levels: device/; s/^# needs: watts/# needs: watts>1/' own/figures/watts.gp
    run abdb plot watts
    fails 6 "report watts has no column 'watts>1'"
    sed -i 's/^# needs: watts>1/# needs: watts>0/; s/vendor=NVIDIA/colour=red/' own/figures/watts.gp
    run abdb plot watts
    fails 6 "report watts has no parameter 'colour'"
    cp own/figures/watts.gp "own/figures/wat ts\$(touch pwned).gp"
    run abdb plot 'wat ts$(touch pwned)'
    fails 2 "a figure's name has letters"
    [ ! -e pwned ]
}

@test "hostile names stay text in every picture, bundle and page" {
    python3 - "$fixtures/figures.jsonl" >evil.jsonl <<'P'
import sys
evil = ["`touch pwned1`", "$(touch pwned2)", '"; system("touch pwned3"); set title "', "'.system('touch pwned4').'", "@evil %s %n {/Bold x} ^_",
        "]]><script>alert(1)</script>", "</script><img src=x onerror=alert(2)>", "\\input{/etc/passwd}", "<!--<script>", "a|b*c_d[e](f)", "\nABDB_END_OF_DATA\nsystem('touch pwned5')\n"]
import json
for i, line in enumerate(open(sys.argv[1], encoding="utf-8")):
    o = json.loads(line)
    for f in ("device", "model", "backend", "tag", "workload"):
        if f in o["field"] and not (f == "workload" and o["field"][f] in ("gemm", "stream", "babelstream")):
            o["field"][f] += " " + evil[(i + len(f)) % len(evil)] if f != "device" or o["field"][f] not in ("H100-SXM", "Gaudi2", "A100-SXM-40GB") else ""
    if "cell" in o["field"]:
        o["field"]["cell"] += " " + evil[i % len(evil)]
    print(json.dumps(o))
P
    run abdb import evil.jsonl "$fixtures/prices.csv"
    fails 0 accepted
    mkdir p
    # PNG is of the library that makes PDF, and part of the bundles below
    set -- svg html
    ! thorough || set -- svg html pdf dumb # text reaches gnuplot in one way for all; the bundles have PDF
    for t in "$@"; do abdb plot --set all --timeout 600 --type $t --out p >/dev/null 2>said || { grep -v "nothing to draw" said; return 1; }; done
    abdb plot history --type dumb --out p/history.txt
    [[ $(ls p/*.svg | wc -l) -gt 15 && $(ls p/*.html | wc -l) -gt 15 ]]
    python3 - p/*.svg p/*.html <<'P'
import html.parser, sys, xml.dom.minidom
class Page(html.parser.HTMLParser):
    def __init__(self):
        super().__init__()
        self.tags, self.ends, self.words = [], 0, ""
    def handle_starttag(self, tag, attrs): self.tags.append(tag)
    def handle_endtag(self, tag): self.ends += tag == "script"
    def handle_data(self, data): self.words += data if self.tags[-1:] != ["script"] else ""
for name in sys.argv[1:]:
    if name.endswith(".svg"):
        d = xml.dom.minidom.parse(name)
        assert not d.getElementsByTagName("script") and not d.getElementsByTagName("img"), name
        continue
    p = Page()
    with open(name, encoding="utf-8") as f: p.feed(f.read())
    assert p.ends == p.tags.count("script") > 0, f"{name}: a script ended early"
    assert "img" not in p.tags and "alert" not in p.words, (name, p.tags)
P
    [[ -s p/llama-bench.svg && -s p/history.svg && -s p/collectives.svg ]]
    for f in llama-bench history collectives; do
        abdb plot $f --bundle b >/dev/null
        (cd b && gnuplot $f.gp)
    done
    run grep -hE '\\input\{' b/*.tex
    same "$output" ""
    run grep -hE '(^|[^\\])<script' b/*.tex b/*.md
    same "$output" ""
    abdb site --out s >/dev/null
    run grep -lE '<script>|<img src=x|onerror=alert\(2\)>' -r s --include=*.html
    same "$output" ""
    run bash -c 'ls pwned* */pwned* 2>/dev/null'
    same "$output" ""
}

@test "the pictures of the gallery are up to date with this build and the shipped data" {
    gnuplot --version | grep -q 'gnuplot 5.4 patchlevel 4' || skip "made with gnuplot 5.4 patchlevel 4, this is $(gnuplot --version)"
    filled "$root/data"
    sed -n 's/^| `\([^`]*\)` | .*/\1/p' "$root/plots/gallery/README.md" >asked
    [ "$(wc -l <asked)" -eq 12 ]
    while read -r figure options; do
        for form in "" "-dark --dark" "-card --size card"; do
            set -- $form
            abdb plot $figure $options "${@:2}" --out "$figure${1-}.svg" >/dev/null
            cmp "$figure${1-}.svg" "$root/plots/gallery/$figure${1-}.svg" # make gallery
        done
    done <asked
    python3 -c 'import xml.dom.minidom, sys; [xml.dom.minidom.parse(f) for f in sys.argv[1:]]' ./*.svg
    command -v chromium >/dev/null || skip "no chromium"
    run python3 "$root/tests/pages/check_figure_text.py" ./*.svg # cards, too
    fails 0 "36 pictures, 0 problems"
}

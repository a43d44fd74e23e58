#!/usr/bin/env bats
# verify.bats - pictures and bundles against the database: still the same, changed, edited, hostile.
load common

llm=(mlperf-llm --round v6.0 --model llama2-70b-99 --scenario Server)
# The pictures of a figure, drawn once for the tests of this file.
pictures() {
    filled "$root/data"
    local made=$BATS_FILE_TMPDIR/post
    [ -e "$made" ] || { abdb plot "${llm[@]}" --bundle "$made" && abdb plot "${llm[@]}" --type html --out "$made.html"; } >/dev/null
    cp -r "$made" post
    cp "$made.html" post.html
}
# Changes the object that an SVG carries: stamp FILE.svg 'python statements about o and picture'; bytes, where they say `again`, is made right.
stamp() {
    python3 - "$@" <<'P'
import hashlib, html, json, re, sys
data = open(sys.argv[1], "rb").read()
found = re.search(rb'<metadata id="abdb">(.*?)</metadata>\n', data, re.S)
o, picture, again = json.loads(html.unescape(found.group(1).decode())), data[:found.start()] + data[found.end():], False
exec(sys.argv[2])
if again: o["bytes"] = hashlib.sha256(picture).hexdigest()
end = picture.rindex(b"</svg>")
open(sys.argv[1], "wb").write(picture[:end] + b'<metadata id="abdb">' + html.escape(json.dumps(o, separators=(",", ":"))).encode() + b"</metadata>\n" + picture[end:])
P
}

@test "verify accepts a picture of each kind and a bundle, with their embedded data" {
    pictures
    for f in post/mlperf-llm.{svg,png,pdf,json} post post.html; do
        run abdb verify "$f"
        fails 0 "The facts of this database still give this figure"
        same "$(abdb verify "$f" -o json)" "[]"
    done
    python3 - post/mlperf-llm <<'P'
import re, struct, sys, xml.dom.minidom, zlib
xml.dom.minidom.parse(sys.argv[1] + ".svg")
png, at, names = open(sys.argv[1] + ".png", "rb").read(), 8, []
while at < len(png):
    size, name = struct.unpack(">I4s", png[at:at + 8])
    assert zlib.crc32(png[at + 4:at + 8 + size]) == struct.unpack(">I", png[at + 8 + size:at + 12 + size])[0], name
    names.append(name)
    at += 12 + size
assert names[-2:] == [b"iTXt", b"IEND"], names
pdf = open(sys.argv[1] + ".pdf", "rb").read()
table = int(re.findall(rb"startxref\n(\d+)", pdf)[-1])
number, place = re.match(rb"xref\n(\d+) 1\n(\d+) 00000 n \ntrailer", pdf[table:]).groups()
assert pdf[int(place):].startswith(number + b" 0 obj\n<<") and b"/Info " + number + b" 0 R" in pdf[table:]
assert re.match(rb"\d+ 0 obj|xref", pdf[int(re.search(rb"/Prev (\d+)", pdf[table:]).group(1)):])
P
    # what is drawn does not depend on the day
    for f in training choose; do
        abdb plot $f --out $f.svg >/dev/null
        grep -q "\"today\":\"$(date -u +%F)\"" $f.svg
        abdb verify $f.svg >/dev/null
    done
    abdb plot "${llm[@]}" --title Mine --devices 'B*,MI3*' --highlight B300-SXM --size card --vendor-colours --dark --out look.svg >/dev/null
    # light and dark in one
    abdb plot "${llm[@]}" --adaptive --out both.svg >/dev/null
    abdb plot "${llm[@]}" --dark --out dark.svg >/dev/null
    run abdb verify both.svg
    fails 0 "still give this figure"
    [ "$(wc -c <both.svg)" -lt "$(($(wc -c <dark.svg) * 7 / 10))" ]
    python3 - <<'P'
import re
def colours(name, rules):
    found = {}
    for fill, words in re.findall(r'<g transform="[^"]*"[^>]* fill="([^"]*)"[^>]*>\s*<text[^>]*>(.*?)</text>', open(name).read(), re.S):
        fill = rules.get(fill, fill)
        part = re.findall(r"\d+", fill) if fill.startswith("rgb") else [int(fill[1:][i * len(fill[1:]) // 3:][:len(fill[1:]) // 3] * (6 // len(fill[1:])), 16) for i in range(3)]
        found.setdefault(re.sub(r"<!\[CDATA\[|\]\]>", "", words), set()).add(tuple(map(int, part)))
    return found
rules = dict(re.findall(r'\[fill="([^"]*)"\]\{fill:([^}]*)\}', open("both.svg").read()))
assert len(rules) > 2 and colours("both.svg", rules) == colours("dark.svg", {}) != colours("both.svg", {}), (rules, colours("both.svg", rules), colours("dark.svg", {}))
P
    run abdb verify look.svg
    fails 0 "still give this figure"
    same "$(abdb verify look.svg -o json)" "[]"
}

@test "verify reads the data of a PDF rewritten by another program" {
    pictures
    python3 - <<'P'
import re, zlib
pdf = open("post/mlperf-llm.pdf", "rb").read()
text = re.search(rb"/abdb \((.*)\)\n>>\nendobj", pdf, re.S).group(1)
plain = re.sub(rb"\\(.)", rb"\1", text)
base = pdf[:pdf.rindex(b"%abdb\n")]
trailer = b"trailer\n<< /Size 9 /Root 1 0 R >>\n%%EOF\n"
octal = re.sub(rb"[(){\\]", lambda m: b"\\%03o" % m.group()[0], plain)
open("hex.pdf", "wb").write(base + b"9 0 obj\n<< /abdb <" + plain.hex().encode() + b"> >>\nendobj\n" + trailer)
open("octal.pdf", "wb").write(base + b"9 0 obj\n<< /abdb(" + octal + b") >>\nendobj\n" + trailer)
packed = zlib.compress(b"9 0 << /abdb (" + text + b") >>")
open("packed.pdf", "wb").write(base + b"9 0 obj\n<< /Type /ObjStm /Filter /FlateDecode >>\nstream\n" + packed + b"\nendstream\nendobj\n" + trailer)
open("cut.pdf", "wb").write(base + b"9 0 obj\n<< /Type /ObjStm /Filter /FlateDecode >>\nstream\n" + packed[:len(packed) // 2])
P
    for f in hex octal packed; do
        run abdb verify $f.pdf
        fails 4 "$f.pdf was changed after abdb wrote it"
        same "$(abdb verify $f.pdf -o csv 2>/dev/null | cut -d, -f1,2 | tail -n +2)" "$f.pdf,edited: the bytes of the file" # and its facts hold
    done
    run abdb verify cut.pdf
    fails 6 "it carries no word of abdb's"
    for k in $(ask "SELECT key FROM v_statement WHERE public_id = 'v6.0-0010' AND model = 'llama2-70b-99' AND scenario = 'Server' AND metric = 'tokens_per_s'"); do
        abdb withdraw "$k" --reason test >/dev/null
    done
    run abdb verify packed.pdf -o csv
    fails 4 "packed.pdf,withdrawn,B300-SXM"
}

@test "verify names withdrawn, new and missing facts" {
    pictures
    key=$(ask "SELECT key FROM v_mlperf WHERE public_id = 'v6.0-0010' AND model = 'llama2-70b-99' AND scenario = 'Server' AND metric = 'tokens_per_s'")
    for k in $(ask "SELECT key FROM v_statement WHERE public_id = 'v6.0-0010' AND model = 'llama2-70b-99' AND scenario = 'Server' AND metric = 'tokens_per_s'"); do
        abdb withdraw "$k" --reason test >/dev/null
    done
    for f in post post/mlperf-llm.{svg,png,pdf} post.html; do
        run abdb verify "$f"
        fails 1 "The facts of this database give another figure now"
    done
    abdb verify post/mlperf-llm.png -o csv >got.csv 2>said || [ $? -eq 1 ]
    grep -qF "mlperf-llm.png,withdrawn,B300-SXM,,,,$key" got.csv
    grep -q '^mlperf-llm.png,changed,B300-SXM,tokens_per_s_per_chip,14313,13549,r-' got.csv
    grep -q "give another figure now" said
    rm -f t.db
    abdb init >/dev/null
    run abdb verify post/mlperf-llm.svg -o csv
    fails 1 "mlperf-llm.svg,gone: the fact is not in this database,B300-SXM,,,,$key"
    rm -f t.db
    cat >new.csv <<'C'
Organization,Availability,Division,SystemType,SystemName,Platform,Model,MlperfModel,Scenario,Result,Accuracy,number_of_nodes,host_processor_model_name,host_processors_per_node,host_processor_core_count,accelerator_model_name,accelerators_per_node,total_accelerators,Location,framework,operating_system,notes,compliance,errors,version,inferred,has_power,Units,weight_data_types
Newcomer,available,closed,datacenter,box1,box1,llama2-70b-99,llama2-70b-99,Server,70000,,1,CPU,2,64,NVIDIA L40S,8,8,x,rt,Linux,,1,0,v6.0,0,False,Tokens/s,fp8
C
    abdb import -q "$root/data" new.csv
    run abdb verify post/mlperf-llm.svg -o csv
    fails 1 "mlperf-llm.svg,added,L40S,,,,r-"
}

@test "verify finds changes made after abdb wrote a file" {
    pictures
    cd post
    sed -i 's/>14313</>15313</; s/ 14313/ 15313/' mlperf-llm.svg
    run abdb verify mlperf-llm.svg
    fails 4 "mlperf-llm.svg was changed after abdb wrote it"
    run abdb verify .
    fails 4 "edited: the bytes of the file"
    stamp mlperf-llm.svg 'again = True' # with a digest that fits the forged picture
    run abdb verify mlperf-llm.svg
    fails 4 "edited: its data draw another picture"
    cp ../post/mlperf-llm.svg own.svg
    stamp own.svg 'o["rows"][0][9] = "15313"'
    run abdb verify own.svg
    fails 4 "edited: the rows that it carries"
    cp "$BATS_FILE_TMPDIR/post/mlperf-llm.svg" other.svg
    stamp other.svg 'again = False'
    run abdb verify other.svg
    fails 0 "still give this figure"
    printf 'x' | dd of=mlperf-llm.png bs=1 seek=2000 conv=notrunc status=none
    run abdb verify mlperf-llm.png
    fails 4 "was changed"
    printf 'x' | dd of=mlperf-llm.pdf bs=1 seek=2000 conv=notrunc status=none
    run abdb verify mlperf-llm.pdf
    fails 4 "was changed"
    sed -i 's/14313/15313/' mlperf-llm.csv
    rm mlperf-llm.tex
    run abdb verify mlperf-llm.json -o csv
    fails 4 "mlperf-llm.csv,edited: the bytes of the file"
    fails 4 "mlperf-llm.tex,edited: the file is missing"
}

@test "verify refuses hostile and foreign files" {
    pictures
    svg=post/mlperf-llm.svg
    refused() { run timeout 20 abdb verify "$1"; fails 6 "$2"; }
    refused none.svg "No such file"
    refused /dev/zero "no regular file"
    mkfifo pipe.svg && refused pipe.svg "no regular file"
    truncate -s 65M large.svg && refused large.svg "over 64 MiB"
    printf 'plain' >plain.txt && refused plain.txt "no SVG, PNG, PDF or HTML"
    : >empty.svg && refused empty.svg "no SVG"
    printf '<svg></svg>' >other.svg && refused other.svg "it carries no word of abdb's"
    mkdir folder && refused folder "no bundle"
    for cut in 8 20 41 2000 60000; do head -c $cut post/mlperf-llm.png >cut.png && refused cut.png "cut.png"; done
    python3 - <<'P'
import re, struct
png = open("post/mlperf-llm.png", "rb").read()
at = png.rindex(b"iTXtabdb") - 4
open("length.png", "wb").write(png[:at] + struct.pack(">I", 0xffffffff) + png[at + 4:])
open("wrong.png", "wb").write(png[:at + 60] + b"?" + png[at + 61:])
pdf = open("post/mlperf-llm.pdf", "rb").read()
open("open.pdf", "wb").write(pdf[:pdf.rindex(b")\n>>")])
P
    for f in length.png wrong.png open.pdf; do refused $f "it carries no word of abdb's"; done
    for text in '{}' '[1]' '{"figure":1,"data":2,"script":3}' "$(printf '[%.0s' {1..3000})" '{"figure":"peaks","figure":"peaks"}'; do
        printf '<svg><metadata id="abdb">%s</metadata>\n</svg>' "${text//\"/&quot;}" >odd.svg
        refused odd.svg "no word of abdb's"
    done
    printf '<svg><metadata id="abdb">{&quot;figure&quot;:&quot;../../etc/passwd&quot;,&quot;data&quot;:&quot;&quot;,&quot;script&quot;:&quot;&quot;}</metadata>\n</svg>' >odd.svg
    run abdb verify odd.svg
    fails 2 "no figure '../../etc/passwd'"
    cp "$svg" odd.svg && stamp odd.svg 'o["parameters"]["colour"] = "x"; again = True'
    run abdb verify odd.svg
    fails 2 "has no parameter 'colour'"
    cp "$svg" odd.svg && stamp odd.svg 'o["rows"] = "none"; o["keys"] = 7'
    run abdb verify odd.svg
    fails 4 "edited: the rows"
    python3 -c 'import json; o = json.load(open("post/mlperf-llm.json")); o["files"] = {"../t.db": "0"}; json.dump(o, open("post/mlperf-llm.json", "w"))'
    refused post "names a file that is none of a bundle"
    run abdb verify
    fails 2 "verify what?"
}

# Two SSH keys, of which signers lists the first, and the pictures as a bundle that it signed.
signed_bundle() {
    command -v ssh-keygen >/dev/null || skip "no ssh-keygen: apt-get install openssh-client"
    filled "$root/data"
    local made=$BATS_FILE_TMPDIR/signed
    [ -e "$made" ] || {
        mkdir "$made"
        for k in key other; do ssh-keygen -q -t ed25519 -N '' -C "" -f "$made/$k"; done
        echo "me@example.com,also@example.com namespaces=\"abdb-bundle\" $(cat "$made/key.pub")" >"$made/signers"
        abdb plot "${llm[@]}" --bundle "$made/post" --sign "$made/key" >"$made/printed"
    }
    cp -r "$made"/. .
}

@test "verify finds each of 100 changes to a signed bundle, a forged signature too" {
    signed_bundle
    same "$(tail -2 printed | sed 's|.*/||')" "mlperf-llm.manifest
mlperf-llm.manifest.sig"
    for f in post post/mlperf-llm.json; do
        run abdb verify $f --signed-by signers
        fails 0 "Signed by me@example.com; the facts of this database still give this figure"
    done
    ssh-keygen -q -Y verify -n abdb-bundle -I me@example.com -f signers -s post/mlperf-llm.manifest.sig <post/mlperf-llm.manifest
    python3 "$root/tests/fault/mutate_bundle.py" post signers 100
    # a change that only the signature gives away: the forger's digests fit
    python3 - <<'P'
import json
o = json.load(open("post/mlperf-llm.json"))
o["notes"][0] += " Official."
json.dump(o, open("post/mlperf-llm.json", "w"))
P
    run abdb verify post
    fails 0 "still give this figure"
    run abdb verify post --signed-by signers
    fails 4 "signed with another caption"
    # what was withdrawn since is no change of the bundle
    cp -r "$BATS_FILE_TMPDIR/signed/post" old
    for k in $(ask "SELECT key FROM v_statement WHERE public_id = 'v6.0-0010' AND model = 'llama2-70b-99' AND scenario = 'Server' AND metric = 'tokens_per_s'"); do
        abdb withdraw "$k" --reason test >/dev/null
    done
    run abdb verify old --signed-by signers
    fails 1 "give another figure now"
}

@test "verify names a signature of another key, for another purpose, of other bytes, and a missing one" {
    signed_bundle
    unsigned() { # WORDS: in what verify names
        run abdb verify post --signed-by signers -o csv
        fails 4 "post is not signed by a signer that signers lists"
        [[ $output == *"mlperf-llm.json,not signed,"*"$1"* ]] || { echo "$output"; false; }
        rm -r post && cp -r "$BATS_FILE_TMPDIR/signed/post" post
    }
    sign() { ssh-keygen -q -Y sign -f "$1" -n "$2" <post/mlperf-llm.manifest >post/mlperf-llm.manifest.sig; }
    sign other abdb-bundle
    unsigned "No principal matched"
    sign key file
    unsigned ""
    sed -i 's/abdb_bundle/abdb-bundle/' post/mlperf-llm.manifest
    unsigned "incorrect signature"
    rm post/mlperf-llm.manifest.sig
    unsigned "NAME.manifest.sig is missing"
    rm post/mlperf-llm.manifest
    unsigned "NAME.manifest is missing"
    echo "no signature" >post/mlperf-llm.manifest.sig
    unsigned "missing header"
    : >signers.none
    run abdb verify post --signed-by signers.none
    fails 4 "is not signed by a signer that signers.none lists"
    # what is no manifest of abdb, though it is signed
    for text in '{}' '[1]' 'x' '{"abdb_bundle":1}' '{"abdb_bundle":1,"figure":"mlperf-llm","files":{"../t.db":"0"},"rows":7,"lines":[1,[2],["a"]]}'; do
        printf %s "$text" >post/mlperf-llm.manifest
        sign key abdb-bundle
        run abdb verify post --signed-by signers
        [ "$status" = 4 ] || { echo "$text: $output"; false; }
    done
    rm -r post && cp -r "$BATS_FILE_TMPDIR/signed/post" post
    # the bundle under the name of another figure, one more beside it, and one that lost its files
    mkdir renamed && for f in post/*; do cp "$f" "renamed/${f/post\/mlperf-llm/training}"; done
    run abdb verify renamed --signed-by signers
    fails 4 "signed as another figure"
    cp post/mlperf-llm.json post/second.json
    run abdb verify post --signed-by signers
    fails 4 "second.json"
    rm post/*.json post/*.csv
    abdb verify post --signed-by signers -o csv >got.csv 2>said || [ $? = 4 ]
    for f in json csv; do grep -q "^mlperf-llm.$f,signed with a file that is missing" got.csv; done
}

@test "signing with an unusable key is refused, and leaves no bundle" {
    signed_bundle
    run abdb plot training --sign key
    fails 2 "--sign KEYFILE needs --bundle DIR"
    run abdb verify post/mlperf-llm.svg --signed-by signers
    fails 2 "bundles are signed"
    run abdb verify post --signed-by nosuch
    fails 6 "nosuch"
    ssh-keygen -q -t ed25519 -N secret -f locked
    for key in nosuch printed locked; do
        run abdb plot training --bundle b --sign $key
        fails 6 "ssh-keygen cannot sign with $key"
        [ ! -e b ]
    done
    cp key training.csv # which the bundle would replace
    run abdb plot training --bundle . --sign training.csv
    fails 2 "training.csv"
    cmp key training.csv
    mkdir bin
    printf '#!/bin/bash\nsleep 300\n' >bin/ssh-keygen
    chmod +x bin/ssh-keygen
    PATH=$dir/bin:$PATH run abdb plot training --bundle b --sign key --timeout 4
    fails 6 "time-out"
    PATH=$dir/bin:$PATH run abdb verify post --signed-by signers --timeout 1
    fails 6 "time-out"
    printf '#!/bin/bash\nyes\n' >bin/ssh-keygen
    PATH=$dir/bin:$PATH run abdb verify post --signed-by signers
    fails 6 "printed over"
    rm bin/ssh-keygen
    for program in gnuplot bash; do ln -s "$(command -v $program)" bin; done
    PATH=$build:$dir/bin run abdb plot training --bundle b --sign key
    fails 5 "apt-get install openssh-client"
    [ ! -e b ]
    PATH=$build:$dir/bin run abdb verify post --signed-by signers
    fails 5 "apt-get install openssh-client"
}

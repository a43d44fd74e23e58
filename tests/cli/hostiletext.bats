#!/usr/bin/env bats
# hostiletext.bats - hostile names in the outputs that other programs obey: JUnit, annotations of GitHub, completion of shells, manual pages.
load common

# Pairs of measurements whose cells, workloads and devices have these names.
hostile_cells() {
    python3 - <<'P' >cells.jsonl
import json
NAMES = ["%0A::error::x", "\n::set-output name=a::b", "\r\n::add-path::/x", "\x1b[31m", "\x01\x02\x08\x0b\x0c\x7f\x85", "\ufffe\uffff\ufdd0\U0001fffe\U0010ffff", "</testcase><failure/>",
         "]]>", "&evil;<!ENTITY x>", "$(touch pwned)", "`touch pwned`", "'; touch pwned; '", "\"; touch pwned; \"", ".so /etc/passwd\n.TH X", "\\*(x \\f[B]", "\u202e\u2066", "a::b,title=x",
         "##[error]x", "!x", "~/x", "a\tb", "x" * 3000, "a=b", "-x", "--out=written", "* ? [a]", "a b  c", "\u00e9"]
for i, name in enumerate(NAMES):
    for tag, factor in ("a", 1), ("b", 2):
        print(json.dumps({"record": "entry", "factor": {"node": "n"}, "field": {"evidence": "measured", "kind": "run", "source": "abdb-run", "verified": "pass", "workload": name,
            "device": name, "backend": "ref", "date": "2026-03-01T08:00:00Z", "campaign": f"c-{tag}", "cell": name, "tag": tag},
            "result": [{"metric": "time_s", "statistic": "median", "value": factor, "n": 5}]}))
P
    filled cells.jsonl 2>/dev/null
    cells=28
}

@test "JUnit is valid XML for two parsers, with one case for each name, also for hostile names" {
    hostile_cells
    run bash -c 'abdb compare tag=a tag=b -o junit >gate.xml 2>/dev/null'
    [ "$status" = 1 ]
    if command -v xmllint >/dev/null; then xmllint --noout --nonet gate.xml; fi
    python3 - $cells <<'P'
import sys, xml.etree.ElementTree as e
root = e.parse("gate.xml").getroot()
cases = list(root.iter("testcase"))
assert len(cases) == int(sys.argv[1]) and not list(root.iter("failure")), (len(cases), list(root.iter("failure")))
assert {x.tag for x in root.iter()} <= {"testsuites", "testsuite", "testcase", "error", "system-out", "properties", "property"}, {x.tag for x in root.iter()}
assert any("</testcase><failure/>" in c.get("name") for c in cases)
P
}

@test "each line of annotations is one command, also for hostile names" {
    hostile_cells
    run bash -c 'abdb compare tag=a tag=b -o github >lines 2>/dev/null'
    [ "$status" = 1 ]
    same "$(wc -l <lines)" $((cells + 1))
    python3 - <<'P'
import re
for line in open("lines", encoding="utf-8", newline="\n"):
    # as GitHub's runner reads one: ::NAME KEY=VALUE,...::TEXT, values end at "," and "::"
    command = re.fullmatch(r"::(error|warning|notice) title=([^,:\r\n]*)::(stated: |\d+ cells, )[^\r\n]*\n", line)
    assert command, line
P
}

@test "completion inserts one quoted word, runs no name and takes no name for an option" {
    hostile_cells
    abdb help --complete -- compare "" >offered
    no grep -q '^-' offered
    grep -qF '$(touch pwned)' offered
    for shell in bash zsh fish; do
        abdb help --completion $shell >abdb.$shell 2>/dev/null || cp "$build/doc/abdb.$shell" abdb.$shell
    done
    cat >insert.bash <<'B'
source ./abdb.bash
COMP_WORDS=(abdb compare "$1") COMP_CWORD=2
_abdb
for word in "${COMPREPLY[@]}"; do
    eval "inserted=($word)" # as a shell reads the line in which it stands
    [ ${#inserted[@]} = 1 ] || { echo "several words: $word"; exit 1; }
    printf '%s\n' "${inserted[0]}"
done
B
    bash insert.bash "" >inserted
    diff <(cut -f1 offered | sort -u) <(sort -u inserted)
    bash insert.bash "device=" | grep -qF '$(touch pwned)'
    if command -v zsh >/dev/null; then
        zsh -fc 'compdef() { :; }; _describe() { shift 2; print -rl -- "${(@P)1}"; }; _files() { :; }; words=(abdb compare ""); CURRENT=3; source ./abdb.zsh; _abdb' >/dev/null
    fi
    if command -v fish >/dev/null; then fish --no-config -c 'source ./abdb.fish; complete -C "abdb compare "' >/dev/null; fi
    [ ! -e pwned ]
    [ ! -e written ]
}

@test "a manual page has no text of user files, and hostile lines in it are escaped" {
    mkdir -p own/reports own/figures
    export ABDB_PATH=$dir/own
    printf -- '-- title: .so /etc/passwd\n-- question: \\*(x .so /etc/passwd\n-- param: x | text | | .so /etc/passwd\nSELECT 1 AS a' >own/reports/evil.sql
    abdb help --man >with.1 2>/dev/null || skip "this build prints no manual"
    ABDB_PATH=/nonexistent abdb help --man >without.1
    cmp with.1 without.1
    no grep -nE '^\.(so|sy|pso|open|mso|cf|trf|pi)' with.1
}

#!/usr/bin/env bats
# hostilesite.bats - explore.html operated in a browser with hostile names of devices, providers, models and systems: every control is used, and no
# script runs, no element comes of a name, the console stays empty and no request leaves.
load common

# Results and prices whose names are programs of four languages.
hostile_rows() {
    python3 - <<'P'
import json
NAMES = ["<img src=x onerror=window.pwned=1>", "\"><svg onload=window.pwned=2>", "</script><script>window.pwned=3</script>", "'; touch pwned; '", "$(touch pwned)", "`touch pwned`",
         "${window.pwned=4}", "{{constructor.constructor('window.pwned=5')()}}", "__proto__", "=HYPERLINK(\"http://x\")", "a,b=c&d#e%00", "javascript:window.pwned=6", "\u2028window.pwned=7//"]
with open("evil.jsonl", "w", encoding="utf-8") as out:
    for i, name in enumerate(NAMES):
        for model in NAMES[0], NAMES[3] + NAMES[4]:
            print(json.dumps({"record": "entry", "field": {"evidence": "mlperf", "kind": "score", "suite": "inference", "round": "v6.0", "division": "closed", "source": f"s{i}",
                "submitter": name, "system": name, "model": model, "scenario": "Offline", "device": name, "devices": str(i + 1), "verified": "yes", "public_id": f"6.0-{1000 + i}",
                "url": "javascript:window.pwned=8"}, "result": [{"metric": "tokens_per_s", "statistic": "value", "value": 1000 + i}]}), file=out)
P
}

@test "hostile names in explore.html run no script, send no data, and are quoted in the command" {
    command -v chromium >/dev/null || skip "no chromium: apt-get install chromium"
    hostile_rows
    abdb import -q evil.jsonl
    abdb site --out s >/dev/null
    run python3 "$root/tests/pages/check_explore.py" "$ABDB_DB" s operated
    fails 0 "controls used"
    [ -z "$(find . -name pwned)" ]
}

#!/usr/bin/env bash
# wasm.sh - the tests of the verbs that answer, run through abdb.wasm under node: an `abdb` that hands these verbs to it stands in the place
# of the program, which still does the rest (import, plot, ...). Needs node and build/abdb.wasm (make wasm). Part of make soak.
#   tests/campaigns/wasm.sh [FILE.bats...]
# Tests of what a program without files, processes and a terminal cannot do are in wasm_except.tsv, with the reason; one that passes there
# is an error, too. Exit 1: a test fails that is not listed, or a listed one passes.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
command -v node >/dev/null || { echo "SKIP wasm: no node (apt-get install nodejs)"; exit 0; }
[ -e "$build/abdb.wasm" ] || { echo "SKIP wasm: no $build/abdb.wasm (make wasm)"; exit 0; }
files=("$@")
[ $# -gt 0 ] || files=(tests/cli/{query,compare,choose,choose_order,why,evidence,claims,conditions,curves,power,answers,ranges}.bats)
for file in "${files[@]}"; do [ -e "$file" ] || { echo "wasm.sh: no $file" >&2; exit 2; }; done

# A folder with all of the build but the program, and the program that stands for it.
stand_in=$build-through-wasm
rm -rf "$stand_in" && mkdir "$stand_in"
for file in "$build"/*; do ln -s "../$file" "$stand_in/"; done
rm "$stand_in/abdb"
cat >"$stand_in/run.mjs" <<'J'
import { readFileSync } from "node:fs";
import { WASI } from "node:wasi";
const wasi = new WASI({ version: "preview1", args: ["abdb", ...process.argv.slice(3)], env: process.env, preopens: { "/": "/" }, returnOnExit: true });
const { instance } = await WebAssembly.instantiate(readFileSync(process.argv[2]), { wasi_snapshot_preview1: wasi.wasiImport });
process.exitCode = wasi.start(instance);
J
cat >"$stand_in/abdb" <<S
#!/usr/bin/env bash
case \${1-} in
audit | choose | compare | explain | query | rank | why) exec node --no-warnings "$PWD/$stand_in/run.mjs" "$PWD/$build/abdb.wasm" "\$@" ;;
esac
exec "$PWD/$build/abdb" "\$@"
S
chmod +x "$stand_in/abdb"

except=tests/campaigns/wasm_except.tsv failed=0 ran=0 excepted=0
while IFS= read -r line; do
    case $line in
    "ok "*"# skip"*) ;;
    "ok "*)
        ran=$((ran + 1)) name=${line#ok * }
        grep -qF -- "$name"$'\t' "$except" && { echo "passes, but is listed in $except: $name"; failed=$((failed + 1)); }
        ;;
    "not ok "*)
        ran=$((ran + 1)) name=${line#not ok * } quiet=
        if grep -qF -- "$name"$'\t' "$except"; then excepted=$((excepted + 1)) quiet=yes; else failed=$((failed + 1)) && echo "$line"; fi
        ;;
    "#"*) [ -n "${quiet-}" ] || echo "$line" ;;
    esac
    [[ $line == ok* ]] && quiet=yes
done < <(BUILD=$stand_in bats "${files[@]}" || true)
rm -rf "$stand_in"
echo "$ran tests through abdb.wasm: $excepted of what it cannot do, $failed wrong"
if [ "$ran" -eq 0 ] || [ "$failed" -gt 0 ]; then exit 1; fi

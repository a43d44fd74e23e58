#!/usr/bin/env bash
# site.sh - a site of the shipped data and 10,000 results more (RESULTS): processor seconds to write it, bytes, and
# milliseconds until explore.html has drawn, in Chromium. Nothing here is a threshold: machines are shared and noisy.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=$PWD/${BUILD:-build}
. tests/checks/need.bash
need python3 "$build/abdb"
results=${RESULTS:-10000}
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
export ABDB_PATH=/nonexistent PATH=$build:$PATH

cpu() { # processor seconds of a command, its children with it
    local TIMEFORMAT='%U %S'
    { time "$@" >/dev/null 2>&1; } 2>&1 | awk '{ print $1 + $2 }'
}
# A round of many submitters, as the submission checker writes one.
awk -v n="$results" 'BEGIN { srand(1)
    split("H200-SXM-141GB,B200-SXM-180GB,H100-SXM-80GB,L40S,GB200,B300-SXM-288GB", device, ","); split("llama2-70b-99,llama2-70b-99.9,mixtral-8x7b,resnet,retinanet,3d-unet-99", model, ",")
    split("v4.0,v4.1,v5.0,v5.1,v6.0", round, ","); split("Offline,Server", scenario, ",")
    print "Organization,Availability,Division,SystemType,SystemName,Platform,Model,MlperfModel,Scenario,Result,number_of_nodes,host_processor_model_name,accelerator_model_name,accelerators_per_node,total_accelerators,Location,framework,version,inferred,has_power,Units,weight_data_types"
    for (i = 0; i < n; i++) { m = model[i % 6 + 1]; k = 2 ^ (i % 4); box = int(rand() * 200)
        printf "Org%d,available,closed,datacenter,box%d %dx,box%d,%s,%s,%s,%.2f,1,CPU,NVIDIA %s,%d,%d,closed/x/%d,rt,%s,0,False,%s,fp8\n", int(rand() * 40), box, k, box, m, m, scenario[int(i / 6) % 2 + 1], (1000 + 4000 * rand()) * k, device[int(rand() * 6) + 1], k, k, i, round[int(rand() * 5) + 1], m ~ /l.*-8|llama/ ? "Tokens/s" : "Samples/s" } }' >"$dir/round.csv"
abdb import -q data --db "$dir/small.db"
cp "$dir/small.db" "$dir/large.db"
abdb import -q "$dir/round.csv" --db "$dir/large.db"
count() { abdb query "SELECT count(*) AS n FROM v_comparable" --db "$dir/$1.db" -o csv | tail -1; }
for size in small large; do
    s=$(cpu abdb site --out "$dir/$size" --db "$dir/$size.db")
    echo "site      $(count $size) results: $s s of processor time, $(du -sb "$dir/$size" | cut -f1) bytes, explore.html $(stat -c %s "$dir/$size/explore.html")"
done
if command -v chromium >/dev/null && [ -e "$dir/large/d3.min.js" ]; then
    echo "explore   $(python3 tests/pages/check_explore.py "$dir/large.db" "$dir/large" soon) (goal 1000)"
else
    echo "explore   not tried: apt-get install chromium node-d3"
fi

#!/usr/bin/env bats
# adding.bats - a report, a figure and a map are one file each: in a copy of the tree, built anew, with the rules of the tree kept.
load common

@test "one new file each adds a report, a figure and a map" {
    [ "${BUILD:-build}" = build ] || skip "once is enough"
    mkdir copy
    (cd "$root" && git ls-files -z --cached --others --exclude-standard | grep -zv '^tests/\(cli\|golden\|unit\)' | xargs -0 cp -a --parents -t "$dir/copy" 2>/dev/null) || true
    cp -a "$root/build" copy/build
    cd copy
    cat >query/reports/makers.sql <<'R'
-- title: Makers of devices
-- column: n | devices | 0 | how many
SELECT vendor, count(*) AS n FROM v_device GROUP BY vendor ORDER BY n DESC, vendor;
R
    cat >plots/figures/makers.gp <<'F'
# title: Makers of devices
# report: makers
# needs: n
# levels: vendor
# size: 720,130
# grow: 22 rows
set yrange [rows + 0.5 : 0.5] noreverse
plot $data using (column(c_n)):(column(c_vendor_level)) with points lt 1 notitle
F
    cat >ingest/maps/rack.map <<'M'
name    rack
summary Our own list of racks (CSV)
match   Rack Card Watts
field   device column Card
spec    power  column Watts  unit W
M
    make -s build/abdb 2>&1 | grep -v "^  " || true
    export PATH=$PWD/build:$PATH
    abdb init >/dev/null # its devices are those of the vocabulary
    abdb query makers | grep -q NVIDIA
    abdb query --all | grep -q "makers"
    abdb plot makers --out makers.svg
    grep -q "Makers of devices" makers.svg
    abdb plot | grep -q makers
    printf 'Rack,Card,Watts\nR1,H100-SXM,700\n' >racks.csv
    run abdb import racks.csv --set source=us
    fails 0 "1 row"
    same "$(git -C "$root" ls-files >/dev/null; bash tests/checks/tidy.sh | grep -A3 '^not ok' | grep -v 'second thread\|no binary\|one machine' || true)" ""
}

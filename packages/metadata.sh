#!/usr/bin/env bash
# metadata.sh - FOLDER: what Python wants to know of the module that is installed there, so that pip lists it and pytest finds the plug-in.
set -euo pipefail
cd "$(dirname "$0")/.."
version=$(sed -n 's/^#define ABDB_VERSION "\(.*\)"/\1/p' schema/core/version.h)
info=$1/abdb-$version.dist-info
mkdir -p "$info"
cat >"$info/METADATA" <<EOF
Metadata-Version: 2.1
Name: abdb
Version: $version
Summary: Which accelerator is faster, by how much and per dollar: MLPerf results, published figures and your own measurements in one SQLite file
License: Apache-2.0
Requires-Python: >=3.9
Description-Content-Type: text/markdown
Classifier: Operating System :: POSIX :: Linux
Classifier: Framework :: Pytest
Classifier: Topic :: System :: Benchmark

$(cat query/python/README.md)
EOF
printf '[pytest11]\nabdb = abdb.pytest_plugin\n' >"$info/entry_points.txt"

#!/usr/bin/env bash
# kernels.sh - wrong kernels must not pass verification: builds each of tests/mutants/kernels.txt and tries it (part of make soak).
# --few: those of make test; --only REGEX; --minutes N: what was judged is kept, the next call goes on; --check: does the table fit the sources?
set -euo pipefail
cd "$(dirname "$0")/../.."
[[ " $* " == *" --check "* ]] || make -s outputs
exec python3 tests/mutants/campaign.py "$@"

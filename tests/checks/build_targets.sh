#!/usr/bin/env bash
# build_targets.sh - makes what a test needs and `make` alone does not build: build_targets.sh TARGET..., names below $BUILD ("unit/migration"). What is
# there already stays as it is. Two that ask at once wait for each other.
set -euo pipefail
cd "$(dirname "$0")/../.."
build=${BUILD:-build}
missing=()
for target in "$@"; do [ -e "$build/$target" ] || missing+=("$build/$target"); done
[ ${#missing[@]} -gt 0 ] || exit 0
# a folder that a setting of the Makefile names is built by that setting, or all of it would be built again by another
case $(basename "$build") in
build-sanitize) settings=(SANITIZE=1) ;;
build-thread | build-fuzz | build-coverage) settings=(SANITIZE="${build##*build-}") ;;
build-static) settings=(STATIC=1) ;;
*) settings=(BUILD="$build") ;;
esac
mkdir -p "$build"
# no jobs of a make that called us: its descriptors are closed here
env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS flock "$build/built.lock" make -s -j"$(nproc)" "${settings[@]}" "${missing[@]}" >&2

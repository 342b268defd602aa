# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash
# What the scripts share. Sourced, after `set -eu`.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cores=$(nproc 2>/dev/null || echo 2)

say() { printf '%s: %s\n' "$(basename "$0")" "$*" >&2; }
die() { say "$@"; exit 2; }

# build PRESET [TARGET...]: configure if need be, then build.
build() {
	local preset=$1 log
	shift
	if ! [ -f "$root/build/$preset/build.ninja" ]; then
		say "configuring $preset"
		log=$(mktemp)
		if ! (cd "$root" && cmake --preset "$preset") >"$log" 2>&1 </dev/null; then
			cat "$log" >&2
			rm -f "$log"
			die "cmake could not configure the preset $preset"
		fi
		rm -f "$log"
	fi
	say "building $preset${*:+: $*}"
	ninja -C "$root/build/$preset" -j "$cores" --quiet "$@" </dev/null >&2
}

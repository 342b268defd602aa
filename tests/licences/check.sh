#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# check.sh SOURCE_DIR LIBRARY...: every source file names its licence; what is loaded into other people's processes is
# BSD-2-Clause, includes nothing of ours that is not, and links nothing but libc, and libgcc_s (docs/decisions/0003); what stands before
# libstdc++ may link that (0077).
set -u
cd "$1" || exit 2
shift
failed=0
complain() { echo "$*"; failed=1; }

# Tracked files, or all if this is no checkout.
files() {
	if git rev-parse --git-dir >/dev/null 2>&1; then git ls-files -co --exclude-standard; else find . -type f | sed 's,^\./,,' | grep -v '^build/'; fi
}
is_source() {
	case $1 in
	LICENSES/* | tests/golden/*/*/* | tests/fuzz/corpus/* | data/traces/* | data/schema/* | *.json | *.clang-format | *.clang-tidy) return 1 ;;
	*.c | *.h | *.cc | *.S | *.def | *.py | *.sh | *.cmake | CMakeLists.txt | */CMakeLists.txt | script/* | .ci/*) return 0 ;;
	*) return 1 ;;
	esac
}
# Goes into the traced process.
is_guest() {
	case $1 in
	runtime/*.[chS] | runtime/*.cc | runtime/*.map | runtime/*.def | */vtb/wire.h | */vtb/wire_slot.h | */vtb/walk.h | */vtb/pad_site.h | */vtb/events.def | */vtb/events.h | */vtb/verdicts.def | */vtb/fsview.h | common/src/fsview/*.[ch]) return 0 ;;
	*) return 1 ;;
	esac
}

sources() {
	for file in $(files); do
		if [ -f "$file" ] && is_source "$file"; then echo "$file"; fi
	done
}
# FILE:LICENCE of each, one process for all of them.
named_licences() {
	# shellcheck disable=SC2016 # awk's own
	sources | xargs awk '
		FNR == 1 { if (name != "") print name ":" licence; name = FILENAME; licence = "" }
		FNR <= 5 && licence == "" && match($0, /SPDX-License-Identifier: [A-Za-z0-9.-]*/) { licence = substr($0, RSTART + 25, RLENGTH - 25) }
		END { if (name != "") print name ":" licence }'
}

for entry in $(named_licences); do
	file=${entry%:*}
	line=${entry##*:}
	case $line in
	GPL-2.0-or-later | BSD-2-Clause) [ -f "LICENSES/$line.txt" ] || complain "LICENSES/$line.txt is missing" ;;
	"") complain "$file: no SPDX line in its first five lines"; continue ;;
	*) complain "$file: licence $line is not one of ours" ;;
	esac
	is_guest "$file" || continue
	[ "$line" = BSD-2-Clause ] || complain "$file: is loaded into the program under test, so it must be BSD-2-Clause, not $line"
	# shellcheck disable=SC2013 # names of headers have no spaces
	for header in $(sed -n 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*"\([^"]*\)".*/\1/p' "$file"); do
		case $header in
		vtb/wire.h | vtb/wire_slot.h | vtb/walk.h | vtb/pad_site.h | vtb/events.def | vtb/events.h | vtb/verdicts.def | vtb/fsview.h) continue ;;
		esac
		# Its own headers lie beside it or in another room of the runtime, and are checked like it.
		found=
		for dir in "$(dirname "$file")" runtime/*/ runtime/*/*/; do
			[ -f "$dir/$header" ] && found=$dir/$header && break
		done
		[ -n "$found" ] || complain "$file: includes \"$header\", which is not part of the runtime"
	done
done

for library in "$@"; do
	[ -f "$library" ] || { complain "$library was not built"; continue; }
	needs=$(readelf -d "$library" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p')
	[ -n "$needs" ] || complain "$library: readelf does not say what it links"
	for needed in $needs; do
		case $needed in
		libc.so.6 | ld-linux-x86-64.so.2 | libgcc_s.so.1 | libvtb-rt.so) ;;
		libstdc++.so.6) [ "${library##*/}" = libvtb-cxx.so ] || complain "$library: links $needed" ;; # loaded only where that is
		*) complain "$library: links $needed" ;;
		esac
	done
done
exit "$failed"

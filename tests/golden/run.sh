#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Run one golden case: run.sh BIN_DIR CASE_DIR
#
#   cmd        one shell line, run in a temporary copy of the case directory with BIN_DIR first in PATH, stdin empty
#   in.*       its input files; $VTB_SOURCE_DIR names the source tree for fixtures that several cases share
#   out, err   expected stdout and stderr (missing: must be empty)
#   code       expected exit code (missing: 0)
#   want.NAME  expected content of the file NAME that the command writes
#   filter     optional sed script, applied to what was printed and to the files before they are compared;
#              before it that of the tool, CASE_DIR/../filter, where there is one
#
# VTB_UPDATE_GOLDEN=1 rewrites out, err, code and every want.NAME; review the diff. Exit 77: skipped, by the command.
set -u

bin=$1
case_dir=$2
tmp=$(mktemp -d "${TMPDIR:-/tmp}/vtb-golden.XXXXXX") || exit 2
trap 'rm -rf "$tmp"' EXIT
trap 'exit 2' INT TERM

cp -R "$case_dir/." "$tmp/work" && mkdir "$tmp/got" || exit 2
rm -f "$tmp/work/out" "$tmp/work/err"
unset VTB_LOG COLUMNS MAKEFLAGS
export LC_ALL=C TZ=UTC NO_COLOR=1 TERM=dumb PATH="$bin:$PATH"

(cd "$tmp/work" && sh ./cmd) >"$tmp/got/out" 2>"$tmp/got/err" </dev/null
code=$?
[ "$code" = 77 ] && exit 77
[ "$code" = 0 ] || echo "$code" >"$tmp/got/code"
for want in "$case_dir"/want.*; do
	[ -e "$want" ] || continue
	name=$(basename "$want")
	cp "$tmp/work/${name#want.}" "$tmp/got/$name" 2>/dev/null || : >"$tmp/got/$name.missing"
done
for filter in "$case_dir/../filter" "$case_dir/filter"; do
	[ -e "$filter" ] || continue
	for file in "$tmp"/got/*; do
		sed -E -i -f "$filter" "$file" || exit 2
	done
done

if [ "${VTB_UPDATE_GOLDEN:-0}" = 1 ]; then
	rm -f "$case_dir/out" "$case_dir/err" "$case_dir/code"
	for file in "$tmp"/got/*; do
		[ -s "$file" ] && cp "$file" "$case_dir/"
	done
	exit 0
fi

failed=0
for name in out err code; do
	expected=$case_dir/$name
	[ -e "$expected" ] || expected=/dev/null
	got=$tmp/got/$name
	[ -e "$got" ] || got=/dev/null
	diff -u --label "expected $name" --label "$name" "$expected" "$got" || failed=1
done
for want in "$case_dir"/want.*; do
	[ -e "$want" ] || continue
	diff -u --label "expected $(basename "$want")" --label "written" "$want" "$tmp/got/$(basename "$want")" || failed=1
done
exit $failed

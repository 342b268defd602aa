#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# sanitizers.sh SOURCE_DIR: what script/test found under the sanitizers just before, so that one summary counts all failures. What was found
# of another build says nothing of this one.
set -u
build=$1/build/asan-ubsan
status=$build/script-test-status
[ -f "$status" ] || { echo "skipped: script/test has not run the sanitized build"; exit 77; }
newer=$(find "$build/bin" "$build/lib" "$build/tests" -type f -newer "$status" 2>/dev/null | head -n 1)
[ -z "$newer" ] || { echo "$status is older than $newer: run script/test --asan"; exit 1; }
[ "$(cat "$status")" = 0 ] || { echo "tests failed under the sanitizers: see build/asan-ubsan/Testing/Temporary/LastTest.log"; exit 1; }

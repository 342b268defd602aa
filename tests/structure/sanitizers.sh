#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# sanitizers.sh SOURCE_DIR: what script/test found under the sanitizers just before, so that one summary counts all failures.
set -u
status=$1/build/asan-ubsan/script-test-status
[ -f "$status" ] || { echo "skipped: script/test has not run the sanitized build"; exit 77; }
[ "$(cat "$status")" = 0 ] || { echo "tests failed under the sanitizers: see build/asan-ubsan/Testing/Temporary/LastTest.log"; exit 1; }

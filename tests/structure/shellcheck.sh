#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Usage: shellcheck.sh SOURCE_DIR. Every shell script is clean.
set -u
cd "$1" || exit 2
command -v shellcheck >/dev/null || { echo "skipped: no shellcheck"; exit 77; }
# shellcheck disable=SC2046 # our file names have no spaces
shellcheck -x $(find script .ci tests -type f -not -path '*/golden/*/*/*' -exec grep -lE '^#!/bin/(ba)?sh' {} +) script/lib.sh

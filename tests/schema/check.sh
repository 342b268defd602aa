#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Validate freshly written files, the examples in docs/format, the fixtures, and files that must not be valid:
# check.sh PYTHON SOURCE_DIR WRITER
set -eu

tmp=$(mktemp -d "${TMPDIR:-/tmp}/vtb-schema.XXXXXX")
trap 'rm -rf "$tmp"' EXIT
"$3" "$tmp"
"$1" "$2/tests/schema/validate.py" "$2/data/schema" "$tmp"/*.json "$2"/data/traces/*.json "$2"/tests/schema/bad/*.json

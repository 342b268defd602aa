#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Usage: without_pt.sh SOURCE_DIR CMAKE GENERATOR. The tools build with -DVTB_PT=OFF and need no libipt; recordings with packets and the
# backends that write them are refused in one line, and what has no packets is decoded as ever.
set -u
work=$(mktemp -d /tmp/vtb-without-pt.XXXXXX) || exit 2
trap 'rm -rf "$work"' EXIT

build() # build CMAKE SOURCE_DIR GENERATOR
{
	"$1" -S "$2" -B "$work/build" -G "$3" -DVTB_PT=OFF -DCMAKE_BUILD_TYPE=Debug -DCMAKE_C_FLAGS_DEBUG=-O0 &&
		"$1" --build "$work/build" --parallel 2 --target vtb-decode vtb-record make-recording
}

if ! build "$2" "$1" "$3" >"$work/log" 2>&1; then
	tail -n 40 "$work/log"
	exit 1
fi
PATH=$work/build/bin:$PATH
cd "$work" || exit 2
bad=0
wrong()
{
	echo "$*"
	bad=1
}

refused() # refused EXIT_CODE COMMAND...: with this code, and one line that says why
{
	expected=$1
	shift
	"$@" >out 2>err
	code=$?
	[ "$code" = "$expected" ] || wrong "$*: exit $code, not $expected"
	[ "$(wc -l <err)" = 1 ] || wrong "$*: not one line: $(cat err)"
	grep -q 'this build has no Intel PT support' err || wrong "$*: does not say why: $(cat err)"
	[ ! -s out ] || wrong "$*: prints $(cat out)"
}

for tool in vtb-decode vtb-record; do
	ldd "build/bin/$tool" >libraries || wrong "$tool: no program for ldd"
	! grep libipt libraries || wrong "$tool: needs libipt"
done
mkdir packets joined && : >packets/pt.json && : >joined/process.vtb && : >joined/perf.data
printf PERFILE2 >perf.data
refused 2 vtb-decode packets
refused 2 vtb-decode joined
refused 2 vtb-decode perf.data
refused 125 vtb-record --backend=step true
refused 125 vtb-record --backend=pt true
[ ! -e run.vtb ] || wrong "a backend that is not there left a recording"
make-recording good run.vtb || wrong "no recording"
vtb-decode run.vtb >out 2>err # 3: its program is invented
[ $? = 3 ] || wrong "a recording without packets: $(cat out err)"
diff out "$1/tests/golden/vtb-decode/good/out" || wrong "a recording without packets is decoded differently"
exit "$bad"

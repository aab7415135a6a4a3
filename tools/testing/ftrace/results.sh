# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=sh
#
# For the suites in these folders, which have $out, a scratch directory, and
# $failed, whether something went wrong.

# results NR PROGRAM: what it says; NR of them, or something did not run
results()
{
	"$2" >"$out/said" 2>&1
	ended=$?
	cat "$out/said"
	got=$(grep -c -e '^ok - ' -e '^not ok - ' "$out/said")
	[ "$got" = "$1" ] || echo "not ok - ${2##*/} has $1 results, not $got"
	[ "$ended" = 0 ] && [ "$got" = "$1" ] || failed=1
}

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# What of the tracer can be proven without a kernel: its suites in user space,
# one after the other. See the head of each for what it needs.
here=$(cd "$(dirname "$0")" && pwd)
status=0

[ -n "$BASE" ] && export KSRC="${KSRC:-$BASE}"
for suite in core change graph tramp; do
	# A suite that dies without a word is a result, too.
	said=$(sh "$here/$suite/run.sh" 2>&1)
	ended=$?
	printf '%s\n' "$said" | sed "s/^\(ok\|not ok\) - /&$suite: /"
	case $said in
	*"not ok - "*) status=1 ;;
	*"ok - "*)
		[ "$ended" -eq 0 ] && continue
		echo "not ok - $suite: ended with status $ended"
		status=1 ;;
	*)
		echo "not ok - $suite: has no results, status $ended"
		status=1 ;;
	esac
done
exit $status

# SPDX-License-Identifier: GPL-2.0
#
# For jobs that do several things, each with a result of its own in KTAP, by the
# kernel's own helpers. The kernel command line may choose parts (parts=a,b,c;
# seconds=N that each goes on; seed=N); the job sets its defaults before.
. /usr/share/kselftest/ktap_helpers.sh
ktap_print_header

for word in $(cat /proc/cmdline); do
	case $word in
	parts=* | "${0##*/}".parts=*) parts=${word#*parts=} ;;
	seconds=*) seconds=${word#seconds=} ;;
	seed=*) seed=${word#seed=} ;;
	esac
done
known=

has()
{
	known=$known,$1
	case ,$parts, in
	*,"$1",*) return 0 ;;
	esac
	return 1
}

# What the kernel says from here on is said in the test of that name.
mark()
{
	echo "test: $1" >/dev/kmsg
}

# result NAME COMMAND...: one line, with the command's last words if it fails. What
# goes on beside it ends when it sees /tmp/enough.
result()
{
	local name=$1
	shift
	mark "$name"
	if "$@" >/tmp/said 2>&1; then
		ktap_test_pass "$name"
		sed -n 's/^figure: /# /p' /tmp/said | tail -n 1
	else
		ktap_test_fail "$name"
		tail -n 20 /tmp/said | sed 's/^/# /'
		: >/tmp/enough
		wait
	fi
}

# verdict NAME [WHY]: one line; good without a reason
verdict()
{
	if [ -z "$2" ]; then
		ktap_test_pass "$1"
	else
		ktap_test_fail "$1"
		echo "$2" | sed 's/^/# /'
	fi
}

# What a module's file says, unless that is "ok": a reason for verdict().
complaint()
{
	local said=$(cat "$1" 2>&1)
	[ "$said" = ok ] || echo "${said:-the module says nothing}"
}

# End the job. One that has no result, or was asked for a part that it does not
# have, has failed.
finish()
{
	local part
	for part in $(echo "${parts:-}" | tr , ' '); do
		case $known, in
		*,"$part",*) ;;
		*) verdict "there is a part $part" "the job knows $known" ;;
		esac
	done
	[ "$KTAP_TESTNO" -gt 1 ] || verdict "there is a result" "of all parts, none ran"
	ktap_set_plan $((KTAP_TESTNO - 1))
	ktap_finished
}

# NMIs of the first two processors since boot.
nmis()
{
	awk '$1 == "NMI:" { print $2 + $3 }' /proc/interrupts
}

# All processors but the first go off line and come back, one after the other.
switch_processors()
{
	local cpu
	for cpu in /sys/devices/system/cpu/cpu[1-9]*/online; do
		echo 0 >"$cpu" && echo 1 >"$cpu" || return 1
	done
}

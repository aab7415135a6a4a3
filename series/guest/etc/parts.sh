# SPDX-License-Identifier: GPL-2.0
#
# For jobs that do several things, each with a result of its own: says "ok - name"
# or "not ok - name" for those that the kernel command line asks for (parts=a,b,c;
# seconds=N that each goes on; seed=N). The job sets what it has of these before.
for word in $(cat /proc/cmdline); do
	case $word in
	parts=*) parts=${word#parts=} ;;
	seconds=*) seconds=${word#seconds=} ;;
	seed=*) seed=${word#seed=} ;;
	esac
done
failed=0

has()
{
	case ,$parts, in
	*,"$1",*) return 0 ;;
	esac
	return 1
}

# result NAME COMMAND...: one line, with the command's last words if it fails. What
# goes on beside it ends when it sees /tmp/enough.
result()
{
	local name=$1
	shift
	if "$@" >/tmp/said 2>&1; then
		echo "ok - $name$(sed -n 's/^figure: / (/p' /tmp/said | tail -n 1 | sed 's/$/)/')"
	else
		echo "not ok - $name"
		tail -n 20 /tmp/said | sed 's/^/# /'
		failed=1
		: >/tmp/enough
		wait
	fi
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

# SPDX-License-Identifier: GPL-2.0
#
# For tests in bash of several parts, each with results of its own in KTAP. A test sets
# what its parameters are by default and then sources this file. From the environment
# or an argument, which counts more, come
#	parts=A,B,C	what to run
#	seconds=N	for how long, each
#	seed=N		of random numbers; 0 is another one each time
# and what the test has besides.
. "${BASH_SOURCE[0]%/*}/../kselftest/ktap_helpers.sh"
ktap_print_header

for word; do
	case $word in
	[a-z]*=*) declare "$word" ;;
	*) ktap_exit_fail_msg "no parameter: $word" ;;
	esac
done
known=
home=$(cd "$(dirname "$0")" && pwd)
PATH=$home:$PATH
tmp=$(mktemp -d)
declare -A old_value
trap at_exit EXIT

# keep FILE...: when the test ends they have the values that they have now, which may be
# one of a list, in brackets, or have more said of it behind a space
keep()
{
	local file
	for file; do
		[ -n "${old_value[$file]-}" ] ||
			old_value[$file]=$(sed 's/.*\[\(.*\)\].*/\1/; s/ .*//' "$file")
	done
}

# change FILE VALUE: until the test ends
change()
{
	keep "$1"
	echo "$2" >"$1"
}

at_exit()
{
	local file
	for file in "${!old_value[@]}"; do
		# A failure here is not the test's, also under "set -e".
		echo "${old_value[$file]}" >"$file" || :
	done 2>/dev/null
	rm -rf "$tmp"
}

# Or the kernel drops marks. It refuses that where the command line has it.
change /proc/sys/kernel/printk_devkmsg on 2>/dev/null || :

skip_all()
{
	ktap_skip_all "$1"
	exit "$KSFT_SKIP"
}

# want FILE...: run nothing without root and these files
want()
{
	local file
	[ "$(id -u)" = 0 ] || skip_all "wants root"
	for file; do
		[ -e "$file" ] || skip_all "there is no $file"
	done
}

# in_tracefs FILE...: go there, where nobody else may trace; run nothing without these files
in_tracefs()
{
	want /sys/kernel/tracing
	cd /sys/kernel/tracing || exit
	[ -e trace ] || { mount -t tracefs nodev . && cd "$PWD"; }
	want current_tracer enabled_functions "$@"
	[ "$(cat current_tracer)" = nop ] && [ "$(wc -l <enabled_functions)" = 0 ] &&
		[ -z "$(cat set_event dynamic_events 2>/dev/null)" ] || skip_all "somebody traces"
	change current_tracer nop
}

# For a part that has this as its last command, or before "|| return".
skip()
{
	echo "$1"
	return "$KSFT_SKIP"
}

# modules NAME...: whether the kernel has these
modules()
{
	local name
	for name; do
		modprobe -n -q "$name" || skip "there is no module $name" || return
	done
}

# want_modules NAME...: run nothing without these
want_modules()
{
	local why
	why=$(modules "$@") || skip_all "$why"
}

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
	marked="test: $1"
	echo "$marked" >/dev/kmsg
}

# What the kernel has said since that mark, or the last one.
since()
{
	dmesg | awk -v mark="${1:-$marked}" 'index($0, mark) { said = ""; next }
		{ said = said $0 "\n" }
		END { printf "%s", said }'
}

# symbol NAME: its address
symbol()
{
	awk '$3 == name { print "0x" $1; exit }' name="$1" /proc/kallsyms
}

# result NAME COMMAND...: one line, with the command's last words if it fails. What
# goes on beside it ends when it sees $tmp/enough.
result()
{
	local name=$1 status
	shift
	mark "$name"
	"$@" >"$tmp/said" 2>&1
	status=$?
	case $status in
	0)
		ktap_test_pass "$name"
		sed -n 's/^figure: /# /p' "$tmp/said" | tail -n 1
		;;
	"$KSFT_SKIP")
		ktap_test_skip "$name"
		tail -n 1 "$tmp/said" | sed 's/^/# /'
		;;
	*)
		ktap_test_fail "$name"
		tail -n 20 "$tmp/said" | sed 's/^/# /'
		: >"$tmp/enough"
		wait
		;;
	esac
}

# verdict NAME [WHY]: one line; good without a reason
verdict()
{
	if [ -z "${2-}" ]; then
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

# End the test. One that has no result, or was asked for a part that it does not
# have, has failed.
finish()
{
	local part
	for part in $(echo "${parts:-}" | tr , ' '); do
		case $known, in
		*,"$part",*) ;;
		*) verdict "there is a part $part" "the test knows $known" ;;
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

# without_console COMMAND...: while it does what the kernel says much about
without_console()
{
	local status
	change /proc/sys/kernel/printk 1
	"$@"
	status=$?
	echo "${old_value[/proc/sys/kernel/printk]}" >/proc/sys/kernel/printk
	return $status
}

# Whether modules may call what they cannot link to.
no_ibt()
{
	! grep -qw ibt /proc/cpuinfo || skip "wants ibt=off on the kernel's command line"
}

# want_to_insert NAME: run nothing without that module of ours, in $modules, which calls
# what it cannot link to
want_to_insert()
{
	local why
	modules=$home/test_modules
	want "$modules/$1.ko"
	why=$(no_ibt) || skip_all "$why"
	change /proc/sys/kernel/kptr_restrict 1
}

# Whether there is a second processor, and the first can do without it. When the test ends
# all are on line.
second_processor()
{
	[ -e /sys/devices/system/cpu/cpu1/online ] || skip "no processor can go off line" || return
	keep /sys/devices/system/cpu/cpu[1-9]*/online
}

# All processors but the first go off line and come back, one after the other.
switch_processors()
{
	local cpu
	for cpu in /sys/devices/system/cpu/cpu[1-9]*/online; do
		echo 0 >"$cpu" && echo 1 >"$cpu" || return 1
	done
}

# failing PERCENT "FILE=VALUE..." COMMAND...: that many allocations fail in it, by these
# files of fault injection besides
failing()
{
	local d word percent=$1 words=$2 status
	local dirs=$(ls -d /sys/kernel/debug/fail{slab,_page_alloc} 2>/dev/null)
	shift 2
	[ -n "$dirs" ] || skip "no fault injection" || return
	for d in $dirs; do
		for word in ignore-gfp-wait=N ignore-gfp-highmem=N cache-filter=N min-order=0 \
			    verbose=0 times=-1 $words "probability=$percent"; do
			[ ! -e "$d/${word%=*}" ] || change "$d/${word%=*}" "${word#*=}" || return 1
		done
	done
	"$@"
	status=$?
	for d in $dirs; do
		echo 0 >"$d/probability"
	done
	return $status
}

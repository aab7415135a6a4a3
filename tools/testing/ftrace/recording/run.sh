#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# The ring buffer's fast path: the ring buffer without it, that of the base if it is here,
# and with it run the same streams of events, interrupts, readers and changes, and have to
# show the same after each step; libtraceevent has to read what they do. Each safeguard
# that is left out has to be found.
#
# usage: run.sh		see ../../shared/suite.sh for its environment
#	 run.sh bench	compare the cost of an event on this processor: both ring buffers in
#			user space, and beside them
#			XRay's flight recorder and LTTng-UST, if Debian's packages
#			clang, libclang-rt-N-dev, lttng-tools and liblttng-ust-dev are here

units=
. "$(dirname "$0")/../../shared/suite.sh"
source=kernel/trace
own="ring_buffer_fast.h ring_buffer_fast.c trace_fast.h trace_fast.c"
parts="waits clocks $(seq 60) levels every" rounds=600

# Compact events are an option.
compact=
[ ! -e "$top/$source/trace_fast_compact.c" ] || compact=compact own="$own trace_fast_compact.c"

# Both versions of ring_buffer.c, each beside the trace.h of this folder. In a kernel's tree
# they are the same file, which is compiled without the fast path and with it.
mkdir -p "$out/base" "$out/new" "$out/shim/linux"
new=${TREE:-$top/build/tree}
[ -d "$new" ] || new=$top
cp "$(kernel_file kernel/trace/ring_buffer.c)" "$out/base" || exit 1
cp "$new/kernel/trace/ring_buffer.c" "$out/new" || exit 1
for folder in base new; do
	cp "$here/trace.h" "$out/$folder" || exit 1
	for own_file in $own; do
		cp "$top/$source/$own_file" "$out/$folder" || exit 1
	done
done

stand_ins "$out"/new/*.[ch] "$out"/base/*.c "$(kernel_file include/linux/ring_buffer.h)" \
	"$(kernel_file include/linux/ring_buffer_types.h)"
for header in ring_buffer.h ring_buffer_types.h; do
	echo "#include \"$(kernel_file include/linux/$header)\"" >"$out/shim/linux/$header"
done

paths_flags="-w -fms-extensions -fno-strict-aliasing -fno-strict-overflow -include $here/shim.h
	-I$out/shim"

# paths FOLDER [FLAG...]: makes FOLDER.paths of the ring buffer there
paths()
{
	local folder=$1 fast=
	shift
	case $folder in
	*/base) ;;
	*) fast="-DCONFIG_RING_BUFFER_FAST_PATH=1 ${compact:+-DCONFIG_FTRACE_COMPACT_EVENTS=1}" ;;
	esac
	# shellcheck disable=SC2086 # lists
	$ccache "$CC" $paths_flags "$@" $fast -I"$folder" -c "$here/paths.c" -o "$folder.o" >"$out/said" 2>&1 &&
		"$CC" "$@" "$folder.o" -o "$folder.paths" -ltraceevent >"$out/said" 2>&1
}

# shows FOLDER PART: what it shows for a seed, or of all interleavings of one kind
shows()
{
	local what=$2
	case $what in *[0-9]) what="$what $rounds $((1 + what % 4))" ;; esac
	# shellcheck disable=SC2086 # a list
	timeout 300 "$1.paths" $what 2>"$1.notes"
}

# base PART...: what the base's shows in these goes to $out/shows, once
base()
{
	local part
	mkdir -p "$out/shows"
	for part; do
		[ -e "$out/shows/$part" ] && continue
		shows "$out/base" "$part" >"$out/base.shows" || return
		mv "$out/base.shows" "$out/shows/$part"
	done
}

# same FOLDER: it ends well and shows the same in all parts
same()
{
	local part
	for part in $parts; do
		base "$part" && shows "$1" "$part" >"$1.shows" || return
		cmp -s "$out/shows/$part" "$1.shows" && continue
		echo "part $part:"
		diff "$out/shows/$part" "$1.shows" | head -n 10
		return 1
	done
}

# right FOLDER PART...: each finds nothing wrong
right()
{
	local folder=$1 part
	shift
	for part; do
		shows "$folder" "$part" >/dev/null && continue
		sort "$folder.notes" | uniq -c
		return 1
	done
}

# takes FOLDER: its fast path takes what it is made for, and finds the state of its
# context and the times of calls; compact events have what they should
takes()
{
	# shellcheck disable=SC2086 # empty or a word
	right "$1" taken states graph $compact
}

# validates FOLDER FLAG...: built to validate time stamps, the fast path does
validates()
{
	paths "$@" -DCONFIG_RING_BUFFER_VALIDATE_TIME_DELTAS=1 && right "$1" validate
}

# without FILE SED NAME: with this fault, something else is shown
without()
{
	planted "$3" "$out/new/$1" "$2" || return 0
	local why=
	rm -rf "$out/faulty" && cp -r "$out/new" "$out/faulty"
	cp "$out/planted" "$out/faulty/$1"
	# shellcheck disable=SC2086 # a list
	if ! paths "$out/faulty" $quick_flags; then
		why="does not compile: $(head -n 3 "$out/said" | tr '\n' ' ')"
	# shellcheck disable=SC2086 # a list
	elif same "$out/faulty" && takes "$out/faulty" && validates "$out/faulty" $quick_flags; then
		why="shows the same"
	fi
	say "${why:+not }ok - fault: $3 is found"
	[ -z "$why" ] || say "# $why"
}

# beside NAME: its program's flags follow; false if it cannot be made here
beside()
{
	local name=$1 cc=$2
	shift 2
	command -v "$cc" >/dev/null &&
		"$cc" -O2 -I"$here" "$here/beside-$name.c" -o "$out/beside-$name" "$@" >"$out/said" 2>&1
}

# A session that keeps the latest events in memory, as the kernel's ring buffer does
lttng_session()
{
	export LTTNG_HOME="$out"
	lttng-sessiond --daemonize --no-kernel &&
		lttng create beside --snapshot --output="$out/lttng" &&
		lttng enable-channel -u --subbuf-size=256K --num-subbuf=4 beside &&
		lttng enable-event -u -c beside beside:function && lttng start
}

bench()
{
	local folder what
	for what in function call event; do
		for folder in base new; do
			paths "$out/$folder" -O2 -DBENCH || return
			echo "$folder, $what: $("$out/$folder.paths" $what 5000000)"
		done
	done
	echo "the clock in them: $("$out/new.paths" clock 5000000)"
	echo "clock_gettime(), which LTTng has: $("$out/new.paths" gettime 5000000)"
	if beside xray clang -fxray-instrument; then
		echo "XRay's flight recorder, entry or exit of a function: $(
			XRAY_OPTIONS="patch_premain=false" "$out/beside-xray" 5000000 2>"$out/said")"
		# It says so if it does not trust the time stamp counter.
		grep -qi 'cpu frequency' "$out/said" && echo "	with clock_gettime() as its clock"
	fi
	if beside lttng "$CC" -llttng-ust -ldl && lttng_session >"$out/said" 2>&1; then
		echo "LTTng-UST, a tracepoint with two words: $("$out/beside-lttng" 5000000)"
		lttng destroy beside >/dev/null
		kill "$(pgrep -o lttng-sessiond)"
	fi
}

if [ "${1:-}" = bench ]; then
	bench
	exit
fi

# Upstream's file reads and writes numbers that are not aligned.
quick_flags="-std=gnu11 -O1"
# shellcheck disable=SC2086 # a list
if ! paths "$out/base" $checked -fno-sanitize=alignment ||
   ! paths "$out/new" $checked -fno-sanitize=alignment; then
	say "not ok - both build"
	head -n 30 "$out/said" | sed 's/^/# /'
	finish
fi
check "the fast path shows the same" same "$out/new"
tail -n 1 "$out/new.notes" | sed 's/^/# /'
# shellcheck disable=SC2086 # a list
check "the base's ring buffer runs all streams" base $parts
check "the fast path takes what it is made for, with its state" takes "$out/new"
# shellcheck disable=SC2086 # a list
check "time stamps are validated" validates "$out/new" $checked -fno-sanitize=alignment

c=ring_buffer_fast.c h=ring_buffer_fast.h t=trace_fast.c
without $c 's/unlikely(end - e->length != write)/0/' "an event where another one is"
without $c 's/before != e->after ||/false ||/' "trust in an uncertain time stamp"
without $c 's/e->prev >= /e->prev + 1 >= /' "an empty page on the fast path"
without $c '/^	if (unlikely(test_time_stamp/,+1d' "no time stamp after a pause"
without $c 's/rb_fast_read(\*(unsigned long \*)&cpu_buffer->commits) == commits &&/true \&\&/' "no look at what interrupts left"
without $c '/^	local_set(&cpu_buffer->committing, 1);/d' "an event that others commit"
without $c 's/^	cpu_buffer->current_context = e->alone/	if (0) &/' "two writers on the fast path"
without $c 's/ + cpu_buffer->nest);/);/' "a nested event that does not end"
without $c '/^	if (!e->alone)/,/event_stamp\[0\] = e->ts/d' "no time stamp to ask for"
without $c 's/unlikely(rb_fast_read(e->buffer->record_disabled.counter))/0/' "events while recording is off"
without $c 's/unlikely(rb_fast_read(cpu_buffer->buffer) != e->buffer)/0/' "an event in a swapped buffer"
without $c '/^	rb_wakeups(/d' "nobody woken"
without $c '/^	WRITE_ONCE(.*fast_wake, 0);/d;s/^	rb_wakeups(.*/&\n	WRITE_ONCE(cpu_buffer->fast_wake, 0);/' \
	"a reader forgotten that waits again"
without $c 's/likely(e->buffer->clock == trace_clock_local)/true/' "another clock not asked"
without $c 's/^	e->prev = (write & RB_WRITE_MASK) - 1;/	;/' "an event that is not told its place"
without $c 's/^#define RB_FAST_MAX.*/#define RB_FAST_MAX 8/' "only small events on the fast path"
without $c 's/likely(!rb_fast_read(e->cpu_buffer->fast_busy))/0/' "nothing on the fast path"
without $c '/^	e->ts = cpu_buffer->event_stamp\[0\];/d' "a call that does not get its time"
without $c 's/clock == trace_clock_local && e->ts/clock != trace_clock_local \&\& e->ts/' "the local clock compared with others"
without $c '/^		check_buffer(/d' "an event that is not validated"
without $h '/^static void rb_fast_watch/,/^}/s/rb_fast_look(.*);/({ });/' "no look for readers that wait"
without ring_buffer.c '/^	rb_fast_look(/d' "no look for those that waited before a swap"
without ring_buffer.c '/^			rb_fast_look(cpu_buffer);/d' "no look at pages that were begun"
without $h 's/^	cpu_buffer->fast_commits = 0;/	;/' "a reset that is not noticed"
without $h 's/= rb_page_capacity(cpu_buffer->tail_page)/= 16368/' "pages of one size only"
without trace_fast.h 's/raw_cpu_read(__preempt_count) - PREEMPT_ENABLED/preempt_count()/' "a task that is to be preempted"
without $t 's/(rt && softirq_count())/0/' "softirqs with PREEMPT_RT"
without $t 's/trace_fast_migration() > (rt ? 0xf : 0)/0/' "migration disabled"
without $t 's/TRACE_FAST_DEC && !preempt_count()/false/' "an event with preemption enabled"
without $t 's/unlikely(last->count)/0/' "a number of repeats that is not recorded"
without $t '/^	\*done = false;/,/return true;/{/if (/d;/return/d}' "repeats counted while recording is off"
if [ "$compact" ]; then
	k=trace_fast_compact.c
	without $k 's/ || parent_ip < TRACE_COMPACT_BASE//' "a caller that is nowhere near the kernel"
	without $k 's/bare ? ftrace_bare_parent() : parent_ip;/0;/' "a compact function without its caller"
	without $k 's/e.local - \*calltime/*calltime/' "the time of a call instead of its duration"
	without $k 's/!trace_compact_graph(tr) || //' "a compact call that nobody asked for"
fi

finish

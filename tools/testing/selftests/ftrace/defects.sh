#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Defects of the classic tracer that it takes a module to meet. parts=NAME,NAME: only
# these; rounds=N: as often for a race, or until it is lost. Memory that is freed twice
# is told by slab_debug=FZ,kmalloc-512 on the kernel's command line. Nobody runs this by
# default: the last part ends the tracer for good.
# proves: kernel/trace/ftrace/tracefs/mapper.c
: "${parts=}" "${rounds=5}"
. "$(dirname "$0")/parts.sh"
in_tracefs
want_to_insert ftrace_defects

# wanted PART: is it to be run?
wanted()
{
	has "$1" || [ -z "$parts" ]
}

# case_of WHAT [MODULE]: the module's file of that part
case_of()
{
	part=${1%%:*}
	wanted "$part" || return
	verdict "$1" "$(complaint "/sys/module/${2:-ftrace_defects}/parameters/$(echo "$part" | tr - _)")"
}

# Text that goes is to lie below text that stays; see the module.
init_text()
{
	what="init-text-lookup: while init text goes, what stays is found"
	lies=/sys/module/ftrace_init_text/parameters
	wanted "${what%%:*}" || return
	why="there was no round"
	for i in $(seq "$rounds"); do
		insmod "$modules"/ftrace_init_text.ko location="$(symbol ftrace_location)"
		why=
		[ "$(cat $lies/below)" = Y ] || why="it does not lie below"
		[ "$(cat $lies/looked)" -gt 0 ] || why="nobody looked"
		[ "$(cat $lies/missed)" -eq 0 ] ||
			why="not found $(cat $lies/missed) of $(cat $lies/looked) times"
		rmmod ftrace_init_text
		[ -z "$why" ] || break
	done
	verdict "$what" "$why"
}

# What init functions were called is told as long as their module is there.
init_names()
{
	wanted init-names || return
	insmod "$modules"/ftrace_init_text.ko location="$(symbol ftrace_location)"
	awk '$3 ~ /^goes_[0-9]*$/ { print $3 }' /proc/kallsyms | sort >"$tmp/names"
	why=
	[ -z "$(uniq -d "$tmp/names")" ] || why="twice: $(uniq -d "$tmp/names")"
	[ "$(uniq "$tmp/names" | wc -l)" -eq 224 ] || why="$(uniq "$tmp/names" | wc -l) of 224; $why"
	rmmod ftrace_init_text
	verdict "init-names: each function of init text that is gone has its name, once" "$why"
}

# A command waits for a mutex. Others can run commands meanwhile.
command_waits()
{
	hold=/sys/module/ftrace_defects/parameters/hold_event_mutex
	why=
	wanted command-waits || return
	mkfifo "$tmp/done"
	exec 3<>"$tmp/done"
	mkdir instances/other
	echo 1 >$hold
	echo 'schedule:enable_event:sched:sched_switch:1' >set_ftrace_filter &
	first=$!
	until grep -q event_enable_func "/proc/$first/wchan"; do
		[ -d "/proc/$first" ] || { why="the first command did not wait"; break; }
	done
	(
		echo 'do_nanosleep:traceoff:1' >instances/other/set_ftrace_filter
		echo done >"$tmp/done"
	) &
	second=$!
	read -r -t 20 -u 3 ended || why="a command of another trace array had to wait, too"
	echo 0 >$hold
	wait "$first" || why="the command that waited was refused"
	wait "$second"
	echo '!schedule:enable_event:sched:sched_switch:0' >>set_ftrace_filter
	echo '!do_nanosleep:traceoff:0' >>instances/other/set_ftrace_filter
	rmdir instances/other || why="an instance cannot go"
	verdict "command-waits: a command that waits holds up nobody" "$why"
}

# A word for a module that comes or goes just then waits until it comes the next
# time. Nothing forks while a processor is held up; only this shell has the file.
mod_word()
{
	sessions=/sys/module/ftrace_sessions/parameters
	wanted "mod-$1" || return
	why=
	[ "$1" = coming ] || modprobe trace-printk
	taskset -p 2 $$ >/dev/null
	exec 3>set_ftrace_filter
	echo "$1" >$sessions/hold
	case $1 in
	coming) taskset 1 modprobe trace-printk 3>&- & ;;
	going) taskset 1 rmmod trace_printk 3>&- & ;;
	esac
	until read -r held <$sessions/held && [ "$held" = Y ]; do
		[ -d "/proc/$!" ] || break
	done
	echo trace_printk_irq_work:mod:trace_printk >&3 || why="the word was refused"
	exec 3>&-
	read -r held <$sessions/held
	[ "$held" = Y ] || why="the module was not held up"
	echo none >$sessions/hold
	wait "$!"
	[ "$1" = coming ] || modprobe trace-printk
	echo function >current_tracer
	grep -q '^trace_printk_irq_work \[trace_printk\] (1)' enabled_functions ||
		why="$why; its function is not hooked"
	[ "$(cat set_ftrace_filter)" = "trace_printk_irq_work [trace_printk]" ] ||
		why="$why; the filter is $(head -n 1 set_ftrace_filter)"
	echo nop >current_tracer
	echo >set_ftrace_filter
	rmmod trace_printk
	taskset -p ffff $$ >/dev/null
	verdict "mod-$1: a word for a module that is $1 waits for it" "$why"
}

# A session is about one hook, not about who has its memory later.
hook_gone()
{
	sessions=/sys/module/ftrace_sessions/parameters
	wanted hook-gone || return
	[ -e function_tracers ] || return
	why=
	echo function >current_tracer
	echo first >$sessions/hook
	echo first >function_tracers
	exec 3>>set_ftrace_filter
	echo msleep >&3 || why="the hook's filter cannot be changed"
	echo second >$sessions/hook
	for word in schedule 'sch*:mod:no_such_module'; do
		echo >error_log
		echo "$word" >&3 && why="$word was taken for a hook that was gone"
		grep -q 'first: set_ftrace_filter: error: Tracer is gone' error_log ||
			why="$why; error_log says nothing about $word"
	done
	exec 3>&-
	echo second >function_tracers
	got=$(sed -n 's/^\[ second\] //p' set_ftrace_filter | tr '\n' ' ')
	[ "$got" = "do_nanosleep " ] || why="$why; the other's filter is $got"
	echo none >$sessions/hook
	echo nop >current_tracer
	echo >function_tracers
	verdict "hook-gone: a session changes no other hook in the same memory" "$why"
}

# fail_in_turn FILE TEXT CHECK: write the text with each of its allocations failing in
# turn, until there are no more, or the check, which finds $n and $answer, sets $why
fail_in_turn()
{
	local n=0 came=1 answer
	exec 3<>/dev/ftrace_fail
	while [ "$came" = 1 ] && [ -z "$why" ]; do
		n=$((n + 1)) answer=0
		echo $n >&3
		echo "$2" >"$1" || answer=1
		read -r -N 1 -u 3 came
		$3
	done
	exec 3>&-
	[ $n -gt 1 ] || why=${why:-none has failed}
	[ -z "$why" ] || why="$1, allocation $n: $why"
} 2>/dev/null

# What option_enomem() has written: it is in force or not, as the answer says.
option_answered()
{
	grep -qx "$option" trace_options
	[ $? -eq "$answer" ] || why="it is not as the answer says"
	grep -q '^vfs_read ' enabled_functions || why="$why; the tracer is off"
	echo "no$option" >trace_options
}

# option_enomem TRACER OPTION: it asks for another callback of the tracer
option_enomem()
{
	local option=$2
	wanted "$option-enomem" || return
	why=
	echo "$1" >current_tracer
	echo "no$option" >trace_options
	fail_in_turn trace_options "$option" option_answered
	echo nop >current_tracer
	verdict "$option-enomem: a tracer's option has changed or is as before, and the tracer is on" \
		"$why"
}

# An instance is made without its part of the graph tracer, and has all other tracers.
instance_without_graph()
{
	short=instances/short
	only_files=/sys/module/ftrace_defects/parameters/only_function_files
	wanted instance-without-graph || return
	why=
	echo y >$only_files
	exec 3<>/dev/ftrace_fail
	(
		echo 1 >&3
		exec mkdir $short
	) || why="it was not made"
	read -r -N 1 -u 3 came
	exec 3>&-
	echo n >$only_files
	[ "$came" = 1 ] || why="$why; no allocation has failed"
	echo do_nanosleep >$short/set_ftrace_filter || why="$why; it has no filter"
	for tracer in function wakeup wakeup_rt wakeup_dl irqsoff; do
		grep -qw $tracer available_tracers || continue
		echo $tracer >$short/current_tracer || why="$why; it has no tracer $tracer"
	done
	! echo function_graph >$short/current_tracer || why="$why; its graph tracer is on"
	rmdir $short || why="$why; it cannot be removed"
	verdict "instance-without-graph: an instance without memory for its graph tracer has the others" \
		"$why"
} 2>/dev/null

# However often the graph tracer met no memory, it has let go of tasks' names once.
graph_names()
{
	wanted graph-names || return
	why=
	echo function >current_tracer
	bash -c 'echo was_here >/proc/self/comm; read -r x </proc/version'
	grep -q 'was_here$' saved_cmdlines || why="a function's task has no name"
	echo nop >current_tracer
	verdict "graph-names: tasks have names after the graph tracer met no memory" "$why"
}

# An event that could not be enabled lets go of tasks' names once, too.
event_let_go()
{
	echo 0 >options/record-cmd
	echo 1 >$event
	echo 0 >$event
	echo 1 >options/record-cmd
	echo function >current_tracer
	bash -c "echo was_here_$n >/proc/self/comm; read -r x </proc/version"
	grep -q "was_here_$n\$" saved_cmdlines || why="a function's task has no name"
	echo nop >current_tracer
}

recorded_names()
{
	local event=events/sched/sched_wakeup/enable
	wanted recorded-names || return
	why=
	fail_in_turn $event 1 event_let_go
	verdict "recorded-names: tasks have names after an event met no memory" "$why"
}

# A latency tracer that met no memory is on, or has its option, as the answer says.
latency_answered()
{
	local now=$new
	[ "$answer" = 0 ] || now=$old
	[ "$(cat "$file")" = "$now" ] || why="it is not $now"
	case $now:$file in
	nop:* | 0:*/function-trace) ;;
	*) grep -q '^vfs_read ' enabled_functions || why="$why; its function is not on" ;;
	esac
	echo "$old" >"$file"
}

latency_functions()
{
	local file old new
	wanted latency-functions || return
	why=
	while read -r file old new; do
		file=instances/latency/$file
		echo "$old" >"$file"
		fail_in_turn "$file" "$new" latency_answered
		[ -z "$why" ] || break
		echo "$new" >"$file"
	done <<-END
		current_tracer nop wakeup
		options/function-trace 0 1
		options/display-graph 0 1
		current_tracer nop irqsoff
		options/function-trace 0 1
		options/display-graph 1 0
	END
	echo nop >instances/latency/current_tracer
	verdict "latency-functions: a latency tracer that is on follows its functions" "$why"
}

# no_memory WHAT ARGS...: fail_session's; the allocator sees memory freed twice, if the
# kernel was started with slab_debug=FZ,kmalloc-512
no_memory()
{
	what=$1
	shift
	wanted "${what%%:*}" || return
	mark "$what"
	why=
	echo >error_log
	said=$(fail_session "$@" 2>&1) || why=${said:-"fail_session: status $?"}
	since | grep -q 'Object already free' && why="memory was freed twice"
	since | grep -q 'WARNING: ' && why="the kernel warned"
	# The last of the allocations is for what close() does.
	if [ -z "$why" ] && [ "${what%-session-enomem: *}" != "$what" ]; then
		grep -q '^  Command: close$' error_log || why="close() is not in error_log: $said"
	fi
	verdict "$what" "$why"
	[ -n "$why" ] || echo "# $said"
}

insmod "$modules"/ftrace_spacer.ko
insmod "$modules"/ftrace_defects.ko lookup="$(symbol kallsyms_lookup_name)" || exit 1
rmmod ftrace_spacer
# The word that has a session taken whole or not at all. The classic tracer has none.
all=
[ ! -e function_tracers ] || all=':all: '
init_text
init_names
case_of "ipmodify-on-direct: an IPMODIFY hook does not come to a direct call's function"
case_of "mapper-words: what a mapper frees is what it was given"
case_of "filter-enomem: a filter for which there is no memory is refused"
no_memory "filter-session-enomem: a session of set_ftrace_filter is taken whole or refused" \
	write set_ftrace_filter do_nanosleep "${all}schedule msleep !msleep vfs_*"
no_memory "notrace-session-enomem: a session of set_ftrace_notrace is taken whole or refused" \
	write set_ftrace_notrace '' "${all}vfs_*"
no_memory "command-enomem: a command is taken whole or refused" \
	write set_ftrace_filter '' 'defect_target_[0-9]:traceoff:3' \
	'!defect_target_[0-9]:traceoff:0'
# Another one is on, or the first has tasks' names recorded, which says little
# when it fails and complains when it ends.
echo 1 >events/sched/sched_process_exec/enable
no_memory "event-command-enomem: a command with an event is taken whole or refused" \
	write set_ftrace_filter '' 'defect_target_[0-9]:enable_event:sched:sched_switch:3' \
	'!defect_target_[0-9]:enable_event:sched:sched_switch:0'
no_memory "trigger-enomem: a trigger is set or refused" \
	write events/sched/sched_switch/trigger '' traceon '!traceon'
# No module is loaded here: an event that a trigger has enabled stays on without it.
no_memory "event-trigger-enomem: a trigger that enables an event is set or refused" \
	write events/module/module_load/trigger '' enable_event:sched:sched_wakeup \
	'!enable_event:sched:sched_wakeup'
if wanted soft-mode; then
	echo '!defect_target_[0-9]:enable_event:sched:sched_switch:0' >>set_ftrace_filter
	echo '!enable_event:sched:sched_wakeup' >events/module/module_load/trigger
	why=
	for event in sched/sched_switch sched/sched_wakeup module/module_load; do
		is=$(cat events/$event/enable)
		[ "$is" = 0 ] || why="$why $event: $is"
	done
	verdict "soft-mode: events whose commands and triggers have gone are off" "$why"
fi 2>/dev/null
echo 0 >events/sched/sched_process_exec/enable
recorded_names
no_memory "instance-enomem: an instance is made or not" mkdir instances/short 40
echo y >/sys/module/ftrace_defects/parameters/only_function_files
no_memory "instance-files-enomem: an instance's filter files are made or not" \
	mkdir instances/short 12
echo n >/sys/module/ftrace_defects/parameters/only_function_files
instance_without_graph
no_memory "graph-session-enomem: a session of set_graph_function is taken whole or refused" \
	write set_graph_function do_nanosleep "${all}schedule vfs_*"
echo vfs_read >set_ftrace_filter
no_memory "graph-start-enomem: the graph tracer is switched on or it is not" \
	write current_tracer nop function_graph
no_memory "function-start-enomem: the function tracer is switched on or it is not" \
	write current_tracer nop function
option_enomem function func-args
option_enomem function_graph funcgraph-args
echo function_graph >current_tracer
no_memory "graph-thresh-enomem: a graph tracer has the new threshold or the old one" \
	write tracing_thresh 0 100
echo nop >current_tracer
graph_names
echo >set_ftrace_filter
mkdir instances/threshold
if [ -e instances/threshold/tracing_thresh ]; then
	echo vfs_read >instances/threshold/set_ftrace_filter
	echo function_graph >instances/threshold/current_tracer
	no_memory "instance-thresh-enomem: an instance's graph tracer has the new threshold or the old one" \
		write instances/threshold/tracing_thresh 0 100
fi
rmdir instances/threshold
mkdir instances/latency
if grep -qw wakeup available_tracers; then
	echo vfs_read >instances/latency/set_ftrace_filter
	# Few pages, each of which is an allocation of the snapshot.
	echo 8 >instances/latency/buffer_size_kb
	no_memory "wakeup-start-enomem: a wakeup tracer is switched on or it is not" \
		write instances/latency/current_tracer nop wakeup
	latency_functions
fi
rmdir instances/latency
for option in event-fork function-fork; do
	no_memory "$option-enomem: new tasks are followed or they are not" \
		write options/$option 0 1
	echo 0 >options/$option
done
if [ -e /proc/sys/kernel/stack_tracer_enabled ]; then
	no_memory "stack-tracer-enomem: the stack tracer is switched on or it is not" \
		write /proc/sys/kernel/stack_tracer_enabled 0 1
	echo 0 >/proc/sys/kernel/stack_tracer_enabled
fi
case_of "tramp-stack: the stack is known in a trampoline that is being left"
case_of "refused-graph-hook: a graph hook that was refused is not called"
command_waits
insmod "$modules"/ftrace_sessions.ko || exit 1
case_of "take-out: taking out what is not in a filter is no error" ftrace_sessions
mod_word coming
mod_word going
hook_gone
rmmod ftrace_sessions
# No case can come after this.
case_of "dead-tracer: a hook that leaves a tracer that was killed is not called"
finish

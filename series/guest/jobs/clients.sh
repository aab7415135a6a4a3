# SPDX-License-Identifier: GPL-2.0
#
# What jobs with clients have in common: "seen" is what a client printed, "said" its
# complaints, "before" the functions that had hooks when the job began: systemd attaches
# BPF programs.
cp $T/enabled_functions before

hooked() { # functions with hooks that they did not have before
	grep -vxFf before $T/enabled_functions
}

mount_share() { # at /clients: programs, and their libraries
	mkdir -p /clients
	mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144,ro,cache=loose clients /clients
}

judge() { # status, what
	if [ "$1" = 0 ]; then
		verdict "$2"
	else
		verdict "$2" "$(tail -n 20 said seen)"
	fi
	: >said
	: >seen
}

clean() { # what it is that has to leave nothing behind
	for f in kprobe_events dynamic_events; do
		sed "s/^/$f: /" "$T/$f"
	done >said
	hooked | sed 's/^/enabled_functions: /' >>said
	[ "$(cat $T/set_ftrace_pid)" = 'no pid' ] || sed 's/^/set_ftrace_pid: /' $T/set_ftrace_pid >>said
	[ "$(cat $T/current_tracer)" = nop ] || echo "current_tracer: $(cat $T/current_tracer)" >>said
	[ "$(cat $T/set_ftrace_filter)" = '#### all functions enabled ####' ] ||
		sed 's/^/set_ftrace_filter: /' $T/set_ftrace_filter >>said
	[ "$(cat $T/set_graph_function)" = '#### all functions enabled ####' ] ||
		sed 's/^/set_graph_function: /' $T/set_graph_function >>said
	[ -z "$(cat $T/set_event)" ] || sed 's/^/set_event: /' $T/set_event >>said
	cat /sys/kernel/debug/kprobes/list >>said
	[ ! -s said ]
	judge $? "$1 leaves nothing behind"
}

# SPDX-License-Identifier: GPL-2.0
#
# From what "trace-cmd report" says of the graph tracer to the JSON form that
# ui.perfetto.dev opens: calls are slices of their tasks. A call whose beginning is not in
# the trace is left out; one whose end is not ends with the trace.

function event(phase, name, more) {
	printf "%s{\"ph\":\"%s\",\"name\":\"%s\",\"pid\":%s,\"tid\":%s,\"ts\":%.3f%s}",
		n++ ? ",\n" : "", phase, name, pid, pid, time, more
}

BEGIN { printf "[" }

# "  TASK-PID  [CPU] FLAGS SECONDS: funcgraph_entry:  DURATION us |  FUNCTION() {"; no flags before trace-cmd 3.2
match($0, /^ *(.+)-([0-9]+) +\[[0-9]+\] +(\S+ +)?([0-9.]+): +funcgraph_(entry|exit): +[^0-9|]*([0-9.]*)/, word) {
	pid = word[2]
	time = word[4] * 1e6
	if (!(pid in depth)) {
		depth[pid] = 0
		gsub(/["\\]/, "", word[1])
		event("M", "thread_name", sprintf(",\"args\":{\"name\":\"%s\"}", word[1]))
	}
	name = $0
	gsub(/.*\| *|\(.*/, "", name)
	if (word[5] == "exit" && depth[pid]) {
		depth[pid]--
		event("E", "", "")
	} else if (word[5] == "entry" && /\{$/) {
		depth[pid]++
		event("B", name, "")
	} else if (word[5] == "entry") {
		event("X", name, sprintf(",\"dur\":%s", word[6]))
	}
}

END {
	for (pid in depth) {
		while (depth[pid]-- > 0)
			event("E", "", "")
	}
	print "]"
}

#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# The recipes of Documentation/trace/ftrace/cookbook.rst print what the page says they
# print, by the rule of page.sh, and leave nothing behind. The page is that of the
# kernel's tree, the one beside this test, or
#	page=FILE
# Which functions a call leads to depends on the kernel, so this is not for each machine.
page=
. "$(dirname "$0")/parts.sh"
. "$home/page.sh"
for file in cookbook.rst ../../../../Documentation/trace/ftrace/cookbook.rst; do
	page=${page:-$(realpath -q -e "$home/$file")}
done
[ -n "$page" ] || skip_all "there is no page"
in_tracefs ran_functions function_profile_filter snapshot available_tracers
grep -qw function_graph available_tracers || skip_all "there is no graph tracer"
want_modules $(sed -n 's/^ *# modprobe //p' "$page")

# What a recipe could leave as it was not.
settings()
{
	local file
	for file in current_tracer tracing_on snapshot function_profile_enabled ran_functions \
		    dynamic_events max_graph_depth set_* function_profile_* options/*; do
		sed "s|^|$file: |" "$file"
	done
	sed 's/^/hooked: /' enabled_functions
	grep -v '^#' trace
	find instances /tmp -maxdepth 1
	lsmod | cut -d' ' -f1 | sort
}

# follow TITLE: the recipe, to its end; once more, if an interrupt's entry is in its trace
follow()
{
	recipe "$page" "$1" ||
		{ grep -q ' irq_enter_rcu();$' "$tmp/printed" && recipe "$page" "$1"; } ||
		return 1
	settings >"$tmp/after" 2>&1
	diff -U 0 "$tmp/before" "$tmp/after"
}

touch "$tmp/after"
settings >"$tmp/before" 2>&1
titles "$page" >"$tmp/titles"
while read -r title; do
	result "$title" follow "$title"
done <"$tmp/titles"
finish

# SPDX-License-Identifier: GPL-2.0
#
# For cookbook.sh: the recipes of a page. A recipe is a section that has blocks
#
#	.. code-block:: console
#
#	    # COMMAND
#	    what it prints
#
# whose commands, a line each, are run one after the other by one shell. What they
# print has to be what the page says, where
#   - each run of white space is one space, and empty lines do not count;
#   - each number is like any other, decimal, with 0x, or of eight and more digits 0-9a-f;
#     only 0 between white space is itself;
#   - the marks of interrupts and preemption behind a processor, "[001] d.h1.", and of
#     long times, "+ 12.345 us", do not count.
#
# Whoever uses this has a folder $tmp.

# titles PAGE: of its recipes, a line each
titles()
{
	blocks "$1" | cut -f1 | uniq
}

# section PAGE TITLE: the lines of its blocks
section()
{
	blocks "$1" | awk -F'\t' -v title="$2" '$1 == title { print substr($0, length($1) + 2) }'
}

# blocks PAGE: each line of a block behind the title of its section, and a tab
blocks()
{
	awk '
	/^=+$/ && last != "" { title = last }
	{ last = $0 }
	/^\.\. code-block:: console$/ { inside = 1; margin = 0; next }
	/^[^ \t]/ { inside = 0 }
	!inside || /^[ \t]*$/ { next }
	!margin { match($0, /^[ \t]+/); margin = RLENGTH + 1 }
	{ print title "\t" substr($0, margin) }' "$1"
}

# Of text from the standard input, what has to be the same.
squeeze()
{
	sed -E 's/[[:space:]]+/ /g; s/^ //; s/ $//; /^$/d
		s/(\[[0-9]+\]) [.0-9a-zA-Z]{4,6} /\1 /
		s/(^| )0( |$)/\1none\2/g
		s/\<0x[0-9a-f]+\>|\<[0-9a-f]{8,}\>/N/g
		s/[0-9]+(\.[0-9]+)?/N/g
		s/(^| )[+!#*@$] (N us)/\1\2/'
}

# recipe PAGE TITLE: run its commands where we are; 0 if they print what the page says,
# else how that differs
recipe()
{
	local line
	section "$1" "$2" >"$tmp/section"
	while IFS= read -r line; do
		[ "${line#\# }" = "$line" ] || printf 'printf "%%s\\n" %q\n%s\n' "$line" "${line#\# }"
	done <"$tmp/section" >"$tmp/commands"
	[ -s "$tmp/commands" ] || { echo "no commands"; return 1; }
	bash "$tmp/commands" >"$tmp/printed" 2>&1 </dev/null
	squeeze <"$tmp/section" >"$tmp/wanted"
	squeeze <"$tmp/printed" | diff -U 3 "$tmp/wanted" - && return
	echo "the commands printed:"
	cat "$tmp/printed"
	return 1
}

#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Lays the untouched kernel source down in build/base.
# The source is LINUX_SRC (a directory, which is copied, or a tarball), or what
# source.sh has found.  build/base.key remembers what lies there, so that a
# second run costs nothing.  A source that is refused changes nothing.
. "$(dirname "$0")/lib.sh"

one_at_a_time base
"$(dirname "$0")/source.sh" && find_source || exit 1
[ -e "$src" ] || die "no kernel source at $src"
src=$(realpath "$src")
version=$(of_base version)

# Of a folder all files count, and the commit: git's own files change when it is only asked.
content()
{
	[ -d "$src" ] || { stat -c '%s %Y' "$src"; return; }
	{
		[ ! -e "$src/.git" ] || git -C "$src" rev-parse HEAD
		find "$src" -name .git -prune -o ! -type d -printf '%P %m %s %T@ %l\n' | LC_ALL=C sort
	} | sha256sum
}

key="$src $(content)"
[ "$(cat "$build/base.key" 2>/dev/null)" = "$key" ] && exit 0

unpack()
{
	rm -rf "$build/base.new" && mkdir -p "$build/base.new" || return 1
	if [ -d "$src" ]; then
		cp -a "$src/." "$build/base.new/"
	else
		tar -xf "$src" -C "$build/base.new" --strip-components=1
	fi || {
		echo "Error: $src cannot be unpacked"
		return 1
	}
	is=$(sed -n 's/^\(VERSION\|PATCHLEVEL\) = //p' "$build/base.new/Makefile" | paste -sd.)
	[ "$is" = "$version" ] || {
		echo "Error: $src is Linux ${is:-of no version}, and the series is for $version.y"
		return 1
	}
}

lay_down()
{
	unpack || {
		rm -rf "$build/base.new"
		return 1
	}
	rm -rf "$build/base.key" "$build/base" && mv "$build/base.new" "$build/base"
}

step "unpacking the base tree from $src" "$log/base.log" lay_down || exit 1
printf '%s\n' "$key" >"$build/base.key"

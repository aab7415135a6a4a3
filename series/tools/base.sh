#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# Lays the untouched kernel source down in build/base.
# The source is Debian's package that series/base names, or LINUX_SRC (a
# directory, which is copied, or a tarball).  build/base.key remembers what
# lies there, so that a second run costs nothing.
. "$(dirname "$0")/lib.sh"

package=$(sed -n 's/^package //p' "$top/series/base")
version=$(sed -n 's/^version //p' "$top/series/base")
src=${LINUX_SRC:-/usr/src/$package.tar.xz}
[ -e "$src" ] || die "no kernel source at $src"
src=$(realpath "$src")

key="$src $(stat -L -c '%s %Y' "$src")"
[ "$(cat "$build/base.key" 2>/dev/null)" = "$key" ] && exit 0

lay_down()
{
	rm -rf "$build/base" "$build/base.new" "$build/base.key" &&
	mkdir -p "$build/base.new" || return 1
	if [ -d "$src" ]; then
		cp -a "$src/." "$build/base.new/"
	else
		tar -xf "$src" -C "$build/base.new" --strip-components=1
	fi || return 1
	for v in VERSION PATCHLEVEL; do
		sed -n "s/^$v = //p" "$build/base.new/Makefile"
	done | paste -sd. | grep -qx "$version" || {
		echo "Error: $src is no Linux $version.y source"
		return 1
	}
	mv "$build/base.new" "$build/base"
}

step "unpacking the base tree from $src" "$log/base.log" lay_down || exit 1
printf '%s\n' "$key" >"$build/base.key"
